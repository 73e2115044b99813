// The default mission gives the same bits however it is run: again, in pieces, instant by instant,
// watched, with company, and from any checkpoint.
#include "engine/run/state.h"
#include "flight/flight.h"
#include "math/prints.h"

static uint64_t hash_of(rig *r, const char *pattern)
{
    size_t count;
    const uint64_t hash = tac_engine_hash(r->engine, pattern, &count);
    assert_true(count > 0);
    return hash;
}

static uint64_t finish(rig *r, const char *pattern)
{
    rig_run(r, TAC_TIME_MAX);
    const uint64_t hash = hash_of(r, pattern);
    rig_close(r);
    return hash;
}

static uint64_t straight(const char *const *sets, const char *pattern)
{
    rig r;
    flight_mission(&r, sets);
    return finish(&r, pattern);
}

// Of the mission as it is, flown once.
static uint64_t plain(void)
{
    static uint64_t hash;
    static bool flown;
    if (!flown)
        hash = straight(NULL, NULL);
    flown = true;
    return hash;
}

static void same(uint64_t got, uint64_t expected, const char *what)
{
    if (got != expected)
        fail_msg("%s: %016llx, expected %016llx", what, (unsigned long long)got,
                 (unsigned long long)expected);
}

// It is a flight that is compared: off the ground, to the last item, and down again.
static void test_it_flies(void **state)
{
    (void)state;
    rig r;
    flight_mission(&r, NULL);
    double highest_m = 0;
    for (tac_time t_us = 0; !tac_engine_finished(r.engine); t_us += 100000) {
        rig_run(&r, t_us);
        highest_m = fmax(highest_m, -((const double *)rig_read(&r, "uav.vehicle.position"))[2]);
    }
    assert_true(*(const bool *)rig_read(&r, "uav.control.landed"));
    assert_int_equal(*(const int32_t *)rig_read(&r, "uav.control.mission_reached"),
                     *(const int32_t *)rig_read(&r, "uav.control.mission_total"));
    const tac_counters n = tac_engine_counters(r.engine);
    print_message("highest %.2f m, %llu events, hash %016llx\n", highest_m,
                  (unsigned long long)n.events, (unsigned long long)hash_of(&r, NULL));
    assert_true(highest_m > 5 && n.events >= 8);
    rig_close(&r);
}

static void test_repeats(void **state)
{
    (void)state;
    rig r;
    flight_mission(&r, NULL);
    rig_run(&r, TAC_TIME_MAX);
    const uint64_t vehicle = hash_of(&r, "uav.vehicle*");
    same(finish(&r, NULL), plain(), "again");
    static const char *const seed[] = {"seed=2", NULL};
    flight_mission(&r, seed);
    rig_run(&r, TAC_TIME_MAX);
    assert_true(hash_of(&r, "uav.vehicle*") != vehicle);
    assert_true(finish(&r, NULL) != plain());
}

static void test_pieces(void **state)
{
    (void)state;
    static const tac_time lengths_us[] = {1, 4000, 12345, 999983};
    const uint64_t hash = plain();
    rig r;
    for (size_t i = 1; i < sizeof lengths_us / sizeof *lengths_us; i++) {
        flight_mission(&r, NULL);
        for (tac_time t_us = 0; t_us < 70000000; t_us += lengths_us[i])
            rig_run(&r, t_us);
        same(finish(&r, NULL), hash, "in pieces");
    }
    // As a run that is paced by a clock does it.
    flight_mission(&r, NULL);
    while (!tac_engine_finished(r.engine))
        rig_run(&r, tac_engine_next_time(r.engine));
    same(finish(&r, NULL), hash, "instant by instant");
}

// --- company ------------------------------------------------------------------------------------

typedef struct looker {
    int signals[4];
    uint64_t looks;
    double sum;
} looker;

static void look(void *context, tac_engine *engine, tac_time t_us)
{
    looker *l = context;
    (void)t_us;
    for (size_t i = 0; i < 4; i++)
        l->sum += *(const double *)tac_engine_read(engine, l->signals[i]);
    l->looks++;
}

static void test_observers(void **state)
{
    (void)state;
    static const tac_time periods_us[] = {333, 7000, 10000, 123457};
    const uint64_t hash = plain();
    rig built, r;
    flight_mission(&built, NULL); // for its configuration
    r = built;
    tac_engine_destroy(built.engine);
    const tac_engine_def def = tac_config_engine_def(r.config);
    assert_int_equal(tac_config_build_unprepared(r.config, &def, &r.engine, &r.err), TAC_OK);
    looker lookers[4];
    memset(lookers, 0, sizeof lookers);
    for (size_t i = 0; i < 4; i++) {
        tac_observer_def observer = tac_observer_def_default();
        char name[8];
        snprintf(name, sizeof name, "o%zu", i);
        observer.name = name;
        observer.period_us = periods_us[i];
        observer.offset_us = i;
        observer.observe = look;
        observer.context = &lookers[i];
        assert_int_equal(tac_engine_add_observer(r.engine, &observer, &r.err), TAC_OK);
    }
    assert_int_equal(tac_engine_prepare(r.engine, &r.err), TAC_OK);
    static const char *const signals[] = {"uav.vehicle.position", "uav.vehicle.specific_force",
                                          "uav.control.motor", "uav.wind.velocity"};
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 4; k++)
            lookers[i].signals[k] = tac_engine_find_signal(r.engine, signals[k]);
    }
    same(finish(&r, NULL), hash, "observed");
    assert_true(lookers[0].looks > 200000 && isfinite(lookers[0].sum));
}

// A list replaces the one it extends: the mission with rate groups as they are given here.
#define GROUPS(more)                                                                               \
    "extends: iris_mission.yaml\n"                                                                 \
    "scheduler:\n  rate_groups:\n"                                                                 \
    "    - {name: wind, rate: 1 kHz, components: [\"*.wind\"]}\n"                                  \
    "    - {name: autopilot, rate: 250 Hz,"                                                        \
    " components: [\"*.scenario\", \"*.estimator\", \"*.control\"]}\n" more

static uint64_t in_company(const char *text, const char *pattern)
{
    rig r;
    rig_example(&r, "company.yaml", text, NULL, 0);
    return finish(&r, pattern);
}

static void test_company(void **state)
{
    (void)state;
    const uint64_t uav = in_company(GROUPS(""), "uav.*");
    same(in_company(GROUPS("    - {name: log, period: 7 ms, components: [log]}\n"
                           "components:\n"
                           "  log: {type: monitor, inputs: {u: uav.vehicle.position},"
                           " params: {size: 3, unit: m, every: 100 s}}\n"),
                    "uav.*"),
         uav, "with a log");
    same(in_company(GROUPS("    - {name: odd, period: 1717 us, components: [n, s, b, l]}\n"
                           "components:\n"
                           "  n: {type: noise}\n"
                           "  s: {type: sine, params: {unit: N}}\n"
                           "  o: {type: oscillator, inputs: {force: s.y}}\n"
                           "  b: {type: beacon, inputs: {u: n.y}}\n"
                           "  l: {type: listener}\n"
                           "links: [{from: b.tx, to: l.rx, delay: 3 ms}]\n"),
                    "uav.*"),
         uav, "with strangers");
    same(
        in_company(GROUPS("    - {name: odd, period: 7777 us, components: [gps]}\n"
                          "    - {name: odder, period: 3333 us, offset: 11 us, components: [far]}\n"
                          "components:\n"
                          "  gps: {type: gps, inputs: {position: uav.vehicle.position,"
                          " velocity: uav.vehicle.velocity}}\n"
                          "  far: {type: gain, params: {unit: m}, inputs: {u: gps.position.x}}\n"),
                   "uav.*"),
        uav, "with a GPS that nobody reads");
    same(in_company(GROUPS("entities:\n"
                           "  other:\n"
                           "    extends: vehicles/iris.yaml\n"
                           "    components:\n"
                           "      vehicle: {params: {position: [10, 5]}}\n"
                           "      control: {params: {mission: missions/square.waypoints}}\n"),
                    "uav.*"),
         uav, "with a second vehicle");
}

// One of many is what it would be as the only one.
static void test_swarm(void **state)
{
    (void)state;
    const uint64_t alone =
        in_company("extends: iris_mission.yaml\nentities: {uav: {count: 1}}\n", "uav1.*");
    same(in_company("extends: iris_mission.yaml\nentities: {uav: {count: 5}}\n", "uav1.*"), alone,
         "one of five");
}

enum { FLEET = 7 };

// A fleet of which one is heavier than the others.
static void open_fleet(rig *r, const char *kind, int lanes)
{
    char text[1024];
    snprintf(text, sizeof text,
             "extends: iris_mission.yaml\nduration: 6 s\n"
             "plant: {integrator: %s, lanes: %d}\n"
             "entities:\n  uav: {count: 6}\n  heavy:\n    extends: vehicles/iris.yaml\n"
             "    components:\n"
             "      vehicle: {params: {position: [10, 5], mass: 1.6}}\n"
             "      control: {params: {mission: missions/square.waypoints}}\n",
             kind, lanes);
    rig_example(r, "fleet.yaml", text, NULL, 0);
}

// All multirotors are in lanes, but for one that is left over of pairs. Teams have no lane without
// a component: of seven flight controls one is left, whatever the width.
static void check_fleet(const rig *r, unsigned lanes)
{
    while (lanes > 1 && !tac__packs_sound(lanes))
        lanes /= 2;
    size_t vehicles = 0, controls = 0;
    for (size_t i = 0; i < r->engine->plan->component_count; i++) {
        const tac__component *c = r->engine->plan->components[i];
        if (c->island >= 0)
            vehicles += r->engine->islands[c->island].lanes != NULL;
        if (!strcmp(c->type->name, "flight_control"))
            controls += r->engine->instances[i]->team != NULL;
    }
    print_message("%u lanes: %zu vehicles, %zu flight controls\n", lanes, vehicles, controls);
    assert_int_equal(vehicles, lanes == 1 ? 0 : lanes == 2 ? FLEET - 1 : FLEET);
    assert_int_equal(controls, lanes == 1 ? 0 : FLEET - 1);
}

// Side by side in lanes or one by one: all of a fleet fly the same bits in as many steps.
static void test_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int widths[3];
    } runs[] = {{"{kind: euler, h_max: 250 us}", {2}},
                {"{kind: rk4}", {4}},
                {"{kind: rk23}", {8}},
                {"{kind: rk45}", {2, 4, 8}},
                {"{kind: rk45, rtol: 1e-9}", {4}},
                {"{kind: dop853}", {8}}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        uint64_t hash = 0;
        tac_counters counters = {0};
        for (size_t k = 0; k <= 3 && (k == 0 || runs[i].widths[k - 1]); k++) {
            const int lanes = k ? runs[i].widths[k - 1] : 1;
            rig r;
            open_fleet(&r, runs[i].kind, lanes);
            check_fleet(&r, (unsigned)lanes);
            rig_run(&r, TAC_TIME_MAX);
            const tac_counters got = tac_engine_counters(r.engine);
            if (k == 0) {
                hash = hash_of(&r, NULL);
                counters = got;
            }
            same(hash_of(&r, NULL), hash, runs[i].kind);
            assert_memory_equal(&got, &counters, sizeof got);
            rig_close(&r);
        }
    }
}

// --- checkpoints --------------------------------------------------------------------------------

static void test_checkpoints(void **state)
{
    (void)state;
    // Standing, spooling up, leaving the ground, flying (between boundaries), touching down.
    static const tac_time times_us[] = {500000,   2300000,  2800000,  2900123,  20000777,
                                        57305000, 57320000, 57400000, 57900000, 65000000};
    enum { TIMES = sizeof times_us / sizeof *times_us };
    const uint64_t hash = plain();
    char names[TIMES][16];
    rig r;
    flight_mission(&r, NULL);
    for (size_t i = 0; i < TIMES; i++) {
        snprintf(names[i], sizeof names[i], "%zu.checkpoint", i);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, times_us[i], path_of(names[i]), &r.err),
                         TAC_OK);
        rig_run(&r, times_us[i] + 10000);
        print_message("%.6f s: %g feet down\n", tac_time_seconds(times_us[i]),
                      rig_f64(&r, "uav.vehicle.feet_down"));
    }
    same(finish(&r, NULL), hash, "with all checkpoints taken");
    for (size_t i = 0; i < TIMES; i++) {
        flight_mission(&r, NULL);
        assert_int_equal(tac_engine_restore(r.engine, path_of(names[i]), &r.err), TAC_OK);
        assert_true(tac_engine_time(r.engine) <= times_us[i]); // of that boundary, not a later one
        same(finish(&r, NULL), hash, "from a checkpoint");
    }
}

// --- every integrator ---------------------------------------------------------------------------

static void test_every_integrator(void **state)
{
    (void)state;
    static const char *const kinds[] = {"{kind: euler}", "{kind: rk4}",    "{kind: rk23}",
                                        "{kind: rk45}",  "{kind: dop853}", "{kind: rodas4}"};
    const char *path = path_of("state.checkpoint");
    uint64_t last = 0;
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        char set[64];
        snprintf(set, sizeof set, "plant.integrator=%s", kinds[i / 2]);
        const char *split[] = {"plant.coupling=split", "timeline.physics=1 ms"};
        const char *sets[] = {set, "duration=8 s", i % 2 ? split[0] : NULL, split[1], NULL};
        if (i % 2 && i / 2 > 1) // takes turns with fixed steps
            continue;
        const uint64_t hash = straight(sets, NULL);
        assert_true(hash != last);
        last = hash;
        rig r;
        flight_mission(&r, sets);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, 3333333, path, &r.err), TAC_OK);
        while (tac_engine_time(r.engine) < 5000000)
            rig_run(&r, tac_engine_next_time(r.engine));
        same(finish(&r, NULL), hash, kinds[i / 2]);
        flight_mission(&r, sets);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        same(finish(&r, NULL), hash, kinds[i / 2]);
    }
}

TEST_MAIN(cmocka_unit_test(test_it_flies), cmocka_unit_test(test_repeats),
          cmocka_unit_test(test_pieces), cmocka_unit_test(test_observers),
          cmocka_unit_test(test_company), cmocka_unit_test(test_swarm),
          cmocka_unit_test(test_lanes), cmocka_unit_test(test_checkpoints),
          cmocka_unit_test(test_every_integrator))
