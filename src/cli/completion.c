// completion.c - `tactus completion SHELL`: a script that lets a shell complete command lines.
//
// Made from the tables of commands and options, so a new option is completed without further work.
#include "cli/commands.h"
#include "base/error.h"

#include <string.h>

static const cli_option options[] = {
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

// Is the value of an option, or an operand, the name of a file?
static bool is_file(const char *what)
{
    static const char *const names[] = {"FILE", "REC", "LIB", "DIR", "A B"};
    for (size_t i = 0; what && i < sizeof names / sizeof *names; i++) {
        if (strstr(what, names[i]))
            return true;
    }
    return false;
}

// Tell whether the value of an option is a pattern of signals.
static bool is_signal(const char *what)
{
    return what && !strcmp(what, "PATTERN");
}

// The first sentence of a text, with `escaped` characters behind a backslash. In single quotes,
// which `quote` stands for.
static void add_sentence(tac__text *out, const char *doc, const char *escaped, const char *quote)
{
    for (const char *c = doc; *c && !(*c == '.' && (c[1] == ' ' || !c[1])); c++) {
        if (*c == '\'')
            tac__text_add(out, "%s", quote);
        else if (strchr(escaped, *c))
            tac__text_add(out, "\\%c", *c);
        else
            tac__text_bytes(out, c, 1);
    }
}

static void add_commands(tac__text *out)
{
    for (size_t i = 0; cli_commands[i]; i++)
        tac__text_add(out, "%s%s", i ? " " : "", cli_commands[i]->name);
}

// --- bash ---------------------------------------------------------------------------------------

static void bash_words(const cli_option *o, tac__text *out)
{
    for (; o->name; o++) {
        tac__text_add(out, " --%s%s", o->name, o->optional ? "=" : "");
        if (cli_option_alias(o))
            tac__text_add(out, " --%s", cli_option_alias(o));
        if (o->letter)
            tac__text_add(out, " -%c", o->letter);
    }
}

static void write_bash(tac__text *out)
{
    tac__text_add(
        out, "# Completion of tactus for bash, made by 'tactus completion bash'.\n"
             "# Names of the signals of the first recording on the line; after a comma, too.\n"
             "_tactus_signals() {\n"
             "    local each word=$1 front=\n"
             "    case $word in *,*) front=${word%%,*}, word=${word##*,} ;; esac\n"
             "    for each in \"${COMP_WORDS[@]:2}\"; do\n"
             "        case $each in *.mcap)\n"
             "            local IFS=$'\\n'\n"
             "            COMPREPLY+=($(compgen -P \"$front\" -W \"$(\"${COMP_WORDS[0]}\" info "
             "\"$each\" --names 2>/dev/null)\" -- \"$word\"))\n"
             "            return ;;\n"
             "        esac\n"
             "    done\n"
             "}\n"
             "_tactus() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
             "options=\n"
             "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
             "    [ \"$word\" = = ] && before=${COMP_WORDS[COMP_CWORD-1]} word=\n"
             "    COMPREPLY=()\n"
             "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
             "        options='");
    add_commands(out);
    bash_words(cli_program.options, out);
    tac__text_add(out, "'\n"
                       "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                       "        return\n"
                       "    fi\n"
                       "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        tac__text_add(out, "    %s) options='", cli_commands[i]->name);
        bash_words(cli_commands[i]->options, out);
        tac__text_add(out, "' ;;\n");
    }
    tac__text_add(out, "    esac\n"
                       "    case ${COMP_WORDS[1]}:$before in\n"
                       "    export:--signals) _tactus_signals \"$word\"; return ;;\n"
                       "    esac\n"
                       "    case ${COMP_WORDS[1]}:$word in\n"
                       "    *:-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                       "    help:*) COMPREPLY=($(compgen -W '");
    add_commands(out);
    tac__text_add(out,
                  "' -- \"$word\")) ;;\n"
                  "    completion:*) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;\n"
                  "    *) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$word\"))\n"
                  "        [ \"${COMP_WORDS[1]}\" != plot ] || _tactus_signals \"$word\" ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -o filenames -F _tactus tactus\n");
}

// --- zsh ----------------------------------------------------------------------------------------

// `name` is a long name; NULL: the letter.
static void zsh_option(const cli_option *o, const char *name, tac__text *out)
{
    tac__text_add(out, " \\\n            '*");
    if (name)
        tac__text_add(out, "--%s", name);
    else
        tac__text_add(out, "-%c", o->letter);
    if (o->value)
        tac__text_add(out, !name ? "+" : o->optional ? "=-" : "=");
    tac__text_add(out, "[");
    add_sentence(out, o->doc, "[]\\", "'\\''");
    tac__text_add(out, "]");
    if (o->value)
        tac__text_add(out, "%s%s:%s", o->optional ? "::" : ":", o->value,
                      is_file(o->value)     ? "_files"
                      : is_signal(o->value) ? "_tactus_signals"
                                            : " ");
    tac__text_add(out, "'");
}

static void zsh_options(const cli_option *o, tac__text *out)
{
    for (; o->name; o++) {
        zsh_option(o, o->name, out);
        if (cli_option_alias(o))
            zsh_option(o, cli_option_alias(o), out);
        if (o->letter)
            zsh_option(o, NULL, out);
    }
}

static void write_zsh(tac__text *out)
{
    tac__text_add(out, "#compdef tactus\n"
                       "# Completion of tactus for zsh, made by 'tactus completion zsh'.\n"
                       "_tactus_signals() {\n"
                       "    local each\n"
                       "    compset -P '*,'\n"
                       "    for each in $words; do\n"
                       "        [[ $each == *.mcap ]] || continue\n"
                       "        compadd -- ${(f)\"$(_call_program names tactus info $each --names "
                       "2>/dev/null)\"}\n"
                       "        return\n"
                       "    done\n"
                       "}\n"
                       "_tactus() {\n"
                       "    local -a commands=(\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        tac__text_add(out, "        '%s:", cli_commands[i]->name);
        add_sentence(out, cli_commands[i]->summary, "\\:", "'\\''");
        tac__text_add(out, "'\n");
    }
    tac__text_add(out, "    )\n"
                       "    if (( CURRENT == 2 )); then\n"
                       "        _describe command commands\n"
                       "        _arguments");
    zsh_options(cli_program.options, out);
    tac__text_add(out, "\n        return\n"
                       "    fi\n"
                       "    local command=$words[2]\n"
                       "    shift words\n"
                       "    (( CURRENT-- ))\n"
                       "    case $command in\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *c = cli_commands[i];
        tac__text_add(out, "    %s)\n        _arguments", c->name);
        zsh_options(c->options, out);
        if (c == &cli_help)
            tac__text_add(out, " \\\n            '*:command:{_describe command commands}'");
        else if (c == &cli_completion)
            tac__text_add(out, " \\\n            ':shell:(bash zsh fish)'");
        else if (c == &cli_plot)
            tac__text_add(out, " \\\n            '*:file or signal:{_files; _tactus_signals}'");
        else if (is_file(c->operands))
            tac__text_add(out, " \\\n            '*:file:_files'");
        tac__text_add(out, "\n        ;;\n");
    }
    tac__text_add(out, "    esac\n"
                       "}\n"
                       "_tactus \"$@\"\n");
}

// --- fish ---------------------------------------------------------------------------------------

static void fish_options(const cli_option *o, const char *condition, tac__text *out)
{
    for (; o->name; o++) {
        tac__text_add(out, "complete -c tactus -n '%s' -l %s", condition, o->name);
        if (cli_option_alias(o))
            tac__text_add(out, " -l %s", cli_option_alias(o));
        if (o->letter)
            tac__text_add(out, " -s %c", o->letter);
        if (o->value && !o->optional)
            tac__text_add(out, is_file(o->value)     ? " -r -F"
                               : is_signal(o->value) ? " -x -a '(__tactus_signals)'"
                                                     : " -x");
        tac__text_add(out, " -d '");
        add_sentence(out, o->doc, "\\", "\\'");
        tac__text_add(out, "'\n");
    }
}

static void write_fish(tac__text *out)
{
    tac__text_add(out, "# Completion of tactus for fish, made by 'tactus completion fish'.\n"
                       "function __tactus_signals\n"
                       "    for each in (commandline -opc)\n"
                       "        string match -q '*.mcap' -- $each; or continue\n"
                       "        tactus info $each --names 2>/dev/null\n"
                       "        return\n"
                       "    end\n"
                       "end\n");
    fish_options(cli_program.options, "__fish_use_subcommand", out);
    for (size_t i = 0; cli_commands[i]; i++) {
        const cli_command *c = cli_commands[i];
        char condition[128];
        tac__out text = tac__out_begin(condition, sizeof condition);
        tac__out_add(&text, "__fish_seen_subcommand_from %s", c->name);
        tac__text_add(out, "complete -c tactus -f -n '__fish_use_subcommand' -a %s -d '", c->name);
        add_sentence(out, c->summary, "\\", "\\'");
        tac__text_add(out, "'\n");
        fish_options(c->options, condition, out);
        if (c == &cli_help) {
            tac__text_add(out, "complete -c tactus -n '%s' -f -a '", condition);
            add_commands(out);
            tac__text_add(out, "'\n");
        }
        if (c == &cli_completion)
            tac__text_add(out, "complete -c tactus -n '%s' -f -a 'bash zsh fish'\n", condition);
        if (c == &cli_plot)
            tac__text_add(out, "complete -c tactus -n '%s' -a '(__tactus_signals)'\n", condition);
    }
}

// --- the command --------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*write)(tac__text *out);
} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (!strcmp(args->operands[0], shells[i].name)) {
            shells[i].write(out);
            return TAC_OK;
        }
    }
    return tac__fail(err, TAC_E_USAGE, "unknown shell '%s'; expected bash, zsh or fish",
                     args->operands[0]);
}

const cli_command cli_completion = {
    .name = "completion",
    .operands = "SHELL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Write a script for a shell that completes command lines.",
    .doc = "Write the script with which bash, zsh or fish completes commands, options, files "
           "and signals of recordings. "
           "Packages install it; otherwise `source <(tactus completion bash)` in ~/.bashrc has the "
           "same effect.",
    .options = options,
    .run = run,
};
