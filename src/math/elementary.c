// <tactus/math.h>: each function is its SLEEF namesake from the manifest and nothing else.
#include <tactus/math.h>

#include "base/hash.h"
#include "math/elementary.h"

#include <stdatomic.h>

// clang-format off
#define DEFINE_1(name, accuracy) \
    double tac_##name(double x) { return TAC__SLEEF_F64(name, accuracy)(x); }
#define DEFINE_2(name, accuracy) \
    double tac_##name(double x, double y) { return TAC__SLEEF_F64(name, accuracy)(x, y); }
// clang-format on

TAC__ELEMENTARY_1(DEFINE_1)
TAC__ELEMENTARY_2(DEFINE_2)

// SLEEF's own sincos has other bits than its sin and cos for one argument in fourteen.
void tac_sincos(double x, double *sine, double *cosine)
{
    *sine = tac_sin(x);
    *cosine = tac_cos(x);
}

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define SLEEF_VERSION_TEXT                                                                         \
    TEXT(SLEEF_VERSION_MAJOR) "." TEXT(SLEEF_VERSION_MINOR) "." TEXT(SLEEF_VERSION_PATCHLEVEL)

const char *tac_math_version(void)
{
    return "sleef-" SLEEF_VERSION_TEXT "-cinz";
}

static uint64_t fingerprint(void)
{
    enum { PROBES = 64 };
    tac__hash hash = TAC__HASH_SEED;
    for (int i = 1; i <= PROBES; i++) {
        // In (0, 1) every function of the manifest is defined; far out, sin and cos must reduce.
        double x = (double)i / (PROBES + 1.0);
        double far = 1e9 * x * x * x;
#define MIX_1(name, accuracy) hash = tac__hash_f64(hash, tac_##name(x));
#define MIX_2(name, accuracy) hash = tac__hash_f64(hash, tac_##name(x, 1.5 - x));
        TAC__ELEMENTARY_1(MIX_1)
        TAC__ELEMENTARY_2(MIX_2)
        hash = tac__hash_f64(hash, tac_sin(far));
        hash = tac__hash_f64(hash, tac_cos(far));
    }
    return tac__hash_end(hash);
}

// They do not change while a process runs.
uint64_t tac_math_fingerprint(void)
{
    static _Atomic uint64_t known; // 0: not yet
    uint64_t value = atomic_load_explicit(&known, memory_order_relaxed);
    if (value == 0) {
        value = fingerprint();
        atomic_store_explicit(&known, value, memory_order_relaxed);
    }
    return value;
}
