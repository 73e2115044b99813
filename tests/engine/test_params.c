// Parameters inside parameters, files, parameters that are inputs, those of a neighbour; watches
// and feeds; the world. All from YAML, as authors of components meet them.
#include "engine/test_rig.h"

#include <math.h>
#include <sys/stat.h>

#define TYPE(type_name, ...)                                                                       \
    {                                                                                              \
        .size = sizeof(tac_component_type), .name = type_name, .version = "1", __VA_ARGS__         \
    }

static void use(const tac_component_type *a, const tac_component_type *b)
{
    rig_types[0] = a;
    rig_types[1] = b;
}

// Refused at a line and column of the text, with these parts in what it says.
static void refused_at(const char *text, tac_status status, const char *part, unsigned line,
                       unsigned column)
{
    rig r;
    const tac_status got = rig_try(&r, text);
    if (got != status || !strstr(r.err.text, part) || r.err.line != line ||
        r.err.column != column) {
        rig_show(&r);
        fail_msg("expected %s, '%s' at %u:%u; got %s at %u:%u", tac_status_name(status), part, line,
                 column, tac_status_name(got), r.err.line, r.err.column);
    }
    rig_close(&r);
}

// --- maps and lists of maps ---------------------------------------------------------------------

enum { ARMS = 3, TIPS = 2 };

static struct {
    size_t frames, arms, tips[ARMS];
    double mass, length[ARMS], size[ARMS][TIPS];
    char tag[32];
} seen;

static void read_arm(tac_declare *d, size_t i)
{
    seen.length[i] = tac_param_f64(d, TAC_PARAM(.name = "length", .unit = "m"));
    seen.tips[i] = tac_param_items(d, TAC_PARAM(.name = "tips", .fallback = "[]"), TIPS);
    for (size_t k = 0; k < seen.tips[i]; k++) {
        tac_param_begin(d, "tips", k);
        seen.size[i][k] =
            tac_param_f64(d, TAC_PARAM(.name = "size", .fallback = "2", .range = "[0, 9]"));
        tac_param_end(d);
    }
}

static tac_status nest_declare(tac_declare *d, void *self)
{
    (void)self;
    memset(&seen, 0, sizeof seen);
    seen.frames = tac_param_items(d, TAC_PARAM(.name = "frame", .fallback = "{}"), 1);
    tac_param_begin(d, "frame", 0);
    seen.mass = tac_param_f64(d, TAC_PARAM(.name = "mass", .unit = "kg", .fallback = "1.5"));
    snprintf(seen.tag, sizeof seen.tag, "%s",
             tac_param_text(d, TAC_PARAM(.name = "tag", .fallback = "none")));
    tac_param_end(d);
    seen.arms = tac_param_items(d, TAC_PARAM(.name = "arms", .fallback = "[]"), ARMS);
    for (size_t i = 0; i < seen.arms; i++) {
        tac_param_begin(d, "arms", i);
        read_arm(d, i);
        tac_param_end(d);
    }
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status idle_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static const tac_component_type nest_type =
    TYPE("nest", .stage = TAC_STAGE_CONTROL, .declare = nest_declare, .step = idle_step);

#define ONE(type, params)                                                                          \
    "duration: 10 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c]}]}\n"                       \
    "components:\n"                                                                                \
    "  c:\n"                                                                                       \
    "    type: " type "\n"                                                                         \
    "    params:\n" params
#define NEST(params) ONE("nest", params)

static uint64_t nest_hash(const char *text)
{
    rig r;
    rig_open(&r, text);
    const uint64_t hash = tac_engine_model_hash(r.engine);
    rig_close(&r);
    return hash;
}

static void test_maps(void **state)
{
    (void)state;
    use(&nest_type, NULL);
    (void)nest_hash(NEST("      frame: {mass: 500 g, tag: light}\n"
                         "      arms:\n"
                         "        - {length: 30 cm}\n"
                         "        - {length: 0.4, tips: [{size: 3}, {}]}\n"
                         "        - {length: 1 m, tips: {size: 5}}\n"));
    assert_int_equal(seen.frames, 1);
    assert_true(seen.mass == 0.5);
    assert_string_equal(seen.tag, "light");
    assert_int_equal(seen.arms, 3);
    assert_true(fabs(seen.length[0] - 0.3) < 1e-15 && seen.length[1] == 0.4 && seen.length[2] == 1);
    assert_int_equal(seen.tips[0], 0);
    assert_int_equal(seen.tips[1], 2);
    assert_true(seen.size[1][0] == 3 && seen.size[1][1] == 2);
    assert_int_equal(seen.tips[2], 1); // a map by itself is a list of one
    assert_true(seen.size[2][0] == 5);
}

static void test_absent(void **state)
{
    (void)state;
    use(&nest_type, NULL);
    static const char *const texts[] = {NEST("      {}\n"), NEST("      frame: ~\n      arms:\n"),
                                        NEST("      frame: {}\n      arms: []\n"),
                                        NEST("      frame: [{}]\n")};
    const uint64_t hash = nest_hash(texts[0]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(i == 3 || nest_hash(texts[i]) == hash); // the same model, however it is written
        (void)nest_hash(texts[i]);
        assert_int_equal(seen.frames, 1);
        assert_true(seen.mass == 1.5);
        assert_string_equal(seen.tag, "none");
        assert_int_equal(seen.arms, 0);
    }
    assert_true(nest_hash(NEST("      frame: {mass: 1.5 kg}\n")) == hash);
    assert_true(nest_hash(NEST("      frame: {mass: 1.6 kg}\n")) != hash);
    assert_true(nest_hash(NEST("      arms: [{length: 1}]\n")) != hash);
    assert_true(nest_hash(NEST("      arms: [{length: 1, tips: [{}]}]\n")) !=
                nest_hash(NEST("      arms: [{length: 1}]\n")));
}

static void test_wrong_inside(void **state)
{
    (void)state;
    use(&nest_type, NULL);
    // line 7 is the first of the parameters
    refused_at(NEST("      frame: {mas: 1}\n"), TAC_E_NAME,
               "unknown parameter 'mas' of type 'nest'; did you mean 'mass'?", 7, 15);
    refused_at(NEST("      frame: {length: 1}\n"), TAC_E_NAME, "it has mass, tag", 7, 15);
    refused_at(NEST("      fram: {mass: 1}\n"), TAC_E_NAME, "did you mean 'frame'?", 7, 7);
    refused_at(
        NEST("      arms:\n        - {length: 1}\n        - {length: 1, tips: [{sise: 1}]}\n"),
        TAC_E_NAME, "did you mean 'size'?", 9, 31);
    refused_at(NEST("      arms:\n        - {length: 1}\n        - {tips: []}\n"), TAC_E_CONFIG,
               "parameter 'length' is missing", 9, 11);
    refused_at(NEST("      frame: {mass: 3 m}\n"), TAC_E_UNIT, "kg", 7, 21);
    refused_at(NEST("      arms: [{length: 1, tips: [{size: 10}]}]\n"), TAC_E_RANGE,
               "10 is out of range", 7, 40);
    refused_at(NEST("      frame: 3\n"), TAC_E_TYPE, "expected a map of parameters", 7, 14);
    refused_at(NEST("      arms: [{length: 1}, 4]\n"), TAC_E_TYPE, "expected a map of parameters",
               7, 27);
    refused_at(NEST("      frame: [{}, {}]\n"), TAC_E_LIMIT, "expected at most 1, found 2", 7, 14);
    refused_at(NEST("      arms: [{length: 1}, {length: 1}, {length: 1}, {length: 1}]\n"),
               TAC_E_LIMIT, "expected at most 3, found 4", 7, 13);
    rig r;
    assert_int_equal(rig_try(&r, NEST("      arms: [{length: 1}, {tips: [{size: 10}]}]\n")),
                     TAC_E_CONFIG);
    assert_non_null(strstr(r.err.context, "'length' of 'c'"));
    rig_close(&r);
}

static tac_status must_declare(tac_declare *d, void *self)
{
    (void)self;
    const size_t n = tac_param_items(d, TAC_PARAM(.name = "rotors", .doc = "at least one"), 4);
    for (size_t i = 0; i < n; i++) {
        tac_param_begin(d, "rotors", i);
        (void)tac_param_f64(d, TAC_PARAM(.name = "size", .fallback = "1"));
        tac_param_end(d);
    }
    return TAC_OK;
}

static const tac_component_type must_type =
    TYPE("must", .stage = TAC_STAGE_CONTROL, .declare = must_declare, .step = idle_step);

static void test_must_be_given(void **state)
{
    (void)state;
    use(&must_type, NULL);
    refused_at(ONE("must", "      {}\n"), TAC_E_CONFIG,
               "parameter 'rotors' is missing: at least one", 7, 7);
    rig r;
    rig_open(&r, ONE("must", "      rotors: [{}, {size: 2}]\n"));
    rig_close(&r);
}

// --- names of the user's own, and texts
// -----------------------------------------------------------

static struct {
    size_t names, texts;
    char name[4][16], text[4][32];
    double value[4];
    bool map[4];
    size_t fail; // at this text, from 1
} free_seen;

static void read_free(tac_declare *d, size_t i, const char *name)
{
    const tac_node *node = tac_param_node(d, name);
    free_seen.map[i] = node && tac_node_kind_of(node) == TAC_NODE_MAP;
    if (free_seen.map[i] || !node) {
        (void)tac_param_items(d, TAC_PARAM(.name = name, .fallback = "{}"), 1);
        tac_param_begin(d, name, 0);
        free_seen.value[i] =
            tac_param_f64(d, TAC_PARAM(.name = "value", .unit = "m", .fallback = "7"));
        tac_param_end(d);
    } else {
        free_seen.value[i] = tac_param_f64(d, TAC_PARAM(.name = name, .unit = "m"));
    }
}

static tac_status free_declare(tac_declare *d, void *self)
{
    (void)self;
    const size_t fail = free_seen.fail;
    memset(&free_seen, 0, sizeof free_seen);
    const char *const *names =
        tac_param_names(d, TAC_PARAM(.name = "table", .fallback = "{}"), 4, &free_seen.names);
    if (free_seen.names)
        tac_param_begin(d, "table", 0);
    for (size_t i = 0; i < free_seen.names; i++) {
        snprintf(free_seen.name[i], sizeof *free_seen.name, "%s", names[i]);
        read_free(d, i, names[i]);
    }
    if (free_seen.names)
        tac_param_end(d);
    const char *const *texts =
        tac_param_words(d, TAC_PARAM(.name = "texts", .fallback = "[]"), 4, &free_seen.texts);
    for (size_t i = 0; i < free_seen.texts; i++)
        snprintf(free_seen.text[i], sizeof *free_seen.text, "%s", texts[i]);
    assert_null(tac_param_node(d, "nothing"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    char item[32];
    snprintf(item, sizeof item, fail > 9 ? "table.b.value" : "texts[%zu]", fail - 1);
    return fail ? tac_declare_fail_at(d, item, 3, "not this") : TAC_OK;
}

static const tac_component_type free_type =
    TYPE("free", .stage = TAC_STAGE_CONTROL, .declare = free_declare, .step = idle_step);
#define FREE(params) ONE("free", params)

static void test_names(void **state)
{
    (void)state;
    use(&free_type, NULL);
    const uint64_t hash = nest_hash(FREE("      table: {b: 2 m, a: {value: 30 cm}, c: {}}\n"
                                         "      texts: [x = 1, 'y, z', 3]\n"));
    assert_int_equal(free_seen.names, 3);
    assert_string_equal(free_seen.name[0], "b"); // as they stand
    assert_string_equal(free_seen.name[1], "a");
    assert_true(free_seen.value[0] == 2 && fabs(free_seen.value[1] - 0.3) < 1e-15);
    assert_true(free_seen.value[2] == 7 && !free_seen.map[0] && free_seen.map[2]);
    assert_int_equal(free_seen.texts, 3);
    assert_string_equal(free_seen.text[0], "x = 1");
    assert_string_equal(free_seen.text[1], "y, z");
    assert_string_equal(free_seen.text[2], "3");
    // All of it, and the order, is part of the model.
    static const char *const others[] = {
        FREE("      table: {a: {value: 30 cm}, b: 2 m, c: {}}\n      texts: [x = 1, 'y, z', 3]\n"),
        FREE("      table: {b: 2 m, a: {value: 31 cm}, c: {}}\n      texts: [x = 1, 'y, z', 3]\n"),
        FREE("      table: {b: 2 m, a: {value: 30 cm}, d: {}}\n      texts: [x = 1, 'y, z', 3]\n"),
        FREE("      table: {b: 2 m, a: {value: 30 cm}, c: {}}\n      texts: [x = 1, 'y, w', 3]\n"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(nest_hash(others[i]) != hash);
    (void)nest_hash(FREE("      {texts: x = 1}\n")); // a single one
    assert_int_equal(free_seen.names, 0);
    assert_int_equal(free_seen.texts, 1);
    assert_string_equal(free_seen.text[0], "x = 1");
    (void)nest_hash(FREE("      {texts: [], table: {}}\n"));
    assert_int_equal(free_seen.names + free_seen.texts, 0);
    (void)nest_hash(FREE("      table: {a: 1, b: ~}\n"));
    assert_int_equal(free_seen.names, 1);
}

static void test_names_wrong(void **state)
{
    (void)state;
    use(&free_type, NULL);
    refused_at(FREE("      table: 3\n"), TAC_E_TYPE, "expected a map of names", 7, 14);
    refused_at(FREE("      table: {a: 1, b: 2, c: 3, d: 4, e: 5}\n"), TAC_E_LIMIT,
               "expected at most 4, found 5", 7, 14);
    refused_at(FREE("      table: {a: 3 s}\n"), TAC_E_UNIT, "m", 7, 18);
    refused_at(FREE("      table: {a: {valu: 3}}\n"), TAC_E_NAME, "did you mean 'value'?", 7, 19);
    refused_at(FREE("      texts: [a, {b: c}]\n"), TAC_E_TYPE,
               "expected a single value in the list", 7, 18);
    refused_at(FREE("      texts: [a, b, c, d, e]\n"), TAC_E_LIMIT, "expected at most 4, found 5",
               7, 14);
    free_seen.fail = 2;
    refused_at(FREE("      texts: [a, bcd]\n"), TAC_E_CONFIG, "not this", 7, 20);
    free_seen.fail = 1;
    refused_at(FREE("      texts: bcd\n"), TAC_E_CONFIG, "not this", 7, 16);
    free_seen.fail = 10;
    refused_at(FREE("      table: {b: {value: 123}}\n"), TAC_E_CONFIG, "not this", 7, 28);
    char *text = tac_type_describe(&free_type, TAC_FORMAT_TEXT);
    assert_non_null(strstr(text, "\n    NAME ")); // inside the table
    assert_non_null(strstr(text, "\n      value "));
    assert_non_null(strstr(text, "texts"));
    tac_text_free(text);
}

// What a type has is listed with what is inside, once.
static void test_described(void **state)
{
    (void)state;
    char *text = tac_type_describe(&nest_type, TAC_FORMAT_TEXT);
    assert_non_null(strstr(text, "\n  frame "));
    assert_non_null(strstr(text, "\n    mass ")); // inside it
    assert_null(strstr(text, "frame.mass"));
    assert_non_null(strstr(text, "arms"));
    assert_non_null(strstr(text, "length"));
    assert_non_null(strstr(text, "tips"));
    assert_non_null(strstr(text, "size"));
    tac_text_free(text);
}

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
    TYPE("preset", .stage = TAC_STAGE_CONTROL, .declare = preset_declare, .step = idle_step);

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
        (void)nest_hash(text);
        const size_t count = preset.count;
        double numbers[8];
        char word[sizeof preset.word];
        memcpy(numbers, preset.numbers, sizeof numbers);
        memcpy(word, preset.word, sizeof word);
        preset.text = cases[i].text;
        (void)nest_hash(ONE("preset", "      {}\n"));
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
        refused_at(text, cases[i].status, cases[i].part, 4, 3);
        char context[64];
        snprintf(context, sizeof context, "reading '%s', the default of parameter 'p' of 'c'",
                 cases[i].text);
        rig r;
        (void)rig_try(&r, text);
        assert_non_null(strstr(r.err.context, context));
        rig_close(&r);
    }
}

// --- files --------------------------------------------------------------------------------------

static char path_seen[512];

static tac_status path_declare(tac_declare *d, void *self)
{
    (void)self;
    snprintf(path_seen, sizeof path_seen, "%s",
             tac_param_path(d, TAC_PARAM(.name = "file", .fallback = "")));
    return TAC_OK;
}

static const tac_component_type path_type =
    TYPE("path", .stage = TAC_STAGE_CONTROL, .declare = path_declare, .step = idle_step);

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static uint64_t load(const char *folder, const char *set)
{
    rig r = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    assert_int_equal(tac_registry_create(NULL, &r.registry, &r.err), TAC_OK);
    assert_int_equal(tac_registry_add(r.registry, &path_type, &r.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = r.registry;
    def.sets = &set;
    def.set_count = set != NULL;
    if (tac_config_load(path, &def, &r.config, &r.err) != TAC_OK) {
        rig_show(&r);
        fail();
    }
    const tac_engine_def engine = tac_config_engine_def(r.config);
    assert_int_equal(tac_config_build(r.config, &engine, &r.engine, &r.err), TAC_OK);
    const uint64_t hash = tac_engine_model_hash(r.engine);
    rig_close(&r);
    return hash;
}

// Relative to the file that says so, however it is reached.
static void test_path(void **state)
{
    (void)state;
    char folder[] = "/tmp/tactus_params_XXXXXX", inner[64], expected[512];
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/parts", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    write_file(inner, "part.yaml", "c: {type: path, params: {file: data/wind.csv}}\n");
    write_file(folder, "main.yaml",
               "duration: 10 ms\n"
               "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c]}]}\n"
               "components: {extends: parts/part.yaml}\n");
    const uint64_t inside = load(folder, NULL);
    snprintf(expected, sizeof expected, "%s/data/wind.csv", inner);
    assert_string_equal(path_seen, expected);
    (void)load(folder, "components.c.params.file=/etc/wind.csv");
    assert_string_equal(path_seen, "/etc/wind.csv");
    (void)load(folder, "components.c.params.file=here.csv");
    assert_string_equal(path_seen, "here.csv"); // on the command line: where one is
    (void)load(folder, "components.c.params.file=~");
    assert_string_equal(path_seen, "");
    // What the file holds is part of the model.
    snprintf(expected, sizeof expected, "%s/data", inner);
    assert_int_equal(mkdir(expected, 0700), 0);
    write_file(expected, "wind.csv", "1,2,3\n");
    const uint64_t there = load(folder, NULL);
    write_file(expected, "wind.csv", "1,2,4\n");
    const uint64_t changed = load(folder, NULL);
    assert_true(inside != there && there != changed);
    char command[600];
    snprintf(command, sizeof command, "%s/wind.csv", expected);
    assert_int_equal(unlink(command) | rmdir(expected), 0);
    snprintf(command, sizeof command, "%s/part.yaml", inner);
    assert_int_equal(unlink(command) | rmdir(inner), 0);
    snprintf(command, sizeof command, "%s/main.yaml", folder);
    assert_int_equal(unlink(command) | rmdir(folder), 0);
}

// --- parameters that are inputs -----------------------------------------------------------------

typedef struct cruiser {
    int speed;
} cruiser;

static double speeds[64];
static size_t speed_count;

static tac_status cruiser_declare(tac_declare *d, void *self)
{
    cruiser *c = self;
    c->speed = tac_param_input(
        d, TAC_PARAM(.name = "speed", .unit = "m/s", .fallback = "5", .range = "(0, 100]"));
    speed_count = 0;
    return TAC_OK;
}

static tac_status cruiser_step(tac_step *s, const void *self)
{
    const cruiser *c = self;
    assert_true(speed_count < 64);
    speeds[speed_count++] = *TAC_IN(s, double, c->speed);
    return TAC_OK;
}

static const tac_component_type cruiser_type =
    TYPE("cruiser", .stage = TAC_STAGE_CONTROL, .self_size = sizeof(cruiser),
         .declare = cruiser_declare, .step = cruiser_step);

#define CRUISER(params)                                                                            \
    "duration: 4 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c, k]}]}\n"                    \
    "components:\n"                                                                                \
    "  k: {type: constant, params: {unit: m/s, value: 8}}\n"                                       \
    "  c: {type: cruiser, " params "}\n"

static void cruise(const char *text, double expected)
{
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(speed_count, 5);
    for (size_t i = 0; i < speed_count; i++)
        assert_true(speeds[i] == expected);
    rig_close(&r);
}

static void test_param_input(void **state)
{
    (void)state;
    use(&cruiser_type, NULL);
    cruise(CRUISER("params: {}"), 5);
    cruise(CRUISER("params: {speed: 36 km/h}"), 10);
    cruise(CRUISER("inputs: {speed: k.y}"), 8);
    cruise(CRUISER("params: {speed: 3}, inputs: {speed: {from: k.y, gain: 2}}"), 16);
    refused_at(CRUISER("params: {speed: 0}"), TAC_E_RANGE, "0 is out of range", 5, 38);
}

// --- parameters of a neighbour ------------------------------------------------------------------

static double peer_mass;

static tac_status pilot_declare(tac_declare *d, void *self)
{
    (void)self;
    const char *name = tac_param_text(d, TAC_PARAM(.name = "of", .fallback = "body"));
    if (tac_param_peer_begin(d, name)) {
        (void)tac_param_items(d, TAC_PARAM(.name = "frame", .fallback = "{}"), 1);
        tac_param_begin(d, "frame", 0);
        peer_mass = tac_param_f64(d, TAC_PARAM(.name = "mass", .unit = "kg", .fallback = "1.5"));
        tac_param_end(d);
        tac_param_end(d);
    }
    // Its own are still its own.
    (void)tac_param_f64(d, TAC_PARAM(.name = "gain", .fallback = "1"));
    return TAC_OK;
}

static const tac_component_type pilot_type =
    TYPE("pilot", .stage = TAC_STAGE_CONTROL, .declare = pilot_declare, .step = idle_step);

#define PEERS(components)                                                                          \
    "duration: 4 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*.*\"]}]}\n"                 \
    "entities:\n"                                                                                  \
    "  uav:\n"                                                                                     \
    "    components:\n" components

static void test_peer(void **state)
{
    (void)state;
    use(&nest_type, &pilot_type);
    rig r;
    rig_open(&r, PEERS("      body: {type: nest, params: {frame: {mass: 700 g, tag: a}}}\n"
                       "      pilot: {type: pilot, params: {gain: 2}}\n"));
    assert_true(peer_mass == 0.7);
    rig_close(&r);
    rig_open(&r, PEERS("      hull: {type: nest}\n"
                       "      pilot: {type: pilot, params: {of: hull}}\n"));
    assert_true(peer_mass == 1.5);
    rig_close(&r);
    // Not declared yet, of another entity, not there at all.
    refused_at(PEERS("      pilot: {type: pilot}\n      body: {type: nest}\n"), TAC_E_CONFIG,
               "needs component 'uav.body', which must stand before it in the file", 6, 7);
    refused_at(PEERS("      pilot: {type: pilot, params: {of: bodi}}\n"
                     "  two: {components: {bodi: {type: nest}}}\n"),
               TAC_E_CONFIG, "needs component 'uav.bodi'", 6, 36);
    // A key that is not its own is still a mistake.
    refused_at(PEERS("      body: {type: nest}\n"
                     "      pilot: {type: pilot, params: {frame: {mass: 1}}}\n"),
               TAC_E_NAME, "unknown parameter 'frame' of type 'pilot'", 7, 37);
}

// --- watches ------------------------------------------------------------------------------------

typedef struct watcher {
    int watch;
    const char *name;
} watcher;

static struct {
    const char *name;
    tac_time t_us;
    double value;
} watched[4096];
static size_t watched_count;

static tac_status watcher_declare(tac_declare *d, void *self)
{
    watcher *w = self;
    const char *signal = tac_param_text(d, TAC_PARAM(.name = "signal"));
    w->watch = tac_declare_watch(d, signal, "signal");
    w->name = tac_declare_name(d);
    watched_count = 0;
    return TAC_OK;
}

static tac_status watcher_step(tac_step *s, const void *self)
{
    const watcher *w = self;
    assert_true(watched_count < sizeof watched / sizeof *watched);
    watched[watched_count].name = w->name;
    watched[watched_count].t_us = s->t_us;
    watched[watched_count++].value = *TAC_IN(s, double, w->watch);
    return TAC_OK;
}

static const tac_component_type watcher_type =
    TYPE("watcher", .stage = TAC_STAGE_ESTIMATE, .self_size = sizeof(watcher),
         .declare = watcher_declare, .step = watcher_step);

// What `name` saw at t.
static double watched_at(const char *name, tac_time t_us)
{
    for (size_t i = 0; i < watched_count; i++) {
        if (!strcmp(watched[i].name, name) && watched[i].t_us == t_us)
            return watched[i].value;
    }
    fail_msg("%s did not step at %llu us", name, (unsigned long long)t_us);
    return 0;
}

static void test_watch_any_type(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig r;
    rig_open(&r, "duration: 50 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*\"]}]}\n"
                 "components:\n"
                 "  f64: {type: source}\n  i32: {type: source, params: {kind: i32}}\n"
                 "  i64: {type: source, params: {kind: i64}}\n"
                 "  bool: {type: source, params: {kind: bool}}\n"
                 "  enum: {type: source, params: {kind: enum}}\n"
                 "  vec3: {type: source, params: {kind: vec3, unit: m}}\n"
                 "  quat: {type: source, params: {kind: quat}}\n"
                 "  w_f64: {type: watcher, params: {signal: f64.y}}\n"
                 "  w_i32: {type: watcher, params: {signal: i32.y}}\n"
                 "  w_i64: {type: watcher, params: {signal: i64.y}}\n"
                 "  w_bool: {type: watcher, params: {signal: bool.y}}\n"
                 "  w_enum: {type: watcher, params: {signal: enum.y}}\n"
                 "  w_z: {type: watcher, params: {signal: vec3.y.z}}\n"
                 "  w_1: {type: watcher, params: {signal: \"vec3.y[1]\"}}\n"
                 "  w_w: {type: watcher, params: {signal: quat.y.w}}\n");
    rig_run(&r, TAC_TIME_MAX);
    for (tac_time t_us = 0; t_us <= 50000; t_us += 1000) {
        double q[4];
        rig_quat(t_us, q);
        rig_same(watched_at("w_f64", t_us), rig_value(t_us, 0), "f64", t_us);
        rig_same(watched_at("w_i32", t_us), (double)rig_whole(t_us), "i32", t_us);
        rig_same(watched_at("w_i64", t_us), (double)rig_whole(t_us), "i64", t_us);
        rig_same(watched_at("w_bool", t_us), (double)(rig_whole(t_us) & 1), "bool", t_us);
        rig_same(watched_at("w_enum", t_us), (double)(t_us / 1000 % 3), "enum", t_us);
        rig_same(watched_at("w_z", t_us), rig_value(t_us, 2), "z", t_us);
        rig_same(watched_at("w_1", t_us), rig_value(t_us, 1), "[1]", t_us);
        rig_same(watched_at("w_w", t_us), q[0], "w", t_us);
    }
    rig_close(&r);
}

// What a later stage writes is seen as of the last boundary; a continuous state as of this one.
static void test_watch_when(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig r;
    rig_open(&r, "duration: 20 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 2 ms, components: [\"*\"]}]}\n"
                 "components:\n"
                 "  early: {type: source}\n  late: {type: source, stage: control}\n"
                 "  ramp: {type: integrator, inputs: {u: one.y}, params: {rate_unit: \"1\"}}\n"
                 "  one: {type: constant, params: {value: 1}}\n"
                 "  w_early: {type: watcher, params: {signal: early.y}}\n"
                 "  w_late: {type: watcher, params: {signal: late.y}}\n"
                 "  w_ramp: {type: watcher, params: {signal: ramp.x}}\n");
    rig_run(&r, TAC_TIME_MAX);
    rig_same(watched_at("w_late", 0), 0, "nothing yet", 0);
    for (tac_time t_us = 2000; t_us <= 20000; t_us += 2000) {
        rig_same(watched_at("w_early", t_us), rig_value(t_us, 0), "early", t_us);
        rig_same(watched_at("w_late", t_us), rig_value(t_us - 2000, 0), "late", t_us);
        assert_true(fabs(watched_at("w_ramp", t_us) - (double)t_us * 1e-6) < 1e-15);
    }
    rig_close(&r);
}

// In the own entity first, then everywhere.
static void test_watch_where(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig r;
    rig_open(&r,
             "duration: 2 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*\", \"*.*\"]}]}\n"
             "components:\n"
             "  k: {type: constant, params: {value: 1}}\n"
             "  only: {type: constant, params: {value: 3}}\n"
             "entities:\n"
             "  uav:\n"
             "    components:\n"
             "      k: {type: constant, params: {value: 2}}\n"
             "      near: {type: watcher, params: {signal: k.y}}\n"
             "      far: {type: watcher, params: {signal: only.y}}\n"
             "      full: {type: watcher, params: {signal: uav.k.y}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_true(watched_at("uav.near", 1000) == 2);
    assert_true(watched_at("uav.far", 1000) == 3);
    assert_true(watched_at("uav.full", 1000) == 2);
    rig_close(&r);
}

#define WATCH(signal)                                                                              \
    "duration: 2 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*\"]}]}\n"                   \
    "components:\n"                                                                                \
    "  speed: {type: source, params: {kind: vec3}}\n"                                              \
    "  w: {type: watcher, params: {signal: " signal "}}\n"

static void test_watch_wrong(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    refused_at(WATCH("sped.y"), TAC_E_NAME, "did you mean 'speed.y'?", 5, 39);
    refused_at(WATCH("speed.y"), TAC_E_TYPE, "expected a single value", 5, 39);
    refused_at(WATCH("\"speed.y[3]\""), TAC_E_RANGE, "speed.y", 5, 40);
}

// --- feeds --------------------------------------------------------------------------------------

typedef struct feeder {
    int feed;
    const char *unit;
} feeder;

static char feed_unit[16];

static tac_status feeder_declare(tac_declare *d, void *self)
{
    feeder *f = self;
    const char *input = tac_param_text(d, TAC_PARAM(.name = "input"));
    f->feed = tac_declare_feed(d, TAC_PORT(.name = "set", .type = TAC_TYPE_F64), input, "input");
    return TAC_OK;
}

static tac_status feeder_connect(tac_declare *d, void *self)
{
    const feeder *f = self;
    snprintf(feed_unit, sizeof feed_unit, "%s", tac_feed_unit(d, f->feed));
    return TAC_OK;
}

static tac_status feeder_step(tac_step *s, const void *self)
{
    const feeder *f = self;
    if (s->t_us >= 2000)
        *TAC_OUT(s, double, f->feed) = 7;
    return TAC_OK;
}

static const tac_component_type feeder_type =
    TYPE("feeder", .stage = TAC_STAGE_SCENARIO, .self_size = sizeof(feeder),
         .declare = feeder_declare, .connect = feeder_connect, .step = feeder_step);

#define FEED(input, inputs)                                                                        \
    "duration: 4 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*.*\"]}]}\n"                 \
    "entities:\n"                                                                                  \
    "  uav:\n"                                                                                     \
    "    components:\n"                                                                            \
    "      f: {type: feeder, params: {input: " input "}}\n"                                        \
    "      c: {type: cruiser, params: {speed: 18 km/h}" inputs "}\n"                               \
    "      k: {type: constant, params: {unit: m/s, value: 8}}\n"

static void test_feed(void **state)
{
    (void)state;
    use(&cruiser_type, &feeder_type);
    rig r;
    rig_open(&r, FEED("c.speed", ""));
    const int signal = tac_engine_find_signal(r.engine, "uav.f.set");
    assert_string_equal(tac_engine_signal_info(r.engine, signal).unit, "m/s");
    assert_string_equal(feed_unit, "m/s");
    rig_run(&r, TAC_TIME_MAX);
    // As configured until something is written.
    static const double expected[] = {5, 5, 7, 7, 7};
    assert_int_equal(speed_count, 5);
    assert_memory_equal(speeds, expected, sizeof expected);
    rig_close(&r);
}

static void test_feed_wrong(void **state)
{
    (void)state;
    use(&cruiser_type, &feeder_type);
    refused_at(FEED("c.sped", ""), TAC_E_NAME, "did you mean", 6, 41);
    refused_at(FEED("d.speed", ""), TAC_E_NAME, "d.speed", 6, 41);
    rig r;
    const tac_status status = rig_try(&r, FEED("c.speed", ", inputs: {speed: k.y}"));
    assert_int_not_equal(status, TAC_OK);
    assert_non_null(strstr(r.err.text, "uav.c.speed"));
    rig_close(&r);
}

// --- the world ----------------------------------------------------------------------------------

static tac_world world_seen;

static tac_status place_declare(tac_declare *d, void *self)
{
    (void)self;
    world_seen = *tac_declare_world(d);
    return TAC_OK;
}

static const tac_component_type place_type =
    TYPE("place", .stage = TAC_STAGE_CONTROL, .declare = place_declare, .step = idle_step);

static void test_world(void **state)
{
    (void)state;
    use(&place_type, NULL);
    rig r;
    rig_open(&r, ONE("place", "      {}\n"));
    assert_true(world_seen.latitude_rad == 0 && world_seen.longitude_rad == 0);
    assert_true(world_seen.altitude_m == 0 && world_seen.ground_m == 0);
    assert_true(world_seen.g_m_s2 == 9.80665);
    assert_int_equal(world_seen.geodesy, TAC_GEODESY_SPHERE);
    assert_int_equal(world_seen.gravity, TAC_GRAVITY_UNIFORM);
    const uint64_t hash = tac_engine_model_hash(r.engine);
    rig_close(&r);
    rig_open(&r, ONE("place", "      {}\n") "world: {latitude: 90 deg, longitude: -1 rad, "
                                            "altitude: 1 km, geodesy: wgs84,"
                                            " gravity: central, g: 1.62, ground: -2 m}\n");
    assert_true(fabs(world_seen.latitude_rad - 1.5707963267948966) < 1e-15);
    assert_true(world_seen.longitude_rad == -1 && world_seen.altitude_m == 1000);
    assert_true(world_seen.g_m_s2 == 1.62 && world_seen.ground_m == -2);
    assert_int_equal(world_seen.geodesy, TAC_GEODESY_WGS84);
    assert_int_equal(world_seen.gravity, TAC_GRAVITY_CENTRAL);
    assert_true(tac_engine_model_hash(r.engine) != hash);
    rig_close(&r);
    refused_at("world: {geodesy: flat}\n" ONE("place", "      {}\n"), TAC_E_NAME, "sphere", 1, 18);
    refused_at("world: {latitude: 91 deg}\n" ONE("place", "      {}\n"), TAC_E_RANGE, "", 1, 19);
    refused_at("world: {altitude: 3 s}\n" ONE("place", "      {}\n"), TAC_E_UNIT, "", 1, 19);
}

// --- warnings -----------------------------------------------------------------------------------

static tac_status doubt_declare(tac_declare *d, void *self)
{
    (void)self;
    const double x = tac_param_f64(d, TAC_PARAM(.name = "x", .fallback = "0"));
    if (x > 5)
        tac_declare_warn(d, "x", "x is %g, which is much", x);
    if (x > 7)
        tac_declare_warn(d, NULL, "all of it");
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status doubt_connect(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_warn(d, "x", "connected");
    return TAC_OK;
}

static const tac_component_type doubt_type =
    TYPE("doubt", .stage = TAC_STAGE_CONTROL, .declare = doubt_declare, .connect = doubt_connect,
         .step = idle_step);

typedef struct warnings {
    size_t count;
    char text[4][256];
} warnings;

static void keep_warning(void *context, const tac_log_entry *entry)
{
    warnings *w = context;
    assert_int_equal(entry->level, TAC_LOG_WARN);
    assert_true(w->count < 4);
    snprintf(w->text[w->count++], sizeof *w->text, "%s", entry->text);
}

// With the place of the parameter; once, though all vehicles of a template come from one line.
static void test_warnings(void **state)
{
    (void)state;
    use(&doubt_type, NULL);
    static const char *const texts[] = {
        ONE("doubt", "      {x: 6}\n"),
        ONE("doubt", "      x: 8\n"),
        "duration: 1 ms\n"
        "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c]}]}\n"
        "entities:\n"
        "  u:\n"
        "    count: 3\n"
        "    components: {c: {type: doubt, params: {x: 6}}}\n",
    };
    static const char *const said[][3] = {
        {":7:11: x is 6, which is much", ":7:11: connected"},
        {":7:10: x is 8, which is much", ":7:7: all of it", ":7:10: connected"},
        {":6:47: x is 6, which is much", ":6:47: connected"},
    };
    for (size_t i = 0; i < 3; i++) {
        rig r;
        rig_open(&r, texts[i]);
        warnings w = {0};
        tac_engine_def def = tac_config_engine_def(r.config);
        def.log = keep_warning;
        def.log_context = &w;
        tac_engine *engine;
        assert_int_equal(tac_config_build(r.config, &def, &engine, NULL), TAC_OK);
        size_t n = 0;
        for (; n < 3 && said[i][n]; n++) {
            if (!strstr(w.text[n], said[i][n]))
                fail_msg("'%s' is not in '%s'", said[i][n], w.text[n]);
        }
        assert_int_equal(w.count, n);
        assert_true(tac_engine_model_hash(engine) == tac_engine_model_hash(r.engine));
        tac_engine_destroy(engine);
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_maps), cmocka_unit_test(test_absent),
          cmocka_unit_test(test_wrong_inside), cmocka_unit_test(test_must_be_given),
          cmocka_unit_test(test_names), cmocka_unit_test(test_names_wrong),
          cmocka_unit_test(test_described), cmocka_unit_test(test_default),
          cmocka_unit_test(test_default_wrong), cmocka_unit_test(test_path),
          cmocka_unit_test(test_param_input), cmocka_unit_test(test_peer),
          cmocka_unit_test(test_watch_any_type), cmocka_unit_test(test_watch_when),
          cmocka_unit_test(test_watch_where), cmocka_unit_test(test_watch_wrong),
          cmocka_unit_test(test_feed), cmocka_unit_test(test_feed_wrong),
          cmocka_unit_test(test_world), cmocka_unit_test(test_warnings))
