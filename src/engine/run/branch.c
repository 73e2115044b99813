// branch.c - the state of a checkpoint in an engine whose model is a little different.
//
// The rule: a branch must go on as a run of the changed model from the start would, as far as the
// checkpoint can tell. So the lines of both model texts are of three kinds:
//   structure   must be the same, in the same order
//   tunable     "param NAME = VALUE" of a parameter that the type has marked as tunable: the names
//               must be the same, the values may differ
//   events      parameters of lists of events (events.h), and routes of what their conditions see
// and the layouts of both (layout.h) must have the same boundaries and observers: a condition may
// look at a signal that it did not look at before only if that adds no boundary.
//
// The block is then put together part by part, by name; sources of time by their names; the states
// of components with events are made by those components.
#include "engine/run/branch.h"
#include "base/print.h"
#include "engine/plan/events.h"
#include "engine/plan/outside.h"
#include "engine/run/layout.h"
#include "engine/run/validate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 1024 };

typedef struct lines {
    char **items;
    size_t count;
} lines;

typedef struct old_part {
    size_t offset, size;
    bool used;
} old_part;

typedef struct key_value {
    const char *key, *value;
} key_value;

typedef struct event {
    key_value *keys;
    size_t count, capacity;
    const char *text; // "{at: 20 s, do: arm}", keys with their default values left out
    int other;        // its number in the other list
    int instead;      // number of the event that stands there in its place
} event;

typedef struct event_list {
    event *items;
    size_t count, capacity;
} event_list;

typedef struct branch {
    tac_engine *e;
    const tac__trunk *trunk;
    tac_error *err;
    tac__arena *arena; // scratch
    lines there, here; // the models
    old_part *parts;
    size_t part_count;
    tac__names part_names, source_names;
    size_t source_count;
    tac__names tunables;  // "uav.control.max_tilt", by the number of its component
    tac__names lists;     // "uav.scenario.events", the same
    tac__names listeners; // "uav.scenario", the same
    tac_place suspect;    // of the first event with a condition that the checkpoint does not have
} branch;

struct tac__past {
    branch *b;
    tac__component *component;
    event_list then, now;
};

// --- texts --------------------------------------------------------------------------------------

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

// Cut a text into its lines, in place.
static tac_status cut_lines(tac__arena *arena, char *text, lines *out)
{
    size_t count = 0;
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    out->items = tac__arena_array(arena, count + 1, sizeof *out->items);
    if (!out->items)
        return TAC_E_MEMORY;
    out->count = 0;
    for (char *c = text; *c;) {
        char *end = c + strcspn(c, "\n");
        out->items[out->count++] = c;
        c = end + (*end == '\n');
        *end = '\0';
    }
    return TAC_OK;
}

// The name in "param NAME = VALUE"; false where the line is another, or the name is too long.
static bool param_name(const char *line, char name[NAME_MAX_LENGTH], const char **value)
{
    const char *end = starts(line, "param ") ? strstr(line, " = ") : NULL;
    const char *begin = line + strlen("param ");
    if (!end || (size_t)(end - begin) >= NAME_MAX_LENGTH)
        return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    *value = end + 3;
    return true;
}

// The component of a list of events that a parameter belongs to, -1: none. `*number` and `*key` say
// to what of it: "uav.scenario.events[3].at", or "uav.scenario.events.at" of a list of one, is key
// `at` of event 3 or 0. "uav.scenario.events", their number, has no key.
static int event_param(const branch *b, const char *name, size_t *number, const char **key)
{
    char list[NAME_MAX_LENGTH];
    strcpy(list, name);
    char *bracket = strchr(list, '['), *dot = strrchr(list, '.');
    *key = NULL;
    *number = 0;
    const int whole = tac__names_find(&b->lists, list);
    if (whole >= 0)
        return whole;
    if (bracket) {
        const char *end;
        *bracket = '\0';
        *number = (size_t)tac__digits_parse(name + (bracket - list) + 1, &end, 10);
        if (end[0] != ']' || end[1] != '.')
            return -1;
        *key = end + 2;
    } else if (dot) {
        *dot = '\0';
        *key = name + (dot - list) + 1;
    }
    return tac__names_find(&b->lists, list);
}

// "route uav.scenario.watch3 from ...": what a condition of an event sees.
static bool is_event_route(const branch *b, const char *line)
{
    char name[NAME_MAX_LENGTH];
    const char *begin = line + strlen("route ");
    const char *end = starts(line, "route ") ? strstr(line, " from ") : NULL;
    if (!end || (size_t)(end - begin) >= sizeof name)
        return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    char *dot = strrchr(name, '.');
    if (!dot || !starts(dot, ".watch"))
        return false;
    *dot = '\0';
    return tac__names_find(&b->listeners, name) >= 0;
}

// "order uav.scenario": see compare_orders.
static bool is_event_order(const branch *b, const char *line)
{
    return starts(line, "order ") && tac__names_find(&b->listeners, line + strlen("order ")) >= 0;
}

static bool is_event_line(const branch *b, const char *line)
{
    char name[NAME_MAX_LENGTH];
    const char *value, *key;
    size_t number;
    return is_event_route(b, line) || is_event_order(b, line) ||
           (param_name(line, name, &value) && event_param(b, name, &number, &key) >= 0);
}

static bool is_tunable_line(const branch *b, const char *line)
{
    char name[NAME_MAX_LENGTH];
    const char *value;
    return param_name(line, name, &value) && tac__names_find(&b->tunables, name) >= 0;
}

// --- what may change ----------------------------------------------------------------------------

static tac_status add_name(branch *b, tac__names *names, uint32_t number, const char *first,
                           const char *second)
{
    const char *name = tac__arena_format(b->arena, "%s%s%s", first, *second ? "." : "", second);
    if (!name)
        return TAC_E_MEMORY;
    return tac__names_set(names, b->arena, name, number);
}

static tac_status list_changeable(branch *b)
{
    for (uint32_t i = 0; i < b->e->plan->component_count; i++) {
        const tac__component *c = b->e->plan->components[i];
        if (c->event_list) {
            TAC_TRY(add_name(b, &b->lists, i, c->name, c->event_list));
            TAC_TRY(add_name(b, &b->listeners, i, c->name, ""));
        }
        for (size_t k = 0; k < c->param_count; k++) {
            if (c->params[k].tunable)
                TAC_TRY(add_name(b, &b->tunables, i, c->name, c->params[k].name));
        }
    }
    return TAC_OK;
}

static tac_status add_change(branch *b, tac_change_kind kind, const char *component,
                             const char *name, const char *before, const char *after)
{
    tac_engine *e = b->e;
    tac__arena *arena = &e->memory;
    tac_change change = {kind, component, tac__arena_text(arena, name),
                         before ? tac__arena_text(arena, before) : NULL,
                         after ? tac__arena_text(arena, after) : NULL};
    if (!change.name || (before && !change.before) || (after && !change.after) ||
        !TAC__ARENA_GROW(arena, e->changes, e->change_count, e->change_capacity))
        return tac__fail_memory(b->err);
    e->changes[e->change_count++] = change;
    return TAC_OK;
}

// --- refusing -----------------------------------------------------------------------------------

// The component that a name begins with: "uav.control" of "uav.control.max_tilt".
static const tac__component *component_of(const branch *b, const char *name, const char **rest)
{
    char text[NAME_MAX_LENGTH];
    if (strlen(name) >= sizeof text)
        return NULL;
    strcpy(text, name);
    for (char *dot; (dot = strrchr(text, '.'));) {
        *dot = '\0';
        const tac__component *c = tac__find_component(b->e->plan, text);
        *rest = name + (dot - text) + 1;
        if (c)
            return c;
    }
    return NULL;
}

static const tac_place *place_of_param(const tac__component *c, const char *path)
{
    const tac_node *node = c->param_node ? tac__param_find(c->param_node, path) : NULL;
    return node && tac_node_place(node)->line ? tac_node_place(node) : &c->place;
}

// The place of an event, or of the first (TAC__NO_EVENT).
static const tac_place *place_of_event(const tac__component *c, int i)
{
    char path[NAME_MAX_LENGTH];
    tac__out out = tac__out_begin(path, sizeof path);
    tac__out_add(&out, "%s[%d]", c->event_list, i == TAC__NO_EVENT ? 0 : i);
    return place_of_param(c, path);
}

// The second word of a line; false where it is too long.
static bool second_word(const char *line, char word[NAME_MAX_LENGTH])
{
    const char *space = strchr(line, ' ');
    const size_t length = space ? strcspn(space + 1, " ") : 0;
    if (length == 0 || length >= NAME_MAX_LENGTH)
        return false;
    memcpy(word, space + 1, length);
    word[length] = '\0';
    return true;
}

// The input that "route COMPONENT.INPUT from ..." is about; NULL: there is none.
static const tac__input *input_of_route(const branch *b, const char *line)
{
    char name[NAME_MAX_LENGTH];
    const char *input;
    if (!starts(line, "route ") || !second_word(line, name))
        return NULL;
    const tac__component *c = component_of(b, name, &input);
    for (size_t i = 0; c && i < c->inputs.count; i++) {
        if (!strcmp(c->inputs.items[i].name, input))
            return &c->in[i];
    }
    return NULL;
}

// Does an event set what the route leads to?
static bool is_set_route(const branch *b, const char *line)
{
    const tac__input *in = input_of_route(b, line);
    return in && in->signal >= 0 &&
           b->e->plan->components[b->e->plan->schema.signals[in->signal].component]->event_list &&
           strstr(line, ".set_");
}

// Where in the configuration of the engine a line of its model comes from; NULL: nobody knows.
static const tac_place *place_of_line(const branch *b, const char *line)
{
    char name[NAME_MAX_LENGTH];
    const char *rest;
    if (param_name(line, name, &rest)) {
        const tac__component *c = component_of(b, name, &rest);
        return c ? place_of_param(c, rest) : NULL;
    }
    const tac__input *in = input_of_route(b, line);
    if (in)
        return &in->route->place;
    const tac__component *c = starts(line, "component ") && second_word(line, name)
                                  ? tac__find_component(b->e->plan, name)
                                  : NULL;
    return c ? &c->place : NULL;
}

// Lines that must be the same, as a text again.
static void add_structure(const branch *b, const lines *from, tac__text *out)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!is_event_line(b, from->items[i]) && !is_tunable_line(b, from->items[i]))
            tac__text_add(out, "%s\n", from->items[i]);
    }
}

static tac_status refuse_structure(branch *b, const char *there, const char *here)
{
    const tac__trunk *trunk = b->trunk;
    char old_name[NAME_MAX_LENGTH], new_name[NAME_MAX_LENGTH];
    const char *before, *after;
    if (there && here && param_name(there, old_name, &before) &&
        param_name(here, new_name, &after) && !strcmp(old_name, new_name)) {
        const char *rest;
        const tac__component *c = component_of(b, new_name, &rest);
        tac__fail_at(b->err, TAC_E_MISMATCH, place_of_line(b, here),
                     "'%s' cannot be continued with this value: parameter '%s' is %s there and %s "
                     "here, and it is not tunable; 'tactus help %s' shows those that are",
                     trunk->path, new_name, before, after, c ? c->type->name : "TYPE");
        return TAC_E_MISMATCH;
    }
    if (here && starts(here, "route ") && is_set_route(b, here))
        return tac__fail_at(b->err, TAC_E_MISMATCH, place_of_line(b, here),
                            "'%s' cannot be continued with these events: one of them sets a "
                            "parameter that no event set there, which adds a signal; continue with "
                            "another value of the parameter from a checkpoint at that time",
                            trunk->path);
    tac__fail_at(b->err, TAC_E_MISMATCH, here ? place_of_line(b, here) : NULL,
                 "'%s' was made by another model. What may not differ:\n", trunk->path);
    tac__text old, new, differences;
    tac__text_init(&old, b->e->allocator);
    tac__text_init(&new, b->e->allocator);
    tac__text_init(&differences, b->e->allocator);
    add_structure(b, &b->there, &old);
    add_structure(b, &b->here, &new);
    if (!old.failed && !new.failed)
        (void)tac__model_differences(old.chars ? old.chars : "", new.chars ? new.chars : "",
                                     &differences);
    tac__error_append(b->err, "%s", differences.chars ? differences.chars : "");
    tac__text_fini(&old);
    tac__text_fini(&new);
    tac__text_fini(&differences);
    return TAC_E_MISMATCH;
}

// --- comparing the models -----------------------------------------------------------------------

// Does the signal lead to an input by name, so that it began with what the input rests at?
static bool is_feed(const tac__component *writer, int signal)
{
    for (size_t i = 0; i < writer->outputs.count; i++) {
        if (writer->signals[i] == signal)
            return writer->outputs.items[i].peer;
    }
    return false;
}

// A parameter that events, phases or another program set while the run goes on has no value of its
// own any more.
static tac_status check_set(branch *b, const tac__component *c, const char *param, const char *line)
{
    for (size_t i = 0; i < c->param_count; i++) {
        const int input = c->params[i].input;
        if (strcmp(c->params[i].name, param) || input < 0 || c->in[input].signal < 0)
            continue;
        const tac__signal *s = &b->e->plan->schema.signals[c->in[input].signal];
        const tac__component *writer = b->e->plan->components[s->component];
        if (is_feed(writer, c->in[input].signal) || tac__is_outside(writer))
            return tac__fail_at(b->err, TAC_E_MISMATCH, place_of_line(b, line),
                                "parameter '%s' cannot have another value than in '%s': '%s' sets "
                                "it while the run goes on",
                                param, b->trunk->path, writer->name);
    }
    return TAC_OK;
}

static tac_status compare_tunable(branch *b, const char *there, const char *here)
{
    char old_name[NAME_MAX_LENGTH], new_name[NAME_MAX_LENGTH];
    const char *before, *after;
    (void)param_name(there, old_name, &before);
    (void)param_name(here, new_name, &after);
    if (strcmp(old_name, new_name))
        return refuse_structure(b, there, here);
    const tac__component *c = b->e->plan->components[tac__names_find(&b->tunables, new_name)];
    const char *param = new_name + strlen(c->name) + 1;
    TAC_TRY(check_set(b, c, param, here));
    return add_change(b, TAC_CHANGE_PARAMETER, c->name, param, before, after);
}

static tac_status compare_models(branch *b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < b->there.count && is_event_line(b, b->there.items[i]))
            i++;
        while (k < b->here.count && is_event_line(b, b->here.items[k]))
            k++;
        const char *there = i < b->there.count ? b->there.items[i] : NULL;
        const char *here = k < b->here.count ? b->here.items[k] : NULL;
        if (!there && !here)
            return TAC_OK;
        if (there && here && !strcmp(there, here))
            continue;
        if (!there || !here || !is_tunable_line(b, there) || !is_tunable_line(b, here))
            return refuse_structure(b, there, here);
        TAC_TRY(compare_tunable(b, there, here));
    }
}

// The place of a component in the order of a model; SIZE_MAX: it runs at no step.
static size_t order_of(const lines *model, const tac__component *c)
{
    for (size_t i = 0; i < model->count; i++) {
        if (starts(model->items[i], "order ") &&
            !strcmp(model->items[i] + strlen("order "), c->name))
            return i;
    }
    return SIZE_MAX;
}

// A condition that looks at another signal may move its component behind the writer of that signal.
// What matters is the order between the component and those that it is connected with otherwise.
static tac_status compare_order(branch *b, const tac__component *c)
{
    const tac_engine *e = b->e;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *reader = e->plan->components[i];
        for (size_t k = 0; k < reader->inputs.count; k++) {
            if (reader->in[k].signal < 0 || reader->inputs.items[k].peer)
                continue;
            const tac__component *writer =
                e->plan->components[e->plan->schema.signals[reader->in[k].signal].component];
            if (writer == reader || (reader != c && writer != c))
                continue;
            const bool before = order_of(&b->there, writer) < order_of(&b->there, reader);
            const bool now = order_of(&b->here, writer) < order_of(&b->here, reader);
            if (before != now)
                return tac__fail_at(b->err, TAC_E_MISMATCH, &c->place,
                                    "'%s' was made by another model: '%s' and '%s' run in another "
                                    "order",
                                    b->trunk->path, writer->name, reader->name);
        }
    }
    return TAC_OK;
}

// Only where an order differs at all.
static tac_status compare_orders(branch *b)
{
    bool differ = false;
    size_t i = 0, k = 0;
    for (; !differ; i++, k++) {
        while (i < b->there.count && !starts(b->there.items[i], "order "))
            i++;
        while (k < b->here.count && !starts(b->here.items[k], "order "))
            k++;
        if (i >= b->there.count || k >= b->here.count)
            break;
        differ = strcmp(b->there.items[i], b->here.items[k]);
    }
    for (size_t n = 0; differ && n < b->e->plan->component_count; n++) {
        if (b->e->plan->components[n]->event_list)
            TAC_TRY(compare_order(b, b->e->plan->components[n]));
    }
    return TAC_OK;
}

// --- events -------------------------------------------------------------------------------------

static tac_status add_key(branch *b, event_list *list, size_t number, const char *key,
                          const char *value)
{
    if (number > list->count) // they come in order
        return tac__fail(b->err, TAC_E_FORMAT, "'%s' is damaged: its events are not in order",
                         b->trunk->path);
    if (number == list->count) {
        if (!TAC__ARENA_GROW(b->arena, list->items, list->count, list->capacity))
            return tac__fail_memory(b->err);
        list->items[list->count++] = (event){.other = TAC__NO_EVENT, .instead = TAC__NO_EVENT};
    }
    event *e = &list->items[number];
    if (!TAC__ARENA_GROW(b->arena, e->keys, e->count, e->capacity))
        return tac__fail_memory(b->err);
    e->keys[e->count++] = (key_value){key, value};
    return TAC_OK;
}

// The events of all components, from the lines of a model.
static tac_status read_events(branch *b, const lines *model, bool now, tac__past *pasts)
{
    for (size_t i = 0; i < model->count; i++) {
        char name[NAME_MAX_LENGTH];
        const char *value, *key;
        size_t number;
        const int component =
            param_name(model->items[i], name, &value) ? event_param(b, name, &number, &key) : -1;
        if (component < 0 || !key)
            continue;
        tac__past *past = &pasts[component];
        key = tac__arena_text(b->arena, key);
        if (!key)
            return tac__fail_memory(b->err);
        TAC_TRY(add_key(b, now ? &past->now : &past->then, number, key, value));
    }
    return TAC_OK;
}

static const char *value_of(const event *e, const char *key)
{
    for (size_t i = 0; i < e->count; i++) {
        if (!strcmp(e->keys[i].key, key))
            return e->keys[i].value;
    }
    return "";
}

// What a key is where the file does not say it; NULL: it must be given.
static const char *default_of(const tac__component *probe, const char *list, const char *key)
{
    for (size_t i = 0; i < probe->param_count; i++) {
        const char *name = probe->params[i].name;
        const size_t n = strlen(list);
        if (!strncmp(name, list, n) && name[n] == '.' && !strcmp(name + n + 1, key))
            return probe->params[i].def.fallback ? probe->values[i] : NULL;
    }
    return NULL;
}

static tac_status describe_events(branch *b, const tac__component *probe, const char *list_name,
                                  event_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        event *e = &list->items[i];
        tac__text text;
        tac__text_init(&text, b->e->allocator);
        tac__text_add(&text, "{");
        for (size_t k = 0; k < e->count; k++) {
            const key_value *kv = &e->keys[k];
            const char *usual = default_of(probe, list_name, kv->key);
            if (!usual || strcmp(kv->value, usual))
                tac__text_add(&text, "%s%s: %s", text.length > 1 ? ", " : "", kv->key, kv->value);
        }
        tac__text_add(&text, "}");
        e->text = text.failed ? NULL : tac__arena_text(b->arena, text.chars);
        tac__text_fini(&text);
        if (!e->text)
            return tac__fail_memory(b->err);
    }
    return TAC_OK;
}

// Events with the same keys are the same; of several that are alike the first is the first.
static void match_events(event_list *then, event_list *now)
{
    for (size_t i = 0; i < then->count; i++) {
        for (size_t k = 0; k < now->count; k++) {
            if (now->items[k].other != TAC__NO_EVENT ||
                strcmp(then->items[i].text, now->items[k].text))
                continue;
            then->items[i].other = (int)k;
            now->items[k].other = (int)i;
            break;
        }
    }
}

// Events that stand at the same place between others that are the same were changed.
static tac_status list_event_changes(branch *b, tac__past *past)
{
    event_list *then = &past->then, *now = &past->now;
    const tac__component *c = past->component;
    size_t i = 0, k = 0;
    while (i < then->count || k < now->count) {
        event *old = i < then->count ? &then->items[i] : NULL;
        const event *new = k < now->count ? &now->items[k] : NULL;
        const bool removed = old && old->other == TAC__NO_EVENT;
        const bool added = new &&new->other == TAC__NO_EVENT;
        if (removed || added)
            TAC_TRY(add_change(b,
                               removed && added ? TAC_CHANGE_EVENT_CHANGED
                               : removed        ? TAC_CHANGE_EVENT_REMOVED
                                                : TAC_CHANGE_EVENT_ADDED,
                               c->name, c->event_list, removed ? old->text : NULL,
                               added ? new->text : NULL));
        if (removed && added)
            old->instead = (int)k;
        i += removed || !added;
        k += added || !removed;
    }
    return TAC_OK;
}

static tac_status compare_events(branch *b, tac__past *past)
{
    tac__component *c = past->component, *probe;
    // An instance that belongs to no engine has the default of every parameter.
    TAC_TRY(tac__declare(NULL, b->arena, c->type, c->type->name, 0, NULL, NULL, &probe, b->err));
    tac_status status = describe_events(b, probe, c->event_list, &past->then);
    if (status == TAC_OK)
        status = describe_events(b, probe, c->event_list, &past->now);
    if (c->type->close)
        c->type->close(probe->self);
    TAC_TRY(status);
    match_events(&past->then, &past->now);
    for (size_t i = 0; i < past->now.count && !b->suspect.line; i++) {
        const event *e = &past->now.items[i];
        if (e->other == TAC__NO_EVENT && *value_of(e, "when"))
            b->suspect = *place_of_event(c, (int)i);
    }
    return list_event_changes(b, past);
}

tac_time tac__past_time(const tac__past *past)
{
    return past->b->trunk->t_us;
}

tac__arena *tac__past_arena(const tac__past *past)
{
    return past->b->arena;
}

size_t tac__past_count(const tac__past *past)
{
    return past->then.count;
}

int tac__past_now(const tac__past *past, size_t i)
{
    return past->then.items[i].other;
}

int tac__past_then(const tac__past *past, size_t i)
{
    return i < past->now.count ? past->now.items[i].other : TAC__NO_EVENT;
}

int tac__past_instead(const tac__past *past, size_t i)
{
    return past->then.items[i].instead;
}

const char *tac__past_value(const tac__past *past, size_t i, const char *key)
{
    return value_of(&past->then.items[i], key);
}

const char *tac__past_text(const tac__past *past, size_t i)
{
    return past->then.items[i].text;
}

tac_status tac__past_state(const tac__past *past, const char *name, const uint64_t **words,
                           size_t *count)
{
    const branch *b = past->b;
    *words = NULL;
    *count = 0;
    const char *full =
        tac__arena_format(b->arena, "discrete state %s.%s", past->component->name, name);
    if (!full)
        return TAC_E_MEMORY;
    const int part = tac__names_find(&b->part_names, full);
    if (part < 0)
        return TAC_OK;
    const old_part *old = &b->parts[part];
    uint64_t *copy = tac__arena_alloc(b->arena, old->size);
    if (!copy)
        return TAC_E_MEMORY;
    memcpy(copy, b->trunk->block + old->offset, old->size); // which may lie anywhere
    *words = copy;
    *count = old->size / sizeof *copy;
    return TAC_OK;
}

tac_status tac__past_refuse(tac__past *past, int i, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    return tac__fail_at(past->b->err, TAC_E_MISMATCH, place_of_event(past->component, i),
                        "'%s' cannot be continued with these events: %s", past->b->trunk->path,
                        text);
}

// --- the block ----------------------------------------------------------------------------------

static tac_status damaged_layout(const branch *b)
{
    return tac__fail(b->err, TAC_E_FORMAT, "'%s' is damaged: its layout is not that of its state",
                     b->trunk->path);
}

// "part SIZE NAME": they lie one after another.
static tac_status read_part(branch *b, const char *line, size_t *offset)
{
    const char *end;
    const uint64_t size = tac__digits_parse(line, &end, 10);
    if (end == line || *end != ' ' || size % 8 || size > b->trunk->block_size - *offset)
        return damaged_layout(b);
    b->parts[b->part_count] = (old_part){.offset = *offset, .size = size};
    *offset += size;
    const uint32_t number = (uint32_t)b->part_count++;
    if (tac__names_set(&b->part_names, b->arena, end + 1, number) != TAC_OK)
        return tac__fail_memory(b->err);
    return TAC_OK;
}

// The boundaries and observers of this plan must be those of the checkpoint's.
static tac_status compare_plans(branch *b, const lines *there, const lines *here)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < there->count && !starts(there->items[i], "island ") &&
               !starts(there->items[i], "observer "))
            i++;
        while (k < here->count && !starts(here->items[k], "island ") &&
               !starts(here->items[k], "observer "))
            k++;
        const char *old = i < there->count ? there->items[i] : "",
                   *new = k < here->count ? here->items[k] : "";
        if (!*old && !*new)
            return TAC_OK;
        if (strcmp(old, new))
            return tac__fail_at(b->err, TAC_E_MISMATCH, &b->suspect,
                                "'%s' cannot be continued with these events: what their "
                                "conditions look at adds boundaries, which a run from the start "
                                "has before the checkpoint, too.\nthere: %s\nhere: %s",
                                b->trunk->path, *old ? old : "-", *new ? new : "-");
    }
}

static tac_status read_layout(branch *b)
{
    lines there, here;
    tac__text text;
    tac__text_init(&text, b->e->allocator);
    tac__layout_text(b->e, &text);
    char *copy = text.failed ? NULL : tac__arena_text(b->arena, text.chars);
    tac__text_fini(&text);
    char *layout = tac__arena_text(b->arena, b->trunk->layout);
    if (!copy || !layout || cut_lines(b->arena, copy, &here) != TAC_OK ||
        cut_lines(b->arena, layout, &there) != TAC_OK)
        return tac__fail_memory(b->err);
    b->parts = tac__arena_array(b->arena, there.count, sizeof *b->parts);
    if (!b->parts)
        return tac__fail_memory(b->err);
    size_t offset = 0;
    for (size_t i = 0; i < there.count; i++) {
        const char *line = there.items[i];
        if (starts(line, "part "))
            TAC_TRY(read_part(b, line + strlen("part "), &offset));
        if (starts(line, "source ") &&
            tac__names_set(&b->source_names, b->arena, line + strlen("source "),
                           (uint32_t)b->source_count++) != TAC_OK)
            return tac__fail_memory(b->err);
    }
    if (offset != b->trunk->block_size)
        return damaged_layout(b);
    return compare_plans(b, &there, &here);
}

// Does a part "WHAT COMPONENT" or "WHAT COMPONENT.NAME" belong to a component with events?
static bool belongs_to_events(const branch *b, const char *part, const char *what)
{
    char name[NAME_MAX_LENGTH];
    if (!starts(part, what) || strlen(part) >= sizeof name)
        return false;
    strcpy(name, part + strlen(what));
    if (tac__names_find(&b->listeners, name) >= 0)
        return true;
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    return tac__names_find(&b->listeners, name) >= 0;
}

// A part that lists the sources of time: each takes over what the source of its name had. Where
// conditions of events turn true is found again.
static tac_status copy_sources(branch *b, const tac__part *part, const old_part *old,
                               unsigned char *to, uint64_t rest)
{
    const tac_engine *e = b->e;
    if (old->size != b->source_count * sizeof(uint64_t))
        return damaged_layout(b);
    uint64_t *words = (uint64_t *)(void *)(to + part->offset);
    for (size_t i = 0; i < e->timeline.own; i++) {
        const tac__source *s = &e->timeline.sources[i];
        words[i] = rest;
        if (s->kind == TAC__SOURCE_CONDITION && e->plan->components[s->index]->event_list)
            continue;
        tac__text name;
        tac__text_init(&name, e->allocator);
        tac__source_name(e, i, &name);
        const bool failed = name.failed;
        const int from = failed ? -1 : tac__names_find(&b->source_names, name.chars);
        tac__text_fini(&name);
        if (from < 0)
            return failed ? tac__fail_memory(b->err) : damaged_layout(b);
        memcpy(&words[i], b->trunk->block + old->offset + (size_t)from * sizeof(uint64_t),
               sizeof(uint64_t));
    }
    return TAC_OK;
}

// Has the component stepped by now? Known where it has a rate group.
static bool has_stepped(const tac_engine *e, const tac__component *c, const unsigned char *block,
                        bool *known)
{
    const uint64_t *words = (const uint64_t *)(const void *)block;
    *known = c->axis_source >= 0;
    if (!*known)
        return false;
    const tac__source *s = &e->timeline.sources[c->axis_source];
    const size_t source = (size_t)c->axis_source;
    const uint64_t taken = words[e->plan->timeline_offsets[0] / 8 + source];
    const uint64_t next = words[e->plan->timeline_offsets[1] / 8 + source];
    return s->kind == TAC__SOURCE_AXIS ? next > s->offset_us : taken > 0;
}

static tac_status refuse_part(const branch *b, const char *part)
{
    return tac__fail_at(b->err, TAC_E_MISMATCH, &b->suspect,
                        "'%s' cannot be continued with these events: it has no '%s', which their "
                        "conditions need",
                        b->trunk->path, part);
}

// A part that the checkpoint does not have.
static tac_status make_part(const branch *b, const tac__part *part, unsigned char *to)
{
    const char *asked = "written ";
    char name[TAC__PART_NAME];
    tac__part_name(part, name);
    if (belongs_to_events(b, name, "input ") || belongs_to_events(b, name, "turns "))
        return TAC_OK; // an input is renewed before it is read; nothing has turned
    if (!starts(name, asked))
        return refuse_part(b, name);
    const tac__component *c = tac__find_component(b->e->plan, name + strlen(asked));
    bool known = false;
    const uint64_t written = c && has_stepped(b->e, c, to, &known);
    memcpy(to + part->offset, &written, sizeof written);
    return known ? TAC_OK : refuse_part(b, name);
}

static tac_status copy_part(branch *b, const tac__part *part, unsigned char *to)
{
    char name[TAC__PART_NAME];
    tac__part_name(part, name);
    if (belongs_to_events(b, name, "discrete state "))
        return TAC_OK; // made by the component
    const int number = tac__names_find(&b->part_names, name);
    if (number < 0)
        return make_part(b, part, to);
    old_part *old = &b->parts[number];
    old->used = true;
    if (!strcmp(name, "timeline taken"))
        return copy_sources(b, part, old, to, 0);
    if (!strcmp(name, "timeline next"))
        return copy_sources(b, part, old, to, TAC_TIME_NEVER);
    if (old->size != part->size)
        return refuse_part(b, name);
    memcpy(to + part->offset, b->trunk->block + old->offset, old->size);
    return TAC_OK;
}

// Sources first: other parts may follow from them.
static tac_status copy_block(branch *b, unsigned char *to)
{
    const tac__block *block = &b->e->plan->block;
    for (int sources = 1; sources >= 0; sources--) {
        for (size_t i = 0; i < block->run_count; i++) {
            if ((strcmp(block->parts[i].what, "timeline") == 0) == sources)
                TAC_TRY(copy_part(b, &block->parts[i], to));
        }
    }
    for (size_t i = 0; i < b->part_names.capacity; i++) {
        const tac__name *name = &b->part_names.table[i];
        if (name->text && !b->parts[name->number].used && starts(name->text, "digest "))
            return tac__fail(b->err, TAC_E_MISMATCH,
                             "'%s' was made by another model: digests were switched on or off",
                             b->trunk->path);
    }
    return TAC_OK;
}

// --- components ---------------------------------------------------------------------------------

// Open inputs read the values of parameters.
static void renew_rests(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0 && c->inputs.items[k].has_rest)
                *(double *)c->in[k].buffer = c->inputs.items[k].rest;
        }
    }
}

static tac_status carry_events(tac__past *past)
{
    branch *b = past->b;
    tac_engine *e = b->e;
    tac__component *c = past->component;
    tac_time wake_us = TAC_TIME_NEVER;
    tac__views_renew(&c->views, b->trunk->t_us);
    tac_instance *run = e->instances[c->index];
    run->hook.t_us = b->trunk->t_us;
    run->failed = TAC_OK;
    tac_error_clear(b->err);
    const tac_status status = c->carry(&run->hook, c->self, past, &wake_us);
    if (status != TAC_OK && b->err->status == TAC_OK)
        return tac__fail(b->err, status, "the events of '%s' cannot be continued: %s", c->name,
                         tac_status_text(status));
    TAC_TRY(status);
    if (wake_us <= b->trunk->t_us)
        return damaged_layout(b);
    if (c->timer_source >= 0)
        tac__timeline_set(&e->timeline, c->timer_source, wake_us);
    return TAC_OK;
}

static tac_status read_models(branch *b)
{
    tac__text text;
    tac__text_init(&text, b->e->allocator);
    tac__model_text(b->e, &text);
    char *here = text.failed ? NULL : tac__arena_text(b->arena, text.chars);
    tac__text_fini(&text);
    char *there = tac__arena_text(b->arena, b->trunk->model);
    if (!here || !there || cut_lines(b->arena, here, &b->here) != TAC_OK ||
        cut_lines(b->arena, there, &b->there) != TAC_OK || list_changeable(b) != TAC_OK)
        return tac__fail_memory(b->err);
    return TAC_OK;
}

static tac_status make_branch(branch *b)
{
    tac_engine *e = b->e;
    TAC_TRY(read_models(b));
    TAC_TRY(compare_models(b));
    TAC_TRY(compare_orders(b));
    tac__past *pasts = tac__arena_array(b->arena, e->plan->component_count, sizeof *pasts);
    unsigned char *block = tac__arena_alloc(b->arena, e->plan->block.run_size);
    if (!pasts || !block)
        return tac__fail_memory(b->err);
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (e->plan->components[i]->event_list)
            pasts[i] = (tac__past){.b = b, .component = e->plan->components[i]};
    }
    TAC_TRY(read_events(b, &b->there, false, pasts));
    TAC_TRY(read_events(b, &b->here, true, pasts));
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (pasts[i].b)
            TAC_TRY(compare_events(b, &pasts[i]));
    }
    TAC_TRY(read_layout(b));
    TAC_TRY(copy_block(b, block));
    TAC_TRY(tac__restore_block(e, block, false, NULL, b->err));
    if (!e->clock->started || e->clock->t_us != b->trunk->t_us)
        return tac__fail(b->err, TAC_E_FORMAT, "'%s' is damaged: it does not say when it was taken",
                         b->trunk->path);
    renew_rests(e);
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (pasts[i].b)
            TAC_TRY(carry_events(&pasts[i]));
    }
    return tac__validate(e, false, b->err);
}

tac_status tac__branch(tac_engine *e, const tac__trunk *trunk, tac_error *err)
{
    tac_error own;
    tac__arena arena;
    tac__arena_init(&arena, e->allocator);
    branch b = {.e = e, .trunk = trunk, .err = err ? err : &own, .arena = &arena};
    tac_error *outer = e->err;
    e->err = b.err;
    const tac_status status = make_branch(&b);
    e->err = outer;
    tac__arena_fini(&arena);
    return status;
}

size_t tac_engine_change_count(const tac_engine *e)
{
    return e ? e->change_count : 0;
}

tac_change tac_engine_change(const tac_engine *e, size_t i)
{
    static const tac_change none = {TAC_CHANGE_PARAMETER, "", "", NULL, NULL};
    return e && i < e->change_count ? e->changes[i] : none;
}
