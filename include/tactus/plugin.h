// plugin.h - components in a shared library of their own.
//
// A plugin exports one function that hands over a table; the TAC_PLUGIN line writes it:
//
//     static const tac_component_type heater = {...};
//     TAC_PLUGIN("thermal", "1.0", &heater)
//
// In C++ it is the same, from C++11 on:
//
//     static const tac_component_type heater = TAC_DEF(tac_component_type, .name = "heater", ...);
//
// From ABI version 2 on, a plugin that was built against older headers loads: all structs that
// plugin and library exchange have a size, and fields that an older one lacks are zero. A plugin
// that was built against newer headers loads if it uses nothing that this library lacks; otherwise
// it is refused, with the name of what is missing. Another ABI version is refused before anything
// else is read.
//
// Include this header first, in every file of a plugin: what follows it is compiled without fused
// multiply-adds, whatever the compiler does by default (gcc fuses on ARM, and with -march=native).
// Other flags that change results (-ffast-math, -Ofast and their parts) are refused when the plugin
// is loaded, as far as the loader can detect them.
#ifndef TACTUS_PLUGIN_H
#define TACTUS_PLUGIN_H

#if defined __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined __GNUC__
// The vectorisers of gcc fuse even without contraction.
#pragma GCC optimize("fp-contract=off", "no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif

#include <tactus/component.h>

// How a plugin's arithmetic deviates from IEEE 754.
enum {
    TAC_ARITHMETIC_FAST = 1,       // -ffast-math
    TAC_ARITHMETIC_FUSED = 2,      // a * b + c is rounded once
    TAC_ARITHMETIC_REORDERED = 4,  // (a + b) - b is a
    TAC_ARITHMETIC_RECIPROCAL = 8, // a / b is a * (1 / b)
    TAC_ARITHMETIC_FINITE = 16,    // there is no NaN
    TAC_ARITHMETIC_ZEROS = 32,     // -0 is 0
    TAC_ARITHMETIC_EXCESS = 64,    // more than double precision
    TAC_ARITHMETIC_SINGLE = 128,   // constants of single precision
};

typedef struct tac_plugin {
    uint32_t abi, size;            // TAC_ABI_VERSION, sizeof(tac_plugin)
    uint32_t step_size, eval_size; // of tac_step and tac_eval, which the library fills in
    const char *name, *version;
    const tac_component_type *const *types;
    size_t type_count;
    uint32_t (*arithmetic)(void); // TAC_ARITHMETIC_..., as compiled; 0: no deviation
} tac_plugin;

typedef const tac_plugin *tac_plugin_entry_fn(void);
#define TAC_PLUGIN_ENTRY "tac_plugin_entry"

// Compiled into the plugin, with the plugin's flags, and called when it is loaded.
static inline uint32_t tac_plugin_arithmetic(void)
{
    uint32_t found = 0;
#ifdef __FAST_MATH__
    found |= TAC_ARITHMETIC_FAST;
#endif
#ifdef __ASSOCIATIVE_MATH__
    found |= TAC_ARITHMETIC_REORDERED;
#endif
#ifdef __RECIPROCAL_MATH__
    found |= TAC_ARITHMETIC_RECIPROCAL;
#endif
#if defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__
    found |= TAC_ARITHMETIC_FINITE;
#endif
#ifdef __NO_SIGNED_ZEROS__
    found |= TAC_ARITHMETIC_ZEROS;
#endif
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
    found |= TAC_ARITHMETIC_EXCESS;
#endif
    // Not every compiler defines a macro for this: compute with numbers that it cannot know in
    // advance.
    const double small = 1.0 / 1073741824;
    volatile double plus = 1 + small, minus = 1 - small, one = 1, large = 1e20, three = 3, five = 5,
                    ten = 10, zero = 0, minus_zero = -0.0;
    double x = plus, y = minus, z = one; // x y is 1 - 2^-60
    if (x * y - z != 0)
        found |= TAC_ARITHMETIC_FUSED;
    y = large;
    if ((z + y) - y != 0)
        found |= TAC_ARITHMETIC_REORDERED;
    x = five;
    if (x / 3.0 != x / three)
        found |= TAC_ARITHMETIC_RECIPROCAL;
    if (one / ten != 0.1)
        found |= TAC_ARITHMETIC_SINGLE;
    x = zero / zero;
    if (x == x)
        found |= TAC_ARITHMETIC_FINITE;
    x = minus_zero;
    if (__builtin_signbit(x + 0.0))
        found |= TAC_ARITHMETIC_ZEROS;
    return found;
}

#define TAC_PLUGIN(plugin_name, plugin_version, ...)                                               \
    TAC_BEGIN_DECLS                                                                                \
    TAC_API const tac_plugin *tac_plugin_entry(void);                                              \
    TAC_END_DECLS                                                                                  \
    const tac_plugin *tac_plugin_entry(void)                                                       \
    {                                                                                              \
        static const tac_component_type *const types[] = {__VA_ARGS__};                            \
        static const tac_plugin plugin = {TAC_ABI_VERSION,                                         \
                                          sizeof(tac_plugin),                                      \
                                          sizeof(tac_step),                                        \
                                          sizeof(tac_eval),                                        \
                                          plugin_name,                                             \
                                          plugin_version,                                          \
                                          types,                                                   \
                                          sizeof types / sizeof *types,                            \
                                          tac_plugin_arithmetic};                                  \
        return &plugin;                                                                            \
    }

#endif
