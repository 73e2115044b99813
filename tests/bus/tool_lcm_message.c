// For lcm_message.py: the types of messages, and a message in hexadecimal digits.
//
//   tool_bus_lcm_message types
//   tool_bus_lcm_message numbers 1.5 -2 ...
//   tool_bus_lcm_message bytes TEXT
#include "bus/lcm_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_types(void)
{
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__text_add(&text, "package tactus;\n");
    tac__lcm_message_struct(TAC__LCM_NUMBERS, &text);
    tac__lcm_message_struct(TAC__LCM_BYTES, &text);
    fputs(text.chars, stdout);
    tac__text_fini(&text);
    return 0;
}

int main(int argc, char **argv)
{
    double numbers[64];
    uint8_t bytes[1024];
    if (argc == 2 && !strcmp(argv[1], "types"))
        return write_types();
    if (argc < 2 || argc > 66)
        return 2;
    const bool text = !strcmp(argv[1], "bytes");
    const size_t count = text ? strlen(argv[2]) : 8 * (size_t)(argc - 2);
    for (int i = 2; i < argc && !text; i++)
        numbers[i - 2] = strtod(argv[i], NULL);
    if (tac__lcm_message_encode(text ? TAC__LCM_BYTES : TAC__LCM_NUMBERS,
                                text ? (const void *)argv[2] : numbers, count, bytes,
                                NULL) != TAC_OK)
        return 1;
    for (size_t i = 0; i < count + TAC__LCM_MESSAGE_EXTRA; i++)
        printf("%02x", bytes[i]);
    puts("");
    return 0;
}
