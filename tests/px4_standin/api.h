// api.h - ABI version 3 of libpx4_lockstep. Written from a description of it, apart from the
// bridge's own declarations.
#ifndef PX4_STANDIN_API_H
#define PX4_STANDIN_API_H

#include <stdbool.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct config {
    int32_t dataman_use_ram;
    int32_t enable_commander;
    int32_t commander_rate_hz;
    int32_t navigator_rate_hz;
    int32_t mc_pos_control_rate_hz;
    int32_t mc_att_control_rate_hz;
    int32_t mc_rate_control_rate_hz;
    int32_t enable_control_allocator;
    int32_t control_allocator_rate_hz;
} config;

API uint32_t px4_lockstep_abi_version(void);
API void px4_lockstep_sizes(uint32_t *in, uint32_t *out, uint32_t *cfg);
API void *px4_lockstep_create(const config *cfg);
API void px4_lockstep_destroy(void *handle);
API int px4_lockstep_load_mission_qgc_wpl(void *handle, const char *path);
API int px4_lockstep_step_uorb(void *handle, uint64_t time_us);

API int px4_lockstep_param_set_i32(void *handle, const char *name, int32_t value);
API int px4_lockstep_param_set_f32(void *handle, const char *name, float value);
API int px4_lockstep_param_get_i32(void *handle, const char *name, int32_t *value);
API int px4_lockstep_param_get_f32(void *handle, const char *name, float *value);
API int px4_lockstep_param_notify(void *handle);
API int px4_lockstep_param_preinit_set_i32(const char *name, int32_t value);
API int px4_lockstep_param_preinit_set_f32(const char *name, float value);
API int px4_lockstep_control_alloc_update_params(void *handle);
API void param_control_autosave(bool enable);

API int px4_lockstep_orb_topic_metadata(void *handle, const char *topic, const char **fields,
                                        uint32_t *size, uint32_t *size_no_padding,
                                        uint32_t *message_hash, uint8_t *queue_size);
API int px4_lockstep_orb_create_publisher(void *handle, const char *topic, int32_t priority,
                                          uint32_t queue_size, int32_t *pub_id, int32_t *instance,
                                          uint32_t *msg_size);
API int px4_lockstep_orb_create_publisher_ex(void *handle, const char *topic, int32_t priority,
                                             uint32_t queue_size, int32_t requested_instance,
                                             int32_t *pub_id, int32_t *instance,
                                             uint32_t *msg_size);
API int px4_lockstep_orb_queue_publish(void *handle, int32_t pub_id, const void *msg,
                                       uint32_t msg_size);
API int px4_lockstep_orb_publisher_instance(void *handle, int32_t pub_id, int32_t *instance);
API int px4_lockstep_orb_create_subscriber(void *handle, const char *topic, uint32_t instance,
                                           int32_t *sub_id, uint32_t *msg_size);
API int px4_lockstep_orb_check(void *handle, int32_t sub_id, int32_t *updated);
API int px4_lockstep_orb_copy(void *handle, int32_t sub_id, void *msg, uint32_t msg_size);
API int px4_lockstep_orb_unsubscribe(void *handle, int32_t sub_id);

#endif
