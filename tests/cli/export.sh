#!/bin/sh
# tactus export: options, endings, what is said. tests/record/export_*.py look into the files.
. "$TACTUS_SOURCE/tests/cli/common"

expect 0 run "$small" --out small.mcap -q --log-level error
h5=yes

# Names and endings as help has them; man page and docs have each of them.
"$TACTUS" help export | tr '\n' ' ' | tr -s ' ' >help
names=$(sed -n 's/.*--format FORMAT One of \([^.]*\)\. .*/\1/p' help)
endings=$(sed -n 's/.*By default as FILE ends: \([a-z0-9. ]*\)\. .*/\1/p' help)
[ -n "$names" ] && [ -n "$endings" ] || fail 'help of export names no formats, or no endings'
page=$TACTUS_SOURCE/man/tactus-export.1
says "$page" ".Op Fl -format Cm $(echo $names | sed 's/ / | /g')" \
    ".It Fl -format Cm $(echo $names | sed 's/ / | /g')"
for name in $names; do
    grep -qx "\.It Cm $name" "$page" || fail "the man page has no item $name"
    grep -q "^| .* | \`$name\` | " "$TACTUS_SOURCE/docs/export.md" ||
        fail "docs/export.md has no row of $name"
done
for ending in $endings; do
    says "$page" ".Pa $ending"
    says "$TACTUS_SOURCE/docs/export.md" "\`$ending\`"
done

for ending in $(echo $endings | tr -d .); do
    "$TACTUS" export small.mcap -o "out.$ending" >out 2>err </dev/null
    code=$?
    case $ending in
    h5 | hdf5)
        grep -q 'has no HDF5' err && {
            same 'exit code without HDF5' "$code" 2
            h5=no
            continue
        }
        ;;
    esac
    same "exit code of an export to out.$ending" "$code" 0
    says out "out.$ending: " ' signals, ' ' bytes'
    case $ending in
    lcm) says err "note: the types of the messages are in 'out.types.lcm'" ;;
    *) silent err ;;
    esac
done
[ ! -e out.csv.tmp ] || fail 'a temporary file stays'

# The file is of the format that its ending says, or --format.
begins() { # FILE BYTES
    same "first bytes of $1" "$(head -c ${#2} "$1" | tr -d '\211')" "$2"
}
begins out.csv 't [s],'
begins out.ulg 'ULog'
same 'first bytes of out.lcm' "$(od -An -tx1 -N4 out.lcm)" ' ed a1 da 01'
[ $h5 = no ] || same 'first bytes of out.h5' "$(od -An -c -N4 out.h5)" ' 211   H   D   F'
expect 0 export small.mcap --format csv -o data.ulg
begins data.ulg 't [s],'
cmp -s out.csv data.ulg || fail '--format csv differs from .csv'

# JSON
expect 0 export small.mcap -o out.ulg --json
is_json out
silent err
same format "$(value out format)" ulog
same bytes "$(value out bytes)" "$(wc -c <out.ulg | tr -d ' ')"
expect 0 export small.mcap -o out.lcm --json
is_json out
says out "the types of the messages are in 'out.types.lcm'"
silent err

# Standard output
expect 0 export small.mcap -o - --format csv
cmp -s out out.csv || fail 'standard output differs from the file'
silent err
if [ -c /dev/full ]; then
    "$TACTUS" export small.mcap -o - --format csv >/dev/full 2>err </dev/null
    same 'exit code of an export to a full device' "$?" 3
    says err 'No space left on device'
fi

# Choice
expect 0 export small.mcap -o mass.csv --signals 'mass.*' --from 0.5s --to '600 ms' --rate 20Hz
same 'columns' "$(head -n 1 mass.csv | tr ',' '\n' | grep -cv '^mass\.')" 1
same 'times' "$(cut -d, -f1 mass.csv | tr '\n' ' ')" 't [s] 0.500000 0.550000 0.600000 '

# Several signals: with commas, or several times.
expect 0 export small.mcap -o commas.csv --signals 'mass.position,mass.velocity'
expect 0 export small.mcap -o twice.csv --signals mass.position --signals mass.velocity
same 'columns of two signals' "$(head -n 1 commas.csv)" 't [s],mass.position [m],mass.velocity [m/s]'
cmp commas.csv twice.csv || fail 'commas and several options differ'
expect 2 export small.mcap -o out.csv --signals mass.position,mass.velocty
says err "did you mean 'mass.velocity'?"
for text in '' , mass.position, mass.position,,mass.velocity; do
    expect 2 export small.mcap -o out.csv --signals "$text"
    says err "there is an empty pattern in '$text'"
done

# Elements of signals: the columns that the whole signal has, in every format.
expect 0 run "$TACTUS_SOURCE/examples/iris_mission.yaml" -q --duration 4s --set 'expect={}' \
    --out iris.mcap
expect 0 export iris.mcap -o whole.csv --signals 'vehicle.position,control.motor,vehicle.attitude'
expect 0 export iris.mcap -o element.csv \
    --signals 'vehicle.position.z,control.motor[2],vehicle.position[0],vehicle.attitude.w,uav.*.motor[0]'
same 'columns of elements' "$(head -n 1 element.csv)" \
    "t [s],uav.vehicle.position.x [m],uav.vehicle.position.z [m],uav.vehicle.attitude.w [1],\
uav.control.motor[0] [1],uav.control.motor[2] [1]"
cut -d, -f1,2,4,5,9,11 whole.csv | cmp - element.csv || fail 'elements differ from their signals'
expect 0 export iris.mcap -o both.csv --signals 'vehicle.position.z,vehicle.position'
same 'an element of a whole signal' "$(head -n 1 both.csv | tr ',' '\n' | wc -l | tr -d ' ')" 4
for ending in $(echo $endings | tr -d .); do
    case $ending in h5 | hdf5) [ $h5 = yes ] || continue ;; esac
    expect 0 export iris.mcap -o "element.$ending" --signals 'position.z,motor[1],vehicle.position'
done
grep -q ' motor_1;' element.types.lcm || fail 'no motor_1 in the types of LCM'
grep -aq 'double motor_1;' element.ulg || fail 'no motor_1 in the ULog'
expect 2 export iris.mcap -o out.csv --signals 'vehicle.position.q'
says err "'uav.vehicle.position' has no element '.q'" "did you mean 'uav.vehicle.position.x'?"
expect 2 export iris.mcap -o out.csv --signals 'motr[1]'
says err "did you mean 'uav.control.motor[1]'?"

# Mistakes
expect 2 export small.mcap
says err '-o FILE'
expect 2 export small.mcap -o out.xls
says err '.csv' '.ulg' '--format'
expect 2 export small.mcap -o out.csv --format cvs
says err "did you mean 'csv'?"
expect 2 export small.mcap -o out.csv --signals mass.positoin
says err "did you mean 'mass.position'?"
expect 2 export small.mcap -o out.csv --from '2 s' --to '1 s'
says err 'nothing lies between 2 s and 1 s'
expect 2 export small.mcap -o out.csv --from 2
says err "reading option '--from'"
# Rows begin where the recording does.
expect 0 run "$small" -q --checkpoint-at 0.4s --checkpoint state
expect 0 run "$small" -q --from state --out later.mcap
expect 0 export later.mcap -o later.csv --rate 10Hz
same 'rows of a later start' "$(cut -d, -f1 later.csv | tr '\n' ' ')" \
    't [s] 0.400000 0.500000 0.600000 0.700000 0.800000 0.900000 1.000000 '
expect 0 export later.mcap -o later.csv --rate 10Hz --from 2000s
same 'rows after the end' "$(wc -l <later.csv | tr -d ' ')" 1

expect 2 export small.mcap -o out.csv --rate '0 Hz'
says err "reading option '--rate'"
expect 2 export small.mcap -o out.ulg --exact
says err 'ulog need not be told to be exact'
expect 2 export small.mcap -o out.lcm --rate '10 Hz'
says err 'lcm has no rows on an axis'
expect 2 export small.mcap -o - --format csv --json
expect 3 export nosuch.mcap -o out.csv
says err nosuch.mcap
expect 3 export "$small" -o out.csv
expect 3 export small.mcap -o nosuch/out.csv
says err nosuch/out.csv
# --- no room --------------------------------------------------------------------------------------

# crowded BYTES ARG...: with files of at most so many bytes. (The unit of ulimit -f is another one in
# every shell. It holds for standard error, too, so it leaves room for a message.)
crowded() (
    bytes=$1
    shift
    exec prlimit --fsize="$bytes" "$TACTUS" "$@" >out 2>err </dev/null
)
for ending in csv h5 ulg lcm; do
    [ "$ending$h5" != h5no ] || continue
    rm -f crowded.*
    expect 0 export small.mcap -o "crowded.$ending"
    size=$(wc -c <"crowded.$ending")
    rm -f crowded.*
    for bytes in 512 2560 $((size / 4)) $((size / 2)) $((size - 2048)) $((size - 1)); do
        [ "$bytes" -gt 0 ] || continue
        crowded "$bytes" export small.mcap -o "crowded.$ending"
        same "exit code of $ending with $bytes bytes" "$?" 3
        says err "crowded." 'File too large'
        same "what it leaves with $bytes bytes" "$(echo crowded.*)" 'crowded.*'
    done
done
crowded 1024 recover small.mcap -o crowded.mcap
same 'exit code of recover' "$?" 3
says err 'File too large'
same 'what recover leaves' "$(echo crowded.*)" 'crowded.*'
if command -v gnuplot >/dev/null; then
    crowded 1024 plot small.mcap mass.position -o crowded.png
    same 'exit code of plot' "$?" 3
    same 'what plot leaves' "$(echo crowded.*)" 'crowded.*'
fi
finish
