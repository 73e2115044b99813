#!/usr/bin/env bash
# Builds Tactus and flies its default mission; the report is printed, the flight drawn.
# On a bare Debian 12 it first installs what is missing: about two minutes in all on two cores.
set -euo pipefail
cd "$(dirname "$0")"

step() {
    printf '\n[%d/3] %s\n' "$1" "$2"
}

step 1 "packages: what it takes to build the program and to draw"
tools/install_packages.sh build demo

# The program and the libraries, without the tests. A tree that has them keeps them.
step 2 "building the program and the libraries into build/"
preset=program
if grep -qsx 'TACTUS_TESTS:BOOL=ON' build/CMakeCache.txt; then
    preset=release
fi
tools/build.sh "$preset" --target tactus tactus_installed tactus_static

step 3 "flying a mission"
mkdir -p out
picture=out/iris_mission.png
command=(build/tactus run examples/iris_mission.yaml --plot "$picture")
printf '$ %s\n' "${command[*]}"
"${command[@]}"
printf '\nThe picture of the flight is %s\n' "$PWD/$picture"
