// join.h - what a client on a network has: shared by the calls of join.c, the engine of
// engine_client.c and the application of lcm_client.c.
#ifndef TAC_FEDERATION_JOIN_H
#define TAC_FEDERATION_JOIN_H

#include "base/names.h"
#include "bus/lcm_message.h"
#include "federation/client.h"
#include "federation/group.h"
#include "federation/pipe.h"

// A channel of the engine: links that lead outside.
typedef struct tac__engine_outlet {
    uint32_t number; // of the channel
    tac__lcm_message kind;
} tac__engine_outlet;

// A subscription of the engine: a link from outside.
typedef struct tac__engine_inlet {
    const char *channel;
    int receiver; // of the engine
} tac__engine_inlet;

typedef struct tac__lcm_client tac__lcm_client; // what a client with LCM has (lcm_client.c)

struct tac_client {
    tac__client *machine;
    tac__address address;
    uint64_t patience_us;
    uint8_t key[TAC__KEY_BYTES];
    bool keyed;
    bool answered; // the server has said something
    tac__pipe pipe;
    tac__poller *poller;
    bool (*look)(void *context);
    void *context;
    uint64_t looked_us;             // when `look` was called
    uint64_t timeout_us, silent_us; // of the server; 0: no limit
    uint64_t turned_us;             // when it was last seen how long it is silent
    bool heard;                     // since then
    tac__arena arena;               // of what follows
    // an engine as a client:
    tac_engine *engine;
    tac__engine_outlet *outlets;
    tac__names channels; // number: index in `outlets`
    tac__engine_inlet *inlets;
    uint32_t outlet_count, inlet_count;
    uint32_t first_inlet; // number of its subscription; those of the others follow
    tac_time piece_us;    // that the engine advances before the server is told
    uint8_t *scratch;     // for one message, encoded or decoded
    size_t scratch_size;
    tac__groups *groups; // NULL: none
    tac_error sent;      // the first failure to send; its status is TAC_OK while there is none
    // an application of LCM as a client:
    tac__lcm_client *lcm;
};

// Write if there is much to write, and wait while there is too much.
TAC_MUST_CHECK tac_status tac__join_relieve(tac_client *client, tac_error *err);
// Write what can be written without waiting.
TAC_MUST_CHECK tac_status tac__join_flush(tac_client *client, tac_error *err);
// Call `look` if it is time to. Fails where it says that the client is to stop.
TAC_MUST_CHECK tac_status tac__join_look(tac_client *client, tac_error *err);
// Write, wait for something from the server, and take it.
TAC_MUST_CHECK tac_status tac__join_turn(tac_client *client, tac_error *err);
void tac__lcm_client_destroy(tac__lcm_client *lcm); // NULL is fine

#endif
