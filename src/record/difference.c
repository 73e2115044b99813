// difference.c - bits first, as nearly all values of two recordings are the same; numbers only
// where bits differ.
#include "record/difference.h"
#include "bus/type.h"

#include <math.h>
#include <string.h>

// --- doubles -------------------------------------------------------------------------------------

// Doubles in their order as whole numbers, both zeros 0.
static int64_t rank(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

uint64_t tac__ulps(double a, double b)
{
    if (isnan(a) || isnan(b))
        return UINT64_MAX;
    const int64_t x = rank(a), y = rank(b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

// --- elements ------------------------------------------------------------------------------------

static const void *element(const tac_type *type, const void *value, uint32_t i)
{
    return (const char *)value + i * tac__scalar_size(type->scalar);
}

// How far apart; infinity where one of them is not finite.
static double distance(const tac_type *type, const void *a, const void *b)
{
    if (type->scalar == TAC_I64) {
        int64_t x, y; // too large for doubles, and their difference for an int64_t
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
    }
    const double x = tac__scalar_f64(type->scalar, a, 0), y = tac__scalar_f64(type->scalar, b, 0);
    if (isnan(x) && isnan(y))
        return 0;
    return isfinite(x) && isfinite(y) ? fabs(x - y) : HUGE_VAL;
}

// Whether values whose bits differ are near enough. Names and truth are not near to each other.
static bool is_allowed(const tac_type *type, const tac__allowance *allowed, const void *a,
                       const void *b, double apart)
{
    if (!allowed || type->scalar == TAC_BOOL || type->scalar == TAC_ENUM || isinf(apart))
        return false;
    const double x = tac__scalar_f64(type->scalar, a, 0), y = tac__scalar_f64(type->scalar, b, 0);
    if (isnan(x))
        return true;
    return apart <= allowed->absolute + allowed->relative * fmax(fabs(x), fabs(y));
}

// --- values --------------------------------------------------------------------------------------

void tac__difference_begin(tac_difference *d)
{
    d->unmatched_us = d->max_us = d->first_us = TAC_TIME_NEVER;
}

static void note_first(tac_difference *d, const tac_type *type, tac_time t_us, uint32_t i,
                       const void *a, const void *b)
{
    d->first_us = t_us;
    d->element = i;
    d->a = tac__scalar_f64(type->scalar, a, 0);
    d->b = tac__scalar_f64(type->scalar, b, 0);
    d->ulps = type->scalar == TAC_F64 ? tac__ulps(d->a, d->b) : UINT64_MAX;
}

void tac__difference_add(tac_difference *d, const tac_type *type, const tac__allowance *allowed,
                         tac_time t_us, const void *a, const void *b)
{
    d->samples++;
    if (!memcmp(a, b, tac__type_size(type)))
        return;
    bool beyond = false;
    for (uint32_t i = 0; i < type->count; i++) {
        const void *x = element(type, a, i), *y = element(type, b, i);
        if (!memcmp(x, y, tac__scalar_size(type->scalar)))
            continue;
        const double apart = distance(type, x, y);
        if (apart > d->max_abs || d->max_us == TAC_TIME_NEVER) {
            d->max_abs = apart;
            d->max_us = t_us;
        }
        if (is_allowed(type, allowed, x, y, apart))
            continue;
        beyond = true;
        if (d->first_us == TAC_TIME_NEVER)
            note_first(d, type, t_us, i, x, y);
    }
    d->beyond += beyond;
}

void tac__difference_alone(tac_difference *d, bool of_a, tac_time t_us)
{
    d->unmatched_a += of_a;
    d->unmatched_b += !of_a;
    if (d->unmatched_us == TAC_TIME_NEVER)
        d->unmatched_us = t_us;
}
