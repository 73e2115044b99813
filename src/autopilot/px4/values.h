// values.h - the numbers on both sides of the bridge, by name: those that messages to PX4 are
// filled with, and those that its messages are read into. Each is an array of doubles, so that
// filling a message is plain copying.
#ifndef TAC_AUTOPILOT_PX4_VALUES_H
#define TAC_AUTOPILOT_PX4_VALUES_H

#include <stddef.h>
#include <stdint.h>

enum { TAC__PX4_BATTERIES = 8, TAC__PX4_ROTORS = 12, TAC__PX4_SERVOS = 8 };

// X(name, count)
#define TAC__PX4_VALUES(X)                                                                         \
    X(time, 1)         /* us since the start */                                                    \
    X(time_nonzero, 1) /* the same, at least 1 */                                                  \
    X(position, 3)     /* from home: north, east, down */                                          \
    X(velocity, 3)                                                                                 \
    X(attitude, 4) /* body to NED: w, x, y, z */                                                   \
    X(rate, 3)                                                                                     \
    X(angular_acceleration, 3)                                                                     \
    X(heading, 1)                                                                                  \
    X(latitude, 1) /* degrees */                                                                   \
    X(longitude, 1)                                                                                \
    X(altitude, 1)                                                                                 \
    X(home_latitude, 1)                                                                            \
    X(home_longitude, 1)                                                                           \
    X(home_altitude, 1)                                                                            \
    X(home_heading, 1)                                                                             \
    X(ticks, 1) /* so far, this one too */                                                         \
    X(armed, 1)                                                                                    \
    X(arming_state, 1) /* 2 armed, 1 not */                                                        \
    X(nav_state, 1)                                                                                \
    X(automatic, 1) /* not manual */                                                               \
    X(manual, 1)                                                                                   \
    X(landed, 1)                                                                                   \
    X(battery_connected, 1)                                                                        \
    X(battery_voltage, TAC__PX4_BATTERIES)                                                         \
    X(battery_current, TAC__PX4_BATTERIES)                                                         \
    X(battery_soc, TAC__PX4_BATTERIES)                                                             \
    X(battery_id, TAC__PX4_BATTERIES)                                                              \
    X(battery_warning, TAC__PX4_BATTERIES) /* 0 none, 1 low, 2 critical, 3 emergency */            \
    X(rotor_speed, TAC__PX4_ROTORS)                                                                \
    X(bus_voltage, TAC__PX4_BATTERIES)                                                             \
    X(ack_command, 1) /* acknowledged: the command, the result and its sender */                   \
    X(ack_result, 1)                                                                               \
    X(ack_system, 1)                                                                               \
    X(ack_component, 1)                                                                            \
    X(order_command, 1) /* commanded, and its parameters */                                        \
    X(order_param, 3)

#define TAC__PX4_RESULTS(X)                                                                        \
    X(control, TAC__PX4_ROTORS) /* NaN: unused */                                                  \
    X(servo, TAC__PX4_SERVOS)   /* NaN: none */                                                    \
    X(torque_sp, 3)                                                                                \
    X(thrust_sp, 3)                                                                                \
    X(attitude_sp, 4)                                                                              \
    X(rate_sp, 3)                                                                                  \
    X(position_sp, 3) /* from home */                                                              \
    X(velocity_sp, 3)                                                                              \
    X(acceleration_sp, 3)                                                                          \
    X(yaw_sp, 1)                                                                                   \
    X(nav_state, 1)                                                                                \
    X(mission_reached, 1) /* from 0; -1: none */                                                   \
    X(mission_current, 1)                                                                          \
    X(mission_total, 1)                                                                            \
    X(mission_valid, 1)                                                                            \
    X(mission_finished, 1)                                                                         \
    X(command, 1) /* the last one heard */                                                         \
    X(command_param, 3)                                                                            \
    X(command_system, 1) /* its sender */                                                          \
    X(command_component, 1)

#define TAC__PX4_ARRAY(name, count) double name[count];
typedef struct tac__px4_values {
    TAC__PX4_VALUES(TAC__PX4_ARRAY)
} tac__px4_values;

typedef struct tac__px4_results {
    TAC__PX4_RESULTS(TAC__PX4_ARRAY)
} tac__px4_results;
#undef TAC__PX4_ARRAY

// Where one of them is, counted in doubles.
typedef struct tac__px4_name {
    const char *name;
    uint32_t first, count;
} tac__px4_name;

extern const tac__px4_name tac__px4_value_names[];  // name NULL at the end
extern const tac__px4_name tac__px4_result_names[]; // likewise

// One of them, or an element: "rate", "rate[1]", "rate.y", "attitude.w". False: there is none.
_Bool tac__px4_name_find(const tac__px4_name *names, const char *text, tac__px4_name *found);

#endif
