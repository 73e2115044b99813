// part.c - makes the configuration of one process of a federation. See federation.h.
#include "config/federation.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- configurations of their own ----------------------------------------------------------------

tac_status tac__federation_load(const tac_config *c, size_t process, tac_config **own,
                                tac_error *err)
{
    const tac_process_info *p = &c->federation->processes[process];
    *own = NULL;
    if (c->untrusted)
        return tac__fail_at(err, TAC_E_FILE, &p->place,
                            "'%s' is not read: it is named in a recording", p->config);
    char duration[64];
    const char *const sets[] = {duration};
    snprintf(duration, sizeof duration, "duration=%" PRIu64 " us", tac_config_engine_def(c).end_us);
    tac_config_def def = tac_config_def_default();
    def.allocator = c->allocator;
    def.registry = c->registry;
    def.sets = sets;
    def.set_count = 1;
    def.variable = c->variables.lookup;
    def.variable_context = c->variables.context;
    def.closed_folder = c->closed_folder;
    def.mistake = c->mistake;
    def.mistake_context = c->mistake_context;
    const tac_status status = tac_config_load(p->config, &def, own, err);
    if (status == TAC_OK)
        return TAC_OK;
    tac__error_place(err, &p->place);
    tac__error_context(err, "reading the configuration of process '%s'", p->name);
    return status;
}

// --- links --------------------------------------------------------------------------------------

typedef struct part {
    tac_config *config; // of the process
    const tac__federation *f;
    size_t process;
    tac_node *links;
    tac_error *err;
} part;

static tac_node *add_link(const part *t, const char *from, const char *to)
{
    tac_document *doc = t->config->doc;
    tac_node *link = tac_node_map(doc, NULL);
    if (!link || tac_node_append(doc, t->links, link) != TAC_OK ||
        tac_node_set_text(doc, link, "from", from) != TAC_OK ||
        tac_node_set_text(doc, link, "to", to) != TAC_OK)
        return NULL;
    return link;
}

// Whether the process tells of what it sends from a port, by a link to outside of its own.
static bool leads_outside(const part *t, const char *port)
{
    for (size_t i = 0; i < tac_node_count(t->links); i++) {
        const tac_node *link = tac_node_item(t->links, i), *channel = tac_node_get(link, "channel");
        if (!strcmp(tac_node_text(tac_node_get(link, "to")), "outside") &&
            tac__glob_match(tac_node_text(tac_node_get(link, "from")), port) &&
            (!channel || !strcmp(tac_node_text(channel), port)))
            return true;
    }
    return false;
}

// Of all links that lead from a port to other processes there is one to outside. Its delay is the
// least: which link takes how long is known to the program that delivers.
static tac_status add_outlet(const part *t, const char *port)
{
    if (leads_outside(t, port))
        return TAC_OK;
    tac_time least_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < t->f->crossing_count; i++) {
        const tac_crossing_info *x = &t->f->crossings[i].info;
        if (x->from_process == t->process && !strcmp(x->from, port) && x->law->min_us < least_us)
            least_us = x->law->min_us;
    }
    char delay[32];
    snprintf(delay, sizeof delay, "%" PRIu64 " us", least_us);
    tac_node *link = add_link(t, port, "outside");
    if (!link || tac_node_set_text(t->config->doc, link, "delay", delay) != TAC_OK)
        return tac__fail_memory(t->err);
    return TAC_OK;
}

static tac_status add_inlet(const part *t, const tac__crossing *crossing)
{
    tac_node *link = add_link(t, "outside", crossing->info.to);
    char number[32];
    snprintf(number, sizeof number, "%zu", crossing->info.number);
    if (!link ||
        tac_node_set_text(t->config->doc, link, "channel", crossing->info.from) != TAC_OK ||
        (crossing->placed && tac_node_set_text(t->config->doc, link, "number", number) != TAC_OK) ||
        (crossing->first &&
         tac_node_set_text(t->config->doc, link, "steps_first", "true") != TAC_OK))
        return tac__fail_memory(t->err);
    return TAC_OK;
}

static tac_status add_links(part *t)
{
    tac_document *doc = t->config->doc;
    tac_node *root = tac_document_root(doc);
    t->links = tac__node_get_mutable(root, "links");
    if (!t->links || tac_node_is_null(t->links)) {
        t->links = tac_node_sequence(doc, tac_node_place(root));
        if (!t->links || tac_node_set(doc, root, "links", NULL, t->links) != TAC_OK)
            return tac__fail_memory(t->err);
    }
    for (size_t i = 0; i < t->f->crossing_count; i++) {
        const tac__crossing *x = &t->f->crossings[i];
        if (x->group)
            continue;
        if (x->info.from_process == t->process && !t->f->processes[t->process].command)
            TAC_TRY(add_outlet(t, x->info.from));
        if (x->info.to_process == t->process && !x->declared)
            TAC_TRY(add_inlet(t, x));
    }
    return TAC_OK;
}

// --- names --------------------------------------------------------------------------------------

static tac_status set_name(const part *t, const char *whole)
{
    tac_config *c = t->config;
    const char *name =
        tac__arena_format(&c->arena, "%s.%s", whole, t->f->processes[t->process].name);
    if (!name || tac_node_set_text(c->doc, tac_document_root(c->doc), "name", name) != TAC_OK)
        return tac__fail_memory(t->err);
    return TAC_OK;
}

// "out.mcap" becomes "out.NAME.mcap".
static tac_status rename_file(const part *t, tac_node *record, const char *key)
{
    const tac_node *node = record ? tac_node_get(record, key) : NULL;
    if (tac_node_is_null(node))
        return TAC_OK;
    tac_document *doc = t->config->doc;
    const char *path = tac_node_text(node), *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    const int stem = dot ? (int)(dot - path) : (int)strlen(path);
    const char *text = tac__arena_format(tac__document_arena(doc), "%.*s.%s%s", stem, path,
                                         t->f->processes[t->process].name, path + stem);
    tac_node *renamed = text ? tac_node_scalar(doc, text, tac_node_place(node)) : NULL;
    if (!renamed || tac_node_set(doc, record, key, tac_node_place(node), renamed) != TAC_OK)
        return tac__fail_memory(t->err);
    return TAC_OK;
}

static tac_status rename_files(const part *t)
{
    tac_node *record = tac__node_get_mutable(tac_document_root(t->config->doc), "record");
    if (tac_node_is_null(record))
        return TAC_OK;
    TAC_TRY(rename_file(t, record, "file"));
    return rename_file(t, record, "csv");
}

// --- entities of the whole ----------------------------------------------------------------------

typedef struct filter {
    const tac__federation *f;
    size_t process;
} filter;

static bool keep(const void *context, const tac_node *node)
{
    const filter *k = context;
    return node != k->f->node && tac__federation_has(k->f, k->process, node);
}

static tac_status copy_document(const tac_config *c, const part *t)
{
    const filter k = {t->f, t->process};
    t->config->doc = tac_document_create(c->allocator);
    tac_node *root = t->config->doc ? tac__node_copy_some(t->config->doc, c->doc,
                                                          tac_document_root(c->doc), keep, &k)
                                    : NULL;
    if (!root)
        return tac__fail_memory(t->err);
    tac_document_set_root(t->config->doc, root);
    return TAC_OK;
}

static tac_status copy_names(const tac_config *c, const part *t)
{
    tac_config *own = t->config;
    for (size_t i = 0; i < c->extended_count; i++) {
        if (!TAC__ARENA_GROW(&own->arena, own->extended, own->extended_count,
                             own->extended_capacity))
            return tac__fail_memory(t->err);
        const char *name = tac__arena_text(&own->arena, c->extended[i]);
        if (!name)
            return tac__fail_memory(t->err);
        own->extended[own->extended_count++] = name;
    }
    if (c->ignored_plugin &&
        !(own->ignored_plugin = tac__arena_text(&own->arena, c->ignored_plugin)))
        return tac__fail_memory(t->err);
    return TAC_OK;
}

static tac_status make_config(const tac_config *c, part *t)
{
    tac_config *own = c->allocator->resize(c->allocator->context, NULL, 0, sizeof *own);
    if (!own)
        return tac__fail_memory(t->err);
    *own = (tac_config){.allocator = c->allocator,
                        .registry = c->registry,
                        .variables = c->variables,
                        .untrusted = c->untrusted,
                        .closed_folder = c->closed_folder,
                        .mistake = c->mistake,
                        .mistake_context = c->mistake_context};
    memcpy(own->file_name, c->file_name, sizeof own->file_name);
    tac__arena_init(&own->arena, c->allocator);
    t->config = own;
    TAC_TRY(copy_names(c, t));
    return copy_document(c, t);
}

tac_status tac_config_part(tac_config *c, size_t process, tac_config **result, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(c && result);
    *result = NULL;
    TAC_TRY(tac__federation_divide(c, err));
    TAC_REQUIRE(process < c->federation->count);
    const tac_process_info *info = &c->federation->processes[process];
    if (info->command)
        return tac__fail_at(err, TAC_E_CONFIG, &info->place,
                            "process '%s' is a program and has no configuration", info->name);
    part t = {.f = c->federation, .process = process, .err = err};
    tac_status status =
        info->config ? tac__federation_load(c, process, &t.config, err) : make_config(c, &t);
    if (status == TAC_OK)
        status = add_links(&t);
    if (status == TAC_OK)
        status = set_name(&t, tac_config_name(c));
    if (status == TAC_OK)
        status = tac__federation_copy_groups(c, process, t.config, err);
    if (status == TAC_OK)
        status = rename_files(&t);
    if (status != TAC_OK)
        tac_config_destroy(t.config);
    else
        *result = t.config;
    return status;
}
