// Two futures: an engine that goes back forgets everything of the future that it comes from. It is
// compared with one that never was there, in its values between instants, too.
#include "engine/test_rig.h"
#include "record/models.h"

static uint64_t hash_of(const model *m)
{
    return tac_engine_hash(m->engine, NULL, NULL);
}

// --- random models ------------------------------------------------------------------------------

static void check_same(uint64_t number, const model *a, const model *b)
{
    if (hash_of(a) != hash_of(b))
        fail_msg("model %llu: the hash differs at %llu us", (unsigned long long)number,
                 (unsigned long long)tac_engine_time(a->engine));
    assert_true(tac_engine_time(a->engine) == tac_engine_time(b->engine));
    assert_true(tac_engine_open_time(a->engine) == tac_engine_open_time(b->engine));
}

// Values between the present and the next instant.
static void check_peeks(uint64_t number, model *a, model *b, dice *d)
{
    const tac_time now_us = tac_engine_time(a->engine), next_us = tac_engine_next_time(a->engine);
    assert_true(tac_engine_next_time(b->engine) == next_us);
    if (next_us == TAC_TIME_NEVER)
        return;
    const tac_time t_us = now_us + dice_below(d, (unsigned)(next_us - now_us + 1));
    for (int i = 0; i < (int)tac_engine_signal_count(a->engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(a->engine, i);
        if (s.type.scalar != TAC_F64)
            continue;
        const void *x = tac_engine_read_at(a->engine, i, t_us);
        const void *y = tac_engine_read_at(b->engine, i, t_us);
        assert_true(!x == !y);
        if (x && memcmp(x, y, s.type.count * sizeof(double)))
            fail_msg("model %llu: '%s' differs at %llu us", (unsigned long long)number, s.name,
                     (unsigned long long)t_us);
    }
}

static void check_reads(uint64_t number, model *a, model *b)
{
    for (int i = 0; i < (int)tac_engine_signal_count(a->engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(a->engine, i);
        if (s.type.scalar == TAC_F64 &&
            memcmp(tac_engine_read(a->engine, i), tac_engine_read(b->engine, i),
                   s.type.count * sizeof(double)))
            fail_msg("model %llu: '%s' differs at %llu us", (unsigned long long)number, s.name,
                     (unsigned long long)tac_engine_time(a->engine));
    }
}

// Somewhere else and back. A queue that is full stops the run there: that is forgotten, too.
static void excursion(model *m, dice *d, tac_time end_us, tac_snapshot **place)
{
    must(m, tac_engine_take_snapshot(m->engine, place, &m->err));
    if (dice_chance(d, 15))
        must(m, tac_engine_reset(m->engine, &m->err));
    for (int i = 0; i < 3; i++) {
        model_post(m, d, dice_below(d, 4), 3000);
        const tac_time to_us = tac_engine_open_time(m->engine) + dice_below(d, 6000);
        const tac_status status = dice_chance(d, 50)
                                      ? tac_engine_run(m->engine, to_us, &m->err)
                                      : tac_engine_advance(m->engine, to_us, &m->err);
        if (status != TAC_OK)
            break;
    }
    // To where the other future leads, too: what was read there is read again after going back.
    if (dice_chance(d, 50) && tac_engine_open_time(m->engine) <= end_us &&
        tac_engine_run(m->engine, end_us, &m->err) != TAC_OK)
        print_message("a run failed\n"); // and that is forgotten
    for (int i = 0; i < (int)tac_engine_signal_count(m->engine); i++)
        (void)tac_engine_read(m->engine, i);
    must(m, tac_engine_restore_snapshot(m->engine, *place, &m->err));
}

static bool open_two(uint64_t number, const model_wish *wish, model *a, model *b)
{
    if (model_make(a, number, wish) != TAC_OK || tac_engine_prepare(a->engine, &a->err) != TAC_OK) {
        model_end(a);
        return false;
    }
    must(b, model_make(b, number, wish));
    must(b, tac_engine_prepare(b->engine, &b->err));
    // Messages that are on their way at the start, and when snapshots are taken.
    dice posts[2] = {{number + 5}, {number + 5}};
    model_post(a, &posts[0], 6, 30000);
    model_post(b, &posts[1], 6, 30000);
    return true;
}

static bool check_model(uint64_t number)
{
    static const char *const methods[] = {NULL, "rk45", "rk4"};
    const model_wish wish = {.integrator = methods[number / 3 % 3]};
    model clean, m;
    if (!open_two(number, &wish, &clean, &m))
        return false;
    dice d = {number + 177};
    tac_snapshot *place = NULL;
    bool good = true;
    while (good && !tac_engine_finished(clean.engine)) {
        // Often only to the next instant, or to just before it.
        const tac_time next_us = tac_engine_next_time(clean.engine);
        const tac_time far_us = tac_engine_open_time(clean.engine) + dice_below(&d, 5000);
        const tac_time to_us = dice_chance(&d, 40) && next_us < far_us ? next_us : far_us;
        const bool through = dice_chance(&d, 60);
        excursion(&m, &d, to_us, &place);
        check_same(number, &clean, &m);
        if (dice_chance(&d, 50))
            check_peeks(number, &clean, &m, &d);
        model *both[] = {&clean, &m};
        tac_status status[2];
        for (int i = 0; i < 2; i++)
            status[i] = through ? tac_engine_run(both[i]->engine, to_us, &both[i]->err)
                                : tac_engine_advance(both[i]->engine, to_us + 1, &both[i]->err);
        assert_int_equal(status[0], status[1]);
        good = status[0] == TAC_OK; // a queue that is full
        if (good)
            check_reads(number, &clean, &m);
    }
    if (good) {
        check_same(number, &clean, &m);
        const tac_counters a = tac_engine_counters(clean.engine), b = tac_engine_counters(m.engine);
        assert_memory_equal(&a, &b, sizeof a);
    }
    tac_snapshot_destroy(place);
    model_end(&clean);
    model_end(&m);
    return good;
}

static void test_models(void **state)
{
    (void)state;
    uint64_t checked = 0;
    for (uint64_t number = 0; number < 120; number++)
        checked += check_model(number);
    assert_true(checked > 50);
}

// On an engine that ends at another time, inside a step that was under way when the snapshot was
// taken, or after it. With fixed steps: the step size of an adaptive method depends on steps that
// were tried up to the end and then cut by a message.
static void test_other_end(void **state)
{
    (void)state;
    uint64_t checked = 0;
    for (uint64_t number = 0; number < 60; number++) {
        model m, other, unused;
        if (!open_two(number, &(model_wish){.integrator = "rk4"}, &m, &unused))
            continue;
        model_end(&unused);
        dice d = {number + 3};
        tac_snapshot *place = NULL;
        const tac_status status = tac_engine_run(m.engine, 2000 + dice_below(&d, 9000), &m.err);
        if (status == TAC_OK) {
            must(&m, tac_engine_take_snapshot(m.engine, &place, &m.err));
            const tac_time now_us = tac_engine_time(m.engine);
            const tac_time next_us = tac_engine_next_time(m.engine);
            const model_wish wish = {
                .integrator = "rk4",
                .end_us = dice_chance(&d, 50) && next_us > now_us + 1
                              ? now_us + 1 + dice_below(&d, (unsigned)(next_us - now_us - 1))
                              : now_us + 1 + dice_below(&d, 4000)};
            assert_true(open_two(number, &wish, &other, &unused));
            must(&other, tac_engine_restore_snapshot(other.engine, place, &other.err));
            if (tac_engine_run(unused.engine, TAC_TIME_NEVER, &unused.err) == TAC_OK) {
                must(&other, tac_engine_run(other.engine, TAC_TIME_NEVER, &other.err));
                if (hash_of(&unused) != hash_of(&other))
                    fail_msg("model %llu differs at its end", (unsigned long long)number);
                assert_true(tac_engine_time(other.engine) == wish.end_us);
                checked++;
            }
            model_end(&other);
            model_end(&unused);
            // An engine that ends there, or before, cannot go on from it.
            if (now_us > 0) {
                const model_wish early = {.integrator = "rk4", .end_us = now_us};
                assert_true(open_two(number, &early, &other, &unused));
                assert_int_equal(tac_engine_restore_snapshot(other.engine, place, &other.err),
                                 TAC_E_RANGE);
                model_end(&other);
                model_end(&unused);
            }
        }
        tac_snapshot_destroy(place);
        model_end(&m);
    }
    assert_true(checked > 25);
}

// --- the same instant in both futures -----------------------------------------------------------

// A condition that is located at an instant which a rate group has in any case: in the future that
// is forgotten it turned true there, in the other one it did not.
static tac_status watcher_declare(tac_declare *d, void *self)
{
    (void)self;
    const int x = tac_declare_watch(d, "Plant.x", NULL);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    tac_declare_condition(d, "high", &x, 1, NULL);
    return TAC_OK;
}

static bool watcher_holds(const tac_step *s, const void *self, int condition)
{
    (void)self;
    (void)condition;
    return *TAC_IN(s, double, 0) >= 0.005; // a lamp that shows whether 5 ms of 1/s have passed
}

static tac_status watcher_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = s->due + 100 * tac_turned_true(s, 0);
    return TAC_OK;
}

static const tac_component_type watcher = {.size = sizeof(tac_component_type),
                                           .name = "watcher",
                                           .version = "1",
                                           .stage = TAC_STAGE_ESTIMATE,
                                           .declare = watcher_declare,
                                           .holds = watcher_holds,
                                           .kernels[TAC_NUMBERS].step = watcher_step};

static tac_status plant_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status plant_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *(const double *)e->in[0];
    return TAC_OK;
}

static const tac_component_type plant = {.size = sizeof(tac_component_type),
                                         .name = "ramp_plant",
                                         .version = "1",
                                         .declare = plant_declare,
                                         .kernels[TAC_NUMBERS].derive = plant_derive};

static const char lamp[] =
    "duration: 10 ms\n"
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [Watcher]}]}\n"
    "plant: {integrator: {kind: %s}}\n"
    "components:\n"
    "  Watcher: {type: watcher}\n"
    "  Plant: {type: ramp_plant, inputs: {u: {from: outside, rest: 1}}}\n";

// To 5 ms, with another rate from `t_us` on; there the output of the watcher.
static double at_5_ms(tac_engine *e, tac_time t_us, double rate)
{
    tac_error err;
    const int u = tac_engine_find_input(e, "Plant.u", &err);
    assert_int_equal(tac_engine_write(e, u, t_us, &rate, &err), TAC_OK);
    assert_int_equal(tac_engine_run(e, 5000, &err), TAC_OK);
    return *(const double *)tac_engine_read(e, tac_engine_find_signal(e, "Watcher.y"));
}

static void test_same_instant(void **state)
{
    (void)state;
    static const char *const methods[] = {"rk4", "rk45"};
    for (size_t i = 0; i < 2; i++) {
        rig r;
        char text[1000];
        snprintf(text, sizeof text, lamp, methods[i]);
        rig_types[0] = &watcher;
        rig_types[1] = &plant;
        rig_open(&r, text);
        tac_engine *e = r.engine;
        tac_error err;
        assert_int_equal(tac_engine_run(e, 4000, &err), TAC_OK);
        tac_snapshot *s = NULL;
        assert_int_equal(tac_engine_take_snapshot(e, &s, &err), TAC_OK);
        const double without = at_5_ms(e, 4200, 0);
        assert_true(without == TAC_DUE_AXIS);
        const uint64_t hash = tac_engine_hash(e, NULL, NULL);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(tac_engine_restore_snapshot(e, s, &err), TAC_OK);
            // A bit faster, so that rounding cannot move the instant.
            const double with = at_5_ms(e, 4200, 1.0001);
            assert_true(with == (TAC_DUE_AXIS | TAC_DUE_CONDITION) + 100);
            assert_int_equal(tac_engine_restore_snapshot(e, s, &err), TAC_OK);
            assert_true(at_5_ms(e, 4200, 0) == without);
            assert_true(tac_engine_hash(e, NULL, NULL) == hash);
        }
        tac_snapshot_destroy(s);
        rig_close(&r);
    }
}

// --- two states of the same instant -------------------------------------------------------------

// x' = u, y = x + u: nothing reads y, so that it is evaluated for each reader.
static tac_status sum_declare(tac_declare *d, void *self)
{
    (void)plant_declare(d, self);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status sum_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->x[0] + *TAC_IN(e, double, 0);
    return TAC_OK;
}

static const tac_component_type sum = {.size = sizeof(tac_component_type),
                                       .name = "summed",
                                       .version = "1",
                                       .declare = sum_declare,
                                       .kernels[TAC_NUMBERS].output = sum_output,
                                       .kernels[TAC_NUMBERS].derive = plant_derive};

// How often it was called, and when last.
typedef struct calls {
    size_t count;
    tac_time last_us;
} calls;

static void observe(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    calls *c = context;
    c->count++;
    c->last_us = t_us;
}

// To the end, with `u` for an input.
static void run_sum(rig *r, double u)
{
    const int input = tac_engine_find_input(r->engine, "Sum.u", &r->err);
    assert_int_equal(tac_engine_write(r->engine, input, 0, &u, &r->err), TAC_OK);
    rig_run(r, TAC_TIME_NEVER);
}

static void open_sum(rig *r, const tac_observer_def *observer)
{
    *r = (rig){0};
    assert_int_equal(tac_registry_create(NULL, &r->registry, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &sum, &r->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = r->registry;
    const char *text = "duration: 10 ms\n"
                       "components: {Sum: {type: summed, inputs: {u: {from: outside, rest: 0}}}}\n";
    assert_int_equal(tac_config_parse("t.yaml", text, strlen(text), &def, &r->config, &r->err),
                     TAC_OK);
    const tac_engine_def engine_def = tac_config_engine_def(r->config);
    assert_int_equal(tac_config_build_unprepared(r->config, &engine_def, &r->engine, &r->err),
                     TAC_OK);
    assert_int_equal(tac_engine_add_observer(r->engine, observer, &r->err), TAC_OK);
    assert_int_equal(tac_engine_prepare(r->engine, &r->err), TAC_OK);
}

// At the end of the run, where no integration follows. An observer asks for outputs, so that inputs
// are kept for it.
static void test_same_time(void **state)
{
    (void)state;
    calls c = {0};
    tac_observer_def observer = tac_observer_def_default();
    observer.name = "watching";
    observer.follow = TAC_FOLLOW_ISLAND;
    observer.component = "Sum";
    observer.outputs = true;
    observer.observe = observe;
    observer.context = &c;
    for (int looks = 0; looks < 2; looks++) {
        rig r;
        open_sum(&r, &observer);
        run_sum(&r, 1);
        tac_snapshot *end = NULL;
        assert_int_equal(tac_engine_take_snapshot(r.engine, &end, &r.err), TAC_OK);
        const double y = rig_f64(&r, "Sum.y");
        assert_true(fabs(y - 1.01) < 1e-12);
        assert_int_equal(tac_engine_reset(r.engine, &r.err), TAC_OK);
        run_sum(&r, 2);
        if (looks)
            assert_true(rig_f64(&r, "Sum.y") > 2);
        assert_int_equal(tac_engine_restore_snapshot(r.engine, end, &r.err), TAC_OK);
        assert_true(rig_f64(&r, "Sum.y") == y);
        tac_snapshot_destroy(end);
        rig_close(&r);
    }
}

// An observer sees the times again that lie after those to which the engine went back.
static void test_observed_again(void **state)
{
    (void)state;
    calls c = {0};
    tac_observer_def observer = tac_observer_def_default();
    observer.name = "watching";
    observer.period_us = 2000;
    observer.offset_us = 500;
    observer.observe = observe;
    observer.context = &c;
    rig r;
    open_sum(&r, &observer);
    tac_snapshot *place = NULL;
    rig_run(&r, 4500); // 0.5, 2.5, 4.5 ms
    assert_int_equal(c.count, 3);
    assert_int_equal(tac_engine_take_snapshot(r.engine, &place, &r.err), TAC_OK);
    for (int i = 0; i < 2; i++) {
        c.count = 0;
        rig_run(&r, TAC_TIME_NEVER); // 6.5, 8.5 ms
        assert_int_equal(c.count, 2);
        assert_int_equal(c.last_us, 8500);
        assert_int_equal(tac_engine_restore_snapshot(r.engine, place, &r.err), TAC_OK);
    }
    assert_int_equal(tac_engine_reset(r.engine, &r.err), TAC_OK);
    c.count = 0;
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(c.count, 5);
    tac_snapshot_destroy(place);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_models), cmocka_unit_test(test_other_end),
          cmocka_unit_test(test_same_instant), cmocka_unit_test(test_same_time),
          cmocka_unit_test(test_observed_again))
