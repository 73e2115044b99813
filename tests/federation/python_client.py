#!/usr/bin/env python3
"""The client of examples/federation, which shares no code with Tactus, in federations: the results are
the same over every transport it speaks, and mistakes are told in words on both sides."""
import faulthandler
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

tactus, source = os.environ["TACTUS"], os.environ["TACTUS_SOURCE"]
sys.path.insert(0, os.path.join(source, "examples", "federation"))
sys.dont_write_bytecode = True
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # the tower runs in the folder of its sources
from tactus_client import NEVER, Client, FederationError, PromiseError, decode, encode  # noqa: E402

wrong = 0


def check(condition, *what):
    global wrong
    if not condition:
        wrong += 1
        print("wrong:", *what)


# --- the example -----------------------------------------------------------------------------------


def federate(*options):
    done = subprocess.run([tactus, "federate", "tower.yaml", "--json", *options],
                          cwd=os.path.join(source, "examples", "federation"), stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    check(done.returncode == 0, "exit code", done.returncode, "with", options)
    tower = report["processes"]["tower"]["report"]
    check(tower["passed"] == tower["routes"], "where vehicles came:", tower)
    check(report["messages"]["lost"] > 3, "no order was lost")
    return report["hash"], [process["trace"] for process in report["processes"].values()]


def test_example():
    first = federate("--transport", "tcp")
    for options in (["--transport", "unix"], ["--transport", "tcp", "--lookahead", "global"],
                    ["--transport", "unix"]):
        again = federate(*options)
        check(again == first, options, again, "instead of", first)
    check(federate("--seed", "12") != first, "the seed changes nothing")


# --- federations of two clients in Python ----------------------------------------------------------


class Server:
    """`tactus serve` for clients 'a' and 'b'."""

    def __init__(self, key=None):
        self.key = key

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "two.yaml")
        with open(path, "w") as f:
            f.write("name: two\nduration: 10 ms\nfederation:\n  delay: 2 ms\n"
                    "  processes: {a: {command: [x]}, b: {command: [x]}}\n")
        self.address = f"unix://{self.folder.name}/s"
        options = ["--address", self.address, "--json", "--no-lcm"]
        if self.key:
            options += ["--key", os.path.join(self.folder.name, "key")]
            with open(os.open(options[-1], os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
                f.write(self.key)
        self.process = subprocess.Popen([tactus, "serve", path, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def report(self):
        return json.loads(self.process.communicate(timeout=20)[0])

    def client(self, name, publishes=(), subscribes=(), version=1, **options):
        client = Client(self.address, name)
        client.version = version
        for channel in publishes:
            client.publish(channel, **options)
        for channel in subscribes:
            client.subscribe(channel, **options)
        client.join()
        return client


def error(function, *arguments, kind=FederationError, **options):
    try:
        function(*arguments, **options)
    except kind as raised:
        return str(raised)
    check(False, function, "raised nothing")
    return ""


def says(text, *words):
    check(all(word in text for word in words), repr(text), "lacks one of", words)


def test_exchange():
    """Messages come at their times and in their order; a client may name the time, leave early, and
    split its bytes in any way."""
    with Server() as server:
        taken = []

        def listen():
            b = server.client("b", subscribes=["*"])
            for t_us in range(0, 100_000, 1000):
                more = b.poll(t_us, NEVER)
                taken.extend((t_us, *message[1:6], message.data) for message in b.receive())
                if not more:
                    break
            b.result("b", 7)
            b.finish()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        a = Client(server.address, "a")
        x, y = a.publish("x"), a.publish("y")

        def flush():  # byte by byte
            out, a._out = a._out, bytearray()
            for i in range(len(out)):
                a._socket.sendall(out[i : i + 1])

        a._flush = flush
        a.join()
        a.send(x, 0, b"dawn")
        a.poll(0)
        a.send(y, 0, b"late", deliver_us=9000)
        a.send(x, 500, encode([1.5, -2]))
        a.poll(3000)
        a.send(y, 3000, b"")
        a.finish()
        thread.join(20)
        report = server.report()
        check(report["finished"] and report["hash"], report)
    check([entry[:-1] for entry in taken] ==
          [(2000, "a", "x", 0, 2000, 0), (3000, "a", "x", 500, 2500, 1), (5000, "a", "y", 3000, 5000, 1),
           (9000, "a", "y", 0, 9000, 0)], taken)
    check(decode(taken[1][-1]) == (1.5, -2), taken[1])


def test_refusals():
    with Server() as server:
        says(error(server.client, "bb"), "no client 'bb'", "'b'")
        says(error(server.client, "b", version=2), "version 2", "version 1")
        garbage = socket.socket(socket.AF_UNIX)
        garbage.connect(server.address[7:])
        garbage.sendall(b"GET / HTTP/1.1\r\n\r\n")
        answer = b""
        while data := garbage.recv(4096):
            answer += data
        check(b"not a frame" in answer, answer)
        a = server.client("a", publishes=["x"], type="t.one")
        says(error(server.client, "a"), "'a' already")
        says(error(server.client, "b", subscribes=["x"], type="t.two"), "'a' publishes 'x'", "t.one", "t.two")
        a._socket.close()  # gone before the start: it may come again
        a = server.client("a")
        b = server.client("b")
        a._put("POLL_WAIT", struct.pack("<QQQQ", 0, 0, 0, 0))
        a._flush()
        b.poll(0)
        says(error(server.client, "b"), "has started")
        server.process.kill()
        says(error(a._wait, lambda: False), "lost")
    says(error(Client(server.address, "a").join, 0.1), "cannot connect")
    with Server(key=64 * "0") as server:
        says(error(server.client, "a"), "cannot connect" if server.process.poll() else "have a key")
    says(error(Client("shm:///x", "a").join), "tcp://")
    says(error(Client("tcp://host", "a").join), "port")


def test_mistakes_here():
    """What the client notices itself, before anything is sent."""
    with Server() as server:
        a = Client(server.address, "a")
        x = a.publish("x")
        says(error(a.publish, "x"), "twice")
        says(error(a.poll, 0), "not joined")
        a.join()
        says(error(a.publish, "y"), "too late")
        b = server.client("b", publishes=["y"], subscribes=["x"])
        b._put("POLL_WAIT", struct.pack("<QQQQ", 0, 0, 0, 0))
        b._flush()
        says(error(a.send, x, 7, b""), "before the first poll")
        says(error(a.send, 1, 0, b""), "no channel number 1", "x")
        says(error(a.poll, 5), "first poll")
        a.poll(0, 6000)
        says(error(a.send, x, 5000, b"", kind=PromiseError), "5000 us", "6000 us")
        a.poll(1000, 2000)  # less than what was stated before, which still holds
        says(error(a.send, x, 5000, b"", kind=PromiseError), "5000 us", "6000 us")
        a.promise(7000)
        says(error(a.send, x, 6500, b"", kind=PromiseError), "6500 us", "7000 us")
        a.send(x, 8000, b"")
        says(error(a.send, x, 7500, b""), "8000 us")
        says(error(a.poll, 7900), "8000 us or later")


def test_mistakes_there():
    """What the server notices: it names who and what, to all."""

    def clock(*values):
        return lambda a: a._put("POLL_WAIT", struct.pack("<QQQQ", *values))

    def mail(t_us, sequence=5, channel=0, size=1):
        return lambda a: a._put("SEND_MESSAGE", struct.pack("<QQII", t_us, sequence, channel, size) + b"?")

    def queued(a):
        a._put("QUEUED_MESSAGE", struct.pack("<QQQII", 1000, 5, 2999, 0, 0))

    def thrown(a):
        with a:
            raise ValueError("the tower has fallen")

    cases = [
        (clock(500, 500, 500, 0), "from 1 ms to 500 us"),
        (clock(3000, 2999, 3000, 0), "at least"),
        (clock(3000, 3000, 3000, 3), "knows 3 messages", "was sent 0"),
        (lambda a: (mail(4000)(a), clock(3000, 3000, 3000, 0)(a)), "come to 3 ms", "sent at 4 ms"),
        (mail(999), "999 us", "1 ms"),
        (mail(1000, channel=3), "no channel number 3"),
        (mail(1000, sequence=0), "number 0"),
        (mail(1000, size=2), "cannot be read"),
        (queued, "2 ms", "2.999 ms"),
        (lambda a: a._put("HELLO", b""), "wrong moment"),
        (lambda a: a._put("START", b""), "wrong side"),
        (thrown, "ValueError: the tower has fallen"),
    ]
    for mistake, *words in cases:
        with Server() as server:
            told = []

            def wait():
                b = server.client("b", publishes=["y"], subscribes=["x"])
                try:
                    while b.poll(b._reached):
                        b._reached += 1000
                except FederationError as failure:
                    told.append(str(failure))

            thread = threading.Thread(target=wait, daemon=True)
            thread.start()
            a = server.client("a", publishes=["x"])
            a.poll(0)
            a.send(0, 0, b"")
            a._put("NOTIFY_ADVANCE", struct.pack("<QQQQ", 1000, 1000, 1000, 0))
            a._reached = 1000
            try:
                mistake(a)
                a._flush()
                a._wait(lambda: False)
            except (FederationError, ValueError) as failure:
                if a._socket:
                    says(str(failure), *words)
            thread.join(20)
            report = server.report()
            says(report["error"]["text"], *words)
            check(told, "'b' was told nothing of", words)
            says(told[0] if told else "", "because of 'a'", *words)


def test_stopped():
    with Server() as server:
        client = Client(server.address, "a", timeout_s=0.6)
        client.join()
        b = server.client("b")  # never polls: 'a' waits
        thread = threading.Timer(1.5, server.process.send_signal, [signal.SIGSTOP])
        thread.start()
        began = time.monotonic()
        says(error(client.poll, 0), "has said nothing for 0.6 s")
        check(1.9 < time.monotonic() - began < 20, "noticed after", time.monotonic() - began, "s")
        check(b.number == 1, "'b' has not joined")


def main():
    faulthandler.dump_traceback_later(60, exit=True)
    os.chdir(tempfile.mkdtemp())
    for test in (test_example, test_exchange, test_refusals, test_mistakes_here, test_mistakes_there,
                 test_stopped):
        test()
    sys.exit(wrong > 0)


main()
