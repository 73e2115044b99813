// model_text.h - parameters of components in the text of a recorded model: lines such as
// "param uav.vehicle.mass = 1.5".
#ifndef TAC_RECORD_EXPORT_MODEL_TEXT_H
#define TAC_RECORD_EXPORT_MODEL_TEXT_H

#include "base/print.h"

#include <stdbool.h>
#include <stddef.h>

// Copy the value of a parameter, whose name is given as a format of print.h. Returns false and an
// empty value if the parameter does not exist or its value does not fit.
TAC_PRINTF(4, 5)
bool tac__model_param(const char *model, char *value, size_t size, const char *format, ...);

// Read a single number, or the numbers of a list such as "[1, 2, 3]". Returns how many were read,
// at most `most`.
size_t tac__model_numbers(const char *value, double *numbers, size_t most);

// Find the next parameter. `*at` is the model's text at first; false after the last parameter.
typedef struct tac__model_line {
    const char *name, *equal; // Name, and where it ends.
    const char *value, *end;  // Value, and where it ends.
} tac__model_line;
bool tac__model_next(const char **at, tac__model_line *line);

#endif
