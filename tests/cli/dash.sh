#!/bin/sh
# -o for the output of every command, - for standard input and standard output.
. "$TACTUS_SOURCE/tests/cli/common"

with() { # FILE ARG...: run the program with standard input from FILE
    input=$1
    shift
    "$TACTUS" "$@" <"$input" >out 2>err || {
        fail "tactus $*"
        cat err
    }
}

# A configuration from standard input is the same as from a file.
for what in 'check --json' explain 'info --resolved' 'run --quiet --json'; do
    with "$small" $what -
    sed 's/"file": .*//; s/"[a-z_]*_s": .*//; s/"peak_bytes": .*//' out >from_stdin
    expect 0 $what "$small"
    sed 's/"file": .*//; s/"[a-z_]*_s": .*//; s/"peak_bytes": .*//' out >from_file
    grep -v '^ *"\(name\|jitter\|realtime_factor\)' from_stdin >a
    grep -v '^ *"\(name\|jitter\|realtime_factor\)' from_file >b
    cmp -s a b || { fail "tactus $what -: other output than from the file"; diff a b | head; }
done
with "$small" run - -q -o piped.mcap
expect 0 run "$small" -q -o "$work/named.mcap"
same 'hash of a recording' "$("$TACTUS" hash piped.mcap | cut -c1-16)" \
    "$("$TACTUS" hash named.mcap | cut -c1-16)"
echo 'duraton: 1 s' | "$TACTUS" check - >out 2>err && fail 'a mistake in standard input was taken'
says err "stdin:1:1: error: unknown key 'duraton'"

# Every command that has an output has -o; what it writes there is what it would print.
for command in $("$TACTUS" help | sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p'); do
    "$TACTUS" help "$command" | grep -q '^  -o, --out' || fail "tactus $command has no -o"
done
for what in "check $small" "info $small" 'hash named.mcap' 'help run' schema "explain $small"; do
    expect 0 $what
    mv out printed
    expect 0 $what -o text
    silent out
    cmp -s text printed || fail "tactus $what -o: not what is printed"
    expect 0 $what -o -
    cmp -s out printed || fail "tactus $what -o -: not what is printed"
done
expect 0 run "$small" --seed 99 -q -o other.mcap
expect 1 compare named.mcap other.mcap -o differences
silent out
[ -s differences ] || fail 'compare -o: nothing was written'
expect 0 export named.mcap -o - --format csv
says out 't [s],'
expect 2 run "$small" -o -
says err 'a recording is a file and cannot go to standard output'
finish
