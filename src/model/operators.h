// operators.h - discrete operators: gain, sum, limit, filter, sensor, tracker. Their numbers, ports
// and kernels. A translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_OPERATORS_H
#define TAC_MODEL_OPERATORS_H

#include "model/builtin.h"
#include "model/kernel.h"

enum { TAC__OPERATOR_IN, TAC__OPERATOR_OUT = 0 };

// Of a gain kernels see its size; its numbers are the factors.
typedef tac__shaped tac__gain;

enum { TAC__SUM_U, TAC__SUM_V };

typedef struct tac__sum {
    param a, b;
} tac__sum;

typedef struct tac__limit {
    param low, high;
} tac__limit;

enum { TAC__FILTER_LAST }; // state: the time of the last step [us]; -1 before the first

typedef struct tac__filter {
    param tau_s;
} tac__filter;

// Its numbers are one for each element.
typedef struct tac__sensor {
    tac__shaped shaped;
    int stream;
} tac__sensor;

typedef struct tac__sensor_element {
    param bias, deviation;
} tac__sensor_element;

enum {
    TAC__TRACKER_TARGET,
    TAC__TRACKER_TARGET_VELOCITY,
    TAC__TRACKER_POSITION,
    TAC__TRACKER_VELOCITY
};

typedef struct tac__tracker {
    param kp, kd, most;
} tac__tracker;

TAC__STEP_KERNEL(tac__gain_step)
TAC__STEP_KERNEL(tac__sum_step)
TAC__STEP_KERNEL(tac__limit_step)
TAC__STEP_KERNEL(tac__filter_step)
TAC__STEP_KERNEL(tac__sensor_step)
TAC__STEP_KERNEL(tac__tracker_step)

#endif
