#!/usr/bin/env bash
# Prints the files of this machine's apt sources that have packages of a suite of Debian:
#
#   tools/apt_sources.sh SUITE
set -euo pipefail
shopt -s nullglob
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ] && grep -Eq "^[^#]*[[:space:]]$1([[:space:]]|\$)" "$file"; then
        echo "$file"
    fi
done
