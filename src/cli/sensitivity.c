// sensitivity.c - `tactus sensitivity FILE --of EXPR --to PARAMETER...`: derivatives of results of
// a run by parameters.
#include "cli/advance.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

#include <math.h>
#include <string.h>
#include <tactus/sensitivity.h>

static const cli_option options[] = {
    {.name = "of",
     .value = "EXPR",
     .doc =
         "The result, as an expression over signals: \"uav.vehicle.position.x\", \"hypot(...)\"; "
         "may be given several times. t is the time."},
    {.name = "to",
     .value = "PARAMETER",
     .doc = "A parameter, as component and name: uav.vehicle.mass, wind.mean[0]; may be given "
            "several times, and operands behind FILE are parameters, too."},
    {.name = "when",
     .value = "CONDITION",
     .doc = "Take the results at the first instant at which CONDITION becomes true, and include "
            "how this instant depends on the parameters; without it, at the end of the run."},
    {.name = "step",
     .value = "R",
     .doc = "The step of the central differences, relative to the parameter's value, rounded to "
            "a power of two; by default 1e-4."},
    {.name = "no-compare", .doc = "Leave the central differences out: two runs less a parameter."},
    CLI_OPTION_JSON,
    CLI_OPTION_SET,
    CLI_OPTION_DURATION,
    CLI_OPTION_PLUGIN,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

typedef struct session {
    cli_simulation sim;
    tac_time end_us;
    cli_progress progress;
    bool told; // warnings of the simulation were shown
} session;

// --- engines -------------------------------------------------------------------------------------

// Warnings are shown once. A value that is out of range is no mistake of the configuration.
static tac_status build(void *context, const tac_param_value *values, size_t count, uint32_t lanes,
                        tac_engine **engine, tac_error *err)
{
    session *s = context;
    tac_engine_def def = tac_config_engine_def(s->sim.config);
    def.lanes = lanes;
    def.values = values;
    def.value_count = count;
    if (!s->told)
        cli_log_attach(&s->sim.log, &def);
    def.log_level = TAC_LOG_WARN;
    if (s->told)
        def.mistake = NULL;
    s->told = true;
    s->end_us = def.end_us;
    return tac_config_build(s->sim.config, &def, engine, err);
}

static tac_status run_engine(void *context, tac_engine *engine, size_t left, tac_error *err)
{
    session *s = context;
    cli_progress_begin(&s->progress, CLI_PROGRESS_AUTO, 0, s->end_us);
    s->sim.log.muted = true; // the same entries in every run
    (void)left;
    const tac_status status = cli_advance(engine, TAC_TIME_MAX, &s->progress, err);
    cli_progress_hide(&s->progress);
    return status;
}

// --- options -------------------------------------------------------------------------------------

static size_t list_values(const cli_args *args, const char *option, const char **list)
{
    size_t count = 0;
    for (size_t i = 0; i < args->given_count; i++) {
        if (!strcmp(args->given[i].option->name, option))
            list[count++] = args->given[i].value;
    }
    return count;
}

static tac_status read_step(const cli_args *args, double *step, tac_error *err)
{
    const char *text = cli_value(args, "step"), *end;
    if (!text)
        return TAC_OK;
    *step = tac__number_parse(text, &end);
    if (end == text || *end || !(*step >= 1e-12 && *step <= 0.5))
        return tac__fail(err, TAC_E_USAGE,
                         "option '--step' needs a number from 1e-12 to 0.5, not '%s'", text);
    return TAC_OK;
}

static tac_status read_options(const cli_args *args, tac__arena *arena, tac_sensitivity_def *def,
                               tac_error *err)
{
    const char **of = tac__arena_array(arena, args->given_count + 1, sizeof *of);
    const char **to =
        tac__arena_array(arena, args->given_count + args->operand_count + 1, sizeof *to);
    if (!of || !to)
        return tac__fail_memory(err);
    def->of = of;
    def->of_count = list_values(args, "of", of);
    def->to = to;
    def->to_count = list_values(args, "to", to);
    for (size_t i = 1; i < args->operand_count; i++)
        to[def->to_count++] = args->operands[i];
    def->when = cli_value(args, "when");
    def->compare = !cli_has(args, "no-compare");
    if (!def->of_count || !def->to_count)
        return tac__fail(err, TAC_E_USAGE, "%s is missing: of what, by what?",
                         def->of_count ? "--to PARAMETER" : "--of EXPR");
    return read_step(args, &def->step, err);
}

// --- the report ----------------------------------------------------------------------------------

// "m/s" by "kg" is "m/s/kg"; units with several factors are put in brackets.
static const char *unit_by(tac__arena *arena, const char *of, const char *to)
{
    const bool bare = !*to || !strcmp(to, "1");
    const char *text = bare                ? tac__arena_text(arena, of)
                       : strpbrk(to, "*/") ? tac__arena_format(arena, "%s/(%s)", of, to)
                                           : tac__arena_format(arena, "%s/%s", of, to);
    return text ? text : "";
}

static double deviation(double derivative, double difference)
{
    const double most = fmax(fabs(derivative), fabs(difference));
    return most == 0 ? 0 : fabs(derivative - difference) / most;
}

static void print_result(const tac_sensitivity *found, const tac_sensitivity_result *r,
                         tac__arena *arena, tac__text *out)
{
    size_t width = strlen("parameter");
    for (size_t k = 0; k < found->param_count; k++) {
        const size_t n = strlen(found->params[k].name);
        width = n > width ? n : width;
    }
    const bool bare = !strcmp(r->unit, "1");
    tac__text_add(out, "%s = %.9g%s%s\n", r->text, r->value, bare ? "" : " ", bare ? "" : r->unit);
    tac__text_add(out, "  %-*s  %18s", (int)width, "parameter", "derivative");
    if (r->differences)
        tac__text_add(out, "  %18s  %9s", "by differences", "deviation");
    tac__text_add(out, "  unit\n");
    for (size_t k = 0; k < found->param_count; k++) {
        tac__text_add(out, "  %-*s  %18.11g", (int)width, found->params[k].name, r->derivatives[k]);
        if (r->differences)
            tac__text_add(out, "  %18.11g  %9.1e", r->differences[k],
                          deviation(r->derivatives[k], r->differences[k]));
        tac__text_add(out, "  %s\n", unit_by(arena, r->unit, found->params[k].unit));
    }
}

static void print_text(const tac_sensitivity *found, const tac_sensitivity_def *def,
                       tac__arena *arena, tac__text *out)
{
    char time[TAC_TIME_TEXT];
    tac_time_print(found->t_us, time);
    for (size_t i = 0; i < found->result_count; i++)
        print_result(found, &found->results[i], arena, out);
    tac__text_add(out, "at %s", time);
    if (def->when)
        tac__text_add(out, ", where '%s' becomes true%s", def->when,
                      found->located ? ""
                                     : ": a boundary, which is quantised, so that the instant has "
                                       "no derivative");
    tac__text_add(out, "\n");
    for (size_t i = 0; i < found->gap_count; i++) {
        tac_time_print(found->gaps[i].since_us, time);
        tac__text_add(out, "not differentiated: %s, from %s on: %s\n", found->gaps[i].component,
                      time, found->gaps[i].why);
    }
    if (found->flight_s > 0)
        tac__text_add(out, "cost: %.1f flights for %zu parameter%s; central differences take %zu\n",
                      found->run_s / found->flight_s, found->param_count,
                      found->param_count == 1 ? "" : "s", 2 * found->param_count);
}

static void add_numbers(tac__json *json, const char *key, const double *values, size_t count)
{
    tac__json_key(json, key);
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t i = 0; i < count; i++)
        tac__json_number(json, values[i]);
    tac__json_array_end(json);
}

static void add_param(tac__json *json, const tac_sensitivity_param *p)
{
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", p->name);
    tac__json_key_number(json, "value", p->at.value);
    tac__json_key_text(json, "unit", *p->unit ? p->unit : "1");
    tac__json_object_end(json);
}

static void add_result(tac__json *json, const tac_sensitivity *found,
                       const tac_sensitivity_result *r, tac__arena *arena)
{
    const size_t n = found->param_count;
    tac__json_object_begin(json);
    tac__json_key_text(json, "of", r->text);
    tac__json_key_number(json, "value", r->value);
    tac__json_key_text(json, "unit", r->unit);
    add_numbers(json, "derivatives", r->derivatives, n);
    tac__json_key(json, "units");
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t k = 0; k < n; k++)
        tac__json_text(json, unit_by(arena, r->unit, found->params[k].unit));
    tac__json_array_end(json);
    if (r->differences)
        add_numbers(json, "differences", r->differences, n);
    tac__json_object_end(json);
}

static void print_json(const tac_sensitivity *found, const tac_sensitivity_def *def,
                       tac__arena *arena, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_u64(&json, "t_us", found->t_us);
    if (def->when) {
        tac__json_key_text(&json, "when", def->when);
        tac__json_key_bool(&json, "located", found->located);
    }
    tac__json_key(&json, "parameters");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < found->param_count; i++)
        add_param(&json, &found->params[i]);
    tac__json_array_end(&json);
    tac__json_key(&json, "results");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < found->result_count; i++)
        add_result(&json, found, &found->results[i], arena);
    tac__json_array_end(&json);
    tac__json_key(&json, "not_differentiated");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < found->gap_count; i++) {
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "component", found->gaps[i].component);
        tac__json_key_u64(&json, "since_us", found->gaps[i].since_us);
        tac__json_key_text(&json, "why", found->gaps[i].why);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    tac__json_key_number(&json, "wall_s", found->run_s);
    if (found->flight_s > 0)
        tac__json_key_number(&json, "flight_wall_s", found->flight_s);
    tac__json_object_end(&json);
}

static tac_status find(const cli_args *args, session *s, tac__arena *arena, tac__text *out,
                       tac_error *err)
{
    tac_sensitivity *found;
    tac_sensitivity_def def = tac_sensitivity_def_default();
    def.build = build;
    def.run = run_engine;
    def.context = s;
    TAC_TRY(read_options(args, arena, &def, err));
    TAC_TRY(cli_load_config(&s->sim, args, args->operands[0], err));
    cli_log_init(&s->sim.log, NULL);
    s->sim.log.untimed = true;
    TAC_TRY(tac_sensitivity_find(&def, &found, err));
    if (cli_has(args, "json"))
        print_json(found, &def, arena, out);
    else
        print_text(found, &def, arena, out);
    tac_sensitivity_destroy(found);
    return TAC_OK;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    session s = {.told = false};
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    const tac_status status = find(args, &s, &arena, out, err);
    cli_unload(&s.sim);
    tac__arena_fini(&arena);
    return status;
}

const cli_command cli_sensitivity = {
    .name = "sensitivity",
    .operands = "FILE [PARAMETER...]",
    .operands_min = 1,
    .operands_max = 4096,
    .summary = "Derivatives of a result of a run by parameters.",
    .doc =
        "Run FILE once for every eight parameters, on numbers and beside it on dual numbers, and "
        "say how the results change with each parameter: through the plant, the control laws, "
        "their rates and located events. Step sizes and decisions (mission items, arming, phases) "
        "are those of the run.\n\n"
        "Central differences of two more runs a parameter stand beside it; where they deviate, "
        "what is not smooth in the run shows. What was taken for a constant is named.",
    .options = options,
    .run = run,
};
