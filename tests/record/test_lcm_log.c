// Event logs of LCM: the bytes of an event, files that grow, writes that fail. With liblcm, its own
// reader reads them.
#include "support/folder.h"
#include "support/formats.h"
#include "support/test.h"

#include "record/lcm_log.h"

#include <stdlib.h>
#include <string.h>
#ifdef TACTUS_HAVE_LCM
#include <lcm/eventlog.h>
#endif

typedef struct sink {
    uint8_t bytes[256];
    size_t count, limit;
} sink;

static bool pour(void *context, const void *bytes, size_t size)
{
    sink *s = context;
    if (s->count + size > s->limit)
        return false;
    memcpy(s->bytes + s->count, bytes, size);
    s->count += size;
    return true;
}

static void test_bytes(void **state)
{
    (void)state;
    sink s = {.limit = sizeof s.bytes};
    tac__lcm_log log = tac__lcm_log_begin(pour, &s);
    assert_true(tac__lcm_log_event(&log, 0, "A", "data", 4));
    assert_true(tac__lcm_log_event(&log, UINT64_C(0x123456789abcdef), "Name", NULL, 0));
    assert_int_equal(log.events, 2);
    static const char expected[] = "\xed\xa1\xda\x01"
                                   "\0\0\0\0\0\0\0\0"
                                   "\0\0\0\0\0\0\0\0"
                                   "\0\0\0\1\0\0\0\4"
                                   "Adata"
                                   "\xed\xa1\xda\x01"
                                   "\0\0\0\0\0\0\0\1"
                                   "\x01\x23\x45\x67\x89\xab\xcd\xef"
                                   "\0\0\0\4\0\0\0\0"
                                   "Name";
    assert_int_equal(s.count, sizeof expected - 1);
    assert_memory_equal(s.bytes, expected, s.count);
}

static void test_failures(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 66; limit++) {
        sink s = {.limit = limit};
        tac__lcm_log log = tac__lcm_log_begin(pour, &s);
        const bool first = tac__lcm_log_event(&log, 1, "A", "data", 4);
        assert_int_equal(first, limit >= 33);
        assert_false(tac__lcm_log_event(&log, 2, "A", "data", 4));
        assert_int_equal(log.events, first);
        s.limit = sizeof s.bytes; // nothing follows half an event
        const size_t count = s.count;
        assert_false(tac__lcm_log_event(&log, 3, "A", "data", 4));
        assert_int_equal(s.count, count);
    }
    sink s = {.limit = sizeof s.bytes};
    tac__lcm_log log = tac__lcm_log_begin(pour, &s);
    assert_false(tac__lcm_log_event(&log, 1, "A", "data", (size_t)INT32_MAX + 1));
    assert_int_equal(s.count, 0);
}

static void test_file(void **state)
{
    (void)state;
    tac__lcm_file file;
    tac_error err;
    const char *path = path_of("events.lcm");
    assert_int_equal(tac__lcm_file_open(&file, path, false, &err), TAC_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        char channel[64];
        snprintf(channel, sizeof channel, "uav%u.radio.tx_%.*s", i % 7, (int)(i % 40),
                 "0123456789012345678901234567890123456789");
        assert_true(tac__lcm_log_event(&file.log, 1000 * (i / 3), channel, &i, i % 2 ? 4 : 0));
        if (i == 500) { // half of them can be read while the file grows
            tac__lcm_file_flush(&file);
            FILE *reader = fopen(path, "rb");
            assert_non_null(reader);
            fseek(reader, 0, SEEK_END);
            assert_true(ftell(reader) > 501 * 28);
            fclose(reader);
        }
    }
    assert_int_equal(tac__lcm_file_close(&file, &err), TAC_OK);
    assert_int_equal(tac__lcm_file_close(&file, &err), TAC_OK); // is closed
#ifdef TACTUS_HAVE_LCM
    lcm_eventlog_t *log = lcm_eventlog_create(path, "r");
    assert_non_null(log);
    for (uint32_t i = 0; i < 1000; i++) {
        lcm_eventlog_event_t *e = lcm_eventlog_read_next_event(log);
        assert_non_null(e);
        assert_int_equal(e->eventnum, i);
        assert_int_equal(e->timestamp, 1000 * (i / 3));
        assert_int_equal(e->channellen, 14 + i % 40);
        assert_int_equal(e->channel[3] - '0', i % 7);
        assert_int_equal(e->datalen, i % 2 ? 4 : 0);
        if (i % 2)
            assert_memory_equal(e->data, &i, 4);
        lcm_eventlog_free_event(e);
    }
    assert_null(lcm_eventlog_read_next_event(log));
    lcm_eventlog_destroy(log);
#else
    print_message("not read by LCM's own code: no liblcm\n");
#endif
    assert_int_equal(tac__lcm_file_open(&file, path, false, &err), TAC_E_FILE); // exists
    assert_int_equal(tac__lcm_file_open(&file, path, true, &err), TAC_OK);
    assert_int_equal(tac__lcm_file_close(&file, &err), TAC_OK);
    assert_int_equal(tac__lcm_file_open(&file, path_of("none/events.lcm"), true, &err), TAC_E_FILE);

    // A full disk is told of when the file is closed, by its name.
    FILE *full = fopen("/dev/full", "wb");
    if (!full)
        return;
    fclose(full);
    assert_int_equal(tac__lcm_file_open(&file, "/dev/full", true, &err), TAC_OK);
    bool written = true;
    for (int i = 0; i < 10000; i++)
        written = tac__lcm_log_event(&file.log, 0, "A", "data", 4) && written;
    assert_false(written);
    assert_int_equal(tac__lcm_file_close(&file, &err), TAC_E_FILE);
    test_has(err.text, "/dev/full");
    test_has(err.text, "space");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_failures), cmocka_unit_test(test_file)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
