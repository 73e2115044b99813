// docs/federation-protocol.md: its table of frames, its limits, and every byte of the exchange at
// its end are those of the code.
#include "federation/client.h"
#include "federation/server.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *document; // as a whole; NULL: an installed tree has none

static int read_document(void **state)
{
    (void)state;
    char path[1024];
    const char *source = getenv("TACTUS_SOURCE");
    snprintf(path, sizeof path, "%s/docs/federation-protocol.md", source ? source : ".");
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    document = calloc(1, 1 << 20);
    assert_non_null(document);
    assert_true(fread(document, 1, (1 << 20) - 1, f) > 1000);
    fclose(f);
    return 0;
}

static int forget_document(void **state)
{
    (void)state;
    free(document);
    return 0;
}

static const char *section(const char *title)
{
    if (!document)
        skip();
    const char *at = strstr(document, title);
    if (!at)
        fail_msg("the document has no section '%s'", title);
    return at;
}

// --- tables -------------------------------------------------------------------------------------

static void test_frames(void **state)
{
    (void)state;
    static const char *const sides[] = {[TAC__FRAME_FROM_CLIENT] = "client",
                                        [TAC__FRAME_FROM_SERVER] = "server",
                                        [TAC__FRAME_FROM_BOTH] = "both"};
    const char *at = section("\n| number | frame | from | meaning |\n");
    at = strstr(at + 1, "\n| 1 |");
    assert_non_null(at);
#define ROW(name, number, from)                                                                    \
    {                                                                                              \
        char row[128];                                                                             \
        const int n = snprintf(row, sizeof row, "\n| %d | %s | %s |", number, #name,               \
                               sides[TAC__FRAME_FROM_##from]);                                     \
        if (strncmp(at, row, (size_t)n) != 0)                                                      \
            fail_msg("the document has no row%s where it belongs", row);                           \
        at = strchr(at + 1, '\n');                                                                 \
        snprintf(row, sizeof row, "\n| %s | ", #name);                                             \
        if (!strstr(section("\n| frame | body |\n"), row))                                         \
            fail_msg("the document has no body of %s", #name);                                     \
    }
    TAC__FRAME_TABLE(ROW)
#undef ROW
    if (strncmp(at, "\n\n", 2) != 0)
        fail_msg("the document has more frames than there are: %.40s", at);
}

// A number as people write it.
static void says(const char *at, const char *what, unsigned long number)
{
    char row[160], digits[32];
    if (number < 10000)
        snprintf(digits, sizeof digits, number < 1000 ? "%lu" : "%lu,%03lu",
                 number < 1000 ? number : number / 1000, number % 1000);
    else
        snprintf(digits, sizeof digits, "%lu,%03lu,%03lu", number / 1000000, number / 1000 % 1000,
                 number % 1000);
    snprintf(row, sizeof row, "| %s | %s", what, digits);
    if (!strstr(at, row))
        fail_msg("the document does not say '%s'", row);
}

static void test_limits(void **state)
{
    (void)state;
    const char *at = section("\n## Limits\n");
    says(at, "body of a frame", TAC__WIRE_FRAME_MAX);
    says(at, "message", TAC__WIRE_MESSAGE_MAX);
    says(at, "name of a client, channel, inlet, type or program", TAC__WIRE_NAME_MAX);
    says(at, "`why` of ABORT and REFUSE", TAC_ERROR_TEXT - 1);
    char text[64];
    snprintf(text, sizeof text, "This is version %d.", (int)TAC__WIRE_VERSION);
    (void)section(text);
    snprintf(text, sizeof text, "u32 0x%08lx", (unsigned long)TAC__WIRE_MAGIC);
    (void)section(text);
}

// --- the exchange -------------------------------------------------------------------------------

enum { CLIENTS = 2, FRAMES = 64, LONGEST = 256, END_US = 10000 };

typedef struct step {
    char title[64]; // "radar > HELLO"
    uint8_t bytes[LONGEST];
    size_t length;
} step;

static step written[FRAMES], played[FRAMES];
static size_t written_count, played_count;

static const char *const names[CLIENTS] = {"radar", "tower"};
static tac__client *clients[CLIENTS];
static tac__server *server;
static uint64_t now_ms;

// The exchange of the document: a line "radar > HELLO" begins a frame; bytes in hexadecimal follow,
// two or fewer spaces apart, on lines that may end with a comment.
static void read_exchange(void)
{
    const char *at = section("\n## An exchange\n");
    written_count = 0;
    for (at = strchr(at + 1, '\n'); at && strncmp(at, "\n## ", 4) != 0; at = strchr(at + 1, '\n')) {
        const char *line = at + 1;
        if (strncmp(line, "    ", 4) != 0)
            continue;
        const size_t title = strcspn(line + 4, "\n");
        if (line[4] != ' ') {
            assert_true(written_count < FRAMES && title < sizeof written->title);
            memcpy(written[written_count].title, line + 4, title);
            written[written_count++].length = 0;
            continue;
        }
        step *s = &written[written_count - 1];
        assert_true(written_count > 0);
        line += strspn(line, " ");
        for (unsigned byte; sscanf(line, "%2x", &byte) == 1;) {
            assert_true(s->length < LONGEST);
            s->bytes[s->length++] = (uint8_t)byte;
            line += 2;
            const size_t gap = strspn(line, " ");
            if (!gap || gap > 2)
                break;
            line += gap;
        }
    }
}

static void note(size_t client, char direction, const uint8_t *bytes, size_t count)
{
    while (count) {
        tac__frame f;
        size_t length;
        tac_error err;
        assert_int_equal(tac__frame_next(bytes, count, TAC__FRAME_FROM_BOTH, &f, &length, &err),
                         TAC_OK);
        assert_true(length && length <= LONGEST && played_count < FRAMES);
        step *s = &played[played_count++];
        snprintf(s->title, sizeof s->title, "%s %c %s", names[client], direction,
                 tac__frame_name(f.type));
        memcpy(s->bytes, bytes, length);
        s->length = length;
        bytes += length;
        count -= length;
    }
}

// Bytes of a client, to the server. HELLO names the program that speaks: here "example".
static void up(size_t i)
{
    tac__bytes *out = tac__client_output(clients[i]);
    uint8_t bytes[4096];
    size_t n = tac__bytes_count(out);
    assert_true(n <= sizeof bytes);
    memcpy(bytes, tac__bytes_front(out), n);
    tac__bytes_take(out, n);
    if (bytes[4] == TAC__FRAME_HELLO) {
        static const char ours[] = "tactus " TAC_VERSION, example[] = "example";
        uint8_t *at = bytes + 18 + strlen(names[i]);
        assert_memory_equal(at + 2, ours, strlen(ours));
        at[0] = (uint8_t)strlen(example);
        memcpy(at + 2, example, strlen(example));
        uint8_t *rest = at + 2 + strlen(example);
        memmove(rest, at + 2 + strlen(ours), (size_t)(bytes + n - (at + 2 + strlen(ours))));
        n = n + strlen(example) - strlen(ours);
        bytes[0] = (uint8_t)(n - TAC__WIRE_HEADER);
    }
    note(i, '>', bytes, n);
    tac__server_input(server, (int)i, bytes, n);
}

static void down(void)
{
    tac__server_turn(server, ++now_ms);
    for (size_t i = 0; i < CLIENTS; i++) {
        tac__bytes *out = tac__server_output(server, (int)i);
        const size_t n = tac__bytes_count(out);
        tac_error err;
        note(i, '<', tac__bytes_front(out), n);
        assert_int_equal(tac__client_input(clients[i], tac__bytes_front(out), n, &err), TAC_OK);
        tac__bytes_take(out, n);
    }
}

static void must(tac_status status, const tac_error *err)
{
    if (status != TAC_OK)
        fail_msg("%s", err->text);
}

static void set_up_exchange(void)
{
    tac_error err;
    tac_server_def def = tac_server_def_default();
    def.names = names;
    def.count = CLIENTS;
    def.seed = 7;
    def.end_us = END_US;
    def.delay_us = 5000;
    must(tac__server_create(NULL, &def, &server, &err), &err);
    tac__server_advance_to(server, END_US + 1);
    uint32_t number;
    tac_channel_def order = tac_channel_def_default();
    order.channel = "ORDER";
    for (size_t i = 0; i < CLIENTS; i++) {
        must(tac__client_create(NULL, names[i], &clients[i], &err), &err);
        assert_int_equal(tac__server_connect(server), (int)i);
    }
    must(tac__client_subscribe(clients[0], &order, &number, &err), &err);
    must(tac__client_publish(clients[1], &order, &number, &err), &err);
}

static void play(void)
{
    tac__client *radar = clients[0], *tower = clients[1];
    tac_error err;
    tac_delivery d;
    for (size_t i = 0; i < CLIENTS; i++) {
        must(tac__client_join(clients[i], &err), &err);
        up(i);
        down();
    }
    must(tac__client_send(tower, 0, 0, TAC_TIME_NEVER, 0, "hi", 2, &err), &err);
    must(tac__client_poll(tower, 0, 6000, &err), &err);
    must(tac__client_poll(radar, 0, TAC_TIME_NEVER, &err), &err);
    up(1);
    up(0);
    down();
    must(tac__client_poll(radar, END_US, TAC_TIME_NEVER, &err), &err); // authorised already
    assert_true(tac__client_receive(radar, END_US, &d) && d.delivered_us == 5000);
    assert_false(tac__client_receive(radar, END_US, &d));
    must(tac__client_poll(radar, 2 * END_US, TAC_TIME_NEVER, &err), &err);
    must(tac__client_send(tower, 0, 6000, TAC_TIME_NEVER, 1, "go", 2, &err), &err);
    must(tac__client_poll(tower, 2 * END_US, TAC_TIME_NEVER, &err), &err);
    up(0);
    up(1);
    down();
    tac__server_finish(server);
    down();
    must(tac__client_result(radar, "radar.heard", UINT64_C(0x0123456789abcdef), &err), &err);
    for (size_t i = 0; i < CLIENTS; i++) {
        must(tac__client_finish(clients[i], &err), &err);
        up(i);
    }
    down();
    assert_int_equal(tac__server_state_of(server), TAC__SERVER_ENDED);
    tac__server_destroy(server);
    for (size_t i = 0; i < CLIENTS; i++)
        tac__client_destroy(clients[i]);
}

static void print(const step *s)
{
    fprintf(stderr, "%s\n ", s->title);
    for (size_t i = 0; i < s->length; i++)
        fprintf(stderr, " %02x", s->bytes[i]);
    fprintf(stderr, "\n");
}

static void test_exchange(void **state)
{
    (void)state;
    read_exchange();
    set_up_exchange();
    play();
    for (size_t i = 0; i < written_count || i < played_count; i++) {
        const step *w = &written[i], *p = &played[i];
        if (i < written_count && i < played_count && !strcmp(w->title, p->title) &&
            w->length == p->length && !memcmp(w->bytes, p->bytes, p->length))
            continue;
        fprintf(stderr, "the document has\n");
        print(w);
        fprintf(stderr, "the code gives\n");
        print(p);
        fail_msg("frame %zu of %zu differs", i + 1, played_count);
    }
    assert_true(played_count > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_exchange)};
    return cmocka_run_group_tests(tests, read_document, forget_document);
}
