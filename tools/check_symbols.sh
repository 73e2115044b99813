#!/bin/sh
# Checks what a built libtactus.so shows and needs: tools/check_symbols.sh LIBRARY
#
# It exports every function that the public headers declare, and nothing but tac_* names under the
# version node; it needs no C++ runtime, and no library that it loads itself when it is needed.
set -eu
library=$1
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort >"$work/exported"
if grep -Ev '^tac_[a-z0-9][a-z0-9_]*@@TACTUS_[0-9]+$' "$work/exported"; then
    echo "exported, but not public names"
    status=1
fi

# Declarations, without macros (some of which declare what others define) and comments.
awk '/^[ \t]*#/ || macro { macro = /\\$/; next } { sub("//.*", ""); print }' include/tactus/*.h |
    tr '\n' ' ' | sed 's/TAC_API/\n&/g' |
    sed -n 's/^TAC_API[^(;]*[ *]\(tac_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$work/declared"
sed 's/@.*//' "$work/exported" | sort -u >"$work/names"
if [ ! -s "$work/declared" ]; then
    echo "no declarations found in include/tactus"
    status=1
fi
comm -23 "$work/declared" "$work/names" >"$work/undefined"
if [ -s "$work/undefined" ]; then
    echo "declared in include/tactus, but not exported:"
    cat "$work/undefined"
    status=1
fi

if readelf -d "$library" | grep -E 'NEEDED.*(stdc\+\+|libc\+\+)'; then
    echo "needs a C++ runtime"
    status=1
fi
if readelf -d "$library" | grep -E 'NEEDED.*(liblcm|libglib)'; then
    echo "is linked with LCM, which takes time in every start of the program"
    status=1
fi
exit $status
