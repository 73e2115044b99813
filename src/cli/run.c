// run.c - `tactus run FILE`: load, build, run, report.
//
// The engine is run in slices of simulated time: to show progress, or one instant after the other
// in real time. How a run is divided changes no bit of it.
#include "cli/advance.h"
#include "cli/redirect.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flight.h"
#include "cli/plot/flight.h"
#include "cli/plot/motion.h"
#include "cli/load.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/pace.h"
#include "cli/plot/picture.h"
#include "cli/progress.h"
#include "cli/report/report.h"
#include "cli/run.h"
#include "cli/report/verdict.h"
#include "cli/stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_SEED,
    CLI_OPTION_DURATION,
    CLI_OPTION_OUT,
    CLI_OPTION_FORCE,
    CLI_OPTION_FSYNC,
    CLI_OPTION_CSV,
    {.name = "realtime",
     .value = "FACTOR",
     .optional = true,
     .doc = "Keep step with the wall clock, or run FACTOR times as fast as it; report the jitter. "
            "The results stay the same."},
    {.name = "checkpoint-at",
     .value = "T",
     .doc = "Save the whole state as of the last boundary at or before T."},
    {.name = "checkpoint",
     .value = "FILE",
     .doc = "The file for --checkpoint-at; by default the name of the simulation with .checkpoint "
            "behind it."},
    {.name = "from",
     .value = "FILE",
     .doc = "Continue from a checkpoint, of the same model or of one that differs in values of "
            "tunable parameters and in events that lie after it. The report says what differs."},
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

typedef struct settings {
    bool json, quiet;
    bool has_level;
    tac_log_level level; // of --log-level
    cli_progress_mode progress;
    double factor; // of real time; 0: as fast as possible
    const char *from;
    bool has_checkpoint;
    tac_time checkpoint_us;
    const char *checkpoint; // NULL: the default
    const char *plot;       // NULL: none
    const char *out, *csv;  // NULL: what the configuration says
} settings;

// Everything that belongs to one run.
typedef struct job {
    const cli_args *args;
    const char *file;
    const cli_driver *driver; // NULL: the engine runs by itself
    settings settings;
    cli_simulation sim;
    cli_progress progress;
    cli_log log;
    cli_flight flight;
    cli_motion motion;
    cli_phases phases;
    tac_verdict *verdict;       // NULL: nothing is expected of the run
    tac_recorder_def recording; // path is NULL: none
    tac_recorder *recorder;
    double prepare_s; // how long loading and preparing took
    tac__text path;   // of the checkpoint, where it is the default
} job;

// --- reading the options ------------------------------------------------------------------------

static tac_status read_progress(const char *text, cli_progress_mode *mode, tac_error *err)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < 3; i++) {
        if (!strcmp(text, names[i])) {
            *mode = (cli_progress_mode)i;
            return TAC_OK;
        }
    }
    return tac__fail(err, TAC_E_USAGE, "option '--progress' needs auto, always or never, not '%s'",
                     text);
}

static tac_status read_factor(const char *text, double *factor, tac_error *err)
{
    const char *end;
    *factor = tac__number_parse(text, &end);
    if (end == text || *end || !isfinite(*factor) || *factor <= 0)
        return tac__fail(err, TAC_E_USAGE, "option '--realtime' needs a positive number, not '%s'",
                         text);
    return TAC_OK;
}

static tac_status read_settings(const cli_args *args, settings *s, tac_error *err)
{
    *s = (settings){
        .json = cli_has(args, "json"),
        .quiet = cli_has(args, "quiet"),
        .from = cli_value(args, "from"),
        .checkpoint = cli_value(args, "checkpoint"),
        .plot = cli_value(args, "plot"),
        .out = cli_value(args, "out"),
        .csv = cli_value(args, "csv"),
    };
    const char *text = cli_value(args, "log-level");
    s->has_level = text != NULL;
    if (text)
        TAC_TRY(cli_log_level(text, &s->level, err));
    text = cli_value(args, "progress");
    if (text)
        TAC_TRY(read_progress(text, &s->progress, err));
    else if (s->quiet)
        s->progress = CLI_PROGRESS_NEVER;
    if (cli_has(args, "realtime")) {
        text = cli_value(args, "realtime");
        TAC_TRY(read_factor(text ? text : "1", &s->factor, err));
    }
    text = cli_value(args, "checkpoint-at");
    s->has_checkpoint = text != NULL;
    if (text && tac_time_parse(text, &s->checkpoint_us, err) != TAC_OK) {
        tac__error_context(err, "reading option '--checkpoint-at'");
        return err->status;
    }
    if (s->checkpoint && !s->has_checkpoint)
        return tac__fail(err, TAC_E_USAGE,
                         "option '--checkpoint' needs '--checkpoint-at T' to say when");
    return TAC_OK;
}

// --- starting -----------------------------------------------------------------------------------

// A file in the current folder, named after the simulation.
static tac_status default_checkpoint(const tac_config *config, tac__text *path, tac_error *err)
{
    for (const char *c = tac_config_name(config); *c; c++)
        tac__text_bytes(path, *c == '/' || (unsigned char)*c <= ' ' ? "_" : c, 1);
    tac__text_add(path, ".checkpoint");
    return path->failed ? tac__fail_memory(err) : TAC_OK;
}

static tac_status plan_checkpoint(job *j, tac_error *err)
{
    settings *s = &j->settings;
    if (!s->has_checkpoint)
        return TAC_OK;
    if (!s->checkpoint) {
        TAC_TRY(default_checkpoint(j->sim.config, &j->path, err));
        s->checkpoint = j->path.chars;
        TAC_TRY(cli_writes(j->args, s->checkpoint, "--checkpoint-at", CLI_REPLACES, err));
    }
    return tac_engine_checkpoint_at(j->sim.engine, s->checkpoint_us, s->checkpoint, err);
}

// Reports the files that options name; those of the configuration are known already.
static tac_status name_files(const job *j, tac_error *err)
{
    const settings *s = &j->settings;
    TAC_TRY(cli_reads(j->args, s->from, err));
    TAC_TRY(cli_writes(j->args, s->out, "--out", CLI_REPLACES_FORCED, err));
    TAC_TRY(cli_writes(j->args, s->csv, "--csv", CLI_REPLACES, err));
    TAC_TRY(cli_writes(j->args, s->plot, "--plot", CLI_REPLACES, err));
    return cli_writes(j->args, s->checkpoint, "--checkpoint", CLI_REPLACES, err);
}

static tac_status plan_recording(job *j, tac_error *err)
{
    j->recording = tac_recorder_def_default();
    if (!j->settings.out && !j->settings.csv && !tac_config_records(j->sim.config))
        return TAC_OK;
    TAC_TRY(tac_config_recorder_def(j->sim.config, &j->recording, err));
    if (j->settings.out)
        j->recording.path = j->settings.out;
    else
        TAC_TRY(
            cli_writes(j->args, j->recording.path, "'file' of 'record'", CLI_REPLACES_FORCED, err));
    if (j->settings.csv)
        j->recording.csv = j->settings.csv;
    else
        TAC_TRY(cli_writes(j->args, j->recording.csv, "'csv' of 'record'", CLI_REPLACES, err));
    j->recording.replace = cli_has(j->args, "force");
    j->recording.sync |= cli_has(j->args, "fsync");
    if (j->settings.factor > 0 && j->recording.flush_us == TAC_TIME_NEVER)
        j->recording.flush_us = TAC_FLUSH_US; // a run that takes days must not lose hours
    return tac_recorder_create(&j->recording, j->sim.engine, &j->recorder, err);
}

// Called by the watchdog's thread while the engine's thread is blocked in a call that does not
// return: close the recording with what it has, report the error and end the program.
static void call_hangs(void *context, const tac_hang *hang)
{
    job *j = context;
    tac_error err = {0}, trouble = {0};
    tac__fail(&err, TAC_E_HANG,
              "%s has not returned after %.3g s; the run ends here. Parameter 'watchdog' sets how "
              "long it may take",
              hang->call, hang->seconds);
    tac__error_run(&err, tac_engine_time(j->sim.engine), hang->component);
    cli_progress_hide(&j->progress);
    if (j->recorder && tac_recorder_end(j->recorder, err.text, &trouble) != TAC_OK)
        cli_print_error(&trouble);
    cli_print_error(&err);
    fflush(NULL);
    _exit(tac_status_exit_code(err.status));
}

// Options decide which log entries are shown; the configuration decides which are recorded, so that
// the same run always gives the same file.
static tac_engine_def engine_def(job *j)
{
    const settings *s = &j->settings;
    tac_engine_def def = tac_config_engine_def(j->sim.config);
    def.profile = cli_has(j->args, "profile");
    cli_log_attach(&j->log, &def);
    def.hang = call_hangs;
    def.hang_context = j;
    cli_phases_watch(&j->phases, &def);
    if (s->has_level)
        def.log_level = s->level;
    else if (s->quiet && def.log_level < TAC_LOG_WARN)
        def.log_level = TAC_LOG_WARN;
    return def;
}

// Checks, before a long run, that everything the plot will need is there.
static tac_status check_plot(const job *j, tac_error *err)
{
    if (j->flight.count == 0 && j->motion.count == 0)
        return tac__fail(err, TAC_E_USAGE,
                         "--plot: the simulation has no vehicle, that is no component with a "
                         "signal in the role position, height, distance or inertial_position");
    return cli_picture_check(err);
}

static tac_status start(job *j, tac_error *err)
{
    cli_simulation *sim = &j->sim;
    const int64_t begun_ns = cli_now_ns();
    TAC_TRY(cli_load_config(sim, j->args, j->file, err));
    if (j->driver)
        TAC_TRY(j->driver->choose(j->driver->context, sim, err));
    TAC_TRY(name_files(j, err));
    const tac_engine_def def = engine_def(j);
    TAC_TRY(tac_config_build_unprepared(sim->config, &def, &sim->engine, err));
    if (!j->settings.quiet || j->settings.json ||
        j->settings.plot) { // else nothing is said of them
        TAC_TRY(cli_flight_watch(&j->flight, sim->engine, err));
        TAC_TRY(cli_motion_watch(&j->motion, sim->engine, def.end_us, err));
    }
    TAC_TRY(tac_config_verdict(sim->config, sim->engine, &j->verdict, err));
    TAC_TRY(plan_recording(j, err));
    TAC_TRY(tac_engine_prepare(sim->engine, err));
    j->prepare_s = (double)(cli_now_ns() - begun_ns) / 1e9;
    TAC_TRY(cli_check_digests(sim->engine, j->args, err));
    if (j->settings.from)
        TAC_TRY(tac_engine_branch(sim->engine, j->settings.from, err));
    TAC_TRY(cli_flight_begin(&j->flight, sim->engine, &def, j->settings.plot, err));
    TAC_TRY(cli_motion_begin(&j->motion, sim->engine, j->settings.plot, err));
    if (j->settings.plot)
        TAC_TRY(check_plot(j, err));
    TAC_TRY(tac_verdict_begin(j->verdict, err));
    TAC_TRY(plan_checkpoint(j, err));
    return j->recorder ? tac_recorder_begin(j->recorder, err) : TAC_OK;
}

// --- running ------------------------------------------------------------------------------------

enum { NAP_NS = 100000000 };

// Runs one instant after the other, each when its time has come on the wall clock.
static tac_status run_paced(tac_engine *engine, const cli_pace *pace, cli_progress *progress,
                            cli_jitter *jitter, tac_error *err)
{
    for (tac_time t_us; (t_us = tac_engine_next_time(engine)) != TAC_TIME_NEVER;) {
        const int64_t due_ns = cli_pace_due_ns(pace, t_us);
        int64_t now_ns;
        while ((now_ns = cli_now_ns()) < due_ns && !cli_stop_signal()) {
            cli_sleep_until(due_ns - now_ns > NAP_NS ? now_ns + NAP_NS : due_ns);
            cli_progress_update(progress, tac_engine_time(engine));
        }
        // An instant with nothing but integration is no boundary.
        const uint64_t boundaries = tac_engine_counters(engine).boundaries;
        TAC_TRY(tac_engine_run(engine, t_us, err));
        if (tac_engine_counters(engine).boundaries != boundaries)
            cli_jitter_add(jitter, now_ns - due_ns);
        cli_progress_update(progress, t_us);
    }
    return TAC_OK;
}

static tac_status run_engine(job *j, cli_jitter *jitter, cli_report *report, tac_error *err)
{
    const double factor = j->settings.factor;
    tac_engine *engine = j->sim.engine;
    cli_progress *progress = &j->progress;
    const tac_time end_us = tac_config_engine_def(j->sim.config).end_us;
    report->start_us = tac_engine_time(engine);
    cli_stop_begin(engine, j->recorder ? j->recording.path : NULL);
    cli_progress_begin(progress, j->settings.progress, report->start_us, end_us);
    cli_pace pace;
    cli_pace_begin(&pace, factor, report->start_us);
    tac_status status;
    if (j->driver)
        status = j->driver->run(j->driver->context, engine, progress, err);
    else
        status = factor > 0 ? run_paced(engine, &pace, progress, jitter, err)
                            : cli_advance(engine, end_us, progress, err);
    report->wall_s = (double)(cli_now_ns() - pace.start_ns) / 1e9;
    cli_progress_hide(progress);
    cli_stop_closing();
    report->signal = status == TAC_E_STOPPED ? cli_stop_signal() : NULL;
    cli_flight_end(&j->flight, engine);
    cli_motion_end(&j->motion, engine);
    tac_verdict_end(j->verdict);
    // Stopped by its own condition the run has come to its end.
    if (status == TAC_E_STOPPED && !report->signal && !tac_recorder_failed(j->recorder) &&
        cli_verdict_stopped(j->verdict)) {
        tac_error_clear(err);
        status = TAC_OK;
    }
    return status;
}

// The recording is closed however the run ended. If it could not be written, that stopped the run
// and is the error to report.
static tac_status close_recording(job *j, tac_status status, cli_report *report, tac_error *err)
{
    if (!j->recorder)
        return status;
    const bool stopped = status == TAC_E_STOPPED;
    tac_error trouble = {0};
    tac_recorder_verdict(j->recorder, j->verdict);
    const tac_status closed =
        tac_recorder_end(j->recorder, status == TAC_OK || stopped ? NULL : err->text, &trouble);
    if (closed == TAC_OK) {
        report->recording = j->recording.path;
        return status;
    }
    if (status == TAC_OK || stopped)
        *err = trouble;
    else
        cli_print_error(&trouble);
    return status == TAC_OK || stopped ? closed : status;
}

// A checkpoint is written once the run knows of an instant after it.
static bool checkpoint_written(const tac_engine *engine, const settings *s, tac_status status)
{
    const bool healthy = status == TAC_OK || status == TAC_E_STOPPED;
    return s->has_checkpoint && (tac_engine_time(engine) > s->checkpoint_us ||
                                 (healthy && tac_engine_next_time(engine) > s->checkpoint_us));
}

// Also draws a run that failed, because then the picture is needed most.
static tac_status draw(const job *j, cli_report *report, tac_error *err)
{
    if (!j->settings.plot)
        return TAC_OK;
    const char *file = j->settings.plot, *name = tac_config_name(j->sim.config);
    const uint64_t hash = tac_engine_hash(j->sim.engine, NULL, NULL);
    if (j->flight.count)
        TAC_TRY(cli_flight_plot_write(file, &j->flight, name, hash, err));
    else
        TAC_TRY(cli_motion_plot_write(file, &j->motion, name, hash, err));
    report->plot = j->settings.plot;
    return TAC_OK;
}

static tac_status run_and_report(job *j, tac__text *out, tac_error *err)
{
    cli_jitter jitter = {0};
    cli_report report = {
        .config = j->sim.config,
        .engine = j->sim.engine,
        .args = j->args,
        .flight = &j->flight,
        .motion = &j->motion,
        .phases = &j->phases,
        .verdict = j->verdict,
        .continued = j->settings.from,
        .jitter = j->settings.factor > 0 ? &jitter : NULL,
        .prepare_s = j->prepare_s,
    };
    tac_status status = run_engine(j, &jitter, &report, err);
    status = close_recording(j, status, &report, err);
    if (status == TAC_OK)
        status = cli_verdict_status(j->verdict, err);
    cli_stop_end();
    if (checkpoint_written(j->sim.engine, &j->settings, status))
        report.checkpoint = j->settings.checkpoint;
    tac_error trouble = {0};
    const tac_status drawn = draw(j, &report, &trouble);
    const cli_driver *driver = j->driver;
    if (driver && driver->report)
        cli_report_json(&report, status, err, driver->report);
    if (j->settings.json)
        cli_report_json(&report, status, err, out);
    else if (!j->settings.quiet && !(driver && driver->silent))
        cli_report_text(&report, status, out);
    if (drawn == TAC_OK)
        return status;
    // A run that failed has its own exit code, but both errors are reported.
    if (status == TAC_OK)
        *err = trouble;
    else
        cli_print_error(&trouble);
    return status == TAC_OK ? drawn : status;
}

static bool may_print(const tac_engine *engine)
{
    tac_component_info c;
    for (size_t i = 0; (c = tac_engine_component_info(engine, i)).name[0]; i++) {
        if (c.flags & TAC_COMPONENT_PRINTS)
            return true;
    }
    return false;
}

tac_status cli_run_driven(const cli_args *args, const char *file, const cli_driver *driver,
                          tac__text *out, tac_error *err)
{
    job j = {.args = args, .file = file, .driver = driver};
    TAC_TRY(read_settings(args, &j.settings, err));
    TAC_TRY(cli_picture_named("plot", j.settings.plot, err));
    cli_log_init(&j.log, &j.progress);
    cli_flight_init(&j.flight);
    cli_motion_init(&j.motion);
    tac__text_init(&j.path, tac_allocator_default());
    tac_status status = start(&j, err);
    if (status == TAC_OK && may_print(j.sim.engine))
        cli_redirect_begin();
    if (status == TAC_OK)
        status = run_and_report(&j, out, err);
    tac_recorder_destroy(j.recorder);
    j.recorder = NULL;
    tac_verdict_destroy(j.verdict);
    cli_unload(&j.sim);
    cli_redirect_end();
    cli_flight_fini(&j.flight);
    cli_motion_fini(&j.motion);
    cli_phases_fini(&j.phases);
    tac__text_fini(&j.path);
    return status;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    return cli_run_driven(args, args->operands[0], NULL, out, err);
}

const cli_command cli_run = {
    .name = "run",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Run a simulation.",
    .doc =
        "Run the simulation that the configuration FILE describes, and report what was done and "
        "the hash of its results. Entries of its log go to standard error.\n\n"
        "Ctrl-C, SIGTERM, SIGHUP, SIGXCPU, or a pipe that nobody reads stops the run at its next "
        "boundary; its recording is closed, what was reached is reported, and the exit code is "
        "128 and the number of the signal. Another one a second later kills a run that does "
        "not get there.",
    .options = options,
    .run = run,
};
