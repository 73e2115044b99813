// value.c - conversion between numbers and the fields of a message. The intermediate number is a
// double, a negative or a non-negative whole number, so that each type is stored and loaded in one
// place and no value passes through a type that cannot hold it.
#include "autopilot/px4/value.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct number {
    enum { REAL, NEGATIVE, WHOLE } kind;
    double real;    // REAL
    int64_t below;  // NEGATIVE: less than 0
    uint64_t whole; // WHOLE
} number;

static number from_real(double value)
{
    return (number){.kind = REAL, .real = value};
}

static number from_signed(int64_t value)
{
    return value < 0 ? (number){.kind = NEGATIVE, .below = value}
                     : (number){.kind = WHOLE, .whole = (uint64_t)value};
}

static number from_unsigned(uint64_t value)
{
    return (number){.kind = WHOLE, .whole = value};
}

// --- conversions --------------------------------------------------------------------------------

static double to_f64(number n)
{
    return n.kind == REAL ? n.real : n.kind == WHOLE ? (double)n.whole : (double)n.below;
}

// Whole numbers are converted to float32 directly: through a double they would be rounded twice.
static float to_f32(number n)
{
    if (n.kind != REAL)
        return n.kind == WHOLE ? (float)n.whole : (float)n.below;
    if (fabs(n.real) > (double)FLT_MAX && isfinite(n.real))
        return n.real < 0 ? -FLT_MAX : FLT_MAX;
    return (float)n.real;
}

static bool to_bool(number n)
{
    return n.kind == REAL ? n.real < 0 || n.real > 0 : n.kind == NEGATIVE || n.whole != 0;
}

// The nearest whole number within the limits, as the bits of two's complement.
static inline uint64_t to_whole(number n, int64_t lowest, uint64_t highest)
{
    if (n.kind == REAL) {
        const double rounded = round(n.real);
        if (isnan(rounded))
            return 0;
        if (rounded <= (double)lowest)
            return (uint64_t)lowest;
        if (rounded >= (double)highest)
            return highest;
        return rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
    }
    if (n.kind == NEGATIVE)
        return (uint64_t)(n.below < lowest ? lowest : n.below);
    return n.whole > highest ? highest : n.whole;
}

// --- bytes --------------------------------------------------------------------------------------

static inline void store_whole(unsigned char *at, uint32_t size, uint64_t bits)
{
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    switch (size) {
    case 1:
        memcpy(at, &u8, 1);
        break;
    case 2:
        memcpy(at, &u16, 2);
        break;
    case 4:
        memcpy(at, &u32, 4);
        break;
    default:
        memcpy(at, &bits, 8);
        break;
    }
}

static uint64_t load_whole(const unsigned char *at, uint32_t size)
{
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    switch (size) {
    case 1:
        memcpy(&u8, at, 1);
        return u8;
    case 2:
        memcpy(&u16, at, 2);
        return u16;
    case 4:
        memcpy(&u32, at, 4);
        return u32;
    default:
        memcpy(&u64, at, 8);
        return u64;
    }
}

static inline void store(unsigned char *at, tac__uorb_type type, number n)
{
    if (type == TAC__UORB_FLOAT32) {
        const float value = to_f32(n);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        store_whole(at, 4, isnan(value) ? UINT32_C(0x7fc00000) : bits);
    } else if (type == TAC__UORB_FLOAT64) {
        const double value = to_f64(n);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        store_whole(at, 8, isnan(value) ? UINT64_C(0x7ff8000000000000) : bits);
    } else if (type == TAC__UORB_BOOL) {
        store_whole(at, 1, to_bool(n));
    } else {
        const tac__uorb_scalar *scalar = &tac__uorb_scalars[type];
        store_whole(at, scalar->size, to_whole(n, scalar->lowest, scalar->highest));
    }
}

static inline number load(const unsigned char *at, tac__uorb_type type)
{
    if (type == TAC__UORB_FLOAT32) {
        float value;
        memcpy(&value, at, sizeof value);
        return from_real((double)value);
    }
    if (type == TAC__UORB_FLOAT64) {
        double value;
        memcpy(&value, at, sizeof value);
        return from_real(value);
    }
    const tac__uorb_scalar *scalar = &tac__uorb_scalars[type];
    const uint32_t size = scalar->size;
    const uint64_t bits = load_whole(at, size);
    if (type == TAC__UORB_BOOL)
        return from_unsigned(bits != 0);
    if (scalar->lowest == 0 || bits <= scalar->highest)
        return from_unsigned(bits);
    // The sign bit is set: subtract 2^(8 size) by filling the bits above.
    return from_signed((int64_t)(size == 8 ? bits : bits | UINT64_MAX << (8 * size)));
}

// --- arrays -------------------------------------------------------------------------------------

#define DEFINE_PUT(name, value_type, from)                                                         \
    void name(void *bytes, tac__uorb_slot slot, const value_type *values, size_t n)                \
    {                                                                                              \
        const uint32_t size = tac__uorb_scalars[slot.type].size;                                   \
        unsigned char *at = (unsigned char *)bytes + slot.offset;                                  \
        for (size_t i = 0; i < n && i < slot.count; i++)                                           \
            store(at + i * size, slot.type, from(values[i]));                                      \
    }

#define DEFINE_GET(name, value_type, to)                                                           \
    void name(const void *bytes, tac__uorb_slot slot, value_type *values, size_t n)                \
    {                                                                                              \
        const uint32_t size = tac__uorb_scalars[slot.type].size;                                   \
        const unsigned char *at = (const unsigned char *)bytes + slot.offset;                      \
        for (size_t i = 0; i < n && i < slot.count; i++)                                           \
            values[i] = to(load(at + i * size, slot.type));                                        \
    }

static int64_t to_i64(number n)
{
    return (int64_t)to_whole(n, INT64_MIN, INT64_MAX);
}

static uint64_t to_u64(number n)
{
    return to_whole(n, 0, UINT64_MAX);
}

DEFINE_PUT(tac__uorb_put_f64, double, from_real)
DEFINE_PUT(tac__uorb_put_i64, int64_t, from_signed)
DEFINE_PUT(tac__uorb_put_u64, uint64_t, from_unsigned)
DEFINE_PUT(tac__uorb_put_bool, bool, from_unsigned)

DEFINE_GET(tac__uorb_get_f64, double, to_f64)
DEFINE_GET(tac__uorb_get_i64, int64_t, to_i64)
DEFINE_GET(tac__uorb_get_u64, uint64_t, to_u64)
DEFINE_GET(tac__uorb_get_bool, bool, to_bool)
