// coupled.h - the processes of a federation in one program: their parts are built and coupled by
// hand, through the public means for driving an engine from outside.
#ifndef TAC_TESTS_CONFIG_COUPLED_H
#define TAC_TESTS_CONFIG_COUPLED_H

#include "bus/link.h"
#include "engine/test_rig.h"

enum { COUPLED_MOST = 64, COUPLED_BYTES = 512 };

typedef struct coupled_mail {
    char channel[128];
    tac_time sent_us;
    uint64_t sequence;
    size_t process, size;
    unsigned char bytes[COUPLED_BYTES];
} coupled_mail;

typedef struct coupled coupled;

typedef struct coupled_client {
    coupled *all;
    size_t number;
    tac_config *part;
    tac_engine *engine;
    tac_recorder *recorder; // NULL: nothing is recorded
} coupled_client;

struct coupled {
    tac_config *whole;
    coupled_client clients[COUPLED_MOST];
    size_t count;
    coupled_mail *mails;
    size_t mail_count, mail_capacity;
    uint64_t posted, dropped;     // posts so far; the number of the one that is left out, from 1
    tac_crossing_info dropped_on; // the link of that one
    tac_time dropped_us;          // when it would have been delivered
    uint64_t odd;                 // messages that were lost or duplicated
    uint32_t random;
};

static inline uint32_t coupled_random(coupled *c)
{
    c->random = c->random * 1664525u + 1013904223u;
    return c->random >> 8;
}

static inline void coupled_must(tac_status status, const tac_error *err)
{
    static char text[8192];
    if (status == TAC_OK)
        return;
    tac_error_print(err, text, sizeof text);
    fail_msg("%s", text);
}

static inline void coupled_collect(void *context, const tac_sent *message)
{
    const coupled_client *client = context;
    coupled *c = client->all;
    if (c->mail_count == c->mail_capacity) {
        c->mail_capacity = c->mail_capacity ? 2 * c->mail_capacity : 64;
        c->mails = realloc(c->mails, c->mail_capacity * sizeof *c->mails);
    }
    coupled_mail *m = &c->mails[c->mail_count++];
    assert_true(message->size <= sizeof m->bytes && strlen(message->channel) < sizeof m->channel);
    *m = (coupled_mail){.sent_us = message->sent_us,
                        .sequence = message->sequence,
                        .process = client->number,
                        .size = message->size};
    strcpy(m->channel, message->channel);
    memcpy(m->bytes, message->bytes, message->size);
}

static inline const char *coupled_file(const coupled *c, size_t process)
{
    char name[128];
    snprintf(name, sizeof name, "%s.mcap", tac_config_process_info(c->whole, process).name);
    return path_of(name);
}

static inline void coupled_record(coupled *c, coupled_client *client)
{
    tac_error err;
    tac_recorder_def def;
    coupled_must(tac_config_recorder_def(client->part, &def, &err), &err);
    def.path = coupled_file(c, client->number);
    coupled_must(tac_recorder_create(&def, client->engine, &client->recorder, &err), &err);
}

// Build every process that has a configuration. `record`: each is recorded in a file of its own.
static inline void coupled_open(coupled *c, tac_config *whole, bool record)
{
    tac_error err;
    tac_federation_info info;
    *c = (coupled){.whole = whole, .random = 1};
    coupled_must(tac_config_federation(whole, &info, &err), &err);
    c->count = info.process_count;
    assert_true(c->count <= COUPLED_MOST);
    for (size_t i = 0; i < c->count; i++) {
        coupled_client *client = &c->clients[i];
        *client = (coupled_client){.all = c, .number = i};
        coupled_must(tac_config_part(whole, i, &client->part, &err), &err);
        const tac_engine_def def = tac_config_engine_def(client->part);
        coupled_must(tac_config_build_unprepared(client->part, &def, &client->engine, &err), &err);
        if (record)
            coupled_record(c, client);
        coupled_must(tac_engine_prepare(client->engine, &err), &err);
        if (record)
            coupled_must(tac_recorder_begin(client->recorder, &err), &err);
        coupled_must(tac_engine_add_send_watcher(client->engine, coupled_collect, client, &err),
                     &err);
    }
}

static inline void coupled_end_recording(coupled *c)
{
    tac_error err;
    for (size_t i = 0; i < c->count; i++) {
        coupled_must(tac_recorder_end(c->clients[i].recorder, NULL, &err), &err);
        tac_recorder_destroy(c->clients[i].recorder);
    }
}

static inline void coupled_close(coupled *c)
{
    for (size_t i = 0; i < c->count; i++) {
        tac_engine_destroy(c->clients[i].engine);
        tac_config_destroy(c->clients[i].part);
    }
    free(c->mails);
}

static inline void coupled_post(coupled *c, const coupled_mail *m, const tac_crossing_info *x,
                                tac_time t_us, uint32_t copy)
{
    tac_error err;
    tac_engine *engine = c->clients[x->to_process].engine;
    const int receiver = tac_engine_find_receiver(engine, x->to, &err);
    tac_post_def post = tac_post_def_default();
    post.t_us = t_us;
    post.sent_us = m->sent_us;
    post.sequence = m->sequence;
    post.copy = copy;
    post.channel = m->channel;
    post.bytes = m->bytes;
    post.length = m->size;
    if (++c->posted == c->dropped) {
        c->dropped_on = *x;
        c->dropped_us = t_us;
        return;
    }
    coupled_must(tac_engine_post(engine, receiver, &post, &err), &err);
}

// Deliver what was sent, by the laws of the links, in an order that does not matter.
static inline void coupled_deliver(coupled *c)
{
    tac_error err;
    size_t links;
    coupled_must(tac_config_crossing_count(c->whole, &links, &err), &err);
    while (c->mail_count) {
        const size_t i = coupled_random(c) % c->mail_count;
        const coupled_mail m = c->mails[i];
        c->mails[i] = c->mails[--c->mail_count];
        bool any = false;
        for (size_t k = 0; k < links; k++) {
            const tac_crossing_info x = tac_config_crossing_info(c->whole, k);
            if (x.from_process != m.process || strcmp(x.from, m.channel))
                continue;
            any = true;
            const uint64_t seed = tac_config_engine_def(c->whole).seed;
            const tac__stream key = tac__link_key(seed, x.from, x.to);
            const tac__fate fate = tac__link_fate(x.law, &key, m.sent_us, m.sequence);
            for (uint32_t n = 0; n < fate.copies; n++)
                coupled_post(c, &m, &x, m.sent_us + fate.delay_us[n], n);
            c->odd += fate.copies != 1;
        }
        assert_true(any);
    }
}

// Each process advances by its turn, as far as nothing can arrive that was not sent yet.
static inline void coupled_run(coupled *c, tac_time end_us)
{
    tac_error err;
    size_t links;
    coupled_must(tac_config_crossing_count(c->whole, &links, &err), &err);
    tac_time least_us = end_us + 1;
    for (size_t k = 0; k < links; k++) {
        const tac_link_law *law = tac_config_crossing_info(c->whole, k).law;
        least_us = law->min_us < least_us ? law->min_us : least_us;
    }
    for (tac_time t_us = 0; t_us <= end_us;) {
        t_us += 1 + coupled_random(c) % least_us;
        for (size_t i = 0, first = coupled_random(c); i < c->count; i++)
            coupled_must(tac_engine_advance(c->clients[(first + i) % c->count].engine, t_us, &err),
                         &err);
        coupled_deliver(c);
    }
}

// The parts have together the digests of the whole, and no others; those of components of no
// entity, which are in several parts, are the same in each. Returns how many differ.
static inline size_t coupled_differences(const coupled *c, const tac_engine *whole)
{
    size_t differences = 0;
    uint64_t x, y;
    const char *name, *other;
    for (size_t i = 0; (name = tac_engine_digest(whole, i, &x)); i++) {
        size_t found = 0;
        for (size_t p = 0; p < c->count; p++) {
            for (size_t k = 0; (other = tac_engine_digest(c->clients[p].engine, k, &y)); k++) {
                if (strcmp(name, other))
                    continue;
                found++;
                differences += x != y;
            }
        }
        if (!found)
            fail_msg("no part has '%s'", name);
    }
    for (size_t p = 0; p < c->count; p++) {
        for (size_t k = 0; (other = tac_engine_digest(c->clients[p].engine, k, &y)); k++) {
            size_t i = 0;
            while ((name = tac_engine_digest(whole, i, &x)) && strcmp(name, other))
                i++;
            if (!name)
                fail_msg("the whole has no '%s'", other);
        }
    }
    return differences;
}

#endif
