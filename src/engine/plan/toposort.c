// toposort.c - Kahn's algorithm with the lowest free number first, in linear time.
#include "engine/plan/toposort.h"

#include <stdbool.h>
#include <string.h>

int tac__precedence_signal(const tac__precedence *g, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->edges[i].from == from && g->edges[i].to == to)
            return g->edges[i].signal;
    }
    return -1;
}

// Every node left over waits for another one left over: follow these edges backwards until a node
// comes up again. `before` has room for a node each.
static size_t find_cycle(const tac__precedence *g, const bool *done, uint32_t *visited_at,
                         uint32_t *before, uint32_t *order)
{
    for (size_t i = g->count; i-- > 0;) { // the first edge of each node counts
        if (!done[g->edges[i].from])
            before[g->edges[i].to] = g->edges[i].from;
    }
    uint32_t node = 0;
    while (done[node])
        node++;
    memset(visited_at, 0xff, g->nodes * sizeof *visited_at);
    size_t length = 0;
    while (visited_at[node] == UINT32_MAX) {
        visited_at[node] = (uint32_t)length;
        order[length++] = node;
        node = before[node];
    }
    // The walk went against the edges; turn the loop round and start it at its lowest number.
    const size_t start = visited_at[node], count = length - start;
    memmove(order, order + start, count * sizeof *order);
    for (size_t i = 0; i < count / 2; i++) {
        const uint32_t swap = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = swap;
    }
    size_t lowest = 0;
    for (size_t i = 1; i < count; i++)
        lowest = order[i] < order[lowest] ? i : lowest;
    for (; lowest > 0; lowest--) {
        const uint32_t first = order[0];
        memmove(order, order + 1, (count - 1) * sizeof *order);
        order[count - 1] = first;
    }
    return count;
}

// --- the set of free nodes ----------------------------------------------------------------------

// One bit a node; above it one bit for each word that is not 0, and so on up to a single word. To
// add a node or to take the lowest goes through all levels, which are never more than 6.
enum { LEVELS = 6 };

typedef struct set {
    uint64_t *levels[LEVELS];
    int count; // of levels
} set;

static bool set_make(set *s, tac__arena *arena, size_t nodes)
{
    size_t words = nodes;
    do {
        words = (words + 63) / 64;
        s->levels[s->count] = tac__arena_array(arena, words, sizeof(uint64_t));
        if (!s->levels[s->count++])
            return false;
    } while (words > 1);
    return true;
}

static void set_add(const set *s, uint32_t node)
{
    for (int i = 0; i < s->count; i++, node /= 64)
        s->levels[i][node / 64] |= UINT64_C(1) << node % 64;
}

static bool set_is_empty(const set *s)
{
    return s->levels[s->count - 1][0] == 0;
}

static uint32_t set_take(const set *s)
{
    uint32_t node = 0;
    for (int i = s->count; i-- > 0;)
        node = 64 * node + (uint32_t)__builtin_ctzll(s->levels[i][node]);
    uint32_t bit = node;
    for (int i = 0; i < s->count; i++, bit /= 64) {
        s->levels[i][bit / 64] &= ~(UINT64_C(1) << bit % 64);
        if (s->levels[i][bit / 64])
            break;
    }
    return node;
}

// --- sorting ------------------------------------------------------------------------------------

// Edges by the node they leave: those of node i are targets[first[i]] up to targets[first[i + 1]].
static void list_targets(const tac__precedence *g, uint32_t *first, uint32_t *targets)
{
    for (size_t i = 0; i < g->count; i++)
        first[g->edges[i].from + 1]++;
    for (size_t i = 0; i < g->nodes; i++)
        first[i + 1] += first[i];
    for (size_t i = g->count; i-- > 0;) // moves ends of lists to their beginnings
        targets[--first[g->edges[i].from + 1]] = g->edges[i].to;
    memmove(first, first + 1, g->nodes * sizeof *first);
    first[g->nodes] = (uint32_t)g->count;
}

tac_status tac__toposort(const tac__precedence *g, tac__arena *arena, uint32_t *order,
                         size_t *count)
{
    const size_t n = g->nodes;
    uint32_t *waits_for = tac__arena_array(arena, n, sizeof *waits_for);
    uint32_t *visited_at = tac__arena_array(arena, n, sizeof *visited_at);
    uint32_t *first = tac__arena_array(arena, n + 1, sizeof *first);
    uint32_t *targets = tac__arena_array(arena, g->count, sizeof *targets);
    set free_nodes = {0};
    bool *done = tac__arena_array(arena, n, sizeof *done);
    if (!waits_for || !visited_at || !first || !targets || !done ||
        !set_make(&free_nodes, arena, n))
        return TAC_E_MEMORY;
    list_targets(g, first, targets);
    for (size_t i = 0; i < g->count; i++)
        waits_for[g->edges[i].to]++;
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_for[i])
            set_add(&free_nodes, i);
    }
    for (size_t placed = 0; placed < n; placed++) {
        if (set_is_empty(&free_nodes)) {
            *count = find_cycle(g, done, visited_at, waits_for, order);
            return TAC_E_CYCLE;
        }
        const uint32_t next = set_take(&free_nodes);
        done[next] = true;
        order[placed] = next;
        for (uint32_t i = first[next]; i < first[next + 1]; i++) {
            if (--waits_for[targets[i]] == 0)
                set_add(&free_nodes, targets[i]);
        }
    }
    *count = n;
    return TAC_OK;
}
