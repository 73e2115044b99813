#!/bin/sh
# Prints every C and C++ file of the project, one a line; build trees are left out.
set -eu
cd "$(dirname "$0")/.."
find . \( -path './build*' -o -path ./out -o -path ./.git -o -path ./.cache \) -prune -o \
    -type f \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.hh' \) -print | LC_ALL=C sort
