#!/bin/sh
# Another library of elementary functions at run time: its version does not matter, its bits do. A
# checkpoint and a recording name the function that differs.
. "$TACTUS_SOURCE/tests/cli/common"
command -v "${CC:-cc}" >/dev/null || exit 77
cat >other.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
static double (*real)(double);
double NAME(double x)
{
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, SYMBOL);
    const double y = real(x);
    return CHANGED ? nextafter(y, 100) : y;
}
END
make_other() { # LIBRARY FUNCTION CONDITION
    name=Sleef_cinz_$2d1_u10purec
    "${CC:-cc}" -shared -fPIC -DNAME="$name" -DSYMBOL="\"$name\"" -DCHANGED="$3" other.c -o "$1" \
        -ldl -lm || exit 1
}
make_other same.so sin 0
make_other sin.so sin 'fabs(x) < 1e-3 && x != 0'
make_other cbrt.so cbrt 'x > 1e300'
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS

expect 0 run "$small" -q --json --out small.mcap --checkpoint-at 0.5s --checkpoint state
hash=$(value out hash)
model=$(value out model_hash)

# The same bits through another library.
LD_PRELOAD=$PWD/same.so
export LD_PRELOAD
expect 0 run "$small" -q --json --from state
same 'hash with another library of the same bits' "$(value out hash)" "$hash"
same 'model hash with it' "$(value out model_hash)" "$model"
expect 0 replay small.mcap

# Others, whether the model has need of them or not.
for function in sin cbrt; do
    LD_PRELOAD=$PWD/$function.so
    expect 2 run "$small" -q --from state
    says err "there: math $function " "here: math $function "
    [ "$(grep -c ': math ' err)" -eq 2 ] || fail "more than $function is named: $(cat err)"
    expect 2 replay small.mcap
    says err "math $function "
done
unset LD_PRELOAD
finish
