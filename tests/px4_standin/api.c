// api.c - the exported functions: arguments checked, orders of a test obeyed, the rest elsewhere.
//
// A copy of the library gives one handle in its life. PX4_STANDIN_INCOMPLETE leaves two functions
// out, PX4_STANDIN_NO_AUTOSAVE the one that is not part of the ABI.
#include "misbehave.h"
#include "standin.h"
#include "workers.h"

static standin only;
static bool taken, alive;

#define ENTER(function)                                                                            \
    do {                                                                                           \
        const int forced = orders_enter(#function);                                                \
        if (forced != 0)                                                                           \
            return forced;                                                                         \
    } while (0)

// The handle as a standin, NULL where it is none.
static standin *get(const void *handle)
{
    return alive && handle == &only ? &only : NULL;
}

// --- life ---------------------------------------------------------------------------------------

uint32_t px4_lockstep_abi_version(void)
{
    orders_enter("abi_version");
    return orders_get()->abi;
}

void px4_lockstep_sizes(uint32_t *in, uint32_t *out, uint32_t *cfg)
{
    orders_enter("sizes");
    const uint32_t *sizes = orders_get()->sizes;
    if (in)
        *in = sizes[0];
    if (out)
        *out = sizes[1];
    if (cfg)
        *cfg = sizes[2];
}

void *px4_lockstep_create(const config *cfg)
{
    static const config defaults = {1, 0, 100, 20, 100, 250, 250, 1, 250};
    if (orders_enter("create") != 0 || taken)
        return NULL;
    const config *c = cfg ? cfg : &defaults;
    if (c->enable_commander != 0)
        return NULL;
    standin_init(&only, c);
    if (!workers_start())
        return NULL;
    taken = alive = true;
    say("INFO", "px4_lockstep", "created"); // without asking whose standard output it is
    return &only;
}

void px4_lockstep_destroy(void *handle)
{
    orders_enter("destroy");
    if (!get(handle))
        return;
    alive = false;
    workers_leave();
}

int px4_lockstep_load_mission_qgc_wpl(void *handle, const char *path)
{
    ENTER(load_mission_qgc_wpl);
    standin *s = get(handle);
    return s && path ? navigator_load(&s->nav, path, s->now_us) : -1;
}

int px4_lockstep_step_uorb(void *handle, uint64_t time_us)
{
    ENTER(step_uorb);
    standin *s = get(handle);
    return s ? standin_step(s, time_us) : -1;
}

// --- parameters ---------------------------------------------------------------------------------

// Setting one saves all of them after a while, unless autosave is off: that waits for a semaphore
// which nobody has made.
static int set(standin *s, const char *name, param_type type, param_value value)
{
    if (!name)
        return -1;
    const int i = params_find(name, type);
    if (i < 0)
        return i;
    if (!s || s->autosave)
        hang();
    s->stored.value[i] = value;
    return 0;
}

int px4_lockstep_param_set_i32(void *handle, const char *name, int32_t value)
{
    ENTER(param_set_i32);
    standin *s = get(handle);
    return s ? set(s, name, PARAM_I32, (param_value){.i32 = value}) : -1;
}

int px4_lockstep_param_set_f32(void *handle, const char *name, float value)
{
    ENTER(param_set_f32);
    standin *s = get(handle);
    return s ? set(s, name, PARAM_F32, (param_value){.f32 = value}) : -1;
}

int px4_lockstep_param_preinit_set_i32(const char *name, int32_t value)
{
    ENTER(param_preinit_set_i32);
    return set(get(&only), name, PARAM_I32, (param_value){.i32 = value});
}

int px4_lockstep_param_preinit_set_f32(const char *name, float value)
{
    ENTER(param_preinit_set_f32);
    return set(get(&only), name, PARAM_F32, (param_value){.f32 = value});
}

int px4_lockstep_param_get_i32(void *handle, const char *name, int32_t *value)
{
    ENTER(param_get_i32);
    const standin *s = get(handle);
    const int i = s && name && value ? params_find(name, PARAM_I32) : -1;
    if (i >= 0)
        *value = s->stored.value[i].i32;
    return i < 0 ? i : 0;
}

int px4_lockstep_param_get_f32(void *handle, const char *name, float *value)
{
    ENTER(param_get_f32);
    const standin *s = get(handle);
    const int i = s && name && value ? params_find(name, PARAM_F32) : -1;
    if (i >= 0)
        *value = s->stored.value[i].f32;
    return i < 0 ? i : 0;
}

int px4_lockstep_param_notify(void *handle)
{
    ENTER(param_notify);
    standin *s = get(handle);
    if (!s)
        return -1;
    s->notified = true;
    return 0;
}

int px4_lockstep_control_alloc_update_params(void *handle)
{
    ENTER(control_alloc_update_params);
    standin *s = get(handle);
    if (!s)
        return -1;
    if (!s->cfg.enable_control_allocator)
        return -2;
    allocation_update(&s->mix, &s->stored);
    return 0;
}

#ifndef PX4_STANDIN_NO_AUTOSAVE
// Before `create` this is in vain, as that switches it on.
void param_control_autosave(bool enable)
{
    only.autosave = enable;
}
#endif

// --- topics -------------------------------------------------------------------------------------

int px4_lockstep_orb_topic_metadata(void *handle, const char *topic_name, const char **fields,
                                    uint32_t *size, uint32_t *size_no_padding,
                                    uint32_t *message_hash, uint8_t *queue_size)
{
    ENTER(orb_topic_metadata);
    const standin *s = get(handle);
    if (!s || !topic_name || !fields || !size || !size_no_padding || !message_hash || !queue_size)
        return -1;
    const topic *t = uorb_find(&s->u, topic_name);
    if (!t)
        return -2;
    *fields = NULL;
    *size = t->size;
    *size_no_padding = t->size_no_padding;
    *message_hash = t->hash;
    *queue_size = (uint8_t)t->queue;
    return -3;
}

static int create_publisher(void *handle, const char *topic_name, int32_t priority,
                            uint32_t queue_size, int32_t requested, int32_t *pub_id,
                            int32_t *instance, uint32_t *msg_size)
{
    standin *s = get(handle);
    if (!s || !topic_name || !pub_id || !instance || !msg_size || requested < -1 ||
        requested >= INSTANCES)
        return -1;
    const topic *t = uorb_find(&s->u, topic_name);
    if (!t)
        return -2;
    if (priority != 0)
        return -5;
    if (queue_size != 0)
        return -6;
    *instance = requested;
    *msg_size = t->size;
    return uorb_create_publisher(&s->u, t, requested, pub_id);
}

int px4_lockstep_orb_create_publisher(void *handle, const char *topic_name, int32_t priority,
                                      uint32_t queue_size, int32_t *pub_id, int32_t *instance,
                                      uint32_t *msg_size)
{
    ENTER(orb_create_publisher);
    return create_publisher(handle, topic_name, priority, queue_size, -1, pub_id, instance,
                            msg_size);
}

int px4_lockstep_orb_create_publisher_ex(void *handle, const char *topic_name, int32_t priority,
                                         uint32_t queue_size, int32_t requested_instance,
                                         int32_t *pub_id, int32_t *instance, uint32_t *msg_size)
{
    ENTER(orb_create_publisher_ex);
    return create_publisher(handle, topic_name, priority, queue_size, requested_instance, pub_id,
                            instance, msg_size);
}

int px4_lockstep_orb_queue_publish(void *handle, int32_t pub_id, const void *msg, uint32_t msg_size)
{
    ENTER(orb_queue_publish);
    standin *s = get(handle);
    return s && msg ? uorb_queue(&s->u, pub_id, msg, msg_size) : -1;
}

int px4_lockstep_orb_publisher_instance(void *handle, int32_t pub_id, int32_t *instance)
{
    ENTER(orb_publisher_instance);
    const standin *s = get(handle);
    if (!s || !instance)
        return -1;
    if (pub_id < 0 || pub_id >= s->u.publisher_count)
        return -2;
    *instance = s->u.publishers[pub_id].instance;
    return 0;
}

int px4_lockstep_orb_create_subscriber(void *handle, const char *topic_name, uint32_t instance,
                                       int32_t *sub_id, uint32_t *msg_size)
{
    ENTER(orb_create_subscriber);
    standin *s = get(handle);
    if (!s || !topic_name || !sub_id || !msg_size || instance >= INSTANCES)
        return -1;
    const topic *t = uorb_find(&s->u, topic_name);
    if (!t)
        return -2;
    *msg_size = t->size;
    return uorb_create_subscriber(&s->u, t, instance, sub_id);
}

#ifndef PX4_STANDIN_INCOMPLETE
int px4_lockstep_orb_check(void *handle, int32_t sub_id, int32_t *updated)
{
    ENTER(orb_check);
    const standin *s = get(handle);
    return s && updated ? uorb_check(&s->u, sub_id, updated) : -1;
}

int px4_lockstep_orb_unsubscribe(void *handle, int32_t sub_id)
{
    ENTER(orb_unsubscribe);
    standin *s = get(handle);
    return s ? uorb_unsubscribe(&s->u, sub_id) : -1;
}
#endif

int px4_lockstep_orb_copy(void *handle, int32_t sub_id, void *msg, uint32_t msg_size)
{
    ENTER(orb_copy);
    standin *s = get(handle);
    return s && msg ? uorb_copy(&s->u, sub_id, msg, msg_size) : -1;
}
