// relay.c - see relay.h.
#define _GNU_SOURCE // pipe2
#include "cli/relay.h"

#include "base/error.h"
#include "base/file.h"
#include "cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 1 << 16, // bytes that are read at once
    PIECES = 64,     // that are read after the end, at most
    LINE_MAX = 4096, // bytes of a line; a longer one is shown in several
    BATCH = 1 << 16, // bytes of lines that are written at once
};

typedef struct stream {
    const char *name; // NULL: a report
    int fd;           // -1: at its end
    size_t max, size; // of a report: bytes that are kept, and that came
    tac__text text;   // the report, or the part of a line
} stream;

struct cli_relay {
    stream *streams;
    struct pollfd *polled; // one for each stream, and one for the end
    size_t count, max;
    int stop[2]; // a pipe: closing its second end ends the thread
    bool running, bar;
    pthread_t thread;
    size_t batched;
    char batch[BATCH];
    char piece[PIECE];
};

cli_relay *cli_relay_create(size_t streams_max)
{
    cli_relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->stop[0] = r->stop[1] = -1;
    r->max = streams_max;
    r->streams = calloc(streams_max, sizeof *r->streams);
    r->polled = calloc(streams_max + 1, sizeof *r->polled);
    r->bar = cli_is_terminal();
    if (r->streams && r->polled)
        return r;
    cli_relay_destroy(r);
    return NULL;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void cli_relay_destroy(cli_relay *r)
{
    if (!r)
        return;
    cli_relay_stop(r);
    for (size_t i = 0; i < r->count; i++)
        tac__text_fini(&r->streams[i].text);
    free(r->streams);
    free(r->polled);
    free(r);
}

static stream *add(cli_relay *r, const char *name, int fd)
{
    TAC_ASSERT(r->count < r->max && !r->running);
    stream *s = &r->streams[r->count++];
    *s = (stream){.name = name, .fd = fd};
    tac__text_init(&s->text, tac_allocator_default());
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    return s;
}

void cli_relay_add_lines(cli_relay *r, const char *name, int fd)
{
    (void)add(r, name, fd);
}

size_t cli_relay_add_report(cli_relay *r, int fd, size_t max)
{
    add(r, NULL, fd)->max = max;
    return r->count - 1;
}

const tac__text *cli_relay_kept(const cli_relay *r, size_t i, size_t *size)
{
    *size = r->streams[i].size;
    return &r->streams[i].text;
}

// --- lines --------------------------------------------------------------------------------------

// What standard error does not take is lost: there is no other place to tell of it.
static void flush(cli_relay *r)
{
    if (r->batched)
        (void)!tac__write_all(STDERR_FILENO, r->batch, r->batched);
    r->batched = 0;
}

static void put(cli_relay *r, const char *text, size_t length)
{
    memcpy(r->batch + r->batched, text, length);
    r->batched += length;
}

static void show_line(cli_relay *r, stream *s)
{
    static const char erase[] = "\r\033[K"; // the bar of the progress, which is drawn again
    const size_t name = strnlen(s->name, LINE_MAX);
    if (r->batched + sizeof erase + name + 2 + s->text.length + 1 > BATCH)
        flush(r);
    if (r->bar)
        put(r, erase, sizeof erase - 1);
    put(r, s->name, name);
    put(r, ": ", 2);
    put(r, s->text.chars, s->text.length);
    put(r, "\n", 1);
    s->text.length = 0;
}

static void take_lines(cli_relay *r, stream *s, const char *bytes, size_t count)
{
    while (count && !s->text.failed) {
        const char *end = memchr(bytes, '\n', count);
        const size_t room = LINE_MAX - s->text.length;
        const size_t whole = end ? (size_t)(end - bytes) : count, n = whole < room ? whole : room;
        tac__text_bytes(&s->text, bytes, n);
        const bool ends = end && n == whole;
        bytes += n + ends;
        count -= n + ends;
        if (s->text.length && (ends || s->text.length == LINE_MAX))
            show_line(r, s);
    }
}

// --- reports ------------------------------------------------------------------------------------

static void take_report(stream *s, const char *bytes, size_t count)
{
    const size_t left = s->max > s->size ? s->max - s->size : 0;
    tac__text_bytes(&s->text, bytes, count < left ? count : left);
    s->size += count;
}

// --- the thread ---------------------------------------------------------------------------------

// Read one piece. False: there is none at present, or no more.
static bool read_piece(cli_relay *r, stream *s)
{
    ssize_t n;
    do
        n = read(s->fd, r->piece, sizeof r->piece);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        if (s->name)
            take_lines(r, s, r->piece, (size_t)n);
        else
            take_report(s, r->piece, (size_t)n);
        return true;
    }
    if (n == 0 || errno != EAGAIN)
        close_fd(&s->fd);
    if (s->fd < 0 && s->name && s->text.length)
        show_line(r, s);
    return false;
}

static void *relay(void *context)
{
    cli_relay *r = context;
    for (;;) {
        // poll takes no notice of descriptors that are -1.
        for (size_t i = 0; i < r->count; i++)
            r->polled[i] = (struct pollfd){.fd = r->streams[i].fd, .events = POLLIN};
        r->polled[r->count] = (struct pollfd){.fd = r->stop[0], .events = POLLIN};
        if (poll(r->polled, r->count + 1, -1) < 0 && errno != EINTR)
            return NULL;
        if (r->polled[r->count].revents)
            return NULL;
        for (size_t i = 0; i < r->count; i++) {
            if (r->polled[i].revents)
                (void)read_piece(r, &r->streams[i]);
        }
        flush(r);
    }
}

tac_status cli_relay_start(cli_relay *r, tac_error *err)
{
    sigset_t all, before;
    if (pipe2(r->stop, O_CLOEXEC) != 0)
        return tac__fail(err, TAC_E_FILE, "no pipe: %s", tac__errno_text(errno));
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the thread that runs the program
    const int code = pthread_create(&r->thread, NULL, relay, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    r->running = code == 0;
    return code == 0
               ? TAC_OK
               : tac__fail(err, TAC_E_MEMORY, "cannot start a thread: %s", tac__errno_text(code));
}

void cli_relay_stop(cli_relay *r)
{
    close_fd(&r->stop[1]);
    if (r->running)
        pthread_join(r->thread, NULL);
    r->running = false;
    close_fd(&r->stop[0]);
    for (size_t i = 0; i < r->count; i++) {
        stream *s = &r->streams[i];
        for (int k = 0; k < PIECES && s->fd >= 0 && read_piece(r, s); k++)
            continue;
        if (s->fd >= 0 && s->name && s->text.length)
            show_line(r, s);
        close_fd(&s->fd);
    }
    flush(r);
}
