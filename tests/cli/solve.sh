#!/bin/sh
# trim and linearize as programs see them: exit codes, files, and Octave, which reads the script and
# finds the same eigenvalues.
. "$TACTUS_SOURCE/tests/cli/common"
hover=$TACTUS_SOURCE/examples/iris_hover.yaml

"$TACTUS" trim "$hover" --write hover.yaml --hold --output trim.txt || fail "trim fails"
grep -q 'trimmed after' trim.txt || fail "no report of a trim"
"$TACTUS" run hover.yaml --duration '200 ms' --quiet >/dev/null || fail "the trim does not fly"

"$TACTUS" trim "$hover" --json --set 'trim.free."vehicle.motor".max=0.4' >failed.json 2>failed.err
[ $? = 1 ] || fail "no exit code 1 without a solution"
grep -q '"solved": false' failed.json || fail "no report without a solution"
grep -q "velocity.z) == 0 m/s^2' is not met" failed.err || fail "the equation is not named"
"$TACTUS" trim "$TACTUS_SOURCE/examples/rates.yaml" >/dev/null 2>err
[ $? = 2 ] || fail "no exit code 2 without a section"

"$TACTUS" linearize "$hover" --at t=1s >/dev/null || fail "no linear equations at a time"
"$TACTUS" linearize "$hover" --at noon >/dev/null 2>err
[ $? = 2 ] || fail "--at takes anything"
"$TACTUS" linearize "$hover" --format xml >/dev/null 2>err
[ $? = 2 ] || fail "--format takes anything"
"$TACTUS" linearize "$hover" --output linear.csv || fail "no CSV"
# 18 x 18, 18 x 4, 24 x 18, 24 x 4, and a header
[ "$(wc -l <linear.csv)" = 925 ] || fail "the CSV has $(wc -l <linear.csv) lines"

"$TACTUS" linearize "$hover" --output hover.m || fail "no script for Octave"
"$TACTUS" linearize "$hover" --json >linear.json || fail "no JSON"
octave=$(command -v octave-cli || command -v octave) || octave=
if [ -z "$octave" ]; then
    echo "Octave is not installed: its reading of the script was skipped"
else
    cat >check.m <<'END'
run('hover.m');
l = jsondecode(fileread('linear.json'));
assert(isequal(size(A), [18 18]) && isequal(size(B), [18 4]) && isequal(size(C), [24 18]));
% The reader of JSON is not exact to the last bit.
near = @(a, b) max(abs(a(:) - b(:))) <= 1e-15*max(abs(a(:)));
assert(near(A, l.A) && near(B, l.B) && near(C, l.C) && near(D, l.D));
assert(strcmp(states{1}, 'uav.vehicle.position.x') && strcmp(state_units{1}, 'm'));
ours = sort([l.eigenvalues.real] + 1i*[l.eigenvalues.imaginary]);
theirs = sort(eig(A).');
% Zeros that belong together are known to the root of the rounding error.
assert(max(abs(sort(abs(ours)) - sort(abs(theirs)))) < 1e-6);
fast = abs(theirs) > 1;
assert(max(abs(sort(real(ours(abs(ours) > 1))) - sort(real(theirs(fast))))) < 1e-10);
END
    "$octave" --no-gui --norc --quiet check.m || fail "Octave does not agree"
fi

# The best trajectory, where IPOPT is installed: 10 m in less than 2 s, and the simulator agrees to
# a centimetre, and to less on finer intervals.
least=$TACTUS_SOURCE/examples/iris_minimum_time.yaml
"$TACTUS" optimize "$least" --json --trajectory iris.csv >optimum.json 2>optimum.err
code=$?
if [ $code = 3 ] && grep -q 'coinor-libipopt1v5' optimum.err; then
    echo "IPOPT is not installed: the optimisation was skipped"
elif [ $code != 0 ]; then
    fail "optimize fails"
    cat optimum.err
else
    python3 - <<'END' || fail "the optimum is not what it should be"
import json
o = json.load(open("optimum.json"))
assert o["solved"] and o["flown"], o["reason"]
assert 1.6 < o["duration_s"] < 1.8 and abs(o["duration_s"] - o["objective"]) < 1e-9
x = {s["name"]: s for s in o["states"]}
assert abs(x["uav.vehicle.position.x"]["end"] - 10) < 1e-6
far = lambda x: max(abs(x["uav.vehicle.position." + axis]["difference"]) for axis in "xyz")
assert far(x) < 0.01, far(x)
assert x["uav.vehicle.position.x"]["largest_difference"] > 1e-6
intervals = o["phases"][0]["intervals"]
assert intervals > 25 and o["refinements"] == 1, intervals
assert len(open("iris.csv").readlines()) == 2*intervals + 2
END
    "$TACTUS" optimize "$least" --set optimize.refinements=0 --json >coarse.json ||
        fail "optimize fails without refinements"
    python3 - <<'END' || fail "halved intervals are no more exact"
import json
far = lambda o: max(abs(s["difference"]) for s in o["states"] if ".position." in s["name"])
fine, coarse = (json.load(open(f + ".json")) for f in ("optimum", "coarse"))
assert coarse["phases"][0]["intervals"] == 25 and coarse["refinements"] == 0
assert far(coarse) < 0.01 and far(fine) < 0.6*far(coarse), (far(coarse), far(fine))
assert fine["phases"][0]["error"] <= 0.02 < coarse["phases"][0]["error"]
END
    "$TACTUS" optimize "$TACTUS_SOURCE/examples/goddard.yaml" --json >goddard.json ||
        fail "Goddard's rocket fails"
    python3 - <<'END' || fail "Goddard's rocket is not where it should be"
import json
o = json.load(open("goddard.json"))
x = {s["name"]: s for s in o["states"]}
assert o["solved"] and o["flown"] and abs(o["objective"] - 1.01283) < 1e-5, o["objective"]
assert abs(x["rocket.altitude"]["flown"] - 1.01283) < 1e-5
assert abs(x["rocket.mass"]["end"] - 0.6) < 1e-8 and len(o["phases"]) == 2
END
    "$TACTUS" optimize "$least" --set 'optimize.phases.flight.duration=0.5 s' >/dev/null 2>err
    [ $? = 1 ] || fail "10 m in half a second"
    grep -q 'no optimum' err || fail "no reason is given"
fi
"$TACTUS" optimize "$hover" >/dev/null 2>err
[ $? = 2 ] || fail "no exit code 2 without a section optimize"
finish
