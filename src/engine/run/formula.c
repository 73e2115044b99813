// formula.c - signals of the plant as terms; see watch.h. The evaluator of symbols of an island
// runs once, with slots as its states, modes and held inputs.
#include "engine/run/evaluator.h"
#include "graph/terms.h"

#include <string.h>

typedef struct tac__formula_island {
    bool tried;
    tac__evaluator *evaluator; // NULL: there are no formulas
    tac__sym_value *rates;     // one per state
} formula_island;

tac_status tac__formulas_init(tac__formulas *f, tac_engine *e, tac__arena *arena,
                              struct tac__terms *pool)
{
    *f = (tac__formulas){.engine = e, .arena = arena, .pool = pool};
    f->islands = tac__arena_array(arena, e->plan->island_count, sizeof *f->islands);
    if (!f->islands)
        return TAC_E_MEMORY;
    f->time = tac__formula_slot(f, &(tac__slot){.kind = TAC__SLOT_TIME, .island = -1});
    return tac__terms_status(pool, NULL);
}

int32_t tac__formula_slot(tac__formulas *f, const tac__slot *slot)
{
    TAC_ASSERT(f->count == f->pool->input_count);
    if (!TAC__ARENA_GROW(f->arena, f->slots, f->count, f->capacity)) {
        f->pool->status = TAC_E_MEMORY;
        return 0;
    }
    const int32_t term = tac__term_input(f->pool);
    f->slots[f->count] = *slot;
    f->slots[f->count++].term = term;
    return term;
}

static tac__sym_value input(tac__formulas *f, const tac__slot *slot)
{
    return tac__sym_of(f->pool, tac__formula_slot(f, slot));
}

// Have all components of the island, where they have kernels of numbers, kernels of symbols?
static bool has_symbols(const tac_engine *e, const tac__island *island)
{
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac_component_type *type = e->plan->components[island->plan->components[i]]->type;
        const tac_kernels *plain = &type->kernels[TAC_NUMBERS], *own = &type->kernels[TAC_SYMBOLS];
        if ((plain->derive && !own->derive) || (plain->output && !own->output))
            return false;
    }
    return true;
}

static void make_states(tac__formulas *f, int island, size_t count, double *memory)
{
    tac__sym_value *x = (tac__sym_value *)(void *)memory;
    for (uint32_t i = 0; i < count; i++)
        x[i] = input(f, &(tac__slot){.kind = TAC__SLOT_STATE, .island = island, .index = i});
}

static void make_modes(tac__formulas *f, int island, const tac__subject *s)
{
    tac__sym_value *mode = (tac__sym_value *)(void *)s->mode;
    const tac__island *i = s->islands[0];
    for (uint32_t k = 0; k < i->plan->event_count; k++)
        mode[k] = input(f, &(tac__slot){.kind = TAC__SLOT_MODE,
                                        .island = island,
                                        .scalar = TAC_F64,
                                        .from = i->mode + k});
}

static void make_held(tac__formulas *f, int island, const tac__evaluator *ev, const tac__subject *s)
{
    for (size_t h = 0; h < ev->held_count; h++) {
        const tac__held *held = &ev->held[h];
        const tac__ports *inputs = &ev->members[held->member].instance->plan->inputs;
        tac__sym_value *to = (tac__sym_value *)(void *)held->to;
        for (uint32_t k = 0; k < held->count; k++)
            to[k] = input(f, &(tac__slot){.kind = TAC__SLOT_HELD,
                                          .island = island,
                                          .element = k,
                                          .scalar = inputs->items[held->input].type.scalar,
                                          .from = s->held[h]});
    }
}

// Outputs of a component while it is not active: they rest, or keep the values on the bus.
static tac__sym_value *make_rest(tac__formulas *f, int island, const tac__component *c)
{
    size_t count = 0;
    for (size_t k = 0; k < c->outputs.count; k++)
        count += c->outputs.items[k].type.count;
    tac__sym_value *rest = tac__arena_array(f->arena, count + 1, sizeof *rest), *to = rest;
    for (size_t k = 0; rest && k < c->outputs.count; k++) {
        const tac_type *type = &c->outputs.items[k].type;
        double *value = tac__arena_array(f->arena, tac__type_words(type), sizeof *value);
        if (!value)
            return NULL;
        tac__type_rest(type, value);
        for (uint32_t i = 0; i < type->count; i++)
            *to++ = c->hold ? input(f, &(tac__slot){.kind = TAC__SLOT_HELD,
                                                    .island = island,
                                                    .element = i,
                                                    .scalar = type->scalar,
                                                    .from = c->out[k]})
                            : (tac__sym_value){.value = tac__scalar_f64(type->scalar, value, i)};
    }
    return rest;
}

static bool make_gates(tac__formulas *f, int island, tac__evaluator *ev)
{
    tac__gate *gates = tac__arena_array(f->arena, ev->count, sizeof *gates);
    for (size_t i = 0; gates && i < ev->count; i++) {
        const tac_instance *c = ev->members[i].instance;
        gates[i].active = (tac__sym_value){.value = 1};
        gates[i].x = tac__arena_array(f->arena, c->plan->x_count + 1, sizeof *gates[i].x);
        if (!gates[i].x)
            return false;
        if (!c->plan->active_names)
            continue;
        gates[i].active = input(f, &(tac__slot){.kind = TAC__SLOT_MODE,
                                                .island = island,
                                                .scalar = TAC_BOOL,
                                                .from = &c->active});
        gates[i].rest = make_rest(f, island, c->plan);
        if (!gates[i].rest)
            return false;
    }
    ev->gates = gates;
    ev->simple = false;
    return gates != NULL;
}

static tac_status make_island(tac__formulas *f, int number)
{
    tac_engine *e = f->engine;
    tac__island *island = &e->islands[number];
    formula_island *made = &f->islands[number];
    made->tried = true;
    if (!has_symbols(e, island))
        return TAC_OK;
    tac__evaluator *ev;
    tac__subject s;
    TAC_TRY(tac__evaluator_make(e, f->arena, island, TAC_SYMBOLS, NULL, &ev));
    TAC_TRY(tac__subject_make(f->arena, ev, &island, NULL, &s));
    tac__evaluator_aim(ev, &s);
    made->rates = tac__arena_array(f->arena, island->plan->x_count + 1, sizeof *made->rates);
    if (!made->rates)
        return TAC_E_MEMORY;
    make_states(f, number, island->plan->x_count, ev->x);
    make_modes(f, number, &s);
    make_held(f, number, ev, &s);
    if (island->plan->gated && !make_gates(f, number, ev))
        return TAC_E_MEMORY;
    const tac__sym_value t = tac__sym_of(f->pool, f->time);
    if (tac__evaluator_all(ev, (const double *)(const void *)&t, (double *)(void *)made->rates) ==
        TAC_OK)
        made->evaluator = ev;
    return tac__terms_status(f->pool, NULL);
}

tac_status tac__formula_signal(tac__formulas *f, int signal, uint32_t element, int32_t *term)
{
    const tac__signal *s = &f->engine->plan->schema.signals[signal];
    const int island = f->engine->plan->components[s->component]->island;
    *term = -1;
    if (!f->islands[island].tried)
        TAC_TRY(make_island(f, island));
    const tac__evaluator *ev = f->islands[island].evaluator;
    if (!ev)
        return TAC_OK;
    const tac__sym_value *value = tac__evaluator_signal(f->engine, ev, signal);
    *term = tac__term_of(f->pool, value[element]);
    return tac__terms_status(f->pool, NULL);
}

int32_t tac__formula_rate(const tac__formulas *f, int island, uint32_t state)
{
    return tac__term_of(f->pool, f->islands[island].rates[state]);
}
