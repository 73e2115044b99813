// federate.c - `tactus federate FILE`: the server of a federation and all its clients on this
// machine.
//
// Each client is a process of its own: this program with `join`, or the command that the
// configuration gives. What a client writes to standard error is shown with its name in front; what
// it reports is part of the report.
#define _GNU_SOURCE // pipe2
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "cli/output.h"
#include "cli/pace.h"

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

enum { LINE_MAX = 4096, PIECES = 64 };

static const int64_t GRACE_NS = 500000000;     // between the end of a process and of its connection
static const int64_t FAREWELL_NS = 5000000000; // for processes to end by themselves

typedef struct child {
    const char *name;
    pid_t pid;  // 0: over
    int errors; // its standard error, -1: closed
    int report; // file with its standard output
    tac__text line;
    int code; // exit code, or 128 and the number of the signal
    int64_t ended_ns;
} child;

typedef struct family {
    cli_dispatch d;
    const cli_args *args;
    child *children;
    size_t count;
    char folder[64]; // for sockets, "": none was made
    char why[256];
} family;

// --- starting -----------------------------------------------------------------------------------

static tac_status make_folder(family *f, tac_error *err)
{
    const char *at = getenv("TMPDIR");
    if (!at || strlen(at) > 40)
        at = "/tmp";
    snprintf(f->folder, sizeof f->folder, "%s/tactus-XXXXXX", at);
    if (mkdtemp(f->folder))
        return TAC_OK;
    const int code = errno;
    f->folder[0] = '\0';
    return tac__fail(err, TAC_E_FILE, "cannot make a folder in '%s': %s", at,
                     tac__errno_text(code));
}

// Where the server listens: what --transport says counts more than the file.
static tac_status choose_address(family *f, const char *transport, char *address, size_t size,
                                 tac_error *err)
{
    if (!strcmp(transport, "tcp"))
        snprintf(address, size, "tcp://127.0.0.1:0");
    else if (!strcmp(transport, "unix") || !strcmp(transport, "shm"))
        snprintf(address, size, "%s://%s/s", transport, f->folder);
    else
        return tac__fail(err, TAC_E_USAGE, "option '--transport' needs tcp, unix or shm, not '%s'",
                         transport);
    return TAC_OK;
}

// Options that every client must have, too.
static size_t add_options(const cli_args *args, const char **argv, size_t n)
{
    static const char *const passed[] = {"set", "seed", "duration", "force"};
    for (size_t i = 0; i < args->given_count; i++) {
        const cli_given *g = &args->given[i];
        for (size_t k = 0; k < sizeof passed / sizeof *passed; k++) {
            if (strcmp(g->option->name, passed[k]) != 0)
                continue;
            static const char *const flags[] = {"--set", "--seed", "--duration", "--force"};
            argv[n++] = flags[k];
            if (g->value)
                argv[n++] = g->value;
        }
    }
    return n;
}

static void be_child(const family *f, const tac_process_info *p, int output, int errors)
{
    const char **argv = calloc(p->command_count + 2 * f->args->given_count + 16, sizeof *argv);
    size_t n = 0;
    if (!argv)
        _exit(3);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // no process outlives the federation; recordings are closed
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    setenv("TACTUS_ADDRESS", tac_server_address(f->d.server), 1);
    setenv("TACTUS_NAME", p->name, 1);
    if (p->command) {
        for (size_t i = 0; i < p->command_count; i++)
            argv[n++] = p->command[i];
        if (p->folder && chdir(p->folder) != 0) {
            fprintf(stderr, "cannot enter '%s': %s\n", p->folder, tac__errno_text(errno));
            _exit(3);
        }
    } else {
        const char *fixed[] = {"tactus", "join",   "--json", "--progress",
                               "never",  "--name", p->name};
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
            argv[n++] = fixed[i];
        n = add_options(f->args, argv, n);
        argv[n++] = tac_server_address(f->d.server);
        argv[n++] = f->args->operands[0];
    }
    argv[n] = NULL;
    execvp(p->command ? argv[0] : "/proc/self/exe", (char *const *)argv);
    fprintf(stderr, "cannot start '%s': %s\n", argv[0], tac__errno_text(errno));
    _exit(3);
}

static tac_status start_child(family *f, size_t i, tac_error *err)
{
    child *c = &f->children[i];
    const tac_process_info p = tac_config_process_info(f->d.sim.config, i);
    int ends[2];
    char path[80];
    snprintf(path, sizeof path, "%s/%zu.json", f->folder, i);
    tac__text_init(&c->line, tac_allocator_default());
    c->name = p.name;
    c->errors = -1;
    c->report = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (c->report < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return tac__fail(err, TAC_E_FILE, "cannot start '%s': %s", p.name, tac__errno_text(errno));
    (void)unlink(path);
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid)
        be_child(f, &p, c->report, ends[1]);
    close(ends[1]);
    c->errors = ends[0];
    (void)fcntl(c->errors, F_SETFL, O_NONBLOCK);
    if (pid < 0)
        return tac__fail(err, TAC_E_FILE, "cannot start '%s': %s", p.name, tac__errno_text(errno));
    c->pid = pid;
    return TAC_OK;
}

// --- watching -----------------------------------------------------------------------------------

// That the federation has ended is told once, by the server's own error.
static void show_line(family *f, child *c)
{
    if (!strstr(c->line.chars, "error: the federation ended")) {
        cli_progress_hide(&f->d.progress);
        fprintf(stderr, "%s: %s\n", c->name, c->line.chars);
    }
    c->line.length = 0;
}

static void show_errors(family *f, child *c)
{
    char bytes[4096];
    ssize_t n;
    // One that writes without end must not keep the server from its work.
    for (int piece = 0;
         piece < PIECES && c->errors >= 0 && (n = read(c->errors, bytes, sizeof bytes)) > 0;
         piece++) {
        for (ssize_t i = 0; i < n; i++) {
            if (bytes[i] != '\n')
                tac__text_bytes(&c->line, bytes + i, 1);
            if (c->line.length >= LINE_MAX || (bytes[i] == '\n' && c->line.length))
                show_line(f, c);
        }
    }
}

// How a process ended.
static void print_end(const child *c, char *text, size_t size)
{
    if (c->code > 128)
        snprintf(text, size, "was ended by signal %d (%s)", c->code - 128,
                 strsignal(c->code - 128));
    else
        snprintf(text, size, "ended with exit code %d", c->code);
}

static void reap(family *f)
{
    for (size_t i = 0; i < f->count; i++) {
        child *c = &f->children[i];
        int status;
        show_errors(f, c);
        if (!c->pid || waitpid(c->pid, &status, WNOHANG) != c->pid)
            continue;
        c->pid = 0;
        c->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        c->ended_ns = cli_now_ns();
        show_errors(f, c);
        if (c->line.length)
            show_line(f, c);
    }
}

// A process that has ended ends the federation, too; its connection says more, if there was one.
static const char *watch(void *context)
{
    family *f = context;
    reap(f);
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        if (c->pid || cli_now_ns() - c->ended_ns < GRACE_NS)
            continue;
        if (c->code == 0 && tac_server_info(f->d.server).joined == f->count)
            continue; // it left before the others
        char end[64];
        print_end(c, end, sizeof end);
        snprintf(f->why, sizeof f->why, "process '%.128s' %s", c->name, end);
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

static void wait_for_all(family *f)
{
    static const int signals[] = {0, SIGTERM, SIGKILL};
    for (size_t s = 0; s < 3; s++) {
        const int64_t limit_ns = cli_now_ns() + FAREWELL_NS;
        if (signals[s])
            signal_children(f, signals[s], NULL);
        for (bool any = true; any && cli_now_ns() < limit_ns;) {
            reap(f);
            any = false;
            for (size_t i = 0; i < f->count; i++)
                any |= f->children[i].pid != 0;
            if (any)
                cli_sleep_until(cli_now_ns() + 5000000);
        }
    }
}

// --- reporting ----------------------------------------------------------------------------------

// What a child wrote, on one line, if it is JSON.
static void add_report(tac__json *json, const child *c)
{
    tac__text text;
    char bytes[4096];
    ssize_t n;
    bool indent = false;
    tac__text_init(&text, tac_allocator_default());
    if (lseek(c->report, 0, SEEK_SET) == 0) {
        while ((n = read(c->report, bytes, sizeof bytes)) > 0) {
            for (ssize_t i = 0; i < n; i++) {
                indent = bytes[i] == '\n' || (indent && bytes[i] == ' ');
                if (!indent)
                    tac__text_bytes(&text, bytes + i, 1);
            }
        }
    }
    if (text.length && text.chars[0] == '{' && text.chars[text.length - 1] == '}' && !text.failed) {
        tac__json_key(json, "report");
        tac__json_raw(json, text.chars);
    }
    tac__text_fini(&text);
}

static void report_json(const family *f, tac_status status, const tac_error *err, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    cli_dispatch_json(&f->d, status, err, &json);
    tac__json_key(&json, "processes");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", c->name);
        tac__json_key_u64(&json, "exit_code", (uint64_t)c->code);
        tac__json_key_hex64(&json, "trace", tac_server_trace(f->d.server, i));
        add_report(&json, c);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    tac__json_object_end(&json);
    tac__text_add(out, "\n");
}

static void report_text(const family *f, tac_status status, tac__text *out)
{
    cli_dispatch_report(&f->d, status, out);
    for (size_t i = 0; i < f->count; i++) {
        char end[64];
        print_end(&f->children[i], end, sizeof end);
        if (f->children[i].code)
            tac__text_add(out, "  %-12s %s\n", f->children[i].name, end);
    }
}

// --- the command --------------------------------------------------------------------------------

static tac_status start(family *f, tac_error *err)
{
    char address[128];
    const char *transport = cli_value(f->args, "transport");
    TAC_TRY(make_folder(f, err));
    f->d.watch = watch;
    f->d.context = f;
    TAC_TRY(cli_dispatch_load(&f->d, f->args, f->args->operands[0], err));
    TAC_TRY(choose_address(f, transport ? transport : f->d.info.transport, address, sizeof address,
                           err));
    TAC_TRY(cli_dispatch_open(&f->d, f->args, address, err));
    f->children = calloc(f->d.info.process_count, sizeof *f->children);
    if (!f->children)
        return tac__fail_memory(err);
    f->count = f->d.info.process_count;
    for (size_t i = 0; i < f->count; i++)
        TAC_TRY(start_child(f, i, err));
    return TAC_OK;
}

static tac_status check_children(const family *f, tac_error *err)
{
    for (size_t i = 0; i < f->count; i++) {
        const child *c = &f->children[i];
        char end[64];
        print_end(c, end, sizeof end);
        if (c->code)
            return tac__fail(err, c->code == 1 ? TAC_E_EXPECT : TAC_E_FEDERATION, "process '%s' %s",
                             c->name, end);
    }
    return TAC_OK;
}

static tac_status federate(const cli_args *args, tac__text *out, tac_error *err)
{
    family f = {.args = args};
    tac_status status = start(&f, err);
    if (status == TAC_OK) {
        status = cli_dispatch_run(&f.d, args, err);
        if (status == TAC_E_HANG) // it will not hear of the end otherwise
            signal_children(&f, SIGTERM, err->component);
        wait_for_all(&f);
        if (status == TAC_OK)
            status = check_children(&f, err);
        if (cli_has(args, "json"))
            report_json(&f, status, err, out);
        else if (!cli_has(args, "quiet"))
            report_text(&f, status, out);
    } else {
        signal_children(&f, SIGKILL, NULL);
        wait_for_all(&f);
    }
    for (size_t i = 0; i < f.count; i++) {
        tac__text_fini(&f.children[i].line);
        if (f.children[i].errors >= 0)
            close(f.children[i].errors);
        if (f.children[i].report >= 0)
            close(f.children[i].report);
    }
    free(f.children);
    cli_dispatch_close(&f.d);
    if (f.folder[0])
        (void)rmdir(f.folder);
    return status;
}

const cli_command cli_federate = {
    .name = "federate",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Run a simulation as a federation of processes on this machine.",
    .doc = "Start a server and all processes that section 'federation' of FILE names, and run them "
           "as one simulation. Where all processes have entities of FILE, the hash is that of "
           "'tactus run FILE'. What a process writes to standard error is shown with its name in "
           "front; each process records its own part.",
    .options = options,
    .run = federate,
};
