// Graphs as data and as pictures: what JSON says is the whole graph, a program that reads it gets
// the same bits; pictures have all terms; the same graph gives the same text.
#include "graph/emitted.h"
#include "base/json_read.h"
#include "graph/draw.h"
#include "support/allocator.h"

// --- a graph from JSON --------------------------------------------------------------------------

typedef struct reader {
    const tac_node *root;
    tac_graph *graph;
    int32_t term_of[2000]; // of each term in the file
    int32_t result_of[100][16];
} reader;

static double number(const tac_node *node)
{
    double value;
    if (tac__json_is_number(node, &value))
        return value;
    const char *text = tac_node_text(node);
    return strcmp(text, "nan") == 0 ? QNAN : strcmp(text, "inf") == 0 ? INF : -INF;
}

static int whole(const tac_node *map, const char *key)
{
    assert_non_null(tac_node_get(map, key));
    return (int)number(tac_node_get(map, key));
}

static tac__sym_value value_at(const reader *r, const tac_node *list, size_t i)
{
    return tac__sym_of(tac__graph_pool(r->graph), r->term_of[(int)number(tac_node_item(list, i))]);
}

static tac__sym_op op_of(const char *name)
{
    for (int op = 0; op < TAC__SYM_OPS; op++) {
        if (!strcmp(tac__op_name((tac__sym_op)op), name))
            return (tac__sym_op)op;
    }
    fail_msg("no operation %s", name);
    return TAC__SYM_OPS;
}

static int32_t table_term(const reader *r, const tac_node *term, tac__sym_op op, int32_t a)
{
    const tac_node *table =
        tac_node_item(tac_node_get(r->root, "tables"), (size_t)whole(term, "table"));
    double data[20];
    const int count = (int)tac_node_count(table);
    for (int i = 0; i < count; i++)
        data[i] = number(tac_node_item(table, (size_t)i));
    tac__terms *pool = tac__graph_pool(r->graph);
    return op == TAC__SYM_pick ? tac__term_pick(pool, data, count, a)
                               : tac__term_segment(pool, data, count, a);
}

// The variables of a loop are all made when the first of them comes.
static void begin_loop(reader *r, int number_of, const tac_node *loop)
{
    tac__sym_value initial[8], vars[8];
    const tac_node *variables = tac_node_get(loop, "variables");
    const int count = (int)tac_node_count(variables);
    for (int k = 0; k < count; k++)
        initial[k] = value_at(r, tac_node_get(loop, "initial"), (size_t)k);
    const tac__sym_loop made =
        tac__sym_loop_begin(tac__graph_pool(r->graph), whole(loop, "rounds"), count, initial, vars);
    assert_int_equal(made.loop, number_of);
    for (int k = 0; k < count; k++)
        r->term_of[(int)number(tac_node_item(variables, (size_t)k))] = vars[k].id;
}

static void end_loop(reader *r, int number_of, const tac_node *loop)
{
    tac__sym_value next[8], exported[8];
    const size_t count = tac_node_count(tac_node_get(loop, "next"));
    const size_t exports = tac_node_count(tac_node_get(loop, "exports"));
    for (size_t k = 0; k < count; k++)
        next[k] = value_at(r, tac_node_get(loop, "next"), k);
    for (size_t k = 0; k < exports; k++)
        exported[k] = value_at(r, tac_node_get(loop, "exports"), k);
    tac__terms *pool = tac__graph_pool(r->graph);
    tac__sym_loop_end((tac__sym_loop){pool, number_of}, next,
                      tac__sym_of(pool, r->term_of[whole(loop, "settled")]),
                      tac__sym_of(pool, r->term_of[whole(loop, "residual")]), (int)exports,
                      exported);
    for (size_t k = 0; k < count + exports; k++)
        r->result_of[number_of][k] = k < count ? next[k].id : exported[k - count].id;
}

static int32_t read_term(reader *r, const tac_node *term, bool *loop_is_made)
{
    tac__terms *pool = tac__graph_pool(r->graph);
    const tac__sym_op op = op_of(tac_node_text(tac_node_get(term, "op")));
    const tac_node *of = tac_node_get(term, "of");
    int32_t operands[3] = {-1, -1, -1};
    for (size_t k = 0; of && k < tac_node_count(of); k++)
        operands[k] = r->term_of[(int)number(tac_node_item(of, k))];
    if (op == TAC__SYM_constant)
        return tac__term_constant(pool, number(tac_node_get(term, "value")));
    if (op == TAC__SYM_input)
        return r->graph->in[whole(term, "group")].terms[whole(term, "element")];
    if (op == TAC__SYM_pick || op == TAC__SYM_segment)
        return table_term(r, term, op, operands[0]);
    if (op == TAC__SYM_result) {
        const int loop = whole(term, "loop");
        if (!loop_is_made[loop])
            end_loop(r, loop, tac_node_item(tac_node_get(r->root, "loops"), (size_t)loop));
        loop_is_made[loop] = true;
        return r->result_of[loop][whole(term, "which")];
    }
    return tac__term_make(pool, op, operands[0], operands[1], operands[2]);
}

static void read_groups(reader *r, const char *key)
{
    const tac_node *groups = tac_node_get(r->root, key);
    for (size_t g = 0; g < tac_node_count(groups); g++) {
        const tac_node *group = tac_node_item(groups, g), *terms = tac_node_get(group, "terms");
        const char *name = tac_node_text(tac_node_get(group, "name"));
        int32_t made[100];
        if (key[0] == 'i') {
            assert_non_null(tac__graph_add_input(r->graph, name, tac_node_count(terms), NULL));
            continue;
        }
        for (size_t i = 0; i < tac_node_count(terms); i++)
            made[i] = r->term_of[(int)number(tac_node_item(terms, i))];
        assert_non_null(tac__graph_add_output(r->graph, name, tac_node_count(terms), made));
    }
}

static tac_graph *graph_from(const tac_node *root)
{
    static reader r;
    bool loop_is_made[100] = {false}, begun[100] = {false};
    r = (reader){.root = root};
    assert_int_equal(tac__graph_create(NULL, "read", false, NULL, &r.graph, NULL), TAC_OK);
    read_groups(&r, "inputs");
    const tac_node *terms = tac_node_get(root, "terms");
    for (size_t i = 0; i < tac_node_count(terms); i++) {
        const tac_node *term = tac_node_item(terms, i);
        if (op_of(tac_node_text(tac_node_get(term, "op"))) != TAC__SYM_variable) {
            r.term_of[i] = read_term(&r, term, loop_is_made);
            continue;
        }
        const int loop = whole(term, "loop");
        if (!begun[loop])
            begin_loop(&r, loop, tac_node_item(tac_node_get(root, "loops"), (size_t)loop));
        begun[loop] = true;
    }
    read_groups(&r, "outputs");
    return r.graph;
}

static void compare_graphs(const tac_graph *f, const tac_graph *g)
{
    const tac__terms *pools[2] = {tac__graph_pool(f), tac__graph_pool(g)};
    double *v[2] = {calloc(pools[0]->count, sizeof(double)),
                    calloc(pools[1]->count, sizeof(double))};
    uint64_t seed = 3;
    for (int n = 0; n < 20; n++) {
        double in[DRAW_INPUTS];
        for (int i = 0; i < DRAW_INPUTS; i++)
            in[i] = n % 3 ? input_uniform(&seed, -3, 3) : input_hostile(&seed);
        values_of_terms(pools[0], in, v[0]);
        values_of_terms(pools[1], in, v[1]);
        for (int k = 0; k < 8; k++)
            assert_true(
                same_bits(v[0][f->out[k / 4].terms[k % 4]], v[1][g->out[k / 4].terms[k % 4]]));
    }
    free(v[0]);
    free(v[1]);
}

static void test_json_is_the_whole_graph(void **state)
{
    (void)state;
    int loops = 0;
    for (int n = 0; n < 60; n++) {
        tac_graph *f = draw_graph((uint64_t)n, 10 + n);
        tac__text text = emit_text(f, NULL, &(tac__emit_options){.format = TAC__EMIT_json});
        tac_document *doc = tac_document_create(NULL);
        tac_node *root;
        tac_error err = {0};
        if (tac__json_read(doc, "graph", text.chars, text.length, &root, &err) != TAC_OK)
            fail_msg("%s", err.text);
        tac_graph *g = graph_from(root);
        loops += (int)tac__graph_pool(g)->loop_count;
        compare_graphs(f, g);
        tac__graph_destroy(g);
        tac_document_destroy(doc);
        tac__text_fini(&text);
        tac__graph_destroy(f);
    }
    assert_true(loops > 10);
}

// --- pictures -----------------------------------------------------------------------------------

static tac_graph *make_labelled(const tac_allocator *allocator)
{
    static const char *const labels[] = {"vehicle.\"speed\"", "a */ <b>"}, *const units[] = {"m/s",
                                                                                             ""};
    tac_graph *g;
    assert_int_equal(tac__graph_create(allocator, "labelled", false, NULL, &g, NULL), TAC_OK);
    tac__group *x = tac__graph_add_input(g, "x", 2, NULL);
    x->labels = labels;
    x->units = units;
    const int32_t half = tac__term_make(tac__graph_pool(g), TAC__SYM_mul, x->terms[0],
                                        tac__term_constant(tac__graph_pool(g), 0.25), -1);
    const int32_t out[] = {tac__term_make(tac__graph_pool(g), TAC__SYM_sub, half, x->terms[1], -1)};
    assert_non_null(tac__graph_add_output(g, "y", 1, out));
    return g;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void expect_in(const tac_graph *g, tac__emit_format format, const char *part, int times)
{
    tac__text text = emit_text(g, NULL, &(tac__emit_options){.format = format, .title = "T & <t>"});
    if (count_of(text.chars, part) != times)
        fail_msg("%d times %s in %s", count_of(text.chars, part), part, text.chars);
    tac__text_fini(&text);
}

static void test_pictures_have_all_terms(void **state)
{
    (void)state;
    tac_graph *g = make_labelled(NULL);
    expect_in(g, TAC__EMIT_dot, " [label=\"", 5 + 2); // two inputs, two terms, an output; order
    expect_in(g, TAC__EMIT_dot, " -> ", 4);
    expect_in(g, TAC__EMIT_dot, "x[0]\\nvehicle.\\\"speed\\\" [m/s]", 1);
    expect_in(g, TAC__EMIT_dot, "\xc2\xb7 * 0.25", 1);
    expect_in(g, TAC__EMIT_svg, "<rect x=", 5);
    expect_in(g, TAC__EMIT_svg, "marker-end", 4);
    expect_in(g, TAC__EMIT_svg, "a */ &lt;b&gt;", 1);
    expect_in(g, TAC__EMIT_svg, "T &amp; &lt;t&gt;", 1);
    expect_in(g, TAC__EMIT_c, "a +/ <b>", 1);
    tac__graph_destroy(g);
}

static void test_large_pictures_are_refused(void **state)
{
    (void)state;
    tac_graph *g;
    assert_int_equal(tac__graph_create(NULL, "chain", false, NULL, &g, NULL), TAC_OK);
    int32_t end = tac__graph_add_input(g, "x", 1, NULL)->terms[0];
    for (int i = 0; i < 2000; i++)
        end = tac__term_make(tac__graph_pool(g), TAC__SYM_sin, end, -1, -1);
    assert_non_null(tac__graph_add_output(g, "y", 1, &end));
    tac__text text;
    tac_error err = {0};
    tac__text_init(&text, NULL);
    assert_int_equal(
        tac__graph_emit(g, NULL, &(tac__emit_options){.format = TAC__EMIT_svg}, &text, &err),
        TAC_E_LIMIT);
    assert_non_null(strstr(err.text, "Graphviz"));
    tac__text_fini(&text);
    tac__graph_destroy(g);
}

// --- all formats --------------------------------------------------------------------------------

// Two graphs that were made in the same way, one of them in a pool that has other terms, too.
static void test_same_graph_same_text(void **state)
{
    (void)state;
    for (int format = 0; format < TAC__EMIT_FORMATS; format++) {
        const tac__emit_options options = {.format = (tac__emit_format)format};
        tac_graph *f = draw_graph(4, 40), *g = draw_graph(4, 40);
        tac__term_make(tac__graph_pool(g), TAC__SYM_sin, tac__term_constant(tac__graph_pool(g), 77),
                       -1, -1);
        tac__text a = emit_text(f, NULL, &options), b = emit_text(g, NULL, &options);
        assert_string_equal(a.chars, b.chars);
        tac__text_fini(&a);
        tac__text_fini(&b);
        tac__graph_destroy(f);
        tac__graph_destroy(g);
    }
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int format = 0; format < TAC__EMIT_FORMATS; format++) {
        tac_status status = TAC_E_MEMORY;
        for (uint64_t n = 1; status != TAC_OK; n++) {
            test_allocator counts = test_allocator_make();
            const tac_allocator hook = test_allocator_hook(&counts);
            tac_graph *g = make_labelled(&hook);
            tac__text text;
            tac__text_init(&text, &hook);
            counts.fail_at = counts.calls + n;
            status = tac__graph_emit(
                g, NULL, &(tac__emit_options){.format = (tac__emit_format)format}, &text, NULL);
            assert_true(status == TAC_OK || status == TAC_E_MEMORY);
            assert_int_equal(status == TAC_OK, counts.failed == 0);
            tac__text_fini(&text);
            tac__graph_destroy(g);
            test_allocator_check_empty(&counts);
        }
    }
}

static void test_bad_names_are_refused(void **state)
{
    (void)state;
    tac_graph *g = draw_graph(4, 10);
    tac__text text;
    tac_error err = {0};
    tac__text_init(&text, NULL);
    assert_int_equal(tac__graph_emit(g, NULL, &(tac__emit_options){.name = "a b"}, &text, &err),
                     TAC_E_NAME);
    assert_int_equal(tac__graph_emit(g, NULL, &(tac__emit_options){.name = "a__b"}, &text, &err),
                     TAC_E_NAME);
    assert_non_null(tac__graph_add_output(g, "x", 0, NULL));
    assert_int_equal(tac__graph_emit(g, NULL, &(tac__emit_options){.name = "f"}, &text, &err),
                     TAC_E_DUPLICATE);
    assert_int_equal(tac__graph_emit(g, g, &(tac__emit_options){.name = "f"}, &text, &err),
                     TAC_E_DUPLICATE);
    tac__text_fini(&text);
    tac__graph_destroy(g);
}

TEST_MAIN(cmocka_unit_test(test_json_is_the_whole_graph),
          cmocka_unit_test(test_pictures_have_all_terms),
          cmocka_unit_test(test_large_pictures_are_refused),
          cmocka_unit_test(test_same_graph_same_text), cmocka_unit_test(test_memory_runs_out),
          cmocka_unit_test(test_bad_names_are_refused))
