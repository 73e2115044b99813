#!/bin/sh
# The hash of a federation, and of the recording of each of its processes, is always the same, and
# the federation's that of one engine: with processes started in any order, on one processor or
# several, over each transport and with both rules. A single message less changes it.
. "$TACTUS_SOURCE/tests/cli/common"
formation=$TACTUS_SOURCE/examples/formation.yaml
processes='lead follower1 follower2 follower3'
TMPDIR=$work
export TMPDIR

whole=$(hash_of "$formation")
case $whole in ????????????????) ;; *) fail "no hash: '$whole'" ;; esac

# hashes PREFIX: of the recordings
hashes() {
    for one in $processes; do
        "$TACTUS" hash "$1$one.mcap" 2>&1 | cut -c 1-16
    done
}

# federation RUN TRANSPORT RULE: processes start in an order, and on processors, that depend on RUN
federation() {
    run=$1 address=unix://$work/s
    [ "$2" != tcp ] || address=tcp://127.0.0.1:0
    [ "$2" != shm ] || address=shm://$work/s
    rm -f serve_err
    # shellcheck disable=SC2046 # words
    $(pin "$run" 0) "$TACTUS" serve "$formation" --no-lcm --json --address "$address" \
        --lookahead "$3" >"out$run" 2>serve_err &
    wait_for serve_err 'listening at' || fail "run $run: no server"
    address=$(sed -n 's/^listening at \([^ ]*\) .*/\1/p' serve_err)
    number=0
    for one in $processes; do
        number=$((number + 1))
        { # another one is the first each time
            sleep "0.0$(((number * 3 + run * 7) % 5))"
            # shellcheck disable=SC2046 # words
            $(pin "$run" "$number") "$TACTUS" join "$address" "$formation" -q --name "$one" \
                --force --out "$one.mcap" >"$one.out" 2>&1
        } &
    done
    wait
    same "hash of run $run over $2 by rule $3" "$(value "out$run" hash)" "$whole"
    same "hashes of recordings of run $run" "$(hashes '')" "${recorded:=$(hashes '')}"
}

# pin RUN NUMBER: the words before a command that bind it to a processor, or none
processors=$(nproc)
pin() {
    command -v taskset >/dev/null || return 0
    case $(($1 % 3)) in
    0) echo taskset -c 0 ;;
    1) ;;
    2) echo taskset -c $(($2 % processors)) ;;
    esac
}

run=0
for rule in link global; do
    for transport in tcp unix shm; do
        run=$((run + 1))
        federation "$run" "$transport" "$rule"
    done
done
same 'different hashes of recordings' "$(echo "$recorded" | sort -u | wc -l)" 4

# --- started by one program
for run in 1 2 3 4 5; do
    # shellcheck disable=SC2046 # words
    $(pin "$run" 0) "$TACTUS" federate "$formation" --no-lcm --json -q --force \
        --set "record.file=$work/f.mcap" >out 2>err || fail "federate: $(cat err)"
    same "hash of federation $run" "$(value out hash)" "$whole"
    same "hashes of recordings of federation $run" "$(hashes f.)" "$recorded"
done

# --- a message less: that of the leader at 1 s
less='links[0].down=[[990 ms, 1010 ms]]'
without=$(hash_of "$formation" --set "$less")
[ "$without" != "$whole" ] || fail 'a message less changes nothing'
expect 0 federate "$formation" --no-lcm --json -q --set "$less"
same 'hash of a federation with a message less' "$(value out hash)" "$without"
same 'messages that are lost' "$(value out lost)" 1
finish
