// wind.h - parameters of wind.model.h. Velocities are of the air, in m/s; x is along the mean wind.
#ifndef TAC_MODEL_WORLD_WIND_H
#define TAC_MODEL_WORLD_WIND_H

// Size of the state of each process, which is also its number of random numbers a step.
enum { TAC__OU_STATES = 3, TAC__DRYDEN_STATES = 5 };

// The Ornstein-Uhlenbeck process over one period.
typedef struct tac__ou {
    double phi[3];  // exp(-dt/tau)
    double gain[3]; // sigma sqrt(1 - phi^2)
} tac__ou;

// MIL-F-8785C turbulence.
typedef struct tac__dryden {
    double w20_m_s;      // wind at 20 ft
    const double *aloft; // intensity above 2000 ft [ft/s], by tac__dryden_altitude
    double min_airspeed; // [m/s]
    double north, east;  // direction of the mean wind
} tac__dryden;

enum { TAC__DRYDEN_ALTITUDES = 12 };
extern const double tac__dryden_altitude[TAC__DRYDEN_ALTITUDES]; // [ft]

// What turbulence depends on at an instant.
enum {
    TAC__DRYDEN_HEIGHT,   // above the ground [m]
    TAC__DRYDEN_AIRSPEED, // [m/s]
    TAC__DRYDEN_ATTITUDE, // body to NED, 4 elements
    TAC__DRYDEN_INPUTS = TAC__DRYDEN_ATTITUDE + 4
};

#endif
