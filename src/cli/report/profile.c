// profile.c - where the time of a run went: by stage and by component.
#include "cli/report/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *name, *type;
    tac_component_profile spent;
    double total_s;
} row;

static int by_time(const void *a, const void *b)
{
    const double x = ((const row *)a)->total_s, y = ((const row *)b)->total_s;
    return x > y ? -1 : x < y ? 1 : strcmp(((const row *)a)->name, ((const row *)b)->name);
}

// All components, the most expensive first; NULL: no memory.
static row *collect(const tac_engine *engine, size_t *count)
{
    *count = tac_engine_sizes(engine).components;
    row *rows = calloc(*count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < *count; i++) {
        const tac_component_info c = tac_engine_component_info(engine, i);
        const tac_component_profile p = tac_engine_profile_component(engine, i);
        rows[i] = (row){c.name, c.type, p, p.step_s + p.output_s + p.evaluation_s + p.inactive_s};
    }
    if (rows)
        qsort(rows, *count, sizeof *rows, by_time);
    return rows;
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

// --- for a person -------------------------------------------------------------------------------

enum { ROWS_SHOWN = 24 };

static void stage_rows(const tac_engine *engine, double run_s, tac__text *out)
{
    double sum_s = 0;
    tac__text_add(out, "\n  %-24s  %12s  %7s  %12s\n", "stage", "time", "share", "items");
    for (int i = 0; i < TAC_STAGE_COUNT; i++) {
        uint64_t items;
        const double s = tac_engine_profile_stage(engine, (tac_stage)i, &items);
        sum_s += s;
        if (items)
            tac__text_add(out, "  %-24s  %9.3f ms  %5.1f %%  %12" PRIu64 "\n",
                          tac_stage_name((tac_stage)i), 1e3 * s, share(s, run_s), items);
    }
    tac__text_add(out, "  %-24s  %9.3f ms  %5.1f %%\n", "between them", 1e3 * (run_s - sum_s),
                  share(run_s - sum_s, run_s));
}

static void component_row(const row *r, double run_s, int width, tac__text *out)
{
    const tac_component_profile *p = &r->spent;
    tac__text_add(out, "  %-*s  %9.3f ms  %5.1f %%  %9" PRIu64 "  %9" PRIu64 "  %9" PRIu64, width,
                  r->name, 1e3 * r->total_s, share(r->total_s, run_s), p->steps, p->outputs,
                  p->evaluations);
    if (p->inactive_us || p->inactive_calls)
        tac__text_add(out, "  %.3f s, %" PRIu64 " calls", tac_time_seconds(p->inactive_us),
                      p->inactive_calls);
    tac__text_add(out, "\n");
}

void cli_profile_text(const tac_engine *engine, tac__text *out)
{
    tac_profile p;
    if (!tac_engine_profile(engine, &p))
        return;
    size_t count;
    row *rows = collect(engine, &count);
    const double clock_s = p.reading_s * (double)p.readings;
    tac__text_add(out,
                  "\n  profile: %.3f ms in the run; the clock was read %" PRIu64
                  " times, %.0f ns each: %.1f %% of that\n",
                  1e3 * p.run_s, p.readings, 1e9 * p.reading_s, share(clock_s, p.run_s));
    stage_rows(engine, p.run_s, out);
    out->failed |= !rows;
    if (!rows)
        return;
    int width = 24;
    const size_t shown = count <= ROWS_SHOWN ? count : ROWS_SHOWN - 1;
    for (size_t i = 0; i < shown; i++)
        width = (int)strlen(rows[i].name) > width ? (int)strlen(rows[i].name) : width;
    tac__text_add(out, "\n  %-*s  %12s  %7s  %9s  %9s  %9s  %s\n", width, "component", "time",
                  "share", "steps", "outputs", "evals", "inactive");
    for (size_t i = 0; i < shown; i++)
        component_row(&rows[i], p.run_s, width, out);
    if (shown < count)
        tac__text_add(out, "  and %zu more; --json has them all\n", count - shown);
    free(rows);
}

// --- for a program ------------------------------------------------------------------------------

void cli_profile_json(const tac_engine *engine, tac__json *json)
{
    tac_profile p;
    if (!tac_engine_profile(engine, &p))
        return;
    tac__json_key(json, "profile");
    tac__json_object_begin(json);
    tac__json_key_number(json, "run_s", p.run_s);
    tac__json_key_number(json, "clock_reading_s", p.reading_s);
    tac__json_key_u64(json, "clock_readings", p.readings);
    tac__json_key(json, "stages");
    tac__json_array_begin(json);
    for (int i = 0; i < TAC_STAGE_COUNT; i++) {
        uint64_t items;
        const double s = tac_engine_profile_stage(engine, (tac_stage)i, &items);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", tac_stage_name((tac_stage)i));
        tac__json_key_number(json, "time_s", s);
        tac__json_key_u64(json, "items", items);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
    size_t count;
    row *rows = collect(engine, &count);
    json->text->failed |= !rows;
    tac__json_key(json, "components");
    tac__json_array_begin(json);
    for (size_t i = 0; rows && i < count; i++) {
        const tac_component_profile *c = &rows[i].spent;
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", rows[i].name);
        tac__json_key_text(json, "type", rows[i].type);
        tac__json_key_number(json, "time_s", rows[i].total_s);
        tac__json_key_u64(json, "steps", c->steps);
        tac__json_key_number(json, "step_s", c->step_s);
        tac__json_key_u64(json, "outputs", c->outputs);
        tac__json_key_number(json, "output_s", c->output_s);
        tac__json_key_u64(json, "evaluations", c->evaluations);
        tac__json_key_number(json, "evaluation_s", c->evaluation_s);
        tac__json_key_u64(json, "inactive_calls", c->inactive_calls);
        tac__json_key_number(json, "inactive_s", c->inactive_s);
        tac__json_key_u64(json, "inactive_us", c->inactive_us);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
    free(rows);
    tac__json_object_end(json);
}
