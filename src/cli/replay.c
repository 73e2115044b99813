// replay.c - `tactus replay REC`: drives the plant of a recording again, once or with several
// integrators that are compared with each other.
//
// The simulation is built from the configuration in the recording, which is unpacked into a
// temporary folder.
#include "cli/advance.h"
#include "base/error.h"
#include "base/print.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/folder.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/pace.h"
#include "cli/plot/picture.h"
#include "cli/recordings.h"
#include "cli/plot/replay.h"
#include "cli/report/replay.h"
#include "cli/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {.name = "integrator",
     .value = "LIST",
     .doc = "Replay with other methods, as in rk4,rk23,rk45 or rk45:1e-9 (with that tolerance); "
            "each is run by itself. By default the one that was recorded."},
    {.name = "reference",
     .value = "METHOD",
     .doc = "Compare each with this one, and tell the greatest errors: tight (dop853 at 1e-10), or "
            "any method as above. Where the plant cannot be integrated so tightly it is loosened "
            "to what can be kept, which the report says."},
    {.name = "plot",
     .value = "FILE",
     .doc = "With --reference: draw the errors over time, as FILE.png or FILE.svg. Needs gnuplot."},
    {.name = "from", .value = "T", .doc = "Begin with the nearest stored state at or before T."},
    {.name = "to", .value = "T", .doc = "End at T instead of the end of the recording."},
    {.name = "out",
     .letter = 'o',
     .value = "REC",
     .doc = "Record the replay as REC. Not with several integrators."},
    CLI_OPTION_FORCE,
    {.name = "force-model",
     .doc = "Go on though the recording was made by another model, and say what differs."},
    CLI_OPTION_SET,
    CLI_OPTION_PLUGIN,
    {.name = "trust",
     .doc =
         "Follow what the recording names: plugins, files that its configuration extends or that "
         "lie elsewhere, variables of the environment. Plugins are code: only for recordings of "
         "people whose programs you would run."},
    CLI_OPTION_JSON,
    {.name = "quiet", .letter = 'q', .doc = "No report; the exit code tells."},
    CLI_OPTION_HELP,
    {0},
};

typedef struct job {
    const cli_args *args;
    tac_recording *recording;
    cli_folder folder; // with the unpacked configuration
    char config[96];
    tac_time from_us, to_us;
    bool force, changed; // --force-model; --set was given
    cli_replays all;
} job;

// --- options ------------------------------------------------------------------------------------

static void set_tight(cli_method *m, int digits)
{
    static const double tolerances[] = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
    m->tight = digits;
    m->rtol = tolerances[digits - 6];
    snprintf(m->label, sizeof m->label, "tight (dop853:1e-%d)", digits);
}

static tac_status read_method(const char *text, size_t length, cli_method *m, tac_error *err)
{
    *m = (cli_method){0};
    if (length == 5 && !strncmp(text, "tight", 5)) {
        *m = (cli_method){.kind = "dop853"};
        set_tight(m, 10);
        return TAC_OK;
    }
    const char *colon = memchr(text, ':', length);
    const size_t kind = colon ? (size_t)(colon - text) : length;
    if (kind == 0 || kind >= sizeof m->kind || length >= sizeof m->label)
        return tac__fail(err, TAC_E_USAGE,
                         "'%.*s' is no integrator; expected one as in rk45 or rk45:1e-9",
                         (int)length, text);
    memcpy(m->kind, text, kind);
    memcpy(m->label, text, length);
    if (!colon)
        return TAC_OK;
    const char *end;
    m->rtol = tac__number_parse(colon + 1, &end);
    if (end != text + length || !(m->rtol > 0) || !isfinite(m->rtol))
        return tac__fail(err, TAC_E_USAGE, "'%.*s': expected a positive tolerance after ':'",
                         (int)length, text);
    return TAC_OK;
}

static tac_status read_methods(job *j, const char *list, tac_error *err)
{
    for (const char *at = list; at;) {
        const size_t length = strcspn(at, ",");
        if (j->all.count == CLI_METHODS_MAX)
            return tac__fail(err, TAC_E_USAGE, "at most %d integrators at once", CLI_METHODS_MAX);
        TAC_TRY(read_method(at, length, &j->all.methods[j->all.count++], err));
        at = at[length] ? at + length + 1 : NULL;
    }
    return TAC_OK;
}

static tac_status read_options(job *j, tac_error *err)
{
    const tac_recording_info *info = tac_recording_about(j->recording);
    TAC_TRY(cli_reads(j->args, info->path, err));
    TAC_TRY(cli_writes(j->args, cli_value(j->args, "out"), "--out", CLI_REPLACES_FORCED, err));
    TAC_TRY(cli_writes(j->args, cli_value(j->args, "plot"), "--plot", CLI_REPLACES, err));
    j->to_us = info->complete_us;
    TAC_TRY(cli_read_time(j->args, "from", tac_time_parse, &j->from_us, err));
    TAC_TRY(cli_read_time(j->args, "to", tac_time_parse, &j->to_us, err));
    if (j->to_us > info->complete_us || j->from_us > j->to_us) {
        char last[TAC_TIME_TEXT];
        tac_time_print(info->complete_us, last);
        return tac__fail(err, TAC_E_USAGE,
                         "--from and --to must lie in the recording, in this order; it ends at %s",
                         last);
    }
    if (info->complete_us <= info->start_us)
        fprintf(stderr,
                "warning: the recording ends where it begins: only its first instant can be "
                "replayed\n");
    j->force = cli_has(j->args, "force-model");
    j->changed = cli_has(j->args, "set");
    const char *list = cli_value(j->args, "integrator"), *ref = cli_value(j->args, "reference");
    if (list)
        TAC_TRY(read_methods(j, list, err));
    else
        j->all.methods[j->all.count++] = (cli_method){.label = "as recorded"};
    if (ref)
        TAC_TRY(read_method(ref, strlen(ref), &j->all.reference, err));
    j->all.has_reference = ref != NULL;
    if (cli_has(j->args, "plot") && !ref)
        return tac__fail(err, TAC_E_USAGE, "--plot draws errors: it needs '--reference METHOD'");
    TAC_TRY(cli_picture_named("plot", cli_value(j->args, "plot"), err));
    if (cli_has(j->args, "plot"))
        TAC_TRY(cli_picture_check(err));
    if (cli_has(j->args, "out") && (j->all.count > 1 || ref))
        return tac__fail(err, TAC_E_USAGE,
                         "--out records one replay: give one integrator and no "
                         "reference");
    return TAC_OK;
}

// --- the configuration, temporarily in a folder -------------------------------------------------

static tac_status unpack(job *j, tac_error *err)
{
    TAC_TRY(cli_folder_make(&j->folder, err));
    snprintf(j->config, sizeof j->config, "%s/config.yaml", j->folder.path);
    return tac_recording_unpack(j->recording, j->folder.path, err);
}

// --- one replay ---------------------------------------------------------------------------------

static tac_status build(job *j, const cli_method *m, cli_simulation *sim, tac_error *err)
{
    char kind[64], rtol[64], atol[64];
    const char *sets[3];
    size_t count = 0;
    if (*m->kind) {
        snprintf(kind, sizeof kind, "plant.integrator.kind=%s", m->kind);
        sets[count++] = kind;
    }
    if (m->rtol > 0) {
        tac__print(rtol, sizeof rtol, "plant.integrator.rtol=%.17g", m->rtol);
        tac__print(atol, sizeof atol, "plant.integrator.atol=%.17g", m->rtol);
        sets[count++] = rtol;
        sets[count++] = atol;
    }
    TAC_TRY(cli_load_recorded(sim, j->args, j->config, j->folder.path, sets, count, err));
    cli_log_init(&sim->log, NULL);
    sim->log.muted = true; // the recorded run has shown the warnings of the set-up
    tac_engine_def def = tac_config_engine_def(sim->config);
    cli_log_attach(&sim->log, &def);
    def.log_level = TAC_LOG_WARN;
    return tac_config_build_unprepared(sim->config, &def, &sim->engine, err);
}

static tac_status plan_recording(job *j, cli_simulation *sim, tac_recorder **recorder,
                                 tac_recorder_def *def, tac_error *err)
{
    const char *out = cli_value(j->args, "out");
    if (!out)
        return TAC_OK;
    TAC_TRY(tac_config_recorder_def(sim->config, def, err));
    def->path = out;
    def->csv = NULL;
    def->replace = cli_has(j->args, "force");
    return tac_recorder_create(def, sim->engine, recorder, err);
}

static tac_status advance(job *j, cli_simulation *sim, cli_outcome *o, tac_error *err)
{
    cli_progress progress;
    const tac_time start_us = tac_engine_time(sim->engine);
    const tac_time last_us = tac_config_engine_def(sim->config).end_us; // --set may have changed it
    o->end_us = j->to_us < last_us ? j->to_us : last_us;
    cli_progress_begin(&progress, CLI_PROGRESS_AUTO, start_us, o->end_us);
    cli_stop_begin(sim->engine, cli_value(j->args, "out"));
    const tac_counters before = tac_engine_counters(sim->engine);
    const int64_t begun_ns = cli_now_ns();
    const tac_status status = cli_advance(sim->engine, o->end_us, &progress, err);
    o->wall_s = (double)(cli_now_ns() - begun_ns) / 1e9;
    o->counters = tac_engine_counters(sim->engine);
    o->counters.integration_steps -= before.integration_steps;
    o->counters.rejected -= before.rejected;
    o->counters.rhs_evals -= before.rhs_evals;
    o->counters.events -= before.events;
    cli_stop_closing();
    cli_progress_hide(&progress);
    return status;
}

// Whether the integration method failed. That is a result of a comparison; other failures are
// errors.
static bool method_failed(tac_status status, const tac_error *err)
{
    return (status == TAC_E_NUMERIC || status == TAC_E_LIMIT) && err->t_us != TAC_TIME_NEVER;
}

static void keep_failure(cli_outcome *o, const tac_error *err)
{
    o->failed = true;
    o->failed_us = err->t_us;
    snprintf(o->failure, sizeof o->failure, "%.80s%s%.170s", err->component,
             *err->component ? ": " : "", err->text);
}

static tac_status drive(job *j, cli_simulation *sim, tac_replay *replay, tac_recorder *recorder,
                        cli_outcome *o, tac_error *err)
{
    TAC_TRY(tac_engine_prepare(sim->engine, err));
    sim->log.muted = false;
    TAC_TRY(tac_replay_begin(replay, err));
    if (recorder)
        TAC_TRY(tac_recorder_begin(recorder, err));
    tac_status status = advance(j, sim, o, err);
    if ((j->all.has_reference || j->all.count > 1) && method_failed(status, err)) {
        keep_failure(o, err);
        status = TAC_OK;
    }
    if (status == TAC_OK || status == TAC_E_STOPPED) {
        tac_error trouble = {0};
        const tac_status ended = tac_replay_end(replay, &trouble);
        if (ended != TAC_OK) {
            *err = trouble;
            status = ended;
        }
    }
    if (recorder) {
        tac_error trouble = {0};
        const tac_status closed =
            tac_recorder_end(recorder, status == TAC_OK ? NULL : err->text, &trouble);
        // A recorder that fails stops the engine: report its error instead of "stopped".
        if ((status == TAC_OK || status == TAC_E_STOPPED) && closed != TAC_OK) {
            *err = trouble;
            status = closed;
        }
    }
    cli_stop_end();
    return status;
}

// The folder is gone when the user reads the error, so errors name the recording instead.
static void name_place(const job *j, tac_error *err)
{
    const size_t length = strlen(j->folder.path);
    if (!length || strncmp(err->file, j->folder.path, length))
        return;
    char inside[sizeof err->file];
    snprintf(inside, sizeof inside, "%s", err->file + length);
    snprintf(err->file, sizeof err->file, "%s%s", tac_recording_about(j->recording)->path, inside);
}

static tac_status replay_once(job *j, const cli_method *m, const cli_errors *reference,
                              bool sampled, cli_outcome *o, tac_error *err)
{
    cli_simulation sim = {0};
    tac_replay *replay = NULL;
    tac_recorder *recorder = NULL;
    tac_recorder_def recording;
    tac_replay_def def = tac_replay_def_default();
    def.from_us = j->from_us;
    def.force_model = j->force || j->changed;
    enum { SAMPLE_US = 10000 };
    tac_status status = build(j, m, &sim, err);
    if (status == TAC_OK)
        status = tac_replay_create(j->recording, sim.engine, &def, &replay, err);
    if (status == TAC_OK && sampled)
        status = cli_errors_watch(&o->errors, sim.engine, reference, SAMPLE_US, err);
    if (status == TAC_OK)
        status = plan_recording(j, &sim, &recorder, &recording, err);
    if (status == TAC_OK)
        status = drive(j, &sim, replay, recorder, o, err);
    if (status == TAC_OK && o->errors.failed)
        status = tac__fail_memory(err);
    if (status == TAC_OK) {
        o->result = tac_replay_about(replay);
        const char *mismatch = o->result.mismatch;
        o->differences = malloc(strlen(o->result.differences) + strlen(mismatch) + 2);
        if (o->differences) { // they live as long as the replay
            char *end = stpcpy(o->differences, o->result.differences) + 1;
            o->result.mismatch = strcpy(end, mismatch);
            o->result.differences = o->differences;
        } else {
            status = tac__fail_memory(err);
        }
    } else {
        name_place(j, err);
        tac__error_context(err, "replaying '%s' with %s", tac_recording_about(j->recording)->path,
                           *m->kind ? m->label : "its own integrator");
    }
    tac_recorder_destroy(recorder);
    cli_unload(&sim);
    tac_replay_destroy(replay);
    return status;
}

// --- all replays --------------------------------------------------------------------------------

static void free_outcome(cli_outcome *o)
{
    cli_errors_fini(&o->errors);
    free(o->differences);
    *o = (cli_outcome){0};
}

// Some plants cannot be integrated with the tightest tolerance: then the reference gets ten times
// that tolerance, as long as it stays tighter than what is compared with it.
static bool loosen(cli_replays *r)
{
    cli_method *m = &r->reference;
    if (m->tight <= 6)
        return false;
    if (!*r->loosened) {
        char when[TAC_TIME_TEXT];
        tac_time_print(r->reference_outcome.failed_us, when);
        snprintf(r->loosened, sizeof r->loosened, "%s failed at %s: %s", m->label, when,
                 r->reference_outcome.failure);
    }
    set_tight(m, m->tight - 1);
    return true;
}

static tac_status replay_reference(job *j, tac_error *err)
{
    do {
        free_outcome(&j->all.reference_outcome);
        TAC_TRY(replay_once(j, &j->all.reference, NULL, true, &j->all.reference_outcome, err));
    } while (j->all.reference_outcome.failed && loosen(&j->all));
    return TAC_OK;
}

// Different bits are a failure only if the replay used the recorded model and integrator.
static tac_status verdict(const job *j, tac_error *err)
{
    const tac_replay_result *r = &j->all.outcomes[0].result;
    size_t failed = 0;
    for (size_t i = 0; i < j->all.count; i++)
        failed += j->all.outcomes[i].failed;
    if (failed == j->all.count)
        return tac__fail(err, TAC_E_NUMERIC, "%s failed: %s",
                         failed > 1 ? "every integrator" : "the integrator",
                         j->all.outcomes[0].failure);
    if (*r->differences || j->all.count > 1 || !r->compared || r->hash_match)
        return TAC_OK;
    tac__fail(err, TAC_E_MISMATCH, "the replay differs from the recording");
    tac__error_context(err, "comparing the state of '%s' at %" PRIu64 " us", r->mismatch,
                       r->mismatch_us);
    return TAC_E_NUMERIC; // exit code 1
}

static tac_status draw(const job *j, tac_error *err)
{
    cli_replay_curve curves[CLI_METHODS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < j->all.count; i++) {
        if (j->all.outcomes[i].errors.count) // a replay may have failed before its first sample
            curves[count++] =
                (cli_replay_curve){j->all.methods[i].label, &j->all.outcomes[i].errors};
    }
    if (count == 0)
        return tac__fail(err, TAC_E_USAGE, "--plot: there is nothing to draw");
    return cli_replay_plot(cli_value(j->args, "plot"), tac_recording_about(j->recording)->name,
                           j->all.reference.label, curves, count, err);
}

static tac_status replay_all(job *j, tac_error *err)
{
    TAC_TRY(read_options(j, err));
    TAC_TRY(unpack(j, err));
    if (j->all.has_reference)
        TAC_TRY(replay_reference(j, err));
    for (size_t i = 0; i < j->all.count; i++)
        TAC_TRY(replay_once(j, &j->all.methods[i],
                            j->all.has_reference ? &j->all.reference_outcome.errors : NULL,
                            j->all.has_reference, &j->all.outcomes[i], err));
    return cli_has(j->args, "plot") ? draw(j, err) : TAC_OK;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    job *j = calloc(1, sizeof *j);
    if (!j)
        return tac__fail_memory(err);
    j->args = args;
    tac_status status = tac_recording_open(args->operands[0], &j->recording, err);
    if (status == TAC_OK) {
        j->all.recording = tac_recording_about(j->recording);
        j->all.plot = cli_value(args, "plot");
        j->all.out = cli_value(args, "out");
        status = replay_all(j, err);
    }
    cli_folder_remove(&j->folder);
    if (status == TAC_OK) {
        if (cli_has(args, "json"))
            cli_replays_json(&j->all, out);
        else if (!cli_has(args, "quiet"))
            cli_replays_text(&j->all, out);
        status = verdict(j, err);
    }
    for (size_t i = 0; i < CLI_METHODS_MAX; i++)
        free_outcome(&j->all.outcomes[i]);
    free_outcome(&j->all.reference_outcome);
    tac_recording_close(j->recording);
    free(j);
    return status;
}

const cli_command cli_replay = {
    .name = "replay",
    .operands = "REC",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Drive the plant of a recording again.",
    .doc = "Make the simulation of the recording REC anew, and drive its plant with the recorded "
           "commands, wind, faults and messages instead of the components that gave them. With the "
           "same integrator every state is the same, bit for bit; the digests in the recording "
           "tell, and the exit code is 1 if one is not.\n\n"
           "With --integrator and --reference it is a comparison of integrators on the same "
           "inputs: time, steps, and the greatest errors. One that fails is told with the time "
           "at which it did; the exit code is 1 only if all do.",
    .options = options,
    .run = run,
};
