// schedule.c - see schedule.h.
//
// Regions are a tree: the whole, sides of selects, bodies of loops. Going through the terms from
// the last to the first, all uses of a term are known when its turn comes, and its region is the
// lowest common ancestor of the regions of its uses. The steps are then written from the tree.
#include "graph/schedule.h"

// What an operation costs, in simple operations; a region is worth a jump above WORTH.
enum { WORTH = 4, COST_DIVISION = 5, COST_FUNCTION = 8, COST_LOOP = 100 };

typedef struct region {
    int32_t parent;
    int32_t jump; // an ancestor farther away, so that common ancestors are found in few steps
    int32_t depth;
    int32_t loop; // the innermost loop that it lies in; -1: none
    int32_t head; // its first item
    int64_t cost;
    bool kept; // false: its terms belong to its parent
} region;

// Items are terms and, from `term_count` on, loops.
typedef struct scheduler {
    const tac__terms *pool;
    tac__arena memory; // of what is needed only here
    size_t term_count;
    region *regions;
    size_t region_count;
    TAC__CAPACITY(region) region_capacity;
    int32_t *region_of;    // [items] -1: not needed
    int32_t *home;         // [terms] the innermost loop on whose variables a term depends; or -1
    int32_t *outer;        // [loops] the loop in whose body the loop lies; or -1
    int32_t *first_result; // [loops]
    int32_t *side[2];      // [items] the region of operand b or c; of a loop its body; -1: none
    int32_t *next;         // [items] the next item in the same region
    bool broken;           // a variable is used outside of its loop
} scheduler;

// --- the tree of regions ------------------------------------------------------------------------

// -1: no memory.
static int32_t add_region(scheduler *s, int32_t parent, int32_t loop)
{
    if (!TAC__ARENA_GROW(&s->memory, s->regions, s->region_count, s->region_capacity))
        return -1;
    const int32_t made = (int32_t)s->region_count++;
    region r = {.parent = parent, .jump = parent, .loop = loop, .head = -1, .kept = true};
    if (made > 0) {
        const region *above = &s->regions[parent], *far = &s->regions[above->jump];
        r.depth = above->depth + 1;
        if (above->depth - far->depth == far->depth - s->regions[far->jump].depth)
            r.jump = far->jump;
    }
    s->regions[made] = r;
    return made;
}

static int32_t common(const region *regions, int32_t a, int32_t b)
{
    if (regions[a].depth < regions[b].depth) {
        const int32_t deeper = b;
        b = a;
        a = deeper;
    }
    const int32_t depth = regions[b].depth;
    while (regions[a].depth > depth)
        a = regions[regions[a].jump].depth >= depth ? regions[a].jump : regions[a].parent;
    while (a != b) {
        const bool far = regions[a].jump != regions[b].jump;
        a = far ? regions[a].jump : regions[a].parent;
        b = far ? regions[b].jump : regions[b].parent;
    }
    return a;
}

static void use(scheduler *s, int32_t item, int32_t in)
{
    int32_t *at = &s->region_of[item];
    *at = *at < 0 ? in : common(s->regions, *at, in);
}

// The innermost region around `in` that lies in the body of `loop`, and of no loop within: what
// does not depend on a loop is computed before it.
static int32_t lift(scheduler *s, int32_t in, int32_t loop)
{
    while (s->regions[in].loop != loop && s->regions[in].loop >= 0)
        in = s->region_of[s->term_count + (size_t)s->regions[in].loop];
    s->broken |= s->regions[in].loop != loop;
    return in;
}

// --- loops and what depends on them -------------------------------------------------------------

// Something that depends on the variables of `loop` needs an operand of which `home` is the loop.
// Loops are numbered as they begin, so that of two loops around something the later is the inner.
static void depend(scheduler *s, int32_t loop, int32_t home)
{
    while (home >= 0 && home != loop) {
        const int32_t outer = s->outer[loop];
        s->outer[loop] = home > outer ? home : outer;
        home = home > outer ? outer : home;
        loop = s->outer[loop];
    }
}

static void find_outer(scheduler *s, int32_t loop)
{
    const tac__loop *l = &s->pool->loops[loop];
    for (int k = 0; k < l->count; k++) {
        depend(s, loop, s->home[l->initial[k]]);
        depend(s, loop, s->home[l->next[k]]);
    }
    for (int k = 0; k < l->exports; k++)
        depend(s, loop, s->home[l->exported[k]]);
    depend(s, loop, s->home[l->settled]);
    depend(s, loop, s->home[l->residual]);
}

static int32_t find_home(scheduler *s, int32_t term)
{
    const tac__term *t = &s->pool->terms[term];
    if (t->op == TAC__SYM_variable)
        return t->a;
    if (t->op == TAC__SYM_result) {
        if (s->first_result[t->a] < 0) {
            s->first_result[t->a] = term;
            find_outer(s, t->a);
        }
        return s->outer[t->a];
    }
    int32_t home = -1;
    const int operands = tac__op_operands((tac__sym_op)t->op);
    for (int k = 0; k < operands; k++) {
        const int32_t other = s->home[tac__term_operand(t, k)];
        home = other > home ? other : home;
    }
    for (int k = 0; k < operands && home >= 0; k++)
        depend(s, home, s->home[tac__term_operand(t, k)]);
    return home;
}

// --- regions of terms ---------------------------------------------------------------------------

static bool is_leaf(const tac__terms *pool, int32_t term)
{
    const int32_t op = pool->terms[term].op;
    return op == TAC__SYM_constant || op == TAC__SYM_input || op == TAC__SYM_variable;
}

// Operand b (side 0) or c (side 1) of a term is needed only if that side is chosen.
static bool use_side(scheduler *s, int32_t term, int side, int32_t operand)
{
    if (is_leaf(s->pool, operand))
        return true;
    const int32_t in = s->region_of[term];
    const int32_t made = add_region(s, in, s->regions[in].loop);
    if (made < 0)
        return false;
    s->side[side][term] = made;
    use(s, operand, made);
    return true;
}

static bool use_operands(scheduler *s, int32_t term)
{
    const tac__term *t = &s->pool->terms[term];
    const int32_t in = s->region_of[term];
    const int operands = tac__op_operands((tac__sym_op)t->op);
    switch (t->op) {
    case TAC__SYM_result:
        use(s, (int32_t)s->term_count + t->a, in);
        return true;
    case TAC__SYM_select:
        use(s, t->a, in);
        return use_side(s, term, 0, t->b) && use_side(s, term, 1, t->c);
    case TAC__SYM_logic_and:
    case TAC__SYM_logic_or:
        use(s, t->a, in);
        return use_side(s, term, t->op == TAC__SYM_logic_or, t->b);
    default:
        for (int k = 0; k < operands; k++)
            use(s, tac__term_operand(t, k), in);
        return true;
    }
}

// Exports count where their results are needed.
static bool use_loop(scheduler *s, int32_t loop)
{
    const tac__loop *l = &s->pool->loops[loop];
    const size_t item = s->term_count + (size_t)loop;
    const int32_t in = s->region_of[item];
    if (in < 0)
        return true;
    const int32_t body = add_region(s, in, loop);
    if (body < 0)
        return false;
    s->side[0][item] = body;
    for (int k = 0; k < l->count; k++) {
        use(s, l->initial[k], in);
        use(s, l->next[k], body);
    }
    use(s, l->settled, body);
    use(s, l->residual, body);
    for (int k = 0; k < l->exports; k++) {
        const int32_t result = s->first_result[loop] + l->count + k;
        if (s->region_of[result] >= 0)
            use(s, l->exported[k], body);
    }
    return true;
}

static bool find_regions(scheduler *s)
{
    for (int32_t t = (int32_t)s->term_count - 1; t >= 0; t--) {
        const tac__term *term = &s->pool->terms[t];
        if (s->region_of[t] >= 0) {
            s->region_of[t] = lift(s, s->region_of[t], s->home[t]);
            if (!use_operands(s, t))
                return false;
        }
        if (term->op == TAC__SYM_result && t == s->first_result[term->a] && !use_loop(s, term->a))
            return false;
    }
    return true;
}

// --- which regions are worth it -----------------------------------------------------------------

static int cost_of(int32_t op)
{
    switch (op) {
    case TAC__SYM_constant:
    case TAC__SYM_input:
    case TAC__SYM_variable:
    case TAC__SYM_result:
        return 0;
    case TAC__SYM_div:
    case TAC__SYM_sqrt:
        return COST_DIVISION;
    default:
        return op > TAC__SYM_floor ? COST_FUNCTION : 1;
    }
}

// Inner regions were made after outer ones.
static void judge_regions(scheduler *s, tac__regions wanted)
{
    for (size_t t = 0; t < s->term_count; t++) {
        if (s->region_of[t] >= 0)
            s->regions[s->region_of[t]].cost += cost_of(s->pool->terms[t].op);
    }
    const int64_t worth = wanted == TAC__REGIONS_ALL ? 0 : WORTH;
    for (size_t i = s->region_count - 1; i > 0; i--) {
        region *r = &s->regions[i], *parent = &s->regions[r->parent];
        const bool body = r->loop != parent->loop;
        r->kept = body || r->cost > worth;
        parent->cost += r->cost + (body ? COST_LOOP : 0);
    }
}

static int32_t kept(const scheduler *s, int32_t r)
{
    return s->regions[r].kept ? r : s->regions[r].parent;
}

// A region that is not kept becomes its parent. Parents come first, so that one look is enough.
static void merge_regions(scheduler *s)
{
    for (size_t i = 1; i < s->region_count; i++)
        s->regions[i].parent = kept(s, s->regions[i].parent);
    for (size_t i = 0; i < s->term_count + s->pool->loop_count; i++) {
        if (s->region_of[i] >= 0)
            s->region_of[i] = kept(s, s->region_of[i]);
        for (int k = 0; k < 2; k++) {
            if (s->side[k][i] >= 0 && !s->regions[s->side[k][i]].kept)
                s->side[k][i] = -1;
        }
    }
}

// --- writing the steps --------------------------------------------------------------------------

static void put_first(scheduler *s, int32_t item, int32_t in)
{
    s->next[item] = s->regions[in].head;
    s->regions[in].head = item;
}

// A loop stands before its first result that is needed, and all its results stand beside it.
static void list_items(scheduler *s)
{
    for (int32_t t = (int32_t)s->term_count - 1; t >= 0; t--) {
        const tac__term *term = &s->pool->terms[t];
        const bool result = term->op == TAC__SYM_result;
        const int32_t loop = result ? (int32_t)s->term_count + term->a : -1;
        if (s->region_of[t] >= 0 && !is_leaf(s->pool, t))
            put_first(s, t, s->region_of[result ? loop : t]);
        if (result && t == s->first_result[term->a] && s->region_of[loop] >= 0)
            put_first(s, loop, s->region_of[loop]);
    }
}

typedef struct writer {
    tac__arena *arena;
    tac__schedule *schedule;
    TAC__CAPACITY(tac__step) capacity;
} writer;

// The number of the step; -1: no memory.
static int32_t put(writer *w, tac__step_kind kind, int32_t term, int32_t other)
{
    tac__schedule *out = w->schedule;
    if (!TAC__ARENA_GROW(w->arena, out->steps, out->count, w->capacity))
        return -1;
    out->steps[out->count] = (tac__step){kind, term, other};
    return (int32_t)out->count++;
}

// An item of which a region is being written. `opened` is its IF, ELSE or LOOP.
typedef struct frame {
    int32_t item, opened;
    int stage;
} frame;

typedef TAC__CAPACITY(frame) frame_capacity;

static bool push(scheduler *s, frame **stack, size_t *count, frame_capacity *capacity, int32_t of)
{
    if (!TAC__ARENA_GROW(&s->memory, *stack, *count, *capacity))
        return false;
    (*stack)[(*count)++] = (frame){.item = of < 0 ? -1 : s->regions[of].head, .opened = -1};
    return true;
}

static bool open_item(const scheduler *s, writer *w, frame *f)
{
    const bool loop = f->item >= (int32_t)s->term_count;
    f->opened = loop ? put(w, TAC__STEP_LOOP, f->item - (int32_t)s->term_count, -1)
                     : put(w, TAC__STEP_IF, s->pool->terms[f->item].a, -1);
    return f->opened >= 0;
}

static bool part_item(writer *w, frame *f)
{
    const int32_t opened = f->opened;
    f->opened = put(w, TAC__STEP_ELSE, w->schedule->steps[opened].term, opened);
    w->schedule->steps[opened].other = f->opened;
    return f->opened >= 0;
}

static bool close_item(const scheduler *s, writer *w, frame *f)
{
    if (f->opened >= 0) {
        tac__step *steps = w->schedule->steps;
        const int32_t last = f->opened;
        const int32_t begin = steps[last].kind == TAC__STEP_ELSE ? steps[last].other : last;
        const int32_t end = put(w, TAC__STEP_END, steps[begin].term, begin);
        if (end < 0)
            return false;
        w->schedule->steps[last].other = end;
    }
    return f->item >= (int32_t)s->term_count || put(w, TAC__STEP_TERM, f->item, -1) >= 0;
}

static bool write_steps(scheduler *s, writer *w)
{
    frame *stack = NULL;
    size_t count = 0;
    frame_capacity capacity = {0};
    if (!push(s, &stack, &count, &capacity, 0))
        return false;
    while (count > 0) {
        frame *f = &stack[count - 1];
        if (f->item < 0) {
            count--;
            continue;
        }
        const int32_t first = s->side[0][f->item], second = s->side[1][f->item];
        bool done = true;
        switch (f->stage++) {
        case 0:
            if (first >= 0 || second >= 0)
                done = open_item(s, w, f) && push(s, &stack, &count, &capacity, first);
            break;
        case 1:
            if (second >= 0)
                done = part_item(w, f) && push(s, &stack, &count, &capacity, second);
            break;
        default:
            done = close_item(s, w, f);
            *f = (frame){.item = s->next[f->item], .opened = -1};
        }
        if (!done)
            return false;
    }
    return true;
}

// --- the whole ----------------------------------------------------------------------------------

static int32_t *numbers(scheduler *s, size_t count)
{
    int32_t *made = tac__arena_array(&s->memory, count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        made[i] = -1;
    return made;
}

static bool begin(scheduler *s)
{
    const size_t loops = s->pool->loop_count, items = s->term_count + loops;
    s->region_of = numbers(s, items);
    s->home = numbers(s, s->term_count);
    s->outer = numbers(s, loops);
    s->first_result = numbers(s, loops);
    s->side[0] = numbers(s, items);
    s->side[1] = numbers(s, items);
    s->next = numbers(s, items);
    return s->region_of && s->home && s->outer && s->first_result && s->side[0] && s->side[1] &&
           s->next && add_region(s, 0, -1) == 0;
}

static bool schedule_terms(scheduler *s, const int32_t *outputs, size_t count, tac__regions regions,
                           writer *w)
{
    if (!begin(s))
        return false;
    for (size_t i = 0; i < count; i++)
        use(s, outputs[i], 0);
    for (size_t t = 0; t < s->term_count; t++)
        s->home[t] = find_home(s, (int32_t)t);
    if (!find_regions(s))
        return false;
    judge_regions(s, regions);
    merge_regions(s);
    list_items(s);
    return write_steps(s, w);
}

tac_status tac__schedule_terms(tac__arena *arena, const tac__terms *pool, const int32_t *outputs,
                               size_t count, tac__regions regions, tac__schedule *schedule,
                               tac_error *err)
{
    scheduler s = {.pool = pool, .term_count = pool->count};
    writer w = {.arena = arena, .schedule = schedule};
    *schedule = (tac__schedule){.steps = NULL};
    TAC_TRY(tac__terms_status(pool, err));
    tac__arena_init(&s.memory, arena->allocator);
    const bool done = schedule_terms(&s, outputs, count, regions, &w);
    tac__arena_fini(&s.memory);
    TAC_ASSERT(!s.broken);
    return done ? TAC_OK : tac__fail_memory(err);
}

tac_status tac__schedule_graph(tac__arena *arena, const tac_graph *graph, tac__regions regions,
                               tac__schedule *schedule, tac_error *err)
{
    size_t count = 0, filled = 0;
    for (size_t g = 0; g < graph->out_count; g++)
        count += graph->out[g].count;
    int32_t *outputs = tac__arena_array(arena, count + 1, sizeof *outputs);
    if (!outputs)
        return tac__fail_memory(err);
    for (size_t g = 0; g < graph->out_count; g++) {
        for (size_t i = 0; i < graph->out[g].count; i++)
            outputs[filled++] = graph->out[g].terms[i];
    }
    return tac__schedule_terms(arena, tac__graph_pool(graph), outputs, count, regions, schedule,
                               err);
}
