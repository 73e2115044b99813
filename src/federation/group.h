// group.h - groups of signals that an engine publishes as messages of LCM, and messages of LCM that
// it takes into inputs.
//
// Samples are read when the engine has processed their instant and nothing after it; values are
// written when the engine has come to their instant and has not processed it. So neither depends on
// how far the server lets the client advance.
#ifndef TAC_FEDERATION_GROUP_H
#define TAC_FEDERATION_GROUP_H

#include "federation/client.h"

typedef struct tac__groups tac__groups;

void tac__groups_destroy(tac__groups *groups); // NULL is fine

// Whether a message is for inputs of a group; then it waits for its instant. Messages that arrive
// after `end_us` are dropped. TAC_E_TYPE: not a message of the group's type.
TAC_MUST_CHECK tac_status tac__groups_take(tac__groups *groups, const tac_delivery *delivery,
                                           tac_time end_us, bool *taken, tac_error *err);
// Write the values that are due at the engine's open time.
TAC_MUST_CHECK tac_status tac__groups_write(tac__groups *groups, tac_engine *engine,
                                            tac_error *err);
// How far the engine can advance before something is to be written or sampled; at most `to_us`.
tac_time tac__groups_stop(const tac__groups *groups, tac_time to_us);
// Send the samples of the last instant before the engine's open time, if one is due.
TAC_MUST_CHECK tac_status tac__groups_sample(tac__groups *groups, tac_client *client,
                                             tac_error *err);
// The next instant at which something is sampled or written.
tac_time tac__groups_next(const tac__groups *groups);

#endif
