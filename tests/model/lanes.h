// lanes.h - the same function of numbers in every scalar kind, compared bit for bit with doubles.
#ifndef TAC_TESTS_MODEL_LANES_H
#define TAC_TESTS_MODEL_LANES_H

#include "support/test.h"

#include "math/inputs.h"

// A function of `inputs` reals, one after another, that writes `outputs` reals. A pack is passed as
// the doubles that it is, a dual as its value and derivatives.
typedef void lanes_function(const double *in, double *out);

enum { LANES_MAX = 128, LANES_DUAL = 9 };

typedef struct lanes_case {
    lanes_function *f64, *pack4, *pack8, *dual;
    int inputs, outputs;
    double (*input)(uint64_t *seed, int i);
} lanes_case;

static inline void lanes_check(const char *kind, int lane, int output, double got, double expected)
{
    if (!same_bits(got, expected))
        fail_msg("%s, lane %d, output %d: %a, as double %a", kind, lane, output, got, expected);
}

// Run one kind on `width` numbers an input, of which the first `lanes` are compared, from run
// `first` on.
static inline void lanes_run(const lanes_case *c, const char *kind, lanes_function *f, int width,
                             int lanes, int first, double in[8][LANES_MAX],
                             double expected[8][LANES_MAX])
{
    static _Alignas(64) double u[LANES_MAX * LANES_DUAL], y[LANES_MAX * LANES_DUAL];
    memset(u, 0, sizeof u);
    for (int i = 0; i < c->inputs; i++) {
        for (int lane = 0; lane < lanes; lane++)
            u[i * width + lane] = in[first + lane][i];
    }
    f(u, y);
    for (int o = 0; o < c->outputs; o++) {
        for (int lane = 0; lane < lanes; lane++)
            lanes_check(kind, lane, o, y[o * width + lane], expected[first + lane][o]);
    }
}

static inline void lanes_compare(const lanes_case *c, int batches)
{
    uint64_t seed = 7;
    for (int batch = 0; batch < batches; batch++) {
        double in[8][LANES_MAX], out[8][LANES_MAX];
        for (int run = 0; run < 8; run++) {
            for (int i = 0; i < c->inputs; i++)
                in[run][i] = c->input(&seed, i);
            c->f64(in[run], out[run]);
            lanes_run(c, "dual", c->dual, LANES_DUAL, 1, run, in, out);
        }
        lanes_run(c, "pack4", c->pack4, 4, 4, 0, in, out);
        lanes_run(c, "pack4", c->pack4, 4, 4, 4, in, out);
        lanes_run(c, "pack8", c->pack8, 8, 8, 0, in, out);
    }
}

#endif
