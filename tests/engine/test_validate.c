// States that come from outside: every one that a run comes to is accepted; one that was changed is
// refused by name, or does no harm. Under the address and undefined behaviour sanitizers this is
// the proof that no index, count, label, mask or time of a block is trusted unseen.
#include "engine/run/driven.h"
#include "engine/phases/phases.h"
#include "engine/run/validate.h"
#include "test_rig.h"

#include <time.h>

// --- models -------------------------------------------------------------------------------------

// Queues with messages on their way and waiting, histories, delays, timers, streams, explicit
// times, bools and enums, located conditions, phases with components that are active in some.
static const char model[] =
    "duration: 400 ms\n"
    "seed: 5\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: fast, period: 1 ms, components: [imu, mix, out]}\n"
    "    - {name: odd, period: 7 ms, offset: 300 us, components: [noise, radio, ear]}\n"
    "    - {name: slow, period: 20 ms, components: [nav, flag, word]}\n"
    "    - {name: some, times: [0, 5 ms, 33333 us, 390 ms], components: [count]}\n"
    "  synchronization:\n"
    "    overrides:\n"
    "      - {pattern: nav.position, policy: INTERPOLATED}\n"
    "      - {pattern: nav.attitude, policy: EXTRAPOLATED}\n"
    "plant: {integrator: {kind: rk45}}\n"
    "phases:\n"
    "  names: [A, B, C]\n"
    "  initial: A\n"
    "  transitions:\n"
    "    - {from: A, to: B, condition: \"spring.position > 0.001\", locate: true}\n"
    "    - {from: B, to: C, condition: \"held(t > 0.05, 0.04 s)\"}\n"
    "    - {from: C, to: A, condition: \"spring.position < -0.001\", locate: true, actions: "
    "[{reset: "
    "spring.velocity, to: \"0.01 m/s\"}]}\n"
    "components:\n"
    "  nav: {type: circle}\n"
    "  noise: {type: noise, params: {unit: N}}\n"
    "  flag: {type: source, params: {kind: bool}}\n"
    "  word: {type: source, params: {kind: enum}}\n"
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
    "links:\n"
    "  - {from: radio.tx, to: ear.rx, delay: 22345 us}\n";

static const char *source_folder(void)
{
    static char folder[512];
    const char *source = getenv("TACTUS_SOURCE");
    snprintf(folder, sizeof folder, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(folder, '/') = '\0';
    return folder;
}

// NULL: the one above.
static void open_model(rig *r, const char *example)
{
    char path[700];
    const char *set = "duration=1000 s";
    snprintf(path, sizeof path, "%s/examples/%s.yaml", source_folder(), example);
    if ((example ? rig_try_all(r, path, NULL, &set, 1) : rig_try(r, model)) != TAC_OK) {
        rig_show(r);
        fail_msg("'%s' cannot be built", example ? example : "the model");
    }
}

static const char *const models[] = {
    NULL,    "convoy", "equations",     "gusts",        "sensors",           "rocket",
    "rates", "orbit",  "rocket_ascent", "iris_mission", "octa_two_batteries"};
enum { MODELS = sizeof models / sizeof *models };

// --- sound states -------------------------------------------------------------------------------

// At odd instants, and as they are restored.
static void test_every_state_of_a_run_is_sound(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        rig r, again;
        open_model(&r, models[m]);
        const tac_time step_us = models[m] ? 123457 : 3331, end_us = models[m] ? 8000000 : 400000;
        for (tac_time t_us = 0; t_us < end_us; t_us += step_us) {
            tac_error_clear(&r.err);
            if (tac__validate(r.engine, true, &r.err) != TAC_OK) {
                rig_show(&r);
                fail_msg("model %zu at %llu us is refused", m, (unsigned long long)t_us);
            }
            rig_run(&r, t_us);
        }
        tac__text bytes;
        tac__text_init(&bytes, tac_allocator_default());
        assert_int_equal(tac__snapshot_take(r.engine, &bytes, &r.err), TAC_OK);
        open_model(&again, models[m]);
        assert_int_equal(
            tac__snapshot_restore(again.engine, bytes.chars, bytes.length, true, false, &again.err),
            TAC_OK);
        rig_run(&r, end_us + step_us);
        rig_run(&again, end_us + step_us);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) ==
                    tac_engine_hash(again.engine, NULL, NULL));
        tac__text_fini(&bytes);
        rig_close(&again);
        rig_close(&r);
    }
}

// --- changed states -----------------------------------------------------------------------------

enum { HEAD = 24 }; // of a snapshot, before the block

static uint64_t changed(uint64_t word, unsigned how)
{
    static const uint64_t flips[] = {1,    UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 63,
                                     0x7f, UINT64_C(0x100),   UINT64_C(1) << 20};
    const unsigned count = sizeof flips / sizeof *flips;
    if (how < count)
        return word ^ flips[how];
    const uint64_t values[] = {0,
                               UINT64_MAX,
                               (uint64_t)INT64_MAX,
                               UINT64_C(0x7fffffff7fffffff),
                               UINT64_C(0x7ff8000000000000),
                               word + 1,
                               word - 1,
                               1000000};
    return values[(how - count) % (sizeof values / sizeof *values)];
}

enum { WAYS = 15 };

static tac__text take(const char *example, tac_time t_us)
{
    rig r;
    tac__text bytes;
    tac__text_init(&bytes, tac_allocator_default());
    open_model(&r, example);
    rig_run(&r, t_us);
    assert_int_equal(tac__snapshot_take(r.engine, &bytes, &r.err), TAC_OK);
    rig_close(&r);
    return bytes;
}

// What became of a state with one word changed: how many were refused, went on, or failed later.
typedef struct outcomes {
    size_t refused, ran, failed;
} outcomes;

static void try_changed(const char *example, const tac__text *bytes, size_t word, unsigned how,
                        tac_time span_us, outcomes *o)
{
    uint64_t was, is;
    char *at = bytes->chars + HEAD + word * 8;
    memcpy(&was, at, 8);
    is = changed(was, how);
    if (is == was)
        return;
    memcpy(at, &is, 8);
    rig r;
    open_model(&r, example);
    tac_error_clear(&r.err);
    tac_status status =
        tac__snapshot_restore(r.engine, bytes->chars, bytes->length, true, false, &r.err);
    if (status != TAC_OK) {
        o->refused++;
        // It names the part: that of the word, or one that depends on it.
        assert_true(status == TAC_E_FORMAT || status == TAC_E_RANGE);
        assert_non_null(strstr(r.err.text, "stored state"));
    } else {
        status = tac_engine_run(r.engine, tac_engine_time(r.engine) + span_us, &r.err);
        o->ran += status == TAC_OK;
        o->failed += status != TAC_OK;
        if (status != TAC_OK)
            assert_true(r.err.status == status && r.err.text[0]);
    }
    rig_close(&r);
    memcpy(at, &was, 8);
}

// Every word of the small model, one way each; TACTUS_FLIPS=N makes it N ways, and the others, too.
static void test_changed_words_do_no_harm(void **state)
{
    (void)state;
    const char *wish = getenv("TACTUS_FLIPS");
    const unsigned ways = wish ? (unsigned)atoi(wish) : 0;
    for (size_t m = 0; m < MODELS; m++) {
        tac__text bytes = take(models[m], models[m] ? 5012345 : 111111);
        const size_t words = (bytes.length - HEAD) / 8;
        outcomes o = {0};
        const size_t stride = ways ? 1 : models[m] ? 1 + words / 40 : 1;
        for (size_t w = 0; w < words; w += stride) {
            for (unsigned k = 0; k < (ways ? ways : models[m] ? 1 : 2); k++)
                try_changed(models[m], &bytes, w, (unsigned)(w * 7 + k * 4) % WAYS, 30000, &o);
        }
        if (wish)
            print_message("%s: %zu words, %zu refused, %zu ran, %zu failed later\n",
                          models[m] ? models[m] : "small", words, o.refused, o.ran, o.failed);
        assert_true(o.ran > 0 && (o.refused > 0 || stride > 1));
        tac__text_fini(&bytes);
    }
}

// --- by name ------------------------------------------------------------------------------------

static size_t offset_of(const tac_engine *e, const char *part)
{
    for (tac__part_walk w = {0}; tac__block_next(&e->plan->block, &w);) {
        char name[TAC__PART_NAME];
        if (!strcmp(tac__part_name(&w.part, name), part))
            return w.part.offset;
    }
    fail_msg("no part '%s'", part);
    return 0;
}

static void refuse(const char *part, size_t at, size_t size, uint64_t value, const char *text)
{
    tac__text bytes = take(NULL, 111111);
    rig r;
    open_model(&r, NULL);
    memcpy(bytes.chars + HEAD + offset_of(r.engine, part) + at, &value, size);
    tac_error_clear(&r.err);
    assert_int_equal(
        tac__snapshot_restore(r.engine, bytes.chars, bytes.length, true, false, &r.err),
        TAC_E_FORMAT);
    if (!strstr(r.err.text, text)) {
        rig_show(&r);
        fail_msg("expected '%s'", text);
    }
    rig_close(&r);
    tac__text_fini(&bytes);
}

static void test_messages_name_the_part(void **state)
{
    (void)state;
    refuse("islands to be integrated", 0, 8, UINT64_C(1) << 40, "'islands to be integrated' has");
    refuse("clock of the run", offsetof(tac__clock, finished), 8, 1, "'clock of the run'");
    refuse("island spring", offsetof(tac__island_state, h_us), 8, 0, "'island spring'");
    refuse("queue ear.rx", offsetof(tac__queue_state, first), 4, 4096, "'queue ear.rx'");
    refuse("queue heap ear.rx", 0, 4, 4096, "queue heap");
    refuse("queue slots ear.rx", offsetof(tac__queue_slot, size), 4, 1 << 30, "queue slots");
    refuse("signal flag.y", 0, 1, 2, "'signal flag.y' has the value 2 for a bool");
    refuse("signal word.y", 0, 4, 3, "'signal word.y' has the value 3");
    refuse("signal flight.queued", 0, 8, 4, "'signal flight.queued' names transition 4");
    refuse("missed triggers ear", 0, 8, 64, "'missed triggers ear'");
    refuse("history writes nav.position", 0, 8, UINT64_MAX, "'history writes nav.position'");
    refuse("timeline next", 0, 8, 1, "'timeline next'");
    refuse("timeline taken", 0, 8, 1 << 20, "'timeline taken'");
}

TEST_MAIN(cmocka_unit_test(test_every_state_of_a_run_is_sound),
          cmocka_unit_test(test_changed_words_do_no_harm),
          cmocka_unit_test(test_messages_name_the_part))
