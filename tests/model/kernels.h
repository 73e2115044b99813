// kernels.h - the kernels of components in every kind, at drawn points: bit for bit those of
// numbers, and derivatives as differences have them.
//
// The components are those of an engine, so that shape and numbers come from `declare`. A point is
// all that a kernel sees, as one array: time, inputs, modes, states, numbers. Points are drawn
// about the values that the component has in the engine at present, in every lane another one, with
// other numbers.
#ifndef TAC_TESTS_MODEL_KERNELS_H
#define TAC_TESTS_MODEL_KERNELS_H

#include "engine/test_rig.h"

#include "engine/run/evaluator.h"
#include "math/inputs.h"
#include "math/prints.h"

enum { KERNELS_MAX = 256, KERNELS_PORTS = 32 };

static const char *const kernels_kinds[TAC_KINDS] = {"numbers", "pack2",        "pack4",  "pack8",
                                                     "duals",   "duals of all", "symbols"};

typedef struct kernels_subject {
    const tac__component *c;
    const tac_instance *instance;
    size_t inputs, modes, x, numbers; // how many; they begin behind the time
    size_t outputs;                   // values that `kernels_eval` writes
    double at[KERNELS_MAX];           // the point about which others are drawn
} kernels_subject;

static inline size_t kernels_size(const kernels_subject *s)
{
    return 1 + s->inputs + s->modes + s->x + s->numbers;
}

static inline kernels_subject kernels_of(const rig *r, const char *name)
{
    kernels_subject s = {.c = NULL};
    const tac__plan *plan = r->engine->plan;
    for (size_t i = 0; i < plan->component_count; i++) {
        if (!strcmp(plan->components[i]->name, name)) {
            s.c = plan->components[i];
            s.instance = r->engine->instances[i];
        }
    }
    assert_non_null(s.c);
    s.inputs = tac__ports_words(&s.c->inputs);
    s.modes = s.c->event_count;
    s.x = s.c->x_count;
    s.numbers = s.c->number_count;
    s.outputs = tac__ports_words(&s.c->outputs) + 2 * s.x + s.modes;
    assert_true(kernels_size(&s) <= KERNELS_MAX && s.outputs <= KERNELS_MAX);
    assert_true(s.c->inputs.count <= KERNELS_PORTS && s.c->outputs.count <= KERNELS_PORTS);
    const tac_eval *e = &s.instance->bus;
    double *at = s.at;
    *at++ = 1.25;
    for (size_t k = 0; k < s.c->inputs.count; k++) {
        const size_t words = tac__type_words(&s.c->inputs.items[k].type);
        memcpy(at, e->in[k], words * sizeof *at);
        at += words;
    }
    for (size_t i = 0; i < s.modes; i++)
        *at++ = 1;
    if (s.x)
        memcpy(at, e->x, s.x * sizeof *at);
    at += s.x;
    if (s.numbers)
        memcpy(at, s.c->numbers, s.numbers * sizeof *at);
    return s;
}

// All kernels of the continuous part that the component has, one after another: outputs, dx, g, and
// the projected x. `point` and `values` are in the form of the kind; `numbers`: those of TAC_DUALS.
static inline void kernels_eval(const kernels_subject *s, tac_kind kind, const double *point,
                                const double *numbers, double *values)
{
    const tac__form *f = &tac__forms[kind];
    const tac_kernels *k = &s->c->type->kernels[kind], *plain = &s->c->type->kernels[TAC_NUMBERS];
    const size_t w = f->width;
    const void *in[KERNELS_PORTS];
    void *out[KERNELS_PORTS];
    tac_eval e = {
        .t_s = point[0], .t_lanes = point, .in = in, .out = out, .lanes = (uint32_t)f->lanes};
    point += w;
    for (size_t i = 0; i < s->c->inputs.count; i++) {
        in[i] = point;
        point += w * tac__type_words(&s->c->inputs.items[i].type);
    }
    e.mode = point;
    e.x = point + w * s->modes;
    e.p = kind == TAC_DUALS ? numbers : e.x + w * s->x;
    memset(values, 0, s->outputs * w * sizeof *values);
    values = tac__lay_ports(&s->c->outputs, f, values, out);
    if (plain->output)
        assert_int_equal(k->output(&e, s->c->self), TAC_OK);
    e.dx = values;
    if (plain->derive)
        assert_int_equal(k->derive(&e, s->c->self), TAC_OK);
    values += w * s->x;
    if (plain->detect)
        assert_int_equal(k->detect(&e, s->c->self, values), TAC_OK);
    values += w * s->modes;
    if (s->x)
        memcpy(values, e.x, w * s->x * sizeof *values);
    if (plain->project)
        assert_int_equal(k->project(&e, s->c->self, values), TAC_OK);
}

static inline bool kernels_is_mode(const kernels_subject *s, size_t i)
{
    return i > s->inputs && i <= s->inputs + s->modes;
}

// About 1 in `hostile` is any value at all; 0: none.
static inline void kernels_draw(const kernels_subject *s, uint64_t *seed, unsigned hostile,
                                double *point)
{
    for (size_t i = 0; i < kernels_size(s); i++) {
        const double at = s->at[i];
        if (kernels_is_mode(s, i))
            point[i] = input_bits(seed) % 2 ? 1 : 0;
        else if (hostile && input_bits(seed) % hostile == 0)
            point[i] = input_hostile(seed);
        else if (fabs(at) < 1e-9)
            point[i] = input_uniform(seed, -0.1, 0.1);
        else
            point[i] = at * input_uniform(seed, 0.8, 1.2);
    }
}

static inline void kernels_same(const kernels_subject *s, tac_kind kind, size_t lane, size_t value,
                                double got, double expected)
{
    if (!same_bits(got, expected))
        fail_msg("%s as %s, lane %zu, value %zu: %a, as numbers %a", s->c->name,
                 kernels_kinds[kind], lane, value, got, expected);
}

// Every lane, every value of duals and every constant of symbols equals what numbers give.
static inline void kernels_compare(const rig *r, const char *name, int batches, unsigned hostile)
{
    static _Alignas(64) double packed[KERNELS_MAX * TAC_DUAL_WIDTH],
        got[KERNELS_MAX * TAC_DUAL_WIDTH];
    static double point[TAC__LANES_MAX][KERNELS_MAX], expected[TAC__LANES_MAX][KERNELS_MAX];
    const kernels_subject s = kernels_of(r, name);
    const size_t size = kernels_size(&s), numbers = size - s.numbers;
    uint64_t seed = 11;
    for (int batch = 0; batch < batches; batch++) {
        for (size_t lane = 0; lane < TAC__LANES_MAX; lane++) {
            kernels_draw(&s, &seed, hostile, point[lane]);
            kernels_eval(&s, TAC_NUMBERS, point[lane], NULL, expected[lane]);
        }
        for (tac_kind kind = TAC_PACK2; kind < TAC_KINDS; kind++) {
            const tac__form *f = &tac__forms[kind];
            if (f->lanes > 1 && !tac__packs_sound((unsigned)f->lanes)) {
                if (batch == 0)
                    print_message("this machine has no packs of %zu\n", f->lanes);
                continue;
            }
            for (size_t first = 0; first < TAC__LANES_MAX; first += f->lanes) {
                memset(packed, 0, size * f->width * sizeof *packed);
                for (size_t i = 0; i < size; i++) {
                    for (size_t lane = 0; lane < f->lanes; lane++)
                        packed[i * f->width + f->at + lane] = point[first + lane][i];
                }
                kernels_eval(&s, kind, packed, point[first] + numbers, got);
                for (size_t i = 0; i < s.outputs; i++) {
                    for (size_t lane = 0; lane < f->lanes; lane++)
                        kernels_same(&s, kind, lane, i, got[i * f->width + f->at + lane],
                                     expected[first + lane][i]);
                }
            }
        }
    }
}

// --- derivatives --------------------------------------------------------------------------------

// Central difference of fourth order along value `i` of the point.
static inline void kernels_difference(const kernels_subject *s, const double *point, size_t i,
                                      double h, double *slope)
{
    static const int steps[4] = {-2, -1, 1, 2};
    static double z[KERNELS_MAX], f[4][KERNELS_MAX];
    for (int k = 0; k < 4; k++) {
        memcpy(z, point, sizeof z);
        z[i] += steps[k] * h;
        kernels_eval(s, TAC_NUMBERS, z, NULL, f[k]);
    }
    for (size_t o = 0; o < s->outputs; o++)
        slope[o] = (f[0][o] - f[3][o] + 8 * (f[2][o] - f[1][o])) / (12 * h);
}

typedef struct kernels_tally {
    int compared, skipped, by_numbers;
} kernels_tally;

// Compare the derivatives by value `i` of the point, which are element `direction` of `got`.
static inline void kernels_slopes(const kernels_subject *s, tac_kind kind, const double *point,
                                  size_t i, const double *got, size_t direction, kernels_tally *t)
{
    static double coarse[KERNELS_MAX], fine[KERNELS_MAX];
    const double h = 1e-4 * (fabs(point[i]) < 1e-2 ? 1e-2 : fabs(point[i]));
    kernels_difference(s, point, i, h, coarse);
    kernels_difference(s, point, i, h / 2, fine);
    for (size_t o = 0; o < s->outputs; o++) {
        const double *value = got + o * TAC_DUAL_WIDTH;
        const double rounding = 1e-12 * (fabs(value[0]) + 1e-6) / h;
        const double tolerance = 1e-6 * fabs(fine[o]) + rounding + 1e-12;
        if (!(fabs(coarse[o] - fine[o]) < tolerance)) {
            t->skipped++; // the two straddle a kink
            continue;
        }
        t->compared++;
        t->by_numbers += i >= kernels_size(s) - s->numbers && fine[o] != 0;
        if (!(fabs(value[direction] - fine[o]) < 10 * tolerance))
            fail_msg("%s as %s: value %zu by %zu of the point is %.12g, by differences %.12g",
                     s->c->name, kernels_kinds[kind], o, i, value[direction], fine[o]);
    }
}

// Duals of both kinds, by inputs and states; those of all by numbers, too. Some derivative by a
// number is not 0.
static inline void kernels_differentiate(const rig *r, const char *name, int points)
{
    static double dual[KERNELS_MAX * TAC_DUAL_WIDTH], got[KERNELS_MAX * TAC_DUAL_WIDTH];
    const kernels_subject s = kernels_of(r, name);
    const size_t size = kernels_size(&s), numbers = size - s.numbers;
    uint64_t seed = 23;
    kernels_tally t = {0};
    for (int k = 0; k < points; k++) {
        double point[KERNELS_MAX] = {0};
        kernels_draw(&s, &seed, 0, point);
        for (tac_kind kind = TAC_DUALS; kind <= TAC_DUALS_OF_ALL; kind++) {
            const size_t end = kind == TAC_DUALS ? numbers : size;
            for (size_t first = 1; first < end; first += TAC_DUAL_DIRECTIONS) {
                memset(dual, 0, sizeof dual);
                for (size_t i = 0; i < size; i++) {
                    dual[i * TAC_DUAL_WIDTH] = point[i];
                    if (i >= first && i < first + TAC_DUAL_DIRECTIONS)
                        dual[i * TAC_DUAL_WIDTH + 1 + i - first] = 1;
                }
                kernels_eval(&s, kind, dual, point + numbers, got);
                for (size_t i = first; i < end && i < first + TAC_DUAL_DIRECTIONS; i++) {
                    if (!kernels_is_mode(&s, i))
                        kernels_slopes(&s, kind, point, i, got, 1 + i - first, &t);
                }
            }
        }
    }
    print_message("%s: %d derivatives compared, %d skipped, %d by numbers not 0\n", name,
                  t.compared, t.skipped, t.by_numbers);
    assert_true(t.compared > 20 * t.skipped);
    assert_true(!s.numbers || t.by_numbers >= points);
}

#endif
