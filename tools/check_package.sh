#!/usr/bin/env bash
# Installs a build tree into a temporary prefix, moves it, and builds users of it:
#
#   tools/check_package.sh BUILD_TREE
#
# A C project through find_package, with the shared and the static library; a bare compiler call
# through pkg-config, of the program in docs/api.md too; the plugin of examples/plugin, which the
# installed program then runs; and the programs of examples/embed.
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

build() { # SOURCE TREE
    if ! { cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$2"; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
}

build "$source" "$work/build"
"$work/build/with_shared"
"$work/build/with_static"

"$(dirname "$0")/check_binaries.sh" "$prefix"

pc=$(dirname "$(find "$prefix" -name tactus.pc)")
export PKG_CONFIG_PATH=$pc
read -ra flags < <(pkg-config --cflags --libs tactus)
lib=$(pkg-config --variable=libdir tactus)
cc "$source/main.c" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/with_pkg_config"
"$work/with_pkg_config"

root=$(cd "$(dirname "$0")/.." && pwd)
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$root/docs/api.md" >"$work/api.c"
cc "$work/api.c" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/api"
hash=$("$work/api" "$root/examples/rates.yaml")
"$prefix/bin/tactus" run "$root/examples/rates.yaml" --json --quiet | grep -q "\"hash\": \"$hash\""
[ -f "$prefix/share/man/man1/tactus.1" ]

example=$(cd "$(dirname "$0")/../examples/plugin" && pwd)
build "$example" "$work/plugin"
run() { THERMAL=$work/plugin/thermal.so "$prefix/bin/tactus" run "$example/thermal.yaml" "$@"; }
run --json >"$work/first.json" 2>"$work/log.txt"
run --json >"$work/second.json" 2>/dev/null
grep '"hash"' "$work/first.json"
[ "$(grep '"hash"' "$work/first.json")" = "$(grep '"hash"' "$work/second.json")" ]
grep -q 'Thermostat: HEAT at 285.00 K (switch 1)' "$work/log.txt"

build "$root/examples/embed" "$work/embed"
for program in "$root"/examples/embed/*.c "$root"/examples/embed/*.cc; do
    name=$(basename "${program%.*}")
    [ -x "$work/embed/$name" ] || { echo "examples/embed/CMakeLists.txt lacks $name"; exit 1; }
done
(cd "$root" && "$work/embed/list" >/dev/null && "$work/embed/embed" >/dev/null)
