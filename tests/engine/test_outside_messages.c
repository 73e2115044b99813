// Messages from and to outside: their order among others, that it never matters when they were
// posted, that they are state, what is refused. examples/embed/messages.c couples two engines.
#include "test_rig.h"

// A cart in a wind that the radio tells of; a beacon of its own beside the messages from outside.
#define MODEL                                                                                      \
    "duration: 1 s\n"                                                                              \
    "scheduler:\n"                                                                                 \
    "  rate_groups: [{name: radio, period: 50 ms, components: [Beacon]}]\n"                        \
    "  synchronization: {default_policy: ZOH}\n"                                                   \
    "plant: {integrator: {kind: rk45}}\n"                                                          \
    "components:\n"                                                                                \
    "  Source: {type: constant, params: {size: 3, unit: m/s, value: [9, 9, 9]}}\n"                 \
    "  Beacon: {type: beacon, params: {size: 3, unit: m/s}, inputs: {u: Source.y}}\n"              \
    "  Radio:  {type: listener, params: {size: 3, unit: m/s, capacity: 40}}\n"                     \
    "  Body:   {type: point_mass, params: {mass: 2 kg, drag: 0.7}, inputs: {wind: Radio.y}}\n"     \
    "links:\n"                                                                                     \
    "  - {from: Beacon.tx, to: Radio.rx, delay: 10 ms}\n"                                          \
    "  - {from: Beacon.tx, to: outside, delay: 3 ms, channel: air}\n"                              \
    "  - {from: outside, to: Radio.rx, channel: north}\n"                                          \
    "  - {from: outside, to: Radio.rx, channel: south}\n"

static void open_model(rig *r)
{
    rig_open(r, MODEL);
}

static int radio(rig *r)
{
    const int port = tac_engine_find_receiver(r->engine, "Radio.rx", &r->err);
    assert_true(port >= 0);
    return port;
}

typedef struct letter {
    tac_time t_us, sent_us;
    const char *channel;
    uint64_t sequence;
    double value[3];
} letter;

static tac_post_def post_of(const letter *l)
{
    tac_post_def p = tac_post_def_default();
    p.t_us = l->t_us;
    p.sent_us = l->sent_us;
    p.channel = l->channel;
    p.sequence = l->sequence;
    p.bytes = l->value;
    p.length = sizeof l->value;
    return p;
}

static void must_post(rig *r, const letter *l)
{
    const tac_post_def p = post_of(l);
    if (tac_engine_post(r->engine, radio(r), &p, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("a message was refused");
    }
}

static uint64_t dice_state;
static uint64_t dice(uint64_t below) // splitmix64
{
    uint64_t z = dice_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

// All before the run, or each at any moment while it is open, in any order: the same bits.
static void test_when(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        dice_state = round;
        letter letters[20];
        const size_t count = 1 + dice(20);
        for (size_t i = 0; i < count; i++) {
            letter *l = &letters[i];
            *l = (letter){.t_us = dice(3) ? dice(1000000) : 10000 * dice(100), .sequence = i};
            l->sent_us = l->t_us - dice(l->t_us + 1);
            l->channel = dice(2) ? "north" : dice(2) ? "south" : NULL;
            for (int k = 0; k < 3; k++)
                l->value[k] = (double)dice(2000) / 100 - 10;
        }
        rig a, b;
        open_model(&a);
        for (size_t i = 0; i < count; i++)
            must_post(&a, &letters[i]);
        rig_run(&a, TAC_TIME_NEVER);
        open_model(&b);
        bool posted[20] = {false};
        for (tac_time now_us = 0, next_us; now_us <= 1000000; now_us = next_us) {
            next_us = now_us + 1 + dice(dice(2) ? 60000 : 5000);
            assert_int_equal(tac_engine_advance(b.engine, now_us, &b.err), TAC_OK);
            for (size_t i = count; i-- > 0;) {
                if (posted[i] || (letters[i].t_us >= next_us && dice(4)))
                    continue;
                must_post(&b, &letters[i]);
                posted[i] = true;
            }
        }
        rig_run(&b, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(a.engine, NULL, NULL) == tac_engine_hash(b.engine, NULL, NULL));
        assert_true(tac_engine_counters(b.engine).messages == count + 20);
        rig_close(&a);
        rig_close(&b);
    }
}

// At one instant: the engine's own senders, then channels as their links stand, then who needs no
// link; of one sender by sequence number. The listener keeps the last.
static void test_order(void **state)
{
    (void)state;
    const letter letters[] = {{60000, 1, NULL, TAC_SEQUENCE_NEXT, {1, 0, 0}},
                              {60000, 2, "south", 7, {2, 0, 0}},
                              {60000, 3, "south", 5, {3, 0, 0}},
                              {60000, 4, "north", 9, {4, 0, 0}}};
    static const double last[] = {9, 4, 2, 1}; // the last heard of so many, in order of senders
    static const int64_t sender[] = {0, 1, 2, 3};
    for (int n = 0; n < 4; n++) {
        rig r;
        open_model(&r);
        for (int i = 0; i < 4; i++) {
            const bool wanted = n == 3 || (n == 2 && i != 0) || (n == 1 && i == 3);
            if (wanted)
                must_post(&r, &letters[i]);
        }
        rig_run(&r, 60000);
        assert_true(((const double *)rig_read(&r, "Radio.y"))[0] == last[n]);
        assert_int_equal(rig_i64(&r, "Radio.sender"), sender[n]);
        rig_close(&r);
    }
}

// A link may give the number, as if its sender were declared before others.
static void test_numbers(void **state)
{
    (void)state;
    rig r;
    const char *const sets[] = {
        "links=[{from: Beacon.tx, to: Radio.rx, delay: 10 ms}, {from: outside, to: Radio.rx, "
        "channel: north, number: 0}, {from: outside, to: Radio.rx, channel: south}]"};
    assert_int_equal(rig_try_sets(&r, MODEL, sets, 1), TAC_OK);
    const letter first = {60000, 1, "north", 0, {4, 0, 0}};
    must_post(&r, &first);
    rig_run(&r, 60000);
    assert_true(((const double *)rig_read(&r, "Radio.y"))[0] == 9); // the beacon is number 1 now
    assert_int_equal(rig_i64(&r, "Radio.sender"), 1);
    static const char *const channels[] = {"north", "south", NULL};
    static const int64_t numbers[] = {0, 2, 3};
    for (int i = 0; i < 3; i++) {
        letter next = first;
        next.t_us = 61000 + 1000 * (tac_time)i;
        next.channel = channels[i];
        must_post(&r, &next);
        rig_run(&r, next.t_us);
        assert_int_equal(rig_i64(&r, "Radio.sender"), numbers[i]);
    }
    rig_close(&r);
}

// --- state --------------------------------------------------------------------------------------

static uint64_t hash_after(const letter *letters, size_t count)
{
    rig r;
    open_model(&r);
    rig_run(&r, 200000);
    for (size_t i = 0; i < count; i++)
        must_post(&r, &letters[i]);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

static void test_hash(void **state)
{
    (void)state;
    const letter a = {300000, 1, "north", 4, {1, 2, 3}}, b = {300000, 1, "south", 4, {1, 2, 3}};
    letter list[] = {a, b}, back[] = {b, a}, other[] = {a, b};
    other[1].value[2] = 4;
    const uint64_t both = hash_after(list, 2);
    assert_true(both != hash_after(list, 1));
    assert_true(both != hash_after(other, 2));
    assert_true(both == hash_after(back, 2));
    other[1] = b;
    other[1].channel = NULL;
    assert_true(both != hash_after(other, 2));
    // The engine remembers which numbers it gave.
    letter given = a, asked = a;
    given.sequence = 0;
    asked.sequence = TAC_SEQUENCE_NEXT;
    assert_true(hash_after(&given, 1) != hash_after(&asked, 1));
}

// Numbers that the engine gives are counted for each channel by itself.
static void test_counted(void **state)
{
    (void)state;
    static const char *const channels[] = {"north", "south", NULL};
    rig r;
    open_model(&r);
    for (int i = 0; i < 3; i++) {
        for (uint64_t n = 0; n < 3; n++) {
            const letter next = {300000, 1, channels[i], TAC_SEQUENCE_NEXT, {1, 2, 3}};
            must_post(&r, &next);
            letter same = next;
            same.sequence = n; // it was given this one
            const tac_post_def p = post_of(&same);
            assert_int_equal(tac_engine_post(r.engine, radio(&r), &p, &r.err), TAC_E_DUPLICATE);
        }
    }
    rig_close(&r);
}

static void test_checkpoint(void **state)
{
    (void)state;
    const char *path = path_of("state.checkpoint");
    rig a, b;
    open_model(&a);
    const letter later = {912345, TAC_TIME_NEVER, NULL, TAC_SEQUENCE_NEXT, {7, 7, 7}};
    letter early = later;
    early.t_us = 100;
    must_post(&a, &early);
    must_post(&a, &later);
    assert_int_equal(tac_engine_checkpoint_at(a.engine, 500000, path, &a.err), TAC_OK);
    rig_run(&a, TAC_TIME_NEVER);
    open_model(&b);
    assert_int_equal(tac_engine_restore(b.engine, path, &b.err), TAC_OK);
    rig_run(&b, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(a.engine, NULL, NULL) == tac_engine_hash(b.engine, NULL, NULL));
    rig_close(&a);
    rig_close(&b);
}

// --- being told ---------------------------------------------------------------------------------

typedef struct told {
    rig *r;
    size_t count;
    char order[64];
} told;

static void hear(told *t, const tac_sent *m, char who)
{
    assert_string_equal(m->channel, "air");
    assert_string_equal(m->port, "Beacon.tx");
    assert_true(m->sent_us == 50000 * t->count && m->delivered_us == m->sent_us + 3000);
    assert_true(m->sequence == t->count && m->size == 24);
    assert_true(((const double *)m->bytes)[2] == 9);
    const letter l = {m->delivered_us + 1, 0, NULL, 0, {0}};
    const tac_post_def p = post_of(&l);
    tac_error err;
    assert_int_equal(tac_engine_post(t->r->engine, 0, &p, &err), TAC_E_CALLER);
    t->order[strlen(t->order)] = who;
}

static void hear_first(void *context, const tac_sent *m)
{
    hear(context, m, 'a');
}

static void hear_second(void *context, const tac_sent *m)
{
    told *t = context;
    hear(t, m, 'b');
    t->count++;
}

static void test_told(void **state)
{
    (void)state;
    rig r;
    open_model(&r);
    told t = {.r = &r};
    assert_int_equal(tac_engine_add_send_watcher(r.engine, hear_first, &t, &r.err), TAC_OK);
    assert_int_equal(tac_engine_add_send_watcher(r.engine, hear_second, &t, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(t.count, 21);
    assert_int_equal(strncmp(t.order, "ababababab", 10), 0);
    rig_close(&r);
}

// --- refused ------------------------------------------------------------------------------------

static void refuse_post(rig *r, int port, const tac_post_def *p, tac_status expected,
                        const char *part)
{
    const uint64_t before = tac_engine_hash(r->engine, NULL, NULL);
    const tac_status status = tac_engine_post(r->engine, port, p, &r->err);
    if (status != expected || !strstr(r->err.text, part)) {
        rig_show(r);
        fail_msg("expected %s and '%s'", tac_status_name(expected), part);
    }
    assert_true(tac_engine_hash(r->engine, NULL, NULL) == before);
}

static void test_refused(void **state)
{
    (void)state;
    rig r;
    open_model(&r);
    const int port = radio(&r);
    const letter l = {100000, 90000, "north", 0, {1, 2, 3}};
    const tac_post_def good = post_of(&l);
    tac_post_def p = good;
    refuse_post(&r, 7, &p, TAC_E_CALLER, "no receiving port 7");
    refuse_post(&r, port, NULL, TAC_E_CALLER, "no message");
    p.channel = "nroth";
    refuse_post(&r, port, &p, TAC_E_NAME, "did you mean 'north'");
    p = good;
    p.length = 25;
    refuse_post(&r, port, &p, TAC_E_RANGE, "takes at most 24");
    p = good;
    p.bytes = NULL;
    refuse_post(&r, port, &p, TAC_E_CALLER, "without bytes");
    p = good;
    p.sent_us = 100001;
    refuse_post(&r, port, &p, TAC_E_RANGE, "after its delivery");
    must_post(&r, &l);
    refuse_post(&r, port, &good, TAC_E_DUPLICATE, "same delivery");
    rig_run(&r, 100000);
    p = good;
    p.sequence = 1;
    refuse_post(&r, port, &p, TAC_E_RANGE, "comes too late");
    for (uint64_t i = 0; i < 38; i++) { // one of the beacon's own is on its way
        p.t_us = 1000000;
        p.sequence = i;
        assert_int_equal(tac_engine_post(r.engine, port, &p, &r.err), TAC_OK);
    }
    p.sequence = 100;
    assert_int_equal(tac_engine_post(r.engine, port, &p, &r.err), TAC_OK);
    p.sequence = 101;
    refuse_post(&r, port, &p, TAC_E_QUEUE, "is full");
    assert_int_equal(tac_engine_find_receiver(r.engine, "Radio.tx", &r.err), -1);
    assert_non_null(strstr(r.err.text, "did you mean 'Radio.rx'"));
    rig_close(&r);
}

static void test_configurations(void **state)
{
    (void)state;
#define LINKS(TEXT)                                                                                \
    "duration: 1 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: g, period: 50 ms, components: [Beacon]}]}\n"                 \
    "components:\n"                                                                                \
    "  Source: {type: constant}\n"                                                                 \
    "  Beacon: {type: beacon, inputs: {u: Source.y}}\n"                                            \
    "  Radio:  {type: listener}\n"                                                                 \
    "links:\n" TEXT
    rig_refused(LINKS("  - {from: Beacon.tx, to: outside}\n"), TAC_E_CONFIG, "'delay' is missing");
    rig_refused(LINKS("  - {from: Beacon.tx, to: Radio.rx}\n"), TAC_E_CONFIG, "'delay' is missing");
    rig_refused(LINKS("  - {from: Becon.tx, to: outside, delay: 1 ms}\n"), TAC_E_NAME,
                "did you mean 'Beacon.tx'");
    rig_refused(LINKS("  - {from: outside, to: Radio.r, channel: c}\n"), TAC_E_NAME,
                "did you mean 'Radio.rx'");
    rig_refused(LINKS("  - {from: outside, to: Radio.rx}\n"), TAC_E_CONFIG, "needs a 'channel'");
    rig_refused(LINKS("  - {from: outside, to: Radio.rx, channel: c, delay: 1 ms}\n"), TAC_E_CONFIG,
                "own time of delivery");
    rig_refused(LINKS("  - {from: outside, to: outside, channel: c}\n"), TAC_E_CONFIG,
                "to outside");
    rig_refused(LINKS("  - {from: Beacon.tx, to: Radio.rx, channel: c, delay: 1 ms}\n"),
                TAC_E_CONFIG, "one end is 'outside'");
    rig_refused(LINKS("  - {from: outside, to: Radio.rx, channel: c}\n"
                      "  - {from: outside, to: '*.rx', channel: c}\n"),
                TAC_E_DUPLICATE, "leads to 'Radio.rx' already");
    rig_refused(LINKS("  - {from: Beacon.tx, to: outside, delay: 1 ms}\n"
                      "  - {from: '*.tx', to: outside, delay: 2 ms}\n"),
                TAC_E_DUPLICATE, "on channel 'Beacon.tx' already");
    rig_refused(LINKS("  - {from: outside, to: Radio.rx, channel: c, number: 1}\n"), TAC_E_RANGE,
                "'Radio.rx' has 1 senders");
    rig_refused(LINKS("  - {from: outside, to: Radio.rx, channel: c, number: 1}\n"
                      "  - {from: outside, to: Radio.rx, channel: d, number: 1}\n"),
                TAC_E_DUPLICATE, "both have number 1");
    rig_refused(LINKS("  - {from: Beacon.tx, to: Radio.rx, delay: 1 ms, number: 1}\n"),
                TAC_E_CONFIG, "'number' is for links from outside");
#undef LINKS
}

TEST_MAIN(cmocka_unit_test(test_when), cmocka_unit_test(test_order), cmocka_unit_test(test_numbers),
          cmocka_unit_test(test_hash), cmocka_unit_test(test_counted),
          cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_told),
          cmocka_unit_test(test_refused), cmocka_unit_test(test_configurations))
