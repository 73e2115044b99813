// Applications of LCM as clients: what handlers hear, when, and how often; channels that cannot be.
// Each client is a thread of this process, the server is the test itself.
#include "support/folder.h"
#include "support/formats.h"
#include "support/test.h"

#include "federation/lcm_library.h"

#include <tactus/lcm.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_declaring(void **state)
{
    (void)state;
    tac_error err;
    tac_client *client;
    tac_client_def def = tac_client_def_default();
    def.name = "a";
    def.address = "127.0.0.1:1";
    assert_int_equal(tac_client_create(&def, &client, &err), TAC_OK);
    tac_lcm_def lcm_def = tac_lcm_def_default();
    const char *name = "a_name_of_64_characters_________________________________________";
    const char *const channels[] = {name};
    struct _lcm_t *lcm;
    bool over;
    assert_int_equal(strlen(name), 64);
    assert_int_equal(tac_client_lcm_poll(client, 0, 0, &over, &err), TAC_E_CALLER);
    assert_string_equal(err.text, "the client has no LCM");
    lcm_def.publishes_only = true;
    lcm_def.subscribe = channels;
    lcm_def.subscribe_count = 1;
    assert_int_equal(tac_client_add_lcm(client, &lcm_def, &lcm, &err), TAC_E_CALLER);
    test_has(err.text, "an application that only publishes subscribes to nothing, but 'a_name_of");
    lcm_def = tac_lcm_def_default();
    lcm_def.publish = channels;
    lcm_def.publish_count = 1;
#ifdef TACTUS_HAVE_LCM
    assert_int_equal(tac_client_add_lcm(client, &lcm_def, &lcm, &err), TAC_E_LIMIT);
    test_has(err.text, "64 characters; LCM allows 63");
    assert_null(lcm);
    assert_int_equal(tac_client_add_lcm(client, &lcm_def, &lcm, &err), TAC_E_CALLER);
    assert_string_equal(err.text, "the client has LCM already");
#else
    assert_int_equal(tac_client_add_lcm(client, &lcm_def, &lcm, &err), TAC_E_FILE);
    test_has(err.text, "liblcm");
#endif
    tac_client_destroy(client);
}

#ifdef TACTUS_HAVE_LCM

enum { STEP_US = 10000, END_US = 100000, DELAY_US = 3700 };

typedef struct application {
    const char *name;
    char address[160];
    const char *publish[2], *subscribe[2];
    size_t publish_count, subscribe_count;
    bool silent;          // hears nobody
    bool speaks, answers; // publishes NEWS at each step; publishes ANSWER to each NEWS
    const char *stray;    // channel on which it publishes at 30 ms
    const tac__lcm_library *lcm_library;
    lcm_t *lcm;
    char heard[8192];
    tac_status status;
    tac_error err;
    pthread_t thread;
} application;

static void on_any(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    application *a = context;
    const size_t used = strlen(a->heard);
    snprintf(a->heard + used, sizeof a->heard - used, "%" PRId64 " %s %.*s\n", buffer->recv_utime,
             channel, (int)buffer->data_size, (const char *)buffer->data);
    if (a->answers && !strcmp(channel, "NEWS"))
        a->lcm_library->publish(a->lcm, "ANSWER", buffer->data, buffer->data_size);
}

static tac_status fly(application *a, tac_client *client)
{
    bool over = false;
    for (tac_time t_us = 0; !over; t_us += STEP_US) {
        TAC_TRY(
            tac_client_lcm_poll(client, t_us, a->speaks ? t_us : TAC_TIME_NEVER, &over, &a->err));
        char text[32];
        const int n = snprintf(text, sizeof text, "%d", (int)t_us);
        if (a->speaks && !over)
            a->lcm_library->publish(a->lcm, "NEWS", text, (unsigned)n);
        if (a->stray && t_us == 30000)
            a->lcm_library->publish(a->lcm, a->stray, "x", 1);
    }
    return tac_client_finish(client, &a->err);
}

static tac_status run(application *a, tac_client *client)
{
    tac_lcm_def def = tac_lcm_def_default();
    def.publish = a->publish;
    def.publish_count = a->publish_count;
    def.subscribe = a->subscribe;
    def.subscribe_count = a->subscribe_count;
    def.publishes_only = a->silent;
    TAC_TRY(tac_client_add_lcm(client, &def, &a->lcm, &a->err));
    a->lcm_library->subscribe(a->lcm, ".*", on_any, a);
    TAC_TRY(tac_client_join(client, &a->err));
    return fly(a, client);
}

static void *live(void *context)
{
    application *a = context;
    tac_client *client = NULL;
    tac_client_def def = tac_client_def_default();
    def.name = a->name;
    def.address = a->address;
    a->status = tac_client_create(&def, &client, &a->err);
    if (a->status == TAC_OK)
        a->status = run(a, client);
    if (a->status != TAC_OK)
        tac_client_abort(client, a->err.text);
    tac_client_destroy(client);
    return NULL;
}

// A server for applications, which run as threads to the end of the federation.
static char logged[4096]; // what the server says

static void keep_log(void *context, const char *text)
{
    (void)context;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static tac_status federate(application *all, size_t count, tac_error *err)
{
    logged[0] = '\0';
    const char *names[4];
    tac_server *server;
    tac_server_def def = tac_server_def_default();
    char address[160];
    snprintf(address, sizeof address, "unix://%s", path_of("s"));
    def.address = address;
    def.names = names;
    def.count = count;
    def.end_us = END_US;
    def.delay_us = DELAY_US;
    def.log = keep_log;
    for (size_t i = 0; i < count; i++) {
        names[i] = all[i].name;
        snprintf(all[i].address, sizeof all[i].address, "%s", address);
        assert_int_equal(tac__lcm_library_load(&all[i].lcm_library, err), TAC_OK);
    }
    assert_int_equal(tac_server_create(&def, &server, err), TAC_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&all[i].thread, NULL, live, &all[i]), 0);
    const tac_status status = tac_server_finish(server, err);
    for (size_t i = 0; i < count; i++)
        pthread_join(all[i].thread, NULL);
    tac_server_destroy(server);
    return status;
}

// What arrives at `t_us` is heard by a client that polls every STEP_US if it polls then or later.
static void test_times(void **state)
{
    (void)state;
    tac_error err;
    application all[3] = {
        {.name = "a", .publish = {"NEWS"}, .publish_count = 1, .speaks = true},
        {.name = "b", .publish = {"ANSWER"}, .publish_count = 1, .answers = true},
        {.name = "c", .subscribe = {"N*", "*"}, .subscribe_count = 2},
    };
    assert_int_equal(federate(all, 3, &err), TAC_OK);
    char a[4096] = "", b[4096] = "", c[4096] = "";
#define ADD(text, t_us, channel, sent)                                                             \
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d %s %d\n", (int)(t_us), channel,  \
             (int)(sent))
    // News of t reach b at t + DELAY_US; b hears them when it polls next, and answers then: so the
    // answer to the news of t is sent at t + STEP_US.
    for (int t = 0; t <= END_US; t += STEP_US) {
        const int arrival = t + DELAY_US;
        ADD(a, t, "NEWS", t); // its own
        if (arrival > END_US)
            continue;
        if (t > 0)
            ADD(a, arrival, "ANSWER", t - STEP_US);
        ADD(b, arrival, "NEWS", t);
        ADD(b, arrival, "ANSWER", t); // its own
        ADD(c, arrival, "NEWS", t);   // once, although both patterns match
        if (t > 0)
            ADD(c, arrival, "ANSWER", t - STEP_US);
    }
    assert_string_equal(all[1].heard, b);
    assert_string_equal(all[2].heard, c);
    assert_string_equal(all[0].heard, a);
}

// By default an application hears everything, and the server says so where nobody else publishes.
// One that only publishes has said that it does.
static void test_publishes_only(void **state)
{
    (void)state;
    tac_error err;
    for (int silent = 0; silent < 2; silent++) {
        application all[2] = {
            {.name = "a",
             .publish = {"NEWS"},
             .publish_count = 1,
             .speaks = true,
             .silent = silent},
            {.name = "b"},
        };
        char a[4096] = "";
        if (federate(all, 2, &err) != TAC_OK)
            fail_msg("%s", err.text);
        if (silent)
            assert_string_equal(logged, "");
        else
            test_has(logged, "'a' subscribes to '*', which no other client publishes");
        for (int t = 0; t <= END_US; t += STEP_US)
            ADD(a, t, "NEWS", t); // its own
        assert_string_equal(all[0].heard, a);
        test_has(all[1].heard, "NEWS 90000");
    }
    // It hears nobody, even where somebody publishes.
    application two[2] = {
        {.name = "a", .publish = {"NEWS"}, .publish_count = 1, .speaks = true, .silent = true},
        {.name = "b", .publish = {"ANSWER"}, .publish_count = 1, .answers = true},
    };
    assert_int_equal(federate(two, 2, &err), TAC_OK);
    test_has_not(two[0].heard, "ANSWER");
}

static void test_two_instances(void **state)
{
    (void)state;
    tac_error err;
    application all[3] = {
        {.name = "a", .publish = {"NEWS"}, .publish_count = 1, .speaks = true},
        {.name = "b", .publish = {"NEWS"}, .publish_count = 1, .speaks = true},
        {.name = "c"},
    };
    assert_int_equal(federate(all, 3, &err), TAC_OK);
    char c[4096] = "";
    for (int t = 0; t + DELAY_US <= END_US; t += STEP_US) {
        ADD(c, t + DELAY_US, "NEWS", t);
        ADD(c, t + DELAY_US, "NEWS", t);
    }
    assert_string_equal(all[2].heard, c);
}

static void test_undeclared(void **state)
{
    (void)state;
    tac_error err;
    application all[2] = {
        {.name = "a", .publish = {"NEWS"}, .publish_count = 1, .speaks = true, .stray = "NEVS"},
        {.name = "b"},
    };
    assert_int_equal(federate(all, 2, &err), TAC_E_FEDERATION);
    assert_int_equal(all[0].status, TAC_E_NAME);
    test_has(all[0].err.text, "published on 'NEVS'");
    test_has(all[0].err.text, "did you mean 'NEWS'?");
    test_has(all[1].err.text, "'a' at 30 ms");
}

static void *live_without(void *context)
{
    application *a = context;
    tac_client *client;
    tac_client_def def = tac_client_def_default();
    tac_channel_def channel = tac_channel_def_default();
    uint32_t number;
    bool over = false;
    def.name = a->name;
    def.address = a->address;
    channel.channel = a->publish[0];
    if (tac_client_create(&def, &client, &a->err) != TAC_OK)
        return NULL;
    a->status = tac_client_publish(client, &channel, &number, &a->err);
    if (a->status == TAC_OK)
        a->status = tac_client_join(client, &a->err);
    for (tac_time t_us = 0; a->status == TAC_OK && !over; t_us += STEP_US)
        a->status = tac_client_poll(client, t_us, t_us, &over, &a->err);
    tac_client_destroy(client);
    return NULL;
}

// Another client, which has nothing to do with LCM, has a channel that LCM cannot carry.
static void test_long_name(void **state)
{
    (void)state;
    tac_error err;
    application all[2] = {
        {.name = "a",
         .publish = {"leader.a_port_of_an_engine_with_a_name_that_is_too_long_for_LCM.tx"}},
        {.name = "b"},
    };
    const char *names[] = {"a", "b"};
    tac_server *server;
    tac_server_def def = tac_server_def_default();
    char address[160];
    snprintf(address, sizeof address, "unix://%s", path_of("s"));
    def.address = address;
    def.names = names;
    def.count = 2;
    def.end_us = END_US;
    def.delay_us = DELAY_US;
    assert_int_equal(tac_server_create(&def, &server, &err), TAC_OK);
    for (size_t i = 0; i < 2; i++) {
        snprintf(all[i].address, sizeof all[i].address, "%s", address);
        assert_int_equal(tac__lcm_library_load(&all[i].lcm_library, &err), TAC_OK);
        assert_int_equal(pthread_create(&all[i].thread, NULL, i ? live : live_without, &all[i]), 0);
    }
    assert_int_equal(tac_server_finish(server, &err), TAC_E_FEDERATION);
    for (size_t i = 0; i < 2; i++)
        pthread_join(all[i].thread, NULL);
    tac_server_destroy(server);
    assert_int_equal(all[1].status, TAC_E_LIMIT);
    test_has(all[1].err.text, "of 'a', a name of 66 characters; LCM allows 63");
}

TEST_MAIN(cmocka_unit_test(test_declaring), cmocka_unit_test(test_times),
          cmocka_unit_test(test_publishes_only), cmocka_unit_test(test_two_instances),
          cmocka_unit_test(test_undeclared), cmocka_unit_test(test_long_name))

#else

TEST_MAIN(cmocka_unit_test(test_declaring))

#endif
