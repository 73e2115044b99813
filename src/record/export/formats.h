// formats.h - the formats that a recording can be exported to: one table, from which the public
// list, `--format`, endings of files, help, and the checks of man page and docs follow.
//
// To add a format: a row here, and a file with tac__export_NAME. The tests then ask for its row in
// docs/export.md and its item in man/tactus-export.1.
#ifndef TAC_RECORD_EXPORT_FORMATS_H
#define TAC_RECORD_EXPORT_FORMATS_H

// name; endings of files, each with a space before it, the usual one first; whether it has rows on
// an axis and a choice of digits; whether a rate limits its samples; whether it can be written to a
// stream; ending of a second file beside it, or NULL; what help says
#define TAC__EXPORT_FORMATS(X)                                                                     \
    X(csv, " .csv", true, true, true, NULL,                                                        \
      "a row wherever a signal has a sample, each signal holding its last value; a column an "     \
      "element, with its unit.")                                                                   \
    X(hdf5, " .h5 .hdf5", false, false, false, NULL,                                               \
      "a dataset a signal, in groups by the parts of its name, with its times.")                   \
    X(ulog, " .ulg", false, true, true, NULL,                                                      \
      "a log as PX4 writes it, with PX4's own topics where the recording can fill them, and all "  \
      "signals in topics of their own.")                                                           \
    X(lcm, " .lcm", false, false, true, ".types.lcm",                                              \
      "a log as lcm-logger writes it; the types of its messages go to a second file, "             \
      "FILE.types.lcm.")

// " csv hdf5 ulog lcm", and " .csv .h5 .hdf5 .ulg .lcm".
#define TAC__EXPORT_NAME(name, endings, rows, rated, stream, beside, doc)   " " #name
#define TAC__EXPORT_NAMES                                                   TAC__EXPORT_FORMATS(TAC__EXPORT_NAME)
#define TAC__EXPORT_ENDING(name, endings, rows, rated, stream, beside, doc) endings
#define TAC__EXPORT_ENDINGS                                                 TAC__EXPORT_FORMATS(TAC__EXPORT_ENDING)

#endif
