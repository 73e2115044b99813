// Mistakes in phases: each is found before the run, with its place and a text that helps.
#include "engine/test_rig.h"

// Line 1 to 9; what a case adds begins in line 10, `a` is in line 7.
#define HEAD(a)                                                                                    \
    "duration: 10 ms\n"                                                                            \
    "scheduler:\n"                                                                                 \
    "  rate_groups:\n"                                                                             \
    "    - {name: g, period: 1 ms, components: [clock, a]}\n"                                      \
    "components:\n"                                                                                \
    "  clock: {type: counter}\n"                                                                   \
    "  a: {type: gain, params: {unit: m}, inputs: {u: m.position}" a "}\n"                         \
    "  m: {type: oscillator}\n"                                                                    \
    "  p: {type: point_mass}\n"
#define NAMES(names) HEAD("") "phases:\n  names: " names "\n  initial: A\n"
// A transition stands in line 14.
#define ONE(text)  NAMES("[A, B]") "  transitions:\n    - {from: A, to: B, " text "}\n"
#define DO(action) ONE("condition: clock.n > 3, actions: [{" action "}]")

typedef struct mistake {
    const char *text;
    const char *says;
    uint32_t line, column;
} mistake;

static void check(const char *text, const char *says, uint32_t line, uint32_t column)
{
    rig r;
    const tac_status status = rig_try(&r, text);
    if (status == TAC_OK || !strstr(r.err.text, says) || r.err.line != line ||
        r.err.column != column) {
        rig_show(&r);
        fail_msg("expected %u:%u '%s', got %u:%u", line, column, says, r.err.line, r.err.column);
    }
    rig_close(&r);
}

static void test_names(void **state)
{
    (void)state;
    static const mistake cases[] = {
        {HEAD("") "phases: [A, B]\n", "expected a map with names, initial and transitions", 10, 9},
        {HEAD("") "phases: A\n", "expected a map with names, initial and transitions", 10, 9},
        {HEAD("") "phases: {strategy: skp}\n", "unknown word 'skp'; did you mean 'skip'?", 10, 20},
        {HEAD("") "phases: {entity: X15}\n", "unknown entity 'X15': there are no entities", 10, 18},
        {HEAD("") "phases: {initial: A}\n", "parameter 'names' is missing", 10, 9},
        {HEAD("") "phases: {names: [A, B]}\n",
         "parameter 'initial' is missing: the phase in which the run begins", 10, 9},
        {HEAD("") "phases: {names: [A, B], intial: A}\n",
         "unknown parameter 'intial' of type 'phases'; did you mean 'initial'?", 10, 25},
        {NAMES("[]"), "expected at least one phase", 11, 10},
        {NAMES("[A, B, A]"), "phase 'A' is named twice", 11, 10},
        {NAMES("[A, 2B]"), "'2B' is no name for a phase", 11, 10},
        {NAMES("[A, any]"), "'any' is no name for a phase", 11, 10},
        {NAMES("[a, B]"), "unknown phase 'A'; did you mean 'a'?", 12, 12},
        {NAMES("[B]") "  transitions:\n    - {from: B, to: B, condition: true}\n",
         "unknown phase 'A'", 12, 12},
        {NAMES("[A, B, C]") "  transitions: [{from: A, to: B, condition: true}]\n",
         "phase 'C' can never be reached from 'A': no transition leads there", 11, 10},
        {NAMES("[A, B, C]") "  transitions: [{from: B, to: C, condition: true}]\n",
         "phase 'B' can never be reached from 'A': no transition leads there", 11, 10},
        {HEAD("") "  flight: {type: counter}\nphases: {names: [A], initial: A}\n",
         "phases become component 'flight', and there is one of that name already", 11, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].text, cases[i].says, cases[i].line, cases[i].column);
}

static void test_transitions(void **state)
{
    (void)state;
#define TWO(one, two) NAMES("[A, B, C]") "  transitions:\n    - {" one "}\n    - {" two "}\n"
    static const mistake cases[] = {
        {NAMES("[A, B]") "  transitions: [{from: A, to: Bb, condition: true, actions: []}]\n",
         "unknown phase 'Bb'; did you mean 'B'?", 13, 31},
        {NAMES("[A, B]") "  transitions: [{from: [A, b], to: B, condition: true}]\n",
         "unknown phase 'b'; did you mean 'B'?", 13, 24},
        {NAMES("[A, B]") "  transitions: [{from: '*', to: B, condition: true}]\n",
         "unknown phase '*'; did you mean 'any'?", 13, 24},
        {NAMES("[A, B]") "  transitions: [{from: all, to: B, condition: true}]\n",
         "unknown phase 'all'; did you mean 'any'?", 13, 24},
        {ONE("condition: ''"), "the expression is empty; expected one such as", 14, 35},
        {NAMES("[A, B]") "  transitions: [{from: [any, A], to: B, condition: true}]\n",
         "'any' stands for all phases, and so alone", 13, 24},
        {NAMES("[A]") "  transitions: [{from: any, to: A, condition: true}]\n",
         "'any' is every phase but 'A', and there is no other", 13, 24},
        {NAMES("[A, B]") "  transitions: [{from: [], to: B, condition: true}]\n",
         "expected a phase, several, or 'any'", 13, 24},
        {NAMES("[A]") "  transitions: [{from: A, to: A, condition: true}]\n",
         "leads from 'A' to itself, which changes nothing without actions", 13, 31},
        {ONE("when: clock.n > 3"),
         "unknown parameter 'when' of type 'phases'; it has from, to, condition, locate, actions",
         14, 24},
        {ONE("locate: false"), "parameter 'condition' is missing", 14, 7},
        {TWO("from: A, to: B, condition: clock.n > 3", "from: any, to: C, condition: clock.n>3"),
         "contradicts transition 1: from 'A' the same condition leads to 'B' there and to 'C' here",
         15, 37},
        {TWO("from: any, to: B, condition: clock.n > 3", "from: [C, A], to: B, condition: "
                                                         "clock.n > 3"),
         "transition 1 leads from 'A' to 'B' on the same condition already", 15, 40},
        {ONE("condition: clock.n + 3"), "expected a condition such as", 14, 35},
        {ONE("condition: 3"), "expected a condition such as", 14, 35},
        {ONE("condition: [true]"), "expected a single value, found a list", 14, 35},
        {ONE("condition: clock.n >"), "but the expression ends", 14, 44},
        {ONE("condition: clok.n > 3"), "unknown signal 'clok.n'; did you mean 'clock.n'?", 14, 35},
        {ONE("condition: m.position > 3 s"), "'m.position' is in m, but '3 s' is in s", 14, 35},
        {ONE("condition: flight.phase == C"), "'flight.phase' has no label 'C'", 14, 51},
        {ONE("condition: 'held(clock.n > 3, 0.5)'"), "'0.5' has no unit", 14, 54},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].text, cases[i].says, cases[i].line, cases[i].column);
}

static void test_actions(void **state)
{
    (void)state;
    static const mistake cases[] = {
        {DO("to: 0"), "an action is one of reset, set and log", 14, 58},
        {DO("reset: m.position, log: now, to: 0"), "an action is one of reset, set and log", 14,
         58},
        {DO("rest: m.position, to: 0"),
         "unknown parameter 'rest' of type 'phases'; did you mean "
         "'reset'?",
         14, 59},
        {DO("reset: m.positon, to: 0"), "did you mean 'm.position'?", 14, 66},
        {DO("reset: a.y, to: 0"), "'a.y' is no state of this entity that could be reset", 14, 66},
        {DO("reset: m.position"), "'to' is missing: the value", 14, 66},
        {DO("reset: m.position, to: 3 s"), "this takes m, but '3 s' is in s", 14, 82},
        {DO("reset: m.position, to: true"), "expected a number, this is a condition", 14, 82},
        {DO("reset: p.velocity, to: [1, 2]"), "'p.velocity' has 3 elements, but there are 2 values",
         14, 82},
        {DO("reset: p.velocity, to: p.position"), "this takes m/s, but 'p.position[0]' is in m", 14,
         82},
        {DO("set: a.u, to: 0"), "input 'a.u' has a route already, from 'm.position'", 14, 64},
        {DO("set: m.forse, to: 0"), "'m' has no input 'forse'; did you mean 'force'?", 14, 64},
        {DO("set: m.force, to: [1, 2]"), "'set' takes a single value", 14, 77},
        {DO("set: m.force, to: 3 m"), "this takes N, but '3 m' is in m", 14, 77},
        {DO("log: now, to: 3"), "'to' does not go with 'log'", 14, 73},
        {DO("log: now, level: loud"), "expected one of debug, info, warn, error", 14, 76},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].text, cases[i].says, cases[i].line, cases[i].column);
}

#define GOOD                                                                                       \
    "phases:\n  names: [GROUND, B]\n  initial: GROUND\n  transitions:\n"                           \
    "    - {from: GROUND, to: B, condition: true}\n"

static void test_activity(void **state)
{
    (void)state;
    static const mistake cases[] = {
        {HEAD(", active: GROND") GOOD,
         "'a' is active in an unknown phase 'GROND'; did you mean 'GROUND'?", 7, 3},
        {HEAD(", active: B"), "'a' is active in some phases only, but its entity has none", 7, 3},
        {HEAD(", active: []") GOOD, "'a' is active in no phase; expected at least one", 7, 3},
        {HEAD(", active: [B, [B]]") GOOD, "expected a name", 7, 75},
        {HEAD(", inactive: freeze") GOOD, "unknown word 'freeze'; expected one of zero, hold", 7,
         73},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].text, cases[i].says, cases[i].line, cases[i].column);
}

// Two entities, of which one is meant at the root and has phases of its own.
static void test_entities(void **state)
{
    (void)state;
#define CARS "duration: 1 ms\nentities:\n  car: {phases: {names: [A], initial: A}}\n  bike: {}\n"
    check(CARS "phases: {entity: cra, names: [A], initial: A}\n",
          "unknown entity 'cra'; did you mean 'car'?", 5, 18);
    check(CARS "phases: {entity: car, names: [A], initial: A}\n",
          "entity 'car' has phases of its own already", 5, 9);
    check("duration: 1 ms\nentities:\n  car: {phases: 3}\n", "expected a map with names", 3, 17);
    rig r;
    rig_open(&r, CARS "phases: {entity: bike, strategy: gate, names: [C], initial: C}\n");
    assert_true(tac_engine_find_signal(r.engine, "car.flight.phase") >= 0);
    assert_true(tac_engine_find_signal(r.engine, "bike.flight.phase") >= 0);
    rig_close(&r);
}

// Expressions beyond all limits are errors.
static void test_limits(void **state)
{
    (void)state;
    enum { DEEP = 10000, LONG = 1 << 20 };
    static char text[LONG + 2048];
    const size_t head = strlen(ONE("condition: '")) - 2; // up to the quote
    snprintf(text, sizeof text, "%s", ONE("condition: '"));
    memset(text + head, '(', DEEP);
    memcpy(text + head + DEEP, "true", 4);
    memset(text + head + DEEP + 4, ')', DEEP);
    strcpy(text + head + 2 * DEEP + 4, "'}\n");
    check(text, "an expression of 20004 characters is too long", 14, 35);
    memset(text + head, '(', 100);
    memcpy(text + head + 100, "true", 4);
    memset(text + head + 104, ')', 100);
    strcpy(text + head + 204, "'}\n");
    check(text, "64", 14, 35 + 65);
    for (size_t i = 0; i < LONG / 5; i++)
        memcpy(text + head + 5 * i, "1==1 ", 5);
    strcpy(text + head + LONG / 5 * 5, "'}\n");
    check(text, "characters is too long", 14, 35);
    static char names[65 * 4 + 2] = "[A";
    size_t used = 2;
    for (int i = 1; i < 65; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, ",P%d", i);
    snprintf(text, sizeof text, HEAD("") "phases:\n  names: %s]\n  initial: A\n", names);
    check(text, "expected at most 64, found 65", 11, 10);
}

// A condition may be written in several lines, in each of YAML's ways; the place is in the right
// one.
static void test_lines(void **state)
{
    (void)state;
#define LINES(text) NAMES("[A, B]") "  transitions:\n    - from: A\n      to: B\n" text
    static const mistake cases[] = {
        {LINES("      condition: |\n        clock.n > 3 AND\n        clock.n => 5\n"),
         "write >=", 18, 17},
        {LINES("      condition: > # folded\n        clock.n > 3 AND\n\n          clock.n => 5\n"),
         "write >=", 19, 19},
        {LINES("      condition: clock.n > 3 AND\n       clock.n => 5\n"), "write >=", 17, 16},
        {LINES("      condition: clock.n => 3 AND\n       clock.n => 5\n"), "write >=", 16, 26},
        {LINES("      condition: \"clock.n > 3 AND\n       clock.n => 5\"\n"), "write >=", 17, 16},
        {LINES("      condition: 'flight.phase == ''A''\n  AND clock.n => 5'\n"), "write >=", 17,
         15},
        {LINES("      condition: \"flight.phase == \\\"A\\\"\\\n  AND clock.n => 5\"\n"),
         "write >=", 17, 15},
        {LINES("      condition: |\n        clock.n > 3 AND\n        clok.n > 5\n"),
         "unknown signal 'clok.n'; did you mean 'clock.n'?", 18, 9},
        {LINES("      condition: |\n        clock.n > 3 AND\n        m.position > 5 s\n"),
         "is in m, but '5 s' is in s", 18, 9},
        {LINES("      condition: |\n        clock.n > 3 AND\n\n"), "the expression ends", 16, 18},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].text, cases[i].says, cases[i].line, cases[i].column);
}

TEST_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_names),
          cmocka_unit_test(test_transitions), cmocka_unit_test(test_actions),
          cmocka_unit_test(test_activity), cmocka_unit_test(test_entities),
          cmocka_unit_test(test_limits))
