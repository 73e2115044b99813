// compress.c - the one file that knows the compression libraries.
#include "record/mcap/compress.h"

#include <string.h>
#ifdef TACTUS_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef TACTUS_HAVE_LZ4
#include <lz4frame.h>
#endif

static const char *const names[] = {"none", "lz4", "zstd"};
enum { COUNT = sizeof names / sizeof *names };

const char *tac__compression_name(tac__compression compression)
{
    return (unsigned)compression < COUNT ? names[compression] : "?";
}

bool tac__compression_built_in(tac__compression compression)
{
    switch (compression) {
    case TAC__COMPRESS_NONE:
        return true;
#ifdef TACTUS_HAVE_LZ4
    case TAC__COMPRESS_LZ4:
        return true;
#endif
#ifdef TACTUS_HAVE_ZSTD
    case TAC__COMPRESS_ZSTD:
        return true;
#endif
    default:
        return false;
    }
}

static const char *candidate(const void *context, size_t i)
{
    (void)context;
    return i < COUNT ? names[i] : NULL;
}

tac_status tac__compression_parse(const char *name, tac__compression *compression, tac_error *err)
{
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *compression = (tac__compression)i;
        if (tac__compression_built_in(*compression))
            return TAC_OK;
        return tac__fail(err, TAC_E_NAME, "this build of Tactus has no %s", name);
    }
    tac__fail(err, TAC_E_NAME, "unknown compression '%s': there are none, lz4 and zstd", name);
    tac__error_suggest(err, name, candidate, NULL);
    return TAC_E_NAME;
}

// --- packing -------------------------------------------------------------------------------------

bool tac__packer_init(tac__packer *packer, tac__compression compression, int level)
{
    *packer = (tac__packer){.compression = compression, .level = level};
#ifdef TACTUS_HAVE_ZSTD
    if (compression == TAC__COMPRESS_ZSTD) {
        packer->context = ZSTD_createCCtx();
        return packer->context && !ZSTD_isError(ZSTD_CCtx_setParameter(
                                      packer->context, ZSTD_c_compressionLevel, level));
    }
#endif
    return true;
}

void tac__packer_fini(tac__packer *packer)
{
#ifdef TACTUS_HAVE_ZSTD
    if (packer->compression == TAC__COMPRESS_ZSTD)
        ZSTD_freeCCtx(packer->context);
#endif
    packer->context = NULL;
}

#ifdef TACTUS_HAVE_LZ4
static LZ4F_preferences_t lz4_preferences(size_t size)
{
    LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
    preferences.frameInfo.blockSizeID = LZ4F_max4MB;
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences.frameInfo.contentSize = size;
    return preferences;
}
#endif

size_t tac__pack_bound(tac__compression compression, size_t size)
{
#ifdef TACTUS_HAVE_ZSTD
    if (compression == TAC__COMPRESS_ZSTD)
        return ZSTD_compressBound(size);
#endif
#ifdef TACTUS_HAVE_LZ4
    if (compression == TAC__COMPRESS_LZ4) {
        const LZ4F_preferences_t preferences = lz4_preferences(size);
        return LZ4F_compressFrameBound(size, &preferences);
    }
#endif
    (void)compression;
    return size;
}

size_t tac__pack(tac__packer *packer, const void *bytes, size_t size, void *out, size_t room)
{
#ifdef TACTUS_HAVE_ZSTD
    if (packer->compression == TAC__COMPRESS_ZSTD) {
        const size_t n = ZSTD_compress2(packer->context, out, room, bytes, size);
        return ZSTD_isError(n) ? 0 : n;
    }
#endif
#ifdef TACTUS_HAVE_LZ4
    if (packer->compression == TAC__COMPRESS_LZ4) {
        const LZ4F_preferences_t preferences = lz4_preferences(size);
        const size_t n = LZ4F_compressFrame(out, room, bytes, size, &preferences);
        return LZ4F_isError(n) ? 0 : n;
    }
#endif
    if (packer->compression != TAC__COMPRESS_NONE || size > room)
        return 0;
    memcpy(out, bytes, size);
    return size;
}

// --- unpacking -----------------------------------------------------------------------------------

static tac_status damaged(const char *name, const char *why, tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT, "damaged: its %s data do not unpack (%s)", name, why);
}

static tac_status wrong_size(tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT, "damaged: it does not unpack to the size it announces");
}

#ifdef TACTUS_HAVE_ZSTD
static tac_status unpack_zstd(tac__unpacker *unpacker, const void *packed, size_t packed_size,
                              void *out, size_t size, tac_error *err)
{
    if (!unpacker->zstd)
        unpacker->zstd = ZSTD_createDCtx();
    if (!unpacker->zstd)
        return tac__fail_memory(err);
    const size_t n = ZSTD_decompressDCtx(unpacker->zstd, out, size, packed, packed_size);
    if (ZSTD_isError(n))
        return damaged("zstd", ZSTD_getErrorName(n), err);
    return n == size ? TAC_OK : wrong_size(err);
}
#endif

#ifdef TACTUS_HAVE_LZ4
static tac_status unpack_lz4(tac__unpacker *unpacker, const unsigned char *packed,
                             size_t packed_size, unsigned char *out, size_t size, tac_error *err)
{
    LZ4F_dctx *context = unpacker->lz4;
    if (!context && LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return tac__fail_memory(err);
    unpacker->lz4 = context;
    LZ4F_resetDecompressionContext(context);
    size_t taken = 0, given = 0, more = 1;
    while (taken < packed_size && more != 0) {
        size_t in = packed_size - taken, n = size - given;
        more = LZ4F_decompress(context, out + given, &n, packed + taken, &in, NULL);
        if (LZ4F_isError(more))
            return damaged("lz4", LZ4F_getErrorName(more), err);
        if (in == 0 && n == 0) // it wants to give more than was announced
            return wrong_size(err);
        taken += in;
        given += n;
    }
    return more == 0 && taken == packed_size && given == size ? TAC_OK : wrong_size(err);
}
#endif

tac_status tac__unpack(tac__unpacker *unpacker, tac__compression compression, const void *packed,
                       size_t packed_size, void *out, size_t size, tac_error *err)
{
    if (!tac__compression_built_in(compression))
        return tac__fail(err, TAC_E_NAME, "packed with %s, which this build of Tactus has not",
                         tac__compression_name(compression));
#ifdef TACTUS_HAVE_ZSTD
    if (compression == TAC__COMPRESS_ZSTD)
        return unpack_zstd(unpacker, packed, packed_size, out, size, err);
#endif
#ifdef TACTUS_HAVE_LZ4
    if (compression == TAC__COMPRESS_LZ4)
        return unpack_lz4(unpacker, packed, packed_size, out, size, err);
#endif
    (void)unpacker;
    if (packed_size != size)
        return wrong_size(err);
    if (size)
        memcpy(out, packed, size);
    return TAC_OK;
}

void tac__unpacker_fini(tac__unpacker *unpacker)
{
#ifdef TACTUS_HAVE_ZSTD
    ZSTD_freeDCtx(unpacker->zstd);
#endif
#ifdef TACTUS_HAVE_LZ4
    LZ4F_freeDecompressionContext(unpacker->lz4);
#endif
    *unpacker = (tac__unpacker){0};
}
