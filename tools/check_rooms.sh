#!/bin/sh
# Checks that every #include keeps to the order of the rooms (tools/rooms.txt).
#
#   tools/check_rooms.sh [ROOT]    ROOT is the source tree, by default the one this file is in
#
# In src/ROOM: "other/name.h" only where `other` is ROOM or above it; <tactus/...> and C's headers
# always; other system headers only as far as the list allows. In include/tactus: <tactus/...> and
# C's headers. Where the list names headers of another room, only those of it. A folder of src/ that is not on the list is an error, and so is a file beside them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}"

LC_ALL=C find include src -type f -o -type l | LC_ALL=C sort | LC_ALL=C awk -v list="$here/rooms.txt" '
function complain(text) {
    printf "%s:%d: %s\n", path, line, text
    bad++
}

function check(target, quoted, room, other) {
    if (quoted) {
        if (room == "") {
            complain("a public header may include only <tactus/...> and C headers, not \"" target "\"")
            return
        }
        other = target
        if (!sub(/\/.*/, "", other))
            complain("\"" target "\" does not say its room; write \"" room "/" target "\"")
        else if (target ~ /(^|\/)\.\.?(\/|$)/)
            complain("\"" target "\" is not a plain path from src/")
        else if (!(other in rank))
            complain("\"" target "\": there is no room \"" other "\"")
        else if (rank[other] > rank[room])
            complain("room " room " may not use " other ", which stands below it (\"" target "\")")
        else if ((room, other, "only") in may && !((room, target) in may))
            complain("room " room " may use only some headers of " other ", and \"" target "\" is none of them")
        return
    }
    if (target ~ /^tactus\// || (target in standard) || (room != "" && (room, "posix") in may))
        return
    if (room == "")
        complain("a public header may include only <tactus/...> and C headers, not <" target ">")
    else if (!((room, target) in may))
        complain("room " room " may not include the system header <" target ">")
}

BEGIN {
    while ((getline row < list) > 0) {
        if (row !~ /^[a-z]/)
            continue
        n = split(row, words, /[ \t]+/)
        rank[words[1]] = ++rooms
        for (i = 2; i <= n; i++) {
            may[words[1], words[i]] = 1
            # a header of another room, or one of the system in a folder such as <sys/stat.h>
            other = words[i]
            if (sub(/\/.*/, "", other) && (other in rank))
                may[words[1], other, "only"] = 1
        }
    }
    if (!rooms) {
        print list ": no rooms"
        failed = 1
        exit 1
    }
    n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp " \
              "signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn " \
              "string tgmath threads time uchar wchar wctype", words, " ")
    for (i = 1; i <= n; i++)
        standard[words[i] ".h"] = 1
}

{
    path = $0
    line = 1
    room = ""
    if (path ~ /^src\//) {
        room = path
        sub(/^src\//, "", room)
        if (!sub(/\/.*/, "", room)) {
            complain("a file beside the rooms")
            next
        }
        if (!(room in rank)) {
            complain("\"" room "\" is no room; they are listed in tools/rooms.txt")
            next
        }
    }
    line = 0
    files++
    while ((getline text < path) > 0) {
        line++
        if (text !~ /^[ \t]*#[ \t]*include/)
            continue
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
        if (match(text, /^"[^"]*"/))
            check(substr(text, 2, RLENGTH - 2), 1, room)
        else if (match(text, /^<[^>]*>/))
            check(substr(text, 2, RLENGTH - 2), 0, room)
        else
            complain("an #include that cannot be read: " text)
    }
    close(path)
}

END {
    if (failed)
        exit 1
    if (bad) {
        printf "%d wrong in %d files\n", bad, files
        exit 1
    }
    printf "%d files in %d rooms keep to the order\n", files, rooms
}'
