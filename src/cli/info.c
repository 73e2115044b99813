// info.c - `tactus info [FILE]`: about the program, a configuration, a recording or a checkpoint.
#include "base/print.h"
#include "cli/commands.h"
#include "base/file.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/report/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tactus/math.h>

static const cli_option options[] = {
    {.name = "resolved",
     .doc = "Show the configuration, or that of a recording, as it was resolved (extends, sets and "
            "variables applied), as YAML."},
    {.name = "lcm",
     .doc = "Write the types of the signals and messages of a configuration in the language of "
            "LCM, for lcm-gen: a struct for the signals of each component."},
    {.name = "names",
     .doc = "Of a recording, the names of its signals and of their elements, one a line, as "
            "'tactus plot' and 'tactus export --signals' take them. Shells complete with it."},
    CLI_OPTION_PROCESS,
    CLI_OPTION_JSON,
    CLI_OPTION_SET,
    CLI_OPTION_PLUGIN,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

// --- the program --------------------------------------------------------------------------------

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#ifdef __OPTIMIZE__
#define OPTIMISED "optimised"
#else
#define OPTIMISED "not optimised"
#endif

#ifdef NDEBUG
#define ASSERTIONS ", no assertions"
#else
#define ASSERTIONS ", assertions on"
#endif

#ifdef __SANITIZE_ADDRESS__
#define SANITIZERS ", address sanitizer"
#else
#define SANITIZERS ""
#endif

static const char compiler[] = COMPILER, build[] = OPTIMISED ASSERTIONS SANITIZERS;

static void program_text(const tac_registry *registry, tac__text *out)
{
    tac__text_add(out, "tactus %s\n", TAC_VERSION);
    tac__text_add(out, "  library   %s\n", tac_version());
    tac__text_add(out, "  compiler  %s\n", compiler);
    tac__text_add(out, "  build     %s\n", build);
    tac__text_add(out, "  math      %s, fingerprint %016" PRIx64 "\n", tac_math_version(),
                  tac_math_fingerprint());
    const size_t count = tac_registry_count(registry);
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(tac_registry_type(registry, i)->name);
        width = length > width ? length : width;
    }
    tac__text_add(out, "\n%zu component types; 'tactus help TYPE' says more:\n", count);
    for (size_t i = 0; i < count; i++) {
        const tac_component_type *type = tac_registry_type(registry, i);
        tac__text_add(out, "  %-*s  ", (int)width, type->name);
        cli_wrap(out, type->summary ? type->summary : "", width + 4, width + 4);
    }
}

static void program_json(const tac_registry *registry, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "version", TAC_VERSION);
    tac__json_key_text(&json, "library_version", tac_version());
    tac__json_key_text(&json, "compiler", compiler);
    tac__json_key_text(&json, "build", build);
    tac__json_key_text(&json, "math_version", tac_math_version());
    char print[17];
    tac__print(print, sizeof print, "%016" PRIx64, tac_math_fingerprint());
    tac__json_key_text(&json, "math_fingerprint", print);
    tac__json_key(&json, "types");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < tac_registry_count(registry); i++) {
        const tac_component_type *type = tac_registry_type(registry, i);
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", type->name);
        tac__json_key_text(&json, "version", type->version);
        tac__json_key_text(&json, "stage", tac_stage_name(type->stage));
        tac__json_key_text(&json, "summary", type->summary);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    tac__json_object_end(&json);
}

static tac_status about_program(const cli_args *args, cli_simulation *sim, tac__text *out,
                                tac_error *err)
{
    if (cli_has(args, "resolved") || cli_has(args, "set") || cli_has(args, "lcm"))
        return tac__fail(err, TAC_E_USAGE,
                         "--resolved, --lcm and --set need a configuration: tactus info "
                         "FILE");
    TAC_TRY(cli_load_registry(sim, args, err));
    if (cli_has(args, "json"))
        program_json(sim->registry, out);
    else
        program_text(sim->registry, out);
    return TAC_OK;
}

// --- a checkpoint -------------------------------------------------------------------------------

static bool is_checkpoint(const char *path)
{
    return tac__file_begins(path, "TACTUSCP", 8); // false: the next reader says why
}

static tac_status about_checkpoint(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *path = args->operands[0];
    if (cli_has(args, "resolved") || cli_has(args, "set") || cli_has(args, "lcm"))
        return tac__fail(err, TAC_E_USAGE,
                         "--resolved, --lcm and --set need a configuration; '%s' is a checkpoint",
                         path);
    tac_checkpoint_info info;
    TAC_TRY(tac_checkpoint_read_info(path, &info, err));
    if (cli_has(args, "json")) {
        tac__json json = tac__json_begin(out);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "kind", "checkpoint");
        tac__json_key_text(&json, "file", path);
        tac__json_key_u64(&json, "t_us", info.t_us);
        tac__json_key(&json, "model_hash");
        tac__json_hex64(&json, info.model_hash);
        tac__json_key(&json, "schema_hash");
        tac__json_hex64(&json, info.schema_hash);
        tac__json_key_text(&json, "version", info.version);
        tac__json_key_u64(&json, "size", info.size);
        tac__json_object_end(&json);
        return TAC_OK;
    }
    char when[TAC_TIME_TEXT];
    tac_time_print(info.t_us, when);
    tac__text_add(out, "%s: checkpoint\n", path);
    tac__text_add(out, "  taken at     %s\n", when);
    tac__text_add(out, "  written by   tactus %s\n", info.version);
    tac__text_add(out, "  model hash   %016" PRIx64 "\n", info.model_hash);
    tac__text_add(out, "  schema hash  %016" PRIx64 "\n", info.schema_hash);
    tac__text_add(out, "  size         %" PRIu64 " bytes\n", info.size);
    return TAC_OK;
}

// --- a configuration ----------------------------------------------------------------------------

static tac_status about_configuration(const cli_args *args, cli_simulation *sim, tac__text *out,
                                      tac_error *err)
{
    const bool json = cli_has(args, "json"), lcm = cli_has(args, "lcm");
    if (lcm && (json || cli_has(args, "resolved")))
        return tac__fail(err, TAC_E_USAGE, "--lcm writes types of LCM; leave out --%s",
                         json ? "json" : "resolved");
    if (cli_has(args, "resolved")) {
        if (json)
            return tac__fail(err, TAC_E_USAGE, "--resolved writes YAML; leave out --json");
        TAC_TRY(cli_load_config(sim, args, args->operands[0], err));
        return cli_take_text(out, tac_config_resolved(sim->config), err);
    }
    TAC_TRY(cli_load_engine(sim, args, args->operands[0], err));
    const tac_format format = json ? TAC_FORMAT_JSON : lcm ? TAC_FORMAT_LCM : TAC_FORMAT_TEXT;
    return cli_take_text(out, tac_engine_schema(sim->engine, format), err);
}

static tac_status list_names(const cli_args *args, tac__text *out, tac_error *err)
{
    if (cli_has(args, "json") || cli_has(args, "resolved"))
        return tac__fail(err, TAC_E_USAGE, "--names writes names; leave out --%s",
                         cli_has(args, "json") ? "json" : "resolved");
    tac_recording *r;
    TAC_TRY(tac_recording_open(args->operands[0], &r, err));
    const tac_recorded *s;
    for (size_t i = 0; (s = tac_recording_signal(r, i)); i++) {
        tac__text_add(out, "%s\n", s->name);
        for (uint32_t e = 0; s->type.shape != TAC_SINGLE && e < s->type.count; e++) {
            char element[TAC_ELEMENT_TEXT];
            tac_element_print(&s->type, e, element);
            tac__text_add(out, "%s%s\n", s->name, element);
        }
    }
    tac_recording_close(r);
    return TAC_OK;
}

static tac_status about_recording(const cli_args *args, tac__text *out, tac_error *err)
{
    if (cli_has(args, "names"))
        return list_names(args, out, err);
    if (cli_has(args, "lcm"))
        return tac__fail(err, TAC_E_USAGE,
                         "--lcm needs a configuration; 'tactus export %s -o FILE.lcm' writes the "
                         "types of a recording, too",
                         args->operands[0]);
    return cli_about_recording(args, out, err);
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    cli_simulation sim = {0};
    tac_status status;
    const bool recording = args->operand_count && tac_recording_is(args->operands[0]);
    if (cli_has(args, "names") && !recording)
        status = tac__fail(err, TAC_E_USAGE, "--names needs a recording: tactus info REC");
    else if (args->operand_count == 0)
        status = about_program(args, &sim, out, err);
    else if (recording)
        status = about_recording(args, out, err);
    else if (is_checkpoint(args->operands[0]))
        status = about_checkpoint(args, out, err);
    else
        status = about_configuration(args, &sim, out, err);
    cli_unload(&sim);
    return status;
}

const cli_command cli_info = {
    .name = "info",
    .operands = "[FILE]",
    .operands_max = 1,
    .summary = "Tell about the program, a configuration, a recording or a checkpoint.",
    .doc = "Without FILE: version, build, and the component types there are. With a configuration: "
           "its signals, with types, units and writers. With a recording: whether it is whole, "
           "how the run ended, and its channels. With a checkpoint: what stands in its header.",
    .options = options,
    .run = run,
};
