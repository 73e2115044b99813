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
finish
