// time.c - fuzzes the reading of times and periods: whatever is read must survive being printed.
#include <stdlib.h>
#include <string.h>
#include <tactus/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';

    tac_error err;
    tac_time t_us, again_us;
    if (tac_time_parse(text, &t_us, &err) == TAC_OK) {
        char printed[TAC_TIME_TEXT];
        tac_time_print(t_us, printed);
        if (t_us > TAC_TIME_MAX || tac_time_parse(printed, &again_us, NULL) != TAC_OK ||
            again_us != t_us)
            abort();
    }
    if (tac_period_parse(text, &t_us, &err) == TAC_OK && (t_us == 0 || t_us > TAC_TIME_MAX))
        abort();
    return 0;
}
