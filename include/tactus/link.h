// link.h - the law of a link: how long messages take, and which of them are lost or arrive twice.
//
// What happens to a message is drawn from a random stream of its own: by the seed of the run, the
// names of both ends, the message's sequence number and the copy. So the draws are the same in
// whatever order messages are sent, however the run is cut into pieces, and in one program or
// several. docs/messages.md says what each law means.
#ifndef TACTUS_LINK_H
#define TACTUS_LINK_H

#include <tactus/time.h>

// X(name, text, what the delay is). Drawn delays are rounded to whole microseconds.
#define TAC_DELAY_TABLE(X)                                                                         \
    X(CONSTANT, "constant", "min_us")                                                              \
    X(UNIFORM, "uniform", "any from min_us to max_us, each as likely as the others")               \
    X(NORMAL, "normal", "mean_us plus sigma_us times a normal number, cut to min_us and max_us")   \
    X(EXPONENTIAL, "exponential",                                                                  \
      "min_us plus an exponential number of mean mean_us - min_us, cut to max_us")

typedef enum tac_delay {
#define TAC_DELAY_ENUM(name, text, doc) TAC_DELAY_##name,
    TAC_DELAY_TABLE(TAC_DELAY_ENUM)
#undef TAC_DELAY_ENUM
        TAC_DELAY_COUNT
} tac_delay;

// A time in which a link is down: messages sent at from_us or later and before to_us are lost.
typedef struct tac_outage {
    tac_time from_us, to_us;
} tac_outage;

typedef struct tac_link_law {
    uint32_t size; // sizeof(tac_link_law)
    tac_delay delay;
    tac_time min_us;            // the least delay, at least 1; of a constant delay: the delay
    tac_time max_us;            // the greatest; constant: not used; normal, exponential: 0 is none
    tac_time mean_us, sigma_us; // of normal and exponential delays
    double loss;                // probability that a message is lost
    double duplicate;           // probability that a message that is not lost arrives twice; the
                                // second copy has a delay of its own
    const tac_outage *down;     // in ascending order
    size_t down_count;
} tac_link_law;

// What became of the messages on a link that has a law. Copies on their way count as `sent` and
// `duplicated` only.
typedef struct tac_link_counters {
    uint64_t sent;
    uint64_t delivered;  // every copy counts
    uint64_t lost;       // drawn
    uint64_t down;       // lost because the link was down
    uint64_t duplicated; // messages of which there were two copies
} tac_link_counters;

static inline tac_link_law tac_link_law_default(void) // a constant delay of 1 us
{
    tac_link_law law = TAC_ZERO;
    law.size = sizeof law;
    law.min_us = 1;
    return law;
}

#endif
