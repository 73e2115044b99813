// How fast messages are recorded, all told: filling, packing, checking, writing to a file.
//
// What is recorded looks like a flight: numbers that walk at random, smooth in their high bits and
// noisy in their low ones. The same calls without a file at their end show the cost of filling.
#include "bench.h"
#include "record/mcap/crc32.h"
#include "record/mcap/mcap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANNELS = 8, DOUBLES = 12, PAYLOAD = 4 + 8 * DOUBLES, RECORDS = 1 << 16, ROUNDS = 2 };

static unsigned char *payloads; // RECORDS of each channel in turn
static char path[64];
static tac__mcap_writer_def def;

static double noise(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(int64_t)*state * 0x1p-63;
}

static void make_payloads(void)
{
    payloads = calloc((size_t)RECORDS * CHANNELS, PAYLOAD);
    if (!payloads)
        abort();
    uint64_t state = 88172645463325252u;
    for (size_t c = 0; c < CHANNELS; c++) {
        double x[DOUBLES] = {0};
        for (size_t i = 0; i < RECORDS; i++) {
            for (size_t k = 0; k < DOUBLES; k++) // some stand still, as much in a vehicle does
                x[k] += k % 4 == 3 ? 0 : 0.01 * (double)(k + 1) * noise(&state);
            memcpy(payloads + (i * CHANNELS + c) * PAYLOAD + 4, x, sizeof x);
        }
    }
}

static void die(const char *what)
{
    fprintf(stderr, "bench_record: %s\n", what);
    exit(1);
}

static void fill(tac__mcap_writer *w)
{
    uint64_t t_ns = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned char *from = payloads;
        for (size_t i = 0; i < RECORDS; i++, t_ns += 4000000) {
            for (uint16_t c = 0; c < CHANNELS; c++, from += PAYLOAD) {
                void *to = tac__mcap_message(w, c, t_ns, PAYLOAD);
                if (!to)
                    die("the writer failed");
                memcpy(to, from, PAYLOAD);
            }
        }
    }
}

static tac__mcap_writer *begin(const char *where)
{
    tac__mcap_writer *w;
    tac_error err;
    if (tac__mcap_create(where, &def, &w, &err) != TAC_OK)
        die(err.text);
    const uint16_t schema = tac__mcap_schema(w, "a", "ros2msg", "float64[12] x");
    for (int c = 0; c < CHANNELS; c++)
        tac__mcap_channel(w, schema, "/a", "cdr", NULL, 0);
    return w;
}

static void end(tac__mcap_writer *w)
{
    tac_error err;
    if (tac__mcap_finish(w, &err) != TAC_OK)
        die(err.text);
}

static void run(void *context)
{
    tac__mcap_writer *w = begin(context);
    fill(w);
    end(w);
}

// In bursts that fit into open chunks; between them these are handed over and come back.
static double fill_ns(void)
{
    enum { COUNT = 1 << 13, BURSTS = 60 };
    const tac__mcap_writer_def before = def;
    def.compression = TAC__COMPRESS_NONE;
    def.chunk_size = (size_t)1 << 20;
    tac__mcap_writer *w = begin("/dev/null");
    double best = 1e300;
    for (int i = 0; i < BURSTS; i++) {
        const double start = bench_now_s();
        for (size_t k = 0; k < COUNT; k++)
            bench_keep(tac__mcap_message(w, (uint16_t)(k % CHANNELS), k, PAYLOAD));
        const double took = bench_now_s() - start;
        best = took < best ? took : best;
        tac__mcap_flush(w);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    end(w);
    def = before;
    return best / COUNT * 1e9;
}

static void run_crc(void *context)
{
    uint32_t *crc = context;
    *crc = tac__crc32(*crc, payloads, 1 << 20);
    bench_keep(crc);
}

static void run_crc_plain(void *context)
{
    uint32_t *crc = context;
    *crc = tac__crc32_plain(*crc, payloads, 1 << 20);
    bench_keep(crc);
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// By the clock, and by the time that all threads took together, which neighbours disturb less.
static void report_recording(const char *name, tac__compression compression, const char *limit,
                             const char *cpu_limit)
{
    const double bytes = (double)ROUNDS * RECORDS * CHANNELS * (PAYLOAD + 31);
    double wall = 1e300, cpu = 1e300;
    def.compression = compression;
    for (int i = 0; i < 5; i++) {
        const double cpu_start = cpu_s();
        const double took = bench_best_s(run, path, 1), cpu_took = cpu_s() - cpu_start;
        wall = took < wall ? took : wall;
        cpu = cpu_took < cpu ? cpu_took : cpu;
    }
    char title[64];
    snprintf(title, sizeof title, "recording, %s", name);
    bench_report(title, bytes / wall * 1e-6, "MB/s", limit, "of messages, by the clock");
    bench_report(title, bytes / cpu * 1e-6, "MB/s", cpu_limit, "in a second of all threads' time");
}

static void open_file(void *context)
{
    (void)context;
    tac__mcap_reader *r;
    tac_error err;
    if (tac__mcap_open(path, NULL, &r, &err) != TAC_OK)
        die(err.text);
    tac__mcap_close(r);
}

static void read_file(void *context)
{
    (void)context;
    tac__mcap_reader *r;
    tac_error err;
    tac__mcap_chunk chunk = {0};
    if (tac__mcap_open(path, NULL, &r, &err) != TAC_OK)
        die(err.text);
    const tac__mcap_info *info = tac__mcap_about(r);
    for (size_t i = 0; i < info->chunk_count; i++) {
        if (tac__mcap_load(r, i, &chunk, &err) != TAC_OK)
            die(err.text);
        tac__mcap_message_info message;
        for (bool more = true; more;)
            if (tac__mcap_next(&chunk, &message, &more, &err) != TAC_OK)
                die(err.text);
    }
    tac__mcap_chunk_fini(&chunk);
    tac__mcap_close(r);
}

int main(void)
{
    make_payloads();
    def = tac__mcap_writer_def_default();
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.40s/tactus_bench_XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    if (fd < 0)
        die("cannot make a file");
    close(fd);
    uint32_t crc = 0;
    const double crc_s = bench_best_s(run_crc, &crc, 50);
    const double plain_s = bench_best_s(run_crc_plain, &crc, 50);
    bench_report("CRC", (1 << 20) / crc_s * 1e-9, "GB/s", "", "as this machine does it");
    bench_report("CRC, plain C", (1 << 20) / plain_s * 1e-9, "GB/s", ">= 0.5", "");
    bench_report("a message", fill_ns(), "ns", "<= 15", "begun; nothing is handed over");
    report_recording("none", TAC__COMPRESS_NONE, "", "");
    report_recording("lz4", TAC__COMPRESS_LZ4, "", "");
    report_recording("zstd 1", TAC__COMPRESS_ZSTD, ">= 300", ">= 150");
    const double bytes = (double)ROUNDS * RECORDS * CHANNELS * (PAYLOAD + 31);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        die("the file is gone");
    bench_report("size, zstd 1", (double)ftell(file) / bytes, "", "", "of that of the messages");
    fclose(file);
    bench_report("opening", bench_best_s(open_file, NULL, 20) * 1e3, "ms", "<= 10", "of 130 MB");
    bench_report("reading, zstd 1", bytes / bench_best_s(read_file, NULL, 3) * 1e-6, "MB/s", "",
                 "of messages, on one core");
    remove(path);
    free(payloads);
    return 0;
}
