// action.h - what events do: the table of actions, and the keys that go with each.
//
// A new action is a row in action.c, with a function there unless it is a fault that holds targets;
// parsing, checks of keys, `tactus help scenario` and the JSON Schema follow.
#ifndef TAC_SCENARIO_ACTION_H
#define TAC_SCENARIO_ACTION_H

#include <tactus/component.h>

typedef struct tac__scenario tac__scenario;

// Keys of an event that go with some actions only: X(NAME, "name").
#define TAC__EVENT_KEYS(X)                                                                         \
    X(SIGNAL, "signal")                                                                            \
    X(PARAMETER, "parameter")                                                                      \
    X(VALUE, "value")                                                                              \
    X(WIND, "wind")                                                                                \
    X(MOTOR, "motor")                                                                              \
    X(DUTY, "duty")                                                                                \
    X(LOSS, "loss")                                                                                \
    X(BATTERY, "battery")                                                                          \
    X(SENSOR, "sensor")                                                                            \
    X(FAULT, "fault")                                                                              \
    X(TEXT, "text")                                                                                \
    X(FOR, "for")

enum {
#define TAC__KEY_NUMBER(name, text) TAC__KEY_NUMBER_##name,
    TAC__EVENT_KEYS(TAC__KEY_NUMBER)
#undef TAC__KEY_NUMBER
        TAC__KEY_COUNT
};

// Sets of keys are bits: KEY_MOTOR | KEY_FOR.
enum {
#define TAC__KEY_BIT(name, text) KEY_##name = 1 << TAC__KEY_NUMBER_##name,
    TAC__EVENT_KEYS(TAC__KEY_BIT)
#undef TAC__KEY_BIT
};

// What one fault at a time can hold. The last event to act on a target holds it, so that the end of
// an earlier one leaves it alone.
typedef enum tac__target_kind {
    TAC__TARGET_GUST,
    TAC__TARGET_COMMAND, // of a motor
    TAC__TARGET_THRUST,  // of a motor
    TAC__TARGET_BATTERY,
    TAC__TARGET_SENSOR,
    TAC__TARGET_KINDS
} tac__target_kind;

typedef struct tac__action {
    const char *name;
    unsigned needs, may; // keys
    unsigned either;     // keys of which it needs exactly one
    unsigned targets;    // bits of the kinds of targets that it is about
    // What it does. NULL: it holds its targets, with what the event says.
    void (*act)(const tac__scenario *s, size_t event, tac_step *step);
} tac__action;

extern const tac__action tac__actions[];
extern const char *const tac__action_names[]; // NULL after the last

// Targets that a fault can hold; each remembers the event that holds it.
size_t tac__scenario_targets(const tac__scenario *s);
// In `connect`: warn of a fault or gust that reaches nothing, because no input is connected to it.
void tac__scenario_doubt_targets(tac_declare *d, const tac__scenario *s, size_t event);
void tac__scenario_act(const tac__scenario *s, size_t event, tac_step *step);
// Undo what the event did, where nothing else has taken its place. False where all of it has.
bool tac__scenario_undo(const tac__scenario *s, size_t event, tac_step *step);

#endif
