// csv_sink.c - the sink that writes a table which grows as the run goes on, to be read by `tail
// -f`.
//
// A row at every tick of the log axis with every signal of the simulation. What is written reaches
// the file ten times a second at least.
#include "record/recorder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/print.h"
#include "bus/type.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_NS = 100000000 };

typedef struct csv_sink {
    tac__sink base;
    FILE *file;
    int64_t flushed_ns;
    int failed; // errno of the first write that failed
} csv_sink;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// --- beginning ----------------------------------------------------------------------------------

// One channel with all signals; in a driven engine those of the plant.
static tac_status select_channels(const tac__sink *sink, const tac_engine *e, tac__arena *arena,
                                  tac__picks *picks, tac_error *err)
{
    const tac__mode mode = {.kind = TAC__MODE_AXIS, .period_us = sink->recorder->def.log_us};
    if (!TAC__ARENA_GROW(arena, picks->items, picks->count, picks->capacity))
        return tac__fail_memory(err);
    tac__pick *pick = &picks->items[picks->count++];
    *pick = (tac__pick){.several = true, .mode = mode};
    const bool driven = tac__watch_run(e).driven;
    const tac__schema *schema = tac__watch_schema(e);
    for (uint32_t i = 0; i < schema->count; i++) {
        if (driven && !tac__watch_component(e, schema->signals[i].component).plant)
            continue;
        if (!TAC__ARENA_GROW(arena, pick->signals, pick->count, pick->capacity))
            return tac__fail_memory(err);
        pick->signals[pick->count++] = i;
    }
    return TAC_OK;
}

static void add_header(const csv_sink *csv, const tac__layout *layout)
{
    fprintf(csv->file, "t [s]");
    for (size_t i = 0; i < layout->count; i++) {
        const tac_recorded *s = &layout->fields[i].signal;
        for (uint32_t k = 0; k < s->type.count; k++) {
            char element[TAC_ELEMENT_TEXT];
            tac_element_print(&s->type, k, element);
            fprintf(csv->file, ",%s%s [%s]", s->name, element, s->unit);
        }
    }
    fputc('\n', csv->file);
}

static tac_status open_sink(tac__sink *sink, tac_error *err)
{
    csv_sink *csv = (csv_sink *)sink;
    int fd;
    TAC_TRY(tac__file_create(sink->recorder->def.csv, true, &fd, err));
    csv->file = fdopen(fd, "w");
    if (!csv->file) {
        close(fd);
        return tac__fail_memory(err);
    }
    add_header(csv, &sink->sampler->channels[0].layout);
    return TAC_OK;
}

// --- rows ---------------------------------------------------------------------------------------

static void add_value(FILE *file, const tac_type *type, const void *value, uint32_t k)
{
    const double x = tac__scalar_f64(type->scalar, value, k);
    char text[TAC__NUMBER_TEXT];
    tac__print(text, sizeof text, type->scalar == TAC_F64 ? ",%.9g" : ",%.0f", x);
    fputs(text, file);
}

static void sample(void *context, tac_engine *e, tac_time t_us)
{
    const tac__channel *c = context;
    csv_sink *csv = (csv_sink *)c->sink;
    if (csv->failed)
        return;
    fprintf(csv->file, "%llu.%06u", (unsigned long long)(t_us / 1000000),
            (unsigned)(t_us % 1000000));
    for (size_t i = 0; i < c->layout.count; i++) {
        const tac_type *type = &c->layout.fields[i].signal.type;
        const void *value = tac__watched_value(&c->copies[i].from, e, t_us);
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
        tac__recorder_fail(csv->base.recorder);
    }
}

static tac_status close_sink(tac__sink *sink, const char *failure, tac_error *err)
{
    (void)failure;
    csv_sink *csv = (csv_sink *)sink;
    if (!csv->file)
        return TAC_OK;
    if (fflush(csv->file) && !csv->failed)
        csv->failed = errno;
    if (fclose(csv->file) && !csv->failed)
        csv->failed = errno;
    csv->file = NULL;
    if (csv->failed)
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", sink->recorder->def.csv,
                         tac__errno_text(csv->failed));
    return TAC_OK;
}

// Its only channel is sampled on an axis: nothing is appended.
static const tac__sink_type type = {
    .select = select_channels,
    .open = open_sink,
    .sample = sample,
    .close = close_sink,
};

tac__sink *tac__csv_sink_make(tac_recorder *r)
{
    csv_sink *csv = tac__arena_array(&r->arena, 1, sizeof *csv);
    if (csv)
        csv->base = (tac__sink){.type = &type, .recorder = r};
    return csv ? &csv->base : NULL;
}
