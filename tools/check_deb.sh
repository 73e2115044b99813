#!/usr/bin/env bash
# Makes the Debian packages of a build tree, looks at what is in them, installs them in a bare
# Debian 12 and flies there:
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

cmake --build "$tree" --target tactus_installed tactus_shared tactus_static completions >"$work/log" ||
    { cat "$work/log"; exit 1; }
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
done
for file in bin/tactus share/bash-completion/completions/tactus share/zsh/vendor-completions/_tactus \
    share/fish/vendor_completions.d/tactus.fish share/man/man1/tactus-run.1 \
    share/man/man5/tactus.yaml.5 share/doc/tactus/examples/iris_mission.yaml \
    share/doc/tactus/tutorial.md share/doc/tactus/CHANGELOG.md; do
    [ -s "$work/tactus/usr/$file" ] || fail "package tactus lacks $file"
done
dev=$work/libtactus-dev
for name in tactus.h libtactus.a libtactus.so TactusConfig.cmake tactus.pc; do
    [ "$name" = tactus.h ] && name=engine.h
    [ -n "$(find "$dev" -name "$name")" ] || fail "package libtactus-dev lacks $name"
done
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
apt-get install -q -y --no-install-recommends /root/given/*.deb >/tmp/log 2>&1 ||
    { tail -20 /tmp/log; exit 1; }
cd /tmp
examples=/usr/share/doc/tactus/examples
tactus --version
tactus run $examples/iris_mission.yaml -q -o flight.mcap
tactus hash flight.mcap
tactus run $examples/iris_mission.yaml --json 2>/dev/null | grep -q '"finished": true\|"hash"'
dpkg -r tactus libtactus-dev libtactus0 >/dev/null
[ ! -e /usr/bin/tactus ]
echo flown
END
status=0
tools/bare.sh --with "$work/debs" sh /root/given/try >"$work/log" 2>&1 || status=$?
[ "$status" -eq 0 ] || {
    cat "$work/log"
    exit "$status"
}
grep -q '^flown$' "$work/log" || fail "nothing flew"
here=$("$tree/tactus" run examples/iris_mission.yaml --json --quiet | sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' | head -1)
grep -q "^$here " "$work/log" || fail "the installed program gives other bits than the built one"
echo "three packages, installed and flown in a bare Debian: hash $here"
