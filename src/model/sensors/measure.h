// measure.h - how instruments measure, for model code of every scalar kind: channels, faults, the
// delay.
//
// A step looks at the instrument (instrument_look). If a sample is taken, the step measures each
// channel and puts what its outputs depend on into a sample; instrument_delay returns the sample
// that is due, or NULL where there is nothing to put out, and instrument_write writes an output.
//
// An instrument draws the same number of random numbers in every step whatever its faults are, and
// drift and delay go on while outputs hold: after a fault everything is as if it had never been.
//
// In packs each lane has faults of its own; the place in the ring is the same in all lanes.
#ifndef TAC_MODEL_SENSORS_MEASURE_H
#define TAC_MODEL_SENSORS_MEASURE_H

#include "model/labels.h"
#include "model/sensors/instrument.h"

typedef struct instrument_now {
    bool together; // packs: all lanes are at the same place of the ring; else they step one by one
    bool samples;  // a sample is taken in this step. With a delay that is no multiple of the
                   // period, samples are taken between the steps that put them out
    bool sound;    // no fault in any lane
    real code;     // the fault, a tac__sensor_fault
    real factor;   // of the noise of all channels
    real bias;     // of the first channel
} instrument_now;

static inline int32_t *instrument__turn(const tac_step *s, const tac__instrument *p)
{
    return TAC_STATE(s, int32_t, p->turn);
}

static inline bool instrument__is_together(const int32_t *turn)
{
    int32_t differ = 0;
    for (int word = 0; word < TAC__TURN_WORDS; word++) {
        for (int lane = 1; lane < STEP_LANES; lane++)
            differ |= turn[word * STEP_LANES + lane] ^ turn[word * STEP_LANES];
    }
    return !differ;
}

static inline real instrument__code(const int32_t *fault)
{
#ifdef TAC_LANES
    typedef int32_t codes __attribute__((vector_size(4 * TAC_LANES), aligned(4), may_alias));
    return __builtin_convertvector(*(const codes *)(const void *)fault, real);
#else
    return R((double)*fault);
#endif
}

static inline cond instrument__has(const instrument_now *now, tac__sensor_fault fault)
{
    return c_and(now->code > (double)fault - 0.5, now->code < (double)fault + 0.5);
}

static inline instrument_now instrument_look(const tac_step *s, const tac__instrument *p)
{
    const int32_t *turn = instrument__turn(s, p), *fault = TAC_IN(s, int32_t, p->fault);
    instrument_now now;
    now.together = instrument__is_together(turn);
    now.samples = !turn[TAC__TURN_LEADS * STEP_LANES] || s->due & TAC_DUE_LEAD ||
                  turn[TAC__TURN_FILLED * STEP_LANES] == 0;
    int32_t any = 0;
    for (int lane = 0; lane < STEP_LANES; lane++)
        any |= fault[lane];
    now.sound = any == TAC__FAULT_NONE;
    now.code = R(0.0);
    now.factor = R(1.0);
    now.bias = R(0.0);
    if (!now.sound) {
        real value = *step_in(s, p->fault_value);
        now.code = instrument__code(fault);
        now.factor =
            r_select(instrument__has(&now, TAC__FAULT_NOISE), r_max(R(0.0), value), now.factor);
        now.bias = r_select(instrument__has(&now, TAC__FAULT_BIAS), value, now.bias);
    }
    return now;
}

// --- channels -----------------------------------------------------------------------------------

// y = round(limit(truth + bias + drift + fault + factor sigma n)); then the drift goes on to the
// next sample. `n` are the numbers for the noise, then those for the drift. Without a fault factor
// and fault are 1 and 0.
static inline void channel_step(const tac__channel_shape *c, const tac__channel *p,
                                tac__channel_state *state, const real *truth, const real *n,
                                real factor, real fault, real *y)
{
    const real *walk = n + (c->noisy ? c->count : 0);
    for (int i = 0; i < c->count; i++) {
        real x = truth[i] + (p->bias[i] + state->drift[i] + fault);
        if (c->noisy)
            x = x + factor * state->sigma[i] * n[i];
        if (c->limited)
            x = r_clamp(x, P(-p->range), P(p->range));
        if (c->rounded)
            x = p->quantum * r_floor(x / p->quantum + 0.5);
        y[i] = x;
        if (c->drifts)
            state->drift[i] = state->phi * state->drift[i] + state->gain[i] * walk[i];
    }
}

static inline tac__channel_state *instrument_state(const tac_step *s, const tac__instrument *p,
                                                   int channel)
{
    return (tac__channel_state *)s->state[p->channels[channel].state];
}

// The fault's bias acts on channel 0, its noise on every channel.
static inline void instrument_measure(tac_step *s, const tac__instrument *p,
                                      const instrument_now *now, int channel, const real *truth,
                                      real *measured)
{
    const tac__channel_shape *shape = &p->channels[channel].shape;
    real n[2 * TAC__CHANNEL_MAX];
    step_normals(s, p->stream, n, (size_t)((shape->noisy + shape->drifts) * shape->count));
    channel_step(shape, STEP_P(s, tac__channel) + channel, instrument_state(s, p, channel), truth,
                 n, now->factor, channel == 0 ? now->bias : R(0.0), measured);
}

// --- the delay ----------------------------------------------------------------------------------

static inline void instrument__set(int32_t *turn, int word, int32_t value)
{
    for (int lane = 0; lane < STEP_LANES; lane++)
        turn[word * STEP_LANES + lane] = value;
}

// The sample taken at t - delay; before there is one, the first sample. `sample` is not used where
// none was taken.
static inline const real *instrument__take_turn(const tac_step *s, const tac__instrument *p,
                                                const real *sample, real *due)
{
    int32_t *turn = instrument__turn(s, p);
    const int32_t periods = turn[TAC__TURN_PERIODS * STEP_LANES];
    if (periods == 0)
        return sample;
    const size_t width = p->width;
    const int32_t slot = turn[TAC__TURN_SLOT * STEP_LANES];
    real *ring = step_state(s, p->ring), *oldest = ring + (size_t)slot * width;
    for (int32_t k = turn[TAC__TURN_FILLED * STEP_LANES]; k < periods; k++) {
        for (size_t i = 0; i < width; i++)
            ring[(size_t)k * width + i] = sample[i];
    }
    instrument__set(turn, TAC__TURN_FILLED, periods);
    for (size_t i = 0; i < width; i++)
        due[i] = oldest[i];
    // Without a lead in this step: the oldest sample that a lead has taken, which stays.
    if (turn[TAC__TURN_LEADS * STEP_LANES] && !(s->due & TAC_DUE_LEAD))
        return due;
    for (size_t i = 0; i < width; i++)
        oldest[i] = sample[i];
    instrument__set(turn, TAC__TURN_SLOT, slot + 1 == periods ? 0 : slot + 1);
    return due;
}

static inline const real *instrument_delay(const tac_step *s, const tac__instrument *p,
                                           const real *sample, real *due)
{
    const real *delayed = instrument__take_turn(s, p, sample, due);
    if (s->due & TAC_DUE_LEAD)
        return NULL;
    const int32_t *fault = TAC_IN(s, int32_t, p->fault);
    bool *valid = TAC_OUT(s, bool, p->valid);
    for (int lane = 0; lane < STEP_LANES; lane++)
        valid[lane] = fault[lane] != TAC__FAULT_DROPOUT;
    return delayed;
}

// Do the outputs of a lane hold?
static inline cond instrument_holds(const instrument_now *now)
{
    return c_or(instrument__has(now, TAC__FAULT_FREEZE), instrument__has(now, TAC__FAULT_DROPOUT));
}

static inline void instrument_write(const tac_step *s, const instrument_now *now, int output,
                                    const real *values, int count)
{
    real *out = step_out(s, output);
    for (int i = 0; i < count && now->sound; i++)
        out[i] = values[i];
    for (int i = 0; i < count && !now->sound; i++)
        out[i] = r_select(instrument_holds(now), out[i], values[i]);
}

#endif
