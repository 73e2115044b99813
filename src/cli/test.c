// test.c - `tactus test FILE...`: run many simulations and say of each whether it did what is
// expected of it.
//
// Each file is run in a process of its own, so that one that crashes is one that failed. A process
// leaves its result in a temporary file: a line for the whole, and one for each expectation.
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/pace.h"
#include "cli/report/report.h"
#include "cli/report/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
    double wall_s;
    outcome outcome;
    char *lines; // what the process left: "P text", then "P name<tab>text" an expectation
} test;

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
    tac_time t_us;
    const char *nan;
    if (status == TAC_E_STOPPED && tac_verdict_stopped(*verdict, &t_us, &nan))
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
    const bool px4 = !ran && strstr(err->text, "no library of PX4");
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    if (ran && count)
        cli_verdict_sum(verdict, &text);
    const bool all = cli_verdict_number(verdict, TAC_EXPECT_PASSED) == count;
    put(file,
        px4          ? 'S'
        : ran && all ? 'P'
                     : 'F',
        "",
        !ran          ? err->text
        : text.length ? text.chars
                      : "ran; nothing is expected of it");
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

static void finish(test *t, int status)
{
    t->wall_s = (double)(cli_now_ns() - t->begun_ns) / 1e9;
    t->pid = 0;
    const long size = fseek(t->file, 0, SEEK_END) == 0 ? ftell(t->file) : 0;
    t->lines = calloc(1, (size_t)size + 1);
    rewind(t->file);
    if (t->lines && size > 0 && fread(t->lines, 1, (size_t)size, t->file) != (size_t)size)
        t->lines[0] = '\0';
    fclose(t->file);
    t->file = NULL;
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && t->lines && t->lines[0];
    t->outcome = !whole               ? FAILED
                 : t->lines[0] == 'P' ? PASSED
                 : t->lines[0] == 'S' ? SKIPPED
                                      : FAILED;
    if (!whole && t->lines)
        t->lines[0] = '\0';
}

static tac_status run_all(const cli_args *args, test *tests, size_t jobs, tac_error *err)
{
    const size_t count = args->operand_count;
    tac_status result = TAC_OK;
    for (size_t next = 0, running = 0; next < count || running;) {
        if (next < count && running < jobs && result == TAC_OK) {
            tests[next].path = args->operands[next];
            result = start(args, &tests[next++], err);
            running += result == TAC_OK;
            continue;
        }
        if (!running)
            break;
        int status;
        const pid_t pid = wait(&status);
        for (size_t i = 0; i < next; i++) {
            if (pid > 0 && tests[i].pid == pid) {
                finish(&tests[i], status);
                running--;
            }
        }
        if (pid < 0)
            break;
    }
    return result;
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
static void report(test *t, tac__text *out, tac__text *xml)
{
    static const char *const words[] = {"passed", "failed", "skipped"};
    char *at = t->lines, letter, *name, *text;
    if (!next_line(&at, &letter, &name, &text)) {
        letter = 'F';
        text = (char *)"the process ended before the run was over";
    }
    tac__text_add(out, "%-7s  %s  %.2f s  %s\n", words[t->outcome], t->path, t->wall_s, text);
    tac__text cases;
    tac__text_init(&cases, tac_allocator_default());
    size_t count = 0, failures = 0;
    const char *whole = text;
    while (next_line(&at, &letter, &name, &text)) {
        const outcome o = letter == 'P' ? PASSED : FAILED;
        if (o != PASSED)
            tac__text_add(out, "           %s: %s\n", name, text);
        add_case(&cases, t, name, o, text);
        count++;
        failures += o == FAILED;
    }
    if (!count) {
        add_case(&cases, t, "runs", t->outcome, whole);
        count = 1;
        failures = t->outcome == FAILED;
    }
    tac__text_add(xml, "  <testsuite name=\"");
    add_xml(xml, t->path);
    tac__text_add(xml,
                  "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
                  count, failures, t->outcome == SKIPPED, t->wall_s);
    tac__text_add(xml, "%s  </testsuite>\n", cases.chars ? cases.chars : "");
    out->failed |= cases.failed;
    tac__text_fini(&cases);
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
    size_t jobs;
    TAC_TRY(read_jobs(args, &jobs, err));
    const size_t count = args->operand_count;
    test *tests = calloc(count, sizeof *tests);
    if (!tests)
        return tac__fail_memory(err);
    tac__text xml;
    tac__text_init(&xml, tac_allocator_default());
    tac__text_add(&xml,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tactus\">\n");
    tac_status status = run_all(args, tests, jobs, err);
    size_t number[3] = {0};
    for (size_t i = 0; status == TAC_OK && i < count; i++) {
        report(&tests[i], out, &xml);
        number[tests[i].outcome]++;
    }
    tac__text_add(&xml, "</testsuites>\n");
    if (status == TAC_OK) {
        tac__text_add(out, "%zu passed, %zu failed, %zu skipped\n", number[PASSED], number[FAILED],
                      number[SKIPPED]);
        const char *junit = cli_value(args, "junit");
        if (junit)
            status = cli_write_file(junit, &xml, err);
        if (status == TAC_OK && number[FAILED])
            status = tac__fail(err, TAC_E_EXPECT, "%zu of %zu simulations failed", number[FAILED],
                               count);
    }
    for (size_t i = 0; i < count; i++)
        free(tests[i].lines);
    free(tests);
    tac__text_fini(&xml);
    return status;
}

const cli_command cli_test = {
    .name = "test",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .summary = "Run simulations and judge them by what they expect.",
    .doc = "Run the simulation of each FILE, several at once, and say of each on one line whether "
           "it did what its 'expect' says, and how long it took. A file without expectations "
           "passes if it runs to its end. One that needs a library of PX4 is skipped where none "
           "is named. The exit code is 1 if any failed. Nothing is recorded.",
    .options = options,
    .run = run,
};
