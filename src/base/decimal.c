// decimal.c - see decimal.h.
//
// Everything is built on one function: the exact decimal digits of m * 2^e, as many as are asked
// for. A number is printed by rounding these digits. The shortest text is the first one that lies
// between the midpoints to the neighbouring doubles. A text is read by guessing the double and
// comparing the text with the midpoints beside the guess. So nothing depends on rounding modes, and
// there is no table that could be wrong.
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// The longest double has 767 digits; the midpoint between two doubles has one more.
enum { DIGITS_MAX = 800, LIMBS = 40 };

typedef struct decimal {
    int count;    // digits, the first is not 0; none: the number is 0
    int exponent; // the value is 0.d1d2d3... times ten to this power
    bool more;    // digits that are not stored follow, and not all of them are 0
    char digits[DIGITS_MAX];
} decimal;

// Append a group of nine digits (of `width` where it is the first), zeros in front left out.
static void add_group(decimal *d, uint32_t group, int width, int limit)
{
    char text[9];
    for (int i = width; i-- > 0; group /= 10)
        text[i] = (char)('0' + group % 10);
    for (int i = 0; i < width; i++) {
        if (d->count == 0 && text[i] == '0')
            continue;
        if (d->count < limit)
            d->digits[d->count++] = text[i];
        else
            d->more |= text[i] != '0';
    }
}

enum { GROUP = 1000000000 };

// Digits of a whole number m 2^e.
static void expand_whole(decimal *d, uint64_t m, int e, int limit)
{
    uint32_t groups[LIMBS]; // the lowest first
    int n = 0;
    for (; m; m /= GROUP)
        groups[n++] = (uint32_t)(m % GROUP);
    while (e > 0) {
        const int shift = e < 29 ? e : 29;
        uint64_t carry = 0;
        for (int i = 0; i < n; i++) {
            carry += (uint64_t)groups[i] << shift;
            groups[i] = (uint32_t)(carry % GROUP);
            carry /= GROUP;
        }
        if (carry)
            groups[n++] = (uint32_t)carry;
        e -= shift;
    }
    for (int i = n; i-- > 0;)
        add_group(d, groups[i], 9, limit);
    int leading = 0;
    for (uint32_t top = n ? groups[n - 1] : 0; top; top /= 10)
        leading++;
    d->exponent = n ? (n - 1) * 9 + leading : 0;
}

// Digits behind the point of a number below 1: m 2^-places.
static void expand_fraction(decimal *d, uint64_t m, int places, int limit)
{
    uint32_t limbs[LIMBS] = {0}; // binary, the lowest first; the point stands above the last
    const int n = (places + 31) / 32, up = n * 32 - places;
    const uint64_t low = m << up, high = up ? m >> (64 - up) : 0;
    const uint32_t words[3] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high};
    for (int i = 0; i < 3 && i < n; i++)
        limbs[i] = words[i];
    int first = 0; // limbs below it have become 0
    for (int groups = 0; first < n; groups++) {
        uint64_t carry = 0;
        for (int i = first; i < n; i++) {
            carry += (uint64_t)limbs[i] * GROUP;
            limbs[i] = (uint32_t)carry;
            carry >>= 32;
        }
        while (first < n && limbs[first] == 0)
            first++;
        const bool begins = d->count == 0 && carry;
        add_group(d, (uint32_t)carry, 9, limit);
        if (begins) {
            int leading = 0;
            for (uint64_t rest = carry; rest; rest /= 10)
                leading++;
            d->exponent = leading - 9 * (groups + 1);
        }
        if (d->count >= limit) {
            d->more |= first < n;
            return;
        }
    }
}

// The first `limit` digits of m 2^e, m below 2^55.
static void expand(decimal *d, uint64_t m, int e, int limit)
{
    d->count = d->exponent = 0;
    d->more = false;
    limit = limit < DIGITS_MAX ? limit : DIGITS_MAX;
    for (; m && e < 0 && !(m & 1); e++) // fewer places behind the point
        m >>= 1;
    if (e >= 0) {
        expand_whole(d, m, e, limit);
        return;
    }
    const uint64_t whole = -e < 64 ? m >> -e : 0;
    if (whole)
        expand_whole(d, whole, 0, limit);
    expand_fraction(d, m - (-e < 64 ? whole << -e : 0), -e, limit);
}

// A finite positive double as m 2^e, with the m of a normal number at least 2^52.
static uint64_t take_apart(double value, int *e)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    *e = (biased ? biased : 1) - 1075;
    return biased ? fraction | UINT64_C(1) << 52 : fraction;
}

// --- printing -----------------------------------------------------------------------------------

// Round to the first `keep` digits (0: to nothing, or to a 1 before them), ties to even.
static void round_to(decimal *d, int keep)
{
    if (keep >= d->count)
        return;
    bool up = false;
    if (keep >= 0) {
        const char next = d->digits[keep];
        bool rest = d->more;
        for (int i = keep + 1; i < d->count; i++)
            rest |= d->digits[i] != '0';
        const bool odd = keep > 0 && (d->digits[keep - 1] - '0') % 2 != 0;
        up = next > '5' || (next == '5' && (rest || odd));
    }
    d->count = keep > 0 ? keep : 0;
    d->more = false;
    if (!up)
        return;
    int i = d->count;
    while (i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (i > 0) {
        d->digits[i - 1]++;
        return;
    }
    d->digits[0] = '1'; // and zeros
    if (d->count == 0)
        d->count = 1;
    d->exponent++;
}

typedef struct out {
    char *text;
    size_t size, length;
} out;

static void put(out *o, char c)
{
    if (o->length + 1 < o->size)
        o->text[o->length++] = c;
}

static char digit_at(const decimal *d, int i)
{
    return i >= 0 && i < d->count ? d->digits[i] : '0';
}

static void put_fixed(out *o, const decimal *d, int places, bool point)
{
    const int before = d->count ? d->exponent : 0;
    if (before <= 0)
        put(o, '0');
    for (int i = 0; i < before; i++)
        put(o, digit_at(d, i));
    if (places > 0 || point)
        put(o, '.');
    for (int i = 0; i < places; i++)
        put(o, digit_at(d, before + i));
}

static void put_exponent(out *o, const decimal *d, int places, bool point, char e)
{
    put(o, digit_at(d, 0));
    if (places > 0 || point)
        put(o, '.');
    for (int i = 1; i <= places; i++)
        put(o, digit_at(d, i));
    int exponent = d->count ? d->exponent - 1 : 0;
    put(o, e);
    put(o, exponent < 0 ? '-' : '+');
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100)
        put(o, (char)('0' + exponent / 100));
    put(o, (char)('0' + exponent / 10 % 10));
    put(o, (char)('0' + exponent % 10));
}

size_t tac__decimal_print(double value, char style, int precision, bool keep_zeros, char *text,
                          size_t size)
{
    out o = {text, size, 0};
    const bool capital = style >= 'A' && style <= 'Z';
    const char kind = capital ? (char)(style - 'A' + 'a') : style;
    value = fabs(value);
    if (!(value <= DBL_MAX)) {
        const char *word = value == value ? capital ? "INF" : "inf" : capital ? "NAN" : "nan";
        while (*word)
            put(&o, *word++);
    } else {
        decimal d;
        int e;
        const uint64_t m = take_apart(value, &e);
        // One digit more than are kept, and whether anything follows, decide how to round.
        const int most = DIGITS_MAX - 20;
        precision = precision < 0 ? 6 : precision;
        const int digits = kind == 'e' ? precision + 1 : kind == 'g' && !precision ? 1 : precision;
        expand(&d, m, e, kind == 'f' ? DIGITS_MAX : (digits < most ? digits : most) + 1);
        if (kind == 'f') {
            const int keep = d.exponent < most - precision ? d.exponent + precision : DIGITS_MAX;
            round_to(&d, d.count ? keep : 0);
            put_fixed(&o, &d, precision, keep_zeros);
        } else {
            round_to(&d, digits);
            int places = digits - 1;
            const int exponent = d.count ? d.exponent - 1 : 0;
            const bool fixed = kind == 'g' && exponent >= -4 && exponent < digits;
            if (fixed)
                places = digits - 1 - exponent;
            if (kind == 'g' && !keep_zeros) {
                while (d.count && d.digits[d.count - 1] == '0')
                    d.count--;
                const int needed = d.count ? d.count - (fixed ? d.exponent : 1) : 0;
                places = needed < places ? needed : places;
                places = places > 0 ? places : 0;
            }
            if (fixed)
                put_fixed(&o, &d, places, keep_zeros);
            else
                put_exponent(&o, &d, places, keep_zeros, capital ? 'E' : 'e');
        }
    }
    if (size)
        text[o.length] = '\0';
    return o.length;
}

// --- comparing ----------------------------------------------------------------------------------

// Below, equal, above: -1, 0, 1.
static int compare(const decimal *a, const decimal *b)
{
    const bool a_zero = a->count == 0, b_zero = b->count == 0;
    if (a_zero || b_zero)
        return a_zero && b_zero ? (int)a->more - (int)b->more : a_zero ? -1 : 1;
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;
    for (int i = 0; i < a->count || i < b->count; i++) {
        const char x = digit_at(a, i), y = digit_at(b, i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (int)a->more - (int)b->more;
}

// The midpoint between m 2^e and the double above or below it.
static void expand_middle(decimal *d, uint64_t m, int e, bool above, int limit)
{
    const bool narrow = m == UINT64_C(1) << 52 && e > -1074 && !above; // the spacing halves below
    if (narrow)
        expand(d, m * 4 - 1, e - 2, limit);
    else
        expand(d, above ? m * 2 + 1 : m * 2 - 1, e - 1, limit);
}

int tac__decimal_shortest(double value, char digits[17], int *exponent)
{
    int e;
    const uint64_t m = take_apart(value, &e);
    decimal d, low, high;
    expand(&d, m, e, 20);
    expand_middle(&low, m, e, false, 20);
    expand_middle(&high, m, e, true, 20);
    // A number of at most 15 digits survives as a double, so where 15 are enough the fewest are
    // what is left of them without zeros at the end; not so below DBL_MIN.
    for (int n = value >= DBL_MIN ? 15 : 1;; n++) {
        decimal candidate;
        memcpy(&candidate, &d, offsetof(decimal, digits) + 20);
        round_to(&candidate, n);
        // At a midpoint, reading rounds to the even double. 20 digits tell a midpoint from its
        // neighbours.
        const int below = compare(&candidate, &low), above = compare(&candidate, &high);
        const bool inside =
            (below > 0 || (below == 0 && m % 2 == 0)) && (above < 0 || (above == 0 && m % 2 == 0));
        if (!inside && n < 17)
            continue;
        *exponent = candidate.exponent - 1;
        memcpy(digits, candidate.digits, (size_t)candidate.count);
        while (candidate.count > 1 && digits[candidate.count - 1] == '0')
            candidate.count--;
        return candidate.count;
    }
}

// --- reading ------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// Is `word`, in small letters, what `text` begins with?
static bool begins_with(const char *text, const char *word)
{
    for (; *word; text++, word++) {
        const char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (c != *word)
            return false;
    }
    return true;
}

enum { EXPONENT_MAX = 100000 };

// An exponent behind e or p, if there is one; `*at` moves behind it.
static int read_exponent(const char **at)
{
    const char *c = *at + 1;
    const bool minus = *c == '-';
    c += *c == '-' || *c == '+';
    if (!is_digit(*c))
        return 0;
    int exponent = 0;
    for (; is_digit(*c); c++)
        exponent = exponent < EXPONENT_MAX ? exponent * 10 + (*c - '0') : exponent;
    *at = c;
    return minus ? -exponent : exponent;
}

// m 2^e with a bit for what lies below m, rounded to nearest, ties to even.
static double assemble(uint64_t m, int e, bool more)
{
    if (m == 0)
        return 0;
    while (!(m >> 63)) {
        m <<= 1;
        e--;
    }
    // Normal numbers keep 53 bits; others end at 2^-1074.
    int drop = 11;
    if (e + drop < -1074)
        drop = -1074 - e;
    if (drop > 64)
        return 0;
    const uint64_t kept = drop < 64 ? m >> drop : 0;
    const uint64_t half = UINT64_C(1) << (drop - 1);
    const uint64_t rest = drop < 64 ? m & ((half << 1) - 1) : m;
    const bool up = rest > half || (rest == half && (more || (kept & 1)));
    uint64_t bits = kept + up;
    e += drop;
    if (bits >> 53) {
        bits >>= 1;
        e++;
    }
    if (e > 971)
        return (double)INFINITY;
    if (bits >> 52) // normal
        bits = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(e + 1075) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Behind "0x".
static double parse_hex(const char *c, const char **end)
{
    uint64_t m = 0;
    int e = 0;
    bool any = false, point = false, more = false;
    for (;; c++) {
        if (*c == '.' && !point) {
            point = true;
            continue;
        }
        const int digit = hex_digit(*c);
        if (digit < 0)
            break;
        any = true;
        if (m >> 60) {
            more |= digit != 0;
            e += point ? 0 : e < EXPONENT_MAX ? 4 : 0;
        } else {
            m = m << 4 | (uint64_t)digit;
            e -= point ? 4 : 0;
        }
    }
    if (!any)
        return 0;
    if (*c == 'p' || *c == 'P')
        e += read_exponent(&c);
    *end = c;
    return assemble(m, e, more);
}

// Digits with a point and an exponent; false where there are none.
static bool read_decimal(const char *c, decimal *d, const char **end)
{
    bool any = false, point = false;
    int before = 0; // digits in front of the point, zeros in front of all not counted
    d->count = 0;
    d->more = false;
    for (;; c++) {
        if (*c == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*c))
            break;
        any = true;
        if (d->count == 0 && *c == '0') {
            before -= point;
            continue;
        }
        before += !point;
        if (d->count < DIGITS_MAX)
            d->digits[d->count++] = *c;
        else
            d->more |= *c != '0';
    }
    if (!any)
        return false;
    d->exponent = before;
    if (*c == 'e' || *c == 'E')
        d->exponent += read_exponent(&c);
    while (d->count && !d->more && d->digits[d->count - 1] == '0')
        d->count--;
    *end = c;
    return true;
}

static double power_of_ten(int n)
{
    static const double small[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double power = small[n % 22];
    for (n /= 22; n > 0; n--)
        power *= 1e22;
    return power;
}

static double next_up(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits++;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static double next_down(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits--;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

// Nearest to d, from a guess that is a few doubles off at most.
static double nearest(const decimal *d, double guess)
{
    // Compare one digit more than the text has, and at least twenty.
    const int limit = d->count < 20 ? 20 : d->count + 1;
    decimal middle;
    for (;;) {
        int e;
        const uint64_t m = take_apart(guess, &e);
        expand_middle(&middle, m, e, true, limit);
        const int above = compare(d, &middle);
        if (above > 0 || (above == 0 && m % 2)) {
            if (guess == DBL_MAX)
                return (double)INFINITY;
            guess = next_up(guess);
            if (above == 0)
                return guess;
            continue;
        }
        if (above == 0 || m == 0)
            return guess;
        expand_middle(&middle, m, e, false, limit);
        const int below = compare(d, &middle);
        if (below > 0 || (below == 0 && m % 2 == 0))
            return guess;
        guess = next_down(guess);
        if (below == 0)
            return guess;
    }
}

static double to_double(const decimal *d)
{
    if (d->count == 0)
        return 0;
    if (d->exponent > 310)
        return (double)INFINITY;
    if (d->exponent < -330)
        return 0;
    uint64_t m = 0;
    const int taken = d->count < 19 ? d->count : 19;
    for (int i = 0; i < taken; i++)
        m = m * 10 + (uint64_t)(d->digits[i] - '0');
    const int e = d->exponent - taken;
    // Digits and power of ten are exact doubles, so the result is rounded once.
    if (taken == d->count && !d->more && m >> 53 == 0 && e >= -22 && e <= 22)
        return e < 0 ? (double)m / power_of_ten(-e) : (double)m * power_of_ten(e);
    double guess = (double)m;
    if (e > 280)
        guess = guess * 1e280 * power_of_ten(e - 280);
    else if (e > 0)
        guess *= power_of_ten(e);
    else if (e < -280)
        guess = guess / 1e280 / power_of_ten(-e - 280);
    else
        guess /= power_of_ten(-e);
    return nearest(d, guess <= DBL_MAX ? guess : DBL_MAX);
}

double tac__decimal_parse(const char *text, const char **end)
{
    const char *c = text;
    const bool minus = *c == '-';
    c += *c == '-' || *c == '+';
    double value = 0;
    *end = text;
    if (begins_with(c, "inf")) {
        value = (double)INFINITY;
        *end = c + (begins_with(c, "infinity") ? 8 : 3);
    } else if (begins_with(c, "nan")) {
        value = (double)NAN;
        *end = c + 3;
    } else if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X') &&
               (hex_digit(c[2]) >= 0 || (c[2] == '.' && hex_digit(c[3]) >= 0))) {
        value = parse_hex(c + 2, end);
    } else {
        decimal d;
        if (read_decimal(c, &d, end))
            value = to_double(&d);
    }
    return minus && *end != text && value == value ? -value : value;
}
