// aero.h - the forces of the air on a slender body: parameters, the order of ports, entry point of
// aero.model.h. Body axes from the datum; docs/models/rocket.md.
#ifndef TAC_MODEL_ROCKET_AERO_H
#define TAC_MODEL_ROCKET_AERO_H

enum { TAC__AERO_POINTS_MAX = 32 };

typedef struct tac__rocket_aero {
    double area_m2, diameter_m; // of reference
    int points;
    double mach[TAC__AERO_POINTS_MAX];
    double drag[TAC__AERO_POINTS_MAX];   // coefficient along the axis
    double normal[TAC__AERO_POINTS_MAX]; // slope of the normal force, 1/rad
    double centre[TAC__AERO_POINTS_MAX]; // of pressure, x [m]
    double damping[3];                   // coefficients of roll, pitch and yaw
    double cross_m2, cross_m;            // drag area across the axis, and its place x
} tac__rocket_aero;

enum {
    TAC__AERO_IN_VELOCITY,
    TAC__AERO_IN_RATE,
    TAC__AERO_IN_DENSITY,
    TAC__AERO_IN_MACH,
    TAC__AERO_INS
};
enum { TAC__AERO_OUT_FORCE, TAC__AERO_OUT_MOMENT, TAC__AERO_OUT_ALPHA, TAC__AERO_OUTS };

#ifndef __cplusplus

void tac__rocket_aero_output_f64(const tac__rocket_aero *p, const void *const *in,
                                 void *const *out);
void tac__rocket_aero_output_dual(const tac__rocket_aero *p, const void *const *in,
                                  void *const *out);

#endif
#endif
