// What a random number costs: from one stream, and for several lanes at once.
#include "base/random.h"
#include "bench.h"
#include "math/draws.h"
#include "math/machine.h"
#include "math/normal.h"

enum { CALLS = 2000, BURSTS = 500, LANES = TAC__STREAM_LANES };

static tac__stream_lanes streams;
static uint64_t next[LANES];
static _Alignas(64) double values[3 * LANES];

static void run_alone(void *context)
{
    static tac__normals ready;
    const tac__stream stream = tac__stream_lanes_get(&streams, 0);
    (void)context;
    for (int i = 0; i < CALLS; i++) {
        tac__normals_draw(&ready, &stream, next, values, 3);
        bench_keep(values);
    }
}

static void run_uniform(void *context)
{
    const tac__stream stream = tac__stream_lanes_get(&streams, 0);
    (void)context;
    for (int i = 0; i < CALLS; i++) {
        values[0] = tac__stream_uniform(&stream, next[0]++);
        bench_keep(values);
    }
}

typedef struct lanes {
    const char *name;
    unsigned count;
    void (*normals)(const tac__stream_lanes *streams, uint32_t mask, uint64_t *next, double *values,
                    size_t count);
} lanes;

static void run_lanes(void *context)
{
    const lanes *l = context;
    for (int i = 0; i < CALLS; i++) {
        l->normals(&streams, UINT32_MAX, next, values, 3);
        bench_keep(values);
    }
}

int main(void)
{
    for (int lane = 0; lane < LANES; lane++) {
        const tac__stream stream = tac__stream_make((uint64_t)lane, "bench");
        tac__stream_lanes_set(&streams, lane, &stream);
    }
    bench_report("uniform draw", bench_best_s(run_uniform, NULL, BURSTS) / CALLS * 1e9, "ns", "",
                 "Philox 4x32-10");
    bench_report("normal number", bench_best_s(run_alone, NULL, BURSTS) / (3 * CALLS) * 1e9, "ns",
                 "", "three a draw");
    lanes all[] = {{"normal number, 2 lanes", 2, tac__draw_normals_pack2},
                   {"normal number, 4 lanes", 4, tac__draw_normals_pack4},
                   {"normal number, 8 lanes", 8, tac__draw_normals_pack8}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double numbers = 3.0 * CALLS * all[i].count;
        if (tac__machine_has_pack(all[i].count))
            bench_report(all[i].name, bench_best_s(run_lanes, &all[i], BURSTS) / numbers * 1e9,
                         "ns", "", "a lane, a stream each");
        else
            bench_skip(all[i].name, "this machine has no such registers");
    }
    return 0;
}
