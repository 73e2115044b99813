// aero.h - the forces of the air on a slender body: numbers and shape, the order of ports, kernel
// of aero.model.h. Body axes from the datum; docs/models/rocket.md. A translation unit that
// includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_AERO_H
#define TAC_MODEL_ROCKET_AERO_H

#include "model/builtin.h"
#include "model/kernel.h"

enum { TAC__AERO_POINTS_MAX = 32 };

typedef struct tac__rocket_aero {
    param area_m2, diameter_m; // of reference
    param damping[3];          // coefficients of roll, pitch and yaw
    param cross_m2, cross_m;   // drag area across the axis, and its place x
} tac__rocket_aero;

// Tables by Mach number.
typedef struct tac__rocket_aero_shape {
    int points;
    double mach[TAC__AERO_POINTS_MAX];
    double drag[TAC__AERO_POINTS_MAX];   // coefficient along the axis
    double normal[TAC__AERO_POINTS_MAX]; // slope of the normal force, 1/rad
    double centre[TAC__AERO_POINTS_MAX]; // of pressure, x [m]

    bool spline; // the tables are splines (math/spline.h); else straight lines
    double drag_bend[2 * TAC__AERO_POINTS_MAX];
    double normal_bend[2 * TAC__AERO_POINTS_MAX];
    double centre_bend[2 * TAC__AERO_POINTS_MAX];
} tac__rocket_aero_shape;

enum {
    TAC__AERO_IN_VELOCITY,
    TAC__AERO_IN_RATE,
    TAC__AERO_IN_DENSITY,
    TAC__AERO_IN_MACH,
    TAC__AERO_INS
};
enum { TAC__AERO_OUT_FORCE, TAC__AERO_OUT_MOMENT, TAC__AERO_OUT_ALPHA, TAC__AERO_OUTS };

TAC__EVAL_KERNEL(tac__rocket_aero_output)

#endif
