// compare.c - reports differences in the order in which they began.
#include "cli/report/compare.h"
#include "base/print.h"
#include "cli/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tac_difference *at(const cli_comparison *c, size_t i)
{
    return tac_comparison_signal(c->of, i);
}

static bool differs(const tac_difference *d)
{
    return !d->alike || d->max_us != TAC_TIME_NEVER || d->unmatched_us != TAC_TIME_NEVER;
}

static bool is_beyond(const tac_difference *d)
{
    return !d->alike || d->beyond || d->unmatched_us != TAC_TIME_NEVER;
}

static const tac_recorded *signal_in(const tac_recording *recording, const char *name)
{
    const int i = tac_recording_find(recording, name);
    return i < 0 ? NULL : tac_recording_signal(recording, (size_t)i);
}

static const char *file_of(const tac_recording *recording)
{
    return tac_recording_about(recording)->path;
}

bool cli_comparison_empty(const cli_comparison *c)
{
    bool empty = true;
    for (size_t i = 0; i < tac_comparison_count(c->of); i++)
        empty &= at(c, i)->samples == 0 && !is_beyond(at(c, i));
    return empty;
}

// --- order ---------------------------------------------------------------------------------------

static tac_time begin_of(const tac_difference *d)
{
    return d->first_us < d->unmatched_us ? d->first_us : d->unmatched_us;
}

// Sorted by the time of the first difference; a stable sort.
static int earlier(const void *x, const void *y)
{
    const tac_difference *const *a = x, *const *b = y;
    const tac_time s = begin_of(*a), t = begin_of(*b);
    return s != t ? (s < t ? -1 : 1) : (*a > *b) - (*a < *b);
}

static const tac_difference **in_order(const cli_comparison *c, size_t *count)
{
    *count = tac_comparison_count(c->of);
    const tac_difference **list = malloc((*count + 1) * sizeof *list);
    for (size_t i = 0; list && i < *count; i++)
        list[i] = at(c, i);
    if (list)
        qsort(list, *count, sizeof *list, earlier);
    return list;
}

// --- values --------------------------------------------------------------------------------------

enum { VALUE_TEXT = 96 };

// The exact number, and the label or unit that explains it.
static void print_value(const tac_type *type, double value, char text[VALUE_TEXT])
{
    char number[TAC__NUMBER_TEXT];
    tac__number_print(value, number);
    const char *meaning = cli_value_name(type, value);
    snprintf(text, VALUE_TEXT, meaning ? "%s (%s)" : "%s", number, meaning);
}

static void add_distance(tac__text *out, const tac_difference *d)
{
    char number[TAC__NUMBER_TEXT];
    if (d->a == 0 && d->b == 0)
        tac__text_add(out, "only the sign of zero differs\n");
    else if (isnan(d->a) && isnan(d->b))
        tac__text_add(out, "two NaNs with different bits\n");
    else {
        tac__number_print(fabs(d->a - d->b), number);
        tac__text_add(out, "%s apart", number);
        if (d->ulps != UINT64_MAX)
            tac__text_add(out, ", %" PRIu64 " ulp%s", d->ulps, d->ulps == 1 ? "" : "s");
        tac__text_add(out, "\n");
    }
}

// --- differences besides signals -----------------------------------------------------------------

// The first lines that differ.
static bool first_lines(const char *a, const char *b, const char **x, int *x_length, const char **y,
                        int *y_length)
{
    while (*a || *b) {
        const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (n != m || memcmp(a, b, n)) {
            const size_t skip_a = strspn(a, " "), skip_b = strspn(b, " ");
            *x = a + (skip_a < n ? skip_a : n);
            *y = b + (skip_b < m ? skip_b : m);
            *x_length = (int)(a + n - *x);
            *y_length = (int)(b + m - *y);
            return true;
        }
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    return false;
}

static void add_quoted(tac__text *out, const char *line, int length)
{
    if (length)
        tac__text_add(out, "'%.*s'", length, line);
    else
        tac__text_add(out, "nothing");
}

static void note_text(tac__text *out, const char *what, const char *a, const char *b)
{
    const char *x, *y;
    int n, m;
    if (!first_lines(a, b, &x, &n, &y, &m))
        return;
    tac__text_add(out, "  %-14s", what);
    add_quoted(out, x, n);
    tac__text_add(out, " and ");
    add_quoted(out, y, m);
    tac__text_add(out, "\n");
}

static void note_time(tac__text *out, const char *what, tac_time a, tac_time b)
{
    char x[TAC_TIME_TEXT], y[TAC_TIME_TEXT];
    tac_time_print(a, x);
    tac_time_print(b, y);
    if (a != b)
        tac__text_add(out, "  %-14s%s and %s\n", what, x, y);
}

static void note_end(tac__text *out, const tac_recording *recording)
{
    const tac_recording_info *info = tac_recording_about(recording);
    if (!info->whole)
        tac__text_add(out, "  %-14s%s was cut off\n", "file", info->path);
    else if (!info->finished)
        tac__text_add(out, "  %-14s%s did not come to its end%s%s\n", "run", info->path,
                      info->failure[0] ? ": " : "", info->failure);
}

static void add_notes(const cli_comparison *c, tac__text *out)
{
    const tac_recording_info *a = tac_recording_about(c->a), *b = tac_recording_about(c->b);
    note_text(out, "name", a->name, b->name);
    note_text(out, "version", a->version, b->version);
    if (a->seed != b->seed)
        tac__text_add(out, "  %-14s%" PRIu64 " and %" PRIu64 "\n", "seed", a->seed, b->seed);
    note_text(out, "model", a->model, b->model);
    note_text(out, "configuration", a->config, b->config);
    note_time(out, "start", a->start_us, b->start_us);
    note_time(out, "last sample", a->last_us, b->last_us);
    note_end(out, c->a);
    note_end(out, c->b);
}

// --- for a person --------------------------------------------------------------------------------

static void add_verdict(const cli_comparison *c, tac__text *out)
{
    if (cli_comparison_empty(c)) {
        tac__text_add(out, "%s and %s have no samples to compare\n", file_of(c->a), file_of(c->b));
        return;
    }
    const size_t count = tac_comparison_count(c->of);
    size_t beyond = 0, within = 0;
    uint64_t samples = 0;
    for (size_t i = 0; i < count; i++) {
        beyond += is_beyond(at(c, i));
        within += !is_beyond(at(c, i)) && differs(at(c, i));
        samples += at(c, i)->samples;
    }
    tac__text_add(out, "%s and %s ", file_of(c->a), file_of(c->b));
    if (beyond)
        tac__text_add(out, "differ in %zu of %zu signals", beyond, count);
    else
        tac__text_add(out, "are equal: %zu signal%s, %" PRIu64 " samples", count,
                      count == 1 ? "" : "s", samples);
    if (!c->tolerant)
        tac__text_add(out, ", bit for bit");
    else if (within)
        tac__text_add(out, ", %zu %swithin the tolerances", within, beyond ? "more " : "only ");
    tac__text_add(out, "\n");
}

static void add_first(const cli_comparison *c, tac__text *out)
{
    const int first = tac_comparison_first(c->of);
    if (first < 0)
        return;
    const tac_difference *d = at(c, (size_t)first);
    const tac_recorded *s = signal_in(c->a, d->name);
    char when[TAC_TIME_TEXT], element[TAC_ELEMENT_TEXT], a[VALUE_TEXT], b[VALUE_TEXT];
    tac_time_print(d->first_us, when);
    tac_element_print(&s->type, d->element, element);
    print_value(&s->type, d->a, a);
    print_value(&s->type, d->b, b);
    tac__text_add(out, "\nfirst difference at %s: %s%s", when, d->name, element);
    tac__text_add(out, strcmp(d->unit, "1") && d->unit[0] ? " [%s]\n" : "\n", d->unit);
    tac__text_add(out, "  %s\n  %s\n  ", a, b);
    add_distance(out, d);
}

static void add_row(tac__text *out, const tac_difference *d, int width)
{
    char first[TAC_TIME_TEXT] = "-", most[TAC_TIME_TEXT] = "-", number[TAC__NUMBER_TEXT] = "0";
    if (d->first_us != TAC_TIME_NEVER)
        tac_time_print(d->first_us, first);
    if (d->max_us != TAC_TIME_NEVER)
        tac_time_print(d->max_us, most);
    tac__print(number, sizeof number, "%.6g", d->max_abs);
    tac__text_add(out, "  %-*s  %-8s%10" PRIu64 "%10" PRIu64 "  %14s%14s  %s\n", width, d->name,
                  d->unit, d->samples, d->beyond, first, number, most);
}

static void add_table(const cli_comparison *c, const tac_difference *const *list, size_t count,
                      tac__text *out)
{
    size_t width = strlen("signal"), rows = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list[i]->name);
        const bool shown = list[i]->alike && (c->all || list[i]->max_us != TAC_TIME_NEVER);
        rows += shown;
        width = shown && length > width ? length : width;
    }
    if (rows == 0)
        return;
    tac__text_add(out, "\n  %-*s  %-8s%10s%10s  %14s%14s  %s\n", (int)width, "signal", "unit",
                  "compared", "differ", "first", "largest", "at");
    for (size_t i = 0; i < count; i++) {
        if (list[i]->alike && (c->all || list[i]->max_us != TAC_TIME_NEVER))
            add_row(out, list[i], (int)width);
    }
}

static void add_alone(const tac_difference *const *list, size_t count, tac__text *out)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const tac_difference *d = list[i];
        if (d->unmatched_us == TAC_TIME_NEVER)
            continue;
        char when[TAC_TIME_TEXT];
        tac_time_print(d->unmatched_us, when);
        tac__text_add(out, first ? "\nsamples without counterpart:\n" : "");
        tac__text_add(out, "  %s: %" PRIu64 " of the first, %" PRIu64 " of the second, from %s\n",
                      d->name, d->unmatched_a, d->unmatched_b, when);
        first = false;
    }
}

static void add_only(const cli_comparison *c, bool of_a, tac__text *out)
{
    bool first = true;
    for (size_t i = 0; i < tac_comparison_count(c->of); i++) {
        const tac_difference *d = at(c, i);
        if (!(of_a ? d->only_a : d->only_b))
            continue;
        if (first)
            tac__text_add(out, "\nonly in %s:\n", file_of(of_a ? c->a : c->b));
        tac__text_add(out, "  %s\n", d->name);
        first = false;
    }
}

static void add_unlike(const cli_comparison *c, tac__text *out)
{
    bool first = true;
    for (size_t i = 0; i < tac_comparison_count(c->of); i++) {
        const tac_difference *d = at(c, i);
        if (d->alike || d->only_a || d->only_b)
            continue;
        const tac_recorded *a = signal_in(c->a, d->name), *b = signal_in(c->b, d->name);
        char x[VALUE_TEXT], y[VALUE_TEXT];
        tac_type_print(&a->type, x, sizeof x);
        tac_type_print(&b->type, y, sizeof y);
        tac__text_add(out, first ? "\nof another type or unit, and not compared:\n" : "");
        tac__text_add(out, "  %s: %s [%s] and %s [%s]\n", d->name, x, a->unit, y, b->unit);
        first = false;
    }
}

tac_status cli_comparison_text(const cli_comparison *c, tac__text *out, tac_error *err)
{
    size_t count;
    const tac_difference **list = in_order(c, &count);
    if (!list)
        return tac__fail_memory(err);
    add_verdict(c, out);
    add_notes(c, out);
    add_first(c, out);
    add_table(c, list, count, out);
    add_alone(list, count, out);
    add_only(c, true, out);
    add_only(c, false, out);
    add_unlike(c, out);
    free(list);
    return TAC_OK;
}

// --- for a program -------------------------------------------------------------------------------

static void key_time(tac__json *json, const char *key, tac_time t_us)
{
    tac__json_key(json, key);
    if (t_us == TAC_TIME_NEVER)
        tac__json_text(json, NULL);
    else
        tac__json_u64(json, t_us);
}

static void json_recording(tac__json *json, const char *key, const tac_recording *recording)
{
    const tac_recording_info *info = tac_recording_about(recording);
    tac__json_key(json, key);
    tac__json_object_begin(json);
    tac__json_key_text(json, "file", info->path);
    tac__json_key_text(json, "name", info->name);
    tac__json_key_text(json, "version", info->version);
    tac__json_key_u64(json, "seed", info->seed);
    tac__json_key(json, "model_hash");
    tac__json_hex64(json, info->model_hash);
    tac__json_key(json, "schema_hash");
    tac__json_hex64(json, info->schema_hash);
    tac__json_key_u64(json, "t_start_us", info->start_us);
    tac__json_key_u64(json, "t_last_us", info->last_us);
    tac__json_key_bool(json, "whole", info->whole);
    tac__json_key_bool(json, "finished", info->finished);
    tac__json_object_end(json);
}

// JSON has no NaN, and many readers lose the sign of -0: the values are also given as text.
static void json_values(tac__json *json, const tac_difference *d)
{
    char text[TAC__NUMBER_TEXT];
    tac__json_key_number(json, "a", d->a);
    tac__json_key_number(json, "b", d->b);
    tac__number_print(d->a, text);
    tac__json_key_text(json, "a_text", text);
    tac__number_print(d->b, text);
    tac__json_key_text(json, "b_text", text);
    tac__json_key(json, "ulps");
    if (d->ulps == UINT64_MAX)
        tac__json_text(json, NULL);
    else
        tac__json_u64(json, d->ulps);
}

static void json_signal(tac__json *json, const tac_difference *d)
{
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", d->name);
    tac__json_key_text(json, "unit", d->unit);
    tac__json_key_bool(json, "only_a", d->only_a);
    tac__json_key_bool(json, "only_b", d->only_b);
    tac__json_key_bool(json, "alike", d->alike);
    tac__json_key_u64(json, "samples", d->samples);
    tac__json_key_u64(json, "unmatched_a", d->unmatched_a);
    tac__json_key_u64(json, "unmatched_b", d->unmatched_b);
    key_time(json, "unmatched_us", d->unmatched_us);
    tac__json_key_u64(json, "beyond", d->beyond);
    tac__json_key_number(json, "max_abs", d->max_abs);
    key_time(json, "max_us", d->max_us);
    key_time(json, "first_us", d->first_us);
    if (d->first_us != TAC_TIME_NEVER) {
        tac__json_key_u64(json, "element", d->element);
        json_values(json, d);
    }
    tac__json_object_end(json);
}

static void json_first(const cli_comparison *c, tac__json *json)
{
    const int first = tac_comparison_first(c->of);
    tac__json_key(json, "first");
    if (first < 0) {
        tac__json_text(json, NULL);
        return;
    }
    const tac_difference *d = at(c, (size_t)first);
    tac__json_object_begin(json);
    tac__json_key_u64(json, "t_us", d->first_us);
    tac__json_key_text(json, "signal", d->name);
    tac__json_key_u64(json, "element", d->element);
    json_values(json, d);
    tac__json_object_end(json);
}

tac_status cli_comparison_json(const cli_comparison *c, const tac_error *different, tac__text *out,
                               tac_error *err)
{
    size_t count;
    const tac_difference **list = in_order(c, &count);
    if (!list)
        return tac__fail_memory(err);
    const tac_recording_info *a = tac_recording_about(c->a), *b = tac_recording_about(c->b);
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_bool(&json, "equal", tac_comparison_equal(c->of));
    tac__json_key_bool(&json, "same_seed", a->seed == b->seed);
    tac__json_key_bool(&json, "same_model", a->model_hash == b->model_hash);
    tac__json_key_bool(&json, "same_configuration", !strcmp(a->config, b->config));
    json_recording(&json, "a", c->a);
    json_recording(&json, "b", c->b);
    json_first(c, &json);
    tac__json_key(&json, "signals");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < count; i++) {
        if (c->all || differs(list[i]))
            json_signal(&json, list[i]);
    }
    tac__json_array_end(&json);
    if (!tac_comparison_equal(c->of))
        cli_json_error(&json, "error", different);
    tac__json_object_end(&json);
    free(list);
    return TAC_OK;
}
