#!/bin/sh
# Text from files gives no commands to the terminal: control characters are shown as \x1b.
. "$TACTUS_SOURCE/tests/cli/common"
escape=$(printf '\033')
control=$(printf '[\001-\010\013-\037\177]')

# harmless FILE WHAT: has no control character but line ends and tabs, and is UTF-8
harmless() {
    ! LC_ALL=C grep -q "$control" "$1" || fail "$2: control characters"
    ! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1" || fail "$2: C1 control characters"
    ! command -v iconv >/dev/null || iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 ||
        fail "$2: not UTF-8"
}

# every CODE ARG...: what the command prints is harmless, on both sides
every() {
    expect "$@"
    harmless out "standard output of '$*'"
    harmless err "standard error of '$*'"
}

# --- a forged configuration -----------------------------------------------------------------------
# "\e" and the like are what YAML itself allows in a text.
cat >forged.yaml <<'END'
name: "forged\e[31m\x9b5m\a\x7f\r"
description: "de\e]0;owned\a"
duration: 1 s
scheduler:
  rate_groups:
    - {name: fast, rate_hz: 100, components: [wave, sum]}
components:
  wave: {type: sine, params: {unit: N}}
  sum: {type: filter, params: {unit: N, tau: 100 ms}, inputs: {u: wave.y}}
log: {level: debug}
END
for command in check info explain run 'check --json' 'info --json' 'explain --json' 'explain --svg' \
    'explain --dot' 'run --json' 'info --resolved'; do
    # shellcheck disable=SC2086
    every 0 $command forged.yaml
done
expect 0 check forged.yaml
says out 'forged\x1b[31m\x9b5m\x07\x7f\x0d'
every 0 check forged.yaml --json
says out 'forged\u001b[31m\u009b5m\u0007\u007f\u000d'
is_json out
every 0 info forged.yaml --resolved
"$TACTUS" info forged.yaml --resolved >again.yaml
expect 0 check again.yaml
says out 'forged\x1b[31m'

# Mistakes quote what is wrong.
wrong() { # TEXT of a component's line
    sed "s/^  wave:.*/  wave: $1/" forged.yaml >wrong.yaml
    every 2 check wrong.yaml
    every 2 check wrong.yaml --json
    is_json out
}
wrong '{type: "si\\ene"}'
says err 'si\x1bne'
wrong '{type: sine, params: {"a\\e[2Jb": 1}}'
wrong '{type: sine, params: {unit: "\\e[31mN"}}'
wrong '{type: sine, params: {amplitude: "1 \\e[31mN"}}'
wrong "{type: sine} # ${escape}[2J raw"
says err 'control character U+001B' '?[2J raw'
wrong "{type: si$(printf '\302\233')ne}"
printf 'name: a\n\033[2J\377: x\n' >binary.yaml
every 2 check binary.yaml

# --- the command line -----------------------------------------------------------------------------
every 2 "run$escape[31m"
every 2 run "--seed=$escape[31m" forged.yaml
every 2 run "--$escape" forged.yaml
every 2 check forged.yaml --set "$escape[2J=3"
every 3 check "no$escape[31msuch.yaml"
every 3 check "no$(printf '\377')such.yaml" --json
is_json out
every 2 help "$escape[31m"
odd="odd$(printf '\377\033')name"
cp forged.yaml "$odd.yaml"
every 0 check "$odd.yaml"
says out 'odd\xff\x1bname.yaml: fine'
every 0 run "$odd.yaml" --out "$odd.mcap" --checkpoint-at 0.5s --checkpoint "$odd.state"
every 0 info "$odd.mcap"
says out 'recording of forged\x1b[31m'
every 0 info "$odd.mcap" --json
is_json out
every 0 info "$odd.state"
every 0 replay "$odd.mcap"
every 0 hash "$odd.mcap"
every 0 compare "$odd.mcap" "$odd.mcap"
every 0 export "$odd.mcap" -o "$odd.csv"
every 0 recover "$odd.mcap"
every 0 explain "$odd.yaml" --svg -o "$odd.svg"

# --- a forged recording ---------------------------------------------------------------------------
# Bytes of a recording without compression are replaced by others of the same length; what is found
# out by a checksum is refused, and both must be harmless.
cat >forge.py <<'END'
import re, struct, sys, zlib
data = open(sys.argv[1], "rb").read()
old, new = sys.argv[2].encode(), sys.argv[3].encode().decode("unicode_escape").encode("latin-1")
assert len(old) == len(new) and old in data, (old, new)
open(sys.argv[4], "wb").write(data.replace(old, new))
END
if command -v python3 >/dev/null; then
    expect 0 run "$small" -q --out plain.mcap --set record.compression=none
    for pair in 'sensor.y|sen\x1b[2J' 'position|pos\x1b[2Jx' '"small"|"sm\x1bal"' 'tactus 0|tac\x1bus 0'; do
        python3 forge.py plain.mcap "${pair%%|*}" "${pair#*|}" forged.mcap 2>/dev/null || continue
        for command in info hash 'info --json' 'info --resolved' replay recover; do
            # shellcheck disable=SC2086
            "$TACTUS" $command forged.mcap >out 2>err </dev/null
            harmless out "standard output of $command with $pair"
            harmless err "standard error of $command with $pair"
            rm -f forged.recovered.mcap
        done
        "$TACTUS" compare plain.mcap forged.mcap >out 2>err </dev/null
        harmless out "compare with $pair"
        harmless err "compare with $pair"
        "$TACTUS" export forged.mcap -o x.ulg >out 2>err </dev/null
        harmless err "export with $pair"
    done
fi
finish
