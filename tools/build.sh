#!/usr/bin/env bash
# Configures and builds one tree: tools/build.sh PRESET [OPTION OF cmake --build...]
#
# Shows how far it is; the output of compilers only on failure. A tree that was made elsewhere (a
# copied folder) is made anew.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift

# Flags of the surroundings would give other trees than the presets say.
unset CFLAGS CXXFLAGS LDFLAGS

tree=build-$preset
[[ $preset != release && $preset != program ]] || tree=build
mkdir -p "$tree"
log=$tree/build.log

fresh=()
if [ -f "$tree/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$tree/CMakeCache.txt"; then
    fresh=(--fresh)
fi

# Ninja's "37% what it does" as progress; everything into the log.
show() {
    while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        if [[ $line =~ ^\ *([0-9]+)%\ (.*) ]]; then
            echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
        fi
    done 3>>"$log" | tools/progress.sh
}

if ! cmake ${fresh[@]+"${fresh[@]}"} --preset "$preset" >"$log" 2>&1 ||
    ! NINJA_STATUS='%p ' cmake --build --preset "$preset" -j "$(nproc)" "$@" 2>&1 | show; then
    cat "$log" >&2
    echo "build.sh: tree '$preset' does not build" >&2
    exit 1
fi
