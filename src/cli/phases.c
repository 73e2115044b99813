// phases.c - collects the changes of flight phases in a run; see phases.h.
#include "cli/phases.h"

#include <stdlib.h>

void cli_phases_fini(cli_phases *p)
{
    free(p->items);
    *p = (cli_phases){0};
}

static void add(void *context, const tac_phase_change *change)
{
    cli_phases *p = context;
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 16;
        tac_phase_change *items = realloc(p->items, capacity * sizeof *items);
        if (!items) {
            p->lost++;
            return;
        }
        p->items = items;
        p->capacity = capacity;
    }
    p->items[p->count++] = *change;
}

void cli_phases_watch(cli_phases *p, tac_engine_def *def)
{
    def->phase_changed = add;
    def->phase_context = p;
}

void cli_phases_json(const cli_phases *p, tac__json *json)
{
    tac__json_key(json, "phases");
    tac__json_array_begin(json);
    for (size_t i = 0; i < p->count; i++) {
        const tac_phase_change *c = &p->items[i];
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_u64(json, "t_us", c->t_us);
        tac__json_key_text(json, "entity", c->entity);
        tac__json_key_text(json, "from", c->from);
        tac__json_key_text(json, "to", c->to);
        tac__json_key_text(json, "condition", c->condition);
        tac__json_key_bool(json, "located", c->located);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
    if (p->lost)
        tac__json_key_u64(json, "phases_lost", p->lost);
}
