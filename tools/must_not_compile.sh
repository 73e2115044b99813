#!/bin/sh
# Checks that a source is refused, and for the reason it was written for:
#
#   tools/must_not_compile.sh SOURCE MACRO COMPILER [FLAG...]
#
# It must compile as it stands, and must not with -DMACRO.
set -eu
source=$1
macro=$2
shift 2
if ! "$@" -fsyntax-only "$source"; then
    echo "$source: does not compile even without $macro"
    exit 1
fi
if "$@" -fsyntax-only "-D$macro" "$source" 2>/dev/null; then
    echo "$source: compiles with $macro, but must not"
    exit 1
fi
