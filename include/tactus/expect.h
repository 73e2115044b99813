// expect.h - what a run is expected to do, and whether it did: `expect` and `stop` of a
// configuration, which docs/expect.md describes.
//
//     tac_config_build_unprepared(config, &def, &engine, err)
//     tac_config_verdict(config, engine, &verdict, err)
//     tac_engine_prepare(engine, err)
//     tac_verdict_begin(verdict, err)
//     tac_engine_run(engine, end_us, err)
//     tac_verdict_end(verdict)
//
// A verdict watches: it inserts no boundary and changes no bit. It must outlive the runs of its
// engine, and the configuration must outlive the verdict. Every function accepts NULL: a verdict
// without expectations.
#ifndef TACTUS_EXPECT_H
#define TACTUS_EXPECT_H

#include <tactus/config.h>

typedef struct tac_verdict tac_verdict;

typedef enum tac_expect_outcome {
    TAC_EXPECT_PASSED,
    TAC_EXPECT_FAILED,
    TAC_EXPECT_UNDECIDED, // nothing decided it: `reason` says why
} tac_expect_outcome;

// What came of one expectation. Texts live as long as the verdict.
typedef struct tac_expectation {
    const char *name, *condition;
    const char *kind; // "always", "never", "eventually", "at"
    tac_expect_outcome outcome;
    tac_time t_us; // "at": the time that counts; "eventually": by when; else the end of the run
    // When an "always" or "never" was first broken, an "eventually" first true, an "at" evaluated;
    // TAC_TIME_NEVER: not at all.
    tac_time when_us;
    // Distance of the condition from failing: the smallest at any sample, of "eventually" the
    // largest. Infinite where the condition compares no numbers, NaN where it was never evaluated.
    double margin;
    double worst;           // the value that was compared, where it gave the margin
    tac_time worst_us;      // when that was
    const char *unit;       // of margin and worst; NULL: none
    const char *comparison; // the one that gave the margin; NULL: none
    const char *nan;        // the value that was NaN, which failed the expectation; NULL: none
    const char *reason;     // why it is undecided; NULL: it is not
} tac_expectation;

TAC_BEGIN_DECLS

// Watch an engine that is not prepared yet. `*verdict` is NULL where the configuration says
// nothing. Mistakes in conditions are found while the engine is prepared.
TAC_API TAC_MUST_CHECK tac_status tac_config_verdict(tac_config *config, tac_engine *engine,
                                                     tac_verdict **verdict, tac_error *err);
// Once the engine is prepared, and after a checkpoint was loaded: expectations begin here.
// Snapshots of the engine (tactus/outside.h) that are taken from here on hold what the verdict
// knows, and restoring one takes the verdict back, too.
TAC_API TAC_MUST_CHECK tac_status tac_verdict_begin(tac_verdict *verdict, tac_error *err);
// After the run, however it ended. What follows is valid from here on, until a snapshot is
// restored. Of a verdict that was not begun every expectation is undecided.
TAC_API void tac_verdict_end(tac_verdict *verdict);
TAC_API void tac_verdict_destroy(tac_verdict *verdict);

TAC_API size_t tac_verdict_count(const tac_verdict *verdict); // of expectations
// Name "" where there is no such expectation.
TAC_API void tac_verdict_get_sized(const tac_verdict *verdict, size_t i, tac_expectation *result,
                                   size_t size);
static inline tac_expectation tac_verdict_get(const tac_verdict *verdict, size_t i)
{
    tac_expectation result;
    tac_verdict_get_sized(verdict, i, &result, sizeof result);
    return result;
}
// What came of one expectation as a line of text, or as a JSON object on one line. Free with
// tac_text_free. NULL: no memory.
TAC_API char *tac_verdict_print(const tac_verdict *verdict, size_t i, tac_format format);
// Did the condition of `stop` end the run? tac_engine_run returns TAC_E_STOPPED then. A NaN in the
// condition ends the run, too: `*nan` names the value, NULL if there was none.
TAC_API bool tac_verdict_stopped(const tac_verdict *verdict, tac_time *t_us, const char **nan);

// Write the results into the recording: after tac_verdict_end, before tac_recorder_end.
TAC_API void tac_recorder_verdict(tac_recorder *recorder, const tac_verdict *verdict);

TAC_END_DECLS
#endif
