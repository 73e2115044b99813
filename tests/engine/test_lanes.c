// Islands in lanes: whatever they do and whatever happens to them, digests and counters are those
// of islands that are integrated one by one.
#include "engine/run/lanes.h"
#include "engine/watch.h"
#include "math/machine.h"
#include "math/prints.h"
#include "engine/test_rig.h"

// --- balls --------------------------------------------------------------------------------------

// A ball under a force, over a floor that is a stiff spring with a dashpot, if there is one. Its
// equations fail where it is too fast, so that an adaptive method must take shorter steps. It is
// not higher than a ceiling at boundaries.
enum { STIFFNESS, DAMPING, FASTEST, CEILING, NUMBERS };

typedef struct ball {
    double height_m;
    bool floor; // all that the shape consists of
} ball;

static uint64_t packs[9]; // how often so many were evaluated at once

static uint64_t all_packs(void)
{
    return packs[2] + packs[4] + packs[8];
}

static tac_status ball_declare(tac_declare *d, void *self)
{
    ball *b = self;
    double p[NUMBERS];
    b->height_m = tac_param_f64(d, TAC_PARAM(.name = "height", .fallback = "1"));
    p[STIFFNESS] = tac_param_f64(d, TAC_PARAM(.name = "stiffness", .fallback = "1e4"));
    p[DAMPING] = tac_param_f64(d, TAC_PARAM(.name = "damping", .fallback = "3"));
    p[FASTEST] = tac_param_f64(d, TAC_PARAM(.name = "fastest", .fallback = "1e9"));
    p[CEILING] = tac_param_f64(d, TAC_PARAM(.name = "ceiling", .fallback = "1e9"));
    tac_declare_numbers(d, p, sizeof p);
    tac_declare_input(d, TAC_PORT(.name = "force", .type = TAC_TYPE_F64));
    tac_declare_input(d, TAC_PORT(.name = "push", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "z", .type = TAC_TYPE_F64));
    const double scale = tac_param_f64(d, TAC_PARAM(.name = "scale", .fallback = "3"));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .scale = scale));
    tac_declare_output(d, TAC_PORT(.name = "down", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    b->floor = tac_param_bool(d, TAC_PARAM(.name = "floor", .fallback = "true"));
    if (b->floor)
        tac_declare_event(d, "down", "the ball touches the floor");
    return TAC_OK;
}

static tac_status ball_init(tac_step *s, const void *self)
{
    tac_jump(s)[0] = ((const ball *)self)->height_m;
    return TAC_OK;
}

static bool ball_lane(const tac_eval *e, const ball *b, size_t width, size_t lane)
{
    const double *p = e->p + lane;
    const double z = e->x[lane], v = e->x[width + lane];
    const double down = b->floor ? e->mode[lane] : 0;
    const double force = TAC_IN(e, double, 0)[lane] + TAC_IN(e, double, 1)[lane];
    const double t_s = width > 1 ? e->t_lanes[lane] : e->t_s;
    e->dx[lane] = v;
    e->dx[width + lane] =
        -9.80665 + force + 0.1 * t_s - down * (p[STIFFNESS * width] * z + p[DAMPING * width] * v);
    return !(v <= -p[FASTEST * width]);
}

static tac_status ball_derive(const tac_eval *e, const void *self)
{
    bool fine = true;
    for (size_t lane = 0; lane < e->lanes; lane++)
        fine &= ball_lane(e, self, e->lanes, lane);
    packs[e->lanes]++;
    return fine ? TAC_OK : TAC_E_NUMERIC;
}

static bool ball_alike(const void *self, const void *other)
{
    return ((const ball *)self)->floor == ((const ball *)other)->floor;
}

static tac_status ball_output(const tac_eval *e, const void *self)
{
    for (size_t lane = 0; lane < e->lanes; lane++)
        TAC_OUT(e, double, 0)[lane] = ((const ball *)self)->floor ? e->mode[lane] : 0;
    return TAC_OK;
}

static tac_status ball_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    for (size_t lane = 0; lane < e->lanes; lane++)
        g[lane] = -e->x[lane];
    return TAC_OK;
}

static tac_status ball_project(const tac_eval *e, const void *self, double *x)
{
    (void)self;
    for (size_t lane = 0; lane < e->lanes; lane++) {
        const double ceiling = e->p[CEILING * e->lanes + lane];
        x[lane] = x[lane] > ceiling ? ceiling : x[lane];
    }
    return TAC_OK;
}

#define BALL_KERNELS(kind)                                                                         \
    .kernels[kind].output = ball_output, .kernels[kind].derive = ball_derive,                      \
    .kernels[kind].detect = ball_detect, .kernels[kind].project = ball_project

static const tac_component_type ball_type = {.size = sizeof(tac_component_type),
                                             .name = "ball",
                                             .version = "1",
                                             .self_size = sizeof(ball),
                                             .declare = ball_declare,
                                             .init = ball_init,
                                             .alike = ball_alike,
                                             BALL_KERNELS(TAC_NUMBERS),
                                             BALL_KERNELS(TAC_PACK2),
                                             BALL_KERNELS(TAC_PACK4),
                                             BALL_KERNELS(TAC_PACK8)};

// The same, but it hops: its state jumps at boundaries.
static tac_status hopper_step(tac_step *s, const void *self)
{
    (void)self;
    if (s->t_us % 30000 == 0)
        tac_jump(s)[1] += 0.5;
    return TAC_OK;
}

static tac_component_type hopper_type(void)
{
    tac_component_type type = ball_type;
    type.name = "hopper";
    type.stage = TAC_STAGE_ACTUATE;
    type.kernels[TAC_NUMBERS].step = hopper_step;
    return type;
}

// --- what happens to them -----------------------------------------------------------------------

// Wakes at instants that nobody knows before, and changes its output then.
static tac_status alarm_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    tac_declare_stream(d, "s");
    return TAC_OK;
}

static tac_status alarm_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = tac_draw_uniform(s, 0);
    return tac_wake_at(s, s->t_us + 1 + (tac_time)(30000 * tac_draw_uniform(s, 0)));
}

static const tac_component_type alarm_type = {.size = sizeof(tac_component_type),
                                              .name = "alarm",
                                              .version = "1",
                                              .flags = TAC_COMPONENT_TIMER,
                                              .stage = TAC_STAGE_ENVIRONMENT,
                                              .declare = alarm_declare,
                                              .init = alarm_step,
                                              .kernels[TAC_NUMBERS].step = alarm_step};

// Counts how often a ball comes below a height, at the very microsecond.
typedef struct gate {
    double z;
} gate;

static tac_status gate_declare(tac_declare *d, void *self)
{
    ((gate *)self)->z = tac_param_f64(d, TAC_PARAM(.name = "z", .fallback = "0.5"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    const int in = tac_declare_watch(
        d, tac_param_text(d, TAC_PARAM(.name = "signal", .fallback = "")), "signal");
    tac_declare_condition(d, "below", &in, 1, "signal");
    return TAC_OK;
}

static bool gate_holds(const tac_step *s, const void *self, int condition)
{
    (void)condition;
    return *TAC_IN(s, double, 0) < ((const gate *)self)->z;
}

static tac_status gate_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) += 0.25;
    return TAC_OK;
}

static const tac_component_type gate_type = {.size = sizeof(tac_component_type),
                                             .name = "gate",
                                             .version = "1",
                                             .stage = TAC_STAGE_CONTROL,
                                             .self_size = sizeof(gate),
                                             .declare = gate_declare,
                                             .holds = gate_holds,
                                             .kernels[TAC_NUMBERS].step = gate_step};

// Messages arrive inside of steps that had begun before they were sent.
static tac_status caller_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    return TAC_OK;
}

static tac_status caller_step(tac_step *s, const void *self)
{
    (void)self;
    return tac_send(s, 0, &s->t_us, sizeof s->t_us);
}

static const tac_component_type caller_type = {.size = sizeof(tac_component_type),
                                               .name = "caller",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = caller_declare,
                                               .kernels[TAC_NUMBERS].step = caller_step};

static tac_status hearer_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 4, .max_bytes = 8, .triggers = true));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status hearer_step(tac_step *s, const void *self)
{
    (void)self;
    for (tac_message m; tac_receive(s, 0, &m);)
        *TAC_OUT(s, double, 0) = (double)(m.sent_us % 7);
    return TAC_OK;
}

static const tac_component_type hearer_type = {.size = sizeof(tac_component_type),
                                               .name = "hearer",
                                               .version = "1",
                                               .stage = TAC_STAGE_ENVIRONMENT,
                                               .declare = hearer_declare,
                                               .kernels[TAC_NUMBERS].step = hearer_step};

// --- random simulations -------------------------------------------------------------------------

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

static const char *const kinds[] = {"euler", "rk4", "rk23", "rk45", "dop853", "rodas4"};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Balls of two sorts under noise of several rates; sometimes alarms and gates change their forces.
static void write_case(uint64_t *random, int lanes, char *text, size_t size)
{
    static const char *const forces[] = {"fast.y", "slow.y", "odd.y", "alarm.y", "ear.y", "gate.y"};
    const char *kind = kinds[draw(random, KINDS)];
    const bool alarms = draw(random, 2), gates = draw(random, 2);
    const size_t balls = 2 + draw(random, 16), choices = gates ? 6 : alarms ? 5 : 3;
    const char *h_max = draw(random, 2) ? "1 ms" : "7 ms";
    const bool few = draw(random, 4) == 0;
    const bool brittle = draw(random, 4) == 0, floor = draw(random, 4) > 0;
    const bool mates = draw(random, 3) == 0, readers = draw(random, 3) == 0;
    int n =
        snprintf(text, size,
                 "duration: 1 s\n"
                 "plant: {integrator: {kind: %s, rtol: 1e-%d, h_max: %s, max_substeps: %d},\n"
                 "  lanes: %d}\n"
                 "scheduler: {rate_groups: [{name: a, period: 1 ms, components: [fast]},\n"
                 "  {name: b, period: 10 ms, components: [slow%s]},\n"
                 "  {name: c, period: 7 ms, offset: 333 us, components: [odd%s]},\n"
                 "  {name: d, period: 2999 us, components: [caller]}]}\n"
                 "links: [{from: caller.tx, to: ear.rx, delay: 400 us}]\n"
                 "components:\n"
                 "  fast: {type: noise}\n  slow: {type: noise, params: {deviation: 30}}\n"
                 "  odd: {type: noise, params: {deviation: 10}}\n"
                 "  alarm: {type: alarm}\n  caller: {type: caller}\n  ear: {type: hearer}\n"
                 "  gate: {type: gate, params: {z: 0.2, signal: ball0.z}}\n",
                 kind, 4 + (int)draw(random, 6), h_max, few ? 2 + (int)draw(random, 5) : 100000,
                 lanes, readers ? ", near, hop0, hop1, hop2" : "", readers ? ", far, watch" : "");
    for (size_t i = 0; i < balls; i++) {
        const int height_mm = 50 + (int)draw(random, 1000);
        n += snprintf(
            text + n, size - (size_t)n,
            "  ball%zu: {type: ball, params: {height: %d.%03d, stiffness: %d, damping: %d%s,"
            " scale: %d, floor: %s, ceiling: %s}, inputs: {force: {from: %s, gain: %d}, push: "
            "%s}}\n",
            i, height_mm / 1000, height_mm % 1000, 4000 + 1000 * (int)draw(random, 8),
            2 + (int)draw(random, 3), brittle ? ", fastest: 3" : "",
            draw(random, 3) ? 3 : 1 + (int)draw(random, 50), floor ? "true" : "false",
            draw(random, 4) ? "1e9" : "0.3", forces[draw(random, 3)], 1 + (int)draw(random, 2),
            forces[draw(random, choices)]);
    }
    // Components that read states: at once, late, and as an observer; and some that change their
    // own state.
    if (readers)
        n += snprintf(text + n, size - (size_t)n,
                      "  near: {type: gain, inputs: {u: ball0.z}}\n"
                      "  far: {type: gain, inputs: {u: {from: ball1.v, gain: 0.3}}}\n"
                      "  watch: {type: gain, inputs: {u: ball1.down}}\n");
    for (size_t i = 0; readers && i < 3; i++)
        n += snprintf(text + n, size - (size_t)n,
                      "  hop%zu: {type: hopper, params: {height: 0.%zu}, inputs: {force: near.y, "
                      "push: %s}}\n",
                      i, i + 2, forces[draw(random, choices)]);
    // Islands of two components: the second is pushed by a state and an output of the first.
    for (size_t i = 0; mates && i < balls; i += 1 + draw(random, 2)) {
        n += snprintf(text + n, size - (size_t)n,
                      "  mate%zu: {type: ball, params: {height: 0.%d, floor: %s}, inputs: "
                      "{force: {from: ball%zu.v, gain: 0.5, offset: 0.1}, push: ball%zu.down}}\n",
                      i, 1 + (int)draw(random, 8), floor ? "true" : "false", i, i);
    }
    assert_true((size_t)n < size);
}

// What came of a run. One that fails does so at the same time, for the same reason.
typedef struct result {
    uint64_t hash;
    tac_counters counters;
    tac_status status;
    tac_time failed_us;
    char text[sizeof((tac_error *)0)->text];
} result;

static void add_types(void)
{
    static tac_component_type hopper;
    hopper = hopper_type();
    rig_types[5] = &hopper;
    rig_types[0] = &ball_type;
    rig_types[1] = &alarm_type;
    rig_types[2] = &gate_type;
    rig_types[3] = &caller_type;
    rig_types[4] = &hearer_type;
}

static void open_case(rig *r, uint64_t random, int lanes)
{
    char text[8192];
    write_case(&random, lanes, text, sizeof text);
    add_types();
    rig_open(r, text);
}

static result close_case(rig *r)
{
    result got = {.status = tac_engine_run(r->engine, TAC_TIME_MAX, &r->err)};
    got.hash = tac_engine_hash(r->engine, NULL, NULL);
    got.counters = tac_engine_counters(r->engine);
    if (got.status != TAC_OK) {
        got.failed_us = r->err.t_us;
        memcpy(got.text, r->err.text, sizeof got.text);
    }
    rig_close(r);
    return got;
}

static void same(const result *a, const result *b, uint64_t random)
{
    if (a->hash == b->hash && a->status == b->status && a->failed_us == b->failed_us &&
        !strcmp(a->text, b->text) && !memcmp(&a->counters, &b->counters, sizeof a->counters))
        return;
    char text[8192];
    write_case(&random, 8, text, sizeof text);
    fail_msg("%016llx and %016llx, %llu and %llu evaluations, '%s' and '%s' of\n%s",
             (unsigned long long)a->hash, (unsigned long long)b->hash,
             (unsigned long long)a->counters.rhs_evals, (unsigned long long)b->counters.rhs_evals,
             a->text, b->text, text);
}

static const int widths[] = {2, 4, 8};

// For test.sh: which widths were run here, and in which registers.
static void tell_widths(void)
{
    const char *build = getenv("TACTUS_BUILD");
    if (!build)
        return;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/lanes.txt", build);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
#ifdef __x86_64__
    static const char *const registers[] = {"SSE2", "AVX2", "AVX-512"};
#else
    static const char *const registers[] = {"narrow", "narrow", "narrow"};
#endif
    for (size_t i = 0; i < 3; i++) {
        fprintf(f, "lanes: %d were ", widths[i]);
        if (packs[widths[i]])
            fprintf(f, "run, in %s registers\n", registers[i]);
        else
            fprintf(f, "not run: no %s registers here, or the math library has other bits there\n",
                    registers[i]);
    }
    assert_int_equal(fclose(f), 0);
}

static void test_same_as_one_by_one(void **state)
{
    (void)state;
    uint64_t rejected = 0, undone = 0, events = 0, failed = 0;
    memset(packs, 0, sizeof packs);
    for (uint64_t random = 1; random <= 240; random++) {
        rig r;
        const uint64_t before = all_packs();
        open_case(&r, random, 1);
        const result alone = close_case(&r);
        assert_true(all_packs() == before);
        open_case(&r, random, widths[random % 3]);
        const result beside = close_case(&r);
        same(&alone, &beside, random);
        rejected += alone.counters.rejected;
        undone += alone.counters.undone;
        events += alone.counters.events;
        failed += alone.status != TAC_OK;
    }
    print_message("%llu rejected, %llu undone, %llu events, %llu runs failed\n",
                  (unsigned long long)rejected, (unsigned long long)undone,
                  (unsigned long long)events, (unsigned long long)failed);
    // Otherwise it would say little.
    assert_true(rejected > 1000 && undone > 1000 && events > 1000);
    assert_true(failed > 0 && failed < 120);
    for (size_t i = 0; i < 3; i++) {
        const unsigned width = (unsigned)widths[i];
        print_message("%u lanes: %llu evaluations%s\n", width, (unsigned long long)packs[width],
                      tac__packs_sound(width) ? "" : ", not on this machine");
        assert_true(packs[width] > 10000 || !tac__packs_sound(width));
    }
    tell_widths();
}

static void same_files(const char *a, const char *b, uint64_t random)
{
    FILE *files[2] = {fopen(a, "rb"), fopen(b, "rb")};
    assert_true(files[0] && files[1]);
    for (size_t i = 0;; i++) {
        const int one = getc(files[0]), other = getc(files[1]);
        if (one != other)
            fail_msg("case %llu: the files differ at %zu", (unsigned long long)random, i);
        if (one == EOF)
            break;
    }
    fclose(files[0]);
    fclose(files[1]);
}

// In pieces, looked at in between, and from checkpoints inside of steps.
static void test_in_pieces_and_restored(void **state)
{
    (void)state;
    char path[2][512];
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "%s", path_of(i ? "lanes.checkpoint" : "one.checkpoint"));
    size_t restored = 0;
    for (uint64_t random = 1; random <= 70; random++) {
        rig r;
        const int width = widths[random % 3];
        const tac_time at_us = 300000 + random * 1237;
        open_case(&r, random, 1);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us, path[0], &r.err), TAC_OK);
        const result alone = close_case(&r);
        if (alone.status != TAC_OK)
            continue;
        open_case(&r, random, width);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us, path[1], &r.err), TAC_OK);
        for (tac_time t_us = 0; t_us < 1000000; t_us += 3331) {
            rig_run(&r, t_us);
            (void)rig_read(&r, "ball1.z");
        }
        const result pieces = close_case(&r);
        same(&alone, &pieces, random);
        same_files(path[0], path[1], random);

        open_case(&r, random, width);
        assert_int_equal(tac_engine_restore(r.engine, path[0], &r.err), TAC_OK);
        restored++;
        const result after = close_case(&r);
        assert_true(after.hash == alone.hash);
    }
    assert_true(restored > 30);
}

// --- whoever looks ------------------------------------------------------------------------------

// The bits of all signals.
static uint64_t mix_signals(rig *r, uint64_t h)
{
    for (size_t i = 0; i < tac_engine_signal_count(r->engine); i++) {
        const void *value = tac_engine_read(r->engine, (int)i);
        uint64_t bits = 0;
        if (value) // a ball that is too fast cannot be evaluated
            memcpy(&bits, value, sizeof bits);
        h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return h;
}

// A run that is recorded, and looked at between boundaries.
static result look_at(uint64_t random, uint32_t lanes, const char *path, uint64_t *seen)
{
    rig r = {0};
    char text[8192];
    write_case(&random, 1, text, sizeof text);
    add_types();
    rig_open(&r, text);
    tac_engine_destroy(r.engine);
    tac_engine_def def = tac_config_engine_def(r.config);
    def.lanes = lanes;
    tac_recorder_def recorder_def = tac_recorder_def_default();
    recorder_def.path = path;
    recorder_def.tier = TAC_TIER_REPLAY;
    recorder_def.log_us = 3331;
    recorder_def.state_us = 50000;
    tac_recorder *recorder;
    assert_int_equal(tac_config_build_unprepared(r.config, &def, &r.engine, &r.err), TAC_OK);
    assert_int_equal(tac_recorder_create(&recorder_def, r.engine, &recorder, &r.err), TAC_OK);
    assert_int_equal(tac_engine_prepare(r.engine, &r.err), TAC_OK);
    assert_int_equal(tac_recorder_begin(recorder, &r.err), TAC_OK);
    tac_status status = TAC_OK;
    for (tac_time t_us = 0; t_us < 200000 && status == TAC_OK; t_us += 4447) {
        status = tac_engine_run(r.engine, t_us, &r.err);
        *seen = mix_signals(&r, *seen);
    }
    const result got = {.hash = tac_engine_hash(r.engine, NULL, NULL),
                        .counters = tac_engine_counters(r.engine),
                        .status = status};
    assert_int_equal(tac_recorder_end(recorder, NULL, &r.err), TAC_OK);
    tac_recorder_destroy(recorder);
    rig_close(&r);
    return got;
}

static void test_looked_at(void **state)
{
    (void)state;
    char one[512], other[512];
    snprintf(one, sizeof one, "%s", path_of("one.mcap"));
    snprintf(other, sizeof other, "%s", path_of("other.mcap"));
    for (uint64_t random = 501; random <= 530; random++) {
        uint64_t seen = 0;
        const result alone = look_at(random, 1, one, &seen);
        for (size_t i = 0; i < 3; i++) {
            uint64_t also = 0;
            const result beside = look_at(random, (uint32_t)widths[i], other, &also);
            same(&alone, &beside, random);
            assert_true(seen == also);
            same_files(one, other, random);
        }
    }
}

// A watcher that looks into every step.
typedef struct looker {
    tac_engine *engine;
    tac__inside *inside[64];
    tac__watched z[64];
    uint64_t seen, looks;
} looker;

static void look_inside(void *context, size_t island, tac_time t_us)
{
    looker *l = context;
    const tac_time from_us = l->engine->islands[island].state->from_us;
    for (tac_time part = 0; part <= 2; part++) {
        uint64_t bits;
        assert_int_equal(
            tac__inside_look(l->inside[island], t_us, from_us + (t_us - from_us) * part / 2),
            TAC_OK);
        memcpy(&bits, tac__inside_value(l->inside[island], &l->z[island]), sizeof bits);
        l->seen = (l->seen ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        l->looks++;
    }
}

// Many steps between two boundaries, all of them watched.
static void test_looked_into(void **state)
{
    (void)state;
    uint64_t seen[4];
    for (size_t i = 0; i < 4; i++) {
        char text[4096];
        int n = snprintf(text, sizeof text,
                         "duration: 100 ms\n"
                         "plant: {integrator: {kind: rk45, rtol: 1e-9, h_max: 2 ms}, lanes: %d}\n"
                         "scheduler: {rate_groups: [{name: a, period: 10 ms, components: [s]}]}\n"
                         "components:\n  s: {type: noise}\n",
                         i ? widths[i - 1] : 1);
        for (int k = 0; k < 9; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  ball%d: {type: ball, params: {height: 0.%d, stiffness: %d}, "
                          "inputs: {force: s.y, push: s.y}}\n",
                          k, k + 1, 1000 + 500 * k);
        add_types();
        rig r;
        rig_open(&r, text);
        looker l = {.engine = r.engine};
        tac__arena arena;
        tac__arena_init(&arena, tac_allocator_default());
        for (size_t k = 0; k < 9; k++) {
            char name[16];
            snprintf(name, sizeof name, "ball%zu.z", k);
            const int signal = tac_engine_find_signal(r.engine, name);
            l.inside[k] = tac__inside_create(r.engine, &arena, k, false);
            l.z[k] = tac__watch_signal(r.engine, signal);
            assert_non_null(l.inside[k]);
        }
        const uint64_t all = 0x1ff;
        tac__step_watcher watcher = {.show = look_inside, .context = &l, .islands = &all};
        tac__watch_steps(r.engine, &watcher);
        rig_run(&r, TAC_TIME_MAX);
        seen[i] = l.seen;
        assert_true(l.looks > 3 * 9 * 20);
        rig_close(&r);
        tac__arena_fini(&arena);
    }
    for (size_t i = 1; i < 4; i++)
        assert_true(seen[i] == seen[0]);
}

// --- more steps than are allowed ----------------------------------------------------------------

// Rings once.
static tac_status bell_declare(tac_declare *d, void *self)
{
    *(tac_time *)self = tac_param_time(d, TAC_PARAM(.name = "at"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status bell_init(tac_step *s, const void *self)
{
    return tac_wake_at(s, *(const tac_time *)self);
}

static tac_status bell_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = 5;
    return TAC_OK;
}

static const tac_component_type bell_type = {.size = sizeof(tac_component_type),
                                             .name = "bell",
                                             .version = "1",
                                             .flags = TAC_COMPONENT_TIMER,
                                             .stage = TAC_STAGE_ENVIRONMENT,
                                             .self_size = sizeof(tac_time),
                                             .declare = bell_declare,
                                             .init = bell_init,
                                             .kernels[TAC_NUMBERS].step = bell_step};

// The step that is one too many was taken in lanes, and is then cut short in each of them: nothing
// of it may be taken for the step that follows.
static void test_cut_beyond_the_most(void **state)
{
    (void)state;
    double v[2];
    for (int lanes = 0; lanes < 2; lanes++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "duration: 5 ms\n"
                 "plant: {integrator: {kind: dop853, h_max: 1 ms, max_substeps: 3}, lanes: %s}\n"
                 "scheduler: {rate_groups: [{name: a, period: 4 ms, components: [slow]}]}\n"
                 "components:\n  slow: {type: noise}\n"
                 "  bell0: {type: bell, params: {at: 3500 us}}\n"
                 "  bell1: {type: bell, params: {at: 3700 us}}\n"
                 "  ball0: {type: ball, params: {floor: false},"
                 " inputs: {force: slow.y, push: bell0.y}}\n"
                 "  ball1: {type: ball, params: {floor: false},"
                 " inputs: {force: slow.y, push: bell1.y}}\n",
                 lanes ? "auto" : "1");
        rig_types[0] = &ball_type;
        rig_types[1] = &bell_type;
        rig_types[2] = NULL;
        rig r;
        rig_open(&r, text);
        rig_run(&r, TAC_TIME_MAX);
        v[lanes] = rig_f64(&r, "ball0.v");
        rig_close(&r);
    }
    assert_memory_equal(&v[0], &v[1], sizeof v[0]);
}

// Runs a text, in which the number of lanes is `%d`, with all widths: the same comes of it.
static tac_status same_with_all(const char *format)
{
    result alone = {0};
    for (size_t i = 0; i < 4; i++) {
        char text[16384];
        snprintf(text, sizeof text, format, i ? widths[i - 1] : 1);
        add_types();
        rig r;
        rig_open(&r, text);
        const result got = close_case(&r);
        if (i == 0)
            alone = got;
        assert_true(got.hash == alone.hash && got.status == alone.status);
        assert_string_equal(got.text, alone.text);
        assert_memory_equal(&got.counters, &alone.counters, sizeof got.counters);
    }
    return alone.status;
}

#define EIGHT(ball) ball(0) ball(1) ball(2) ball(3) ball(4) ball(5) ball(6) ball(7)

// A message arrives exactly where a step ends that had begun before it was sent. The derivative at
// the end of that step is that of the old inputs.
static void test_boundary_at_the_end(void **state)
{
    (void)state;
#define HEARS(n)                                                                                   \
    "  ball" #n ": {type: ball, params: {height: 1" #n "}, inputs: {force: slow.y, push: "         \
    "ear.y}}\n"
    const tac_status status =
        same_with_all("duration: 30 ms\n"
                      "plant: {integrator: {kind: rk23, rtol: 0.9, h_max: 1 ms}, lanes: %d}\n"
                      "scheduler: {rate_groups: [{name: a, period: 10 ms, components: [slow]},\n"
                      "  {name: d, period: 10 ms, offset: 3500 us, components: [caller]}]}\n"
                      "links: [{from: caller.tx, to: ear.rx, delay: 500 us}]\n"
                      "components:\n  slow: {type: noise}\n  caller: {type: caller}\n  ear: {type: "
                      "hearer}\n" EIGHT(HEARS));
    assert_int_equal(status, TAC_OK);
}

// One of the lanes becomes infinite.
static void test_not_finite(void **state)
{
    (void)state;
#define BURSTS(n)                                                                                  \
    "  ball" #n ": {type: ball, params: {height: 1" #n                                             \
    "}, inputs: {force: {from: s.y, gain: 1e" #n "}, push: {from: s.y, gain: 1e" #n "}}}\n"
    const tac_status status =
        same_with_all("duration: 30 ms\nplant: {integrator: {kind: rk4}, lanes: %d}\n"
                      "scheduler: {rate_groups: [{name: a, period: 10 ms, components: [s]}]}\n"
                      "components:\n  s: {type: constant, params: {value: 9e300}}\n" EIGHT(BURSTS));
    assert_int_equal(status, TAC_E_NUMERIC);
}

// Phases whose changes are located and reset states, at other instants for each vehicle. Balls that
// are active in one phase only are integrated alone.
static void test_phases(void **state)
{
    (void)state;
#define PHASES(n, located)                                                                         \
    "    phases:\n      names: [UP, DOWN]\n      initial: UP\n      transitions:\n"                \
    "        - {from: UP, to: DOWN, condition: \"ball.z < 0.2" #n "\", locate: " #located          \
    ", actions: [{reset: ball.v, to: 1.5}]}\n"                                                     \
    "        - {from: DOWN, to: UP, condition: \"ball.z > 0.2" #n "\"}\n"                          \
    "    components:\n"                                                                            \
    "      ball: {type: ball, params: {height: 0.5" #n "}, inputs: {force: s.y, push: s.y}}\n"     \
    "      rest: {type: ball, active: [UP], inputs: {force: s.y, push: s.y}}\n"
#define FALLS(n) "  v" #n ":\n" PHASES(n, true)
#define DROPS(n) "  w" #n ":\n" PHASES(n, false)
    static const char *const kinds_of[] = {"rk4", "rk45"};
    for (size_t i = 0; i < 2; i++) {
        char text[16384];
        snprintf(text, sizeof text,
                 "duration: 1 s\nplant: {integrator: {kind: %s}, lanes: %%d}\n"
                 "scheduler: {rate_groups: [{name: a, period: 5 ms, components: [s]}]}\n"
                 "components:\n  s: {type: noise}\nentities:\n" EIGHT(FALLS) EIGHT(DROPS),
                 kinds_of[i]);
        assert_int_equal(same_with_all(text), TAC_OK);
    }
}

// --- states that are set ------------------------------------------------------------------------

// Vehicles that hear messages at instants of their own, so that they join their lanes in the middle
// of an interval, with a derivative that is known already. Then phases reset their states, or a
// component changes its own: that derivative is void.
static void write_resets(uint64_t random, int lanes, char *text, size_t size)
{
    static const char *const methods[] = {"rk45", "rk23", "rk45", "dop853", "rk4"};
    const char *method = methods[draw(&random, 5)];
    const size_t count = 2 + draw(&random, 7);
    const bool hops = draw(&random, 3) == 0, back = draw(&random, 2), pair = draw(&random, 3) == 0;
    int n = snprintf(text, size,
                     "duration: 100 ms\n"
                     "plant: {integrator: {kind: %s, h_max: %d ms, rtol: 1e-%d}, lanes: %d}\n"
                     "scheduler:\n  rate_groups:\n"
                     "  - {name: once, period: %d ms, components: [caller]}\n"
                     "  - {name: fast, period: %d ms, components: [sensor%s]}\n"
                     "entities:\n  lead: {components: {caller: {type: caller}}}\n",
                     method, 1 + (int)draw(&random, 3), 2 + (int)draw(&random, 8), lanes,
                     draw(&random, 2) ? 1000 : 20 + (int)draw(&random, 30),
                     3 + (int)draw(&random, 9), hops ? ", hop" : "");
    for (size_t i = 0; i < count; i++) {
        n += snprintf(text + n, size - (size_t)n,
                      "  v%zu:\n    components:\n      ear: {type: hearer}\n"
                      "      body:\n        type: equations\n        inputs: {push: ear.y}\n"
                      "        params:\n          inputs: {push: '1'}\n"
                      "          states: {x: {unit: '1', initial: 1}}\n"
                      "          equations: [der(x) = (push/10 - 10*x)/1 s]\n"
                      "      sensor: {type: gain, inputs: {u: body.x}}\n",
                      i);
        if (pair)
            n += snprintf(text + n, size - (size_t)n,
                          "      tail:\n        type: equations\n        inputs: {u: body.x}\n"
                          "        params: {inputs: {u: '1'}, states: {z: '1'},"
                          " equations: [der(z) = (u - z)*20/1 s]}\n");
        if (hops)
            n +=
                snprintf(text + n, size - (size_t)n,
                         "      hop: {type: hopper, params: {height: 0.%zu, floor: false}, inputs: "
                         "{force: ear.y, push: ear.y}}\n",
                         1 + i);
        n += snprintf(text + n, size - (size_t)n,
                      "    phases:\n      names: [A, B]\n      initial: A\n      transitions:\n"
                      "      - {from: A, to: B, condition: sensor.y < 0.%d, actions: [{reset: "
                      "body.x, to: [%d]}]}\n",
                      5 + (int)draw(&random, 5), (int)draw(&random, 2));
        if (back)
            n += snprintf(text + n, size - (size_t)n,
                          "      - {from: B, to: A, condition: sensor.y < 0.4 AND t > %d ms,"
                          " actions: [{reset: body.x, to: [1]}]}\n",
                          30 + (int)draw(&random, 40));
    }
    n += snprintf(text + n, size - (size_t)n, "links:\n");
    for (size_t i = 0; i < count; i++)
        n += snprintf(text + n, size - (size_t)n,
                      "- {from: lead.caller.tx, to: v%zu.ear.rx, delay: %d us}\n", i,
                      500 * (1 + (int)draw(&random, 30)));
    assert_true((size_t)n < size);
}

static void test_resets(void **state)
{
    (void)state;
    for (uint64_t random = 1; random <= 300; random++) {
        static char text[16384];
        result alone = {0};
        const tac_time at_us = 1000 + random * 4409 % 98000;
        for (size_t i = 0; i < 4; i++) {
            rig r;
            write_resets(random, i ? widths[i - 1] : 1, text, sizeof text);
            add_types();
            rig_open(&r, text);
            const result got = close_case(&r);
            assert_int_equal(got.status, TAC_OK);
            if (i == 0)
                alone = got;
            else if (got.hash != alone.hash ||
                     memcmp(&got.counters, &alone.counters, sizeof got.counters))
                fail_msg("other bits with %d lanes:\n%s", widths[i - 1], text);
        }
        // A run that goes on from a snapshot knows no derivative.
        rig r;
        tac_snapshot *place = NULL;
        rig_open(&r, text);
        rig_run(&r, at_us);
        assert_int_equal(tac_engine_take_snapshot(r.engine, &place, &r.err), TAC_OK);
        rig_run(&r, 99000);
        assert_int_equal(tac_engine_restore_snapshot(r.engine, place, &r.err), TAC_OK);
        tac_snapshot_destroy(place);
        if (close_case(&r).hash != alone.hash)
            fail_msg("other bits after a snapshot at %llu us:\n%s", (unsigned long long)at_us,
                     text);
    }
}

// Equations that differ in the points of tables only, in some of the vehicles: # is a number of the
// vehicle.
static void test_tables(void **state)
{
    (void)state;
    static const char *const equations[] = {
        "der(x) = table(t, [0 s, 0.5 s, 1 s], [1, #, #])/1 s, y = x",
        "der(x) = table(t, [0 s, 0.#1 s, 1 s], [1, 2, 5])/1 s, y = x",
        "der(x) = spline(t, [0 s, 0.3 s, 1 s, 2 s], [1, #, 3, 1])/1 s, y = x",
        "der(x) = spline(t, [0 s, 0.#1 s, 1 s, 2 s], [1, 4, 3, 1])/1 s, y = x",
        "der(x) = (table(x, [0, 1], [#, 1]) + table(x, [0, 1], [1, 2]))/1 s, y = x",
        "der(x) = (table(x, [0, 1], [1, 2]) - table(x, [0, 1, #9], [1, 2, 3]))/1 s, y = x",
        "der(x) = (y - x)/1 s, y = 2*table(x, [0, 1, 2], [3, #, 1])",
        "der(x) = (1 - x)/1 s, y = spline(x, [0, 1, 2], [3, #, 1])",
        "der(x) = if(x < #, table(t, [0 s, 1 s], [2, #]), 1)/1 s, y = x",
    };
    static const char *const methods[] = {"rk4", "rk45"};
    for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
        for (size_t k = 0; k < 6; k++) {
            char text[16384];
            int n = snprintf(text, sizeof text,
                             "duration: 1 s\n"
                             "plant: {integrator: {kind: %s, h_max: 30 ms}, lanes: %%d}\n"
                             "scheduler: {rate_groups: [{name: a, period: 20 ms, components: "
                             "[hear]}]}\n"
                             "entities:\n",
                             methods[k % 2]);
            for (int v = 0; v < 8; v++) {
                // All differ, or pairs are equal, or all but one.
                const int number = k / 2 == 0 ? v + 1 : k / 2 == 1 ? 1 + v / 2 : 1 + (v == 5);
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "  v%d:\n    components:\n"
                              "      hear: {type: gain, inputs: {u: body.y}}\n"
                              "      body:\n        type: equations\n        params:\n"
                              "          states: {x: '1'}\n          outputs: {y: '1'}\n"
                              "          equations: ['",
                              v);
                for (const char *c = equations[i]; *c; c++) {
                    if (*c == '#')
                        n += snprintf(text + n, sizeof text - (size_t)n, "%d", number);
                    else if (!strncmp(c, ", y", 3))
                        n += snprintf(text + n, sizeof text - (size_t)n, "', '"), c++;
                    else
                        text[n++] = *c;
                }
                n += snprintf(text + n, sizeof text - (size_t)n, "']\n");
            }
            assert_true((size_t)n < sizeof text);
            assert_int_equal(same_with_all(text), TAC_OK);
        }
    }
}

static const tac__lanes *lanes_of(const rig *r, const char *name)
{
    for (size_t i = 0; i < r->engine->plan->island_count; i++) {
        if (!strcmp(r->engine->plan->islands[i].name, name))
            return r->engine->islands[i].lanes;
    }
    fail_msg("no island '%s'", name);
    return NULL;
}

// Phases of one entity read states and outputs of vehicles that have none, which stay in lanes, and
// reset its own.
#define FREE(n)                                                                                    \
    "  ball" #n ": {type: ball, params: {height: 0.5" #n "}, inputs: {force: s.y, push: s.y}}\n"
static const char *const phases_beside =
    "duration: 1 s\nplant: {integrator: {kind: rk45}, lanes: %d}\n"
    "scheduler: {rate_groups: [{name: a, period: 5 ms, components: [s, p]}]}\n"
    "components:\n  s: {type: noise}\n  p: {type: probe, inputs: {u: ball2.z}}\n" EIGHT(
        FREE) "entities:\n  e:\n    phases:\n      names: [UP, DOWN]\n      initial: UP\n"
              "      transitions:\n"
              "        - {from: UP, to: DOWN, condition: \"ball3.z < 0.2\", locate: true,\n"
              "           actions: [{reset: own.v, to: \"1 + ball4.z\"}]}\n"
              "        - {from: DOWN, to: UP, condition: \"ball5.down > 0.5\",\n"
              "           actions: [{reset: own.z, to: \"ball6.v\"}]}\n"
              "    components:\n"
              "      own: {type: ball, inputs: {force: s.y, push: s.y}}\n"
              "      like: {type: ball, inputs: {force: s.y, push: s.y}}\n";

static void test_phases_of_others(void **state)
{
    (void)state;
    static const char *const names[] = {"ball0", "ball2", "ball5", "ball3",
                                        "ball4", "ball6", "e.own", "e.like"};
    assert_int_equal(same_with_all(phases_beside), TAC_OK);
    char text[4096];
    snprintf(text, sizeof text, phases_beside, 2);
    add_types();
    rig r;
    rig_open(&r, text);
    for (size_t i = 0; i < sizeof names / sizeof *names && tac__packs_sound(2); i++) {
        const tac__lanes *l = lanes_of(&r, names[i]);
        assert_non_null(l);
        size_t lane = 0;
        while (strcmp(l->subject.islands[lane]->plan->name, names[i]) != 0)
            lane++;
        assert_int_equal(l->waits >> lane & 1, i < 3);
    }
    rig_run(&r, TAC_TIME_MAX);
    assert_true(*(const int64_t *)rig_read(&r, "e.flight.changes") > 4);
    rig_close(&r);
}

// --- who is integrated beside whom --------------------------------------------------------------

static const char *const pairing =
    "duration: 10 ms\nplant: {integrator: {kind: rk45}, lanes: 4}\n"
    "scheduler: {rate_groups: [{name: a, period: 1 ms, components: [fast]}]}\n"
    "components:\n  fast: {type: noise}\n"
    "  a0: {type: ball, inputs: {force: fast.y, push: fast.y}}\n"
    "  b0: {type: ball, params: {stiffness: 5}, inputs: {force: fast.y, push: fast.y}}\n"
    "  a1: {type: ball, inputs: {force: fast.y, push: fast.y}}\n"
    "  own: {type: ball, inputs: {force: fast.y, push: own.v}}\n" // reads itself
    "  too: {type: ball, inputs: {force: fast.y, push: too.v}}\n"
    "  not: {type: ball, inputs: {force: fast.y, push: not.z}}\n" // in another way
    "  c0: {type: ball, params: {stiffness: 6}, inputs: {force: fast.y, push: fast.y}}\n"
    "  d0: {type: ball, params: {scale: 2}, inputs: {force: fast.y, push: fast.y}}\n"
    "  e0: {type: black, inputs: {force: fast.y, push: fast.y}}\n"
    "  e1: {type: black, inputs: {force: fast.y, push: fast.y}}\n"
    "  a2: {type: ball, inputs: {force: fast.y, push: fast.y}}\n"
    "  b1: {type: ball, params: {stiffness: 5}, inputs: {force: fast.y, push: fast.y}}\n"
    "  a3: {type: ball, inputs: {force: fast.y, push: fast.y}}\n"
    "  a4: {type: ball, inputs: {force: fast.y, push: fast.y}}\n"
    "  a5: {type: ball, inputs: {force: fast.y, push: fast.y}}\n"
    "  a6: {type: ball, inputs: {force: fast.y, push: fast.y}}\n";

static void test_who_is_alike(void **state)
{
    (void)state;
    rig r;
    tac_component_type black = ball_type; // as a black box
    black.name = "black";
    black.flags = TAC_COMPONENT_OPAQUE;
    rig_types[0] = &ball_type;
    rig_types[1] = &black;
    rig_types[2] = NULL;
    rig_open(&r, pairing);
    const tac__lanes *a = lanes_of(&r, "a0"), *late = lanes_of(&r, "a6");
    if (!tac__packs_sound(4)) {
        rig_close(&r);
        skip();
    }
    assert_int_equal(a->count, 4); // with parameters of their own
    assert_ptr_equal(lanes_of(&r, "b0"), a);
    assert_ptr_equal(lanes_of(&r, "a1"), a);
    assert_ptr_equal(lanes_of(&r, "c0"), a);
    assert_null(a->ode.scales);
    assert_non_null(
        lanes_of(&r, "d0")->ode.scales); // its errors are measured with a scale of its own
    assert_ptr_equal(lanes_of(&r, "a3"), lanes_of(&r, "d0"));
    assert_ptr_not_equal(late, a);
    assert_int_equal(late->work->method->lanes, 4); // with a lane that nobody uses
    assert_int_equal(late->count, 3);
    assert_ptr_equal(lanes_of(&r, "a4"), late);
    assert_ptr_equal(lanes_of(&r, "a5"), late);
    assert_int_equal(lanes_of(&r, "own")->count, 2);
    assert_ptr_equal(lanes_of(&r, "own"), lanes_of(&r, "too"));
    assert_null(lanes_of(&r, "not"));
    assert_null(lanes_of(&r, "e0"));
    assert_null(lanes_of(&r, "e1"));
    rig_close(&r);
}

// An engine that goes back by one boundary, again and again, goes on in lanes.
static void test_again_in_lanes(void **state)
{
    (void)state;
    if (!tac__packs_sound(2))
        skip();
    rig r;
    rig_types[0] = &ball_type;
    rig_types[1] = NULL;
    rig_open(&r, "duration: 10 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [wave]}]}\n"
                 "components:\n"
                 "  wave: {type: sine}\n"
                 "  a: {type: ball, inputs: {force: wave.y, push: wave.y}}\n"
                 "  b: {type: ball, inputs: {force: wave.y, push: wave.y}}\n");
    rig_run(&r, 3000);
    tac_snapshot *place = NULL;
    assert_int_equal(tac_engine_take_snapshot(r.engine, &place, &r.err), TAC_OK);
    memset(packs, 0, sizeof packs);
    rig_run(&r, 4000);
    const uint64_t first = all_packs();
    assert_true(first > 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tac_engine_restore_snapshot(r.engine, place, &r.err), TAC_OK);
        memset(packs, 0, sizeof packs);
        rig_run(&r, 4000);
        assert_true(all_packs() == first);
    }
    tac_snapshot_destroy(place);
    rig_close(&r);
}

// What a configuration may say.
static void test_how_many(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint32_t lanes;
    } good[] = {{"auto", 0}, {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}};
    char text[128];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        rig r;
        snprintf(text, sizeof text,
                 "duration: 1 s\nplant: {lanes: %s}\ncomponents: {a: {type: constant}}\n",
                 good[i].word);
        rig_open(&r, text);
        assert_int_equal(tac_config_engine_def(r.config).lanes, good[i].lanes);
        assert_int_equal(r.engine->plan->def.lanes,
                         good[i].lanes ? good[i].lanes : tac__machine_lanes());
        rig_close(&r);
    }
    rig_refused_at("duration: 1 s\nplant: {lanes: 3}\n", TAC_E_NAME, 2, 16, "one of auto, 1, 2");
    rig_refused_at("duration: 1 s\nplant: {lanes: false}\n", TAC_E_NAME, 2, 16,
                   "'1' computes vehicles one by one");
    tac_engine_def def = tac_engine_def_default();
    tac_engine *engine;
    tac_error err;
    def.lanes = 3;
    assert_int_equal(tac_engine_create(&def, &engine, &err), TAC_E_RANGE);
}

TEST_MAIN(cmocka_unit_test(test_how_many), cmocka_unit_test(test_same_as_one_by_one),
          cmocka_unit_test(test_in_pieces_and_restored), cmocka_unit_test(test_looked_at),
          cmocka_unit_test(test_looked_into), cmocka_unit_test(test_cut_beyond_the_most),
          cmocka_unit_test(test_boundary_at_the_end), cmocka_unit_test(test_not_finite),
          cmocka_unit_test(test_phases), cmocka_unit_test(test_phases_of_others),
          cmocka_unit_test(test_resets), cmocka_unit_test(test_tables),
          cmocka_unit_test(test_who_is_alike), cmocka_unit_test(test_again_in_lanes))
