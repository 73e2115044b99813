// trim_print.c - a trim for people, for programs, and as a file to run.
#include "base/floats.h"
#include "base/json.h"
#include "solve/trim.h"

#include <math.h>
#include <string.h>

// --- text ---------------------------------------------------------------------------------------

static const char *word_of(const tac__trim_quantity *q)
{
    const bool low = q->value <= q->lower, high = q->value >= q->upper;
    if (q->part == TAC__TRIM_FREE && low)
        return "at its lower bound";
    if (q->part == TAC__TRIM_FREE && high)
        return "at its upper bound";
    if (q->part == TAC__TRIM_SET)
        return q->drifts ? "set, drifts" : "set";
    return q->part == TAC__TRIM_FREE ? q->drifts ? "free, drifts" : ""
           : q->drifts               ? "drifts"
                                     : "kept";
}

static size_t widest(const tac__trim_quantity *list, size_t count)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(list[i].quantity->name);
        width = length > width ? length : width;
    }
    return width;
}

// For people a number that is only rounding is 0.
static double rounded(double value, double scale)
{
    return fabs(value) < 1e-12 * scale ? 0 : value;
}

static void add_line(const tac__trim_quantity *q, size_t width, bool state, tac__text *out)
{
    const char *unit = strcmp(q->quantity->unit, "1") ? q->quantity->unit : "";
    const double scale = q->quantity->scale;
    tac__text_add(out, "  %-*s %14.7g %-7s", (int)width, q->quantity->name,
                  rounded(q->value, scale), unit);
    if (state)
        tac__text_add(out, " %11.3g a second", rounded(q->rate, scale));
    tac__text_add(out, "%s%s\n", *word_of(q) ? "  " : "", word_of(q));
}

static void add_open(const tac_trim *t, tac__text *out)
{
    const size_t free = t->newton.free, rank = t->newton.rank;
    if (!t->solved || free <= rank)
        return;
    tac__text_add(out, "not determined, left next to the guess (%zu of %zu unknowns):", free - rank,
                  free);
    const char *before = " ";
    for (size_t i = 0; i < t->plant->x_count + t->plant->u_count; i++) {
        const tac__trim_quantity *q =
            i < t->plant->x_count ? &t->x[i] : &t->u[i - t->plant->x_count];
        if (q->open < 1e-6)
            continue;
        tac__text_add(out, "%s%s", before, q->quantity->name);
        before = ", ";
    }
    tac__text_add(out, "\n");
}

static void print_text(const tac_trim *t, tac__text *out)
{
    const tac__plant *p = t->plant;
    const size_t a = widest(t->x, p->x_count), b = widest(t->u, p->u_count);
    const size_t width = a > b ? a : b;
    tac__text_add(out, "%s: %s after %d iterations (%d damped), %zu unknowns, %zu equations\n",
                  p->name, t->solved ? "trimmed" : "no trim", t->newton.iterations,
                  t->newton.damped, t->unknown_count, t->equation_count);
    tac__text_add(out, "states\n");
    for (size_t i = 0; i < p->x_count; i++)
        add_line(&t->x[i], width, true, out);
    tac__text_add(out, "inputs\n");
    for (size_t i = 0; i < p->u_count; i++)
        add_line(&t->u[i], width, false, out);
    for (size_t i = 0; i < p->mode_count; i++) {
        if (p->mode[i] > 0)
            tac__text_add(out, "holds: %s\n", p->mode_names[i]);
    }
    add_open(t, out);
    for (size_t i = 0; i < t->equation_count; i++) {
        const tac__trim_equation *q = &t->equations[i];
        if (!q->met)
            tac__text_add(out, "not met by %.6g %s: %s\n", q->residual, q->unit, q->text);
    }
}

// --- JSON ---------------------------------------------------------------------------------------

static void add_bound(tac__json *json, const char *key, double bound)
{
    if (isfinite(bound))
        tac__json_key_number(json, key, bound);
}

static void add_quantity(const tac__trim_quantity *q, bool state, tac__json *json)
{
    static const char *const parts[] = {"kept", "set", "free"};
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", q->quantity->name);
    tac__json_key_number(json, "value", q->value);
    tac__json_key_text(json, "unit", q->quantity->unit);
    tac__json_key_text(json, "part", parts[q->part]);
    if (state) {
        tac__json_key_number(json, "rate", q->rate);
        tac__json_key_bool(json, "drifts", q->drifts);
    }
    if (q->part == TAC__TRIM_FREE) {
        add_bound(json, "min", q->lower);
        add_bound(json, "max", q->upper);
        tac__json_key_bool(json, "at_bound", q->value <= q->lower || q->value >= q->upper);
        tac__json_key_bool(json, "determined", q->open < 1e-6);
    }
    tac__json_object_end(json);
}

static void add_outputs(const tac_trim *t, tac__json *json)
{
    tac__json_key(json, "outputs");
    tac__json_array_begin(json);
    for (size_t i = 0; i < t->plant->y_count; i++) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", t->plant->y[i].name);
        tac__json_key_number(json, "value", t->y_values[i]);
        tac__json_key_text(json, "unit", t->plant->y[i].unit);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void add_equations(const tac_trim *t, tac__json *json)
{
    tac__json_key(json, "equations");
    tac__json_array_begin(json);
    for (size_t i = 0; i < t->equation_count; i++) {
        const tac__trim_equation *q = &t->equations[i];
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "text", q->text);
        tac__json_key_number(json, "residual", q->residual);
        tac__json_key_text(json, "unit", q->unit);
        tac__json_key_bool(json, "met", q->met);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void add_modes(const tac__plant *p, tac__json *json)
{
    tac__json_key(json, "holding");
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t i = 0; i < p->mode_count; i++) {
        if (p->mode[i] > 0)
            tac__json_text(json, p->mode_names[i]);
    }
    tac__json_array_end(json);
}

static void print_json(const tac_trim *t, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_bool(&json, "solved", t->solved);
    tac__json_key_text(&json, "plant", t->plant->name);
    tac__json_key_u64(&json, "t_us", tac_engine_time(t->engine));
    tac__json_key_u64(&json, "iterations", (uint64_t)t->newton.iterations);
    tac__json_key_u64(&json, "damped", (uint64_t)t->newton.damped);
    tac__json_key_u64(&json, "unknowns", t->unknown_count);
    tac__json_key_u64(&json, "undetermined", t->newton.free - t->newton.rank);
    tac__json_key_number(&json, "residual", t->newton.residual);
    tac__json_key(&json, "states");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < t->plant->x_count; i++)
        add_quantity(&t->x[i], true, &json);
    tac__json_array_end(&json);
    tac__json_key(&json, "inputs");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < t->plant->u_count; i++)
        add_quantity(&t->u[i], false, &json);
    tac__json_array_end(&json);
    add_outputs(t, &json);
    add_modes(t->plant, &json);
    add_equations(t, &json);
    tac__json_object_end(&json);
}

char *tac_trim_print(const tac_trim *t, tac_format format)
{
    TAC__FLOATS;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    if (format == TAC_FORMAT_JSON)
        print_json(t, &text);
    else
        print_text(t, &text);
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}

// --- a file -------------------------------------------------------------------------------------

// A scalar of YAML in double quotes.
static void add_quoted(const char *text, tac__text *out)
{
    tac__text_bytes(out, "\"", 1);
    for (const char *c = text; *c; c++)
        tac__text_add(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    tac__text_bytes(out, "\"", 1);
}

// The elements of a signal or port from `first` on.
static void add_elements(const tac__trim_quantity *first, tac__text *out)
{
    const tac__quantity *q = first->quantity;
    const char *unit = strcmp(q->unit, "1") ? q->unit : "";
    tac__text_add(out, "[");
    for (size_t i = 0; i < q->type.count; i++) {
        char number[TAC__NUMBER_TEXT];
        tac__number_print(first[i].value, number);
        tac__text_add(out, "%s%s%s%s", i ? ", " : "", number, *unit ? " " : "", unit);
    }
    tac__text_add(out, "]");
}

static bool any_free(const tac__trim_quantity *first)
{
    for (size_t i = 0; i < first->quantity->type.count; i++) {
        if (first[i].part != TAC__TRIM_KEPT)
            return true;
    }
    return false;
}

// Inputs come from outside, where nobody writes: they rest at the values found. "uav.vehicle.motor"
// is an input of component vehicle of entity uav. `own`: those of the plant's entity, or those of
// components of no entity.
static void add_inputs(const tac_trim *t, bool own, tac__text *out)
{
    const char *entity = t->plant->entity, *before = "";
    const size_t length = strlen(entity);
    const char *indent = own ? "      " : "  ";
    for (size_t i = 0; i < t->plant->u_count; i += t->u[i].quantity->type.count) {
        const char *name = t->u[i].quantity->base;
        const bool inside = length && !strncmp(name, entity, length) && name[length] == '.';
        if (!any_free(&t->u[i]) || inside != own)
            continue;
        name += own ? length + 1 : 0;
        const char *dot = strrchr(name, '.');
        if (!*before && own)
            tac__text_add(out, "\nentities:\n  %s:\n    components:\n", entity);
        else if (!*before)
            tac__text_add(out, "\ncomponents:\n");
        if (strlen(before) <= (size_t)(dot - name) || strncmp(before, name, (size_t)(dot - name)) ||
            before[dot - name] != '.')
            tac__text_add(out, "%s%.*s:\n%s  inputs:\n", indent, (int)(dot - name), name, indent);
        tac__text_add(out, "%s    %s: {from: outside, rest: ", indent, dot + 1);
        add_elements(&t->u[i], out);
        tac__text_add(out, "}\n");
        before = name;
    }
}

char *tac_trim_file(const tac_trim *t, const char *extends, bool hold)
{
    TAC__FLOATS;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__text_add(&text, "# %s as trimmed\nextends: ", t->plant->name);
    add_quoted(extends, &text);
    tac__text_add(&text, "\n\ninitial:\n");
    for (size_t i = 0; i < t->plant->x_count; i += t->x[i].quantity->type.count) {
        tac__text_add(&text, "  %s: ", t->x[i].quantity->base);
        add_elements(&t->x[i], &text);
        tac__text_add(&text, "\n");
    }
    if (hold) {
        add_inputs(t, true, &text);
        add_inputs(t, false, &text);
    }
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}
