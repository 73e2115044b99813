// redirect.h - redirects standard output to standard error between begin and end: flight software
// in a library may print there, and must not mix with the report.
#ifndef TAC_CLI_REDIRECT_H
#define TAC_CLI_REDIRECT_H

void cli_redirect_begin(void);
void cli_redirect_end(void); // without begin it does nothing

#endif
