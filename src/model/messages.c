// messages.c - beacon and listener: a value sent over links.
#include "model/builtin.h"

#include <string.h>

// --- beacon -------------------------------------------------------------------------------------

typedef struct beacon {
    tac__shaped shaped;
    int port;
} beacon;

static tac_status beacon_declare(tac_declare *d, void *self)
{
    beacon *c = self;
    c->shaped = tac__shaped_params(d);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = tac__shaped_type(&c->shaped),
                                  .unit = c->shaped.unit, .doc = "what it sends"));
    c->port =
        tac_declare_sender(d, TAC_MESSAGE(.name = "tx", .doc = "the value of u", .numbers = true));
    return TAC_OK;
}

static tac_status beacon_step(tac_step *s, const void *self)
{
    const beacon *c = self;
    return tac_send(s, c->port, s->in[0], c->shaped.size * sizeof(double));
}

const tac_component_type tac__beacon_type = {
    TAC__TYPE("beacon", "1", "sends its input as a message at every step", TAC_COMPONENT_OUTSIDE),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(beacon),
    .declare = beacon_declare,
    .kernels[TAC_NUMBERS].step = beacon_step,
};

// --- listener -----------------------------------------------------------------------------------

enum { VALUE, COUNT, SENDER };

typedef struct listener {
    tac__shaped shaped;
    int port;
} listener;

static tac_status listener_declare(tac_declare *d, void *self)
{
    listener *c = self;
    c->shaped = tac__shaped_params(d);
    const int64_t capacity =
        tac_param_int(d, TAC_PARAM(.name = "capacity", .fallback = "64", .range = "[1, 65536]",
                                   .doc = "messages on their way"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = tac__shaped_type(&c->shaped),
                                   .unit = c->shaped.unit, .doc = "the last value received"));
    tac_declare_output(d,
                       TAC_PORT(.name = "count", .type = TAC_TYPE_I64, .doc = "messages received"));
    tac_declare_output(
        d, TAC_PORT(.name = "sender", .type = TAC_TYPE_I64, .doc = "number of the last sender"));
    c->port = tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .doc = "values to be received",
                       .capacity = (uint32_t)(capacity > 0 ? capacity : 1),
                       .max_bytes = c->shaped.size * (uint32_t)sizeof(double), .triggers = true));
    return TAC_OK;
}

static tac_status listener_step(tac_step *s, const void *self)
{
    const listener *c = self;
    for (tac_message m; tac_receive(s, c->port, &m);) {
        if (m.size != c->shaped.size * sizeof(double))
            return tac_fail(s, "a message of %zu bytes is not %u numbers", m.size, c->shaped.size);
        memcpy(s->out[VALUE], m.bytes, m.size);
        ++*TAC_OUT(s, int64_t, COUNT);
        *TAC_OUT(s, int64_t, SENDER) = m.sender;
    }
    return TAC_OK;
}

const tac_component_type tac__listener_type = {
    TAC__TYPE("listener", "1", "receives values; steps when a message is delivered",
              TAC_COMPONENT_OUTSIDE),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(listener),
    .declare = listener_declare,
    .kernels[TAC_NUMBERS].step = listener_step,
};
