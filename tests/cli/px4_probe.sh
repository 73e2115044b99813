#!/bin/sh
# tactus px4 probe: what a library says of itself, and what is said where it does not fit.
. "$TACTUS_SOURCE/tests/cli/common"

lib=$TACTUS_BUILD/tests/libpx4_standin.so
expect 0 px4 probe "$lib"
says out 'it prints          INFO  [px4_lockstep] created' 'ABI version        3' 'configuration 36' '20 of 20 fit' \
    'vehicle_attitude                56  0ac1f7cd      1      56  0ac1f7cd  fits'

expect 0 px4 probe "$lib" --json --topic home_position --fields
python3 - out <<'PY' || fail 'the JSON is not what it should be'
import json, sys
about = json.load(open(sys.argv[1]))
topic = about["topics"][0]
assert about["printed"] == ["INFO  [px4_lockstep] created"]
assert about["fits"] and about["abi"] == 3 and about["config_size"] == 36
assert topic["hash"] == topic["expected_hash"] == "159bab7e" and topic["size"] == 64
assert topic["fields"][0] == {"name": "timestamp", "type": "uint64", "count": 1, "offset": 0}
PY

export PX4_STANDIN_HASH=vehicle_attitude
expect 3 px4 probe "$lib"
unset PX4_STANDIN_HASH
says out '19 of 20 fit' '0ac1f7cd  DIFFERS'
says err '--msg-dir'
expect 3 px4 probe "$lib" --topic vehicle_atitude
says out "unknown to both; did you mean 'vehicle_attitude'?"

# Every topic that is asked for is looked at, however many there are.
set --
i=0
while [ $i -lt 300 ]; do
    set -- "$@" --topic home_position
    i=$((i + 1))
done
expect 3 px4 probe "$lib" "$@" --topic nonsense
says out '300 of 301 fit' nonsense

# A folder of messages: topics that it does not have are built in; a mistake in a file that is used is
# an error with its place, and never a reason to use the built-in message.
mkdir msg
printf 'uint64 timestamp\nfloat32 x\n' >msg/ManualControlSetpoint.msg
expect 0 px4 probe "$lib" --msg-dir msg --topic vehicle_attitude
expect 3 px4 probe "$lib" --msg-dir msg --topic manual_controlsetpoint
says out "did you mean 'manual_control_setpoint'?"
one=$TACTUS_SOURCE/examples/iris_px4.yaml
expect 2 check "$one" --set autopilot.px4.msg_dir=msg \
    --set 'autopilot.px4.subscribe=[{topic: manual_controlsetpoint}]'
says err "did you mean 'manual_control_setpoint'?"
expect 2 check "$one" --set autopilot.px4.msg_dir=msg \
    --set 'autopilot.px4.publish=[{topic: vehicle_atitude}]'
says err "did you mean 'vehicle_attitude'?"
expect 2 check "$one" --set 'autopilot.px4.publish=[{period: 3}]'
says err "parameter 'topic' is missing"
for row in 'flaot32[4] q' 'Nonsense[3] q'; do
    printf 'uint64 timestamp\n%s\n' "$row" >msg/VehicleAttitude.msg
    expect 2 check "$one" --set autopilot.px4.msg_dir=msg
    says err 'msg/VehicleAttitude.msg:2:1: unknown type'
    expect 2 px4 probe "$lib" --msg-dir msg
    says err 'msg/VehicleAttitude.msg:2:1: error: unknown type'
done
export PX4_STANDIN_ABI=2
expect 3 px4 probe "$lib"
unset PX4_STANDIN_ABI
says err 'version 2'
expect 3 px4 probe "$TACTUS_BUILD/tests/libpx4_standin_incomplete.so"
says err 'orb_check' 'orb_unsubscribe'
expect 3 px4 probe /nowhere.so
says err "cannot open '/nowhere.so'"
expect 2 px4 prob
says err "tactus px4 probe"
export PX4_LOCKSTEP_LIB=
expect 3 px4 probe
unset PX4_LOCKSTEP_LIB
says err 'PX4_LOCKSTEP_LIB'
export PX4_LOCKSTEP_LIB=$lib
expect 0 px4 probe --topic vehicle_status
unset PX4_LOCKSTEP_LIB

# A command and a component type of one name.
expect 0 help px4
says out 'usage: tactus px4' 'component type of that name' 'watchdog'
finish
