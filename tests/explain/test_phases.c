// Explaining phases: what the table, the JSON and the pictures say of machines that are known by
// heart, that who is shown as active is, that arrows do not run into each other, and that no memory
// is no text.
#include "explain/starve.h"
#include "engine/test_rig.h"
#include "support/allocator.h"
#include "support/formats.h"

#include "explain/draw_phases.h"
#include "base/svg.h"

// A drop that falls, is caught and hangs; wind while it falls. The second entity has other phases.
#define HEAD                                                                                       \
    "duration: 4 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: slow, period: 100 ms, components: [wind, eye]}]}\n"
#define BODY                                                                                       \
    "    components:\n"                                                                            \
    "      wind: {type: noise, active: [FALL, HANG]}\n"                                            \
    "      eye: {type: gain, active: HANG, inactive: hold, params: {unit: 1/s}, inputs: {u: "      \
    "pull.x}}\n"                                                                                   \
    "      pull: {type: lag, active: [FALL], params: {unit: 1/s}}\n"                               \
    "      body: {type: integrator, inputs: {u: pull.x}}\n"
#define PHASES                                                                                     \
    "    phases:\n"                                                                                \
    "      names: [WAIT, FALL, HANG, LOST]\n"                                                      \
    "      initial: WAIT\n"                                                                        \
    "      transitions:\n"                                                                         \
    "        - {from: WAIT, to: FALL, condition: 't > 1 s', actions: [{set: pull.u, to: 2},\n"     \
    "           {log: 'it <falls> & \"goes\"', level: warn}]}\n"                                   \
    "        - {from: FALL, to: HANG, condition: 'body.x > 1', locate: true,\n"                    \
    "           actions: [{reset: body.x, to: 0}]}\n"                                              \
    "        - {from: HANG, to: WAIT, condition: 'held(body.x > 3, 1 s)'}\n"                       \
    "        - {from: [WAIT, HANG], to: LOST, condition: 't > 1 h'}\n"                             \
    "        - {from: any, to: LOST, condition: 'body.x > 1000'}\n"                                \
    "        - {from: FALL, to: FALL, condition: 'body.x < -1',\n"                                 \
    "           actions: [{reset: body.x, to: 0}]}\n"
#define ONE HEAD "entities:\n  drop:\n" BODY PHASES
#define PLAIN                                                                                      \
    "duration: 1 s\ncomponents: {wind: {type: noise}}\n"                                           \
    "scheduler: {rate_groups: [{name: slow, period: 100 ms, components: [wind]}]}\n"

static char *explain(rig *r, tac_format format)
{
    char *text = tac_engine_explain(r->engine, format);
    assert_non_null(text);
    return text;
}

static char *explain_phases(rig *r, tac_format format)
{
    char *text = tac_engine_explain_phases(r->engine, format);
    assert_non_null(text);
    return text;
}

static void check(const char *text, tac_format format)
{
    if (format == TAC_FORMAT_TEXT)
        test_check_table(text);
    else if (format == TAC_FORMAT_JSON)
        test_check_json(text);
    else if (format == TAC_FORMAT_DOT)
        test_check_dot(text);
    else
        test_check_xml(text);
}

// --- the formats --------------------------------------------------------------------------------

static void test_table(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ONE);
    char *text = explain(&r, TAC_FORMAT_TEXT);
    test_check_table(text);
    test_has(text, "Phases (skip: what is inactive is not run)");
    test_has(text, "  drop: 4 phases, 6 transitions; signal drop.flight.phase\n");
    test_has(text, "    0 WAIT (initial), 1 FALL, 2 HANG, 3 LOST\n");
    test_has(text, "       1  WAIT -> FALL                 t > 1 s\n");
    test_has(text, "then set pull.u to 2; log \"it <falls> & \"goes\"\" (warning)\n");
    test_has(text, "       2  FALL -> HANG        located  body.x > 1\n");
    test_has(text, "then reset body.x to 0\n");
    test_has(text, "       4  WAIT, HANG -> LOST           t > 1 h\n");
    test_has(text, "       5  any -> LOST                  body.x > 1000\n");
    test_has(text, "    active in  WAIT  FALL  HANG  LOST\n");
    test_has(text, "    drop.wind  zero  on    on    zero\n");
    test_has(text, "    drop.eye   held  held  on    held\n");
    test_has(text, "    drop.pull  zero  on    zero  zero\n");
    test_has(text, "    the other component is active in all phases\n");
    test_has_not(text, "    drop.body  on");
    // in the order of stages
    test_comes_before(text, "  0 begin", "a queued change of phase takes effect");
    test_comes_before(text, "  8 events", "conditions; the first that holds is queued");
    test_line_has(text, "set_pull_u, phase",
                  "writes set_pull_u, phase, transition, changes, resets");
    test_has(text, "writes queued\n");
    tac_text_free(text);

    text = explain_phases(&r, TAC_FORMAT_TEXT);
    test_check_table(text);
    assert_int_equal(strncmp(text, "Phases (skip", 12), 0);
    test_has_not(text, "Boundary order");
    tac_text_free(text);
    rig_close(&r);
}

static void test_json(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "phases: {strategy: gate}\n" ONE);
    char *text = explain(&r, TAC_FORMAT_JSON);
    test_check_json(text);
    test_has(text, "\"phase_strategy\": \"gate\"");
    test_has(text, "\"names\": [\"WAIT\", \"FALL\", \"HANG\", \"LOST\"]");
    test_has(text, "\"initial\": \"WAIT\"");
    test_has(text,
             "{\"number\": 1, \"from\": [\"WAIT\"], \"to\": \"FALL\", \"condition\": \"t > 1 s\", "
             "\"located\": false, \"actions\": [{\"set\": \"pull.u\", \"to\": [\"2\"]}, "
             "{\"log\": \"it <falls> & \\\"goes\\\"\", \"level\": \"warn\"}]}");
    test_has(text, "{\"number\": 5, \"from\": [\"WAIT\", \"FALL\", \"HANG\"], \"to\": \"LOST\"");
    test_line_has(text, "\"number\": 2", "\"located\": true");
    test_has(text, "{\"component\": \"drop.eye\", \"phases\": [\"HANG\"], \"inactive\": \"hold\"}");
    test_comes_before(text, "\"name\": \"drop.pull\"", "\"active\": [\"FALL\"]");
    test_comes_before(text, "\"name\": \"drop.body\"", "\"active\": null");
    test_has(text, "{\"stage\": 0, \"name\": \"begin\", \"work\": \"change\", "
                   "\"component\": \"drop.flight\"}");
    tac_text_free(text);
    text = explain_phases(&r, TAC_FORMAT_JSON);
    test_check_json(text);
    test_has(text, "\"strategy\": \"gate\"");
    test_has_not(text, "\"routes\"");
    tac_text_free(text);
    rig_close(&r);
}

static void test_pictures(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ONE);
    for (int only = 0; only < 2; only++) {
        char *dot = only ? explain_phases(&r, TAC_FORMAT_DOT) : explain(&r, TAC_FORMAT_DOT);
        test_check_dot(dot);
        test_has(dot, "label=\"phases of drop\"");
        test_has(dot, "start0 -> p0_0");
        test_has(dot,
                 "p0_0 -> p0_1 [label=\"1  t > 1 s\\n/ set pull.u to 2\\n/ log \\\"it <falls>");
        test_line_has(dot, "p0_1 -> p0_2", "arrowhead=diamond");
        test_line_has(dot, "p0_2 -> p0_0", "constraint=false");
        test_has(dot, "any0_4 -> p0_3");
        test_has(dot, "p0_1 -> p0_1");
        assert_int_equal(test_count_of(dot, "-> p0_3"), 3);
        assert_int_equal(strstr(dot, "cluster_stage") == NULL, only);
        tac_text_free(dot);

        char *svg = only ? explain_phases(&r, TAC_FORMAT_SVG) : explain(&r, TAC_FORMAT_SVG);
        test_check_xml(svg);
        test_has(svg, ">Phases of drop</text>");
        test_has(svg, ">WAIT</text>");
        test_has(svg, "WAIT, HANG \xe2\x86\x92 LOST</text>");
        test_has(svg, ">then set pull.u to 2; log &quot;it &lt;falls&gt; &amp; &quot;goes&quot;");
        // one to start with, one for each way between two phases, of them one that is located
        assert_int_equal(test_count_of(svg, "url(#phase)"), 7);
        assert_int_equal(test_count_of(svg, "url(#located)"), 1);
        assert_int_equal(test_count_of(svg, ">active</text>"), 4);
        assert_int_equal(test_count_of(svg, ">held</text>"), 3);
        assert_int_equal(strstr(svg, "What happens at a boundary") == NULL, only);
        tac_text_free(svg);
    }
    rig_close(&r);
}

static void test_none(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, PLAIN);
    for (int format = TAC_FORMAT_TEXT; format <= TAC_FORMAT_SVG; format++) {
        char *text = explain_phases(&r, (tac_format)format);
        check(text, (tac_format)format);
        tac_text_free(text);
        text = explain(&r, (tac_format)format);
        test_has_not(text, "Phases");
        tac_text_free(text);
    }
    assert_null(tac_engine_explain_phases(r.engine, (tac_format)17));
    assert_null(tac_engine_explain_phases(NULL, TAC_FORMAT_TEXT));
    rig_close(&r);
}

// A condition over several lines, and many phases: the table goes on below.
static void test_long(void **state)
{
    (void)state;
    static char text[20000];
    char *at = text, *const end = text + sizeof text;
    at += snprintf(at, (size_t)(end - at),
                   "duration: 1 s\ncomponents:\n  pull: {type: lag, active: P5}\nphases:\n"
                   "  initial: P1\n  names: [P1");
    for (int i = 2; i <= 64; i++)
        at += snprintf(at, (size_t)(end - at), ", P%d", i);
    at += snprintf(at, (size_t)(end - at), "]\n  transitions:\n");
    for (int i = 1; i < 64; i++)
        at +=
            snprintf(at, (size_t)(end - at),
                     "  - {from: P%d, to: P%d, condition: \"t > 1 s\\n OR t > %d.25 s OR t > 1 min "
                     "OR t > 7 min OR t > 9 min OR t > 10 min\"}\n",
                     i, i + 1, i);
    snprintf(at, (size_t)(end - at),
             "  - {from: P1, to: P3, condition: 'pull.x > 1',"
             " actions: [{set: pull.u, to: 1}]}\n");
    rig r;
    rig_open(&r, text);
    for (int format = TAC_FORMAT_TEXT; format <= TAC_FORMAT_SVG; format++) {
        char *all = explain(&r, (tac_format)format);
        check(all, (tac_format)format);
        test_has(all, "P64");
        if (format == TAC_FORMAT_TEXT) {
            test_has(all, "t > 1 s OR t > 1.25 s OR");
            assert_true(test_count_of(all, "    active in") > 1);
            assert_int_equal(test_count_of(all, " on\n") + test_count_of(all, " on "), 1);
        }
        tac_text_free(all);
    }
    rig_close(&r);
}

// --- swarms -------------------------------------------------------------------------------------

static void test_swarm(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, HEAD "entities:\n  drop:\n    count: 3\n" BODY PHASES);
    char *text = explain(&r, TAC_FORMAT_TEXT), *svg = explain(&r, TAC_FORMAT_SVG);
    test_has(text, "  drop1 x3: 4 phases");
    test_has_not(text, "drop2: 4 phases");
    test_has(svg, "Phases of drop1 \xc3\x97"
                  "3");
    assert_int_equal(test_count_of(svg, "Phases of"), 1);
    tac_text_free(text);
    tac_text_free(svg);
    text = explain(&r, TAC_FORMAT_JSON);
    test_has(text, "\"component\": \"drop3.flight\"");
    tac_text_free(text);
    rig_close(&r);

    // One that differs, in its machine or in who is active when, is shown by itself.
    static const char *const sets[] = {
        "entities.drop2.phases.transitions[0].condition=t > 2 s",
        "entities.drop2.phases.transitions[0].actions[0].to=3",
        "entities.drop2.phases.transitions[0].actions[1].level=error",
        "entities.drop2.phases.transitions[1].locate=false",
        "entities.drop2.phases.initial=FALL",
        "entities.drop2.components.eye.active=FALL",
        "entities.drop2.components.eye.inactive=zero",
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const tac_status status = rig_try_sets(&r,
                                               HEAD "entities:\n  drop1: &d\n" BODY PHASES
                                                    "  drop2: *d\n  drop3: *d\n  drop4: *d\n",
                                               &sets[i], 1);
        if (status != TAC_OK)
            rig_show(&r);
        assert_int_equal(status, TAC_OK);
        text = explain(&r, TAC_FORMAT_TEXT);
        test_has(text, "  drop1 x3: 4 phases");
        test_has(text, "  drop2: 4 phases");
        tac_text_free(text);
        rig_close(&r);
    }
}

// --- what is said is so -------------------------------------------------------------------------

// What the table has for a component in a phase.
static void read_cell(const char *text, const char *component, const char *phase, char cell[8])
{
    const char *head = strstr(text, "    active in"), *row = strstr(text, "active in");
    const size_t at = (size_t)(strstr(head, phase) - head);
    row = strstr(row, component);
    while (row[-1] != '\n')
        row--;
    snprintf(cell, 8, "%.*s", (int)strcspn(row + at, " \n"), row + at);
}

static void test_who_is_active(void **state)
{
    (void)state;
    static const char *const names[] = {"WAIT", "FALL", "HANG", "LOST"};
    rig r;
    rig_open(&r, ONE);
    char *text = explain(&r, TAC_FORMAT_TEXT);
    unsigned seen = 0;
    double before = 0;
    for (tac_time t_us = 0; t_us <= 4000000; t_us += 100000) {
        rig_run(&r, t_us);
        const int32_t phase = *(const int32_t *)rig_read(&r, "drop.flight.phase");
        const double wind = rig_f64(&r, "drop.wind.y");
        char cell[8];
        read_cell(text, "drop.wind", names[phase], cell);
        assert_string_equal(cell, wind != 0 ? "on" : "zero");
        assert_true(wind == 0 || wind != before);
        before = wind;
        seen |= 1u << phase;
    }
    assert_int_equal(seen, 7);
    tac_text_free(text);
    rig_close(&r);
}

static void test_never_changes_the_run(void **state)
{
    (void)state;
    rig quiet, asked;
    rig_open(&quiet, ONE);
    rig_open(&asked, ONE);
    rig_run(&quiet, TAC_TIME_NEVER);
    char *first[4];
    for (int format = 0; format < 4; format++)
        first[format] = explain(&asked, (tac_format)format);
    for (tac_time t_us = 0; t_us <= 4000000; t_us += 77700) {
        rig_run(&asked, t_us);
        for (int format = 0; format < 4; format++) {
            char *now = explain(&asked, (tac_format)format);
            assert_string_equal(first[format], now);
            tac_text_free(now);
        }
    }
    rig_run(&asked, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_hash(quiet.engine, NULL, NULL),
                     tac_engine_hash(asked.engine, NULL, NULL));
    for (int format = 0; format < 4; format++)
        tac_text_free(first[format]);
    rig_close(&quiet);
    rig_close(&asked);
}

static void count_reason(void *context, tac__split why, const char *name)
{
    assert_true(why < TAC__SPLIT_COUNT && name);
    ++*(size_t *)context;
}

// Every source that splits an island has a reason.
static void test_reasons(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, HEAD "entities:\n  drop:\n" BODY
                      "      mass: {type: point_mass, active: FALL}\n" PHASES);
    const tac_engine *e = r.engine;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        for (size_t k = 0; k < e->plan->islands[i].source_count; k++) {
            size_t n = 0;
            tac__each_split(e, i, e->plan->islands[i].sources[k], count_reason, &n);
            assert_true(n > 0);
        }
    }
    char *text = explain(&r, TAC_FORMAT_TEXT);
    test_line_has(text, "phases of drop.flight", "100 ms");
    tac_text_free(text);
    rig_close(&r);
}

// --- the layout ---------------------------------------------------------------------------------

static uint32_t lcg;

static unsigned any(unsigned n)
{
    lcg = lcg * 1664525u + 1013904223u;
    return (lcg >> 8) % n;
}

static size_t write_machine(char *text, size_t size, unsigned phases, unsigned transitions)
{
    size_t n = (size_t)snprintf(text, size,
                                "duration: 1 s\ncomponents: {pull: {type: constant}}\nscheduler: "
                                "{rate_groups: [{name: g, period: 1 ms, components: [pull]}]}\n"
                                "phases:\n  initial: P%u\n  names: [",
                                any(phases));
    for (unsigned i = 0; i < phases; i++)
        n += (size_t)snprintf(text + n, size - n, "%sP%u", i ? ", " : "", i);
    n += (size_t)snprintf(text + n, size - n, "]\n  transitions:\n");
    for (unsigned i = 0; i < phases + transitions; i++) {
        // a ring first, so that all can be reached
        const unsigned from = i < phases ? i : any(phases);
        const unsigned to = i < phases ? (i + 1) % phases : any(phases);
        if (i >= phases && any(8) == 0)
            n += (size_t)snprintf(text + n, size - n, "  - {from: any, ");
        else
            n += (size_t)snprintf(text + n, size - n, "  - {from: P%u, ", from);
        n += (size_t)snprintf(text + n, size - n,
                              "to: P%u, condition: 'pull.y > %u', actions: [{log: x}]}\n", to, i);
    }
    return n;
}

static bool overlap(const tac__shift *a, const tac__shift *b)
{
    const double a0 = a->from_x < a->to_x ? a->from_x : a->to_x;
    const double a1 = a->from_x < a->to_x ? a->to_x : a->from_x;
    const double b0 = b->from_x < b->to_x ? b->from_x : b->to_x;
    const double b1 = b->from_x < b->to_x ? b->to_x : b->from_x;
    return a0 < b1 && b0 < a1;
}

// Of two that end in one half of a side of a phase, the one in the higher lane ends nearer to the
// middle: else they would cross.
static void check_crossing(const tac__machine *m, const tac__shift *s, const tac__shift *t)
{
    for (int n = 0; n < 4; n++) {
        const int phase = n / 2 ? s->to : s->from;
        if (phase != (n % 2 ? t->to : t->from))
            continue;
        const double middle = tac__machine_box_x(m, 0, (size_t)phase) + m->box / 2;
        const double a = (n / 2 ? s->to_x : s->from_x) - middle;
        const double b = (n % 2 ? t->to_x : t->from_x) - middle;
        if ((a < 0) == (b < 0))
            assert_true((s->lane > t->lane) == ((a < 0 ? -a : a) < (b < 0 ? -b : b)));
    }
}

static void check_layout(const tac__machine *m)
{
    size_t numbers = 0;
    for (size_t i = 0; i < m->shift_count; i++) {
        const tac__shift *s = &m->shifts[i];
        numbers += s->count;
        const bool lane = s->way == TAC__WAY_ABOVE || s->way == TAC__WAY_BELOW;
        for (int end = 0; end < 2; end++) {
            const int phase = end || s->from < 0 ? s->to : s->from;
            const double x = end ? s->to_x : s->from_x;
            const double left = tac__machine_box_x(m, 0, (size_t)phase);
            assert_true(x >= left - 0.01 && x <= left + m->box + 0.01);
        }
        for (size_t k = 0; lane && k < i; k++) {
            const tac__shift *t = &m->shifts[k];
            if (t->way != s->way)
                continue;
            assert_true(t->lane != s->lane || !overlap(s, t));
            check_crossing(m, s, t);
            // no two ends on one spot: a pixel apart at least
            const double a[] = {s->from_x, s->to_x}, b[] = {t->from_x, t->to_x};
            for (int n = 0; n < 4; n++)
                assert_true(a[n / 2] - b[n % 2] > 1 || b[n % 2] - a[n / 2] > 1);
        }
    }
    // a transition stands on as many arrows as it leaves phases, or on one from any
    size_t wanted = 0;
    for (size_t i = 0; i < m->phases->transition_count; i++)
        wanted += tac__from_any(m->phases, &m->phases->transitions[i])
                      ? 1
                      : (size_t)__builtin_popcountll(m->phases->transitions[i].from);
    assert_int_equal(numbers, wanted);
}

static void test_layout(void **state)
{
    (void)state;
    static char text[40000];
    lcg = 7;
    for (int n = 0; n < 60; n++) {
        write_machine(text, sizeof text, 2 + any(14), any(30));
        rig r;
        // a ring of two may lead from both to both on one condition: not our affair
        if (rig_try(&r, text) != TAC_OK) {
            rig_show(&r);
            fail_msg("cannot be built:\n%s", text);
        }
        tac__arena arena;
        tac__swarms swarms;
        tac__machines machines;
        tac__arena_init(&arena, NULL);
        assert_true(tac__swarms_find(r.engine, &arena, &swarms));
        const tac__picture picture = {.engine = r.engine, .swarms = &swarms, .arena = &arena};
        assert_true(tac__machines_make(&picture, &arena, &machines));
        assert_int_equal(machines.count, 1);
        tac__machine_place(&machines.items[0], 0, machines.width);
        check_layout(&machines.items[0]);
        tac__arena_fini(&arena);
        rig_close(&r);
    }
}

// --- memory -------------------------------------------------------------------------------------

static char *one_text(const tac_engine *e, int what)
{
    return what < 4 ? tac_engine_explain(e, (tac_format)what)
                    : tac_engine_explain_phases(e, (tac_format)(what - 4));
}

static void test_no_memory(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    rig r;
    rig_open(&r, ONE);
    tac_engine_def def = tac_config_engine_def(r.config);
    def.allocator = &hook;
    tac_engine *e;
    assert_int_equal(tac_config_build(r.config, &def, &e, &r.err), TAC_OK);
    for (int what = 0; what < 8; what++)
        starve(&counts, e, what, one_text);
    tac_engine_destroy(e);
    test_allocator_check_empty(&counts);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_table), cmocka_unit_test(test_json),
          cmocka_unit_test(test_pictures), cmocka_unit_test(test_none), cmocka_unit_test(test_long),
          cmocka_unit_test(test_swarm), cmocka_unit_test(test_who_is_active),
          cmocka_unit_test(test_never_changes_the_run), cmocka_unit_test(test_reasons),
          cmocka_unit_test(test_layout), cmocka_unit_test(test_no_memory))
