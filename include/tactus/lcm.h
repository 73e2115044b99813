// lcm.h - applications of LCM as clients of a federation.
//
// An application that publishes and subscribes with LCM gets an ordinary `lcm_t *` and keeps its
// code: messages of the other clients reach its handlers, and what it publishes reaches them. Only
// its main loop is another one, as time is simulated:
//
//     tac_client_add_lcm(client, &def, &lcm, &err);
//     example_state_t_subscribe(lcm, "STATE", on_state, app);   // as ever
//     tac_client_join(client, &err);
//     for (tac_time t = 0; !over; t += 10000) {
//         tac_client_lcm_poll(client, t, t, &over, &err);       // calls the handlers
//         if (!over)
//             example_command_t_publish(lcm, "COMMAND", &command);
//     }
//     tac_client_finish(client, &err);
//
// liblcm is loaded by the first call; without it that call fails with a text. docs/federation.md.
#ifndef TACTUS_LCM_H
#define TACTUS_LCM_H

#include <tactus/federation.h>

TAC_BEGIN_DECLS

struct _lcm_t; // lcm_t of <lcm/lcm.h>

typedef struct tac_lcm_def {
    uint32_t size;              // sizeof(tac_lcm_def)
    uint32_t message_max;       // longest message that is published; 0: what the server allows
    const char *const *publish; // all channels on which the application publishes; each has at most
                                // 63 characters. Other clients may publish on them, too
    size_t publish_count;
    const char *const *subscribe; // channels of other clients, or patterns with * and ?; none: "*"
    size_t subscribe_count;
    bool publishes_only; // the application hears no other client; `subscribe` is empty
    uint8_t reserved[7]; // 0
} tac_lcm_def;

static inline tac_lcm_def tac_lcm_def_default(void)
{
    tac_lcm_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// Before tac_client_join: declares the channels and gives an `lcm_t *`, which lives as long as the
// client and is used in its thread only. A message on a channel that was not declared, or of which
// the name has more than 63 characters, ends the next call with an error.
TAC_API TAC_MUST_CHECK tac_status tac_client_add_lcm(tac_client *client, const tac_lcm_def *def,
                                                     struct _lcm_t **lcm, tac_error *err);

// As tac_client_poll, for a client with LCM:
//
// - What the application has published since the last call is sent, as of the time of that call (of
//   0 before the first).
// - When every message that arrives up to and including `t_us` is there, the handlers of the
//   application are called with them, in order; `recv_utime` of each is the time at which it
//   arrives. As with every provider of LCM the handlers also hear what the application publishes
//   itself, at once.
// - What the handlers publish is sent as of `t_us`.
//
// `next_us`: as of tac_client_poll; `t_us` for an application that publishes by itself after this
// call. Once `*over` is true, handlers have been called with what arrived until the end, and
// nothing is sent any more.
TAC_API TAC_MUST_CHECK tac_status tac_client_lcm_poll(tac_client *client, tac_time t_us,
                                                      tac_time next_us, bool *over, tac_error *err);

TAC_END_DECLS
#endif
