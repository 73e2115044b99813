// codes.c - the table of codes.
#include "autopilot/px4/codes.h"

#include <stddef.h>
#include <string.h>

#define PARAM(function)                                                                            \
    {function, -1, TAC_E_COMPONENT, "its arguments are wrong"},                                    \
        {function, -2, TAC_E_NAME, "there is no such parameter"},                                  \
        {function, -3, TAC_E_TYPE, "the parameter has another type"},                              \
    {                                                                                              \
        function, -4, TAC_E_COMPONENT, "the parameter could not be accessed"                       \
    }

#define PUBLISHER(function)                                                                        \
    {function, -1, TAC_E_COMPONENT, "its arguments are wrong"},                                    \
        {function, -2, TAC_E_ABI, "there is no such topic"},                                       \
        {function, -5, TAC_E_COMPONENT, "the priority must be 0"},                                 \
    {                                                                                              \
        function, -6, TAC_E_COMPONENT, "the queue size must be 0"                                  \
    }

#define ENDPOINT(function, kind)                                                                   \
    {function, -1, TAC_E_COMPONENT, "its arguments are wrong"},                                    \
        {function, -2, TAC_E_COMPONENT, "there is no such " kind},                                 \
        {function, -3, TAC_E_COMPONENT, "the " kind " is closed"},                                 \
    {                                                                                              \
        function, -4, TAC_E_ABI, "the message has another size"                                    \
    }

const tac__px4_code tac__px4_codes[] = {
    PARAM("param_set_i32"),
    PARAM("param_set_f32"),
    PARAM("param_get_i32"),
    PARAM("param_get_f32"),
    PARAM("param_preinit_set_i32"),
    PARAM("param_preinit_set_f32"),
    PARAM("param_notify"),
    {"control_alloc_update_params", -1, TAC_E_COMPONENT, "its arguments are wrong"},
    {"control_alloc_update_params", -2, TAC_E_CONFIG, "the control allocator is off"},
    {"step_uorb", -1, TAC_E_COMPONENT,
     "there is no handle, or a queued message has another size than its topic"},
    {"step_uorb", -2, TAC_E_COMPONENT, "a topic could not be advertised"},
    {"step_uorb", -3, TAC_E_COMPONENT, "a message could not be published"},
    {"step_uorb", -4, TAC_E_COMPONENT, "a topic was given another instance than was asked for"},
    {"load_mission_qgc_wpl", -1, TAC_E_COMPONENT, "its arguments are wrong"},
    {"load_mission_qgc_wpl", -2, TAC_E_FILE, "the file cannot be opened"},
    {"load_mission_qgc_wpl", -3, TAC_E_FORMAT, "the file is empty"},
    {"load_mission_qgc_wpl", -4, TAC_E_FORMAT, "there are no items in it"},
    {"load_mission_qgc_wpl", -5, TAC_E_COMPONENT, "PX4 could not store its items"},
    {"load_mission_qgc_wpl", -6, TAC_E_COMPONENT, "PX4 could not store the state of the mission"},
    PUBLISHER("orb_create_publisher"),
    PUBLISHER("orb_create_publisher_ex"),
    {"orb_create_subscriber", -1, TAC_E_COMPONENT, "its arguments are wrong"},
    {"orb_create_subscriber", -2, TAC_E_ABI, "there is no such topic"},
    ENDPOINT("orb_queue_publish", "publisher"),
    ENDPOINT("orb_publisher_instance", "publisher"),
    ENDPOINT("orb_check", "subscriber"),
    ENDPOINT("orb_copy", "subscriber"),
    ENDPOINT("orb_unsubscribe", "subscriber"),
    {"orb_topic_metadata", -1, TAC_E_COMPONENT, "its arguments are wrong"},
    {"orb_topic_metadata", -2, TAC_E_ABI, "there is no such topic"},
    {"orb_topic_metadata", -3, TAC_E_ABI, "the topic has no text that describes its fields"},
    {0},
};

tac__px4_code tac__px4_code_of(const char *function, int code)
{
    for (const tac__px4_code *c = tac__px4_codes; c->function; c++) {
        if (c->code == code && !strcmp(c->function, function))
            return *c;
    }
    return (tac__px4_code){function, code, TAC_E_COMPONENT, "a code that is not known"};
}
