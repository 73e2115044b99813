#!/bin/sh
# What a configuration costs to check grows about as the number of its entities: with four times as
# many it takes less than six times the instructions. Counted, not timed.
. "$TACTUS_SOURCE/tests/cli/common"
command -v valgrind >/dev/null || exit 77

# many N: N vehicles with a plant, a sensor, messages and phases, written out one by one
many() {
    cat <<'END'
name: many
duration: 1 s
scheduler:
  rate_groups:
    - {name: fast, rate_hz: 100, components: ["*.sensor", "*.wave"]}
    - {name: slow, rate_hz: 20, components: ["*.beacon"]}
links:
END
    i=2
    while [ "$i" -le "$1" ]; do
        echo "  - {from: u$((i - 1)).beacon.tx, to: u$i.listener.rx, delay: 7 ms}"
        i=$((i + 1))
    done
    echo entities:
    i=1
    while [ "$i" -le "$1" ]; do
        cat <<END
  u$i:
    phases:
      names: [NEAR, FAR]
      initial: NEAR
      transitions: [{from: NEAR, to: FAR, condition: "mass.position > 0.5 m", locate: true}]
    components:
      wave: {type: noise, params: {unit: N}}
      mass: {type: oscillator, inputs: {force: wave.y}}
      sensor: {type: filter, params: {unit: m, tau: 100 ms}, inputs: {u: mass.position}}
      beacon: {type: beacon, params: {unit: m}, inputs: {u: sensor.y}}
      listener: {type: listener, params: {unit: m}}
END
        i=$((i + 1))
    done
}

# cost N: instructions of a check
cost() {
    many "$1" >"many$1.yaml"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$TACTUS" check "many$1.yaml" \
        >out 2>err </dev/null || {
        echo 0
        return
    }
    sed -n 's/.*Collected : *//p' err
}
few=$(cost 250)
more=$(cost 1000)
echo "instructions for 250 and 1000 entities: $few, $more"
[ "${few:-0}" -gt 0 ] && [ "${more:-0}" -gt 0 ] || fail "no count: $(cat err)"
[ "$more" -lt $((6 * few)) ] || fail "$((more / few)) times the instructions for 4 times the entities"
finish
