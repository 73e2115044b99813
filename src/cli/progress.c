// progress.c - the progress bar on a terminal, and plain progress lines elsewhere.
#include "cli/progress.h"
#include "base/text.h"
#include "cli/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    BAR_NS = 100000000,     // between two bars
    WARM_UP_NS = 200000000, // before the first: a short run shows none
    BAR_MIN = 8,            // shortest bar worth drawing
    BAR_MAX = 40,
    LINE_MAX_TEXT = 256,
};
#define LINE_NS INT64_C(5000000000) // between two plain lines

bool cli_is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void cli_progress_begin(cli_progress *p, cli_progress_mode mode, tac_time start_us, tac_time end_us)
{
    const bool terminal = cli_is_terminal();
    const int64_t now = cli_now_ns();
    *p = (cli_progress){
        .on = mode == CLI_PROGRESS_ALWAYS || (mode == CLI_PROGRESS_AUTO && terminal),
        .bar = terminal,
        .start_us = start_us,
        .end_us = end_us,
        .begun_ns = now,
        .next_ns = now + (!terminal                     ? LINE_NS
                          : mode == CLI_PROGRESS_ALWAYS ? 0
                                                        : WARM_UP_NS),
    };
}

// --- the texts ----------------------------------------------------------------------------------

static size_t columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

static void print_left(tac__out *out, double seconds)
{
    if (seconds < 1e6) {
        const unsigned s = (unsigned)(seconds + 0.5);
        if (s < 60)
            tac__out_add(out, "%u s left", s);
        else if (s < 3600)
            tac__out_add(out, "%u:%02u left", s / 60, s % 60);
        else
            tac__out_add(out, "%u:%02u:%02u left", s / 3600, s / 60 % 60, s % 60);
    } else {
        tac__out_add(out, "%.0f days left", seconds / 86400);
    }
}

// Enough decimals for the number to change visibly in a run of this length.
static int decimals(tac_time end_us)
{
    return end_us < 10000000 ? 3 : end_us < 1000000000 ? 1 : 0;
}

typedef struct texts {
    double done;     // 0 to 1
    char amount[64]; // "12 %  1.2 of 10.0 s"
    char pace[64];   // "81.3x real time"
    char left[32];   // "3 s left"
} texts;

static texts make_texts(const cli_progress *p, tac_time t_us, int64_t now_ns)
{
    texts v;
    const tac_time whole = p->end_us - p->start_us, part = t_us - p->start_us;
    const double wall_s = (double)(now_ns - p->begun_ns) / 1e9;
    const double speed = wall_s > 0 ? tac_time_seconds(part) / wall_s : 0;
    v.done = whole ? (double)part / (double)whole : 1.0;
    const int digits = decimals(p->end_us);
    tac__out out = tac__out_begin(v.amount, sizeof v.amount);
    tac__out_add(&out, "%3u %%  %.*f of %.*f s", (unsigned)(100 * v.done), digits,
                 tac_time_seconds(t_us), digits, tac_time_seconds(p->end_us));
    out = tac__out_begin(v.pace, sizeof v.pace);
    tac__out_add(&out, "%.*fx real time", speed < 100 ? 1 : 0, speed);
    out = tac__out_begin(v.left, sizeof v.left);
    if (speed > 0)
        print_left(&out, tac_time_seconds(whole - part) / speed);
    return v;
}

// --- showing them -------------------------------------------------------------------------------

void cli_progress_text(cli_progress *p, const char *text)
{
    if (!p->on || !p->bar)
        return;
    // A line that is too long would wrap and could not be erased.
    fprintf(stderr, "\r%.*s\033[K", (int)columns() - 1, text);
    p->drawn = true;
}

static void draw_bar(cli_progress *p, const texts *v)
{
    char text[LINE_MAX_TEXT];
    tac__out out = tac__out_begin(text, sizeof text);
    const size_t width = columns();
    const size_t rest = strlen(v->amount) + strlen(v->pace) + strlen(v->left) + 8;
    size_t bar = width > rest ? width - rest : 0;
    bar = bar > BAR_MAX ? BAR_MAX : bar;
    if (bar >= BAR_MIN) {
        const size_t full = (size_t)(v->done * (double)bar);
        tac__out_add(&out, "[");
        for (size_t i = 0; i < bar; i++)
            tac__out_add(&out, "%c", i < full ? '=' : i == full ? '>' : ' ');
        tac__out_add(&out, "] ");
    }
    tac__out_add(&out, "%s  %s  %s", v->amount, v->pace, v->left);
    cli_progress_text(p, text);
}

void cli_progress_update(cli_progress *p, tac_time t_us)
{
    if (!p->on)
        return;
    const int64_t now = cli_now_ns();
    if (p->bar) {
        if (now < p->next_ns)
            return;
        const texts v = make_texts(p, t_us, now);
        draw_bar(p, &v);
        p->next_ns = now + BAR_NS;
        return;
    }
    const texts v = make_texts(p, t_us, now);
    const unsigned percent = (unsigned)(100 * v.done);
    if (now < p->next_ns && percent / 10 == p->shown_percent / 10)
        return;
    fprintf(stderr, "progress: %s  %s  %s\n", v.amount, v.pace, v.left);
    p->shown_percent = percent;
    p->next_ns = now + LINE_NS;
}

void cli_progress_hide(cli_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
