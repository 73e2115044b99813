// Going back: from any state to any other, however the engine came there, a run goes on as if it
// had never been elsewhere.
#include "engine/test_rig.h"
#include "record/models.h"
#include "support/allocator.h"

enum { PLACES = 4 };

static uint64_t hash_of(const model *m)
{
    return tac_engine_hash(m->engine, NULL, NULL);
}

// Random models, with everything there is in them: forwards and back at random. False: the engine
// does not want this one.
static bool wander(uint64_t number)
{
    model straight, m;
    if (model_make(&straight, number, NULL) != TAC_OK ||
        tac_engine_prepare(straight.engine, &straight.err) != TAC_OK ||
        tac_engine_run(straight.engine, TAC_TIME_NEVER, &straight.err) != TAC_OK) {
        model_end(&straight);
        return false;
    }
    must(&m, model_make(&m, number, NULL));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    dice d = {number + 77};
    tac_snapshot *places[PLACES] = {NULL};
    uint64_t hashes[PLACES] = {0};
    tac_time opens[PLACES] = {0};
    const tac_time end_us = straight.engine->plan->def.end_us;
    for (int i = 0; i < 40; i++) {
        const unsigned k = dice_below(&d, PLACES);
        const unsigned what = dice_below(&d, 8);
        if (what == 0) {
            must(&m, tac_engine_reset(m.engine, &m.err));
            assert_true(tac_engine_open_time(m.engine) == 0);
        } else if (what < 3 && places[k]) {
            must(&m, tac_engine_restore_snapshot(m.engine, places[k], &m.err));
            assert_true(tac_engine_open_time(m.engine) == opens[k]);
            if (hash_of(&m) != hashes[k])
                fail_msg("model %llu is another after going back", (unsigned long long)number);
        } else if (what < 5) {
            must(&m, tac_engine_take_snapshot(m.engine, &places[k], &m.err));
            hashes[k] = hash_of(&m);
            opens[k] = tac_engine_open_time(m.engine);
        } else {
            const tac_time open_us = tac_engine_open_time(m.engine);
            must(&m, tac_engine_run(m.engine, open_us + dice_below(&d, 5000), &m.err));
        }
        (void)tac_engine_next_event(m.engine);
        for (int s = 0; dice_chance(&d, 30) && s < (int)tac_engine_signal_count(m.engine); s++)
            (void)tac_engine_read(m.engine, s); // a look leaves no trace
    }
    must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
    if (hash_of(&m) != hash_of(&straight))
        fail_msg("model %llu ends elsewhere", (unsigned long long)number);
    const tac_counters a = tac_engine_counters(m.engine), b = tac_engine_counters(straight.engine);
    assert_true(a.boundaries == b.boundaries && a.steps == b.steps && a.messages == b.messages);
    assert_true(tac_engine_time(m.engine) == end_us);
    // From the very end, too, and on another engine.
    tac_snapshot *end = NULL;
    must(&m, tac_engine_take_snapshot(m.engine, &end, &m.err));
    for (int k = 0; k < PLACES; k++) {
        if (!places[k])
            continue;
        must(&straight, tac_engine_restore_snapshot(straight.engine, places[k], &straight.err));
        assert_true(hash_of(&straight) == hashes[k]);
        must(&straight, tac_engine_run(straight.engine, TAC_TIME_NEVER, &straight.err));
        assert_true(hash_of(&straight) == hash_of(&m));
    }
    must(&m, tac_engine_reset(m.engine, &m.err));
    must(&m, tac_engine_restore_snapshot(m.engine, end, &m.err));
    assert_true(tac_engine_finished(m.engine) && hash_of(&m) == hash_of(&straight));
    for (int k = 0; k < PLACES; k++)
        tac_snapshot_destroy(places[k]);
    tac_snapshot_destroy(end);
    model_end(&m);
    model_end(&straight);
    return true;
}

static void test_models(void **state)
{
    (void)state;
    const char *wish = getenv("TEST_MODELS");
    const uint64_t count = wish ? strtoull(wish, NULL, 10) : 120;
    uint64_t wanted = 0;
    for (uint64_t number = 0; number < count; number++)
        wanted += wander(number);
    assert_true(wanted > count / 2);
}

// --- the next event -----------------------------------------------------------------------------

static bool can_locate(const tac_engine *e, const tac__source *step)
{
    const tac__island_plan *island = &e->plan->islands[step->index];
    return island->event_count || island->rise_count;
}

// The earliest time of all sources that are events: boundaries of anything but observers, and ends
// of steps of islands in which something can be located. `*searched`: such a step ends there.
static tac_time earliest(const tac_engine *e, bool *searched)
{
    tac_time next_us = TAC_TIME_NEVER;
    *searched = false;
    for (size_t i = 0; i < e->plan->timeline.count; i++) {
        const tac__source *s = &e->plan->timeline.sources[i];
        const tac_time own_us = e->timeline.next[i];
        const bool step = s->kind == TAC__SOURCE_STEP;
        if (s->observer || (step && !can_locate(e, s)) || own_us > next_us)
            continue;
        *searched = step && (*searched || own_us < next_us);
        next_us = own_us;
    }
    return next_us;
}

static void observe_nothing(void *context, tac_engine *e, tac_time t_us)
{
    (void)context;
    (void)e;
    (void)t_us;
}

// A model with observers between its boundaries. False: the engine does not want this one.
static bool make_observed(model *m, uint64_t number)
{
    tac_status status = model_make(m, number, NULL);
    for (tac_time period_us = 130; status == TAC_OK && period_us < 400; period_us += 70) {
        tac_observer_def def = tac_observer_def_default();
        def.name = "eye";
        def.period_us = period_us;
        def.observe = observe_nothing;
        status = tac_engine_add_observer(m->engine, &def, &m->err);
    }
    if (status == TAC_OK)
        status = tac_engine_prepare(m->engine, &m->err);
    if (status != TAC_OK)
        model_end(m);
    return status == TAC_OK;
}

// Until the next event that an engine tells of nothing but integration happens, whatever is
// located; and there is a boundary at it, unless an island has been searched up to there. Restored:
// no step of an island has begun. Returns how many answers were earlier than the next boundary.
static uint64_t check_next_events(model *m, uint64_t number, bool restored)
{
    uint64_t early = 0;
    tac_status status = TAC_OK;
    while (status == TAC_OK && !tac_engine_finished(m->engine)) {
        const tac_time next_us = tac_engine_next_event(m->engine);
        const uint64_t boundaries = tac_engine_counters(m->engine).boundaries;
        assert_true(next_us >= tac_engine_open_time(m->engine));
        bool searched;
        const tac_time earliest_us = earliest(m->engine, &searched);
        assert_true(next_us == earliest_us || restored);
        status = tac_engine_advance(m->engine, next_us, &m->err);
        if (tac_engine_counters(m->engine).boundaries != boundaries)
            fail_msg("model %llu: a boundary before %llu us", (unsigned long long)number,
                     (unsigned long long)next_us);
        if (status == TAC_OK)
            status = tac_engine_run(m->engine, next_us, &m->err);
        const bool happened = tac_engine_counters(m->engine).boundaries > boundaries;
        if (status == TAC_OK && !happened && !searched && !restored)
            fail_msg("model %llu: nothing happens at %llu us", (unsigned long long)number,
                     (unsigned long long)next_us);
        early += !happened;
        restored = false;
    }
    return early;
}

static void test_next_event(void **state)
{
    (void)state;
    uint64_t located = 0, early = 0;
    for (uint64_t number = 0; number < 120; number++) {
        model m;
        if (!make_observed(&m, number))
            continue;
        early += check_next_events(&m, number, false);
        located += tac_engine_counters(m.engine).events;
        model_end(&m);
    }
    assert_true(located > 1000 && early > 100);
}

// The same from checkpoints.
static void test_next_event_restored(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("next.checkpoint"));
    uint64_t tried = 0;
    for (uint64_t number = 0; number < 120; number++) {
        model m;
        dice d = {number + 99};
        if (!make_observed(&m, number))
            continue;
        const tac_time at_us = dice_below(&d, (unsigned)(m.engine->plan->def.end_us - 1));
        const bool good = tac_engine_checkpoint_at(m.engine, at_us, path, &m.err) == TAC_OK &&
                          tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err) == TAC_OK;
        model_end(&m);
        if (!good)
            continue;
        assert_true(make_observed(&m, number));
        must(&m, tac_engine_restore(m.engine, path, &m.err));
        (void)check_next_events(&m, number, true);
        model_end(&m);
        tried++;
    }
    assert_true(tried > 50);
}

// --- a run that fails ---------------------------------------------------------------------------

// Fails at 5 ms, in the middle of a boundary or at its very beginning; the engine goes back all the
// same.
typedef enum failure {
    NO_FAILURE,
    STEP_FAILS,
    JUMP_FAILS,  // after the component has changed its continuous state
    PLANT_FAILS, // in the integration step that ends at 5 ms
    FAILURES
} failure;
static failure fails;

static tac_status brittle_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 8, .max_bytes = 8, .triggers = true));
    return TAC_OK;
}

static tac_status brittle_step(tac_step *s, const void *self)
{
    (void)self;
    if (fails == STEP_FAILS && s->t_us == 5000)
        return tac_fail(s, "now");
    for (tac_message m; tac_receive(s, 0, &m);)
        continue;
    *TAC_OUT(s, double, 0) = 0.5 - 0.1 * *TAC_IN(s, double, 0) + 0.01 * s->due;
    return TAC_OK;
}

static const tac_component_type brittle_type = {.size = sizeof(tac_component_type),
                                                .name = "brittle",
                                                .version = "1",
                                                .stage = TAC_STAGE_ESTIMATE,
                                                .declare = brittle_declare,
                                                .kernels[TAC_NUMBERS].step = brittle_step};

// x' = (u - x) / 3 ms, and a little more every 5 ms; y = x.
static tac_status jumper_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    return TAC_OK;
}

static tac_status jumper_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->x[0];
    return TAC_OK;
}

static tac_status jumper_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = (*TAC_IN(e, double, 0) - e->x[0]) / 0.003;
    return fails == PLANT_FAILS && e->t_s > 0.0045 ? TAC_E_NUMERIC : TAC_OK;
}

static tac_status jumper_step(tac_step *s, const void *self)
{
    (void)self;
    if (s->t_us % 5000 == 0)
        tac_jump(s)[0] += 0.01;
    return fails == JUMP_FAILS && s->t_us == 5000 ? tac_fail(s, "now") : TAC_OK;
}

static tac_status jumper_pre_step(tac_step *s, const void *self)
{
    (void)self;
    return tac_jump(s) ? tac_fail(s, "hooks cannot jump") : TAC_OK;
}

static const tac_component_type jumper_type = {.size = sizeof(tac_component_type),
                                               .name = "jumper",
                                               .version = "1",
                                               .stage = TAC_STAGE_ACTUATE,
                                               .declare = jumper_declare,
                                               .kernels[TAC_NUMBERS].step = jumper_step,
                                               .kernels[TAC_NUMBERS].output = jumper_output,
                                               .kernels[TAC_NUMBERS].derive = jumper_derive,
                                               .pre_step = jumper_pre_step};

// At 5 ms Free has no boundary, but with `rk45` the end of a step; Slow has a boundary, its first
// one since the start.
static const char brittle_text[] =
    "duration: 10 ms\n"
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [First, Second, Beacon, Plant]},"
    "\n                          {name: slow, period: 5 ms, components: [Late]}],\n"
    "            synchronization: {default_policy: ZOH}}\n"
    "%s"
    "components:\n"
    "  First:  {type: brittle, inputs: {u: Plant.y}}\n"
    "  Second: {type: brittle, stage: control, inputs: {u: First.y}}\n" // a message waits for it
    "  Beacon: {type: beacon, stage: control, inputs: {u: First.y}}\n"
    "  Late:   {type: filter, stage: actuate, inputs: {u: First.y}}\n" // not run when First fails
    "  Plant:  {type: jumper, inputs: {u: Second.y}}\n"
    "  Free:   {type: lag, params: {tau: 30 ms, initial: 1}, "
    "inputs: {u: {from: outside, rest: 0}}}\n"
    "  Slow:   {type: lag, params: {tau: 30 ms, initial: 1}, inputs: {u: Late.y}}\n"
    "links: [{from: Beacon.tx, to: Second.rx, delay: 1 ms}]\n";

static void load(rig *r, const char *text, const tac_component_type *type)
{
    rig_types[0] = type;
    rig_types[1] = &jumper_type;
    rig_open(r, text);
}

// With phases the engine keeps what is due in other memory.
#define RK4                                                                                        \
    "plant: {integrator: {kind: rk4, h_max: 5 ms}}\n"                                              \
    "phases: {names: [A, B], initial: A, transitions: [{from: A, to: B, condition: t > 1 h}]}\n"
#define RK45 "plant: {integrator: {kind: rk45, h_max: 1 ms}}\n"

static void load_brittle(rig *r, const char *lines)
{
    char text[2048];
    snprintf(text, sizeof text, brittle_text, lines);
    load(r, text, &brittle_type);
}

static void check_failed(const char *lines, failure how)
{
    rig m;
    load_brittle(&m, lines);
    fails = NO_FAILURE;
    assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
    const uint64_t whole = tac_engine_hash(m.engine, NULL, NULL);
    assert_int_equal(tac_engine_reset(m.engine, &m.err), TAC_OK);
    assert_int_equal(tac_engine_run(m.engine, 3000, &m.err), TAC_OK);
    tac_snapshot *s = NULL;
    assert_int_equal(tac_engine_take_snapshot(m.engine, &s, &m.err), TAC_OK);
    for (int round = 0; round < 2; round++) {
        fails = how;
        assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err),
                         how == PLANT_FAILS ? TAC_E_NUMERIC : TAC_E_COMPONENT);
        assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_E_CALLER);
        assert_non_null(strstr(m.err.text, "has failed"));
        tac_snapshot *none = NULL;
        assert_int_equal(tac_engine_take_snapshot(m.engine, &none, &m.err), TAC_E_CALLER);
        fails = NO_FAILURE;
        const tac_status back = round ? tac_engine_reset(m.engine, &m.err)
                                      : tac_engine_restore_snapshot(m.engine, s, &m.err);
        assert_int_equal(back, TAC_OK);
        rig_run(&m, TAC_TIME_NEVER);
        if (tac_engine_hash(m.engine, NULL, NULL) != whole)
            fail_msg("%sother bits after failure %d", lines, (int)how);
        assert_int_equal(tac_engine_reset(m.engine, &m.err), TAC_OK);
    }
    tac_snapshot_destroy(s);
    rig_close(&m);
}

static void test_failed(void **state)
{
    (void)state;
    for (failure how = STEP_FAILS; how < FAILURES; how++) {
        check_failed(RK4, how);
        check_failed(RK45, how);
    }
}

// --- components that keep something outside the engine ------------------------------------------

typedef struct hidden {
    uint64_t *count; // not of the engine
} hidden;

static tac_status hidden_declare(tac_declare *d, void *self)
{
    hidden *h = self;
    h->count = calloc(1, sizeof *h->count);
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status hidden_init(tac_step *s, const void *self)
{
    const hidden *h = self;
    (void)s;
    *h->count += 1000; // not to be called twice
    return TAC_OK;
}

static tac_status hidden_step(tac_step *s, const void *self)
{
    const hidden *h = self;
    *TAC_OUT(s, double, 0) = (double)(++*h->count);
    return TAC_OK;
}

static bool save_fails;

static tac_status hidden_save(const void *self, void *bytes, size_t *size)
{
    const hidden *h = self;
    if (save_fails)
        return TAC_E_COMPONENT;
    *size = sizeof *h->count;
    if (bytes)
        memcpy(bytes, h->count, sizeof *h->count);
    return TAC_OK;
}

static tac_status hidden_restore(const void *self, const void *bytes, size_t size)
{
    const hidden *h = self;
    if (size != sizeof *h->count)
        return TAC_E_FORMAT;
    memcpy(h->count, bytes, size);
    return TAC_OK;
}

static void hidden_close(void *self)
{
    free(((hidden *)self)->count);
}

static tac_component_type hidden_type = {.size = sizeof(tac_component_type),
                                         .name = "hidden",
                                         .version = "1",
                                         .flags = TAC_COMPONENT_OPAQUE,
                                         .stage = TAC_STAGE_SCENARIO,
                                         .self_size = sizeof(hidden),
                                         .declare = hidden_declare,
                                         .init = hidden_init,
                                         .kernels[TAC_NUMBERS].step = hidden_step,
                                         .close = hidden_close};

static const char hidden_text[] =
    "duration: 10 ms\n"
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [Code]}]}\n"
    "components:\n"
    "  Code:  {type: hidden}\n"
    "  Plant: {type: lag, inputs: {u: Code.y}}\n";

static void test_opaque(void **state)
{
    (void)state;
    rig m;
    hidden_type.save = hidden_save;
    hidden_type.restore = hidden_restore;
    load(&m, hidden_text, &hidden_type);
    assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
    const uint64_t whole = tac_engine_hash(m.engine, NULL, NULL);
    tac_snapshot *s = NULL;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(tac_engine_reset(m.engine, &m.err), TAC_OK);
        assert_int_equal(tac_engine_run(m.engine, 4000, &m.err), TAC_OK);
        assert_int_equal(tac_engine_take_snapshot(m.engine, &s, &m.err), TAC_OK);
        assert_int_equal(tac_engine_run(m.engine, 8000, &m.err), TAC_OK);
        assert_int_equal(tac_engine_restore_snapshot(m.engine, s, &m.err), TAC_OK);
        assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
        assert_true(tac_engine_hash(m.engine, NULL, NULL) == whole);
    }
    // A snapshot that could not be overwritten is of no use, and the engine goes on.
    assert_int_equal(tac_engine_reset(m.engine, &m.err), TAC_OK);
    save_fails = true;
    assert_int_not_equal(tac_engine_take_snapshot(m.engine, &s, &m.err), TAC_OK);
    save_fails = false;
    assert_int_equal(tac_engine_restore_snapshot(m.engine, s, &m.err), TAC_E_CALLER);
    assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
    assert_true(tac_engine_hash(m.engine, NULL, NULL) == whole);
    tac_snapshot_destroy(s);
    rig_close(&m);
    // Without them it is refused by name, and the run goes on.
    hidden_type.save = NULL;
    hidden_type.restore = NULL;
    load(&m, hidden_text, &hidden_type);
    s = NULL;
    assert_int_equal(tac_engine_take_snapshot(m.engine, &s, &m.err), TAC_E_UNSAVABLE);
    assert_non_null(strstr(m.err.text, "component 'Code' of type 'hidden'"));
    assert_int_equal(tac_engine_reset(m.engine, &m.err), TAC_E_UNSAVABLE);
    assert_non_null(strstr(m.err.text, "'Code'"));
    assert_null(s);
    assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
    assert_true(tac_engine_hash(m.engine, NULL, NULL) == whole);
    rig_close(&m);
}

// --- refused ------------------------------------------------------------------------------------

static void test_refused(void **state)
{
    (void)state;
    rig m, other;
    fails = NO_FAILURE;
    load_brittle(&m, RK45);
    hidden_type.save = hidden_save;
    hidden_type.restore = hidden_restore;
    load(&other, hidden_text, &hidden_type);
    tac_snapshot *s = NULL;
    assert_int_equal(tac_engine_take_snapshot(m.engine, &s, &m.err), TAC_OK);
    assert_true(tac_snapshot_size(s) > 0 && tac_snapshot_time(s) == 0);
    assert_int_equal(tac_engine_restore_snapshot(other.engine, s, &other.err), TAC_E_MISMATCH);
    assert_int_equal(tac_engine_run(other.engine, TAC_TIME_NEVER, &other.err), TAC_OK);
    rig_close(&other);
    // A model that differs in a number only.
    char text[2048];
    snprintf(text, sizeof text, brittle_text, RK45);
    *strstr(text, "30 ms") = '4';
    load(&other, text, &brittle_type);
    assert_int_equal(tac_engine_restore_snapshot(other.engine, s, &other.err), TAC_E_MISMATCH);
    tac_snapshot_destroy(s);
    rig_close(&m);
    rig_close(&other);
}

// After going back a stop that was asked for was never asked for.
static void test_stopped(void **state)
{
    (void)state;
    rig m;
    fails = NO_FAILURE;
    load_brittle(&m, RK45);
    tac_snapshot *s = NULL;
    assert_int_equal(tac_engine_take_snapshot(m.engine, &s, &m.err), TAC_OK);
    for (int reset = 0; reset < 2; reset++) {
        tac_engine_stop(m.engine);
        const tac_status back = reset ? tac_engine_reset(m.engine, &m.err)
                                      : tac_engine_restore_snapshot(m.engine, s, &m.err);
        assert_int_equal(back, TAC_OK);
        assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
        assert_true(tac_engine_finished(m.engine));
    }
    tac_snapshot_destroy(s);
    rig_close(&m);
}

// A recording cannot go back; once it is ended the engine can.
static void test_recorder(void **state)
{
    (void)state;
    model m;
    must(&m, model_make(&m, 1, NULL));
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path_of("a.mcap");
    tac_recorder *recorder;
    must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    must(&m, tac_recorder_begin(recorder, &m.err));
    tac_snapshot *s = NULL;
    must(&m, tac_engine_run(m.engine, 5000, &m.err));
    must(&m, tac_engine_take_snapshot(m.engine, &s, &m.err));
    must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
    const uint64_t whole = hash_of(&m);
    assert_int_equal(tac_engine_restore_snapshot(m.engine, s, &m.err), TAC_E_CALLER);
    assert_non_null(strstr(m.err.text, "recorder"));
    assert_int_equal(tac_engine_reset(m.engine, &m.err), TAC_E_CALLER);
    must(&m, tac_recorder_end(recorder, NULL, &m.err));
    tac_recorder_destroy(recorder);
    tac_snapshot_destroy(s);
    assert_true(whole == hash_of(&m));
    model_end(&m);
}

// --- memory -------------------------------------------------------------------------------------

// A snapshot that is overwritten, and going back, take no more memory each time.
static void test_memory(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    model m;
    must(&m, model_make(&m, 1, &(model_wish){.allocator = &hook}));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    tac_snapshot *s = NULL;
    size_t bytes = 0;
    for (int i = 0; i < 20; i++) {
        must(&m, tac_engine_run(m.engine, 4000, &m.err));
        must(&m, tac_engine_take_snapshot(m.engine, &s, &m.err));
        must(&m, tac_engine_run(m.engine, 9000, &m.err));
        must(&m, tac_engine_restore_snapshot(m.engine, s, &m.err));
        must(&m, tac_engine_reset(m.engine, &m.err));
        if (i == 0)
            bytes = counts.live_bytes;
        assert_int_equal(counts.live_bytes, bytes);
    }
    tac_snapshot_destroy(s);
    model_end(&m);
    test_allocator_check_empty(&counts);
}

TEST_MAIN(cmocka_unit_test(test_models), cmocka_unit_test(test_next_event),
          cmocka_unit_test(test_next_event_restored), cmocka_unit_test(test_failed),
          cmocka_unit_test(test_opaque), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_recorder), cmocka_unit_test(test_memory),
          cmocka_unit_test(test_stopped))
