// constant.c - the values of constants in .msg files. Constants take no room in a message, so they
// are only checked: a value that makes no sense suggests that the file is not a .msg file.
#include "autopilot/px4/parse.h"

#include <string.h>

enum { LENGTH_MAX = 63 };

// The value of a digit; 16 where it is none.
static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                  : 16;
}

// Digits in base 10, or 16 behind 0x; false where there are none. `*fits` is false if 64 bits
// cannot hold the number.
static bool read_digits(const char *text, uint64_t *value, bool *fits)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const unsigned base = hex ? 16 : 10;
    text += hex ? 2 : 0;
    *value = 0;
    *fits = true;
    for (const char *c = text; *c; c++) {
        const unsigned digit = digit_of(*c);
        if (digit >= base)
            return false;
        *fits = *fits && *value <= (UINT64_MAX - digit) / base;
        *value = *value * base + digit;
    }
    return *text != '\0';
}

static tac_status check_whole(tac__uorb_type type, const char *text, tac_error *err)
{
    const tac__uorb_scalar *scalar = &tac__uorb_scalars[type];
    const bool minus = text[0] == '-', sign = minus || text[0] == '+';
    uint64_t value;
    bool fits;
    if (!read_digits(text + sign, &value, &fits))
        return tac__fail(err, TAC_E_SYNTAX, "expected a whole number, found '%s'", text);
    // The negative of the lowest value is computed as unsigned, where that of INT64_MIN exists.
    const uint64_t depth = 0 - (uint64_t)scalar->lowest;
    if (!fits || value > (minus ? depth : scalar->highest))
        return tac__fail(err, TAC_E_RANGE, "%s does not fit %s", text, scalar->name);
    return TAC_OK;
}

static tac_status check_real(const char *text, tac_error *err)
{
    const char *end;
    tac__number_parse(text, &end);
    if (end == text || *end != '\0')
        return tac__fail(err, TAC_E_SYNTAX, "expected a number, found '%s'", text);
    return TAC_OK;
}

static bool is_truth(const char *text)
{
    return !strcmp(text, "true") || !strcmp(text, "false") || !strcmp(text, "True") ||
           !strcmp(text, "False");
}

tac_status tac__uorb_constant_check(tac__uorb_type type, const char *text, size_t length,
                                    tac_error *err)
{
    char copy[LENGTH_MAX + 1];
    if (length > LENGTH_MAX)
        return tac__fail(err, TAC_E_LIMIT, "a value has at most %d characters", LENGTH_MAX);
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] >= 0x20 && text[i] < 0x7F ? text[i] : '?';
    copy[length] = '\0';
    if (type == TAC__UORB_FLOAT32 || type == TAC__UORB_FLOAT64)
        return check_real(copy, err);
    if (type == TAC__UORB_BOOL && is_truth(copy))
        return TAC_OK;
    return check_whole(type, copy, err);
}
