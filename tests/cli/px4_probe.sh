#!/bin/sh
# tactus px4 probe: what a library says of itself, and what is said where it does not fit.
. "$TACTUS_SOURCE/tests/cli/common"

lib=$TACTUS_BUILD/tests/libpx4_standin.so
expect 0 px4 probe "$lib"
says out 'it prints          INFO  [px4_lockstep] created' 'ABI version        3' 'configuration 36' '18 of 18 fit' \
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
says out '17 of 18 fit' '0ac1f7cd  DIFFERS'
says err '--msg-dir'
expect 3 px4 probe "$lib" --topic vehicle_atitude
says out 'unknown to both'
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
