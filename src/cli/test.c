// test.c - `tactus test FILE...`: run many simulations and say of each whether it did what is
// expected of it.
//
// Each file is run in a process of its own, so that one that crashes is one that failed. A process
// leaves its result in a temporary file: a line for the whole, and one for each expectation.
// Results are printed as soon as those of all files before are.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/pace.h"
#include "cli/progress.h"
#include "cli/report/verdict.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const cli_option options[] = {
    CLI_OPTION_SET,
    {.name = "jobs",
     .letter = 'j',
     .value = "N",
     .doc = "Run so many at once; by default as many as there are processors."},
    {.name = "junit", .value = "FILE", .doc = "Write the results as a JUnit XML file, too."},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

typedef enum outcome { PASSED, FAILED, SKIPPED } outcome;

typedef struct test {
    const char *path;
    pid_t pid; // 0: not started, or over
    FILE *file;
    int64_t begun_ns;
    bool over;
    double wall_s;
    outcome outcome;
    int signal;  // that ended the process; 0: none
    char *lines; // what the process left: "P text", then "P name<tab>text" an expectation
} test;

typedef struct session {
    const cli_args *args;
    test *tests;
    size_t count, jobs;
    size_t started, over, reported;
    size_t cases, failed_cases, number[3]; // of outcomes of files
    tac__text *out;                        // lines that are not printed yet
    bool held;                             // they go to --output, at the end
    tac__text suites;                      // of JUnit
    cli_progress progress;
} session;

// --- in the process of one file -----------------------------------------------------------------

static void put(FILE *file, char letter, const char *name, const char *text)
{
    fprintf(file, "%c %s%s", letter, name, *name ? "\t" : "");
    for (; *text; text++)
        fputc(*text == '\n' || *text == '\t' ? ' ' : *text, file);
    fputc('\n', file);
}

static tac_status run_file(cli_simulation *sim, tac_verdict **verdict, const cli_args *args,
                           const char *path, tac_error *err)
{
    TAC_TRY(cli_load_unprepared(sim, args, path, err));
    TAC_TRY(tac_config_verdict(sim->config, sim->engine, verdict, err));
    TAC_TRY(tac_engine_prepare(sim->engine, err));
    TAC_TRY(tac_verdict_begin(*verdict, err));
    tac_status status = tac_engine_run(sim->engine, TAC_TIME_MAX, err);
    tac_verdict_end(*verdict);
    if (status == TAC_E_STOPPED && cli_verdict_stopped(*verdict))
        status = TAC_OK;
    return status == TAC_OK ? cli_verdict_status(*verdict, err) : status;
}

static void put_results(FILE *file, const tac_verdict *verdict, tac_status status,
                        const tac_error *err)
{
    static const char letters[] = {
        [TAC_EXPECT_PASSED] = 'P', [TAC_EXPECT_FAILED] = 'F', [TAC_EXPECT_UNDECIDED] = 'F'};
    const size_t count = tac_verdict_count(verdict);
    const bool ran = status == TAC_OK || status == TAC_E_EXPECT;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    if (ran && count)
        cli_verdict_sum(verdict, &text);
    if (!ran && err->line)
        tac__text_add(&text, "%s:%u: ", err->file, (unsigned)err->line);
    if (!ran)
        tac__text_add(&text, "%s", err->text);
    const bool all = cli_verdict_number(verdict, TAC_EXPECT_PASSED) == count;
    put(file,
        status == TAC_E_UNNAMED ? 'S'
        : ran && all            ? 'P'
                                : 'F',
        "", text.length ? text.chars : "ran; nothing is expected of it");
    tac__text_fini(&text);
    for (size_t i = 0; ran && i < count; i++) {
        const tac_expectation x = tac_verdict_get(verdict, i);
        char *line = tac_verdict_print(verdict, i, TAC_FORMAT_TEXT);
        put(file, letters[x.outcome], x.name, line ? line : "");
        tac_text_free(line);
    }
}

static void run_process(const cli_args *args, const test *t)
{
    cli_simulation sim = {0};
    tac_verdict *verdict = NULL;
    tac_error err;
    tac_error_clear(&err);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it ends with the program
    // What components print does not belong to the results.
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(3);
    const tac_status status = run_file(&sim, &verdict, args, t->path, &err);
    put_results(t->file, verdict, status, &err);
    fflush(t->file);
    tac_verdict_destroy(verdict);
    cli_unload(&sim);
    _exit(0);
}

// --- all files ----------------------------------------------------------------------------------

static tac_status start(const cli_args *args, test *t, tac_error *err)
{
    t->file = tmpfile();
    t->begun_ns = cli_now_ns();
    fflush(NULL);
    t->pid = t->file ? fork() : -1;
    if (t->pid == 0)
        run_process(args, t);
    return t->pid > 0 ? TAC_OK : tac__fail(err, TAC_E_FILE, "a process cannot be started");
}

static void finish(session *s, test *t, int status)
{
    t->wall_s = (double)(cli_now_ns() - t->begun_ns) / 1e9;
    t->pid = 0;
    t->over = true;
    s->over++;
    const long size = fseek(t->file, 0, SEEK_END) == 0 ? ftell(t->file) : 0;
    t->lines = calloc(1, (size_t)size + 1);
    rewind(t->file);
    if (t->lines && size > 0 && fread(t->lines, 1, (size_t)size, t->file) != (size_t)size)
        t->lines[0] = '\0';
    fclose(t->file);
    t->file = NULL;
    t->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && t->lines && t->lines[0];
    t->outcome = !whole               ? FAILED
                 : t->lines[0] == 'P' ? PASSED
                 : t->lines[0] == 'S' ? SKIPPED
                                      : FAILED;
    if (!whole && t->lines)
        t->lines[0] = '\0';
}

// The next line of what a process left: its letter, its name ("" of the whole) and its text.
static bool next_line(char **at, char *letter, char **name, char **text)
{
    char *line = *at;
    if (!line || !*line)
        return false;
    char *end = strchr(line, '\n');
    *at = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    *letter = line[0];
    *name = line[0] && line[1] ? line + 2 : line;
    *text = strchr(*name, '\t');
    if (*text)
        *(*text)++ = '\0';
    else
        *text = *name;
    return true;
}

// --- results ------------------------------------------------------------------------------------

static void add_xml(tac__text *out, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const char *entity = c == '<'   ? "&lt;"
                             : c == '>' ? "&gt;"
                             : c == '&' ? "&amp;"
                             : c == '"' ? "&quot;"
                             : c < ' '  ? "?"
                                        : NULL;
        if (entity)
            tac__text_add(out, "%s", entity);
        else
            tac__text_bytes(out, text, 1);
    }
}

// The rest of the element of a suite, or of all of them.
static void add_counts(tac__text *out, size_t tests, size_t failures, size_t skipped, double wall_s)
{
    tac__text_add(out,
                  "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
                  tests, failures, skipped, wall_s);
}

static void add_case(tac__text *out, const test *t, const char *name, outcome o, const char *text)
{
    static const char *const elements[] = {"", "failure", "skipped"};
    tac__text_add(out, "    <testcase classname=\"");
    add_xml(out, t->path);
    tac__text_add(out, "\" name=\"");
    add_xml(out, name);
    tac__text_add(out, "\" time=\"%.3f\"", t->wall_s);
    if (o == PASSED) {
        tac__text_add(out, "/>\n");
        return;
    }
    tac__text_add(out, "><%s message=\"", elements[o]);
    add_xml(out, text);
    tac__text_add(out, "\"/></testcase>\n");
}

// One line for the file, and one for each expectation that was not met; and its cases of JUnit.
static void report(session *s, test *t)
{
    static const char *const words[] = {"passed", "failed", "skipped"};
    char *at = t->lines, letter, *name, *text, ended[80];
    if (!next_line(&at, &letter, &name, &text)) {
        snprintf(ended, sizeof ended, "its process ended before the run was over");
        if (t->signal)
            snprintf(ended, sizeof ended, "its process was ended by signal %d", t->signal);
        text = ended;
    }
    s->number[t->outcome]++;
    tac__text_add(s->out, "%-7s  %s  %.2f s  %s\n", words[t->outcome], t->path, t->wall_s, text);
    tac__text cases;
    tac__text_init(&cases, tac_allocator_default());
    size_t count = 0, failures = 0;
    const char *whole = text;
    while (next_line(&at, &letter, &name, &text)) {
        const outcome o = letter == 'P' ? PASSED : FAILED;
        if (o != PASSED)
            tac__text_add(s->out, "           %s: %s\n", name, text);
        add_case(&cases, t, name, o, text);
        count++;
        failures += o == FAILED;
    }
    if (!count) {
        add_case(&cases, t, "runs", t->outcome, whole);
        count = 1;
        failures = t->outcome == FAILED;
    }
    tac__text_add(&s->suites, "  <testsuite name=\"");
    add_xml(&s->suites, t->path);
    add_counts(&s->suites, count, failures, t->outcome == SKIPPED, t->wall_s);
    tac__text_add(&s->suites, "%s  </testsuite>\n", cases.chars ? cases.chars : "");
    s->suites.failed |= cases.failed;
    s->cases += count;
    s->failed_cases += failures;
    tac__text_fini(&cases);
}

// Prints what is ready: results of files before which all others are over.
static tac_status report_ready(session *s, tac_error *err)
{
    for (; s->reported < s->count && s->tests[s->reported].over; s->reported++)
        report(s, &s->tests[s->reported]);
    if (s->held || !s->out->length)
        return TAC_OK;
    cli_progress_hide(&s->progress);
    const tac_status status = cli_write_stdout(s->out, err);
    s->out->length = 0;
    return status;
}

static tac_status write_junit(session *s, double wall_s, tac_error *err)
{
    const char *path = cli_value(s->args, "junit");
    if (!path)
        return TAC_OK;
    tac__text xml;
    tac__text_init(&xml, tac_allocator_default());
    tac__text_add(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tactus");
    add_counts(&xml, s->cases, s->failed_cases, s->number[SKIPPED], wall_s);
    tac__text_add(&xml, "%s</testsuites>\n", s->suites.chars ? s->suites.chars : "");
    xml.failed |= s->suites.failed;
    const tac_status status = cli_write_file(path, &xml, err);
    tac__text_fini(&xml);
    return status;
}

// --- all of them --------------------------------------------------------------------------------

static void show_progress(session *s)
{
    char text[256];
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "%zu of %zu", s->over, s->count);
    const int64_t now = cli_now_ns();
    for (size_t i = s->reported; i < s->started; i++) {
        const test *t = &s->tests[i];
        if (t->pid)
            tac__out_add(&out, "  %s %.0f s", t->path, (double)(now - t->begun_ns) / 1e9);
    }
    cli_progress_text(&s->progress, text);
}

// The next process that has ended; on a terminal, progress is shown until then. 0: there is none.
static pid_t wait_for_any(session *s, int *status)
{
    const struct timespec second = {.tv_sec = 1};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD); // blocked: see run_all
    for (;;) {
        show_progress(s);
        const pid_t pid = waitpid(-1, status, s->progress.on ? WNOHANG : 0);
        if (pid > 0)
            return pid;
        if (pid < 0 && errno != EINTR)
            return 0;
        sigtimedwait(&child, NULL, &second);
    }
}

static void stop_all(session *s)
{
    for (size_t i = 0; i < s->started; i++) {
        if (s->tests[i].pid)
            kill(s->tests[i].pid, SIGKILL);
    }
    int status;
    while (waitpid(-1, &status, 0) > 0 || errno == EINTR)
        ;
}

static tac_status run_next(session *s, tac_error *err)
{
    test *t = &s->tests[s->started];
    t->path = s->args->operands[s->started];
    TAC_TRY(start(s->args, t, err));
    s->started++;
    return TAC_OK;
}

static tac_status run_all(session *s, tac_error *err)
{
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    tac_status result = TAC_OK;
    while (result == TAC_OK && s->over < s->count) {
        if (s->started < s->count && s->started - s->over < s->jobs) {
            result = run_next(s, err);
            continue;
        }
        int status;
        const pid_t pid = wait_for_any(s, &status);
        if (!pid)
            result = tac__fail(err, TAC_E_FILE, "a process got lost");
        for (size_t i = s->reported; pid && i < s->started; i++) {
            if (s->tests[i].pid == pid)
                finish(s, &s->tests[i], status);
        }
        if (pid)
            result = report_ready(s, err);
    }
    cli_progress_hide(&s->progress);
    if (result != TAC_OK)
        stop_all(s);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}

static tac_status read_jobs(const cli_args *args, size_t *jobs, tac_error *err)
{
    const char *text = cli_value(args, "jobs");
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *jobs = processors > 0 ? (size_t)processors : 1;
    if (!text)
        return TAC_OK;
    const char *end;
    const double n = tac__number_parse(text, &end);
    if (end == text || *end || !(n >= 1 && n <= 1024) || n != (double)(size_t)n)
        return tac__fail(err, TAC_E_USAGE,
                         "option '--jobs' needs a whole number from 1 to 1024, not '%s'", text);
    *jobs = (size_t)n;
    return TAC_OK;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *output = cli_value(args, "output");
    session s = {.args = args,
                 .count = args->operand_count,
                 .out = out,
                 .held = output && !cli_is_stdout(output)};
    TAC_TRY(read_jobs(args, &s.jobs, err));
    for (size_t i = 0; i < s.count; i++)
        TAC_TRY(cli_reads(args, args->operands[i], err));
    TAC_TRY(cli_writes(args, cli_value(args, "junit"), "--junit", CLI_REPLACES, err));
    s.tests = calloc(s.count, sizeof *s.tests);
    if (!s.tests)
        return tac__fail_memory(err);
    tac__text_init(&s.suites, tac_allocator_default());
    cli_progress_begin(&s.progress, CLI_PROGRESS_AUTO, 0, 0);
    const int64_t begun_ns = cli_now_ns();
    tac_status status = run_all(&s, err);
    if (status == TAC_OK) {
        tac__text_add(out, "%zu passed, %zu failed, %zu skipped\n", s.number[PASSED],
                      s.number[FAILED], s.number[SKIPPED]);
        status = write_junit(&s, (double)(cli_now_ns() - begun_ns) / 1e9, err);
    }
    if (status == TAC_OK && s.number[FAILED])
        status = tac__fail(err, TAC_E_EXPECT, "%zu of %zu simulations failed", s.number[FAILED],
                           s.count);
    for (size_t i = 0; i < s.count; i++) {
        if (s.tests[i].file)
            fclose(s.tests[i].file);
        free(s.tests[i].lines);
    }
    free(s.tests);
    tac__text_fini(&s.suites);
    return status;
}

const cli_command cli_test = {
    .name = "test",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .summary = "Run simulations and judge them by what they expect.",
    .doc =
        "Run the simulation of each FILE, several at once, and say of each on one line whether "
        "it did what its 'expect' says, and how long it took: in the order of the files, each as "
        "soon as it is known. A file without expectations "
        "passes if it runs to its end. One that needs a library of PX4 is skipped where none "
        "is named. The exit code is 1 if any failed. Nothing is recorded.",
    .options = options,
    .run = run,
};
