// tensor.h - symmetric 3x3 tensors as six numbers, xx, yy, zz, xy, xz, yz, for model code of any
// scalar kind: inertia and its changes. Elements are those of the tensor: off the diagonal -xy dm.
#ifndef TAC_MODEL_ROCKET_TENSOR_H
#define TAC_MODEL_ROCKET_TENSOR_H

#include "math/mat3.h"

typedef struct tensor {
    real xx, yy, zz, xy, xz, yz;
} tensor;

static inline tensor tensor_make(real xx, real yy, real zz, real xy, real xz, real yz)
{
    tensor t = {xx, yy, zz, xy, xz, yz};
    return t;
}

static inline tensor tensor_read(const real *x)
{
    return tensor_make(x[0], x[1], x[2], x[3], x[4], x[5]);
}

static inline void tensor_write(tensor t, real *x)
{
    x[0] = t.xx;
    x[1] = t.yy;
    x[2] = t.zz;
    x[3] = t.xy;
    x[4] = t.xz;
    x[5] = t.yz;
}

// a + s b
static inline tensor tensor_add(tensor a, real s, tensor b)
{
    return tensor_make(a.xx + s * b.xx, a.yy + s * b.yy, a.zz + s * b.zz, a.xy + s * b.xy,
                       a.xz + s * b.xz, a.yz + s * b.yz);
}

// Of a point of unit mass at `d`: (d.d) 1 - d d'.
static inline tensor tensor_of_point(vec3 d)
{
    return tensor_make(d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y,
                       -d.x * d.y, -d.x * d.z, -d.y * d.z);
}

static inline mat3 tensor_to_mat3(tensor t)
{
    return mat3_from_rows(vec3_make(t.xx, t.xy, t.xz), vec3_make(t.xy, t.yy, t.yz),
                          vec3_make(t.xz, t.yz, t.zz));
}

#endif
