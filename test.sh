#!/usr/bin/env bash
# Builds everything and runs every test. On a bare Debian 12 it first installs what is missing.
#
#   ./test.sh              all trees, as below
#   ./test.sh --quick      the release tree only
#   ./test.sh --clients    also tests with readers from PyPI (mcap-ros2-support, rosbags, pyulog);
#                          says what it skipped
#   ./test.sh -R REGEX     only tests whose name matches, as in ctest
#
# What runs where (a test's name is TREE/ROOM/NAME: gcc/base/time):
#
#   gcc      as users run it      every test; format, rooms, symbols, installation, determinism
#   clang    assertions on        every test program, but no scripts (*.sh, *.py): gcc and asan run
#                                 those, and asan has the assertions on, too
#   asan     gcc's sanitizers     every test but long_runs of tests/CMakeLists.txt, at -O1;
#                                 assertions on
#   fuzz     clang's sanitizers   the fuzz targets, some seconds each
#
# gcc/tools/determinism flies all examples with the programs of the first three trees and with builds
# at -O3 -march=native under careless flags; tools/determinism.sh --all has more (-O0 among them).
# The last lines are CTest's summary and which widths of lanes this machine could run.
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
$quick || trees+=(clang asan fuzz)

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
# Programs for the comparison of bits, besides that of the release tree.
$quick || export TACTUS_BUILT=$PWD/build-clang/tactus:$PWD/build-asan/tactus

# Readers from PyPI stay in folders of their own: what they bring along is not for other tests.
run_clients() { # TEST MODULE PACKAGE...: a test with packages; MODULE is there when they are
    local test=$1 module=$2 readers=$PWD/$suite/clients/$1
    shift 2
    if [ ! -d "$readers/$module" ] &&
        ! python3 -m pip install --quiet --target "$readers" "$@" >"$suite/pip.log" 2>&1; then
        echo "test.sh: skipped the tests with $*: cannot be installed (see $suite/pip.log)"
        return
    fi
    PYTHONPATH=$readers ctest --test-dir "$suite" --output-on-failure --no-label-summary \
        -R "^gcc/record/$test\$" --no-tests=error </dev/null
}
if $clients; then
    tools/install_packages.sh clients
    run_clients export_ulog pyulog pyulog
    run_clients recording_clients rosbags mcap mcap-ros2-support rosbags
fi

status=0
# One more than there are cores: some tests mostly wait.
ctest --test-dir "$suite" -j $(($(nproc) + 1)) --output-on-failure --no-label-summary \
    --no-tests=error ${select[@]+"${select[@]}"} </dev/null || status=$?
[ ${#select[@]} -gt 0 ] || cat build/tests/lanes.txt
exit $status
