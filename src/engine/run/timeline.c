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

tac_status tac__timeline_wire(tac__timeline *tl, const tac__sources *sources, uint64_t *taken,
                              tac_time *next, tac__arena *arena)
{
    *tl = (tac__timeline){.sources = sources->sources,
                          .count = sources->count,
                          .own = sources->own,
                          .taken = taken,
                          .next = next,
                          .winner = tac__arena_array(arena, 2 * sources->count, sizeof *tl->winner),
                          .last = tac__arena_array(arena, sources->count + 1, sizeof *tl->last)};
    tl->rest = tl->last ? tl->last + sources->count : NULL;
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
    *tl->rest = 0;
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
