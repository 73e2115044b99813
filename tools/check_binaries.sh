#!/usr/bin/env bash
# Checks the programs and shared libraries of a folder, a build tree or an installed one:
#
#   tools/check_binaries.sh FOLDER
#
# Where they look for libraries: an empty or relative path would be the current folder. How they are
# hardened, if the folder has a release build: position-independent, relocations resolved at the start
# and read-only then, no executable stack; stack protector and checked calls of libc are in use.
set -euo pipefail
folder=$1
status=0
complain() {
    echo "$*"
    status=1
}

hardened=true
if [ -f "$folder/CMakeCache.txt" ]; then
    grep -qx 'CMAKE_BUILD_TYPE:STRING=Release' "$folder/CMakeCache.txt" &&
        grep -qx 'TACTUS_HARDEN:BOOL=ON' "$folder/CMakeCache.txt" &&
        grep -qx 'TACTUS_SANITIZE:STRING=' "$folder/CMakeCache.txt" || hardened=false
fi

count=0
while IFS= read -r file; do
    head=$(readelf -h "$file" 2>/dev/null) || continue # not ELF
    grep -Eq 'Type: +(EXEC|DYN)' <<<"$head" || continue
    count=$((count + 1))
    dynamic=$(readelf -dW "$file")
    paths=$(sed -n 's/.*R\(UN\)\{0,1\}PATH.*\[\(.*\)\]$/\2/p' <<<"$dynamic")
    while IFS= read -r path; do
        [[ $path == \$ORIGIN* || $path == /* ]] ||
            complain "$file: looks for libraries in the current folder: '$paths'"
    done < <([ -z "$paths" ] || tr ':' '\n' <<<"$paths")
    $hardened || continue
    grep -Eq 'Type: +DYN' <<<"$head" || complain "$file: not position-independent"
    grep -Eq 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || complain "$file: binds lazily"
    segments=$(readelf -lW "$file")
    grep -q GNU_RELRO <<<"$segments" || complain "$file: relocations stay writable"
    ! grep -Eq 'GNU_STACK.*RWE' <<<"$segments" || complain "$file: executable stack"
    case $(basename "$file") in
    tactus | libtactus.so*)
        symbols=$(readelf -sW --dyn-syms "$file")
        grep -q __stack_chk_fail <<<"$symbols" || complain "$file: no stack protector"
        grep -q '_chk@' <<<"$symbols" || complain "$file: no checked calls of libc"
        ;;
    esac
done < <(find "$folder" -name CMakeFiles -prune -o -path "$folder/determinism" -prune -o -type f \
    \( -perm -u+x -o -name '*.so*' \) -print)
[ "$count" -gt 0 ] || complain "$folder: no programs and no libraries"
echo "$count programs and libraries"
exit $status
