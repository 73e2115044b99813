// thermal.cpp - the plugin of thermal.c in C++: the same component types with the same bits.
// TAC_PARAM, TAC_PORT, and TAC_DEF are written as in C.
#include <tactus/plugin.h>

namespace
{

// --- room: C dT/dt = P - G (T - T_out) ----------------------------------------------------------

struct room {
    double capacity, loss, outside_K, start_K;
    int power, temperature;
};

tac_status room_declare(tac_declare *d, void *self)
{
    room *r = static_cast<room *>(self);
    r->capacity = tac_param_f64(d, TAC_PARAM(.name = "capacity", .unit = "J/K", .fallback = "50000",
                                             .range = "(0, inf)",
                                             .doc = "heat that warms the room by 1 K"));
    r->loss = tac_param_f64(d, TAC_PARAM(.name = "loss", .unit = "W/K", .fallback = "40",
                                         .range = "[0, inf)",
                                         .doc = "heat lost for each K above outside"));
    r->outside_K =
        tac_param_f64(d, TAC_PARAM(.name = "outside", .unit = "K", .fallback = "273.15",
                                   .range = "(0, inf)", .doc = "temperature outside"));
    r->start_K = tac_param_f64(d, TAC_PARAM(.name = "start", .unit = "K", .fallback = "283.15",
                                            .range = "(0, inf)", .doc = "temperature at t = 0"));
    r->power = tac_declare_input(
        d, TAC_PORT(.name = "power", .type = TAC_TYPE_F64, .unit = "W", .doc = "of the heater"));
    r->temperature = tac_declare_continuous(
        d, TAC_PORT(.name = "temperature", .type = TAC_TYPE_F64, .unit = "K", .doc = "of the air"));
    return TAC_OK;
}

tac_status room_init(tac_step *s, const void *self)
{
    const room *r = static_cast<const room *>(self);
    tac_jump(s)[r->temperature] = r->start_K;
    return TAC_OK;
}

tac_status room_derive(const tac_eval *e, const void *self)
{
    const room *r = static_cast<const room *>(self);
    const double power = *TAC_IN(e, double, r->power);
    e->dx[r->temperature] = (power - r->loss * (e->x[r->temperature] - r->outside_K)) / r->capacity;
    return TAC_OK;
}

const tac_component_type room_type =
    TAC_DEF(tac_component_type, .name = "room", .version = "1",
            .summary = "a room that loses heat to the outside", .self_size = sizeof(room),
            .declare = room_declare, .init = room_init, .kernels[TAC_NUMBERS].derive = room_derive);

// --- thermostat: on below the band, off above it -----------------------------------------------

const char *const modes[] = {"OFF", "HEAT", nullptr};
enum { OFF, HEAT };

struct thermostat {
    double target_K, band_K, power_W;
    int temperature; // input
    int power, mode; // outputs
    int switches;    // discrete state
};

tac_status thermostat_declare(tac_declare *d, void *self)
{
    thermostat *t = static_cast<thermostat *>(self);
    t->target_K = tac_param_f64(d, TAC_PARAM(.name = "target", .unit = "K", .range = "(0, inf)",
                                             .doc = "temperature to hold"));
    t->band_K = tac_param_f64(d, TAC_PARAM(.name = "band", .unit = "K", .fallback = "0.5",
                                           .range = "(0, inf)",
                                           .doc = "half the width of the hysteresis"));
    t->power_W = tac_param_f64(d, TAC_PARAM(.name = "power", .unit = "W", .fallback = "2000",
                                            .range = "[0, inf)", .doc = "of the heater"));
    t->temperature = tac_declare_input(
        d, TAC_PORT(.name = "temperature", .type = TAC_TYPE_F64, .unit = "K"));
    t->power =
        tac_declare_output(d, TAC_PORT(.name = "power", .type = TAC_TYPE_F64, .unit = "W"));
    t->mode = tac_declare_output(d, TAC_PORT(.name = "mode", .type = TAC_TYPE_ENUM(modes)));
    t->switches = tac_declare_state(d, TAC_PORT(.name = "switches", .type = TAC_TYPE_I64));
    return TAC_OK;
}

tac_status thermostat_step(tac_step *s, const void *self)
{
    const thermostat *t = static_cast<const thermostat *>(self);
    const double temperature = *TAC_IN(s, double, t->temperature);
    int32_t *mode = TAC_OUT(s, int32_t, t->mode);
    const int32_t before = *mode;
    if (temperature < t->target_K - t->band_K)
        *mode = HEAT;
    else if (temperature > t->target_K + t->band_K)
        *mode = OFF;
    *TAC_OUT(s, double, t->power) = *mode == HEAT ? t->power_W : 0;
    if (*mode != before) {
        const int64_t n = ++*TAC_STATE(s, int64_t, t->switches);
        tac_log_write(s, TAC_LOG_INFO, "%s at %.2f K (switch %lld)", modes[*mode], temperature,
                      static_cast<long long>(n));
    }
    return TAC_OK;
}

const tac_component_type thermostat_type = TAC_DEF(
    tac_component_type, .name = "thermostat", .version = "1",
    .summary = "switches a heater with hysteresis", .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(thermostat), .declare = thermostat_declare,
    .kernels[TAC_NUMBERS].step = thermostat_step);

} // namespace

TAC_PLUGIN("thermal", "1.0", &room_type, &thermostat_type)
