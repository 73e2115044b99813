// federate.c - a federation that a program starts itself: a server, an engine as a client, and a
// client that is no engine, each in a process of its own. A cart says where it is, and a controller
// written by hand says with which force it is to be pushed. The hash is the same on every run and
// over every transport.
#define _POSIX_C_SOURCE 200809L // fork
#include "embed.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_US = 4000000, STEP_US = 50000, CART = 0, CONTROL = 1 };

static const char *const names[] = {"cart", "control"};

// --- the engine ---------------------------------------------------------------------------------

static const char model[] =
    "duration: 4 s\n"
    "scheduler: {rate_groups: [{name: radio, rate: 50 Hz, components: [Beacon]}]}\n"
    "plant: {integrator: {kind: rk45}}\n"
    "entities:\n"
    "  cart:\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: N}}\n"
    "      Body:   {type: point_mass, params: {mass: 2 kg, gravity: 0, position: [5, 2, 0]},\n"
    "               inputs: {force: Radio.y}}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "links:\n"
    "  - {from: cart.Beacon.tx, to: outside, delay: 1 us}\n" // the server has the real delays
    "  - {from: outside, channel: FORCE, to: cart.Radio.rx}\n";

static void run_cart(tac_client *client)
{
    embed m = {NULL, NULL, NULL};
    EMBED_TRY(tac_registry_create, NULL, &m.registry);
    tac_config_def def = tac_config_def_default();
    def.registry = m.registry;
    EMBED_TRY(tac_config_parse, "cart.yaml", model, strlen(model), &def, &m.config);
    tac_engine_def engine_def = tac_config_engine_def(m.config);
    EMBED_TRY(tac_config_build, m.config, &engine_def, &m.engine);
    EMBED_TRY(tac_client_add_engine, client, m.engine); // channels follow from its links
    EMBED_TRY(tac_client_join, client);
    EMBED_TRY(tac_client_run, client);
    embed_free(&m);
}

// --- the controller -----------------------------------------------------------------------------

// Ports of engines send tactus.numbers_t of LCM: a fingerprint, a count and numbers, big-endian.
enum { HEAD = 12, AXES = 3, MESSAGE = HEAD + 8 * AXES };
static const uint8_t head[HEAD] = {0x6c, 0x46, 0xca, 0xe0, 0x0c, 0xa2, 0x08, 0xfb, 0, 0, 0, AXES};

static void encode(const double value[AXES], uint8_t bytes[MESSAGE])
{
    memcpy(bytes, head, HEAD);
    for (int i = 0; i < AXES; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        for (int k = 0; k < 8; k++)
            bytes[HEAD + 8 * i + k] = (uint8_t)(bits >> (56 - 8 * k));
    }
}

static void decode(const uint8_t *bytes, size_t length, double value[AXES])
{
    EMBED_CHECK(length == MESSAGE && !memcmp(bytes, head, HEAD));
    for (int i = 0; i < AXES; i++) {
        uint64_t bits = 0;
        for (int k = 0; k < 8; k++)
            bits = bits << 8 | bytes[HEAD + 8 * i + k];
        memcpy(&value[i], &bits, sizeof bits);
    }
}

// Looks for messages every 50 ms, and answers with a force.
static void run_control(tac_client *client)
{
    uint32_t force, position;
    tac_channel_def channel = tac_channel_def_default();
    channel.channel = "FORCE";
    channel.type = "tactus.numbers_t";
    EMBED_TRY(tac_client_publish, client, &channel, &force);
    channel.channel = "cart.Beacon.tx";
    EMBED_TRY(tac_client_subscribe, client, &channel, &position);
    EMBED_TRY(tac_client_join, client);

    double at[AXES] = {0}, before[AXES] = {0};
    tac_time sent_us = 0, sent_before_us = 0;
    size_t heard = 0;
    for (tac_time t_us = 0;; t_us += STEP_US) {
        bool over;
        EMBED_TRY(tac_client_poll, client, t_us, t_us, &over);
        if (over)
            break;
        tac_delivery d;
        for (; tac_client_receive(client, &d); heard++) {
            EMBED_CHECK(d.subscription == position && d.delivered_us <= t_us);
            memcpy(before, at, sizeof before);
            sent_before_us = sent_us;
            decode((const uint8_t *)d.bytes, d.length, at);
            sent_us = d.sent_us;
        }
        if (heard < 2)
            continue; // no velocity yet
        double push[AXES];
        uint8_t bytes[MESSAGE];
        const double dt = (double)(sent_us - sent_before_us) * 1e-6;
        for (int i = 0; i < AXES; i++)
            push[i] = -6 * at[i] - 6 * (at[i] - before[i]) / dt;
        encode(push, bytes);
        EMBED_TRY(tac_client_send, client, force, t_us, bytes, sizeof bytes);
    }
    EMBED_CHECK(heard > 190);
    EMBED_CHECK(at[0] > -0.1 && at[0] < 0.1); // the cart was steered to the middle
    EMBED_TRY(tac_client_result, client, "control.heard", heard);
    EMBED_TRY(tac_client_finish, client);
}

// --- processes ----------------------------------------------------------------------------------

static pid_t start(const char *address, int number)
{
    fflush(NULL);
    const pid_t pid = fork();
    EMBED_CHECK(pid >= 0);
    if (pid)
        return pid;
    tac_client *client;
    tac_client_def def = tac_client_def_default();
    def.name = names[number];
    def.address = address;
    EMBED_TRY(tac_client_create, &def, &client);
    if (number == CART)
        run_cart(client);
    else
        run_control(client);
    tac_client_destroy(client);
    _exit(0);
}

// The law of each link: what the cart says takes 4 to 9 ms, and one in fifty messages is lost.
static const tac_link_law *law_of(void *context, const tac_link_ends *ends)
{
    const tac_link_law *laws = (const tac_link_law *)context;
    return &laws[ends->from];
}

static uint64_t run(const char *address)
{
    tac_link_law laws[2] = {tac_link_law_default(), tac_link_law_default()};
    laws[CART].delay = TAC_DELAY_UNIFORM;
    laws[CART].min_us = 4000;
    laws[CART].max_us = 9000;
    laws[CART].loss = 0.02;
    laws[CONTROL].min_us = 7300;
    tac_server *server;
    tac_server_def def = tac_server_def_default();
    def.address = address;
    def.names = names;
    def.count = 2;
    def.end_us = END_US;
    def.law = law_of;
    def.context = laws;
    EMBED_TRY(tac_server_create, &def, &server);
    const pid_t children[] = {start(tac_server_address(server), CART),
                              start(tac_server_address(server), CONTROL)};
    // A server is driven as one simulator: in pieces, if there is something to do between them.
    EMBED_TRY(tac_server_advance_to, server, END_US / 2);
    EMBED_CHECK(tac_server_time(server) >= END_US / 2);
    EMBED_TRY(tac_server_finish, server);
    for (int i = 0; i < 2; i++) {
        int status;
        EMBED_CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
    }
    const tac_dispatch_info info = tac_server_info(server);
    EMBED_CHECK(info.lost > 0 && info.delivered > 200);
    tac_server_destroy(server);
    return info.hash;
}

int main(void)
{
    char path[64];
    snprintf(path, sizeof path, "unix:///tmp/tactus-federate-%d", (int)getpid());
    const uint64_t hash = run("tcp://127.0.0.1:0");
    EMBED_CHECK(hash == run(path));
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
