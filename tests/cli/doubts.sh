#!/bin/sh
# What is allowed but looks like a mistake: warnings of `tactus check` with their place, once each,
# and none for any example.
. "$TACTUS_SOURCE/tests/cli/common"

for file in "$TACTUS_SOURCE"/examples/*.yaml; do
    case $file in
    *swarm_large*) expect 0 check "$file" --set entities.uav.count=20 ;;
    *) expect 0 check "$file" ;;
    esac
    same "warnings of $file" "$(cat err)" ''
done

# A vehicle with propellers that cannot be accepts the warning; without a word it is given, once for
# a whole swarm, and one that is accepted without need is a warning, too.
swarm=$TACTUS_SOURCE/examples/iris_px4_swarm.yaml
accept=entities.uav.components.vehicle.accept
expect 0 check "$swarm" --set "$accept=[]"
says err 'iris_px4lockstep.yaml:' 'the thrust coefficient CT' '[propeller-thrust]'
same 'warnings' "$(wc -l <err)" 1
expect 0 check "$TACTUS_SOURCE/examples/iris_px4.yaml" --set "$accept=[propeller-thrust, rotor-far]"
says err "accepts the warning 'rotor-far', but has no such warning" '[accept-idle]'
same 'warnings' "$(wc -l <err)" 1
expect 0 check "$swarm" --set "$accept=propeller-thrust"
silent err

flight=$TACTUS_SOURCE/examples/iris_mission.yaml

# A controller that reads what the estimator measures
cat >truth.yaml <<EOF
extends: $flight
entities: {uav: {components: {control: {inputs: {velocity: vehicle.velocity}}}}}
EOF
expect 0 check truth.yaml
says err 'truth.yaml:2:' "'uav.control.velocity' gets the truth, 'uav.vehicle.velocity', past the sensors"
same 'warnings' "$(wc -l <err)" 1
says out 'fine, 1 warning'

# Faults that lead nowhere, each named once; what ends them is not one
cat >faults.yaml <<EOF
extends: $flight
scenario:
  - {at: 10 s, do: motor_off, motor: 1}
  - {at: 11 s, do: motor_loss, motor: [1, 2], loss: 0.5}
  - {at: 12 s, do: sensor_fault, sensor: gps, fault: dropout}
  - {at: 13 s, do: sensor_fault, sensor: estimator, fault: freeze, for: 1 s}
  - {at: 14 s, do: gust, wind: [1, 0, 0]}
  - {at: 15 s, do: restore}
  - {at: 16 s, do: restore, sensor: mag}
entities: {uav: {components: {vehicle: {inputs: {motor_hold: ~}}, wind: {inputs: ~}}}}
EOF
expect 0 check faults.yaml
says err "faults.yaml:3:20: this has no effect: no input is connected to 'uav.scenario.motor_hold'" \
    "faults.yaml:5:20: this has no effect: no input is connected to 'uav.scenario.gps_fault'" \
    "faults.yaml:7:20: this has no effect: no input is connected to 'uav.scenario.gust'"
same 'warnings of faults' "$(wc -l <err)" 3

# The others of the vehicle, while those above are connected
cat >others.yaml <<EOF
extends: $flight
scenario:
  - {at: 10 s, do: motor_off, motor: 1}
  - {at: 11 s, do: motor_loss, motor: [1, 2], loss: 0.5}
  - {at: 12 s, do: battery_disconnect, battery: 1}
  - {at: 13 s, do: sensor_fault, sensor: baro, fault: dropout}
  - {at: 14 s, do: gust, wind: [1, 0, 0]}
entities: {uav: {components: {vehicle: {inputs: {motor_loss: ~, battery_open: ~}}}}}
EOF
expect 0 check others.yaml
says err "others.yaml:4:20: this has no effect: no input is connected to 'uav.scenario.motor_loss'" \
    "others.yaml:5:20: this has no effect: no input is connected to 'uav.scenario.battery_open'" \
    "others.yaml:6:20: this has no effect: no input is connected to 'uav.scenario.baro_fault'"
same 'warnings of others' "$(wc -l <err)" 3

# A bus without a battery
cat >bus.yaml <<EOF
extends: $flight
entities:
  uav:
    components:
      vehicle:
        params:
          buses: [{motors: [1, 2, 3, 4], batteries: [1]}, {load: 5 W}]
EOF
expect 0 check bus.yaml
says err 'bus.yaml:7:' 'bus 2 has no battery'
same 'warnings' "$(wc -l <err)" 1

# A rate loop that the actuators do not allow; rotors that all turn the same way
iris=entities.uav.components
expect 0 check "$flight" --set "$iris.control.params.rate_bandwidth=30"
silent err
expect 0 check "$flight" --set "$iris.control.params.rate_bandwidth=60"
says err 'rate_bandwidth 60 rad/s is beyond what the actuators allow: rotors that follow in 45.9 ms' \
    'phase margin of 11 degrees at 33 rad/s; expected at most 30.8 rad/s' '[rate-bandwidth]' '--set:1:'
same 'warnings' "$(wc -l <err)" 1
expect 0 check "$flight" --set "$iris.control.params.rate_bandwidth=200"
says err 'and it is unstable'
expect 0 check "$flight" --set "$iris.control.params.yaw_rate_bandwidth=40"
says err 'yaw_rate_bandwidth 40 rad/s'
same 'warnings' "$(wc -l <err)" 1
# A bandwidth that is derived from the motors does not know of slow actuators.
for actuator in '{kind: first_order, tau: 0.5}' '{kind: second_order, omega: 8, zeta: 0.7}'; do
    expect 0 check "$flight" --set "$iris.vehicle.params.actuator=$actuator" \
        --set "$iris.control.params.rate_bandwidth=~"
    says err 'rate_bandwidth 6.045 rad/s' 'behind actuators of' '[rate-bandwidth]'
    same 'warnings' "$(wc -l <err)" 1
done
for i in 2 3; do sets="${sets:-} --set $iris.vehicle.params.rotors[$i].direction=1"; done
expect 0 check "$flight" $sets
says err 'all 4 rotors turn the same way' '[rotor-directions]'
same 'warnings' "$(wc -l <err)" 1

# Cells: the example's four are those of the table; a battery that is not that of the calibration
hexa=$TACTUS_SOURCE/examples/hexa_motor_out.yaml
pack='batteries=[{cells: 4, r0: 0.012 Ohm, r1: 6 mOhm, c1: 3000 F, capacity: 8000 mAh}]'
expect 0 run "$hexa" --json --quiet --duration '5 s' --set 'expect=~' --log-level error
written_out=$(value out hash)
expect 0 run "$hexa" --json --quiet --duration '5 s' --set 'expect=~' --log-level error \
    --set "$iris.vehicle.params.$pack"
same 'four cells' "$(value out hash)" "$written_out"
expect 0 check "$flight" --set "$iris.vehicle.params.batteries=[{cells: 3}]"
silent err
expect 0 check "$flight" --set "$iris.vehicle.params.batteries=[{cells: 6}]"
says err 'calibration.voltage is 12 V, but the batteries have 16.5 to 25.2 V' '[voltage-nominal]'
expect 0 check "$flight" --set "$iris.vehicle.params.batteries=[{cells: 6, kind: ideal}]" \
    --set "$iris.vehicle.params.calibration.voltage=22.2 V"
! grep -q voltage-nominal err || fail 'a warning of the voltage of an ideal battery'
expect 2 check "$flight" --set "$iris.vehicle.params.batteries=[{cells: 6, ocv: [18, 25]}]"
says err "expected 'cells' or 'ocv', not both"
expect 2 check "$flight" --set "$iris.vehicle.params.batteries=[{cells: 6S}]"
says err "'6S' is not a whole number"

# Wind that follows its vehicle: accepted in the example; frozen it is the same in two flights
gusts=$TACTUS_SOURCE/examples/gusts.yaml
wind=entities.uav.components.wind
expect 0 check "$gusts" --set "$wind.accept=~"
says err "depends on the vehicle's position and velocity" '[wind-follows]' 'gusts.yaml:24:'
same 'warnings' "$(wc -l <err)" 1
expect 0 check "$gusts" --set "$wind.accept=~" --set "$wind.params.frozen={}"
silent err
expect 0 check "$gusts" --set "$wind.accept=~" --set "$wind.params.kind=ou"
silent err
expect 0 check "$gusts" --set "$wind.accept=~" --set "$wind.params.kind=ou" \
    --set "$wind.params.roughness=0.1"
says err "depends on the vehicle's position, so"
expect 0 check "$gusts" --set "$wind.accept=~" --set "$wind.inputs={gust: scenario.gust}"
silent err
wind_of() { # NAME OPTION...: the digest of the wind in a flight
    name=$1
    shift
    expect 0 run "$gusts" --quiet --log-level error --duration '12 s' --set 'expect=~' \
        --out "$name.mcap" --force "$@"
    expect 0 hash "$name.mcap" uav.wind.base
    cut -d ' ' -f 1 out
}
other="--set entities.uav.components.control.params.rate_bandwidth=9"
follows=$(wind_of a)
[ "$follows" != "$(wind_of b $other)" ] || fail 'two flights met the same wind that follows them'
for frozen in '{}' '{height: 30 m, airspeed: 8 m/s}' '{height: 1 km}'; do
    for kind in dryden ou; do
        a=$(wind_of a --set "$wind.params.frozen=$frozen" --set "$wind.params.kind=$kind" \
            --set "$wind.params.roughness=0.1")
        b=$(wind_of b $other --set "$wind.params.frozen=$frozen" --set "$wind.params.kind=$kind" \
            --set "$wind.params.roughness=0.1")
        same "wind of kind $kind, frozen $frozen" "$a" "$b"
    done
done
[ "$a" != "$follows" ] || fail 'the frozen wind is the other one'
expect 2 check "$gusts" --set "$wind.params.frozen=true"
says err "expected a map of parameters, found 'true'"
expect 2 check "$gusts" --set "$wind.params.frozen={hight: 3}"
says err "did you mean" 'height'

# Every id stands in the document, and the document has no others.
find "$TACTUS_SOURCE/src" -name '*.[ch]' -exec cat {} + | tr -s '\n ' ' ' |
    grep -oE '(tac__warn|tac__watch_warn|tac_declare_doubt)\( ?[a-z]+, "[a-z-]+"' |
    sed 's/.*"\(.*\)"/\1/' | sort -u >ids
sed -n 's/^| `\([a-z-]*\)` |.*/\1/p' "$TACTUS_SOURCE/docs/warnings.md" | sort >documented
cmp -s ids documented || fail "ids and docs/warnings.md differ: $(diff ids documented)"

# Events behind the end
cat >late.yaml <<EOF
extends: $flight
duration: 5 s
scenario:
  - {at: 1 s, do: arm}
  - {at: 5 s, do: disarm}
  - {at: 5000001 us, do: log, text: never}
  - {at_step: 250, do: log, text: at the end}
  - {at_step: 251, do: log, text: never}
EOF
expect 0 check late.yaml
says err 'late.yaml:6:' 'late.yaml:8:' 'the run ends before, at 5 s: this never happens'
same 'warnings' "$(wc -l <err)" 2
expect 0 check late.yaml --json
is_json out
same 'warnings in JSON' "$(grep -c 'never happens' out)" 2
expect 0 check late.yaml --set 'duration=10 s'
same 'warnings' "$(cat err)" ''
finish
