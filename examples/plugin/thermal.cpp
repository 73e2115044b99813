// thermal.cpp - the plugin of thermal.c in C++11: the same component types with the same bits.
//
// C++ before C++20 has no designated initialisers, so definitions begin with a default maker, which
// also sets their size, and are filled in field by field.
#include <tactus/plugin.h>

namespace
{

tac_param_def param(const char *name, const char *unit, const char *fallback, const char *range,
                    const char *doc)
{
    tac_param_def def = tac_param_def_default();
    def.name = name;
    def.unit = unit;
    def.fallback = fallback;
    def.range = range;
    def.doc = doc;
    return def;
}

tac_port_def port(const char *name, tac_type type, const char *unit, const char *doc)
{
    tac_port_def def = tac_port_def_default();
    def.name = name;
    def.type = type;
    def.unit = unit;
    def.doc = doc;
    return def;
}

double number(tac_declare *d, const tac_param_def &def)
{
    return tac_param_f64(d, &def);
}

const tac_type f64 = TAC_TYPE_F64;

// --- room: C dT/dt = P - G (T - T_out) ----------------------------------------------------------

struct room {
    double capacity, loss, outside_K, start_K;
    int power, temperature;
};

tac_status room_declare(tac_declare *d, void *self)
{
    room *r = static_cast<room *>(self);
    r->capacity = number(
        d, param("capacity", "J/K", "50000", "(0, inf)", "heat that warms the room by 1 K"));
    r->loss =
        number(d, param("loss", "W/K", "40", "[0, inf)", "heat lost for each K above outside"));
    r->outside_K = number(d, param("outside", "K", "273.15", "(0, inf)", "temperature outside"));
    r->start_K = number(d, param("start", "K", "283.15", "(0, inf)", "temperature at t = 0"));
    const tac_port_def power = port("power", f64, "W", "of the heater");
    const tac_port_def temperature = port("temperature", f64, "K", "of the air");
    r->power = tac_declare_input(d, &power);
    r->temperature = tac_declare_continuous(d, &temperature);
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

tac_component_type make_room()
{
    tac_component_type type = tac_component_type_default();
    type.name = "room";
    type.version = "1";
    type.summary = "a room that loses heat to the outside";
    type.self_size = sizeof(room);
    type.declare = room_declare;
    type.init = room_init;
    type.kernels[TAC_NUMBERS].derive = room_derive;
    return type;
}

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
    t->target_K = number(d, param("target", "K", nullptr, "(0, inf)", "temperature to hold"));
    t->band_K =
        number(d, param("band", "K", "0.5", "(0, inf)", "half the width of the hysteresis"));
    t->power_W = number(d, param("power", "W", "2000", "[0, inf)", "of the heater"));
    const tac_type switched = TAC_TYPE_ENUM(modes), whole = TAC_TYPE_I64;
    const tac_port_def temperature = port("temperature", f64, "K", nullptr);
    const tac_port_def power = port("power", f64, "W", nullptr);
    const tac_port_def mode = port("mode", switched, nullptr, nullptr);
    const tac_port_def switches = port("switches", whole, nullptr, nullptr);
    t->temperature = tac_declare_input(d, &temperature);
    t->power = tac_declare_output(d, &power);
    t->mode = tac_declare_output(d, &mode);
    t->switches = tac_declare_state(d, &switches);
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

tac_component_type make_thermostat()
{
    tac_component_type type = tac_component_type_default();
    type.name = "thermostat";
    type.version = "1";
    type.summary = "switches a heater with hysteresis";
    type.stage = TAC_STAGE_CONTROL;
    type.self_size = sizeof(thermostat);
    type.declare = thermostat_declare;
    type.kernels[TAC_NUMBERS].step = thermostat_step;
    return type;
}

const tac_component_type room_type = make_room(), thermostat_type = make_thermostat();

} // namespace

TAC_PLUGIN("thermal", "1.0", &room_type, &thermostat_type)
