// Messages: order, delays, triggers, limits, digests.
#include "test_rig.h"

// --- a talker that says what it is told, a hearer that remembers ---------------------------------

enum { HEARD_MAX = 4096 };
static struct heard {
    const char *who;
    tac_time t_us, sent_us, delivered_us;
    uint32_t sender, due;
    uint64_t sequence;
    char text[64];
    size_t size;
} heard[HEARD_MAX];
static size_t heard_count, hearer_steps;

typedef struct talker {
    const char *text;
    int64_t burst, size;
    int port;
} talker;

// Sends `burst` messages a step: its text and a running number.
static tac_status talker_declare(tac_declare *d, void *self)
{
    talker *c = self;
    c->text = tac_param_text(d, TAC_PARAM(.name = "text", .fallback = ""));
    c->burst = tac_param_int(d, TAC_PARAM(.name = "burst", .fallback = "1"));
    c->size = tac_param_int(d, TAC_PARAM(.name = "size", .fallback = "-1"));
    c->port = tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    tac_declare_state(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status talker_step(tac_step *s, const void *self)
{
    const talker *c = self;
    for (int64_t i = 0; i < c->burst; i++) {
        char text[300] = {0};
        snprintf(text, sizeof text, "%s%lld", c->text, (long long)(*TAC_STATE(s, int64_t, 0))++);
        const size_t size = c->size < 0 ? strlen(text) : (size_t)c->size;
        const tac_status status = tac_send(s, c->port, size ? text : NULL, size);
        if (status != TAC_OK)
            return status;
    }
    return TAC_OK;
}

static const tac_component_type talker_type = {.size = sizeof(tac_component_type),
                                               .name = "talker",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .self_size = sizeof(talker),
                                               .declare = talker_declare,
                                               .kernels[TAC_NUMBERS].step = talker_step};

typedef struct hearer {
    const char *name;
    int port, sender;
    bool relay;
    int64_t take;
} hearer;

static tac_status hearer_declare(tac_declare *d, void *self)
{
    hearer *c = self;
    c->name = tac_declare_name(d);
    const int64_t capacity = tac_param_int(d, TAC_PARAM(.name = "capacity", .fallback = "16"));
    const int64_t longest = tac_param_int(d, TAC_PARAM(.name = "longest", .fallback = "63"));
    c->take = tac_param_int(d, TAC_PARAM(.name = "take", .fallback = "1000"));
    c->relay = tac_param_bool(d, TAC_PARAM(.name = "relay", .fallback = "false"));
    const bool triggers = tac_param_bool(d, TAC_PARAM(.name = "triggers", .fallback = "true"));
    c->port =
        tac_declare_receiver(d, TAC_MESSAGE(.name = "rx", .capacity = (uint32_t)capacity,
                                            .max_bytes = (uint32_t)longest, .triggers = triggers));
    c->sender = tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status hearer_step(tac_step *s, const void *self)
{
    const hearer *c = self;
    hearer_steps++;
    tac_message m;
    for (int64_t i = 0; i < c->take && tac_receive(s, c->port, &m); i++) {
        ++*TAC_OUT(s, int64_t, 0);
        struct heard *h = &heard[heard_count++ % HEARD_MAX];
        *h = (struct heard){c->name,  s->t_us, m.sent_us,  m.delivered_us,
                            m.sender, s->due,  m.sequence, .size = m.size};
        memcpy(h->text, m.bytes, m.size < 63 ? m.size : 63);
        if (c->relay) {
            const tac_status status = tac_send(s, c->sender, h->text, m.size);
            if (status != TAC_OK)
                return status;
        }
    }
    return TAC_OK;
}

static const tac_component_type hearer_type = {.size = sizeof(tac_component_type),
                                               .name = "hearer",
                                               .version = "1",
                                               .stage = TAC_STAGE_ESTIMATE,
                                               .self_size = sizeof(hearer),
                                               .declare = hearer_declare,
                                               .kernels[TAC_NUMBERS].step = hearer_step};

static int setup(void **state)
{
    (void)state;
    rig_types[0] = &talker_type;
    rig_types[1] = &hearer_type;
    heard_count = hearer_steps = 0;
    return 0;
}

static void open_fresh(rig *r, const char *text)
{
    heard_count = hearer_steps = 0;
    rig_open(r, text);
}

// --- order --------------------------------------------------------------------------------------

// All arrive at one instant, by links of different delay: by sender, then by sequence, whatever the
// order of sending.
static void test_order_is_delivery_sender_sequence(void **state)
{
    (void)state;
    rig r;
    open_fresh(&r, "duration: 20 ms\n"
                   "scheduler:\n"
                   "  rate_groups:\n"
                   "    - {name: g3, times: [3 ms], components: [a]}\n"
                   "    - {name: g2, times: [2 ms], components: [b]}\n"
                   "    - {name: g1, times: [1 ms], components: [c]}\n"
                   "components:\n"
                   "  a: {type: talker, params: {text: a, burst: 3}}\n"
                   "  b: {type: talker, params: {text: b, burst: 2}}\n"
                   "  c: {type: talker, params: {text: c, burst: 3}}\n"
                   "  h: {type: hearer}\n"
                   "links:\n"
                   "  - {from: c.tx, to: h.rx, delay: 4 ms}\n"
                   "  - {from: b.tx, to: h.rx, delay: 3 ms}\n"
                   "  - {from: a.tx, to: h.rx, delay: 2 ms}\n");
    rig_run(&r, TAC_TIME_NEVER);
    static const char *const texts[] = {"a0", "a1", "a2", "b0", "b1", "c0", "c1", "c2"};
    static const uint32_t senders[] = {0, 0, 0, 1, 1, 2, 2, 2};
    assert_int_equal(heard_count, 8);
    assert_int_equal(hearer_steps, 1);
    for (size_t i = 0; i < 8; i++) {
        assert_string_equal(heard[i].text, texts[i]);
        assert_int_equal(heard[i].sender, senders[i]);
        assert_int_equal(heard[i].sequence, texts[i][1] - '0');
        assert_int_equal(heard[i].t_us, 5000);
        assert_int_equal(heard[i].delivered_us, 5000);
        assert_int_equal(heard[i].sent_us, texts[i][0] == 'a'   ? 3000
                                           : texts[i][0] == 'b' ? 2000
                                                                : 1000);
        assert_int_equal(heard[i].due, TAC_DUE_MESSAGE);
    }
    assert_int_equal(tac_engine_counters(r.engine).messages, 8);
    rig_close(&r);
}

// Many senders with many delays: what is heard is sorted, and nothing is lost.
static void test_many_senders(void **state)
{
    (void)state;
    static char text[16384];
    size_t n = 0;
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "duration: 100 ms\nscheduler:\n  rate_groups:\n");
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "    - {name: g%d, period: %d us, components: [t%d]}\n", i,
                              1700 + 331 * i, i);
    n += (size_t)snprintf(text + n, sizeof text - n, "components:\n");
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  t%d: {type: talker, params: {text: 'x', burst: %d}}\n", i,
                              1 + i % 3);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "  h: {type: hearer, params: {capacity: 500}}\nlinks:\n");
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  - {from: t%d.tx, to: h.rx, delay: %d us}\n", i,
                              20000 - 997 * i + 1);
    rig r;
    open_fresh(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    size_t expected = 0;
    for (int i = 0; i < 20; i++) {
        const int last = 100000 - (20000 - 997 * i + 1); // of the sends that arrive in time
        expected += (size_t)((last / (1700 + 331 * i) + 1) * (1 + i % 3));
    }
    assert_int_equal(heard_count, expected);
    uint64_t next[20] = {0};
    for (size_t i = 0; i < heard_count; i++) {
        const struct heard *h = &heard[i];
        assert_int_equal(h->t_us, h->delivered_us);
        assert_int_equal(h->delivered_us - h->sent_us, 20000 - 997 * h->sender + 1);
        assert_int_equal(h->sequence, next[h->sender]++);
        if (i == 0)
            continue;
        const struct heard *b = h - 1;
        assert_true(
            b->delivered_us < h->delivered_us ||
            (b->delivered_us == h->delivered_us &&
             (b->sender < h->sender || (b->sender == h->sender && b->sequence < h->sequence))));
    }
    assert_int_equal(rig_i64(&r, "h.n"), heard_count);
    rig_close(&r);
}

// --- triggers -----------------------------------------------------------------------------------

static void test_without_trigger_messages_wait(void **state)
{
    (void)state;
    rig r;
    open_fresh(&r, "duration: 20 ms\n"
                   "scheduler:\n"
                   "  rate_groups:\n"
                   "    - {name: a, period: 2 ms, components: [t]}\n"
                   "    - {name: b, period: 5 ms, components: [h]}\n"
                   "components:\n"
                   "  t: {type: talker}\n"
                   "  h: {type: hearer, params: {triggers: false}}\n"
                   "links: [{from: t.tx, to: h.rx, delay: 500 us}]\n");
    rig_run(&r, TAC_TIME_NEVER);
    // Sent at 0, 2, 4, ...; delivered at 0.5, 2.5, 4.5, ...; heard at 0, 5, 10, 15, 20.
    assert_int_equal(hearer_steps, 5);
    assert_int_equal(heard_count, 10);
    for (size_t i = 0; i < heard_count; i++) {
        assert_int_equal(heard[i].delivered_us, 2000 * i + 500);
        assert_int_equal(heard[i].t_us, (2000 * i + 500 + 4999) / 5000 * 5000);
        assert_int_equal(heard[i].due, TAC_DUE_AXIS);
    }
    rig_close(&r);
}

// A delivery on the hearer's own axis is one step with two reasons.
static void test_due_flags_combine(void **state)
{
    (void)state;
    rig r;
    open_fresh(&r, "duration: 10 ms\n"
                   "scheduler:\n"
                   "  rate_groups:\n"
                   "    - {name: a, times: [1 ms, 2 ms], components: [t]}\n"
                   "    - {name: b, period: 5 ms, components: [h]}\n"
                   "components:\n"
                   "  t: {type: talker}\n"
                   "  h: {type: hearer}\n"
                   "links: [{from: t.tx, to: h.rx, delay: 4 ms}]\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(hearer_steps, 4); // 0, 5, 6, 10
    assert_int_equal(heard_count, 2);
    assert_int_equal(heard[0].due, TAC_DUE_AXIS | TAC_DUE_MESSAGE);
    assert_int_equal(heard[1].t_us, 6000);
    assert_int_equal(heard[1].due, TAC_DUE_MESSAGE);
    rig_close(&r);
}

// What is not taken at once stays, in order, behind it what comes later.
static void test_messages_not_taken_stay(void **state)
{
    (void)state;
    rig r;
    open_fresh(&r, "duration: 9 ms\n"
                   "scheduler:\n"
                   "  rate_groups:\n"
                   "    - {name: a, times: [0, 3 ms], components: [t]}\n"
                   "    - {name: b, period: 1 ms, components: [h]}\n"
                   "components:\n"
                   "  t: {type: talker, params: {burst: 3}}\n"
                   "  h: {type: hearer, params: {take: 1, capacity: 6}}\n"
                   "links: [{from: t.tx, to: h.rx, delay: 1 us}]\n");
    rig_run(&r, TAC_TIME_NEVER);
    // Steps at 0, 1 us, 1, 2, 3 ms, 3 ms + 1 us, 4, ...
    assert_int_equal(heard_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(heard[i].sequence, i);
        assert_int_equal(heard[i].delivered_us, i < 3 ? 1 : 3001);
    }
    assert_int_equal(heard[2].t_us, 2000);
    assert_int_equal(heard[3].t_us, 3001);
    rig_close(&r);
}

// --- limits -------------------------------------------------------------------------------------

static void test_full_queue_is_an_error(void **state)
{
    (void)state;
    static const char text[] = "duration: 20 ms\n"
                               "scheduler: {rate_groups: [{name: g, period: 1 ms, components: "
                               "[t]}]}\n"
                               "components:\n"
                               "  t: {type: talker}\n"
                               "  h: {type: hearer, params: {capacity: %d}}\n"
                               "links: [{from: t.tx, to: h.rx, delay: 5 ms}]\n";
    char full[1024];
    // Sent at 0 .. 4 ms: five are on their way when the sixth is sent at 5 ms, after the first was
    // delivered and taken (stage 0 and 4 come before control).
    snprintf(full, sizeof full, text, 5);
    rig r;
    open_fresh(&r, full);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(heard_count, 16);
    rig_close(&r);
    snprintf(full, sizeof full, text, 4);
    open_fresh(&r, full);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_QUEUE);
    assert_string_equal(r.err.text, "queue of 'h.rx' is full: 4 messages wait or are on their way");
    assert_string_equal(r.err.component, "t");
    assert_int_equal(r.err.t_us, 4000);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_CALLER);
    rig_close(&r);
}

static void test_message_too_long(void **state)
{
    (void)state;
    static const char text[] = "duration: 2 ms\n"
                               "scheduler: {rate_groups: [{name: g, times: [1 ms], components: "
                               "[t]}]}\n"
                               "components:\n"
                               "  t: {type: talker, params: {size: %d}}\n"
                               "  h: {type: hearer, params: {longest: 8}}\n"
                               "links: [{from: t.tx, to: h.rx, delay: 1 ms}]\n";
    char full[1024];
    snprintf(full, sizeof full, text, 9);
    rig_refused(full, TAC_E_COMPONENT, "sends 9 bytes to 'h.rx', which takes at most 8");
    for (int size = 0; size <= 8; size++) {
        rig r;
        snprintf(full, sizeof full, text, size);
        open_fresh(&r, full);
        rig_run(&r, TAC_TIME_NEVER);
        assert_int_equal(heard_count, 1);
        assert_int_equal(heard[0].size, size);
        rig_close(&r);
    }
}

// --- links --------------------------------------------------------------------------------------

static void test_patterns_never_link_to_itself(void **state)
{
    (void)state;
    rig r;
    open_fresh(&r, "duration: 10 ms\n"
                   "scheduler: {rate_groups: [{name: g, times: [0], components: [t]}]}\n"
                   "components: {t: {type: talker, params: {text: t}}}\n"
                   "entities:\n"
                   "  uav: {count: 3, components: {radio: {type: hearer, params: {relay: true}}}}\n"
                   "links:\n"
                   "  - {from: t.tx, to: uav1.radio.rx, delay: 1 ms}\n"
                   "  - {from: 'uav*.radio.tx', to: 'uav*.radio.rx', delay: 2 ms}\n");
    rig_run(&r, 1000);
    assert_int_equal(heard_count, 1);
    rig_run(&r, 3000); // uav1 told the other two
    assert_int_equal(heard_count, 3);
    assert_string_equal(heard[1].who, "uav2.radio");
    assert_string_equal(heard[2].who, "uav3.radio");
    rig_run(&r, 5000); // each of them told two: 1, 3 and 1, 2
    assert_int_equal(heard_count, 7);
    int told[4] = {0};
    for (size_t i = 3; i < 7; i++)
        told[heard[i].who[3] - '0']++;
    assert_int_equal(told[1], 2);
    assert_int_equal(told[2], 1);
    assert_int_equal(told[3], 1);
    rig_close(&r);
}

static void test_links_that_are_refused(void **state)
{
    (void)state;
    static const char base[] = "duration: 2 ms\n"
                               "scheduler: {rate_groups: [{name: g, period: 1 ms, components: "
                               "[t]}]}\n"
                               "components: {t: {type: talker}, h: {type: hearer}}\n"
                               "links: [%s]\n";
    static const struct {
        const char *link;
        tac_status status;
        const char *part;
    } wrong[] = {
        {"{from: t.tx, to: h.rx, delay: 0}", TAC_E_RANGE, "the delay must be at least 1 us"},
        {"{from: t.tx, to: h.rx}", TAC_E_CONFIG, "key 'delay' is missing"},
        {"{from: t.txx, to: h.rx, delay: 1 us}", TAC_E_NAME,
         "no sending port matches 't.txx'; did you mean 't.tx'?"},
        {"{from: t.tx, to: h.r, delay: 1 us}", TAC_E_NAME,
         "no receiving port matches 'h.r'; did you mean 'h.rx'?"},
        {"{from: t.rx, to: h.rx, delay: 1 us}", TAC_E_NAME, "no sending port matches 't.rx'"},
        {"{from: t.tx, to: h.rx, delay: 1 us}, {from: 't*', to: 'h*', delay: 2 us}",
         TAC_E_DUPLICATE, "'t.tx' and 'h.rx' are linked already"},
        {"{from: t.tx, to: h.rx, delay: 1.5 us}", TAC_E_TIME, "1.5 us"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];
        snprintf(text, sizeof text, base, wrong[i].link);
        rig_refused(text, wrong[i].status, wrong[i].part);
    }
}

// --- the ends of a run --------------------------------------------------------------------------

static void test_message_at_the_end(void **state)
{
    (void)state;
    static const char text[] = "duration: 10 ms\n"
                               "scheduler: {rate_groups: [{name: g, times: [4 ms], components: "
                               "[t]}]}\n"
                               "components: {t: {type: talker}, h: {type: hearer}}\n"
                               "links: [{from: t.tx, to: h.rx, delay: %d us}]\n";
    char full[1024];
    rig r;
    snprintf(full, sizeof full, text, 6000); // arrives at t_end: stages 0 to 9 run
    open_fresh(&r, full);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(heard_count, 1);
    assert_int_equal(heard[0].t_us, 10000);
    assert_int_equal(rig_i64(&r, "h.n"), 1);
    rig_close(&r);
    snprintf(full, sizeof full, text, 6001);
    open_fresh(&r, full);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(heard_count, 0);
    rig_close(&r);
}

// --- digests ------------------------------------------------------------------------------------

static uint64_t port_digest(const char *text_of_talker, int delay, int period)
{
    char full[1024];
    snprintf(full, sizeof full,
             "duration: 20 ms\n"
             "scheduler: {rate_groups: [{name: g, period: %d ms, components: [t]}]}\n"
             "components: {t: {type: talker, params: {text: %s}}, h: {type: hearer}}\n"
             "links: [{from: t.tx, to: h.rx, delay: %d us}]\n",
             period, text_of_talker, delay);
    rig r;
    open_fresh(&r, full);
    rig_run(&r, TAC_TIME_NEVER);
    size_t count;
    const uint64_t digest = tac_engine_hash(r.engine, "h.rx", &count);
    assert_int_equal(count, 1);
    rig_close(&r);
    return digest;
}

// The digest of a port covers when, from whom and what.
static void test_digests_of_ports(void **state)
{
    (void)state;
    const uint64_t digest = port_digest("a", 1000, 2);
    assert_true(digest == port_digest("a", 1000, 2));
    assert_true(digest != port_digest("b", 1000, 2));
    assert_true(digest != port_digest("a", 1001, 2));
    assert_true(digest != port_digest("a", 1000, 3));
}

// --- checkpoints --------------------------------------------------------------------------------

// Messages on their way, waiting and half taken survive; the run goes on as if nothing had been.
static void test_checkpoint_with_messages_in_flight(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 40 ms\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: a, period: 3 ms, components: [t, u]}\n"
        "    - {name: b, period: 7 ms, components: [slow]}\n"
        "components:\n"
        "  t: {type: talker, params: {text: t, burst: 3}}\n"
        "  u: {type: talker, params: {text: u}}\n"
        "  slow: {type: hearer, params: {triggers: false, take: 4, capacity: 100}}\n"
        "  fast: {type: hearer, params: {capacity: 40, relay: true}}\n"
        "  last: {type: hearer, params: {capacity: 400}}\n"
        "links:\n"
        "  - {from: 't.tx', to: slow.rx, delay: 11 ms}\n"
        "  - {from: 'u.tx', to: slow.rx, delay: 2 ms}\n"
        "  - {from: '?.tx', to: fast.rx, delay: 5500 us}\n"
        "  - {from: fast.tx, to: last.rx, delay: 777 us}\n";
    const char *path = path_of("state.checkpoint");
    rig straight;
    open_fresh(&straight, text);
    rig_run(&straight, TAC_TIME_NEVER);
    const uint64_t whole = tac_engine_hash(straight.engine, NULL, NULL);
    const tac_counters counts = tac_engine_counters(straight.engine);
    rig_close(&straight);
    assert_true(counts.messages > 40);
    for (tac_time t_us = 0; t_us < 40000; t_us += 611) {
        rig first, second;
        open_fresh(&first, text);
        assert_int_equal(tac_engine_checkpoint_at(first.engine, t_us, path, &first.err), TAC_OK);
        rig_run(&first, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(first.engine, NULL, NULL) == whole);
        rig_close(&first);
        open_fresh(&second, text);
        assert_int_equal(tac_engine_restore(second.engine, path, &second.err), TAC_OK);
        rig_run(&second, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(second.engine, NULL, NULL) == whole);
        const tac_counters again = tac_engine_counters(second.engine);
        assert_memory_equal(&again, &counts, sizeof counts);
        rig_close(&second);
    }
}

// In a swarm nobody hears its own radio, be it another component; by name it can.
static void test_patterns_link_no_entity_to_itself(void **state)
{
    (void)state;
    static const char swarm[] =
        "duration: 1 ms\n"
        "scheduler: {rate_groups: [{name: g, times: [0], components: [tx, y]}]}\n"
        "entities:\n"
        "  uav:\n"
        "    count: 3\n"
        "    components:\n"
        "      y: {type: constant}\n"
        "      tx: {type: beacon, inputs: {u: y.y}}\n"
        "      rx: {type: listener}\n"
        "links:\n"
        "  - {from: 'uav*.tx.tx', to: 'uav*.rx.rx', delay: 10 us}\n";
    rig r;
    open_fresh(&r, swarm);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_i64(&r, "uav1.rx.count"), 2);
    assert_int_equal(rig_i64(&r, "uav3.rx.count"), 2);
    assert_int_equal(tac_engine_counters(r.engine).messages, 6);
    rig_close(&r);

    char named[sizeof swarm + 64];
    snprintf(named, sizeof named, "%s  - {from: uav2.tx.tx, to: uav2.rx.rx, delay: 10 us}\n",
             swarm);
    open_fresh(&r, named);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_i64(&r, "uav2.rx.count"), 3);
    rig_close(&r);
}

#define TEST(f) cmocka_unit_test_setup(f, setup)
TEST_MAIN(TEST(test_order_is_delivery_sender_sequence), TEST(test_many_senders),
          TEST(test_without_trigger_messages_wait), TEST(test_due_flags_combine),
          TEST(test_messages_not_taken_stay), TEST(test_full_queue_is_an_error),
          TEST(test_message_too_long), TEST(test_patterns_never_link_to_itself),
          TEST(test_patterns_link_no_entity_to_itself), TEST(test_links_that_are_refused),
          TEST(test_message_at_the_end), TEST(test_digests_of_ports),
          TEST(test_checkpoint_with_messages_in_flight))
