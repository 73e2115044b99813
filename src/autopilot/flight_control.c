// flight_control.c - flight control as a component: parameters, ports and states around flight.c.
#define TAC_KIND_F64
#include "autopilot/flight_ports.h"
#include "autopilot/ports.h"
#include "autopilot/types.h"
#include "math/machine.h"
#include "model/builtin.h"

#include <stddef.h>
#include <string.h>
#include <tactus/math.h>

static size_t size_of(const tac__flight_control *c)
{
    return offsetof(tac__flight_control, mission.items) +
           c->mission.count * sizeof *c->mission.items;
}

// --- parameters ---------------------------------------------------------------------------------

const tac__flight_speed tac__flight_speeds[TAC__FLIGHT_SPEED_COUNT] = {
    {TAC_DEF(tac_param_def, "cruise_speed", "m/s", "5", "(0, 100]", "on level ways"), 100},
    {TAC_DEF(tac_param_def, "climb_speed", "m/s", "2.5", "(0, 50]", "upwards"), 50},
    {TAC_DEF(tac_param_def, "descend_speed", "m/s", "1.5", "(0, 50]", "downwards"), 50},
    {TAC_DEF(tac_param_def, "land_speed", "m/s", "0.5", "(0, 10]", "near the ground"), 10},
};

static void read_speeds(tac_declare *d)
{
    for (size_t i = 0; i < TAC__FLIGHT_SPEED_COUNT; i++)
        tac_param_input(d, &tac__flight_speeds[i].param);
}

static tac_status read_mission(tac_declare *d, tac__mission *mission)
{
    const char *path = tac_param_path(
        d, TAC_PARAM(.name = "mission", .fallback = "",
                     .doc = "file with the mission: QGC WPL 110 or .plan; none: hover"));
    tac_error err;
    tac_error_clear(&err);
    if (!*path)
        return TAC_OK;
    double north_m, east_m;
    if (tac__mission_read(path, tac_declare_world(d), NULL, mission, &err) == TAC_OK) {
        if (tac__mission_landing(mission, &north_m, &east_m))
            tac_declare_landing(d, north_m, east_m);
        return TAC_OK;
    }
    mission->count = 0;
    if (err.status == TAC_E_MEMORY)
        return TAC_E_MEMORY;
    if (err.line)
        (void)tac_declare_fail(d, "mission", "%s:%u:%u: %s", path, err.line, err.column, err.text);
    else
        (void)tac_declare_fail(d, "mission", "%s", err.text);
    return TAC_OK;
}

static void check_lift(tac_declare *d, const tac__control_shape *shape, const tac__control *c)
{
    double voltage[TAC__ROTORS_MAX], works[TAC__ROTORS_MAX];
    for (int i = 0; i < TAC__ROTORS_MAX; i++) {
        voltage[i] = c->voltage_v;
        works[i] = 1;
    }
    bool can_hover, can_yaw;
    tac__flight_assess(shape, c, voltage, works, &can_hover, &can_yaw);
    if (!can_hover)
        (void)tac_declare_fail(d, "vehicle",
                               "its rotors cannot hold it level in hover: check mass, thrust and "
                               "places of the rotors");
}

// --- ports --------------------------------------------------------------------------------------

static void declare_inputs(tac_declare *d, uint32_t rotors, uint32_t buses)
{
    tac__flight_inputs(d);
    const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, "rotor_speed", TAC_TYPE_ARRAY(TAC_F64, rotors), "rad/s",
                "telemetry, to notice a rotor that is out", .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "bus_voltage", TAC_TYPE_ARRAY(TAC_F64, buses), "V",
                "telemetry, to correct the duty; open: the nominal voltage",
                .flags = TAC_PORT_OPTIONAL),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_input(d, &ports[i]);
}

static void declare_outputs(tac_declare *d, uint32_t rotors)
{
    tac__flight_outputs(d, rotors);
    static const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, "position_sp", TAC_TYPE_VEC3, "m", "reference",
                .role = TAC_ROLE_REFERENCE),
        TAC_DEF(tac_port_def, "velocity_sp", TAC_TYPE_VEC3, "m/s", "wanted"),
        TAC_DEF(tac_port_def, "attitude_sp", TAC_TYPE_QUAT, NULL, "wanted"),
        TAC_DEF(tac_port_def, "rate_sp", TAC_TYPE_VEC3, "rad/s", "wanted"),
        TAC_DEF(tac_port_def, "thrust_sp", TAC_TYPE_F64, "N",
                "wanted, against the body's down axis"),
        TAC_DEF(tac_port_def, "torque_sp", TAC_TYPE_VEC3, "N*m", "wanted, on the body"),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_output(d, &ports[i]);
}

static void declare_states(tac_declare *d)
{
    enum {
        NUMBERS = sizeof(tac__flight_numbers) / sizeof(double),
        WORDS = sizeof(tac__flight_words) / sizeof(int32_t)
    };
    tac_declare_state(d, TAC_PORT(.name = "numbers", .type = TAC_TYPE_ARRAY(TAC_F64, NUMBERS),
                                  .doc = "reference, integrals, timers, rotors"));
    tac_declare_state(d, TAC_PORT(.name = "words", .type = TAC_TYPE_ARRAY(TAC_I32, WORDS),
                                  .doc = "phase, item, orders"));
}

static void declare_decisions(tac_declare *d, uint32_t rotors)
{
    static const tac_port_def ports[] = {
#define ROW(name, elements, text, scalar_, unit_, doc_)                                            \
    TAC_DEF(tac_port_def, text,                                                                    \
            {TAC_##scalar_, (elements) == 3 ? TAC_VEC3 : TAC_SINGLE, elements, NULL}, unit_,       \
            doc_),
        TAC__FLIGHT_DECISIONS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_decision(d, &ports[i]);
    tac_declare_decision(d, TAC_PORT(.name = "works", .type = TAC_TYPE_ARRAY(TAC_F64, rotors),
                                     .doc = "of each rotor: 1, or 0 where it is out"));
    tac_declare_decision(d, TAC_PORT(.name = "amiss", .type = TAC_TYPE_ARRAY(TAC_F64, rotors),
                                     .unit = "s",
                                     .doc = "how long its speed has not been as expected"));
}

static tac_status flight_declare(tac_declare *d, void *self)
{
    tac__flight_control made, *c = &made;
    tac__flight flight;
    memset(c, 0, sizeof *c);
    memset(&flight, 0, sizeof flight);
    tac__vehicle v = {0};
    tac__control_tuning tuning;
    c->buses = 1;
    tac__flight_vehicle(d, &v);
    for (int i = 0; i < v.rotors; i++) {
        c->bus[i] = v.rotor[i].bus;
        c->buses = c->bus[i] >= c->buses ? c->bus[i] + 1 : c->buses;
    }
    v.rotors = v.rotors > 0 ? v.rotors : 1; // listings have no vehicle to read from
    const uint32_t rotors = (uint32_t)v.rotors;
    declare_inputs(d, rotors, (uint32_t)c->buses);
    read_speeds(d);
    tac__flight_params(d, &v, &tuning, &flight);
    TAC_TRY(read_mission(d, &c->mission));
    tac__control_init(&flight.control, &c->shape, &v, &tuning);
    check_lift(d, &c->shape, &flight.control);
    tac__flight_doubt_bandwidths(d, &v, &tuning);
    declare_outputs(d, rotors);
    declare_states(d);
    declare_decisions(d, rotors);
    tac_declare_numbers(d, &flight, tac__flight_size(c->shape.rotors));
    *(tac__flight_self *)self = tac_declare_shared(d, c, size_of(c));
    return TAC_OK;
}

// --- the start ----------------------------------------------------------------------------------

static tac__flight_state state_of(const tac_step *s)
{
    return (tac__flight_state){s->state[TAC__FLIGHT_STATE_NUMBERS],
                               s->state[TAC__FLIGHT_STATE_WORDS]};
}

static tac_status flight_init(tac_step *s, const void *self)
{
    tac__flight_init(&control_of(self)->shape, state_of(s));
    const tac__control_out rest = {.attitude = {1}};
    tac__flight_control_write(s, self, &rest);
    return TAC_OK;
}

static tac_status flight_verify(tac_step *s, const void *self)
{
    const tac__flight_control *c = control_of(self);
    const tac__flight_words *w = state_of(s).w;
    size_t phases = 0;
    while (tac__flight_phase_labels[phases])
        phases++;
    if (w->phase < 0 || (size_t)w->phase >= phases)
        return tac_fail(s, "is in phase %d of %zu", w->phase, phases);
    if (w->item < 0 || (size_t)w->item > c->mission.count || w->reached < 0 || w->reached > w->item)
        return tac_fail(s, "is at item %d, with %d reached, of %zu", w->item, w->reached,
                        c->mission.count);
    return TAC_OK;
}

// Missions and numbers may differ.
static bool flight_alike(const void *self, const void *other)
{
    const tac__flight_control *a = control_of(self), *b = control_of(other);
    return a->shape.rotors == b->shape.rotors && a->shape.mixes == b->shape.mixes &&
           a->buses == b->buses && memcmp(a->bus, b->bus, sizeof a->bus) == 0;
}

#define STEP(kind) tac_status tac__flight_control_step_##kind(tac_step *s, const void *self)
STEP(pack2);
STEP(pack4);
STEP(pack8);
STEP(dual);
STEP(dualp);
STEP(dualp_avx2);
STEP(dualp_avx512);
#undef STEP
tac_status tac__flight_control_given_sym(tac_step *s, const void *self);

// Eight derivatives in one register or in two.
static tac_status step_duals(tac_step *s, const void *self)
{
    return tac__machine_has_pack(8)   ? tac__flight_control_step_dualp_avx512(s, self)
           : tac__machine_has_pack(4) ? tac__flight_control_step_dualp_avx2(s, self)
                                      : tac__flight_control_step_dualp(s, self);
}

const tac_component_type tac__flight_control_type = {
    TAC__TYPE("flight_control", "2", "flies a multirotor: missions, return, landing, lost motors",
              0),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(tac__flight_self),
    .declare = flight_declare,
    .numbers = tac__flight_control_numbers,
    .init = flight_init,
    .kernels[TAC_NUMBERS].step = tac__flight_control_step_f64,
    .kernels[TAC_PACK2].step = tac__flight_control_step_pack2,
    .kernels[TAC_PACK4].step = tac__flight_control_step_pack4,
    .kernels[TAC_PACK8].step = tac__flight_control_step_pack8,
    .kernels[TAC_DUALS].step = tac__flight_control_step_dual,
    .kernels[TAC_DUALS_OF_ALL].step = step_duals,
    .kernels[TAC_SYMBOLS].step = tac__flight_control_given_sym,
    .alike = flight_alike,
    .verify = flight_verify,
    .decide = tac__flight_control_decide,
};
