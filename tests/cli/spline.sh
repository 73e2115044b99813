#!/bin/sh
# Tables as splines, everywhere a configuration has tables: the graph has the bits of the run, the
# derivatives of the run are those of differences, and mistakes are told with their place.
. "$TACTUS_SOURCE/tests/cli/common"

cat >smooth.yaml <<'END'
duration: 3 s
scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}
plant: {integrator: {kind: rk4, h_max: 10 ms}}
components:
  throttle:
    type: profile
    params: {times: [0, 0.4, 1, 3], values: [1, 0.9, 0.6, 0.5], interpolation: spline}
  wind:
    type: wind
    params:
      {kind: table, times: [0, 0.5, 1.1, 2, 3], north: [0, 3, 5, 4, 6], east: [1, 0, -1, 2, 1],
       interpolation: spline}
  motor:
    type: rocket_motor
    params:
      thrust: 12 kN
      isp: 220 s
      fuel: 20 kg
      curve: {at: [0, 0.1, 0.4, 0.8, 1], thrust: [1, 1.3, 1.2, 0.9, 0.4], interpolation: spline}
    inputs: {throttle: throttle.y, pressure: body.air.pressure}
  mass:
    type: rocket_mass
    params: {stages: [{mass: 60 kg, com: [1.8, 0, 0], inertia: [2, 60, 60]}]}
    inputs: {fuel1: motor.fuel, flow1: motor.flow}
  air:
    type: rocket_aero
    params:
      {diameter: 0.2, mach: [0, 0.1, 0.3, 0.6, 0.9, 1.2], drag: [0.5, 0.45, 0.42, 0.44, 0.6, 0.7],
       normal: [9, 9.2, 9.6, 10, 10.5, 10], pressure_centre: [1.1, 1.12, 1.15, 1.2, 1.3, 1.2],
       interpolation: spline}
    inputs: {velocity: body.air_velocity, rate: body.air_rate, density: body.air.density,
      mach: body.mach}
  body:
    type: rocket_body
    params: {attitude: [0, 85 deg, 0]}
    inputs: {mass: mass.mass, com: mass.com, inertia: mass.inertia, jet: mass.jet,
      stream: mass.stream, wind: wind.velocity, force1: motor.force, moment1: motor.moment,
      force2: air.force, moment2: air.moment}
  drag:
    type: equations
    params:
      inputs: {mach: 1}
      states: {x: 1}
      equations:
        - der(x) = spline(mach, [0, 0.2, 0.5, 0.9], [0.5, 0.4, 0.45, 0.6])/1 s
    inputs: {mach: body.mach}
END

expect 0 run smooth.yaml
expect 0 graph smooth.yaml --check --json
says out '"max_ulp": 0' '"untraced": 0'
expect 0 graph smooth.yaml --rates --check --json
says out '"max_ulp": 0'
expect 0 graph smooth.yaml --hessian --emit c --name f -o smooth.c
"${CC:-cc}" -O0 -shared -fPIC smooth.c -o smooth.so -lm || fail "the code does not compile"

# Another curve is another run; lines are the default.
curved=$(hash_of smooth.yaml)
set_all() {
    for name in throttle wind air; do
        printf -- '--set components.%s.params.interpolation=%s ' "$name" "$1"
    done
    printf -- '--set components.motor.params.curve.interpolation=%s\n' "$1"
}
lines=$(hash_of smooth.yaml $(set_all linear))
[ "$curved" != "$lines" ] || fail "splines fly as lines do"
sed 's/interpolation: spline//' smooth.yaml >default.yaml
same "lines by default" "$lines" \
    "$(hash_of default.yaml --set components.throttle.params.interpolation=linear)"

# Parameters of what flies through splines, and an entry of a spline itself.
expect 0 sensitivity smooth.yaml --of motor.fuel --of body.mach --of drag.x --to motor.thrust \
    --to motor.isp --to 'throttle.values[1]' --json
python3 - <<'END' || fail "derivatives are not those of differences"
import json
for result in json.load(open("out"))["results"]:
    for slope, difference in zip(result["derivatives"], result["differences"]):
        assert abs(slope - difference) <= 1e-6 * abs(difference), (result["of"], slope, difference)
        assert slope != 0
END

expect 0 help rocket_aero
says out 'linear | spline, default linear'
expect 0 help profile
says out 'hold | linear | spline, default hold'

# mistake CURVE TEXT...: of the motor, in line 19
mistake() {
    curve=$1
    shift
    sed "s/^      curve: .*/      curve: {$curve, interpolation: spline}/" smooth.yaml >wrong.yaml
    expect 2 check wrong.yaml
    says err "$@"
}
mistake 'at: [0, 1], thrust: [1, 1]' 'wrong.yaml:19:' 'a spline needs at least 3 points, found 2'
mistake 'at: [0, 0.5, 0.5], thrust: [1, 1, 1]' 'wrong.yaml:19:' 'each above the one before'
mistake 'at: [0, 0.1, 0.2, 1], thrust: [1, 1, 0.05, 0.05]' 'wrong.yaml:19:' \
    'falls to -6.75893 at 0.696743, expected above 0'
sed 's/interpolation: spline}$/interpolation: splines}/' smooth.yaml >wrong.yaml
expect 2 check wrong.yaml
says err "did you mean 'spline'?"
finish
