#!/usr/bin/env python3
"""Groups of signals as messages of LCM: an engine publishes, another one takes them into inputs, and a
program that shares no code with Tactus reads and writes them. Values are those of a closed form, and
everything is the same over every transport and with both lookaheads."""
import json
import os
import re
import subprocess
import sys
import tempfile

tactus, source = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
folder = tempfile.TemporaryDirectory()
wrong = 0

# Under a gravity of 2 m/s^2 and from 1 m/s north: position = (t, 0, t^2), velocity = (1, 0, 2 t).
BASE = """name: groups
seed: 3
duration: 1 s
scheduler:
  rate_groups:
    - {name: pilot, period: 7 ms, components: [Pilot]}
    - {name: route, period: 20 ms, offset: 1.001 ms, components: [Route]}
plant:
  integrator: {kind: rk45}
entities:
  leader:
    components:
      Body: {type: point_mass, params: {gravity: [0, 0, 2], velocity: [1, 0, 0]}}
      Route: {type: circle, params: {radius: 10, rate: 2}}
  follower:
    components:
      Pilot:
        type: tracker
        inputs:
          target: {from: outside, rest: [0, 0, 0]}
          target_velocity: {from: outside, rest: [0, 0, 0]}
          position: Body.position
          velocity: Body.velocity
      Body: {type: point_mass, params: {gravity: 0}, inputs: {force: Pilot.force}}
"""

# A sample is sent at 1 ms + k 20 ms and arrives 13 ms later; an order at 0.3 s, and it arrives at 0.305 s.
EXPECT = """expect:
  first:  {at: 14 ms, holds: abs(follower.Pilot_target.outside.x - 0.001 m) < 1e-12 m}
  before: {at: 490 ms, holds: abs(follower.Pilot_target.outside.x - 0.461 m) < 1e-12 m}
  north:  {at: 494 ms, holds: abs(follower.Pilot_target.outside.x - 0.481 m) < 1e-12 m}
  down:   {at: 494 ms, holds: abs(follower.Pilot_target.outside.z - 0.231361 m) < 1e-12 m}
  order:  {at: 305 ms, holds: follower.Pilot_target_velocity.outside.y == 0.25 m/s}
  other:  {at: 905 ms, holds: abs(follower.Pilot_target_velocity.outside.z - 1.8 m/s) < 1e-12 m/s}
"""

PUBLISH = "publish: {STATE: {signals: [leader.Body.position, leader.Body.velocity], rate: 50 Hz, offset: 1 ms}}"
SUBSCRIBE = """subscribe:
        STATE: {inputs: {position: follower.Pilot.target, velocity: follower.Pilot.target_velocity}}"""
# Of WHERE only the position, so that the order of the program is not overwritten.
GROUPS = """federation:
  delay: 5 ms
  processes:
    lead:
      entities: leader
      publish:
        STATE: {signals: [leader.Body.position, leader.Body.velocity], rate: 50 Hz, offset: 1 ms}
        WHERE: {signals: [leader.Body.position], rate: 50 Hz, offset: 1 ms}
        BEFORE: {signals: [leader.Route.position], rate: 50 Hz, offset: 1 ms}  # 1 us before a step of it
        ROUTE: {signals: [leader.Route.position], rate: 50 Hz, offset: 1.001 ms}
        ORDER: {signals: {target_velocity: leader.Body.velocity}, rate: 1 Hz, offset: 900 ms}
    wing:
      entities: follower
      subscribe:
        WHERE: {inputs: {position: follower.Pilot.target}}
        ORDER: {inputs: [follower.Pilot.target_velocity]}
    view: {command: [python3, view.py]}
  links:
    - {from: "lead:WHERE", to: "wing:WHERE", delay: 13 ms}
"""

VIEW = """import json, math, os, struct, sys
sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "examples", "federation"))
from tactus_client import Client

# LCM's hash of a struct, from its specification.
def fingerprint(members):
    def byte(v, c):
        signed = v - (1 << 64) if v >> 63 else v
        return ((v << 8) ^ (signed >> 55)) + c & (1 << 64) - 1
    def text(v, s):
        v = byte(v, len(s))
        for c in s.encode():
            v = byte(v, c)
        return v
    v = 0x12345678
    for name, type, length in members:
        v = text(text(v, name), type)
        v = byte(v, length is not None)
        if length is not None:
            v = text(byte(v, 0), str(length))
    return (v << 1) + (v >> 63) & (1 << 64) - 1

STATE = fingerprint([("utime", "int64_t", None), ("position", "double", 3), ("velocity", "double", 3)])
ORDER = fingerprint([("utime", "int64_t", None), ("target_velocity", "double", 3)])
seen, steps, wrong = 0, 0, []
with Client() as client:
    order = client.publish("ORDER", fingerprint=ORDER)
    state = client.subscribe("STATE", fingerprint=STATE)
    before, route = client.subscribe("BEFORE"), client.subscribe("ROUTE")
    client.join()
    for t_us in range(0, 10**9, 10_000):
        if not client.poll(t_us):
            break
        for m in client.receive():
            if m.subscription != state:
                # What holds is the value of the last step: at this instant, or almost 20 ms before.
                _, utime, north, east, down = struct.unpack(">Qq3d", m.data)
                step = utime if m.subscription == route else utime - 19999
                if utime > 1001 and math.dist((north, east), (10 * math.cos(2e-6 * step),
                                                              10 * math.sin(2e-6 * step))) > 1e-9:
                    wrong.append([m.channel, utime, north, east])
                steps += 1
                continue
            print_, utime, *v = struct.unpack(">Qq6d", m.data)
            t = utime / 1e6
            near = max(abs(a - b) for a, b in zip(v, (t, 0, t * t, 1, 0, 2 * t)))
            if (print_ != STATE or utime != 1000 + 20000 * seen or m.sent_us != utime or near > 1e-12
                    or m.sequence != seen or m.sender != "lead" or m.delivered_us != utime + 5000):
                wrong.append([print_, utime, v, m.sequence])
            seen += 1
        if t_us == 300_000:
            client.send(order, t_us, struct.pack(">Qq3d", ORDER, t_us, 0, 0.25, 0))
    client.finish()
with os.fdopen(int(os.environ["TACTUS_REPORT_FD"]), "w") as f:
    json.dump({"seen": seen, "steps": steps, "wrong": wrong, "fingerprint": f"0x{STATE:016x}"}, f)
"""


def check(condition, *what):
    global wrong
    if not condition:
        wrong += 1
        print("wrong:", *what)


def write(name, text):
    path = os.path.join(folder.name, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def run(*args):
    done = subprocess.run([tactus, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=folder.name)
    return done.returncode, done.stdout, done.stderr


def federate(path, *options):
    code, out, err = run("federate", path, "--no-lcm", "--json", *options)
    check(code == 0, path, options, "exit code", code, err)
    return json.loads(out)


def test_values():
    write("view.py", VIEW)
    path = write("three.yaml", BASE + EXPECT + GROUPS)
    first = None
    for options in (["--transport", "unix"], ["--transport", "tcp"], ["--transport", "unix"],
                    ["--transport", "tcp", "--lookahead", "global"],
                    ["--transport", "unix", "--lookahead", "global"]):
        report = federate(path, *options)
        view = report["processes"]["view"]["report"]
        check(view["seen"] == 50 and view["steps"] == 100 and not view["wrong"], "what the program saw:", view)
        judged = report["processes"]["wing"]["report"]["expect"]
        check(len(judged) == 6 and all(one["result"] == "passed" for one in judged), "inputs:", judged)
        result = report["hash"], [process["trace"] for process in report["processes"].values()]
        first = first or result
        check(result == first, options, result, "instead of", first)
    # All signals of a component are the group that 'tactus info --lcm' shows.
    shown = re.search(r"channel leader\.Body, fingerprint (0x[0-9a-f]+)", run("info", path, "--lcm")[1])
    check(shown and shown[1] == view["fingerprint"], "fingerprint", shown and shown[1], view["fingerprint"])
    code, out, _ = run("check", path)
    check("publishes STATE: leader.Body.position, leader.Body.velocity every 20 ms" in out
          and "takes ORDER: follower.Pilot.target_velocity" in out, out)
    told = json.loads(run("check", path, "--json")[1])["federation"]["processes"]
    groups = [one for process in told for one in process.get("publish", [])]
    check({"channel": "STATE", "signals": ["leader.Body.position", "leader.Body.velocity"],
           "period_us": 20000, "offset_us": groups[0]["offset_us"]} in groups, groups)
    check({"channel": "ORDER", "inputs": ["follower.Pilot.target_velocity"]}
          in [one for process in told for one in process.get("subscribe", [])], told)


def two(publish=PUBLISH, subscribe=SUBSCRIBE, delay="3 ms", more=""):
    return (BASE + f"federation:\n  delay: {delay}\n  processes:\n    lead:\n      entities: leader\n"
            f"      {publish}\n    wing:\n      entities: follower\n      {subscribe}\n{more}")


def test_digests():
    hashes = {}
    for name, text in (("both", two()), ("none", two("", "")), ("late", two(delay="4 ms"))):
        report = federate(write(name + ".yaml", text))
        hashes[name] = [process["report"]["hash"] for process in report["processes"].values()]
    check(hashes["both"][0] == hashes["none"][0], "publishing changes the engine:", hashes)
    check(hashes["both"][1] != hashes["none"][1], "the follower hears nothing:", hashes)
    check(hashes["both"][1] != hashes["late"][1], "the follower does not steer on it:", hashes)
    # Far more messages on their way than there is room for values to come (64).
    report = federate(write("many.yaml", two(PUBLISH.replace("50 Hz", "1 kHz"), delay="500 ms")))
    check(report["messages"]["received"] == 1000, report["messages"])


def test_mistakes():
    def refused(text, *words, command="check"):
        code, out, err = run(command, write("bad.yaml", text), *(["--no-lcm"] if command == "federate" else []))
        check(code != 0 and all(word in err + out for word in words), words, "not in", out, err)

    refused(two(PUBLISH.replace("Body.velocity", "Body.velocty")), "no signal 'leader.Body.velocty'",
            "did you mean 'leader.Body.velocity'", "bad.yaml:30:57")
    refused(two(PUBLISH.replace("leader.Body.velocity", "follower.Body.velocity")), "another process", "'lead'")
    refused(two(subscribe=SUBSCRIBE.replace("Pilot.target_velocity", "Pilot.velocity")), "from: outside",
            "follower.Pilot.velocity")
    refused(two(subscribe=SUBSCRIBE.replace("Pilot.target,", "Pilot.targt,")), "no input 'targt'",
            "did you mean 'target'")
    refused(two(subscribe=SUBSCRIBE.replace("Pilot.target,", "Plot.target,")), "follower.Plot", "did you mean")
    refused(two(PUBLISH.replace(", rate: 50 Hz", "")), "rate")
    refused(two(PUBLISH.replace("rate:", "rat:")), "did you mean 'rate'")
    refused(two(PUBLISH.replace("STATE", 64 * "S")), "1 to 63 characters")
    refused(two(PUBLISH.replace("[leader.Body.position, leader.Body.velocity]", "[]")), "signals")
    refused(two("each: true\n      " + PUBLISH), "with 'each'")
    refused(two(more="    view: {command: [x], " + PUBLISH + "}\n"), "declares its channels itself")
    refused(two(more="  links: [{from: \"lead:STAT\", to: \"wing:STATE\"}]\n"), "no link between two processes")
    # Members of other names are another type.
    refused(two(subscribe="subscribe: {STATE: {inputs: [follower.Pilot.target, follower.Pilot.target_velocity]}}"),
            "'lead'", "'wing'", "tactus.STATE_t", command="federate")
    # So is a message whose sender did not say what it would be: both are named, when it comes.
    write("view.py", VIEW.replace('"ORDER", fingerprint=ORDER', '"ORDER"').replace('">Qq3d", ORDER,', '">Qq3d", 1,'))
    refused(BASE + GROUPS, "'view' on 'ORDER'", "0x0000000000000001", "need 0x", command="federate")


test_values()
test_digests()
test_mistakes()
sys.exit(wrong != 0)
