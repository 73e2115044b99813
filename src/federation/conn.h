// conn.h - the inside of transport.h, shared by its parts.
#ifndef TAC_FEDERATION_CONN_H
#define TAC_FEDERATION_CONN_H

#include "federation/shm.h"
#include "federation/transport.h"

#include <sys/socket.h>
#include <sys/types.h>

// What a poller knows of a listener or connection: the first member of both.
typedef struct tac__watch tac__watch;
struct tac__watch {
    tac__poller *poller; // NULL: in none
    void *tag;
    tac__conn *conn; // NULL: a listener
    bool want_read, want_write;
    bool read, write;           // found ready; in the poller's list while one of them is true
    tac__watch *before, *after; // in that list
    tac__watch *left, *right;   // in the list of connections of this transport
};

struct tac__conn {
    tac__watch watch;
    const tac_allocator *allocator;
    tac__transport transport;
    int fd;
    int error;            // errno's value with which the connection ended, 0 while it has not
    uint64_t patience_us; // SO_RCVTIMEO, 0 while it has none
    tac__shm shm;
    char peer[TAC__ADDRESS_TEXT + 32];
};

struct tac__listener {
    tac__watch watch;
    const tac_allocator *allocator;
    tac__address address;
    int fd;
    int spare;    // a descriptor to give up where there are no more, to turn one away
    pid_t owner;  // the process that opened it: a child does not remove its file
    dev_t device; // and this one it is
    ino_t file;
};

// --- socket.c: what all sockets share ----------------------------------------------------------

// A socket for `family` that neither waits nor is inherited; -1 with errno.
int tac__socket_open(int family);
// From now on calls wait, unless they say that they do not (MSG_DONTWAIT).
void tac__socket_set_waiting(int fd);
// TCP: small writes leave at once; a host that is silent for 15 s is gone, if nothing is sent to
// it.
void tac__socket_tune(int fd);
// TCP: the other host has not answered for so long, though it was asked several times. Tells what
// options of the socket do not: while sent bytes wait to be acknowledged.
bool tac__socket_is_dead(int fd, uint32_t silence_ms);
// The address of Unix sockets that `path` names.
socklen_t tac__socket_path(const char *path, struct sockaddr_storage *name);
// The text of a TCP address.
void tac__socket_text(const struct sockaddr_storage *name, tac__address *address);
// The process at the other end of a Unix socket. TAC_E_NETWORK if it is that of another user.
tac_status tac__socket_check_user(int fd, const char *address, pid_t *process, tac_error *err);

// Addresses that a host and port of tcp stand for, in the order in which they are to be tried.
enum { TAC__CANDIDATES = 16 };
typedef struct tac__candidates {
    size_t count;
    struct sockaddr_storage name[TAC__CANDIDATES];
    socklen_t length[TAC__CANDIDATES];
} tac__candidates;
// `*later`: true if another attempt may succeed.
tac_status tac__socket_resolve(const tac__address *address, tac__candidates *found, bool *later,
                               tac_error *err);

// A connection over the socket `fd`, which is closed on failure, too. `accepted`: the server's
// side.
tac_status tac__conn_make(int fd, bool accepted, const tac__address *address,
                          const tac_allocator *allocator, tac__conn **conn, tac_error *err);
// Shared memory, a client's side: take it as soon as it is there. 0, EAGAIN, or how it ended.
int tac__conn_attach(tac__conn *conn);
// As tac__conn_read of a socket, but waits for so long at most.
tac__io tac__conn_await(tac__conn *conn, uint64_t limit_us, void *bytes, size_t size, size_t *done,
                        tac_error *err);

// --- poller.c ----------------------------------------------------------------------------------

struct tac__poller {
    const tac_allocator *allocator;
    int fd;
    bool crowded;                     // more processes on this host than looking is good for
    unsigned whole;                   // times of looking in a row that nobody tore
    uint64_t rest_us, rests_until_us; // no wait looks before then; how long that is
    tac__watch *first, *last;         // found ready and not taken yet
    tac__watch *tcp, *shm;            // its connections of these transports
    size_t members;                   // listeners and connections
    unsigned busy;                    // waits that found something in a ring
    uint64_t looked_us;               // when dead hosts were looked for
    uint64_t check_us;                // how often that is done
    uint32_t silence_ms;              // a host that does not answer for so long is dead
};

// Leave the poller, if in one.
void tac__watch_leave(tac__watch *watch, int fd);
// The shared memory of a connection has come: its poller, if it is in one, waits for its bell, too.
// 0 or errno's value.
int tac__watch_attached(tac__watch *watch);

#endif
