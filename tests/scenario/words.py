#!/usr/bin/env python3
"""The words of scenarios (actions, sensors and their faults) in `tactus help`, in the JSON Schema and in
the documents are those of the program's tables: all of them, and no others."""
import json
import os
import re
import subprocess
import sys

TACTUS, SOURCE = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
failures = 0


def same(what, found, expected):
    global failures
    if set(found) != set(expected):
        print(f"FAILED: {what}: {sorted(found)}, expected {sorted(expected)}")
        failures += 1


def tell(*arguments):
    return subprocess.run([TACTUS, *arguments], check=True, capture_output=True, text=True).stdout


def read(name):
    with open(os.path.join(SOURCE, "docs", name), encoding="utf-8") as f:
        return f.read()


def words(text):
    return re.findall(r"`(\w+)`", text)


# The first columns of the table of a document whose heading begins with "| FIRST |".
def column(text, first):
    table = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M).group(1)
    return [word for row in table.splitlines() for word in words(row.split("|")[1])]


events = json.loads(tell("schema"))["$defs"]["params_scenario.events."]["properties"]
actions = events["do"]["anyOf"][0]["enum"]
sensors = [name for name in events["sensor"]["anyOf"][0]["enum"] if name != "none"]
faults = events["fault"]["anyOf"][0]["enum"]

text = tell("help", "scenario")
for key, expected in (("do", actions), ("sensor", ["none"] + sensors), ("fault", faults)):
    choices = re.search(rf"^ +{key} .*one of ([^,)]*)", text, re.M).group(1)
    same(f"tactus help, {key}", choices.split(" | "), expected)
same("outputs of a scenario", re.findall(r"^  (\w+)_fault ", text, re.M), sensors)

scenario, document = read("scenario.md"), read("faults.md")
same("docs/scenario.md, table of actions", column(scenario, "`do`"), actions)
row = re.search(r"^\| `sensor_fault` \|[^|]*\|(.*)\|$", scenario, re.M).group(1)
same("docs/scenario.md, sensor_fault", words(row), sensors + [f for f in faults if f != "none"])
row = re.search(r"^\| `X_fault`, for X each of ([^|]*) \| enum ([^|]*) \|", scenario, re.M)
same("docs/scenario.md, sensors with outputs", row.group(1).split(", "), sensors)
same("docs/scenario.md, labels of faults", row.group(2).split(", "), faults)
same("docs/faults.md, table of faults", column(document, "`fault`"), faults)
same("docs/faults.md, outputs", re.findall(r"`(\w+)_fault`", document), sensors)
sys.exit(failures != 0)
