// server.c - a server as a whole: it is made, fails, takes turns, ends, and says what it knows.
#include "federation/server/state.h"

#include "base/text.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
    STANDSTILL_MS = 5000, // until it is told who waits for whom
    HELLO_MS = 10000,     // for a connection to say HELLO
    TURN_MS = 1000,       // longest time between two turns that counts
    CHECK_MS = 10,        // between two looks at who was heard
    CLIENTS_MAX = 4096,
};

// --- making -------------------------------------------------------------------------------------

static tac_status check(const tac_server_def *def, tac_error *err)
{
    if (def->count < 1 || def->count > CLIENTS_MAX)
        return tac__fail(err, TAC_E_RANGE, "a federation has 1 to %d clients, not %zu",
                         (int)CLIENTS_MAX, def->count);
    for (size_t i = 0; i < def->count; i++) {
        if (!*def->names[i] || strlen(def->names[i]) > TAC__WIRE_NAME_MAX)
            return tac__fail(err, TAC_E_NAME, "the name of a client has 1 to %d bytes, not '%s'",
                             (int)TAC__WIRE_NAME_MAX, def->names[i]);
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(def->names[i], def->names[k]))
                return tac__fail(err, TAC_E_DUPLICATE, "two clients are called '%s'",
                                 def->names[i]);
        }
    }
    if (def->end_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_RANGE, "the end lies after 2^62 us");
    return TAC_OK;
}

// A copy of all that the definition points to.
static tac_status keep(tac__server *s, const tac_server_def *def, tac_error *err)
{
    tac__arena *a = &s->arena;
    s->def = *def;
    const char **names = tac__arena_array(a, def->count, sizeof *names);
    s->clients = tac__arena_array(a, def->count, sizeof *s->clients);
    s->open = tac__arena_array(a, def->count, sizeof *s->open);
    s->waiting = tac__arena_array(a, def->count, sizeof *s->waiting);
    if (!names || !s->clients || !s->open || !s->waiting)
        return tac__fail_memory(err);
    for (size_t i = 0; i < def->count; i++) {
        names[i] = tac__arena_text(a, def->names[i]);
        if (!names[i])
            return tac__fail_memory(err);
        s->clients[i] = (tac__fed_client){.name = names[i],
                                          .arena = {.allocator = a->allocator},
                                          .connection = -1,
                                          .limit = -1,
                                          .trace = tac__hash_text(TAC__HASH_SEED, names[i])};
    }
    s->def.names = names;
    if (!s->def.message_max || s->def.message_max > TAC__WIRE_MESSAGE_MAX)
        s->def.message_max = TAC__WIRE_MESSAGE_MAX;
    if (!s->def.queue_max)
        s->def.queue_max = 1000000;
    if (!s->def.queue_bytes_max)
        s->def.queue_bytes_max = UINT64_C(1) << 30;
    return TAC_OK;
}

tac_status tac__server_create(const tac_allocator *allocator, const tac_server_def *def,
                              tac__server **server, tac_error *err)
{
    TAC_TRY(check(def, err));
    tac__arena arena;
    tac__arena_init(&arena, allocator ? allocator : tac_allocator_default());
    tac__server *s = tac__arena_alloc(&arena, sizeof *s);
    if (!s) {
        tac__arena_fini(&arena);
        return tac__fail_memory(err);
    }
    s->arena = arena;
    s->allocator = arena.allocator;
    s->info.clients = def->count;
    const tac_status status = keep(s, def, err);
    if (status != TAC_OK) {
        tac__server_destroy(s);
        return status;
    }
    *server = s;
    return TAC_OK;
}

void *tac__fed_resize(const tac__server *s, void *old, size_t old_size, size_t size)
{
    return s->allocator->resize(s->allocator->context, old, old_size, size);
}

void tac__server_destroy(tac__server *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->clients && i < s->def.count; i++) {
        tac__fed_client *c = &s->clients[i];
        for (size_t k = 0; k < c->heap_count; k++)
            tac__fed_free_mail(s, c->heap[k]);
        tac__fed_resize(s, c->heap, c->heap_capacity * sizeof *c->heap, 0);
        tac__fed_resize(s, c->unknown, c->unknown_capacity * sizeof *c->unknown, 0);
        tac__arena_fini(&c->arena);
    }
    for (size_t i = 0; i < s->connection_count; i++) {
        tac__bytes_fini(&s->connections[i]->in);
        tac__bytes_fini(&s->connections[i]->out);
    }
    tac__arena arena = s->arena;
    tac__arena_fini(&arena);
}

// --- failure ------------------------------------------------------------------------------------

static void put_abort(tac__server *s, const char *who, tac_time t_us, const char *why)
{
    for (size_t i = 0; i < s->connection_count; i++) {
        tac__fed_connection *k = s->connections[i];
        if (!k->used || k->closing)
            continue;
        // Those who have not said HELLO are refused: the same words, as an answer to HELLO.
        tac__wire_put_end(&k->out, k->client >= 0 ? TAC__FRAME_ABORT : TAC__FRAME_REFUSE, who, t_us,
                          why);
        k->closing = true;
    }
}

void tac__fed_fail(tac__server *s, const char *who, tac_time t_us, const tac_error *why)
{
    if (s->state == TAC__SERVER_FAILED || s->state == TAC__SERVER_ENDED)
        return;
    s->state = TAC__SERVER_FAILED;
    s->error = *why;
    tac__wire_one_line(s->error.text, sizeof s->error.text);
    tac__error_run(&s->error, t_us, who);
    put_abort(s, who, t_us, s->error.text);
}

void tac__fed_fail_client(tac__server *s, const tac__fed_client *c, const tac_error *why)
{
    tac__fed_fail(s, c->name, c->clock.t_us, why);
}

void tac__fed_fail_memory(tac__server *s)
{
    tac_error own;
    (void)tac__fail_memory(&own);
    tac__fed_fail(s, "", tac__server_time(s), &own);
}

void tac__server_abort(tac__server *s, tac_status status, const char *who, const char *why)
{
    tac_error own;
    (void)tac__fail(&own, status, "%s", why);
    tac__fed_fail(s, who, tac__server_time(s), &own);
}

tac_status tac__server_error(const tac__server *s, tac_error *err)
{
    if (s->state != TAC__SERVER_FAILED)
        return TAC_OK;
    if (err)
        *err = s->error;
    return s->error.status;
}

void tac__fed_log_text(const tac__server *s, const char *text)
{
    if (s->def.log)
        s->def.log(s->def.context, text);
}

// --- the end ------------------------------------------------------------------------------------

static void begin_end(tac__server *s)
{
    s->state = TAC__SERVER_ENDING;
    for (size_t i = 0; i < s->def.count; i++) {
        tac__fed_client *c = &s->clients[i];
        if (c->state == TAC__FED_LEFT)
            continue;
        while (c->heap_count) {
            s->info.late++;
            tac__fed_deliver(s, c);
        }
        c->state = TAC__FED_RUNNING;
        tac__wire_put_time(&s->connections[c->connection]->out, TAC__FRAME_FINISH, s->def.end_us);
    }
}

static int by_name(const void *a, const void *b)
{
    const tac__fed_result *x = a, *y = b;
    return strcmp(x->name, y->name);
}

// The hash over all digests, each once: as that of one engine that has them all.
static void add_up(tac__server *s)
{
    if (!s->result_count)
        return;
    qsort(s->results, s->result_count, sizeof *s->results, by_name);
    uint64_t *digests = tac__arena_array(&s->arena, s->result_count, sizeof *digests);
    if (!digests) {
        tac__fed_fail_memory(s);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < s->result_count; i++) {
        const tac__fed_result *r = &s->results[i];
        if (i && !strcmp(r->name, r[-1].name)) {
            if (r->digest == r[-1].digest) // a component that every process has
                continue;
            tac_error own;
            (void)tac__fail(&own, TAC_E_DIFFERENT, "two clients have '%s' with different digests",
                            r->name);
            tac__fed_fail(s, "", s->def.end_us, &own);
            return;
        }
        digests[n++] = r->digest;
    }
    s->info.hash = tac_digests_hash(digests, n);
}

static void end(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        if (s->clients[i].state != TAC__FED_LEFT)
            return;
    }
    add_up(s);
    if (s->state == TAC__SERVER_FAILED)
        return;
    s->state = TAC__SERVER_ENDED;
    for (size_t i = 0; i < s->connection_count; i++) {
        if (s->connections[i]->used && !s->connections[i]->closing)
            tac__fed_refuse(s->connections[i], "the federation is over");
    }
}

// --- turns --------------------------------------------------------------------------------------

// Note who was heard. Only a short time between two turns counts: a server that was held up itself
// has heard nobody.
static void check_heard(tac__server *s, uint64_t now_ms)
{
    if (!s->clocked)
        s->now_ms = now_ms;
    const uint64_t step_ms = now_ms - s->now_ms;
    const bool first = !s->clocked;
    s->clock_ms += step_ms < TURN_MS ? step_ms : TURN_MS;
    s->now_ms = now_ms;
    s->clocked = true;
    if (first || s->ready) {
        s->moved_ms = s->clock_ms;
        s->tell_ms = STANDSTILL_MS;
    }
    if (!first && s->clock_ms - s->checked_ms < CHECK_MS)
        return;
    s->checked_ms = s->clock_ms;
    for (size_t i = 0; i < s->def.count; i++) {
        tac__fed_client *c = &s->clients[i];
        if (c->heard)
            c->heard_ms = s->clock_ms;
        c->heard = false;
    }
}

static void refuse_silent(tac__server *s)
{
    for (size_t i = 0; i < s->connection_count; i++) {
        tac__fed_connection *k = s->connections[i];
        if (k->used && !k->closing && k->client < 0 && s->clock_ms - k->since_ms >= HELLO_MS)
            tac__fed_refuse(k, "no HELLO came");
    }
}

// After 5 s, then after twice as long each time.
static void tell_standstill(tac__server *s)
{
    char text[4096], who[3584];
    const uint64_t still_ms = s->clock_ms - s->moved_ms;
    if (still_ms < s->tell_ms)
        return;
    s->tell_ms = 2 * still_ms;
    tac__server_describe(s, who, sizeof who);
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "nothing has moved for %llu s:\n%s", (unsigned long long)still_ms / 1000,
                 who);
    tac__fed_log_text(s, text);
}

static void end_hanging(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *c = &s->clients[i];
        if (c->state == TAC__FED_WAITING || c->state == TAC__FED_LEFT || c->heard ||
            s->clock_ms - c->heard_ms < s->def.timeout_ms)
            continue;
        tac_error own;
        (void)tac__fail(&own, TAC_E_HANG, "'%s' has not responded for %.3g s since it came to %s",
                        c->name, 1e-3 * s->def.timeout_ms, TAC__SHOWN(c->clock.t_us));
        const size_t unread = tac__bytes_count(&s->connections[c->connection]->out);
        if (unread)
            tac__error_append(&own, "; it has not read %zu bytes", unread);
        if (c->heap_count + c->unknown_count)
            tac__error_append(&own, "; %zu messages for it may be lost",
                              c->heap_count + c->unknown_count);
        tac__fed_fail_client(s, c, &own);
        return;
    }
}

// A client that was lost before the start may join again, and the others wait for it; not for ever.
static void end_absent(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *c = &s->clients[i];
        if (c->state != TAC__FED_ABSENT || !c->lost || s->clock_ms - c->lost_ms < s->def.timeout_ms)
            continue;
        tac_error own;
        (void)tac__fail(&own, TAC_E_NETWORK,
                        "the connection to '%s' was lost before the start, and it has not joined "
                        "again for %.3g s",
                        c->name, 1e-3 * s->def.timeout_ms);
        tac__fed_fail_client(s, c, &own);
        return;
    }
}

// Clients that wait cannot tell a server that has nothing to say from one that was stopped: those
// that want to know are told their last grant again.
static void send_beats(tac__server *s)
{
    for (size_t i = 0; i < s->def.count && s->state < TAC__SERVER_ENDING; i++) {
        tac__fed_client *c = &s->clients[i];
        const bool here = c->state == TAC__FED_RUNNING || c->state == TAC__FED_WAITING;
        if (!here || !c->beat_ms || s->clock_ms - c->told_ms < c->beat_ms)
            continue;
        c->told_ms = s->clock_ms;
        tac__wire_put_time(&s->connections[c->connection]->out, TAC__FRAME_AUTHORIZE_ADVANCE,
                           c->granted_us);
    }
}

static void watch_clock(tac__server *s, uint64_t now_ms)
{
    check_heard(s, now_ms);
    if (s->clock_ms != s->checked_ms)
        return; // nothing new since the last look
    refuse_silent(s);
    send_beats(s);
    const bool under_way = s->state >= TAC__SERVER_FIRST_TICK && s->state <= TAC__SERVER_ENDING;
    if (s->state == TAC__SERVER_JOINING ? s->started
                                        : under_way && !tac__server_reached(s, s->target_us))
        tell_standstill(s);
    if (under_way && s->def.timeout_ms && !tac__server_reached(s, s->target_us))
        end_hanging(s);
    if (s->state == TAC__SERVER_JOINING && s->started && s->def.timeout_ms)
        end_absent(s);
}

void tac__server_turn(tac__server *s, uint64_t now_ms)
{
    for (size_t i = 0; i < s->connection_count; i++) {
        if (s->connections[i]->out.failed || s->connections[i]->in.failed) {
            tac__fed_fail_memory(s);
            return;
        }
    }
    if (s->ready) {
        const bool just_started =
            s->state == TAC__SERVER_JOINING && s->started && s->joined == s->def.count;
        if (just_started)
            tac__fed_start(s);
        for (int i = 0; just_started && i < (int)s->connection_count; i++)
            tac__fed_take_input(s, i);
        if (s->state == TAC__SERVER_FIRST_TICK && tac__server_reached(s, 0))
            s->state = TAC__SERVER_ADVANCING;
        if (s->state == TAC__SERVER_ADVANCING)
            tac__fed_dispatch(s);
        if (s->state == TAC__SERVER_ENDING)
            end(s);
    }
    watch_clock(s, now_ms);
    s->ready = false;
}

void tac__server_advance_to(tac__server *s, tac_time to_us)
{
    s->started = s->ready = true;
    if (to_us > s->def.end_us)
        to_us = s->def.end_us + 1; // clients process the end and nothing after it
    if (to_us > s->target_us)
        s->target_us = to_us;
}

void tac__server_finish(tac__server *s)
{
    s->ready = true;
    if (s->state == TAC__SERVER_ADVANCING && tac__server_reached(s, s->def.end_us + 1))
        begin_end(s);
}

// --- what is known ------------------------------------------------------------------------------

tac__server_state tac__server_state_of(const tac__server *s)
{
    return s->state;
}

tac_time tac__server_time(const tac__server *s)
{
    tac_time t_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *c = &s->clients[i];
        if (c->state != TAC__FED_LEFT && c->clock.t_us < t_us)
            t_us = c->clock.t_us;
    }
    return t_us == TAC_TIME_NEVER ? s->target_us : t_us;
}

tac_time tac__server_end(const tac__server *s)
{
    return s->def.end_us;
}

tac_dispatch_info tac__server_info(const tac__server *s)
{
    tac_dispatch_info info = s->info;
    info.joined = s->joined;
    return info;
}

uint64_t tac__server_trace(const tac__server *s, size_t i)
{
    return i < s->def.count ? tac__hash_end(s->clients[i].trace) : 0;
}

void tac__server_describe(const tac__server *s, char *text, size_t size)
{
    tac__out out = tac__out_begin(text, size);
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *c = &s->clients[i];
        if (c->state == TAC__FED_ABSENT)
            tac__out_add(&out, "  '%s' has not joined\n", c->name);
        else if (c->state == TAC__FED_RUNNING && s->state != TAC__SERVER_JOINING)
            tac__out_add(&out, "  '%s' is at work since %s\n", c->name, TAC__SHOWN(c->clock.t_us));
        else if (c->state == TAC__FED_WAITING && s->state == TAC__SERVER_ADVANCING && c->limit >= 0)
            tac__out_add(&out, "  '%s' waits at %s for '%s'\n", c->name, TAC__SHOWN(c->clock.t_us),
                         s->clients[c->limit].name);
        else if (c->state == TAC__FED_WAITING)
            tac__out_add(&out, "  '%s' waits at %s\n", c->name, TAC__SHOWN(c->clock.t_us));
    }
}
