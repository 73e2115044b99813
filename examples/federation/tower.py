#!/usr/bin/env python3
"""A tower that hears where vehicles are and tells each of them where to go: a client of a federation
that is no engine. Started by `tactus federate examples/federation/tower.yaml`."""
import hashlib
import itertools
import math
import sys

from tactus_client import NUMBERS, Client, FederationError, decode, encode, report

PERIOD_US = 100_000  # how often the tower looks at its screen
REPEAT = 5           # orders get lost, so each is given again after so many looks
NEAR_M = 3
ROUTES = {
    "uav1": [(40, 0, -20), (40, 30, -25), (0, 30, -20), (0, 0, -10)],
    "uav2": [(-30, 0, -15), (-30, -30, -15), (0, 0, -25)],
}


def main():
    with Client(program="tower") as client:
        sources = {client.subscribe(f"{name}.Beacon.tx", type=NUMBERS): name for name in ROUTES}
        orders = {name: client.publish(name, type=NUMBERS) for name in ROUTES}
        client.join()
        passed = {name: 0 for name in ROUTES}
        position = {}
        heard = hashlib.blake2b(digest_size=8)
        for look in itertools.count():
            t_us = look * PERIOD_US
            if not client.poll(t_us):
                break
            for message in client.receive():
                position[sources[message.subscription]] = decode(message.data)
                heard.update(b"%d %d " % (message.sent_us, message.delivered_us) + message.data)
            for name, route in ROUTES.items():
                here = position.get(name)
                moved = here and passed[name] < len(route) and math.dist(here, route[passed[name]]) < NEAR_M
                passed[name] += bool(moved)
                if moved or look % REPEAT == 0:
                    client.send(orders[name], t_us, encode(route[min(passed[name], len(route) - 1)]))
        client.result("tower.heard", int.from_bytes(heard.digest(), "little"))
        client.finish()
    report({"passed": passed, "routes": {name: len(route) for name, route in ROUTES.items()}})


try:
    main()
except FederationError as error:
    sys.exit(f"error: {error}")
