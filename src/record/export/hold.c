// hold.c - owns the values that channels hold while a recording is read in order of time.
#include "record/export/hold.h"

#include <string.h>

static const tac_channel_info *info(const tac__hold *in, size_t channel)
{
    return tac_recording_channel(in->recording, channel);
}

static void take(tac__hold *in, const tac_sample *sample)
{
    const size_t c = sample->channel;
    memcpy(in->values[c], sample->values, info(in, c)->size);
    in->held[c] = (tac__held){{sample->t_us, c, in->values[c]}, true};
}

// --- before the window --------------------------------------------------------------------------

static tac_status take_all(tac__hold *in, const bool *wanted, tac_time from_us, tac_error *err)
{
    tac_cursor *cursor = NULL;
    TAC_TRY(tac_cursor_open(in->recording, wanted, from_us, in->from_us - 1, &cursor, err));
    tac_sample sample;
    bool more = true;
    tac_status status = TAC_OK;
    while (status == TAC_OK && more) {
        status = tac_cursor_next(cursor, &sample, &more, err);
        if (status == TAC_OK && more)
            take(in, &sample);
    }
    tac_cursor_close(cursor);
    return status;
}

// The last sample of each channel before the window. Most have one within their last period; a
// channel that has none there is looked for from the beginning.
static tac_status look_back(tac__hold *in, const bool *wanted, tac__arena *arena, tac_error *err)
{
    bool *rest = tac__arena_array(arena, in->count + 1, sizeof *rest);
    if (!rest)
        return tac__fail_memory(err);
    tac_time period_us = 0;
    bool any = false;
    for (size_t c = 0; c < in->count; c++) {
        rest[c] = wanted[c] && info(in, c)->trace != TAC_TRACE_HOLD && info(in, c)->period_us > 0;
        if (rest[c] && info(in, c)->period_us > period_us)
            period_us = info(in, c)->period_us;
        any = any || rest[c];
    }
    if (any)
        TAC_TRY(take_all(in, rest, in->from_us > period_us ? in->from_us - period_us : 0, err));
    any = false;
    for (size_t c = 0; c < in->count; c++) {
        rest[c] = wanted[c] && !in->held[c].sample.values && info(in, c)->samples > 0 &&
                  info(in, c)->first_us < in->from_us;
        any = any || rest[c];
    }
    if (any)
        TAC_TRY(take_all(in, rest, 0, err));
    for (size_t c = 0; c < in->count; c++)
        in->held[c].fresh = false;
    return TAC_OK;
}

// --- the window ---------------------------------------------------------------------------------

static bool holds_at_start(const tac__hold *in, size_t c)
{
    return in->held[c].sample.values && in->held[c].sample.t_us < in->from_us &&
           info(in, c)->trace == TAC_TRACE_HOLD;
}

static tac_status look_ahead(tac__hold *in, tac_error *err)
{
    TAC_TRY(tac_cursor_next(in->cursor, &in->next, &in->any_next, err));
    in->next_us = in->any_next ? in->next.t_us : TAC_TIME_NEVER;
    return TAC_OK;
}

tac_status tac__hold_open(tac__hold *in, tac_recording *recording, const bool *wanted,
                          tac_time from_us, tac_time to_us, tac__arena *arena, tac_error *err)
{
    *in = (tac__hold){.recording = recording,
                      .count = tac_recording_channel_count(recording),
                      .from_us = from_us};
    in->held = tac__arena_array(arena, in->count + 1, sizeof *in->held);
    in->values = tac__arena_array(arena, in->count + 1, sizeof *in->values);
    if (!in->held || !in->values)
        return tac__fail_memory(err);
    for (size_t c = 0; c < in->count; c++) {
        if (wanted[c] && !(in->values[c] = tac__arena_alloc(arena, info(in, c)->size + 1)))
            return tac__fail_memory(err);
    }
    if (from_us > 0)
        TAC_TRY(look_back(in, wanted, arena, err));
    TAC_TRY(tac_cursor_open(recording, wanted, from_us, to_us, &in->cursor, err));
    TAC_TRY(look_ahead(in, err));
    for (size_t c = 0; c < in->count; c++) {
        if (holds_at_start(in, c))
            in->next_us = from_us;
    }
    return TAC_OK;
}

tac_status tac__hold_next(tac__hold *in, bool *more, tac_error *err)
{
    *more = in->next_us != TAC_TIME_NEVER;
    if (!*more)
        return TAC_OK;
    in->t_us = in->next_us;
    for (size_t c = 0; c < in->count; c++)
        in->held[c].fresh = !in->started && holds_at_start(in, c);
    in->started = true;
    in->next_us = in->any_next ? in->next.t_us : TAC_TIME_NEVER;
    while (in->next_us == in->t_us) {
        take(in, &in->next);
        TAC_TRY(look_ahead(in, err));
    }
    return TAC_OK;
}

void tac__hold_close(tac__hold *in)
{
    tac_cursor_close(in->cursor);
    in->cursor = NULL;
}
