// Checkpoints: a run that was saved and taken up again has the bits of one that never stopped.
#include "test_rig.h"
#include "engine/run/state.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[64], path[128];

// --- types that keep something -------------------------------------------------------------------

// Wakes up when its random stream says so, and counts in a discrete state.
static tac_status ticker_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_stream(d, "when");
    tac_declare_state(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status ticker_step(tac_step *s, const void *self)
{
    (void)self;
    const int64_t n = ++*TAC_STATE(s, int64_t, 0);
    *TAC_OUT(s, double, 0) = (double)n + tac_draw_normal(s, 0);
    return tac_wake_at(s, s->t_us + 1 + (tac_time)(tac_draw_uniform(s, 0) * 9000));
}

static tac_status ticker_init(tac_step *s, const void *self)
{
    (void)self;
    return tac_wake_at(s, 1234);
}

static const tac_component_type ticker_type = {.size = sizeof(tac_component_type),
                                               .name = "ticker",
                                               .version = "1",
                                               .flags = TAC_COMPONENT_TIMER,
                                               .stage = TAC_STAGE_SCENARIO,
                                               .declare = ticker_declare,
                                               .init = ticker_init,
                                               .kernels[TAC_NUMBERS].step = ticker_step};

// Counts outside the engine. Whether it can be saved is up to the type.
typedef struct hidden {
    int64_t *count;
} hidden;

static tac_status hidden_declare(tac_declare *d, void *self)
{
    ((hidden *)self)->count = calloc(1, sizeof(int64_t));
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status hidden_step(tac_step *s, const void *self)
{
    *TAC_OUT(s, int64_t, 0) = ++*((const hidden *)self)->count;
    return TAC_OK;
}

static tac_status hidden_save(const void *self, void *bytes, size_t *size)
{
    *size = sizeof(int64_t);
    if (bytes)
        memcpy(bytes, ((const hidden *)self)->count, sizeof(int64_t));
    return TAC_OK;
}

static tac_status hidden_restore(const void *self, const void *bytes, size_t size)
{
    if (size != sizeof(int64_t))
        return TAC_E_FORMAT;
    memcpy(((const hidden *)self)->count, bytes, size);
    return TAC_OK;
}

static void hidden_close(void *self)
{
    free(((hidden *)self)->count);
}

#define HIDDEN                                                                                     \
    .size = sizeof(tac_component_type), .version = "1", .flags = TAC_COMPONENT_OPAQUE,             \
    .stage = TAC_STAGE_SCENARIO, .self_size = sizeof(hidden), .declare = hidden_declare,           \
    .kernels[TAC_NUMBERS].step = hidden_step, .close = hidden_close

static const tac_component_type hidden_type = {HIDDEN, .name = "hidden"};
static const tac_component_type saved_type = {HIDDEN, .name = "saved", .save = hidden_save,
                                              .restore = hidden_restore};

// A mass that bounces: jumps of the state, projection, outputs of the plant.
static tac_status bouncer_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "twice", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    return TAC_OK;
}

static tac_status bouncer_init(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] = 0.001;
    return TAC_OK;
}

static tac_status bouncer_step(tac_step *s, const void *self)
{
    (void)self;
    if (s->x[0] <= 0 && s->x[1] < 0)
        tac_jump(s)[1] = -0.9 * s->x[1];
    return TAC_OK;
}

static tac_status bouncer_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = 2 * e->x[0];
    return TAC_OK;
}

static tac_status bouncer_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->x[1];
    e->dx[1] = -9.81;
    return TAC_OK;
}

static tac_status bouncer_project(const tac_eval *e, const void *self, double *x)
{
    (void)e;
    (void)self;
    x[0] = x[0] < 0 ? 0 : x[0];
    return TAC_OK;
}

static const tac_component_type bouncer_type = {.size = sizeof(tac_component_type),
                                                .name = "bouncer",
                                                .version = "1",
                                                .stage = TAC_STAGE_ACTUATE,
                                                .declare = bouncer_declare,
                                                .init = bouncer_init,
                                                .kernels[TAC_NUMBERS].step = bouncer_step,
                                                .kernels[TAC_NUMBERS].output = bouncer_output,
                                                .kernels[TAC_NUMBERS].derive = bouncer_derive,
                                                .kernels[TAC_NUMBERS].project = bouncer_project};

// y = u of the plant, without a state: an island of outputs only.
static tac_status mirror_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status mirror_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0) + e->t_s;
    return TAC_OK;
}

static const tac_component_type mirror_type = {.size = sizeof(tac_component_type),
                                               .name = "mirror",
                                               .version = "1",
                                               .declare = mirror_declare,
                                               .kernels[TAC_NUMBERS].output = mirror_output};

static int setup(void **state)
{
    (void)state;
    const tac_component_type *const types[] = {&ticker_type,  &hidden_type, &saved_type,
                                               &bouncer_type, &mirror_type, NULL};
    memcpy(rig_types, types, sizeof types);
    snprintf(folder, sizeof folder, "/tmp/tactus_checkpoint_XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove(path);
    rmdir(folder);
    return 0;
}

// --- the model ----------------------------------------------------------------------------------

// Of everything some: rates, histories, delays, queues, timers, streams, islands of several axes,
// with steps that are longer and shorter than their intervals, jumps, entities.
static const char model[] =
    "duration: 60 ms\n"
    "seed: 5\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: fast, period: 1 ms, components: [imu, out, bump, mix]}\n"
    "    - {name: odd, period: 7 ms, offset: 300 us, components: [noise, radio, hold]}\n"
    "    - {name: slow, period: 20 ms, components: [nav, far, keep]}\n"
    "    - {name: some, times: [0, 5 ms, 33333 us, 59 ms], components: [scene]}\n"
    "  synchronization:\n"
    "    overrides:\n"
    "      - {pattern: nav.position, policy: INTERPOLATED}\n"
    "      - {pattern: nav.attitude, policy: EXTRAPOLATED}\n"
    "      - {pattern: noise.y, policy: EXTRAPOLATED}\n"
    "plant: {integrator: {kind: rk4, h_max: 3 ms}}\n"
    "components:\n"
    "  nav: {type: circle}\n"
    "  noise: {type: noise, params: {unit: N}}\n"
    "  tick: {type: ticker}\n"
    "  keep: {type: saved}\n"
    "  scene: {type: counter}\n"
    "  body: {type: point_mass, inputs: {force: out.y}}\n"
    "  spring: {type: oscillator, inputs: {force: {from: noise.y, delay: 14 ms}}}\n"
    "  far: {type: gain, params: {unit: m}, inputs: {u: spring2.position}}\n"
    "  spring2: {type: oscillator, params: {stiffness: 900, damping: 0.1}}\n"
    "  lonely: {type: oscillator, params: {stiffness: 12345}}\n"
    "  bump: {type: bouncer}\n"
    "  mirror: {type: mirror, inputs: {u: tick.y}}\n"
    "  imu: {type: sensor, params: {size: 3, unit: m/s, deviation: 0.1}, inputs: {u: "
    "body.velocity}}\n"
    "  mix: {type: tracker, inputs: {target: nav.position, position: body.position, velocity: "
    "imu.y}}\n"
    "  out: {type: filter, stage: actuate, params: {size: 3, unit: N}, inputs: {u: {from: "
    "mix.force, delay: 5 ms}}}\n"
    "  radio: {type: beacon, inputs: {u: hold.y}}\n"
    "  hold: {type: gain, inputs: {u: tick.y}}\n"
    "entities:\n"
    "  uav:\n"
    "    count: 2\n"
    "    components:\n"
    "      rx: {type: listener}\n"
    "      lag: {type: lag, params: {tau: 10 ms}, inputs: {u: rx.y}}\n"
    "links:\n"
    "  - {from: radio.tx, to: uav1.rx.rx, delay: 12345 us}\n"
    "  - {from: radio.tx, to: uav2.rx.rx, delay: 777 us}\n"; // turns up inside a step

static void open_model(rig *r, const char *duration)
{
    char set[64];
    snprintf(set, sizeof set, "duration=%s", duration);
    const char *sets[] = {set};
    if (rig_try_sets(r, model, sets, 1) != TAC_OK) {
        rig_show(r);
        fail_msg("the model cannot be built");
    }
}

typedef struct result {
    uint64_t hash;
    tac_counters counters;
    size_t count;
    uint64_t digests[128];
    uint64_t values[1024];
    size_t words;
} result;

static result look(rig *r)
{
    result x = {.hash = tac_engine_hash(r->engine, NULL, NULL),
                .counters = tac_engine_counters(r->engine)};
    while (tac_engine_digest(r->engine, x.count, &x.digests[x.count]))
        x.count++;
    for (size_t i = 0; i < tac_engine_signal_count(r->engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(r->engine, (int)i);
        const size_t bytes = s.type.count * (s.type.scalar == TAC_BOOL ? 1 : 8);
        memcpy(&x.values[x.words], tac_engine_read(r->engine, (int)i), bytes);
        x.words += (bytes + 7) / 8;
    }
    return x;
}

static void check_same(const result *got, const result *expected, tac_time t_us)
{
    if (memcmp(got, expected, sizeof *got) == 0)
        return;
    fail_msg("T = %llu us: hash %s, counters %s, digests %s, values %s", (unsigned long long)t_us,
             got->hash == expected->hash ? "same" : "DIFFERENT",
             memcmp(&got->counters, &expected->counters, sizeof got->counters) ? "DIFFERENT"
                                                                               : "same",
             memcmp(got->digests, expected->digests, sizeof got->digests) ? "DIFFERENT" : "same",
             memcmp(got->values, expected->values, sizeof got->values) ? "DIFFERENT" : "same");
}

// What a step was cut short by may have been known earlier or later: the work may differ, no bit.
static result without_work(result x)
{
    x.counters.integration_steps = x.counters.rhs_evals = x.counters.undone = 0;
    return x;
}

static result run_straight(const char *duration)
{
    rig r;
    open_model(&r, duration);
    rig_run(&r, TAC_TIME_NEVER);
    const result x = look(&r);
    rig_close(&r);
    return x;
}

static result run_with_checkpoint(const char *duration, tac_time t_us)
{
    rig r;
    open_model(&r, duration);
    if (tac_engine_checkpoint_at(r.engine, t_us, path, &r.err) != TAC_OK) {
        rig_show(&r);
        fail_msg("no checkpoint at %llu us", (unsigned long long)t_us);
    }
    rig_run(&r, TAC_TIME_NEVER);
    const result x = look(&r);
    rig_close(&r);
    return x;
}

static result run_restored(const char *duration)
{
    rig r;
    open_model(&r, duration);
    if (tac_engine_restore(r.engine, path, &r.err) != TAC_OK) {
        rig_show(&r);
        fail_msg("cannot be restored");
    }
    rig_run(&r, TAC_TIME_NEVER);
    const result x = look(&r);
    rig_close(&r);
    return x;
}

// --- straight against restored ------------------------------------------------------------------

static void test_restored_run_has_the_same_bits(void **state)
{
    (void)state;
    const result straight = run_straight("60 ms");
    assert_true(straight.counters.messages == 16 && straight.counters.undone > 0);
    static const tac_time times_us[] = {
        0,     1,     299,   300,   999,   1000,  1001,  1234,  3000,  4999,  5000,  7300,  12345,
        12644, 12645, 20000, 20500, 33332, 33333, 33334, 40000, 50001, 58999, 59000, 59300, 59999};
    for (size_t i = 0; i < sizeof times_us / sizeof *times_us; i++) {
        const result saved = run_with_checkpoint("60 ms", times_us[i]);
        check_same(&saved, &straight, times_us[i]); // a checkpoint changes nothing
        tac_checkpoint_info info;
        tac_error err;
        assert_int_equal(tac_checkpoint_read_info(path, &info, &err), TAC_OK);
        assert_true(info.t_us <= times_us[i]);
        assert_true(times_us[i] - info.t_us < 1000); // there is a boundary every millisecond
        assert_string_equal(info.version, TAC_VERSION);
        const result restored = run_restored("60 ms");
        check_same(&restored, &straight, times_us[i]);
    }
}

static void test_time_of_a_checkpoint_is_the_last_boundary(void **state)
{
    (void)state;
    static const struct {
        tac_time wish_us, boundary_us;
    } cases[] = {{0, 0}, {299, 0}, {300, 300}, {1000, 1000}, {1233, 1077}, {1234, 1234}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_with_checkpoint("60 ms", cases[i].wish_us);
        tac_checkpoint_info info;
        tac_error err;
        assert_int_equal(tac_checkpoint_read_info(path, &info, &err), TAC_OK);
        assert_int_equal(info.t_us, cases[i].boundary_us);
    }
}

// An island without states is integrated too, and counts no steps. At the checkpoint both islands
// are in the middle of a step that the end cuts short.
static void test_counters_after_a_moved_end(void **state)
{
    (void)state;
    static const char text[] = "duration: 9700 us\n"
                               "scheduler:\n"
                               "  rate_groups:\n"
                               "    - {name: g, times: [1 ms], components: [src]}\n"
                               "    - {name: h, times: [9500 us], components: [n]}\n"
                               "components:\n"
                               "  n: {type: counter}\n"
                               "  src: {type: source}\n"
                               "  m: {type: mirror, inputs: {u: src.y}}\n"
                               "  o: {type: oscillator}\n";
    rig r;
    rig_open(&r, text);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 9600, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
    const char *sets[] = {"duration=12 ms"};
    assert_int_equal(rig_try_sets(&r, text, sets, 1), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    const tac_counters straight = tac_engine_counters(r.engine);
    assert_int_equal(straight.integration_steps, 12);
    assert_int_equal(straight.rhs_evals, 48);
    rig_close(&r);
    assert_int_equal(rig_try_sets(&r, text, sets, 1), TAC_OK);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    const tac_counters restored = tac_engine_counters(r.engine);
    assert_memory_equal(&restored, &straight, sizeof straight);
    rig_close(&r);
}

// The end of a run is no part of its model: what goes on from a checkpoint may end elsewhere.
static void test_other_durations(void **state)
{
    (void)state;
    static const char *const durations[] = {"60 ms",    "59999 us", "41 ms",
                                            "50500 us", "75 ms",    "200001 us"};
    static const tac_time times_us[] = {0, 20500, 40000, 40999};
    const size_t n = sizeof durations / sizeof *durations;
    for (size_t i = 0; i < sizeof times_us / sizeof *times_us; i++) {
        for (size_t from = 0; from < n; from++) {
            run_with_checkpoint(durations[from], times_us[i]);
            for (size_t to = 0; to < n; to++) {
                const result straight = without_work(run_straight(durations[to]));
                const result restored = without_work(run_restored(durations[to]));
                check_same(&restored, &straight, times_us[i]);
            }
        }
    }
}

// Just before the end, where steps were cut short by it.
static void test_longer_run_from_just_before_the_end(void **state)
{
    (void)state;
    const result straight = without_work(run_straight("60 ms"));
    for (tac_time end_us = 40000; end_us < 44000; end_us += 333) {
        char duration[32];
        snprintf(duration, sizeof duration, "%llu us", (unsigned long long)end_us);
        run_with_checkpoint(duration, end_us - 1);
        const result restored = without_work(run_restored("60 ms"));
        check_same(&restored, &straight, end_us);
    }
}

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

// Steps that messages, wake-ups and located conditions cut; one island without a state.
static void write_cut(uint64_t random, char *text, size_t size)
{
    static const char *const methods[] = {"rk45", "rk23", "dop853", "rodas4", "rk4"};
    static const char *const limits[] = {"", ", h_max: 10 ms", ", h_max: 3 ms"};
    const size_t method = draw(&random, 5);
    const char *h_max = limits[method == 4 ? 1 + draw(&random, 2) : draw(&random, 3)];
    const int n = snprintf(
        text, size,
        "duration: 100 ms\n"
        "plant: {integrator: {kind: %s, rtol: 1e-%d%s}}\n"
        "scheduler:\n  rate_groups:\n"
        "  - {name: slow, period: %d ms, components: [wave, tx]}\n"
        "  - {name: late, period: 1 s, components: [events]}\n"
        "components:\n"
        "  wave: {type: sine, params: {frequency: 5, unit: N}}\n"
        "  tx: {type: beacon, params: {unit: N}, inputs: {u: wave.y}}\n"
        "  ear: {type: listener, params: {unit: N}}\n"
        "  body: {type: oscillator, params: {stiffness: %d}, inputs: {force: ear.y}}\n"
        "  tone: {type: equations, params: {outputs: {y: '1'}, equations: ['y = sin(t*%d rad/1 "
        "s)']}}\n"
        "  events:\n    type: scenario\n    params:\n      signals: {name: n}\n      events:\n"
        "      - {when: 'body.position < 0.%d', locate: true, repeat: true, do: set, signal: n,"
        " value: 1}\n"
        "      - {when: 'tone.y > 0.%d', locate: true, repeat: true, do: set, signal: n,"
        " value: 2}\n"
        "links: [{from: tx.tx, to: ear.rx, delay: %d us}]\n",
        methods[method], 3 + (int)draw(&random, 8), h_max, 5 + (int)draw(&random, 40),
        50 + (int)draw(&random, 5000), 10 + (int)draw(&random, 200), 1 + (int)draw(&random, 9),
        1 + (int)draw(&random, 9), 1 + (int)draw(&random, 9000));
    assert_true((size_t)n < size);
}

static uint64_t hash_to_the_end(rig *r)
{
    rig_run(r, TAC_TIME_NEVER);
    const uint64_t hash = tac_engine_hash(r->engine, NULL, NULL);
    rig_close(r);
    return hash;
}

// What happens before a checkpoint does not depend on when the run was planned to end.
static void test_any_planned_end(void **state)
{
    (void)state;
    for (uint64_t random = 1; random <= 150; random++) {
        char text[2048];
        rig r;
        write_cut(random, text, sizeof text);
        rig_open(&r, text);
        const uint64_t whole = hash_to_the_end(&r);
        const tac_time at_us = 1000 + random * 7919 % 98000;
        const tac_time ends_us[] = {at_us + 1, at_us + 1 + random * 31 % 1000, at_us + 1999,
                                    at_us + random * 733 % 30000 + 1, 900000};
        for (size_t i = 0; i < sizeof ends_us / sizeof *ends_us; i++) {
            char duration[48];
            const char *sets[] = {duration};
            snprintf(duration, sizeof duration, "duration=%llu us", (unsigned long long)ends_us[i]);
            assert_int_equal(rig_try_sets(&r, text, sets, 1), TAC_OK);
            assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us, path, &r.err), TAC_OK);
            (void)hash_to_the_end(&r);
            rig_open(&r, text);
            assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
            if (hash_to_the_end(&r) != whole)
                fail_msg("a checkpoint at %llu us of a run of %llu us has other bits:\n%s",
                         (unsigned long long)at_us, (unsigned long long)ends_us[i], text);
        }
    }
}

// Saved, taken up, saved again, taken up again; and asked for in the middle of a run.
static void test_checkpoints_of_restored_and_running_engines(void **state)
{
    (void)state;
    const result straight = run_straight("60 ms");
    run_with_checkpoint("60 ms", 10000);
    rig r;
    open_model(&r, "60 ms");
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    assert_int_equal(tac_engine_time(r.engine), 10000);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 30000, path, &r.err), TAC_OK);
    rig_run(&r, 30000);
    rig_run(&r, TAC_TIME_NEVER);
    result x = look(&r);
    check_same(&x, &straight, 30000);
    rig_close(&r);
    x = run_restored("60 ms");
    check_same(&x, &straight, 30000);

    // Asked for after the last boundary before it has passed: now is the time.
    static const tac_time asked_us[] = {20000, 20500, 20999, 21000, 25000};
    for (size_t i = 0; i < sizeof asked_us / sizeof *asked_us; i++) {
        open_model(&r, "60 ms");
        rig_run(&r, 20000);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, 15000, path, &r.err), TAC_E_RANGE);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, asked_us[i], path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        x = look(&r);
        check_same(&x, &straight, asked_us[i]);
        rig_close(&r);
        x = run_restored("60 ms");
        check_same(&x, &straight, asked_us[i]);
    }
}

// A wish that is replaced by another leaves nothing behind (the sanitizers would tell).
static void test_second_wish_replaces_the_first(void **state)
{
    (void)state;
    rig r;
    open_model(&r, "60 ms");
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 5000, path, &r.err), TAC_OK);
    rig_run(&r, 5000);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 9000, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
    tac_checkpoint_info info;
    tac_error err;
    assert_int_equal(tac_checkpoint_read_info(path, &info, &err), TAC_OK);
    assert_int_equal(info.t_us, 9000);
}

// The end is a boundary of this run only: a longer one would not have it.
static void test_no_checkpoint_at_the_end(void **state)
{
    (void)state;
    rig r;
    open_model(&r, "60 ms");
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 60001, path, &r.err), TAC_E_RANGE);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 60000, path, &r.err), TAC_E_RANGE);
    assert_non_null(strstr(r.err.text, "60 ms"));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 60000, path, &r.err), TAC_E_RANGE);
    rig_close(&r);
    // And a checkpoint cannot be taken up by a run that is over by then.
    run_with_checkpoint("60 ms", 40000);
    open_model(&r, "40 ms");
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_E_RANGE);
    rig_close(&r);
}

// --- writing ------------------------------------------------------------------------------------

static bool exists(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0;
}

static void test_unwritable_folder(void **state)
{
    (void)state;
    char nowhere[160];
    snprintf(nowhere, sizeof nowhere, "%s/none/file", folder);
    rig r;
    open_model(&r, "60 ms");
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 5000, nowhere, &r.err), TAC_OK);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_FILE);
    assert_non_null(strstr(r.err.text, "none/file"));
    assert_non_null(strstr(r.err.context, "writing a checkpoint"));
    rig_close(&r);
}

// A full disk, at every size: the file is there as a whole or not at all, an old one stays.
static int run_on_small_disk(rlim_t limit)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const struct rlimit small = {limit, limit};
        rig r;
        open_model(&r, "60 ms");
        if (setrlimit(RLIMIT_FSIZE, &small) != 0 ||
            tac_engine_checkpoint_at(r.engine, 5000, path, &r.err) != TAC_OK)
            _exit(100);
        const tac_status status = tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err);
        rig_close(&r);
        _exit((int)status);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static void test_full_disk(void **state)
{
    (void)state;
    char temporary[160];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    run_with_checkpoint("60 ms", 5000);
    tac_checkpoint_info info;
    tac_error err;
    assert_int_equal(tac_checkpoint_read_info(path, &info, &err), TAC_OK);
    const uint64_t size = info.size;
    remove(path);
    const uint64_t limits[] = {0, 1, 100, 4096, size / 2, size - 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        assert_int_equal(run_on_small_disk(limits[i]), TAC_E_FILE);
        assert_false(exists(path));
        assert_false(exists(temporary));
    }
    assert_int_equal(run_on_small_disk(size), TAC_OK);
    assert_true(exists(path));
    run_with_checkpoint("60 ms", 7000); // one from before
    assert_int_equal(run_on_small_disk(size - 1), TAC_E_FILE);
    assert_false(exists(temporary));
    assert_int_equal(tac_checkpoint_read_info(path, &info, &err), TAC_OK);
    assert_int_equal(info.t_us, 7000);
}

// --- other models -------------------------------------------------------------------------------

static const char small[] = "duration: 10 ms\n"
                            "scheduler:\n"
                            "  rate_groups:\n"
                            "    - {name: g, period: 1 ms, components: [src, p]}\n"
                            "components:\n"
                            "  src: {type: source}\n"
                            "  p: {type: gain, params: {gain: 2}, inputs: {u: {from: src.y, gain: "
                            "3}}}\n";

static void write_small(void)
{
    rig r;
    rig_open(&r, small);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 5000, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
}

static void test_other_models_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *set, *there, *here;
    } changes[] = {
        {"components.p.params.gain=2.5", "param p.gain = [2]", "param p.gain = [2.5]"},
        {"components.p.inputs.u.gain=4", "gain 3 offset 0", "gain 4 offset 0"},
        {"components.p.inputs.u.delay=1 ms", "gain 3 offset 0\n", "delay 1 ms"},
        {"plant.integrator.kind=euler", "integrator rk4", "integrator euler"},
        {"plant.integrator.h_max=2 ms", "h_max 1 ms", "h_max 2 ms"},
        {"timeline.physics=1 ms", "physics 0 s", "physics 1 ms"},
        {"seed=2", "seed 1", "seed 2"},
        {"scheduler.rate_groups[0].period=2 ms", "group g period 1 ms", "group g period 2 ms"},
        {"components.p.stage=actuate", "stage control", "stage actuate"},
        {"components.q={type: oscillator}", "", "component q type oscillator"},
    };
    write_small();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        rig r;
        assert_int_equal(rig_try_sets(&r, small, &changes[i].set, 1), TAC_OK);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_E_MISMATCH);
        const char *there = strstr(r.err.text, "there: "), *here = strstr(r.err.text, "here: ");
        if (!here || (*changes[i].there && (!there || !strstr(there, changes[i].there))) ||
            !strstr(here, changes[i].here)) {
            rig_show(&r);
            fail_msg("%s: expected '%s' and '%s'", changes[i].set, changes[i].there,
                     changes[i].here);
        }
        assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_CALLER);
        rig_close(&r);
    }
    rig r; // a duration is no difference, nor is a description
    const char *sets[] = {"duration=20 ms", "description=hello", "name=other"};
    assert_int_equal(rig_try_sets(&r, small, sets, 3), TAC_OK);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    rig_close(&r);
}

// Also where every line of one is in the other.
static void test_order_is_a_difference(void **state)
{
    (void)state;
    static const struct {
        const char *there, *here, *lines;
        size_t count;
    } cases[] = {
        {"a\nb\n", "a\nb\n", "", 0},
        {"a\nb\n", "a\nc\n", "there: b\nhere: c\n", 2},
        {"a\n", "a\nc\n", "here: c\n", 1},
        {"order a\norder b\n", "order b\norder a\n", "the same lines stand in another order\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__text out;
        tac__text_init(&out, tac_allocator_default());
        assert_int_equal(tac__model_differences(cases[i].there, cases[i].here, &out),
                         cases[i].count);
        assert_string_equal(out.chars ? out.chars : "", cases[i].lines);
        tac__text_fini(&out);
    }
}

static void watch(void *context, tac_engine *engine, tac_time t_us)
{
    (void)engine;
    tac_time *times = context; // how many, then each
    times[++times[0]] = t_us;
}

// Whoever watches is not part of the run: with an observer that was not there before, it goes on to
// the same bits, and the observer is called at its own instants after the checkpoint.
static void test_other_observers(void **state)
{
    (void)state;
    write_small();
    rig r, straight;
    rig_open(&straight, small);
    rig_run(&straight, TAC_TIME_NEVER);
    rig_open(&r, small);
    tac_engine *engine;
    const tac_engine_def def = tac_config_engine_def(r.config);
    assert_int_equal(tac_config_build_unprepared(r.config, &def, &engine, &r.err), TAC_OK);
    tac_time times[64] = {0};
    tac_observer_def observer = tac_observer_def_default();
    observer.observe = watch;
    observer.context = times;
    observer.period_us = 777;
    observer.offset_us = 5;
    assert_int_equal(tac_engine_add_observer(engine, &observer, &r.err), TAC_OK);
    assert_int_equal(tac_engine_prepare(engine, &r.err), TAC_OK);
    assert_int_equal(tac_engine_restore(engine, path, &r.err), TAC_OK);
    const tac_time from = tac_engine_time(engine);
    assert_int_equal(tac_engine_run(engine, TAC_TIME_MAX, &r.err), TAC_OK);
    assert_true(tac_engine_hash(engine, NULL, NULL) ==
                tac_engine_hash(straight.engine, NULL, NULL));
    size_t n = 0;
    for (tac_time t = 5; t <= def.end_us; t += 777) {
        if (t > from)
            assert_true(times[++n] == t);
    }
    assert_true(n > 0);
    assert_int_equal(times[0], n);
    tac_engine_destroy(engine);
    rig_close(&r);
    rig_close(&straight);
}

// --- damage -------------------------------------------------------------------------------------

static char *read_all(size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static char bytes[65536];
    *size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(*size > 100 && *size < sizeof bytes);
    return bytes;
}

static void write_all(const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void check_refused(const char *bytes, size_t size)
{
    write_all(bytes, size);
    tac_checkpoint_info info;
    tac_error err;
    tac_error_clear(&err);
    const tac_status status = tac_checkpoint_read_info(path, &info, &err);
    assert_int_equal(status, TAC_E_FORMAT);
    assert_int_equal(err.status, TAC_E_FORMAT);
    rig r;
    rig_open(&r, small);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_E_FORMAT);
    rig_close(&r);
}

static void test_truncated_at_every_length(void **state)
{
    (void)state;
    write_small();
    size_t size;
    char *bytes = read_all(&size);
    for (size_t n = 0; n < size; n++)
        check_refused(bytes, n);
    bytes[size] = 0;
    check_refused(bytes, size + 1);
}

static void test_every_byte_flipped(void **state)
{
    (void)state;
    write_small();
    size_t size;
    char *bytes = read_all(&size);
    for (size_t i = 0; i < size; i++) {
        const char old = bytes[i];
        bytes[i] = (char)(old ^ (1 << i % 8));
        check_refused(bytes, size);
        bytes[i] = old;
    }
    write_all(bytes, size); // undamaged it is taken
    rig r;
    rig_open(&r, small);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    rig_close(&r);
}

static void test_not_a_checkpoint(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, small);
    assert_int_equal(tac_engine_restore(r.engine, "/nowhere/at/all", &r.err), TAC_E_FILE);
    rig_close(&r);
    rig_open(&r, small);
    assert_int_equal(tac_engine_restore(r.engine, "/tmp", &r.err), TAC_E_FILE);
    rig_close(&r);
    rig_open(&r, small);
    assert_int_equal(tac_engine_restore(r.engine, "/dev/null", &r.err), TAC_E_FORMAT);
    rig_close(&r);
}

// --- opaque components --------------------------------------------------------------------------

static void test_opaque_components(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 10 ms\n"
        "scheduler: {rate_groups: [{name: g, period: 1 ms, components: "
        "['*']}]}\n"
        "components: {a: {type: %s}, n: {type: counter}, b: {type: saved}}\n";
    char full[512];
    snprintf(full, sizeof full, text, "hidden");
    rig r;
    rig_open(&r, full);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 5000, path, &r.err), TAC_E_UNSAVABLE);
    assert_non_null(strstr(r.err.text, "component 'a' of type 'hidden' cannot be saved"));
    assert_int_equal(r.err.line, 3);
    write_small();
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_E_UNSAVABLE);
    rig_run(&r, TAC_TIME_NEVER); // it runs all the same
    rig_close(&r);

    snprintf(full, sizeof full, text, "saved");
    rig_open(&r, full);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 5500, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    rig_open(&r, full);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    assert_int_equal(rig_i64(&r, "a.n"), 6);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_i64(&r, "a.n"), 11);
    assert_int_equal(rig_i64(&r, "b.n"), 11);
    assert_true(tac_engine_hash(r.engine, NULL, NULL) == hash);
    rig_close(&r);
}

// --- wrong moments ------------------------------------------------------------------------------

static void test_wrong_moments(void **state)
{
    (void)state;
    write_small();
    rig r;
    rig_open(&r, small);
    rig_run(&r, 2000);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_E_CALLER);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 1999, path, &r.err), TAC_E_RANGE);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
TEST_MAIN(TEST(test_restored_run_has_the_same_bits),
          TEST(test_time_of_a_checkpoint_is_the_last_boundary), TEST(test_other_durations),
          TEST(test_longer_run_from_just_before_the_end), TEST(test_counters_after_a_moved_end),
          TEST(test_any_planned_end), TEST(test_checkpoints_of_restored_and_running_engines),
          TEST(test_second_wish_replaces_the_first), TEST(test_no_checkpoint_at_the_end),
          TEST(test_unwritable_folder), TEST(test_full_disk), TEST(test_other_models_are_refused),
          TEST(test_order_is_a_difference), TEST(test_other_observers),
          TEST(test_truncated_at_every_length), TEST(test_every_byte_flipped),
          TEST(test_not_a_checkpoint), TEST(test_opaque_components), TEST(test_wrong_moments))
