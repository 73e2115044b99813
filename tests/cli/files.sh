#!/bin/sh
# Files that are written: none takes the place of a file that is read or of another output, and of
# two programs that write one file only one succeeds.
. "$TACTUS_SOURCE/tests/cli/common"

# unchanged FILE: as it was when it was copied to FILE.kept
unchanged() {
    cmp -s "$1" "$1.kept" || fail "$1 was changed"
}
keep() {
    for name; do cp "$name" "$name.kept"; done
}

# --- outputs and inputs ---------------------------------------------------------------------------
# A configuration that extends other files, one of them by way of another, and flies a mission.
examples=$TACTUS_SOURCE/examples
cp "$examples/missions/square.waypoints" mission.txt
cp "$examples/vehicles/rates.yaml" base.yaml
cat >fly.yaml <<EOF
extends: base.yaml
duration: 1 s
entities:
  uav:
    extends: vehicle.yaml
    components: {control: {params: {mission: mission.txt}}}
EOF
echo "extends: $examples/vehicles/iris.yaml" >vehicle.yaml
expect 0 check fly.yaml
expect 0 run fly.yaml -q --checkpoint-at 0.5s --checkpoint state
ln mission.txt other_name.txt
mkdir sub
keep mission.txt base.yaml vehicle.yaml fly.yaml state
for name in mission.txt ./mission.txt sub/../base.yaml vehicle.yaml fly.yaml other_name.txt; do
    for option in --out --csv '--checkpoint-at 0.5s --checkpoint'; do
        expect 2 run fly.yaml -q --force $option "$name"
        says err "'$name' is a file that is read"
    done
    expect 2 explain fly.yaml -o "$name"
    says err "--output '$name' is a file that is read"
done
expect 2 run fly.yaml -q --force --from state --out state
expect 2 run fly.yaml -q --from state --checkpoint-at 0.7s --checkpoint state
for name in mission.txt base.yaml vehicle.yaml fly.yaml state; do unchanged "$name"; done

# What the configuration says counts like an option.
expect 2 run fly.yaml -q --force --set record.file=mission.txt
says err "'file' of 'record' 'mission.txt' is a file that is read"
expect 2 run fly.yaml -q --set record.csv=base.yaml
for name in mission.txt base.yaml; do unchanged "$name"; done

# --- outputs and each other -----------------------------------------------------------------------
expect 2 run "$small" -q --out x --checkpoint-at 0.5s --checkpoint x
says err '--out and --checkpoint are the same file'
expect 2 run "$small" -q --out x --csv ./x
expect 2 run "$small" -q --out sub/x --csv "$work/sub/x"
expect 2 run "$small" -q --csv small.checkpoint --checkpoint-at 0.5s --set name=small
expect 2 run fly.yaml -q --out x.png --plot x.png
[ ! -e x ] && [ ! -e sub/x ] && [ ! -e x.png ] || fail 'a refused output was written'
"$TACTUS" run "$small" --csv table >table 2>err </dev/null
same 'exit code where standard output is the table' "$?" 2
says err 'standard output and --csv are the same file'
expect 0 run "$small" -q --out /dev/null --csv /dev/null # nothing to lose

# --- recordings -----------------------------------------------------------------------------------
expect 0 run "$small" -q --out a.mcap
keep a.mcap
expect 3 run "$small" -q --out a.mcap
says err "--out 'a.mcap' exists already; --force replaces it"
expect 3 replay a.mcap -q --out mission.txt
expect 3 run "$small" -q --set record.file="$work/a.mcap"
says err '--force replaces it'
for name in a.mcap mission.txt; do unchanged "$name"; done
# Other outputs never replace a recording.
expect 3 run "$small" -q --csv a.mcap
says err "--csv 'a.mcap' is a recording"
expect 3 run "$small" -q --checkpoint-at 0.5s --checkpoint a.mcap
expect 3 schema -o a.mcap
cp a.mcap b.mcap
expect 3 export a.mcap --format csv -o b.mcap
expect 2 export a.mcap --format csv -o a.mcap
ln a.mcap same.mcap
expect 2 replay a.mcap -q --force --out same.mcap
expect 2 recover a.mcap --force -o same.mcap
unchanged a.mcap
cmp -s a.mcap b.mcap || fail 'b.mcap was changed'
# The log of messages and the file of its types.
cp a.mcap a.types.lcm
expect 2 export a.types.lcm -o a.lcm
says err "the second file of the export 'a.types.lcm' is a file that is read"
cmp -s a.mcap a.types.lcm || fail 'the file of types has replaced the recording'

expect 0 run "$small" -q --seed 9 --out b.mcap --force
cmp -s a.mcap b.mcap && fail '--force has not replaced the recording'
expect 0 recover a.mcap
expect 3 recover a.mcap
says err "--force replaces it"
expect 0 recover a.mcap --force
# A run that cannot begin leaves the old one.
expect 2 run "$data/wrong.yaml" -q --out a.mcap --force
unchanged a.mcap

# --- two programs, one file -----------------------------------------------------------------------
long="$small -q --realtime --duration 60s --set record.flush=0.1s"
# shellcheck disable=SC2086
"$TACTUS" run $long --out busy.mcap --csv busy.csv 2>err.first &
first=$!
wait_for busy.csv 0.5 || fail 'the first run writes nothing'
expect 3 run "$small" -q --out busy.mcap
expect 3 run "$small" -q --out busy.mcap --force
says err "'busy.mcap': another program is writing it"
expect 3 run "$small" -q --csv busy.csv
says err "'busy.csv': another program is writing it"
expect 3 export a.mcap -o busy.csv
kill "$first"
wait "$first"
expect 0 info busy.mcap --json
same 'the first run alone has written' "$(value out whole)" true
expect 0 run "$small" -q --out busy.mcap --csv busy.csv --force

# Many at once, none of which has seen a file: one succeeds.
i=0
while [ "$i" -lt 8 ]; do
    { "$TACTUS" run "$small" -q --seed "$i" --out race.mcap --duration 20s 2>/dev/null </dev/null; echo "$?" >>codes; } &
    i=$((i + 1))
done
wait
same 'runs that succeeded of eight to one file' "$(grep -c '^0$' codes)" 1
same 'runs that were refused' "$(grep -c '^3$' codes)" 7
expect 0 hash race.mcap

# --- links, permissions, leftovers ----------------------------------------------------------------
echo precious >target
keep target
ln -s target link
ln -s nowhere dangling
for output in link dangling; do
    expect 3 schema -o "$output"
    says err "'$output': it is a symbolic link"
    expect 3 run "$small" -q --force --out "$output"
    expect 3 run "$small" -q --csv "$output"
    expect 3 run "$small" -q --checkpoint-at 0.5s --checkpoint "$output"
    expect 3 export a.mcap --format csv -o "$output"
    expect 3 recover a.mcap --force -o "$output"
done
unchanged target
[ ! -e nowhere ] || fail 'a dangling link was followed'
# Names that others might have prepared are not used.
ln -s target schema.json.tmp
expect 0 schema -o schema.json
unchanged target

(umask 027 && "$TACTUS" schema -o new.json && "$TACTUS" run "$small" -q --out new.mcap </dev/null)
same 'permissions of a new file' "$(stat -c %a new.json)" 640
same 'permissions of a new recording' "$(stat -c %a new.mcap)" 640
chmod 604 new.json new.mcap
expect 0 schema -o new.json
expect 0 run "$small" -q --out new.mcap --force
same 'permissions of a replaced file' "$(stat -c %a new.json)" 604
same 'permissions of a replaced recording' "$(stat -c %a new.mcap)" 604
set -- ./*.tmp-*
[ ! -e "$1" ] || fail "left behind: $*"
expect 0 schema -o -
is_json out
finish
