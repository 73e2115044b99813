// evaluator.c - see evaluator.h.
#include "engine/run/evaluator.h"
#include "engine/phases/phases.h"
#include "engine/run/packs.h"
#include "engine/run/profile.h"

#include <string.h>

const tac__form tac__forms[TAC_KINDS] = {
    [TAC_NUMBERS] = {.lanes = 1, .width = 1},
    [TAC_PACK2] = {.lanes = 2, .width = 2, .numbers = true},
    [TAC_PACK4] = {.lanes = 4, .width = 4, .numbers = true},
    [TAC_PACK8] = {.lanes = 8, .width = 8, .numbers = true},
    [TAC_DUALS] = {.lanes = 1, .width = TAC_DUAL_WIDTH},
    [TAC_DUALS_OF_ALL] = {.lanes = 1, .width = TAC_DUAL_WIDTH, .numbers = true},
    [TAC_SYMBOLS] =
        {.lanes = 1, .width = TAC_SYMBOL_WIDTH, .at = 1, .numbers = true, .symbols = true},
};
_Static_assert(sizeof(tac__sym_value) == TAC_SYMBOL_WIDTH * sizeof(double) &&
                   offsetof(tac__sym_value, value) == sizeof(double),
               "the form of symbols");

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// --- values -------------------------------------------------------------------------------------

// Doubles of each lane become constants of the kind.
static void constants(const tac__form *f, const double *const *from, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++, to += f->width) {
        for (size_t lane = 0; lane < f->lanes; lane++)
            to[f->at + lane] = from[lane][i];
        for (size_t d = f->lanes; d < f->width; d++)
            to[d - f->at] = 0;
    }
}

// Elements of any type become constants of a kind that has one lane.
static void constants_of(const tac__form *f, tac_scalar scalar, const void *from, size_t count,
                         double *to)
{
    for (size_t i = 0; i < count; i++) {
        const double value = tac__scalar_f64(scalar, from, i);
        const double *const one = &value;
        constants(f, &one, 1, to + i * f->width);
    }
}

size_t tac__form_words(const tac__form *f, const tac_type *type)
{
    return f->width * (f->symbols ? type->count : tac__type_words(type));
}

static size_t form_words_of_all(const tac__form *f, const tac__ports *ports)
{
    size_t words = 0;
    for (size_t k = 0; k < ports->count; k++)
        words += tac__form_words(f, &ports->items[k].type);
    return words;
}

static double converted(const tac__passage *p, double value)
{
    return p->gain * tac__factor_apply(p->factor, value) + p->offset;
}

// The derivatives of `converted` times those of the value.
static double slope(const tac__passage *p)
{
    return p->gain * (tac__factor_apply(p->factor, 1) - tac__factor_apply(p->factor, 0));
}

// The arithmetic of `converted`, in terms.
tac__sym_value tac__symbol_converted(tac__sym_value value, tac__factor f, double gain,
                                     double offset)
{
    const tac__sym_value num = {.value = f.num}, den = {.value = f.den};
    const tac__sym_value g = {.value = gain}, o = {.value = offset};
    const tac__sym_op first = f.divide_first ? TAC__SYM_div : TAC__SYM_mul;
    const tac__sym_op second = f.divide_first ? TAC__SYM_mul : TAC__SYM_div;
    value = tac__sym_make(first, value, f.divide_first ? den : num, value);
    value = tac__sym_make(second, value, f.divide_first ? num : den, value);
    return tac__sym_make(TAC__SYM_add, tac__sym_make(TAC__SYM_mul, g, value, g), o, o);
}

static void pass_symbols(const tac__passage *p)
{
    const tac__sym_value *from = p->from;
    tac__sym_value *to = (tac__sym_value *)(void *)p->to;
    for (uint32_t i = 0; i < p->count; i++)
        to[i] = p->scaled ? tac__symbol_converted(from[i], p->factor, p->gain, p->offset) : from[i];
}

static void pass(const tac__passage *p, const tac__form *f)
{
    if (f->symbols) {
        pass_symbols(p);
        return;
    }
    if (p->scalar != TAC_F64) { // single numbers, which have the same form in every kind
        for (size_t i = 0; i < p->count; i++) {
            const double value = tac__scalar_f64((tac_scalar)p->scalar, p->from, i);
            const double *const from[TAC__LANES_MAX] = {&value, &value, &value, &value,
                                                        &value, &value, &value, &value};
            constants(f, from, 1, p->to + i * f->width);
        }
        return;
    }
    const double *from = p->from;
    if (!p->scaled) {
        memcpy(p->to, from, p->count * f->width * sizeof *from);
        return;
    }
    const double each = f->width > f->lanes ? slope(p) : 0;
    for (size_t i = 0; i < p->count; i++, from += f->width) {
        double *to = p->to + i * f->width;
        for (size_t lane = 0; lane < f->lanes; lane++)
            to[lane] = converted(p, from[lane]);
        for (size_t d = f->lanes; d < f->width; d++)
            to[d] = each * from[d];
    }
}

static void pass_all(const tac__member *m, const tac__form *f)
{
    for (size_t i = 0; i < m->passage_count; i++)
        pass(&m->passages[i], f);
}

// --- evaluation ---------------------------------------------------------------------------------

// `timed` and `numbers` (the kind is TAC_NUMBERS) are constants wherever they are passed: there is
// one copy of the code for each.
ALWAYS_INLINE tac_status call(const tac__member *m, tac__eval_fn *eval, bool derive, bool timed)
{
    return timed ? tac__profile_eval(m->instance, eval, m->eval, m->self, derive)
                 : eval(m->eval, m->self);
}

ALWAYS_INLINE void set_time(const tac__member *m, const double *t_s, bool numbers)
{
    m->eval->t_s = *t_s;
    if (!numbers)
        m->eval->t_lanes = t_s;
}

// Is `output` called: for all outputs, or because the right-hand side needs some?
ALWAYS_INLINE bool puts_out(const tac__member *m, bool all)
{
    return m->kernels->output && (all || m->instance->plan->chained);
}

// An inactive component: outputs are those on the bus, as constants.
static void rest(const tac__member *m, const tac__form *f)
{
    const tac__component *c = m->instance->plan;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac_type *type = &c->outputs.items[k].type;
        const double *out = m->instance->step.out[k];
        const double *const from[TAC__LANES_MAX] = {out, out, out, out, out, out, out, out};
        if (f->symbols)
            constants_of(f, type->scalar, out, type->count, m->eval->out[k]);
        else if (type->scalar == TAC_F64 && m->resting)
            memcpy(m->eval->out[k], m->resting[k], type->count * f->width * sizeof(double));
        else if (type->scalar == TAC_F64)
            constants(f, from, type->count, m->eval->out[k]);
    }
}

// Symbols of a component that is active only where its gate is: elsewhere they are `rest`, NULL: 0.
static void close_gate(const tac__gate *gate, const tac__sym_value *rest, size_t count,
                       double *values)
{
    const tac__sym_value zero = {.pool = NULL};
    tac__sym_value *v = (tac__sym_value *)(void *)values;
    for (size_t i = 0; i < count; i++)
        v[i] = tac__sym_make(TAC__SYM_select, gate->active, v[i], rest ? rest[i] : zero);
}

static void close_outputs(const tac__member *m, const tac__gate *gate)
{
    const tac__ports *ports = &m->instance->plan->outputs;
    const tac__sym_value *rest = gate->rest;
    for (size_t k = 0; k < ports->count; k++) {
        close_gate(gate, rest, ports->items[k].type.count, m->eval->out[k]);
        rest += ports->items[k].type.count;
    }
}

// Nothing of the member is evaluated.
static bool is_closed(const tac__gate *gate)
{
    return !gate->active.pool && gate->active.value == 0;
}

// The gate of a member; NULL: none.
ALWAYS_INLINE const tac__gate *gate_of(const tac__evaluator *ev, size_t i, bool numbers)
{
    return numbers || !ev->gates ? NULL : &ev->gates[i];
}

// Which members are evaluated. Of numbers the live ones: inactive components cost nothing, or with
// the strategy `gate` are evaluated, too, and the result is dropped. Of other kinds all, as outputs
// and derivatives of those that are inactive have to be there.
ALWAYS_INLINE size_t live_count(const tac__evaluator *ev, bool numbers)
{
    return numbers ? ev->island->live_count : ev->count;
}

ALWAYS_INLINE size_t live_member(const tac__evaluator *ev, size_t i, bool numbers)
{
    return numbers ? ev->island->live[i] : i;
}

// Outputs that other components need before the rest of their component can be evaluated. Here
// `output` may see inputs that are not there yet, so its status and its other outputs do not count:
// the later call for all outputs does.
__attribute__((noinline)) static void early(const tac__evaluator *ev, const double *t_s, bool all)
{
    for (size_t i = 0; i < ev->early_count; i++) {
        const tac__member *m = &ev->members[ev->early[i]];
        const tac__gate *gate = gate_of(ev, ev->early[i], ev->kind == TAC_NUMBERS);
        if (!puts_out(m, all) || (gate ? is_closed(gate) : !m->instance->active))
            continue;
        pass_all(m, &tac__forms[ev->kind]);
        set_time(m, t_s, ev->kind == TAC_NUMBERS);
        (void)m->kernels->output(m->eval, m->self);
        if (gate && gate->rest)
            close_outputs(m, gate);
    }
}

// The component whose kernel failed, for reports.
ALWAYS_INLINE tac_status failed(const tac_instance *c, tac_status status, bool numbers)
{
    if (numbers)
        c->engine->islands[c->plan->island].failed = c->plan->index;
    return status;
}

ALWAYS_INLINE tac_status outputs(const tac__evaluator *ev, const double *t_s, bool all,
                                 bool numbers, bool timed)
{
    const tac__form *f = &tac__forms[numbers ? TAC_NUMBERS : ev->kind];
    if (ev->early_count)
        early(ev, t_s, all);
    for (size_t k = 0; k < live_count(ev, numbers); k++) {
        const size_t i = live_member(ev, k, numbers);
        const tac__member *m = &ev->members[i];
        tac_instance *c = m->instance;
        const tac__gate *gate = gate_of(ev, i, numbers);
        if (!gate && !numbers && !c->active) {
            rest(m, f);
            continue;
        }
        if (gate && is_closed(gate)) {
            close_outputs(m, gate);
            continue;
        }
        pass_all(m, f);
        set_time(m, t_s, numbers);
        if (!puts_out(m, all))
            continue;
        const tac_status status = call(m, m->kernels->output, false, timed);
        if (gate && gate->rest)
            close_outputs(m, gate);
        if (numbers && !c->active)
            tac__activity_close(c);
        else if (status != TAC_OK)
            return failed(c, status, numbers);
    }
    return TAC_OK;
}

ALWAYS_INLINE tac_status derive_all(const tac__evaluator *ev, double *dx, bool numbers, bool timed)
{
    const tac__form *f = &tac__forms[numbers ? TAC_NUMBERS : ev->kind];
    for (size_t k = 0; k < live_count(ev, numbers); k++) {
        const size_t i = live_member(ev, k, numbers);
        const tac__member *m = &ev->members[i];
        const tac_instance *c = m->instance;
        double *own = dx + m->x_at;
        const tac__gate *gate = gate_of(ev, i, numbers);
        if (gate ? is_closed(gate) : !numbers && !c->active) {
            memset(own, 0, c->plan->x_count * f->width * sizeof *own);
            continue;
        }
        if (!m->kernels->derive)
            continue;
        pass_all(m, f); // values of outputs that come later in the order are there only now
        m->eval->dx = own;
        const tac_status status = call(m, m->kernels->derive, true, timed);
        if (gate)
            close_gate(gate, NULL, c->plan->x_count, own);
        if (numbers && !c->active)
            memset(own, 0, c->plan->x_count * sizeof *own);
        else if (status != TAC_OK)
            return failed(c, status, numbers);
    }
    return TAC_OK;
}

// All outputs that are needed, then all derivatives.
ALWAYS_INLINE tac_status derive(const tac__evaluator *ev, const double *t_s, double *dx, bool timed)
{
    if (ev->kind != TAC_NUMBERS) {
        TAC_TRY(outputs(ev, t_s, false, false, timed));
        return derive_all(ev, dx, false, timed);
    }
    const tac__island *island = ev->island;
    if (island->resting) // states behind problem.n are not integrated
        memset(dx, 0, island->problem.n * sizeof *dx);
    TAC_TRY(outputs(ev, t_s, false, true, timed));
    return derive_all(ev, dx, true, timed);
}

// The short way saves 1 % of the time of a swarm of multirotors (bench/mission.c).
tac_status tac__evaluator_derive(const tac__evaluator *ev, const double *t_s, double *dx)
{
    if (!ev->simple)
        return derive(ev, t_s, dx, false);
    const tac__member *m = ev->members;
    set_time(m, t_s, false);
    m->eval->dx = dx;
    return m->kernels->derive(m->eval, m->self);
}

tac_status tac__evaluator_derive_timed(const tac__evaluator *ev, const double *t_s, double *dx)
{
    return derive(ev, t_s, dx, true);
}

tac_status tac__evaluator_outputs(const tac__evaluator *ev, const double *t_s, bool all)
{
    if (ev->simple && !all)
        return TAC_OK;
    return ev->kind == TAC_NUMBERS ? outputs(ev, t_s, all, true, false)
                                   : outputs(ev, t_s, all, false, false);
}

tac_status tac__evaluator_all(const tac__evaluator *ev, const double *t_s, double *dx)
{
    TAC_TRY(outputs(ev, t_s, true, false, false));
    return derive_all(ev, dx, false, false);
}

tac_status tac__evaluator_detect(const tac__evaluator *ev, const double *t_s, double *g)
{
    for (size_t i = 0; i < ev->count; i++) {
        const tac__member *m = &ev->members[i];
        if (!m->event_count)
            continue;
        set_time(m, t_s, ev->kind == TAC_NUMBERS);
        TAC_TRY(m->kernels->detect(m->eval, m->self, g + m->event_at));
    }
    return TAC_OK;
}

tac_status tac__evaluator_project(const tac__evaluator *ev, double *x)
{
    for (size_t i = 0; i < ev->count; i++) {
        const tac__member *m = &ev->members[i];
        const tac__gate *gate = gate_of(ev, i, ev->kind == TAC_NUMBERS);
        const size_t count = m->instance->plan->x_count;
        double *own = x + m->x_at;
        if (!m->kernels->project || (gate && is_closed(gate)))
            continue;
        if (gate)
            memcpy(gate->x, own, count * sizeof *gate->x);
        TAC_TRY(m->kernels->project(m->eval, m->self, own));
        if (gate)
            close_gate(gate, gate->x, count, own);
    }
    return TAC_OK;
}

// --- making -------------------------------------------------------------------------------------

bool tac__evaluator_exists(const tac_engine *e, const tac__island *island, tac_kind kind)
{
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac__component *c = e->plan->components[island->plan->components[i]];
        const tac_kernels *plain = &c->type->kernels[TAC_NUMBERS], *own = &c->type->kernels[kind];
        if ((plain->derive && !own->derive) || (plain->output && c->chained && !own->output))
            return false;
    }
    return true;
}

double *tac__lay_ports(const tac__ports *ports, const tac__form *f, double *memory, void **at)
{
    for (size_t k = 0; k < ports->count; k++) {
        at[k] = memory;
        memory += tac__form_words(f, &ports->items[k].type);
    }
    return memory;
}

// Values of packs are aligned to their size together.
static double *make_values(tac__arena *arena, size_t count, size_t width)
{
    return width == 1 ? tac__arena_array(arena, count, sizeof(double))
                      : tac__ode_array(arena, count * width);
}

static size_t place_of(const tac__evaluator *ev, size_t component)
{
    size_t i = 0;
    while (ev->members[i].instance->plan->index != component)
        i++;
    return i;
}

const void *tac__evaluator_signal(const tac_engine *e, const tac__evaluator *ev, int signal)
{
    const tac__signal *s = &e->plan->schema.signals[signal];
    const tac__component *writer = e->plan->components[s->component];
    const size_t k = tac__signal_place(writer, signal);
    if (!s->kind->state)
        return ev->members[place_of(ev, s->component)].eval->out[k];
    size_t offset = writer->x_offset;
    for (size_t n = writer->outputs.count; n < k; n++)
        offset += writer->continuous.items[n - writer->outputs.count].type.count;
    return ev->x + offset * tac__forms[ev->kind].width;
}

// Memory for outputs: values that only `step` writes are those on the bus. Values of other types
// than f64 have one form for all kinds, so these are the values of the evaluator of numbers.
static tac_status make_outputs(tac__arena *arena, const tac__evaluator *ev, const tac__member *m)
{
    const tac__component *c = m->instance->plan;
    const tac__form *f = &tac__forms[ev->kind];
    void **out = tac__arena_array(arena, c->outputs.count, sizeof *out);
    double *values = make_values(arena, form_words_of_all(f, &c->outputs) / f->width, f->width);
    if (!out || !values)
        return TAC_E_MEMORY;
    tac__lay_ports(&c->outputs, f, values, out);
    for (size_t k = 0; k < c->outputs.count; k++) {
        if (ev->kind == TAC_NUMBERS && !c->kinds[k].continuous)
            out[k] = c->out[k];
        else if (ev->kind != TAC_NUMBERS && !f->symbols &&
                 c->outputs.items[k].type.scalar != TAC_F64)
            out[k] = m->instance->scratch.out[k];
    }
    m->eval->out = out;
    return TAC_OK;
}

static tac__passage passage_of(const tac_engine *e, const tac__evaluator *ev,
                               const tac__component *c, size_t input, double *to)
{
    const tac__input *in = &c->in[input];
    const tac__port *port = &c->inputs.items[input];
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    const tac_scalar scalar = s->kind->type.scalar;
    const tac__form *f = &tac__forms[ev->kind];
    const size_t element =
        scalar == TAC_F64 || f->symbols ? f->width * sizeof(double) : tac__scalar_size(scalar);
    return (tac__passage){.from = (const char *)tac__evaluator_signal(e, ev, in->signal) +
                                  in->element * element,
                          .to = to,
                          .count = port->type.count,
                          .scalar = (uint8_t)scalar,
                          .scaled = tac__is_scaled(s, port, in->route),
                          .factor = tac__unit_factor(&s->kind->dimension, &port->dimension),
                          .gain = in->route->gain,
                          .offset = in->route->offset};
}

// Inputs: coupled ones from the writer's values, directly if the input has no buffer for a view.
// Held ones are read where numbers are, or copied from there.
static tac_status make_inputs(const tac_engine *e, tac__arena *arena, tac__evaluator *ev,
                              uint32_t member)
{
    tac__member *m = &ev->members[member];
    const tac__component *c = m->instance->plan;
    const bool numbers = ev->kind == TAC_NUMBERS;
    const tac__form *f = &tac__forms[ev->kind];
    size_t passages = 0, words = 0;
    for (size_t k = 0; k < c->inputs.count; k++) {
        const bool passed = c->in[k].coupled && c->in[k].buffer;
        passages += passed;
        words += passed || !numbers ? tac__form_words(f, &c->inputs.items[k].type) : 0;
    }
    const void **in = tac__arena_array(arena, c->inputs.count, sizeof *in);
    double *values = make_values(arena, words / f->width, f->width);
    m->passages = tac__arena_array(arena, passages, sizeof *m->passages);
    if (!in || !values || !m->passages)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->inputs.count; k++) {
        const tac_type *type = &c->inputs.items[k].type;
        const tac__input *input = &c->in[k];
        const bool held = !input->coupled;
        in[k] = numbers ? m->instance->bus.in[k] : m->instance->scratch.in[k];
        if (!held && !input->buffer) {
            const tac__passage p = passage_of(e, ev, c, k, NULL);
            in[k] = p.from;
        } else if (!held) {
            m->passages[m->passage_count++] = passage_of(e, ev, c, k, values);
            in[k] = values;
            values += tac__form_words(f, type);
        } else if (!numbers && (f->symbols || type->scalar == TAC_F64)) {
            ev->held[ev->held_count++] = (tac__held){values, type->count, member, (uint32_t)k};
            in[k] = values;
            values += tac__form_words(f, type);
        }
    }
    m->eval->in = in;
    return TAC_OK;
}

static tac_status make_members(tac_engine *e, tac__arena *arena, const tac__island *island,
                               tac__evaluator *ev)
{
    const tac__form *f = &tac__forms[ev->kind];
    size_t inputs = 0;
    for (uint32_t i = 0; i < ev->count; i++) {
        tac_instance *c = e->instances[island->plan->components[i]];
        tac__member *m = &ev->members[i];
        tac_eval *eval =
            ev->kind == TAC_NUMBERS ? &c->scratch : tac__arena_alloc(arena, sizeof *eval);
        if (!eval)
            return TAC_E_MEMORY;
        *eval = (tac_eval){.x = ev->x + c->plan->x_offset * f->width,
                           .mode = island->mode + c->plan->event_offset,
                           .p = c->plan->numbers,
                           .lanes = (uint32_t)f->lanes};
        *m = (tac__member){.eval = eval,
                           .kernels = &c->plan->type->kernels[ev->kind],
                           .event_count = c->plan->event_count,
                           .x_at = c->plan->x_offset * f->width,
                           .event_at = c->plan->event_offset * f->width,
                           .number_at = ev->number_count * f->width,
                           .self = c->plan->self,
                           .instance = c};
        ev->number_count += c->plan->number_count;
        inputs += ev->kind == TAC_NUMBERS ? 0 : c->plan->inputs.count;
    }
    ev->held = tac__arena_array(arena, inputs, sizeof *ev->held);
    for (uint32_t i = 0; i < ev->early_count; i++)
        ev->early[i] = (uint32_t)place_of(ev, island->plan->early[i]);
    return ev->held ? TAC_OK : TAC_E_MEMORY;
}

tac_status tac__evaluator_make(tac_engine *e, tac__arena *arena, const tac__island *island,
                               tac_kind kind, double *x, tac__evaluator **made)
{
    tac__evaluator *ev = tac__arena_alloc(arena, sizeof *ev);
    if (!ev)
        return TAC_E_MEMORY;
    *ev = (tac__evaluator){
        .kind = kind,
        .count = island->plan->count,
        .early_count = island->plan->early_count,
        .island = kind == TAC_NUMBERS ? island : NULL,
    };
    ev->x = x ? x : make_values(arena, island->plan->x_count, tac__forms[kind].width);
    ev->members = tac__arena_array(arena, ev->count, sizeof *ev->members);
    ev->early = tac__arena_array(arena, ev->early_count, sizeof *ev->early);
    if (!ev->x || !ev->members || !ev->early)
        return TAC_E_MEMORY;
    TAC_TRY(make_members(e, arena, island, ev));
    for (uint32_t i = 0; i < ev->count; i++)
        TAC_TRY(make_outputs(arena, ev, &ev->members[i]));
    for (uint32_t i = 0; i < ev->count; i++)
        TAC_TRY(make_inputs(e, arena, ev, i));
    const tac__member *m = ev->members;
    ev->simple = kind != TAC_NUMBERS && ev->count == 1 && !ev->early_count && !m->passage_count &&
                 m->kernels->derive && !m->instance->plan->chained && !island->plan->gated;
    *made = ev;
    return TAC_OK;
}

// --- subjects -----------------------------------------------------------------------------------

// The component of a lane that stands where member i of the evaluator does.
static tac_instance *instance_of(const tac__subject *s, size_t lane, size_t i)
{
    const tac__island *island = s->islands[lane];
    return island->engine->instances[island->plan->components[i]];
}

static bool same_numbers(const tac__evaluator *ev, const tac__subject *a, const tac__subject *b)
{
    for (size_t lane = 0; lane < tac__forms[ev->kind].lanes; lane++) {
        for (size_t i = 0; i < ev->count; i++) {
            const tac__component *c = instance_of(a, lane, i)->plan;
            const tac__component *d = instance_of(b, lane, i)->plan;
            if (c->numbers != d->numbers &&
                memcmp(c->numbers, d->numbers, c->number_count * sizeof *c->numbers))
                return false;
        }
    }
    return true;
}

static tac_status make_numbers(tac__arena *arena, const tac__evaluator *ev,
                               const tac__subject *like, tac__subject *s)
{
    const tac__form *f = &tac__forms[ev->kind];
    if (!f->numbers || !ev->number_count)
        return TAC_OK;
    if (like && same_numbers(ev, like, s)) {
        s->numbers = like->numbers;
        return TAC_OK;
    }
    double *to = make_values(arena, ev->number_count, f->width);
    if (!to)
        return TAC_E_MEMORY;
    s->numbers = to;
    for (size_t i = 0; i < ev->count; i++) {
        const double *from[TAC__LANES_MAX];
        for (size_t lane = 0; lane < f->lanes; lane++)
            from[lane] = instance_of(s, lane, i)->plan->numbers;
        const size_t count = ev->members[i].instance->plan->number_count;
        constants(f, from, count, to);
        to += count * f->width;
    }
    return TAC_OK;
}

tac_status tac__subject_make(tac__arena *arena, const tac__evaluator *ev,
                             tac__island *const *islands, const tac__subject *like, tac__subject *s)
{
    const tac__form *f = &tac__forms[ev->kind];
    *s = (tac__subject){.held = NULL};
    memcpy(s->islands, islands, f->lanes * sizeof(tac__island *));
    s->held = tac__arena_array(arena, ev->held_count * f->lanes, sizeof *s->held);
    s->mode = make_values(arena, islands[0]->plan->event_count, f->width);
    s->first = tac__arena_array(arena, ev->count, sizeof(tac_instance *));
    if (!s->held || !s->mode || !s->first)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < ev->count; i++)
        s->first[i] = instance_of(s, 0, i);
    for (size_t h = 0; h < ev->held_count; h++) {
        for (size_t lane = 0; lane < f->lanes; lane++)
            s->held[h * f->lanes + lane] =
                instance_of(s, lane, ev->held[h].member)->scratch.in[ev->held[h].input];
    }
    return make_numbers(arena, ev, like, s);
}

void tac__evaluator_aim(const tac__evaluator *ev, const tac__subject *s)
{
    for (size_t i = 0; i < ev->count; i++) {
        tac__member *m = &ev->members[i];
        m->instance = s->first[i];
        m->eval->mode = s->mode + m->event_at;
        if (s->numbers)
            m->eval->p = s->numbers + m->number_at;
    }
}

void tac__evaluator_hold(const tac__evaluator *ev, const tac__subject *s)
{
    const tac__form *f = &tac__forms[ev->kind];
    if (f->lanes > 1) { // at every step of lanes
        const tac__packs *packs = tac__packs_of(f->lanes);
        for (size_t h = 0; h < ev->held_count; h++)
            packs->gather(ev->held[h].count, s->held + h * f->lanes, ev->held[h].to);
        return;
    }
    for (size_t h = 0; h < ev->held_count; h++) {
        const tac__held *held = &ev->held[h];
        const tac__ports *inputs = &ev->members[held->member].instance->plan->inputs;
        if (f->symbols)
            constants_of(f, inputs->items[held->input].type.scalar, s->held[h], held->count,
                         held->to);
        else
            constants(f, s->held + h, held->count, held->to);
    }
}

void tac__subject_modes(const tac__evaluator *ev, const tac__subject *s)
{
    const tac__form *f = &tac__forms[ev->kind];
    const double *from[TAC__LANES_MAX];
    for (size_t lane = 0; lane < f->lanes; lane++)
        from[lane] = s->islands[lane]->mode;
    constants(f, from, s->islands[0]->plan->event_count, s->mode);
}
