#!/bin/sh
# Ctrl-C and SIGTERM stop a run at a boundary; the second one kills.
. "$TACTUS_SOURCE/tests/cli/common"

# await PID SECONDS: its exit code; a run that does not end is killed, so that it does not outlive the
# test. The watchdog ends by itself: a shell that is killed young may run the traps of its parent.
await() {
    (
        tries=0
        until [ -e "ended.$1" ]; do
            tries=$((tries + 1))
            if [ "$tries" -gt $(($2 * 10)) ]; then
                kill -s KILL "$1"
                break
            fi
            sleep 0.1
        done
    ) >/dev/null 2>&1 &
    watchdog=$!
    wait "$1"
    code=$?
    : >"ended.$1"
    wait "$watchdog"
}

# stop SIGNAL TIME ARG...: start a run that would take days, and stop it once it has reached TIME
stop() {
    signal=$1
    time=$2
    shift 2
    : >err
    "$TACTUS" run "$small" --duration 1000h "$@" >out 2>err </dev/null &
    pid=$!
    wait_for err "[  $time s]" || fail 'the run did not begin'
    kill -s "$signal" "$pid"
    await "$pid" 6
    same "exit code after SIG$signal ($*)" "$code" 1
}

stop INT 0.500
says out 'small: stopped at ' ' of 3600000 s by SIGINT' 'boundaries'
grep -Eq '^  hash +[0-9a-f]{16}$' out || fail 'no hash in the report'
says err 'error: stopped on request'
stop TERM 0.500
says out ' by SIGTERM'
stop INT 0.500 --json
is_json out
same stopped "$(value out stopped)" true
same finished "$(value out finished)" false
same status "$(value out status)" TAC_E_STOPPED
stop INT 0.500 --realtime --json # while it sleeps
is_json out
same stopped "$(value out stopped)" true
stop INT 0.000 --realtime=0.0001 # and would go on sleeping for 10 s
stop INT 0.500 --progress=always
stop INT 0.500 --checkpoint-at 0.25s --checkpoint state
says out 'checkpoint         state, taken at 250 ms'

# What was reached is whole: a run that ends there has the same hash. (Every instant must be a
# boundary of everything, as the end of a run is.)
set -- --set 'plant.integrator.h_max=2 ms' --set 'links[0].delay=8 ms'
stop INT 0.500 --json "$@"
reached=$(value out t_us)
hash=$(value out hash)
same 'a run to where it was stopped' "$(hash_of "$small" "$@" --duration "$reached us")" "$hash"

# The second one kills: the run hangs, as nobody reads its log.
if command -v mkfifo >/dev/null && mkfifo pipe; then
    exec 3<>pipe
    "$TACTUS" run "$small" --duration 1000h --set scheduler.rate_groups[2].period='1 ms' \
        >out 2>&3 </dev/null &
    pid=$!
    sleep 1.5
    kill -s INT "$pid"
    sleep 0.5
    kill -0 "$pid" 2>/dev/null || fail 'the first signal killed it'
    kill -s INT "$pid"
    await "$pid" 6
    exec 3>&-
    same 'exit code after the second SIGINT' "$code" 130
fi
finish
