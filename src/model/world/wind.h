// wind.h - what the kernels of `wind` see of it: shape, numbers, ports and states. A translation
// unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_WORLD_WIND_H
#define TAC_MODEL_WORLD_WIND_H

#include "model/builtin.h"
#include "model/kernel.h"
#include "model/world/wind_processes.h"
#include "model/world/wind_table.h"

typedef enum tac__wind_kind {
    TAC__WIND_NONE,
    TAC__WIND_CONSTANT,
    TAC__WIND_OU,
    TAC__WIND_DRYDEN,
    TAC__WIND_TABLE
} tac__wind_kind;

// The shape.
typedef struct tac__wind {
    tac__wind_kind kind;
    bool profile;          // the mean wind depends on the height
    bool frozen;           // height, speed and axes do not follow the vehicle
    const double *aloft;   // dryden: intensity above 2000 ft [ft/s], by tac__dryden_altitude
    tac__wind_table table; // of kind table
} tac__wind;

typedef struct tac__wind_numbers {
    param mean[3];
    param roughness_m;
    tac__dryden dryden;
    param ground_m;
    param height_m, airspeed_m_s, heading[4]; // where the inputs are open
} tac__wind_numbers;

enum {
    TAC__WIND_IN_GUST,
    TAC__WIND_IN_POSITION,
    TAC__WIND_IN_VELOCITY,
    TAC__WIND_IN_ATTITUDE,
    TAC__WIND_INS
};
enum { TAC__WIND_OUT_VELOCITY, TAC__WIND_OUT_BASE };
enum { TAC__WIND_STATE_PROCESS, TAC__WIND_STATE_OU }; // the second is a tac__ou
enum { TAC__WIND_STREAM };

TAC__STEP_KERNEL(tac__wind_step)

#if defined(TAC_KIND_F64) || defined(TAC_KIND_SYM)
// wind.given.h: the mean wind; and all other numbers, which follows it. Returns the intensity, 0 to
// 2.
void tac__wind_mean(tac_declare *d, tac__wind_numbers *p);
int tac__wind_dryden(tac_declare *d, tac__wind_kind kind, tac__wind_numbers *p);
#endif

// `numbers` of the type.
TAC_BEGIN_DECLS
tac_status tac__wind_numbers_of(tac_declare *d, const void *self, double *numbers);
TAC_END_DECLS

#endif
