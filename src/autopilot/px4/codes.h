// codes.h - the meaning of the codes that libpx4_lockstep returns.
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

// A code that is not in the table gives TAC_E_COMPONENT and a text that says so.
tac__px4_code tac__px4_code_of(const char *function, int code);

#endif
