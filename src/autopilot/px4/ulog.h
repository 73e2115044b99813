// ulog.h - which topics of a PX4 log a recording can fill, as data: what an export as ULog is told.
//
// A component is known by what it writes and when, not by its name or type: whoever writes an
// `attitude` in the stage of estimates is an estimator. So components of plugins count too.
#ifndef TAC_AUTOPILOT_PX4_ULOG_H
#define TAC_AUTOPILOT_PX4_ULOG_H

#include <stdbool.h>

typedef enum tac__px4_ulog_from {
    TAC__PX4_ULOG_PLANT,    // continuous
    TAC__PX4_ULOG_AIR,      // stage environment
    TAC__PX4_ULOG_ESTIMATE, // stage estimate
    TAC__PX4_ULOG_CONTROL   // stage control
} tac__px4_ulog_from;

typedef struct tac__px4_ulog_source {
    const char *field;
    const char *port; // NULL: `value`
    const char *unit; // that it must have
    unsigned element; // of the port: the field's first
    bool optional;    // the topic is there without it
    bool yaw;         // the heading of a quaternion
    const char *map;  // from labels ("false" and "true" of a bool) to numbers: "idle=0 land=18"
    bool index;       // if there is no port: the number of the element, from 1
    double value;     // else this; with a port it is added
} tac__px4_ulog_source;

typedef struct tac__px4_ulog_topic {
    const char *name;
    const char *like;   // the built-in message whose layout it has; NULL: that of its own name
    const char *format; // or fields as in a ULog definition, `timestamp` first; NULL: none
    tac__px4_ulog_from from;
    const char *with;                    // a port that the component must have too; NULL: none
    bool each;                           // an instance for each element of the ports
    const tac__px4_ulog_source *sources; // field NULL at the end
} tac__px4_ulog_topic;

extern const tac__px4_ulog_topic tac__px4_ulog_topics[]; // name NULL at the end

#endif
