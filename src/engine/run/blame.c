// blame.c - why a step failed: finds the component, the state or the input to name in the error.
#include "engine/run/loop.h"
#include "engine/run/integrate.h"

#include <math.h>

bool tac__name_bad_input(const tac_engine *e, const tac_instance *c, tac__out *out)
{
    for (size_t k = 0; k < c->plan->inputs.count; k++) {
        const tac__port *port = &c->plan->inputs.items[k];
        const tac__input *in = &c->plan->in[k];
        if (in->signal < 0 || in->coupled || port->type.scalar != TAC_F64)
            continue;
        const double *value = c->scratch.in[k];
        uint32_t i = 0;
        while (i < port->type.count && value[i] - value[i] == 0)
            i++;
        if (i == port->type.count)
            continue;
        const tac__signal *s = &e->plan->schema.signals[in->signal];
        tac__out_add(out, "input %s", port->name);
        if (port->type.count > 1)
            tac__out_add(out, "[%u]", i);
        tac__out_add(out, " from %s", s->name);
        if (s->kind->type.count > 1)
            tac__out_add(out, "[%u]", in->element + i);
        tac__out_add(out, " is %s", value[i] != value[i] ? "NaN" : "infinite");
        return true;
    }
    return false;
}

static const tac_instance *find_bad_input(const tac_engine *e, const tac__island *island,
                                          tac__out *out)
{
    for (size_t i = 0; i < island->live_count; i++) {
        const tac_instance *c = tac__island_live(island, i);
        if (c->active && tac__name_bad_input(e, c, out))
            return c;
    }
    return NULL;
}

// The state that begins at an offset in the state vector of the island.
typedef struct named_state {
    const tac_instance *component;
    const tac__port *port;
    uint32_t element;
} named_state;

static named_state state_at(const tac_engine *e, const tac__island *island, size_t index)
{
    for (size_t k = 0; k < island->plan->count; k++) {
        const tac_instance *c = e->instances[island->plan->components[k]];
        size_t offset = c->plan->x_offset;
        for (size_t s = 0; s < c->plan->continuous.count; s++) {
            const tac__port *port = &c->plan->continuous.items[s];
            if (index >= offset && index < offset + port->type.count)
                return (named_state){c, port, (uint32_t)(index - offset)};
            offset += port->type.count;
        }
    }
    return (named_state){0};
}

static tac_status fail_rhs(tac_engine *e, tac__island *island, tac_status status)
{
    tac__fail(e->err, status, "its right-hand side failed%s: %s",
              island->outcome == TAC__TOO_SMALL ? ", however short the step" : "",
              tac_status_text(status));
    return tac__run_failed(e, status, island->state->from_us,
                           e->plan->components[island->failed]->name);
}

static tac_status fail_state(tac_engine *e, tac__island *island, size_t index)
{
    const named_state s = state_at(e, island, index);
    const double value = island->y[index];
    tac__fail(e->err, TAC_E_NUMERIC, "state '%s.%s'", s.component->plan->name, s.port->name);
    if (s.port->type.count > 1)
        tac__error_append(e->err, "[%u]", s.element);
    tac__error_append(e->err, " became %s while integrating", value != value ? "NaN" : "infinite");
    return tac__run_failed(e, TAC_E_NUMERIC, island->state->from_us, s.component->plan->name);
}

static tac_status fail_small(tac_engine *e, tac__island *island)
{
    const tac__island_state *s = island->state;
    double worst = -1;
    size_t group = 0;
    for (size_t i = 0; i < island->problem.group_count; i++) {
        tac__ode_problem one = island->problem;
        one.groups += i;
        one.group_count = 1;
        const double error = tac__step_error(e, island, &one, s->to_us - s->from_us);
        if (error > worst) {
            worst = error;
            group = i;
        }
    }
    const named_state state = state_at(e, island, island->problem.groups[group].first);
    char h_min[TAC_TIME_TEXT];
    tac_time_print(e->plan->def.integrator.h_min_us, h_min);
    tac__fail(e->err, TAC_E_NUMERIC,
              "the integration step fell below %s: the error of state '%s.%s' is %.3g times what "
              "the tolerances allow",
              h_min, state.component->plan->name, state.port->name, worst);
    return tac__run_failed(e, TAC_E_NUMERIC, s->from_us, state.component->plan->name);
}

tac_status tac__step_failed(tac_engine *e, tac__island *island)
{
    const tac__island_state *s = island->state;
    char text[TAC_ERROR_TEXT];
    tac__out input = tac__out_begin(text, sizeof text);
    const tac_instance *c = find_bad_input(e, island, &input);
    if (c) {
        tac__fail(e->err, TAC_E_NUMERIC, "%s", text);
        return tac__run_failed(e, TAC_E_NUMERIC, s->from_us, c->plan->name);
    }
    if (island->outcome == TAC__TOO_MANY) {
        tac__fail(e->err, TAC_E_LIMIT,
                  "more than %llu integration steps without a boundary; the last was %llu us long",
                  (unsigned long long)e->plan->def.integrator.max_substeps,
                  (unsigned long long)(s->to_us - s->from_us));
        return tac__run_failed(e, TAC_E_LIMIT, s->from_us, island->plan->name);
    }
    // The last try again: islands share the memory of its stages and of its error.
    tac__ode_forget(&island->work);
    const tac_status status = tac__step_to(e, island, &island->work, s->to_us, island->y);
    if (status != TAC_OK)
        return fail_rhs(e, island, status);
    if (island->outcome == TAC__TOO_SMALL)
        return fail_small(e, island);
    for (size_t i = 0; i < island->plan->x_count; i++) {
        if (!(island->y[i] - island->y[i] == 0))
            return fail_state(e, island, i);
    }
    return fail_rhs(e, island, TAC_E_COMPONENT); // its events could not be located
}
