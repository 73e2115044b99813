// branch_models.c - finds how the model of a checkpoint and the model of an engine differ; see
// branch.c.
#include "engine/plan/find.h"
#include "engine/run/branch_inside.h"
#include "engine/plan/outside.h"

// --- texts --------------------------------------------------------------------------------------

tac_status tac__branch_cut(tac__arena *arena, char *text, tac__lines *out)
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

bool tac__branch_param(const char *line, char name[TAC__NAME_ROOM], const char **value)
{
    const char *end = tac__starts(line, "param ") ? strstr(line, " = ") : NULL;
    const char *begin = line + strlen("param ");
    if (!end || (size_t)(end - begin) >= TAC__NAME_ROOM)
        return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    *value = end + 3;
    return true;
}

int tac__branch_event(const tac__branching *b, const char *name, size_t *number, const char **key)
{
    char list[TAC__NAME_ROOM];
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

// Is the line "route uav.scenario.watch3 from ...", a signal that a condition of an event reads?
static bool is_event_route(const tac__branching *b, const char *line)
{
    char name[TAC__NAME_ROOM];
    const char *begin = line + strlen("route ");
    const char *end = tac__starts(line, "route ") ? strstr(line, " from ") : NULL;
    if (!end || (size_t)(end - begin) >= sizeof name)
        return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    char *dot = strrchr(name, '.');
    if (!dot || !tac__starts(dot, ".watch"))
        return false;
    *dot = '\0';
    return tac__names_find(&b->listeners, name) >= 0;
}

// Is the line "order uav.scenario"? See compare_orders.
static bool is_event_order(const tac__branching *b, const char *line)
{
    return tac__starts(line, "order ") &&
           tac__names_find(&b->listeners, line + strlen("order ")) >= 0;
}

static bool is_event_line(const tac__branching *b, const char *line)
{
    char name[TAC__NAME_ROOM];
    const char *value, *key;
    size_t number;
    return is_event_route(b, line) || is_event_order(b, line) ||
           (tac__branch_param(line, name, &value) &&
            tac__branch_event(b, name, &number, &key) >= 0);
}

static bool is_tunable_line(const tac__branching *b, const char *line)
{
    char name[TAC__NAME_ROOM];
    const char *value;
    return tac__branch_param(line, name, &value) && tac__names_find(&b->tunables, name) >= 0;
}

// --- what may change ----------------------------------------------------------------------------

static tac_status add_name(tac__branching *b, tac__names *names, uint32_t number, const char *first,
                           const char *second)
{
    const char *name = tac__arena_format(b->arena, "%s%s%s", first, *second ? "." : "", second);
    if (!name)
        return TAC_E_MEMORY;
    return tac__names_set(names, b->arena, name, number);
}

static tac_status list_changeable(tac__branching *b)
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

tac_status tac__branch_change(tac__branching *b, tac_change_kind kind, const char *component,
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
static const tac__component *component_of(const tac__branching *b, const char *name,
                                          const char **rest)
{
    char text[TAC__NAME_ROOM];
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

const tac_place *tac__branch_param_place(const tac__component *c, const char *path)
{
    const tac_node *node = c->param_node ? tac__param_find(c->param_node, path) : NULL;
    return node && tac_node_place(node)->line ? tac_node_place(node) : &c->place;
}

const tac_place *tac__branch_event_place(const tac__component *c, int i)
{
    char path[TAC__NAME_ROOM];
    tac__out out = tac__out_begin(path, sizeof path);
    tac__out_add(&out, "%s[%d]", c->event_list, i == TAC__NO_EVENT ? 0 : i);
    return tac__branch_param_place(c, path);
}

// The second word of a line; false where it is too long.
static bool second_word(const char *line, char word[TAC__NAME_ROOM])
{
    const char *space = strchr(line, ' ');
    const size_t length = space ? strcspn(space + 1, " ") : 0;
    if (length == 0 || length >= TAC__NAME_ROOM)
        return false;
    memcpy(word, space + 1, length);
    word[length] = '\0';
    return true;
}

// The input that "route COMPONENT.INPUT from ..." is about; NULL: there is none.
static const tac__input *input_of_route(const tac__branching *b, const char *line)
{
    char name[TAC__NAME_ROOM];
    const char *input;
    if (!tac__starts(line, "route ") || !second_word(line, name))
        return NULL;
    const tac__component *c = component_of(b, name, &input);
    for (size_t i = 0; c && i < c->inputs.count; i++) {
        if (!strcmp(c->inputs.items[i].name, input))
            return &c->in[i];
    }
    return NULL;
}

// Does an event set the input that the route leads to?
static bool is_set_route(const tac__branching *b, const char *line)
{
    const tac__input *in = input_of_route(b, line);
    return in && in->signal >= 0 &&
           b->e->plan->components[b->e->plan->schema.signals[in->signal].component]->event_list &&
           strstr(line, ".set_");
}

// Where in the engine's configuration a line of its model comes from; NULL: unknown.
static const tac_place *place_of_line(const tac__branching *b, const char *line)
{
    char name[TAC__NAME_ROOM];
    const char *rest;
    if (tac__branch_param(line, name, &rest)) {
        const tac__component *c = component_of(b, name, &rest);
        return c ? tac__branch_param_place(c, rest) : NULL;
    }
    const tac__input *in = input_of_route(b, line);
    if (in)
        return &in->route->place;
    const tac__component *c = tac__starts(line, "component ") && second_word(line, name)
                                  ? tac__find_component(b->e->plan, name)
                                  : NULL;
    return c ? &c->place : NULL;
}

// Collects the lines that must be the same, as a text.
static void add_structure(const tac__branching *b, const tac__lines *from, tac__text *out)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!is_event_line(b, from->items[i]) && !is_tunable_line(b, from->items[i]))
            tac__text_add(out, "%s\n", from->items[i]);
    }
}

static tac_status refuse_structure(tac__branching *b, const char *there, const char *here)
{
    const tac__trunk *trunk = b->trunk;
    char old_name[TAC__NAME_ROOM], new_name[TAC__NAME_ROOM];
    const char *before, *after;
    if (there && here && tac__branch_param(there, old_name, &before) &&
        tac__branch_param(here, new_name, &after) && !strcmp(old_name, new_name)) {
        const char *rest;
        const tac__component *c = component_of(b, new_name, &rest);
        tac__fail_at(b->err, TAC_E_MISMATCH, place_of_line(b, here),
                     "'%s' cannot be continued with this value: parameter '%s' is %s there and %s "
                     "here, and it is not tunable; 'tactus help %s' shows those that are",
                     trunk->path, new_name, before, after, c ? c->type->name : "TYPE");
        return TAC_E_MISMATCH;
    }
    if (here && tac__starts(here, "route ") && is_set_route(b, here))
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

// Is the signal a feed? Its first value is then the resting value of the input that it leads to.
static bool is_feed(const tac__component *writer, int signal)
{
    const size_t i = tac__signal_place(writer, signal);
    return i < writer->outputs.count && writer->outputs.items[i].peer;
}

// The value of a parameter that events, phases or another program set during the run is not in
// force any more, so it cannot be changed.
static tac_status check_set(tac__branching *b, const tac__component *c, const char *param,
                            const char *line)
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

static tac_status compare_tunable(tac__branching *b, const char *there, const char *here)
{
    char old_name[TAC__NAME_ROOM], new_name[TAC__NAME_ROOM];
    const char *before, *after;
    (void)tac__branch_param(there, old_name, &before);
    (void)tac__branch_param(here, new_name, &after);
    if (strcmp(old_name, new_name))
        return refuse_structure(b, there, here);
    const tac__component *c = b->e->plan->components[tac__names_find(&b->tunables, new_name)];
    const char *param = new_name + strlen(c->name) + 1;
    TAC_TRY(check_set(b, c, param, here));
    return tac__branch_change(b, TAC_CHANGE_PARAMETER, c->name, param, before, after);
}

static tac_status compare_models(tac__branching *b)
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

// The position of a component in the order of a model; SIZE_MAX: it never steps.
static size_t order_of(const tac__lines *model, const tac__component *c)
{
    for (size_t i = 0; i < model->count; i++) {
        if (tac__starts(model->items[i], "order ") &&
            !strcmp(model->items[i] + strlen("order "), c->name))
            return i;
    }
    return SIZE_MAX;
}

// A condition that reads another signal may move its component behind the writer of that signal.
// What matters is the order between the component and those that it is connected with otherwise.
static tac_status compare_order(tac__branching *b, const tac__component *c)
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

// Compares orders only where the two models have different ones.
static tac_status compare_orders(tac__branching *b)
{
    bool differ = false;
    size_t i = 0, k = 0;
    for (; !differ; i++, k++) {
        while (i < b->there.count && !tac__starts(b->there.items[i], "order "))
            i++;
        while (k < b->here.count && !tac__starts(b->here.items[k], "order "))
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

static tac_status read_models(tac__branching *b)
{
    tac__text text;
    tac__text_init(&text, b->e->allocator);
    tac__model_text(b->e, &text);
    char *here = text.failed ? NULL : tac__arena_text(b->arena, text.chars);
    tac__text_fini(&text);
    char *there = tac__arena_text(b->arena, b->trunk->model);
    if (!here || !there || tac__branch_cut(b->arena, here, &b->here) != TAC_OK ||
        tac__branch_cut(b->arena, there, &b->there) != TAC_OK || list_changeable(b) != TAC_OK)
        return tac__fail_memory(b->err);
    return TAC_OK;
}

tac_status tac__branch_models(tac__branching *b)
{
    TAC_TRY(read_models(b));
    TAC_TRY(compare_models(b));
    return compare_orders(b);
}
