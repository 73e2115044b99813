// socket.c - what listeners and connections share: names of sockets, options, whose the peer is.
#define _GNU_SOURCE // struct ucred
#include "federation/conn.h"
#include "base/print.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// A connection on which nothing is sent is probed after IDLE_S; one whose host answers no probe is
// gone after 15 s. RETRIES: see tac__socket_is_dead.
enum { IDLE_S = 6, INTERVAL_S = 3, PROBES = 3, RETRIES = 3 };

_Static_assert(sizeof((struct sockaddr_un *)NULL)->sun_path == TAC__PATH_TEXT, "sun_path");

uint64_t tac__clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int tac__socket_open(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void tac__socket_set_waiting(int fd)
{
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

static void set(int fd, int level, int option, int value)
{
    // An option that this system lacks costs time or notice of a dead host, but nothing else.
    (void)setsockopt(fd, level, option, &value, sizeof value);
}

void tac__socket_tune(int fd)
{
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, INTERVAL_S);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
}

// TCP itself gives up after a quarter of an hour where it has sent something. TCP_USER_TIMEOUT
// would shorten that, but also ends a connection whose peer is well and has not read for so long,
// which a federation must bear.
bool tac__socket_is_dead(int fd, uint32_t silence_ms)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= sizeof info &&
           info.tcpi_last_ack_recv >= silence_ms &&
           (info.tcpi_retransmits >= RETRIES || info.tcpi_probes >= RETRIES);
}

socklen_t tac__socket_path(const char *path, struct sockaddr_storage *name)
{
    memset(name, 0, sizeof *name);
    struct sockaddr_un *local = (struct sockaddr_un *)name;
    local->sun_family = AF_UNIX;
    const size_t length = strlen(path);
    memcpy(local->sun_path, path, length + 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}

void tac__socket_text(const struct sockaddr_storage *name, tac__address *address)
{
    *address = (tac__address){.transport = TAC__TRANSPORT_TCP};
    if (name->ss_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)name;
        inet_ntop(AF_INET6, &ip6->sin6_addr, address->host, sizeof address->host);
        if (ip6->sin6_scope_id) {
            const size_t used = strlen(address->host);
            tac__print(address->host + used, sizeof address->host - used, "%%%u",
                       (unsigned)ip6->sin6_scope_id);
        }
        address->port = ntohs(ip6->sin6_port);
    } else {
        const struct sockaddr_in *ip4 = (const struct sockaddr_in *)name;
        inet_ntop(AF_INET, &ip4->sin_addr, address->host, sizeof address->host);
        address->port = ntohs(ip4->sin_port);
    }
    const bool ip6 = name->ss_family == AF_INET6;
    tac__print(address->text, sizeof address->text, "tcp://%s%s%s:%u", ip6 ? "[" : "",
               address->host, ip6 ? "]" : "", (unsigned)address->port);
}

tac_status tac__socket_check_user(int fd, const char *address, pid_t *process, tac_error *err)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return tac__fail(err, TAC_E_NETWORK, "%s: cannot tell whose the other process is: %s",
                         address, tac__errno_text(errno));
    *process = peer.pid;
    if (peer.uid != geteuid())
        return tac__fail(
            err, TAC_E_NETWORK, "%s: the other process (%ld) is of user %lu, this one of user %lu",
            address, (long)peer.pid, (unsigned long)peer.uid, (unsigned long)geteuid());
    return TAC_OK;
}

// --- names of hosts ------------------------------------------------------------------------------

static void add_candidate(tac__candidates *found, const void *name, socklen_t length)
{
    if (found->count == TAC__CANDIDATES || length > sizeof *found->name)
        return;
    memcpy(&found->name[found->count], name, length);
    found->length[found->count++] = length;
}

static const char *resolver_text(int code)
{
    switch (code) {
    case EAI_NONAME:
        return "there is no such host";
    case EAI_AGAIN:
        return "the name server does not answer";
    case EAI_FAIL:
        return "the name server failed";
    case EAI_MEMORY:
        return "out of memory";
    case EAI_FAMILY:
        return "no address of a kind that this host has";
    case EAI_SYSTEM:
        return tac__errno_text(errno);
    default:
        return "it cannot be looked up";
    }
}

tac_status tac__socket_resolve(const tac__address *address, tac__candidates *found, bool *later,
                               tac_error *err)
{
    *found = (tac__candidates){0};
    *later = false;
    // Of what is local, only the name "localhost" begins with a letter.
    if (tac__address_is_local(address) && tac__is_letter(address->host[0])) {
        struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_port = htons(address->port)};
        ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        add_candidate(found, &ip4, sizeof ip4);
        struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_port = htons(address->port)};
        ip6.sin6_addr = in6addr_loopback;
        add_candidate(found, &ip6, sizeof ip6);
        return TAC_OK;
    }
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    char port[8];
    tac__print(port, sizeof port, "%u", (unsigned)address->port);
    struct addrinfo *list = NULL;
    const int code = getaddrinfo(address->host, port, &hints, &list);
    if (code != 0) {
        *later = code == EAI_AGAIN;
        return tac__fail(err, TAC_E_NETWORK, "%s: host '%s': %s", address->text, address->host,
                         resolver_text(code));
    }
    for (const struct addrinfo *a = list; a; a = a->ai_next)
        add_candidate(found, a->ai_addr, a->ai_addrlen);
    freeaddrinfo(list);
    return found->count ? TAC_OK
                        : tac__fail(err, TAC_E_NETWORK, "%s: host '%s' has no address",
                                    address->text, address->host);
}
