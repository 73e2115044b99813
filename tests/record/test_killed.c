// A program that is killed loses at most two flushes of simulated time, however slow the disk is.
//
// Children record and are killed at odd instants; memory that is shared says how far the simulation
// had come. Writing is made slow by a function of this program that takes the place of write(2).
#define _DEFAULT_SOURCE // MAP_ANONYMOUS, syscall
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tactus/tactus.h>
#include <time.h>
#include <unistd.h>

static atomic_uint slow_us; // a write takes so long

static void nap(unsigned us)
{
    nanosleep(&(struct timespec){us / 1000000, (long)(us % 1000000) * 1000}, NULL);
}

ssize_t write(int fd, const void *bytes, size_t size);
ssize_t write(int fd, const void *bytes, size_t size)
{
    const unsigned us = atomic_load(&slow_us);
    if (us && fd > 2)
        nap(us);
    return syscall(SYS_write, fd, bytes, size);
}

static const char model[] = "duration: 100000 s\n"
                            "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [w]}]}\n"
                            "components:\n"
                            "  w: {type: noise, params: {unit: N}}\n"
                            "  o: {type: oscillator, inputs: {force: w.y}}\n";

typedef struct seen {
    _Atomic(tac_time) t_us;
} seen;

static void note(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    atomic_store(&((seen *)context)->t_us, t_us);
}

static void must(tac_status status)
{
    if (status != TAC_OK)
        _exit(9);
}

static void record(const char *path, tac_time flush_us, bool sync, seen *progress)
{
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_recorder *recorder;
    tac_config_def config_def = tac_config_def_default();
    must(tac_registry_create(NULL, &registry, NULL));
    config_def.registry = registry;
    must(tac_config_parse("model", model, strlen(model), &config_def, &config, NULL));
    const tac_engine_def engine_def = tac_config_engine_def(config);
    must(tac_config_build_unprepared(config, &engine_def, &engine, NULL));
    tac_observer_def observer = tac_observer_def_default();
    observer.period_us = 1000;
    observer.observe = note;
    observer.context = progress;
    must(tac_engine_add_observer(engine, &observer, NULL));
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.config = model;
    def.tier = TAC_TIER_ALL;
    def.flush_us = flush_us;
    def.sync = sync;
    def.replace = true;
    must(tac_recorder_create(&def, engine, &recorder, NULL));
    must(tac_engine_prepare(engine, NULL));
    must(tac_recorder_begin(recorder, NULL));
    must(tac_engine_run(engine, TAC_TIME_NEVER, NULL));
}

// How much one that is killed after so long has lost.
static tac_time lost_us(tac_time flush_us, unsigned write_us, bool sync, unsigned after_us)
{
    const char *path = path_of("killed.mcap");
    seen *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        atomic_store(&slow_us, write_us);
        record(path, flush_us, sync, progress);
        _exit(0);
    }
    while (atomic_load(&progress->t_us) < 4 * flush_us) { // it has begun
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        nap(100);
    }
    nap(after_us);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    const tac_time reached_us = atomic_load(&progress->t_us);
    munmap(progress, sizeof *progress);
    tac_recording *r;
    tac_error err;
    if (tac_recording_open(path, &r, &err) != TAC_OK)
        fail_msg("%s", err.text);
    const tac_recording_info *info = tac_recording_about(r);
    const tac_time kept_us = info->complete_us;
    assert_false(info->finished);
    assert_true(kept_us <= reached_us);
    tac_recording_close(r);
    return reached_us - kept_us;
}

static void at_most_two_flushes(void **state)
{
    (void)state;
    static const unsigned slow[] = {0, 200, 3000};
    const char *wish = getenv("TACTUS_KILLS");
    const unsigned kills = wish ? (unsigned)atoi(wish) : 10;
    unsigned dice = 1;
    for (size_t i = 0; i < 3; i++) {
        for (unsigned k = 0; k < kills; k++) {
            const tac_time flush_us = k % 2 ? 20000 : 200000;
            dice = dice * 1103515245 + 12345;
            const tac_time lost =
                lost_us(flush_us, slow[i], k % 5 == 4, dice / 65536 % (k % 3 ? 5000 : 50000));
            if (lost > 2 * flush_us)
                fail_msg("writes of %u us: %llu us lost, flush is %llu us", slow[i],
                         (unsigned long long)lost, (unsigned long long)flush_us);
        }
    }
}

TEST_MAIN(cmocka_unit_test(at_most_two_flushes))
