// plugin.c - a plugin for tests of the program: a component that speaks at every level, and keeps
// something that no checkpoint can hold.
#include <tactus/plugin.h>

static tac_status talker_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_param_f64(d, TAC_PARAM(.name = "volume", .unit = "m^3", .fallback = "1"));
    return TAC_OK;
}

static tac_status talker_step(tac_step *s, const void *self)
{
    (void)self;
    tac_log_write(s, TAC_LOG_DEBUG, "a detail");
    tac_log_write(s, TAC_LOG_INFO, "a fact\nin \033[7mtwo\033[0m lines");
    tac_log_write(s, TAC_LOG_WARN, "a doubt");
    tac_log_write(s, TAC_LOG_ERROR, "a pity");
    return TAC_OK;
}

static const tac_component_type talker = {
    .size = sizeof(tac_component_type),
    .name = "talker",
    .version = "1",
    .summary = "says what it thinks",
    .flags = TAC_COMPONENT_OPAQUE,
    .stage = TAC_STAGE_CONTROL,
    .declare = talker_declare,
    .kernels[TAC_NUMBERS].step = talker_step,
};

TAC_PLUGIN("talkers", "1.0", &talker)
