// One island in every kind of value: packs have the bits of numbers in each lane, duals the bits of
// numbers and derivatives that agree with differences, by states and by parameters.
#include "engine/run/evaluator.h"
#include "engine/run/integrate.h"
#include "engine/test_rig.h"
#include "math/prints.h"

#include <math.h>

// --- a component with kernels of every kind -----------------------------------------------------

// Arithmetic on values of any form: lanes side by side, or a value and its derivatives.
typedef struct value {
    double of[TAC_DUAL_WIDTH];
} value;

static value load(const tac__form *f, const double *from)
{
    value v = {{0}};
    memcpy(v.of, from, f->width * sizeof *from);
    return v;
}

static void store(const tac__form *f, value v, double *to)
{
    memcpy(to, v.of, f->width * sizeof *to);
}

static value sum(const tac__form *f, value a, value b)
{
    for (size_t i = 0; i < f->width; i++)
        a.of[i] += b.of[i];
    return a;
}

static value product(const tac__form *f, value a, value b)
{
    value v = {{0}};
    for (size_t i = 0; i < f->lanes; i++)
        v.of[i] = a.of[i] * b.of[i];
    for (size_t i = f->lanes; i < f->width; i++)
        v.of[i] = a.of[0] * b.of[i] + a.of[i] * b.of[0];
    return v;
}

// The i-th number, which is a plain double for some kinds.
static value number(const tac__form *f, const tac_eval *e, size_t i)
{
    value v = {{e->p[f->numbers ? 0 : i]}};
    return f->numbers ? load(f, e->p + i * f->width) : v;
}

static value time_of(const tac__form *f, const tac_eval *e)
{
    value v = {{e->t_s}};
    for (size_t i = 0; i < f->lanes && f->lanes > 1; i++)
        v.of[i] = e->t_lanes[i];
    return v;
}

enum { U, V, W, INPUTS };
enum { Y, Z };

// y = p0 x0; z = u x1 p1: both are read by other components, and z needs their y.
static tac_status cell_output(const tac_eval *e, const tac__form *f)
{
    const value u = load(f, e->in[U]), x0 = load(f, e->x), x1 = load(f, e->x + f->width);
    store(f, product(f, number(f, e, 0), x0), e->out[Y]);
    store(f, product(f, number(f, e, 1), product(f, u, x1)), e->out[Z]);
    return TAC_OK;
}

// x0' = u p0 + x0 x1 + t; x1' = p1 v + mode w x0
static tac_status cell_derive(const tac_eval *e, const tac__form *f)
{
    const value x0 = load(f, e->x), x1 = load(f, e->x + f->width);
    const value pushed = product(f, load(f, e->in[U]), number(f, e, 0));
    const value fed = product(f, number(f, e, 1), load(f, e->in[V]));
    const value mode = product(f, load(f, e->mode), product(f, load(f, e->in[W]), x0));
    store(f, sum(f, sum(f, pushed, product(f, x0, x1)), time_of(f, e)), e->dx);
    store(f, sum(f, fed, mode), e->dx + f->width);
    return TAC_OK;
}

#define KIND(name)                                                                                 \
    static tac_status output_##name(const tac_eval *e, const void *self)                           \
    {                                                                                              \
        (void)self;                                                                                \
        return cell_output(e, &tac__forms[TAC_##name]);                                            \
    }                                                                                              \
    static tac_status derive_##name(const tac_eval *e, const void *self)                           \
    {                                                                                              \
        (void)self;                                                                                \
        return cell_derive(e, &tac__forms[TAC_##name]);                                            \
    }
KIND(NUMBERS)
KIND(PACK2)
KIND(PACK4)
KIND(PACK8)
KIND(DUALS)
KIND(DUALS_OF_ALL)

static tac_status cell_declare(tac_declare *d, void *self)
{
    double *p = self;
    p[0] = tac_param_f64(d, TAC_PARAM(.name = "p0"));
    p[1] = tac_param_f64(d, TAC_PARAM(.name = "p1"));
    p[2] = tac_param_f64(d, TAC_PARAM(.name = "x0"));
    tac_declare_numbers(d, p, 2 * sizeof *p);
    const int u = tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_input(d,
                      TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .flags = TAC_PORT_DERIVE_ONLY));
    tac_declare_input(d,
                      TAC_PORT(.name = "w", .type = TAC_TYPE_F64, .flags = TAC_PORT_DERIVE_ONLY));
    const int y = tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "km"));
    const int z = tac_declare_output(d, TAC_PORT(.name = "z", .type = TAC_TYPE_F64));
    tac_declare_feedthrough(d, y, NULL, 0);
    tac_declare_feedthrough(d, z, &u, 1);
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_ARRAY(TAC_F64, 2)));
    tac_declare_event(d, "high", "x0 is positive");
    return TAC_OK;
}

static tac_status cell_init(tac_step *s, const void *self)
{
    tac_jump(s)[0] = ((const double *)self)[2];
    tac_jump(s)[1] = 0.5 - ((const double *)self)[2] / 3;
    return TAC_OK;
}

static tac_status cell_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    *g = e->x[0];
    return TAC_OK;
}

#define KERNELS(name)                                                                              \
    .kernels[TAC_##name].output = output_##name, .kernels[TAC_##name].derive = derive_##name

static const tac_component_type cell_type = {.size = sizeof(tac_component_type),
                                             .name = "cell",
                                             .version = "1",
                                             .self_size = 3 * sizeof(double),
                                             .declare = cell_declare,
                                             .init = cell_init,
                                             .kernels[TAC_NUMBERS].detect = cell_detect,
                                             KERNELS(NUMBERS),
                                             KERNELS(PACK2),
                                             KERNELS(PACK4),
                                             KERNELS(PACK8),
                                             KERNELS(DUALS),
                                             KERNELS(DUALS_OF_ALL)};

// --- eight islands of three components ----------------------------------------------------------

enum { ISLANDS = 8, STATES = 6 };

static void open_cells(rig *r)
{
    char text[8192];
    int n = snprintf(text, sizeof text,
                     "duration: 1 s\nplant: {integrator: {kind: rodas4}}\n"
                     "scheduler: {rate_groups: [{name: a, period: 10 ms, components: [noise]}]}\n"
                     "components:\n  noise: {type: noise}\n");
    for (int i = 0; i < ISLANDS; i++) {
        for (int k = 0; k < 3; k++) {
            const char *held = k ? "noise.y" : "{from: noise.y, gain: -2}";
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  %c%d: {type: cell, params: {p0: %d.25, p1: 0.%d, x0: %d.7}, inputs: "
                          "{u: {from: %c%d.y, gain: 0.0017, offset: -0.3, convert: true}, v: "
                          "%c%d.z, w: %s}}\n",
                          'a' + k, i, 1 + i, 3 + i + k, (i + k) % 3 - 1, 'a' + (k + 1) % 3, i,
                          'a' + (k + 2) % 3, i, held);
        }
    }
    rig_types[0] = &cell_type;
    rig_open(r, text);
    rig_run(r, 10000);
}

static void derive_numbers(tac__island *island, double t_s, const double *x, double *dx)
{
    memcpy(island->work.z, x, STATES * sizeof *x);
    assert_int_equal(tac__island_rhs(island, t_s, dx), TAC_OK);
}

static void test_packs_are_numbers(void **state)
{
    (void)state;
    static const tac_kind kinds[] = {TAC_PACK2, TAC_PACK4, TAC_PACK8};
    rig r;
    open_cells(&r);
    assert_int_equal(r.engine->plan->island_count, ISLANDS);
    assert_true(r.engine->islands[0].plan->early_count > 0);
    for (size_t k = 0; k < 3; k++) {
        const size_t lanes = tac__forms[kinds[k]].lanes;
        if (!tac__packs_sound((unsigned)lanes))
            continue;
        tac__evaluator *packs;
        tac__subject subject;
        tac__island *islands[TAC__LANES_MAX];
        for (size_t lane = 0; lane < lanes; lane++)
            islands[lane] = &r.engine->islands[ISLANDS - 1 - lane];
        assert_true(tac__evaluator_exists(r.engine, islands[0], kinds[k]));
        assert_int_equal(tac__evaluator_make(r.engine, &r.engine->scratch, &r.engine->islands[0],
                                             kinds[k], NULL, &packs),
                         TAC_OK);
        assert_int_equal(tac__subject_make(&r.engine->scratch, packs, islands, NULL, &subject),
                         TAC_OK);
        tac__evaluator_aim(packs, &subject);
        tac__subject_modes(packs, &subject);
        tac__evaluator_hold(packs, &subject);
        double t_s[TAC__LANES_MAX], dx[STATES * TAC__LANES_MAX];
        for (size_t lane = 0; lane < lanes; lane++) {
            t_s[lane] = 0.010 + 0.001 * (double)lane;
            for (size_t i = 0; i < STATES; i++)
                packs->x[i * lanes + lane] = islands[lane]->x[i];
        }
        assert_int_equal(tac__evaluator_derive(packs, t_s, dx), TAC_OK);
        for (size_t lane = 0; lane < lanes; lane++) {
            double own[STATES];
            derive_numbers(islands[lane], t_s[lane], islands[lane]->x, own);
            for (size_t i = 0; i < STATES; i++)
                rig_same(dx[i * lanes + lane], own[i], "derivative of a lane", lane);
        }
    }
    rig_close(&r);
}

// Differences of the right-hand side, which is a polynomial of low degree.
static double difference(tac__island *island, double *number, size_t row)
{
    const double h = 1e-6, before = *number;
    double up[STATES], down[STATES], x[STATES];
    *number = before + h;
    memcpy(x, island->x, sizeof x);
    derive_numbers(island, 0.010, x, up);
    *number = before - h;
    memcpy(x, island->x, sizeof x);
    derive_numbers(island, 0.010, x, down);
    *number = before;
    return (up[row] - down[row]) / (2 * h);
}

static void near(double got, double expected, const char *what)
{
    if (!(fabs(got - expected) <= 1e-7 * (1 + fabs(expected))))
        fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

// All directions at once: two states and six numbers.
static void test_duals_of_states_and_numbers(void **state)
{
    (void)state;
    rig r;
    open_cells(&r);
    size_t moving = 0;
    for (size_t k = 0; k < ISLANDS; k++) {
        tac__island *island = &r.engine->islands[k];
        tac__evaluator *duals;
        tac__subject subject;
        assert_int_equal(tac__evaluator_make(r.engine, &r.engine->scratch, island, TAC_DUALS_OF_ALL,
                                             NULL, &duals),
                         TAC_OK);
        assert_int_equal(tac__subject_make(&r.engine->scratch, duals, &island, NULL, &subject),
                         TAC_OK);
        tac__evaluator_aim(duals, &subject);
        tac__subject_modes(duals, &subject);
        tac__evaluator_hold(duals, &subject);
        double *seeds[TAC_DUAL_DIRECTIONS], *values[TAC_DUAL_DIRECTIONS];
        for (size_t i = 0; i < STATES; i++) {
            for (size_t d = 0; d < TAC_DUAL_WIDTH; d++)
                duals->x[i * TAC_DUAL_WIDTH + d] = d ? 0 : island->x[i];
        }
        for (size_t i = 0; i < 2; i++) {
            seeds[i] = duals->x + (i + 1) * TAC_DUAL_WIDTH;
            values[i] = &island->x[i + 1];
        }
        for (size_t i = 0; i < 6; i++) {
            const tac__component *c = duals->members[i / 2].instance->plan;
            seeds[2 + i] = (double *)subject.numbers + i * TAC_DUAL_WIDTH;
            values[2 + i] = (double *)c->numbers + i % 2;
        }
        for (size_t i = 0; i < TAC_DUAL_DIRECTIONS; i++)
            seeds[i][1 + i] = 1;
        double dx[STATES * TAC_DUAL_WIDTH], own[STATES];
        const double t_s = 0.010;
        assert_int_equal(tac__evaluator_derive(duals, &t_s, dx), TAC_OK);
        derive_numbers(island, t_s, island->x, own);
        for (size_t row = 0; row < STATES; row++) {
            rig_same(dx[row * TAC_DUAL_WIDTH], own[row], "value of a dual", k);
            for (size_t i = 0; i < TAC_DUAL_DIRECTIONS; i++) {
                const double got = dx[row * TAC_DUAL_WIDTH + 1 + i];
                near(got, difference(island, values[i], row), i < 2 ? "by a state" : "by a number");
                moving += i >= 2 && got != 0;
            }
        }
    }
    assert_true(moving > 60);
    rig_close(&r);
}

// Numbers that are constants give the same Jacobian as those that are not.
static void test_jacobian(void **state)
{
    (void)state;
    rig r;
    open_cells(&r);
    for (size_t k = 0; k < ISLANDS; k++) {
        tac__island *island = &r.engine->islands[k];
        double j[STATES * STATES];
        memcpy(island->work.z, island->x, STATES * sizeof(double));
        assert_int_equal(island->problem.jacobian(island, 0.010, j), TAC_OK);
        for (size_t row = 0; row < STATES; row++) {
            for (size_t i = 0; i < STATES; i++)
                near(j[row * STATES + i], difference(island, &island->x[i], row), "Jacobian");
        }
    }
    rig_close(&r);
}

// Groups with the same numbers share their copies.
static void test_numbers_are_shared(void **state)
{
    (void)state;
    rig r;
    open_cells(&r);
    tac__island *a[2] = {&r.engine->islands[0], &r.engine->islands[1]}, *b[2] = {a[1], a[0]};
    tac__evaluator *packs;
    tac__subject first, same, other;
    assert_int_equal(
        tac__evaluator_make(r.engine, &r.engine->scratch, a[0], TAC_PACK2, NULL, &packs), TAC_OK);
    assert_int_equal(tac__subject_make(&r.engine->scratch, packs, a, NULL, &first), TAC_OK);
    assert_int_equal(tac__subject_make(&r.engine->scratch, packs, a, &first, &same), TAC_OK);
    assert_int_equal(tac__subject_make(&r.engine->scratch, packs, b, &first, &other), TAC_OK);
    assert_ptr_equal(first.numbers, same.numbers);
    assert_ptr_not_equal(first.numbers, other.numbers);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packs_are_numbers),
        cmocka_unit_test(test_duals_of_states_and_numbers),
        cmocka_unit_test(test_jacobian),
        cmocka_unit_test(test_numbers_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
