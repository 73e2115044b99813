// sources.c - discrete sources: constant, sine, profile, noise, counter, circle. Their steps are in
// sources.model.h.
#define TAC_KIND_F64
#include "model/sources.h"
#include "base/error.h"
#include "model/spline.h"

#include <stddef.h>
#include <string.h>
#include <tactus/math.h>

// --- constant -----------------------------------------------------------------------------------

#define QUATERNION_SLACK 1e-3 // written with four digits, a quaternion is this close to length 1

// The type that the parameters `type`, `size`, and `value` ask for. Without the first two there are
// as many elements as values.
static tac_type constant_type(tac_declare *d, tac__constant *c)
{
    static const char *const words[] = {"auto", "vec3", "quat", "array", NULL};
    const int word = tac_param_choice(
        d,
        TAC_PARAM(.name = "type", .fallback = "auto",
                  .doc =
                      "a vec3, a quat (w, x, y, z, of length 1), or an array (f64[size]); auto: a "
                      "vec3 where there are three elements, otherwise a single value or an array"),
        words);
    const tac_node *value = tac_param_node(d, "value");
    const size_t values =
        value && tac_node_kind_of(value) == TAC_NODE_SEQUENCE ? tac_node_count(value) : 1;
    const bool sized = tac_param_node(d, "size") != NULL;
    const uint32_t wanted = word == 1 ? 3 : word == 2 ? 4 : 0;
    if (!sized)
        c->size = wanted ? wanted : (uint32_t)(values && values <= TAC__SIZE_MAX ? values : 1);
    else if (wanted && c->size != wanted) {
        (void)tac_declare_fail(d, "size", "a %s has %u elements, not %u", words[word], wanted,
                               c->size);
        c->size = wanted;
    }
    tac_type type = tac__shaped_type(c);
    if (word == 2)
        type.shape = TAC_QUAT;
    else if (word == 3)
        type.shape = TAC_ARRAY;
    return type;
}

static tac_status constant_declare(tac_declare *d, void *self)
{
    tac__constant *c = self;
    double value[TAC__SIZE_MAX] = {0};
    *c = tac__shaped_params(d);
    const tac_type type = constant_type(d, c);
    const bool quaternion = type.shape == TAC_QUAT;
    tac_param_array(d,
                    TAC_PARAM(.name = "value", .unit = c->unit,
                              .fallback = quaternion ? "[1, 0, 0, 0]" : "0", .doc = "the value"),
                    value, c->size);
    const double length = tac_sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2] +
                                   value[3] * value[3]);
    if (quaternion && !(tac_fabs(length - 1) < QUATERNION_SLACK))
        return tac_declare_fail(
            d, "value", "a quaternion (w, x, y, z) has the length 1, this one %.6g", length);
    tac_declare_numbers(d, value, c->size * sizeof *value);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = type, .unit = c->unit, .doc = "the value"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__constant_step_##kind                                                          \
    }
const tac_component_type tac__constant_type = {
    TAC__TYPE("constant", "1", "a value that never changes", TAC_COMPONENT_CONSTANT),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(tac__constant),
    .declare = constant_declare,
    .init = tac__constant_step_f64,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- sine ---------------------------------------------------------------------------------------

static tac_status sine_declare(tac_declare *d, void *self)
{
    tac__shaped *c = self;
    double amplitude[TAC__SIZE_MAX] = {0}, bias[TAC__SIZE_MAX] = {0};
    double phase_rad[TAC__SIZE_MAX] = {0};
    tac__sine p;
    *c = tac__shaped_params(d);
    const size_t n = c->size;
    tac_param_array(d,
                    TAC_PARAM(.name = "amplitude", .flags = TAC_PARAM_TUNABLE, .unit = c->unit,
                              .fallback = "1", .doc = "of the wave"),
                    amplitude, n);
    tac_param_array(d,
                    TAC_PARAM(.name = "bias", .flags = TAC_PARAM_TUNABLE, .unit = c->unit,
                              .fallback = "0", .doc = "added to the wave"),
                    bias, n);
    tac_param_array(d,
                    TAC_PARAM(.name = "phase", .flags = TAC_PARAM_TUNABLE, .unit = "rad",
                              .fallback = "0", .doc = "angle of the wave at t = 0"),
                    phase_rad, n);
    p.frequency_hz =
        tac_param_f64(d, TAC_PARAM(.name = "frequency", .flags = TAC_PARAM_TUNABLE, .unit = "Hz",
                                   .fallback = "1", .range = "[0, inf)", .doc = "of the wave"));
    for (size_t i = 0; i < n; i++) {
        p.element[i].amplitude = amplitude[i];
        p.element[i].bias = bias[i];
        p.element[i].phase_rad = phase_rad[i];
    }
    tac_declare_numbers(d, &p, offsetof(tac__sine, element) + n * sizeof *p.element);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = tac__shaped_type(c), .unit = c->unit,
                                   .doc = "bias + amplitude sin(2 pi f t + phase)"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__sine_step_##kind                                                              \
    }
const tac_component_type tac__sine_type = {
    TAC__TYPE("sine", "1", "a sine wave, sampled", 0),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(tac__shaped),
    .declare = sine_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- profile ------------------------------------------------------------------------------------

static tac_status profile_times(tac_declare *d, tac__profile_source *c, const double *times_s)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!tac__whole_microseconds(times_s[i], &c->times_us[i]))
            return tac_declare_fail(d, "times", "times must be whole microseconds");
        if (i > 0 && c->times_us[i] <= c->times_us[i - 1])
            return tac_declare_fail(d, "times", "times must ascend");
    }
    if (c->interpolation == TAC__PROFILE_LINEAR && c->count < 2)
        return tac_declare_fail(d, "times", "lines need at least two times, found %zu", c->count);
    return TAC_OK;
}

static tac_status profile_numbers(tac_declare *d, const tac__profile_source *c,
                                  const double *times_s, const double *values)
{
    double numbers[3 * TAC__PROFILE_MAX];
    const size_t n = c->count;
    size_t count = n;
    memcpy(numbers, values, n * sizeof *values);
    if (c->interpolation == TAC__PROFILE_SPLINE) {
        TAC_TRY(tac__declare_spline(
            d, TAC__SPLINE("times", "values", n, times_s, values, .above = -DBL_MAX), numbers + n));
        count = 3 * n;
    }
    if (count)
        tac_declare_numbers(d, numbers, count * sizeof *numbers);
    return TAC_OK;
}

static tac_status profile_declare(tac_declare *d, void *self)
{
    static const char *const interpolations[] = {"hold", "linear", "spline", NULL}; // as the enum
    tac__profile_source *c = self;
    const char *unit =
        tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1", .doc = "unit of the signal"));
    size_t count;
    const double *times_s = tac_param_list(d,
                                           TAC_PARAM(.name = "times", .flags = TAC_PARAM_TUNABLE,
                                                     .unit = "s", .range = "[0, inf)",
                                                     .doc = "when the value changes, "
                                                            "ascending"),
                                           TAC__PROFILE_MAX, &c->count);
    const double *values =
        tac_param_list(d,
                       TAC_PARAM(.name = "values", .flags = TAC_PARAM_TUNABLE, .unit = unit,
                                 .doc = "the value from each of the times on"),
                       TAC__PROFILE_MAX, &count);
    c->interpolation = (tac__profile_interpolation)tac_param_choice(
        d,
        TAC_PARAM(.name = "interpolation", .fallback = "hold",
                  .doc = "between times: the value holds (before the first it is 0), goes on "
                         "straight lines, or on a curve with continuous second derivative; "
                         "outside the last two hold"),
        interpolations);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = unit,
                                   .doc = "the value at this time"));
    if (count != c->count)
        return tac_declare_fail(d, "values", "%zu times, but %zu values", c->count, count);
    TAC_TRY(profile_times(d, c, times_s));
    return profile_numbers(d, c, times_s, values);
}

static bool profile_alike(const void *self, const void *other)
{
    const tac__profile_source *a = self, *b = other;
    return a->interpolation == b->interpolation && a->count == b->count &&
           !memcmp(a->times_us, b->times_us, a->count * sizeof *a->times_us);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__profile_step_##kind                                                           \
    }
const tac_component_type tac__profile_type = {
    TAC__TYPE("profile", "1",
              "a value that changes at given times, in steps, on lines or on a curve", 0),
    .stage = TAC_STAGE_SCENARIO,
    .self_size = sizeof(tac__profile_source),
    .declare = profile_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = profile_alike,
};
#undef KERNELS

// --- noise --------------------------------------------------------------------------------------

static tac_status noise_declare(tac_declare *d, void *self)
{
    tac__noise *c = self;
    double deviation[TAC__SIZE_MAX] = {0};
    c->shaped = tac__shaped_params(d);
    tac_param_array(d,
                    TAC_PARAM(.name = "deviation", .flags = TAC_PARAM_TUNABLE,
                              .unit = c->shaped.unit, .fallback = "1", .range = "[0, inf)",
                              .doc = "standard deviation of each element"),
                    deviation, c->shaped.size);
    tac_declare_numbers(d, deviation, c->shaped.size * sizeof *deviation);
    c->stream = tac_declare_stream(d, "noise");
    tac_declare_output(d, TAC_PORT(.name = "y", .type = tac__shaped_type(&c->shaped),
                                   .unit = c->shaped.unit, .doc = "independent normal draws"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__noise_step_##kind                                                             \
    }
const tac_component_type tac__noise_type = {
    TAC__TYPE("noise", "1", "white noise from a random stream of its own", 0),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(tac__noise),
    .declare = noise_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- counter ------------------------------------------------------------------------------------

static tac_status counter_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64,
                                   .doc = "how often it has stepped, this time included"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__counter_step_##kind                                                           \
    }
const tac_component_type tac__counter_type = {
    TAC__TYPE("counter", "1", "counts its steps", 0),
    .stage = TAC_STAGE_SCENARIO,
    .declare = counter_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS

// --- circle -------------------------------------------------------------------------------------

static tac_status circle_declare(tac_declare *d, void *self)
{
    (void)self;
    tac__circle p;
    p.radius_m =
        tac_param_f64(d, TAC_PARAM(.name = "radius", .unit = "m", .fallback = "10",
                                   .range = "[0, inf)", .doc = "of the circle round the origin"));
    p.height_m = tac_param_f64(
        d, TAC_PARAM(.name = "height", .unit = "m", .fallback = "0", .doc = "above the origin"));
    p.rate_rad_s = tac_param_f64(d, TAC_PARAM(.name = "rate", .unit = "rad/s", .fallback = "0.5",
                                              .doc = "positive turns from north to east"));
    tac_declare_numbers(d, &p, sizeof p);
    tac_declare_output(d, TAC_PORT(.name = "position", .type = TAC_TYPE_VEC3, .unit = "m",
                                   .doc = "north, east, down", .derivative = "velocity"));
    tac_declare_output(d, TAC_PORT(.name = "velocity", .type = TAC_TYPE_VEC3, .unit = "m/s",
                                   .doc = "north, east, down"));
    tac_declare_output(d,
                       TAC_PORT(.name = "attitude", .type = TAC_TYPE_QUAT,
                                .doc = "body to NED, nose along the path", .derivative = "rate"));
    tac_declare_output(
        d, TAC_PORT(.name = "rate", .type = TAC_TYPE_VEC3, .unit = "rad/s", .doc = "body rates"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__circle_step_##kind                                                            \
    }
const tac_component_type tac__circle_type = {
    TAC__TYPE("circle", "1", "a point that moves on a horizontal circle, with its attitude", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .declare = circle_declare,
    .init = tac__circle_step_f64,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS
