// What vehicles have in common is stored once, and what is different stays different.
#include "engine/plan/find.h"
#include "engine/test_rig.h"

#include "engine/run/state.h"

#include <stdarg.h>

static const tac__component *component(const rig *r, const char *name)
{
    const tac__component *c = tac__find_component(r->engine->plan, name);
    assert_non_null(c);
    return c;
}

static const char *value_of(const rig *r, const char *name, const char *param)
{
    const tac__component *c = component(r, name);
    for (size_t i = 0; i < c->param_count; i++) {
        if (!strcmp(c->params[i].name, param))
            return c->values[i];
    }
    fail_msg("%s has no %s", name, param);
    return NULL;
}

static uint32_t ring_of(const rig *r, const char *name)
{
    const tac__component *c = component(r, name);
    for (size_t i = 0; i < c->states.count; i++) {
        if (!strcmp(c->states.items[i].name, "ring"))
            return c->states.items[i].type.count;
    }
    fail_msg("%s has no ring", name);
    return 0;
}

// The memory of a delay is as long as the delay, in periods of the rate group.
static void test_rings(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 ms\n"
                 "scheduler: {rate_groups: [{name: fast, period: 1 ms, components: [a, b, c, d]},\n"
                 "                          {name: slow, period: 3 ms, components: [e]}]}\n"
                 "components:\n"
                 "  p: {type: constant, params: {value: 101325, unit: Pa}}\n"
                 "  a: {type: barometer, inputs: {pressure: p.y}, params: {delay: 0 ms}}\n"
                 "  b: {type: barometer, inputs: {pressure: p.y}, params: {delay: 7 ms}}\n"
                 "  c: {type: barometer, inputs: {pressure: p.y}, params: {delay: 7 ms}}\n"
                 "  d: {type: barometer, inputs: {pressure: p.y}, params: {delay: 6500 us}}\n"
                 "  e: {type: barometer, inputs: {pressure: p.y}, params: {delay: 7 ms}}\n");
    const uint32_t width = (ring_of(&r, "b") - 1) / 7;
    assert_true(width > 0);
    assert_int_equal(ring_of(&r, "a"), 1);
    assert_int_equal(ring_of(&r, "b"), 1 + 7 * width);
    assert_int_equal(ring_of(&r, "d"), 1 + 7 * width);
    assert_int_equal(ring_of(&r, "e"), 1 + 3 * width);
    assert_ptr_equal(component(&r, "c")->states.items, component(&r, "b")->states.items);
    rig_close(&r);
}

static void test_swarm(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "duration: 1 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
             "entities:\n"
             "  uav:\n"
             "    count: 4\n"
             "    components:\n"
             "      m: {type: constant, params: {size: 2, value: 0}}\n"
             "      v:\n"
             "        type: multirotor\n"
             "        inputs: {motor: m.y}\n"
             "        params:\n"
             "          mass: 1.5 kg\n"
             "          inertia: [0.03, 0.03, 0.055]\n"
             "          rotors: [{position: [0, 0.2, 0], direction: 1}, {position: [0, -0.2, 0], "
             "direction: -1}]\n"
             "          position: ['${= 3*mod(i, 2)}', 2]\n"
             "      c: {type: counter}\n"
             "    each: [{}, {}, {}, {components: {v: {params: {mass: 2, euler: false}}}}]\n");
    const tac__component *v[4];
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "uav%d.v", i + 1);
        v[i] = component(&r, name);
    }
    for (int i = 1; i < 3; i++) {
        assert_ptr_equal(v[i]->inputs.items, v[0]->inputs.items);
        assert_ptr_equal(v[i]->outputs.items, v[0]->outputs.items);
        assert_ptr_equal(v[i]->continuous.items, v[0]->continuous.items);
        assert_ptr_equal(v[i]->events, v[0]->events);
        assert_ptr_equal(v[i]->params, v[0]->params);
        // The first word of a multirotor leads to its parameters.
        assert_ptr_equal(*(void **)v[i]->self, *(void **)v[0]->self);
    }
    // Values differ: the list is another, the texts that are the same are not.
    assert_true(v[1]->values != v[0]->values);
    assert_string_equal(value_of(&r, "uav1.v", "position"), "[3, 2]");
    assert_string_equal(value_of(&r, "uav2.v", "position"), "[0, 2]");
    assert_ptr_equal(value_of(&r, "uav2.v", "mass"), value_of(&r, "uav1.v", "mass"));
    // Another shape: with an output less.
    assert_true(v[3]->outputs.count == v[0]->outputs.count - 1);
    assert_true(v[3]->outputs.items != v[0]->outputs.items);
    assert_ptr_equal(v[3]->inputs.items, v[0]->inputs.items);
    assert_true(*(void **)v[3]->self != *(void **)v[0]->self);
    assert_string_equal(value_of(&r, "uav4.v", "mass"), "2");
    assert_string_equal(value_of(&r, "uav3.v", "mass"), value_of(&r, "uav1.v", "mass"));
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
}

// Bytes that the same component would not change are found again, whichever come between.
static tac_status keeper_declare(tac_declare *d, void *self)
{
    const double x = tac_param_f64(d, TAC_PARAM(.name = "x"));
    *(const double **)self = tac_declare_shared(d, &x, sizeof x);
    assert_non_null(tac_declare_shared(d, &x, 0)); // nothing is found, too
    return TAC_OK;
}

static const tac_component_type keeper = {.size = sizeof(tac_component_type),
                                          .name = "keeper",
                                          .version = "1",
                                          .flags = TAC_COMPONENT_CONSTANT,
                                          .self_size = sizeof(double *),
                                          .declare = keeper_declare};

static void test_bytes(void **state)
{
    (void)state;
    rig_types[0] = &keeper;
    rig r;
    rig_open(&r, "duration: 1 ms\n"
                 "entities: {k: {count: 40, components: {c: {type: keeper, params: {x: '${= mod(i, "
                 "5)}'}}}}}\n");
    for (int i = 1; i <= 40; i++) {
        char name[16], first[16];
        snprintf(name, sizeof name, "k%d.c", i);
        snprintf(first, sizeof first, "k%d.c", (i - 1) % 5 + 1);
        const double *own = *(const double **)component(&r, name)->self;
        assert_true(*own == i % 5);
        assert_ptr_equal(own, *(const double **)component(&r, first)->self);
    }
    rig_close(&r);
    rig_types[0] = NULL;
}

// --- one difference at a time -------------------------------------------------------------------

// A component that declares some of everything, and in each variant something else differently.
// Lists that are alike must be shared, and those that differ in one thing must not: the description
// of a component among others is the one that it has in an engine of its own, where there is
// nothing to share.
enum variant {
    PLAIN,
    INPUT_HELD,
    INPUT_RESTS,       // at a parameter, which is 0
    INPUT_RESTS_AT_2,  // the same with another value
    INPUT_RESTS_FIRST, // the same, declared before the others
    INPUT_WATCHES,     // a signal
    INPUT_WATCHES_TOO, // another one
    OUTPUT_MORE,
    OUTPUT_NAME,
    OUTPUT_UNIT,
    OUTPUT_DOC,
    OUTPUT_NO_DOC,
    OUTPUT_ROLE,
    OUTPUT_SCALAR,
    OUTPUT_SHAPE,
    OUTPUT_COUNT,
    OUTPUT_LABELS,
    OUTPUT_DERIVATIVE,
    DIRECT_OTHER,
    DIRECT_FEWER,
    DIRECT_NONE,
    DIRECT_ALL,
    STATE_NAME,
    CONTINUOUS_PART,
    CONTINUOUS_SCALE,
    EVENT_MORE,
    EVENT_NAME,
    EVENT_DOC,
    MESSAGE_MORE,
    MESSAGE_NAME,
    MESSAGE_DOC,
    MESSAGE_SENDS,
    PARAM_MORE,
    PARAM_NAME,
    PARAM_KIND,
    PARAM_UNIT,
    PARAM_FALLBACK,
    PARAM_RANGE,
    PARAM_DOC,
    PARAM_TUNABLE,
    PARAM_CHOICES,
    VARIANTS
};

enum { COUNT = 4 * (VARIANTS + 3) };
static enum variant variants[COUNT]; // of the components, in order of their numbers

static tac_status changing_declare(tac_declare *d, void *self)
{
    (void)self;
    static const char *const labels[] = {"A", "B", NULL}, *const others[] = {"A", "C", NULL};
    const enum variant v = variants[atoi(tac_declare_name(d) + 1)];

    tac_param_f64(d, TAC_PARAM(.name = v == PARAM_NAME ? "width" : "length",
                               .unit = v == PARAM_UNIT ? "s" : "m",
                               .fallback = v == PARAM_FALLBACK ? "2" : "1",
                               .range = v == PARAM_RANGE ? "[0, 9]" : "[0, 10]",
                               .doc = v == PARAM_DOC ? "other" : "some",
                               .flags = v == PARAM_TUNABLE ? TAC_PARAM_TUNABLE : 0));
    if (v == PARAM_KIND)
        (void)tac_param_int(d, TAC_PARAM(.name = "count", .fallback = "5"));
    else
        (void)tac_param_f64(d, TAC_PARAM(.name = "count", .fallback = "5"));
    (void)tac_param_choice(d, TAC_PARAM(.name = "label", .fallback = "A"),
                           v == PARAM_CHOICES ? others : labels);
    if (v == PARAM_MORE)
        (void)tac_param_f64(d, TAC_PARAM(.name = "more", .fallback = "3"));

    if (v == INPUT_RESTS_FIRST)
        tac_param_input(d, TAC_PARAM(.name = "w", .fallback = "0"));
    tac_declare_input(d, TAC_PORT(.name = "u", .flags = TAC_PORT_OPTIONAL, .type = TAC_TYPE_F64));
    tac_declare_input(
        d, TAC_PORT(.name = "v", .flags = TAC_PORT_OPTIONAL | (v == INPUT_HELD ? TAC_PORT_HELD : 0),
                    .type = TAC_TYPE_F64));
    if (v == INPUT_RESTS || v == INPUT_RESTS_AT_2)
        tac_param_input(d, TAC_PARAM(.name = "w", .fallback = v == INPUT_RESTS_AT_2 ? "2" : "0"));
    else if (v != INPUT_WATCHES && v != INPUT_WATCHES_TOO && v != INPUT_RESTS_FIRST)
        tac_declare_input(d,
                          TAC_PORT(.name = "w", .flags = TAC_PORT_OPTIONAL, .type = TAC_TYPE_F64));
    else if (v != INPUT_RESTS_FIRST)
        tac_declare_watch(d, v == INPUT_WATCHES ? "M.y" : "N.y", NULL);

    const uint32_t eval = TAC_PORT_EVAL;
    const tac_type vec3 = TAC_TYPE_VEC3, array = TAC_TYPE_ARRAY(TAC_F64, 3);
    const int y = tac_declare_output(
        d, TAC_PORT(.name = v == OUTPUT_NAME ? "yy" : "y", .unit = v == OUTPUT_UNIT ? "s" : "m",
                    .doc = v == OUTPUT_DOC      ? "other"
                           : v == OUTPUT_NO_DOC ? NULL
                                                : "some",
                    .role = v == OUTPUT_ROLE ? TAC_ROLE_CONTACT : TAC_ROLE_NONE, .flags = eval,
                    .derivative = v == OUTPUT_DERIVATIVE ? "rate" : NULL, .type = TAC_TYPE_F64));
    tac_declare_output(
        d, TAC_PORT(.name = "rate", .unit = "m/s", .flags = eval, .type = TAC_TYPE_F64));
    tac_declare_output(
        d, TAC_PORT(.name = "a", .flags = eval, .type = v == OUTPUT_SHAPE ? vec3 : array));
    tac_type number = TAC_TYPE_ARRAY(TAC_F64, 4);
    number.scalar = v == OUTPUT_SCALAR ? TAC_I64 : TAC_F64;
    number.count = v == OUTPUT_COUNT ? 5 : 4;
    tac_declare_output(d, TAC_PORT(.name = "b", .flags = eval, .type = number));
    tac_declare_output(d, TAC_PORT(.name = "e", .flags = eval,
                                   .type = TAC_TYPE_ENUM(v == OUTPUT_LABELS ? others : labels)));
    if (v == OUTPUT_MORE)
        tac_declare_output(d, TAC_PORT(.name = "more", .flags = eval, .type = TAC_TYPE_F64));
    const int direct[] = {v == DIRECT_OTHER ? 1 : 0, 2};
    if (v != DIRECT_ALL)
        tac_declare_feedthrough(d, y, direct, v == DIRECT_NONE ? 0 : v == DIRECT_FEWER ? 1 : 2);

    tac_declare_state(d, TAC_PORT(.name = v == STATE_NAME ? "m" : "n", .type = TAC_TYPE_F64));
    tac_declare_continuous(
        d, TAC_PORT(.name = "x", .scale = v == CONTINUOUS_SCALE ? 10 : 1,
                    .part = v == CONTINUOUS_PART ? TAC_PART_ACTUATOR : TAC_PART_BODY,
                    .type = TAC_TYPE_F64));

    tac_declare_event(d, v == EVENT_NAME ? "low" : "high", v == EVENT_DOC ? "other" : "some");
    if (v == EVENT_MORE)
        tac_declare_event(d, "more", "");
    const tac_message_def *message =
        TAC_MESSAGE(.name = v == MESSAGE_NAME ? "tx" : "port", .capacity = 2, .max_bytes = 8,
                    .doc = v == MESSAGE_DOC ? "other" : "some");
    if (v == MESSAGE_SENDS)
        tac_declare_sender(d, message);
    else
        tac_declare_receiver(d, message);
    if (v == MESSAGE_MORE)
        tac_declare_sender(d, TAC_MESSAGE(.name = "more"));
    return TAC_OK;
}

static tac_status changing_eval(const tac_eval *e, const void *self)
{
    (void)e;
    (void)self;
    return TAC_OK;
}

static tac_status changing_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static tac_status changing_detect(const tac_eval *e, const void *self, double *g)
{
    (void)e;
    (void)self;
    g[0] = -1;
    return TAC_OK;
}

static const tac_component_type changing = {.size = sizeof(tac_component_type),
                                            .name = "changing",
                                            .version = "1",
                                            .stage = TAC_STAGE_CONTROL,
                                            .declare = changing_declare,
                                            .kernels[TAC_NUMBERS].step = changing_step,
                                            .kernels[TAC_NUMBERS].derive = changing_eval,
                                            .kernels[TAC_NUMBERS].output = changing_eval,
                                            .kernels[TAC_NUMBERS].detect = changing_detect};

typedef struct description {
    char text[8192];
    size_t length;
} description;

__attribute__((format(printf, 2, 3))) static void say(description *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->length += (size_t)vsnprintf(d->text + d->length, sizeof d->text - d->length, format, args);
    va_end(args);
    assert_true(d->length < sizeof d->text);
}

// Every text of a plan that is the same is in the same place.
static tac__names seen;
static const char *seen_at[10000];
static tac__arena seen_arena;

static void say_text(description *d, const char *text)
{
    say(d, "%s;", text ? text : "(none)");
    if (!text)
        return;
    const int i = tac__names_find(&seen, text);
    if (i >= 0) {
        assert_ptr_equal(seen_at[i], text);
        return;
    }
    seen_at[seen.count] = text;
    assert_int_equal(tac__names_set(&seen, &seen_arena, text, (uint32_t)seen.count), TAC_OK);
}

static void say_ports(description *d, const char *title, const tac__ports *ports)
{
    for (size_t i = 0; i < ports->count; i++) {
        const tac__port *p = &ports->items[i];
        say(d, "\n%s ", title);
        say_text(d, p->name);
        say_text(d, p->unit);
        say_text(d, p->doc);
        say_text(d, p->derivative);
        say_text(d, p->peer);
        say(d, " type %d %d %u %p flags %u scale %g part %d rest %d %g role %d direct %d %zu:",
            p->type.scalar, p->type.shape, p->type.count, (const void *)p->type.labels, p->flags,
            p->scale, p->part, p->has_rest, p->rest, p->role, p->direct != NULL, p->direct_count);
        for (size_t k = 0; k < p->direct_count; k++)
            say(d, " %d", p->direct[k]);
    }
}

static void describe(description *d, const tac__component *c)
{
    d->length = 0;
    say_ports(d, "input", &c->inputs);
    say_ports(d, "output", &c->outputs);
    say_ports(d, "state", &c->states);
    say_ports(d, "continuous", &c->continuous);
    for (size_t i = 0; i < c->event_count; i++) {
        say(d, "\nevent ");
        say_text(d, c->events[i].name);
        say_text(d, c->events[i].doc);
    }
    for (size_t i = 0; i < c->message_count; i++) {
        say(d, "\nmessage ");
        say_text(d, c->messages[i].name);
        say_text(d, c->messages[i].doc);
        say(d, "%d", c->messages[i].sends);
    }
    for (size_t i = 0; i < c->param_count; i++) {
        const tac__param *p = &c->params[i];
        say(d, "\nparam %s %p %d %d ", p->kind, (const void *)p->choices, p->tunable, p->input);
        say_text(d, p->name);
        say_text(d, p->def.name);
        say_text(d, p->def.unit);
        say_text(d, p->def.fallback);
        say_text(d, p->def.range);
        say_text(d, p->def.doc);
        say_text(d, c->values[i]);
    }
}

// Components with the numbers `first` and on.
static void open_changing(rig *r, int first, int count)
{
    static char text[20000];
    int n = snprintf(text, sizeof text,
                     "duration: 1 ms\n"
                     "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                     "components:\n"
                     "  M: {type: constant, params: {value: 1}}\n"
                     "  N: {type: constant, params: {value: 2}}\n");
    for (int i = first; i < first + count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  c%d: {type: changing}\n", i);
    tac__arena_fini(&seen_arena);
    seen = (tac__names){0};
    rig_open(r, text);
}

static void test_variants(void **state)
{
    (void)state;
    rig_types[0] = &changing;
    tac__arena_init(&seen_arena, NULL);
    int count = 0;
    // Each twice, after the plain one; and some that are only a little different from each other.
    static const enum variant near[][2] = {{DIRECT_NONE, DIRECT_ALL},
                                           {INPUT_RESTS, INPUT_RESTS_AT_2},
                                           {INPUT_RESTS, INPUT_RESTS_FIRST}};
    for (int v = 1; v < VARIANTS + 3; v++) {
        const enum variant one = v < VARIANTS ? PLAIN : near[v - VARIANTS][0];
        const enum variant other = v < VARIANTS ? (enum variant)v : near[v - VARIANTS][1];
        for (int i = 0; i < 4; i++)
            variants[count++] = i < 2 ? one : other;
    }
    rig all, own;
    static description together[COUNT], alone;
    open_changing(&all, 0, count);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        const tac__component *c = component(&all, name);
        describe(&together[i], c);
        if (i % 2 == 0)
            continue;
        // The second of two that are alike has nothing of its own.
        snprintf(name, sizeof name, "c%d", i - 1);
        const tac__component *before = component(&all, name);
        assert_true((c->inputs.items == before->inputs.items) ==
                    (variants[i] != INPUT_WATCHES && variants[i] != INPUT_WATCHES_TOO));
        assert_ptr_equal(c->outputs.items, before->outputs.items);
        assert_ptr_equal(c->states.items, before->states.items);
        assert_ptr_equal(c->continuous.items, before->continuous.items);
        assert_ptr_equal(c->events, before->events);
        assert_ptr_equal(c->messages, before->messages);
        assert_ptr_equal(c->params, before->params);
        assert_ptr_equal(c->values, before->values);
    }
    rig_close(&all);
    for (int i = 2; i < count; i++) {
        open_changing(&own, i, 1);
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        describe(&alone, component(&own, name));
        if (strcmp(alone.text, together[i].text))
            fail_msg("variant %d: %s\n\nin an engine of its own: %s", variants[i], together[i].text,
                     alone.text);
        rig_close(&own);
        // The test itself: every variant is another.
        assert_true((variants[i] == PLAIN) == !strcmp(together[i].text, together[0].text));
    }
    tac__arena_fini(&seen_arena);
    rig_types[0] = NULL;
}

TEST_MAIN(cmocka_unit_test(test_rings), cmocka_unit_test(test_swarm), cmocka_unit_test(test_bytes),
          cmocka_unit_test(test_variants))
