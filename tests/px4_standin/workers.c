// workers.c - see workers.h.
#define _GNU_SOURCE
#include "workers.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

// C++ gives the real library a unique symbol: whichever copy is loaded first defines it for all
// others, and is never unmapped. Later copies are.
__asm__(".pushsection .data\n"
        ".globl px4_standin_unique\n"
        ".type px4_standin_unique, %gnu_unique_object\n"
        ".size px4_standin_unique, 4\n"
        "px4_standin_unique: .long 0\n"
        ".popsection\n");
extern int px4_standin_unique;
int *const px4_standin_needs_unique = &px4_standin_unique;

enum { WORKERS = 2, ON_THE_WAY_OUT_MS = 30 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static bool leaving;

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!leaving)
        pthread_cond_wait(&asked, &lock);
    pthread_mutex_unlock(&lock);
    const long end = milliseconds() + ON_THE_WAY_OUT_MS;
    while (milliseconds() < end)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return NULL;
}

bool workers_start(void)
{
    static const char *const names[WORKERS] = {"wq:manager", "wq:rate_ctrl"};
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return false;
        pthread_setname_np(thread, names[i]);
        pthread_detach(thread);
    }
    return true;
}

void workers_leave(void)
{
    pthread_mutex_lock(&lock);
    leaving = true;
    pthread_cond_broadcast(&asked);
    pthread_mutex_unlock(&lock);
}

void say(const char *level, const char *module, const char *text)
{
    printf("%-5s [%s] %s\n", level, module, text);
}
