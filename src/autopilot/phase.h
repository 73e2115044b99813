// phase.h - the phases of a flight, as outputs of flight controls name them.
#ifndef TAC_AUTOPILOT_PHASE_H
#define TAC_AUTOPILOT_PHASE_H

#define TAC__PHASE_TABLE(X)                                                                        \
    X(IDLE, "idle")       /* on the ground, or motors off */                                       \
    X(TAKEOFF, "takeoff") /* straight up */                                                        \
    X(MISSION, "mission") /* between the items of the mission */                                   \
    X(RETURN, "return")   /* up, home; then land */                                                \
    X(LAND, "land")                                                                                \
    X(LANDED, "landed") /* on the ground after a flight, motors off */                             \
    X(HOLD, "hold")     /* stays where it is */

typedef enum tac__flight_phase {
#define TAC__PHASE_ENUM(name, label) TAC__PHASE_##name,
    TAC__PHASE_TABLE(TAC__PHASE_ENUM)
#undef TAC__PHASE_ENUM
} tac__flight_phase;

extern const char *const tac__flight_phase_labels[];

#endif
