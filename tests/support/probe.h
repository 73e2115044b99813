// probe.h - small simulations for tests of the engine.
//
// A bench owns one engine and a log in memory. What is put on it is described by a probe: names of
// ports and a few functions, without a table of its own; the bench makes the component type. A
// probe that has no functions is a discrete one that logs each of its steps and writes the number
// of the step, counting from 1, to all of its outputs.
//
// A port is written as "[flags]name[:unit][@type]", flags being any of
//   ?  optional    =  held    !  derive only    ~  written by `output`
// and type one of f64 (the default), i32, i64, bool, vec3, quat, arr4, enum.
#ifndef TAC_TESTS_SUPPORT_PROBE_H
#define TAC_TESTS_SUPPORT_PROBE_H

#include <tactus/engine.h>

enum { PROBE_PORTS = 6, PROBE_PARAMS = 8, BENCH_PROBES = 256 };

typedef struct bench bench;

typedef struct probe {
    const char *entity, *name, *group, *stage;
    const char *in[PROBE_PORTS], *out[PROBE_PORTS], *x[PROBE_PORTS];
    const char *direct[PROBE_PORTS]; // of an output: digits of the inputs it depends on; NULL: all
    const char *tx, *rx, *stream;    // sender, receiver, random stream
    bool deaf;                       // messages do not trigger
    uint32_t capacity;               // of rx, 16 where 0
    uint32_t flags;                  // TAC_COMPONENT_...
    bool silent;                     // nothing is logged
    bool constant;                   // no step either
    double p[PROBE_PARAMS];          // for the functions below
    tac_status (*init)(tac_step *, const void *);
    tac_status (*step)(tac_step *, const void *);
    tac_status (*output)(const tac_eval *, const void *);
    tac_status (*derive)(const tac_eval *, const void *);
    tac_status (*project)(const tac_eval *, const void *, double *);
    bool pre, post; // with hooks that log
    tac_status (*pre_step)(tac_step *, const void *);
    tac_status (*post_step)(tac_step *, const void *);
    tac_place place;

    // made by the bench
    bench *on;
    tac_component_type type;
    char full[96];
    int in_count, out_count;
    uint64_t steps, derives, outputs, projects;
    tac_time first_us, last_us; // of its steps
} probe;

// Which function of a component wrote an entry.
enum { AT_PRE = '<', AT_STEP = '.', AT_POST = '>', AT_OBSERVER = 'o', AT_INIT = 'i' };

typedef struct bench_entry {
    tac_time t_us;
    const char *who;
    char where;
    uint32_t due;
    double in[PROBE_PORTS];
    double x; // first own continuous state
} bench_entry;

struct bench {
    tac_engine *engine;
    tac_error err;
    probe *probes[BENCH_PROBES];
    size_t probe_count;
    bench_entry *log;
    size_t count, capacity;
    char text[4096]; // of bench_order
};

// The probe behind a `self`.
probe *probe_of(const void *self);

// --- building: each asserts that it succeeds; those named try_ return the status -------------

void bench_begin(bench *b, const tac_engine_def *def); // NULL: the default
void bench_end(bench *b);

probe *bench_add(bench *b, const probe *p);
void bench_entity(bench *b, const char *name);
void bench_group(bench *b, const char *name, tac_time period_us, tac_time offset_us);
void bench_times(bench *b, const char *name, const tac_time *times_us, size_t count);
void bench_route(bench *b, const char *to, const char *from);
void bench_delayed(bench *b, const char *to, const char *from);
void bench_link(bench *b, const char *from, const char *to, tac_time delay_us);
void bench_observe(bench *b, const char *name, tac_time period_us, tac_time offset_us,
                   const char *signal); // logs an f64 signal
void bench_prepare(bench *b);
void bench_run(bench *b, tac_time until_us);

tac_status bench_try_add(bench *b, const probe *p);
tac_status bench_try_prepare(bench *b);
tac_status bench_try_run(bench *b, tac_time until_us);

// --- looking ---------------------------------------------------------------------------------

double bench_read(bench *b, const char *signal); // f64
uint64_t bench_hash(const bench *b, const char *pattern);
uint64_t bench_digest(const bench *b, const char *name); // asserts that it exists

// Who did something at t_us, in order: "A. B. C>". Valid until the next call.
const char *bench_order(bench *b, tac_time t_us);
// The n-th entry of `who`, counting from 0; `where` 0: any. NULL: there is none.
const bench_entry *bench_find(const bench *b, const char *who, char where, size_t n);
const bench_entry *bench_at(const bench *b, const char *who, char where, tac_time t_us);
size_t bench_count(const bench *b, const char *who, char where);
// The same entries in the same order, bit for bit.
void bench_same_log(const bench *a, const bench *b);
// Every digest of `a` whose name matches is in `b` with the same value; asserts that there are
// some.
void bench_same_digests(const bench *a, const bench *b, const char *pattern);
// The error has this status and its text contains each of the words (NULL at the end).
void bench_error(const bench *b, tac_status status, ...);

// Add an entry to the log, as the probes do.
void bench_note(bench *b, const char *who, char where, const tac_step *s);

// --- functions for probes --------------------------------------------------------------------

tac_status probe_step(tac_step *s, const void *self);   // log, count into all outputs
tac_status probe_copy(tac_step *s, const void *self);   // log, out[i] = in[i] (0 where missing)
tac_status probe_time(tac_step *s, const void *self);   // log, out[0] = t in us
tac_status probe_noise(tac_step *s, const void *self);  // out[0] = normal draw
tac_status probe_send(tac_step *s, const void *self);   // log, send own count as a double
tac_status probe_listen(tac_step *s, const void *self); // log, out = last, sum, count, sender
// x' = p0 x + p1 u + p2, with u = in[0] where there is one; y = x; x(0) = p3
tac_status linear_init(tac_step *s, const void *self);
tac_status linear_derive(const tac_eval *e, const void *self);
tac_status linear_output(const tac_eval *e, const void *self);

#endif
