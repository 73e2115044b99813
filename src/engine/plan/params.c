// params.c - parameters that are numbers: with units and ranges, whole ones, times, true or false.
#include "engine/plan/given.h"
#include "base/node.h"
#include "graph/terms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// The number that a faulty parameter reads as. Authors size arrays by it before the mistake is
// reported.
static double fallback_number(const tac_param_def *p)
{
    double value = 0;
    if (!p->fallback || *p->fallback == '[' ||
        tac__quantity_parse(p->fallback, p->unit, &value, NULL) != TAC_OK)
        return 0;
    return value;
}

static double read_number(tac_declare *d, const tac_param_def *p, const tac__given *g, size_t i)
{
    char buffer[TAC__GIVEN_TEXT];
    const char *text = tac__given_text(d, g, i, buffer);
    double value = 0;
    tac_error err;
    if (g->node && tac_node_quoted(g->list ? tac_node_item(g->node, i) : g->node) &&
        !strpbrk(text, "0123456789")) {
        tac__given_wrong_form(d, p, g, i, "expected a number, found the text '%s'", text);
        return fallback_number(p);
    }
    if (tac__quantity_parse(text, p->unit, &value, &err) != TAC_OK) {
        tac__given_wrong(d, p, g, i, &err);
        return fallback_number(p);
    }
    if (!in_range(p->range, value)) {
        tac__fail(&err, TAC_E_RANGE, "%s is out of range; expected %s%s%s%s", text,
                  p->range ? "a value in " : "a finite number", p->range ? p->range : "",
                  p->unit ? " " : "", p->unit ? p->unit : "");
        tac__given_wrong(d, p, g, i, &err);
        return fallback_number(p);
    }
    return value;
}

// Is this the parameter of the present map that `v` names?
static bool is_named(const tac_declare *d, const char *name, const tac_param_value *v)
{
    const tac__scope *scope = &d->scopes[d->depth];
    const size_t prefix = strlen(scope->prefix);
    return !strcmp(v->component, scope->owner) && !strncmp(v->name, scope->prefix, prefix) &&
           !strcmp(v->name + prefix, name);
}

// Values that are given by tac_engine_def take the place of those that were read.
static void replace_numbers(tac_declare *d, const tac_param_def *p, double *values, size_t count)
{
    d->read = p->name;
    for (size_t i = 0; d->plan && i < d->plan->def.value_count; i++) {
        const tac_param_value *v = &d->plan->def.values[i];
        if (v->element >= count || !is_named(d, p->name, v))
            continue;
        if (in_range(p->range, v->value))
            values[v->element] = v->value;
        else
            tac__param_fail(d, p, &d->instance->place, TAC_E_RANGE, "its value is out of range");
    }
}

static void record_numbers(tac_declare *d, const tac_param_def *p, const char *kind,
                           const double *values, size_t count, bool list)
{
    char number[TAC__NUMBER_TEXT];
    if (count == 1 && !list) { // most parameters
        tac__number_print(*values, number);
        tac__param_record(d, p, kind, number, NULL);
        return;
    }
    tac__text text;
    tac__text_init(&text, d->arena->allocator);
    for (size_t i = 0; i < count; i++) {
        tac__number_print(values[i], number);
        tac__text_add(&text, "%s%s", i ? ", " : list ? "[" : "", number);
    }
    if (list)
        tac__text_add(&text, count ? "]" : "[]");
    if (text.failed || !text.chars)
        tac__declare_no_memory(d);
    else
        tac__param_record(d, p, kind, text.chars, NULL);
    tac__text_fini(&text);
}

bool tac_param_symbol(const tac_declare *d, size_t element, double *symbol)
{
    for (size_t i = 0; d->symbols && i < d->plan->def.value_count; i++) {
        const tac_param_value *v = &d->plan->def.values[i];
        if (v->element != element || !is_named(d, d->read, v))
            continue;
        const tac__sym_value input = tac__sym_of(d->symbols, (int32_t)i);
        memcpy(symbol, &input, sizeof input);
        return true;
    }
    return false;
}

double tac_param_f64(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    double value = tac__param_look_up(d, p, false, &g) ? read_number(d, p, &g, 0) : 0;
    replace_numbers(d, p, &value, 1);
    record_numbers(d, p, "f64", &value, 1, false);
    return value;
}

int tac_param_input(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    p_own.flags |= TAC_PARAM_TUNABLE;
    const double value = tac_param_f64(d, p);
    const int i =
        tac_declare_input(d, TAC_PORT(.name = p->name, .type = TAC_TYPE_F64, .unit = p->unit,
                                      .doc = p->doc, .flags = TAC_PORT_OPTIONAL));
    if (!d->failed) {
        d->instance->inputs.items[i].has_rest = true;
        d->instance->inputs.items[i].rest = value;
        if (!tac__scope_of(d)->peer)
            d->params[d->instance->param_count - 1].input = i;
    }
    return i;
}

void tac_param_array(tac_declare *d, const tac_param_def *p, double *values, size_t count)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    memset(values, 0, count * sizeof *values);
    if (tac__param_look_up(d, p, true, &g)) {
        if (g.list && g.count != count) {
            tac_error err;
            tac__fail(&err, TAC_E_TYPE, "expected %zu numbers, found %zu", count, g.count);
            tac__given_wrong(d, p, &g, TAC__GIVEN_WHOLE, &err);
        } else {
            // A single value stands for all elements.
            for (size_t i = 0; i < count; i++)
                values[i] = read_number(d, p, &g, g.list ? i : 0);
        }
    }
    replace_numbers(d, p, values, count);
    record_numbers(d, p, "array", values, count, true);
}

const double *tac_param_list(tac_declare *d, const tac_param_def *p, size_t max, size_t *count)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    *count = 0;
    const bool found = tac__param_look_up(d, p, true, &g);
    double *values =
        tac__arena_array(d->arena, found && g.count <= max ? g.count : 0, sizeof *values);
    if (!values)
        tac__declare_no_memory(d);
    if (values && found) {
        if (g.count > max) {
            tac_error err;
            tac__fail(&err, TAC_E_LIMIT, "expected at most %zu numbers, found %zu", max, g.count);
            tac__given_wrong(d, p, &g, TAC__GIVEN_WHOLE, &err);
        } else {
            for (size_t i = 0; i < g.count; i++)
                values[i] = read_number(d, p, &g, i);
            *count = g.count;
        }
        replace_numbers(d, p, values, *count);
    }
    record_numbers(d, p, "list", values, *count, true);
    return values;
}

int64_t tac_param_int(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    int64_t value = 0;
    if (tac__param_look_up(d, p, false, &g)) {
        char buffer[TAC__GIVEN_TEXT];
        const char *text = tac__given_text(d, &g, 0, buffer);
        tac_error err;
        tac_error_clear(&err);
        const char *end;
        if (!tac__whole_parse(text, &end, &value))
            tac__fail(&err, TAC_E_RANGE, "'%s' is too large for a whole number", text);
        else if (end == text || *end)
            tac__fail(&err, TAC_E_TYPE, "'%s' is not a whole number", text);
        else if (!in_range(p->range, (double)value))
            tac__fail(&err, TAC_E_RANGE, "%s is out of range; expected a whole number in %s", text,
                      p->range);
        if (err.status != TAC_OK) {
            tac__given_wrong(d, p, &g, 0, &err);
            value = 0;
            if (p->fallback)
                (void)tac__whole_parse(p->fallback, &end, &value);
        }
    }
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    tac__param_record(d, p, "int", text, NULL);
    return value;
}

bool tac_param_bool(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    bool value = false;
    if (tac__param_look_up(d, p, false, &g)) {
        char buffer[TAC__GIVEN_TEXT];
        const char *text = tac__given_text(d, &g, 0, buffer);
        value = !strcmp(text, "true");
        if (!value && strcmp(text, "false"))
            tac__given_wrong_form(d, p, &g, 0, "expected true or false, found '%s'", text);
    }
    tac__param_record(d, p, "bool", value ? "true" : "false", NULL);
    return value;
}

tac_time tac_param_time(tac_declare *d, const tac_param_def *p)
{
    TAC__PARAM_KNOWN(p);
    tac__given g;
    tac_time value = 0;
    if (tac__param_look_up(d, p, false, &g)) {
        char buffer[TAC__GIVEN_TEXT];
        tac_error err;
        tac_error_clear(&err);
        if (tac_time_parse(tac__given_text(d, &g, 0, buffer), &value, &err) == TAC_OK && p->range &&
            !in_range(p->range, (double)value / 1e6))
            tac__fail(&err, TAC_E_RANGE, "out of range; expected a time in %s s", p->range);
        if (err.status != TAC_OK) {
            tac__given_wrong(d, p, &g, 0, &err);
            if (!p->fallback || tac_time_parse(p->fallback, &value, NULL) != TAC_OK)
                value = 0;
        }
    }
    char text[TAC_TIME_TEXT];
    tac_time_print(value, text);
    tac__param_record(d, p, "time", text, NULL);
    return value;
}
