#!/usr/bin/env bash
# Configures and builds one tree: tools/build.sh PRESET [OPTION OF cmake --build...]
#
# Quiet when all is well; on failure the output is shown. A tree that was made elsewhere (a copied
# folder) is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift

# Flags of the surroundings would give other trees than the presets say.
unset CFLAGS CXXFLAGS LDFLAGS

tree=build-$preset
[ "$preset" != release ] || tree=build
mkdir -p "$tree"
log=$tree/build.log

fresh=()
if [ -f "$tree/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$tree/CMakeCache.txt"; then
    fresh=(--fresh)
fi

if ! { cmake ${fresh[@]+"${fresh[@]}"} --preset "$preset" &&
    cmake --build --preset "$preset" -j "$(nproc)" "$@"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "build.sh: tree '$preset' does not build" >&2
    exit 1
fi
