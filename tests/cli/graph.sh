#!/bin/sh
# graphs as programs see them: the summary, code that compiles, the comparison with a run, and what
# is refused.
. "$TACTUS_SOURCE/tests/cli/common"
iris=$TACTUS_SOURCE/examples/iris_mission.yaml

"$TACTUS" graph "$iris" >summary || fail "no summary"
grep -q 'input   x  *19  uav.vehicle.position.x' summary || fail "states are not listed"
grep -q '1 loop,' summary || fail "the power bus is not a loop"
"$TACTUS" graph "$iris" --jacobian --json | grep -q '"colours"' || fail "no size of the Jacobian"
"$TACTUS" graph "$iris" --check --duration '2 s' --json >check 2>/dev/null || fail "the graph differs"
grep -q '"max_ulp": 0' check || fail "no verdict of the check"

"$TACTUS" graph "$iris" --emit c --jacobian --name f -o dyn.c || fail "no code"
"${CC:-cc}" -O0 -shared -fPIC dyn.c -o dyn.so -lm || fail "the code does not compile"
"$TACTUS" graph "$iris" --pattern svg | grep -q '<svg' || fail "no picture of the pattern"
"$TACTUS" graph "$TACTUS_SOURCE/examples/orbit.yaml" --emit svg | grep -q '<svg' || fail "no picture"
"$TACTUS" graph "$TACTUS_SOURCE/examples/rocket.yaml" --phase COAST --json >phase || fail "no phase"
grep -q '"rocket.flight.phase"' phase && fail "the phase is an input though it was chosen"

"$TACTUS" graph "$iris" --parameters uav.vehicle.mass >mass || fail "the mass is no parameter"
grep -q 'input   p  *1  uav.vehicle.mass' mass || fail "the parameter is not listed"

refused() {
    text=$1
    shift
    "$TACTUS" graph "$@" >/dev/null 2>err
    [ $? = 2 ] || fail "no exit code 2: $*"
    grep -q -- "$text" err || fail "not told: $text"
}
refused 'no phase .COST.*did you mean' "$TACTUS_SOURCE/examples/rocket.yaml" --phase COST
refused 'no component .uav.vehicel.' "$iris" --outside uav.vehicel
refused "'control.mission' is no number that can be varied" "$iris" control.mission
refused "'--emit' is c, dot, svg or json" "$iris" --emit pdf
refused "needs a name of C" "$iris" --emit c --name 2f

# An option without effect would look as if it had one.
alone() { # OPTION, VALUE
    refused "'$1' goes with .*only" "$iris" --check "$@"
}
alone --of dynamics
alone --phase COAST
alone --outside uav.scenario
alone --parameters uav.vehicle.mass
alone --fast
alone --jacobian
alone --name f
refused "'--parameters' goes with" "$iris" uav.vehicle.mass --check
refused "'--emit' does not go with '--check'" "$iris" --check --emit c
refused "'--emit' does not go with '--pattern'" "$iris" --pattern svg --emit c
refused "'--pattern' does not go with '--check'" "$iris" --check --pattern svg
refused "'--second' goes with '--emit c' only" "$iris" --second
refused "'--second' goes with '--emit c' only" "$iris" --second --emit svg
refused "'--second' goes with '--emit c' only" "$iris" --second --check
refused "'--hessian' goes with '--emit c' only" "$iris" --hessian
refused "'--hessian' goes with '--emit c' only" "$iris" --hessian --emit svg
refused "'--deterministic' goes with '--emit c' only" "$iris" --deterministic
refused "'--jacobian' goes with a summary or" "$iris" --jacobian --pattern json
refused "'--json' goes with a summary or" "$iris" --emit c --json
refused "'--rates' goes with '--of step'" "$iris" --of dynamics --rates

# Types with numbers only, in the plant and outside of it: they are named, and may stay outside.
"${CC:-cc}" -std=c17 -shared -fPIC -I"$TACTUS_SOURCE/include" \
    "$TACTUS_SOURCE/examples/plugin/thermal.c" -o thermal.so || fail "the plugin does not compile"
cat >thermal.yaml <<'END'
name: thermal
duration: 10 s
plugins: [thermal.so]
scheduler:
  rate_groups:
    - {name: control, period: 1 s, components: [Thermostat, Smooth]}
plant:
  integrator: {kind: rk4, h_max: 1 s}
components:
  Room: {type: room, params: {start: 285 K}, inputs: {power: Thermostat.power}}
  Thermostat: {type: thermostat, params: {target: 293.15 K}, inputs: {temperature: Smooth.y}}
  Smooth: {type: filter, params: {unit: K, tau: 5 s}, inputs: {u: Room.temperature}}
  Wall: {type: lag, params: {unit: K, tau: 60 s}, inputs: {u: Room.temperature}}
END
refused "'Room' cannot be part of a graph: its type 'room'" thermal.yaml
refused "'Room' cannot be part of a graph: its type 'room'" thermal.yaml --of step
refused "'Thermostat' cannot be part of a graph: the step of its type 'thermostat'" \
    thermal.yaml --of step --outside Room
expect 0 graph thermal.yaml --outside Room
says out 'input   x            1  Wall.x' 'input   u            2  Room.temperature, Thermostat.power'
for of in '--of step' --rates; do
    expect 0 graph thermal.yaml $of --outside Room --outside Thermostat
    says out 'input   x            1  Wall.x' 'Thermostat.power, Thermostat.mode, Room.temperature'
done
for rates in '' --rates; do
    expect 2 graph thermal.yaml --check $rates
    says err "'Room' was not traced: its type 'room' has no symbolic form"
    says out '2 components traced, 2 not' ' 0 differ'
done
# A type that says of itself that it stays outside does not make the check fail.
expect 0 graph "$TACTUS_SOURCE/examples/iris_px4.yaml" --check --duration '1 s' --json
says out '"kind": "outside"' '"untraced": 0' '"max_ulp": 0'
# Too many vehicles are refused at once, with what to do instead.
large=$TACTUS_SOURCE/examples/swarm_large.yaml
for command in graph 'graph --of step' 'graph --check' linearize 'linearize --at t=1s'; do
    before=$(date +%s)
    expect 2 $command "$large"
    says err 'of at most 2000 components can be made, and here are 50000' \
        'take fewer vehicles, as with --set entities.uav.count=1'
    [ $(($(date +%s) - before)) -le 20 ] || fail "$command is not refused at once"
done
expect 0 graph "$large" --set entities.uav.count=3
expect 2 linearize "$large" --at t=0s --set entities.uav.count=3
says err 'there are 3 plants'
finish
