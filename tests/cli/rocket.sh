#!/bin/sh
# Flights of rockets as they are recorded: no fuel is ever negative, however it is sampled, and the
# recording replays to the same bits.
. "$TACTUS_SOURCE/tests/cli/common"
flight=$TACTUS_SOURCE/examples/rocket.yaml
ascent=$TACTUS_SOURCE/examples/rocket_ascent.yaml

never_negative() { # REC: every sample of every tank; says how many
    expect 0 export "$1" --signals '*.fuel' -o fuel.csv
    awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) { n++; if ($i < 0) { print; bad = 1 } } }
        END { print n; exit bad }' fuel.csv >fuel || fail "$1: fuel below zero: $(head -n 1 fuel)"
    [ "$(cat fuel)" -gt 1000 ] || fail "$1: only $(cat fuel) samples"
}

# Ticks of the log fall between boundaries, and just before and after the burn-out.
expect 0 run "$ascent" -q --out ascent.mcap --set 'record.rate=1 kHz'
never_negative ascent.mcap
same 'the tank is empty' "$(tail -n 1 fuel.csv)" '61.000000,0'
expect 0 run "$flight" -q --log-level error --out flight.mcap --set 'record.rate=32 Hz' \
    --duration '60 s'
never_negative flight.mcap
same 'both tanks are empty' "$(tail -n 1 fuel.csv)" '60.000000,0,0'

expect 0 replay ascent.mcap -q
expect 0 replay flight.mcap -q

finish
