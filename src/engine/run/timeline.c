// timeline.c - the next times of all sources in a tournament tree: when a source changes, the
// comparisons from its leaf to the root are made again. The order in which sources of the same time
// come out does not matter: all that is due with any of them runs together.
#include "engine/run/validate.h"

int tac__timeline_add(tac__sources *tl, tac__arena *arena, const tac__source *source)
{
    if (source->kind == TAC__SOURCE_AXIS) {
        for (size_t i = 0; i < tl->count; i++) {
            const tac__source *s = &tl->sources[i];
            if (s->kind == TAC__SOURCE_AXIS && s->period_us == source->period_us &&
                s->offset_us == source->offset_us && s->observer == source->observer)
                return (int)i;
        }
    }
    if (!TAC__ARENA_GROW(arena, tl->sources, tl->count, tl->capacity))
        return -1;
    tl->sources[tl->count] = *source;
    return (int)tl->count++;
}

tac_status tac__timeline_reserve(const tac__sources *sources, tac__block *block, tac__arena *arena,
                                 size_t offsets[2])
{
    const tac__part taken = {.what = "timeline", .owner = "taken", .check = tac__check_taken},
                    next = {.what = "timeline", .owner = "next", .check = tac__check_next},
                    observers = {.what = "observers", .owner = "next", .check = tac__check_any};
    TAC_TRY(tac__block_reserve(block, arena, &taken, sources->own, sizeof(uint64_t), &offsets[0]));
    TAC_TRY(tac__block_reserve(block, arena, &next, sources->own, sizeof(tac_time), &offsets[1]));
    tac__block_seal(block);
    // Part "observers next" continues the array "timeline next": parts are whole words and lie one
    // after another.
    size_t rest;
    return tac__block_reserve(block, arena, &observers, sources->count - sources->own,
                              sizeof(tac_time), &rest);
}

tac_status tac__timeline_wire(tac__timeline *tl, const tac__sources *sources,
                              const tac__block *block, tac__arena *arena, const size_t offsets[2])
{
    *tl = (tac__timeline){.sources = sources->sources,
                          .count = sources->count,
                          .own = sources->own,
                          .taken = tac__block_at(block, offsets[0]),
                          .next = tac__block_at(block, offsets[1]),
                          .winner = tac__arena_array(arena, 2 * sources->count, sizeof *tl->winner),
                          .last = tac__arena_array(arena, sources->count, sizeof *tl->last)};
    return tl->winner && tl->last ? TAC_OK : TAC_E_MEMORY;
}

// Build the tree: make all comparisons.
static void play(const tac__timeline *tl)
{
    for (size_t i = 0; i < tl->count; i++)
        tl->winner[tl->count + i] = (uint32_t)i;
    for (size_t node = tl->count - 1; node > 0; node--) {
        const uint32_t a = tl->winner[2 * node], b = tl->winner[2 * node + 1];
        tl->winner[node] = tl->next[b] < tl->next[a] ? b : a;
    }
}

void tac__timeline_start(const tac__timeline *tl)
{
    for (size_t i = 0; i < tl->count; i++) {
        const tac__source *s = &tl->sources[i];
        tl->next[i] = TAC_TIME_NEVER;
        if (s->kind == TAC__SOURCE_AXIS)
            tl->next[i] = s->offset_us;
        else if (s->kind == TAC__SOURCE_TIMES)
            tl->next[i] = s->times_us[0];
        tl->last[i] = TAC_TIME_NEVER;
    }
    play(tl);
}

void tac__timeline_resume(const tac__timeline *tl, tac_time t_us)
{
    for (size_t i = 0; i < tl->count; i++)
        tl->last[i] = TAC_TIME_NEVER;
    for (size_t i = tl->own; i < tl->count; i++) {
        const tac__source *s = &tl->sources[i];
        tl->next[i] = s->offset_us;
        if (t_us != TAC_TIME_NEVER && t_us >= s->offset_us)
            tl->next[i] += ((t_us - s->offset_us) / s->period_us + 1) * s->period_us;
    }
    play(tl);
}

void tac__timeline_set(const tac__timeline *tl, int source, tac_time t_us)
{
    if (tl->next[source] != t_us)
        (void)tac__timeline_move(tl, (size_t)source, t_us);
}
