// export.h - what the writers of foreign formats share: the signals that were chosen, and a way to
// say what a format cannot hold.
#ifndef TAC_RECORD_EXPORT_EXPORT_H
#define TAC_RECORD_EXPORT_EXPORT_H

#include "base/arena.h"
#include "base/names.h"
#include "record/export/formats.h"

#include <stdarg.h>
#include <tactus/record.h>

typedef struct tac__export {
    tac_recording *recording;
    const tac_recording_info *about;
    const tac_export_def *def;
    const tac_export_format *format;
    tac__arena arena; // lives as long as the export
    size_t channel_count;
    bool *wanted;     // by channel: has signals that were chosen
    size_t *first_of; // by channel: its first signal in `signals`; one more at the end
    size_t signal_count;
    const tac_recorded **signals; // in order of channel, then of offset
    tac_export_result result;
} tac__export;

TAC_PRINTF(2, 3) void tac__export_note(const tac__export *x, const char *format, ...);

// What a channel is called elsewhere: its component, and for a component's second channel and
// further ones how it is filled: "entity.component", "entity.component.log". NULL: no memory.
const char *tac__export_channel(tac__export *x, size_t channel);
// The part of that name behind "entity.": the component's own, and the rest.
const char *tac__export_stem(const tac__export *x, size_t channel, const char *name);
// And what is behind the component's: "log", or "".
const char *tac__export_suffix(const tac__export *x, size_t channel, const char *name);

// The part of a signal's name behind the component's, dots included.
const char *tac__export_port(const tac__export *x, const tac_recorded *signal);

// The same as a field of its channel, with _ for dots; with _2 behind it if that is taken. NULL: no
// memory.
const char *tac__export_field(tac__export *x, const tac_recorded *signal, tac__names *taken);

// "entity.component" with every dot as `c`. NULL: no memory.
char *tac__export_dots(tac__export *x, const char *prefix, const char *name, char c);

// The bits of an element; tac__scalar_size tells how many of them count.
uint64_t tac__export_bits(const tac_recorded *signal, const tac_sample *sample, uint32_t element);

// Labels of an enum; 0 for other types.
size_t tac__export_labels(const tac_type *type);

// The writers: tac__export_csv and so on.
#define TAC__EXPORT_WRITER(name, endings, rows, rated, stream, beside, doc)                        \
    tac_status tac__export_##name(tac__export *x, tac_error *err);
TAC__EXPORT_FORMATS(TAC__EXPORT_WRITER)
#undef TAC__EXPORT_WRITER

#endif
