// lcm_tunnel.h - an ordinary lcm_t for an application that knows LCM and nothing of federations.
//
// The application publishes on it and subscribes to it as ever. What it publishes is handed to a
// function; what comes from elsewhere is injected and reaches the handlers of the application, with
// the simulated time as its time of reception. The lcm_t is one of provider memq://, a queue in
// memory without a network; as with every provider the application also hears what it publishes
// itself, at once and in the order of publishing.
//
// Nothing blocks and there is no thread. A tunnel, its lcm_t and all that publishes there belong to
// one thread. Needs liblcm; without it tac__lcm_tunnel_create fails with a text.
#ifndef TAC_FEDERATION_LCM_TUNNEL_H
#define TAC_FEDERATION_LCM_TUNNEL_H

#include "base/error.h"

struct _lcm_t; // lcm_t of <lcm/lcm.h>

// Messages that an application may publish at one instant: one that answers itself never ends.
enum { TAC__LCM_INSTANT_MAX = 100000 };

// Told of each message that the application publishes, in order. `bytes` is valid until it returns.
// A failure is final: the tunnel hands on nothing more, and its functions return the failure.
typedef tac_status tac__lcm_send_fn(void *context, tac_time t_us, const char *channel,
                                    const void *bytes, size_t size, tac_error *err);

typedef struct tac__lcm_tunnel tac__lcm_tunnel;

TAC_MUST_CHECK tac_status tac__lcm_tunnel_create(tac__lcm_send_fn *send, void *context,
                                                 tac__lcm_tunnel **tunnel, tac_error *err);
// Destroys the lcm_t, too. What the application has published since the last pump is lost. NULL is
// fine.
void tac__lcm_tunnel_destroy(tac__lcm_tunnel *tunnel);

struct _lcm_t *tac__lcm_tunnel_lcm(const tac__lcm_tunnel *tunnel);

// Handle everything that the application has published so far and what its handlers publish then,
// as of t_us. Times must not go back (TAC_E_CALLER).
TAC_MUST_CHECK tac_status tac__lcm_tunnel_pump(tac__lcm_tunnel *tunnel, tac_time t_us,
                                               tac_error *err);
// A message that arrives at t_us: it is given to the handlers of the application, and then what
// they publish is handled, as by pump. What was published before comes first. TAC_E_LIMIT: the name
// of the channel has more than 63 characters.
TAC_MUST_CHECK tac_status tac__lcm_tunnel_inject(tac__lcm_tunnel *tunnel, tac_time t_us,
                                                 const char *channel, const void *bytes,
                                                 size_t size, tac_error *err);

#endif
