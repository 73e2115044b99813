// group.c - groups of signals and inputs as messages of LCM. See group.h.
#include "federation/group.h"

#include "base/arena.h"
#include "base/def.h"
#include "base/text.h"
#include "bus/lcm_type.h"
#include "bus/type.h"
#include "federation/join.h"

#include <tactus/outside.h>

#include <inttypes.h>
#include <string.h>

typedef struct member {
    int number; // of the signal or input
    tac_type type;
} member;

typedef struct group {
    const char *channel;
    uint32_t number; // of the channel or subscription
    bool published;
    member *members;
    size_t count;
    uint64_t fingerprint;
    size_t size;                 // bytes of a message
    tac_time period_us, next_us; // of samples
} group;

struct tac__groups {
    tac__arena arena;
    group *all;
    size_t count;
    TAC__CAPACITY(group) capacity;
    uint8_t *scratch; // for a message or a value, as large as the largest
    size_t room;
};

void tac__groups_destroy(tac__groups *g)
{
    if (!g)
        return;
    tac__arena arena = g->arena;
    tac__arena_fini(&arena);
}

// --- declaring ----------------------------------------------------------------------------------

static tac_status begin(tac_client *c, tac_error *err)
{
    if (c->groups)
        return TAC_OK;
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__groups *g = tac__arena_alloc(&arena, sizeof *g);
    if (!g) {
        tac__arena_fini(&arena);
        return tac__fail_memory(err);
    }
    g->arena = arena;
    c->groups = g;
    return TAC_OK;
}

static const char *signal_name(const void *context, size_t i)
{
    const tac_engine *engine = context;
    return i < tac_engine_signal_count(engine) ? tac_engine_signal_info(engine, (int)i).name : NULL;
}

static tac_status find_signal(const tac_engine *engine, const char *name, member *m,
                              tac__lcm_field *field, tac_error *err)
{
    m->number = tac_engine_find_signal(engine, name);
    if (m->number < 0) {
        (void)tac__fail(err, TAC_E_NAME, "there is no signal '%s'", name);
        tac__error_suggest(err, name, signal_name, engine);
        return TAC_E_NAME;
    }
    const tac_signal_info s = tac_engine_signal_info(engine, m->number);
    const size_t writer = strlen(s.writer);
    m->type = s.type;
    field->name =
        !strncmp(s.name, s.writer, writer) && s.name[writer] == '.' ? s.name + writer + 1 : s.name;
    return TAC_OK;
}

static tac_status find_input(const tac_engine *engine, const char *name, member *m,
                             tac__lcm_field *field, tac_error *err)
{
    m->number = tac_engine_find_input(engine, name, err);
    if (m->number < 0)
        return TAC_E_NAME;
    const tac_input_info in = tac_engine_input_info(engine, m->number);
    if (!in.outside)
        return tac__fail(err, TAC_E_CONFIG,
                         "input '%s' takes no values of messages: it is not declared "
                         "'from: outside'",
                         name);
    m->type = in.type;
    field->name = in.name;
    return TAC_OK;
}

static bool is_member_name(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (!tac__is_alnum(*c) && *c != '_')
            return false;
    }
    return *text && !(*text >= '0' && *text <= '9');
}

static tac_status find_members(tac_client *c, const tac_lcm_group_def *def, group *k,
                               tac__lcm_field *fields, tac_error *err)
{
    for (size_t i = 0; i < def->count; i++) {
        TAC_REQUIRE(def->names[i]);
        TAC_TRY(k->published
                    ? find_signal(c->engine, def->names[i], &k->members[i], &fields[i], err)
                    : find_input(c->engine, def->names[i], &k->members[i], &fields[i], err));
        fields[i].type = k->members[i].type;
        if (!def->members || !def->members[i])
            continue;
        fields[i].name = def->members[i];
        if (!is_member_name(def->members[i]))
            return tac__fail(err, TAC_E_NAME,
                             "'%s' cannot be a member of a type of LCM: letters, digits and '_' "
                             "are possible",
                             def->members[i]);
    }
    return TAC_OK;
}

// Fingerprint and size as bus/lcm_type.h has them; `*type` is "tactus.STATE_t".
static tac_status find_type(tac__groups *g, const tac_lcm_group_def *def,
                            const tac__lcm_field *fields, group *k, const char **type,
                            tac_error *err)
{
    tac__text file;
    tac__lcm_types types;
    tac__lcm_group found;
    char *stem = tac__arena_text(&g->arena, def->channel);
    for (char *at = stem; at && *at; at++)
        *at = tac__is_alnum(*at) ? *at : '_';
    tac__text_init(&file, tac_allocator_default());
    tac_status status =
        stem ? tac__lcm_types_begin(&types, &g->arena, &file, "", err) : tac__fail_memory(err);
    if (stem) {
        if (status == TAC_OK)
            status =
                tac__lcm_type_of_group(&types, stem, def->channel, fields, def->count, &found, err);
        tac__lcm_types_end(&types);
    }
    tac__text_fini(&file);
    TAC_TRY(status);
    k->fingerprint = found.fingerprint;
    k->size = found.size;
    *type = tac__arena_format(&g->arena, "tactus.%s", found.type);
    return *type ? TAC_OK : tac__fail_memory(err);
}

static tac_status make_room(tac__groups *g, size_t size, tac_error *err)
{
    if (size <= g->room)
        return TAC_OK;
    g->scratch = tac__arena_array(&g->arena, size, 1);
    g->room = g->scratch ? size : 0;
    return g->scratch ? TAC_OK : tac__fail_memory(err);
}

static tac_status add(tac_client *c, const tac_lcm_group_def *def, bool published, tac_error *err)
{
    if (!c->engine)
        return tac__fail(err, TAC_E_CALLER,
                         "groups are those of an engine: tac_client_add_engine "
                         "comes first");
    if (!def->count)
        return tac__fail(err, TAC_E_CONFIG, "a group needs at least one %s",
                         published ? "signal" : "input");
    if (strlen(def->channel) > TAC__LCM_CHANNEL_MAX)
        return tac__fail(err, TAC_E_NAME, "LCM allows %d characters in the name of a channel",
                         (int)TAC__LCM_CHANNEL_MAX);
    if (published &&
        (!def->period_us || def->period_us > TAC_TIME_MAX || def->offset_us > TAC_TIME_MAX))
        return tac__fail(err, TAC_E_RANGE,
                         "a group that is published needs a period of 1 us to "
                         "2^62 us");
    TAC_TRY(begin(c, err));
    tac__groups *g = c->groups;
    group k = {.published = published,
               .count = def->count,
               .channel = tac__arena_text(&g->arena, def->channel),
               .members = tac__arena_array(&g->arena, def->count, sizeof *k.members),
               .period_us = def->period_us,
               .next_us = published ? def->offset_us : TAC_TIME_NEVER};
    tac__lcm_field *fields = tac__arena_array(&g->arena, def->count, sizeof *fields);
    const char *type;
    if (!k.channel || !k.members || !fields)
        return tac__fail_memory(err);
    TAC_TRY(find_members(c, def, &k, fields, err));
    TAC_TRY(find_type(g, def, fields, &k, &type, err));
    if (k.size > UINT32_MAX)
        return tac__fail(err, TAC_E_LIMIT, "a message of %zu bytes is too long", k.size);
    TAC_TRY(make_room(g, k.size, err));
    if (!TAC__ARENA_GROW(&g->arena, g->all, g->count, g->capacity))
        return tac__fail_memory(err);
    tac_channel_def channel = tac_channel_def_default();
    channel.channel = k.channel;
    channel.fingerprint = k.fingerprint;
    // Of what arrives only the fingerprint counts: names of types are not part of a message.
    channel.type = published ? type : NULL;
    channel.message_max = published ? (uint32_t)k.size : 0;
    TAC_TRY(published ? tac_client_publish(c, &channel, &k.number, err)
                      : tac_client_subscribe(c, &channel, &k.number, err));
    g->all[g->count++] = k;
    return TAC_OK;
}

static tac_status add_named(tac_client *c, const tac_lcm_group_def *def, bool published,
                            tac_error *err)
{
    TAC_REQUIRE(c && def);
    TAC__DEF(tac_lcm_group_def, def, err);
    TAC_REQUIRE(def->channel && (def->names || !def->count));
    const tac_status status = add(c, def, published, err);
    if (status != TAC_OK)
        tac__error_context(err, "%s '%s'", published ? "publishing" : "subscribing to",
                           def->channel);
    return status;
}

tac_status tac_client_publish_signals(tac_client *c, const tac_lcm_group_def *def, tac_error *err)
{
    return add_named(c, def, true, err);
}

tac_status tac_client_subscribe_inputs(tac_client *c, const tac_lcm_group_def *def, tac_error *err)
{
    return add_named(c, def, false, err);
}

// --- inputs -------------------------------------------------------------------------------------

static tac_status check_message(const group *k, const tac_delivery *d, tac_error *err)
{
    const uint64_t print = d->length >= 8 ? tac__lcm_get(d->bytes, 8) : 0;
    if (print != k->fingerprint)
        return tac__fail(err, TAC_E_TYPE,
                         "a message of '%s' on '%s' has fingerprint 0x%016" PRIx64
                         ", but the inputs that take it need 0x%016" PRIx64,
                         d->sender, d->channel, print, k->fingerprint);
    if (d->length != k->size)
        return tac__fail(err, TAC_E_TYPE,
                         "a message of '%s' on '%s' has %zu bytes; its type has %zu", d->sender,
                         d->channel, d->length, k->size);
    return TAC_OK;
}

static tac_status write_members(tac__groups *g, tac_engine *engine, const group *k,
                                const tac_delivery *d, tac_error *err)
{
    const uint8_t *at = (const uint8_t *)d->bytes + 16; // behind fingerprint and utime
    for (size_t i = 0; i < k->count; i++) {
        at = tac__lcm_get_value(at, &k->members[i].type, g->scratch);
        TAC_TRY(tac_engine_write(engine, k->members[i].number, d->delivered_us, g->scratch, err));
    }
    return TAC_OK;
}

tac_status tac__groups_take(tac__groups *g, tac_engine *engine, const tac_delivery *d, bool *taken,
                            tac_error *err)
{
    *taken = false;
    for (size_t i = 0; g && i < g->count; i++) {
        const group *k = &g->all[i];
        if (k->published || k->number != d->subscription)
            continue;
        *taken = true;
        TAC_TRY(check_message(k, d, err));
        if (tac_engine_finished(engine)) // after the end
            return TAC_OK;
        const tac_status status = write_members(g, engine, k, d, err);
        if (status != TAC_OK)
            tac__error_context(err, "taking a message on '%s'", k->channel);
        return status;
    }
    return TAC_OK;
}

// --- samples ------------------------------------------------------------------------------------

tac_time tac__groups_next(const tac__groups *g)
{
    tac_time t_us = TAC_TIME_NEVER;
    for (size_t i = 0; g && i < g->count; i++)
        t_us = g->all[i].next_us < t_us ? g->all[i].next_us : t_us;
    return t_us;
}

static tac_status send_group(tac__groups *g, tac_client *c, const group *k, tac_error *err)
{
    uint8_t *at = tac__lcm_put(g->scratch, k->fingerprint, 8);
    at = tac__lcm_put(at, k->next_us, 8);
    for (size_t i = 0; i < k->count; i++) {
        const void *value = tac_engine_read_at(c->engine, k->members[i].number, k->next_us);
        if (!value)
            return tac__fail(err, TAC_E_CALLER, "'%s' could not be read for '%s'",
                             tac_engine_signal_info(c->engine, k->members[i].number).name,
                             k->channel);
        at = tac__lcm_put_value(at, &k->members[i].type, value);
    }
    TAC_TRY(tac__client_send(c->machine, k->number, k->next_us, TAC_TIME_NEVER,
                             tac__client_sequence(c->machine, k->number), g->scratch, k->size,
                             err));
    return tac__join_relieve(c, err);
}

tac_status tac__groups_sample(tac__groups *g, tac_client *c, tac_error *err)
{
    const tac_time open_us = tac_engine_open_time(c->engine);
    for (size_t i = 0; g && i < g->count; i++) {
        group *k = &g->all[i];
        if (k->next_us >= open_us)
            continue;
        TAC_TRY(send_group(g, c, k, err));
        k->next_us += k->period_us; // both are at most 2^62
    }
    return TAC_OK;
}
