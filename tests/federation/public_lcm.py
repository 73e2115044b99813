#!/usr/bin/env python3
"""What a federation publishes on a network of LCM: a real lcm_t and Debian's lcm-logger hear it. In a
network namespace of its own; where that is not allowed, or LCM is not installed, it is skipped."""

import atexit
import json
import os
import signal
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ["TACTUS_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests/support"))
import lcm_c
import lcm_public

TACTUS = os.environ["TACTUS"]
PILOTS = os.path.join(SOURCE, "examples/federation/pilots.yaml")
FORMATION = os.path.join(SOURCE, "examples/formation.yaml")
URL = "udpm://239.255.76.67:7667?ttl=0"


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


if not lcm_c.available():
    sys.exit(77)
if len(sys.argv) == 1: # outside
    for tool in ("unshare", "ip", "mount"):
        if not shutil.which(tool):
            skip("there is no program " + tool)
    ways = [["unshare", "-n", "-m"], ["unshare", "-r", "-n", "-m"]]
    for way in ways:
        setup = "ip link set lo up && ip link set lo multicast on && ip route add 224.0.0.0/4 dev lo"
        if subprocess.run([*way, "sh", "-c", setup], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0:
            sys.exit(subprocess.run([*way, "sh", "-c", setup + ' && exec "$@"', "sh", sys.executable,
                                     __file__, "inside"]).returncode)
    skip("no network namespace can be made here")

work = tempfile.TemporaryDirectory(prefix="public_lcm.")
os.chdir(work.name)
os.environ["PILOT"] = os.path.join(os.environ["TACTUS_BUILD"], "tests/pilot/pilot")


def federate(config, *words):
    done = subprocess.run([TACTUS, "federate", config, "--json", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return json.loads(done.stdout), done.stderr


peer = lcm_public.compile_peer(PILOTS)
with open("heard", "w") as file:
    listener = subprocess.Popen([peer, "listen", URL], stdout=file, stderr=subprocess.PIPE, text=True)
atexit.register(listener.kill)
assert listener.stderr.readline() == "ready\n"
# Nothing that was started here outlives the test, however it ends.
logger = subprocess.Popen(["timeout", "-s", "INT", "100", "lcm-logger", "-q", "--lcm-url=" + URL, "--flush-interval=10", "logger.log"])
atexit.register(logger.terminate)
for _ in range(100): # it has made its file before it subscribes
    time.sleep(0.05)
    if os.path.exists("logger.log"):
        break
time.sleep(0.3)
# So short that all packets fit into what the system keeps for a receiver that is slow.
short = ["--duration", "100 ms"]
with_lcm, _ = federate(PILOTS, "--log", "run.log", *short)
assert listener.wait() == 0
time.sleep(0.3)
logger.send_signal(signal.SIGTERM) # timeout hands it on
logger.wait()

# The simulation is the same without.
without, _ = federate(PILOTS, "--no-lcm", *short)
assert with_lcm["hash"] == without["hash"]
messages = with_lcm["messages"]
lcm = with_lcm["lcm"]
assert lcm["url"] == URL and "refused" not in lcm
assert lcm["published"] + lcm["left_out"] == messages["received"] + messages["delivered"], lcm


def read_log(path):
    return lcm_public.pairs(subprocess.run([peer, "log", path], check=True, stdout=subprocess.PIPE,
                                           text=True).stdout.splitlines())


# What was heard is what the event log of the same run has. lcm-logger subscribes with a queue of 30
# messages and loses some of what comes at once.
logged = {e.told() for e in read_log("run.log")}
with open("heard") as file:
    heard = lcm_public.pairs(file)
for what, found in (("lcm_t", heard), ("lcm-logger", read_log("logger.log"))):
    print("%s heard %d of %d messages" % (what, len(found), len(logged)))
    told = {e.told() for e in found}
    assert told == logged if what == "lcm_t" else told and told <= logged, what
    numbers = [e.number for e in found]
    assert numbers == sorted(numbers), what
assert {"STATUS.left", "STATUS:right", "uav.Beacon.tx.uav"} <= {e.channel for e in heard}

# Debian's player plays the event log of a federation.
played = subprocess.run(["lcm-logplayer", "-s", "10", "-l", "file://%s/played.log?mode=w" % work.name,
                         "run.log"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
assert played.returncode == 0
assert {e.told() for e in read_log("played.log")} == logged

# A key keeps messages from others, unless these are asked for.
key = subprocess.run([TACTUS, "help", "serve"], stdout=subprocess.PIPE, text=True).stdout
assert "unless there is a key" in " ".join(key.split())

# Without a way to the network, or without liblcm, the run goes on.
subprocess.run(["ip", "route", "del", "224.0.0.0/4", "dev", "lo"], check=True)
plain, err = federate(FORMATION, "--duration", "1 s", "--set", "expect=~", "--no-lcm")
for words, told in (([], ""), (["--lcm", URL], "nothing is published with LCM: there is no way to")):
    report, err = federate(FORMATION, "--duration", "1 s", "--set", "expect=~", *words)
    assert report["hash"] == plain["hash"] and "Network is unreachable" in report["lcm"]["refused"]
    assert told in err and (err == "") == (told == ""), err
subprocess.run(["ip", "route", "add", "224.0.0.0/4", "dev", "lo"], check=True)
library = os.path.realpath(subprocess.run(
    "ldconfig -p | sed -n 's/.*liblcm.so.1 .*=> //p'", shell=True, stdout=subprocess.PIPE,
    text=True).stdout.strip() or "/nowhere")
if os.path.exists(library) and subprocess.run(["mount", "--bind", "/dev/null", library],
                                              stderr=subprocess.DEVNULL).returncode == 0:
    report, err = federate(FORMATION, "--duration", "1 s", "--set", "expect=~", "--lcm", URL)
    assert report["hash"] == plain["hash"]
    assert "its library cannot be loaded" in report["lcm"]["refused"], report["lcm"]
    assert "nothing is published with LCM: LCM is needed here" in err, err
else:
    print("not tested: a machine without liblcm")
