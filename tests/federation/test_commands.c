// A program that commands a port of an engine at 200 Hz, over every transport: under the rule by
// links it runs far ahead, and its messages wait in the engine's client, not in the port. The hash,
// and a checkpoint that is taken while messages wait, are the same in every run; an engine that
// goes on from the checkpoint and is given the rest of the messages ends with the same hash.
#include "bus/lcm_message.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tactus/config.h>
#include <tactus/federation.h>
#include <tactus/outside.h>
#include <unistd.h>

enum {
    PERIOD_US = 5000,
    DELAY_US = 7300,
    END_US = 3000000,
    MIDDLE_US = 1502000, // between two deliveries
    CAPACITY = 2,        // as many as one engine would need
};

static const char text[] = "duration: 3 s\n"
                           "scheduler:\n"
                           "  rate_groups: [{name: g, rate: 50 Hz, components: [Beacon]}]\n"
                           "plant: {integrator: {kind: rk45}}\n"
                           "entities:\n"
                           "  e:\n"
                           "    components:\n"
                           "      Ear: {type: listener, params: {capacity: 2}}\n"
                           "      Body: {type: lag, params: {tau: 0.3 s}, inputs: {u: Ear.y}}\n"
                           "      Beacon: {type: beacon, inputs: {u: Body.x}}\n"
                           "links:\n"
                           "  - {from: outside, channel: ORDER, to: e.Ear.rx}\n"
                           "  - {from: e.Beacon.tx, to: outside, delay: 1 ms}\n";

static void must(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "%s:%u: %s\n", err->file, err->line, err->text);
    _exit(3);
}

typedef struct scene {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
} scene;

static scene make(void)
{
    scene s;
    tac_error err;
    tac_config_def def = tac_config_def_default();
    must(tac_registry_create(NULL, &s.registry, &err), &err);
    def.registry = s.registry;
    must(tac_config_parse("commands.yaml", text, strlen(text), &def, &s.config, &err), &err);
    const tac_engine_def engine = tac_config_engine_def(s.config);
    must(tac_config_build(s.config, &engine, &s.engine, &err), &err);
    return s;
}

static void unmake(scene *s)
{
    tac_engine_destroy(s->engine);
    tac_config_destroy(s->config);
    tac_registry_destroy(s->registry);
}

static double order(tac_time t_us)
{
    return (double)(t_us / PERIOD_US % 17) - 8;
}

static const char *checkpoint_path(char path[64])
{
    snprintf(path, 64, "/tmp/tactus_commands_%d.checkpoint", (int)getpid());
    return path;
}

static void be_engine(const char *address, const char *path)
{
    tac_error err;
    tac_client *client;
    scene s = make();
    tac_client_def def = tac_client_def_default();
    def.name = "engine";
    def.address = address;
    must(tac_engine_checkpoint_at(s.engine, MIDDLE_US, path, &err), &err);
    must(tac_client_create(&def, &client, &err), &err);
    must(tac_client_add_engine(client, s.engine, &err), &err);
    must(tac_client_join(client, &err), &err);
    must(tac_client_run(client, &err), &err);
    tac_client_destroy(client);
    unmake(&s);
}

static void be_program(const char *address)
{
    tac_error err;
    tac_client *client;
    tac_client_def def = tac_client_def_default();
    def.name = "program";
    def.address = address;
    must(tac_client_create(&def, &client, &err), &err);
    tac_channel_def channel = tac_channel_def_default();
    channel.channel = "ORDER";
    uint32_t number;
    must(tac_client_publish(client, &channel, &number, &err), &err);
    must(tac_client_join(client, &err), &err);
    bool over = false;
    for (tac_time t_us = 0; !over; t_us += PERIOD_US) {
        must(tac_client_poll(client, t_us, t_us, &over, &err), &err);
        if (over)
            break;
        uint8_t bytes[sizeof(double) + TAC__LCM_MESSAGE_EXTRA];
        const double value = order(t_us);
        must(tac__lcm_message_encode(TAC__LCM_NUMBERS, &value, sizeof value, bytes, &err), &err);
        must(tac_client_send(client, number, t_us, bytes, sizeof bytes, &err), &err);
    }
    must(tac_client_finish(client, &err), &err);
    tac_client_destroy(client);
}

static uint64_t federate(const char *transport, tac_lookahead lookahead, const char *path)
{
    static const char *const names[] = {"engine", "program"};
    char address[64] = "127.0.0.1:0";
    if (strcmp(transport, "tcp") != 0)
        snprintf(address, sizeof address, "%s:///tmp/tactus_commands_%d", transport, (int)getpid());
    tac_error err;
    tac_server *server;
    tac_server_def def = tac_server_def_default();
    def.address = address;
    def.names = names;
    def.count = 2;
    def.end_us = END_US;
    def.delay_us = DELAY_US;
    def.lookahead = lookahead;
    if (tac_server_create(&def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    pid_t pids[2];
    fflush(NULL);
    alarm(60); // against a test that hangs
    for (int i = 0; i < 2; i++) {
        pids[i] = fork();
        if (!pids[i]) {
            if (i)
                be_program(tac_server_address(server));
            else
                be_engine(tac_server_address(server), path);
            _exit(0);
        }
    }
    if (tac_server_finish(server, &err) != TAC_OK)
        fail_msg("%s, %s: %s", transport, lookahead == TAC_LOOKAHEAD_LINK ? "link" : "global",
                 err.text);
    for (int i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    const uint64_t hash = tac_server_info(server).hash;
    assert_true(tac_server_info(server).delivered >= END_US / PERIOD_US);
    tac_server_destroy(server);
    return hash;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_true(*size > 0 && *size < 1 << 20);
    fclose(file);
    return bytes;
}

// The hash of an engine that is given the program's messages as they arrive, from the checkpoint
// on.
static uint64_t go_on(const char *path)
{
    tac_error err;
    scene s = make();
    must(tac_engine_restore(s.engine, path, &err), &err);
    const int ear = tac_engine_find_receiver(s.engine, "e.Ear.rx", &err);
    const tac_time from_us = tac_engine_open_time(s.engine);
    assert_true(from_us <= MIDDLE_US);
    for (tac_time t_us = 0; t_us <= END_US; t_us += PERIOD_US) {
        const tac_time at_us = t_us + DELAY_US;
        if (at_us < from_us)
            continue;
        if (at_us <= END_US)
            must(tac_engine_advance(s.engine, at_us, &err), &err);
        else
            must(tac_engine_run(s.engine, TAC_TIME_MAX, &err), &err);
        const double value = order(t_us);
        tac_post_def post = tac_post_def_default();
        post.t_us = at_us;
        post.sent_us = t_us;
        post.sequence = t_us / PERIOD_US;
        post.channel = "ORDER";
        post.bytes = &value;
        post.length = sizeof value;
        must(tac_engine_post(s.engine, ear, &post, &err), &err);
    }
    must(tac_engine_run(s.engine, TAC_TIME_MAX, &err), &err);
    const uint64_t hash = tac_engine_hash(s.engine, NULL, NULL);
    unmake(&s);
    return hash;
}

static void test_commands(void **state)
{
    (void)state;
    static const char *const transports[] = {"shm", "unix", "tcp"};
    char path[64];
    uint64_t hash = 0;
    char *checkpoint = NULL;
    size_t size = 0;
    for (int run = 0; run < 6; run++) {
        const uint64_t found =
            federate(transports[run % 3], run < 3 ? TAC_LOOKAHEAD_LINK : TAC_LOOKAHEAD_GLOBAL,
                     checkpoint_path(path));
        size_t length;
        char *bytes = read_file(path, &length);
        if (!checkpoint) {
            checkpoint = bytes;
            size = length;
            hash = found;
            assert_true(go_on(path) == hash);
            continue;
        }
        assert_true(found == hash);
        assert_true(length == size && !memcmp(bytes, checkpoint, size));
        free(bytes);
    }
    free(checkpoint);
    unlink(path);
}

TEST_MAIN(cmocka_unit_test(test_commands))
