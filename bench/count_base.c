// Instructions of small functions of base, counted under callgrind by bench/run.
//
// With --list it prints what to count, one line each: name, function, calls, limit, note.
#include "base/hash.h"
#include "base/random.h"

#include <stdio.h>

enum { CALLS = 1000 };

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("hash 64 bytes\ttac__hash_bytes\t%d\t<= 115\tinstructions a call\n", CALLS);
        printf("uniform draw\ttac__stream_uniform\t%d\t<= 250\twith Philox 4x32-10\n", CALLS);
        return 0;
    }
    unsigned char bytes[64] = {1, 2, 3};
    const tac__stream stream = tac__stream_make(1, "bench");
    double sum = 0;
    tac__hash hash = TAC__HASH_SEED;
    for (uint64_t i = 0; i < CALLS; i++) {
        hash = tac__hash_bytes(hash, bytes, sizeof bytes);
        sum += tac__stream_uniform(&stream, i);
    }
    printf("%g %llx\n", sum, (unsigned long long)hash);
    return 0;
}
