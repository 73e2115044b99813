// plants.h - small plants: integrator, first-order lag, oscillator, point mass. Parameters and the
// entry points of plants.model.h for doubles.
#ifndef TAC_MODEL_PLANTS_H
#define TAC_MODEL_PLANTS_H

typedef struct tac__lag {
    double tau_s;
} tac__lag;

typedef struct tac__oscillator {
    double mass_kg, damping, stiffness; // N s/m, N/m
} tac__oscillator;

typedef struct tac__point_mass {
    double mass_kg, drag; // N s/m
    double gravity[3];    // m/s^2
} tac__point_mass;

#endif
