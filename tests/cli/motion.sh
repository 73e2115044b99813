#!/bin/sh
# Reports of rockets, orbits and cars, chosen by the roles of their signals, against closed forms.
. "$TACTUS_SOURCE/tests/cli/common"
command -v python3 >/dev/null || exit 77
examples=$TACTUS_SOURCE/examples

# --- an orbit that is made from its elements, by another road than the report's --------------------

cat >orbit.py <<'END'
import json, math, sys
mu = 3.986004418e14
a, e, i, node, peri, nu = 9.0e6, 0.15, math.radians(40), math.radians(70), math.radians(30), math.radians(50)
p = a * (1 - e * e)
r = p / (1 + e * math.cos(nu))
period = 2 * math.pi * math.sqrt(a ** 3 / mu)
def turn(x, y): # from the plane of the orbit, x towards the periapsis
    cn, sn, ci, si, cp, sp = (f(x) for x in (node, i, peri) for f in (math.cos, math.sin))
    return [x * (cn * cp - sn * sp * ci) - y * (cn * sp + sn * cp * ci),
            x * (sn * cp + cn * sp * ci) - y * (sn * sp - cn * cp * ci),
            x * sp * si + y * cp * si]
position = turn(r * math.cos(nu), r * math.sin(nu))
velocity = turn(-math.sqrt(mu / p) * math.sin(nu), math.sqrt(mu / p) * (e + math.cos(nu)))
if len(sys.argv) > 1:
    print(f"""name: kepler
duration: {round(period * 1e6)} us
plant: {{integrator: {{kind: dop853, rtol: 1e-13, atol: 1e-9}}}}
entities:
  moon:
    components:
      point: {{type: orbiter, params: {{position: {position!r}, velocity: {velocity!r}}}}}""")
    sys.exit()
o, = json.load(open("out"))["orbits"]
def near(what, x, y, tolerance):
    assert abs(x - y) <= tolerance, (what, x, y)
assert o["name"] == "moon"
for k in "elements_start", "elements": # after one turn it is where it was
    s = o[k]
    near("a", s["semi_major_axis_m"], a, 1e-3)
    near("e", s["eccentricity"], e, 1e-10)
    near("i", s["inclination_deg"], 40, 1e-9)
    near("node", s["node_deg"], 70, 1e-9)
    near("periapsis", s["periapsis_deg"], 30, 1e-7)
    near("anomaly", s["true_anomaly_deg"], 50, 1e-6)
    near("period", s["period_s"], period, 1e-6)
    near("low", s["periapsis_altitude_m"], a * (1 - e) - 6378137, 1e-2)
    near("high", s["apoapsis_altitude_m"], a * (1 + e) - 6378137, 1e-2)
near("turns", o["turns"], 1, 1e-8)
near("energy", o["energy_j_kg"], -mu / (2 * a), 1e-3)
assert o["energy_drift"] < 1e-12, o
near("speed", o["top_speed"]["speed_m_s"], math.sqrt(mu / a * (1 + e) / (1 - e)), 1e-3)
near("lowest", o["lowest_altitude_m"], a * (1 - e) - 6378137, 1)
near("highest", o["highest_altitude_m"], a * (1 + e) - 6378137, 1)
END
python3 orbit.py write >kepler.yaml
expect 0 run kepler.yaml --json -q
is_json out
python3 orbit.py || fail 'elements of an orbit'
expect 0 run kepler.yaml
says out '  orbit  ' '  elements           a 9000.000 km, e 0.150000, i 40.0000 deg' \
    'RAAN 70.0000, argument of periapsis 30.0000, true anomaly 50.0000 deg' 'period 141.6 min; 1.00 turns' '  energy '
# Faster than escape there is no period; in the plane of the equator no node.
expect 1 run "$examples/orbit.yaml" --json -q --duration '100 s' \
    --set entities.sat.components.orbit.params.velocity='[0, 12000, 0]'
says out '"period_s": null' '"apoapsis_altitude_m": null' '"node_deg": null'

# --- a stone thrown up: radial fall in an inverse-square field -------------------------------------

cat >stone.yaml <<'END'
name: stone
duration: 250 s
world: {latitude: 0 deg, longitude: 0 deg, altitude: 0 m, geodesy: wgs84}
plant: {integrator: {kind: dop853, rtol: 1e-12, atol: 1e-9}}
entities:
  stone:
    components:
      mass: {type: constant, params: {unit: kg, value: 5}}
      body:
        type: rocket_body
        params: {motion: fixed, attitude: [1, 0, 0, 0], rotation: 0, air: false, velocity: [1000, 0, 0]}
        inputs: {mass: mass.y}
END
expect 0 run stone.yaml --json -q
is_json out
python3 - <<'END' || fail 'a stone thrown up'
import json, math
mu, r0, v = 3.986004418e14, 6378137.0, 1000.0
s, = json.load(open("out"))["rockets"]
top = 1 / (1 / r0 - v * v / (2 * mu))
assert abs(s["apogee"]["height_m"] - (top - r0)) < 1e-2, (s, top - r0)
# Kepler's equation of a straight line: from the top, t = sqrt(R^3/2mu) (acos sqrt x + sqrt(x(1-x)))
x = r0 / top
up = math.sqrt(top ** 3 / (2 * mu)) * (math.acos(math.sqrt(x)) + math.sqrt(x * (1 - x)))
assert abs(s["apogee"]["t_us"] / 1e6 - up) <= 0.02, (s, up)
assert s["landed"] and abs(s["landing_s"] - 2 * up) < 1e-3, (s["landing_s"], 2 * up)
assert abs(s["landing_speed_m_s"] - v) < 0.2, s
assert abs(s["top_speed"]["speed_m_s"] - v) < 1e-6, s
assert abs(s["downrange_m"]) < 1e-3 and s["motors"] == [], s
END
expect 0 run stone.yaml
says out '  apogee             51.' '  landing            hard, at 206' '  downrange  '
expect 0 run stone.yaml --duration '50 s'
says out '  apogee             not reached: climbs at the end' 'landing            none: '
expect 0 run stone.yaml --duration '50 s' --json -q
says out '"reached": false' '"hard_landing": false'

# The tank of examples/rocket_ascent.yaml is empty after Isp g m / F.
expect 0 run "$examples/rocket_ascent.yaml" --json -q
python3 - <<'END' || fail 'burn-out'
import json
m, = json.load(open("out"))["rockets"][0]["motors"]
assert m["name"] == "motor" and abs(m["burn_out_s"] - 311 * 9.80665 * 1000 / 50e3) < 1e-4, m
assert m["ignition_s"] < 0.01 and m["fuel_start_kg"] == 1000 and m["fuel_left_kg"] < 1e-3, m
END

# The largest values of the report are those of the signals; the booster is a vehicle of its own.
expect 0 run "$examples/rocket.yaml" --json -q --duration '200 s' --out rocket.mcap
cp out rocket.json
expect 0 export rocket.mcap --format csv --signals '*.body.height,*.body.dynamic_pressure' -o rocket.csv
python3 - <<'END' || fail 'the rocket and its booster'
import csv, json
rockets = {r["name"]: r for r in json.load(open("rocket.json"))["rockets"]}
assert list(rockets) == ["rocket", "booster"], rockets
assert abs(rockets["rocket"]["max_q"]["t_us"] - 12262270) < 2, rockets # at the burn-out, not a sample before
rows = list(csv.DictReader(open("rocket.csv")))
def most(column):
    return max(float(r[column]) for r in rows if r[column])
for name, r in rockets.items(): # samples of the recording are 100 ms apart
    q = most(f"{name}.body.dynamic_pressure [Pa]")
    assert 0.99 * q <= r["max_q"]["pressure_pa"] <= 1.03 * q, (name, q, r["max_q"])
    assert abs(r["apogee"]["height_m"] - most(f"{name}.body.height [m]")) < 60, name
assert rockets["booster"]["landed"] and abs(rockets["booster"]["landing_s"] - 125.404832) < 2e-3
assert not rockets["rocket"]["landed"]
END

# --- a car with a constant acceleration; its speed is in km/h --------------------------------------

cat >car.yaml <<'END'
name: car
duration: 10 s
components:
  car:
    type: equations
    params:
      parameters: {a: 2 m/s^2}
      states: {x: {unit: km, role: distance, initial: 5}, v: {unit: km/h, role: speed}}
      equations: [der(x) = v, der(v) = a]
END
expect 0 run car.yaml --json -q
is_json out
python3 - <<'END' || fail 'a car'
import json
c, = json.load(open("out"))["cars"]
assert c["name"] == "car" and abs(c["distance_m"] - 100) < 1e-4, c
assert abs(c["top_speed"]["speed_m_s"] - 20) < 1e-6 and c["top_speed"]["t_us"] == 10000000, c
assert c["fuel_used_kg"] is None, c
END
expect 0 run car.yaml
says out '  distance           100.0 m' '  speed              up to 20.00 m/s (72.0 km/h) at 10.00 s'
# Two in one entity are called by their components, both of them.
{
    printf 'name: pair\nduration: 1 s\nentities:\n  road:\n    components:\n'
    sed -n '/^  car:/,$s/^/    /p' car.yaml
    sed -n '/^  car:/,$s/^/    /p' car.yaml | sed 's/car:/van:/'
} >pair.yaml
expect 0 run pair.yaml --json -q
says out '"name": "road.car"' '"name": "road.van"'
sed 's/role: speed/role: sped/' car.yaml >sped.yaml
expect 2 run sped.yaml
says err "there is no role 'sped'; did you mean 'speed'?" 'sped.yaml:8'

# --- a point: it is not known whether it is on the ground ------------------------------------------

cat >point.yaml <<'END'
name: point
duration: 2 s
components:
  ball: {type: point_mass, params: {position: [1, 2, -50], velocity: [3, 0, 0]}}
END
expect 0 run point.yaml
says out '  route              ' '  altitude           up to 50.0 m' \
    '  speed              up to 19.84 m/s, 19.84 m/s at the end' \
    '  at the end         7.00 m north, 2.00 m east, 30.4 m above the ground'
! grep -E 'landing|never left' out || fail 'a landing that cannot be known'
expect 0 run point.yaml --json -q
is_json out
python3 - <<'END' || fail 'a point'
import json, math
r = json.load(open("out"))
v, = r["vehicles"]
assert v["name"] == "ball" and not r["landed"] and v["touchdown_speed_m_s"] is None, r
assert abs(v["max_speed_m_s"] - math.hypot(3, 2 * 9.80665)) < 1e-6 and v["flight_time_s"] == 2, v
END

# --- pictures; watching changes no bit ------------------------------------------------------------

if command -v gnuplot >/dev/null; then
    for f in kepler stone car point; do
        expect 0 run $f.yaml --quiet --plot $f.svg
    done
    says kepler.svg 'Orbit, in its plane' 'Altitude' 'Change of energy' 'node'
    says stone.svg 'Trajectory' 'Height above the ground' 'Speed'
    says car.svg 'Speed along the way' 'Distance'
    says point.svg 'Ground track' 'Altitude' 'Speed'
    # No axes without anything in them: a stone without air and motor, a car without road and tank.
    ! grep -E 'Dynamic pressure|Fuel' stone.svg || fail 'an empty panel of a stone'
    ! grep -E 'Height of the road|Fuel' car.svg || fail 'an empty panel of a car'
    expect 0 run "$examples/equations.yaml" --quiet --plot road.svg --duration '2 s'
    says road.svg 'Height of the road' 'Fuel'
    # The names of many do not fit above a panel: they have shades instead.
    sed 's/^  stone:$/  stone_with_a_long_name:\n    count: 7/' stone.yaml >stones.yaml
    expect 0 run stones.yaml --quiet --plot stones.svg
    says stones.svg 'Speed of stone_with_a_long_name1'
    ! grep 'stone_with_a_long_name2' stones.svg || fail 'a legend over the panels'
    same 'the hash with a picture' "$(hash_of kepler.yaml --plot k.svg)" "$(hash_of kepler.yaml)"
    same 'the hash with a picture' "$(hash_of stone.yaml --plot k.svg)" "$(hash_of stone.yaml)"
fi
finish
