// params.h - parameters by name. Modules see what was set when they are next told (param_notify).
#ifndef PX4_STANDIN_PARAMS_H
#define PX4_STANDIN_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

enum { ROTORS_MAX = 12 };

typedef enum param_type { PARAM_I32, PARAM_F32 } param_type;

typedef union param_value {
    int32_t i32;
    float f32;
} param_value;

// X(name, type, default), but for those of rotors. Angles in degrees.
#define PARAMS(X)                                                                                  \
    X(SYS_AUTOSTART, I32, 0)                                                                       \
    X(BAT_LOW_THR, F32, 0.15f)                                                                     \
    X(BAT_CRIT_THR, F32, 0.07f)                                                                    \
    X(BAT_EMERGEN_THR, F32, 0.05f)                                                                 \
    X(CA_AIRFRAME, I32, 0)                                                                         \
    X(CA_ROTOR_COUNT, I32, 0)                                                                      \
    X(CA_FAILURE_MODE, I32, 0)                                                                     \
    X(MC_ROLL_P, F32, 6.5f)                                                                        \
    X(MC_PITCH_P, F32, 6.5f)                                                                       \
    X(MC_YAW_P, F32, 2.8f)                                                                         \
    X(MC_ROLLRATE_P, F32, 0.15f)                                                                   \
    X(MC_ROLLRATE_I, F32, 0.2f)                                                                    \
    X(MC_ROLLRATE_D, F32, 0.003f)                                                                  \
    X(MC_ROLLRATE_MAX, F32, 220.f)                                                                 \
    X(MC_PITCHRATE_P, F32, 0.15f)                                                                  \
    X(MC_PITCHRATE_I, F32, 0.2f)                                                                   \
    X(MC_PITCHRATE_D, F32, 0.003f)                                                                 \
    X(MC_PITCHRATE_MAX, F32, 220.f)                                                                \
    X(MC_YAWRATE_P, F32, 0.2f)                                                                     \
    X(MC_YAWRATE_I, F32, 0.1f)                                                                     \
    X(MC_YAWRATE_D, F32, 0.f)                                                                      \
    X(MC_YAWRATE_MAX, F32, 200.f)                                                                  \
    X(MIS_DIST_1WP, F32, 10000.f)                                                                  \
    X(MIS_TAKEOFF_ALT, F32, 2.5f)                                                                  \
    X(MPC_ACC_HOR, F32, 3.f)                                                                       \
    X(MPC_ACC_UP_MAX, F32, 4.f)                                                                    \
    X(MPC_ACC_DOWN_MAX, F32, 3.f)                                                                  \
    X(MPC_HOLD_DZ, F32, 0.1f)                                                                      \
    X(MPC_LAND_ALT2, F32, 5.f)                                                                     \
    X(MPC_LAND_SPEED, F32, 0.7f)                                                                   \
    X(MPC_MAN_Y_MAX, F32, 150.f)                                                                   \
    X(MPC_THR_HOVER, F32, 0.5f)                                                                    \
    X(MPC_THR_MAX, F32, 1.f)                                                                       \
    X(MPC_THR_MIN, F32, 0.12f)                                                                     \
    X(MPC_TILTMAX_AIR, F32, 45.f)                                                                  \
    X(MPC_VEL_MANUAL, F32, 10.f)                                                                   \
    X(MPC_XY_CRUISE, F32, 5.f)                                                                     \
    X(MPC_XY_MAN_EXPO, F32, 0.6f)                                                                  \
    X(MPC_XY_P, F32, 0.95f)                                                                        \
    X(MPC_XY_VEL_I_ACC, F32, 0.4f)                                                                 \
    X(MPC_XY_VEL_MAX, F32, 12.f)                                                                   \
    X(MPC_XY_VEL_P_ACC, F32, 1.8f)                                                                 \
    X(MPC_YAWRAUTO_MAX, F32, 45.f)                                                                 \
    X(MPC_YAW_EXPO, F32, 0.6f)                                                                     \
    X(MPC_Z_MAN_EXPO, F32, 0.6f)                                                                   \
    X(MPC_Z_P, F32, 1.f)                                                                           \
    X(MPC_Z_VEL_I_ACC, F32, 2.f)                                                                   \
    X(MPC_Z_VEL_MAX_DN, F32, 1.5f)                                                                 \
    X(MPC_Z_VEL_MAX_UP, F32, 3.f)                                                                  \
    X(MPC_Z_VEL_P_ACC, F32, 4.f)                                                                   \
    X(MPC_Z_V_AUTO_DN, F32, 1.5f)                                                                  \
    X(MPC_Z_V_AUTO_UP, F32, 3.f)                                                                   \
    X(NAV_ACC_RAD, F32, 10.f)                                                                      \
    X(NAV_MC_ALT_RAD, F32, 0.8f)                                                                   \
    X(RTL_RETURN_ALT, F32, 60.f)                                                                   \
    X(RTL_TYPE, I32, 0)

// CA_ROTORi_..., X(name, default).
#define ROTOR_PARAMS(X)                                                                            \
    X(PX, 0.f) X(PY, 0.f) X(PZ, 0.f) X(AX, 0.f) X(AY, 0.f) X(AZ, -1.f) X(CT, 6.5f) X(KM, 0.05f)

typedef enum param_id {
#define PARAM_ID(name, type, value) PARAM_##name,
    PARAMS(PARAM_ID)
#undef PARAM_ID
        PARAM_ROTOR
} param_id;

enum {
#define ROTOR_ID(name, value) ROTOR_##name,
    ROTOR_PARAMS(ROTOR_ID)
#undef ROTOR_ID
        ROTOR_FIELDS
};

enum { PARAM_COUNT = PARAM_ROTOR + ROTORS_MAX * ROTOR_FIELDS };

typedef struct params {
    param_value value[PARAM_COUNT];
} params;

void params_init(params *p);
int params_find(const char *name, param_type type); // an index, or -2 unknown, -3 type

double params_get(const params *p, param_id id); // of type F32
double params_rotor(const params *p, int rotor, int field);

#endif
