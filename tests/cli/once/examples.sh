#!/bin/sh
# Every example runs to its end, its report is JSON, and it does what it is expected to. It warns of
# nothing but the motor that fails in it. tools/determinism.sh runs them with the programs of the
# other trees.
. "$TACTUS_SOURCE/tests/cli/common"

for example in "$TACTUS_SOURCE"/examples/*.yaml; do
    [ -e "$example" ] || continue
    case $example in
    *swarm_large*) set -- --set entities.uav.count=20 ;;
    */swarm.yaml) set -- --duration '20 s' ;; # twenty vehicles, alike for all of the minute
    *) set -- ;;
    esac
    expect 0 run "$example" --quiet --json "$@"
    is_json out
    case $example in
    *hexa_motor_out* | *iris_branch*) known='motor 2 is out; yaw is let go' ;;
    *octa_two_batteries*) known='motor 3 is out; the others take over' ;;
    *px4_motor_failure*) known='PX4: [control_allocator] Removing motor from allocation (0x4)' ;;
    *) known= ;;
    esac
    sed -i '/\[event-late\]$/d' err # of the swarm, which is cut here
    same "what ${example##*/} says" "$(sed 's/^\[ *[0-9.]* s\] uav.control: warning: //' err)" "$known"
    # A mission that is flown to its end ends on its feet, near its landing point.
    case $example in
    *gusts* | *hexa_motor_out* | *iris_mission* | *octa* | *iris_px4* | *px4_motor* | *px4_offboard*)
        same "the end of ${example##*/}" \
            "$(value out landed),$(value out crashed),$(value out hard_landing)" true,false,false
        for name in passes_all ends lands near_home near_start; do
            sed -n '/^expect:/,$p' "$example" | grep -q "^  $name:" && echo "$name"
        done >ends
        [ "$(wc -l <ends)" -ge 2 ] || fail "${example##*/} does not ask for its end"
        ;;
    esac
done
finish
