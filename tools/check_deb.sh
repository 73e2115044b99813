#!/usr/bin/env bash
# Makes the Debian packages of a build tree, looks at what is in them, installs them in a bare
# Debian 12, flies there and builds programs that use the library:
#
#   tools/check_deb.sh BUILD_TREE
#
# Exits with 77 and a sentence where packages cannot be made or no bare root can be.
set -euo pipefail
tree=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
command -v dpkg-shlibdeps >/dev/null || {
    echo "skipped: no packages without dpkg-shlibdeps (dpkg-dev)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}

# As ./demo.sh builds them.
cmake --build "$tree" --target tactus_installed tactus_static >"$work/log" || {
    cat "$work/log"
    exit 1
}
(cd "$tree" && cpack -G DEB -B "$work/made") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# --- what is in them ------------------------------------------------------------------------------

mkdir "$work/debs"
cp "$work"/made/*.deb "$work/debs"
for package in tactus libtactus0 libtactus-dev; do
    file=$(echo "$work"/debs/"$package"_*.deb)
    [ -f "$file" ] || fail "there is no package $package"
    dpkg-deb -x "$file" "$work/$package"
    [ -s "$work/$package/usr/share/doc/$package/copyright" ] || fail "$package has no licence"
    [ -s "$work/$package/usr/share/doc/$package/THIRD_PARTIES.md" ] || fail "$package has no notices"
    ! dpkg-deb -f "$file" Maintainer | grep -E 'localhost|example' || fail "$package names nobody"
done
has() { # PACKAGE FILE...
    local package=$1 file
    shift
    for file in "$@"; do
        [ -s "$work/$package/usr/$file" ] || [ -L "$work/$package/usr/$file" ] ||
            fail "package $package lacks $file"
    done
}
has tactus bin/tactus share/bash-completion/completions/tactus share/zsh/vendor-completions/_tactus \
    share/fish/vendor_completions.d/tactus.fish share/man/man1/tactus-run.1 \
    share/man/man5/tactus.yaml.5 share/doc/tactus/examples/iris_mission.yaml \
    share/doc/tactus/tutorial.md share/doc/tactus/CHANGELOG.md
libraries=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
has libtactus0 "$libraries/libtactus.so.0"
has libtactus-dev include/tactus/engine.h "$libraries"/{libtactus.a,libtactus.so} \
    "$libraries/cmake/Tactus/TactusConfig.cmake" "$libraries/pkgconfig/tactus.pc"
dev=$work/libtactus-dev
if grep -rnE --include='*.cmake' --include='*.pc' '[";=:]/(usr|lib|opt|home|root)' "$dev"; then
    fail "absolute paths in installed files"
fi
library=$(find "$work/libtactus0" -name 'libtactus.so.0.*' -type f)
for file in "$library" "$work/tactus/usr/bin/tactus"; do
    ! readelf -S "$file" | grep -q '\.debug_info' || fail "$file is not stripped"
done
id=$(readelf -n "$library" | sed -n 's/.*Build ID: //p')
dpkg-deb -c "$(echo "$work"/made/libtactus0-dbgsym_*.ddeb)" | grep -q "${id:2}\.debug" ||
    fail "no debug file for the library"

# --- in a bare Debian -----------------------------------------------------------------------------

cat >"$work/debs/try" <<'END'
set -e
apt-get update -q >/tmp/log 2>&1 || { tail -5 /tmp/log; echo "no Debian packages to be had"; exit 77; }
install() {
    apt-get install -q -y --no-install-recommends "$@" >/tmp/log 2>&1 || { tail -20 /tmp/log; exit 1; }
}
user=$PWD/tests/support/consumer
cd /tmp
install /root/given/tactus_*.deb /root/given/libtactus0_*.deb
examples=/usr/share/doc/tactus/examples
tactus --version
tactus run $examples/iris_mission.yaml -q -o flight.mcap
tactus hash flight.mcap

install /root/given/libtactus-dev_*.deb gcc libc6-dev pkgconf cmake ninja-build
cc "$user/main.c" $(pkg-config --cflags --libs tactus) -o with_pkg_config
./with_pkg_config
cmake -S "$user" -B build -G Ninja >/tmp/log 2>&1 && cmake --build build >/tmp/log 2>&1 ||
    { tail -20 /tmp/log; exit 1; }
build/with_shared
build/with_static
dpkg -r tactus libtactus-dev libtactus0 >/dev/null
[ ! -e /usr/bin/tactus ]
END
status=0
tools/bare.sh --with "$work/debs" sh /root/given/try >"$work/log" 2>&1 || status=$?
[ "$status" -eq 0 ] || {
    cat "$work/log"
    exit "$status"
}
here=$("$tree/tactus" run examples/iris_mission.yaml --json --quiet | sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' | head -1)
grep -q "^$here " "$work/log" || fail "the installed program gives other bits than the built one"
echo "three packages, installed and flown in a bare Debian: hash $here"
