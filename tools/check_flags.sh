#!/usr/bin/env bash
# Checks that careless flags of the surroundings change no instruction of a model:
#
#   tools/check_flags.sh BUILD_TREE
#
# One unit is compiled as the tree compiles it, then with each of the flags in front, where CFLAGS
# stand: the machine code must be the same. tools/determinism.sh does it with the whole program.
set -euo pipefail
tree=$1
unit=model/rocket/body.f64.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command=$(grep -F '"command"' "$tree/compile_commands.json" | grep -F "kinds/$unit.o" |
    sed 's/.*"command": "//; s/",\{0,1\}$//; s/\\"/"/g')
source=$(sed 's/.* -c //' <<<"$command")
flags=$(sed 's/ -o [^ ]* -c .*//' <<<"$command")
compiler=${flags%% *}
flags=${flags#* }
if [ "$(basename "$compiler")" = ccache ]; then
    compiler=${flags%% *}
    flags=${flags#* }
fi

# Prints the code that is made of the unit with these flags in front.
code() {
    # shellcheck disable=SC2086
    "$compiler" "$@" $flags -g0 -c "$source" -o "$work/unit.o" || return 1
    objdump -d --no-show-raw-insn "$work/unit.o"
}

code >"$work/plain"
[ "$(wc -l <"$work/plain")" -gt 100 ]
status=0
for careless in -ffast-math -funsafe-math-optimizations '-fassociative-math -fno-signed-zeros' \
    -freciprocal-math -ffinite-math-only -fno-signed-zeros -ffp-contract=fast -Ofast; do
    # shellcheck disable=SC2086
    if ! code $careless >"$work/careless" || ! cmp -s "$work/plain" "$work/careless"; then
        echo "$careless: other code than without it"
        status=1
    fi
done
exit $status
