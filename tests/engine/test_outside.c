// Values from outside: what a write means, in every type, whenever it is made; what is refused; and
// that planned values are part of the state.
#include "test_rig.h"
#include "support/allocator.h"

// --- a script to compare with -------------------------------------------------------------------

// Values at instants, by wake-ups of its own.
enum { SCRIPT_MAX = 64 };
static struct {
    tac_time times[SCRIPT_MAX]; // ascending
    double values[SCRIPT_MAX];
    size_t count;
} script;

static tac_status script_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(
        d, TAC_PORT(.name = "outside", .type = TAC_TYPE_F64, .unit = "N", .doc = "force"));
    tac_declare_state(d, TAC_PORT(.name = "next", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status script_init(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = 0.25;
    return script.count ? tac_wake_at(s, script.times[0]) : TAC_OK;
}

static tac_status script_step(tac_step *s, const void *self)
{
    (void)self;
    int64_t *next = TAC_STATE(s, int64_t, 0);
    *TAC_OUT(s, double, 0) = script.values[(*next)++];
    return (size_t)*next < script.count ? tac_wake_at(s, script.times[*next]) : TAC_OK;
}

static const tac_component_type script_type = {.size = sizeof(tac_component_type),
                                               .name = "script",
                                               .version = "1",
                                               .flags = TAC_COMPONENT_TIMER,
                                               .stage = TAC_STAGE_SCENARIO,
                                               .declare = script_declare,
                                               .init = script_init,
                                               .kernels[TAC_NUMBERS].step = script_step};

// --- the plant ----------------------------------------------------------------------------------

#define HEAD(METHOD)                                                                               \
    "duration: 1 s\n"                                                                              \
    "scheduler:\n"                                                                                 \
    "  rate_groups: [{name: fast, period: 7 ms, components: [Filter, Sensor]}]\n"                  \
    "  synchronization: {default_policy: ZOH}\n"                                                   \
    "plant: {integrator: {kind: " METHOD ", h_max: 9 ms}}\n"
#define BODY(FORCE)                                                                                \
    "  Spring:\n"                                                                                  \
    "    type: oscillator\n"                                                                       \
    "    params: {mass: 0.3 kg, damping: 0.1, stiffness: 50}\n"                                    \
    "    inputs: {force: " FORCE "}\n"                                                             \
    "  Sensor: {type: sensor, params: {unit: m, deviation: 0.01}, inputs: {u: Spring.position}}\n" \
    "  Filter: {type: filter, stage: control, params: {unit: m}, inputs: {u: Sensor.y}}\n"

#define OUTSIDE  "{from: outside, rest: 0.25 N}"
#define SCRIPTED "  Spring_force: {type: script}\n"

static void open_model(rig *r, size_t method, bool scripted)
{
    static char text[2048];
    rig_types[0] = &script_type;
    snprintf(text, sizeof text, "%scomponents:\n%s%s",
             method == 0   ? HEAD("rk4")
             : method == 1 ? HEAD("rk45")
                           : HEAD("dop853"),
             scripted ? SCRIPTED : "", scripted ? BODY("Spring_force.outside") : BODY(OUTSIDE));
    rig_open(r, text);
}

// All digests but that of the source itself, which has other states.
static void same_digests(rig *a, rig *b)
{
    size_t compared = 0;
    uint64_t x, y;
    const char *name;
    for (size_t i = 0; (name = tac_engine_digest(a->engine, i, &x)); i++) {
        assert_string_equal(tac_engine_digest(b->engine, i, &y), name);
        if (!strcmp(name, "Spring_force#end"))
            continue;
        if (x != y)
            fail_msg("'%s' differs", name);
        compared++;
    }
    assert_true(compared >= 8);
}

static uint64_t dice_state;
static uint64_t dice(uint64_t below) // splitmix64
{
    uint64_t z = dice_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

static int force_of(rig *r)
{
    const int input = tac_engine_find_input(r->engine, "Spring.force", &r->err);
    assert_true(input >= 0);
    return input;
}

static void must_write(rig *r, int input, tac_time t_us, const void *value)
{
    if (tac_engine_write(r->engine, input, t_us, value, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("a write at %llu us was refused", (unsigned long long)t_us);
    }
}

// Any instants, among them boundaries of others and 0; written in any order and at any moment
// before, some several times; the run cut anywhere: the same bits as the script.
static void test_script(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        dice_state = round;
        script.count = 1 + dice(20);
        tac_time t_us = dice(3) ? dice(90000) : 0;
        for (size_t i = 0; i < script.count; i++) {
            script.times[i] = t_us;
            script.values[i] = (double)dice(1000) / 37.0 - 13;
            t_us += dice(4) ? 1 + dice(80000) : 7000 - t_us % 7000;
        }
        while (script.count && script.times[script.count - 1] > 1000000)
            script.count--;
        const size_t method = round % 3;
        rig a, b;
        open_model(&a, method, true);
        rig_run(&a, TAC_TIME_NEVER);
        open_model(&b, method, false);
        const int input = force_of(&b);
        bool written[SCRIPT_MAX] = {false};
        for (tac_time now_us = 0, next_us; now_us <= 1000000; now_us = next_us) {
            next_us = now_us + 1 + dice(dice(2) ? 60000 : 5000);
            if (dice(2) && now_us)
                rig_run(&b, now_us - 1);
            else
                assert_int_equal(tac_engine_advance(b.engine, now_us, &b.err), TAC_OK);
            assert_true(tac_engine_open_time(b.engine) == now_us);
            // Those that the next piece passes must be written now, others may be.
            for (size_t i = script.count; i-- > 0;) {
                if (script.times[i] < now_us || written[i])
                    continue;
                if (script.times[i] >= next_us && dice(4))
                    continue;
                const double other = 1e9;
                if (dice(3) == 0)
                    must_write(&b, input, script.times[i], &other);
                must_write(&b, input, script.times[i], &script.values[i]);
                written[i] = true;
            }
        }
        rig_run(&b, TAC_TIME_NEVER);
        same_digests(&a, &b);
        rig_close(&a);
        rig_close(&b);
    }
}

// A look at an instant before its boundary sees what the boundary will, and leaves no trace.
static void test_read_at(void **state)
{
    (void)state;
    for (size_t method = 0; method < 3; method++) {
        rig a, b;
        open_model(&a, method, false);
        open_model(&b, method, false);
        const int position = tac_engine_find_signal(b.engine, "Spring.position");
        const int energy = tac_engine_find_signal(b.engine, "Spring.energy");
        const int sensor = tac_engine_find_signal(b.engine, "Sensor.y");
        assert_null(tac_engine_read_at(b.engine, position, 5));
        for (tac_time t_us = 700; t_us < 1000000; t_us += 7000 * 13) {
            const double force = (double)(t_us % 11);
            must_write(&a, force_of(&a), t_us, &force);
            rig_run(&a, t_us);
            assert_int_equal(tac_engine_advance(b.engine, t_us, &b.err), TAC_OK);
            const double before = *(const double *)tac_engine_read_at(b.engine, position, t_us);
            assert_non_null(tac_engine_read_at(b.engine, energy, t_us));
            assert_non_null(tac_engine_read_at(b.engine, sensor, t_us));
            assert_null(tac_engine_read_at(b.engine, position, tac_engine_time(b.engine) - 1));
            assert_null(tac_engine_read_at(b.engine, position, t_us + 20000));
            must_write(&b, force_of(&b), t_us, &force);
            rig_run(&b, t_us);
            rig_same(before, rig_f64(&b, "Spring.position"), "position", t_us);
            rig_same(rig_f64(&a, "Spring.energy"), rig_f64(&b, "Spring.energy"), "energy", t_us);
        }
        rig_run(&a, TAC_TIME_NEVER);
        rig_run(&b, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(a.engine, NULL, NULL) == tac_engine_hash(b.engine, NULL, NULL));
        rig_close(&a);
        rig_close(&b);
    }
}

// --- what is planned is state -------------------------------------------------------------------

static uint64_t hash_with(size_t method, const tac_time *times, const double *values, size_t count)
{
    rig r;
    open_model(&r, method, false);
    rig_run(&r, 300000);
    for (size_t i = 0; i < count; i++)
        must_write(&r, force_of(&r), times[i], &values[i]);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

static void test_hash(void **state)
{
    (void)state;
    const tac_time one[] = {400000}, two[] = {400000, 500000}, back[] = {500000, 400000};
    const tac_time twice[] = {400000, 500000, 400000};
    const double a[] = {1, 2}, b[] = {2, 1}, c[] = {7, 2, 1};
    const uint64_t none = hash_with(1, NULL, NULL, 0), both = hash_with(1, two, a, 2);
    assert_true(none != both);
    assert_true(hash_with(1, one, a, 1) != both);
    assert_true(hash_with(1, two, b, 2) != both);
    assert_true(hash_with(1, back, b, 2) == both);  // in which order they came does not matter
    assert_true(hash_with(1, twice, c, 3) == both); // nor what was overwritten
}

// A checkpoint holds what is planned.
static void test_checkpoint(void **state)
{
    (void)state;
    const char *path = path_of("state.checkpoint");
    rig a, b;
    open_model(&a, 1, false);
    const double values[] = {3, -4, 5};
    const tac_time times[] = {250000, 654321, 800000};
    for (size_t i = 0; i < 3; i++)
        must_write(&a, force_of(&a), times[i], &values[i]);
    assert_int_equal(tac_engine_checkpoint_at(a.engine, 400000, path, &a.err), TAC_OK);
    rig_run(&a, TAC_TIME_NEVER);
    open_model(&b, 1, false);
    assert_int_equal(tac_engine_restore(b.engine, path, &b.err), TAC_OK);
    // The last boundary before 400 ms: all that steps besides only watches.
    assert_int_equal(tac_engine_open_time(b.engine), 250001);
    rig_run(&b, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(a.engine, NULL, NULL) == tac_engine_hash(b.engine, NULL, NULL));
    rig_close(&a);
    rig_close(&b);
}

// --- every type ---------------------------------------------------------------------------------

static void write_kind(const char *kind, const char *rest, const void *value, double first,
                       double then)
{
    char text[1024];
    snprintf(text, sizeof text,
             "duration: 20 ms\n"
             "scheduler:\n"
             "  rate_groups: [{name: g, period: 5 ms, components: [Probe]}]\n"
             "components:\n"
             "  Probe: {type: probe, params: {kind: %s}, inputs: {u: {from: outside, rest: %s}}}\n",
             kind, rest);
    rig r;
    rig_open(&r, text);
    const int input = tac_engine_find_input(r.engine, "Probe.u", &r.err);
    assert_true(input >= 0 && tac_engine_input_info(r.engine, input).outside);
    must_write(&r, input, 10000, value); // a boundary of the reader: seen there
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 5);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const rig_sample *s = &rig_samples[i];
        const bool whole = !strncmp(kind, "i", 1) || *kind == 'b' || *kind == 'e';
        const double got = whole ? (double)s->whole : s->f64[!strcmp(kind, "f64") ? 0 : 2];
        rig_same(got, s->t_us < 10000 ? first : then, kind, s->t_us);
    }
    rig_close(&r);
}

static void test_types(void **state)
{
    (void)state;
    const double one = 7.5, vector[] = {1, 2, 3}, quat[] = {0.6, 0, 0.8, 0};
    const int32_t i32 = -5, label = 2;
    const int64_t i64 = INT64_C(1) << 40;
    const bool yes = true;
    write_kind("f64", "-1.25", &one, -1.25, 7.5);
    write_kind("vec3", "[4, 5, 6]", vector, 6, 3);
    write_kind("quat", "[0, 0, 1, 0]", quat, 1, 0.8);
    write_kind("i32", "12", &i32, 12, -5);
    write_kind("i64", "1099511627777", &i64, 1099511627777.0, 1099511627776.0);
    write_kind("bool", "false", &yes, 0, 1);
    write_kind("enum", "MIDDLE", &label, 1, 2);
}

// --- an explicit order, hooks, observers --------------------------------------------------------

// An input that nobody but an observer reads makes no boundary for anything.
static void test_observer(void **state)
{
    (void)state;
    static const char text[] = HEAD("rk45") "components:\n" BODY(
        "{from: outside, rest: 0.25 N}") "  Show: {type: monitor, params: {unit: m}, inputs: {u: "
                                         "{from: outside, rest: 0}}}\n";
    const char *const sets[] = {"scheduler.rate_groups[0].components=[Filter, Sensor, Show]"};
    rig a, b;
    if (rig_try_sets(&a, text, sets, 1) != TAC_OK || rig_try_sets(&b, text, sets, 1) != TAC_OK) {
        rig_show(&a);
        fail();
    }
    const int input = tac_engine_find_input(b.engine, "Show.u", &b.err);
    const double value = 4;
    must_write(&b, input, 123456, &value);
    rig_run(&a, TAC_TIME_NEVER);
    rig_run(&b, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(a.engine, "Spring*", NULL) ==
                tac_engine_hash(b.engine, "Spring*", NULL));
    assert_int_equal(tac_engine_counters(a.engine).boundaries,
                     tac_engine_counters(b.engine).boundaries);
    rig_close(&a);
    rig_close(&b);
}

// What comes from outside needs no place in an explicit order: it is there before everything.
static void test_order(void **state)
{
    (void)state;
    static const char text[] = HEAD("rk4") "components:\n" BODY(OUTSIDE);
    const char *const sets[] = {"scheduler.order=[Sensor, Filter]"};
    rig r;
    assert_int_equal(rig_try_sets(&r, text, sets, 1), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
}

// Vehicles of one template: each has signals of its own, and a write to one is nothing to others.
static void test_template(void **state)
{
    (void)state;
    static const char text[] = "duration: 100 ms\n"
                               "plant: {integrator: {kind: rk45}}\n"
                               "entities:\n"
                               "  cart:\n"
                               "    count: 3\n"
                               "    components:\n"
                               "      Body:\n"
                               "        type: point_mass\n"
                               "        params: {mass: 2 kg, gravity: 0, drag: 1}\n"
                               "        inputs:\n"
                               "          force: {from: outside, rest: [1, 2, 3]}\n"
                               "          wind: {from: outside, rest: [1, 2, 3]}\n";
    rig a, b;
    rig_open(&a, text);
    rig_open(&b, text);
    assert_int_equal(tac_engine_input_count(b.engine), 6);
    const int wind = tac_engine_find_input(b.engine, "cart2.Body.wind", &b.err);
    const double value[] = {7, 8, 9};
    must_write(&b, wind, 12345, value);
    rig_run(&a, TAC_TIME_NEVER);
    rig_run(&b, TAC_TIME_NEVER);
    assert_true(((const double *)rig_read(&b, "cart2.Body_wind.outside"))[2] == 9);
    assert_true(((const double *)rig_read(&b, "cart2.Body_force.outside"))[2] == 3);
    assert_string_equal(tac_engine_signal_info(
                            b.engine, tac_engine_find_signal(b.engine, "cart2.Body_force.outside"))
                            .unit,
                        "N");
    static const char *const patterns[] = {"cart1.*", "cart2.*", "cart3.*"};
    for (int i = 0; i < 3; i++)
        assert_true((tac_engine_hash(a.engine, patterns[i], NULL) ==
                     tac_engine_hash(b.engine, patterns[i], NULL)) == (i != 1));
    rig_close(&a);
    rig_close(&b);
}

// --- refused ------------------------------------------------------------------------------------

static void refuse_write(rig *r, int input, tac_time t_us, const void *value, tac_status expected,
                         const char *part)
{
    const uint64_t before = tac_engine_hash(r->engine, NULL, NULL);
    const tac_status status = tac_engine_write(r->engine, input, t_us, value, &r->err);
    if (status != expected || !strstr(r->err.text, part)) {
        rig_show(r);
        fail_msg("expected %s and '%s'", tac_status_name(expected), part);
    }
    assert_true(tac_engine_hash(r->engine, NULL, NULL) == before);
}

static rig *inside;
static void write_inside(void *context, tac_engine *engine, tac_time t_us)
{
    (void)context;
    const double value = 1;
    tac_error err;
    assert_int_equal(tac_engine_write(engine, force_of(inside), t_us + 1000, &value, &err),
                     TAC_E_CALLER);
    assert_non_null(strstr(err.text, "middle of a run"));
    assert_int_equal(tac_engine_advance(engine, t_us + 1000, &err), TAC_E_CALLER);
    assert_int_equal(tac_engine_run(engine, t_us + 1000, &err), TAC_E_CALLER);
}

static void test_refused(void **state)
{
    (void)state;
    rig r;
    static const char text[] =
        HEAD("rk4") "components:\n" BODY("{from: outside, rest: 1, pending: 2}");
    rig_open(&r, text);
    const int input = force_of(&r);
    const double value = 2;
    refuse_write(&r, -1, 1000, &value, TAC_E_CALLER, "no input -1");
    refuse_write(&r, 1 << 20, 1000, &value, TAC_E_CALLER, "no input");
    refuse_write(&r, input, 1000, NULL, TAC_E_CALLER, "no value");
    refuse_write(&r, input, TAC_TIME_NEVER, &value, TAC_E_RANGE, "Spring_force");
    must_write(&r, input, 0, &value);
    must_write(&r, input, 5000, &value);
    refuse_write(&r, input, 6000, &value, TAC_E_QUEUE, "2 writes to come");
    must_write(&r, input, 5000, &value); // there is room for what is there already
    rig_run(&r, 0);
    must_write(&r, input, 6000, &value);
    rig_run(&r, 20000);
    refuse_write(&r, input, 20000, &value, TAC_E_RANGE, "open from 20.001 ms on");
    assert_int_equal(tac_engine_advance(r.engine, 30000, &r.err), TAC_OK);
    refuse_write(&r, input, 29999, &value, TAC_E_RANGE, "open from 30 ms on");
    must_write(&r, input, 30000, &value);
    refuse_write(&r, tac_engine_find_input(r.engine, "Filter.u", NULL), 90000, &value, TAC_E_OWNER,
                 "connected to 'Sensor.y'");
    assert_int_equal(tac_engine_find_input(r.engine, "Spring.forec", &r.err), -1);
    assert_non_null(strstr(r.err.text, "did you mean 'force'"));
    assert_int_equal(tac_engine_find_input(r.engine, "Sprong.force", &r.err), -1);
    assert_non_null(strstr(r.err.text, "did you mean 'Spring'"));
    rig_close(&r);

    // From inside a run.
    rig u;
    u = (rig){0};
    assert_int_equal(tac_registry_create(NULL, &u.registry, &u.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = u.registry;
    assert_int_equal(tac_config_parse("t.yaml", text, strlen(text), &def, &u.config, &u.err),
                     TAC_OK);
    tac_engine_def engine_def = tac_config_engine_def(u.config);
    assert_int_equal(tac_config_build_unprepared(u.config, &engine_def, &u.engine, &u.err), TAC_OK);
    tac_observer_def o = tac_observer_def_default();
    o.observe = write_inside;
    inside = &u;
    assert_int_equal(tac_engine_add_observer(u.engine, &o, &u.err), TAC_OK);
    assert_int_equal(tac_engine_advance(u.engine, 10, &u.err), TAC_E_CALLER);
    assert_non_null(strstr(u.err.text, "not prepared"));
    assert_int_equal(tac_engine_prepare(u.engine, &u.err), TAC_OK);
    rig_run(&u, TAC_TIME_NEVER);
    rig_close(&u);
}

// Labels and bools that do not exist.
static void test_values(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        rig r;
        rig_open(&r, k ? "duration: 20 ms\n"
                         "scheduler: {rate_groups: [{name: g, period: 5 ms, components: [P]}]}\n"
                         "components:\n"
                         "  P: {type: probe, params: {kind: enum}, inputs: {u: {from: outside, "
                         "rest: LOW}}}\n"
                       : "duration: 20 ms\n"
                         "scheduler: {rate_groups: [{name: g, period: 5 ms, components: [P]}]}\n"
                         "components:\n"
                         "  P: {type: probe, params: {kind: bool}, inputs: {u: {from: outside, "
                         "rest: true}}}\n");
        const int input = tac_engine_find_input(r.engine, "P.u", &r.err);
        const int32_t wrong = 3;
        const unsigned char two = 2;
        refuse_write(&r, input, 100, k ? (const void *)&wrong : &two, TAC_E_RANGE,
                     k ? "3 is none of them" : "takes bools");
        rig_close(&r);
    }
}

// All NaNs are one: the hash does not depend on the bits of the caller's.
static void test_nans(void **state)
{
    (void)state;
    static const uint64_t bits[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000000123,
                                    0x7ff0000000000001};
    uint64_t hashes[4];
    for (int i = 0; i < 4; i++) {
        rig r;
        rig_open(&r, "duration: 4 ms\n"
                     "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [P]}]}\n"
                     "components: {P: {type: probe, inputs: {u: {from: outside, rest: 1}}}}\n");
        const int u = tac_engine_find_input(r.engine, "P.u", &r.err);
        assert_int_equal(tac_engine_write(r.engine, u, 2000, &bits[i], &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        hashes[i] = tac_engine_hash(r.engine, NULL, NULL);
        uint64_t seen;
        memcpy(&seen, &rig_samples[rig_sample_count - 1].f64[0], sizeof seen);
        assert_true(seen == 0x7ff8000000000000);
        rig_close(&r);
    }
    assert_true(hashes[1] == hashes[0] && hashes[2] == hashes[0] && hashes[3] == hashes[0]);
}

static void test_configurations(void **state)
{
    (void)state;
#define PROBE(INPUT)                                                                               \
    "duration: 20 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 5 ms, components: [P]}]}\n"                       \
    "components:\n"                                                                                \
    "  P: {type: probe, params: {unit: m}, inputs: {u: " INPUT "}}\n"
    rig_refused(PROBE("outside"), TAC_E_CONFIG, "needs a value until another is written");
    rig_refused(PROBE("{from: outside, rest: 3 s}"), TAC_E_UNIT, "");
    rig_refused(PROBE("{from: outside, rest: [1, 2]}"), TAC_E_TYPE,
                "expected a single value, found a list");
    rig_refused(PROBE("{from: outside, rest: much}"), TAC_E_TYPE, "much");
    rig_refused(PROBE("{from: outside, rest: 1, pending: 0}"), TAC_E_RANGE, "");
    rig_refused(PROBE("{from: outside, rest: 1, delay: 5 ms}"), TAC_E_TIME, "no regular period");
    rig_refused(PROBE("{from: P.y, rest: 1}"), TAC_E_CONFIG, "come from outside");
    rig_refused(PROBE("{from: outsied, rest: 1}"), TAC_E_CONFIG, "come from outside");
#undef PROBE
    // An open input of its own has a value to rest at.
    rig r;
    static const char text[] = HEAD("rk4") "components:\n" BODY("outside");
    rig_open(&r, text);
    rig_run(&r, 1000);
    assert_true(rig_f64(&r, "Spring_force.outside") == 0);
    rig_close(&r);
}

// --- no memory ----------------------------------------------------------------------------------

// Building, writing, snapshots and going back, with the n-th request for memory refused.
static tac_status use(const tac_config *config, const tac_allocator *hook, tac_error *err)
{
    tac_engine_def def = tac_config_engine_def(config);
    def.allocator = hook;
    tac_engine *engine = NULL;
    tac_snapshot *snapshot = NULL;
    const double value = 1;
    tac_status status = tac_config_build(config, &def, &engine, err);
    if (status == TAC_OK)
        status = tac_engine_write(engine, 0, 1000, &value, err);
    if (status == TAC_OK)
        status = tac_engine_run(engine, 5000, err);
    if (status == TAC_OK)
        status = tac_engine_take_snapshot(engine, &snapshot, err);
    if (status == TAC_OK)
        status = tac_engine_restore_snapshot(engine, snapshot, err);
    if (status == TAC_OK)
        status = tac_engine_reset(engine, err);
    tac_snapshot_destroy(snapshot);
    tac_engine_destroy(engine);
    return status;
}

static void test_no_memory(void **state)
{
    (void)state;
    rig r;
    open_model(&r, 1, false);
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        const tac_status status = use(r.config, &hook, &r.err);
        test_allocator_check_empty(&counts);
        if (status == TAC_OK) {
            assert_true(n > 10);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
        assert_int_equal(r.err.status, TAC_E_MEMORY);
    }
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_nans), cmocka_unit_test(test_script),
          cmocka_unit_test(test_read_at), cmocka_unit_test(test_hash),
          cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_types),
          cmocka_unit_test(test_observer), cmocka_unit_test(test_order),
          cmocka_unit_test(test_template), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_values), cmocka_unit_test(test_configurations),
          cmocka_unit_test(test_no_memory))
