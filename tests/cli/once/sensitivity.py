#!/usr/bin/env python3
"""Derivatives of whole flights: of a rocket against the rocket equation, of a mission in gusts, from
take-off to touchdown, against central differences.

Needs TACTUS_SOURCE and TACTUS in the environment, as ctest sets them.
"""
import json
import math
import os
import subprocess
import sys

failures = 0


def sensitivity(example, *options):
    path = os.path.join(os.environ["TACTUS_SOURCE"], "examples", example)
    command = [os.environ["TACTUS"], "sensitivity", path, "--json", *options]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    if found["not_differentiated"]:
        fail(f"{example}: {found['not_differentiated']}")
    return found


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def compare(what, value, expected, relative):
    deviation = abs(value - expected) / max(abs(value), abs(expected))
    print(f"{what}: {value:.9g}, expected {expected:.9g}, deviation {deviation:.1e}")
    if not deviation <= relative:
        fail(f"{what}: more than {relative:g}")


def ascent(isp_s, thrust_n, fuel_kg, rest_kg, t_s, kept):
    """Height and speed without gravity: the tank is empty before t_s, and a part of the speed kept."""
    c, full_kg = isp_s * 9.80665, rest_kg + fuel_kg
    burn_s = fuel_kg * c / thrust_n
    gain = c * math.log(full_kg / rest_kg)
    height = c * burn_s - gain * rest_kg / (thrust_n / c)
    return height + kept * gain * (t_s - burn_s), kept * gain


def slope(at, k, i):
    """The derivative of result i of the ascent by its argument k, by Richardson's extrapolation."""
    def over(h):
        low, high = list(at), list(at)
        low[k] -= h
        high[k] += h
        return (ascent(*high)[i] - ascent(*low)[i]) / (2 * h)
    h = 1e-3 * at[k]
    return over(h / 2) + (over(h / 2) - over(h)) / 3


def check_rocket(kept):
    at = [311, 50000, 1000, 550, 80, kept]
    # The phase changes where the motor burns out, an event of its own.
    actions = f"[{{reset: body.velocity.x, to: {kept}*body.velocity.x}}]"
    body = "entities.rocket.components.body.params."
    found = sensitivity("rocket_ascent.yaml", "--duration", f"{at[4]} s", "--no-compare",
                        "--set", body + "mu=0", "--set", body + "rotation=0",
                        "--set", "entities.rocket.phases.transitions[0].actions=" + actions,
                        "--of", "rocket.body.altitude", "--of", "rocket.body.climb",
                        "--to", "motor.isp", "motor.thrust", "motor.fuel", "mass.stages[0].mass")
    for i, result in enumerate(found["results"]):
        compare(result["of"], result["value"], ascent(*at)[i], 1e-9)
        for k, parameter in enumerate(found["parameters"]):
            expected = slope(at, k, i)
            what = f"{result['of']} by {parameter['name']}"
            if (i, k) != (1, 1):
                compare(what, result["derivatives"][k], expected, 1e-9)
            elif not abs(result["derivatives"][k]) < 1e-9:  # the thrust does not matter to the speed
                fail(f"{what}: {result['derivatives'][k]}")


def check_mission():
    # Where it lands, to a few percent: differences have the noise of microseconds at touchdown.
    tolerance = {("uav.vehicle.battery.soc", "mass"): 1e-4, ("uav.vehicle.battery.soc", "drag"): 3e-2,
                 ("uav.vehicle.position.y", "mass"): 3e-2, ("uav.vehicle.position.y", "drag"): 3e-2}
    found = sensitivity("iris_mission.yaml", "--step", "1e-3", "--of", "uav.vehicle.battery.soc",
                        "--of", "uav.vehicle.position.y", "--to", "vehicle.mass", "vehicle.drag")
    for result in found["results"]:
        for k, name in enumerate(["mass", "drag"]):
            compare(f"{result['of']} by {name}", result["derivatives"][k], result["differences"][k],
                    tolerance[result["of"], name])


check_rocket(1)
check_rocket(0.5)
check_mission()
sys.exit(failures > 0)
