// Writes what tests with real clients need of the dynamics of a configuration, or of one of its
// phases: C with Jacobian, and values of both by the interpreter at random inputs.
//
//     tool_graph_samples FILE FOLDER [PHASE]    FOLDER/f.c and FOLDER/f.json
//
// f.json has "in" and "out" (names, labels of numbers) and
// "samples", each with inputs, outputs and blocks of the Jacobian, all as lists of numbers.
#include "base/json.h"
#include "graph/derive.h"
#include "graph/emit.h"
#include "graph/tape.h"
#include "math/inputs.h"
#include <tactus/config.h>
#include <tactus/graph.h>

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 20 };

static void check(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    char text[4096];
    tac_error_print(err, text, sizeof text);
    fprintf(stderr, "%s", text);
    exit(1);
}

static tac_graph *trace(const char *path, const char *phase)
{
    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_graph *graph;
    check(tac_registry_create(NULL, &registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    check(tac_config_load(path, &def, &config, &err), &err);
    const tac_engine_def engine_def = tac_config_engine_def(config);
    check(tac_config_build(config, &engine_def, &engine, &err), &err);
    tac_graph_def graph_def = tac_graph_def_default();
    graph_def.phase = phase;
    check(tac_graph_of_dynamics(engine, &graph_def, &graph, &err), &err);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return graph;
}

static void write_file(const char *folder, const char *name, const tac__text *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(text->chars, 1, text->length, file) != text->length || fclose(file) != 0) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
}

// --- values -------------------------------------------------------------------------------------

typedef struct runner {
    const tac_graph *graph;
    tac__tape *tape;
    double *work, **out;
} runner;

static runner runner_of(const tac_graph *graph, tac__arena *arena)
{
    tac_error err;
    runner r = {.graph = graph};
    check(tac__tape_make(arena, graph, &r.tape, &err), &err);
    r.work = tac__arena_array(arena, tac__tape_work(r.tape) + 1, sizeof *r.work);
    r.out = tac__arena_array(arena, graph->out_count + 1, sizeof *r.out);
    for (size_t g = 0; g < graph->out_count; g++)
        r.out[g] = tac__arena_array(arena, graph->out[g].count + 1, sizeof **r.out);
    return r;
}

static void add_numbers(tac__json *json, const double *values, size_t count)
{
    tac__json_array_begin(json);
    for (size_t i = 0; i < count; i++)
        tac__json_number(json, values[i]);
    tac__json_array_end(json);
}

static void add_values(tac__json *json, const char *key, const runner *r, const double *const *in)
{
    tac__tape_run(r->tape, in, r->out, r->work);
    tac__json_key(json, key);
    tac__json_array_begin(json);
    for (size_t g = 0; g < r->graph->out_count; g++)
        add_numbers(json, r->out[g], r->graph->out[g].count);
    tac__json_array_end(json);
}

static void add_sample(tac__json *json, const runner *f, const runner *j, double **in,
                       uint64_t *seed)
{
    const tac_graph *g = f->graph;
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key(json, "in");
    tac__json_array_begin(json);
    for (size_t k = 0; k < g->in_count; k++) {
        for (size_t i = 0; i < g->in[k].count; i++)
            in[k][i] = input_uniform(seed, 0.1, 1.1);
        add_numbers(json, in[k], g->in[k].count);
    }
    tac__json_array_end(json);
    add_values(json, "out", f, (const double *const *)in);
    add_values(json, "jacobian", j, (const double *const *)in);
    tac__json_object_end(json);
}

static void add_groups(tac__json *json, const char *key, const tac__group *groups, size_t count)
{
    tac__json_key(json, key);
    tac__json_array_begin(json);
    for (size_t g = 0; g < count; g++) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", groups[g].name);
        tac__json_key(json, "labels");
        tac__json_array_begin(json);
        for (size_t i = 0; i < groups[g].count; i++)
            tac__json_text(json, groups[g].labels ? groups[g].labels[i] : NULL);
        tac__json_array_end(json);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void write_samples(const tac_graph *f, const tac_graph *jacobian, const char *folder)
{
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    const runner of_f = runner_of(f, &arena), of_j = runner_of(jacobian, &arena);
    double **in = tac__arena_array(&arena, f->in_count + 1, sizeof *in);
    for (size_t g = 0; g < f->in_count; g++)
        in[g] = tac__arena_array(&arena, f->in[g].count + 1, sizeof **in);
    tac__text text;
    tac__text_init(&text, NULL);
    tac__json json = tac__json_begin(&text);
    uint64_t seed = 1;
    tac__json_object_begin(&json);
    add_groups(&json, "in", f->in, f->in_count);
    add_groups(&json, "out", f->out, f->out_count);
    tac__json_key(&json, "samples");
    tac__json_array_begin(&json);
    for (int n = 0; n < SAMPLES; n++)
        add_sample(&json, &of_f, &of_j, in, &seed);
    tac__json_array_end(&json);
    tac__json_object_end(&json);
    write_file(folder, "f.json", &text);
    tac__text_fini(&text);
    tac__arena_fini(&arena);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: tool_graph_samples FILE FOLDER [PHASE]\n");
        return 2;
    }
    tac_error err;
    tac_graph *f = trace(argv[1], argc > 3 ? argv[3] : NULL), *jacobian;
    check(tac__graph_jacobian(f, NULL, NULL, &jacobian, &err), &err);
    tac__text text;
    tac__text_init(&text, NULL);
    const tac__emit_options options = {
        .format = TAC__EMIT_c, .name = "f", .title = argv[1], .deterministic = true};
    check(tac__graph_emit(f, jacobian, &options, &text, &err), &err);
    write_file(argv[2], "f.c", &text);
    tac__text_fini(&text);
    write_samples(f, jacobian, argv[2]);
    tac_graph_destroy(jacobian);
    tac_graph_destroy(f);
    return 0;
}
