// views.h - lists of views, for inputs that do not point directly to a signal.
#ifndef TAC_ENGINE_PLAN_VIEWS_H
#define TAC_ENGINE_PLAN_VIEWS_H

#include "bus/view.h"

typedef struct tac__views {
    tac__view *items;
    size_t count;
    size_t live; // the first so many are renewed by tac__views_renew; the rest are held samples of
                 // the plant
} tac__views;

// Renew what steps, hooks and stage 3 see, as of t_us.
static inline void tac__views_renew(const tac__views *views, tac_time t_us)
{
    for (size_t i = 0; i < views->live; i++)
        tac__view_update(&views->items[i], t_us);
}

#endif
