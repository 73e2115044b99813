// peers.c - what a component is connected to by name; see peers.h.
#include "engine/plan/peers.h"

#include <string.h>

static const tac__peer *find(const tac__peer_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    }
    return NULL;
}

static tac_status add(tac__arena *arena, tac__peer_list *list, const char *name, int port)
{
    if (!TAC__ARENA_GROW(arena, list->items, list->count, list->capacity))
        return TAC_E_MEMORY;
    list->items[list->count++] = (tac__peer){name, port};
    return TAC_OK;
}

static tac_status fail(tac_declare *d, const char *param, const tac_error *err)
{
    if (err->status == TAC_E_MEMORY)
        return TAC_E_MEMORY;
    return err->column ? tac_declare_fail_at(d, param, err->column, "%s", err->text)
                       : tac_declare_fail(d, param, "%s", err->text);
}

tac_status tac__formula_read(tac_declare *d, tac__peers *p, const char *param, const char *text,
                             tac__formula *f)
{
    tac_error err;
    *f = (tac__formula){.text = text};
    if (tac__expr_parse(p->arena, text, &f->parsed, &err) != TAC_OK)
        return fail(d, param, &err);
    f->memory_words = tac__expr_memory(f->parsed);
    f->memory = p->memory_words;
    p->memory_words += f->memory_words;
    const char *const *names = tac__expr_signals(f->parsed, &f->input_count);
    f->inputs = tac__arena_array(p->arena, f->input_count, sizeof *f->inputs);
    if (!f->inputs)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < f->input_count; i++) {
        if (!find(&p->watches, names[i]))
            TAC_TRY(add(p->arena, &p->watches, names[i], tac_declare_watch(d, names[i], param)));
        f->inputs[i] = find(&p->watches, names[i])->port;
    }
    return TAC_OK;
}

typedef struct scope {
    const tac_declare *d;
    const tac__peers *peers;
} scope;

static bool find_signal(const void *context, const char *name, tac__expr_signal *signal)
{
    const scope *s = context;
    const tac__peer *watch = find(&s->peers->watches, name);
    if (!watch)
        return false;
    const tac_type type = tac_watch_type(s->d, watch->port);
    *signal = (tac__expr_signal){
        .index = watch->port,
        .type = type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER,
        .unit = tac_watch_unit(s->d, watch->port),
        .labels = type.scalar == TAC_ENUM ? type.labels : NULL,
    };
    return true;
}

tac_status tac__formula_compile(tac_declare *d, const tac__peers *p, const char *param,
                                tac__expr_type wanted, const char *unit, tac__formula *f)
{
    tac_error err;
    const scope context = {d, p};
    const tac__expr_scope names = {find_signal, NULL, &context};
    if (tac__expr_compile(p->arena, f->parsed, wanted, unit, &names, &f->program, &err) != TAC_OK)
        return fail(d, param, &err);
    if (f->located && tac__margin_compile(p->arena, f->parsed, &f->margin, &err) != TAC_OK)
        return fail(d, param, &err);
    return TAC_OK;
}

tac_status tac__formula_margin(const tac__formula *f, const tac_step *s, double *margin)
{
    if (!f->margin || f->memory_words)
        return TAC_E_CALLER;
    *margin = tac__margin_run(f->margin, s->t_us, s->in, NULL, NULL).margin;
    return TAC_OK;
}

int tac__formula_locate(tac_declare *d, const char *name, const char *param, tac__formula *f)
{
    f->located = true;
    return tac_declare_condition(d, name, f->inputs, f->input_count, param);
}

tac_status tac__peers_feed(tac_declare *d, tac__peers *p, const char *input, const char *param,
                           int *output)
{
    const tac__peer *known = find(&p->feeds, input);
    if (known) {
        *output = known->port;
        return TAC_OK;
    }
    char *name = tac__arena_format(p->arena, "set_%s", input);
    if (!name)
        return TAC_E_MEMORY;
    for (char *c = name; *c; c++)
        *c = *c == '.' ? '_' : *c;
    const tac_port_def port =
        TAC_DEF(tac_port_def, .name = name, .type = TAC_TYPE_F64, .doc = "as it is set");
    *output = tac_declare_feed(d, &port, input, param);
    return add(p->arena, &p->feeds, input, *output);
}
