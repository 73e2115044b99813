// transport.h - byte streams between processes: TCP, Unix sockets, shared memory.
//
// What is sent arrives in order and once, in pieces of any size. The protocol above knows nothing
// of the transport. Nothing here starts a thread, raises SIGPIPE or leaves a file descriptor to a
// program that is started. Errors name the address and what the system said (TAC_E_NETWORK).
//
// Of one process, all of a listener, its connections and their poller are for one thread.
#ifndef TAC_FEDERATION_TRANSPORT_H
#define TAC_FEDERATION_TRANSPORT_H

#include "federation/address.h"
#include <tactus/memory.h>

// Microseconds of wall time, of a clock that only goes forward.
uint64_t tac__clock_us(void);

// --- a listener: the server's address --------------------------------------------------------

typedef struct tac__listener tac__listener;

// Unix and shm: the socket's file has mode 0600. The file of a server that is dead is replaced; one
// of a server that lives, or a file of another kind, is refused.
tac_status tac__listener_open(const tac__address *address, const tac_allocator *allocator,
                              tac__listener **listener, tac_error *err);
// Takes the socket's file away. Connections stay. NULL is allowed.
void tac__listener_close(tac__listener *listener);
// With the port that was found for port 0, and the address that a name led to.
const tac__address *tac__listener_address(const tac__listener *listener);

// --- a connection ----------------------------------------------------------------------------

typedef struct tac__conn tac__conn;

// The next one who dialled; NULL where nobody waits. A failure is that of one peer, such as one of
// another user (unix, shm): the listener goes on.
tac_status tac__listener_accept(tac__listener *listener, tac__conn **conn, tac_error *err);

// Tries again while nobody listens there yet, for `patience_us`: processes start in any order.
// Takes that long at most, except that names are looked up without a limit and that a first attempt
// over TCP to a silent host has a second.
tac_status tac__conn_dial(const tac__address *address, uint64_t patience_us,
                          const tac_allocator *allocator, tac__conn **conn, tac_error *err);
// What was written still arrives. The connection leaves its poller. NULL is allowed.
void tac__conn_close(tac__conn *conn);

// The other end, for texts: "tcp://127.0.0.1:40112", "unix:///tmp/s (process 4711)".
const char *tac__conn_peer(const tac__conn *conn);

typedef enum tac__io {
    TAC__IO_DONE,    // at least one byte
    TAC__IO_BLOCKED, // none at present
    TAC__IO_CLOSED,  // the peer has closed the connection or is dead; all that came was read
    TAC__IO_FAILED,  // the connection is of no use any more
} tac__io;

// Neither of them waits. `size` is at least 1; `*done` is how many bytes were read or written, 0
// unless TAC__IO_DONE. CLOSED and FAILED fill `err` (may be NULL) and come again on every later
// call.
tac__io tac__conn_read(tac__conn *conn, void *bytes, size_t size, size_t *done, tac_error *err);
tac__io tac__conn_write(tac__conn *conn, const void *bytes, size_t size, size_t *done,
                        tac_error *err);

// --- a poller: waiting for any of them --------------------------------------------------------

typedef struct tac__poller tac__poller;

tac_status tac__poller_open(const tac_allocator *allocator, tac__poller **poller, tac_error *err);
// After its listeners and connections were removed or closed. NULL is allowed.
void tac__poller_close(tac__poller *poller);

// How many processes of this federation are on this host, this one included. Where they are many a
// processor, a wait sleeps at once instead of yielding between some looks. 0, the default: unknown.
void tac__poller_set_participants(tac__poller *poller, unsigned participants);

// `tag` comes back with what is ready. A listener is ready when somebody dialled. A connection is
// at first waited for to read, and is always ready when its peer is gone.
tac_status tac__poller_add_listener(tac__poller *poller, tac__listener *listener, void *tag,
                                    tac_error *err);
tac_status tac__poller_add(tac__poller *poller, tac__conn *conn, void *tag, tac_error *err);
// To write: while output is left after TAC__IO_BLOCKED. Not to read: while input cannot be taken.
// Cheap where nothing changes.
void tac__poller_want(tac__poller *poller, tac__conn *conn, bool read, bool write);
void tac__poller_remove(tac__poller *poller, tac__conn *conn);
void tac__poller_remove_listener(tac__poller *poller, tac__listener *listener);

// Wait until something is ready, a signal came, or `limit_us` went by (0: only look; UINT64_MAX: no
// limit). Returns at once where not all that was ready has been taken with tac__poller_next.
tac_status tac__poller_wait(tac__poller *poller, uint64_t limit_us, tac_error *err);

typedef struct tac__ready {
    void *tag;
    bool read, write;
} tac__ready;

// As tac__conn_read, but waits for bytes as tac__poller_wait does; TAC__IO_BLOCKED where none came.
// For who has no other connection: the poller has just this one, over sockets it takes fewer calls
// of the system, and what else a wait found is dropped.
tac__io tac__poller_read(tac__poller *poller, tac__conn *conn, uint64_t limit_us, void *bytes,
                         size_t size, size_t *done, tac_error *err);

// What the last wait found, one after the other; false where there is no more. What was closed or
// removed meanwhile does not come.
bool tac__poller_next(tac__poller *poller, tac__ready *ready);

#endif
