// recording.c - fuzzes what a recording says, inside a container that is sound.
//
// An input is a list of changes to a true recording: which of its texts, attachments and messages
// (one byte), where in it (two), to what (one). The file is written anew with them, opened, walked
// to the end, exported, and replayed: stored states, digests and all. What is recovered of it can
// be read to its end.
#include "support/recorded.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char original[64], path[64], copy[64];
static recorded rig;

static void forget(void)
{
    remove(original);
    remove(path);
    remove(copy);
}

static void prepare(void)
{
    snprintf(original, sizeof original, "/tmp/tactus_fuzz_%d_true", (int)getpid());
    snprintf(path, sizeof path, "/tmp/tactus_fuzz_%d", (int)getpid());
    snprintf(copy, sizeof copy, "/tmp/tactus_fuzz_%d_copy", (int)getpid());
    atexit(forget);
    recorded_init(&rig, RECORDED_MODEL("20 ms"));
    recorded_make(&rig, original, "none", 4000);
}

typedef struct changes {
    const uint8_t *data;
    size_t size;
    unsigned item; // number of the next
} changes;

static void change(void *context, bool message, unsigned char *bytes, size_t size)
{
    (void)message;
    changes *c = context;
    for (size_t i = 0; i + 4 <= c->size; i += 4) {
        const uint8_t *d = c->data + i;
        const size_t at = d[1] | (size_t)d[2] << 8;
        if (d[0] == c->item % 256 && size)
            bytes[at % size] = d[3];
    }
    c->item++;
}

// --- reading ------------------------------------------------------------------------------------

static double walk(tac_recording *r)
{
    double sum = 0;
    tac_cursor *cursor;
    if (tac_cursor_open(r, NULL, 0, TAC_TIME_NEVER, &cursor, NULL) == TAC_OK) {
        tac_sample sample;
        for (bool more; tac_cursor_next(cursor, &sample, &more, NULL) == TAC_OK && more;)
            sum += (double)sample.t_us;
        tac_cursor_close(cursor);
    }
    for (size_t i = 0; i < tac_recording_signal_count(r); i++) {
        const tac_recorded *s = tac_recording_signal(r, i);
        if (tac_recording_find(r, s->name) != (int)i)
            abort();
        tac_series series;
        if (tac_recording_series(r, i, 0, TAC_TIME_NEVER, &series, NULL) != TAC_OK)
            continue;
        for (size_t k = 0; k < series.samples * series.count; k++)
            sum += series.values[k];
        tac_series_fini(&series);
    }
    uint64_t digest;
    for (size_t i = 0; tac_recording_digest(r, i, &digest); i++)
        sum += (double)digest;
    return sum + (double)tac_recording_hash(r, "*", NULL);
}

// --- exporting ----------------------------------------------------------------------------------

static bool swallow(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return *(size_t *)context < 1 << 24; // no more than is sensible
}

static void export_all(tac_recording *r)
{
    for (size_t i = 0; tac_export_format_at(i); i++) {
        size_t written = 0;
        tac_export_def def = tac_export_def_default();
        def.format = tac_export_format_at(i)->name;
        def.write = swallow;
        def.context = &written;
        if (tac_export_format_at(i)->stream)
            (void)!tac_recording_export(r, &def, NULL, NULL);
    }
}

// --- recovering ---------------------------------------------------------------------------------

static void recover(void)
{
    tac_recovered what;
    tac_recording *r;
    tac_cursor *cursor;
    remove(copy);
    if (tac_recording_recover(path, copy, &what, NULL) != TAC_OK)
        return;
    tac_text_free(what.lost);
    if (tac_recording_open(copy, &r, NULL) != TAC_OK)
        abort();
    const bool own = *tac_recording_about(r)->version; // the head may have been changed, too
    tac_status status = tac_cursor_open(r, NULL, 0, TAC_TIME_NEVER, &cursor, NULL);
    tac_sample sample;
    bool more = status == TAC_OK;
    while (status == TAC_OK && more)
        status = tac_cursor_next(cursor, &sample, &more, NULL);
    if (own && status != TAC_OK)
        abort();
    tac_cursor_close(cursor);
    tac_recording_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!rig.config)
        prepare();
    changes c = {data, size < 256 ? size : 256, 0};
    recorded_rewrite(original, path, change, &c);
    recover();
    tac_recording *r;
    if (tac_recording_open(path, &r, NULL) != TAC_OK)
        return 0;
    if (walk(r) == 0.125) // so that nothing is left out
        abort();
    export_all(r);
    bool match;
    tac_error err;
    (void)!recorded_replay(&rig, r, false, 0, &match, &err);
    (void)!recorded_replay(&rig, r, true, 10000, &match, &err);
    tac_recording_close(r);
    return 0;
}
