#!/bin/sh
# Vehicles side by side in lanes: recordings, checkpoints and hashes of whole vehicles are the same
# bytes for every number of lanes, and for none given.
. "$TACTUS_SOURCE/tests/cli/common"

# fly NAME ARG...: fly the swarm with these arguments, which leaves NAME.mcap and NAME.checkpoint
fly() {
    name=$1
    shift
    expect 0 run swarm.yaml -q --json --out "$name.mcap" --checkpoint-at 4.1s \
        --checkpoint "$name.checkpoint" "$@"
    value out hash >"$name.hash"
}

# compare WHAT LANES...: fly the swarm with these numbers of lanes, and with none given
compare() {
    what=$1
    shift
    fly none
    [ -s none.mcap ] && [ -s none.checkpoint ] && [ -s none.hash ] || fail 'nothing was flown'
    for lanes; do
        fly some --set "plant.lanes=$lanes" --force
        for file in mcap checkpoint hash; do
            cmp none.$file some.$file || fail "$what: another $file with $lanes lanes"
        done
        rm some.*
    done
    rm none.*
}

# The example, of which two vehicles are in the air at the end; and Irises of which no two are alike,
# with another one whose phases look at them.
cat >swarm.yaml <<END
extends: $TACTUS_SOURCE/examples/swarm.yaml
duration: 5 s
expect: ~
record: {tier: all, rate: 100 Hz, states: 1 s}
END
compare examples/swarm.yaml 1
cat >swarm.yaml <<END
extends: $TACTUS_SOURCE/bench/swarm_different.yaml
duration: 5 s
expect: ~
entities:
  uav: {count: 7}
  other:
    extends: $TACTUS_SOURCE/examples/vehicles/iris.yaml
    phases:
      names: [WAIT, UP]
      initial: WAIT
      transitions:
        - {from: WAIT, to: UP, condition: uav2.vehicle.position.z < -0.5 m, locate: true,
           actions: [{reset: vehicle.velocity, to: [0, 0, "uav3.vehicle.velocity.z"]}]}
        - {from: UP, to: WAIT, condition: uav4.estimator.velocity.z > 0 m/s}
    components:
      vehicle: {params: {position: [30, 30]}}
      control: {params: {mission: $TACTUS_SOURCE/examples/missions/square.waypoints}}
record: {tier: all, rate: 100 Hz, states: 1 s}
END
compare bench/swarm_different.yaml 1 2 4 8 auto

# What is asked of the machine is no part of a recording, but of the configuration of the run.
expect 0 run swarm.yaml -q --out set.mcap --set plant.lanes=2 --set plant.integrator.kind=rk23
expect 0 info set.mcap --resolved
says out 'plant:' 'kind: rk23'
grep -q lanes out && fail 'lanes are part of a recording'
expect 0 info swarm.yaml --resolved --set plant.lanes=2
says out 'lanes: 2'
expect 0 replay set.mcap --json
same 'replay' "$(value out hash_match)" true

finish
