// address.h - where a server listens and what a client dials, as text.
//
//     tcp://HOST:PORT     TCP. HOST is a name, an IPv4 address, or an IPv6 address in brackets.
//                         Port 0 means any free one, for a server.
//     HOST:PORT           the same
//     unix://PATH         a Unix socket, on this host
//     shm://PATH          shared memory on this host; PATH is a Unix socket at which both sides
//     meet
#ifndef TAC_FEDERATION_ADDRESS_H
#define TAC_FEDERATION_ADDRESS_H

#include "base/error.h"

#include <stdbool.h>

// X(name, word)
#define TAC__TRANSPORT_TABLE(X)                                                                    \
    X(TCP, "tcp")                                                                                  \
    X(UNIX, "unix")                                                                                \
    X(SHM, "shm")

typedef enum tac__transport {
#define TAC__TRANSPORT_ENUM(name, word) TAC__TRANSPORT_##name,
    TAC__TRANSPORT_TABLE(TAC__TRANSPORT_ENUM)
#undef TAC__TRANSPORT_ENUM
} tac__transport;

enum {
    TAC__HOST_TEXT = 256,    // a name has at most 253 characters
    TAC__PATH_TEXT = 108,    // sun_path of Linux, with the NUL
    TAC__ADDRESS_TEXT = 280, // "tcp://", brackets, host and port
};

typedef struct tac__address {
    tac__transport transport;
    char text[TAC__ADDRESS_TEXT]; // the whole, in the one form that is printed
    char host[TAC__HOST_TEXT];    // tcp; an IPv6 address without its brackets
    uint16_t port;                // tcp
    char path[TAC__PATH_TEXT];    // unix, shm
} tac__address;

// Fails with TAC_E_SYNTAX, or with TAC_E_LIMIT where a path is too long for a socket.
tac_status tac__address_parse(const char *text, tac__address *address, tac_error *err);

// True where nobody outside this host can be at the other end: unix, shm, 127.0.0.0/8, ::1, and the
// name "localhost", which is never looked up but means 127.0.0.1 or else ::1. Any other name or
// address may lead elsewhere.
bool tac__address_is_local(const tac__address *address);

#endif
