"""Pipes with names never block a command for ever; what killed commands have left is removed, and
nothing else; commands whose libraries may end the process run in a helper."""
import fcntl
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

tactus = os.environ["TACTUS"]
source = os.environ["TACTUS_SOURCE"]
data = os.path.join(source, "tests/cli/data")
small = os.path.join(data, "small.yaml")
work = tempfile.mkdtemp()
os.chdir(work)
text = open(small).read()


def run(*args, **more):
    return subprocess.run([tactus, *args], capture_output=True, text=True, timeout=120, **more)


def shell(command):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, T=tactus, F=small))


# --- pipes --------------------------------------------------------------------------------------

os.mkfifo("pipe")
start = time.monotonic()
late = subprocess.Popen(["bash", "-c", "(sleep 12; cat $F) | $T check -"], stdout=subprocess.PIPE, text=True,
                        env=dict(os.environ, T=tactus, F=small))
alone = []
for i, args in enumerate((["check", "P"], ["info", "P"], ["join", "127.0.0.1:1", small, "--name", "x", "--key", "P"],
                          ["explain", small, "-o", "P"], ["run", small, "-q", "--csv", "P"],
                          ["run", small, "-q", "--set", "name=x", "--out", "P"])):
    pipe = f"alone{i}"
    os.mkfifo(pipe)
    alone.append((args, subprocess.Popen([tactus, *[pipe if a == "P" else a for a in args]], stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)))
for args, job in alone:
    out, err = job.communicate(timeout=60)
    assert job.returncode == 3, (args, job.returncode, err)
    who = "reads it" if args[0] in ("explain", "run") else "writes to it"
    assert re.search(f"'alone.': it is a pipe, and no program {who}; waited 10 s", err), (args, err)
for i in range(len(alone)):
    os.remove(f"alone{i}")
print("alone: %.1f s" % (time.monotonic() - start))

# With a program at the other end they work, also where that comes later.
writer = threading.Timer(1, lambda: open("pipe", "w").write(text))
writer.start()
assert run("check", "pipe").returncode == 0
read = []
reader = threading.Timer(1, lambda: read.append(open("pipe").read()))
reader.start()
assert run("explain", small, "-o", "pipe").returncode == 0
reader.join()
assert read[0] == run("explain", small).stdout
for command in ('$T check <(cat $F)', '$T check <(sleep 2; cat $F)', 'cat $F | $T check -', 'cat $F | $T check /dev/stdin',
                '$T check - < $F'):
    done = shell(command)
    assert done.returncode == 0 and "fine" in done.stdout, (command, done)
assert "fine" in late.communicate(timeout=60)[0] # a program that takes its time is at the other end
start = time.monotonic()
done = shell("$T check <(true)")
assert done.returncode == 2 and "there is nothing in it" in done.stderr, done
assert time.monotonic() - start < 8 # a pipe without a name: nobody can come to it
whole = run("explain", small).stdout
for command in ('$T explain $F -o >(cat) | cat', '$T explain $F -o /dev/stdout', '$T explain $F -o -',
                '$T explain $F -o /dev/stdout | cat', '$T explain $F -o /dev/fd/1 | cat'):
    done = shell(command)
    assert done.returncode == 0 and done.stdout == whole, (command, done)

# --- temporary files ----------------------------------------------------------------------------

names = ["x.csv.tmp-AbC123", "x.csv.tmp-zzzzzz", "x.csv.tmp-AbC12", "x.csv.tmp-AbC1234", "y.csv.tmp-AbC123",
         "x.csv.tmp-AbC12.", "ax.csv.tmp-AbC123", "x.csv"]
for name in names:
    open(name, "w").close()
os.mkdir("x.csv.tmp-folder")
os.symlink("y.csv.tmp-AbC123", "x.csv.tmp-link00")
busy = open("x.csv.tmp-zzzzzz")
fcntl.flock(busy, fcntl.LOCK_EX | fcntl.LOCK_NB)
os.remove("x.csv")
assert run("run", small, "-q", "--csv", "x.csv").returncode == 0
left = sorted(os.listdir("."))
expected = sorted([*names[1:], "pipe", "x.csv.tmp-folder", "x.csv.tmp-link00"])
assert left == expected, (left, expected)

# --- folders ------------------------------------------------------------------------------------

place = os.path.join(work, "t")
os.mkdir(place)
environment = dict(os.environ, TMPDIR=place)
assert run("run", small, "-q", "--out", "a.mcap").returncode == 0


def folder(name, lock, mode=0o700):
    path = os.path.join(place, name)
    os.mkdir(path, mode)
    open(os.path.join(path, "config.yaml"), "w").close()
    if lock:
        return open(os.path.join(path, ".tactus-lock"), "w")


folder("tactus-AbCdEf", True).close()        # left
held = folder("tactus-GhIjKl", True)         # in use
fcntl.flock(held, fcntl.LOCK_SH)
folder("tactus-mine", False)                 # somebody's own
folder("other-AbCdEf", True).close()
folder("tactus-open00", True, 0o755).close()  # not made by tactus
os.symlink("/", os.path.join(place, "tactus-link00"))
assert run("replay", "a.mcap", "-q", env=environment).returncode == 0
assert sorted(os.listdir(place)) == ["other-AbCdEf", "tactus-GhIjKl", "tactus-link00", "tactus-mine",
                                     "tactus-open00"], os.listdir(place)
held.close()

# What a killed replay leaves goes with the next one.
job = subprocess.Popen([tactus, "replay", "a.mcap", "--out", "pipe2.mcap", "-q"], env=environment)
deadline = time.monotonic() + 20
while time.monotonic() < deadline and not any(
        n.startswith("tactus-") and n[7:] not in ("GhIjKl", "link00", "mine", "open00") for n in os.listdir(place)):
    if job.poll() is not None:
        break
job.kill()
job.wait()
assert run("replay", "a.mcap", "-q", env=environment).returncode == 0
assert sorted(os.listdir(place)) == ["other-AbCdEf", "tactus-link00", "tactus-mine", "tactus-open00"], os.listdir(place)

# So does what a killed federation leaves: a folder with a socket.
before = set(os.listdir(place))
job = subprocess.Popen([tactus, "federate", os.path.join(source, "examples/formation.yaml"), "--transport", "unix"],
                       env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
made = set()
while not made and job.poll() is None:
    made = {n for n in os.listdir(place) if n not in before and os.path.exists(os.path.join(place, n, ".tactus-lock"))}
job.kill()
job.wait()
assert made and set(os.listdir(place)) > before
assert run("replay", "a.mcap", "-q", env=environment).returncode == 0
assert set(os.listdir(place)) == before, os.listdir(place)

# --- helpers ------------------------------------------------------------------------------------

if "sanitizer" in run("info").stdout:
    sys.exit(0)
rocket = os.path.join(source, "examples/goddard.yaml")
slow = os.path.join(source, "examples/iris_minimum_time.yaml")
done = run("optimize", rocket)
has_ipopt = "IPOPT is needed" not in done.stderr
has_hdf5 = run("export", "a.mcap", "-o", "a.h5").returncode == 0
library = os.path.join(work, "starve.so")
if subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", os.path.join(data, "starve.c"),
                   "-o", library]).returncode:
    library = None


def starve(n, *args):
    return run(*args, env=dict(os.environ, LD_PRELOAD=library, STARVE_AT=str(n)))


for args, there, points in ((["optimize", rocket], has_ipopt, (1, 20, 400, 1600, 3200, 4800, 9600, 20000)),
                            (["export", "a.mcap", "-o", "b.h5"], has_hdf5, (1, 50, 200, 600, 1200, 2000))):
    for n in points if there and library else ():
        done = starve(n, *args)
        assert done.returncode in (0, 3), (args, n, done)
        assert done.returncode == 0 or ("memory" in done.stderr and not done.stdout), (args, n, done)
        assert not [f for f in os.listdir(".") if f.startswith("b.h5.")], (n, os.listdir("."))
        if args[0] == "optimize":
            assert done.returncode == 3, (args, n, done) # it asks for many more


def helper_of(job):
    for _ in range(3000):
        try:
            children = open(f"/proc/{job.pid}/task/{job.pid}/children").read().split()
        except OSError:
            return None
        if children and b"_helper" in open(f"/proc/{children[0]}/cmdline", "rb").read():
            time.sleep(0.1)
            return int(children[0])
        time.sleep(0.01)


def start(*args):
    job = subprocess.Popen([tactus, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
    return job, helper_of(job)


def gone(pid):
    for _ in range(3000):
        try:
            if open(f"/proc/{pid}/stat").read().split(")")[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


if has_ipopt:
    for number, name in ((signal.SIGSEGV, "SIGSEGV"), (signal.SIGKILL, "SIGKILL"), (signal.SIGINT, "SIGINT")):
        job, helper = start("optimize", slow, "--json")
        os.kill(helper, number)
        out, err = job.communicate(timeout=60)
        assert job.returncode == 3, (name, job.returncode, err)
        assert f"the helper process of 'optimize' was ended by signal {int(number)} ({name})" in err, err
        assert '"TAC_E_LIBRARY"' in out and out.count("{") == out.count("}"), out
    for group in (True, False): # Ctrl-C reaches both; a signal to the first copy ends the helper, too
        job, helper = start("optimize", slow)
        (os.killpg if group else os.kill)(job.pid, signal.SIGINT if group else signal.SIGTERM)
        out, err = job.communicate(timeout=60)
        assert job.returncode == (-signal.SIGINT if group else -signal.SIGTERM), (job.returncode, err)
        assert gone(helper)
    # Files, --output, errors, and mistakes are those of the command itself.
    done = run("optimize", rocket, "--trajectory", "t.csv", "-o", "report.txt")
    assert done.returncode == 0 and not done.stdout, done
    assert "solved" in open("report.txt").read() and os.path.getsize("t.csv") > 1000
    assert shell(f'$T optimize <(cat {rocket})').returncode == 0
done = run("optimize", "nothing.yaml", "--json")
assert done.returncode == 3 and '"TAC_E_FILE"' in done.stdout, done
open("bad.yaml", "w").write("duraton: 1 s\nx: 1\n")
done = run("optimize", "bad.yaml")
assert done.returncode == 2 and "bad.yaml:1:1" in done.stderr and "bad.yaml:2:1" in done.stderr, done
for args in (["_helper"], ["_helper", "1", "check", small], ["_helper", "9", "check", small]):
    assert run(*args).returncode == 2
os.chdir("/")
subprocess.run(["rm", "-r", work], check=True)
