// The tunnel for applications of LCM, with the real liblcm: nothing that was injected is sent
// again, order is kept, times of reception are simulated times, several instances publish on one
// channel.
#include "support/formats.h"
#include "support/test.h"

#include "federation/lcm_tunnel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TACTUS_HAVE_LCM

static void test_without(void **state)
{
    (void)state;
    tac__lcm_tunnel *tunnel;
    tac_error err;
    assert_int_equal(tac__lcm_tunnel_create(NULL, NULL, &tunnel, &err), TAC_E_FILE);
    test_has(err.text, "liblcm");
}

TEST_MAIN(cmocka_unit_test(test_without))

#else

#include <lcm/lcm.h>
#include <pthread.h>

// One application: a log of all that it is told and all that it sends, as lines.
typedef struct application {
    const char *name;
    tac__lcm_tunnel *tunnel;
    lcm_t *lcm;
    char sent[8192], heard[8192];
    uint64_t sent_count, heard_count;
    tac_status refuse; // of the next send
    tac_error err;
} application;

static void add_line(char *log, size_t size, int64_t t_us, const char *channel, const void *bytes,
                     size_t count)
{
    const size_t used = strlen(log);
    snprintf(log + used, size - used, "%" PRId64 " %s %.*s\n", t_us, channel, (int)count,
             (const char *)bytes);
}

static tac_status send_on(void *context, tac_time t_us, const char *channel, const void *bytes,
                          size_t size, tac_error *err)
{
    application *a = context;
    if (a->refuse != TAC_OK)
        return tac__fail(err, a->refuse, "refused at %d", (int)t_us);
    a->sent_count++;
    add_line(a->sent, sizeof a->sent, (int64_t)t_us, channel, bytes, size);
    return TAC_OK;
}

static void hear(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    application *a = context;
    assert_ptr_equal(buffer->lcm, a->lcm);
    a->heard_count++;
    add_line(a->heard, sizeof a->heard, buffer->recv_utime, channel, buffer->data,
             buffer->data_size);
}

static application *start(const char *name)
{
    application *a = calloc(1, sizeof *a);
    assert_non_null(a);
    a->name = name;
    assert_int_equal(tac__lcm_tunnel_create(send_on, a, &a->tunnel, &a->err), TAC_OK);
    a->lcm = tac__lcm_tunnel_lcm(a->tunnel);
    assert_non_null(a->lcm);
    return a;
}

static void stop(application *a)
{
    tac__lcm_tunnel_destroy(a->tunnel);
    free(a);
}

static void publish(application *a, const char *channel, const char *text)
{
    assert_int_equal(lcm_publish(a->lcm, channel, text, (unsigned)strlen(text)), 0);
}

static void pump(application *a, tac_time t_us)
{
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, t_us, &a->err), TAC_OK);
}

static void inject(application *a, tac_time t_us, const char *channel, const char *text)
{
    assert_int_equal(tac__lcm_tunnel_inject(a->tunnel, t_us, channel, text, strlen(text), &a->err),
                     TAC_OK);
}

// --- in and out ---------------------------------------------------------------------------------

static void test_in_and_out(void **state)
{
    (void)state;
    application *a = start("a");
    assert_non_null(lcm_subscribe(a->lcm, "POSE", hear, a));
    publish(a, "POSE", "one");
    publish(a, "OTHER", "two"); // nobody here has subscribed to it
    assert_string_equal(a->sent, "");
    pump(a, 0);
    pump(a, 0); // nothing is left
    inject(a, 500, "POSE", "from outside");
    inject(a, 500, "OTHER", "unheard");
    inject(a, 700, "POSE", "");
    publish(a, "POSE", "three"); // at 700, where the application stands
    inject(a, 900, "POSE", "four");
    publish(a, "POSE", "five");
    pump(a, 1000);
    assert_string_equal(a->sent, "0 POSE one\n0 OTHER two\n700 POSE three\n1000 POSE five\n");
    assert_string_equal(a->heard, "0 POSE one\n500 POSE from outside\n700 POSE \n700 POSE three\n"
                                  "900 POSE four\n1000 POSE five\n");
    stop(a);
    tac__lcm_tunnel_destroy(NULL);
}

// More than the 30 messages that a subscription of LCM holds: all are sent, in order.
static void test_many(void **state)
{
    (void)state;
    application *a = start("a");
    lcm_subscription_t *few = lcm_subscribe(a->lcm, "N.*", hear, a);
    lcm_subscription_set_queue_capacity(few, 1);
    char expected[8192] = "", text[32];
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "%d", i);
        publish(a, "N", text);
        snprintf(expected + strlen(expected), 32, "7 N %d\n", i);
    }
    pump(a, 7);
    assert_string_equal(a->sent, expected);
    assert_string_equal(a->heard, expected);
    stop(a);
}

// --- publishing inside handlers -----------------------------------------------------------------

static void answer(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    application *a = context;
    hear(buffer, channel, context);
    char text[64];
    snprintf(text, sizeof text, "to %.*s", (int)buffer->data_size, (const char *)buffer->data);
    publish(a, "ANSWER", text);
    publish(a, "LOG", text);
}

static void count_answer(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    application *a = context;
    hear(buffer, channel, context);
    publish(a, "COUNT", "x"); // a handler of what a handler published
}

static void test_handlers_publish(void **state)
{
    (void)state;
    application *a = start("a");
    lcm_subscribe(a->lcm, "ASK", answer, a);
    lcm_subscribe(a->lcm, "ANSWER", count_answer, a);
    inject(a, 10, "ASK", "1");
    inject(a, 10, "ASK", "2");
    inject(a, 20, "ANSWER", "of another");
    // What an injected message led to is sent at once, before the next one arrives.
    assert_string_equal(a->sent, "10 ANSWER to 1\n10 LOG to 1\n10 COUNT x\n"
                                 "10 ANSWER to 2\n10 LOG to 2\n10 COUNT x\n"
                                 "20 COUNT x\n");
    assert_string_equal(a->heard, "10 ASK 1\n10 ANSWER to 1\n10 ASK 2\n10 ANSWER to 2\n"
                                  "20 ANSWER of another\n");
    stop(a);
}

// The same message comes in that the application sends: one is sent, the other not.
static void test_alike(void **state)
{
    (void)state;
    application *a = start("a");
    lcm_subscribe(a->lcm, "POSE", hear, a);
    for (int i = 0; i < 3; i++) {
        publish(a, "POSE", "same");
        inject(a, (tac_time)(10 * i + 10), "POSE", "same");
    }
    assert_string_equal(a->sent, "0 POSE same\n10 POSE same\n20 POSE same\n");
    assert_int_equal(a->heard_count, 6);
    stop(a);
}

// --- several instances --------------------------------------------------------------------------

enum { INSTANCES = 5 };

// Every instance publishes on the same channel and hears the others, as if by a network with a
// delay; each answers each message of another once.
static void test_instances(void **state)
{
    (void)state;
    application *all[INSTANCES];
    static const char *const names[INSTANCES] = {"p", "q", "r", "s", "t"};
    for (int i = 0; i < INSTANCES; i++) {
        all[i] = start(names[i]);
        lcm_subscribe(all[i]->lcm, "POSE", hear, all[i]);
    }
    char expected[8192] = "";
    for (int round = 0; round < 20; round++) {
        const tac_time t_us = 100 * (tac_time)round;
        for (int i = 0; i < INSTANCES; i++) {
            publish(all[i], "POSE", names[i]);
            pump(all[i], t_us);
            char line[64];
            snprintf(line, sizeof line, "%" PRIu64 " POSE %s\n", t_us, names[i]);
            test_has(all[i]->sent, line);
        }
        for (int i = 0; i < INSTANCES; i++)
            for (int from = 0; from < INSTANCES; from++)
                if (from != i)
                    inject(all[i], t_us + 50, "POSE", names[from]);
        snprintf(expected + strlen(expected), 64, "%" PRIu64 " POSE p\n", t_us);
        for (int from = 1; from < INSTANCES; from++)
            snprintf(expected + strlen(expected), 64, "%" PRIu64 " POSE %s\n", t_us + 50,
                     names[from]);
    }
    for (int i = 0; i < INSTANCES; i++) {
        assert_int_equal(all[i]->sent_count, 20); // nothing was echoed
        assert_int_equal(all[i]->heard_count, 20 * INSTANCES);
    }
    assert_string_equal(all[0]->heard, expected);
    for (int i = 0; i < INSTANCES; i++)
        stop(all[i]);
}

// --- failures -----------------------------------------------------------------------------------

static void test_channels(void **state)
{
    (void)state;
    application *a = start("a");
    char name[65];
    memset(name, 'c', 64);
    name[64] = '\0';
    assert_int_equal(tac__lcm_tunnel_inject(a->tunnel, 1, name, "x", 1, &a->err), TAC_E_LIMIT);
    test_has(a->err.text, "64 characters; LCM allows 63");
    inject(a, 1, name + 1, "x");
    publish(a, name + 1, "y");
    pump(a, 1);
    assert_int_equal(a->sent_count, 1);
    publish(a, name, "z");
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, 2, &a->err), TAC_E_LIMIT);
    test_has(a->err.text, name);
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, 3, &a->err), TAC_E_LIMIT); // for good
    assert_int_equal(a->sent_count, 1);
    stop(a);
}

static void test_refused(void **state)
{
    (void)state;
    application *a = start("a");
    publish(a, "A", "1");
    publish(a, "A", "2");
    a->refuse = TAC_E_PROMISE;
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, 5, &a->err), TAC_E_PROMISE);
    assert_string_equal(a->err.text, "refused at 5");
    a->refuse = TAC_OK;
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, 6, &a->err), TAC_E_PROMISE);
    assert_int_equal(tac__lcm_tunnel_inject(a->tunnel, 6, "A", "x", 1, &a->err), TAC_E_PROMISE);
    assert_int_equal(a->sent_count, 0);
    stop(a);
}

static void test_time_goes_on(void **state)
{
    (void)state;
    application *a = start("a");
    pump(a, 100);
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, 99, &a->err), TAC_E_CALLER);
    test_has(a->err.text, "time goes back from 100 us to 99 us");
    assert_int_equal(tac__lcm_tunnel_inject(a->tunnel, 99, "A", "x", 1, &a->err), TAC_E_CALLER);
    publish(a, "A", "x");
    pump(a, 100); // a mistake of the caller does not end the tunnel
    assert_int_equal(a->sent_count, 1);
    stop(a);
}

static void again(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    (void)buffer;
    publish(context, channel, "again");
}

static tac_status only_count(void *context, tac_time t_us, const char *channel, const void *bytes,
                             size_t size, tac_error *err)
{
    (void)t_us, (void)channel, (void)bytes, (void)size, (void)err;
    ++*(uint64_t *)context;
    return TAC_OK;
}

// An application that hears itself and answers never comes to an end.
static void test_endless(void **state)
{
    (void)state;
    uint64_t count = 0;
    application a = {.name = "a"};
    assert_int_equal(tac__lcm_tunnel_create(only_count, &count, &a.tunnel, &a.err), TAC_OK);
    a.lcm = tac__lcm_tunnel_lcm(a.tunnel);
    lcm_subscribe(a.lcm, "ECHO", again, &a);
    publish(&a, "ECHO", "first");
    assert_int_equal(tac__lcm_tunnel_pump(a.tunnel, 250000, &a.err), TAC_E_LIMIT);
    test_has(a.err.text, "more than 100000 messages at 250 ms, the last on 'ECHO'");
    assert_int_equal(count, TAC__LCM_INSTANT_MAX);
    tac__lcm_tunnel_destroy(a.tunnel);
}

static void wait_inside(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    (void)buffer, (void)channel;
    application *a = context;
    tac_error err;
    assert_int_equal(tac__lcm_tunnel_pump(a->tunnel, 10, &err), TAC_E_CALLER);
    assert_int_equal(tac__lcm_tunnel_inject(a->tunnel, 10, "A", "x", 1, &err), TAC_E_CALLER);
    test_has(err.text, "a handler of LCM may not wait");
    a->heard_count++;
}

static void test_not_inside(void **state)
{
    (void)state;
    application *a = start("a");
    lcm_subscribe(a->lcm, "A", wait_inside, a);
    inject(a, 10, "A", "x");
    publish(a, "A", "y");
    pump(a, 10);
    assert_int_equal(a->heard_count, 2);
    stop(a);
}

// An application that calls lcm_handle itself: what it published is sent then, as of the time at
// which it stands.
static void test_handled_by_application(void **state)
{
    (void)state;
    application *a = start("a");
    lcm_subscribe(a->lcm, "A", hear, a);
    pump(a, 40);
    publish(a, "A", "x");
    assert_int_equal(lcm_handle(a->lcm), 0);
    assert_string_equal(a->sent, "40 A x\n");
    assert_string_equal(a->heard, "40 A x\n");
    inject(a, 50, "A", "y");
    assert_int_equal(a->sent_count, 1);
    stop(a);
}

// A subscription that begins or ends later changes nothing for the tunnel.
static void test_subscriptions_change(void **state)
{
    (void)state;
    application *a = start("a");
    inject(a, 1, "A", "nobody");
    lcm_subscription_t *first = lcm_subscribe(a->lcm, "A", hear, a);
    inject(a, 2, "A", "first");
    lcm_unsubscribe(a->lcm, first);
    inject(a, 3, "A", "nobody");
    publish(a, "A", "own");
    pump(a, 4);
    lcm_subscribe(a->lcm, "A", hear, a);
    inject(a, 5, "A", "second");
    assert_string_equal(a->heard, "2 A first\n5 A second\n");
    assert_string_equal(a->sent, "4 A own\n");
    stop(a);
}

static void *publish_elsewhere(void *context)
{
    publish(context, "THREAD", "x");
    return NULL;
}

static void start_thread(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    (void)buffer, (void)channel;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, publish_elsewhere, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

// What another thread published in time is sent like anything else.
static void test_threads(void **state)
{
    (void)state;
    application *a = start("a");
    lcm_subscribe(a->lcm, "A", start_thread, a);
    inject(a, 1, "A", "x");
    assert_string_equal(a->sent, "1 THREAD x\n");
    stop(a);
}

TEST_MAIN(cmocka_unit_test(test_in_and_out), cmocka_unit_test(test_many),
          cmocka_unit_test(test_handlers_publish), cmocka_unit_test(test_alike),
          cmocka_unit_test(test_instances), cmocka_unit_test(test_channels),
          cmocka_unit_test(test_refused), cmocka_unit_test(test_time_goes_on),
          cmocka_unit_test(test_endless), cmocka_unit_test(test_not_inside),
          cmocka_unit_test(test_handled_by_application),
          cmocka_unit_test(test_subscriptions_change), cmocka_unit_test(test_threads))

#endif
