// Instructions of small functions of base and math, counted under callgrind by bench/run.
//
// With --list it prints what to count, one line each: name, function, calls, limit, note.
#include "base/hash.h"
#include "base/random.h"
#include "math/draws.h"
#include "math/machine.h"
#include "math/normal.h"

#include <stdio.h>

enum { CALLS = 1000 };

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("hash 64 bytes\ttac__hash_bytes\t%d\t<= 115\tinstructions a call\n", CALLS);
        printf("uniform draw\ttac__stream_uniform\t%d\t<= 250\twith Philox 4x32-10\n", CALLS);
        printf("three normals\ttac__normals_make\t%d\t\tdrawn four times in advance\n", CALLS);
        printf("three normals in 2 lanes\ttac__draw_normals_pack2\t%d\t\tsix numbers\n", CALLS);
        if (tac__machine_has_pack(4))
            printf("three normals in 4 lanes\ttac__draw_normals_pack4\t%d\t\ttwelve numbers\n",
                   CALLS);
        return 0;
    }
    unsigned char bytes[64] = {1, 2, 3};
    const tac__stream stream = tac__stream_make(1, "bench");
    tac__stream_lanes lanes;
    for (int lane = 0; lane < TAC__STREAM_LANES; lane++)
        tac__stream_lanes_set(&lanes, lane, &stream);
    tac__normals ready = {0};
    uint64_t next = 0, next2[2] = {0}, next4[4] = {0};
    _Alignas(32) double n[12] = {0};
    double sum = 0;
    tac__hash hash = TAC__HASH_SEED;
    for (uint64_t i = 0; i < CALLS; i++) {
        hash = tac__hash_bytes(hash, bytes, sizeof bytes);
        sum += tac__stream_uniform(&stream, i);
        tac__normals_make(&ready, &stream, &next, n, 3);
        tac__draw_normals_pack2(&lanes, 3, next2, n, 3);
        if (tac__machine_has_pack(4))
            tac__draw_normals_pack4(&lanes, 15, next4, n, 3);
        sum += n[0];
    }
    printf("%g %llx\n", sum, (unsigned long long)hash);
    return 0;
}
