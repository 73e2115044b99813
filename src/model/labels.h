// labels.h - enums of signals between scenario, sensors and flight control. There is one array of
// labels for each, so that both ends of a route have the same type.
#ifndef TAC_MODEL_LABELS_H
#define TAC_MODEL_LABELS_H

// Commands of a scenario to flight control.
typedef enum tac__flight_mode {
    TAC__MODE_IDLE,
    TAC__MODE_MISSION,
    TAC__MODE_RETURN,
    TAC__MODE_LAND,
} tac__flight_mode;

// Faults of a sensor or an estimator: see docs/faults.md.
typedef enum tac__sensor_fault {
    TAC__FAULT_NONE,
    TAC__FAULT_FREEZE,
    TAC__FAULT_DROPOUT,
    TAC__FAULT_BIAS,
    TAC__FAULT_NOISE,
} tac__sensor_fault;

extern const char *const tac__flight_mode_labels[];
extern const char *const tac__sensor_fault_labels[];

#endif
