#!/bin/sh
# npm: packs a module, installs the tarball offline, runs a script and a program of it.
. "$(dirname "$0")/lib.sh"
need npm
export HOME="$work"
export npm_config_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
mkdir "$work/tiny" "$work/project"
cd "$work/tiny"
cat >package.json <<'JSON'
{"name": "cove-tiny", "version": "1.0.0", "main": "index.js", "bin": {"cove-tiny": "index.js"}}
JSON
cat >index.js <<'JS'
#!/usr/bin/env node
module.exports = () => 42;
if (require.main === module) console.log(module.exports());
JS
check pack npm pack --pack-destination "$work"
cd "$work/project"
cat >package.json <<'JSON'
{"name": "project", "version": "1.0.0", "scripts": {"answer": "cove-tiny"}}
JSON
check install npm install "$work/cove-tiny-1.0.0.tgz"
check require test "$(node -p 'require("cove-tiny")()')" = 42
check run_script test "$(npm run --silent answer)" = 42
check clean_install npm ci
