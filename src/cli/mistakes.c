// mistakes.c - see mistakes.h.
#include "cli/mistakes.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

static bool same_place(const tac_error *a, const tac_error *b)
{
    return a->line == b->line && a->column == b->column && !strcmp(a->file, b->file) &&
           (a->line || !strcmp(a->text, b->text));
}

// Whether `b` comes before `a`, which was found earlier.
static bool is_before(const tac_error *b, const tac_error *a)
{
    if (strcmp(a->file, b->file))
        return false;
    return b->line != a->line ? b->line < a->line : b->column < a->column;
}

// Where `mistake` belongs: directly behind the last one of its file that it does not precede.
static size_t find_position(const cli_mistakes *m, const tac_error *mistake)
{
    size_t at = m->count;
    while (at > 0 && strcmp(m->items[at - 1].file, mistake->file))
        at--;
    if (at == 0)
        return m->count;
    while (at > 0 && is_before(mistake, &m->items[at - 1]))
        at--;
    return at;
}

void cli_mistakes_add(void *context, const tac_error *mistake)
{
    cli_mistakes *m = context;
    m->told++;
    for (size_t i = 0; i < m->count; i++) {
        if (same_place(&m->items[i], mistake))
            return;
    }
    const size_t at = find_position(m, mistake);
    const bool full = m->count == CLI_MISTAKES_MAX;
    m->more += full;
    if (at == CLI_MISTAKES_MAX)
        return;
    memmove(&m->items[at + 1], &m->items[at], (m->count - full - at) * sizeof *m->items);
    m->items[at] = *mistake;
    m->count += !full;
}

void cli_mistakes_print(cli_mistakes *m, const tac_error *err)
{
    if (m->count)
        cli_mistakes_add(m, err);
    if (m->silent)
        return;
    if (m->count < 2) {
        cli_print_error(err);
        return;
    }
    for (size_t i = 0; i < m->count; i++)
        cli_print_error(&m->items[i]);
    if (m->more)
        fprintf(stderr, "%zu mistakes are shown, %s%zu more were found\n", m->count,
                m->told < TAC_MISTAKES_MAX ? "" : "at least ", m->more);
}

void cli_mistakes_json(cli_mistakes *m, const tac_error *err, tac__json *json)
{
    if (m->count)
        cli_mistakes_add(m, err);
    cli_json_error(json, "error", m->count ? &m->items[0] : err);
    if (m->count < 2)
        return;
    tac__json_key(json, "errors");
    tac__json_array_begin(json);
    for (size_t i = 0; i < m->count; i++)
        cli_json_error(json, NULL, &m->items[i]);
    tac__json_array_end(json);
}
