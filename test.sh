#!/usr/bin/env bash
# Builds everything and runs every test. On a bare Debian 12 it first installs what is missing.
#
#   ./test.sh              all trees, as below
#   ./test.sh --quick      the release tree only
#   ./test.sh --clients    also tests with programs of others: readers from PyPI (mcap-ros2-support,
#                          rosbags, pyulog), CasADi, Octave
#   ./test.sh -R REGEX     only tests whose name matches, as in ctest
#
# What runs where (a test's name is TREE/ROOM/NAME: gcc/base/time):
#
#   gcc      as users run it      every test; format, rooms, symbols, installation, determinism
#   asan     gcc's sanitizers     every test but `unsanitized` of tests/CMakeLists.txt, at -O1;
#                                 assertions on
#   fuzz     clang's sanitizers   the fuzz targets, some seconds each
#   clang    optimised            the program alone: gcc/tools/determinism compares the bits of all
#                                 examples (tools/build.sh clang builds its tests, too)
#
# clang and asan are compiled for this machine and under careless flags (-ffast-math and the like),
# which the build must take back. tools/determinism.sh --all has more compilers and levels. The last
# lines are CTest's summary, which widths of lanes this machine could run, and what was left out.
set -euo pipefail
cd "$(dirname "$0")"

quick=false
clients=false
select=()
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=true ;;
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
$quick || trees+=(asan fuzz)

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
if ! $quick; then # a program to compare bits with
    echo "building: clang, the program alone"
    tools/build.sh clang --target tactus
    export TACTUS_BUILT=$PWD/build-clang/tactus
fi

# Readers and CasADi from PyPI lie in one folder for each test that has them: what they bring along is not for
# other tests. tests/support/readers.py finds them there.
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
not_run=()
if $clients; then
    tools/install_packages.sh clients
    export TACTUS_CLIENTS=$PWD/$suite/clients
    install_readers export_ulog pyulog
    install_readers recording_clients mcap mcap-ros2-support rosbags
    install_readers casadi_client casadi
elif [ ${#select[@]} -eq 0 ]; then
    not_run+=("tests with readers and CasADi from PyPI, and with Octave: ./test.sh --clients installs them and runs those")
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
