#!/bin/sh
# The tools that look at the machine: ps, top, nproc, free, uptime, df, id, uname. They work and show this sandbox.
. "$(dirname "$0")/lib.sh"
sleep 30 &
sleeper=$!
check ps_own sh -c "ps -o pid=,comm= -p $sleeper | grep -q sleep"
check ps_all sh -c 'ps aux | grep -q "[s]leep 30"'
check top sh -c 'top -b -n1 | grep -q sleep'
check pgrep sh -c "pgrep -x sleep | grep -qx $sleeper"
kill $sleeper
check nproc test "$(nproc)" -ge 1
check same_count test "$(nproc)" = "$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')"
check free sh -c 'free -m | grep -q Mem'
check uptime uptime
check df df -h /
check id test "$(id -u)" = 1000
check user_name test -n "$(id -un)"
check uname uname -a
check hostname test -n "$(uname -n)"
check open_files test "$(python3 -c 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])')" -ge 1024
