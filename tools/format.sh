#!/bin/sh
# Formats every C and C++ file in place.
set -eu
cd "$(dirname "$0")/.."
tools/list_sources.sh | xargs clang-format -i
