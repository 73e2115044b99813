#!/usr/bin/env bash
# Builds the program in several ways and checks that all of them compute the same bits.
#
#   tools/determinism.sh [--all] [--work DIR] [--with PROGRAM]... [FILE...]
#
# Compares the "hash" of `tactus run FILE --json`, by default for every examples/*.yaml, of which that
# with many vehicles only begins its flight. --with adds programs that are built already; so does
# TACTUS_BUILT (separated by colons), where test.sh names those of its other trees. Trees are
# temporary unless --work says where to keep them. --all adds the variants that a daily run can do
# without. Exits with 77 (skipped) where there is nothing to run yet.
set -euo pipefail
cd "$(dirname "$0")/.."

# compiler, flags; the careless ones would give other bits if the build did not switch them off
careless='-Ofast -march=native -ffast-math -funsafe-math-optimizations -fassociative-math'
careless+=' -freciprocal-math -ffinite-math-only -fno-signed-zeros -ffp-contract=fast'
few=('gcc -O0' "gcc $careless" "clang $careless")
rest=('gcc -O1' 'gcc -O2' 'gcc -O3' 'gcc -O3 -march=native' 'clang -O0' 'clang -O1' 'clang -O2'
    'clang -O3' 'clang -O3 -march=native')

variants=("${few[@]}")
IFS=: read -ra built <<<"${TACTUS_BUILT:-}"
work=
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --all) variants+=("${rest[@]}") ;;
    --work)
        work=$2
        shift
        ;;
    --with)
        built+=("$2")
        shift
        ;;
    -*)
        echo "determinism.sh: unknown option '$1'" >&2
        exit 2
        ;;
    *) files+=("$1") ;;
    esac
    shift
done

if [ ${#files[@]} -eq 0 ]; then
    shopt -s nullglob
    for file in examples/*.yaml; do
        # What PX4 flies needs a library: any will do, the stand-in of the tests too.
        [[ $file == *px4* && -z ${PX4_LOCKSTEP_LIB:-} ]] || files+=("$file")
    done
fi
sources=(src/cli/*.c)
if [ ${#files[@]} -eq 0 ] || [ ! -e "${sources[0]}" ]; then
    echo "determinism.sh: no examples or no program yet"
    exit 77
fi

if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
unset CFLAGS CXXFLAGS LDFLAGS

hash_of() { # PROGRAM FILE
    local options=(--json --quiet)
    [ "$2" != examples/swarm.yaml ] || options+=(--duration '5 s')
    "$1" run "$2" "${options[@]}" </dev/null | sed -n 's/.*"hash": *"\([^"]*\)".*/\1/p' | head -n 1
}

declare -A seen # "FILE HASH" -> the variants that gave it
declare -A hashes
compare() { # VARIANT PROGRAM
    local file hash
    for file in "${files[@]}"; do
        hash=$(hash_of "$2" "$file") || hash=
        if [ -z "$hash" ]; then
            echo "determinism.sh: '$1' gives no hash for $file"
            exit 1
        fi
        seen["$file $hash"]+="${seen["$file $hash"]:+, }$1"
        hashes["$file"]+=" $hash"
    done
}

for program in ${built[@]+"${built[@]}"}; do
    compare "$program" "$program"
done
for variant in "${variants[@]}"; do
    compiler=${variant%% *}
    flags=${variant#* }
    variant=${variant/$careless/with careless flags}
    tree=$work/$(tr -c 'a-zA-Z0-9\n' _ <<<"$variant")
    plus=g++
    [ "$compiler" = gcc ] || plus=clang++
    mkdir -p "$tree"
    # Warnings are the business of other trees; no build type, so these flags are all there is.
    if ! { cmake -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=None -DTACTUS_TESTS=OFF \
        -DTACTUS_WERROR=OFF -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$plus" \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" &&
        cmake --build "$tree" -j "$(nproc)" --target tactus; } >"$tree/build.log" 2>&1; then
        cat "$tree/build.log"
        echo "determinism.sh: '$variant' does not build"
        exit 1
    fi
    # What the linker adds for -ffast-math: it would set flush-to-zero for the whole process.
    if nm "$tree/tactus" "$tree"/libtactus.so | grep -w set_fast_math; then
        echo "determinism.sh: '$variant' is linked with crtfastmath.o"
        exit 1
    fi
    compare "$variant" "$tree/tactus"
done

status=0
for file in "${files[@]}"; do
    read -ra given <<<"${hashes[$file]}"
    mapfile -t distinct < <(printf '%s\n' "${given[@]}" | sort | uniq -c | sort -rn |
        awk '{print $2}')
    if [ ${#distinct[@]} -eq 1 ]; then
        echo "same    ${distinct[0]}  $file  (${#given[@]} builds)"
    else
        status=1
        echo "DIFFERS $file"
        for hash in "${distinct[@]}"; do
            echo "        $hash  ${seen["$file $hash"]}"
        done
    fi
done
exit $status
