// What the hash of a run covers. Every word of a checkpoint is flipped: either restoring refuses
// it, or the hash is another at once, or it is one of the few that decide nothing, and then the run
// goes on as if nothing had been.
#include "test_rig.h"
#include "base/hash.h"
#include "record/models.h"

#include <stddef.h>

static char path[128];

static const char *example(const char *name)
{
    static char text[700];
    const char *source = getenv("TACTUS_SOURCE");
    char here[512];
    snprintf(here, sizeof here, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(here, '/') = '\0';
    snprintf(text, sizeof text, "%s/examples/%s.yaml", here, name);
    return text;
}

// --- words that decide nothing ------------------------------------------------------------------

#define WORD(type, field)                                                                          \
    {                                                                                              \
        (uint32_t)(offsetof(type, field) / 8), #field                                              \
    }

typedef struct idle_word {
    uint32_t word;
    const char *name;
} idle_word;

// Counters, and what follows from the rest: the end of the step under way, the last instant.
static const idle_word idle_clock[] = {
    WORD(tac__clock, t_us),     WORD(tac__clock, boundaries), WORD(tac__clock, steps),
    WORD(tac__clock, messages), WORD(tac__clock, started),
};
static const idle_word idle_island[] = {
    WORD(tac__island_state, to_us),      WORD(tac__island_state, outputs_us),
    WORD(tac__island_state, event_us),   WORD(tac__island_state, h_next_us),
    WORD(tac__island_state, tries_next), WORD(tac__island_state, steps),
    WORD(tac__island_state, rejected),   WORD(tac__island_state, evals),
    WORD(tac__island_state, undone),     WORD(tac__island_state, events),
};
// Whole parts of which words may be idle: counts of NaNs, and of messages on links; the end of a
// step under way; inputs that are renewed before they are used; places of messages that are gone;
// places of a ring of writes that were not used yet, and how often it went round; sources that
// follow from steps and queues; triggers of a component that is active.
static const char *const idle_parts[] = {
    "nans ",          "fates ",          "tentative ",     "next modes ",
    "input ",         "queue ",          "queue heap ",    "queue ring ",
    "queue stack ",   "queue slots ",    "missed ",        "history writes ",
    "history times ", "history values ", "timeline taken", "timeline next",
};

static bool is_among(const idle_word *words, size_t count, size_t word)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= words[i].word == word;
    return found;
}

static bool may_be_idle(const tac__part *part, size_t word)
{
    if (!strcmp(part->kind->what, "clock"))
        return is_among(idle_clock, sizeof idle_clock / sizeof *idle_clock, word);
    if (!strcmp(part->kind->what, "island"))
        return is_among(idle_island, sizeof idle_island / sizeof *idle_island, word);
    char name[TAC__PART_NAME];
    for (size_t i = 0; i < sizeof idle_parts / sizeof *idle_parts; i++) {
        if (!strncmp(tac__part_name(part, name), idle_parts[i], strlen(idle_parts[i])))
            return true;
    }
    return false;
}

// --- checkpoints --------------------------------------------------------------------------------

typedef struct file {
    unsigned char *bytes, *block;
    size_t size, block_size;
} file;

static file read_checkpoint(void)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    file c = {.size = (size_t)ftell(f)};
    rewind(f);
    c.bytes = malloc(c.size);
    assert_int_equal(fread(c.bytes, 1, c.size, f), c.size);
    fclose(f);
    uint64_t text, layout, block;
    memcpy(&text, c.bytes + 56, 8);
    memcpy(&layout, c.bytes + 64, 8);
    memcpy(&block, c.bytes + 72, 8);
    c.block = c.bytes + 88 + text + layout;
    c.block_size = block;
    return c;
}

// With a check sum that agrees.
static void write_checkpoint(const file *c)
{
    const uint64_t check = tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, c->bytes, c->size - 8));
    memcpy(c->bytes + c->size - 8, &check, 8);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(c->bytes, 1, c->size, f), c->size);
    fclose(f);
}

static void flip(const file *c, size_t word, unsigned bit)
{
    c->block[word * 8 + bit / 8] ^= (unsigned char)(1u << bit % 8);
}

// --- flipping -----------------------------------------------------------------------------------

// A simulation that can be made again and again: from a file, or a random one by its number.
typedef struct flight {
    const char *name; // of an example; NULL: random
    uint64_t number;
    tac_time at_us, end_us; // of an example
    const char *input;      // from outside, of an example: values are written to it; NULL: none
} flight;

typedef struct run {
    rig rig;     // of an example
    model model; // random
    tac_engine *engine;
    tac_error *err;
} run;

// False: a random one that the engine does not want.
static bool begin(run *r, const flight *f)
{
    memset(r, 0, sizeof *r);
    if (!f->name) {
        r->err = &r->model.err;
        tac_status status = model_make(&r->model, f->number, NULL);
        if (status == TAC_OK)
            status = tac_engine_prepare(r->model.engine, r->err);
        r->engine = r->model.engine;
        return status == TAC_OK;
    }
    char set[64];
    snprintf(set, sizeof set, "duration=%llu us", (unsigned long long)f->end_us);
    const char *sets[] = {set};
    r->err = &r->rig.err;
    if (rig_try_all(&r->rig, example(f->name), NULL, sets, 1) != TAC_OK) {
        rig_show(&r->rig);
        fail_msg("'%s' cannot be built", f->name);
    }
    r->engine = r->rig.engine;
    for (tac_time t_us = 10000; f->input && t_us < f->end_us; t_us += f->end_us / 7) {
        const double value = (double)t_us;
        const int input = tac_engine_find_input(r->engine, f->input, r->err);
        assert_int_equal(tac_engine_write(r->engine, input, t_us, &value, r->err), TAC_OK);
    }
    return true;
}

static void end(run *r, const flight *f)
{
    if (f->name)
        rig_close(&r->rig);
    else
        model_end(&r->model);
}

static void go_to(run *r, tac_time t_us)
{
    if (tac_engine_run(r->engine, t_us, r->err) != TAC_OK)
        fail_msg("the run fails: %s", r->err->text);
}

enum { DIGESTS = 1024 };

typedef struct digests {
    uint64_t hash, each[DIGESTS];
    size_t count;
} digests;

static digests look(const run *r)
{
    digests d = {.hash = tac_engine_hash(r->engine, NULL, NULL)};
    assert_true(d.hash != 0);
    while (d.count < DIGESTS && tac_engine_digest(r->engine, d.count, &d.each[d.count]))
        d.count++;
    if (d.count < DIGESTS)
        assert_true(tac_digests_hash(d.each, d.count) == d.hash);
    return d;
}

static tac__part part_of(const tac_engine *e, size_t word)
{
    tac__part_walk w = {0};
    while (tac__block_next(&e->plan->block, &w)) {
        if (word * 8 < w.part.offset + w.part.size)
            break;
    }
    return w.part;
}

typedef struct tally {
    size_t seen, refused, idle;
} tally;

static void show(const flight *f, tac_time t_us, unsigned bit, size_t word, const tac__part *part)
{
    char name[TAC__PART_NAME];
    print_error("%s %llu at %llu us, bit %u of word %zu of '%s':\n", f->name ? f->name : "model",
                (unsigned long long)f->number, (unsigned long long)t_us, bit, word,
                tac__part_name(part, name));
}

static void flip_one(const flight *f, const file *c, size_t word, unsigned bit, const digests *now,
                     const digests *later, tally *n)
{
    flip(c, word, bit);
    write_checkpoint(c);
    flip(c, word, bit);
    run r;
    assert_true(begin(&r, f));
    const tac__part found = part_of(r.engine, word), *part = &found;
    const size_t own = word - part->offset / 8;
    if (tac_engine_restore(r.engine, path, r.err) != TAC_OK) {
        n->refused++;
        end(&r, f);
        return;
    }
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    if (hash != now->hash) {
        n->seen++;
        end(&r, f);
        return;
    }
    n->idle++;
    const tac_time t_us = tac_engine_time(r.engine);
    if (!may_be_idle(part, own)) {
        show(f, t_us, bit, own, part);
        fail_msg("goes unnoticed");
    }
    if (tac_engine_run(r.engine, TAC_TIME_NEVER, r.err) != TAC_OK) {
        show(f, t_us, bit, own, part);
        fail_msg("the run fails: %s", r.err->text);
    }
    const digests then = look(&r);
    assert_int_equal(then.count, later->count);
    for (size_t i = 0; i < then.count; i++) {
        uint64_t digest;
        if (then.each[i] == later->each[i])
            continue;
        show(f, t_us, bit, own, part);
        fail_msg("changes '%s' later on", tac_engine_digest(r.engine, i, &digest));
    }
    assert_true(then.hash == later->hash);
    end(&r, f);
}

// Every `stride`-th word, in one bit each.
static tally flip_all(const flight *f, size_t stride)
{
    tally n = {0};
    run r;
    snprintf(path, sizeof path, "/tmp/tactus_hash_%d", (int)getpid());
    if (!begin(&r, f) || tac_engine_checkpoint_at(r.engine, f->at_us, path, r.err) != TAC_OK ||
        tac_engine_run(r.engine, TAC_TIME_NEVER, r.err) != TAC_OK) {
        end(&r, f);
        return n;
    }
    const digests later = look(&r);
    end(&r, f);
    const file c = read_checkpoint();
    tac_time present_us;
    memcpy(&present_us, c.bytes + 24, 8);

    assert_true(begin(&r, f));
    go_to(&r, present_us);
    const digests now = look(&r);
    end(&r, f);

    // As it is: the same hash at once, although no step has begun yet, and later.
    assert_true(begin(&r, f));
    assert_int_equal(tac_engine_restore(r.engine, path, r.err), TAC_OK);
    const digests restored = look(&r);
    for (size_t i = 0; i < now.count; i++) {
        uint64_t digest;
        if (restored.each[i] != now.each[i])
            fail_msg("%s %llu at %llu us: '%s' is another after a restore",
                     f->name ? f->name : "model", (unsigned long long)f->number,
                     (unsigned long long)present_us, tac_engine_digest(r.engine, i, &digest));
    }
    assert_true(restored.hash == now.hash);
    go_to(&r, TAC_TIME_NEVER);
    assert_true(look(&r).hash == later.hash);
    end(&r, f);

    for (size_t word = f->number % stride; word < c.block_size / 8; word += stride) {
        flip_one(f, &c, word, word % 2 ? 0 : (unsigned)(word * 7 % 64), &now, &later, &n);
    }
    if (f->name)
        print_message("%s at %llu us: %zu words; %zu flips change the hash, %zu are refused, %zu "
                      "decide nothing\n",
                      f->name, (unsigned long long)present_us, c.block_size / 8, n.seen, n.refused,
                      n.idle);
    free(c.bytes);
    remove(path);
    return n;
}

static void test_mission(void **state)
{
    (void)state;
    const tally n = flip_all(&(flight){"iris_mission", 0, 30000000, 30010000, NULL}, 1);
    assert_true(n.seen > 350 && n.idle > 0);
    flip_all(&(flight){"iris_mission", 0, 1003000, 1030000, NULL}, 7);
}

static void test_rocket(void **state)
{
    (void)state;
    const tally n = flip_all(&(flight){"rocket", 0, 5000000, 5200000, NULL}, 1);
    assert_true(n.seen > 200);
    flip_all(&(flight){"rocket", 0, 30000000, 30200000, NULL}, 7);
}

static void test_messages(void **state)
{
    (void)state;
    const tally n = flip_all(&(flight){"convoy", 0, 2037000, 2100000, NULL}, 3);
    assert_true(n.seen > 20 && n.refused > 0);
}

// Values from outside that are planned: some have passed, some are to come, most room is free.
static void test_outside(void **state)
{
    (void)state;
    const tally n = flip_all(&(flight){"embed/spring", 0, 1000000, 2000000, "Spring.force"}, 1);
    assert_true(n.seen > 60 && n.refused > 60);
}

// Everything a component may have: timers, conditions, phases, delays, policies, all methods.
static void test_random_models(void **state)
{
    (void)state;
    tally all = {0};
    for (uint64_t number = 0; number < 60; number++) {
        const tally n = flip_all(&(flight){NULL, number, 2000 + number * 137, 0, NULL}, 37);
        all.seen += n.seen;
        all.refused += n.refused;
        all.idle += n.idle;
    }
    print_message("random models: %zu flips change the hash, %zu are refused, %zu decide nothing\n",
                  all.seen, all.refused, all.idle);
    assert_true(all.seen > 200 && all.refused > 20 && all.idle > 20);
}

// --- the order of declaration -------------------------------------------------------------------

static uint64_t hash_of(uint64_t number, uint64_t shuffle, size_t *coupled, tac_status *status)
{
    model m;
    *status = model_make(&m, number, &(model_wish){.shuffle = shuffle});
    if (*status == TAC_OK)
        *status = tac_engine_prepare(m.engine, &m.err);
    if (*status == TAC_OK)
        *status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
    for (size_t i = 0; *status == TAC_OK && i < m.engine->plan->island_count; i++)
        *coupled += m.engine->plan->islands[i].count > 1;
    const uint64_t hash = tac_engine_hash(m.engine, NULL, NULL);
    model_end(&m);
    return hash;
}

// Random models whose components are declared in another order.
static void test_order_of_declaration(void **state)
{
    (void)state;
    size_t models = 0, coupled = 0;
    for (uint64_t number = 0; number < 150; number++) {
        tac_status status, other;
        const uint64_t hash = hash_of(number, 0, &coupled, &status);
        for (uint64_t shuffle = 1; status == TAC_OK && shuffle <= 3; shuffle++) {
            const uint64_t again = hash_of(number, shuffle, &coupled, &other);
            if (other != TAC_OK || again != hash)
                fail_msg("model %llu, order %llu: %s", (unsigned long long)number,
                         (unsigned long long)shuffle,
                         other != TAC_OK ? tac_status_name(other) : "another hash");
        }
        models += status == TAC_OK;
    }
    assert_true(models > 50 && coupled > 50);
}

TEST_MAIN(cmocka_unit_test(test_order_of_declaration), cmocka_unit_test(test_mission),
          cmocka_unit_test(test_rocket), cmocka_unit_test(test_messages),
          cmocka_unit_test(test_outside), cmocka_unit_test(test_random_models))
