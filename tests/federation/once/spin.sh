#!/usr/bin/env bash
# The federation protocol, and sleeping and waking through shared memory, model-checked:
# tests/federation/protocol.pml and sleep.pml say what is checked and what the options mean. First
# each as it is, of which SPIN looks at every state; then mistakes that SPIN has to find.
#
# 3,428,489 states of the protocol as it is, with Debian's spin 6.5.2; some 27 s of CPU time in all,
# half of it for compiling, and 60 MB.
set -euo pipefail
export LC_ALL=C

for tool in spin cc; do
    command -v $tool >/dev/null || {
        echo "skipped: there is no '$tool' here (Debian: spin, gcc)"
        exit 77
    }
done
model=$TACTUS_SOURCE/tests/federation/protocol.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# make_checker FLAGS OPTION...: the program ./pan that searches, compiled with FLAGS
make_checker() {
    local flags=$1
    shift
    rm -f pan pan.* ./*.trail
    # shellcheck disable=SC2086
    if ! spin "${@/#/-D}" -a "$model" >made 2>&1 ||
        ! cc -w -DCOLLAPSE -DMEMLIM=1024 $flags -o pan pan.c >>made 2>&1; then
        cat made
        fail "cannot make a checker for $*"
        return 1
    fi
}

# search FLAG...: what ./pan says is in ./out
search() {
    ./pan -n -w21 -m100000 "$@" >out 2>&1 || true
}

number_of_states() {
    sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' out
}

# holds OPTION...: no state breaks a rule, and none is without a successor before the end
# ends OPTION...: the same, and no run goes on for ever (there are no progress labels, so every
# cycle is a non-progress cycle)
holds() {
    make_checker '-O1 -DSAFETY' "$@" || return 0
    search
    judge "$@"
}
ends() {
    make_checker '-O1 -DNP' "$@" || return 0
    search -l
    judge "$@" '(cycles, too)'
}
judge() {
    local states
    states=$(number_of_states)
    if ! grep -q 'errors: 0$' out || grep -qE 'search depth|not completed|out of memory' out; then
        fail "$*"
        cat out
    elif [ "${states:-0}" -lt 10000 ]; then
        fail "$*: only ${states:-0} states, the model does not do what it should"
    else
        printf '%9d states, all good: %s\n' "$states" "$*"
        total=$((total + states))
    fi
}

# breaks WORDS OPTION...: SPIN finds a state of which it says WORDS
breaks() {
    local words=$1
    shift
    make_checker '-O0 -DSAFETY' "$@" || return 0
    search
    if grep -q "^pan:1: $words" out; then
        printf '%9d states until it is found: %s\n' "$(number_of_states)" "$*"
    else
        fail "$*: SPIN finds no '$words'"
        cat out
    fi
}

total=0
holds PLAN=0 SEEDS=7
holds PLAN=0 GLOBAL
holds PLAN=0 TALK=2
holds PLAN=1 SEEDS=7
holds PLAN=1 GLOBAL SEEDS=2
holds PLAN=2 WEAK SEEDS=3
holds PLAN=2 GLOBAL SEEDS=3
ends PLAN=0 TALK=1
echo "$total states"

breaks 'invalid end state' BROKEN_ZERO
breaks 'invalid end state' BROKEN_PRESSURE
breaks 'assertion violated' BROKEN_BOUNDARY
breaks 'assertion violated' BROKEN_ACKNOWLEDGE
breaks 'assertion violated' BROKEN_EPSILON
breaks 'assertion violated' BROKEN_NEXT
breaks 'assertion violated' BROKEN_COUNT
breaks 'assertion violated' BROKEN_TAKE
breaks 'assertion violated' BROKEN_FUTURE PLAN=1
breaks 'assertion violated' BROKEN_REACHED TALK=2

model=$TACTUS_SOURCE/tests/federation/sleep.pml
holds SIZE=4
holds SIZE=4 DIES
holds SIZE=8 LAST=14
breaks 'invalid end state' BROKEN_FENCE_SLEEPER
breaks 'invalid end state' BROKEN_FENCE_WAKER
breaks 'invalid end state' BROKEN_LOOK
breaks 'invalid end state' BROKEN_BELL
breaks 'invalid end state' BROKEN_DEATH DIES

[ "$failures" -eq 0 ] || echo "$failures failed"
exit $((failures > 0))
