// emitted.h - emitted C, compiled as users compile it, loaded and called.
#ifndef TAC_TESTS_GRAPH_EMITTED_H
#define TAC_TESTS_GRAPH_EMITTED_H

#include "support/test.h"

#include "graph/emit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int emitted_call(const double **arg, double **res, long long *iw, double *w, int mem);
typedef long long emitted_count(void);
typedef const char *emitted_name(long long i);
typedef const long long *emitted_pattern(long long i);
typedef int emitted_work(long long *arg, long long *res, long long *iw, long long *w);

static inline tac__text emit_text(const tac_graph *f, const tac_graph *jacobian,
                                  const tac__emit_options *options)
{
    tac__text text;
    tac_error err = {0};
    tac__text_init(&text, NULL);
    if (tac__graph_emit(f, jacobian, options, &text, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return text;
}

static inline void emit_file(const tac_graph *f, const tac_graph *jacobian,
                             const tac__emit_options *options, const char *path)
{
    tac__text text = emit_text(f, jacobian, options);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.chars, 1, text.length, file), text.length);
    assert_int_equal(fclose(file), 0);
    tac__text_fini(&text);
}

static inline bool has_compiler(const char *name)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

// The library of a C file, compiled with "gcc -O2" and the like.
static inline void *compile_and_load(const char *compile, const char *source)
{
    static int libraries;
    char command[2000], library[1000];
    snprintf(library, sizeof library, "%s.%d.so", source, libraries++);
    snprintf(command, sizeof command, "%s -shared -fPIC %s -o %s -lsleef -lm", compile, source,
             library);
    if (system(command) != 0)
        fail_msg("cannot be compiled: %s", command);
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!loaded)
        fail_msg("%s", dlerror());
    return loaded;
}

// A function of a library; as memory has it, since C does not convert to it.
static inline void find_symbol(void *library, const char *name, const char *suffix, void *function)
{
    char symbol[200];
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    void *found = dlsym(library, symbol);
    if (!found)
        fail_msg("%s is missing", symbol);
    memcpy(function, &found, sizeof found);
}

#endif
