// error.h - making errors: the inside of tactus/status.h.
#ifndef TAC_BASE_ERROR_H
#define TAC_BASE_ERROR_H

#include <stdarg.h>
#include <tactus/status.h>
#include <tactus/time.h>

// Checks for a bug of the caller, in release builds too.
#define TAC_REQUIRE(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return TAC_E_CALLER;                                                                   \
    } while (0)

// Checks an internal invariant, in debug and test builds.
#ifdef NDEBUG
#define TAC_ASSERT(condition) ((void)sizeof(condition))
#else
#include <assert.h>
#define TAC_ASSERT(condition) assert(condition)
#endif

// Return the status of a call that failed.
#define TAC_TRY(call)                                                                              \
    do {                                                                                           \
        const tac_status try_status_ = (call);                                                     \
        if (try_status_ != TAC_OK)                                                                 \
            return try_status_;                                                                    \
    } while (0)

// Start an error: fills `err` (may be NULL) and returns `status`.
TAC_PRINTF(3, 4) tac_status tac__fail(tac_error *err, tac_status status, const char *format, ...);

// The same with a place in a document; `place` may be NULL.
TAC_PRINTF(4, 5)
tac_status tac__fail_at(tac_error *err, tac_status status, const tac_place *place,
                        const char *format, ...);

tac_status tac__fail_memory(tac_error *err);

// Add to the text of an error under way, e.g. "; did you mean 'gain'?".
TAC_PRINTF(2, 3) void tac__error_append(tac_error *err, const char *format, ...);

// Append "; did you mean 'X'?" where a candidate is close to `name`. `candidate(context, i)`
// returns the i-th valid name and NULL after the last.
typedef const char *tac__candidate_fn(const void *context, size_t i);
void tac__error_suggest(tac_error *err, const char *name, tac__candidate_fn *candidate,
                        const void *context);

// The text of a line, up to `end`, as an excerpt for errors: cut between two characters; control
// characters but tabs, and bytes that are not UTF-8, become '?'.
void tac__excerpt(const char *line, const char *end, char text[TAC_ERROR_NAME]);

// Say what was being done: adds a line "while ...". Give the error a place if it has none.
TAC_PRINTF(2, 3) void tac__error_context(tac_error *err, const char *format, ...);
void tac__error_place(tac_error *err, const tac_place *place);

// Say when and in which component a run failed.
void tac__error_run(tac_error *err, tac_time t_us, const char *component);

// Mistakes of one input, where the caller wants to be told of all of them.
typedef struct tac__mistakes {
    tac_mistake_fn *tell; // NULL: the first one ends the work
    void *context;
    tac_error first; // the first one told of; its status is TAC_OK while there was none
    size_t count;    // told of so far
} tac__mistakes;

// What became of a piece of the work: a mistake is told of, and then TAC_OK lets the work go on.
// Other failures, such as lack of memory, are returned; so is the first mistake, in `err` too, once
// TAC_MISTAKES_MAX were told of. `m` may be NULL: there is nobody to tell.
TAC_MUST_CHECK tac_status tac__mistake(tac__mistakes *m, tac_status status, tac_error *err);
// At the end of the work: the first mistake, if there was one.
TAC_MUST_CHECK tac_status tac__mistakes_end(const tac__mistakes *m, tac_error *err);

// What a value of errno means, in English whatever the locale is; strerror would translate it.
const char *tac__errno_text(int code);

#endif
