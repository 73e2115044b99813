// messages.c - two simulators coupled by hand: each has one of two carts that follow each other by
// radio. What one sends leads outside, and the program posts it to the other. The bits are those of
// one simulator that has both carts.
#include "embed.h"

#include <string.h>

// --- the carts ----------------------------------------------------------------------------------

static const char head[] = "duration: 3 s\n"
                           "scheduler:\n"
                           "  rate_groups:\n"
                           "    - {name: control, rate: 50 Hz, components: [Pilot]}\n"
                           "    - {name: radio, rate: 20 Hz, offset: 3 ms, components: [Beacon]}\n"
                           "  synchronization: {default_policy: ZOH}\n"
                           "plant: {integrator: {kind: rk45}}\n"
                           "entities:\n";

static const char cart[] =
    "  %s:\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "      Body:   {type: point_mass, params: {mass: 2 kg, gravity: 0, position: [%d, 2, 0]},\n"
    "               inputs: {force: Pilot.force}}\n"
    "      Pilot:  {type: tracker, params: {stiffness: 3, damping: 1},\n"
    "               inputs: {target: Radio.y, position: Body.position, velocity: Body.velocity}}\n";

static const char link_inside[] = "  - {from: %s.Beacon.tx, to: %s.Radio.rx, delay: 7 ms}\n";
static const char links_outside[] = "  - {from: %s.Beacon.tx, to: outside, delay: 7 ms}\n"
                                    "  - {from: outside, channel: %s.Beacon.tx, to: %s.Radio.rx}\n";

enum { DELAY_US = 7000 };

// The name of a text that stands for a file, and the text: with one cart, or with both.
static embed make(bool a, bool b)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "%s", head);
    if (a)
        n += snprintf(text + n, sizeof text - (size_t)n, cart, "a", 5);
    if (b)
        n += snprintf(text + n, sizeof text - (size_t)n, cart, "b", -4);
    n += snprintf(text + n, sizeof text - (size_t)n, "links:\n");
    if (a && b) {
        n += snprintf(text + n, sizeof text - (size_t)n, link_inside, "a", "b");
        snprintf(text + n, sizeof text - (size_t)n, link_inside, "b", "a");
    } else {
        const char *own = a ? "a" : "b", *other = a ? "b" : "a";
        snprintf(text + n, sizeof text - (size_t)n, links_outside, own, other, own);
    }
    embed m = {NULL, NULL, NULL};
    EMBED_TRY(tac_registry_create, NULL, &m.registry);
    tac_config_def def = tac_config_def_default();
    def.registry = m.registry;
    EMBED_TRY(tac_config_parse, "carts.yaml", text, strlen(text), &def, &m.config);
    tac_engine_def engine_def = tac_config_engine_def(m.config);
    EMBED_TRY(tac_config_build, m.config, &engine_def, &m.engine);
    return m;
}

// --- the post -----------------------------------------------------------------------------------

// What was sent and is not posted yet. Bytes are only there while we are told, so they are copied.
typedef struct mail {
    tac_sent message;
    char channel[64];
    double bytes[3];
} mail;

typedef struct mailbox {
    mail items[64];
    size_t count;
} mailbox;

static void collect(void *context, const tac_sent *message)
{
    mailbox *box = (mailbox *)context;
    EMBED_CHECK(box->count < 64 && message->size <= sizeof box->items[0].bytes);
    mail *m = &box->items[box->count++];
    m->message = *message;
    snprintf(m->channel, sizeof m->channel, "%s", message->channel);
    memcpy(m->bytes, message->bytes, message->size);
}

static void post_all(mailbox *box, tac_engine *to, const char *port)
{
    tac_error err;
    const int receiver = tac_engine_find_receiver(to, port, &err);
    for (size_t i = 0; i < box->count; i++) {
        const mail *m = &box->items[i];
        tac_post_def post = tac_post_def_default();
        post.t_us = m->message.delivered_us;
        post.sent_us = m->message.sent_us;
        post.sequence = m->message.sequence;
        post.channel = m->channel;
        post.bytes = m->bytes;
        post.length = m->message.size;
        EMBED_TRY(tac_engine_post, to, receiver, &post);
    }
    box->count = 0;
}

// --- together -----------------------------------------------------------------------------------

// A message takes 7 ms, so that much each can advance without hearing of the other. Both stop just
// before an instant, and what was sent until then arrives at that instant at the earliest.
static void run_coupled(embed *a, embed *b)
{
    mailbox from_a = {.count = 0}, from_b = {.count = 0};
    EMBED_TRY(tac_engine_add_send_watcher, a->engine, collect, &from_a);
    EMBED_TRY(tac_engine_add_send_watcher, b->engine, collect, &from_b);
    size_t posted = 0;
    while (!tac_engine_finished(a->engine) || !tac_engine_finished(b->engine)) {
        const tac_time to_us = tac_engine_open_time(a->engine) + DELAY_US;
        EMBED_TRY(tac_engine_advance, a->engine, to_us);
        EMBED_TRY(tac_engine_advance, b->engine, to_us);
        posted += from_a.count + from_b.count;
        post_all(&from_a, b->engine, "b.Radio.rx");
        post_all(&from_b, a->engine, "a.Radio.rx");
    }
    EMBED_CHECK(posted == 2 * 60);
}

// Every digest of one simulator is also one of the other.
static void same_digests(const tac_engine *part, const tac_engine *whole)
{
    uint64_t x, y;
    const char *name, *other;
    for (size_t i = 0; (name = tac_engine_digest(part, i, &x)); i++) {
        size_t k = 0;
        while ((other = tac_engine_digest(whole, k, &y)) && strcmp(name, other))
            k++;
        if (!other || x != y) {
            fprintf(stderr, "'%s' differs\n", name);
            exit(1);
        }
    }
}

int main(void)
{
    embed both = make(true, true), a = make(true, false), b = make(false, true);
    EMBED_TRY(tac_engine_run, both.engine, TAC_TIME_MAX);
    run_coupled(&a, &b);
    same_digests(a.engine, both.engine);
    same_digests(b.engine, both.engine);
    printf("%016llx\n", (unsigned long long)tac_engine_hash(both.engine, NULL, NULL));
    embed_free(&a);
    embed_free(&b);
    embed_free(&both);
    return 0;
}
