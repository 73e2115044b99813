// What stands in for PX4's commander: arming, navigation states, the ground.
#include "autopilot/px4/pilot.h"
#include "support/test.h"

enum { TICK_US = 4000 };

static const tac__pilot_habits habits = {
    .landed_height_m = 0.05,
    .landed_speed_m_s = 0.2,
    .touchdown_s = 1,
    .disarm_after_s = 2,
    .renew_us = 50000,
};

typedef struct flight {
    tac__pilot pilot;
    tac__pilot_in in;
    tac__pilot_habits habits;
} flight;

static flight begin(void)
{
    flight f = {.habits = habits, .in = {.dt_s = 1e-6 * TICK_US, .mission_valid = true}};
    tac__pilot_init(&f.pilot);
    return f;
}

// Up to and including `t_us`.
static void until(flight *f, tac_time t_us)
{
    for (; f->in.t_us <= t_us; f->in.t_us += TICK_US)
        tac__pilot_step(&f->pilot, &f->habits, &f->in);
}

static void test_states(void **state)
{
    (void)state;
    flight f = begin();
    assert_true(f.pilot.landed && !f.pilot.armed);
    f.in.mode = TAC__MODE_MISSION;
    until(&f, 1000000); // not armed: nothing is requested
    assert_int_equal(f.pilot.nav_state, 0);
    f.in.mode = TAC__MODE_IDLE;
    f.in.arm = true;
    until(&f, 2000000);
    assert_true(f.pilot.armed);
    assert_int_equal(f.pilot.nav_state, 0);
    static const struct {
        tac__flight_mode mode;
        int nav_state;
    } states[] = {{TAC__MODE_MISSION, 3}, {TAC__MODE_RETURN, 5}, {TAC__MODE_LAND, 18},
                  {TAC__MODE_IDLE, 0},    {TAC__MODE_RETURN, 5}, {TAC__MODE_MISSION, 3}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        f.in.mode = states[i].mode;
        until(&f, f.in.t_us);
        assert_int_equal(f.pilot.nav_state, states[i].nav_state);
    }
    f.in.arm = false;
    until(&f, f.in.t_us);
    assert_true(!f.pilot.armed && f.pilot.nav_state == 0);
}

// Half a second after the request it is taken to fly, wherever it is.
static void test_lift_off(void **state)
{
    (void)state;
    flight f = begin();
    f.in.arm = true;
    until(&f, 1000000);
    f.in.mode = TAC__MODE_MISSION;
    const tac_time asked_us = f.in.t_us;
    until(&f, asked_us + 500000 - TICK_US);
    assert_true(f.pilot.landed);
    until(&f, asked_us + 500000);
    assert_true(!f.pilot.landed && f.pilot.on_ground);
    until(&f, asked_us + 60000000); // and as long as it never flew
    assert_true(!f.pilot.landed && f.pilot.armed);
    f.in.arm = false;
    until(&f, f.in.t_us);
    assert_true(f.pilot.landed);
}

static void test_limits_of_the_ground(void **state)
{
    (void)state;
    static const struct {
        double height_m, sinking_m_s;
        bool landed;
    } cases[] = {{0.05, 0, true},    {0.051, 0, false},    {-3, 0, true},    {0.05, 0.199, true},
                 {0.05, 0.2, false}, {0.05, -0.199, true}, {0, -0.2, false}, {0, 0.2001, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flight f = begin();
        f.in.arm = true;
        f.in.height_m = cases[i].height_m;
        f.in.sinking_m_s = cases[i].sinking_m_s;
        until(&f, 0);
        assert_true(f.pilot.landed == cases[i].landed);
    }
}

static void fly(flight *f)
{
    f->in.arm = true;
    f->in.mode = TAC__MODE_MISSION;
    until(f, 1000000);
    f->in.height_m = 12;
    until(f, 2000000);
}

// After the last item: in the air it loiters, until something else is wanted.
static void test_mission_ends_in_the_air(void **state)
{
    (void)state;
    flight f = begin();
    f.in.mission_done = true; // of the flight before, until PX4 answers
    f.in.arm = true;
    f.in.mode = TAC__MODE_MISSION;
    until(&f, 100000);
    assert_int_equal(f.pilot.nav_state, 3);
    f.in.mission_done = false;
    fly(&f);
    assert_int_equal(f.pilot.nav_state, 3);
    f.in.mission_done = true;
    until(&f, f.in.t_us);
    assert_int_equal(f.pilot.nav_state, 4);
    f.in.mission_done = false; // PX4 has left its mission
    until(&f, f.in.t_us + 1000000);
    assert_true(f.pilot.nav_state == 4 && f.pilot.armed && !f.pilot.landed);
    f.in.mode = TAC__MODE_RETURN;
    until(&f, f.in.t_us);
    assert_int_equal(f.pilot.nav_state, 5);
    f.in.mode = TAC__MODE_MISSION;
    f.in.mission_done = true;
    until(&f, f.in.t_us + 100000);
    assert_int_equal(f.pilot.nav_state, 3);
    until(&f, f.in.t_us + 200000); // PX4 says the same again: it has no more to fly
    assert_int_equal(f.pilot.nav_state, 4);
}

// On the ground it is left for manual, and then disarmed.
static void test_mission_ends_on_the_ground(void **state)
{
    (void)state;
    flight f = begin();
    fly(&f);
    f.in.height_m = 0;
    until(&f, f.in.t_us + 1000000);
    assert_true(f.pilot.landed && f.pilot.nav_state == 3);
    f.in.mission_done = true;
    until(&f, f.in.t_us);
    assert_true(f.pilot.landed && f.pilot.armed && f.pilot.nav_state == 0);
    until(&f, f.in.t_us + 2000000);
    assert_true(!f.pilot.armed && f.pilot.nav_state == 0);
}

static void test_touchdown(void **state)
{
    (void)state;
    flight f = begin();
    fly(&f);
    assert_true(!f.pilot.landed && !f.pilot.on_ground);
    f.in.height_m = 0.03;
    const tac_time down_us = f.in.t_us;
    until(&f, down_us + 980000);
    assert_true(f.pilot.on_ground && !f.pilot.landed);
    until(&f, down_us + 1020000);
    assert_true(f.pilot.landed && f.pilot.armed && f.pilot.nav_state == 3);
    until(&f, down_us + 2980000);
    assert_true(f.pilot.armed);
    until(&f, down_us + 3020000);
    assert_true(!f.pilot.armed && f.pilot.landed && f.pilot.nav_state == 0);
    until(&f, down_us + 60000000); // until it is armed anew
    assert_false(f.pilot.armed);
    f.in.arm = false;
    until(&f, f.in.t_us);
    f.in.arm = true;
    until(&f, f.in.t_us);
    assert_true(f.pilot.armed);
    until(&f, f.in.t_us + 60000000); // a flight that is over does not count
    assert_true(f.pilot.armed);
}

// One estimate in twenty is off: it takes longer, and ends all the same; one in three: never.
static void test_touchdown_with_noise(void **state)
{
    (void)state;
    for (int wrong = 3; wrong <= 20; wrong += 17) {
        flight f = begin();
        fly(&f);
        for (int i = 0; i < 1500; i++) {
            f.in.height_m = i % wrong ? 0.02 : 0.07;
            until(&f, f.in.t_us);
        }
        assert_true(f.pilot.armed == (wrong == 3));
    }
}

static void test_as_told(void **state)
{
    (void)state;
    flight f = begin();
    f.habits.disarm_after_s = 0;
    fly(&f);
    f.in.height_m = 0;
    until(&f, f.in.t_us + 60000000);
    assert_true(f.pilot.armed && f.pilot.landed);
    f = begin();
    f.habits.touchdown_s = 0;
    fly(&f);
    f.in.height_m = 0;
    until(&f, f.in.t_us + 60000000);
    assert_true(f.pilot.armed && !f.pilot.landed);
}

// PX4 begins a mission when it enters the state, so a late one is left and entered again.
static void test_late_mission(void **state)
{
    (void)state;
    flight f = begin();
    f.in.arm = true;
    f.in.mission_valid = false;
    f.in.mode = TAC__MODE_MISSION;
    until(&f, 1000000);
    assert_int_equal(f.pilot.nav_state, 3);
    f.in.mission_valid = true;
    const tac_time valid_us = f.in.t_us;
    until(&f, valid_us);
    assert_int_equal(f.pilot.nav_state, 0);
    until(&f, valid_us + 48000);
    assert_int_equal(f.pilot.nav_state, 0);
    until(&f, valid_us + 52000);
    assert_int_equal(f.pilot.nav_state, 3);
    for (int i = 0; i < 1000; i++) { // once
        f.in.mission_valid = i % 10 < 5;
        until(&f, f.in.t_us);
        assert_int_equal(f.pilot.nav_state, 3);
    }
    f.in.mode = TAC__MODE_RETURN; // on the way home it does not matter
    f.in.mission_valid = false;
    until(&f, f.in.t_us);
    f.in.mission_valid = true;
    until(&f, f.in.t_us);
    assert_int_equal(f.pilot.nav_state, 5);
}

// A mission that is wanted from the start is entered once, when PX4 has found it valid, wherever it
// is: the state does not change back and forth.
static void test_start(void **state)
{
    (void)state;
    for (tac_time valid_us = 0; valid_us <= 500000; valid_us += 50000) {
        flight f = begin();
        f.in.arm = true;
        f.in.mode = TAC__MODE_MISSION;
        int changes = 0, before = 0;
        while (f.in.t_us <= 2000000) {
            const tac_time now_us = f.in.t_us;
            f.in.mission_valid = now_us >= valid_us;
            until(&f, now_us);
            changes += f.pilot.nav_state != before;
            before = f.pilot.nav_state;
            assert_true((before == 3) == (now_us >= valid_us));
        }
        assert_int_equal(changes, 1);
    }
    // One that PX4 refuses is entered, so that PX4 says why.
    flight f = begin();
    f.in.arm = true;
    f.in.mode = TAC__MODE_MISSION;
    f.in.mission_valid = false;
    until(&f, 600000);
    assert_int_equal(f.pilot.nav_state, 3);
}

// A command lasts until the mode changes, or the vehicle is disarmed.
static void test_commanded(void **state)
{
    (void)state;
    flight f = begin();
    fly(&f);
    tac__pilot_command(&f.pilot, TAC__NAV_LOITER, f.in.mode);
    until(&f, f.in.t_us + 1000000);
    assert_int_equal(f.pilot.nav_state, 4);
    f.in.mode = TAC__MODE_RETURN;
    until(&f, f.in.t_us);
    assert_int_equal(f.pilot.nav_state, 5);
    f.in.mode = TAC__MODE_MISSION;
    until(&f, f.in.t_us);
    assert_int_equal(f.pilot.nav_state, 3);
    tac__pilot_command(&f.pilot, TAC__NAV_RETURN, f.in.mode);
    f.in.mission_done = true; // of the mission that it leaves
    until(&f, f.in.t_us + 1000000);
    assert_int_equal(f.pilot.nav_state, 5);
    f.in.arm = false;
    until(&f, f.in.t_us);
    f.in.arm = true;
    f.in.mission_done = false;
    until(&f, f.in.t_us);
    assert_int_equal(f.pilot.nav_state, 3);
}

TEST_MAIN(cmocka_unit_test(test_start), cmocka_unit_test(test_commanded),
          cmocka_unit_test(test_states), cmocka_unit_test(test_lift_off),
          cmocka_unit_test(test_limits_of_the_ground),
          cmocka_unit_test(test_mission_ends_in_the_air),
          cmocka_unit_test(test_mission_ends_on_the_ground), cmocka_unit_test(test_touchdown),
          cmocka_unit_test(test_touchdown_with_noise), cmocka_unit_test(test_as_told),
          cmocka_unit_test(test_late_mission))
