// ulog_params.h - PX4's parameters of a log: what the flight was set to, under PX4's names.
#ifndef TAC_RECORD_EXPORT_ULOG_PARAMS_H
#define TAC_RECORD_EXPORT_ULOG_PARAMS_H

#include "record/export/export.h"

typedef struct tac__ulog_param {
    char name[32];
    bool whole; // int32_t, else float
    double value;
} tac__ulog_param;

// Parameters of the first vehicle that has a control and rotors: the type of vehicle, its rotors,
// and what `params_file` and `params` of a `px4` set, which take the place of the others. Memory is
// the export's.
TAC_MUST_CHECK tac_status tac__ulog_params_make(tac__export *x, const tac__ulog_param **params,
                                                size_t *count, tac_error *err);

#endif
