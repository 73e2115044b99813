// report.c - the report of a run.
#include "cli/report/report.h"
#include "cli/report/flight.h"
#include "cli/report/motion.h"
#include "cli/report/verdict.h"
#include "cli/report/profile.h"
#include "cli/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <tactus/outside.h>

// The most memory that this program has had in use, in bytes; 0: not known.
static uint64_t peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static double speed(const cli_report *r)
{
    const double simulated_s = tac_time_seconds(tac_engine_time(r->engine) - r->start_us);
    return r->wall_s > 0 ? simulated_s / r->wall_s : 0;
}

// The i-th --digest, NULL after the last.
static const char *pattern_at(const cli_args *args, size_t i)
{
    for (size_t k = 0; k < args->given_count; k++) {
        if (!strcmp(args->given[k].option->name, "digest") && i-- == 0)
            return args->given[k].value;
    }
    return NULL;
}

static bool any_matches(const cli_args *args, const char *name)
{
    const char *pattern;
    for (size_t i = 0; (pattern = pattern_at(args, i)); i++) {
        if (tac__path_match(pattern, name))
            return true;
    }
    return false;
}

// The states of an island share one digest; single states have none.
static bool is_state(const tac_engine *engine, const char *pattern)
{
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        const tac_signal_info info = tac_engine_signal_info(engine, (int)i);
        if (info.continuous && tac__path_match(pattern, info.name))
            return true;
    }
    return false;
}

static tac_status fail_digest(const tac_engine *engine, const char *pattern, tac_error *err)
{
    tac__fail(err, TAC_E_NAME, "--digest: nothing matches '%s'", pattern);
    if (is_state(engine, pattern)) {
        tac__error_append(err, "; continuous states have one digest an island, as in '*#state'");
        return TAC_E_NAME;
    }
    const char *name;
    uint64_t digest;
    tac__nearest nearest = tac__nearest_begin(pattern);
    for (size_t i = 0; (name = tac_engine_digest(engine, i, &digest)); i++)
        tac__nearest_offer(&nearest, name);
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
    return TAC_E_NAME;
}

tac_status cli_check_digests(const tac_engine *engine, const cli_args *args, tac_error *err)
{
    const char *pattern;
    uint64_t digest;
    if (pattern_at(args, 0) && !tac_engine_digest(engine, 0, &digest))
        return tac__fail(err, TAC_E_USAGE, "--digest: the configuration turns digests off");
    for (size_t i = 0; (pattern = pattern_at(args, i)); i++) {
        size_t count;
        tac_engine_hash(engine, pattern, &count);
        if (count == 0)
            return fail_digest(engine, pattern, err);
    }
    return TAC_OK;
}

// --- for a person -------------------------------------------------------------------------------

enum { COUNT_TEXT = 32 };

// "12,345,678"
static const char *grouped(uint64_t n, char text[COUNT_TEXT])
{
    char digits[COUNT_TEXT];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

static void row(tac__text *out, const char *label)
{
    tac__text_add(out, "  %-17s  ", label);
}

static void count_row(tac__text *out, const char *label, uint64_t n)
{
    char text[COUNT_TEXT];
    row(out, label);
    tac__text_add(out, "%s\n", grouped(n, text));
}

static void headline(const cli_report *r, tac_status status, tac__text *out)
{
    char reached[TAC_TIME_TEXT], end[TAC_TIME_TEXT];
    tac_time_print(tac_engine_time(r->engine), reached);
    tac_time_print(tac_config_engine_def(r->config).end_us, end);
    tac__text_add(out, "%s: ", tac_config_name(r->config));
    if (cli_verdict_stopped(r->verdict))
        tac__text_add(out, "stopped at %s of %s by its condition", reached, end);
    else if (status == TAC_OK || status == TAC_E_EXPECT)
        tac__text_add(out, "finished at %s", reached);
    else
        tac__text_add(out, "%s at %s of %s", status == TAC_E_STOPPED ? "stopped" : "failed",
                      reached, end);
    if (r->signal && status == TAC_E_STOPPED)
        tac__text_add(out, " by %s", r->signal);
    tac__text_add(out, "\n");
}

// When a checkpoint was taken, as its file says; TAC_TIME_NEVER where it cannot be read.
static tac_time checkpoint_time(const char *path)
{
    tac_checkpoint_info info;
    return path && tac_checkpoint_read_info(path, &info, NULL) == TAC_OK ? info.t_us
                                                                         : TAC_TIME_NEVER;
}

static void file_row(const char *label, const char *path, tac_time t_us, tac__text *out)
{
    if (!path)
        return;
    row(out, label);
    tac__text_add(out, "%s", path);
    if (t_us != TAC_TIME_NEVER) {
        char when[TAC_TIME_TEXT];
        tac_time_print(t_us, when);
        tac__text_add(out, ", taken at %s", when);
    }
    tac__text_add(out, "\n");
}

static void jitter_row(const cli_jitter *j, tac__text *out)
{
    char late[COUNT_TEXT], all[COUNT_TEXT];
    row(out, "jitter");
    tac__text_add(out, "mean %.0f us, median %.0f us, 99 %% %.0f us, max %.0f us\n",
                  cli_jitter_mean_us(j), cli_jitter_quantile_us(j, 0.5),
                  cli_jitter_quantile_us(j, 0.99), cli_jitter_max_us(j));
    row(out, "late");
    tac__text_add(out, "%s of %s boundaries by more than 1 ms\n", grouped(j->late, late),
                  grouped(j->count, all));
}

static void line_rows(const cli_lines *lines, tac__text *out)
{
    for (size_t i = 0; i < lines->count; i++) {
        row(out, lines->list[i].label);
        tac__text_add(out, "%s\n", lines->list[i].text);
    }
}

static void flight_rows(const cli_flight *flight, tac__text *out)
{
    cli_lines lines = {0};
    cli_flight_lines(flight, &lines);
    line_rows(&lines, out);
    cli_flight_table(flight, out);
}

enum { MOVERS_SHOWN = 8 };

static void motion_rows(const cli_motion *m, tac__text *out)
{
    for (size_t i = 0; i < m->count && i < MOVERS_SHOWN; i++) {
        cli_lines lines = {0};
        cli_motion_lines(m, &m->movers[i], &lines);
        if (m->count > 1 && lines.count) {
            row(out, "vehicle");
            tac__text_add(out, "%s\n", m->movers[i].name);
        }
        line_rows(&lines, out);
    }
    if (m->count > MOVERS_SHOWN)
        tac__text_add(out, "  and %zu more; --json has them all\n", m->count - MOVERS_SHOWN);
}

static void verdict_rows(const tac_verdict *verdict, tac__text *out)
{
    if (!tac_verdict_count(verdict))
        return;
    row(out, "expect");
    cli_verdict_sum(verdict, out);
    tac__text_add(out, "\n");
    cli_verdict_lines(verdict, out);
}

static void integration_row(const tac_counters *n, tac__text *out)
{
    const struct {
        uint64_t n;
        const char *what;
    } parts[] = {{n->integration_steps, ""},
                 {n->rhs_evals, " RHS evaluations"},
                 {n->rejected, " rejected"},
                 {n->undone, " undone"}};
    row(out, "integration steps");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[COUNT_TEXT];
        tac__text_add(out, "%s%s%s", i ? ", " : "", grouped(parts[i].n, text), parts[i].what);
    }
    tac__text_add(out, "\n");
}

// Signals that were NaN: how many, in how many writes, and the first of all.
static void nan_row(const tac_engine *engine, tac__text *out)
{
    size_t count = 0, first = 0;
    uint64_t writes = 0;
    tac_time first_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        tac_time t_us;
        const uint64_t n = tac_engine_nans(engine, i, &t_us);
        count += n > 0;
        writes += n;
        if (n && t_us < first_us) {
            first = i;
            first_us = t_us;
        }
    }
    if (!count)
        return;
    char time[TAC_TIME_TEXT], number[COUNT_TEXT];
    tac_time_print(first_us, time);
    row(out, "NaN");
    tac__text_add(out, "%zu signal%s, %s write%s, the first '%s' at %s\n", count,
                  count == 1 ? "" : "s", grouped(writes, number), writes == 1 ? "" : "s",
                  tac_engine_signal_info(engine, (int)first).name, time);
}

// The next link inside the engine, from `i` on, whose messages may be lost or whose delays are
// drawn; the number of links where there is none.
static size_t next_drawn(const tac_engine *engine, size_t i)
{
    const size_t count = tac_engine_link_count(engine);
    for (; i < count; i++) {
        const tac_link_info link = tac_engine_link_info(engine, i);
        if (link.law && !*link.channel)
            break;
    }
    return i;
}

static void link_row(const tac_engine *engine, size_t i, tac__text *out)
{
    const tac_link_info link = tac_engine_link_info(engine, i);
    const tac_link_counters n = tac_engine_link_counters(engine, i);
    const struct {
        uint64_t n;
        const char *what;
    } parts[] = {{n.sent, "sent"},
                 {n.delivered, "delivered"},
                 {n.lost, "lost"},
                 {n.down, "lost while down"},
                 {n.duplicated, "duplicated"}};
    tac__text_add(out, "%s to %s:", link.from, link.to);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char text[COUNT_TEXT];
        if (k < 2 || parts[k].n)
            tac__text_add(out, "%s %s %s", k ? "," : "", grouped(parts[k].n, text), parts[k].what);
    }
    tac__text_add(out, "\n");
}

enum { LINKS_SHOWN = 8 };

static void link_rows(const tac_engine *engine, tac__text *out)
{
    const size_t count = tac_engine_link_count(engine);
    size_t drawn = 0;
    for (size_t i = next_drawn(engine, 0); i < count; i = next_drawn(engine, i + 1)) {
        if (drawn++ >= LINKS_SHOWN)
            continue;
        row(out, drawn == 1 ? "links" : "");
        link_row(engine, i, out);
    }
    if (drawn > LINKS_SHOWN) {
        row(out, "");
        tac__text_add(out, "and %zu more; --json has all\n", drawn - LINKS_SHOWN);
    }
}

// What differs from the checkpoint that the run went on from, one line each.
static void change_rows(const tac_engine *engine, tac__text *out)
{
    for (size_t i = 0; i < tac_engine_change_count(engine); i++) {
        const tac_change c = tac_engine_change(engine, i);
        row(out, i ? "" : "changed");
        switch (c.kind) {
        case TAC_CHANGE_PARAMETER:
            tac__text_add(out, "%s.%s from %s to %s\n", c.component, c.name, c.before, c.after);
            break;
        case TAC_CHANGE_EVENT_ADDED:
            tac__text_add(out, "%s: event added: %s\n", c.component, c.after);
            break;
        case TAC_CHANGE_EVENT_REMOVED:
            tac__text_add(out, "%s: event removed: %s\n", c.component, c.before);
            break;
        case TAC_CHANGE_EVENT_CHANGED:
            tac__text_add(out, "%s: event %s is now %s\n", c.component, c.before, c.after);
            break;
        }
    }
}

static void add_duration(tac__text *out, double duration_s)
{
    if (duration_s < 1)
        tac__text_add(out, "%.1f ms", 1e3 * duration_s);
    else
        tac__text_add(out, "%.2f s", duration_s);
}

void cli_report_text(const cli_report *r, tac_status status, tac__text *out)
{
    const tac_counters n = tac_engine_counters(r->engine);
    headline(r, status, out);
    file_row("continued from", r->continued, r->start_us, out);
    change_rows(r->engine, out);
    flight_rows(r->flight, out);
    motion_rows(r->motion, out);
    verdict_rows(r->verdict, out);
    row(out, "wall time");
    add_duration(out, r->wall_s);
    tac__text_add(out, ", %.*fx real time; prepared in ", speed(r) < 100 ? 1 : 0, speed(r));
    add_duration(out, r->prepare_s);
    tac__text_add(out, "; %.1f MB of memory\n", (double)peak_bytes() / 1e6);
    if (r->jitter)
        jitter_row(r->jitter, out);
    count_row(out, "boundaries", n.boundaries);
    count_row(out, "component steps", n.steps);
    integration_row(&n, out);
    count_row(out, "events", n.events);
    count_row(out, "messages", n.messages);
    link_rows(r->engine, out);
    if (r->phases->count)
        count_row(out, "phase changes", r->phases->count);
    nan_row(r->engine, out);
    file_row("checkpoint", r->checkpoint, checkpoint_time(r->checkpoint), out);
    file_row("plot", r->plot, TAC_TIME_NEVER, out);
    file_row("recording", r->recording, TAC_TIME_NEVER, out);
    const char *pattern;
    for (size_t i = 0; (pattern = pattern_at(r->args, i)); i++) {
        size_t count;
        const uint64_t hash = tac_engine_hash(r->engine, pattern, &count);
        row(out, "digest");
        tac__text_add(out, "%016" PRIx64 "  %s (%zu)\n", hash, pattern, count);
    }
    row(out, "hash");
    const uint64_t hash = tac_engine_hash(r->engine, NULL, NULL);
    if (hash)
        tac__text_add(out, "%016" PRIx64 "\n", hash);
    else
        tac__text_add(out, "none: digests are switched off\n");
    cli_profile_text(r->engine, out);
}

// --- for a program ------------------------------------------------------------------------------

// Wall-clock times are rounded: more decimals would only be noise.
static double rounded(double value, double parts)
{
    return round(value * parts) / parts;
}

static void json_digests(const cli_report *r, tac__json *json)
{
    if (!pattern_at(r->args, 0))
        return;
    tac__json_key(json, "digests");
    tac__json_object_begin(json);
    const char *name, *pattern;
    uint64_t digest;
    for (size_t i = 0; (name = tac_engine_digest(r->engine, i, &digest)); i++) {
        if (any_matches(r->args, name))
            tac__json_key_hex64(json, name, digest);
    }
    tac__json_object_end(json);
    tac__json_key(json, "digest_patterns");
    tac__json_object_begin(json);
    for (size_t i = 0; (pattern = pattern_at(r->args, i)); i++) {
        size_t count;
        const uint64_t hash = tac_engine_hash(r->engine, pattern, &count);
        tac__json_key(json, pattern);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_hex64(json, "hash", hash);
        tac__json_key_u64(json, "count", count);
        tac__json_object_end(json);
    }
    tac__json_object_end(json);
}

static void json_nans(const tac_engine *engine, tac__json *json)
{
    tac__json_key(json, "nans");
    tac__json_array_begin(json);
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        tac_time t_us;
        const uint64_t n = tac_engine_nans(engine, i, &t_us);
        if (!n)
            continue;
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "signal", tac_engine_signal_info(engine, (int)i).name);
        tac__json_key_u64(json, "t_us", t_us);
        tac__json_key_u64(json, "writes", n);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void json_links(const tac_engine *engine, tac__json *json)
{
    const size_t count = tac_engine_link_count(engine), first = next_drawn(engine, 0);
    if (first == count)
        return;
    tac__json_key(json, "links");
    tac__json_array_begin(json);
    for (size_t i = first; i < count; i = next_drawn(engine, i + 1)) {
        const tac_link_info link = tac_engine_link_info(engine, i);
        const tac_link_counters n = tac_engine_link_counters(engine, i);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "from", link.from);
        tac__json_key_text(json, "to", link.to);
        tac__json_key_u64(json, "sent", n.sent);
        tac__json_key_u64(json, "delivered", n.delivered);
        tac__json_key_u64(json, "lost", n.lost);
        tac__json_key_u64(json, "down", n.down);
        tac__json_key_u64(json, "duplicated", n.duplicated);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void json_jitter(const cli_jitter *j, tac__json *json)
{
    tac__json_key(json, "jitter_us");
    tac__json_object_begin(json);
    tac__json_key_number(json, "mean", rounded(cli_jitter_mean_us(j), 1e3));
    tac__json_key_number(json, "max", rounded(cli_jitter_max_us(j), 1e3));
    tac__json_key_number(json, "p50", rounded(cli_jitter_quantile_us(j, 0.5), 1e3));
    tac__json_key_number(json, "p99", rounded(cli_jitter_quantile_us(j, 0.99), 1e3));
    tac__json_key_u64(json, "late", j->late);
    tac__json_key_u64(json, "count", j->count);
    tac__json_object_end(json);
}

static void json_changes(const tac_engine *engine, tac__json *json)
{
    static const char *const kinds[] = {
        [TAC_CHANGE_PARAMETER] = "parameter",
        [TAC_CHANGE_EVENT_ADDED] = "event added",
        [TAC_CHANGE_EVENT_REMOVED] = "event removed",
        [TAC_CHANGE_EVENT_CHANGED] = "event changed",
    };
    tac__json_key(json, "changes");
    tac__json_array_begin(json);
    for (size_t i = 0; i < tac_engine_change_count(engine); i++) {
        const tac_change c = tac_engine_change(engine, i);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "kind", kinds[c.kind]);
        tac__json_key_text(json, "component", c.component);
        tac__json_key_text(json, "name", c.name);
        tac__json_key_text(json, "before", c.before);
        tac__json_key_text(json, "after", c.after);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void json_checkpoint(const char *key, const char *path, tac_time t_us, tac__json *json)
{
    if (!path)
        return;
    tac__json_key(json, key);
    tac__json_object_begin(json);
    tac__json_key_text(json, "file", path);
    if (t_us != TAC_TIME_NEVER)
        tac__json_key_u64(json, "t_us", t_us);
    tac__json_object_end(json);
}

void cli_report_json(const cli_report *r, tac_status status, const tac_error *err, tac__text *out)
{
    const tac_counters n = tac_engine_counters(r->engine);
    const tac_engine_def def = tac_config_engine_def(r->config);
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "name", tac_config_name(r->config));
    const uint64_t hash = tac_engine_hash(r->engine, NULL, NULL);
    if (hash)
        tac__json_key_hex64(&json, "hash", hash);
    else // digests are switched off
        tac__json_key_text(&json, "hash", NULL);
    tac__json_key_bool(&json, "finished", tac_engine_finished(r->engine));
    tac__json_key_bool(&json, "stopped",
                       status == TAC_E_STOPPED || cli_verdict_stopped(r->verdict));
    tac__json_key_u64(&json, "t_start_us", r->start_us);
    tac__json_key_u64(&json, "t_us", tac_engine_time(r->engine));
    tac__json_key_u64(&json, "t_end_us", def.end_us);
    tac__json_key_number(&json, "wall_s", rounded(r->wall_s, 1e6));
    tac__json_key_number(&json, "prepare_s", rounded(r->prepare_s, 1e6));
    tac__json_key_u64(&json, "peak_bytes", peak_bytes());
    tac__json_key_number(&json, "realtime_factor", rounded(speed(r), 1e3));
    tac__json_key_u64(&json, "boundaries", n.boundaries);
    tac__json_key_u64(&json, "component_steps", n.steps);
    tac__json_key_u64(&json, "steps", n.integration_steps);
    tac__json_key_u64(&json, "rejected", n.rejected);
    tac__json_key_u64(&json, "rhs_evals", n.rhs_evals);
    tac__json_key_u64(&json, "undone", n.undone);
    tac__json_key_u64(&json, "events", n.events);
    tac__json_key_u64(&json, "messages", n.messages);
    json_links(r->engine, &json);
    cli_phases_json(r->phases, &json);
    json_nans(r->engine, &json);
    cli_json_model_hash(&json, r->engine);
    tac__json_key_hex64(&json, "schema_hash", tac_engine_schema_hash(r->engine));
    tac__json_key_u64(&json, "seed", def.seed);
    tac__json_key_text(&json, "version", tac_version());
    if (r->jitter)
        json_jitter(r->jitter, &json);
    json_checkpoint("continued_from", r->continued, r->start_us, &json);
    if (r->continued)
        json_changes(r->engine, &json);
    json_checkpoint("checkpoint", r->checkpoint, checkpoint_time(r->checkpoint), &json);
    if (r->plot)
        tac__json_key_text(&json, "plot", r->plot);
    if (r->recording)
        tac__json_key_text(&json, "recording", r->recording);
    json_digests(r, &json);
    cli_flight_json(r->flight, &json);
    cli_motion_json(r->motion, &json);
    cli_verdict_json(r->verdict, &json);
    cli_profile_json(r->engine, &json);
    if (status != TAC_OK)
        cli_json_error(&json, "error", err);
    tac__json_object_end(&json);
}
