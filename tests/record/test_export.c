// test_export.c - exports of what examples do not have: extreme numbers, names that other formats
// take for something else, signals that do not fit; and outputs that fail.
#include "support/test.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tactus/record.h>
#include <unistd.h>

#define BIG 9000 // doubles: more than a message of ULog holds

enum { SAMPLES = 30, PERIOD_US = 10000, CONFIG = 70000 }; // bytes: more than an attribute holds

// --- a component with everything ----------------------------------------------------------------

static const char *const labels[] = {"plain", "with,comma", "with \"quotes\"", NULL};

static const double specials[] = {
    0.1, -0.0, DBL_MAX, 5e-324, 1.0 / 3.0, 1e22, 123456789012345680.0};
enum { SPECIALS = sizeof specials / sizeof *specials };

static tac_status odd_declare(tac_declare *d, void *self)
{
    (void)self;
    const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, .name = "special", .type = TAC_TYPE_ARRAY(TAC_F64, SPECIALS),
                .unit = "m/s", .doc = "//;"),
        TAC_DEF(tac_port_def, .name = "whole", .type = TAC_TYPE_I64),
        TAC_DEF(tac_port_def, .name = "flags", .type = TAC_TYPE_ARRAY(TAC_BOOL, 3)),
        TAC_DEF(tac_port_def, .name = "mode", .type = TAC_TYPE_ENUM(labels)),
        TAC_DEF(tac_port_def, .name = "t", .type = TAC_TYPE_F64), // HDF5: also that of the times
        TAC_DEF(tac_port_def, .name = "utime", .type = TAC_TYPE_I32),     // LCM: the time
        TAC_DEF(tac_port_def, .name = "timestamp", .type = TAC_TYPE_F64), // ULog: the time
        TAC_DEF(tac_port_def, .name = "a.b", .type = TAC_TYPE_F64),       // as fields the same as
        TAC_DEF(tac_port_def, .name = "a_b", .type = TAC_TYPE_F64),
        TAC_DEF(tac_port_def, .name = "big", .type = TAC_TYPE_ARRAY(TAC_F64, BIG)),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_output(d, &ports[i]);
    return TAC_OK;
}

static int64_t whole_at(tac_time t_us)
{
    return INT64_MIN + (int64_t)t_us + 1;
}

static tac_status odd_step(tac_step *s, const void *self)
{
    (void)self;
    memcpy(TAC_OUT(s, double, 0), specials, sizeof specials);
    *TAC_OUT(s, int64_t, 1) = whole_at(s->t_us);
    TAC_OUT(s, bool, 2)[1] = true;
    *TAC_OUT(s, int32_t, 3) = (int32_t)(s->t_us / PERIOD_US % 3);
    *TAC_OUT(s, double, 7) = 7;
    *TAC_OUT(s, double, 8) = 8;
    TAC_OUT(s, double, 9)[BIG - 1] = (double)s->t_us;
    return TAC_OK;
}

static const tac_component_type odd = {.size = sizeof(tac_component_type),
                                       .name = "odd",
                                       .version = "1",
                                       .stage = TAC_STAGE_CONTROL,
                                       .declare = odd_declare,
                                       .kernels[TAC_NUMBERS].step = odd_step};

// --- a recording of it --------------------------------------------------------------------------

typedef struct fixture {
    char folder[32], recording[64], out[64];
    tac_recording *open;
    char notes[4096];
    tac_error err;
} fixture;

static char config[CONFIG + 1];

static void record(const char *path, tac_error *err)
{
    for (int i = 0; i < CONFIG; i++)
        config[i] = (char)('a' + i % 23);
    tac_engine_def def = tac_engine_def_default();
    def.end_us = (SAMPLES - 1) * PERIOD_US;
    tac_engine *engine;
    assert_int_equal(tac_engine_create(&def, &engine, err), TAC_OK);
    tac_group_def group = tac_group_def_default();
    group.name = "g";
    group.period_us = PERIOD_US;
    assert_int_equal(tac_engine_add_group(engine, &group, err), TAC_OK);
    tac_component_def component = tac_component_def_default();
    component.name = "odd";
    component.type = &odd;
    component.group = "g";
    assert_int_equal(tac_engine_add_component(engine, &component, err), TAC_OK);
    tac_recorder_def recorder_def = tac_recorder_def_default();
    recorder_def.path = path;
    recorder_def.name = "odd";
    recorder_def.config = config;
    recorder_def.tier = TAC_TIER_ALL;
    tac_recorder *recorder;
    assert_int_equal(tac_recorder_create(&recorder_def, engine, &recorder, err), TAC_OK);
    assert_int_equal(tac_engine_prepare(engine, err), TAC_OK);
    assert_int_equal(tac_recorder_begin(recorder, err), TAC_OK);
    assert_int_equal(tac_engine_run(engine, def.end_us, err), TAC_OK);
    assert_int_equal(tac_recorder_end(recorder, NULL, err), TAC_OK);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/tactus_export_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->recording, sizeof f->recording, "%s/odd.mcap", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    record(f->recording, &f->err);
    assert_int_equal(tac_recording_open(f->recording, &f->open, &f->err), TAC_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[80];
    tac_recording_close(f->open);
    snprintf(command, sizeof command, "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void note(void *context, const char *text)
{
    fixture *f = context;
    strncat(f->notes, text, sizeof f->notes - strlen(f->notes) - 1);
}

static tac_status try_export(fixture *f, const char *format, tac_export_result *result)
{
    tac_export_def def = tac_export_def_default();
    def.format = format;
    def.path = f->out;
    def.exact = tac_export_format_find(format)->rows;
    def.note = note;
    def.context = f;
    return tac_recording_export(f->open, &def, result, &f->err);
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, (1 << 22) - 1, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static bool exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

// --- formats ------------------------------------------------------------------------------------

static void csv_quotes_and_keeps_all_digits(void **state)
{
    fixture *f = *state;
    tac_export_result result;
    assert_int_equal(try_export(f, "csv", &result), TAC_OK);
    assert_int_equal(result.signals, 10);
    assert_int_equal(result.samples, SAMPLES);
    size_t size;
    char *text = slurp(f->out, &size);
    assert_int_equal(result.bytes, size);
    char row[512];
    snprintf(row, sizeof row,
             "\n0.020000,0.1,-0,1.7976931348623157e+308,5e-324,0.3333333333333333,1e+22,"
             "1.2345678901234568e+17,%" PRId64 ",0,1,0,\"with \"\"quotes\"\"\",0,0,0,7,8,",
             whole_at(20000));
    assert_non_null(strstr(text, row));
    assert_non_null(strstr(text, ",\"with,comma\","));
    assert_non_null(strstr(text, ",plain,"));
    assert_int_equal(strncmp(text, "t [s],odd.special[0] [m/s],", 27), 0);
    assert_string_equal(f->notes, "");
    free(text);
}

// The pieces of the configuration, all but the first continued, make the whole.
static void check_config(const char *bytes, size_t size)
{
    size_t length = 0;
    for (size_t at = 16; at < size;) {
        const char *body = bytes + at + 3;
        const size_t n = (unsigned char)bytes[at] + 256u * (unsigned char)bytes[at + 1];
        const size_t key = (unsigned char)body[1];
        if (bytes[at + 2] == 'M' && !memcmp(body + 2 + key - 13, "tactus_config", 13)) {
            assert_int_equal(body[0], length > 0);
            assert_memory_equal(body + 2 + key, config + length, n - 2 - key);
            length += n - 2 - key;
        }
        at += 3 + n;
    }
    assert_int_equal(length, CONFIG);
}

static void ulog_tells_what_does_not_fit(void **state)
{
    fixture *f = *state;
    tac_export_result result;
    assert_int_equal(try_export(f, "ulog", &result), TAC_OK);
    assert_int_equal(result.signals, 9);
    assert_non_null(strstr(f->notes, "odd.big"));
    size_t size;
    char *bytes = slurp(f->out, &size), *text = NULL;
    for (size_t i = 0; i + 16 < size && !text; i++)
        text = memcmp(bytes + i, "tactus_odd:", 11) ? NULL : bytes + i;
    assert_non_null(text);
    static const char format[] =
        "tactus_odd:uint64_t timestamp;double[7] special;int64_t whole;double t;"
        "double timestamp_2;double a_b;double a_b_2;int32_t mode;int32_t utime;bool[3] flags;";
    assert_memory_equal(text, format, sizeof format - 1);
    check_config(bytes, size);
    free(bytes);
}

static void lcm_names_are_legal_and_unique(void **state)
{
    fixture *f = *state;
    tac_export_result result;
    assert_int_equal(try_export(f, "lcm", &result), TAC_OK);
    assert_int_equal(result.signals, 10);
    char path[80];
    snprintf(path, sizeof path, "%s.types.lcm", f->out);
    size_t size;
    char *text = slurp(path, &size);
    assert_non_null(strstr(text, "struct odd_t {\n    int64_t utime;"));
    assert_non_null(strstr(text, "    int32_t utime_2;"));
    assert_non_null(strstr(text, "    double a_b;\n    double a_b_2;\n"));
    assert_non_null(strstr(text, "    const int32_t MODE_WITH_COMMA = 1;\n"));
    free(text);
}

#ifdef TACTUS_HAVE_HDF5
#include <hdf5.h>

static void hdf5_puts_times_where_no_signal_is(void **state)
{
    fixture *f = *state;
    tac_export_result result;
    assert_int_equal(try_export(f, "hdf5", &result), TAC_OK);
    assert_int_equal(result.signals, 10);
    const hid_t file = H5Fopen(f->out, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    double times[SAMPLES], values[SAMPLES], read[SAMPLES * SPECIALS];
    int64_t whole[SAMPLES];
    const struct {
        const char *path;
        hid_t type;
        void *values;
    } sets[] = {{"/odd/t_2", H5T_NATIVE_DOUBLE, times},
                {"/odd/t", H5T_NATIVE_DOUBLE, values},
                {"/odd/whole", H5T_NATIVE_INT64, whole},
                {"/odd/special", H5T_NATIVE_DOUBLE, read}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const hid_t set = H5Dopen2(file, sets[i].path, H5P_DEFAULT);
        assert_true(H5Dread(set, sets[i].type, H5S_ALL, H5S_ALL, H5P_DEFAULT, sets[i].values) >= 0);
        H5Dclose(set);
    }
    for (int i = 0; i < SAMPLES; i++) {
        assert_true(times[i] == i / 100.0);
        assert_true(values[i] == 0);
        assert_true(whole[i] == whole_at((tac_time)i * PERIOD_US));
        assert_memory_equal(read + i * SPECIALS, specials, sizeof specials);
    }
    char text[CONFIG];
    size_t length = 0;
    for (int i = 0; i < 2; i++) {
        const hid_t piece = H5Aopen(file, i ? "config_2" : "config", H5P_DEFAULT);
        const hid_t type = H5Aget_type(piece);
        assert_true(length + H5Tget_size(type) <= CONFIG);
        assert_true(H5Aread(piece, type, text + length) >= 0);
        length += H5Tget_size(type);
        H5Tclose(type);
        H5Aclose(piece);
    }
    assert_int_equal(length, CONFIG);
    assert_memory_equal(text, config, CONFIG);
    H5Fclose(file);
}
#else
static void hdf5_puts_times_where_no_signal_is(void **state)
{
    fixture *f = *state;
    assert_int_equal(try_export(f, "hdf5", NULL), TAC_E_USAGE);
    assert_non_null(strstr(f->err.text, "no HDF5"));
}
#endif

// HDF5 comes without checks of its own, so that a sanitizer does not see what that library reads.
// Under the address sanitizer freed memory is overwritten for this test, so that a library which
// goes on to use what was freed, as a table of functions, finds nonsense there.
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "max_free_fill_size=1048576:free_fill_byte=165";
}

// --- failures -----------------------------------------------------------------------------------

typedef struct tap {
    size_t bytes, limit;
} tap;

static bool drip(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    tap *t = context;
    t->bytes += size;
    return t->bytes <= t->limit;
}

static void a_writer_may_refuse(void **state)
{
    fixture *f = *state;
    const tac_export_format *format;
    for (size_t i = 0; (format = tac_export_format_at(i)); i++) {
        if (!format->stream)
            continue;
        tac_export_def def = tac_export_def_default();
        tap t = {.limit = SIZE_MAX};
        tac_export_result result;
        def.format = format->name;
        def.write = drip;
        def.context = &t;
        assert_int_equal(tac_recording_export(f->open, &def, &result, &f->err), TAC_OK);
        assert_int_equal(result.bytes, t.bytes);
        // At the first byte, amid, and at the very last.
        const size_t limits[] = {0, t.bytes / 2, t.bytes - 1};
        for (int k = 0; k < 3; k++) {
            t = (tap){.limit = limits[k]};
            assert_int_equal(tac_recording_export(f->open, &def, &result, &f->err), TAC_E_FILE);
        }
    }
}

static void a_full_disk_is_told(void **state)
{
    fixture *f = *state;
    if (!exists("/dev/full"))
        skip();
    strcpy(f->out, "/dev/full");
    assert_int_equal(try_export(f, "csv", NULL), TAC_E_FILE);
    assert_non_null(strstr(f->err.text, "No space left"));
    assert_int_equal(try_export(f, "ulog", NULL), TAC_E_FILE);
    assert_int_equal(try_export(f, "lcm", NULL), TAC_E_FILE);
    assert_true(exists("/dev/full"));
}

static void what_was_there_stays(void **state)
{
    fixture *f = *state;
    FILE *file = fopen(f->out, "w");
    fputs("precious", file);
    fclose(file);
    tac_export_def def = tac_export_def_default();
    const char *patterns[] = {"odd.spezial"};
    def.path = f->out;
    def.patterns = patterns;
    def.pattern_count = 1;
    assert_int_equal(tac_recording_export(f->open, &def, NULL, &f->err), TAC_E_NAME);
    assert_non_null(strstr(f->err.text, "did you mean 'odd.special'?"));
    def.pattern_count = 0;
    def.from_us = 2;
    def.to_us = 1;
    assert_int_equal(tac_recording_export(f->open, &def, NULL, &f->err), TAC_E_RANGE);
    size_t size;
    char *text = slurp(f->out, &size);
    assert_string_equal(text, "precious");
    free(text);
}

static void a_link_is_refused(void **state)
{
    fixture *f = *state;
    char link[80];
    snprintf(link, sizeof link, "%s/link", f->folder);
    fclose(fopen(f->out, "w"));
    assert_int_equal(symlink(f->out, link), 0);
    char target[64];
    strcpy(target, f->out);
    snprintf(f->out, sizeof f->out, "%.60s", link);
    for (size_t i = 0; tac_export_format_at(i); i++)
        assert_int_equal(try_export(f, tac_export_format_at(i)->name, NULL), TAC_E_FILE);
    struct stat s;
    assert_int_equal(lstat(link, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(stat(target, &s), 0);
    assert_true(s.st_size == 0);
}

static void exact_and_rate_are_for_csv(void **state)
{
    fixture *f = *state;
    tac_export_def def = tac_export_def_default();
    def.format = "lcm";
    def.path = f->out;
    def.period_us = 1000;
    assert_int_equal(tac_recording_export(f->open, &def, NULL, &f->err), TAC_E_USAGE);
    def.format = "ulog"; // takes a rate: the least time between two messages
    def.exact = true;
    assert_int_equal(tac_recording_export(f->open, &def, NULL, &f->err), TAC_E_USAGE);
    assert_false(exists(f->out));
    tac_export_result all, some; // of numbers alone: a change of a flag is always written
    const char *numbers = "odd.special";
    def.patterns = &numbers;
    def.pattern_count = 1;
    def.exact = false;
    def.period_us = TAC_EXPORT_ALL;
    assert_int_equal(tac_recording_export(f->open, &def, &all, &f->err), TAC_OK);
    def.period_us = 1000000;
    assert_int_equal(tac_recording_export(f->open, &def, &some, &f->err), TAC_OK);
    assert_true(some.samples > 0 && some.samples < all.samples);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(csv_quotes_and_keeps_all_digits), TEST(ulog_tells_what_does_not_fit),
          TEST(lcm_names_are_legal_and_unique), TEST(hdf5_puts_times_where_no_signal_is),
          TEST(a_writer_may_refuse), TEST(a_full_disk_is_told), TEST(what_was_there_stays),
          TEST(a_link_is_refused), TEST(exact_and_rate_are_for_csv))
