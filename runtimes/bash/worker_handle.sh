# shellcheck shell=bash
# The keeper's side of the worker: starting it, giving it a run, hearing how it went.
# shellcheck disable=SC2154  # channel, here and worker_locale are the keeper's

# worker_pipe VARIABLE: a pipe without a name, both ends in one descriptor.
worker_pipe() {
  local fresh
  exec {fresh}<> <(:)
  printf -v "$1" '%s' "$fresh"
}

# What the worker opens to find its way back. Not 1 and 2: those are something else while a command of the keeper's is redirected.
exec {worker_out}>&1 {worker_err}>&2

worker_start() {
  # New ones each time: what a worker that is gone has not read is not for the next.
  [[ -z ${worker_commands-} ]] || exec {worker_commands}>&- {worker_reports}>&-
  worker_pipe worker_commands
  worker_pipe worker_reports
  worker_number=0
  trap worker_interrupt INT
  set -m # a process group of its own: an interrupt is for all of its commands
  # An interactive shell complains that there is no terminal; it gets its real stderr afterwards.
  (
    [[ $worker_locale == unset ]] && unset LC_ALL || LC_ALL=$worker_locale
    exec 9>&2 2>/dev/null {channel}>&- {worker_reports}>&- {worker_out}>&- {worker_err}>&-
    COVE_KEEPER=$$ PS1='' exec bash --noprofile --norc --noediting +m -i <"/proc/$$/fd/$worker_commands" {worker_commands}>&-
  ) &
  worker=$!
  set +m
  printf '%s\n' "exec 2>&9 9>&-; COVE_DESCRIPTORS=($worker_out $worker_err $worker_reports); . ${here@Q}/worker.sh" >&"$worker_commands"
}

worker_interrupt() {
  [[ -n ${worker_running-} ]] || return 0
  worker_running=interrupted
  kill -INT -- "-$worker" 2>/dev/null
}

# worker_run CODE [STDIN]: worker_status is that of the run before. Sets worker_status, and worker_outcome to finished, interrupted or lost.
worker_run() {
  local stdin='</dev/null' before=0
  ((worker_number == 0)) || before=$worker_status
  (($# < 2)) || stdin="<<<${2@Q}"
  worker_running=yes
  worker_number=$((worker_number + 1))
  printf '%s\n' "__cove_begin ${1@Q} $before" ". ${here@Q}/cell.bash $stdin" "{ __cove_off \$?; } 2>/dev/null" "__cove_end $worker_number" >&"$worker_commands"
  worker_await
  worker_running=
  [[ $worker_outcome != lost ]] || worker_start
}

worker_await() {
  local part line='' waited=0
  while true; do
    # The time may be up in the middle of a line; what has been read of it stays read.
    if IFS= read -r -t 0.1 -u "$worker_reports" part; then
      line+=$part
      worker_status=${line#* }
      [[ ${line% *} != "$worker_number" ]] || break
      line=
      continue
    fi
    line+=$part
    if ! kill -0 "$worker" 2>/dev/null; then
      { wait "$worker"; } 2>/dev/null # where Bash tells which signal it was
      worker_status=$? worker_outcome=lost
      return
    elif [[ $worker_running == interrupted ]] && ((++waited % 5 == 0)); then
      # It may have struck while the worker was about to start a command, which then has not heard of it.
      worker_interrupt
    fi
  done
  worker_outcome=finished
  [[ $worker_running != interrupted || $worker_status == 0 ]] || worker_outcome=interrupted
}

worker_stop() {
  trap - INT
  kill -KILL -- "-$worker" 2>/dev/null
}
