// What became of messages is in the recording: every message on a link that has a law, against
// bus/link.h. A recording without such links has no such channel.
#include "support/folder.h"
#include "support/recorded.h"
#include "support/test.h"
#include "bus/link.h"
#include "record/cdr.h"
#include "record/recording.h"

#include <stdio.h>
#include <string.h>
#include <tactus/tactus.h>

#define MODEL(law)                                                                                 \
    "duration: 2 s\n"                                                                              \
    "seed: 5\n"                                                                                    \
    "scheduler: {rate_groups: [{name: g, period: 2 ms, components: [w, b]}]}\n"                    \
    "components:\n"                                                                                \
    "  w: {type: noise, params: {unit: N}}\n"                                                      \
    "  o: {type: oscillator, inputs: {force: l.y}}\n"                                              \
    "  b: {type: beacon, params: {unit: N}, inputs: {u: w.y}}\n"                                   \
    "  l: {type: listener, params: {unit: N}}\n"                                                   \
    "  k: {type: listener, params: {unit: N}}\n"                                                   \
    "links:\n"                                                                                     \
    "  - {from: b.tx, to: k.rx, delay: 1 ms}\n"                                                    \
    "  - {from: b.tx, to: l.rx, delay: " law "}\n"

static const tac_outage down = {500000, 600000};

static tac_link_law drawn_law(void)
{
    tac_link_law law = tac_link_law_default();
    law.delay = TAC_DELAY_UNIFORM;
    law.min_us = 3000;
    law.max_us = 8000;
    law.loss = 0.1;
    law.duplicate = 0.2;
    law.down = &down;
    law.down_count = 1;
    return law;
}

static tac_recording *record(const char *model, const char *path)
{
    recorded made;
    recorded_init(&made, model);
    recorded_make(&made, path, "zstd", 10000);
    recorded_fini(&made);
    tac_recording *r;
    tac_error err;
    assert_int_equal(tac_recording_open(path, &r, &err), TAC_OK);
    return r;
}

static const tac__track *find_fates(const tac_recording *r)
{
    const tac__track *found = NULL;
    for (size_t i = 0; i < r->track_count; i++) {
        if (r->tracks[i].kind == TAC__CHANNEL_FATES)
            found = &r->tracks[i];
    }
    return found;
}

static void test_recorded(void **state)
{
    (void)state;
    tac_error err;
    tac_recording *r = record(
        MODEL("{uniform: [3 ms, 8 ms]}, loss: 10 %, duplicate: 20 %, down: [[0.5 s, 0.6 s]]"),
        path_of("fates.mcap"));
    const tac__track *track = find_fates(r);
    assert_non_null(track);
    assert_string_equal(track->topic, "/tactus/fates");
    assert_string_equal(tac__track_metadata(track, "names"), "b.tx l.rx\n");
    const tac_link_law law = drawn_law();
    const tac__stream key = tac__link_key(5, "b.tx", "l.rx");
    unsigned seen[TAC__FATE_COUNT] = {0};
    tac__track_reader reader;
    tac__track_reader_init(&reader, r, track, 0, TAC_TIME_NEVER);
    for (uint64_t sequence = 0; sequence <= 1000; sequence++) {
        tac__frame frame;
        bool more;
        assert_int_equal(tac__track_reader_next(&reader, &frame, &more, &err), TAC_OK);
        assert_true(more && frame.t_us == 2000 * sequence);
        const tac__fate expected = tac__link_fate(&law, &key, frame.t_us, sequence);
        tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
        assert_int_equal(tac__cdr_read_u64(&c), sequence);
        size_t copies;
        const unsigned char *delivered_us = tac__cdr_read_u64s(&c, &copies);
        assert_int_equal(copies, expected.copies);
        // As CDR has it: an empty array has no padding behind its length.
        const size_t padding = copies ? 4 : 0;
        assert_int_equal(frame.size, TAC__CDR_HEADER + 8 + 4 + padding + 8 * copies + 4 + 1);
        for (size_t k = 0; k < copies; k++) {
            uint64_t t_us;
            memcpy(&t_us, delivered_us + 8 * k, 8);
            assert_int_equal(t_us, frame.t_us + expected.delay_us[k]);
        }
        assert_int_equal(tac__cdr_read_u32(&c), 0); // the only link that has a law
        const unsigned char *kind = tac__cdr_take(&c, 1, 1);
        assert_true(kind && *kind == (unsigned char)expected.kind);
        assert_true(!c.failed && c.at == c.size);
        seen[expected.kind]++;
    }
    tac__frame frame;
    bool more;
    assert_int_equal(tac__track_reader_next(&reader, &frame, &more, &err), TAC_OK);
    assert_false(more);
    for (int i = 0; i < TAC__FATE_COUNT; i++)
        assert_true(seen[i] >= 50);
    tac__track_reader_fini(&reader);
    tac_recording_close(r);
}

static void test_plain(void **state)
{
    (void)state;
    tac_recording *r = record(MODEL("3 ms"), path_of("plain.mcap"));
    assert_null(find_fates(r));
    tac_recording_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded),
                                       cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
