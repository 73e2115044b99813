#!/bin/sh
# Flights: the report, the JSON, the picture. A throw without drag has a closed form; the mission
# has the whole story.
. "$TACTUS_SOURCE/tests/cli/common"
examples=$TACTUS_SOURCE/examples
mission=$examples/iris_mission.yaml
[ -e "$mission" ] || exit 77

# near WHAT VALUE WANTED TOLERANCE
near() {
    awk -v a="$2" -v b="$3" -v e="$4" 'BEGIN { d = a - b; exit !(a != "" && d * d <= e * e) }' ||
        fail "$1: '$2' is not $3 to within $4"
}

# typed FILE KEY number|whole|bool|null
typed() {
    case $3 in
    number) pattern='-?[0-9.e+-]+' ;;
    whole) pattern='[0-9]+' ;;
    bool) pattern='(true|false)' ;;
    null) pattern='null' ;;
    esac
    value "$1" "$2" | grep -Exq -e "$pattern" || fail "$2 is no $3: '$(value "$1" "$2")'"
}

# --- a throw: 8 m/s up and 3 m/s east, without drag, feet and motors, from 2 m over the ground ----

cat >throw.yaml <<'END'
name: throw
duration: 1.005 s
world: {ground: 1 m}
plant: {integrator: {kind: rk45, rtol: 1e-9}}
components:
  motor: {type: constant, params: {size: 4, value: [0, 0, 0, 0]}}
  vehicle:
    type: multirotor
    params:
      mass: 1 kg
      inertia: [0.02, 0.02, 0.04]
      drag: 0
      position: [10, 20, -3]
      velocity: [0, 3, -8]
      rotors:
        - {position: [0.2, 0.2, 0], direction: 1}
        - {position: [-0.2, -0.2, 0], direction: 1}
        - {position: [0.2, -0.2, 0], direction: -1}
        - {position: [-0.2, 0.2, 0], direction: -1}
    inputs: {motor: motor.y}
scheduler:
  rate_groups:
    - {name: slow, rate_hz: 1, components: [motor]}
END
expect 0 run throw.yaml --json
is_json out
near 'the highest point' "$(value out max_altitude_m)" 5.26307 2e-4 # 2 + 8^2 / 2g
near 'time in the air' "$(value out flight_time_s)" 1.005 1e-12
# The arc of a parabola: with u = (8 - g t) / 3, its length is 9/2g [u sqrt(1 + u^2) + asinh u].
near 'the way flown' "$(value out distance_m)" 4.87051 1e-3
grep -Eq '"position": \[10(\.0*)?, 23\.01[0-9]*, -6\.0[0-9]*\]' out ||
    fail "not where it should be: $(grep position out)"
same 'without flight control' "$(value out landed)" false
typed out landing_error_m null
! grep -q mission_reached out || fail 'a mission without flight control'
expect 0 run throw.yaml
says out '  route              4.87 m in 1.0 s' '  altitude           up to 5.26 m above the ground' \
    '  landing            none: 5.09 m'

# --- a fall upside down from 10 m: sqrt(2 g h) at the impact -------------------------------------

cat >fall.yaml <<'END'
extends: throw.yaml
name: fall
duration: 5 s
world: {ground: 0 m}
plant: {integrator: {kind: rk45, rtol: 1e-6}}
components:
  vehicle:
    params:
      position: [0, 0, -10]
      velocity: [0, 0, 0]
      attitude: [180 deg, 0 deg, 0 deg]
      feet:
        - {position: [0.1, 0.1, 0.1]}
        - {position: [0.1, -0.1, 0.1]}
        - {position: [-0.1, 0.1, 0.1]}
        - {position: [-0.1, -0.1, 0.1]}
      hull:
        - {position: [0.2, 0.2, -0.1]}
        - {position: [0.2, -0.2, -0.1]}
        - {position: [-0.2, 0.2, -0.1]}
        - {position: [-0.2, -0.2, -0.1]}
      ground: {stiffness: 500 N/m, damping: 60 N*s/m, friction: 0.8, smoothing: 0.05 m/s}
END
expect 0 run fall.yaml --json
is_json out
same 'crashed' "$(value out crashed)" true
same 'upside down is not landed' "$(value out landed)" false
member() { sed -n 's/.*"crash": {.*"'"$1"'": \([^,}]*\).*/\1/p' out; }
near 'the time of the impact' "$(member t_us)" 1420964 10000 # sqrt(2 * 9.9 m / g), samples of 10 ms
near 'speed of the impact' "$(member impact_speed_m_s)" 13.885 0.1
near 'tilt of the impact' "$(member impact_tilt_deg)" 180 1e-3
near 'tilt at the end' "$(member tilt_deg)" 180 1
expect 0 run fall.yaml # a crash is a result
says out '  crashed            at 1.4' ' m/s, tilt 180 deg; on the ground with a tilt of '
# On its feet the same fall is a crash, too: whatever it does afterwards, also where it bounces for
# longer than a second, where the bounce lies between two samples, and where it is still in the air.
upright() { # Z OPTION...
    z=$1
    shift
    expect 0 run fall.yaml --json --duration 12s \
        --set components.vehicle.params.attitude='[0, 0, 0]' \
        --set components.vehicle.params.position="[0, 0, $z]" "$@"
}
ground='components.vehicle.params.ground={stiffness: %s, damping: %s, friction: 0.8, smoothing: 0.05 m/s}'
for bounce in '500 N/m:60 N*s/m' '500 N/m:2 N*s/m' '5000 N/m:1 N*s/m' '5000000 N/m:30 N*s/m'; do
    # shellcheck disable=SC2059
    upright -10 --set "$(printf "$ground" "${bounce%:*}" "${bounce#*:}")"
    same "a fall on its feet, $bounce" \
        "$(value out crashed),$(value out landed),$(value out hard_landing)" true,false,false
    near "the time of the impact, $bounce" "$(member t_us)" 1420964 10001
    near "speed of the impact, $bounce" "$(member impact_speed_m_s)" 13.885 0.1
done
expect 0 run fall.yaml --set components.vehicle.params.attitude='[0, 0, 0]'
says out '  crashed            at 1.4' ' m/s, tilt 0 deg; on the ground with a tilt of 0 deg'
# With 5.4 m/s it lands hard. The touchdown is the first touch, however long the bounce takes.
for bounce in '500 N/m:60 N*s/m' '500 N/m:2 N*s/m' '5000 N/m:20 N*s/m' '5000000 N/m:600 N*s/m'; do
    # shellcheck disable=SC2059
    upright -1.6 --set "$(printf "$ground" "${bounce%:*}" "${bounce#*:}")"
    same "a hard landing, $bounce" "$(value out crashed),$(value out hard_landing)" false,true
    near "speed of the touchdown, $bounce" "$(value out touchdown_speed_m_s)" 5.4241 0.1
done
expect 0 run fall.yaml --set components.vehicle.params.attitude='[0, 0, 0]' \
    --set components.vehicle.params.position='[0, 0, -1.6]'
says out '  landing            hard, ' ', touchdown with 5.'
# From 0.4 m it has 2.4 m/s: 0.1 m of that are its feet.
expect 0 run fall.yaml --json --set components.vehicle.params.attitude='[0, 0, 0]' \
    --set components.vehicle.params.position='[0, 0, -0.4]'
same 'a soft landing' "$(value out landed),$(value out hard_landing)" true,false
near 'speed of a soft touchdown' "$(value out touchdown_speed_m_s)" 2.4257 0.1

# All motors stop in flight: the vehicle falls on its feet, bounces, and stands. It has not landed.
off=
for motor in 1 2 3 4; do off="$off, {at: 20 s, do: motor_off, motor: $motor}"; done
expect 1 run "$mission" --json -q --set "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}$off]"
same 'no motors' "$(value out crashed),$(value out landed)" true,false
near 'speed of the fall' "$(member impact_speed_m_s)" 14.8 0.3
near 'time of the fall' "$(member t_us)" 21800000 100000
says err lands_softly

# A quadrotor without one of its motors tumbles down in flight.
cat >flip.yaml <<END
extends: $mission
duration: 30 s
scenario:
  - {at: 1 s, do: arm}
  - {at: 2 s, do: start_mission}
  - {at: 12 s, do: motor_off, motor: 2}
END
expect 1 run flip.yaml --json -q # the mission expects to land
same 'a motor out' "$(value out crashed)" true
[ "$(member t_us)" -gt 12000000 ] && [ "$(member t_us)" -lt 20000000 ] ||
    fail "the crash is at $(member t_us) us"
near 'the end of the flight' "$(value out flight_time_s)" 14.5 1

# --- the mission ----------------------------------------------------------------------------------

expect 0 run "$mission" --json -q
is_json out
cp out mission.json
for key in wall_s prepare_s realtime_factor max_altitude_m landing_error_m battery_soc flight_time_s \
    distance_m battery_voltage_v; do
    typed out "$key" number
done
for key in t_end_us peak_bytes boundaries component_steps steps rejected rhs_evals undone events \
    mission_reached mission_total; do
    typed out "$key" whole
done
typed out landed bool
typed out armed bool
same 'items passed' "$(value out mission_reached)" "$(value out mission_total)"
same landed "$(value out landed)" true
same armed "$(value out armed)" false
near altitude "$(value out max_altitude_m)" 12 1
near 'landing error' "$(value out landing_error_m)" 0 1
near battery "$(value out battery_soc)" 0.957 0.01
same 'name of the vehicle' "$(grep -c '"name": "uav"' out)" 1
! grep -q '"plot"' out || fail 'a plot that nobody asked for'
hash=$(value out hash)

# Vehicle and whole are the same where there is one.
for key in mission_reached mission_total landed max_altitude_m landing_error_m battery_soc; do
    same "times that $key is told" "$(grep -c "\"$key\"" out)" 2
    same "different values of $key" "$(grep "\"$key\"" out | tr -d ' ,' | sort -u | wc -l)" 1
done

# Signals go by their names without what stands before.
expect 0 run "$mission" --duration '20 ms' --json -q --digest 'battery.*' --digest air.density
grep -Eq '"battery\.\*": \{"hash": "[0-9a-f]{16}", "count": 3\}' out || fail 'no hash of battery.*'
for name in battery.voltage battery.current battery.warning air.density; do
    value out "uav.vehicle.$name" | grep -Eq '^[0-9a-f]{16}$' || fail "no digest of $name"
done
expect 2 run "$mission" --digest battery.soc
says err 'continuous states have one digest an island'
expect 0 check "$mission" --set 'scenario=[{when: vehicle.battery.soc < 0.3, do: return}]'
expect 0 check "$mission" --set 'scenario=[{when: "vehicle.battery.soc[0] < 30 %", do: return}]'
expect 2 check "$mission" --set 'scenario=[{when: battery.soc < 0.3, do: return}]'
says err "unknown signal 'battery.soc'; did you mean 'vehicle.battery.soc'?"

expect 0 run "$mission" --log-level error
says out "  route              $(value mission.json mission_reached) of " \
    "up to $(printf '%.1f' "$(value mission.json max_altitude_m)") m" ' % used, ' ' from the landing point' 'events'
! grep -q '^  vehicle ' out || fail 'a table of one vehicle'

# In two pieces: where the flight began is not known then, where it was to end is.
expect 0 run "$mission" -q --checkpoint-at '30 s' --checkpoint half
expect 0 run "$mission" -q --json --from half
same 'hash of two pieces' "$(value out hash)" "$hash"
same 'landing of two pieces' "$(value out landing_error_m)" "$(value mission.json landing_error_m)"
same 'measured from' "$(value out landing_from)" mission
same 'items passed in two pieces' "$(value out mission_reached)" "$(value out mission_total)"

# A mission that lands elsewhere: 22.26 m north of the start.
{ printf 'QGC WPL 110\n0\t1\t0\t16\t0\t0\t0\t0\t47.397742\t8.545594\t488\t1\n'
  printf '1\t0\t3\t22\t0\t0\t0\t0\t47.397742\t8.545594\t5\t1\n'
  printf '2\t0\t3\t16\t0\t2\t0\t0\t47.397942\t8.545594\t5\t1\n'
  printf '3\t0\t3\t21\t0\t0\t0\t0\t47.397942\t8.545594\t0\t1\n'; } >north.waypoints
north="entities.uav.components.control.params.mission=$PWD/north.waypoints"
expect 0 run "$mission" -q --json --set "$north" --set expect.near_home=~
same 'landed elsewhere' "$(value out landed)" true
near 'landing error elsewhere' "$(value out landing_error_m)" 0 1
same 'measured from' "$(value out landing_from)" mission
grep -Eq '"position": \[2[123]\.' out || fail "not where it should be: $(grep position out)"
expect 0 run "$mission" --set "$north" --set expect.near_home=~
says out ' m from the landing point'

# Brought home before the end, a landing is measured from the start, where home is.
expect 1 run "$mission" -q --json --set "$north" --set expect.near_home=~ \
    --set 'scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 8 s, do: return}]'
same 'landed at home' "$(value out landed)" true
near 'landing error at home' "$(value out landing_error_m)" 0 1
same 'measured from' "$(value out landing_from)" start

# --- several --------------------------------------------------------------------------------------

# swarm COUNT: as many copies, in a row
swarm() {
    echo "extends: $examples/vehicles/rates.yaml"
    echo "duration: 90 s"
    echo "scenario: [{at: 1 s, do: arm}, {at: 2 s, do: start_mission}]"
    echo "entities:"
    i=0
    while [ "$i" -lt "$1" ]; do
        i=$((i + 1))
        echo "  v$i: {extends: $examples/vehicles/iris.yaml, components: {vehicle: {params: {position: [0, $((3 * i))]}},"
        echo "    control: {params: {mission: $examples/missions/square.waypoints}}}}"
    done
}
swarm 2 >two.yaml
expect 0 run two.yaml --json -q
is_json out
same 'items of both' "$(value out mission_reached)" $((2 * $(value mission.json mission_reached)))
same 'both landed' "$(value out landed)" true
tops=$(sed -n 's/.*"max_altitude_m": \([^,]*\).*/\1/p' out)
same 'the higher of two' "$(echo "$tops" | head -n 1)" \
    "$(echo "$tops" | tail -n 2 | sort -g | tail -n 1)"
charges=$(sed -n 's/.*"battery_soc": \([^,]*\).*/\1/p' out)
same 'the lower of two' "$(echo "$charges" | head -n 1)" \
    "$(echo "$charges" | tail -n 2 | sort -g | head -n 1)"
near 'landing error, not from where each started' "$(value out landing_error_m)" 0 0.5
expect 0 run two.yaml --log-level error
says out 'vehicles           2' 'v1 ' 'v2 ' 'landing            all'
swarm 24 >many.yaml
expect 0 run many.yaml --log-level error --duration '10 ms'
same 'lines of a swarm' "$(grep -c '^  v[0-9]' out)" 24
swarm 30 >many.yaml
expect 0 run many.yaml --log-level error --duration '10 ms'
same 'lines of a larger swarm' "$(grep -c '^  v[0-9]' out)" 23
says out 'and 7 more'
same 'landed before they fly' "$(grep -c 'on ground' out)" 23

# Without vehicles nothing is said of any.
expect 0 run "$small" --json -q
! grep -Eq 'landed|vehicles|battery' out || fail 'a flight without a vehicle'

# --- the picture ----------------------------------------------------------------------------------

expect 2 run "$mission" --plot flight.jpg
says err '.png or .svg'
expect 2 run "$small" --plot flight.png
says err 'no vehicle'
expect 3 run "$mission" --plot nosuch/flight.png
says err "cannot write 'nosuch/flight.png'"
silent out
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    expect 3 run "$mission" --plot locked/flight.png
    says err "cannot write 'locked/flight.png'"
fi
mkdir empty
PATH=$work/empty "$TACTUS" run "$mission" --plot flight.png >out 2>err </dev/null
same 'exit code without gnuplot' "$?" 3
says err 'none in PATH'
silent out
mkdir fake
printf '#!/bin/sh\necho what is this? >&2\nexit 1\n' >fake/gnuplot
chmod +x fake/gnuplot
PATH=$work/fake:$PATH "$TACTUS" run throw.yaml --plot flight.png >out 2>err </dev/null
same 'exit code with a gnuplot that fails' "$?" 3
says err 'gnuplot could not draw the plot: what is this?'
says out 'hash' # the run itself was fine
printf '#!/bin/sh\nexit 0\n' >fake/gnuplot
PATH=$work/fake:$PATH "$TACTUS" run throw.yaml --plot flight.png >out 2>err </dev/null
same 'exit code with a gnuplot that draws nothing' "$?" 3
same 'files left behind' "$(echo flight*)" 'flight*'

# What gnuplot is told: time, north, east, altitude, roll, pitch, yaw; yaw goes on beyond 180 degrees.
printf '#!/bin/sh\n/bin/cat >script\necho picture\n' >fake/gnuplot
row() { # T: north, east, altitude, speed, roll, pitch, yaw, rounded
    awk -v t="$1" '$1 == t && NF > 7 {
        printf "%.3f %.3f %.3f %.3f %.3f %.3f %.3f\n", $2, $3, $4, $5, $6, $7, $8 }' script
}
PATH=$work/fake:$PATH expect 0 run throw.yaml -q --plot flight.png \
    --set components.vehicle.params.attitude='[0, 0, 2.9670597283903604]' \
    --set components.vehicle.params.rate='[0, 0, 1.5707963267948966]' \
    --set components.vehicle.params.damping='[0, 0, 0]'
same 'what a plot is made of' "$(cat flight.png)" picture
same 'the first row' "$(row 0)" '10.000 20.000 2.000 8.544 0.000 0.000 170.000'
same 'the row at 0.5 s' "$(row 0.5)" '10.000 21.500 4.774 4.312 0.000 0.000 215.000'
same 'rows of data' "$(awk '/^END/ { exit } { n++ } END { print n }' script)" 103 # with their name and the end
PATH=$work/fake:$PATH expect 0 run throw.yaml -q --plot flight.png \
    --set components.vehicle.params.attitude='[0.17453292519943295, -0.3490658503988659, -0.5]'
same 'attitude' "$(row 0)" '10.000 20.000 2.000 8.544 10.000 -20.000 -28.648'
PATH=$work/fake:$PATH expect 0 run throw.yaml -q --plot flight.png --duration '450 s'
same 'every fourth look of a long flight' \
    "$(awk '/^END/ { exit } { n++ } END { print n }' script)" 11253
PATH=$work/fake:$PATH expect 0 run "$mission" -q --plot flight.png
says script "set label '1, 6, 7, 8' at " "set label '2' at 7." "set label '4' at -7."
# Lines that are too long for their place go on in the next one.
PATH=$work/fake:$PATH expect 1 run flip.yaml -q --plot flight.png --log-level error
says script "set label 'crashed' at "
sed -n "s/^set label '\([^']*\)'.*/\1/p" script | awk 'length > 72' >long
silent long
rm flight.png

command -v gnuplot >/dev/null || finish

# png FILE: it is one, whole, of the size of a page
png() {
    [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "$1 is no PNG"
    [ "$(head -c 24 "$1" | tail -c 8 | od -An -tx1 | tr -d ' ')" = 00000708000004b0 ] ||
        fail "$1 is not 1800 by 1200"
    tail -c 8 "$1" | head -c 4 | grep -q IEND || fail "$1 is cut"
    [ "$(wc -c <"$1")" -gt 40000 ] || fail "$1 is almost empty"
}
expect 0 run "$mission" --plot flight.png --json -q
is_json out
same 'plot in the JSON' "$(value out plot)" flight.png
same 'the hash with a plot' "$(value out hash)" "$hash"
for key in boundaries component_steps steps rhs_evals mission_reached landing_error_m; do
    same "$key with a plot" "$(value out "$key")" "$(value mission.json "$key")"
done
png flight.png
expect 0 run two.yaml --plot flight.svg --log-level error
says out '  plot               flight.svg'
head -c 200 flight.svg | grep -q '<svg' || fail 'no SVG'
tail -n 2 flight.svg | grep -q '</svg>' || fail 'the SVG is cut'
says flight.svg 'Ground tracks of 2 vehicles' 'Attitude of v1' 'time [s]' 'east [m]' 'voltage [V]'

# Hard names, no control, a run that fails, and one that is over at once
expect 0 run throw.yaml --plot throw.svg -q --set "name='it''s \`touch bad\` {/b} \$(touch bad)'"
says throw.svg 'Rotor speeds' 'it'\''s `touch bad` {/b} $(touch bad)'
[ ! -e bad ] || fail 'the name was run'
expect 0 run "$mission" --plot short.png -q --duration '10 ms'
head -c 4 short.png | grep -q PNG || fail 'no plot of a short flight'
ln -s short.png link.png
cp short.png before.png
expect 3 run throw.yaml --plot link.png -q
[ -L link.png ] || fail 'a link is replaced'
cmp -s short.png before.png || fail 'a link was followed'
same 'temporary files' "$(ls | grep -c tmp)" 0
finish
