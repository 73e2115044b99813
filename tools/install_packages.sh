#!/usr/bin/env bash
# Installs what is missing, on Debian and its like.
#
#   tools/install_packages.sh PURPOSE...    of: build, demo, test, bench, clients
#
# Does nothing and asks for no rights where everything is there.
set -euo pipefail

# A package, or PATTERN=PACKAGE where anything installed that fits the pattern will do.
build=(gcc g++ libc6-dev cmake ninja-build 'pkg*conf*=pkgconf' libyaml-dev libsleef-dev
    libzstd-dev liblz4-dev libhdf5-dev)
demo=('gnuplot-[nqx]*=gnuplot-nox')
test=(libcmocka-dev clang 'libclang-rt-*dev=libclang-rt-dev' 'clang-format*=clang-format' binutils
    python3 python3-h5py libsundials-dev liblcm-bin 'gnuplot-[nqx]*=gnuplot-nox')
bench=(valgrind libsundials-dev)
clients=(python3-pip)
# Node comes from many places, with npm in the same package or not: the commands are asked for.
command -v node >/dev/null || test+=('nodejs*=nodejs')
command -v npm >/dev/null || test+=(npm)

wanted=()
for purpose in "$@"; do
    case $purpose in
    build) wanted+=("${build[@]}") ;;
    demo) wanted+=("${demo[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    clients) wanted+=("${clients[@]}") ;;
    *)
        echo "install_packages.sh: unknown purpose '$purpose'; there are build, demo, test, bench, clients" >&2
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

apt() {
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
        apt-get -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

echo "installing: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The lists of packages may be missing or old: fetch them only when it does not work without.
if ! apt install --no-install-recommends "${missing[@]}" >"$log" 2>&1 &&
    ! { apt update && apt install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "install_packages.sh: could not install ${missing[*]}" >&2
    exit 3
fi
