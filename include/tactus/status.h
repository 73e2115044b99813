// status.h - how every function of Tactus reports failure.
//
// A function that can fail returns a tac_status and, where it takes a `tac_error *`, fills it in:
// what was wrong, where, what was expected, and what was being done at the time. The error is a
// plain struct that the caller owns; it needs no clean-up and may be NULL where the text is not
// needed.
#ifndef TACTUS_STATUS_H
#define TACTUS_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <tactus/api.h>

// X(name, class, text). The class is the exit code of the program for such a failure:
// 1 the run failed, 2 usage or configuration, 3 the environment (file, network, library), 4 a
// federation was ended early for this client, by its server.
#define TAC_STATUS_TABLE(X)                                                                        \
    X(OK, 0, "no error")                                                                           \
    X(E_CALLER, 1, "a function was called with wrong arguments or at the wrong moment")            \
    X(E_MEMORY, 3, "out of memory")                                                                \
    X(E_USAGE, 2, "wrong use of the command line")                                                 \
    X(E_SYNTAX, 2, "syntax error")                                                                 \
    X(E_CONFIG, 2, "invalid configuration")                                                        \
    X(E_NAME, 2, "unknown name")                                                                   \
    X(E_DUPLICATE, 2, "name used twice")                                                           \
    X(E_TYPE, 2, "types do not agree")                                                             \
    X(E_UNIT, 2, "units do not agree")                                                             \
    X(E_RANGE, 2, "value out of range")                                                            \
    X(E_TIME, 2, "not a whole number of microseconds")                                             \
    X(E_CYCLE, 2, "circular dependency")                                                           \
    X(E_OWNER, 2, "a signal has exactly one writer")                                               \
    X(E_LIMIT, 2, "limit exceeded")                                                                \
    X(E_NUMERIC, 1, "numerical fault")                                                             \
    X(E_COMPONENT, 1, "a component failed")                                                        \
    X(E_FLOATS, 1, "it changed the floating-point environment (rounding, flush to zero or traps)") \
    X(E_QUEUE, 1, "message queue full")                                                            \
    X(E_STOPPED, 1, "stopped on request")                                                          \
    X(E_UNFINISHED, 1, "the run did not come to its end")                                          \
    X(E_DIFFERENT, 1, "recordings differ")                                                         \
    X(E_UNSAVABLE, 2, "a component cannot be saved")                                               \
    X(E_MISMATCH, 2, "made by another model")                                                      \
    X(E_FORMAT, 3, "not a file of this format, or damaged")                                        \
    X(E_FILE, 3, "file error")                                                                     \
    X(E_ABI, 3, "plugin of another version")                                                       \
    X(E_HANG, 3, "a call into a library does not return")                                          \
    X(E_EXPECT, 1, "the run is not what was expected of it")                                       \
    X(E_NETWORK, 3, "connection failed or lost")                                                   \
    X(E_PROTOCOL, 3, "not what the protocol allows")                                               \
    X(E_PROMISE, 1, "a message was sent before the time that was promised")                        \
    X(E_FEDERATION, 1, "the federation ended early")                                               \
    X(E_GRAPH, 2, "it has no symbolic form")                                                       \
    X(E_UNSOLVED, 1, "no solution was found")                                                      \
    X(E_ENDED, 4, "the server has ended the federation")                                           \
    X(E_UNNAMED, 3, "a library that is needed is not named")                                       \
    X(E_LIBRARY, 3, "a library ended the process that called it")

typedef enum tac_status {
#define TAC_STATUS_ENUM(name, exit_class, text) TAC_##name,
    TAC_STATUS_TABLE(TAC_STATUS_ENUM)
#undef TAC_STATUS_ENUM
} tac_status;

// A place in a configuration file. Lines and columns count from 1; line 0 means "no place".
// `file` and `excerpt` (the source line itself, without line end) live as long as the document.
typedef struct tac_place {
    const char *file;
    uint32_t line, column;
    const char *excerpt;
} tac_place;

enum { TAC_ERROR_TEXT = 1536, TAC_ERROR_CONTEXT = 1024, TAC_ERROR_NAME = 256 };

typedef struct tac_error {
    tac_status status;
    char text[TAC_ERROR_TEXT];       // what was wrong and what was expected
    char context[TAC_ERROR_CONTEXT]; // lines "while ...", innermost first
    char file[TAC_ERROR_NAME];       // "" where there is no file
    uint32_t line, column;           // 0 where unknown
    char excerpt[TAC_ERROR_NAME];    // the source line, or the part of it around the error
    uint32_t caret;                  // the error's position in the excerpt, in characters from 1
    uint64_t t_us;                   // simulated time of a failed run, else TAC_TIME_NEVER
    char component[TAC_ERROR_NAME];  // component that failed, else ""
} tac_error;

// Is told of each mistake of a configuration, as it is found; see tac_config_def.
typedef void tac_mistake_fn(void *context, const tac_error *mistake);

// After so many mistakes a call ends: each costs a search for the nearest valid name.
enum { TAC_MISTAKES_MAX = 100 };

TAC_BEGIN_DECLS

TAC_API const char *tac_status_name(tac_status status); // "TAC_E_UNIT"
TAC_API const char *tac_status_text(tac_status status); // "units do not agree"
TAC_API int tac_status_exit_code(tac_status status);    // 0, 1, 2 or 3

TAC_API void tac_error_clear(tac_error *err);

// Write the whole error as lines for a person:
//   rates.yaml:12:15: error: unknown unit 'ms2'
//      12 |   unit: ms2
//         |         ^
//     while reading component 'Nav'
// Control characters are shown as \x1b. Returns the length written, cut to fit `size`.
TAC_API size_t tac_error_print(const tac_error *err, char *buffer, size_t size);

TAC_END_DECLS
#endif
