// ulog_topics.c - lays out the topics of a ULog and fills their messages. Little-endian.
#include "record/export/ulog_topics.h"
#include "base/text.h"
#include "bus/type.h"
#include "math/quat.h"

#include <inttypes.h>
#include <string.h>
#include <tactus/math.h>

#define HALF_PI 1.5707963267948966

enum {
    DATA_MAX = 60000,   // bytes of a message, whose size has 16 bits
    FORMAT_MAX = 60000, // and of its definition
    // Topics of Tactus have all signals in double precision: at more than 20 Hz a log of a few
    // minutes is too large to be sent to Flight Review.
    OWN_PERIOD_US = 50000,
};

tac_time tac__ulog_period(const tac__export *x, size_t channel, tac_time period_us)
{
    const tac_channel_info *info = tac_recording_channel(x->recording, channel);
    if (x->def->period_us == TAC_EXPORT_ALL || info->trace == TAC_TRACE_HOLD)
        return 0;
    return x->def->period_us ? x->def->period_us : period_us;
}

tac__ulog_topic *tac__ulog_add(tac__ulog_topics *t, tac__export *x)
{
    return TAC__ARENA_GROW(&x->arena, t->topics, t->count, t->capacity) ? &t->topics[t->count++]
                                                                        : NULL;
}

// --- topics of Tactus ---------------------------------------------------------------------------

static const char *const type_names[] = {
    [TAC_F64] = "double", [TAC_I32] = "int32_t",  [TAC_I64] = "int64_t",
    [TAC_BOOL] = "bool",  [TAC_ENUM] = "int32_t",
};

// Signals of channel c from *from on, largest scalars first so that nothing needs padding, until
// the message is full.
static tac_status lay_out(tac__export *x, tac__ulog_topic *topic, size_t c, size_t *from,
                          tac__text *text, tac_error *err)
{
    tac__names taken = {0};
    const size_t end = x->first_of[c + 1], first = *from;
    topic->slots = tac__arena_array(&x->arena, end - first + 1, sizeof *topic->slots);
    if (!topic->slots || tac__names_set(&taken, &x->arena, "timestamp", 1) != TAC_OK)
        return tac__fail_memory(err);
    size_t last = first;
    topic->size = sizeof(uint64_t);
    for (size_t format = 0; last < end; last++) {
        const tac_type *type = &x->signals[last]->type;
        format += strlen(x->signals[last]->name) + 32;
        if (topic->size + tac__type_size(type) > DATA_MAX || format > FORMAT_MAX)
            break;
        topic->size += tac__type_size(type);
    }
    text->length = 0;
    tac__text_add(text, "uint64_t timestamp;");
    size_t at = sizeof(uint64_t);
    for (size_t size = 8; size > 0; size /= 2) {
        for (size_t i = first; i < last; i++) {
            const tac_recorded *signal = x->signals[i];
            if (tac__scalar_size(signal->type.scalar) != size)
                continue;
            const char *name = tac__export_field(x, signal, &taken);
            if (!name)
                return tac__fail_memory(err);
            tac__text_add(text, "%s", type_names[signal->type.scalar]);
            if (signal->type.shape != TAC_SINGLE)
                tac__text_add(text, "[%" PRIu32 "]", signal->type.count);
            tac__text_add(text, " %s;", name);
            topic->slots[topic->slot_count++] = (tac__ulog_slot){.field = name,
                                                                 .signal = signal,
                                                                 .count = signal->type.count,
                                                                 .at = at,
                                                                 .size = size,
                                                                 .kind = 'b'};
            at += size * signal->type.count;
        }
    }
    *from = last;
    return TAC_OK;
}

static tac_status add_channel(tac__export *x, tac__ulog_topics *topics, size_t c, tac__names *names,
                              tac__text *text, tac_error *err)
{
    const char *channel = tac__export_channel(x, c);
    const char *stem = channel ? tac__export_dots(x, "tactus_", channel, '_') : NULL;
    if (!stem)
        return tac__fail_memory(err);
    for (size_t i = x->first_of[c]; i < x->first_of[c + 1];) {
        if (tac__type_size(&x->signals[i]->type) > DATA_MAX - sizeof(uint64_t)) {
            tac__export_note(x, "signal '%s' does not fit into a message of ULog and is left out",
                             x->signals[i++]->name);
            x->result.signals--;
            continue;
        }
        tac__ulog_topic *topic = tac__ulog_add(topics, x);
        if (!topic || !(stem = tac__names_add_new(names, &x->arena, stem, "_")))
            return tac__fail_memory(err);
        *topic = (tac__ulog_topic){.name = stem, .channel = c, .times = 1};
        TAC_TRY(lay_out(x, topic, c, &i, text, err));
        topic->format = text->failed ? NULL : tac__arena_text(&x->arena, text->chars);
        topic->data = tac__arena_alloc(&x->arena, topic->size);
        topic->last = tac__arena_alloc(&x->arena, topic->size);
        if (!topic->format || !topic->data || !topic->last)
            return tac__fail_memory(err);
        topic->period_us = tac__ulog_period(x, c, OWN_PERIOD_US);
    }
    return TAC_OK;
}

// --- all of them --------------------------------------------------------------------------------

tac_status tac__ulog_topics_make(tac__ulog_topics *topics, tac__export *x, tac_error *err)
{
    *topics = (tac__ulog_topics){.placed = false};
    TAC_TRY(tac__ulog_px4_make(topics, x, err));
    tac__names names = {0};
    tac__text text;
    tac__text_init(&text, x->arena.allocator);
    tac_status status = TAC_OK;
    for (size_t c = 0; status == TAC_OK && c < x->channel_count; c++) {
        if (x->wanted[c])
            status = add_channel(x, topics, c, &names, &text, err);
    }
    tac__text_fini(&text);
    return status;
}

// --- messages -----------------------------------------------------------------------------------

static void put(unsigned char *at, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (unsigned char)(bits >> (8 * i));
}

void tac__ulog_number(unsigned char *at, char kind, size_t size, double value)
{
    if (kind == 'f' && size == sizeof(float)) {
        const float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        put(at, bits, size);
    } else if (kind == 'f') {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        put(at, bits, size);
    } else if (kind == 'i') {
        const double beyond = (double)(INT64_MAX >> (64 - 8 * size)) + 1.0;
        put(at, value >= -beyond && value < beyond ? (uint64_t)(int64_t)value : 0, size);
    } else {
        const double beyond = (double)(UINT64_MAX >> (64 - 8 * size)) + 1.0;
        put(at, value >= 0 && value < beyond ? (uint64_t)value : 0, size);
    }
}

static double heading(const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return tac_atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z));
}

// A vector in ECEF, in NED at the origin.
static void to_ned(const tac__geodesy *world, double v[3])
{
    const vec3 ned = mat3_mul_vec(mat3_from_array(world->axes), vec3_from_array(v));
    v[0] = ned.x;
    v[1] = ned.y;
    v[2] = ned.z;
}

// A quaternion to ECEF, as one to NED at the origin. From NED to ECEF: -(latitude + 90 deg) about
// east, then the longitude about the axis of the Earth.
static void attitude_to_ned(const tac__geodesy *world, double q[4])
{
    const quat to_ecef = quat_from_euler(0.0, -world->latitude_rad - HALF_PI, world->longitude_rad);
    const quat to_ned = quat_mul(quat_conj(to_ecef), quat_make(q[0], q[1], q[2], q[3]));
    q[0] = to_ned.w;
    q[1] = to_ned.x;
    q[2] = to_ned.y;
    q[3] = to_ned.z;
}

// The elements of the signal, turned into what `how` says.
static void convert(const tac__ulog_slot *slot, const tac__hold *instants, double v[4])
{
    const tac_sample *sample = &instants->held[slot->signal->channel].sample;
    for (uint32_t e = 0; e < 4 && e < slot->signal->type.count; e++)
        v[e] = tac_recorded_element(slot->signal, sample, e);
    switch (slot->how) {
    case TAC__PX4_ULOG_ECEF_YAW:
        attitude_to_ned(slot->world, v);
        v[0] = heading(v);
        break;
    case TAC__PX4_ULOG_YAW:
        v[0] = heading(v);
        break;
    case TAC__PX4_ULOG_ECEF_ATTITUDE:
        attitude_to_ned(slot->world, v);
        break;
    case TAC__PX4_ULOG_ECEF_VECTOR:
        to_ned(slot->world, v);
        break;
    case TAC__PX4_ULOG_GEODETIC: {
        const geodetic place = geodesy_from_ned(slot->world, vec3_from_array(v));
        v[0] = place.latitude * TAC__DEG_OF_RAD;
        v[1] = place.longitude * TAC__DEG_OF_RAD;
        v[2] = place.altitude;
        break;
    }
    case TAC__PX4_ULOG_LENGTH:
        v[0] = tac_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        break;
    case TAC__PX4_ULOG_COURSE:
        v[0] = tac_atan2(v[1], v[0]);
        break;
    case TAC__PX4_ULOG_REACHED: {
        const tac_sample *other = &instants->held[slot->other->channel].sample;
        v[0] = other->values && v[0] >= tac_recorded_element(slot->other, other, 0);
        break;
    }
    case TAC__PX4_ULOG_PLAIN:
    case TAC__PX4_ULOG_ORIGIN:
        break;
    }
}

static double number(const tac__ulog_slot *slot, const tac_sample *sample, uint32_t element)
{
    const double value = tac_recorded_element(slot->signal, sample, element);
    if (!slot->map && slot->scale != 0)
        return value * slot->scale;
    if (!slot->map)
        return slot->add != 0 ? value + slot->add : value; // -0 stays
    return value >= 0 && value < (double)slot->map_count ? slot->map[(size_t)value] : 0;
}

void tac__ulog_fill(const tac__ulog_topic *topic, const tac__hold *instants)
{
    for (size_t i = 0; i < topic->times; i++)
        put(topic->data + 8 * i, instants->t_us, 8);
    for (size_t i = 0; i < topic->slot_count; i++) {
        const tac__ulog_slot *slot = &topic->slots[i];
        const tac_sample *sample = &instants->held[slot->signal->channel].sample;
        if (!sample->values)
            continue;
        unsigned char *at = topic->data + slot->at;
        double v[4] = {0};
        if (slot->how != TAC__PX4_ULOG_PLAIN)
            convert(slot, instants, v);
        for (uint32_t e = 0; e < slot->count; e++, at += slot->size) {
            if (slot->kind == 'b')
                put(at, tac__export_bits(slot->signal, sample, slot->element + e), slot->size);
            else if (slot->how != TAC__PX4_ULOG_PLAIN)
                tac__ulog_number(at, slot->kind, slot->size, v[(slot->element + e) % 4]);
            else
                tac__ulog_number(at, slot->kind, slot->size,
                                 number(slot, sample, slot->element + e));
        }
    }
}

static bool has_changed(const tac__ulog_topic *topic)
{
    for (size_t i = 0; i < topic->slot_count; i++) {
        const tac__ulog_slot *s = &topic->slots[i];
        const tac_scalar scalar = s->signal->type.scalar;
        if (scalar != TAC_F64 && scalar != TAC_I64 &&
            memcmp(topic->data + s->at, topic->last + s->at, s->size * s->count) != 0)
            return true;
    }
    return false;
}

bool tac__ulog_is_due(tac__ulog_topic *topic, tac_time t_us)
{
    const bool first = !topic->written;
    if (!first && (topic->once || (t_us < topic->next_us && !has_changed(topic))))
        return false;
    topic->written = true;
    if (topic->period_us)
        topic->next_us = t_us - t_us % topic->period_us + topic->period_us;
    memcpy(topic->last, topic->data, topic->size);
    return true;
}
