// How fast bytes are hashed, against copying them.
#include "base/hash.h"
#include "bench.h"

enum { SIZE = 16384, ROUNDS = 50 };

static unsigned char source[SIZE], target[SIZE];
static uint64_t result;

static void run_hash(void *context)
{
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        bench_keep(source);
        result = tac__hash_bytes(result, source, SIZE);
    }
    bench_keep(&result);
}

static void run_copy(void *context)
{
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        bench_keep(source);
        memcpy(target, source, SIZE);
        bench_keep(target);
    }
}

int main(void)
{
    const double bytes = (double)SIZE * ROUNDS;
    const double hash_s = bench_best_s(run_hash, NULL, 500);
    const double copy_s = bench_best_s(run_copy, NULL, 500);
    bench_report("hash_bytes", bytes / hash_s * 1e-9, "GB/s", "", "16 KiB blocks");
    bench_report("memcpy", bytes / copy_s * 1e-9, "GB/s", "", "the same blocks");
    bench_report("hash_bytes / memcpy", hash_s / copy_s, "x", "<= 100", "time, not speed");
    return 0;
}
