// wpl_items.h - the mission as PX4 is to load it: a QGC WPL 110 file without its row of planned
// home.
//
// A planner writes where the flight was planned from as row 0: a waypoint (16) in frame 0. PX4's
// library takes every row as an item, and refuses a mission that does not take off first.
#ifndef TAC_AUTOPILOT_PX4_WPL_ITEMS_H
#define TAC_AUTOPILOT_PX4_WPL_ITEMS_H

#include "autopilot/px4/copy.h"
#include "base/text.h"

// `path` names the items as long as `*descriptor` is open.
tac_status tac__wpl_items_open(const char *file, int *descriptor, char path[TAC__COPY_PATH],
                               tac_error *err);

// The same for a text. Rows after that of home count one less, so that they begin with 0. Rows that
// are not understood are kept as they are: PX4 decides about them.
void tac__wpl_items(const char *bytes, size_t size, tac__text *out);

#endif
