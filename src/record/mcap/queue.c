// queue.c - the threads that compress chunks and write the file.
#include "record/mcap/queue.h"
#include "base/floats.h"
#include "record/mcap/crc32.h"
#include "record/mcap/summary.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

// --- a chunk, packed -----------------------------------------------------------------------------

enum {
    FIELD = 4, // longest name of a compression
    CHUNK_FIXED = MCAP_HEAD + 8 + 8 + 8 + 4 + 4 + FIELD + 8,
    INDEX_FIXED = MCAP_HEAD + 2 + 4
};

size_t tac__mcap_out_bound(tac__compression compression, size_t size)
{
    const size_t messages = size / MCAP_MESSAGE_HEAD + 1;
    return CHUNK_FIXED + tac__pack_bound(compression, size) + INDEX_FIXED +
           messages * MCAP_INDEX_ENTRY + size;
}

static void encode(const tac__mcap_job *job, unsigned char *out)
{
    const tac__mcap_samples *s = job->samples;
    uint64_t sequence = job->sequence, time_ns;
    const unsigned char *at = job->bytes, *end = at + job->size;
    for (; at < end; at += sizeof time_ns + s->size, out += s->message_size) {
        memcpy(&time_ns, at, sizeof time_ns);
        out = mcap_put_message(out, job->chunk->channel, ++sequence, time_ns, s->message_size);
        s->encode(s->context, at + sizeof time_ns, out);
    }
}

static uint64_t u64_at(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Writes the index of all messages, and finds the times of the first and the last.
static unsigned char *put_index(unsigned char *out, tac__mcap_place *place,
                                const unsigned char *messages, size_t messages_size)
{
    unsigned char *entry = out + INDEX_FIXED;
    place->info.first_ns = UINT64_MAX;
    place->info.last_ns = 0;
    for (size_t at = 0; at < messages_size;) {
        const unsigned char *message = messages + at;
        const uint64_t time = u64_at(message + MCAP_HEAD + 2 + 4);
        place->info.first_ns = time < place->info.first_ns ? time : place->info.first_ns;
        place->info.last_ns = time > place->info.last_ns ? time : place->info.last_ns;
        entry = mcap_put_u64(entry, time);
        entry = mcap_put_u64(entry, at);
        at += MCAP_HEAD + u64_at(message + 1);
    }
    const size_t size = (size_t)(entry - out);
    out = mcap_put_head(out, MCAP_MESSAGE_INDEX, size - MCAP_HEAD);
    out = mcap_put_u16(out, place->channel);
    mcap_put_u32(out, (uint32_t)(size - INDEX_FIXED));
    place->index_length = size;
    return entry;
}

// The head of the chunk record needs the times that the index finds, so it is written last. Returns
// the size of both, 0: failed.
static size_t pack(tac__mcap_queue *queue, tac__packer *packer, const tac__mcap_job *job,
                   unsigned char *out, size_t room)
{
    const unsigned char *messages = job->bytes;
    const size_t size = job->messages_size;
    if (job->samples) {
        room -= size;
        messages = out + room;
        encode(job, out + room);
    }
    tac__mcap_chunk_info *info = &job->chunk->info;
    const char *name = tac__mcap_compression_field(queue->compression);
    const size_t name_size = strlen(name), head = CHUNK_FIXED - FIELD + name_size;
    const size_t packed = tac__pack(packer, messages, size, out + head, room - head);
    if (packed == 0)
        return 0;
    unsigned char *end = put_index(out + head + packed, job->chunk, messages, size);
    info->length = head + packed;
    info->compressed = packed;
    info->size = size;
    info->compression = queue->compression;
    unsigned char *at = mcap_put_head(out, MCAP_CHUNK, info->length - MCAP_HEAD);
    at = mcap_put_u64(at, info->first_ns);
    at = mcap_put_u64(at, info->last_ns);
    at = mcap_put_u64(at, size);
    at = mcap_put_u32(at, tac__crc32(0, messages, size));
    at = mcap_put_u32(at, (uint32_t)name_size);
    at = mcap_put(at, name, name_size);
    mcap_put_u64(at, packed);
    return (size_t)(end - out);
}

// --- writing -------------------------------------------------------------------------------------

void tac__mcap_queue_fail(tac__mcap_queue *queue, tac_status status, int reason, const char *what)
{
    pthread_mutex_lock(&queue->lock);
    if (!atomic_load(&queue->failed)) {
        queue->status = status;
        queue->reason = reason;
        queue->what = what;
        atomic_store(&queue->failed, true);
    }
    pthread_mutex_unlock(&queue->lock);
}

static bool put(tac__mcap_queue *queue, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(queue->fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            tac__mcap_queue_fail(queue, TAC_E_FILE, n < 0 ? errno : ENOSPC, NULL);
            // What was written before stays readable. A device cannot be truncated, and need not
            // be.
            if (ftruncate(queue->fd, (off_t)queue->position) != 0)
                return false;
            return false;
        }
        done += (size_t)n;
    }
    queue->crc = tac__crc32(queue->crc, bytes, size);
    queue->position += size;
    return true;
}

// Signals that write raises for a file that grew too large, or for a pipe without a reader. Where
// they are blocked, write only returns its error. The threads block them for good, the simulation
// thread while it writes.
static const int write_signals[] = {SIGXFSZ, SIGPIPE};
enum { WRITE_SIGNALS = sizeof write_signals / sizeof *write_signals };

static void block_signals(sigset_t *before)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int i = 0; i < WRITE_SIGNALS; i++)
        sigaddset(&blocked, write_signals[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

static void unblock_signals(const sigset_t *before)
{
    sigset_t pending;
    sigpending(&pending);
    for (int i = 0; i < WRITE_SIGNALS; i++) {
        const int signal = write_signals[i];
        if (sigismember(before, signal) || !sigismember(&pending, signal))
            continue;
        sigset_t one;
        int taken;
        sigemptyset(&one);
        sigaddset(&one, signal);
        sigwait(&one, &taken);
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool tac__mcap_queue_write(tac__mcap_queue *queue, const void *bytes, size_t size)
{
    sigset_t before;
    block_signals(&before);
    const bool written = put(queue, bytes, size);
    unblock_signals(&before);
    return written;
}

// Devices and pipes have nothing to sync.
void tac__mcap_queue_sync(tac__mcap_queue *queue)
{
    if (fdatasync(queue->fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        tac__mcap_queue_fail(queue, TAC_E_FILE, errno, NULL);
}

// After a failed write nothing more may be written.
static void write_job(tac__mcap_queue *queue, const tac__mcap_job *job)
{
    if (atomic_load(&queue->failed))
        return;
    if (job->chunk)
        job->chunk->info.offset = queue->position;
    if (job->record_at)
        *job->record_at = queue->position;
    if (put(queue, job->packed, job->packed_size) && job->sync)
        tac__mcap_queue_sync(queue);
}

// --- one after the other, under the lock ---------------------------------------------------------

// A free output buffer of this worker; NULL: all hold chunks that wait for their turn.
static tac__mcap_out *free_out(tac__mcap_worker *worker)
{
    for (int i = 0; i < TAC__MCAP_OUTS; i++) {
        if (!worker->outs[i].busy)
            return &worker->outs[i];
    }
    return NULL;
}

static tac__mcap_out *take_out(tac__mcap_worker *worker)
{
    tac__mcap_out *out = free_out(worker);
    while (!out) {
        pthread_cond_wait(&worker->queue->turn, &worker->queue->lock);
        out = free_out(worker);
    }
    out->busy = true;
    return out;
}

// In order of turn. Nearly every job comes after all that are parked already, so it is appended: a
// large record that is being written may have a hundred thousand small ones wait for it.
static void park(tac__mcap_queue *queue, tac__mcap_job *job)
{
    tac__mcap_job **at = &queue->parked;
    if (queue->parked && queue->parked_last->turn < job->turn)
        at = &queue->parked_last->next;
    while (*at && (*at)->turn < job->turn)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
    if (!job->next)
        queue->parked_last = job;
}

// NULL: the job whose turn it is has not been packed yet.
static tac__mcap_job *take_parked(tac__mcap_queue *queue)
{
    tac__mcap_job *job = queue->parked;
    if (!job || job->turn != queue->at_turn)
        return NULL;
    queue->parked = job->next;
    return job;
}

// A chunk that is compressed before its turn is parked. The thread that is writing emits it in
// order, so no thread waits for another one to write.
static void write_in_turn(tac__mcap_queue *queue, tac__mcap_job *job)
{
    park(queue, job);
    if (queue->writing)
        return;
    queue->writing = true;
    while ((job = take_parked(queue))) {
        pthread_mutex_unlock(&queue->lock);
        write_job(queue, job);
        pthread_mutex_lock(&queue->lock);
        queue->at_turn++;
        queue->pending -= job->capacity;
        if (job->lent)
            job->lent->busy = false;
        job->next = queue->done;
        queue->done = job;
        pthread_cond_broadcast(&queue->turn);
        pthread_cond_signal(&queue->room);
    }
    queue->writing = false;
}

// --- a job ---------------------------------------------------------------------------------------

static void run_job(tac__mcap_worker *worker, tac__mcap_job *job)
{
    tac__mcap_queue *queue = worker->queue;
    job->packed = job->bytes;
    job->packed_size = job->size;
    job->lent = NULL;
    if (job->chunk && !atomic_load(&queue->failed)) {
        unsigned char *out = job->out;
        size_t room = job->out_capacity;
        if (!out) {
            pthread_mutex_lock(&queue->lock);
            job->lent = take_out(worker);
            pthread_mutex_unlock(&queue->lock);
            out = job->lent->bytes;
            room = queue->out_capacity;
        }
        job->packed = out;
        job->packed_size = pack(queue, &worker->packer, job, out, room);
        if (job->packed_size == 0)
            tac__mcap_queue_fail(queue, TAC_E_MEMORY, 0, NULL);
    }
    pthread_mutex_lock(&queue->lock);
    write_in_turn(queue, job);
    pthread_mutex_unlock(&queue->lock);
}

// --- threads -------------------------------------------------------------------------------------

// The first worker polls for work: waking it up would cost the simulation more than everything else
// it does to hand over a chunk. It is woken only where many bytes are pending. It polls often
// enough that few chunks wait: their memory is still in the cache when they are filled again, and
// little is left to do at the end.
enum { POLL_NS = 500000, WAKE_PART = 16, HELP_PART = 8 };

static void wait_for_work(tac__mcap_queue *queue)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&queue->work, &queue->lock, &until);
}

// The first worker takes every job it can; the others help when it falls behind, and at the end. So
// as long as one worker is enough, the simulation loses no more than one core.
static bool is_needed(const tac__mcap_queue *queue, const tac__mcap_worker *worker)
{
    return worker == queue->workers || queue->stop || queue->pending > queue->memory / HELP_PART;
}

// NULL: there is no job.
static tac__mcap_job *take_job(tac__mcap_queue *queue)
{
    tac__mcap_job *job = queue->first;
    if (job) {
        queue->first = job->next;
        if (!queue->first)
            queue->last = &queue->first;
    }
    return job;
}

static tac__mcap_job *next_job(tac__mcap_worker *worker)
{
    tac__mcap_queue *queue = worker->queue;
    pthread_mutex_lock(&queue->lock);
    while (!(queue->first && is_needed(queue, worker)) && !(queue->stop && !queue->first)) {
        if (worker == queue->workers)
            wait_for_work(queue);
        else
            pthread_cond_wait(&queue->help, &queue->lock);
    }
    tac__mcap_job *job = take_job(queue);
    pthread_mutex_unlock(&queue->lock);
    return job;
}

// A worker that wakes up must not preempt the thread that woke it, the simulation thread: as a
// batch thread it waits for a core, and the system soon gives it one of its own. Where batch
// scheduling cannot be had the worker runs without it.
static void schedule_as_batch(void)
{
#ifdef __linux__
    enum { SCHEDULE_BATCH = 3 }; // <sched.h> shows SCHED_BATCH to GNU programs only
    const struct sched_param usual = {0};
    (void)pthread_setschedparam(pthread_self(), SCHEDULE_BATCH, &usual);
#endif
}

static void *work(void *argument)
{
    TAC__FLOATS;
    tac__mcap_worker *worker = argument;
    schedule_as_batch();
    for (tac__mcap_job *job; (job = next_job(worker));)
        run_job(worker, job);
    return NULL;
}

// The workers block all signals: they are handled by the host's threads.
static bool start_thread(tac__mcap_worker *worker)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = pthread_create(&worker->thread, NULL, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status == 0;
}

static bool start_worker(tac__mcap_queue *queue)
{
    tac__mcap_worker *worker = &queue->workers[queue->started];
    worker->queue = queue;
    if (!tac__packer_init(&worker->packer, queue->compression, queue->level))
        return false;
    if (!start_thread(worker)) {
        tac__packer_fini(&worker->packer);
        return false;
    }
    queue->started++;
    return true;
}

// At the end the simulation thread has nothing else to do: it compresses, too, instead of waiting
// for threads that have yet to wake up.
static void help_to_finish(tac__mcap_queue *queue)
{
    tac__mcap_worker *own = &queue->own;
    own->queue = queue;
    if (!queue->started || !tac__packer_init(&own->packer, queue->compression, queue->level))
        return;
    sigset_t before;
    block_signals(&before);
    for (tac__mcap_job *job;;) {
        pthread_mutex_lock(&queue->lock);
        job = take_job(queue);
        pthread_mutex_unlock(&queue->lock);
        if (!job)
            break;
        run_job(own, job);
    }
    unblock_signals(&before);
    tac__packer_fini(&own->packer);
}

void tac__mcap_queue_init(tac__mcap_queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&queue->help, NULL);
    pthread_cond_init(&queue->turn, NULL);
    pthread_cond_init(&queue->room, NULL);
    queue->last = &queue->first;
}

void tac__mcap_queue_fini(tac__mcap_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->work);
    pthread_cond_destroy(&queue->help);
    pthread_cond_destroy(&queue->turn);
    pthread_cond_destroy(&queue->room);
}

bool tac__mcap_queue_start(tac__mcap_queue *queue, int workers, int level)
{
    queue->limit = workers;
    queue->level = level;
    return start_worker(queue);
}

void tac__mcap_queue_stop(tac__mcap_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    pthread_cond_signal(&queue->work);
    pthread_cond_broadcast(&queue->help);
    pthread_mutex_unlock(&queue->lock);
    help_to_finish(queue);
    for (int i = 0; i < queue->started; i++) {
        pthread_join(queue->workers[i].thread, NULL);
        tac__packer_fini(&queue->workers[i].packer);
    }
    queue->started = 0;
}

// --- called by the simulation thread -------------------------------------------------------------

void tac__mcap_hand_over(tac__mcap_queue *queue, tac__mcap_job *job)
{
    job->next = NULL;
    job->turn = queue->handed++;
    pthread_mutex_lock(&queue->lock);
    // One job is accepted however large it is.
    while (queue->pending && queue->pending + job->capacity > queue->memory) {
        pthread_cond_signal(&queue->work);
        pthread_cond_wait(&queue->room, &queue->lock);
    }
    queue->pending += job->capacity;
    *queue->last = job;
    queue->last = &job->next;
    if (queue->pending > queue->memory / WAKE_PART)
        pthread_cond_signal(&queue->work);
    const bool much = queue->pending > queue->memory / HELP_PART;
    if (much)
        pthread_cond_broadcast(&queue->help);
    pthread_mutex_unlock(&queue->lock);
    // A helping worker is started when it is first needed. If it cannot be, the others do its work.
    if (much && queue->started < queue->limit && !start_worker(queue))
        queue->limit = queue->started;
}

void tac__mcap_queue_wait(tac__mcap_queue *queue, uint64_t count)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->at_turn < count) {
        pthread_cond_signal(&queue->work);
        pthread_cond_wait(&queue->room, &queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
}

tac__mcap_job *tac__mcap_take_back(tac__mcap_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    tac__mcap_job *done = queue->done;
    queue->done = NULL;
    pthread_mutex_unlock(&queue->lock);
    return done;
}
