// graph.c - Kahn's algorithm with the lowest free number first.
#include "engine/graph.h"

#include <stdbool.h>
#include <string.h>

int tac__graph_signal(const tac__graph *g, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->edges[i].from == from && g->edges[i].to == to)
            return g->edges[i].signal;
    }
    return -1;
}

// Every node left over waits for another one left over: walk back until one comes up again.
static size_t find_cycle(const tac__graph *g, const bool *done, uint32_t *visited_at,
                         uint32_t *order)
{
    uint32_t node = 0;
    while (done[node])
        node++;
    memset(visited_at, 0xff, g->nodes * sizeof *visited_at);
    size_t length = 0;
    while (visited_at[node] == UINT32_MAX) {
        visited_at[node] = (uint32_t)length;
        order[length++] = node;
        for (size_t i = 0; i < g->count; i++) {
            if (g->edges[i].to == node && !done[g->edges[i].from]) {
                node = g->edges[i].from;
                break;
            }
        }
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

tac_status tac__graph_sort(const tac__graph *g, tac__arena *arena, uint32_t *order, size_t *count)
{
    const size_t n = g->nodes;
    uint32_t *waits_for = tac__arena_array(arena, n, sizeof *waits_for);
    uint32_t *visited_at = tac__arena_array(arena, n, sizeof *visited_at);
    bool *done = tac__arena_array(arena, n, sizeof *done);
    if (!waits_for || !visited_at || !done)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < g->count; i++)
        waits_for[g->edges[i].to]++;
    for (size_t placed = 0; placed < n; placed++) {
        uint32_t next = 0;
        while (next < n && (done[next] || waits_for[next]))
            next++;
        if (next == n) {
            *count = find_cycle(g, done, visited_at, order);
            return TAC_E_CYCLE;
        }
        done[next] = true;
        order[placed] = next;
        for (size_t i = 0; i < g->count; i++) {
            if (g->edges[i].from == next)
                waits_for[g->edges[i].to]--;
        }
    }
    *count = n;
    return TAC_OK;
}
