// The order of nodes: every edge is respected, and of the nodes that are free the lowest comes
// first.
#include "support/test.h"

#include "engine/plan/toposort.h"

#include <stdbool.h>
#include <string.h>

typedef struct graph {
    tac__precedence g;
    size_t nodes;
    tac__edge edges[20000];
} graph;

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % below);
}

// A graph without cycles: edges lead from lower to higher places of a random permutation.
static void make(graph *r, size_t nodes, size_t edges, uint64_t *random)
{
    static uint32_t place[5000];
    for (uint32_t i = 0; i < nodes; i++)
        place[i] = i;
    for (uint32_t i = (uint32_t)nodes; i > 1; i--) {
        const uint32_t k = draw(random, i), swap = place[k];
        place[k] = place[i - 1];
        place[i - 1] = swap;
    }
    r->g = (tac__precedence){.nodes = nodes, .edges = r->edges};
    while (nodes > 1 && r->g.count < edges) {
        const uint32_t a = draw(random, (uint32_t)nodes), b = draw(random, (uint32_t)nodes);
        if (place[a] < place[b])
            r->edges[r->g.count++] = (tac__edge){.from = a, .to = b, .signal = (int)r->g.count};
    }
}

// The same by searching all nodes for the lowest free one, each time.
static void sort_slowly(const graph *r, uint32_t *order)
{
    static uint32_t waits[5000];
    static bool done[5000];
    memset(waits, 0, sizeof waits);
    memset(done, 0, sizeof done);
    for (size_t i = 0; i < r->g.count; i++)
        waits[r->edges[i].to]++;
    for (size_t placed = 0; placed < r->g.nodes; placed++) {
        uint32_t next = 0;
        while (done[next] || waits[next])
            next++;
        done[next] = true;
        order[placed] = next;
        for (size_t i = 0; i < r->g.count; i++)
            waits[r->edges[i].to] -= r->edges[i].from == next;
    }
}

static void check(graph *r, size_t nodes, size_t edges, uint64_t *random)
{
    static uint32_t order[5000], expected[5000];
    make(r, nodes, edges, random);
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    size_t count;
    assert_int_equal(tac__toposort(&r->g, &arena, order, &count), TAC_OK);
    assert_int_equal(count, nodes);
    sort_slowly(r, expected);
    assert_memory_equal(order, expected, nodes * sizeof *order);
    tac__arena_fini(&arena);
}

static void test_random(void **state)
{
    (void)state;
    static graph r;
    uint64_t random = 1;
    for (int i = 0; i < 300; i++) {
        const size_t nodes = 1 + draw(&random, 200);
        check(&r, nodes, draw(&random, (uint32_t)(3 * nodes)), &random);
    }
    // one, two and three levels of the set of free nodes
    static const size_t sizes[] = {1, 63, 64, 65, 4095, 4096, 4097, 4999};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check(&r, sizes[i], sizes[i] / 2, &random);
}

static void test_cycle(void **state)
{
    (void)state;
    static graph r;
    uint64_t random = 2;
    make(&r, 4500, 0, &random);
    static const uint32_t loop[] = {70, 4200, 9, 64};
    for (size_t i = 0; i < 4; i++)
        r.edges[r.g.count++] = (tac__edge){.from = loop[i], .to = loop[(i + 1) % 4]};
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    static uint32_t order[4500];
    size_t count;
    assert_int_equal(tac__toposort(&r.g, &arena, order, &count), TAC_E_CYCLE);
    assert_int_equal(count, 4);
    static const uint32_t found[] = {9, 64, 70, 4200}; // from the lowest on, along the edges
    assert_memory_equal(order, found, sizeof found);
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(test_random), cmocka_unit_test(test_cycle))
