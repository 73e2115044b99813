#!/usr/bin/env python3
"""Recordings of all examples, read by Python's readers of ROS 2 messages: mcap with
mcap-ros2-support, and rosbags. Both take every message type, decode every message of every channel,
and give the values of our own reader bit for bit. Part of ./test.sh --clients."""

import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from readers import add_readers

installed = add_readers("recording_clients")
try:
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    import numpy
except ImportError as missing:
    if installed:
        raise
    print("skipped: %s (./test.sh --clients installs the readers)" % missing)
    sys.exit(77)

TACTUS = os.environ["TACTUS"]
SOURCE = os.environ["TACTUS_SOURCE"]
BUILD = os.environ["TACTUS_BUILD"]

# Of swarms a part: the readers decode some 20000 messages a second.
PARTS = {"swarm": ["--duration", "2 s"], "iris_px4_swarm": ["--duration", "5 s"],
         "swarm_large": ["--duration", "0.2 s", "--set", "entities.uav.count=20"]}
LEVELS = {10: "DEBUG", 20: "INFO", 30: "WARN", 40: "ERROR"}


def fail(text):
    sys.exit("recording_clients: " + text)


def get(message, field):
    """rosbags puts '_' behind a field that is a keyword of Python."""
    return getattr(message, field) if hasattr(message, field) else getattr(message, field + "_")


def hexadecimal(kind, value):
    if kind == "f64":
        return "%x" % struct.unpack("<Q", struct.pack("<d", value))
    return "%x" % (int(value) & 0xFFFFFFFFFFFFFFFF)


class Channel:
    """What tests/record/tool_dump.c prints of one channel."""

    def __init__(self, metadata):
        self.signals = json.loads(metadata["signals"])
        self.samples = []

    def add(self, t_ns, message):
        lines = []
        for s in self.signals:
            value = get(message, s["field"])
            values = [value] if s["shape"] == "single" else list(value)
            if len(values) != s["count"]:
                fail("%s has %d elements, not %d" % (s["name"], len(values), s["count"]))
            if s["type"] == "bool" and not all(isinstance(v, (bool, numpy.bool_)) for v in values):
                fail("%s is no bool" % s["name"])
            lines.append(" ".join([s["name"], str(t_ns // 1000)] +
                                  [hexadecimal(s["type"], v) for v in values]))
        self.samples.append((t_ns, lines))

    def lines(self):
        self.samples.sort(key=lambda sample: sample[0])
        return [line for _, lines in self.samples for line in lines]


class Reading:
    """All messages of a recording, as one reader decodes them."""

    def __init__(self, channels):
        self.channels = {number: Channel(metadata) for number, metadata in channels.items()
                         if metadata["kind"] == "signals"}
        self.kinds = {number: metadata["kind"] for number, metadata in channels.items()}
        self.log, self.other, self.count = [], [], 0

    def add(self, number, t_ns, message):
        self.count += 1
        kind = self.kinds[number]
        if kind == "signals":
            self.channels[number].add(t_ns, message)
        elif kind == "log":
            if message.stamp.sec * 10**9 + message.stamp.nanosec != t_ns:
                fail("a log message at %d ns has the stamp %r" % (t_ns, message.stamp))
            if message.level not in LEVELS or not message.msg:
                fail("no log message: %r" % message)
            self.log.append((t_ns, message.level, message.name, message.msg))
        elif kind == "mark":
            self.other.append((kind, number, t_ns, int(message.t_us)))
        elif kind == "digest":
            self.other.append((kind, number, t_ns, [int(t) for t in message.t_us],
                               [int(d) for d in message.digest]))
        elif kind == "instants":
            self.other.append((kind, number, t_ns, int(message.source)))
        elif kind == "state":
            self.other.append((kind, number, t_ns, bytes(message.data)))
        elif kind == "delivery":
            self.other.append((kind, number, t_ns, int(message.sent_us), int(message.sequence),
                               int(message.sender), bytes(message.data), int(message.copy)))
        elif kind == "fates":
            if message.fate > 3 or len(message.delivered_us) != (1, 2, 0, 0)[message.fate]:
                fail("no fate: %r" % message)
            self.other.append((kind, number, t_ns, int(message.sequence), int(message.link),
                               int(message.fate), [int(t) for t in message.delivered_us]))
        else:
            fail("a channel of unknown kind '%s'" % kind)

    def lines(self):
        return [line for number in sorted(self.channels)
                for line in self.channels[number].lines()]


def with_mcap(path):
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        channels = {c.id: c.metadata for c in summary.channels.values()}
        types = {summary.schemas[c.schema_id].name for c in summary.channels.values()}
        rosout = [summary.schemas[c.schema_id].name for c in summary.channels.values()
                  if c.topic == "/rosout"]
        reading = Reading(channels)
        for _, channel, message, decoded in reader.iter_decoded_messages():
            reading.add(channel.id, message.log_time, decoded)
        if reading.count != summary.statistics.message_count:
            fail("%d messages, not %d" % (reading.count, summary.statistics.message_count))
    for name in types:
        package, msg, kind = name.split("/")
        if msg != "msg" or not kind[0].isupper() or not kind.isalnum():
            fail("'%s' is no name of a message type" % name)
    if rosout != ["rcl_interfaces/msg/Log"]:
        fail("/rosout is %r" % rosout)
    return reading, channels


def with_rosbags(path, channels):
    with Reader(path) as reader:
        # With the standard types of a distribution: ours must not contradict them.
        store = get_typestore(Stores.ROS2_HUMBLE)
        for connection in reader.connections:
            store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
        reading = Reading(channels)
        for connection, t_ns, data in reader.messages(reader.connections):
            reading.add(connection.id, t_ns, store.deserialize_cdr(data, connection.msgtype))
        if reading.count != reader.message_count:
            fail("%d messages, not %d" % (reading.count, reader.message_count))
    return reading


def compare(name, path):
    dump = subprocess.run([os.path.join(BUILD, "tests/tool_record_dump"), path],
                          capture_output=True, text=True, check=True).stdout.splitlines()
    if not dump:
        fail("%s: nothing was recorded" % name)
    one, channels = with_mcap(path)
    two = with_rosbags(path, channels)
    for who, reading in ("mcap-ros2-support", one), ("rosbags", two):
        lines = reading.lines()
        for ours, theirs in zip(dump, lines):
            if ours != theirs:
                fail("%s: %s reads '%s', not '%s'" % (name, who, theirs, ours))
        if len(dump) != len(lines):
            fail("%s: %s reads %d values, not %d" % (name, who, len(lines), len(dump)))
    for what in "log", "other":
        if getattr(one, what) != getattr(two, what):
            fail("%s: the readers differ in '%s'" % (name, what))
    if not one.other:
        fail("%s: no marks, states or digests" % name)
    print("%s: %d messages in %d channels, %d of the log, %d values alike"
          % (name, one.count, len(channels), len(one.log), len(dump)))
    return len(one.log)


def record(folder, example, *options):
    path = os.path.join(folder, "a.mcap")
    run = subprocess.run([TACTUS, "run", example, "-q", "--out", path, "--force", *options],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    # A part of a flight may not have what the file expects of the whole of it.
    if run.returncode not in (0, 1) or not os.path.exists(path):
        fail("%s: exit code %d\n%s" % (example, run.returncode, run.stderr))
    return path


# Names that ROS 2 does not allow as they are, or that come to the same there.
HARD = """
name: hard
duration: 20 ms
components:
  state:
    type: equations
    params: {states: {A_b: 1, a__b: 1, class: 1, V: 1, v: 1, x_: 1}, equations: [der(A_b) = 1/1 s,
      der(a__b) = 2/1 s, der(class) = 3/1 s, der(V) = 4/1 s, der(v) = 5/1 s, der(x_) = 6/1 s]}
  a_b:   {type: equations, params: {states: {x: 1}, equations: [der(x) = 7/1 s]}}
  aB:    {type: equations, params: {states: {y: 1}, equations: [der(y) = 8/1 s]}}
  AB:    {type: equations, params: {states: {y: 1}, equations: [der(y) = 8/1 s]}}
  a_b_2: {type: equations, params: {states: {y: 1}, equations: [der(y) = 9/1 s]}}
"""

with tempfile.TemporaryDirectory() as folder:
    logged = 0
    for example in sorted(glob.glob(os.path.join(SOURCE, "examples/*.yaml"))):
        name = os.path.basename(example)[:-5]
        options = list(PARTS.get(name, []))
        if "px4" in name:
            options += ["--set", "autopilot.px4.library=" +
                        os.path.join(BUILD, "tests/libpx4_standin.so")]
        logged += compare(name, record(folder, example, *options))
    if not logged:
        fail("no example logged anything")
    compare("links", record(folder, os.path.join(SOURCE, "tests/cli/data/links.yaml")))
    hard = os.path.join(folder, "hard.yaml")
    with open(hard, "w") as file:
        file.write(HARD)
    compare("hard", record(folder, hard))
