#!/bin/sh
# Section `federation` on the command line: what check says, one process by --process, mistakes.
. "$TACTUS_SOURCE/tests/cli/common"
formation=$TACTUS_SOURCE/examples/formation.yaml

expect 0 check "$formation"
says out 'federation  4 processes, 9 links between them, over unix' 'process     lead: leader'
expect 0 check "$formation" --json
is_json out
says out '"links": 9' '"name": "follower3"'

# One engine takes no notice: the section may be wrong, or not be there.
short="--duration 1s --set expect=~"
plain=$(hash_of "$formation" $short)
for set in 'federation=~' 'federation.processes.lead.entities=nobody'; do
    [ "$(hash_of "$formation" $short --set "$set")" = "$plain" ] ||
        fail "--set $set changes the hash"
done
expect 2 check "$formation" --set federation.processes.lead.entities=leadr
says err "no entity matches 'leadr'; did you mean 'leader'?"
expect 2 check "$formation" --set 'federation.processes.lead=~'
says err "entity 'leader' is in no process" 'formation.yaml:'
expect 2 check "$formation" --set federation.transport=udp
says err "unknown word 'udp'; did you mean 'tcp'?"
expect 2 check "$formation" --set entities.follower.components.Body.inputs.leader=leader.Body.position
says err "'follower1.Body' of process 'follower1' reads 'leader.Body.position' of process 'lead'"

# What a process runs is a configuration like any other.
expect 0 info "$formation" --resolved --process follower1
says out 'name: formation.follower1' 'channel: leader.Beacon.tx'
cp out part.yaml
expect 0 check part.yaml
says out '1 entity'
expect 0 run part.yaml --duration '100 ms' --set 'expect=~'
expect 0 explain "$formation" --process lead
says out 'leader.Pilot'
expect 2 info "$formation" --resolved --process folower1
says err "there is no process 'folower1'; did you mean 'follower1'?"
expect 2 info "$TACTUS_SOURCE/examples/convoy.yaml" --resolved --process lead
says err "there is no section 'federation'"

# A federation of configurations and programs has no simulation of its own.
cat >both.yaml <<END
duration: 1 s
federation:
  processes:
    a: {config: part.yaml}
    b: {command: [./program, --fast]}
END
expect 0 check both.yaml
says out 'process     a: configuration part.yaml' 'process     b: program ./program --fast'
expect 0 check both.yaml --json
is_json out
expect 2 run both.yaml
says err "there is no component: nothing would run" 'tactus federate'
expect 2 info both.yaml --resolved --process b
says err "process 'b' is a program"
finish
