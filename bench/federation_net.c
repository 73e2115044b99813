// What it takes to pass 64 bytes between processes, by transport: there and back between two that
// are pinned to a core each, and rounds in which a server hears all its clients and answers all.
#define _GNU_SOURCE // sched_setaffinity
#include "bench.h"
#include "federation/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 64, ROUNDS = 3000, BURSTS = 4, MOST = 8 };

static void fail(const char *text)
{
    fprintf(stderr, "bench: %s\n", text);
    _exit(1);
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof set, &set) != 0)
        fail("cannot be pinned to a core");
}

static void send_64(tac__conn *c, tac__poller *p)
{
    static const char bytes[BYTES];
    tac_error err;
    for (size_t sent = 0, done; sent < BYTES; sent += done) {
        const tac__io io = tac__conn_write(c, bytes + sent, BYTES - sent, &done, &err);
        if (io > TAC__IO_BLOCKED)
            fail(err.text);
        // At first, until shared memory is there.
        if (io == TAC__IO_BLOCKED && tac__poller_wait(p, 100, &err) != TAC_OK)
            fail(err.text);
    }
}

static size_t receive(tac__conn *c)
{
    char bytes[BYTES];
    size_t done;
    tac_error err;
    if (tac__conn_read(c, bytes, BYTES, &done, &err) > TAC__IO_BLOCKED)
        fail(err.text);
    return done;
}

typedef struct setting {
    const char *address;
    int clients;
    int server_cpu, client_cpu; // -1: any
} setting;

static void be_client(const setting *s, const tac__address *at)
{
    tac_error err;
    tac__conn *c;
    tac__poller *p;
    pin(s->client_cpu);
    if (tac__conn_dial(at, 5000000, tac_allocator_default(), &c, &err) != TAC_OK ||
        tac__poller_open(tac_allocator_default(), &p, &err) != TAC_OK ||
        tac__poller_add(p, c, c, &err) != TAC_OK)
        fail(err.text);
    for (int round = 0; round < ROUNDS; round++) {
        send_64(c, p);
        for (size_t got = 0; got < BYTES;) {
            tac__ready r;
            if (tac__poller_wait(p, UINT64_MAX, &err) != TAC_OK)
                fail(err.text);
            while (tac__poller_next(p, &r))
                got += receive(c);
        }
    }
    tac__conn_close(c);
    tac__poller_close(p);
    _exit(0);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median of the time between two answers of the server, in us.
static double burst(const setting *s)
{
    static double took_s[ROUNDS];
    tac_error err;
    tac__address a;
    tac__listener *l;
    tac__poller *p;
    tac__ready r;
    tac__conn *conns[MOST] = {0};
    if (tac__address_parse(s->address, &a, &err) != TAC_OK ||
        tac__listener_open(&a, tac_allocator_default(), &l, &err) != TAC_OK ||
        tac__poller_open(tac_allocator_default(), &p, &err) != TAC_OK ||
        tac__poller_add_listener(p, l, NULL, &err) != TAC_OK)
        fail(err.text);
    for (int i = 0; i < s->clients; i++) {
        if (fork() == 0)
            be_client(s, tac__listener_address(l));
    }
    pin(s->server_cpu);
    for (int n = 0; n < s->clients;) {
        if (tac__poller_wait(p, UINT64_MAX, &err) != TAC_OK)
            fail(err.text);
        while (tac__poller_next(p, &r))
            ;
        if (tac__listener_accept(l, &conns[n], &err) != TAC_OK)
            fail(err.text);
        n += conns[n] != NULL;
    }
    tac__poller_remove_listener(p, l);
    for (int i = 0; i < s->clients; i++) {
        if (tac__poller_add(p, conns[i], &conns[i], &err) != TAC_OK)
            fail(err.text);
    }
    double last_s = bench_now_s();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t got = 0; got < BYTES * (size_t)s->clients;) {
            if (tac__poller_wait(p, UINT64_MAX, &err) != TAC_OK)
                fail(err.text);
            while (tac__poller_next(p, &r))
                got += receive(*(tac__conn **)r.tag);
        }
        for (int i = 0; i < s->clients; i++)
            send_64(conns[i], p);
        const double now_s = bench_now_s();
        took_s[round] = now_s - last_s;
        last_s = now_s;
    }
    for (int i = 0; i < s->clients; i++) {
        int status;
        if (wait(&status) < 0 || status != 0)
            fail("a client failed");
    }
    for (int i = 0; i < s->clients; i++)
        tac__conn_close(conns[i]);
    tac__listener_close(l);
    tac__poller_close(p);
    qsort(took_s, ROUNDS, sizeof *took_s, compare);
    return 1e6 * took_s[ROUNDS / 2];
}

// The same between two processes with plain sockets that wait in recv.
static double plain_burst(const setting *s)
{
    static double took_s[ROUNDS];
    struct sockaddr_in name = {.sin_family = AF_INET};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof name;
    const int door = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (door < 0 || bind(door, (struct sockaddr *)&name, sizeof name) != 0 ||
        listen(door, 1) != 0 || getsockname(door, (struct sockaddr *)&name, &length) != 0)
        fail("a plain socket");
    const pid_t client = fork();
    pin(client == 0 ? s->client_cpu : s->server_cpu);
    int fd;
    if (client == 0) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&name, sizeof name) != 0)
            fail("a plain socket");
    } else {
        fd = accept(door, NULL, NULL);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char bytes[BYTES] = {0};
    double last_s = bench_now_s();
    for (int round = 0; round < ROUNDS; round++) {
        if ((client == 0 && send(fd, bytes, BYTES, 0) != BYTES) ||
            recv(fd, bytes, BYTES, MSG_WAITALL) != BYTES ||
            (client != 0 && send(fd, bytes, BYTES, 0) != BYTES))
            fail("a plain socket");
        const double now_s = bench_now_s();
        took_s[round] = now_s - last_s;
        last_s = now_s;
    }
    if (client == 0)
        _exit(0);
    int status;
    if (wait(&status) < 0 || status != 0)
        fail("a client failed");
    close(fd);
    close(door);
    qsort(took_s, ROUNDS, sizeof *took_s, compare);
    return 1e6 * took_s[ROUNDS / 2];
}

static void measure(const char *name, double (*run)(const setting *s), const setting *s,
                    const char *limit, const char *note)
{
    double best_us = 1e300;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    for (int i = 0; i < BURSTS; i++) {
        const double us = run(s);
        best_us = us < best_us ? us : best_us;
        sched_setaffinity(0, sizeof before, &before);
    }
    bench_report(name, best_us, "us", limit, note);
}

int main(void)
{
    // The first two processors that this process may use.
    cpu_set_t set;
    int cpu[2], n = 0;
    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++) {
        if (CPU_ISSET((unsigned)i, &set))
            cpu[n++] = i;
    }
    char unix_text[64], shm_text[64];
    snprintf(unix_text, sizeof unix_text, "unix:///tmp/tactus_bench_%ld", (long)getpid());
    snprintf(shm_text, sizeof shm_text, "shm:///tmp/tactus_bench_%ld", (long)getpid());
    const struct {
        const char *name, *address;
    } transports[] = {
        {"TCP", "127.0.0.1:0"}, {"Unix socket", unix_text}, {"shared memory", shm_text}};
    if (n == 2)
        measure("plain TCP, 64 bytes there and back, two cores", plain_burst,
                &(setting){NULL, 1, cpu[0], cpu[1]}, "", "a median, best of bursts");
    measure("plain TCP, 64 bytes there and back, one core", plain_burst,
            &(setting){NULL, 1, cpu[0], cpu[0]}, "", "");
    for (size_t i = 0; i < 3; i++) {
        char name[80];
        const char *at = transports[i].address;
        if (n == 2) {
            snprintf(name, sizeof name, "%s, 64 bytes there and back, two cores",
                     transports[i].name);
            measure(name, burst, &(setting){at, 1, cpu[0], cpu[1]}, "", "");
        }
        snprintf(name, sizeof name, "%s, 64 bytes there and back, one core", transports[i].name);
        measure(name, burst, &(setting){at, 1, cpu[0], cpu[0]}, "", "");
        snprintf(name, sizeof name, "%s, a round of a server and 2 clients", transports[i].name);
        measure(name, burst, &(setting){at, 2, -1, -1}, i == 2 && n == 2 ? "<= 10" : "",
                "each sends 64 bytes, all are heard, all are answered");
        snprintf(name, sizeof name, "%s, a round of a server and 8 clients", transports[i].name);
        measure(name, burst, &(setting){at, 8, -1, -1}, "", "");
    }
    return 0;
}
