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
