// ring.h - a stream of bytes through memory that two processes share: one writes, one reads.
//
// Each side keeps its own place to itself and only tells the other; what the other tells is
// checked. So a peer that writes nonsense into the memory ends the stream and does no harm beyond
// it.
#ifndef TAC_FEDERATION_RING_H
#define TAC_FEDERATION_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In shared memory, zero at first. Each lies 128 bytes from the next, since processors fetch cache
// lines in pairs: who asks whether the other side sleeps does not wait for its counters, too.
typedef struct tac__ring {
    _Alignas(128) _Atomic uint64_t put;           // bytes written since the start
    _Alignas(128) _Atomic uint64_t taken;         // bytes read since the start
    _Alignas(128) _Atomic uint32_t reader_sleeps; // 1: the reader waits for its bell
    _Alignas(128) _Atomic uint32_t writer_sleeps;
} tac__ring;

// One side of a ring: its writer or its reader.
typedef struct tac__ring_end {
    tac__ring *ring;
    unsigned char *bytes; // `size` of them, a power of two
    uint64_t size;
    uint64_t own;   // what this side has told the other: bytes written, or read
    uint64_t other; // what the other had told when this side looked last
} tac__ring_end;

// How many bytes can be read or written now; SIZE_MAX where the other side told nonsense.
size_t tac__ring_filled(tac__ring_end *reader);
size_t tac__ring_free(tac__ring_end *writer);

// As many bytes as there are, up to `size`: 0 where none, SIZE_MAX as above.
size_t tac__ring_read(tac__ring_end *reader, void *bytes, size_t size);
size_t tac__ring_write(tac__ring_end *writer, const void *bytes, size_t size);

// A side that is going to sleep says so, then looks once more whether it may; one that has woken
// says that, too. The other side asks after each change whether it has to ring, which is true once.
// Between the two there is a full barrier: one of them sees the other.
void tac__ring_reader_sleeps(tac__ring_end *reader, bool sleeps);
void tac__ring_writer_sleeps(tac__ring_end *writer, bool sleeps);
bool tac__ring_wakes_reader(tac__ring_end *writer);
bool tac__ring_wakes_writer(tac__ring_end *reader);

#endif
