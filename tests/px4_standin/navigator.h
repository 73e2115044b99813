// navigator.h - which item of the mission is flown, the way home, and the target that follows from
// it. Publishes mission_result when it changes, and when a finished mission is entered again.
//
// `finished` is not "all items passed": it is 1 from entering a mission to its first item, too.
#ifndef PX4_STANDIN_NAVIGATOR_H
#define PX4_STANDIN_NAVIGATOR_H

#include "mission.h"
#include "params.h"
#include "uorb.h"
#include "vec.h"

enum {
    NAV_MANUAL = 0,
    NAV_POSITION = 2,
    NAV_MISSION = 3,
    NAV_LOITER = 4,
    NAV_RETURN = 5,
    NAV_OFFBOARD = 14,
    NAV_LAND = 18,
    ARMED = 2
};

typedef enum target_kind {
    TARGET_NONE,
    TARGET_TAKEOFF,
    TARGET_POSITION,
    TARGET_LAND,
    TARGET_STICKS // `velocity` and `turn` instead of a position
} target_kind;

typedef struct target {
    target_kind kind;
    vec3 position;
    double yaw; // NaN: as it is
    vec3 velocity;
    double turn;  // rad/s
    bool takeoff; // True if the throttle asks for a take-off.
} target;

typedef enum return_leg { RETURN_CLIMB, RETURN_CROSS, RETURN_LAND } return_leg;

typedef struct navigator {
    mission m;
    uint64_t loaded_us;
    int mode;
    bool checked; // for feasibility
    bool running; // the mission was valid when it was asked for
    bool over;    // all items passed
    int current;
    bool inside; // the radius of the current item, since then
    uint64_t inside_us;
    return_leg leg;
    bool abandoned;    // a return was asked for, and nobody changed the mode
    double cruise_m_s; // as commanded; 0: none
    uint32_t heard;    // commands so far
    target target;
    struct mission_result result, published; // without time and count of home positions
    bool announced, repeat; // published at all; publish it again though it is the same
} navigator;

void navigator_init(navigator *n);
int navigator_load(navigator *n, const char *path, uint64_t now_us);
void navigator_run(navigator *n, uorb *u, const params *p, uint64_t now_us);

#endif
