// join.c - `tactus join ADDRESS FILE`: run a simulation, or one process of it, as a client of a
// federation.
#include "base/file.h"
#include "cli/commands.h"
#include "cli/handed.h"
#include "cli/mistakes.h"
#include "cli/run.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <tactus/federation.h>

static const cli_option options[] = {
    {.name = "name",
     .value = "NAME",
     .doc = "The name of this client. Where FILE has a section 'federation', its process of this "
            "name is run, else the whole file. By default $TACTUS_NAME."},
    {.name = "key",
     .value = "KEY",
     .doc = "The file with the key that the server has, too; needed for other hosts."},
    {.name = "patience",
     .value = "T",
     .doc = "How long to try while nobody listens at ADDRESS yet; by default 10 s."},
    {.name = "supervised",
     .doc = "Another program watches this client and takes its report from the descriptor in "
            "$TACTUS_REPORT_FD: standard output has no report unless --json is given, and that the "
            "server has ended the federation is told by the exit code 4 and in the report, not on "
            "standard error."},
    CLI_OPTION_SET,
    CLI_OPTION_SEED,
    CLI_OPTION_DURATION,
    CLI_OPTION_OUT,
    CLI_OPTION_FORCE,
    CLI_OPTION_FSYNC,
    CLI_OPTION_CSV,
    CLI_OPTION_DIGEST,
    CLI_OPTION_PLOT,
    CLI_OPTION_PROFILE,
    CLI_OPTION_JSON,
    CLI_OPTION_QUIET,
    CLI_OPTION_LOG_LEVEL,
    CLI_OPTION_PROGRESS,
    CLI_OPTION_HELP,
    {0},
};

typedef struct membership {
    const cli_args *args;
    const char *address, *name;
    tac_time patience_us;
    uint32_t timeout_ms; // of the server
    const tac_config *config;
    tac_client *client;
    tac_engine *engine;
    cli_progress *progress;
} membership;

// The process of this name, or the whole file.
static tac_status choose(void *context, cli_simulation *sim, tac_error *err)
{
    membership *m = context;
    m->config = sim->config;
    if (!tac_config_federates(sim->config))
        return TAC_OK;
    tac_federation_info info;
    TAC_TRY(tac_config_federation(sim->config, &info, err));
    m->timeout_ms = info.timeout_us / 1000 < UINT32_MAX ? (uint32_t)(info.timeout_us / 1000) : 0;
    const int process = tac_config_find_process(sim->config, m->name, err);
    if (process < 0)
        return TAC_E_NAME;
    tac_config *part;
    TAC_TRY(tac_config_part(sim->config, (size_t)process, &part, err));
    tac_config_destroy(sim->config);
    m->config = sim->config = part;
    return TAC_OK;
}

// Groups of signals and inputs that section 'federation' gives to this process.
static tac_status add_groups(const membership *m, tac_error *err)
{
    for (size_t i = 0; i < tac_config_lcm_group_count(m->config); i++) {
        const tac_lcm_group_info info = tac_config_lcm_group_info(m->config, i);
        tac_lcm_group_def def = tac_lcm_group_def_default();
        def.channel = info.channel;
        def.names = info.names;
        def.members = info.members;
        def.count = info.count;
        def.period_us = info.period_us;
        def.offset_us = info.offset_us;
        TAC_TRY(info.published ? tac_client_publish_signals(m->client, &def, err)
                               : tac_client_subscribe_inputs(m->client, &def, err));
    }
    return TAC_OK;
}

static bool look(void *context)
{
    const membership *m = context;
    cli_progress_update(m->progress, tac_engine_time(m->engine));
    return !cli_stop_signal();
}

static tac_status run_client(void *context, tac_engine *engine, cli_progress *progress,
                             tac_error *err)
{
    membership *m = context;
    m->engine = engine;
    m->progress = progress;
    tac_client_def def = tac_client_def_default();
    def.name = m->name;
    def.address = m->address;
    def.key_file = cli_value(m->args, "key");
    def.patience_ms = (uint32_t)(m->patience_us / 1000);
    def.look = look;
    def.context = m;
    def.timeout_ms = m->timeout_ms;
    TAC_TRY(tac_client_create(&def, &m->client, err));
    TAC_TRY(tac_client_add_engine(m->client, engine, err));
    TAC_TRY(add_groups(m, err));
    TAC_TRY(tac_client_join(m->client, err));
    return tac_client_run(m->client, err);
}

// Hands the report over; one of a run that failed before it had any is its error.
static tac_status hand_in(const cli_args *args, int fd, tac_status status, tac__text *report,
                          tac_error *err)
{
    if (status != TAC_OK && !report->length) {
        tac__json json = tac__json_begin(report);
        tac__json_object_begin(&json);
        cli_mistakes_json(args->mistakes, err, &json);
        tac__json_object_end(&json);
    }
    if (report->failed)
        return tac__fail_memory(err);
    if (report->length && !tac__write_all(fd, report->chars, report->length))
        return tac__fail(err, TAC_E_FILE, "cannot hand in the report: %s", tac__errno_text(errno));
    return TAC_OK;
}

static tac_status run_member(const cli_args *args, membership *m, tac__text *out, tac_error *err)
{
    int fd;
    tac_error own;
    tac__text report;
    TAC_TRY(cli_handed_descriptor(&fd, err));
    tac__text_init(&report, tac_allocator_default());
    const cli_driver driver = {.choose = choose,
                               .run = run_client,
                               .context = m,
                               .report = fd < 0 ? NULL : &report,
                               .silent = fd >= 0 && cli_has(args, "supervised")};
    const tac_status status = cli_run_driven(args, args->operands[1], &driver, out, err);
    const tac_status handed =
        fd < 0 ? TAC_OK : hand_in(args, fd, status, &report, status == TAC_OK ? err : &own);
    tac__text_fini(&report);
    return status == TAC_OK ? handed : status;
}

static tac_status join(const cli_args *args, tac__text *out, tac_error *err)
{
    membership m = {.args = args,
                    .address = args->operands[0],
                    .name = cli_value(args, "name"),
                    .patience_us = 10000000,
                    .timeout_ms = tac_client_def_default().timeout_ms};
    if (!m.name)
        m.name = getenv("TACTUS_NAME");
    if (!m.name)
        return tac__fail(err, TAC_E_USAGE, "option '--name NAME' is missing: who is to join");
    const char *patience = cli_value(args, "patience");
    if (patience && tac_time_parse(patience, &m.patience_us, err) != TAC_OK) {
        tac__error_context(err, "reading option '--patience'");
        return err->status;
    }
    const tac_status status = run_member(args, &m, out, err);
    tac_client_destroy(m.client);
    args->mistakes->silent = status == TAC_E_ENDED && cli_has(args, "supervised");
    return status;
}

const cli_command cli_join = {
    .name = "join",
    .operands = "ADDRESS FILE",
    .operands_min = 2,
    .operands_max = 2,
    .summary = "Run a simulation as a client of a federation.",
    .doc = "Join the server at ADDRESS (tcp://HOST:PORT, unix://PATH or shm://PATH) and run the "
           "simulation in FILE, or the process of section 'federation' that has the name of this "
           "client. Its links to and from outside lead to the other clients. The results are those "
           "of one simulation that has everything; the report and the recording are of this "
           "client's part.",
    .options = options,
    .run = join,
};
