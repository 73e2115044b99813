#!/usr/bin/env python3
"""Federations with many messages: random vehicles send at random rates over links with unequal delays,
with feedback, into ports with hardly enough room. However the vehicles are divided among processes, over
every transport and with both lookaheads, a federation has the hash of one engine; and where a port of one
engine is full, one is full in the federation."""
import json
import os
import random
import subprocess
import sys
import tempfile

tactus, source = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "rates.yaml")
wrong = 0


def fail(text):
    global wrong
    wrong += 1
    print(f"FAILED: {text}")


def call(*args):
    with open(path, "w") as file:
        file.write(text)
    return subprocess.run([tactus, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def report(result):
    try:
        return json.loads(result.stdout)
    except ValueError:
        return {}


def federate(*settings):
    sets = [word for s in settings for word in ("--set", "federation." + s)]
    return call("federate", path, "--no-lcm", "--json", *sets)


STAGES = ["estimate", "environment", "control", "scenario"]
WAYS = [("transport=unix", "lookahead=link"), ("transport=tcp", "lookahead=global"),
        ("transport=shm", "lookahead=link")]


class Plan:
    """Vehicles, each with a beacon that sends the sum of what it hears and of a sine, and an ear."""

    def __init__(self, draw):
        self.count = draw.randint(2, 5)
        self.names = [f"v{i}" for i in range(self.count)]
        self.period = [draw.choice([1, 2, 5, 7, 10]) for _ in self.names]
        self.offset = [draw.randrange(1000 * p) if draw.random() < 0.4 else 0 for p in self.period]
        self.send_stage = [draw.choice(STAGES) for _ in self.names]
        self.hear_stage = [draw.choice(STAGES) for _ in self.names]
        self.links = {}
        for a in range(self.count):
            for b in range(self.count):
                if a != b and draw.random() < 0.6:
                    self.links[a, b] = self.draw_law(draw)
        if not self.links:
            self.links[0, 1] = self.draw_law(draw)
        self.capacity = [max(1, self.room(i) + draw.randint(-1, 4)) for i in range(self.count)]

    @staticmethod
    def draw_law(draw):
        least = draw.choice([1, 2, 3, 8, 20, 70])
        most = least + draw.choice([1, 10, 40]) if draw.random() < 0.25 else least
        unit = "ms" if draw.random() < 0.7 else "us"
        factor = 1 if unit == "ms" else 1009
        more = ", loss: 0.1, duplicate: 0.2" if draw.random() < 0.2 else ""
        return least * factor, most * factor, unit, more

    def room(self, i):
        """How many messages are on their way to a vehicle, about."""
        all_ms = 0
        for (a, b), (least, most, unit, more) in self.links.items():
            mean = (least + most) / 2 * (1 if unit == "ms" else 0.001)
            all_ms += (mean / self.period[a] + 0.5) * (1.1 if more else 1) if b == i else 0
        return round(all_ms)

    def text(self, draw):
        out = "name: rates\nduration: 220 ms\nscheduler:\n  rate_groups:\n"
        for i, name in enumerate(self.names):
            out += (f"    - {{name: r{i}, period: {self.period[i]} ms, offset: {self.offset[i]} us, "
                    f"components: [{name}.Wave, {name}.Sum, {name}.Beacon]}}\n")
        out += "entities:\n"
        for i, name in enumerate(self.names):
            out += (f"  {name}:\n    components:\n"
                    f"      Ear: {{type: listener, stage: {self.hear_stage[i]}, params: {{capacity: {self.capacity[i]}}}}}\n"
                    f"      Wave: {{type: sine, stage: {self.send_stage[i]}}}\n"
                    f"      Sum: {{type: sum, stage: {self.send_stage[i]}, inputs: {{u: Wave.y, v: {{from: Ear.y, delayed: true}}}}}}\n"
                    f"      Beacon: {{type: beacon, stage: {self.send_stage[i]}, inputs: {{u: Sum.y}}}}\n")
        out += "links:\n"
        for (a, b), (least, most, unit, more) in self.links.items():
            delay = f"{least} {unit}" if least == most else f"{{uniform: [{least} {unit}, {most} {unit}]}}"
            out += f"  - {{from: v{a}.Beacon.tx, to: v{b}.Ear.rx, delay: {delay}{more}}}\n"
        processes = draw.randint(2, self.count)
        home = [draw.randrange(processes) for _ in self.names]
        out += "federation:\n  processes:\n"
        for p in draw.sample(range(processes), processes):
            mine = [name for name, h in zip(self.names, home) if h == p]
            if mine:
                out += f"    p{p}: {{entities: [{', '.join(mine)}]}}\n"
        return out


def queue_of(text):
    """The port that is full, as an error names it."""
    _, found, rest = text.partition("queue of '")
    return rest.partition("'")[0] if found else None


# A message every 1 ms that takes 3 ms: whether 3 places are enough depends on who steps first at an
# instant at which the next message is sent and the oldest one is taken.
TIE = """name: tie
duration: 20 ms
scheduler:
  rate_groups: [{{name: g, period: 1 ms, components: [Wave, Beacon]}}]
entities:
  {first}
  {second}
links:
  - {{from: a.Beacon.tx, to: b.Ear.rx, delay: 3 ms}}
federation:
  processes: {{pa: {{entities: a}}, pb: {{entities: b}}}}
"""
for sends, hears, capacity, early in [("scenario", "control", 3, True), ("control", "scenario", 3, True),
                                      ("control", "control", 3, True), ("control", "control", 3, False),
                                      ("scenario", "control", 4, True), ("control", "scenario", 2, True)]:
    a = (f"a: {{components: {{Wave: {{type: sine, stage: {sends}}}, "
         f"Beacon: {{type: beacon, stage: {sends}, inputs: {{u: Wave.y}}}}}}}}")
    b = f"b: {{components: {{Ear: {{type: listener, stage: {hears}, params: {{capacity: {capacity}}}}}}}}}"
    text = TIE.format(first=a if early else b, second=b if early else a)
    alone, divided = call("run", path, "--json"), federate()
    enough = capacity > 3 or capacity == 3 and (hears == "scenario" or not early)
    if (alone.returncode == 0) != enough or (divided.returncode == 0) != enough:
        fail(f"{sends}, {hears}, {capacity} places: exit codes {alone.returncode} and {divided.returncode}")
    elif report(alone).get("hash") != report(divided).get("hash") and enough:
        fail(f"{sends}, {hears}, {capacity} places: other hashes")

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
full = 0
for number in range(seed, seed + count):
    draw = random.Random(number)
    plan = Plan(draw)
    text = plan.text(draw)
    alone = call("run", path, "--json")
    expected = report(alone).get("hash") if alone.returncode == 0 else None
    port = queue_of(alone.stderr + alone.stdout)
    if not expected and not port:
        fail(f"plan {number}: {alone.stderr}")
        continue
    full += not expected
    for way in WAYS:
        result = federate(*way)
        if expected and (result.returncode or report(result).get("hash") != expected):
            fail(f"plan {number}, {way}: hash {report(result).get('hash')}, not {expected}\n{result.stderr[:600]}")
        if not expected and (result.returncode == 0 or not queue_of(result.stderr + result.stdout)):
            fail(f"plan {number}, {way}: exit code {result.returncode}, but one engine says {alone.stderr[:300]}")
print(f"{count} plans, of which {full} have a port that is full")
if not count // 8 < full < count - count // 8:
    fail("the plans are not near the limits of their ports")
sys.exit(wrong > 0)
