// quad.h - a quadrotor of 19 states that benchmarks integrate, and a flight of 10 s with it.
//
// Rigid body with rotor gyroscopics, drag with and without the rotors, motors with a lag that a
// sagging battery slows. World axes are east, north, up; the quaternion rotates body to world.
#ifndef TAC_BENCH_QUAD_H
#define TAC_BENCH_QUAD_H

#include <math.h>
#include <string.h>
#include <tactus/math.h>

// Where a state begins in y.
enum {
    QUAD_POSITION = 0,      // [m]
    QUAD_VELOCITY = 3,      // [m/s]
    QUAD_ATTITUDE = 6,      // w, x, y, z
    QUAD_RATE = 10,         // of the body [rad/s]
    QUAD_ROTOR = 13,        // [rad/s]
    QUAD_CHARGE = 17,       // of the battery, 0 to 1
    QUAD_POLARISATION = 18, // [V]
    QUAD_STATES = 19
};

enum { QUAD_INPUTS = 4 };                        // throttles, 0 to 1, held over a tick
enum { QUAD_TICKS = 2500, QUAD_TICK_US = 4000 }; // 10 s

static const double quad_mass = 1.2, quad_gravity = 9.80665;
static const double quad_jx = 0.0115, quad_jy = 0.0118, quad_jz = 0.021, quad_rotor_j = 3e-5;
static const double quad_arm = 0.1591;                  // along each body axis [m]
static const double quad_kt = 1.3e-5, quad_kq = 2.1e-7; // thrust and drag torque by speed^2
static const double quad_lag_s = 0.025, quad_top_speed = 900, quad_nominal_v = 16;
static const double quad_rotor_drag = 0.12, quad_body_drag = 0.018;
static const double quad_wind[2] = {2, -1};
static const double quad_current = 4e-5, quad_idle_current = 0.6;
static const double quad_r0 = 0.018, quad_r1 = 0.012, quad_c1 = 900, quad_capacity = 3600 * 5.0;

// The columns of R(q), which are the body axes in the world.
static inline void quad_axes(const double *q, double x[3], double y[3], double z[3])
{
    const double qw = q[0], qx = q[1], qy = q[2], qz = q[3];
    x[0] = 1 - 2 * (qy * qy + qz * qz);
    x[1] = 2 * (qx * qy + qw * qz);
    x[2] = 2 * (qx * qz - qw * qy);
    y[0] = 2 * (qx * qy - qw * qz);
    y[1] = 1 - 2 * (qx * qx + qz * qz);
    y[2] = 2 * (qy * qz + qw * qx);
    z[0] = 2 * (qx * qz + qw * qy);
    z[1] = 2 * (qy * qz - qw * qx);
    z[2] = 1 - 2 * (qx * qx + qy * qy);
}

static inline double quad_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void quad_rhs(const double *restrict y, const double *restrict u, double *restrict dy)
{
    // Squares of the rotor speeds; rotors are front right, rear left (both counter-clockwise),
    // front left, rear right.
    const double *rotor = y + QUAD_ROTOR;
    const double s0 = rotor[0] * rotor[0], s1 = rotor[1] * rotor[1];
    const double s2 = rotor[2] * rotor[2], s3 = rotor[3] * rotor[3];
    const double thrust = quad_kt * (s0 + s1 + s2 + s3);

    // Forces in the body frame: thrust and drag against the air.
    double bx[3], by[3], bz[3];
    quad_axes(y + QUAD_ATTITUDE, bx, by, bz);
    const double *v = y + QUAD_VELOCITY;
    const double air[3] = {v[0] - quad_wind[0], v[1] - quad_wind[1], v[2]};
    const double ax = quad_dot(bx, air), ay = quad_dot(by, air), az = quad_dot(bz, air);
    const double drag = quad_body_drag * sqrt(ax * ax + ay * ay + az * az);
    const double fx = -(quad_rotor_drag + drag) * ax;
    const double fy = -(quad_rotor_drag + drag) * ay;
    const double fz = thrust - drag * az;
    for (int i = 0; i < 3; i++) {
        dy[QUAD_POSITION + i] = v[i];
        dy[QUAD_VELOCITY + i] = (bx[i] * fx + by[i] * fy + bz[i] * fz) * (1 / quad_mass);
    }
    dy[QUAD_VELOCITY + 2] -= quad_gravity;

    const double *q = y + QUAD_ATTITUDE, *w = y + QUAD_RATE;
    dy[QUAD_ATTITUDE] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    dy[QUAD_ATTITUDE + 1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dy[QUAD_ATTITUDE + 2] = 0.5 * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]);
    dy[QUAD_ATTITUDE + 3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);

    const double tx = quad_arm * quad_kt * (-s0 + s1 + s2 - s3);
    const double ty = quad_arm * quad_kt * (-s0 + s1 - s2 + s3);
    const double tz = quad_kq * (-s0 - s1 + s2 + s3);
    const double spin = quad_rotor_j * (rotor[0] + rotor[1] - rotor[2] - rotor[3]);
    dy[QUAD_RATE] = (tx - (quad_jz - quad_jy) * w[1] * w[2] - w[1] * spin) * (1 / quad_jx);
    dy[QUAD_RATE + 1] = (ty - (quad_jx - quad_jz) * w[2] * w[0] + w[0] * spin) * (1 / quad_jy);
    dy[QUAD_RATE + 2] = (tz - (quad_jy - quad_jx) * w[0] * w[1]) * (1 / quad_jz);

    const double current =
        quad_idle_current + quad_current * (u[0] * s0 + u[1] * s1 + u[2] * s2 + u[3] * s3);
    const double charge = y[QUAD_CHARGE], polarisation = y[QUAD_POLARISATION];
    const double voltage = 14 + charge * (3.1 - 0.3 * charge) - polarisation - quad_r0 * current;
    const double speed = voltage * (quad_top_speed / quad_nominal_v);
    for (int i = 0; i < 4; i++)
        dy[QUAD_ROTOR + i] = (u[i] * speed - rotor[i]) * (1 / quad_lag_s);
    dy[QUAD_CHARGE] = -current * (1 / quad_capacity);
    dy[QUAD_POLARISATION] = (current * quad_r1 - polarisation) * (1 / (quad_r1 * quad_c1));
}

// The classical method as one would write it by hand for this problem.
static inline void quad_rk4(double *restrict y, const double *restrict u, double h)
{
    double k[QUAD_STATES], sum[QUAD_STATES], z[QUAD_STATES];
    quad_rhs(y, u, k);
    for (int i = 0; i < QUAD_STATES; i++) {
        sum[i] = k[i];
        z[i] = y[i] + 0.5 * h * k[i];
    }
    quad_rhs(z, u, k);
    for (int i = 0; i < QUAD_STATES; i++) {
        sum[i] += 2 * k[i];
        z[i] = y[i] + 0.5 * h * k[i];
    }
    quad_rhs(z, u, k);
    for (int i = 0; i < QUAD_STATES; i++) {
        sum[i] += 2 * k[i];
        z[i] = y[i] + h * k[i];
    }
    quad_rhs(z, u, k);
    for (int i = 0; i < QUAD_STATES; i++)
        y[i] += h / 6 * (sum[i] + k[i]);
}

static inline void quad_init(double *y)
{
    memset(y, 0, QUAD_STATES * sizeof *y);
    y[QUAD_POSITION + 2] = 1;
    y[QUAD_ATTITUDE] = 1;
    y[QUAD_CHARGE] = 0.95;
    for (int i = 0; i < 4; i++)
        y[QUAD_ROTOR + i] = sqrt(quad_mass * quad_gravity / 4 / quad_kt);
}

// A controller on a lemniscate: wanted acceleration, tilt towards it, allocation.
static inline void quad_control(double t, const double *y, double *u)
{
    const double w = 1.6, s = tac_sin(w * t), c = tac_cos(w * t);
    const double s2 = tac_sin(2 * w * t), c2 = tac_cos(2 * w * t);
    const double sh = tac_sin(0.5 * w * t), ch = tac_cos(0.5 * w * t);
    const double at[3] = {4 * s, 2 * s2, 1.5 + 0.7 * sh};
    const double speed[3] = {4 * w * c, 4 * w * c2, 0.35 * w * ch};
    double a[3] = {-4 * w * w * s, -8 * w * w * s2, -0.175 * w * w * sh};
    for (int i = 0; i < 3; i++)
        a[i] += 4 * (at[i] - y[QUAD_POSITION + i]) + 3 * (speed[i] - y[QUAD_VELOCITY + i]);
    a[2] = tac_max(3, a[2] + quad_gravity);

    double bx[3], by[3], bz[3];
    quad_axes(y + QUAD_ATTITUDE, bx, by, bz);
    const double length = sqrt(quad_dot(a, a));
    const double tilt[3] = {(bz[1] * a[2] - bz[2] * a[1]) / length,
                            (bz[2] * a[0] - bz[0] * a[2]) / length,
                            (bz[0] * a[1] - bz[1] * a[0]) / length};
    const double *rate = y + QUAD_RATE;
    const double mx = quad_jx * (140 * quad_dot(bx, tilt) - 18 * rate[0]);
    const double my = quad_jy * (140 * quad_dot(by, tilt) - 18 * rate[1]);
    const double mz = quad_jz * (-6 * tac_atan2(bx[1], bx[0]) - 4 * rate[2]);

    const double f = quad_mass * quad_dot(a, bz) / (4 * quad_kt);
    const double p = mx / (4 * quad_arm * quad_kt), q = my / (4 * quad_arm * quad_kt);
    const double r = mz / (4 * quad_kq);
    const double squares[4] = {f - p - q - r, f + p + q - r, f + p - q + r, f - p + q + r};
    for (int i = 0; i < 4; i++)
        u[i] = tac_clamp(sqrt(tac_max(0, squares[i])) / quad_top_speed, 0.05, 1);
}

// Fly it once with very fine steps: the inputs that every integrator is then given, and where they
// lead.
static inline void quad_record(double (*inputs)[QUAD_INPUTS], double *end)
{
    quad_init(end);
    for (int k = 0; k < QUAD_TICKS; k++) {
        quad_control(k * QUAD_TICK_US * 1e-6, end, inputs[k]);
        for (int i = 0; i < 200; i++)
            quad_rk4(end, inputs[k], QUAD_TICK_US * 1e-6 / 200);
    }
}

static inline double quad_position_error(const double *y, const double *end)
{
    const double d[3] = {y[0] - end[0], y[1] - end[1], y[2] - end[2]};
    return sqrt(quad_dot(d, d));
}

#endif
