// layout.c - the parts of a block, its sources and its boundaries, as text; see layout.h.
#include "engine/plan/find.h"
#include "engine/run/layout.h"

#include <inttypes.h>

static const char *group_of_times(const tac_engine *e, const tac_time *times_us)
{
    for (size_t i = 0; i < e->plan->group_count; i++) {
        if (e->plan->groups[i].times_us == times_us)
            return e->plan->groups[i].name;
    }
    return "";
}

void tac__source_name(const tac_engine *e, size_t source, tac__text *out)
{
    const tac__source *s = &e->timeline.sources[source];
    switch (s->kind) {
    case TAC__SOURCE_AXIS:
        tac__text_add(out, "axis %" PRIu64 " %" PRIu64 "%s", s->period_us, s->offset_us,
                      s->observer ? " watching" : "");
        break;
    case TAC__SOURCE_TIMES:
        if (source == (size_t)e->plan->start_end_source)
            tac__text_add(out, "ends");
        else
            tac__text_add(out, "times %s%s", group_of_times(e, s->times_us),
                          s->observer ? " watching" : "");
        break;
    case TAC__SOURCE_PORT:
        tac__text_add(out, "port %s", e->plan->receivers[s->index].name);
        break;
    case TAC__SOURCE_TIMER:
        tac__text_add(out, "timer %s", e->plan->components[s->index]->name);
        break;
    case TAC__SOURCE_STEP:
        tac__text_add(out, "step %s", e->plan->islands[s->index].name);
        break;
    case TAC__SOURCE_EVENT:
        tac__text_add(out, "event %s", e->plan->islands[s->index].name);
        break;
    case TAC__SOURCE_CONDITION: {
        const tac__component *c = e->plan->components[s->index];
        tac__text_add(out, "condition %s %s", c->name, tac__condition_of(c, (int)source)->name);
        break;
    }
    }
}

static void add_island(const tac_engine *e, const tac__island_plan *island, tac__text *out)
{
    const char *word = " at ";
    tac__text_add(out, "island %s", island->name);
    for (size_t i = 0; i < island->source_count; i++) {
        const size_t source = (size_t)island->sources[i];
        if (e->timeline.sources[source].kind == TAC__SOURCE_CONDITION)
            continue;
        tac__text_add(out, "%s", word);
        tac__source_name(e, source, out);
        word = ", ";
    }
    tac__text_add(out, "\n");
}

void tac__layout_text(const tac_engine *e, tac__text *out)
{
    char name[TAC__PART_NAME];
    for (tac__part_walk w = {0}; tac__block_next(&e->plan->block, &w);)
        tac__text_add(out, "part %zu %s\n", w.part.size, tac__part_name(&w.part, name));
    for (size_t i = 0; i < e->timeline.own; i++) {
        tac__text_add(out, "source ");
        tac__source_name(e, i, out);
        tac__text_add(out, "\n");
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (tac__is_observer(e->plan->components[i]))
            tac__text_add(out, "observer %s\n", e->plan->components[i]->name);
    }
    for (size_t i = 0; i < e->plan->island_count; i++)
        add_island(e, &e->plan->islands[i], out);
}
