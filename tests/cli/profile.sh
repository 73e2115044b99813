#!/bin/sh
# `run --profile`: counts agree with those of the run, times add up, and no bit changes.
. "$TACTUS_SOURCE/tests/cli/common"
command -v python3 >/dev/null || exit 77
examples=$TACTUS_SOURCE/examples

cat >check.py <<'END'
import json, sys
r = json.load(open("out"))
p = r["profile"]
components = {c["name"]: c for c in p["components"]}
stages = {s["name"]: s for s in p["stages"]}
assert 0 < p["run_s"] <= r["wall_s"] * 1.02 + 1e-3, (p["run_s"], r["wall_s"])
assert 0 < p["clock_reading_s"] < 1e-4 and p["clock_readings"] > 0
assert sum(c["steps"] for c in components.values()) == r["component_steps"]
in_stages = sum(s["time_s"] for s in stages.values())
in_components = sum(c["time_s"] for c in components.values())
assert 0 < in_components <= in_stages * 1.001 <= p["run_s"] * 1.002, (in_components, in_stages, p["run_s"])
for c in components.values():
    assert abs(c["time_s"] - c["step_s"] - c["output_s"] - c["evaluation_s"] - c["inactive_s"]) < 1e-12
times = [c["time_s"] for c in p["components"]]
assert times == sorted(times, reverse=True)
assert stages["integrate"]["time_s"] >= sum(c["evaluation_s"] for c in components.values())
exec(sys.argv[1])
END

# One island of one component: its evaluations are all there are.
expect 0 run "$examples/iris_mission.yaml" --duration '10 s' --profile --json -q
is_json out
python3 check.py 'assert components["uav.vehicle"]["evaluations"] == r["rhs_evals"]
assert components["uav.control"]["steps"] == 2501 and stages["control"]["items"] == 2501
assert components["uav.control"]["inactive_us"] == 0' || fail 'a multirotor'

# Steps that are taken apart are measured as well.
expect 0 run "$examples/iris_mission.yaml" --duration '2 s' --profile --json -q --set plant.coupling=split \
    --set plant.integrator.kind=rk4 --set timeline.physics='1 ms'
python3 check.py 'assert components["uav.vehicle"]["evaluations"] == r["rhs_evals"] > 0' || fail 'a split plant'

# Phases: what is inactive costs nothing, and how long is known from when they changed.
expect 0 run "$examples/rocket.yaml" --duration '20 s' --profile --json -q
python3 check.py 'assert components["rocket.motor1"]["inactive_us"] == 20000000 - (12262270 - 1000000)
assert components["booster.body"]["inactive_us"] == 15786367
assert components["rocket.main"]["inactive_us"] == 20000000 and components["rocket.main"]["evaluations"] == 0
assert all(c["inactive_calls"] == 0 for c in components.values())' || fail 'a rocket'
expect 0 run "$examples/rocket.yaml" --duration '20 s' --profile --json -q --set phases.strategy=gate
python3 check.py 'assert components["rocket.main"]["inactive_calls"] > 0 < components["rocket.main"]["inactive_s"]
assert components["rocket.mass"]["inactive_calls"] == 0' || fail 'behind a closed gate'

# The tables; and no bit is another.
expect 0 run "$examples/iris_mission.yaml" --duration '1 s' --profile
says out 'profile: ' 'the clock was read' '  stage  ' '  integrate  ' '  component  ' '  uav.vehicle  ' 'between them'
for f in iris_mission rocket equations convoy gusts swarm; do
    same "the hash of $f" "$(hash_of "$examples/$f.yaml" --duration '2 s' --profile)" \
        "$(hash_of "$examples/$f.yaml" --duration '2 s')"
done
expect 0 run "$examples/convoy.yaml" --json -q
! grep -q '"profile"' out || fail 'measured without being asked'
finish
