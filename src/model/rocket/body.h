// body.h - a rigid body that loses mass, over a rotating Earth: its numbers and shape, the order of
// its states and ports, kernels of body.model.h.
//
// SI units. The frame is ECEF. Body axes have their origin in the datum, a point fixed to the
// structure, and x towards the nose. Position and velocity are those of the datum, which neither
// burning nor separation moves. Equations: docs/models/rocket.md. A translation unit that includes
// this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_BODY_H
#define TAC_MODEL_ROCKET_BODY_H

#include "model/builtin.h"
#include "model/kernel.h"
#include "model/world/earth.h"

enum { TAC__ROCKET_FORCES_MAX = 8 };

typedef struct tac__rocket_body {
    tac__earth earth;
    param ground_m;           // above the ellipsoid
    param rail_m;             // its length
    param start[3];           // where the datum is on the rail at t = 0
    param axis[3];            // of the rail
    param origin[3], axes[9]; // of the world, in ECEF; its north, east and down, one a row
} tac__rocket_body;

// The first part of a component's self.
typedef struct tac__rocket_body_shape {
    bool fixed;  // the attitude stays as it is in ECEF
    bool air;    // there is an atmosphere
    bool rail;   // there is a rail
    bool oblate; // the Earth is no sphere
} tac__rocket_body_shape;

// Where states are in x.
enum {
    TAC__BODY_POSITION = 0,
    TAC__BODY_VELOCITY = 3,
    TAC__BODY_ATTITUDE = 6, // body to ECEF
    TAC__BODY_RATE = 10,    // inertial, in body axes
    TAC__BODY_STATES = 13
};

// Symmetric matrices are xx, yy, zz, xy, xz, yz.
enum {
    TAC__BODY_IN_MASS,
    TAC__BODY_IN_COM,
    TAC__BODY_IN_INERTIA,
    TAC__BODY_IN_JET,
    TAC__BODY_IN_STREAM,
    TAC__BODY_IN_WIND,
    TAC__BODY_IN_FORCE, // and its moment about the datum; the next force, and its moment; ...
};

// The ports of a body's outputs: name, elements (3 is a vector), unit, role, what it is.
#define TAC__BODY_OUT_TABLE(X)                                                                     \
    X(ALTITUDE, "altitude", 1, "m", NONE, "above the ellipsoid")                                   \
    X(HEIGHT, "height", 1, "m", HEIGHT, "above the ground")                                        \
    X(LATITUDE, "latitude", 1, "rad", NONE, "geodetic")                                            \
    X(LONGITUDE, "longitude", 1, "rad", NONE, "east")                                              \
    X(NED, "ned", 3, "m", POSITION, "north, east, down of the world's origin")                     \
    X(SPEED, "speed", 1, "m/s", SPEED, "over the Earth")                                           \
    X(CLIMB, "climb", 1, "m/s", NONE, "upwards")                                                   \
    X(ELEVATION, "elevation", 1, "rad", NONE, "of the body's x axis above the horizon")            \
    X(DENSITY, "air.density", 1, "kg/m^3", NONE, "where the body is")                              \
    X(TEMPERATURE, "air.temperature", 1, "K", NONE, "where the body is")                           \
    X(PRESSURE, "air.pressure", 1, "Pa", NONE, "where the body is")                                \
    X(AIR_VELOCITY, "air_velocity", 3, "m/s", NONE, "through the air, in body axes")               \
    X(AIR_RATE, "air_rate", 3, "rad/s", NONE, "relative to the Earth and its air, in body axes")   \
    X(MACH, "mach", 1, NULL, MACH, "airspeed over that of sound")                                  \
    X(DYNAMIC_PRESSURE, "dynamic_pressure", 1, "Pa", DYNAMIC_PRESSURE, "rho V^2/2")

enum {
#define TAC__BODY_OUT_ENUM(name, text, count, unit, role, doc) TAC__BODY_OUT_##name,
    TAC__BODY_OUT_TABLE(TAC__BODY_OUT_ENUM)
#undef TAC__BODY_OUT_ENUM
        TAC__BODY_OUTS
};

// mode[0] is 1 once the body has left the rail, where there is one; `detect` tells how far the
// datum is beyond its end.
TAC__EVAL_KERNEL(tac__rocket_body_output)
TAC__EVAL_KERNEL(tac__rocket_body_derive)
TAC__STATE_KERNEL(tac__rocket_body_detect)
TAC__STATE_KERNEL(tac__rocket_body_project)

#endif
