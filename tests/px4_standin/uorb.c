// uorb.c - see uorb.h.
#include "uorb.h"

#include "misbehave.h"

#include <string.h>

#define SIZES_AS_READ(topic, size)                                                                 \
    _Static_assert(sizeof(struct topic) == (size), "not the size on a real build")
SIZES_AS_READ(battery_status, 168);
SIZES_AS_READ(vehicle_attitude, 56);
SIZES_AS_READ(vehicle_local_position, 192);
SIZES_AS_READ(vehicle_global_position, 72);
SIZES_AS_READ(vehicle_angular_velocity, 40);
SIZES_AS_READ(vehicle_land_detected, 24);
SIZES_AS_READ(vehicle_status, 80);
SIZES_AS_READ(vehicle_control_mode, 24);
SIZES_AS_READ(actuator_armed, 16);
SIZES_AS_READ(home_position, 64);
SIZES_AS_READ(actuator_motors, 72);
SIZES_AS_READ(actuator_servos, 48);
SIZES_AS_READ(vehicle_torque_setpoint, 32);
SIZES_AS_READ(vehicle_thrust_setpoint, 32);
SIZES_AS_READ(vehicle_attitude_setpoint, 40);
SIZES_AS_READ(vehicle_rates_setpoint, 40);
SIZES_AS_READ(mission_result, 40);
SIZES_AS_READ(trajectory_setpoint, 64);
_Static_assert(sizeof(struct vehicle_command) == 56 && sizeof(struct vehicle_command_ack) == 24,
               "as the rule for layouts has it");

void uorb_init(uorb *u)
{
    static const topic topics[] = {
#define TOPIC(topic, last, hash) {#topic, sizeof(struct topic), END_OF(topic, last), hash, 1},
        TOPICS(TOPIC)
#undef TOPIC
    };
    memset(u, 0, sizeof *u);
    memcpy(u->topics, topics, sizeof topics);
    for (topic *t = u->topics; t < u->topics + TOPIC_COUNT; t++) {
        t->hash ^= orders_hash(t->name) ? 0xff : 0;
        t->size += orders_size(t->name) ? 8 : 0;
    }
    u->topics[TOPIC_vehicle_command].queue = u->topics[TOPIC_vehicle_command_ack].queue = QUEUE_MAX;
}

const topic *uorb_find(const uorb *u, const char *name)
{
    for (const topic *t = u->topics; t < u->topics + TOPIC_COUNT; t++) {
        if (strcmp(t->name, name) == 0)
            return t;
    }
    return NULL;
}

static void node_write(uorb *u, topic_id id, int32_t instance, const void *message, size_t size)
{
    node *n = &u->nodes[id][instance];
    memcpy(n->data[n->generation % u->topics[id].queue], message, size);
    n->generation++;
}

// What a reader sees that has taken so many messages: the oldest that is still there.
static const uint8_t *node_at(const uorb *u, topic_id id, uint32_t instance, uint32_t *taken)
{
    const node *n = &u->nodes[id][instance];
    const uint32_t queue = u->topics[id].queue;
    if (n->generation - *taken > queue)
        *taken = n->generation - queue;
    return n->data[*taken % queue];
}

// --- from outside --------------------------------------------------------------------------------

int uorb_create_publisher(uorb *u, const topic *t, int32_t requested, int32_t *id)
{
    if (u->publisher_count == PUBLISHERS)
        return -3;
    u->publishers[u->publisher_count] =
        (publisher){.topic = (topic_id)(t - u->topics), .requested = requested, .instance = -1};
    *id = u->publisher_count++;
    return 0;
}

int uorb_queue(uorb *u, int32_t id, const void *message, uint32_t size)
{
    if (id < 0 || id >= u->publisher_count)
        return -2;
    publisher *p = &u->publishers[id];
    if (size != u->topics[p->topic].size)
        return -4;
    memcpy(p->data, message, size);
    p->pending = size;
    return 0;
}

// Takes the first free instance; one that was asked for must be that.
static int advertise(uorb *u, publisher *p)
{
    int32_t i = 0;
    while (i < INSTANCES && u->nodes[p->topic][i].advertised)
        i++;
    if (i == INSTANCES)
        return -2;
    if (p->requested >= 0 && p->requested != i)
        return -4;
    u->nodes[p->topic][i].advertised = true;
    p->instance = i;
    return 0;
}

int uorb_publish_queued(uorb *u)
{
    for (publisher *p = u->publishers; p < u->publishers + u->publisher_count; p++) {
        if (p->pending == 0)
            continue;
        if (p->pending != u->topics[p->topic].size)
            return -1;
        const int code = p->instance < 0 ? advertise(u, p) : 0;
        if (code != 0)
            return code;
        node_write(u, p->topic, p->instance, p->data, p->pending);
        p->pending = 0;
    }
    return 0;
}

int uorb_create_subscriber(uorb *u, const topic *t, uint32_t instance, int32_t *id)
{
    if (u->subscriber_count == SUBSCRIBERS)
        return -3;
    // Of what was published before, a new reader sees the last message.
    const topic_id id_of = (topic_id)(t - u->topics);
    const uint32_t before = u->nodes[id_of][instance].generation;
    u->subscribers[u->subscriber_count] =
        (subscriber){.topic = id_of, .instance = instance, .seen = before ? before - 1 : 0};
    *id = u->subscriber_count++;
    return 0;
}

static int subscriber_code(const uorb *u, int32_t id)
{
    if (id < 0 || id >= u->subscriber_count)
        return -2;
    return u->subscribers[id].closed ? -3 : 0;
}

int uorb_check(const uorb *u, int32_t id, int32_t *updated)
{
    const int code = subscriber_code(u, id);
    if (code != 0)
        return code;
    const subscriber *s = &u->subscribers[id];
    *updated = u->nodes[s->topic][s->instance].generation != s->seen;
    return 0;
}

int uorb_copy(uorb *u, int32_t id, void *message, uint32_t size)
{
    const int code = subscriber_code(u, id);
    if (code != 0)
        return code;
    subscriber *s = &u->subscribers[id];
    if (size != u->topics[s->topic].size)
        return -4;
    const node *n = &u->nodes[s->topic][s->instance];
    if (n->generation == 0)
        return -5;
    if (s->seen == n->generation) // once more
        s->seen--;
    memcpy(message, node_at(u, s->topic, s->instance, &s->seen), size);
    s->seen++;
    return 0;
}

int uorb_unsubscribe(uorb *u, int32_t id)
{
    const int code = subscriber_code(u, id);
    if (code == 0)
        u->subscribers[id].closed = true;
    return code;
}

// --- for modules ---------------------------------------------------------------------------------

void uorb_advertise(uorb *u, topic_id id)
{
    u->nodes[id][0].advertised = true;
}

// Without the padding, so that the bytes of a message are always the same.
void uorb_publish(uorb *u, topic_id id, const void *message)
{
    uorb_advertise(u, id);
    node_write(u, id, 0, message, u->topics[id].size_no_padding);
}

bool uorb_read(const uorb *u, topic_id id, void *message, size_t size)
{
    const node *n = &u->nodes[id][0];
    if (n->generation == 0)
        return false;
    uint32_t last = n->generation - 1;
    memcpy(message, node_at(u, id, 0, &last), size);
    return true;
}

bool uorb_take(const uorb *u, topic_id id, uint32_t *taken, void *message, size_t size)
{
    if (u->nodes[id][0].generation == *taken)
        return false;
    memcpy(message, node_at(u, id, 0, taken), size);
    ++*taken;
    return true;
}
