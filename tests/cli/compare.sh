#!/bin/sh
# Comparing recordings: what is said, what it may be, and the exit code.
. "$TACTUS_SOURCE/tests/cli/common"

record() { # FILE ARG...: of the small configuration
    file=$1
    shift
    expect 0 run "$small" -q --out "$file" "$@"
}
record a.mcap
record again.mcap
record b.mcap --set 'components.wave.params.deviation=0.5'
record seed.mcap --seed 4
record short.mcap --duration '500 ms'

# --- equal ----------------------------------------------------------------------------------------

expect 0 compare a.mcap again.mcap
silent err
says out 'a.mcap and again.mcap are equal: 8 signals, ' ' samples, bit for bit'
same 'lines about equal recordings' "$(wc -l <out)" 1
expect 0 compare a.mcap again.mcap --all
same 'signals that are listed' "$(grep -Ec '^  [a-z]+\.[a-z]+ ' out)" 8
expect 0 compare a.mcap again.mcap --json
is_json out
same 'equal in JSON' "$(value out equal)" true
same 'first in JSON' "$(value out first)" null
! grep -q error out || fail 'an error where all is well'

# --- different ------------------------------------------------------------------------------------

expect 1 compare a.mcap b.mcap
says err "'a.mcap' and 'b.mcap' differ"
says out 'a.mcap and b.mcap differ in ' 'first difference at 0 s: wave.y [N]' ' apart, ' ' ulps' \
    'model ' 'configuration ' 'deviation'
same 'the first in the table' "$(awk '$1 == "signal" { getline; print $1 }' out)" wave.y
! grep -q 'beacon' out || fail 'a signal that nobody writes'
expect 1 compare a.mcap b.mcap --json
is_json out
same 'equal in JSON' "$(value out equal)" false
same 'the first signal' "$(value out signal)" wave.y
same 'models in JSON' "$(value out same_model)" false
same 'seeds in JSON' "$(value out same_seed)" true
same 'status in JSON' "$(value out status)" TAC_E_DIFFERENT
# The noise acts on the mass from the first interval on, and is not seen before.
grep -q '"name": "mass.position", .*"first_us": 10000,' out || fail 'mass.position differs elsewhere'
expect 1 compare a.mcap seed.mcap
says out '  seed          3 and 4'

# Only what is asked for counts.
expect 0 compare a.mcap b.mcap listener.sender
says out 'are equal: 1 signal, '
expect 0 compare a.mcap b.mcap listener.sender,listener.sender
expect 1 compare a.mcap b.mcap listener.sender,position # commas
says out 'differ in 1 of 2 signals'
expect 1 compare a.mcap b.mcap 'listener.*'
says out 'differ in 1 of 3 signals'
expect 0 compare a.mcap b.mcap position --to '9999 us'
expect 1 compare a.mcap b.mcap position --to '10 ms'
says out 'first difference at 10 ms: mass.position [m]'
expect 1 compare a.mcap b.mcap position --from '300 ms' --to '310 ms'
says out 'first difference at 300 ms: '

# --- tolerances -----------------------------------------------------------------------------------

largest=$("$TACTUS" compare a.mcap b.mcap position --json 2>/dev/null |
    sed -n 's/.*"max_abs": \([^,]*\),.*/\1/p')
expect 0 compare a.mcap b.mcap position --abs "$largest"
says out 'are equal: 1 signal, ' ', 1 only within the tolerances' mass.position
expect 1 compare a.mcap b.mcap position --abs "$(awk -v x="$largest" 'BEGIN { print 0.999 * x }')"
expect 0 compare a.mcap b.mcap 'mass.*' --abs 1e9
expect 0 compare a.mcap b.mcap position --rel 2
expect 0 compare a.mcap b.mcap position --abs 1e-9 --tolerance "mass.*=$largest"
expect 0 compare a.mcap b.mcap position --tolerance 'position=0,2'
expect 1 compare a.mcap b.mcap position --tolerance '*=1e9' --tolerance 'position=0'
expect 2 compare a.mcap b.mcap --tolerance 'positon=1'
says err "no signal matches 'positon'" "did you mean 'mass.position'?"
for wrong in position =1 position= position=x position=-1 position=1,x position=1,2,3 position=nan; do
    expect 2 compare a.mcap b.mcap --tolerance "$wrong"
    says err "not '$wrong'"
done
for wrong in x -1 '' 1m nan inf; do
    expect 2 compare a.mcap b.mcap --abs "$wrong"
    says err "not '$wrong'"
done

# --- one has more than the other ------------------------------------------------------------------

expect 1 compare a.mcap short.mcap
says out 'last sample   1 s and 500 ms' 'samples without counterpart:' \
    '  mass.position: 50 of the first, 0 of the second, from 510 ms'
! grep -q 'first difference' out || fail 'a difference of values'
expect 0 compare a.mcap short.mcap --to '500 ms'
expect 1 compare short.mcap a.mcap
says out '0 of the first, 50 of the second'
record fewer.mcap --set 'components.listener=null' --set 'links=null'
expect 1 compare a.mcap fewer.mcap
says out 'only in a.mcap:' '  listener.count'
! grep -q 'only in fewer' out || fail 'fewer has more'
expect 1 compare fewer.mcap a.mcap
says out 'only in a.mcap:'
expect 0 compare fewer.mcap a.mcap 'mass.*'

# A run that was stopped is compared as far as it came.
head -c "$(($(wc -c <a.mcap) * 2 / 3))" a.mcap >cut.mcap
"$TACTUS" compare a.mcap cut.mcap >out 2>err
code=$?
[ "$code" -eq 1 ] || fail "exit code $code with a file that was cut"
says out 'cut.mcap was cut off'

# --- mistakes -------------------------------------------------------------------------------------

expect 2 compare a.mcap
expect 3 compare a.mcap nosuch.mcap
says err nosuch.mcap
expect 3 compare a.mcap "$small"
expect 2 compare a.mcap b.mcap mass.positon
says err "did you mean 'mass.position'?"
silent out
expect 2 compare a.mcap b.mcap --from '2 s' --to '1 s'
says err '--from 2 s is later than --to 1 s'
expect 2 compare a.mcap b.mcap --from soon
expect 1 compare a.mcap a.mcap --from '2 s'
says out 'have no samples to compare'
says err 'have no samples to compare'
finish
