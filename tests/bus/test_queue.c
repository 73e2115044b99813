// Queues against a plain list that is sorted on every delivery.
#include "support/test.h"

#include "bus/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 13, MAX_BYTES = 20 };

typedef struct bench {
    tac__queue_state state;
    uint32_t heap[CAPACITY], ring[CAPACITY], stack[CAPACITY];
    _Alignas(8) unsigned char slots[CAPACITY * 128];
    uint64_t freed[CAPACITY];
    tac__queue queue;
} bench;

static void begin(bench *b)
{
    memset(b, 0, sizeof *b);
    b->queue = (tac__queue){.capacity = CAPACITY,
                            .max_bytes = MAX_BYTES,
                            .state = &b->state,
                            .heap = b->heap,
                            .ring = b->ring,
                            .stack = b->stack,
                            .slots = b->slots};
    assert_true(tac__queue_slot_size(MAX_BYTES) <= 128);
    tac__queue_start(&b->queue);
}

static bool post_copy(bench *b, tac_time deliver_us, uint32_t sender, uint64_t sequence,
                      uint32_t copy)
{
    char text[MAX_BYTES];
    const int size = snprintf(text, sizeof text, "%llu/%u/%llu", (unsigned long long)deliver_us,
                              sender, (unsigned long long)sequence);
    const tac__queue_slot head = {.sent_us = deliver_us / 2,
                                  .deliver_us = deliver_us,
                                  .sequence = sequence,
                                  .sender = sender & INT32_MAX,
                                  .copy = copy & 1,
                                  .size = (uint32_t)size};
    return tac__queue_send(&b->queue, &head, text);
}

static bool post(bench *b, tac_time deliver_us, uint32_t sender, uint64_t sequence)
{
    return post_copy(b, deliver_us, sender, sequence, 0);
}

typedef struct entry {
    tac_time deliver_us;
    uint32_t sender;
    uint64_t sequence;
    uint32_t copy;
} entry;

static int by_order(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->deliver_us != y->deliver_us)
        return x->deliver_us < y->deliver_us ? -1 : 1;
    if (x->sender != y->sender)
        return x->sender < y->sender ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return x->copy < y->copy ? -1 : x->copy > y->copy;
}

static void test_against_a_sorted_list(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    entry flying[CAPACITY], waiting[CAPACITY];
    size_t n_flying = 0, n_waiting = 0;
    uint64_t sequence = 0, refused = 0, received = 0, copies = 0;
    srand(7);
    for (tac_time now = 0; now < 20000; now++) {
        for (int k = rand() % 3; k > 0; k--) {
            entry e = {now + 1 + (tac_time)(rand() % 9), (uint32_t)(rand() % 4), sequence++, 0};
            // Some have a second copy, often at the same time; either copy may be sent first.
            const bool second_first = rand() % 2;
            for (int left = rand() % 3 ? 1 : 2; left > 0; left--) {
                e.copy = (left == 1) == second_first;
                e.deliver_us += (tac_time)(rand() % 2);
                const bool fits = n_flying + n_waiting < CAPACITY;
                assert_int_equal(post_copy(&b, e.deliver_us, e.sender, e.sequence, e.copy), fits);
                refused += !fits;
                if (fits)
                    flying[n_flying++] = e;
            }
        }
        qsort(flying, n_flying, sizeof *flying, by_order);
        assert_int_equal(tac__queue_next(&b.queue),
                         n_flying ? flying[0].deliver_us : TAC_TIME_NEVER);
        uint64_t digest = 1;
        size_t due = 0;
        while (due < n_flying && flying[due].deliver_us <= now)
            waiting[n_waiting++] = flying[due++];
        memmove(flying, flying + due, (n_flying - due) * sizeof *flying);
        n_flying -= due;
        assert_int_equal(tac__queue_deliver(&b.queue, now, &digest), due);
        assert_int_equal(digest != 1, due > 0);
        for (int k = rand() % 4; k > 0; k--) {
            tac_message m;
            assert_int_equal(tac__queue_receive(&b.queue, 0, &m), n_waiting > 0);
            if (n_waiting == 0)
                break;
            const entry e = waiting[0];
            memmove(waiting, waiting + 1, --n_waiting * sizeof *waiting);
            char text[64];
            const int size =
                snprintf(text, sizeof text, "%llu/%u/%llu", (unsigned long long)e.deliver_us,
                         e.sender, (unsigned long long)e.sequence);
            assert_int_equal(m.size, size);
            assert_memory_equal(m.bytes, text, m.size);
            assert_int_equal(m.sent_us, e.deliver_us / 2);
            assert_int_equal(m.delivered_us, e.deliver_us);
            assert_int_equal(m.sender, e.sender);
            assert_int_equal(m.sequence, e.sequence);
            assert_int_equal(m.copy, e.copy);
            copies += e.copy;
            received++;
        }
    }
    assert_true(refused > 100 && received > 1000 && copies > 100);
}

static void test_full_and_empty_again(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    tac_message m;
    uint64_t digest = 0;
    for (int round = 0; round < 5; round++) {
        assert_false(tac__queue_receive(&b.queue, 0, &m));
        assert_int_equal(tac__queue_next(&b.queue), TAC_TIME_NEVER);
        for (uint32_t i = 0; i < CAPACITY; i++)
            assert_true(post(&b, 100 - i, i, i));
        assert_false(post(&b, 1, 99, 99));
        assert_int_equal(tac__queue_next(&b.queue), 100 - (CAPACITY - 1));
        assert_int_equal(tac__queue_deliver(&b.queue, 1000, &digest), CAPACITY);
        assert_false(post(&b, 1, 99, 99)); // waiting ones take room too
        for (uint32_t i = 0; i < CAPACITY; i++) {
            assert_true(tac__queue_receive(&b.queue, 0, &m));
            assert_int_equal(m.sender, CAPACITY - 1 - i);
        }
    }
}

// Equal histories leave equal memory: nothing of an older, longer message stays in a slot.
static void test_slots_are_cleared(void **state)
{
    (void)state;
    bench a, b;
    begin(&a);
    begin(&b);
    uint64_t digest = 0;
    tac_message m;
    const tac__queue_slot longer = {1, 2, 0, 0, 0, 20}, empty = {1, 2, 1, 0, 0, 0};
    assert_true(tac__queue_send(&a.queue, &longer, "xxxxxxxxxxxxxxxxxxxx"));
    tac__queue_deliver(&a.queue, 5, &digest);
    assert_true(tac__queue_receive(&a.queue, 0, &m));
    assert_true(tac__queue_send(&a.queue, &empty, NULL));
    assert_true(tac__queue_send(&b.queue, &empty, NULL));
    assert_memory_equal(a.slots, b.slots, sizeof a.slots);
}

// The second copy is another message: in digests, on its way and waiting.
static void test_copies_count(void **state)
{
    (void)state;
    uint64_t digests[2] = {0, 0}, flying[2], waiting[2];
    for (uint32_t copy = 0; copy < 2; copy++) {
        bench b;
        begin(&b);
        assert_true(post_copy(&b, 7, 1, 3, copy));
        const tac__queue_slot first = {.deliver_us = 7, .sender = 1, .sequence = 3};
        assert_int_equal(tac__queue_holds(&b.queue, &first), copy == 0);
        flying[copy] = tac__queue_mix(&b.queue, 1);
        tac__queue_deliver(&b.queue, 7, &digests[copy]);
        waiting[copy] = tac__queue_mix(&b.queue, 1);
    }
    assert_true(digests[0] != digests[1]);
    assert_true(flying[0] != flying[1]);
    assert_true(waiting[0] != waiting[1]);
}

// --- messages that become known after they were sent --------------------------------------------

typedef struct letter {
    tac_time sent_us, at_us;
    uint64_t sequence;
    bool first; // sent before the receiver takes messages at the same instant
} letter;

enum { LETTERS = 4096, INSTANTS = 100 };

static tac__queue_slot head_of(const letter *l)
{
    return (tac__queue_slot){
        .sent_us = l->sent_us, .deliver_us = l->at_us, .sequence = l->sequence};
}

static int by_arrival(const void *a, const void *b)
{
    const letter *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

// Post all letters that arrive up to `t_us`, and no others.
static void post_arriving(const bench *b, letter *all, size_t *next, size_t count, tac_time t_us,
                          bool *full)
{
    qsort(all + *next, count - *next, sizeof *all, by_arrival);
    for (; *next < count && all[*next].at_us <= t_us && !*full; ++*next) {
        const tac__queue_slot head = head_of(&all[*next]);
        *full = !tac__queue_post(&b->queue, &head, NULL, all[*next].first);
    }
}

// One queue has each message when it is sent. The other one has it when it arrives, and is full in
// the end exactly if the first one was ever full. Local messages are known to both at once.
static bool late_is_as_early(unsigned seed)
{
    static letter letters[LETTERS];
    bench early, late;
    begin(&early);
    begin(&late);
    late.queue.freed = late.freed;
    size_t count = 0, next = 0;
    bool full[2] = {false, false};
    uint64_t digest = 0, sequence = 0;
    srand(seed);
    const int busy = 1 + rand() % 2, longest = 1 + rand() % 8;
    for (tac_time t = 0; t < INSTANTS && !full[0] && !full[1]; t++) {
        post_arriving(&late, letters, &next, count, t, &full[1]);
        if (full[1])
            break;
        assert_int_equal(tac__queue_deliver(&early.queue, t, &digest),
                         tac__queue_deliver(&late.queue, t, &digest));
        for (int order = 0; order < 2; order++) {
            for (int k = rand() % (busy + 1); k > 0; k--) {
                const letter l = {t, t + 1 + (tac_time)(rand() % longest), sequence++, !order};
                const tac__queue_slot head = head_of(&l);
                full[0] |= !tac__queue_send(&early.queue, &head, NULL);
                if (rand() % 4)
                    letters[count++] = l;
                else
                    full[1] |= !tac__queue_send(&late.queue, &head, NULL);
                assert_true(count < LETTERS);
            }
            tac_message m[2];
            for (int k = order ? 0 : rand() % (4 * busy); k > 0; k--) {
                const bool any = tac__queue_receive(&early.queue, t, &m[0]);
                assert_int_equal(tac__queue_receive(&late.queue, t, &m[1]), any);
                assert_true(!any || m[0].sequence == m[1].sequence);
            }
        }
    }
    post_arriving(&late, letters, &next, count, TAC_TIME_NEVER, &full[1]);
    assert_int_equal(full[0], full[1]);
    return full[0];
}

static void test_late_as_early(void **state)
{
    (void)state;
    int full = 0;
    for (unsigned seed = 1; seed <= 4000; seed++)
        full += late_is_as_early(seed);
    assert_true(full > 400 && full < 3600);
}

TEST_MAIN(cmocka_unit_test(test_late_as_early), cmocka_unit_test(test_copies_count),
          cmocka_unit_test(test_against_a_sorted_list), cmocka_unit_test(test_full_and_empty_again),
          cmocka_unit_test(test_slots_are_cleared))
