# shellcheck shell=bash
# What the scripts of this folder share. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
step_count=0   # set by a script that counts its steps: [2/5]
step_number=0
step_group=    # process group of the running step, so that an interrupt can end it
log_dir=$root/build/logs

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# The comment under the shebang is the help text.
show_help() {
  sed -n '2,/^[^#]/{/^#/{s/^# \{0,1\}//;p;};}' "$0"
}

is_root() { [[ $(id -u) == 0 ]]; }

need_root() {
  is_root || die "must run as root, because $1. Try: sudo script/${0##*/}"
}

# Prints those of the packages that are not there. (No process substitution: a chroot without /proc has no /dev/fd.)
missing_packages() {
  local installed name
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
  for name in "$@"; do
    [[ $installed == *" installed:$name "* ]] || printf '%s ' "$name"
  done
}

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
    -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 "$@"
}

install_packages() {
  # An earlier installation that was cut short makes apt refuse everything else.
  dpkg --configure -a && apt update && apt install --no-install-recommends "$@"
}

explain_failure() {
  local log=$1
  printf '%s\n' "--- the end of $log" >&2
  tail -n 25 "$log" >&2
  printf '%s\n' "---" >&2
  if grep -q 'Could not resolve\|Temporary failure\|Failed to fetch\|Could not connect' "$log"; then
    die "apt could not download: check the network and the mirror in /etc/apt, then run script/${0##*/} again"
  elif grep -q 'Unable to locate package\|has no installation candidate' "$log"; then
    die "apt does not know a package: check that the 'main' component of this Debian release is in /etc/apt"
  elif grep -q 'No space left' "$log"; then
    die "the disk is full: Cove's packages need about 2 GB"
  fi
  die "apt failed: mend what it says above, then run script/${0##*/} again"
}

# need_packages PACKAGE…: installs those that are missing. Cheap when none is.
need_packages() {
  local name=${0##*/} missing log began=$SECONDS
  log=$log_dir/$name.log
  read -ra missing <<<"$(missing_packages "$@")"
  if ((${#missing[@]} == 0)); then
    echo "$name: all packages are installed"
    return
  fi
  is_root || die "${#missing[@]} packages are missing and only root can install them. Try: sudo script/$name
missing: ${missing[*]}"
  mkdir -p "$log_dir"
  install_packages "${missing[@]}" >"$log" 2>&1 </dev/null || explain_failure "$log"
  echo "$name: installed ${#missing[@]} packages in $(since "$began") (log: $log)"
}

# own_mounts "$@": starts the calling script again in a mount namespace of its own, in which / is a mount. In a chroot it is
# not, and the tests' own namespaces need it: the way there leads over the namespace's true root, as in src/sys/private_mounts.cc.
own_mounts() {
  ! mountpoint -q / || return 0
  exec 9</
  # shellcheck disable=SC2016
  exec unshare --mount --propagation unchanged nsenter --mount=/proc/self/ns/mnt bash -ec '
    path=$(readlink /proc/self/fd/9)
    exec 9<&-
    mount --make-rslave /
    mount --rbind "$path" "$path"
    cd "$path"
    pivot_root . .
    umount -l .
    cd /
    exec "$@"' own_mounts "$root/script/${0##*/}" "$@"
}

since() { printf '%d s' "$((SECONDS - $1))"; }

# step NAME COMMAND…: runs the command with its output in a log and prints one line about it: number, name, verdict,
# seconds. On a terminal the line shows the newest line of the log meanwhile. When it fails, the log's end follows.
step() {
  local name=$1 began=$SECONDS status=0 log
  shift
  step_number=$((step_number + 1))
  mkdir -p "$log_dir"
  log=$log_dir/$(printf '%02d-%s' "$step_number" "${name//[^a-z0-9]/-}").log
  printf '[%d/%d] %-30s ' "$step_number" "$step_count" "$name"
  # A process group of its own: an interrupt reaches the command and all its children, once, from on_interrupt.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  step_group=$!
  set +m
  [[ ! -t 1 ]] || show_progress "$name" "$log" "$began"
  wait "$step_group" || status=$?
  step_group=
  if ((status == 0)); then
    printf 'ok      %6s\n' "$(since "$began")"
    return 0
  fi
  printf 'FAILED  %6s\n' "$(since "$began")"
  printf '%s\n' "--- the end of $log" >&2
  tail -n 40 "$log" >&2
  printf '%s\n' "---" >&2
  return "$status"
}

show_progress() {
  local name=$1 log=$2 began=$3 newest width
  width=$(($(tput cols 2>/dev/null || echo 100) - 52))
  ((width > 20)) || width=20
  while kill -0 "$step_group" 2>/dev/null; do
    newest=$(tail -n 1 "$log" | tr -cd '[:print:]')
    printf '\r[%d/%d] %-30s %8s  %.*s\033[K' "$step_number" "$step_count" "$name" "$(since "$began")" "$width" "$newest"
    sleep 0.5
  done
  printf '\r[%d/%d] %-30s \033[K' "$step_number" "$step_count" "$name"
}

# An attribute of the ctest report's testsuite element, which comes first.
attribute() {
  sed -n "/<testsuite\b/,/>/s/.*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1
}

# Ends the running step's process group and waits for it, so that its own clean-up has happened when we return.
end_running_step() {
  local group=$step_group
  [[ -n $group ]] || return 0
  step_group=
  kill -TERM -- "-$group" 2>/dev/null || true
  for _ in {1..100}; do
    kill -0 -- "-$group" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$group" 2>/dev/null || true
}

# on_interrupt HANDLER: Ctrl-C, TERM and HUP end the running step, call HANDLER and exit with 130.
on_interrupt() {
  # shellcheck disable=SC2064  # the handler's name is meant to be fixed now
  trap "trap '' INT TERM HUP; printf '\ninterrupted, cleaning up\n' >&2; end_running_step; $1; exit 130" INT TERM HUP
}
