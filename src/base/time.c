// time.c - exact reading and writing of microseconds. Decimal numbers are kept as digits and a
// power of ten; no floating point is involved.
#include "base/error.h"
#include "base/floats.h"
#include "base/print.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

// digits * 10^exponent, exactly as written
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

enum { DIGITS_MAX = 19, EXPONENT_MAX = 40 };

static const struct {
    const char *name;
    bool rate;
    uint32_t scale; // of a duration: multiples of 10^exponent us; of a rate: of 10^exponent Hz
    int exponent;
} units[] = {
    {"us", false, 1, 0}, {"µs", false, 1, 0},  {"ms", false, 1, 3},
    {"s", false, 1, 6},  {"min", false, 6, 7}, {"h", false, 36, 8},
    {"Hz", true, 1, 0},  {"kHz", true, 1, 3},  {"MHz", true, 1, 6},
};

static const char *skip_spaces(const char *c)
{
    while (*c == ' ' || *c == '\t')
        c++;
    return c;
}

// Read "12", "0.004", "1e-3". Returns what follows, or NULL if this is not a number that fits.
static const char *read_decimal(const char *c, decimal *d)
{
    *d = (decimal){0, 0};
    int seen = 0, kept = 0;
    bool point = false;
    for (;; c++) {
        if (*c == '.' && !point) {
            point = true;
        } else if (*c >= '0' && *c <= '9') {
            seen++;
            if (kept > 0 || *c != '0') {
                if (kept == DIGITS_MAX && *c != '0')
                    return NULL;
                if (kept == DIGITS_MAX) {
                    d->exponent += point ? 0 : 1; // a trailing zero past the last digit kept
                    continue;
                }
                d->digits = d->digits * 10 + (uint64_t)(*c - '0');
                kept++;
            }
            d->exponent -= point;
        } else if (*c == '_' && seen > 0) {
            continue; // 1_000_000
        } else {
            break;
        }
        if (d->exponent < -EXPONENT_MAX || d->exponent > EXPONENT_MAX)
            return NULL;
    }
    if (seen == 0)
        return NULL;
    if (*c == 'e' || *c == 'E') {
        const char *start = c++;
        const bool minus = *c == '-';
        if (*c == '-' || *c == '+')
            c++;
        if (!(*c >= '0' && *c <= '9'))
            return start; // a unit that begins with e
        int e = 0;
        for (; *c >= '0' && *c <= '9'; c++)
            e = e < 1000 ? e * 10 + (*c - '0') : e;
        d->exponent += minus ? -e : e;
    }
    if (d->digits == 0)
        d->exponent = 0;
    return d->exponent < -EXPONENT_MAX || d->exponent > EXPONENT_MAX ? NULL : c;
}

// numerator / denominator as a whole number, and whether it is one.
static bool divide(decimal numerator, uint64_t scale, decimal denominator, u128 *quotient,
                   bool *exact)
{
    int exponent = numerator.exponent - denominator.exponent;
    u128 n = (u128)numerator.digits * scale, m = denominator.digits;
    while (exponent > 0 && n <= (u128)-1 / 10) {
        n *= 10;
        exponent--;
    }
    while (exponent < 0 && m <= (u128)-1 / 10) {
        m *= 10;
        exponent++;
    }
    if (exponent > 0)
        return n == 0 ? (*quotient = 0, *exact = true) : false;
    if (exponent < 0) { // denominator beyond 128 bits: the quotient is below one
        *quotient = 0;
        *exact = n == 0;
        return true;
    }
    *quotient = n / m;
    *exact = n % m == 0;
    return true;
}

static void print_rate(uint64_t period_us, char *text, size_t size)
{
    tac__print(text, size, "%.9g Hz", 1e6 / (double)period_us);
}

static tac_status fail_fraction(const char *text, uint64_t below, bool rate, bool zero_too,
                                tac_error *err)
{
    char a[TAC_TIME_TEXT], b[TAC_TIME_TEXT];
    tac_time_print(below, a);
    tac_time_print(below + 1, b);
    tac__fail(err, TAC_E_TIME, "'%s' is not a whole number of microseconds; the nearest are ",
              text);
    if (!rate && below == 0 && !zero_too) {
        tac__error_append(err, "%s and 2 us", b);
    } else if (!rate) {
        tac__error_append(err, "%s and %s", a, b);
    } else if (below == 0) {
        tac__error_append(err, "%s (1 MHz)", b);
    } else {
        char fast[32], slow[32];
        print_rate(below, fast, sizeof fast);
        print_rate(below + 1, slow, sizeof slow);
        tac__error_append(err, "%s (%s) and %s (%s)", a, fast, b, slow);
    }
    return TAC_E_TIME;
}

static tac_status parse(const char *text, bool rates_too, tac_time *t_us, tac_error *err)
{
    const char *expected = rates_too ? "such as '4 ms' or '250 Hz'" : "such as '4 ms' or '1.5 s'";
    const char *c = skip_spaces(text);
    if (*c == '-')
        return tac__fail(err, TAC_E_RANGE, "'%s': time cannot be negative", text);
    decimal d;
    c = read_decimal(c + (*c == '+'), &d);
    if (!c)
        return tac__fail(err, TAC_E_SYNTAX, "'%s' is not a %s; expected one %s", text,
                         rates_too ? "period" : "time", expected);
    c = skip_spaces(c);
    size_t length = strlen(c);
    while (length > 0 && (c[length - 1] == ' ' || c[length - 1] == '\t'))
        length--;
    if (length == 0 && d.digits == 0 && !rates_too) {
        *t_us = 0;
        return TAC_OK;
    }
    if (length == 0)
        return tac__fail(err, TAC_E_UNIT, "'%s' has no unit; expected a %s %s", text,
                         rates_too ? "period" : "time", expected);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) != length || memcmp(units[i].name, c, length) != 0 ||
            (units[i].rate && !rates_too))
            continue;
        u128 quotient;
        bool exact, fits;
        if (units[i].rate) {
            if (d.digits == 0)
                return tac__fail(err, TAC_E_RANGE, "'%s': a rate must be above zero", text);
            d.exponent += units[i].exponent;
            fits = divide((decimal){1, 6}, 1, d, &quotient, &exact);
        } else {
            d.exponent += units[i].exponent;
            fits = divide(d, units[i].scale, (decimal){1, 0}, &quotient, &exact);
        }
        if (!fits || quotient > TAC_TIME_MAX)
            return tac__fail(err, TAC_E_RANGE, "'%s' is too long", text);
        if (!exact)
            return fail_fraction(text, (uint64_t)quotient, units[i].rate, !rates_too, err);
        if (quotient == 0 && rates_too)
            return tac__fail(err, TAC_E_RANGE, "'%s': a period must be above zero", text);
        *t_us = (tac_time)quotient;
        return TAC_OK;
    }
    return tac__fail(err, TAC_E_UNIT, "'%s': unknown unit '%.*s'; expected us, ms, s, min, h%s",
                     text, (int)length, c, rates_too ? ", Hz, kHz" : "");
}

tac_status tac_time_parse(const char *text, tac_time *t_us, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(text && t_us);
    return parse(text, false, t_us, err);
}

tac_status tac_period_parse(const char *text, tac_time *period_us, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(text && period_us);
    return parse(text, true, period_us, err);
}

void tac_time_print(tac_time t_us, char text[TAC_TIME_TEXT])
{
    if (t_us == TAC_TIME_NEVER) {
        snprintf(text, TAC_TIME_TEXT, "never");
        return;
    }
    const char *unit = t_us >= 1000000 || t_us == 0 ? "s" : t_us >= 1000 ? "ms" : "us";
    const uint64_t scale = *unit == 's' ? 1000000 : *unit == 'm' ? 1000 : 1;
    int n = snprintf(text, TAC_TIME_TEXT, "%" PRIu64, t_us / scale);
    uint64_t rest = t_us % scale;
    if (rest) {
        text[n++] = '.';
        for (uint64_t place = scale / 10; rest; place /= 10) {
            text[n++] = (char)('0' + rest / place);
            rest %= place;
        }
    }
    snprintf(text + n, (size_t)(TAC_TIME_TEXT - n), " %s", unit);
}
