// misbehave.c - see misbehave.h.
#define _XOPEN_SOURCE 700
#include "misbehave.h"

#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RULES = 16, NAME = 48 };

typedef struct rule {
    char function[NAME];
    bool hang;
    int code;
    long nth, calls; // nth 0: each
} rule;

static orders given;
static rule rules[RULES];
static int rule_count;
static bool ready;

_Noreturn void hang(void)
{
    for (;;)
        pause();
}

static _Noreturn void refuse(const char *variable, const char *text)
{
    fprintf(stderr, "px4_standin: cannot understand PX4_STANDIN_%s=%s\n", variable, text);
    abort();
}

static const char *order(const char *variable)
{
    char name[NAME];
    snprintf(name, sizeof name, "PX4_STANDIN_%s", variable);
    return getenv(name);
}

static uint64_t whole(const char *variable, const char *text, char stop, const char **end)
{
    char *after;
    const uint64_t value = strtoull(text, &after, 10);
    if (after == text || *after != stop)
        refuse(variable, text);
    if (end)
        *end = after + 1;
    return value;
}

// --- lists of topics ----------------------------------------------------------------------------

static bool listed(const char *variable, const char *topic)
{
    const char *list = order(variable);
    const size_t length = strlen(topic);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        if (strcspn(at, ",") == length && strncmp(at, topic, length) == 0)
            return true;
    }
    return false;
}

bool orders_hash(const char *topic)
{
    return listed("HASH", topic);
}

bool orders_size(const char *topic)
{
    return listed("SIZE", topic);
}

static void check_topics(const char *variable)
{
    static const char *const names[] = {
#define NAME_OF(topic, last, hash) #topic,
        TOPICS(NAME_OF)
#undef NAME_OF
    };
    const char *list = order(variable);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        bool known = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            known |= strcspn(at, ",") == strlen(names[i]) &&
                     strncmp(at, names[i], strlen(names[i])) == 0;
        if (!known)
            refuse(variable, list);
    }
}

// --- rules for functions ------------------------------------------------------------------------

static bool is_function(const char *name)
{
    static const char *const names[] = {"abi_version",
                                        "sizes",
                                        "create",
                                        "destroy",
                                        "step_uorb",
                                        "load_mission_qgc_wpl",
                                        "param_set_i32",
                                        "param_set_f32",
                                        "param_get_i32",
                                        "param_get_f32",
                                        "param_notify",
                                        "param_preinit_set_i32",
                                        "orb_topic_metadata",
                                        "param_preinit_set_f32",
                                        "orb_queue_publish",
                                        "control_alloc_update_params",
                                        "orb_check",
                                        "orb_create_publisher",
                                        "orb_copy",
                                        "orb_create_publisher_ex",
                                        "orb_unsubscribe",
                                        "orb_create_subscriber",
                                        "orb_publisher_instance"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

// FUNCTION:CODE[:NTH] of FAIL, FUNCTION[:NTH] of HANG.
static void read_rule(const char *variable, bool hangs, const char *text, size_t length)
{
    char copy[2 * NAME];
    if (length >= sizeof copy || rule_count == RULES)
        refuse(variable, text);
    memcpy(copy, text, length);
    copy[length] = 0;
    rule *r = &rules[rule_count++];
    *r = (rule){.hang = hangs};
    int used = 0;
    bool good;
    if (hangs) {
        const int got = sscanf(copy, "%47[a-z0-9_]%n:%ld%n", r->function, &used, &r->nth, &used);
        good = got == 1 || (got == 2 && r->nth > 0);
    } else {
        const int got =
            sscanf(copy, "%47[a-z0-9_]:%d%n:%ld%n", r->function, &r->code, &used, &r->nth, &used);
        good = r->code != 0 && (got == 2 || (got == 3 && r->nth > 0));
    }
    if (!good || copy[used] != 0 || !is_function(r->function))
        refuse(variable, text);
}

static void read_rules(const char *variable, bool hangs)
{
    const char *list = order(variable);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        read_rule(variable, hangs, at, strcspn(at, ","));
}

// --- reading and obeying ------------------------------------------------------------------------

static void read_orders(void)
{
    ready = true;
    given = (orders){.abi = 3, .sizes = {0, 0, 36}, .controller = true};
    const char *text;
    if ((text = order("ABI")))
        given.abi = (uint32_t)whole("ABI", text, 0, NULL);
    if ((text = order("SIZES"))) {
        given.sizes[0] = (uint32_t)whole("SIZES", text, ',', &text);
        given.sizes[1] = (uint32_t)whole("SIZES", text, ',', &text);
        given.sizes[2] = (uint32_t)whole("SIZES", text, 0, NULL);
    }
    if ((text = order("CONTROLLER"))) {
        if (strcmp(text, "off") != 0 && strcmp(text, "on") != 0)
            refuse("CONTROLLER", text);
        given.controller = strcmp(text, "on") == 0;
    }
    if ((text = order("VALID_AFTER_US")))
        given.valid_after_us = whole("VALID_AFTER_US", text, 0, NULL);
    check_topics("HASH");
    check_topics("SIZE");
    read_rules("FAIL", false);
    read_rules("HANG", true);
}

const orders *orders_get(void)
{
    if (!ready)
        read_orders();
    return &given;
}

int orders_enter(const char *function)
{
    orders_get();
    int code = 0;
    for (rule *r = rules; r < rules + rule_count; r++) {
        if (strcmp(r->function, function) != 0)
            continue;
        r->calls++;
        if (r->nth != 0 && r->nth != r->calls)
            continue;
        if (r->hang)
            hang();
        code = r->code;
    }
    return code;
}
