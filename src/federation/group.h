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

// Write a message to the inputs of its group, at its delivery time, for which the engine must be
// open. `*taken`: there is such a group. Messages that arrive after the end are dropped.
// TAC_E_TYPE: not a message of the group's type. `groups` may be NULL.
TAC_MUST_CHECK tac_status tac__groups_take(tac__groups *groups, tac_engine *engine,
                                           const tac_delivery *delivery, bool *taken,
                                           tac_error *err);
// Send the samples of the last instant before the engine's open time, if one is due. `groups` may
// be NULL.
TAC_MUST_CHECK tac_status tac__groups_sample(tac__groups *groups, tac_client *client,
                                             tac_error *err);
// The next instant at which something is sampled; TAC_TIME_NEVER where there are no groups.
tac_time tac__groups_next(const tac__groups *groups);

#endif
