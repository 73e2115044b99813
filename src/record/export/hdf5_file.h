// hdf5_file.h - the file under an HDF5 archive: a driver of the library that never tells it of a
// failed write.
//
// The library cannot close a file of which something could not be written: it keeps it open, tries
// again when the program ends, and crashes. So a failure is kept here, for the writer, and all
// that the library writes from then on goes nowhere: the file is to be abandoned.
#ifndef TAC_RECORD_EXPORT_HDF5_FILE_H
#define TAC_RECORD_EXPORT_HDF5_FILE_H

#include <hdf5.h>
#if defined(__has_include)
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif
#endif

typedef struct tac__hdf5_file {
    H5FD_t base;
    int fd;
    int reason; // errno of the first failure, 0: none
    haddr_t allocated, end;
    hid_t driver; // registered; 0 or below: not
} tac__hdf5_file;

// Create an archive in an open file, which is empty; `fd` stays the caller's. Below 0: failed.
hid_t tac__hdf5_create(tac__hdf5_file *file, int fd, hid_t how);
// Close it, as H5Fclose. The driver is registered until then: the library looks at its table after
// it has let go of the file's own reference. Also for an archive that could not be created (below
// 0 then), or never was (0).
herr_t tac__hdf5_close(tac__hdf5_file *file, hid_t archive);

#endif
