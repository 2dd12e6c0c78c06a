# shellcheck shell=bash
# The virtual machine. Sourced by tests/guest/run, which declares what they share.
# shellcheck disable=SC2154

machine=

boot() {
  local limit=${COVE_GUEST_LIMIT:-1800} status=0
  say "boot $(basename "$kernel") (at most $limit s)"
  # pdeathsig: the machine does not outlive this script, however that ends. The cached images are not written to.
  setpriv --pdeathsig TERM timeout --kill-after=10 "$limit" qemu-system-x86_64 \
    -accel tcg,thread=multi -cpu max -smp 2 -m 3072 -nodefaults -no-user-config -display none -no-reboot \
    -serial stdio -monitor none -nic none \
    -kernel "$kernel" -initrd "$initrd" \
    -append "console=ttyS0 quiet panic=-1 root=/dev/vda rw init=/usr/local/sbin/guest-init cgroup_no_v1=all cove.guest" \
    -drive "file=$root_image,if=virtio,format=raw,snapshot=on" \
    -drive "file=$work/build.img,if=virtio,format=raw" \
    -drive "file=$template_image,if=virtio,format=raw,snapshot=on" \
    -drive "file=$work/results.raw,if=virtio,format=raw" \
    -drive "file=$work/quota.img,if=virtio,format=raw" \
    </dev/null > >(tee "$reports/console.log") 2>&1 &
  machine=$!
  wait "$machine" || status=$?
  machine=
  ((status != 124)) || die "the guest was ended after $limit s: see its console, build/test-logs/guest/console.log"
  ((status == 0)) || die "qemu ended with $status: see build/test-logs/guest/console.log"
}

end_machine() {
  [[ -z $machine ]] || kill -TERM "$machine" 2>/dev/null || true
}
