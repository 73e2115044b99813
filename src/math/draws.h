// draws.h - random numbers of every scalar kind: for each lane of a pack from a stream of its own.
//
// `values` are reals of the kind: for packs of W lanes the number i of a lane is values[i * W +
// lane]. `mask` has a bit for each lane that takes part: the
// counters of the others do not move, and their values have no meaning. A lane's numbers and
// counter are to the bit those of its stream alone. Kinds without lanes use the first stream; a
// draw is a constant for derivatives.
//
// Units of packs are compiled for the registers of such packs: ask tac__machine_has_pack first.
#ifndef TAC_MATH_DRAWS_H
#define TAC_MATH_DRAWS_H

#include "base/random.h"

// tac__draw_normals: `count` normal numbers in each lane, of mean 0 and deviation 1; every three of
// them take one draw. tac__draw_uniforms: `count` numbers in [0, 1), a draw each. `next` are the
// indices of the next draws.
#define TAC__DRAWS_OF(kind)                                                                        \
    void tac__draw_normals_##kind(const tac__stream_lanes *streams, uint32_t mask, uint64_t *next, \
                                  double *values, size_t count);                                   \
    void tac__draw_uniforms_##kind(const tac__stream_lanes *streams, uint32_t mask,                \
                                   uint64_t *next, double *values, size_t count);

TAC__DRAWS_OF(f64)
TAC__DRAWS_OF(pack2)
TAC__DRAWS_OF(pack4)
TAC__DRAWS_OF(pack8)
TAC__DRAWS_OF(dual)
TAC__DRAWS_OF(dualp)

// The normal numbers of 4 draws of one stream, from `index` on: number k of draw index + i is
// values[4 * k + i].
void tac__draw_ahead_pack4(const tac__stream *stream, uint64_t index, double *values);

#endif
