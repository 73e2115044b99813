// read.c - from recordings to the tables of a page, phases and marks.
//
// Each recording is read once, sample by sample, and only the channels that the page needs.
#include "cli/plot/page.h"

#include <stdlib.h>
#include <string.h>

enum { CHANGES_MAX = 1000 };

// Where samples of a signal go: to a table or to a list of changes.
typedef struct tap {
    const tac_recorded *signal;
    cli_table *table;
    cli_trace trace;
    cli_page_changes *changes;
    bool with_first; // the list begins with the value at the start
    bool from_rest;  // before its first sample the signal is at rest: 0, false, none
    double *values;  // of the last sample
    bool seen;
} tap;

typedef struct taps {
    const cli_page *page;
    tac_recording *recording;
    tap *list;
    size_t count;
    TAC__CAPACITY(tap) capacity;
    size_t *first; // index of the first tap of each channel; one more entry at the end
    bool *wanted;
    bool *holding; // wanted, and holds
} taps;

// --- which signals -------------------------------------------------------------------------------

bool cli_page_is_fault(const char *name)
{
    return tac__ends_in(name, "_fault") || tac__ends_in(name, ".motor_hold") ||
           tac__ends_in(name, ".motor_loss") || tac__ends_in(name, ".battery_open");
}

static bool is_mark(const tac_recorded *s)
{
    return s->stage == TAC_STAGE_SCENARIO &&
           (cli_page_is_fault(s->name) || tac__ends_in(s->name, ".mode") ||
            tac__ends_in(s->name, ".arm"));
}

static bool is_phase(const tac_recorded *s)
{
    return s->type.scalar == TAC_ENUM && s->type.count == 1 && tac__ends_in(s->name, ".phase");
}

bool cli_page_same_entity(const char *a, const char *b)
{
    const size_t n = strcspn(a, "."), m = strcspn(b, ".");
    if (n == m && !memcmp(a, b, n))
        return true;
    return strchr(a, '.') == strrchr(a, '.') && strchr(b, '.') == strrchr(b, '.');
}

static tac_status add_tap(taps *t, const tac_recorded *signal, tap **added, tac_error *err)
{
    tac__arena *arena = t->page->arena;
    if (!TAC__ARENA_GROW(arena, t->list, t->count, t->capacity))
        return tac__fail_memory(err);
    *added = &t->list[t->count++];
    **added = (tap){.signal = signal,
                    .values = tac__arena_array(arena, signal->type.count, sizeof(double))};
    return (*added)->values ? TAC_OK : tac__fail_memory(err);
}

static tac_status add_tables(taps *t, cli_page *page, size_t recording, tac_error *err)
{
    tap *added;
    for (size_t i = 0; i < page->panel_count; i++) {
        for (size_t k = 0; k < page->panels[i].count; k++) {
            cli_page_signal *s = &page->panels[i].signals[k];
            if (!s->in[recording])
                continue;
            TAC_TRY(add_tap(t, s->in[recording], &added, err));
            added->table = &s->tables[recording];
            cli_trace_begin(&added->trace, page->arena, s->any->type.count, page->span.from_us,
                            page->span.to_us, CLI_PAGE_RIGHT - CLI_PAGE_LEFT);
        }
    }
    return TAC_OK;
}

// Stage 0 contains phase machines only.
static bool is_of_machine(const tac_recorded *s)
{
    return s->stage == TAC_STAGE_BEGIN && !s->continuous;
}

bool cli_page_is_bookkeeping(const tac_recorded *s)
{
    return is_of_machine(s) &&
           (tac__ends_in(s->name, ".transition") || tac__ends_in(s->name, ".queued") ||
            tac__ends_in(s->name, ".changes") || tac__ends_in(s->name, ".resets"));
}

// The phase of the entity itself has priority over the phase of a component.
static const tac_recorded *find_phase(const tac_recording *recording, const char *name)
{
    const tac_recorded *s, *best = NULL;
    for (size_t i = 0; (s = tac_recording_signal(recording, i)); i++) {
        if (!is_phase(s) || !cli_page_same_entity(s->name, name))
            continue;
        const bool own = is_of_machine(s);
        if (!best || (own != is_of_machine(best) ? own : strlen(s->name) < strlen(best->name)))
            best = s;
    }
    return best;
}

static tac_status add_changes(taps *t, cli_page *page, tac_error *err)
{
    const char *name = page->panels[0].signals[0].of;
    const tac_recorded *s = find_phase(t->recording, name);
    tap *added;
    if (s) {
        TAC_TRY(add_tap(t, s, &added, err));
        added->changes = &page->phases;
        added->with_first = true;
    }
    for (size_t i = 0; (s = tac_recording_signal(t->recording, i)); i++) {
        if (!is_mark(s) || !cli_page_same_entity(s->name, name))
            continue;
        TAC_TRY(add_tap(t, s, &added, err));
        added->changes = &page->marks;
        // A scenario without a rate group has no sample before its first event.
        added->from_rest = tac_recording_about(t->recording)->start_us == 0 &&
                           tac_recording_channel(t->recording, s->channel)->trace == TAC_TRACE_HOLD;
    }
    return TAC_OK;
}

static int by_channel(const void *x, const void *y)
{
    const tap *a = x, *b = y;
    const size_t m = a->signal->channel, n = b->signal->channel;
    return m != n
               ? (m > n) - (m < n)
               : (a->signal->offset > b->signal->offset) - (a->signal->offset < b->signal->offset);
}

static tac_status sort_taps(taps *t, tac_error *err)
{
    const size_t channels = tac_recording_channel_count(t->recording);
    t->first = tac__arena_array(t->page->arena, channels + 1, sizeof *t->first);
    t->wanted = tac__arena_array(t->page->arena, channels + 1, sizeof *t->wanted);
    t->holding = tac__arena_array(t->page->arena, channels + 1, sizeof *t->holding);
    if (!t->first || !t->wanted || !t->holding)
        return tac__fail_memory(err);
    if (t->count)
        qsort(t->list, t->count, sizeof *t->list, by_channel);
    size_t k = 0;
    for (size_t i = 0; i < channels; i++) {
        t->first[i] = k;
        while (k < t->count && t->list[k].signal->channel == i)
            k++;
        t->wanted[i] = k > t->first[i];
        t->holding[i] =
            t->wanted[i] && tac_recording_channel(t->recording, i)->trace == TAC_TRACE_HOLD;
    }
    t->first[channels] = k;
    return TAC_OK;
}

// --- reading -------------------------------------------------------------------------------------

static tac_status add_change(const taps *t, const tap *p, uint32_t e, tac_time t_us, double value,
                             tac_error *err)
{
    cli_page_changes *to = p->changes;
    if (to->count == CHANGES_MAX)
        return TAC_OK;
    if (!TAC__ARENA_GROW(t->page->arena, to->list, to->count, to->capacity))
        return tac__fail_memory(err);
    to->list[to->count++] = (cli_page_change){p->signal, e, value, t_us};
    return TAC_OK;
}

static tac_status take(const taps *t, tap *p, const tac_sample *sample, tac_time t_us,
                       tac_error *err)
{
    for (uint32_t e = 0; e < p->signal->type.count; e++) {
        const double value = tac_recorded_element(p->signal, sample, e);
        const bool known = p->seen || (p->from_rest && t_us > t->page->span.from_us);
        const bool changed = known ? value != p->values[e] : p->with_first;
        p->values[e] = value;
        if (p->changes && changed)
            TAC_TRY(add_change(t, p, e, t_us, value, err));
    }
    p->seen = true;
    if (p->table)
        cli_trace_add(&p->trace, t_us, p->values);
    return TAC_OK;
}

// The value that a channel holds at the start of the page becomes a sample there, unless the
// channel has a sample at that time.
static tac_status take_held(taps *t, tac_error *err)
{
    for (size_t i = 0; i < t->count; i++) {
        tap *p = &t->list[i];
        for (uint32_t e = 0; p->seen && p->with_first && e < p->signal->type.count; e++)
            TAC_TRY(add_change(t, p, e, t->page->span.from_us, p->values[e], err));
        if (p->seen && p->table)
            cli_trace_add(&p->trace, t->page->span.from_us, p->values);
    }
    return TAC_OK;
}

static tac_status prime(taps *t, tac_error *err)
{
    const tac_time from_us = t->page->span.from_us;
    bool any = false;
    for (size_t i = 0; i < tac_recording_channel_count(t->recording); i++)
        any |= t->holding[i];
    if (!any || from_us == 0)
        return TAC_OK;
    tac_cursor *cursor;
    tac_sample sample;
    bool more = true;
    TAC_TRY(tac_cursor_open(t->recording, t->holding, 0, from_us - 1, &cursor, err));
    tac_status status;
    while ((status = tac_cursor_next(cursor, &sample, &more, err)) == TAC_OK && more) {
        for (size_t i = t->first[sample.channel]; i < t->first[sample.channel + 1]; i++) {
            tap *p = &t->list[i];
            for (uint32_t e = 0; e < p->signal->type.count; e++)
                p->values[e] = tac_recorded_element(p->signal, &sample, e);
            p->seen = true;
        }
    }
    tac_cursor_close(cursor);
    return status == TAC_OK ? take_held(t, err) : status;
}

static tac_status read_samples(taps *t, tac_time to_us, tac_error *err)
{
    tac_cursor *cursor;
    tac_sample sample;
    bool more = true;
    TAC_TRY(tac_cursor_open(t->recording, t->wanted, t->page->span.from_us, to_us, &cursor, err));
    tac_status status;
    while ((status = tac_cursor_next(cursor, &sample, &more, err)) == TAC_OK && more) {
        for (size_t i = t->first[sample.channel];
             status == TAC_OK && i < t->first[sample.channel + 1]; i++)
            status = take(t, &t->list[i], &sample, sample.t_us, err);
        if (status != TAC_OK)
            break;
    }
    tac_cursor_close(cursor);
    return status;
}

// A value holds to the end of the page, or of the recording.
static void hold(taps *t, tac_time to_us)
{
    for (size_t i = 0; i < t->count; i++) {
        tap *p = &t->list[i];
        if (p->table && p->seen && !p->signal->continuous)
            cli_trace_add(&p->trace, to_us, p->values);
    }
}

static tac_status read_all(taps *t, tac_error *err)
{
    const tac_time last_us = tac_recording_about(t->recording)->last_us;
    const tac_time to_us = t->page->span.to_us < last_us ? t->page->span.to_us : last_us;
    if (t->page->span.from_us <= to_us) {
        TAC_TRY(prime(t, err));
        TAC_TRY(read_samples(t, to_us, err));
        hold(t, to_us);
    }
    for (size_t i = 0; i < t->count; i++) {
        if (t->list[i].table)
            TAC_TRY(cli_trace_end(&t->list[i].trace, t->list[i].table, err));
    }
    return TAC_OK;
}

tac_status cli_page_read(cli_page *page, tac_error *err)
{
    for (size_t i = 0; i < page->recording_count; i++) {
        taps t = {.page = page, .recording = page->recordings[i]};
        TAC_TRY(add_tables(&t, page, i, err));
        if (i == 0)
            TAC_TRY(add_changes(&t, page, err));
        TAC_TRY(sort_taps(&t, err));
        TAC_TRY(read_all(&t, err));
    }
    return TAC_OK;
}
