#!/usr/bin/env bash
# Builds Tactus and flies its default mission; the report is printed, the flight drawn.
# On a bare Debian 12 it first installs what is missing.
set -euo pipefail
cd "$(dirname "$0")"

tools/install_packages.sh build demo
echo "building"
tools/build.sh release

if [ ! -x build/tactus ]; then
    echo "demo.sh: build/tactus was not built: src/cli has no sources" >&2
    exit 1
fi

mkdir -p out
picture=out/iris_mission.png
command=(build/tactus run examples/iris_mission.yaml --plot "$picture")
printf '\n$ %s\n' "${command[*]}"
"${command[@]}"
printf '\nThe picture of the flight is %s\n' "$PWD/$picture"
