"""A client of a federation in Python, with nothing but its standard library: it speaks the wire format
of docs/federation-protocol.md and needs no code of Tactus.

    client = Client()                               # address and name from `tactus federate`
    position = client.subscribe("uav1.Beacon.tx")
    order = client.publish("ORDER", type=NUMBERS)
    client.join()
    for t_us in itertools.count(0, 100_000):        # looks for messages every 100 ms
        if not client.poll(t_us):
            break                                   # the federation is over
        for message in client.receive():
            print(message.sender, decode(message.data))
        client.send(order, t_us, encode([1, 2, 3]))
    client.finish()

All times are whole microseconds of simulated time. At which times a client polls, and what it sends,
must follow from the messages that it has received, never from a clock on the wall or from how long a
call took: then every run is the same. A server with a key cannot be joined: that needs libsodium.
"""
import json
import os
import socket
import struct
import time
from collections import deque, namedtuple

VERSION = 1
NEVER = 2**64 - 1
NUMBERS = "tactus.numbers_t"  # the type of messages that ports of engines send and receive

_FRAMES = ("HELLO WELCOME REFUSE START SEND_MESSAGE QUEUED_MESSAGE DELIVERED_MESSAGE AUTHORIZE_ADVANCE "
           "PROMISE_NO_SEND NOTIFY_ADVANCE POLL_WAIT RESULT FINISH ABORT").split()
_NUMBER = {name: i + 1 for i, name in enumerate(_FRAMES)}

Message = namedtuple("Message", "subscription sender channel sent_us delivered_us sequence copy data")


class FederationError(Exception):
    """The server refused the client, the federation has ended, or the connection was lost."""


class PromiseError(FederationError):
    """A message earlier than what the client has stated about itself."""


# --- messages of engines: LCM's tactus.numbers_t ---------------------------------------------------


def encode(values):
    """Numbers as the message that a port of an engine receives."""
    return struct.pack(f">Qi{len(values)}d", 0x6C46CAE00CA208FB, len(values), *values)


def decode(data):
    """The numbers in a message that a port of an engine has sent."""
    fingerprint, count = struct.unpack_from(">Qi", data) if len(data) >= 12 else (0, 0)
    if fingerprint != 0x6C46CAE00CA208FB or len(data) != 12 + 8 * count:
        raise ValueError(f"{len(data)} bytes that are no message of {NUMBERS}")
    return struct.unpack_from(f">{count}d", data, 12)


# --- the report of a program ------------------------------------------------------------------------


def report(facts):
    """Hand facts in: `tactus federate --json` has them under processes.NAME.report. Once, at the end, and
    at most 1 MiB of JSON. Elsewhere, where nobody asks for a report, it does nothing."""
    descriptor = os.environ.get("TACTUS_REPORT_FD")
    if descriptor:
        with os.fdopen(int(descriptor), "w") as file:
            json.dump(facts, file)


# --- bodies of frames ------------------------------------------------------------------------------


def _text(text):
    data = text.encode()
    return struct.pack("<H", len(data)) + data


class _Body:
    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def bytes(self, count):
        if count > len(self.data) - self.at:
            raise struct.error("too short")
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self):
        return self.bytes(*self.numbers("H")).decode()


# --- the client ------------------------------------------------------------------------------------


class Client:
    """States: declaring (publish, subscribe), joined, over. Every mistake raises an exception; one
    that the server does not know of yet is told to it when the client is used in a `with` block."""

    def __init__(self, address=None, name=None, program="python", timeout_s=60):
        """`timeout_s`: a server that says nothing for so long is lost; None: no limit."""
        self.address = address or os.environ.get("TACTUS_ADDRESS")
        self.name = name or os.environ.get("TACTUS_NAME")
        if not self.address or not self.name:
            raise FederationError("a client needs an address and a name; 'tactus federate' gives them "
                                  "in TACTUS_ADDRESS and TACTUS_NAME")
        self.program, self.timeout_s = program, timeout_s
        self.number = self.clients = self.seed = self.end_us = None  # told when the client joins
        self.version = VERSION
        self._published, self._subscribed, self._sequence = [], [], []
        self._declared = set()
        self._socket, self._in, self._out = None, bytearray(), bytearray()
        self._links, self._mail = None, deque()
        self._received = 0
        self._reached = self._granted = self._promised = self._stated = self._sent = 0
        self._polled = -1
        self._over = False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind:
            self.abort(f"{kind.__name__}: {error}")
        elif self._socket:
            self.finish()

    # --- declaring, before join

    def publish(self, channel, type="", fingerprint=0, longest=0):
        """Declare a channel on which the client will send; its number."""
        self._declare(self._published, channel, channel, type, fingerprint, longest)
        self._sequence.append(0)
        return len(self._published) - 1

    def subscribe(self, channel, inlet=None, type="", fingerprint=0):
        """Declare a channel to receive, or all that match a pattern with * and ?; its number."""
        return self._declare(self._subscribed, channel, inlet or channel, type, fingerprint, 0)

    def _declare(self, channels, *channel):
        if self._socket:
            raise FederationError(f"'{channel[0]}' is declared too late: the client has joined")
        known = (channels is self._subscribed, *channel[:2])
        if known in self._declared:
            raise FederationError(f"'{channel[0]}' is declared twice")
        for text in channel[:3]:
            if len(text.encode()) > 255 or "\0" in text:
                raise FederationError(f"'{text[:40]}' is no name: at most 255 bytes, none of them zero")
        self._declared.add(known)
        channels.append(channel)
        return len(channels) - 1

    # --- joining

    def join(self, patience_s=10):
        """Connect, and return when the server has accepted the client. Processes start in any order,
        so a server that is not there yet is tried again for a while."""
        self._socket = self._connect(time.monotonic() + patience_s)
        self._socket.settimeout(self.timeout_s)
        # Asks the server to say every so many tenths of a second that it is alive.
        beat = max(1, min(10, int(2.5 * self.timeout_s))) if self.timeout_s else 0
        body = bytearray(struct.pack("<4sHH", b"TACF", self.version, beat))
        body += _text(self.name) + _text(self.program)
        for channels, inlets in ((self._published, False), (self._subscribed, True)):
            body += struct.pack("<I", len(channels))
            for channel, inlet, type, fingerprint, longest in channels:
                body += struct.pack("<I", 0) + _text(channel) + (_text(inlet) if inlets else b"")
                body += _text(type) + struct.pack("<QI", fingerprint, longest)
        self._write("HELLO", body)
        self._wait(lambda: self.number is not None)

    def _connect(self, until):
        scheme, found, rest = self.address.partition("://")
        if not found:
            scheme, rest = "tcp", self.address
        if scheme == "tcp":
            host, colon, port = rest.rpartition(":")
            if not colon or not port.isdigit():
                raise FederationError(f"'{self.address}' lacks a port; expected tcp://HOST:PORT")
        elif scheme != "unix":
            raise FederationError(f"'{self.address}': this client speaks tcp:// and unix:// only")
        while True:
            try:
                if scheme == "tcp":
                    made = socket.create_connection((host.strip("[]"), int(port)))
                    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return made
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                made.connect(rest)
                return made
            except OSError as error:
                if time.monotonic() > until:
                    raise FederationError(f"cannot connect to {self.address}: {error.strerror}") from None
                time.sleep(0.02)

    # --- sending

    def send(self, channel, t_us, data, deliver_us=None):
        """Hand a message over at `t_us`: at the time of the last poll or later. The law of the link
        decides when it arrives, unless `deliver_us` says so."""
        self._check_running("send")
        if not 0 <= channel < len(self._published):
            raise FederationError(f"there is no channel number {channel}; the client publishes "
                                  f"{[known[0] for known in self._published]}")
        name = self._published[channel][0]
        if t_us < self._promised:
            raise PromiseError(f"a message on '{name}' is sent at {t_us} us, but '{self.name}' has promised "
                               f"to send nothing before {self._promised} us")
        if t_us < self._stated and not self._arrived():
            raise PromiseError(f"a message on '{name}' is sent at {t_us} us, but '{self.name}' has stated at "
                               f"a poll that it sends nothing before {self._stated} us unless a message "
                               "arrives, and none has")
        if t_us < self._sent:
            raise FederationError(f"a message on '{name}' is sent at {t_us} us, after one that was sent at "
                                  f"{self._sent} us")
        if self._polled < 0 and t_us:
            raise FederationError(f"a message on '{name}' is sent at {t_us} us; before the first poll only "
                                  "0 is possible")
        head = struct.pack("<QQ", t_us, self._sequence[channel])
        if deliver_us is not None:
            head += struct.pack("<Q", deliver_us)
        head += struct.pack("<II", channel, len(data))
        self._put("SEND_MESSAGE" if deliver_us is None else "QUEUED_MESSAGE", head + data)
        self._sequence[channel] += 1
        self._sent = t_us

    def promise(self, t_us):
        """Nothing will be sent before `t_us`, whatever arrives: others may advance further."""
        self._check_running("promise")
        if t_us > self._promised:
            self._promised = t_us
            self._write("PROMISE_NO_SEND", struct.pack("<Q", t_us))

    # --- time

    def poll(self, t_us, next_us=None):
        """Come to `t_us`, and wait until every message that arrives up to then is there. `next_us`:
        nothing will be sent before it, unless a message arrives. The first poll is at 0. False: the
        federation is over."""
        if self._over:
            return False
        self._check_running("poll")
        if t_us < self._reached or t_us < self._sent or (self._polled < 0 and t_us):
            earliest = max(self._reached, self._sent) if self._polled >= 0 else 0
            raise FederationError(f"'{self.name}' polls at {t_us} us; possible is "
                                  + (f"{earliest} us or later" if self._polled >= 0 else "0 for the first poll"))
        self._reached = self._polled = t_us
        self._promised = max(self._promised, t_us)
        next_us = t_us if next_us is None else next_us
        self._stated = max(self._stated, next_us)  # an earlier promise holds until a message is taken
        if self._granted > t_us:
            return True
        first = self._mail[0].delivered_us if self._mail else NEVER
        self._put("POLL_WAIT", struct.pack("<QQQQ", t_us, self._promised, min(next_us, first), self._received))
        self._flush()
        self._wait(lambda: self._over or self._granted > t_us)
        return not self._over

    def receive(self):
        """The messages that had arrived at the last poll, in their order."""
        while self._over and self._mail or self._arrived():
            self._stated = 0
            yield self._mail.popleft()

    def _arrived(self):
        return self._mail and self._mail[0].delivered_us <= self._polled

    # --- the end

    def result(self, name, digest):
        """A digest of 64 bits that is part of the hash of the federation."""
        self._put("RESULT", struct.pack("<Q", digest) + _text(name))

    def finish(self):
        """Leave in peace: when the federation is over, or earlier."""
        if self._socket:
            self._write("FINISH", struct.pack("<Q", self._reached))
            self._close()

    def abort(self, why):
        """Leave with an error: the federation ends, and everyone is told why."""
        if self._socket:
            why = why.encode()[:1500].decode(errors="ignore").replace("\0", " ")
            try:
                self._write("ABORT", struct.pack("<Q", self._reached) + _text(self.name) + _text(why))
            except FederationError:
                pass  # the server is gone
            self._close()

    # What was written arrives even if something is left to be read: the server closes first.
    def _close(self):
        try:
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(5)
            while self._socket.recv(65536):
                pass
        except OSError:
            pass
        self._socket.close()
        self._socket = None

    # --- frames

    def _check_running(self, call):
        if self.number is None:
            raise FederationError(f"{call}: the client has not joined yet")
        if not self._socket or self._over:
            raise FederationError(f"{call}: the federation is over for this client")

    def _put(self, frame, body):
        self._out += struct.pack("<IB3x", len(body), _NUMBER[frame]) + body

    def _flush(self):
        try:
            self._socket.sendall(self._out)
        except OSError as error:
            self._read_last_words()
            raise self._lost(error.strerror) from None
        self._out.clear()

    def _write(self, frame, body):
        self._put(frame, body)
        self._flush()

    def _lost(self, why):
        return FederationError(f"the connection to the server was lost when '{self.name}' had come to "
                               f"{self._reached} us: {why}")

    # The server says why it ends a connection before it does so.
    def _read_last_words(self):
        try:
            while data := self._socket.recv(65536):
                self._take(data)
        except OSError:
            pass

    def _wait(self, ready):
        while not ready():
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                raise self._lost(f"it has said nothing for {self.timeout_s} s") from None
            except OSError as error:
                raise self._lost(error.strerror) from None
            if not data and self.number is None:
                raise FederationError(f"{self.address} closed the connection without a word; does the "
                                      "server have a key? This client has none")
            if not data:
                raise self._lost("the server has closed it")
            self._take(data)

    def _take(self, data):
        self._in += data
        while len(self._in) >= 8:
            size, number = struct.unpack_from("<IB", self._in)
            if not 1 <= number <= len(_FRAMES) or any(self._in[5:8]):
                raise FederationError(f"{self.address} does not speak the federation protocol")
            if len(self._in) < 8 + size:
                return
            body = _Body(bytes(self._in[8 : 8 + size]))
            del self._in[: 8 + size]
            try:
                self._frame(_FRAMES[number - 1], body)
            except (struct.error, UnicodeDecodeError):
                raise FederationError(f"a frame {_FRAMES[number - 1]} that cannot be read") from None

    def _frame(self, frame, body):
        if frame == "WELCOME":
            version, beat, self.number, self.clients, _, self.seed, self.end_us = body.numbers("HHIIIQQ")
            if not beat:
                self._socket.settimeout(None)  # it does not say that it is alive
            if version != VERSION:
                raise FederationError(f"the server speaks version {version} of the protocol, this client "
                                      f"version {VERSION}")
        elif frame == "START":
            self._links = [(*body.numbers("I"), body.text(), body.text())
                           for _ in range(*body.numbers("I"))]
        elif frame == "DELIVERED_MESSAGE":
            sent_us, sequence, delivered_us, link, copy, size = body.numbers("QQQIII")
            self._mail.append(Message(*self._links[link], sent_us, delivered_us, sequence, copy,
                                      body.bytes(size)))
            self._received += 1
        elif frame == "AUTHORIZE_ADVANCE":
            (self._granted,) = body.numbers("Q")
        elif frame == "FINISH":
            self._over = True
        elif frame == "REFUSE":
            body.numbers("Q")
            who, why = body.text(), body.text()
            raise FederationError(f"the server refuses '{self.name}': " + (f"'{who}': " if who else "") + why)
        elif frame == "ABORT":
            (t_us,) = body.numbers("Q")
            who, why = body.text(), body.text()
            raise FederationError("the federation ended" + (f" because of '{who}'" if who else "")
                                  + f" at {t_us} us: {why}")
        else:
            raise FederationError(f"the server sent {frame}, which only clients do")
