// link.h - what happens to a message on a link: the law of <tactus/link.h> applied.
//
// All functions are pure. A draw is keyed by (seed, sending end, receiving end, sequence number,
// copy) and nothing is carried from message to message, so checkpoints, snapshots and branches need
// no state of links, and one engine or several processes draw the same.
#ifndef TAC_BUS_LINK_H
#define TAC_BUS_LINK_H

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

#include <stdbool.h>
#include <tactus/link.h>

// What became of a message. Each name is also the name of a counter in reports.
#define TAC__FATE_TABLE(X)                                                                         \
    X(DELIVERED, "delivered")                                                                      \
    X(DUPLICATED, "duplicated")                                                                    \
    X(LOST, "lost") /* drawn */                                                                    \
    X(DOWN, "down") /* sent while the link was down */

typedef enum tac__fate_kind {
#define TAC__FATE_ENUM(name, text) TAC__FATE_##name,
    TAC__FATE_TABLE(TAC__FATE_ENUM)
#undef TAC__FATE_ENUM
        TAC__FATE_COUNT
} tac__fate_kind;

typedef struct tac__fate {
    tac__fate_kind kind;
    uint32_t copies;      // 0: lost, or the link was down; 2: duplicated
    tac_time delay_us[2]; // of each copy, in the order of the copies and not of their arrival
} tac__fate;

// Check a law, also one that comes from another program. Fails with TAC_E_RANGE; the text names the
// field as the configuration does. `place` may be NULL.
TAC_MUST_CHECK tac_status tac__link_check(const tac_link_law *law, const tac_place *place,
                                          tac_error *err);

// The stream of a link. `from` and `to` are the full names of its ends: of the ports, or of the
// channel and the inlet.
tac__stream tac__link_key(uint64_t seed, const char *from, const char *to);

// The law must have been checked.
tac__fate tac__link_fate(const tac_link_law *law, const tac__stream *key, tac_time sent_us,
                         uint64_t sequence);

// No message arrives earlier than this after it was sent.
static inline tac_time tac__link_least_us(const tac_link_law *law)
{
    return law->min_us;
}

// Whether every message arrives once, after a constant delay: nothing is drawn.
static inline bool tac__link_plain(const tac_link_law *law)
{
    return law->delay == TAC_DELAY_CONSTANT && law->loss <= 0 && law->duplicate <= 0 &&
           law->down_count == 0;
}

// Describe a law completely, in words of the configuration: "uniform 3 ms to 8 ms, loss 0.01". A
// constant delay without anything else is "5 ms".
void tac__link_describe(const tac_link_law *law, tac__text *out);

// "uniform", as configurations write it.
const char *tac__delay_name(tac_delay delay);
const char *tac__fate_name(tac__fate_kind kind);

#endif
