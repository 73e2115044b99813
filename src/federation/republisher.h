// republisher.h - messages that pass through a server, published on a network of LCM for everyone
// to see: lcm-spy, lcm-logger, programs of users.
//
// A thread of its own publishes, out of a backlog of limited length, at a limited rate: a listener
// loses what comes faster than it reads. The server only copies a message into the backlog, and
// leaves the message out where the backlog is full: the simulation never waits for the network and
// does not depend on it. What is published is published whole and in the order in which the server
// handled it, so that of each channel is in order; what is left out is counted for each channel.
#ifndef TAC_FEDERATION_REPUBLISHER_H
#define TAC_FEDERATION_REPUBLISHER_H

#include "federation/passage.h"

typedef struct tac__republisher tac__republisher;

// `url` as for lcm_create. `rate`: messages that are published in a second of wall time at most; a
// message counts once for every 2 KiB begun. 0: 10,000. TAC_E_FILE: there is no liblcm;
// TAC_E_NETWORK: there is no such network.
TAC_MUST_CHECK tac_status tac__republisher_create(const char *url, double rate,
                                                  tac__republisher **republisher, tac_error *err);
// Names that the passage points to must live as long as the republisher; bytes are copied.
void tac__republisher_add(tac__republisher *republisher, const tac_passage *passage);
// Publish what is in the backlog, for a second at most, and end the thread.
void tac__republisher_finish(tac__republisher *republisher);
void tac__republisher_destroy(tac__republisher *republisher); // NULL is fine

// How many messages were published, and left out, so far.
void tac__republisher_counts(const tac__republisher *republisher, uint64_t *published,
                             uint64_t *left_out);
// The i-th channel on which messages were left out, in the order in which that began, and how many.
// NULL: no more. The text lives as long as the republisher.
const char *tac__republisher_left_out(const tac__republisher *republisher, size_t i,
                                      uint64_t *count);

#endif
