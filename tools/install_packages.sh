#!/usr/bin/env bash
# Installs what is missing, on Debian and its like.
#
#   tools/install_packages.sh PURPOSE...    of: build, demo, test, sanitizers, bench,
#                                           clients, bare, cross
#
# Shows what it installs and how far it is. Does nothing and asks for no rights where everything is
# there.
set -euo pipefail

# A package, or PATTERN=PACKAGE where anything installed that fits the pattern will do.
build=(gcc g++ libc6-dev cmake ninja-build 'pkg*conf*=pkgconf' libyaml-dev libsleef-dev
    libzstd-dev liblz4-dev libhdf5-dev libsodium-dev liblcm-dev)
demo=('gnuplot-[nqx]*=gnuplot-nox')
test=(ca-certificates libcmocka-dev locales clang 'clang-format*=clang-format' binutils
    python3 python3-h5py python3-jsonschema python3-ruamel.yaml libsundials-dev liblcm-bin 'gnuplot-[nqx]*=gnuplot-nox' valgrind zsh fish dpkg-dev spin openmpi-bin coinor-libipopt1v5)
sanitizers=('libclang-rt-*dev=libclang-rt-dev')
bench=(valgrind libsundials-dev)
clients=(python3-pip octave octave-dev)
bare=(mmdebstrap)
cross=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user mmdebstrap)
# Node comes from many places, with npm in the same package or not: the commands are asked for.
command -v node >/dev/null || test+=('nodejs*=nodejs')
command -v npm >/dev/null || test+=(npm)

wanted=()
for purpose in "$@"; do
    case $purpose in
    build) wanted+=("${build[@]}") ;;
    demo) wanted+=("${demo[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    sanitizers) wanted+=("${sanitizers[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    clients) wanted+=("${clients[@]}") ;;
    bare) wanted+=("${bare[@]}") ;;
    cross) wanted+=("${cross[@]}") ;;
    *)
        echo "install_packages.sh: unknown purpose '$purpose'; there are build, demo, test, sanitizers, bench, clients, bare, cross" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install_packages.sh: no apt-get here; this needs: ${wanted[*]##*=}" >&2
    exit 0
fi

missing=()
for entry in "${wanted[@]}"; do
    if ! dpkg-query -W -f '${db:Status-Status}\n' "${entry%%=*}" 2>/dev/null |
        grep -qx installed; then
        missing+=("${entry##*=}")
    fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install_packages.sh: missing, and neither root nor sudo here: ${missing[*]}" >&2
        exit 3
    fi
    as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs apt-get: what it says goes into the log, its reports of progress to stdout. They need a
# descriptor of their own, which dpkg does not inherit, opened behind sudo, which closes all others.
# Without a terminal for dpkg: a chroot or container may have none to give (no /dev/pts).
apt() {
    # shellcheck disable=SC2016
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        sh -c 'exec apt-get "$@" 3>&1 >&2' apt-get -y -o APT::Status-Fd=3 \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null 2>>"$log"
}

# apt's reports (dlstatus:NUMBER:PERCENT:WORDS, pmstatus:...) as progress, of which downloading is the
# first half.
show() {
    while IFS= read -r line; do
        if [[ $line =~ ^(dl|pm)status:[^:]*:([0-9]+)[^:]*:(.*) ]]; then
            half=0
            [ "${BASH_REMATCH[1]}" = dl ] || half=50
            echo "$((half + BASH_REMATCH[2] / 2)) ${BASH_REMATCH[3]}"
        fi
    done | "$(dirname "$0")/progress.sh"
}

install() {
    apt install --no-install-recommends "${missing[@]}" | show
}

echo "installing: ${missing[*]}"
# The lists of packages may be missing or old: fetch them only when it does not work without.
if ! install && ! { echo "  fetching the lists of packages" && apt update >/dev/null && install; }; then
    cat "$log" >&2
    echo "install_packages.sh: could not install ${missing[*]}" >&2
    exit 3
fi
