// republisher.h - messages that pass through a server, published on a network of LCM for everyone
// to see: lcm-spy, lcm-logger, programs of users.
//
// A thread of its own publishes, out of a queue of limited length. The server only copies a message
// into the queue, and leaves it out where the queue is full: the simulation never waits for the
// network and does not depend on it.
#ifndef TAC_FEDERATION_REPUBLISHER_H
#define TAC_FEDERATION_REPUBLISHER_H

#include "federation/passage.h"

typedef struct tac__republisher tac__republisher;

// `url` as for lcm_create. TAC_E_FILE: there is no liblcm; TAC_E_NETWORK: there is no such network.
TAC_MUST_CHECK tac_status tac__republisher_create(const char *url, tac__republisher **republisher,
                                                  tac_error *err);
// Names that the passage points to must live as long as the republisher; bytes are copied.
void tac__republisher_add(tac__republisher *republisher, const tac_passage *passage);
// Publish what is in the queue, for a second at most, and end the thread.
void tac__republisher_finish(tac__republisher *republisher);
void tac__republisher_destroy(tac__republisher *republisher); // NULL is fine

// How many messages were published, and left out, so far.
void tac__republisher_counts(const tac__republisher *republisher, uint64_t *published,
                             uint64_t *left_out);

#endif
