// pipe.c - moving bytes between a connection and a state machine.
#include "federation/pipe.h"

// A read that fills the buffer is followed by another; most rounds need one. One who writes without
// end must not keep the reader from all the others.
enum { PIECE = 1 << 16, PIECES = 16 };

tac_status tac__pipe_open(tac__pipe *p, tac__conn *conn, const uint8_t *key, tac__secure_role role,
                          tac_error *err)
{
    *p = (tac__pipe){.conn = conn};
    if (!key)
        return TAC_OK;
    const tac__secure_def def = {.role = role, .key = key};
    const tac_status status = tac__secure_create(&def, &p->secure, err);
    if (status != TAC_OK)
        tac__pipe_close(p);
    return status;
}

void tac__pipe_close(tac__pipe *p)
{
    tac__conn_close(p->conn);
    tac__secure_destroy(p->secure);
    *p = (tac__pipe){0};
}

// Write what the filter has to say before this side gives up. A connection that takes nothing now
// is closed without it: nobody waits for a stranger.
static void write_refusal(tac__pipe *p)
{
    tac__bytes *wire = tac__secure_wire(p->secure);
    size_t count;
    while (tac__bytes_count(wire) &&
           tac__conn_write(p->conn, tac__bytes_front(wire), tac__bytes_count(wire), &count, NULL) ==
               TAC__IO_DONE)
        tac__bytes_take(wire, count);
}

static tac_status take_secure(tac__pipe *p, const void *bytes, size_t count, tac__pipe_fn *take,
                              void *context, tac_error *err)
{
    const tac_status status = tac__secure_feed(p->secure, bytes, count, err);
    if (status != TAC_OK)
        write_refusal(p);
    tac__bytes *plain = tac__secure_plain(p->secure);
    if (tac__bytes_count(plain))
        take(context, tac__bytes_front(plain), tac__bytes_count(plain));
    tac__bytes_take(plain, tac__bytes_count(plain));
    return status;
}

// `poller`: for the first piece it waits for `limit_us`; NULL: it does not wait.
static tac_status take_pieces(tac__pipe *p, tac__poller *poller, uint64_t limit_us,
                              tac__pipe_fn *take, void *context, tac_error *err)
{
    uint8_t bytes[PIECE];
    size_t count = sizeof bytes;
    for (int i = 0; i < PIECES && count == sizeof bytes; i++) {
        const tac__io io = poller && !i ? tac__poller_read(poller, p->conn, limit_us, bytes,
                                                           sizeof bytes, &count, err)
                                        : tac__conn_read(p->conn, bytes, sizeof bytes, &count, err);
        if (io == TAC__IO_BLOCKED)
            return TAC_OK;
        if (io != TAC__IO_DONE) {
            tac_error own;
            if (p->secure && tac__secure_end(p->secure, &own) != TAC_OK) {
                if (err)
                    *err = own; // says more: another key, or an end inside a record
                return own.status;
            }
            return TAC_E_NETWORK;
        }
        if (p->secure)
            TAC_TRY(take_secure(p, bytes, count, take, context, err));
        else
            take(context, bytes, count);
    }
    return TAC_OK;
}

tac_status tac__pipe_read(tac__pipe *p, tac__pipe_fn *take, void *context, tac_error *err)
{
    return take_pieces(p, NULL, 0, take, context, err);
}

tac_status tac__pipe_await(tac__pipe *p, tac__poller *poller, uint64_t limit_us, tac__pipe_fn *take,
                           void *context, tac_error *err)
{
    return take_pieces(p, poller, limit_us, take, context, err);
}

tac_status tac__pipe_write(tac__pipe *p, tac__bytes *out, tac_error *err)
{
    if (p->secure) {
        if (tac__bytes_count(out) && tac__secure_state_of(p->secure) == TAC__SECURE_OPEN) {
            TAC_TRY(tac__secure_seal(p->secure, tac__bytes_front(out), tac__bytes_count(out), err));
            tac__bytes_take(out, tac__bytes_count(out));
        }
        out = tac__secure_wire(p->secure);
    }
    p->blocked = false;
    while (tac__bytes_count(out)) {
        size_t count;
        const tac__io io =
            tac__conn_write(p->conn, tac__bytes_front(out), tac__bytes_count(out), &count, err);
        p->blocked = io == TAC__IO_BLOCKED;
        if (io == TAC__IO_BLOCKED)
            return TAC_OK;
        if (io != TAC__IO_DONE)
            return TAC_E_NETWORK;
        tac__bytes_take(out, count);
    }
    return TAC_OK;
}

size_t tac__pipe_left(const tac__pipe *p, const tac__bytes *out)
{
    if (!p->conn)
        return 0;
    const size_t sealed = p->secure ? tac__bytes_count(tac__secure_wire(p->secure)) : 0;
    const bool open = !p->secure || tac__secure_state_of(p->secure) == TAC__SECURE_OPEN;
    return sealed + (open ? tac__bytes_count(out) : 0);
}
