// rk45.c - the pair of Dormand and Prince, order 5 with an error estimate of order 4.
//
// [HNW] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
//       Springer 1993
#include "ode/explicit.h"
#include "ode/rk45.table.h"

// clang-format off

// Its continuous extension of order 4: [HNW] II.6, (6.12)
const double tac__rk45_dense[7] = {
    -12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
    701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423};

// clang-format on

TAC__EXPLICIT_STEP(tac__rk45_table, true)

TAC__AVX2 static void estimate_avx2(const tac__ode_work *w, double h_s)
{
    tac__weigh_fours(tac__rk45_table.e, 7, w->k, w->stride, h_s, w->e[0]);
}

// With AVX2 step and estimate take 12 ns less for 19 states (bench/mission.c on an EPYC 9004).
static void estimate(const tac__ode_work *w, double h_s)
{
    if (TAC__HAS_AVX2)
        estimate_avx2(w, h_s);
    else
        tac__weigh(tac__rk45_table.e, 7, w->k, w->stride, h_s, w->e[0]);
}

static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    (void)p, (void)t0_s, (void)t1_s;
    tac__hermite(w, h_s);
    tac__weigh(tac__rk45_dense, 7, w->k, w->stride, h_s, tac__slot(w, w->dense, 2));
    return TAC_OK;
}

const tac__method tac__rk45_method = {
    .name = "rk45",
    .stages = 7,
    .order = 5,
    .error_order = 4,
    .adaptive = true,
    .fsal = true,
    .slots = 7,
    .dense = 3,
    .step = step,
    .plain = plain,
    .estimate = estimate,
    .dense_begin = dense_begin,
};
