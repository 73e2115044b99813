// builtin.h - the component types that come with Tactus.
#ifndef TAC_MODEL_BUILTIN_H
#define TAC_MODEL_BUILTIN_H

#include "base/def.h"
#include "model/labels.h"
#include <tactus/component.h>

// NULL after the last.
extern const tac_component_type *const tac__builtin_types[];

#define TAC__BUILTIN_TABLE(X)                                                                      \
    X(constant)                                                                                    \
    X(sine)                                                                                        \
    X(profile)                                                                                     \
    X(noise)                                                                                       \
    X(counter)                                                                                     \
    X(circle)                                                                                      \
    X(gain)                                                                                        \
    X(sum)                                                                                         \
    X(limit)                                                                                       \
    X(filter)                                                                                      \
    X(sensor)                                                                                      \
    X(tracker)                                                                                     \
    X(integrator)                                                                                  \
    X(lag)                                                                                         \
    X(oscillator)                                                                                  \
    X(point_mass)                                                                                  \
    X(equations)                                                                                   \
    X(beacon)                                                                                      \
    X(listener)                                                                                    \
    X(monitor)                                                                                     \
    X(multirotor)                                                                                  \
    X(wind)                                                                                        \
    TAC__SENSOR_TABLE(X)                                                                           \
    X(rocket_body)                                                                                 \
    X(rocket_motor)                                                                                \
    X(rocket_mass)                                                                                 \
    X(rocket_aero)                                                                                 \
    X(parachute)                                                                                   \
    X(orbiter)

// X(name), X(name, ...)
#define TAC__BUILTIN_EXTERN(name, ...) extern const tac_component_type tac__##name##_type;
TAC__BUILTIN_TABLE(TAC__BUILTIN_EXTERN)
#undef TAC__BUILTIN_EXTERN

// The fields that every type begins with.
#define TAC__TYPE(type_name, type_version, type_summary, type_flags)                               \
    .size = sizeof(tac_component_type), .flags = TAC__COMPONENT_BUILTIN | (type_flags),            \
    .name = type_name, .version = type_version, .summary = type_summary

// The kernels of a built-in type come from a NAME.model.h, which is compiled for every kind: f64,
// pack2, pack4, pack8, dual, dualp, sym. TAC__KERNELS(K) is the table of a type, of which K(kind)
// is one line:
//
//     #define KERNELS(kind) {.output = tac__lag_output_##kind, .derive = tac__lag_derive_##kind}
//         .kernels = TAC__KERNELS(KERNELS),
//     #undef KERNELS
#define TAC__KERNELS(K)                                                                            \
    {                                                                                              \
        [TAC_NUMBERS] = K(f64), [TAC_PACK2] = K(pack2), [TAC_PACK4] = K(pack4),                    \
        [TAC_PACK8] = K(pack8), [TAC_DUALS] = K(dual), [TAC_DUALS_OF_ALL] = K(dualp),              \
        [TAC_SYMBOLS] = K(sym)                                                                     \
    }

// Prototypes of a kernel for every kind, for the header that the model and the component include:
// of `output` and `derive`, of `detect` and `project`, and of `step`.
#define TAC__EVAL_KERNEL(name)  TAC__KERNEL(name, (const tac_eval *e, const void *self))
#define TAC__STATE_KERNEL(name) TAC__KERNEL(name, (const tac_eval *e, const void *self, double *x))
#define TAC__STEP_KERNEL(name)  TAC__KERNEL(name, (tac_step * s, const void *self))
#define TAC__KERNEL(name, arguments)                                                               \
    TAC_BEGIN_DECLS                                                                                \
    tac_status name##_f64 arguments;                                                               \
    tac_status name##_pack2 arguments;                                                             \
    tac_status name##_pack4 arguments;                                                             \
    tac_status name##_pack8 arguments;                                                             \
    tac_status name##_dual arguments;                                                              \
    tac_status name##_dualp arguments;                                                             \
    tac_status name##_sym arguments;                                                               \
    TAC_END_DECLS

// `alike` of types whose components differ in nothing but their numbers.
bool tac__alike_always(const void *self, const void *other);

// A signal whose size and unit are chosen by the user: `size: 3`, `unit: m/s`.
enum { TAC__SIZE_MAX = 64 };

typedef struct tac__shaped {
    uint32_t size;
    const char *unit;
} tac__shaped;

tac__shaped tac__shaped_params(tac_declare *d);
tac_type tac__shaped_type(const tac__shaped *shaped);
// `alike` of types whose `self` begins with a tac__shaped, the same shape if the size is.
bool tac__alike_shaped(const void *self, const void *other);

// Seconds as whole microseconds, which alone decide when something happens. False where `t_s` is no
// whole number of microseconds: the rounding of a unit or a decimal is allowed for, a fraction is
// not.
bool tac__whole_microseconds(double t_s, tac_time *t_us);

#endif
