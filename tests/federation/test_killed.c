// Federations of processes in which one is killed, stopped or does not read, over every transport:
// all others end, soon, with a message that names who, when and what was lost.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "federation/peers.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tactus/federation.h>

enum { CLIENTS = 3, WORDS = TAC_ERROR_TEXT };

static const char *const names[CLIENTS] = {"alpha", "bravo", "carol"};
static const char *const transports[] = {"tcp", "unix", "shm"};

// What the processes tell the test.
typedef struct story {
    char text[CLIENTS][WORDS]; // how it ended
    tac_time reached_us[CLIENTS];
    int steps; // calls of the one that is to be killed
} story;

typedef struct plot {
    const char *address;
    int victim;   // -1: nobody
    int last;     // it is killed after so many calls; -1: never
    int stop;     // or stopped
    size_t bytes; // in each message
    bool deaf;    // it polls once and never reads again
    story *story;
} plot;

static void step(const plot *p, int i)
{
    if (i != p->victim)
        return;
    if (p->story->steps++ == p->last)
        kill(getpid(), p->stop ? SIGSTOP : SIGKILL);
}

static tac_status play(const plot *p, int i, tac_client *client, tac_error *err)
{
    static uint8_t bytes[1 << 20];
    uint32_t number;
    bool over = false;
    tac_channel_def channel = tac_channel_def_default();
    for (int k = 0; k < CLIENTS; k++) {
        channel.channel = names[k];
        TAC_TRY(k == i ? tac_client_publish(client, &channel, &number, err)
                       : tac_client_subscribe(client, &channel, &number, err));
    }
    step(p, i);
    TAC_TRY(tac_client_join(client, err));
    step(p, i);
    for (tac_time t_us = 0; !over; t_us += 1000 + 100 * (tac_time)i) {
        tac_delivery d;
        TAC_TRY(tac_client_poll(client, t_us, t_us, &over, err));
        while (tac_client_receive(client, &d))
            p->story->reached_us[i] = t_us;
        if (p->deaf && i == p->victim && t_us)
            pause();
        step(p, i);
        if (!over)
            TAC_TRY(tac_client_send(client, 0, t_us, bytes, p->bytes, err));
        step(p, i);
    }
    TAC_TRY(tac_client_result(client, names[i], 1, err));
    step(p, i);
    TAC_TRY(tac_client_finish(client, err));
    step(p, i);
    return TAC_OK;
}

static void be_client(const plot *p, int i)
{
    tac_client_def def = tac_client_def_default();
    tac_client *client = NULL;
    tac_error err = {0};
    def.name = names[i];
    def.address = p->address;
    alarm(30);
    tac_status status = tac_client_create(&def, &client, &err);
    if (status == TAC_OK)
        status = play(p, i, client, &err);
    snprintf(p->story->text[i], WORDS, "%s", status == TAC_OK ? "peace" : err.text);
    p->story->reached_us[i] = tac_client_info(client).reached_us;
    tac_client_destroy(client);
    _exit(0);
}

static const char *address_for(const char *transport)
{
    static char text[64];
    if (!strcmp(transport, "tcp"))
        return "127.0.0.1:0";
    snprintf(text, sizeof text, "%s:///tmp/tactus_killed_%d", transport, (int)getpid());
    return text;
}

static tac_server_def definition(const char *transport)
{
    tac_server_def def = tac_server_def_default();
    def.address = address_for(transport);
    def.names = names;
    def.count = CLIENTS;
    def.end_us = 6000;
    def.delay_us = 1700;
    return def;
}

static tac_server *opened_server(const tac_server_def *def)
{
    tac_error err;
    tac_server *server;
    if (tac_server_create(def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return server;
}

static void start(plot *p, pid_t pids[CLIENTS])
{
    fflush(NULL);
    for (int i = 0; i < CLIENTS; i++) {
        pids[i] = fork();
        if (!pids[i])
            be_client(p, i);
    }
}

static void wait_for(const pid_t pids[CLIENTS], int victim)
{
    for (int i = 0; i < CLIENTS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        if (i != victim)
            assert_int_equal(status, 0);
    }
}

static void says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

// --- a client is killed -------------------------------------------------------------------------

// True: the federation came to its end before the client died.
static bool killed_after(const char *transport, int last)
{
    story *told = shared(sizeof *told);
    tac_server_def def = definition(transport);
    tac_server *server = opened_server(&def);
    plot p = {.address = tac_server_address(server),
              .victim = last % CLIENTS,
              .last = last,
              .bytes = 100,
              .story = told};
    const char *name = names[p.victim];
    pid_t pids[CLIENTS];
    tac_error err = {0};
    start(&p, pids);
    const tac_status status = tac_server_finish(server, &err);
    const bool peace = status == TAC_OK;
    wait_for(pids, p.victim);
    if (!peace) {
        assert_int_equal(status, TAC_E_NETWORK);
        assert_string_equal(err.component, name);
        says(err.text, name);
        says(err.text, "not delivered");
    }
    for (int i = 0; i < CLIENTS; i++) {
        if (i == p.victim || peace)
            continue;
        char at[TAC_TIME_TEXT];
        tac_time_print(err.t_us, at);
        if (!strcmp(told->text[i], "peace")) // it had left before
            continue;
        says(told->text[i], name);
        says(told->text[i], at);
    }
    tac_server_destroy(server);
    munmap(told, sizeof *told);
    return peace;
}

static void test_client_killed(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        // Before it joins, another one of its name could come: the others would wait for that.
        int last = 2, ends = 0;
        for (; last < 40 && ends < 4; last++)
            ends += killed_after(transports[k], last);
        assert_true(last > 12 && last < 40); // and it was killed at each call before
    }
}

// --- the server is killed -----------------------------------------------------------------------

static const char *kill_on_look(void *context, tac_time t_us)
{
    if (t_us >= *(tac_time *)context)
        kill(getpid(), SIGKILL);
    return NULL;
}

static void kill_on_watch(void *context, const tac_passage *passage)
{
    if (passage->delivered && passage->delivered_us >= *(tac_time *)context)
        kill(getpid(), SIGKILL);
}

// It dies at its n-th message.
static void test_server_killed(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        story *told = shared(sizeof *told);
        tac_time at_us = 500 * (tac_time)(k / 3) + 1701;
        tac_server_def def = definition(transports[k % 3]);
        def.end_us = 100000;
        def.context = &at_us;
        def.look = kill_on_look;
        def.watch = kill_on_watch;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        const pid_t pid = fork();
        if (!pid) {
            alarm(30);
            tac_error err;
            tac_server *server = opened_server(&def);
            char address[128] = {0};
            snprintf(address, sizeof address, "%s", tac_server_address(server));
            EXPECT(write(ends[1], address, sizeof address) == sizeof address);
            (void)!tac_server_finish(server, &err);
            _exit(7);
        }
        char address[128];
        assert_int_equal(read(ends[0], address, sizeof address), (int)sizeof address);
        close(ends[0]);
        close(ends[1]);
        plot p = {.address = address, .victim = -1, .last = -1, .bytes = 100, .story = told};
        pid_t pids[CLIENTS];
        start(&p, pids);
        wait_for(pids, -1);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        for (int i = 0; i < CLIENTS; i++) {
            char at[TAC_TIME_TEXT + 32];
            tac_time_print(told->reached_us[i], at);
            says(told->text[i], "the connection to the server was lost when '");
            says(told->text[i], names[i]);
            says(told->text[i], at);
            says(told->text[i], address);
        }
        const char *path = strstr(address, "//");
        if (strncmp(address, "tcp", 3) != 0 && path)
            unlink(path + 2);
        munmap(told, sizeof *told);
    }
}

// --- a client hangs -----------------------------------------------------------------------------

static char logged[1024];

static void log_text(void *context, const char *text)
{
    (void)context;
    snprintf(logged, sizeof logged, "%s", text);
}

// It is stopped, so its connection stays open and says nothing; or it does not read what it is
// sent.
static void hang(const char *transport, bool deaf)
{
    story *told = shared(sizeof *told);
    tac_server_def def = definition(transport);
    def.timeout_ms = 900; // others may have to wait for a processor
    def.log = log_text;
    def.end_us = deaf ? 60000000 : 6000;
    tac_server *server = opened_server(&def);
    plot p = {.address = tac_server_address(server),
              .victim = 1,
              .last = deaf ? -1 : 8,
              .stop = true,
              .deaf = deaf,
              .bytes = deaf ? 1 << 19 : 100,
              .story = told};
    pid_t pids[CLIENTS];
    start(&p, pids);
    tac_error err;
    const double start_s = now_s();
    assert_int_equal(tac_server_finish(server, &err), TAC_E_HANG);
    assert_true(now_s() - start_s < 20);
    assert_string_equal(err.component, "bravo");
    says(err.text, "'bravo' has not responded for 0.9 s since it came to ");
    kill(pids[1], SIGKILL);
    wait_for(pids, 1);
    says(told->text[0], "'bravo' has not responded");
    says(told->text[2], "'bravo' has not responded");
    tac_server_destroy(server);
    munmap(told, sizeof *told);
}

static void test_client_hangs(void **state)
{
    (void)state;
    hang("tcp", true);
    hang("unix", false);
    hang("shm", true);
}

// --- strangers ----------------------------------------------------------------------------------

// Port scanners: connections that say nothing, nonsense or half a frame, all the time.
static void be_strangers(const char *address)
{
    static const char *const words[] = {
        "GET / HTTP/1.1\r\n\r\n",      "\x16\x03\x01\x02", "", "\x40", "SSH-2.0-OpenSSH_9.2\r\n",
        "\xff\xff\xff\xff\xff\xff\xff"};
    const tac__address a = address_of(address);
    tac__conn *open[100] = {0};
    alarm(30);
    for (unsigned i = 0;; i++) {
        tac__conn **c = &open[i % 100];
        size_t done;
        const char *word = words[i % 6];
        tac__conn_close(*c);
        nap_ms(1);
        if (tac__conn_dial(&a, 0, tac_allocator_default(), c, NULL) != TAC_OK)
            *c = NULL;
        if (*c && *word)
            (void)!tac__conn_write(*c, word, strlen(word), &done, NULL);
    }
}

static void test_port_scanners(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        story *told = shared(sizeof *told);
        tac_server_def def = definition(transports[k]);
        def.end_us = 50000;
        tac_server *server = opened_server(&def);
        plot p = {.address = tac_server_address(server),
                  .victim = -1,
                  .last = -1,
                  .bytes = 100,
                  .story = told};
        fflush(NULL);
        const pid_t pid = fork();
        if (!pid)
            be_strangers(p.address);
        nap_ms(20);
        tac_error err;
        pid_t pids[CLIENTS];
        start(&p, pids);
        if (tac_server_finish(server, &err) != TAC_OK)
            fail_msg("%s", err.text);
        wait_for(pids, -1);
        for (int i = 0; i < CLIENTS; i++)
            assert_string_equal(told->text[i], "peace");
        peer_kill(pid);
        tac_server_destroy(server);
        munmap(told, sizeof *told);
    }
}

typedef struct crowd {
    volatile int *there; // all have dialled
    int looks;           // since then
    size_t descriptors;
} crowd;

static const char *look_at_crowd(void *context, tac_time t_us)
{
    crowd *c = context;
    (void)t_us;
    c->descriptors = 0;
    for (int fd = 0; fd < 1000; fd++)
        c->descriptors += fcntl(fd, F_GETFD) >= 0;
    c->looks += *c->there;
    return c->looks > 4 ? "seen" : NULL;
}

// Many that connect and say nothing do not stay, with a key or without: nothing can be said to one
// that has not proved that it has the key.
static void test_crowd(void **state)
{
    (void)state;
    char path[32];
    snprintf(path, sizeof path, "test_killed_%d.key", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%064d\n", 7);
    assert_int_equal(fchmod(fileno(file), 0600), 0);
    fclose(file);
    for (int keyed = 0; keyed < 2; keyed++) {
        crowd c = {.there = shared(sizeof(int))};
        tac_error err;
        tac_server *server;
        tac_server_def def = definition("tcp");
        def.key_file = keyed ? path : NULL;
        def.look = look_at_crowd;
        def.context = &c;
        if (tac_server_create(&def, &server, &err) != TAC_OK) {
            assert_int_equal(keyed, 1);
            says(err.text, "libsodium"); // a build without it
            continue;
        }
        (void)look_at_crowd(&c, 0);
        const size_t before = c.descriptors;
        fflush(NULL);
        const pid_t pid = fork();
        if (!pid) {
            const tac__address a = address_of(tac_server_address(server));
            alarm(30);
            for (int i = 0; i < 200; i++)
                (void)dialled(&a);
            *c.there = 1;
            pause();
        }
        assert_int_equal(tac_server_advance_to(server, 1, &err), TAC_E_STOPPED);
        assert_true(c.descriptors > before && c.descriptors <= before + 64);
        peer_kill(pid);
        tac_server_destroy(server);
        munmap((void *)(uintptr_t)c.there, sizeof(int));
    }
    unlink(path);
}

// A server without descriptors for those that dial goes on with those that it has.
static void test_no_descriptors(void **state)
{
    (void)state;
    story *told = shared(sizeof *told);
    tac_server_def def = definition("tcp");
    def.end_us = 300000;
    tac_server *server = opened_server(&def);
    plot p = {.address = tac_server_address(server),
              .victim = -1,
              .last = -1,
              .bytes = 100,
              .story = told};
    tac_error err;
    pid_t pids[CLIENTS];
    start(&p, pids);
    assert_int_equal(tac_server_advance_to(server, 1000, &err), TAC_OK);
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    const int lowest = dup(0);
    close(lowest);
    few.rlim_cur = (rlim_t)lowest;
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid)
        be_strangers(p.address);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const tac_status status = tac_server_finish(server, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    peer_kill(pid);
    if (status != TAC_OK)
        fail_msg("%s", err.text);
    wait_for(pids, -1);
    tac_server_destroy(server);
    munmap(told, sizeof *told);
}

static int against_hanging(void **state)
{
    (void)state;
    alarm(120);
    return 0;
}

TEST_MAIN(cmocka_unit_test_setup(test_client_killed, against_hanging),
          cmocka_unit_test(test_server_killed), cmocka_unit_test(test_client_hangs),
          cmocka_unit_test(test_port_scanners), cmocka_unit_test(test_crowd),
          cmocka_unit_test(test_no_descriptors))
