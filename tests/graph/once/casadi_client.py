#!/usr/bin/env python3
"""CasADi itself loads emitted C: values and Jacobians are those of the interpreter, bit for bit,
Hessians those of hess_NAME, and functions of single phases of a rocket, stitched in an Opti problem,
find the instants at which the simulated rocket changes its phases. Part of ./test.sh --clients."""

import csv
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from readers import add_readers

installed = add_readers("casadi_client")
try:
    import casadi as ca
    import numpy
except ImportError as missing:
    if installed:
        raise
    print("skipped: %s (./test.sh --clients installs CasADi)" % missing)
    sys.exit(77)

TACTUS = os.environ["TACTUS"]
SOURCE = os.environ["TACTUS_SOURCE"]
SAMPLES = os.path.join(os.environ["TACTUS_BUILD"], "tests/tool_graph_samples")
work = tempfile.TemporaryDirectory()


def fail(text):
    print("FAILED: " + text)
    sys.exit(1)


def compiled(example, phase=None):
    """The library of the dynamics of an example, and what the interpreter says of them."""
    folder = tempfile.mkdtemp(dir=work.name)
    subprocess.run([SAMPLES, os.path.join(SOURCE, "examples", example), folder] +
                   ([phase] if phase else []), check=True)
    library = os.path.join(folder, "f.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", os.path.join(folder, "f.c"), "-o", library,
                    "-lsleef", "-lm"], check=True)
    with open(os.path.join(folder, "f.json")) as f:
        return ca.external("f", library), json.load(f, parse_int=float)


def bits(value):
    return "nan" if value is None or value != value else struct.pack("<d", value)


def compare(what, got, expected):
    """Of matrices the entries that are there."""
    got = numpy.array(ca.DM(got).nonzeros())
    if len(got) != len(expected):
        fail("%s: %d entries instead of %d" % (what, len(got), len(expected)))
    for i, (g, e) in enumerate(zip(got, expected)):
        if bits(float(g)) != bits(None if e is None else float(e)):
            fail("%s: entry %d is %r instead of %r" % (what, i, g, e))
    return len(got)


def check_values(example):
    f, said = compiled(example)
    names = [group["name"] for group in said["in"]]
    if [f.name_in(i) for i in range(f.n_in())] != names:
        fail("%s: inputs %s instead of %s" % (example, f.name_in(), names))
    jacobian = f.jacobian()
    numbers, entries = 0, 0
    for sample in said["samples"]:
        inputs = [ca.DM(values) if values else ca.DM(0, 1) for values in sample["in"]]
        outputs = f.call(inputs)
        blocks = jacobian.call(inputs + [ca.DM(f.sparsity_out(i)) for i in range(f.n_out())])
        for i, values in enumerate(sample["out"]):
            numbers += compare("%s: %s" % (example, f.name_out(i)), outputs[i], values)
        for i, values in enumerate(sample["jacobian"]):
            entries += compare("%s: %s" % (example, jacobian.name_out(i)), blocks[i], values)
    if not numbers or not entries:
        fail("%s: %d numbers and %d entries of Jacobians were compared" % (example, numbers, entries))
    print("%s: %d numbers and %d entries of Jacobians alike" % (example, numbers, entries))


def check_hessians(example):
    """CasADi's Hessian of the sum of all outputs times multipliers, of jac_f and jac_jac_f, is that
    of hess_f."""
    folder = tempfile.mkdtemp(dir=work.name)
    source, library = (os.path.join(folder, name) for name in ("g.c", "g.so"))
    subprocess.run([TACTUS, "graph", os.path.join(SOURCE, "examples", example), "--emit", "c",
                    "--second", "--hessian", "--name", "g", "-o", source], check=True)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    g, hessian = ca.external("g", library), ca.external("hess_g", library)
    inputs = [ca.MX.sym(g.name_in(i), g.sparsity_in(i)) for i in range(g.n_in())]
    factors = [ca.MX.sym("lam%d" % i, g.sparsity_out(i)) for i in range(g.n_out())]
    total = sum(ca.dot(lam, y) for lam, y in zip(factors, g.call(inputs)))
    by_casadi = ca.Function("h", inputs + factors, [ca.hessian(total, inputs[0])[0]])
    draw = numpy.random.default_rng(1)
    values = [ca.DM(draw.uniform(0.2, 1.1, v.shape)) for v in inputs + factors]
    got = by_casadi.call(values)[0].full()
    lower = hessian.call(values)[0].full()[:len(got), :len(got)]
    expected = lower + numpy.tril(lower, -1).T
    off = numpy.abs(got - expected).max() / numpy.abs(expected).max()
    print("%s: Hessians differ by %.1e" % (example, off))
    if not off < 1e-12:
        fail("%s: CasADi has another Hessian" % example)


# --- phases of a rocket -----------------------------------------------------------------------------


def flown(example):
    """States of a flight, by time and label, and its changes of phase."""
    recording, table = (os.path.join(work.name, n) for n in ("flight.mcap", "flight.csv"))
    path = os.path.join(SOURCE, "examples", example)
    said = subprocess.run([TACTUS, "run", path, "--out", recording, "--set", "record.rate=10 Hz",
                           "--duration", "40 s", "--json", "--quiet", "--log-level", "error"],
                          stdout=subprocess.PIPE)
    subprocess.run([TACTUS, "export", recording, "--exact", "-o", table], check=True,
                   stdout=subprocess.DEVNULL)
    with open(table) as f:
        rows = [{key.split(" ")[0]: value for key, value in row.items()}
                for row in csv.DictReader(f)]
    return rows, json.loads(said.stdout)["phases"]


class Phase:
    """dx and y of a phase of the rocket as functions of its state, integrated by RK4."""

    def __init__(self, name, detached):
        self.f, self.said = compiled("rocket.yaml", name)
        self.labels = {group["name"]: group["labels"] for group in self.said["in"] + self.said["out"]}
        self.constant = {
            "u": [float("attached1" in label and not detached) for label in self.labels["u"]],
            # It has left the rail, and its first motor burns.
            "mode": [float(label == "rocket.body.rail" or
                           (label == "rocket.motor1.burning" and name == "BOOST"))
                     for label in self.labels["mode"]]}

    def at(self, x):
        return self.f(x=x, t=0, **{k: v for k, v in self.constant.items() if v})

    def output(self, x, label):
        return self.at(x)["y"][self.labels["y"].index(label)]

    def after(self, start, duration, steps):
        x = ca.MX.sym("x", self.f.numel_in(0))
        h = ca.MX.sym("h")
        k1 = self.at(x)["dx"]
        k2 = self.at(x + h / 2 * k1)["dx"]
        k3 = self.at(x + h / 2 * k2)["dx"]
        k4 = self.at(x + h * k3)["dx"]
        step = ca.Function("step", [x, h], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
        return step.mapaccum(steps)(start, ca.repmat(duration / steps, 1, steps))[:, -1]


def check_phases():
    rows, changes = flown("rocket.yaml")
    boost, coast, apart = Phase("BOOST", False), Phase("COAST", False), Phase("SEPARATION", True)
    begin = next(row for row in rows if float(row["t"]) == 4)
    start = [float(begin[label]) for label in boost.labels["x"]]
    scale = ca.DM([max(1, abs(v)) for v in start])
    fuel = boost.labels["x"].index("rocket.motor1.fuel")

    # Ends of the phases are unknowns, and so are their durations.
    opti = ca.Opti()
    ends = [opti.variable(len(start)) for _ in range(3)]
    lasts = [opti.variable() for _ in range(2)]
    opti.subject_to(ends[0] == boost.after(start, lasts[0], 120) / scale)
    opti.subject_to(ends[1] == coast.after(ends[0] * scale, lasts[1], 100) / scale)
    opti.subject_to(ends[2] == apart.after(ends[1] * scale, 1, 20) / scale)
    opti.subject_to(ends[0][fuel] * scale[fuel] == 1e-6)
    opti.subject_to(coast.output(ends[1] * scale, "rocket.body.dynamic_pressure") / 150e3 == 1)
    for end in ends:
        opti.set_initial(end, ca.DM(start) / scale)
    for last, guess in zip(lasts, (6, 1)):
        opti.set_initial(last, guess)
    opti.solver("ipopt", {"print_time": False},
                {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory"})
    solution = opti.solve()

    at_s = {change["to"]: change["t_us"] / 1e6 for change in changes if change["entity"] == "rocket"}
    expected = (at_s["COAST"] - 4, at_s["SEPARATION"] - at_s["COAST"])
    for name, last, wanted in zip(("BOOST", "COAST"), lasts, expected):
        found = solution.value(last)
        print("%s lasts %.6f s, flown %.6f s" % (name, found, wanted))
        if abs(found - wanted) > 1e-5:
            fail("%s lasts %g s instead of %g s" % (name, found, wanted))
    height = boost.labels["x"].index("rocket.body.position.x")
    end = solution.value(ends[2] * scale)
    after = min(rows, key=lambda row: abs(float(row["t"]) - at_s["SUSTAIN"]))
    off = at_s["SUSTAIN"] - float(after["t"])
    speed = numpy.linalg.norm([float(after["rocket.body.velocity." + axis]) for axis in "xyz"])
    if abs(end[height] - float(after["rocket.body.position.x"])) > 5 + abs(off) * speed:
        fail("the end of SEPARATION is elsewhere")


check_values("iris_mission.yaml")
check_values("rocket.yaml")
check_hessians("orbit.yaml")
check_hessians("equations.yaml")
check_phases()
