// branch_block.c - makes the block of a branch from the parts in the checkpoint; see branch.c.
#include "engine/plan/find.h"
#include "engine/run/branch_inside.h"
#include "engine/run/layout.h"

tac_status tac__branch_damaged(const tac__branching *b)
{
    return tac__fail(b->err, TAC_E_FORMAT, "'%s' is damaged: its layout is not that of its state",
                     b->trunk->path);
}

// Reads "part SIZE NAME". Parts lie in the block one after another.
static tac_status read_part(tac__branching *b, const char *line, size_t *offset)
{
    const char *end;
    const uint64_t size = tac__digits_parse(line, &end, 10);
    if (end == line || *end != ' ' || size % 8 || size > b->trunk->block_size - *offset)
        return tac__branch_damaged(b);
    b->parts[b->part_count] = (tac__old_part){.offset = *offset, .size = size};
    *offset += size;
    const uint32_t number = (uint32_t)b->part_count++;
    if (tac__names_set(&b->part_names, b->arena, end + 1, number) != TAC_OK)
        return tac__fail_memory(b->err);
    return TAC_OK;
}

// The boundaries and observers of this plan must be those of the checkpoint's.
static tac_status compare_plans(tac__branching *b, const tac__lines *there, const tac__lines *here)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < there->count && !tac__starts(there->items[i], "island ") &&
               !tac__starts(there->items[i], "observer "))
            i++;
        while (k < here->count && !tac__starts(here->items[k], "island ") &&
               !tac__starts(here->items[k], "observer "))
            k++;
        const char *old = i < there->count ? there->items[i] : "",
                   *new = k < here->count ? here->items[k] : "";
        if (!*old && !*new)
            return TAC_OK;
        if (strcmp(old, new))
            return tac__fail_at(b->err, TAC_E_MISMATCH, &b->suspect,
                                "'%s' cannot be continued with these events: what their "
                                "conditions look at adds boundaries, which a run from the start "
                                "has before the checkpoint, too.\nthere: %s\nhere: %s",
                                b->trunk->path, *old ? old : "-", *new ? new : "-");
    }
}

tac_status read_layout(tac__branching *b)
{
    tac__lines there, here;
    tac__text text;
    tac__text_init(&text, b->e->allocator);
    tac__layout_text(b->e, &text);
    char *copy = text.failed ? NULL : tac__arena_text(b->arena, text.chars);
    tac__text_fini(&text);
    char *layout = tac__arena_text(b->arena, b->trunk->layout);
    if (!copy || !layout || tac__branch_cut(b->arena, copy, &here) != TAC_OK ||
        tac__branch_cut(b->arena, layout, &there) != TAC_OK)
        return tac__fail_memory(b->err);
    b->parts = tac__arena_array(b->arena, there.count, sizeof *b->parts);
    if (!b->parts)
        return tac__fail_memory(b->err);
    size_t offset = 0;
    for (size_t i = 0; i < there.count; i++) {
        const char *line = there.items[i];
        if (tac__starts(line, "part "))
            TAC_TRY(read_part(b, line + strlen("part "), &offset));
        if (tac__starts(line, "source ") &&
            tac__names_set(&b->source_names, b->arena, line + strlen("source "),
                           (uint32_t)b->source_count++) != TAC_OK)
            return tac__fail_memory(b->err);
    }
    if (offset != b->trunk->block_size)
        return tac__branch_damaged(b);
    return compare_plans(b, &there, &here);
}

// Does a part "WHAT COMPONENT" or "WHAT COMPONENT.NAME" belong to a component with events?
static bool belongs_to_events(const tac__branching *b, const char *part, const char *what)
{
    char name[TAC__NAME_ROOM];
    if (!tac__starts(part, what) || strlen(part) >= sizeof name)
        return false;
    strcpy(name, part + strlen(what));
    if (tac__names_find(&b->listeners, name) >= 0)
        return true;
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    return tac__names_find(&b->listeners, name) >= 0;
}

// A part with one entry a source of time: each source takes over the entry of the source with its
// name in the checkpoint. When conditions of events turn true is located again.
static tac_status copy_sources(tac__branching *b, const tac__part *part, const tac__old_part *old,
                               unsigned char *to, uint64_t rest)
{
    const tac_engine *e = b->e;
    if (old->size != b->source_count * sizeof(uint64_t))
        return tac__branch_damaged(b);
    uint64_t *words = (uint64_t *)(void *)(to + part->offset);
    for (size_t i = 0; i < e->timeline.own; i++) {
        const tac__source *s = &e->timeline.sources[i];
        words[i] = rest;
        if (s->kind == TAC__SOURCE_CONDITION && e->plan->components[s->index]->event_list)
            continue;
        tac__text name;
        tac__text_init(&name, e->allocator);
        tac__source_name(e, i, &name);
        const bool failed = name.failed;
        const int from = failed ? -1 : tac__names_find(&b->source_names, name.chars);
        tac__text_fini(&name);
        if (from < 0)
            return failed ? tac__fail_memory(b->err) : tac__branch_damaged(b);
        memcpy(&words[i], b->trunk->block + old->offset + (size_t)from * sizeof(uint64_t),
               sizeof(uint64_t));
    }
    return TAC_OK;
}

// Has the component stepped by now? `*known` is false for a component without a rate group.
static bool has_stepped(const tac_engine *e, const tac__component *c, const unsigned char *block,
                        bool *known)
{
    const uint64_t *words = (const uint64_t *)(const void *)block;
    *known = c->axis_source >= 0;
    if (!*known)
        return false;
    const tac__source *s = &e->timeline.sources[c->axis_source];
    const size_t source = (size_t)c->axis_source;
    const uint64_t taken = words[e->plan->timeline_offsets[0] / 8 + source];
    const uint64_t next = words[e->plan->timeline_offsets[1] / 8 + source];
    return s->kind == TAC__SOURCE_AXIS ? next > s->offset_us : taken > 0;
}

static tac_status refuse_part(const tac__branching *b, const char *part)
{
    return tac__fail_at(b->err, TAC_E_MISMATCH, &b->suspect,
                        "'%s' cannot be continued with these events: it has no '%s', which their "
                        "conditions need",
                        b->trunk->path, part);
}

// Make a part that the checkpoint does not have.
static tac_status make_part(const tac__branching *b, const tac__part *part, unsigned char *to)
{
    const char *asked = "written ";
    char name[TAC__PART_NAME];
    tac__part_name(part, name);
    if (belongs_to_events(b, name, "input ") || belongs_to_events(b, name, "turns "))
        return TAC_OK; // inputs are renewed before they are read; no condition has turned true yet
    if (!tac__starts(name, asked))
        return refuse_part(b, name);
    const tac__component *c = tac__find_component(b->e->plan, name + strlen(asked));
    bool known = false;
    const uint64_t written = c && has_stepped(b->e, c, to, &known);
    memcpy(to + part->offset, &written, sizeof written);
    return known ? TAC_OK : refuse_part(b, name);
}

static tac_status copy_part(tac__branching *b, const tac__part *part, unsigned char *to)
{
    char name[TAC__PART_NAME];
    tac__part_name(part, name);
    if (belongs_to_events(b, name, "discrete state "))
        return TAC_OK; // the component makes it from the old events
    const int number = tac__names_find(&b->part_names, name);
    if (number < 0)
        return make_part(b, part, to);
    tac__old_part *old = &b->parts[number];
    old->used = true;
    if (!strcmp(name, "timeline taken"))
        return copy_sources(b, part, old, to, 0);
    if (!strcmp(name, "timeline next"))
        return copy_sources(b, part, old, to, TAC_TIME_NEVER);
    if (old->size != part->size)
        return refuse_part(b, name);
    memcpy(to + part->offset, b->trunk->block + old->offset, old->size);
    return TAC_OK;
}

// Sources come first: other parts may depend on them.
static tac_status copy_block(tac__branching *b, unsigned char *to)
{
    const tac__block *block = &b->e->plan->block;
    for (int sources = 1; sources >= 0; sources--) {
        for (tac__part_walk w = {0}; tac__block_next(block, &w);) {
            if ((strcmp(w.part.kind->what, "timeline") == 0) == sources)
                TAC_TRY(copy_part(b, &w.part, to));
        }
    }
    for (size_t i = 0; i < b->part_names.capacity; i++) {
        const tac__name *name = &b->part_names.table[i];
        if (name->text && !b->parts[name->number].used && tac__starts(name->text, "digest "))
            return tac__fail(b->err, TAC_E_MISMATCH,
                             "'%s' was made by another model: digests were switched on or off",
                             b->trunk->path);
    }
    return TAC_OK;
}

tac_status tac__branch_block(tac__branching *b, unsigned char *block)
{
    TAC_TRY(read_layout(b));
    return copy_block(b, block);
}
