// model_text.h - parameters of components in the text of a recorded model: lines such as
// "param uav.vehicle.mass = 1.5".
#ifndef TAC_RECORD_EXPORT_MODEL_TEXT_H
#define TAC_RECORD_EXPORT_MODEL_TEXT_H

#include "base/print.h"

#include <stdbool.h>
#include <stddef.h>

// Copy the value of a parameter, named as print.h does. False, with an empty value, if there is no
// such parameter or its value is longer.
TAC_PRINTF(4, 5)
bool tac__model_param(const char *model, char *value, size_t size, const char *format, ...);

// The numbers of a list, "[1, 2, 3]", or a single number. Returns how many were read, at most
// `most`.
size_t tac__model_numbers(const char *value, double *numbers, size_t most);

// Go through all parameters: `*name` and `*value` are the next ones, up to `*end`. Begin with
// `*at` at the model's text; false at its end.
typedef struct tac__model_line {
    const char *name, *equal, *value, *end; // the name ends at `equal`
} tac__model_line;
bool tac__model_next(const char **at, tac__model_line *line);

#endif
