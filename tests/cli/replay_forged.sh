#!/usr/bin/env bash
# A recording is data, never code: whatever a forged one names or holds, nothing is loaded, run or
# opened unless the user says so.
. "$TACTUS_SOURCE/tests/cli/common"
command -v "${CC:-cc}" >/dev/null || exit 77
forge=$TACTUS_BUILD/tests/tool_record_forge

# Tells that it was loaded.
cat >evil.c <<'END'
#include <stdio.h>
#include <tactus/plugin.h>
__attribute__((constructor)) static void loaded(void) { fclose(fopen(MARK, "w")); }
static tac_status step(tac_step *s, const void *self) { (void)s; (void)self; return TAC_OK; }
static const tac_component_type type = {.size = sizeof type, .version = "1",
    .name = "evil", .stage = TAC_STAGE_CONTROL, .kernels[TAC_NUMBERS].step = step};
TAC_PLUGIN("evil", "1", &type)
END
"${CC:-cc}" -shared -fPIC -DMARK="\"$PWD/loaded\"" -I"$TACTUS_SOURCE/include" evil.c -o evil.so || exit 1

printf '0,1,0,0\n2,2,0,0\n' >wind.csv
cp wind.csv secret.csv
cat >real.yaml <<'END'
name: real
duration: 100 ms
scheduler: {rate_groups: [{name: g, period: 10 ms, components: [wave]}]}
components:
  wave: {type: sine, params: {frequency: 3 Hz}}
  lag: {type: lag, params: {tau: 20 ms}, inputs: {u: wave.y}}
END

unharmed() { # WHAT
    [ ! -e loaded ] || fail "$1: the plugin was loaded"
    rm -f loaded
}

forged() { # as real.yaml, with what stands on standard input; further arguments go to the tool
    { cat real.yaml; cat; } >forged.yaml
    "$forge" real.yaml forged.yaml forged.mcap "$@" || fail "cannot forge $*"
}

# An honest one.
forged </dev/null
expect 0 replay forged.mcap

# A library inside the recording: never, not even with --trust.
for name in files/1/evil.so ./files/1/evil.so files/../files/1/evil.so; do
    echo "plugins: ['$name']" | forged files/1/evil.so=evil.so
    expect 0 replay forged.mcap
    unharmed "a plugin inside, as $name"
    expect 3 replay forged.mcap --trust
    says err 'would come out of the recording'
    unharmed "a plugin inside, as $name, with --trust"
    for command in info check 'run --quiet' compare hash export plot recover; do
        # shellcheck disable=SC2086
        "$TACTUS" $command forged.mcap $([ "$command" = compare ] && echo forged.mcap) >out 2>err \
            </dev/null
        unharmed "tactus $command"
    done
    rm -f forged.csv forged.recovered.mcap
done

# A library elsewhere: only with --trust, or if it is given by name.
echo "plugins: ['$PWD/evil.so']" | forged
expect 0 replay forged.mcap
unharmed 'a plugin elsewhere'
expect 0 replay forged.mcap --trust
[ -e loaded ] || fail '--trust does not load the plugin'
rm -f loaded
expect 0 replay forged.mcap --plugin ./evil.so
[ -e loaded ] || fail '--plugin does not load the plugin'
rm -f loaded

# Its type is needed.
cat >needs.yaml <<END
plugins: ['$PWD/evil.so']
END
{ sed 's/components: \[wave\]/components: [wave, bad]/' real.yaml; echo '  bad: {type: evil}'; cat needs.yaml; } >forged.yaml
"$forge" real.yaml forged.yaml forged.mcap || fail 'cannot forge'
expect 2 replay forged.mcap
says err "unknown component type 'evil'" "$PWD/evil.so" 'unless you say so'
unharmed 'a type of a plugin'

# A file to extend, at the top and further inside.
cat >secret.yaml <<END
plugins: ['$PWD/evil.so']
name: a_secret
END
echo "extends: '$PWD/secret.yaml'" | forged
expect 0 replay forged.mcap --json
! grep -q a_secret out err || fail 'what is extended shows'
unharmed 'extends'
sed "s|wave: {|wave: {extends: '$PWD/secret.yaml', |" real.yaml >forged.yaml
"$forge" real.yaml forged.yaml forged.mcap || fail 'cannot forge'
expect 0 replay forged.mcap
unharmed 'extends inside'
expect 2 replay forged.mcap --trust # 'plugins' is no key of a component: it was read

# A variable: its value appears nowhere.
SECRET_TOKEN=xyzzy123
export SECRET_TOKEN
# shellcheck disable=SC2016
sed 's/^name: real/name: "${SECRET_TOKEN}"/' real.yaml >forged.yaml
"$forge" real.yaml forged.yaml forged.mcap || fail 'cannot forge'
expect 2 replay forged.mcap --out copy.mcap
says err "'SECRET_TOKEN' is not looked up"
[ ! -e copy.mcap ] && ! grep -q xyzzy123 out err || fail 'a variable was looked up'
expect 0 replay forged.mcap --out copy.mcap --trust
grep -q xyzzy123 copy.mcap || fail '--trust does not look up a variable'

# A file that a parameter names.
windy() { # NAME
    sed "s|^components:|components:\n  wind: {type: wind, params: {kind: table, file: '$1'}}|;
        s|components: \[wave\]|components: [wave, wind]|" real.yaml
}
windy "$PWD/wind.csv" >windy.yaml
expect 0 run windy.yaml -q --out windy.mcap
expect 0 replay windy.mcap
for name in "$PWD/secret.csv" ../secret.csv files/../../secret.csv; do
    windy "$name" >forged.yaml
    "$forge" windy.yaml forged.yaml forged.mcap files/1/wind.csv=wind.csv || fail 'cannot forge'
    expect 2 replay forged.mcap
    says err 'it leads out of the recording'
done
windy "$PWD/secret.csv" >forged.yaml
"$forge" windy.yaml forged.yaml forged.mcap || fail 'cannot forge'
expect 0 replay forged.mcap --trust
expect 0 replay windy.mcap --set "components.wind.params.file=$PWD/secret.csv" # the user's own wish

# Lists of any length, up to the limit and beyond: the model is another one, so the replay is
# refused, with an error and not with a crash.
repeat() { # COUNT ITEM: the item so many times, with its number for each @
    awk -v count="$1" -v item="$2" 'BEGIN {
        for (i = 0; i < count; i++) { line = item; gsub("@", i, line); print line }
    }'
}
long() { # COUNT
    echo "  scenario: {type: scenario}"
    echo "scenario:"
    repeat "$1" "- {at: @ us, do: log, text: event @}"
}
longer() { # COUNT
    printf 'phases:\n  names: [A, B]\n  initial: A\n  transitions:\n'
    repeat "$1" "  - {from: A, to: B, condition: wave.y > @, actions: [{log: a}, {log: b}]}"
}
for count in 244 300 400 4096 4097; do
    long "$count" | forged
    expect 2 replay forged.mcap
    says err error
done
for count in 100 200 600 1024 1025; do
    longer "$count" | forged
    expect 2 replay forged.mcap
    says err error
done
finish
