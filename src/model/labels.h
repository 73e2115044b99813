// labels.h - words of signals between scenario, sensors and flight control: one table for each
// vocabulary, from which its enum and its labels follow. There is one array of labels for each, so
// that both ends of a route have the same type.
#ifndef TAC_MODEL_LABELS_H
#define TAC_MODEL_LABELS_H

#include <stdbool.h>

// Commands of a scenario to flight control: X(NAME, "name").
#define TAC__FLIGHT_MODE_TABLE(X)                                                                  \
    X(IDLE, "idle")                                                                                \
    X(MISSION, "mission")                                                                          \
    X(RETURN, "return")                                                                            \
    X(LAND, "land")

// Faults of a sensor or an estimator: X(NAME, "name", has a value). What they do is in
// sensors/measure.h and in docs/faults.md.
#define TAC__SENSOR_FAULT_TABLE(X)                                                                 \
    X(NONE, "none", false)                                                                         \
    X(FREEZE, "freeze", false)                                                                     \
    X(DROPOUT, "dropout", false)                                                                   \
    X(BIAS, "bias", true)                                                                          \
    X(NOISE, "noise", true)

// Sensors, and what a scenario calls them: X(type, "name"). Each is a component type (builtin.h)
// with inputs `fault` and `fault_value`; a scenario has outputs NAME_fault and NAME_fault_value.
#define TAC__SENSOR_TABLE(X)                                                                       \
    X(estimator, "estimator")                                                                      \
    X(imu, "imu")                                                                                  \
    X(barometer, "baro")                                                                           \
    X(magnetometer, "mag")                                                                         \
    X(gps, "gps")

typedef enum tac__flight_mode {
#define TAC__ROW(name, label) TAC__MODE_##name,
    TAC__FLIGHT_MODE_TABLE(TAC__ROW)
#undef TAC__ROW
} tac__flight_mode;

typedef enum tac__sensor_fault {
#define TAC__ROW(name, label, value) TAC__FAULT_##name,
    TAC__SENSOR_FAULT_TABLE(TAC__ROW)
#undef TAC__ROW
} tac__sensor_fault;

enum {
#define TAC__ROW(type, name) TAC__SENSOR_##type,
    TAC__SENSOR_TABLE(TAC__ROW)
#undef TAC__ROW
        TAC__SENSORS // how many
};

// All of them end with NULL.
extern const char *const tac__flight_mode_labels[];
extern const char *const tac__sensor_fault_labels[];
extern const char *const tac__sensor_names[];

bool tac__fault_has_value(tac__sensor_fault fault);

#endif
