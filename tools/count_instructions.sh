#!/bin/sh
# Prints how many instructions a call of one function takes, with all that it calls:
#
#   tools/count_instructions.sh FUNCTION CALLS PROGRAM [ARGUMENT...]
#
# PROGRAM is run under callgrind, which counts while FUNCTION (not inlined) is on the stack; CALLS is
# how often the program calls it.
set -eu
function=$1
calls=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect="$function" \
    "$@" >"$work/stdout" 2>"$work/log"; then
    cat "$work/log" >&2
    exit 1
fi
total=$(sed -n 's/.*Collected : *\([0-9][0-9]*\).*/\1/p' "$work/log")
if [ -z "$total" ] || [ "$total" -eq 0 ]; then
    echo "count_instructions.sh: $function was never called, or was inlined" >&2
    exit 1
fi
awk -v total="$total" -v calls="$calls" 'BEGIN { printf "%.1f\n", total / calls }'
