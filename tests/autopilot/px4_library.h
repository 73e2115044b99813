// px4_library.h - libpx4_lockstep for tests: a copy of a file of our own, opened, and the messages
// at its boundary by name of field.
#ifndef TAC_TESTS_AUTOPILOT_PX4_LIBRARY_H
#define TAC_TESTS_AUTOPILOT_PX4_LIBRARY_H

#include "autopilot/px4_facts.h"
#include "support/folder.h"
#include "support/test.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the library ---------------------------------------------------------------------------------

// X(result, name, arguments)
#define PX4_FUNCTIONS(X)                                                                           \
    X(uint32_t, abi_version, (void))                                                               \
    X(void, sizes, (uint32_t *, uint32_t *, uint32_t *))                                           \
    X(void *, create, (const int32_t *))                                                           \
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

typedef struct px4 {
    void *file;
    void *h;
    void (*autosave)(bool);
#define PX4_POINTER(result, name, arguments) result(*name) arguments;
    PX4_FUNCTIONS(PX4_POINTER)
#undef PX4_POINTER
} px4;

static inline void px4_copy(const char *name, const char *to)
{
    const char *build = getenv("TACTUS_BUILD");
    char from[1024];
    static char bytes[1 << 16];
    snprintf(from, sizeof from, "%s/tests/lib%s.so", build ? build : ".", name);
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    if (!in || !out)
        fail_msg("cannot copy %s to %s", from, to);
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    fclose(in);
}

// A fresh copy of lib`name`.so; no handle yet. Functions that it does not have are NULL.
static inline px4 px4_open(const char *name)
{
    static int copies;
    char file[32];
    snprintf(file, sizeof file, "copy%d.so", copies++);
    const char *path = path_of(file);
    px4_copy(name, path);
    // Its threads still run when its handle is destroyed.
    px4 p = {.file = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (!p.file)
        fail_msg("%s", dlerror());
#define PX4_RESOLVE(result, name, arguments)                                                       \
    *(void **)&p.name = dlsym(p.file, "px4_lockstep_" #name);
    PX4_FUNCTIONS(PX4_RESOLVE)
#undef PX4_RESOLVE
    *(void **)&p.autosave = dlsym(p.file, "param_control_autosave");
    return p;
}

static const int32_t px4_defaults[9] = {1, 0, 100, 20, 100, 250, 250, 1, 250};

static inline px4 px4_start(const char *name, const int32_t *config)
{
    px4 p = px4_open(name);
    p.h = p.create(config);
    assert_non_null(p.h);
    return p;
}

static inline void px4_close(px4 *p)
{
    p->destroy(p->h);
}

// --- messages ------------------------------------------------------------------------------------

enum { PX4_BYTES = 256 };

static inline const px4_message *px4_message_of(const char *topic)
{
    for (const px4_message *m = px4_messages; m < px4_messages + PX4_MESSAGES; m++) {
        if (strcmp(m->topic, topic) == 0)
            return m;
    }
    fail_msg("no topic %s", topic);
    return NULL;
}

static inline uint32_t px4_width(char type)
{
    return type == 'q' || type == 'd' ? 8 : type == 'H' ? 2 : type == 'b' ? 1 : 4;
}

// Where a field stands, and its type; without a name, where the last one ends.
static inline uint32_t px4_offset(const px4_message *m, const char *field, char *type)
{
    uint32_t at = 0;
    char kind = 0;
    for (const char *word = m->layout; *word; word += strcspn(word, " "), word += *word == ' ') {
        const size_t length = strcspn(word, " *;");
        const size_t whole = strcspn(word, " ");
        if (whole == 1 && (kind == 0 || word[-2] == ';')) {
            kind = *word;
            continue;
        }
        if (field && strlen(field) == length && strncmp(word, field, length) == 0) {
            *type = kind;
            return at;
        }
        at += px4_width(kind) * (word[length] == '*' ? (uint32_t)atoi(word + length + 1) : 1);
    }
    if (field)
        fail_msg("no field %s in %s", field, m->topic);
    return at;
}

static inline void px4_put(uint8_t *bytes, const char *topic, const char *field, int i, double v)
{
    char type = 0;
    uint8_t *at = bytes + px4_offset(px4_message_of(topic), field, &type);
    at += (uint32_t)i * px4_width(type);
    const uint64_t q = type == 'q' ? (uint64_t)v : 0;
    const float f = (float)v;
    const int64_t whole = isnan(v) ? 0 : (int64_t)v; // little endian: its first bytes
    const void *from = &whole;
    if (type == 'q')
        from = &q;
    else if (type == 'd')
        from = &v;
    else if (type == 'f')
        from = &f;
    memcpy(at, from, px4_width(type));
}

static inline double px4_get(const uint8_t *bytes, const char *topic, const char *field, int i)
{
    char type = 0;
    const uint8_t *at = bytes + px4_offset(px4_message_of(topic), field, &type);
    at += (uint32_t)i * px4_width(type);
    uint64_t q = 0;
    double d;
    float f;
    int32_t s;
    memcpy(&q, at, px4_width(type));
    memcpy(&d, &q, sizeof d);
    memcpy(&f, &q, sizeof f);
    memcpy(&s, &q, sizeof s);
    return type == 'd' ? d : type == 'f' ? (double)f : type == 'i' ? s : (double)q;
}

#endif
