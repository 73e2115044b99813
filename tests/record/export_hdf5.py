#!/usr/bin/env python3
"""tactus export --format hdf5: every dataset, read with h5py, against the recording."""

import os
import sys
import time

try:
    import h5py
except ImportError:
    # Where another Python comes first, that of the system may have it.
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("no h5py here")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from recording import bits, record, same, tactus

path, recording = record("examples/octa_two_batteries.yaml", "duration=1.5 s")
said = tactus("export", path, "-o", "a.h5", "--json")
if "has no HDF5" in said:
    sys.exit(77)
same("notes", '"notes": []' in said, True)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def check(name, from_us=0, to_us=1 << 62, names=tuple(recording.signals)):
    found = set()
    with h5py.File(name) as file:
        file.visititems(lambda p, o: found.add(p) if isinstance(o, h5py.Dataset) else None)
        for signal in (recording.signals[n] for n in names):
            check_signal(file, signal, recording.series(signal.name, from_us, to_us), found)
    same("other datasets", found, set())


def check_signal(file, signal, series, found):
    data = file[signal.name.replace(".", "/")]
    what = signal.name
    for key, value in (("unit", signal.unit), ("doc", signal.doc), ("signal", what)):
        same("%s of %s" % (key, what), text(data.attrs[key]), value)
    times = file[data.attrs["time"]]
    same("times of " + what, [round(t * 1e6) for t in times[:]], [t for t, _ in series])
    same("exact times of " + what, list(times[:]), [t / 1e6 for t, _ in series])
    shape = (len(series),) if signal.shape == "single" else (len(series), signal.count)
    same("shape of " + what, data.shape, shape)
    kinds = {"f64": "<f8", "i32": "<i4", "i64": "<i8", "bool": "|u1", "enum": "<i4"}
    same("type of " + what, data.dtype.str, kinds[signal.kind])
    if signal.kind == "enum":
        labels = h5py.check_enum_dtype(data.dtype)
        same("labels of " + what, labels, {l: i for i, l in enumerate(signal.labels)})
    values = data[:].reshape(len(series), signal.count)
    for row, (t, expected) in zip(values, series):
        same("%s at %d" % (what, t), [bits(v) for v in row], [bits(v) for v in expected])
    found.discard(data.name[1:])
    found.discard(times.name[1:])


check("a.h5")
with h5py.File("a.h5") as file:
    same("name", text(file.attrs["name"]), "octa_two_batteries")
    same("seed", int(file.attrs["seed"]), 1)
    same("config", "duration:" in text(file.attrs["config"]), True)
    same("hash", len(text(file.attrs["model_hash"])), 16)

# The same bytes, also a second later.
time.sleep(1.1)
tactus("export", path, "-o", "b.h5")
with open("a.h5", "rb") as a, open("b.h5", "rb") as b:
    same("bytes", a.read() == b.read(), True)

# Part of it.
tactus("export", path, "-o", "part.h5", "--from", "0.7001 s", "--to", "1.2 s", "--signals",
       "uav.scenario.*", "--signals", "uav.vehicle.battery.*")
check("part.h5", 700100, 1200000,
      [n for n in recording.signals if n.startswith(("uav.scenario.", "uav.vehicle.battery."))])

# Nothing is left of an export that fails; what was there stays.
tactus("export", path, "-o", "nosuch/a.h5", code=3)
tactus("export", path, "-o", "-", "--format", "hdf5", code=2)
same("leftovers", [f for f in os.listdir(".") if "tmp" in f], [])
