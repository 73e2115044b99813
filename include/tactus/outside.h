// outside.h - driving an engine from another program: lists of what it has, values and messages
// from outside, running in pieces, going back.
//
// All functions are for a prepared engine, between two calls that run it, from the thread that the
// engine belongs to. Inside a callback (a component, an observer, a log) only functions that list
// and read may be called; functions that change the engine return TAC_E_CALLER there.
// docs/embedding.md explains each part, and examples/embed/ has programs.
#ifndef TACTUS_OUTSIDE_H
#define TACTUS_OUTSIDE_H

#include <tactus/engine.h>

TAC_BEGIN_DECLS

// --- lists ----------------------------------------------------------------------------------
// Numbers count from 0 and stay the same while the engine lives, as do all texts. With a number
// that does not exist every text is "" and every other number 0. Signals, components and rate
// groups are listed by engine.h.

// An input of a component, and the route that leads to it.
typedef struct tac_input_info {
    const char *component, *name; // "uav1.Ctrl" and "position"; in full "uav1.Ctrl.position"
    const char *unit, *doc;       // unit "1": a bare number
    tac_type type;
    bool optional;       // it may stay open
    bool outside;        // tac_engine_write gives it values
    int signal;          // the signal that the route comes from, -1: it is open
    uint32_t element;    // the first element of the signal that is seen
    double gain, offset; // value = gain * signal + offset
    tac_time delay_us;
    bool delayed;      // sees the value of the last boundary
    tac_policy policy; // as resolved; ZOH where it makes no difference
} tac_input_info;

TAC_API size_t tac_engine_input_count(const tac_engine *engine);
TAC_API void tac_engine_input_info_sized(const tac_engine *engine, int input, tac_input_info *info,
                                         size_t size);
static inline tac_input_info tac_engine_input_info(const tac_engine *engine, int input)
{
    tac_input_info info;
    tac_engine_input_info_sized(engine, input, &info, sizeof info);
    return info;
}
// Finds an input by its full name. -1, and an error with the nearest name, where there is none.
TAC_API int tac_engine_find_input(const tac_engine *engine, const char *name, tac_error *err);

// A message port. tac_sizes has the number of those that send and of those that receive.
typedef struct tac_port_info {
    const char *name, *component, *doc; // full names
    bool numbers;                       // sending: a message is an array of doubles
    bool triggers;                      // receiving: a delivery makes the component step
    uint32_t capacity, max_bytes;       // receiving: messages that fit, and the longest of them
} tac_port_info;

TAC_API void tac_engine_sender_info_sized(const tac_engine *engine, int sender, tac_port_info *info,
                                          size_t size);
static inline tac_port_info tac_engine_sender_info(const tac_engine *engine, int sender)
{
    tac_port_info info;
    tac_engine_sender_info_sized(engine, sender, &info, sizeof info);
    return info;
}
TAC_API void tac_engine_receiver_info_sized(const tac_engine *engine, int receiver,
                                            tac_port_info *info, size_t size);
static inline tac_port_info tac_engine_receiver_info(const tac_engine *engine, int receiver)
{
    tac_port_info info;
    tac_engine_receiver_info_sized(engine, receiver, &info, sizeof info);
    return info;
}
// As tac_engine_find_input.
TAC_API int tac_engine_find_sender(const tac_engine *engine, const char *name, tac_error *err);
TAC_API int tac_engine_find_receiver(const tac_engine *engine, const char *name, tac_error *err);

// One sender and one receiver that are linked, patterns resolved.
typedef struct tac_link_info {
    const char *from, *to; // full names of ports, or "outside"
    const char *channel;   // of a link from or to outside, else ""
    tac_time delay_us;     // the least delay; from outside: 0
    uint64_t number;       // of the sender at the receiver, from 0: messages that arrive together
                           // are taken in this order; to outside: 0
    // NULL: every message arrives once, after delay_us. On a link to outside the law is only told:
    // the program that couples engines applies it.
    const tac_link_law *law;
} tac_link_info;

TAC_API size_t tac_engine_link_count(const tac_engine *engine);
TAC_API void tac_engine_link_info_sized(const tac_engine *engine, size_t link, tac_link_info *info,
                                        size_t size);
static inline tac_link_info tac_engine_link_info(const tac_engine *engine, size_t link)
{
    tac_link_info info;
    tac_engine_link_info_sized(engine, link, &info, sizeof info);
    return info;
}

// All 0 for links from or to outside, and for those without a law.
TAC_API void tac_engine_link_counters_sized(const tac_engine *engine, size_t link,
                                            tac_link_counters *counters, size_t size);
static inline tac_link_counters tac_engine_link_counters(const tac_engine *engine, size_t link)
{
    tac_link_counters counters;
    tac_engine_link_counters_sized(engine, link, &counters, sizeof counters);
    return counters;
}

// A parameter as the component read it; parameters inside others are named "rotors[2].position".
typedef struct tac_param_info {
    const char *name, *value;
    const char *kind;             // "f64", "time", "choice", ...
    const char *unit, *doc;       // unit "": none
    const char *range, *fallback; // "" where there is none
    const char *const *choices;   // of a choice, NULL after the last; else NULL
    bool tunable; // a run may go on from a checkpoint with another value: see tac_engine_branch
} tac_param_info;

// The parameters of one component, by its number.
TAC_API size_t tac_engine_param_count(const tac_engine *engine, size_t component);
TAC_API void tac_engine_param_info_sized(const tac_engine *engine, size_t component, size_t i,
                                         tac_param_info *info, size_t size);
static inline tac_param_info tac_engine_param_info(const tac_engine *engine, size_t component,
                                                   size_t i)
{
    tac_param_info info;
    tac_engine_param_info_sized(engine, component, i, &info, sizeof info);
    return info;
}

// --- running in pieces ----------------------------------------------------------------------

// As tac_engine_run, but only to just before `to_us`: every instant before it is processed, the
// boundary at `to_us` waits for a later call. Running in such pieces gives the same bits as in one.
TAC_API TAC_MUST_CHECK tac_status tac_engine_advance(tac_engine *engine, tac_time to_us,
                                                     tac_error *err);

// The first open instant, for which values and messages may still come from outside: 0 before the
// run has begun, `to_us` after tac_engine_advance, `until_us` + 1 after tac_engine_run.
TAC_API tac_time tac_engine_open_time(const tac_engine *engine);

// As tac_engine_read, but at t_us: from the present instant (tac_engine_time) up to the next one
// (tac_engine_next_time), as after tac_engine_advance(t_us). A continuous signal is evaluated at
// t_us, with inputs as they are held; other signals hold. NULL: t_us lies elsewhere, evaluating
// failed, or the call came from inside a run.
TAC_API const void *tac_engine_read_at(tac_engine *engine, int signal, tac_time t_us);

// The next boundary of anything but observers: the next instant at which something discrete can
// happen (steps, wake-ups, deliveries, changes of phases, located events) or a message be sent,
// unless values or messages come from outside before. The call changes nothing and integrates
// nothing. Therefore, in models in which events or conditions are located, the result may be
// earlier than the next boundary:
// - It is not after the end of the present integration step of an island in which something can be
//   located: only that step has been searched.
// - Right after a checkpoint was restored such an island has no step yet, and the result is the
//   microsecond after the present one.
// Nothing happens at such an early instant: advance or run to it, and ask again. In models in which
// nothing is located the result is exact. TAC_TIME_NEVER: the run is over, or it has failed. The
// cost grows with the number of observers' axes and of ends of integration steps before the result,
// not with the size of the model.
TAC_API tac_time tac_engine_next_event(const tac_engine *engine);

// --- values from outside --------------------------------------------------------------------

// Give an input that is declared `from: outside` the value `value`, in the type of the input, from
// t_us on. The instant t_us must be open (see tac_engine_open_time); it becomes a boundary of what
// reads the input. The last write for an instant counts; writes for later instants stay. Until the
// first write the input has its resting value. Bits do not depend on when a write was made, only on
// its instant.
TAC_API TAC_MUST_CHECK tac_status tac_engine_write(tac_engine *engine, int input, tac_time t_us,
                                                   const void *value, tac_error *err);

// --- messages from and to outside -----------------------------------------------------------

#define TAC_SEQUENCE_NEXT UINT64_MAX

typedef struct tac_post_def {
    uint32_t size; // sizeof(tac_post_def)
    tac_time t_us; // when it is delivered; must be open (see tac_engine_open_time)
    const void *bytes;
    size_t length;       // number of bytes, at most max_bytes of the port
    const char *channel; // of the link from outside on which it comes; NULL: without a link
    tac_time sent_us;    // at or before t_us; TAC_TIME_NEVER: at t_us
    uint64_t sequence;   // its number among those of its channel, any; TAC_SEQUENCE_NEXT: one more
                         // than the last that the engine gave, from 0
    uint64_t copy;       // 0, or 1: the second copy of a message, which a law duplicated
} tac_post_def;

static inline tac_post_def tac_post_def_default(void) // no bytes, at 0
{
    tac_post_def def = TAC_ZERO;
    def.size = sizeof def;
    def.sent_us = TAC_TIME_NEVER;
    def.sequence = TAC_SEQUENCE_NEXT;
    return def;
}

// Send a copy of a message to a receiving port. It is delivered at stage 0 of a boundary at t_us,
// in the order of all messages: by delivery time, sender, sequence number, copy. Channels have the
// sender number that their link gives, or come after all senders of the engine, in the order of
// their links; a message without a channel comes last. Bits do not depend on when the message was
// posted. A message with a channel has its place in the port from `sent_us` on, whenever it is
// posted. TAC_E_QUEUE: the port has no room for it, or had none since then.
TAC_API TAC_MUST_CHECK tac_status tac_engine_post(tac_engine *engine, int receiver,
                                                  const tac_post_def *message, tac_error *err);

// A message that was sent on a link that leads outside.
typedef struct tac_sent {
    const char *channel;            // of the link
    const char *port;               // full name of the port
    tac_time sent_us, delivered_us; // now, and after the least delay of the link
    uint64_t sequence;              // of the port
    const void *bytes;              // valid until the function returns
    size_t size;
} tac_sent;

// Called during a run, in the order in which messages are sent.
typedef void tac_sent_fn(void *context, const tac_sent *message);

// Add a callback for every message that is sent on a link that leads outside. There may be any
// number; also on a prepared engine. TAC_E_CALLER in a replay, where most senders do not run; for
// the same reason tac_replay_create refuses an engine that has such a callback.
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_send_watcher(tac_engine *engine, tac_sent_fn *sent,
                                                              void *context, tac_error *err);

// --- going back -----------------------------------------------------------------------------
// Components that keep something outside the engine take part through their `save` and `restore`; a
// component without these is refused by name (TAC_E_UNSAVABLE).

// The whole state of an engine, in memory. It belongs to the caller and may outlive the engine, but
// not the engine's allocator.
typedef struct tac_snapshot tac_snapshot;

// Copy the present state. A NULL `*snapshot` is created, another is overwritten.
TAC_API TAC_MUST_CHECK tac_status tac_engine_take_snapshot(tac_engine *engine,
                                                           tac_snapshot **snapshot, tac_error *err);
// Go on from a snapshot, any number of times: on the engine that it was taken of, however far that
// has run and even if its run has failed, or on another prepared engine of the same model. Values
// and messages that were written and posted since are forgotten, as is a checkpoint that was asked
// for and not written yet. Observers and watchers stay, and see times again that they have seen.
// Refused while a recorder is at work or a recording is replayed.
TAC_API TAC_MUST_CHECK tac_status tac_engine_restore_snapshot(tac_engine *engine,
                                                              const tac_snapshot *snapshot,
                                                              tac_error *err);
TAC_API void tac_snapshot_destroy(tac_snapshot *snapshot);        // NULL is fine
TAC_API tac_time tac_snapshot_time(const tac_snapshot *snapshot); // tac_engine_time when taken
TAC_API size_t tac_snapshot_size(const tac_snapshot *snapshot);   // bytes

// Back to the state of a newly prepared engine, under the same conditions.
TAC_API TAC_MUST_CHECK tac_status tac_engine_reset(tac_engine *engine, tac_error *err);

TAC_END_DECLS
#endif
