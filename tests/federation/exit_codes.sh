#!/bin/sh
# Exit codes of federations that end early: 3 where a process was killed, hangs or does what the
# protocol does not allow, whenever that is; 1 where it failed by itself or never joined.
. "$TACTUS_SOURCE/tests/cli/common"
pair=$TACTUS_SOURCE/tests/cli/data/pair.yaml

# ends CODE TEXT COMMAND ARG...: a program of `federate`, before it has joined
ends() {
    code=$1 text=$2
    shift 2
    list=$(printf ', "%s"' "$@")
    expect "$code" federate "$pair" --no-lcm --set federation.timeout=2s \
        --set "federation.processes.other={command: [${list#, }]}"
    says err "$text"
}
# shellcheck disable=SC2016 # the program's own number
ends 3 "process 'other' was ended by signal 9" sh -c 'kill -KILL $$'
# shellcheck disable=SC2016
ends 3 "process 'other' was ended by signal 11" sh -c 'sleep 0.3; kill -SEGV $$'
ends 1 "process 'other' ended with exit code 7" sh -c 'exit 7'
ends 1 "process 'other' ended with exit code 0" true
ends 1 'after 2 s only 2 of 3 processes have joined' sleep 60
# shellcheck disable=SC2016 # it runs to its end and is killed then
ends 3 "process 'other' was ended by signal 9" sh -c \
    "'$TACTUS' join \$TACTUS_ADDRESS '$small' -q --duration 200ms; kill -KILL \$\$"

# A client of `serve` that is killed before the start: it may come again for as long as `timeout`.
"$TACTUS" serve "$pair" --no-lcm --address unix://s --set federation.timeout=2s >out 2>err &
server=$!
wait_for err 'listening at' || fail 'no server'
"$TACTUS" join unix://s "$pair" --name left -q >left 2>&1 &
left=$!
sleep 0.5
kill -KILL $left
wait $left 2>/dev/null
"$TACTUS" join unix://s "$pair" --name left -q >left 2>&1 &
left=$!
sleep 2.5
kill -0 $server 2>/dev/null || fail "serve ended although 'left' is there again: $(cat err)"
kill -KILL $left
wait $left 2>/dev/null
wait $server
same 'exit code of serve' $? 3
says err "the connection to 'left' was lost before the start, and it has not joined again for 2 s"
finish
