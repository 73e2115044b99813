// monitor.c - telemetry: writes what it sees to the log of the run.
#include "model/builtin.h"
#include "base/print.h"

#include <stdio.h>

typedef struct monitor {
    tac__shaped shaped;
    const char *label;
    tac_time every_us;
} monitor;

static tac_status monitor_declare(tac_declare *d, void *self)
{
    monitor *c = self;
    c->shaped = tac__shaped_params(d);
    c->label = tac_param_text(d, TAC_PARAM(.name = "label", .flags = TAC_PARAM_TUNABLE,
                                           .fallback = "value", .doc = "what to call it"));
    c->every_us =
        tac_param_time(d, TAC_PARAM(.name = "every", .flags = TAC_PARAM_TUNABLE, .fallback = "0",
                                    .doc = "of its steps only those at multiples "
                                           "of this time write; 0: all"));
    tac_declare_input(d, TAC_PORT(.name = "u", .type = tac__shaped_type(&c->shaped),
                                  .unit = c->shaped.unit, .doc = "what it shows"));
    return TAC_OK;
}

static tac_status monitor_step(tac_step *s, const void *self)
{
    const monitor *c = self;
    if (c->every_us && s->t_us % c->every_us)
        return TAC_OK;
    const double *u = TAC_IN(s, double, 0);
    char text[TAC__SIZE_MAX * 16];
    size_t n = 0;
    for (uint32_t i = 0; i < c->shaped.size; i++)
        n += (size_t)tac__print(text + n, sizeof text - n, "%s%.6g", i ? ", " : "", u[i]);
    tac_log_write(s, TAC_LOG_INFO, "%s = %s %s", c->label, text, c->shaped.unit);
    return TAC_OK;
}

const tac_component_type tac__monitor_type = {
    TAC__TYPE("monitor", "1", "writes its input to the log; changes nothing",
              TAC_COMPONENT_OUTSIDE),
    .stage = TAC_STAGE_TELEMETRY,
    .self_size = sizeof(monitor),
    .declare = monitor_declare,
    .kernels[TAC_NUMBERS].step = monitor_step,
};
