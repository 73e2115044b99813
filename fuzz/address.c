// address.c - fuzzes the reading of addresses: what is read must print as a text that reads back as
// the same.
#include "federation/address.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';

    tac_error err;
    tac__address a, again;
    if (tac__address_parse(text, &a, &err) != TAC_OK)
        return 0;
    if (tac__address_parse(a.text, &again, &err) != TAC_OK || memcmp(&a, &again, sizeof a) != 0 ||
        tac__address_is_local(&a) != tac__address_is_local(&again))
        abort();
    return 0;
}
