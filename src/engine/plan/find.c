// find.c - what names in routes mean: the input that a route leads to, and the signal, or the
// element of one, that it comes from.
#include "engine/plan/find.h"

#include <string.h>

static const char *input_name(const void *context, size_t i)
{
    const tac__component *c = context;
    return i < c->inputs.count ? c->inputs.items[i].name : NULL;
}

// --- where a route ends -----------------------------------------------------------------------

tac_status tac__find_input(const tac__plan *plan, const tac_route_def *r, tac__component **reader,
                           size_t *input, tac_error *err)
{
    const char *dot = strrchr(r->to, '.');
    char name[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(name, sizeof name);
    tac__out_add(&out, "%.*s", dot ? (int)(dot - r->to) : 0, r->to);
    *reader = tac__find_component(plan, name);
    if (!*reader) {
        tac__fail_at(err, TAC_E_NAME, &r->place, "route to '%s': no such component", r->to);
        tac__error_suggest(err, name, tac__component_name, plan);
        return TAC_E_NAME;
    }
    for (*input = 0; *input < (*reader)->inputs.count; ++*input) {
        if (!strcmp((*reader)->inputs.items[*input].name, dot + 1))
            return TAC_OK;
    }
    tac__fail_at(err, TAC_E_NAME, &r->place, "'%s' has no input '%s'", (*reader)->name, dot + 1);
    tac__error_suggest(err, dot + 1, input_name, *reader);
    return TAC_E_NAME;
}

// --- where a route begins ---------------------------------------------------------------------

// A name is looked up in the entity of the reader first, then as it stands.
static int find_signal(const tac__plan *plan, const tac__component *reader, const char *name)
{
    const char *entity = plan->entities[reader->entity].name;
    char local[2 * TAC_ERROR_NAME];
    if (*entity) {
        tac__out out = tac__out_begin(local, sizeof local);
        tac__out_add(&out, "%s.%s", entity, name);
        const int signal = tac__find_signal(plan, local);
        if (signal >= 0)
            return signal;
    }
    return tac__find_signal(plan, name);
}

// Is `tail` the end of a name, as "battery.soc" of "uav1.vehicle.battery.soc"?
static bool is_tail(const char *tail, const char *name)
{
    const size_t n = strlen(tail), length = strlen(name);
    return n > 0 && n < length && name[length - n - 1] == '.' && !strcmp(name + length - n, tail);
}

// Names in the reader's own entity are compared as they would be written there. Where no name is
// similar, a name that only lacks its beginning is suggested, preferably one of the own entity.
static const char *nearest_signal(const tac__plan *plan, const tac__component *reader,
                                  const char *name)
{
    const char *entity = plan->entities[reader->entity].name, *own = NULL, *other = NULL;
    const size_t prefix = *entity ? strlen(entity) + 1 : 0;
    tac__nearest nearest = tac__nearest_begin(name);
    for (size_t i = 0; i < plan->schema.count; i++) {
        const char *full = plan->schema.signals[i].name;
        const bool inside = prefix && !strncmp(full, entity, prefix - 1) && full[prefix - 1] == '.';
        const char *candidate = full + (inside ? prefix : 0), **tail = inside ? &own : &other;
        tac__nearest_offer(&nearest, candidate);
        if (!*tail && is_tail(name, candidate))
            *tail = candidate;
    }
    return nearest.best ? nearest.best : own ? own : other;
}

static tac_status fail_signal(const tac__plan *plan, const tac__component *reader,
                              const tac_route_def *r, const char *name, tac_error *err)
{
    tac__fail_at(err, TAC_E_NAME, &r->place, "unknown signal '%s'", r->from);
    // A port may itself be called x, y or z: the name as written comes first, then without element.
    const char *best = nearest_signal(plan, reader, r->from);
    if (!best)
        best = nearest_signal(plan, reader, name);
    if (best)
        tac__error_append(err, "; did you mean '%s'?", best);
    return TAC_E_NAME;
}

// "Nav.position[2]" and "Nav.position.z": splits off the element. False: no element given.
static bool split_element(const char *from, char *name, size_t size, uint32_t *element)
{
    const size_t length = strlen(from);
    if (length >= size)
        return false;
    memcpy(name, from, length + 1);
    char *bracket = strchr(name, '[');
    if (bracket && name[length - 1] == ']') {
        uint32_t n = 0;
        const char *c = bracket + 1;
        for (; *c >= '0' && *c <= '9' && n < 1000000; c++)
            n = n * 10 + (uint32_t)(*c - '0');
        if (c == bracket + 1 || c != name + length - 1)
            return false;
        *bracket = '\0';
        *element = n;
        return true;
    }
    if (length > 2 && name[length - 2] == '.') {
        const char *axis = strchr("xyzw", name[length - 1]);
        if (axis && *axis) {
            *element = (uint32_t)(axis - "xyzw");
            name[length - 2] = '\0';
            return true;
        }
    }
    return false;
}

// x, y, z of a vec3 are 0, 1, 2; w, x, y, z of a quat are 0, 1, 2, 3.
static bool letter_element(const tac_type *type, const char *from, uint32_t *element)
{
    if (from[strlen(from) - 1] == ']')
        return *element < type->count;
    if (type->shape == TAC_VEC3)
        return *element < 3;
    if (type->shape != TAC_QUAT)
        return false;
    *element = (*element + 1) % 4;
    return true;
}

tac_status tac__find_source(const tac__plan *plan, const tac__component *reader,
                            const tac_route_def *r, int *signal, uint32_t *element, bool *part,
                            tac_error *err)
{
    *element = 0;
    *part = false;
    *signal = find_signal(plan, reader, r->from);
    if (*signal >= 0)
        return TAC_OK;
    char name[2 * TAC_ERROR_NAME];
    if (!split_element(r->from, name, sizeof name, element))
        return fail_signal(plan, reader, r, r->from, err);
    *signal = find_signal(plan, reader, name);
    if (*signal < 0)
        return fail_signal(plan, reader, r, name, err);
    *part = true;
    const tac_type *type = &plan->schema.signals[*signal].kind->type;
    if (!letter_element(type, r->from, element)) {
        char text[64];
        tac_type_print(type, text, sizeof text);
        return tac__fail_at(err, TAC_E_RANGE, &r->place,
                            "'%s': '%s' is of type %s, which has no "
                            "such element",
                            r->from, name, text);
    }
    return TAC_OK;
}

int tac__find_element(const tac__plan *plan, const tac__component *reader, const char *text,
                      uint32_t *element)
{
    const tac_route_def r = {.from = text};
    int signal;
    bool part;
    tac_error ignored;
    if (tac__find_source(plan, reader, &r, &signal, element, &part, &ignored) != TAC_OK)
        return -1;
    return part || plan->schema.signals[signal].kind->type.count == 1 ? signal : -1;
}

static bool is_own_state(const tac__plan *plan, const tac__component *c, const tac__signal *s)
{
    return s->kind->state && plan->components[s->component]->entity == c->entity;
}

int tac__find_own_state(const tac__plan *plan, const tac__component *c, const char *text,
                        uint32_t *element, size_t *count)
{
    const tac_route_def r = {.from = text};
    int signal;
    bool part;
    tac_error ignored;
    if (tac__find_source(plan, c, &r, &signal, element, &part, &ignored) != TAC_OK ||
        !is_own_state(plan, c, &plan->schema.signals[signal]))
        return -1;
    *count = part ? 1 : plan->schema.signals[signal].kind->type.count;
    return signal;
}

void tac__suggest_own_state(const tac__plan *plan, const tac__component *c, const char *text,
                            tac_error *err)
{
    const char *entity = plan->entities[c->entity].name;
    tac__nearest nearest = tac__nearest_begin(text);
    for (size_t i = 0; i < plan->schema.count; i++) {
        const tac__signal *s = &plan->schema.signals[i];
        if (is_own_state(plan, c, s))
            tac__nearest_offer(&nearest, s->name + (*entity ? strlen(entity) + 1 : 0));
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
}
