#!/bin/sh
# `srun tactus federate --launcher slurm` under a Slurm of two hosts, which is there for this test
# only. tests/cli/once/srun.sh has what can be tried without one.
skip() {
    echo "skipped: $*"
    exit 77
}
for tool in slurmctld slurmd srun scancel sinfo munged; do
    command -v $tool >/dev/null || skip "there is no '$tool' here (Debian: slurm-wlm, munge)"
done
[ "$(id -u)" = 0 ] || skip 'only root can start a Slurm of its own'
. "$TACTUS_SOURCE/tests/federation/network"
make_hosts 2
formation=$TACTUS_SOURCE/examples/formation.yaml
for name in $(env | sed -n 's/^\(OMPI_[^=]*\|PMIX_[^=]*\|SLURM[^=]*\)=.*/\1/p'); do
    unset "$name"
done

# --- a Slurm

slurm=/run/slurm # of this test, as is all of /run
mkdir -m 755 $slurm $slurm/socket $slurm/state $slurm/node1 $slurm/node2
mkdir -m 700 $slurm/munge
(umask 077 && head -c 64 /dev/urandom >$slurm/munge/key)
SLURM_CONF=$slurm/slurm.conf
export SLURM_CONF
cat >$SLURM_CONF <<END
ClusterName=test
SlurmctldHost=node1
SlurmUser=root
AuthInfo=socket=$slurm/socket/munge
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/%n/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
SchedulerType=sched/builtin
KillWait=20
NodeName=node[1-2] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
END
echo 'CgroupPlugin=cgroup/v1' >$slurm/cgroup.conf # some plugin has to be named; none is used
on 1 munged --force --key-file=$slurm/munge/key --socket=$slurm/socket/munge \
    --pid-file=$slurm/munge/pid --log-file=$slurm/munge/log --seed-file=$slurm/munge/seed ||
    skip 'munged does not start'
on 1 slurmctld -c
on 1 slurmd -N node1
on 2 slurmd -N node2
tries=0
until [ "$(on 1 sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || {
        tail -n 5 $slurm/*.log
        skip "this Slurm does not start: $(slurmd -V)"
    }
    sleep 0.1
done

# --- federations

# srun ARG...: on host 1, of whatever the options say; its outputs are ./out and ./err
run() {
    on 1 srun --overcommit "$@" >out 2>err
}

whole=$(hash_of "$formation")
for ranks in 1 4 6; do
    run --nodes 1 --ntasks $ranks "$TACTUS" federate "$formation" --launcher slurm --json ||
        fail "$ranks ranks: $(cat err)"
    same "hash of $ranks ranks" "$(value out hash)" "$whole"
    same 'ranks' "$(value out ranks)" $ranks
done
run --nodes 1 --ntasks 3 "$TACTUS" federate "$formation" --launcher auto --json --transport tcp ||
    fail "over TCP: $(cat err)"
same 'hash over TCP' "$(value out hash)" "$whole"

if "$TACTUS" serve --make-key key 2>err; then
    run --nodes 2 --ntasks 4 "$TACTUS" federate "$formation" --launcher slurm --json --key key ||
        fail "two hosts: $(cat err)"
    same 'hash on two hosts' "$(value out hash)" "$whole"
    same 'transport on two hosts' "$(value out transport)" tcp
fi
run --nodes 2 --ntasks 2 "$TACTUS" federate "$formation" --launcher slurm
same 'exit code without a key' $? 2
says err "option '--key KEY' is missing"

# An expectation of one rank fails: rank 0 reports, and srun has the exit code.
run --nodes 1 --ntasks 4 --kill-on-bad-exit "$TACTUS" federate "$formation" --launcher slurm \
    --json --set 'expect={bad: {entity: follower3, always: Body.error < 1 mm}}'
same 'exit code of srun with an expectation that fails' $? 1
same 'its hash' "$(value out hash)" "$whole"
says err "follower3: error: 1 of 1 expectations failed: 'follower3.bad'"

# A job that is cancelled: rank 0 reports, and all recordings are closed.
run --nodes 1 --ntasks 4 --job-name long "$TACTUS" federate "$formation" --launcher slurm --json \
    --duration 5000s --set expect=~ --set "record.file=$work/long.mcap" &
srun=$!
grown long.follower1.mcap
on 1 scancel --name long
wait $srun
same 'exit code of srun after scancel' $? 143
says out '"finished": false' '"stopped on request"'
for process in lead follower1 follower2 follower3; do
    expect 0 info long.$process.mcap
    says out 'the run ended early'
done
for folder in "${TMPDIR:-/tmp}"/tactus-"$(id -u)"-[0-9]*.[0-9]*; do
    [ ! -e "$folder/s" ] || fail "$folder is left"
done
finish
