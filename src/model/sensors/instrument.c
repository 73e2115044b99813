// instrument.c - parameters and start of the channels, delays and faults of estimator and sensors.
// How they measure is in measure.h.
#define TAC_KIND_F64
#include "model/sensors/instrument.h"
#include "model/labels.h"
#include <tactus/math.h>

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(tac__channel_state) == TAC__CHANNEL_WORDS * sizeof(double), "as declared");

// --- declaring ----------------------------------------------------------------------------------

static const char positive[] = "[0, inf)";

static void read_array(tac_declare *d, const tac__channel_def *def, const char *name,
                       const char *unit, const char *fallback, const char *range, const char *doc,
                       uint32_t flags, double *values)
{
    tac_param_array(d,
                    TAC_PARAM(.name = name, .unit = unit, .fallback = fallback ? fallback : "0",
                              .range = range, .doc = doc, .flags = flags),
                    values, (size_t)def->count);
}

static double read_number(tac_declare *d, const char *name, const char *unit, const char *fallback,
                          const char *range, const char *doc, uint32_t flags)
{
    return tac_param_f64(d, TAC_PARAM(.name = name, .unit = unit, .fallback = fallback,
                                      .range = range, .doc = doc, .flags = flags));
}

static bool any(const double *values, int count)
{
    bool found = false;
    for (int i = 0; i < count; i++)
        found |= values[i] != 0;
    return found;
}

static void read_noise(tac_declare *d, const tac__channel_def *def, tac__channel_params *c)
{
    read_array(d, def, "noise", def->unit, def->noise, positive, "deviation of a sample", 0,
               c->noise);
    read_array(d, def, "noise_density", NULL, def->density, positive,
               "of white noise, in units of the signal per sqrt(Hz); adds to `noise`", 0,
               c->density);
    c->shape.noisy = any(c->noise, def->count) || any(c->density, def->count);
}

static void read_bias(tac_declare *d, const tac__channel_def *def, tac__channel_params *c)
{
    read_array(d, def, "bias", def->unit, NULL, NULL, "constant error", TAC_PARAM_TUNABLE, c->bias);
    read_array(d, def, "drift", def->unit, def->drift, positive,
               "deviation of an error that drifts about zero", 0, c->drift);
    c->drift_tau_s = read_number(d, "drift_tau", "s", def->drift_tau ? def->drift_tau : "100",
                                 "(0, inf)", "correlation time of the drift", 0);
    read_array(d, def, "walk", NULL, def->walk, positive,
               "an error that walks without limit, in units of the signal per sqrt(s)", 0, c->walk);
    const bool drifts = any(c->drift, def->count), walks = any(c->walk, def->count);
    if (drifts && walks)
        tac_declare_fail(d, "walk", "an error either drifts or walks; set drift or walk to 0");
    c->shape.drifts = drifts || walks;
}

int tac__instrument_channel(tac_declare *d, tac__instrument *p, const tac__channel_def *def)
{
    const int number = p->count++;
    tac__channel_params *c = &p->channels[number];
    c->shape.count = def->count;
    if (def->name) {
        tac_param_items(d, TAC_PARAM(.name = def->name, .fallback = "{}", .doc = def->doc), 1);
        tac_param_begin(d, def->name, 0);
    }
    read_noise(d, def, c);
    read_bias(d, def, c);
    c->range = read_number(d, "range", def->unit, def->range ? def->range : "0", positive,
                           "largest magnitude; 0: no limit", TAC_PARAM_TUNABLE);
    c->quantum = read_number(d, "quantum", def->unit, def->quantum ? def->quantum : "0", positive,
                             "step of the converter; 0: none", TAC_PARAM_TUNABLE);
    c->shape.limited = c->range > 0;
    c->shape.rounded = c->quantum > 0;
    if (def->name)
        tac_param_end(d);

    char name[32];
    snprintf(name, sizeof name, "channel%d", number);
    c->state = tac_declare_state(d, TAC_PORT(.name = name,
                                             .type = TAC_TYPE_ARRAY(TAC_F64, TAC__CHANNEL_WORDS),
                                             .doc = "coefficients for the period, and the drift"));
    return number;
}

void tac__instrument_declare(tac_declare *d, tac__instrument *p, size_t width, const char *delay)
{
    p->width = width;
    p->delay_us = tac_param_time(d, TAC_PARAM(.name = "delay", .fallback = delay,
                                              .doc = "from measuring to output; up to 64 "
                                                     "periods"));
    tac_declare_lead(d, p->delay_us, TAC__INSTRUMENT_PERIODS, "delay");
    p->fault = tac_declare_input(
        d, TAC_PORT(.name = "fault", .type = TAC_TYPE_ENUM(tac__sensor_fault_labels),
                    .flags = TAC_PORT_OPTIONAL, .doc = "what is wrong with it"));
    p->fault_value = tac_declare_input(d, TAC_PORT(.name = "fault_value", .type = TAC_TYPE_F64,
                                                   .flags = TAC_PORT_OPTIONAL,
                                                   .doc = "bias: added to the first output; noise: "
                                                          "factor of the deviation"));
    p->valid = tac_declare_output(
        d, TAC_PORT(.name = "valid", .type = TAC_TYPE_BOOL, .doc = "false while it drops out"));
    const size_t slots = p->delay_us ? TAC__INSTRUMENT_PERIODS : 0;
    p->ring = tac_declare_state(
        d, TAC_PORT(.name = "ring", .type = TAC_TYPE_ARRAY(TAC_F64, (uint32_t)(slots * width + 1)),
                    .flags = TAC_PORT_LEAD, .doc = "samples on their way"));
    p->turn = tac_declare_state(d, TAC_PORT(.name = "turn",
                                            .type = TAC_TYPE_ARRAY(TAC_I32, TAC__TURN_WORDS),
                                            .doc = "place in the ring"));
    p->stream = tac_declare_stream(d, "noise");
}

void tac__instrument_be_exact(tac_declare *d, tac__instrument *p)
{
    for (int i = 0; i < p->count; i++) {
        tac__channel_params *c = &p->channels[i];
        c->shape = (tac__channel_shape){.count = c->shape.count};
        memset(c->bias, 0, sizeof c->bias);
        c->range = c->quantum = 0;
    }
    p->delay_us = 0;
    tac_declare_lead(d, 0, 0, "delay");
}

void tac__instrument_numbers(const tac__instrument *p, tac__channel *numbers)
{
    for (int i = 0; i < p->count; i++) {
        const tac__channel_params *c = &p->channels[i];
        memcpy(numbers[i].bias, c->bias, sizeof c->bias);
        numbers[i].range = c->range;
        numbers[i].quantum = c->quantum;
    }
}

bool tac__instrument_alike(const tac__instrument *a, const tac__instrument *b)
{
    bool same = a->count == b->count && a->delay_us == b->delay_us;
    for (int i = 0; same && i < a->count; i++) {
        const tac__channel_shape *c = &a->channels[i].shape, *d = &b->channels[i].shape;
        same = c->count == d->count && c->noisy == d->noisy && c->drifts == d->drifts &&
               c->limited == d->limited && c->rounded == d->rounded;
    }
    return same;
}

// --- before the run -----------------------------------------------------------------------------

static void init_delay(tac_step *s, const tac__instrument *p)
{
    int32_t *turn = TAC_STATE(s, int32_t, p->turn);
    turn[TAC__TURN_LEADS] = p->delay_us % s->period_us != 0;
    turn[TAC__TURN_PERIODS] = (int32_t)(p->delay_us / s->period_us) + turn[TAC__TURN_LEADS];
}

static void init_channel(tac_step *s, const tac__instrument *p, const tac__channel_params *c)
{
    const double dt_s = tac_time_seconds(s->period_us), steps = -dt_s / c->drift_tau_s;
    tac__channel_state *state = (tac__channel_state *)s->state[c->state];
    const bool drifts = c->shape.drifts && any(c->drift, c->shape.count);
    double n[TAC__CHANNEL_MAX] = {0};
    if (drifts)
        tac_draw_normals(s, p->stream, n, (size_t)c->shape.count);
    state->phi = drifts ? tac_exp(steps) : 1;
    const double one_step = drifts ? tac_sqrt(-tac_expm1(2 * steps)) : tac_sqrt(dt_s);
    for (int k = 0; k < c->shape.count; k++) {
        state->sigma[k] =
            tac_sqrt(c->noise[k] * c->noise[k] + c->density[k] * c->density[k] / dt_s);
        state->gain[k] = one_step * (drifts ? c->drift[k] : c->walk[k]);
        state->drift[k] = c->drift[k] * n[k]; // drawn as for any later time; a walk begins at 0
    }
}

tac_status tac__instrument_init(tac_step *s, const tac__instrument *p)
{
    if (!s->period_us)
        return tac_fail(s, "needs a rate group with a period");
    for (int i = 0; i < p->count; i++)
        init_channel(s, p, &p->channels[i]);
    init_delay(s, p);
    return TAC_OK;
}

tac_status tac__instrument_verify(tac_step *s, const tac__instrument *p)
{
    const int32_t *turn = TAC_STATE(s, int32_t, p->turn);
    const int32_t most = p->delay_us ? TAC__INSTRUMENT_PERIODS : 0;
    if (turn[TAC__TURN_PERIODS] < 0 || turn[TAC__TURN_PERIODS] > most ||
        turn[TAC__TURN_FILLED] < 0 || turn[TAC__TURN_FILLED] > turn[TAC__TURN_PERIODS] ||
        turn[TAC__TURN_SLOT] < 0 ||
        turn[TAC__TURN_SLOT] >= (turn[TAC__TURN_PERIODS] ? turn[TAC__TURN_PERIODS] : 1) ||
        turn[TAC__TURN_LEADS] != (s->period_us && p->delay_us % s->period_us != 0))
        return tac_fail(s, "has the places %d, %d of %d in its ring", turn[TAC__TURN_SLOT],
                        turn[TAC__TURN_FILLED], turn[TAC__TURN_PERIODS]);
    return TAC_OK;
}
