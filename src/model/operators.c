// operators.c - discrete operators: gain, sum, limit, filter, sensor, tracker. Their steps are in
// operators.model.h.
#define TAC_KIND_F64
#include "model/operators.h"

static void declare_through(tac_declare *d, const tac__shaped *shaped, const char *doc)
{
    const tac_type type = tac__shaped_type(shaped);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = type, .unit = shaped->unit, .doc = "input"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = type, .unit = shaped->unit, .doc = doc));
}

// --- gain ---------------------------------------------------------------------------------------

static tac_status gain_declare(tac_declare *d, void *self)
{
    tac__gain *c = self;
    double k[TAC__SIZE_MAX] = {0};
    *c = tac__shaped_params(d);
    tac_param_array(
        d, TAC_PARAM(.name = "gain", .flags = TAC_PARAM_TUNABLE, .fallback = "1", .doc = "factor"),
        k, c->size);
    tac_declare_numbers(d, k, c->size * sizeof *k);
    const char *output_unit =
        tac_param_text(d, TAC_PARAM(.name = "output_unit", .fallback = "",
                                    .doc = "unit of the output; that of the input where empty"));
    const tac_type type = tac__shaped_type(c);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = type, .unit = c->unit, .doc = "input"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = type,
                                   .unit = *output_unit ? output_unit : c->unit,
                                   .doc = "gain times input"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__gain_step_##kind                                                              \
    }
const tac_component_type tac__gain_type = {
    TAC__TYPE("gain", "1", "y = gain u", 0), .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(tac__gain),          .declare = gain_declare,
    .kernels = TAC__KERNELS(KERNELS),        .alike = tac__alike_shaped,
};
#undef KERNELS

// --- sum ----------------------------------------------------------------------------------------

static tac_status sum_declare(tac_declare *d, void *self)
{
    tac__shaped *c = self;
    tac__sum p;
    *c = tac__shaped_params(d);
    p.a = tac_param_f64(d, TAC_PARAM(.name = "a", .flags = TAC_PARAM_TUNABLE, .fallback = "1",
                                     .doc = "factor of u"));
    p.b = tac_param_f64(d, TAC_PARAM(.name = "b", .flags = TAC_PARAM_TUNABLE, .fallback = "1",
                                     .doc = "factor of v"));
    tac_declare_numbers(d, &p, sizeof p);
    const tac_type type = tac__shaped_type(c);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = type, .unit = c->unit));
    tac_declare_input(
        d, TAC_PORT(.name = "v", .type = type, .unit = c->unit, .flags = TAC_PORT_OPTIONAL));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = type, .unit = c->unit, .doc = "a u + b v"));
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__sum_step_##kind                                                               \
    }
const tac_component_type tac__sum_type = {
    TAC__TYPE("sum", "1", "y = a u + b v", 0), .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(tac__shaped),          .declare = sum_declare,
    .kernels = TAC__KERNELS(KERNELS),          .alike = tac__alike_shaped,
};
#undef KERNELS

// --- limit --------------------------------------------------------------------------------------

static tac_status limit_declare(tac_declare *d, void *self)
{
    tac__shaped *c = self;
    tac__limit p;
    *c = tac__shaped_params(d);
    p.low = tac_param_f64(d, TAC_PARAM(.name = "min", .flags = TAC_PARAM_TUNABLE, .unit = c->unit,
                                       .fallback = "-1", .doc = "smallest"));
    p.high = tac_param_f64(d, TAC_PARAM(.name = "max", .flags = TAC_PARAM_TUNABLE, .unit = c->unit,
                                        .fallback = "1", .doc = "largest"));
    tac_declare_numbers(d, &p, sizeof p);
    declare_through(d, c, "the input, limited");
    return p.low <= p.high ? TAC_OK : tac_declare_fail(d, "max", "max must not be below min");
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__limit_step_##kind                                                             \
    }
const tac_component_type tac__limit_type = {
    TAC__TYPE("limit", "1", "y = u, kept between min and max", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(tac__shaped),
    .declare = limit_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- filter -------------------------------------------------------------------------------------

static tac_status filter_declare(tac_declare *d, void *self)
{
    tac__shaped *c = self;
    tac__filter p;
    *c = tac__shaped_params(d);
    p.tau_s =
        tac_param_f64(d, TAC_PARAM(.name = "tau", .flags = TAC_PARAM_TUNABLE, .unit = "s",
                                   .fallback = "0.1", .range = "(0, inf)", .doc = "time constant"));
    tac_declare_numbers(d, &p, sizeof p);
    declare_through(d, c, "low-passed input");
    tac_declare_state(d, TAC_PORT(.name = "last", .type = TAC_TYPE_I64, .unit = "us",
                                  .doc = "time of the last step; -1 before the first"));
    return TAC_OK;
}

static tac_status filter_init(tac_step *s, const void *self)
{
    (void)self;
    *TAC_STATE(s, int64_t, TAC__FILTER_LAST) = -1;
    return s->period_us ? TAC_OK : tac_fail(s, "needs a rate group with a period");
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__filter_step_##kind                                                            \
    }
const tac_component_type tac__filter_type = {
    TAC__TYPE("filter", "2", "discrete first-order low-pass", 0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(tac__shaped),
    .declare = filter_declare,
    .init = filter_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- sensor -------------------------------------------------------------------------------------

static tac_status sensor_declare(tac_declare *d, void *self)
{
    tac__sensor *c = self;
    double deviation[TAC__SIZE_MAX] = {0}, bias[TAC__SIZE_MAX] = {0};
    tac__sensor_element p[TAC__SIZE_MAX];
    c->shaped = tac__shaped_params(d);
    tac_param_array(d,
                    TAC_PARAM(.name = "deviation", .flags = TAC_PARAM_TUNABLE,
                              .unit = c->shaped.unit, .fallback = "0", .range = "[0, inf)",
                              .doc = "standard deviation of the noise"),
                    deviation, c->shaped.size);
    tac_param_array(d,
                    TAC_PARAM(.name = "bias", .flags = TAC_PARAM_TUNABLE, .unit = c->shaped.unit,
                              .fallback = "0", .doc = "constant error"),
                    bias, c->shaped.size);
    for (uint32_t i = 0; i < c->shaped.size; i++)
        p[i] = (tac__sensor_element){.bias = bias[i], .deviation = deviation[i]};
    tac_declare_numbers(d, p, c->shaped.size * sizeof *p);
    c->stream = tac_declare_stream(d, "noise");
    declare_through(d, &c->shaped, "the input as measured");
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__sensor_step_##kind                                                            \
    }
const tac_component_type tac__sensor_type = {
    TAC__TYPE("sensor", "1", "y = u + bias + white noise", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(tac__sensor),
    .declare = sensor_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- tracker ------------------------------------------------------------------------------------

static tac_status tracker_declare(tac_declare *d, void *self)
{
    (void)self;
    tac__tracker p;
    p.kp = tac_param_f64(d, TAC_PARAM(.name = "stiffness", .flags = TAC_PARAM_TUNABLE,
                                      .unit = "N/m", .fallback = "4", .range = "[0, inf)",
                                      .doc = "force by error of position"));
    p.kd = tac_param_f64(d, TAC_PARAM(.name = "damping", .flags = TAC_PARAM_TUNABLE,
                                      .unit = "N*s/m", .fallback = "3", .range = "[0, inf)",
                                      .doc = "force by error of velocity"));
    p.most = tac_param_f64(d, TAC_PARAM(.name = "limit", .flags = TAC_PARAM_TUNABLE, .unit = "N",
                                        .fallback = "100", .range = "(0, inf)",
                                        .doc = "largest force along an axis"));
    tac_declare_numbers(d, &p, sizeof p);
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

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__tracker_step_##kind                                                           \
    }
const tac_component_type tac__tracker_type = {
    TAC__TYPE("tracker", "1", "a force that makes a point follow a target", 0),
    .stage = TAC_STAGE_CONTROL,
    .declare = tracker_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS
