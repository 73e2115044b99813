// dop853.c - the method of Dormand and Prince of order 8, with error estimates of orders 5 and 3.
//
// [HNW] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
//       Springer 1993
#include "ode/explicit.h"
#include "ode/dop853.table.h"

// clang-format off

// The last four coefficients of its dense output of order 7: [HNW] II.6
const double tac__dop853_dense[4][16] = {
    {-8.4289382761090128651353491142, 0, 0, 0, 0, 5.6671495351937776962531783590e-1,
     -3.0689499459498916912797304727, 2.3846676565120698287728149680,
     2.1170345824450282767155149946, -8.7139158377797299206789907490e-1,
     2.2404374302607882758541771650, 6.3157877876946881815570249290e-1,
     -8.8990336451333310820698117400e-2, 18.148505520854727256656404962,
     -9.1946323924783554000451984436, -4.4360363875948939664310572000},
    {10.427508642579134603413151009, 0, 0, 0, 0, 242.28349177525818288430175319,
     165.20045171727028198505394887, -374.54675472269020279518312152,
     -22.113666853125306036270938578, 7.7334326684722638389603898808,
     -30.674084731089398182061213626, -9.3321305264302278729567221706,
     15.697238121770843886131091075, -31.139403219565177677282850411,
     -9.3529243588444783865713862664, 35.816841486394083752465898540},
    {19.985053242002433820987653617, 0, 0, 0, 0, -387.03730874935176555105901742,
     -189.17813819516756882830838328, 527.80815920542364900561016686,
     -11.573902539959630126141871134, 6.8812326946963000169666922661,
     -1.0006050966910838403183860980, 7.7771377980534432092869265740e-1,
     -2.7782057523535084065932004339, -60.196695231264120758267380846,
     84.320405506677161018159903784, 11.992291136182789328035130030},
    {-25.693933462703749003312586129, 0, 0, 0, 0, -154.18974869023643374053993627,
     -231.52937917604549567536039109, 357.63911791061412378285349910,
     93.405324183624310003907691704, -37.458323136451633156875139351,
     104.09964950896230045147246184, 29.840293426660503123344363579,
     -43.533456590011143754432175058, 96.324553959188282948394950600,
     -39.177261675615439165231486172, -149.72683625798562581422125276},
};

// clang-format on

TAC__EXPLICIT_STEP(tac__dop853_table, false)

static void estimate(const tac__ode_work *w, double h_s)
{
    tac__weigh(tac__dop853_table.e, 12, w->k, w->stride, h_s, w->e[0]);
    tac__weigh(tac__dop853_e3, 12, w->k, w->stride, h_s, w->e[1]);
}

// One of the three further stages.
TAC__INLINE tac_status extra(int i, const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                             double t1_s, double h_s)
{
    tac__combine(tac__dop853_table.a[i], i, w->k, w->stride, h_s, w->y, w->z);
    return tac__evaluate(p, w, i, tac__dop853_table.c[i], t0_s, t1_s, h_s);
}

static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    TAC_TRY(tac__evaluate_end(p, w, 12, t1_s));
    TAC_TRY(extra(13, p, w, t0_s, t1_s, h_s));
    TAC_TRY(extra(14, p, w, t0_s, t1_s, h_s));
    TAC_TRY(extra(15, p, w, t0_s, t1_s, h_s));
    tac__hermite(w, h_s);
    tac__weigh(tac__dop853_dense[0], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 2));
    tac__weigh(tac__dop853_dense[1], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 3));
    tac__weigh(tac__dop853_dense[2], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 4));
    tac__weigh(tac__dop853_dense[3], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 5));
    return TAC_OK;
}

const tac__method tac__dop853_method = {
    .name = "dop853",
    .stages = 12,
    .order = 8,
    .error_order = 7,
    .adaptive = true,
    .slots = 16,
    .dense = 6,
    .step = step,
    .plain = plain,
    .estimate = estimate,
    .second_estimate = true,
    .dense_begin = dense_begin,
};
