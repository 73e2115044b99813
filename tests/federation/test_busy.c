// Federations beside processes that compute without end: who waits sleeps in the kernel and is
// woken, so that a round takes a few times as long as alone. Who goes on to yield its processor
// waits for whole slices of time, 24 to 38 times as long.
#define _GNU_SOURCE // sched_getaffinity
#include "federation/peers.h"

#include <sched.h>
#include <tactus/federation.h>

enum {
    CLIENTS = 4,
    STEPS = 250,
    STEP_US = 1000,
    TRIES = 5,
    BUSY_MAX = 64,
    RATIO = 8,
    WAKING_US = 100
};

static const char *const names[CLIENTS] = {"n0", "n1", "n2", "n3"};

// Each sends to the next one at each step.
static tac_status play(int i, tac_client *client, tac_error *err)
{
    tac_channel_def channel = tac_channel_def_default();
    uint32_t number;
    bool over = false;
    channel.channel = names[i];
    TAC_TRY(tac_client_publish(client, &channel, &number, err));
    channel.channel = names[(i + CLIENTS - 1) % CLIENTS];
    TAC_TRY(tac_client_subscribe(client, &channel, &number, err));
    TAC_TRY(tac_client_join(client, err));
    for (tac_time t_us = 0;; t_us += STEP_US) {
        tac_delivery d;
        TAC_TRY(tac_client_poll(client, t_us, t_us, &over, err));
        while (tac_client_receive(client, &d))
            continue;
        if (over)
            return tac_client_finish(client, err);
        TAC_TRY(tac_client_send(client, 0, t_us, "64", 2, err));
    }
}

static void be_client(int i, const char *address)
{
    tac_client_def def = tac_client_def_default();
    tac_client *client;
    tac_error err;
    def.name = names[i];
    def.address = address;
    alarm(100);
    EXPECT(tac_client_create(&def, &client, &err) == TAC_OK && play(i, client, &err) == TAC_OK);
    tac_client_destroy(client);
    _exit(0);
}

static double round_us(const char *transport)
{
    char address[300];
    snprintf(address, sizeof address, "%s://%s", transport, path_of("busy"));
    tac_server_def def = tac_server_def_default();
    tac_server *server;
    tac_error err;
    pid_t pids[CLIENTS];
    def.address = !strcmp(transport, "tcp") ? "127.0.0.1:0" : address;
    def.names = names;
    def.count = CLIENTS;
    def.end_us = STEPS * STEP_US;
    def.delay_us = STEP_US;
    if (tac_server_create(&def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    fflush(NULL);
    for (int i = 0; i < CLIENTS; i++) {
        pids[i] = fork();
        if (!pids[i])
            be_client(i, tac_server_address(server));
    }
    if (tac_server_finish(server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    const double us = 1e6 * tac_server_info(server).wall_s / STEPS;
    tac_server_destroy(server);
    for (int i = 0; i < CLIENTS; i++)
        peer_ended_well(pids[i]);
    return us;
}

static void test_busy(void **state)
{
    (void)state;
    static const char *const transports[] = {"tcp", "unix", "shm"};
    cpu_set_t set;
    int busy = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 2;
    busy = busy < BUSY_MAX ? busy : BUSY_MAX;
    for (size_t k = 0; k < 3; k++) {
        double alone_us = 1e9, beside_us = 1e9;
        for (int i = 0; i < TRIES; i++) {
            const double us = round_us(transports[k]);
            alone_us = us < alone_us ? us : alone_us;
        }
        // Alone it does not even sleep.
        alone_us = alone_us > WAKING_US ? alone_us : WAKING_US;
        pid_t pids[BUSY_MAX];
        for (int i = 0; i < busy; i++) {
            pids[i] = fork();
            if (!pids[i]) {
                alarm(100);
                for (;;)
                    (void)now_s();
            }
        }
        for (int i = 0; i < TRIES && beside_us > RATIO * alone_us; i++) {
            const double us = round_us(transports[k]);
            beside_us = us < beside_us ? us : beside_us;
        }
        for (int i = 0; i < busy; i++)
            peer_kill(pids[i]);
        if (beside_us > RATIO * alone_us)
            fail_msg("%s: a round takes %.3g us beside %d busy processes, %.3g alone",
                     transports[k], beside_us, busy, alone_us);
    }
}

TEST_MAIN(cmocka_unit_test(test_busy))
