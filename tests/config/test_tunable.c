// Parameters that are marked as tunable: another value changes nothing of what an engine is before
// its first boundary, so that a run can go on with it from any state.
#include "engine/run/loop.h"
#include "engine/run/layout.h"
#include "engine/test_rig.h"

#include <glob.h>
#include <math.h>

// Types that no example has, or with other kinds of them; "sets" of the examples.
static const char others[] =
    "duration: 1 s\n"
    "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
    "components:\n"
    "  sine: {type: sine}\n"
    "  profile: {type: profile, params: {times: [0, 1], values: [2, 3]}}\n"
    "  noise: {type: noise}\n"
    "  gain: {type: gain, inputs: {u: sine.y}}\n"
    "  sum: {type: sum, inputs: {u: gain.y, v: noise.y}}\n"
    "  limit: {type: limit, inputs: {u: sum.y}}\n"
    "  filter: {type: filter, inputs: {u: limit.y}}\n"
    "  sensor: {type: sensor, inputs: {u: {from: filter.y, delayed: true}}}\n"
    "  monitor: {type: monitor, inputs: {u: sensor.y}}\n"
    "  lag: {type: lag, inputs: {u: gain.y}}\n"
    "  oscillator: {type: oscillator}\n"
    "  point: {type: point_mass, inputs: {force: tracker.force}}\n"
    "  circle: {type: circle}\n"
    "  tracker: {type: tracker, inputs: {target: circle.position, position: point.position, "
    "velocity: point.velocity}}\n"
    "  constant: {type: wind, params: {kind: constant, mean: [1, 2, 0]}}\n"
    "  dryden: {type: wind, params: {kind: dryden, mean: [1, 2, 0]}}\n";

typedef struct model {
    const char *name;
    const char *text; // NULL: a file of examples/
} model;

static void open_model(rig *r, const model *m, const char *set)
{
    const char *const sets[] = {set};
    rig_example(r, m->name, m->text, sets, set != NULL);
}

// "--set" for a parameter of a component.
static void name_param(const tac_engine *e, size_t component, const char *param, char *out,
                       size_t size)
{
    const tac_component_info c = tac_engine_component_info(e, component);
    const char *own = *c.entity ? c.name + strlen(c.entity) + 1 : c.name;
    snprintf(out, size, "%s%s%scomponents.%s.params.%s", *c.entity ? "entities." : "", c.entity,
             *c.entity ? "." : "", own, param);
}

// Other values that may be allowed: a little more or less of each number, other words.
static bool other_value(const tac_param_info *p, unsigned i, char *out, size_t size)
{
    if (p->choices) {
        unsigned n = 0;
        while (p->choices[n])
            n++;
        snprintf(out, size, "%s", i < n ? p->choices[i] : "");
        return i < n && strcmp(out, p->value);
    }
    if (!strcmp(p->kind, "bool"))
        return snprintf(out, size, "%s", !strcmp(p->value, "true") ? "false" : "true") && i == 0;
    if (!strcmp(p->kind, "text"))
        return snprintf(out, size, "other") && i == 0;
    if (!strcmp(p->kind, "time"))
        return snprintf(out, size, "%u ms", 10 * (i + 1)) && i < 3;
    static const double factors[] = {1.25, 0.75, 1, 1}, more[] = {0, 0, 0.125, -0.125};
    size_t n = 0;
    if (i >= 4)
        return false;
    for (const char *c = p->value; *c && n + 32 < size;) {
        char *end;
        const double v = strtod(c, &end);
        if (end == c)
            out[n++] = *c++;
        else
            n += (size_t)snprintf(out + n, size - n, "%.17g", v * factors[i] + more[i]);
        c = end > c ? end : c;
    }
    out[n] = '\0';
    if (!strcmp(p->kind, "f64") && *p->unit)
        snprintf(out + n, size - n, " %s", p->unit);
    return strcmp(out, p->value);
}

static char *layout_of(tac_engine *e)
{
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__layout_text(e, &text);
    assert_false(text.failed);
    char *copy = strdup(text.chars);
    tac__text_fini(&text);
    return copy;
}

// What rests at the value of a parameter: an input, or the signal that others set it by.
static bool rests(const char *part)
{
    return !strncmp(part, "input ", 6) || strstr(part, ".set_");
}

// All that a run begins with, but what rests at the value of a parameter.
static void compare_starts(rig *a, rig *b, const char *set)
{
    char *there = layout_of(a->engine), *here = layout_of(b->engine);
    if (strcmp(there, here))
        fail_msg("%s changes what is declared", set);
    free(there);
    free(here);
    assert_int_equal(tac__start(a->engine), TAC_OK);
    assert_int_equal(tac__start(b->engine), TAC_OK);
    const tac__block *old = &a->engine->plan->block, *new = &b->engine->plan->block;
    for (tac__part_walk w = {0}; tac__block_next(old, &w);) {
        char name[TAC__PART_NAME];
        const void *before = tac__block_at(old, w.part.offset);
        if (!rests(tac__part_name(&w.part, name)) &&
            memcmp(before, tac__block_at(new, w.part.offset), w.part.size)) // layouts are equal
            fail_msg("%s changes '%s' at the start", set, name);
    }
}

static size_t tried;

static void try_param(const model *m, size_t component, size_t param)
{
    rig a, b;
    open_model(&a, m, NULL);
    const tac_param_info p = tac_engine_param_info(a.engine, component, param);
    char name[256], value[4096], set[4608];
    name_param(a.engine, component, p.name, name, sizeof name);
    bool done = false;
    for (unsigned i = 0; i < 8 && !done; i++) {
        if (!other_value(&p, i, value, sizeof value))
            continue;
        snprintf(set, sizeof set, "%s=%s", name, value);
        const char *const sets[] = {set};
        const char *source = getenv("TACTUS_SOURCE");
        char path[700];
        snprintf(path, sizeof path, "%s/examples/%s", source, m->name);
        if (rig_try_all(&b, path, m->text, sets, 1) == TAC_OK &&
            tac_engine_model_hash(a.engine) != tac_engine_model_hash(b.engine)) {
            compare_starts(&a, &b, set);
            tried++;
            done = true;
        }
        rig_close(&b);
    }
    if (!done)
        print_message("%s: no other value is allowed\n", name);
    rig_close(&a);
}

static void test_starts(void **state)
{
    (void)state;
    static const model models[] = {
        {"others", others},
        {"iris_mission.yaml", NULL},
        {"octa_two_batteries.yaml", NULL},
        {"sensors.yaml", NULL},
        {"equations.yaml", NULL},
        {"rocket.yaml", NULL},
        {"hexa_motor_out.yaml", NULL},
        {"rates.yaml", NULL},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        rig r;
        open_model(&r, &models[i], NULL);
        for (size_t c = 0; c < tac_engine_sizes(r.engine).components; c++) {
            for (size_t k = 0; k < tac_engine_param_count(r.engine, c); k++) {
                const tac_param_info p = tac_engine_param_info(r.engine, c, k);
                if (p.tunable)
                    try_param(&models[i], c, k);
            }
        }
        rig_close(&r);
    }
    print_message("%zu parameters were tried\n", tried);
    assert_true(tried >= 4);
}

// --- in the middle of a run ---------------------------------------------------------------------

// The branch is what a scenario does that sets the parameter at the next step of its reader.
static void test_as_if_set(void **state)
{
    (void)state;
    const char *mission = "iris_mission.yaml", *path = path_of("c");
    const char *const saved[] = {"duration=8 s"};
    const char *const changed[] = {"duration=8 s",
                                   "entities.uav.components.control.params.climb_speed=1.5 m/s"};
    const char *const set[] = {
        "duration=8 s",
        "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 4.004 s, do: set, "
        "parameter: control.climb_speed, value: 1.5 m/s}]"};
    rig a, b, c;
    rig_example(&a, mission, NULL, saved, 1);
    assert_int_equal(tac_engine_checkpoint_at(a.engine, 4000000, path, &a.err), TAC_OK);
    rig_run(&a, TAC_TIME_NEVER);
    rig_example(&b, mission, NULL, changed, 2);
    assert_int_equal(tac_engine_branch(b.engine, path, &b.err), TAC_OK);
    rig_run(&b, TAC_TIME_NEVER);
    rig_example(&c, mission, NULL, set, 2);
    rig_run(&c, TAC_TIME_NEVER);
    size_t same = 0, differs = 0;
    uint64_t branched, straight, unchanged;
    const char *name;
    for (size_t i = 0; (name = tac_engine_digest(b.engine, i, &branched)); i++) {
        if (strstr(name, "#end") || !strncmp(name, "uav.scenario", 12))
            continue;
        const char *other = "";
        for (size_t k = 0; other && strcmp(other, name); k++)
            other = tac_engine_digest(c.engine, k, &straight);
        if (!other || branched != straight)
            fail_msg("%s is not as if it were set", name);
        (void)tac_engine_digest(a.engine, i, &unchanged);
        same++;
        differs += branched != unchanged;
    }
    print_message("%zu digests, %zu of them changed\n", same, differs);
    assert_true(same > 20 && differs > 10);
    rig_close(&a);
    rig_close(&b);
    rig_close(&c);
}

// What events or another program set has no value of its own any more.
static void test_set_by_others(void **state)
{
    (void)state;
    const char *const others_set[] = {
        "scenario=[{at: 9 s, do: set, parameter: control.climb_speed, value: 2 m/s}]",
        "entities.uav.components.control.inputs.climb_speed={from: outside}"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = path_of("c");
        const char *const sets[] = {"duration=2 s", others_set[i],
                                    "entities.uav.components.control.params.climb_speed=1.5 m/s"};
        rig a, b;
        rig_example(&a, "iris_mission.yaml", NULL, sets, 2);
        assert_int_equal(tac_engine_checkpoint_at(a.engine, 1000000, path, &a.err), TAC_OK);
        rig_run(&a, TAC_TIME_NEVER);
        rig_example(&b, "iris_mission.yaml", NULL, sets, 3);
        assert_int_equal(tac_engine_branch(b.engine, path, &b.err), TAC_E_MISMATCH);
        if (!strstr(b.err.text, "sets it while the run goes on") || b.err.line != 1)
            fail_msg("%s", b.err.text);
        rig_close(&a);
        rig_close(&b);
    }
}

TEST_MAIN(cmocka_unit_test(test_starts), cmocka_unit_test(test_as_if_set),
          cmocka_unit_test(test_set_by_others))
