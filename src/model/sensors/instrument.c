// instrument.c - channels, delays and faults of estimator and sensors.
//
// An instrument draws the same number of random numbers in every step whatever its faults are, and
// drift and delay go on while outputs hold: after a fault everything is as if it had never been.
#include "model/sensors/instrument.h"
#include "model/labels.h"
#include <tactus/math.h>

#include <stdio.h>
#include <string.h>

void tac__channel_step_f64(const tac__channel *c, const tac__channel_law *k, const double *truth,
                           const double *n, const double *fault, double *drift, double *y);

// The state of a channel.
typedef struct channel_state {
    tac__channel_law law;
    double drift[TAC__CHANNEL_MAX];
} channel_state;

// The state of the delay: a ring of samples, one a period of the delay; a fraction of a period
// counts as one. With a fraction (LEADS) samples are taken between the steps, a lead before each.
enum { SLOT, FILLED, PERIODS, LEADS, TURN_WORDS };

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
    c->law.noisy = any(c->noise, def->count) || any(c->density, def->count);
}

static void read_bias(tac_declare *d, const tac__channel_def *def, tac__channel_params *c)
{
    read_array(d, def, "bias", def->unit, NULL, NULL, "constant error", TAC_PARAM_TUNABLE,
               c->law.bias);
    read_array(d, def, "drift", def->unit, def->drift, positive,
               "deviation of an error that drifts about zero", 0, c->drift);
    c->drift_tau_s = read_number(d, "drift_tau", "s", def->drift_tau ? def->drift_tau : "100",
                                 "(0, inf)", "correlation time of the drift", 0);
    read_array(d, def, "walk", NULL, def->walk, positive,
               "an error that walks without limit, in units of the signal per sqrt(s)", 0, c->walk);
    const bool drifts = any(c->drift, def->count), walks = any(c->walk, def->count);
    if (drifts && walks)
        tac_declare_fail(d, "walk", "an error either drifts or walks; set drift or walk to 0");
    c->law.drifts = drifts || walks;
}

int tac__instrument_channel(tac_declare *d, tac__instrument *p, const tac__channel_def *def)
{
    const int number = p->count++;
    tac__channel_params *c = &p->channels[number];
    c->law.count = def->count;
    if (def->name) {
        tac_param_items(d, TAC_PARAM(.name = def->name, .fallback = "{}", .doc = def->doc), 1);
        tac_param_begin(d, def->name, 0);
    }
    read_noise(d, def, c);
    read_bias(d, def, c);
    c->law.range = read_number(d, "range", def->unit, def->range ? def->range : "0", positive,
                               "largest magnitude; 0: no limit", TAC_PARAM_TUNABLE);
    c->law.quantum = read_number(d, "quantum", def->unit, def->quantum ? def->quantum : "0",
                                 positive, "step of the converter; 0: none", TAC_PARAM_TUNABLE);
    if (def->name)
        tac_param_end(d);

    char name[32];
    snprintf(name, sizeof name, "channel%d", number);
    c->state = tac_declare_state(
        d, TAC_PORT(.name = name,
                    .type = TAC_TYPE_ARRAY(TAC_F64, sizeof(channel_state) / sizeof(double)),
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
    p->turn =
        tac_declare_state(d, TAC_PORT(.name = "turn", .type = TAC_TYPE_ARRAY(TAC_I32, TURN_WORDS),
                                      .doc = "place in the ring"));
    p->stream = tac_declare_stream(d, "noise");
}

void tac__instrument_be_exact(tac_declare *d, tac__instrument *p)
{
    for (int i = 0; i < p->count; i++)
        p->channels[i].law = (tac__channel){.count = p->channels[i].law.count};
    p->delay_us = 0;
    tac_declare_lead(d, 0, 0, "delay");
}

// --- before the run -----------------------------------------------------------------------------

static void init_delay(tac_step *s, const tac__instrument *p)
{
    int32_t *turn = TAC_STATE(s, int32_t, p->turn);
    turn[LEADS] = p->delay_us % s->period_us != 0;
    turn[PERIODS] = (int32_t)(p->delay_us / s->period_us) + turn[LEADS];
}

static void init_channel(tac_step *s, const tac__instrument *p, const tac__channel_params *c)
{
    const double dt_s = tac_time_seconds(s->period_us), steps = -dt_s / c->drift_tau_s;
    channel_state *state = (channel_state *)s->state[c->state];
    const bool drifts = c->law.drifts && any(c->drift, c->law.count);
    double n[TAC__CHANNEL_MAX] = {0};
    if (drifts)
        tac_draw_normals(s, p->stream, n, (size_t)c->law.count);
    state->law.phi = drifts ? tac_exp(steps) : 1;
    const double one_step = drifts ? tac_sqrt(-tac_expm1(2 * steps)) : tac_sqrt(dt_s);
    for (int k = 0; k < c->law.count; k++) {
        state->law.sigma[k] =
            tac_sqrt(c->noise[k] * c->noise[k] + c->density[k] * c->density[k] / dt_s);
        state->law.gain[k] = one_step * (drifts ? c->drift[k] : c->walk[k]);
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
    if (turn[PERIODS] < 0 || turn[PERIODS] > most || turn[FILLED] < 0 ||
        turn[FILLED] > turn[PERIODS] || turn[SLOT] < 0 ||
        turn[SLOT] >= (turn[PERIODS] ? turn[PERIODS] : 1) ||
        turn[LEADS] != (s->period_us && p->delay_us % s->period_us != 0))
        return tac_fail(s, "has the places %d, %d of %d in its ring", turn[SLOT], turn[FILLED],
                        turn[PERIODS]);
    return TAC_OK;
}

// --- measuring ----------------------------------------------------------------------------------

void tac__instrument_measure(tac_step *s, const tac__instrument *p, int channel,
                             const double *truth, double *measured)
{
    const tac__channel *law = &p->channels[channel].law;
    channel_state *state = (channel_state *)s->state[p->channels[channel].state];
    double n[2 * TAC__CHANNEL_MAX];
    tac_draw_normals(s, p->stream, n, (size_t)((law->noisy + law->drifts) * law->count));
    const int32_t fault = *TAC_IN(s, int32_t, p->fault);
    const double value = *TAC_IN(s, double, p->fault_value);
    const double effect[2] = {fault == TAC__FAULT_NOISE ? tac_max(0, value) : 1,
                              fault == TAC__FAULT_BIAS && channel == 0 ? value : 0};
    tac__channel_step_f64(law, &state->law, truth, n, effect, state->drift, measured);
}

bool tac__instrument_samples(const tac_step *s, const tac__instrument *p)
{
    const int32_t *turn = TAC_STATE(s, int32_t, p->turn);
    return !turn[LEADS] || s->due & TAC_DUE_LEAD || turn[FILLED] == 0;
}

// Puts a sample into the ring in the place of the oldest, which is copied to `due`.
static void turn_ring(double *ring, int32_t *turn, size_t width, const double *sample, double *due)
{
    double *slot = ring + (size_t)turn[SLOT] * width;
    for (size_t i = 0; i < width; i++) {
        due[i] = slot[i];
        slot[i] = sample[i];
    }
    turn[SLOT] = turn[SLOT] + 1 == turn[PERIODS] ? 0 : turn[SLOT] + 1;
}

// The sample taken at t - delay; before there is one, the first sample.
static const double *take_turn(tac_step *s, const tac__instrument *p, const double *sample,
                               double *due)
{
    int32_t *turn = TAC_STATE(s, int32_t, p->turn);
    if (turn[PERIODS] == 0)
        return sample;
    double *ring = TAC_STATE(s, double, p->ring);
    for (; turn[FILLED] < turn[PERIODS]; turn[FILLED]++)
        memcpy(ring + (size_t)turn[FILLED] * p->width, sample, p->width * sizeof *sample);
    if (!turn[LEADS] || s->due & TAC_DUE_LEAD)
        turn_ring(ring, turn, p->width, sample, due);
    else // the oldest sample that a lead has taken
        memcpy(due, ring + (size_t)turn[SLOT] * p->width, p->width * sizeof *due);
    return due;
}

const double *tac__instrument_delay(tac_step *s, const tac__instrument *p, const double *sample,
                                    double *due)
{
    const double *delayed = take_turn(s, p, sample, due);
    if (s->due & TAC_DUE_LEAD)
        return NULL;
    const int32_t fault = *TAC_IN(s, int32_t, p->fault);
    *TAC_OUT(s, bool, p->valid) = fault != TAC__FAULT_DROPOUT;
    return fault == TAC__FAULT_FREEZE || fault == TAC__FAULT_DROPOUT ? NULL : delayed;
}
