// queue.h - the background half of the writer: jobs in, a file out, in the order in which they
// came.
//
// Threads take jobs and compress chunks in parallel. Chunks are written one after the other, by the
// thread that has the turn, so the bytes of the file depend on the jobs alone. The threads allocate
// nothing except what the compression libraries do: a job brings its memory, and returns to the
// simulation thread with it.
#ifndef TAC_RECORD_MCAP_QUEUE_H
#define TAC_RECORD_MCAP_QUEUE_H

#include "record/mcap/compress.h"
#include "record/mcap/format.h"

#include <pthread.h>
#include <stdatomic.h>

// The position of a chunk in the file and its contents: made by the simulation thread, filled in by
// a worker.
typedef struct tac__mcap_place {
    struct tac__mcap_place *next;
    tac__mcap_chunk_info info; // without channels
    uint16_t channel;
    uint64_t index_length;
} tac__mcap_place;

typedef struct tac__mcap_job {
    struct tac__mcap_job *next;
    uint64_t turn;
    unsigned char *bytes; // messages or samples of a chunk, or a whole record
    size_t size, capacity;
    size_t messages_size;             // of a chunk: bytes of its messages
    const tac__mcap_samples *samples; // NULL: the chunk holds messages
    uint64_t sequence;                // of samples: messages of the channel before the first
    unsigned char *out;               // output of a chunk that is larger than chunk_size; else NULL
    size_t out_capacity;
    tac__mcap_place *chunk; // NULL: a record, written as it is
    uint64_t *record_at;    // of a record: its position in the file; may be NULL
    bool sync;              // everything written so far is to be on the disk

    const unsigned char *packed; // what is written when its turn comes
    size_t packed_size;
    struct tac__mcap_out *lent; // the buffer that holds it; NULL: its own memory
} tac__mcap_job;

typedef struct tac__mcap_out { // a packed chunk and its index; at its end messages, if encoded
    unsigned char *bytes;
    bool busy; // until it is written
} tac__mcap_out;

// How many chunks of a worker may be compressed before their turn.
enum { TAC__MCAP_OUTS = 4 };

typedef struct tac__mcap_worker {
    struct tac__mcap_queue *queue;
    pthread_t thread;
    tac__packer packer;
    tac__mcap_out outs[TAC__MCAP_OUTS];
} tac__mcap_worker;

enum { TAC__MCAP_WORKERS = 8 };

typedef struct tac__mcap_queue {
    int fd;
    tac__compression compression;
    size_t memory;
    size_t out_capacity;
    tac__mcap_worker workers[TAC__MCAP_WORKERS];
    tac__mcap_worker own; // of the simulation thread, without a thread of its own
    int started, limit;   // threads; used by the simulation thread only, as are the next two
    int level;            // of compression
    uint64_t handed;      // jobs so far

    pthread_mutex_t lock;
    pthread_cond_t work, help, turn, room; // for the first worker, for the others, ...
    tac__mcap_job *first, **last;          // waiting for a worker
    tac__mcap_job *parked, *parked_last;   // packed, to be written when it is their turn; by turn
    bool writing;                          // some thread is writing
    tac__mcap_job *done;                   // to be returned to the simulation thread
    uint64_t at_turn;                      // number of the job that may be written
    size_t pending;                        // bytes of jobs handed over and not written
    bool stop;

    atomic_bool failed; // set under the lock, after what failed
    tac_status status;
    int reason;       // errno, 0: none
    const char *what; // where there is no errno

    // used by the thread whose turn it is
    uint64_t position;
    uint32_t crc;
} tac__mcap_queue;

// Bytes for a packed chunk of `size` bytes of messages with the records around it, and for these
// messages where they are encoded.
size_t tac__mcap_out_bound(tac__compression compression, size_t size);

// The caller fills in fd, compression, memory, out_capacity, position, crc and the bytes of all
// outs. Stop ends the threads that were started, after all jobs are done.
void tac__mcap_queue_init(tac__mcap_queue *queue);
void tac__mcap_queue_fini(tac__mcap_queue *queue);
bool tac__mcap_queue_start(tac__mcap_queue *queue, int workers, int level);
void tac__mcap_queue_stop(tac__mcap_queue *queue);

// Waits while too many bytes are pending.
void tac__mcap_hand_over(tac__mcap_queue *queue, tac__mcap_job *job);
// Waits until the first `count` jobs that were handed over are written.
void tac__mcap_queue_wait(tac__mcap_queue *queue, uint64_t count);
// All jobs that are done, linked by `next`.
tac__mcap_job *tac__mcap_take_back(tac__mcap_queue *queue);

// The first failure counts. `reason`: errno, or 0 where `what` says it.
void tac__mcap_queue_fail(tac__mcap_queue *queue, tac_status status, int reason, const char *what);
// Sync the file to the disk: may be called where tac__mcap_queue_write may.
void tac__mcap_queue_sync(tac__mcap_queue *queue);
// Write at the end of the file: only by the thread whose turn it is, or after stop. A record that
// cannot be written completely is cut off again.
bool tac__mcap_queue_write(tac__mcap_queue *queue, const void *bytes, size_t size);

#endif
