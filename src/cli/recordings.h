// recordings.h - what the commands that read recordings share.
#ifndef TAC_CLI_RECORDINGS_H
#define TAC_CLI_RECORDINGS_H

#include "cli/options.h"

#include <tactus/record.h>

#define CLI_OPTION_FROM                                                                            \
    {                                                                                              \
        .name = "from", .value = "T", .doc = "Begin at T, as in \"10 s\"."                         \
    }
#define CLI_OPTION_TO                                                                              \
    {                                                                                              \
        .name = "to", .value = "T", .doc = "End at T, which is included."                          \
    }

// The value of an option, read by tac_time_parse or tac_period_parse; without the option `t_us` is
// not changed.
typedef tac_status cli_parse_fn(const char *text, tac_time *t_us, tac_error *err);
TAC_MUST_CHECK tac_status cli_read_time(const cli_args *args, const char *option,
                                        cli_parse_fn *parse, tac_time *t_us, tac_error *err);

typedef struct cli_span {
    tac_time from_us, to_us; // both included
} cli_span;

// From --from and --to; without them 0 and TAC_TIME_NEVER.
TAC_MUST_CHECK tac_status cli_read_span(const cli_args *args, cli_span *span, tac_error *err);

// Patterns of signals from a command line.
typedef struct cli_patterns {
    tac__arena *arena;
    const char **items;
    size_t count;
    TAC__CAPACITY(const char *) capacity;
} cli_patterns;

// Add those of one argument: one, or several with commas between them.
TAC_MUST_CHECK tac_status cli_add_patterns(cli_patterns *patterns, const char *text,
                                           tac_error *err);

// The label of a value of an enum or bool; NULL if it has none.
const char *cli_value_name(const tac_type *type, double value);

// The name of a signal without component and entity.
const char *cli_last_part(const char *name);

// The name of a file without its folder.
const char *cli_file_name(const char *path);

#endif
