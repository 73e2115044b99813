// signal.h - the values on the bus: typed, named, with units.
//
// A signal has exactly one writer and holds between writes. Its name is the path of the component
// that writes it and the name of the port: "Nav.position", "uav3.vehicle.battery.soc".
#ifndef TACTUS_SIGNAL_H
#define TACTUS_SIGNAL_H

#include <stdbool.h>
#include <tactus/time.h>

// In memory: double, int32_t, int64_t, bool, and int32_t for an enum.
typedef enum tac_scalar { TAC_F64, TAC_I32, TAC_I64, TAC_BOOL, TAC_ENUM } tac_scalar;

// The meaning of an array. A quaternion is (w, x, y, z), unit length.
typedef enum tac_shape { TAC_SINGLE, TAC_ARRAY, TAC_VEC3, TAC_QUAT } tac_shape;

typedef struct tac_type {
    tac_scalar scalar;
    tac_shape shape;
    uint32_t count;            // elements
    const char *const *labels; // of an enum: names of 0, 1, 2, ..., NULL at the end
} tac_type;

#ifndef __cplusplus
#define TAC_TYPE_F64                                                                               \
    {                                                                                              \
        TAC_F64, TAC_SINGLE, 1, NULL                                                               \
    }
#define TAC_TYPE_I32                                                                               \
    {                                                                                              \
        TAC_I32, TAC_SINGLE, 1, NULL                                                               \
    }
#define TAC_TYPE_I64                                                                               \
    {                                                                                              \
        TAC_I64, TAC_SINGLE, 1, NULL                                                               \
    }
#define TAC_TYPE_BOOL                                                                              \
    {                                                                                              \
        TAC_BOOL, TAC_SINGLE, 1, NULL                                                              \
    }
#define TAC_TYPE_VEC3                                                                              \
    {                                                                                              \
        TAC_F64, TAC_VEC3, 3, NULL                                                                 \
    }
#define TAC_TYPE_QUAT                                                                              \
    {                                                                                              \
        TAC_F64, TAC_QUAT, 4, NULL                                                                 \
    }
#define TAC_TYPE_ENUM(names)                                                                       \
    {                                                                                              \
        TAC_ENUM, TAC_SINGLE, 1, (names)                                                           \
    }
#define TAC_TYPE_ARRAY(element, n)                                                                 \
    {                                                                                              \
        (element), TAC_ARRAY, (n), NULL                                                            \
    }
#else
// The same as calls: commas of initializers would divide the arguments of TAC_PORT.
constexpr tac_type tac_type_of(tac_scalar scalar, tac_shape shape, uint32_t count,
                               const char *const *labels)
{
    return tac_type{scalar, shape, count, labels};
}
#define TAC_TYPE_F64               tac_type_of(TAC_F64, TAC_SINGLE, 1, nullptr)
#define TAC_TYPE_I32               tac_type_of(TAC_I32, TAC_SINGLE, 1, nullptr)
#define TAC_TYPE_I64               tac_type_of(TAC_I64, TAC_SINGLE, 1, nullptr)
#define TAC_TYPE_BOOL              tac_type_of(TAC_BOOL, TAC_SINGLE, 1, nullptr)
#define TAC_TYPE_VEC3              tac_type_of(TAC_F64, TAC_VEC3, 3, nullptr)
#define TAC_TYPE_QUAT              tac_type_of(TAC_F64, TAC_QUAT, 4, nullptr)
#define TAC_TYPE_ENUM(names)       tac_type_of(TAC_ENUM, TAC_SINGLE, 1, names)
#define TAC_TYPE_ARRAY(element, n) tac_type_of(element, TAC_ARRAY, n, nullptr)
#endif

// The fixed steps of work at a boundary, in this order; see docs/contract.md.
// X(name, text, 1 where components may step, doc)
#define TAC_STAGE_TABLE(X)                                                                         \
    X(BEGIN, "begin", 0, "phase changes, values from outside, messages, pre-step hooks")           \
    X(SCENARIO, "scenario", 1, "scheduled and conditional events: faults, commands")               \
    X(ENVIRONMENT, "environment", 1, "wind and other disturbances")                                \
    X(OUTPUTS, "outputs", 1, "algebraic outputs of the plant; pure")                               \
    X(ESTIMATE, "estimate", 1, "sensors and estimators: all that flight software may see")         \
    X(TELEMETRY, "telemetry", 1, "read-only observers")                                            \
    X(CONTROL, "control", 1, "autopilot and other controllers")                                    \
    X(ACTUATE, "actuate", 1, "discontinuities in the plant")                                       \
    X(EVENTS, "events", 0, "phase conditions, post-step hooks")                                    \
    X(RECORD, "record", 0, "recorders sample bus and state before integration")                    \
    X(INTEGRATE, "integrate", 0, "each island advances with held inputs to its next boundary")

typedef enum tac_stage {
#define TAC_STAGE_ENUM(name, text, steps, doc) TAC_STAGE_##name,
    TAC_STAGE_TABLE(TAC_STAGE_ENUM)
#undef TAC_STAGE_ENUM
        TAC_STAGE_COUNT
} tac_stage;

// How a reader in another rate group sees a signal; exact definitions in docs/rates.md.
#define TAC_POLICY_TABLE(X)                                                                        \
    X(ZOH, "the last value written")                                                               \
    X(INTERPOLATED, "the line through the last two values, one writer period late")                \
    X(EXTRAPOLATED, "that line carried forward")                                                   \
    X(SYNCHRONIZED, "the groups step together")

typedef enum tac_policy {
#define TAC_POLICY_ENUM(name, doc) TAC_##name,
    TAC_POLICY_TABLE(TAC_POLICY_ENUM)
#undef TAC_POLICY_ENUM
        TAC_POLICY_COUNT
} tac_policy;

// The meaning of a signal in a report or a picture of a flight, whatever its name and the type of
// its component: docs/reports.md. A component with a position is a vehicle; a component with a role
// from MOTOR to REFERENCE is the control of a vehicle of the same entity. New roles are added at
// the end. X(name, text, doc)
#define TAC_ROLE_TABLE(X)                                                                          \
    X(NONE, "none", "nothing that is reported")                                                    \
    X(POSITION, "position", "where the vehicle is: north, east, down of the origin [m]")           \
    X(ATTITUDE, "attitude", "quaternion from the body to north, east, down")                       \
    X(SOC, "soc", "state of charge of each battery, 0 to 1")                                       \
    X(VOLTAGE, "voltage", "at the terminals of each battery [V]")                                  \
    X(CONTACT, "contact", "not 0 where the vehicle stands on the ground")                          \
    X(ROTOR_SPEED, "rotor_speed", "of each rotor [rad/s]")                                         \
    X(MOTOR, "motor", "command of each motor, 0 to 1")                                             \
    X(LANDED, "landed", "the control holds the flight to be over, or not begun")                   \
    X(ARMED, "armed", "motors turn")                                                               \
    X(MISSION_REACHED, "mission_reached", "items of the mission that were passed")                 \
    X(MISSION_TOTAL, "mission_total", "items of the mission")                                      \
    X(REFERENCE, "reference", "where the control wants the vehicle: north, east, down [m]")        \
    X(VELOCITY, "velocity", "of the vehicle: north, east, down [m/s]")                             \
    X(HULL, "hull", "not 0 where another part than its feet touches the ground")                   \
    X(HEIGHT, "height", "of the vehicle above the ground [m]")                                     \
    X(SPEED, "speed", "over the ground [m/s]")                                                     \
    X(MACH, "mach", "airspeed over that of sound")                                                 \
    X(DYNAMIC_PRESSURE, "dynamic_pressure", "of the air that the vehicle meets [Pa]")              \
    X(FUEL, "fuel", "left in a tank [kg]; of any component of the vehicle's entity")               \
    X(DISTANCE, "distance", "way that a vehicle has gone along its road [m]")                      \
    X(INERTIAL_POSITION, "inertial_position", "from the centre of the Earth, not turning [m]")     \
    X(INERTIAL_VELOCITY, "inertial_velocity", "rate of the inertial position [m/s]")               \
    X(ENERGY, "energy", "kinetic and potential, of a kilogram [J/kg]")

typedef enum tac_role {
#define TAC_ROLE_ENUM(name, text, doc) TAC_ROLE_##name,
    TAC_ROLE_TABLE(TAC_ROLE_ENUM)
#undef TAC_ROLE_ENUM
        TAC_ROLE_COUNT
} tac_role;

TAC_BEGIN_DECLS

TAC_API const char *tac_stage_name(tac_stage stage);    // "control"
TAC_API const char *tac_policy_name(tac_policy policy); // "ZOH"
TAC_API const char *tac_role_name(tac_role role);       // "position"
TAC_API bool tac_stage_parse(const char *name, tac_stage *stage);
TAC_API bool tac_policy_parse(const char *name, tac_policy *policy); // any case

// "f64", "f64[4]", "vec3", "quat", "enum{OFF,ON}". Cut to fit.
TAC_API void tac_type_print(const tac_type *type, char *text, size_t size);

// What follows a signal's name for one of its elements: "", ".x", "[3]".
enum { TAC_ELEMENT_TEXT = 16 };
TAC_API void tac_element_print(const tac_type *type, uint32_t element, char text[TAC_ELEMENT_TEXT]);

TAC_END_DECLS
#endif
