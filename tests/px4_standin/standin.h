// standin.h - all that a handle stands for, and its step. There is one in each copy of the library.
#ifndef PX4_STANDIN_STANDIN_H
#define PX4_STANDIN_STANDIN_H

#include "allocate.h"
#include "api.h"
#include "control.h"
#include "trajectory.h"

// The limiter of a module's rate.
typedef struct pace {
    bool ran;
    uint64_t last_us;
} pace;

enum { MODULE_NAVIGATOR, MODULE_POSITION, MODULE_ATTITUDE, MODULE_RATE, MODULE_ALLOCATOR, MODULES };

typedef struct standin {
    config cfg;
    uint64_t now_us;
    bool autosave;
    bool notified;        // modules take the parameters as set at the next step
    params stored, taken; // as set; as modules see them
    uorb u;
    pace paces[MODULES];
    pace flight_mode;
    navigator nav;
    trajectory way;
    control loops;
    allocation mix;
} standin;

void standin_init(standin *s, const config *cfg);
int standin_step(standin *s, uint64_t time_us);

#endif
