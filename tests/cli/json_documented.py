#!/usr/bin/env python3
"""Every member of the JSON that commands print is in docs/json.md, in the section of the command or
in a page to which that section leads."""
import json
import os
import re
import subprocess
import sys
import tempfile

tactus, source = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
docs = os.path.join(source, "docs")
page = open(os.path.join(docs, "json.md")).read()
sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.M | re.S))
FREE = {"digests", "patterns", "max_errors"}  # objects whose keys are names of the simulation
NAMED = {"processes"}  # the same, of objects


def words(text):
    found = set()
    for quoted in re.findall(r"`([^`\n]+)`", text):
        found.update(re.findall(r"\w+", quoted))
    return found | set(re.findall(r'"(\w+)"', text))


def documented(name):
    text = sections[name] + sections["Errors"]
    for other in re.findall(r"\]\(#(\w+)\)", sections[name]):
        text += sections[other]
    for link in re.findall(r"\]\((\w+\.md)\)", text):
        text += open(os.path.join(docs, link)).read()
    return words(text)


def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key in NAMED and isinstance(inner, dict):
                inner = list(inner.values())
            if key not in FREE:
                yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def main():
    wrong = 0
    os.chdir(tempfile.mkdtemp())

    def example(name):
        return os.path.join(source, "examples", name + ".yaml")

    small = os.path.join(source, "tests", "cli", "data", "small.yaml")
    links = os.path.join(source, "tests", "cli", "data", "links.yaml")
    for name, seed in (("a", "1"), ("b", "2")):
        subprocess.run([tactus, "run", small, "-q", "--seed", seed, "-o", name + ".mcap"], check=True)
    calls = [
        ["check", example("rocket")],
        ["check", example("formation")],
        ["check", os.path.join(source, "README.md")],
        ["run", "-q", example("hexa_motor_out")],
        ["run", "-q", example("rocket_ascent")],
        ["run", "-q", example("orbit")],
        ["run", "-q", small, "-o", "c.mcap"],
        ["run", "-q", links],
        ["federate", "-q", example("formation")],
        ["federate", "-q", small],
        ["serve", "-q", small],
        ["join", "tcp://127.0.0.1:1", small, "-q", "--name", "a", "--patience", "1 ms"],
        ["replay", "a.mcap"],
        ["replay", "a.mcap", "--integrator", "rk4,euler"],
        ["compare", "a.mcap", "b.mcap"],
        ["hash", "a.mcap", "--list"],
        ["hash", "a.mcap", "*"],
        ["export", "a.mcap", "-o", "a.csv"],
        ["recover", "a.mcap", "-o", "d.mcap"],
        ["explain", example("rocket")],
        ["explain", example("rates")],
        ["explain", links],
        ["sensitivity", small, "--of", "t", "--when", "mass.position < 0.9 m", "--to", "mass.mass"],
        ["info"],
        ["info", example("rocket")],
        ["info", "a.mcap"],
        ["help", "multirotor"],
        ["trim", example("iris_hover")],
        ["linearize", example("iris_hover")],
        ["graph", example("orbit"), "--jacobian"],
        ["graph", example("orbit"), "--check"],
        ["graph", example("orbit"), "--pattern", "json"],
        ["graph", example("iris_hover"), "--emit", "json"],
        ["optimize", example("iris_minimum_time")],
    ]
    # A server and its clients, which run at the same time.
    at, pair = "unix://socket", os.path.join(source, "tests", "cli", "data", "pair.yaml")
    calls += [["serve", "-q", pair, "--address", at]]
    calls += [["join", "-q", at, pair, "--name", name] for name in ("left", "right")]

    def begin(call):
        return subprocess.Popen([tactus] + call + ["--json"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)

    together = [begin(call) for call in calls[-3:]]
    started = [None] * (len(calls) - len(together)) + together
    for call, process in zip(calls, started):
        printed = (process or begin(call)).communicate()[0]
        lost = sorted(set(keys(json.loads(printed))) - documented(call[0]))
        if lost:
            print(" ".join(["tactus"] + call), "prints what docs/json.md does not have:", *lost)
            wrong += 1
    if any(process.returncode for process in together):
        print("tactus serve and its clients failed")
        wrong += 1
    listed = subprocess.run([tactus, "help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    for command in re.findall(r"^  (\w+) +[A-Z]", listed.split("options:")[0], re.M):
        text = subprocess.run([tactus, "help", command], stdout=subprocess.PIPE).stdout.decode()
        if "--json" in text and command not in sections:
            print("docs/json.md has no section about", command)
            wrong += 1
    sys.exit(wrong > 0)


main()
