// recordings.c - spans of time, names of elements and values.
#include "cli/recordings.h"

#include <stdio.h>
#include <string.h>

tac_status cli_read_time(const cli_args *args, const char *option, cli_parse_fn *parse,
                         tac_time *t_us, tac_error *err)
{
    const char *text = cli_value(args, option);
    if (!text || parse(text, t_us, err) == TAC_OK)
        return TAC_OK;
    tac__error_context(err, "reading option '--%s'", option);
    return err->status;
}

tac_status cli_read_span(const cli_args *args, cli_span *span, tac_error *err)
{
    *span = (cli_span){0, TAC_TIME_NEVER};
    TAC_TRY(cli_read_time(args, "from", tac_time_parse, &span->from_us, err));
    TAC_TRY(cli_read_time(args, "to", tac_time_parse, &span->to_us, err));
    if (span->from_us > span->to_us)
        return tac__fail(err, TAC_E_USAGE, "--from %s is later than --to %s",
                         cli_value(args, "from"), cli_value(args, "to"));
    return TAC_OK;
}

tac_status cli_add_patterns(cli_patterns *p, const char *text, tac_error *err)
{
    for (const char *c = text;; c++) {
        const size_t length = strcspn(c, ",");
        if (length == 0)
            return tac__fail(err, TAC_E_USAGE,
                             "there is an empty pattern in '%s'; expected names or patterns of "
                             "signals with commas between them, as in \"battery.*,flight.phase\"",
                             text);
        if (!TAC__ARENA_GROW(p->arena, p->items, p->count, p->capacity))
            return tac__fail_memory(err);
        p->items[p->count] = tac__arena_format(p->arena, "%.*s", (int)length, c);
        if (!p->items[p->count++])
            return tac__fail_memory(err);
        c += length;
        if (!*c)
            return TAC_OK;
    }
}

const char *cli_value_name(const tac_type *type, double value)
{
    if (type->scalar == TAC_BOOL)
        return value != 0 ? "true" : "false";
    for (int i = 0; type->scalar == TAC_ENUM && type->labels && type->labels[i]; i++) {
        if (i == value)
            return type->labels[i];
    }
    return NULL;
}

const char *cli_last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

const char *cli_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
