// topics.c - which topics a .msg file is for: those of its lines "# TOPICS a b c", else the one of
// its name. To everything else such a line is a comment, so this reads files that do not parse.
#include "autopilot/px4/parse.h"

#include <string.h>

static const char mark[] = "# TOPICS ";

tac__uorb_topics tac__uorb_topics_begin(const char *bytes, size_t size)
{
    return (tac__uorb_topics){.at = bytes, .end = bytes + size};
}

// Whether a line of topics begins here; if so, moves behind its mark.
static bool enter(tac__uorb_topics *t)
{
    const size_t n = sizeof mark - 1;
    t->inside = (size_t)(t->end - t->at) >= n && !memcmp(t->at, mark, n);
    t->at += t->inside ? n : 0;
    return t->inside;
}

static bool next_line(tac__uorb_topics *t)
{
    const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
    t->at = newline ? newline + 1 : t->end;
    return t->at < t->end;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool tac__uorb_topics_next(tac__uorb_topics *t, char name[TAC__UORB_NAME])
{
    bool more = t->at < t->end;
    if (more && !t->inside)
        enter(t);
    while (more) {
        while (t->inside && t->at < t->end && is_space(*t->at))
            t->at++;
        size_t n = 0;
        for (; t->inside && t->at < t->end && !is_space(*t->at) && *t->at != '\n'; t->at++) {
            if (n < TAC__UORB_NAME)
                name[n++] = *t->at;
        }
        if (n > 0 && n < TAC__UORB_NAME) { // a longer name is no topic
            name[n] = '\0';
            return true;
        }
        if (n == 0) {
            more = next_line(t);
            enter(t);
        }
    }
    return false;
}

bool tac__uorb_topic_of(const char *type, char name[TAC__UORB_NAME])
{
    size_t n = 0;
    for (const char *c = type; *c; c++) {
        const bool capital = *c >= 'A' && *c <= 'Z';
        if (n + 2 >= TAC__UORB_NAME)
            return false;
        if (capital && c > type)
            name[n++] = '_';
        name[n++] = capital ? (char)(*c - 'A' + 'a') : *c;
    }
    name[n] = '\0';
    return n > 0;
}
