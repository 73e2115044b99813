// serve.c - the server of a federation on a network: a listener, connections, and a loop that moves
// bytes between these and the state machine of server.h.
#include "federation/key.h"
#include "federation/passage_log.h"
#include "federation/pipe.h"
#include "federation/republisher.h"
#include "federation/server.h"

#include "base/def.h"

#include <stdlib.h>

enum {
    // So many connections are read before clients are authorised: the first clients go on while
    // the rest are read. A ring of 64 takes 230 to 390 us a round with 4, 420 to 460 without a
    // limit (2 cores).
    BATCH = 4,
    WAIT_US = 50000,       // how long a wait goes on without a look at the clock
    LOOK_US = 50000,       // between two calls of `look`
    ACCEPTS = 16,          // connections that are accepted in one turn
    FAREWELL_US = 1000000, // how long clients are given to take what was said last
};

// One who is connected.
typedef struct peer {
    tac__pipe pipe;
    tac_server *server;
    int number; // of the connection in the state machine
    bool broken;
    tac_error err; // how it broke
} peer;

struct tac_server {
    tac__server *machine;
    tac__listener *listener;
    tac__poller *poller;
    peer **peers; // by number
    size_t peer_count, peer_capacity;
    uint8_t key[TAC__KEY_BYTES];
    bool keyed;
    tac_server_def def; // as it was given, for functions in it
    uint64_t looked_us, began_us, ended_us;
    // messages for everyone to see:
    tac__republisher *republisher;
    tac__passage_log *log;
    tac_error lcm_error; // why there is no republisher
};

// --- making -------------------------------------------------------------------------------------

static tac_status open_listener(tac_server *s, const tac_server_def *def, tac_error *err)
{
    tac__address address;
    TAC_TRY(tac__address_parse(def->address, &address, err));
    if (!tac__address_is_local(&address) && !def->key_file)
        return tac__fail(err, TAC_E_CONFIG,
                         "'%s' can be reached from other hosts: that needs a shared key",
                         address.text);
    if (def->key_file) {
        TAC_TRY(tac__key_read(def->key_file, s->key, err));
        s->keyed = true;
    }
    TAC_TRY(tac__poller_open(tac_allocator_default(), &s->poller, err));
    TAC_TRY(tac__listener_open(&address, tac_allocator_default(), &s->listener, err));
    return tac__poller_add_listener(s->poller, s->listener, NULL, err);
}

static const tac_link_law *give_law(void *context, const tac_link_ends *ends)
{
    const tac_server *s = context;
    return s->def.law(s->def.context, ends);
}

static uint64_t give_number(void *context, size_t client, const char *channel)
{
    const tac_server *s = context;
    return s->def.number(s->def.context, client, channel);
}

static void give_text(void *context, const char *text)
{
    const tac_server *s = context;
    s->def.log(s->def.context, text);
}

static void watch(void *context, const tac_passage *passage)
{
    const tac_server *s = context;
    if (s->republisher)
        tac__republisher_add(s->republisher, passage);
    if (s->log)
        tac__passage_log_add(s->log, passage);
    if (s->def.watch)
        s->def.watch(s->def.context, passage);
}

static void settle(void *context, tac_time t_us)
{
    const tac_server *s = context;
    if (s->log)
        tac__passage_log_settle(s->log, t_us);
    if (s->def.settled)
        s->def.settled(s->def.context, t_us);
}

// Messages for everyone to see. What the network refuses is no reason not to simulate.
static tac_status open_lcm(tac_server *s, const tac_server_def *def, tac_error *err)
{
    tac_error_clear(&s->lcm_error);
    if (!(def->lcm_rate >= 0))
        return tac__fail(err, TAC_E_RANGE, "'lcm_rate' is at least 0");
    if (def->lcm &&
        tac__republisher_create(def->lcm, def->lcm_rate, &s->republisher, &s->lcm_error) != TAC_OK)
        s->republisher = NULL;
    return def->lcm_log ? tac__passage_log_open(def->lcm_log, def->lcm_log_replace, &s->log, err)
                        : TAC_OK;
}

// The state machine calls what it is given; where messages are for everyone to see, through here.
static tac_status create_machine(tac_server *s, const tac_server_def *def, tac_error *err)
{
    s->def = *def;
    TAC_TRY(open_lcm(s, def, err));
    tac_server_def own = *def;
    if (s->republisher || s->log) {
        own.context = s;
        own.law = def->law ? give_law : NULL;
        own.number = def->number ? give_number : NULL;
        own.log = def->log ? give_text : NULL;
        own.watch = watch;
        own.settled = s->log || def->settled ? settle : NULL;
    }
    return tac__server_create(NULL, &own, &s->machine, err);
}

tac_status tac_server_create(const tac_server_def *def, tac_server **server, tac_error *err)
{
    TAC_REQUIRE(def && server);
    TAC__DEF(tac_server_def, def, err);
    TAC_REQUIRE(def->address && (def->names || !def->count));
    tac_server *s = calloc(1, sizeof *s);
    if (!s)
        return tac__fail_memory(err);
    tac_status status = create_machine(s, def, err);
    if (status == TAC_OK)
        status = open_listener(s, def, err);
    if (status != TAC_OK) {
        tac_server_destroy(s);
        return status;
    }
    *server = s;
    return TAC_OK;
}

const char *tac_server_address(const tac_server *s)
{
    return s ? tac__listener_address(s->listener)->text : "";
}

// --- connections --------------------------------------------------------------------------------

static void drop(tac_server *s, peer *p)
{
    s->peers[p->number] = NULL;
    tac__pipe_close(&p->pipe);
    free(p);
}

static void take_bytes(void *context, const void *bytes, size_t count)
{
    peer *p = context;
    tac__server_input(p->server->machine, p->number, bytes, count);
}

static void read_peer(peer *p)
{
    if (p->broken || tac__pipe_read(&p->pipe, take_bytes, p, &p->err) == TAC_OK)
        return;
    p->broken = true;
}

static bool keep_peer(tac_server *s, peer *p)
{
    const size_t at = (size_t)p->number;
    if (at >= s->peer_capacity) {
        const size_t capacity = at < 32 ? 64 : 2 * at;
        peer **peers = realloc(s->peers, capacity * sizeof *peers);
        if (!peers)
            return false;
        s->peers = peers;
        s->peer_capacity = capacity;
    }
    for (; s->peer_count <= at; s->peer_count++)
        s->peers[s->peer_count] = NULL;
    s->peers[at] = p;
    return true;
}

// A connection that cannot be kept is closed; it concerns nobody else.
static void add_peer(tac_server *s, tac__conn *conn)
{
    peer *p = calloc(1, sizeof *p);
    const int number = tac__server_connect(s->machine);
    if (!p || number < 0) {
        if (number >= 0)
            tac__server_closed(s->machine, number, NULL);
        tac__conn_close(conn);
        free(p);
        return;
    }
    p->server = s;
    p->number = number;
    tac_error err;
    if (!keep_peer(s, p)) {
        tac__conn_close(conn);
        tac__server_closed(s->machine, number, NULL);
        free(p);
        return;
    }
    if (tac__pipe_open(&p->pipe, conn, s->keyed ? s->key : NULL, TAC__SECURE_SERVER, &err) !=
            TAC_OK ||
        tac__poller_add(s->poller, p->pipe.conn, p, &err) != TAC_OK) {
        tac__server_closed(s->machine, number, NULL);
        drop(s, p);
    }
}

// A failure concerns one who dialled. Those who are left are accepted in the next turn: before that
// the others are read, so that a crowd cannot push out one that has said HELLO.
static void accept_some(tac_server *s)
{
    tac__conn *conn = NULL;
    for (int i = 0; i < ACCEPTS && tac__listener_accept(s->listener, &conn, NULL) == TAC_OK && conn;
         i++)
        add_peer(s, conn);
}

static void write_peer(tac_server *s, peer *p)
{
    tac__bytes *out = tac__server_output(s->machine, p->number);
    if (!p->broken && tac__pipe_write(&p->pipe, out, &p->err) != TAC_OK)
        p->broken = true;
    const bool done = tac__server_closing(s->machine, p->number) && !tac__pipe_left(&p->pipe, out);
    if (p->broken || done) {
        tac__server_closed(s->machine, p->number, p->broken ? p->err.text : NULL);
        drop(s, p);
    } else {
        tac__poller_want(s->poller, p->pipe.conn, true, p->pipe.blocked);
    }
}

static void write_all(tac_server *s)
{
    for (size_t i = 0; i < s->peer_count; i++) {
        if (s->peers[i])
            write_peer(s, s->peers[i]);
    }
}

// --- the loop -----------------------------------------------------------------------------------

// Let the state machine act on what it has been told, and write what follows.
static void act(tac_server *s)
{
    const uint64_t now_us = tac__clock_us();
    if (s->def.look && now_us - s->looked_us >= LOOK_US) {
        s->looked_us = now_us;
        const char *why = s->def.look(s->def.context, tac__server_time(s->machine));
        if (why)
            tac__server_abort(s->machine, TAC_E_STOPPED, "", why);
    }
    tac__server_turn(s->machine, now_us / 1000);
    if (!s->began_us && tac__server_info(s->machine).grants) {
        s->began_us = now_us;
        if (tac__address_is_local(tac__listener_address(s->listener)))
            tac__poller_set_participants(s->poller,
                                         (unsigned)tac__server_info(s->machine).clients + 1);
    }
    write_all(s);
}

// Wait for something, take some of it, act on it.
static tac_status turn(tac_server *s, tac_error *err)
{
    TAC_TRY(tac__poller_wait(s->poller, WAIT_US, err));
    tac__ready ready;
    for (int taken = 0; taken < BATCH && tac__poller_next(s->poller, &ready); taken++) {
        if (!ready.tag)
            accept_some(s);
        else if (ready.read)
            read_peer(ready.tag);
    }
    act(s);
    return TAC_OK;
}

static bool is_over(const tac_server *s)
{
    const tac__server_state state = tac__server_state_of(s->machine);
    return state == TAC__SERVER_FAILED || state == TAC__SERVER_ENDED;
}

static bool has_peers(const tac_server *s)
{
    for (size_t i = 0; i < s->peer_count; i++) {
        if (s->peers[i])
            return true;
    }
    return false;
}

// Clients are given some time to take what was said to them last.
static void say_farewell(tac_server *s)
{
    const uint64_t end_us = tac__clock_us() + FAREWELL_US;
    tac_error err;
    write_all(s);
    while (has_peers(s) && tac__clock_us() < end_us && turn(s, &err) == TAC_OK)
        continue;
}

static tac_status result(tac_server *s, tac_error *err)
{
    if (!is_over(s))
        return TAC_OK;
    s->ended_us = tac__clock_us();
    say_farewell(s);
    if (s->republisher)
        tac__republisher_finish(s->republisher);
    tac_error own;
    const tac_status logged = tac__passage_log_close(s->log, &own);
    s->log = NULL;
    TAC_TRY(tac__server_error(s->machine, err));
    if (logged != TAC_OK && err)
        *err = own;
    return logged;
}

tac_status tac_server_advance_to(tac_server *s, tac_time to_us, tac_error *err)
{
    TAC_REQUIRE(s);
    tac__server_advance_to(s->machine, to_us);
    act(s); // clients that wait for this have nothing to say
    while (!is_over(s) && (tac__server_state_of(s->machine) != TAC__SERVER_ADVANCING ||
                           !tac__server_reached(s->machine, to_us)))
        TAC_TRY(turn(s, err));
    return result(s, err);
}

tac_status tac_server_finish(tac_server *s, tac_error *err)
{
    TAC_REQUIRE(s);
    TAC_TRY(tac_server_advance_to(s, tac__server_end(s->machine) + 1, err));
    tac__server_finish(s->machine);
    write_all(s);
    while (!is_over(s))
        TAC_TRY(turn(s, err));
    return result(s, err);
}

void tac_server_destroy(tac_server *s)
{
    if (!s)
        return;
    if (s->machine && s->poller && !is_over(s)) {
        tac__server_abort(s->machine, TAC_E_FEDERATION, "", "the server has ended");
        say_farewell(s);
    }
    for (size_t i = 0; i < s->peer_count; i++) {
        if (s->peers[i])
            drop(s, s->peers[i]);
    }
    free(s->peers);
    tac__listener_close(s->listener);
    tac__poller_close(s->poller);
    tac__republisher_destroy(s->republisher);
    (void)!tac__passage_log_close(s->log, NULL);
    tac__server_destroy(s->machine);
    tac__key_forget(s->key);
    free(s);
}

// --- what is known ------------------------------------------------------------------------------

tac_time tac_server_time(const tac_server *s)
{
    return s ? tac__server_time(s->machine) : 0;
}

void tac_server_info_sized(const tac_server *s, tac_dispatch_info *info, size_t size)
{
    tac_dispatch_info ours = {0};
    if (s) {
        ours = tac__server_info(s->machine);
        const uint64_t end_us = s->ended_us ? s->ended_us : tac__clock_us();
        ours.wall_s = s->began_us ? (double)(end_us - s->began_us) / 1e6 : 0;
        if (s->republisher)
            tac__republisher_counts(s->republisher, &ours.published, &ours.left_out);
    }
    tac__def_give(info, size, &ours, sizeof ours);
}

const char *tac_server_lcm_error(const tac_server *s)
{
    return s && s->lcm_error.status != TAC_OK ? s->lcm_error.text : NULL;
}

const char *tac_server_lcm_left_out(const tac_server *s, size_t i, uint64_t *count)
{
    uint64_t none;
    if (s && s->republisher)
        return tac__republisher_left_out(s->republisher, i, count ? count : &none);
    if (count)
        *count = 0;
    return NULL;
}

uint64_t tac_server_trace(const tac_server *s, size_t client)
{
    return s ? tac__server_trace(s->machine, client) : 0;
}
