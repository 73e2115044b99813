// Components written as equations: the same bits as those written in C, closed forms, the order of
// equations, coupling, bounds, conditions, NaN, and every mistake with its place.
#include "kernels.h"

#include <math.h>

// --- against C ----------------------------------------------------------------------------------

#define TWINS                                                                                      \
    "duration: 3 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: g, rate: 50 Hz, components: [push, gust]}]}\n"               \
    "components:\n"                                                                                \
    "  push: {type: noise, params: {unit: N, deviation: 2}}\n"                                     \
    "  gust: {type: noise, params: {size: 3, unit: m/s, deviation: 3}}\n"                          \
    "  lag: {type: lag, params: {unit: N, tau: 0.37 s, initial: 2}, inputs: {u: push.y}}\n"        \
    "  lag_e:\n"                                                                                   \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {u: N}\n"                                                                       \
    "      parameters: {tau: 0.37 s}\n"                                                            \
    "      states: {x: {unit: N, initial: 2}}\n"                                                   \
    "      equations: [der(x) = (u - x)/tau]\n"                                                    \
    "    inputs: {u: push.y}\n"                                                                    \
    "  osc:\n"                                                                                     \
    "    type: oscillator\n"                                                                       \
    "    params: {mass: 1.7, damping: 0.3, stiffness: 11, position: 0.6, velocity: -1}\n"          \
    "    inputs: {force: push.y}\n"                                                                \
    "  osc_e:\n"                                                                                   \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {force: N}\n"                                                                   \
    "      parameters: {mass: 1.7 kg, damping: 0.3 N*s/m, stiffness: 11 N/m}\n"                    \
    "      states:\n"                                                                              \
    "        position: {unit: m, initial: 0.6}\n"                                                  \
    "        velocity: {unit: m/s, initial: -1}\n"                                                 \
    "      outputs: {energy: J}\n"                                                                 \
    "      equations:\n"                                                                           \
    "        - energy = 0.5*(twice_kinetic + stiffness*position*position)\n"                       \
    "        - twice_kinetic = mass*velocity*velocity\n"                                           \
    "        - der(velocity) = (force - damping*velocity - stiffness*position)/mass\n"             \
    "        - der(position) = velocity\n"                                                         \
    "    inputs: {force: push.y}\n"                                                                \
    "  point:\n"                                                                                   \
    "    type: point_mass\n"                                                                       \
    "    params: {mass: 2.5, drag: 0.4, position: [1, 2, -3], velocity: [0.1, 0, 5]}\n"            \
    "    inputs: {wind: gust.y}\n"                                                                 \
    "  point_e:\n"                                                                                 \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {force: {type: vec3, unit: N, optional: true}, wind: vec3 m/s}\n"               \
    "      parameters: {mass: 2.5 kg, drag: 0.4 N*s/m, g: 9.80665 m/s^2}\n"                        \
    "      states:\n"                                                                              \
    "        position: {type: vec3, unit: m, initial: [1, 2, -3]}\n"                               \
    "        velocity: {type: vec3, unit: m/s, initial: [0.1, 0, 5]}\n"                            \
    "      equations:\n"                                                                           \
    "        - inverse = 1/mass\n"                                                                 \
    "        - der(position.x) = velocity.x\n"                                                     \
    "        - der(position.y) = velocity[1]\n"                                                    \
    "        - der(position[2]) = velocity.z\n"                                                    \
    "        - der(velocity.x) = inverse*(force.x - drag*(velocity.x - wind.x))\n"                 \
    "        - der(velocity.y) = inverse*(force.y - drag*(velocity.y - wind.y))\n"                 \
    "        - der(velocity.z) = inverse*(force.z - drag*(velocity.z - wind.z)) + g\n"             \
    "    inputs: {wind: gust.y}\n"

static void compare(rig *r, const char *signal, const char *twin, size_t count, double tolerance)
{
    const double *a = rig_read(r, signal), *b = rig_read(r, twin);
    for (size_t i = 0; i < count; i++) {
        if (tolerance == 0 ? memcmp(&a[i], &b[i], sizeof *a)
                           : !(fabs(a[i] - b[i]) <= tolerance * (1 + fabs(a[i]))))
            fail_msg("%s[%zu]: %.17g, %s: %.17g", signal, i, a[i], twin, b[i]);
    }
}

// Same arithmetic, same bits, and where steps are chosen the same steps; an implicit method has the
// derivatives of both.
static void test_twins(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double tolerance;
    } methods[] = {{"plant.integrator.kind=euler", 0},
                   {"plant.integrator.kind=rk4", 0},
                   {"plant.integrator.kind=rk45", 0},
                   {"plant.integrator.kind=dop853", 0},
                   {"plant.integrator={kind: rodas4, rtol: 1e-7}", 0}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        rig r;
        const double tolerance = methods[i].tolerance;
        assert_int_equal(rig_try_sets(&r, TWINS, &methods[i].set, 1), TAC_OK);
        const double start = rig_f64(&r, "osc_e.position");
        for (tac_time t_us = 0; t_us <= 3000000; t_us += 250000) {
            rig_run(&r, t_us);
            compare(&r, "lag.x", "lag_e.x", 1, tolerance);
            compare(&r, "osc.position", "osc_e.position", 1, tolerance);
            compare(&r, "osc.velocity", "osc_e.velocity", 1, tolerance);
            compare(&r, "osc.energy", "osc_e.energy", 1, tolerance);
            compare(&r, "point.position", "point_e.position", 3, tolerance);
            compare(&r, "point.velocity", "point_e.velocity", 3, tolerance);
        }
        assert_true(rig_f64(&r, "osc_e.position") != start);
        rig_close(&r);
    }
}

// --- kinds --------------------------------------------------------------------------------------

#define MIXED                                                                                      \
    "  mixed:\n"                                                                                   \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {u: m, v: {unit: m, optional: true}}\n"                                         \
    "      parameters: {k: 3 1/s}\n"                                                               \
    "      states: {x: {unit: m, initial: 0.5}, y: m, q: quat}\n"                                  \
    "      bounds: {x: [0.45, 0.55]}\n"                                                            \
    "      outputs: {w: m, low: m}\n"                                                              \
    "      equations:\n"                                                                           \
    "        - w = if(x < u AND (y > v OR t < 1 s), tanh(x/(1 m))*(1 m), mod(y, 0.7 m))\n"         \
    "        - low = clamp(min(x, y, u), -1 m, hypot(v, u))\n"                                     \
    "        - der(x) = k*(u - x) + k*sqrt(abs(w*u))\n"                                            \
    "        - der(y) = (if(w > 0 m, w, low))*k\n"                                                 \
    "        - der(q.w) = -k*q.x\n"                                                                \
    "        - der(q.x) = k*q.w\n"                                                                 \
    "        - der(q.y) = k*q.x\n"                                                                 \
    "        - der(q.z) = k*q.y\n"                                                                 \
    "    inputs: {u: shift.y}\n"                                                                   \
    "  shift: {type: constant, params: {unit: m, value: 0.25}}\n"

// A table and a spline, of a state and of an input.
#define TABLES                                                                                     \
    "  tables:\n"                                                                                  \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {u: m}\n"                                                                       \
    "      parameters: {k: 3 1/s}\n"                                                               \
    "      states: {x: {unit: m, initial: 0.5}}\n"                                                 \
    "      outputs: {y: N, z: 1}\n"                                                                \
    "      equations:\n"                                                                           \
    "        - y = spline(x, [0, 0.2, 0.5, 60 cm, 1], [1, 3, 2, 0.5, 1.2 kN])\n"                   \
    "        - z = spline(u, [0, 0.1, 0.3, 1], [1, 2, -2, 0])\n"                                   \
    "        - der(x) = k*table(u - x, [-1, 0.1, 2], [-2, 0.1, 1 m])*z\n"                          \
    "    inputs: {u: shift.y}\n"

static void test_kinds(void **state)
{
    (void)state;
    static const char *const names[] = {"lag_e", "osc_e", "point_e", "tables", "mixed"};
    rig r;
    rig_open(&r, TWINS MIXED TABLES);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kernels_compare(&r, names[i], 200, 0);
        if (i < 4) // no comparisons, which fail with NaN; and no kinks
            kernels_compare(&r, names[i], 200, 4);
        if (i < 4)
            kernels_differentiate(&r, names[i], 20);
    }
    rig_close(&r);
}

// A comparison with NaN in one lane fails for all, one that is not evaluated does not.
static void test_nan_in_a_lane(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 s\n"
                 "components:\n"
                 "  c:\n"
                 "    type: equations\n"
                 "    params:\n"
                 "      states: {x: m, y: m}\n"
                 "      equations:\n"
                 "        - der(x) = if(x < 1 m AND y < 1 m, 1 m/s, 2 m/s)\n"
                 "        - der(y) = 0 m/s\n");
    const kernels_subject s = kernels_of(&r, "c");
    _Alignas(16) double x[] = {0, 2, 0, QNAN}, dx[4];
    const double t[2] = {0};
    const tac_eval e = {.x = x, .dx = dx, .t_lanes = t, .lanes = 2};
    assert_int_equal(s.c->type->kernels[TAC_PACK2].derive(&e, s.c->self), TAC_OK);
    assert_true(dx[0] == 1 && dx[1] == 2);
    x[1] = 0.5;
    assert_int_equal(s.c->type->kernels[TAC_PACK2].derive(&e, s.c->self), TAC_E_NUMERIC);
    rig_close(&r);
}

// --- small ones ---------------------------------------------------------------------------------

// The first line of the parameters is line 6; they are indented by 6.
#define ONE(params)                                                                                \
    "duration: 1 s\n"                                                                              \
    "components:\n"                                                                                \
    "  c:\n"                                                                                       \
    "    type: equations\n"                                                                        \
    "    params:\n" params

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g", what, got, expected);
}

// x' = cos t and u' = -3u + t have closed forms; the stages of a step lie between microseconds.
static void test_closed_forms(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ONE("      states: {x: rad, u: {unit: m, initial: 2}, h: km}\n"
                     "      outputs: {sum: mm, phase: deg, time: ms}\n"
                     "      equations:\n"
                     "        - der(x) = cos(t*1 rad/s)*1 rad/s\n"
                     "        - der(u) = -rate*u + t*1 m/s^2\n"
                     "        - der(h) = 90 km/h\n"
                     "        - rate = 3/1 s\n"
                     "        - sum = u + h\n"
                     "        - phase = x\n"
                     "        - time = t\n"));
    rig_run(&r, TAC_TIME_NEVER);
    const double u = exp(-3) * (2 + 1.0 / 9) + 1.0 / 3 - 1.0 / 9;
    near(rig_f64(&r, "c.x"), sin(1), 1e-12, "x");
    near(rig_f64(&r, "c.u"), u, 1e-12, "u");
    near(rig_f64(&r, "c.h"), 0.025, 1e-15, "h");
    near(rig_f64(&r, "c.sum"), 1000 * (u + 25), 1e-8, "sum");
    near(rig_f64(&r, "c.phase"), sin(1) * 180 / 3.14159265358979323846, 1e-9, "phase");
    near(rig_f64(&r, "c.time"), 1000, 0, "time");
    rig_close(&r);
}

static uint64_t hash_of(const char *text)
{
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

#define PENDULUM(equations)                                                                        \
    ONE("      parameters: {l: 0.4 m}\n"                                                           \
        "      states: {a: {unit: rad, initial: 1}, w: rad/s}\n"                                   \
        "      outputs: {e: J/kg, acc: rad/s^2, tip: m/s}\n"                                       \
        "      equations: [" equations "]\n")

// der(w) may be read: an accelerometer.
static void test_any_order(void **state)
{
    (void)state;
    const uint64_t hash =
        hash_of(PENDULUM("g = 9.81 m/s^2, k = -g/l, 'der(w) = k*sin(a)*1 rad', der(a) = w, "
                         "tip = l*w/1 rad, acc = der(w), 'e = tip^2/2 + g*l*(1 - cos(a))'"));
    assert_true(hash == hash_of(PENDULUM("'e = tip^2/2 + g*l*(1 - cos(a))', acc = der(w), tip = "
                                         "l*w/1 rad, der(a) = w, 'der(w) = k*sin(a)*1 rad', "
                                         "k = -g/l, g = 9.81 m/s^2")));
    assert_true(hash != hash_of(PENDULUM("'e = tip^2/2 + g*l*(1 - cos(a))', acc = der(w), tip = "
                                         "l*w/1 rad, der(a) = w, 'der(w) = k*sin(a)*1 rad', "
                                         "k = -g/l, g = 9.82 m/s^2")));
    rig r;
    rig_open(&r, PENDULUM("g = 9.81 m/s^2, k = -g/l, 'der(w) = k*sin(a)*1 rad', der(a) = w, "
                          "tip = l*w/1 rad, acc = der(w), 'e = tip^2/2 + g*l*(1 - cos(a))'"));
    rig_run(&r, 0);
    const double e = rig_f64(&r, "c.e");
    rig_run(&r, TAC_TIME_NEVER);
    near(rig_f64(&r, "c.e"), e, 1e-10, "the energy of a pendulum");
    near(rig_f64(&r, "c.acc"), -9.81 / 0.4 * sin(rig_f64(&r, "c.a")), 1e-12, "acc");
    rig_close(&r);
}

// --- coupled ------------------------------------------------------------------------------------

// A mass, drag without states and a spring in C, in one island: drag reads the speed and gives the
// force at the same instant, which is no algebraic loop as the mass needs it only to integrate.
#define CART(drag, more)                                                                           \
    "duration: 1 s\n"                                                                              \
    "components:\n"                                                                                \
    "  mass:\n"                                                                                    \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {force: N}\n"                                                                   \
    "      states: {x: m, v: {unit: m/s, initial: 3}}\n"                                           \
    "      outputs: {speed: m/s}\n"                                                                \
    "      equations: [der(x) = v, der(v) = force/2 kg, speed = v" more "]\n"                      \
    "    inputs: {force: drag.force}\n"                                                            \
    "  drag:\n"                                                                                    \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {speed: m/s, pull: N}\n"                                                        \
    "      outputs: {force: N}\n"                                                                  \
    "      equations: [" drag "]\n"                                                                \
    "    inputs: {speed: mass.speed, pull: {from: lag.x}}\n"                                       \
    "  lag: {type: lag, params: {unit: N, tau: 0.2}, inputs: {u: {from: drag.force, gain: "        \
    "0.5}}}\n"

#define DRAG "force = -0.5 kg/m*speed*abs(speed) - 1.5*pull"

#define WHOLE                                                                                      \
    ONE("      states: {x: m, v: {unit: m/s, initial: 3}, p: N}\n"                                 \
        "      equations:\n"                                                                       \
        "        - der(x) = v\n"                                                                   \
        "        - der(v) = force/2 kg\n"                                                          \
        "        - force = -0.5 kg/m*v*abs(v) - 1.5*p\n"                                           \
        "        - der(p) = (0.5*force - p)/0.2 s\n")

static void test_coupled(void **state)
{
    (void)state;
    rig r, whole;
    rig_open(&r, CART(DRAG, ""));
    rig_open(&whole, WHOLE);
    rig_run(&r, TAC_TIME_NEVER);
    rig_run(&whole, TAC_TIME_NEVER);
    rig_same(rig_f64(&r, "mass.x"), rig_f64(&whole, "c.x"), "x", 1000000);
    rig_same(rig_f64(&r, "mass.v"), rig_f64(&whole, "c.v"), "v", 1000000);
    rig_same(rig_f64(&r, "lag.x"), rig_f64(&whole, "c.p"), "p", 1000000);
    assert_true(rig_f64(&r, "mass.v") < 3);
    rig_close(&whole);
    rig_close(&r);
    // Now the mass gives what it takes.
    rig_refused(CART(DRAG, " + force*0 s/kg"), TAC_E_CYCLE, "");
}

// Two components in a ring: each output of `a` comes from another way round, and none from itself.
#define RING(q)                                                                                    \
    "duration: 1 s\n"                                                                              \
    "plant: {integrator: {kind: rk4}}\n"                                                           \
    "components:\n"                                                                                \
    "  a:\n"                                                                                       \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {u: '1'}\n"                                                                     \
    "      states: {x: {initial: 2}}\n"                                                            \
    "      outputs: {p: '1', q: '1'}\n"                                                            \
    "      equations: [der(x) = -u/3 s, p = x, q = 2*u]\n"                                         \
    "    inputs: {u: b.r}\n"                                                                       \
    "  b:\n"                                                                                       \
    "    type: equations\n"                                                                        \
    "    params:\n"                                                                                \
    "      inputs: {s: '1'}\n"                                                                     \
    "      outputs: {r: '1'}\n"                                                                    \
    "      equations: [r = 3*s]\n"                                                                 \
    "    inputs: {s: a." q "}\n"

static void test_ring(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, RING("p"));
    rig_run(&r, TAC_TIME_NEVER);
    near(rig_f64(&r, "a.x"), 2 * exp(-1), 1e-12, "x' = -x");
    rig_same(rig_f64(&r, "a.q"), 2 * (3 * rig_f64(&r, "a.x")), "q", 1000000);
    rig_close(&r);
    rig_refused(RING("q"), TAC_E_CYCLE, "a.q -> b.r -> a.q");
}

// --- conditions, bounds, quaternions ------------------------------------------------------------

static void test_conditions(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 s\n"
                 "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [on]}]}\n"
                 "components:\n"
                 "  on: {type: source, params: {kind: bool}}\n"
                 "  c:\n"
                 "    type: equations\n"
                 "    params:\n"
                 "      inputs: {on: bool}\n"
                 "      states: {x: s, y: s}\n"
                 "      outputs: {late: bool, both: {type: bool, doc: of two}, n: 'f64[2]'}\n"
                 "      equations:\n"
                 "        - late = t >= 0.5 s\n"
                 "        - both = late AND on\n"
                 "        - early = NOT late\n"
                 "        - der(x) = if(early, 1, 0)\n"
                 "        - 'der(y) = if(on, 2, -2)'\n"
                 "        - 'n[0] = if(on, 1, 0)'\n"
                 "        - 'n[1] = 7'\n"
                 "    inputs: {on: on.y}\n");
    double y = 0;
    for (tac_time t_us = 0; t_us <= 1000000; t_us += 100000) {
        rig_run(&r, t_us);
        const bool on = rig_whole(t_us) & 1, late = t_us >= 500000;
        assert_true(*(const bool *)rig_read(&r, "c.late") == late);
        assert_true(*(const bool *)rig_read(&r, "c.both") == (late && on));
        assert_true(((const double *)rig_read(&r, "c.n"))[0] == on);
        assert_true(((const double *)rig_read(&r, "c.n"))[1] == 7);
        near(rig_f64(&r, "c.x"), t_us < 500000 ? (double)t_us / 1e6 : 0.5, 1e-3, "x");
        near(rig_f64(&r, "c.y"), y, 1e-12, "y");
        y += on ? 0.2 : -0.2;
    }
    rig_close(&r);
}

static void test_bounds(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "timeline: {physics: 10 ms}\n" ONE(
                     "      states: {fuel: {unit: kg, initial: 0.5}, p: {type: vec3, unit: m}}\n"
                     "      bounds: {fuel: [0, inf], p: [-.inf, 10 cm], p.z: [-20 cm, 0.1]}\n"
                     "      equations:\n"
                     "        - der(fuel) = -1 kg/s\n"
                     "        - der(p.x) = 1 m/s\n"
                     "        - der(p.y) = -1 m/s\n"
                     "        - der(p.z) = -1 m/s\n"));
    for (tac_time t_us = 0; t_us <= 1000000; t_us += 50000) {
        rig_run(&r, t_us);
        const double t = (double)t_us / 1e6, *p = rig_read(&r, "c.p");
        near(rig_f64(&r, "c.fuel"), t < 0.5 ? 0.5 - t : 0, 1e-12, "fuel");
        assert_true(rig_f64(&r, "c.fuel") >= 0);
        near(p[0], t < 0.1 ? t : 0.1, 1e-12, "p.x");
        near(p[1], -t, 1e-12, "p.y");
        near(p[2], t < 0.2 ? -t : -0.2, 1e-12, "p.z");
    }
    rig_close(&r);
}

// A body that turns at 2 rad/s about z, with an integrator that does not keep the length.
static void test_quaternion(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "timeline: {physics: 10 ms}\nplant: {integrator: {kind: euler, h_max: 10 ms}}\n" ONE(
                 "      states: {q: quat}\n"
                 "      equations:\n"
                 "        - w = 2/1 s\n"
                 "        - der(q.w) = -w*q.z/2\n"
                 "        - der(q.x) = w*q.y/2\n"
                 "        - der(q.y) = -w*q.x/2\n"
                 "        - der(q.z) = w*q.w/2\n"));
    rig_run(&r, TAC_TIME_NEVER);
    const double *q = rig_read(&r, "c.q");
    near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-15, "its length");
    near(q[0], cos(1), 1e-3, "q.w");
    near(q[3], sin(1), 1e-3, "q.z");
    rig_close(&r);
}

// --- NaN ----------------------------------------------------------------------------------------

static void test_nan(void **state)
{
    (void)state;
    // One that comes out is found in the state.
    rig_refused(ONE("      states: {x: m, y: m}\n"
                    "      equations: [der(x) = 0, 'der(y) = sqrt(0.5 - t/1 s)*1 m/s']\n"),
                TAC_E_NUMERIC, "state 'c.y' became NaN");
    // One that decides stops the evaluation: it does not take a branch.
    rig_refused(ONE("      states: {x: m}\n"
                    "      equations: [a = sqrt(0.5 - t/1 s), 'der(x) = if(a > -9, 1, 2)']\n"),
                TAC_E_NUMERIC, "numerical fault");
    rig_refused(ONE("      outputs: {y: bool}\n"
                    "      equations: [y = sqrt(0.5 - t/1 s) < 1]\n"
                    "  p: {type: probe, params: {kind: bool}, inputs: {u: c.y}}\n"
                    "scheduler: {rate_groups: [{name: g, period: 0.1 s, components: [p]}]}\n"),
                TAC_E_NUMERIC, "its outputs failed: numerical fault");
    // Where nothing looks at it, it does no harm.
    rig r;
    rig_open(&r, ONE("      states: {x: m}\n      outputs: {y: 1}\n"
                     "      equations: [y = log(-1 - t/1 s), der(x) = 1]\n"));
    rig_run(&r, TAC_TIME_NEVER);
    near(rig_f64(&r, "c.x"), 1, 1e-12, "x");
    assert_true(isnan(rig_f64(&r, "c.y")));
    rig_close(&r);
}

// --- parameters ---------------------------------------------------------------------------------

#define FALL                                                                                       \
    "duration: 1 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: g, period: 250 ms, components: ['*scenario']}]}\n"           \
    "entities:\n"                                                                                  \
    "  ball:\n"                                                                                    \
    "    count: 3\n"                                                                               \
    "    components:\n"                                                                            \
    "      scenario: {type: scenario}\n"                                                           \
    "      body:\n"                                                                                \
    "        type: equations\n"                                                                    \
    "        params:\n"                                                                            \
    "          parameters: {g: 10 m/s^2}\n"                                                        \
    "          states: {z: m, v: m/s}\n"                                                           \
    "          equations: [der(z) = v, der(v) = g]\n"                                              \
    "    each:\n"                                                                                  \
    "      - {components: {body: {params: {parameters: {g: 20 m/s^2}}}}}\n"                        \
    "      - {components: {body: {params: {equations: [der(z) = v, der(v) = -g]}}}}\n"             \
    "scenario:\n"                                                                                  \
    "  - {entity: ball3, at: 0.5 s, do: set, parameter: body.g, value: 1000 cm/s^2}\n"             \
    "  - {entity: ball1, at: 0.5 s, do: set, parameter: body.g, value: 0}\n"

static void test_parameters(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, FALL);
    rig_run(&r, TAC_TIME_NEVER);
    near(rig_f64(&r, "ball1.body.v"), 10, 1e-12, "set by an event");
    near(rig_f64(&r, "ball2.body.v"), -10, 1e-12, "other equations");
    near(rig_f64(&r, "ball3.body.v"), 10, 1e-12, "as in the template");
    rig_close(&r);
    const char *set = "entities.ball.components.body.params.parameters.g=300 cm/s^2";
    assert_int_equal(rig_try_sets(&r, FALL, &set, 1), TAC_OK);
    rig_run(&r, 500000);
    near(rig_f64(&r, "ball3.body.v"), 1.5, 1e-12, "by --set, in another unit");
    rig_close(&r);
}

// --- mistakes -----------------------------------------------------------------------------------

static void refused_at(const char *text, const char *part, unsigned line, unsigned column)
{
    rig r;
    const tac_status got = rig_try(&r, text);
    if (got == TAC_OK || !strstr(r.err.text, part) || r.err.line != line ||
        r.err.column != column) {
        rig_show(&r);
        fail_msg("expected '%s' at %u:%u; got %s at %u:%u", part, line, column,
                 tac_status_name(got), r.err.line, r.err.column);
    }
    rig_close(&r);
}

#define PORTS                                                                                      \
    "      inputs: {force: N, wind: vec3 m/s, on: bool}\n"                                         \
    "      parameters: {mass: 2 kg}\n"                                                             \
    "      states: {x: m, v: m/s}\n"                                                               \
    "      outputs: {energy: J, pull: vec3 N, high: bool}\n"                                       \
    "      equations:\n"                                                                           \
    "        - der(x) = v\n"                                                                       \
    "        - pull.x = 0\n"                                                                       \
    "        - pull.y = 0\n"                                                                       \
    "        - pull.z = 0\n"
#define REST                                                                                       \
    "        - high = x > 3\n"                                                                     \
    "        - energy = mass*v^2/2\n"
#define DER_V "        - der(v) = force/mass\n"
// The equation of line 15, which begins in column 11.
#define AT_15(text, part, column)                                                                  \
    refused_at(ONE(PORTS "        - " text "\n" REST DER_V), part, 15, column)
#define V_AT_15(text, part, column)                                                                \
    refused_at(ONE(PORTS "        - " text "\n" REST), part, 15, column)

static void test_mistakes_in_equations(void **state)
{
    (void)state;
    rig r;
    assert_int_equal(rig_try(&r, ONE(PORTS REST DER_V)), TAC_E_CONFIG); // nothing is connected
    assert_non_null(strstr(r.err.text, "input"));
    rig_close(&r);
    V_AT_15("der(v) = force", "der(v) takes m/s^2, but 'force' is in N", 20);
    V_AT_15("der(v) = force/mass + x", "is in m*s^-2, but 'x' is in m", 20);
    V_AT_15("der(v) = force > 2", "expected a number, this is a condition", 20);
    V_AT_15("der(v) = force/mas", "unknown name 'mas'; did you mean 'mass'?", 26);
    V_AT_15("der(v) = wind.x/t + wind[3]/t", "unknown name 'wind[3]'", 31);
    V_AT_15("der(v) = force/mass*rising(on)", "rising remembers", 31);
    V_AT_15("der(v) = if(x, 1, 2)", "needs a condition, but 'x' is a number", 23);
    V_AT_15("der(v) = (force/mass", "never closed", 20);
    V_AT_15("der(v) force/mass", "expected '=' after 'der(v)'", 18);
    AT_15("der(x) = 3*v", "'der(x)' has an equation already: der(x) = v", 11);
    AT_15("force = 3", "'force' is an input: it has no equation", 11);
    AT_15("wind.y = 3", "'wind.y' is an input", 11);
    AT_15("mass = 3 kg", "'mass' is a parameter", 11);
    AT_15("x = 3", "'x' is a state: write der(x)", 11);
    AT_15("der(force) = 3", "der() takes a state, but 'force' is an input", 11);
    AT_15("der(energy) = 3", "der() takes a state, but 'energy' is an output", 11);
    AT_15("der(xx) = 3", "there is no state 'xx'", 11);
    AT_15("pull = 3", "'pull' has 3 elements, each with an equation of its own, as pull.x", 11);
    AT_15("pul.x = 3", "there is no 'pul.x'; did you mean 'pull.x'?", 11);
    AT_15("t = 3", "'t' is the time", 11);
    AT_15("a = b + v", "unknown name 'b'", 15);
    AT_15("a = a + 1", "equations need each other at the same instant: a -> a", 11);
    AT_15("a = wind", "unknown name 'wind'; did you mean 'wind.x'?", 15);
}

static void test_mistakes(void **state)
{
    (void)state;
    refused_at(ONE(PORTS REST), "there is no equation der(v) = ...", 8, 25);
    refused_at(ONE(PORTS "        - high = x > 3\n        - enrgy = mass*v^2\n" DER_V),
               "there is no equation energy = ...; did you mean it by 'enrgy'?", 9, 25);
    refused_at(ONE("      outputs: {p: vec3 N}\n      equations: [p.x = 1, p.z = 2]\n"),
               "there is no equation p.y = ...", 6, 20);
    refused_at(ONE("      outputs: {p: N}\n      equations: [a = c, b = a + 1, c = 2*b, p = 1]\n"),
               "at the same instant: a -> c -> b -> a", 7, 19);
    refused_at(ONE("      outputs: {p: N, h: bool}\n      equations: [p = 1, h = p]\n"),
               "this is a number", 7, 30);
    refused_at(ONE("      outputs: {p: N}\n      equations: []\n"), "there are no equations", 7,
               18);
    refused_at(ONE("      outputs: {p: N}\n"), "parameter 'equations' is missing", 6, 7);
    refused_at(ONE("      outputs: {p: Q}\n      equations: [p = 1]\n"), "unknown unit 'Q'", 6, 20);
    refused_at(ONE("      outputs: {p: {unit: N, type: vec4}}\n      equations: [p = 1]\n"),
               "there is no type 'vec4'", 6, 36);
    refused_at(ONE("      outputs: {p: {unt: N}}\n      equations: [p = 1]\n"),
               "did you mean 'unit'?", 6, 21);
    refused_at(ONE("      outputs: {t: N}\n      equations: [p = 1]\n"),
               "'t' has a meaning of its own", 6, 20);
    refused_at(ONE("      outputs: {p.x: N}\n      equations: [p = 1]\n"), "'p.x' is no name", 6,
               22);
    refused_at(ONE("      inputs: {p: N}\n      outputs: {p: N}\n      equations: [p = 1]\n"),
               "'p' is an input already", 7, 20);
    refused_at(ONE("      states: {p: bool}\n      equations: [der(p) = 1]\n"), "cannot be a bool",
               6, 19);
    refused_at(ONE("      states: {p: {unit: m, initial: 3 s}}\n      equations: [der(p) = 1]\n"),
               "'3 s' is not in a unit of m", 6, 38);
    refused_at(
        ONE("      parameters: {p: 3 foo}\n      outputs: {y: 1}\n      equations: [y = 1]\n"),
        "unknown unit 'foo'", 6, 23);
    refused_at(
        ONE("      parameters: {p: many}\n      outputs: {y: 1}\n      equations: [y = 1]\n"),
        "'many' is not a finite number", 6, 23);
    refused_at(
        ONE("      parameters: {mas: 3 kg}\n      outputs: {y: 1}\n      equations: [y = 1]\n"),
        "no equation uses the parameter 'mas'", 6, 25);
#define BOUNDS(bounds)                                                                             \
    ONE("      states: {x: m, y: {unit: m, initial: 5}}\n"                                         \
        "      equations: [der(x) = 1, der(y) = 1, a = 1]\n"                                       \
        "      bounds: {" bounds "}\n")
    refused_at(BOUNDS("z: [0, 1]"), "there is no state 'z'", 8, 19);
    refused_at(BOUNDS("'x[0]y': [0, 1]"), "there is no state 'x[0]y'", 8, 25);
    refused_at(BOUNDS("a: [0, 1]"), "there is no state 'a'", 8, 19);
    refused_at(BOUNDS("x: [0]"), "expected [lowest, highest]", 8, 19);
    refused_at(BOUNDS("x: [0, 1 s]"), "'1 s' is not in a unit of m", 8, 19);
    refused_at(BOUNDS("x: [1, 0]"), "the upper bound is below the lower one", 8, 19);
    refused_at(BOUNDS("x: [0, 1], y: [0, 4 m]"), "'y' begins at 5, outside of its bounds", 8, 30);
}

TEST_MAIN(cmocka_unit_test(test_twins), cmocka_unit_test(test_kinds),
          cmocka_unit_test(test_nan_in_a_lane), cmocka_unit_test(test_closed_forms),
          cmocka_unit_test(test_any_order), cmocka_unit_test(test_coupled),
          cmocka_unit_test(test_ring), cmocka_unit_test(test_conditions),
          cmocka_unit_test(test_bounds), cmocka_unit_test(test_quaternion),
          cmocka_unit_test(test_nan), cmocka_unit_test(test_parameters),
          cmocka_unit_test(test_mistakes_in_equations), cmocka_unit_test(test_mistakes))
