// A recording of 1 GB: opening it and plotting one signal reads only the chunks it needs.
//
// The file has a hundred channels of ten signals over an hour; it is written without compression,
// so that it is as large as it says.
#include "bench.h"
#include "record/layout.h"
#include "record/mcap/mcap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHANNELS = 100, SIGNALS = 10, SAMPLES = 90000, PERIOD_US = 40000 };

static const char file[] = "build-bench/large.mcap", picture[] = "build-bench/large.png";

static void check(bool fine, const tac_error *err)
{
    if (fine)
        return;
    fprintf(stderr, "bench_plot: %s\n", err ? err->text : "no memory");
    exit(1);
}

static void describe(tac__mcap_writer *w, tac__arena *arena, int c)
{
    tac__layout layout = {0};
    const char *component = tac__arena_format(arena, "c%d", c);
    for (int i = 0; i < SIGNALS; i++) {
        const tac_recorded signal = {.name = tac__arena_format(arena, "%s.s%d", component, i),
                                     .unit = "m",
                                     .doc = "",
                                     .type = TAC_TYPE_F64};
        check(tac__layout_add(&layout, arena, &signal) == TAC_OK, NULL);
    }
    check(tac__layout_close(&layout, arena, component) == TAC_OK, NULL);
    tac__text msg, json;
    tac__text_init(&msg, tac_allocator_default());
    tac__text_init(&json, tac_allocator_default());
    tac__layout_msg(&layout, component, tac_allocator_default(), &msg);
    tac__layout_json(&layout, &json);
    const tac__mcap_pair pairs[] = {{"kind", "signals"},  {"subject", component},
                                    {"trace", "sampled"}, {"period_us", "40000"},
                                    {"replay", "false"},  {"signals", json.chars}};
    const uint16_t schema = tac__mcap_schema(w, component, "ros2msg", msg.chars);
    tac__mcap_channel(w, schema, tac__arena_format(arena, "/c%d", c), "cdr", pairs, 6);
    tac__text_fini(&msg);
    tac__text_fini(&json);
}

static void write_file(void)
{
    tac_error err;
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = TAC__COMPRESS_NONE;
    def.library = "bench";
    tac__mcap_writer *w;
    check(tac__mcap_create(file, &def, &w, &err) == TAC_OK, &err);
    const tac__mcap_pair head[] = {{"name", "large"}, {"version", "0"}};
    tac__mcap_metadata(w, "tactus", head, 2);
    for (int c = 0; c < CHANNELS; c++)
        describe(w, &arena, c);
    double values[SIGNALS] = {0};
    for (uint64_t i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < SIGNALS; k++)
            values[k] = sin((double)i * 1e-3 * (k + 1));
        for (uint16_t c = 0; c < CHANNELS; c++) {
            unsigned char *message =
                tac__mcap_message(w, c, i * PERIOD_US * 1000, TAC__CDR_HEADER + sizeof values);
            check(message != NULL, NULL);
            memcpy(message, tac__cdr_header, TAC__CDR_HEADER);
            memcpy(message + TAC__CDR_HEADER, values, sizeof values);
        }
    }
    check(tac__mcap_finish(w, &err) == TAC_OK, &err);
    tac__arena_fini(&arena);
}

// Seconds of a command, and the megabytes of the largest so far.
static bool run(char *const arguments[], double *took_s, double *most_mb)
{
    const double start_s = bench_now_s();
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout))
            execv(arguments[0], arguments);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || waitpid(child, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &usage) < 0)
        return false;
    *took_s = bench_now_s() - start_s;
    *most_mb = (double)usage.ru_maxrss / 1e3;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
    write_file();
    struct stat info = {0};
    stat(file, &info);
    char *const arguments[] = {"build-bench/tactus", "plot", (char *)file, "c42.s7", "-o",
                               (char *)picture,      NULL};
    double best_s = 1e300, most_mb = 0;
    bool fine = true;
    for (int i = 0; i < 5 && fine; i++) {
        double took_s = 0, mb = 0;
        fine = run(arguments, &took_s, &mb);
        best_s = took_s < best_s ? took_s : best_s;
        most_mb = mb > most_mb ? mb : most_mb;
    }
    unlink(file);
    unlink(picture);
    if (!fine) {
        bench_skip("plot of one signal of 1 GB", "tactus plot failed; is gnuplot there?");
        return 0;
    }
    char note[96];
    snprintf(note, sizeof note, "of %.2f GB, picture drawn", (double)info.st_size / 1e9);
    bench_report("plot of one signal of 1 GB", best_s, "s", "<= 1", note);
    bench_report("plot of one signal of 1 GB, memory", most_mb, "MB", "<= 200", "");
    return 0;
}
