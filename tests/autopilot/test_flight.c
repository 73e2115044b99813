// Whole flights in a plant of the test's own: missions, orders, wind and noise, lost motors.
#include "support/test.h"

#include "autopilot/plant.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct rig {
    plant p;
    tac__control_shape shape;
    tac__flight f;
    tac__mission mission;
    bool arm;
    int32_t mode;
    tac__flight_in in;
    tac__flight_numbers n;
    tac__flight_words w;
    tac__control_out out;
    double t;
    double highest, speed; // of the flight so far
    bool finite;
} rig;

static rig g; // large

// --- a flight -----------------------------------------------------------------------------------

static const double degree = 3.14159265358979323846 / 180, radius = 6378137;

static tac__mission_item waypoint(double north, double east, double up, double hold_s)
{
    return (tac__mission_item){.kind = TAC__ITEM_WAYPOINT,
                               .above_home = true,
                               .north_m = north,
                               .east_m = east,
                               .altitude_m = up,
                               .hold_s = hold_s,
                               .yaw_rad = TAC__OPEN};
}

static void begin(int rotors)
{
    memset(&g, 0, sizeof g);
    if (rotors == 4)
        plant_iris(&g.p);
    else
        plant_ring(&g.p, rotors);
    g.f.sea_level_m = 488;
    g.f.acceptance_m = 1;
    g.f.takeoff_m = 10;
    g.f.return_m = 15;
    g.f.slow_m = 2;
    g.f.spool_s = 0.8;
    tac__control_init(&g.f.control, &g.shape, &g.p.v, &plant_tuning);
    g.in.cruise_speed = 5;
    g.in.climb_speed = 2.5;
    g.in.descend_speed = 1.5;
    g.in.land_speed = 0.5;
    for (int i = 0; i < TAC__ROTORS_MAX; i++)
        g.in.voltage[i] = 12;
    g.in.arm = &g.arm;
    g.in.mode = &g.mode;
    g.finite = true;
    tac__flight_init(&g.shape, (tac__flight_state){&g.n, &g.w});
}

static void load_square(void)
{
    const char *source = getenv("TACTUS_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/missions/square.waypoints", source ? source : ".");
    const tac_world world = {.latitude_rad = 47.397742 * degree,
                             .longitude_rad = 8.545594 * degree,
                             .altitude_m = 488,
                             .geodesy = TAC_GEODESY_SPHERE};
    tac_error err;
    if (tac__mission_read(path, &world, NULL, &g.mission, &err) != TAC_OK)
        fail_msg("%s", err.text);
}

static void step(void)
{
    plant_estimate(&g.p, &g.in);
    uint32_t lost;
    tac__flight_step_f64(&g.shape, &g.f, &(const tac__mission *){&g.mission}, 0.004, &g.in,
                         (tac__flight_state){&g.n, &g.w}, &g.out, &lost);
    memcpy(g.p.duty, g.out.duty, sizeof g.p.duty);
    for (int i = 0; i < g.p.v.rotors; i++)
        g.finite = g.finite && g.out.duty[i] >= 0 && g.out.duty[i] <= 1;
    for (int i = 0; i < 4; i++)
        plant_millisecond(&g.p);
    g.t += 0.004;
    g.highest = -g.p.x[2] > g.highest ? -g.p.x[2] : g.highest;
    const double speed = hypot(g.p.x[3], g.p.x[4]);
    g.speed = speed > g.speed ? speed : g.speed;
    assert_true(g.finite && g.t < 300);
}

// Until the phase is reached; fails after `limit` seconds.
static void fly_to(tac__flight_phase phase, double limit)
{
    const double end = g.t + limit;
    while (g.w.phase != (int32_t)phase) {
        if (g.t > end)
            fail_msg("%s after %g s instead of %s, at %.2f %.2f %.2f",
                     tac__flight_phase_labels[g.w.phase], g.t, tac__flight_phase_labels[phase],
                     g.p.x[0], g.p.x[1], g.p.x[2]);
        step();
    }
}

static void fly_for(double seconds)
{
    for (const double end = g.t + seconds; g.t < end;)
        step();
}

static void start_mission(void)
{
    fly_for(1);
    g.arm = true;
    fly_for(1);
    g.mode = TAC__MODE_MISSION;
}

static double landing_error(double north, double east)
{
    return hypot(g.p.x[0] - north, g.p.x[1] - east);
}

static void assert_landed(void)
{
    fly_for(1);
    assert_true(g.w.landed && !g.w.armed && fabs(g.p.x[2]) < 0.02);
    for (int i = 0; i < g.p.v.rotors; i++)
        assert_true(g.out.duty[i] == 0);
}

static void add_wind_and_noise(uint64_t seed)
{
    g.p.seed = seed;
    g.p.noise = 1;
    g.p.sigma[0] = g.p.sigma[1] = 1.5;
    g.p.sigma[2] = 0.5;
}

// --- missions -----------------------------------------------------------------------------------

static void test_square(void **state)
{
    (void)state;
    begin(4);
    load_square();
    fly_for(0.5);
    assert_true(g.out.duty[0] == 0 && g.w.landed);
    start_mission();
    assert_true(g.out.duty[0] == plant_tuning.idle);
    const double north = 1e-4 * degree * radius, east = north * cos(47.397742 * degree);
    double beyond = 0, off_level = 0;
    fly_to(TAC__PHASE_MISSION, 10);
    while (g.w.phase == TAC__PHASE_MISSION && g.t < 80) {
        step();
        // The corners are the farthest points of the flight.
        beyond = fmax(beyond, fmax(fabs(g.p.x[0]) - north, fabs(g.p.x[1]) - east));
        if (g.w.item > 1 && g.w.item < 6)
            off_level = fmax(off_level, fabs(g.p.x[2] + 12));
    }
    fly_to(TAC__PHASE_LANDED, 20);
    assert_int_equal(g.w.reached, 8);
    assert_true(g.t < 65);
    assert_true(beyond < 0.1 && off_level < 0.1 && g.highest < 12.1 && g.speed < 1.05 * 5);
    assert_true(landing_error(0, 0) < 0.02);
    assert_landed();
}

static void test_square_with_wind_and_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        begin(4);
        load_square();
        add_wind_and_noise(seed);
        start_mission();
        fly_to(TAC__PHASE_LANDED, 80);
        assert_int_equal(g.w.reached, 8);
        assert_true(landing_error(0, 0) < 0.3 && g.highest < 12.5);
        assert_landed();
    }
}

// A corner without a stop: rounded inside its radius, and not cut by more.
static void test_corner(void **state)
{
    (void)state;
    for (int turn = 30; turn <= 150; turn += 60) {
        begin(4);
        const double angle = turn * degree;
        tac__mission_item *items = g.mission.items;
        items[0] = waypoint(30, 0, 10, 0);
        items[1] = waypoint(30 + 30 * cos(angle), 30 * sin(angle), 10, 1);
        items[0].radius_m = 3;
        g.mission.count = 2;
        start_mission();
        double beyond = 0, nearest = 1e9, slowest = 1e9;
        const double out[2] = {sin(angle), -cos(angle)}; // to the outside of the second leg
        while (g.w.reached < 2 && g.t < 60) {
            step();
            const double from[2] = {g.p.x[0] - 30, g.p.x[1]};
            nearest = fmin(nearest, hypot(from[0], from[1]));
            if (g.w.reached == 1)
                beyond = fmax(beyond, from[0] * out[0] + from[1] * out[1]);
            if (nearest < 4 && hypot(from[0], from[1]) < 4)
                slowest = fmin(slowest, hypot(g.p.x[3], g.p.x[4]));
        }
        assert_int_equal(g.w.reached, 2);
        assert_true(nearest < 3 && beyond < 0.3);
        assert_true(turn > 90 || slowest > 1); // it does not stop
    }
}

// Without a mission it goes up and stays there.
static void test_hover(void **state)
{
    (void)state;
    begin(4);
    start_mission();
    fly_to(TAC__PHASE_HOLD, 15);
    fly_for(5);
    assert_true(fabs(g.p.x[2] + 10) < 0.02 && landing_error(0, 0) < 0.02);
}

static void test_yaw(void **state)
{
    (void)state;
    begin(4);
    g.mission.items[0] = waypoint(0, 20, 10, 3); // east, nose ahead
    g.mission.items[1] = waypoint(0, 0, 10, 3);
    g.mission.items[1].yaw_rad = -120 * degree;
    g.mission.count = 2;
    start_mission();
    const double expected[] = {90, -120};
    for (int i = 0; i < 2; i++) {
        while (g.w.reached <= i && g.t < 60)
            step();
        const double *q = g.p.x + 6;
        const double yaw =
            atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
        assert_true(fabs(yaw / degree - expected[i]) < 1);
    }
}

// --- orders -------------------------------------------------------------------------------------

static void test_return(void **state)
{
    (void)state;
    begin(4);
    g.mission.items[0] = waypoint(40, -20, 8, 100);
    g.mission.count = 1;
    start_mission();
    while (hypot(g.p.x[0], g.p.x[1]) < 30)
        step();
    g.mode = TAC__MODE_RETURN;
    fly_to(TAC__PHASE_RETURN, 1);
    fly_to(TAC__PHASE_LAND, 40);
    assert_true(g.highest > 14 && g.highest < 15.2); // climbed first
    fly_to(TAC__PHASE_LANDED, 30);
    assert_int_equal(g.w.reached, 0);
    assert_true(landing_error(0, 0) < 0.1);
    assert_landed();
}

static void test_return_item(void **state)
{
    (void)state;
    begin(4);
    g.mission.items[0] = waypoint(10, 0, 8, 0);
    g.mission.items[1] =
        (tac__mission_item){.kind = TAC__ITEM_RETURN, .here = true, .yaw_rad = TAC__OPEN};
    g.mission.count = 2;
    start_mission();
    fly_to(TAC__PHASE_RETURN, 20);
    fly_to(TAC__PHASE_LANDED, 60);
    assert_int_equal(g.w.reached, 2);
    assert_true(landing_error(0, 0) < 0.1);
}

static void test_hold_land_and_again(void **state)
{
    (void)state;
    begin(4);
    load_square();
    start_mission();
    while (g.w.reached < 2)
        step();
    fly_for(2); // at speed
    g.mode = TAC__MODE_IDLE;
    fly_for(9);
    const double stop[3] = {g.p.x[0], g.p.x[1], g.p.x[2]};
    fly_for(3);
    assert_int_equal(g.w.phase, TAC__PHASE_HOLD);
    assert_true(hypot(g.p.x[0] - stop[0], g.p.x[1] - stop[1]) < 0.05);
    assert_true(fabs(g.p.x[2] + 12) < 0.05);
    g.mode = TAC__MODE_LAND;
    fly_to(TAC__PHASE_LANDED, 30);
    assert_true(landing_error(stop[0], stop[1]) < 0.1);
    assert_landed();
    // It stays down until it is armed anew, then goes on with the item it was at.
    g.mode = TAC__MODE_MISSION;
    fly_for(1);
    assert_true(g.w.landed);
    g.arm = false;
    fly_for(0.1);
    g.arm = true;
    fly_to(TAC__PHASE_MISSION, 15);
    assert_int_equal(g.w.item, 2);
    fly_to(TAC__PHASE_LANDED, 80);
    assert_int_equal(g.w.reached, 8);
}

static void test_disarmed_in_the_air(void **state)
{
    (void)state;
    begin(4);
    start_mission();
    fly_for(3);
    g.arm = false;
    step();
    assert_true(g.out.duty[0] == 0 && !g.w.armed && !g.w.landed);
    fly_for(4);
    assert_true(g.w.landed);
}

// --- lost motors --------------------------------------------------------------------------------

static void test_octo_loses_a_motor(void **state)
{
    (void)state;
    for (int motor = 0; motor < 8; motor += 5) {
        begin(8);
        load_square();
        add_wind_and_noise((uint64_t)motor + 1);
        start_mission();
        fly_for(20);
        g.p.lost[motor] = 1;
        fly_for(0.15);
        assert_true(g.n.works[motor] == 0 && g.w.yaw_held && g.w.can_hover);
        double turned = 0, off = 0;
        while (g.w.phase != TAC__PHASE_LANDED && g.t < 90) {
            step();
            turned = fmax(turned, fabs(g.p.x[9]));
            if (g.w.phase == TAC__PHASE_MISSION && g.w.item < 6)
                off = fmax(off, fabs(g.p.x[2] + 12));
        }
        assert_int_equal(g.w.reached, 8);
        assert_true(turned < 0.05 && off < 0.5 && landing_error(0, 0) < 0.3);
    }
}

static void test_hexa_loses_a_motor(void **state)
{
    (void)state;
    for (int motor = 0; motor < 6; motor += 2) {
        begin(6);
        load_square();
        add_wind_and_noise((uint64_t)motor + 1);
        start_mission();
        fly_for(20);
        g.p.lost[motor] = 1;
        fly_for(0.15);
        assert_true(g.n.works[motor] == 0 && !g.w.yaw_held && g.w.can_hover);
        double spin = 0, off = 0;
        while (g.w.phase != TAC__PHASE_LANDED && g.t < 90) {
            step();
            spin = fmax(spin, fabs(g.p.x[12]));
            if (g.w.phase == TAC__PHASE_MISSION && g.w.item < 6)
                off = fmax(off, fabs(g.p.x[2] + 12));
        }
        assert_int_equal(g.w.reached, 8);
        assert_true(spin < 4 && off < 0.5 && landing_error(0, 0) < 0.3);
    }
}

// Nothing is promised but that it comes down, with numbers that are numbers.
static void test_quad_loses_a_motor(void **state)
{
    (void)state;
    for (int motor = 0; motor < 4; motor++) {
        begin(4);
        load_square();
        start_mission();
        fly_for(20);
        g.p.lost[motor] = 1;
        fly_for(0.15);
        assert_true(!g.w.can_hover && g.w.phase == TAC__PHASE_LAND);
        fly_to(TAC__PHASE_LANDED, 60);
        assert_true(g.w.reached < 8);
    }
}

// Motors that follow, however fast they have to, are not taken for lost; nor are heavy ones, which
// are late, in a whole flight.
static void test_no_false_alarm(void **state)
{
    (void)state;
    begin(4);
    load_square();
    add_wind_and_noise(9);
    start_mission();
    for (int k = 0; k < 20 * 250; k++) {
        if (k % 100 == 0) {
            g.p.wind[0] = k % 200 ? 12 : -12;
            g.in.cruise_speed = k % 200 ? 10 : 1;
        }
        step();
    }
    for (int i = 0; i < 4; i++)
        assert_true(g.n.works[i] == 1);

    begin(4);
    tac__control_tuning slow = plant_tuning;
    slow.rate = 7;
    slow.attitude = 2.3;
    slow.yaw_rate = 2.8;
    slow.yaw = 1.1;
    slow.velocity = 1;
    slow.position = 0.4;
    for (int i = 0; i < 4; i++)
        g.p.v.rotor[i].motor.inertia *= 6;
    tac__control_init(&g.f.control, &g.shape, &g.p.v, &slow);
    load_square();
    start_mission();
    fly_to(TAC__PHASE_LANDED, 80);
    for (int i = 0; i < 4; i++)
        assert_true(g.n.works[i] == 1);
}

// --- state --------------------------------------------------------------------------------------

// All that matters is in the two structs: a copy of them flies on as the original does.
static void test_state_is_whole(void **state)
{
    (void)state;
    begin(4);
    load_square();
    add_wind_and_noise(4);
    start_mission();
    fly_for(30);
    static rig copy;
    copy = g;
    fly_for(20);
    const rig straight = g;
    memset(&g.out, 0x55, sizeof g.out);
    g.n = copy.n;
    g.w = copy.w;
    g.p = copy.p;
    g.t = copy.t;
    fly_for(20);
    assert_memory_equal(&g.n, &straight.n, sizeof g.n);
    assert_memory_equal(&g.w, &straight.w, sizeof g.w);
    assert_memory_equal(g.p.x, straight.p.x, sizeof g.p.x);
}

TEST_MAIN(cmocka_unit_test(test_square), cmocka_unit_test(test_square_with_wind_and_noise),
          cmocka_unit_test(test_corner), cmocka_unit_test(test_hover), cmocka_unit_test(test_yaw),
          cmocka_unit_test(test_return), cmocka_unit_test(test_return_item),
          cmocka_unit_test(test_hold_land_and_again), cmocka_unit_test(test_disarmed_in_the_air),
          cmocka_unit_test(test_octo_loses_a_motor), cmocka_unit_test(test_hexa_loses_a_motor),
          cmocka_unit_test(test_quad_loses_a_motor), cmocka_unit_test(test_no_false_alarm),
          cmocka_unit_test(test_state_is_whole))
