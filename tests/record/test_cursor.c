// A cursor gives every sample of the channels that are wanted between two instants, in order of
// time and then of channel, and nothing else.
#include "models.h"
#include "record/recording.h"

#include <unistd.h>

static char path[64];

typedef struct entry {
    tac_time t_us;
    size_t channel;
    unsigned char values[512];
} entry;

static entry *all; // in the order that is expected
static size_t count;

static int by_time(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->t_us != y->t_us)
        return x->t_us < y->t_us ? -1 : 1;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

// Without cursors and reels: all chunks, message by message.
static void read_all(tac_recording *r)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    tac__mcap_chunk chunk = {0};
    all = malloc((about->messages + 1) * sizeof *all);
    count = 0;
    for (size_t i = 0; i < about->chunk_count; i++) {
        assert_int_equal(tac__mcap_load(r->reader, i, &chunk, NULL), TAC_OK);
        for (;;) {
            tac__mcap_message_info m;
            bool more;
            assert_int_equal(tac__mcap_next(&chunk, &m, &more, NULL), TAC_OK);
            if (!more)
                break;
            for (size_t k = 0; k < r->channel_count; k++) {
                if (r->tracks[k].id != m.channel)
                    continue;
                entry *e = &all[count++];
                memset(e, 0, sizeof *e);
                e->t_us = m.log_ns / 1000;
                e->channel = k;
                tac__layout_decode(&r->tracks[k].layout, m.bytes, e->values);
            }
        }
    }
    tac__mcap_chunk_fini(&chunk);
    qsort(all, count, sizeof *all, by_time);
}

static int set_up(void **state)
{
    snprintf(path, sizeof path, "/tmp/tactus_cursor_%d.mcap", (int)getpid());
    model m;
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.tier = TAC_TIER_ALL;
    def.log_us = 500;
    def.flush_us = 900; // many chunks
    assert_int_equal(model_make(&m, 3, NULL), TAC_OK);
    assert_int_equal(tac_recorder_create(&def, m.engine, &recorder, &m.err), TAC_OK);
    assert_int_equal(tac_engine_prepare(m.engine, &m.err), TAC_OK);
    assert_int_equal(tac_recorder_begin(recorder, &m.err), TAC_OK);
    assert_int_equal(tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err), TAC_OK);
    assert_int_equal(tac_recorder_end(recorder, NULL, &m.err), TAC_OK);
    tac_recorder_destroy(recorder);
    model_end(&m);
    tac_recording *r;
    assert_int_equal(tac_recording_open(path, &r, NULL), TAC_OK);
    assert_true(r->channel_count > 3 && r->info.chunks > 40);
    read_all(r);
    assert_true(count > 100);
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    tac_recording_close(*state);
    free(all);
    return unlink(path);
}

static void check(tac_recording *r, const bool *wanted, tac_time from_us, tac_time to_us)
{
    tac_cursor *cursor;
    assert_int_equal(tac_cursor_open(r, wanted, from_us, to_us, &cursor, NULL), TAC_OK);
    for (size_t i = 0; i < count; i++) {
        const entry *e = &all[i];
        if ((wanted && !wanted[e->channel]) || e->t_us < from_us || e->t_us > to_us)
            continue;
        tac_sample sample;
        bool more;
        assert_int_equal(tac_cursor_next(cursor, &sample, &more, NULL), TAC_OK);
        assert_true(more);
        assert_int_equal(sample.t_us, e->t_us);
        assert_int_equal(sample.channel, e->channel);
        const tac__layout *l = &r->tracks[e->channel].layout;
        for (size_t k = 0; k < l->count; k++)
            assert_memory_equal((const char *)sample.values + l->fields[k].signal.offset,
                                e->values + l->fields[k].signal.offset, l->fields[k].bytes);
    }
    for (int again = 0; again < 2; again++) {
        tac_sample sample;
        bool more;
        assert_int_equal(tac_cursor_next(cursor, &sample, &more, NULL), TAC_OK);
        assert_false(more);
    }
    tac_cursor_close(cursor);
}

static void everything(void **state)
{
    check(*state, NULL, 0, TAC_TIME_NEVER);
}

static void spans(void **state)
{
    dice d = {5};
    tac_recording *r = *state;
    bool wanted[64];
    for (int i = 0; i < 300; i++) {
        for (size_t k = 0; k < r->channel_count; k++)
            wanted[k] = dice_chance(&d, 50);
        // Often exactly at samples, so that both ends are seen to be included.
        const tac_time a = all[dice_below(&d, (unsigned)count)].t_us + dice_below(&d, 2);
        const tac_time b = all[dice_below(&d, (unsigned)count)].t_us;
        check(r, i % 7 ? wanted : NULL, a, b); // also backwards: nothing
    }
}

static void series(void **state)
{
    tac_recording *r = *state;
    for (size_t i = 0; i < tac_recording_signal_count(r); i++) {
        const tac_recorded *s = tac_recording_signal(r, i);
        const tac_time from_us = 2000, to_us = 9000;
        tac_series x;
        assert_int_equal(tac_recording_series(r, i, from_us, to_us, &x, NULL), TAC_OK);
        assert_int_equal(x.count, s->type.count);
        size_t n = 0;
        for (size_t k = 0; k < count; k++) {
            const entry *e = &all[k];
            if (e->channel != s->channel || e->t_us < from_us || e->t_us > to_us)
                continue;
            assert_true(n < x.samples);
            assert_int_equal(x.t_us[n], e->t_us);
            const tac_sample sample = {e->t_us, e->channel, e->values};
            for (uint32_t element = 0; element < x.count; element++) {
                const double value = tac_recorded_element(s, &sample, element);
                assert_memory_equal(&x.values[n * x.count + element], &value, sizeof value);
            }
            n++;
        }
        assert_int_equal(x.samples, n);
        tac_series_fini(&x);
        assert_int_equal(tac_recording_find(r, s->name), i);
    }
    assert_int_equal(tac_recording_find(r, "nothing"), -1);
    assert_null(tac_recording_signal(r, tac_recording_signal_count(r)));
    assert_null(tac_recording_channel(r, tac_recording_channel_count(r)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(spans),
        cmocka_unit_test(series),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
