// px4_flight.h - flights with the component px4 and the stand-in: engines from the examples, with
// orders to the stand-in in the environment, which each copy of it reads as it is loaded.
#ifndef TAC_TESTS_AUTOPILOT_PX4_FLIGHT_H
#define TAC_TESTS_AUTOPILOT_PX4_FLIGHT_H

#include "engine/test_rig.h"

enum { ORDERS = 8 };
static const char *const px4_orders[ORDERS] = {"ABI",  "SIZES", "HASH",       "SIZE",
                                               "FAIL", "HANG",  "CONTROLLER", "VALID_AFTER_US"};

// "FAIL=step_uorb:-2"; NULL: none.
static inline void px4_order(const char *order)
{
    for (int i = 0; i < ORDERS; i++) {
        char name[64];
        snprintf(name, sizeof name, "PX4_STANDIN_%s", px4_orders[i]);
        unsetenv(name);
    }
    if (!order)
        return;
    char name[64];
    const char *equals = strchr(order, '=');
    snprintf(name, sizeof name, "PX4_STANDIN_%.*s", (int)(equals - order), order);
    setenv(name, equals + 1, 1);
}

// tests/lib`name`.so of the build, or another path as it is; NULL: none is named.
static inline void px4_library(const char *name)
{
    const char *build = getenv("TACTUS_BUILD");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/lib%s.so", build ? build : ".", name ? name : "");
    if (name)
        setenv("PX4_LOCKSTEP_LIB", strchr(name, '/') ? name : path, 1);
    else
        unsetenv("PX4_LOCKSTEP_LIB");
}

static inline void px4_open(rig *r, const char *const *sets, size_t count)
{
    rig_example(r, "iris_px4.yaml", NULL, sets, count);
}

#define SETS(...)                                                                                  \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static inline int32_t px4_i32(rig *r, const char *signal)
{
    return *(const int32_t *)rig_read(r, signal);
}

static inline bool px4_bool(rig *r, const char *signal)
{
    return *(const bool *)rig_read(r, signal);
}

// The run of the example, with these orders, fails with this status and a text that holds each of
// the parts (NULL after the last).
static inline void px4_fails(const char *order, const char *const *sets, size_t count,
                             tac_status expected, const char *const *parts)
{
    rig r;
    px4_order(order);
    px4_open(&r, sets, count);
    const tac_status status = tac_engine_run(r.engine, 100000, &r.err);
    bool good = status == expected && r.err.status == expected;
    for (; *parts; parts++)
        good &= strstr(r.err.text, *parts) != NULL;
    if (!good) {
        rig_show(&r);
        fail_msg("%s: expected %s, got %s", order ? order : "", tac_status_name(expected),
                 tac_status_name(status));
    }
    assert_string_equal(r.err.component, "uav.control");
    rig_close(&r);
    px4_order(NULL);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
