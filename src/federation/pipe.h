// pipe.h - a connection with what stands between it and a state machine: the filter of a shared
// key, if there is one, and bytes that could not be written yet.
#ifndef TAC_FEDERATION_PIPE_H
#define TAC_FEDERATION_PIPE_H

#include "federation/secure.h"
#include "federation/transport.h"

typedef struct tac__pipe {
    tac__conn *conn;     // NULL: closed
    tac__secure *secure; // NULL: plain bytes
    bool blocked;        // output is left that the connection did not take
} tac__pipe;

// What becomes of plain bytes that came.
typedef void tac__pipe_fn(void *context, const void *bytes, size_t count);

// Takes over the connection, also where it fails. `key` may be NULL.
TAC_MUST_CHECK tac_status tac__pipe_open(tac__pipe *pipe, tac__conn *conn, const uint8_t *key,
                                         tac__secure_role role, tac_error *err);
void tac__pipe_close(tac__pipe *pipe);

// Read what there is and hand it on. Fails where the connection has ended or broken, or the other
// side has not the same key, which it is told.
TAC_MUST_CHECK tac_status tac__pipe_read(tac__pipe *pipe, tac__pipe_fn *take, void *context,
                                         tac_error *err);
// The same, but waits for something for so long at most. The poller has just this connection.
TAC_MUST_CHECK tac_status tac__pipe_await(tac__pipe *pipe, tac__poller *poller, uint64_t limit_us,
                                          tac__pipe_fn *take, void *context, tac_error *err);
// Write as much of `out` as the connection takes, and take it off.
TAC_MUST_CHECK tac_status tac__pipe_write(tac__pipe *pipe, tac__bytes *out, tac_error *err);
// Bytes that have not been written and could be: none of `out` before the other side has proved
// that it has the key.
size_t tac__pipe_left(const tac__pipe *pipe, const tac__bytes *out);

#endif
