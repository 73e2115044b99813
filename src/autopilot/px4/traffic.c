// traffic.c - builds the lists of topics, and publishes and receives by them; see traffic.h.
#include "autopilot/px4/traffic.h"
#include "autopilot/px4/value.h"

#include <math.h>
#include <string.h>

// --- building -----------------------------------------------------------------------------------

tac_status tac__px4_traffic_init(tac__px4_traffic *t, tac__arena *arena, const char *folder,
                                 tac_error *err)
{
    *t = (tac__px4_traffic){.arena = arena, .peers.arena = arena};
    t->result_count = sizeof(tac__px4_results) / sizeof(double);
    if (!*folder)
        return TAC_OK;
    // A failure is kept for later: a replay does not need the folder.
    if (tac__uorb_folder_open(arena, folder, &t->folder, &t->trouble) == TAC_E_MEMORY)
        return tac__fail_memory(err);
    return TAC_OK;
}

static uint8_t *make_bytes(tac__px4_traffic *t, const tac__uorb_message *layout)
{
    return tac__arena_alloc(t->arena, layout->size ? layout->size : 1);
}

tac_status tac__px4_add_publisher(tac__px4_traffic *t, const char *topic, int32_t instance,
                                  tac__px4_publisher **publisher, tac_error *err)
{
    tac__px4_publisher p = {.topic = topic, .instance = instance, .period = 1};
    TAC_TRY(tac__uorb_message_of(t->arena, t->folder, topic, &p.layout, err));
    p.bytes = make_bytes(t, p.layout);
    if (!p.bytes ||
        !TAC__ARENA_GROW(t->arena, t->publishers, t->publisher_count, t->publisher_capacity))
        return tac__fail_memory(err);
    t->publishers[t->publisher_count] = p;
    *publisher = &t->publishers[t->publisher_count++];
    return TAC_OK;
}

tac_status tac__px4_add_subscriber(tac__px4_traffic *t, const char *topic, uint32_t instance,
                                   tac__px4_subscriber **subscriber, tac_error *err)
{
    tac__px4_subscriber s = {.topic = topic, .instance = instance};
    TAC_TRY(tac__uorb_message_of(t->arena, t->folder, topic, &s.layout, err));
    s.bytes = make_bytes(t, s.layout);
    if (!s.bytes ||
        !TAC__ARENA_GROW(t->arena, t->subscribers, t->subscriber_count, t->subscriber_capacity))
        return tac__fail_memory(err);
    t->subscribers[t->subscriber_count] = s;
    *subscriber = &t->subscribers[t->subscriber_count++];
    return TAC_OK;
}

static bool overlap(const tac__uorb_slot *a, const tac__uorb_slot *b)
{
    const uint32_t a_end = a->offset + a->count * tac__uorb_scalars[a->type].size;
    const uint32_t b_end = b->offset + b->count * tac__uorb_scalars[b->type].size;
    return a->offset < b_end && b->offset < a_end;
}

// Later fills override earlier ones: an earlier fill of this field or of a part of it is removed,
// one of a larger field stays in front.
static void forget_fills(tac__px4_publisher *p, const tac__uorb_slot *slot)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->fill_count; i++) {
        const tac__uorb_slot *old = &p->fills[i].slot;
        if (!overlap(old, slot) || old->count > slot->count)
            p->fills[kept++] = p->fills[i];
    }
    p->fill_count = kept;
}

tac_status tac__px4_add_fill(tac__px4_traffic *t, tac__px4_publisher *p, const tac__px4_fill *fill,
                             tac_error *err)
{
    forget_fills(p, &fill->slot);
    if (!TAC__ARENA_GROW(t->arena, p->fills, p->fill_count, p->fill_capacity))
        return tac__fail_memory(err);
    p->fills[p->fill_count++] = *fill;
    return TAC_OK;
}

tac_status tac__px4_add_take(tac__px4_traffic *t, tac__px4_subscriber *s, const tac__px4_take *take,
                             tac_error *err)
{
    if (!TAC__ARENA_GROW(t->arena, s->takes, s->take_count, s->take_capacity))
        return tac__fail_memory(err);
    s->takes[s->take_count++] = *take;
    return TAC_OK;
}

static bool read_number(const char *text, double *value)
{
    static const struct {
        const char *text;
        double value;
    } words[] = {{"true", 1}, {"false", 0}, {"nan", (double)NAN}, {".nan", (double)NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *value = words[i].value;
        if (!strcmp(text, words[i].text))
            return true;
    }
    const char *end;
    *value = tac__number_parse(text, &end);
    return end != text && !*end;
}

// A constant is written once, unless it is part of a field that is filled as a whole.
static tac_status fill_constant(tac__px4_traffic *t, tac__px4_publisher *p,
                                const tac__uorb_slot *slot, double value, tac_error *err)
{
    tac__px4_fill fill = {.slot = *slot, .fixed = true, .value = value};
    forget_fills(p, slot);
    for (uint32_t i = 0; i < slot->count; i++) {
        fill.slot.offset = slot->offset + i * tac__uorb_scalars[slot->type].size;
        fill.slot.count = 1;
        tac__uorb_put_f64(p->bytes, fill.slot, &value, 1);
    }
    for (size_t i = 0; i < p->fill_count; i++) {
        if (overlap(&p->fills[i].slot, slot))
            return tac__px4_add_fill(t, p, &fill, err);
    }
    return TAC_OK;
}

tac_status tac__px4_fill_field(tac__px4_traffic *t, tac__px4_publisher *p, const char *field,
                               const char *source, tac_error *err)
{
    tac__px4_fill fill = {0};
    TAC_TRY(tac__uorb_find(p->layout, field, &fill.slot, err));
    double constant;
    if (read_number(source, &constant))
        return fill_constant(t, p, &fill.slot, constant, err);
    tac__px4_name value;
    if (!tac__px4_name_find(tac__px4_value_names, source, &value))
        return tac__fail(err, TAC_E_NAME, "'%s' is neither a number nor a value", source);
    if (value.count != fill.slot.count)
        return tac__fail(err, TAC_E_TYPE, "'%s' has %u element%s, field '%s' has %u: name elements",
                         source, value.count, value.count == 1 ? "" : "s", field, fill.slot.count);
    fill.first = value.first;
    fill.count = value.count;
    return tac__px4_add_fill(t, p, &fill, err);
}

// --- start --------------------------------------------------------------------------------------

static tac_status compare(tac__px4 *px4, const char *topic, const tac__uorb_message *layout,
                          tac_error *err)
{
    tac__px4_topic_info theirs;
    TAC_TRY(tac__px4_topic(px4, topic, &theirs, err));
    if (theirs.size == layout->size && theirs.hash == layout->hash)
        return TAC_OK;
    return tac__fail(err, TAC_E_ABI,
                     "topic '%s' has %u bytes and hash %08x in the library, %u bytes and hash "
                     "%08x here; give the folder of that PX4's .msg files as autopilot.px4.msg_dir",
                     topic, theirs.size, theirs.hash, layout->size, layout->hash);
}

// A flight that needs no commands need not have them.
static tac_status compare_commands(tac__px4_traffic *t, tac__px4 *px4, const char *topic,
                                   const tac__uorb_message *layout, bool *off, tac_error *err)
{
    tac_error misfit;
    const tac_status status = compare(px4, topic, layout, &misfit);
    *off = status != TAC_OK;
    if (status == TAC_OK || status == TAC_E_ABI) {
        if (*off && t->misfit.status == TAC_OK)
            t->misfit = misfit;
        return TAC_OK;
    }
    *err = misfit;
    return status;
}

static tac_status compare_all(tac__px4_traffic *t, tac__px4 *px4, tac_error *err)
{
    for (size_t i = 0; i < t->publisher_count; i++) {
        tac__px4_publisher *p = &t->publishers[i];
        if (p->off)
            continue;
        if (p->event)
            TAC_TRY(compare_commands(t, px4, p->topic, p->layout, &p->off, err));
        else
            TAC_TRY(compare(px4, p->topic, p->layout, err));
    }
    for (size_t i = 0; i < t->subscriber_count; i++) {
        tac__px4_subscriber *s = &t->subscribers[i];
        if (s->off)
            continue;
        if (s->queued)
            TAC_TRY(compare_commands(t, px4, s->topic, s->layout, &s->off, err));
        else
            TAC_TRY(compare(px4, s->topic, s->layout, err));
    }
    return TAC_OK;
}

tac_status tac__px4_traffic_open(tac__px4_traffic *t, tac__px4 *px4, tac_error *err)
{
    TAC_TRY(compare_all(t, px4, err));
    for (size_t i = 0; i < t->publisher_count; i++) {
        tac__px4_publisher *p = &t->publishers[i];
        if (p->shares)
            p->id = t->publishers[p->shares - 1].id;
        else if (!p->off)
            TAC_TRY(tac__px4_advertise(px4, p->topic, p->instance, p->layout->size, &p->id, err));
    }
    for (size_t i = 0; i < t->subscriber_count; i++) {
        tac__px4_subscriber *s = &t->subscribers[i];
        if (!s->off)
            TAC_TRY(tac__px4_subscribe(px4, s->topic, s->instance, s->layout->size, &s->id, err));
    }
    return TAC_OK;
}

// --- each tick ----------------------------------------------------------------------------------

static tac_status evaluate(const tac__px4_publisher *p, const tac__px4_fill *fill,
                           const tac__px4_sending *now, tac_error *err)
{
    const tac__expr_result result =
        tac__program_run(fill->formula->program, now->t_us, now->in,
                         tac__formula_memory(fill->formula, now->memory));
    // A NaN as a result is passed on; a NaN in a comparison is an error.
    if (result.nan && result.value == result.value)
        return tac__fail(err, TAC_E_COMPONENT, "'%s' is not a number, in '%s' of topic '%s'",
                         result.nan, fill->formula->text, p->topic);
    tac__uorb_put_f64(p->bytes, fill->slot, &result.value, 1);
    return TAC_OK;
}

static bool is_due(const tac__px4_publisher *p, const tac__px4_sending *now)
{
    if (p->off)
        return false;
    if (p->event)
        return now->all ? !p->shares : (p->event & now->tell) != 0;
    return now->all || (!p->once && now->tick % p->period == 0);
}

tac_status tac__px4_send(const tac__px4_traffic *t, tac__px4 *px4, const tac__px4_sending *now,
                         tac_error *err)
{
    const double *values = (const double *)now->values;
    for (size_t i = 0; i < t->publisher_count; i++) {
        const tac__px4_publisher *p = &t->publishers[i];
        if (!is_due(p, now))
            continue;
        for (size_t k = 0; k < p->fill_count; k++) {
            const tac__px4_fill *fill = &p->fills[k];
            if (fill->formula)
                TAC_TRY(evaluate(p, fill, now, err));
            else if (fill->fixed)
                tac__uorb_put_f64(p->bytes, fill->slot, &fill->value, 1);
            else
                tac__uorb_put_f64(p->bytes, fill->slot, values + fill->first, fill->count);
        }
        const tac_status status = tac__px4_publish(px4, p->id, p->bytes, p->layout->size, err);
        if (status != TAC_OK) {
            tac__error_append(err, " (topic '%s')", p->topic);
            return status;
        }
    }
    return TAC_OK;
}

static tac_status receive(const tac__px4_subscriber *s, tac__px4 *px4, double *results,
                          bool *updated, tac_error *err)
{
    TAC_TRY(tac__px4_check(px4, s->id, updated, err));
    if (!*updated)
        return TAC_OK;
    TAC_TRY(tac__px4_copy(px4, s->id, s->bytes, s->layout->size, err));
    for (size_t i = 0; i < s->take_count; i++)
        tac__uorb_get_f64(s->bytes, s->takes[i].slot, results + s->takes[i].first,
                          s->takes[i].count);
    return TAC_OK;
}

// A queue that never gets empty must not hold up the flight: PX4's are of 8 messages.
enum { QUEUE_MAX = 64 };

static tac_status receive_queue(const tac__px4_subscriber *s, tac__px4 *px4, double *results,
                                const tac__px4_listener *listener, tac_error *err)
{
    bool updated = true;
    for (int i = 0; i < QUEUE_MAX && updated; i++) {
        TAC_TRY(receive(s, px4, results, &updated, err));
        if (updated)
            listener->heard(listener->context);
    }
    return TAC_OK;
}

bool tac__px4_hears(const tac__px4_traffic *t)
{
    for (size_t i = 0; i < t->subscriber_count; i++) {
        if (t->subscribers[i].queued && !t->subscribers[i].off)
            return true;
    }
    return false;
}

const tac__px4_publisher *tac__px4_teller(const tac__px4_traffic *t, tac__px4_tell tell)
{
    for (size_t i = 0; i < t->publisher_count; i++) {
        if (t->publishers[i].event == (uint32_t)tell)
            return &t->publishers[i];
    }
    return NULL;
}

tac_status tac__px4_receive(const tac__px4_traffic *t, tac__px4 *px4, double *results,
                            const tac__px4_listener *listener, tac_error *err)
{
    for (size_t i = 0; i < t->subscriber_count; i++) {
        const tac__px4_subscriber *s = &t->subscribers[i];
        bool updated;
        const tac_status status = s->off      ? TAC_OK
                                  : s->queued ? receive_queue(s, px4, results, listener, err)
                                              : receive(s, px4, results, &updated, err);
        if (status != TAC_OK) {
            tac__error_append(err, " (topic '%s')", s->topic);
            return status;
        }
    }
    return TAC_OK;
}
