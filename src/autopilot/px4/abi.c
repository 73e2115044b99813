// abi.c - every call into libpx4_lockstep. All functions are resolved before the first is called,
// through one table; none is called before version and sizes have been compared.
#include "autopilot/px4/abi.h"
#include "autopilot/px4/codes.h"
#include "autopilot/px4/copy.h"
#include "base/floats.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "px4_lockstep_"

// X(result, name, arguments)
#define FUNCTIONS(X)                                                                               \
    X(uint32_t, abi_version, (void))                                                               \
    X(void, sizes, (uint32_t *, uint32_t *, uint32_t *))                                           \
    X(void *, create, (const tac__px4_config *))                                                   \
    X(void, destroy, (void *))                                                                     \
    X(int, load_mission_qgc_wpl, (void *, const char *))                                           \
    X(int, step_uorb, (void *, uint64_t))                                                          \
    X(int, param_set_i32, (void *, const char *, int32_t))                                         \
    X(int, param_set_f32, (void *, const char *, float))                                           \
    X(int, param_get_i32, (void *, const char *, int32_t *))                                       \
    X(int, param_get_f32, (void *, const char *, float *))                                         \
    X(int, param_notify, (void *))                                                                 \
    X(int, param_preinit_set_i32, (const char *, int32_t))                                         \
    X(int, param_preinit_set_f32, (const char *, float))                                           \
    X(int, control_alloc_update_params, (void *))                                                  \
    X(int, orb_topic_metadata,                                                                     \
      (void *, const char *, const char **, uint32_t *, uint32_t *, uint32_t *, uint8_t *))        \
    X(int, orb_create_publisher,                                                                   \
      (void *, const char *, int32_t, uint32_t, int32_t *, int32_t *, uint32_t *))                 \
    X(int, orb_create_publisher_ex,                                                                \
      (void *, const char *, int32_t, uint32_t, int32_t, int32_t *, int32_t *, uint32_t *))        \
    X(int, orb_queue_publish, (void *, int32_t, const void *, uint32_t))                           \
    X(int, orb_publisher_instance, (void *, int32_t, int32_t *))                                   \
    X(int, orb_create_subscriber, (void *, const char *, uint32_t, int32_t *, uint32_t *))         \
    X(int, orb_check, (void *, int32_t, int32_t *))                                                \
    X(int, orb_copy, (void *, int32_t, void *, uint32_t))                                          \
    X(int, orb_unsubscribe, (void *, int32_t))

struct tac__px4 {
    tac__watch *watch;
    int descriptor; // of the copy
    void *library, *handle;
    tac__px4_facts facts;
    tac_time t_us; // of the last step
#define POINTER(result, name, arguments) result(*name) arguments;
    FUNCTIONS(POINTER)
#undef POINTER
    void (*param_control_autosave)(bool); // NULL: it has none
};

_Static_assert(sizeof(tac__px4_config) == 36, "as the library has it");

static void put_floats_back(const char *end)
{
    (void)end;
    (void)tac__floats_kept();
}

// A call that the watchdog is told of. PX4 is called in our floating-point environment; if PX4
// changes it, ours is restored after the call.
#define CALL(p, name, ...)                                                                         \
    __extension__({                                                                                \
        __attribute__((cleanup(put_floats_back), unused)) const char end_ = 0;                     \
        tac__watch_call((p)->watch, PREFIX #name);                                                 \
        (p)->name(__VA_ARGS__);                                                                    \
    })

tac__px4_config tac__px4_config_default(void)
{
    return (tac__px4_config){
        .dataman_use_ram = 1,
        .commander_rate_hz = 100,
        .navigator_rate_hz = 20,
        .mc_pos_control_rate_hz = 100,
        .mc_att_control_rate_hz = 250,
        .mc_rate_control_rate_hz = 250,
        .enable_control_allocator = 1,
        .control_allocator_rate_hz = 250,
    };
}

// --- opening ------------------------------------------------------------------------------------

static tac_status resolve(tac__px4 *p, const char *path, tac_error *err)
{
    // dlsym gives an object pointer; POSIX makes this conversion good.
    const struct {
        const char *name;
        void **to;
    } table[] = {
#define ROW(result, name, arguments) {PREFIX #name, (void **)&p->name},
        FUNCTIONS(ROW)
#undef ROW
    };
    size_t missing = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *table[i].to = dlsym(p->library, table[i].name);
        if (*table[i].to)
            continue;
        if (missing++ == 0)
            tac__fail(err, TAC_E_ABI, "'%s' lacks %s", path, table[i].name);
        else
            tac__error_append(err, ", %s", table[i].name);
    }
    *(void **)&p->param_control_autosave = dlsym(p->library, "param_control_autosave");
    p->facts.autosave = p->param_control_autosave != NULL;
    if (missing)
        tac__error_append(err, ": it is no libpx4_lockstep with version %d of the ABI",
                          TAC__PX4_ABI);
    return missing ? TAC_E_ABI : TAC_OK;
}

static tac_status shake_hands(tac__px4 *p, const char *path, tac_error *err)
{
    tac__px4_facts *f = &p->facts;
    f->abi = CALL(p, abi_version);
    if (f->abi != TAC__PX4_ABI)
        return tac__fail(err, TAC_E_ABI, "'%s' has version %u of the ABI, this bridge %d", path,
                         f->abi, TAC__PX4_ABI);
    CALL(p, sizes, &f->in_size, &f->out_size, &f->config_size);
    if (f->in_size || f->out_size || f->config_size != sizeof(tac__px4_config))
        return tac__fail(err, TAC_E_ABI,
                         "'%s' has structs of %u, %u and %u bytes (inputs, outputs, "
                         "configuration), this bridge of 0, 0 and %zu",
                         path, f->in_size, f->out_size, f->config_size, sizeof(tac__px4_config));
    return TAC_OK;
}

static tac_status load(tac__px4 *p, const char *path, tac_error *err)
{
    char copy[TAC__COPY_PATH];
    TAC_TRY(tac__copy_open(path, &p->descriptor, copy, err));
    tac__watch_call(p->watch, "dlopen");
    p->library = dlopen(copy, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    (void)tac__floats_kept(); // constructors may have changed it
    if (!p->library) {
        // The text of dlerror names the copy.
        const char *why = dlerror();
        const size_t named = strlen(copy);
        why = why && !strncmp(why, copy, named) && why[named] == ':' ? why + named + 2 : why;
        return tac__fail(err, TAC_E_FILE, "cannot load '%s': %s", path, why ? why : "no reason");
    }
    TAC_TRY(resolve(p, path, err));
    return shake_hands(p, path, err);
}

tac_status tac__px4_open(const char *path, tac__watch *watch, tac__px4 **px4, tac_error *err)
{
    *px4 = NULL;
    tac__px4 *p = calloc(1, sizeof *p);
    if (!p)
        return tac__fail_memory(err);
    p->watch = watch;
    p->descriptor = -1;
    const tac_status status = load(p, path, err);
    if (status != TAC_OK) {
        tac__px4_close(p);
        return status;
    }
    *px4 = p;
    return TAC_OK;
}

void tac__px4_close(tac__px4 *p)
{
    if (!p)
        return;
    if (p->handle)
        CALL(p, destroy, p->handle);
    if (p->descriptor >= 0)
        close(p->descriptor);
    free(p);
}

tac__px4_facts tac__px4_facts_of(const tac__px4 *p)
{
    return p->facts;
}

// --- errors -------------------------------------------------------------------------------------

// `about` is the topic, parameter or file of the call; NULL: none.
__attribute__((cold, noinline)) static tac_status failed(const char *function, int code,
                                                         const char *about, tac_error *err)
{
    const tac__px4_code c = tac__px4_code_of(function, code);
    return tac__fail(err, c.status, "%s%s%s%s failed with %d: %s", PREFIX, function,
                     about ? " of " : "", about ? about : "", code, c.text);
}

#define TRY_CALL(p, about, name, ...)                                                              \
    do {                                                                                           \
        const int code_ = CALL(p, name, __VA_ARGS__);                                              \
        if (code_ != 0)                                                                            \
            return failed(#name, code_, about, err);                                               \
    } while (0)

// --- before the first step ----------------------------------------------------------------------

// PX4's saving of parameters would wait for ever for a semaphore that is never created, so it is
// switched off before the first parameter is set; and no parameter is set before the handle exists.
tac_status tac__px4_create(tac__px4 *p, const tac__px4_config *config, tac_error *err)
{
    p->handle = CALL(p, create, config);
    if (!p->handle)
        return tac__fail(err, TAC_E_ABI,
                         "%screate gave no handle: PX4 refuses its configuration, or this copy of "
                         "the library has given one already",
                         PREFIX);
    if (p->param_control_autosave)
        CALL(p, param_control_autosave, false);
    return TAC_OK;
}

tac_status tac__px4_set_i32(tac__px4 *p, const char *param, int32_t value, tac_error *err)
{
    TRY_CALL(p, param, param_set_i32, p->handle, param, value);
    return TAC_OK;
}

tac_status tac__px4_set_f32(tac__px4 *p, const char *param, float value, tac_error *err)
{
    TRY_CALL(p, param, param_set_f32, p->handle, param, value);
    return TAC_OK;
}

tac_status tac__px4_get_f32(tac__px4 *p, const char *param, float *value, tac_error *err)
{
    TRY_CALL(p, param, param_get_f32, p->handle, param, value);
    return TAC_OK;
}

// Reading tells whether the parameter is a whole number. A library may let a float be read as one
// and refuse only the write, so the code of the write is looked at, too.
tac_status tac__px4_set(tac__px4 *p, const char *param, double value, tac_error *err)
{
    enum { WRONG_TYPE = -3 };
    int32_t before;
    int code = CALL(p, param_get_i32, p->handle, param, &before);
    if (code != 0 && code != WRONG_TYPE)
        return failed("param_get_i32", code, param, err);
    const bool whole = value >= INT32_MIN && value <= INT32_MAX && value == (double)(int32_t)value;
    if (code == 0 && whole) {
        code = CALL(p, param_set_i32, p->handle, param, (int32_t)value);
        if (code != WRONG_TYPE)
            return code ? failed("param_set_i32", code, param, err) : TAC_OK;
    }
    code = CALL(p, param_set_f32, p->handle, param, (float)value);
    if (code == WRONG_TYPE)
        return tac__fail(err, TAC_E_TYPE, "parameter %s of PX4 is a whole number, not %g", param,
                         value);
    return code ? failed("param_set_f32", code, param, err) : TAC_OK;
}

tac_status tac__px4_notify(tac__px4 *p, tac_error *err)
{
    TRY_CALL(p, NULL, param_notify, p->handle);
    return TAC_OK;
}

tac_status tac__px4_update_allocator(tac__px4 *p, tac_error *err)
{
    TRY_CALL(p, NULL, control_alloc_update_params, p->handle);
    return TAC_OK;
}

tac_status tac__px4_load_mission(tac__px4 *p, const char *file, const char *bytes, size_t size,
                                 tac_error *err)
{
    char path[TAC__COPY_PATH];
    int descriptor;
    TAC_TRY(tac__copy_text(file, bytes, size, &descriptor, path, err));
    const int code = CALL(p, load_mission_qgc_wpl, p->handle, path);
    close(descriptor);
    return code ? failed("load_mission_qgc_wpl", code, file, err) : TAC_OK;
}

// --- topics -------------------------------------------------------------------------------------

// A topic is described even if the library has no text about its fields.
tac_status tac__px4_topic(tac__px4 *p, const char *topic, tac__px4_topic_info *info, tac_error *err)
{
    enum { NO_TEXT = -3 };
    *info = (tac__px4_topic_info){0};
    const int code = CALL(p, orb_topic_metadata, p->handle, topic, &info->fields, &info->size,
                          &info->size_no_padding, &info->hash, &info->queue_size);
    return code == 0 || code == NO_TEXT ? TAC_OK : failed("orb_topic_metadata", code, topic, err);
}

static tac_status check_size(const char *topic, uint32_t theirs, uint32_t ours, tac_error *err)
{
    if (theirs == ours)
        return TAC_OK;
    return tac__fail(err, TAC_E_ABI, "topic '%s' has %u bytes in the library, %u here", topic,
                     theirs, ours);
}

tac_status tac__px4_advertise(tac__px4 *p, const char *topic, int32_t instance, uint32_t size,
                              int32_t *publisher, tac_error *err)
{
    int32_t given;
    uint32_t theirs;
    if (instance < 0)
        TRY_CALL(p, topic, orb_create_publisher, p->handle, topic, 0, 0, publisher, &given,
                 &theirs);
    else
        TRY_CALL(p, topic, orb_create_publisher_ex, p->handle, topic, 0, 0, instance, publisher,
                 &given, &theirs);
    return check_size(topic, theirs, size, err);
}

tac_status tac__px4_subscribe(tac__px4 *p, const char *topic, uint32_t instance, uint32_t size,
                              int32_t *subscriber, tac_error *err)
{
    uint32_t theirs;
    TRY_CALL(p, topic, orb_create_subscriber, p->handle, topic, instance, subscriber, &theirs);
    return check_size(topic, theirs, size, err);
}

// --- each tick ----------------------------------------------------------------------------------

tac_status tac__px4_publish(tac__px4 *p, int32_t publisher, const void *message, uint32_t size,
                            tac_error *err)
{
    TRY_CALL(p, NULL, orb_queue_publish, p->handle, publisher, message, size);
    return TAC_OK;
}

tac_status tac__px4_check(tac__px4 *p, int32_t subscriber, bool *updated, tac_error *err)
{
    int32_t fresh = 0;
    TRY_CALL(p, NULL, orb_check, p->handle, subscriber, &fresh);
    *updated = fresh != 0;
    return TAC_OK;
}

tac_status tac__px4_copy(tac__px4 *p, int32_t subscriber, void *message, uint32_t size,
                         tac_error *err)
{
    TRY_CALL(p, NULL, orb_copy, p->handle, subscriber, message, size);
    return TAC_OK;
}

tac_status tac__px4_instance(tac__px4 *p, int32_t publisher, int32_t *instance, tac_error *err)
{
    TRY_CALL(p, NULL, orb_publisher_instance, p->handle, publisher, instance);
    return TAC_OK;
}

tac_status tac__px4_step(tac__px4 *p, tac_time t_us, tac_error *err)
{
    if (t_us < p->t_us)
        return tac__fail(err, TAC_E_CALLER, "time would go back, from %llu to %llu us",
                         (unsigned long long)p->t_us, (unsigned long long)t_us);
    p->t_us = t_us;
    TRY_CALL(p, NULL, step_uorb, p->handle, t_us);
    return TAC_OK;
}
