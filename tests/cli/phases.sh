#!/bin/sh
# Flight phases in the program: the report, the JSON, the log, recordings, mistakes.
. "$TACTUS_SOURCE/tests/cli/common"
rocket=$data/rocket.yaml

# For a person. In BOOST the rocket gains 30 - 9.80665 m/s^2: from 1.08 m/s down to 5 m/s up takes
# 0.3 s, seen at the next multiple of 10 ms, and one later the phase is COAST.
expect 0 run "$rocket"
says out 'phase changes      2'
says err '[  0.110000 s] rocket.flight: GROUND -> BOOST (clock.n > 10)' \
    '[  0.110000 s] rocket.flight: warning: lift-off' \
    '[  0.430000 s] rocket.flight: BOOST -> COAST (body.velocity.z < -5)'
same 'lines of the log' "$(wc -l <err)" 3
expect 0 run "$rocket" --log-level warn
same 'lines of the log' "$(wc -l <err)" 1
says err 'lift-off'

# For a program
expect 0 run "$rocket" --json --quiet
is_json out
same 'lines of the log' "$(wc -l <err)" 1 # a warning is not kept quiet
says out '"phases": [' \
    '{"t_us": 110000, "entity": "rocket", "from": "GROUND", "to": "BOOST", "condition": "clock.n > 10", "located": false}' \
    '{"t_us": 430000, "entity": "rocket", "from": "BOOST", "to": "COAST", "condition": "body.velocity.z < -5", "located": false}'
same 'changes' "$(grep -c '"from"' out)" 2
hash=$(value out hash)
expect 0 run "$small" --json --quiet
is_json out
says out '"phases": []'

# No strategy changes a bit, in this file and in every example that has phases.
for file in "$rocket" "$TACTUS_SOURCE"/examples/*.yaml; do
    grep -Eq '^ *phases:' "$file" || continue
    skip=$(hash_of "$file" --set phases.strategy=skip)
    for strategy in gate split; do
        same "$file with $strategy" "$(hash_of "$file" --set phases.strategy=$strategy)" "$skip"
    done
done
same 'skip is the default' "$(hash_of "$rocket" --set phases.strategy=skip)" "$hash"

# A recording has them, and drives the plant through them.
expect 0 run "$rocket" --quiet --out flight.mcap
expect 0 replay flight.mcap --json
is_json out
same 'replay' "$(value out hash_match)" true
expect 0 replay flight.mcap --set plant.integrator.kind=rk45
expect 0 export flight.mcap --format csv --out flight.csv
grep -q 'rocket.flight.phase' flight.csv || fail 'no phase in the CSV'

# From a checkpoint in the middle of a phase, and of a change
for t in '105 ms' '300 ms' '425 ms'; do
    expect 0 run "$rocket" --quiet --checkpoint-at "$t" --checkpoint state
    expect 0 run "$rocket" --quiet --json --from state
    same "from $t" "$(value out hash)" "$hash"
done

# An entity without an axis: a change that is queued takes effect 1 us later, not at the end, and a
# recording and a checkpoint have that boundary.
sed 's/150 kPa/1500 kPa/' "$TACTUS_SOURCE/examples/rocket.yaml" >early.yaml
expect 0 run early.yaml --json --out early.mcap --duration '30 s'
early=$(value out hash)
coast=$(sed -n 's/.*"t_us": \([0-9]*\),.*"to": "COAST".*/\1/p' out)
says out "{\"t_us\": $((coast + 1)), \"entity\": \"rocket\", \"from\": \"COAST\", \"to\": \"SEPARATION\""
# What another entity waits for came true with that write, not between two of its own boundaries.
says out "{\"t_us\": $((coast + 1)), \"entity\": \"booster\", \"from\": \"ATTACHED\", \"to\": \"FALLING\""
expect 0 replay early.mcap --json
same 'replay of an inserted boundary' "$(value out hash_match)" true
expect 0 replay early.mcap --json --from 12s
same 'and from the middle' "$(value out hash_match)" true
for t in $coast $((coast + 1)); do
    expect 0 run early.yaml --quiet --duration '30 s' --checkpoint-at "$t us" --checkpoint state
    expect 0 run early.yaml --quiet --json --duration '30 s' --from state
    same "from $t us" "$(value out hash)" "$early"
done
expect 0 check early.yaml
same 'warnings' "$(cat err)" ''
line=$(grep -n 'motor1.fuel <= 1e-6' early.yaml | cut -d: -f1)
sed "$line s/, locate: true//" early.yaml >idle.yaml
expect 0 check idle.yaml
says err "idle.yaml:$line:" "'rocket.flight' that leads to 'COAST' is neither located nor on any axis"
same 'warnings' "$(wc -l <err)" 1

# Mistakes: file, line, column, a caret
sed 's/< -5/< -5 s/' "$rocket" >wrong.yaml
expect 2 run wrong.yaml
line=$(grep -n 'body.velocity.z' wrong.yaml | cut -d: -f1)
says err "wrong.yaml:$line:43: error: 'body.velocity.z' is in m/s, but '-5 s' is in s" \
    "$line |     - {from: BOOST, to: COAST, condition: body.velocity.z < -5 s}"
grep -q '^ *| *^$' err || fail 'no caret'
sed 's/active: BOOST/active: BOST/' "$rocket" >wrong.yaml
expect 2 check wrong.yaml
says err "'rocket.engine' is active in an unknown phase 'BOST'; did you mean 'BOOST'?"

# A number that is none stops the run, with the time and the name.
sed 's/clock.n > 10/log(clock.n - 20) < 3/' "$rocket" >nan.yaml
expect 1 run nan.yaml --quiet
says err "at t = 0 s, component 'rocket.flight': error:" "'log(clock.n - 20) < 3'"

# Help
expect 0 help phases
says out 'condition ' 'which phase follows which'
finish
