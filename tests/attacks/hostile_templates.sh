#!/bin/sh
# Rows C10 and C11. Makes small hostile root trees, one per directory below OUT, for the harness to start sandboxes from:
# in each the image has replaced something that a sandbox is set up on (/dev, /proc, /tmp, …) by a link, a file,
# a pipe or a device, in the hope that a step which runs as root follows it.
#
# Usage: hostile_templates.sh OUT PAYLOAD TARGET
#   PAYLOAD  the static program judge_own_root, placed as /bin/judge_own_root in every tree
#   TARGET   absolute path that the links point at: a canary file (with a canary directory TARGET.d beside it) that the
#            harness watches on the host and sees unchanged after every start. Nothing here touches it.
# Prints "template <name>" for each. Run by root, since some trees hold device nodes.
set -eu

[ $# -eq 3 ] || { echo "usage: $0 OUT PAYLOAD TARGET" >&2; exit 2; }
out=$1
payload=$2
target=$3
[ -x "$payload" ] || { echo "$0: $payload is not a program" >&2; exit 2; }
case $target in
  /*) ;;
  *) echo "$0: TARGET must be absolute" >&2; exit 2 ;;
esac

# One copy, linked into every tree.
mkdir -p "$out"
cp "$payload" "$out/.payload"
chmod 0755 "$out/.payload"

# An honest minimal root: every directory that a sandbox is set up on, and the payload. Sets $root.
tree() {
  root=$out/$1
  mkdir -p "$root"
  for directory in bin dev etc home/user proc root run sys tmp usr/bin var/tmp workspace; do
    mkdir -p "$root/$directory"
  done
  chmod 1777 "$root/tmp" "$root/var/tmp"
  ln "$out/.payload" "$root/bin/judge_own_root"
  printf 'root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\nuser:x:1000:\n' >"$root/etc/group"
  : >"$root/etc/resolv.conf"
  echo "template $1"
}

# replace_by KIND PATH: puts the hostile thing where the honest one was.
replace_by() {
  rm -rf "${root:?}/$2"
  case $1 in
    link) ln -s "$target" "$root/$2" ;;
    link_to_directory) ln -s "$target.d" "$root/$2" ;;
    relative_link) ln -s "../../../../../../../../../..$target" "$root/$2" ;;
    link_to_proc) ln -s /proc/self/fd "$root/$2" ;;
    loop) ln -s "$(basename "$2")" "$root/$2" ;;
    file) echo hostile >"$root/$2" ;;
    fifo) mkfifo "$root/$2" ;;
    absent) ;;
    other_device) mknod "$root/$2" c 1 5 && chmod 0666 "$root/$2" ;;
    *) echo "$0: no kind $1" >&2; exit 2 ;;
  esac
}

hostile() {
  tree "$1"
  replace_by "$2" "$3"
}

# Row C10: /dev and what lies in it.
hostile dev_is_link link_to_directory dev
hostile dev_is_relative_link relative_link dev
hostile dev_is_loop loop dev
hostile dev_is_link_to_proc link_to_proc dev
hostile dev_is_file file dev
hostile dev_is_fifo fifo dev
hostile dev_is_absent absent dev
hostile dev_null_is_link link dev/null
hostile dev_null_is_file file dev/null
hostile dev_null_is_fifo fifo dev/null
hostile dev_null_is_zero_device other_device dev/null
hostile dev_pts_is_link link_to_directory dev/pts
hostile dev_ptmx_is_link link dev/ptmx
hostile dev_console_is_link link dev/console
hostile dev_shm_is_link link_to_directory dev/shm

# Row C11: the other places.
hostile proc_is_link link_to_directory proc
hostile proc_is_file file proc
hostile proc_is_absent absent proc
hostile sys_is_link link_to_directory sys
hostile sys_is_fifo fifo sys
hostile tmp_is_link link_to_directory tmp
hostile tmp_is_file file tmp
hostile var_tmp_is_link link_to_directory var/tmp
hostile run_is_link link_to_directory run
hostile run_is_loop loop run
hostile workspace_is_link link_to_directory workspace
hostile workspace_is_file file workspace
hostile home_is_link link_to_directory home/user
hostile etc_is_link link_to_directory etc
hostile resolv_conf_is_link link etc/resolv.conf
hostile resolv_conf_is_relative_link relative_link etc/resolv.conf
hostile resolv_conf_is_fifo fifo etc/resolv.conf
hostile hosts_is_link link etc/hosts
hostile hostname_is_link link etc/hostname
hostile passwd_is_link link etc/passwd
hostile machine_id_is_link link etc/machine-id

# A whole fake procfs, for a set-up that writes to /proc without asking whether it is one.
tree proc_is_a_counterfeit
mkdir -p "$root/proc/self/attr" "$root/proc/self/fd" "$root/proc/sys/kernel" "$root/proc/1"
ln -s "$target" "$root/proc/self/uid_map"
ln -s "$target" "$root/proc/self/gid_map"
ln -s "$target" "$root/proc/self/setgroups"
ln -s "$target" "$root/proc/self/oom_score_adj"
ln -s "$target" "$root/proc/self/attr/exec"
ln -s "$target" "$root/proc/sys/kernel/core_pattern"

# Everything at once.
tree all_are_links
for path in dev proc sys tmp run workspace; do replace_by link_to_directory $path; done
replace_by link etc/resolv.conf
