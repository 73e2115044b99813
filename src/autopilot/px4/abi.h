// abi.h - libpx4_lockstep, version 3 of its ABI: the only place that knows its functions.
//
// A library is opened as a private copy of its file, because one copy gives one handle in a
// process. So several vehicles fly in one process. A copy stays mapped until the process ends:
// threads of PX4 still run its code for a while after its handle was destroyed. Every function here
// fails with the meaning of the library's code as text. A handle belongs to one thread at a time.
#ifndef TAC_AUTOPILOT_PX4_ABI_H
#define TAC_AUTOPILOT_PX4_ABI_H

#include "autopilot/px4/watchdog.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { TAC__PX4_ABI = 3 };

// The environment variable that names the library where the configuration does not.
#define TAC__PX4_VARIABLE "PX4_LOCKSTEP_LIB"

typedef struct tac__px4_config {
    int32_t dataman_use_ram;
    int32_t enable_commander;
    int32_t commander_rate_hz;
    int32_t navigator_rate_hz;
    int32_t mc_pos_control_rate_hz;
    int32_t mc_att_control_rate_hz;
    int32_t mc_rate_control_rate_hz;
    int32_t enable_control_allocator;
    int32_t control_allocator_rate_hz;
} tac__px4_config; // a rate <= 0: every step

tac__px4_config tac__px4_config_default(void);

typedef struct tac__px4 tac__px4;

// Copy, load, resolve every function, compare versions and sizes. `watch` is told of every call,
// and must be between begin and end in all functions below.
tac_status tac__px4_open(const char *path, tac__watch *watch, tac__px4 **px4, tac_error *err);
// NULL is fine. Destroys the handle.
void tac__px4_close(tac__px4 *px4);

typedef struct tac__px4_facts {
    uint32_t abi, in_size, out_size, config_size;
    bool autosave; // the library exports the switch for saving parameters
} tac__px4_facts;

tac__px4_facts tac__px4_facts_of(const tac__px4 *px4);

// Make the handle, which all functions below need; from here on PX4 does not save parameters by
// itself.
tac_status tac__px4_create(tac__px4 *px4, const tac__px4_config *config, tac_error *err);

tac_status tac__px4_set_i32(tac__px4 *px4, const char *param, int32_t value, tac_error *err);
tac_status tac__px4_set_f32(tac__px4 *px4, const char *param, float value, tac_error *err);
// Sets the parameter in the type that it has.
tac_status tac__px4_set(tac__px4 *px4, const char *param, double value, tac_error *err);
// TAC_E_NAME: there is no such parameter.
tac_status tac__px4_get_f32(tac__px4 *px4, const char *param, float *value, tac_error *err);
tac_status tac__px4_notify(tac__px4 *px4, tac_error *err);
tac_status tac__px4_update_allocator(tac__px4 *px4, tac_error *err);
// Load a mission, a text of QGC WPL 110 without planned home; `file` is what errors call it.
tac_status tac__px4_load_mission(tac__px4 *px4, const char *file, const char *bytes, size_t size,
                                 tac_error *err);

typedef struct tac__px4_topic_info {
    uint32_t size, size_no_padding, hash;
    uint8_t queue_size;
    const char *fields; // NULL: the library does not tell
} tac__px4_topic_info;

tac_status tac__px4_topic(tac__px4 *px4, const char *topic, tac__px4_topic_info *info,
                          tac_error *err);

// `instance` < 0: the next free one. The message must have this size.
tac_status tac__px4_advertise(tac__px4 *px4, const char *topic, int32_t instance, uint32_t size,
                              int32_t *publisher, tac_error *err);
tac_status tac__px4_subscribe(tac__px4 *px4, const char *topic, uint32_t instance, uint32_t size,
                              int32_t *subscriber, tac_error *err);

tac_status tac__px4_publish(tac__px4 *px4, int32_t publisher, const void *message, uint32_t size,
                            tac_error *err);
tac_status tac__px4_check(tac__px4 *px4, int32_t subscriber, bool *updated, tac_error *err);
tac_status tac__px4_copy(tac__px4 *px4, int32_t subscriber, void *message, uint32_t size,
                         tac_error *err);
// The instance of its topic that a publisher has; -1: it has not published yet.
tac_status tac__px4_instance(tac__px4 *px4, int32_t publisher, int32_t *instance, tac_error *err);
// `t_us` must not decrease.
tac_status tac__px4_step(tac__px4 *px4, tac_time t_us, tac_error *err);

#endif
