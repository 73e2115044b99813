// Parameters inside parameters, names of the user's own, files, parameters of a neighbour. All from
// YAML, as authors of components meet them.
#include "engine/declare_rig.h"

#include <sys/stat.h>

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

static const tac_component_type nest_type =
    TYPE("nest", .stage = TAC_STAGE_CONTROL, .declare = nest_declare,
         .kernels[TAC_NUMBERS].step = idle_step);

#define NEST(params) ONE("nest", params)

static void test_maps(void **state)
{
    (void)state;
    use(&nest_type, NULL);
    (void)model_hash(NEST("      frame: {mass: 500 g, tag: light}\n"
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
    const uint64_t hash = model_hash(texts[0]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(i == 3 ||
                    model_hash(texts[i]) == hash); // the same model, however it is written
        (void)model_hash(texts[i]);
        assert_int_equal(seen.frames, 1);
        assert_true(seen.mass == 1.5);
        assert_string_equal(seen.tag, "none");
        assert_int_equal(seen.arms, 0);
    }
    assert_true(model_hash(NEST("      frame: {mass: 1.5 kg}\n")) == hash);
    assert_true(model_hash(NEST("      frame: {mass: 1.6 kg}\n")) != hash);
    assert_true(model_hash(NEST("      arms: [{length: 1}]\n")) != hash);
    assert_true(model_hash(NEST("      arms: [{length: 1, tips: [{}]}]\n")) !=
                model_hash(NEST("      arms: [{length: 1}]\n")));
}

static void test_wrong_inside(void **state)
{
    (void)state;
    use(&nest_type, NULL);
    // line 7 is the first of the parameters
    rig_refused_at(NEST("      frame: {mas: 1}\n"), TAC_E_NAME, 7, 15,
                   "unknown parameter 'mas' of type 'nest'; did you mean 'mass'?");
    rig_refused_at(NEST("      frame: {length: 1}\n"), TAC_E_NAME, 7, 15, "it has mass, tag");
    rig_refused_at(NEST("      fram: {mass: 1}\n"), TAC_E_NAME, 7, 7, "did you mean 'frame'?");
    rig_refused_at(
        NEST("      arms:\n        - {length: 1}\n        - {length: 1, tips: [{sise: 1}]}\n"),
        TAC_E_NAME, 9, 31, "did you mean 'size'?");
    rig_refused_at(NEST("      arms:\n        - {length: 1}\n        - {tips: []}\n"), TAC_E_CONFIG,
                   9, 11, "parameter 'length' is missing");
    rig_refused_at(NEST("      frame: {mass: 3 m}\n"), TAC_E_UNIT, 7, 21, "kg");
    rig_refused_at(NEST("      arms: [{length: 1, tips: [{size: 10}]}]\n"), TAC_E_RANGE, 7, 40,
                   "10 is out of range");
    rig_refused_at(NEST("      frame: 3\n"), TAC_E_TYPE, 7, 14, "expected a map of parameters");
    rig_refused_at(NEST("      arms: [{length: 1}, 4]\n"), TAC_E_TYPE, 7, 27,
                   "expected a map of parameters");
    rig_refused_at(NEST("      frame: [{}, {}]\n"), TAC_E_LIMIT, 7, 14,
                   "expected at most 1, found 2");
    rig_refused_at(NEST("      arms: [{length: 1}, {length: 1}, {length: 1}, {length: 1}]\n"),
                   TAC_E_LIMIT, 7, 13, "expected at most 3, found 4");
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
    TYPE("must", .stage = TAC_STAGE_CONTROL, .declare = must_declare,
         .kernels[TAC_NUMBERS].step = idle_step);

static void test_must_be_given(void **state)
{
    (void)state;
    use(&must_type, NULL);
    rig_refused_at(ONE("must", "      {}\n"), TAC_E_CONFIG, 7, 7,
                   "parameter 'rotors' is missing: at least one");
    rig r;
    rig_open(&r, ONE("must", "      rotors: [{}, {size: 2}]\n"));
    rig_close(&r);
}

// --- names of the user's own, and texts ---------------------------------------------------------

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
    TYPE("free", .stage = TAC_STAGE_CONTROL, .declare = free_declare,
         .kernels[TAC_NUMBERS].step = idle_step);
#define FREE(params) ONE("free", params)

static void test_names(void **state)
{
    (void)state;
    use(&free_type, NULL);
    const uint64_t hash = model_hash(FREE("      table: {b: 2 m, a: {value: 30 cm}, c: {}}\n"
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
        assert_true(model_hash(others[i]) != hash);
    (void)model_hash(FREE("      {texts: x = 1}\n")); // a single one
    assert_int_equal(free_seen.names, 0);
    assert_int_equal(free_seen.texts, 1);
    assert_string_equal(free_seen.text[0], "x = 1");
    (void)model_hash(FREE("      {texts: [], table: {}}\n"));
    assert_int_equal(free_seen.names + free_seen.texts, 0);
    (void)model_hash(FREE("      table: {a: 1, b: ~}\n"));
    assert_int_equal(free_seen.names, 1);
}

static void test_names_wrong(void **state)
{
    (void)state;
    use(&free_type, NULL);
    rig_refused_at(FREE("      table: 3\n"), TAC_E_TYPE, 7, 14, "expected a map of names");
    rig_refused_at(FREE("      table: {a: 1, b: 2, c: 3, d: 4, e: 5}\n"), TAC_E_LIMIT, 7, 14,
                   "expected at most 4, found 5");
    rig_refused_at(FREE("      table: {a: 3 s}\n"), TAC_E_UNIT, 7, 18, "m");
    rig_refused_at(FREE("      table: {a: {valu: 3}}\n"), TAC_E_NAME, 7, 19,
                   "did you mean 'value'?");
    rig_refused_at(FREE("      texts: [a, {b: c}]\n"), TAC_E_TYPE, 7, 18,
                   "expected a single value in the list");
    rig_refused_at(FREE("      texts: [a, b, c, d, e]\n"), TAC_E_LIMIT, 7, 14,
                   "expected at most 4, found 5");
    free_seen.fail = 2;
    rig_refused_at(FREE("      texts: [a, bcd]\n"), TAC_E_CONFIG, 7, 20, "not this");
    free_seen.fail = 1;
    rig_refused_at(FREE("      texts: bcd\n"), TAC_E_CONFIG, 7, 16, "not this");
    free_seen.fail = 10;
    rig_refused_at(FREE("      table: {b: {value: 123}}\n"), TAC_E_CONFIG, 7, 28, "not this");
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
    TYPE("path", .stage = TAC_STAGE_CONTROL, .declare = path_declare,
         .kernels[TAC_NUMBERS].step = idle_step);

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
    TYPE("pilot", .stage = TAC_STAGE_CONTROL, .declare = pilot_declare,
         .kernels[TAC_NUMBERS].step = idle_step);

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
    rig_refused_at(PEERS("      pilot: {type: pilot}\n      body: {type: nest}\n"), TAC_E_CONFIG, 6,
                   7, "needs component 'uav.body', which must stand before it in the file");
    rig_refused_at(PEERS("      pilot: {type: pilot, params: {of: bodi}}\n"
                         "  two: {components: {bodi: {type: nest}}}\n"),
                   TAC_E_CONFIG, 6, 36, "needs component 'uav.bodi'");
    // A key that is not its own is still a mistake.
    rig_refused_at(PEERS("      body: {type: nest}\n"
                         "      pilot: {type: pilot, params: {frame: {mass: 1}}}\n"),
                   TAC_E_NAME, 7, 37, "unknown parameter 'frame' of type 'pilot'");
}

TEST_MAIN(cmocka_unit_test(test_maps), cmocka_unit_test(test_absent),
          cmocka_unit_test(test_wrong_inside), cmocka_unit_test(test_must_be_given),
          cmocka_unit_test(test_names), cmocka_unit_test(test_names_wrong),
          cmocka_unit_test(test_described), cmocka_unit_test(test_path),
          cmocka_unit_test(test_peer))
