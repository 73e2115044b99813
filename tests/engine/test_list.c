// Lists of an engine: everything that a component declared, and every route and link as the
// configuration has it, is found again.
#include "test_rig.h"

static const char *const choices[] = {"low", "high", NULL};

static tac_status all_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_param_f64(d, TAC_PARAM(.name = "length", .unit = "m", .fallback = "2", .range = "(0, 10]",
                               .doc = "how long", .flags = TAC_PARAM_TUNABLE));
    tac_param_choice(d, TAC_PARAM(.name = "level", .fallback = "low", .doc = "how high"), choices);
    tac_declare_input(d, TAC_PORT(.name = "a", .type = TAC_TYPE_F64, .unit = "m", .doc = "first"));
    tac_declare_input(
        d, TAC_PORT(.name = "b", .type = TAC_TYPE_VEC3, .unit = "m", .flags = TAC_PORT_OPTIONAL));
    tac_declare_input(d, TAC_PORT(.name = "c", .type = TAC_TYPE_F64, .doc = "third"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_VEC3, .unit = "m"));
    tac_declare_receiver(d, TAC_MESSAGE(.name = "rx", .doc = "heard", .capacity = 5,
                                        .max_bytes = 24, .triggers = true));
    tac_declare_receiver(d, TAC_MESSAGE(.name = "quiet", .capacity = 7, .max_bytes = 8));
    tac_declare_sender(d, TAC_MESSAGE(.name = "tx", .doc = "said", .numbers = true));
    tac_declare_sender(d, TAC_MESSAGE(.name = "raw"));
    return TAC_OK;
}

static tac_status all_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static const tac_component_type all = {.size = sizeof(tac_component_type),
                                       .name = "all",
                                       .version = "1",
                                       .stage = TAC_STAGE_CONTROL,
                                       .declare = all_declare,
                                       .kernels[TAC_NUMBERS].step = all_step};

static const char text[] =
    "duration: 1 ms\n"
    "scheduler:\n"
    "  rate_groups: [{name: g, period: 1 ms, components: [P, Q]}, {name: h, period: 2 ms, "
    "components: [S]}]\n"
    "  synchronization: {default_policy: ZOH}\n"
    "components:\n"
    "  S: {type: source, params: {kind: vec3, unit: m}}\n"
    "  P:\n"
    "    type: all\n"
    "    inputs:\n"
    "      a: {from: S.y.z, gain: 3, offset: 0.5, delay: 2 ms, policy: INTERPOLATED}\n"
    "      c: {from: outside, rest: 4}\n"
    "  Q:\n"
    "    type: all\n"
    "    params: {length: 30 cm, level: high}\n"
    "    inputs: {a: {from: P.y.y, delayed: true}, b: P.y, c: {from: outside, rest: 1}}\n"
    "links:\n"
    "  - {from: P.tx, to: Q.rx, delay: 3 ms}\n"
    "  - {from: P.tx, to: Q.quiet, delay: 4 ms}\n"
    "  - {from: P.tx, to: outside, delay: 5 ms}\n"
    "  - {from: P.raw, to: outside, delay: 6 ms, channel: own}\n"
    "  - {from: Q.tx, to: P.rx, delay: 7 ms}\n"
    "  - {from: outside, channel: one, to: P.quiet, number: 1}\n"
    "  - {from: outside, channel: two, to: P.quiet}\n"
    "  - {from: outside, channel: three, to: Q.rx}\n";

static tac_input_info input(const rig *r, const char *name)
{
    tac_error err;
    const int i = tac_engine_find_input(r->engine, name, &err);
    assert_true(i >= 0);
    const tac_input_info in = tac_engine_input_info(r->engine, i);
    char full[64];
    snprintf(full, sizeof full, "%s.%s", in.component, in.name);
    assert_string_equal(full, name);
    return in;
}

static void test_inputs(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, text);
    assert_true(tac_engine_input_count(r.engine) >= 6);
    tac_input_info in = input(&r, "P.a");
    assert_string_equal(in.unit, "m");
    assert_string_equal(in.doc, "first");
    assert_true(in.type.scalar == TAC_F64 && in.type.count == 1);
    assert_false(in.optional);
    assert_false(in.outside);
    assert_string_equal(tac_engine_signal_info(r.engine, in.signal).name, "S.y");
    assert_int_equal(in.element, 2);
    assert_true(in.gain == 3 && in.offset == 0.5 && in.delay_us == 2000 && !in.delayed);
    assert_int_equal(in.policy, TAC_INTERPOLATED);
    in = input(&r, "P.b"); // open
    assert_string_equal(in.unit, "m");
    assert_string_equal(in.doc, "");
    assert_true(in.type.scalar == TAC_F64 && in.type.count == 3 &&
                in.type.shape == ((tac_type)TAC_TYPE_VEC3).shape);
    assert_true(in.optional && !in.outside && in.signal == -1);
    assert_true(in.gain == 1 && in.offset == 0 && in.delay_us == 0 && !in.delayed);
    in = input(&r, "P.c");
    assert_true(in.outside && in.signal >= 0);
    assert_string_equal(in.doc, "third");
    in = input(&r, "Q.a");
    assert_true(in.delayed && in.element == 1 && in.gain == 1 && in.offset == 0);
    assert_int_equal(in.policy, TAC_ZOH);
    in = input(&r, "Q.b");
    assert_true(!in.delayed && in.element == 0 && !in.outside);
    assert_string_equal(tac_engine_signal_info(r.engine, in.signal).name, "P.y");
    // What is not there.
    const int none[] = {-1, (int)tac_engine_input_count(r.engine)};
    for (int i = 0; i < 2; i++) {
        in = tac_engine_input_info(r.engine, none[i]);
        assert_true(in.signal == -1 && !*in.component && !*in.name && !*in.unit && !*in.doc);
    }
    rig_close(&r);
}

static tac_port_info port(const rig *r, const char *name, bool sends)
{
    tac_error err;
    const int i = sends ? tac_engine_find_sender(r->engine, name, &err)
                        : tac_engine_find_receiver(r->engine, name, &err);
    assert_true(i >= 0);
    const tac_port_info p =
        sends ? tac_engine_sender_info(r->engine, i) : tac_engine_receiver_info(r->engine, i);
    assert_string_equal(p.name, name);
    assert_true(!strncmp(p.component, name, 1) && strlen(p.component) == 1);
    return p;
}

static void test_ports(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, text);
    for (int i = 0; i < 2; i++) {
        tac_port_info p = port(&r, i ? "Q.tx" : "P.tx", true);
        assert_true(p.numbers);
        assert_string_equal(p.doc, "said");
        p = port(&r, i ? "Q.raw" : "P.raw", true);
        assert_true(!p.numbers && !*p.doc);
        p = port(&r, i ? "Q.rx" : "P.rx", false);
        assert_true(p.triggers && p.capacity == 5 && p.max_bytes == 24);
        assert_string_equal(p.doc, "heard");
        p = port(&r, i ? "Q.quiet" : "P.quiet", false);
        assert_true(!p.triggers && p.capacity == 7 && p.max_bytes == 8 && !*p.doc);
    }
    tac_error err;
    assert_int_equal(tac_engine_find_sender(r.engine, "P.xt", &err), -1);
    assert_non_null(strstr(err.text, "did you mean"));
    assert_int_equal(tac_engine_find_receiver(r.engine, "Q.quit", &err), -1);
    assert_non_null(strstr(err.text, "'Q.quiet'"));
    assert_true(!*tac_engine_sender_info(r.engine, 4).name);
    assert_true(!*tac_engine_receiver_info(r.engine, 4).name);
    rig_close(&r);
}

static void test_links(void **state)
{
    (void)state;
    static const tac_link_info links[] = {
        {"P.tx", "Q.rx", "", 3000, 0, NULL},        {"P.tx", "Q.quiet", "", 4000, 0, NULL},
        {"P.tx", "outside", "P.tx", 5000, 0, NULL}, {"P.raw", "outside", "own", 6000, 0, NULL},
        {"Q.tx", "P.rx", "", 7000, 0, NULL},        {"outside", "P.quiet", "one", 0, 1, NULL},
        {"outside", "P.quiet", "two", 0, 0, NULL},  {"outside", "Q.rx", "three", 0, 1, NULL},
    };
    enum { COUNT = sizeof links / sizeof *links };
    rig r;
    rig_open(&r, text);
    assert_int_equal(tac_engine_link_count(r.engine), COUNT);
    for (size_t k = 0; k < COUNT; k++) { // each once, in any order
        int found = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const tac_link_info l = tac_engine_link_info(r.engine, i);
            found += !strcmp(l.from, links[k].from) && !strcmp(l.to, links[k].to) &&
                     !strcmp(l.channel, links[k].channel) && l.delay_us == links[k].delay_us &&
                     l.number == links[k].number && !l.law;
        }
        if (found != 1)
            fail_msg("%s to %s is there %d times", links[k].from, links[k].to, found);
    }
    assert_true(!*tac_engine_link_info(r.engine, COUNT).from);
    rig_close(&r);
}

static void test_params(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, text);
    int seen = 0;
    for (size_t i = 0; i < tac_engine_sizes(r.engine).components; i++) {
        const tac_component_info c = tac_engine_component_info(r.engine, i);
        const size_t count = tac_engine_param_count(r.engine, i);
        assert_true(!*tac_engine_param_info(r.engine, i, count).name);
        if (strcmp(c.type, "all"))
            continue;
        seen++;
        const bool q = !strcmp(c.name, "Q");
        assert_int_equal(count, 2);
        tac_param_info p = tac_engine_param_info(r.engine, i, 0);
        assert_string_equal(p.name, "length");
        assert_true(strtod(p.value, NULL) == (q ? 0.3 : 2)); // in the parameter's unit
        assert_string_equal(p.kind, "f64");
        assert_string_equal(p.unit, "m");
        assert_string_equal(p.doc, "how long");
        assert_string_equal(p.range, "(0, 10]");
        assert_string_equal(p.fallback, "2");
        assert_true(p.tunable && !p.choices);
        p = tac_engine_param_info(r.engine, i, 1);
        assert_string_equal(p.name, "level");
        assert_string_equal(p.value, q ? "high" : "low");
        assert_string_equal(p.kind, "choice");
        assert_true(!*p.unit && !*p.range && !p.tunable && p.choices == choices);
    }
    assert_int_equal(seen, 2);
    rig_close(&r);
}

static int set_up(void **state)
{
    (void)state;
    rig_types[0] = &all;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inputs), cmocka_unit_test(test_ports),
                                       cmocka_unit_test(test_links), cmocka_unit_test(test_params)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
