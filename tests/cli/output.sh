#!/bin/sh
# Where output goes, and what happens if it cannot go there.
. "$TACTUS_SOURCE/tests/cli/common"

# full ARG...: standard output has no room
full() {
    "$TACTUS" "$@" >/dev/full 2>err </dev/null
    same "exit code of 'tactus $* >/dev/full'" "$?" 3
    says err 'cannot write to standard output: No space left on device'
}
if [ -c /dev/full ]; then
    full run "$small" --log-level error
    full run "$small" --log-level error --json
    full check "$small"
    full explain "$small"
    full info
    full schema
    full help
    full help run
    full help constant
    full --version
    full info "$small"
    full info "$small" --resolved
    full check "$small" --json
    full explain "$small" --svg
    full schema -o /dev/stdout
    "$TACTUS" run "$small" -q --out a.mcap --checkpoint-at 0.5s --checkpoint state </dev/null
    full info a.mcap
    full info state
    full hash a.mcap
    full compare a.mcap a.mcap
    full replay a.mcap
    full replay a.mcap --json
    full recover a.mcap
    full export a.mcap -o a.csv
    full export a.mcap --format csv -o -
    full export a.mcap --format ulog -o -
    full export a.mcap --format lcm -o -
    [ ! -f "${PX4_LOCKSTEP_LIB:-}" ] || full px4 probe "$PX4_LOCKSTEP_LIB"
    ! command -v gnuplot >/dev/null || full plot a.mcap mass.position
    # A run that fails has its own exit code, but both are told.
    "$TACTUS" run "$data/fails.yaml" >/dev/full 2>err </dev/null
    same 'exit code of a failed run without room' "$?" 1
    says err 'is full' 'No space left on device'
fi

# Closed
"$TACTUS" explain "$small" >&- 2>err </dev/null
same 'exit code without standard output' "$?" 3
says err 'cannot write to standard output'
"$TACTUS" run "$small" --quiet >&- 2>err </dev/null # says nothing, needs nothing
same 'exit code of a quiet run without standard output' "$?" 0
"$TACTUS" run "$small" --checkpoint-at 0.5s --checkpoint state --log-level error >&- 2>err </dev/null
expect 0 info state # nothing was written into it
"$TACTUS" run "$small" -q --json >out 2>&- <&-
same 'exit code without standard input and error' "$?" 0
is_json out

# A reader that has seen enough. The pipe takes the first 64 KiB, so the text must be longer.
"$TACTUS" schema >schema.json
if [ "$(wc -c <schema.json)" -gt 65536 ]; then
    { "$TACTUS" schema 2>err; echo $? >code; } | true
    silent err
    (trap '' PIPE; "$TACTUS" schema 2>err; echo $? >code) | true
    silent err
fi

# The main output file is -o, --out, and --output in every command.
for command in $("$TACTUS" help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p'); do
    "$TACTUS" help "$command" | grep -qE '^  -o, (--out, --output|--output, --out) ' ||
        fail "the help of $command lacks -o, --out, --output"
    for option in -o --out --output; do
        "$TACTUS" "$command" "$option" 2>err >out </dev/null
        same "exit code of $command $option" "$?" 2
        says err "needs a value"
    done
done
expect 0 run "$small" --quiet --output by_output.mcap
expect 0 run "$small" --quiet --out=by_out.mcap
cmp by_output.mcap by_out.mcap || fail '--output of run is not --out'
expect 0 export by_out.mcap --output by_output.csv
expect 0 export by_out.mcap --out by_out.csv
cmp by_output.csv by_out.csv || fail '--output of export is not --out'
expect 0 check "$small" --out by_out.txt
expect 0 check "$small" --output by_output.txt
cmp by_output.txt by_out.txt || fail '--out of check is not --output'
expect 2 run "$small" --outpu x.mcap
says err "did you mean '--output'?"

# --output. Only on files of our own: as root, a mistake here could replace a device.
expect 3 schema -o nosuch/file
says err nosuch/file
mkfifo pipe
cat pipe >through &
reader=$!
expect 0 schema -o pipe
if [ -p pipe ]; then
    wait "$reader"
    cmp -s through schema.json || fail 'not all of it came through a pipe'
else
    kill "$reader"
    fail 'a pipe is replaced instead of written to'
fi
finish
