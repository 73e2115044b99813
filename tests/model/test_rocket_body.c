// The body of a rocket against closed forms: rotation, the turning Earth, the rail, the choice of
// the datum, flow inside. Its entry points are called directly.
#include "support/test.h"

#include "model/rocket.h"

#include <stdio.h>

static rocket r;

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(tac_fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

static void near3(vec3 got, vec3 expected, double tolerance, const char *what)
{
    if (!(vec3_norm(vec3_sub(got, expected)) <= tolerance))
        fail_msg("%s: (%.12g, %.12g, %.12g), expected (%.12g, %.12g, %.12g) to within %g", what,
                 got.x, got.y, got.z, expected.x, expected.y, expected.z, tolerance);
}

static void in_space(void)
{
    rocket_set(&r);
    r.p.earth = (tac__earth){0, 0, 6378137, 0};
}

// --- rotation ------------------------------------------------------------------------------------

// The tensor of principal moments (a, b, c) in axes turned by q.
static void turned_inertia(quat q, double a, double b, double c, double inertia[6])
{
    const mat3 m = quat_to_mat3(q);
    const double moment[3] = {a, b, c};
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int i = 0; i < 6; i++) {
        inertia[i] = 0;
        for (int k = 0; k < 3; k++)
            inertia[i] += m.m[at[i][0]][k] * moment[k] * m.m[at[i][1]][k];
    }
}

// A symmetric top whose axis lies askew in the body: in its own axes the rate turns about the
// symmetry axis with (1 - c/a) w3, and the axis about the angular momentum with L/a.
static void test_torque_free_precession(void **state)
{
    (void)state;
    in_space();
    const double a = 80, c = 10, t = 10;
    const quat own = quat_normalise(quat_make(0.8, 0.3, -0.5, 0.2)); // top to body
    turned_inertia(own, a, a, c, r.inertia);
    const vec3 w0 = vec3_make(0.3, 0, 2.0);
    const vec3 start = quat_rotate(own, w0);
    memcpy(r.x + TAC__BODY_RATE, (double[]){start.x, start.y, start.z}, 3 * sizeof(double));
    rocket_fly(&r, 1e-3, 10000, NULL);

    const double turn = (1 - c / a) * w0.z * t;
    const vec3 expected = vec3_make(w0.x * tac_cos(turn), -w0.x * tac_sin(turn), w0.z);
    near3(quat_rotate_inverse(own, rocket_vector(&r, TAC__BODY_RATE)), expected, 1e-10, "rate");
    // Attitude: about L by L t/a, after a turn about the top's axis by -(its rate in own axes) t.
    const vec3 momentum = vec3_make(a * w0.x, 0, c * w0.z);
    const double length = vec3_norm(momentum);
    const quat about_l = quat_exp(vec3_scale(length / a * t / length, momentum));
    const quat about_axis = quat_exp(vec3_make(0, 0, turn));
    const quat top = quat_mul(about_l, about_axis);
    // At the start the top's axes are `own` in the world, as the body's are the world's.
    const quat want = quat_mul(quat_mul(own, top), quat_conj(own));
    const quat got = quat_normalise(rocket_attitude(&r));
    near(tac_fabs(quat_dot(got, want)), 1, 1e-12, "attitude");
    near3(quat_log(quat_mul(quat_conj(got), want)), vec3_make(0, 0, 0), 1e-9, "attitude");
}

// No moments, three different principal ones: momentum in the world and energy stay.
static void test_tumbling_keeps_momentum(void **state)
{
    (void)state;
    in_space();
    turned_inertia(quat_normalise(quat_make(0.1, 0.9, 0.4, -0.5)), 20, 50, 65, r.inertia);
    memcpy(r.x + TAC__BODY_RATE, (double[]){1, -0.7, 0.4}, 3 * sizeof(double));
    const double *i = r.inertia;
    const mat3 tensor = mat3_from_rows(vec3_make(i[0], i[3], i[4]), vec3_make(i[3], i[1], i[5]),
                                       vec3_make(i[4], i[5], i[2]));
    const vec3 before = mat3_mul_vec(tensor, rocket_vector(&r, TAC__BODY_RATE));
    rocket_fly(&r, 1e-3, 20000, NULL);
    const vec3 w = rocket_vector(&r, TAC__BODY_RATE), l = mat3_mul_vec(tensor, w);
    near3(quat_rotate(rocket_attitude(&r), l), before, 1e-8, "momentum");
    near(vec3_dot(w, l), vec3_dot(vec3_make(1, -0.7, 0.4), before), 1e-9, "energy");
}

// What stands on the Earth turns with it: the attitude in ECEF stays, and so does the rate.
static void test_earth_rate_is_rest(void **state)
{
    (void)state;
    rocket_set(&r);
    r.p.earth.mu = 0;
    r.inertia[0] = r.inertia[1] = r.inertia[2] = 30;
    const quat q = quat_normalise(quat_make(0.7, -0.2, 0.5, 0.1));
    memcpy(r.x + TAC__BODY_ATTITUDE, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
    const vec3 earth = quat_rotate_inverse(q, vec3_make(0, 0, ROCKET_ROTATION));
    memcpy(r.x + TAC__BODY_RATE, (double[]){earth.x, earth.y, earth.z}, 3 * sizeof(double));
    double dx[TAC__BODY_STATES];
    rocket_derive(&r, r.x, dx);
    for (int i = 0; i < 4; i++)
        near(dx[TAC__BODY_ATTITUDE + i], 0, 1e-20, "quaternion");
    rocket_output(&r);
    near3(vec3_from_array(r.out[TAC__BODY_OUT_AIR_RATE]), vec3_make(0, 0, 0), 1e-19, "air rate");
}

// --- the turning Earth ---------------------------------------------------------------------------

// Two bodies over an eighth of a turn of an inclined ellipse: one in ECEF, one in a frame that does
// not turn. J2 is the same in both, being symmetric about the axis.
static void test_kepler_in_both_frames(void **state)
{
    (void)state;
    for (int oblate = 0; oblate < 2; oblate++) {
        const double t = 1000, w = ROCKET_ROTATION;
        const vec3 position = vec3_make(6878137, 100000, -200000);
        const vec3 velocity = vec3_make(200, 5500, 5900);
        rocket_set(&r);
        r.shape.fixed = true;
        r.p.earth.j2 = oblate ? 1.08262982e-3 : 0;
        r.shape.oblate = oblate;
        r.p.earth.rotation_rad_s = 0;
        memcpy(r.x, (double[]){position.x, position.y, position.z}, 3 * sizeof(double));
        memcpy(r.x + 3, (double[]){velocity.x, velocity.y, velocity.z}, 3 * sizeof(double));
        rocket_fly(&r, 0.5, 2000, NULL);
        const vec3 inertial = rocket_vector(&r, 0), fast = rocket_vector(&r, 3);

        r.p.earth.rotation_rad_s = w;
        memcpy(r.x, (double[]){position.x, position.y, position.z}, 3 * sizeof(double));
        memcpy(r.x + 3,
               (double[]){velocity.x + w * position.y, velocity.y - w * position.x, velocity.z},
               3 * sizeof(double));
        rocket_fly(&r, 0.5, 2000, NULL);
        const quat turn = quat_exp(vec3_make(0, 0, w * t));
        const vec3 there = quat_rotate(turn, rocket_vector(&r, 0));
        const vec3 moved = vec3_add(quat_rotate(turn, rocket_vector(&r, 3)),
                                    vec3_cross(vec3_make(0, 0, w), there));
        near3(there, inertial, 1e-5, "position");
        near3(moved, fast, 1e-8, "velocity");
        const double energy = vec3_dot(fast, fast) / 2 - ROCKET_MU / vec3_norm(inertial);
        const double start = vec3_dot(velocity, velocity) / 2 - ROCKET_MU / vec3_norm(position);
        near((energy - start) / start, 0, oblate ? 1e-2 : 1e-12, "energy");
        assert_true(oblate == (tac_fabs((energy - start) / start) > 1e-9));
    }
}

// Dropped on the equator from 500 m: east by w g t^3/3, to first order in w, where g is what a
// plumb line feels; and down by g t^2/2, and a little as g grows, g^2 t^4/(12 R).
static void test_coriolis_deflection(void **state)
{
    (void)state;
    rocket_set(&r);
    r.shape.fixed = true;
    r.x[0] = 6378137 + 500;
    const double w = ROCKET_ROTATION, t = 10;
    const double g = ROCKET_MU / (r.x[0] * r.x[0]) - w * w * r.x[0];
    rocket_fly(&r, 0.01, 1000, NULL);
    near(r.x[1], w * g * t * t * t / 3, 1e-5, "east"); // 0.238 m
    near(6378137 + 500 - r.x[0], g * t * t / 2 + g * g * t * t * t * t / (12 * 6378137), 1e-4,
         "down");
    near(r.x[2], 0, 0, "north");
}

// --- the rail ------------------------------------------------------------------------------------

static void on_rail(double thrust)
{
    rocket_set(&r);
    const quat q = quat_normalise(quat_make(0.9, 0.1, -0.2, 0.15));
    const vec3 axis = quat_rotate(q, vec3_make(1, 0, 0));
    memcpy(r.x + TAC__BODY_ATTITUDE, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
    memcpy(r.p.axis, (double[]){axis.x, axis.y, axis.z}, sizeof r.p.axis);
    memcpy(r.p.start, r.x, sizeof r.p.start);
    r.p.rail_m = 8;
    r.shape.rail = true;
    r.com[0] = 2;
    r.force[0][0] = thrust;
    r.force[0][1] = 300; // a side force that the rail bears
    r.moment[0][2] = 500;
}

static void test_rail_guides(void **state)
{
    (void)state;
    on_rail(5000);
    const rocket before = r;
    rocket_fly(&r, 1e-3, 500, NULL);
    const vec3 v = rocket_vector(&r, TAC__BODY_VELOCITY), axis = vec3_from_array(r.p.axis);
    const vec3 way = vec3_sub(rocket_vector(&r, 0), vec3_from_array(before.x));
    assert_true(vec3_norm(v) > 10);
    // Across the rail there is rounding only: of the velocity, and of a position of 6e6 m.
    near3(vec3_cross(v, axis), vec3_make(0, 0, 0), 1e-14 * vec3_norm(v), "velocity");
    near3(vec3_cross(way, axis), vec3_make(0, 0, 0), 1e-6, "way");
    assert_memory_equal(r.x + TAC__BODY_ATTITUDE, before.x + TAC__BODY_ATTITUDE, 7 * 8);
    // The force along it, less gravity at the centre of mass, which is nearly straight up.
    const double g = ROCKET_MU / (6378139.0 * 6378139.0) - 0.0339;
    near(vec3_norm(v), 0.5 * (50 - g * axis.x), 1e-3, "speed");

    double out = -1;
    const tac_eval e = rocket_eval(&r, r.x, NULL);
    assert_int_equal(tac__rocket_body_detect_f64(&e, &r.shape, &out), TAC_OK);
    near(out, vec3_dot(way, axis) - 8, 1e-9, "to the end of the rail");
    r.mode = 1; // off it: the side force acts, and so does its moment
    double dx[TAC__BODY_STATES];
    rocket_derive(&r, r.x, dx);
    assert_true(tac_fabs(dx[TAC__BODY_RATE + 2]) > 0.1);
}

static void test_rail_bears(void **state)
{
    (void)state;
    on_rail(200); // less than its weight
    const rocket before = r;
    rocket_fly(&r, 1e-3, 500, NULL);
    assert_memory_equal(r.x, before.x, sizeof r.x);
}

// --- the datum -----------------------------------------------------------------------------------

// The same rocket described from a datum elsewhere: forces act at the same place, and the point
// that was the first datum moves the same way. Everything that depends on the datum is in here.
static vec3 shift;

static void engine(rocket *c, const double *x)
{
    (void)x;
    const vec3 nozzle = vec3_sub(vec3_make(-3, 0.05, 0.02), shift);
    const vec3 force = vec3_make(4000, 30, -20), moment = vec3_cross(nozzle, force);
    const vec3 com = vec3_sub(vec3_make(0.5, 0.01, -0.02), shift);
    memcpy(c->force[0], (double[]){force.x, force.y, force.z}, 3 * sizeof(double));
    memcpy(c->moment[0], (double[]){moment.x, moment.y, moment.z}, 3 * sizeof(double));
    memcpy(c->com, (double[]){com.x, com.y, com.z}, 3 * sizeof(double));
    c->stream[0] = -12; // a flow aft
    c->jet[0] = 0.1;
    c->jet[1] = c->jet[2] = 3;
}

static void test_datum_is_free(void **state)
{
    (void)state;
    static rocket first;
    for (int i = 0; i < 2; i++) {
        shift = i ? vec3_make(4, -1, 0.5) : vec3_make(0, 0, 0);
        rocket_set(&r);
        memcpy(r.x + TAC__BODY_RATE, (double[]){2, 0.3, -0.2}, 3 * sizeof(double));
        // The new datum's place and velocity over the Earth.
        const vec3 w =
            vec3_sub(rocket_vector(&r, TAC__BODY_RATE), vec3_make(0, 0, ROCKET_ROTATION));
        const vec3 v = vec3_cross(w, shift);
        memcpy(r.x + TAC__BODY_VELOCITY, (double[]){v.x, v.y, v.z}, 3 * sizeof(double));
        r.x[0] += shift.x;
        r.x[1] += shift.y;
        r.x[2] += shift.z;
        rocket_fly(&r, 1e-3, 5000, engine);
        if (i == 0)
            first = r;
    }
    const quat q = quat_normalise(rocket_attitude(&r));
    near(tac_fabs(quat_dot(q, quat_normalise(rocket_attitude(&first)))), 1, 1e-14, "attitude");
    near3(rocket_vector(&r, TAC__BODY_RATE), rocket_vector(&first, TAC__BODY_RATE), 1e-10, "rate");
    near3(vec3_sub(rocket_vector(&r, 0), quat_rotate(q, shift)), rocket_vector(&first, 0), 1e-6,
          "position");
}

// --- flow inside ---------------------------------------------------------------------------------

// A rod that swings while it burns: I dw/dt = -J w with J = dI/dt + flow L^2, and both linear in
// time, so that w = w0 (I/I0)^(-(1 + flow L^2/(dI/dt))).
static void test_jets_damp_rates(void **state)
{
    (void)state;
    in_space();
    const double i0 = 80, rate = -3, carried = 12, h = 1e-3;
    r.x[TAC__BODY_RATE + 1] = 0.4;
    for (long step = 0; step < 10000; step++) {
        r.inertia[1] = i0 + rate * ((double)step + 0.5) * h; // midpoint: second order in h
        r.jet[1] = rate + carried;
        rocket_fly(&r, h, 1, NULL);
    }
    const double expected = 0.4 * tac_pow((i0 + rate * 10) / i0, -(1 + carried / rate));
    near(r.x[TAC__BODY_RATE + 1], expected, 1e-8, "rate");
    assert_true(expected < 0.4);
}

// Fuel that moves aft in a body that turns is pushed sideways, and pushes back: -2 w x s.
static void test_flow_pushes_sideways(void **state)
{
    (void)state;
    in_space();
    r.x[TAC__BODY_RATE + 2] = 2;
    r.stream[0] = -12;
    double dx[TAC__BODY_STATES];
    rocket_derive(&r, r.x, dx);
    near3(vec3_from_array(dx + TAC__BODY_VELOCITY), vec3_make(0, 0.48, 0), 1e-15, "acceleration");
}

// --- outputs -------------------------------------------------------------------------------------

static void test_air_and_place(void **state)
{
    (void)state;
    rocket_set(&r);
    r.p.ground_m = 100;
    r.x[0] += 11000; // straight up: 11 km
    // The nose to the north, and 300 m/s east over the Earth in a wind of 20 m/s from the west and
    // a little from the south and from above.
    const quat q = quat_from_euler(0, -1.5707963267948966, 0);
    memcpy(r.x + TAC__BODY_ATTITUDE, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
    r.x[TAC__BODY_VELOCITY + 1] = 300;
    r.x[TAC__BODY_VELOCITY] = -5;
    memcpy(r.wind, (double[]){7, 20, 3}, sizeof r.wind);
    rocket_output(&r);
    near(r.out[TAC__BODY_OUT_ALTITUDE][0], 11000, 1e-8, "altitude");
    near(r.out[TAC__BODY_OUT_HEIGHT][0], 10900, 1e-8, "height");
    near(r.out[TAC__BODY_OUT_LATITUDE][0], 0, 1e-15, "latitude");
    near(r.out[TAC__BODY_OUT_CLIMB][0], -5, 1e-9, "climb");
    near(r.out[TAC__BODY_OUT_SPEED][0], tac_sqrt(300.0 * 300 + 25), 1e-9, "speed");
    near(r.out[TAC__BODY_OUT_ELEVATION][0], 0, 1e-12, "elevation");
    near3(vec3_from_array(r.out[TAC__BODY_OUT_NED]), vec3_make(0, 0, -11000), 1e-8, "ned");
    // North, east, down are the body's axes here.
    near3(vec3_from_array(r.out[TAC__BODY_OUT_AIR_VELOCITY]), vec3_make(-7, 280, 2), 1e-9, "air");
    // The standard atmosphere's table at 11 km geometric: 216.774 K, 0.36480 kg/m^3, 295.15 m/s.
    const double speed = tac_sqrt(280.0 * 280 + 7 * 7 + 2 * 2);
    near(r.out[TAC__BODY_OUT_TEMPERATURE][0], 216.774, 1e-3, "temperature");
    near(r.out[TAC__BODY_OUT_DENSITY][0], 0.36480, 1e-5, "density");
    near(r.out[TAC__BODY_OUT_MACH][0], speed / 295.154, 1e-5, "Mach");
    near(r.out[TAC__BODY_OUT_DYNAMIC_PRESSURE][0], 0.5 * 0.36480 * speed * speed, 0.5, "q");
    r.shape.air = false;
    rocket_output(&r);
    near(r.out[TAC__BODY_OUT_DENSITY][0], 0, 0, "density");
    near(r.out[TAC__BODY_OUT_PRESSURE][0], 0, 0, "pressure");
    near(r.out[TAC__BODY_OUT_DYNAMIC_PRESSURE][0], 0, 0, "q");
}

TEST_MAIN(cmocka_unit_test(test_torque_free_precession),
          cmocka_unit_test(test_tumbling_keeps_momentum), cmocka_unit_test(test_earth_rate_is_rest),
          cmocka_unit_test(test_kepler_in_both_frames), cmocka_unit_test(test_coriolis_deflection),
          cmocka_unit_test(test_rail_guides), cmocka_unit_test(test_rail_bears),
          cmocka_unit_test(test_datum_is_free), cmocka_unit_test(test_jets_damp_rates),
          cmocka_unit_test(test_flow_pushes_sideways), cmocka_unit_test(test_air_and_place))
