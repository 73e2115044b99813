#!/bin/sh
# Constants of every shape: what they feed, and what is said where the shape is wrong.
. "$TACTUS_SOURCE/tests/cli/common"

cat >shapes.yaml <<'END'
duration: 20 ms
scheduler: {rate_groups: [{name: g, rate: 100 Hz, components: [wind, four]}]}
components:
  level: {type: constant, params: {type: quat}}
  rolled: {type: constant, params: {type: quat, value: [0.7071, 0.7071, 0, 0]}}
  place: {type: constant, params: {unit: m, value: [0, 0, -10]}}
  duties: {type: constant, params: {type: array, size: 3, value: 0.5}}
  list: {type: constant, params: {value: [1, 2, 3, 4]}}
  one: {type: constant, params: {value: [7]}}
  same: {type: constant, params: {type: vec3, unit: m/s, value: 2}}
  wind: {type: wind, params: {kind: dryden}, inputs: {position: place.y, attitude: rolled.y}}
  four: {type: monitor, params: {size: 4}, inputs: {u: list.y}}
  tri:
    type: multirotor
    inputs: {motor: duties.y, wind: same.y}
    params:
      mass: 1 kg
      inertia: [0.01, 0.01, 0.02]
      rotors:
        - {position: [0.2, 0, 0], direction: 1}
        - {position: [-0.1, 0.17, 0], direction: -1}
        - {position: [-0.1, -0.17, 0], direction: 1}
END
expect 0 run shapes.yaml --json --out shapes.mcap
expect 0 export shapes.mcap --signals level.y,rolled.y,place.y,duties.y,list.y,one.y,same.y --format csv -o -
says out 'level.y.w [1],level.y.x' 'place.y.x [m]' 'duties.y[2] [1]' 'list.y[3] [1]' 'one.y [1]' \
    'same.y.z [m/s]'

wrong() { # SET TEXT
    expect 2 check shapes.yaml --set "components.$1"
    says err "$2"
    same "errors after $1" "$(grep -c 'error: ' err)" 1
}
wrong wind.inputs.attitude=list.y "takes quat; give 'list' the parameter 'type: quat'"
wrong wind.inputs.position=duties.y "takes vec3; give 'duties' the parameter 'type: vec3'"
wrong tri.inputs.motor=same.y "takes f64[3]; give 'same' the parameter 'type: array'"
wrong wind.inputs.position=list.y "is of type f64[4], but input 'wind.position' takes vec3"
wrong 'rolled.params.value=[1, 1, 0, 0]' 'has the length 1, this one 1.41421'
wrong rolled.params.value=1 'has the length 1, this one 2'
wrong rolled.params.size=3 'a quat has 4 elements, not 3'
wrong rolled.params.type=quad "did you mean 'quat'?"
wrong place.params.type=quat 'expected 4 numbers, found 3'
wrong place.params.size=2 'expected 2 numbers, found 3'
finish
