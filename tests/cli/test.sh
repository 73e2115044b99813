#!/bin/sh
# `tactus test`: one line a file in their order, an exit code, and a JUnit file that a strict reader
# of XML takes.
. "$TACTUS_SOURCE/tests/cli/common"

fall='components:
  fall: {type: equations, params: {states: {z: {unit: m, initial: 10}, v: {unit: m/s}}, equations: ["der(z) = v", "der(v) = -9.80665 m/s^2"]}}'
printf 'duration: 1 s\n%s\nexpect: {high: {always: fall.z > 5}, low: {never: fall.z < 0}}\n' "$fall" >good.yaml
printf 'duration: 2 s\n%s\nexpect: {high: {always: "fall.z > 5 AND fall.z < 20"}, late: {eventually: fall.z < 0, within: 3 s}}\n' "$fall" >bad.yaml
printf 'duration: 1 s\n%s\n' "$fall" >plain.yaml

expect 0 test good.yaml plain.yaml --jobs 2
same 'lines' "$(sed 's/  [0-9.]* s  /  T  /' out)" "passed   good.yaml  T  2 of 2 passed
passed   plain.yaml  T  ran; nothing is expected of it
2 passed, 0 failed, 0 skipped"

expect 1 test plain.yaml bad.yaml good.yaml nosuch.yaml --jobs 3 --junit r.xml
same 'order' "$(sed -n 's/^\([a-z]*\)  *\([a-z]*.yaml\) .*/\1 \2/p' out)" "passed plain.yaml
failed bad.yaml
passed good.yaml
failed nosuch.yaml"
grep -q 'high: failed at 1.00981 s, by 14.6133 m' out || fail 'when and by how much'
python3 - <<'P' || fail 'the JUnit file'
import xml.etree.ElementTree as E
root = E.parse('r.xml').getroot()
assert root.tag == 'testsuites' and [s.get('name') for s in root] == [
    'plain.yaml', 'bad.yaml', 'good.yaml', 'nosuch.yaml']
assert [(s.get('tests'), s.get('failures')) for s in root] == [
    ('1', '0'), ('2', '1'), ('2', '0'), ('1', '1')]
for s in root:
    assert len(s.findall('testcase')) == int(s.get('tests'))
    assert len(s.findall('testcase/failure')) == int(s.get('failures'))
assert 'fall.z > 5' in root[1].find('testcase/failure').get('message')
P
expect 2 test
expect 2 test good.yaml --jobs 0

# Names may have what XML does not take as it is. A run that `stop` ends is over; one that ends before
# an expectation is decided has failed.
cp good.yaml 'odd <&">.yaml'
printf 'timeline: {physics: 10 ms}\nstop: fall.z < 8\n' | cat plain.yaml - >stopped.yaml
printf 'duration: 1 s\n%s\nexpect: {open: {eventually: "fall.z > 20 AND fall.z < 21", within: 3 s}}\n' "$fall" >open.yaml
expect 1 test 'odd <&">.yaml' stopped.yaml open.yaml --junit r.xml
same 'odd, stopped, open' "$(cut -c 1-6 out | head -n 3 | tr '\n' ' ')" 'passed passed failed '
says out "open: undecided" '2 passed, 1 failed, 0 skipped'
python3 - <<'P' || fail 'the JUnit file with odd names'
import xml.etree.ElementTree as E
root = E.parse('r.xml').getroot()
assert root[0].get('name') == root[0][0].get('classname') == 'odd <&">.yaml'
assert root[2][0].get('name') == 'open' and 'ended before 3 s' in root[2][0][0].get('message')
P

# Without a library of PX4 a flight with it is skipped; a process that crashes has failed, alone.
px4=$TACTUS_SOURCE/examples/iris_px4.yaml
(unset PX4_LOCKSTEP_LIB && "$TACTUS" test "$px4" good.yaml --junit r.xml >out 2>err) ||
    fail 'exit code with a skipped one'
says out "skipped  $px4" '1 passed, 0 failed, 1 skipped'
grep -q 'skipped="1"' r.xml && grep -q '<skipped message=' r.xml || fail 'skipped in the JUnit file'
PX4_STANDIN_ABI=nonsense
export PX4_STANDIN_ABI
expect 1 test "$px4" good.yaml --set duration=1s
says out 'its process was ended by signal 6' '1 passed, 1 failed, 0 skipped'
unset PX4_STANDIN_ABI

# `run` says the same, with its exit code; `stop` ends a run early.
expect 0 run good.yaml -q
expect 1 run bad.yaml --json
python3 - <<'P' || fail 'expect in JSON'
import json
d = json.load(open('out'))
high, late = d['expect']
assert high['name'] == 'high' and not high['passed'] and high['when_us'] == 1009810
assert abs(high['margin'] + 14.6133) < 1e-6 and high['unit'] == 'm'
assert late['passed'] and abs(late['when_us'] - 1428087) <= 1
assert d['finished'] and d['error']['status'] == 'TAC_E_EXPECT'
P
expect 0 run plain.yaml --set 'stop=fall.z < 8' --set 'timeline.physics=10 ms' --json
grep -q '"stopped": true' out || fail 'stopped'

# Of many expectations the report lists those that did not pass.
{
    printf 'duration: 2 s\n%s\nexpect:\n' "$fall"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27; do
        echo "  high$i: {always: fall.z > -$i}"
    done
} >many.yaml
expect 1 run many.yaml
says out '  expect             18 of 27 passed, 9 failed' '    high1   failed' '    high9   failed' \
    '    and 18 more; --json has them all'
! grep -q 'high10 ' out || fail 'expectations that passed among many'

# A mistake has its place.
printf 'duration: 1 s\nfoo: 1\n' >wrong.yaml
expect 1 test wrong.yaml
says out 'wrong.yaml:2: unknown key '

# No output takes the place of an input.
cp good.yaml kept.yaml
expect 2 test good.yaml --junit good.yaml
cmp good.yaml kept.yaml || fail 'a configuration that was replaced by results'

# Results are printed while later files still run, and nothing outlives the program.
printf 'duration: 1000000 s\n%s\nplant: {integrator: {kind: rk4, h_max: 1 ms}}\n' "$fall" >long.yaml
"$TACTUS" test plain.yaml long.yaml good.yaml --jobs 3 >early 2>/dev/null &
test_pid=$!
waited=0
until grep -q plain.yaml early || [ $((waited += 1)) -gt 200 ]; do sleep 0.05; done
kill -0 $test_pid || fail 'the long run is over'
same 'what is printed early' "$(sed 's/  [0-9.]* s  /  T  /' early)" \
    'passed   plain.yaml  T  ran; nothing is expected of it'
children=$(ps -o pid= --ppid $test_pid)
[ -n "$children" ] || fail 'no process of the long run'
kill -KILL $test_pid
wait $test_pid 2>/dev/null
waited=0
# shellcheck disable=SC2086
while kill -0 $children 2>/dev/null && [ $((waited += 1)) -lt 100 ]; do sleep 0.05; done
# shellcheck disable=SC2086
! kill -0 $children 2>/dev/null || fail 'a process that outlives the program'

# A process that is killed is a file that failed.
"$TACTUS" test long.yaml >killed 2>/dev/null &
test_pid=$!
waited=0
until child=$(ps -o pid= --ppid $test_pid) && [ -n "$child" ] || [ $((waited += 1)) -gt 200 ]; do sleep 0.05; done
# shellcheck disable=SC2086
kill -KILL $child
wait $test_pid
same 'exit code after a killed process' $? 1
says killed 'failed   long.yaml' 'its process was ended by signal 9'

# On a terminal there is progress, erased before each line.
python3 - <<'P' || fail 'progress on a terminal'
import os, pty, subprocess
leader, follower = pty.openpty()
env = dict(os.environ, TERM="xterm")
p = subprocess.Popen([os.environ["TACTUS"], "test", "plain.yaml", "good.yaml", "--jobs", "1"],
                     stdout=follower, stderr=follower, env=env)
p.wait()
os.close(follower)
shown = os.read(leader, 65536).decode()
assert p.returncode == 0 and "\r0 of 2  plain.yaml 0 s\x1b[K" in shown, shown
assert "\r\x1b[Kpassed   plain.yaml" in shown and "\r1 of 2  good.yaml 0 s\x1b[K" in shown, shown
P
finish
