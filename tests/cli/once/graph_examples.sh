#!/bin/sh
# The graphs of every example have the bits of its run. Long flights are cut where they repeat
# themselves; tests/flight/test_graph_check.c has a mission as a whole.
. "$TACTUS_SOURCE/tests/cli/common"

for example in "$TACTUS_SOURCE"/examples/*.yaml; do
    [ -e "$example" ] || continue
    case ${example##*/} in
    swarm_large.yaml) set -- --set entities.uav.count=20 --duration '200 ms' ;;
    swarm.yaml) set -- --duration '2 s' ;;
    iris_px4_swarm.yaml) set -- --duration '10 s' ;;
    gusts.yaml | hexa_*.yaml | octa_*.yaml | iris_branch.yaml | iris_mission.yaml | iris_px4.yaml)
        set -- --duration '25 s'
        ;;
    *) set -- ;;
    esac
    expect 0 graph "$example" --check --json "$@"
    says out '"max_ulp": 0,' '"different": 0,' '"untraced": 0,'
done
finish
