// world.h - the world of a simulation: where its origin lies on the Earth, and the gravity and
// ground that hold for everything that moves in it.
//
// Positions are north, east, down [m] from the origin.
#ifndef TACTUS_WORLD_H
#define TACTUS_WORLD_H

// How positions become latitude, longitude and altitude.
typedef enum tac_geodesy {
    TAC_GEODESY_SPHERE, // a local sphere: dlat = north / R, dlon = east / (R cos lat)
    TAC_GEODESY_WGS84,  // the ellipsoid
} tac_geodesy;

typedef enum tac_gravity {
    TAC_GRAVITY_UNIFORM, // g, down
    TAC_GRAVITY_CENTRAL, // towards the centre of the Earth, falling with the square of the distance
} tac_gravity;

typedef struct tac_world {
    double latitude_rad, longitude_rad, altitude_m; // of the origin
    tac_geodesy geodesy;
    tac_gravity gravity;
    double g_m_s2;   // of uniform gravity
    double ground_m; // height of the flat ground above the origin
} tac_world;

#endif
