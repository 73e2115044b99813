#!/bin/sh
# Equations on the command line: the example, its parameters, typical mistakes and what is said of
# them.
. "$TACTUS_SOURCE/tests/cli/common"
example=$TACTUS_SOURCE/examples/equations.yaml

# mistake CODE LINE TEXT...: an equation in the place of `der(v) = force/mass`, which is in line 10
mistake() {
    code=$1
    equation=$2
    shift 2
    cat >spring.yaml <<END
duration: 1 s
components:
  spring:
    type: equations
    params:
      parameters: {mass: 2 kg, stiffness: 3 N/m}
      states: {x: {unit: m, initial: 1}, v: m/s}
      equations:
        - der(x) = v
        - $equation
END
    expect "$code" check spring.yaml
    says err "$@"
}

expect 0 help equations
says out '      initial          at t = 0' 'der(x) = ... of each state' 'bounds'
expect 0 help equations --json
is_json out
expect 0 check "$example"
expect 0 explain "$example"
says out 'island car: car.height' 'cruise.throttle' 'car.v (coupled)' 'smooth.y (held)'
expect 0 info "$example" --resolved
says out 'der(v) = (force - resistance)/mass - g*sin(atan(slope))'

# A run, a run with another mass, a recording that replays with the same bits.
short='--set duration=2s'
first=$(hash_of "$example" $short)
same 'a second run' "$(hash_of "$example" $short)" "$first"
other=$(hash_of "$example" $short --set 'components.car.params.parameters.mass=2.5e3 kg')
[ "$other" != "$first" ] || fail 'another mass, the same run'
same 'the same mass in another unit' "$first" \
    "$(hash_of "$example" $short --set 'components.car.params.parameters.mass=1200 kg')"
expect 0 run "$example" $short --quiet --out car.mcap
expect 0 replay car.mcap
says out 'same bits'
expect 0 run "$example" --quiet --checkpoint-at 1s --set duration=1.5s
half=$(echo *.checkpoint)
[ -s "$half" ] || fail 'no checkpoint'

mistake 0 'der(v) = -stiffness*x/mass'
mistake 2 'der(v) = -stifness*x/mass' \
    "spring.yaml:10:21: error: unknown name 'stifness'; did you mean 'stiffness'?" \
    '    10 |         - der(v) = -stifness*x/mass' '       |                     ^'
mistake 2 'der(v) = -stiffness*x' \
    "spring.yaml:10:20: error: der(v) takes m/s^2, but '-stiffness*x' is in m*kg*s^-2" \
    '       |                    ^'
mistake 2 'v = -stiffness*x/mass' \
    "spring.yaml:10:11: error: 'v' is a state: write der(v) = ..."
mistake 2 'a = -stiffness*x/mass' \
    "spring.yaml:7:45: error: there is no equation der(v) = ..." '7 |       states: {x: {unit: m, initial: 1}, v: m/s}'
mistake 2 'mass*der(v) = -stiffness*x' "spring.yaml:10:15: error: expected '=' after 'mass'"
mistake 2 'der(v) = -stiffness*x/mass +' 'but the expression ends'
mistake 2 'der(v) = if(x > 0, -1, rising(x > 0))' 'spring.yaml:10:34: error: rising remembers'

# In one map, and from the command line.
expect 2 run "$example" --set 'components.car.params.parameters.mass=3 m'
says err "examples/equations.yaml:76:24: error: 'drag*v*abs(v)' is in m*kg*s^-2, but 'rolling*mass*g"
expect 2 run "$example" --set 'components.car.params.parameters.mas=3 kg'
says err "--set:1:" "no equation uses the parameter 'mas'; did you mean 'mass'?"
expect 2 run "$example" --set 'components.car.params.state={}'
says err "unknown parameter 'state' of type 'equations'; did you mean 'states'?"
expect 2 run spring.yaml --set 'components.spring.params.equations=[der(x) = v, der(v) = w]'
says err "--set:1:" "unknown name 'w'" 'der(v) = w'

# A NaN that decides something stops the run.
mistake 0 'der(v) = if(sqrt(x/1 m - 0.9) > 0.1, -stiffness*x/mass, 0)'
expect 1 run spring.yaml
says err "component 'spring'" 'numerical fault'

# The schema takes the example, where there is a Python that can tell.
expect 0 schema
cp out schema.json
python3 -c 'import jsonschema, yaml' 2>/dev/null && {
    python3 - "$example" <<'END' || fail 'the schema refuses the example'
import json, sys, jsonschema, yaml
schema = json.load(open("schema.json"))
example = yaml.safe_load(open(sys.argv[1]))
jsonschema.validate(example, schema)
example["components"]["car"]["params"]["states"]["v"] = {"unt": "m/s"}
try:
    jsonschema.validate(example, schema)
    sys.exit("a wrong key is let through")
except jsonschema.ValidationError:
    pass
END
}
finish
