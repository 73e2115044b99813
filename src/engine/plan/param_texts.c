// param_texts.c - parameters that are texts: one of several choices, lists of words, names that the
// user gives, files.
#include "engine/plan/given.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/node.h"

#include <stdio.h>
#include <string.h>

const char *tac_param_text(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    char buffer[TAC__GIVEN_TEXT];
    const char *text = tac__param_look_up(d, p, false, &g) ? tac__given_text(d, &g, 0, buffer) : "";
    char *copy = tac__arena_text(d->arena, text);
    if (!copy)
        tac__declare_no_memory(d);
    tac__param_record(d, p, "text", text, NULL);
    return copy ? copy : "";
}

static const char *choice_name(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

int tac_param_choice(tac_declare *d, const tac_param_def *p, const char *const *names)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    int value = 0;
    if (tac__param_look_up(d, p, false, &g)) {
        char buffer[TAC__GIVEN_TEXT];
        const char *text = tac__given_text(d, &g, 0, buffer);
        while (names[value] && strcmp(names[value], text))
            value++;
        if (!names[value]) {
            tac_error err;
            tac__fail(&err, TAC_E_NAME, "unknown choice '%s'; expected one of", text);
            for (int i = 0; names[i]; i++)
                tac__error_append(&err, "%s %s", i ? "," : "", names[i]);
            tac__error_suggest(&err, text, choice_name, names);
            tac__given_wrong(d, p, &g, 0, &err);
            value = 0;
        }
    }
    tac__param_record(d, p, "choice", names[value], names);
    return value;
}

static void record_words(tac_declare *d, const tac_param_def *p, const char *kind,
                         const char *const *words)
{
    tac__text text;
    tac__text_init(&text, d->arena->allocator);
    for (size_t i = 0; words[i]; i++)
        tac__text_add(&text, "%s%s", i ? ", " : "[", words[i]);
    tac__text_add(&text, words[0] ? "]" : "[]");
    if (text.failed)
        tac__declare_no_memory(d);
    else
        tac__param_record(d, p, kind, text.chars, NULL);
    tac__text_fini(&text);
}

// An empty list with room for so many words of a parameter. Too many are a mistake, and then there
// is room for none.
static const char **make_words(tac_declare *d, const tac_param_def *p, const tac__given *g,
                               size_t max, size_t *count)
{
    static const char *none[] = {NULL};
    if (*count > max) {
        tac_error err;
        tac__fail(&err, TAC_E_LIMIT, "expected at most %zu, found %zu", max, *count);
        tac__given_wrong(d, p, g, TAC__GIVEN_WHOLE, &err);
        *count = 0;
    }
    const char **words = tac__arena_array(d->arena, *count + 1, sizeof *words);
    if (!words) {
        tac__declare_no_memory(d);
        *count = 0;
    }
    return words ? words : none;
}

const char *const *tac_param_words(tac_declare *d, const tac_param_def *p, size_t max,
                                   size_t *count)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    *count = tac__param_look_up(d, p, true, &g) ? g.count : 0;
    const char **words = make_words(d, p, &g, max, count);
    for (size_t i = 0; i < *count; i++) {
        char buffer[TAC__GIVEN_TEXT];
        words[i] = tac__declare_own_text(d, tac__given_text(d, &g, i, buffer));
    }
    record_words(d, p, "words", words);
    return words;
}

// While a type is only described, one name stands for all.
const char *const *tac_param_names(tac_declare *d, const tac_param_def *p, size_t max,
                                   size_t *count)
{
    TAC__PARAM_KNOWN(p);
    const tac_node *node = tac__param_take(d, p->name);
    if (node && tac_node_kind_of(node) != TAC_NODE_MAP) {
        tac__param_wrong_kind(d, p, node, "expected a map of names");
        node = NULL;
    } else if (!node && !p->fallback) {
        tac__param_missing(d, p);
    }
    *count = d->plan ? tac_node_count(node) : 1;
    const char **names = make_words(d, p, &(tac__given){.node = node}, max, count);
    const size_t keys = *count;
    *count = 0;
    for (size_t i = 0; i < keys; i++) {
        if (!d->plan)
            names[(*count)++] = "NAME";
        else if (!tac_node_is_null(tac_node_item(node, i)))
            names[(*count)++] = tac__declare_own_text(d, tac_node_key(node, i));
    }
    record_words(d, p, "names", names);
    return names;
}

// --- files --------------------------------------------------------------------------------------

// The content of a file decides results, not where the file lies: the hash of the content is
// recorded. A file that cannot be read is reported by the code that needs it.
static void record_file(tac_declare *d, const tac_param_def *p, const char *path)
{
    enum { LIMIT = 1 << 28 };
    const tac_allocator *allocator = d->arena->allocator;
    char text[32] = "";
    char *bytes;
    size_t size;
    tac__shapes *shapes = d->plan ? &d->plan->shapes : NULL;
    // The vehicles of a swarm name the same file: it is read once.
    if (shapes && shapes->file && !strcmp(shapes->file, path)) {
        tac__param_record(d, p, "path", shapes->file_hash, NULL);
        return;
    }
    if (d->plan && *path && tac__file_read(path, LIMIT, allocator, &bytes, &size, NULL) == TAC_OK) {
        const uint64_t hash = tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, bytes, size));
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
        tac__file_free(allocator, bytes, size);
        shapes->file = path; // in the arena of the plan
        memcpy(shapes->file_hash, text, sizeof text);
    }
    tac__param_record(d, p, "path", text, NULL);
}

// "files/1/table.csv": below the folder of the file in which it is written.
static bool leads_below(const char *name)
{
    if (*name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return false;
    }
    return true;
}

// Rule for a path in the configuration of a recording that leads out of the recording. Nothing
// outside is opened: the path is reported, or counts as absent.
typedef enum outside_rule { OUTSIDE_REPORTED, OUTSIDE_ABSENT, ALWAYS_ABSENT } outside_rule;

static const char *path_of(tac_declare *d, const tac_param_def *p, outside_rule outside)
{
    tac__given g;
    char buffer[TAC__GIVEN_TEXT];
    const char *text = tac__param_look_up(d, p, false, &g) ? tac__given_text(d, &g, 0, buffer) : "";
    const char *file = g.node ? tac_node_place(g.node)->file : NULL;
    const char *untrusted = d->plan ? d->plan->def.untrusted : NULL;
    if (untrusted && file && !strcmp(file, untrusted)) {
        if (outside == ALWAYS_ABSENT)
            return "";
        if (!leads_below(text)) {
            if (outside == OUTSIDE_ABSENT)
                return "";
            (void)tac_declare_fail(d, p->name, "'%s' is not opened: it leads out of the recording",
                                   text);
            return "";
        }
    }
    const char *path = *text ? tac__path_beside(d->arena, file, text) : "";
    if (!path)
        tac__declare_no_memory(d);
    return path;
}

const char *tac_param_path(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    const char *path = path_of(d, p, OUTSIDE_REPORTED);
    if (path)
        record_file(d, p, path);
    return path ? path : "";
}

const char *tac_param_tool(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    const char *path = path_of(d, p, ALWAYS_ABSENT);
    tac__param_record(d, p, "tool", "", NULL);
    return path ? path : "";
}

const char *tac_param_folder(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    const char *path = path_of(d, p, OUTSIDE_ABSENT);
    tac__param_record(d, p, "folder", "", NULL);
    return path ? path : "";
}
