#!/usr/bin/env bash
# A compiler for GPUs takes what random draws are made of: clang, which needs no toolkit for that.
set -euo pipefail
cd "${TACTUS_SOURCE:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

clang=
for name in clang clang-19 clang-17 clang-16 clang-15 clang-14; do
    if command -v "$name" >/dev/null && "$name" --print-targets 2>/dev/null | grep -q nvptx64; then
        clang=$name
        break
    fi
done
if [ -z "$clang" ]; then
    echo "no clang that compiles for NVIDIA's GPUs"
    exit 77
fi

cat >"$work/draws.cu" <<'CUDA'
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
__device__ double device_log(double);
__device__ double device_exp(double);
#define TAC__ZIGGURAT_LOG device_log
#define TAC__ZIGGURAT_EXP device_exp
#include "math/ziggurat.h"

__global__ void draws(const tac__stream *streams, uint64_t index, double *normals, double *uniform)
{
    uint32_t words[4];
    tac__ziggurat_draw(streams, index, normals);
    tac__stream_words(streams, index, words);
    *uniform = tac__uniform_of(words);
}
CUDA
"$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -D__CUDACC__ \
    -std=c++17 -Wall -Wextra -Werror -O2 -Isrc -Iinclude -S -o "$work/draws.ptx" "$work/draws.cu"
grep -q 'entry.*draws' "$work/draws.ptx"
