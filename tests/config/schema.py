#!/usr/bin/env python3
"""The JSON Schema that `tactus schema` writes, in the hands of a validator that is not ours: it takes
configurations that are fine, and refuses mistakes in them. Files are read as YAML 1.2. Skipped
without jsonschema and ruamel.yaml."""
import copy
import glob
import json
import os
import subprocess
import sys

try:
    import jsonschema
    import ruamel.yaml
except ImportError:
    # Debian's packages are for Debian's Python.
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("no jsonschema or ruamel.yaml here")
    sys.exit(77)

TACTUS, SOURCE = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def once(pairs):
    """An object in which no key comes twice."""
    keys = [key for key, _ in pairs]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        fail(f"keys that come twice: {twice}")
    return dict(pairs)


def output(*args):
    return subprocess.run([TACTUS, *args], check=True, capture_output=True, text=True).stdout


def load(text):
    """As YAML 1.2: 1e-6 is a number, on and off are texts."""
    yaml = ruamel.yaml.YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    return yaml.load(text)


def read(path):
    with open(path) as file:
        return load(file.read())


schema = json.loads(output("schema"), object_pairs_hook=once)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

# As they were written: whole ones, those that extend others, those that others extend, overlays of
# components without a type; and as they were resolved.
written = os.path.join(SOURCE, "tests/cli/data/phases.yaml")
linked = os.path.join(SOURCE, "tests/cli/data/links.yaml")
documents = {written: read(written), linked: read(linked)}
files = sorted(glob.glob(os.path.join(SOURCE, "examples/**/*.yaml"), recursive=True))
if len(files) < 20:
    fail(f"only {len(files)} files in examples/")
for path in files:
    documents[path] = read(path)
# Expressions of variables where numbers and times are expected.
documents["expressions"] = dict(documents[written], duration="${= 2 * 3} s", world={"latitude": "${= 90 / 2}"})
large = os.path.join(SOURCE, "examples/swarm_large.yaml")
for path in [written, *sorted(glob.glob(os.path.join(SOURCE, "examples/*.yaml")))]:
    documents[path + " (resolved)"] = load(
        output("info", path, "--resolved", *(["--set", "entities.uav.count=3"] if path == large else [])))
for name, document in documents.items():
    for error in validator.iter_errors(document):
        fail(f"{name}: {error.json_path}: {error.message[:200]}")


def refused(what, change):
    document = copy.deepcopy(documents[written])
    change(document)
    if validator.is_valid(document):
        fail(f"{what} is taken")


def booster(document):
    return document["entities"]["booster"]["phases"]


refused("an unknown key of phases", lambda d: booster(d).update(nmaes=["A"]))
refused("phases without names", lambda d: booster(d).pop("names"))
refused("a transition without a condition", lambda d: booster(d)["transitions"][0].pop("condition"))
refused("an unknown key of an action",
        lambda d: booster(d)["transitions"][0]["actions"][0].update(rest="x"))
refused("an unknown level", lambda d: booster(d)["transitions"][0]["actions"][1].update(level="loud"))
refused("a strategy of an entity", lambda d: booster(d).update(strategy="gate"))
refused("an unknown strategy", lambda d: d.update(phases={"strategy": "fast"}))
refused("an unknown key of phases at the root", lambda d: d.update(phases={"strateg": "gate"}))
refused("something else than zero and hold",
        lambda d: d["entities"]["booster"]["components"]["Fuel"].update(inactive="none"))



def mistake(what, text, path, valid=False):
    """A change of one place of an example: refused."""
    document = copy.deepcopy(documents[os.path.join(SOURCE, "examples", path)])
    exec(text, {"d": document})
    if validator.is_valid(document) != valid:
        fail(f"{what} is {'refused' if valid else 'taken'}")


uav = "d['entities']['uav']"
for what, text, path in [
    ("an unknown key", "d['duratoin'] = '1 s'", "sensors.yaml"),
    ("an unknown type", "d['components']['imu']['type'] = 'inu'", "sensors.yaml"),
    ("an unknown type in an entity", "d['entities']['rocket']['components']['body']['type'] = 'bdy'",
     "rocket.yaml"),
    ("an unknown type in a file that extends one", uav + "['components']['wind']['type'] = 'wnd'",
     "iris_mission.yaml"),
    ("an unknown parameter", "d['components']['baro']['params']['dely'] = '20 ms'", "sensors.yaml"),
    ("a parameter of another type", "d['components']['baro']['params']['earth'] = [1, 2, 3]",
     "sensors.yaml"),
    ("an unknown input", "d['components']['baro']['inputs']['presure'] = 'a.b'", "sensors.yaml"),
    ("a missing input", "d['components']['baro']['inputs'].pop('pressure')", "sensors.yaml"),
    ("a missing parameter", "d['components']['vehicle']['params'].pop('mass')", "sensors.yaml"),
    ("a missing parameter in a list", "d['components']['vehicle']['params']['rotors'][0].pop('position')",
     "sensors.yaml"),
    ("an unknown choice", "d['components']['wind']['params']['kind'] = 'drydn'", "sensors.yaml"),
    ("a number out of range", "d['components']['vehicle']['params']['mass'] = -1", "sensors.yaml"),
    ("a text for a number", "d['components']['vehicle']['params']['mass'] = 'heavy'", "sensors.yaml"),
    ("an unknown key of an overlay", uav + "['components']['wind']['parms'] = {}", "iris_mission.yaml"),
    ("an overlay with a parameter that no type has",
     uav + "['components']['wind']['params']['knd'] = 'ou'", "iris_mission.yaml"),
    ("an overlay with parameters of two types",
     uav + "['components']['wind']['params']['mission'] = 'a'", "iris_mission.yaml"),
    ("a duration without unit", "d['duration'] = 10", "sensors.yaml"),
    ("on for a bool, which is a text in YAML 1.2",
     "d['components']['vehicle']['params']['hover'] = 'on'", "sensors.yaml"),
    ("an unknown action", "d['scenario'][0]['do'] = 'amr'", "iris_mission.yaml"),
    ("an unknown integrator", "d.setdefault('plant', {})['integrator'] = {'kind': 'rk5'}", "sensors.yaml"),
    ("an unknown policy", "d['scheduler']['synchronization'] = {'default_policy': 'ZHO'}", "sensors.yaml"),
]:
    mistake(what, text, path)
for what, text, path in [
    ("a type of a plugin", "d['plugins'] = ['a.so']; d['components']['x'] = {'type': 'mine', 'params': {'a': 1}}",
     "sensors.yaml"),
    ("an overlay of inputs", uav + "['components']['anything'] = {'inputs': {'a': 'b.c'}}", "iris_mission.yaml"),
    ("a parameter that is removed", uav + "['components']['vehicle'] = {'params': {'mass': None}}",
     "iris_mission.yaml"),
    ("an overlay of a part of a map", uav + "['components']['vehicle'] = {'params': {'motor': {'kv': '900 rpm/V'}}}",
     "iris_mission.yaml"),
]:
    mistake(what, text, path, valid=True)


# Laws of links.
for law in [{"delay": {"unifrom": ["1 ms", "2 ms"]}}, {"delay": {"uniform": ["1 ms"]}},
            {"delay": {"normal": {"mean": "5 ms", "min": "1 ms"}}}, {"delay": "fast"}, {"loss": 1.5},
            {"loss": "much"}, {"duplicate": -1}, {"down": ["1 s", "2 s"]}, {"down": [["1 s"]]}]:
    document = copy.deepcopy(documents[linked])
    document["links"][0].update(law)
    if validator.is_valid(document):
        fail(f"{law} is taken")


# For editors: each key and each type is described, and choices are listed.
def undescribed(node, path):
    for key, value in (node.get("properties") or {}).items():
        if key != "extends" and "description" not in value:
            yield f"{path}.{key}"


for name, definition in schema["$defs"].items():
    if "description" not in definition:
        fail(f"{name} has no description")
    for key in undescribed(definition, name):
        fail(f"{key} has no description")
choices = schema["$defs"]["tactus"]["properties"]["components"]["additionalProperties"]["properties"]["type"]["anyOf"]
types = {choice["const"]: choice["description"] for choice in choices if "const" in choice}
for name in "multirotor", "gps", "equations", "px4":
    if not types.get(name):
        fail(f"type {name} is not offered with a description")
kinds = schema["$defs"]["params_wind"]["properties"]["kind"]["anyOf"][0]["enum"]
if "dryden" not in kinds:
    fail("kinds of wind are not offered")

# At the root: a strategy alone, or the phases of an entity.
for phases in [{"strategy": "gate"}, {**booster(documents[written]), "entity": "booster", "strategy": "skip"}]:
    document = copy.deepcopy(documents[written])
    document["phases"] = phases
    for error in validator.iter_errors(document):
        fail(f"phases at the root: {error.message[:200]}")

sys.exit(failures > 0)
