// Graphs: what emitted C, Jacobians and the interpreter cost against the equations as they were
// compiled by hand, and how long tracing and emitting take.
#include "bench.h"
#include "graph/derive.h"
#include "graph/emit.h"
#include "graph/tape.h"
#include "iris_rhs.h"
#include "math/machine.h"
#include <tactus/config.h>
#include <tactus/graph.h>

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS = 500, BURSTS = 1500, NUMBERS = sizeof(multirotor_numbers) / sizeof(double) };

typedef int emitted(const double **arg, double **res, long long *iw, double *w, int mem);

// The Iris in flight: by hand, as C that was emitted, and on a tape.
typedef struct contest {
    subject by_hand;
    tac_graph *f, *jacobian;
    int colours;
    emitted *call, *call_plain, *call_jacobian;
    tac__tape *tape;
    const double *arg[6];
    double *res[5], *work;
} contest;

static void check(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    char text[4096];
    tac_error_print(err, text, sizeof text);
    fprintf(stderr, "%s", text);
    exit(1);
}

// --- the graph ----------------------------------------------------------------------------------

static void add_inputs(tac_graph *g, const char *name, tac__sym_value *values, size_t count)
{
    const tac__group *in = tac__graph_add_input(g, name, count, NULL);
    for (size_t i = 0; i < count; i++)
        values[i] = tac__sym_of(tac__graph_pool(g), in->terms[i]);
}

// dx of x, motors, wind and modes; everything else is constant.
static void trace_plant(contest *c)
{
    static tac__sym_value in[TAC__INS][TAC__ROTORS_MAX], mode[2 * TAC__CONTACTS_MAX];
    static tac__sym_value numbers[NUMBERS], x[IRIS_X_MAX], dx[IRIS_X_MAX];
    const subject *s = &c->by_hand;
    tac_error err;
    check(tac__graph_create(NULL, "f", false, NULL, &c->f, &err), &err);
    const size_t count = (size_t)tac__multirotor_x_count(&s->p);
    add_inputs(c->f, "x", x, count);
    add_inputs(c->f, "u", in[TAC__IN_MOTOR], 4);
    add_inputs(c->f, "wind", in[TAC__IN_WIND], 3);
    add_inputs(c->f, "mode", mode, 8);
    const void *in_at[TAC__INS];
    for (int i = 0; i < TAC__INS; i++)
        in_at[i] = in[i];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (tac__sym_value){.value = ((const double *)&s->plant.numbers)[i]};
    tac_eval e = s->eval;
    e.in = in_at;
    e.x = (const double *)x;
    e.dx = (double *)dx;
    e.mode = (const double *)mode;
    e.p = (const double *)numbers;
    (void)tac__multirotor_type.kernels[TAC_SYMBOLS].derive(&e, &s->plant.self);
    int32_t terms[IRIS_X_MAX];
    for (size_t i = 0; i < count; i++)
        terms[i] = tac__term_of(tac__graph_pool(c->f), dx[i]);
    tac__graph_add_output(c->f, "dx", count, terms);
}

// --- emitted C ----------------------------------------------------------------------------------

static void emit(const tac_graph *f, const tac_graph *jacobian, tac__text *text)
{
    tac_error err;
    const tac__emit_options options = {.format = TAC__EMIT_c, .name = "f", .deterministic = true};
    tac__text_init(text, NULL);
    check(tac__graph_emit(f, jacobian, &options, text, &err), &err);
}

// With AVX2 where the equations by hand are, too.
static void *compile(const tac_graph *f, const tac_graph *jacobian, bool avx2)
{
    char folder[] = "/tmp/bench_graph_XXXXXX", source[64], library[64], command[256];
    if (!mkdtemp(folder))
        abort();
    snprintf(source, sizeof source, "%s/f.c", folder);
    snprintf(library, sizeof library, "%s/f.so", folder);
    snprintf(command, sizeof command, "cc -O2 %s -shared -fPIC %s -o %s -lsleef -lm",
             avx2 ? "-mavx2" : "", source, library);
    tac__text text;
    emit(f, jacobian, &text);
    FILE *file = fopen(source, "w");
    if (!file || fwrite(text.chars, 1, text.length, file) != text.length || fclose(file) != 0)
        abort();
    tac__text_fini(&text);
    void *loaded = system(command) == 0 ? dlopen(library, RTLD_NOW) : NULL;
    unlink(source);
    unlink(library);
    rmdir(folder);
    return loaded;
}

static emitted *find(void *library, const char *name)
{
    emitted *function;
    void *found = dlsym(library, name);
    if (!found)
        abort();
    memcpy(&function, &found, sizeof found);
    return function;
}

// --- the contest --------------------------------------------------------------------------------

static bool prepare(contest *c)
{
    static double dx[IRIS_X_MAX], blocks[4][IRIS_X_MAX * IRIS_X_MAX], work[100000];
    static tac__arena arena;
    tac_error err;
    iris_set(&c->by_hand.p);
    start(&c->by_hand);
    trace_plant(c);
    check(tac__graph_jacobian(c->f, NULL, NULL, &c->jacobian, &err), &err);
    tac__arena_init(&arena, NULL);
    tac__jacobian_facts facts;
    check(tac__graph_pattern(&arena, c->f, NULL, NULL, &facts, &err), &err);
    c->colours = facts.colouring.colours;
    check(tac__tape_make(&arena, c->f, &c->tape, &err), &err);
    void *library = compile(c->f, c->jacobian, tac__machine_has_pack(4));
    void *plain_library = compile(c->f, NULL, false);
    if (!library || !plain_library)
        return false;
    c->call = find(library, "f");
    c->call_jacobian = find(library, "jac_f");
    c->call_plain = find(plain_library, "f");
    const subject *s = &c->by_hand;
    const double *arg[] = {s->x, s->ports.motor, s->ports.wind, s->ports.mode};
    memcpy(c->arg, arg, sizeof arg);
    c->res[0] = dx;
    for (int i = 0; i < 4; i++)
        c->res[1 + i] = blocks[i];
    c->work = work;
    return true;
}

static void run_by_hand(void *context)
{
    contest *c = context;
    for (int i = 0; i < CALLS; i++) {
        (void)plain->derive(&c->by_hand.eval, &c->by_hand.plant.self);
        bench_keep(c);
    }
}

static void run_emitted(void *context)
{
    contest *c = context;
    for (int i = 0; i < CALLS; i++) {
        c->call(c->arg, c->res, NULL, c->work, 0);
        bench_keep(c);
    }
}

static void run_plain(void *context)
{
    contest *c = context;
    for (int i = 0; i < CALLS; i++) {
        c->call_plain(c->arg, c->res, NULL, c->work, 0);
        bench_keep(c);
    }
}

static void run_jacobian(void *context)
{
    contest *c = context;
    for (int i = 0; i < CALLS; i++) {
        c->call_jacobian(c->arg, c->res + 1, NULL, c->work, 0);
        bench_keep(c);
    }
}

static void run_tape(void *context)
{
    contest *c = context;
    for (int i = 0; i < CALLS; i++) {
        tac__tape_run(c->tape, c->arg, c->res, c->work);
        bench_keep(c);
    }
}

// Bursts turn by turn, so that all have the same neighbours.
static void report_plant(void)
{
    static contest c;
    if (!prepare(&c)) {
        bench_skip("graph iris", "emitted C cannot be compiled here");
        return;
    }
    void (*const runs[])(void *) = {run_by_hand, run_emitted, run_jacobian, run_tape, run_plain};
    double ns[] = {1e300, 1e300, 1e300, 1e300, 1e300};
    for (int n = 0; n < BURSTS; n++) {
        for (int k = 0; k < 5; k++)
            ns[k] = fmin(ns[k], 1e9 * bench_best_s(runs[k], &c, 1) / CALLS);
    }
    char note[128];
    snprintf(note, sizeof note, "of the equations by hand: %.1f ns to %.1f ns", ns[1], ns[0]);
    bench_report("graph iris, emitted C", ns[1] / ns[0], "x", "<= 1.2", note);
    snprintf(note, sizeof note, "the same compiled with plain -O2: %.1f ns", ns[4]);
    bench_report("graph iris, emitted C without AVX2", ns[4] / ns[0], "x", "", note);
    snprintf(note, sizeof note, "of the emitted equations, for each of %d colours: %.0f ns",
             c.colours, ns[2]);
    bench_report("graph iris, sparse Jacobian", ns[2] / ns[1] / c.colours, "x", "<= 4", note);
    snprintf(note, sizeof note, "of the equations by hand: %.0f ns", ns[3]);
    bench_report("graph iris, interpreted", ns[3] / ns[0], "x", "<= 15", note);
}

// --- tracing ------------------------------------------------------------------------------------

static void trace_and_emit(void *context)
{
    tac_error err;
    tac_graph *g, *jacobian;
    tac__text text;
    const tac_graph_def def = tac_graph_def_default();
    check(tac_graph_of_dynamics(context, &def, &g, &err), &err);
    check(tac__graph_jacobian(g, NULL, NULL, &jacobian, &err), &err);
    emit(g, jacobian, &text);
    tac__text_fini(&text);
    tac_graph_destroy(jacobian);
    tac_graph_destroy(g);
}

static double trace_s(const char *path, int bursts)
{
    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    check(tac_registry_create(NULL, &registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    check(tac_config_load(path, &def, &config, &err), &err);
    const tac_engine_def engine_def = tac_config_engine_def(config);
    check(tac_config_build(config, &engine_def, &engine, &err), &err);
    const double best_s = bench_best_s(trace_and_emit, engine, bursts);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return best_s;
}

int main(void)
{
    report_plant();
    const double one_s = trace_s("bench/iris_mission.yaml", 10);
    bench_report("graph iris, traced and emitted", 1e3 * one_s, "ms", "<= 100",
                 "its dynamics with outputs, and their Jacobian");
    const double swarm_s = trace_s("examples/swarm.yaml", 3);
    bench_report("graph swarm of 20, traced and emitted", swarm_s / one_s / 20, "x", "<= 1.5",
                 "of one vehicle, each");
    return 0;
}
