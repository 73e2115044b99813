// declare.c - the declaring side of the component protocol: parameters, ports, states, streams.
//
// The first mistake is kept and reported when `declare` returns; after it, parameters read as their
// fallback or zero so that declaring can go on. Without an engine (to list what a type has) every
// parameter reads as its fallback.
#include "engine/plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tac_declare {
    tac_engine *engine; // NULL: only to learn what the type has
    tac__arena *arena;
    tac_instance *instance;
    const tac_node *params;
    bool *used; // per key of params
    tac_error error;
    bool failed;
};

static void keep(tac_declare *d, const tac_error *err)
{
    if (!d->failed)
        d->error = *err;
    d->failed = true;
}

static void no_memory(tac_declare *d)
{
    tac_error err;
    tac__fail_memory(&err);
    keep(d, &err);
}

// --- parameters -------------------------------------------------------------------------------

// What stands for a parameter: a list of scalars from the configuration or from the fallback.
typedef struct given {
    const tac_node *node; // NULL: from the fallback
    const char *fallback;
    size_t count;
    bool list;
} given;

static const tac_place *place_of(const given *g, size_t i)
{
    if (!g->node)
        return NULL;
    return tac_node_place(g->list ? tac_node_item(g->node, i) : g->node);
}

// The i-th scalar as text. Fallbacks are written as "1", "2 m" or "[1, 2, 3]".
static const char *text_of(const given *g, size_t i, char buffer[128])
{
    if (g->node)
        return tac_node_text(g->list ? tac_node_item(g->node, i) : g->node);
    const char *c = g->fallback + (*g->fallback == '[');
    for (; i > 0; i--)
        c = strchr(c, ',') + 1;
    while (*c == ' ')
        c++;
    size_t length = g->list ? strcspn(c, ",]") : strlen(c);
    length = length < 127 ? length : 127;
    memcpy(buffer, c, length);
    buffer[length] = '\0';
    return buffer;
}

// Texts of definitions may come from a buffer of the author's: keep a copy. NULL stays NULL.
static const char *keep_text(tac_declare *d, const char *text)
{
    if (!text)
        return NULL;
    const char *copy = tac__arena_text(d->arena, text);
    if (!copy)
        no_memory(d);
    return copy ? copy : "";
}

static void mistake(tac_declare *d, const tac_param_def *p, const tac_place *place, tac_error *err)
{
    tac__error_place(err, place);
    tac__error_context(err, "reading parameter '%s' of '%s'", p->name, d->instance->name);
    keep(d, err);
}

static void fail_param(tac_declare *d, const tac_param_def *p, const tac_place *place,
                       tac_status status, const char *text)
{
    tac_error err;
    tac__fail_at(&err, status, place, "%s", text);
    mistake(d, p, place, &err);
}

// Look a parameter up. False where there is nothing to read: missing, or not of the right form.
static bool look_up(tac_declare *d, const tac_param_def *p, bool may_list, given *g)
{
    *g = (given){.count = 1, .fallback = p->fallback};
    const size_t keys = d->params ? tac_node_count(d->params) : 0;
    for (size_t i = 0; i < keys; i++) {
        if (!strcmp(tac_node_key(d->params, i), p->name)) {
            d->used[i] = true;
            g->node = tac_node_item(d->params, i);
        }
    }
    if (g->node && tac_node_is_null(g->node))
        g->node = NULL;
    if (g->node) {
        const tac_node_kind kind = tac_node_kind_of(g->node);
        if (kind == TAC_NODE_SEQUENCE && may_list) {
            g->list = true;
            g->count = tac_node_count(g->node);
            for (size_t i = 0; i < g->count; i++) {
                if (tac_node_kind_of(tac_node_item(g->node, i)) == TAC_NODE_SCALAR)
                    continue;
                fail_param(d, p, place_of(g, i), TAC_E_TYPE, "expected a number in the list");
                return false;
            }
        } else if (kind != TAC_NODE_SCALAR) {
            fail_param(d, p, tac_node_place(g->node), TAC_E_TYPE,
                       kind == TAC_NODE_MAP ? "expected a value, found a map"
                                            : "expected a single value, found a list");
            return false;
        }
        return true;
    }
    if (!p->fallback) {
        if (d->engine) {
            tac_error err;
            tac__fail_at(&err, TAC_E_CONFIG, d->params ? tac_node_place(d->params) : NULL,
                         "parameter '%s' is missing%s%s", p->name, p->doc ? ": " : "",
                         p->doc ? p->doc : "");
            mistake(d, p, d->instance->place.line ? &d->instance->place : NULL, &err);
        }
        return false;
    }
    g->list = *p->fallback == '[';
    if (g->list) {
        g->count = p->fallback[1] == ']' ? 0 : 1;
        for (const char *c = p->fallback; *c; c++)
            g->count += *c == ',';
    }
    return true;
}

// Remember the parameter as read, for listings and the model hash.
static void record(tac_declare *d, const tac_param_def *p, const char *kind, const char *value,
                   const char *const *choices)
{
    tac_instance *c = d->instance;
    char *text = tac__arena_text(d->arena, value);
    if (!text || !TAC__ARENA_GROW(d->arena, c->params, c->param_count, c->param_capacity)) {
        no_memory(d);
        return;
    }
    const tac_param_def def = {keep_text(d, p->name), keep_text(d, p->unit),
                               keep_text(d, p->fallback), keep_text(d, p->range),
                               keep_text(d, p->doc)};
    c->params[c->param_count++] = (tac__param){def.name, text, def, kind, choices};
}

// "(0, 1]" and the like. False when the value lies outside.
static bool in_range(const char *range, double value)
{
    if (!isfinite(value))
        return false;
    if (!range)
        return true;
    const char *end;
    const double low = tac__number_parse(range + 1, &end);
    const double high = tac__number_parse(end + 1, &end);
    while (*end == ' ')
        end++;
    return (*range == '[' ? value >= low : value > low) &&
           (*end == ']' ? value <= high : value < high);
}

// What a faulty parameter reads as. Authors size arrays by it before they hear of the mistake.
static double fallback_number(const tac_param_def *p)
{
    double value = 0;
    if (!p->fallback || *p->fallback == '[' ||
        tac__quantity_parse(p->fallback, p->unit, &value, NULL) != TAC_OK)
        return 0;
    return value;
}

static double read_number(tac_declare *d, const tac_param_def *p, const given *g, size_t i)
{
    char buffer[128];
    const char *text = text_of(g, i, buffer);
    double value = 0;
    tac_error err;
    if (g->node && tac_node_quoted(g->list ? tac_node_item(g->node, i) : g->node) &&
        !strpbrk(text, "0123456789")) {
        fail_param(d, p, place_of(g, i), TAC_E_TYPE, "expected a number, found text");
        return fallback_number(p);
    }
    if (tac__quantity_parse(text, p->unit, &value, &err) != TAC_OK) {
        mistake(d, p, place_of(g, i), &err);
        return fallback_number(p);
    }
    if (!in_range(p->range, value)) {
        tac__fail(&err, TAC_E_RANGE, "%s is out of range; expected %s%s%s%s", text,
                  p->range ? "a value in " : "a finite number", p->range ? p->range : "",
                  p->unit ? " " : "", p->unit ? p->unit : "");
        mistake(d, p, place_of(g, i), &err);
        return fallback_number(p);
    }
    return value;
}

static void record_numbers(tac_declare *d, const tac_param_def *p, const char *kind,
                           const double *values, size_t count, bool list)
{
    tac__text text;
    tac__text_init(&text, d->arena->allocator);
    for (size_t i = 0; i < count; i++) {
        char number[TAC__NUMBER_TEXT];
        tac__number_print(values[i], number);
        tac__text_add(&text, "%s%s", i ? ", " : list ? "[" : "", number);
    }
    if (list)
        tac__text_add(&text, count ? "]" : "[]");
    if (text.failed || !text.chars)
        no_memory(d);
    else
        record(d, p, kind, text.chars, NULL);
    tac__text_fini(&text);
}

double tac_param_f64(tac_declare *d, const tac_param_def *p)
{
    given g;
    const double value = look_up(d, p, false, &g) ? read_number(d, p, &g, 0) : 0;
    record_numbers(d, p, "f64", &value, 1, false);
    return value;
}

void tac_param_array(tac_declare *d, const tac_param_def *p, double *values, size_t count)
{
    given g;
    memset(values, 0, count * sizeof *values);
    if (look_up(d, p, true, &g)) {
        if (g.list && g.count != count) {
            tac_error err;
            tac__fail(&err, TAC_E_TYPE, "expected %zu numbers, found %zu", count, g.count);
            mistake(d, p, g.node ? tac_node_place(g.node) : NULL, &err);
        } else {
            // A single value stands for all elements.
            for (size_t i = 0; i < count; i++)
                values[i] = read_number(d, p, &g, g.list ? i : 0);
        }
    }
    record_numbers(d, p, "array", values, count, true);
}

const double *tac_param_list(tac_declare *d, const tac_param_def *p, size_t max, size_t *count)
{
    given g;
    *count = 0;
    double *values = tac__arena_array(d->arena, max, sizeof *values);
    if (!values)
        no_memory(d);
    if (values && look_up(d, p, true, &g)) {
        if (g.count > max) {
            tac_error err;
            tac__fail(&err, TAC_E_LIMIT, "expected at most %zu numbers, found %zu", max, g.count);
            mistake(d, p, g.node ? tac_node_place(g.node) : NULL, &err);
        } else {
            for (size_t i = 0; i < g.count; i++)
                values[i] = read_number(d, p, &g, i);
            *count = g.count;
        }
    }
    record_numbers(d, p, "list", values, *count, true);
    return values;
}

int64_t tac_param_int(tac_declare *d, const tac_param_def *p)
{
    given g;
    int64_t value = 0;
    if (look_up(d, p, false, &g)) {
        char buffer[128], *end;
        const char *text = text_of(&g, 0, buffer);
        tac_error err;
        tac_error_clear(&err);
        errno = 0;
        value = strtoll(text, &end, 10);
        if (errno == ERANGE)
            tac__fail(&err, TAC_E_RANGE, "'%s' is too large for a whole number", text);
        else if (end == text || *end)
            tac__fail(&err, TAC_E_TYPE, "'%s' is not a whole number", text);
        else if (!in_range(p->range, (double)value))
            tac__fail(&err, TAC_E_RANGE, "%s is out of range; expected a whole number in %s", text,
                      p->range);
        if (err.status != TAC_OK) {
            mistake(d, p, place_of(&g, 0), &err);
            value = p->fallback ? strtoll(p->fallback, NULL, 10) : 0;
        }
    }
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    record(d, p, "int", text, NULL);
    return value;
}

bool tac_param_bool(tac_declare *d, const tac_param_def *p)
{
    given g;
    bool value = false;
    if (look_up(d, p, false, &g)) {
        char buffer[128];
        const char *text = text_of(&g, 0, buffer);
        value = !strcmp(text, "true");
        if (!value && strcmp(text, "false"))
            fail_param(d, p, place_of(&g, 0), TAC_E_TYPE, "expected true or false");
    }
    record(d, p, "bool", value ? "true" : "false", NULL);
    return value;
}

tac_time tac_param_time(tac_declare *d, const tac_param_def *p)
{
    given g;
    tac_time value = 0;
    if (look_up(d, p, false, &g)) {
        char buffer[128];
        tac_error err;
        tac_error_clear(&err);
        if (tac_time_parse(text_of(&g, 0, buffer), &value, &err) == TAC_OK && p->range &&
            !in_range(p->range, (double)value / 1e6))
            tac__fail(&err, TAC_E_RANGE, "out of range; expected a time in %s s", p->range);
        if (err.status != TAC_OK) {
            mistake(d, p, place_of(&g, 0), &err);
            if (!p->fallback || tac_time_parse(p->fallback, &value, NULL) != TAC_OK)
                value = 0;
        }
    }
    char text[TAC_TIME_TEXT];
    tac_time_print(value, text);
    record(d, p, "time", text, NULL);
    return value;
}

const char *tac_param_text(tac_declare *d, const tac_param_def *p)
{
    given g;
    char buffer[128];
    const char *text = look_up(d, p, false, &g) ? text_of(&g, 0, buffer) : "";
    char *copy = tac__arena_text(d->arena, text);
    if (!copy)
        no_memory(d);
    record(d, p, "text", text, NULL);
    return copy ? copy : "";
}

static const char *choice_name(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

int tac_param_choice(tac_declare *d, const tac_param_def *p, const char *const *names)
{
    given g;
    int value = 0;
    if (look_up(d, p, false, &g)) {
        char buffer[128];
        const char *text = text_of(&g, 0, buffer);
        while (names[value] && strcmp(names[value], text))
            value++;
        if (!names[value]) {
            tac_error err;
            tac__fail(&err, TAC_E_NAME, "unknown choice '%s'; expected one of", text);
            for (int i = 0; names[i]; i++)
                tac__error_append(&err, "%s %s", i ? "," : "", names[i]);
            tac__error_suggest(&err, text, choice_name, names);
            mistake(d, p, place_of(&g, 0), &err);
            value = 0;
        }
    }
    record(d, p, "choice", names[value], names);
    return value;
}

tac_status tac_declare_fail(tac_declare *d, const char *param, const char *format, ...)
{
    tac_error err;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const tac_node *node = param && d->params ? tac_node_get(d->params, param) : NULL;
    tac__fail_at(&err, TAC_E_CONFIG, node ? tac_node_place(node) : NULL, "%s", text);
    tac__error_place(&err, &d->instance->place);
    if (param)
        tac__error_context(&err, "checking parameter '%s' of '%s'", param, d->instance->name);
    keep(d, &err);
    return TAC_E_CONFIG;
}

// --- ports ------------------------------------------------------------------------------------

const char *tac_declare_name(const tac_declare *d)
{
    return d->instance->name;
}

static bool fail_twice(tac_declare *d, const char *what, const char *name)
{
    tac_error err;
    tac__fail(&err, TAC_E_DUPLICATE, "%s '%s' is declared twice", what, name);
    keep(d, &err);
    return false;
}

static bool has_port(const tac__ports *ports, const char *name)
{
    for (size_t i = 0; i < ports->count; i++) {
        if (!strcmp(ports->items[i].name, name))
            return true;
    }
    return false;
}

static bool has_message_port(const tac_declare *d, const char *name)
{
    for (size_t i = 0; i < d->instance->message_count; i++) {
        if (!strcmp(d->instance->messages[i].name, name))
            return true;
    }
    return false;
}

static int add_port(tac_declare *d, tac__ports *ports, const tac_port_def *p, const char *what)
{
    tac_error err;
    tac__port port = {.unit = p->unit ? keep_text(d, p->unit) : "1",
                      .doc = p->doc ? keep_text(d, p->doc) : "",
                      .derivative = keep_text(d, p->derivative),
                      .type = p->type,
                      .flags = p->flags};
    if (!tac__name_valid(p->name)) {
        tac__fail(&err, TAC_E_NAME, "'%s' is not a name for %s", p->name ? p->name : "", what);
        keep(d, &err);
        return 0;
    }
    port.name = keep_text(d, p->name);
    if (tac__type_check(&p->type, p->name, &err) != TAC_OK ||
        tac__unit_parse(port.unit, &port.dimension, &err) != TAC_OK) {
        tac__error_context(&err, "declaring %s '%s'", what, p->name);
        keep(d, &err);
        return 0;
    }
    // Outputs, states and message ports all have digests by name.
    const bool digested = ports == &d->instance->outputs || ports == &d->instance->continuous;
    if (has_port(ports, p->name) || (digested && has_message_port(d, p->name)))
        fail_twice(d, what, p->name);
    if (!TAC__ARENA_GROW(d->arena, ports->items, ports->count, ports->capacity)) {
        no_memory(d);
        return 0;
    }
    ports->items[ports->count] = port;
    return (int)ports->count++;
}

int tac_declare_input(tac_declare *d, const tac_port_def *p)
{
    return add_port(d, &d->instance->inputs, p, "input");
}

int tac_declare_output(tac_declare *d, const tac_port_def *p)
{
    const int i = add_port(d, &d->instance->outputs, p, "output");
    if (!d->failed && !d->instance->type->step)
        d->instance->outputs.items[i].flags |= TAC_PORT_EVAL;
    return i;
}

int tac_declare_state(tac_declare *d, const tac_port_def *p)
{
    return add_port(d, &d->instance->states, p, "state");
}

int tac_declare_continuous(tac_declare *d, const tac_port_def *p)
{
    if (p->type.scalar != TAC_F64) {
        tac_error err;
        tac__fail(&err, TAC_E_TYPE, "continuous state '%s' must be made of f64", p->name);
        keep(d, &err);
        return 0;
    }
    const size_t offset = d->instance->x_count;
    add_port(d, &d->instance->continuous, p, "continuous state");
    d->instance->x_count += p->type.count;
    return (int)offset;
}

// Streams and message ports are told apart by name: a stream by "component.name", so that a dot in
// one could make it the stream of another component.
static bool check_name(tac_declare *d, const char *what, const char *name)
{
    if (tac__name_valid(name))
        return true;
    tac_error err;
    tac__fail(&err, TAC_E_NAME, "'%s' is not a name for a %s", name ? name : "", what);
    keep(d, &err);
    return false;
}

static bool check_stream(tac_declare *d, const char *full, const char *name)
{
    for (size_t i = 0; i < d->instance->stream_count; i++) {
        if (!strcmp(d->instance->streams[i].name, full))
            return fail_twice(d, "random stream", name);
    }
    return true;
}

// A message port has a name of its own among all that has a digest.
static bool add_message_port(tac_declare *d, const tac_message_def *p, bool sends)
{
    tac_instance *c = d->instance;
    const char *what = sends ? "sender" : "receiver";
    if (!check_name(d, what, p->name))
        return false;
    if (has_message_port(d, p->name) || has_port(&c->outputs, p->name) ||
        has_port(&c->continuous, p->name))
        return fail_twice(d, what, p->name);
    if (!TAC__ARENA_GROW(d->arena, c->messages, c->message_count, c->message_capacity)) {
        no_memory(d);
        return false;
    }
    c->messages[c->message_count++] =
        (tac__message_port){keep_text(d, p->name), p->doc ? keep_text(d, p->doc) : "", sends};
    return true;
}

int tac_declare_stream(tac_declare *d, const char *name)
{
    tac_instance *c = d->instance;
    if (!check_name(d, "random stream", name))
        return 0;
    char *full = tac__arena_format(d->arena, "%s.%s", c->name, name);
    if (!full || !TAC__ARENA_GROW(d->arena, c->streams, c->stream_count, c->stream_capacity)) {
        no_memory(d);
        return 0;
    }
    if (!check_stream(d, full, name))
        return 0;
    const uint64_t seed = d->engine ? d->engine->def.seed : 0;
    c->streams[c->stream_count] = (tac__draws){full, tac__stream_make(seed, full), NULL};
    return (int)c->stream_count++;
}

static int add_number(tac_declare *d, uint32_t **numbers, size_t *count, size_t *capacity,
                      size_t number)
{
    if (!TAC__ARENA_GROW(d->arena, *numbers, *count, *capacity)) {
        no_memory(d);
        return 0;
    }
    (*numbers)[*count] = (uint32_t)number;
    return (int)(*count)++;
}

int tac_declare_sender(tac_declare *d, const tac_message_def *p)
{
    tac_instance *c = d->instance;
    size_t number = 0;
    if (!add_message_port(d, p, true))
        return 0;
    if (d->engine) {
        tac_engine *e = d->engine;
        char *full = tac__arena_format(d->arena, "%s.%s", c->name, p->name);
        if (!full || !TAC__ARENA_GROW(d->arena, e->senders, e->sender_count, e->sender_capacity)) {
            no_memory(d);
            return 0;
        }
        number = e->sender_count++;
        e->senders[number] = (tac__sender){.name = full, .component = c->index};
    }
    return add_number(d, &c->senders, &c->sender_count, &c->sender_capacity, number);
}

int tac_declare_receiver(tac_declare *d, const tac_message_def *p)
{
    tac_instance *c = d->instance;
    size_t number = 0;
    if (!add_message_port(d, p, false))
        return 0;
    if (p->capacity == 0 || p->capacity > 1u << 20 || p->max_bytes > 1u << 24) {
        tac_error err;
        tac__fail(&err, TAC_E_RANGE,
                  "message port '%s': capacity %u and max_bytes %u are not "
                  "within 1..1048576 and 0..16777216",
                  p->name, p->capacity, p->max_bytes);
        keep(d, &err);
        return 0;
    }
    if (d->engine) {
        tac_engine *e = d->engine;
        char *full = tac__arena_format(d->arena, "%s.%s", c->name, p->name);
        if (!full ||
            !TAC__ARENA_GROW(d->arena, e->receivers, e->receiver_count, e->receiver_capacity)) {
            no_memory(d);
            return 0;
        }
        number = e->receiver_count++;
        e->receivers[number] =
            (tac__receiver){.name = full, .component = c->index, .def = *p, .source = -1};
        e->receivers[number].def.name = keep_text(d, p->name);
        e->receivers[number].def.doc = keep_text(d, p->doc);
    }
    return add_number(d, &c->receivers, &c->receiver_count, &c->receiver_capacity, number);
}

// --- the whole --------------------------------------------------------------------------------

static const char *param_name(const void *context, size_t i)
{
    const tac_instance *c = context;
    return i < c->param_count ? c->params[i].name : NULL;
}

static tac_status check_unknown(tac_declare *d, tac_error *err)
{
    const size_t keys = d->params ? tac_node_count(d->params) : 0;
    for (size_t i = 0; i < keys; i++) {
        if (d->used[i])
            continue;
        const char *key = tac_node_key(d->params, i);
        tac__fail_at(err, TAC_E_NAME, tac_node_key_place(d->params, i),
                     "unknown parameter '%s' of type '%s'", key, d->instance->type->name);
        tac__nearest nearest = tac__nearest_begin(key);
        for (size_t k = 0; k < d->instance->param_count; k++)
            tac__nearest_offer(&nearest, d->instance->params[k].name);
        if (nearest.best) {
            tac__error_suggest(err, key, param_name, d->instance);
        } else {
            tac__error_append(err, d->instance->param_count ? "; it has" : "; it has none");
            for (size_t k = 0; k < d->instance->param_count; k++)
                tac__error_append(err, "%s %s", k ? "," : "", d->instance->params[k].name);
        }
        return TAC_E_NAME;
    }
    return TAC_OK;
}

tac_status tac__declare(tac_engine *engine, tac__arena *arena, const tac_component_type *type,
                        const char *name, const tac_node *params, const tac_place *place,
                        tac_instance **instance, tac_error *err)
{
    if (params && tac_node_is_null(params))
        params = NULL;
    if (params && tac_node_kind_of(params) != TAC_NODE_MAP)
        return tac__fail_at(err, TAC_E_TYPE, tac_node_place(params),
                            "params: expected a map of parameters");
    tac_instance *c = tac__arena_alloc(arena, sizeof *c);
    void *self = tac__arena_alloc(arena, type->self_size);
    bool *used = tac__arena_array(arena, params ? tac_node_count(params) : 0, sizeof *used);
    tac_declare *d = tac__arena_alloc(arena, sizeof *d);
    if (!c || !self || !used || !d)
        return tac__fail_memory(err);
    *c = (tac_instance){.type = type,
                        .self = self,
                        .engine = engine,
                        .name = name,
                        .group = -1,
                        .stage = type->stage,
                        .island = -1,
                        .axis_source = -1,
                        .timer_source = -1};
    c->index = engine ? (uint32_t)engine->component_count : 0;
    if (place)
        c->place = *place;
    *d = (tac_declare){
        .engine = engine, .arena = arena, .instance = c, .params = params, .used = used};
    *instance = c;

    const tac_status status = type->declare ? type->declare(d, self) : TAC_OK;
    // A missing or faulty parameter is reported after a key that does not exist: a misspelt key is
    // the likelier cause.
    // Without memory nothing is known about keys.
    tac_error unknown;
    const bool memory = d->failed && d->error.status == TAC_E_MEMORY;
    if (params && !memory && check_unknown(d, &unknown) != TAC_OK)
        d->error = unknown, d->failed = true;
    if (!d->failed && status != TAC_OK) {
        tac__fail(&d->error, status, "its declare function failed: %s", tac_status_text(status));
        d->failed = true;
    }
    if (d->failed && engine) {
        if (err)
            *err = d->error;
        tac__error_place(err, place);
        tac__error_context(err, "setting up component '%s' of type '%s'", name, type->name);
        if (type->close)
            type->close(self);
        return d->error.status;
    }
    return TAC_OK;
}
