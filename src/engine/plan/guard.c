// guard.c - see guard.h. In memory a guarded `self` follows a pointer to the original type: from
// there the guarding functions take the function to call.
#include "engine/plan/guard.h"
#include "base/def.h"
#include "base/floats.h"

typedef struct front {
    _Alignas(16) const tac_component_type *type;
} front;

static const tac_component_type *type_of(const void *self)
{
    return ((const front *)self - 1)->type;
}

static tac_status kept(tac_status status)
{
    return tac__floats_kept() || status != TAC_OK ? status : TAC_E_FLOATS;
}

// X(function, parameters, arguments): all functions that return a status.
#define GUARDED(X)                                                                                 \
    X(declare, (tac_declare * d, void *self), (d, self))                                           \
    X(connect, (tac_declare * d, void *self), (d, self))                                           \
    X(init, (tac_step * s, const void *self), (s, self))                                           \
    X(pre_step, (tac_step * s, const void *self), (s, self))                                       \
    X(post_step, (tac_step * s, const void *self), (s, self))                                      \
    X(phase_exit, (tac_step * s, const void *self, int32_t from, int32_t to), (s, self, from, to)) \
    X(phase_enter, (tac_step * s, const void *self, int32_t from, int32_t to),                     \
      (s, self, from, to))                                                                         \
    X(save, (const void *self, void *bytes, size_t *size), (self, bytes, size))                    \
    X(restore, (const void *self, const void *bytes, size_t size), (self, bytes, size))            \
    X(decide, (const tac_step *s, const void *self, double *decided), (s, self, decided))          \
    X(margin, (const tac_step *s, const void *self, int condition, double *margin),                \
      (s, self, condition, margin))

#define CALL(function, parameters, arguments)                                                      \
    static tac_status guarded_##function parameters                                                \
    {                                                                                              \
        return kept(type_of(self)->function arguments);                                            \
    }
GUARDED(CALL)
#undef CALL

// X(function, parameters, arguments): the same of kernels, in any kind.
#define GUARDED_KERNELS(X)                                                                         \
    X(output, (const tac_eval *e, const void *self), (e, self))                                    \
    X(derive, (const tac_eval *e, const void *self), (e, self))                                    \
    X(detect, (const tac_eval *e, const void *self, double *g), (e, self, g))                      \
    X(project, (const tac_eval *e, const void *self, double *x), (e, self, x))                     \
    X(step, (tac_step * s, const void *self), (s, self))

// Y(kind): a function does not know for which kind it is called, so each kind has its own.
#define KINDS(Y) Y(NUMBERS) Y(PACK2) Y(PACK4) Y(PACK8) Y(DUALS) Y(DUALS_OF_ALL) Y(SYMBOLS)
_Static_assert(TAC_KINDS == 7, "all kinds are guarded");

#define CALL(kind, function, parameters, arguments)                                                \
    static tac_status guarded_##function##_##kind parameters                                       \
    {                                                                                              \
        return kept(type_of(self)->kernels[TAC_##kind].function arguments);                        \
    }
#define CALL_NUMBERS(...)      CALL(NUMBERS, __VA_ARGS__)
#define CALL_PACK2(...)        CALL(PACK2, __VA_ARGS__)
#define CALL_PACK4(...)        CALL(PACK4, __VA_ARGS__)
#define CALL_PACK8(...)        CALL(PACK8, __VA_ARGS__)
#define CALL_DUALS(...)        CALL(DUALS, __VA_ARGS__)
#define CALL_DUALS_OF_ALL(...) CALL(DUALS_OF_ALL, __VA_ARGS__)
#define CALL_SYMBOLS(...)      CALL(SYMBOLS, __VA_ARGS__)
#define ALL(kind)              GUARDED_KERNELS(CALL_##kind)
KINDS(ALL)
#undef ALL

static void guard_kernels(tac_kernels *guard, const tac_kernels *own)
{
#define REPLACE(kind, function)                                                                    \
    guard[TAC_##kind].function = own[TAC_##kind].function ? guarded_##function##_##kind : NULL;
#define ALL(kind)                                                                                  \
    REPLACE(kind, output)                                                                          \
    REPLACE(kind, derive)                                                                          \
    REPLACE(kind, detect)                                                                          \
    REPLACE(kind, project)                                                                         \
    REPLACE(kind, step)
    KINDS(ALL)
#undef ALL
#undef REPLACE
}

// These functions return no status. The environment is restored before any other code computes in
// it.
static bool guarded_alike(const void *self, const void *other)
{
    const bool alike = type_of(self)->alike(self, other);
    (void)tac__floats_kept();
    return alike;
}

static bool guarded_holds(const tac_step *s, const void *self, int condition)
{
    const bool holds = type_of(self)->holds(s, self, condition);
    (void)tac__floats_kept();
    return holds;
}

static void guarded_close(void *self)
{
    type_of(self)->close(self);
    (void)tac__floats_kept();
}

tac_status tac__type_take(const tac_component_type *type, tac_component_type *own, tac_error *err)
{
    tac_status status = tac__def_take("tac_component_type", own, sizeof *own, type, err);
    const uint32_t unknown = own->flags & ~TAC__COMPONENT_PUBLIC;
    if (status == TAC_OK && unknown)
        status = tac__fail(err, TAC_E_ABI,
                           "component type '%s' has flags 0x%x, which this version of Tactus does "
                           "not know",
                           own->name ? own->name : "", unknown);
    // The name is valid even if later fields are not.
    if (status != TAC_OK && own->name)
        tac__error_context(err, "looking at component type '%s'", own->name);
    return status;
}

tac_status tac__guard_type(tac__plan *plan, const tac_component_type *type,
                           const tac_component_type **own, const tac_component_type **guarded,
                           tac_error *err)
{
    *own = *guarded = type;
    if (!plan || type->flags & TAC__COMPONENT_BUILTIN)
        return TAC_OK;
    tac__guard *g = plan->guards;
    while (g && g->of != type)
        g = g->next;
    if (!g) {
        g = tac__arena_alloc(&plan->arena, sizeof *g);
        if (!g)
            return tac__fail_memory(err);
        TAC_TRY(tac__type_take(type, &g->own, err));
        g->of = type;
        g->guard = g->own;
#define REPLACE(function, parameters, arguments)                                                   \
    g->guard.function = g->own.function ? guarded_##function : NULL;
        GUARDED(REPLACE)
        REPLACE(alike, , )
        REPLACE(holds, , )
        REPLACE(close, , )
#undef REPLACE
        guard_kernels(g->guard.kernels, g->own.kernels);
        g->next = plan->guards;
        plan->guards = g;
    }
    *own = &g->own;
    *guarded = &g->guard;
    return TAC_OK;
}

void *tac__guard_self(tac__arena *arena, const tac_component_type *type,
                      const tac_component_type *guarded)
{
    if (type == guarded)
        return tac__arena_alloc(arena, type->self_size);
    front *f = tac__arena_alloc(arena, sizeof *f + type->self_size);
    if (!f)
        return NULL;
    f->type = type;
    return f + 1;
}
