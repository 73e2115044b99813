#!/bin/sh
# Checks the checker: each wrong include in a small tree of its own must make check_rooms.sh fail,
# and the right ones must not.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check_rooms.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/base" "$work/tree/src/engine/deep" "$work/tree/src/record" \
        "$work/tree/src/config" "$work/tree/include/tactus"
    cd "$work/tree"
    printf '#include <stdint.h>\n#include <tactus/time.h>\n' >include/tactus/api.h
    printf '#include "base/text.h"\n#include <string.h>\n' >src/base/text.c
    printf '# include "engine/x.h"\n#include "base/text.h" // why\n' >src/engine/deep/x.c
    printf '#include "engine/watch.h"\n#include <sys/stat.h>\n' >src/record/file.c
    printf '#include <unistd.h>\n#include <yaml.h>\n#include "engine/x.h"\n' >src/config/file.c
}

accept() {
    if ! "$check" "$work/tree" >"$work/out"; then
        echo "refused, but right: $1"
        cat "$work/out"
        exit 1
    fi
}

refuse() { # WHAT, WORDS OF THE MESSAGE
    if "$check" "$work/tree" >"$work/out"; then
        echo "accepted, but wrong: $1"
        exit 1
    fi
    if ! grep -q -- "$2" "$work/out"; then
        echo "refused, but for another reason: $1"
        cat "$work/out"
        exit 1
    fi
    fresh
}

fresh
accept "the tree as it is"

echo '#include "engine/x.h"' >>src/base/text.c
refuse "base uses engine" "src/base/text.c:3: room base may not use engine"
printf '\t#\tinclude\t"config/x.h"\n' >>src/engine/deep/x.c
refuse "engine uses config, with tabs" "room engine may not use config"
echo '#include <unistd.h>' >>src/engine/deep/x.c
refuse "engine includes unistd.h" "system header <unistd.h>"
echo '#include <sys/socket.h>' >>src/base/text.c
refuse "base includes a socket header" "system header <sys/socket.h>"
echo '#include <sleef.h>' >>src/engine/deep/x.c
refuse "only math includes SLEEF" "system header <sleef.h>"
echo '#include "text.h"' >>src/base/text.c
refuse "an include without its room" "does not say its room"
echo '#include "base/../config/x.h"' >>src/base/text.c
refuse "a way round" "not a plain path"
echo '#include "attic/x.h"' >>src/base/text.c
refuse "a room that is none" "no room"
echo '#include "engine/plan/plan.h"' >>src/record/file.c
refuse "record uses the engine's plan" "src/record/file.c:3: room record may use only some headers"
echo '#include HEADER' >>src/base/text.c
refuse "a computed include" "cannot be read"
echo '#include "base/text.h"' >>include/tactus/api.h
refuse "a public header includes a private one" "public header"
echo '#include <pthread.h>' >>include/tactus/api.h
refuse "a public header includes a system header" "public header"
mkdir src/attic && : >src/attic/x.c
refuse "an unknown room" "is no room"
: >src/main.c
refuse "a file beside the rooms" "beside the rooms"
accept "the tree at the end"
