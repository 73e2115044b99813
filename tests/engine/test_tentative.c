// Tentative integration: a message that arrives inside a step undoes it, and the run is the same,
// bit for bit, as if its delivery had been known from the start.
#include "support/probe.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { END = 1000000, MOST = 64 };

// The vehicle: x' = -x + u, whose u is set by what arrives. Its island has no other boundary.
static const probe plant = {.entity = "veh",
                            .name = "plant",
                            .in = {"u"},
                            .out = {"y"},
                            .x = {"x"},
                            .p = {-1, 1, 0, 1},
                            .init = linear_init,
                            .derive = linear_derive,
                            .output = linear_output};

static void begin(bench *b, const char *kind, tac_time h_max_us)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = END;
    def.integrator.kind = kind;
    def.integrator.h_max_us = h_max_us;
    bench_begin(b, &def);
    bench_entity(b, "veh");
    bench_entity(b, "gcs");
}

// Commands come as messages, sent at `sent_us` and delivered `delay_us` later.
static void add_messages(bench *b, const probe *p, const tac_time *sent_us, size_t count,
                         tac_time delay_us)
{
    bench_times(b, "sends", sent_us, count);
    bench_add(b, &(probe){.entity = "gcs",
                          .name = "tx",
                          .group = "sends",
                          .tx = "tx",
                          .step = probe_send,
                          .silent = true});
    bench_add(b, &(probe){.entity = "veh",
                          .name = "rx",
                          .rx = "rx",
                          .out = {"v"},
                          .step = probe_listen,
                          .silent = true});
    bench_add(b, p);
    bench_route(b, "veh.plant.u", "veh.rx.v");
    bench_link(b, "gcs.tx.tx", "veh.rx.rx", delay_us);
    bench_prepare(b);
}

static void by_messages(bench *b, const char *kind, tac_time h_max_us, const probe *p,
                        const tac_time *sent_us, size_t count, tac_time delay_us)
{
    begin(b, kind, h_max_us);
    add_messages(b, p, sent_us, count, delay_us);
}

// The same commands written at the same instants by a component that knows them from the start.
static void by_plan(bench *b, const char *kind, tac_time h_max_us, const probe *p,
                    const tac_time *times_us, size_t count)
{
    begin(b, kind, h_max_us);
    bench_times(b, "times", times_us, count);
    bench_add(
        b, &(probe){.entity = "veh", .name = "rx", .group = "times", .out = {"v"}, .silent = true});
    bench_add(b, p);
    bench_route(b, "veh.plant.u", "veh.rx.v");
    bench_prepare(b);
}

// The plant and what it reads. What brings the commands is not the same thing, or not at the same
// time.
static void same_plants(const bench *a, const bench *b)
{
    bench_same_digests(a, b, "veh.plant*");
    bench_same_digests(a, b, "veh.rx.v");
}

// Both ways, and what must agree. Returns how many steps were undone.
static uint64_t compare(const char *kind, tac_time h_max_us, const probe *p,
                        const tac_time *sent_us, size_t count, tac_time delay_us)
{
    tac_time times_us[MOST];
    for (size_t i = 0; i < count; i++)
        times_us[i] = sent_us[i] + delay_us;
    bench a, b;
    by_messages(&a, kind, h_max_us, p, sent_us, count, delay_us);
    by_plan(&b, kind, h_max_us, p, times_us, count);
    bench_run(&a, TAC_TIME_MAX);
    bench_run(&b, TAC_TIME_MAX);
    same_plants(&b, &a);
    const tac_counters x = tac_engine_counters(a.engine), y = tac_engine_counters(b.engine);
    assert_int_equal(y.undone, 0);
    assert_int_equal(x.integration_steps - x.undone, y.integration_steps);
    assert_int_equal(x.messages, count);
    const double ax = bench_read(&a, "veh.plant.x"), bx = bench_read(&b, "veh.plant.x");
    assert_memory_equal(&ax, &bx, sizeof ax);
    bench_end(&a);
    bench_end(&b);
    return x.undone;
}

static void test_one_message(void **state)
{
    (void)state;
    static const tac_time sent[] = {300000};
    static const tac_time delays[] = {1, 2, 999, 250000, 699999};
    for (size_t i = 0; i < 5; i++) {
        // One step from 0 to the end was begun; the message cuts it.
        assert_int_equal(compare("rk4", 10 * END, &plant, sent, 1, delays[i]), 1);
        assert_int_equal(compare("euler", 10 * END, &plant, sent, 1, delays[i]), 1);
    }
    // On the end of the run, and on the end of a step: nothing to undo.
    assert_int_equal(compare("rk4", 10 * END, &plant, sent, 1, 700000), 0);
    assert_int_equal(compare("rk4", 250000, &plant, sent, 1, 200000), 0);
    assert_int_equal(compare("rk4", 250000, &plant, sent, 1, 199999), 1);
    // Sent at the start of a step, it is known to it.
    assert_int_equal(compare("rk4", 300000, &plant, sent, 1, 100000), 0);
}

static void test_several_messages(void **state)
{
    (void)state;
    static const tac_time sent[] = {1, 100, 250000, 250001, 600000, 700000, 999990};
    // Each is sent and delivered inside the step that the one before it left.
    assert_int_equal(compare("rk4", 10 * END, &plant, sent, 7, 9), 6); // the last but at 999999
    static const tac_time crowd[] = {100000, 200000, 300000};
    // On their way at once: only the first was unknown when its step began.
    assert_int_equal(compare("rk4", 10 * END, &plant, crowd, 3, 400000), 1);
}

static void test_any_messages(void **state)
{
    (void)state;
    static const tac_time h_max[] = {10 * END, 300000, 77777, 1000};
    uint64_t random = 7;
    uint64_t undone = 0;
    for (int round = 0; round < 200; round++) {
        tac_time sent[MOST], last = 0;
        size_t count = 0;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const tac_time delay = 1 + (random >> 33) % (round % 2 ? 100 : 60000);
        for (;;) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            last += 1 + (random >> 33) % 90000;
            if (last + delay >= END || count == MOST)
                break;
            sent[count++] = last;
        }
        undone +=
            compare(round % 3 ? "rk4" : "euler", h_max[round % 4], &plant, sent, count, delay);
    }
    assert_true(undone > 500);
}

// Adaptive steps that are rejected or cut: sent earlier or later, the same deliveries give the same
// bits.
static void test_when_it_became_known(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rk23", "rk45", "dop853", "rodas4"};
    uint64_t random = 11, rejected = 0, undone = 0;
    probe fast = plant;
    fast.p[0] = -300;
    fast.p[1] = 300;
    for (int round = 0; round < 200; round++) {
        tac_time sent[MOST], earlier[MOST], last = 70000;
        size_t count = 0;
        for (;;) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            last += 1 + (random >> 33) % 50000;
            if (last + 20 >= END || count == MOST)
                break;
            earlier[count] = last - 60000;
            sent[count++] = last;
        }
        bench a, b;
        by_messages(&a, kinds[round % 4], 10 * END, &fast, sent, count, 10);
        by_messages(&b, kinds[round % 4], 10 * END, &fast, earlier, count, 60010);
        bench_run(&a, TAC_TIME_MAX);
        bench_run(&b, TAC_TIME_MAX);
        same_plants(&b, &a);
        rejected += tac_engine_counters(a.engine).rejected;
        undone += tac_engine_counters(a.engine).undone;
        bench_end(&a);
        bench_end(&b);
    }
    assert_true(rejected > 500);
    assert_true(undone > 500);
}

// x' = 37 (u - x) and s' = 1, but the equations fail while s is within a window.
enum { HOLE_AT, HOLE_WIDTH, HOLE_KIND };
enum { HOLE_NAN, HOLE_RECOVERABLE, HOLE_HARD, HOLE_KINDS };

static tac_status hole_derive(const tac_eval *e, const void *self)
{
    const double *p = probe_of(self)->p;
    e->dx[0] = 37 * (*TAC_IN(e, double, 0) - e->x[0]);
    e->dx[1] = 1;
    if (fabs(e->x[1] - p[HOLE_AT]) > p[HOLE_WIDTH])
        return TAC_OK;
    if (p[HOLE_KIND] == HOLE_NAN)
        e->dx[0] = (double)NAN;
    return p[HOLE_KIND] == HOLE_RECOVERABLE ? TAC_E_NUMERIC
           : p[HOLE_KIND] == HOLE_HARD      ? TAC_E_COMPONENT
                                            : TAC_OK;
}

// Messages cut steps, and the shorter steps may meet the window where the whole ones stepped over
// it. Then the state at the boundary is still that of the boundary, or the run ends there and says
// why; whichever it is, it does not depend on when the boundary became known.
static void test_cut_steps_that_fail(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rk23", "rk45", "dop853", "rodas4", "rk4"};
    uint64_t random = 5, ended = 0, failed = 0;
    for (int round = 0; round < 3000; round++) {
        tac_time sent[MOST], earlier[MOST], last = 70000;
        size_t count = 0;
        for (;;) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            last += 1 + (random >> 33) % 90000;
            if (last + 20 >= END || count == MOST)
                break;
            earlier[count] = last - 60000;
            sent[count++] = last;
        }
        probe p = plant;
        p.x[1] = "s";
        p.init = NULL;
        p.output = NULL;
        p.out[0] = NULL;
        p.derive = hole_derive;
        p.p[HOLE_AT] = 0.05 + (double)(random % 9001) * 1e-4;
        p.p[HOLE_WIDTH] = (double)(1 + random / 9001 % 300) * 1e-5;
        p.p[HOLE_KIND] = round % HOLE_KINDS;
        if (round % 4 == 0) { // only steps that go beyond the end of the run meet the window
            p.p[HOLE_WIDTH] = 1000;
            p.p[HOLE_AT] = 1000 + 1.001;
        }
        probe whole = p;
        whole.p[HOLE_WIDTH] = -1;
        bench a, b, c;
        const char *kind = kinds[round % 5];
        const bool adaptive = round % 5 < 4;
        const tac_time h_max_us = random / 97 % 2 ? 10 * END : 100000;
        by_messages(&a, kind, h_max_us, &p, sent, count, 10);
        by_messages(&b, kind, h_max_us, &p, earlier, count, 60010);
        by_messages(&c, kind, h_max_us, &whole, sent, count, 10);
        tac_status status = TAC_OK;
        for (size_t i = 0; status == TAC_OK && i <= count; i++) {
            const tac_time t_us = i < count ? sent[i] + 10 : TAC_TIME_MAX;
            status = bench_try_run(&a, t_us);
            if (status != TAC_OK || !adaptive)
                continue;
            bench_run(&c, t_us);
            const double x = bench_read(&a, "veh.plant.x"), y = bench_read(&c, "veh.plant.x");
            if (!(fabs(x - y) < 1e-4 * (1 + fabs(y))))
                fail_msg("round %d, %s: %.9g instead of %.9g", round, kind, x, y);
        }
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), status);
        if (status == TAC_OK) {
            same_plants(&b, &a);
            assert_true(fabs(bench_read(&a, "veh.plant.s") - 1) < 1e-9);
            ended++;
        } else {
            assert_string_equal(a.err.component, "veh.plant");
            assert_string_equal(a.err.text, b.err.text);
            assert_int_equal(a.err.t_us, b.err.t_us);
            failed++;
        }
        bench_end(&c);
        bench_end(&a);
        bench_end(&b);
    }
    assert_true(ended > 100 && failed > 100);
}

// x' = -x + u + h, where h is held from a plant beside it, which takes shorter steps.
static tac_status pupil_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = -e->x[0] + *TAC_IN(e, double, 0) + *TAC_IN(e, double, 1);
    return TAC_OK;
}

// A step that is undone is taken again with what was held, although the other plant has gone on.
static void test_held_from_another_plant(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rk23", "rk45", "dop853"};
    static const tac_time sent[] = {40000, 300000, 523000}, earlier[] = {1700, 261700, 484700};
    probe pupil = plant, beside = plant;
    pupil.in[1] = "=h";
    pupil.derive = pupil_derive;
    beside.name = "beside";
    beside.in[0] = NULL;
    beside.p[0] = -90;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bench a, b;
        bench *benches[] = {&a, &b};
        for (int k = 0; k < 2; k++) {
            begin(benches[k], kinds[i], 10 * END);
            bench_add(benches[k], &beside);
            bench_route(benches[k], "veh.plant.h", "veh.beside.x");
            add_messages(benches[k], &pupil, k ? earlier : sent, 3, k ? 39000 : 700);
            bench_run(benches[k], TAC_TIME_MAX);
        }
        same_plants(&b, &a);
        assert_true(tac_engine_counters(a.engine).undone > tac_engine_counters(b.engine).undone);
        bench_end(&a);
        bench_end(&b);
    }
}

// More steps than are allowed, the last of which a message cuts short: that one begins where the
// last ended, as it would if more were allowed.
static void test_cut_beyond_the_most(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rk23", "rk45", "dop853", "rodas4"};
    static const tac_time sent[] = {34000, 69000, 104000, 139000};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bench few, many;
        bench *benches[] = {&few, &many};
        for (int k = 0; k < 2; k++) {
            tac_engine_def def = tac_engine_def_default();
            def.end_us = 150000;
            def.integrator.kind = kinds[i];
            def.integrator.h_max_us = 10000;
            def.integrator.max_substeps = k ? 100000 : 4;
            bench_begin(benches[k], &def);
            bench_entity(benches[k], "veh");
            bench_entity(benches[k], "gcs");
            add_messages(benches[k], &plant, sent, 4, 500);
            bench_run(benches[k], 139600);
        }
        bench_same_digests(&many, &few, "veh.*");
        assert_true(tac_engine_counters(few.engine).undone > 0);
        bench_end(&few);
        bench_end(&many);
    }
}

// A step that is undone may have failed: that was never part of the run.
static tac_status fragile_derive(const tac_eval *e, const void *self)
{
    const bool fails = *TAC_IN(e, double, 0) == 0 && e->t_s > 0.4;
    if (fails && probe_of(self)->p[0] != 0)
        return TAC_E_COMPONENT;
    e->dx[0] = fails ? (double)NAN : 1;
    return TAC_OK;
}

static void test_failure_of_an_undone_step(void **state)
{
    (void)state;
    static const tac_time sent[] = {300000};
    for (int status = 0; status < 2; status++) {
        probe p = plant;
        p.derive = fragile_derive;
        p.p[0] = status;
        assert_int_equal(compare("rk4", 10 * END, &p, sent, 1, 50000), 1);
        // Where the message comes too late it is part of the run, and ends it.
        bench b;
        by_messages(&b, "rk4", 10 * END, &p, sent, 1, 600000);
        bench_run(&b, 899999);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), status ? TAC_E_COMPONENT : TAC_E_NUMERIC);
        assert_string_equal(b.err.component, "veh.plant");
        assert_int_equal(b.err.t_us, 0); // where the step began
        bench_end(&b);
    }
}

// --- the order of messages ----------------------------------------------------------------------

static tac_status log_messages(tac_step *s, const void *self)
{
    probe *p = probe_of(self);
    for (tac_message m; tac_receive(s, 0, &m);) {
        double value;
        memcpy(&value, m.bytes, sizeof value);
        assert_int_equal(m.delivered_us, s->t_us);
        bench_note(p->on, p->full, AT_STEP, s);
        bench_entry *e = &p->on->log[p->on->count - 1];
        e->in[0] = m.sender;
        e->in[1] = (double)m.sequence;
        e->in[2] = value;
        e->in[3] = (double)m.sent_us;
    }
    return TAC_OK;
}

static tac_status send_three(tac_step *s, const void *self)
{
    for (int i = 0; i < 3; i++) {
        const tac_status status = probe_send(s, self);
        if (status != TAC_OK)
            return status;
    }
    return TAC_OK;
}

static void test_order_of_messages(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tac_time at_us, delay_us; // all arrive at 5000
    } senders[] = {{"first", 4000, 1000}, {"second", 0, 5000}, {"third", 2000, 3000}};
    static const int links[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    bench runs[6];
    for (int i = 0; i < 6; i++) {
        bench *b = &runs[i];
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 10000;
        bench_begin(b, &def);
        for (int k = 0; k < 3; k++) {
            bench_times(b, senders[k].name, &senders[k].at_us, 1);
            bench_add(b, &(probe){.name = senders[k].name,
                                  .group = senders[k].name,
                                  .tx = "tx",
                                  .step = send_three,
                                  .silent = true});
        }
        bench_add(b, &(probe){.name = "r", .rx = "rx", .step = log_messages});
        for (int k = 0; k < 3; k++) {
            char from[32];
            const int n = links[i][k];
            strcpy(from, senders[n].name);
            strcat(from, ".tx");
            bench_link(b, from, "r.rx", senders[n].delay_us);
        }
        bench_prepare(b);
        bench_run(b, TAC_TIME_MAX);
        assert_int_equal(b->count, 9);
        for (int k = 0; k < 9; k++) {
            assert_int_equal(b->log[k].t_us, 5000);
            assert_true(b->log[k].in[0] == k / 3);     // sender
            assert_true(b->log[k].in[1] == k % 3);     // sequence
            assert_true(b->log[k].in[2] == k % 3 + 1); // content
            assert_true(b->log[k].in[3] == (double)senders[k / 3].at_us);
        }
        bench_same_log(&runs[0], b);
        bench_same_digests(&runs[0], b, "*");
    }
    for (int i = 0; i < 6; i++)
        bench_end(&runs[i]);
}

// Earlier deliveries first, whatever was sent first.
static void test_overtaking(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 10000;
    bench_begin(&b, &def);
    static const tac_time at[] = {0, 100};
    bench_times(&b, "a", &at[0], 1);
    bench_times(&b, "b", &at[1], 1);
    bench_add(&b,
              &(probe){.name = "a", .group = "a", .tx = "tx", .step = probe_send, .silent = true});
    bench_add(&b,
              &(probe){.name = "b", .group = "b", .tx = "tx", .step = probe_send, .silent = true});
    bench_add(&b, &(probe){.name = "r", .rx = "rx", .step = log_messages});
    bench_link(&b, "a.tx", "r.rx", 5000);
    bench_link(&b, "b.tx", "r.rx", 1000);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(b.count, 2);
    assert_int_equal(b.log[0].t_us, 1100);
    assert_true(b.log[0].in[0] == 1);
    assert_int_equal(b.log[1].t_us, 5000);
    assert_true(b.log[1].in[0] == 0);
    bench_end(&b);
}

// --- whom a delivery concerns -------------------------------------------------------------------

static void test_delivery_splits_no_other_island(void **state)
{
    (void)state;
    static const tac_time sent[] = {100000, 200000, 300000};
    for (int deaf = 0; deaf < 2; deaf++) {
        bench with, without;
        for (int i = 0; i < 2; i++) {
            bench *b = i ? &with : &without;
            begin(b, "rk4", 10 * END);
            bench_entity(b, "other");
            bench_group(b, "half", 500000, 0);
            probe alone = plant; // in the same entity as the receiver, but not connected with it
            alone.name = "alone";
            alone.in[0] = NULL;
            bench_add(b, &alone);
            alone.entity = "other";
            bench_add(b, &alone);
            if (!i) {
                bench_prepare(b);
                bench_run(b, TAC_TIME_MAX);
                continue;
            }
            bench_times(b, "sends", sent, 3);
            bench_add(b, &(probe){.entity = "gcs",
                                  .name = "tx",
                                  .group = "sends",
                                  .tx = "tx",
                                  .step = probe_send,
                                  .silent = true});
            bench_add(b, &(probe){.entity = "veh",
                                  .name = "rx",
                                  .rx = "rx",
                                  .out = {"v"},
                                  .group = "half",
                                  .step = probe_listen,
                                  .deaf = deaf,
                                  .silent = true});
            bench_add(b, &plant);
            bench_route(b, "veh.plant.u", "veh.rx.v");
            bench_link(b, "gcs.tx.tx", "veh.rx.rx", 1000);
            bench_prepare(b);
            bench_run(b, TAC_TIME_MAX);
        }
        bench_same_digests(&without, &with, "veh.alone*");
        bench_same_digests(&without, &with, "other.*");
        const tac_counters a = tac_engine_counters(without.engine);
        const tac_counters b = tac_engine_counters(with.engine);
        assert_int_equal(a.integration_steps, 2);
        // The connected island: split at 0.5 s, and by the three deliveries where they trigger.
        assert_int_equal(b.integration_steps - b.undone - a.integration_steps, deaf ? 2 : 5);
        assert_int_equal(b.undone, deaf ? 0 : 3);
        bench_end(&with);
        bench_end(&without);
    }
}

// A sample taken inside a step that is undone later is what it would have been anyway.
static void test_samples_inside_an_undone_step(void **state)
{
    (void)state;
    static const tac_time sent[] = {300000};
    bench runs[2];
    for (int i = 0; i < 2; i++) {
        bench *b = &runs[i];
        const tac_time at = 350000;
        begin(b, "rk4", 10 * END);
        bench_times(b, "sends", i ? sent : &at, 1);
        if (i)
            bench_add(b, &(probe){.entity = "gcs",
                                  .name = "tx",
                                  .group = "sends",
                                  .tx = "tx",
                                  .step = probe_send,
                                  .silent = true});
        bench_add(b, &(probe){.entity = "veh",
                              .name = "rx",
                              .out = {"v"},
                              .silent = true,
                              .rx = i ? "rx" : NULL,
                              .group = i ? NULL : "sends",
                              .step = i ? probe_listen : NULL});
        bench_add(b, &plant);
        bench_route(b, "veh.plant.u", "veh.rx.v");
        bench_observe(b, "o", 7000, 0, "veh.plant.y");
        if (i)
            bench_link(b, "gcs.tx.tx", "veh.rx.rx", 50000);
        bench_prepare(b);
        bench_run(b, TAC_TIME_MAX);
    }
    assert_int_equal(tac_engine_counters(runs[1].engine).undone, 1);
    bench_same_log(&runs[0], &runs[1]);
    bench_end(&runs[0]);
    bench_end(&runs[1]);
}

// --- a boundary that is withdrawn ---------------------------------------------------------------

// Asks for 10 ms at the start; its hook, at 3 ms, for 20 ms instead, or for nothing.
static tac_time second_wish;

static tac_status wish_init(tac_step *s, const void *self)
{
    (void)self;
    return second_wish ? tac_wake_at(s, 10000) : TAC_OK;
}

static tac_status wish_hook(tac_step *s, const void *self)
{
    (void)self;
    return second_wish && s->t_us == 3000 ? tac_wake_at(s, second_wish) : TAC_OK;
}

static void run_wisher(bench *b, tac_time wish)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 30000;
    def.integrator.h_max_us = 12000;
    second_wish = wish;
    bench_begin(b, &def);
    bench_times(b, "g", (tac_time[]){3000}, 1);
    bench_add(b, &(probe){.name = "plant",
                          .x = {"x"},
                          .in = {"u"},
                          .p = {-30, 1, 2, 1},
                          .init = linear_init,
                          .derive = linear_derive});
    bench_add(b, &(probe){.name = "wisher",
                          .out = {"y"},
                          .flags = TAC_COMPONENT_TIMER,
                          .init = wish_init,
                          .pre_step = wish_hook});
    bench_add(b, &(probe){.name = "clock", .group = "g"});
    bench_route(b, "plant.u", "wisher.y");
    bench_prepare(b);
    bench_run(b, TAC_TIME_MAX);
}

// The plant integrates over the boundary that was planned and is not, as if it had never been.
static void test_withdrawn_boundary(void **state)
{
    (void)state;
    bench moved, cancelled, never;
    run_wisher(&never, 0);
    run_wisher(&cancelled, TAC_TIME_NEVER);
    bench_same_digests(&never, &cancelled, "plant*");
    assert_int_equal(tac_engine_counters(cancelled.engine).undone, 1);
    run_wisher(&moved, 20000);
    assert_int_equal(bench_count(&moved, "wisher", AT_STEP), 1);
    assert_true(bench_find(&moved, "wisher", AT_STEP, 0)->t_us == 20000);
    // x' = -30 x + 1 + 2 from 20 ms on, + 2 before: the closed form, to the order of the method.
    const double before = 2.0 / 30, after = 3.0 / 30;
    const double at_20 = before + (1 - before) * exp(-0.6);
    const double expected = after + (at_20 - after) * exp(-0.3);
    assert_true(fabs(bench_read(&moved, "plant.x") - expected) < 1e-4);
    bench_end(&moved);
    bench_end(&cancelled);
    bench_end(&never);
}

TEST_MAIN(cmocka_unit_test(test_withdrawn_boundary), cmocka_unit_test(test_one_message),
          cmocka_unit_test(test_several_messages), cmocka_unit_test(test_any_messages),
          cmocka_unit_test(test_when_it_became_known), cmocka_unit_test(test_cut_steps_that_fail),
          cmocka_unit_test(test_held_from_another_plant),
          cmocka_unit_test(test_cut_beyond_the_most),
          cmocka_unit_test(test_failure_of_an_undone_step),
          cmocka_unit_test(test_order_of_messages), cmocka_unit_test(test_overtaking),
          cmocka_unit_test(test_delivery_splits_no_other_island),
          cmocka_unit_test(test_samples_inside_an_undone_step))
