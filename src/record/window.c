// window.c - samples round an event: kept for a while in memory, written if the event comes.
//
// The condition is looked at wherever the channel is sampled. When it becomes true, what was seen
// in the span before it is written, and everything until the span after it has passed.
#include "record/recorder.h"
#include "expr/expr.h"

#include <math.h>
#include <string.h>

typedef struct watched {
    int signal;
    uint32_t element;
    double value;
} watched;

struct tac__window {
    tac__program *condition;
    watched *signals;
    const void **values;
    uint64_t *memory; // of the condition
    size_t signal_count;
    bool held;           // the condition, when it was looked at last
    tac_time until_us;   // write up to here
    unsigned char *ring; // of samples: the time, then the values
    size_t first, count, capacity, stride;
};

// --- the condition ------------------------------------------------------------------------------

typedef struct scope {
    const tac_engine *engine;
    const tac__window *window;
    const char *const *names;
    size_t count;
} scope;

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    const scope *s = context;
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->names[i], name))
            continue;
        const watched *w = &s->window->signals[i];
        if (w->signal < 0)
            return false;
        const tac__signal *info = &tac__watch_schema(s->engine)->signals[w->signal];
        signal->index = (int)i;
        signal->type = info->kind->type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
        signal->unit = info->kind->unit;
        signal->labels = info->kind->type.scalar == TAC_ENUM ? info->kind->type.labels : NULL;
        return true;
    }
    return false;
}

static const char *candidate(const void *context, size_t i)
{
    return tac__schema_name(tac__watch_schema(((const scope *)context)->engine), i);
}

static tac_status compile(tac__channel *c, tac__window *w, tac_error *err)
{
    tac_recorder *r = c->sampler->recorder;
    const tac_engine *e = r->engine;
    const tac_record_rule *rule = c->pick->mode.rule;
    tac__expr *expr;
    TAC_TRY(tac__expr_parse(&r->arena, rule->when, &expr, err));
    scope s = {.engine = e, .window = w};
    s.names = tac__expr_signals(expr, &s.count);
    w->signal_count = s.count;
    w->signals = tac__arena_array(&r->arena, s.count, sizeof *w->signals);
    w->values = tac__arena_array(&r->arena, s.count, sizeof *w->values);
    w->memory = tac__arena_array(&r->arena, tac__expr_memory(expr), sizeof *w->memory);
    if (!w->signals || !w->values || !w->memory)
        return tac__fail_memory(err);
    for (size_t i = 0; i < s.count; i++) {
        w->signals[i].signal =
            tac__watch_element(e, c->pick->component, s.names[i], &w->signals[i].element);
        w->values[i] = &w->signals[i].value;
    }
    const tac__expr_scope outer = {find, candidate, &s};
    return tac__expr_compile(&r->arena, expr, TAC__EXPR_BOOL, NULL, &outer, &w->condition, err);
}

// A NaN that was compared is told of, as everywhere: the recorder stops the run. What the plant
// cannot be asked for is one too.
static bool holds(const tac__channel *c, tac_engine *e, tac_time t_us)
{
    const tac__window *w = c->window;
    const tac__schema *schema = tac__watch_schema(e);
    for (size_t i = 0; i < w->signal_count; i++) {
        watched *s = &w->signals[i];
        const void *value = tac_engine_read(e, s->signal);
        const tac__signal *signal = &schema->signals[s->signal];
        s->value =
            value ? tac__scalar_f64(signal->kind->type.scalar, value, s->element) : (double)NAN;
    }
    const tac__expr_result result = tac__program_run(w->condition, t_us, w->values, w->memory);
    if (result.nan && !c->sampler->recorder->failed) {
        tac__fail_at(&c->sampler->recorder->err, TAC_E_NUMERIC, &c->pick->mode.rule->place,
                     "'%s' is not a number in the condition of a window", result.nan);
        tac__error_run(&c->sampler->recorder->err, t_us, NULL);
        tac__recorder_fail(c->sampler->recorder);
    }
    return result.value != 0;
}

// --- samples ------------------------------------------------------------------------------------

tac_status tac__window_create(tac__channel *c, tac_error *err)
{
    tac__window *w = tac__arena_array(&c->sampler->recorder->arena, 1, sizeof *w);
    if (!w)
        return tac__fail_memory(err);
    c->window = w;
    const tac_status status = compile(c, w, err);
    if (status != TAC_OK)
        tac__error_place(err, &c->pick->mode.rule->place);
    return status;
}

void tac__window_destroy(tac__channel *c)
{
    const tac_allocator *a = c->sampler ? c->sampler->recorder->allocator : NULL;
    if (c->window && c->window->ring)
        a->resize(a->context, c->window->ring, c->window->capacity * c->window->stride, 0);
    c->window = NULL;
}

static unsigned char *entry(const tac__window *w, size_t i)
{
    return w->ring + (w->first + i) % w->capacity * w->stride;
}

static tac_time entry_time(const tac__window *w, size_t i)
{
    tac_time t_us;
    memcpy(&t_us, entry(w, i), sizeof t_us);
    return t_us;
}

static bool grow(const tac__channel *c, tac__window *w)
{
    const tac_allocator *a = c->sampler->recorder->allocator;
    w->stride = sizeof(tac_time) + c->layout.size;
    const size_t capacity = w->capacity ? 2 * w->capacity : 64;
    unsigned char *ring = a->resize(a->context, NULL, 0, capacity * w->stride);
    if (!ring)
        return false;
    for (size_t i = 0; i < w->count; i++)
        memcpy(ring + i * w->stride, entry(w, i), w->stride);
    if (w->ring)
        a->resize(a->context, w->ring, w->capacity * w->stride, 0);
    w->ring = ring;
    w->capacity = capacity;
    w->first = 0;
    return true;
}

static void keep(const tac__channel *c, tac__window *w, tac_engine *e, tac_time t_us)
{
    const tac_time before_us = c->pick->mode.rule->before_us;
    while (w->count && t_us - entry_time(w, 0) > before_us) {
        w->first = (w->first + 1) % w->capacity;
        w->count--;
    }
    if (w->count == w->capacity && !grow(c, w)) {
        tac__fail_memory(&c->sampler->recorder->err);
        tac__recorder_fail(c->sampler->recorder);
        return;
    }
    unsigned char *to = entry(w, w->count++);
    memcpy(to, &t_us, sizeof t_us);
    tac__channel_fill(c, e, t_us, to + sizeof t_us);
}

void tac__window_sample(tac__channel *c, tac_engine *e, tac_time t_us)
{
    tac__window *w = c->window;
    const tac_record_rule *rule = c->pick->mode.rule;
    keep(c, w, e, t_us);
    const bool now = holds(c, e, t_us);
    if (now && !w->held)
        w->until_us = t_us + rule->after_us + 1;
    w->held = now;
    if (t_us >= w->until_us)
        return;
    for (size_t i = 0; i < w->count; i++)
        c->sink->type->append(c, entry_time(w, i), entry(w, i) + sizeof(tac_time));
    w->count = 0;
}
