// helper.c - see helper.h.
#define _GNU_SOURCE // pipe2
#include "cli/helper.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char NAME[] = "_helper";

static int given_count; // the command line of this process
static char **given;
static int report_fd = -1; // in a helper: the pipe to the first copy

// What a helper hands over, before the text of its report. Both copies are the same program, so the
// layout is the same.
typedef struct message {
    uint64_t length; // of the text
    tac_status status;
    bool output; // the report goes to the file of --output
    tac_error err;
    cli_mistakes mistakes;
} message;

// --- in a helper --------------------------------------------------------------------------------

void cli_helper_begin(int *argc, char ***argv)
{
    given_count = *argc;
    given = *argv;
    if (*argc < 4 || strcmp((*argv)[1], NAME) != 0)
        return;
    const char *end;
    const uint64_t fd = tac__digits_parse((*argv)[2], &end, 10);
    struct stat found;
    if (*end || fd <= STDERR_FILENO || fd > 65535 || fstat((int)fd, &found) != 0 ||
        !S_ISFIFO(found.st_mode))
        return;
    report_fd = (int)fd;
    (void)fcntl(report_fd, F_SETFD, FD_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM); // the helper ends with the process that waits for it
    (*argv)[2] = (*argv)[0];
    *argv += 2;
    *argc -= 2;
    cli_allocations_must_succeed();
}

bool cli_is_helper(void)
{
    return report_fd >= 0;
}

int cli_helper_end(tac_status status, const tac_error *err, const cli_mistakes *mistakes,
                   const char *output, const tac__text *out)
{
    static message m; // large
    m.status = out->failed ? TAC_E_MEMORY : status;
    m.err = *err;
    m.mistakes = *mistakes;
    m.output = output != NULL;
    m.length = out->length;
    fflush(stdout);
    signal(SIGPIPE, SIG_IGN); // there may be nobody left to tell
    const bool told = tac__write_all(report_fd, &m, sizeof m) &&
                      tac__write_all(report_fd, out->chars, out->length);
    return told ? 0 : 1;
}

// --- in the first copy --------------------------------------------------------------------------

static bool read_all(int fd, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = read(fd, (char *)bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

// The file of this program. Where its name has changed since it was started, the link of /proc
// still leads to it; without /proc there is the name that it was started by.
static const char *program(char path[TAC__PATH_MAX])
{
    static const char link[] = "/proc/self/exe";
    const ssize_t n = readlink(link, path, TAC__PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
    if (n > 0)
        return access(path, X_OK) == 0 ? path : link;
    const char *started = (const char *)getauxval(AT_EXECFN); // NOLINT: an address
    return started ? started : link;
}

static tac_status start(pid_t *child, int fd, tac_error *err)
{
    char number[24], path[TAC__PATH_MAX], name[sizeof NAME];
    char **argv = calloc((size_t)given_count + 3, sizeof *argv);
    if (!argv)
        return tac__fail_memory(err);
    snprintf(number, sizeof number, "%d", fd);
    memcpy(name, NAME, sizeof name);
    argv[0] = given[0];
    argv[1] = name;
    argv[2] = number;
    for (int i = 1; i < given_count; i++)
        argv[i + 2] = given[i];
    fflush(stdout);
    (void)fcntl(fd, F_SETFD, 0);
    const int failed = posix_spawn(child, program(path), NULL, NULL, argv, environ);
    free(argv);
    if (failed == ENOMEM)
        return tac__fail_memory(err);
    return failed ? tac__fail(err, TAC_E_LIBRARY, "cannot start the helper process: %s",
                              tac__errno_text(failed))
                  : TAC_OK;
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"}, {SIGINT, "SIGINT"},
        {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGTERM, "SIGTERM"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == number)
            return names[i].name;
    }
    return "a signal";
}

static tac_status fail_lost(const char *command, int how, tac_error *err)
{
    if (WIFEXITED(how) && WEXITSTATUS(how) == CLI_HELPER_STARVED)
        return tac__fail(err, TAC_E_MEMORY, "out of memory");
    if (WIFSIGNALED(how))
        return tac__fail(err, TAC_E_LIBRARY,
                         "the helper process of '%s' was ended by signal %d (%s); perhaps memory "
                         "ran out in a library",
                         command, WTERMSIG(how), signal_name(WTERMSIG(how)));
    return tac__fail(err, TAC_E_LIBRARY,
                     "the helper process of '%s' ended with exit code %d and without a result; "
                     "perhaps memory ran out in a library",
                     command, WEXITSTATUS(how));
}

static tac_status take(int fd, const message *m, tac__text *out, tac_error *err)
{
    char piece[65536];
    for (uint64_t left = m->length; left > 0;) {
        const size_t n = left < sizeof piece ? (size_t)left : sizeof piece;
        if (!read_all(fd, piece, n))
            return TAC_E_LIBRARY;
        tac__text_bytes(out, piece, n);
        left -= n;
    }
    return out->failed ? tac__fail_memory(err) : TAC_OK;
}

// Remove the temporary files of outputs that the helper has not finished.
static void sweep(const cli_args *args)
{
    static const char *const outputs[] = {"out", "output", "trajectory"};
    for (size_t i = 0; i < args->given_count; i++) {
        const cli_given *g = &args->given[i];
        for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
            if (g->value && !strcmp(g->option->name, outputs[k]))
                tac__output_sweep(g->value);
        }
    }
}

tac_status cli_helper_run(const cli_args *args, tac__text *out, tac_error *err)
{
    static message m;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return tac__fail(err, TAC_E_LIBRARY, "cannot start the helper process: %s",
                         tac__errno_text(errno));
    pid_t child;
    tac_status status = start(&child, ends[1], err);
    close(ends[1]);
    if (status != TAC_OK) {
        close(ends[0]);
        return status;
    }
    status = read_all(ends[0], &m, sizeof m) ? take(ends[0], &m, out, err) : TAC_E_LIBRARY;
    close(ends[0]);
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    if (status == TAC_E_LIBRARY) {
        tac__text_fini(out); // a part of a report
        sweep(args);
        return fail_lost(args->command->name, how, err);
    }
    if (status != TAC_OK)
        return status;
    *args->mistakes = m.mistakes;
    if (!m.output)
        *args->output = NULL;
    *err = m.err;
    return m.status;
}
