// The multirotor plant against closed forms: body, rotors, motors, actuators and batteries. Its
// entry points are called directly, with a Runge-Kutta loop of the test's own.
#include "support/test.h"

#include "math/inputs.h"
#include "model/iris.h"

#include <stdio.h>
#include <tactus/math.h>

#define PI 3.14159265358979323846
#define G  9.80665

static tac__multirotor p;
static iris_ports u;
static double x[IRIS_X_MAX], dx[IRIS_X_MAX];

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

// The Iris, hovering; after a change to p call again with false.
static void prepare(bool fresh)
{
    if (fresh)
        iris_set(&p);
    tac__multirotor_prepare(&p);
    iris_connect(&u);
    iris_start(&p, x);
}

static void stop_rotors(void)
{
    for (int i = 0; i < p.vehicle.rotors; i++)
        x[TAC__X_ROTOR + i] = 0;
}

static void fly(double seconds, double h)
{
    const long steps = lround(seconds / h);
    for (long i = 0; i < steps; i++)
        iris_rk4(&p, &u, h, x);
}

static void duties(double duty)
{
    for (int i = 0; i < p.vehicle.rotors; i++)
        u.motor[i] = duty;
}

// --- the body -----------------------------------------------------------------------------------

static void test_free_fall(void **state)
{
    (void)state;
    prepare(true);
    p.drag = 0;
    stop_rotors();
    fly(2, 0.01);
    near(x[2], 0.5 * G * 4, 1e-9, "fallen");
    near(x[5], G * 2, 1e-9, "speed");
    near(x[0], 0, 0, "north");
    iris_output(&p, &u, x);
    for (int i = 0; i < 3; i++)
        near(u.out[TAC__OUT_SPECIFIC_FORCE][i], 0, 1e-12, "an accelerometer feels nothing");
}

// Tumbling does not matter to the path; with linear drag it is an exponential.
static void test_ballistic(void **state)
{
    (void)state;
    static const double v0[3] = {12, -7, -9}, wind[3] = {3, 2, -1}, gravity[3] = {0, 0, G};
    for (int with_drag = 0; with_drag < 2; with_drag++) {
        prepare(true);
        p.drag = with_drag ? 0.4 : 0;
        stop_rotors();
        memcpy(u.wind, wind, sizeof wind);
        memcpy(x + TAC__X_VELOCITY, v0, sizeof v0);
        memcpy(x + TAC__X_RATE, (double[]){1, 2, 3}, 3 * sizeof *x);
        fly(2, 0.005);
        for (int i = 0; i < 3; i++) {
            double s = v0[i] * 2 + 0.5 * gravity[i] * 4;
            if (with_drag) {
                const double k = 0.4 / 1.5, end = wind[i] + gravity[i] / k;
                s = end * 2 + (v0[i] - end) * (1 - tac_exp(-k * 2)) / k;
            }
            near(x[i], s, 1e-7, with_drag ? "path with drag" : "path");
        }
    }
}

static void test_yaw_rate(void **state)
{
    (void)state;
    prepare(true);
    stop_rotors();
    memset(p.damping, 0, sizeof p.damping);
    x[TAC__X_RATE + 2] = PI;
    for (int i = 1; i <= 3; i++) {
        fly(0.25, 0.001);
        iris_output(&p, &u, x);
        near(u.out[TAC__OUT_EULER][2], PI * 0.25 * i, 1e-6, "yaw");
        near(u.out[TAC__OUT_EULER][0], 0, 1e-12, "roll");
    }
    // and with damping it decays as D/I says
    prepare(true);
    stop_rotors();
    x[TAC__X_RATE + 2] = PI;
    fly(1, 0.001);
    near(x[TAC__X_RATE + 2], PI * tac_exp(-0.01 / 0.055225), 1e-9, "damped rate");
}

// Iw + H in the world, with H relative to the body.
static void momentum(double l[3])
{
    double b[3] = {0}, q[4];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            b[i] += p.vehicle.inertia[3 * i + k] * x[TAC__X_RATE + k];
        for (int r = 0; r < p.vehicle.rotors; r++) {
            const tac__rotor *rotor = &p.vehicle.rotor[r];
            b[i] -= rotor->motor.inertia * rotor->direction * x[TAC__X_ROTOR + r] * rotor->axis[i];
        }
    }
    memcpy(q, x + TAC__X_ATTITUDE, sizeof q);
    const double w = q[0], a = q[1], c = q[2], d = q[3];
    const double r[3][3] = {
        {1 - 2 * (c * c + d * d), 2 * (a * c - w * d), 2 * (a * d + w * c)},
        {2 * (a * c + w * d), 1 - 2 * (a * a + d * d), 2 * (c * d - w * a)},
        {2 * (a * d - w * c), 2 * (c * d + w * a), 1 - 2 * (a * a + c * c)},
    };
    for (int i = 0; i < 3; i++)
        l[i] = r[i][0] * b[0] + r[i][1] * b[1] + r[i][2] * b[2];
}

static void tilt_rotors(void)
{
    static const double axes[4][3] = {{0.6, 0, 0.8}, {0, -0.6, 0.8}, {-0.8, 0, 0.6}, {0, 0, 1}};
    for (int i = 0; i < 4; i++)
        memcpy(p.vehicle.rotor[i].axis, axes[i], sizeof axes[i]);
}

// Without air (all coefficients lost) motors only exchange momentum between rotors and body.
static void test_momentum_is_conserved(void **state)
{
    (void)state;
    static const double tensor[9] = {2, 0.1, -0.2, 0.1, 1, 0.05, -0.2, 0.05, 0.5};
    for (int tilted = 0; tilted < 2; tilted++) {
        prepare(true);
        for (int i = 0; i < 9; i++)
            p.vehicle.inertia[i] = 0.03 * tensor[i];
        memset(p.damping, 0, sizeof p.damping);
        for (int i = 0; i < 4; i++)
            p.vehicle.rotor[i].motor.inertia = 1e-4;
        if (tilted)
            tilt_rotors();
        prepare(false);
        static const double duty[4] = {0.9, 0.1, 0.5, 0};
        for (int i = 0; i < 4; i++) {
            u.motor[i] = duty[i];
            u.loss[i] = 1;
        }
        memcpy(x + TAC__X_RATE, (double[]){1, 2, 3}, 3 * sizeof *x);
        double before[3], after[3];
        momentum(before);
        fly(2, 0.0005);
        momentum(after);
        for (int i = 0; i < 3; i++)
            near(after[i], before[i], 1e-9, "angular momentum");
        assert_true(x[TAC__X_ROTOR] - x[TAC__X_ROTOR + 3] > 100); // they did something
    }
}

// A body that spins with I (2, 1, 0.5) and w (1, 2, 3): energy and momentum stay.
static void test_tumbling(void **state)
{
    (void)state;
    prepare(true);
    static const double tensor[9] = {2, 0, 0, 0, 1, 0, 0, 0, 0.5};
    memcpy(p.vehicle.inertia, tensor, sizeof tensor);
    memset(p.damping, 0, sizeof p.damping);
    prepare(false);
    stop_rotors();
    memcpy(x + TAC__X_RATE, (double[]){1, 2, 3}, 3 * sizeof *x);
    double l0[3], l1[3];
    momentum(l0);
    fly(2, 0.001);
    momentum(l1);
    double energy = 0, change = 0, length = 0;
    for (int i = 0; i < 3; i++) {
        energy += 0.5 * tensor[4 * i] * x[TAC__X_RATE + i] * x[TAC__X_RATE + i];
        change += (l1[i] - l0[i]) * (l1[i] - l0[i]);
    }
    for (int i = 0; i < 4; i++)
        length += x[TAC__X_ATTITUDE + i] * x[TAC__X_ATTITUDE + i];
    near(energy, 0.5 * (2 + 4 + 4.5), 1e-9, "energy");
    near(sqrt(change), 0, 1e-8, "momentum");
    near(sqrt(length), 1, 1e-10, "length of the quaternion");
}

// --- rotors -------------------------------------------------------------------------------------

static void test_calibration(void **state)
{
    (void)state;
    prepare(true);
    near(p.vehicle.rotor[0].propeller.kt, 6.6110208e-5, 5e-13, "kT");
    near(p.vehicle.rotor[0].motor.ke, 60 / (2 * PI * 920), 1e-18, "Ke");
    // Full duty at 12 V without I0 is twice the weight, and the plant gets there.
    p.battery[0].ideal = true;
    p.battery[0].ocv_v[0] = 12;
    p.vehicle.mass_kg = 1e9; // it stays where it is, in air of sea level
    for (int i = 0; i < 4; i++)
        p.vehicle.rotor[i].motor.no_load_a = 0;
    p.drag = 0;
    p.world.g_m_s2 = 0;
    prepare(false);
    stop_rotors();
    duties(1);
    fly(3, 0.001);
    iris_output(&p, &u, x);
    const double density = u.out[TAC__OUT_AIR_DENSITY][0];
    near(density, 1.225, 1e-6, "density");
    near(4 * u.out[TAC__OUT_THRUST][0] / density * 1.225, 2 * 1.5 * G, 1e-4, "thrust");
}

static void test_inflow(void **state)
{
    (void)state;
    prepare(true);
    iris_output(&p, &u, x);
    const double still = u.out[TAC__OUT_THRUST][1];
    x[TAC__X_VELOCITY + 2] = 4; // down, with a wind that makes it 6
    u.wind[2] = -2;
    u.wind[0] = 50; // across does not matter
    iris_output(&p, &u, x);
    const double mu = 6 / (x[TAC__X_ROTOR + 1] * 0.127);
    near(u.out[TAC__OUT_THRUST][1], still / (1 + 8 * mu * mu), 1e-12, "thrust");
    u.loss[1] = 0.25;
    iris_output(&p, &u, x);
    near(u.out[TAC__OUT_THRUST][1], 0.75 * still / (1 + 8 * mu * mu), 1e-12, "with a loss");
}

// Rotor speeds and currents such that nothing changes but where it may: Newton's method on the
// common speed and duty.
static void test_hover_is_an_equilibrium(void **state)
{
    (void)state;
    prepare(true);
    p.battery[0].ideal = true;
    p.battery[0].ocv_v[0] = 12;
    prepare(false);
    double z[2] = {p.vehicle.rotor[0].hover_rad_s * 1.05, p.vehicle.rotor[0].hover_duty * 0.9};
    for (int round = 0; round < 12; round++) {
        double f[3][2];
        for (int k = 0; k < 3; k++) {
            const double h = 1e-6;
            for (int i = 0; i < 4; i++)
                x[TAC__X_ROTOR + i] = z[0] + (k == 1 ? h : 0);
            duties(z[1] + (k == 2 ? h : 0));
            iris_derive(&p, &u, x, dx);
            f[k][0] = dx[TAC__X_VELOCITY + 2];
            f[k][1] = dx[TAC__X_ROTOR];
        }
        double a[2][2];
        for (int r = 0; r < 2; r++) {
            for (int k = 0; k < 2; k++)
                a[r][k] = (f[1 + k][r] - f[0][r]) / 1e-6;
        }
        const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        z[0] -= (f[0][0] * a[1][1] - f[0][1] * a[0][1]) / det;
        z[1] -= (f[0][1] * a[0][0] - f[0][0] * a[1][0]) / det;
    }
    for (int i = 0; i < 4; i++)
        x[TAC__X_ROTOR + i] = z[0];
    duties(z[1]);
    iris_derive(&p, &u, x, dx);
    for (int i = 0; i < tac__multirotor_x_count(&p); i++)
        near(dx[i], 0, 1e-9, "rate of change in hover");
    near(z[0], p.vehicle.rotor[0].hover_rad_s, 1e-4, "speed, but for the density");
    near(z[1], p.vehicle.rotor[0].hover_duty, 1e-6, "duty, but for the density");
    // and it stays there
    fly(1, 0.004);
    for (int i = 0; i < 13; i++)
        near(x[i], i == TAC__X_ATTITUDE, 1e-9, "a second later");
    iris_output(&p, &u, x);
    near(u.out[TAC__OUT_SPECIFIC_FORCE][2], -G, 1e-9, "what an accelerometer feels");
}

// Signs: the right pushes the left side down, the front lifts the nose, the reaction to rotors of
// direction 1 turns the nose right.
static void test_signs(void **state)
{
    (void)state;
    static const int right[4] = {1, 0, 0, 1}, front[4] = {1, 0, 1, 0}, plus[4] = {1, 1, 0, 0};
    prepare(true);
    for (int i = 0; i < 4; i++)
        x[TAC__X_ROTOR + i] += right[i] ? 10 : 0;
    iris_derive(&p, &u, x, dx);
    assert_true(dx[TAC__X_RATE] < -1);
    prepare(true);
    for (int i = 0; i < 4; i++)
        x[TAC__X_ROTOR + i] += front[i] ? 10 : 0;
    iris_derive(&p, &u, x, dx);
    assert_true(dx[TAC__X_RATE + 1] > 1);
    prepare(true);
    for (int i = 0; i < 4; i++)
        u.motor[i] = p.vehicle.rotor[i].hover_duty + (plus[i] ? 0.1 : -0.1);
    iris_derive(&p, &u, x, dx);
    assert_true(dx[TAC__X_RATE + 2] > 1);
    // The whole of it: more torque on these, less on those, and no other axis.
    near(dx[TAC__X_RATE], 0, 1e-12, "roll");
    near(dx[TAC__X_RATE + 1], 0, 1e-12, "pitch");

    // Gyroscopic: rotors of direction 1 turn against the axis, so H points up. With H = -h z,
    // -w x H for w = (w, 0, 0) is (0, -w h, 0).
    prepare(true);
    stop_rotors();
    x[TAC__X_ROTOR] = 200;
    u.loss[0] = 1;
    iris_derive(&p, &u, x, dx);
    const double still = dx[TAC__X_RATE + 1];
    x[TAC__X_RATE] = 3;
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_RATE + 1] - still, -3 * 1.2e-5 * 200 / 0.029125, 1e-12, "precession");
}

// Left and right are alike: exchanged commands give mirrored accelerations.
static void test_mirror(void **state)
{
    (void)state;
    static const int mirror[4] = {2, 3, 0, 1};
    uint64_t seed = 3;
    for (int trial = 0; trial < 200; trial++) {
        double a[IRIS_X_MAX];
        prepare(true);
        for (int i = 0; i < 4; i++) {
            u.motor[i] = input_uniform(&seed, 0, 1);
            x[TAC__X_ROTOR + i] = input_uniform(&seed, 0, 350);
        }
        iris_derive(&p, &u, x, a);
        double motor[4], speed[4];
        for (int i = 0; i < 4; i++) {
            motor[i] = u.motor[mirror[i]];
            speed[i] = x[TAC__X_ROTOR + mirror[i]];
        }
        memcpy(u.motor, motor, sizeof motor);
        memcpy(x + TAC__X_ROTOR, speed, sizeof speed);
        iris_derive(&p, &u, x, dx);
        near(dx[TAC__X_RATE], -a[TAC__X_RATE], 1e-11, "roll");
        near(dx[TAC__X_RATE + 1], a[TAC__X_RATE + 1], 1e-11, "pitch");
        near(dx[TAC__X_RATE + 2], -a[TAC__X_RATE + 2], 1e-11, "yaw");
        near(dx[TAC__X_VELOCITY + 2], a[TAC__X_VELOCITY + 2], 1e-12, "down");
        for (int i = 0; i < 4; i++)
            near(dx[TAC__X_ROTOR + i], a[TAC__X_ROTOR + mirror[i]], 1e-9, "rotor");
    }
}

// Axes that are upright only by their numbers take the general way, to the same result.
static void test_upright_is_a_special_case(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int trial = 0; trial < 200; trial++) {
        double a[IRIS_X_MAX];
        prepare(true);
        assert_true(p.upright);
        for (int i = 0; i < 13; i++)
            x[i] = input_uniform(&seed, -1, 1);
        for (int i = 0; i < 4; i++) {
            u.motor[i] = input_uniform(&seed, 0, 1);
            x[TAC__X_ROTOR + i] = input_uniform(&seed, 0, 350);
        }
        iris_derive(&p, &u, x, a);
        p.upright = false;
        iris_derive(&p, &u, x, dx);
        for (int i = 0; i < tac__multirotor_x_count(&p); i++)
            near(dx[i], a[i], 1e-12 * (1 + fabs(a[i])), "either way");
    }
}

// --- motors, actuators --------------------------------------------------------------------------

static void test_motor(void **state)
{
    (void)state;
    prepare(true);
    p.battery[0].ideal = true;
    p.battery[0].ocv_v[0] = 12;
    prepare(false);
    const tac__motor *m = &p.vehicle.rotor[0].motor;
    stop_rotors();
    u.motor[0] = 0.02;   // just on
    u.motor[1] = 0.0199; // just off
    u.motor[2] = 7;      // full, and the motor limits the current
    u.motor[3] = 0.5;
    x[TAC__X_ROTOR + 3] = 1000; // turns faster than its voltage: it does not brake
    iris_output(&p, &u, x);
    const double *current = u.out[TAC__OUT_MOTOR_CURRENT];
    near(current[0], 0.02 * 12 / 0.25, 1e-12, "on");
    near(current[1], 0, 0, "off");
    near(current[2], 12 / 0.25, 1e-12, "full");
    near(current[3], 0, 0, "windmilling");
    near(u.out[TAC__OUT_BATTERY_CURRENT][0], (0.02 * current[0] + 1.0 * current[2]) / 0.98, 1e-12,
         "of the battery");
    iris_derive(&p, &u, x, dx);
    near(dx[TAC__X_ROTOR], m->ke * (current[0] - 0.6) / 1.2e-5, 1e-9, "spins up");
    near(dx[TAC__X_ROTOR + 1], 0, 0, "stays");
    const double q = p.vehicle.rotor[3].propeller.kq * u.out[TAC__OUT_AIR_DENSITY][0] * 1e6;
    near(dx[TAC__X_ROTOR + 3], -(q + 2e-6 * 1000) / 1.2e-5, 1e-6, "slows down");
    p.vehicle.rotor[2].motor.max_a = 20;
    iris_output(&p, &u, x);
    near(current[2], 20, 0, "limited");
    // Held, and let go.
    u.hold[0] = 1;
    u.duty[0] = 0.5;
    iris_output(&p, &u, x);
    near(current[0], 0.5 * 12 / 0.25, 1e-12, "held");
}

static void test_actuators(void **state)
{
    (void)state;
    prepare(true);
    p.vehicle.actuator.kind = TAC__ACTUATOR_FIRST_ORDER;
    prepare(false);
    const int at = TAC__X_ROTOR + 4;
    for (int i = 0; i < 4; i++)
        x[at + i] = 0;
    duties(0.8);
    fly(0.05, 0.0005);
    near(x[at + 2], 0.8 * (1 - tac_exp(-0.05 / 0.02)), 1e-8, "first order");

    prepare(true);
    p.vehicle.actuator.kind = TAC__ACTUATOR_SECOND_ORDER;
    p.vehicle.actuator.zeta = 0.6;
    p.vehicle.actuator.omega_rad_s = 50;
    prepare(false);
    for (int i = 0; i < 4; i++)
        x[at + i] = 0;
    duties(0.8);
    fly(0.05, 0.0005);
    const double t = 0.05, wd = 50 * 0.8, decay = tac_exp(-0.6 * 50 * t);
    near(x[at], 0.8 * (1 - decay * (tac_cos(wd * t) + 0.75 * tac_sin(wd * t))), 1e-7,
         "second order");

    // A rate limit is reached, kept, and leaves nothing behind.
    p.vehicle.actuator.rate = 2;
    prepare(false);
    for (int i = 0; i < 4; i++)
        x[at + i] = 0;
    duties(1);
    double fastest = 0, highest = 0;
    for (int i = 0; i < 2000; i++) {
        iris_rk4(&p, &u, 0.0005, x);
        fastest = fmax(fastest, x[at + 4]);
        highest = fmax(highest, x[at]);
    }
    assert_true(fastest <= 2 && fastest > 1.99);
    assert_true(highest < 1.02);
    near(x[at], 1, 1e-6, "arrived");
}

// --- batteries ----------------------------------------------------------------------------------

// Heavy rotors that draw their greatest current make a constant load.
static double constant_load(void)
{
    prepare(true);
    for (int i = 0; i < 4; i++) {
        p.vehicle.rotor[i].motor.inertia = 1e9;
        p.vehicle.rotor[i].motor.max_a = 10;
    }
    prepare(false);
    stop_rotors();
    duties(0.75);
    return 4 * 0.75 * 10 / 0.98;
}

static void test_thevenin_step(void **state)
{
    (void)state;
    const double i = constant_load();
    for (int second = 1; second <= 60; second++) {
        fly(1, 0.02);
        const double soc = 1 - i * second / 18000;
        const double v1 = i * 0.010 * (1 - tac_exp(-second / (0.010 * 2000)));
        iris_output(&p, &u, x);
        near(x[17], soc, 1e-12, "soc");
        near(x[18], v1, 1e-11, "V1");
        near(u.out[TAC__OUT_BATTERY_VOLTAGE][0], 10.8 + 1.8 * soc - i * 0.020 - v1, 1e-10, "V");
        near(u.out[TAC__OUT_BUS_VOLTAGE][0], 10.8 + 1.8 * soc - i * 0.020 - v1, 1e-10, "bus");
        near(u.out[TAC__OUT_BATTERY_CURRENT][0], i, 1e-12, "I");
    }
}

static void test_warnings_and_disconnection(void **state)
{
    (void)state;
    static const double soc[] = {1, 0.151, 0.149, 0.101, 0.099, 0.051, 0.049, 0, -0.1};
    static const double level[] = {0, 0, 1, 1, 2, 2, 3, 3, 3};
    prepare(true);
    duties(0.6);
    for (size_t i = 0; i < sizeof soc / sizeof *soc; i++) {
        x[17] = soc[i];
        iris_output(&p, &u, x);
        near(u.out[TAC__OUT_BATTERY_WARNING][0], level[i], 0, "level");
        assert_true(u.out[TAC__OUT_BATTERY_CURRENT][0] > 10);
    }
    u.open[0] = 1;
    iris_output(&p, &u, x);
    near(u.out[TAC__OUT_BUS_VOLTAGE][0], 0, 0, "bus");
    near(u.out[TAC__OUT_BATTERY_CURRENT][0], 0, 0, "current");
    near(u.out[TAC__OUT_BATTERY_VOLTAGE][0], 10.8, 1e-12, "open terminals");
    for (int i = 0; i < 4; i++)
        near(u.out[TAC__OUT_MOTOR_CURRENT][i], 0, 0, "motor");
    iris_derive(&p, &u, x, dx);
    near(dx[17], 0, 0, "soc");
    assert_true(dx[TAC__X_ROTOR] < 0);
}

// --- energy -------------------------------------------------------------------------------------

enum { CHEMICAL, IN_BATTERY, TERMINALS, ESC, COPPER, NO_LOAD, VISCOUS, PROPELLER, FLOWS };

static void flows(const double *z, double *power)
{
    iris_output(&p, &u, z);
    const double i = u.out[TAC__OUT_BATTERY_CURRENT][0], v = u.out[TAC__OUT_BUS_VOLTAGE][0];
    power[CHEMICAL] = (10.8 + 1.8 * z[17]) * i;
    power[IN_BATTERY] = 0.020 * i * i + z[18] * i;
    power[TERMINALS] = v * i;
    power[ESC] = power[COPPER] = power[NO_LOAD] = power[VISCOUS] = power[PROPELLER] = 0;
    for (int k = 0; k < 4; k++) {
        const tac__motor *m = &p.vehicle.rotor[k].motor;
        const double a = u.out[TAC__OUT_MOTOR_CURRENT][k], w = z[TAC__X_ROTOR + k];
        power[ESC] += u.motor[k] * v * a * (1 / 0.98 - 1);
        power[COPPER] += 0.25 * a * a;
        power[NO_LOAD] += m->ke * w * fmin(a, 0.6);
        power[VISCOUS] += 2e-6 * w * w;
        power[PROPELLER] += 0.05 * u.out[TAC__OUT_THRUST][k] * w;
    }
}

static double rotor_energy(void)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += 0.5 * 1.2e-5 * x[TAC__X_ROTOR + k] * x[TAC__X_ROTOR + k];
    return sum;
}

// Where the battery's energy goes, over two seconds of changing commands.
static void test_energy_balance(void **state)
{
    (void)state;
    prepare(true);
    const double h = 0.0005, before = rotor_energy();
    double energy[FLOWS] = {0};
    for (int step = 0; step < 4000; step++) {
        const double t = step * h;
        for (int i = 0; i < 4; i++)
            u.motor[i] = 0.6 + 0.1 * tac_sin(9 * t + i);
        double a[FLOWS], b[FLOWS], c[FLOWS];
        flows(x, a); // Simpson's rule over a step of two halves
        iris_rk4(&p, &u, h / 2, x);
        flows(x, b);
        iris_rk4(&p, &u, h / 2, x);
        flows(x, c);
        for (int f = 0; f < FLOWS; f++)
            energy[f] += h / 6 * (a[f] + 4 * b[f] + c[f]);
    }
    assert_true(energy[TERMINALS] > 1000);
    near(energy[CHEMICAL], energy[IN_BATTERY] + energy[TERMINALS], 1e-6 * energy[TERMINALS],
         "of the battery");
    double spent = rotor_energy() - before;
    for (int f = ESC; f < FLOWS; f++)
        spent += energy[f];
    near(spent, energy[TERMINALS], 1e-6 * energy[TERMINALS], "of the motors");
}

TEST_MAIN(cmocka_unit_test(test_free_fall), cmocka_unit_test(test_ballistic),
          cmocka_unit_test(test_yaw_rate), cmocka_unit_test(test_momentum_is_conserved),
          cmocka_unit_test(test_tumbling), cmocka_unit_test(test_calibration),
          cmocka_unit_test(test_inflow), cmocka_unit_test(test_hover_is_an_equilibrium),
          cmocka_unit_test(test_signs), cmocka_unit_test(test_mirror),
          cmocka_unit_test(test_upright_is_a_special_case), cmocka_unit_test(test_motor),
          cmocka_unit_test(test_actuators), cmocka_unit_test(test_thevenin_step),
          cmocka_unit_test(test_warnings_and_disconnection), cmocka_unit_test(test_energy_balance))
