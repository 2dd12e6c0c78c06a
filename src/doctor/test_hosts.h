// What hosts of other kinds say about themselves; for tests only.
#pragma once

namespace doctor::test {

// Debian 13 on a machine: systemd, pure v2.
inline constexpr const char* kDebianMounts =
    R"(22 29 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
23 29 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw
29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro
32 22 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
71 29 254:2 / /srv/with\040blank rw,relatime shared:40 - xfs /dev/vda2 rw,attr2
)";
inline constexpr const char* kDebianControllers = "cpuset cpu io memory hugetlb pids rdma misc dmem\n";
inline constexpr const char* kDebianPassedOn = "cpu io memory pids\n";
inline constexpr const char* kDebianVersion =
    "Linux version 6.12.48+deb13-amd64 (debian-kernel@lists.debian.org) (x86_64-linux-gnu-gcc-14 (Debian "
    "14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44) #1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1\n";
inline constexpr const char* kDebianRelease = R"text(PRETTY_NAME="Debian GNU/Linux 13 (trixie)"
NAME="Debian GNU/Linux"
#a comment
VERSION_ID='13'
ID=debian
)text";

// Debian 10 with systemd's hybrid layout: controllers in v1, two of them mounted together, v2 for systemd
// only.
inline constexpr const char* kHybridMounts =
    R"(25 30 0:22 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755
26 25 0:23 / /sys/fs/cgroup/unified rw,nosuid,nodev,noexec,relatime shared:10 - cgroup2 cgroup2 rw,nsdelegate,favordynmods
27 25 0:24 / /sys/fs/cgroup/systemd rw,nosuid,nodev,noexec,relatime shared:11 - cgroup cgroup rw,xattr,name=systemd
33 25 0:29 / /sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime shared:16 - cgroup cgroup rw,memory
34 25 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid,nodev,noexec,relatime shared:17 - cgroup cgroup rw,cpu,cpuacct
35 25 0:31 / /sys/fs/cgroup/pids rw,nosuid,nodev,noexec,relatime shared:18 - cgroup cgroup rw,pids
)";

// A Docker container with default options, on a v2 host.
inline constexpr const char* kDockerMounts =
    R"(812 655 0:63 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AAAA:/var/lib/docker/overlay2/l/BBBB,upperdir=/var/lib/docker/overlay2/cc/diff,workdir=/var/lib/docker/overlay2/cc/work
813 812 0:66 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
814 812 0:67 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
816 812 0:69 / /sys ro,nosuid,nodev,noexec,relatime - sysfs sysfs ro
817 816 0:27 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate,memory_recursiveprot
820 812 254:1 /var/lib/docker/containers/0123abcd/hostname /etc/hostname rw,relatime - ext4 /dev/vda1 rw
656 813 0:66 /sys /proc/sys ro,nosuid,nodev,noexec,relatime - proc proc rw
)";
inline constexpr const char* kDockerCaps =
    "Name:\tbash\nCapInh:\t0000000000000000\nCapEff:\t00000000a80425fb\n";

// WSL 2 with its default kernel.
inline constexpr const char* kWsl2Version =
    "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f) (gcc (GCC) 11.2.0, GNU ld (GNU "
    "Binutils) "
    "2.37) #1 SMP Tue Nov 5 00:21:55 UTC 2024\n";
inline constexpr const char* kWsl2Mounts =
    R"(65 61 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro,data=ordered
82 65 0:33 / /sys rw,nosuid,nodev,noexec,noatime shared:8 - sysfs sysfs rw
87 82 0:38 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:12 - tmpfs tmpfs rw,mode=755
88 87 0:39 / /sys/fs/cgroup/unified rw,nosuid,nodev,noexec,relatime shared:13 - cgroup2 cgroup2 rw,nsdelegate
90 87 0:41 / /sys/fs/cgroup/cpu rw,nosuid,nodev,noexec,relatime shared:15 - cgroup cgroup rw,cpu
92 87 0:43 / /sys/fs/cgroup/memory rw,nosuid,nodev,noexec,relatime shared:17 - cgroup cgroup rw,memory
95 87 0:46 / /sys/fs/cgroup/pids rw,nosuid,nodev,noexec,relatime shared:20 - cgroup cgroup rw,pids
99 65 0:50 / /mnt/c rw,noatime - 9p drvfs rw,dirsync,aname=drvfs;path=C:\;uid=0;gid=0;
)";
inline constexpr const char* kWsl1Version =
    "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) "
    "#1237-Microsoft Sat "
    "Sep 11 14:32:00 PST 2021\n";

}  // namespace doctor::test
