// live_csv.c - a table that grows as the run goes on, for those who want to `tail -f` it.
//
// A row at every tick of the log axis with every signal of the simulation. What is written reaches
// the file ten times a second at least, so that it can be watched.
#include "record/recorder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/print.h"
#include "bus/type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_NS = 100000000 };

struct tac__live_csv {
    FILE *file;
    const char *path;
    tac_recorder *recorder;
    const tac__schema *schema;
    uint32_t *signals;
    size_t count;
    int64_t flushed_ns;
    int failed; // errno of the first write that failed
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add_header(const tac__live_csv *csv)
{
    fprintf(csv->file, "t [s]");
    for (size_t i = 0; i < csv->count; i++) {
        const tac__signal *s = &csv->schema->signals[csv->signals[i]];
        for (uint32_t k = 0; k < s->type.count; k++) {
            char element[TAC_ELEMENT_TEXT];
            tac_element_print(&s->type, k, element);
            fprintf(csv->file, ",%s%s [%s]", s->name, element, s->unit);
        }
    }
    fputc('\n', csv->file);
}

tac_status tac__live_csv_open(tac_recorder *r, tac_error *err)
{
    const tac_engine *e = r->engine;
    tac__live_csv *csv = tac__arena_array(&r->arena, 1, sizeof *csv);
    const tac__schema *schema = tac__watch_schema(e);
    uint32_t *signals = tac__arena_array(&r->arena, schema->count, sizeof *signals);
    if (!csv || !signals)
        return tac__fail_memory(err);
    *csv = (tac__live_csv){.path = r->def.csv, .recorder = r, .schema = schema, .signals = signals};
    const bool driven = tac__watch_run(e).driven;
    for (uint32_t i = 0; i < schema->count; i++) {
        if (!driven || tac__watch_component(e, schema->signals[i].component).plant)
            csv->signals[csv->count++] = i;
    }
    int fd;
    TAC_TRY(tac__file_create(csv->path, true, &fd, err));
    csv->file = fdopen(fd, "w");
    if (!csv->file) {
        close(fd);
        return tac__fail_memory(err);
    }
    add_header(csv);
    r->csv = csv;
    return TAC_OK;
}

static void add_value(FILE *file, const tac_type *type, const void *value, uint32_t k)
{
    const double x = tac__scalar_f64(type->scalar, value, k);
    char text[TAC__NUMBER_TEXT];
    tac__print(text, sizeof text, type->scalar == TAC_F64 ? ",%.9g" : ",%.0f", x);
    fputs(text, file);
}

void tac__live_csv_row(tac__live_csv *csv, tac_engine *e, tac_time t_us)
{
    if (csv->failed)
        return;
    fprintf(csv->file, "%llu.%06u", (unsigned long long)(t_us / 1000000),
            (unsigned)(t_us % 1000000));
    for (size_t i = 0; i < csv->count; i++) {
        const tac_type *type = &csv->schema->signals[csv->signals[i]].type;
        const void *value = tac_engine_read(e, (int)csv->signals[i]);
        for (uint32_t k = 0; k < type->count; k++) {
            if (value)
                add_value(csv->file, type, value, k);
            else
                fputs(",nan", csv->file);
        }
    }
    fputc('\n', csv->file);
    const int64_t now = now_ns();
    if (now - csv->flushed_ns >= FLUSH_NS) {
        csv->flushed_ns = now;
        fflush(csv->file);
    }
    if (ferror(csv->file)) {
        csv->failed = errno ? errno : EIO;
        tac__recorder_fail(csv->recorder);
    }
}

tac_status tac__live_csv_close(tac__live_csv *csv, tac_error *err)
{
    if (fflush(csv->file) && !csv->failed)
        csv->failed = errno;
    if (fclose(csv->file) && !csv->failed)
        csv->failed = errno;
    if (csv->failed)
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", csv->path,
                         tac__errno_text(csv->failed));
    return TAC_OK;
}
