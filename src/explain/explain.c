// explain.c - the schema and the schedule of an engine as texts, and which entities are alike.
#include "explain/draw.h"
#include "base/floats.h"
#include "bus/lcm_message.h"
#include "bus/lcm_type.h"
#include "explain/explain.h"

#include <string.h>

// --- swarms -------------------------------------------------------------------------------------

typedef struct members {
    uint32_t *items; // components of one entity, in order
    size_t count;
} members;

static const char *local_name(const tac_engine *e, uint32_t entity, const char *name)
{
    const size_t length = strlen(e->plan->entities[entity].name);
    return length ? name + length + 1 : name;
}

static bool same_routes(const tac_engine *e, const tac__component *a, const tac__component *b)
{
    for (size_t k = 0; k < a->inputs.count; k++) {
        const tac__input *x = &a->in[k], *y = &b->in[k];
        const tac_route_def *r = x->route, *q = y->route;
        if ((x->signal < 0) != (y->signal < 0))
            return false;
        if (x->signal < 0)
            continue;
        const tac__signal *s = &e->plan->schema.signals[x->signal],
                          *t = &e->plan->schema.signals[y->signal];
        if (s != t &&
            (e->plan->components[s->component]->entity != a->entity ||
             e->plan->components[t->component]->entity != b->entity ||
             strcmp(local_name(e, a->entity, s->name), local_name(e, b->entity, t->name)) != 0))
            return false;
        if (x->element != y->element || x->policy != y->policy || r->gain != q->gain ||
            r->offset != q->offset || r->delay_us != q->delay_us || r->delayed != q->delayed)
            return false;
    }
    return true;
}

// Vehicles of a swarm are linked by one entry, and share its law.
static bool same_law(const tac__drawn *a, const tac__drawn *b)
{
    return a && b ? a->law == b->law : a == b;
}

static bool same_links(const tac_engine *e, const tac__component *a, const tac__component *b)
{
    for (size_t k = 0; k < a->sender_count; k++) {
        const tac__sender *s = &e->plan->senders[a->senders[k]],
                          *t = &e->plan->senders[b->senders[k]];
        if (s->count != t->count || s->outlet_count != t->outlet_count)
            return false;
        for (size_t i = 0; i < s->count; i++) {
            if (s->links[i].delay_us != t->links[i].delay_us ||
                !same_law(s->links[i].drawn, t->links[i].drawn))
                return false;
        }
    }
    return true;
}

static bool same_component(const tac_engine *e, const tac__component *a, const tac__component *b)
{
    return a->type == b->type && a->group == b->group && a->stage == b->stage &&
           a->inputs.count == b->inputs.count && a->outputs.count == b->outputs.count &&
           a->x_count == b->x_count && a->sender_count == b->sender_count &&
           a->receiver_count == b->receiver_count && a->active_in == b->active_in &&
           a->hold == b->hold && tac__same_phases(a, b) &&
           !strcmp(local_name(e, a->entity, a->name), local_name(e, b->entity, b->name)) &&
           same_routes(e, a, b) && same_links(e, a, b);
}

static bool same_entity(const tac_engine *e, const members *a, const members *b)
{
    if (a->count != b->count || a->count == 0)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!same_component(e, e->plan->components[a->items[i]], e->plan->components[b->items[i]]))
            return false;
    }
    return true;
}

static bool list_members(const tac_engine *e, tac__arena *arena, members *all)
{
    for (size_t i = 0; i < e->plan->component_count; i++)
        all[e->plan->components[i]->entity].count++;
    for (uint32_t n = 0; n < e->plan->entity_count; n++) {
        all[n].items = tac__arena_array(arena, all[n].count, sizeof *all[n].items);
        if (!all[n].items)
            return false;
        all[n].count = 0;
    }
    for (uint32_t i = 0; i < e->plan->component_count; i++) {
        members *m = &all[e->plan->components[i]->entity];
        m->items[m->count++] = i;
    }
    return true;
}

bool tac__swarms_find(const tac_engine *e, tac__arena *arena, tac__swarms *swarms)
{
    enum { FEWEST = 3 };
    members *all = tac__arena_array(arena, e->plan->entity_count, sizeof *all);
    swarms->first = tac__arena_array(arena, e->plan->entity_count, sizeof *swarms->first);
    swarms->count = tac__arena_array(arena, e->plan->entity_count, sizeof *swarms->count);
    swarms->component =
        tac__arena_array(arena, e->plan->component_count, sizeof *swarms->component);
    swarms->any = false;
    if (!all || !swarms->first || !swarms->count || !swarms->component ||
        !list_members(e, arena, all))
        return false;
    for (uint32_t n = 0; n < e->plan->entity_count; n++) {
        uint32_t first = n;
        for (uint32_t k = 1; n > 0 && k < n && first == n; k++) {
            if (swarms->first[k] == k && same_entity(e, &all[k], &all[n]))
                first = k;
        }
        swarms->first[n] = first;
        swarms->count[first]++;
    }
    for (uint32_t n = 0; n < e->plan->entity_count; n++) {
        const uint32_t first = swarms->first[n];
        if (first != n && swarms->count[first] < FEWEST)
            swarms->first[n] = n;
    }
    for (uint32_t n = 0; n < e->plan->entity_count; n++) {
        const members *m = &all[n], *shown = &all[swarms->first[n]];
        swarms->count[n] = swarms->first[n] != n       ? 0
                           : swarms->count[n] < FEWEST ? 1
                                                       : swarms->count[n];
        swarms->any |= swarms->count[n] > 1;
        for (size_t i = 0; i < m->count; i++)
            swarms->component[m->items[i]] = shown->items[i];
    }
    return true;
}

bool tac__swarms_show_island(const tac_engine *e, const tac__swarms *swarms, size_t island)
{
    for (size_t i = 0; i < e->plan->islands[island].count; i++) {
        if (tac__swarms_show(swarms, e->plan->components[e->plan->islands[island].components[i]]))
            return true;
    }
    return false;
}

// --- the public functions -----------------------------------------------------------------------

// Returns the text as a block of its own from the default allocator, which needs no size to free
// it. In a table no line ends with spaces.
static char *finish(tac__text *text, bool table)
{
    const tac_allocator *a = tac_allocator_default();
    char *result =
        text->failed || !text->chars ? NULL : a->resize(a->context, NULL, 0, text->length + 1);
    if (result) {
        char *end = result;
        for (size_t i = 0; i < text->length; i++) {
            while (table && text->chars[i] == '\n' && end > result && end[-1] == ' ')
                end--;
            *end++ = text->chars[i];
        }
        *end = '\0';
    }
    tac__text_fini(text);
    return result;
}

void tac_text_free(char *text)
{
    const tac_allocator *a = tac_allocator_default();
    if (text)
        a->resize(a->context, text, 0, 0);
}

// Messages of ports, and which port has which.
static void add_message_types(const tac_engine *e, tac__text *out)
{
    for (int kind = TAC__LCM_NUMBERS; kind <= TAC__LCM_BYTES; kind++) {
        bool any = false;
        for (size_t i = 0; i < e->plan->sender_count; i++) {
            const tac__sender *sender = &e->plan->senders[i];
            if (sender->numbers != (kind == TAC__LCM_NUMBERS))
                continue;
            if (!any)
                tac__lcm_message_struct((tac__lcm_message)kind, out);
            tac__text_add(out, "// %s\n", sender->name);
            any = true;
        }
    }
    if (e->plan->sender_count)
        tac__lcm_envelope_struct(out);
}

static void add_lcm_types(const tac_engine *e, tac__text *out)
{
    tac__arena arena;
    tac__arena_init(&arena, e->allocator);
    tac__lcm_types types;
    tac_status status = tac__lcm_types_begin(
        &types, &arena, out, "Signals and messages of a simulation of Tactus; for lcm-gen.", NULL);
    if (status == TAC_OK)
        status = tac__schema_lcm(&e->plan->schema, &types, NULL);
    tac__lcm_types_end(&types);
    tac__arena_fini(&arena);
    add_message_types(e, out);
    if (status != TAC_OK)
        out->failed = true;
}

char *tac_engine_schema(const tac_engine *e, tac_format format)
{
    TAC__FLOATS;
    if (!e)
        return NULL;
    tac__text text;
    tac__text_init(&text, e->allocator);
    if (format == TAC_FORMAT_TEXT)
        tac__schema_text(&e->plan->schema, &text);
    else if (format == TAC_FORMAT_JSON)
        tac__schema_json(&e->plan->schema, &text);
    else if (format == TAC_FORMAT_LCM)
        add_lcm_types(e, &text);
    return finish(&text, format == TAC_FORMAT_TEXT);
}

static bool draw(const tac_engine *e, const tac__swarms *swarms, tac__arena *arena, bool svg,
                 tac__text *out)
{
    tac__picture picture;
    if (!tac__picture_make(e, swarms, arena, &picture))
        return false;
    if (svg)
        return tac__draw_svg(&picture, arena, out);
    tac__draw_dot(&picture, out);
    return true;
}

static bool draw_phases(const tac_engine *e, const tac__swarms *swarms, tac__arena *arena, bool svg,
                        tac__text *out)
{
    const tac__picture picture = {.engine = e, .swarms = swarms, .arena = arena};
    if (svg)
        return tac__draw_phases_svg(&picture, arena, out);
    tac__draw_phases_dot(&picture, out);
    return true;
}

static bool write_format(const tac_engine *e, tac_format format, bool phases,
                         const tac__swarms *swarms, tac__arena *arena, tac__text *out)
{
    switch (format) {
    case TAC_FORMAT_TEXT:
        (phases ? tac__phases_text : tac__explain_text)(e, swarms, out);
        return true;
    case TAC_FORMAT_JSON:
        (phases ? tac__phases_json : tac__explain_json)(e, out);
        return true;
    case TAC_FORMAT_DOT:
    case TAC_FORMAT_SVG:
        return (phases ? draw_phases : draw)(e, swarms, arena, format == TAC_FORMAT_SVG, out);
    case TAC_FORMAT_LCM:
        return false;
    }
    return false;
}

static char *explain(const tac_engine *e, tac_format format, bool phases)
{
    if (!e || e->life != TAC__PREPARED)
        return NULL;
    tac__text text;
    tac__arena arena;
    tac__swarms swarms;
    tac__text_init(&text, e->allocator);
    tac__arena_init(&arena, e->allocator);
    if (!tac__swarms_find(e, &arena, &swarms) ||
        !write_format(e, format, phases, &swarms, &arena, &text))
        text.failed = true;
    tac__arena_fini(&arena);
    return finish(&text, format == TAC_FORMAT_TEXT);
}

char *tac_engine_explain(const tac_engine *e, tac_format format)
{
    TAC__FLOATS;
    return explain(e, format, false);
}

char *tac_engine_explain_phases(const tac_engine *e, tac_format format)
{
    TAC__FLOATS;
    return explain(e, format, true);
}
