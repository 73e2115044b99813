#!/usr/bin/env bash
# Builds Tactus and shows its main job: what a configuration resolves to, and its run.
# On a bare Debian 12 it first installs what is missing.
set -euo pipefail
cd "$(dirname "$0")"

tools/install_packages.sh build
echo "building"
tools/build.sh release

if [ ! -x build/tactus ]; then
    echo "demo.sh: build/tactus was not built: src/cli has no sources" >&2
    exit 1
fi

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}
show build/tactus explain examples/rates.yaml
show build/tactus run examples/rates.yaml
