#!/bin/sh
# Recordings: made, looked at, replayed, killed, cut short, and all that can be wrong with them.
. "$TACTUS_SOURCE/tests/cli/common"

# with TEXT: the small simulation and these lines, in with.yaml
with() {
    { cat "$small"; printf '%s\n' "$@"; } >with.yaml
}

# --- made and replayed ----------------------------------------------------------------------------

whole=$(hash_of "$small")
for tier in replay log all; do
    for compression in none lz4 zstd; do
        with "record: {tier: $tier, compression: $compression, states: 300 ms}"
        expect 0 run with.yaml -q --json --out a.mcap --force
        is_json out
        same "hash with $tier, $compression" "$(value out hash)" "$whole"
        expect 0 run with.yaml -q --out b.mcap --force
        cmp -s a.mcap b.mcap || fail "two recordings of one run differ: $tier, $compression"
        expect 0 replay a.mcap --json
        is_json out
        same "replay of $tier, $compression" "$(value out hash_match)" true
        same boundaries "$(value out boundaries_compared)" 501
        same t_us "$(value out t_us)" 1000000
    done
done
expect 0 info a.mcap
silent err
says out 'recording of small' "$whole" /wave /mass
expect 0 info a.mcap --json
is_json out
same 'hash of a recording' "$(value out hash)" "$whole"
same whole "$(value out whole)" true

# What is shown of the log does not change what is recorded.
with 'log: {level: info}' 'record: {tier: replay}'
expect 0 run with.yaml --out shown.mcap
[ -s err ] || fail 'nothing was logged'
for wish in -q '--log-level error' '--log-level debug' --json; do
    expect 0 run with.yaml $wish --out wish.mcap --force
    cmp -s shown.mcap wish.mcap || fail "another recording with $wish"
done

# A part of it begins with the nearest state.
expect 0 replay a.mcap --json --from 0.65s --to 0.8s
is_json out
same 'start of a part' "$(value out t_start_us)" 600000
same 'end of a part' "$(value out t_us)" 800000
same 'a part' "$(value out hash_match)" true
same 'boundaries of a part' "$(value out boundaries_compared)" 100

# A replay can be recorded, and that be replayed.
expect 0 replay a.mcap --out c.mcap
expect 0 replay c.mcap --json
same 'replay of a replay' "$(value out hash_match)" true

# Other integrators are no mistake, but say so.
expect 0 replay a.mcap --json --integrator rk45:1e-9,euler --reference tight
is_json out
same 'another integrator' "$(value out hash_match)" false
same model_changed "$(value out model_changed)" false

# From a checkpoint
with 'record: {tier: replay}'
expect 0 run with.yaml -q --checkpoint-at 0.4s --checkpoint state
expect 0 run with.yaml -q --json --from state --out d.mcap
same 'hash from a checkpoint' "$(value out hash)" "$whole"
expect 0 replay d.mcap --json
same 'replay from a checkpoint' "$(value out hash_match)" true
same 'its start' "$(value out t_start_us)" 400000

# What the scenario set before the checkpoint is there from the first instant on.
flight=$TACTUS_SOURCE/examples/iris_mission.yaml
expect 0 run "$flight" -q --duration 4s --checkpoint-at 3s --checkpoint flying
expect 0 run "$flight" -q --duration 4s --from flying --out later.mcap
expect 0 export later.mcap --format csv --signals scenario.mode --out -
same 'what holds at the start' "$(sed -n 2p out)" '3.000000,mission'
expect 0 replay later.mcap --json
same 'replay of it' "$(value out hash_match)" true

# It ends where the simulation does.
expect 0 replay a.mcap --json --set duration='300 ms'
same 'its end with another duration' "$(value out t_us)" 300000

# --- another model --------------------------------------------------------------------------------

expect 0 replay a.mcap --json --set components.mass.params.mass='2 kg'
is_json out
same 'a parameter that was asked for' "$(value out hash_match)" false
same 'is marked' "$(value out model_changed)" true
says out model_differences 'mass'

# --- the table that grows -------------------------------------------------------------------------

expect 0 run "$small" -q --json --csv live.csv --out e.mcap
same 'hash with a table' "$(value out hash)" "$whole"
same 'rows of the table' "$(wc -l <live.csv)" 102
same 'lines of another length' \
    "$(awk -F, 'NR == 1 { n = NF } NF != n' live.csv | wc -l | tr -d ' ')" 0
case $(head -n 1 live.csv) in
't [s],wave.y [N],'*) ;;
*) fail "the table begins with $(head -n 1 live.csv)" ;;
esac
expect 3 run "$small" -q --csv nosuch/live.csv
says err nosuch/live.csv

# --- long runs ------------------------------------------------------------------------------------

# What a run stores besides its samples does not grow with its length.
cat >long.yaml <<'END'
duration: 1000000000 s
scheduler: {rate_groups: [{name: g, period: 500000 s, components: [n]}]}
components: {n: {type: counter}}
record: {rate: 1000000 s}
END
expect 0 run long.yaml -q --out long.mcap
bytes=$(wc -c <long.mcap)
[ "$bytes" -lt 3000000 ] || fail "a recording of 1e9 s has $bytes bytes"
expect 0 replay long.mcap --json --from '500000000 s'
same 'a state in the middle' "$(value out t_start_us)" 500000000000000
expect 0 run long.yaml -q --duration 60s --set 'scheduler.rate_groups[0].period=1 s' \
    --set 'record.rate=1 s' --out short.mcap
expect 0 replay short.mcap --json --from '39 s'
same 'states of a short run' "$(value out t_start_us)" 30000000

# --- killed ---------------------------------------------------------------------------------------

# killed SIZE: a run that dies when its file has so many bytes
killed() {
    rm -f killed.mcap clean.mcap
    with 'record: {tier: all, flush: 50 ms, states: 1 s}'
    "$TACTUS" run with.yaml -q --duration 100000s --out killed.mcap 2>/dev/null &
    pid=$!
    tries=0
    while [ "$(cat killed.mcap 2>/dev/null | wc -c)" -lt "$1" ] && [ "$tries" -lt 3000 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    expect 0 info killed.mcap
    says out 'CUT OFF' 'tactus recover'
    expect 0 info killed.mcap --json
    is_json out
    same 'whole, though it was killed' "$(value out whole)" false
    complete=$(value out t_complete_us)
    expect 0 recover killed.mcap --out clean.mcap
    says out 'cut off' clean.mcap
    expect 0 info clean.mcap --json
    same 'whole, once recovered' "$(value out whole)" true
    [ "$complete" -eq "$(value out t_us)" ] || {
        expect 0 info clean.mcap
        says out 'complete up to' recovered
        shown=$(sed -n 's/.*complete up to *\(.*\): .*/\1/p' out)
        expect 0 replay clean.mcap --to '20 ms'
        says out "complete up to $shown"
    }
    expect 0 info clean.mcap --json
    same 'complete, once recovered' "$(value out t_complete_us)" "$complete"
    [ "$complete" -gt 0 ] || fail "nothing is complete after $1 bytes"
    for file in killed.mcap clean.mcap; do
        expect 0 replay "$file" --json
        same "replay of $file, $1 bytes" "$(value out hash_match)" true
        same "its end" "$(value out t_us)" "$complete"
    done
}
for size in 30000 300000 3000000; do
    killed "$size"
done

# Cut anywhere
size=$(wc -c <a.mcap)
for n in 8 100 3000 $((size / 2)) $((size - 9)) $((size - 1)); do
    head -c "$n" a.mcap >cut.mcap
    "$TACTUS" info cut.mcap >out 2>err
    code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail "info of $n bytes: exit code $code"
    "$TACTUS" replay cut.mcap >out 2>err
    code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail "replay of $n bytes: exit code $code"
done
head -c 3000 a.mcap >cut.mcap
expect 3 replay cut.mcap
says err 'cut off'

# --- a full disk ----------------------------------------------------------------------------------

with 'record: {tier: all, flush: 50 ms, compression: none}'
(
    trap '' XFSZ
    ulimit -f 600
    "$TACTUS" run with.yaml -q --duration 1000s --out full.mcap >out 2>err
    echo $? >code
)
same 'exit code with a full disk' "$(cat code)" 3
says err full.mcap 'too large'
expect 0 info full.mcap
says out 'CUT OFF'
expect 0 replay full.mcap --json
same 'replay of what a full disk holds' "$(value out hash_match)" true
if [ -w /dev/full ]; then
    expect 3 run "$small" -q --out /dev/full
    says err /dev/full 'No space left'
    expect 3 run "$small" -q --csv /dev/full
    says err /dev/full 'No space left'
fi

# --- refused --------------------------------------------------------------------------------------

expect 3 replay nosuch.mcap
says err "cannot read 'nosuch.mcap'"
expect 3 replay "$small"
says err 'not an MCAP file'
expect 3 recover "$small"

# Nothing is written over what is read, whatever it is called.
cp "$small" mine.yaml
ln -s a.mcap link.mcap
cp a.mcap before.mcap
for name in a.mcap ./a.mcap link.mcap; do
    expect 2 replay a.mcap --out "$name"
    says err "'$name' is a file that is read"
    expect 2 recover a.mcap --out "$name"
    expect 2 export a.mcap --format csv --out "$name"
done
cmp -s a.mcap before.mcap || fail 'a recording was written over'
for option in --out --csv; do
    expect 2 run mine.yaml -q "$option" ./mine.yaml
    expect 2 run mine.yaml -q --from state "$option" ./state
done
cmp -s "$small" mine.yaml || fail 'a configuration was written over'
expect 2 run mine.yaml -q --out both --csv both
says err "'both'"

expect 3 run "$small" -q --out nosuch/a.mcap
says err nosuch/a.mcap
expect 2 replay a.mcap --from 2s
says err 'it ends at 1 s'
expect 2 replay a.mcap --from 0.5s --to 0.4s
expect 2 replay a.mcap --integrator rk44
says err "unknown word 'rk44'" "did you mean 'rk4'"
expect 2 replay a.mcap --integrator rk45:fast
says err 'positive tolerance'
expect 2 replay a.mcap --integrator rk4,euler --out x.mcap

# A section that makes no sense is refused by `check` as by `run`, where it is wrong.
for command in check 'run -q --out x.mcap'; do
    with 'record:' '  rules:' '    - {signals: mass.positoin, every: 2}'
    expect 2 $command with.yaml
    says err 'with.yaml:23:' "no signal matches 'mass.positoin'" "did you mean 'mass.position'" '^'
    with 'record:' '  rules:' '    - {signals: mass.*, rate: 10 Hz, every: 2}'
    expect 2 $command with.yaml
    says err 'with.yaml:23:' 'one of rate, every, when and never'
    with 'record:' '  rules:' '    - {signals: mass.*}'
    expect 2 $command with.yaml
    says err 'with.yaml:23:' 'needs one of rate, every, when and never'
    with 'record:' '  rules:' '    - {signals: mass.*, rate: 10 Hz, before: 1 s}'
    expect 2 $command with.yaml
    says err 'with.yaml:23:' 'before and after need when'
    with 'record:' '  rules:' '    - {signals: mass.*, when: mass.position >}'
    expect 2 $command with.yaml
    says err 'with.yaml:23:'
    with 'record:' '  rules:' '    - {signals: mass.*, when: mass.speed > 1}'
    expect 2 $command with.yaml
    says err 'with.yaml:23:' 'mass.speed'
    with 'record: {compression: zsdt}'
    expect 2 $command with.yaml
    says err "did you mean 'zstd'"
    with 'record: {tier: most}'
    expect 2 $command with.yaml
done
[ ! -e x.mcap ] || fail 'a recording was begun though it cannot be'

# A plant that nobody reads has no boundaries of its own: `all` has it where `log` has it, too. The
# end of a run has a row although it lies off the axis.
cat >lone.yaml <<'END'
name: lone
duration: 105 ms
record: {rate: 100 Hz}
components:
  o: {type: oscillator}
END
for tier in log all; do
    expect 0 run lone.yaml -q --out lone_$tier.mcap --set record.tier=$tier --csv lone.csv --force
    expect 0 info lone_$tier.mcap --json
    same "samples of $tier" "$(tr -d '\n ' <out | grep -oE '"topic":"/o",[^}]*"samples":[0-9]+' |
        sed 's/.*://')" 12
    same 'rows of the live table' "$(wc -l <lone.csv)" 13
    same 'the last row' "$(tail -n 1 lone.csv | cut -d , -f 1)" 0.105000
done
finish
