#!/bin/sh
# tactus check, explain, info, schema, help.
. "$TACTUS_SOURCE/tests/cli/common"

# check
expect 0 check "$small"
says out 'small.yaml: fine' 'duration    1 s, seed 3' '6 components' '2 message ports' '1 island' \
    '2 continuous states' 'rate group  fast: every 2 ms, 2 components' \
    'rate group  watch: every 250 ms, 1 component' 'rk4, steps of at most 1 ms'
silent err
expect 0 check "$small" --set duration='2 s' --json
is_json out
same valid "$(value out valid)" true
same duration_us "$(value out duration_us)" 2000000
same components "$(value out components)" 6
says out '{"name": "fast", "period_us": 2000, "offset_us": 0, "components": 2}'
model=$(value out model_hash)
expect 0 run "$small" --json -q
same 'the model hash of check and run' "$(value out model_hash)" "$model"
expect 2 check "$data/wrong.yaml"
silent out
says err 'wrong.yaml:8:16: error: '
expect 2 check "$data/wrong.yaml" --json
is_json out
says err 'wrong.yaml:8:16: error: '
expect 3 check nosuch.yaml
expect 0 check "$data/fails.yaml" # it is valid; only its run fails

expect 0 check "$data/phases.yaml"
says out '14 continuous states, 12 phases, 14 transitions' 'integrator  rk45'
! grep -q 'at most' out || fail 'a longest step that nobody gave'
expect 0 check "$data/phases.yaml" --json
same phases "$(value out phases)" 12
same transitions "$(value out transitions)" 14

# explain
expect 0 explain "$data/phases.yaml"
says out 'Boundary order' 'capsule: 4 phases, 4 transitions; signal capsule.flight.phase'
expect 0 explain "$data/phases.yaml" --phases
says out '0 ATTACHED (initial), 1 FREE, 2 CHUTE, 3 DOWN'
! grep -q 'Boundary order' out || fail '--phases shows more than phases'
expect 0 explain "$data/phases.yaml" --phases --svg
says out '<svg' 'Phases of booster'
expect 0 explain "$data/phases.yaml" --phases --dot
says out 'digraph' 'phases of booster'
expect 0 explain "$data/phases.yaml" --phases --json
is_json out
expect 0 explain "$small" --phases
same 'no phases' "$(cat out)" 'No entity has phases.'
expect 0 explain "$small"
says out wave sensor listener rk4
expect 0 explain "$small" --json
is_json out
expect 0 explain "$small" --dot
says out digraph
expect 0 explain "$small" --svg -o picture.svg
silent out
says picture.svg '<svg' '</svg>'
[ ! -e picture.svg.tmp ] || fail 'a temporary file stays'
cp picture.svg before.svg
expect 2 explain "$data/wrong.yaml" --svg -o picture.svg
cmp -s picture.svg before.svg || fail 'a failure changed the output file'
expect 0 explain "$small" --set scheduler.rate_groups[0].rate_hz=250
says out '4 ms'

# info
expect 0 info
says out 'tactus ' 'compiler ' 'math ' 'component types' '  oscillator  '
expect 0 info --json
is_json out
says out '"types"' '"name": "oscillator"'
expect 0 info "$small"
says out mass.position listener.count f64
expect 0 info "$small" --json
is_json out
says out mass.position
expect 0 info "$small" --resolved --set components.mass.params.mass='2 kg'
says out 'name: small' '2 kg'
cp out resolved.yaml
same 'the resolved configuration as a configuration' "$(hash_of resolved.yaml)" \
    "$(hash_of "$small" --set components.mass.params.mass='2 kg')"
expect 0 info "$small" --lcm
says out 'package tactus;' '// channel mass, fingerprint 0x' 'struct mass_t {' '    double position;' \
    'struct numbers_t {' '    double value[count];' '// beacon.tx'
expect 0 info "$small" --lcm -o types.lcm
silent out
expect 2 info "$small" --lcm --json
says err 'leave out --json'
expect 2 info "$small" --lcm --resolved
expect 2 info --lcm
says err 'tactus info FILE'
expect 3 info nosuch.yaml
expect 3 info nosuch.yaml --plugin ./nosuch.so
says err nosuch.so
expect 2 info "$small" --set components.mass.type=oscilator
says err "did you mean 'oscillator'?"

# schema
expect 0 schema
is_json out
says out '$schema' rate_groups oscillator
expect 0 schema -o schema.json
silent out
is_json schema.json
expect 2 schema "$small"

# help
expect 0 help
cp out help
says help 'usage: tactus COMMAND' 'exit codes: 0 fine'
expect 0 --help
cmp -s out help || fail "'tactus --help' is not 'tactus help'"
expect 0 -h
cmp -s out help || fail "'tactus -h' is not 'tactus help'"
expect 0 --version
grep -Eq '^tactus [0-9]+\.[0-9]+\.[0-9]+$' out || fail 'no version'
expect 0 -V
for command in run check explain info compare hash plot schema help; do
    says help "  $command "
    expect 0 help $command
    says out "usage: tactus $command" '--help'
    cp out first
    expect 0 $command --help
    cmp -s out first || fail "'tactus $command --help' is not 'tactus help $command'"
    awk 'length > 80 { exit 1 }' out || fail "'tactus help $command' is wider than 80 columns"
done
expect 0 help oscillator
says out stiffness position
expect 0 help oscillator --json
is_json out
expect 0 help phases
says out '    condition          it is taken when' '      reset            a state'
expect 2 help oscilator
says err "did you mean 'oscillator'?"
# A policy for signals that do not exist is pointed out, and no mistake.
expect 0 check "$small" --set 'scheduler.synchronization.overrides=[{pattern: "Nobody.*", policy: ZOH}]'
says err "warning: " "policy ZOH for 'Nobody.*': no signal has such a name"
says out ': fine, 1 warning'
expect 0 check --json "$small" --set 'scheduler.synchronization.overrides=[{pattern: "Nobody.*", policy: ZOH}]'
is_json out
says out '"warnings": [' "no signal has such a name"
finish
