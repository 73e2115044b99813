// pilot.h - what PX4's commander would do, which is not in the library: arming, choosing the
// navigation state, deciding whether the vehicle is on the ground.
//
// A mission is requested while the vehicle is armed and its mode is mission. PX4 starts a mission
// only on entering that state. While PX4 is still starting, the state is entered once the mission
// is valid. Later it is entered at once, as PX4 may refuse the mission and says so on entering; if
// the mission becomes valid afterwards, the state is left and entered again.
//
// After the last item the state is left, as PX4 would enter the finished mission again and again:
// in the air the vehicle loiters, on the ground it waits in manual to be disarmed.
#ifndef TAC_AUTOPILOT_PX4_PILOT_H
#define TAC_AUTOPILOT_PX4_PILOT_H

#include "model/labels.h"

#include <stdbool.h>
#include <tactus/time.h>

// Numbers of vehicle_status.
enum {
    TAC__NAV_MANUAL = 0,
    TAC__NAV_MISSION = 3,
    TAC__NAV_LOITER = 4,
    TAC__NAV_RETURN = 5,
    TAC__NAV_LAND = 18,
};

typedef struct tac__pilot_habits {
    double landed_height_m, landed_speed_m_s; // on the ground: not higher and not faster than this
    double touchdown_s;    // landed after so long on the ground after a flight; 0: never
    double disarm_after_s; // disarmed so long after landing; 0: never
    tac_time renew_us;     // how long a state is left before it is entered again
} tac__pilot_habits;

typedef struct tac__pilot_in {
    tac_time t_us;
    double dt_s;
    bool arm;
    tac__flight_mode mode;
    double height_m, sinking_m_s; // above where it stands; velocity down
    bool mission_valid;
    bool mission_done; // its last item was passed
} tac__pilot_in;

typedef struct tac__pilot {
    bool armed;
    int nav_state;
    bool on_ground; // as estimated
    bool landed;    // what PX4 is told

    int commanded;                // navigation state that a command asked for; -1: none
    tac__flight_mode mode_before; // the mode when it did; another one ends the command

    bool disarmed; // by itself, until `arm` becomes false
    bool flown;    // since it was armed
    double still_s;
    int wanted;          // state
    tac_time wanted_us;  // since when a state other than manual is
    tac_time entered_us; // when this one was
    bool over;           // the mission is, since then
    bool late;           // the mission was not valid when it was requested
    tac_time manual_us;  // until then the state stays left
} tac__pilot;

// On the ground, motors off.
void tac__pilot_init(tac__pilot *p);
// A command asks for a navigation state: it lasts until the mode changes, or the vehicle is
// disarmed.
void tac__pilot_command(tac__pilot *p, int state, tac__flight_mode mode);
void tac__pilot_step(tac__pilot *p, const tac__pilot_habits *h, const tac__pilot_in *in);

#endif
