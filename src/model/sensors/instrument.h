// instrument.h - what estimator and sensors share: channels with noise and bias, a delay, faults.
//
// In `declare` a type adds its channels and calls tac__instrument_declare; its numbers begin with
// those of its channels. How an instrument measures is in measure.h. A translation unit that
// includes this is of one scalar kind (math/real.h); what components have as `self` is the same for
// all.
#ifndef TAC_MODEL_SENSORS_INSTRUMENT_H
#define TAC_MODEL_SENSORS_INSTRUMENT_H

#include "model/builtin.h"
#include "model/kernel.h"

enum {
    TAC__CHANNEL_MAX = 3,
    TAC__INSTRUMENT_CHANNELS = 4,
    TAC__INSTRUMENT_PERIODS = 64 // longest delay
};

// Defaults of a channel, written as a user would.
typedef struct tac__channel_def {
    const char *name; // of the map with its parameters; NULL: they stand at the top
    const char *unit, *doc;
    int count;
    const char *noise, *density;          // deviation of a sample; or density [unit/sqrt(Hz)]
    const char *drift, *drift_tau, *walk; // of an AR(1) bias; or density of a walk [unit/sqrt(s)]
    const char *range, *quantum;
} tac__channel_def;

// One measured quantity of up to three elements: truth plus constant and drifting bias plus white
// noise, then limited and rounded.
typedef struct tac__channel_shape {
    int count;
    bool noisy, drifts; // takes `count` random numbers for each of the two
    bool limited, rounded;
} tac__channel_shape;

// Numbers of a channel.
typedef struct tac__channel {
    param bias[TAC__CHANNEL_MAX]; // constant
    param range;                  // largest magnitude
    param quantum;                // step of the converter
} tac__channel;

// The state of a channel: what follows from its parameters and the period, and its drift.
typedef struct tac__channel_state {
    real sigma[TAC__CHANNEL_MAX]; // of the noise of a sample
    real phi;                     // drift <- phi drift + gain n
    real gain[TAC__CHANNEL_MAX];
    real drift[TAC__CHANNEL_MAX];
} tac__channel_state;

enum { TAC__CHANNEL_WORDS = 3 * TAC__CHANNEL_MAX + 1 };

typedef struct tac__channel_params {
    tac__channel_shape shape;
    double bias[TAC__CHANNEL_MAX], range, quantum;
    double noise[TAC__CHANNEL_MAX], density[TAC__CHANNEL_MAX];
    double drift[TAC__CHANNEL_MAX], drift_tau_s, walk[TAC__CHANNEL_MAX];
    int state;
} tac__channel_params;

typedef struct tac__instrument {
    tac__channel_params channels[TAC__INSTRUMENT_CHANNELS];
    int count;
    size_t width; // numbers in a sample
    tac_time delay_us;
    int fault, fault_value; // inputs
    int valid;              // output
    int ring, turn;         // states: samples on their way; see TAC__TURN_...
    int stream;
} tac__instrument;

// The state of the delay: a ring of samples, one a period of the delay; a fraction of a period
// counts as one. With a fraction (LEADS) samples are taken between the steps, a lead before each.
enum { TAC__TURN_SLOT, TAC__TURN_FILLED, TAC__TURN_PERIODS, TAC__TURN_LEADS, TAC__TURN_WORDS };

// Add a channel and read its parameters. Returns its number.
int tac__instrument_channel(tac_declare *d, tac__instrument *p, const tac__channel_def *def);
// Declare what is left: delay, faults, the output `valid`.
void tac__instrument_declare(tac_declare *d, tac__instrument *p, size_t width, const char *delay);
// Make it measure the truth without a delay, whatever its parameters are.
void tac__instrument_be_exact(tac_declare *d, tac__instrument *p);
// The numbers of its channels, one behind another.
void tac__instrument_numbers(const tac__instrument *p, tac__channel *numbers);

tac_status tac__instrument_init(tac_step *s, const tac__instrument *p);
// Checks restored states: for `verify`.
tac_status tac__instrument_verify(tac_step *s, const tac__instrument *p);
// Have both the same shape: for `alike`.
bool tac__instrument_alike(const tac__instrument *a, const tac__instrument *b);

#endif
