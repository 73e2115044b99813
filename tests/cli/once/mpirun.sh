#!/bin/sh
# Ranks that Open MPI has started are one federation.
. "$TACTUS_SOURCE/tests/cli/common"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
    echo 'mpirun of Open MPI is not installed: this is not tested'
    exit 77
fi
# It refuses root otherwise; and tests may run where there are fewer cores than ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
formation=$TACTUS_SOURCE/examples/formation.yaml
whole=$(hash_of "$formation")

# As many ranks as processes; fewer; one more, for the server.
for n in 4 2 5; do
    mpirun -np $n --oversubscribe --bind-to none \
        "$TACTUS" federate "$formation" --launcher mpi --json >out 2>err </dev/null ||
        fail "$n ranks: exit code $?: $(cat err)"
    is_json out
    same "hash of $n ranks" "$(value out hash)" "$whole"
    same 'ranks' "$(value out ranks)" $n
done
mpirun -np 3 --oversubscribe "$TACTUS" federate "$formation" --launcher auto --transport shm >out \
    2>err </dev/null || fail "auto: exit code $?: $(cat err)"
says out '3 of mpi, on one host' "$whole" 'over shm'

# Two hosts, both of which are this one: mpirun starts its daemon there with a shell instead of ssh.
printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >agent
chmod +x agent
(
    umask 077
    head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >key
)
two_hosts() {
    mpirun --mca plm_rsh_agent "$PWD/agent" --host "$(uname -n):2,elsewhere:2" -np 4 --bind-to none \
        "$TACTUS" federate "$formation" --launcher mpi --json "$@" >out 2>err </dev/null
}
two_hosts --key key --address 127.0.0.1:$((20000 + $$ % 12000))
code=$?
if [ $code -ne 0 ] && grep -q libsodium err; then
    echo 'no libsodium: several hosts are not tried'
else
    same 'exit code with two hosts' $code 0
    same 'hash with two hosts' "$(value out hash)" "$whole"
fi
two_hosts --key key
same 'exit code without an address' $? 2
says err "option '--address HOST:PORT' is missing"

# A rank that is killed ends all, by the name of its process. mpirun would kill rank 0, too, if it
# did not report at once.
mpirun -np 4 --oversubscribe --bind-to none sh -c '
    echo $$ >pid.$OMPI_COMM_WORLD_RANK
    exec "$TACTUS" federate "$0" --launcher mpi --json --duration 500s --set "expect=~" \
        --set record.file=r.mcap' \
    "$formation" >out 2>err </dev/null &
mpirun=$!
grown r.follower2.mcap
kill -KILL "$(cat pid.2)"
wait $mpirun
same 'exit code of mpirun' $? 137
is_json out
says out '"finished": false' "'follower2'"
says err "component 'follower2': error: stopped on request"

# mpirun kills all ranks two seconds after one has failed: so that one waits for the report of rank 0,
# of which a process takes its time here.
mpirun -np 4 --oversubscribe --bind-to none "$TACTUS" federate "$formation" --launcher mpi --json \
    --duration 2s --set 'expect={bad: {entity: follower1, always: Body.error < 1 mm}}' \
    --set "federation.processes.slow={command: [sh, -c, '$TACTUS join -q --duration 2s \
        \$TACTUS_ADDRESS $small; sleep 3']}" >out 2>err </dev/null
same 'exit code of mpirun' $? 1
is_json out
says out '"finished": true' '"slow": {'
says err "follower1: error: 1 of 1 expectations failed"
finish
