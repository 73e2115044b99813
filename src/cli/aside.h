// aside.h - keeps what others print out of the report: while it is on, standard output is standard
// error. Flight software in a library prints as it likes.
#ifndef TAC_CLI_ASIDE_H
#define TAC_CLI_ASIDE_H

void cli_aside_begin(void);
void cli_aside_end(void); // without begin it does nothing

#endif
