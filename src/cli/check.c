// check.c - `tactus check FILE`: whether it is valid, and what would run.
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

#include <inttypes.h>
#include <tactus/expect.h>

static const cli_option options[] = {
    CLI_OPTION_JSON, CLI_OPTION_SET, CLI_OPTION_DURATION, CLI_OPTION_OUTPUT, CLI_OPTION_HELP, {0},
};

// Adds a count of something, with a comma in front unless it is the first of a list.
static void count(tac__text *out, size_t *listed, size_t n, const char *one, const char *many)
{
    if (n)
        tac__text_add(out, "%s%zu %s", (*listed)++ ? ", " : "", n, n == 1 ? one : many);
}

static const char *lines_of(const tac__text *text)
{
    return text->length ? text->chars : "";
}

static void print_group(const tac_group_info *g, tac__text *out)
{
    char period[TAC_TIME_TEXT], offset[TAC_TIME_TEXT];
    tac_time_print(g->period_us, period);
    tac_time_print(g->offset_us, offset);
    tac__text_add(out, "  rate group  %s: ", g->name);
    if (g->period_us)
        tac__text_add(out, "every %s", period);
    if (g->offset_us)
        tac__text_add(out, " from %s", offset);
    if (g->times)
        tac__text_add(out, "%sat %zu given time%s", g->period_us ? " and " : "", g->times,
                      g->times == 1 ? "" : "s");
    tac__text_add(out, ", %zu component%s\n", g->components, g->components == 1 ? "" : "s");
}

// --- federations --------------------------------------------------------------------------------

// What the section says, once it was checked. No processes: there is no section.
typedef struct federation {
    tac_federation_info info;
    size_t links;
    bool whole; // some process has entities: there is a simulation in one engine, too
} federation;

// `record:` is checked by a recorder, `expect:` and `stop:` by a verdict, that is created, checked
// while the engine is prepared, and never begun.
static tac_status prepare(tac_config *config, tac_engine *engine, tac_recorder **recorder,
                          tac_verdict **verdict, tac_error *err)
{
    tac_recorder_def def;
    TAC_TRY(tac_config_recorder_def(config, &def, err));
    if (!def.path)
        def.path = "";
    TAC_TRY(tac_recorder_create(&def, engine, recorder, err));
    TAC_TRY(tac_config_verdict(config, engine, verdict, err));
    return tac_engine_prepare(engine, err);
}

static tac_status check_process(tac_config *config, size_t process, tac_error *err)
{
    tac_config *part = NULL;
    tac_engine *engine = NULL;
    tac_recorder *recorder = NULL;
    tac_verdict *verdict = NULL;
    tac_status status = tac_config_part(config, process, &part, err);
    if (status == TAC_OK) {
        const tac_engine_def def = tac_config_engine_def(part);
        status = tac_config_build_unprepared(part, &def, &engine, err);
        if (status == TAC_OK)
            status = prepare(part, engine, &recorder, &verdict, err);
        if (status != TAC_OK)
            tac__error_context(err, "checking process '%s'",
                               tac_config_process_info(config, process).name);
    }
    tac_recorder_destroy(recorder);
    tac_verdict_destroy(verdict);
    tac_engine_destroy(engine);
    tac_config_destroy(part);
    return status;
}

static tac_status read_federation(tac_config *config, federation *f, tac_error *err)
{
    *f = (federation){.whole = true};
    if (!tac_config_federates(config))
        return TAC_OK;
    TAC_TRY(tac_config_federation(config, &f->info, err));
    f->whole = false;
    for (size_t i = 0; i < f->info.process_count; i++)
        f->whole |= tac_config_process_info(config, i).entity_count > 0;
    return TAC_OK;
}

static tac_status check_federation(tac_config *config, federation *f, tac_error *err)
{
    if (!f->info.process_count)
        return TAC_OK;
    TAC_TRY(tac_config_crossing_count(config, &f->links, err));
    for (size_t i = 0; i < f->info.process_count; i++) {
        if (!tac_config_process_info(config, i).command)
            TAC_TRY(check_process(config, i, err));
    }
    return TAC_OK;
}

// What a process publishes and takes as messages of LCM.
static void print_groups(const tac_config *config, size_t process, tac__text *out)
{
    for (size_t i = 0; i < tac_config_lcm_group_count(config); i++) {
        const tac_lcm_group_info g = tac_config_lcm_group_info(config, i);
        if (g.process != process)
            continue;
        tac__text_add(out, "              %s %s:", g.published ? "publishes" : "takes", g.channel);
        for (size_t k = 0; k < g.count; k++)
            tac__text_add(out, "%s %s", k ? "," : "", g.names[k]);
        char period[TAC_TIME_TEXT];
        tac_time_print(g.period_us, period);
        if (g.published)
            tac__text_add(out, " every %s", period);
        tac__text_add(out, "\n");
    }
}

static void print_federation(const tac_config *config, const federation *f, tac__text *out)
{
    enum { SHOWN = 8 };
    if (!f->info.process_count)
        return;
    size_t listed = 0;
    tac__text_add(out, "  federation  ");
    count(out, &listed, f->info.process_count, "process", "processes");
    count(out, &listed, f->links, "link between them", "links between them");
    tac__text_add(out, ", over %s\n", f->info.transport);
    for (size_t i = 0; i < f->info.process_count; i++) {
        const tac_process_info p = tac_config_process_info(config, i);
        tac__text_add(out, "  process     %s:", p.name);
        for (size_t k = 0; k < p.entity_count && k < SHOWN; k++)
            tac__text_add(out, "%s %s", k ? "," : "", p.entities[k]);
        if (p.entity_count > SHOWN)
            tac__text_add(out, " and %zu more", p.entity_count - SHOWN);
        if (p.config)
            tac__text_add(out, " configuration %s", p.config);
        for (size_t k = 0; k < p.command_count; k++)
            tac__text_add(out, "%s %s", k ? "" : " program", p.command[k]);
        tac__text_add(out, "\n");
        print_groups(config, i, out);
    }
}

static void add_words(tac__json *json, const char *key, const char *const *words, size_t n)
{
    if (!n)
        return;
    tac__json_key(json, key);
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t i = 0; i < n; i++)
        tac__json_text(json, words[i]);
    tac__json_array_end(json);
}

static void add_groups(const tac_config *config, size_t process, bool published, tac__json *json)
{
    bool any = false;
    for (size_t i = 0; i < tac_config_lcm_group_count(config); i++) {
        const tac_lcm_group_info g = tac_config_lcm_group_info(config, i);
        if (g.process != process || g.published != published)
            continue;
        if (!any) {
            tac__json_key(json, published ? "publish" : "subscribe");
            tac__json_array_begin(json);
        }
        any = true;
        tac__json_object_begin(json);
        tac__json_key_text(json, "channel", g.channel);
        add_words(json, published ? "signals" : "inputs", g.names, g.count);
        if (published) {
            tac__json_key_u64(json, "period_us", g.period_us);
            tac__json_key_u64(json, "offset_us", g.offset_us);
        }
        tac__json_object_end(json);
    }
    if (any)
        tac__json_array_end(json);
}

static void add_federation(const tac_config *config, const federation *f, tac__json *json)
{
    if (!f->info.process_count)
        return;
    tac__json_key(json, "federation");
    tac__json_object_begin(json);
    tac__json_key_text(json, "transport", f->info.transport);
    tac__json_key_text(json, "lookahead", f->info.lookahead);
    tac__json_key_u64(json, "links", f->links);
    tac__json_key(json, "processes");
    tac__json_array_begin(json);
    for (size_t i = 0; i < f->info.process_count; i++) {
        const tac_process_info p = tac_config_process_info(config, i);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", p.name);
        add_words(json, "entities", p.entities, p.entity_count);
        if (p.config)
            tac__json_key_text(json, "config", p.config);
        add_words(json, "command", p.command, p.command_count);
        add_groups(config, i, true, json);
        add_groups(config, i, false, json);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
    tac__json_object_end(json);
}

// --- what would run -----------------------------------------------------------------------------

static void print_text(const cli_simulation *sim, const federation *f, const char *path,
                       tac__text *out)
{
    const tac_engine_def def = tac_config_engine_def(sim->config);
    const tac_sizes n = f->whole ? tac_engine_sizes(sim->engine) : (tac_sizes){0};
    char end[TAC_TIME_TEXT];
    tac_time_print(def.end_us, end);
    size_t warnings = 0;
    for (const char *c = lines_of(sim->log.kept); *c; c++)
        warnings += *c == '\n';
    tac__text_add(out, "%s: fine", path);
    size_t listed = 1; // "fine" comes first
    count(out, &listed, warnings, "warning", "warnings");
    tac__text_add(out, "\n");
    tac__text_add(out, "  name        %s\n", tac_config_name(sim->config));
    tac__text_add(out, "  duration    %s, seed %" PRIu64 "\n", end, def.seed);
    if (f->whole)
        tac__text_add(out, "  holds       ");
    listed = 0;
    count(out, &listed, n.entities, "entity", "entities");
    count(out, &listed, n.components, "component", "components");
    count(out, &listed, n.signals, "signal", "signals");
    count(out, &listed, n.senders + n.receivers, "message port", "message ports");
    count(out, &listed, n.islands, "island", "islands");
    count(out, &listed, n.states, "continuous state", "continuous states");
    count(out, &listed, n.phases, "phase", "phases");
    count(out, &listed, n.transitions, "transition", "transitions");
    if (f->whole)
        tac__text_add(out, "\n");
    for (size_t i = 0; i < n.groups; i++) {
        const tac_group_info g = tac_engine_group_info(sim->engine, i);
        print_group(&g, out);
    }
    if (n.islands) {
        char h_max[TAC_TIME_TEXT];
        tac_time_print(def.integrator.h_max_us, h_max);
        tac__text_add(out, "  integrator  %s", def.integrator.kind);
        if (def.integrator.h_max_us && def.integrator.h_max_us < TAC_TIME_MAX)
            tac__text_add(out, ", steps of at most %s", h_max);
        tac__text_add(out, "\n");
    }
    print_federation(sim->config, f, out);
}

static void print_json(const cli_simulation *sim, const federation *f, const char *path,
                       tac__text *out)
{
    const tac_engine_def def = tac_config_engine_def(sim->config);
    const tac_sizes n = f->whole ? tac_engine_sizes(sim->engine) : (tac_sizes){0};
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_bool(&json, "valid", true);
    tac__json_key_text(&json, "file", path);
    tac__json_key_text(&json, "name", tac_config_name(sim->config));
    tac__json_key_u64(&json, "duration_us", def.end_us);
    tac__json_key_u64(&json, "seed", def.seed);
    tac__json_key_u64(&json, "entities", n.entities);
    tac__json_key_u64(&json, "components", n.components);
    tac__json_key_u64(&json, "signals", n.signals);
    tac__json_key_u64(&json, "senders", n.senders);
    tac__json_key_u64(&json, "receivers", n.receivers);
    tac__json_key_u64(&json, "islands", n.islands);
    tac__json_key_u64(&json, "states", n.states);
    tac__json_key_u64(&json, "phases", n.phases);
    tac__json_key_u64(&json, "transitions", n.transitions);
    tac__json_key(&json, "rate_groups");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < n.groups; i++) {
        const tac_group_info g = tac_engine_group_info(sim->engine, i);
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", g.name);
        tac__json_key_u64(&json, "period_us", g.period_us);
        tac__json_key_u64(&json, "offset_us", g.offset_us);
        tac__json_key_u64(&json, "components", g.components);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    cli_json_lines(&json, "warnings", lines_of(sim->log.kept));
    add_federation(sim->config, f, &json);
    if (f->whole) {
        cli_json_model_hash(&json, sim->engine);
        tac__json_key(&json, "schema_hash");
        tac__json_hex64(&json, tac_engine_schema_hash(sim->engine));
    }
    tac__json_object_end(&json);
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *path = args->operands[0];
    cli_simulation sim = {0};
    tac_recorder *recorder = NULL;
    tac_verdict *verdict = NULL;
    tac__text warnings;
    tac__text_init(&warnings, tac_allocator_default());
    sim.log.kept = &warnings;
    federation f = {.whole = true};
    tac_status status = cli_load_config(&sim, args, path, err);
    if (status == TAC_OK)
        status = read_federation(sim.config, &f, err);
    if (status == TAC_OK && f.whole)
        status = cli_build_unprepared(&sim, err);
    if (status == TAC_OK && f.whole)
        status = prepare(sim.config, sim.engine, &recorder, &verdict, err);
    if (status == TAC_OK)
        status = check_federation(sim.config, &f, err);
    if (status == TAC_OK && warnings.failed)
        status = tac__fail_memory(err);
    if (status == TAC_OK && cli_has(args, "json"))
        print_json(&sim, &f, path, out);
    else if (status == TAC_OK)
        print_text(&sim, &f, path, out);
    tac_recorder_destroy(recorder);
    tac_verdict_destroy(verdict);
    cli_unload(&sim);
    tac__text_fini(&warnings);
    return status;
}

const cli_command cli_check = {
    .name = "check",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Validate a configuration; say what would run.",
    .doc = "Read and check FILE as `tactus run` would, up to the point where the run would begin, "
           "and say in a few lines what it holds; of a federation also each process. The exit code "
           "is 2 if there is a mistake in it. "
           "What is allowed but looks like a mistake is a warning on standard error, with its "
           "place; the exit code stays 0.",
    .options = options,
    .run = run,
};
