// codes.h - what the codes of libpx4_lockstep mean.
#ifndef TAC_AUTOPILOT_PX4_CODES_H
#define TAC_AUTOPILOT_PX4_CODES_H

#include <tactus/status.h>

// `function` is its name without "px4_lockstep_".
typedef struct tac__px4_code {
    const char *function;
    int code;
    tac_status status; // that the program ends with
    const char *text;
} tac__px4_code;

extern const tac__px4_code tac__px4_codes[]; // function NULL at the end

// One that is not in the table is TAC_E_COMPONENT and says so.
tac__px4_code tac__px4_code_of(const char *function, int code);

#endif
