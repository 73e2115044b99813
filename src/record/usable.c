// usable.c - whether export and replay can use a recording: it is read as they read it.
//
// A program that was killed while it prepared the run, or wrote the first instant, has left no more
// than names: then what drives the plant, or the digests of a state, have no sample, and no mark
// says that there is none.
#include "base/hash.h"
#include "record/cdr.h"
#include "record/recording.h"

// Is a message laid out as streams.c writes those of its kind? Samples are read by the cursor.
static bool is_sound(tac__channel_kind kind, const tac__frame *frame)
{
    tac__cdr c = tac__cdr_open(frame->bytes, frame->size);
    size_t n, m = 0;
    switch (kind) {
    case TAC__CHANNEL_DIGEST:
        tac__cdr_read_u64s(&c, &n);
        tac__cdr_read_u64s(&c, &m);
        return !c.failed && n == m && c.at == c.size;
    case TAC__CHANNEL_INSTANTS:
        tac__cdr_read_u32(&c);
        return !c.failed && c.at == c.size;
    case TAC__CHANNEL_DELIVERY:
        tac__cdr_read_u64(&c);
        tac__cdr_read_u64(&c);
        tac__cdr_read_u32(&c);
        tac__cdr_read_bytes(&c, &n);
        if (!c.failed && c.at < c.size) // older recordings have no copies
            tac__cdr_read_u32(&c);
        return !c.failed && c.at == c.size;
    case TAC__CHANNEL_STATE:
        tac__cdr_read_bytes(&c, &n);
        return !c.failed && c.at == c.size;
    case TAC__CHANNEL_MARK:
        tac__cdr_read_u64(&c);
        return !c.failed && c.at == c.size;
    default:
        return true;
    }
}

// Count the messages of a track, in order of time. Digests and deliveries that come twice in a row
// are the same chunk twice: a replay would expect a boundary, or deliver a message, again.
static tac_status count_messages(tac_recording *r, const tac__track *track, size_t *count,
                                 tac_error *err)
{
    const bool once = track->kind == TAC__CHANNEL_DIGEST || track->kind == TAC__CHANNEL_DELIVERY;
    tac__track_reader reader;
    tac__track_reader_init(&reader, r, track, 0, TAC_TIME_NEVER);
    bool more = true;
    tac_status status = TAC_OK;
    uint64_t before = 0;
    for (*count = 0; status == TAC_OK && more; *count += more) {
        tac__frame frame;
        status = tac__track_reader_next(&reader, &frame, &more, err);
        if (status == TAC_OK && more && !is_sound(track->kind, &frame))
            status = tac__fail(err, TAC_E_FORMAT,
                               "a message of channel '%s' has %zu bytes: it is not laid out as the "
                               "channel says",
                               track->topic, frame.size);
        if (status != TAC_OK || !more || !once)
            continue;
        const uint64_t now = tac__hash_end(
            tac__hash_bytes(tac__hash_word(TAC__HASH_SEED, frame.t_us), frame.bytes, frame.size));
        if (*count && now == before)
            status = tac__fail(err, TAC_E_FORMAT, "channel '%s' has a message twice at %llu us",
                               track->topic, (unsigned long long)frame.t_us);
        before = now;
    }
    tac__track_reader_fini(&reader);
    return status;
}

// All samples of all signals, decoded.
static tac_status read_signals(tac_recording *r, tac_error *err)
{
    tac_cursor *cursor;
    tac_sample sample;
    bool more = true;
    TAC_TRY(tac_cursor_open(r, NULL, 0, TAC_TIME_NEVER, &cursor, err));
    tac_status status = TAC_OK;
    while (status == TAC_OK && more)
        status = tac_cursor_next(cursor, &sample, &more, err);
    tac_cursor_close(cursor);
    return status;
}

static tac_status fail_empty(tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT,
                     "it was cut off before its first instant was complete: there is nothing to "
                     "save");
}

tac_status tac__recording_usable(tac_recording *r, tac_error *err)
{
    if (!*r->info.version) // of another program
        return r->info.messages ? TAC_OK : fail_empty(err);
    bool complete = r->ended || r->info.last_us > r->info.start_us, begun = r->info.messages > 0;
    TAC_TRY(read_signals(r, err));
    for (size_t i = 0; i < r->track_count; i++) {
        const tac__track *track = &r->tracks[i];
        size_t count;
        if (track->kind == TAC__CHANNEL_OTHER)
            continue;
        TAC_TRY(count_messages(r, track, &count, err));
        complete |= track->kind == TAC__CHANNEL_MARK && count > 0;
        if (track->info.replay || track->kind == TAC__CHANNEL_DIGEST)
            begun &= count > 0;
    }
    return complete || begun ? TAC_OK : fail_empty(err);
}
