#!/bin/bash
# A large swarm from one template: each vehicle flies what it flies in a small one, and what a
# vehicle costs does not grow with their number.
. "$TACTUS_SOURCE/tests/cli/common"

swarm=$TACTUS_SOURCE/examples/swarm_large.yaml

fly() { # COUNT
    expect 0 run "$swarm" --set "entities.uav.count=$1" --duration '40 ms' --json \
        --log-level error --digest 'uav7.*' --digest 'uav10.*'
    is_json out
    cp out "out.$1"
}

fly 10
fly 100
fly 500
digests() { # FILE
    sed -n 's/.*"\(uav[0-9]*\)\.\*": {"hash": "\([0-9a-f]*\)".*/\1 \2/p' "$1"
}
same 'vehicles with a digest' "$(digests out.10 | wc -l)" 2
for count in 100 500; do
    same "digests among $count" "$(digests "out.$count")" "$(digests out.10)"
done

# Bytes a vehicle of those that were added; the limit is that of bench/swarm_large.c.
awk -v few="$(value out.100 peak_bytes)" -v many="$(value out.500 peak_bytes)" \
    'BEGIN { each = (many - few) / 400; exit !(each > 0 && each < 49152) }' ||
    fail "from 100 to 500 vehicles: $(value out.100 peak_bytes) to $(value out.500 peak_bytes) bytes"
finish
