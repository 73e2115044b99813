#!/usr/bin/env bash
# Builds the program in several ways and checks that all of them compute the same bits.
#
#   tools/determinism.sh [--all] [--work DIR] [--with PROGRAM]... [FILE...]
#
# Compares the "hash" of `tactus run FILE --json`, by default for every examples/*.yaml, of which that
# with many vehicles only begins its flight. --with adds programs that are built already; so does
# TACTUS_BUILT (separated by colons), where test.sh names that of clang. Without both it builds one
# with gcc under careless flags. --all builds many, and one for another
# processor: aarch64, cross-compiled and run by qemu, whose recordings and checkpoints of the first
# seconds must have the same bytes, too. It says so where that cannot be had. Trees are temporary
# unless --work says where to keep them.
#
# Exits with 77 (skipped) where there is nothing to run yet.
set -euo pipefail
cd "$(dirname "$0")/.."

# compiler, flags; the careless ones would give other bits if the build did not switch them off
careless='-Ofast -march=native -ffast-math -funsafe-math-optimizations -fassociative-math'
careless+=' -freciprocal-math -ffinite-math-only -fno-signed-zeros -ffp-contract=fast'
few=("gcc $careless")
rest=("clang $careless" 'gcc -O0' 'gcc -O1' 'gcc -O2' 'gcc -O3' 'gcc -O3 -march=native' 'clang -O0'
    'clang -O1' 'clang -O2' 'clang -O3' 'clang -O3 -march=native')

variants=()
IFS=: read -ra built <<<"${TACTUS_BUILT:-}"
work=
emulate=false
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --all)
        variants=("${few[@]}" "${rest[@]}")
        emulate=true
        ;;
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

[ ${#variants[@]} -gt 0 ] || [ ${#built[@]} -ge 2 ] || variants=("${few[@]}")

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
work=$(cd "$work" && pwd)
unset CFLAGS CXXFLAGS LDFLAGS

few_vehicles=(--set entities.uav.count=100) # of ten thousand
hash_of() { # PROGRAM FILE
    local options=(--json --quiet --log-level error)
    [ "$2" != examples/swarm.yaml ] || options+=(--duration '5 s')
    [ "$2" != examples/swarm_large.yaml ] || options+=("${few_vehicles[@]}")
    "$1" run "$2" "${options[@]}" </dev/null | sed -n 's/.*"hash": *"\([^"]*\)".*/\1/p' | head -n 1
}

declare -A seen # "FILE HASH" -> the variants that gave it
declare -A hashes
native= # a program of this machine
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
# Warnings are the business of other trees; no build type, so these flags are all there is.
build() { # VARIANT TREE COMPILER C++-COMPILER FLAGS [OPTION OF CMAKE...]
    local variant=$1 tree=$2 compiler=$3 plus=$4 flags=$5
    shift 5
    mkdir -p "$tree"
    if ! { cmake -S . -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=None -DTACTUS_TESTS=OFF \
        -DTACTUS_WERROR=OFF -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$plus" \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" "$@" &&
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
}

for variant in ${variants[@]+"${variants[@]}"}; do
    compiler=${variant%% *}
    flags=${variant#* }
    variant=${variant/$careless/with careless flags}
    tree=$work/$(tr -c 'a-zA-Z0-9\n' _ <<<"$variant")
    plus=g++
    [ "$compiler" = gcc ] || plus=clang++
    build "$variant" "$tree" "$compiler" "$plus" "$flags"
    compare "$variant" "$tree/tactus"
    native=${native:-$tree/tactus}
done

# --- another processor, emulated ------------------------------------------------------------------

# Its libraries, unpacked into a folder: nothing of this system changes.
make_root() { # FOLDER
    local suite sources packages=libc6-dev,libyaml-dev,libsleef-dev,libzstd-dev,liblz4-dev
    tools/install_packages.sh cross || return 1
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mapfile -t sources < <(tools/apt_sources.sh "$suite")
    mmdebstrap --quiet --variant=extract --mode=chrootless --architectures=arm64 \
        --include="$packages" "$suite" "$1" ${sources[@]+"${sources[@]}"} </dev/null
}

# A recording and a checkpoint of the first seconds, as FOLDER/FILE.mcap and .checkpoint.
record() { # PROGRAM FOLDER
    local file name
    mkdir -p "$2"
    for file in "${files[@]}"; do
        name=$2/$(basename "$file" .yaml)
        rm -f "$name".*
        local options=()
        [ "$file" != examples/swarm_large.yaml ] || options+=("${few_vehicles[@]}")
        if ! "$1" run "$file" --quiet --duration '3 s' ${options[@]+"${options[@]}"} --out "$work/run.mcap" --force \
            --checkpoint-at '1.5 s' --checkpoint "$work/run.checkpoint" \
            </dev/null >"$2/log" 2>&1 &&
            # What is expected of a whole flight may fail in its first seconds.
            ! grep -q '^error: .* expectations* failed' "$2/log"; then
            cat "$2/log"
            echo "determinism.sh: '$1' does not record $file"
            exit 1
        fi
        mv "$work/run.mcap" "$name.mcap"
        mv "$work/run.checkpoint" "$name.checkpoint"
    done
}

if $emulate; then
    root=$work/aarch64-root
    if [ -e "$root.done" ] || { rm -rf "$root" && make_root "$root" && touch "$root.done"; }; then
        tree=$work/emulated
        export PKG_CONFIG_SYSROOT_DIR=$root
        export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig
        # Headers of the root alone: this system may have some that the root has not (liblcm).
        build 'aarch64 gcc -O2' "$tree" aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ -O2 \
            -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_SYSROOT="$root" \
            -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY
        unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
        printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$root" "$tree/tactus" \
            >"$tree/run"
        chmod +x "$tree/run"
        compare 'aarch64 gcc -O2, emulated' "$tree/run"
        record "$native" "$work/recordings/native"
        record "$tree/run" "$work/recordings/emulated"
        rm -f "$work"/recordings/*/log
        if ! diff -r "$work/recordings/native" "$work/recordings/emulated"; then
            echo "determinism.sh: aarch64 records other bytes"
            exit 1
        fi
        echo "same    bytes of recordings and checkpoints of the first 3 s on aarch64"
    else
        echo "SKIPPED aarch64: its compiler, its libraries or qemu cannot be had here"
    fi
fi

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
