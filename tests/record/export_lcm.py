#!/usr/bin/env python3
"""tactus export --format lcm: the log taken apart as LCM's documentation describes it, with the
types beside it as the only key; fingerprints are computed anew, and by lcm-gen where it is
installed."""

import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from recording import bits, record, same, tactus

CODES = {"double": "d", "int32_t": "i", "int64_t": "q", "boolean": "?"}


def fingerprint(members):
    """The hash that LCM defines, in 64 bits with an arithmetic shift."""

    def add(v, c):
        return ((v << 8) ^ ((v - (v >> 63 << 64)) >> 55)) + c & 0xFFFFFFFFFFFFFFFF

    def add_text(v, text):
        v = add(v, len(text))
        for c in text.encode():
            v = add(v, c)
        return v

    v = 0x12345678
    for kind, name, size in members:
        v = add_text(add_text(v, name), kind)
        v = add(v, 1 if size else 0)
        if size:
            v = add_text(add(v, 0), size)
    return (v << 1 & 0xFFFFFFFFFFFFFFFF) + (v >> 63)


def read_types(path):
    """Types by fingerprint: (name, members, constants)."""
    with open(path) as file:
        text = re.sub("//.*", "", file.read())
    same("package", re.findall(r"package (\w+);", text), ["tactus"])
    types = {}
    for name, body in re.findall(r"struct (\w+)\s*{([^}]*)}", text):
        members, constants = [], {}
        for line in filter(None, (line.strip() for line in body.split(";"))):
            constant = re.fullmatch(r"const int32_t (\w+) = (\d+)", line)
            if constant:
                constants[constant[1]] = int(constant[2])
                continue
            kind, member, size = re.fullmatch(r"(\w+) (\w+)(?:\[(\d+)\])?", line).groups()
            members.append((kind, member, size))
        types[fingerprint(members)] = (name, members, constants)
    return types


def read_log(path, types):
    """Channels by name: lists of (time, values by member)."""
    channels, at, number, last = {}, 0, 0, 0
    with open(path, "rb") as file:
        data = file.read()
    while at < len(data):
        sync, event, t_us, channel_size, size = struct.unpack_from(">IqqII", data, at)
        same("sync word", sync, 0xEDA1DA01)
        same("event number", event, number)
        same("order of time", t_us >= last, True)
        at += 28
        name = data[at : at + channel_size].decode()
        at += channel_size
        payload = data[at : at + size]
        same("size of the message", len(payload), size)
        at += size
        number, last = number + 1, t_us
        _, members, _ = types[struct.unpack_from(">Q", payload)[0]]
        values, k = {}, 8
        for kind, member, count in members:
            layout = ">%d%s" % (int(count or 1), CODES[kind])
            values[member] = struct.unpack_from(layout, payload, k)
            k += struct.calcsize(layout)
        same("members of " + name, k, size)
        same("utime", values.pop("utime"), (t_us,))
        channels.setdefault(name, []).append((t_us, values))
    return channels


def check(recording, channels, types, from_us=0, to_us=1 << 62):
    left = set(channels)
    for channel in recording.channels:
        name = channel.topic[1:].replace("/", ".")
        left.discard(name)
        for signal in channel.signals:
            series = recording.series(signal.name, from_us, to_us)
            member = signal.name[len(channel.component) + 1 :].replace(".", "_")
            events = channels.get(name, [])
            same("times of " + name, [e[0] for e in events], [s[0] for s in series])
            for (t, values), (_, expected) in zip(events, series):
                same("%s at %d" % (signal.name, t), [bits(v) for v in values[member]],
                     [bits(v) for v in expected])
            if signal.labels and events:
                constants = next(c for _, m, c in types.values() if member in [x[1] for x in m])
                for i, label in enumerate(signal.labels):
                    same(label, constants["%s_%s" % (member.upper(), label.upper())], i)
    same("other channels", left, set())


path, recording = record("examples/octa_two_batteries.yaml", "duration=1.5 s")
said = tactus("export", path, "-o", "a.lcm")
same("where the types are", "'a.types.lcm'" in said, True)
types = read_types("a.types.lcm")
check(recording, read_log("a.lcm", types), types)

with open("a.types.lcm") as file:
    told = {int(f, 16) for f in re.findall(r"fingerprint 0x(\w+)", file.read())}
same("fingerprints as told", told, set(types))

tactus("export", path, "-o", "part.lcm", "--from", "0.7001 s", "--to", "0.9 s")
types = read_types("part.types.lcm")
check(recording, read_log("part.lcm", types), types, 700100, 900000)

# A swarm shares types, as its vehicles look alike.
swarm, recording = record("examples/swarm.yaml", "duration=0.2 s")
tactus("export", swarm, "-o", "swarm.lcm")
types = read_types("swarm.types.lcm")
with open("swarm.types.lcm") as file:
    structs = file.read().count("\nstruct ")
same("fewer structs than channels", structs * 3 < len(recording.channels), True)
check(recording, read_log("swarm.lcm", types), types)

# To standard output there is no place for the types.
subprocess.run('"$TACTUS" export %s --format lcm -o - >out.lcm 2>err' % path, shell=True, check=True)
with open("err") as err, open("out.lcm", "rb") as out, open("a.lcm", "rb") as file:
    same("note", "types" in err.read(), True)
    same("standard output", out.read() == file.read(), True)

generate = shutil.which("lcm-gen")
if generate:
    for name in ("a.types.lcm", "swarm.types.lcm"):
        subprocess.run([generate, "-p", "--ppath", "generated", name], check=True)
        types = read_types(name)
        for expected, (struct_name, _, _) in types.items():
            with open("generated/tactus/%s.py" % struct_name) as file:
                base = int(re.search(r"tmphash = \((0x\w+)\)", file.read())[1], 16)
            got = (base << 1 & 0xFFFFFFFFFFFFFFFF) + (base >> 63)
            same("fingerprint of %s by lcm-gen" % struct_name, hex(got), hex(expected))
        shutil.rmtree("generated")
