#!/usr/bin/env python3
"""tactus export --format csv: every cell against the recording, read by other means."""

import csv
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from recording import bits, record, same, tactus

path, recording = record("examples/octa_two_batteries.yaml", "duration=1.5 s")


def table(name, *args):
    tactus("export", path, "-o", name, *args)
    with open(name, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def header(signals):
    cells = ["t [s]"]
    for s in signals:
        for e in range(s.count):
            part = {"vec3": ".xyz"[1 + e : 2 + e], "quat": "wxyz"[e : e + 1]}.get(s.shape)
            element = "." + part if part else "[%d]" % e if s.shape == "array" else ""
            cells.append("%s%s [%s]" % (s.name, element, s.unit))
    return cells


def microseconds(text):
    whole, part = text.split(".")
    same("places of " + text, len(part), 6)
    return int(whole) * 1000000 + int(part)


def check_cell(what, signal, cell, value, exact):
    if signal.kind == "f64" and exact:
        same(what, bits(float(cell)), bits(value))
        if "e" not in repr(value) and "e" not in cell:  # no digit too many
            same(what, len(cell.rstrip("0")) <= len(repr(value)), True)
    elif signal.kind == "f64":
        same(what, abs(float(cell) - value) <= 5e-9 * abs(value), True)
    elif signal.kind == "enum":
        same(what, cell, signal.labels[value])
    else:
        same(what, cell, str(int(value)))


def check(rows, signals, times, exact, from_us=0):
    """Each row at its time, each signal with the last value at or before it."""
    same("times", [microseconds(row[0]) for row in rows], times)
    column = 1
    for s in signals:
        series, at = recording.series(s.name), -1
        for row, t in zip(rows, times):
            while at + 1 < len(series) and series[at + 1][0] <= t:
                at += 1
            for e in range(s.count):
                what = "%s[%d] at %d us" % (s.name, e, t)
                cell = row[column + e]
                if at < 0:
                    same(what, cell, "")
                else:
                    check_cell(what, s, cell, series[at][1][e], exact)
        column += s.count
    same("columns", {len(row) for row in rows}, {column})


everything = list(recording.signals.values())
kinds = {s.kind for s in everything}
same("kinds of signals in the test", kinds, {"f64", "i32", "bool", "enum"})


def times_of(signals, from_us=0, to_us=1 << 62):
    return sorted({t for s in signals for t, _ in recording.series(s.name, from_us, to_us)})


# All of it, in both precisions.
for exact in (True, False):
    head, rows = table("all.csv", "--rate", "all", *["--exact"] * exact)
    same("header", head, header(everything))
    check(rows, everything, times_of(everything), exact)

# Some signals, part of the time: what was written before still holds.
some = [s for s in everything if s.name in ("uav.vehicle.position", "uav.scenario.arm")]
same("signals", len(some), 2)
head, rows = table("some.csv", "--exact", "--from", "503 ms", "--to", "0.8 s", "--rate", "all",
                   "--signals", "uav.vehicle.position", "--signals", "uav.scenario.arm")
same("header", head, header(some))
check(rows, some, times_of(some, 503000, 800000), True)
same("first row", rows[0][0], "0.503000")

# By default on the log axis, 100 Hz, though wind and others have samples at 1 kHz; and at the end.
def ticks_of(signals, from_us=0, to_us=1 << 62):
    times = times_of(signals, from_us, to_us)
    end_us = min(to_us, times_of(everything)[-1])
    return sorted({min(-(-t // 10000) * 10000, end_us) for t in times})


head, rows = table("log.csv", "--exact")
same("header", head, header(everything))
same("times", ticks_of(everything), list(range(0, 1500001, 10000)))
check(rows, everything, ticks_of(everything), True)
head, rows = table("log.csv", "--exact", "--from", "0.101 s", "--to", "203 ms")
same("times", ticks_of(everything, 101000, 203000), list(range(110000, 210000, 10000)) + [203000])
check(rows, everything, ticks_of(everything, 101000, 203000), True)
few = [s for s in everything if s.name == "uav.scenario.arm"]
head, rows = table("few.csv", "--exact", "--signals", "uav.scenario.arm")
same("fewer rows than ticks", 0 < len(rows) < 50, True)
check(rows, few, ticks_of(few), True)

# On an axis; its first row is not at a sample.
head, rows = table("axis.csv", "--exact", "--rate", "7 ms", "--from", "0.1 s")
check(rows, everything, list(range(105000, 1500001, 7000)), True)

# To standard output it is the same.
out = tactus("export", path, "-o", "-", "--format", "csv", "--signals", "uav.vehicle.*")
tactus("export", path, "-o", "vehicle.csv", "--signals", "uav.vehicle.*")
with open("vehicle.csv") as file:
    same("standard output", out, file.read())
