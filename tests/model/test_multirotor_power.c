// The bus voltage balances currents for every state that can occur: random networks in random
// states, against bisection; and what sharing, floors and loads mean.
#include "support/test.h"

#include "math/inputs.h"
#include "model/iris.h"

#include <stdio.h>
#include <stdlib.h>

static tac__multirotor p;
static iris_ports u;
static double x[IRIS_X_MAX];

static uint64_t seed = 11;

static double uniform(double lo, double hi)
{
    return input_uniform(&seed, lo, hi);
}

static int whole(int lo, int hi)
{
    return lo + (int)(input_bits(&seed) % (uint64_t)(hi - lo + 1));
}

static bool chance(double of)
{
    return uniform(0, 1) < of;
}

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

// --- any network --------------------------------------------------------------------------------

static void random_motor(tac__motor *m)
{
    *m = (tac__motor){.kv_rpm_v = uniform(100, 2500),
                      .resistance_ohm = uniform(0.02, 0.4),
                      .no_load_a = uniform(0, 2),
                      .max_a = chance(0.5) ? uniform(5, 80) : 60,
                      .friction = 2e-6,
                      .inertia = 1e-5,
                      .efficiency = uniform(0.8, 1)};
}

static void random_battery(tac__battery *b, bool ideal)
{
    iris_battery(b);
    const double cells = whole(2, 14);
    b->ideal = ideal;
    b->ocv_v[0] = 3.6 * cells;
    b->ocv_v[1] = 4.2 * cells;
    b->floor_v = uniform(2.5, 3.6) * cells;
    b->r0_ohm = uniform(0.001, 0.1);
}

static void random_network(void)
{
    iris_set(&p);
    p.vehicle.rotors = whole(1, TAC__ROTORS_MAX);
    p.buses = whole(1, 2);
    p.batteries = whole(p.buses, 4);
    for (int b = 0; b < p.buses; b++)
        p.bus[b] =
            (tac__bus){.load_w = chance(0.5) ? uniform(0, 300) : 0, .by_equals = chance(0.5)};
    const bool ideal[2] = {chance(0.1), chance(0.1)};
    for (int k = 0; k < p.batteries; k++) {
        const int bus = k < p.buses ? k : whole(0, p.buses - 1);
        random_battery(&p.battery[k], ideal[bus]);
        p.battery[k].bus = bus;
    }
    for (int i = 0; i < p.vehicle.rotors; i++) {
        p.vehicle.rotor[i] = p.vehicle.rotor[0];
        random_motor(&p.vehicle.rotor[i].motor);
        p.vehicle.rotor[i].bus = whole(0, p.buses - 1);
    }
    tac__multirotor_prepare(&p);
    iris_connect(&u);
}

static void random_state(void)
{
    iris_start(&p, x);
    for (int i = 0; i < p.vehicle.rotors; i++) {
        const tac__motor *m = &p.vehicle.rotor[i].motor;
        const double duty = chance(0.1) ? 0 : chance(0.1) ? 1 : uniform(0, 1);
        u.motor[i] = duty;
        // Around the speed at which it draws nothing, where pieces meet; or any.
        const double free = duty * uniform(10, 60) / m->ke;
        x[TAC__X_ROTOR + i] = chance(0.1) ? 0 : chance(0.5) ? free : uniform(0, 2000);
    }
    for (int k = 0; k < p.batteries; k++) {
        double *soc = x + tac__multirotor_x_soc(&p);
        soc[k] = chance(0.1) ? 0 : uniform(0, 1);
        soc[p.batteries + k] = uniform(-0.2, 1);
        u.open[k] = chance(0.2);
    }
}

// --- what the equations say ---------------------------------------------------------------------

typedef struct source {
    double emf, resistance, floor;
    bool live;
} source;

static double emf_of(int k)
{
    const tac__battery *b = &p.battery[k];
    const double *soc = x + tac__multirotor_x_soc(&p);
    return b->ocv_v[0] + (b->ocv_v[1] - b->ocv_v[0]) * soc[k] - soc[p.batteries + k];
}

static double share_of(int k, int bus)
{
    double sum = 0;
    for (int j = 0; j < p.batteries; j++) {
        if (p.battery[j].bus == bus && u.open[j] == 0)
            sum += p.battery[j].weight;
    }
    return u.open[k] == 0 ? p.battery[k].weight / sum : 0;
}

static source source_of(int bus)
{
    source s = {0, 0, 0, false};
    for (int k = 0; k < p.batteries; k++) {
        if (p.battery[k].bus != bus || u.open[k] != 0)
            continue;
        const double share = share_of(k, bus);
        s.emf += share * emf_of(k);
        s.resistance += share * share * p.battery[k].r0_ohm;
        s.floor += share * p.battery[k].floor_v;
        s.live = true;
    }
    return s;
}

static double motor_current(int i, double v)
{
    const tac__motor *m = &p.vehicle.rotor[i].motor;
    const double duty = u.motor[i] < 0.02 ? 0 : u.motor[i];
    const double a = (duty * v - m->ke * x[TAC__X_ROTOR + i]) / m->resistance_ohm;
    return a < 0 ? 0 : a > m->max_a ? m->max_a : a;
}

static double drawn(int bus, double v)
{
    double sum = p.bus[bus].load_w > 0 ? p.bus[bus].load_w / v : 0;
    for (int i = 0; i < p.vehicle.rotors; i++) {
        if (p.vehicle.rotor[i].bus == bus && u.motor[i] >= 0.02)
            sum += u.motor[i] * motor_current(i, v) / p.vehicle.rotor[i].motor.efficiency;
    }
    return sum;
}

static double bisect(int bus, source s)
{
    double low = s.floor, high = s.emf;
    if (s.emf <= low || s.emf - low - s.resistance * drawn(bus, low) <= 0)
        return low;
    for (int i = 0; i < 200; i++) {
        const double v = 0.5 * (low + high);
        if (s.emf - v - s.resistance * drawn(bus, v) > 0)
            low = v;
        else
            high = v;
    }
    return high;
}

// How close the plant comes to the equations; the worst residual is kept.
static double worst_a, worst_v;
static int floored, unpowered, saturated;

static void check_state(void)
{
    iris_output(&p, &u, x);
    double given[TAC__BUSES_MAX] = {0};
    for (int k = 0; k < p.batteries; k++)
        given[p.battery[k].bus] += u.out[TAC__OUT_BATTERY_CURRENT][k];
    for (int b = 0; b < p.buses; b++) {
        const source s = source_of(b);
        const double v = u.out[TAC__OUT_BUS_VOLTAGE][b];
        if (!s.live) {
            assert_true(v == 0 && given[b] == 0);
            unpowered++;
            continue;
        }
        const double load = drawn(b, v);
        const bool at_floor = s.resistance > 0 && v <= s.floor * (1 + 1e-14);
        floored += at_floor;
        // What the batteries have at this voltage, what they are said to give, what is drawn.
        if (!at_floor && s.resistance > 0)
            worst_a = fmax(worst_a, fabs((s.emf - v) / s.resistance - load));
        worst_a = fmax(worst_a, fabs(given[b] - load));
        worst_v = fmax(worst_v, fabs(v - bisect(b, s)));
    }
    for (int i = 0; i < p.vehicle.rotors; i++) {
        const double v = u.out[TAC__OUT_BUS_VOLTAGE][p.vehicle.rotor[i].bus];
        saturated += motor_current(i, v) == p.vehicle.rotor[i].motor.max_a;
        near(u.out[TAC__OUT_MOTOR_CURRENT][i], motor_current(i, v), 1e-9, "motor");
    }
    worst_a = fmax(worst_a, u.out[TAC__OUT_BUS_RESIDUAL][0]);
}

static void test_every_state_is_balanced(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ // the numbers are the business of other trees
    enum { NETWORKS = 2000, STATES = 30 };
#else
    enum { NETWORKS = 10000, STATES = 30 };
#endif
    for (int n = 0; n < NETWORKS; n++) {
        random_network();
        for (int i = 0; i < STATES; i++) {
            random_state();
            check_state();
        }
    }
    print_message("%d states: residual %.2g A, voltage %.2g V; %d buses at the floor, %d without "
                  "source, %d motors at their limit\n",
                  NETWORKS * STATES, worst_a, worst_v, floored, unpowered, saturated);
    assert_true(worst_a < 1e-6);
    assert_true(worst_v < 1e-8);
    assert_true(floored > 1000 && unpowered > 1000 && saturated > 1000);
}

// Many motors with a low limit on a soft battery: between all off and all at the limit the load is
// steep, and an iteration without a bracket swings from one end to the other for ever.
static void test_steep_loads(void **state)
{
    (void)state;
    worst_a = worst_v = 0;
    for (int trial = 0; trial < 100000; trial++) {
        iris_set(&p);
        p.vehicle.rotors = TAC__ROTORS_MAX;
        for (int i = 0; i < TAC__ROTORS_MAX; i++) {
            p.vehicle.rotor[i] = p.vehicle.rotor[0];
            p.vehicle.rotor[i].motor.resistance_ohm = 0.02;
            p.vehicle.rotor[i].motor.max_a = uniform(2, 6);
        }
        p.battery[0].r0_ohm = uniform(0.02, 0.1);
        p.battery[0].floor_v = 1;
        tac__multirotor_prepare(&p);
        iris_connect(&u);
        iris_start(&p, x);
        const double centre = uniform(5, 12), spread = uniform(0, 1);
        for (int i = 0; i < TAC__ROTORS_MAX; i++) {
            u.motor[i] = 1;
            x[TAC__X_ROTOR + i] =
                uniform(centre - spread, centre + spread) / p.vehicle.rotor[i].motor.ke;
        }
        check_state();
    }
    print_message("residual %.2g A, voltage %.2g V\n", worst_a, worst_v);
    assert_true(worst_a < 1e-6);
    assert_true(worst_v < 1e-8);
}

// --- what it means ------------------------------------------------------------------------------

static void two_batteries(bool by_equals)
{
    iris_set(&p);
    p.batteries = 2;
    p.battery[1] = p.battery[0];
    p.battery[1].r0_ohm = 0.06; // three times the other
    p.bus[0].by_equals = by_equals;
    tac__multirotor_prepare(&p);
    iris_connect(&u);
    iris_start(&p, x);
    for (int i = 0; i < 4; i++)
        u.motor[i] = 0.6;
}

static void test_sharing(void **state)
{
    (void)state;
    const double *current = u.out[TAC__OUT_BATTERY_CURRENT];
    const double *terminal = u.out[TAC__OUT_BATTERY_VOLTAGE];
    const double *bus = u.out[TAC__OUT_BUS_VOLTAGE];
    two_batteries(false);
    iris_output(&p, &u, x);
    near(current[0], 3 * current[1], 1e-12, "by 1/R0");
    near(terminal[0], bus[0], 1e-12, "parallel batteries have one voltage");
    near(terminal[1], bus[0], 1e-12, "parallel batteries have one voltage");
    two_batteries(true);
    iris_output(&p, &u, x);
    near(current[0], current[1], 0, "equally");
    // What they give is what the bus gets.
    near(terminal[0] * current[0] + terminal[1] * current[1], bus[0] * (current[0] + current[1]),
         1e-10, "power");
    u.open[1] = 1;
    iris_output(&p, &u, x);
    near(current[1], 0, 0, "open");
    near(terminal[0], bus[0], 1e-12, "alone");
    near(terminal[1], 12.6, 1e-12, "open");
}

static void test_avionics(void **state)
{
    (void)state;
    iris_set(&p);
    p.bus[0].load_w = 24;
    tac__multirotor_prepare(&p);
    iris_connect(&u);
    iris_start(&p, x);
    iris_output(&p, &u, x);
    const double v = u.out[TAC__OUT_BUS_VOLTAGE][0], i = u.out[TAC__OUT_BATTERY_CURRENT][0];
    near(v * i, 24, 1e-9, "power");
    near(v, 0.5 * (12.6 + sqrt(12.6 * 12.6 - 4 * 0.02 * 24)), 1e-12, "voltage");
}

static void test_floor(void **state)
{
    (void)state;
    iris_set(&p);
    p.battery[0].r0_ohm = 0.2;
    tac__multirotor_prepare(&p);
    iris_connect(&u);
    iris_start(&p, x);
    for (int i = 0; i < 4; i++) {
        u.motor[i] = 1;
        x[TAC__X_ROTOR + i] = 0;
    }
    iris_output(&p, &u, x);
    near(u.out[TAC__OUT_BUS_VOLTAGE][0], 9.9, 0, "bus");
    near(u.out[TAC__OUT_BATTERY_VOLTAGE][0], 9.9, 0, "terminals");
    near(u.out[TAC__OUT_BATTERY_CURRENT][0], 4 * 9.9 / 0.25 / 0.98, 1e-9, "current");
    near(u.out[TAC__OUT_BUS_RESIDUAL][0], 0, 0, "residual");
}

TEST_MAIN(cmocka_unit_test(test_every_state_is_balanced), cmocka_unit_test(test_steep_loads),
          cmocka_unit_test(test_sharing), cmocka_unit_test(test_avionics),
          cmocka_unit_test(test_floor))
