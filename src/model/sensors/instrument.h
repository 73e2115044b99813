// instrument.h - what estimator and sensors share: channels with noise and bias, a delay, faults.
//
// In `declare` a type adds its channels and ends with tac__instrument_declare. In `step`, if
// tac__instrument_samples says so, it measures each channel and puts what its outputs depend on
// into a sample. It gives the sample to tac__instrument_delay, which returns the sample that is
// due, or NULL where the outputs hold.
#ifndef TAC_MODEL_SENSORS_INSTRUMENT_H
#define TAC_MODEL_SENSORS_INSTRUMENT_H

#include "model/sensors/sensors.h"
#include <tactus/component.h>

enum {
    TAC__INSTRUMENT_CHANNELS = 4,
    TAC__INSTRUMENT_WIDTH = 16,  // numbers in a sample
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

typedef struct tac__channel_params {
    tac__channel law;
    double noise[TAC__CHANNEL_MAX], density[TAC__CHANNEL_MAX];
    double drift[TAC__CHANNEL_MAX], drift_tau_s, walk[TAC__CHANNEL_MAX];
    int state;
} tac__channel_params;

typedef struct tac__instrument {
    tac__channel_params channels[TAC__INSTRUMENT_CHANNELS];
    int count;
    size_t width; // of a sample
    tac_time delay_us;
    int fault, fault_value; // inputs
    int valid;              // output
    int ring, turn;         // states: samples on their way; see instrument.c
    int stream;
} tac__instrument;

// Add a channel and read its parameters. Returns its number.
int tac__instrument_channel(tac_declare *d, tac__instrument *p, const tac__channel_def *def);
// Declare what is left: delay, faults, the output `valid`.
void tac__instrument_declare(tac_declare *d, tac__instrument *p, size_t width, const char *delay);
// Make it measure the truth without a delay, whatever its parameters are.
void tac__instrument_be_exact(tac_declare *d, tac__instrument *p);

tac_status tac__instrument_init(tac_step *s, const tac__instrument *p);
// Checks restored states: for `verify`.
tac_status tac__instrument_verify(tac_step *s, const tac__instrument *p);

// Whether a sample is taken in this step. With a delay that is no multiple of the period, samples
// are taken between the steps that put them out.
bool tac__instrument_samples(const tac_step *s, const tac__instrument *p);

// The fault's bias acts on channel 0, its noise on every channel.
void tac__instrument_measure(tac_step *s, const tac__instrument *p, int channel,
                             const double *truth, double *measured);
// `sample` is not used where none was taken.
const double *tac__instrument_delay(tac_step *s, const tac__instrument *p, const double *sample,
                                    double *due);

#endif
