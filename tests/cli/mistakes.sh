#!/bin/sh
# Several mistakes of a file are told of at once, in order, up to ten; near names of files; colour.
. "$TACTUS_SOURCE/tests/cli/common"

# Keys of the file.
cat >"$work/keys.yaml" <<'END'
duraton: 2 s
seed: x
scheduler:
  rate_groups:
    - {name: g, rate_hz: 10, component: [c]}
    - {nme: h, rate_hz: -1}
components:
  c: {type: counter, parms: {}}
END
expect 2 check "$work/keys.yaml"
says err "keys.yaml:1:1: error: unknown key 'duraton'; did you mean 'duration'?" \
    "keys.yaml:2:7: error: expected a whole number, found 'x'" \
    "keys.yaml:5:30: error: unknown key 'component'; did you mean 'components'?" \
    "keys.yaml:6:8: error: unknown key 'nme'" 'keys.yaml:6:25: error: ' \
    "keys.yaml:8:22: error: unknown key 'parms'; did you mean 'params'?"
[ "$(grep -c '^ *| *^$' "$work/err")" = 6 ] || fail 'not every mistake has its caret'
grep -o '^[^ ]*keys.yaml:[0-9]*' "$work/err" | sed 's/.*://' | sort -nc || fail 'not in order'
expect 2 check "$work/keys.yaml" --json
python3 - "$work/out" <<'END' || fail 'the JSON has other mistakes'
import json, sys
told = json.load(open(sys.argv[1]))
assert [e["line"] for e in told["errors"]] == [1, 2, 5, 6, 6, 8], told
assert told["error"] == told["errors"][0]
END

# Types and parameters; then signals, which are looked at once all components are known.
cat >"$work/types.yaml" <<'END'
duration: 2 s
scheduler:
  rate_groups:
    - {name: g, rate_hz: 10, components: [x, y, zz]}
components:
  x: {type: profle}
  y: {type: sine, params: {amplitude: 3 m, frequency: 3 m}}
  z: {type: gain, params: {gain: a}}
END
expect 2 check "$work/types.yaml"
says err "types.yaml:4:49: error: rate group 'g': no component matches 'zz'" \
    "types.yaml:6:13: error: unknown component type 'profle'; did you mean 'profile'?" \
    'types.yaml:7:39: error: ' 'types.yaml:7:55: error: ' 'types.yaml:8:34: error: '
cat >"$work/params.yaml" <<'END'
duration: 1 s
components:
  a: {type: point_mass, params: {masss: 1, drg: 2, positon: [0, 0, 0], mass: -1}}
  b:
    type: wind
    params:
      men: [1, 2, 3]
      turbulense: 1 m/s
END
expect 2 check "$work/params.yaml"
says err "params.yaml:3:34: error: unknown parameter 'masss'" "params.yaml:3:44: error: unknown parameter 'drg'" \
    "params.yaml:3:52: error: unknown parameter 'positon'" 'params.yaml:3:78: error: ' \
    "params.yaml:7:7: error: unknown parameter 'men'" "params.yaml:8:7: error: unknown parameter 'turbulense'"

# Texts of several lines have their caret in the line of the mistake.
cat >"$work/lines.yaml" <<'END'
duration: 1 s
components:
  a:
    type: point_mass
    params:
      mass: >-
        ${= 1 +
        sin(2) +
        i * 3}
END
expect 2 check "$work/lines.yaml"
says err "lines.yaml:9:9: error: variable 'i' has no value" '     9 |         i * 3}'
cat >"$work/lines.yaml" <<'END'
duration: 1 s
components:
  a:
    type: point_mass
    params:
      mass: |
        ${=
           1 +
           sqr(4)
        }
END
expect 2 check "$work/lines.yaml"
says err "lines.yaml:9:12: error: there is no function 'sqr'"
cat >"$work/lines.yaml" <<'END'
duration: 1 s
components:
  a: {type: point_mass}
expect:
  one:
    always: >-
      a.position.x < 2 AND
      a.z < 3
END
expect 2 check "$work/lines.yaml"
says err "lines.yaml:8:7: error: unknown signal 'a.z'"

cat >"$work/signals.yaml" <<'END'
duration: 2 s
scheduler:
  rate_groups:
    - {name: g, rate_hz: 10, components: [x, y, z]}
components:
  y: {type: sine}
  x: {type: gain, inputs: {u: y.yy}}
  z: {type: gain, inputs: {v: y.y}}
END
expect 2 run "$work/signals.yaml"
says err "signals.yaml:7:31: error: unknown signal 'y.yy'; did you mean 'y.y'?" \
    "signals.yaml:8:31: error: 'z' has no input 'v'"

# At most ten, the first ones of the file, and one for each place: vehicles share their template.
{
    echo 'duration: 1 s'
    echo 'components:'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "  c$i: {type: nothing$i}"; done
} >"$work/many.yaml"
expect 2 check "$work/many.yaml"
[ "$(grep -c 'error: unknown component type' "$work/err")" = 10 ] || fail 'not ten mistakes'
says err 'many.yaml:3:14' 'many.yaml:12:15' '10 mistakes are shown, 2 more were found'
cat >"$work/each.yaml" <<'END'
duration: 1 s
entities:
  v: {count: 5, components: {c: {type: nothing}}}
END
expect 2 check "$work/each.yaml"
[ "$(grep -c 'error:' "$work/err")" = 1 ] || fail 'one mistake is told of several times'

# One mistake is one error: what only follows from it is not reported. Values of nothing, such as a
# mass of 0 after "abc", give no warning.
hexa=$TACTUS_SOURCE/examples/hexa_motor_out.yaml
vehicle=entities.uav.components.vehicle
for set in "$vehicle.type=abc" "$vehicle.params=abc" "$vehicle.params.mass=abc" \
    "$vehicle.params.mass=0" "$vehicle.params.inertia=abc" "$vehicle.params.inertia[1]=-1" \
    "$vehicle.params.rotors=abc" "$vehicle.params.rotors[2].position=abc" \
    "$vehicle.params.rotors[0].direction=abc" "$vehicle.params.motor.kv=abc" \
    "$vehicle.params.calibration.voltage=-1" "$vehicle.params.batteries=abc" \
    "$vehicle.params.buses[0].load=1e308" "$vehicle.params.hover=abc" "$vehicle.params.feet[0]=abc" \
    "$vehicle.params.masss=1" entities.uav.components.control.params.rate_bandwidth=abc \
    'scheduler.rate_groups[0].components=[abc]' 'scheduler.rate_groups[0].period=1 s'; do
    expect 2 check "$hexa" --set "$set"
    same "errors after $set" "$(grep -c 'error: ' err)" 1
    same "warnings after $set" "$(grep -c 'warning: ' err)" 0
    case $set in *=abc) says err "'abc'" ;; esac
done
for set in body.type=abc body.params.rail=-1; do
    expect 2 check "$TACTUS_SOURCE/examples/rocket.yaml" --set "entities.rocket.components.$set"
    same "errors after $set" "$(grep -c 'error: ' err)" 1
done
# A variable shows its value wherever it stands.
for set in entities entities.uav "$vehicle.params" "$vehicle.params.batteries" \
    "$vehicle.params.hover" "$vehicle.params.mass" world.g duration seed; do
    MASS=abc expect 2 check "$hexa" --set "$set=\${MASS}"
    says err "'abc'"
done
cat >order.yaml <<END
duration: 1 s
scheduler: {rate_groups: [{name: g, rate: 250 Hz, components: [control]}]}
components:
  control:
    type: flight_control
    params: {mission: $TACTUS_SOURCE/examples/missions/square.waypoints}
  vehicle:
    type: multirotor
    params:
      {mass: 1 kg, inertia: [0.01, 0.01, 0.02], rotors: [{position: [1, 0, 0], direction: 1}]}
END
expect 2 check order.yaml
says err "needs component 'vehicle', which must stand before it in the file; it stands after it, in line 7"
sed 's/^  vehicle:/  vehicel:/' order.yaml >none.yaml
expect 2 check none.yaml
says err "needs component 'vehicle', which must stand before it in the file; did you mean 'vehicel'?"

# Names of files
cp "$small" "$work/flight.yaml"
expect 3 run "$work/fligth.yaml"
says err "did you mean '$work/flight.yaml'?"
expect 3 check "$work/flight"
says err "did you mean '$work/flight.yaml'?"
expect 3 run "$work/flight.mcap"
says err "recordings are run again by 'tactus replay'"
tactus=$(command -v "$TACTUS")
mkdir -p "$work/examples"
cp "$small" "$work/examples/hexa.yaml"
(cd "$work" && "$tactus" run hexa 2>"$work/err" && fail 'a file that does not exist was run')
says err "did you mean 'examples/hexa.yaml'?"

# What never steps, and a duration for the check
cat >"$work/late.yaml" <<'END'
duration: 2 s
scheduler:
  rate_groups:
    - {name: late, rate_hz: 10, offset: 3 s, components: [c]}
components:
  c: {type: counter}
END
expect 0 check "$work/late.yaml"
says err "rate group 'late' never steps: its offset, 3 s, is after the end of the run, 2 s"
expect 0 check "$work/late.yaml" --duration '4 s'
silent err
says out 'duration    4 s'

# A step that is not limited has no length.
for what in check explain 'explain --json'; do
    expect 0 $what "$TACTUS_SOURCE/examples/orbit.yaml"
    ! grep -q 46116860 "$work/out" || fail "$what shows a duration of 146,000 years"
done

# Colour on a terminal only, unless NO_COLOR says no.
red=$(printf '\033[1;31merror:')
! grep -qF "$red" "$work/err" || fail 'colour in a file'
if command -v script >/dev/null; then
    command="'$tactus' check '$work/signals.yaml'"
    TERM=xterm script -qec "$command" /dev/null >"$work/tty" 2>&1 </dev/null || true
    grep -qF "$red" "$work/tty" || fail 'no colour on a terminal'
    TERM=xterm NO_COLOR=1 script -qec "$command" /dev/null >"$work/tty" 2>&1 </dev/null || true
    ! grep -qF "$red" "$work/tty" || fail 'colour in spite of NO_COLOR'
fi
finish
