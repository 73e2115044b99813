// event.c - finds by bisection, over whole microseconds, when a condition becomes true.
#include "ode/event.h"

tac_time tac__first_true(tac_time a_us, tac_time b_us, tac__holds_fn *holds, void *context)
{
    while (b_us - a_us > 1) {
        const tac_time middle_us = a_us + (b_us - a_us) / 2;
        if (holds(context, middle_us))
            b_us = middle_us;
        else
            a_us = middle_us;
    }
    return b_us;
}
