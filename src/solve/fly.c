// fly.c - the solution of an optimisation in the simulator: its inputs are written as they are,
// held over short steps, and the states are compared with those of the solution.
#include "engine/plan/component.h"
#include "engine/watch.h"
#include "solve/optimize.h"

#include <math.h>
#include <string.h>
#include <tactus/outside.h>

enum { STEPS = 4000, WIDEST = 64 };

tac_status tac__optimum_begin(const tac_optimum *o, tac_engine *e, tac_error *err)
{
    const tac__plant *p = o->plant;
    const double *x = tac__phase_point(o->collocation, o->z, 0, 0);
    for (size_t i = 0; i < p->x_count; i += p->x[i].type.count)
        TAC_TRY(tac_engine_set_initial(e, tac_engine_find_signal(e, p->x[i].base), x + i,
                                       p->x[i].type.count, NULL, err));
    return TAC_OK;
}

// The number of an input by its full name; -1: there is none, or it is not from outside.
static int find_input(const tac_engine *e, const char *base)
{
    const char *dot = strrchr(base, '.');
    const size_t length = (size_t)(dot - base);
    for (size_t i = 0; i < tac_engine_input_count(e); i++) {
        const tac_input_info info = tac_engine_input_info(e, (int)i);
        if (info.outside && !strcmp(info.name, dot + 1) && strlen(info.component) == length &&
            !memcmp(info.component, base, length))
            return (int)i;
    }
    return -1;
}

// The phase at a time since the start, and the time in it.
static size_t phase_at(const tac_optimum *o, double t_s, double *in_phase)
{
    size_t k = 0;
    *in_phase = t_s;
    while (k + 1 < o->phase_count && *in_phase > tac__phase_duration(o->collocation, o->z, k))
        *in_phase -= tac__phase_duration(o->collocation, o->z, k++);
    return k;
}

// Write the inputs that are variables, whole ports at a time.
static tac_status write_inputs(const tac_optimum *o, tac_engine *e, const int *numbers,
                               tac_time t_us, const double *u, tac_error *err)
{
    const tac__plant *p = o->plant;
    double port[WIDEST];
    for (size_t k = 0; k < o->input_count;) {
        const tac__quantity *q = &p->u[o->inputs[k]];
        const size_t first = o->inputs[k] - q->element, number = k;
        memcpy(port, p->u0 + first, q->type.count * sizeof *port);
        for (; k < o->input_count && p->u[o->inputs[k]].base == q->base; k++)
            port[p->u[o->inputs[k]].element] = u[k];
        TAC_TRY(tac_engine_write(e, numbers[number], t_us, port, err));
    }
    return TAC_OK;
}

static tac_status read_states(const tac_optimum *o, tac_engine *e, tac_time t_us, double *x,
                              tac_error *err)
{
    const tac__plant *p = o->plant;
    for (size_t i = 0; i < p->x_count; i += p->x[i].type.count) {
        const double *value = tac_engine_read_at(e, tac_engine_find_signal(e, p->x[i].base), t_us);
        if (!value)
            return tac__fail(err, TAC_E_NUMERIC, "'%s' has no value", p->x[i].base);
        memcpy(x + i, value, p->x[i].type.count * sizeof *x);
    }
    return TAC_OK;
}

static void compare(const tac_optimum *o, const double *flown, const double *planned)
{
    for (size_t i = 0; i < o->plant->x_count; i++)
        o->most_x[i] = fmax(o->most_x[i], fabs(flown[i] - planned[i]));
}

static tac_status fly(tac_optimum *o, tac_engine *e, const int *numbers, double *u, tac_error *err)
{
    double in_phase;
    for (tac_time t_us = 0; t_us < o->end_us;) {
        // A step ends where a phase does, and the inputs are those of its middle.
        tac_time next_us = t_us + o->step_us < o->end_us ? t_us + o->step_us : o->end_us;
        double begin_s = 0;
        for (size_t k = 0; k < o->phase_count; k++) {
            begin_s += tac__phase_duration(o->collocation, o->z, k);
            const tac_time change_us = (tac_time)(begin_s * 1e6 + 0.5);
            if (change_us > t_us && change_us < next_us)
                next_us = change_us;
        }
        const double middle_s = ((double)t_us + (double)next_us) * 0.5e-6;
        const size_t k = phase_at(o, middle_s, &in_phase);
        tac__phase_at(o->collocation, o->z, k, in_phase, NULL, u);
        TAC_TRY(write_inputs(o, e, numbers, t_us, u, err));
        // The boundary at next_us comes with the next step: its inputs are to be written yet.
        TAC_TRY(next_us < o->end_us ? tac_engine_advance(e, next_us, err)
                                    : tac_engine_run(e, next_us, err));
        t_us = next_us;
        const size_t now = phase_at(o, (double)t_us * 1e-6, &in_phase);
        tac__phase_at(o->collocation, o->z, now, in_phase, o->planned_x, NULL);
        TAC_TRY(read_states(o, e, t_us, o->flown_x, err));
        compare(o, o->flown_x, o->planned_x);
    }
    return TAC_OK;
}

tac_status tac__optimum_fly(tac_optimum *o, tac_engine *e, tac_error *err)
{
    const tac__plant *p = o->plant;
    const size_t n = p->x_count;
    int *numbers = tac__arena_array(&o->arena, o->input_count, sizeof *numbers);
    double *u = tac__arena_array(&o->arena, o->input_count, sizeof *u);
    o->flown_x = tac__arena_array(&o->arena, n, sizeof *o->flown_x);
    o->planned_x = tac__arena_array(&o->arena, n, sizeof *o->planned_x);
    o->most_x = tac__arena_array(&o->arena, n, sizeof *o->most_x);
    if (!numbers || !u || !o->flown_x || !o->planned_x || !o->most_x)
        return tac__fail_memory(err);
    for (size_t k = 0; k < o->input_count; k++) {
        const tac__quantity *q = &p->u[o->inputs[k]];
        numbers[k] = find_input(e, q->base);
        if (numbers[k] >= 0 && q->type.count <= WIDEST)
            continue;
        o->not_flown = tac__arena_format(&o->arena, "input '%s' is not 'from: outside'", q->base);
        return o->not_flown ? TAC_OK : tac__fail_memory(err);
    }
    double all_s = 0;
    for (size_t k = 0; k < o->phase_count; k++)
        all_s += tac__phase_duration(o->collocation, o->z, k);
    o->end_us = (tac_time)(all_s * 1e6 + 0.5);
    o->step_us = o->end_us / STEPS > 0 ? o->end_us / STEPS : 1;
    if (o->end_us > tac__watch_run(e).end_us) {
        o->not_flown = "the duration of the simulation is shorter than the solution";
        return TAC_OK;
    }
    TAC_TRY(fly(o, e, numbers, u, err));
    o->flown = true;
    return TAC_OK;
}
