// arithmetic.c - a plugin whose results tell how it was compiled: sums of products, alternating
// ones that vectorisers like to fuse, divisions by constants and by one number, sums that cancel,
// NaN and -0.
#include <tactus/plugin.h>

enum { N = 16 };

// Four to a loop, signs alternating, as in a product of complex numbers.
static void twist(double *to, const double *a, const double *b, const double *c)
{
    for (int i = 0; i < N; i += 2) {
        to[i] = a[i] * b[i] - c[i];
        to[i + 1] = a[i + 1] * b[i + 1] + c[i + 1];
    }
}

static double mix(const double *x, double t)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * t + x[(i + 3) % N] / 3.0 + (x[i] + 1e8) - 1e8 + x[i] / t;
    const double none = sum * 0 - t * 0;  // -0 or 0
    const double odd = (t - t) / (t - t); // NaN
    sum += odd == odd ? 1000 : 0;
    return sum + (1 / (none + 0.0) > 0 ? 1 : 2);
}

static tac_status declare(tac_declare *d, void *self)
{
    (void)self;
    const tac_type many = TAC_TYPE_ARRAY(TAC_F64, N);
    tac_port_def port = tac_port_def_default();
    port.name = "y";
    tac_declare_output(d, &port);
    port.name = "x";
    port.type = many;
    tac_declare_state(d, &port);
    return TAC_OK;
}

static tac_status init(tac_step *s, const void *self)
{
    (void)self;
    for (int i = 0; i < N; i++)
        TAC_STATE(s, double, 0)[i] = 0.1 * i + 0.37;
    return TAC_OK;
}

static tac_status step(tac_step *s, const void *self)
{
    (void)self;
    double *x = TAC_STATE(s, double, 0), a[N], b[N], c[N];
    const double t = 0.7 + (double)s->t_us * 1e-6;
    for (int i = 0; i < N; i++) {
        a[i] = x[i] * 0.9;
        b[i] = x[(i + 5) % N] - t;
        c[i] = x[(i + 7) % N] * 0.3 + 0.1;
    }
    twist(x, a, b, c);
    for (int i = 0; i < N; i++)
        x[i] = x[i] > 2 ? x[i] / 7.0 : x[i] < -2 ? x[i] / 11.0 : x[i];
    *TAC_OUT(s, double, 0) = mix(x, t);
    return TAC_OK;
}

static tac_component_type make(void)
{
    tac_component_type t = tac_component_type_default();
    t.name = "spin";
    t.version = "1";
    t.stage = TAC_STAGE_CONTROL;
    t.declare = declare;
    t.init = init;
    t.kernels[TAC_NUMBERS].step = step;
    return t;
}

static tac_component_type type;

// In C and in C++.
__attribute__((constructor)) static void fill(void)
{
    type = make();
}

TAC_PLUGIN("arithmetic", "1", &type)
