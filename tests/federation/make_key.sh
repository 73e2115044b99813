#!/bin/sh
# A key is made by the program, with it a server and a client meet, and without it nobody joins.
. "$TACTUS_SOURCE/tests/cli/common"
"$TACTUS" serve --make-key first.key 2>err || {
    grep -q libsodium err || fail "no key: $(cat err)"
    echo "skipped: this build has no libsodium"
    finished=true
    exit 77
}
same 'digits of a key' "$(tr -d '0-9a-f\n' <first.key | wc -c) $(wc -c <first.key)" '0 65'
same 'mode of a key' "$(stat -c %a first.key)" 600
expect 0 serve --make-key second.key
cmp -s first.key second.key && fail 'two keys are the same'
cp first.key old
expect 3 serve --make-key first.key
says err "cannot write the key 'first.key': File exists"
cmp -s first.key old || fail 'a key that exists was changed'
expect 2 serve "$TACTUS_SOURCE/tests/cli/data/pair.yaml" --make-key third.key
says err "makes a key and serves nothing"
[ ! -e third.key ] || fail 'a key was made'
expect 2 serve
says err 'missing operand: tactus serve FILE'

pair=$TACTUS_SOURCE/tests/cli/data/pair.yaml
plain=$("$TACTUS" federate "$pair" --json | sed -n 's/.*"hash": "\(.*\)".*/\1/p' | head -n 1)
"$TACTUS" serve "$pair" --address unix://s --key first.key --json >served 2>serve_err &
server=$!
"$TACTUS" join unix://s "$pair" --name left --key second.key -q >out 2>err
[ $? -ne 0 ] || fail 'a client with another key joined'
says err 'the other side refuses the key: it has another key'
for name in left right; do
    "$TACTUS" join unix://s "$pair" --name $name --key first.key -q >$name 2>&1 &
done
wait $server || fail "the server failed: $(cat serve_err)"
wait
same 'the hash with a key' "$(value served hash)" "$plain"
# What a key protects is not published, unless that is asked for.
grep -q '"lcm"' served && fail 'with a key messages are published'
finish
