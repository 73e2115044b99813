// unit.c - reading units and converting between them.
#include "base/unit.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Symbols. `prefix` says whether k, m, M and the like may stand before it.
static const struct symbol {
    const char *name;
    bool prefix;
    int8_t power[TAC__UNIT_DIMENSIONS]; // m kg s A K rad
    int8_t pi;
    int16_t ten;
    uint32_t num, den;
} symbols[] = {
    {"1", false, {0}, 0, 0, 1, 1},
    {"m", true, {1}, 0, 0, 1, 1},
    {"g", true, {0, 1}, 0, -3, 1, 1},
    {"s", true, {0, 0, 1}, 0, 0, 1, 1},
    {"A", true, {0, 0, 0, 1}, 0, 0, 1, 1},
    {"K", true, {0, 0, 0, 0, 1}, 0, 0, 1, 1},
    {"rad", true, {0, 0, 0, 0, 0, 1}, 0, 0, 1, 1},
    {"deg", false, {0, 0, 0, 0, 0, 1}, 1, 0, 1, 180},
    {"rev", false, {0, 0, 0, 0, 0, 1}, 1, 0, 2, 1},
    {"rpm", false, {0, 0, -1, 0, 0, 1}, 1, 0, 1, 30},
    {"Hz", true, {0, 0, -1}, 0, 0, 1, 1},
    {"N", true, {1, 1, -2}, 0, 0, 1, 1},
    {"Pa", true, {-1, 1, -2}, 0, 0, 1, 1},
    {"J", true, {2, 1, -2}, 0, 0, 1, 1},
    {"W", true, {2, 1, -3}, 0, 0, 1, 1},
    {"Wh", true, {2, 1, -2}, 0, 0, 3600, 1},
    {"V", true, {2, 1, -3, -1}, 0, 0, 1, 1},
    {"Ohm", true, {2, 1, -3, -2}, 0, 0, 1, 1},
    {"ohm", true, {2, 1, -3, -2}, 0, 0, 1, 1},
    {"F", true, {-2, -1, 4, 2}, 0, 0, 1, 1},
    {"C", true, {0, 0, 1, 1}, 0, 0, 1, 1},
    {"Ah", true, {0, 0, 1, 1}, 0, 0, 3600, 1},
    {"T", true, {0, 1, -2, -1}, 0, 0, 1, 1},
    {"gauss", false, {0, 1, -2, -1}, 0, -4, 1, 1},
    {"bar", true, {-1, 1, -2}, 0, 5, 1, 1},
    {"min", false, {0, 0, 1}, 0, 0, 60, 1},
    {"h", false, {0, 0, 1}, 0, 0, 3600, 1},
    {"in", false, {1}, 0, -4, 254, 1},
    {"ft", false, {1}, 0, -4, 3048, 1},
    {"kt", false, {1, 0, -1}, 0, 0, 1852, 3600},
    {"%", false, {0}, 0, -2, 1, 1},
};

static const struct {
    const char *name;
    int16_t ten;
} prefixes[] = {{"k", 3},  {"M", 6},  {"G", 9},  {"m", -3}, {"u", -6},
                {"µ", -6}, {"n", -9}, {"c", -2}, {"h", 2},  {"d", -1}};

enum { SYMBOLS = sizeof symbols / sizeof *symbols, PREFIXES = sizeof prefixes / sizeof *prefixes };

uint64_t tac__gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static bool multiply(uint64_t *a, uint64_t b)
{
    return !__builtin_mul_overflow(*a, b, a);
}

enum { POWER_MAX = 32, PI_MAX = 100, TEN_MAX = 2000 };

bool tac__unit_multiply(tac__unit *a, const tac__unit *b, int exponent)
{
    for (int d = 0; d < TAC__UNIT_DIMENSIONS; d++) {
        const int power = a->power[d] + exponent * b->power[d];
        if (power < -POWER_MAX || power > POWER_MAX)
            return false;
        a->power[d] = (int8_t)power;
    }
    const int pi = a->pi + exponent * b->pi, ten = a->ten + exponent * b->ten;
    if (pi < -PI_MAX || pi > PI_MAX || ten < -TEN_MAX || ten > TEN_MAX)
        return false;
    a->pi = (int8_t)pi;
    a->ten = (int16_t)ten;
    if (!multiply(&a->num, exponent > 0 ? b->num : b->den) ||
        !multiply(&a->den, exponent > 0 ? b->den : b->num))
        return false;
    const uint64_t common = tac__gcd(a->num, a->den);
    a->num /= common;
    a->den /= common;
    return true;
}

// unit *= symbol^exponent; false if an exponent gets too large
static bool apply(tac__unit *unit, const struct symbol *symbol, int16_t prefix_ten, int exponent)
{
    tac__unit factor = {.pi = symbol->pi,
                        .ten = (int16_t)(symbol->ten + prefix_ten),
                        .num = symbol->num,
                        .den = symbol->den};
    memcpy(factor.power, symbol->power, sizeof factor.power);
    const int n = exponent < 0 ? -exponent : exponent;
    for (int i = 0; i < n; i++) {
        if (!tac__unit_multiply(unit, &factor, exponent < 0 ? -1 : 1))
            return false;
    }
    return true;
}

static const struct symbol *find_symbol(const char *name, size_t length, int16_t *ten)
{
    *ten = 0;
    for (size_t i = 0; i < SYMBOLS; i++) {
        if (strlen(symbols[i].name) == length && !memcmp(symbols[i].name, name, length))
            return &symbols[i];
    }
    for (size_t p = 0; p < PREFIXES; p++) {
        const size_t skip = strlen(prefixes[p].name);
        if (skip >= length || memcmp(prefixes[p].name, name, skip))
            continue;
        for (size_t i = 0; i < SYMBOLS; i++) {
            if (symbols[i].prefix && strlen(symbols[i].name) == length - skip &&
                !memcmp(symbols[i].name, name + skip, length - skip)) {
                *ten = prefixes[p].ten;
                return &symbols[i];
            }
        }
    }
    return NULL;
}

// Spellings that are no symbols, in lower case, and the symbol for each.
static const struct {
    const char *spelling, *symbol;
} spellings[] = {
    {"inch", "in"},  {"inches", "in"}, {"foot", "ft"},    {"feet", "ft"},     {"knot", "kt"},
    {"knots", "kt"}, {"kts", "kt"},    {"kn", "kt"},      {"mah", "mAh"},     {"meter", "m"},
    {"meters", "m"}, {"metre", "m"},   {"metres", "m"},   {"gram", "g"},      {"grams", "g"},
    {"second", "s"}, {"seconds", "s"}, {"sec", "s"},      {"minute", "min"},  {"minutes", "min"},
    {"hour", "h"},   {"hours", "h"},   {"degree", "deg"}, {"degrees", "deg"}, {"volt", "V"},
    {"volts", "V"},  {"amp", "A"},     {"amps", "A"},     {"watt", "W"},      {"watts", "W"},
    {"newton", "N"}, {"newtons", "N"}, {"percent", "%"},
};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

static const char *find_spelling(const char *name)
{
    for (size_t i = 0; i < SPELLINGS; i++) {
        const char *a = name, *b = spellings[i].spelling;
        while (*a && tac__to_lower(*a) == *b) {
            a++;
            b++;
        }
        if (!*a && !*b)
            return spellings[i].symbol;
    }
    return NULL;
}

// Append the symbol that was probably meant, or all symbols where none is near.
static void suggest(tac_error *err, const char *name)
{
    tac__nearest nearest = tac__nearest_begin(name);
    const char *meant = find_spelling(name);
    for (size_t i = 0; !meant && i < SYMBOLS; i++)
        tac__nearest_offer(&nearest, symbols[i].name);
    if (meant || nearest.best) {
        tac__error_append(err, "; did you mean '%s'?", meant ? meant : nearest.best);
        return;
    }
    tac__error_append(err, "; expected a product of");
    for (size_t i = 0; i < SYMBOLS; i++)
        tac__error_append(err, "%s %s", i ? "," : "", symbols[i].name);
}

// Where a symbol ends: at an operator, a power or a space.
static size_t symbol_length(const char *c)
{
    return strcspn(c, "*/^ .\t");
}

enum { EXPONENT_MAX = 8, FACTORS_MAX = 16 };

tac_status tac__unit_parse(const char *text, tac__unit *unit, tac_error *err)
{
    *unit = (tac__unit){.num = 1, .den = 1};
    if (!text || !*text)
        return TAC_OK;
    int sign = 1, factors = 0;
    const char *c = text;
    for (;;) {
        const size_t length = symbol_length(c);
        int16_t ten;
        const struct symbol *symbol = length ? find_symbol(c, length, &ten) : NULL;
        if (!symbol) {
            char name[32];
            memcpy(name, c, length < sizeof name ? length : sizeof name - 1);
            name[length < sizeof name ? length : sizeof name - 1] = '\0';
            tac__fail(err, TAC_E_UNIT, "unknown unit '%s'", length ? name : text);
            if (length && length < strlen(text))
                tac__error_append(err, " in '%s'", text);
            suggest(err, name);
            return TAC_E_UNIT;
        }
        c += length;
        int exponent = 1;
        if (*c == '^') {
            const char *end;
            int64_t e;
            (void)tac__whole_parse(c + 1, &end, &e);
            if (end == c + 1 || e < -EXPONENT_MAX || e > EXPONENT_MAX)
                return tac__fail(err, TAC_E_UNIT,
                                 "unit '%s': a power must be a whole number from "
                                 "-%d to %d",
                                 text, EXPONENT_MAX, EXPONENT_MAX);
            exponent = (int)e;
            c = end;
        }
        if (++factors > FACTORS_MAX || !apply(unit, symbol, ten, sign * exponent))
            return tac__fail(err, TAC_E_UNIT, "unit '%s' is too complicated", text);
        if (*c == '\0')
            return TAC_OK;
        if (*c != '*' && *c != '/')
            return tac__fail(err, TAC_E_UNIT, "unit '%s': expected '*', '/' or '^' before '%s'",
                             text, c);
        sign = *c == '/' ? -1 : 1;
        c++;
    }
}

bool tac__unit_compatible(const tac__unit *a, const tac__unit *b)
{
    return memcmp(a->power, b->power, sizeof a->power) == 0;
}

bool tac__unit_same(const tac__unit *a, const tac__unit *b)
{
    if (!tac__unit_compatible(a, b) || a->pi != b->pi)
        return false;
    const tac__factor f = tac__unit_factor(a, b);
    return f.num == f.den;
}

static double raise(double base, int n)
{
    double p = 1;
    while (n-- > 0)
        p *= base;
    return p;
}

tac__factor tac__unit_factor(const tac__unit *a, const tac__unit *b)
{
    const double pi = 3.14159265358979323846;
    uint64_t num = a->num, den = a->den, common = tac__gcd(a->num, b->num);
    num /= common;
    uint64_t b_num = b->num / common;
    common = tac__gcd(den, b->den);
    den /= common;
    const uint64_t b_den = b->den / common;
    tac__factor f = {(double)num * (double)b_den, (double)den * (double)b_num, false};
    const int ten = a->ten - b->ten, turns = a->pi - b->pi;
    f.num *= raise(10, ten) * raise(pi, turns);
    f.den *= raise(10, -ten) * raise(pi, -turns);
    // Powers of ten may have brought a common factor back; whole ratios lose it. They are exact as
    // long as both sides are, up to 2^53.
    f.divide_first = turns != 0;
    const bool exact = turns == 0 && f.num < 0x1p53 && f.den < 0x1p53;
    if (f.num == f.den)
        f = (tac__factor){1, 1, false};
    else if (exact && fmod(f.num, f.den) == 0)
        f = (tac__factor){f.num / f.den, 1, false};
    else if (exact && fmod(f.den, f.num) == 0)
        f = (tac__factor){1, f.den / f.num, false};
    return f;
}

tac_status tac__quantity_parse(const char *text, const char *unit, double *value, tac_error *err)
{
    const char *end;
    *value = tac__number_parse(text, &end);
    const bool hex = strpbrk(text, "xX") && strpbrk(text, "xX") < end;
    if (end == text || hex || *value - *value != 0)
        return tac__fail(err, TAC_E_TYPE, "'%s' is not a finite number", text);
    while (*end == ' ' || *end == '\t')
        end++;
    size_t length = strlen(end);
    while (length > 0 && (end[length - 1] == ' ' || end[length - 1] == '\t'))
        length--;
    if (length == 0)
        return TAC_OK;
    char name[64];
    if (length >= sizeof name)
        return tac__fail(err, TAC_E_UNIT, "'%s': the unit is too long", text);
    memcpy(name, end, length);
    name[length] = '\0';
    tac__unit from, to;
    TAC_TRY(tac__unit_parse(name, &from, err));
    TAC_TRY(tac__unit_parse(unit, &to, err));
    if (!tac__unit_compatible(&from, &to))
        return tac__fail(err, TAC_E_UNIT, "'%s' is not in a unit of %s", text,
                         unit && *unit ? unit : "1 (a bare number)");
    *value = tac__factor_apply(tac__unit_factor(&from, &to), *value);
    return TAC_OK;
}
