#!/bin/sh
# Plots of recordings: what gnuplot is told, and that it draws it.
. "$TACTUS_SOURCE/tests/cli/common"
hexa=$TACTUS_SOURCE/examples/hexa_motor_out.yaml
[ -e "$hexa" ] || exit 77

expect 0 run "$small" -q --out small.mcap --csv small.csv
expect 0 run "$small" -q --out other.mcap --seed 4
expect 0 run "$hexa" -q --log-level error --out hexa.mcap --csv hexa.csv --duration '30 s'

# In place of gnuplot: keeps what it is told.
mkdir fake empty
printf '#!/bin/sh\n/bin/cat >script\necho picture\n' >fake/gnuplot
chmod +x fake/gnuplot
told() { # ARG...: plot, and keep the script
    rm -f script
    PATH=$work/fake:$PATH expect 0 plot "$@"
}
table() { # NUMBER: rows of the n-th table of that name in the script
    sed -n "/^\\\$d$1 << END/,/^END/p" script | grep -v -e END
}
column() { # TABLE.csv NAME: time and the column
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i; next }
        { print $1, $k }' "$1"
}
near() { # WHAT A B: all numbers of two files, to the nine digits of a CSV
    paste "$2" "$3" | awk '{ t = $1 - $3; v = $2 - $4; e = 1e-8 * ($4 < 0 ? 1 - $4 : 1 + $4) }
        NF != 4 || t * t > 1e-18 || v * v > e * e { print; bad = 1 } END { exit bad || !NR }' >near ||
        fail "$1: $(head -n 1 near)"
}
panels() {
    grep -c '^set lmargin' script
}

# --- curves ---------------------------------------------------------------------------------------

told small.mcap mass.position
same 'the file' "$(cat out)" small.png
same 'what it is made of' "$(cat small.png)" picture
same 'panels' "$(panels)" 1
says script "set label 'mass.position'" "set label 'position [m]'" "set xlabel 'time [s]'" \
    "set label 'small'" "hash $("$TACTUS" hash small.mcap | cut -c 1-16)" \
    '$d0 using 1:2 with lines'
table 0 >drawn
column small.csv 'mass.position [m]' >wanted
same 'samples' "$(wc -l <drawn)" 101
near 'the curve is not the signal' drawn wanted

# A signal of a discrete component holds: steps, to the end.
told small.mcap wave.y --from '100.5 ms' --to '201 ms'
says script '$d0 using 1:2 with steps' 'set xrange [0.1005:0.201]'
same 'the first row' "$(table 0 | head -n 1 | awk '{ print $1 }')" 0.102
same 'the last row' "$(table 0 | tail -n 1 | awk '{ print $1 }')" 0.201

# What was written last before the page begins holds there.
told hexa.mcap scenario.motor_hold --from '21.5 s' --to '25 s'
same 'motors that are held' "$(table 0 | awk '{ print $1, $2, $3, $4, $5, $6, $7 }')" \
    "21.5 0 1 0 0 0 0
25 0 1 0 0 0 0"

# Names of elements, units, several signals of one argument
told hexa.mcap vehicle.position vehicle.attitude control.motor
same 'panels' "$(panels)" 3
says script "title 'x'" "title 'w'" "title '[5]'" "set label 'position [m]'" \
    "set label 'uav.vehicle.position'"
told hexa.mcap vehicle.position,estimator.position
same 'panels' "$(panels)" 1
says script "set label 'uav.vehicle.position, uav.estimator.position'" \
    "title 'vehicle.position.x'" "title 'estimator.position.z'" "set label '[m]'"
told hexa.mcap vehicle.position,vehicle.velocity
same 'panels of two units' "$(panels)" 2
told hexa.mcap 'vehicle.battery.*'
says script 'uav.vehicle.battery.soc' "set label 'current [A]'" '[V]'
told hexa.mcap control.phase control.armed
says script "set ytics nomirror ('idle' 0, 'takeoff' 1, 'mission' 2)" \
    "set ytics nomirror ('false' 0, 'true' 1)" 'with steps'
told small.mcap mass.position -o x.svg --title 'a "title"'
says script 'terminal svg' "'a \"title\"'"
same 'the file' "$(cat out)" x.svg

# --- many samples ---------------------------------------------------------------------------------

# 60 s at 1 kHz: four rows for a column of pixels at most, and the extremes are among them.
expect 0 run "$small" -q --out long.mcap --csv long.csv --duration '60 s' \
    --set 'scheduler.rate_groups[0].rate_hz=1000' --set 'record.rate=1 kHz'
told long.mcap sensor.y
rows=$(table 0 | wc -l)
[ "$rows" -gt 3000 ] && [ "$rows" -le 6420 ] || fail "$rows rows of 60001 samples"
extremes() { # of the second number in each line
    awk 'NR == 1 { a = b = $2 } { if ($2 < a) a = $2; if ($2 > b) b = $2 } END { printf "%.6g %.6g\n", a, b }'
}
table 0 | extremes >drawn
column long.csv 'sensor.y [m]' | extremes >wanted
same 'extremes' "$(cat drawn)" "$(cat wanted)" # six digits

# --- phases and marks -----------------------------------------------------------------------------

told hexa.mcap vehicle.position vehicle.rate
phases=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^uav.control.phase/) k = i; next }
    NR == 2 || $k != last { n++; last = $k } END { print n }' hexa.csv)
same 'phases' "$phases" 3
same 'bands in two panels' "$(grep -c 'set object.*behind' script)" $((2 * phases))
same 'the ribbon' "$(grep -c 'set object.*screen' script)" "$phases"
says script "set label 'takeoff'" "set label 'motor_hold[1] = 1'" "set label 'mode = mission'" \
    "set label 'arm = true'" 'set arrow from 20, graph 0 to 20, graph 1'
same 'marks in two panels' "$(grep -c '^set arrow' script)" 6
told hexa.mcap vehicle.rate --from '21 s' --to '25 s'
same 'the phase that goes on' "$(grep -c 'set object.*behind' script)" 1
same 'marks of another time' "$(grep -c '^set arrow' script)" 0
told small.mcap mass.position
! grep -q '^set object' script || fail 'phases of nobody'

# A scenario without a rate group writes at its events only: the first one is a change from rest.
cat >late.yaml <<END
extends: $small
components: {scenario: {type: scenario, params: {motors: 2, batteries: 1}}}
scenario: [{at: 300 ms, do: motor_off, motor: 2}]
END
expect 0 run late.yaml -q --out late.mcap
told late.mcap mass.position
says script "set label 'motor_hold[1] = 1'"
same 'marks of the first event' "$(grep -c '^set arrow from 0.3, ' script)" 1

# Flight phases: of the entity of the first signal, from the start on, each for as long as it lasted.
expect 0 run "$data/phases.yaml" -q --out phases.mcap
changes() { # ENTITY: times at which its phase is another, from the recording as a table
    "$TACTUS" export phases.mcap --signals "$1.flight.phase" --format csv -o - |
        awk -F, 'NR > 1 && $2 != last { print $1 + 0, $2; last = $2 }'
}
bands() { # of the ribbon: left end in seconds
    sed -n 's/^set object rectangle from screen \([0-9.]*\), .*/\1/p' script |
        awk '{ printf "%.2f\n", ($1 * 1800 - 150) / (1755 - 150) * 30 + 1e-4 }'
}
for entity in capsule booster; do
    told phases.mcap $entity.Body.velocity booster.Fuel.x
    changes $entity >wanted
    same "phases of $entity" "$(bands)" "$(awk '{ printf "%.2f\n", $1 }' wanted)"
    same "the first phase of $entity" "$(head -n 1 wanted | cut -d ' ' -f 1)" 0
    says script "set label '$(sed -n '1s/.* //p' wanted)'"
done
same 'phases of the capsule' "$(changes capsule | wc -l)" 4
told phases.mcap booster.Fuel.x,capsule.Body.velocity
says script "set label 'PAD'" "set label 'COAST'"
told phases.mcap 'booster.*'
says script booster.flight.set_Engine_u booster.flight.phase
! grep -q 'flight.queued\|flight.changes\|flight.resets\|flight.transition' script ||
    fail 'a pattern shows how phases are kept count of'
told phases.mcap booster.flight.queued
says script booster.flight.queued
printf 'extends: %s\nduration: 1 s\nentities: {uav: {phases: {names: [UP], initial: UP}}}\n' \
    "$hexa" >both.yaml
expect 0 run both.yaml -q --out both.mcap
told both.mcap vehicle.position
says script "set label 'UP'" # rather than the phase of flight control

# --- elements of signals --------------------------------------------------------------------------

told hexa.mcap vehicle.position.z 'control.motor[1],control.motor[4]' 'vehicle.rate[2]' hexa.mcap
says script "'uav.vehicle.position.z'" "title 'motor[1]'" "title 'motor[4]'" 'position.z [m]' 'rate.z [rad/s]'
same 'curves of elements' "$(grep -c '\$d[0-9] using' script)" 8
expect 2 plot hexa.mcap 'control.motor[6]'
says err "'uav.control.motor' has no element '[6]', it has '[0]' to '[5]'" \
    "did you mean 'uav.control.motor[5]'?"

# --- several recordings ---------------------------------------------------------------------------

told small.mcap other.mcap mass.position
says script "dashtype solid linecolor rgb '#0072B2' title 'small.mcap'" \
    "dashtype (24,10) linecolor rgb '#D55E00' title 'other.mcap'"
same 'tables' "$(grep -c '^\$d[0-9]* <<' script)" 2
told small.mcap mass.position,listener.y other.mcap
says script "title 'position'" "title 'small.mcap'" "title 'other.mcap'"
same 'curves' "$(grep -c '\$d[0-9] using' script)" 4
same 'times that a curve is named' "$(grep -c "title 'position'" script)" 1
told small.mcap hexa.mcap mass.position vehicle.rate
same 'signals that one of them has' "$(grep -c '\$d[0-9] using' script)" 4
rm -f ./*.png

# --- mistakes -------------------------------------------------------------------------------------

expect 2 plot small.mcap mass.positon
says err "no signal matches 'mass.positon'; did you mean 'mass.position'?"
expect 2 plot small.mcap mass.position,nothing_like_it
expect 2 plot small.mcap
expect 2 plot small.mcap other.mcap
says err 'no signal given'
expect 2 plot mass.position wave.y
says err 'none of the operands is a recording'
expect 3 plot nosuch.mcap mass.position
expect 2 plot small.mcap mass.position -o x.jpg
says err '.png or .svg'
expect 2 plot small.mcap mass.position --from '2 s'
says err 'the recording is from 0 s to 1 s'
expect 3 plot small.mcap mass.position -o nosuch/x.png
says err "cannot write 'nosuch/x.png'"
PATH=$work/empty "$TACTUS" plot small.mcap mass.position >out 2>err </dev/null
same 'exit code without gnuplot' "$?" 3
says err 'none in PATH'
printf '#!/bin/sh\necho what is this? >&2\nexit 1\n' >fake/gnuplot
PATH=$work/fake:$PATH "$TACTUS" plot small.mcap mass.position >out 2>err </dev/null
same 'exit code with a gnuplot that fails' "$?" 3
says err 'gnuplot could not draw the plot: what is this?'
same 'files left behind' "$(echo ./*.png)" './*.png'

# --- pictures -------------------------------------------------------------------------------------

command -v gnuplot >/dev/null || finish
expect 0 plot hexa.mcap vehicle.position control.phase control.armed 'vehicle.battery.*'
[ "$(head -c 8 hexa.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail 'no PNG'
same 'its width' "$(head -c 20 hexa.png | tail -c 4 | od -An -tx1 | tr -d ' ')" 00000708
tail -c 8 hexa.png | head -c 4 | grep -q IEND || fail 'the PNG is cut'
[ "$(wc -c <hexa.png)" -gt 40000 ] || fail 'the PNG is almost empty'
expect 0 plot small.mcap other.mcap 'mass.*' listener.count -o small.svg --title "it's \`touch bad\`"
says small.svg 'time [s]' 'mass.position' 'other.mcap' 'velocity [m/s]' "it's \`touch bad\`"
tail -n 2 small.svg | grep -q '</svg>' || fail 'the SVG is cut'
[ ! -e bad ] || fail 'the title was run'
expect 0 plot small.mcap mass.position --from '500 ms' --to '500 ms' -o point.png
finish
