// A ring of processes: each steps 1 ms and sends one message of 64 bytes a step to the next. Time a
// round beside the round trip of 64 bytes over TCP between two processes, in the same run.
#define _GNU_SOURCE // sched_setaffinity
#include "bench.h"
#include <tactus/tactus.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_US = 1000, MESSAGE = 64, CLIENTS_MAX = 64, REPEATS = 5 };

static void need(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    _exit(1);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

// --- a ping-pong over TCP -----------------------------------------------------------------------

// The k-th processor that this process may use, from the first again after the last.
static void pin(int k)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    k %= CPU_COUNT(&all);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && k-- == 0)
            CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
}

static void exchange(int fd, bool first, int rounds)
{
    char bytes[MESSAGE] = {0};
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 2; k++) {
            const bool writes = first == (k == 0);
            size_t done = 0;
            while (done < MESSAGE) {
                const ssize_t n = writes ? write(fd, bytes + done, MESSAGE - done)
                                         : read(fd, bytes + done, MESSAGE - done);
                if (n <= 0)
                    _exit(1);
                done += (size_t)n;
            }
        }
    }
}

static double ping_pong_us(int rounds)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&at, &size))
        return -1;
    const pid_t pid = fork();
    if (!pid) {
        pin(1);
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&at, sizeof at))
            _exit(1);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        exchange(fd, false, 2 * rounds);
        _exit(0);
    }
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    const int fd = accept(listener, NULL, NULL);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pin(0);
    exchange(fd, true, rounds);
    const double start = bench_now_s();
    exchange(fd, true, rounds);
    const double took = bench_now_s() - start;
    sched_setaffinity(0, sizeof before, &before);
    close(fd);
    close(listener);
    waitpid(pid, NULL, 0);
    return 1e6 * took / rounds;
}

// --- a ring -------------------------------------------------------------------------------------

static void be_node(int i, int count, const char *address)
{
    char name[16], channel[16], other[16];
    snprintf(name, sizeof name, "n%d", i);
    snprintf(channel, sizeof channel, "from%d", i);
    snprintf(other, sizeof other, "from%d", (i + count - 1) % count);
    tac_error err;
    tac_client *client;
    tac_client_def def = tac_client_def_default();
    def.name = name;
    def.address = address;
    need(tac_client_create(&def, &client, &err), &err);
    tac_channel_def out = tac_channel_def_default(), in = out;
    uint32_t number;
    out.channel = channel;
    in.channel = other;
    need(tac_client_publish(client, &out, &number, &err), &err);
    need(tac_client_subscribe(client, &in, &number, &err), &err);
    need(tac_client_join(client, &err), &err);
    char bytes[MESSAGE] = {0};
    bool over = false;
    for (tac_time t_us = 0;; t_us += STEP_US) {
        need(tac_client_poll(client, t_us, t_us, &over, &err), &err);
        if (over)
            break;
        tac_delivery d;
        while (tac_client_receive(client, &d))
            bytes[0] = (char)(bytes[0] + *(const char *)d.bytes + 1);
        need(tac_client_send(client, 0, t_us, bytes, sizeof bytes, &err), &err);
    }
    need(tac_client_finish(client, &err), &err);
    tac_client_destroy(client);
    _exit(0);
}

static double ring_us(const char *transport, int count, int delay_steps, int steps, double *at_once)
{
    char texts[CLIENTS_MAX][16], address[64] = "127.0.0.1:0";
    const char *names[CLIENTS_MAX];
    for (int i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "n%d", i);
        names[i] = texts[i];
    }
    if (strcmp(transport, "tcp") != 0)
        snprintf(address, sizeof address, "%s:///tmp/tactus_ring_%d", transport, (int)getpid());
    tac_server_def def = tac_server_def_default();
    def.address = address;
    def.names = names;
    def.count = (size_t)count;
    def.end_us = (tac_time)steps * STEP_US;
    def.delay_us = (tac_time)delay_steps * STEP_US;
    tac_error err;
    tac_server *server;
    need(tac_server_create(&def, &server, &err), &err);
    pid_t pids[CLIENTS_MAX];
    for (int i = 0; i < count; i++) {
        pids[i] = fork();
        if (!pids[i])
            be_node(i, count, tac_server_address(server));
    }
    need(tac_server_finish(server, &err), &err);
    const tac_dispatch_info info = tac_server_info(server);
    if (at_once)
        *at_once = (double)info.busy / (double)info.busy_turns;
    tac_server_destroy(server);
    for (int i = 0; i < count; i++)
        waitpid(pids[i], NULL, 0);
    return 1e6 * info.wall_s / steps;
}

static double ring_median_us(const char *transport, int count, int delay_steps, int steps)
{
    double values[REPEATS];
    for (int i = 0; i < REPEATS; i++)
        values[i] = ring_us(transport, count, delay_steps, steps, NULL);
    return median(values, REPEATS);
}

// The same ring beside two processes that compute without end, as other runs on the machine do: who
// waits must sleep, or gives a processor away for as long as a busy process keeps it.
static void compare_busy(const char *transport)
{
    enum { BUSY = 2, STEPS = 2000 };
    double quiet[REPEATS], busy[REPEATS];
    pid_t pids[BUSY];
    for (int i = 0; i < REPEATS; i++) {
        quiet[i] = ring_us(transport, 8, 1, STEPS, NULL);
        for (int k = 0; k < BUSY; k++) {
            pids[k] = fork();
            while (!pids[k])
                continue;
        }
        busy[i] = ring_us(transport, 8, 1, STEPS, NULL);
        for (int k = 0; k < BUSY; k++) {
            kill(pids[k], SIGKILL);
            waitpid(pids[k], NULL, 0);
        }
    }
    const double quiet_us = median(quiet, REPEATS), busy_us = median(busy, REPEATS);
    char title[96], note[96];
    snprintf(title, sizeof title, "ring of 8, %s, beside two busy processes / quiet", transport);
    snprintf(note, sizeof note, "%.4g us a round, %.3g alone", busy_us, quiet_us);
    bench_report(title, busy_us / quiet_us, "x", "<= 8", note);
}

// How much more a process costs in a ring of 64 than in one of 8: both in turns, as the machine is
// busier at some times than at others.
static void compare_sizes(void)
{
    double few[REPEATS], many[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        few[i] = ring_us("tcp", 8, 1, 2000, NULL);
        many[i] = ring_us("tcp", 64, 1, 2000, NULL);
    }
    const double few_us = median(few, REPEATS), many_us = median(many, REPEATS);
    char note[96];
    snprintf(note, sizeof note, "%.4g us a round, %.3g in the ring of 8", many_us, few_us);
    bench_report("ring of 64 / ring of 8, a process", many_us / few_us / 8, "x", "<= 1", note);
}

int main(void)
{
    double trips[REPEATS];
    for (int i = 0; i < REPEATS; i++)
        trips[i] = ping_pong_us(2000);
    const double trip_us = median(trips, REPEATS);
    bench_report("a round trip of 64 bytes over TCP", trip_us, "us", "", "across cores");
    double at_once;
    (void)ring_us("tcp", 8, 1, 200, &at_once);
    const double eight_us = ring_median_us("tcp", 8, 1, 2000);
    const double limit_us = 2 * trip_us > 8 * 12 ? 2 * trip_us : 8 * 12;
    char note[96];
    snprintf(note, sizeof note, "%.3g us a round; %.2g of 8 at work at once", eight_us, at_once);
    bench_report("ring of 8, TCP / its limit", eight_us / limit_us, "x", "<= 1", note);
    const double ten_us = ring_median_us("tcp", 8, 10, 5000);
    snprintf(note, sizeof note, "%.3g us a round", ten_us);
    bench_report("ring of 8, delay of ten steps / one", ten_us / eight_us, "x", "<= 0.45", note);
    bench_report("ring of 2, shared memory", ring_median_us("shm", 2, 1, 5000), "us", "<= 10", "");
    compare_busy("tcp");
    compare_busy("unix");
    compare_busy("shm");
    compare_sizes();
    return 0;
}
