// Long lists of everything that a file may list: each item arrives, at every size where an array
// may grow, and one item over a documented limit is refused. The sanitizers see the rest.
#include "engine/run/state.h"
#include "engine/test_rig.h"

// A list: its items stand between `head` and `tail`. Each # is the number of the item, each
// $ how many there are.
typedef struct list {
    const char *name, *head, *item, *between;
    const char *middle, *second, *glue; // a second list of as many items; NULL: there is none
    const char *tail;
    const char *model; // one line of the model text for each item; NULL: it has none
    size_t least;      // 0: one item is enough
    size_t most;       // items that are accepted
    bool limited;      // one more is refused
    bool expects;      // the items are expectations
} list;

#define CLOCK                                                                                      \
    "duration: 10 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [k]}]}\n"                       \
    "components:\n"                                                                                \
    "  k: {type: counter}\n"

#define SCENARIO                                                                                   \
    "duration: 10 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [scenario]}]}\n"

static const list lists[] = {
    {.name = "events of a component",
     .head = SCENARIO "components:\n  scenario:\n    type: scenario\n    params:\n      events:\n",
     .item = "      - {at: # us, do: log, text: 'event #'}\n",
     .model = "param scenario.events[#].text = event #\n",
     .most = 4096,
     .limited = true},
    {.name = "events of the file",
     .head = SCENARIO "components: {scenario: {type: scenario}}\nscenario:\n",
     .item = "- {at: # us, do: log, text: 'event #'}\n",
     .model = "param scenario.events[#].text = event #\n",
     .most = 4096,
     .limited = true},
    {.name = "signals of a scenario",
     .head = SCENARIO "components: {scenario: {type: scenario, params: {signals: [",
     .item = "{name: s#}",
     .between = ", ",
     .tail = "]}}}\n",
     .model = "param scenario.signals[#].name = s#\n",
     .most = 256,
     .limited = true},
    {.name = "transitions",
     .head = CLOCK "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n",
     .item = "  - {from: A, to: B, condition: k.n > #, actions: [{log: one #}, {log: two}]}\n",
     .model = "param flight.transitions[#].actions[0].log = one #\n",
     .most = 1024,
     .limited = true},
    {.name = "actions of a transition",
     .head = CLOCK "phases:\n  names: [A, B]\n  initial: A\n"
                   "  transitions:\n  - {from: A, to: B, condition: k.n > 3, actions: [",
     .item = "{log: action #}",
     .between = ", ",
     .tail = "]}\n",
     .model = "param flight.transitions[0].actions[#].log = action #\n",
     .most = 64,
     .limited = true},
    {.name = "phases",
     .head = CLOCK "phases:\n  initial: P0\n  names: [",
     .item = "P#",
     .between = ", ",
     .middle = "]\n  transitions:\n",
     .second = "  - {from: any, to: P#, condition: k.n > #}\n",
     .model = "param flight.transitions[#].to = P#\n",
     .least = 2,
     .most = 64,
     .limited = true},
    {.name = "parameters",
     .head = "duration: 10 ms\ncomponents: {many: {type: many, params: {numbers: [",
     .item = "{x: #}",
     .between = ", ",
     .tail = "]}}}\n",
     .model = "param many.numbers[#].x = #\n",
     .most = 20000},
    {.name = "numbers of a parameter",
     .head = CLOCK "  w: {type: many, params: {row: [",
     .item = "#",
     .between = ", ",
     .tail = "]}}\n",
     .most = 20000},
    {.name = "parameters of equations",
     .head = "duration: 10 ms\ncomponents:\n  q:\n    type: equations\n    params:\n"
             "      states: {x: '1'}\n      parameters: {",
     .item = "p#: 1#",
     .between = ", ",
     .middle = "}\n      equations: ['der(x) = (",
     .second = "p#",
     .glue = " + ",
     .tail = ")/1 s']\n",
     .model = "param q.parameters.p# = 1#\n",
     .most = 64,
     .limited = true},
    {.name = "states of equations",
     .head = "duration: 10 ms\ncomponents:\n  q:\n    type: equations\n    params:\n"
             "      states: {",
     .item = "x#: {unit: m, initial: #}",
     .between = ", ",
     .middle = "}\n      equations: [",
     .second = "der(x#) = # m/s",
     .glue = ", ",
     .tail = "]\n",
     .model = "param q.states.x#.unit = m\n",
     .most = 64,
     .limited = true},
    {.name = "rotors",
     .head = "duration: 10 ms\ncomponents:\n  v:\n    type: multirotor\n"
             "    inputs: {motor: m.y}\n    params:\n"
             "      mass: 1 kg\n      inertia: [0.02, 0.02, 0.04]\n      rotors:\n",
     .item = "      - {position: [#, 0.2, 0], direction: 1}\n",
     .middle = "  m: {type: constant, params: {size: $, value: [",
     .second = "0.5",
     .glue = ", ",
     .tail = "]}}\n",
     .least = 2,
     .model = "param v.rotors[#].position = [#, 0.2, 0]\n",
     .most = 16,
     .limited = true},
    {.name = "links",
     .head = "duration: 10 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [w, b]}]}\n"
             "components:\n  w: {type: constant}\n  b: {type: beacon, inputs: {u: w.y}}\n",
     .item = "  l#: {type: listener}\n",
     .middle = "links:\n",
     .second = "- {from: b.tx, to: l#.rx, delay: 1 ms}\n",
     .model = "link b.tx to l#.rx delay 1 ms\n",
     .most = 1500},
    {.name = "rate groups",
     .head = "duration: 10 ms\nscheduler:\n  rate_groups:\n",
     .item = "  - {name: g#, period: 1 ms, components: [k#]}\n",
     .middle = "components:\n",
     .second = "  k#: {type: counter}\n",
     .model = " group g#\n",
     .most = 1500},
    {.name = "components",
     .head = "duration: 10 ms\ncomponents:\n",
     .item = "  c#: {type: constant, params: {value: [#]}}\n",
     .model = "param c#.value = [#]\n",
     .most = 3000},
    {.name = "entities",
     .head = "duration: 10 ms\nentities:\n",
     .item = "  e#: {components: {c: {type: constant, params: {value: [#]}}}}\n",
     .model = "param e#.c.value = [#]\n",
     .most = 2000},
    {.name = "expectations",
     .head = CLOCK "expect:\n",
     .item = "  e#: {always: k.n >= -#}\n",
     .most = 3000,
     .expects = true},
};

static tac_status many_declare(tac_declare *d, void *self)
{
    (void)self;
    const size_t count = tac_param_items(d, TAC_PARAM(.name = "numbers", .fallback = "[]"), 30000);
    for (size_t i = 0; i < count; i++) {
        tac_param_begin(d, "numbers", i);
        (void)tac_param_f64(d, TAC_PARAM(.name = "x", .fallback = "0"));
        tac_param_end(d);
    }
    size_t row;
    (void)tac_param_list(d, TAC_PARAM(.name = "row", .fallback = "[]"), 30000, &row);
    return TAC_OK;
}

static const tac_component_type many_type = {.size = sizeof(tac_component_type),
                                             .name = "many",
                                             .version = "1",
                                             .stage = TAC_STAGE_CONTROL,
                                             .declare = many_declare};

static void add(tac__text *out, const char *text, size_t number, size_t count)
{
    for (; text && *text; text++) {
        if (*text == '#' || *text == '$')
            tac__text_add(out, "%zu", *text == '#' ? number : count);
        else
            tac__text_add(out, "%c", *text);
    }
}

static void write_items(tac__text *out, const char *item, const char *between, size_t count)
{
    for (size_t i = 0; item && i < count; i++) {
        add(out, i ? between : NULL, i, count);
        add(out, item, i, count);
    }
}

static tac_status open_list(rig *r, const list *l, size_t count)
{
    tac__text text;
    tac__text_init(&text, NULL);
    add(&text, l->head, 0, count);
    write_items(&text, l->item, l->between, count);
    add(&text, l->middle, 0, count);
    write_items(&text, l->second, l->glue, count);
    add(&text, l->tail, 0, count);
    assert_false(text.failed);
    const tac_status status = rig_try(r, text.chars);
    tac__text_fini(&text);
    return status;
}

// The lines of all items stand in the text of the model, in their order.
static void check_model(const rig *r, const list *l, size_t count)
{
    tac__text model, line;
    tac__text_init(&model, NULL);
    tac__text_init(&line, NULL);
    tac__model_text(r->engine, &model);
    const char *at = model.chars;
    for (size_t i = 0; l->model && i < count; i++) {
        line.length = 0;
        add(&line, l->model, i, count);
        at = strstr(at, line.chars);
        if (!at)
            fail_msg("%zu %s: no '%s' where it was expected", count, l->name, line.chars);
    }
    tac__text_fini(&model);
    tac__text_fini(&line);
}

// An engine takes expectations before it is prepared.
static size_t expectations(rig *r)
{
    const tac_engine_def def = tac_config_engine_def(r->config);
    tac_engine *engine = NULL;
    tac_verdict *verdict = NULL;
    assert_int_equal(tac_config_build_unprepared(r->config, &def, &engine, &r->err), TAC_OK);
    assert_int_equal(tac_config_verdict(r->config, engine, &verdict, &r->err), TAC_OK);
    assert_int_equal(tac_engine_prepare(engine, &r->err), TAC_OK);
    const size_t count = tac_verdict_count(verdict);
    tac_verdict_destroy(verdict);
    tac_engine_destroy(engine);
    return count;
}

static void check_list(const list *l, size_t count)
{
    rig r;
    if (open_list(&r, l, count) != TAC_OK) {
        rig_show(&r);
        fail_msg("%zu %s are refused", count, l->name);
    }
    check_model(&r, l, count);
    if (l->expects)
        assert_int_equal(expectations(&r), count);
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
}

static void check_refused(const list *l, size_t count)
{
    rig r;
    char expected[64];
    snprintf(expected, sizeof expected, "at most %zu, found %zu", l->most, count);
    const tac_status status = open_list(&r, l, count);
    if (status == TAC_OK || !strstr(r.err.text, expected)) {
        rig_show(&r);
        fail_msg("%zu %s should be refused with '%s'", count, l->name, expected);
    }
    rig_close(&r);
}

static void test_long_lists(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 7, 8, 9, 16, 17, 64, 127, 243, 244, 400, 600, 1024, 1300};
    rig_types[0] = &many_type;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const list *l = &lists[i];
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            if (counts[k] >= l->least && counts[k] < l->most)
                check_list(l, counts[k]);
        }
        check_list(l, l->most);
        if (l->limited) {
            check_refused(l, l->most + 1);
            check_refused(l, 5000 > l->most ? 5000 : 3 * l->most);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_long_lists))
