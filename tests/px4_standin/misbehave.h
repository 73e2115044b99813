// misbehave.h - what a test orders through the environment. It is read at the first call into the
// library, once for each copy that is loaded:
//
//   PX4_STANDIN_ABI=2                     another version of the ABI
//   PX4_STANDIN_SIZES=0,0,40              other sizes of the structs
//   PX4_STANDIN_HASH=TOPIC[,TOPIC]        another message hash
//   PX4_STANDIN_SIZE=TOPIC[,TOPIC]        a message 8 bytes longer
//   PX4_STANDIN_FAIL=FUNCTION:CODE[:NTH]  fails, each time or only at the nth call; [,...]
//   PX4_STANDIN_HANG=FUNCTION[:NTH]       does not return; [,...]
//   PX4_STANDIN_CONTROLLER=off            modules publish as usual but compute nothing
//   PX4_STANDIN_VALID_AFTER_US=N          from loading a mission to mission_result.valid
//
// A function is named without px4_lockstep_. An order that cannot be understood ends the process.
#ifndef PX4_STANDIN_MISBEHAVE_H
#define PX4_STANDIN_MISBEHAVE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct orders {
    uint32_t abi;
    uint32_t sizes[3]; // in, out, configuration
    bool controller;
    uint64_t valid_after_us;
} orders;

const orders *orders_get(void);

bool orders_hash(const char *topic); // is to be wrong
bool orders_size(const char *topic);

// Call of an exported function: hangs, or gives the code to fail with, or 0.
int orders_enter(const char *function);

_Noreturn void hang(void);

#endif
