#!/bin/sh
# Progress and colours: a bar on a terminal, plain lines elsewhere if asked for.
. "$TACTUS_SOURCE/tests/cli/common"
escape=$(printf '\033')

# Elsewhere
expect 0 run "$small" --log-level error
silent err
expect 0 run "$small" --log-level error --progress=always
says err 'progress: ' ' of 1.000 s' 'x real time' 's left' 'progress: 100 %'
! grep -q "$escape" err || fail 'control sequences without a terminal'
[ "$(grep -c progress: err)" -le 11 ] || fail 'more than a line every 10 %'

command -v script >/dev/null || exit 77
script -qec true /dev/null >/dev/null 2>&1 </dev/null || exit 77

# terminal NAME=VALUE... -- ARG...: run on a terminal; what it saw is in ./seen, the report in ./out
terminal() {
    settings='TERM=xterm'
    while [ "$1" != -- ]; do
        settings="$settings $1"
        shift
    done
    shift
    line="stty cols 72; env $settings '$TACTUS' run '$small' $* >out"
    script -qec "$line" /dev/null >seen 2>&1 </dev/null || fail "tactus $* on a terminal"
}

terminal -- --log-level error --progress=always --realtime=4 --json
says seen '%  ' ' of 1.000 s' 'x real time' '['
tr '\r' '\n' <seen | sed "s/$escape\\[K//g" | awk 'length > 72 { exit 1 }' ||
    fail 'a bar is wider than the terminal'
tr '\r' '\n' <seen | tail -n 1 | grep -q "^$escape\\[K\$" || fail 'the bar is not erased'
count=$(tr '\r' '\n' <seen | grep -c real)
awk -v n="$count" -v s="$(value out wall_s)" 'BEGIN { exit !(n >= 2 && n <= 10 * s + 2) }' ||
    fail "drawn $count times in $(value out wall_s) s"
terminal -- --log-level error --progress=never --realtime=4
silent seen
terminal -- --log-level error
silent seen # too short to show anything
terminal TERM=dumb -- --log-level error --realtime=4
silent seen

# The log goes round the bar.
terminal -- --progress=always --realtime=4
tr '\r' '\n' <seen | sed "s/$escape\\[K//g" | grep -q '^\[  0.250000 s\] show: position' ||
    fail 'a log entry does not have a line of its own'

# Colours: of warnings and so on only, so ask for what can be seen without one.
if grep -q "$escape\\[3" seen; then
    fail 'an ordinary entry has a colour'
fi
finish
