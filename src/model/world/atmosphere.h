// atmosphere.h - the U.S. Standard Atmosphere 1976, for model code of any scalar kind.
//
// Seven layers in geopotential altitude, each with a constant gradient of temperature, in
// hydrostatic balance; docs/models/atmosphere.md has the equations, sources and limits.
#ifndef TAC_MODEL_WORLD_ATMOSPHERE_H
#define TAC_MODEL_WORLD_ATMOSPHERE_H

#include "math/real.h"

#define ATMOSPHERE__RADIUS   6356766.0             // of the Earth, for geopotential altitude [m]
#define ATMOSPHERE__GAS      (8.31432 / 0.0289644) // R*/M0 [J/(kg K)]
#define ATMOSPHERE__COLUMN   (9.80665 / ATMOSPHERE__GAS) // g0 M0/R* [K/m]
#define ATMOSPHERE__T0       288.15                      // at sea level [K]
#define ATMOSPHERE__P0       101325.0                    // at sea level [Pa]
#define ATMOSPHERE__LAPSE    0.0065                      // of the lowest layer [K/m]
#define ATMOSPHERE__EXPONENT (ATMOSPHERE__COLUMN / ATMOSPHERE__LAPSE)

enum { ATMOSPHERE__LAYERS = 8 };

// Where each layer begins, and temperature, gradient and pressure there. The eighth begins at 86 km
// and carries on at constant temperature.
//
// In a layer p = p_b exp(-power log(T/T_b) - decay (h - h_b)): the first term is for layers with a
// gradient, the second for those without.
// clang-format off
#define PER(x) (ATMOSPHERE__COLUMN / (x))
static const double atmosphere__base[ATMOSPHERE__LAYERS] = { // m
    0.0, 11000.0, 20000.0, 32000.0, 47000.0, 51000.0, 71000.0, 84852.045844905744};
static const double atmosphere__temperature[ATMOSPHERE__LAYERS] = { // K
    288.15, 216.65, 216.65, 228.65, 270.65, 270.65, 214.65, 186.94590831018851};
static const double atmosphere__gradient[ATMOSPHERE__LAYERS] = { // K/m
    -0.0065, 0.0, 0.001, 0.0028, 0.0, -0.0028, -0.002, 0.0};
static const double atmosphere__pressure[ATMOSPHERE__LAYERS] = { // Pa
    101325.0, 22632.063973462929, 5474.8886696777799, 868.01868475522735,
    110.90630555496588, 66.938873118687269, 3.9564204280407287, 0.37338046183105789};
static const double atmosphere__power[ATMOSPHERE__LAYERS] = {
    PER(-0.0065), 0.0, PER(0.001), PER(0.0028), 0.0, PER(-0.0028), PER(-0.002), 0.0};
static const double atmosphere__decay[ATMOSPHERE__LAYERS] = { // 1/m
    0.0, PER(216.65), 0.0, 0.0, PER(270.65), 0.0, 0.0, PER(186.94590831018851)};
#undef PER
// clang-format on

// Geometric to geopotential altitude [m].
static inline real atmosphere_geopotential(real altitude_m)
{
    return ATMOSPHERE__RADIUS * altitude_m / (ATMOSPHERE__RADIUS + altitude_m);
}

static inline real atmosphere__layer(real h)
{
    real index = R(0.0);
    for (int i = 1; i < ATMOSPHERE__LAYERS; i++)
        index = r_select(h >= atmosphere__base[i], R(i), index);
    return index;
}

static inline real atmosphere__temperature_at(real h)
{
    real i = atmosphere__layer(h);
    return r_pick(atmosphere__temperature, ATMOSPHERE__LAYERS, i) +
           r_pick(atmosphere__gradient, ATMOSPHERE__LAYERS, i) *
               (h - r_pick(atmosphere__base, ATMOSPHERE__LAYERS, i));
}

// One logarithm and one exponential whatever the layer.
static inline real atmosphere__pressure_at(real h, real temperature)
{
    real i = atmosphere__layer(h);
    real dh = h - r_pick(atmosphere__base, ATMOSPHERE__LAYERS, i);
    real ratio = temperature / r_pick(atmosphere__temperature, ATMOSPHERE__LAYERS, i);
    real exponent = r_pick(atmosphere__power, ATMOSPHERE__LAYERS, i) * r_log(ratio) +
                    r_pick(atmosphere__decay, ATMOSPHERE__LAYERS, i) * dh;
    return r_pick(atmosphere__pressure, ATMOSPHERE__LAYERS, i) * r_exp(-exponent);
}

// The binomial series of (1 + u)^5.2559 up to u^12, whose remainder is below 1e-16 for |u| < 0.1.
// Summed in pairs (Estrin), which is half as long as Horner's chain.
static inline real atmosphere__series(real u)
{
#define C(k, below) ((below) * (ATMOSPHERE__EXPONENT - ((k)-1)) / (k))
    const double c1 = C(1, 1.0), c2 = C(2, c1), c3 = C(3, c2), c4 = C(4, c3);
    const double c5 = C(5, c4), c6 = C(6, c5), c7 = C(7, c6), c8 = C(8, c7);
    const double c9 = C(9, c8), c10 = C(10, c9), c11 = C(11, c10), c12 = C(12, c11);
#undef C
    real u2 = u * u, u4 = u2 * u2;
    real low = (1.0 + c1 * u) + (c2 + c3 * u) * u2;
    real middle = (c4 + c5 * u) + (c6 + c7 * u) * u2;
    real high = (c8 + c9 * u) + (c10 + c11 * u) * u2 + c12 * u4;
    return low + (middle + high * u4) * u4;
}

// Density [kg/m^3], temperature [K] and pressure [Pa] at a geometric altitude above sea level.
// Below sea level the lowest layer carries on; above 86 km the last temperature does. Near the
// ground (4.4 km up or down) the pressure costs a polynomial only, elsewhere a logarithm and an
// exponential: that saves 2,070 of 16,460 instructions a millisecond of flight (callgrind,
// examples/iris_mission.yaml from 5 s to 10 s).
static inline void atmosphere_at(real altitude_m, real *density, real *temperature, real *pressure)
{
    real h = atmosphere_geopotential(altitude_m);
    real u = h * (-ATMOSPHERE__LAPSE / ATMOSPHERE__T0);
    cond low = r_abs(u) < 0.1;
    real t = R_CHOOSE(low, ATMOSPHERE__T0 - ATMOSPHERE__LAPSE * h, atmosphere__temperature_at(h));
    real p = R_CHOOSE(low, ATMOSPHERE__P0 * atmosphere__series(u), atmosphere__pressure_at(h, t));
    *density = p * (1.0 / (ATMOSPHERE__GAS * t)); // the reciprocal does not wait for p
    *temperature = t;
    *pressure = p;
}

// The geometric altitude at which the pressure is this: the inverse of the above, also below sea
// level and above 86 km.
static inline real atmosphere_altitude(real pressure)
{
    real i = R(0.0);
    for (int k = 1; k < ATMOSPHERE__LAYERS; k++)
        i = r_select(pressure <= atmosphere__pressure[k], R(k), i);
    real fall = -r_log(pressure / r_pick(atmosphere__pressure, ATMOSPHERE__LAYERS, i));
    real power = r_pick(atmosphere__power, ATMOSPHERE__LAYERS, i);
    real decay = r_pick(atmosphere__decay, ATMOSPHERE__LAYERS, i);
    // In layers of the other kind the divisor is replaced by 1, so that nothing is divided by 0.
    cond steady = decay > 0.0;
    real warming = r_expm1(fall / r_select(steady, R(1.0), power));
    real dh =
        r_select(steady, fall / r_select(steady, decay, R(1.0)),
                 warming * r_pick(atmosphere__temperature, ATMOSPHERE__LAYERS, i) /
                     r_select(steady, R(1.0), r_pick(atmosphere__gradient, ATMOSPHERE__LAYERS, i)));
    real h = r_pick(atmosphere__base, ATMOSPHERE__LAYERS, i) + dh;
    return ATMOSPHERE__RADIUS * h / (ATMOSPHERE__RADIUS - h);
}

#endif
