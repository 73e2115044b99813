// verdict.c - sets a verdict up, is told what the engine does, and gives the results. See
// expectation.h.
#include "verdict/form.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/node.h"
#include "bus/type.h"

#include <math.h>
#include <string.h>

const char *tac__expect_word(tac__expect_kind kind)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        TAC__EXPECT_TABLE(WORD)
#undef WORD
    };
    return kind == TAC__EXPECT_STOP ? "stop" : words[kind];
}

static size_t count_all(const tac_verdict *v)
{
    return v->count + v->has_stop;
}

// --- what the engine tells ----------------------------------------------------------------------

// A boundary sample is due at the end of the present instant.
static void mark(tac_verdict *v, tac__expectation *x)
{
    if (!v->begun || x->known->dirty || x->known->over)
        return;
    x->known->dirty = true;
    v->dirty[v->dirty_count++] = x;
    tac__watch_instant_end(v->engine, &v->instants);
}

// Nobody who follows the island needs a sample at its next boundary: what a boundary changes in the
// states is seen at the start of the next step, and held inputs that change may stay in a box.
static bool may_sleep(const tac__follower *f)
{
    bool may = true;
    for (size_t i = 0; i < f->count; i++) {
        const tac__expectation *x = f->list[i];
        may &= x->known->over || x->once || (x->form && (!x->form->held || x->form->quiet));
    }
    return may;
}

static void show_instant(void *context, tac_engine *e, tac_time t_us)
{
    tac_verdict *v = context;
    (void)e;
    for (size_t i = 0; i < v->dirty_count; i++) {
        v->dirty[i]->known->dirty = false;
        tac__expect_boundary(v, v->dirty[i], t_us);
    }
    v->dirty_count = 0;
    if (v->woke)
        v->woke->asleep = may_sleep(v->woke);
    v->woke = NULL;
}

static void show_step(void *context, size_t island, tac_time t_us)
{
    tac_verdict *v = context;
    tac__follower *f = v->islands[island];
    const tac__step_ends ends = tac__inside_ends(f->inside);
    size_t hot = 0;
    bool stirred = false;
    for (size_t i = 0; i < f->count; i++) {
        tac__expectation *x = f->list[i];
        const tac__known *k = x->known;
        if ((x->form && tac__expect_stays(x, &ends, t_us)) || k->over || !k->ready)
            continue;
        if (!x->once)
            stirred = true;
        if (x->once) {
            if (t_us < k->result.t_us)
                continue;
            mark(v, x);
            f->asleep = false; // until the end of this instant
            v->woke = f;
        } else if (x->form && tac__expect_passes_by(v, x, &ends, t_us)) {
            continue;
        }
        v->hot[hot++] = x;
    }
    if (hot)
        tac__expect_cover(v, v->hot, hot, t_us);
    if (stirred)
        f->asleep = may_sleep(f) && v->woke != f;
}

// The island has a boundary.
static void show_boundary(void *context, tac_engine *e, tac_time t_us)
{
    const tac__follower *f = context;
    (void)e;
    (void)t_us;
    for (size_t i = 0; i < f->count; i++)
        mark(f->verdict, f->list[i]);
}

// Does what the component wrote need a sample? What remembers, and what stops the run, must see
// every write.
static bool needs_sample(const tac__follower *f, tac__expectation *x, tac_time t_us)
{
    if (x->words || x->def.kind == TAC__EXPECT_STOP || !x->known->ready)
        return true;
    bool changed = false;
    int island = -1;
    for (size_t i = 0; i < x->count; i++) {
        const tac__seen *s = &x->seen[i];
        if (s->watched.island >= 0)
            island = s->watched.island;
        else if (s->component == (size_t)f->component)
            changed |= tac__scalar_f64(s->scalar, s->watched.bus, s->element) != x->during[i];
    }
    if (!changed || !x->form)
        return changed;
    if (tac__expect_absorbs(x, (size_t)f->component, f->verdict->islands[island]->inside, t_us))
        return false;
    x->form->quiet = x->form->smooth = x->form->tried_free = false;
    return true;
}

// The component wrote its discrete signals.
static void show_write(void *context, tac_engine *e, tac_time t_us)
{
    const tac__follower *f = context;
    (void)e;
    for (size_t i = 0; i < f->count; i++) {
        tac__expectation *x = f->list[i];
        for (uint32_t k = 0; k < x->count && !x->known->ready; k++) {
            if (x->seen[k].component != (size_t)f->component || x->written[k])
                continue;
            x->written[k] = true;
            x->known->lacking = k;
        }
        if (needs_sample(f, x, t_us))
            mark(f->verdict, x);
    }
}

// --- setting up ---------------------------------------------------------------------------------

typedef struct scope {
    const tac_verdict *verdict;
    const tac__expectation *x;
    const char *const *names;
} scope;

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    const scope *s = context;
    for (size_t i = 0; i < s->x->count; i++) {
        if (strcmp(s->names[i], name) || s->x->seen[i].signal < 0)
            continue;
        const tac__signal *info =
            &tac__watch_schema(s->verdict->engine)->signals[s->x->seen[i].signal];
        signal->index = (int)i;
        signal->type = info->kind->type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
        signal->unit = info->kind->unit;
        signal->labels = info->kind->type.scalar == TAC_ENUM ? info->kind->type.labels : NULL;
        return true;
    }
    return false;
}

// Names of the own entity are offered as they would be written there.
static const char *candidate(const void *context, size_t i)
{
    const scope *s = context;
    const char *name = tac__schema_name(tac__watch_schema(s->verdict->engine), i);
    const size_t n = strlen(s->x->def.entity);
    return name && n && !strncmp(name, s->x->def.entity, n) && name[n] == '.' ? name + n + 1 : name;
}

// The memory that samples change.
static tac_status make_known(tac__arena *arena, tac__expectation *x)
{
    x->size = sizeof *x->known + 2 * x->count * sizeof(double) + 2 * x->words * sizeof(uint64_t) +
              (x->count + 7) / 8 * 8;
    x->known = tac__arena_alloc(arena, x->size);
    if (!x->known)
        return TAC_E_MEMORY;
    x->during = (double *)(void *)(x->known + 1);
    x->last = x->during + x->count;
    x->memory = (uint64_t *)(void *)(x->last + x->count);
    x->before = x->memory + x->words;
    x->written = (bool *)(x->before + x->words);
    return TAC_OK;
}

static tac_status compile(tac_verdict *v, tac__expectation *x, tac_error *err)
{
    tac__arena *arena = &v->arena;
    tac__expr *expr;
    TAC_TRY(tac__expr_parse(arena, x->def.condition, &expr, err));
    scope s = {.verdict = v, .x = x};
    s.names = tac__expr_signals(expr, &x->count);
    x->words = tac__expr_memory(expr);
    x->seen = tac__arena_array(arena, x->count, sizeof *x->seen);
    x->values = tac__arena_array(arena, x->count, sizeof *x->values);
    x->value = tac__arena_array(arena, x->count, sizeof *x->value);
    x->trial = tac__arena_array(arena, x->words, sizeof *x->trial);
    if (!x->seen || !x->values || !x->value || !x->trial || make_known(arena, x) != TAC_OK)
        return tac__fail_memory(err);
    for (size_t i = 0; i < x->count; i++) {
        x->seen[i].signal =
            tac__watch_element_in(v->engine, x->def.entity, s.names[i], &x->seen[i].element);
        x->values[i] = &x->value[i];
    }
    const tac__expr_scope outer = {find, candidate, &s};
    TAC_TRY(tac__expr_compile(arena, expr, TAC__EXPR_BOOL, NULL, &outer, &x->program, err));
    if (x->count == 0)
        return tac__fail(err, TAC_E_CONFIG,
                         "the condition sees no signal: nothing of the run could break it");
    return tac__margin_compile(arena, expr, &x->margin, err);
}

// Errors of expressions have a column in the text of the condition.
static void place_error(const tac__expectation *x, tac_error *err)
{
    if (!err || err->status == TAC_E_MEMORY)
        return;
    const tac_error own = *err;
    char excerpt[TAC_ERROR_NAME];
    const tac_place inside = tac__node_place_of(x->def.written, x->def.condition,
                                                own.column ? own.column - 1 : 0, excerpt);
    tac__fail_at(err, own.status, &inside, "%s", own.text);
}

// The expectation sees the island or component `number`.
static tac_status follow(tac_verdict *v, tac__expectation *x, tac__follower **at, bool island,
                         int number, tac__follower **followed)
{
    tac__arena *arena = &v->arena;
    tac__follower *f = *at;
    if (!f) {
        f = *at = tac__arena_alloc(arena, sizeof *f);
        if (!f)
            return TAC_E_MEMORY;
        *f = (tac__follower){
            .verdict = v, .island = island ? number : -1, .component = island ? -1 : number};
    }
    *followed = f;
    if (f->count && f->list[f->count - 1] == x)
        return TAC_OK;
    if (!TAC__ARENA_GROW(arena, f->list, f->count, f->capacity))
        return TAC_E_MEMORY;
    f->list[f->count++] = x;
    return TAC_OK;
}

// The islands and components that the condition sees.
static tac_status list_seen(tac_verdict *v, tac__expectation *x)
{
    const tac__schema *schema = tac__watch_schema(v->engine);
    for (size_t i = 0; i < x->count; i++) {
        tac__seen *s = &x->seen[i];
        const tac__signal *signal = &schema->signals[s->signal];
        tac__follower *f;
        s->component = signal->component;
        s->scalar = signal->kind->type.scalar;
        if (!signal->kind->continuous) {
            TAC_TRY(follow(v, x, &v->components[s->component], false, (int)s->component, &f));
            continue;
        }
        const int island = tac__watch_component(v->engine, s->component).island;
        TAC_TRY(follow(v, x, &v->islands[island], true, island, &f));
        x->plant = true;
        f->outputs |= !signal->kind->state;
        if (x->def.kind != TAC__EXPECT_STOP)
            v->watched[island / 64] |= UINT64_C(1) << island % 64;
    }
    return TAC_OK;
}

static tac_status add_observer(tac_verdict *v, tac__follower *f, tac_error *err)
{
    tac_observer_def def = tac_observer_def_default();
    def.name = "expect";
    def.observe = show_boundary;
    def.context = f;
    def.follow = TAC_FOLLOW_ISLAND;
    def.outputs = f->outputs;
    def.component = tac__watch_island(v->engine, (size_t)f->island).name;
    TAC_TRY(tac_engine_add_observer(v->engine, &def, err));
    tac__observer_sleeps(v->engine, &f->asleep);
    return TAC_OK;
}

static tac_status plan(void *context, tac_engine *e, tac_error *err)
{
    tac_verdict *v = context;
    const size_t islands = tac__watch_island_count(e), components = tac__watch_component_count(e);
    v->islands = tac__arena_array(&v->arena, islands, sizeof(tac__follower *));
    v->components = tac__arena_array(&v->arena, components, sizeof(tac__follower *));
    v->watched = tac__arena_array(&v->arena, islands / 64 + 1, sizeof *v->watched);
    if (!v->islands || !v->components || !v->watched)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count_all(v); i++) {
        tac__expectation *x = &v->all[i];
        const tac_status status = compile(v, x, err);
        if (status != TAC_OK) {
            place_error(x, err);
            if (x->def.name)
                tac__error_context(err, "reading expectation '%s'", x->def.name);
            else
                tac__error_context(err, "reading the condition of 'stop'");
            return status;
        }
        if (list_seen(v, x) != TAC_OK)
            return tac__fail_memory(err);
    }
    for (size_t i = 0; i < islands; i++) {
        if (v->islands[i])
            TAC_TRY(add_observer(v, v->islands[i], err));
    }
    for (size_t i = 0; i < components; i++) {
        tac__follower *f = v->components[i];
        if (!f)
            continue;
        f->tap = (tac__tap){.show = show_write, .context = f};
        tac__tap_steps(e, i, &f->tap);
    }
    return TAC_OK;
}

// Warn of a `stop` that is looked at when the run has ended anyway.
static tac_status doubt_stop(void *context, tac_engine *e, tac_error *err)
{
    const tac_verdict *v = context;
    const tac__expectation *x = &v->all[v->count];
    (void)err;
    const char *name = NULL;
    for (size_t i = 0; i < x->count; i++) {
        const int island = tac__watch_component(e, x->seen[i].component).island;
        const bool plant = tac__watch_schema(e)->signals[x->seen[i].signal].kind->continuous;
        if (!plant || tac__watch_island(e, (size_t)island).split)
            return TAC_OK;
        name = tac__watch_island(e, (size_t)island).name;
    }
    const tac_place *place = x->def.written ? tac_node_place(x->def.written) : NULL;
    tac__watch_warn(e, "stop-unseen", place,
                    "'stop' can never act: it is looked at at boundaries, and '%s' has none but "
                    "the start and the end of the run; 'timeline: {physics: 10 ms}' gives it some",
                    name);
    return TAC_OK;
}

static tac_status init(tac_verdict *v, const tac__expect_def *defs, const tac__expect_def *stop)
{
    tac__arena_init(&v->arena, v->allocator);
    v->all = tac__arena_array(&v->arena, count_all(v), sizeof *v->all);
    v->dirty = tac__arena_array(&v->arena, count_all(v), sizeof(tac__expectation *));
    v->hot = tac__arena_array(&v->arena, count_all(v), sizeof(tac__expectation *));
    if (!v->all || !v->dirty || !v->hot)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count_all(v); i++)
        v->all[i].def = i < v->count ? defs[i] : *stop;
    TAC_TRY(tac__engine_when_resolved(v->engine, plan, v));
    return v->has_stop ? tac__engine_when_scheduled(v->engine, doubt_stop, v) : TAC_OK;
}

tac_status tac__verdict_create(const tac__expect_def *defs, size_t count,
                               const tac__expect_def *stop, tac_engine *engine,
                               tac_verdict **verdict, tac_error *err)
{
    TAC_REQUIRE(engine && verdict && tac__engine_is_building(engine));
    *verdict = NULL;
    const tac_allocator *a = tac__watch_run(engine).allocator;
    tac_verdict *v = a->resize(a->context, NULL, 0, sizeof *v);
    if (!v)
        return tac__fail_memory(err);
    *v = (tac_verdict){.allocator = a, .engine = engine, .count = count, .has_stop = stop != NULL};
    if (init(v, defs, stop) != TAC_OK) {
        tac_verdict_destroy(v);
        return tac__fail_memory(err);
    }
    *verdict = v;
    return TAC_OK;
}

// --- the start ----------------------------------------------------------------------------------

static void forget(const tac_verdict *v, tac__expectation *x)
{
    memset(x->known, 0, x->size);
    *x->known = (tac__known){.first_us = TAC_TIME_NEVER, .seen_us = TAC_TIME_NEVER};
    x->known->result = (tac_expectation){
        .outcome = TAC_EXPECT_UNDECIDED,
        .t_us = x->def.until_end ? tac__watch_run(v->engine).end_us : x->def.t_us,
        .when_us = TAC_TIME_NEVER,
        .worst_us = TAC_TIME_NEVER,
        .margin = (double)NAN,
        .worst = (double)NAN,
    };
}

// Expectations begin at the present time, with a sample where the run has begun.
static void begin(tac_verdict *v)
{
    v->begun = true;
    v->stopped = false;
    v->dirty_count = 0;
    v->start_us = tac_engine_time(v->engine);
    for (size_t i = 0; i < count_all(v); i++) {
        tac__expectation *x = &v->all[i];
        forget(v, x);
        for (size_t k = 0; k < x->count; k++)
            x->written[k] = tac__watch_is_written(v->engine, (size_t)x->seen[k].signal);
        if (tac__watch_run(v->engine).started)
            tac__expect_boundary(v, x, v->start_us);
        else
            mark(v, x);
    }
}

static void forget_steps(const tac_verdict *v)
{
    for (size_t i = 0; i < tac__watch_island_count(v->engine); i++) {
        if (v->islands[i])
            tac__inside_forget(v->islands[i]->inside);
    }
}

// What was found of the future that is undone holds no more.
static void forget_boxes(const tac_verdict *v)
{
    for (size_t i = 0; i < count_all(v); i++) {
        tac__form *q = v->all[i].form;
        if (!q)
            continue;
        q->quiet = q->smooth = q->tried_free = false;
        q->last_us = q->look_us = TAC_TIME_NEVER;
        q->wait = q->failures = 0;
    }
}

// A snapshot has the times of the verdict, then what each expectation knows.
typedef struct saved {
    tac_time start_us;
} saved;

static void save(void *context, void *to)
{
    const tac_verdict *v = context;
    char *at = to;
    memcpy(at, &(saved){v->start_us}, sizeof(saved));
    at += sizeof(saved);
    for (size_t i = 0; i < count_all(v); i++) {
        memcpy(at, v->all[i].known, v->all[i].size);
        at += v->all[i].size;
    }
}

static void restore(void *context, tac_engine *e, const void *from)
{
    tac_verdict *v = context;
    (void)e;
    forget_steps(v);
    forget_boxes(v);
    if (!from) {
        begin(v);
        return;
    }
    const char *at = from;
    saved head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    v->begun = true;
    v->stopped = false;
    v->dirty_count = 0;
    v->start_us = head.start_us;
    for (size_t i = 0; i < count_all(v); i++) {
        tac__expectation *x = &v->all[i];
        memcpy(x->known, at, x->size);
        at += x->size;
        if (x->known->dirty) { // it was taken before the first instant
            x->known->dirty = false;
            mark(v, x);
        }
    }
}

tac_status tac_verdict_begin(tac_verdict *v, tac_error *err)
{
    TAC__FLOATS;
    if (!v)
        return TAC_OK;
    size_t size = sizeof(saved);
    for (size_t i = 0; i < count_all(v); i++) {
        tac__expectation *x = &v->all[i];
        size += x->size;
        x->once = tac__expect_asks_once(x);
        for (size_t k = 0; k < x->count; k++)
            x->seen[k].watched = tac__watch_signal(v->engine, x->seen[k].signal);
    }
    const size_t islands = tac__watch_island_count(v->engine);
    for (size_t i = 0; i < islands; i++) {
        tac__follower *f = v->islands[i];
        if (!f)
            continue;
        f->inside = tac__inside_create(v->engine, &v->arena, i, f->outputs);
        if (!f->inside)
            return tac__fail_memory(err);
        TAC_TRY(tac__expect_make_forms(v, f, err));
        f->asleep = may_sleep(f);
    }
    v->instants = (tac__instant_watcher){.show = show_instant, .context = v};
    v->steps = (tac__step_watcher){.show = show_step, .context = v, .islands = v->watched};
    v->rider = (tac__rider){.size = size, .save = save, .restore = restore, .context = v};
    if (v->count)
        tac__watch_steps(v->engine, &v->steps);
    tac__engine_ride(v->engine, &v->rider);
    begin(v);
    return TAC_OK;
}

// --- the end ------------------------------------------------------------------------------------

void tac_verdict_end(tac_verdict *v)
{
    TAC__FLOATS;
    if (!v || !v->all[count_all(v) - 1].known) // it was not even prepared
        return;
    const bool failed = !tac__engine_is_prepared(v->engine);
    const tac_time t_us = tac_engine_time(v->engine);
    for (size_t i = 0; i < v->count; i++) {
        tac__expectation *x = &v->all[i];
        if (!v->begun)
            forget(v, x);
        if (v->begun && !failed) {
            if (v->stopped && x->def.until_end) // the run's own condition ended it here
                x->known->result.t_us = t_us;
            tac__expect_boundary(v, x, t_us);
        }
        tac__expect_conclude(v, x, t_us, failed);
    }
    v->begun = false;
}

void tac_verdict_destroy(tac_verdict *v)
{
    if (!v)
        return;
    tac__arena_fini(&v->arena);
    v->allocator->resize(v->allocator->context, v, sizeof *v, 0);
}

size_t tac_verdict_count(const tac_verdict *v)
{
    return v ? v->count : 0;
}

void tac_verdict_get_sized(const tac_verdict *v, size_t i, tac_expectation *result, size_t size)
{
    tac_expectation own = {.name = "", .condition = "", .kind = ""};
    if (i < tac_verdict_count(v)) {
        const tac__expectation *x = &v->all[i];
        if (x->known)
            own = x->known->result;
        own.name = x->def.name;
        own.condition = x->def.condition;
        own.kind = tac__expect_word(x->def.kind);
    }
    tac__def_give(result, size, &own, sizeof own);
}

char *tac_verdict_print(const tac_verdict *v, size_t i, tac_format format)
{
    TAC__FLOATS;
    const tac_expectation result = tac_verdict_get(v, i);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    if (format == TAC_FORMAT_JSON) {
        tac__json json = tac__json_begin(&text);
        tac__expect_json(&result, &json);
        if (!text.failed)
            text.chars[--text.length] = '\0'; // the end of the line
    } else {
        tac__expect_text(&result, &text);
    }
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}

bool tac_verdict_stopped(const tac_verdict *v, tac_time *t_us, const char **nan)
{
    if (!v || !v->stopped)
        return false;
    *t_us = v->stopped_us;
    *nan = v->all[v->count].known->result.nan;
    return *nan || !tac_engine_finished(v->engine);
}
