#!/usr/bin/env bash
# Runs the checks that take too long for every change:
#
#   clang          clang's unit tests at -O2, with assertions and under careless flags
#   nightly-asan   every test under gcc's sanitizers, which check the tests' own arithmetic, too
#   nightly-fuzz   each fuzz target for a minute with another seed; sanitizers for packs and duals
#   determinism    the same bits with every compiler and level, and on aarch64 (tools/determinism.sh --all)
#
#   tools/nightly.sh [PART...]    all parts, or the named ones
#
# Every part runs, even where one before it failed. Exits with 1 if any of them failed.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(clang nightly-asan nightly-fuzz determinism)
for part in "${parts[@]}"; do
    case $part in
    clang | nightly-asan | nightly-fuzz | determinism) ;;
    -h | --help)
        sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    *)
        echo "nightly.sh: unknown part '$part'; there are clang, nightly-asan, nightly-fuzz, determinism" >&2
        exit 2
        ;;
    esac
done

tools/install_packages.sh build test sanitizers
failed=()
for part in "${parts[@]}"; do
    echo "=== $part"
    start=$SECONDS
    status=0
    if [ "$part" = determinism ]; then
        tools/build.sh release --target px4_standin || status=$?
        PX4_LOCKSTEP_LIB=$PWD/build/tests/libpx4_standin.so tools/determinism.sh --all || status=$?
    elif tools/build.sh "$part"; then
        ctest --test-dir "build-$part" -j $(($(nproc) + 1)) --output-on-failure --no-label-summary \
            --no-tests=error </dev/null || status=$?
    else
        status=1
    fi
    [ "$status" -eq 0 ] || failed+=("$part")
    echo "=== $part: exit $status after $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
done
[ ${#failed[@]} -eq 0 ] || {
    echo "nightly.sh: failed: ${failed[*]}" >&2
    exit 1
}
