#!/usr/bin/env python3
"""Vehicles that send at the same instants; two programs that hash what they hear in its order and answer
with the hash; an engine with a configuration of its own that hears all vehicles. However the vehicles are
divided among processes, and whatever the order and names of these, the messages of an instant come to
the others in the same order, so the hash is the same."""
import json
import os
import random
import subprocess
import sys
import tempfile

tactus, source = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "divisions.yaml")
wrong = 0

VEHICLES = 6
HEAD = """name: divisions
seed: 5
duration: 300 ms
scheduler:
  rate_groups:
    - {name: fast, period: 5 ms, components: [Wave, Beacon]}
    - {name: slow, period: 10 ms, components: [Second]}
entities:
"""
VEHICLE = """  {name}:
    components:
      Ear: {{type: listener}}
      Wave: {{type: sum, inputs: {{u: {{from: Ear.y, delayed: true}}}}}}
      Beacon: {{type: beacon, inputs: {{u: Wave.y}}}}
      Second: {{type: beacon, inputs: {{u: Wave.y}}}}
"""
RADAR = """name: radar
duration: 1 s
scheduler: {rate_groups: [{name: g, period: 10 ms, components: [Out]}]}
entities:
  r:
    components:
      Ear: {type: listener}
      Out: {type: beacon, inputs: {u: Ear.y}}
"""
LINKS = """  links:
    - {from: "v*.Second.tx", to: "radar:r.Ear.rx", delay: 20 ms}
    - {from: "radar:r.Out.tx", to: left, delay: 20 ms}
    - {from: "v*.tx", to: left, delay: 20 ms}
    - {from: "v*.tx", to: right, delay: {uniform: [9 ms, 11 ms]}}
    - {from: "left:*", to: right, delay: 5 ms}
    - {from: "right:*", to: left, delay: 5 ms}
"""

PROGRAM = """
import struct, sys
sys.path.insert(0, {folder!r})
from tactus_client import Client, NUMBERS
FINGERPRINT = 0x6c46cae00ca208fb
state = 1
with Client() as client:
    for i in range({vehicles}):
        client.publish(f"{{client.name}}{{i}}", type=NUMBERS)
    client.subscribe("*.tx", type=NUMBERS)
    client.subscribe({other!r}, type=NUMBERS)
    client.join()
    t_us = 0
    while client.poll(t_us):
        for m in client.receive():
            for byte in m.channel.encode() + struct.pack("<QQQ", m.sent_us, m.delivered_us, m.copy) + bytes(m.data):
                state = (state ^ byte) * 0x100000001b3 % 2**64
        client.send(state % {vehicles}, t_us, struct.pack(">QId", FINGERPRINT, 1, state % 1000))
        t_us += {period}
    client.result(client.name + ".heard", state)
    client.finish()
"""


def fail(text):
    global wrong
    wrong += 1
    print(f"FAILED: {text}")


def federate(draw, transport, *log):
    """The hash of one division, and the division."""
    names = [f"v{i}" for i in range(VEHICLES)]
    count = draw.randint(1, VEHICLES)
    parts = {}
    for name in names:
        parts.setdefault(draw.randrange(count), []).append(name)
    groups = list(parts.values())
    draw.shuffle(groups)
    lines = [f"    {draw.choice('abyz')}{i}: {{entities: [{', '.join(group)}]}}\n" for i, group in enumerate(groups)]
    for name in ("left", "right"):
        lines.append(f"    {name}: {{command: [{sys.executable}, {name}.py]}}\n")
    lines.append("    radar: {config: radar.yaml}\n")
    # The others stand anywhere, but always in the same order.
    others = lines[-3:]
    del lines[-3:]
    for place, line in reversed(list(zip(sorted(draw.randint(0, len(lines)) for _ in others), others))):
        lines.insert(place, line)
    to = "".join(f'    - {{from: "{p}:{p}{i}", to: v{i}.Ear.rx, delay: 7 ms}}\n'
                 for p in ("left", "right") for i in range(VEHICLES))
    with open(path, "w") as file:
        file.write(HEAD + "".join(VEHICLE.format(name=name) for name in names) + "federation:\n"
                   f"  transport: {transport}\n  processes:\n" + "".join(lines) + LINKS + to)
    result = subprocess.run([tactus, "federate", path, "--no-lcm", "--json", *log], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    if result.returncode:
        fail(f"{groups}: {result.stderr[:600]}")
        return None
    return json.loads(result.stdout)["hash"], groups


for name, period in (("left", 5000), ("right", 10000)):
    with open(os.path.join(folder.name, name + ".py"), "w") as file:
        file.write(PROGRAM.format(folder=os.path.join(source, "examples/federation"), vehicles=VEHICLES, period=period,
                                  other="right*" if name == "left" else "left*"))

with open(os.path.join(folder.name, "radar.yaml"), "w") as file:
    file.write(RADAR)
hashes = {}
for seed in range(1, int(sys.argv[1]) + 1 if len(sys.argv) > 1 else 11):
    log = ["--log", os.path.join(folder.name, "log"), "--force"] if seed % 3 == 0 else []
    found = federate(random.Random(seed), ["unix", "tcp"][seed % 2], *log)
    if found:
        hashes.setdefault(found[0], []).append(found[1])
for hash, divisions in hashes.items():
    print(hash, *divisions, sep="\n    ")
if len(hashes) != 1:
    fail(f"{len(hashes)} hashes instead of one")
sys.exit(wrong > 0)
