// Feet on the ground: a vehicle that is dropped comes to rest, tips over or not as it should,
// slides as far as friction lets it. Modes are latched here as an engine does it: at the ends of
// steps, which are cut short where one changes.
#include "support/test.h"

#include "model/iris.h"

#include <math.h>
#include <stdio.h>
#include <tactus/math.h>

#define PI 3.14159265358979323846
#define G  9.80665

static tac__multirotor p;
static iris_ports u;
static double x[IRIS_X_MAX];
static double deepest_m; // of any foot so far
static double pulled;    // the strongest pull of the ground on the vehicle, m/s^2

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

static void latch(void)
{
    double g[2 * TAC__CONTACTS_MAX];
    iris_detect(&p, &u, x, g);
    for (int i = 0; i < tac__multirotor_events(&p); i++)
        u.mode[i] = g[i] > 0;
    for (int i = 0; i < p.contacts; i++)
        deepest_m = fmax(deepest_m, g[i]);
}

static bool modes_hold(const double *z)
{
    double g[2 * TAC__CONTACTS_MAX];
    iris_detect(&p, &u, z, g);
    for (int i = 0; i < tac__multirotor_events(&p); i++) {
        if (u.mode[i] != (g[i] > 0))
            return false;
    }
    return true;
}

// A step of up to h, no further than the first change of a mode.
static double advance(double h)
{
    double z[IRIS_X_MAX];
    memcpy(z, x, sizeof z);
    iris_rk4(&p, &u, h, z);
    if (!modes_hold(z)) {
        double low = 0;
        while (h - low > 1e-9) {
            const double middle = 0.5 * (low + h);
            memcpy(z, x, sizeof z);
            iris_rk4(&p, &u, middle, z);
            if (modes_hold(z))
                low = middle;
            else
                h = middle;
        }
        memcpy(z, x, sizeof z);
        iris_rk4(&p, &u, h, z);
    }
    memcpy(x, z, sizeof z);
    latch();
    iris_output(&p, &u, x);
    return h;
}

static void simulate(double seconds)
{
    latch();
    for (double t = 0; t < seconds;) {
        t += advance(2e-4);
        double dx[IRIS_X_MAX];
        iris_derive(&p, &u, x, dx);
        pulled = fmax(pulled, dx[TAC__X_VELOCITY + 2] - G);
    }
}

// Rotors at rest, at a height of the feet above the ground, rolled.
static void place(double height_m, double roll_rad)
{
    tac__multirotor_prepare(&p);
    iris_connect(&u);
    iris_start(&p, x);
    for (int i = 0; i < 4; i++)
        x[TAC__X_ROTOR + i] = 0;
    x[TAC__X_ATTITUDE] = tac_cos(0.5 * roll_rad);
    x[TAC__X_ATTITUDE + 1] = tac_sin(0.5 * roll_rad);
    double g[2 * TAC__CONTACTS_MAX], lowest = -1e9;
    x[2] = -p.world.ground_m; // near enough to be measured
    iris_detect(&p, &u, x, g);
    for (int i = 0; i < p.contacts; i++)
        lowest = fmax(lowest, g[i]);
    x[2] -= lowest + height_m;
    deepest_m = pulled = 0;
}

static double roll_now(void)
{
    iris_output(&p, &u, x);
    return u.out[TAC__OUT_EULER][0];
}

static void at_rest(double tolerance)
{
    for (int i = 0; i < 3; i++) {
        near(x[TAC__X_VELOCITY + i], 0, tolerance, "velocity");
        near(x[TAC__X_RATE + i], 0, tolerance, "rate");
    }
}

static void test_drop_settles(void **state)
{
    (void)state;
    static const double rolls[] = {0, 0.2, 0.7};
    for (int i = 0; i < 3; i++) {
        iris_set(&p);
        p.world.ground_m = 100; // a hill above the origin
        place(1, rolls[i]);
        simulate(6);
        at_rest(1e-6);
        near(roll_now(), 0, 1e-6, "roll");
        const double sag = 1.5 * G / (4 * 5000);
        near(x[2], -100 - 0.04 + sag, 1e-8, "standing on its feet");
        near(u.out[TAC__OUT_FEET_DOWN][0], 4, 0, "feet down");
        near(u.out[TAC__OUT_SPECIFIC_FORCE][2], -G, 1e-4, "what an accelerometer feels");
        // Flat, all feet brake: v m/(4 c). On one or two, rolled, it goes deeper.
        print_message("dropped with a roll of %g: %.2g mm deep\n", rolls[i], deepest_m * 1e3);
        assert_true(deepest_m < (i == 0 ? 0.0035 : 0.02));
        assert_true(pulled <= 1e-12 + 0.05 / 1.5 * 5); // drag on the way up, no more
    }
}

// Standing high on narrow feet it falls back from below the angle at which its weight is above the
// outer feet, and over from beyond.
static void test_tips(void **state)
{
    (void)state;
    const double edge = tac_atan2(0.13, 0.5);
    for (int over = 0; over < 2; over++) {
        iris_set(&p);
        for (int i = 0; i < 4; i++) {
            p.foot[i].position_m[2] = 0.5;
            p.foot[i].friction = 5; // it shall not slide away instead
        }
        place(-0.001, edge + (over ? 0.06 : -0.06));
        simulate(over ? 1 : 5);
        if (over)
            assert_true(roll_now() > 1);
        else
            near(roll_now(), 0, 1e-3, "stands again");
    }
}

static void test_slides(void **state)
{
    (void)state;
    iris_set(&p);
    p.drag = 0;
    place(-1.5 * G / 20000, 0);
    x[TAC__X_VELOCITY] = 2;
    x[TAC__X_VELOCITY + 1] = -1;
    simulate(1.5);
    const double v = sqrt(5), way = v * v / (2 * 0.8 * G);
    near(hypot(x[0], x[1]), way, 0.02 * way, "way");
    near(x[1] / x[0], -0.5, 1e-3, "straight on");
    at_rest(1e-6);
    near(roll_now(), 0, 1e-6, "roll");
}

// A foot that a mode declares up has no force, whatever its depth.
static void test_modes_decide(void **state)
{
    (void)state;
    iris_set(&p);
    place(-0.01, 0);
    double dx[IRIS_X_MAX];
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_VELOCITY + 2], G, 1e-12, "no mode, no force");
    u.mode[2] = 1;
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_VELOCITY + 2], G - 5000 * 0.01 / 1.5, 1e-9, "one foot");
    u.mode[1] = 1;
    x[TAC__X_VELOCITY + 2] = 0.1;
    p.drag = 0;
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_VELOCITY + 2], G - 2 * (5000 * 0.01) / 1.5, 1e-9, "no damper yet");
    u.mode[4 + 1] = u.mode[4 + 2] = 1;
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_VELOCITY + 2], G - 2 * (5000 * 0.01 + 600 * 0.1) / 1.5, 1e-9, "on the way down");
    x[TAC__X_VELOCITY + 2] = -0.1;
    latch();
    u.mode[0] = u.mode[3] = 0;
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_VELOCITY + 2], G - 2 * (5000 * 0.01) / 1.5, 1e-9, "on the way up");
    place(0.01, 0);
    u.mode[0] = 1;
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_VELOCITY + 2], G, 1e-12, "never pulls");
}

// The damper begins where a foot sinks and ends where it rises faster than 0.1 mm/s; in the air it
// has no event. Above the reach of its feet a vehicle is not looked at more closely, and that is
// never seen.
static void test_damper_modes(void **state)
{
    (void)state;
    iris_set(&p);
    p.world.ground_m = 100;
    place(-0.001, 0);
    static const struct {
        double sinking;
        int before, after;
    } rows[] = {{1e-9, 0, 1},  {-1e-9, 0, 0},    {0, 0, 0},       {1, 1, 1},
                {-1e-9, 1, 1}, {-0.99e-4, 1, 1}, {-1.01e-4, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        x[TAC__X_VELOCITY + 2] = rows[i].sinking;
        for (int k = 0; k < 4; k++)
            u.mode[4 + k] = rows[i].before;
        latch();
        for (int k = 0; k < 4; k++) {
            near(u.mode[k], 1, 0, "down");
            near(u.mode[4 + k], rows[i].after, 0, "damper");
        }
        latch();
        near(u.mode[4], rows[i].after, 0, "the same when asked again");
    }
    const double z = x[2];
    double up = 0;
    for (double height = -0.01; height < 0.5; height += 1e-3) {
        x[2] = z - height;
        x[TAC__X_VELOCITY + 2] = 1;
        x[TAC__X_ATTITUDE] = tac_cos(10 * height);
        x[TAC__X_ATTITUDE + 1] = tac_sin(10 * height);
        latch();
        for (int k = 0; k < 4; k++) {
            const double *at = p.foot[k].position_m;
            const double s = tac_sin(20 * height), c = tac_cos(20 * height);
            const double depth = x[2] + s * at[1] + c * at[2] + 100;
            near(u.mode[k], depth > 0, 0, "below the ground");
            near(u.mode[4 + k], depth > 0, 0, "sinks there");
            up += depth <= 0;
        }
    }
    assert_true(up > 1000 && up < 2000);
}

// --- the hull -----------------------------------------------------------------------------------

static double turn(const double r[3], int row)
{
    const double *q = x + TAC__X_ATTITUDE;
    const double rows[3][3] = {{1 - 2 * (q[2] * q[2] + q[3] * q[3]),
                                2 * (q[1] * q[2] - q[0] * q[3]), 2 * (q[1] * q[3] + q[0] * q[2])},
                               {2 * (q[1] * q[2] + q[0] * q[3]),
                                1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                                2 * (q[2] * q[3] - q[0] * q[1])},
                               {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                                1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
    return rows[row][0] * r[0] + rows[row][1] * r[1] + rows[row][2] * r[2];
}

// Of motion, height and springs; rotors are at rest.
static double energy(void)
{
    const double *v = x + TAC__X_VELOCITY, *w = x + TAC__X_RATE, *inertia = p.vehicle.inertia;
    double e = -p.vehicle.mass_kg * G * (x[2] + p.world.ground_m);
    for (int i = 0; i < 3; i++)
        e += 0.5 * p.vehicle.mass_kg * v[i] * v[i] + 0.5 * inertia[4 * i] * w[i] * w[i];
    for (int i = 0; i < p.contacts; i++) {
        const double depth = x[2] + p.world.ground_m + turn(p.foot[i].position_m, 2);
        e += depth > 0 ? 0.5 * p.foot[i].stiffness * depth * depth : 0;
    }
    return e;
}

static void iris_with_hull(void)
{
    iris_set(&p);
    tac__foot like = p.foot[0];
    like.damping = 150;
    tac__multirotor_set_hull(&p, &like);
}

// From 2 m on its back: it comes to rest on the rims of its propellers, losing energy all the way.
static void test_lies_on_its_back(void **state)
{
    (void)state;
    static const double rolls[] = {PI, PI - 0.4, -2.5};
    for (int k = 0; k < 3; k++) {
        iris_with_hull();
        p.world.ground_m = 20;
        place(2, rolls[k]);
        latch();
        double before = energy();
        for (double t = 0; t < 6;) {
            t += advance(2e-4);
            const double now = energy();
            if (!(now <= before + 1e-9))
                fail_msg("at %g s the energy rises from %.12g to %.12g J", t, before, now);
            before = now;
        }
        at_rest(1e-6);
        near(fabs(roll_now()), PI, 1e-6, "on its back");
        near(u.out[TAC__OUT_FEET_DOWN][0], 0, 0, "feet");
        near(u.out[TAC__OUT_HULL_DOWN][0], 4, 0, "points of the hull");
        near(u.out[TAC__OUT_SPECIFIC_FORCE][2], G, 1e-4, "the ground carries its weight");
        // Rotors are not all at one distance from the middle: it leans a little over the springs.
        near(x[2], -20 + 1.5 * G / (4 * 5000), 1e-4, "the height of the middle");
    }
}

// Whatever its attitude, nothing of it stays below the ground.
static void test_any_attitude(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int k = 0; k < 12; k++) {
        iris_with_hull();
        place(0.5, 0);
        double *q = x + TAC__X_ATTITUDE, sum = 0;
        for (int i = 0; i < 4; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            q[i] = (double)(seed >> 11) * 0x1p-52 - 1;
            sum += q[i] * q[i];
        }
        for (int i = 0; i < 4; i++)
            q[i] /= sqrt(sum);
        simulate(8);
        at_rest(1e-3);
        assert_true(x[2] < 0.002); // the middle is at most as deep as springs let it be
        for (int i = 0; i < p.contacts; i++)
            assert_true(x[2] + turn(p.foot[i].position_m, 2) < 0.002);
        assert_true(u.out[TAC__OUT_FEET_DOWN][0] + u.out[TAC__OUT_HULL_DOWN][0] >= 3);
    }
}

// Points from the geometry: on the rims, farthest out; all round where rotors are few.
static void test_hull_from_rotors(void **state)
{
    (void)state;
    iris_with_hull();
    assert_int_equal(p.hull, 4);
    for (int i = 0; i < 4; i++) {
        const double *hub = p.vehicle.rotor[i].position_m, *at = p.foot[4 + i].position_m;
        near(hypot(at[0] - hub[0], at[1] - hub[1]), 0.127, 1e-12, "on the rim");
        near(hypot(at[0], at[1]), hypot(hub[0], hub[1]) + 0.127, 1e-12, "farthest out");
        near(at[2], hub[2], 1e-15, "in the plane of the disc");
    }
    const tac__foot like = p.foot[0];
    p.vehicle.rotors = 1;
    memset(p.vehicle.rotor[0].position_m, 0, sizeof p.vehicle.rotor[0].position_m);
    p.vehicle.rotor[0].position_m[2] = 0.3; // below the middle: so the middle is part of it
    tac__multirotor_set_hull(&p, &like);
    assert_int_equal(p.hull, 5);
    for (int i = 0; i < 4; i++) {
        const double *at = p.foot[4 + i].position_m, *next = p.foot[4 + (i + 1) % 4].position_m;
        near(hypot(at[0], at[1]), 0.127, 1e-12, "on the rim");
        near(at[0] * next[0] + at[1] * next[1], 0, 1e-12, "a quarter on");
        near(at[2], 0.3, 1e-12, "in the plane of the disc");
    }
    p.vehicle.rotors = TAC__ROTORS_MAX; // fixed maxima: never more than there is room for
    for (int i = 0; i < TAC__ROTORS_MAX; i++)
        p.vehicle.rotor[i] = p.vehicle.rotor[0];
    tac__multirotor_set_hull(&p, &like);
    assert_int_equal(p.hull, TAC__HULL_MAX);
}

TEST_MAIN(cmocka_unit_test(test_drop_settles), cmocka_unit_test(test_tips),
          cmocka_unit_test(test_slides), cmocka_unit_test(test_modes_decide),
          cmocka_unit_test(test_damper_modes), cmocka_unit_test(test_lies_on_its_back),
          cmocka_unit_test(test_any_attitude), cmocka_unit_test(test_hull_from_rotors))
