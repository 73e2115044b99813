// prints.c - see prints.h.
#include "math/prints.h"
#include "math/machine.h"
#include "base/hash.h"
#include "math/elementary.h"
#include <tactus/math.h>

#include <stdatomic.h>

// --- arguments ----------------------------------------------------------------------------------

// Arguments where functions change: limits of range reduction, overflow, underflow, exact results.
static const double corners[] = {
    0,
    0x1p-1074,
    0x1.8p-1060,
    0x0.fffffffffffffp-1022,
    0x1p-1022,
    0x1p-1000,
    1e-300,
    0x1p-54,
    0x1p-53,
    0x1p-27,
    0x1p-26,
    1e-8,
    0.125,
    0.25,
    0.5,
    0x1.fffffffffffffp-2,
    0x1.6a09e667f3bcdp-1,
    0.75,
    0x1.fffffffffffffp-1,
    1,
    0x1.0000000000001p0,
    0x1.6a09e667f3bcdp0,
    1.5,
    0x1.921fb54442d18p0,
    2,
    2.718281828459045,
    3,
    0x1.921fb54442d18p1,
    0x1.921fb54442d18p2,
    10,
    14.999999999999998,
    15,
    15.000000000000002,
    22,
    100,
    308.25471555991674,
    308.25471555991675,
    350,
    709.7827111495574,
    709.7827111495576,
    709.7827128933840,
    709.7827128933841,
    710.4758600739439,
    744.4400719213812,
    745.1332191019411,
    745.1332191019412,
    1000,
    1023.9999999999999,
    1024,
    1074,
    1075,
    2000,
    0x1p31,
    1e9,
    0x1p52,
    0x1p53,
    99999999999999.98,
    1e14,
    100000000000000.02,
    1e22,
    1e100,
    0x1.fffffffffffffp500,
    1e300,
    9.999999999999999e306,
    1e307,
    1.0000000000000001e307,
    0x1.fffffffffffffp1022,
    0x1p1023,
    0x1.fffffffffffffp1023,
    (double)INFINITY,
};
enum { CORNERS = sizeof corners / sizeof *corners };

static uint64_t mix(uint64_t x)
{
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static double assemble(uint64_t sign, uint64_t exponent, uint64_t fraction)
{
    const uint64_t bits = sign << 63 | exponent << 52 | (fraction & ((UINT64_C(1) << 52) - 1));
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double tac__math_probe(unsigned i)
{
    if (i < 2 * CORNERS)
        return i % 2 ? -corners[i / 2] : corners[i / 2];
    i -= 2 * CORNERS;
    const uint64_t bits = mix(i), sign = bits >> 63;
    switch (i % 4) {
    case 0: // anywhere
        return assemble(sign, bits >> 52 & 0x7fe, bits);
    case 1: // usual sizes
        return assemble(sign, 1023 - 24 + i % 36, bits);
    case 2: // in (-1, 1)
        return (sign ? -1 : 1) * (double)(bits & ((UINT64_C(1) << 52) - 1)) * 0x1p-52;
    default: // where exponentials are finite
        return (sign ? -1 : 1) * (double)(bits & ((UINT64_C(1) << 52) - 1)) * 0x1.7p-43;
    }
}

// --- digests ------------------------------------------------------------------------------------

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
#define ROW_1(name, accuracy) {#name, tac_##name, NULL},
#define ROW_2(name, accuracy) {#name, NULL, tac_##name},
    TAC__ELEMENTARY_1(ROW_1) TAC__ELEMENTARY_2(ROW_2)
#undef ROW_1
#undef ROW_2
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// The values do not change while a process runs, so two threads that compute them at once write the
// same.
static _Atomic uint64_t prints[FUNCTIONS], all_prints;
static atomic_bool taken;

static void take_prints(void)
{
    if (atomic_load_explicit(&taken, memory_order_acquire))
        return;
    TAC__FLOATS;
    double probes[TAC__PROBES];
    for (unsigned i = 0; i < TAC__PROBES; i++)
        probes[i] = tac__math_probe(i);
    tac__hash all = TAC__HASH_SEED;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        tac__hash hash = tac__hash_text(TAC__HASH_SEED, functions[f].name);
        for (unsigned i = 0; i < TAC__PROBES; i++) {
            const double x = probes[i];
            // Pairs of all kinds; every other first argument is positive, as pow needs it.
            const double y = probes[(i * 7 + 3) % TAC__PROBES];
            hash = tac__hash_f64(hash, functions[f].one
                                           ? functions[f].one(x)
                                           : functions[f].two(i & 2 ? tac_fabs(x) : x, y));
        }
        const uint64_t print = tac__hash_end(hash);
        atomic_store_explicit(&prints[f], print, memory_order_relaxed);
        all = tac__hash_word(all, print);
    }
    atomic_store_explicit(&all_prints, tac__hash_end(all), memory_order_relaxed);
    atomic_store_explicit(&taken, true, memory_order_release);
}

const char *tac__math_print(size_t i, uint64_t *print)
{
    take_prints();
    if (i >= FUNCTIONS)
        return NULL;
    *print = atomic_load_explicit(&prints[i], memory_order_relaxed);
    return functions[i].name;
}

uint64_t tac_math_fingerprint(void)
{
    take_prints();
    return atomic_load_explicit(&all_prints, memory_order_relaxed);
}

bool tac__packs_sound(unsigned lanes)
{
    enum { UNKNOWN, SOUND, UNSOUND };
    static _Atomic int known[9];
    if (lanes != 2 && lanes != 4 && lanes != 8)
        return false;
    int answer = atomic_load_explicit(&known[lanes], memory_order_relaxed);
    if (answer == UNKNOWN) {
        const bool sound =
            tac__machine_has_pack(lanes) && (lanes == 8   ? tac__packs_agree_pack8()
                                             : lanes == 4 ? tac__packs_agree_pack4()
                                                          : tac__packs_agree_pack2());
        answer = sound ? SOUND : UNSOUND;
        atomic_store_explicit(&known[lanes], answer, memory_order_relaxed);
    }
    return answer == SOUND;
}
