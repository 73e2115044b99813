// replay.c - reports the results of replays; see replay.h.
#include "cli/report/replay.h"
#include "cli/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void json_outcome(tac__json *json, const cli_method *m, const cli_outcome *o, bool errors)
{
    tac__json_object_begin(json);
    tac__json_key_text(json, "integrator", m->label);
    if (o->failed) {
        tac__json_key_u64(json, "failed_t_us", o->failed_us);
        tac__json_key_text(json, "failure", o->failure);
    }
    tac__json_key_bool(json, "hash_match", o->result.hash_match);
    tac__json_key_u64(json, "boundaries_compared", o->result.boundaries);
    if (o->result.mismatch_us != TAC_TIME_NEVER) {
        tac__json_key_u64(json, "mismatch_t_us", o->result.mismatch_us);
        tac__json_key_text(json, "mismatch", o->result.mismatch);
    }
    tac__json_key_number(json, "wall_s", round(o->wall_s * 1e6) / 1e6);
    tac__json_key_u64(json, "steps", o->counters.integration_steps);
    tac__json_key_u64(json, "rejected", o->counters.rejected);
    tac__json_key_u64(json, "rhs_evals", o->counters.rhs_evals);
    tac__json_key_u64(json, "events", o->counters.events);
    if (errors) {
        tac__json_key(json, "max_errors");
        tac__json_object_begin(json);
        for (size_t i = 0; i < o->errors.column_count; i++) {
            const cli_error_column *c = &o->errors.columns[i];
            tac__json_key(json, c->name);
            tac__json_compact(json);
            tac__json_object_begin(json);
            tac__json_key_number(json, "max", c->max);
            tac__json_key_text(json, "unit", c->unit);
            tac__json_key_u64(json, "t_us", c->max_us);
            tac__json_object_end(json);
        }
        tac__json_object_end(json);
    }
    tac__json_object_end(json);
}

void cli_replays_json(const cli_replays *r, tac__text *out)
{
    const tac_recording_info *info = r->recording;
    const cli_outcome *first = &r->outcomes[0];
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "recording", info->path);
    tac__json_key_text(&json, "name", info->name);
    tac__json_key_bool(&json, "whole", info->whole);
    tac__json_key_u64(&json, "t_start_us", first->result.start_us);
    tac__json_key_u64(&json, "t_us", first->end_us);
    tac__json_key_bool(&json, "compared", first->result.compared);
    tac__json_key_bool(&json, "hash_match", first->result.hash_match);
    if (first->result.mismatch_us != TAC_TIME_NEVER)
        tac__json_key_u64(&json, "mismatch_t_us", first->result.mismatch_us);
    tac__json_key_number(&json, "wall_s", round(first->wall_s * 1e6) / 1e6);
    tac__json_key_bool(&json, "model_changed", first->result.other_model);
    if (*first->result.differences)
        cli_json_lines(&json, "model_differences", first->result.differences);
    if (r->plot)
        tac__json_key_text(&json, "plot", r->plot);
    if (r->out)
        tac__json_key_text(&json, "out", r->out);
    tac__json_key(&json, "replays");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < r->count; i++)
        json_outcome(&json, &r->methods[i], &r->outcomes[i], r->has_reference);
    tac__json_array_end(&json);
    if (r->has_reference) {
        tac__json_key(&json, "reference");
        json_outcome(&json, &r->reference, &r->reference_outcome, false);
        if (*r->loosened)
            tac__json_key_text(&json, "loosened", r->loosened);
    }
    tac__json_object_end(&json);
}

static void add_row(tac__text *out, const cli_method *m, const cli_outcome *o)
{
    char when[TAC_TIME_TEXT], states[TAC_TIME_TEXT + 16];
    tac_time_print(o->failed_us, when);
    snprintf(states, sizeof states, "failed at %s", when);
    tac__text_add(out, "  %-22s %10.3f %10" PRIu64 " %9" PRIu64 " %11" PRIu64 "  %s\n", m->label,
                  o->wall_s * 1e3, o->counters.integration_steps, o->counters.rejected,
                  o->counters.rhs_evals,
                  o->failed              ? states
                  : !o->result.compared  ? "-"
                  : o->result.hash_match ? "same bits"
                                         : "other bits");
}

// Which replays failed, and why, below the table.
static void add_failures(const cli_replays *r, tac__text *out)
{
    bool any = *r->loosened || (r->has_reference && r->reference_outcome.failed);
    for (size_t i = 0; i < r->count; i++)
        any |= r->outcomes[i].failed;
    if (any)
        tac__text_add(out, "\n");
    for (size_t i = 0; i < r->count; i++) {
        if (r->outcomes[i].failed)
            tac__text_add(out, "  %s: %s\n", r->methods[i].label, r->outcomes[i].failure);
    }
    if (*r->loosened)
        tac__text_add(out, "  the reference is loosened: %s\n", r->loosened);
    if (r->has_reference && r->reference_outcome.failed)
        tac__text_add(out, "  %s: %s\n", r->reference.label, r->reference_outcome.failure);
}

static void add_errors(const cli_replays *r, tac__text *out)
{
    const cli_errors *first = &r->outcomes[0].errors;
    int width = 0;
    for (size_t i = 0; i < first->column_count; i++) {
        const cli_error_column *c = &first->columns[i];
        const int length = (int)(strlen(c->name) + strlen(c->unit)) + 3;
        width = length > width ? length : width;
    }
    tac__text_add(out, "\n  greatest error against %s", r->reference.label);
    if (r->reference_outcome.failed) {
        char when[TAC_TIME_TEXT];
        tac_time_print(r->reference_outcome.failed_us, when);
        tac__text_add(out, ", up to %s where that failed", when);
    }
    tac__text_add(out, "\n  %-*s", width, "");
    bool failed = false;
    for (size_t k = 0; k < r->count; k++) {
        char label[64];
        snprintf(label, sizeof label, "%s%s", r->methods[k].label,
                 r->outcomes[k].failed ? "*" : "");
        failed |= r->outcomes[k].failed;
        tac__text_add(out, " %14s", label);
    }
    tac__text_add(out, "\n");
    for (size_t i = 0; i < first->column_count; i++) {
        char label[100];
        snprintf(label, sizeof label, "%s [%s]", first->columns[i].name, first->columns[i].unit);
        tac__text_add(out, "  %-*s", width, label);
        for (size_t k = 0; k < r->count; k++)
            tac__text_add(out, " %14.3e", r->outcomes[k].errors.columns[i].max);
        tac__text_add(out, "\n");
    }
    if (failed)
        tac__text_add(out, "  * until it failed\n");
}

void cli_replays_text(const cli_replays *r, tac__text *out)
{
    const tac_recording_info *info = r->recording;
    const cli_outcome *first = &r->outcomes[0];
    char from[TAC_TIME_TEXT], to[TAC_TIME_TEXT], when[TAC_TIME_TEXT];
    tac_time_print(first->result.start_us, from);
    tac_time_print(first->end_us, to);
    tac__text_add(out, "%s: replayed from %s to %s\n", info->path, from, to);
    if (info->complete_us < info->last_us) {
        tac_time_print(info->complete_us, when);
        tac__text_add(out, "  the recording is cut off; it is complete up to %s\n", when);
    }
    if (first->result.other_model) {
        tac__text_add(out, "  NOT THE RECORDED MODEL:\n");
        for (const char *at = first->result.differences; *at;) {
            const size_t n = strcspn(at, "\n");
            tac__text_add(out, "    %.*s\n", (int)n, at);
            at += n + (at[n] == '\n');
        }
    }
    if (r->count == 1 && !r->has_reference) {
        tac__text_add(out, "  states             %s, %" PRIu64 " boundaries compared\n",
                      !first->result.compared    ? "no digests to compare with"
                      : first->result.hash_match ? "same bits"
                                                 : "OTHER BITS",
                      first->result.boundaries);
        if (first->result.mismatch_us != TAC_TIME_NEVER) {
            tac_time_print(first->result.mismatch_us, when);
            tac__text_add(out, "  first difference   %s, in '%s'\n", when, first->result.mismatch);
        }
    }
    tac__text_add(out, "\n  %-22s %10s %10s %9s %11s  %s\n", "integrator", "wall [ms]", "steps",
                  "rejected", "rhs evals", "states");
    for (size_t i = 0; i < r->count; i++)
        add_row(out, &r->methods[i], &r->outcomes[i]);
    if (r->has_reference) {
        add_row(out, &r->reference, &r->reference_outcome);
        add_failures(r, out);
        add_errors(r, out);
    } else {
        add_failures(r, out);
    }
}
