// record.h - recordings: made while a simulation runs, read and replayed afterwards.
//
// A recording is an MCAP file: channels of samples, one for each component and axis, and all that
// is needed to repeat the run: the resolved configuration, the bus schema, the model, the initial
// state. docs/recording.md describes it; any reader of MCAP with ROS 2 messages reads it.
#ifndef TACTUS_RECORD_H
#define TACTUS_RECORD_H

#include <tactus/engine.h>

// --- recording ----------------------------------------------------------------------------------

// Each tier includes the one before it.
#define TAC_TIER_TABLE(X)                                                                          \
    X(REPLAY, "replay", "what drives the plant, to repeat the run")                                \
    X(LOG, "log", "and every signal, on the log axis")                                             \
    X(ALL, "all", "and every signal wherever it is written, the plant at all its boundaries")

typedef enum tac_tier {
#define TAC_TIER_ENUM(name, text, doc) TAC_TIER_##name,
    TAC_TIER_TABLE(TAC_TIER_ENUM)
#undef TAC_TIER_ENUM
        TAC_TIER_COUNT
} tac_tier;

// How some signals are recorded, instead of what the tier says; signals that replay needs are
// recorded at every write in any case. The last rule that matches a signal counts.
typedef struct tac_record_rule {
    uint32_t size;               // sizeof(tac_record_rule)
    bool never;                  // not at all; otherwise one of period_us, every and when
    const char *const *patterns; // of signals
    size_t pattern_count;
    tac_time period_us; // on an axis of their own
    uint32_t every;     // at every n-th write
    const char *when;   // at every write, but only around instants at which this turns true
    tac_time before_us, after_us;
    tac_place place;
} tac_record_rule;

// A file that the configuration names. It is stored in the recording, so that the recording is
// complete by itself.
typedef struct tac_record_file {
    const char *name; // as the configuration calls it: "files/1/square.waypoints"
    const char *path; // where it lies
} tac_record_file;

#define TAC_FLUSH_US 5000000 // how often everything is written out; less often in a long run

typedef struct tac_recorder_def {
    uint32_t size;      // sizeof(tac_recorder_def)
    bool sync;          // each flush reaches the disk: a loss of power costs no more than a kill
    bool replace;       // replace a file that exists under `path`; otherwise it is an error
    const char *path;   // of the MCAP file; NULL: none
    const char *csv;    // of a CSV table that is written during the run; NULL: none
    const char *name;   // of the simulation
    const char *config; // resolved, as YAML; "" where there is none
    tac_tier tier;
    tac_time log_us;   // period of the log axis
    tac_time state_us; // how often a state to go on from is stored; 0: at the start only; NEVER,
                       // the default: every 10 s, but at most 1000 times in the run
    tac_time flush_us; // simulated time after which everything is handed to the system; NEVER, the
                       // default: TAC_FLUSH_US, but at most 2000 times in the run. A program that
                       // is killed loses at most two flushes
    tac_log_level log_level; // log entries are recorded, too, from this level on
    const char *compression; // "zstd", "lz4", "none"
    int level;               // of zstd, -7 to 19
    const tac_record_rule *rules;
    size_t rule_count;
    const tac_record_file *files;
    size_t file_count;
} tac_recorder_def;

static inline tac_record_rule tac_record_rule_default(void)
{
    tac_record_rule rule = TAC_ZERO;
    rule.size = sizeof rule;
    return rule;
}

static inline tac_recorder_def tac_recorder_def_default(void)
{
    tac_recorder_def def = TAC_ZERO;
    def.size = sizeof def;
    def.replace = true;
    def.name = def.config = "";
    def.tier = TAC_TIER_LOG;
    def.log_us = 10000;
    def.state_us = def.flush_us = TAC_TIME_NEVER;
    def.log_level = TAC_LOG_INFO;
    def.compression = "zstd";
    def.level = -1;
    return def;
}

typedef struct tac_recorder tac_recorder;

TAC_BEGIN_DECLS

// For an engine with all its components, not prepared yet; one engine may have several recorders.
// `def` is copied, but not what it points to, which must outlive the recorder. The recorder must
// outlive the engine's runs; the engine is destroyed only after the recorder was ended or
// destroyed.
TAC_API TAC_MUST_CHECK tac_status tac_recorder_create(const tac_recorder_def *def,
                                                      tac_engine *engine, tac_recorder **recorder,
                                                      tac_error *err);
// Create the file: once the engine is prepared and, if it goes on from a checkpoint, restored. The
// file stays locked until tac_recorder_end, so that no other recorder replaces it meanwhile.
TAC_API TAC_MUST_CHECK tac_status tac_recorder_begin(tac_recorder *recorder, tac_error *err);
// A recorder that cannot write asks the engine to stop; this tells whether it did.
TAC_API bool tac_recorder_failed(const tac_recorder *recorder);
// Close the file: after the run, however it ended. `failure` says why the run failed; NULL or "" if
// it came to its end or was merely stopped.
TAC_API TAC_MUST_CHECK tac_status tac_recorder_end(tac_recorder *recorder, const char *failure,
                                                   tac_error *err);
TAC_API void tac_recorder_destroy(tac_recorder *recorder); // NULL is fine

TAC_END_DECLS

// --- reading ------------------------------------------------------------------------------------

// A recording that is open for reading. Thread-safe if each thread opens its own. Memory is bounded
// however large the file is.
typedef struct tac_recording tac_recording;

// When samples of a channel were taken, and so what its values are between them.
typedef enum tac_trace {
    TAC_TRACE_EXACT,  // a sample at every step of its component
    TAC_TRACE_HOLD,   // a sample wherever one of its values changed
    TAC_TRACE_SAMPLED // on an axis of the recorder's own: values between samples are not known
} tac_trace;

typedef struct tac_recording_info {
    const char *path;
    const char *name;    // of the simulation
    const char *version; // of the program that wrote it
    uint64_t seed;
    uint64_t schema_hash, model_hash;
    tac_time start_us;    // of the run: 0, or the time of the checkpoint that it went on from
    tac_time end_us;      // when it was meant to end
    tac_time last_us;     // last instant that is in the file
    tac_time complete_us; // every channel is complete up to here: last_us, unless cut off
    bool whole;           // the file was closed properly
    bool finished;        // the run came to its end
    uint64_t hash;        // of the whole run; 0 where it is not known
    const char *failure;  // why the run ended early, "" otherwise
    const char *config;   // resolved configuration, YAML
    const char *model;    // the model as text, from which the model hash is computed
    const char *schema;   // bus schema, JSON
    uint64_t file_size;   // bytes
    uint64_t messages;    // in all channels
    uint64_t chunks;
    const char *compression; // "zstd", "lz4", "none"
    tac_time log_us;         // period of the log axis; 0 where it is not known
} tac_recording_info;

typedef struct tac_channel_info {
    const char *topic;     // "/uav1/battery"
    const char *component; // "uav1.battery"; "" for channels of the recorder itself
    tac_trace trace;
    tac_time period_us; // of its axis, 0 where it has none
    bool replay;        // needed to drive the plant again
    size_t size;        // bytes of a sample in memory
    uint64_t samples;
    tac_time first_us, last_us; // of its samples
} tac_channel_info;

// A signal of the simulation that was recorded; each is in one channel.
typedef struct tac_recorded {
    const char *name; // "uav1.battery.soc"
    const char *unit, *doc;
    tac_type type;
    bool continuous; // a state or an output of the plant
    tac_stage stage;
    size_t channel;
    size_t offset; // of its value in a sample, which has the type that tac_engine_read returns
} tac_recorded;

// All signals of one channel at one instant. Valid until the cursor moves.
typedef struct tac_sample {
    tac_time t_us;
    size_t channel;
    const void *values;
} tac_sample;

// Reads samples in order of time, those of one instant in order of channel.
typedef struct tac_cursor tac_cursor;

// One signal over time, as doubles: element e of sample i is values[i * count + e].
typedef struct tac_series {
    const tac_allocator *allocator;
    size_t samples;
    uint32_t count; // elements of the signal
    tac_time *t_us;
    double *values;
    size_t capacity;
} tac_series;

TAC_BEGIN_DECLS

// Also opens a file that a crash left behind, up to its last whole chunk: info.whole tells.
TAC_API TAC_MUST_CHECK tac_status tac_recording_open(const char *path, tac_recording **recording,
                                                     tac_error *err);
TAC_API void tac_recording_close(tac_recording *recording);
TAC_API bool tac_recording_is(const char *path); // begins like one; false also where unreadable

TAC_API const tac_recording_info *tac_recording_about(const tac_recording *recording);
TAC_API size_t tac_recording_channel_count(const tac_recording *recording);
TAC_API const tac_channel_info *tac_recording_channel(const tac_recording *recording, size_t i);
// Signals in order of channel, then of offset.
TAC_API size_t tac_recording_signal_count(const tac_recording *recording);
TAC_API const tac_recorded *tac_recording_signal(const tac_recording *recording, size_t i);
TAC_API int tac_recording_find(const tac_recording *recording, const char *name); // -1: unknown

// Digests of the whole run by name, as tac_engine_digest gives them; none if the run did not end
// properly. NULL after the last.
TAC_API const char *tac_recording_digest(const tac_recording *recording, size_t i,
                                         uint64_t *digest);
// As tac_engine_hash.
TAC_API uint64_t tac_recording_hash(const tac_recording *recording, const char *pattern,
                                    size_t *count);

// Reads the channels for which `wanted` is true (one a channel; NULL: all), from `from_us` to
// `to_us`, both included. Reads only chunks that it needs, one a channel at a time.
TAC_API TAC_MUST_CHECK tac_status tac_cursor_open(tac_recording *recording, const bool *wanted,
                                                  tac_time from_us, tac_time to_us,
                                                  tac_cursor **cursor, tac_error *err);
// `*more` is false after the last sample.
TAC_API TAC_MUST_CHECK tac_status tac_cursor_next_sized(tac_cursor *cursor, tac_sample *sample,
                                                        size_t size, bool *more, tac_error *err);
static inline TAC_MUST_CHECK tac_status tac_cursor_next(tac_cursor *cursor, tac_sample *sample,
                                                        bool *more, tac_error *err)
{
    return tac_cursor_next_sized(cursor, sample, sizeof *sample, more, err);
}
TAC_API void tac_cursor_close(tac_cursor *cursor);

// All samples of one signal between two instants. Free with tac_series_fini.
TAC_API TAC_MUST_CHECK tac_status tac_recording_series_sized(tac_recording *recording,
                                                             size_t signal, tac_time from_us,
                                                             tac_time to_us, tac_series *series,
                                                             size_t size, tac_error *err);
TAC_API void tac_series_fini_sized(tac_series *series, size_t size);
static inline TAC_MUST_CHECK tac_status tac_recording_series(tac_recording *recording,
                                                             size_t signal, tac_time from_us,
                                                             tac_time to_us, tac_series *series,
                                                             tac_error *err)
{
    return tac_recording_series_sized(recording, signal, from_us, to_us, series, sizeof *series,
                                      err);
}
static inline void tac_series_fini(tac_series *series)
{
    tac_series_fini_sized(series, sizeof *series);
}
// The value of one element, whatever its type, as a double.
TAC_API double tac_recorded_element(const tac_recorded *signal, const tac_sample *sample,
                                    uint32_t element);

// Write the configuration, as config.yaml, and the files that it names into a folder, which must
// exist: loading it gives the simulation that was recorded. The configuration comes from someone
// else: load it with `untrusted` and `closed_folder` of tac_config_def, or plugins that it names
// are run.
TAC_API TAC_MUST_CHECK tac_status tac_recording_unpack(tac_recording *recording, const char *folder,
                                                       tac_error *err);

// A clean copy of a recording that a crash left behind or that is damaged, with all that can be
// read of it. The copy is opened and read to its end before it gets its name. `lost` has a line for
// each thing that could not be kept, "" where nothing was lost; free it with tac_text_free.
typedef struct tac_recovered {
    tac_time last_us;
    uint64_t messages;
    char *lost;
} tac_recovered;

TAC_API TAC_MUST_CHECK tac_status tac_recording_recover_sized(const char *from, const char *path,
                                                              tac_recovered *what, size_t size,
                                                              tac_error *err);
static inline TAC_MUST_CHECK tac_status tac_recording_recover(const char *from, const char *path,
                                                              tac_recovered *what, tac_error *err)
{
    return tac_recording_recover_sized(from, path, what, sizeof *what, err);
}

TAC_END_DECLS

// --- replaying ----------------------------------------------------------------------------------

typedef struct tac_replay_def {
    uint32_t size;    // sizeof(tac_replay_def)
    bool force_model; // go on even if the model differs
    tac_time from_us; // begin with the nearest stored state at or before this time
} tac_replay_def;

static inline tac_replay_def tac_replay_def_default(void)
{
    tac_replay_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

typedef struct tac_replay_result {
    tac_time start_us;       // time of the state that the replay began with
    uint64_t boundaries;     // boundaries of islands that were compared with the recording
    bool compared;           // the recording has digests of states
    bool hash_match;         // every state was the same, bit for bit
    tac_time mismatch_us;    // first boundary at which a state differed, TAC_TIME_NEVER: none
    const char *mismatch;    // the first component of the island that differed, "" if none
    const char *differences; // of the model, one a line; "" if the models are the same
    bool other_model;        // the models differ in more than the integrator
    bool other_integrator;   // the integrator differs, perhaps among others
} tac_replay_result;

// Drives the plant of an engine from a recording: autopilot, wind, scenario and estimator do not
// run; what they wrote is read from the recording.
typedef struct tac_replay tac_replay;

TAC_BEGIN_DECLS

// For an engine with all its components, not prepared yet. The recording must outlive the replay,
// and the replay the engine's runs.
TAC_API TAC_MUST_CHECK tac_status tac_replay_create(tac_recording *recording, tac_engine *engine,
                                                    const tac_replay_def *def, tac_replay **replay,
                                                    tac_error *err);
// Once the engine is prepared: compare the models, and set the initial state.
TAC_API TAC_MUST_CHECK tac_status tac_replay_begin(tac_replay *replay, tac_error *err);
// To be called after the run, however it ended. If the recording could not be read any more, the
// replay has asked the engine to stop; this returns the error.
TAC_API TAC_MUST_CHECK tac_status tac_replay_end(tac_replay *replay, tac_error *err);
TAC_API void tac_replay_about_sized(const tac_replay *replay, tac_replay_result *result,
                                    size_t size);
static inline tac_replay_result tac_replay_about(const tac_replay *replay)
{
    tac_replay_result result;
    tac_replay_about_sized(replay, &result, sizeof result);
    return result;
}
TAC_API void tac_replay_destroy(tac_replay *replay); // NULL is fine

TAC_END_DECLS

// --- exporting ----------------------------------------------------------------------------------

// A format that recordings can be exported to.
typedef struct tac_export_format {
    const char *name;    // "csv"
    const char *endings; // of file names, separated by spaces, the usual one first: ".h5 .hdf5"
    const char *beside;  // ending of a second file that is written beside the first; NULL: none
    const char *doc;
    bool rows;   // the format has rows: takes `exact` of tac_export_def
    bool stream; // the format is written in order: takes `write`
} tac_export_format;

#define TAC_EXPORT_ALL TAC_TIME_NEVER // a `period_us` of tac_export_def

typedef struct tac_export_def {
    uint32_t size;               // sizeof(tac_export_def)
    bool exact;                  // rows: write numbers so that they read back as the same doubles
    const char *format;          // name of the format
    const char *path;            // written as a whole or not at all
    const char *const *patterns; // of signals, as in tac_engine_hash; none: all
    size_t pattern_count;
    tac_time from_us, to_us; // both included
    // Rows: one at every multiple, values hold between samples. 0: on the log axis of the recording
    // where there are samples, and at the end. TAC_EXPORT_ALL: at every sample. ULog: least time
    // between two messages of a topic, 0: as PX4's logger has it.
    tac_time period_us;
    // Takes the bytes in order instead of a file at `path`; false ends the export.
    bool (*write)(void *context, const void *bytes, size_t size);
    // Called with notes for the user, such as what the format cannot hold. May be NULL.
    void (*note)(void *context, const char *text);
    void *context; // of `write` and `note`
} tac_export_def;

static inline tac_export_def tac_export_def_default(void) // CSV, everything
{
    tac_export_def def = TAC_ZERO;
    def.size = sizeof def;
    def.format = "csv";
    def.to_us = TAC_TIME_NEVER;
    return def;
}

typedef struct tac_export_result {
    size_t signals; // written
    uint64_t samples;
    uint64_t bytes;
} tac_export_result;

// --- comparing ----------------------------------------------------------------------------------

typedef struct tac_tolerance {
    const char *pattern;       // of signals; the last pattern that matches counts
    double absolute, relative; // |a - b| <= absolute + relative * max(|a|, |b|); both NaN agree
} tac_tolerance;

typedef struct tac_compare_def {
    uint32_t size;               // sizeof(tac_compare_def)
    const char *const *patterns; // of signals; none: all
    size_t pattern_count;
    tac_time from_us, to_us;
    const tac_tolerance *tolerances; // of numbers; without one: bit for bit
    size_t tolerance_count;
} tac_compare_def;

static inline tac_compare_def tac_compare_def_default(void)
{
    tac_compare_def def = TAC_ZERO;
    def.size = sizeof def;
    def.to_us = TAC_TIME_NEVER;
    return def;
}

// One signal of two recordings A and B. A channel that has samples where values changed holds in
// between; any other has a value only where it has a sample. A value that only one recording has at
// an instant is unmatched.
typedef struct tac_difference {
    const char *name, *unit;
    bool only_a, only_b;               // only A, or only B, has the signal
    bool alike;                        // type and unit agree; compared only then
    uint64_t samples;                  // compared
    uint64_t unmatched_a, unmatched_b; // unmatched samples of A and of B
    tac_time unmatched_us;             // the first unmatched sample, TAC_TIME_NEVER: none
    uint64_t beyond;                   // samples out of tolerance
    double max_abs;                    // largest difference; infinity if one of two is not finite
    tac_time max_us;                   // when it occurs, TAC_TIME_NEVER: no difference
    tac_time first_us;                 // first sample out of tolerance, TAC_TIME_NEVER: none
    uint32_t element;                  // the element that differs there
    double a, b;                       // the values there
    uint64_t ulps; // ulps between a and b; UINT64_MAX: one is NaN, or they are no doubles
} tac_difference;

typedef struct tac_comparison tac_comparison;

TAC_BEGIN_DECLS

// `result` may be NULL. Where memory runs out, HDF5 may end the process.
TAC_API TAC_MUST_CHECK tac_status tac_recording_export_sized(tac_recording *recording,
                                                             const tac_export_def *def,
                                                             tac_export_result *result, size_t size,
                                                             tac_error *err);
static inline TAC_MUST_CHECK tac_status tac_recording_export(tac_recording *recording,
                                                             const tac_export_def *def,
                                                             tac_export_result *result,
                                                             tac_error *err)
{
    return tac_recording_export_sized(recording, def, result, sizeof *result, err);
}
TAC_API const tac_export_format *tac_export_format_at(size_t i);              // NULL after the last
TAC_API const tac_export_format *tac_export_format_find(const char *name);    // NULL: unknown
TAC_API const tac_export_format *tac_export_format_of_path(const char *path); // by its ending
// The path of the second file: "flight.types.lcm" beside "flight.lcm". Free it with tac_text_free.
// NULL: the format has none, or there is no memory.
TAC_API char *tac_export_beside(const tac_export_format *format, const char *path);

TAC_API TAC_MUST_CHECK tac_status tac_recording_compare(tac_recording *a, tac_recording *b,
                                                        const tac_compare_def *def,
                                                        tac_comparison **comparison,
                                                        tac_error *err);
// The recordings may be closed before.
TAC_API void tac_comparison_destroy(tac_comparison *comparison);
// Do the recordings agree within the tolerances? False if no sample was compared.
TAC_API bool tac_comparison_equal(const tac_comparison *comparison);
// The signal whose values differ first, -1: none; of several at one instant, the signal of the
// earliest stage, states of the plant before all.
TAC_API int tac_comparison_first(const tac_comparison *comparison);
// Signals of A in its order, then signals that only B has.
TAC_API size_t tac_comparison_count(const tac_comparison *comparison);
TAC_API const tac_difference *tac_comparison_signal(const tac_comparison *comparison, size_t i);

TAC_END_DECLS
#endif
