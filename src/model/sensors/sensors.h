// sensors.h - parameters of sensors.model.h.
#ifndef TAC_MODEL_SENSORS_SENSORS_H
#define TAC_MODEL_SENSORS_SENSORS_H

#include <stdbool.h>

enum { TAC__CHANNEL_MAX = 3 };

// One measured quantity of up to three elements: truth plus constant and drifting bias plus white
// noise, then limited and rounded.
typedef struct tac__channel {
    int count;
    double bias[TAC__CHANNEL_MAX]; // constant
    double range;                  // largest magnitude; 0: no limit
    double quantum;                // step of the converter; 0: none
    bool noisy, drifts;            // takes `count` random numbers for each of the two
} tac__channel;

// What follows from the parameters and the period.
typedef struct tac__channel_law {
    double sigma[TAC__CHANNEL_MAX]; // of the noise of a sample
    double phi;                     // drift <- phi drift + gain n
    double gain[TAC__CHANNEL_MAX];
} tac__channel_law;

#endif
