// ports.c - inputs and outputs that every flight control of a multirotor has; see ports.h.
#include "autopilot/ports.h"

void tac__flight_inputs(tac_declare *d)
{
    static const tac_port_def ports[] = {
        {"position", TAC_TYPE_VEC3, "m", "estimate: north, east, down", .flags = 0},
        {"velocity", TAC_TYPE_VEC3, "m/s", "estimate: north, east, down", .flags = 0},
        {"attitude", TAC_TYPE_QUAT, NULL, "estimate: body to world", .flags = 0},
        {"rate", TAC_TYPE_VEC3, "rad/s", "estimate: of the body", .flags = 0},
        {"arm", TAC_TYPE_BOOL, NULL, "motors may run; open: they may", .flags = TAC_PORT_OPTIONAL},
        {"mode", TAC_TYPE_ENUM(tac__flight_mode_labels), NULL, "what to do; open: the mission",
         .flags = TAC_PORT_OPTIONAL},
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_input(d, &ports[i]);
}

void tac__flight_outputs(tac_declare *d, uint32_t rotors)
{
    const tac_port_def ports[] = {
        {"motor", TAC_TYPE_ARRAY(TAC_F64, rotors), NULL, "duty commanded, 0 to 1", .flags = 0},
        {"armed", TAC_TYPE_BOOL, NULL, "motors turn", .flags = 0},
        {"phase", TAC_TYPE_ENUM(tac__flight_phase_labels), NULL, "of the flight", .flags = 0},
        {"landed", TAC_TYPE_BOOL, NULL, "on the ground, as it seems", .flags = 0},
        {"mission_current", TAC_TYPE_I32, NULL, "item under way, from 0", .flags = 0},
        {"mission_reached", TAC_TYPE_I32, NULL, "items passed", .flags = 0},
        {"mission_total", TAC_TYPE_I32, NULL, "items of the mission", .flags = 0},
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
