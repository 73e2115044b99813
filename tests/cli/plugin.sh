#!/bin/sh
# Plugins on the command line and in a configuration; log entries of every level, in colour.
. "$TACTUS_SOURCE/tests/cli/common"
command -v "${CC:-cc}" >/dev/null || exit 77
"${CC:-cc}" -std=c17 -shared -fPIC -I"$TACTUS_SOURCE/include" "$data/plugin.c" -o talkers.so || exit 1
escape=$(printf '\033')

cat >talk.yaml <<'END'
name: talk
duration: 1 ms
plugins: [talkers.so]
scheduler:
  rate_groups:
    - {name: now, period: 1 s, components: [one]}
components:
  one: {type: talker}
END

expect 0 info --plugin ./talkers.so
says out 'says what it thinks'
expect 0 help talker --plugin ./talkers.so
says out volume 'm^3'
expect 0 schema --plugin=./talkers.so
is_json out
says out talker volume
expect 2 help talker
expect 3 info --plugin "$data/plugin.c"

expect 0 run talk.yaml
says err '[  0.000000 s] one: a fact in \x1b[7mtwo\x1b[0m lines' 'one: warning: a doubt' 'one: error: a pity'
! grep -q 'a detail' err || fail 'a debug entry without being asked'
! grep -q "$escape" err || fail 'a component speaks to the terminal'
expect 0 run talk.yaml --log-level debug
says err 'one: debug: a detail'
expect 0 run talk.yaml --quiet
silent out
! grep -q 'a fact' err || fail 'an ordinary entry of a quiet run'
says err 'a doubt' 'a pity'
expect 0 run talk.yaml --set log.level=error
! grep -q 'a doubt' err || fail 'a warning below the level of the configuration'

expect 2 run talk.yaml --checkpoint-at 0s
says err "component 'one' of type 'talker' cannot be saved"
[ ! -e talk.checkpoint ] || fail 'a checkpoint that cannot be restored'

# A recording names its plugins; they are loaded if one says so. The error does not speak of a folder
# that is gone.
expect 0 run talk.yaml --quiet --out talk.mcap
expect 2 replay talk.mcap
says err 'talk.mcap/config.yaml:' "unknown component type 'talker'" talkers.so 'unless you say so' \
    "replaying 'talk.mcap' with its own integrator"
! grep -q /tactus- err || fail 'a temporary folder in an error'
expect 0 replay talk.mcap --plugin ./talkers.so
expect 0 replay talk.mcap --trust
mv talkers.so moved.so
expect 3 replay talk.mcap --trust
says err 'talk.mcap/config.yaml:' talkers.so
! grep -q /tactus- err || fail 'a temporary folder in an error'
expect 0 replay talk.mcap --plugin ./moved.so
expect 0 replay talk.mcap --set plugins='[./moved.so]'
mv moved.so talkers.so

# A definition without its size is the mistake that is reported, not what follows from it.
sed 's/TAC_PARAM(\(.*\)))/\&(tac_param_def){\1})/' "$data/plugin.c" >unsized.c
! cmp -s unsized.c "$data/plugin.c" || fail 'the plugin has no definition of a parameter in one line'
"${CC:-cc}" -std=c17 -shared -fPIC -I"$TACTUS_SOURCE/include" unsized.c -o unsized.so || exit 1
expect 3 check talk.yaml --set plugins='[unsized.so]' --set components.one.params.volume=1
says err tac_param_def 'size'
! grep -q 'unknown parameter' err || fail 'a mistake that follows from another'

command -v script >/dev/null || finish
script -qec true /dev/null >/dev/null 2>&1 </dev/null || finish
script -qec "TERM=xterm '$TACTUS' run talk.yaml" /dev/null >seen </dev/null
says seen "$escape[33mone: warning: a doubt$escape[0m" "$escape[31mone: error: a pity$escape[0m" \
    '[  0.000000 s] one: a fact'
script -qec "NO_COLOR=1 TERM=xterm '$TACTUS' run talk.yaml" /dev/null >seen </dev/null
says seen 'one: warning: a doubt'
! grep -q "$escape" seen || fail 'colours in spite of NO_COLOR'
finish
