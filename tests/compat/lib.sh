# shellcheck shell=sh
# Sourced by the shell twins: says `ok NAME` or shows what went wrong and stops. Sets $work, a directory that goes away.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check NAME COMMAND…: the command's output is shown only when it fails.
check() {
  name=$1
  shift
  if "$@" >"$work/.output" 2>&1; then
    echo "ok $name"
  else
    echo "not ok $name: '$*' ended with $?"
    cat "$work/.output"
    exit 1
  fi
}

# need COMMAND: a twin whose runtime is not in the template fails, it is never passed over.
need() {
  command -v "$1" >/dev/null || {
    echo "not ok $1: not in this template"
    exit 1
  }
}
