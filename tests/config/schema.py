#!/usr/bin/env python3
"""The JSON Schema that `tactus schema` writes, in the hands of a validator that is not ours: it takes
configurations that are fine, and refuses mistakes in them. Skipped without jsonschema and PyYAML."""
import copy
import glob
import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError:
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


class Loader(yaml.SafeLoader):
    """Numbers as YAML 1.2 has them: 1e-6 is one."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?e[-+]?[0-9]+$"),
                             list("-+0123456789"))

schema = json.loads(output("schema"), object_pairs_hook=once)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

# What extends another file is whole only as it was resolved.
written = os.path.join(SOURCE, "tests/cli/data/phases.yaml")
documents = {written: yaml.load(open(written), Loader)}
# Expressions of variables where numbers and times are expected.
documents["expressions"] = dict(documents[written], duration="${= 2 * 3} s", world={"latitude": "${= 90 / 2}"})
large = os.path.join(SOURCE, "examples/swarm_large.yaml")
for path in [written, *sorted(glob.glob(os.path.join(SOURCE, "examples/*.yaml")))]:
    documents[path + " (resolved)"] = yaml.load(
        output("info", path, "--resolved", *(["--set", "entities.uav.count=3"] if path == large else [])), Loader)
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

# At the root: a strategy alone, or the phases of an entity.
for phases in [{"strategy": "gate"}, {**booster(documents[written]), "entity": "booster", "strategy": "skip"}]:
    document = copy.deepcopy(documents[written])
    document["phases"] = phases
    for error in validator.iter_errors(document):
        fail(f"phases at the root: {error.message[:200]}")

sys.exit(failures > 0)
