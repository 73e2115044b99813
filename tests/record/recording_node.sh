#!/bin/sh
# Values in recordings, read by readers that are not ours (@mcap/core and rosmsg2-serialization of
# Foxglove), are those that our own reader gives, bit for bit.
set -eu
. "$TACTUS_SOURCE/tests/record/node/install"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # NAME OPTION...
    name=$1
    shift
    "$TACTUS" run "$TACTUS_SOURCE/examples/$name.yaml" -q --out "$work/a.mcap" --force "$@" 2>/dev/null
    node "$folder/signals.mjs" "$work/a.mcap" >"$work/theirs"
    "$TACTUS_BUILD/tests/tool_record_dump" "$work/a.mcap" >"$work/ours"
    [ -s "$work/ours" ] || { echo "$name: nothing was read"; exit 1; }
    cmp "$work/ours" "$work/theirs" || { echo "$name $*: read differently"; exit 1; }
    echo "$name $*: $(wc -l <"$work/ours") values alike"
}
check iris_mission --duration '3 s'
check iris_mission --duration '1 s' --set record.tier=all --set record.compression=lz4
check hexa_motor_out --duration '2 s' --set record.tier=all --set record.compression=none
check sensors --duration '1 s' --set record.tier=all
check convoy --duration '1 s' --set record.tier=all

# What came of expectations, and that a run was stopped.
cat >"$work/fall.yaml" <<'END'
duration: 1 s
timeline: {physics: 10 ms}
components:
  fall: {type: equations, params: {states: {z: {unit: m, initial: 10}, v: {unit: m/s}},
    equations: [der(z) = v, der(v) = -9.80665 m/s^2]}}
END
cat >"$work/judged.yaml" <<'END'
extends: fall.yaml
expect:
  met: {always: fall.z > 5}
  broken: {never: "fall.z < 8 AND fall.z > 7"}
  open: {eventually: fall.z < 0, within: 3 s}
END
judge() { # FILE LINE OPTION...
    file=$1 line=$2
    shift 2
    "$TACTUS" run "$work/$file.yaml" --json --out "$work/b.mcap" --force "$@" >"$work/b.json" 2>/dev/null ||
        [ $? -eq 1 ]
    said=$(node "$folder/expect.mjs" "$work/b.mcap" "$work/b.json")
    [ "$said" = "$line" ] || { echo "$file: '$said', not '$line'"; exit 1; }
}
judge judged '3 expectations, not stopped: alike'
judge judged '3 expectations, stopped: alike' --set 'stop=fall.z < 7.5'
judge fall '0 expectations, not stopped: alike'
