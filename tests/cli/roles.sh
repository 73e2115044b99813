#!/bin/sh
# Vehicles are found by the roles of their signals: those of a plugin have the same report and picture.
. "$TACTUS_SOURCE/tests/cli/common"
command -v "${CC:-cc}" >/dev/null || exit 77
"${CC:-cc}" -std=c17 -shared -fPIC -I"$TACTUS_SOURCE/include" "$data/glider.c" -o glider.so || exit 1

cat >glide.yaml <<'END'
name: glide
duration: 10 s
plugins: [glider.so]
scheduler:
  rate_groups:
    - {name: fly, period: 100 ms, components: [s1.mind]}
entities:
  s1:
    components:
      mind: {type: brain}
      hull: {type: glider}
END

expect 0 help glider --plugin ./glider.so
says out 'role position' 'role soc' 'role attitude' 'role contact'
expect 0 help brain --plugin ./glider.so --json
is_json out
says out '"role": "mission_reached"'

expect 0 run glide.yaml --json --quiet
is_json out
command -v python3 >/dev/null && python3 - <<'END' || fail 'the report of a plugin'\''s vehicle'
import json, math
r = json.load(open("out"))
v, = r["vehicles"]
assert v["name"] == "s1", v
assert r["mission_reached"] == 2 and r["mission_total"] == 7, r
assert v["landed"] is False and abs(v["max_altitude_m"] - 100) < 1e-9, v
assert all(abs(a - b) < 1e-6 for a, b in zip(v["position"], (200, 0, -90))), v
assert abs(v["distance_m"] - 10 * math.hypot(20, 1)) < 1e-6, v
assert abs(v["flight_time_s"] - 10) < 1e-9, v
assert abs(v["battery_soc"] - 0.8) < 1e-9 and len(v["batteries"]) == 2, v
END
if command -v gnuplot >/dev/null; then
    expect 0 run glide.yaml --quiet --plot glide.svg
    says glide.svg 'Ground track' 'Altitude' 'Attitude' 'Battery' 'charge'
    ! grep 'voltage' glide.svg || fail 'an axis of a voltage that nobody measures'
fi

# No type and no signal is asked for by name where a vehicle or an autopilot is meant.
cd "$TACTUS_SOURCE/src" || exit 1
! grep -rnE '"(px4|multirotor|flight_control|rocket_body)"' cli config | grep -v '\.name = "px4"' ||
    fail 'a type that is asked for by name'
! grep -rnE '"(battery\.(soc|voltage)|feet_down|rotor_speed|position_sp|mission_reached)"' cli config |
    grep -vE 'json|:// ' || fail 'a signal that is asked for by name'
cd "$work" || exit 1

# `autopilot:` is for any type.
cat >flight.yaml <<'END'
extends: EXAMPLES/iris_mission.yaml
autopilot: {flight_control: {cruise_speed: 3}}
END
sed -i "s|EXAMPLES|$TACTUS_SOURCE/examples|" flight.yaml
expect 0 check flight.yaml
expect 2 check flight.yaml --set autopilot.flight_control.cruise_spead=3
says err "unknown parameter 'cruise_spead'" "did you mean 'cruise_speed'"
expect 2 check flight.yaml --set autopilot.flight_contrul.cruise_speed=3
says err "unknown component type 'flight_contrul'; did you mean 'flight_control'"
finish
