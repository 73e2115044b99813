// Branches: a run that goes on from a checkpoint with other events or values of parameters has the
// hash of a run of the changed file from the start, or is refused.
#include "support/allocator.h"
#include "support/folder.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

// Everything that keeps something: a plant that reads what events write, random streams, a delay,
// messages under way. The first event stands on line 19.
static const char head[] =
    "duration: 2 s\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: fast, period: 10 ms, components: [scenario, n, w, f]}\n"
    "    - {name: slow, period: 30 ms, offset: 7 ms, components: [b]}\n"
    "components:\n"
    "  scenario:\n"
    "    type: scenario\n"
    "    params: {motors: 4, batteries: 1, signals: [{name: a}, {name: b, unit: N}, {name: c}]}\n"
    "  n: {type: counter}\n"
    "  w: {type: noise, params: {unit: N}}\n"
    "  f: {type: sum, params: {unit: N}, inputs: {u: w.y, v: scenario.b}}\n"
    "  o: {type: oscillator, params: {stiffness: 40}, inputs: {force: scenario.b}}\n"
    "  p: {type: oscillator, params: {stiffness: 9}, inputs: {force: {from: f.y, delay: 20 ms}}}\n"
    "  b: {type: beacon, params: {unit: m}, inputs: {u: p.position}}\n"
    "  l: {type: listener, params: {unit: m}}\n"
    "links: [{from: b.tx, to: l.rx, delay: 43500 us}]\n"
    "scenario:\n";

static const char *model_head = head;
static tac_registry *registry;
static const tac_allocator *use_allocator; // NULL: the usual one

static int set_up(void **state)
{
    tac_error err;
    return folder_set_up(state) || tac_registry_create(NULL, &registry, &err) != TAC_OK;
}

static int tear_down(void **state)
{
    tac_registry_destroy(registry);
    return folder_tear_down(state);
}

static uint64_t log_digest; // of what events wrote to the log

static void keep_log(void *context, const tac_log_entry *entry)
{
    (void)context;
    log_digest = (log_digest ^ entry->t_us) * UINT64_C(0x9e3779b97f4a7c15);
    for (const char *c = entry->text; *c; c++)
        log_digest = (log_digest ^ (unsigned char)*c) * UINT64_C(0x9e3779b97f4a7c15);
}

static tac_engine *make(const char *events, tac_config **config, tac_error *err)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "%s%s", model_head, events);
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    tac_engine *engine = NULL;
    *config = NULL;
    if (tac_config_parse("test.yaml", text, strlen(text), &def, config, err) == TAC_OK) {
        tac_engine_def engine_def = tac_config_engine_def(*config);
        engine_def.log = keep_log;
        engine_def.allocator = use_allocator;
        if (tac_config_build(*config, &engine_def, &engine, err) != TAC_OK)
            return NULL;
    }
    return engine;
}

static tac_engine *must_make(const char *events, tac_config **config)
{
    tac_error err;
    tac_engine *engine = make(events, config, &err);
    char text[4096];
    if (!engine) {
        tac_error_print(&err, text, sizeof text);
        fail_msg("%s\n%s", events, text);
    }
    return engine;
}

static void run(tac_engine *engine, tac_time t_us)
{
    tac_error err;
    char text[4096];
    if (tac_engine_run(engine, t_us, &err) == TAC_OK)
        return;
    tac_error_print(&err, text, sizeof text);
    fail_msg("%s", text);
}

static uint64_t straight(const char *events)
{
    tac_config *config;
    tac_engine *engine = must_make(events, &config);
    run(engine, TAC_TIME_NEVER);
    const uint64_t hash = tac_engine_hash(engine, NULL, NULL);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    return hash;
}

// What all signals, messages, the plant and the log have been up to an instant.
static uint64_t until(const char *events, tac_time t_us)
{
    tac_config *config;
    tac_engine *engine = must_make(events, &config);
    log_digest = 0;
    run(engine, t_us);
    uint64_t all = log_digest, digest;
    const char *name;
    for (size_t i = 0; (name = tac_engine_digest(engine, i, &digest)); i++) {
        if (!strstr(name, "#end"))
            all = (all ^ digest) * UINT64_C(0x9e3779b97f4a7c15);
    }
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    return all;
}

static const char *save(const char *events, tac_time t_us)
{
    tac_config *config;
    tac_engine *engine = must_make(events, &config);
    tac_error err;
    const char *path = path_of("checkpoint");
    assert_int_equal(tac_engine_checkpoint_at(engine, t_us, path, &err), TAC_OK);
    run(engine, TAC_TIME_NEVER);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    return path;
}

// Go on with other events. 0: that was refused, with what `err` says.
static uint64_t branch(const char *path, const char *events, char changes[1024], tac_error *err)
{
    tac_config *config;
    tac_engine *engine = must_make(events, &config);
    uint64_t hash = 0;
    tac_error_clear(err);
    if (tac_engine_branch(engine, path, err) == TAC_OK) {
        size_t length = 0;
        *changes = '\0';
        for (size_t i = 0; i < tac_engine_change_count(engine); i++) {
            const tac_change c = tac_engine_change(engine, i);
            length +=
                (size_t)snprintf(changes + length, 1024 - length, "%s|%s|%s|%s\n", c.component,
                                 c.name, c.before ? c.before : "-", c.after ? c.after : "-");
        }
        run(engine, TAC_TIME_NEVER);
        hash = tac_engine_hash(engine, NULL, NULL);
    } else {
        assert_true(err->status == TAC_E_MISMATCH && err->text[0]);
    }
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    return hash;
}

// --- each kind of change ------------------------------------------------------------------------

static const struct {
    tac_time t_us;
    const char *before, *after, *changes;
} allowed[] = {
    // the same, and nothing at all
    {500000, "- {at: 1 s, do: arm}\n", "- {at: 1 s, do: arm}\n", ""},
    // added behind, between, and in front of one that has happened
    {500000, "- {at: 0.1 s, do: arm}\n",
     "- {at: 0.1 s, do: arm}\n- {at: 0.500001 s, do: set, signal: b, value: 3 N}\n",
     "scenario|events|-|{at: 0.500001 s, do: set, signal: b, value: 3 N}\n"},
    {500000, "- {at: 0.1 s, do: set, signal: b, value: 2 N}\n",
     "- {at: 1 s, do: disarm}\n- {at: 0.1 s, do: set, signal: b, value: 2 N}\n", NULL},
    // removed and changed: time, action, all
    {500000, "- {at: 1 s, do: arm}\n- {at: 0.7 s, do: set, signal: b, value: 5 N}\n",
     "- {at: 1 s, do: arm}\n", "scenario|events|{at: 0.7 s, do: set, signal: b, value: 5 N}|-\n"},
    {500000, "- {at: 1 s, do: set, signal: b, value: 5 N}\n",
     "- {at: 0.6 s, do: set, signal: b, value: 5 N}\n",
     "scenario|events|{at: 1 s, do: set, signal: b, value: 5 N}|{at: 0.6 s, do: set, signal: b, "
     "value: 5 N}\n"},
    // a fault that acts and ends later, by an event that moves to another place
    {500000, "- {at: 0.2 s, do: motor_stuck, motor: 2, duty: 0.5, for: 1 s}\n",
     "- {at: 0.9 s, do: motor_off, motor: 1}\n"
     "- {at: 0.2 s, do: motor_stuck, motor: 2, duty: 0.5, for: 1 s}\n",
     NULL},
    {500000, "- {at: 0.2 s, do: gust, wind: [1, 2, 3], for: 1 s}\n- {at: 1.9 s, do: arm}\n",
     "- {at: 0.2 s, do: gust, wind: [1, 2, 3], for: 1 s}\n"
     "- {at: 0.8 s, do: gust, wind: [0, 0, 1]}\n",
     NULL},
    // two that are alike
    {500000, "- {at: 0.2 s, do: arm}\n- {at: 0.2 s, do: arm}\n",
     "- {at: 0.2 s, do: arm}\n- {at: 0.2 s, do: arm}\n- {at: 0.8 s, do: disarm}\n",
     "scenario|events|-|{at: 0.8 s, do: disarm}\n"},
    // steps, and those that happen again and again
    {500000, "- {at_step: 60, do: set, signal: a, value: 1}\n",
     "- {at_step: 51, do: set, signal: a, value: 1}\n", NULL},
    {500000, "- {at: 0.1 s, every: 0.25 s, do: set, signal: b, value: 1 N}\n",
     "- {at: 0.1 s, every: 0.25 s, do: set, signal: b, value: 1 N}\n"
     "- {at: 0.6 s, every: 0.3 s, times: 2, do: set, signal: b, value: 0}\n",
     NULL},
    // conditions that remember keep what they have seen, wherever they stand
    {700000, "- {when: 'held(t > 0.6, 0.4 s)', do: set, signal: b, value: 1 N}\n",
     "- {when: 't > 1.5', do: arm}\n"
     "- {when: 'held(t > 0.6, 0.4 s)', do: set, signal: b, value: 1 N}\n",
     NULL},
    {700000,
     "- {when: 'held(t > 1.5, 0.1 s)', do: arm}\n"
     "- {when: 'held(t > 0.6, 0.4 s)', do: set, signal: b, value: 1 N}\n",
     "- {when: 'held(t > 0.6, 0.4 s)', do: set, signal: b, value: 1 N}\n", NULL},
    // and when what they do is changed, too
    {700000, "- {when: 'held(t > 0.6, 0.4 s)', do: set, signal: b, value: 1 N}\n",
     "- {when: 'held(t > 0.6, 0.4 s)', do: set, signal: b, value: 7 N, after: 0.1 s}\n", NULL},
    {700000, "- {when: 'rising(n.n > 100)', repeat: true, do: set, signal: b, value: 1 N}\n",
     "- {when: 'rising(n.n > 100)', repeat: true, do: set, signal: b, value: 2 N}\n", NULL},
    // new ones that look at what nothing looked at before: states, outputs, signals of all stages
    {500000, "  []\n", "- {when: 'o.position > 0.2 && t > 0.8', do: set, signal: b, value: 9 N}\n",
     NULL},
    {500000, "  []\n", "- {when: 'rising(n.n > 100)', do: set, signal: b, value: 9 N}\n", NULL},
    {500000, "  []\n", "- {when: 'f.y > 0 && t > 0.8', do: set, signal: b, value: 9 N}\n", NULL},
    {500000, "  []\n", "- {when: 'held(scenario.arm, 0.2 s)', do: set, signal: b, value: 9 N}\n",
     NULL},
    {500000, "- {at: 1 s, do: arm}\n- {at: 1.9 s, do: log, text: bye}\n",
     "- {at: 1 s, do: arm}\n"
     "- {when: 'held(scenario.arm, 0.2 s)', do: set, signal: b, value: 9 N}\n",
     NULL},
    // located ones: none before, one of several removed, another added
    {500000, "  []\n",
     "- {when: 'o.position > 0.2 && t > 0.8', locate: true, do: set, signal: b, value: 9 N}\n",
     NULL},
    {500000,
     "- {when: 'o.velocity > 0 && t > 1.3', locate: true, do: set, signal: b, value: 4 N}\n"
     "- {when: 'o.position > 0.2 && t > 0.8', locate: true, do: set, signal: b, value: 9 N}\n",
     "- {when: 'o.position > 0.2 && t > 0.8', locate: true, do: set, signal: b, value: 9 N}\n"
     "- {when: 'o.velocity < 0 && t > 1.1', locate: true, do: set, signal: b, value: -4 N}\n",
     NULL},
    // what events do by parameters of other components, at 0, and at the last microsecond
    {0, "- {at: 1 s, do: arm}\n", "- {at: 1 us, do: set, signal: b, value: 3 N}\n", NULL},
    {1999999, "  []\n", "- {at: 2 s, do: set, signal: b, value: 3 N}\n", NULL},
};

static void test_allowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        tac_error err;
        char changes[1024] = "", text[4096];
        const char *path = save(allowed[i].before, allowed[i].t_us);
        const uint64_t hash = branch(path, allowed[i].after, changes, &err);
        if (hash == 0) {
            tac_error_print(&err, text, sizeof text);
            fail_msg("case %zu: %s", i, text);
        }
        if (hash != straight(allowed[i].after))
            fail_msg("case %zu: another hash than a run from the start", i);
        if (allowed[i].changes)
            assert_string_equal(changes, allowed[i].changes);
    }
}

static const struct {
    tac_time t_us;
    const char *before, *after;
    uint32_t line;
    const char *text;
} refused[] = {
    // a new one that does not lie ahead; exactly at the checkpoint everything has happened
    {500000, "- {at: 1 s, do: arm}\n", "- {at: 1 s, do: arm}\n- {at: 0.5 s, do: disarm}\n", 20,
     "event 'disarm' (at 500 ms) does not lie after the checkpoint"},
    {500000, "  []\n", "- {at: 0.1 s, every: 1 s, do: arm}\n", 19, "does not lie after"},
    {500000, "  []\n", "- {at_step: 50, do: arm}\n", 19, "does not lie after"},
    // what has happened: changed, removed, in another order, waiting, still acting
    {500000, "- {at: 1 s, do: log, text: x}\n- {at: 0.5 s, do: arm}\n",
     "- {at: 1 s, do: log, text: x}\n- {at: 0.6 s, do: arm}\n", 20,
     "event {at: 0.5 s, do: arm} happened before the checkpoint at 500 ms"},
    {500000, "- {at: 0.5 s, do: arm}\n- {at: 1 s, do: log, text: x}\n",
     "- {at: 1 s, do: log, text: x}\n", 19, "happened before"},
    {500000, "- {at: 0.1 s, do: arm}\n- {at: 0.1 s, do: disarm}\n",
     "- {at: 0.1 s, do: disarm}\n- {at: 0.1 s, do: arm}\n", 19, "stands in another order"},
    {500000, "- {when: 't > 0.4', after: 1 s, do: arm}\n",
     "- {when: 't > 0.4', after: 2 s, do: arm}\n", 19, "happened before"},
    {500000, "- {at: 0.1 s, do: motor_off, motor: 1, for: 1 s}\n",
     "- {at: 0.1 s, do: motor_off, motor: 1, for: 2 s}\n", 19, "happened before"},
    // a condition that has the plant stepped at instants of the scenario, where it was not before
    {500000, "  []\n", "- {when: 'p.position > 5', do: arm}\n", 19, "adds boundaries"},
    // a condition that would have been true before
    {500000, "  []\n", "- {when: 't > 0.4', do: arm}\n", 19, "'t > 0.4' is true already"},
    {500000, "  []\n", "- {when: 'held(t > 0.4, 1 s)', do: arm}\n", 19, "is true already"},
    {500000, "  []\n", "- {when: 'rising(t > 0.4)', do: arm}\n", 19, "is true already"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tac_error err;
        char changes[1024] = "";
        const char *path = save(refused[i].before, refused[i].t_us);
        if (branch(path, refused[i].after, changes, &err))
            fail_msg("case %zu is not refused: %s", i, changes);
        if (!strstr(err.text, refused[i].text))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, refused[i].text);
        if (err.line != refused[i].line || !strstr(err.file, "test.yaml"))
            fail_msg("case %zu: line %u, expected %u: %s", i, err.line, refused[i].line, err.text);
    }
}

// --- what is no event -------------------------------------------------------------------------

static const struct {
    const char *from, *to; // a part of the file, and what stands in its place
    uint32_t line;         // 0: no line is to blame
    const char *text;
} structure[] = {
    {"stiffness: 40", "stiffness: 40, position: 0.5", 13,
     "parameter 'o.position' is 1 there and 0.5 here, and it is not tunable; 'tactus help "
     "oscillator'"},
    {"type: counter", "type: noise", 10, "there: component n type counter"},
    {"  n: {type: counter}\n", "  n: {type: counter}\n  m: {type: constant}\n", 11,
     "here: component m type constant"},
    {"{force: scenario.b}", "{force: {from: scenario.b, gain: 2}}", 13, "here: route o.force"},
    {"period: 10 ms", "period: 20 ms", 0, "there: group fast period 10 ms"},
    {"delay: 43500 us", "delay: 43501 us", 0, "there: link b.tx"},
    {"duration: 2 s\n", "duration: 2 s\nseed: 8\n", 0, "here: seed 8"},
};

static const char *with(const char *from, const char *to)
{
    static char text[1 << 14];
    const char *at = strstr(head, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - head), head, to, at + strlen(from));
    return text;
}

static void test_structure(void **state)
{
    (void)state;
    const char *events = "- {at: 1 s, do: arm}\n";
    for (size_t i = 0; i < sizeof structure / sizeof *structure; i++) {
        tac_error err;
        char changes[1024] = "";
        const char *path = save(events, 500000);
        model_head = with(structure[i].from, structure[i].to);
        if (branch(path, events, changes, &err))
            fail_msg("case %zu is not refused: %s", i, changes);
        model_head = head;
        if (!strstr(err.text, structure[i].text))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, structure[i].text);
        if (err.line != structure[i].line)
            fail_msg("case %zu: line %u, expected %u: %s", i, err.line, structure[i].line,
                     err.text);
    }
}

// Values that are tunable, of the plant too, and events at once.
static void test_tunable(void **state)
{
    (void)state;
    tac_error err;
    char changes[1024] = "";
    const char *path = save("- {at: 1 s, do: arm}\n", 500000);
    model_head = with("stiffness: 40", "stiffness: 41");
    assert_true(branch(path, "- {at: 0.9 s, do: arm}\n", changes, &err));
    model_head = head;
    assert_string_equal(changes, "o|stiffness|40|41\n"
                                 "scenario|events|{at: 1 s, do: arm}|{at: 0.9 s, do: arm}\n");
}

// --- without memory -----------------------------------------------------------------------------

// Wherever memory runs out, that is what is said.
static void test_memory(void **state)
{
    (void)state;
    const char *after = "- {when: 'held(t > 0.4, 0.3 s)', do: set, signal: b, value: 2 N}\n"
                        "- {when: 'rising(n.n > 100)', locate: false, do: arm}\n";
    const char *path = save("- {at: 1 s, do: arm}\n"
                            "- {when: 'held(t > 0.4, 0.3 s)', do: set, signal: b, value: 1 N}\n",
                            500000);
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        const tac_allocator hook = test_allocator_hook(&counts);
        tac_config *config;
        tac_error err;
        use_allocator = &hook;
        tac_engine *engine = must_make(after, &config);
        use_allocator = NULL;
        counts.fail_at = counts.calls + n;
        const tac_status status = tac_engine_branch(engine, path, &err);
        tac_engine_destroy(engine);
        tac_config_destroy(config);
        test_allocator_check_empty(&counts);
        if (status == TAC_OK) {
            assert_true(n > 20);
            return;
        }
        if (status != TAC_E_MEMORY || err.status != TAC_E_MEMORY)
            fail_msg("allocation %d: %s", (int)n, err.text);
    }
}

// --- any change ---------------------------------------------------------------------------------

static uint64_t random_state;

static unsigned draw(unsigned n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % n;
}

enum { EVENTS = 5, EVENT_TEXT = 128 };
typedef struct list {
    char events[2 * EVENTS][EVENT_TEXT];
    size_t count;
} list;

// Each leaves a trace in the log, and once a condition is true it stays so: what has happened by an
// instant can be seen there.
static void any_event(char text[EVENT_TEXT])
{
    const unsigned ms = 50 * draw(40), value = draw(1000000);
    switch (draw(8)) {
    case 0:
        snprintf(text, EVENT_TEXT, "{at: %u ms, do: set, signal: b, value: %u N}", ms, value);
        break;
    case 1:
        snprintf(text, EVENT_TEXT, "{at: %u ms, every: %u ms, do: set, signal: a, value: %u}", ms,
                 50 + 50 * draw(10), value);
        break;
    case 2:
        snprintf(text, EVENT_TEXT,
                 "{at: %u ms, do: motor_stuck, motor: %u, duty: 0.%06u, for: %u ms}", ms,
                 1 + draw(4), value, 50 + 50 * draw(20));
        break;
    case 3:
        snprintf(text, EVENT_TEXT, "{at_step: %u, do: set, signal: c, value: %u}", ms / 10, value);
        break;
    case 4:
        snprintf(text, EVENT_TEXT, "{when: 't > %u ms', do: gust, wind: [%u, 0, 0], for: 300 ms}",
                 ms, value);
        break;
    case 5:
        snprintf(text, EVENT_TEXT,
                 "{when: 'held(t > %u ms, 200 ms)', do: set, signal: b, value: %u N}", ms, value);
        break;
    case 6:
        snprintf(text, EVENT_TEXT, "{when: 'rising(n.n > %u)', do: set, signal: a, value: %u}",
                 1 + ms / 10, value);
        break;
    default:
        snprintf(text, EVENT_TEXT,
                 "{when: 'o.position > -9 && t > %u ms', locate: true, do: set, signal: c, "
                 "value: %u}",
                 ms, value);
    }
}

static void print_list(const list *l, char *text)
{
    text[0] = '\0';
    for (size_t i = 0; i < l->count; i++) {
        strcat(text, "- ");
        strcat(text, l->events[i]);
        strcat(text, "\n");
    }
    if (!l->count)
        strcpy(text, "  []\n");
}

// Whatever is changed: what is taken has the hash of a run from the start; and what does not show
// by the checkpoint is taken, but for conditions that are about to come true.
static void test_any(void **state)
{
    (void)state;
    size_t taken = 0, turned_down = 0;
    for (unsigned k = 0; k < 400; k++) {
        random_state = k * 977 + 5;
        list a = {0}, b = {0};
        static char before[4096], after[4096];
        for (size_t i = 0; i < EVENTS; i++)
            any_event(a.events[a.count++]);
        for (size_t i = 0; i < a.count; i++) {
            const unsigned how = draw(8);
            if (how == 0) // removed
                continue;
            if (how == 1)
                any_event(b.events[b.count++]);
            if (how == 2)
                any_event(b.events[b.count++]); // in place of it
            else
                strcpy(b.events[b.count++], a.events[i]);
        }
        print_list(&a, before);
        print_list(&b, after);
        tac_error err;
        char changes[1024];
        const char *path = save(before, draw(2) ? 50000 * draw(30) : 1000 * draw(1500));
        tac_checkpoint_info info;
        assert_int_equal(tac_checkpoint_read_info(path, &info, &err), TAC_OK);
        const tac_time t_us = info.t_us; // of the last boundary
        const uint64_t hash = branch(path, after, changes, &err);
        const bool same_until = until(before, t_us) == until(after, t_us);
        taken += hash != 0;
        turned_down += hash == 0;
        if (hash && hash != straight(after))
            fail_msg("%u: another hash at %llu us:\n%s\n%s", k, (unsigned long long)t_us, before,
                     after);
        if (hash && !same_until)
            fail_msg("%u: the past is another at %llu us:\n%s\n%s", k, (unsigned long long)t_us,
                     before, after);
        if (!hash && same_until && !strstr(err.text, "is true already"))
            fail_msg("%u: refused at %llu us: %s\n%s\n%s", k, (unsigned long long)t_us, err.text,
                     before, after);
    }
    assert_true(taken > 30 && turned_down > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allowed),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_structure), cmocka_unit_test(test_tunable),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_any)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
