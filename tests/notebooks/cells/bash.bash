# %% variables outlive their cell
name=Ada
declare -i number=6
readonly fixed=constant

# %% and are used
echo "$name is $((number * 7)), $fixed"

# %% integer attributes stay
number+=1
echo "$number"

# %% exported variables reach children, others do not
export SHOWN=yes
hidden=no
bash -c 'echo "${SHOWN-unset} ${hidden-unset}"'

# %% arrays
list=(one "two words" three)
list+=(four)
unset 'list[0]'
printf '<%s>' "${list[@]}"; echo " ${#list[@]} ${!list[*]}"

# %% associative arrays
declare -A age=([Ada]=36 [Bob]=40)
age[Eve]=1
echo "${age[Ada]} ${#age[@]}"

# %% functions, with local variables and a status
greet() {
  local name=${1:-nobody}
  echo "hello, $name"
  return 3
}

# %% the status of a run is that of its last command
greet Bob

# %% the last status is known to the next run
echo "status $?"; greet; echo "$name"

# %% so is that of a run that ends in an error of its own
(exit 9)

# %% and it counts as any other status
[[ $? -eq 9 ]] && echo nine

# %% aliases
shopt -s expand_aliases
alias hi='echo alias'

# %% an alias is used in a later cell
hi there

# %% the working directory outlives its cell
mkdir -p ~/work && cd ~/work

# %% it is still there
pwd; echo "$OLDPWD"; dirs

# %% a file from a here-document, with and without expansion
cat >notes.txt <<END
name $name
END
cat >>notes.txt <<'END'
name $name
END
cat notes.txt

# %% a here-string and process substitution
read -r one two <<<"first second"
diff <(echo "$one") <(echo "$two")

# %% loops, conditions, case, arithmetic
for ((i = 0; i < 3; i++)); do
  case $i in
    0) echo zero ;;
    *) [[ $i -gt 1 ]] && echo "more: $i" ;;
  esac
done
while read -r word; do echo "[$word]"; done < <(printf 'a\nb\n')

# %% pipelines, and the status of each part
echo abc | tr a-z A-Z | rev
true | false | true
echo "${PIPESTATUS[*]}"

# %% both streams, each in its order
echo out 1; echo err 1 >&2; echo out 2; echo err 2 >&2

# %% a subshell changes nothing of this shell
(name=other; cd /; echo "inside $name $PWD")
echo "outside $name $PWD"

# %% a command that does not exist
no-such-command --help

# %% a file that is not there
cat no-such-file

# %% a command that a signal kills
bash -c 'kill -TERM $$'

# %% set -e ends the run at the first failure, not the context
set -e
echo before
false
echo never

# %% it is still set
echo "$-" | grep -c e; false; echo never

# %% set +e takes it back
set +e
false
echo after

# %% set -u: an unset variable is an error
set -u
echo "start"
echo "$no_such_variable"
echo never

# %% a variable that is needed says so
: "${no_such_variable:?is needed}"
echo never

# %% the context is still there
set +u
echo "[$no_such_variable] $name"

# %% pipefail
set -o pipefail
false | true

# %% options that were set stay set
shopt -qo pipefail && echo on && set +o pipefail
false | true

# %% shopt: patterns
shopt -s nullglob extglob
touch a.txt b.txt c.md
echo *.none !(*.txt|*.md) *.txt

# %% quoting, unicode, bytes
printf '%s\n' "naïve 日本語 🧪" 'single $name' $'tab\there'
printf '\xff\xfe\n'
echo "${#name} ${name^^} ${name/A/I}"

# %% background jobs are waited for
sleep 0.05 &
first=$!
(exit 4) &
wait $first; echo "first $?"
wait $!; echo "second $?"

# %% a job outlives its cell
(until [[ -e go ]]; do sleep 0.01; done; echo done >job.txt) &
job=$!
jobs -p | wc -l

# %% and is found in the next
touch go
wait "$job"; cat job.txt

# %% a trap for a signal
trap 'echo "caught USR1"' USR1
kill -USR1 $$
trap - USR1
echo "after the trap"

# %% a trap of a subshell at its end
(trap 'echo "leaving with $?"' EXIT; exit 2)

# %% exit ends the run with its status, and not the context
echo leaving
exit 7
echo never

# %% in a function, too
leave() { exit 8; }
leave
echo never

# %% the state is as before
echo "$name ${#list[@]} $PWD"; greet >/dev/null

# %% a syntax error: nothing of the cell is run
echo first
if then
fi

# %% standard input is what was given
read -r line; echo "read: $line"; cat

# %% command substitution, arithmetic, default values
files=$(ls *.txt | wc -l)
echo "$files $((16#ff)) ${unset_one:-default} ${name:+set}"

# %% printf -v, mapfile, and sorting
printf -v padded '%05d' 42
mapfile -t lines < <(printf 'b\na\n' | sort)
echo "$padded ${lines[*]}"

# %% xtrace goes to stderr
set -x
echo "$number" >/dev/null
set +x

# %% redirections of the whole shell last for their run only
exec >~/work/captured.txt
echo captured

# %% the next run has its streams back
cat ~/work/captured.txt

# %% a package is installed from a wheelhouse, and its program found
pip install --quiet --no-index --find-links /workspace cove-tiny && command -v cove-tiny && cove-tiny

# %% much output is cut and counted
for i in {10000..49999}; do echo "$i"; done

# %% a run of a shell that ends itself says that its state is gone
builtin exit 9

# %% a new shell has nothing of it
echo "[${name-gone}] $PWD"

# %% set -e and set -u together end the shell at an unset variable, as they end a script
set -eu
echo "$no_such_variable"
echo never

# %% and the next run begins anew
set -o | grep -c 'errexit.*on'
