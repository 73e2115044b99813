#!/usr/bin/env python3
"""The event log of a federation: LCM's own reader reads it, its times are simulated times in order,
its bytes are the same in every run, and the results do not depend on it."""

import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["TACTUS_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests/support"))
import lcm_c
import lcm_public

TACTUS = os.environ["TACTUS"]
PILOT = os.path.join(os.environ["TACTUS_BUILD"], "tests/pilot/pilot")
PILOTS = os.path.join(SOURCE, "examples/federation/pilots.yaml")
if not lcm_c.available():
    sys.exit(77)
work = tempfile.TemporaryDirectory(prefix="event_log.")
os.chdir(work.name)
os.environ["PILOT"] = PILOT


def federate(*words, code=0, config=PILOTS):
    done = subprocess.run([TACTUS, "federate", config, "--json", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return json.loads(done.stdout) if not code else done.stderr


def read(path):
    with open(path, "rb") as file:
        return file.read()


peer = lcm_public.compile_peer(PILOTS)


def events(path, *words):
    return subprocess.run([peer, "log", path, *words], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.splitlines()


# --- the same bytes, the same results -----------------------------------------------------------

plain = federate("--no-lcm")
assert "lcm" not in plain and "log" not in plain
runs = [[], ["--transport", "tcp"], ["--transport", "shm", "--lookahead", "global"]]
for number, words in enumerate(runs):
    with_log = federate("--no-lcm", "--log", "%d.log" % number, *words)
    assert with_log["log"] == "%d.log" % number
    assert with_log["hash"] == plain["hash"], (with_log["hash"], plain["hash"])
    assert read("%d.log" % number) == read("0.log"), words
err = federate("--no-lcm", "--log", "0.log", code=3)
assert "0.log" in err, err
federate("--no-lcm", "--log", "0.log", "--force", "--seed", "2")
assert read("0.log") != read("1.log")

# --- what is in it ------------------------------------------------------------------------------

lines = events("1.log")
found = lcm_public.pairs(lines)
assert 2 * len(found) == len(lines), (len(found), len(lines))
assert [e.number for e in found] == list(range(len(found)))
received = [e for e in found if e.delivered < 0]
delivered = [e for e in found if e.delivered >= 0]
messages = plain["messages"]
assert (len(received), len(delivered)) == (messages["received"], messages["delivered"])
times = [e.t for e in found]
assert times == sorted(times)
for e in found:
    assert e.t == e.message_t == (e.sent if e.delivered < 0 else e.delivered)
    assert e.channel == (e.name + "." + e.sender if e.delivered < 0 else e.name + ":" + e.recipient)

# Laws as the file says; instants as pilots have them.
delays = {}
for e in delivered:
    delays.setdefault((e.sender, e.name, e.recipient), set()).add(e.delivered - e.sent)
assert delays[("uav", "uav.Beacon.tx", "left")] == {7000}
assert delays[("left", "STATUS", "right")] == {1000}
assert delays[("right", "STATUS", "left")] == {2500}
assert delays[("left", "ORDER", "uav")] == {11000}
assert delays[("right", "ORDER", "uav")] == {13000}
drawn = delays[("uav", "uav.Beacon.tx", "right")]
assert len(drawn) > 100 and min(drawn) >= 4000 and max(drawn) < 9000
assert {e.sent for e in received if e.sender == "right"} == set(range(0, 5000001, 30000))
assert {e.inlet for e in delivered if e.recipient == "uav"} == {"uav.Left.rx", "uav.Right.rx"}
assert {e.type for e in found if e.sender == "uav"} == {"tactus.numbers_t"}
# Every delivery was received before, with the same bytes.
sent = {(e.sender, e.name, e.sequence): e.hash for e in received}
assert len(sent) == len(received)
for e in delivered:
    assert sent[(e.sender, e.name, e.sequence)] == e.hash

# LCM's reader finds a time in it.
later = lcm_public.pairs(events("1.log", "3000000"))
assert later and abs(later[0].t - 3000000) < 20000, later[0].t

# The type of envelopes is in the documentation as it is printed.
with open("types.lcm") as file:
    types = file.read()
begin = types.index("// what the server of a federation tells")
envelope = types[begin:types.index("}\n", begin) + 2]
with open(os.path.join(SOURCE, "docs/federation.md")) as file:
    text = file.read()
assert "".join("    " + line + "\n" for line in envelope.splitlines()) in text

# --- names that LCM cannot carry ----------------------------------------------------------------

name = "left_with_a_name_that_leaves_no_room_for_that_of_a_channel__"
with open(PILOTS) as file:
    text = file.read()
with open("long.yaml", "w") as file:
    file.write(text.replace("left", name))
for words in (["--lcm", "udpm://"], ["--no-lcm", "--log", "long.log"]):
    err = federate(*words, code=1, config="long.yaml")
    for part in ("channel 'ORDER' of", "has 5 characters, and %d with" % (6 + len(name)),
                 "which allows 63"):
        assert part in err, err
federate("--no-lcm", config="long.yaml")
print("%d events of LCM, in order, the same in every run" % len(lines))
