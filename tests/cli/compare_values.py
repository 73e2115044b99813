"""First and largest differences as another program finds them: in tables of the same two runs."""
import csv
import json
import os
import subprocess
import sys
import tempfile

tactus = os.environ["TACTUS"]
small = os.path.join(os.environ["TACTUS_SOURCE"], "tests/cli/data/small.yaml")
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def run(folder, name, *settings):
    recording = os.path.join(folder, name + ".mcap")
    table = os.path.join(folder, name + ".csv")
    subprocess.run([tactus, "run", small, "-q", "--force", "--out", recording, "--csv", table,
                    *settings],
                   check=True, stdin=subprocess.DEVNULL)
    with open(table, newline="") as file:
        rows = list(csv.reader(file))
    return recording, rows[0], [[float(x) for x in row] for row in rows[1:]]


def differences(columns, a, b):
    """For each signal: when the first difference is, how large the largest is, and when."""
    found = {}
    for k, column in enumerate(columns):
        for x, y in zip(a, b):
            if x[k] == y[k]:
                continue
            name, t, apart = column.split(" ")[0], round(x[0] * 1e6), abs(x[k] - y[k])
            first, most, at = found.get(name, (t, 0.0, t))
            found[name] = (first, most, at) if apart <= most else (first, apart, t)
    return found


def check(folder, setting):
    a_file, columns, a = run(folder, "a")
    b_file, others, b = run(folder, "b", "--set", setting)
    if columns != others or len(a) != len(b):
        fail("the tables do not fit together")
    result = subprocess.run([tactus, "compare", a_file, b_file, "--json", "--all"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if result.returncode != 1:
        fail(f"exit code {result.returncode}")
    told = {s["name"]: s for s in json.loads(result.stdout)["signals"]}
    found = differences(columns, a, b)
    checked = 0
    for name, signal in told.items():
        if signal["samples"] != len(a):
            continue  # it drives the plant: it is recorded at every write, the table has fewer
        if name in found:
            first, most, at = found[name]
            if (signal["first_us"], signal["max_us"]) != (first, at):
                fail(f"{name}: first at {signal['first_us']}, largest at {signal['max_us']}; "
                     f"in the table {first}, {at}")
            if abs(signal["max_abs"] - most) > 1e-8:  # the table has nine digits
                fail(f"{name}: largest {signal['max_abs']}, in the table {most}")
            checked += 1
        elif signal["beyond"]:
            fail(f"{name} differs, but not in the tables")
    return checked


with tempfile.TemporaryDirectory() as temporary:
    # One that only the sensor and its listener notice, and one that moves the mass.
    if check(temporary, "components.sensor.params.deviation=0.11") != 2:
        fail("another deviation of the sensor changes two signals")
    if check(temporary, "components.wave.params.deviation=0.5") != 5:
        fail("another noise changes five")
sys.exit(failures > 0)
