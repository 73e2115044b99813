// gnuplot.c - finding and running gnuplot.
//
// Script, picture and error messages go through unnamed files, so that neither side waits for the
// other and nothing has to be removed.
#include "cli/plot/gnuplot.h"
#include "base/error.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// --- finding it ----------------------------------------------------------------------------------

static bool is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

tac_status cli_gnuplot_find(tac__text *path, tac_error *err)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        path->length = 0;
        tac__text_bytes(path, length ? folders : ".", length ? length : 1);
        tac__text_add(path, "/gnuplot");
        if (path->failed)
            return tac__fail_memory(err);
        if (is_program(path->chars))
            return TAC_OK;
        folders += length + (folders[length] == ':');
    }
    return tac__fail(err, TAC_E_FILE,
                     "plots are drawn by gnuplot, and there is none in PATH; on Debian the package "
                     "is gnuplot-nox");
}

// --- running it ----------------------------------------------------------------------------------

typedef struct files {
    FILE *in, *out, *err; // of gnuplot
} files;

static bool open_files(files *f, const tac__text *script)
{
    *f = (files){tmpfile(), tmpfile(), tmpfile()};
    return f->in && f->out && f->err &&
           fwrite(script->chars, 1, script->length, f->in) == script->length &&
           fflush(f->in) == 0 && fseek(f->in, 0, SEEK_SET) == 0;
}

static void close_files(files *f)
{
    FILE *all[] = {f->in, f->out, f->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i])
            fclose(all[i]);
    }
}

static int spawn(const char *path, const files *f, pid_t *pid)
{
    // -d: without the user's settings file. The script is given as /dev/stdin because gnuplot reads
    // an unnamed standard input one byte at a time.
    char *const argv[] = {"gnuplot", "-d", "/dev/stdin", NULL};
    posix_spawn_file_actions_t actions;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    FILE *const to[] = {f->in, f->out, f->err};
    for (int fd = 0; fd < 3 && !reason; fd++)
        reason = posix_spawn_file_actions_adddup2(&actions, fileno(to[fd]), fd);
    if (!reason)
        reason = posix_spawn(pid, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

static void read_back(FILE *file, tac__text *text)
{
    char buffer[4096];
    size_t n;
    rewind(file);
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        tac__text_bytes(text, buffer, n);
}

// The last line of gnuplot's messages that is not empty and not a caret.
static tac_status fail_drawing(FILE *complaints, tac_error *err)
{
    char line[256], last[256] = "";
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t^")])
            memcpy(last, line, sizeof last);
    }
    return tac__fail(err, TAC_E_FILE, "gnuplot could not draw the plot%s%s", last[0] ? ": " : "",
                     last);
}

static tac_status run_and_wait(const char *path, const files *f, tac_error *err)
{
    pid_t pid;
    const int reason = spawn(path, f, &pid);
    if (reason)
        return tac__fail(err, TAC_E_FILE, "cannot run '%s': %s", path, tac__errno_text(reason));
    int how;
    while (waitpid(pid, &how, 0) < 0) {
        if (errno != EINTR)
            return tac__fail(err, TAC_E_FILE, "cannot wait for gnuplot: %s",
                             tac__errno_text(errno));
    }
    return WIFEXITED(how) && WEXITSTATUS(how) == 0 ? TAC_OK : fail_drawing(f->err, err);
}

tac_status cli_gnuplot_run(const char *path, const tac__text *script, tac__text *picture,
                           tac_error *err)
{
    if (script->failed)
        return tac__fail_memory(err);
    files f;
    tac_status status;
    if (open_files(&f, script))
        status = run_and_wait(path, &f, err);
    else
        status =
            tac__fail(err, TAC_E_FILE, "cannot write a temporary file: %s", tac__errno_text(errno));
    if (status == TAC_OK)
        read_back(f.out, picture);
    if (status == TAC_OK && picture->length == 0)
        status = picture->failed ? tac__fail_memory(err) : fail_drawing(f.err, err);
    close_files(&f);
    return status;
}

void cli_gnuplot_quote(tac__text *script, const char *text)
{
    tac__text_bytes(script, "'", 1);
    for (const char *c = text; *c; c++) {
        const unsigned char u = (unsigned char)*c;
        if (*c == '\'')
            tac__text_bytes(script, "''", 2);
        else
            tac__text_bytes(script, u < 0x20 || u == 0x7f ? " " : c, 1);
    }
    tac__text_bytes(script, "'", 1);
}
