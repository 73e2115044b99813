#!/bin/sh
# Checks that every C and C++ file is formatted as .clang-format says. tools/format.sh mends it.
set -eu
cd "$(dirname "$0")/.."
tools/list_sources.sh | xargs clang-format --dry-run -Werror
