"""Every command without memory: the n-th request fails, with --all for every n. No crash, nothing said
with exit code 0 that is not the whole of it, no file that is not whole, nothing left behind without a
word."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

tactus = os.environ["TACTUS"]
source = os.environ["TACTUS_SOURCE"]
data = os.path.join(source, "tests/cli/data")
small = os.path.join(data, "small.yaml")
every = "--all" in sys.argv  # every n of every command: some minutes

# Commands, and the files that they write.
commands = [
    (["--version"], []),
    (["help"], []),
    (["help", "run"], []),
    (["help", "multirotor"], []),
    (["help", "equations", "--json"], []),
    (["info"], []),
    (["info", "--json"], []),
    (["schema"], []),
    (["check", small], []),
    (["check", small, "--json"], []),
    (["info", small], []),
    (["info", small, "--resolved"], []),
    (["explain", small], []),
    (["explain", small, "--json", "-o", "x.json"], ["x.json"]),
    (["explain", small, "--svg"], []),
    (["explain", small, "--dot"], []),
    (["check", os.path.join(data, "phases.yaml")], []),
    (["explain", os.path.join(data, "phases.yaml"), "--phases"], []),
    (["run", small], []),
    (["run", small, "-q", "--json", "--digest", "mass*"], []),
    (["run", small, "-q", "--out", "x.mcap", "--csv", "x.csv", "--checkpoint-at", "0.5s",
      "--checkpoint", "x"], ["x.mcap", "x.csv", "x"]),
    (["run", small, "-q", "--from", "state"], []),
    (["info", "state"], []),
    (["info", "a.mcap"], []),
    (["info", "a.mcap", "--json"], []),
    (["info", "a.mcap", "--resolved"], []),
    (["hash", "a.mcap"], []),
    (["compare", "a.mcap", "b.mcap"], []),
    (["compare", "a.mcap", "b.mcap", "--json"], []),
    (["export", "a.mcap", "-o", "x.csv"], ["x.csv"]),
    (["export", "a.mcap", "--format", "csv", "-o", "-"], []),
    (["export", "a.mcap", "-o", "x.ulg"], ["x.ulg"]),
    (["export", "a.mcap", "-o", "x.lcm"], ["x.lcm", "x.types.lcm"]),
    (["recover", "a.mcap", "-o", "x.mcap"], ["x.mcap"]),
    (["replay", "a.mcap"], []),
    (["replay", "a.mcap", "--integrator", "rk4,rk45", "--reference", "tight", "--json"], []),
    (["replay", "a.mcap", "-q", "--out", "x.mcap"], ["x.mcap"]),
]


def run(args, folder, n=0, after=False):
    env = dict(os.environ, LD_PRELOAD=library, STARVE_COUNT=os.path.join(folder, "count"))
    env["TMPDIR"] = folder
    if n:
        env["STARVE_AT"] = str(n)
    if after:
        env["STARVE_AFTER"] = "1"
    try:
        done = subprocess.run([tactus, *args], cwd=folder, env=env, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, b"", b""
    # What it took by the wall clock differs from run to run.
    output = re.sub(rb'(wall time +|"wall_s": |"realtime_factor": |"prepare_s": |"peak_bytes": |'
                    rb'as recorded +|tight[^\n]* +|rk4 +|rk45 +)[^\n]*', b"", done.stdout)
    return done.returncode, output, done.stderr


def read(path):
    with open(path, "rb") as file:
        return file.read()


def trouble(command, usual, reference, files, given, n, after):
    args, outputs = command
    with tempfile.TemporaryDirectory(dir=work) as folder:
        for name in given:
            os.link(os.path.join(work, name), os.path.join(folder, name))
        code, output, error = run(args, folder, n, after)
        if code is None:
            return "does not return"
        if code < 0:
            return "killed by signal %d" % -code
        # A command that fails anyhow tells of the lack of memory besides.
        if code == usual and output != reference and (code == 0 or b"memory" not in error):
            return "exit code %d, but its output is not the whole" % code
        if code == usual and any(not os.path.exists(os.path.join(folder, name)) or
                             read(os.path.join(folder, name)) != files[name] for name in outputs):
            return "exit code %d, but its files are not whole" % code
        if code not in (usual, 3):
            return "exit code %d: %s" % (code, error.decode(errors="replace").split("\n")[0])
        if code == 3 and not error.strip():
            return "says nothing"
        left = [name for name in os.listdir(folder)
                if name not in [*given, *outputs, "count"] and name not in error.decode()]
        return "left behind: %s" % left if left else None


def attack(pool, command):
    args, outputs = command
    given = ["a.mcap", "b.mcap", "state"]
    with tempfile.TemporaryDirectory(dir=work) as folder:
        for name in given:
            os.link(os.path.join(work, name), os.path.join(folder, name))
        usual, reference, error = run(args, folder)
        if usual not in (0, 1):
            print("FAILED: tactus %s: exit code %s: %s" % (" ".join(args), usual, error))
            return 1
        count = int(read(os.path.join(folder, "count")))
        files = {name: read(os.path.join(folder, name)) for name in outputs}
    # Many commands begin alike, by reading a configuration or a recording: the last requests are
    # their own.
    step = 1 if every else 1 + count // 20
    chosen = [(n, False) for n in range(1, count + 1) if n % step == 0 or n > count - 12]
    chosen += [(n, True) for n in range(1, count + 1, 1 if every else 1 + count // 4)]
    failures = 0
    jobs = [(n, after, pool.submit(trouble, command, usual, reference, files, given, n, after))
            for n, after in chosen]
    for n, after, job in jobs:
        what = job.result()
        if what:
            failures += 1
            print("FAILED: tactus %s: request %d%s of %d: %s" %
                  (" ".join(args), n, " and later" if after else "", count, what))
    return failures


if "sanitizer" in subprocess.run([tactus, "info"], capture_output=True, text=True).stdout:
    sys.exit(77)  # has an allocator of its own
work = tempfile.mkdtemp()
library = os.path.join(work, "starve.so")
failures = 0
try:
    if subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC",
                       os.path.join(data, "starve.c"), "-o", library]).returncode:
        sys.exit(77)  # no compiler, or another C library
    subprocess.run([tactus, "run", small, "-q", "--out", os.path.join(work, "a.mcap"),
                    "--checkpoint-at", "0.5s", "--checkpoint", os.path.join(work, "state")],
                   check=True)
    subprocess.run([tactus, "run", small, "-q", "--out", os.path.join(work, "b.mcap"),
                    "--seed", "4"], check=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for command in commands:
            failures += attack(pool, command)
finally:
    shutil.rmtree(work)
if failures:
    print(failures, "failed")
sys.exit(failures > 0)
