#!/bin/sh
# --realtime keeps step with the wall clock and changes no bit.
. "$TACTUS_SOURCE/tests/cli/common"

plain=$(hash_of "$small")
expect 0 run "$small" -q --json --realtime
is_json out
same 'the hash in real time' "$(value out hash)" "$plain"
for key in mean max p50 p99 late count; do
    [ -n "$(value out $key)" ] || fail "no $key in the jitter"
done
# Never early; how late depends on the machine.
awk -v s="$(value out wall_s)" 'BEGIN { exit !(s >= 0.999) }' || fail "too early: $(value out wall_s) s"
same 'every boundary counts' "$(value out count)" "$(value out boundaries)"
awk -v a="$(value out p50)" -v b="$(value out p99)" -v c="$(value out max)" \
    'BEGIN { exit !(a <= b && b <= c) }' || fail 'quantiles out of order'

plain=$(hash_of "$small" --duration 40s)
expect 0 run "$small" -q --json --duration 40s --realtime=80
same 'the hash at eighty times real time' "$(value out hash)" "$plain"
awk -v s="$(value out wall_s)" 'BEGIN { exit !(s >= 0.499 && s < 39) }' ||
    fail "40 s at eighty times real time took $(value out wall_s) s"

expect 0 run "$small" --realtime=10
says out 'jitter             mean ' 'of 525 boundaries by more than 1 ms'
finish
