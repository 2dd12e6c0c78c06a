# shellcheck shell=bash
# What the worker defines before it runs anything of the user's.
#
# It tells the keeper through paths, so that no command inherits a descriptor. A run is a script that is read with `.`: there, an interactive shell says
# nothing about jobs and terminals. What ends a run early (exit, set -e, an interrupt) sets a DEBUG trap that makes each function, and at last the script,
# return before its next command: the state stays, and a run that does not end early pays nothing.
# shellcheck disable=SC2153  # they come from the keeper
__cove_out=/proc/$COVE_KEEPER/fd/${COVE_DESCRIPTORS[0]} __cove_err=/proc/$COVE_KEEPER/fd/${COVE_DESCRIPTORS[1]}
__cove_report=/proc/$COVE_KEEPER/fd/${COVE_DESCRIPTORS[2]}
unset COVE_KEEPER COVE_DESCRIPTORS HISTFILE PROMPT_COMMAND
PS1='' PS2=''
export -n PS1 # it came in the environment
BASH_ARGV0=bash
set +o history +H
shopt -u checkwinsize
# Options of the user's that would trouble the commands between two runs. They are taken off after a run and put back in the next.
__cove_troubling=(errexit nounset verbose noglob noclobber noexec xtrace)
__cove_kept=

# __cove_begin CODE STATUS: the status is that of the run before.
__cove_begin() {
  builtin unset __cove_exited
  __cove_status=$2
  __cove_code=$__cove_kept$1
  builtin trap '__cove_leave 130' INT # the user's own trap for it lasts for its run only
}

# What $? is when the code begins. Putting options back makes it 0 again: there is no way to do so that keeps it.
__cove_recall() {
  builtin return "$__cove_status"
}

# __cove_off STATUS: called with stderr to nowhere, because of xtrace.
__cove_off() {
  builtin local option
  __cove_status=${__cove_exited-$1}
  __cove_kept=${__cove_errexit+"builtin set -o errexit; "}
  builtin unset __cove_errexit
  for option in "${__cove_troubling[@]}"; do
    if [[ :$SHELLOPTS: == *:$option:* ]]; then
      __cove_kept+="builtin set -o $option; "
      builtin set +o "$option"
    fi
  done
}

# __cove_end NUMBER
__cove_end() {
  builtin trap : INT
  exec >"$__cove_out" 2>"$__cove_err" # whatever the run did to them
  builtin printf '%d %d\n' "$1" "$__cove_status" >"$__cove_report"
}

# __cove_leave STATUS: what runs, returns.
__cove_leave() {
  [[ -z ${__cove_exited-} ]] || builtin return 0 # it is leaving already
  __cove_exited=$1
  __cove_debug=$(builtin trap -p DEBUG)
  __cove_traced=$-
  builtin shopt -s extdebug # and with it functrace: functions have the trap, too
  builtin trap __cove_unwind DEBUG
}

# Before each command: 2 means return. Outside of the run there is nothing to return from, and this has done its work.
__cove_unwind() {
  [[ ${FUNCNAME[*]} != *source* ]] || builtin return 2
  builtin trap - DEBUG
  builtin shopt -u extdebug # and with it errtrace and functrace
  builtin set -E
  [[ $__cove_traced != *T* ]] || builtin set -T
  builtin eval "$__cove_debug"
  builtin return 0
}

# exit ends the run, and a subshell as ever.
exit() {
  builtin local status=$?
  [[ $BASHPID == "$$" ]] || builtin exit "${1-$status}"
  __cove_leave $((${1-$status} & 255))
}

# set -e would end the worker, and with it the state. Bash looks at the option after this trap; it is put back in the next run.
__cove_failed() {
  builtin local status=$?
  if [[ $- == *e* && $BASHPID == "$$" ]]; then
    builtin set +e
    __cove_errexit=yes
    __cove_leave "$status"
  fi
}

set -E # in functions, too
trap __cove_failed ERR
