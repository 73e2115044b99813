// watch.c - expressions over signals that a component watches; see watch.h.
#include "engine/watch.h"

#include <string.h>

static const tac__watch *find(const tac__watches *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++) {
        if (!strcmp(w->items[i].name, name))
            return &w->items[i];
    }
    return NULL;
}

static tac_status fail(tac_declare *d, const char *param, const tac_error *err)
{
    if (err->status == TAC_E_MEMORY)
        return TAC_E_MEMORY;
    return err->column ? tac_declare_fail_at(d, param, err->column, "%s", err->text)
                       : tac_declare_fail(d, param, "%s", err->text);
}

tac_status tac__formula_read(tac_declare *d, tac__watches *w, const char *param, const char *text,
                             tac__formula *f)
{
    tac_error err;
    *f = (tac__formula){.text = text};
    if (tac__expr_parse(w->arena, text, &f->parsed, &err) != TAC_OK)
        return fail(d, param, &err);
    f->memory_words = tac__expr_memory(f->parsed);
    f->memory = w->memory_words;
    w->memory_words += f->memory_words;
    size_t count;
    const char *const *names = tac__expr_signals(f->parsed, &count);
    for (size_t i = 0; i < count; i++) {
        if (find(w, names[i]))
            continue;
        if (!TAC__ARENA_GROW(w->arena, w->items, w->count, w->capacity))
            return TAC_E_MEMORY;
        w->items[w->count++] = (tac__watch){names[i], tac_declare_watch(d, names[i], param)};
    }
    return TAC_OK;
}

typedef struct scope {
    const tac_declare *d;
    const tac__watches *w;
} scope;

static bool find_signal(const void *context, const char *name, tac__expr_signal *signal)
{
    const scope *s = context;
    const tac__watch *watch = find(s->w, name);
    if (!watch)
        return false;
    const tac_type type = tac_watch_type(s->d, watch->input);
    *signal = (tac__expr_signal){
        .index = watch->input,
        .type = type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER,
        .unit = tac_watch_unit(s->d, watch->input),
        .labels = type.scalar == TAC_ENUM ? type.labels : NULL,
    };
    return true;
}

tac_status tac__formula_compile(tac_declare *d, const tac__watches *w, const char *param,
                                tac__expr_type wanted, const char *unit, tac__formula *f)
{
    tac_error err;
    const scope context = {d, w};
    const tac__expr_scope names = {find_signal, NULL, &context};
    if (tac__expr_compile(w->arena, f->parsed, wanted, unit, &names, &f->program, &err) != TAC_OK)
        return fail(d, param, &err);
    return TAC_OK;
}

const int *tac__formula_inputs(const tac__watches *w, const tac__formula *f, size_t *count)
{
    const char *const *names = tac__expr_signals(f->parsed, count);
    int *inputs = tac__arena_array(w->arena, *count, sizeof *inputs);
    for (size_t i = 0; inputs && i < *count; i++)
        inputs[i] = find(w, names[i])->input;
    return inputs;
}
