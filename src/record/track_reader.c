// track_reader.c - the messages of one channel, in order of time, one chunk in memory.
#include "record/recording.h"

#include <inttypes.h>

void tac__track_reader_init(tac__track_reader *r, const tac_recording *recording,
                            const tac__track *track, tac_time from_us, tac_time to_us)
{
    *r = (tac__track_reader){
        .recording = recording, .track = track, .from_us = from_us, .to_us = to_us};
    r->chunk.allocator = recording->allocator;
}

void tac__track_reader_fini(tac__track_reader *r)
{
    if (!r->recording)
        return;
    if (r->slot.wanted)
        (void)!tac__read_ahead_wait(r->read_ahead, &r->slot, NULL);
    tac__mcap_chunk_fini(&r->slot.chunk);
    tac__mcap_chunk_fini(&r->chunk);
}

void tac__track_reader_read_ahead(tac__track_reader *r, tac__read_ahead *read_ahead)
{
    r->read_ahead = read_ahead;
    r->slot.chunk.allocator = r->recording->allocator;
}

// The next chunk that reaches into the span; false after the last.
static bool find_chunk(tac__track_reader *r, size_t *chunk)
{
    const tac__mcap_info *about = tac__mcap_about(r->recording->reader);
    while (r->next_chunk < r->track->chunk_count) {
        *chunk = r->track->chunks[r->next_chunk++];
        const tac__mcap_chunk_info *info = &about->chunks[*chunk];
        if (info->last_ns / 1000 < r->from_us)
            continue;
        if (info->first_ns / 1000 <= r->to_us)
            return true;
        r->next_chunk = r->track->chunk_count;
    }
    return false;
}

// What was read ahead takes the place of the present chunk, whose memory the next one gets.
static tac_status take_read_ahead(tac__track_reader *r, bool *more, tac_error *err)
{
    *more = r->slot.wanted;
    if (!*more)
        return TAC_OK;
    TAC_TRY(tac__read_ahead_wait(r->read_ahead, &r->slot, err));
    const tac__mcap_chunk past = r->chunk;
    r->chunk = r->slot.chunk;
    r->slot.chunk = past;
    return TAC_OK;
}

static tac_status load(tac__track_reader *r, bool *more, tac_error *err)
{
    size_t chunk;
    TAC_TRY(take_read_ahead(r, more, err));
    if (!*more) {
        *more = find_chunk(r, &chunk);
        if (*more)
            TAC_TRY(tac__mcap_load(r->recording->reader, chunk, &r->chunk, err));
    }
    r->loaded = *more;
    if (r->read_ahead && *more && find_chunk(r, &chunk))
        TAC_TRY(tac__read_ahead_want(r->read_ahead, &r->slot, chunk, err));
    return TAC_OK;
}

static tac_status fail_order(const tac__track_reader *r, tac_time t_us, tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT,
                     "channel '%s' is not in order of time: %" PRIu64 " us follows %" PRIu64 " us",
                     r->track->topic, t_us, r->last_us);
}

tac_status tac__track_reader_next(tac__track_reader *r, tac__frame *frame, bool *more,
                                  tac_error *err)
{
    for (;;) {
        tac__mcap_message_info m;
        bool found = false;
        if (r->loaded)
            TAC_TRY(tac__mcap_next(&r->chunk, &m, &found, err));
        if (!found) {
            r->loaded = false;
            TAC_TRY(load(r, more, err));
            if (!*more)
                return TAC_OK;
            continue;
        }
        if (m.channel != r->track->id)
            continue;
        const tac_time t_us = m.log_ns / 1000;
        if (t_us < r->last_us)
            return fail_order(r, t_us, err);
        r->last_us = t_us;
        if (t_us < r->from_us)
            continue;
        *more = t_us <= r->to_us;
        *frame = (tac__frame){t_us, m.bytes, m.size};
        return TAC_OK;
    }
}
