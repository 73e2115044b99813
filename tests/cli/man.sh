#!/bin/sh
# The man pages are well-formed and have exactly the options that `tactus help` shows.
. "$TACTUS_SOURCE/tests/cli/common"
man=$TACTUS_SOURCE/man

# From the help: lines such as "  -o, --out, --output FILE" under "options:", in any order of names
in_help() {
    "$TACTUS" help $1 | sed -n '/^options:/,/^$/p' | grep -oE '^ *(-[a-zA-Z], )?--[a-z-]+(, --[a-z-]+)?' |
        sed 's/--output, --out$/--out, --output/; s/,//g; s/^ *//' | sort
}

# From the page: ".It Fl o , Fl -out , Fl -output Ar file"
in_page() {
    grep -oE '^\.It( ,? ?Fl -?[a-zA-Z-]+)+' "$man/$1.1" | sed 's/^\.It //; s/Fl /-/g; s/ ,//g' | sort
}

compare() { # COMMAND PAGE
    in_help "$1" >in_help
    in_page "$2" >in_page
    [ -s in_help ] || fail "no options in the help of $2"
    cmp -s in_help in_page && return
    fail "the options of $2 differ: < help, > man page"
    diff in_help in_page
}

compare '' tactus
commands=$("$TACTUS" help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
for command in $commands; do
    compare "$command" "tactus-$command"
    grep -q "^\\.It Cm $command\$" "$man/tactus.1" || fail "tactus.1 does not list $command"
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$man/tactus-$command.1" >synopsis
    for option in $(in_page "tactus-$command" | grep -o -e '--[a-z-]*'); do
        grep -qEe " -${option#--}( |\$)" synopsis ||
            fail "the synopsis of tactus-$command lacks $option"
    done
done
# What pages refer to exists, tactus(1) refers to all of them, and quotes are balanced.
for page in "$man"/*.[15]; do
    sed -n '/^\.Sh SEE ALSO/,$s/^\.Xr \(tactus[a-z0-9.-]*\) \([0-9]\).*/\1.\2/p' "$page" >see
    [ -s see ] || fail "$(basename "$page") has no SEE ALSO"
    for other in $(cat see); do
        [ -f "$man/$other" ] || fail "$(basename "$page") refers to $other, which does not exist"
    done
    ! grep -nE '^\.Pq Ql [^ ]+ , [a-z]+ No' "$page" || fail "$(basename "$page"): a word without quotes"
done
for command in $commands; do
    sed -n '/^\.Sh SEE ALSO/,$p' "$man/tactus.1" | grep -q "^\.Xr tactus-$command 1" ||
        fail "SEE ALSO of tactus.1 lacks tactus-$command"
done
# The examples of all pages run as they are written, where their files are: short flights here.
mkdir examples PX4-Autopilot
for f in vehicles missions rates.yaml formation.yaml iris_hover.yaml; do
    ln -s "$TACTUS_SOURCE/examples/$f" "examples/$f"
done
sed 's/^duration: .*/duration: 26 s/; /^expect:/,$d' "$TACTUS_SOURCE/examples/iris_mission.yaml" \
    >examples/iris_mission.yaml
sed '/^expect:/,$d' "$TACTUS_SOURCE/examples/iris_branch.yaml" >examples/iris_branch.yaml
printf 'extends: examples/iris_mission.yaml\n' >flight.yaml
sed 's/^duration: .*/duration: 1 s/; /^expect:/,$d' "$TACTUS_SOURCE/examples/convoy.yaml" |
    sed 's/^  cart:/  uav:/; s/"cart\*/"uav*/' >a.yaml
cp a.yaml b.yaml
ln -s "$TACTUS_BUILD/tests/libpx4_standin.so" libpx4_lockstep.so
mkdir PX4-Autopilot/msg
printf '%s\n' 'uint64 timestamp' 'uint64 timestamp_sample' 'float32[4] q' 'float32[4] delta_q_reset' \
    'uint8 quat_reset_counter' >PX4-Autopilot/msg/VehicleAttitude.msg
"$TACTUS" run flight.yaml -q -o before.mcap
"$TACTUS" run flight.yaml -q -o after.mcap
# -> one script a page: "$ " begins a command, \e at the end of a line continues it
in_page_examples() {
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$1" |
        sed -n 's/^\.Dl //; /^\./d; s/\\e$/\\/; s/^\$ //; /^ *tactus /p; /^ *--/p; /^source /p; /^diff /p'
}
for page in "$man"/*.1; do
    name=$(basename "$page")
    rm -f a.mcap b.mcap flight.mcap
    case $name in
    tactus-plot.1 | tactus-run.1) command -v gnuplot >/dev/null || continue ;;
    tactus-px4.1) [ -e "$TACTUS_BUILD/tests/libpx4_standin.so" ] || continue ;;
    esac
    case $name in
    tactus-replay.1 | tactus-export.1) ;; # they make what they read
    *) "$TACTUS" run flight.yaml -q --duration '2 s' -o flight.mcap && cp flight.mcap a.mcap && cp a.mcap b.mcap ;;
    esac
    in_page_examples "$page" >script
    [ -s script ] || continue
    { echo 'set -e; tactus() { "$TACTUS" "$@"; }'; cat script; } >script.sh
    bash ./script.sh >out 2>&1 </dev/null || { fail "an example of $name fails"; cat script out; }
    cat script >>all
done
[ "$(grep -c '^ *tactus' all)" -ge 15 ] || fail 'examples of man pages were not found'
"$TACTUS" help multirotor >out
! grep -q '\[1\]' out || fail 'ports of each rotor are shown with one element'
says out '(f64[n], 1)'

for page in "$man"/tactus-*.1; do
    name=$(basename "$page" .1)
    echo "$commands" | grep -qx "${name#tactus-}" || fail "$name.1 is a page of no command"
done

if command -v mandoc >/dev/null; then
    for page in "$man"/tactus*.1; do
        mandoc -T lint -W warning "$page" || fail "$page"
    done
fi
finish
