// The stand-in for libpx4_lockstep flies a plant of the tests' own, with the truth as estimate: the
// square, the way home, holding, a mission that is valid too late; the same bits wherever it flies.
#include "autopilot/px4_library.h"
#include "autopilot/plant.h"

#include <sys/wait.h>
#include <unistd.h>

static const double degree = 3.14159265358979323846 / 180, radius = 6378137;
static const double home[3] = {47.397742, 8.545594, 488};

enum { MANUAL = 0, MISSION = 3, LOITER = 4, RETURN = 5 };

// In the order in which they are published; battery_status is not needed for flying.
static const char *const inputs[] = {"battery_status",           "vehicle_attitude",
                                     "vehicle_local_position",   "vehicle_global_position",
                                     "vehicle_angular_velocity", "vehicle_land_detected",
                                     "vehicle_status",           "vehicle_control_mode",
                                     "actuator_armed",           "home_position"};
enum { INPUTS = sizeof inputs / sizeof *inputs };

typedef struct rig {
    px4 lib;
    plant p;
    int32_t pub[INPUTS], motors, result;
    uint8_t message[INPUTS][PX4_BYTES];
    const char *withheld; // a topic that is not published
    const char *cleared;  // a flag that is 0 wherever it stands
    uint64_t t_us, asked_us;
    uint32_t ticks;
    bool armed, valid, finished;
    int results; // messages of mission_result
    int nav_state, reached, total;
    float control[12];
    double highest, corner[4]; // the least distance from each
    uint64_t digest;
} rig;

// --- a vehicle ----------------------------------------------------------------------------------

static void set_f32(px4 *p, int rotor, const char *field, double value)
{
    char name[32];
    snprintf(name, sizeof name, "CA_ROTOR%d_%s", rotor, field);
    assert_int_equal(p->param_set_f32(p->h, name, (float)value), 0);
}

static void set_geometry(rig *g)
{
    px4 *p = &g->lib;
    p->autosave(false);
    assert_int_equal(p->param_set_i32(p->h, "CA_AIRFRAME", 0), 0);
    assert_int_equal(p->param_set_i32(p->h, "CA_ROTOR_COUNT", g->p.v.rotors), 0);
    for (int i = 0; i < g->p.v.rotors; i++) {
        const tac__rotor *r = &g->p.v.rotor[i];
        set_f32(p, i, "PX", r->position_m[0]);
        set_f32(p, i, "PY", r->position_m[1]);
        set_f32(p, i, "PZ", r->position_m[2]);
        set_f32(p, i, "KM", 0.05 * r->direction);
        set_f32(p, i, "AX", -r->axis[0]);
        set_f32(p, i, "AY", -r->axis[1]);
        set_f32(p, i, "AZ", -r->axis[2]);
    }
    assert_int_equal(p->control_alloc_update_params(p->h), 0);
}

static int32_t subscribe(rig *g, const char *topic)
{
    int32_t id;
    uint32_t size;
    assert_int_equal(g->lib.orb_create_subscriber(g->lib.h, topic, 0, &id, &size), 0);
    assert_int_equal(size, px4_message_of(topic)->size);
    return id;
}

static void begin(rig *g, int rotors)
{
    memset(g, 0, sizeof *g);
    if (rotors == 4)
        plant_iris(&g->p);
    else
        plant_ring(&g->p, rotors);
    g->lib = px4_start("px4_standin", px4_defaults);
    g->reached = -1;
    for (int i = 0; i < 4; i++)
        g->corner[i] = 1e9;
    set_geometry(g);
    for (int i = 0; i < INPUTS; i++) {
        int32_t instance;
        uint32_t size;
        assert_int_equal(g->lib.orb_create_publisher_ex(g->lib.h, inputs[i], 0, 0, 0, &g->pub[i],
                                                        &instance, &size),
                         0);
        assert_int_equal(size, px4_message_of(inputs[i])->size);
    }
    g->motors = subscribe(g, "actuator_motors");
    g->result = subscribe(g, "mission_result");
}

// Without the row of planned home; or with it, as planners write it.
static void load_mission(rig *g, bool with_home)
{
    const char *source = getenv("TACTUS_SOURCE");
    char from[1024], row[256];
    snprintf(from, sizeof from, "%s/examples/missions/square.waypoints", source ? source : ".");
    const char *to = path_of("items");
    FILE *file = fopen(from, "r"), *items = fopen(to, "w");
    assert_true(file && items);
    for (int i = 0; fgets(row, sizeof row, file); i++) {
        if (i != 1 || with_home)
            fputs(row, items);
    }
    fclose(file);
    assert_int_equal(fclose(items), 0);
    assert_int_equal(g->lib.load_mission_qgc_wpl(g->lib.h, to), 0);
}

static void load_square(rig *g)
{
    load_mission(g, false);
}

// --- a tick of 4 ms -----------------------------------------------------------------------------

static void put(rig *g, int input, const char *field, int i, double value)
{
    const bool clear = g->cleared && strcmp(g->cleared, field) == 0;
    px4_put(g->message[input], inputs[input], field, i, clear ? 0 : value);
}

static void put_state(rig *g)
{
    const double *x = g->p.x;
    static const char *const local[] = {"x", "y", "z", "vx", "vy", "vz"};
    for (int i = 0; i < 4; i++)
        put(g, 1, "q", i, x[6 + i]);
    for (int i = 0; i < 6; i++)
        put(g, 2, local[i], 0, x[i]);
    put(g, 2, "z_deriv", 0, x[5]);
    put(g, 2, "ref_lat", 0, home[0]);
    put(g, 2, "ref_lon", 0, home[1]);
    put(g, 2, "ref_alt", 0, home[2]);
    static const char *const flags[] = {
        "xy_valid",  "z_valid", "v_xy_valid", "v_z_valid", "heading_good_for_control",
        "xy_global", "z_global"};
    for (int i = 0; i < 7; i++)
        put(g, 2, flags[i], 0, 1);
    put(g, 3, "lat", 0, home[0] + x[0] / radius / degree);
    put(g, 3, "lon", 0, home[1] + x[1] / (radius * cos(home[0] * degree)) / degree);
    put(g, 3, "alt", 0, home[2] - x[2]);
    put(g, 3, "lat_lon_valid", 0, 1);
    put(g, 3, "alt_valid", 0, 1);
    for (int i = 0; i < 3; i++)
        put(g, 4, "xyz", i, x[10 + i]);
}

static void put_orders(rig *g)
{
    const bool forced = g->armed && g->asked_us > 0 && g->t_us >= g->asked_us + 500000;
    const bool landed = !forced && g->p.x[2] >= -0.05 && fabs(g->p.x[5]) < 0.2;
    const bool automatic = g->nav_state != MANUAL;
    put(g, 5, "ground_contact", 0, landed);
    put(g, 5, "maybe_landed", 0, landed);
    put(g, 5, "landed", 0, landed);
    put(g, 6, "arming_state", 0, g->armed ? 2 : 1);
    put(g, 6, "nav_state", 0, g->nav_state);
    put(g, 6, "nav_state_user_intention", 0, g->nav_state);
    put(g, 6, "vehicle_type", 0, 1);
    put(g, 7, "flag_armed", 0, g->armed);
    put(g, 7, "flag_control_auto_enabled", 0, automatic);
    put(g, 7, "flag_control_manual_enabled", 0, !automatic);
    put(g, 7, "flag_multicopter_position_control_enabled", 0, automatic);
    static const char *const loops[] = {"position", "velocity", "altitude",  "climb_rate",
                                        "attitude", "rates",    "allocation"};
    for (int i = 0; i < 7; i++) {
        char name[64];
        snprintf(name, sizeof name, "flag_control_%s_enabled", loops[i]);
        put(g, 7, name, 0, 1);
    }
    put(g, 8, "armed", 0, g->armed);
    put(g, 8, "prearmed", 0, g->armed);
    put(g, 8, "ready_to_arm", 0, 1);
    put(g, 9, "lat", 0, home[0]);
    put(g, 9, "lon", 0, home[1]);
    put(g, 9, "alt", 0, home[2]);
    put(g, 9, "update_count", 0, ++g->ticks);
    put(g, 9, "valid_alt", 0, 1);
    put(g, 9, "valid_hpos", 0, 1);
    put(g, 9, "valid_lpos", 0, 1);
}

static bool copy(rig *g, int32_t id, const char *topic, uint8_t *bytes)
{
    int32_t updated;
    assert_int_equal(g->lib.orb_check(g->lib.h, id, &updated), 0);
    if (updated)
        assert_int_equal(g->lib.orb_copy(g->lib.h, id, bytes, px4_message_of(topic)->size), 0);
    return updated;
}

static void digest(rig *g, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        g->digest = (g->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static void read_back(rig *g)
{
    uint8_t bytes[PX4_BYTES];
    if (copy(g, g->motors, "actuator_motors", bytes)) {
        digest(g, bytes, px4_message_of("actuator_motors")->size);
        for (int i = 0; i < 12; i++)
            g->control[i] = (float)px4_get(bytes, "actuator_motors", "control", i);
    }
    if (copy(g, g->result, "mission_result", bytes)) {
        digest(g, bytes, px4_message_of("mission_result")->size);
        g->results++;
        g->valid = px4_get(bytes, "mission_result", "valid", 0) > 0;
        g->finished = px4_get(bytes, "mission_result", "finished", 0) > 0;
        g->reached = (int)px4_get(bytes, "mission_result", "seq_reached", 0);
        g->total = (int)px4_get(bytes, "mission_result", "seq_total", 0);
    }
}

// Publishes, steps, reads the motors; time stands still.
static void tick(rig *g)
{
    put_state(g);
    put_orders(g);
    for (int i = 0; i < INPUTS; i++) {
        put(g, i, "timestamp", 0, g->t_us > 0 ? (double)g->t_us : 1);
        if (!g->withheld || strcmp(g->withheld, inputs[i]) != 0)
            assert_int_equal(g->lib.orb_queue_publish(g->lib.h, g->pub[i], g->message[i],
                                                      px4_message_of(inputs[i])->size),
                             0);
    }
    assert_int_equal(g->lib.step_uorb(g->lib.h, g->t_us), 0);
    read_back(g);
}

static double corner_distance(const rig *g, int i)
{
    static const double north[] = {1, 1, -1, -1}, east[] = {1, -1, -1, 1};
    const double n = 1e-4 * degree * radius, e = n * cos(home[0] * degree);
    return hypot(g->p.x[0] - north[i] * n, g->p.x[1] - east[i] * e);
}

static void advance(rig *g)
{
    tick(g);
    for (int i = 0; i < g->p.v.rotors; i++) {
        assert_true(g->control[i] >= 0 && g->control[i] <= 1);
        g->p.duty[i] = (double)g->control[i];
    }
    for (int i = 0; i < 4; i++)
        plant_advance(&g->p, 0.001);
    g->t_us += 4000;
    g->highest = fmax(g->highest, -g->p.x[2]);
    for (int i = 0; i < 4; i++)
        g->corner[i] = fmin(g->corner[i], corner_distance(g, i));
}

static void fly_for(rig *g, double seconds)
{
    for (const uint64_t end = g->t_us + (uint64_t)(seconds * 1e6); g->t_us < end;)
        advance(g);
}

static void ask(rig *g, int nav_state)
{
    g->nav_state = nav_state;
    if (g->asked_us == 0)
        g->asked_us = g->t_us;
}

static void start(rig *g, int rotors)
{
    begin(g, rotors);
    tick(g);
    load_square(g);
    fly_for(g, 1);
    g->armed = true;
    fly_for(g, 1);
    ask(g, MISSION);
}

static double landing_error(const rig *g)
{
    return hypot(g->p.x[0], g->p.x[1]);
}

// --- flights ------------------------------------------------------------------------------------

static void check_square(rig *g)
{
    double down_s = 0;
    while (g->t_us < 120 * 1000000u && down_s == 0) {
        advance(g);
        if (g->reached == 6 && g->p.x[2] > -0.01)
            down_s = 1e-6 * (double)g->t_us;
    }
    fly_for(g, 5); // `landed` is not told: it stays down by itself
    print_message("%d rotors: up to %.3f m, corners %.2f %.2f %.2f %.2f m, down after %.1f s, "
                  "%.3f m from home\n",
                  g->p.v.rotors, g->highest, g->corner[0], g->corner[1], g->corner[2], g->corner[3],
                  down_s, landing_error(g));
    assert_true(down_s > 30 && g->total == 8);
    assert_true(g->highest > 11.8 && g->highest < 12.5);
    for (int i = 0; i < 4; i++)
        assert_true(g->corner[i] < 0.5);
    assert_true(landing_error(g) < 0.1 && g->p.x[2] > -0.01);
    assert_false(g->finished);
    g->asked_us = g->t_us; // told
    fly_for(g, 0.2);
    const int results = g->results;
    fly_for(g, 1); // entered again in every period of the navigator
    assert_true(g->results >= results + 19 && g->results <= results + 20);
    assert_true(g->finished && g->reached == 7 && g->control[0] == 0);
    for (int i = 0; i < 12; i++)
        assert_true(isnan(g->control[i]) == (i >= g->p.v.rotors));
    px4_close(&g->lib);
}

static void test_square(void **state)
{
    (void)state;
    static rig g;
    start(&g, 4);
    assert_true(g.valid && g.reached == -1 && g.control[0] == 0 && g.highest < 0.01);
    check_square(&g);
}

static void test_square_with_six_rotors(void **state)
{
    (void)state;
    static rig g;
    start(&g, 6);
    check_square(&g);
}

static void test_return(void **state)
{
    (void)state;
    static rig g;
    start(&g, 4);
    while (g.reached < 2 && g.t_us < 60 * 1000000u)
        advance(&g);
    assert_true(landing_error(&g) > 10);
    ask(&g, RETURN);
    fly_for(&g, 45);
    assert_true(landing_error(&g) < 0.1 && fabs(g.p.x[2]) < 0.02 && g.reached == 2);
    assert_true(g.highest < 15);
    px4_close(&g.lib);
}

static void test_hold_and_go_on(void **state)
{
    (void)state;
    static rig g;
    start(&g, 4);
    while (g.reached < 1 && g.t_us < 60 * 1000000u)
        advance(&g);
    ask(&g, MANUAL);
    fly_for(&g, 4);
    const double x = g.p.x[0], y = g.p.x[1], z = g.p.x[2];
    g.p.wind[0] = 15; // pushes it away, for a while
    fly_for(&g, 2);
    assert_true(g.p.x[0] - x > 0.1);
    fly_for(&g, 13);
    assert_true(hypot(g.p.x[0] - x, g.p.x[1] - y) < 0.1 && fabs(g.p.x[2] - z) < 0.1);
    assert_true(z < -11 && g.reached == 1);
    g.p.wind[0] = 0;
    ask(&g, MISSION);
    fly_for(&g, 60);
    assert_true(g.corner[1] < 0.5 && g.corner[3] < 0.5 && landing_error(&g) < 0.1);
    px4_close(&g.lib);
}

// The first answer to a request says that all is finished, though nothing was passed.
static void test_finished_at_the_start(void **state)
{
    (void)state;
    static rig g;
    start(&g, 4);
    assert_true(g.valid && !g.finished);
    while (!g.finished && g.t_us < 3 * 1000000u)
        advance(&g);
    assert_true(g.valid && g.reached == -1 && g.t_us > 2020000 && g.t_us <= 2060000);
    while (g.reached < 0 && g.t_us < 30 * 1000000u)
        advance(&g);
    assert_true(g.reached == 0 && !g.finished);
    px4_close(&g.lib);
}

// With the row of home the mission does not take off first.
static void test_home_row_is_refused(void **state)
{
    (void)state;
    static rig g;
    begin(&g, 4);
    tick(&g);
    load_mission(&g, true);
    fly_for(&g, 1);
    g.armed = true;
    fly_for(&g, 1);
    assert_true(!g.valid && !g.finished && g.total == 9);
    ask(&g, MISSION);
    fly_for(&g, 5);
    assert_true(!g.valid && g.finished && g.reached == -1 && g.highest < 0.01);
    px4_close(&g.lib);
}

// Held where it is when it is asked for.
static void test_loiter(void **state)
{
    (void)state;
    static rig g;
    start(&g, 4);
    while (g.reached < 1 && g.t_us < 60 * 1000000u)
        advance(&g);
    ask(&g, LOITER);
    fly_for(&g, 6);
    const double x = g.p.x[0], y = g.p.x[1];
    fly_for(&g, 6);
    assert_true(hypot(g.p.x[0] - x, g.p.x[1] - y) < 0.05 && g.p.x[2] < -11 && g.reached == 1);
    px4_close(&g.lib);
}

// Valid 3 s after loading, when it has been asked for: it waits until it is asked for again.
static void test_late_mission(void **state)
{
    (void)state;
    static rig g;
    setenv("PX4_STANDIN_VALID_AFTER_US", "3000000", 1);
    start(&g, 4);
    unsetenv("PX4_STANDIN_VALID_AFTER_US");
    assert_false(g.valid);
    while (!g.valid && g.t_us < 10 * 1000000u)
        advance(&g);
    assert_true(g.t_us > 3000000 && g.t_us < 3060000);
    fly_for(&g, 5);
    assert_true(g.highest < 0.01);
    g.nav_state = MANUAL;
    fly_for(&g, 0.052); // the navigator runs once in it
    g.nav_state = MISSION;
    fly_for(&g, 15);
    assert_true(g.highest > 11);
    px4_close(&g.lib);
}

// How high it gets in 5 s without a topic, or without a flag.
static double climb_without(const char *topic, const char *flag)
{
    static rig g;
    begin(&g, 4);
    memset(g.control, 0, sizeof g.control);
    g.withheld = topic;
    g.cleared = flag;
    tick(&g);
    load_square(&g);
    g.armed = true;
    fly_for(&g, 1);
    ask(&g, MISSION);
    fly_for(&g, 5);
    px4_close(&g.lib);
    return g.highest;
}

// Nothing but what is published to it: without any one of these it stays on the ground.
static void test_needs_every_input(void **state)
{
    (void)state;
    static const char *const flags[] = {"xy_valid",
                                        "z_valid",
                                        "v_xy_valid",
                                        "v_z_valid",
                                        "heading_good_for_control",
                                        "xy_global",
                                        "z_global",
                                        "lat_lon_valid",
                                        "alt_valid",
                                        "arming_state",
                                        "flag_armed",
                                        "flag_multicopter_position_control_enabled",
                                        "flag_control_position_enabled",
                                        "flag_control_velocity_enabled",
                                        "flag_control_attitude_enabled",
                                        "flag_control_rates_enabled",
                                        "flag_control_allocation_enabled",
                                        "armed",
                                        "valid_alt",
                                        "valid_hpos"};
    for (int i = 0; i < INPUTS; i++) {
        const double up = climb_without(inputs[i], NULL);
        if ((up > 1) != (i == 0))
            fail_msg("without %s: up to %g m", inputs[i], up);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const double up = climb_without(NULL, flags[i]);
        if (up > 0.01)
            fail_msg("with %s = 0: up to %g m", flags[i], up);
    }
}

static double climb_at(float speed, bool notify)
{
    static rig g;
    start(&g, 4);
    assert_int_equal(g.lib.param_set_f32(g.lib.h, "MPC_Z_V_AUTO_UP", speed), 0);
    if (notify)
        assert_int_equal(g.lib.param_notify(g.lib.h), 0);
    fly_for(&g, 4);
    px4_close(&g.lib);
    return g.highest;
}

static void test_parameters_reach_modules(void **state)
{
    (void)state;
    const double usual = climb_at(3, true), slow = climb_at(1, true);
    assert_true(usual > 6 && slow > 1 && slow < 4);
    assert_true(climb_at(1, false) == usual);
}

static void test_disarming(void **state)
{
    (void)state;
    static rig g;
    start(&g, 4);
    fly_for(&g, 5);
    assert_true(g.control[0] > 0.3f);
    g.armed = false;
    advance(&g);
    for (int i = 0; i < 4; i++)
        assert_true(g.control[i] == 0);
    px4_close(&g.lib);
}

// --- the same bits ------------------------------------------------------------------------------

static uint64_t digest_of_child(void)
{
    int ends[2];
    uint64_t answer = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static rig g;
        start(&g, 4);
        fly_for(&g, 40);
        _exit(write(ends[1], &g.digest, sizeof g.digest) != sizeof g.digest);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &answer, sizeof answer), sizeof answer);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return answer;
}

static void test_same_bits(void **state)
{
    (void)state;
    static rig a, b;
    start(&a, 4);
    start(&b, 4);
    for (int i = 0; i < 40; i++) { // by turns
        fly_for(&a, 1);
        fly_for(&b, 1);
    }
    assert_true(a.reached >= 2);
    assert_int_equal(a.digest, b.digest);
    assert_int_equal(a.digest, digest_of_child());
    print_message("digest of 42 s: %016llx\n", (unsigned long long)a.digest);
    fly_for(&a, 0.004);
    assert_int_not_equal(a.digest, b.digest);
    px4_close(&a.lib);
    px4_close(&b.lib);
}

TEST_MAIN(cmocka_unit_test(test_square), cmocka_unit_test(test_square_with_six_rotors),
          cmocka_unit_test(test_return), cmocka_unit_test(test_hold_and_go_on),
          cmocka_unit_test(test_finished_at_the_start), cmocka_unit_test(test_home_row_is_refused),
          cmocka_unit_test(test_loiter), cmocka_unit_test(test_late_mission),
          cmocka_unit_test(test_needs_every_input), cmocka_unit_test(test_parameters_reach_modules),
          cmocka_unit_test(test_disarming), cmocka_unit_test(test_same_bits))
