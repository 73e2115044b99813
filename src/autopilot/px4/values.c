// values.c - the names of values.h.
#include "autopilot/px4/values.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define ROW(type, name, count) {#name, (uint32_t)(offsetof(type, name) / sizeof(double)), count},

const tac__px4_name tac__px4_value_names[] = {
#define VALUE(name, count) ROW(tac__px4_values, name, count)
    TAC__PX4_VALUES(VALUE)
#undef VALUE
        {0},
};

const tac__px4_name tac__px4_result_names[] = {
#define RESULT(name, count) ROW(tac__px4_results, name, count)
    TAC__PX4_RESULTS(RESULT)
#undef RESULT
        {0},
};

// ".x" of a vector, ".w" of a quaternion, "[2]"; -1: none of them.
static long element_of(const char *text, uint32_t count)
{
    if (text[0] == '.' && text[1] && !text[2]) {
        static const char letters[] = "wxyz";
        const char *at = strchr(letters, text[1]);
        const long i = at ? at - letters : -1;
        return count == 4 ? i : count == 3 ? i - 1 : -1;
    }
    if (text[0] != '[' || !tac__is_digit(text[1]))
        return -1;
    const char *end;
    const uint64_t i = tac__digits_parse(text + 1, &end, 10);
    return i < (uint64_t)count && !strcmp(end, "]") ? (long)i : -1;
}

_Bool tac__px4_name_find(const tac__px4_name *names, const char *text, tac__px4_name *found)
{
    const size_t length = strcspn(text, ".[");
    for (; names->name; names++) {
        if (strlen(names->name) != length || strncmp(names->name, text, length))
            continue;
        *found = *names;
        if (!text[length])
            return 1;
        const long i = element_of(text + length, names->count);
        found->first += i > 0 ? (uint32_t)i : 0;
        found->count = 1;
        return i >= 0;
    }
    return 0;
}
