// Frames that are changed, left out, repeated or forged, at every place of a conversation, in both
// directions; and memory that runs out at every place. Whatever comes, the federation ends: in
// peace or with an error that has a text. Sanitizers see the rest.
#include "federation/rig.h"
#include "support/allocator.h"

static uint64_t random_state;

static uint64_t draw(uint64_t n)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % n;
}

// --- mutations ----------------------------------------------------------------------------------

enum { LONGEST = 1024 };

typedef struct piece {
    uint8_t bytes[LONGEST];
    size_t length;
} piece;

static void set_size(piece *p)
{
    const size_t n = p->length - TAC__WIRE_HEADER;
    p->bytes[0] = (uint8_t)n;
    p->bytes[1] = (uint8_t)(n >> 8);
    p->bytes[2] = p->bytes[3] = 0;
}

static uint64_t strange_number(void)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       699,
                                       700,
                                       6000,
                                       6001,
                                       UINT64_C(1) << 31,
                                       UINT32_MAX,
                                       TAC_TIME_MAX,
                                       TAC_TIME_MAX + 1,
                                       TAC_TIME_NEVER,
                                       TAC_TIME_NEVER - 1,
                                       UINT64_C(1) << 63};
    return numbers[draw(sizeof numbers / sizeof *numbers)] + (draw(4) ? 0 : draw(2000));
}

static void put_number(piece *p, size_t bytes)
{
    const size_t room = p->length - TAC__WIRE_HEADER;
    if (room < bytes)
        return;
    const uint64_t value = strange_number();
    size_t at = draw(room - bytes + 1);
    if (draw(3))
        at = at / 4 * 4;
    memcpy(p->bytes + TAC__WIRE_HEADER + at, &value, bytes);
}

// A frame of any type with a body that fits it.
static void forge(piece *p)
{
    tac__bytes out;
    tac__bytes_init(&out, NULL);
    const tac__frame_type type = (tac__frame_type)(1 + draw(14));
    const uint64_t word = strange_number();
    const tac__wire_mail mail = {.sent_us = strange_number(),
                                 .sequence = draw(2) ? draw(8) : strange_number(),
                                 .delivered_us = strange_number(),
                                 .channel = (uint32_t)(draw(3) ? draw(3) : strange_number()),
                                 .copy = (uint32_t)draw(3),
                                 .bytes = (const uint8_t *)&word,
                                 .size = (uint32_t)draw(9)};
    const tac__wire_clock clock = {strange_number(), strange_number(), strange_number(), draw(8)};
    switch (type) {
    case TAC__FRAME_SEND_MESSAGE:
    case TAC__FRAME_QUEUED_MESSAGE:
    case TAC__FRAME_DELIVERED_MESSAGE:
        tac__wire_put_mail(&out, type, &mail);
        break;
    case TAC__FRAME_NOTIFY_ADVANCE:
    case TAC__FRAME_POLL_WAIT:
        tac__wire_put_clock(&out, type, &clock);
        break;
    case TAC__FRAME_ABORT:
    case TAC__FRAME_REFUSE:
        tac__wire_put_end(&out, type, "bravo", word, "forged");
        break;
    case TAC__FRAME_AUTHORIZE_ADVANCE:
    case TAC__FRAME_PROMISE_NO_SEND:
    case TAC__FRAME_FINISH:
        tac__wire_put_time(&out, type, word);
        break;
    default: {
        tac__wire w = tac__wire_begin(&out, type);
        for (uint64_t i = draw(6); i; i--)
            tac__wire_u64(&w, strange_number());
        tac__wire_text(&w, "alpha");
        tac__wire_end(&w);
        break;
    }
    }
    p->length = tac__bytes_count(&out);
    memcpy(p->bytes, tac__bytes_front(&out), p->length);
    tac__bytes_fini(&out);
}

enum { KINDS = 12 };

typedef struct attack {
    size_t at; // number of the frame
    unsigned kind;
} attack;

static void mutate(rig *r, rig_node *n, bool up, const uint8_t *frame, size_t length)
{
    const attack *a = r->context;
    piece p = {.length = length};
    assert_true(length <= LONGEST - 64);
    memcpy(p.bytes, frame, length);
    if (r->frames - 1 != a->at) {
        rig_feed(r, n, up, frame, length);
        return;
    }
    switch (a->kind) {
    case 0:
        p.bytes[4] = (uint8_t)draw(18);
        break;
    case 1:
        p.bytes[draw(length)] ^= (uint8_t)(1u << draw(8));
        break;
    case 2: // too short
        p.length = TAC__WIRE_HEADER + draw(length - TAC__WIRE_HEADER + 1);
        set_size(&p);
        break;
    case 3: // too long
        p.length += 1 + draw(16);
        set_size(&p);
        break;
    case 4:
        put_number(&p, 8);
        break;
    case 5:
        put_number(&p, 4);
        break;
    case 6: // twice
        rig_feed(r, n, up, p.bytes, p.length);
        break;
    case 7: // never
        return;
    case 8:
        forge(&p);
        rig_feed(r, n, up, p.bytes, p.length);
        rig_feed(r, n, up, frame, length);
        return;
    case 9:
        forge(&p);
        break;
    case 10: // nonsense
        for (size_t i = 0; i < p.length; i++)
            p.bytes[i] = (uint8_t)draw(256);
        break;
    default: // the connection breaks inside of it
        rig_feed(r, n, up, p.bytes, draw(p.length));
        rig_cut(r, n);
        return;
    }
    rig_feed(r, n, up, p.bytes, p.length);
}

static bool attacked(const attack *a, size_t *frames)
{
    rig r;
    tac_server_def def = rig_def();
    rig_open(&r, def, NULL, NULL);
    r.law = tac_link_law_default();
    r.law.delay = TAC_DELAY_UNIFORM;
    r.law.min_us = 700;
    r.law.max_us = 1500;
    r.law.duplicate = 0.3;
    r.law.loss = 0.1;
    r.post = mutate;
    r.context = (void *)(uintptr_t)a;
    rig_run(&r);
    const bool failed = tac__server_error(r.server, &r.err) != TAC_OK;
    assert_true(!failed || (*r.err.text && r.err.status != TAC_E_MEMORY));
    for (size_t i = 0; i < r.count; i++)
        assert_true(!r.nodes[i].failed || *r.nodes[i].err.text);
    *frames = r.frames;
    rig_close(&r);
    return failed;
}

static void test_every_frame(void **state)
{
    (void)state;
    size_t frames, ended = 0, all = 0;
    assert_false(attacked(&(attack){SIZE_MAX, 0}, &frames));
    assert_true(frames > 80);
    const size_t whole = frames;
    for (size_t at = 0; at < whole; at++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            for (unsigned again = 0; again < (kind == 8 || kind == 9 ? 60 : 6); again++) {
                random_state = 10000 * at + 100 * kind + again;
                ended += attacked(&(attack){at, kind}, &frames);
                all++;
            }
        }
    }
    assert_true(ended > all / 2); // mutations that change nothing prove nothing
}

// --- memory -------------------------------------------------------------------------------------

static tac_status run_in(const tac_allocator *server, const tac_allocator *clients, tac_error *err)
{
    rig r;
    tac_server_def def = rig_def();
    rig_open(&r, def, server, clients);
    r.law = tac_link_law_default();
    r.law.delay = TAC_DELAY_UNIFORM;
    r.law.min_us = 700;
    r.law.max_us = 1500;
    r.law.duplicate = 0.3;
    rig_run(&r);
    const tac_status status = r.server ? tac__server_error(r.server, &r.err) : r.err.status;
    tac_status worst = status;
    for (size_t i = 0; i < r.count; i++) {
        // A client that the server refuses for want of memory is told so.
        if (r.nodes[i].failed && strstr(r.nodes[i].err.text, "memory"))
            worst = TAC_E_MEMORY;
        // Nobody is left behind: the server's failure is everyone's.
        assert_true(status == TAC_OK || r.nodes[i].failed || r.nodes[i].over || !r.nodes[i].open);
    }
    *err = r.err;
    rig_close(&r);
    return worst;
}

static void run_out(bool server, bool for_good)
{
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        a.fail_after = for_good;
        const tac_allocator hook = test_allocator_hook(&a);
        tac_error err;
        const tac_status status = run_in(server ? &hook : NULL, server ? NULL : &hook, &err);
        test_allocator_check_empty(&a);
        if (!a.failed) {
            assert_int_equal(status, TAC_OK);
            assert_true(n > 10);
            return;
        }
        if (status != TAC_E_MEMORY)
            fail_msg("request %llu: %s", (unsigned long long)n, err.text);
    }
}

static void test_memory_of_server(void **state)
{
    (void)state;
    run_out(true, false);
    run_out(true, true);
}

static void test_memory_of_clients(void **state)
{
    (void)state;
    run_out(false, false);
    run_out(false, true);
}

TEST_MAIN(cmocka_unit_test(test_every_frame), cmocka_unit_test(test_memory_of_server),
          cmocka_unit_test(test_memory_of_clients))
