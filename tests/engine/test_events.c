// Events of the plant: where they are located, that no step runs across, and that who watches or
// what else happens moves nothing.
#include "engine/run/locate.h"
#include "engine/test_rig.h"
#include "support/probe.h"

#include <math.h>

// A ball over a floor that is a stiff spring with a dashpot: while the event `down` holds, it
// pushes.
typedef struct ball {
    double height_m, stiffness, damping, heat;
} ball;

static tac_status ball_declare(tac_declare *d, void *self)
{
    ball *b = self;
    b->height_m = tac_param_f64(d, TAC_PARAM(.name = "height", .fallback = "1"));
    b->stiffness = tac_param_f64(d, TAC_PARAM(.name = "stiffness", .fallback = "1e4"));
    b->damping = tac_param_f64(d, TAC_PARAM(.name = "damping", .fallback = "0"));
    tac_declare_continuous(d, TAC_PORT(.name = "z", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .unit = "m/s"));
    tac_declare_output(d, TAC_PORT(.name = "down", .type = TAC_TYPE_F64));
    tac_declare_event(d, "down", "the ball touches the floor");
    return TAC_OK;
}

static tac_status ball_init(tac_step *s, const void *self)
{
    tac_jump(s)[0] = ((const ball *)self)->height_m;
    return TAC_OK;
}

static tac_status ball_derive(const tac_eval *e, const void *self)
{
    const ball *b = self;
    e->dx[0] = e->x[1];
    e->dx[1] = -9.80665 + e->mode[0] * (-b->stiffness * e->x[0] - b->damping * e->x[1]);
    return TAC_OK;
}

static tac_status ball_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->mode[0];
    return TAC_OK;
}

static tac_status ball_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    g[0] = -e->x[0];
    return TAC_OK;
}

static const tac_component_type ball_type = {.size = sizeof(tac_component_type),
                                             .name = "ball",
                                             .self_size = sizeof(ball),
                                             .declare = ball_declare,
                                             .init = ball_init,
                                             .kernels[TAC_NUMBERS].output = ball_output,
                                             .kernels[TAC_NUMBERS].derive = ball_derive,
                                             .kernels[TAC_NUMBERS].detect = ball_detect};

static const char *const kinds[] = {"rk4", "rk23", "rk45", "dop853", "rodas4"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void open_ball(rig *r, const char *kind, const char *more)
{
    char text[2048];
    snprintf(text, sizeof text,
             "duration: 2 s\nplant: {integrator: {kind: %s, rtol: 1e-9}}\n"
             "components:\n  ball: {type: ball}\n%s",
             kind, more);
    rig_types[0] = &ball_type;
    rig_open(r, text);
    rig_types[0] = NULL;
}

static double read_f64(rig *r, const char *name)
{
    return *(const double *)tac_engine_read(r->engine, tac_engine_find_signal(r->engine, name));
}

// Free fall ends at the first whole microsecond at which the ball is down: sqrt(2 h / g). Methods
// of low order come there later or earlier by their own error.
static void test_located_to_the_microsecond(void **state)
{
    (void)state;
    const tac_time falls_us = (tac_time)floor(sqrt(2 / 9.80665) * 1e6) + 1;
    for (int i = 0; i < KINDS; i++) {
        rig r;
        open_ball(&r, kinds[i], "");
        rig_run(&r, falls_us - 2);
        assert_true(read_f64(&r, "ball.down") == 0);
        assert_int_equal(tac_engine_counters(r.engine).events, 0);
        assert_int_equal(tac_engine_next_time(r.engine), falls_us);
        rig_run(&r, falls_us);
        assert_int_equal(tac_engine_counters(r.engine).events, 1);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 2); // the start, and this
        assert_true(read_f64(&r, "ball.down") == 1);
        assert_true(fabs(read_f64(&r, "ball.z")) < 1e-5);
        assert_true(fabs(read_f64(&r, "ball.v") + sqrt(2 * 9.80665)) < 1e-5);
        rig_close(&r);
    }
}

// It leaves the floor with the energy it came with, though its equations changed twice.
static void test_no_step_runs_across(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        rig r;
        open_ball(&r, kinds[i], "");
        rig_run(&r, TAC_TIME_MAX);
        const tac_counters n = tac_engine_counters(r.engine);
        assert_int_equal(n.events, 4); // 0.45 s, 1.4 s: down and up again
        const double z = read_f64(&r, "ball.z"), v = read_f64(&r, "ball.v");
        const double energy = 9.80665 * z + 0.5 * v * v;
        assert_true(fabs(energy - 9.80665) < (i == 0 ? 1e-4 : 1e-5));
        rig_close(&r);
    }
}

static uint64_t run_hash(rig *r)
{
    rig_run(r, TAC_TIME_MAX);
    const uint64_t hash = tac_engine_hash(r->engine, "ball*", NULL);
    rig_close(r);
    return hash;
}

static void test_nothing_else_moves_it(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        rig r;
        open_ball(&r, kinds[i], "");
        const uint64_t alone = run_hash(&r);
        open_ball(&r, kinds[i],
                  "  other: {type: ball, params: {height: 0.7}}\n"
                  "  watch: {type: monitor, inputs: {u: ball.z}, params: {unit: m, every: 10 s}}\n"
                  "  count: {type: counter}\n"
                  "scheduler: {rate_groups: [{name: a, period: 7 ms, components: [watch]},\n"
                  "                          {name: b, period: 3 ms, components: [count]}]}\n");
        assert_true(run_hash(&r) == alone);
        open_ball(&r, kinds[i], "");
        for (tac_time t = 0; t < 2000000; t += 9973)
            rig_run(&r, t);
        assert_true(run_hash(&r) == alone);
    }
}

static void test_checkpoint_between(void **state)
{
    (void)state;
    const char *path = path_of("state.checkpoint");
    for (int i = 0; i < KINDS; i++) {
        rig r;
        open_ball(&r, kinds[i], "");
        assert_int_equal(tac_engine_checkpoint_at(r.engine, 460000, path, &r.err), TAC_OK);
        const uint64_t straight = run_hash(&r);
        open_ball(&r, kinds[i], "");
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        assert_true(run_hash(&r) == straight);
    }
}

// x' = +1 where x < 0, -1 where x > 0: it can only chatter.
static tac_status chatter_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_event(d, "above", "");
    return TAC_OK;
}

static tac_status chatter_init(tac_step *s, const void *self)
{
    (void)self;
    *tac_jump(s) = -0.1;
    return TAC_OK;
}

static tac_status chatter_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = 1 - 2 * e->mode[0];
    return TAC_OK;
}

static tac_status chatter_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    g[0] = e->x[0];
    return TAC_OK;
}

static const tac_component_type chatter_type = {.size = sizeof(tac_component_type),
                                                .name = "chatter",
                                                .declare = chatter_declare,
                                                .init = chatter_init,
                                                .kernels[TAC_NUMBERS].derive = chatter_derive,
                                                .kernels[TAC_NUMBERS].detect = chatter_detect};

static void test_chatter_ends_the_run(void **state)
{
    (void)state;
    rig r;
    rig_types[0] = &chatter_type;
    rig_open(&r, "duration: 2 s\nplant: {integrator: {kind: rk45}}\n"
                 "components:\n  c: {type: chatter}\n");
    rig_types[0] = NULL;
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_MAX, &r.err), TAC_E_NUMERIC);
    assert_non_null(strstr(r.err.text, "event 'c.above' chatters"));
    assert_in_range(r.err.t_us, 100000, 120000);
    rig_close(&r);
}

// --- events that see outputs --------------------------------------------------------------------

// a' = rate; at its steps a jumps to 0.2. Its output is a, which is evaluated only where somebody
// reads it.
static tac_status ramp_declare(tac_declare *d, void *self)
{
    *(double *)self = tac_param_f64(d, TAC_PARAM(.name = "rate", .fallback = "1"));
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "a", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "o", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    return TAC_OK;
}

static tac_status ramp_step(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] = 0.2;
    return TAC_OK;
}

static tac_status ramp_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->x[0];
    return TAC_OK;
}

static tac_status ramp_derive(const tac_eval *e, const void *self)
{
    e->dx[0] = *(const double *)self;
    return TAC_OK;
}

static const tac_component_type ramp_type = {.size = sizeof(tac_component_type),
                                             .name = "ramp",
                                             .stage = TAC_STAGE_ACTUATE,
                                             .self_size = sizeof(double),
                                             .declare = ramp_declare,
                                             .kernels[TAC_NUMBERS].step = ramp_step,
                                             .kernels[TAC_NUMBERS].output = ramp_output,
                                             .kernels[TAC_NUMBERS].derive = ramp_derive};

// b' = 1 while its input is above 0.5.
static tac_status switch_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "b", .type = TAC_TYPE_F64));
    tac_declare_event(d, "above", "the input is above 0.5");
    return TAC_OK;
}

static tac_status switch_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->mode[0];
    return TAC_OK;
}

static tac_status switch_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    g[0] = *TAC_IN(e, double, 0) - 0.5;
    return TAC_OK;
}

static const tac_component_type switch_type = {.size = sizeof(tac_component_type),
                                               .name = "switch",
                                               .declare = switch_declare,
                                               .kernels[TAC_NUMBERS].derive = switch_derive,
                                               .kernels[TAC_NUMBERS].detect = switch_detect};

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

enum { SEEN_JUMPS = 3, SEEN_MESSAGES = 6 };

// Ascending times within a second.
static int write_times(uint64_t *random, size_t count, tac_time *times_us, char *text, size_t size)
{
    tac_time t_us = 0;
    int n = snprintf(text, size, "[");
    for (size_t i = 0; i < count; i++) {
        t_us += 1 + draw(random, 900000 / count);
        times_us[i] = t_us;
        n += snprintf(text + n, size - (size_t)n, "%s%llu us", i ? ", " : "",
                      (unsigned long long)t_us);
    }
    return n + snprintf(text + n, size - (size_t)n, "]");
}

// For how long a is above 0.5 in a second, and how often it comes to be so.
static double time_above(double a, double rate, const tac_time *jumps_us, size_t jumps,
                         uint64_t *rises)
{
    double above = 0;
    *rises = 0;
    for (size_t i = 0; i <= jumps; i++) {
        const double from = i ? (double)jumps_us[i - 1] * 1e-6 : 0;
        const double to = i < jumps ? (double)jumps_us[i] * 1e-6 : 1;
        const double begins = a > 0.5 ? from : from + (0.5 - a) / rate;
        if (begins < to) {
            above += to - begins;
            *rises += begins > from;
        }
        a = 0.2;
    }
    return above;
}

// An event sees an output of another component, directly or through a third one. Messages cut
// steps, and jumps set the state: whatever is on the bus then, the mode is that of the present
// state.
static void test_events_see_present_outputs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed, rises;
        char text[4096], messages[512], jumps[512];
        tac_time messages_us[SEEN_MESSAGES], jumps_us[SEEN_JUMPS];
        const size_t jump_count = draw(&random, 2) ? 1 + draw(&random, SEEN_JUMPS) : 0;
        write_times(&random, 1 + draw(&random, SEEN_MESSAGES), messages_us, messages,
                    sizeof messages);
        if (jump_count)
            write_times(&random, jump_count, jumps_us, jumps, sizeof jumps);
        else
            snprintf(jumps, sizeof jumps, "[2 s]");
        const bool far = draw(&random, 2), read = draw(&random, 3) == 0;
        const unsigned initial = (unsigned)draw(&random, 2) * (unsigned)draw(&random, 100);
        const unsigned rate = 3 + (unsigned)draw(&random, 40);
        snprintf(text, sizeof text,
                 "duration: 1 s\n"
                 "plant: {integrator: {kind: %s, rtol: 1e-9, h_max: %d ms}}\n"
                 "scheduler:\n  rate_groups:\n"
                 "  - {name: m, times: %s, components: [tx]}\n"
                 "  - {name: j, times: %s, components: [ramp]}\n"
                 "%s"
                 "initial: {ramp.a: 0.%02u}\n"
                 "components:\n"
                 "  one: {type: constant, params: {value: 1}}\n"
                 "  tx: {type: beacon, inputs: {u: one.y}}\n  ear: {type: listener}\n"
                 "  ramp: {type: ramp, params: {rate: %u.%u}, inputs: {u: ear.y}}\n"
                 "  mid: {type: equations, params: {inputs: {u: '1'}, outputs: {y: '1'},"
                 " equations: ['y = 3*u']}, inputs: {u: ramp.o}}\n"
                 "  switch: {type: switch, inputs: {u: {from: %s}}}\n"
                 "%s"
                 "links: [{from: tx.tx, to: ear.rx, delay: %d us}]\n",
                 kinds[draw(&random, KINDS)], draw(&random, 2) ? 1000 : 70, messages, jumps,
                 read ? "  - {name: w, period: 7 ms, components: [watch]}\n" : "", initial,
                 rate / 10, rate % 10, far ? "mid.y, gain: 0.3333333333333333" : "ramp.o",
                 read ? "  watch: {type: gain, inputs: {u: ramp.o}}\n" : "",
                 1 + (int)draw(&random, 50000));
        const double above = time_above(initial * 0.01, rate * 0.1, jumps_us, jump_count, &rises);
        rig r;
        rig_types[0] = &ramp_type;
        rig_types[1] = &switch_type;
        rig_open(&r, text);
        rig_types[0] = rig_types[1] = NULL;
        rig_run(&r, TAC_TIME_MAX);
        const double b = read_f64(&r, "switch.b");
        if (!(fabs(b - above) < 1e-5) || tac_engine_counters(r.engine).events != rises)
            fail_msg("%g s instead of %g s, %llu events instead of %llu:\n%s", b, above,
                     (unsigned long long)tac_engine_counters(r.engine).events,
                     (unsigned long long)rises, text);
        rig_close(&r);
    }
}

// Modes are compared four at a time where the machine can: as one by one, for any number of them,
// wherever the one that differs is.
static void test_modes_compared(void **state)
{
    (void)state;
#ifdef __x86_64__
    static const double numbers[] = {
        0.0, -0.0, 1, -1, 5e-324, -5e-324, (double)INFINITY, (double)NAN, -(double)NAN, 1e9};
    enum { NUMBERS = sizeof numbers / sizeof *numbers, MOST = 21 };
    if (!__builtin_cpu_supports("avx2")) {
        print_message("AVX2: not on this machine\n");
        skip();
    }
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t at = 0; at < n; at++) {
            for (size_t k = 0; k < NUMBERS * NUMBERS; k++) {
                double a[MOST], b[MOST];
                for (size_t i = 0; i < n; i++)
                    a[i] = b[i] = numbers[(i + k) % NUMBERS];
                a[at] = numbers[k % NUMBERS];
                b[at] = numbers[k / NUMBERS];
                const bool differ = (a[at] > 0) != (b[at] > 0);
                assert_true(tac__signs_differ(a, b, n) == differ);
                assert_true(tac__signs_differ_avx2(a, b, n) == differ);
            }
        }
    }
#else
    skip();
#endif
}

TEST_MAIN(cmocka_unit_test(test_located_to_the_microsecond),
          cmocka_unit_test(test_no_step_runs_across), cmocka_unit_test(test_nothing_else_moves_it),
          cmocka_unit_test(test_checkpoint_between), cmocka_unit_test(test_chatter_ends_the_run),
          cmocka_unit_test(test_events_see_present_outputs), cmocka_unit_test(test_modes_compared))
