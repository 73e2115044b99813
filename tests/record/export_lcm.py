#!/usr/bin/env python3
"""tactus export --format lcm: the log taken apart as LCM's documentation describes it, with the
types beside it as the only key; fingerprints are computed anew, and by lcm-gen where it is
installed. LCM's own reader and code that lcm-gen made read it, too."""

import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
import lcm_c
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
recording_a = recording
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

# LCM's own reader of logs, and what lcm-gen makes of the types, compiled as C: every value of every
# event.
READER = r"""
#include <lcm/eventlog.h>
#include <inttypes.h>
#include <stdio.h>
static void show(uint64_t bits) { printf(" %" PRIx64, bits); }
#define SHOW(type, x) do { type v_ = (x); uint64_t b_ = 0; memcpy(&b_, &v_, sizeof v_); show(b_); } while (0)
int main(int argc, char **argv)
{
    lcm_eventlog_t *log = lcm_eventlog_create(argv[1], "r");
    if (!log || (argc > 2 && lcm_eventlog_seek_to_timestamp(log, atoll(argv[2])) != 0))
        return 1;
    for (lcm_eventlog_event_t *e; (e = lcm_eventlog_read_next_event(log)); lcm_eventlog_free_event(e)) {
        printf("%" PRId64 " %" PRId64 " %.*s", e->eventnum, e->timestamp, e->channellen, e->channel);
        int known = 0;
%s
        puts(known == 1 ? "" : " ?");
    }
    lcm_eventlog_destroy(log);
    return 0;
}
"""
C_TYPES = {"double": "double", "int32_t": "int32_t", "int64_t": "int64_t", "boolean": "int8_t"}


def c_bits(kind, value):
    return "%x" % int.from_bytes(struct.pack("<" + CODES[kind], value), "little")


def check_with_c(log, types_file):
    types = read_types(types_file)
    cases = ""
    for name, members, _ in types.values():
        cases += "        { tactus_%s m; if (tactus_%s_decode(e->data, 0, e->datalen, &m) == " \
                 "e->datalen) { known++; fputs(\" %s\", stdout);\n" % (name, name, name)
        for kind, member, size in members:
            for i in range(int(size or 1)):
                cases += "            SHOW(%s, m.%s%s);\n" % (C_TYPES[kind], member,
                                                             "[%d]" % i if size else "")
        cases += "            tactus_%s_decode_cleanup(&m); } }\n" % name
    program = lcm_c.compile_types(types_file, READER.replace("%s", cases, 1), "reader")
    got = subprocess.run([program, log], check=True, stdout=subprocess.PIPE, text=True).stdout
    expected = []
    for at, (t_us, channel, payload) in enumerate(events_of(log)):
        name, members, _ = types[struct.unpack_from(">Q", payload)[0]]
        words, k = [str(at), str(t_us), channel, name], 8
        for kind, _, size in members:
            layout = ">%d%s" % (int(size or 1), CODES[kind])
            words += [c_bits(kind, v) for v in struct.unpack_from(layout, payload, k)]
            k += struct.calcsize(layout)
        expected.append(" ".join(words))
    lines = got.splitlines()
    same("events that LCM's code reads", len(lines), len(expected))
    for line, other in zip(lines, expected):
        same("an event as LCM's code reads it", line, other)
    # Times do not go back, so LCM's reader can seek.
    middle = int(lines[len(lines) // 2].split()[1])
    got = subprocess.run([program, log, str(middle)], check=True, stdout=subprocess.PIPE, text=True)
    same("after seeking", abs(int(got.stdout.split()[1]) - middle) < 100000, True)


def events_of(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        _, _, t_us, channel_size, size = struct.unpack_from(">IqqII", data, at)
        name = at + 28 + channel_size
        yield t_us, data[at + 28 : name].decode(), data[name : name + size]
        at = name + size


if lcm_c.available():
    check_with_c("a.lcm", "a.types.lcm")

# lcm-logplayer, a program of others, plays the log into a log of its own: same channels, same bytes.
if shutil.which("lcm-logplayer"):
    tactus("export", path, "-o", "short.lcm", "--to", "0.05 s")
    subprocess.run(["lcm-logplayer", "-s", "100", "-l", "file://played.lcm?mode=w", "short.lcm"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    same("what lcm-logplayer plays", [e[1:] for e in events_of("played.lcm")],
         [e[1:] for e in events_of("short.lcm")])

# `tactus info --lcm` has the same types before there is a recording: all signals of a component are
# in one channel here but those that are split over two.
tactus("info", os.path.join(os.environ["TACTUS_SOURCE"], "examples/octa_two_batteries.yaml"), "--lcm",
       "-o", "info.lcm")
all_types, recorded_types = read_types("info.lcm"), read_types("a.types.lcm")
split = {c.component for c in recording_a.channels if c.topic.count("/") > c.component.count(".") + 1}
whole = {c.component for c in recording_a.channels} - split
with open("a.types.lcm") as file:
    of_channel = dict(re.findall(r"// channel (\S+), fingerprint 0x(\w+)", file.read()))
checked = 0
for component in whole:
    if component in of_channel:
        same("type of " + component, int(of_channel[component], 16) in all_types, True)
        checked += 1
same("components whose types were compared", checked, 3)
if generate:
    os.mkdir("c")
    subprocess.run([generate, "-c", "--c-cpath", "c", "--c-hpath", "c", "info.lcm"], check=True,
                   stdout=subprocess.DEVNULL)
    same("structs of info --lcm", len(os.listdir("c")), 2 * len(all_types))
