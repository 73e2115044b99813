// rosenbrock.h - the form of a Rosenbrock method.
#ifndef TAC_ODE_ROSENBROCK_H
#define TAC_ODE_ROSENBROCK_H

// A Rosenbrock method in the form that needs no product with the Jacobian J: with E = I/(h gamma) -
// J, E u_i = f(t + c_i h, y + sum_j a_ij u_j) + (1/h) sum_j g_ij u_j + h d_i df/dt. The last two
// rows: y1 = y + sum_j a_5j u_j + u_5 + u_6 (stages counted from 1), and u_6 is the error.
typedef struct tac__rosenbrock_table {
    double gamma;
    double a[6][6], g[6][6];
    double c[6], d[6];
    double dense[2][6];
} tac__rosenbrock_table;

#endif
