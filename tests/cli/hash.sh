#!/bin/sh
# Digests in a recording are those that the run itself reported.
. "$TACTUS_SOURCE/tests/cli/common"

expect 0 run "$small" -q --json --out a.mcap --digest 'mass*' --digest '*.y' --digest sensor.y
cp out run.json
hash=$(value run.json hash)
of_pattern() { # PATTERN: its line as `tactus hash` is to write it
    sed -n 's/^ *"\(.*\)": {"hash": "\(.*\)", "count": \(.*\)}.*/\2  \1 (\3)/p' run.json |
        grep -F "  $1 ("
}
expect 0 hash a.mcap
same 'the whole' "$(cat out)" "$hash  a.mcap"
expect 0 hash a.mcap 'mass*' '*.y' sensor.y
same 'patterns' "$(cat out)" "$(of_pattern 'mass*'
    of_pattern '*.y'
    of_pattern sensor.y)"
same 'how many' "$(wc -l <out)" 3

# Every name: as the run has them, and no other.
expect 0 run "$small" -q --json --digest '*'
sed -n 's/^ *"\(.*\)": "\([0-9a-f]\{16\}\)",\{0,1\}$/\2  \1/p' out | grep -v -e hash -e '"' >wanted
expect 0 hash a.mcap --list
cp out list
[ -s wanted ] || fail 'a run without digests'
cmp -s wanted list || { fail 'the lists differ'; diff wanted list; }
expect 0 hash a.mcap --list 'mass*'
same 'those that match' "$(cat out)" "$(grep '  mass' list)"

expect 0 hash a.mcap 'mass*' --json --list
is_json out
same 'hash in JSON' "$(value out hash)" "$hash"
says out "\"mass*\": {\"hash\": \"$(of_pattern 'mass*' | cut -c 1-16)\", \"count\": "
same 'digests in JSON' "$(grep -Ec '^    "mass[^*]*": "[0-9a-f]{16}"' out)" "$(grep -c '  mass' list)"

# A pattern without match, and runs that are not whole
expect 2 hash a.mcap sensr.y
says err "matches 'sensr.y'" "did you mean 'sensor.y'?"
silent out
expect 1 run "$data/fails.yaml" -q --out failed.mcap
expect 1 hash failed.mcap
says err "'failed.mcap' has no digests of a whole run: the run did not come to its end"
expect 1 hash failed.mcap --json
is_json out
same 'status' "$(value out status)" TAC_E_UNFINISHED
head -c "$(($(wc -c <a.mcap) / 2))" a.mcap >cut.mcap
expect 1 hash cut.mcap
says err 'was cut off'
expect 3 hash nosuch.mcap
expect 3 hash "$small"
expect 2 hash
finish
