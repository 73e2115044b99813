// lcm_client.c - an application of LCM as a client: its lcm_t is a tunnel (lcm_tunnel.h), of which
// what is published goes to the server and into which what arrives is injected.
#include "federation/join.h"

#include "base/def.h"
#include "base/text.h"
#include "bus/lcm_type.h"
#include "federation/lcm_tunnel.h"

#include <tactus/lcm.h>

#include <stdlib.h>
#include <string.h>

struct tac__lcm_client {
    tac__lcm_tunnel *tunnel;
    const char **channels; // that the application publishes,
    uint32_t *numbers;
    size_t channel_count;
    const char **patterns; // and those that it hears
    size_t pattern_count;
    uint32_t first;  // subscription of the first pattern
    tac_time now_us; // of what is published now
    bool checked, over;
};

// --- declaring ----------------------------------------------------------------------------------

static const char *channel_at(const void *context, size_t i)
{
    const tac__lcm_client *l = context;
    return i < l->channel_count ? l->channels[i] : NULL;
}

static tac_status send_on(void *context, tac_time t_us, const char *channel, const void *bytes,
                          size_t size, tac_error *err)
{
    tac_client *c = context;
    const tac__lcm_client *l = c->lcm;
    (void)t_us; // of the message to which it is an answer, and which may have arrived before now
    if (l->over)
        return TAC_OK;
    for (size_t i = 0; i < l->channel_count; i++) {
        if (!strcmp(l->channels[i], channel))
            return tac_client_send(c, l->numbers[i], l->now_us, bytes, size, err);
    }
    (void)tac__fail(err, TAC_E_NAME,
                    "the application published on '%s', which is none of the channels that it has "
                    "declared",
                    channel);
    tac__error_suggest(err, channel, channel_at, l);
    return TAC_E_NAME;
}

static tac_status add_channel(tac_client *c, const char *name, uint32_t message_max, tac_error *err)
{
    tac__lcm_client *l = c->lcm;
    tac_channel_def def = tac_channel_def_default();
    def.channel = name;
    def.message_max = message_max;
    if (strlen(name) > TAC__LCM_CHANNEL_MAX)
        return tac__fail(err, TAC_E_LIMIT,
                         "the name of channel '%s' has %zu characters; LCM allows %d", name,
                         strlen(name), TAC__LCM_CHANNEL_MAX);
    const char *copy = tac__arena_text(&c->arena, name);
    if (!copy)
        return tac__fail_memory(err);
    l->channels[l->channel_count++] = copy;
    return tac_client_publish(c, &def, &l->numbers[l->channel_count - 1], err);
}

static tac_status add_pattern(tac_client *c, const char *pattern, tac_error *err)
{
    tac__lcm_client *l = c->lcm;
    tac_channel_def def = tac_channel_def_default();
    uint32_t number;
    def.channel = pattern;
    TAC_TRY(tac_client_subscribe(c, &def, &number, err));
    const char *copy = tac__arena_text(&c->arena, pattern);
    if (!copy)
        return tac__fail_memory(err);
    if (!l->pattern_count)
        l->first = number;
    l->patterns[l->pattern_count++] = copy;
    return TAC_OK;
}

static tac_status declare(tac_client *c, const tac_lcm_def *def, tac_error *err)
{
    tac__lcm_client *l = c->lcm;
    l->channels = tac__arena_array(&c->arena, def->publish_count + 1, sizeof(char *));
    l->numbers = tac__arena_array(&c->arena, def->publish_count + 1, sizeof *l->numbers);
    l->patterns = tac__arena_array(&c->arena, def->subscribe_count + 1, sizeof(char *));
    if (!l->channels || !l->numbers || !l->patterns)
        return tac__fail_memory(err);
    for (size_t i = 0; i < def->publish_count; i++) {
        TAC_REQUIRE(def->publish[i]);
        TAC_TRY(add_channel(c, def->publish[i], def->message_max, err));
    }
    for (size_t i = 0; i < def->subscribe_count; i++) {
        TAC_REQUIRE(def->subscribe[i]);
        TAC_TRY(add_pattern(c, def->subscribe[i], err));
    }
    return def->subscribe_count || def->publishes_only ? TAC_OK : add_pattern(c, "*", err);
}

tac_status tac_client_add_lcm(tac_client *c, const tac_lcm_def *def, struct _lcm_t **lcm,
                              tac_error *err)
{
    TAC_REQUIRE(c && def && lcm);
    TAC__DEF(tac_lcm_def, def, err);
    TAC_REQUIRE((def->publish || !def->publish_count) && (def->subscribe || !def->subscribe_count));
    *lcm = NULL;
    if (def->publishes_only && def->subscribe_count)
        return tac__fail(
            err, TAC_E_CALLER,
            "an application that only publishes subscribes to nothing, but '%s' is given",
            def->subscribe[0] ? def->subscribe[0] : "");
    if (c->lcm || c->engine)
        return tac__fail(err, TAC_E_CALLER, "the client has %s already",
                         c->lcm ? "LCM" : "an engine");
    c->lcm = tac__arena_alloc(&c->arena, sizeof *c->lcm);
    if (!c->lcm)
        return tac__fail_memory(err);
    TAC_TRY(tac__lcm_tunnel_create(send_on, c, &c->lcm->tunnel, err));
    TAC_TRY(declare(c, def, err));
    *lcm = tac__lcm_tunnel_lcm(c->lcm->tunnel);
    return TAC_OK;
}

void tac__lcm_client_destroy(tac__lcm_client *l)
{
    if (l)
        tac__lcm_tunnel_destroy(l->tunnel);
}

// --- running ------------------------------------------------------------------------------------

// Whether LCM can carry all that other clients will send here. Known once everyone has joined.
static tac_status check_sources(tac_client *c, tac_error *err)
{
    const char *sender, *channel;
    for (uint32_t i = 0; tac__client_source(c->machine, i, &sender, &channel); i++) {
        if (strlen(channel) > TAC__LCM_CHANNEL_MAX)
            return tac__fail(
                err, TAC_E_LIMIT,
                "'%s' subscribes to '%s' of '%s', a name of %zu characters; LCM allows "
                "%d",
                tac__client_name(c->machine), channel, sender, strlen(channel),
                TAC__LCM_CHANNEL_MAX);
    }
    c->lcm->checked = true;
    return TAC_OK;
}

// A message that matches several patterns comes once for each, and counts once.
static bool is_repeated(const tac__lcm_client *l, const tac_delivery *d)
{
    for (uint32_t i = 0; l->first + i < d->subscription && i < l->pattern_count; i++) {
        if (tac__glob_match(l->patterns[i], d->channel))
            return true;
    }
    return false;
}

static tac_status inject_all(tac_client *c, tac_error *err)
{
    tac__lcm_client *l = c->lcm;
    const tac_time end_us = tac__client_info(c->machine).end_us;
    tac_delivery d;
    while (tac_client_receive(c, &d)) {
        if ((l->over && d.delivered_us > end_us) || is_repeated(l, &d))
            continue;
        TAC_TRY(
            tac__lcm_tunnel_inject(l->tunnel, d.delivered_us, d.channel, d.bytes, d.length, err));
    }
    return TAC_OK;
}

tac_status tac_client_lcm_poll(tac_client *c, tac_time t_us, tac_time next_us, bool *over,
                               tac_error *err)
{
    TAC_REQUIRE(c && over);
    *over = false;
    tac__lcm_client *l = c->lcm;
    if (!l || !l->tunnel)
        return tac__fail(err, TAC_E_CALLER, "the client has no LCM");
    TAC_TRY(tac__lcm_tunnel_pump(l->tunnel, l->now_us, err));
    TAC_TRY(tac_client_poll(c, t_us, next_us, &l->over, err));
    *over = l->over;
    if (!l->checked)
        TAC_TRY(check_sources(c, err));
    if (!l->over)
        l->now_us = t_us;
    TAC_TRY(inject_all(c, err));
    return l->over ? TAC_OK : tac__lcm_tunnel_pump(l->tunnel, t_us, err);
}
