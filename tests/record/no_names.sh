#!/bin/sh
# No signal is named in src/record: none of those that fill a PX4 log, whose table is autopilot's.
. "$TACTUS_SOURCE/tests/cli/common"
table=$TACTUS_SOURCE/src/autopilot/px4/ulog.c
names=$(sed -n 's/.*\.port = "\([a-z_.]*\)".*/\1/p' "$table" | sort -u)
[ "$(echo "$names" | wc -l)" -gt 20 ] || fail "no names of signals in $table"
for name in $names; do
    grep -rnF "\"$name\"" "$TACTUS_SOURCE/src/record" | grep -v json_key && fail "src/record names the signal $name"
done
finish
