// export.c - recordings in formats of others: chooses the signals and calls the writer.
#include "record/export/export.h"
#include "base/choose.h"
#include "base/floats.h"
#include "base/print.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    tac_status (*write)(tac__export *x, tac_error *err);
} formats[] = {
    [TAC_EXPORT_CSV] = {"csv", tac__export_csv},
    [TAC_EXPORT_HDF5] = {"hdf5", tac__export_hdf5},
    [TAC_EXPORT_ULOG] = {"ulog", tac__export_ulog},
    [TAC_EXPORT_LCM] = {"lcm", tac__export_lcm},
};

enum { FORMATS = sizeof formats / sizeof *formats };

tac_export_def tac_export_def_default(void)
{
    return (tac_export_def){.format = TAC_EXPORT_CSV, .to_us = TAC_TIME_NEVER};
}

bool tac_export_format_parse(const char *name, tac_export_format *format)
{
    for (int i = 0; i < FORMATS; i++) {
        if (!strcmp(name, formats[i].name)) {
            *format = (tac_export_format)i;
            return true;
        }
    }
    return false;
}

void tac__export_note(const tac__export *x, const char *format, ...)
{
    if (!x->def->note)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    x->def->note(x->def->context, text);
    (void)tac__floats_kept();
}

// --- names --------------------------------------------------------------------------------------

static const char *component_of(const tac__export *x, size_t channel)
{
    return tac_recording_channel(x->recording, channel)->component;
}

const char *tac__export_channel(tac__export *x, size_t channel)
{
    const char *topic = tac_recording_channel(x->recording, channel)->topic;
    char *name = tac__arena_text(&x->arena, topic + (topic[0] == '/'));
    for (char *c = name; c && *c; c++)
        *c = *c == '/' ? '.' : *c;
    return name;
}

const char *tac__export_stem(const tac__export *x, size_t channel, const char *name)
{
    const char *component = component_of(x, channel), *dot = strrchr(component, '.');
    const size_t entity = dot ? (size_t)(dot - component) + 1 : 0;
    return strlen(name) > entity ? name + entity : name;
}

const char *tac__export_suffix(const tac__export *x, size_t channel, const char *name)
{
    const size_t length = strlen(component_of(x, channel));
    return strlen(name) > length && name[length] == '.' ? name + length + 1 : "";
}

const char *tac__export_unique(tac__export *x, tac__names *taken, const char *name)
{
    const char *unique = name;
    for (unsigned i = 2; unique && tac__names_find(taken, unique) >= 0; i++)
        unique = tac__arena_format(&x->arena, "%s_%u", name, i);
    if (unique && tac__names_set(taken, &x->arena, unique, 0) != TAC_OK)
        return NULL;
    return unique;
}

char *tac__export_dots(tac__export *x, const char *prefix, const char *name, char c)
{
    char *text = tac__arena_format(&x->arena, "%s%s", prefix, name);
    for (char *p = text; p && *p; p++)
        *p = *p == '.' ? c : *p;
    return text;
}

const char *tac__export_field(tac__export *x, const tac_recorded *signal, tac__names *taken)
{
    const char *component = component_of(x, signal->channel), *port = signal->name;
    const size_t length = strlen(component);
    if (!strncmp(port, component, length) && port[length] == '.')
        port += length + 1;
    const char *field = tac__export_dots(x, "", port, '_');
    return field ? tac__export_unique(x, taken, field) : NULL;
}

size_t tac__export_labels(const tac_type *type)
{
    size_t n = 0;
    while (type->scalar == TAC_ENUM && type->labels && type->labels[n])
        n++;
    return n;
}

uint64_t tac__export_bits(const tac_recorded *signal, const tac_sample *sample, uint32_t element)
{
    const char *value = (const char *)sample->values + signal->offset;
    uint64_t bits;
    uint32_t half;
    switch (signal->type.scalar) {
    case TAC_BOOL:
        return ((const bool *)value)[element];
    case TAC_I32:
    case TAC_ENUM:
        memcpy(&half, value + element * sizeof half, sizeof half);
        return half;
    default:
        memcpy(&bits, value + element * sizeof bits, sizeof bits);
        return bits;
    }
}

// --- the choice ---------------------------------------------------------------------------------

static const char *name_of(const void *context, size_t i)
{
    const tac__export *x = context;
    return i < tac_recording_signal_count(x->recording)
               ? tac_recording_signal(x->recording, i)->name
               : NULL;
}

static tac_status choose(tac__export *x, tac_error *err)
{
    const size_t all = tac_recording_signal_count(x->recording);
    x->channel_count = tac_recording_channel_count(x->recording);
    x->wanted = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *x->wanted);
    x->first_of = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *x->first_of);
    x->signals = tac__arena_array(&x->arena, all + 1, sizeof *x->signals);
    bool *chosen = tac__arena_array(&x->arena, all, sizeof *chosen);
    if (!x->wanted || !x->first_of || !x->signals || !chosen)
        return tac__fail_memory(err);
    const tac__choices names = {name_of, x, "signal"};
    TAC_TRY(tac__choose(&names, x->def->patterns, x->def->pattern_count, chosen, err));
    size_t channel = 0;
    for (size_t i = 0; i < all; i++) {
        const tac_recorded *signal = tac_recording_signal(x->recording, i);
        if (!chosen[i])
            continue;
        while (channel < signal->channel)
            x->first_of[++channel] = x->signal_count;
        x->wanted[signal->channel] = true;
        x->signals[x->signal_count++] = signal;
    }
    while (channel < x->channel_count)
        x->first_of[++channel] = x->signal_count;
    x->result.signals = x->signal_count;
    return TAC_OK;
}

// What is true of every format.
static void note_gaps(const tac__export *x)
{
    if (!x->about->whole)
        tac__export_note(x, "the recording was not closed properly: exported up to its last whole "
                            "chunk");
    else if (!x->about->finished && x->about->failure[0])
        tac__export_note(x, "the run ended early: %s", x->about->failure);
}

static tac_status check(const tac__export *x, tac_error *err)
{
    const tac_export_def *def = x->def;
    if (def->from_us > def->to_us) {
        char from[TAC_TIME_TEXT], to[TAC_TIME_TEXT];
        tac_time_print(def->from_us, from);
        tac_time_print(def->to_us, to);
        return tac__fail(err, TAC_E_RANGE, "nothing lies between %s and %s", from, to);
    }
    if (def->format != TAC_EXPORT_CSV && def->period_us > 0)
        return tac__fail(err, TAC_E_USAGE, "only CSV has rows on an axis; %s keeps every sample",
                         formats[def->format].name);
    if (def->format != TAC_EXPORT_CSV && def->exact)
        return tac__fail(err, TAC_E_USAGE, "only CSV needs to be told to be exact; %s always is",
                         formats[def->format].name);
    return TAC_OK;
}

tac_status tac_recording_export(tac_recording *recording, const tac_export_def *def,
                                tac_export_result *result, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(recording && def && (def->path || def->write));
    TAC_REQUIRE((unsigned)def->format < FORMATS);
    tac__export x = {.recording = recording, .about = tac_recording_about(recording), .def = def};
    tac__arena_init(&x.arena, tac_allocator_default());
    tac_status status = check(&x, err);
    if (status == TAC_OK)
        status = choose(&x, err);
    if (status == TAC_OK) {
        note_gaps(&x);
        status = formats[def->format].write(&x, err);
    }
    tac__arena_fini(&x.arena);
    if (status != TAC_OK)
        tac__error_context(err, "exporting '%s' as %s", x.about->path, formats[def->format].name);
    else if (result)
        *result = x.result;
    return status;
}
