// emit_c.c - the C file around the functions of a graph: what it declares, and the functions by
// which CasADi asks for names, sparsities and work memory.
//
// The file must give the same bits whatever flags it is compiled with. gcc ignores the standard
// pragma against contraction, and its vectoriser fuses products and sums even where contraction is
// off. So on x86 the file leaves the compiler no instruction to fuse with, and elsewhere it forbids
// gcc to vectorise. The tests compile with -O3 -march=native and -ffp-contract=fast.
//
// gcc has a macro for each part of -ffast-math that changes results, and the file refuses them.
// clang (14) has macros for the whole and for -ffinite-math-only; against other parts stands
// float_control, which clang knows on x86 only and which switches contraction on, so that it comes
// before the pragma against it.
#include "graph/emit_c.h"
#include "math/elementary.h"

#include <string.h>

// --- comments -----------------------------------------------------------------------------------

// Text that ends no comment.
static void add_comment(tac__text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        const bool ends = c[0] == '*' && c[1] == '/';
        tac__text_add(out, "%c", (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : ends ? '+' : *c);
    }
}

static const char *of(const char *const *texts, size_t i)
{
    return texts && texts[i] ? texts[i] : "";
}

static void describe_number(const tac__group *g, size_t i, tac__text *out)
{
    tac__text_add(out, " *   %s[%zu]  ", g->name, i);
    add_comment(out, of(g->labels, i));
    if (of(g->units, i)[0]) {
        tac__text_add(out, "  [");
        add_comment(out, g->units[i]);
        tac__text_add(out, "]");
    }
    tac__text_add(out, "\n");
}

static void describe_group(const tac__group *g, const char *what, tac__text *out)
{
    tac__text_add(out, " *\n * %s %s: %zu", what, g->name, g->count);
    if (g->starts)
        tac__text_add(out, " of the %zu x %zu entries of a matrix", g->rows, g->columns);
    tac__text_add(out, "\n");
    for (size_t i = 0; g->labels && !g->starts && i < g->count; i++)
        describe_number(g, i, out);
}

static void add_head(const tac_graph *f, const tac__emit_options *options, const char *name,
                     tac__text *out)
{
    const char *file = options->file ? options->file : "f.c";
    tac__text_add(out, "/* %s", name);
    if (options->title) {
        tac__text_add(out, ": ");
        add_comment(out, options->title);
    }
    tac__text_add(out,
                  "\n *\n * Written by Tactus %s. Call it as CasADi calls external functions:\n",
                  tac_version());
    tac__text_add(out, " * arg[i] NULL stands for zeros, res[i] NULL for an output that is not "
                       "wanted.\n *\n *     cc -O2 -shared -fPIC ");
    add_comment(out, file);
    tac__text_add(out, " -o %s.so%s -lm\n", name, options->deterministic ? " -lsleef" : "");
    for (size_t g = 0; g < f->in_count; g++)
        describe_group(&f->in[g], "input", out);
    for (size_t g = 0; g < f->out_count; g++)
        describe_group(&f->out[g], "output", out);
    tac__text_add(out, " */\n");
}

// --- what the file begins with ------------------------------------------------------------------

static const char keeps_bits[] =
    "/* Results have the same bits at every level of optimisation: nothing is fused. */\n"
    "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \\\n"
    "    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__) || \\\n"
    "    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)\n"
    "#error \"compile without -ffast-math, its parts and -Ofast\"\n"
    "#endif\n"
    "/* 16: half floats have an arithmetic of their own, as doubles have. */\n"
    "#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16\n"
    "#error \"compile for arithmetic in double precision (-msse2 -mfpmath=sse)\"\n"
    "#endif\n"
    "#if defined(__clang__)\n"
    "#if defined(__x86_64__) || defined(__i386__)\n"
    "#pragma float_control(precise, on)\n"
    "#pragma clang attribute push(__attribute__((target(\"no-fma,no-fma4,no-avx512f\"))), "
    "apply_to = function)\n"
    "#define TACTUS_POP\n"
    "#endif\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__)\n"
    "#if defined(__x86_64__) || defined(__i386__)\n"
    "#pragma GCC target(\"no-fma,no-fma4,no-avx512f\")\n"
    "#else\n"
    "#pragma GCC optimize(\"fp-contract=off\", \"no-tree-vectorize\", "
    "\"no-tree-loop-vectorize\", \"no-tree-slp-vectorize\")\n"
    "#endif\n"
    "#else\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#endif\n\n";

static const char keeps_bits_end[] = "\n"
                                     "#if defined(TACTUS_POP)\n"
                                     "#pragma clang attribute pop\n"
                                     "#endif\n";

static const char exports[] = "#if defined(_WIN32)\n"
                              "#define TACTUS_EXPORT __declspec(dllexport)\n"
                              "#elif defined(__GNUC__)\n"
                              "#define TACTUS_EXPORT __attribute__((visibility(\"default\")))\n"
                              "#else\n"
                              "#define TACTUS_EXPORT\n"
                              "#endif\n\n"
                              "#if defined(__cplusplus)\n"
                              "extern \"C\" {\n"
                              "#endif\n\n";

// A root without errno, for which compilers call a function where the argument is negative.
static const char root[] = "#if defined(__GNUC__) && defined(__SSE2__)\n"
                           "typedef double tactus_pair __attribute__((vector_size(16)));\n"
                           "static inline double tactus_sqrt(double a)\n"
                           "{\n"
                           "    const tactus_pair x = {a, 0.0};\n"
                           "    return __builtin_ia32_sqrtsd(x)[0];\n"
                           "}\n"
                           "#else\n"
                           "#define tactus_sqrt sqrt\n"
                           "#endif\n\n";

static const char segment[] =
    "/* How many of the inner breakpoints are not above `at`. */\n"
    "static inline int tactus_segment(const double *x, int n, double at)\n"
    "{\n"
    "    int index = 0;\n"
    "    for (int i = 1; i < n - 1; i++)\n"
    "        index += at >= x[i];\n"
    "    return index;\n"
    "}\n\n";

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

// The functions of SLEEF that the file uses, with the ends of exp and log1p as elementary.h has
// them.
static void add_functions(const tac__c_uses *uses, tac__text *out)
{
    const bool needs_log = uses->op[TAC__SYM_log] || uses->op[TAC__SYM_log1p];
#define DECLARE_1(name, accuracy)                                                                  \
    if (TAC__SYM_##name == TAC__SYM_log ? needs_log : uses->op[TAC__SYM_##name])                   \
        tac__text_add(out, "TACTUS_PURE double %s(double);\n",                                     \
                      TEXT(TAC__SLEEF_F64(name, accuracy)));
#define DECLARE_2(name, accuracy)                                                                  \
    if (uses->op[TAC__SYM_##name])                                                                 \
        tac__text_add(out, "TACTUS_PURE double %s(double, double);\n",                             \
                      TEXT(TAC__SLEEF_F64(name, accuracy)));
    tac__text_add(out, "#if defined(__GNUC__)\n#define TACTUS_PURE __attribute__((const))\n"
                       "#else\n#define TACTUS_PURE\n#endif\n");
    TAC__ELEMENTARY_1(DECLARE_1)
    TAC__ELEMENTARY_2(DECLARE_2)
    tac__text_add(out, "\n");
    if (uses->op[TAC__SYM_exp])
        tac__text_add(out,
                      "static inline double tactus_exp(double a)\n{\n"
                      "    return a > %s ? (double)INFINITY : %s(a);\n}\n\n",
                      TEXT(TAC__EXP_MOST), TEXT(TAC__SLEEF_F64(exp, u10)));
    if (uses->op[TAC__SYM_log1p])
        tac__text_add(out,
                      "static inline double tactus_log1p(double a)\n{\n"
                      "    return a <= %s ? %s(a) : %s(a);\n}\n\n",
                      TEXT(TAC__LOG1P_MOST), TEXT(TAC__SLEEF_F64(log1p, u10)),
                      TEXT(TAC__SLEEF_F64(log, u10)));
}

static void add_tables(const tac__terms *pool, const tac__c_uses *uses, tac__text *out)
{
    for (size_t i = 0; i < pool->table_count; i++) {
        if (!uses->table[i])
            continue;
        tac__text_add(out, "static const double tactus_table%zu[%d] = {", i, pool->tables[i].count);
        for (int k = 0; k < pool->tables[i].count; k++) {
            tac__text_add(out, "%s", k % 6 ? ", " : k ? ",\n    " : "\n    ");
            tac__c_number(out, pool->tables[i].data[k]);
        }
        tac__text_add(out, "};\n\n");
    }
}

static size_t largest_input(const tac__c_function *functions, size_t count)
{
    size_t most = 1;
    for (size_t i = 0; i < count; i++) {
        for (size_t g = 0; g < functions[i].graph->in_count; g++) {
            if (functions[i].graph->in[g].count > most)
                most = functions[i].graph->in[g].count;
        }
    }
    return most;
}

static void add_beginning(const tac__c_function *functions, size_t count, const tac__c_uses *uses,
                          bool deterministic, tac__text *out)
{
    tac__text_add(out, "#include <math.h>\n\n%s%s", keeps_bits, exports);
    tac__text_add(out, "static const double tactus_zeros[%zu] = {0.0};\n\n",
                  largest_input(functions, count));
    if (uses->op[TAC__SYM_sqrt])
        tac__text_add(out, "%s", root);
    if (uses->op[TAC__SYM_segment])
        tac__text_add(out, "%s", segment);
    if (deterministic)
        add_functions(uses, out);
    add_tables(tac__graph_pool(functions[0].graph), uses, out);
}

// --- the file -----------------------------------------------------------------------------------

enum { FUNCTIONS = 4 };

static tac_status list_functions(const tac_graph *f, const tac_graph *jacobian,
                                 const tac__emit_options *options, tac__arena *arena,
                                 tac__c_function *functions, size_t *count, tac_error *err)
{
    const char *name = options->name ? options->name : f->name;
    size_t n = 0;
    TAC_TRY(tac__c_function_of(f, name, arena, &functions[n++], err));
    if (jacobian) {
        TAC_TRY(tac__c_jacobian_of(&functions[n - 1], jacobian, arena, &functions[n], err));
        n++;
    }
    if (options->second) {
        if (!jacobian)
            return tac__fail(err, TAC_E_CALLER, "'%s' needs the first Jacobian before it",
                             options->second->name);
        TAC_TRY(tac__c_jacobian_of(&functions[n - 1], options->second, arena, &functions[n], err));
        n++;
    }
    if (options->hessian) {
        if (options->hessian->shared != f->shared)
            return tac__fail(err, TAC_E_CALLER, "'%s' is not of '%s', but of another graph",
                             options->hessian->name, f->name);
        const char *hessian = tac__arena_format(arena, "hess_%s", name);
        if (!hessian)
            return tac__fail_memory(err);
        TAC_TRY(tac__c_function_of(options->hessian, hessian, arena, &functions[n++], err));
    }
    *count = n;
    return TAC_OK;
}

// The functions come into a text of their own first, as what they use stands before them.
static tac_status add_file(const tac_graph *f, const tac_graph *jacobian,
                           const tac__emit_options *options, tac__arena *arena, tac__text *bodies,
                           tac__text *out, tac_error *err)
{
    const tac__terms *pool = tac__graph_pool(f);
    tac__c_function functions[FUNCTIONS];
    size_t count = 0;
    TAC_TRY(list_functions(f, jacobian, options, arena, functions, &count, err));
    tac__c_uses uses = {.table = tac__arena_array(arena, pool->table_count + 1, sizeof(bool))};
    if (!uses.table)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        TAC_TRY(tac__c_body(&functions[i], options, arena, &uses, bodies, err));
        tac__c_convention(&functions[i], bodies);
    }
    add_head(f, options, functions[0].name, out);
    add_beginning(functions, count, &uses, options->deterministic, out);
    tac__text_bytes(out, bodies->chars ? bodies->chars : "", bodies->length);
    tac__text_add(out, "\n#if defined(__cplusplus)\n}\n#endif\n%s", keeps_bits_end);
    return bodies->failed ? tac__fail_memory(err) : TAC_OK;
}

tac_status tac__emit_c(const tac_graph *f, const tac_graph *jacobian,
                       const tac__emit_options *options, tac__arena *arena, tac__text *out,
                       tac_error *err)
{
    tac__text bodies;
    tac__text_init(&bodies, f->allocator);
    const tac_status status = add_file(f, jacobian, options, arena, &bodies, out, err);
    tac__text_fini(&bodies);
    return status;
}
