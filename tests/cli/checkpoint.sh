#!/bin/sh
# A run in two pieces gives the hash of a run in one.
. "$TACTUS_SOURCE/tests/cli/common"

whole=$(hash_of "$small")
for t in 0s 0.0035s 0.5s 0.507s 999999us; do
    expect 0 run "$small" -q --json --checkpoint-at "$t" --checkpoint state
    is_json out
    same "the hash of a run that is saved at $t" "$(value out hash)" "$whole"
    says out '"checkpoint"' '"file": "state"'
    expect 0 run "$small" -q --json --from state
    is_json out
    same "the hash of a run from $t" "$(value out hash)" "$whole"
    same finished "$(value out finished)" true
done

# In real time, and with another end
expect 0 run "$small" -q --checkpoint-at 0.9s --checkpoint state
same 'in real time' "$(hash_of "$small" --from state --realtime)" "$whole"
same 'with another end' "$(hash_of "$small" --from state --duration 1.5s)" \
    "$(hash_of "$small" --duration 1.5s)"

# The report and the header
expect 0 run "$small" --checkpoint-at 0.5s
says out 'checkpoint         small.checkpoint, taken at 500 ms'
expect 0 run "$small" --from small.checkpoint
says out 'continued from     small.checkpoint, taken at 500 ms'
expect 0 info small.checkpoint
says out 'small.checkpoint: checkpoint' 'taken at     500 ms'
expect 0 info small.checkpoint --json
is_json out
same t_us "$(value out t_us)" 500000
model=$(value out model_hash)
expect 0 check "$small" --json
same model_hash "$(value out model_hash)" "$model"
expect 2 info small.checkpoint --resolved
expect 2 info small.checkpoint --lcm

# From one to the next
expect 0 run "$small" -q --checkpoint-at 0.5s --checkpoint first
expect 0 run "$small" -q --json --from first --checkpoint-at 0.8s --checkpoint second
says out '"t_us": 500000' '"t_us": 800000'

# One that is not written is not reported.
expect 1 run "$data/fails.yaml" --checkpoint-at 0.9s --checkpoint never
! grep -q never out || fail 'a checkpoint is reported that was not written'
[ ! -e never ] || fail 'a checkpoint was written before its time'

# A branch: other events from there on. The hash is that of the changed file from the start.
mission=$TACTUS_SOURCE/examples/iris_mission.yaml branch=$TACTUS_SOURCE/examples/iris_branch.yaml
expect 0 run "$mission" -q --duration '21 s' --checkpoint-at '20 s' --checkpoint c
straight=$(hash_of "$branch" --duration '30 s')
expect 0 run --from c "$branch" -q --json --duration '30 s'
is_json out
same 'the hash of a branch' "$(value out hash)" "$straight"
says out '{"kind": "event added", "component": "uav.scenario", "name": "events", "before": null, "after": "{at: 25 s, do: motor_off, motor: [2]}"}'
expect 0 run --from c "$branch" --duration '30 s' --log-level error
says out 'changed            uav.scenario: event added: {at: 25 s, do: motor_off, motor: [2]}'
# The same model has no changes, and a parameter that had no effect yet may be another.
expect 0 run --from c "$mission" -q --json --duration '30 s'
says out '"changes": []'
slow='entities.uav.components.control.params.land_speed=0.4 m/s'
straight=$(hash_of "$mission" --duration '62 s' --set "$slow")
expect 0 run --from c "$mission" -q --json --duration '62 s' --set "$slow"
same 'the hash of a branch with another parameter' "$(value out hash)" "$straight"
says out '{"kind": "parameter", "component": "uav.control", "name": "land_speed", "before": "0.5", "after": "0.4"}'
[ "$straight" != "$(hash_of "$mission" --duration '62 s')" ] || fail 'the parameter has no effect'
expect 0 run --from c "$mission" -q --json --duration '21 s' \
    --set 'entities.uav.components.control.params.max_tilt=20 deg' \
    --set 'entities.uav.components.wind.params.mean=[1, 0, 0]'
says out '"name": "max_tilt"' '"name": "mean", "before": "[0, 0, 0]", "after": "[1, 0, 0]"'
# A branch is recorded and replayed as any run, and may be saved again.
expect 0 run --from c "$branch" -q --duration '30 s' --out branch.mcap --checkpoint-at 26s --checkpoint d
expect 0 replay branch.mcap
same 'from one branch to the next' "$(hash_of "$branch" --from d --duration '30 s')" \
    "$(hash_of "$branch" --duration '30 s')"
# Refused: what lies behind, with its place
expect 2 run --from c "$branch" --set 'scenario[2].at=20 s'
says err "iris_branch.yaml:13:5: error" 'does not lie after the checkpoint'
expect 2 run --from c "$branch" --set 'scenario[0].at=1.5 s'
says err "iris_branch.yaml:11:5: error" 'event {at: 1 s, do: arm} happened before the checkpoint at 20 s'
expect 2 run --from c "$branch" --set 'scenario[2]={at: 25 s, do: set, parameter: control.cruise_speed, value: 3 m/s}'
says err 'sets a parameter that no event set there'

# Refused
expect 2 run "$small" --from small.checkpoint --set components.mass.params.position='2 m'
says err "parameter 'mass.position' is 1 there and 2 here, and it is not tunable" '--set:1:'
expect 2 run "$small" --from small.checkpoint --set seed=9
says err 'made by another model' 'there: seed' 'here: seed 9'
expect 2 run "$small" --from small.checkpoint --duration 0.4s
expect 2 run "$small" --checkpoint-at 2s
says err 'before the end of the run'
expect 3 run "$small" --from "$small"
says err 'is not a checkpoint'
head -c 1000 small.checkpoint >cut
expect 3 run "$small" --from cut
expect 3 info cut
expect 3 run "$small" --from nosuch
expect 3 run "$small" --checkpoint-at 0.5s --checkpoint nosuch/file
silent out # at once, not after the run

# A pipe is written to as it is.
mkfifo pipe
cat pipe >through &
expect 0 run "$small" -q --checkpoint-at 0.5s --checkpoint pipe
if [ -p pipe ]; then
    wait
    expect 0 run "$small" -q --from through
else
    fail 'a pipe is replaced by a checkpoint'
fi
finish
