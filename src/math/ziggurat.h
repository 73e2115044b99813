// ziggurat.h - normal numbers as a pure function of a random stream and an index.
//
// The ziggurat method: the area under exp(-x^2/2) is cut into layers of equal area, 255 rectangles
// and a base with the tail. A random point in a layer is almost always left of the next layer's
// edge and so under the curve; only near the edge is the curve itself evaluated.
//
// A draw of the stream has four words: one each for the positions of three numbers in their layers,
// and one with ten bits for each number, layer and sign. A rejected number is drawn again from
// further words that belong to this draw alone, so a draw uses one index of the stream whatever
// happens.
//
// As base/philox.h, this is C17 and C++17 and can be compiled for GPUs, where the includer defines
// TAC__ZIGGURAT_LOG and TAC__ZIGGURAT_EXP as functions of the device with the bits of tac_log and
// tac_exp.
//
// Source: G. Marsaglia, W. W. Tsang, "The ziggurat method for generating random variables", Journal
// of Statistical Software 5 (2000) 8; the tail: G. Marsaglia, Technometrics 6 (1964) 101.
#ifndef TAC_MATH_ZIGGURAT_H
#define TAC_MATH_ZIGGURAT_H

#include "base/random.h"

#ifndef TAC__ZIGGURAT_LOG
#include <tactus/math.h>
#define TAC__ZIGGURAT_LOG tac_log
#define TAC__ZIGGURAT_EXP tac_exp
#endif

enum { TAC__ZIGGURAT_LAYERS = 256, TAC__ZIGGURAT_NUMBERS = 3 };

// Edge i ends layer i on the right and layer i + 1 above; see ziggurat_table.h.
#ifdef __CUDACC__
#include "math/ziggurat_table.h"
#define TAC__ZIGGURAT_X(x, height)      x,
#define TAC__ZIGGURAT_HEIGHT(x, height) height,
static __device__ const double tac__ziggurat_x[] = {TAC__ZIGGURAT_TABLE(TAC__ZIGGURAT_X)};
static __device__ const double tac__ziggurat_height[] = {TAC__ZIGGURAT_TABLE(TAC__ZIGGURAT_HEIGHT)};
#else
#ifdef __cplusplus
extern "C" {
#endif
extern const double tac__ziggurat_x[TAC__ZIGGURAT_LAYERS + 1];
extern const double tac__ziggurat_height[TAC__ZIGGURAT_LAYERS + 1];
#ifdef __cplusplus
}
#endif
#endif

// Inside (0, 1).
TAC__PURE double tac__ziggurat_uniform(uint32_t word)
{
    return ((double)word + 0.5) * 0x1p-32;
}

// More words for one number of a draw: a block of their own for each try.
TAC__PURE void tac__ziggurat_more(const tac__stream *stream, uint64_t index, uint32_t number,
                                  uint32_t tried, uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32) | 0x80000000u,
                                 stream->high[0] ^ (tried * 4 + number), stream->high[1]};
    tac__philox(counter, stream->key, words);
}

// |x| for a number of a draw whose point, at the fraction `u` of a layer, is not left of the next
// edge.
TAC__PURE double tac__ziggurat_at_the_edge(const tac__stream *stream, uint64_t index,
                                           uint32_t number, uint32_t layer, double u)
{
    for (uint32_t tried = 0;; tried++) {
        const double x = u * tac__ziggurat_x[layer];
        if (x < tac__ziggurat_x[layer + 1])
            return x;
        uint32_t w[4];
        tac__ziggurat_more(stream, index, number, tried, w);
        if (layer == 0) {
            const double r = tac__ziggurat_x[1];
            const double beyond = -TAC__ZIGGURAT_LOG(tac__ziggurat_uniform(w[0])) / r;
            const double y = -TAC__ZIGGURAT_LOG(tac__ziggurat_uniform(w[1]));
            if (2 * y > beyond * beyond)
                return r + beyond;
            continue; // the point stays where it is: in the tail
        }
        const double low = tac__ziggurat_height[layer], high = tac__ziggurat_height[layer + 1];
        if (low + tac__ziggurat_uniform(w[0]) * (high - low) < TAC__ZIGGURAT_EXP(-0.5 * x * x))
            return x;
        u = tac__ziggurat_uniform(w[1]);
        layer = w[2] % TAC__ZIGGURAT_LAYERS;
    }
}

// One number of a draw, from the word of its position and the word of the layers.
TAC__PURE double tac__ziggurat_number(const tac__stream *stream, uint64_t index, uint32_t number,
                                      uint32_t place, uint32_t layers)
{
    const uint32_t bits = layers >> 10 * number, layer = bits % TAC__ZIGGURAT_LAYERS;
    const double u = tac__ziggurat_uniform(place);
    double x = u * tac__ziggurat_x[layer];
    if (__builtin_expect(x >= tac__ziggurat_x[layer + 1], 0))
        x = tac__ziggurat_at_the_edge(stream, index, number, layer, u);
    // -x where the bit of the sign is set; without a branch, which would be mispredicted half the
    // time.
    return x * (1.0 - (double)(bits >> 7 & 2));
}

// The three numbers of draw `index`: mean 0, deviation 1.
TAC__PURE void tac__ziggurat_draw(const tac__stream *stream, uint64_t index, double numbers[3])
{
    uint32_t w[4];
    tac__stream_words(stream, index, w);
    for (uint32_t k = 0; k < TAC__ZIGGURAT_NUMBERS; k++)
        numbers[k] = tac__ziggurat_number(stream, index, k, w[k], w[3]);
}

#endif
