#!/bin/sh
# Integrators are compared on every example, with the tightest reference: no plant of the examples
# has a corner that is too sharp for it. And a comparison in which a method fails is still one.
. "$TACTUS_SOURCE/tests/cli/common"

two='[{components: {scenario: {params: {events: [{at: 1 s, do: arm}, {at: 2 s, do: start_mission}]}}}}, {}]'
compared=0
for file in "$TACTUS_SOURCE"/examples/*.yaml; do
    name=$(basename "$file" .yaml)
    # Long ones only so far that all that happens in them has happened.
    case $name in
    *px4*) continue ;; # need PX4's library
    goddard | iris_hover | iris_climb | iris_minimum_time) continue ;; # for trim and optimize
    swarm) set -- --set entities.uav.count=2 --set "entities.uav.each=$two" --duration '65 s' ;;
    swarm_large) set -- --set entities.uav.count=3 ;;
    orbit) set -- --duration '600 s' ;;
    rocket) set -- --duration '180 s' ;;
    *) set -- ;;
    esac
    expect 0 run "$file" -q --log-level error --set record.tier=replay --out "$name.mcap" "$@"
    expect 0 replay "$name.mcap" --json --integrator rk4,rk45 --reference tight
    is_json out
    says out '"integrator": "tight (dop853:1e-10)"' '"integrator": "rk4"' '"integrator": "rk45"'
    grep -E 'failed_t_us|loosened' out && fail "$name: a method failed"
    compared=$((compared + 1))
done
[ "$compared" -ge 12 ] || fail "only $compared examples"

# A jump that no step size can pass at these tolerances, a quarter of a second from the start.
cat >jump.yaml <<'END'
name: jump
duration: 1 s
components:
  a:
    type: equations
    params:
      states: {x: 1}
      equations:
        - der(x) = if(t < 0.25 s, 1, 1e9)/1 s
END
expect 0 run jump.yaml -q --out jump.mcap --set 'plant.integrator={kind: rk4, h_max: 1 ms}'
expect 0 replay jump.mcap --integrator rk45:1e-12,rk4,euler --reference rk4
says out 'failed at 249.999 ms' 'rk45:1e-12: a: the integration step fell below 1 us' 'rk45:1e-12*' \
    '* until it failed' 'greatest error against rk4'
same 'rows that did not fail' "$(grep -Ec '^  (rk4|euler) .*(same|other) bits' out)" 3
expect 0 replay jump.mcap --integrator rk45:1e-12,rk4 --reference rk4 --json
is_json out
same 'when it failed' "$(value out failed_t_us)" 249999
# The reference itself: one that is given is compared up to there, tight is loosened.
expect 0 replay jump.mcap --integrator rk4 --reference rk45:1e-12
says out 'greatest error against rk45:1e-12, up to 249.999 ms where that failed'
expect 1 replay jump.mcap --integrator rk45:1e-12 --reference rk4
says out 'failed at 249.999 ms'
says err 'the integrator failed'
expect 1 replay jump.mcap --integrator rk45:1e-12
says err 'the integration step fell below 1 us'
sed 's/1e9/10/' jump.yaml >step.yaml
expect 0 run step.yaml -q --out step.mcap --set 'plant.integrator={kind: rk4, h_max: 1 ms}'
expect 0 replay step.mcap --integrator rk4 --reference tight
says out 'the reference is loosened: tight (dop853:1e-10) failed at 249.999 ms' 'against tight (dop853:1e-'
finish
