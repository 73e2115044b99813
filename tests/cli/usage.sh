#!/bin/sh
# Wrong command lines: what is said, and the exit code.
. "$TACTUS_SOURCE/tests/cli/common"

expect 0
silent err
says out 'usage: tactus COMMAND' 'tactus run' "'tactus help' explains them"
[ "$(wc -l <"$work/out")" -lt 20 ] || fail 'the short help is long'
expect 2 rnu
says err "unknown command 'rnu'; did you mean 'run'?"
expect 2 "$small"
says err "did you mean 'tactus run $small'?"
expect 2 --versoin
says err "unknown option '--versoin'; did you mean '--version'?"
expect 2 --seed 4 run "$small"
says err "unknown option '--seed'" 'options of a command stand after its name'

expect 2 run
says err 'missing operand: tactus run FILE' "see 'tactus help run'"
expect 2 run "$small" more
says err "unexpected argument 'more'"
expect 2 run "$small" --sede 4
says err "unknown option '--sede'; did you mean '--seed'?"
expect 2 run "$small" --relatime=2
says err "unknown option '--relatime'; did you mean '--realtime'?"
expect 2 run "$small" -x
says err "unknown option '-x'"
expect 2 run "$small" -json
says err "did you mean '--json'?"
expect 2 run "$small" --seed
says err "option '--seed' needs a value: --seed N"
expect 2 explain "$small" -o
says err "option '-o' needs a value: -o FILE"
expect 2 run "$small" --quiet=yes
says err "option '--quiet' takes no value"

# Values
for seed in x -1 1.5 '' 9223372036854775808 12x; do
    expect 2 run "$small" "--seed=$seed"
    says err "option '--seed' needs a whole number"
done
expect 2 run "$small" --duration 10
says err "'10' has no unit" "while reading option '--duration'"
expect 2 run "$small" --duration '1.5 us'
says err 'whole number of microseconds' "while reading option '--duration'"
expect 2 run "$small" --checkpoint-at soon
says err "while reading option '--checkpoint-at'"
for factor in 0 -1 inf nan x ''; do
    expect 2 run "$small" "--realtime=$factor"
    says err "option '--realtime' needs a positive number, not '$factor'"
done
expect 2 run "$small" --progress=perhaps
says err "needs auto, always or never, not 'perhaps'"
expect 2 run "$small" --log-level=loud
says err "needs debug, info, warn or error, not 'loud'"
expect 2 run "$small" --checkpoint f
says err "'--checkpoint' needs '--checkpoint-at T'"
expect 2 explain "$small" --dot --svg
says err 'exclude each other'
expect 2 info --resolved
expect 2 info "$small" --resolved --json
expect 2 help run --json
expect 2 help nosuchthing
says err "there is no command and no component type 'nosuchthing'"

# Files of another kind than the command needs, and none at all
"$TACTUS" run "$small" -q --out a.mcap --checkpoint-at 0.5s --checkpoint state </dev/null
: >empty
mkdir folder
head -c 2000 a.mcap | tail -c 1000 >binary
for command in check run explain; do
    expect 3 $command nosuch
    says err "cannot open 'nosuch': No such file"
    expect 3 $command folder
    says err "cannot read 'folder': Is a directory"
    expect 2 $command empty
    says err "empty:1:1: error: there is nothing in it; expected keys with values" 'docs/tutorial.md'
    expect 2 $command binary
    expect 2 $command a.mcap
    says err "'a.mcap' is a recording, not a configuration" 'tactus replay'
    expect 2 $command state
    says err "'state' is a checkpoint, not a configuration" '--from'
done
for name in nosuch folder empty binary "$small" state; do
    for command in replay hash recover 'export -o x.csv' 'compare a.mcap'; do
        expect 3 $command "$name"
        says err "'$name'"
    done
done
for name in nosuch folder empty binary a.mcap; do
    expect 3 run "$small" --from "$name"
    says err "'$name'"
done
[ ! -e x.csv ] || fail 'something was written of a file that is no recording'
for plugin in nosuch folder empty binary; do
    expect 3 schema --plugin "$plugin"
    says err "cannot load plugin '$plugin'"
    expect 3 px4 probe "$plugin"
    says err "'$plugin'"
done
for output in folder nosuch/file ''; do
    expect 3 run "$small" -q --out "$output"
    expect 3 run "$small" -q --csv "$output"
    expect 3 run "$small" -q --checkpoint-at 0.5s --checkpoint "$output"
    expect 3 schema -o "$output"
    expect 3 export a.mcap --format csv -o "$output"
    expect 3 recover a.mcap -o "$output"
    says err "cannot write '$output'"
done
if [ "$(id -u)" -ne 0 ]; then
    cp "$small" secret.yaml
    chmod 0 secret.yaml
    expect 3 check secret.yaml
    says err "cannot open 'secret.yaml': Permission denied"
fi

# An error for programs, even if the command line could not be read
expect 2 run --json --sede 4
is_json out
same status "$(value out status)" TAC_E_USAGE
says err "did you mean '--seed'?"

# The many ways to write an option
one=$(hash_of "$small" --seed 5)
same '--seed=5' "$(hash_of --seed=5 "$small")" "$one"
same 'with -- before the operand' "$(hash_of --seed 5 -- "$small")" "$one"
same 'the last one wins' "$(hash_of --seed 4 "$small" --seed 5)" "$one"
same '--set seed=5' "$(hash_of "$small" --set seed=5)" "$one"
[ "$one" != "$(hash_of "$small")" ] || fail 'the seed makes no difference'
cp "$small" ./-odd.yaml
expect 0 check -- -odd.yaml
expect 0 explain "$small" -ofile
[ -s file ] || fail '-oFILE wrote nothing'
expect 0 run "$small" -qh
says out 'usage: tactus run'
finish
