#!/bin/sh
# A flight with conditions that are located: a replay meets the same instants and comes to the same
# states, from the start and from the middle; so does a run that goes on from a checkpoint.
. "$TACTUS_SOURCE/tests/cli/common"

cat >climb.yaml <<EOF
extends: $TACTUS_SOURCE/examples/iris_mission.yaml
duration: 9 s
record: {tier: replay, states: 700 ms}
scenario:
  - {at: 0.5 s, do: arm}
  - {at: 1 s, do: start_mission}
  - {when: vehicle.position.z < -1, locate: true, do: gust, wind: [5, 2, 0], for: 0.5 s}
  - {when: vehicle.velocity.z < -0.7, locate: true, repeat: true, do: log, text: fast}
  - {when: vehicle.position.z < -3 AND scenario.mode == mission, locate: true, after: 10 ms,
     do: motor_loss, motor: 2, loss: 0.2}
EOF
expect 0 run climb.yaml --json --out a.mcap
whole=$(value out hash)
says err 'gust 5 2 0 (when vehicle.position.z < -1)' 'fast (when' 'motor_loss motor 2'
[ "$(value out events)" != 0 ] || fail 'nothing was located'

# No step of the scenario, every 20 ms, is where it happened.
expect 0 run climb.yaml --json --set 'scenario[2].locate=false' --set 'scenario[3].locate=false' \
    --set 'scenario[4].locate=false'
[ "$(value out hash)" != "$whole" ] || fail 'located or not, the same run'

expect 0 replay a.mcap --json
same 'replay' "$(value out hash_match)" true
expect 0 replay a.mcap --json --from 4s --to 8s
same 'a part' "$(value out hash_match)" true
expect 0 replay a.mcap --out b.mcap
expect 0 replay b.mcap --json
same 'replay of a replay' "$(value out hash_match)" true

expect 0 run climb.yaml -q --checkpoint-at 3.3s --checkpoint state
expect 0 run climb.yaml -q --json --from state --out c.mcap
same 'hash from a checkpoint' "$(value out hash)" "$whole"
expect 0 replay c.mcap --json
same 'replay from a checkpoint' "$(value out hash_match)" true

expect 0 explain climb.yaml
says out 'condition event2 of uav.scenario' 'located event2'
finish
