// Numbers that are none, in outputs: a warning at the first of each signal, by name and time, and a
// count; nothing where a port says that NaN has a meaning, or where two infinities look like one.
#include "support/probe.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char told[1024];

static void on_log(void *context, const tac_log_entry *entry)
{
    (void)context;
    const size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%llu %s %d %s; ", (unsigned long long)entry->t_us,
             entry->component, (int)entry->level, entry->text);
}

// Outputs: a number, a vector, an array of nine, one in which NaN means something, infinities.
static tac_status declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "one", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "three", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "nine", .type = TAC_TYPE_ARRAY(TAC_F64, 9)));
    tac_declare_output(
        d, TAC_PORT(.name = "unused", .type = TAC_TYPE_ARRAY(TAC_F64, 12), .flags = TAC_PORT_NAN));
    tac_declare_output(d, TAC_PORT(.name = "both", .type = TAC_TYPE_VEC3));
    return TAC_OK;
}

static tac_status step(tac_step *s, const void *self)
{
    (void)self;
    const double nan = (double)NAN;
    *TAC_OUT(s, double, 0) = s->t_us == 3000 ? nan : 1;
    TAC_OUT(s, double, 1)[2] = s->t_us >= 4000 ? nan : 2;
    TAC_OUT(s, double, 2)[7] = s->t_us >= 5000 && s->t_us < 8000 ? nan : 3;
    TAC_OUT(s, double, 3)[11] = nan;
    TAC_OUT(s, double, 4)[0] = (double)INFINITY;
    TAC_OUT(s, double, 4)[1] = -(double)INFINITY;
    return TAC_OK;
}

static const tac_component_type type = {.size = sizeof(tac_component_type),
                                        .name = "wrong",
                                        .version = "1",
                                        .stage = TAC_STAGE_CONTROL,
                                        .declare = declare,
                                        .kernels[TAC_NUMBERS].step = step};

// Part of the plant: 1/0 - 1/0 from 6 ms on.
static tac_status output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->t_s > 0.0055 ? (double)INFINITY - (double)INFINITY : 0;
    return TAC_OK;
}

static void begin(bench *b, bool digests)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 9000;
    def.digests = digests;
    def.log = on_log;
    bench_begin(b, &def);
    bench_group(b, "g", 1000, 0);
    const tac_component_def wrong =
        TAC_DEF(tac_component_def, .name = "w", .group = "g", .type = &type);
    assert_int_equal(tac_engine_add_component(b->engine, &wrong, &b->err), TAC_OK);
    bench_add(b, &(probe){.name = "plant", .out = {"y"}, .constant = true, .output = output});
    bench_add(b, &(probe){.name = "r", .group = "g", .stage = "estimate", .in = {"y"}});
    bench_route(b, "r.y", "plant.y");
    bench_prepare(b);
}

static void count_is(bench *b, const char *signal, uint64_t writes, tac_time first_us)
{
    tac_time t_us;
    const int number = tac_engine_find_signal(b->engine, signal);
    assert_true(number >= 0);
    assert_int_equal(tac_engine_nans(b->engine, (size_t)number, &t_us), writes);
    assert_true(t_us == first_us);
}

static void counts_are_right(bench *b)
{
    count_is(b, "w.one", 1, 3000);
    count_is(b, "w.three", 6, 4000);
    count_is(b, "w.nine", 3, 5000);
    count_is(b, "w.unused", 0, TAC_TIME_NEVER);
    count_is(b, "w.both", 0, TAC_TIME_NEVER);
    count_is(b, "plant.y", 4, 6000);
}

static void test_warned_and_counted(void **state)
{
    (void)state;
    bench b;
    told[0] = '\0';
    begin(&b, true);
    bench_run(&b, TAC_TIME_MAX);
    assert_string_equal(told, "3000 w 2 'w.one' is NaN; 4000 w 2 'w.three[2]' is NaN; "
                              "5000 w 2 'w.nine[7]' is NaN; 6000 plant 2 'plant.y' is NaN; ");
    counts_are_right(&b);
    bench_end(&b);
    // A run that goes on from a checkpoint has said it, and goes on counting.
    const char *path = path_of("state.checkpoint");
    begin(&b, true);
    assert_int_equal(tac_engine_checkpoint_at(b.engine, 5000, path, &b.err), TAC_OK);
    bench_run(&b, TAC_TIME_MAX);
    bench_end(&b);
    told[0] = '\0';
    begin(&b, true);
    assert_int_equal(tac_engine_restore(b.engine, path, &b.err), TAC_OK);
    bench_run(&b, TAC_TIME_MAX);
    assert_string_equal(told, "6000 plant 2 'plant.y' is NaN; ");
    counts_are_right(&b);
    bench_end(&b);
}

// Digests see them: without digests nobody does.
static void test_without_digests(void **state)
{
    (void)state;
    bench b;
    told[0] = '\0';
    begin(&b, false);
    bench_run(&b, TAC_TIME_MAX);
    assert_string_equal(told, "");
    count_is(&b, "w.one", 0, TAC_TIME_NEVER);
    bench_end(&b);
}

TEST_MAIN(cmocka_unit_test(test_warned_and_counted), cmocka_unit_test(test_without_digests))
