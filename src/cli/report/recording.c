// recording.c - describes a recording: its run, whether it is complete, its contents.
#include "cli/report/recording.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tactus/record.h>

static const char *const trace_names[] = {"exact", "hold", "sampled"};

static void add_size(tac__text *out, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 1000 && unit < 4; unit++)
        size /= 1000;
    tac__text_add(out, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

// How a channel is filled, in a few letters: "250 Hz", "on change".
static void print_axis(const tac_channel_info *c, char text[TAC_TIME_TEXT])
{
    if (c->period_us && 1000000 % c->period_us == 0)
        snprintf(text, TAC_TIME_TEXT, "%" PRIu64 " Hz", 1000000 / c->period_us);
    else if (c->period_us)
        tac_time_print(c->period_us, text);
    else
        snprintf(text, TAC_TIME_TEXT, "%s", c->trace == TAC_TRACE_HOLD ? "on change" : "-");
}

static size_t signals_in(const tac_recording *r, size_t channel)
{
    size_t n = 0;
    for (size_t i = 0; i < tac_recording_signal_count(r); i++)
        n += tac_recording_signal(r, i)->channel == channel;
    return n;
}

static void channels_text(const tac_recording *r, tac__text *out)
{
    const size_t count = tac_recording_channel_count(r);
    size_t width = strlen("channel");
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(tac_recording_channel(r, i)->topic);
        width = length > width ? length : width;
    }
    tac__text_add(out, "\n%-*s  %8s  %-8s  %-10s  %10s  %s\n", (int)width, "channel", "signals",
                  "trace", "axis", "samples", "for replay");
    for (size_t i = 0; i < count; i++) {
        const tac_channel_info *c = tac_recording_channel(r, i);
        char axis[TAC_TIME_TEXT];
        print_axis(c, axis);
        tac__text_add(out, "%-*s  %8zu  %-8s  %-10s  %10" PRIu64 "  %s\n", (int)width, c->topic,
                      signals_in(r, i), trace_names[c->trace], axis, c->samples,
                      c->replay ? "yes" : "no");
    }
}

static void about_text(const tac_recording *r, tac__text *out)
{
    const tac_recording_info *info = tac_recording_about(r);
    char start[TAC_TIME_TEXT], last[TAC_TIME_TEXT], end[TAC_TIME_TEXT];
    tac_time_print(info->start_us, start);
    tac_time_print(info->last_us, last);
    tac_time_print(info->end_us, end);
    tac__text_add(out, "%s: recording of %s\n", info->path, *info->name ? info->name : "?");
    if (!info->whole) {
        char complete[TAC_TIME_TEXT];
        tac_time_print(info->complete_us, complete);
        tac__text_add(out,
                      "  CUT OFF            it was never closed; complete up to %s. 'tactus "
                      "recover' writes a clean copy\n",
                      complete);
    }
    if (info->whole && info->complete_us < info->last_us) {
        char complete[TAC_TIME_TEXT];
        tac_time_print(info->complete_us, complete);
        tac__text_add(out, "  complete up to     %s: it was recovered\n", complete);
    }
    tac__text_add(out, "  from, to           %s, %s%s\n", start, last,
                  info->finished ? ""
                  : info->whole  ? " (the run ended early)"
                                 : "");
    if (!info->finished)
        tac__text_add(out, "  meant to end at    %s\n", end);
    if (*info->failure)
        tac__text_add(out, "  failure            %s\n", info->failure);
    tac__text_add(out, "  written by         tactus %s\n", info->version);
    tac__text_add(out, "  seed               %" PRIu64 "\n", info->seed);
    if (info->hash)
        tac__text_add(out, "  hash               %016" PRIx64 "\n", info->hash);
    tac__text_add(out, "  model hash         %016" PRIx64 "\n", info->model_hash);
    tac__text_add(out, "  schema hash        %016" PRIx64 "\n", info->schema_hash);
    tac__text_add(out, "  size               ");
    add_size(out, info->file_size);
    tac__text_add(out, ", %" PRIu64 " chunks, %" PRIu64 " messages, %s\n", info->chunks,
                  info->messages, *info->compression ? info->compression : "?");
    channels_text(r, out);
}

static void signals_json(const tac_recording *r, tac__json *json)
{
    tac__json_key(json, "signals");
    tac__json_array_begin(json);
    for (size_t i = 0; i < tac_recording_signal_count(r); i++) {
        const tac_recorded *s = tac_recording_signal(r, i);
        char type[128];
        tac_type_print(&s->type, type, sizeof type);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", s->name);
        tac__json_key_text(json, "type", type);
        tac__json_key_text(json, "unit", s->unit);
        tac__json_key_text(json, "channel", tac_recording_channel(r, s->channel)->topic);
        tac__json_key_text(json, "doc", s->doc);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void about_json(const tac_recording *r, tac__text *out)
{
    const tac_recording_info *info = tac_recording_about(r);
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "kind", "recording");
    tac__json_key_text(&json, "file", info->path);
    tac__json_key_text(&json, "name", info->name);
    tac__json_key_bool(&json, "whole", info->whole);
    tac__json_key_bool(&json, "finished", info->finished);
    tac__json_key_text(&json, "failure", *info->failure ? info->failure : NULL);
    tac__json_key_u64(&json, "t_start_us", info->start_us);
    tac__json_key_u64(&json, "t_us", info->last_us);
    tac__json_key_u64(&json, "t_complete_us", info->complete_us);
    tac__json_key_u64(&json, "t_end_us", info->end_us);
    if (info->hash)
        tac__json_key_hex64(&json, "hash", info->hash);
    else
        tac__json_key_text(&json, "hash", NULL);
    tac__json_key_hex64(&json, "model_hash", info->model_hash);
    tac__json_key_hex64(&json, "schema_hash", info->schema_hash);
    tac__json_key_u64(&json, "seed", info->seed);
    tac__json_key_text(&json, "version", info->version);
    tac__json_key_u64(&json, "size", info->file_size);
    tac__json_key_u64(&json, "chunks", info->chunks);
    tac__json_key_u64(&json, "messages", info->messages);
    tac__json_key_text(&json, "compression", info->compression);
    tac__json_key(&json, "channels");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < tac_recording_channel_count(r); i++) {
        const tac_channel_info *c = tac_recording_channel(r, i);
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "topic", c->topic);
        tac__json_key_text(&json, "component", c->component);
        tac__json_key_text(&json, "trace", trace_names[c->trace]);
        tac__json_key_u64(&json, "period_us", c->period_us);
        tac__json_key_u64(&json, "samples", c->samples);
        tac__json_key_bool(&json, "replay", c->replay);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    signals_json(r, &json);
    tac__json_object_end(&json);
}

tac_status cli_about_recording(const cli_args *args, tac__text *out, tac_error *err)
{
    if (cli_has(args, "set"))
        return tac__fail(err, TAC_E_USAGE, "--set needs a configuration; '%s' is a recording",
                         args->operands[0]);
    tac_recording *r;
    TAC_TRY(tac_recording_open(args->operands[0], &r, err));
    if (cli_has(args, "resolved"))
        tac__text_add(out, "%s", tac_recording_about(r)->config);
    else if (cli_has(args, "json"))
        about_json(r, out);
    else
        about_text(r, out);
    tac_recording_close(r);
    return TAC_OK;
}
