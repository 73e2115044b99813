// abi.c - a plugin that is built against headers with the last fields of each definition cut off,
// or with one more: it uses nothing of the former, and of the latter only what the test asks for.
#include <tactus/plugin.h>

#ifndef PARAM_FIELD
#define PARAM_FIELD // ", .future = 1" in one of these
#endif
#ifndef PORT_FIELD
#define PORT_FIELD
#endif
#ifndef MESSAGE_FIELD
#define MESSAGE_FIELD
#endif
#ifndef TYPE_FIELD
#define TYPE_FIELD
#endif

typedef struct ramp {
    double rate;
    int y, state, sender;
} ramp;

static tac_status declare(tac_declare *d, void *self)
{
    ramp *r = self;
    r->rate =
        tac_param_f64(d, TAC_PARAM(.name = "rate", .unit = "m/s", .fallback = "3" PARAM_FIELD));
    r->y =
        tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "m" PORT_FIELD));
    r->state = tac_declare_state(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    r->sender = tac_declare_sender(d, TAC_MESSAGE(.name = "word", .numbers = true MESSAGE_FIELD));
    return TAC_OK;
}

static tac_status step(tac_step *s, const void *self)
{
    const ramp *r = self;
    *TAC_OUT(s, double, r->y) = r->rate * tac_time_seconds(s->t_us);
    ++*TAC_STATE(s, int64_t, r->state);
    return tac_send(s, r->sender, &r->rate, sizeof r->rate);
}

static const tac_component_type type = {
    .size = sizeof(tac_component_type),
    .name = "ramp",
    .version = "1",
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(ramp),
    .declare = declare,
    .kernels[TAC_NUMBERS].step = step TYPE_FIELD,
};

TAC_PLUGIN("abi", "1", &type)
