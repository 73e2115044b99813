// uorb.h - topics with their instances, and those who publish and subscribe from outside. What is
// queued reaches its topic in a step. Results are codes of the ABI.
#ifndef PX4_STANDIN_UORB_H
#define PX4_STANDIN_UORB_H

#include "messages.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum topic_id {
#define TOPIC_ID(topic, last, hash) TOPIC_##topic,
    TOPICS(TOPIC_ID)
#undef TOPIC_ID
        TOPIC_COUNT
} topic_id;

enum { INSTANCES = 10, PUBLISHERS = 64, SUBSCRIBERS = 64, MESSAGE_MAX = 256, QUEUE_MAX = 8 };

typedef struct topic {
    const char *name;
    uint32_t size, size_no_padding, hash;
    uint32_t queue; // messages that are kept for a reader
} topic;

typedef struct node { // an instance of a topic
    bool advertised;
    uint32_t generation;                  // messages published so far
    uint8_t data[QUEUE_MAX][MESSAGE_MAX]; // the last ones, by generation
} node;

typedef struct publisher {
    topic_id topic;
    int32_t requested, instance; // -1: any; not advertised yet
    uint32_t pending;            // bytes queued, 0: nothing
    uint8_t data[MESSAGE_MAX];
} publisher;

typedef struct subscriber {
    topic_id topic;
    uint32_t instance, seen;
    bool closed;
} subscriber;

typedef struct uorb {
    topic topics[TOPIC_COUNT];
    node nodes[TOPIC_COUNT][INSTANCES];
    publisher publishers[PUBLISHERS];
    subscriber subscribers[SUBSCRIBERS];
    int32_t publisher_count, subscriber_count;
} uorb;

void uorb_init(uorb *u);
const topic *uorb_find(const uorb *u, const char *name); // NULL: unknown

int uorb_create_publisher(uorb *u, const topic *t, int32_t requested, int32_t *id);
int uorb_queue(uorb *u, int32_t id, const void *message, uint32_t size);
int uorb_publish_queued(uorb *u);
int uorb_create_subscriber(uorb *u, const topic *t, uint32_t instance, int32_t *id);
int uorb_check(const uorb *u, int32_t id, int32_t *updated);
int uorb_copy(uorb *u, int32_t id, void *message, uint32_t size);
int uorb_unsubscribe(uorb *u, int32_t id);

// For modules: always instance 0. Reading fails while nothing has been published.
void uorb_advertise(uorb *u, topic_id id);
void uorb_publish(uorb *u, topic_id id, const void *message);
bool uorb_read(const uorb *u, topic_id id, void *message, size_t size);
// The oldest message that is kept and was not taken yet; `*taken` counts. False: there is none.
bool uorb_take(const uorb *u, topic_id id, uint32_t *taken, void *message, size_t size);

#define READ(u, topic, message)    uorb_read(u, TOPIC_##topic, message, sizeof(struct topic))
#define PUBLISH(u, topic, message) uorb_publish(u, TOPIC_##topic, message)

// Where a message ends whose last field that is: what follows is padding.
#define END_OF(topic, field)                                                                       \
    (offsetof(struct topic, field) + sizeof(((const struct topic *)NULL)->field))

#endif
