#!/bin/sh
# Every example runs to its end, and its report is JSON. tools/determinism.sh runs them with the
# programs of the other trees.
. "$TACTUS_SOURCE/tests/cli/common"

for example in "$TACTUS_SOURCE"/examples/*.yaml; do
    [ -e "$example" ] || continue
    case $example in
    *swarm_large*) set -- --set entities.uav.count=20 ;;
    */swarm.yaml) set -- --duration '20 s' ;; # twenty vehicles, alike for all of the minute
    *) set -- ;;
    esac
    expect 0 run "$example" --quiet --json "$@"
    is_json out
done
finish
