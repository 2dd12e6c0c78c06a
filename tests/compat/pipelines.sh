#!/bin/sh
# The shell: pipes, early end of a reader, here-documents, named pipes, background jobs, substitution, archives.
. "$(dirname "$0")/lib.sh"
cd "$work"
check long_pipe test "$(seq 1 100000 | grep 7 | sort -r | uniq | wc -l)" = 40951
check reader_leaves_early test "$(yes | head -n 3 | wc -l)" = 3
check here_document test "$(
  cat <<TEXT
hello
TEXT
)" = hello
mkfifo pipe
echo through >pipe &
check named_pipe test "$(cat pipe)" = through
wait
for i in 1 2 3 4; do (sleep 0.1; echo "$i") >"job.$i" & done
wait
check background test "$(cat job.* | sort | tr -d '\n')" = 1234
check xargs_parallel test "$(seq 1 20 | xargs -P 4 -I{} echo {} | wc -l)" = 20
check trap_and_kill sh -c '(trap "exit 7" TERM; while :; do sleep 0.05; done) & sleep 0.2; kill $!; wait $!; test $? = 7'
mkdir tree
seq 1 1000 >tree/numbers
check tar_gzip tar -czf tree.tgz tree
check untar sh -c 'mkdir out && tar -xzf tree.tgz -C out && cmp tree/numbers out/tree/numbers'
check awk_and_sed test "$(awk '{ sum += $1 } END { print sum }' tree/numbers | sed 's/500500/right/')" = right
check find_exec test "$(find tree -type f -exec wc -l {} + | awk '{ print $1 }')" = 1000
