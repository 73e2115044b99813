// warn.h - the log, and warnings while an engine is set up.
#ifndef TAC_ENGINE_PLAN_WARN_H
#define TAC_ENGINE_PLAN_WARN_H

#include "engine/plan/plan.h"

bool tac__logs_want(const tac__logs *logs, tac_log_level level);
void tac__logs_tell(const tac__logs *logs, const tac_log_entry *entry);
// Warn in the log of what is allowed but looks like a mistake: "FILE:LINE:COLUMN: text [id]". Each
// warning is given once, though every vehicle of a swarm may come from the same line. `id` is a row
// of docs/warnings.md; NULL: none. While setting up only.
TAC_PRINTF(4, 5)
void tac__warn(tac__plan *plan, const char *id, const tac_place *place, const char *format, ...);

// Warn of ids that a connected component accepts, but has no such warning.
struct tac__component;
void tac__warn_of_accepts(tac__plan *plan, const struct tac__component *c);

#endif
