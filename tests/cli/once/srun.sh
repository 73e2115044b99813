#!/bin/sh
# Copies of the program that a launcher has started are one federation. Slurm is not needed: its
# variables are set by hand, which also makes several hosts of one.
. "$TACTUS_SOURCE/tests/cli/common"
formation=$TACTUS_SOURCE/examples/formation.yaml
short='--duration 2s --set expect=~'
whole=$(hash_of "$formation" $short)
step=0
for name in $(env | sed -n 's/^\(OMPI_[^=]*\|PMIX_[^=]*\|SLURM[^=]*\)=.*/\1/p'); do
    unset "$name"
done

# begin N HOSTS ARG...: as `srun -n N tactus federate --launcher slurm ARG...` on these hosts, without
# waiting: out.RANK, err.RANK and the pids are of each rank
begin() {
    ranks=$1 hosts=$2 rank=0 pids=
    shift 2
    step=$((step + 1))
    while [ "$rank" -lt "$ranks" ]; do
        SLURM_JOB_ID=$$ SLURM_STEP_ID=$step SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=$ranks \
            SLURM_NTASKS=64 SLURM_STEP_NODELIST=$hosts \
            "$TACTUS" federate --launcher slurm "$@" >out.$rank 2>err.$rank </dev/null &
        pids="$pids $!"
        rank=$((rank + 1))
    done
}

# finish_all: wait for all ranks; $codes are their exit codes
finish_all() {
    [ -n "$pids" ] || return 0 # a shell may forget who was waited for
    codes=
    for pid in $pids; do
        wait "$pid" 2>/dev/null
        codes="$codes$? "
    done
    pids=
}

code_of() { # RANK
    echo "$codes" | cut -d ' ' -f $(($1 + 1))
}

end_well() { # TEXT: all ranks did, and only rank 0 said something
    finish_all
    same "exit codes of $1" "$(echo "$codes" | tr -d '0 ')" ''
    same "hash of $1" "$(value out.0 hash)" "$whole"
    is_json out.0
    silent err.0
    rank=1
    while [ "$rank" -lt "$ranks" ]; do
        silent out.$rank
        silent err.$rank
        rank=$((rank + 1))
    done
}

# Any number of ranks, every transport.
for n in 1 2 4 6; do
    begin $n "$(uname -n)" "$formation" --json $short
    end_well "$n ranks"
    same 'ranks' "$(value out.0 ranks)" "$n"
done
begin 3 here "$formation" --json --output report $short
finish_all
same 'exit codes with --output' "$codes" '0 0 0 '
same 'hash in --output' "$(value report hash)" "$whole"
silent out.0
for transport in shm tcp; do
    begin 3 'node[7]' "$formation" --json --transport $transport $short
    end_well "$transport"
    same 'transport' "$(value out.0 transport)" $transport
done

# A rank that is left over ends at once and leaves the folder alone, in which rank 0 may be about to
# listen.
mkdir -m 700 at
mkdir -m 700 "at/tactus-$(id -u)-$$.0"
SLURM_JOB_ID=$$ SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=6 SLURM_STEP_NODELIST=here \
    TMPDIR=at "$TACTUS" federate --launcher slurm "$formation" >out 2>err </dev/null ||
    fail "the rank that is left over: exit code $?"
silent err
[ -d "at/tactus-$(id -u)-$$.0" ] || fail 'the folder of rank 0 was removed'

# Several hosts, with a key.
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >key
chmod 600 key
begin 3 localhost,other "$formation" --json --key key $short
finish_all
if grep -q libsodium err.0; then
    echo 'no libsodium: several hosts are not tried'
else
    end_well 'several hosts'
fi
begin 2 'n[1-2]' "$formation"
finish_all
same 'without a key' "$codes" '2 2 '
says err.0 "option '--key KEY' is missing"
says err.1 "option '--key KEY' is missing" 'being rank 1 of 2'

# A rank that is killed ends all, by its name. No socket is left.
long="--duration 500s --set expect=~ --set record.file"
begin 4 here "$formation" --json $long=r$((step + 1)).mcap
grown r$step.follower1.mcap
server=$(ls -d "${TMPDIR:-/tmp}"/tactus-*-$$.$step)
same 'mode of the folder' "$(stat -c %a "$server")" 700
# shellcheck disable=SC2086
set -- $pids
kill -KILL "$3"
finish_all
same 'exit codes when a rank is killed' "$codes" '1 1 137 1 '
says out.0 '"finished": false' "'follower2'"
says err.1 "the federation ended: 'follower2'"
says err.3 "the federation ended: 'follower2'"
[ ! -e "$server" ] || fail "$server is left"

# So does rank 0; the others take its socket away.
begin 3 here "$formation" $long=r$((step + 1)).mcap
grown r$step.follower1.mcap
# shellcheck disable=SC2086
set -- $pids
kill -KILL "$1"
finish_all
same 'without a server' "$codes" '137 1 1 '
says err.1 'the connection to the server was lost'
for file in "${TMPDIR:-/tmp}"/tactus-*-$$.$step; do
    [ ! -e "$file" ] || fail "$file is left"
done

# One that is asked to stop ends all, too, and all recordings are closed.
begin 3 here "$formation" --json $long=r$((step + 1)).mcap
grown r$step.follower1.mcap
# shellcheck disable=SC2086
set -- $pids
kill -TERM "$3"
finish_all
same 'exit codes when a rank is stopped' "$codes" '1 1 143 '
says out.0 '"finished": false' '"stopped on request"'
for name in follower1 follower2 follower3; do
    expect 0 info r$step.$name.mcap
    says out 'the run ended early'
done

# A process that never joins, an expectation that fails.
begin 5 here "$formation" --json --set 'federation.processes.idle={command: [sh, -c, exit 9]}' \
    --set 'federation.links=[{from: leader.Beacon.tx, to: idle}]'
finish_all
same 'exit code of the rank whose process never joined' "$(code_of 4)" 1
says out.0 "process 'idle' of rank 4 ended with exit code 9"
says err.4 "process 'idle' ended with exit code 9" 'being rank 4 of 5'
begin 4 here "$formation" --json --duration 2s \
    --set 'expect={bad: {entity: follower3, always: Body.error < 1 mm}}'
finish_all
same 'an expectation of one rank' "$codes" '0 0 0 1 '
same 'its hash' "$(value out.0 hash)" "$whole"
says err.3 "follower3: error: 1 of 1 expectations failed: 'follower3.bad'"
silent out.3

# Mistakes.
expect 2 federate "$formation" --launcher slurm
says err "'SLURM_PROCID' is not in the environment" 'srun'
expect 2 federate "$formation" --launcher slrum
says err "did you mean 'slurm'?"
expect 2 federate "$formation" --address 127.0.0.1:4000
says err "see '--launcher'"
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_JOB_ID=1 SLURM_STEP_NODELIST=n \
    "$TACTUS" federate "$formation" $short >out 2>err || fail 'federate without --launcher'
says err "with '--launcher slurm' all are one"
expect 0 federate "$formation" --launcher auto --json $short
same 'without a launcher' "$(value out hash)" "$whole"
silent err
finish
