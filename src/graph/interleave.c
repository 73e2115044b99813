// interleave.c - see interleave.h.
//
// A list scheduler over windows of a stretch. Of the terms whose operands are there, it takes one
// of the kind of the last, up to TAC__GROUP in a row; else one with the longest way to the end of
// the window, but first one of a kind of which a whole group is there. A window is small, so that
// values are used soon after they were computed, and so that the search in it may be a plain loop.
#include "graph/interleave.h"

#include <string.h>

enum { WINDOW = 128, OPERANDS = 6 };

// A term of a window, with the one that is computed together with it.
typedef struct node {
    int32_t term, inside; // terms; inside -1: none
    int32_t kind;
    int operands[OPERANDS]; // numbers of nodes that it waits for
    int operand_count;
    int height;  // how many nodes follow it at least
    int waiting; // operands that are not there yet
    bool done;
} node;

typedef struct window {
    const tac__terms *pool;
    const int32_t *kinds;
    int32_t *node_of; // [terms] the number of the node that computes it; -1: not in the window
    node nodes[WINDOW];
    int count;
} window;

// --- the nodes of a window ----------------------------------------------------------------------

// Terms that are computed with another one of the window are not nodes of their own, but for the
// first of the window, which stays there.
static void make_nodes(window *w, const tac__step *steps, int count)
{
    for (int i = 0; i < count; i++)
        w->node_of[steps[i].term] = i;
    for (int i = 0; i < count; i++)
        w->nodes[i] = (node){.term = steps[i].term, .inside = -1, .kind = w->kinds[steps[i].term]};
    for (int i = 0; i < count; i++) {
        const tac__term *t = &w->pool->terms[steps[i].term];
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
            const int32_t from = tac__term_operand(t, k);
            if (w->node_of[from] <= 0 || w->kinds[from] >= 0)
                continue;
            w->nodes[w->node_of[from]].done = true;
            w->nodes[i].inside = from;
        }
    }
    w->count = count;
}

static void add_operands(window *w, node *n, int32_t term)
{
    const tac__term *t = &w->pool->terms[term];
    for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
        const int32_t from = tac__term_operand(t, k);
        if (from != n->inside && w->node_of[from] >= 0)
            n->operands[n->operand_count++] = w->node_of[from];
    }
}

static void link_nodes(window *w)
{
    for (int i = 0; i < w->count; i++) {
        node *n = &w->nodes[i];
        if (n->done)
            continue;
        add_operands(w, n, n->term);
        if (n->inside >= 0)
            add_operands(w, n, n->inside);
        n->waiting = n->operand_count;
    }
    for (int i = w->count - 1; i >= 0; i--) {
        for (int k = 0; k < w->nodes[i].operand_count; k++) {
            node *from = &w->nodes[w->nodes[i].operands[k]];
            from->height =
                from->height > w->nodes[i].height ? from->height : w->nodes[i].height + 1;
        }
    }
}

// --- their order --------------------------------------------------------------------------------

static bool is_ready(const node *n)
{
    return !n->done && n->waiting == 0;
}

static int best_of_kind(const window *w, int32_t kind)
{
    int best = -1;
    for (int i = 0; i < w->count; i++) {
        if (is_ready(&w->nodes[i]) && w->nodes[i].kind == kind &&
            (best < 0 || w->nodes[i].height > w->nodes[best].height))
            best = i;
    }
    return best;
}

static int best_of_all(const window *w)
{
    int count[TAC__KINDS] = {0}, best = -1;
    for (int i = 0; i < w->count; i++) {
        if (is_ready(&w->nodes[i]) && w->nodes[i].kind >= 0)
            count[w->nodes[i].kind]++;
    }
    bool group = false;
    for (int i = 0; i < w->count; i++) {
        const node *n = &w->nodes[i];
        if (!is_ready(n))
            continue;
        const bool has_group = n->kind >= 0 && count[n->kind] >= TAC__GROUP;
        if (best >= 0 && (has_group != group ? group : n->height <= w->nodes[best].height))
            continue;
        best = i;
        group = has_group;
    }
    return best;
}

static void finish(window *w, int chosen)
{
    w->nodes[chosen].done = true;
    for (int i = 0; i < w->count; i++) {
        for (int k = 0; k < w->nodes[i].operand_count; k++)
            w->nodes[i].waiting -= w->nodes[i].operands[k] == chosen;
    }
}

static void order(window *w, tac__step *steps, int count)
{
    make_nodes(w, steps, count);
    link_nodes(w);
    int chosen = 0, in_group = 0;
    for (int n = 0; n < count;) {
        const node *at = &w->nodes[chosen];
        if (at->inside >= 0)
            steps[n++].term = at->inside;
        steps[n++].term = at->term;
        finish(w, chosen);
        in_group++;
        const int next = in_group < TAC__GROUP ? best_of_kind(w, at->kind) : -1;
        in_group = next < 0 ? 0 : in_group;
        chosen = next < 0 ? best_of_all(w) : next;
    }
}

// --- the whole ----------------------------------------------------------------------------------

static int stretch(const tac__schedule *schedule, size_t from)
{
    int count = 0;
    while (count < WINDOW && from + (size_t)count < schedule->count &&
           schedule->steps[from + (size_t)count].kind == TAC__STEP_TERM)
        count++;
    return count;
}

tac_status tac__schedule_interleave(const tac_allocator *allocator, const tac__terms *pool,
                                    const int32_t *kinds, tac__schedule *schedule, tac_error *err)
{
    tac__arena memory;
    tac__arena_init(&memory, allocator);
    window *w = tac__arena_alloc(&memory, sizeof *w);
    int32_t *node_of = tac__arena_array(&memory, pool->count, sizeof *node_of);
    if (w && node_of) {
        memset(node_of, -1, pool->count * sizeof *node_of);
        *w = (window){.pool = pool, .kinds = kinds, .node_of = node_of};
        for (size_t i = 0, count; i < schedule->count; i += count + (count == 0)) {
            count = (size_t)stretch(schedule, i);
            if (count > 2)
                order(w, &schedule->steps[i], (int)count);
            for (size_t k = 0; k < count; k++)
                node_of[schedule->steps[i + k].term] = -1;
        }
    }
    tac__arena_fini(&memory);
    return w && node_of ? TAC_OK : tac__fail_memory(err);
}
