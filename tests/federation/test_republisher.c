// Publishing for everyone to see: the server never waits for it. A network that stands still is a
// pipe that nobody reads, through LCM's provider of files.
#include "support/folder.h"
#include "support/formats.h"
#include "support/test.h"

#include "federation/republisher.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void test_addresses(void **state)
{
    (void)state;
    tac__republisher *r;
    tac_error err;
    assert_int_not_equal(tac__republisher_create("udpm://127.0.0.1:7667", 0, &r, &err), TAC_OK);
#ifdef TACTUS_HAVE_LCM
    test_has(err.text, "expected udpm://GROUP:PORT");
    assert_int_equal(tac__republisher_create("udpm://239.255.76.67:0?ttl=0", 0, &r, &err),
                     TAC_E_NETWORK);
    assert_int_equal(tac__republisher_create("udpm://group:1", 0, &r, &err), TAC_E_NETWORK);
#endif
    assert_null(r);
}

#ifdef TACTUS_HAVE_LCM

static const char bytes[1000] = "1000 bytes";

static tac_passage passage_of(uint64_t sequence)
{
    return (tac_passage){.sender = "a",
                         .channel = "NEWS",
                         .type = "",
                         .sent_us = 5,
                         .delivered_us = TAC_TIME_NEVER,
                         .sequence = sequence,
                         .bytes = bytes,
                         .length = sizeof bytes};
}

// What comes out of the pipe: events of LCM's log. Counts envelopes and what is left out between.
typedef struct reader {
    int fd;
    uint64_t envelopes, gaps;
    int64_t last;
} reader;

static bool read_all(int fd, void *to, size_t count)
{
    for (size_t done = 0; done < count;) {
        const ssize_t n = read(fd, (char *)to + done, count - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static uint64_t big_endian(const uint8_t *at, int count)
{
    uint64_t v = 0;
    while (count--)
        v = v << 8 | *at++;
    return v;
}

static void *read_pipe(void *context)
{
    reader *r = context;
    uint8_t head[28], data[4096];
    char channel[64] = "";
    while (read_all(r->fd, head, sizeof head)) {
        const size_t name = (size_t)big_endian(head + 20, 4),
                     size = (size_t)big_endian(head + 24, 4);
        if (name >= sizeof channel || size > sizeof data || !read_all(r->fd, channel, name) ||
            !read_all(r->fd, data, size))
            return NULL;
        channel[name] = '\0';
        if (strcmp(channel, TAC__LCM_ENVELOPE_CHANNEL) != 0)
            continue;
        const int64_t number = (int64_t)big_endian(data + 8, 8);
        r->gaps += (uint64_t)(number - r->last - 1);
        r->last = number;
        r->envelopes++;
    }
    return NULL;
}

static void test_stands_still(void **state)
{
    (void)state;
    enum { COUNT = 60000 }; // 60 MB, more than any queue holds here
    tac_error err;
    tac__republisher *r;
    char url[300];
    const char *path = path_of("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    reader from = {.fd = open(path, O_RDWR), .last = -1};
    assert_true(from.fd >= 0);
    snprintf(url, sizeof url, "file://%s?mode=w", path);
    assert_int_equal(tac__republisher_create(url, 0, &r, &err), TAC_OK);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (uint64_t i = 0; i < COUNT; i++) {
        const tac_passage p = passage_of(i);
        tac__republisher_add(r, &p);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - begin.tv_sec < 5);
    uint64_t published, left_out;
    tac__republisher_counts(r, &published, &left_out);
    assert_true(left_out > COUNT / 2 && published < COUNT / 2);
    // Somebody reads at last. The pipe has an end when nobody writes any more.
    const int only_read = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(fcntl(only_read, F_SETFL, 0), 0);
    close(from.fd);
    from.fd = only_read;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_pipe, &from), 0);
    for (uint64_t i = COUNT; i < COUNT + 10; i++) { // numbers go on
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        const tac_passage p = passage_of(i);
        tac__republisher_add(r, &p);
    }
    tac__republisher_finish(r);
    const tac_passage late = passage_of(COUNT + 10);
    tac__republisher_add(r, &late);
    tac__republisher_counts(r, &published, &left_out);
    assert_int_equal(published + left_out, COUNT + 11);
    tac__republisher_destroy(r);
    pthread_join(thread, NULL);
    close(from.fd);
    assert_int_equal(from.envelopes, published);
    // Those behind the last one that was published: the late one, and on a busy machine, where the
    // publishing thread hardly runs, some more.
    const uint64_t behind = COUNT + 10 - (uint64_t)from.last;
    assert_true(behind >= 1);
    assert_int_equal(from.gaps + behind, left_out);
}

// --- the rate -----------------------------------------------------------------------------------

enum { KINDS = 4, MESSAGES = 4000 };

static const char *const kinds[KINDS] = {"A.a", "B.a", "A:b", "LONG.a"};

static tac_passage kind_of(uint64_t i)
{
    static const char long_bytes[5000];
    tac_passage p = passage_of(i);
    const uint64_t k = i % 7 % KINDS;
    p.channel = k == 1 ? "B" : k == 3 ? "LONG" : "A";
    if (k == 2) {
        p.delivered = true;
        p.recipient = p.inlet = "b";
        p.delivered_us = 6;
    }
    if (k == 3) {
        p.bytes = long_bytes;
        p.length = sizeof long_bytes;
    }
    return p;
}

static size_t kind_named(const char *channel)
{
    size_t k = 0;
    while (k < KINDS && strcmp(kinds[k], channel) != 0)
        k++;
    assert_true(k < KINDS);
    return k;
}

// Every envelope stands before its message, and numbers ascend. Counts messages of each channel.
static void read_events(const char *path, uint64_t found[KINDS])
{
    uint8_t head[28], data[8192], envelope[8192] = {0};
    char channel[64] = "";
    int64_t last = -1;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (bool message = false; fread(head, 1, sizeof head, file) == sizeof head;
         message = !message) {
        const size_t name = (size_t)big_endian(head + 20, 4),
                     size = (size_t)big_endian(head + 24, 4);
        assert_true(name < sizeof channel && size <= sizeof data);
        assert_int_equal(fread(channel, 1, name, file), name);
        assert_int_equal(fread(data, 1, size, file), size);
        channel[name] = '\0';
        assert_int_equal(strcmp(channel, TAC__LCM_ENVELOPE_CHANNEL) != 0, message);
        if (message) {
            assert_int_equal(big_endian(envelope + 48, 4), size);
            found[kind_named(channel)]++;
            continue;
        }
        memcpy(envelope, data, size);
        const int64_t number = (int64_t)big_endian(data + 8, 8);
        assert_true(number > last);
        last = number;
    }
    fclose(file);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A thousand a second: what comes at once is published as far as the backlog goes, half a second,
// and the rest is counted for its channel.
static void test_rate(void **state)
{
    (void)state;
    tac_error err;
    tac__republisher *r;
    char url[300];
    uint64_t sent[KINDS] = {0}, found[KINDS] = {0}, lost[KINDS] = {0}, all = 0, count, pieces = 0;
    const char *path = path_of("events"), *channel;
    snprintf(url, sizeof url, "file://%s?mode=w", path);
    assert_int_equal(tac__republisher_create(url, 1000, &r, &err), TAC_OK);
    const double begun_s = now_s();
    for (uint64_t i = 0; i < MESSAGES; i++) {
        const tac_passage p = kind_of(i);
        char name[TAC__PASSAGE_NAME];
        tac__passage_channel(&p, name);
        sent[kind_named(name)]++;
        tac__republisher_add(r, &p);
    }
    tac__republisher_finish(r);
    const double took_s = now_s() - begun_s;
    uint64_t published, left_out;
    tac__republisher_counts(r, &published, &left_out);
    assert_int_equal(published + left_out, MESSAGES);
    for (size_t i = 0; (channel = tac__republisher_left_out(r, i, &count)); i++) {
        assert_int_equal(lost[kind_named(channel)], 0); // once each
        lost[kind_named(channel)] = count;
        all += count;
    }
    assert_int_equal(count, 0);
    assert_int_equal(all, left_out);
    tac__republisher_destroy(r);
    read_events(path, found);
    for (size_t k = 0; k < KINDS; k++) {
        assert_int_equal(found[k] + lost[k], sent[k]);
        pieces += found[k] * (k == 3 ? 3 : 1);
    }
    assert_true(left_out > MESSAGES / 2);
    assert_true(published > 0 && (double)pieces <= 64 + 3 + 1000 * took_s);
}

TEST_MAIN(cmocka_unit_test(test_addresses), cmocka_unit_test(test_stands_still),
          cmocka_unit_test(test_rate))

#else

TEST_MAIN(cmocka_unit_test(test_addresses))

#endif
