// Discrete components that step together: digests, counters and checkpoints are those of components
// that step one by one.
#include "base/hash.h"
#include "engine/run/teams.h"
#include "engine/test_rig.h"
#include "math/prints.h"
#include "support/allocator.h"
#include <tactus/math.h>

#include <math.h>

// --- cells --------------------------------------------------------------------------------------

// What a component may have: inputs, outputs and states of several types, numbers and draws.
typedef struct cell {
    int64_t sort; // its shape
} cell;

enum { U, HOT, AHEAD, BIAS };    // inputs
enum { Y, V, N, FREE };          // outputs
enum { MEMORY, COUNT, WAS_HOT }; // states
enum { GAIN, DECAY, NUMBERS };

static uint64_t packs[TAC__TEAM_MAX + 1]; // how often so many stepped at once
static bool fails_at_times;               // kernels of packs refuse some steps
static bool breaks;                       // cells of sort 1 fail

static const unsigned widths[] = {2, 4, 8};

static uint64_t all_packs(void)
{
    return packs[2] + packs[4] + packs[8];
}

static tac_status cell_declare(tac_declare *d, void *self)
{
    cell *c = self;
    c->sort = tac_param_int(d, TAC_PARAM(.name = "sort", .fallback = "0"));
    const double numbers[NUMBERS] = {
        tac_param_f64(d, TAC_PARAM(.name = "gain", .fallback = "1")),
        tac_param_f64(d, TAC_PARAM(.name = "decay", .fallback = "0.5"))};
    tac_declare_numbers(d, numbers, sizeof numbers);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_input(d,
                      TAC_PORT(.name = "hot", .type = TAC_TYPE_BOOL, .flags = TAC_PORT_OPTIONAL));
    tac_declare_input(d,
                      TAC_PORT(.name = "ahead", .type = TAC_TYPE_F64, .flags = TAC_PORT_OPTIONAL));
    tac_param_input(d, TAC_PARAM(.name = "bias", .fallback = "0.75")); // never connected
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "v", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    tac_declare_output(d, TAC_PORT(.name = "free", .type = TAC_TYPE_F64, .flags = TAC_PORT_NAN));
    tac_declare_state(d, TAC_PORT(.name = "memory", .type = TAC_TYPE_ARRAY(TAC_F64, 5)));
    tac_declare_state(d, TAC_PORT(.name = "count", .type = TAC_TYPE_I64));
    tac_declare_state(d, TAC_PORT(.name = "was_hot", .type = TAC_TYPE_BOOL));
    tac_declare_stream(d, "s");
    return TAC_OK;
}

// One lane of several. `v` is written only at times: it holds.
static void cell_lane(const tac_step *s, const cell *c, const double *normals, size_t lane)
{
    const size_t w = s->lanes;
    const double gain = s->p[GAIN * w + lane], decay = s->p[DECAY * w + lane];
    double *memory = TAC_STATE(s, double, MEMORY);
    int64_t *count = TAC_STATE(s, int64_t, COUNT) + lane;
    bool *was_hot = TAC_STATE(s, bool, WAS_HOT) + lane;
    const bool hot = TAC_IN(s, bool, HOT)[lane];
    const double u = TAC_IN(s, double, U)[lane] + 0.25 * TAC_IN(s, double, AHEAD)[lane] +
                     TAC_IN(s, double, BIAS)[lane];
    for (size_t i = 0; i < 5; i++) {
        double *m = &memory[i * w + lane];
        *m = *m * decay + gain * normals[i * w + lane] + (c->sort ? 0.5 * u : tac_sin(u));
    }
    *count += hot != *was_hot;
    if (*count % 5 == 1 && hot != *was_hot) {
        tac_step one = s->lanes > 1 ? tac_step_of_lane(s, (uint32_t)lane) : *s;
        tac_log_write(&one, TAC_LOG_INFO, "count %d of %g", (int)*count, gain);
    }
    *was_hot = hot;
    TAC_OUT(s, double, Y)[lane] = memory[lane] + memory[4 * w + lane];
    for (size_t i = 0; i < 3 && *count % 3 == 0; i++)
        TAC_OUT(s, double, V)
    [i * w + lane] = *count % 4 == 3 ? (double)NAN : memory[(i + 1) * w + lane];
    TAC_OUT(s, int64_t, N)[lane] = *count;
    const double nan = w > 1 ? -(double)NAN : (double)NAN; // all NaNs count as equal
    TAC_OUT(s, double, FREE)[lane] = *count % 2 ? nan : memory[lane];
}

static tac_status cell_step(tac_step *s, const void *self)
{
    double normals[5 * TAC__TEAM_MAX];
    assert_true(s->lanes >= 1 && s->lanes <= TAC__TEAM_MAX);
    packs[s->lanes]++;
    if (fails_at_times && s->lanes > 1 && s->t_us % 7000 == 0)
        return TAC_E_NUMERIC;
    if (breaks && ((const cell *)self)->sort)
        return tac_fail(s, "broken");
    tac_draw_normals(s, 0, normals, 5);
    for (size_t lane = 0; lane < s->lanes; lane++)
        cell_lane(s, self, normals, lane);
    return TAC_OK;
}

static bool cell_alike(const void *self, const void *other)
{
    return ((const cell *)self)->sort == ((const cell *)other)->sort;
}

static const tac_component_type cell_type = {.size = sizeof(tac_component_type),
                                             .name = "cell",
                                             .version = "1",
                                             .stage = TAC_STAGE_CONTROL,
                                             .self_size = sizeof(cell),
                                             .declare = cell_declare,
                                             .kernels[TAC_NUMBERS].step = cell_step,
                                             .kernels[TAC_PACK2].step = cell_step,
                                             .kernels[TAC_PACK4].step = cell_step,
                                             .kernels[TAC_PACK8].step = cell_step,
                                             .alike = cell_alike};

// --- random simulations -------------------------------------------------------------------------

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

static bool is_slow(uint64_t seed, size_t i)
{
    return (seed * 31 + i * i * 7) % 5 == 0;
}

// The names of slow or fast cells, each after a comma.
static size_t write_names(uint64_t seed, size_t cells, bool slow, char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < cells; i++) {
        if (is_slow(seed, i) == slow)
            n += (size_t)snprintf(text + n, size - n, ", c%zu", i);
    }
    return n;
}

// Some cells read others that step before them at the same instant.
static void write_case(uint64_t seed, unsigned lanes, char *text, size_t size)
{
    uint64_t random = seed;
    const size_t cells = 2 + draw(&random, 20), apart = draw(&random, 3);
    size_t n = (size_t)snprintf(text, size,
                                "duration: 100 ms\nplant: {lanes: %u}\n"
                                "scheduler: {rate_groups: [\n"
                                "  {name: a, period: 1 ms, components: [s, h",
                                lanes);
    n += write_names(seed, cells, false, text + n, size - n);
    n += (size_t)snprintf(text + n, size - n,
                          "]},\n  {name: b, period: 3 ms, offset: 1 ms, components: [t");
    n += write_names(seed, cells, true, text + n, size - n);
    n += (size_t)snprintf(text + n, size - n,
                          "]}]}\ncomponents:\n  s: {type: source}\n  t: {type: source}\n"
                          "  h: {type: source, params: {kind: bool}}\n");
    for (size_t i = 0; i < cells; i++) {
        const unsigned sort = draw(&random, 4) == 0;
        n += (size_t)snprintf(text + n, size - n,
                              "  c%zu: {type: cell, params: {sort: %u, gain: %u.5, decay: 0.%u},\n"
                              "    inputs: {u: {from: %s.y, gain: %u}, hot: h.y",
                              i, sort, (unsigned)draw(&random, 9), 1 + (unsigned)draw(&random, 8),
                              draw(&random, 2) ? "s" : "t", 1 + (unsigned)draw(&random, 3));
        const bool delayed = draw(&random, 3) == 0;
        const size_t writer = draw(&random, delayed ? cells : i + 1);
        if (writer != i && draw(&random, 4) < apart)
            n += (size_t)snprintf(text + n, size - n, ", ahead: {from: c%zu.y%s}", writer,
                                  delayed ? ", delayed: true" : "");
        n += (size_t)snprintf(
            text + n, size - n,
            "}}\n  k%zu: {type: integrator, params: {rate_unit: 1}, inputs: {u: c%zu.y}}\n", i,
            i); // otherwise they would be mere observers
    }
    assert_true(n < size);
}

typedef struct result {
    uint64_t hash, vectors;
    tac__hash log; // of what was logged, in this order
    tac__hash taps;
    tac_counters counters;
} result;

// What taps saw, in this order.
static tac__hash tapped;
static tac__tap taps[64];

static void show(void *context, tac_engine *engine, tac_time t_us)
{
    const size_t component = (size_t)((tac__tap *)context - taps);
    const double *y = engine->instances[component]->step.out[Y];
    tapped = tac__hash_f64(tac__hash_word(tac__hash_word(tapped, t_us), component), *y);
}

// Of some cases no component has a tap, of others some have.
static tac_status add_taps(void *context, tac_engine *engine, tac_error *err)
{
    const uint64_t random = *(uint64_t *)context;
    (void)err;
    for (size_t i = 0; random % 3 == 1 && i < engine->plan->component_count && i < 64; i++) {
        if (strcmp(engine->plan->components[i]->type->name, "cell") || (random + i) % 13)
            continue;
        taps[i] = (tac__tap){.show = show, .context = &taps[i]};
        tac__tap_steps(engine, i, &taps[i]);
    }
    return TAC_OK;
}

static void open_case(rig *r, uint64_t random, unsigned lanes)
{
    static char text[16384];
    write_case(random, lanes, text, sizeof text);
    rig_types[0] = &cell_type;
    rig_types[1] = NULL;
    rig_open(r, text);
    tac_engine_destroy(r->engine);
    const tac_engine_def def = tac_config_engine_def(r->config);
    assert_int_equal(tac_config_build_unprepared(r->config, &def, &r->engine, &r->err), TAC_OK);
    assert_int_equal(tac__engine_when_resolved(r->engine, add_taps, &random), TAC_OK);
    assert_int_equal(tac_engine_prepare(r->engine, &r->err), TAC_OK);
    tapped = TAC__HASH_SEED;
}

static void hear(void *context, const tac_log_entry *entry)
{
    tac__hash *h = context;
    *h = tac__hash_text(tac__hash_text(tac__hash_word(*h, entry->t_us), entry->component),
                        entry->text);
}

static result close_case(rig *r)
{
    result got = {.log = TAC__HASH_SEED};
    assert_int_equal(tac_engine_add_log(r->engine, TAC_LOG_INFO, hear, &got.log, &r->err), TAC_OK);
    rig_run(r, TAC_TIME_MAX);
    got.taps = tapped;
    got.vectors = tac_engine_hash(r->engine, "*.v", NULL); // before anything else is asked for
    got.hash = tac_engine_hash(r->engine, NULL, NULL);
    got.counters = tac_engine_counters(r->engine);
    rig_close(r);
    return got;
}

static void same(const result *a, const result *b, uint64_t random)
{
    if (a->hash == b->hash && a->vectors == b->vectors && a->log == b->log && a->taps == b->taps &&
        !memcmp(&a->counters, &b->counters, sizeof a->counters))
        return;
    static char text[16384];
    write_case(random, 8, text, sizeof text);
    fail_msg("%016llx alone, %016llx together of\n%s", (unsigned long long)a->hash,
             (unsigned long long)b->hash, text);
}

static void test_same_as_one_by_one(void **state)
{
    (void)state;
    memset(packs, 0, sizeof packs);
    for (uint64_t random = 1; random <= 200; random++) {
        rig r;
        const uint64_t before = all_packs();
        fails_at_times = random % 4 == 0;
        open_case(&r, random, 1);
        const result alone = close_case(&r);
        assert_true(all_packs() == before);
        open_case(&r, random, widths[random % 3]);
        const result together = close_case(&r);
        same(&alone, &together, random);
    }
    fails_at_times = false;
    for (size_t i = 0; i < 3; i++) {
        print_message("%llu steps of %u at once\n", (unsigned long long)packs[widths[i]],
                      widths[i]);
        assert_true(packs[widths[i]] > 1000 || !tac__packs_sound(widths[i]));
    }
}

static size_t read_all(const char *path, unsigned char *bytes, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t n = fread(bytes, 1, size, f);
    fclose(f);
    return n;
}

// Checkpoints are the same bytes, and a run goes on from one; so it does from a snapshot.
static void test_checkpoints_and_snapshots(void **state)
{
    (void)state;
    static unsigned char bytes[2][1 << 20];
    const char *path = path_of("state.checkpoint");
    for (uint64_t random = 1; random <= 40; random++) {
        rig r;
        size_t sizes[2];
        result results[2];
        for (int lanes = 0; lanes < 2; lanes++) {
            open_case(&r, random, lanes ? widths[random % 3] : 1);
            const tac_time at_us = 30000 + random * 1237;
            assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us, path, &r.err), TAC_OK);
            rig_run(&r, 20000);
            tac_snapshot *snapshot = NULL;
            assert_int_equal(tac_engine_take_snapshot(r.engine, &snapshot, &r.err), TAC_OK);
            rig_run(&r, 23000);
            assert_int_equal(tac_engine_restore_snapshot(r.engine, snapshot, &r.err), TAC_OK);
            tac_snapshot_destroy(snapshot);
            assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us, path, &r.err), TAC_OK);
            results[lanes] = close_case(&r);
            sizes[lanes] = read_all(path, bytes[lanes], sizeof bytes[lanes]);
        }
        same(&results[0], &results[1], random);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        open_case(&r, random, widths[random % 3]);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        assert_true(close_case(&r).hash == results[0].hash);
    }
}

// --- who steps together -------------------------------------------------------------------------

static const char *const company =
    "duration: 10 ms\nplant: {lanes: 4}\n"
    "scheduler: {rate_groups: [{name: a, period: 1 ms, components: [s, p, q, a0, a1, a2, a3, b0, "
    "reads]},\n"
    "  {name: b, period: 2 ms, components: [slow0, slow1]}]}\n"
    "components:\n  s: {type: source}\n"
    "  a0: {type: cell, inputs: {u: s.y}}\n"
    "  b0: {type: cell, params: {sort: 1}, inputs: {u: s.y}}\n"
    "  a1: {type: cell, params: {gain: 3}, inputs: {u: s.y}}\n"
    "  p: {type: probe, inputs: {u: a1.y}}\n"
    "  reads: {type: cell, inputs: {u: a0.y}}\n" // of a0, at the same instant
    "  a2: {type: cell, inputs: {u: s.y}}\n"
    "  q: {type: probe, inputs: {u: a2.y}}\n"
    "  slow0: {type: cell, inputs: {u: s.y}}\n"
    "  slow1: {type: cell, inputs: {u: s.y}}\n"
    "  a3: {type: cell, inputs: {u: s.y}}\n";

static const tac__team *team_of(const rig *r, const char *name)
{
    for (size_t i = 0; i < r->engine->plan->component_count; i++) {
        if (!strcmp(r->engine->plan->components[i]->name, name))
            return r->engine->instances[i]->team;
    }
    fail_msg("no component '%s'", name);
    return NULL;
}

// An explicit order may have a reader before its writer.
static void test_a_reader_before_its_writer(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int lanes = 0; lanes < 2; lanes++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "duration: 20 ms\nplant: {lanes: %s}\n"
                 "scheduler: {order: [s, a0, r, a1], rate_groups: [{name: a, period: 1 ms,\n"
                 "  components: [s, a0, r, a1]}]}\n"
                 "components:\n  s: {type: source}\n"
                 "  a0: {type: cell, inputs: {u: s.y}}\n  a1: {type: cell, inputs: {u: s.y}}\n"
                 "  r: {type: cell, params: {sort: 1}, inputs: {u: a1.y}}\n"
                 "  k: {type: integrator, params: {rate_unit: 1}, inputs: {u: r.y}}\n",
                 lanes ? "auto" : "1");
        rig_types[0] = &cell_type;
        rig_types[1] = NULL;
        rig r;
        rig_open(&r, text);
        rig_run(&r, TAC_TIME_MAX);
        hashes[lanes] = tac_engine_hash(r.engine, NULL, NULL);
        rig_close(&r);
    }
    assert_true(hashes[0] == hashes[1]);
}

// A run fails after some of a team had their turn, and goes back.
static void test_back_from_a_failure(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int fails = 0; fails < 2; fails++) {
        rig_types[0] = &cell_type;
        rig_types[1] = NULL;
        rig r;
        rig_open(&r, "duration: 20 ms\nscheduler: {rate_groups: [{name: a, period: 1 ms,\n"
                     "  components: [s, a0, f, a1]}]}\n"
                     "components:\n  s: {type: source}\n"
                     "  a0: {type: cell, inputs: {u: s.y}}\n"
                     "  f: {type: cell, params: {sort: 1}, inputs: {u: s.y}}\n"
                     "  a1: {type: cell, inputs: {u: s.y}}\n");
        rig_run(&r, 3000);
        tac_snapshot *snapshot = NULL;
        assert_int_equal(tac_engine_take_snapshot(r.engine, &snapshot, &r.err), TAC_OK);
        breaks = fails;
        assert_int_equal(tac_engine_run(r.engine, 5000, &r.err) != TAC_OK, fails);
        breaks = false;
        assert_int_equal(tac_engine_restore_snapshot(r.engine, snapshot, &r.err), TAC_OK);
        tac_snapshot_destroy(snapshot);
        rig_run(&r, TAC_TIME_MAX);
        hashes[fails] = tac_engine_hash(r.engine, NULL, NULL);
        rig_close(&r);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Entries of the log of a team wait in memory that grows. Where there is none the run fails, and
// goes on from a snapshot with all entries.
static void test_no_memory_for_the_log(void **state)
{
    (void)state;
    tac__hash whole = 0;
    uint64_t n = 0;
    for (tac_status status = TAC_E_MEMORY; status != TAC_OK; n++) {
        rig r;
        rig_types[0] = &cell_type;
        rig_types[1] = NULL;
        rig_open(&r, "duration: 100 ms\n"
                     "scheduler: {rate_groups: [{name: a, period: 1 ms, components: ['*']}]}\n"
                     "components:\n  s: {type: source}\n"
                     "  h: {type: source, params: {kind: bool}}\n"
                     "  a0: {type: cell, inputs: {u: s.y, hot: h.y}}\n"
                     "  a1: {type: cell, params: {gain: 2}, inputs: {u: s.y, hot: h.y}}\n");
        tac_engine_destroy(r.engine);
        test_allocator a = test_allocator_make();
        const tac_allocator hook = test_allocator_hook(&a);
        tac_engine_def def = tac_config_engine_def(r.config);
        def.allocator = &hook;
        def.lanes = n ? 2 : 1; // first one by one, to compare with
        assert_int_equal(tac_config_build(r.config, &def, &r.engine, &r.err), TAC_OK);
        tac__hash log = TAC__HASH_SEED;
        assert_int_equal(tac_engine_add_log(r.engine, TAC_LOG_INFO, hear, &log, &r.err), TAC_OK);
        tac_snapshot *snapshot = NULL;
        assert_int_equal(tac_engine_take_snapshot(r.engine, &snapshot, &r.err), TAC_OK);
        a.fail_at = n ? a.calls + n : 0;
        status = tac_engine_run(r.engine, TAC_TIME_MAX, &r.err);
        a.fail_at = 0;
        if (status != TAC_OK) {
            assert_int_equal(status, TAC_E_MEMORY);
            log = TAC__HASH_SEED;
            assert_int_equal(tac_engine_restore_snapshot(r.engine, snapshot, &r.err), TAC_OK);
            rig_run(&r, TAC_TIME_MAX);
        }
        if (n == 0) {
            whole = log;
            status = TAC_E_MEMORY; // go on
        }
        assert_true(log == whole && log != TAC__HASH_SEED);
        tac_snapshot_destroy(snapshot);
        rig_close(&r);
        test_allocator_check_empty(&a);
    }
    print_message("%llu requests for memory\n", (unsigned long long)n - 2);
    assert_true(n > 2 || !tac__packs_sound(2));
}

// Phases of one entity read components without phases, which step in a team, and reset states of
// its own, which do not.
static void test_phases(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (unsigned lanes = 1; lanes <= 8; lanes *= 2) {
        char text[4096];
        snprintf(text, sizeof text,
                 "duration: 200 ms\nplant: {lanes: %u}\n"
                 "scheduler: {rate_groups: [{name: a, period: 1 ms, components: ['*']}]}\n"
                 "components:\n  s: {type: source}\n  h: {type: source, params: {kind: bool}}\n"
                 "  a0: {type: cell, inputs: {u: s.y, hot: h.y}}\n"
                 "  a1: {type: cell, inputs: {u: s.y, hot: h.y}}\n"
                 "  a2: {type: cell, inputs: {u: {from: e.b1.y, delayed: true}, hot: h.y}}\n"
                 "entities:\n  e:\n    phases:\n      names: [LOW, HIGH]\n      initial: LOW\n"
                 "      transitions:\n"
                 "        - {from: LOW, to: HIGH, condition: \"a1.y > 1\",\n"
                 "           actions: [{reset: b1.memory, to: [1, 2, 3, \"a0.y\", 5]}]}\n"
                 "        - {from: HIGH, to: LOW, condition: \"a1.y < 0.5\",\n"
                 "           actions: [{set: b0.ahead, to: \"a0.y\"}]}\n"
                 "    components:\n"
                 "      b0: {type: cell, inputs: {u: s.y, hot: h.y}}\n"
                 "      b1: {type: cell, inputs: {u: s.y, hot: h.y}}\n",
                 lanes);
        rig_types[0] = &cell_type;
        rig_types[1] = NULL;
        rig r;
        rig_open(&r, text);
        const bool together = lanes > 1 && tac__packs_sound(2);
        assert_int_equal(team_of(&r, "a0") != NULL, together);
        assert_ptr_equal(team_of(&r, "a1"), team_of(&r, "a0"));
        assert_null(team_of(&r, "e.b0"));
        assert_null(team_of(&r, "e.b1"));
        rig_run(&r, TAC_TIME_MAX);
        if (lanes == 1)
            hash = tac_engine_hash(r.engine, NULL, NULL);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == hash);
        assert_true(*(const int64_t *)rig_read(&r, "e.flight.changes") > 4);
        rig_close(&r);
    }
}

static void test_who_steps_together(void **state)
{
    (void)state;
    if (!tac__packs_sound(4)) {
        print_message("this machine has no packs of 4\n");
        skip();
    }
    rig r;
    rig_types[0] = &cell_type;
    rig_types[1] = NULL;
    rig_open(&r, company);
    const tac__team *a = team_of(&r, "a0");
    assert_non_null(a);
    for (int i = 1; i < 4; i++)
        assert_ptr_equal(team_of(&r, (const char *[]){"a0", "a1", "a2", "a3"}[i]), a);
    assert_null(team_of(&r, "b0"));
    assert_null(team_of(&r, "reads"));
    assert_non_null(team_of(&r, "slow0"));
    assert_ptr_equal(team_of(&r, "slow0"), team_of(&r, "slow1"));
    rig_close(&r);
}

static void tune_profile(tac_engine_def *def)
{
    def->profile = true;
}

static tac_time stepped_us(const rig *r, const char *name)
{
    for (size_t i = 0; i < r->engine->plan->component_count; i++) {
        if (!strcmp(r->engine->plan->components[i]->name, name))
            return r->engine->instances[i]->step.t_us;
    }
    fail_msg("no component '%s'", name);
    return 0;
}

// The first of a team does the work of all: the others have no turn, but where each has something
// of its own to do.
static void test_turns(void **state)
{
    (void)state;
    if (!tac__packs_sound(4)) {
        print_message("this machine has no packs of 4\n");
        skip();
    }
    rig r;
    rig_types[0] = &cell_type;
    rig_types[1] = NULL;
    rig_open(&r, company);
    rig_run(&r, 10000);
    assert_int_equal(stepped_us(&r, "a0"), 10000);
    assert_true(stepped_us(&r, "a1") < 10000);
    assert_true(stepped_us(&r, "a3") < 10000);
    assert_int_equal(stepped_us(&r, "b0"), 10000); // alone
    rig_close(&r);
    rig_tune = tune_profile;
    rig_open(&r, company);
    rig_tune = NULL;
    rig_run(&r, 10000);
    assert_int_equal(stepped_us(&r, "a1"), 10000); // is measured
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_same_as_one_by_one),
          cmocka_unit_test(test_checkpoints_and_snapshots),
          cmocka_unit_test(test_a_reader_before_its_writer),
          cmocka_unit_test(test_back_from_a_failure), cmocka_unit_test(test_no_memory_for_the_log),
          cmocka_unit_test(test_phases), cmocka_unit_test(test_who_steps_together),
          cmocka_unit_test(test_turns))
