// A server that is stopped (SIGSTOP) or hangs: its clients notice, at whatever moment, over every
// transport. One that has nothing to say for long because others work is no such server.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "federation/peers.h"
#include "support/formats.h"

#include <tactus/federation.h>

enum { TIMEOUT_MS = 400, ALIVE_MS = 1200 };

static const char *const names[] = {"alpha", "bravo"};
static const char *const transports[] = {"tcp", "unix", "shm"};

typedef enum moment { BEFORE_WELCOME, BEFORE_START, WAITING, MOMENTS } moment;

static tac_client *made(const char *name, const char *address)
{
    tac_client_def def = tac_client_def_default();
    tac_client *client;
    tac_error err;
    def.name = name;
    def.address = address;
    def.timeout_ms = TIMEOUT_MS;
    if (tac_client_create(&def, &client, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return client;
}

// Polls at 0, then works until it is killed.
static void be_bravo(const char *address)
{
    tac_client *client = made(names[1], address);
    tac_error err;
    bool over;
    alarm(60);
    EXPECT(tac_client_join(client, &err) == TAC_OK);
    EXPECT(tac_client_poll(client, 0, 0, &over, &err) == TAC_OK);
    pause();
    _exit(0);
}

static void stop_at(const char *transport, moment when)
{
    char address[300];
    snprintf(address, sizeof address, "%s://%s", transport, path_of("stopped"));
    tac_server_def def = tac_server_def_default();
    tac_server *server;
    tac_error err;
    def.address = !strcmp(transport, "tcp") ? "127.0.0.1:0" : address;
    def.names = names;
    def.count = 2;
    def.delay_us = 1000;
    if (tac_server_create(&def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    const char *at = tac_server_address(server);
    fflush(NULL);
    const pid_t served = fork();
    if (!served) {
        alarm(60);
        (void)!tac_server_finish(server, NULL);
        _exit(0);
    }
    const pid_t bravo = when == WAITING ? fork() : 0;
    if (when == WAITING && !bravo)
        be_bravo(at);
    const pid_t stopper = fork();
    if (!stopper) {
        nap_ms(when == BEFORE_WELCOME ? 0 : ALIVE_MS);
        kill(served, SIGSTOP);
        _exit(0);
    }
    if (when == BEFORE_WELCOME)
        peer_ended_well(stopper);
    tac_client *alpha = made(names[0], at);
    const double start_s = now_s();
    bool over = false;
    tac_status status = tac_client_join(alpha, &err);
    if (when != BEFORE_WELCOME) {
        assert_int_equal(status, TAC_OK);
        for (tac_time t_us = 0; status == TAC_OK && !over; t_us += 1000)
            status = tac_client_poll(alpha, t_us, t_us, &over, &err);
        peer_ended_well(stopper);
    }
    const double took_s = now_s() - start_s;
    assert_int_equal(status, TAC_E_NETWORK);
    test_has(err.text, "the connection to the server was lost when 'alpha' had come to ");
    test_has(err.text, "it has said nothing for 0.4 s");
    // Not before it was stopped, and soon after.
    assert_true(took_s > 0.35 + (when == BEFORE_WELCOME ? 0 : 1e-3 * ALIVE_MS - 0.1));
    assert_true(took_s < 20);
    tac_client_destroy(alpha);
    peer_kill(served);
    if (bravo)
        peer_kill(bravo);
    tac_server_destroy(server);
}

static void test_stopped(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        for (int when = 0; when < MOMENTS; when++)
            stop_at(transports[k], (moment)when);
    }
}

TEST_MAIN(cmocka_unit_test(test_stopped))
