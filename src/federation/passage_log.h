// passage_log.h - an event log of LCM with every message that passes through a server, in the order
// of simulated time: the same bytes in every run, whatever the transport and however fast clients
// are.
//
// A message that was received has the time at which it was sent, one that was delivered the time of
// its delivery. At one time: first what was received, then what was delivered; each in the order
// (sender's number, order in which the sender handed them over, recipient's number, copy). Each
// message comes behind its envelope.
#ifndef TAC_FEDERATION_PASSAGE_LOG_H
#define TAC_FEDERATION_PASSAGE_LOG_H

#include "federation/passage.h"

typedef struct tac__passage_log tac__passage_log;

// Without `replace` a file that exists is an error.
TAC_MUST_CHECK tac_status tac__passage_log_open(const char *path, bool replace,
                                                tac__passage_log **log, tac_error *err);
void tac__passage_log_add(tac__passage_log *log, const tac_passage *passage);
// Nothing before `t_us` will be added: what lies before then is written.
void tac__passage_log_settle(tac__passage_log *log, tac_time t_us);
// Writes the rest; tells of the first failure since the log was opened. NULL is fine.
TAC_MUST_CHECK tac_status tac__passage_log_close(tac__passage_log *log, tac_error *err);

#endif
