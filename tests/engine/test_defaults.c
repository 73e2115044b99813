// Defaults of parameters: they read as the same text in a file does, or are an error.
#include "engine/declare_rig.h"

// --- defaults -----------------------------------------------------------------------------------

static struct {
    const char *text; // the fallback of parameter "p"
    char kind;        // which function reads it
    double numbers[8];
    size_t count;
    char word[512]; // the last one
} preset;

static tac_status preset_declare(tac_declare *d, void *self)
{
    (void)self;
    const tac_param_def *p =
        TAC_PARAM(.name = "p", .fallback = preset.text, .unit = preset.kind == 'm' ? "m" : NULL,
                  .range = preset.kind == 'r' ? "[0, 1]" : NULL);
    static const char *const choices[] = {"red", "blue", NULL};
    const char *const *words;
    const double *numbers;
    memset(preset.numbers, 0, sizeof preset.numbers);
    *preset.word = '\0';
    preset.count = 1;
    switch (preset.kind) {
    case 'a':
        preset.count = 3;
        tac_param_array(d, p, preset.numbers, 3);
        break;
    case 'l':
        numbers = tac_param_list(d, p, 4, &preset.count);
        memcpy(preset.numbers, numbers, preset.count * sizeof *numbers);
        break;
    case 'w':
        words = tac_param_words(d, p, 4, &preset.count);
        if (preset.count)
            snprintf(preset.word, sizeof preset.word, "%s", words[preset.count - 1]);
        break;
    case 'i':
        *preset.numbers = (double)tac_param_int(d, p);
        break;
    case 'b':
        *preset.numbers = tac_param_bool(d, p);
        break;
    case 't':
        *preset.numbers = (double)tac_param_time(d, p);
        break;
    case 'c':
        *preset.numbers = tac_param_choice(d, p, choices);
        break;
    case 'x':
        snprintf(preset.word, sizeof preset.word, "%s", tac_param_text(d, p));
        break;
    default:
        *preset.numbers = tac_param_f64(d, p);
    }
    return TAC_OK;
}

static const tac_component_type preset_type =
    TYPE("preset", .stage = TAC_STAGE_CONTROL, .declare = preset_declare,
         .kernels[TAC_NUMBERS].step = idle_step);

#define LONG                                                                                       \
    "a word that is longer than any buffer of the reader, because it goes on and on and on and "   \
    "on and on and on and on and on and on and on and on until it ends here"

// A default reads as the same text does in a file.
static void test_default(void **state)
{
    (void)state;
    use(&preset_type, NULL);
    static const struct {
        char kind;
        const char *text;
    } cases[] = {{'f', "1.5"},
                 {'m', "20 cm"},
                 {'r', "1"},
                 {'a', "[1, 2e3, -0]"},
                 {'a', "7"},
                 {'a', "[ 1,2 ,3 ] "},
                 {'l', "[]"},
                 {'l', "[ ]"},
                 {'l', "[0.1]"},
                 {'l', "[4, 3, 2, 1]"},
                 {'i', "-12"},
                 {'b', "true"},
                 {'t', "20 ms"},
                 {'c', "blue"},
                 {'w', "[a b, c d]"},
                 {'w', "one"},
                 {'w', "[x, " LONG "]"},
                 {'x', LONG},
                 {'x', "a, b"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        preset.kind = cases[i].kind;
        preset.text = "0";
        if (preset.kind == 'c')
            preset.text = "red";
        snprintf(text, sizeof text, ONE("preset", "      p: %s\n"), cases[i].text);
        (void)model_hash(text);
        const size_t count = preset.count;
        double numbers[8];
        char word[sizeof preset.word];
        memcpy(numbers, preset.numbers, sizeof numbers);
        memcpy(word, preset.word, sizeof word);
        preset.text = cases[i].text;
        (void)model_hash(ONE("preset", "      {}\n"));
        assert_int_equal(preset.count, count);
        assert_memory_equal(preset.numbers, numbers, sizeof numbers);
        assert_string_equal(preset.word, word);
    }
    assert_string_equal(preset.word, "a, b");
}

// A default that cannot be read is an error that says so, at the component.
static void test_default_wrong(void **state)
{
    (void)state;
    use(&preset_type, NULL);
    static const struct {
        char kind;
        const char *text;
        tac_status status;
        const char *part;
    } cases[] = {{'f', "[1, 2]", TAC_E_TYPE, "expected a single value, found a list"},
                 {'f', "much", TAC_E_TYPE, "much"},
                 {'f', "", TAC_E_TYPE, "number"},
                 {'m', "2 s", TAC_E_UNIT, "m"},
                 {'r', "2", TAC_E_RANGE, "expected a value in [0, 1]"},
                 {'i', "[1]", TAC_E_TYPE, "expected a single value, found a list"},
                 {'i', "1.5", TAC_E_TYPE, "not a whole number"},
                 {'b', "yes", TAC_E_TYPE, "expected true or false"},
                 {'b', "[true]", TAC_E_TYPE, "expected a single value, found a list"},
                 {'t', "[1 s]", TAC_E_TYPE, "expected a single value, found a list"},
                 {'c', "rde", TAC_E_NAME, "did you mean 'red'?"},
                 {'c', "[red]", TAC_E_TYPE, "expected a single value, found a list"},
                 {'x', "[red]", TAC_E_TYPE, "expected a single value, found a list"},
                 {'a', "[1, 2]", TAC_E_TYPE, "expected 3 numbers, found 2"},
                 {'a', "[1, 2, 3", TAC_E_TYPE, "expected a list as in '[1, 2, 3]'"},
                 {'a', "[1, 2, 3] 4", TAC_E_TYPE, "expected a list as in"},
                 {'a', "[1, , 3]", TAC_E_TYPE, "expected a list as in"},
                 {'a', "[1, 2, [3]]", TAC_E_TYPE, "expected a list as in"},
                 {'l', "[1, ]", TAC_E_TYPE, "expected a list as in"},
                 {'l', "[,]", TAC_E_TYPE, "expected a list as in"},
                 {'l', "[", TAC_E_TYPE, "expected a list as in"},
                 {'l', "[1, 2, x]", TAC_E_TYPE, "x"},
                 {'l', "[1, 2, 3, 4, 5]", TAC_E_LIMIT, "expected at most 4"},
                 {'w', "[a, b", TAC_E_TYPE, "expected a list as in"},
                 {'w', "[a, b, c, d, e]", TAC_E_LIMIT, "expected at most 4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        preset.kind = cases[i].kind;
        preset.text = cases[i].text;
        static const char text[] = ONE("preset", "      {}\n");
        rig_refused_at(text, cases[i].status, 4, 3, cases[i].part);
        char context[64];
        snprintf(context, sizeof context, "reading '%s', the default of parameter 'p' of 'c'",
                 cases[i].text);
        rig r;
        (void)rig_try(&r, text);
        assert_non_null(strstr(r.err.context, context));
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_default), cmocka_unit_test(test_default_wrong))
