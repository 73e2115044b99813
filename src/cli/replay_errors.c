// replay_errors.c - see replay_errors.h.
//
// All continuous states and the voltages of batteries are compared, each by the name of its port;
// over several vehicles the largest error counts.
#include "cli/replay_errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- what is compared ---------------------------------------------------------------------------

static bool is_compared(const tac_signal_info *s)
{
    return s->type.scalar == TAC_F64 && s->continuous &&
           (s->stage == TAC_STAGE_INTEGRATE || s->role == TAC_ROLE_VOLTAGE);
}

static const char *port_of(const tac_signal_info *s)
{
    const size_t prefix = strlen(s->writer);
    return !strncmp(s->name, s->writer, prefix) && s->name[prefix] == '.' ? s->name + prefix + 1
                                                                          : s->name;
}

static size_t column_for(cli_errors *e, const tac_signal_info *s)
{
    const char *port = port_of(s);
    for (size_t i = 0; i < e->column_count; i++) {
        if (!strcmp(e->columns[i].name, port))
            return i;
    }
    if (e->column_count == CLI_ERRORS_COLUMNS)
        return CLI_ERRORS_COLUMNS;
    cli_error_column *c = &e->columns[e->column_count];
    *c = (cli_error_column){.attitude = s->type.shape == TAC_QUAT};
    snprintf(c->unit, sizeof c->unit, "%s", c->attitude ? "rad" : s->unit);
    snprintf(c->name, sizeof c->name, "%s", port);
    return e->column_count++;
}

static void add_item(cli_errors *e, int signal, const tac_signal_info *s)
{
    const size_t column = column_for(e, s);
    if (column == CLI_ERRORS_COLUMNS)
        return;
    e->items[e->item_count].signal = signal;
    e->items[e->item_count].column = column;
    e->items[e->item_count].first = e->width;
    e->items[e->item_count++].count = s->type.count;
    e->width += s->type.count;
}

// States first, then outputs.
static tac_status list_items(cli_errors *e, const tac_engine *engine, tac_error *err)
{
    const size_t n = tac_engine_signal_count(engine);
    e->items = calloc(n + 1, sizeof *e->items);
    if (!e->items)
        return tac__fail_memory(err);
    for (int outputs = 0; outputs < 2; outputs++) {
        for (size_t i = 0; i < n; i++) {
            const tac_signal_info s = tac_engine_signal_info(engine, (int)i);
            if (is_compared(&s) && (s.stage != TAC_STAGE_INTEGRATE) == outputs)
                add_item(e, (int)i, &s);
        }
    }
    return TAC_OK;
}

// --- rows ---------------------------------------------------------------------------------------

static size_t row_width(const cli_errors *e)
{
    return e->reference ? e->column_count : e->width;
}

static double *add_row(cli_errors *e, tac_time t_us)
{
    if (e->count == e->capacity) {
        const size_t capacity = e->capacity ? 2 * e->capacity : 1024;
        tac_time *times = realloc(e->t_us, capacity * sizeof *times);
        e->t_us = times ? times : e->t_us;
        double *rows = realloc(e->rows, (capacity * row_width(e) + 1) * sizeof *rows);
        e->rows = rows ? rows : e->rows;
        if (!times || !rows)
            return NULL;
        e->capacity = capacity;
    }
    e->t_us[e->count] = t_us;
    return e->rows + e->count++ * row_width(e);
}

// The angle between two attitudes, exact also where it is tiny.
static double angle_between(const double *a, const double *b)
{
    double minus = 0, plus = 0;
    for (int i = 0; i < 4; i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * atan2(sqrt(fmin(minus, plus)), sqrt(fmax(minus, plus)));
}

// The Euclidean length of the difference of a vector; for an array of scalars the largest one.
static double distance(const tac_type *type, const double *a, const double *b)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        const double d = fabs(a[i] - b[i]);
        sum += d * d;
        most = isnan(d) || d > most ? d : most;
    }
    return type->shape == TAC_VEC3 ? sqrt(sum) : most;
}

static void compare(cli_errors *e, tac_engine *engine, tac_time t_us)
{
    const cli_errors *ref = e->reference;
    const size_t row = e->count;
    if (row == ref->count) // the reference ended early
        return;
    if (ref->t_us[row] != t_us || ref->width != e->width) {
        e->failed = true;
        return;
    }
    double *errors = add_row(e, t_us);
    if (!errors) {
        e->failed = true;
        return;
    }
    memset(errors, 0, e->column_count * sizeof *errors);
    for (size_t i = 0; i < e->item_count; i++) {
        const double *there = ref->rows + row * ref->width + e->items[i].first;
        const double *here = tac_engine_read(engine, e->items[i].signal);
        const tac_signal_info s = tac_engine_signal_info(engine, e->items[i].signal);
        cli_error_column *c = &e->columns[e->items[i].column];
        const double d = !here         ? (double)NAN
                         : c->attitude ? angle_between(here, there)
                                       : distance(&s.type, here, there);
        double *worst = &errors[e->items[i].column];
        *worst = isnan(d) || d > *worst ? d : *worst;
        if (isnan(d) || d > c->max) {
            c->max = d;
            c->max_us = t_us;
        }
    }
}

static void keep(cli_errors *e, tac_engine *engine, tac_time t_us)
{
    double *row = add_row(e, t_us);
    for (size_t i = 0; row && i < e->item_count; i++) {
        const double *value = tac_engine_read(engine, e->items[i].signal);
        for (uint32_t k = 0; k < e->items[i].count; k++)
            row[e->items[i].first + k] = value ? value[k] : (double)NAN;
    }
    e->failed |= !row;
}

static void observe(void *context, tac_engine *engine, tac_time t_us)
{
    cli_errors *e = context;
    if (e->failed)
        return;
    if (e->reference)
        compare(e, engine, t_us);
    else
        keep(e, engine, t_us);
}

tac_status cli_errors_watch(cli_errors *e, tac_engine *engine, const cli_errors *reference,
                            tac_time period_us, tac_error *err)
{
    e->reference = reference;
    TAC_TRY(list_items(e, engine, err));
    tac_observer_def def = tac_observer_def_default();
    def.name = "errors";
    def.period_us = period_us;
    def.observe = observe;
    def.context = e;
    return tac_engine_add_observer(engine, &def, err);
}

void cli_errors_fini(cli_errors *e)
{
    free(e->items);
    free(e->t_us);
    free(e->rows);
    *e = (cli_errors){0};
}
