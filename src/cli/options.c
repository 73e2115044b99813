// options.c - parses command lines, and prints the tables of options.
#include "cli/options.h"

#include <string.h>

// --- parsing ------------------------------------------------------------------------------------

const char *cli_option_alias(const cli_option *option)
{
    return option->letter != 'o'             ? NULL
           : !strcmp(option->name, "out")    ? "output"
           : !strcmp(option->name, "output") ? "out"
                                             : NULL;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && !memcmp(name, text, length);
}

static const cli_option *find(const cli_command *command, const char *name, size_t length)
{
    for (const cli_option *o = command->options; o->name; o++) {
        if (is_name(o->name, name, length) || is_name(cli_option_alias(o), name, length))
            return o;
    }
    return NULL;
}

static const cli_option *find_letter(const cli_command *command, char letter)
{
    for (const cli_option *o = command->options; o->name; o++) {
        if (o->letter == letter)
            return o;
    }
    return NULL;
}

static tac_status fail_unknown(const cli_command *command, const char *name, size_t length,
                               tac_error *err)
{
    char copy[TAC_ERROR_NAME];
    tac__out out = tac__out_begin(copy, sizeof copy);
    tac__out_add(&out, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1), name);
    tac__fail(err, TAC_E_USAGE, "unknown option '--%s'", copy);
    tac__nearest nearest = tac__nearest_begin(copy);
    for (const cli_option *o = command->options; o->name; o++) {
        tac__nearest_offer(&nearest, o->name);
        if (cli_option_alias(o))
            tac__nearest_offer(&nearest, cli_option_alias(o));
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean '--%s'?", nearest.best);
    return TAC_E_USAGE;
}

static void give(cli_args *args, const cli_option *option, const char *value)
{
    args->given[args->given_count++] = (cli_given){option, value};
}

// `--name`, `--name=value`, `--name value`. `next` is the argument after it, NULL if there is none;
// `*taken` tells whether it was used.
static tac_status take_long(cli_args *args, const char *text, const char *next, bool *taken,
                            tac_error *err)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const cli_option *o = find(args->command, text, length);
    if (!o)
        return fail_unknown(args->command, text, length, err);
    if (!o->value && equals)
        return tac__fail(err, TAC_E_USAGE, "option '--%s' takes no value", o->name);
    const char *value = equals ? equals + 1 : NULL;
    if (o->value && !o->optional && !equals) {
        if (!next)
            return tac__fail(err, TAC_E_USAGE, "option '--%s' needs a value: --%s %s", o->name,
                             o->name, o->value);
        value = next;
        *taken = true;
    }
    give(args, o, value);
    return TAC_OK;
}

// `-q`, `-qh`, `-oFILE`, `-o FILE`.
static tac_status take_short(cli_args *args, const char *text, const char *next, bool *taken,
                             tac_error *err)
{
    for (const char *c = text; *c; c++) {
        const cli_option *o = find_letter(args->command, *c);
        if (!o) {
            tac__fail(err, TAC_E_USAGE, "unknown option '-%c'", *c);
            if (find(args->command, text, strlen(text)))
                tac__error_append(err, "; did you mean '--%s'?", text);
            return TAC_E_USAGE;
        }
        if (!o->value) {
            give(args, o, NULL);
            continue;
        }
        const char *value = c[1] ? c + 1 : next;
        if (!value)
            return tac__fail(err, TAC_E_USAGE, "option '-%c' needs a value: -%c %s", *c, *c,
                             o->value);
        *taken = !c[1];
        give(args, o, value);
        break;
    }
    return TAC_OK;
}

static tac_status take_all(cli_args *args, int argc, char **argv, tac_error *err)
{
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool taken = false;
        if (only_operands || text[0] != '-' || !text[1])
            args->operands[args->operand_count++] = text;
        else if (!strcmp(text, "--"))
            only_operands = true;
        else if (text[1] == '-')
            TAC_TRY(take_long(args, text + 2, next, &taken, err));
        else
            TAC_TRY(take_short(args, text + 1, next, &taken, err));
        i += taken;
    }
    return TAC_OK;
}

// Add a hint to the help page of the command, or of the program.
static tac_status point_to_help(const cli_command *command, tac_status status, tac_error *err)
{
    if (status == TAC_E_USAGE)
        tac__error_context(err, "reading the command line; see 'tactus help%s%s'",
                           command->name[0] ? " " : "", command->name);
    return status;
}

tac_status cli_parse(const cli_command *command, int argc, char **argv, tac__arena *arena,
                     cli_args *args, tac_error *err)
{
    // "-qh" gives two options in one argument: there are at most as many options as characters.
    size_t most = 1;
    for (int i = 0; i < argc; i++)
        most += strlen(argv[i]) + 1;
    *args = (cli_args){.command = command};
    args->given = tac__arena_array(arena, most, sizeof *args->given);
    args->operands = tac__arena_array(arena, (size_t)argc + 1, sizeof *args->operands);
    if (!args->given || !args->operands)
        return tac__fail_memory(err);
    return point_to_help(command, take_all(args, argc, argv, err), err);
}

tac_status cli_check_operands(const cli_args *args, tac_error *err)
{
    const cli_command *c = args->command;
    tac_status status = TAC_OK;
    if (args->operand_count < c->operands_min)
        status = tac__fail(err, TAC_E_USAGE, "missing operand: tactus %s %s", c->name, c->operands);
    else if (args->operand_count > c->operands_max)
        status = tac__fail(err, TAC_E_USAGE, "unexpected argument '%s'",
                           args->operands[c->operands_max]);
    return point_to_help(c, status, err);
}

bool cli_has(const cli_args *args, const char *name)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (!strcmp(args->given[i].option->name, name))
            return true;
    }
    return false;
}

const char *cli_value(const cli_args *args, const char *name)
{
    for (size_t i = args->given_count; i-- > 0;) {
        if (!strcmp(args->given[i].option->name, name))
            return args->given[i].value;
    }
    return NULL;
}

// --- printing -----------------------------------------------------------------------------------

enum { WIDTH = 80, OPTION_INDENT = 26 };

void cli_wrap(tac__text *out, const char *text, size_t column, size_t indent)
{
    while (*text) {
        const size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            tac__text_bytes(out, "\n", 1);
            column = 0;
        }
        const size_t gap = column < indent ? indent - column : column > indent;
        tac__text_repeat(out, ' ', gap);
        tac__text_bytes(out, text, length);
        column += gap + length;
        text += length;
        if (!strncmp(text, "\n\n", 2)) {
            tac__text_bytes(out, "\n\n", 2);
            column = 0;
        }
        text += strspn(text, " \n");
    }
    tac__text_bytes(out, "\n", 1);
}

void cli_help_options(const cli_option *options, tac__text *out)
{
    for (const cli_option *o = options; o->name; o++) {
        const size_t start = out->length;
        if (o->letter)
            tac__text_add(out, "  -%c, --%s", o->letter, o->name);
        else
            tac__text_add(out, "      --%s", o->name);
        if (cli_option_alias(o))
            tac__text_add(out, ", --%s", cli_option_alias(o));
        if (o->value)
            tac__text_add(out, o->optional ? "[=%s]" : " %s", o->value);
        size_t column = out->length - start;
        if (column + 2 > OPTION_INDENT) {
            tac__text_bytes(out, "\n", 1);
            column = 0;
        }
        if (column < OPTION_INDENT)
            tac__text_repeat(out, ' ', OPTION_INDENT - column);
        cli_wrap(out, o->doc, OPTION_INDENT, OPTION_INDENT);
    }
}

void cli_help_command(const cli_command *command, tac__text *out)
{
    tac__text_add(out, "usage: tactus %s%s%s [OPTION...]\n\n", command->name,
                  command->operands[0] ? " " : "", command->operands);
    cli_wrap(out, command->doc, 0, 0);
    tac__text_add(out, "\noptions:\n");
    cli_help_options(command->options, out);
}
