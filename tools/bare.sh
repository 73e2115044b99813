#!/usr/bin/env bash
# Runs a command where a new user would: in a bare Debian 12 with a fresh clone of the committed HEAD.
#
#   tools/bare.sh COMMAND [ARGUMENT...]    as in: tools/bare.sh ./demo.sh
#   tools/bare.sh --prepare                only makes the root, or says why there can be none
#   tools/bare.sh --with DIR COMMAND...    the root has a copy of DIR as /root/given, too
#
# Debian's minimal base is all there is: no compiler, no git, no python, no certificates. Of this
# machine it gets the apt sources for Debian 12 and their keys, and what finds their hosts; nothing
# else, no environment, no network setting, no terminals (/dev/pts). The base is made by mmdebstrap
# once a week and kept under ${XDG_CACHE_HOME:-~/.cache}/tactus; every call unpacks it anew and
# removes it at the end.
#
# Exits as the command does; with 77 and a sentence where no bare root can be made here.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=bookworm

cannot() {
    echo "bare.sh: no bare root here: $*" >&2
    exit 77
}

[ $# -gt 0 ] || {
    sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
    exit 2
}
given=
if [ "$1" = --with ]; then
    given=$(cd "$2" && pwd)
    shift 2
fi
[ "$(id -u)" -eq 0 ] || cannot "it takes the rights of root"
unshare --mount --pid --fork true 2>/dev/null || cannot "mounting is not allowed"
if ! command -v mmdebstrap >/dev/null; then
    tools/install_packages.sh bare || true
    command -v mmdebstrap >/dev/null || cannot "there is no mmdebstrap"
fi

# --- what this machine gives: sources of this suite, and keys -------------------------------------

shopt -s nullglob
mapfile -t sources < <(tools/apt_sources.sh "$suite")
keys=(/usr/share/keyrings/debian-archive-*.gpg /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d/*
    /etc/apt/keyrings/*)
for file in ${sources[@]+"${sources[@]}"}; do # keys that a source names itself
    while read -r key; do
        keys+=("$key")
    done < <(sed -nE 's/^[^#]*[Ss]igned-[Bb]y[:=][[:space:]]*(\/[^] ]*).*/\1/p' "$file")
done

# --- the base -------------------------------------------------------------------------------------

cache=${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/tactus
base=$cache/$suite.tar
mkdir -p "$cache"
exec 8>"$cache/lock"
flock 8
if [ -z "$(find "$base" -mtime -7 2>/dev/null)" ]; then
    echo "bare.sh: making a bare root of Debian 12 ($suite)"
    if ! mmdebstrap --quiet --variant=minbase --format=tar "$suite" "$base.part" \
        ${sources[@]+"${sources[@]}"} >"$cache/log" 2>&1 </dev/null; then
        cat "$cache/log" >&2
        rm -f "$base.part"
        cannot "mmdebstrap failed"
    fi
    mv "$base.part" "$base"
fi
[ "$1" != --prepare ] || exit 0

# Of calls that were killed.
find "$cache" -maxdepth 1 -name 'root.*' -mtime +0 -exec rm -rf --one-file-system {} +
root=$(mktemp -d "$cache/root.XXXXXX")
# Mounts are those of a namespace of its own: they are gone before this runs.
trap 'rm -rf --one-file-system "$root"' EXIT
tar -C "$root" -xf "$base"
flock -u 8

# Without sources of this machine the root keeps those that mmdebstrap gave it.
[ ${#sources[@]} -eq 0 ] || rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/*
for file in ${sources[@]+"${sources[@]}"} "${keys[@]}" /etc/resolv.conf /etc/hosts; do
    [ ! -f "$file" ] || install -D -m 644 "$file" "$root$file"
done
[ -z "$(git status --porcelain)" ] || echo "bare.sh: what is not committed is not in the clone"
git clone --quiet --no-hardlinks . "$root/root/tactus"
[ -z "$given" ] || cp -r "$given" "$root/root/given"

# --- the command ----------------------------------------------------------------------------------

# `sh -c` mounts, then becomes the command; with it ends every process it left behind.
status=0
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child sh -c '
    root=$1
    shift
    mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" || exit 77
    exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb ${CI:+"CI=$CI"} \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /root/tactus && exec \"\$@\"" sh "$@"' sh "$root" "$@" </dev/null 8>&- || status=$?
exit $status
