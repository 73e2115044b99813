// ulog.h - which topics of a PX4 log a recording can fill, as data: what an export as ULog is told.
//
// A component is known by what it writes and when, not by its name or type: whoever writes an
// `attitude` in the stage of estimates is an estimator. So components of plugins count too.
#ifndef TAC_AUTOPILOT_PX4_ULOG_H
#define TAC_AUTOPILOT_PX4_ULOG_H

#include <stdbool.h>
#include <stdint.h>

#define TAC__DEG_OF_RAD 57.295779513082323

typedef enum tac__px4_ulog_from {
    TAC__PX4_ULOG_PLANT,    // continuous
    TAC__PX4_ULOG_AIR,      // stage environment
    TAC__PX4_ULOG_ESTIMATE, // stage estimate
    TAC__PX4_ULOG_CONTROL   // stage control
} tac__px4_ulog_from;

// How a number follows from its signal.
typedef enum tac__px4_ulog_how {
    TAC__PX4_ULOG_PLAIN,
    TAC__PX4_ULOG_YAW,         // heading of a quaternion to NED
    TAC__PX4_ULOG_GEODETIC,    // element 0, 1, 2: latitude, longitude [deg], altitude of a place in
                               // NED
    TAC__PX4_ULOG_LENGTH,      // of a vector
    TAC__PX4_ULOG_COURSE,      // angle of a vector from north to east
    TAC__PX4_ULOG_REACHED,     // 1 where the signal is not less than `other`
    TAC__PX4_ULOG_ECEF_VECTOR, // a vector in ECEF, in NED at the origin
    TAC__PX4_ULOG_ECEF_ATTITUDE, // a quaternion to ECEF, to NED at the origin
    TAC__PX4_ULOG_ECEF_YAW,      // and its heading
    TAC__PX4_ULOG_ORIGIN         // without a port; as GEODETIC, of the origin
} tac__px4_ulog_how;

typedef struct tac__px4_ulog_source {
    const char *field;
    const char *port; // NULL: `value`
    const char *unit; // that it must have
    unsigned element; // of the port: the field's first
    bool optional;    // the topic is there without it
    tac__px4_ulog_how how;
    const char *with;  // counts only if the component has this port, too; NULL: always
    const char *other; // second port of REACHED
    double scale;      // factor of the number; 0: none
    const char *map;   // from labels ("false" and "true" of a bool) to numbers: "idle=0 land=18"
    bool index;        // if there is no port: the number of the element, from 1
    double value;      // else this; with a port it is added
} tac__px4_ulog_source;

typedef struct tac__px4_ulog_topic {
    const char *name;
    const char *like;   // the built-in message whose layout it has; NULL: that of its own name
    const char *format; // or fields as in a ULog definition, `timestamp` first; NULL: none
    tac__px4_ulog_from from;
    const char *with;                    // a port that the component must have too; NULL: none
    bool each;                           // an instance for each element of the ports
    const tac__px4_ulog_source *sources; // field NULL at the end
    uint32_t period_us; // Least time between two messages, as PX4's logger has it; 0: every sample.
    bool once;          // True if only the first message of a recording is written.
    bool fallback; // True if the row counts only where the row before, of the same name, has no
                   // instance.
} tac__px4_ulog_topic;

extern const tac__px4_ulog_topic tac__px4_ulog_topics[]; // name NULL at the end

#endif
