// encoder.c - see encoder.h.
#include "record/encoder.h"

// A sample of a channel whose outputs may be deferred begins with a word: 1 where they are.
enum { MARK = sizeof(uint64_t) };

// --- in the compressor's threads ----------------------------------------------------------------

static void evaluate(const tac__encoder *p, const unsigned char *stored, unsigned char *message)
{
    tac__deferred_values values;
    const bool good = tac__deferred_evaluate(&p->outputs, stored, &values) == TAC_OK;
    memcpy(message, tac__cdr_header, TAC__CDR_HEADER);
    for (size_t i = 0; i < p->channel->layout.count; i++) {
        const tac__field *field = &p->channel->layout.fields[i];
        const tac__watched *from = &p->channel->copies[i].from;
        if (from->state >= 0)
            memcpy(message + field->at, tac__deferred_states(stored) + from->state, field->bytes);
        else if (good)
            memcpy(message + field->at, values.out[from->output], field->bytes);
        else
            memset(message + field->at, 0xff, field->bytes);
    }
}

static void encode(const void *context, const unsigned char *sample, unsigned char *message)
{
    const tac__encoder *p = context;
    uint64_t deferred = 0;
    if (p->outputs.component) {
        memcpy(&deferred, sample, MARK);
        sample += MARK;
    }
    if (deferred)
        evaluate(p, sample, message);
    else
        tac__layout_encode(&p->channel->layout, sample, message);
    tac__channel_mend_nans(p->channel, message);
}

// --- in the engine's thread ---------------------------------------------------------------------

// Outputs are deferred only in a channel of nothing but states and outputs on an axis: what steps
// write is not stored.
static tac__deferred defer(const tac__channel *channel)
{
    bool outputs = false, others = channel->pick->mode.kind != TAC__MODE_AXIS;
    for (size_t i = 0; i < channel->layout.count; i++) {
        const tac__watched *from = &channel->copies[i].from;
        outputs |= from->output >= 0;
        others |= from->output < 0 && from->state < 0;
    }
    return outputs && !others
               ? tac__defer_outputs(channel->sampler->engine, channel->pick->component)
               : (tac__deferred){0};
}

void tac__encoder_init(tac__encoder *p, const tac__channel *channel, tac__mcap_slot *slot)
{
    *p = (tac__encoder){.channel = channel, .outputs = defer(channel)};
    size_t size = channel->layout.size;
    if (p->outputs.component)
        size = MARK + (p->outputs.size > size ? p->outputs.size : size);
    const tac__mcap_samples samples = {
        .size = size, .message_size = channel->layout.message_size, .encode = encode, .context = p};
    tac__mcap_store_samples(slot, &samples);
}

void tac__encoder_store(const tac__encoder *p, tac_engine *e, tac_time t_us, unsigned char *sample)
{
    uint64_t deferred = 0;
    if (p->outputs.component) {
        deferred = tac__deferred_ready(&p->outputs, t_us);
        memcpy(sample, &deferred, MARK);
        sample += MARK;
    }
    if (deferred)
        tac__deferred_store(&p->outputs, t_us, sample);
    else
        tac__channel_fill(p->channel, e, t_us, sample);
}
