// order.c - the order in which discrete components run at a boundary: by stage, inside a stage
// writers before readers, and where there is a choice as declared.
#include "engine/plan/prepare.h"
#include "engine/plan/find.h"
#include "engine/plan/outside.h"
#include "engine/plan/toposort.h"
#include "engine/phases/phases.h"

#include <string.h>

// Must the writer of this input run before its reader, at boundaries that they share? States and
// outputs of the plant have their values before any stage, or after stage 3: a component that
// writes them must run first only if its step may change a state at once.
static bool is_dependency(const tac__plan *e, const tac__component *reader, size_t input)
{
    const tac__input *in = &reader->in[input];
    const tac__signal *s = &e->schema.signals[in->signal];
    const tac__component *writer = e->components[s->component];
    return writer->type->kernels[TAC_NUMBERS].step && !tac__is_machine(writer) &&
           reader->type->kernels[TAC_NUMBERS].step && writer->stage == reader->stage &&
           (!s->kind->continuous || writer->stage == TAC_STAGE_ACTUATE) && !in->route->delayed &&
           in->route->delay_us == 0 && !(reader->inputs.items[input].flags & TAC_PORT_DERIVE_ONLY);
}

// A signal that is written in a later stage can only be seen one boundary late, and the route must
// say so.
static tac_status check_stages(const tac__plan *e, const tac__component *reader, size_t input,
                               tac_error *err)
{
    const tac__input *in = &reader->in[input];
    const tac__signal *s = &e->schema.signals[in->signal];
    if (!reader->type->kernels[TAC_NUMBERS].step || s->kind->state ||
        s->kind->stage <= reader->stage || in->route->delayed || in->route->delay_us ||
        (reader->inputs.items[input].flags & TAC_PORT_DERIVE_ONLY))
        return TAC_OK;
    return tac__fail_at(err, TAC_E_CONFIG, &in->route->place,
                        "'%s' (stage %s) reads '%s', which is written later, in stage %s: say "
                        "'delayed: true' to see the value of the last boundary",
                        reader->name, tac_stage_name(reader->stage), s->name,
                        tac_stage_name(s->kind->stage));
}

enum { CYCLE_SHOWN = 16 };

static tac_status fail_cycle(const tac__plan *e, const tac__precedence *g, const uint32_t *loop,
                             size_t count, tac_error *err)
{
    const tac__component *first = e->components[loop[0]];
    tac__fail_at(err, TAC_E_CYCLE, &first->place,
                 "components of stage '%s' wait for each other: ", tac_stage_name(first->stage));
    const size_t shown = count < CYCLE_SHOWN ? count : CYCLE_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const uint32_t a = loop[i], b = loop[(i + 1) % count];
        const int signal = tac__precedence_signal(g, a, b);
        tac__error_append(err, "%s -> (%s) -> ", e->components[a]->name,
                          e->schema.signals[signal].name);
    }
    if (shown < count)
        tac__error_append(err, "and %zu more -> ", count - shown);
    tac__error_append(err, "%s; declare one of these routes 'delayed: true'", first->name);
    return TAC_E_CYCLE;
}

static tac_status sort_by_signals(tac__plan *e, uint32_t *order, tac_error *err)
{
    tac__precedence g = {.nodes = e->component_count};
    for (uint32_t i = 0; i < e->component_count; i++) {
        const tac__component *reader = e->components[i];
        for (size_t k = 0; k < reader->inputs.count; k++) {
            const tac__input *in = &reader->in[k];
            if (in->signal < 0)
                continue;
            const uint32_t writer = e->schema.signals[in->signal].component;
            if (!is_dependency(e, reader, k))
                continue;
            if (!TAC__ARENA_GROW(&e->arena, g.edges, g.count, g.capacity))
                return tac__fail_memory(err);
            g.edges[g.count++] = (tac__edge){writer, i, in->signal};
        }
    }
    size_t count;
    const tac_status status = tac__toposort(&g, &e->arena, order, &count);
    return status == TAC_E_CYCLE ? fail_cycle(e, &g, order, count, err) : status;
}

// An explicit order names every discrete component once.
static tac_status sort_as_given(tac__plan *e, uint32_t *order, tac_error *err)
{
    bool *named = tac__arena_array(&e->arena, e->component_count, sizeof *named);
    if (!named)
        return tac__fail_memory(err);
    size_t count = 0;
    for (size_t i = 0; i < e->order_count; i++) {
        const tac__component *found = tac__find_component(e, e->order[i]);
        if (!found) {
            tac__fail_at(err, TAC_E_NAME, &e->order_place, "order: unknown component '%s'",
                         e->order[i]);
            tac__error_suggest(err, e->order[i], tac__component_name, e);
            return TAC_E_NAME;
        }
        const uint32_t c = found->index;
        if (named[c])
            return tac__fail_at(err, TAC_E_DUPLICATE, &e->order_place, "order: '%s' is named twice",
                                e->order[i]);
        named[c] = true;
        order[count++] = c;
    }
    for (uint32_t c = 0; c < e->component_count; c++) {
        if (!named[c] && e->components[c]->type->kernels[TAC_NUMBERS].step &&
            !tac__is_outside(e->components[c]))
            return tac__fail_at(err, TAC_E_CONFIG, &e->order_place,
                                "order: '%s' is missing; an explicit order names every component "
                                "that steps",
                                e->components[c]->name);
        if (!named[c])
            order[count++] = c;
    }
    return TAC_OK;
}

tac_status tac__order_components(tac__plan *e, tac_error *err)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac__component *reader = e->components[i];
        for (size_t k = 0; k < reader->inputs.count; k++) {
            if (reader->in[k].signal >= 0)
                TAC_TRY(check_stages(e, reader, k, err));
        }
    }
    uint32_t *order = tac__arena_array(&e->arena, e->component_count, sizeof *order);
    e->sequence = tac__arena_array(&e->arena, e->component_count, sizeof *e->sequence);
    if (!order || !e->sequence)
        return tac__fail_memory(err);
    TAC_TRY(e->order ? sort_as_given(e, order, err) : sort_by_signals(e, order, err));
    for (int stage = 0; stage < TAC_STAGE_COUNT; stage++) {
        for (size_t i = 0; i < e->component_count; i++) {
            const tac__component *c = e->components[order[i]];
            if (c->type->kernels[TAC_NUMBERS].step && c->stage == (tac_stage)stage)
                e->sequence[e->sequence_count++] = order[i];
        }
    }
    return TAC_OK;
}
