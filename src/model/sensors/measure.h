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
// In packs each lane has faults of its own; the place in the ring is the same in all lanes. In a
// graph faults and the place in the ring are values as all others: samples are selected.
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

static inline cond instrument__has(const instrument_now *now, tac__sensor_fault fault)
{
    return c_and(now->code > (double)fault - 0.5, now->code < (double)fault + 0.5);
}

static inline void instrument__look_at_fault(real value, instrument_now *now)
{
    now->factor =
        r_select(instrument__has(now, TAC__FAULT_NOISE), r_max(R(0.0), value), now->factor);
    now->bias = r_select(instrument__has(now, TAC__FAULT_BIAS), value, now->bias);
}

#ifdef TAC_KIND_SYM
// Samples are taken between the steps, a lead before each.
static inline bool instrument__leads(const tac_step *s, const tac__instrument *p)
{
    return p->delay_us % s->period_us != 0;
}

// Only the first step of all takes a sample where samples are taken between the steps.
static inline bool instrument__is_between(const tac_step *s, const tac__instrument *p)
{
    return instrument__leads(s, p) && !(s->due & TAC_DUE_LEAD);
}

static inline instrument_now instrument_look(const tac_step *s, const tac__instrument *p)
{
    instrument_now now;
    now.together = now.samples = true;
    now.sound = false;
    now.code = step_i32(s->in[p->fault], 0);
    now.factor = R(1.0);
    now.bias = R(0.0);
    instrument__look_at_fault(*step_in(s, p->fault_value), &now);
    return now;
}
#else
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
        now.code = step_i32(fault, 0);
        instrument__look_at_fault(*step_in(s, p->fault_value), &now);
    }
    return now;
}
#endif

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
    tac__channel_state *state = instrument_state(s, p, channel);
    real n[2 * TAC__CHANNEL_MAX];
    step_normals(s, p->stream, n, (size_t)((shape->noisy + shape->drifts) * shape->count));
#ifdef TAC_KIND_SYM
    const tac__channel_state before = *state;
#endif
    channel_step(shape, STEP_P(s, tac__channel) + channel, state, truth, n, now->factor,
                 channel == 0 ? now->bias : R(0.0), measured);
#ifdef TAC_KIND_SYM
    cond taken = step_i32(s->state[p->turn], TAC__TURN_FILLED) <= 0.0;
    for (int i = 0; instrument__is_between(s, p) && i < shape->count; i++)
        state->drift[i] = r_select(taken, state->drift[i], before.drift[i]);
#endif
}

// --- the delay ----------------------------------------------------------------------------------

#ifdef TAC_KIND_SYM
static inline cond instrument__is(real whole, int32_t number)
{
    return c_and(whole >= (double)number, whole <= (double)number);
}

static inline const real *instrument__take_turn(const tac_step *s, const tac__instrument *p,
                                                const real *sample, real *due)
{
    const int32_t periods =
        (int32_t)(p->delay_us / s->period_us) + (instrument__leads(s, p) ? 1 : 0);
    if (periods == 0)
        return sample;
    void *turn = s->state[p->turn];
    const int width = (int)p->width;
    real filled = step_i32(turn, TAC__TURN_FILLED), slot = step_i32(turn, TAC__TURN_SLOT);
    real *ring = step_state(s, p->ring);
    for (int32_t k = 0; k < periods; k++) {
        real *place = ring + k * width;
        for (int i = 0; i < width; i++) {
            place[i] = r_select(filled <= (double)k, sample[i], place[i]);
            due[i] = k == 0 ? place[i] : r_select(instrument__is(slot, k), place[i], due[i]);
        }
    }
    step_put_i32(turn, TAC__TURN_FILLED, R((double)periods));
    if (instrument__is_between(s, p))
        return due;
    for (int32_t k = 0; k < periods; k++) {
        for (int i = 0; i < width; i++)
            ring[k * width + i] = r_select(instrument__is(slot, k), sample[i], ring[k * width + i]);
    }
    step_put_i32(turn, TAC__TURN_SLOT, r_select(slot + 1.0 >= (double)periods, R(0.0), slot + 1.0));
    return due;
}
#else
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
#endif

static inline const real *instrument_delay(const tac_step *s, const tac__instrument *p,
                                           const instrument_now *now, const real *sample, real *due)
{
    const real *delayed = instrument__take_turn(s, p, sample, due);
    if (s->due & TAC_DUE_LEAD)
        return NULL;
    step_put_flag(s->out[p->valid], 0, c_not(instrument__has(now, TAC__FAULT_DROPOUT)));
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
