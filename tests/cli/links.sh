#!/bin/sh
# Links with laws: what became of their messages is in the report, in JSON, in explanations and in the
# recording; checkpoints, replays and repeats have the same bits.
. "$TACTUS_SOURCE/tests/cli/common"
links=$data/links.yaml

expect 0 run "$links" -q --json --out a.mcap --checkpoint-at 1.2s --checkpoint x.ckpt
is_json out
whole=$(value out hash)
python3 - out <<'END' || fail 'counts of links'
import json, sys
near, far = json.load(open(sys.argv[1]))["links"]
assert (near["from"], near["to"]) == ("beacon.tx", "near.rx"), near
assert (far["from"], far["to"]) == ("beacon.tx", "far.rx"), far
assert near["sent"] == far["sent"] == 401
assert near["down"] == 50 and far["down"] == far["lost"] == far["duplicated"] == 0
assert 15 <= near["lost"] <= 60 and 35 <= near["duplicated"] <= 105, near
for link in near, far:
    on_the_way = link["sent"] + link["duplicated"] - link["lost"] - link["down"] - link["delivered"]
    assert 0 <= on_the_way <= 6, link
END
cp out first
expect 0 run "$links" -q --json --from x.ckpt
same 'hash from a checkpoint' "$(value out hash)" "$whole"
same 'counts from a checkpoint' "$(grep near.rx out)" "$(grep near.rx first)"
expect 0 run "$links" -q --json --seed 4
[ "$(value out hash)" != "$whole" ] || fail 'another seed gives the same hash'
expect 0 replay a.mcap --json
same replay "$(value out hash_match)" true
expect 0 info a.mcap --json
is_json out
expect 0 run "$links"
says out 'beacon.tx to near.rx: 401 sent, ' 'lost, 50 lost while down, ' ' duplicated' \
    'beacon.tx to far.rx: 401 sent, '
expect 0 run "$small" --json -q
! grep -q '"links"' out || fail 'counts of links without a law'

expect 0 explain "$links"
says out 'after uniform 3 ms to 28 ms, loss 0.1, duplicate 0.2, down 1 s to 1.5 s' \
    'far.rx after normal mean 5 ms sigma 1 ms from 2 ms to 20 ms' 'air.rx after 4 ms' \
    'outside on beacon.tx after exponential mean 5 ms from 1 ms, loss 1'
expect 0 explain "$links" --json
is_json out
says out '"delay": "normal"' '"down_us": [[1000000, 1500000]]' '"sigma_us": 1000'
expect 0 explain "$links" --dot
says out 'from beacon.tx to near.rx, uniform 3 ms to 28 ms, loss 0.1' 'air.rx, 4 ms on the way'

expect 2 check "$links" --set 'links[0].loss=110 %'
says err '110 % is out of range: must be from 0 to 1' 'links[0].loss'
expect 2 check "$links" --set 'links[0].delay=0 s'
says err 'a delay of zero is refused, because a message cannot arrive at the boundary' \
    'in a federation no process could advance'
finish
