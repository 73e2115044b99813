#!/bin/sh
# tactus run: the report, the log, the JSON, and failures.
. "$TACTUS_SOURCE/tests/cli/common"

# For a person
expect 0 run "$small"
says out 'small: finished at 1 s' 'x real time' 'boundaries' 'component steps' 'RHS evaluations' \
    '0 rejected' 'undone' 'events             0' 'messages           22'
grep -Eq '^  hash +[0-9a-f]{16}$' out || fail 'no hash in the report'
says err '[  0.250000 s] show: position = '
if grep -q "$(printf '\033')" out err; then
    fail 'control sequences without a terminal'
fi

# The log
expect 0 run "$small" --log-level warn
silent err
expect 0 run "$small" --quiet
silent out
silent err
expect 0 run "$small" --quiet --log-level info
silent out
says err 'show: position'
expect 0 run "$small" --set scheduler.rate_groups[2].period='125125 us' --duration '126 ms'
says err '[  0.125125 s] show: position' '[  0.000000 s] show: position'

# All times of a run have one width, also where a run takes more than 1000 s and steps at odd times.
widths() {
    sed -n 's/^\(\[[^]]*\]\).*/\1/p' err | awk '{ print length($0) }' | sort -u | wc -l
}
cat >wide.yaml <<'END'
duration: 12345 s
scheduler: {rate_groups: [{name: g, times: [0 s, 999999 us, 1 s, 999 s, 1000 s, 12345 s], components: [c, m]}]}
components:
  c: {type: sine}
  m: {type: monitor, inputs: {u: c.y}}
END
expect 0 run wide.yaml
says err '[    0.000000 s] m' '[    0.999999 s] m' '[  999.000000 s] m' '[ 1000.000000 s] m' \
    '[12345.000000 s] m'
same 'widths of times' "$(widths)" 1

# For a program
expect 0 run "$small" --json --quiet
is_json out
silent err
for key in name hash finished stopped t_start_us t_us t_end_us wall_s prepare_s peak_bytes realtime_factor boundaries \
    component_steps steps rejected rhs_evals undone events messages model_hash schema_hash seed version; do
    [ -n "$(value out $key)" ] || fail "no $key in the JSON"
done
same name "$(value out name)" small
same finished "$(value out finished)" true
same stopped "$(value out stopped)" false
same t_end_us "$(value out t_end_us)" 1000000
same seed "$(value out seed)" 3
hash=$(value out hash)
for absent in error digests jitter_us checkpoint continued_from; do
    ! grep -q "\"$absent\"" out || fail "$absent in the JSON of a plain run"
done

# The same again is the same; what should change the results does, what should not does not.
same 'a second run' "$(hash_of "$small")" "$hash"
same 'with another log level' "$(hash_of "$small" --log-level error)" "$hash"
same 'with progress' "$(hash_of "$small" --progress=always)" "$hash"
[ "$hash" != "$(hash_of "$small" --duration '1.002 s')" ] || fail 'duration makes no difference'
[ "$hash" != "$(hash_of "$small" --set components.mass.params.mass='2 kg')" ] ||
    fail '--set makes no difference'

# Digests
expect 0 run "$small" --json -q --digest 'mass*' --digest '*.y'
is_json out
same 'the hash is still of all' "$(value out hash)" "$hash"
for name in 'mass#state' mass.energy wave.y sensor.y listener.y; do
    value out "$name" | grep -Eq '^[0-9a-f]{16}$' || fail "no digest of $name"
done
! grep -q '"listener.count"' out || fail 'a digest that no pattern asks for'
grep -Eq '"\*\.y": \{"hash": "[0-9a-f]{16}", "count": 3\}' out || fail 'no hash of the pattern *.y'
expect 0 run "$small" --digest 'mass.*'
grep -Eq '^  digest +[0-9a-f]{16}  mass\.\* \([0-9]+\)$' out || fail 'no digest in the report'
expect 0 run "$small" --json -q --digest energy
grep -Eq '"energy": \{"hash": "[0-9a-f]{16}", "count": 1\}' out || fail 'no hash of a tail'
value out mass.energy | grep -Eq '^[0-9a-f]{16}$' || fail 'no digest by the tail of a name'
expect 2 run "$small" --digest 'mass.enrgy'
says err "nothing matches 'mass.enrgy'; did you mean 'mass.energy'?"
expect 2 run "$small" --digest 'mass.position'
says err "nothing matches 'mass.position'; continuous states have one digest an island"

# A run that fails
expect 1 run "$data/fails.yaml"
says out 'fails: failed at 540 ms of 1 s'
says err "at t = 540 ms, component 'beacon': error: queue of 'listener.rx' is full"
expect 1 run "$data/fails.yaml" --json
is_json out
same status "$(value out status)" TAC_E_QUEUE
same component "$(value out component)" beacon
same finished "$(value out finished)" false
says out '"t_us": 540000'
expect 1 run "$data/fails.yaml" --quiet
silent out
says err 'is full'

# Mistakes in the configuration
expect 2 run "$data/wrong.yaml"
silent out
says err 'wrong.yaml:8:16: error: ' "'sinus'; did you mean 'sine'?" '8 |   wave: {type: sinus}'
expect 2 run "$data/wrong.yaml" --json
is_json out
same line "$(value out line)" 8
same column "$(value out column)" 16
says out '"excerpt": "  wave: {type: sinus}"'
! grep -q '"hash"' out || fail 'a hash without a run'
expect 2 run "$small" --set sede=4
says err "--set:1:1: error: unknown key 'sede'; did you mean 'seed'?"
expect 2 run "$small" --set seed
says err 'expected path=value'
expect 3 run nosuch.yaml
says err "cannot open 'nosuch.yaml': No such file or directory"
expect 3 run .
expect 3 run nosuch.yaml --json
is_json out
same exit_code "$(value out exit_code)" 3
finish
