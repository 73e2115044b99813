// standin.c - see standin.h.
#include "standin.h"

#include "misbehave.h"

#include <stdio.h>
#include <string.h>

void standin_init(standin *s, const config *cfg)
{
    memset(s, 0, sizeof *s);
    s->cfg = *cfg;
    s->autosave = true;
    params_init(&s->stored);
    s->taken = s->stored;
    uorb_init(&s->u);
    navigator_init(&s->nav);
    uorb_advertise(&s->u, TOPIC_mission_result);
    uorb_advertise(&s->u, TOPIC_geofence_status);
}

// --- rates --------------------------------------------------------------------------------------

// Whether a module runs now; a rate of 0 or less: in each step. After a step back in time all of
// them do.
static bool due(pace *p, int32_t rate_hz, uint64_t now_us, double *dt)
{
    const uint64_t passed = now_us - p->last_us;
    if (p->ran && rate_hz > 0 && passed < 1000000u / (uint32_t)rate_hz)
        return false;
    *dt = p->ran && now_us > p->last_us ? 1e-6 * (double)passed : 0;
    p->ran = true;
    p->last_us = now_us;
    return true;
}

// --- modules ------------------------------------------------------------------------------------

static void run_modules(standin *s, const bool *run, const double *dt, double step)
{
    uorb *u = &s->u;
    const params *p = &s->taken;
    const uint64_t now = s->now_us;
    if (run[MODULE_NAVIGATOR])
        navigator_run(&s->nav, u, p, now);
    trajectory_run(&s->way, &s->nav, u, p, now, step);
    if (run[MODULE_POSITION])
        position_control(&s->loops, s->way.flying, u, p, now, dt[MODULE_POSITION]);
    if (run[MODULE_ATTITUDE])
        attitude_control(u, p, now);
    if (run[MODULE_RATE])
        rate_control(&s->loops, s->way.flying, u, p, now, dt[MODULE_RATE]);
    if (run[MODULE_ALLOCATOR])
        allocation_run(&s->mix, u, p, now);
}

// What the modules would publish, as often and as long, with nothing in it.
static void publish_blanks(uorb *u, const bool *run, uint64_t now_us)
{
    static const struct {
        int module;
        topic_id topic;
    } outputs[] = {{MODULE_POSITION, TOPIC_vehicle_attitude_setpoint},
                   {MODULE_ATTITUDE, TOPIC_vehicle_rates_setpoint},
                   {MODULE_RATE, TOPIC_vehicle_torque_setpoint},
                   {MODULE_RATE, TOPIC_vehicle_thrust_setpoint},
                   {MODULE_ALLOCATOR, TOPIC_actuator_motors}};
    uint8_t blank[MESSAGE_MAX] = {0};
    memcpy(blank, &now_us, sizeof now_us);
    PUBLISH(u, trajectory_setpoint, blank);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const topic_id out = outputs[i].topic;
        if (run[outputs[i].module])
            uorb_publish(u, out, blank);
    }
    if (run[MODULE_NAVIGATOR]) {
        const struct mission_result m = {.timestamp = now_us, .seq_reached = -1, .valid = 1};
        PUBLISH(u, mission_result, &m);
    }
}

// --- a step -------------------------------------------------------------------------------------

int standin_step(standin *s, uint64_t time_us)
{
    if (time_us < s->now_us)
        fprintf(stderr, "px4_standin: time goes backwards, from %llu to %llu us\n",
                (unsigned long long)s->now_us, (unsigned long long)time_us);
    s->now_us = time_us;
    const int code = uorb_publish_queued(&s->u);
    if (code != 0)
        return code;
    if (s->notified) {
        s->notified = false;
        s->taken = s->stored;
        if (s->cfg.enable_control_allocator)
            allocation_update(&s->mix, &s->taken);
    }
    const config *c = &s->cfg;
    const int32_t rates[MODULES] = {c->navigator_rate_hz, c->mc_pos_control_rate_hz,
                                    c->mc_att_control_rate_hz, c->mc_rate_control_rate_hz,
                                    c->control_allocator_rate_hz};
    bool run[MODULES];
    double dt[MODULES] = {0}, step = 0;
    for (int i = 0; i < MODULES; i++)
        run[i] = due(&s->paces[i], rates[i], time_us, &dt[i]);
    run[MODULE_ALLOCATOR] &= c->enable_control_allocator != 0;
    due(&s->flight_mode, 0, time_us, &step);
    if (orders_get()->controller)
        run_modules(s, run, dt, step);
    else
        publish_blanks(&s->u, run, time_us);
    return 0;
}
