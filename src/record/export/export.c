// export.c - recordings in formats of others: chooses the signals and calls the writer.
#include "record/export/export.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/print.h"
#include "base/text.h"
#include "base/pick.h"

#include <stdio.h>
#include <string.h>

// --- formats ------------------------------------------------------------------------------------

#define FORMAT(name, endings, rows, rated, stream, beside, doc)                                    \
    {#name, (endings) + 1, beside, doc, rows, stream},
static const tac_export_format formats[] = {TAC__EXPORT_FORMATS(FORMAT)};
#undef FORMAT

#define WRITER(name, endings, rows, rated, stream, beside, doc) tac__export_##name,
static tac_status (*const writers[])(tac__export *, tac_error *) = {TAC__EXPORT_FORMATS(WRITER)};
#undef WRITER

#define RATED(name, endings, rows, rated, stream, beside, doc) rated,
static const bool takes_rate[] = {TAC__EXPORT_FORMATS(RATED)};
#undef RATED

enum { FORMATS = sizeof formats / sizeof *formats };

const tac_export_format *tac_export_format_at(size_t i)
{
    return i < FORMATS ? &formats[i] : NULL;
}

const tac_export_format *tac_export_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (!strcmp(name, formats[i].name))
            return &formats[i];
    }
    return NULL;
}

// The length of the ending in `endings` that a path has; 0: none.
static size_t ending_of(const char *endings, const char *path)
{
    const size_t length = strlen(path);
    for (const char *at = endings; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        if (length > n && !strncmp(path + length - n, at, n))
            return n;
        at += n;
    }
    return 0;
}

const tac_export_format *tac_export_format_of_path(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (ending_of(formats[i].endings, path))
            return &formats[i];
    }
    return NULL;
}

char *tac_export_beside(const tac_export_format *format, const char *path)
{
    if (!format->beside)
        return NULL;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__text_bytes(&text, path, strlen(path) - ending_of(format->endings, path));
    tac__text_add(&text, "%s", format->beside);
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}

static const char *format_name(const void *context, size_t i)
{
    (void)context;
    return i < FORMATS ? formats[i].name : NULL;
}

static tac_status find_format(tac__export *x, tac_error *err)
{
    x->format = tac_export_format_find(x->def->format);
    if (x->format)
        return TAC_OK;
    tac__fail(err, TAC_E_USAGE, "unknown format '%s': there are%s", x->def->format,
              TAC__EXPORT_NAMES);
    tac__error_suggest(err, x->def->format, format_name, NULL);
    return TAC_E_USAGE;
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

char *tac__export_dots(tac__export *x, const char *prefix, const char *name, char c)
{
    char *text = tac__arena_format(&x->arena, "%s%s", prefix, name);
    for (char *p = text; p && *p; p++)
        *p = *p == '.' ? c : *p;
    return text;
}

const char *tac__export_port(const tac__export *x, const tac_recorded *signal)
{
    const char *component = component_of(x, signal->channel), *name = signal->name;
    const size_t length = strlen(component);
    return !strncmp(name, component, length) && name[length] == '.' ? name + length + 1 : name;
}

const char *tac__export_field(tac__export *x, const tac_recorded *signal, tac__names *taken)
{
    char *field = tac__export_dots(x, "", tac__export_port(x, signal), '_');
    if (field)
        tac__brackets_to(field, '_');
    return field ? tac__names_add_new(taken, &x->arena, field, "_") : NULL;
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

// The choice: for each signal the whole, or some elements.
typedef struct choice {
    tac__export *x;
    bool *whole;
    bool **elements; // By signal: which elements; NULL: none.
} choice;

static const tac_recorded *signal_at(const void *context, size_t i)
{
    const tac__export *x = context;
    return tac_recording_signal(x->recording, i);
}

static tac_status take(void *context, size_t i, int element, tac_error *err)
{
    choice *c = context;
    if (element == TAC__PICK_WHOLE) {
        c->whole[i] = true;
        return TAC_OK;
    }
    const uint32_t count = tac_recording_signal(c->x->recording, i)->type.count;
    if (!c->elements[i] &&
        !(c->elements[i] = tac__arena_array(&c->x->arena, count, sizeof **c->elements)))
        return tac__fail_memory(err);
    c->elements[i][element] = true;
    return TAC_OK;
}

static void add_signal(tac__export *x, size_t *channel, const tac_recorded *signal)
{
    while (*channel < signal->channel)
        x->first_of[++*channel] = x->signal_count;
    x->wanted[signal->channel] = true;
    x->signals[x->signal_count++] = signal;
}

// Choose signals by the patterns. An element becomes a signal of its own, unless the whole signal
// is chosen, too.
static tac_status choose(tac__export *x, tac_error *err)
{
    const size_t all = tac_recording_signal_count(x->recording);
    const tac__pick_from from = {signal_at, x};
    choice c = {.x = x};
    x->channel_count = tac_recording_channel_count(x->recording);
    x->wanted = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *x->wanted);
    x->first_of = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *x->first_of);
    c.whole = tac__arena_array(&x->arena, all + 1, sizeof *c.whole);
    c.elements = tac__arena_array(&x->arena, all + 1, sizeof(bool *));
    if (!x->wanted || !x->first_of || !c.whole || !c.elements)
        return tac__fail_memory(err);
    for (size_t i = 0; i < x->def->pattern_count; i++)
        TAC_TRY(tac__pick(&from, x->def->patterns[i], take, &c, err));
    size_t most = all;
    for (size_t i = 0; i < all; i++) {
        c.whole[i] |= x->def->pattern_count == 0;
        most += c.elements[i] ? tac_recording_signal(x->recording, i)->type.count : 0;
    }
    x->signals = tac__arena_array(&x->arena, most + 1, sizeof *x->signals);
    if (!x->signals)
        return tac__fail_memory(err);
    size_t channel = 0;
    for (size_t i = 0; i < all; i++) {
        const tac_recorded *signal = tac_recording_signal(x->recording, i);
        if (c.whole[i])
            add_signal(x, &channel, signal);
        for (uint32_t e = 0; !c.whole[i] && c.elements[i] && e < signal->type.count; e++) {
            const tac_recorded *element =
                c.elements[i][e] ? tac__pick_element(&x->arena, signal, e) : NULL;
            if (c.elements[i][e] && !element)
                return tac__fail_memory(err);
            if (element)
                add_signal(x, &channel, element);
        }
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
    if (!takes_rate[x->format - formats] && def->period_us > 0 && def->period_us != TAC_EXPORT_ALL)
        return tac__fail(err, TAC_E_USAGE, "%s has no rows on an axis: it keeps every sample",
                         x->format->name);
    if (!x->format->rows && def->exact)
        return tac__fail(err, TAC_E_USAGE, "%s need not be told to be exact: it always is",
                         x->format->name);
    if (!x->format->stream && (!def->path || def->write))
        return tac__fail(err, TAC_E_USAGE, "%s needs a file: it is not written in order",
                         x->format->name);
    return TAC_OK;
}

tac_status tac_recording_export_sized(tac_recording *recording, const tac_export_def *def,
                                      tac_export_result *result, size_t size, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(recording && def);
    TAC__DEF(tac_export_def, def, err);
    TAC_REQUIRE((def->path || def->write) && def->format);
    tac__export x = {.recording = recording, .about = tac_recording_about(recording), .def = def};
    tac__arena_init(&x.arena, tac_allocator_default());
    tac_status status = find_format(&x, err);
    if (status == TAC_OK)
        status = check(&x, err);
    if (status == TAC_OK)
        status = choose(&x, err);
    if (status == TAC_OK) {
        note_gaps(&x);
        status = writers[x.format - formats](&x, err);
    }
    tac__arena_fini(&x.arena);
    if (status != TAC_OK)
        tac__error_context(err, "exporting '%s' as %s", x.about->path, def->format);
    else if (result)
        tac__def_give(result, size, &x.result, sizeof x.result);
    return status;
}
