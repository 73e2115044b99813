// parachute.h - a parachute: parameters, the order of ports, entry points of parachute.model.h.
#ifndef TAC_MODEL_ROCKET_PARACHUTE_H
#define TAC_MODEL_ROCKET_PARACHUTE_H

typedef struct tac__parachute {
    double drag_m2;       // drag coefficient times area, open
    double tau_s;         // of its inflation
    double position_m[3]; // where it pulls, in body axes
} tac__parachute;

enum {
    TAC__CHUTE_IN_DEPLOY,
    TAC__CHUTE_IN_VELOCITY,
    TAC__CHUTE_IN_RATE,
    TAC__CHUTE_IN_DENSITY,
    TAC__CHUTE_INS
};
enum { TAC__CHUTE_OUT_FORCE, TAC__CHUTE_OUT_MOMENT, TAC__CHUTE_OUTS };

#ifndef __cplusplus

// x is the part that is inflated.
void tac__parachute_derive_f64(const tac__parachute *p, const void *const *in, const double *x,
                               double *dx);
void tac__parachute_output_f64(const tac__parachute *p, const void *const *in, const double *x,
                               void *const *out);
void tac__parachute_derive_dual(const tac__parachute *p, const void *const *in, const void *x,
                                void *dx);
void tac__parachute_output_dual(const tac__parachute *p, const void *const *in, const void *x,
                                void *const *out);

#endif
#endif
