// result.c - see result.h.
#include "solve/result.h"

#include <string.h>

// --- compiling ----------------------------------------------------------------------------------

typedef struct scope {
    const tac_engine *engine;
    const tac__result *result;
    const char *const *names;
} scope;

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    const scope *s = context;
    for (size_t i = 0; i < s->result->count; i++) {
        const int number = s->result->inputs[i].signal;
        if (number < 0 || strcmp(s->names[i], name))
            continue;
        const tac__signal_kind *kind = tac__watch_schema(s->engine)->signals[number].kind;
        signal->index = (int)i;
        signal->type = kind->type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
        signal->unit = kind->unit;
        signal->labels = kind->type.scalar == TAC_ENUM ? kind->type.labels : NULL;
        return true;
    }
    return false;
}

static const char *candidate(const void *context, size_t i)
{
    const scope *s = context;
    return tac__schema_name(tac__watch_schema(s->engine), i);
}

static tac_status find_inputs(tac__arena *arena, const tac_engine *e, const char *const *names,
                              tac__result *r, tac_error *err)
{
    r->inputs = tac__arena_array(arena, r->count, sizeof *r->inputs);
    r->values = tac__arena_array(arena, r->count, sizeof *r->values);
    r->dual_in = tac__arena_array(arena, r->count, sizeof *r->dual_in);
    if (!r->inputs || !r->values || !r->dual_in)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->count; i++) {
        tac__result_input *in = &r->inputs[i];
        in->signal = tac__watch_element_in(e, "", names[i], &in->element);
        in->island = -1;
        r->values[i] = &in->value;
        if (in->signal < 0)
            continue;
        const tac__signal *s = &tac__watch_schema(e)->signals[in->signal];
        in->scalar = s->kind->type.scalar;
        if (s->kind->continuous)
            in->island = tac__watch_component(e, s->component).island;
    }
    return TAC_OK;
}

// The unit of a number in SI, as text: "kg*m^2/s^2".
static const char *si_text(tac__arena *arena, const tac__unit *unit)
{
    static const char *const names[TAC__UNIT_DIMENSIONS] = {"m", "kg", "s", "A", "K", "rad"};
    const char *text = "";
    for (int i = 0; text && i < TAC__UNIT_DIMENSIONS; i++) {
        const int power = unit->power[i];
        if (power == 1)
            text = tac__arena_format(arena, "%s%s%s", text, *text ? "*" : "", names[i]);
        else if (power)
            text = tac__arena_format(arena, "%s%s%s^%d", text, *text ? "*" : "", names[i], power);
    }
    return text && *text ? text : text ? "1" : NULL;
}

static tac_status parse(tac__arena *arena, const char *text, tac__expr **expr, tac_error *err)
{
    TAC_TRY(tac__expr_parse(arena, text, expr, err));
    if (tac__expr_memory(*expr))
        return tac__fail(err, TAC_E_CONFIG,
                         "'%s' remembers earlier values, so it is no function of one instant",
                         text);
    return TAC_OK;
}

// The unit of a signal is taken as it is; other expressions are computed in SI.
static tac_status choose_unit(tac__arena *arena, const tac__expr_scope *outer, const tac_engine *e,
                              const char *only, tac__result *r, tac_error *err)
{
    tac__expr *expr;
    TAC_TRY(parse(arena, r->text, &expr, err));
    TAC_TRY(tac__expr_compile(arena, expr, TAC__EXPR_NUMBER, NULL, outer, &r->program, err));
    if (r->count == 1 && !strcmp(only, r->text))
        r->unit = tac__watch_schema(e)->signals[r->inputs[0].signal].kind->unit;
    else
        r->unit = si_text(arena, tac__expr_unit_of(expr));
    return r->unit ? TAC_OK : tac__fail_memory(err);
}

tac_status tac__result_compile(tac__arena *arena, const tac_engine *e, const char *text,
                               tac__expr_type wanted, tac__result *r, tac_error *err)
{
    tac__expr *expr;
    *r = (tac__result){.text = text, .condition = wanted == TAC__EXPR_BOOL};
    TAC_TRY(parse(arena, text, &expr, err));
    scope s = {.engine = e, .result = r};
    s.names = tac__expr_signals(expr, &r->count);
    TAC_TRY(find_inputs(arena, e, s.names, r, err));
    const tac__expr_scope outer = {find, candidate, &s};
    if (!r->condition)
        TAC_TRY(choose_unit(arena, &outer, e, r->count ? s.names[0] : "", r, err));
    TAC_TRY(tac__expr_compile(arena, expr, wanted, r->unit, &outer, &r->program, err));
    if (!r->condition)
        return tac__expr_duals_compile(arena, expr, &r->duals, err);
    TAC_TRY(tac__margin_compile(arena, expr, &r->margin, err));
    return tac__margin_prepare_duals(arena, expr, r->margin, err);
}

// --- evaluating ---------------------------------------------------------------------------------

bool tac__result_holds(const tac__result *r, tac_time t_us)
{
    return tac__program_run(r->program, t_us, r->values, NULL).value != 0;
}

double tac__result_value(const tac__result *r, tac_time t_us)
{
    return r->margin ? tac__margin_run(r->margin, t_us, r->values, NULL, NULL).margin
                     : tac__program_run(r->program, t_us, r->values, NULL).value;
}

void tac__result_differentiate(const tac__result *r, tac_time t_us, const double *duals, bool along,
                               double *by)
{
    const double t[TAC_DUAL_WIDTH] = {tac_time_seconds(t_us), along ? 1 : 0};
    double value[TAC_DUAL_WIDTH];
    for (size_t i = 0; i < r->count; i++)
        r->dual_in[i] = duals + i * TAC_DUAL_WIDTH;
    if (r->margin)
        tac__margin_run_duals(r->margin, t_us, r->values, t, r->dual_in, value);
    else
        tac__expr_duals_run(r->duals, t, r->dual_in, value);
    memcpy(by, value + 1, TAC_DUAL_DIRECTIONS * sizeof *by);
}
