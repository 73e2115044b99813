#!/usr/bin/env python3
"""What programs of a federation hand in and write: reports are read as JSON and stand under their names,
standard output is shown with the name in front and never taken for more, and neither costs memory."""
import json
import os
import subprocess
import sys
import tempfile
import time

tactus, source = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
wrong = 0
MIB = 1 << 20

PROGRAM = """
import os, sys, time
sys.path.insert(0, %r)
from tactus_client import Client
with Client() as client:
    client.join()
    for t_us in range(0, 100_000, 1000):
        if not client.poll(t_us):
            break
    client.finish()
hand_in = os.fdopen(int(os.environ["TACTUS_REPORT_FD"]), "wb")
""" % os.path.join(source, "examples", "federation")


def check(condition, *what):
    global wrong
    if not condition:
        wrong += 1
        print("wrong:", *(str(part)[:600] for part in what))


def federate(program, *options, name="viewer"):
    """Exit code, standard output, standard error, seconds and memory of a federation of one program."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.py"), "w") as f:
            f.write(PROGRAM + program)
        path = os.path.join(folder, "one.yaml")
        with open(path, "w") as f:
            f.write("name: one\nduration: 10 ms\nfederation:\n  delay: 2 ms\n  timeout: 20 s\n"
                    "  processes:\n    %s: {command: [python3, program.py]}\n" % name)
        before = time.monotonic()
        with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
            process = subprocess.Popen([tactus, "federate", path, "--no-lcm", *options], stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            took_s = time.monotonic() - before
            out.seek(0)
            err.seek(0)
            return process.returncode, out.read(), err.read(), took_s, usage.ru_maxrss * 1024


def test_good():
    for text, value in ((b'{"seen": 3,\n  "note": "a\\n  b",\t"list": [1,\r\n 2.5e3, null]}\n',
                         {"seen": 3, "note": "a\n  b", "list": [1, 2500, None]}),
                        (b"{}", {}), (b"[1, 2]", [1, 2]), (b"  7\n", 7), (b'"text"', "text"),
                        (b'{"hash": "0", "processes": 1}', {"hash": "0", "processes": 1})):
        code, out, err, _, _ = federate("hand_in.write(%r)" % text, "--json")
        report = json.loads(out)
        check(code == 0, "exit code", code, "of", text, err)
        check(report["processes"]["viewer"].get("report") == value, text, "became", report["processes"])
        check(report.get("hash") != "0", "the hash was overwritten")


def test_none():
    for program in ("", "hand_in.close()", "hand_in.write(b'')"):
        code, out, err, _, _ = federate(program, "--json")
        check(code == 0, "exit code", code, "without a report", err)
        viewer = json.loads(out)["processes"]["viewer"]
        check("report" not in viewer and "report_error" not in viewer, viewer)


def test_bad():
    for text, why in ((b'{"a": 1}, "hash": "0", {"b": 2}', "expected"), (b"{", ""), (b"{'a': 1}", ""),
                      (b'{"a": 1, "a": 2}', "'a' stands here twice"), (b'{"a": NaN}', ""), (b"\xff\xfe", ""),
                      (b"{} {}", ""), (b"hello\n", ""), (b"[" * 100 + b"]" * 100, ""), (b'"a\nb"', ""),
                      (b'["' + b"x" * MIB + b'"]', "1048580 bytes; at most 1048576 are allowed")):
        for options in (["--json"], []):
            code, out, err, _, _ = federate("hand_in.write(%r)" % text if len(text) < 1000 else
                                            "hand_in.write(b'[\"' + b'x' * %d + b'\"]')" % MIB, *options)
            check(code == 3, "exit code", code, "with", text[:40], options)
            check(b"'viewer'" in err and why.encode() in err, text[:40], "gives", err)
            if options:
                report = json.loads(out)
                viewer = report["processes"]["viewer"]
                check("report" not in viewer and viewer["exit_code"] == 0, viewer)
                check(viewer["report_error"]["status"] == "TAC_E_FORMAT", viewer)
                check(report["error"]["status"] == "TAC_E_FORMAT" and report.get("hash") != "0", report)
    # The most that is allowed.
    code, out, err, _, _ = federate("hand_in.write(b'[\"' + b'x' * %d + b'\"]')" % (MIB - 4), "--json")
    check(code == 0 and len(json.loads(out)["processes"]["viewer"]["report"][0]) == MIB - 4, code, err)


# What stands on standard output is shown, and nothing else.
def test_output():
    code, out, err, _, _ = federate(
        "print('{\"hash\": \"0\"}'); print(); print('two\\nlines', flush=True); sys.stderr.write('oh\\n')\n"
        "sys.stdout.write('x' * 5000 + '\\n'); sys.stdout.write('no end'); sys.stdout.flush()", "--json")
    report = json.loads(out)
    check(code == 0, "exit code", code, err)
    check("report" not in report["processes"]["viewer"] and report.get("hash") != "0", report)
    lines = err.decode().splitlines()
    for line in ('viewer: {"hash": "0"}', "viewer: two", "viewer: lines", "viewer: oh", "viewer: " + "x" * 4096,
                 "viewer: " + "x" * 904, "viewer: no end"):
        check(line in lines, line[:40], "is not in", lines)
    check(all(line.startswith("viewer: ") for line in lines), lines)


# 300 MB on standard output and 100 MB of a report.
def test_memory():
    code, out, err, _, memory = federate(
        "for i in range(300): os.write(1, (b'y' * 99 + b'\\n') * 10000)\n"
        "for i in range(100): hand_in.write(b' ' * 1000000)\n", "--json")
    check(code == 3 and b"100000000 bytes; at most 1048576" in err[-2000:], "exit code", code, err[-500:])
    check(err.count(b"viewer: " + b"y" * 99 + b"\n") == 3000000, "lines were lost")
    check(memory < 100 * MIB, memory, "bytes of memory")


# One that stays behind and holds what its parent had open keeps nobody waiting.
def test_left_behind():
    code, out, _, took_s, _ = federate(
        "import subprocess; subprocess.Popen(['sleep', '30'], close_fds=False); hand_in.write(b'[1]'); hand_in.flush()\n"
        "os._exit(0)", "--json")
    check(code == 0 and json.loads(out)["processes"]["viewer"]["report"] == [1], code, out)
    check(took_s < 15, took_s, "s beside a process that stays behind")


def test_shell():
    code, out, err, _, _ = federate(
        "import subprocess; subprocess.run(['sh', '-c', 'echo [7] >&\"$TACTUS_REPORT_FD\"'], close_fds=False)",
        "--json")
    check(code == 0 and json.loads(out)["processes"]["viewer"]["report"] == [7], code, err, out)


# Engines hand in theirs in the same way; wherever it fails.
def test_engines():
    def run(*options):
        done = subprocess.run([tactus, "federate", os.path.join(source, "tests", "cli", "data", "pair.yaml"),
                               "--no-lcm", "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, json.loads(done.stdout), done.stderr.decode()

    code, report, err = run()
    check(code == 0 and not err, code, err)
    for name in ("left", "right"):
        check(report["processes"][name]["report"]["name"] == "pair." + name, report["processes"])
    code, report, err = run("--set", "entities.left.components.body.params.damping=1e300 N*s/m")
    check(code == 1 and report["processes"]["left"]["report"]["error"]["component"] == "left.body", code, report)
    check("left: " in err, err)


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        test()
sys.exit(wrong > 0)
