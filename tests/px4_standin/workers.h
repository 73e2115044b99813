// workers.h - the threads of work queues that the real library has beside its steps, and its text.
//
// The threads wait from `create` on. `destroy` asks them to end and does not wait for them: for a
// while they still run code of this library, so a process that unmaps it by then crashes.
#ifndef PX4_STANDIN_WORKERS_H
#define PX4_STANDIN_WORKERS_H

#include <stdbool.h>

bool workers_start(void);
void workers_leave(void);

// A line on standard output, as PX4_INFO and PX4_WARN print it: say("WARN", "navigator", "text").
void say(const char *level, const char *module, const char *text);

#endif
