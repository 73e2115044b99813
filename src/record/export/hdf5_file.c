// hdf5_file.c - see hdf5_file.h.
#ifdef TACTUS_HAVE_HDF5
#include "record/export/hdf5_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// What a file is opened with: the place of its driver's data.
typedef struct info {
    tac__hdf5_file *file;
} info;

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name, (void)flags, (void)most;
    const info *given = H5Pget_driver_info(access);
    return given ? &given->file->base : NULL;
}

static herr_t close_file(H5FD_t *base)
{
    (void)base;
    return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b)
{
    return a < b ? -1 : a > b;
}

// As the library's own driver for files, so that the archive has the same bytes.
static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const tac__hdf5_file *)base)->allocated;
}

static herr_t set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((tac__hdf5_file *)base)->allocated = end;
    return 0;
}

static haddr_t get_end(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const tac__hdf5_file *)base)->end;
}

// What was never written is zero.
static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t how, haddr_t at, size_t size,
                         void *bytes)
{
    (void)type, (void)how;
    tac__hdf5_file *f = (tac__hdf5_file *)base;
    size_t done = 0;
    while (done < size) {
        const ssize_t n = pread(f->fd, (char *)bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && !f->reason)
            f->reason = errno;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    memset((char *)bytes + done, 0, size - done);
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t how, haddr_t at, size_t size,
                          const void *bytes)
{
    (void)type, (void)how;
    tac__hdf5_file *f = (tac__hdf5_file *)base;
    for (size_t done = 0; done < size && !f->reason;) {
        const ssize_t n =
            pwrite(f->fd, (const char *)bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            f->reason = n < 0 ? errno : ENOSPC;
        else
            done += (size_t)n;
    }
    f->end = at + size > f->end ? at + size : f->end;
    return 0;
}

static herr_t cut(H5FD_t *base, hid_t how, hbool_t closing)
{
    (void)how, (void)closing;
    tac__hdf5_file *f = (tac__hdf5_file *)base;
    if (f->allocated != f->end && !f->reason && ftruncate(f->fd, (off_t)f->allocated) != 0)
        f->reason = errno;
    f->end = f->allocated;
    return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, // any that the library does not use itself
#endif
    .name = "tactus",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_STRONG, // whatever is still open in it is closed with it
    .fapl_size = sizeof(info),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_end,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = cut,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t tac__hdf5_create(tac__hdf5_file *file, int fd, hid_t how)
{
    *file = (tac__hdf5_file){.fd = fd};
    file->driver = H5FDregister(&driver);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t made = -1;
    if (file->driver > 0 && H5Pset_driver(access, file->driver, &(info){file}) >= 0)
        made = H5Fcreate("archive", H5F_ACC_TRUNC, how, access);
    H5Pclose(access);
    return made;
}

herr_t tac__hdf5_close(tac__hdf5_file *file, hid_t archive)
{
    const herr_t closed = archive > 0 ? H5Fclose(archive) : 0;
    if (file->driver > 0)
        H5FDunregister(file->driver);
    file->driver = 0;
    return closed;
}

#else
typedef int tac__hdf5_file_is_empty; // as ISO C wants
#endif
