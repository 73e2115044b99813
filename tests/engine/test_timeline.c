// The timeline gives the same instants as a search through all sources, whatever is taken and
// moved.
#include "support/test.h"

#include "base/random.h"
#include "engine/run/timeline.h"

#include <string.h>

enum { MOST = 13, STEPS = 400, TIMES = 5 };

// The same by search.
typedef struct plain {
    const tac__source *sources;
    size_t count, taken[MOST];
    tac_time next[MOST];
} plain;

static tac_time earliest(const plain *p)
{
    tac_time t_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < p->count; i++)
        t_us = p->next[i] < t_us ? p->next[i] : t_us;
    return t_us;
}

static tac_time following(plain *p, size_t i)
{
    const tac__source *s = &p->sources[i];
    if (s->kind == TAC__SOURCE_AXIS)
        return p->next[i] + s->period_us;
    if (s->kind == TAC__SOURCE_TIMES && ++p->taken[i] < s->times_count)
        return s->times_us[p->taken[i]];
    return TAC_TIME_NEVER;
}

static uint32_t below(const tac__stream *stream, uint64_t *draw, uint32_t count)
{
    return (uint32_t)(tac__stream_uniform(stream, (*draw)++) * count);
}

// Sources of all kinds, with periods and times that often meet.
static void add_sources(tac__sources *sources, tac__arena *arena, size_t count,
                        const tac__stream *stream, uint64_t *draw)
{
    static const tac_time periods[] = {1, 1, 2, 3, 4, 10};
    static tac_time times[MOST][TIMES];
    for (size_t i = 0; sources->count < count; i++) {
        tac__source s = {.kind = below(stream, draw, 3) == 0 ? TAC__SOURCE_AXIS : TAC__SOURCE_PORT,
                         .period_us = periods[below(stream, draw, 6)],
                         .offset_us = below(stream, draw, 5)};
        if (i == 3) {
            s.kind = TAC__SOURCE_TIMES;
            s.times_us = times[i];
            s.times_count = TIMES;
            for (tac_time k = 0; k < TIMES; k++)
                times[i][k] = 3 + 7 * k;
        }
        assert_true(tac__timeline_add(sources, arena, &s) >= 0);
    }
}

// All sources of the next instant come out, each once, and the instant after them is known.
static void take_instant(const tac__timeline *tl, plain *p)
{
    const tac_time t_us = earliest(p);
    assert_true(tac__timeline_next(tl) == t_us);
    if (t_us == TAC_TIME_NEVER)
        return;
    tac_time next_us = t_us;
    while (next_us == t_us) {
        const size_t i = tac__timeline_take(tl, &next_us);
        assert_true(p->next[i] == t_us && tl->last[i] == t_us);
        p->next[i] = following(p, i);
        assert_true(tl->next[i] == p->next[i] && next_us == earliest(p));
    }
}

static void check(uint64_t seed, size_t count)
{
    uint64_t draw = 0, taken[MOST] = {0};
    tac_time next[MOST];
    const tac__stream stream = tac__stream_make(seed, "timeline");
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__sources sources = {0};
    add_sources(&sources, &arena, count, &stream, &draw);
    sources.own = count;
    tac__timeline tl;
    assert_int_equal(tac__timeline_wire(&tl, &sources, taken, next, &arena), TAC_OK);
    tac__timeline_start(&tl);
    plain p = {.sources = sources.sources, .count = count};
    memcpy(p.next, next, count * sizeof *next);
    for (int step = 0; step < STEPS; step++) {
        const size_t i = below(&stream, &draw, (uint32_t)count);
        const tac_time t_us = tl.last[i] == TAC_TIME_NEVER ? 0 : tl.last[i];
        if (below(&stream, &draw, 4) == 0 && sources.sources[i].kind == TAC__SOURCE_PORT) {
            p.next[i] = t_us + 1 + below(&stream, &draw, 9);
            tac__timeline_set(&tl, (int)i, p.next[i]);
            assert_true(tac__timeline_next(&tl) == earliest(&p));
        } else {
            take_instant(&tl, &p);
        }
    }
    tac__arena_fini(&arena);
}

static void test_as_by_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        for (size_t count = 1; count <= MOST; count++)
            check(seed, count);
    }
}

TEST_MAIN(cmocka_unit_test(test_as_by_search))
