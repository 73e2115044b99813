#!/bin/sh
# A federation over several hosts gives the hash of one engine, even where a host is cut off for a
# while. A host that stays cut off ends it for everyone, in some 15 s. Strangers are refused.
. "$TACTUS_SOURCE/tests/federation/network"
formation=$TACTUS_SOURCE/examples/formation.yaml
"$TACTUS" serve --make-key key 2>err || {
    grep -q libsodium err && skip 'there is no libsodium, which keys need'
    fail "serve --make-key: $(cat err)"
}
"$TACTUS" serve --make-key other
make_hosts 4

# serve NAME PORT ARG...: the server, on host 1; its outputs are NAME.out and NAME.err
serve() {
    name=$1 port=$2
    shift 2
    on 1 "$TACTUS" serve "$formation" --json --address "10.77.0.1:$port" --key key "$@" \
        >"$name.out" 2>"$name.err" &
    server=$!
    wait_for "$name.err" 'listening at' || fail "$name: no server"
}

# join_all NAME PORT HOSTS ARG...: each process on its host; $pids are theirs
join_all() {
    name=$1 port=$2 hosts=$3 pids=
    shift 3
    for process in lead follower1 follower2 follower3; do
        on "${hosts%% *}" "$TACTUS" join "tcp://node1:$port" "$formation" -q --key key \
            --name $process --out "$name.$process.mcap" "$@" >"$name.$process.out" \
            2>"$name.$process.err" &
        pids="$pids $!"
        hosts=${hosts#* }
    done
}

# ended WHAT CODES PID...: wait for these; their exit codes are CODES
ended() {
    what=$1 wanted=$2 codes=
    shift 2
    for pid; do
        wait "$pid"
        codes="$codes$? "
    done
    same "exit codes $what" "$codes" "$wanted "
}

# Host 4 is cut off in the middle of a long run; what comes of it is looked at last.
long='--duration 5000s --set expect=~'
# shellcheck disable=SC2086 # words
serve cut 4001 $long
# shellcheck disable=SC2086
join_all cut 4001 '1 4 2 3 ' $long
cut_pids="$pids $server"
grown cut.follower1.mcap
cut_off 4
# shellcheck disable=SC2086
(sleep 40 && kill $cut_pids) & # where nobody notices, they end with 143

# Strangers first, then all processes; the strangers change nothing.
whole=$(hash_of "$formation")
serve all 4002
on 2 "$TACTUS" join 10.77.0.1:4002 "$formation" --name lead --key other >out 2>err
same 'exit code with another key' $? 3
says err 'the other side refuses the key: it has another key'
on 2 "$TACTUS" join 10.77.0.1:4002 "$formation" --name lead >out 2>err
same 'exit code without a key' $? 2
says err "'tcp://10.77.0.1:4002' is on another host: that needs the key of the server" "'--key FILE'"
on 1 "$TACTUS" serve "$formation" --address 10.77.0.1:4003 >out 2>err
same 'exit code of a server without a key' $? 2
says err 'can be reached from other hosts: that needs a shared key'
join_all all 4002 '1 2 3 2 '
# shellcheck disable=SC2086
ended 'on three hosts' '0 0 0 0 0' $pids $server
same 'hash on three hosts' "$(value all.out hash)" "$whole"
same 'transport' "$(value all.out transport)" tcp

# Ranks find the first host by its name.
rank=0 pids=
while [ "$rank" -lt 3 ]; do
    on $((rank + 1)) env SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_PROCID=$rank \
        SLURM_STEP_NUM_TASKS=3 'SLURM_STEP_NODELIST=node[1-3]' SLURMD_NODENAME=node$((rank + 1)) \
        "$TACTUS" federate "$formation" --launcher slurm --key key --json >"rank$rank" 2>&1 &
    pids="$pids $!"
    rank=$((rank + 1))
done
# shellcheck disable=SC2086
ended 'of ranks' '0 0 0' $pids
same 'hash of ranks' "$(value rank0 hash)" "$whole"

# Cut off for a second: everyone waits.
some='--duration 300s --set expect=~'
# shellcheck disable=SC2086
serve gap 4004 $some
# shellcheck disable=SC2086
join_all gap 4004 '1 2 3 2 ' $some
grown gap.follower2.mcap
cut_off 3
sleep 1
[ ! -s gap.out ] || fail 'the federation came to its end without host 3'
connect 3
# shellcheck disable=SC2086
ended 'with a gap' '0 0 0 0 0' $pids $server
# shellcheck disable=SC2086
same 'hash with a gap' "$(value gap.out hash)" "$(hash_of "$formation" $some)"

# shellcheck disable=SC2086
ended 'without host 4' '4 3 4 4 3' $cut_pids
lost="the connection to 'follower1' was lost when it had come to"
says cut.out '"finished": false' "$lost" '10.77.0.4' 'the other host does not answer any more'
says cut.err "$lost"
for process in lead follower2 follower3; do
    says cut.$process.err "the federation ended: 'follower1' at" "$lost"
done
says cut.follower1.err "the connection to the server was lost when 'follower1' had come to"
for process in lead follower1 follower2 follower3; do
    expect 0 info cut.$process.mcap
    says out 'the run ended early'
done
finish
