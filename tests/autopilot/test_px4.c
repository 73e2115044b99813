// Flights with the component px4 and the stand-in in the place of PX4: the square, home, several
// vehicles, several threads, topics of one's own.
#include "autopilot/px4_flight.h"
#include "support/folder.h"

#include <math.h>
#include <pthread.h>

// --- memory -------------------------------------------------------------------------------------

#if defined __SANITIZE_ADDRESS__
#define COUNTS 0
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define COUNTS 0
#endif
#endif
#ifndef COUNTS
#define COUNTS 1
#endif

static uint64_t requests; // for memory, of the whole process

#if COUNTS
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    requests++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    requests++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    requests++;
    return __libc_realloc(old, size);
}
#endif

// --- the mission --------------------------------------------------------------------------------

static const double north = 0.0001 * 3.14159265358979323846 / 180 * 6378137;

static void test_mission(void **state)
{
    (void)state;
    const double east = north * cos(47.397742 * 3.14159265358979323846 / 180);
    const double corners[4][2] = {{north, east}, {north, -east}, {-north, -east}, {-north, east}};
    double nearest[4] = {1e9, 1e9, 1e9, 1e9}, highest = 0;
    rig r;
    px4_open(&r, NULL, 0);
    for (tac_time t_us = 0; t_us <= 90000000; t_us += 100000) {
        rig_run(&r, t_us);
        const double *p = rig_read(&r, "uav.vehicle.position");
        for (int i = 0; i < 4; i++)
            nearest[i] = fmin(nearest[i], hypot(p[0] - corners[i][0], p[1] - corners[i][1]));
        highest = fmax(highest, -p[2]);
        if (t_us == 900000)
            assert_false(px4_bool(&r, "uav.control.armed"));
        if (t_us == 1900000)
            assert_true(px4_bool(&r, "uav.control.armed") &&
                        px4_i32(&r, "uav.control.nav_state") == 0 &&
                        px4_bool(&r, "uav.control.land_detected"));
        if (t_us == 2000000)
            assert_int_equal(px4_i32(&r, "uav.control.nav_state"), 3);
        if (t_us == 10000000) {
            assert_false(px4_bool(&r, "uav.control.landed"));
            assert_true(px4_i32(&r, "uav.control.mission_reached") >= 1);
            const double *control = rig_read(&r, "uav.control.control");
            const double *motor = rig_read(&r, "uav.control.motor");
            for (int i = 0; i < 12; i++)
                assert_true(i < 4 ? control[i] == motor[i] && motor[i] > 0.2 : isnan(control[i]));
            assert_true(fabs(((const double *)rig_read(&r, "uav.control.position_sp"))[2] + 12) <
                        0.5);
        }
    }
    for (int i = 0; i < 4; i++)
        assert_true(nearest[i] < 2);
    assert_true(highest > 11.5 && highest < 12.5);
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 8);
    assert_int_equal(px4_i32(&r, "uav.control.mission_total"), 8);
    assert_true(px4_bool(&r, "uav.control.mission_finished"));
    assert_true(px4_bool(&r, "uav.control.landed") && !px4_bool(&r, "uav.control.armed"));
    const double *p = rig_read(&r, "uav.vehicle.position");
    assert_true(hypot(p[0], p[1]) < 0.05);
    for (int i = 0; i < 4; i++)
        assert_true(((const double *)rig_read(&r, "uav.control.motor"))[i] == 0);
    rig_close(&r);
}

// Whatever PX4 wants, motors of a vehicle that is not armed stand still.
static void test_disarmed(void **state)
{
    (void)state;
    rig r;
    px4_open(
        &r,
        SETS(
            "scenario=[]",
            "autopilot.px4.publish=[{topic: vehicle_status, fields: {arming_state: 2, "
            "nav_state: 'if(t < 2, 0, 3)'}}, {topic: vehicle_control_mode, fields: {flag_armed: 1, "
            "flag_control_auto_enabled: 1, flag_multicopter_position_control_enabled: "
            "1}}, {topic: actuator_armed, fields: {armed: 1}}, "
            "{topic: vehicle_land_detected, fields: {landed: 0}}]"));
    rig_run(&r, 5000000);
    assert_true(((const double *)rig_read(&r, "uav.control.control"))[0] > 0.1);
    for (int i = 0; i < 4; i++)
        assert_true(((const double *)rig_read(&r, "uav.control.motor"))[i] == 0);
    assert_false(px4_bool(&r, "uav.control.armed"));
    rig_close(&r);
}

static int passed;

static void count_items(void *context, const tac_log_entry *entry)
{
    int number, total;
    (void)context;
    if (sscanf(entry->text, "item %d of %d passed", &number, &total) == 2)
        passed += number == passed + 1 && total == 8 ? 1 : 100;
}

// Each item is told of once, in order.
static void test_log(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, NULL, 0);
    tac_engine_def def = tac_config_engine_def(r.config);
    def.log = count_items;
    tac_engine *engine;
    assert_int_equal(tac_config_build(r.config, &def, &engine, &r.err), TAC_OK);
    assert_int_equal(tac_engine_run(engine, TAC_TIME_NEVER, &r.err), TAC_OK);
    assert_int_equal(passed, 8);
    tac_engine_destroy(engine);
    rig_close(&r);
}

static void test_return(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 20 s, do: "
                      "return}]"));
    rig_run(&r, 19900000);
    const double *p = rig_read(&r, "uav.vehicle.position");
    assert_true(hypot(p[0], p[1]) > 5);
    rig_run(&r, 20100000);
    assert_int_equal(px4_i32(&r, "uav.control.nav_state"), 5);
    rig_run(&r, 90000000);
    p = rig_read(&r, "uav.vehicle.position");
    assert_true(hypot(p[0], p[1]) < 0.5);
    assert_true(px4_bool(&r, "uav.control.landed") && !px4_bool(&r, "uav.control.armed"));
    assert_true(px4_i32(&r, "uav.control.mission_reached") < 8);
    rig_close(&r);
}

// A mission that becomes valid only after it was asked for is flown all the same.
static void test_late_mission(void **state)
{
    (void)state;
    rig r;
    px4_order("VALID_AFTER_US=4000000");
    px4_open(&r, NULL, 0);
    int left = 0;
    tac_time left_us = 0;
    for (tac_time t_us = 2100000; t_us <= 20000000; t_us += 4000) {
        rig_run(&r, t_us);
        if (px4_i32(&r, "uav.control.nav_state") == 0) {
            left_us = left++ ? left_us : t_us;
            assert_true(px4_bool(&r, "uav.control.armed"));
        }
    }
    assert_true(left == 13); // ticks of 4 ms in 50 ms, rounded up
    assert_true(left_us >= 4000000 && left_us < 4100000);
    assert_true(px4_i32(&r, "uav.control.mission_reached") >= 1);
    rig_close(&r);
    px4_order(NULL);
}

// Parameters reach PX4: slower, it comes later.
static void test_parameters(void **state)
{
    (void)state;
    double height[2];
    for (int slow = 0; slow < 2; slow++) {
        rig r;
        px4_open(&r, SETS(slow ? "autopilot.px4.params={MPC_Z_V_AUTO_UP: 1, RTL_TYPE: 1}"
                               : "autopilot.px4.params={}"));
        rig_run(&r, 5000000);
        height[slow] = -((const double *)rig_read(&r, "uav.vehicle.position"))[2];
        rig_close(&r);
    }
    assert_true(height[1] > 0.5 && height[1] < 0.6 * height[0]);
}

// --- repeats, threads, several vehicles ---------------------------------------------------------

enum { THREADS = 4, SHORT_US = 15000000 };

static char example[1024];

static uint64_t hash_of_flight(void)
{
    tac_error err;
    tac_registry *registry = NULL;
    tac_config *config = NULL;
    tac_engine *engine = NULL;
    uint64_t hash = 0;
    tac_config_def def = tac_config_def_default();
    tac_status status = tac_registry_create(NULL, &registry, &err);
    def.registry = registry;
    if (status == TAC_OK)
        status = tac_config_load(example, &def, &config, &err);
    if (status == TAC_OK) {
        const tac_engine_def engine_def = tac_config_engine_def(config);
        status = tac_config_build(config, &engine_def, &engine, &err);
    }
    if (status == TAC_OK)
        status = tac_engine_run(engine, SHORT_US, &err);
    if (status == TAC_OK)
        hash = tac_engine_hash(engine, NULL, NULL);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return hash;
}

static void *fly_in_thread(void *hash)
{
    *(uint64_t *)hash = hash_of_flight();
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    snprintf(example, sizeof example, "%s/examples/iris_px4.yaml", getenv("TACTUS_SOURCE"));
    const uint64_t alone = hash_of_flight();
    assert_true(alone != 0 && hash_of_flight() == alone);
    pthread_t threads[THREADS];
    uint64_t hashes[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fly_in_thread, &hashes[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_true(hashes[i] == alone);
}

static const char fleet[] = "extends: vehicles/rates.yaml\n"
                            "duration: 15 s\n"
                            "scenario: [{at: 1 s, do: arm}, {at: 2 s, do: start_mission}]\n"
                            "entities:\n"
                            "  uav:\n"
                            "    count: 1\n"
                            "    extends: vehicles/iris_px4.yaml\n"
                            "    components:\n"
                            "      control: {params: {mission: missions/square.waypoints}}\n";

static void test_fleet(void **state)
{
    (void)state;
    rig one, three;
    rig_example(&one, "fleet.yaml", fleet, NULL, 0);
    rig_example(&three, "fleet.yaml", fleet, SETS("entities.uav.count=3"));
    rig_run(&one, TAC_TIME_NEVER);
    rig_run(&three, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(one.engine, "uav1.*", NULL) ==
                tac_engine_hash(three.engine, "uav1.*", NULL));
    static const char *const signals[] = {"vehicle.position", "control.motor", "control.control"};
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "uav1.%s", signals[i]);
        const size_t bytes = i == 2 ? 12 * 8 : 3 * 8;
        char first[12 * 8];
        memcpy(first, rig_read(&one, name), bytes);
        for (int k = 1; k <= 3; k++) {
            snprintf(name, sizeof name, "uav%d.%s", k, signals[i]);
            assert_memory_equal(rig_read(&three, name), first, bytes);
        }
    }
    rig_close(&one);
    rig_close(&three);
}

// Where it starts is home, wherever that is: what differs is only rounding.
static void test_elsewhere(void **state)
{
    (void)state;
    rig r;
    px4_open(&r,
             SETS("entities.uav.components.vehicle.params.position=[3, -4]", "world.ground=25 m",
                  "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: "
                  "start_mission}, {at: 12 s, do: return}]"));
    rig_run(&r, 12000000);
    const double *p = rig_read(&r, "uav.vehicle.position");
    assert_true(-p[2] > 36.5 && -p[2] < 37.5); // 12 m above home
    const double *sp = rig_read(&r, "uav.control.position_sp");
    assert_true(fabs(sp[2] - p[2]) < 0.5 && hypot(sp[0] - p[0], sp[1] - p[1]) < 2);
    rig_run(&r, 90000000);
    p = rig_read(&r, "uav.vehicle.position");
    assert_true(hypot(p[0] - 3, p[1] + 4) < 0.5);
    assert_true(px4_bool(&r, "uav.control.landed"));
    rig_close(&r);
}

// --- topics of one's own ------------------------------------------------------------------------

static void test_topics(void **state)
{
    (void)state;
    rig r;
    px4_open(
        &r,
        SETS("autopilot.px4.publish=[{topic: battery_status, period: 5, fields: {temperature: "
             "'2 * vehicle.position.z + 1', cell_count: 3, voltage_cell_v: 4.5, "
             "'voltage_cell_v[2]': rate.y, is_required: 'estimator.velocity.z < 0'}}, {topic: "
             "vehicle_attitude, fields: {delta_q_reset: attitude, 'delta_q_reset[1]': 7}}, {topic: "
             "vehicle_angular_velocity, once: true}]",
             "autopilot.px4.subscribe=[{topic: battery_status, fields: {volts: voltage_v, amps: "
             "current_a, soc: remaining, temp: temperature, cells: voltage_cell_v, n: cell_count, "
             "required: is_required, when: timestamp, id: id}}, {topic: vehicle_attitude, fields: "
             "{q: q, dq: delta_q_reset}}, {topic: vehicle_angular_velocity, fields: {seen: "
             "timestamp}}, {topic: vehicle_local_position, fields: {lp_x: x, lp_heading: heading, "
             "lp_max: vxy_max, lp_ok: xy_valid}}, {topic: home_position, fields: {home_n: "
             "update_count, home_lat: lat}}, {topic: vehicle_global_position, fields: {gp_lat: "
             "lat, gp_t: timestamp}}, {topic: vehicle_control_mode, fields: {auto: "
             "flag_control_auto_enabled, man: flag_control_manual_enabled}}]"));
    rig_run(&r, 0);
    assert_true(rig_f64(&r, "uav.control.gp_t") == 1);
    assert_true(rig_f64(&r, "uav.control.home_n") == 2); // the one before the start counts
    double held[4] = {0};
    int climbed = 0;
    for (tac_time t_us = 0; t_us <= 8000000; t_us += 4000) {
        rig_run(&r, t_us);
        const double *p = rig_read(&r, "uav.vehicle.position");
        if (t_us % 20000 == 0) {
            held[0] = (double)(float)(2 * p[2] + 1);
            held[1] = (double)(float)*(const double *)rig_read(&r, "uav.vehicle.battery.voltage");
            held[2] = (double)(float)((const double *)rig_read(&r, "uav.estimator.rate"))[1];
            held[3] = ((const double *)rig_read(&r, "uav.estimator.velocity"))[2] < 0;
            climbed += held[3] > 0;
        }
        rig_same(rig_f64(&r, "uav.control.temp"), held[0], "temperature", t_us);
        rig_same(rig_f64(&r, "uav.control.volts"), held[1], "voltage", t_us);
        rig_same(((const double *)rig_read(&r, "uav.control.cells"))[2], held[2], "a cell", t_us);
        assert_true(rig_f64(&r, "uav.control.required") == held[3]);
        assert_true(rig_f64(&r, "uav.control.when") == (double)(t_us / 20000 * 20000));
        assert_true(rig_f64(&r, "uav.control.seen") == 0);
        const double *q = rig_read(&r, "uav.estimator.attitude");
        const double *told = rig_read(&r, "uav.control.q"), *dq = rig_read(&r, "uav.control.dq");
        for (int i = 0; i < 4; i++) {
            rig_same(told[i], (double)(float)q[i], "attitude", t_us);
            rig_same(dq[i], i == 1 ? 7 : (double)(float)q[i], "a fixed element", t_us);
        }
        assert_true(rig_f64(&r, "uav.control.home_n") == (double)(t_us / 4000 + 2));
        rig_same(rig_f64(&r, "uav.control.lp_x"), (double)(float)p[0], "x", t_us);
        const double latitude = 47.397742 + p[0] / 6378137 * 180 / 3.14159265358979323846;
        assert_true(fabs(rig_f64(&r, "uav.control.gp_lat") - latitude) < 1e-12);
        assert_true(rig_f64(&r, "uav.control.auto") == (t_us >= 2000000));
        assert_true(rig_f64(&r, "uav.control.man") == (t_us < 2000000));
        const double yaw =
            atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
        assert_true(fabs(rig_f64(&r, "uav.control.lp_heading") - yaw) < 1e-6);
    }
    const double *cells = rig_read(&r, "uav.control.cells");
    assert_true(cells[0] == 4.5 && cells[13] == 4.5);
    assert_true(rig_f64(&r, "uav.control.n") == 3 && rig_f64(&r, "uav.control.id") == 1);
    assert_true(climbed > 100 && climbed < 400); // of 401 times
    assert_true(isnan(rig_f64(&r, "uav.control.lp_max")) && rig_f64(&r, "uav.control.lp_ok") == 1);
    assert_true(fabs(rig_f64(&r, "uav.control.home_lat") - 47.397742) < 1e-12);
    assert_true(rig_f64(&r, "uav.control.soc") < 1 && rig_f64(&r, "uav.control.soc") > 0.9);
    assert_true(rig_f64(&r, "uav.control.amps") > 1);
    rig_close(&r);
}

// PX4 is told the plant's angular acceleration, so that its D gains act.
static void test_angular_acceleration(void **state)
{
    (void)state;
    static const char subscribe[] = "autopilot.px4.subscribe=[{topic: vehicle_angular_velocity, "
                                    "fields: {told: xyz_derivative}}]";
    rig r;
    px4_open(&r, SETS(subscribe));
    double most = 0;
    for (tac_time t_us = 0; t_us <= 8000000; t_us += 4000) {
        rig_run(&r, t_us);
        const double *told = rig_read(&r, "uav.control.told");
        const double *is = rig_read(&r, "uav.vehicle.angular_acceleration");
        for (int i = 0; i < 3; i++) {
            rig_same(told[i], (double)(float)is[i], "angular acceleration", t_us);
            most = fmax(most, fabs(told[i]));
        }
    }
    assert_true(most > 0.1);
    const uint64_t with = tac_engine_hash(r.engine, "uav.vehicle.*", NULL);
    rig_close(&r);
    px4_open(&r, SETS(subscribe, "autopilot.px4.params={MC_ROLLRATE_D: 0, MC_PITCHRATE_D: 0}"));
    rig_run(&r, 8000000);
    assert_true(tac_engine_hash(r.engine, "uav.vehicle.*", NULL) != with);
    rig_close(&r);
}

// `battery_status.warning` follows PX4's thresholds: those of the library, which `params` may
// change.
static void test_battery_warning(void **state)
{
    (void)state;
    static const struct {
        double soc;
        const char *params;
        int warning;
    } rows[] = {{0.5, "{}", 0},
                {0.14, "{}", 1},
                {0.06, "{}", 2},
                {0.04, "{}", 3},
                {0.5, "{BAT_LOW_THR: 0.6}", 1},
                {0.14, "{BAT_LOW_THR: 0.1}", 0},
                {0.5, "{BAT_LOW_THR: 0.1, BAT_CRIT_THR: 0.6}", 2},
                {0.5, "{BAT_EMERGEN_THR: 0.6}", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char soc[128], params[128];
        snprintf(soc, sizeof soc, "entities.uav.components.vehicle.params.batteries={soc: %g}",
                 rows[i].soc);
        snprintf(params, sizeof params, "autopilot.px4.params=%s", rows[i].params);
        rig r;
        px4_open(&r, SETS(soc, params,
                          "autopilot.px4.subscribe=[{topic: battery_status, fields: {level: "
                          "warning}}]"));
        rig_run(&r, 100000);
        if (rig_f64(&r, "uav.control.level") != rows[i].warning)
            fail_msg("%g with %s: %g, not %d", rows[i].soc, rows[i].params,
                     rig_f64(&r, "uav.control.level"), rows[i].warning);
        rig_close(&r);
    }
}

// Servos are a signal: NaN until PX4 publishes any.
static void test_servos(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("duration=3 s"));
    rig_run(&r, 1000000);
    for (int i = 0; i < 8; i++)
        assert_true(isnan(((const double *)rig_read(&r, "uav.control.servo"))[i]));
    rig_close(&r);
    px4_open(&r, SETS("autopilot.px4.publish=[{topic: actuator_servos, fields: {control: nan, "
                      "'control[0]': 0.25, 'control[7]': '-vehicle.position.z'}}]"));
    rig_run(&r, 8000000);
    const double *servo = rig_read(&r, "uav.control.servo");
    const double *p = rig_read(&r, "uav.vehicle.position");
    assert_true(servo[0] == 0.25 && isnan(servo[1]) && servo[7] == -(double)(float)p[2]);
    rig_close(&r);
}

// Without a place the stand-in's mission never is valid; without motors nothing lifts.
static void test_off(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("autopilot.px4.publish=[{topic: home_position, off: true}]"));
    rig_run(&r, 3000000);
    assert_false(px4_bool(&r, "uav.control.mission_valid"));
    rig_close(&r);
    px4_open(&r, SETS("autopilot.px4.subscribe=[{topic: actuator_motors, off: true}]"));
    rig_run(&r, 6000000);
    assert_true(px4_bool(&r, "uav.control.mission_valid"));
    assert_true(px4_bool(&r, "uav.control.landed"));
    rig_close(&r);
}

// Each battery is an instance of its topic.
static void test_batteries(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("entities.uav.components.vehicle.params.batteries=[{kind: ideal, voltage: 12 "
                      "V}, {kind: ideal, voltage: 12 V}]",
                      "entities.uav.components.scenario.params.batteries=2",
                      "autopilot.px4.subscribe=[{topic: battery_status, instance: 1, fields: "
                      "{second: id, amps: current_a}}]"));
    rig_run(&r, 3000000);
    assert_true(rig_f64(&r, "uav.control.second") == 2);
    const double *amps = rig_read(&r, "uav.vehicle.battery.current");
    rig_same(rig_f64(&r, "uav.control.amps"), (double)(float)amps[1], "current", 3000000);
    rig_close(&r);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *set, *part, *more;
    } cases[] = {
        {"autopilot.px4.publish=[{topic: vehicle_atitude}]", "vehicle_atitude",
         "did you mean 'vehicle_attitude'"},
        {"autopilot.px4.publish=[{topic: vehicle_attitude, fields: {qq: 1}}]", "qq", "'q'"},
        {"autopilot.px4.publish=[{topic: vehicle_attitude, fields: {quat_reset_counter: rate}}]",
         "3 elements", "has 1"},
        {"autopilot.px4.publish=[{topic: vehicle_angular_velocity, fields: {xyz: heading}}]",
         "'heading' has 1 element, field 'xyz' has 3", "name elements"},
        {"autopilot.px4.publish=[{topic: home_position, off: true}, {topic: home_position, fields: "
         "{yaw: 1}}]",
         "topic 'home_position' is there already", "publish[0]"},
        {"autopilot.px4.publish=[{topic: battery_status, instance: 0, period: 2}, {topic: "
         "battery_status}]",
         "topic 'battery_status' is there already", "publish[0]"},
        {"autopilot.px4.publish=[{topic: vehicle_attitude, fields: {q: 'vehicle.position.z'}}]",
         "formula", "name an element"},
        {"autopilot.px4.publish=[{topic: vehicle_attitude, fields: {'q[0]': '1 +'}}]", "expected",
         ""},
        {"autopilot.px4.publish=[{topic: vehicle_attitude, fields: {'q[0]': nosuch.signal}}]",
         "nosuch", ""},
        {"autopilot.px4.publish=[{topic: vehicle_attitude, perod: 2}]", "perod", "period"},
        {"autopilot.px4.subscribe=[{topic: vehicle_attitude, fields: {a: qq}}]", "qq", ""},
        {"autopilot.px4.subscribe=[{topic: vehicle_attitude, fields: {motor: q}}]", "motor", ""},
        {"autopilot.px4.libary=x", "libary", "library"},
        {"autopilot.px5={}", "px5", "px4"},
        {"entities.uav.components.control.params.mission=missions/none.waypoints", "cannot open",
         "none.waypoints"},
        {"entities.uav.components.control.params.mission=/dev/null", "QGC WPL 110", ""},
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/iris_px4.yaml", getenv("TACTUS_SOURCE"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        const tac_status status = rig_try_all(&r, path, NULL, &cases[i].set, 1);
        if (tac_status_exit_code(status) != 2 || !strstr(r.err.text, cases[i].part) ||
            !strstr(r.err.text, cases[i].more)) {
            rig_show(&r);
            fail_msg("%s", cases[i].set);
        }
        rig_close(&r);
    }
}

static uint64_t hash_after(const char *set)
{
    rig r;
    px4_open(&r, &set, set ? 1 : 0);
    rig_run(&r, 5000000);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

// Messages from files: the same fly the same, another one is noticed; what a default fills and the
// file does not have is left out.
static void test_msg_dir(void **state)
{
    (void)state;
    char set[1200];
    snprintf(set, sizeof set, "autopilot.px4.msg_dir=%s/tests/autopilot/data/px4_msg",
             getenv("TACTUS_SOURCE"));
    assert_true(hash_after(set) == hash_after(NULL));

    FILE *file = fopen(path_of("HomePosition.msg"), "w");
    fputs("uint64 timestamp\nfloat64 lat\nfloat64 lon\nfloat32 alt\n", file);
    fclose(file);
    snprintf(set, sizeof set, "autopilot.px4.msg_dir=%s", path_of("."));
    const char *sets[] = {set, "autopilot.px4.publish=[{topic: home_position, off: true}]"};
    px4_fails(NULL, sets, 1, TAC_E_ABI,
              PARTS("'home_position' has 64 bytes and hash 159bab7e in the library",
                    "32 bytes and hash"));
    rig r;
    px4_open(&r, sets, 2);
    rig_run(&r, 100000);
    rig_close(&r);
}

// What the component sets itself counts, also inside a map.
static void test_whose_parameters(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("autopilot.px4={library: /nowhere, params: {RTL_TYPE: 1, MPC_NO_SUCH: 1}}",
                      "entities.uav.components.control.params.params={MPC_NO_SUCH: ~}"));
    char *text = tac_config_resolved(r.config);
    assert_non_null(strstr(text, "RTL_TYPE: 1"));
    assert_non_null(strstr(text, "library: /nowhere"));
    assert_null(strstr(text, "autopilot:"));
    tac_text_free(text);
    rig_close(&r);
}

// --- the engine ---------------------------------------------------------------------------------

static void test_no_memory_in_the_loop(void **state)
{
    (void)state;
    if (!COUNTS)
        skip();
    rig r;
    px4_open(&r, SETS("autopilot.px4.publish=[{topic: battery_status, fields: {temperature: "
                      "'vehicle.position.z'}}]"));
    rig_run(&r, 1000000);
    const uint64_t before = requests;
    rig_run(&r, 8000000);
    assert_true(before > 0 && requests == before);
    rig_close(&r);
}

static void test_checkpoint_is_refused(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, NULL, 0);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 1000000, "nothing", &r.err),
                     TAC_E_UNSAVABLE);
    assert_non_null(strstr(r.err.text, "uav.control"));
    rig_close(&r);
}

// To check and explain, no library is needed.
static void test_without_library(void **state)
{
    (void)state;
    rig r;
    px4_library("/nowhere.so");
    px4_open(&r, SETS("autopilot.px4.library=/nowhere/else.so"));
    char *text = tac_engine_explain(r.engine, TAC_FORMAT_TEXT);
    assert_non_null(text);
    tac_text_free(text);
    rig_close(&r);
    px4_library("px4_standin");
}

int main(void)
{
    px4_order(NULL);
    px4_library("px4_standin");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mission),
        cmocka_unit_test(test_disarmed),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_return),
        cmocka_unit_test(test_late_mission),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_angular_acceleration),
        cmocka_unit_test(test_battery_warning),
        cmocka_unit_test(test_servos),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_batteries),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_msg_dir),
        cmocka_unit_test(test_whose_parameters),
        cmocka_unit_test(test_no_memory_in_the_loop),
        cmocka_unit_test(test_checkpoint_is_refused),
        cmocka_unit_test(test_without_library),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
