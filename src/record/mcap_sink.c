// mcap_sink.c - the sink that writes an MCAP file: every channel has chunks of its own, into which
// the engine's thread copies values; others compress and write them.
#include "record/mcap_sink.h"
#include "record/mcap/append.h"

static tac__mcap_sink *mcap_of(tac__sink *sink)
{
    return (tac__mcap_sink *)sink;
}

// --- samples ------------------------------------------------------------------------------------

// The `slot` of a channel is that of the file.
static void *take_room(const tac__channel *c, tac_time t_us)
{
    void *sample = tac__mcap_sample(c->slot, t_us * 1000);
    if (!sample)
        tac__recorder_fail(c->sink->recorder);
    return sample;
}

__attribute__((noinline)) static void sample_slowly(const tac__channel *c, tac_engine *e,
                                                    tac_time t_us)
{
    unsigned char *sample = take_room(c, t_us);
    if (sample)
        tac__encoder_store(((const tac__mcap_slot *)c->slot)->samples.context, e, t_us, sample);
}

// What steps write goes straight into the open chunk while there is room in it: without a call.
static void sample(void *context, tac_engine *e, tac_time t_us)
{
    const tac__channel *c = context;
    if (c->plant || !tac__mcap_has_sample_room(c->slot))
        sample_slowly(c, e, t_us);
    else
        tac__moves_make(&c->moves, tac__mcap_put_sample(c->slot, t_us * 1000));
}

static void append(const tac__channel *c, tac_time t_us, const unsigned char *sample)
{
    unsigned char *to = take_room(c, t_us);
    if (to)
        memcpy(to, sample, c->layout.size);
}

// --- streams ------------------------------------------------------------------------------------

static uint16_t stream(tac__sink *sink, tac__channel_kind kind, const char *subject,
                       const char *names)
{
    return tac__mcap_sink_stream(mcap_of(sink), kind, subject, names);
}

static void put(tac__sink *sink, uint16_t id, tac_time t_us, const void *bytes, size_t size)
{
    void *message = tac__mcap_message(mcap_of(sink)->writer, id, t_us * 1000, size);
    if (message)
        memcpy(message, bytes, size);
    else
        tac__recorder_fail(sink->recorder);
}

static void flush(tac__sink *sink, bool settle)
{
    tac__mcap_writer *writer = mcap_of(sink)->writer;
    if (settle)
        tac__mcap_settle(writer);
    else
        tac__mcap_flush(writer);
    if (tac__mcap_failed(writer))
        tac__recorder_fail(sink->recorder);
}

// --- beginning and end --------------------------------------------------------------------------

static tac_status select_channels(const tac__sink *sink, const tac_engine *e, tac__arena *arena,
                                  tac__picks *picks, tac_error *err)
{
    return tac__select(&sink->recorder->def, e, arena, picks, err);
}

static tac_status open_file(tac__mcap_sink *s, tac_error *err)
{
    const tac_recorder_def *wish = &s->base.recorder->def;
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    TAC_TRY(tac__compression_parse(wish->compression, &def.compression, err));
    def.level = wish->level;
    def.sync = wish->sync;
    def.replace = wish->replace;
    def.library = "tactus " TAC_VERSION;
    def.chunk_size = 64 << 10; // little is left to do when the run is over
    TAC_TRY(tac__mcap_create(wish->path, &def, &s->writer, err));
    TAC_TRY(tac__mcap_sink_describe(s, err));
    tac__sampler *sampler = s->base.sampler;
    for (size_t i = 0; i < sampler->picks.count; i++) {
        if (tac__mcap_sink_channel(s, &sampler->channels[i]) != TAC_OK)
            return tac__fail_memory(err);
    }
    return TAC_OK;
}

static tac_status open_sink(tac__sink *sink, tac_error *err)
{
    const tac_status status = open_file(mcap_of(sink), err);
    if (status != TAC_OK)
        tac__error_context(err, "beginning recording '%s'", sink->recorder->def.path);
    return status;
}

static tac_status close_sink(tac__sink *sink, const char *failure, tac_error *err)
{
    tac__mcap_sink *s = mcap_of(sink);
    if (!s->writer)
        return TAC_OK;
    tac__mcap_sink_conclude(s, failure);
    tac__mcap_writer *writer = s->writer;
    s->writer = NULL;
    const tac_status status = tac__mcap_finish(writer, err);
    if (status != TAC_OK)
        tac__error_context(err, "writing recording '%s'", sink->recorder->def.path);
    return status;
}

static const tac__sink_type type = {
    .select = select_channels,
    .open = open_sink,
    .sample = sample,
    .append = append,
    .stream = stream,
    .put = put,
    .flush = flush,
    .close = close_sink,
};

tac__sink *tac__mcap_sink_make(tac_recorder *r)
{
    tac__mcap_sink *s = tac__arena_array(&r->arena, 1, sizeof *s);
    if (s)
        s->base = (tac__sink){.type = &type, .recorder = r};
    return s ? &s->base : NULL;
}
