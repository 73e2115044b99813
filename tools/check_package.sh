#!/usr/bin/env bash
# Installs a build tree into a temporary prefix, moves it, and builds users of it:
#
#   tools/check_package.sh BUILD_TREE
#
# A C project through find_package, with the shared and the static library, and a bare compiler call
# through pkg-config.
set -euo pipefail
tree=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../tests/support/consumer" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$tree" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved" # an installed tree may be moved
prefix=$work/moved
if grep -rnF --include='*.cmake' --include='*.pc' -e "$work/first" -e "$tree" "$prefix"; then
    echo "paths of this machine in installed files"
    exit 1
fi

if ! { cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$work/build"; } >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
"$work/build/with_shared"
"$work/build/with_static"

pc=$(dirname "$(find "$prefix" -name tactus.pc)")
export PKG_CONFIG_PATH=$pc
read -ra flags < <(pkg-config --cflags --libs tactus)
lib=$(pkg-config --variable=libdir tactus)
cc "$source/main.c" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/with_pkg_config"
"$work/with_pkg_config"
