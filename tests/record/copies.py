"""What `tactus recover` makes can be exported and replayed, or it is not made: a chunk that is there twice,
messages of another length, a program that was killed at any time."""
import os
import struct
import subprocess
import tempfile
import zlib

tactus = os.environ["TACTUS"]
small = os.path.join(os.environ["TACTUS_SOURCE"], "tests/cli/data/small.yaml")
work = tempfile.TemporaryDirectory()
os.chdir(work.name)


def run(*args):
    return subprocess.run([tactus, *args], capture_output=True, text=True, timeout=120)


assert run("run", small, "-q", "--set", "record.compression=none", "--out", "whole.mcap").returncode == 0
data = open("whole.mcap", "rb").read()
CHUNK, DATA_END = 6, 15


def records(data):
    at = 8
    while at < len(data) - 8:
        opcode, length = struct.unpack_from("<BQ", data, at)
        yield opcode, at, data[at:at + 9 + length]
        if opcode == DATA_END:
            return
        at += 9 + length


def chunk(record, change):
    """The record of a chunk that is not compressed, with its messages changed."""
    first, last, size, crc, name = struct.unpack_from("<QQQII", record, 9)
    start = 9 + 32 + name + 8
    inside, at = b"", start
    while at < len(record):
        opcode, length = struct.unpack_from("<BQ", record, at)
        inside += change(record[at:at + 9 + length])
        at += 9 + length
    head = struct.pack("<QQQI", first, last, len(inside), zlib.crc32(inside)) + record[9 + 28:9 + 32 + name]
    content = head + struct.pack("<Q", len(inside)) + inside
    return struct.pack("<BQ", CHUNK, len(content)) + content


def shorter(message):
    content = message[9:-4]
    return message[:1] + struct.pack("<Q", len(content)) + content


def longer(message):
    return message[:1] + struct.pack("<Q", len(message) - 9 + 8) + message[9:] + bytes(8)


def recover(data):
    """0: a copy was made, and export and replay take it."""
    open("damaged.mcap", "wb").write(data)
    if os.path.exists("copy.mcap"):
        os.remove("copy.mcap")
    done = run("recover", "damaged.mcap", "-o", "copy.mcap")
    if done.returncode:
        assert done.returncode == 3 and done.stderr.startswith("error: "), done
        assert not os.path.exists("copy.mcap")
        return done.stderr
    for args in (["info", "copy.mcap"], ["export", "copy.mcap", "-o", "x.csv"], ["replay", "copy.mcap"]):
        again = run(*args)
        assert again.returncode == 0, (args, again)
    if " to 0 s" in again.stdout:
        assert "the recording ends where it begins: only its first instant can be replayed" in again.stderr, again
    return ""


whole = list(records(data))
chunks = [i for i, (opcode, _, _) in enumerate(whole) if opcode == CHUNK]
assert len(chunks) > 5
assert recover(data) == ""
told = []
for i in chunks:
    before, record = data[:whole[i][1]], whole[i][2]
    told.append(recover(before + record + record))
    for change in (shorter, longer):
        told.append(recover(before + chunk(record, change)))
assert sum("is not in order of time" in t for t in told) > 2, told
assert any("has a message twice at 0 us" in t for t in told), told
assert sum("it is not laid out as the channel says" in t for t in told) > 2, told
assert "" in told # the first instant twice does no harm

refused = []
for at in [*range(0, 12000, 500), *range(12000, len(data), 9000)]:
    why = recover(data[:at])
    assert not why or len(refused) == at // 500 or at < 500, (at, why) # later there is always something
    if why:
        refused.append(why)
assert any("it was cut off before its first instant was complete: there is nothing to save" in w for w in refused)
