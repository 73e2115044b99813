// allocate.h - torque and thrust shared out among the rotors whose geometry the parameters give.
#ifndef PX4_STANDIN_ALLOCATE_H
#define PX4_STANDIN_ALLOCATE_H

#include "params.h"
#include "uorb.h"

typedef struct allocation {
    int rotors;
    double mix[ROTORS_MAX][4]; // of roll, pitch, yaw, thrust; each of them within 1
} allocation;

// Without rotors, or with rotors that cannot turn it about all axes, nothing is allocated.
void allocation_update(allocation *a, const params *p);
void allocation_run(const allocation *a, uorb *u, uint64_t now_us);

#endif
