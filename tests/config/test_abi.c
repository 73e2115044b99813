// The shape of definitions (tactus/api.h): each begins with its size, and ends with a field that
// fills its last word, so that a field that is added later never lies where an older caller has
// padding, which may hold anything.
#include "support/test.h"
#include <tactus/config.h>
#include <tactus/graph.h>
#include <tactus/lcm.h>
#include <tactus/outside.h>
#include <tactus/plugin.h>
#include <tactus/px4.h>
#include <tactus/sensitivity.h>

#define DEFINITIONS(X)                                                                             \
    X(tac_component_type, numbers)                                                                 \
    X(tac_param_def, reserved)                                                                     \
    X(tac_port_def, reserved)                                                                      \
    X(tac_message_def, max_bytes)                                                                  \
    X(tac_engine_def, value_count)                                                                 \
    X(tac_group_def, place)                                                                        \
    X(tac_component_def, accept_count)                                                             \
    X(tac_route_def, rest)                                                                         \
    X(tac_link_def, reserved)                                                                      \
    X(tac_observer_def, context)                                                                   \
    X(tac_record_rule, place)                                                                      \
    X(tac_recorder_def, file_count)                                                                \
    X(tac_replay_def, from_us)                                                                     \
    X(tac_export_def, context)                                                                     \
    X(tac_compare_def, tolerance_count)                                                            \
    X(tac_config_def, mistake_context)                                                             \
    X(tac_px4_probe_def, hang_context)                                                             \
    X(tac_link_law, down_count)                                                                    \
    X(tac_sensitivity_def, allocator)                                                              \
    X(tac_post_def, copy)                                                                          \
    X(tac_server_def, lcm_rate)                                                                    \
    X(tac_client_def, reserved)                                                                    \
    X(tac_channel_def, reserved)                                                                   \
    X(tac_lcm_def, reserved)                                                                       \
    X(tac_graph_def, context)                                                                      \
    X(tac_graph_emit_def, second)

static void test_shape(void **state)
{
    (void)state;
#define CHECK(type, last)                                                                          \
    assert_int_equal(offsetof(type, size), 0);                                                     \
    assert_int_equal(sizeof((type *)0)->size, 4);                                                  \
    if (offsetof(type, last) + sizeof((type *)0)->last != sizeof(type))                            \
        fail_msg(#type " does not end with " #last);                                               \
    assert_int_equal(sizeof(type) % 8, 0);
    DEFINITIONS(CHECK)
}

TEST_MAIN(cmocka_unit_test(test_shape))
