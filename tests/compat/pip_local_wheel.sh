#!/bin/sh
# pip: a wheel from a file, without any index, into a virtual environment and into the user's own site.
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/lib.sh"
need python3
export HOME="$work" PIP_DISABLE_PIP_VERSION_CHECK=1
wheel=$(python3 "$here/make_wheel.py" "$work")
cd "$work"
check venv python3 -m venv "$work/venv"
check install "$work/venv/bin/pip" install --no-index "$wheel"
check import test "$("$work/venv/bin/python" -c 'import cove_tiny; print(cove_tiny.answer())')" = 42
check entry_point test -x "$work/venv/bin/cove-tiny"
check list "$work/venv/bin/pip" show cove-tiny
check uninstall "$work/venv/bin/pip" uninstall -y cove-tiny
check user_site python3 -m pip install --no-index --user --break-system-packages "$wheel"
check user_import test "$(python3 -c 'import cove_tiny; print(cove_tiny.answer())')" = 42
