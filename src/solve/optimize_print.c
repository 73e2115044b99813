// optimize_print.c - an optimum for people and programs, and its trajectory as a table.
#include "base/floats.h"
#include "base/json.h"
#include "solve/optimize.h"

#include <math.h>
#include <string.h>

static double total_s(const tac_optimum *o)
{
    double all_s = 0;
    for (size_t k = 0; k < o->phase_count; k++)
        all_s += tac__phase_duration(o->collocation, o->z, k);
    return all_s;
}

// The states at the end of the solution.
static const double *last_point(const tac_optimum *o)
{
    const size_t k = o->phase_count - 1;
    return tac__phase_point(o->collocation, o->z, k, 2 * o->phase_defs[k].intervals);
}

// --- text ---------------------------------------------------------------------------------------

static void print_text(const tac_optimum *o, tac__text *out)
{
    const tac__plant *p = o->plant;
    const tac__nlp *nlp = tac__collocation_nlp(o->collocation);
    tac__text_add(out, "%s: %s after %d iterations; %zu variables, %zu constraints\n", p->name,
                  o->result.reason, o->iterations, nlp->n, nlp->m);
    const char *unit = o->objective_unit && strcmp(o->objective_unit, "1") ? o->objective_unit : "";
    tac__text_add(out, "%s %s: %.9g%s%s, in %.9g s\n", o->maximize ? "most" : "least",
                  o->objective_text ? o->objective_text : "integral", o->value, *unit ? " " : "",
                  unit, total_s(o));
    if (o->smoothing > 0)
        tac__text_add(out, "  smoothing adds %.3g to what is minimized\n", o->roughness);
    if (o->refinements)
        tac__text_add(out, "  after %d refinement%s of the intervals\n", o->refinements,
                      o->refinements > 1 ? "s" : "");
    for (size_t k = 0; k < o->phase_count; k++)
        tac__text_add(out, "  phase %s: %.9g s in %zu intervals, error of an interval %.2g\n",
                      o->phases[k].written->name, tac__phase_duration(o->collocation, o->z, k),
                      o->phase_defs[k].intervals, o->phases[k].error);
    if (!o->flown) {
        tac__text_add(out, "not flown: %s\n", o->not_flown ? o->not_flown : "no solution");
        return;
    }
    char step[TAC_TIME_TEXT];
    tac_time_print(o->step_us, step);
    tac__text_add(out, "flown, inputs held over %s\n  %-36s %14s %14s %11s %11s\n", step, "state",
                  "planned", "flown", "difference", "largest");
    for (size_t i = 0; i < p->x_count; i++)
        tac__text_add(out, "  %-36s %14.7g %14.7g %11.3g %11.3g %s\n", p->x[i].name,
                      o->planned_x[i], o->flown_x[i], o->flown_x[i] - o->planned_x[i], o->most_x[i],
                      strcmp(p->x[i].unit, "1") ? p->x[i].unit : "");
}

// --- JSON ---------------------------------------------------------------------------------------

static void add_phases(const tac_optimum *o, tac__json *json)
{
    tac__json_key(json, "phases");
    tac__json_array_begin(json);
    for (size_t k = 0; k < o->phase_count; k++) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", o->phases[k].written->name);
        tac__json_key_number(json, "start_s", tac__phase_start(o->collocation, o->z, k));
        tac__json_key_number(json, "duration_s", tac__phase_duration(o->collocation, o->z, k));
        tac__json_key_u64(json, "intervals", o->phase_defs[k].intervals);
        tac__json_key_number(json, "error", o->phases[k].error);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void add_states(const tac_optimum *o, tac__json *json)
{
    const double *end = last_point(o);
    tac__json_key(json, "states");
    tac__json_array_begin(json);
    for (size_t i = 0; i < o->plant->x_count; i++) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", o->plant->x[i].name);
        tac__json_key_text(json, "unit", o->plant->x[i].unit);
        tac__json_key_number(json, "end", end[i]);
        if (o->flown) {
            tac__json_key_number(json, "flown", o->flown_x[i]);
            tac__json_key_number(json, "difference", o->flown_x[i] - o->planned_x[i]);
            tac__json_key_number(json, "largest_difference", o->most_x[i]);
        }
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void print_json(const tac_optimum *o, tac__text *out)
{
    const tac__nlp *nlp = tac__collocation_nlp(o->collocation);
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_bool(&json, "solved", o->result.solved);
    tac__json_key_text(&json, "reason", o->result.reason);
    tac__json_key_text(&json, "plant", o->plant->name);
    tac__json_key_number(&json, "objective", o->value);
    tac__json_key_text(&json, "unit", o->objective_unit);
    tac__json_key_number(&json, "duration_s", total_s(o));
    tac__json_key_u64(&json, "iterations", (uint64_t)o->iterations);
    tac__json_key_u64(&json, "refinements", (uint64_t)o->refinements);
    tac__json_key_number(&json, "smoothing", o->roughness);
    tac__json_key_number(&json, "infeasibility", o->result.infeasibility);
    tac__json_key_u64(&json, "variables", nlp->n);
    tac__json_key_u64(&json, "constraints", nlp->m);
    add_phases(o, &json);
    tac__json_key_bool(&json, "flown", o->flown);
    if (o->flown)
        tac__json_key_u64(&json, "step_us", o->step_us);
    else
        tac__json_key_text(&json, "not_flown", o->not_flown);
    add_states(o, &json);
    tac__json_object_end(&json);
}

char *tac_optimum_print(const tac_optimum *o, tac_format format)
{
    TAC__FLOATS;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    if (format == TAC_FORMAT_JSON)
        print_json(o, &text);
    else
        print_text(o, &text);
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}

// --- the trajectory -----------------------------------------------------------------------------

static void add_number(tac__text *out, double value)
{
    char number[TAC__NUMBER_TEXT];
    tac__number_print(value, number);
    tac__text_add(out, ",%s", number);
}

char *tac_optimum_csv(const tac_optimum *o)
{
    TAC__FLOATS;
    const tac__plant *p = o->plant;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__text_add(&text, "phase,t [s]");
    for (size_t i = 0; i < p->x_count; i++)
        tac__text_add(&text, ",%s [%s]", p->x[i].name, p->x[i].unit);
    for (size_t i = 0; i < o->input_count; i++)
        tac__text_add(&text, ",%s [%s]", p->u[o->inputs[i]].name, p->u[o->inputs[i]].unit);
    tac__text_add(&text, "\n");
    for (size_t k = 0; k < o->phase_count; k++) {
        const size_t last = 2 * o->phase_defs[k].intervals;
        for (size_t i = 0; i <= last; i++) {
            const double *z = tac__phase_point(o->collocation, o->z, k, i);
            tac__text_add(&text, "%s", o->phases[k].written->name);
            add_number(&text, tac__phase_start(o->collocation, o->z, k) +
                                  tac__phase_part(o->collocation, k, i) *
                                      tac__phase_duration(o->collocation, o->z, k));
            for (size_t n = 0; n < p->x_count + o->input_count; n++)
                add_number(&text, z[n]);
            tac__text_add(&text, "\n");
        }
    }
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}
