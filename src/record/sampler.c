// sampler.c - see sampler.h.
#include "record/recorder.h"
#include "base/floats.h"

// --- filling a sample ---------------------------------------------------------------------------

// One by one: states between two boundaries of their island, and what cannot be evaluated, which is
// not a number.
static void fill_one_by_one(const tac__copy *c, const tac__copy *end, tac_engine *e, tac_time t_us,
                            unsigned char *sample)
{
    for (; c < end; c++) {
        const void *from = tac__watched_value(&c->from, e, t_us);
        if (from)
            memcpy(sample + c->at, from, c->bytes);
        else
            memset(sample + c->at, 0xff, c->bytes);
    }
}

void tac__channel_fill_rows(const tac__channel *ch, tac_engine *e, tac_time t_us,
                            unsigned char *sample)
{
    for (const tac__row *row = ch->rows, *end = row + ch->row_count; row < end; row++) {
        const tac__copy *c = ch->copies + row->first;
        const void *from = tac__watched_value(&c->from, e, t_us);
        if (from == c->from.bus)
            tac__moves_make(&row->bus, sample);
        else if (from && from == c->from.scratch)
            tac__moves_make(&row->scratch, sample);
        else
            fill_one_by_one(c, c + row->count, e, t_us, sample);
    }
}

void tac__channel_mend_nans(const tac__channel *c, unsigned char *message)
{
    for (size_t i = 0; i < c->layout.count; i++) {
        const tac__field *field = &c->layout.fields[i];
        if (field->signal.type.scalar == TAC_F64)
            tac__one_nan(message + field->at, field->bytes / sizeof(double));
    }
}

// --- when: by the mode of a channel -------------------------------------------------------------

// Is everything on the bus as in the last sample? Of signals that steps write.
static bool unchanged(const tac__channel *c)
{
    for (const tac__move *m = c->moves.items, *end = m + c->moves.count; m < end; m++) {
        if (memcmp(c->last + m->at, m->from, m->bytes) != 0)
            return false;
    }
    return true;
}

static void sample_change(void *context, tac_engine *e, tac_time t_us)
{
    tac__channel *c = context;
    if (!c->sink->open || (c->begun && !c->plant && unchanged(c)))
        return;
    const size_t size = c->layout.message_size;
    unsigned char *fresh = c->last_message + size;
    tac__channel_fill(c, e, t_us, c->last);
    tac__layout_encode(&c->layout, c->last, fresh);
    tac__channel_mend_nans(c, fresh); // another NaN is no change
    if (c->begun && !memcmp(fresh, c->last_message, size))
        return;
    c->begun = true;
    memcpy(c->last_message, fresh, size);
    c->sink->type->append(c, t_us, c->last);
}

static void sample_every(void *context, tac_engine *e, tac_time t_us)
{
    tac__channel *c = context;
    if (c->seen++ % c->pick->mode.every == 0 && c->sink->open)
        c->sink->type->sample(c, e, t_us);
}

static void sample_window(void *context, tac_engine *e, tac_time t_us)
{
    tac__channel *c = context;
    if (c->sink->open)
        tac__window_sample(c, e, t_us);
}

static void sample_island(void *context, tac_engine *e, tac_time t_us)
{
    tac__channel *c = context;
    c->sampled_us = t_us + 1;
    if (c->sink->open)
        c->sink->type->sample(c, e, t_us);
}

static void sample_axis(void *context, tac_engine *e, tac_time t_us)
{
    const tac__axis *axis = context;
    const tac__sink *sink = axis->sampler->sink;
    for (size_t i = 0; sink->open && i < axis->count; i++) {
        if (axis->channels[i]->sampled_us != t_us + 1) // else at a boundary of its island
            sink->type->sample(axis->channels[i], e, t_us);
    }
}

static void ignore(void *context, tac_engine *e, tac_time t_us)
{
    (void)context, (void)e, (void)t_us;
}

// --- planning: while the engine is resolved -----------------------------------------------------

static tac_status observe(tac__sampler *s, tac_follow follow, const char *component, bool outputs,
                          tac_time period_us,
                          void (*fn)(void *context, tac_engine *engine, tac_time t_us),
                          void *context, tac_error *err)
{
    tac_observer_def def = tac_observer_def_default();
    def.name = "recorder";
    def.follow = follow;
    def.component = component;
    def.outputs = outputs;
    def.period_us = period_us;
    def.ends = true;
    def.observe = fn;
    def.context = context;
    return tac_engine_add_observer(s->engine, &def, err);
}

static tac_status join_axis(tac__sampler *s, tac__channel *c, tac_time period_us, tac_error *err)
{
    tac__arena *arena = &s->recorder->arena;
    tac__axis *axis = NULL;
    for (size_t i = 0; i < s->axis_count && !axis; i++) {
        if (s->axes[i].period_us == period_us)
            axis = &s->axes[i];
    }
    if (!axis) {
        if (!TAC__ARENA_GROW(arena, s->axes, s->axis_count, s->axis_capacity))
            return tac__fail_memory(err);
        axis = &s->axes[s->axis_count++];
        *axis = (tac__axis){.sampler = s, .period_us = period_us};
    }
    if (!TAC__ARENA_GROW(arena, axis->channels, axis->count, axis->capacity))
        return tac__fail_memory(err);
    axis->channels[axis->count++] = c;
    return TAC_OK;
}

static tac_status watch_channel(tac__sampler *s, tac__channel *c, tac_error *err)
{
    const tac__mode *mode = &c->pick->mode;
    switch (mode->kind) {
    case TAC__MODE_NONE:
        break;
    case TAC__MODE_AXIS:
        return join_axis(s, c, mode->period_us, err);
    case TAC__MODE_WRITES: // the sink's own function, once it is open
    case TAC__MODE_HOLD:
        c->tap =
            (tac__tap){.show = mode->kind == TAC__MODE_HOLD ? sample_change : ignore, .context = c};
        tac__tap_steps(s->engine, c->pick->component, &c->tap);
        break;
    case TAC__MODE_ISLAND: // one that nobody reads has few boundaries, or none
        TAC_TRY(join_axis(s, c, s->recorder->def.log_us, err));
        return observe(s, TAC_FOLLOW_ISLAND, c->component, true, 0, sample_island, c, err);
    case TAC__MODE_WINDOW:
    case TAC__MODE_EVERY:
        if (mode->kind == TAC__MODE_WINDOW)
            TAC_TRY(tac__window_create(c, err));
        return observe(s, mode->boundaries ? TAC_FOLLOW_ISLAND : TAC_FOLLOW_STEPS, c->component,
                       mode->boundaries, 0,
                       mode->kind == TAC__MODE_WINDOW ? sample_window : sample_every, c, err);
    }
    return TAC_OK;
}

tac_status tac__sampler_plan(tac__sampler *s, tac_error *err)
{
    tac__arena *arena = &s->recorder->arena;
    TAC_TRY(s->sink->type->select(s->sink, s->engine, arena, &s->picks, err));
    s->channels = tac__arena_array(arena, s->picks.count, sizeof *s->channels);
    if (!s->channels)
        return tac__fail_memory(err);
    for (size_t i = 0; i < s->picks.count; i++) {
        tac__channel *c = &s->channels[i];
        c->sampler = s;
        c->sink = s->sink;
        c->pick = &s->picks.items[i];
        c->component =
            c->pick->several ? "" : tac__watch_component(s->engine, c->pick->component).name;
        TAC_TRY(watch_channel(s, c, err));
    }
    // Axes have found their places: observers may point to them.
    for (size_t i = 0; i < s->axis_count; i++)
        TAC_TRY(observe(s, TAC_FOLLOW_AXIS, NULL, false, s->axes[i].period_us, sample_axis,
                        &s->axes[i], err));
    return TAC_OK;
}

// --- beginning: on a prepared engine ------------------------------------------------------------

static tac_status find_copies(tac__sampler *s, tac__channel *c)
{
    tac__arena *arena = &s->recorder->arena;
    const tac__schema *schema = tac__watch_schema(s->engine);
    const size_t count = c->pick->count;
    for (size_t i = 0; i < count; i++) {
        const tac__signal *signal = &schema->signals[c->pick->signals[i]];
        const tac_recorded recorded = {.name = signal->name,
                                       .unit = signal->kind->unit,
                                       .doc = signal->kind->doc ? signal->kind->doc : "",
                                       .type = signal->kind->type,
                                       .continuous = signal->kind->continuous,
                                       .stage = signal->kind->stage};
        TAC_TRY(tac__layout_add(&c->layout, arena, &recorded));
    }
    TAC_TRY(tac__layout_close(&c->layout, arena, c->component));
    c->copies = tac__arena_array(arena, count, sizeof *c->copies);
    c->rows = tac__arena_array(arena, count, sizeof *c->rows);
    c->moves.items = tac__arena_array(arena, count, sizeof *c->moves.items);
    const bool hold = c->pick->mode.kind == TAC__MODE_HOLD;
    c->last = tac__arena_array(arena, hold, c->layout.size);
    c->last_message = tac__arena_array(arena, hold ? 2 : 0, c->layout.message_size);
    if (!c->copies || !c->rows || !c->moves.items || !c->last || !c->last_message)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count; i++)
        c->copies[i] = (tac__copy){.from = tac__watch_signal(s->engine, (int)c->pick->signals[i]),
                                   .at = c->layout.fields[i].signal.offset,
                                   .bytes = c->layout.fields[i].bytes};
    return TAC_OK;
}

// Every signal has whole words on the bus and in a sample.
static void add_move(tac__moves *moves, const void *from, const tac__copy *c)
{
    const size_t bytes = (c->bytes + 7) / 8 * 8;
    tac__move *last = moves->count ? &moves->items[moves->count - 1] : NULL;
    if (last && last->at + last->bytes == c->at &&
        (const char *)last->from + last->bytes == (const char *)from)
        last->bytes += bytes;
    else
        moves->items[moves->count++] = (tac__move){from, c->at, bytes};
}

static bool same_place(const tac__watched *a, const tac__watched *b)
{
    return a->island == b->island && !a->scratch == !b->scratch;
}

static tac_status find_rows(tac__sampler *s, tac__channel *c)
{
    tac__arena *arena = &s->recorder->arena;
    for (size_t i = 0; i < c->pick->count; i++) {
        const tac__copy *copy = &c->copies[i];
        if (copy->from.output < 0)
            add_move(&c->moves, copy->from.bus, copy);
        c->plant |= copy->from.island >= 0;
        if (i == 0 || !same_place(&copy->from, &c->copies[i - 1].from))
            c->rows[c->row_count++].first = i;
        c->rows[c->row_count - 1].count++;
    }
    for (size_t i = 0; c->plant && i < c->row_count; i++) {
        tac__row *row = &c->rows[i];
        row->bus.items = tac__arena_array(arena, row->count, sizeof *row->bus.items);
        row->scratch.items = tac__arena_array(arena, row->count, sizeof *row->scratch.items);
        if (!row->bus.items || !row->scratch.items)
            return TAC_E_MEMORY;
        for (size_t k = row->first; k < row->first + row->count; k++) {
            add_move(&row->bus, c->copies[k].from.bus, &c->copies[k]);
            if (c->copies[k].from.scratch)
                add_move(&row->scratch, c->copies[k].from.scratch, &c->copies[k]);
        }
    }
    return TAC_OK;
}

static void sample_held(tac__sampler *s, bool phases_only, tac_time t_us)
{
    for (size_t i = 0; i < s->picks.count; i++) {
        const tac__pick *pick = &s->picks.items[i];
        if (pick->mode.kind == TAC__MODE_HOLD &&
            (!phases_only || tac__watch_component(s->engine, pick->component).phases))
            sample_change(&s->channels[i], s->engine, t_us);
    }
}

void tac__sampler_start(tac__sampler *s, tac_time t_us)
{
    sample_held(s, true, t_us);
}

static void set_taps(tac__sampler *s, void (*show)(void *, tac_engine *, tac_time))
{
    for (size_t i = 0; i < s->picks.count; i++) {
        if (s->picks.items[i].mode.kind == TAC__MODE_WRITES)
            s->channels[i].tap.show = show;
    }
}

tac_status tac__sampler_begin(tac__sampler *s, tac_error *err)
{
    for (size_t i = 0; i < s->picks.count; i++) {
        if (find_copies(s, &s->channels[i]) != TAC_OK || find_rows(s, &s->channels[i]) != TAC_OK)
            return tac__fail_memory(err);
    }
    s->begun = true;
    TAC_TRY(s->sink->type->open(s->sink, err));
    s->sink->open = true;
    set_taps(s, s->sink->type->sample);
    return TAC_OK;
}

void tac__sampler_resume(tac__sampler *s)
{
    sample_held(s, false, tac_engine_time(s->engine));
}

tac_status tac__sampler_end(tac__sampler *s, const char *failure, tac_error *err)
{
    if (!s->begun)
        return TAC_OK;
    s->begun = s->sink->open = false;
    set_taps(s, ignore);
    return s->sink->type->close(s->sink, failure, err);
}

void tac__sampler_fini(tac__sampler *s)
{
    for (size_t i = 0; s->channels && i < s->picks.count; i++)
        tac__window_destroy(&s->channels[i]);
}
