#!/bin/sh
# The component flight_control in the program: a flight, in one piece and in two; orders of a
# scenario; mistakes in their places.
. "$TACTUS_SOURCE/tests/cli/common"
quad=$TACTUS_SOURCE/tests/autopilot/data/quad.yaml
missions=$TACTUS_SOURCE/examples/missions

# A flight
expect 0 check "$quad"
expect 0 run "$quad"
says err 'control: takeoff' 'item 8 of 8 passed' 'control: landed'
# Within 0.2 m of home, on its feet, where it stood.
sed -n 's/.*62\.000 s\] touch: value = \(.*\) m$/\1/p' err | tr -d , >touch
awk '{ exit !($1 * $1 + $2 * $2 < 0.04 && $3 < -0.09 && $3 > -0.11) }' touch ||
    fail "landed at $(cat touch)"

# In two pieces, and from the other file
whole=$(hash_of "$quad")
for t in 1.5s 5s 21s 57s; do
    expect 0 run "$quad" -q --checkpoint-at "$t" --checkpoint state
    same "the hash of a flight from $t" "$(hash_of "$quad" --from state)" "$whole"
done
expect 0 run "$quad" --set components.control.params.mission="$missions/square.plan"
says err 'item 8 of 8 passed'

# A scenario
cat >orders.yaml <<END
extends: $quad
components:
  scenario:
    params:
      events:
        - {at: 1 s, do: arm}
        - {at: 2 s, do: start_mission}
        - {at: 3 s, do: set, parameter: control.cruise_speed, value: 0.5 m/s}
        - {at: 20 s, do: return}
END
expect 0 run orders.yaml
says err 'item 1 of 8 passed' 'control: return' 'control: landed'
! grep -q 'item 2 of 8' err || fail 'the cruise speed was not set'
expect 0 run "$quad" --set 'components.scenario.params.events=[{at: 1 s, do: arm},
    {at: 2 s, do: start_mission}, {at: 20 s, do: motor_off, motor: 2}]'
says err 'motor 2 is out; the others cannot hold the vehicle: coming down'

# Five vehicles that differ in mass, gains and missions, in lanes and one by one: the same signals,
# the same log in the same order.
printf 'QGC WPL 110\n0\t1\t3\t22\t0\t0\t0\t0\t0\t0\t%s\t1\n' 2 >up.waypoints
printf '1\t0\t3\t21\t0\t0\t0\t0\t0\t0\t0\t1\n' >>up.waypoints
cat >fleet.yaml <<END
extends: $TACTUS_SOURCE/examples/vehicles/rates.yaml
duration: 6 s
entities:
  uav:
    count: 5
    extends: $TACTUS_SOURCE/examples/vehicles/iris.yaml
    components:
      control: {params: {mission: $missions/square.waypoints}}
      scenario: {params: {events: [{at: 0.1 s, do: arm}, {at: 0.2 s, do: start_mission}]}}
    each:
      - components: {vehicle: {params: {mass: 1.4 kg}}}
      - components: {control: {params: {mission: $work/up.waypoints, spool_time: 0.3 s}}}
      - components: {control: {params: {rate_bandwidth: 14 rad/s, climb_speed: 1 m/s}}}
      - components:
          control: {params: {mission: $work/up.waypoints}}
          scenario:
            params:
              events:
                - {at: 0.1 s, do: arm}
                - {at: 0.2 s, do: start_mission}
                - {at: 2.5 s, do: motor_off, motor: 2}
      - components: {scenario: {params: {events: [{at: 3 s, do: arm}]}}}
END
for lanes in 1 2 4 auto; do
    expect 0 run fleet.yaml --set plant.lanes=$lanes
    grep '^\[' err >log.$lanes
    hash_of fleet.yaml --set plant.lanes=$lanes >hash.$lanes
    same "the hash of five flights, $lanes at once" "$(cat hash.$lanes)" "$(cat hash.1)"
    same "the log of five flights, $lanes at once" "$(cat log.$lanes)" "$(cat log.1)"
done
says log.1 'uav1.control: takeoff' 'uav2.control: item 1 of 2 passed' 'uav4.control: warning: motor 2 is out'

# Mistakes
expect 2 check "$quad" --set components.control.params.mission=none.waypoints
says err none.waypoints "parameter 'mission' of 'control'"
sed '4s/16/82/' "$missions/square.waypoints" >bad.waypoints
expect 2 check "$quad" --set components.control.params.mission="$work/bad.waypoints"
says err 'bad.waypoints:4:7: command 82 (NAV_SPLINE_WAYPOINT) is not supported'
sed 's/SimpleItem/ComplexItem/' "$missions/square.plan" >bad.plan
expect 2 check "$quad" --set components.control.params.mission="$work/bad.plan"
says err "bad.plan:20:25: complex item 'unknown' is not supported"
expect 2 check "$quad" --set components.vehicle.params.calibration.thrust_to_weight=0.9
says err 'cannot hold it level in hover'
expect 2 check "$quad" --set components.control.params.vehicle=estimatr
says err estimatr
expect 2 check "$quad" --set components.control.params.max_tilt='90 deg'
says err max_tilt
finish
