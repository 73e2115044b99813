#!/usr/bin/env bash
# Octave integrates emitted C, which it calls through a small mex file: the ascent of a rocket ends
# where the simulated one is. Part of ./test.sh --clients, which installs Octave.
set -euo pipefail

for tool in octave mkoctfile; do
    command -v $tool >/dev/null && continue
    if [ -n "${TACTUS_CLIENTS:-}" ]; then
        echo "FAILED: $tool is not there"
        exit 1
    fi
    echo "skipped: no $tool (./test.sh --clients installs Octave)"
    exit 77
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
example=$TACTUS_SOURCE/examples/rocket_ascent.yaml
"$TACTUS_BUILD/tests/tool_graph_samples" "$example" "$work" ASCENT
"$TACTUS" run "$example" --set 'record.rate=10 Hz' --out "$work/flown.mcap" --quiet >/dev/null
"$TACTUS" export "$work/flown.mcap" --exact -o "$work/flown.csv" >/dev/null

# The states at 0 and at 60 s, in the order of x.
python3 - "$work" <<'END'
import csv, json, sys
folder = sys.argv[1]
labels = json.load(open(folder + "/f.json"))["in"][0]["labels"]
rows = {float(row["t [s]"]): {key.split(" ")[0]: value for key, value in row.items()}
        for row in csv.DictReader(open(folder + "/flown.csv"))}
for name, t in ("start", 0), ("end", 60):
    with open("%s/%s.txt" % (folder, name), "w") as f:
        f.write("\n".join(rows[t][label] for label in labels) + "\n")
END

cat >"$work/dynamics.c" <<'END'
/* dx = dynamics(t, x): the motor burns. */
#include "f.c"
#include "mex.h"

void mexFunction(int out_count, mxArray *out[], int in_count, const mxArray *in[])
{
    static const double burning = 1;
    const double *arg[8] = {0};
    double *res[8] = {0};
    if (in_count != 2 || out_count > 1 || f_n_in() > 8 || f_n_out() > 8)
        mexErrMsgTxt("dx = dynamics(t, x)");
    out[0] = mxCreateDoubleMatrix((mwSize)f_sparsity_out(0)[0], 1, mxREAL);
    arg[0] = mxGetPr(in[1]);
    arg[3] = mxGetPr(in[0]);
    arg[4] = &burning;
    res[0] = mxGetPr(out[0]);
    f(arg, res, 0, 0, 0);
}
END
cd "$work"
mkoctfile --mex -o dynamics.mex dynamics.c -lsleef >mex.log 2>&1 || {
    cat mex.log
    echo "FAILED: the mex file cannot be compiled"
    exit 1
}
cat >integrate.m <<'END'
start = load("start.txt");
expected = load("end.txt");
options = odeset("RelTol", 1e-10, "AbsTol", 1e-6);
[t, x] = ode45(@(t, x) dynamics(t, x), [0 60], start, options);
difference = max(abs(x(end, :)' - expected) ./ (1 + abs(expected)));
printf("%d steps, largest difference %g\n", rows(t) - 1, difference);
assert(difference < 1e-8);
END
octave-cli --norc integrate.m
