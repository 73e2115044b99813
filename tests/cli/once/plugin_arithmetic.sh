#!/usr/bin/env bash
# Whatever flags a plugin is compiled with, it is refused or gives the same bits.
. "$TACTUS_SOURCE/tests/cli/common"
cp "$data/arithmetic.c" arithmetic.cc
cat >spin.yaml <<'END'
name: spin
duration: 200 ms
plugins: [spin.so]
scheduler: {rate_groups: [{name: g, period: 1 ms, components: [spin]}]}
components: {spin: {type: spin}}
END

compilers=()
for compiler in gcc clang g++ clang++; do
    command -v "$compiler" >/dev/null && compilers+=("$compiler")
done
[ ${#compilers[@]} -gt 0 ] || exit 77

# compile COMPILER FLAG...: spin.so. False where it does not know a flag.
compile() {
    case $1 in
    *++) language=(-std=c++17 arithmetic.cc) ;;
    *) language=(-std=gnu17 "$data/arithmetic.c") ;;
    esac
    rm -f spin.so
    "$@" -shared -fPIC -I"$TACTUS_SOURCE/include" "${language[@]}" -o spin.so 2>compile_error
}

hardware=()
if [ "$(uname -m)" = x86_64 ] && grep -qw fma /proc/cpuinfo; then
    hardware=(-mfma -mavx2)
fi

compile "${compilers[0]}" -O0 -ffp-contract=off || { cat compile_error; exit 1; }
plain=$(hash_of spin.yaml)

# Accepted, with the same bits: contraction is switched off by the header.
for compiler in "${compilers[@]}"; do
    for flags in -O2 "-O3 ${hardware[*]}" "-O2 -march=native"; do
        # shellcheck disable=SC2086
        compile "$compiler" $flags || { fail "$compiler $flags: $(cat compile_error)"; continue; }
        same "$compiler $flags" "$(hash_of spin.yaml)" "$plain"
    done
done

# may COMPILER FLAG...: refused, with a flag to change; where the compiler makes nothing of it, the
# same bits.
accepted=
may() {
    compile "$1" -O2 "${@:2}" || return
    "$TACTUS" run --quiet --json spin.yaml >out 2>err </dev/null
    code=$?
    if [ $code -eq 0 ]; then
        same "$*" "$(value out hash)" "$plain"
        accepted="$accepted [$*]"
    else
        same "$*: exit code" $code 3
        says err "was compiled so that" "build it with -"
    fi
}

# must FIX COMPILER FLAG...: refused, and told to use FIX.
must() {
    compile "$2" -O2 "${@:3}" || return
    expect 3 run --quiet spin.yaml
    says err "was compiled so that" " $1"
}

for compiler in "${compilers[@]}"; do
    must -fno-fast-math "$compiler" -ffast-math
    must -fno-reciprocal-math "$compiler" -funsafe-math-optimizations
    case $compiler in
    *++) continue ;; # enough to see that C++ has the probe, too
    clang)
        [ ${#hardware[@]} -eq 0 ] ||
            must -ffp-contract=off "$compiler" -ffp-contract=fast "${hardware[@]}"
        ;;
    esac
    must -fno-fast-math "$compiler" -Ofast
    must -fno-finite-math-only "$compiler" -ffinite-math-only
    must -fno-reciprocal-math "$compiler" -freciprocal-math
    must -fsigned-zeros "$compiler" -fno-signed-zeros
    may "$compiler" -ffp-contract=fast "${hardware[@]}"
    may "$compiler" -ffp-contract=fast -O3 "${hardware[@]}"
    may "$compiler" -fassociative-math -fno-signed-zeros -fno-trapping-math
    may "$compiler" -fsingle-precision-constant
    may "$compiler" -mfpmath=387
done
echo "accepted with the same bits:$accepted"

# Code for ARM, where gcc fuses by default: no such instruction.
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    for level in -O2 -O3 "-O3 -march=armv8.2-a"; do
        # shellcheck disable=SC2086
        aarch64-linux-gnu-gcc $level -std=gnu17 -fPIC -I"$TACTUS_SOURCE/include" -S -o arm.s \
            "$data/arithmetic.c" || fail "aarch64-linux-gnu-gcc $level"
        ! grep -nE '\sf(n?m(add|sub)|ml[as])\s' arm.s || fail "fused on ARM with $level"
    done
fi
finish
