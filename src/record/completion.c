// completion.c - see completion.h.
#include "record/completion.h"
#include "record/mcap/append.h"

// A note: where in its chunk the message is, then what its outputs follow from.
enum { NOTE_HEAD = sizeof(uint64_t) };

// --- in the compressor's threads ----------------------------------------------------------------

static void fill(const tac__completion *p, const void *stored, unsigned char *message)
{
    tac__deferred_values values;
    const bool good = tac__deferred_evaluate(&p->outputs, stored, &values) == TAC_OK;
    memcpy(message, tac__cdr_header, TAC__CDR_HEADER);
    for (size_t i = 0; i < p->channel->layout.count; i++) {
        const tac__copy *c = &p->channel->copies[i];
        if (c->from.state >= 0)
            memcpy(message + c->at, tac__deferred_states(stored) + c->from.state, c->bytes);
        else if (good)
            memcpy(message + c->at, values.out[c->from.output], c->bytes);
        else
            memset(message + c->at, 0xff, c->bytes);
    }
}

static void complete(void *context, unsigned char *chunk, size_t size, const unsigned char *notes,
                     size_t notes_size)
{
    const tac__completion *p = context;
    for (size_t i = 0; i < notes_size; i += p->note_size) {
        uint64_t at;
        memcpy(&at, notes + i, sizeof at);
        fill(p, notes + i + NOTE_HEAD, chunk + at);
    }
    // All messages of a channel have the same size.
    const size_t stride = MCAP_MESSAGE_HEAD + p->channel->layout.message_size;
    for (size_t at = MCAP_MESSAGE_HEAD; at < size; at += stride)
        tac__channel_mend_nans(p->channel, chunk + at);
}

// --- in the engine's thread ---------------------------------------------------------------------

void tac__completion_init(tac__completion *p, const tac__channel *channel, tac__mcap_slot *slot)
{
    *p = (tac__completion){.channel = channel};
    tac__mcap_completed_by(slot, complete, p);
    if (channel->pick->mode.kind != TAC__MODE_AXIS)
        return;
    // Only a channel of nothing but states and outputs: what steps write is not stored.
    bool outputs = false, others = false;
    for (size_t i = 0; i < channel->layout.count; i++) {
        const tac__watched *from = &channel->copies[i].from;
        outputs |= from->output >= 0;
        others |= from->output < 0 && from->state < 0;
    }
    if (!outputs || others)
        return;
    p->outputs = tac__defer_outputs(channel->sampler->engine, channel->pick->component);
    p->note_size = NOTE_HEAD + p->outputs.size;
}

bool tac__completion_sample(const tac__completion *p, tac__mcap_slot *slot, tac_time t_us)
{
    uint64_t at;
    unsigned char *message = tac__mcap_append(slot, t_us * 1000, p->channel->layout.message_size);
    unsigned char *note = message ? tac__mcap_note(slot, message, p->note_size, &at) : NULL;
    if (!note)
        return false;
    memcpy(note, &at, sizeof at);
    tac__deferred_store(&p->outputs, t_us, note + NOTE_HEAD);
    return true;
}
