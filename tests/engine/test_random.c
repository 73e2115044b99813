// Random streams inside an engine: each keyed by the seed and its name, by nothing else.
#include "test_rig.h"

#include "base/random.h"
#include "math/normal.h"

enum { DRAWS_MAX = 100000 };
static double *draws;
static size_t draw_count;

typedef struct dice {
    int uniform, normal;
    bool normals;
    size_t batch; // normal draws at once; 0: one by one
} dice;

static tac_status dice_declare(tac_declare *d, void *self)
{
    dice *c = self;
    c->normals = tac_param_bool(d, TAC_PARAM(.name = "normals", .fallback = "false"));
    c->batch = (size_t)tac_param_int(d, TAC_PARAM(.name = "batch", .fallback = "0"));
    c->uniform = tac_declare_stream(d, "uniform");
    c->normal = tac_declare_stream(d, "normal");
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status dice_step(tac_step *s, const void *self)
{
    const dice *c = self;
    if (c->batch) {
        if (draw_count + c->batch <= DRAWS_MAX)
            tac_draw_normals(s, c->normal, draws + draw_count, c->batch);
        draw_count += c->batch;
        return TAC_OK;
    }
    *TAC_OUT(s, double, 0) =
        c->normals ? tac_draw_normal(s, c->normal) : tac_draw_uniform(s, c->uniform);
    if (draws && draw_count < DRAWS_MAX)
        draws[draw_count++] = *TAC_OUT(s, double, 0);
    return TAC_OK;
}

static const tac_component_type dice_type = {.size = sizeof(tac_component_type),
                                             .name = "dice",
                                             .version = "1",
                                             .stage = TAC_STAGE_SCENARIO,
                                             .self_size = sizeof(dice),
                                             .declare = dice_declare,
                                             .kernels[TAC_NUMBERS].step = dice_step};

static int setup(void **state)
{
    (void)state;
    rig_types[0] = &dice_type;
    draws = calloc(DRAWS_MAX, sizeof *draws);
    draw_count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(draws);
    return 0;
}

static void roll(const char *params)
{
    char text[512];
    snprintf(text, sizeof text,
             "duration: 99999 us\n"
             "seed: 3\n"
             "scheduler: {rate_groups: [{name: g, period: 1 us, components: [a]}]}\n"
             "components: {a: {type: dice, params: {%s}}}\n",
             params);
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
    assert_true(draw_count >= DRAWS_MAX);
}

// The k-th draw is the k-th of the stream "a.uniform" under this seed.
static void test_uniform_draws(void **state)
{
    (void)state;
    roll("normals: false");
    const tac__stream stream = tac__stream_make(3, "a.uniform");
    double sum = 0, squares = 0, low = 1, high = 0;
    size_t bins[10] = {0};
    for (size_t i = 0; i < DRAWS_MAX; i++) {
        const double x = draws[i];
        rig_same(x, tac__stream_uniform(&stream, i), "draw", i);
        assert_true(x >= 0 && x < 1);
        sum += x;
        squares += x * x;
        low = x < low ? x : low;
        high = x > high ? x : high;
        bins[(size_t)(x * 10)]++;
    }
    const double n = DRAWS_MAX, mean = sum / n;
    // Five standard errors: 1/sqrt(12 n) of the mean.
    assert_true(tac_fabs(mean - 0.5) < 5 * tac_sqrt(1.0 / 12 / n));
    assert_true(tac_fabs(squares / n - 1.0 / 3) < 5 * tac_sqrt(4.0 / 45 / n));
    assert_true(low < 1e-3 && high > 0.999);
    for (int i = 0; i < 10; i++)
        assert_true(tac_fabs((double)bins[i] - n / 10) < 5 * tac_sqrt(n * 0.09));
}

// Moments, tails and the correlation of neighbours.
static void check_moments(void)
{
    double m[5] = {0}, correlation = 0;
    size_t beyond_two = 0;
    for (size_t i = 0; i < DRAWS_MAX; i++) {
        const double x = draws[i];
        assert_true(x - x == 0);
        m[1] += x;
        m[2] += x * x;
        m[3] += x * x * x;
        m[4] += x * x * x * x;
        correlation += i ? x * draws[i - 1] : 0;
        beyond_two += tac_fabs(x) > 2;
    }
    const double n = DRAWS_MAX;
    // Five standard errors of each moment: 1, 2, 15, 96 over n.
    assert_true(tac_fabs(m[1] / n) < 5 * tac_sqrt(1 / n));
    assert_true(tac_fabs(m[2] / n - 1) < 5 * tac_sqrt(2 / n));
    assert_true(tac_fabs(m[3] / n) < 5 * tac_sqrt(15 / n));
    assert_true(tac_fabs(m[4] / n - 3) < 5 * tac_sqrt(96 / n));
    assert_true(tac_fabs(correlation / n) < 5 * tac_sqrt(1 / n));
    assert_true(tac_fabs((double)beyond_two / n - 0.0455) < 5 * tac_sqrt(0.0455 / n));
}

static void test_normal_draws(void **state)
{
    (void)state;
    roll("normals: true");
    const tac__stream stream = tac__stream_make(3, "a.normal");
    for (size_t i = 0; i < DRAWS_MAX; i++) {
        uint64_t next = i;
        double n;
        tac__normals_draw(&(tac__normals){0}, &stream, &next, &n, 1);
        rig_same(draws[i], n, "draw", i);
    }
    check_moments();
}

// Drawn at once every three are one draw; what is left of the last is not used.
static void test_normal_draws_at_once(void **state)
{
    (void)state;
    for (size_t batch = 1; batch <= 5; batch++) {
        char params[32];
        snprintf(params, sizeof params, "batch: %zu", batch);
        draw_count = 0;
        roll(params);
        const tac__stream stream = tac__stream_make(3, "a.normal");
        const size_t indices = (batch + 2) / 3;
        for (size_t i = 0; i + batch <= DRAWS_MAX; i += batch) {
            for (size_t k = 0; k < batch; k++) {
                double n[3];
                uint64_t next = i / batch * indices + k / 3;
                tac__normals_draw(&(tac__normals){0}, &stream, &next, n, 3);
                rig_same(draws[i + k], n[k % 3], "draw", i + k);
            }
        }
        check_moments();
    }
}

// --- independence -------------------------------------------------------------------------------

static uint64_t hash_with(const char *more_group, const char *more, const char *pattern, int seed)
{
    char text[2048];
    snprintf(text, sizeof text,
             "duration: 50 ms\n"
             "seed: %d\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [a, b%s]}]}\n"
             "components:\n"
             "  %s\n"
             "  a: {type: noise, params: {size: 3}}\n"
             "  b: {type: dice}\n",
             seed, more_group, *more ? more : "{}");
    if (!*more) {
        char *hole = strstr(text, "  {}\n");
        memmove(hole, hole + 5, strlen(hole + 5) + 1);
    }
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    size_t count;
    const uint64_t hash = tac_engine_hash(r.engine, pattern, &count);
    assert_true(count > 0);
    rig_close(&r);
    return hash;
}

static void test_streams_do_not_interact(void **state)
{
    (void)state;
    const uint64_t a = hash_with("", "", "a.*", 1), b = hash_with("", "", "b.*", 1);
    // Another component before them, which draws more, changes neither.
    assert_true(hash_with(", c", "c: {type: noise, params: {size: 7}}", "a.*", 1) == a);
    assert_true(hash_with(", c", "c: {type: noise, params: {size: 7}}", "b.*", 1) == b);
    assert_true(hash_with(", c", "c: {type: dice}", "b.*", 1) == b);
}

static void test_seed_changes_all(void **state)
{
    (void)state;
    assert_true(hash_with("", "", "a.*", 1) != hash_with("", "", "a.*", 2));
    assert_true(hash_with("", "", "b.*", 1) != hash_with("", "", "b.*", 2));
    assert_true(hash_with("", "", "b.*", 0) != hash_with("", "", "b.*", 2));
}

// Members of a swarm have streams of their own, keyed by their names.
static void test_swarm(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 5 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                 "entities: {uav: {count: 3, components: {n: {type: noise}}}}\n");
    rig_run(&r, 0);
    const double one = rig_f64(&r, "uav1.n.y"), two = rig_f64(&r, "uav2.n.y"),
                 three = rig_f64(&r, "uav3.n.y");
    assert_true(one != two && two != three && one != three);
    rig_close(&r);
    // The third is the third, with or without the others.
    rig_open(&r, "duration: 5 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                 "entities: {uav3: {components: {n: {type: noise}}}}\n");
    rig_run(&r, 0);
    rig_same(rig_f64(&r, "uav3.n.y"), three, "uav3", 0);
    rig_close(&r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
TEST_MAIN(TEST(test_uniform_draws), TEST(test_normal_draws), TEST(test_normal_draws_at_once),
          TEST(test_streams_do_not_interact), TEST(test_seed_changes_all), TEST(test_swarm))
