#!/usr/bin/env bash
# A Bash context: bash start.sh, with COVE_CHANNEL in the environment.
#
# Two shells. This one, the keeper, owns the channel. The other, the worker, keeps the user's state and reads the commands to run from a pipe that the keeper
# writes; it never has the channel, nor any other descriptor that its commands could inherit. The worker is an interactive shell without a terminal:
# only such a one goes back to its next command, instead of ending, when a run is interrupted or exits.
set -u
# shellcheck source-path=SCRIPTDIR
here=${BASH_SOURCE[0]%/*}
# shellcheck source=json.sh
. "$here/json.sh"
# shellcheck source=worker_handle.sh
. "$here/worker_handle.sh"
channel=$COVE_CHANNEL
unset COVE_CHANNEL
# shellcheck disable=SC2031  # a subshell of another file sets it for itself
worker_locale=${LC_ALL-unset}
LC_ALL=C # lengths are in bytes
readonly protocol=1 max_payload=$((4 << 20))
execution=0
told=0 seen=0
is_strict= # see ends_at_once

# say VERB PAYLOAD
say() {
  printf '%s %d %d\n%s' "$1" "$execution" "${#2}" "$2" >&"$channel"
}

# tell EVENT: a bundle, in as many messages as it needs, and the wait until it was passed on.
tell() {
  local bundle=${#1}$'\n'$1
  while ((${#bundle} > max_payload)); do
    say part "${bundle:0:max_payload}"
    bundle=${bundle:max_payload}
  done
  say event "$bundle"
  told=$((told + 1))
  while ((seen > 0 && seen < told)); do
    receive || return
  done
}

# receive: the next message in verb, execution_told and payload. Fails when the other side has hung up.
receive() {
  local length
  IFS=' ' read -r -u "$channel" verb execution_told length || return 1
  payload=
  if ((length > 0)); then
    IFS= read -r -d '' -N "$length" -u "$channel" payload || return 1
  fi
  [[ $verb != seen ]] || seen=$((seen + 1))
}

# run_cell PAYLOAD: from the code to `done`.
run_cell() {
  json_fields "$1"
  if [[ ${json_purpose-} == check ]]; then
    tell "{\"type\":\"completeness\",\"status\":\"$(completeness "${json_code-}")\"}"
    finish 0
    return
  fi
  if ! check_syntax "${json_code-}"; then
    worker_status=2
    finish 2
    return
  fi
  ! ends_at_once "${json_code-}" || json_code="{ $json_code"$'\n}'
  worker_run "${json_code-}" ${json_stdin+"${json_stdin%$'\n'}"} # a here-string ends with a newline of its own
  case $worker_outcome in
    interrupted) tell_error KeyboardInterrupt "the execution was interrupted" ;;
    lost)
      is_strict=
      tell_notice "the shell has ended (status $worker_status); variables, functions and options are gone, the next run begins in a new one"
      ;;
  esac
  finish "$worker_status"
}

finish() {
  local word=ok
  (($1 == 0)) || word=error
  say "done" "{\"status\":\"$word\",\"exit_code\":$1}"
}

tell_notice() {
  json_string "$1"
  tell "{\"type\":\"notice\",\"text\":$json_text}"
}

# tell_error NAME VALUE
tell_error() {
  local value
  json_string "$2"
  value=$json_text
  json_string "$1: $2"
  tell "{\"type\":\"error\",\"name\":\"$1\",\"value\":$value,\"traceback\":$json_text}"
}

# parse CODE: what Bash's parser says of it; fails when it understands nothing.
parse() {
  BASH_ENV='' bash --norc -n -O extglob <<<"$1" 2>&1 {channel}>&-
}

# completeness CODE: whether it is a whole run; nothing of it is run.
completeness() {
  local message parsed=0
  message=$(parse "$1") || parsed=$?
  if [[ $message == *'unexpected end of file'* || $message == *'unexpected EOF'* || $message == *'delimited by end-of-file'* || $1 == *\\ ]]; then
    echo incomplete
  elif ((parsed == 0)); then
    echo complete
  else
    echo invalid
  fi
}

# check_syntax CODE: nothing of code that is not understood is run, and Bash's parser stumbles in the worker after an error.
check_syntax() {
  local message
  if ! message=$(parse "$1"); then
    tell_error SyntaxError "${message//bash: /}"
    return 1
  fi
}

# ends_at_once CODE: whether it is to be run as one command. An unset variable under set -u, and ${name:?}, end a script; an interactive shell gives up
# the command only and goes on with the next. What is read as a whole cannot begin with an option or alias for what follows, so that is left as it is.
ends_at_once() {
  local sign='nounset|set +-[a-zA-Z]*u|[$][{][^}]*[?]'
  [[ ! $1 =~ $sign ]] || is_strict=yes
  [[ -n $is_strict && $1 != *extglob* && $1 != *alias* ]] && parse "{ $1"$'\n}' >/dev/null
}

main() {
  worker_start
  say ready "{\"language\":\"bash\",\"version\":\"${BASH_VERSION%%(*}\",\"protocol\":$protocol}"
  told=1
  while receive; do
    [[ $verb == execute ]] || continue # an acknowledgement, or of a later protocol
    execution=$execution_told
    run_cell "$payload"
    execution=0
  done
  worker_stop
}

main
