// world.h - the world that all vehicles of a simulation share.
//
// World axes are north, east, down (NED) about one origin on the Earth, whatever the number of
// vehicles. The world is fixed while the simulation is declared and never changes during a run.
#ifndef TACTUS_WORLD_H
#define TACTUS_WORLD_H

#include <tactus/component.h>

typedef enum tac_geodesy { TAC_GEODESY_WGS84, TAC_GEODESY_SPHERE } tac_geodesy;
typedef enum tac_gravity { TAC_GRAVITY_UNIFORM, TAC_GRAVITY_CENTRAL } tac_gravity;

typedef struct tac_world {
    double latitude_rad, longitude_rad, altitude_m; // of the origin of NED
    tac_geodesy geodesy;
    tac_gravity gravity;
    double g_m_s2;   // at the origin; uniform gravity
    double ground_m; // height of the flat ground above the origin
} tac_world;

TAC_BEGIN_DECLS

// The world of the simulation.
TAC_API const tac_world *tac_declare_world(const tac_declare *d);

TAC_END_DECLS

#endif
