// graph.c - `tactus graph FILE`: a simulation as a function, summarised, written as code or a
// picture, or compared with the run.
#include "cli/advance.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

#include <string.h>
#include <tactus/graph.h>

static const cli_option options[] = {
    {.name = "of",
     .value = "WHAT",
     .doc = "What the graph is of: dynamics, the plant as x, u, p, t -> dx, y (the default), or "
            "step, the "
            "whole simulation from a boundary to the next."},
    {.name = "rates",
     .doc = "The step is a least common period of all rates, in which every rate group steps as "
            "often as in a run and readers with another rate see signals through their policies; "
            "implies --of step."},
    {.name = "parameters",
     .value = "PARAMETER",
     .doc =
         "A parameter that is an input, in group p, as component and name: uav.vehicle.mass; may "
         "be given several times, and operands behind FILE are parameters, too."},
    {.name = "emit",
     .value = "FORMAT",
     .doc = "Write the graph as c (one C99 file, which CasADi loads as an external function), dot, "
            "svg or json; without it there is a summary."},
    {.name = "jacobian",
     .doc = "In C also the sparse Jacobian of all outputs by all inputs, jac_NAME; in a summary "
            "its size."},
    {.name = "second",
     .doc = "In C, with --emit c, also jac_jac_NAME, the Jacobian of jac_NAME, from which CasADi "
            "takes exact "
            "Hessians; implies --jacobian."},
    {.name = "hessian",
     .doc = "In C, with --emit c, also hess_NAME: second derivatives of the sum of all outputs "
            "times multipliers "
            "by all inputs, the lower triangle."},
    {.name = "pattern",
     .value = "FORMAT",
     .doc = "Write where the Jacobian can be other than 0, as svg or json."},
    {.name = "name",
     .value = "NAME",
     .doc = "Name of what --emit writes, in C of the function; by default dynamics, step or "
            "period."},
    {.name = "deterministic",
     .doc = "In C, with --emit c, take the elementary functions of SLEEF, which have the bits of a "
            "run, instead of "
            "those of libm."},
    {.name = "fast", .doc = "Simplify also where the last bits of values may change."},
    {.name = "phase",
     .value = "NAME",
     .doc = "Only what is active in this phase; without it everything is there, and the phase is "
            "an input."},
    {.name = "outside",
     .value = "COMPONENT",
     .doc = "The component stays outside: its outputs are inputs of the graph; may be given "
            "several times."},
    {.name = "check",
     .doc =
         "Run FILE to its end and compare the graphs of the plant and of every component with the "
         "engine, bit for bit. Of the options above it takes --rates only."},
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
    tac__arena arena;
    tac_graph *graph, *jacobian, *second, *hessian;
} session;

// --- which options go together -------------------------------------------------------------------

static const char *const format_names[] = {
#define NAME(name, text, doc) text,
    TAC_GRAPH_FORMAT_TABLE(NAME)
#undef NAME
};

static tac_status read_format(const char *name, tac_graph_format *format, tac_error *err)
{
    for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++) {
        if (!strcmp(name, format_names[i])) {
            *format = (tac_graph_format)i;
            return TAC_OK;
        }
    }
    return tac__fail(err, TAC_E_USAGE, "option '--emit' is c, dot, svg or json, not '%s'", name);
}

// What the command is asked for.
typedef enum purpose { SUMMARY = 1, CODE = 2, PICTURE = 4, PATTERN = 8, CHECK = 16 } purpose;

typedef struct rule {
    const char *option;
    int purposes;
    const char *with; // these, in words
} rule;

static const rule rules[] = {
    {"of", SUMMARY | CODE | PICTURE | PATTERN, "a summary, '--emit' or '--pattern'"},
    {"parameters", SUMMARY | CODE | PICTURE | PATTERN, "a summary, '--emit' or '--pattern'"},
    {"phase", SUMMARY | CODE | PICTURE | PATTERN, "a summary, '--emit' or '--pattern'"},
    {"outside", SUMMARY | CODE | PICTURE | PATTERN, "a summary, '--emit' or '--pattern'"},
    {"fast", SUMMARY | CODE | PICTURE | PATTERN, "a summary, '--emit' or '--pattern'"},
    {"jacobian", SUMMARY | CODE, "a summary or '--emit c'"},
    {"second", CODE, "'--emit c'"},
    {"hessian", CODE, "'--emit c'"},
    {"name", CODE | PICTURE, "'--emit'"},
    {"deterministic", CODE, "'--emit c'"},
    {"json", SUMMARY | CHECK, "a summary or '--check'"},
};

static tac_status find_purpose(const cli_args *args, purpose *found, tac_error *err)
{
    static const char *const names[] = {"emit", "pattern", "check"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (first && cli_has(args, names[i]))
            return tac__fail(err, TAC_E_USAGE, "option '--%s' does not go with '--%s'", first,
                             names[i]);
        first = cli_has(args, names[i]) ? names[i] : first;
    }
    *found = cli_has(args, "check") ? CHECK : cli_has(args, "pattern") ? PATTERN : SUMMARY;
    if (!cli_has(args, "emit"))
        return TAC_OK;
    tac_graph_format format = TAC_GRAPH_C;
    TAC_TRY(read_format(cli_value(args, "emit"), &format, err));
    *found = format == TAC_GRAPH_C ? CODE : PICTURE;
    return TAC_OK;
}

static tac_status check_options(const cli_args *args, tac_error *err)
{
    purpose asked = SUMMARY;
    TAC_TRY(find_purpose(args, &asked, err));
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const rule *r = &rules[i];
        const bool operand = !strcmp(r->option, "parameters") && args->operand_count > 1;
        if ((cli_has(args, r->option) || operand) && !(r->purposes & (int)asked))
            return tac__fail(err, TAC_E_USAGE, "option '--%s' goes with %s only", r->option,
                             r->with);
    }
    const char *of = cli_value(args, "of");
    if (of && strcmp(of, "dynamics") && strcmp(of, "step"))
        return tac__fail(err, TAC_E_USAGE, "option '--of' is dynamics or step, not '%s'", of);
    if (of && !strcmp(of, "dynamics") && cli_has(args, "rates"))
        return tac__fail(err, TAC_E_USAGE, "option '--rates' goes with '--of step'");
    return TAC_OK;
}

// --- code and pictures ---------------------------------------------------------------------------

static tac_status check_name(const char *name, tac_error *err)
{
    bool good = name[0] && !(name[0] >= '0' && name[0] <= '9');
    for (const char *c = name; *c; c++)
        good &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                *c == '_';
    return good ? TAC_OK
                : tac__fail(err, TAC_E_USAGE, "option '--name' needs a name of C, not '%s'", name);
}

static tac_status emit(const cli_args *args, session *s, tac__text *out, tac_error *err)
{
    tac_graph_emit_def def = tac_graph_emit_def_default();
    TAC_TRY(read_format(cli_value(args, "emit"), &def.format, err));
    def.name = cli_value(args, "name");
    if (def.name)
        TAC_TRY(check_name(def.name, err));
    char time[TAC_TIME_TEXT];
    const tac_time period_us = tac_graph_period(s->graph);
    tac_time_print(period_us, time);
    def.title =
        tac__arena_format(&s->arena, "%s%s%s of %s", tac_graph_name(s->graph),
                          period_us ? " of " : "", period_us ? time : "", args->operands[0]);
    def.file = *args->output && strcmp(*args->output, "-") ? *args->output : NULL;
    def.deterministic = cli_has(args, "deterministic");
    if (cli_has(args, "jacobian") || cli_has(args, "second"))
        TAC_TRY(tac_graph_jacobian(s->graph, NULL, NULL, &s->jacobian, err));
    if (cli_has(args, "second"))
        TAC_TRY(tac_graph_jacobian(s->jacobian, NULL, NULL, &s->second, err));
    if (cli_has(args, "hessian"))
        TAC_TRY(tac_graph_lagrangian(s->graph, NULL, NULL, true, &s->hessian, err));
    def.jacobian = s->jacobian;
    def.second = s->second;
    def.hessian = s->hessian;
    char *text;
    TAC_TRY(tac_graph_emit(s->graph, &def, &text, err));
    return cli_take_text(out, text, err);
}

static tac_status show_pattern(const char *format, const session *s, tac__text *out, tac_error *err)
{
    const bool svg = !strcmp(format, "svg");
    if (!svg && strcmp(format, "json"))
        return tac__fail(err, TAC_E_USAGE, "option '--pattern' is svg or json, not '%s'", format);
    char *text;
    TAC_TRY(tac_graph_pattern(s->graph, svg ? TAC_FORMAT_SVG : TAC_FORMAT_JSON, &text, err));
    return cli_take_text(out, text, err);
}

// --- the check -----------------------------------------------------------------------------------

static const char *const kind_names[] = {[TAC_GRAPH_TRACED] = "traced",
                                         [TAC_GRAPH_OUTSIDE] = "outside",
                                         [TAC_GRAPH_UNTRACED] = "not traced",
                                         [TAC_GRAPH_CONSTANT] = "constant"};

// The engine runs in slices, so that progress is seen.
static tac_status follow(session *s, tac_graph_check *check, tac_error *err)
{
    enum { SLICES = 100 };
    cli_progress progress = {.on = false};
    const tac_time end_us = tac_config_engine_def(s->sim.config).end_us;
    cli_progress_begin(&progress, CLI_PROGRESS_AUTO, 0, end_us);
    tac_status status = TAC_OK;
    for (tac_time i = 1; status == TAC_OK && i <= SLICES; i++) {
        const tac_time t_us = i < SLICES ? end_us / SLICES * i : TAC_TIME_MAX;
        status = tac_graph_check_run(check, t_us, err);
        if (progress.on && i < SLICES)
            cli_progress_update(&progress, t_us);
    }
    cli_progress_hide(&progress);
    return status;
}

static void print_check_text(const tac_graph_report *r, tac__text *out)
{
    size_t width = strlen("component");
    for (size_t i = 0; i < r->part_count; i++) {
        const size_t n = strlen(r->parts[i].component);
        width = n > width ? n : width;
    }
    tac__text_add(out, "%-*s  %-10s  %10s  %12s\n", (int)width, "component", "", "steps",
                  "numbers");
    for (size_t i = 0; i < r->part_count; i++) {
        const tac_graph_part *p = &r->parts[i];
        tac__text_add(out, "%-*s  %-10s  %10llu  %12llu\n", (int)width, p->component,
                      kind_names[p->kind], (unsigned long long)p->steps,
                      (unsigned long long)p->numbers);
    }
    tac__text_add(out,
                  "%zu components traced, %zu not; %llu instants, %llu steps, %llu numbers "
                  "compared; %llu differ, by up to %llu ulp\n",
                  r->traced, r->untraced, (unsigned long long)r->instants,
                  (unsigned long long)r->steps, (unsigned long long)r->numbers,
                  (unsigned long long)r->different, (unsigned long long)r->max_ulp);
    if (!r->period_us)
        return;
    char time[TAC_TIME_TEXT];
    tac_time_print(r->period_us, time);
    tac__text_add(out, "%llu periods of %s compared, %llu left out; %zu terms\n",
                  (unsigned long long)r->periods, time, (unsigned long long)r->periods_left_out,
                  r->period_terms);
}

static void print_check_json(const tac_graph_report *r, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_u64(&json, "max_ulp", r->max_ulp);
    tac__json_key_u64(&json, "different", r->different);
    tac__json_key_u64(&json, "instants", r->instants);
    tac__json_key_u64(&json, "steps", r->steps);
    tac__json_key_u64(&json, "numbers", r->numbers);
    tac__json_key_u64(&json, "traced", r->traced);
    tac__json_key_u64(&json, "untraced", r->untraced);
    if (r->period_us) {
        tac__json_key_u64(&json, "period_us", r->period_us);
        tac__json_key_u64(&json, "periods", r->periods);
        tac__json_key_u64(&json, "periods_left_out", r->periods_left_out);
        tac__json_key_u64(&json, "period_terms", r->period_terms);
    }
    if (r->different) {
        tac__json_key(&json, "first");
        tac__json_object_begin(&json);
        tac__json_key_u64(&json, "t_us", r->first.t_us);
        tac__json_key_text(&json, "component", r->first.component);
        tac__json_key_text(&json, "label", r->first.label);
        tac__json_key_number(&json, "graph", r->first.graph);
        tac__json_key_number(&json, "engine", r->first.engine);
        tac__json_object_end(&json);
    }
    tac__json_key(&json, "components");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < r->part_count; i++) {
        const tac_graph_part *p = &r->parts[i];
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", p->component);
        tac__json_key_text(&json, "type", p->type);
        tac__json_key_text(&json, "kind", kind_names[p->kind]);
        tac__json_key_u64(&json, "graphs", p->graphs);
        tac__json_key_u64(&json, "terms", p->terms);
        tac__json_key_u64(&json, "steps", p->steps);
        tac__json_key_u64(&json, "numbers", p->numbers);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    tac__json_object_end(&json);
}

static tac_status judge(const tac_graph_report *r, tac_error *err)
{
    char time[TAC_TIME_TEXT];
    tac_time_print(r->first.t_us, time);
    if (r->different)
        return tac__fail(err, TAC_E_DIFFERENT,
                         "the graph differs from the engine, first at %s in '%s' of '%s': %.17g, "
                         "in the engine %.17g",
                         time, r->first.label, r->first.component, r->first.graph, r->first.engine);
    for (size_t i = 0; i < r->part_count; i++) {
        if (r->parts[i].kind == TAC_GRAPH_UNTRACED)
            return tac__fail(err, TAC_E_GRAPH,
                             "'%s' was not traced: its type '%s' has no symbolic "
                             "form",
                             r->parts[i].component, r->parts[i].type);
    }
    return TAC_OK;
}

// Nothing runs in lanes, so that every step is one of numbers; the bits are the same.
static tac_status check(const cli_args *args, session *s, tac__text *out, tac_error *err)
{
    TAC_TRY(cli_load_config(&s->sim, args, args->operands[0], err));
    TAC_TRY(cli_check_small(&s->sim, "a graph", err));
    cli_log_init(&s->sim.log, NULL);
    s->sim.log.untimed = true;
    tac_engine_def def = tac_config_engine_def(s->sim.config);
    def.lanes = 1;
    cli_log_attach(&s->sim.log, &def);
    def.log_level = TAC_LOG_WARN;
    TAC_TRY(tac_config_build(s->sim.config, &def, &s->sim.engine, err));
    tac_graph_check *c;
    tac_graph_check_def check_def = tac_graph_check_def_default();
    check_def.rates = cli_has(args, "rates");
    TAC_TRY(tac_graph_check_create(s->sim.engine, &check_def, &c, err));
    tac_status status = follow(s, c, err);
    if (status == TAC_OK) {
        const tac_graph_report *report = tac_graph_check_report(c);
        (cli_has(args, "json") ? print_check_json : print_check_text)(report, out);
        status = judge(report, err);
    }
    tac_graph_check_destroy(c);
    return status;
}

// --- the command ---------------------------------------------------------------------------------

// Engines with other values of parameters: what they say was said before.
static tac_status build(void *context, const tac_param_value *values, size_t count, uint32_t lanes,
                        tac_engine **engine, tac_error *err)
{
    const session *s = context;
    tac_engine_def def = tac_config_engine_def(s->sim.config);
    def.lanes = lanes;
    def.values = values;
    def.value_count = count;
    def.mistake = NULL;
    return tac_config_build(s->sim.config, &def, engine, err);
}

static tac_status read_options(const cli_args *args, session *s, tac_graph_def *def, tac_error *err)
{
    const char **parameters = tac__arena_array(
        &s->arena, args->given_count + args->operand_count + 1, sizeof *parameters);
    const char **outside = tac__arena_array(&s->arena, args->given_count + 1, sizeof *outside);
    if (!outside || !parameters)
        return tac__fail_memory(err);
    for (size_t i = 0; i < args->given_count; i++) {
        if (!strcmp(args->given[i].option->name, "outside"))
            outside[def->outside_count++] = args->given[i].value;
        if (!strcmp(args->given[i].option->name, "parameters"))
            parameters[def->parameter_count++] = args->given[i].value;
    }
    for (size_t i = 1; i < args->operand_count; i++)
        parameters[def->parameter_count++] = args->operands[i];
    def->outside = outside;
    def->parameters = parameters;
    def->build = build;
    def->context = s;
    def->fast = cli_has(args, "fast");
    def->rates = cli_has(args, "rates");
    def->phase = cli_value(args, "phase");
    return TAC_OK;
}

static tac_status make(const cli_args *args, session *s, tac__text *out, tac_error *err)
{
    tac_graph_def def = tac_graph_def_default();
    TAC_TRY(check_options(args, err));
    if (cli_has(args, "check"))
        return check(args, s, out, err);
    TAC_TRY(read_options(args, s, &def, err));
    TAC_TRY(cli_load_small(&s->sim, args, args->operands[0], "a graph", err));
    const bool step =
        def.rates || !strcmp(cli_value(args, "of") ? cli_value(args, "of") : "", "step");
    TAC_TRY(
        (step ? tac_graph_of_step : tac_graph_of_dynamics)(s->sim.engine, &def, &s->graph, err));
    if (cli_has(args, "emit"))
        return emit(args, s, out, err);
    if (cli_has(args, "pattern"))
        return show_pattern(cli_value(args, "pattern"), s, out, err);
    const tac_format format = cli_has(args, "json") ? TAC_FORMAT_JSON : TAC_FORMAT_TEXT;
    char *text;
    TAC_TRY(tac_graph_summary(s->graph, format, cli_has(args, "jacobian"), &text, err));
    return cli_take_text(out, text, err);
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    session s = {.graph = NULL};
    tac__arena_init(&s.arena, tac_allocator_default());
    const tac_status status = make(args, &s, out, err);
    tac_graph_destroy(s.hessian);
    tac_graph_destroy(s.second);
    tac_graph_destroy(s.jacobian);
    tac_graph_destroy(s.graph);
    cli_unload(&s.sim);
    tac__arena_fini(&s.arena);
    return status;
}

const cli_command cli_graph = {
    .name = "graph",
    .operands = "FILE [PARAMETER...]",
    .operands_min = 1,
    .operands_max = 4096,
    .summary = "A simulation as a function: code, derivatives, pictures.",
    .doc = "Run the equations of FILE once over symbols, which gives a graph: a function of states "
           "x, held inputs u, parameters p and time t that computes the rates dx and the outputs y "
           "with the bits of a run. Without further options there is a summary of it.\n\n"
           "With --emit it is written as C code, as a picture or as data; with --check it is "
           "compared with the engine through a whole run.",
    .options = options,
    .run = run,
};
