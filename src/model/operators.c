// operators.c - discrete operators: gain, sum, limit, filter, sensor, tracker.
#include "model/builtin.h"
#include <tactus/math.h>

enum { IN = 0, OUT = 0 };

static void declare_through(tac_declare *d, const tac__shaped *shaped, const char *doc)
{
    const tac_type type = tac__shaped_type(shaped);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = type, .unit = shaped->unit, .doc = "input"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = type, .unit = shaped->unit, .doc = doc));
}

// --- gain ---------------------------------------------------------------------------------------

typedef struct gain {
    tac__shaped shaped;
    double k[TAC__SIZE_MAX];
} gain;

static tac_status gain_declare(tac_declare *d, void *self)
{
    gain *c = self;
    c->shaped = tac__shaped_params(d);
    tac_param_array(
        d, TAC_PARAM(.name = "gain", .flags = TAC_PARAM_TUNABLE, .fallback = "1", .doc = "factor"),
        c->k, c->shaped.size);
    const char *output_unit =
        tac_param_text(d, TAC_PARAM(.name = "output_unit", .fallback = "",
                                    .doc = "unit of the output; that of the input where empty"));
    const tac_type type = tac__shaped_type(&c->shaped);
    tac_declare_input(d,
                      TAC_PORT(.name = "u", .type = type, .unit = c->shaped.unit, .doc = "input"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = type,
                                   .unit = *output_unit ? output_unit : c->shaped.unit,
                                   .doc = "gain times input"));
    return TAC_OK;
}

static tac_status gain_step(tac_step *s, const void *self)
{
    const gain *c = self;
    const double *u = TAC_IN(s, double, IN);
    double *y = TAC_OUT(s, double, OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] = c->k[i] * u[i];
    return TAC_OK;
}

const tac_component_type tac__gain_type = {
    TAC__TYPE("gain", "1", "y = gain u", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(gain),
    .declare = gain_declare,
    .kernels[TAC_NUMBERS].step = gain_step,
};

// --- sum ----------------------------------------------------------------------------------------

enum { SUM_A, SUM_B };

typedef struct sum {
    tac__shaped shaped;
    double a, b;
} sum;

static tac_status sum_declare(tac_declare *d, void *self)
{
    sum *c = self;
    c->shaped = tac__shaped_params(d);
    c->a = tac_param_f64(d, TAC_PARAM(.name = "a", .flags = TAC_PARAM_TUNABLE, .fallback = "1",
                                      .doc = "factor of u"));
    c->b = tac_param_f64(d, TAC_PARAM(.name = "b", .flags = TAC_PARAM_TUNABLE, .fallback = "1",
                                      .doc = "factor of v"));
    const tac_type type = tac__shaped_type(&c->shaped);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = type, .unit = c->shaped.unit));
    tac_declare_input(
        d, TAC_PORT(.name = "v", .type = type, .unit = c->shaped.unit, .flags = TAC_PORT_OPTIONAL));
    tac_declare_output(
        d, TAC_PORT(.name = "y", .type = type, .unit = c->shaped.unit, .doc = "a u + b v"));
    return TAC_OK;
}

static tac_status sum_step(tac_step *s, const void *self)
{
    const sum *c = self;
    const double *u = TAC_IN(s, double, SUM_A), *v = TAC_IN(s, double, SUM_B);
    double *y = TAC_OUT(s, double, OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] = c->a * u[i] + c->b * v[i];
    return TAC_OK;
}

const tac_component_type tac__sum_type = {
    TAC__TYPE("sum", "1", "y = a u + b v", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(sum),
    .declare = sum_declare,
    .kernels[TAC_NUMBERS].step = sum_step,
};

// --- limit --------------------------------------------------------------------------------------

typedef struct limit {
    tac__shaped shaped;
    double low, high;
} limit;

static tac_status limit_declare(tac_declare *d, void *self)
{
    limit *c = self;
    c->shaped = tac__shaped_params(d);
    c->low =
        tac_param_f64(d, TAC_PARAM(.name = "min", .flags = TAC_PARAM_TUNABLE,
                                   .unit = c->shaped.unit, .fallback = "-1", .doc = "smallest"));
    c->high =
        tac_param_f64(d, TAC_PARAM(.name = "max", .flags = TAC_PARAM_TUNABLE,
                                   .unit = c->shaped.unit, .fallback = "1", .doc = "largest"));
    declare_through(d, &c->shaped, "the input, limited");
    return c->low <= c->high ? TAC_OK : tac_declare_fail(d, "max", "max must not be below min");
}

static tac_status limit_step(tac_step *s, const void *self)
{
    const limit *c = self;
    const double *u = TAC_IN(s, double, IN);
    double *y = TAC_OUT(s, double, OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] = u[i] < c->low ? c->low : u[i] > c->high ? c->high : u[i];
    return TAC_OK;
}

const tac_component_type tac__limit_type = {
    TAC__TYPE("limit", "1", "y = u, kept between min and max", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(limit),
    .declare = limit_declare,
    .kernels[TAC_NUMBERS].step = limit_step,
};

// --- filter -------------------------------------------------------------------------------------

enum { FILTER_LAST };

typedef struct filter {
    tac__shaped shaped;
    double tau_s;
} filter;

static tac_status filter_declare(tac_declare *d, void *self)
{
    filter *c = self;
    c->shaped = tac__shaped_params(d);
    c->tau_s =
        tac_param_f64(d, TAC_PARAM(.name = "tau", .flags = TAC_PARAM_TUNABLE, .unit = "s",
                                   .fallback = "0.1", .range = "(0, inf)", .doc = "time constant"));
    declare_through(d, &c->shaped, "low-passed input");
    tac_declare_state(d, TAC_PORT(.name = "last", .type = TAC_TYPE_I64, .unit = "us",
                                  .doc = "time of the last step; -1 before the first"));
    return TAC_OK;
}

static tac_status filter_init(tac_step *s, const void *self)
{
    (void)self;
    *TAC_STATE(s, int64_t, FILTER_LAST) = -1;
    return s->period_us ? TAC_OK : tac_fail(s, "needs a rate group with a period");
}

// The time since the last step, for the exact response of a first-order lag to a held input: 0 at
// the first step, less than a period at an extra one. A pause in another phase counts as one
// period.
static tac_time filter_elapsed(const tac_step *s, int64_t last_us)
{
    const tac_time elapsed_us = last_us < 0 ? 0 : s->t_us - (tac_time)last_us;
    return elapsed_us < s->period_us ? elapsed_us : s->period_us;
}

static tac_status filter_step(tac_step *s, const void *self)
{
    const filter *c = self;
    const double *u = TAC_IN(s, double, IN);
    double *y = TAC_OUT(s, double, OUT);
    int64_t *last_us = TAC_STATE(s, int64_t, FILTER_LAST);
    const double a = -tac_expm1(-tac_time_seconds(filter_elapsed(s, *last_us)) / c->tau_s);
    *last_us = (int64_t)s->t_us;
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] += a * (u[i] - y[i]);
    return TAC_OK;
}

const tac_component_type tac__filter_type = {
    TAC__TYPE("filter", "2", "discrete first-order low-pass", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(filter),
    .declare = filter_declare,
    .init = filter_init,
    .kernels[TAC_NUMBERS].step = filter_step,
};

// --- sensor -------------------------------------------------------------------------------------

typedef struct sensor {
    tac__shaped shaped;
    double deviation[TAC__SIZE_MAX], bias[TAC__SIZE_MAX];
    int stream;
} sensor;

static tac_status sensor_declare(tac_declare *d, void *self)
{
    sensor *c = self;
    c->shaped = tac__shaped_params(d);
    tac_param_array(d,
                    TAC_PARAM(.name = "deviation", .flags = TAC_PARAM_TUNABLE,
                              .unit = c->shaped.unit, .fallback = "0", .range = "[0, inf)",
                              .doc = "standard deviation of the noise"),
                    c->deviation, c->shaped.size);
    tac_param_array(d,
                    TAC_PARAM(.name = "bias", .flags = TAC_PARAM_TUNABLE, .unit = c->shaped.unit,
                              .fallback = "0", .doc = "constant error"),
                    c->bias, c->shaped.size);
    c->stream = tac_declare_stream(d, "noise");
    declare_through(d, &c->shaped, "the input as measured");
    return TAC_OK;
}

static tac_status sensor_step(tac_step *s, const void *self)
{
    const sensor *c = self;
    const double *u = TAC_IN(s, double, IN);
    double *y = TAC_OUT(s, double, OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        y[i] = u[i] + c->bias[i] + c->deviation[i] * tac_draw_normal(s, c->stream);
    return TAC_OK;
}

const tac_component_type tac__sensor_type = {
    TAC__TYPE("sensor", "1", "y = u + bias + white noise", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(sensor),
    .declare = sensor_declare,
    .kernels[TAC_NUMBERS].step = sensor_step,
};

// --- tracker ------------------------------------------------------------------------------------

enum { TARGET, TARGET_VELOCITY, POSITION, VELOCITY };

typedef struct tracker {
    double kp, kd, most;
} tracker;

static tac_status tracker_declare(tac_declare *d, void *self)
{
    tracker *c = self;
    c->kp = tac_param_f64(d, TAC_PARAM(.name = "stiffness", .flags = TAC_PARAM_TUNABLE,
                                       .unit = "N/m", .fallback = "4", .range = "[0, inf)",
                                       .doc = "force by error of position"));
    c->kd = tac_param_f64(d, TAC_PARAM(.name = "damping", .flags = TAC_PARAM_TUNABLE,
                                       .unit = "N*s/m", .fallback = "3", .range = "[0, inf)",
                                       .doc = "force by error of velocity"));
    c->most = tac_param_f64(d, TAC_PARAM(.name = "limit", .flags = TAC_PARAM_TUNABLE, .unit = "N",
                                         .fallback = "100", .range = "(0, inf)",
                                         .doc = "largest force along an axis"));
    static const struct {
        const char *name, *unit, *doc;
        uint32_t flags;
    } ports[] = {{"target", "m", "where to be", 0},
                 {"target_velocity", "m/s", "how to move there", TAC_PORT_OPTIONAL},
                 {"position", "m", "where it is", 0},
                 {"velocity", "m/s", "how it moves", 0}};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_input(d, TAC_PORT(.name = ports[i].name, .type = TAC_TYPE_VEC3,
                                      .unit = ports[i].unit, .doc = ports[i].doc,
                                      .flags = ports[i].flags));
    tac_declare_output(d, TAC_PORT(.name = "force", .type = TAC_TYPE_VEC3, .unit = "N",
                                   .doc = "stiffness and damping, limited by axis"));
    return TAC_OK;
}

static tac_status tracker_step(tac_step *s, const void *self)
{
    const tracker *c = self;
    double *force = TAC_OUT(s, double, OUT);
    for (int i = 0; i < 3; i++) {
        const double e = TAC_IN(s, double, TARGET)[i] - TAC_IN(s, double, POSITION)[i];
        const double v = TAC_IN(s, double, TARGET_VELOCITY)[i] - TAC_IN(s, double, VELOCITY)[i];
        const double f = c->kp * e + c->kd * v;
        force[i] = f < -c->most ? -c->most : f > c->most ? c->most : f;
    }
    return TAC_OK;
}

const tac_component_type tac__tracker_type = {
    TAC__TYPE("tracker", "1", "a force that makes a point follow a target", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(tracker),
    .declare = tracker_declare,
    .kernels[TAC_NUMBERS].step = tracker_step,
};
