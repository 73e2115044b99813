// Flight control as derivatives and as what becomes a graph, through whole flights: take-off,
// mission, a lost rotor, landing.
#include "model/whole.h"

tac_status tac__flight_control_given_f64(tac_step *s, const void *self);

static void fly(const char *example, const char *const *sets, size_t count, tac_time until_us,
                uint64_t compare_every)
{
    rig r;
    rig_example(&r, example, NULL, sets, count);
    whole_component *w = whole_watch(&r, "uav.control");
    w->extra = tac__flight_control_given_f64;
    w->trace_every = 23;
    w->compare_every = compare_every;
    whole_watch(&r, "uav.estimator");
    whole_watch(&r, "uav.wind");
    rig_run(&r, until_us);
    assert_true(*(const bool *)rig_read(&r, "uav.control.landed"));
    assert_true(*(const int32_t *)rig_read(&r, "uav.control.mission_reached") > 0);
    assert_true(!compare_every || w->nonzero > 1000);
    whole_end();
    rig_close(&r);
}

static void test_mission(void **state)
{
    (void)state;
    fly("iris_mission.yaml", NULL, 0, 70000000, 997);
}

// Yaw is let go.
static void test_lost_rotor(void **state)
{
    (void)state;
    fly("hexa_motor_out.yaml", NULL, 0, 80000000, 0);
}

TEST_MAIN(cmocka_unit_test(test_mission), cmocka_unit_test(test_lost_rotor))
