// flight.c - a flight at its start. Its steps are in flight.lanes.h.
#define TAC_KIND_F64
#include "autopilot/flight.h"

#include <string.h>

const char *const tac__flight_phase_labels[] = {
#define ROW(name, label) label,
    TAC__PHASE_TABLE(ROW)
#undef ROW
        NULL};

void tac__flight_init(const tac__control_shape *shape, tac__flight_state s)
{
    memset(s.n, 0, sizeof *s.n);
    *s.w = (tac__flight_words){.landed = 1, .yaw_held = 1, .can_hover = 1};
    for (int i = 0; i < shape->rotors; i++)
        s.n->works[i] = 1;
}
