// wind_processes.h - processes of the wind, for every scalar kind. Noise is an argument:
// independent standard normal numbers, as many as the process has states. Velocities are of the
// air, in m/s; x is along the mean wind.
#ifndef TAC_MODEL_WORLD_WIND_PROCESSES_H
#define TAC_MODEL_WORLD_WIND_PROCESSES_H

#include "math/quat.h"
#include "math/table.h"

#define WIND__FOOT 0.3048

// --- Ornstein-Uhlenbeck --------------------------------------------------------------------------

// The process over one period, as a state of the component: it depends on the period.
enum { TAC__OU_STATES = 3 };
typedef struct tac__ou {
    real phi[3];  // exp(-dt/tau)
    real gain[3]; // sigma sqrt(1 - phi^2)
} tac__ou;

// x <- phi x + sigma sqrt(1 - phi^2) n, which is exact for any period.
static inline void ou_step(const tac__ou *p, const real *n, real *x)
{
    for (int i = 0; i < TAC__OU_STATES; i++)
        x[i] = p->phi[i] * x[i] + p->gain[i] * n[i];
}

// --- logarithmic profile -------------------------------------------------------------------------

// Mean wind at a height over that at 20 ft, above ground of roughness length z0. None below z0.
static inline real wind_profile(param z0_m, real height_m)
{
    real top = r_log(r_max(P(z0_m), height_m) / z0_m);
    return top / r_log(P(20.0 * WIND__FOOT / z0_m));
}

// --- Dryden: MIL-F-8785C
// --------------------------------------------------------------------------

enum { TAC__DRYDEN_STATES = 5, TAC__DRYDEN_ALTITUDES = 12 };
extern const double tac__dryden_altitude[TAC__DRYDEN_ALTITUDES]; // [ft]

typedef struct tac__dryden {
    param w20_m_s;          // wind at 20 ft
    param min_airspeed_m_s; // turbulence drifts past at least so fast
    param north, east;      // direction of the mean wind
} tac__dryden;

// What turbulence depends on at an instant.
typedef struct dryden_inputs {
    real height_m; // above the ground
    real airspeed_m_s;
    quat attitude; // body to NED
} dryden_inputs;

// Length scales [m] and intensities [m/s] along and across (u, v) and down (w).
typedef struct dryden_scale {
    real lu, lw, su, sw;
    real aloft; // 0 up to 1000 ft, 1 from 2000 ft on
} dryden_scale;

// `aloft`: intensity above 2000 ft [ft/s], by tac__dryden_altitude.
static inline dryden_scale dryden__scale(const tac__dryden *p, const double *aloft, real height_m)
{
    real h = height_m / WIND__FOOT;
    real low = r_clamp(h, R(10.0), R(1000.0));
    real root = r_pow(0.177 + 0.000823 * low, R(0.4));
    table1 intensity = {TAC__DRYDEN_ALTITUDES, tac__dryden_altitude, aloft, TABLE_CLAMP, NULL};
    real sigma = table1_at(&intensity, r_max(R(2000.0), h)) * WIND__FOOT;
    dryden_scale s;
    s.aloft = r_clamp((h - 1000.0) / 1000.0, R(0.0), R(1.0));
    s.lu = r_lerp(low / (root * root * root), R(1750.0), s.aloft) * WIND__FOOT;
    s.lw = r_lerp(low, R(1750.0), s.aloft) * WIND__FOOT;
    s.su = r_lerp(0.1 * p->w20_m_s / root, sigma, s.aloft);
    s.sw = r_lerp(P(0.1 * p->w20_m_s), sigma, s.aloft);
    return s;
}

// The filters in units of their time constant L/V: a' = -a + w, b' = a - b, with white noise w such
// that a has variance 1. Over a time d their noise has the covariance
//     q11 = r1(2d), q12 = r2(2d)/2, q22 = r3(2d)/2, where rk(x) = 1 - exp(-x) (1 + ... +
//     x^(k-1)/(k-1)!).
// For small x that is a difference of nearly equal numbers, so there the rest of the series is
// summed instead.
enum { DRYDEN__TERMS = 14 };

static inline real dryden__rest(int k, real x, real decay, real closed)
{
    cond small = x < 0.5;
    real y = r_select(small, x, R(0.5));
    real sum = R(1.0), power = R(1.0);
    for (int j = DRYDEN__TERMS; j > 0; j--)
        sum = 1.0 + y * sum * (1.0 / (k + j));
    for (int j = 1; j <= k; j++)
        power = power * y * (1.0 / j);
    return r_select(small, decay * power * sum, closed);
}

// Longitudinal: Phi ~ 1/(1 + (L W)^2). Exact as above.
static inline real dryden__first(real d, real decay, real n, real a)
{
    real x = 2.0 * d, e = decay * decay;
    return decay * a + r_sqrt(dryden__rest(1, x, e, 1.0 - e)) * n;
}

// Lateral and vertical: Phi ~ (1 + 3 (L W)^2)/(1 + (L W)^2)^2.
static inline void dryden__second(real d, real decay, const real *n, real *ab)
{
    real x = 2.0 * d, e = decay * decay;
    real q11 = dryden__rest(1, x, e, 1.0 - e);
    real q12 = 0.5 * dryden__rest(2, x, e, 1.0 - e * (1.0 + x));
    real q22 = 0.5 * dryden__rest(3, x, e, 1.0 - e * (1.0 + x + 0.5 * x * x));
    real l11 = r_sqrt(q11), l21 = q12 / l11;
    real l22 = r_sqrt(r_max(R(0.0), q22 - l21 * l21));
    real a = ab[0], b = ab[1];
    ab[0] = decay * a + l11 * n[0];
    ab[1] = decay * (b + d * a) + l21 * n[0] + l22 * n[1];
}

// (b + sqrt(3) b')/sqrt(2), which has variance 1.
static inline real dryden__output(const real *ab)
{
    return 1.2247448713915890 * ab[0] - 0.51763809020504152 * ab[1];
}

// Along the mean wind near the ground, along the body axes aloft, and a mixture in between.
static inline vec3 dryden__to_ned(const tac__dryden *p, vec3 t, quat attitude, real aloft)
{
    vec3 low = vec3_make(p->north * t.x - p->east * t.y, p->east * t.x + p->north * t.y, t.z);
    vec3 high = quat_rotate(attitude, t);
    return vec3_make(r_lerp(low.x, high.x, aloft), r_lerp(low.y, high.y, aloft),
                     r_lerp(low.z, high.z, aloft));
}

// Turbulence in NED for the state x (of unit variances); then x is advanced by one period.
static inline vec3 dryden_step(const tac__dryden *p, const double *aloft, double dt_s,
                               const dryden_inputs *u, const real *n, real *x)
{
    dryden_scale s = dryden__scale(p, aloft, u->height_m);
    vec3 t = vec3_make(s.su * x[0], s.su * dryden__output(x + 1), s.sw * dryden__output(x + 3));
    vec3 ned = dryden__to_ned(p, t, u->attitude, s.aloft);

    real way = dt_s * r_max(P(p->min_airspeed_m_s), u->airspeed_m_s);
    real du = way / s.lu, dw = way / s.lw;
    real eu = r_exp(-du), ew = r_exp(-dw);
    x[0] = dryden__first(du, eu, n[0], x[0]);
    dryden__second(du, eu, n + 1, x + 1);
    dryden__second(dw, ew, n + 3, x + 3);
    return ned;
}

// A draw from the stationary distribution.
static inline void dryden_start(const real *n, real *x)
{
    x[0] = n[0];
    for (int i = 1; i < TAC__DRYDEN_STATES; i += 2) {
        x[i] = n[i];
        x[i + 1] = 0.5 * (n[i] + n[i + 1]);
    }
}

#endif
