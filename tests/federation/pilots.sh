#!/bin/sh
# Two instances of an application of LCM and an engine (examples/federation): one federation.
. "$TACTUS_SOURCE/tests/cli/common"
PILOT=$TACTUS_BUILD/tests/pilot/pilot
export PILOT
pilots=$TACTUS_SOURCE/examples/federation/pilots.yaml
[ -x "$PILOT" ] || {
    echo "skipped: liblcm or lcm-gen is not installed"
    finished=true
    exit 77
}

first=
for transport in unix unix tcp shm; do
    expect 0 federate "$pilots" --transport $transport --json
    hash=$(value out hash)
    [ "${first:=$hash}" = "$hash" ] || fail "over $transport: hash $hash, not $first"
done
is_json out
# Both pilots steer, and each hears what the other one steers: order = 10 - height - order / 4, and
# the height settles at the sum of both orders.
says out '"height": 6.1538461538461' '"messages": 417'
# 2 % of the messages to one pilot are lost: it tells the engine other things then.
expect 0 federate "$pilots" --json --set 'federation.links[1].loss=0'
says out '"height": 6.1538461538461'
[ "$(value out hash)" != "$first" ] || fail "the hash does not depend on what a pilot hears"
# The seed decides which.
expect 0 federate "$pilots" --seed 2 --json
[ "$(value out hash)" != "$first" ] || fail "the hash does not depend on the seed"
finish
