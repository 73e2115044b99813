// federate.c - `tactus federate FILE`: the server of a federation and all its clients, on this
// machine or, started by a launcher, on many.
//
// Each client is a process of its own: this program with `join`, or the command that the
// configuration gives. What a client writes to standard output and standard error is shown on
// standard error with its name in front; the report that it hands in on a descriptor of its own is
// part of the report.
//
// A launcher starts several copies of this program, the ranks (launch.h). Rank 0 has the server and
// reports; each rank starts and watches its own share of the clients.
#define _GNU_SOURCE // pipe2
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "cli/folder.h"
#include "cli/handed.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/pace.h"
#include "cli/relay.h"
#include "cli/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const cli_option options[] = {
    {.name = "transport",
     .value = "KIND",
     .doc = "How messages travel: tcp, unix (sockets) or shm (shared memory); by default what the "
            "configuration says. The results stay the same."},
    {.name = "lookahead",
     .value = "RULE",
     .doc = "How far clients may advance: link or global. The results stay the same."},
    {.name = "launcher",
     .value = "KIND",
     .doc = "This is one of several copies that a launcher has started, on one host or many: mpi "
            "(mpirun of Open MPI), slurm (srun), auto (what the environment shows) or none. They "
            "share the processes and are one federation; the first one has the server and "
            "reports."},
    {.name = "address",
     .value = "ADDRESS",
     .doc = "With --launcher: where the server listens, tcp://HOST:PORT; by default what the "
            "configuration says, or what follows from the launcher's name of the job."},
    {.name = "key",
     .value = "KEY",
     .doc = "The file with the key that all processes have; needed for several hosts. Everything "
            "is encrypted then."},
    CLI_OPTION_SET,
    {.name = "seed", .value = "N", .doc = "Use this seed; short for --set seed=N."},
    CLI_OPTION_DURATION,
    CLI_OPTION_FORCE,
    CLI_OPTIONS_LCM,
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    {.name = "quiet", .letter = 'q', .doc = "No report and no progress."},
    CLI_OPTION_HELP,
    {0},
};

// Streams of a child that this program reads: standard output, standard error, report. The last one
// has a number of one digit, as some shells know no others.
enum { STREAMS = 3, REPORT_FD = 3 };

static const int64_t GRACE_NS = 500000000;     // between the end of a process and of its connection
static const int64_t FAREWELL_NS = 5000000000; // for processes to end by themselves

typedef struct child {
    const char *name;
    bool ours;     // of this rank
    pid_t pid;     // 0: over
    size_t stream; // of the relay: its report
    size_t report_max;
    cli_handed report;
    int code; // exit code, or 128 and the number of the signal
    int64_t ended_ns;
} child;

typedef struct family {
    cli_dispatch d;
    const cli_args *args;
    cli_launch launch;
    child *children; // all processes of the federation
    size_t count;
    cli_relay *relay;
    char folder[CLI_MEETING_TEXT];  // for sockets, "": there is none
    cli_folder own;                 // the same, where this process has made it
    char address[CLI_MEETING_TEXT]; // of the server, for clients
    char patience[32];              // for joining, "": as usual
    int64_t began_ns;
    char why[256];     // this program has ended the federation itself, "": it has not
    tac_status status; // what that is
} family;

// --- starting -----------------------------------------------------------------------------------

// The server of a federation on this machine: what --transport says counts more than the file.
static tac_status open_server(family *f, const char *transport, tac_error *err)
{
    char address[CLI_MEETING_TEXT + 16];
    if (!strcmp(transport, "tcp")) {
        snprintf(address, sizeof address, "tcp://127.0.0.1:0");
    } else if (!strcmp(transport, "unix") || !strcmp(transport, "shm")) {
        TAC_TRY(cli_folder_make(&f->own, err));
        snprintf(f->folder, sizeof f->folder, "%s", f->own.path);
        snprintf(address, sizeof address, "%s://%s/s", transport, f->folder);
    } else {
        return tac__fail(err, TAC_E_USAGE, "option '--transport' needs tcp, unix or shm, not '%s'",
                         transport);
    }
    TAC_TRY(cli_dispatch_open(&f->d, f->args, address, err));
    snprintf(f->address, sizeof f->address, "%s", tac_server_address(f->d.server));
    return TAC_OK;
}

// The same where a launcher has started this program; only rank 0 serves.
static tac_status meet(family *f, const char *transport, tac_error *err)
{
    const cli_meeting_def def = {
        .transport = transport,
        .address = cli_value(f->args, "address"),
        .key = cli_value(f->args, "key") != NULL,
        .file_transport = f->d.info.transport,
        .file_address = f->d.info.address,
    };
    cli_meeting meeting;
    TAC_TRY(cli_launch_meet(&f->launch, &def, &meeting, err));
    memcpy(f->address, meeting.dial, sizeof f->address);
    snprintf(f->patience, sizeof f->patience, "%llu us", (unsigned long long)f->d.info.timeout_us);
    if (f->launch.rank == 0 && meeting.folder[0]) {
        TAC_TRY(cli_launch_make_folder(meeting.folder, err));
        TAC_TRY(cli_folder_adopt(&f->own, meeting.folder, err));
    }
    memcpy(f->folder, meeting.folder, sizeof f->folder);
    if (f->launch.rank > 0)
        return TAC_OK;
    return cli_dispatch_open(&f->d, f->args, meeting.listen, err);
}

// Options that every client must have, too.
static size_t add_options(const cli_args *args, const char **argv, size_t n)
{
    static const struct {
        const char *name, *flag;
    } passed[] = {{"set", "--set"},
                  {"seed", "--seed"},
                  {"duration", "--duration"},
                  {"force", "--force"},
                  {"key", "--key"}};
    for (size_t i = 0; i < args->given_count; i++) {
        const cli_given *g = &args->given[i];
        for (size_t k = 0; k < sizeof passed / sizeof *passed; k++) {
            if (strcmp(g->option->name, passed[k].name) != 0)
                continue;
            argv[n++] = passed[k].flag;
            if (g->value)
                argv[n++] = g->value;
        }
    }
    return n;
}

// `ends`: the ends for writing of its streams.
static void be_child(const family *f, const tac_process_info *p, const int ends[STREAMS])
{
    const char **argv = calloc(p->command_count + 2 * f->args->given_count + 16, sizeof *argv);
    size_t n = 0;
    if (!argv)
        _exit(3);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // no process outlives the federation; recordings are closed
    dup2(ends[0], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    if (ends[2] == REPORT_FD)
        (void)fcntl(REPORT_FD, F_SETFD, 0); // the program has it
    else
        dup2(ends[2], REPORT_FD);
    setenv(CLI_REPORT_FD, (const char[]){'0' + REPORT_FD, '\0'}, 1);
    setenv("TACTUS_ADDRESS", f->address, 1);
    setenv("TACTUS_NAME", p->name, 1);
    char *key = cli_value(f->args, "key") ? realpath(cli_value(f->args, "key"), NULL) : NULL;
    if (key)
        setenv("TACTUS_KEY", key, 1);
    free(key);
    if (p->command) {
        for (size_t i = 0; i < p->command_count; i++)
            argv[n++] = p->command[i];
        if (p->folder && chdir(p->folder) != 0) {
            fprintf(stderr, "cannot enter '%s': %s\n", p->folder, tac__errno_text(errno));
            _exit(3);
        }
    } else {
        const char *fixed[] = {"tactus",       "join",   "--progress", "never",
                               "--supervised", "--name", p->name};
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
            argv[n++] = fixed[i];
        n = add_options(f->args, argv, n);
        if (f->patience[0]) {
            argv[n++] = "--patience";
            argv[n++] = f->patience;
        }
        argv[n++] = f->address;
        argv[n++] = f->args->operands[0];
    }
    argv[n] = NULL;
    execvp(p->command ? argv[0] : "/proc/self/exe", (char *const *)argv);
    fprintf(stderr, "cannot start '%s': %s\n", argv[0], tac__errno_text(errno));
    _exit(3);
}

static bool open_pipes(int reads[STREAMS], int writes[STREAMS])
{
    for (int i = 0; i < STREAMS; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) {
            for (const int code = errno; i-- > 0; errno = code) {
                close(reads[i]);
                close(writes[i]);
            }
            return false;
        }
        reads[i] = ends[0];
        writes[i] = ends[1];
    }
    return true;
}

static tac_status start_child(family *f, size_t i, tac_error *err)
{
    child *c = &f->children[i];
    const tac_process_info p = tac_config_process_info(f->d.sim.config, i);
    int reads[STREAMS], writes[STREAMS];
    if (!open_pipes(reads, writes))
        return tac__fail(err, TAC_E_FILE, "cannot start '%s': %s", p.name, tac__errno_text(errno));
    fflush(NULL);
    const pid_t pid = fork();
    const int code = errno;
    if (!pid)
        be_child(f, &p, writes);
    for (int k = 0; k < STREAMS; k++)
        close(writes[k]);
    cli_relay_add_lines(f->relay, c->name, reads[0]);
    cli_relay_add_lines(f->relay, c->name, reads[1]);
    c->report_max = p.command ? CLI_REPORT_MAX : CLI_ENGINE_REPORT_MAX;
    c->stream = cli_relay_add_report(f->relay, reads[2], c->report_max);
    c->ours = true;
    if (pid < 0)
        return tac__fail(err, TAC_E_FILE, "cannot start '%s': %s", p.name, tac__errno_text(code));
    c->pid = pid;
    return TAC_OK;
}

// --- watching -----------------------------------------------------------------------------------

// Whether a process failed only because the server has ended the federation. That is told once, by
// the server's own error.
static bool ended_with_all(const child *c)
{
    return c->code == tac_status_exit_code(TAC_E_ENDED);
}

// What it means for the federation: a process that was killed is lost.
static tac_status status_of_end(const child *c)
{
    return c->code > 128 ? TAC_E_NETWORK : TAC_E_FEDERATION;
}

// How a process ended.
static void print_end(const child *c, char *text, size_t size)
{
    if (c->code > 128)
        snprintf(text, size, "was ended by signal %d", c->code - 128);
    else if (ended_with_all(c))
        snprintf(text, size, "ended with the federation");
    else
        snprintf(text, size, "ended with exit code %d", c->code);
}

static void reap(family *f)
{
    for (size_t i = 0; i < f->count; i++) {
        child *c = &f->children[i];
        int status;
        if (!c->pid || waitpid(c->pid, &status, WNOHANG) != c->pid)
            continue;
        c->pid = 0;
        c->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        c->ended_ns = cli_now_ns();
    }
}

// A process that has ended ends the federation, too; its connection says more, if there was one.
// All must have joined after some time: a program may never do so, other ranks are not seen here.
static const char *watch(void *context)
{
    family *f = context;
    const size_t joined = tac_server_info(f->d.server).joined;
    reap(f);
    if (f->why[0]) // the first reason counts
        return f->why;
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        if (!c->ours || c->pid || cli_now_ns() - c->ended_ns < GRACE_NS)
            continue;
        if (c->code == 0 && joined == f->count)
            continue; // it left before the others
        char end[64];
        print_end(c, end, sizeof end);
        snprintf(f->why, sizeof f->why, "process '%.128s' %s", c->name, end);
        f->status = status_of_end(c);
        return f->why;
    }
    const uint64_t waited_us = (uint64_t)(cli_now_ns() - f->began_ns) / 1000;
    if (f->d.info.timeout_us && joined < f->count && waited_us > f->d.info.timeout_us) {
        char limit[TAC_TIME_TEXT];
        tac_time_print(f->d.info.timeout_us, limit);
        snprintf(f->why, sizeof f->why, "after %s only %zu of %zu processes have joined", limit,
                 joined, f->count);
        f->status = TAC_E_FEDERATION;
        return f->why;
    }
    return NULL;
}

// `only`: the process of this name; NULL: all.
static void signal_children(const family *f, int number, const char *only)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!f->children[i].pid || (only && strcmp(only, f->children[i].name) != 0))
            continue;
        kill(f->children[i].pid, number);
        kill(f->children[i].pid, SIGCONT); // one that was stopped ends, too
    }
}

static bool any_left(const family *f)
{
    bool any = false;
    for (size_t i = 0; i < f->count; i++)
        any |= f->children[i].pid != 0;
    return any;
}

static void wait_for_all(family *f)
{
    static const int signals[] = {0, SIGTERM, SIGKILL};
    for (size_t s = 0; s < 3; s++) {
        const int64_t limit_ns = cli_now_ns() + FAREWELL_NS;
        if (signals[s])
            signal_children(f, signals[s], NULL);
        for (reap(f); any_left(f) && cli_now_ns() < limit_ns; reap(f))
            cli_sleep_until(cli_now_ns() + 5000000);
    }
}

// --- reporting ----------------------------------------------------------------------------------

// All processes are over: what they have handed in.
static void take_reports(family *f)
{
    cli_relay_stop(f->relay);
    for (size_t i = 0; i < f->count; i++) {
        child *c = &f->children[i];
        size_t size;
        if (!c->ours)
            continue;
        const tac__text *bytes = cli_relay_kept(f->relay, c->stream, &size);
        cli_handed_read(&c->report, c->name, bytes, size, c->report_max);
    }
}

static void add_report(tac__json *json, const child *c)
{
    if (c->report.text.length) {
        tac__json_key(json, "report");
        tac__json_raw(json, c->report.text.chars);
    }
    if (c->report.err.status != TAC_OK)
        cli_json_error(json, "report_error", &c->report.err);
}

// Why the federation ended, as a child reports it.
static tac_status fail_as(const child *c, tac_error *err)
{
    const tac_node *error = tac_node_get(c->report.root, "error");
    const char *why = tac_node_text(tac_node_get(error, "text"));
    return tac__fail(err, TAC_E_FEDERATION, "%s", why && *why ? why : tac_status_text(TAC_E_ENDED));
}

static void report_json(const family *f, tac_status status, const tac_error *err, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    cli_dispatch_json(&f->d, status, err, &json);
    if (f->launch.launcher) {
        tac__json_key_text(&json, "launcher", f->launch.launcher);
        tac__json_key_u64(&json, "ranks", f->launch.ranks);
    }
    tac__json_key(&json, "processes");
    tac__json_object_begin(&json);
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        tac__json_key(&json, c->name);
        tac__json_object_begin(&json);
        if (f->launch.launcher)
            tac__json_key_u64(&json, "rank", cli_launch_owner(&f->launch, i, f->count));
        if (c->ours)
            tac__json_key_u64(&json, "exit_code", (uint64_t)c->code);
        tac__json_key_hex64(&json, "trace", tac_server_trace(f->d.server, i));
        if (c->ours)
            add_report(&json, c);
        tac__json_object_end(&json);
    }
    tac__json_object_end(&json);
    tac__json_object_end(&json);
    tac__text_add(out, "\n");
}

static void report_text(const family *f, tac_status status, tac__text *out)
{
    cli_dispatch_report(&f->d, status, out);
    if (f->launch.launcher)
        tac__text_add(out, "  ranks        %zu of %s, on %s\n", f->launch.ranks, f->launch.launcher,
                      f->launch.one_host ? "one host" : "several hosts");
    for (size_t i = 0; i < f->count; i++) {
        char end[64];
        print_end(&f->children[i], end, sizeof end);
        if (f->children[i].code)
            tac__text_add(out, "  %-12s %s\n", f->children[i].name, end);
    }
}

// --- the rank with the server -------------------------------------------------------------------

static tac_status make_children(family *f, tac_error *err)
{
    f->children = calloc(f->d.info.process_count, sizeof *f->children);
    if (!f->children)
        return tac__fail_memory(err);
    f->count = f->d.info.process_count;
    for (size_t i = 0; i < f->count; i++) {
        f->children[i].name = tac_config_process_info(f->d.sim.config, i).name;
    }
    f->relay = cli_relay_create(STREAMS * f->count);
    return f->relay ? TAC_OK : tac__fail_memory(err);
}

static tac_status start(family *f, tac_error *err)
{
    const char *transport = cli_value(f->args, "transport");
    f->d.watch = watch;
    f->d.context = f;
    f->began_ns = cli_now_ns();
    TAC_TRY(cli_dispatch_load(&f->d, f->args, f->args->operands[0], err));
    TAC_TRY(f->launch.launcher ? meet(f, transport, err)
                               : open_server(f, transport ? transport : f->d.info.transport, err));
    TAC_TRY(make_children(f, err));
    for (size_t i = 0; i < f->count; i++) {
        if (cli_launch_owner(&f->launch, i, f->count) == f->launch.rank)
            TAC_TRY(start_child(f, i, err));
    }
    return cli_relay_start(f->relay, err); // a thread, which a fork would not take along
}

static tac_status check_children(const family *f, tac_error *err)
{
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        char end[64];
        print_end(c, end, sizeof end);
        if (c->code)
            return tac__fail(err, c->code == 1 ? TAC_E_EXPECT : status_of_end(c), "process '%s' %s",
                             c->name, end);
    }
    for (size_t i = 0; i < f->count; i++) {
        if (f->children[i].report.err.status != TAC_OK) {
            *err = f->children[i].report.err;
            return err->status;
        }
    }
    return TAC_OK;
}

static void finish(family *f)
{
    cli_relay_destroy(f->relay);
    for (size_t i = 0; i < f->count; i++)
        cli_handed_fini(&f->children[i].report);
    free(f->children);
    cli_dispatch_close(&f->d);
    cli_folder_remove(&f->own);
}

// The rank that has the server, or the only one.
static tac_status lead(family *f, tac__text *out, tac_error *err)
{
    tac_status status = cli_dispatch_run(&f->d, f->args, err);
    if (status == TAC_E_STOPPED && f->why[0])
        err->status = status = f->status;
    if (status == TAC_E_HANG) // it will not hear of the end otherwise
        signal_children(f, SIGTERM, err->component);
    if (status != TAC_OK && tac_server_info(f->d.server).joined < f->count)
        signal_children(f, SIGTERM, NULL); // those that have not joined will not, either
    // A launcher ends all ranks when one has failed or has ended after a signal. The report comes
    // before that, and recordings of other ranks are closed.
    if (f->launch.launcher)
        signal(SIGTERM, SIG_IGN);
    wait_for_all(f);
    take_reports(f);
    if (f->launch.ranks > 1 && cli_stop_signal())
        cli_sleep_until(cli_now_ns() + GRACE_NS / 2);
    if (status == TAC_OK)
        status = check_children(f, err);
    if (cli_has(f->args, "json"))
        report_json(f, status, err, out);
    else if (!cli_has(f->args, "quiet"))
        report_text(f, status, out);
    return status;
}

// --- other ranks --------------------------------------------------------------------------------

static bool is_early(void *context)
{
    const int64_t *limit_ns = context;
    return cli_now_ns() < *limit_ns;
}

// A process of this rank has failed. If it had never joined, the server would wait for it: join in
// its name and leave with the reason. Then wait for the server to end, because launchers end all
// ranks when one fails, and rank 0 is to report before that, as the others are to close their
// recordings.
static void outlast_server(const family *f, const char *name, const char *why)
{
    int64_t limit_ns = cli_now_ns() + 4 * FAREWELL_NS;
    tac_client_def def = tac_client_def_default();
    def.name = name;
    def.address = f->address;
    def.key_file = cli_value(f->args, "key");
    // Where all has just been started, the server may not listen yet.
    const int64_t early_ns = f->began_ns + 2000000000 - cli_now_ns();
    def.patience_ms = early_ns > 0 ? (uint32_t)(early_ns / 1000000) : 0;
    def.look = is_early;
    def.context = &limit_ns;
    bool is_served = true;
    while (is_served && is_early(&limit_ns)) {
        tac_client *client = NULL;
        tac_status status = tac_client_create(&def, &client, NULL);
        if (status == TAC_OK)
            status = tac_client_join(client, NULL);
        def.patience_ms = 0;
        is_served = status != TAC_E_NETWORK;
        if (status == TAC_OK)
            tac_client_abort(client, why);
        // The server reads this when all have joined, and only from those who are still there.
        cli_sleep_until(cli_now_ns() + (status == TAC_OK ? 1000000000 : 100000000));
        tac_client_destroy(client);
    }
    // A rank 0 that was killed leaves the socket and its folder.
    if (f->folder[0] && !is_served)
        cli_folder_remove_left(f->folder);
    cli_sleep_until(cli_now_ns() + GRACE_NS);
}

// A process that has failed by itself, else one that has ended with the federation.
static const child *first_failed(const family *f)
{
    const child *found = NULL;
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        if (c->code && (!found || (ended_with_all(found) && !ended_with_all(c))))
            found = c;
    }
    return found;
}

// Every rank but 0: watch the processes of this rank to their end.
static tac_status follow(family *f, tac_error *err)
{
    char why[256], end[64];
    cli_stop_begin(NULL, NULL);
    while (any_left(f) && !first_failed(f) && !cli_stop_signal()) {
        cli_sleep_until(cli_now_ns() + 5000000);
        reap(f);
    }
    const child *failed = first_failed(f);
    const bool stopped = !failed && any_left(f);
    if (failed) {
        print_end(failed, end, sizeof end);
        snprintf(why, sizeof why, "process '%.128s' of rank %zu %s", failed->name, f->launch.rank,
                 end);
    }
    if (stopped) {
        snprintf(why, sizeof why, "rank %zu was stopped by a signal", f->launch.rank);
        signal_children(f, SIGTERM, NULL);
        wait_for_all(f);
        failed = first_failed(f);
    }
    if (failed)
        outlast_server(f, failed->name, why);
    wait_for_all(f);
    take_reports(f);
    cli_stop_closing();
    cli_stop_end();
    if (stopped)
        return tac__fail(err, TAC_E_STOPPED, "stopped by a signal");
    failed = first_failed(f);
    return failed && ended_with_all(failed) ? fail_as(failed, err) : check_children(f, err);
}

// --- the command --------------------------------------------------------------------------------

static tac_status read_launch(family *f, tac_error *err)
{
    const char *word = cli_value(f->args, "launcher");
    TAC_TRY(cli_launch_read(word ? word : "none", getenv, &f->launch, err));
    if (f->launch.launcher)
        return TAC_OK;
    if (cli_value(f->args, "address"))
        return tac__fail(err, TAC_E_USAGE,
                         "option '--address' is for copies that a launcher has started: see "
                         "'--launcher'");
    cli_launch around;
    if (!word && cli_launch_read("auto", getenv, &around, NULL) == TAC_OK && around.ranks > 1 &&
        around.rank == 0 && !cli_has(f->args, "quiet"))
        fprintf(stderr,
                "note: a launcher has started %zu copies of this program, and each runs the whole "
                "federation; with '--launcher %s' all are one\n",
                around.ranks, around.launcher);
    return TAC_OK;
}

// Only rank 0 reports, errors as JSON included.
static void close_output(const cli_args *args)
{
    *args->output = NULL;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
}

static tac_status federate(const cli_args *args, tac__text *out, tac_error *err)
{
    family f = {.args = args};
    TAC_TRY(read_launch(&f, err));
    if (f.launch.rank > 0)
        close_output(args);
    tac_status status = start(&f, err);
    if (status != TAC_OK) {
        signal_children(&f, SIGKILL, NULL);
        wait_for_all(&f);
    } else {
        status = f.launch.rank > 0 ? follow(&f, err) : lead(&f, out, err);
    }
    if (status != TAC_OK && f.launch.rank > 0)
        tac__error_context(err, "being rank %zu of %zu", f.launch.rank, f.launch.ranks);
    finish(&f);
    return status;
}

const cli_command cli_federate = {
    .name = "federate",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Run a simulation as a federation of processes.",
    .doc = "Start a server and all processes that section 'federation' of FILE names, and run them "
           "as one simulation. Where all processes have entities of FILE, the hash is that of "
           "'tactus run FILE'. What a process writes is shown on standard error with its name in "
           "front, what it hands in as JSON at the descriptor in $TACTUS_REPORT_FD is part of the "
           "report; each process records its own part. All processes run on this machine; with "
           "--launcher mpirun or srun spread them over many.",
    .options = options,
    .run = federate,
};
