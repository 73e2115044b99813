// A federation of processes: carts that follow each other by radio, one engine a process. Over
// every transport, with both rules, however the processes are started and held up, the hash is that
// of one engine that has all carts. Whoever is killed is named to all the others.
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tactus/config.h>
#include <tactus/federation.h>
#include <tactus/outside.h>
#include <time.h>
#include <unistd.h>

enum { CARTS = 4 };

// --- models -------------------------------------------------------------------------------------

static const char head[] = "duration: 1957 ms\n"
                           "scheduler:\n"
                           "  rate_groups:\n"
                           "    - {name: control, rate: 50 Hz, components: [Pilot]}\n"
                           "    - {name: radio, rate: 20 Hz, offset: 3 ms, components: [Beacon]}\n"
                           "  synchronization: {default_policy: ZOH}\n"
                           "plant: {integrator: {kind: rk45}}\n"
                           "entities:\n";

static const char cart[] =
    "  c%d:\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "      Body:   {type: point_mass, params: {mass: 2 kg, gravity: 0, position: [%d, 2, 0]},\n"
    "               inputs: {force: Pilot.force}}\n"
    "      Pilot:  {type: tracker, params: {stiffness: 3, damping: 1},\n"
    "               inputs: {target: Radio.y, position: Body.position, velocity: Body.velocity}}\n";

static tac_time delay_us(int from, int to)
{
    return 7301 + 1009 * (tac_time)from + 313 * (tac_time)to;
}

// Also for processes that were forked: no test goes on in these.
static void must(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "%s:%u: %s\n", err->file, err->line, err->text);
    _exit(3);
}

// All carts in one engine, or one of them with links to outside.
typedef struct scene {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
} scene;

static scene make(int only, const tac_observer_def *observer)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "%s", head);
    for (int i = 0; i < CARTS; i++) {
        if (only < 0 || i == only)
            n += snprintf(text + n, sizeof text - (size_t)n, cart, i, 5 - 3 * i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "links:\n");
    for (int to = 0; to < CARTS; to++) {
        for (int from = 0, number = 0; from < CARTS; from++) {
            if (from == to)
                continue;
            if (only < 0)
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "  - {from: c%d.Beacon.tx, to: c%d.Radio.rx, delay: %d us}\n", from,
                              to, (int)delay_us(from, to));
            else if (only == to)
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "  - {from: outside, channel: c%d.Beacon.tx, to: c%d.Radio.rx, "
                              "number: %d}\n",
                              from, to, number);
            number++;
        }
    }
    if (only >= 0)
        snprintf(text + n, sizeof text - (size_t)n,
                 "  - {from: c%d.Beacon.tx, to: outside, delay: 1 us}\n", only);
    tac_error err;
    scene s;
    tac_config_def def = tac_config_def_default();
    must(tac_registry_create(NULL, &s.registry, &err), &err);
    def.registry = s.registry;
    must(tac_config_parse("carts.yaml", text, strlen(text), &def, &s.config, &err), &err);
    tac_engine_def engine_def = tac_config_engine_def(s.config);
    must(tac_config_build_unprepared(s.config, &engine_def, &s.engine, &err), &err);
    if (observer)
        must(tac_engine_add_observer(s.engine, observer, &err), &err);
    must(tac_engine_prepare(s.engine, &err), &err);
    return s;
}

static void unmake(scene *s)
{
    tac_engine_destroy(s->engine);
    tac_config_destroy(s->config);
    tac_registry_destroy(s->registry);
}

// --- processes ----------------------------------------------------------------------------------

static void sleep_us(unsigned us)
{
    const struct timespec t = {.tv_nsec = 1000 * (long)us};
    nanosleep(&t, NULL);
}

static uint64_t x;

static unsigned draw(unsigned n)
{
    x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(x >> 33) % n;
}

static void nap(void *context, tac_engine *engine, tac_time t_us)
{
    (void)context;
    (void)engine;
    (void)t_us;
    if (draw(4) == 0)
        sleep_us(draw(300));
}

typedef struct setup {
    const char *address;
    uint64_t seed; // of naps; 0: none
    int killed;    // client that kills itself at 1 s, -1: none
} setup;

static void die(void *context, tac_engine *engine, tac_time t_us)
{
    (void)context;
    (void)engine;
    if (t_us >= 1000000)
        kill(getpid(), SIGKILL);
}

// Exit code 0: it ended in peace; 1: with an error that names the client that was killed.
static int be_client(int i, const setup *how)
{
    char name[8];
    snprintf(name, sizeof name, "p%d", i);
    tac_error err;
    tac_client *client;
    tac_client_def def = tac_client_def_default();
    def.name = name;
    def.address = how->address;
    x = how->seed + 77 * (uint64_t)i;
    tac_observer_def observer = tac_observer_def_default();
    observer.period_us = 5000;
    observer.name = "nap";
    observer.observe = how->killed == i ? die : nap;
    const bool observed = how->seed || how->killed == i;
    if (observed)
        sleep_us(draw(20000));
    tac_engine *engine = make(i, observed ? &observer : NULL).engine;
    tac_status status = tac_client_create(&def, &client, &err);
    if (status == TAC_OK)
        status = tac_client_add_engine(client, engine, &err);
    if (status == TAC_OK)
        status = tac_client_join(client, &err);
    if (status == TAC_OK)
        status = tac_client_run(client, &err);
    if (status == TAC_OK)
        tac_client_destroy(client);
    char killed[8];
    snprintf(killed, sizeof killed, "'p%d'", how->killed);
    if (status != TAC_OK && (how->killed < 0 || !strstr(err.text, killed)))
        fprintf(stderr, "%s: %s\n", name, err.text);
    return status == TAC_OK ? 0 : how->killed >= 0 && strstr(err.text, killed) ? 1 : 2;
}

static const tac_link_law *give_law(void *context, const tac_link_ends *ends)
{
    static tac_link_law laws[CARTS][CARTS];
    (void)context;
    tac_link_law *law = &laws[ends->from][ends->to];
    *law = tac_link_law_default();
    law->min_us = delay_us((int)ends->from, (int)ends->to);
    return law;
}

// The server is held up at messages and between its turns.
static void nap_at_message(void *context, const tac_passage *passage)
{
    (void)context;
    (void)passage;
    if (draw(16) == 0)
        sleep_us(draw(300));
}

static const char *nap_at_look(void *context, tac_time t_us)
{
    (void)context;
    (void)t_us;
    sleep_us(draw(3000));
    return NULL;
}

static tac_server *serve(const char *address, tac_lookahead lookahead, bool naps)
{
    static const char *const names[CARTS] = {"p0", "p1", "p2", "p3"};
    tac_server_def def = tac_server_def_default();
    def.address = address;
    def.names = names;
    def.count = CARTS;
    def.end_us = 1957000; // with messages on their way
    def.law = give_law;
    def.lookahead = lookahead;
    def.watch = naps ? nap_at_message : NULL;
    def.look = naps ? nap_at_look : NULL;
    tac_error err;
    tac_server *server;
    if (tac_server_create(&def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return server;
}

static void start(const setup *how, pid_t pids[CARTS])
{
    fflush(NULL);
    alarm(60); // against a test that hangs
    for (int k = 0; k < CARTS; k++) {
        const int i = (k + (int)how->seed) % CARTS;
        pids[i] = fork();
        if (!pids[i])
            _exit(be_client(i, how));
    }
}

static void wait_all(const pid_t pids[CARTS], int codes[CARTS])
{
    for (int i = 0; i < CARTS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        codes[i] = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
}

static const char *address_of(const char *transport)
{
    static char text[64];
    if (!strcmp(transport, "tcp"))
        return "127.0.0.1:0";
    snprintf(text, sizeof text, "%s:///tmp/tactus_federation_%d", transport, (int)getpid());
    return text;
}

static const char *const transports[] = {"tcp", "unix", "shm"};

static void test_as_one_engine(void **state)
{
    (void)state;
    scene whole = make(-1, NULL);
    tac_error err;
    assert_int_equal(tac_engine_run(whole.engine, TAC_TIME_MAX, &err), TAC_OK);
    const uint64_t expected = tac_engine_hash(whole.engine, NULL, NULL);
    unmake(&whole);
    for (uint64_t run = 0; run < 6; run++) {
        tac_server *server = serve(address_of(transports[run % 3]),
                                   run % 2 ? TAC_LOOKAHEAD_GLOBAL : TAC_LOOKAHEAD_LINK, run > 0);
        const setup how = {tac_server_address(server), run, -1};
        pid_t pids[CARTS];
        int codes[CARTS];
        start(&how, pids);
        if (run % 2)
            assert_int_equal(tac_server_advance_to(server, 333333, &err), TAC_OK);
        if (tac_server_finish(server, &err) != TAC_OK)
            fail_msg("%s", err.text);
        wait_all(pids, codes);
        for (int i = 0; i < CARTS; i++)
            assert_int_equal(codes[i], 0);
        const tac_dispatch_info info = tac_server_info(server);
        assert_int_equal(info.received, CARTS * 40);
        assert_true(info.delivered == CARTS * 40 * (CARTS - 1));
        assert_true(info.most_at_once <= CARTS && info.most_at_once > 1);
        assert_true(info.hash == expected);
        tac_server_destroy(server);
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A server that is advanced in small pieces gives the same bits, and clients that wait for the next
// piece are authorised at once: 150 pieces would take 7.5 s at 50 ms each.
static void test_in_pieces(void **state)
{
    (void)state;
    tac_error err;
    scene whole = make(-1, NULL);
    assert_int_equal(tac_engine_run(whole.engine, TAC_TIME_MAX, &err), TAC_OK);
    const uint64_t expected = tac_engine_hash(whole.engine, NULL, NULL);
    unmake(&whole);
    tac_server *server = serve(address_of("tcp"), TAC_LOOKAHEAD_LINK, false);
    const setup how = {tac_server_address(server), 0, -1};
    pid_t pids[CARTS];
    int codes[CARTS];
    start(&how, pids);
    assert_int_equal(tac_server_advance_to(server, 1, &err), TAC_OK);
    const double start_s = now_s();
    for (tac_time t_us = 10000; t_us <= 1500000; t_us += 10000) {
        assert_int_equal(tac_server_advance_to(server, t_us, &err), TAC_OK);
        assert_int_equal(tac_server_time(server), t_us);
    }
    assert_true(now_s() - start_s < 4);
    assert_int_equal(tac_server_finish(server, &err), TAC_OK);
    wait_all(pids, codes);
    assert_true(tac_server_info(server).hash == expected);
    tac_server_destroy(server);
}

static void test_killed(void **state)
{
    (void)state;
    for (int run = 0; run < 3; run++) {
        tac_error err;
        tac_server *server = serve(address_of(transports[run]), TAC_LOOKAHEAD_LINK, false);
        const setup how = {tac_server_address(server), 0, run};
        pid_t pids[CARTS];
        int codes[CARTS];
        start(&how, pids);
        assert_int_equal(tac_server_finish(server, &err), TAC_E_NETWORK);
        char name[8];
        snprintf(name, sizeof name, "p%d", run);
        assert_string_equal(err.component, name);
        assert_true(err.t_us > 900000 && err.t_us <= 1000000);
        wait_all(pids, codes);
        for (int i = 0; i < CARTS; i++)
            assert_int_equal(codes[i], i == run ? -SIGKILL : 1);
        tac_server_destroy(server);
    }
}

TEST_MAIN(cmocka_unit_test(test_as_one_engine), cmocka_unit_test(test_in_pieces),
          cmocka_unit_test(test_killed))
