// iris_rhs.h - the equations of the Iris in flight, as benchmarks call them.
#ifndef TAC_BENCH_IRIS_RHS_H
#define TAC_BENCH_IRIS_RHS_H

#include "../tests/model/iris.h"

typedef struct subject {
    tac__multirotor p;
    iris_plant plant;
    iris_ports ports;
    tac_eval eval;
    double x[IRIS_X_MAX], dx[IRIS_X_MAX];
} subject;

static const tac_kernels *const plain = &tac__multirotor_type.kernels[TAC_NUMBERS];

// Forward flight, 10 m up, a little tilted and turning.
static void start(subject *s)
{
    tac__multirotor_prepare(&s->p);
    iris_connect(&s->ports);
    iris_start(&s->p, s->x);
    static const double body[13] = {3, -2, -10, 4, 1, -0.5, 0.98, 0.1, -0.15, 0.05, 0.2, -0.1, 0.3};
    for (int i = 0; i < 13; i++)
        s->x[i] = body[i];
    for (int i = 0; i < s->p.vehicle.rotors; i++)
        s->ports.motor[i] = s->p.vehicle.rotor[i].hover_duty;
    iris_build(&s->p, &s->plant);
    s->eval = iris_eval(&s->plant, &s->ports, s->x);
    s->eval.dx = s->dx;
}

#endif
