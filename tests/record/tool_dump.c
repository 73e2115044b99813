// Every value of every signal of a recording as our reader gives it, to be compared with those of
// another one: lines of name, time in us and numbers in hex.
//
//   tool_record_dump FILE
#include "base/error.h"
#include <tactus/record.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits_of(const tac_recorded *s, const tac_sample *sample, uint32_t element)
{
    const char *value = (const char *)sample->values + s->offset;
    uint64_t bits;
    int64_t i64;
    int32_t i32;
    switch (s->type.scalar) {
    case TAC_F64:
        memcpy(&bits, value + 8 * element, 8);
        return bits;
    case TAC_I64:
        memcpy(&i64, value + 8 * element, 8);
        return (uint64_t)i64;
    case TAC_BOOL:
        return (uint64_t)value[element];
    default:
        memcpy(&i32, value + 4 * element, 4);
        return (uint64_t)(int64_t)i32;
    }
}

// Channel by channel, in order of time.
static tac_status dump(tac_recording *r, tac_error *err)
{
    const size_t channels = tac_recording_channel_count(r);
    for (size_t c = 0; c < channels; c++) {
        bool wanted[1024] = {false};
        wanted[c] = true;
        tac_cursor *cursor;
        TAC_TRY(tac_cursor_open(r, wanted, 0, TAC_TIME_NEVER, &cursor, err));
        for (;;) {
            tac_sample sample;
            bool more;
            TAC_TRY(tac_cursor_next(cursor, &sample, &more, err));
            if (!more)
                break;
            for (size_t i = 0; i < tac_recording_signal_count(r); i++) {
                const tac_recorded *s = tac_recording_signal(r, i);
                if (s->channel != c)
                    continue;
                printf("%s %" PRIu64, s->name, sample.t_us);
                for (uint32_t k = 0; k < s->type.count; k++)
                    printf(" %" PRIx64, bits_of(s, &sample, k));
                putchar('\n');
            }
        }
        tac_cursor_close(cursor);
    }
    return TAC_OK;
}

int main(int argc, char **argv)
{
    tac_error err = {0};
    tac_recording *r = NULL;
    tac_status status = argc == 2 ? tac_recording_open(argv[1], &r, &err) : TAC_E_USAGE;
    if (status == TAC_OK)
        status = dump(r, &err);
    if (status != TAC_OK)
        fprintf(stderr, "%s\n", err.text);
    tac_recording_close(r);
    return tac_status_exit_code(status);
}
