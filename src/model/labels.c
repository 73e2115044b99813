// labels.c - the words of labels.h.
#include "model/labels.h"

#include <stddef.h>

const char *const tac__flight_mode_labels[] = {
#define ROW(name, label) label,
    TAC__FLIGHT_MODE_TABLE(ROW)
#undef ROW
        NULL};

const char *const tac__sensor_fault_labels[] = {
#define ROW(name, label, value) label,
    TAC__SENSOR_FAULT_TABLE(ROW)
#undef ROW
        NULL};

const char *const tac__sensor_names[] = {
#define ROW(type, name) name,
    TAC__SENSOR_TABLE(ROW)
#undef ROW
        NULL};

bool tac__fault_has_value(tac__sensor_fault fault)
{
    static const bool has_value[] = {
#define ROW(name, label, value) value,
        TAC__SENSOR_FAULT_TABLE(ROW)
#undef ROW
    };
    return has_value[fault];
}
