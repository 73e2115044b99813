#!/bin/sh
# ABI 2: plugins of older and of newer headers, plugins in C++, and headers that every compiler likes.
. "$TACTUS_SOURCE/tests/cli/common"
command -v "${CC:-cc}" >/dev/null || exit 77
include=$TACTUS_SOURCE/include

# --- headers ------------------------------------------------------------------------------------
clean() { # LANGUAGE STANDARD COMPILER
    command -v "$3" >/dev/null || return 0
    for header in "$include"/tactus/*.h; do
        printf '#include "%s"\ntypedef int not_empty;\n' "$header" >unit
        "$3" -x "$1" -std="$2" -pedantic -Wall -Wextra -Werror -I"$include" -fsyntax-only unit \
            >log 2>&1 && continue
        fail "$header is not clean under $3 -std=$2:"
        head -n 5 log
    done
}
for compiler in gcc clang; do
    clean c c11 $compiler
    clean c c17 $compiler
done
for compiler in g++ clang++; do
    clean c++ c++11 $compiler
    clean c++ c++17 $compiler
    clean c++ c++20 $compiler
done
! grep -rn 'LANES = [0-9]' "$include" || fail 'a public header says how wide a lane is'

# --- C++ ----------------------------------------------------------------------------------------
thermal=$TACTUS_SOURCE/examples/plugin
hash_of() { # LIBRARY
    THERMAL=$PWD/$1 "$TACTUS" run "$thermal/thermal.yaml" --json --quiet 2>err | grep '"hash"'
}
"${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror -shared -fPIC -I"$include" \
    "$thermal/thermal.c" -o c.so || fail 'the plugin in C'
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for standard in c++11 c++17 c++20; do
        $compiler -std=$standard -pedantic -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast \
            -Werror -shared -fPIC -isystem "$include" "$thermal/thermal.cpp" -o cpp.so ||
            fail "the plugin in C++ under $compiler -std=$standard"
        same 'in C and in C++' "$(hash_of c.so)" "$(hash_of cpp.so)"
    done
done
# Macros in any order, in tables outside of functions, inside each other, and twice in one call.
cat >defs.cc <<'END'
#include <tactus/plugin.h>
#include <tactus/engine.h>
#include <cstring>
namespace
{
tac_status stand(tac_step *, const void *) { return TAC_OK; }
const tac_component_type types[] = {
    TAC_DEF(tac_component_type, .version = "1", .name = "one"),
    TAC_DEF(tac_component_type, .name = "two", .kernels[TAC_PACK2].step = stand,
            .kernels[TAC_NUMBERS].step = stand, .stage = TAC_STAGE_CONTROL),
};
const tac_port_def table[] = {TAC_DEF(tac_port_def, .name = "a", .type = TAC_TYPE_ARRAY(TAC_F64, 4)),
                              TAC_DEF(tac_port_def, .name = "q", .type = TAC_TYPE_QUAT)};
bool are(const tac_param_def *a, const tac_param_def *b)
{
    return !std::strcmp(a->name, "a") && !std::strcmp(b->name, "b") && !a->unit &&
           !std::strcmp(b->unit, "m") && a->size == sizeof *a;
}
tac_param_def made(const tac_param_def *inner) { return *inner; }
} // namespace
int main(int argc, char **)
{
    const char *const unit = argc ? "m" : "s"; // a local variable
    const bool tables = !std::strcmp(types[0].name, "one") && !types[0].kernels[TAC_NUMBERS].step &&
                        types[1].kernels[TAC_PACK2].step == stand &&
                        types[1].size == sizeof types[1] && types[1].stage == TAC_STAGE_CONTROL &&
                        table[0].type.count == 4 && table[1].type.shape == TAC_QUAT;
    const bool twice = are(TAC_PARAM(.name = "a"), TAC_PARAM(.unit = unit, .name = "b"));
    const tac_param_def outer =
        TAC_DEF(tac_param_def, .name = "outer",
                .unit = made(TAC_PARAM(.name = "inner", .unit = unit)).unit, .doc = "after");
    const bool inside = !std::strcmp(outer.name, "outer") && !std::strcmp(outer.unit, "m") &&
                        !std::strcmp(outer.doc, "after");
    return tables && twice && inside ? 0 : 1;
}
END
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for standard in c++11 c++17; do
        $compiler -std=$standard -pedantic -Wall -Wextra -Werror -I"$include" defs.cc -o defs &&
            ./defs || fail "definitions in C++ under $compiler -std=$standard"
    done
done

# --- other versions of the headers --------------------------------------------------------------
cat >ramp.yaml <<'END'
duration: 1 s
plugins: [abi.so]
scheduler:
  rate_groups:
    - {name: g, period: 100 ms, components: [one]}
components:
  one: {type: ramp}
END
build() { # INCLUDE OPTION...
    from=$1
    shift
    "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -shared -fPIC -I"$from" "$@" "$data/abi.c" -o abi.so ||
        fail "cannot build against $from $*"
}
build "$include"
expect 0 run ramp.yaml --json
now=$(grep '"hash"' out)

# Older: the last fields of each definition, and of what is passed to the plugin, do not exist yet.
cp -r "$include" older
cut() { # STRUCT HOW-MANY: fields at the end, each a line that ends in ';'
    awk -v name="$1" -v many="$2" '
        { line[NR] = $0 }
        $0 ~ "^typedef struct " name " " { inside = 1 }
        inside && /;( *\/\/.*)?$/ && $0 !~ /^}/ { field[++fields] = NR }
        inside && $0 ~ "^} " name ";" { inside = 0; for (i = 0; i < many; i++) drop[field[fields - i]] = 1 }
        END { for (i = 1; i <= NR; i++) if (!(i in drop)) print line[i] }' "$3" >cut.h &&
        ! cmp -s cut.h "$3" && mv cut.h "$3" || fail "nothing to cut off $1"
}
cut tac_component_type 2 older/tactus/component.h
cut tac_param_def 2 older/tactus/component.h
cut tac_port_def 2 older/tactus/component.h
cut tac_message_def 2 older/tactus/component.h
cut tac_eval 2 older/tactus/component.h
build older
expect 0 run ramp.yaml --json
same 'a plugin of older headers' "$now" "$(grep '"hash"' out)"
expect 0 help ramp --plugin ./abi.so
says out rate m/s

# Newer: a field more at the end of each definition. Unused it does no harm; used it is named.
cp -r "$include" newer
for name in tac_component_type tac_param_def tac_port_def tac_message_def tac_plugin; do
    sed -i "s/^} $name;/    uint64_t future;\n} $name;/" newer/tactus/component.h newer/tactus/plugin.h
done
sed -i 's/tac_plugin_arithmetic}; /tac_plugin_arithmetic, 0}; /' newer/tactus/plugin.h
build newer
expect 0 run ramp.yaml --json
same 'a plugin of newer headers' "$now" "$(grep '"hash"' out)"
for use in PARAM:tac_param_def PORT:tac_port_def MESSAGE:tac_message_def TYPE:tac_component_type; do
    build newer "-D${use%:*}_FIELD=, .future = 1"
    expect 3 run ramp.yaml
    says err "a ${use#*:} uses a field that this version of Tactus does not have" 'update Tactus'
done
# What a newer plugin may read of a step is not there.
sed -i "s/^} tac_step;/    uint64_t future;\n} tac_step;/" newer/tactus/component.h
build newer
expect 3 run ramp.yaml
says err 'was built for a newer Tactus: its tac_step has'
finish
