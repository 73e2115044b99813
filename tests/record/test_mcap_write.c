// Files that are written are read back as they were, and are a function of the calls alone.
#include "mcap_rig.h"

static char path[64];

static tac__mcap_writer_def small(tac__compression compression)
{
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = compression;
    def.chunk_size = 4096;
    return def;
}

static void round_trip(tac__compression compression)
{
    const uint32_t n = 2000;
    const tac__mcap_writer_def def = small(compression);
    rig_make(path, &def, n);
    tac__mcap_reader *r = rig_open(path);
    const tac__mcap_info *info = tac__mcap_about(r);
    assert_true(info->whole);
    assert_int_equal(info->sound_size, info->file_size);
    assert_string_equal(info->profile, "ros2");
    assert_string_equal(info->library, def.library);
    assert_int_equal(info->schema_count, 1);
    assert_int_equal(info->schemas[0].id, 1);
    assert_string_equal(info->schemas[0].name, "tactus/A");
    assert_string_equal(info->schemas[0].text, "float64 x\nfloat64 y\n");
    assert_int_equal(info->channel_count, RIG_CHANNELS);
    assert_string_equal(info->channels[1].topic, "/b/empty");
    assert_int_equal(info->channels[2].count, 2);
    assert_string_equal(info->channels[2].metadata[0].value, "exact");
    assert_int_equal(info->metadata_count, 1);
    assert_string_equal(info->metadata[0].name, "run");
    assert_string_equal(info->metadata[0].pairs[1].key, "empty");
    assert_int_equal(info->attachment_count, 2);
    uint64_t all = 0;
    for (int c = 0; c < RIG_CHANNELS; c++) {
        assert_int_equal(info->channels[c].messages, rig_expected(c, n));
        all += rig_expected(c, n);
    }
    assert_int_equal(info->messages, all);
    for (size_t i = 0; i < info->chunk_count; i++) {
        assert_int_equal(info->chunks[i].channel_count, 1);
        assert_int_equal(info->chunks[i].compression, compression);
        assert_true(info->chunks[i].size <= def.chunk_size);
    }
    rig_counts counts;
    assert_int_equal(rig_read(r, &counts, NULL), TAC_OK);
    rig_check_all(&counts, n);
    char *bytes;
    size_t size;
    assert_int_equal(tac__mcap_attachment_read(r, 0, &bytes, &size, NULL), TAC_OK);
    assert_int_equal(size, 8);
    assert_string_equal(bytes, "seed: 1\n");
    tac__file_free(tac_allocator_default(), bytes, size);
    assert_int_equal(tac__mcap_attachment_read(r, 1, &bytes, &size, NULL), TAC_OK);
    assert_int_equal(size, 0);
    tac__file_free(tac_allocator_default(), bytes, size);
    tac__mcap_close(r);
}

static void test_round_trip(void **state)
{
    (void)state;
    round_trip(TAC__COMPRESS_NONE);
    round_trip(TAC__COMPRESS_LZ4);
    round_trip(TAC__COMPRESS_ZSTD);
}

static int set_up(void **state)
{
    (void)state;
    rig_path(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
