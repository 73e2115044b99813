// labels.h - the enums that flow between scenario, sensors and flight control. One array for each,
// so that routes between them agree.
#ifndef TAC_MODEL_LABELS_H
#define TAC_MODEL_LABELS_H

// What a scenario asks of flight control.
typedef enum tac__flight_mode {
    TAC__MODE_IDLE,
    TAC__MODE_MISSION,
    TAC__MODE_RETURN,
    TAC__MODE_LAND,
} tac__flight_mode;

// What is wrong with a sensor or an estimator: see docs/faults.md.
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
