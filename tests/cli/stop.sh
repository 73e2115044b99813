#!/bin/sh
# Signals stop a run at a boundary, and its recording is whole; a run that does not get there is
# killed by another one.
. "$TACTUS_SOURCE/tests/cli/common"

# await PID SECONDS: sets `code` to the exit code; a run that does not end is killed, so that it does
# not outlive the test. The watchdog ends by itself: a shell that is killed young may run the traps of its parent.
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

# asleep PID: wait until the main thread of a run waits for something else than a processor (the
# compressor threads of a recording wake up all the time)
asleep() {
    [ -r "/proc/$1/stat" ] || sleep 1.5
    looks=0
    tries=0
    while [ "$looks" -lt 5 ] && [ -r "/proc/$1/stat" ]; do
        sleep 0.1
        looks=$((looks + 1))
        tries=$((tries + 1))
        if sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | grep -q '^[RD]'; then
            looks=0
        fi
        if [ "$tries" -ge 600 ]; then
            fail 'the run does not wait for its output'
            break
        fi
    done
}

# stop SIGNAL TIME ARG...: start a run that would take days, and stop it once it has reached TIME
stop() {
    signal=$1
    time=$2
    shift 2
    : >err
    "$TACTUS" run "$small" --duration 1000h "$@" >out 2>err </dev/null &
    pid=$!
    wait_for err " ${time}000 s]" || fail 'the run did not begin'
    kill -s "$signal" "$pid"
    await "$pid" 60
    case $signal in
    HUP) number=1 ;;
    INT) number=2 ;;
    PIPE) number=13 ;;
    TERM) number=15 ;;
    XCPU) number=24 ;;
    esac
    same "exit code after SIG$signal ($*)" "$code" $((128 + number))
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
stop INT 0.000 --realtime=0.00001 # and would go on sleeping for 100 s
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

# Whatever stops it, the recording is closed.
for signal in INT TERM HUP XCPU PIPE; do
    rm -f stopped.mcap
    stop "$signal" 0.500 --out stopped.mcap
    says out " by SIG$signal"
    expect 0 info stopped.mcap --json
    same "whole after SIG$signal" "$(value out whole)" true
done

# Nobody reads the log any more.
rm -f stopped.mcap
timeout 20 "$TACTUS" run "$small" --duration 1000h --out stopped.mcap 2>&1 >out </dev/null |
    head -n 1 >first
says first position
expect 0 info stopped.mcap --json
same 'whole after | head' "$(value out whole)" true

# What the parent ignores is ignored: nohup.
rm -f stopped.mcap
: >err
(
    trap '' HUP
    exec "$TACTUS" run "$small" --duration 1000h --out stopped.mcap >out 2>err </dev/null
) &
pid=$!
wait_for err " 0.500000 s]" || fail 'the run did not begin'
kill -s HUP "$pid"
sleep 0.3
kill -0 "$pid" 2>/dev/null || fail 'SIGHUP stopped a run that ignores it'
kill -s TERM "$pid"
await "$pid" 60

if command -v mkfifo >/dev/null && mkfifo pipe slow; then
    # A finished run is closing its recording, which nobody reads yet: signals wait.
    exec 3<>slow
    "$TACTUS" run "$small" --set record='{tier: all, compression: none, rate: 10 kHz}' \
        --out slow >out 2>err </dev/null 3>&- &
    pid=$!
    wait_for err '[  0.750000 s]' || fail 'the run did not come to its end'
    asleep "$pid"
    for signal in TERM INT HUP TERM; do
        kill -s "$signal" "$pid"
        sleep 0.4
    done
    kill -0 "$pid" 2>/dev/null || fail 'it was killed while it closed its recording'
    exec 4<slow 3>&-
    cat <&4 >slow.mcap &
    reader=$!
    exec 4<&-
    await "$pid" 60
    wait "$reader"
    same 'exit code of a run that was finished' "$code" 0
    says out 'small: finished at'
    says err closing
    expect 0 info slow.mcap --json
    same 'whole after signals while closing' "$(value out whole)" true
    same 'finished' "$(value out finished)" true

    # A run that hangs, as nobody reads its log: another signal kills it, but not at once.
    exec 3<>pipe
    "$TACTUS" run "$small" --duration 1000h --set scheduler.rate_groups[2].period='1 ms' \
        --out hung.mcap >out 2>&3 </dev/null &
    pid=$!
    asleep "$pid"
    kill -s INT "$pid"
    sleep 0.2
    kill -s INT "$pid"
    sleep 0.3
    kill -0 "$pid" 2>/dev/null || fail 'the first signals killed it'
    sleep 1
    kill -s INT "$pid" # killed though nobody reads what it says
    await "$pid" 60
    exec 3>&-
    same 'exit code after another SIGINT' "$code" 130
    expect 0 recover hung.mcap --out saved.mcap
    expect 0 info saved.mcap --json
    same 'whole, once recovered' "$(value out whole)" true
fi
finish
