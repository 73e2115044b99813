#!/usr/bin/env bash
# Builds Tactus and runs its tests. On a bare Debian 12 it first installs what is missing.
#
#   ./test.sh              every test of the release tree: what a user runs
#   ./test.sh --all        also the trees with sanitizers, fuzzing, and clang
#   ./test.sh --clients    also tests with other programs: readers from PyPI (mcap-ros2-support,
#                          rosbags, pyulog), CasADi, Octave
#   ./test.sh -R REGEX     only the tests whose names match, as in ctest
#
# A test's name is TREE/ROOM/NAME, for example gcc/base/time. The trees are:
#
#   gcc      release             every test; format, rooms, symbols, installation, determinism
#   asan     gcc's sanitizers    every test except the list `unsanitized` in tests/CMakeLists.txt;
#                                -O1, assertions on
#   fuzz     clang's sanitizers  each fuzz target for a few seconds
#   clang    optimized           only the program; gcc/tools/determinism compares its bits with
#                                those of the release tree for all examples
#
# The trees asan and clang are compiled for this processor and with careless flags (-ffast-math and
# the like), which the build must take back. tools/nightly.sh runs what takes too long here: clang's
# unit tests, the sanitizers without exceptions, longer fuzzing, and every compiler and level. The last
# lines are CTest's summary, the lane widths that this machine could run, and what was left out.
set -euo pipefail
cd "$(dirname "$0")"

all=false
clients=false
select=()
while [ $# -gt 0 ]; do
    case $1 in
    --all) all=true ;;
    --clients) clients=true ;;
    -R)
        [ $# -ge 2 ] || {
            echo "test.sh: -R needs a regular expression" >&2
            exit 2
        }
        select=(-R "$2")
        shift
        ;;
    -h | --help)
        sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    *)
        echo "test.sh: unknown option '$1'; see ./test.sh --help" >&2
        exit 2
        ;;
    esac
    shift
done

tools/install_packages.sh build test
trees=(release)
if $all; then
    tools/install_packages.sh sanitizers
    trees+=(asan fuzz)
fi

# One CTest over all trees: a test file that names them as its folders.
suite=build-suite
mkdir -p "$suite"
: >"$suite/CTestTestfile.cmake"
for tree in "${trees[@]}"; do
    echo "building: $tree"
    tools/build.sh "$tree"
    folder=build-$tree
    [ "$tree" != release ] || folder=build
    echo "subdirs([==[$PWD/$folder]==])" >>"$suite/CTestTestfile.cmake"
done
not_run=()
if $all; then # a program to compare bits with
    echo "building: clang, the program alone"
    tools/build.sh clang --target tactus
    export TACTUS_BUILT=$PWD/build-clang/tactus
elif [ ${#select[@]} -eq 0 ]; then
    not_run+=("sanitizers, fuzzing, and clang: ./test.sh --all runs them")
fi

# Readers and CasADi from PyPI lie in one folder per test that uses them: other tests must not see what they
# bring along. tests/support/readers.py finds them there.
install_readers() { # TEST PACKAGE...
    local folder=$TACTUS_CLIENTS/$1 log=$suite/pip_$1.log
    shift
    [ ! -d "$folder" ] || return 0
    rm -rf "$folder.part"
    if python3 -m pip install --quiet --target "$folder.part" "$@" >"$log" 2>&1; then
        mv "$folder.part" "$folder"
    else
        not_run+=("tests with $*: cannot be installed (see $log)")
    fi
}
if $clients; then
    tools/install_packages.sh clients
    export TACTUS_CLIENTS=$PWD/$suite/clients
    install_readers export_ulog pyulog
    install_readers recording_clients mcap mcap-ros2-support rosbags
    install_readers casadi_client casadi
elif [ ${#select[@]} -eq 0 ]; then
    not_run+=("tests with readers and CasADi from PyPI, and with Octave: ./test.sh --clients installs and runs them")
fi

rm -f build/tests/lanes.txt # engine/lanes writes it
status=0
# One more than there are cores: some tests mostly wait.
ctest --test-dir "$suite" -j $(($(nproc) + 1)) --output-on-failure --no-label-summary \
    --no-tests=error ${select[@]+"${select[@]}"} </dev/null || status=$?
[ ${#select[@]} -gt 0 ] || cat build/tests/lanes.txt || echo "lanes: gcc/engine/lanes has not run any" >&2
for what in ${not_run[@]+"${not_run[@]}"}; do
    echo "not run: $what"
done
exit $status
