// wire.h - the frames of the federation protocol: docs/federation-protocol.md says the same for
// readers of other languages.
//
// A frame is 8 bytes of header (length of the body, type, three zeros) and a body. All numbers are
// little-endian; times are microseconds of simulated time, TAC_TIME_NEVER is "never". A text is its
// length in two bytes and UTF-8 without a zero byte.
#ifndef TAC_FEDERATION_WIRE_H
#define TAC_FEDERATION_WIRE_H

#include "base/error.h"
#include "federation/bytes.h"

enum {
    TAC__WIRE_VERSION = 1,
    TAC__WIRE_HEADER = 8,
    TAC__WIRE_NAME_MAX = 255,        // bytes in a name of a client, channel, inlet or type
    TAC__WIRE_MESSAGE_MAX = 1 << 24, // bytes in one message, unless the server allows fewer
    TAC__WIRE_FRAME_MAX = TAC__WIRE_MESSAGE_MAX + 256, // bytes in a body
};
#define TAC__WIRE_MAGIC        UINT32_C(0x46434154) // "TACF"
#define TAC__WIRE_SEQUENCE_MAX (UINT64_MAX - 1) // number of a message: the next one has a number

// X(name, number, who sends it)
#define TAC__FRAME_TABLE(X)                                                                        \
    X(HELLO, 1, CLIENT)                                                                            \
    X(WELCOME, 2, SERVER)                                                                          \
    X(REFUSE, 3, SERVER)                                                                           \
    X(START, 4, SERVER)                                                                            \
    X(SEND_MESSAGE, 5, CLIENT)                                                                     \
    X(QUEUED_MESSAGE, 6, CLIENT)                                                                   \
    X(DELIVERED_MESSAGE, 7, SERVER)                                                                \
    X(AUTHORIZE_ADVANCE, 8, SERVER)                                                                \
    X(PROMISE_NO_SEND, 9, CLIENT)                                                                  \
    X(NOTIFY_ADVANCE, 10, CLIENT)                                                                  \
    X(POLL_WAIT, 11, CLIENT)                                                                       \
    X(RESULT, 12, CLIENT)                                                                          \
    X(FINISH, 13, BOTH)                                                                            \
    X(ABORT, 14, BOTH)

enum { TAC__FRAME_FROM_CLIENT = 1, TAC__FRAME_FROM_SERVER = 2, TAC__FRAME_FROM_BOTH = 3 };

typedef enum tac__frame_type {
#define TAC__FRAME_ENUM(name, number, from) TAC__FRAME_##name = number,
    TAC__FRAME_TABLE(TAC__FRAME_ENUM)
#undef TAC__FRAME_ENUM
} tac__frame_type;

const char *tac__frame_name(tac__frame_type type); // "POLL_WAIT"; "" if there is no such type

// --- reading ------------------------------------------------------------------------------------

typedef struct tac__frame {
    tac__frame_type type;
    const uint8_t *body, *end; // what has not been read yet
    bool bad;                  // something was read that is not there, or was not as it must be
} tac__frame;

// The frame at the front of `bytes`, if all of it is there: then `*length` is its length with the
// header, else 0. TAC_E_PROTOCOL: no frame of one who `from` allows.
TAC_MUST_CHECK tac_status tac__frame_next(const uint8_t *bytes, size_t count, int from,
                                          tac__frame *frame, size_t *length, tac_error *err);

uint16_t tac__frame_u16(tac__frame *frame);
uint32_t tac__frame_u32(tac__frame *frame);
uint64_t tac__frame_u64(tac__frame *frame);
// A text, copied; NULL where it is none, or longer than `size` - 1.
const char *tac__frame_text(tac__frame *frame, char *text, size_t size);
// Make one line of a text that another process chose: a line end is shown as \n, other control
// characters as \x1b, so that nobody writes lines of its own into errors and logs of others. `size`
// is that of the buffer; what does not fit is cut.
void tac__wire_one_line(char *text, size_t size);
// The bytes of a message: their number, and a pointer into the frame.
const uint8_t *tac__frame_bytes(tac__frame *frame, uint32_t *size);
// Whether everything was read and was as it must be. TAC_E_PROTOCOL otherwise.
TAC_MUST_CHECK tac_status tac__frame_end(const tac__frame *frame, tac_error *err);

// --- writing ------------------------------------------------------------------------------------

// Begin a frame: fields follow, then tac__wire_end. The mark is where the frame begins.
typedef struct tac__wire {
    tac__bytes *bytes;
    size_t mark; // bytes in the queue before the frame
} tac__wire;

tac__wire tac__wire_begin(tac__bytes *bytes, tac__frame_type type);
void tac__wire_u16(tac__wire *wire, uint16_t value);
void tac__wire_u32(tac__wire *wire, uint32_t value);
void tac__wire_u64(tac__wire *wire, uint64_t value);
void tac__wire_text(tac__wire *wire, const char *text); // cut to 65535 bytes
void tac__wire_message(tac__wire *wire, const void *bytes, uint32_t size);
void tac__wire_end(tac__wire *wire);

// --- bodies that both sides read and write ------------------------------------------------------

// SEND_MESSAGE, QUEUED_MESSAGE and DELIVERED_MESSAGE.
typedef struct tac__wire_mail {
    tac_time sent_us;      // the sender's time when it was handed over
    uint64_t sequence;     // among the messages of its channel
    tac_time delivered_us; // not in SEND_MESSAGE
    uint32_t channel;      // number in HELLO; in DELIVERED_MESSAGE the number of the link in START
    uint32_t copy;         // in DELIVERED_MESSAGE alone: 1 for the second copy
    const uint8_t *bytes;
    uint32_t size;
} tac__wire_mail;

void tac__wire_put_mail(tac__bytes *bytes, tac__frame_type type, const tac__wire_mail *mail);
tac__wire_mail tac__frame_mail(tac__frame *frame);

// NOTIFY_ADVANCE and POLL_WAIT.
typedef struct tac__wire_clock {
    tac_time t_us;       // reached: everything before it has been processed
    tac_time promise_us; // nothing will be sent before it, whatever arrives
    tac_time next_us;    // nothing will be sent before it, unless something arrives
    uint64_t received;   // number of DELIVERED_MESSAGE frames that next_us takes into account
} tac__wire_clock;

void tac__wire_put_clock(tac__bytes *bytes, tac__frame_type type, const tac__wire_clock *clock);
tac__wire_clock tac__frame_clock(tac__frame *frame);

// AUTHORIZE_ADVANCE and PROMISE_NO_SEND: one time.
void tac__wire_put_time(tac__bytes *bytes, tac__frame_type type, tac_time t_us);

// ABORT and REFUSE: who ended it, at what time, and why.
void tac__wire_put_end(tac__bytes *bytes, tac__frame_type type, const char *who, tac_time t_us,
                       const char *why);

// A time as text, exactly, among the arguments of a call: it is printed only if that call is made.
typedef struct tac__time_shown {
    char text[TAC_TIME_TEXT];
} tac__time_shown;

static inline tac__time_shown tac__show_time(tac_time t_us)
{
    tac__time_shown shown;
    tac_time_print(t_us, shown.text);
    return shown;
}

#define TAC__SHOWN(t_us) (tac__show_time(t_us).text)

#endif
