"""Reads recordings without any code of Tactus: from the specifications of MCAP and CDR, and what
their schemas say. Only uncompressed ones, so that nothing but Python is needed.

What the tests of exports compare with."""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

TACTUS = os.environ["TACTUS"]
SOURCE = os.environ["TACTUS_SOURCE"]
# What ROS 2 allows, and strict readers ask for.
TYPE = re.compile(r"[a-z](_?[a-z0-9]+)*/msg/[A-Z][A-Za-z0-9]*")
LINE = re.compile(r"""\#.*|MSG:\ [a-z_]+/[A-Z]\w*|={80}|
    (float64|u?int(8|32|64)|bool|string|byte)(\[\d*\])?\ ([a-z](_?[a-z0-9]+)*|[A-Z](_?[A-Z0-9]+)*=\d+)
    (\ \ \#.*)?|builtin_interfaces/Time\ stamp""", re.VERBOSE)
CODES = {"float64": "d", "int32": "i", "int64": "q", "bool": "?"}


class Signal:
    def __init__(self, channel, about):
        self.channel = channel
        self.name = about["name"]
        self.field = about["field"]
        self.kind = about["type"]  # f64, i32, i64, bool, enum
        self.shape = about["shape"]
        self.count = about["count"]
        self.unit = about["unit"]
        self.doc = about["doc"]
        self.labels = about.get("labels")


class Channel:
    def __init__(self, topic, schema, metadata):
        self.topic = topic
        self.component = metadata["subject"]
        self.trace = metadata["trace"]
        self.fields = []  # (name, code, count) in the order of the message
        for line in schema.splitlines():
            found = re.match(r"(\w+)(?:\[(\d+)\])? ([a-z]\w*)\s*(?:#|$)", line)
            if found and found[1] in CODES:
                self.fields.append((found[3], CODES[found[1]], int(found[2] or 1)))
        self.signals = [Signal(self, about) for about in json.loads(metadata["signals"])]
        self.samples = []  # (t_us, {field: values})

    def add(self, t_us, data):
        values, at = {}, 4  # behind the encapsulation header, which alignment does not count
        for name, code, count in self.fields:
            size = struct.calcsize(code)
            at += -(at - 4) % size
            values[name] = struct.unpack_from("<%d%s" % (count, code), data, at)
            at += size * count
        assert at == len(data), "%s: %d bytes, not %d" % (self.topic, len(data), at)
        self.samples.append((t_us, values))


class Recording:
    def __init__(self, path):
        self.schemas, self.ids, self.types = {}, {}, {}
        self.log, self.log_id = [], None  # (t_us, level, component, text)
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"\x89MCAP0\r\n"
        self.records(data, 8, len(data) - 8)
        self.channels = [c for c in self.ids.values() if c]
        for channel in self.channels:
            channel.samples.sort(key=lambda sample: sample[0])
        self.signals = {s.name: s for c in self.channels for s in c.signals}

    def records(self, data, at, end):
        while at < end:
            kind, size = struct.unpack_from("<BQ", data, at)
            at += 9
            self.record(kind, data[at : at + size])
            at += size
            if kind == 0x0F:  # the end of the data; what follows repeats
                return

    def record(self, kind, data):
        def text(at):
            (n,) = struct.unpack_from("<I", data, at)
            return data[at + 4 : at + 4 + n].decode(), at + 4 + n

        if kind == 0x03:
            (number,) = struct.unpack_from("<H", data)
            name, at = text(2)
            _, at = text(at)
            self.schemas[number], _ = text(at)
            self.check_schema(name, self.schemas[number])
        elif kind == 0x04:
            number, schema = struct.unpack_from("<HH", data)
            topic, at = text(4)
            _, at = text(at)
            metadata, end = {}, at + 4 + struct.unpack_from("<I", data, at)[0]
            at += 4
            while at < end:
                key, at = text(at)
                metadata[key], at = text(at)
            if number not in self.ids:
                is_ours = metadata["kind"] == "signals"
                if metadata["kind"] == "log":
                    self.log_id = number
                self.ids[number] = (
                    Channel(topic, self.schemas[schema], metadata) if is_ours else None
                )
        elif kind == 0x05:
            number, _, log_ns, _ = struct.unpack_from("<HIQQ", data)
            if number == self.log_id:
                self.add_log(log_ns // 1000, data[22:])
            if self.ids[number]:
                assert log_ns % 1000 == 0
                self.ids[number].add(log_ns // 1000, data[22:])
        elif kind == 0x06:
            compression, at = text(28)
            assert compression == "", "only uncompressed recordings"
            (size,) = struct.unpack_from("<Q", data, at)
            self.records(data, at + 8, at + 8 + size)

    def add_log(self, t_us, data):
        level, texts, at = data[12], [], 16
        for _ in range(2):
            at += -at % 4
            (n,) = struct.unpack_from("<I", data, at)
            texts.append(data[at + 4 : at + 3 + n].decode())
            at += 4 + n
        self.log.append((t_us, level, *texts))

    def check_schema(self, name, schema):
        if not TYPE.fullmatch(name):
            sys.exit("'%s' is no name of a message type" % name)
        if self.types.setdefault(name, schema) != schema:
            sys.exit("two definitions of '%s'" % name)
        names = []
        for line in schema.splitlines():  # also at U+2028 and its like
            if not LINE.fullmatch(line):
                sys.exit("%s: '%s' is no line of a definition" % (name, line))
            if not line.startswith(("#", "MSG", "===")):
                names.append(re.split(r"[ =]", line)[1])
        if len(names) != len(set(names)):
            sys.exit("%s: a name is there twice: %r" % (name, sorted(names)))

    def series(self, name, from_us=0, to_us=1 << 62):
        """Times and values of a signal; one that holds begins with what it held."""
        signal = self.signals[name]
        samples = [(t, values[signal.field]) for t, values in signal.channel.samples]
        inside = [s for s in samples if from_us <= s[0] <= to_us]
        if signal.channel.trace == "hold" and (not inside or inside[0][0] > from_us):
            before = [s for s in samples if s[0] < from_us]
            inside = [(from_us, s[1]) for s in before[-1:]] + inside
        return inside


def tactus(*args, code=0):
    """Run the program; returns what it says."""
    done = subprocess.run([TACTUS, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        sys.exit(
            "tactus %s: exit code %d, not %d\n%s%s"
            % (" ".join(args), done.returncode, code, done.stdout, done.stderr)
        )
    return done.stdout + done.stderr


def record(example, *settings):
    """A recording of an example, in a folder of its own that becomes the present one."""
    if not hasattr(record, "folder"):
        record.folder = tempfile.TemporaryDirectory()
        os.chdir(record.folder.name)
    path = os.path.basename(example).replace(".yaml", ".mcap")
    sets = [arg for s in ("record.compression=none",) + settings for arg in ("--set", s)]
    tactus("run", os.path.join(SOURCE, example), "--out", path, "--force", "-q", *sets)
    return path, Recording(path)


def bits(value):
    """A double by its bits, all NaN alike."""
    return struct.pack("<d", value) if value == value else b"nan"


def same(what, a, b):
    if a != b:
        sys.exit("%s: %r is not %r" % (what, a, b))
