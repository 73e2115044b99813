#!/bin/sh
# PX4 in the loop from the command line: flown, recorded, replayed without its library, and what
# happens when it cannot be loaded, does not fit or does not return.
. "$TACTUS_SOURCE/tests/cli/common"

lib=$TACTUS_BUILD/tests/libpx4_standin.so
one=$TACTUS_SOURCE/examples/iris_px4.yaml
swarm=$TACTUS_SOURCE/examples/iris_px4_swarm.yaml
unset PX4_LOCKSTEP_LIB

# --- flown ----------------------------------------------------------------------------------------

expect 0 run "$one" --set autopilot.px4.library="$lib" -q --json --out flight.mcap
is_json out
same mission_reached "$(value out mission_reached)" 8
same mission_total "$(value out mission_total)" 8
same landed "$(value out landed)" true
hash=$(value out hash)
model=$(value out model_hash)

# Named in the environment, or relative to where one is; where it lies is not part of the model.
PX4_LOCKSTEP_LIB=$lib expect 0 run "$one" -q --json
same 'hash, by the environment' "$(value out hash)" "$hash"
cp "$lib" other.so
expect 0 run "$one" --set autopilot.px4.library=other.so -q --json
same 'hash, of a copy' "$(value out hash)" "$hash"
same 'model, of a copy' "$(value out model_hash)" "$model"
rm other.so

expect 0 run "$swarm" --set autopilot.px4.library="$lib" -q --json
is_json out
same 'mission_reached of four' "$(value out mission_reached)" 32
same 'all landed' "$(value out landed)" true
error=$(value out landing_error_m) # from the landing point, wherever they started
awk -v e="$error" 'BEGIN { exit !(e != "" && e < 0.1) }' || fail "landing_error_m is $error"

# What PX4 prints is in the log, with vehicle and time, and not in the way of the report.
expect 0 run "$one" --set autopilot.px4.library="$lib" --json --duration 3s
is_json out
says err '[  0.000000 s] uav.control: PX4: [px4_lockstep] created' \
    '[  2.028000 s] uav.control: PX4: [navigator] Executing Mission'

# Threads of PX4 still run when a flight is over: that does no harm, however often it is done.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    expect 0 run "$swarm" --set autopilot.px4.library="$lib" -q --json --duration 40ms
    is_json out
done

# A mission that PX4 refuses ends the run, in PX4's words.
square=$TACTUS_SOURCE/examples/missions/square.waypoints
expect 1 run "$one" --set autopilot.px4.library="$lib" -q \
    --set autopilot.px4.params='{MIS_DIST_1WP: 1}' \
    --set entities.uav.components.vehicle.params.position='[30, 0]'
says err "missions/square.waypoints': First waypoint too far away: 29m, 1 max; mission check failed" \
    "component 'uav.control'" 't = 2.5' 'PX4 refuses the mission'

# A row that PX4's loader would drop is refused before the run, or told.
{ cat "$square"; printf '9\t0\t3\t177\t1\t2\t0\t0\t0\t0\t0\t1\n'; } >jump.waypoints
expect 2 check "$one" --set entities.uav.components.control.params.mission="$PWD/jump.waypoints"
says err "$PWD/jump.waypoints:11:7: command 177 (DO_JUMP) is not supported"
{ cat "$square"; printf '9\t0\t3\t206\t1\t2\t0\t0\t0\t0\t0\t1\n'; } >camera.waypoints
expect 0 check "$one" --set entities.uav.components.control.params.mission="$PWD/camera.waypoints"
says err "$PWD/camera.waypoints:11:7: command 206 (DO_SET_CAM_TRIGG_DIST) is left out"

# The same mission in the other format has the same bits; one that returns is replayed without PX4.
expect 0 run "$one" --set autopilot.px4.library="$lib" -q --json \
    --set entities.uav.components.control.params.mission="$TACTUS_SOURCE/examples/missions/square.plan"
same 'hash, of a .plan' "$(value out hash)" "$hash"
{ head -n 4 "$square"; printf '3\t0\t2\t20\t0\t0\t0\t0\t0\t0\t0\t1\n'; } >back.waypoints
expect 0 run "$one" --set autopilot.px4.library="$lib" --json --out back.mcap --duration '60 s' \
    --set entities.uav.components.control.params.mission="$PWD/back.waypoints"
same 'items passed' "$(value out mission_reached)" 3
says err 'PX4 commands NAV_RETURN_TO_LAUNCH'
expect 0 replay back.mcap --json
same 'replay of a return' "$(value out hash_match)" true
rm back.mcap

# All motors stop in flight: a fall on its feet is a crash, whatever PX4 takes it for.
off=
for motor in 1 2 3 4; do off="$off, {at: 20 s, do: motor_off, motor: $motor}"; done
expect 1 run "$one" --set autopilot.px4.library="$lib" --json -q \
    --set "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}$off]"
same 'no motors' "$(value out crashed),$(value out landed)" true,false
grep -q '"impact_speed_m_s": 15\.' out || fail "not the speed of a fall: $(grep impact out)"
says err lands_softly

# --- other modes ----------------------------------------------------------------------------------

sticks=$TACTUS_SOURCE/examples/px4_sticks.yaml
offboard=$TACTUS_SOURCE/examples/px4_offboard.yaml
failure=$TACTUS_SOURCE/examples/px4_motor_failure.yaml
for flight in "$sticks" "$offboard" "$failure"; do
    expect 0 run "$flight" --set autopilot.px4.library="$lib" -q --json --out mode.mcap --force
    same "landed, $flight" "$(value out landed),$(value out crashed)" true,false
    expect 0 replay mode.mcap --json
    same "replay of $flight" "$(value out hash_match)" true
done
publish=entities.uav.components.control.params.publish
# Sticks that are not valid fly nothing, nor does a throttle in the middle or a disarmed vehicle.
for change in "$publish[2].fields.valid=0" 'entities.uav.components.throttle.params.values=[0, 0.25, 0, -1]' \
    'scenario=[]'; do
    expect 0 run "$sticks" --set autopilot.px4.library="$lib" -q --json --duration 10s \
        --set 'expect={}' --set "$change"
    same "on the ground, $change" "$(value out distance_m)" 0
done
# A setpoint below the vehicle does not lift it, one of a velocity upwards does.
for z in '1' 'nan'; do
    expect 0 run "$offboard" --set autopilot.px4.library="$lib" -q --json --duration 10s \
        --set 'expect={}' --set "$publish[2].fields={position: 0, 'position[2]': $z, velocity: nan}"
    same "on the ground, z is $z" "$(value out distance_m)" 0
done
expect 0 run "$offboard" --set autopilot.px4.library="$lib" -q --json --duration 10s \
    --set 'expect={}' --set "$publish[2].fields={velocity: nan, 'velocity[2]': -1, acceleration: nan, position: nan, yaw: nan}"
above=$(value out max_altitude_m)
awk -v z="$above" 'BEGIN { exit !(z > 4) }' || fail "a velocity upwards ends at $above m"
# Without CA_FAILURE_MODE nothing is taken out; a failure that is over brings the motor back.
expect 0 run "$failure" --set autopilot.px4.library="$lib" --duration 22s --set 'expect={}'
says err 'warning: PX4: [control_allocator] Removing motor from allocation (0x4)'
expect 0 run "$failure" --set autopilot.px4.library="$lib" --duration 22s --set 'expect={}' \
    --set autopilot.px4.params.CA_FAILURE_MODE=0
! grep -q 'Removing motor' err || fail 'a motor is taken out though CA_FAILURE_MODE is 0'
expect 0 run "$failure" --set autopilot.px4.library="$lib" --duration 22s --set 'expect={}' \
    --set "$publish[0].fields.fd_motor=t > 10 s AND t < 15 s" \
    --set "$publish[0].fields.motor_failure_mask=1"
says err 'Removing motor from allocation (0x1)' 'PX4: [control_allocator] Restoring all motors'
# Another version of a message is noticed.
PX4_STANDIN_HASH=manual_control_setpoint expect 3 run "$sticks" --set autopilot.px4.library="$lib" -q
says err "topic 'manual_control_setpoint'" 22fe7136 msg_dir

# --- without the library --------------------------------------------------------------------------

for command in check explain; do
    expect 0 $command "$one"
    expect 0 $command "$swarm"
done
expect 0 replay flight.mcap --json
same 'replay' "$(value out hash_match)" true
expect 0 replay flight.mcap --json --from 20s --to 30s
same 'replay of a part' "$(value out hash_match)" true
expect 0 export flight.mcap --format csv --signals 'control.nav_state' --out -
says out '10.000000,3'
expect 0 info flight.mcap
# What PX4 said is in the recording, with its component: the ULog has it from there.
expect 0 export flight.mcap --format ulog -o flight.ulg
grep -aq '\[uav.control\] PX4: \[navigator\] Executing Mission' flight.ulg ||
    fail 'the ULog does not have what PX4 said'
rm flight.ulg
[ "$(wc -c <flight.mcap)" -lt 30000000 ] || fail 'the recording is too large'

# A recording has the .msg files of msg_dir inside, with those of a folder in it: it replays where
# they are gone. What a recording names outside of itself is not opened.
mkdir -p px4/msg/versioned
cp "$TACTUS_SOURCE"/tests/autopilot/data/px4_msg/*.msg px4/msg
fence=px4/msg/versioned/GeofenceStatus.msg
printf 'uint64 timestamp\nuint32 geofence_id\nuint8 status\n' >$fence
echo 'left behind' >px4/msg/notes.txt
printf 'extends: "%s"\nduration: 1 s\nexpect: {}\nautopilot: {px4: {msg_dir: %s, %s}}\n' "$one" px4/msg/ \
    'subscribe: [{topic: geofence_status, fields: {fence: geofence_id}}]' >fence.yaml
expect 0 run fence.yaml --set autopilot.px4.library="$lib" -q --out fence.mcap
mv $fence kept.msg
printf 'uint64 timestamp\nfloat32 geofence_id\n' >$fence
expect 0 replay fence.mcap --json
same 'replay with changed .msg files' "$(value out hash_match)" true
expect 0 info fence.mcap --resolved
says out 'msg_dir: files/2/msg'
! grep -aq 'left behind' fence.mcap || fail 'a file that is no .msg file is in the recording'
cp out resolved.yaml
mv kept.msg $fence
for folder in ../px4/msg "$PWD/px4/msg" files/../../px4/msg files/3; do
    sed "s|files/2/msg|$folder|" resolved.yaml >forged.yaml
    PX4_LOCKSTEP_LIB=$lib "$TACTUS_BUILD/tests/tool_record_forge" fence.yaml forged.yaml forged.mcap \
        files/1/square.waypoints="$TACTUS_SOURCE/examples/missions/square.waypoints" >/dev/null ||
        fail 'cannot forge'
    expect 2 replay forged.mcap
    says err "component 'uav.control'"
done
expect 0 export fence.mcap -o fence.ulg # a topic that only those files know is in the ULog
grep -aq 'geofence_status:uint64_t timestamp;uint32_t geofence_id;uint8_t status;' fence.ulg ||
    fail 'the ULog does not have a topic that was subscribed to'
mv px4 gone
expect 0 replay fence.mcap --json
same 'replay without .msg files' "$(value out hash_match)" true

expect 3 run "$one" -q
says err 'no library of PX4 is named' PX4_LOCKSTEP_LIB
expect 3 run "$one" -q --set autopilot.px4.library=nosuch.so
says err "cannot open 'nosuch.so'" "component 'uav.control'"
expect 3 run "$one" -q --json --set autopilot.px4.library="$TACTUS_BUILD/tests/libpx4_standin_incomplete.so"
is_json out
same exit_code "$(value out exit_code)" 3
says err 'lacks px4_lockstep_orb_check, px4_lockstep_orb_unsubscribe'
PX4_STANDIN_ABI=2 expect 3 run "$one" -q --set autopilot.px4.library="$lib"
says err 'version 2 of the ABI, this bridge 3'
PX4_STANDIN_HASH=mission_result expect 3 run "$one" -q --set autopilot.px4.library="$lib"
says err "topic 'mission_result'" 70caef92

expect 2 run "$one" -q --set autopilot.px4.library="$lib" --checkpoint-at 1s --checkpoint state
says err uav.control
expect 2 check "$one" --set 'scheduler.rate_groups[1].rate=100 Hz'
says err '10000 us' '4000 us at most'

# A failure in the middle is the run's.
PX4_STANDIN_FAIL=step_uorb:-3:1000 expect 1 run "$one" -q --set autopilot.px4.library="$lib"
says err 'px4_lockstep_step_uorb failed with -3: a message could not be published' 't = 3.992 s'

# --- a call that does not return ------------------------------------------------------------------

PX4_STANDIN_HANG=step_uorb:2500 expect 3 run "$one" --set autopilot.px4.library="$lib" \
    --set autopilot.px4.watchdog=300ms --out hung.mcap --csv hung.csv
says err "component 'uav.control'" 'px4_lockstep_step_uorb has not returned after 0.3' 't = 9.992 s'
expect 0 info hung.mcap
says out '9.992 s (the run ended early)' 'px4_lockstep_step_uorb has not returned'
expect 0 info hung.mcap --json
same 'whole, though it hung' "$(value out whole)" true
expect 0 export hung.mcap --format csv --signals vehicle.position --out -
same 'last sample' "$(tail -n 1 out | cut -d , -f 1)" 9.990000
[ "$(wc -l <hung.csv)" -gt 900 ] || fail 'the table was not written out'

for call in abi_version create param_set_f32 orb_create_publisher_ex load_mission_qgc_wpl destroy; do
    PX4_STANDIN_HANG=$call expect 3 run "$one" -q --duration 100ms \
        --set autopilot.px4.library="$lib" --set autopilot.px4.watchdog=200ms --out hung.mcap --force
    says err "px4_lockstep_$call has not returned"
    expect 0 info hung.mcap
done

# As on Linux, where parameters are saved by themselves.
expect 3 run "$one" -q --set autopilot.px4.library="$TACTUS_BUILD/tests/libpx4_standin_no_autosave.so" \
    --set autopilot.px4.watchdog=200ms
says err 'px4_lockstep_param_set_i32 has not returned'
finish
