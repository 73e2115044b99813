#!/usr/bin/env bash
# Shows how far a long job is: reads lines "PERCENT [WORDS]" and ends with its input.
#
#   job | tools/progress.sh
#
# On a terminal it is one line that changes; elsewhere a line for each tenth of the way, with the
# time it took, so that a log stays short.
set -euo pipefail
terminal=false
[ ! -t 1 ] || terminal=true
shown=0
while read -r percent words; do
    percent=${percent%%[.,]*}
    [[ $percent =~ ^[0-9]+$ ]] || continue
    if $terminal; then
        printf '\r\033[K  %3d %%  %.60s' "$percent" "$words"
    elif [ "$percent" -ge $((shown + 10)) ]; then
        shown=$((percent / 10 * 10))
        printf '  %3d %%  %d s\n' "$shown" "$SECONDS"
    fi
done
if $terminal; then
    printf '\r\033[K'
fi
