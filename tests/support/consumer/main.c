// main.c - the smallest user of the library: headers and library are of one version.
#include <string.h>
#include <tactus/api.h>
#include <tactus/time.h>

int main(void)
{
    tac_time period_us = 0;
    const tac_status status = tac_period_parse("250 Hz", &period_us, NULL);
    return status == TAC_OK && period_us == 4000 && strcmp(tac_version(), TAC_VERSION) == 0 ? 0 : 1;
}
