// normal.c - the tables of ziggurat.h, and normal numbers that are drawn in advance.
#include "math/normal.h"
#include "math/draws.h"
#include "math/machine.h"
#include "math/ziggurat.h"
#include "math/ziggurat_table.h"

#define X_OF(x, height)      x,
#define HEIGHT_OF(x, height) height,
const double tac__ziggurat_x[TAC__ZIGGURAT_LAYERS + 1] = {TAC__ZIGGURAT_TABLE(X_OF)};
const double tac__ziggurat_height[TAC__ZIGGURAT_LAYERS + 1] = {TAC__ZIGGURAT_TABLE(HEIGHT_OF)};

__attribute__((noinline)) static void make_ready(tac__normals *ready, const tac__stream *stream,
                                                 uint64_t index)
{
    ready->end = index + TAC__NORMALS_AHEAD;
#ifdef __x86_64__
    if (tac__machine_has_pack(TAC__NORMALS_AHEAD)) {
        tac__draw_ahead_pack4(stream, index, ready->values[0]);
        return;
    }
#endif
    for (uint32_t i = 0; i < TAC__NORMALS_AHEAD; i++) {
        double n[3];
        tac__ziggurat_draw(stream, index + i, n);
        for (int k = 0; k < 3; k++)
            ready->values[k][i] = n[k];
    }
}

void tac__normals_make(tac__normals *ready, const tac__stream *stream, uint64_t *next,
                       double *values, size_t count)
{
    for (size_t done = 0; done < count; done += 3) {
        const uint64_t index = (*next)++;
        if (ready->end - index - 1 >= TAC__NORMALS_AHEAD)
            make_ready(ready, stream, index);
        const double *n = &ready->values[0][TAC__NORMALS_AHEAD - (ready->end - index)];
        for (size_t k = 0; k < 3 && done + k < count; k++)
            values[done + k] = n[k * TAC__NORMALS_AHEAD];
    }
}
