// Instructions that putting a message into a recording takes, counted under callgrind by bench/run.
//
// With --list it prints what to count, one line each: name, function, calls, limit, note.
#include "record/mcap/mcap.h"

#include <stdio.h>
#include <string.h>

enum { CALLS = 10000, PAYLOAD = 100 };

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("a message\ttac__mcap_message\t%d\t<= 60\tinto an open chunk, which grows\n", CALLS);
        return 0;
    }
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.chunk_size = (size_t)4 << 20; // nothing is handed over on the way
    def.compression = TAC__COMPRESS_NONE;
    tac__mcap_writer *w;
    if (tac__mcap_create("/dev/null", &def, &w, NULL) != TAC_OK)
        return 1;
    const uint16_t channel = tac__mcap_channel(w, 0, "/a", "cdr", NULL, 0);
    for (uint64_t i = 0; i < CALLS; i++)
        memset(tac__mcap_message(w, channel, i, PAYLOAD), 0, PAYLOAD);
    return tac__mcap_finish(w, NULL) == TAC_OK ? 0 : 1;
}
