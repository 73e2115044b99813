// Equations as texts: what stands on the left, where mistakes are, elements of vectors, units that
// were worked out, times between microseconds.
#include "expr_rig.h"

static tac__arena arena;

static void parse(const char *text, tac__equation *e)
{
    tac_error err;
    if (tac__equation_parse(&arena, text, e, &err) != TAC_OK)
        fail_msg("'%s' is refused: %s (column %u)", text, err.text, err.column);
}

static void test_left_sides(void **state)
{
    (void)state;
    static const struct {
        const char *text, *target, *name;
        unsigned column;
    } cases[] = {
        {"a = 1", "a", NULL, 1},
        {"  a=1", "a", NULL, 3},
        {"pull.x = -2 N", "pull.x", NULL, 1},
        {"duty[3] = 0.5", "duty[3]", NULL, 1},
        {"der(v) = 1", "der(v)", "v", 1},
        {" der ( v.x )=1", "der(v.x)", "v.x", 2},
        {"der = 2", "der", NULL, 1},
        {"ders = a == b", "ders", NULL, 1},
    };
    tac__arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__equation e;
        parse(cases[i].text, &e);
        assert_string_equal(e.target, cases[i].target);
        assert_int_equal(e.column, cases[i].column);
        assert_int_equal(e.name != NULL, cases[i].name != NULL);
        if (e.name)
            assert_string_equal(e.name, cases[i].name);
        assert_non_null(e.expr);
    }
    tac__arena_fini(&arena);
}

// On the right der(v) is a name; both sides of == may be names, there being no labels.
static void test_right_sides(void **state)
{
    (void)state;
    tac__equation e;
    size_t count;
    tac__arena_init(&arena, NULL);
    parse("a = der( v ) + if(gear == wanted, b.x, der(v))*t", &e);
    const char *const *names = tac__expr_signals(e.expr, &count);
    static const char *const expected[] = {"der(v)", "gear", "wanted", "b.x"};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(names[i], expected[i]);
    tac__arena_fini(&arena);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        unsigned column;
    } cases[] = {
        {"", "the equation is empty", 1},
        {"   ", "the equation is empty", 4},
        {"a", "expected '=' after 'a'", 2},
        {"a =", "nothing stands after '='", 4},
        {"a == 2", "single '='", 3},
        {"a = b = c", "'=': write ==", 7},
        {"2 = a", "expected a name, or der() of a state, found '2'", 1},
        {"true = a", "expected a name", 1},
        {"m*der(v) = f", "expected '=' after 'm'", 2},
        {"v' = 1", "expected '=' after 'v'", 2},
        {"der(v = 1", "'=': write ==", 7},
        {"der() = 1", "expected the name of a state, found ')'", 5},
        {"der(2*v) = 1", "expected the name of a state, found '2'", 5},
        {"der(v + w) = 1", "expected ')', found '+'", 7},
        {"a = der(1)", "expected the name of a state", 9},
        {"t = 1", "'t' is the time", 1},
        {"pi = 3", "'pi' is a number", 1},
        {"a = 1 + rising(b)", "rising remembers", 9},
        {"a = if(held(b, 1 s), 1, 2)", "held remembers", 8},
        {"a = since(b, 0)", "since remembers", 5},
        {"a = falling(b)", "falling remembers", 5},
        {"a = 1 +", "but the expression ends", 8},
        {"\xc3\xa4 = 1", "unexpected character", 1},
    };
    tac__arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__equation e;
        tac_error err;
        tac_error_clear(&err);
        if (tac__equation_parse(&arena, cases[i].text, &e, &err) == TAC_OK ||
            !strstr(err.text, cases[i].part) || err.column != cases[i].column || e.expr)
            fail_msg("'%s': %s (column %u)", cases[i].text, err.text, err.column);
    }
    // Conditions know no derivatives.
    tac__expr *expr;
    tac_error err;
    assert_int_equal(tac__expr_parse(&arena, "der(v) > 1", &expr, &err), TAC_E_NAME);
    tac__arena_fini(&arena);
}

static const double table[] = {1.5, -2, 4};

static bool find_element(const void *context, const char *name, tac__expr_signal *signal)
{
    *signal = (tac__expr_signal){.index = 1, .element = (uint32_t)(name[0] - 'a')};
    signal->measure = context;
    return true;
}

static void test_elements(void **state)
{
    (void)state;
    const void *const pointers_[] = {NULL, table};
    tac__unit measure;
    tac__equation e;
    tac__program *program;
    tac_error err;
    assert_int_equal(tac__unit_parse("km/s", &measure, NULL), TAC_OK);
    const tac__expr_scope elements = {find_element, NULL, &measure};
    tac__arena_init(&arena, NULL);
    parse("y = if(c > 3, a*b, 0) + t^2*1 km^2/s^4", &e);
    assert_int_equal(
        tac__expr_compile(&arena, e.expr, TAC__EXPR_ANY, NULL, &elements, &program, &err), TAC_OK);
    assert_int_equal(tac__expr_type_of(e.expr), TAC__EXPR_NUMBER);
    tac__unit expected;
    assert_int_equal(tac__unit_parse("km^2/s^2", &expected, NULL), TAC_OK);
    assert_true(tac__unit_same(tac__expr_unit_of(e.expr), &expected));
    // Between two microseconds, where no whole number of them is.
    const double t = 1.0000005;
    assert_true(tac__program_run_at(program, t, pointers_).value == -3 + t * t);
    assert_true(tac__program_run(program, 2500000, pointers_, NULL).value == -3 + 6.25);

    parse("y = a < b", &e);
    assert_int_equal(
        tac__expr_compile(&arena, e.expr, TAC__EXPR_ANY, NULL, &elements, &program, &err), TAC_OK);
    assert_int_equal(tac__expr_type_of(e.expr), TAC__EXPR_BOOL);
    assert_true(tac__program_run_at(program, 0, pointers_).value == 0);
    parse("y = c", &e);
    assert_int_equal(
        tac__expr_compile(&arena, e.expr, TAC__EXPR_NUMBER, "m", &elements, &program, &err),
        TAC_E_UNIT);
    assert_string_equal(err.text, "y takes m, but 'c' is in m*s^-1");
    assert_int_equal(err.column, 5);
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(test_left_sides), cmocka_unit_test(test_right_sides),
          cmocka_unit_test(test_mistakes), cmocka_unit_test(test_elements))
