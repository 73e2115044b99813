#!/bin/sh
# Ctrl-C and SIGTERM stop a run at a boundary; the second one kills.
. "$TACTUS_SOURCE/tests/cli/common"

# stop SIGNAL ARG...: start a run that would take days, and stop it once it runs
stop() {
    signal=$1
    shift
    : >err
    "$TACTUS" run "$small" --duration 1000h "$@" >out 2>err </dev/null &
    pid=$!
    wait_for err '[  0.500 s]' || fail 'the run did not begin'
    kill -s "$signal" "$pid"
    wait "$pid"
    code=$?
    same "exit code after SIG$signal ($*)" "$code" 1
}

stop INT
says out 'small: stopped at ' ' of 3600000 s by SIGINT' 'boundaries'
grep -Eq '^  hash +[0-9a-f]{16}$' out || fail 'no hash in the report'
says err 'error: stopped on request'
stop TERM
says out ' by SIGTERM'
stop INT --json
is_json out
same stopped "$(value out stopped)" true
same finished "$(value out finished)" false
same status "$(value out status)" TAC_E_STOPPED
stop INT --realtime --json # while it sleeps
is_json out
same stopped "$(value out stopped)" true
stop INT --progress=always
stop INT --checkpoint-at 0.25s --checkpoint state
says out 'checkpoint         state, taken at 250 ms'

# What was reached is a whole number of boundaries: a run to there has the same hash.
stop INT --json
reached=$(value out t_us)
hash=$(value out hash)
same 'a run to where it was stopped' \
    "$(hash_of "$small" --duration 1000h --checkpoint-at "$reached us" --checkpoint mark \
        --log-level error --set duration="$reached us")" "$hash"

# The second one kills: the run hangs, as nobody reads its log.
if command -v mkfifo >/dev/null && mkfifo pipe; then
    exec 3<>pipe
    "$TACTUS" run "$small" --duration 1000h --set scheduler.rate_groups[2].period='1 ms' \
        >out 2>&3 </dev/null &
    pid=$!
    sleep 0.7
    kill -s INT "$pid"
    sleep 0.3
    kill -0 "$pid" 2>/dev/null || fail 'the first signal killed it'
    kill -s INT "$pid"
    wait "$pid"
    code=$?
    exec 3>&-
    same 'exit code after the second SIGINT' "$code" 130
fi
finish
