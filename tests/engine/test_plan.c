// Plan, block and scratch are three things: a run writes nothing of the plan, whose memory is made
// read-only here, and scratch may be thrown away between any two instants.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "engine/run/state.h"
#include "test_rig.h"

#include <sys/mman.h>
#include <time.h>

// --- models -------------------------------------------------------------------------------------

// Gated components with triggers that they miss, located conditions, resets, draws, messages,
// timers, delays, policies and explicit times.
static const char model[] =
    "duration: 400 ms\n"
    "seed: 5\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: fast, period: 1 ms, components: [imu, mix, out]}\n"
    "    - {name: odd, period: 7 ms, offset: 300 us, components: [noise, ear]}\n"
    "    - {name: slow, period: 20 ms, components: [nav]}\n"
    "    - {name: some, times: [0, 5 ms, 33333 us, 390 ms], components: [count, radio]}\n"
    "  synchronization:\n"
    "    overrides:\n"
    "      - {pattern: nav.position, policy: INTERPOLATED}\n"
    "plant: {integrator: {kind: rk45}}\n"
    "phases:\n"
    "  names: [A, B, C]\n"
    "  initial: A\n"
    "  transitions:\n"
    "    - {from: A, to: B, condition: \"spring.position > 0.001\", locate: true}\n"
    "    - {from: B, to: C, condition: \"held(t > 0.05, 0.04 s)\"}\n"
    "    - {from: C, to: A, condition: \"spring.position < -0.001\", locate: true, actions: "
    "[{reset: spring.velocity, to: \"0.01 m/s\"}]}\n"
    "components:\n"
    "  nav: {type: circle}\n"
    "  noise: {type: noise, params: {unit: N}}\n"
    "  count: {type: counter}\n"
    "  body: {type: point_mass, inputs: {force: out.y}}\n"
    "  spring: {type: oscillator, inputs: {force: {from: noise.y, delay: 14 ms}}}\n"
    "  imu: {type: sensor, active: [A, C], params: {size: 3, unit: m/s, deviation: 0.1}, inputs: "
    "{u: body.velocity}}\n"
    "  mix: {type: tracker, inputs: {target: nav.position, position: body.position, velocity: "
    "imu.y}}\n"
    "  out: {type: filter, stage: actuate, params: {size: 3, unit: N}, inputs: {u: {from: "
    "mix.force, delay: 5 ms}}}\n"
    "  radio: {type: beacon, inputs: {u: noise.y}, params: {unit: N}}\n"
    "  ear: {type: listener, params: {unit: N}, active: [B]}\n"
    "  late: {type: listener, params: {unit: N}, active: [C]}\n"
    "links:\n"
    "  - {from: radio.tx, to: ear.rx, delay: 22345 us}\n"
    "  - {from: radio.tx, to: late.rx, delay: 1 ms}\n";

typedef struct one {
    const char *example; // NULL: the text above
    const char *set;
    tac_time end_us;
} one;

static const one models[] = {{NULL, "seed=5", 400000},
                             {NULL, "plant.integrator.kind=rk4", 400000},
                             {"convoy.yaml", "seed=5", 5000000},
                             {"equations.yaml", "seed=5", 5000000},
                             {"sensors.yaml", "seed=5", 2000000},
                             {"rocket.yaml", "seed=5", 20000000},
                             {"rates.yaml", "seed=5", 5000000},
                             {"rocket_ascent.yaml", "seed=5", 20000000},
                             {"iris_mission.yaml", "seed=5", 20000000},
                             {"swarm.yaml", "duration=2 s", 1500000}};
enum { MODELS = sizeof models / sizeof *models };

static void open_model(rig *r, const one *m)
{
    const char *const sets[] = {m->set};
    if (m->example)
        rig_example(r, m->example, NULL, sets, 1);
    else if (rig_try_sets(r, model, sets, 1) != TAC_OK) {
        rig_show(r);
        fail_msg("the model cannot be built");
    }
}

// --- a plan that cannot be written --------------------------------------------------------------

// Memory in pages of its own.
typedef struct region {
    void *at;
    size_t size;
} region;

enum { REGIONS_MAX = 1 << 16 };
static region regions[REGIONS_MAX];
static size_t region_count;

static size_t whole_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

static void *page_resize(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    void *memory = NULL;
    if (size) {
        memory = mmap(NULL, whole_pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0);
        assert_true(memory != MAP_FAILED && region_count < REGIONS_MAX);
        regions[region_count++] = (region){memory, whole_pages(size)};
    }
    if (!old)
        return memory;
    if (memory)
        memcpy(memory, old, old_size < size ? old_size : size);
    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].at == old) {
            munmap(old, regions[i].size);
            regions[i] = regions[--region_count];
            break;
        }
    }
    return memory;
}

static const tac_allocator pages = {page_resize, NULL};

static void use_pages(tac_engine_def *def)
{
    def->allocator = &pages;
}

struct tac__arena_block { // as arena.c has it
    tac__arena_block *older;
    size_t size;
};

static bool is_in(const tac__arena *arena, const void *at)
{
    for (const tac__arena_block *b = arena->blocks; b; b = b->older) {
        if (b == at)
            return true;
    }
    return false;
}

// Everything of the engine's but the block, scratch and what opaque components change themselves.
static size_t protect(const tac_engine *e, int protection)
{
    size_t count = 0;
    for (size_t i = 0; i < region_count; i++) {
        const void *at = regions[i].at;
        if (at == e || is_in(&e->memory, at) || is_in(&e->scratch, at) || is_in(&e->opaque, at))
            continue;
        assert_int_equal(mprotect(regions[i].at, regions[i].size, protection), 0);
        count++;
    }
    return count;
}

static void test_no_run_writes_the_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        rig r;
        open_model(&r, &models[i]);
        rig_run(&r, models[i].end_us);
        const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
        rig_close(&r);

        rig_tune = use_pages;
        open_model(&r, &models[i]);
        rig_tune = NULL;
        assert_null(r.engine->building);
        assert_true(protect(r.engine, PROT_READ) > 0);
        rig_run(&r, models[i].end_us / 2);
        tac__text bytes;
        tac__text_init(&bytes, NULL);
        assert_int_equal(tac__snapshot_take(r.engine, &bytes, &r.err), TAC_OK);
        tac__text_fini(&bytes);
        tac__scratch_restart(r.engine);
        rig_run(&r, models[i].end_us);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == hash);
        protect(r.engine, PROT_READ | PROT_WRITE);
        rig_close(&r);
        assert_int_equal(region_count, 0);
    }
}

// The plan of an engine that a recording drives. The replay has memory of its own from the same
// allocator, which it writes.
static size_t protect_plan(const tac_engine *e, int protection)
{
    size_t count = 0;
    for (size_t i = 0; i < region_count; i++) {
        if (!is_in(&e->plan->arena, regions[i].at))
            continue;
        assert_int_equal(mprotect(regions[i].at, regions[i].size, protection), 0);
        count++;
    }
    return count;
}

static void record_model(rig *r, const one *m, const char *path)
{
    tac_engine_def def = tac_config_engine_def(r->config);
    tac_recorder_def recorder_def = tac_recorder_def_default();
    recorder_def.path = path;
    recorder_def.replace = true;
    recorder_def.tier = TAC_TIER_REPLAY;
    tac_recorder *recorder;
    assert_int_equal(tac_config_build_unprepared(r->config, &def, &r->engine, &r->err), TAC_OK);
    assert_int_equal(tac_recorder_create(&recorder_def, r->engine, &recorder, &r->err), TAC_OK);
    assert_int_equal(tac_engine_prepare(r->engine, &r->err), TAC_OK);
    assert_int_equal(tac_recorder_begin(recorder, &r->err), TAC_OK);
    rig_run(r, m->end_us);
    assert_int_equal(tac_recorder_end(recorder, NULL, &r->err), TAC_OK);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(r->engine);
}

static void replay_model(rig *r, const one *m, const char *path)
{
    tac_engine_def def = tac_config_engine_def(r->config);
    def.allocator = &pages;
    const tac_replay_def replay_def = tac_replay_def_default();
    tac_recording *recording;
    tac_replay *replay;
    assert_int_equal(tac_config_build_unprepared(r->config, &def, &r->engine, &r->err), TAC_OK);
    assert_int_equal(tac_recording_open(path, &recording, &r->err), TAC_OK);
    assert_int_equal(tac_replay_create(recording, r->engine, &replay_def, &replay, &r->err),
                     TAC_OK);
    assert_int_equal(tac_engine_prepare(r->engine, &r->err), TAC_OK);
    assert_true(protect_plan(r->engine, PROT_READ) > 0);
    assert_int_equal(tac_replay_begin(replay, &r->err), TAC_OK);
    rig_run(r, m->end_us / 2);
    tac__block_complete(r->engine);
    tac__scratch_restart(r->engine);
    rig_run(r, m->end_us);
    assert_true(tac_replay_about(replay).hash_match);
    protect_plan(r->engine, PROT_READ | PROT_WRITE);
    tac_replay_destroy(replay);
    tac_engine_destroy(r->engine);
    r->engine = NULL;
    tac_recording_close(recording);
}

static void test_no_replay_writes_the_plan(void **state)
{
    (void)state;
    const char *path = path_of("a.mcap");
    for (size_t i = 0; i < MODELS; i++) {
        rig r;
        open_model(&r, &models[i]);
        tac_engine_destroy(r.engine);
        record_model(&r, &models[i], path);
        replay_model(&r, &models[i], path);
        rig_close(&r);
        assert_int_equal(region_count, 0);
    }
}

// --- scratch that is thrown away ----------------------------------------------------------------

static size_t scratch_size(const tac_engine *e)
{
    size_t size = 0;
    for (const tac__arena_block *b = e->scratch.blocks; b; b = b->older)
        size += b->size - sizeof *b;
    return size;
}

// All of it, to and from an image.
static void copy_scratch(const tac_engine *e, unsigned char *image, bool back)
{
    for (tac__arena_block *b = e->scratch.blocks; b; b = b->older) {
        const size_t size = b->size - sizeof *b;
        memcpy(back ? (void *)(b + 1) : image, back ? image : (void *)(b + 1), size);
        image += size;
    }
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

enum { STOPS = 60 };

// In its place comes scratch as it was when the engine was prepared, or at another instant.
static void test_scratch_may_be_thrown_away(void **state)
{
    (void)state;
    const uint64_t seed = (uint64_t)time(NULL) | 1;
    for (size_t i = 0; i < MODELS; i++) {
        const one *m = &models[i];
        uint64_t hashes[2];
        for (int thrown = 0; thrown < 2; thrown++) {
            rig r;
            open_model(&r, m);
            tac_engine *e = r.engine;
            const size_t size = scratch_size(e);
            unsigned char *first = malloc(size), *other = malloc(size);
            assert_true(first && other && size);
            copy_scratch(e, first, false);
            memcpy(other, first, size);
            uint64_t x = seed;
            for (int stop = 1; stop <= STOPS; stop++) {
                // Sometimes right after another instant, sometimes far away.
                const tac_time next_us = tac_engine_next_time(e);
                const tac_time far_us = m->end_us / STOPS * (tac_time)stop;
                rig_run(&r, next_random(&x) & 1 || next_us > far_us ? far_us : next_us);
                const uint64_t how = next_random(&x) % 4;
                if (!thrown)
                    continue;
                tac__block_complete(e);
                if (how == 0)
                    copy_scratch(e, other, false);
                else
                    copy_scratch(e, how == 1 ? other : first, true);
                tac__scratch_restart(e);
            }
            rig_run(&r, m->end_us);
            hashes[thrown] = tac_engine_hash(e, NULL, NULL);
            free(first);
            free(other);
            rig_close(&r);
        }
        if (hashes[0] != hashes[1])
            fail_msg("'%s' with %s: scratch held something (seed %llu)",
                     m->example ? m->example : "the model", m->set, (unsigned long long)seed);
    }
}

TEST_MAIN(cmocka_unit_test(test_no_run_writes_the_plan),
          cmocka_unit_test(test_no_replay_writes_the_plan),
          cmocka_unit_test(test_scratch_may_be_thrown_away))
