// Calls that do not return are told of, and only those.
#include "autopilot/px4/watchdog.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { LIMIT_US = 100000 };

static atomic_int told, telling;
static char component[32], call[32];
static double seconds, told_s;
static bool right_context;
static int tell_ms;

static void nap(int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Wait until `count` calls were reported, 20 s at most because the machine may be busy; then
// long enough for one report too many.
static void await(int count)
{
    for (int ms = 0; told < count && ms < 20000; ms++)
        nap(1);
    nap(200);
}

static void tell(void *context, const tac_hang *hang)
{
    right_context = context == &told;
    strncpy(component, hang->component, sizeof component - 1);
    strncpy(call, hang->call, sizeof call - 1);
    seconds = hang->seconds;
    told_s = now_s();
    telling = 1;
    nap(tell_ms);
    telling = 0;
    told++;
}

// The reported time counts checks of 1/16 of the limit: it has passed, and a busy machine does not
// make it longer.
static void assert_seconds(double begun_s)
{
    assert_true(seconds <= told_s - begun_s);
    assert_true(seconds >= 1e-6 * LIMIT_US && seconds < 1.1e-6 * LIMIT_US);
}

static void start(tac__watch *w, const char *name, tac_time limit_us)
{
    const tac__hang_hook hook = {tell, &told, name};
    assert_int_equal(tac__watch_start(w, &hook, limit_us, NULL), TAC_OK);
}

static void reset(int ms)
{
    told = 0;
    tell_ms = ms;
    component[0] = call[0] = '\0';
}

static void test_hang(void **state)
{
    (void)state;
    tac__watch w;
    reset(0);
    start(&w, "uav.control", LIMIT_US);
    tac__watch_begin(&w);
    tac__watch_call(&w, "first");
    const double begun_s = now_s();
    tac__watch_call(&w, "second");
    await(1);
    tac__watch_end(&w);
    assert_int_equal(told, 1); // once for a call, however long it takes
    assert_true(right_context);
    assert_string_equal(component, "uav.control");
    assert_string_equal(call, "second");
    assert_seconds(begun_s);
    tac__watch_begin(&w); // the next one counts again
    tac__watch_call(&w, "third");
    await(2);
    tac__watch_end(&w);
    assert_int_equal(told, 2);
    assert_string_equal(call, "third");
    tac__watch_stop(&w);
}

static void test_no_hang(void **state)
{
    (void)state;
    tac__watch w, off, nobody;
    reset(0);
    start(&w, "busy", LIMIT_US);
    start(&off, "off", 0);
    const tac__hang_hook none = {0};
    assert_int_equal(tac__watch_start(&nobody, &none, LIMIT_US, NULL), TAC_OK);
    tac__watch_begin(&off);
    tac__watch_begin(&nobody);
    // On a busy machine a call may take too long after all: then all of them are made again.
    double longest_s = 1;
    for (int tries = 0; tries < 20 && longest_s > 0.5e-6 * LIMIT_US; tries++) {
        told = 0;
        longest_s = 0;
        tac__watch_begin(&w);
        for (int i = 0; i < 25; i++) { // long in all, each one short
            const double begun_s = now_s();
            tac__watch_call(&w, "short");
            nap(20);
            longest_s = fmax(longest_s, now_s() - begun_s);
        }
        tac__watch_end(&w);
    }
    nap(300); // and nothing is called
    tac__watch_end(&off);
    tac__watch_end(&nobody);
    assert_int_equal(told, 0);
    tac__watch_stop(&w);
    tac__watch_stop(&off);
    tac__watch_stop(&nobody);
    tac__watch zeros = {0};
    tac__watch_stop(&zeros);
}

// A call ends only after its report has ended.
static void test_end_waits(void **state)
{
    (void)state;
    tac__watch w;
    reset(400);
    start(&w, "uav.control", LIMIT_US);
    tac__watch_begin(&w);
    tac__watch_call(&w, "slow");
    for (int ms = 0; !telling && ms < 20000; ms++)
        nap(1);
    tac__watch_end(&w);
    assert_int_equal(telling, 0);
    assert_int_equal(told, 1);
    tac__watch_stop(&w);
}

// Several watches at once, with limits of their own; starting and stopping one does not disturb the
// others.
static void *come_and_go(void *unused)
{
    for (int i = 0; i < 200; i++) {
        tac__watch w;
        const tac__hang_hook hook = {tell, &told, "guest"};
        if (tac__watch_start(&w, &hook, 10000000, NULL) != TAC_OK)
            return unused;
        tac__watch_begin(&w);
        tac__watch_call(&w, "quick");
        tac__watch_end(&w);
        tac__watch_stop(&w);
    }
    return NULL;
}

static void test_several(void **state)
{
    (void)state;
    reset(0);
    pthread_t guests[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&guests[i], NULL, come_and_go, NULL), 0);
    void *trouble;
    for (int i = 0; i < 3; i++) {
        pthread_join(guests[i], &trouble);
        assert_null(trouble);
    }
    assert_int_equal(told, 0);
    tac__watch patient, hasty;
    start(&patient, "patient", 60000000);
    start(&hasty, "hasty", LIMIT_US);
    tac__watch_begin(&patient);
    tac__watch_begin(&hasty);
    tac__watch_call(&patient, "a");
    const double begun_s = now_s();
    tac__watch_call(&hasty, "b");
    await(1);
    assert_int_equal(told, 1);
    assert_seconds(begun_s);
    assert_string_equal(component, "hasty");
    tac__watch_end(&patient);
    tac__watch_end(&hasty);
    tac__watch_stop(&patient);
    tac__watch_stop(&hasty);
}

TEST_MAIN(cmocka_unit_test(test_hang), cmocka_unit_test(test_no_hang),
          cmocka_unit_test(test_end_waits), cmocka_unit_test(test_several))
