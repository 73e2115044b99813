// lcm_message.c - fuzzes the decoding of messages of LCM: an error with a text, or a message that
// is encoded to the same bytes again.
#include "bus/lcm_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(tac__lcm_message kind, const uint8_t *data, size_t size)
{
    tac_error err;
    tac_error_clear(&err);
    char *message = malloc(size + 1);
    uint8_t *again = malloc(size + 1);
    size_t length;
    if (!message || !again)
        abort();
    const tac_status status = tac__lcm_message_decode(kind, data, size, message, &length, &err);
    if (status == TAC_OK) {
        if (length + TAC__LCM_MESSAGE_EXTRA != size ||
            tac__lcm_message_encode(kind, message, length, again, NULL) != TAC_OK ||
            memcmp(again, data, size) != 0)
            abort();
    } else if (status != TAC_E_FORMAT || !err.text[0] || length != 0) {
        abort();
    }
    free(message);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(TAC__LCM_NUMBERS, data, size);
    check(TAC__LCM_BYTES, data, size);
    return 0;
}
