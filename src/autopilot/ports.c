// ports.c - inputs and outputs that every flight control of a multirotor has; see ports.h.
#include "autopilot/ports.h"

void tac__flight_inputs(tac_declare *d)
{
    static const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, "position", TAC_TYPE_VEC3, "m", "estimate: north, east, down"),
        TAC_DEF(tac_port_def, "velocity", TAC_TYPE_VEC3, "m/s", "estimate: north, east, down"),
        TAC_DEF(tac_port_def, "attitude", TAC_TYPE_QUAT, NULL, "estimate: body to world"),
        TAC_DEF(tac_port_def, "rate", TAC_TYPE_VEC3, "rad/s", "estimate: of the body"),
        TAC_DEF(tac_port_def, "arm", TAC_TYPE_BOOL, NULL, "motors may run; open: they may",
                .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "mode", TAC_TYPE_ENUM(tac__flight_mode_labels), NULL,
                "what to do; open: the mission", .flags = TAC_PORT_OPTIONAL),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_input(d, &ports[i]);
}

void tac__flight_outputs(tac_declare *d, uint32_t rotors)
{
    const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, "motor", TAC_TYPE_ARRAY(TAC_F64, rotors), NULL,
                "duty commanded, 0 to 1", .role = TAC_ROLE_MOTOR),
        TAC_DEF(tac_port_def, "armed", TAC_TYPE_BOOL, NULL, "motors turn", .role = TAC_ROLE_ARMED),
        TAC_DEF(tac_port_def, "phase", TAC_TYPE_ENUM(tac__flight_phase_labels), NULL,
                "of the flight"),
        TAC_DEF(tac_port_def, "landed", TAC_TYPE_BOOL, NULL, "on the ground, as it seems",
                .role = TAC_ROLE_LANDED),
        TAC_DEF(tac_port_def, "mission_current", TAC_TYPE_I32, NULL, "item under way, from 0"),
        TAC_DEF(tac_port_def, "mission_reached", TAC_TYPE_I32, NULL, "items passed",
                .role = TAC_ROLE_MISSION_REACHED),
        TAC_DEF(tac_port_def, "mission_total", TAC_TYPE_I32, NULL, "items of the mission",
                .role = TAC_ROLE_MISSION_TOTAL),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_output(d, &ports[i]);
}

bool tac__flight_arm(const tac_step *s, int input)
{
    return !tac_connected(s, input) || *TAC_IN(s, bool, input);
}

tac__flight_mode tac__flight_mode_of(const tac_step *s, int input)
{
    return tac_connected(s, input) ? (tac__flight_mode)*TAC_IN(s, int32_t, input)
                                   : TAC__MODE_MISSION;
}
