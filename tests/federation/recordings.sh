#!/bin/sh
# Processes of a federation are killed or stopped while they record: all others say who it was and
# when, and close their recordings.
. "$TACTUS_SOURCE/tests/cli/common"
formation=$TACTUS_SOURCE/examples/formation.yaml
others='lead follower1 follower3'
TMPDIR=$work # a program that is killed leaves its folder
export TMPDIR

# process_of TEXT...: the number of the process with these words in its command line
process_of() {
    for line in /proc/[0-9]*/cmdline; do
        words=$({ tr '\0' ' ' <"$line"; } 2>/dev/null) || continue
        for text; do
            case $words in *"$text"*) ;; *) continue 2 ;; esac
        done
        case $words in *' join '*) ;; *) continue ;; esac
        line=${line%/cmdline}
        echo "${line#/proc/}"
        return
    done
}

# has_begun FILE: until a recording has grown; on a busy machine that may take a while
has_begun() {
    tries=0
    until [ -f "$1" ] && [ "$(wc -c <"$1")" -gt 30000 ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 1000 ] || return 1
        sleep 0.02
    done
}

# is_whole FILE TEXT: the recording is closed and says how the run ended
is_whole() {
    expect 0 info "$1"
    ! grep -q 'CUT OFF' out || fail "$1 is cut off"
    says out 'the run ended early' "$2"
}

# --- a client is killed
"$TACTUS" federate "$formation" --no-lcm -q --duration '10000 s' --set "record.file=$work/k.mcap" \
    >out 2>federate_err &
federate=$!
has_begun k.follower2.mcap || fail 'no recording has begun'
kill -9 "$(process_of '--name follower2 ' "$work/k.mcap")"
wait "$federate"
same 'exit code after a killed client' $? 3
says federate_err "component 'follower2'" "the connection to 'follower2' was lost when it had come to" \
    'messages for it were not delivered'
for one in $others; do
    is_whole "k.$one.mcap" "the federation ended: 'follower2' at "
done
expect 0 info k.follower2.mcap
says out 'CUT OFF' 'complete up to'
expect 0 recover k.follower2.mcap --out r.mcap
expect 0 info r.mcap
! grep -q 'CUT OFF' out || fail 'the copy is cut off, too'

# --- the server is killed
"$TACTUS" serve "$formation" --no-lcm -q --address "unix://$work/s" --duration '10000 s' 2>serve_err &
serve=$!
for one in follower2 $others; do
    "$TACTUS" join "unix://$work/s" "$formation" -q --name "$one" --duration '10000 s' \
        --out "s.$one.mcap" 2>"$one.err" &
done
has_begun s.follower3.mcap || fail 'no recording of a client has begun'
kill -9 "$serve"
wait 2>wait_err
for one in follower2 $others; do
    says "$one.err" "the connection to the server was lost when '$one' had come to " "unix://$work/s"
    is_whole "s.$one.mcap" 'the connection to the server was lost'
done

# --- a client is stopped: it says nothing, and its connection stays open
"$TACTUS" federate "$formation" --no-lcm -q --duration '10000 s' --set "record.file=$work/h.mcap" \
    --set 'federation.timeout=2 s' >out 2>federate_err &
federate=$!
has_begun h.follower2.mcap || fail 'no recording has begun'
kill -STOP "$(process_of '--name follower2 ' "$work/h.mcap")"
wait "$federate"
same 'exit code after a client that hangs' $? 3
says federate_err "'follower2' has not responded for 2 s since it came to "
for one in $others; do
    is_whole "h.$one.mcap" "'follower2' has not responded"
done
expect 0 info h.follower2.mcap # which was told to end
! grep -q 'CUT OFF' out || fail 'the recording of the client that hung is cut off'

# --- the program that started them all is killed
"$TACTUS" federate "$formation" --no-lcm -q --duration '10000 s' --set "record.file=$work/p.mcap" \
    >out 2>federate_err &
federate=$!
has_begun p.follower2.mcap || fail 'no recording has begun'
kill -9 "$federate"
wait "$federate" 2>wait_err
tries=0
while [ -n "$(process_of "$work/p.mcap")" ] && [ "$tries" -lt 200 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
same 'processes that are left' "$(process_of "$work/p.mcap")" ''
for one in follower2 $others; do
    expect 0 info "p.$one.mcap"
    ! grep -q 'CUT OFF' out || fail "p.$one.mcap is cut off"
done

# --- joining
cat >never.yaml <<'END_OF_FILE'
name: never
duration: 1 s
federation:
  timeout: 1 s
  processes:
    sleeper: {command: [sleep, "60"]}
    failing: {command: [sh, -c, "echo oh no >&2; sleep 60"]}
END_OF_FILE
before=$(date +%s)
expect 1 federate never.yaml --no-lcm
says err 'after 1 s only 0 of 2 processes have joined' 'failing: oh no'
[ $(($(date +%s) - before)) -le 9 ] || fail 'processes that do not join are waited for'
expect 2 join "unix://$work/nobody" "$formation" --name follower4 --patience 0s
says err "follower4" "did you mean 'follower"
expect 3 join "unix://$work/nobody" "$formation" --name follower1 --patience 50ms
says err "cannot connect to unix://$work/nobody" 'tried for'
"$TACTUS" serve "$formation" -q --no-lcm --address "unix://$work/j" 2>serve_err &
serve=$!
"$TACTUS" join "unix://$work/j" "$formation" -q --name lead --out j.mcap 2>lead.err &
lead=$!
tries=0
until grep -q 'already' second.err 2>grep_err || [ "$tries" -ge 20 ]; do
    tries=$((tries + 1))
    sleep 0.1
    timeout 1 "$TACTUS" join "unix://$work/j" "$formation" -q --name lead 2>second.err
done
says second.err "the server refuses this client: there is a client 'lead' already" \
    "while joining unix://$work/j as 'lead'"
kill "$serve" # politely
wait "$lead"
says lead.err 'the federation ended at 0 s: stopped by a signal'
wait "$serve"
# A simulation that is shorter than the federation would fall silent.
"$TACTUS" serve "$formation" -q --no-lcm --address "unix://$work/d" 2>serve_err &
serve=$!
expect 2 join "unix://$work/d" "$formation" -q --name lead --duration '1 s'
says err "the simulation of 'lead' ends at 1 s, but the federation at 20 s"
kill "$serve"
wait "$serve"
expect 2 check "$formation" --set 'federation.delay=0 s'
says err 'a link needs a delay of at least 1 us: processes could not advance'
expect 2 federate "$formation" --set 'links[0].delay=0 s'
says err 'a delay of zero is refused' 'in a federation no process could advance'
finish
