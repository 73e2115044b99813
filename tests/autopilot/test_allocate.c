// Thrust and torque among the rotors: what can be had is had exactly, limits hold, priorities are
// kept, and rotors that are out do no harm.
#include "support/test.h"

#include "autopilot/plant.h"

static uint64_t seed = 3;

static double uniform(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(seed >> 11) * 0x1p-53);
}

// --- a vehicle, and what its rotors do by the equations of motion -------------------------------

typedef struct rig {
    plant p;
    tac__control_shape shape;
    tac__control c;
    tac__control_in in;
    double voltage[TAC__ROTORS_MAX], works[TAC__ROTORS_MAX];
} rig;

static void rig_begin(rig *g, int rotors)
{
    if (rotors == 4)
        plant_iris(&g->p);
    else
        plant_ring(&g->p, rotors);
    tac__control_init(&g->c, &g->shape, &g->p.v, &plant_tuning);
    g->in = (tac__control_in){0};
    for (int i = 0; i < TAC__ROTORS_MAX; i++) {
        g->voltage[i] = 12;
        g->works[i] = 1;
    }
}

static double weight(const rig *g)
{
    return g->c.mass_kg * g->c.g_m_s2;
}

static void effect(const rig *g, const double *thrust, double *wrench)
{
    memset(wrench, 0, 4 * sizeof *wrench);
    for (int i = 0; i < g->p.v.rotors; i++) {
        const tac__rotor *r = &g->p.v.rotor[i];
        double force[3], torque[3];
        for (int k = 0; k < 3; k++)
            force[k] = -thrust[i] * r->axis[k];
        plant_cross(r->position_m, force, torque);
        wrench[0] -= force[2];
        for (int k = 0; k < 3; k++)
            wrench[1 + k] += torque[k] + r->axis[k] * r->direction * 0.05 * thrust[i];
    }
}

// Allocate, and check what always holds: limits, and that `reached` is true.
static void allocate(const rig *g, const double *wanted, double *thrust, double *reached)
{
    tac__control_allocate_f64(&g->shape, &g->c, g->voltage, g->works, wanted, thrust, reached);
    for (int i = 0; i < g->shape.rotors; i++) {
        const tac__control_rotor *r = &g->c.rotor[i];
        if (g->works[i] > 0)
            assert_true(thrust[i] >= r->idle_n * (1 - 1e-12) &&
                        thrust[i] <= r->full_n * (1 + 1e-12));
        else
            assert_true(thrust[i] == 0);
    }
    double wrench[4];
    effect(g, thrust, wrench);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(wrench[k] - reached[k]) < 1e-9 * g->c.scale[k]);
}

static void assert_reached(const rig *g, const double *reached, const double *wanted, int rows)
{
    for (int k = 0; k < rows; k++) {
        if (!(fabs(reached[k] - wanted[k]) < 1e-6 * g->c.scale[k]))
            fail_msg("row %d: %g instead of %g", k, reached[k], wanted[k]);
    }
}

// --- tests --------------------------------------------------------------------------------------

static void test_feasible_is_exact(void **state)
{
    (void)state;
    for (int n = 4; n <= 16; n += 2) {
        rig g;
        rig_begin(&g, n);
        for (int k = 0; k < 1000; k++) {
            // Thrusts inside the limits make a wrench that can be had.
            double some[TAC__ROTORS_MAX], wanted[4], thrust[TAC__ROTORS_MAX], reached[4];
            for (int i = 0; i < n; i++)
                some[i] = g.c.rotor[i].full_n * uniform(0.4, 0.6);
            effect(&g, some, wanted);
            allocate(&g, wanted, thrust, reached);
            assert_reached(&g, reached, wanted, 4);
            // And there is no way with less.
            double sum = 0, least = 0;
            for (int i = 0; i < n; i++) {
                sum += some[i] * some[i];
                least += thrust[i] * thrust[i];
            }
            assert_true(least <= sum * (1 + 1e-9));
        }
    }
}

// Rotors that lean outwards: nothing is special about upright ones.
static void test_leaning_rotors(void **state)
{
    (void)state;
    rig g;
    rig_begin(&g, 6);
    for (int i = 0; i < 6; i++) {
        double *axis = g.p.v.rotor[i].axis;
        const double angle = 2 * 3.14159265358979323846 * i / 6;
        axis[0] = -0.3 * sin(angle) * (i % 2 ? -1 : 1);
        axis[1] = 0.3 * cos(angle) * (i % 2 ? -1 : 1);
        axis[2] = sqrt(1 - 0.09);
    }
    tac__control_init(&g.c, &g.shape, &g.p.v, &plant_tuning);
    const double wanted[4] = {weight(&g), 0.3, -0.2, 0.25};
    double thrust[TAC__ROTORS_MAX], reached[4];
    allocate(&g, wanted, thrust, reached);
    assert_reached(&g, reached, wanted, 4);
}

// Whatever is asked for: limits hold and all is finite (checked in allocate).
static void test_anything(void **state)
{
    (void)state;
    for (int n = 4; n <= 16; n += 4) {
        rig g;
        rig_begin(&g, n);
        for (int k = 0; k < 2000; k++) {
            double wanted[4], thrust[TAC__ROTORS_MAX], reached[4];
            for (int i = 0; i < n; i++)
                g.works[i] = uniform(0, 1) > 0.2;
            for (int row = 0; row < 4; row++)
                wanted[row] = uniform(-3, 3) * g.c.scale[row];
            allocate(&g, wanted, thrust, reached);
        }
    }
}

// The square of the weighted error in thrust, roll and pitch.
static double cost(const rig *g, const double *reached, const double *wanted)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double e = (reached[k] - wanted[k]) / g->c.scale[k] * (k ? 1 : TAC__THRUST_WEIGHT);
        sum += e * e;
    }
    return sum;
}

// The least that it can be, by many small steps down the gradient.
static double least_cost(const rig *g, const double *wanted)
{
    double thrust[TAC__ROTORS_MAX], wrench[4];
    for (int i = 0; i < g->shape.rotors; i++)
        thrust[i] = g->works[i] * 0.5 * g->c.rotor[i].full_n;
    for (int n = 0; n < 20000; n++) {
        effect(g, thrust, wrench);
        for (int i = 0; i < g->shape.rotors; i++) {
            const tac__control_rotor *r = &g->c.rotor[i];
            double slope = 0;
            for (int k = 0; k < 3; k++)
                slope += r->weighted[k] * (wrench[k] - wanted[k]) / g->c.scale[k] *
                         (k ? 1 : TAC__THRUST_WEIGHT);
            const double next = thrust[i] - 0.9 * slope * r->full_n;
            thrust[i] = g->works[i] * fmin(r->full_n, fmax(r->idle_n, next));
        }
    }
    effect(g, thrust, wrench);
    return cost(g, wrench, wanted);
}

// Where not all can be had, nothing would come closer.
static void test_infeasible_is_best(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        rig g;
        const int n = 4 + 2 * (k % 5);
        rig_begin(&g, n);
        for (int lost = 0; lost < k % 3; lost++)
            g.works[(int)uniform(0, n)] = 0;
        double most = 0, thrust[TAC__ROTORS_MAX], reached[4];
        for (int i = 0; i < n; i++)
            most += g.works[i] * g.c.rotor[i].full_n;
        const double wanted[4] = {uniform(0.1, 1) * most, uniform(-0.5, 0.5) * g.c.scale[1],
                                  uniform(-0.5, 0.5) * g.c.scale[2], 0};
        allocate(&g, wanted, thrust, reached);
        assert_true(sqrt(cost(&g, reached, wanted)) < sqrt(least_cost(&g, wanted)) + 1e-6);
    }
}

static void test_yaw_yields(void **state)
{
    (void)state;
    for (int n = 4; n <= 8; n += 2) {
        rig g;
        rig_begin(&g, n);
        const double torque = 0.1 * g.c.scale[1];
        const double calm[4] = {weight(&g), torque, -torque, 0};
        const double spin[4] = {weight(&g), torque, -torque, 100 * g.c.scale[3]};
        double thrust[TAC__ROTORS_MAX], before[4], after[4];
        allocate(&g, calm, thrust, before);
        allocate(&g, spin, thrust, after);
        assert_reached(&g, before, calm, 4);
        assert_reached(&g, after, spin, 3);
        assert_true(after[3] > 0.1 * g.c.scale[3]);
        // All that there was to give: a rotor stands at its limit.
        bool at_limit = false;
        for (int i = 0; i < n; i++) {
            const tac__control_rotor *r = &g.c.rotor[i];
            at_limit = at_limit || thrust[i] < r->idle_n * (1 + 1e-9) ||
                       thrust[i] > r->full_n * (1 - 1e-9);
        }
        assert_true(at_limit);
    }
}

// At full throttle, and with next to none, roll and pitch are still to be had, at the cost of lift.
static void test_tilt_goes_before_thrust(void **state)
{
    (void)state;
    for (int n = 4; n <= 8; n += 2) {
        rig g;
        rig_begin(&g, n);
        const double roll = 0.15 * g.c.scale[1], pitch = 0.05 * g.c.scale[2];
        double thrust[TAC__ROTORS_MAX], reached[4];
        allocate(&g, (double[]){10 * weight(&g), roll, pitch, 0}, thrust, reached);
        assert_true(fabs(reached[1] - roll) < 0.15 * roll &&
                    fabs(reached[2] - pitch) < 0.15 * roll);
        assert_true(reached[0] < 2 * weight(&g) && reached[0] > 1.2 * weight(&g));
        allocate(&g, (double[]){0, roll, pitch, 0}, thrust, reached);
        assert_true(fabs(reached[1] - roll) < 0.15 * roll &&
                    fabs(reached[2] - pitch) < 0.15 * roll);
        assert_true(reached[0] < 0.6 * weight(&g));
    }
}

static void lose(rig *g, int rotor, bool *can_hover, bool *can_yaw)
{
    g->works[rotor] = 0;
    tac__flight_assess(&g->shape, &g->c, g->voltage, g->works, can_hover, can_yaw);
}

static void test_lost_rotors(void **state)
{
    (void)state;
    bool can_hover, can_yaw;
    double thrust[TAC__ROTORS_MAX], reached[4];
    for (int i = 0; i < 4; i++) {
        rig g;
        rig_begin(&g, 4);
        lose(&g, i, &can_hover, &can_yaw);
        assert_true(!can_hover && !can_yaw);
    }
    for (int i = 0; i < 6; i++) {
        rig g;
        rig_begin(&g, 6);
        lose(&g, i, &can_hover, &can_yaw);
        assert_true(can_hover && !can_yaw);
        const double wanted[4] = {weight(&g), 0.2, -0.2, 0};
        allocate(&g, wanted, thrust, reached);
        assert_reached(&g, reached, wanted, 3);
    }
    for (int i = 0; i < 8; i++) {
        rig g;
        rig_begin(&g, 8);
        lose(&g, i, &can_hover, &can_yaw);
        assert_true(can_hover && can_yaw);
        const double wanted[4] = {1.2 * weight(&g), 0.2, -0.2, 0.1};
        allocate(&g, wanted, thrust, reached);
        assert_reached(&g, reached, wanted, 4);
        lose(&g, (i + 4) % 8, &can_hover, &can_yaw);
        assert_true(can_hover);
    }
}

// The duty that is computed is the one at which the motor gives the thrust.
static void test_duty(void **state)
{
    (void)state;
    rig g;
    rig_begin(&g, 4);
    for (double voltage = 9; voltage < 14; voltage += 0.5) {
        for (int i = 0; i < 4; i++)
            g.voltage[i] = voltage;
        memcpy(g.in.attitude, (double[]){1, 0, 0, 0}, sizeof g.in.attitude);
        g.in.cruise_speed = g.in.climb_speed = g.in.descend_speed = 1;
        g.in.lift = 1;
        tac__control_state s;
        memset(&s, 0, sizeof s);
        tac__control_out out;
        tac__control_step_f64(&g.shape, &g.c, 0.004, g.voltage, g.works, &g.in, &s, &out);
        g.p.voltage = voltage;
        memcpy(g.p.duty, out.duty, sizeof g.p.duty);
        memcpy(g.p.x + 13, out.speed, 4 * sizeof *out.speed);
        g.p.x[2] = -10;
        double dx[13 + TAC__ROTORS_MAX];
        plant_derive(&g.p, g.p.x, dx);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(dx[13 + i]) < 1e-6 && out.duty[i] < 1);
        assert_true(fabs(dx[5]) < 1e-6); // it hovers
    }
}

TEST_MAIN(cmocka_unit_test(test_feasible_is_exact), cmocka_unit_test(test_leaning_rotors),
          cmocka_unit_test(test_anything), cmocka_unit_test(test_infeasible_is_best),
          cmocka_unit_test(test_yaw_yields), cmocka_unit_test(test_tilt_goes_before_thrust),
          cmocka_unit_test(test_lost_rotors), cmocka_unit_test(test_duty))
