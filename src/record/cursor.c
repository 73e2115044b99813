// cursor.c - samples of several channels in order of time: a reader of each track, and a heap over
// what they hold.
#include "base/def.h"
#include "record/recording.h"
#include "base/floats.h"

#include <string.h>

typedef struct lane {
    tac__track_reader reader;
    size_t channel;
    tac_time t_us;
    void *values; // of the next sample
} lane;

struct tac_cursor {
    const tac_allocator *allocator;
    tac__arena arena;
    lane *lanes;
    size_t lane_count;
    lane **heap; // by (time, channel)
    size_t heap_count;
    bool begun;
};

static bool before(const lane *a, const lane *b)
{
    return a->t_us != b->t_us ? a->t_us < b->t_us : a->channel < b->channel;
}

static void sink(tac_cursor *c, size_t i)
{
    lane *moved = c->heap[i];
    for (size_t child; (child = 2 * i + 1) < c->heap_count; i = child) {
        if (child + 1 < c->heap_count && before(c->heap[child + 1], c->heap[child]))
            child++;
        if (!before(c->heap[child], moved))
            break;
        c->heap[i] = c->heap[child];
    }
    c->heap[i] = moved;
}

static tac_status advance(lane *l, bool *more, tac_error *err)
{
    tac__frame frame;
    TAC_TRY(tac__track_reader_next(&l->reader, &frame, more, err));
    if (!*more)
        return TAC_OK;
    const tac__layout *layout = &l->reader.track->layout;
    if (frame.size != layout->message_size || memcmp(frame.bytes, tac__cdr_header, TAC__CDR_HEADER))
        return tac__fail(
            err, TAC_E_FORMAT,
            "a message of channel '%s' has %zu bytes, expected %zu: it is not laid out "
            "as the channel says",
            l->reader.track->topic, frame.size, layout->message_size);
    tac__layout_decode(layout, frame.bytes, l->values);
    l->t_us = frame.t_us;
    return TAC_OK;
}

static tac_status open_lanes(tac_cursor *c, tac_recording *r, const bool *wanted, tac_time from_us,
                             tac_time to_us, tac_error *err)
{
    c->lanes = tac__arena_array(&c->arena, r->channel_count, sizeof *c->lanes);
    c->heap = tac__arena_array(&c->arena, r->channel_count, sizeof(lane *));
    if (!c->lanes || !c->heap)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->channel_count; i++) {
        if (wanted && !wanted[i])
            continue;
        lane *l = &c->lanes[c->lane_count];
        l->channel = i;
        l->values = tac__arena_array(&c->arena, r->tracks[i].layout.size / 8 + 1, 8);
        if (!l->values)
            return tac__fail_memory(err);
        tac__track_reader_init(&l->reader, r, &r->tracks[i], from_us, to_us);
        c->lane_count++;
        bool more;
        TAC_TRY(advance(l, &more, err));
        if (more)
            c->heap[c->heap_count++] = l;
    }
    for (size_t i = c->heap_count / 2; i-- > 0;)
        sink(c, i);
    return TAC_OK;
}

tac_status tac_cursor_open(tac_recording *r, const bool *wanted, tac_time from_us, tac_time to_us,
                           tac_cursor **cursor, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && cursor);
    *cursor = NULL;
    tac_cursor *c = r->allocator->resize(r->allocator->context, NULL, 0, sizeof *c);
    if (!c)
        return tac__fail_memory(err);
    *c = (tac_cursor){.allocator = r->allocator};
    tac__arena_init(&c->arena, r->allocator);
    const tac_status status = open_lanes(c, r, wanted, from_us, to_us, err);
    if (status == TAC_OK)
        *cursor = c;
    else
        tac_cursor_close(c);
    return status;
}

void tac_cursor_close(tac_cursor *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->lane_count; i++)
        tac__track_reader_fini(&c->lanes[i].reader);
    tac__arena_fini(&c->arena);
    c->allocator->resize(c->allocator->context, c, sizeof *c, 0);
}

// The sample that was given last is replaced by its successor only now, so that it stayed valid.
static tac_status move_on(tac_cursor *c, tac_error *err)
{
    bool more;
    TAC_TRY(advance(c->heap[0], &more, err));
    if (!more)
        c->heap[0] = c->heap[--c->heap_count];
    if (c->heap_count > 1)
        sink(c, 0);
    return TAC_OK;
}

tac_status tac_cursor_next_sized(tac_cursor *c, tac_sample *sample, size_t size, bool *more,
                                 tac_error *err)
{
    TAC__FLOATS;
    if (c->begun && c->heap_count)
        TAC_TRY(move_on(c, err));
    c->begun = true;
    *more = c->heap_count > 0;
    if (*more) {
        const tac_sample own = {c->heap[0]->t_us, c->heap[0]->channel, c->heap[0]->values};
        tac__def_give(sample, size, &own, sizeof own);
    }
    return TAC_OK;
}

// --- one signal ---------------------------------------------------------------------------------

static void free_rows(const tac_allocator *a, tac_time *t_us, double *values, size_t capacity,
                      uint32_t count)
{
    if (t_us)
        a->resize(a->context, t_us, capacity * sizeof *t_us, 0);
    if (values)
        a->resize(a->context, values, capacity * count * sizeof *values, 0);
}

static bool grow(tac_series *s)
{
    const tac_allocator *a = s->allocator;
    const size_t capacity = s->capacity ? 2 * s->capacity : 1024, width = s->count * sizeof(double);
    tac_time *t_us = a->resize(a->context, NULL, 0, capacity * sizeof *t_us);
    double *values = a->resize(a->context, NULL, 0, capacity * width);
    if (!t_us || !values) {
        free_rows(a, t_us, values, capacity, s->count);
        return false;
    }
    if (s->samples) {
        memcpy(t_us, s->t_us, s->samples * sizeof *t_us);
        memcpy(values, s->values, s->samples * width);
    }
    free_rows(a, s->t_us, s->values, s->capacity, s->count);
    s->t_us = t_us;
    s->values = values;
    s->capacity = capacity;
    return true;
}

static tac_status collect(tac_cursor *cursor, const tac_recorded *signal, tac_series *s,
                          tac_error *err)
{
    for (;;) {
        tac_sample sample;
        bool more;
        TAC_TRY(tac_cursor_next(cursor, &sample, &more, err));
        if (!more)
            return TAC_OK;
        if (s->samples == s->capacity && !grow(s))
            return tac__fail_memory(err);
        s->t_us[s->samples] = sample.t_us;
        double *row = s->values + s->samples * s->count;
        for (uint32_t e = 0; e < s->count; e++)
            row[e] = tac_recorded_element(signal, &sample, e);
        s->samples++;
    }
}

static void free_series(tac_series *s)
{
    if (s->allocator)
        free_rows(s->allocator, s->t_us, s->values, s->capacity, s->count);
    *s = (tac_series){0};
}

static tac_status read_series(tac_recording *r, const tac_recorded *signal, tac_time from_us,
                              tac_time to_us, tac_series *series, tac_error *err)
{
    *series = (tac_series){.allocator = r->allocator, .count = signal->type.count};
    bool *wanted = r->allocator->resize(r->allocator->context, NULL, 0, r->channel_count);
    if (!wanted)
        return tac__fail_memory(err);
    memset(wanted, 0, r->channel_count);
    wanted[signal->channel] = true;
    tac_cursor *cursor;
    tac_status status = tac_cursor_open(r, wanted, from_us, to_us, &cursor, err);
    if (status == TAC_OK)
        status = collect(cursor, signal, series, err);
    tac_cursor_close(cursor);
    r->allocator->resize(r->allocator->context, wanted, r->channel_count, 0);
    if (status != TAC_OK)
        free_series(series);
    return status;
}

tac_status tac_recording_series_sized(tac_recording *r, size_t signal, tac_time from_us,
                                      tac_time to_us, tac_series *series, size_t size,
                                      tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && signal < r->signal_count && series);
    tac_series own;
    const tac_status status = read_series(r, r->signals[signal], from_us, to_us, &own, err);
    tac__def_give(series, size, &own, sizeof own);
    return status;
}

void tac_series_fini_sized(tac_series *series, size_t size)
{
    tac_series own = {0};
    memcpy(&own, series, size < sizeof own ? size : sizeof own);
    free_series(&own);
    tac__def_give(series, size, &own, sizeof own);
}
