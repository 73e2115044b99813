// shm.h - a connection through shared memory.
//
// The server makes the memory when it lets a client in and sends it over their Unix socket: two
// rings, and for each side a bell (an eventfd) for when it sleeps. The socket stays open; its end
// is the end of the peer. Neither side can make the memory smaller under the other.
#ifndef TAC_FEDERATION_SHM_H
#define TAC_FEDERATION_SHM_H

#include "base/error.h"
#include "federation/ring.h"

enum { TAC__SHM_RING = 1 << 20 }; // bytes each way

typedef struct tac__shm {
    void *memory; // NULL: not there yet
    size_t size;
    tac__ring_end in, out;
    int own_bell, peer_bell; // of no meaning without memory
    unsigned idle;           // calls that moved nothing, since the peer was looked after
    bool gone;               // the peer has closed its socket or is dead
} tac__shm;

// The server's side, over the socket `fd`: all at once. `name` is for texts.
tac_status tac__shm_offer(tac__shm *shm, int fd, const char *name, tac_error *err);

// The client's side: says which transport it speaks, in words for a server that does not.
void tac__shm_ask(int fd);
// Takes what the server has sent, if it has. Returns 0, or EAGAIN where it has
// not yet, or what is wrong: EPIPE (closed before), EPROTO (something else was sent), ENOMEM, ...
int tac__shm_take(tac__shm *shm, int fd);

void tac__shm_close(tac__shm *shm);

// Bytes that were moved: 0 where none can be, SIZE_MAX where the peer has broken the memory. Wakes
// the peer where it sleeps.
size_t tac__shm_read(tac__shm *shm, void *bytes, size_t size);
size_t tac__shm_write(tac__shm *shm, const void *bytes, size_t size);

// Whether reading or writing would do something now, be it to find that the memory is broken. One
// can write again when a quarter is free, so that not every few bytes that are read wake the
// writer.
bool tac__shm_readable(tac__shm *shm);
bool tac__shm_writable(tac__shm *shm);

// Before this process waits for its bell, and after.
void tac__shm_sleeps(tac__shm *shm, bool read, bool write);
void tac__shm_woke(tac__shm *shm);

// After nothing could be read or written: looks now and then whether the peer is gone; sets `gone`.
void tac__shm_look_after(tac__shm *shm, int fd);

#endif
