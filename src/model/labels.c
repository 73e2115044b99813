// labels.c - the words of labels.h.
#include "model/labels.h"

#include <stddef.h>

const char *const tac__flight_mode_labels[] = {"idle", "mission", "return", "land", NULL};
const char *const tac__sensor_fault_labels[] = {"none", "freeze", "dropout", "bias", "noise", NULL};
