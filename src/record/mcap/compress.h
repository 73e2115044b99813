// compress.h - packing and unpacking chunks: zstd and lz4 frames, as far as they are built in.
#ifndef TAC_RECORD_MCAP_COMPRESS_H
#define TAC_RECORD_MCAP_COMPRESS_H

#include "record/mcap/mcap.h"

// One a thread; its memory is kept from one chunk to the next. The same bytes give the same result
// whatever was packed before.
typedef struct tac__packer {
    tac__compression compression;
    int level;
    void *context;
} tac__packer;

bool tac__compression_built_in(tac__compression compression);

// False: no memory. Fini accepts a zeroed one.
bool tac__packer_init(tac__packer *packer, tac__compression compression, int level);
void tac__packer_fini(tac__packer *packer);
// The most that `size` bytes can become.
size_t tac__pack_bound(tac__compression compression, size_t size);
// Returns the size; 0 where it failed, which with that much room means no memory.
size_t tac__pack(tac__packer *packer, const void *bytes, size_t size, void *out, size_t room);

// Into exactly `size` bytes: more or fewer are an error.
TAC_MUST_CHECK tac_status tac__unpack(tac__unpacker *unpacker, tac__compression compression,
                                      const void *packed, size_t packed_size, void *out,
                                      size_t size, tac_error *err);

#endif
