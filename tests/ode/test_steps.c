// What a step is, to the last bit: against a plain loop over the table, with and without what is
// carried from step to step, at every length and alignment, by every compiler.
#include "solve.h"

#include <malloc.h>

#include "base/hash.h"
#include "ode/tables_of_methods.h"

static const tac__tableau *table_of(const char *method)
{
    const tac__tableau *tables[] = {&tac__euler_table, &tac__rk4_table, &tac__rk23_table,
                                    &tac__rk45_table, &tac__dop853_table};
    for (int i = 0; i < 5; i++) {
        if (!strcmp(all_methods[i], method))
            return tables[i];
    }
    return NULL;
}

// --- the table, literally -----------------------------------------------------------------------

static void plain_step(const tac__tableau *t, field_fn *field, double t0, double t1, double h,
                       const double *y, double *y1)
{
    double k[TAC__STAGES_MAX][STATES_MAX], z[STATES_MAX];
    for (int i = 0; i <= t->stages; i++) {
        const double *row = i < t->stages ? t->a[i] : t->b;
        double *out = i < t->stages ? z : y1;
        for (size_t s = 0; s < ring_size; s++) {
            double sum = 0;
            for (int j = 0; j < i; j++) {
                if (row[j] != 0)
                    sum += row[j] * k[j][s];
            }
            out[s] = y[s] + h * sum;
        }
        if (i < t->stages)
            field(t->c[i] == 1 ? t1 : t0 + t->c[i] * h, z, k[i]);
    }
}

static void check_estimate(const solver *s, const tac__tableau *t, double h)
{
    const tac__ode_work *w = &s->work;
    s->method->estimate(w, h);
    for (size_t i = 0; i < ring_size; i++) {
        double sum = 0;
        for (int j = 0; j < t->stages; j++)
            sum += t->e[j] * w->k[(size_t)j * w->stride + i];
        const double expected = h * sum;
        assert_true(w->e[0][i] == expected || (isnan(w->e[0][i]) && isnan(expected)));
    }
}

// `plain`: without vector registers that only some machines have.
static void check_against_plain_loop(bool plain)
{
    for (int m = 0; m < 5; m++) {
        for (ring_size = 1; ring_size <= 81; ring_size += ring_size == 33 ? 30 : 1) {
            solver s;
            double y[STATES_MAX], y1[STATES_MAX], expected[STATES_MAX];
            solver_open(&s, all_methods[m], ring_size, ring);
            tac__method method = *s.method;
            method.step = plain ? method.plain : method.step;
            s.method = &method;
            ring_start(y);
            for (int i = 0; i < 10; i++) {
                const double t0 = 0.1 * i, t1 = 0.1 * (i + 1);
                plain_step(table_of(all_methods[m]), ring, t0, t1, t1 - t0, y, expected);
                assert_int_equal(solver_step(&s, t0, t1, y, y1), TAC_OK);
                assert_memory_equal(y1, expected, ring_size * sizeof *y1);
                if (method.estimate)
                    check_estimate(&s, table_of(all_methods[m]), t1 - t0);
                memcpy(y, y1, sizeof y);
            }
            solver_close(&s);
        }
    }
}

static void test_against_plain_loop(void **state)
{
    (void)state;
    check_against_plain_loop(false);
    check_against_plain_loop(true);
}

// -0 is a state like 0, and is so from the first stage on.
static void same(double t, const double *y, double *dy)
{
    (void)t;
    memcpy(dy, y, ring_size * sizeof *dy);
}

static void test_negative_zero(void **state)
{
    (void)state;
    const double y[3] = {-0.0, -0.0, -0.0};
    ring_size = 3;
    for (int m = 0; m < 5; m++) {
        solver s;
        double y1[3], expected[3];
        solver_open(&s, all_methods[m], 3, same);
        plain_step(table_of(all_methods[m]), same, 0, 0.1, 0.1, y, expected);
        assert_int_equal(solver_step(&s, 0, 0.1, y, y1), TAC_OK);
        assert_memory_equal(y1, expected, sizeof y1);
        assert_false(signbit(y1[0]) || signbit(y1[2]));
        solver_close(&s);
    }
}

// --- memory -------------------------------------------------------------------------------------

// Memory at every alignment that it may have, and not a double more than was asked for; y and y1
// too.
static void test_alignment_and_bounds(void **state)
{
    (void)state;
    for (int m = 0; m < ALL_METHODS; m++) {
        for (ring_size = 1; ring_size <= 9; ring_size++) {
            double first[STATES_MAX];
            for (size_t shift = 0; shift < 8; shift++) {
                const tac__method *method = tac__method_find(all_methods[m]);
                const size_t doubles = tac__ode_work_doubles(method, ring_size);
                double *memory = malloc((doubles + 9) * sizeof *memory);
                double y[STATES_MAX], y1[STATES_MAX], inside[STATES_MAX];
                memory[shift + doubles] = 42;
                solver s = {.method = method, .field = ring};
                s.all = (tac__ode_group){0, (uint32_t)ring_size, 1, false};
                s.problem = (tac__ode_problem){ring_size, &s, solver_rhs, NULL, &s.all, 1};
                tac__ode_work_init(&s.work, method, ring_size, memory + shift);
                ring_start(y + shift);
                y1[shift + ring_size] = inside[shift + ring_size] = 42;
                assert_int_equal(solver_step(&s, 0, 0.1, y + shift, y1 + shift), TAC_OK);
                assert_int_equal(tac__ode_dense_begin(method, &s.problem, &s.work, 0, 0.1, 0.1,
                                                      y + shift, y1 + shift),
                                 TAC_OK);
                tac__ode_dense_at(method, &s.work, y + shift, y1 + shift, 0.3, inside + shift);
                tac__ode_error(method, &s.problem, &s.work, 1e-6, 1e-6, 0.1, y + shift, y1 + shift);
                assert_true(memory[shift + doubles] == 42);
                assert_true(y1[shift + ring_size] == 42 && inside[shift + ring_size] == 42);
                if (shift == 0)
                    memcpy(first, y1, sizeof first);
                assert_memory_equal(first, y1 + shift, ring_size * sizeof *y1);
                free(memory);
            }
        }
    }
}

// Packs of eight lanes may lie in every array, wherever the memory for them begins.
static void test_arrays_are_aligned_for_lanes(void **state)
{
    (void)state;
    enum { LANES = 8, PACK = LANES * sizeof(double) };
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    for (int m = 0; m < ALL_METHODS; m++) {
        const tac__method *method = tac__method_find(all_methods[m]);
        for (size_t n = LANES; n <= 5 * LANES; n += LANES) {
            const size_t doubles = tac__ode_work_doubles(method, n);
            for (size_t shift = 0; shift < LANES; shift++) {
                double *memory = tac__arena_array(&arena, doubles + shift, sizeof *memory);
                tac__ode_work w;
                assert_non_null(memory);
                tac__ode_work_init(&w, method, n, memory + shift);
                const double *const arrays[] = {w.z, w.y, w.y1, w.k, w.k + w.stride, w.dense};
                for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
                    assert_int_equal((uintptr_t)arrays[i] % PACK, 0);
            }
            // Others of odd sizes lie in between.
            assert_non_null(tac__arena_array(&arena, n / LANES, sizeof(double)));
            const double *array = tac__ode_array(&arena, n);
            assert_non_null(array);
            assert_int_equal((uintptr_t)array % PACK, 0);
        }
    }
    tac__arena_fini(&arena);
}

static void test_steps_do_not_allocate(void **state)
{
    (void)state;
    for (int m = 0; m < ADAPTIVE_METHODS; m++) {
        solver s;
        double y[2] = {1, 0};
        solver_open(&s, adaptive_methods[m], 2, oscillator);
        const struct mallinfo2 before = mallinfo2();
        solve_adaptive(&s, 1000000, 1e-8, y);
        const struct mallinfo2 after = mallinfo2();
        assert_int_equal(before.uordblks, after.uordblks);
        assert_int_equal(before.fordblks, after.fordblks);
        solver_close(&s);
    }
}

// --- what is carried ----------------------------------------------------------------------------

// f(t1, y1) from the last stage or evaluated again: the same bits, one evaluation less a step.
static void test_carry(void **state)
{
    (void)state;
    ring_size = 7;
    for (int m = 0; m < ALL_METHODS; m++) {
        solver carried, fresh;
        double a[STATES_MAX], b[STATES_MAX], a1[STATES_MAX], b1[STATES_MAX];
        solver_open(&carried, all_methods[m], 7, ring);
        solver_open(&fresh, all_methods[m], 7, ring);
        ring_start(a);
        ring_start(b);
        for (int i = 0; i < 20; i++) {
            const double t0 = i / 30.0, t1 = (i + 1) / 30.0;
            assert_int_equal(solver_step(&carried, t0, t1, a, a1), TAC_OK);
            assert_int_equal(solver_step(&fresh, t0, t1, b, b1), TAC_OK);
            assert_false(carried.work.first);
            tac__ode_carry(&carried.work);
            assert_int_equal(carried.work.first, carried.method->fsal);
            assert_memory_equal(a1, b1, 7 * sizeof *a1);
            memcpy(a, a1, sizeof a);
            memcpy(b, b1, sizeof b);
        }
        const int saved = carried.method->fsal ? 19 : 0;
        assert_int_equal(fresh.evaluations - carried.evaluations, saved);
        solver_close(&carried);
        solver_close(&fresh);
    }
}

// Dense output of rk4 and dop853 evaluates f(t1, y1): the next step has it for nothing, before and
// after it is carried.
static void test_carry_from_dense(void **state)
{
    (void)state;
    const int dense_calls[ALL_METHODS] = {0, 1, 0, 0, 4, 0};
    const int step_calls[ALL_METHODS] = {1, 3, 3, 6, 11, 7 + 7};
    ring_size = 7;
    for (int m = 0; m < ALL_METHODS; m++) {
        for (int carry_first = 0; carry_first < 2; carry_first++) {
            solver s, fresh;
            double y[STATES_MAX], y1[STATES_MAX], y2[STATES_MAX], expected[STATES_MAX];
            solver_open(&s, all_methods[m], 7, ring);
            solver_open(&fresh, all_methods[m], 7, ring);
            ring_start(y);
            assert_int_equal(solver_step(&s, 0, 0.1, y, y1), TAC_OK);
            if (carry_first)
                tac__ode_carry(&s.work);
            const int before = s.evaluations;
            assert_int_equal(
                tac__ode_dense_begin(s.method, &s.problem, &s.work, 0, 0.1, 0.1, y, y1), TAC_OK);
            assert_int_equal(s.evaluations - before, dense_calls[m]);
            assert_int_equal(
                tac__ode_dense_begin(s.method, &s.problem, &s.work, 0, 0.1, 0.1, y, y1), TAC_OK);
            const int again = dense_calls[m] > 0 ? dense_calls[m] - 1 : 0; // f(t1, y1) is there
            assert_int_equal(s.evaluations - before, dense_calls[m] + again);
            tac__ode_carry(&s.work);
            s.evaluations = 0;
            assert_int_equal(solver_step(&s, 0.1, 0.2, y1, y2), TAC_OK);
            assert_int_equal(s.evaluations, step_calls[m]);
            assert_int_equal(solver_step(&fresh, 0.1, 0.2, y1, expected), TAC_OK);
            assert_memory_equal(y2, expected, 7 * sizeof *y2);
            solver_close(&s);
            solver_close(&fresh);
        }
    }
}

// A step that is thrown away leaves f(t0, y), and the Jacobian, for the next attempt.
static void test_retry(void **state)
{
    (void)state;
    ring_size = 7;
    for (int m = 0; m < ALL_METHODS; m++) {
        solver again, fresh;
        double y[STATES_MAX], y1[STATES_MAX], expected[STATES_MAX];
        solver_open(&again, all_methods[m], 7, ring);
        solver_open(&fresh, all_methods[m], 7, ring);
        ring_start(y);
        assert_int_equal(solver_step(&again, 0, 0.1, y, y1), TAC_OK);
        tac__ode_retry(&again.work);
        const int before = again.evaluations;
        assert_int_equal(solver_step(&again, 0, 0.05, y, y1), TAC_OK);
        assert_int_equal(solver_step(&fresh, 0, 0.05, y, expected), TAC_OK);
        assert_memory_equal(y1, expected, 7 * sizeof *y1);
        const int saved = again.method->implicit ? 1 + 7 + 1 : 1;
        assert_int_equal(again.evaluations - before, fresh.evaluations - saved);

        // Only once: a step elsewhere begins with nothing.
        ring_start(y);
        y[0] = 2;
        fresh.evaluations = again.evaluations = 0;
        assert_int_equal(solver_step(&again, 0, 0.05, y, y1), TAC_OK);
        assert_int_equal(solver_step(&fresh, 0, 0.05, y, expected), TAC_OK);
        assert_int_equal(again.evaluations, fresh.evaluations);
        assert_memory_equal(y1, expected, 7 * sizeof *y1);
        solver_close(&again);
        solver_close(&fresh);
    }
}

// --- failures -----------------------------------------------------------------------------------

static int fail_at;

static tac_status failing(void *context, double t_s, double *dy)
{
    solver *s = context;
    if (s->evaluations == fail_at)
        return TAC_E_NUMERIC;
    return solver_rhs(context, t_s, dy);
}

// Whatever evaluation fails, the step does; what was not evaluated is not taken as known.
static void test_failed_evaluation(void **state)
{
    (void)state;
    ring_size = 3;
    for (int m = 0; m < ALL_METHODS; m++) {
        for (fail_at = 0;; fail_at++) {
            solver s, fresh;
            double y[STATES_MAX], y1[STATES_MAX], expected[STATES_MAX];
            solver_open(&s, all_methods[m], 3, ring);
            ring_start(y);
            assert_int_equal(solver_step(&s, 0, 0.2, y, y1), TAC_OK);
            s.problem.rhs = failing;
            s.evaluations = 0;
            const tac_status status = solver_step(&s, 0, 0.1, y, y1);
            if (status == TAC_OK) {
                assert_int_equal(fail_at, s.evaluations);
                solver_close(&s);
                break;
            }
            assert_int_equal(status, TAC_E_NUMERIC);
            tac__ode_retry(&s.work);
            assert_int_equal(s.work.first, fail_at > 0);
            s.problem.rhs = solver_rhs;
            assert_int_equal(solver_step(&s, 0, 0.05, y, y1), TAC_OK);
            solver_open(&fresh, all_methods[m], 3, ring);
            assert_int_equal(solver_step(&fresh, 0, 0.05, y, expected), TAC_OK);
            assert_memory_equal(y1, expected, 3 * sizeof *y1);
            solver_close(&s);
            solver_close(&fresh);
        }
    }
}

// --- golden bits --------------------------------------------------------------------------------

// The same numbers by every compiler at every level of optimisation. A change of these is a change
// of the results of every run.
static void test_golden(void **state)
{
    (void)state;
    const uint64_t golden[ALL_METHODS] = {0x224691756bfc578c, 0xd94d1e699b309168,
                                          0x663f2b772cd4d7de, 0xe1fb7f49bfe9b2f8,
                                          0x26d3f9f2ff0849f1, 0x2f6bd653500355c0};
    ring_size = 19;
    for (int m = 0; m < ALL_METHODS; m++) {
        solver s;
        double y[2][STATES_MAX], inside[STATES_MAX];
        tac__hash hash = TAC__HASH_SEED;
        solver_open(&s, all_methods[m], 19, ring);
        ring_start(y[0]);
        for (int i = 0; i < 50; i++) {
            const double *from = y[i % 2];
            double *to = y[(i + 1) % 2];
            const double t0 = i / 60.0, t1 = (i + 1) / 60.0, h = t1 - t0;
            assert_int_equal(solver_step(&s, t0, t1, from, to), TAC_OK);
            const double error =
                tac__ode_error(s.method, &s.problem, &s.work, 1e-6, 1e-6, h, from, to);
            const double factor = s.method->adaptive ? tac__ode_factor(s.method, error) : 0;
            assert_int_equal(
                tac__ode_dense_begin(s.method, &s.problem, &s.work, t0, t1, h, from, to), TAC_OK);
            tac__ode_dense_at(s.method, &s.work, from, to, 0.7, inside);
            hash = tac__hash_bytes(hash, to, 19 * sizeof *to);
            hash = tac__hash_bytes(hash, inside, 19 * sizeof *to);
            hash = tac__hash_f64(hash, error);
            hash = tac__hash_f64(hash, factor);
            tac__ode_carry(&s.work);
        }
        if (hash != golden[m])
            fail_msg("%s: 0x%016llx", all_methods[m], (unsigned long long)hash);
        solver_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(test_against_plain_loop), cmocka_unit_test(test_negative_zero),
          cmocka_unit_test(test_alignment_and_bounds),
          cmocka_unit_test(test_arrays_are_aligned_for_lanes),
          cmocka_unit_test(test_steps_do_not_allocate), cmocka_unit_test(test_carry),
          cmocka_unit_test(test_carry_from_dense), cmocka_unit_test(test_retry),
          cmocka_unit_test(test_failed_evaluation), cmocka_unit_test(test_golden))
