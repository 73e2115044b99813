// allocate.h - torque and thrust shared out among the rotors whose geometry the parameters give.
#ifndef PX4_STANDIN_ALLOCATE_H
#define PX4_STANDIN_ALLOCATE_H

#include "params.h"
#include "uorb.h"

typedef struct allocation {
    int rotors;
    uint32_t failed;           // Motors that are left out, one bit each.
    double mix[ROTORS_MAX][4]; // of roll, pitch, yaw, thrust; each of them within 1
} allocation;

// Without rotors, or with rotors that cannot turn it about all axes, nothing is allocated.
void allocation_update(allocation *a, const params *p);
// Share out torque and thrust. Looks for a failed motor before, if CA_FAILURE_MODE asks for it.
void allocation_run(allocation *a, uorb *u, const params *p, uint64_t now_us);

#endif
