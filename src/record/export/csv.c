// csv.c - a table as text: a row an instant, a column an element, every signal holding its
// last value.
//
// The columns of a channel stand together, so its part of a row is made once a sample and used
// again in the rows between.
#include "base/print.h"
#include "base/text.h"
#include "record/export/export.h"
#include "record/export/hold.h"
#include "record/export/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct table {
    tac__export *x;
    tac__hold instants;
    tac__export_file file;
    tac__text row;
    tac__text *parts; // by channel: its cells of a row, a comma before each
    bool *stale;      // by channel: the part is older than the sample
} table;

// --- cells --------------------------------------------------------------------------------------

// Quoted where it has to be.
static void add_quoted(tac__text *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        tac__text_bytes(out, text, strlen(text));
        return;
    }
    tac__text_bytes(out, "\"", 1);
    for (const char *c = text; *c; c++)
        tac__text_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    tac__text_bytes(out, "\"", 1);
}

static void add_number(tac__text *out, double value, bool exact)
{
    char text[TAC__NUMBER_TEXT];
    if (exact || value - value != 0) {
        tac__number_print(value, text);
    } else {
        tac__print(text, sizeof text, "%.9g", value);
    }
    tac__text_bytes(out, text, strlen(text));
}

static void add_cell(tac__text *out, const tac_recorded *signal, const tac_sample *sample,
                     uint32_t element, bool exact)
{
    const char *value = (const char *)sample->values + signal->offset;
    const double number = tac_recorded_element(signal, sample, element);
    int64_t whole;
    switch (signal->type.scalar) {
    case TAC_F64:
        add_number(out, number, exact);
        return;
    case TAC_I64: // a double does not hold all of them
        memcpy(&whole, value + element * sizeof whole, sizeof whole);
        break;
    case TAC_ENUM:
        if (number >= 0 && number < (double)tac__export_labels(&signal->type)) {
            add_quoted(out, signal->type.labels[(size_t)number]);
            return;
        }
        whole = (int64_t)number;
        break;
    default:
        whole = (int64_t)number;
    }
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, whole);
    tac__text_bytes(out, text, strlen(text));
}

static void make_part(table *t, size_t channel)
{
    tac__text *part = &t->parts[channel];
    const tac_sample *sample = &t->instants.held[channel].sample;
    part->length = 0;
    for (size_t i = t->x->first_of[channel]; i < t->x->first_of[channel + 1]; i++) {
        const tac_recorded *signal = t->x->signals[i];
        for (uint32_t e = 0; e < signal->type.count; e++) {
            tac__text_bytes(part, ",", 1);
            if (sample->values)
                add_cell(part, signal, sample, e, t->x->def->exact);
        }
    }
    t->stale[channel] = false;
}

// --- rows ---------------------------------------------------------------------------------------

static void add_header_cell(tac__text *out, tac__text *name, const tac_recorded *signal, uint32_t e)
{
    name->length = 0;
    char element[TAC_ELEMENT_TEXT];
    tac_element_print(&signal->type, e, element);
    tac__text_add(name, "%s%s [%s]", signal->name, element, signal->unit);
    tac__text_bytes(out, ",", 1);
    if (!name->failed)
        add_quoted(out, name->chars);
}

static tac_status write_row(table *t, tac_error *err)
{
    tac__text_bytes(&t->row, "\n", 1);
    if (t->row.failed)
        return tac__fail_memory(err);
    tac__export_file_write(&t->file, t->row.chars, t->row.length);
    t->row.length = 0;
    return t->file.failed ? tac__export_file_close(&t->file, err) : TAC_OK;
}

static tac_status write_header(table *t, tac_error *err)
{
    tac__text name;
    tac__text_init(&name, t->x->arena.allocator);
    tac__text_add(&t->row, "t [s]");
    for (size_t i = 0; i < t->x->signal_count; i++) {
        for (uint32_t e = 0; e < t->x->signals[i]->type.count; e++)
            add_header_cell(&t->row, &name, t->x->signals[i], e);
    }
    const bool failed = name.failed;
    tac__text_fini(&name);
    return failed ? tac__fail_memory(err) : write_row(t, err);
}

static tac_status write_values(table *t, tac_time t_us, tac_error *err)
{
    tac__text_add(&t->row, "%" PRIu64 ".%06u", t_us / 1000000, (unsigned)(t_us % 1000000));
    for (size_t c = 0; c < t->x->channel_count; c++) {
        if (!t->x->wanted[c])
            continue;
        if (t->stale[c])
            make_part(t, c);
        if (t->parts[c].failed)
            return tac__fail_memory(err);
        tac__text_bytes(&t->row, t->parts[c].chars, t->parts[c].length);
    }
    t->x->result.samples++;
    return write_row(t, err);
}

static tac_status advance(table *t, bool *more, tac_error *err)
{
    TAC_TRY(tac__hold_next(&t->instants, more, err));
    for (size_t c = 0; c < t->x->channel_count; c++)
        t->stale[c] = t->stale[c] || t->instants.held[c].fresh;
    return TAC_OK;
}

static tac_status write_instants(table *t, tac_error *err)
{
    for (bool more = true;;) {
        TAC_TRY(advance(t, &more, err));
        if (!more)
            return TAC_OK;
        TAC_TRY(write_values(t, t->instants.t_us, err));
    }
}

// The first tick of the log axis after one or more samples, up to the end of the span: no more rows
// than there are samples, however long and empty a recording is.
static tac_status write_log_axis(table *t, tac_error *err)
{
    const tac_time period_us = t->x->about->log_us;
    const tac_time to_us = t->x->def->to_us, last_us = t->x->about->last_us;
    const tac_time end_us = to_us < last_us ? to_us : last_us;
    while (t->instants.next_us <= end_us) {
        const tac_time first_us = t->instants.next_us, rest_us = first_us % period_us;
        const tac_time wait_us = rest_us ? period_us - rest_us : 0;
        const tac_time t_us = wait_us < end_us - first_us ? first_us + wait_us : end_us;
        bool more = true;
        while (t->instants.next_us <= t_us)
            TAC_TRY(advance(t, &more, err));
        TAC_TRY(write_values(t, t_us, err));
    }
    return TAC_OK;
}

// Multiples of the period in the part of the span that was recorded.
static tac_status write_axis(table *t, tac_error *err)
{
    const tac_export_def *def = t->x->def;
    const tac_recording_info *about = t->x->about;
    const tac_time begin_us = def->from_us > about->start_us ? def->from_us : about->start_us;
    const tac_time end_us = def->to_us < about->last_us ? def->to_us : about->last_us;
    const uint64_t first = begin_us / def->period_us + (begin_us % def->period_us != 0);
    for (uint64_t i = first; i <= end_us / def->period_us; i++) {
        const tac_time t_us = i * def->period_us;
        bool more = true;
        while (t->instants.next_us <= t_us)
            TAC_TRY(advance(t, &more, err));
        TAC_TRY(write_values(t, t_us, err));
    }
    return TAC_OK;
}

static tac_status write_all(table *t, tac_error *err)
{
    tac__export *x = t->x;
    t->parts = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *t->parts);
    t->stale = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *t->stale);
    if (!t->parts || !t->stale)
        return tac__fail_memory(err);
    for (size_t c = 0; c < x->channel_count; c++) {
        tac__text_init(&t->parts[c], x->arena.allocator);
        t->stale[c] = true;
    }
    TAC_TRY(tac__hold_open(&t->instants, x->recording, x->wanted, x->def->from_us, x->def->to_us,
                           &x->arena, err));
    TAC_TRY(tac__export_file_open(&t->file, x->def->path, x->def->write, x->def->context, err));
    TAC_TRY(write_header(t, err));
    const tac_time period_us = x->def->period_us;
    TAC_TRY(period_us == TAC_EXPORT_ALL || (!period_us && !x->about->log_us)
                ? write_instants(t, err)
            : period_us ? write_axis(t, err)
                        : write_log_axis(t, err));
    x->result.bytes = t->file.bytes;
    return tac__export_file_close(&t->file, err);
}

tac_status tac__export_csv(tac__export *x, tac_error *err)
{
    table t = {.x = x};
    tac__text_init(&t.row, x->arena.allocator);
    const tac_status status = write_all(&t, err);
    tac__export_file_abandon(&t.file);
    tac__hold_close(&t.instants);
    for (size_t c = 0; t.parts && c < x->channel_count; c++)
        tac__text_fini(&t.parts[c]);
    tac__text_fini(&t.row);
    return status;
}
