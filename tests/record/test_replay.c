// Replay repeats a run, bit for bit, whatever the model is: from the start and from every state
// that was stored, without a single call into code that is not part of the plant.
#include "models.h"
#include "base/file.h"
#include "base/json_read.h"
#include "record/recording.h"
#include "support/allocator.h"
#include "support/probe.h"

#include <pthread.h>
#include <unistd.h>

// More of them can be asked for by hand.
static uint64_t models(void)
{
    const char *wish = getenv("TEST_MODELS");
    return wish ? strtoull(wish, NULL, 10) : 150;
}

// --- random models ------------------------------------------------------------------------------

static tac_recorder_def replay_tier(const char *path)
{
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.tier = TAC_TIER_REPLAY;
    def.state_us = 1700;
    def.flush_us = 7000;
    def.compression = "none";
    return def;
}

// Times of all states that are stored after the first.
static size_t stored(tac_recording *r, tac_time *times, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < r->track_count; i++) {
        if (r->tracks[i].kind != TAC__CHANNEL_STATE)
            continue;
        tac__track_reader reader;
        tac__track_reader_init(&reader, r, &r->tracks[i], 0, TAC_TIME_NEVER);
        tac__frame frame;
        bool more;
        for (;;) {
            assert_int_equal(tac__track_reader_next(&reader, &frame, &more, NULL), TAC_OK);
            if (!more || n == max)
                break;
            times[n++] = frame.t_us;
        }
        tac__track_reader_fini(&reader);
    }
    return n;
}

// Outside the plant nothing is called.
static void check_calls(const model *m, uint64_t number)
{
    for (size_t i = 0; i < m->count; i++) {
        const unit *u = &m->units[i];
        if (u->flags & UNIT_PLANT)
            continue;
        if (u->steps || u->hooks || u->inits)
            fail_msg("model %llu: '%s' was called in a replay", (unsigned long long)number,
                     u->full);
    }
}

static void check_replay(const model *live, uint64_t number, const char *path, tac_time from_us,
                         bool first, bool pieces)
{
    tac_recording *recording;
    model m;
    tac_replay *replay;
    tac_replay_def def = tac_replay_def_default();
    def.from_us = from_us;
    must(&m, model_make(&m, number, NULL));
    must(&m, tac_recording_open(path, &recording, &m.err));
    must(&m, tac_replay_create(recording, m.engine, &def, &replay, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    must(&m, tac_replay_begin(replay, &m.err));
    const tac_time end_us = m.engine->plan->def.end_us;
    for (tac_time t_us = from_us; pieces && t_us < end_us; t_us += 777)
        must(&m, tac_engine_run(m.engine, t_us, &m.err));
    must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
    const tac_replay_result result = tac_replay_about(replay);
    if (!result.hash_match)
        fail_msg("model %llu from %llu us (%s): state of '%s' differs at %llu us, of %llu "
                 "boundaries",
                 (unsigned long long)number, (unsigned long long)result.start_us,
                 m.engine->plan->def.integrator.kind, result.mismatch,
                 (unsigned long long)result.mismatch_us, (unsigned long long)result.boundaries);
    assert_int_equal(result.start_us, from_us);
    assert_string_equal(result.differences, "");
    assert_int_equal(result.boundaries, model_boundaries(live, first, from_us));
    check_calls(&m, number);
    // What the plant wrote in its own steps is the same too.
    for (size_t i = 0; i < live->engine->plan->digest_count; i++) {
        uint64_t a, b;
        const char *name = tac_engine_digest(live->engine, i, &a);
        assert_string_equal(name, tac_engine_digest(m.engine, i, &b));
        const char *dot = strrchr(name, '.');
        if (strstr(name, "plant") && !strstr(name, "#end") && dot && strcmp(dot, ".y") && a != b)
            fail_msg("model %llu from %llu us: '%s' has another digest", (unsigned long long)number,
                     (unsigned long long)from_us, name);
    }
    model_end(&m); // before the replay, which may outlive it
    tac_replay_destroy(replay);
    tac_recording_close(recording);
}

static uint64_t plain_hash(uint64_t number, tac_status *status)
{
    model m;
    *status = model_make(&m, number, NULL);
    if (*status == TAC_OK)
        *status = tac_engine_prepare(m.engine, &m.err);
    for (tac_time t_us = 0; *status == TAC_OK && number % 3 == 0 && t_us < 15000; t_us += 333)
        *status = tac_engine_run(m.engine, t_us, &m.err);
    if (*status == TAC_OK)
        *status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
    const uint64_t hash = *status == TAC_OK ? tac_engine_hash(m.engine, NULL, NULL) : 0;
    model_end(&m);
    return hash;
}

static void record(model *m, uint64_t number, const tac_recorder_def *def)
{
    tac_recorder *recorder;
    must(m, model_make(m, number, NULL));
    must(m, tac_recorder_create(def, m->engine, &recorder, &m->err));
    must(m, tac_engine_prepare(m->engine, &m->err));
    must(m, tac_recorder_begin(recorder, &m->err));
    must(m, tac_engine_run(m->engine, TAC_TIME_NEVER, &m->err));
    must(m, tac_recorder_end(recorder, NULL, &m->err));
    tac_recorder_destroy(recorder);
}

static void random_models(void **state)
{
    (void)state;
    const char *one = getenv("TEST_MODEL");
    const uint64_t from = one ? strtoull(one, NULL, 10) : 0;
    size_t made = 0, states = 0;
    uint64_t boundaries = 0, turns = 0;
    for (uint64_t number = from; number < (one ? from + 1 : models()); number++) {
        tac_status status;
        const uint64_t hash = plain_hash(number, &status);
        if (status != TAC_OK)
            continue;
        made++;
        const char *path = path_of("a.mcap");
        const tac_recorder_def def = replay_tier(path);
        model live;
        record(&live, number, &def);
        assert_int_equal(tac_engine_hash(live.engine, NULL, NULL), hash);
        boundaries += model_boundaries(&live, true, 0);
        for (size_t i = 0; i < live.count; i++)
            turns += live.units[i].turns;
        check_replay(&live, number, path, 0, true, number % 2);
        tac_recording *recording;
        must(&live, tac_recording_open(path, &recording, &live.err));
        assert_int_equal(recording->info.hash, hash);
        tac_time times[64] = {1};
        const size_t n = stored(recording, times, 64);
        tac_recording_close(recording);
        assert_int_equal(times[0], 0);
        states += n - 1;
        for (size_t i = 1; i < n; i++) {
            if (times[i] < live.engine->plan->def.end_us)
                check_replay(&live, number, path, times[i], false, i % 2);
        }
        model_end(&live);
    }
    if (one)
        return;
    print_message("%zu models, %zu stored states, %llu boundaries, %llu located conditions\n", made,
                  states, (unsigned long long)boundaries, (unsigned long long)turns);
    assert_true(made > models() * 9 / 10);
    assert_true(turns > 10 * models());
}

// --- other files: copies that are changed on the way --------------------------------------------

// Whether a message is to be kept; its bytes may be changed.
enum { EDIT_ROOM = 64 };

typedef bool edit_fn(void *context, const tac__mcap_channel_info *channel, uint64_t t_us,
                     unsigned char *bytes, size_t *size);

static const tac__mcap_channel_info *channel_of(const tac__mcap_info *about, uint16_t id)
{
    for (size_t i = 0; i < about->channel_count; i++) {
        if (about->channels[i].id == id)
            return &about->channels[i];
    }
    fail_msg("a message of no channel");
    return NULL;
}

static void copy_messages(tac__mcap_reader *in, tac__mcap_writer *out, edit_fn *edit, void *context)
{
    const tac__mcap_info *about = tac__mcap_about(in);
    tac__mcap_chunk chunk = {0};
    for (size_t i = 0; i < about->chunk_count; i++) {
        assert_int_equal(tac__mcap_load(in, i, &chunk, NULL), TAC_OK);
        for (;;) {
            tac__mcap_message_info m;
            bool more;
            assert_int_equal(tac__mcap_next(&chunk, &m, &more, NULL), TAC_OK);
            if (!more)
                break;
            size_t size = m.size;
            unsigned char *bytes = malloc(size + EDIT_ROOM);
            memcpy(bytes, m.bytes, size);
            if (edit(context, channel_of(about, m.channel), m.log_ns / 1000, bytes, &size)) {
                void *to = tac__mcap_message(out, m.channel, m.log_ns, size);
                assert_non_null(to);
                memcpy(to, bytes, size);
            }
            free(bytes);
        }
    }
    tac__mcap_chunk_fini(&chunk);
}

static void rewrite(const char *from, const char *to, edit_fn *edit, void *context)
{
    tac__mcap_reader *in;
    tac__mcap_writer *out;
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = TAC__COMPRESS_NONE;
    assert_int_equal(tac__mcap_open(from, NULL, &in, NULL), TAC_OK);
    assert_int_equal(tac__mcap_create(to, &def, &out, NULL), TAC_OK);
    const tac__mcap_info *about = tac__mcap_about(in);
    for (size_t i = 0; i < about->schema_count; i++) {
        const tac__mcap_schema_info *s = &about->schemas[i];
        assert_int_equal(tac__mcap_schema(out, s->name, s->encoding, s->text), s->id);
    }
    for (size_t i = 0; i < about->channel_count; i++) {
        const tac__mcap_channel_info *c = &about->channels[i];
        assert_int_equal(
            tac__mcap_channel(out, c->schema, c->topic, c->encoding, c->metadata, c->count), c->id);
    }
    for (size_t i = 0; i < about->attachment_count; i++) {
        char *bytes;
        size_t size;
        const tac__mcap_attachment_info *a = &about->attachments[i];
        assert_int_equal(tac__mcap_attachment_read(in, i, &bytes, &size, NULL), TAC_OK);
        tac__mcap_attachment(out, a->name, a->media_type, a->time_ns, bytes, size);
        tac__file_free(tac_allocator_default(), bytes, size);
    }
    for (size_t i = 0; i < about->metadata_count; i++)
        tac__mcap_metadata(out, about->metadata[i].name, about->metadata[i].pairs,
                           about->metadata[i].count);
    copy_messages(in, out, edit, context);
    assert_int_equal(tac__mcap_finish(out, NULL), TAC_OK);
    tac__mcap_close(in);
}

static const char *metadata_of(const tac__mcap_channel_info *c, const char *key)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!strcmp(c->metadata[i].key, key))
            return c->metadata[i].value;
    }
    return "";
}

// --- a bit of a command -------------------------------------------------------------------------

// Noise at 500, 3500, 6500, ... us drives a plant that something reads every millisecond.
static void make_small(bench *b)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 20000;
    bench_begin(b, &def);
    bench_group(b, "command", 3000, 500);
    bench_group(b, "fast", 1000, 0);
    bench_add(b, &(probe){.name = "code",
                          .group = "command",
                          .stage = "control",
                          .out = {"u"},
                          .stream = "noise",
                          .step = probe_noise});
    bench_add(b, &(probe){.name = "plant",
                          .in = {"u"},
                          .out = {"y"},
                          .x = {"x"},
                          .p = {-2, 1, 0, 1},
                          .init = linear_init,
                          .derive = linear_derive,
                          .output = linear_output});
    bench_add(b, &(probe){.name = "reader", .group = "fast", .stage = "estimate", .in = {"y"}});
    bench_route(b, "plant.u", "code.u");
    bench_route(b, "reader.y", "plant.y");
}

static void record_small(const tac_recorder_def *def)
{
    bench b;
    tac_recorder *recorder;
    make_small(&b);
    assert_int_equal(tac_recorder_create(def, b.engine, &recorder, &b.err), TAC_OK);
    bench_prepare(&b);
    assert_int_equal(tac_recorder_begin(recorder, &b.err), TAC_OK);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(tac_recorder_end(recorder, NULL, &b.err), TAC_OK);
    tac_recorder_destroy(recorder);
    bench_end(&b);
}

static tac_replay_result replay_small(const char *path, tac_time until_us)
{
    bench b;
    tac_recording *recording;
    tac_replay *replay;
    make_small(&b);
    const tac_replay_def def = tac_replay_def_default();
    assert_int_equal(tac_recording_open(path, &recording, &b.err), TAC_OK);
    assert_int_equal(tac_replay_create(recording, b.engine, &def, &replay, &b.err), TAC_OK);
    bench_prepare(&b);
    assert_int_equal(tac_replay_begin(replay, &b.err), TAC_OK);
    bench_run(&b, until_us);
    assert_int_equal(tac_replay_end(replay, &b.err), TAC_OK);
    tac_replay_result result = tac_replay_about(replay);
    result.mismatch = *result.mismatch ? "plant" : "";
    tac_replay_destroy(replay);
    bench_end(&b);
    tac_recording_close(recording);
    return result;
}

typedef struct flip {
    tac_time t_us;
    unsigned bit;
    size_t done;
} flip;

static bool flip_bit(void *context, const tac__mcap_channel_info *channel, uint64_t t_us,
                     unsigned char *bytes, size_t *size)
{
    flip *f = context;
    if (!strcmp(channel->topic, "/code") && t_us == f->t_us) {
        assert_int_equal(*size, 12);
        bytes[4 + f->bit / 8] ^= (unsigned char)(1 << f->bit % 8);
        f->done++;
    }
    return true;
}

static void flipped_bit(void **state)
{
    (void)state;
    const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
    const tac_recorder_def def = replay_tier(a);
    record_small(&def);
    const tac_replay_result whole = replay_small(a, TAC_TIME_MAX);
    assert_true(whole.hash_match);
    assert_int_equal(whole.boundaries, 28); // 21 of the reader, 7 of commands
    for (tac_time t_us = 500; t_us < 20000; t_us += 3000) {
        static const unsigned bits[] = {63, 53, 51, 40, 25};
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
            flip f = {t_us, bits[i], 0};
            rewrite(a, b, flip_bit, &f);
            assert_int_equal(f.done, 1);
            // Up to the command itself all is as it was; the next boundary is half a millisecond
            // later.
            const tac_replay_result before = replay_small(b, t_us);
            assert_true(before.hash_match);
            const tac_replay_result after = replay_small(b, TAC_TIME_MAX);
            assert_false(after.hash_match);
            assert_true(after.compared);
            assert_int_equal(after.mismatch_us, t_us + 500);
            assert_string_equal(after.mismatch, "plant");
            assert_int_equal(after.boundaries, whole.boundaries);
        }
    }
}

static bool drop_command(void *context, const tac__mcap_channel_info *channel, uint64_t t_us,
                         unsigned char *bytes, size_t *size)
{
    (void)bytes;
    (void)size;
    const flip *f = context;
    return strcmp(channel->topic, "/code") || t_us != f->t_us;
}

// A trace is exact: what is missing is not made up.
static void missing_command(void **state)
{
    (void)state;
    const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
    const tac_recorder_def def = replay_tier(a);
    record_small(&def);
    flip f = {.t_us = 9500};
    rewrite(a, b, drop_command, &f);
    bench x;
    tac_recording *recording;
    tac_replay *replay;
    make_small(&x);
    const tac_replay_def replay_def = tac_replay_def_default();
    assert_int_equal(tac_recording_open(b, &recording, &x.err), TAC_OK);
    assert_int_equal(tac_replay_create(recording, x.engine, &replay_def, &replay, &x.err), TAC_OK);
    bench_prepare(&x);
    assert_int_equal(tac_replay_begin(replay, &x.err), TAC_OK);
    assert_int_not_equal(bench_try_run(&x, TAC_TIME_MAX), TAC_OK);
    assert_non_null(strstr(x.err.text, "no sample of '/code'"));
    assert_int_equal(tac_engine_time(x.engine), 9500);
    tac_replay_destroy(replay);
    bench_end(&x);
    tac_recording_close(recording);
}

// One boundary more behind the last, at the end of the run, where there is one already.
static bool add_boundary(void *context, const tac__mcap_channel_info *channel, uint64_t t_us,
                         unsigned char *bytes, size_t *size)
{
    size_t *done = context;
    if (strcmp(metadata_of(channel, "kind"), "digest") || t_us != 20000)
        return true;
    uint32_t count; // then, aligned, so many times, and the same again for digests
    memcpy(&count, bytes + 4, sizeof count);
    assert_int_equal(*size, 4 + 2 * (8 + 8 * count));
    unsigned char *digests = bytes + 12 + 8 * count;
    memmove(digests + 8, digests, 8 + 8 * count);
    const uint64_t time = 20000, digest = 1;
    memcpy(digests, &time, sizeof time);
    memcpy(digests + 16 + 8 * count, &digest, sizeof digest);
    count++;
    memcpy(bytes + 4, &count, sizeof count);
    memcpy(digests + 8, &count, sizeof count);
    *size += 16;
    ++*done;
    return true;
}

// A boundary that only the recording has is no match, also after all that the replay had.
static void missing_boundary(void **state)
{
    (void)state;
    const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
    const tac_recorder_def def = replay_tier(a);
    record_small(&def);
    size_t done = 0;
    rewrite(a, b, add_boundary, &done);
    assert_int_equal(done, 1);
    assert_true(replay_small(b, 19000).hash_match); // it is not due yet
    const tac_replay_result result = replay_small(b, TAC_TIME_MAX);
    assert_false(result.hash_match);
    assert_int_equal(result.mismatch_us, 20000);
}

// --- no plant state is read ---------------------------------------------------------------------

// Keep what drives the plant, and nothing that tells of the plant but the first state.
static bool keep_drive(void *context, const tac__mcap_channel_info *channel, uint64_t t_us,
                       unsigned char *bytes, size_t *size)
{
    (void)bytes;
    (void)size;
    (void)context;
    return strcmp(metadata_of(channel, "kind"), "state") || t_us == 0;
}

static void no_plant_state(void **state)
{
    (void)state;
    const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
    size_t made = 0;
    for (uint64_t number = 1000; number < 1020; number++) {
        tac_status status;
        plain_hash(number, &status);
        if (status != TAC_OK)
            continue;
        made++;
        const tac_recorder_def def = replay_tier(a);
        model live;
        record(&live, number, &def);
        tac_recording *recording;
        must(&live, tac_recording_open(a, &recording, &live.err));
        for (size_t i = 0; i < tac_recording_signal_count(recording); i++)
            assert_null(strstr(tac_recording_signal(recording, i)->name, "plant"));
        tac_recording_close(recording);
        rewrite(a, b, keep_drive, NULL);
        check_replay(&live, number, b, 0, true, false);
        model_end(&live);
    }
    assert_true(made > 10);
}

// --- other models -------------------------------------------------------------------------------

typedef struct attempt {
    tac_status status;
    tac_replay_result result;
    tac_error err;
    char differences[4096], where[64];
} attempt;

static void try_replay(const char *path, uint64_t number, const model_wish *wish, bool force,
                       attempt *a)
{
    model m;
    tac_recording *recording;
    tac_replay *replay;
    tac_replay_def def = tac_replay_def_default();
    def.force_model = force;
    must(&m, model_make(&m, number, wish));
    must(&m, tac_recording_open(path, &recording, &m.err));
    must(&m, tac_replay_create(recording, m.engine, &def, &replay, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    a->status = tac_replay_begin(replay, &m.err);
    if (a->status == TAC_OK)
        must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
    a->err = m.err;
    a->result = tac_replay_about(replay);
    snprintf(a->where, sizeof a->where, "%s", a->result.mismatch);
    snprintf(a->differences, sizeof a->differences, "%s", a->result.differences);
    tac_replay_destroy(replay);
    model_end(&m);
    tac_recording_close(recording);
}

static void refused(const char *path, uint64_t number, const model_wish *wish, const char *word)
{
    attempt a;
    try_replay(path, number, wish, false, &a);
    assert_int_equal(a.status, TAC_E_MISMATCH);
    if (!strstr(a.err.text, word) || !strstr(a.differences, word))
        fail_msg("'%s' does not name '%s'", a.err.text, word);
    try_replay(path, number, wish, true, &a);
    if (a.status != TAC_OK)
        fail_msg("%s", a.err.text);
    assert_non_null(strstr(a.differences, word));
    // Nothing that the plant is connected to has changed.
    if (!a.result.hash_match)
        fail_msg("model %llu: with %s '%s' differs at %llu us", (unsigned long long)number, word,
                 a.where, (unsigned long long)a.result.mismatch_us);
}

static void other_model(const char *path, uint64_t number)
{
    tac_recorder_def def = replay_tier(path);
    model live;
    record(&live, number, &def);
    const char *other = strcmp(live.engine->plan->def.integrator.kind, "rk4") ? "rk4" : "euler";
    model_end(&live);

    tac_document *doc = tac_document_create(tac_allocator_default());
    tac_node *params;
    static const char text[] = "{\"gain\": 2}";
    assert_int_equal(tac__json_read(doc, "params", text, strlen(text), &params, NULL), TAC_OK);
    refused(path, number, &(model_wish){.params = params}, "gain");
    refused(path, number, &(model_wish){.component = true}, "code13");
    refused(path, number, &(model_wish){.signal = true}, "extra");
    tac_document_destroy(doc);

    // Another integrator alone is a wish, not a mistake; nor does it end the comparison.
    attempt a;
    try_replay(path, number, &(model_wish){.integrator = other}, false, &a);
    if (a.status != TAC_OK)
        fail_msg("%s", a.err.text);
    assert_true(a.result.other_integrator);
    assert_true(a.result.compared);
    assert_false(a.result.hash_match);
    assert_non_null(strstr(a.differences, "integrator"));
    try_replay(path, number, NULL, false, &a);
    assert_true(a.result.hash_match);
    assert_false(a.result.other_integrator);
}

static void other_models(void **state)
{
    (void)state;
    size_t made = 0;
    for (uint64_t number = 0; number < 20; number++) {
        tac_status status;
        plain_hash(number, &status);
        if (status == TAC_OK)
            other_model(path_of("a.mcap"), number);
        made += status == TAC_OK;
    }
    assert_true(made > 10);
}

// --- phases that cannot be ----------------------------------------------------------------------

// A word of a machine's samples that is something else.
typedef struct wrong {
    size_t at;
    int64_t value;
    size_t done;
} wrong;

static bool write_wrong(void *context, const tac__mcap_channel_info *channel, uint64_t t_us,
                        unsigned char *bytes, size_t *size)
{
    wrong *w = context;
    const char *name = strrchr(channel->topic, '/');
    if (t_us > 3000 && name && !strcmp(name, "/flight") && w->at + sizeof w->value <= *size) {
        memcpy(bytes + w->at, &w->value, sizeof w->value);
        w->done++;
    }
    return true;
}

static void wrong_phases(void **state)
{
    (void)state;
    const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
    static const int64_t values[] = {-1, 5, 1000, INT64_MAX, INT64_MIN};
    size_t done = 0, refused_count = 0;
    for (uint64_t number = 2; number < 30; number += 3) {
        tac_status fine;
        (void)plain_hash(number, &fine);
        if (fine != TAC_OK) // some have phases that lead to each other without an end
            continue;
        tac_recorder_def def = replay_tier(a);
        model live;
        record(&live, number, &def);
        model_end(&live);
        for (size_t i = 0; i < 6 * 5; i++) {
            wrong w = {4 + i / 5 * 8, values[i % 5], 0};
            rewrite(a, b, write_wrong, &w);
            done += w.done;
            model m;
            tac_recording *recording;
            tac_replay *replay;
            const tac_replay_def replay_def = tac_replay_def_default();
            must(&m, model_make(&m, number, NULL));
            must(&m, tac_recording_open(b, &recording, &m.err));
            must(&m, tac_replay_create(recording, m.engine, &replay_def, &replay, &m.err));
            must(&m, tac_engine_prepare(m.engine, &m.err));
            tac_status status = tac_replay_begin(replay, &m.err);
            if (status == TAC_OK)
                status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
            if (status == TAC_E_FORMAT)
                assert_non_null(strstr(m.err.text, "a transition that does not exist"));
            refused_count += status == TAC_E_FORMAT;
            tac_replay_destroy(replay);
            model_end(&m);
            tac_recording_close(recording);
        }
    }
    assert_true(done > 100 && refused_count > 20);
}

// --- checkpoints, and recordings of replays -----------------------------------------------------

static void from_checkpoint(void **state)
{
    (void)state;
    const char *path = path_of("a.mcap"), *saved = path_of("state");
    size_t made = 0;
    for (uint64_t number = 2000; number < 2020; number++) {
        tac_status status;
        const uint64_t hash = plain_hash(number, &status);
        if (status != TAC_OK)
            continue;
        made++;
        model first;
        must(&first, model_make(&first, number, NULL));
        must(&first, tac_engine_prepare(first.engine, &first.err));
        must(&first, tac_engine_checkpoint_at(first.engine, 6100, saved, &first.err));
        must(&first, tac_engine_run(first.engine, 9000, &first.err));
        model_end(&first);

        const tac_recorder_def def = replay_tier(path);
        model m;
        tac_recorder *recorder;
        must(&m, model_make(&m, number, NULL));
        must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
        must(&m, tac_engine_prepare(m.engine, &m.err));
        must(&m, tac_engine_restore(m.engine, saved, &m.err));
        const tac_time start_us = tac_engine_time(m.engine);
        must(&m, tac_recorder_begin(recorder, &m.err));
        must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
        must(&m, tac_recorder_end(recorder, NULL, &m.err));
        tac_recorder_destroy(recorder);
        assert_int_equal(tac_engine_hash(m.engine, NULL, NULL), hash);
        check_replay(&m, number, path, start_us, false, false);
        model_end(&m);
    }
    assert_true(made > 10);
}

static void read_series(tac_recording *r, const char *name, tac_series *series)
{
    const int i = tac_recording_find(r, name);
    if (i < 0)
        fail_msg("'%s' is not there", name);
    assert_int_equal(tac_recording_series(r, (size_t)i, 0, TAC_TIME_NEVER, series, NULL), TAC_OK);
}

static void same_series(tac_recording *a, tac_recording *b, const char *name, uint64_t number)
{
    tac_series x, y;
    read_series(a, name, &x);
    read_series(b, name, &y);
    if (x.samples != y.samples)
        fail_msg("model %llu: %zu and %zu samples of '%s'", (unsigned long long)number, x.samples,
                 y.samples, name);
    for (size_t i = 0; i < x.samples; i++) {
        assert_int_equal(x.t_us[i], y.t_us[i]);
        if (memcmp(x.values + i * x.count, y.values + i * x.count, x.count * sizeof(double)))
            fail_msg("model %llu: '%s' differs at %llu us: %.17g and %.17g",
                     (unsigned long long)number, name, (unsigned long long)x.t_us[i],
                     x.values[i * x.count], y.values[i * x.count]);
    }
    tac_series_fini(&x);
    tac_series_fini(&y);
}

static void recorded_replay(void **state)
{
    (void)state;
    const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
    size_t compared = 0;
    for (uint64_t number = 3000; number < 3030; number++) {
        tac_status status;
        plain_hash(number, &status);
        if (status != TAC_OK)
            continue;
        tac_recorder_def def = replay_tier(a);
        def.tier = TAC_TIER_ALL;
        model live, m;
        record(&live, number, &def);
        tac_recording *from, *made;
        tac_replay *replay;
        tac_recorder *recorder;
        const tac_replay_def replay_def = tac_replay_def_default();
        must(&m, model_make(&m, number, NULL));
        must(&m, tac_recording_open(a, &from, &m.err));
        must(&m, tac_replay_create(from, m.engine, &replay_def, &replay, &m.err));
        def.path = b;
        must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
        must(&m, tac_engine_prepare(m.engine, &m.err));
        must(&m, tac_replay_begin(replay, &m.err));
        must(&m, tac_recorder_begin(recorder, &m.err));
        must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
        must(&m, tac_recorder_end(recorder, NULL, &m.err));
        tac_recorder_destroy(recorder);
        assert_true(tac_replay_about(replay).hash_match);
        must(&m, tac_recording_open(b, &made, &m.err));
        for (size_t i = 0; i < tac_recording_signal_count(made); i++, compared++)
            same_series(from, made, tac_recording_signal(made, i)->name, number);
        for (size_t i = 0; i < tac_recording_signal_count(from); i++) {
            const char *name = tac_recording_signal(from, i)->name;
            if (strstr(name, "plant"))
                assert_true(tac_recording_find(made, name) >= 0);
        }
        tac_recording_close(made);
        // And that recording drives the plant as well.
        check_replay(&live, number, b, 0, true, false);
        tac_replay_destroy(replay);
        tac_recording_close(from);
        model_end(&m);
        model_end(&live);
    }
    assert_true(compared > 200);
}

// --- no memory ----------------------------------------------------------------------------------

// A replay also takes memory in the thread that reads ahead.
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void *resize_locked(void *context, void *block, size_t old_size, size_t new_size)
{
    const tac_allocator *inner = context;
    pthread_mutex_lock(&counting);
    void *made = inner->resize(inner->context, block, old_size, new_size);
    pthread_mutex_unlock(&counting);
    return made;
}

static tac_status replay_with(const char *path, uint64_t number, test_allocator *counts, uint64_t n)
{
    tac_allocator inner = test_allocator_hook(counts);
    const tac_allocator hook = {.context = &inner, .resize = resize_locked};
    model m;
    tac_recording *recording = NULL;
    tac_replay *replay = NULL;
    const tac_replay_def def = tac_replay_def_default();
    must(&m, model_make(&m, number, &(model_wish){.allocator = &hook}));
    counts->fail_at = counts->calls + n;
    tac_status status = tac__recording_open(path, &hook, &recording, &m.err);
    if (status == TAC_OK)
        status = tac_replay_create(recording, m.engine, &def, &replay, &m.err);
    if (status == TAC_OK)
        status = tac_engine_prepare(m.engine, &m.err);
    if (status == TAC_OK)
        status = tac_replay_begin(replay, &m.err);
    if (status == TAC_OK)
        status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
    if (status == TAC_E_STOPPED)
        status = tac_replay_end(replay, &m.err);
    if (status == TAC_OK)
        assert_true(tac_replay_about(replay).hash_match);
    else
        assert_int_equal(m.err.status, status);
    tac_replay_destroy(replay);
    model_end(&m);
    tac_recording_close(recording);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    const char *path = path_of("a.mcap");
    const tac_recorder_def def = replay_tier(path);
    model live;
    record(&live, 6, &def);
    model_end(&live);
    uint64_t n = 1;
    for (tac_status status = TAC_E_MEMORY; status != TAC_OK; n++) {
        test_allocator counts = test_allocator_make();
        status = replay_with(path, 6, &counts, n);
        test_allocator_check_empty(&counts);
        if (status != TAC_OK && status != TAC_E_MEMORY)
            fail_msg("failing allocation %llu gave %s", (unsigned long long)n,
                     tac_status_name(status));
        if (status == TAC_OK && counts.failed)
            fail_msg("failing allocation %llu went unseen", (unsigned long long)n);
    }
    assert_true(n > 30);
}

TEST_MAIN(cmocka_unit_test(random_models), cmocka_unit_test(flipped_bit),
          cmocka_unit_test(missing_command), cmocka_unit_test(missing_boundary),
          cmocka_unit_test(no_plant_state), cmocka_unit_test(other_models),
          cmocka_unit_test(wrong_phases), cmocka_unit_test(from_checkpoint),
          cmocka_unit_test(recorded_replay), cmocka_unit_test(no_memory))
