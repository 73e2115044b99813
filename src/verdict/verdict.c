// verdict.c - evaluates the conditions of `expect` and `stop` while a run goes on. See verdict.h.
//
// The time of each expectation goes forward in samples: boundaries of what its condition sees, the
// parts of steps between them, the end of a held() and the times that it names. Two neighbouring
// samples between which the condition, or what one of its operators remembers, differs are searched
// by bisection, and the instant that is found becomes a sample, too. Which samples an expectation
// has depends on no other expectation and on no other watcher.
#include "verdict/verdict.h"
#include "base/arena.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/node.h"
#include "bus/type.h"
#include "engine/watch.h"
#include "expr/expr.h"

#include <math.h>
#include <string.h>

// Parts of a step, as for conditions that are located.
enum { PARTS = 8, CHANGES_MAX = 64 };

typedef struct seen {
    int signal;
    uint32_t element;
    tac_scalar scalar;
    tac__watched watched;
    size_t component;
    double held;  // discrete: the value since the last boundary
    double value; // what the program reads
} seen;

typedef struct look {
    bool truth;
    const char *nan;
} look;

typedef struct expectation {
    tac__expect_def def;
    tac__program *program;
    tac__margin *margin;
    seen *seen;
    const void **values;
    size_t count;
    size_t words; // of memory
    uint64_t *memory, *trial, *copy;
    bool *written; // one flag a signal: it has a value
    bool plant;    // it sees an island
    bool ready, over;
    look last;           // at the last sample
    tac_time seen_us;    // of the last sample; NEVER: there is none
    tac_time from_us;    // where the steps begin that are looked into
    tac_time covered_us; // steps have been looked into up to here
    tac_expectation result;
} expectation;

// The expectations that see an island, or discrete signals of a component.
typedef struct follower {
    tac_verdict *verdict;
    int island;    // -1: a component is followed
    int component; // -1: an island is followed
    bool outputs;  // some see outputs of the island
    expectation **list;
    size_t count;
    TAC__CAPACITY(expectation *) capacity;
    tac__inside *inside; // of the island
} follower;

struct tac_verdict {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_engine *engine;
    expectation *all;
    size_t count; // of expectations; `stop` stands behind them
    bool has_stop, stopped;
    tac_time stopped_us;
    tac_time start_us;                // of the run
    follower **islands, **components; // one an island or component; NULL: nothing sees it
    uint64_t *watched;                // one bit an island: some expectation sees it
    tac__step_watcher steps;
};

const char *tac__expect_word(tac__expect_kind kind)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        TAC__EXPECT_TABLE(WORD)
#undef WORD
    };
    return words[kind];
}

static bool is_stop(const tac_verdict *v, const expectation *x)
{
    return v->has_stop && x == v->all + v->count;
}

// --- samples ------------------------------------------------------------------------------------

static look run(const expectation *x, tac_time t_us, uint64_t *memory)
{
    const tac__expr_result r = tac__program_run(x->program, t_us, x->values, memory);
    return (look){.truth = r.value != 0, .nan = r.nan};
}

// Read all signals at t_us, inside steps that are taken to end at end_us.
static void read_inside(const tac_verdict *v, expectation *x, tac_time end_us, tac_time t_us)
{
    for (size_t i = 0; i < x->count; i++) {
        seen *s = &x->seen[i];
        if (s->watched.island < 0) {
            s->value = s->held;
            continue;
        }
        tac__inside *in = v->islands[s->watched.island]->inside;
        s->value = tac__inside_look(in, end_us, t_us) == TAC_OK
                       ? tac__scalar_f64(s->scalar, tac__inside_value(in, &s->watched), s->element)
                       : (double)NAN;
    }
}

static void read_boundary(const tac_verdict *v, expectation *x, tac_time t_us)
{
    for (size_t i = 0; i < x->count; i++) {
        seen *s = &x->seen[i];
        const void *value = tac__watched_value(&s->watched, v->engine, t_us);
        s->value = value ? tac__scalar_f64(s->scalar, value, s->element) : (double)NAN;
        s->held = s->value;
    }
}

static void keep_margin(expectation *x, const tac__margin_result *m, double margin, tac_time t_us)
{
    tac_expectation *r = &x->result;
    const bool best = x->def.kind == TAC__EXPECT_EVENTUALLY;
    if (isnan(margin) || !(isnan(r->margin) || (best ? margin > r->margin : margin < r->margin)))
        return;
    r->margin = margin;
    r->worst = m->value;
    r->unit = m->unit;
    r->comparison = m->comparison;
    r->worst_us = t_us;
}

static void decide(expectation *x, bool passed, tac_time t_us, bool over)
{
    x->result.outcome = passed ? TAC_EXPECT_PASSED : TAC_EXPECT_FAILED;
    x->result.when_us = t_us;
    x->over = over;
}

// A sample at t_us, where the signals have been read; x->copy holds the memory from before.
static void judge(tac_verdict *v, expectation *x, look now, tac_time t_us)
{
    tac_expectation *r = &x->result;
    if (now.nan) {
        r->nan = now.nan;
        decide(x, false, t_us, true);
        return;
    }
    if (is_stop(v, x)) {
        if (now.truth)
            decide(x, true, t_us, true);
        return;
    }
    const tac__expect_kind kind = x->def.kind;
    if ((kind == TAC__EXPECT_AT && t_us != x->def.t_us) ||
        (kind == TAC__EXPECT_EVENTUALLY && t_us > x->def.t_us))
        return;
    const tac__margin_result m = tac__margin_run(x->margin, t_us, x->values, x->copy, x->trial);
    const bool never = kind == TAC__EXPECT_NEVER;
    keep_margin(x, &m, never ? 0 - m.margin : m.margin, t_us);
    if (kind == TAC__EXPECT_AT)
        decide(x, now.truth, t_us, true);
    else if (kind == TAC__EXPECT_EVENTUALLY && now.truth && r->outcome != TAC_EXPECT_PASSED)
        decide(x, true, t_us, false);
    else if (kind != TAC__EXPECT_EVENTUALLY && now.truth == never &&
             r->outcome != TAC_EXPECT_FAILED)
        decide(x, false, t_us, false);
}

// Take a sample at t_us, where the signals have been read.
static void sample(tac_verdict *v, expectation *x, tac_time t_us)
{
    if (x->words)
        memcpy(x->copy, x->memory, x->words * sizeof *x->copy);
    x->last = run(x, t_us, x->memory);
    x->seen_us = t_us;
    judge(v, x, x->last, t_us);
}

// --- inside steps -------------------------------------------------------------------------------

// Is the condition, or what it remembers, different at t_us from the last sample?
static bool differs(const tac_verdict *v, expectation *x, tac_time end_us, tac_time t_us)
{
    read_inside(v, x, end_us, t_us);
    if (x->words)
        memcpy(x->trial, x->memory, x->words * sizeof *x->trial);
    const look now = run(x, t_us, x->trial);
    return now.truth != x->last.truth || now.nan != x->last.nan ||
           (x->words && memcmp(x->trial, x->memory, x->words * sizeof *x->trial) != 0);
}

// The first instant after the last sample, at or before t_us, at which the condition differs, if it
// differs at t_us; else t_us.
static tac_time first_change(const tac_verdict *v, expectation *x, tac_time end_us, tac_time t_us)
{
    if (!differs(v, x, end_us, t_us))
        return t_us;
    tac_time before_us = x->seen_us;
    while (t_us - before_us > 1) {
        const tac_time middle_us = before_us + (t_us - before_us) / 2;
        if (differs(v, x, end_us, middle_us))
            t_us = middle_us;
        else
            before_us = middle_us;
    }
    return t_us;
}

// Go from the last sample to t_us. At end_us itself the boundary there decides.
static void advance(tac_verdict *v, expectation *x, tac_time end_us, tac_time t_us)
{
    for (int i = 0; x->seen_us < t_us && !x->over; i++) {
        tac_time to_us = t_us;
        const tac_time held_us =
            x->words ? tac__program_next(x->program, x->memory, x->seen_us + 1) : TAC_TIME_NEVER;
        if (held_us < to_us)
            to_us = held_us;
        if (x->def.t_us > x->seen_us && x->def.t_us < to_us)
            to_us = x->def.t_us;
        if (i < CHANGES_MAX)
            to_us = first_change(v, x, end_us, to_us);
        if (to_us >= end_us)
            return;
        read_inside(v, x, end_us, to_us);
        sample(v, x, to_us);
    }
}

// Begin to look into the steps from where they were looked at last to end_us. False: there is
// nothing to look at.
static bool begin_cover(tac_verdict *v, expectation *x, tac_time end_us)
{
    x->from_us = x->covered_us;
    if (!x->ready || x->over || is_stop(v, x) || x->from_us >= end_us) {
        x->from_us = end_us;
        return false;
    }
    x->covered_us = end_us;
    if (x->seen_us < x->from_us) { // a step ended there, but it was no boundary
        read_inside(v, x, end_us, x->from_us);
        sample(v, x, x->from_us);
    }
    return true;
}

// Look into the steps up to end_us, part by part: expectations that see the same outputs then look
// at the same instant one after another, and the outputs are evaluated once.
static void cover(tac_verdict *v, expectation *const *list, size_t count, tac_time end_us)
{
    bool any = false;
    for (size_t k = 0; k < count; k++)
        any |= begin_cover(v, list[k], end_us);
    for (tac_time i = 1; any && i <= PARTS; i++) {
        for (size_t k = 0; k < count; k++) {
            expectation *x = list[k];
            const tac_time length_us = end_us - x->from_us;
            if (length_us && (x->plant || i == PARTS))
                advance(v, x, end_us,
                        x->from_us + length_us / PARTS * i + length_us % PARTS * i / PARTS);
        }
    }
}

static void show_step(void *context, size_t island, tac_time t_us)
{
    tac_verdict *v = context;
    const follower *f = v->islands[island];
    cover(v, f->list, f->count, t_us);
}

// --- boundaries ---------------------------------------------------------------------------------

static bool all_written(const expectation *x)
{
    for (size_t i = 0; i < x->count; i++) {
        if (!x->written[i])
            return false;
    }
    return true;
}

static void meet_boundary(tac_verdict *v, expectation *x, tac_time t_us)
{
    if (x->over || (x->ready && x->seen_us == t_us))
        return;
    if (!x->ready) {
        x->ready = all_written(x);
        if (!x->ready)
            return;
        x->covered_us = t_us;
    }
    cover(v, &x, 1, t_us);
    if (x->over)
        return;
    x->covered_us = t_us;
    read_boundary(v, x, t_us);
    sample(v, x, t_us);
    if (is_stop(v, x) && x->over) {
        v->stopped = true;
        v->stopped_us = t_us;
        tac_engine_stop(v->engine);
    }
}

static void observe(void *context, tac_engine *e, tac_time t_us)
{
    const follower *f = context;
    (void)e;
    for (size_t i = 0; i < f->count; i++) {
        expectation *x = f->list[i];
        for (size_t k = 0; k < x->count; k++)
            x->written[k] |= x->seen[k].component == (size_t)f->component;
        meet_boundary(f->verdict, x, t_us);
    }
}

// --- setting up ---------------------------------------------------------------------------------

typedef struct scope {
    const tac_verdict *verdict;
    const expectation *x;
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

static tac_status compile(tac_verdict *v, expectation *x, tac_error *err)
{
    tac__arena *arena = &v->arena;
    tac__expr *expr;
    TAC_TRY(tac__expr_parse(arena, x->def.condition, &expr, err));
    scope s = {.verdict = v, .x = x};
    s.names = tac__expr_signals(expr, &x->count);
    x->words = tac__expr_memory(expr);
    x->seen = tac__arena_array(arena, x->count, sizeof *x->seen);
    x->values = tac__arena_array(arena, x->count, sizeof *x->values);
    x->written = tac__arena_array(arena, x->count, sizeof *x->written);
    x->memory = tac__arena_array(arena, x->words, sizeof *x->memory);
    x->trial = tac__arena_array(arena, x->words, sizeof *x->trial);
    x->copy = tac__arena_array(arena, x->words, sizeof *x->copy);
    if (!x->seen || !x->values || !x->written || !x->memory || !x->trial || !x->copy)
        return tac__fail_memory(err);
    for (size_t i = 0; i < x->count; i++) {
        x->seen[i].signal =
            tac__watch_element_in(v->engine, x->def.entity, s.names[i], &x->seen[i].element);
        x->values[i] = &x->seen[i].value;
    }
    const tac__expr_scope outer = {find, candidate, &s};
    TAC_TRY(tac__expr_compile(arena, expr, TAC__EXPR_BOOL, NULL, &outer, &x->program, err));
    if (x->count == 0)
        return tac__fail(err, TAC_E_CONFIG,
                         "the condition sees no signal: nothing of the run could break it");
    return tac__margin_compile(arena, expr, &x->margin, err);
}

// Errors of expressions have a column in the text of the condition.
static void place_error(const expectation *x, tac_error *err)
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
static tac_status follow(tac_verdict *v, expectation *x, follower **at, bool island, int number,
                         follower **followed)
{
    tac__arena *arena = &v->arena;
    follower *f = *at;
    if (!f) {
        f = *at = tac__arena_alloc(arena, sizeof *f);
        if (!f)
            return TAC_E_MEMORY;
        *f = (follower){
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
static tac_status list_seen(tac_verdict *v, expectation *x)
{
    const tac__schema *schema = tac__watch_schema(v->engine);
    for (size_t i = 0; i < x->count; i++) {
        seen *s = &x->seen[i];
        const tac__signal *signal = &schema->signals[s->signal];
        follower *f;
        s->component = signal->component;
        s->scalar = signal->kind->type.scalar;
        x->written[i] = tac__watch_begins(v->engine, (size_t)s->signal);
        if (!signal->kind->continuous) {
            TAC_TRY(follow(v, x, &v->components[s->component], false, (int)s->component, &f));
            continue;
        }
        const int island = tac__watch_component(v->engine, s->component).island;
        TAC_TRY(follow(v, x, &v->islands[island], true, island, &f));
        x->plant = true;
        f->outputs |= !signal->kind->state;
        v->watched[island / 64] |= UINT64_C(1) << island % 64;
    }
    return TAC_OK;
}

static tac_status add_observer(tac_verdict *v, follower *f, tac_error *err)
{
    if (!f)
        return TAC_OK;
    tac_observer_def def = tac_observer_def_default();
    def.name = "expect";
    def.observe = observe;
    def.context = f;
    def.follow = f->island >= 0 ? TAC_FOLLOW_ISLAND : TAC_FOLLOW_STEPS;
    def.outputs = f->outputs;
    def.component = f->island >= 0 ? tac__watch_island(v->engine, (size_t)f->island).name
                                   : tac__watch_component(v->engine, (size_t)f->component).name;
    return tac_engine_add_observer(v->engine, &def, err);
}

static tac_status plan(void *context, tac_engine *e, tac_error *err)
{
    tac_verdict *v = context;
    const size_t islands = tac__watch_island_count(e), components = tac__watch_component_count(e);
    v->islands = tac__arena_array(&v->arena, islands, sizeof(follower *));
    v->components = tac__arena_array(&v->arena, components, sizeof(follower *));
    v->watched = tac__arena_array(&v->arena, islands / 64 + 1, sizeof *v->watched);
    if (!v->islands || !v->components || !v->watched)
        return tac__fail_memory(err);
    for (size_t i = 0; i < v->count + v->has_stop; i++) {
        expectation *x = &v->all[i];
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
    for (size_t i = 0; i < islands; i++)
        TAC_TRY(add_observer(v, v->islands[i], err));
    for (size_t i = 0; i < components; i++)
        TAC_TRY(add_observer(v, v->components[i], err));
    return TAC_OK;
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
    tac__arena_init(&v->arena, a);
    v->all = tac__arena_array(&v->arena, count + 1, sizeof *v->all);
    if (!v->all || tac__engine_when_resolved(engine, plan, v) != TAC_OK) {
        tac_verdict_destroy(v);
        return tac__fail_memory(err);
    }
    const tac_time end_us = tac__watch_run(engine).end_us;
    for (size_t i = 0; i < count + v->has_stop; i++) {
        expectation *x = &v->all[i];
        x->def = i < count ? defs[i] : *stop;
        if (x->def.t_us == TAC_TIME_NEVER)
            x->def.t_us = end_us;
        const bool held = x->def.kind == TAC__EXPECT_ALWAYS || x->def.kind == TAC__EXPECT_NEVER;
        x->result = (tac_expectation){.outcome = held ? TAC_EXPECT_PASSED : TAC_EXPECT_UNDECIDED,
                                      .when_us = TAC_TIME_NEVER,
                                      .worst_us = TAC_TIME_NEVER,
                                      .margin = (double)NAN,
                                      .worst = (double)NAN};
        x->seen_us = TAC_TIME_NEVER;
    }
    *verdict = v;
    return TAC_OK;
}

tac_status tac_verdict_begin(tac_verdict *v, tac_error *err)
{
    TAC__FLOATS;
    if (!v)
        return TAC_OK;
    const bool late = tac_engine_time(v->engine) > 0; // from a checkpoint: all has been written
    for (size_t i = 0; i < v->count + v->has_stop; i++) {
        expectation *x = &v->all[i];
        for (size_t k = 0; k < x->count; k++) {
            x->seen[k].watched = tac__watch_signal(v->engine, x->seen[k].signal);
            x->written[k] |= late;
        }
    }
    v->start_us = tac_engine_time(v->engine);
    const size_t islands = tac__watch_island_count(v->engine);
    for (size_t i = 0; i < islands; i++) {
        follower *f = v->islands[i];
        if (!f)
            continue;
        f->inside = tac__inside_create(v->engine, &v->arena, i, f->outputs);
        if (!f->inside)
            return tac__fail_memory(err);
    }
    v->steps = (tac__step_watcher){.show = show_step, .context = v, .islands = v->watched};
    if (v->count)
        tac__watch_steps(v->engine, &v->steps);
    return TAC_OK;
}

// --- the end ------------------------------------------------------------------------------------

// What has not come by the end of the run: undecided where the time for it was not over.
static void conclude(expectation *x, tac_time t_us)
{
    const tac__expect_kind kind = x->def.kind;
    if (!x->ready) // some signal never had a value
        x->result.outcome = TAC_EXPECT_UNDECIDED;
    else if (kind == TAC__EXPECT_EVENTUALLY && x->result.outcome == TAC_EXPECT_UNDECIDED &&
             t_us >= x->def.t_us)
        decide(x, false, TAC_TIME_NEVER, true);
}

void tac_verdict_end(tac_verdict *v)
{
    TAC__FLOATS;
    if (!v)
        return;
    const bool reached = tac__engine_is_prepared(v->engine); // and no fault ended the run
    const tac_time t_us = tac_engine_time(v->engine);
    // A run that its own condition stopped ends there.
    for (size_t i = 0; i < v->count; i++) {
        expectation *x = &v->all[i];
        if (v->stopped && x->def.t_us == tac__watch_run(v->engine).end_us)
            x->def.t_us = t_us;
        if (reached && !x->ready && all_written(x)) { // nothing was written: all has been held
            x->ready = true;
            x->covered_us = v->start_us;
            read_boundary(v, x, t_us);
            sample(v, x, v->start_us);
        }
        if (reached && x->ready && !x->over) {
            if (x->seen_us == t_us && x->def.kind == TAC__EXPECT_AT && x->def.t_us == t_us)
                x->seen_us = TAC_TIME_NEVER; // it was looked at before this became the end
            meet_boundary(v, x, t_us);
        }
        if (reached)
            conclude(x, t_us);
    }
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
        const expectation *x = &v->all[i];
        own = x->result;
        own.name = x->def.name;
        own.condition = x->def.condition;
        own.kind = tac__expect_word(x->def.kind);
        own.t_us = x->def.t_us;
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
    if (!v || !v->stopped || tac_engine_finished(v->engine))
        return false;
    *t_us = v->stopped_us;
    *nan = v->all[v->count].result.nan;
    return true;
}
