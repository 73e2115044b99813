// equations_read.c - reads the parameters of `equations`: ports with types and units.
#include "base/text.h"
#include "model/equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef tac__equations equations;
typedef tac__eq_port port;

const char *tac__equations_role(tac__eq_role role)
{
    static const char *const texts[] = {
        [TAC__EQ_INPUT] = "an input", [TAC__EQ_PARAMETER] = "a parameter",
        [TAC__EQ_STATE] = "a state",  [TAC__EQ_OUTPUT] = "an output",
        [TAC__EQ_RATE] = "a rate",    [TAC__EQ_LOCAL] = "a local name",
    };
    return texts[role];
}

// --- types ----------------------------------------------------------------------------------

// "f64", "vec3", "quat", "bool", "f64[4]": a word, of which `*length` is set; 0 where it is none.
static tac_type read_type(const char *text, size_t *length)
{
    static const struct {
        const char *name;
        tac_type type;
    } types[] = {{"f64", TAC_TYPE_F64},
                 {"bool", TAC_TYPE_BOOL},
                 {"vec3", TAC_TYPE_VEC3},
                 {"quat", TAC_TYPE_QUAT}};
    const size_t word = strcspn(text, " \t");
    *length = word;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == word && !memcmp(types[i].name, text, word))
            return types[i].type;
    }
    const char *end = NULL;
    const uint64_t count = strncmp(text, "f64[", 4) ? 0 : tac__digits_parse(text + 4, &end, 10);
    if (count >= 1 && count <= TAC__EQ_COUNT && *end == ']' && end + 1 == text + word)
        return (tac_type)TAC_TYPE_ARRAY(TAC_F64, (uint32_t)count);
    *length = 0;
    return (tac_type)TAC_TYPE_F64;
}

static void check_unit(tac_declare *d, const char *param, const char *unit)
{
    tac__unit parsed;
    tac_error err;
    if (tac__unit_parse(unit, &parsed, &err) != TAC_OK)
        (void)tac_declare_fail(d, param, "%s", err.text);
}

// --- ports ----------------------------------------------------------------------------------

// "m/s", "vec3", "vec3 m/s".
static void read_short(tac_declare *d, port *p)
{
    size_t word;
    const char *text = tac_param_text(d, TAC_PARAM(.name = p->name, .doc = "its unit"));
    p->type = read_type(text, &word);
    p->unit = text + word + strspn(text + word, " \t");
    check_unit(d, p->name, p->unit);
}

static void read_initial(tac_declare *d, equations *c, port *p)
{
    double *values = tac__arena_array(&c->arena, TAC__EQ_COUNT, sizeof *values);
    p->initial = values;
    if (values)
        tac_param_array(d,
                        TAC_PARAM(.name = "initial", .unit = p->unit,
                                  .fallback = p->type.shape == TAC_QUAT ? "[1, 0, 0, 0]" : "0",
                                  .doc = "at t = 0"),
                        values, p->type.count);
}

// What reports take it for.
static void read_meaning(tac_declare *d, port *p)
{
    const char *text = tac_param_text(
        d, TAC_PARAM(.name = "role", .fallback = "none", .doc = "what reports take it for"));
    tac__nearest nearest = tac__nearest_begin(text);
    for (int i = 0; i < TAC_ROLE_COUNT; i++) {
        const char *name = tac_role_name((tac_role)i);
        if (!strcmp(text, name)) {
            p->meaning = (tac_role)i;
            return;
        }
        tac__nearest_offer(&nearest, name);
    }
    (void)tac_declare_fail(d, "role", "there is no role '%s'%s%s%s", text,
                           nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
                           nearest.best ? "'?" : "");
}

static void read_long(tac_declare *d, equations *c, port *p)
{
    size_t word;
    const char *type = tac_param_text(
        d, TAC_PARAM(.name = "type", .fallback = "f64", .doc = "f64, vec3, quat, f64[4] or bool"));
    p->type = read_type(type, &word);
    if (word == 0 || type[word])
        (void)tac_declare_fail(d, "type",
                               "there is no type '%s' here; expected f64, vec3, quat, bool, or "
                               "f64[n] with up to %d elements",
                               type, TAC__EQ_COUNT);
    p->unit = tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1", .doc = "its unit"));
    check_unit(d, "unit", p->unit);
    p->doc = tac_param_text(
        d, TAC_PARAM(.name = "doc", .fallback = "", .doc = "what it is, for listings"));
    if (p->role != TAC__EQ_INPUT)
        read_meaning(d, p);
    if (p->role == TAC__EQ_INPUT)
        p->optional = tac_param_bool(d, TAC_PARAM(.name = "optional", .fallback = "false",
                                                  .doc = "may stay open, and reads 0 then"));
    if (p->role != TAC__EQ_STATE)
        return;
    read_initial(d, c, p);
    p->scale =
        tac_param_f64(d, TAC_PARAM(.name = "scale", .unit = p->unit, .fallback = "1",
                                   .range = "(0, inf)", .doc = "its usual size, for tolerances"));
}

// A port is described by a map, or in short by a text.
static void read_form(tac_declare *d, equations *c, port *p)
{
    const tac_node *node = tac_param_node(d, p->name);
    if (node && tac_node_kind_of(node) != TAC_NODE_MAP) {
        read_short(d, p);
        if (p->role == TAC__EQ_STATE) {
            double *initial = tac__arena_array(&c->arena, TAC__EQ_COUNT, sizeof *initial);
            if (initial && p->type.shape == TAC_QUAT)
                initial[0] = 1;
            p->initial = initial;
        }
    } else if (tac_param_items(d,
                               TAC_PARAM(.name = p->name, .fallback = "{}",
                                         .doc = "or in short: UNIT, TYPE or TYPE UNIT"),
                               1)) {
        tac_param_begin(d, p->name, 0);
        read_long(d, c, p);
        tac_param_end(d);
    }
}

// A number with its unit, "3 N/m", which may change during the run.
static void read_value(tac_declare *d, port *p)
{
    const char *text = tac_node_text(tac_param_node(d, p->name)), *unit = "";
    if (text)
        (void)tac__number_parse(text, &unit);
    unit += strspn(unit, " \t");
    p->unit = *unit ? unit : "1";
    p->index =
        tac_param_input(d, TAC_PARAM(.name = p->name, .unit = p->unit,
                                     .doc = "a number with its unit; also an optional input"));
}

static const char *const reserved[] = {"t",  "pi",  "der",  "if",    "and",
                                       "or", "not", "true", "false", NULL};

static bool is_reserved(const char *name)
{
    size_t i = 0;
    while (reserved[i] && strcmp(reserved[i], name))
        i++;
    return reserved[i];
}

static void check_name(tac_declare *d, const equations *c, const port *p)
{
    const bool plain = p->role == TAC__EQ_INPUT || p->role == TAC__EQ_PARAMETER;
    if (plain ? !tac__name_valid(p->name) : !tac__signal_name_valid(p->name))
        (void)tac_declare_fail(d, p->name, "'%s' is no name: expected letters, digits and '_'%s",
                               p->name,
                               plain ? ""
                                     : ", dots between names, and no .x, .y, .z or .w at the "
                                       "end");
    if (is_reserved(p->name))
        (void)tac_declare_fail(d, p->name, "'%s' has a meaning of its own in equations", p->name);
    for (size_t i = 0; i < c->port_count; i++) {
        if (!strcmp(c->ports[i].name, p->name))
            (void)tac_declare_fail(d, p->name, "'%s' is %s already", p->name,
                                   tac__equations_role(c->ports[i].role));
    }
}

static tac_status read_ports(tac_declare *d, equations *c, tac__eq_role role,
                             const tac_param_def *def)
{
    size_t count;
    const char *const *names = tac_param_names(d, def, TAC__EQ_PORTS, &count);
    if (count == 0)
        return TAC_OK;
    tac_param_begin(d, def->name, 0);
    for (size_t i = 0; i < count; i++) {
        port p = {.name = names[i],
                  .role = role,
                  .type = TAC_TYPE_F64,
                  .unit = "1",
                  .doc = "",
                  .scale = 1};
        check_name(d, c, &p);
        if (role == TAC__EQ_PARAMETER)
            read_value(d, &p);
        else
            read_form(d, c, &p);
        if (role == TAC__EQ_STATE && p.type.scalar != TAC_F64)
            (void)tac_declare_fail(d, p.name, "a state is made of numbers: it cannot be a bool");
        if ((role == TAC__EQ_STATE && !p.initial) ||
            !TAC__ARENA_GROW(&c->arena, c->ports, c->port_count, c->port_capacity))
            return TAC_E_MEMORY;
        c->ports[c->port_count++] = p;
    }
    tac_param_end(d);
    return TAC_OK;
}

// --- names ----------------------------------------------------------------------------------

static tac_status add_name(equations *c, tac__eq_name name)
{
    if (!name.text || !TAC__ARENA_GROW(&c->arena, c->names, c->name_count, c->name_capacity))
        return TAC_E_MEMORY;
    name.equation = -1;
    c->names[c->name_count++] = name;
    return TAC_OK;
}

static char *element_text(equations *c, const port *p, uint32_t i, const char *before,
                          const char *after)
{
    char element[TAC_ELEMENT_TEXT];
    tac_element_print(&p->type, i, element);
    return tac__arena_format(&c->arena, "%s%s%s%s", before, p->name, element, after);
}

// Gives places to the elements of a port, which lie one after another from `element` of `slot` on.
static tac_status place_port(equations *c, port *p, int slot, size_t element)
{
    p->first = (uint32_t)c->name_count;
    for (uint32_t i = 0; i < p->type.count; i++)
        TAC_TRY(
            add_name(c, (tac__eq_name){
                            .text = element_text(c, p, i, "", ""),
                            .role = p->role,
                            .port = (uint32_t)(p - c->ports),
                            .type = p->type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER,
                            .unit = p->unit,
                            .slot = slot,
                            .element = (uint32_t)element + i,
                        }));
    return TAC_OK;
}

// Per second: "m/s" becomes "m/s^2".
static char *rate_unit(equations *c, const char *unit)
{
    return tac__arena_format(&c->arena, "%s%s", *unit ? unit : "1",
                             tac__ends_in(unit, "/s") ? "^2" : "/s");
}

static tac_status place_rates(equations *c, const port *p, int slot)
{
    const char *unit = rate_unit(c, p->unit);
    for (uint32_t i = 0; unit && i < p->type.count; i++)
        TAC_TRY(add_name(c, (tac__eq_name){.text = element_text(c, p, i, "der(", ")"),
                                           .role = TAC__EQ_RATE,
                                           .port = (uint32_t)(p - c->ports),
                                           .unit = unit,
                                           .slot = slot,
                                           .element = (uint32_t)p->index + i}));
    return unit ? TAC_OK : TAC_E_MEMORY;
}

static size_t take_frame(equations *c, size_t count)
{
    const size_t first = c->frame_count;
    c->frame_count += count;
    return first;
}

static tac_status add_condition(equations *c, const port *p)
{
    if (!TAC__ARENA_GROW(&c->arena, c->conditions, c->shape.condition_count, c->condition_capacity))
        return TAC_E_MEMORY;
    c->conditions[c->shape.condition_count++] = (tac__eq_condition){p->index, p->frame};
    return TAC_OK;
}

static tac_status place(equations *c)
{
    int inputs = 0;
    for (size_t i = 0; i < c->port_count; i++) {
        port *p = &c->ports[i];
        if (p->role == TAC__EQ_INPUT || p->role == TAC__EQ_PARAMETER) {
            p->index = inputs++;
        } else if (p->role == TAC__EQ_STATE) {
            p->index = (int)c->shape.x_count;
            c->shape.x_count += p->type.count;
        }
    }
    c->shape.input_count = (size_t)inputs;
    const int x = inputs, frame = inputs + 1;
    c->frame_count = c->shape.x_count;
    for (size_t i = 0; i < c->port_count; i++) {
        port *p = &c->ports[i];
        const bool condition = p->role == TAC__EQ_INPUT && p->type.scalar == TAC_BOOL;
        if (p->role == TAC__EQ_OUTPUT || condition) {
            p->frame = (uint32_t)take_frame(c, p->type.count);
            TAC_TRY(place_port(c, p, frame, p->frame));
            if (condition)
                TAC_TRY(add_condition(c, p));
        } else if (p->role == TAC__EQ_STATE) {
            TAC_TRY(place_port(c, p, x, (size_t)p->index));
            TAC_TRY(place_rates(c, p, frame));
        } else {
            TAC_TRY(place_port(c, p, p->index, 0));
        }
    }
    return TAC_OK;
}

int tac__equations_find(const equations *c, const char *text)
{
    for (size_t i = 0; i < c->name_count; i++) {
        if (!strcmp(c->names[i].text, text))
            return (int)i;
    }
    const char *bracket = strchr(text, '[');
    if (!bracket)
        return -1;
    const char *end;
    const size_t length = (size_t)(bracket - text);
    const uint64_t element = tac__digits_parse(bracket + 1, &end, 10);
    for (size_t i = 0; !strcmp(end, "]") && i < c->port_count; i++) {
        const port *p = &c->ports[i];
        if (strlen(p->name) == length && !memcmp(p->name, text, length) && element < p->type.count)
            return (int)(p->first + element);
    }
    return -1;
}

const char *tac__equations_candidate(const void *context, size_t i)
{
    const equations *c = context;
    return i < c->name_count ? c->names[i].text : NULL;
}

// --- bounds ---------------------------------------------------------------------------------

static bool read_bound(const char *text, const char *unit, double *value, tac_error *err)
{
    const bool minus = *text == '-';
    const char *rest = text + (*text == '-' || *text == '+');
    rest += *rest == '.';
    if (!strcmp(rest, "inf")) {
        *value = minus ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    return tac__quantity_parse(text, unit, value, err) == TAC_OK;
}

static void set_bounds(tac_declare *d, equations *c, const char *name, const tac__eq_name *state,
                       const double bounds[2])
{
    const port *p = &c->ports[state->port];
    const double initial = p->initial[state->element - (uint32_t)p->index];
    c->low[state->element] = bounds[0];
    c->high[state->element] = bounds[1];
    if (!(initial >= bounds[0] && initial <= bounds[1]))
        (void)tac_declare_fail(d, name, "'%s' begins at %.17g, outside of its bounds", state->text,
                               initial);
}

// Of one element, or of all elements of a state.
static void apply_bounds(tac_declare *d, equations *c, const char *name, const char *const *texts)
{
    int i = tac__equations_find(c, name);
    size_t count = 1;
    for (size_t k = 0; k < c->port_count; k++) {
        if (!strcmp(c->ports[k].name, name)) {
            i = (int)c->ports[k].first;
            count = c->ports[k].type.count;
        }
    }
    if (i < 0 || c->names[i].role != TAC__EQ_STATE) {
        (void)tac_declare_fail(d, name, i < 0 ? "there is no state '%s'" : "'%s' is no state",
                               name);
        return;
    }
    double bounds[2];
    tac_error err;
    for (size_t k = 0; k < 2; k++) {
        if (!read_bound(texts[k], c->names[i].unit, &bounds[k], &err)) {
            (void)tac_declare_fail(d, name, "%s", err.text);
            return;
        }
    }
    if (!(bounds[0] <= bounds[1]))
        (void)tac_declare_fail(d, name, "the upper bound is below the lower one");
    for (size_t k = 0; k < count; k++)
        set_bounds(d, c, name, &c->names[(size_t)i + k], bounds);
}

static tac_status read_bounds(tac_declare *d, equations *c)
{
    size_t count, values;
    const char *const *names =
        tac_param_names(d,
                        TAC_PARAM(.name = "bounds", .fallback = "{}",
                                  .doc = "states by name: [lowest, highest], or inf"),
                        TAC__EQ_PORTS, &count);
    c->low = tac__arena_array(&c->arena, c->shape.x_count, sizeof *c->low);
    c->high = tac__arena_array(&c->arena, c->shape.x_count, sizeof *c->high);
    if (!c->low || !c->high)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < c->shape.x_count; i++) {
        c->low[i] = -HUGE_VAL;
        c->high[i] = HUGE_VAL;
    }
    if (count == 0)
        return TAC_OK;
    c->shape.projects = true;
    tac_param_begin(d, "bounds", 0);
    for (size_t i = 0; i < count; i++) {
        const char *const *texts = tac_param_words(
            d, TAC_PARAM(.name = names[i], .doc = "lowest and highest"), 2, &values);
        if (values == 2)
            apply_bounds(d, c, names[i], texts);
        else
            (void)tac_declare_fail(d, names[i], "expected [lowest, highest], found %zu value%s",
                                   values, values == 1 ? "" : "s");
    }
    tac_param_end(d);
    return TAC_OK;
}

// --- the whole ------------------------------------------------------------------------------

tac_status tac__equations_read(tac_declare *d, equations *c)
{
    static const struct {
        tac__eq_role role;
        tac_param_def def;
    } sections[] = {
        {TAC__EQ_PARAMETER, TAC_DEF(tac_param_def, .name = "parameters", .fallback = "{}",
                                    .doc = "numbers by name, with their units")},
        {TAC__EQ_INPUT, TAC_DEF(tac_param_def, .name = "inputs", .fallback = "{}",
                                .doc = "by name: a unit, a type, or both")},
        {TAC__EQ_STATE, TAC_DEF(tac_param_def, .name = "states", .fallback = "{}",
                                .doc = "continuous states by name: as inputs")},
        {TAC__EQ_OUTPUT,
         TAC_DEF(tac_param_def, .name = "outputs", .fallback = "{}", .doc = "by name: as inputs")},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        TAC_TRY(read_ports(d, c, sections[i].role, &sections[i].def));
    c->texts = tac_param_words(
        d,
        TAC_PARAM(.name = "equations", .doc = "der(x) = ... of each state, y = ... of each "
                                              "output, and local names, in any order"),
        TAC__EQ_EQUATIONS, &c->equation_count);
    TAC_TRY(place(c));
    return read_bounds(d, c);
}
