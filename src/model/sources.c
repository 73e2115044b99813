// sources.c - discrete sources: constant, sine, profile, noise, counter, circle.
#include "model/builtin.h"
#include <tactus/math.h>

#include <string.h>

#define TWO_PI 6.283185307179586

enum { OUT = 0 };

// --- constant -----------------------------------------------------------------------------------

typedef struct constant {
    tac__shaped shaped;
    double value[TAC__SIZE_MAX];
} constant;

static tac_status constant_declare(tac_declare *d, void *self)
{
    constant *c = self;
    c->shaped = tac__shaped_params(d);
    tac_param_array(
        d, TAC_PARAM(.name = "value", .unit = c->shaped.unit, .fallback = "0", .doc = "the value"),
        c->value, c->shaped.size);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = tac__shaped_type(&c->shaped),
                                   .unit = c->shaped.unit, .doc = "the value"));
    return TAC_OK;
}

static tac_status constant_step(tac_step *s, const void *self)
{
    const constant *c = self;
    memcpy(s->out[OUT], c->value, c->shaped.size * sizeof *c->value);
    return TAC_OK;
}

const tac_component_type tac__constant_type = {
    TAC__TYPE("constant", "1", "a value that never changes", TAC_COMPONENT_CONSTANT),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(constant),
    .declare = constant_declare,
    .init = constant_step,
    .kernels[TAC_NUMBERS].step = constant_step,
};

// --- sine ---------------------------------------------------------------------------------------

typedef struct sine {
    tac__shaped shaped;
    double amplitude[TAC__SIZE_MAX], bias[TAC__SIZE_MAX], phase_rad[TAC__SIZE_MAX];
    double frequency_hz;
} sine;

static tac_status sine_declare(tac_declare *d, void *self)
{
    sine *c = self;
    c->shaped = tac__shaped_params(d);
    const size_t n = c->shaped.size;
    tac_param_array(d,
                    TAC_PARAM(.name = "amplitude", .flags = TAC_PARAM_TUNABLE,
                              .unit = c->shaped.unit, .fallback = "1", .doc = "of the wave"),
                    c->amplitude, n);
    tac_param_array(d,
                    TAC_PARAM(.name = "bias", .flags = TAC_PARAM_TUNABLE, .unit = c->shaped.unit,
                              .fallback = "0", .doc = "added to the wave"),
                    c->bias, n);
    tac_param_array(d,
                    TAC_PARAM(.name = "phase", .flags = TAC_PARAM_TUNABLE, .unit = "rad",
                              .fallback = "0", .doc = "angle of the wave at t = 0"),
                    c->phase_rad, n);
    c->frequency_hz =
        tac_param_f64(d, TAC_PARAM(.name = "frequency", .flags = TAC_PARAM_TUNABLE, .unit = "Hz",
                                   .fallback = "1", .range = "[0, inf)", .doc = "of the wave"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = tac__shaped_type(&c->shaped),
                                   .unit = c->shaped.unit,
                                   .doc = "bias + amplitude sin(2 pi f t + phase)"));
    return TAC_OK;
}

static tac_status sine_step(tac_step *s, const void *self)
{
    const sine *c = self;
    double *y = TAC_OUT(s, double, OUT);
    const double angle = TWO_PI * c->frequency_hz * tac_time_seconds(s->t_us);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] = c->bias[i] + c->amplitude[i] * tac_sin(angle + c->phase_rad[i]);
    return TAC_OK;
}

const tac_component_type tac__sine_type = {
    TAC__TYPE("sine", "1", "a sine wave, sampled", 0),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(sine),
    .declare = sine_declare,
    .kernels[TAC_NUMBERS].step = sine_step,
};

// --- profile ------------------------------------------------------------------------------------

enum { PROFILE_MAX = 1024 };

typedef struct profile {
    tac_time times_us[PROFILE_MAX];
    const double *values;
    size_t count;
} profile;

static tac_status profile_declare(tac_declare *d, void *self)
{
    profile *c = self;
    const char *unit =
        tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1", .doc = "unit of the signal"));
    size_t values;
    const double *times_s = tac_param_list(d,
                                           TAC_PARAM(.name = "times", .flags = TAC_PARAM_TUNABLE,
                                                     .unit = "s", .range = "[0, inf)",
                                                     .doc = "when the value changes, "
                                                            "ascending"),
                                           PROFILE_MAX, &c->count);
    c->values = tac_param_list(d,
                               TAC_PARAM(.name = "values", .flags = TAC_PARAM_TUNABLE, .unit = unit,
                                         .doc = "the value from each of the times on"),
                               PROFILE_MAX, &values);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = unit,
                                   .doc = "the value of the last time that has passed"));
    if (values != c->count)
        return tac_declare_fail(d, "values", "%zu times, but %zu values", c->count, values);
    for (size_t i = 0; i < c->count; i++) {
        if (!tac__whole_microseconds(times_s[i], &c->times_us[i]))
            return tac_declare_fail(d, "times", "times must be whole microseconds");
        if (i > 0 && c->times_us[i] <= c->times_us[i - 1])
            return tac_declare_fail(d, "times", "times must ascend");
    }
    return TAC_OK;
}

static tac_status profile_step(tac_step *s, const void *self)
{
    const profile *c = self;
    double *y = TAC_OUT(s, double, OUT);
    *y = 0;
    for (size_t i = 0; i < c->count && c->times_us[i] <= s->t_us; i++)
        *y = c->values[i];
    return TAC_OK;
}

const tac_component_type tac__profile_type = {
    TAC__TYPE("profile", "1", "a value that changes at given times; 0 before the first", 0),
    .stage = TAC_STAGE_SCENARIO,
    .self_size = sizeof(profile),
    .declare = profile_declare,
    .kernels[TAC_NUMBERS].step = profile_step,
};

// --- noise --------------------------------------------------------------------------------------

typedef struct noise {
    tac__shaped shaped;
    double deviation[TAC__SIZE_MAX];
    int stream;
} noise;

static tac_status noise_declare(tac_declare *d, void *self)
{
    noise *c = self;
    c->shaped = tac__shaped_params(d);
    tac_param_array(d,
                    TAC_PARAM(.name = "deviation", .flags = TAC_PARAM_TUNABLE,
                              .unit = c->shaped.unit, .fallback = "1", .range = "[0, inf)",
                              .doc = "standard deviation of each element"),
                    c->deviation, c->shaped.size);
    c->stream = tac_declare_stream(d, "noise");
    tac_declare_output(d, TAC_PORT(.name = "y", .type = tac__shaped_type(&c->shaped),
                                   .unit = c->shaped.unit, .doc = "independent normal draws"));
    return TAC_OK;
}

static tac_status noise_step(tac_step *s, const void *self)
{
    const noise *c = self;
    double *y = TAC_OUT(s, double, OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] = c->deviation[i] * tac_draw_normal(s, c->stream);
    return TAC_OK;
}

const tac_component_type tac__noise_type = {
    TAC__TYPE("noise", "1", "white noise from a random stream of its own", 0),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(noise),
    .declare = noise_declare,
    .kernels[TAC_NUMBERS].step = noise_step,
};

// --- counter ------------------------------------------------------------------------------------

static tac_status counter_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64,
                                   .doc = "how often it has stepped, this time included"));
    return TAC_OK;
}

static tac_status counter_step(tac_step *s, const void *self)
{
    (void)self;
    ++*TAC_OUT(s, int64_t, OUT);
    return TAC_OK;
}

const tac_component_type tac__counter_type = {
    TAC__TYPE("counter", "1", "counts its steps", 0),
    .stage = TAC_STAGE_SCENARIO,
    .declare = counter_declare,
    .kernels[TAC_NUMBERS].step = counter_step,
};

// --- circle -------------------------------------------------------------------------------------

typedef struct circle {
    double radius_m, height_m, rate_rad_s;
    int position, velocity, attitude, rate;
} circle;

static tac_status circle_declare(tac_declare *d, void *self)
{
    circle *c = self;
    c->radius_m =
        tac_param_f64(d, TAC_PARAM(.name = "radius", .unit = "m", .fallback = "10",
                                   .range = "[0, inf)", .doc = "of the circle round the origin"));
    c->height_m = tac_param_f64(
        d, TAC_PARAM(.name = "height", .unit = "m", .fallback = "0", .doc = "above the origin"));
    c->rate_rad_s = tac_param_f64(d, TAC_PARAM(.name = "rate", .unit = "rad/s", .fallback = "0.5",
                                               .doc = "positive turns from north to east"));
    c->position =
        tac_declare_output(d, TAC_PORT(.name = "position", .type = TAC_TYPE_VEC3, .unit = "m",
                                       .doc = "north, east, down", .derivative = "velocity"));
    c->velocity = tac_declare_output(d, TAC_PORT(.name = "velocity", .type = TAC_TYPE_VEC3,
                                                 .unit = "m/s", .doc = "north, east, down"));
    c->attitude = tac_declare_output(d, TAC_PORT(.name = "attitude", .type = TAC_TYPE_QUAT,
                                                 .doc = "body to NED, nose along the path",
                                                 .derivative = "rate"));
    c->rate = tac_declare_output(
        d, TAC_PORT(.name = "rate", .type = TAC_TYPE_VEC3, .unit = "rad/s", .doc = "body rates"));
    return TAC_OK;
}

static tac_status circle_step(tac_step *s, const void *self)
{
    const circle *c = self;
    double *p = TAC_OUT(s, double, c->position), *v = TAC_OUT(s, double, c->velocity);
    double *q = TAC_OUT(s, double, c->attitude), *w = TAC_OUT(s, double, c->rate);
    const double angle = c->rate_rad_s * tac_time_seconds(s->t_us);
    const double speed = c->radius_m * c->rate_rad_s;
    double sine_, cosine;
    tac_sincos(angle, &sine_, &cosine);
    p[0] = c->radius_m * cosine;
    p[1] = c->radius_m * sine_;
    p[2] = -c->height_m;
    v[0] = -speed * sine_;
    v[1] = speed * cosine;
    v[2] = 0;
    // The nose is a quarter turn ahead of the position: yaw = angle + pi/2.
    tac_sincos(0.5 * angle + 0.125 * TWO_PI, &sine_, &cosine);
    q[0] = cosine;
    q[1] = q[2] = 0;
    q[3] = sine_;
    w[0] = w[1] = 0;
    w[2] = c->rate_rad_s;
    return TAC_OK;
}

const tac_component_type tac__circle_type = {
    TAC__TYPE("circle", "1", "a point that moves on a horizontal circle, with its attitude", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(circle),
    .declare = circle_declare,
    .init = circle_step,
    .kernels[TAC_NUMBERS].step = circle_step,
};
