# shellcheck shell=bash
# The guest's disks. Sourced by tests/guest/run, which declares what they share. mke2fs fills a file system from a folder, so
# nothing is ever mounted.
# shellcheck disable=SC2034,SC2154

kernel=
initrd=
root_image=
template_image=
base_digest=

cached_images() {
  local guest
  "$root/build/bin/cove" --state "$state" template build guest --recipe "$here/guest.recipe"
  guest=$(<"$state/templates/names/guest")
  base_digest=$(<"$state/templates/names/base")
  kernel=$(only "$state/templates/$guest"/root/boot/vmlinuz-*)
  initrd=$(only "$state/templates/$guest"/root/boot/initrd.img-*)
  root_image=$(cached root "$guest" "$state/templates/$guest/root")
  template_image=$(cached base "$base_digest" "$state/templates/$base_digest")
}

only() {
  [[ $# == 1 && -f $1 ]] || die "expected one file, found: $*"
  echo "$1"
}

# cached NAME DIGEST FOLDER: the image of a folder that its digest identifies, made by this version of this file; others of
# that name go away.
cached() {
  local maker image
  maker=$(sha256sum <"$here/images.sh")
  image=$state/guest/$1-${2:0:12}-${maker:0:8}.img
  if [[ ! -f $image ]]; then
    rm -f "$state/guest/$1"-*.img
    folder_image "$3" "$work/new.img" 24G
    mv "$work/new.img" "$image"
  fi
  echo "$image"
}

# folder_image FOLDER FILE SPARE: an ext4 image with the folder's content and that much room.
folder_image() {
  local bytes
  bytes=$(du -s --apparent-size --block-size=1 "$1" | cut -f 1)
  truncate -s "$((bytes + bytes / 2))" "$2"
  truncate -s "+$3" "$2"
  mke2fs -q -t ext4 -m 0 -E lazy_itable_init=1,lazy_journal_init=1,root_owner=0:0 -d "$1" "$2" >&2
}

# What the tests need of this checkout, which the guest mounts at the same path: test programs have paths built in.
build_image() {
  local folder=$work/build only_tests=$2
  mkdir "$folder"
  tar -C "$root" -c --exclude='*_fuzz' --exclude=CMakeFiles --exclude='*.a' --exclude='*.o' --exclude='.ninja*' --exclude='*-logs' \
    --exclude=logs build script src templates tests | tar -C "$folder" -x
  missing_libraries "$folder/build/lib"
  {
    printf 'guest_root=%q\n' "$root"
    printf 'guest_state=%q\n' "$state"
    printf 'guest_digest=%q\n' "$base_digest"
    printf 'guest_python=%q\n' "$(sed -n 's/.*Python3_EXECUTABLE[^=]*=//p' "$root/build/CMakeCache.txt" | head -n 1)"
    printf 'guest_only=%q\n' "$only_tests"
    printf 'guest_time=%q\n' "@$(date +%s)"
  } >"$folder/guest.env"
  folder_image "$folder" "$1" 256M
  rm -rf "$folder"
}

# An empty file system on which directories can have quotas.
quota_image() {
  truncate -s 2G "$1"
  mke2fs -q -t ext4 -m 0 -O quota,project -E quotatype=prjquota,lazy_itable_init=1 "$1"
}

# Libraries that the build links and the guest's release does not have under that name.
missing_libraries() {
  local name path
  mkdir "$1"
  ldd "$root"/build/bin/cove "$root"/build/bin/*_test | awk '$2 == "=>" { print $1, $3 }' | sort -u | while read -r name path; do
    compgen -G "$state/templates/$(<"$state/templates/names/guest")/root/usr/lib/x86_64-linux-gnu/$name" >/dev/null || cp -L "$path" "$1/"
  done
}
