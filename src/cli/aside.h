// aside.h - flight software in a library prints to standard output as it likes. Between begin and
// end such output goes to standard error, so that it does not mix with the report.
#ifndef TAC_CLI_ASIDE_H
#define TAC_CLI_ASIDE_H

void cli_aside_begin(void);
void cli_aside_end(void); // without begin it does nothing

#endif
