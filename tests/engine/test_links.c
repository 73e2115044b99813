// Links with a law inside an engine: what arrives, when and in which order, against bus/link.h; the
// same bits in pieces, from checkpoints, snapshots and branches; and in two engines whose messages
// a program draws and posts as in one. Random models with laws are in tests/record/models.h.
#include "test_rig.h"
#include "bus/link.h"

static uint64_t dice_state;
static uint64_t dice(uint64_t below) // splitmix64
{
    uint64_t z = dice_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

// --- a hearer that remembers --------------------------------------------------------------------

enum { HEARD_MAX = 20000 };
static tac_message heard[HEARD_MAX];
static size_t heard_count;

static tac_status hearer_declare(tac_declare *d, void *self)
{
    int *port = self;
    const int64_t capacity = tac_param_int(d, TAC_PARAM(.name = "capacity", .fallback = "64"));
    *port = tac_declare_receiver(d, TAC_MESSAGE(.name = "rx", .capacity = (uint32_t)capacity,
                                                .max_bytes = 8, .triggers = true));
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status hearer_step(tac_step *s, const void *self)
{
    for (tac_message m; tac_receive(s, *(const int *)self, &m);) {
        ++*TAC_OUT(s, int64_t, 0);
        assert_true(heard_count < HEARD_MAX && m.delivered_us == s->t_us);
        heard[heard_count++] = m;
    }
    return TAC_OK;
}

static const tac_component_type hearer_type = {.size = sizeof(tac_component_type),
                                               .name = "hearer",
                                               .version = "1",
                                               .stage = TAC_STAGE_ESTIMATE,
                                               .self_size = sizeof(int),
                                               .declare = hearer_declare,
                                               .kernels[TAC_NUMBERS].step = hearer_step};

static int set_up(void **state)
{
    (void)state;
    rig_types[0] = &hearer_type;
    heard_count = 0;
    return 0;
}

// --- what arrives -------------------------------------------------------------------------------

#define THREE                                                                                      \
    "duration: 5 s\n"                                                                              \
    "seed: 99\n"                                                                                   \
    "scheduler:\n"                                                                                 \
    "  rate_groups:\n"                                                                             \
    "    - {name: quick, period: 1 ms, components: [y, a]}\n"                                      \
    "    - {name: slow, period: 7 ms, offset: 2 ms, components: [b, c]}\n"                         \
    "components:\n"                                                                                \
    "  y: {type: constant}\n"                                                                      \
    "  a: {type: beacon, inputs: {u: y.y}}\n"                                                      \
    "  b: {type: beacon, inputs: {u: y.y}}\n"                                                      \
    "  c: {type: beacon, inputs: {u: y.y}}\n"                                                      \
    "  h: {type: hearer}\n"                                                                        \
    "links:\n"                                                                                     \
    "  - {from: a.tx, to: h.rx, delay: {uniform: [3 ms, 8 ms]}, loss: 10 %, duplicate: 20 %,\n"    \
    "     down: [[1 s, 1.5 s], [1.5 s, 1.6 s], [3 s, 3.0005 s]]}\n"                                \
    "  - {from: b.tx, to: h.rx, delay: {normal: {mean: 5 ms, sigma: 1 ms, min: 2 ms,\n"            \
    "     max: 20 ms}}, duplicate: 0.5}\n"                                                         \
    "  - {from: c.tx, to: h.rx, delay: {exponential: {mean: 5 ms, min: 1 ms, max: 50 ms}}}\n"

static int by_order(const void *x, const void *y)
{
    const tac_message *a = x, *b = y;
    if (a->delivered_us != b->delivered_us)
        return a->delivered_us < b->delivered_us ? -1 : 1;
    if (a->sender != b->sender)
        return a->sender < b->sender ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return a->copy < b->copy ? -1 : a->copy > b->copy;
}

// Every message of every sender, as its law says, up to the end.
static size_t expect_all(tac_message *expected, tac_link_counters *counters)
{
    static const tac_outage down[] = {{1000000, 1500000}, {1500000, 1600000}, {3000000, 3000500}};
    tac_link_law laws[3] = {tac_link_law_default(), tac_link_law_default(), tac_link_law_default()};
    laws[0] = (tac_link_law){.delay = TAC_DELAY_UNIFORM,
                             .min_us = 3000,
                             .max_us = 8000,
                             .loss = 0.1,
                             .duplicate = 0.2,
                             .down = down,
                             .down_count = 3};
    laws[1] = (tac_link_law){.delay = TAC_DELAY_NORMAL,
                             .mean_us = 5000,
                             .sigma_us = 1000,
                             .min_us = 2000,
                             .max_us = 20000,
                             .duplicate = 0.5};
    laws[2] = (tac_link_law){
        .delay = TAC_DELAY_EXPONENTIAL, .mean_us = 5000, .min_us = 1000, .max_us = 50000};
    static const char *const from[] = {"a.tx", "b.tx", "c.tx"};
    static const tac_time period_us[] = {1000, 7000, 7000}, offset_us[] = {0, 2000, 2000};
    size_t count = 0;
    for (uint32_t s = 0; s < 3; s++) {
        const tac__stream key = tac__link_key(99, from[s], "h.rx");
        uint64_t sequence = 0;
        counters[s] = (tac_link_counters){0};
        for (tac_time t_us = offset_us[s]; t_us <= 5000000; t_us += period_us[s], sequence++) {
            const tac__fate f = tac__link_fate(&laws[s], &key, t_us, sequence);
            counters[s].sent++;
            counters[s].lost += f.kind == TAC__FATE_LOST;
            counters[s].down += f.kind == TAC__FATE_DOWN;
            counters[s].duplicated += f.kind == TAC__FATE_DUPLICATED;
            for (uint32_t copy = 0; copy < f.copies; copy++) {
                if (t_us + f.delay_us[copy] > 5000000)
                    continue;
                counters[s].delivered++;
                expected[count++] = (tac_message){.sent_us = t_us,
                                                  .delivered_us = t_us + f.delay_us[copy],
                                                  .sender = s,
                                                  .sequence = sequence,
                                                  .copy = copy};
            }
        }
    }
    qsort(expected, count, sizeof *expected, by_order);
    return count;
}

static void test_every_message(void **state)
{
    (void)state;
    static tac_message expected[HEARD_MAX];
    tac_link_counters counters[3];
    const size_t count = expect_all(expected, counters);
    rig r;
    rig_open(&r, THREE);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(heard_count, count);
    bool overtaken = false, together = false;
    for (size_t i = 0; i < count; i++) {
        const tac_message *m = &heard[i], *e = &expected[i];
        if (by_order(m, e) || m->sent_us != e->sent_us)
            fail_msg("message %zu is %u/%llu/%llu, expected %u/%llu/%llu", i, m->sender,
                     (unsigned long long)m->sequence, (unsigned long long)m->copy, e->sender,
                     (unsigned long long)e->sequence, (unsigned long long)e->copy);
        for (size_t k = 0; k < i; k++)
            overtaken |= heard[k].sender == m->sender && heard[k].sequence > m->sequence;
        together |= i > 0 && heard[i - 1].delivered_us == m->delivered_us &&
                    heard[i - 1].sequence != m->sequence;
    }
    assert_true(overtaken && together);
    assert_int_equal(tac_engine_link_count(r.engine), 3);
    for (size_t i = 0; i < 3; i++) {
        const tac_link_counters n = tac_engine_link_counters(r.engine, i);
        assert_memory_equal(&n, &counters[i], sizeof n);
    }
    assert_true(counters[0].lost > 300 && counters[0].down == 601 && counters[0].duplicated > 500);
    rig_close(&r);
}

// --- going back and pieces ----------------------------------------------------------------------

// Carts that follow each other by radio: what arrives when decides all that follows.
static const char head[] = "duration: 3 s\n"
                           "seed: %d\n"
                           "scheduler:\n"
                           "  rate_groups:\n"
                           "    - {name: control, rate: 50 Hz, components: [Pilot]}\n"
                           "    - {name: radio, rate: 40 Hz, offset: 3 ms, components: [Beacon]}\n"
                           "  synchronization: {default_policy: ZOH}\n"
                           "plant: {integrator: {kind: rk45}}\n"
                           "entities:\n";

static const char cart[] =
    "  %s:\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "      Body:   {type: point_mass, params: {mass: 2 kg, gravity: 0, position: [%d, 2, 0]},\n"
    "               inputs: {force: Pilot.force}}\n"
    "      Pilot:  {type: tracker, params: {stiffness: 3, damping: 1},\n"
    "               inputs: {target: Radio.y, position: Body.position, velocity: Body.velocity}}\n";

// Laws of the link from a to b, and back.
static const char *const laws[][2] = {
    {"delay: {uniform: [5 ms, 41 ms]}, loss: 20 %, duplicate: 20 %", "delay: 7 ms, loss: 0.3"},
    {"delay: {exponential: {mean: 40 ms, min: 3 ms}}, down: [[1 s, 1.4 s]]",
     "delay: {normal: {mean: 30 ms, sigma: 20 ms, min: 1 ms, max: 90 ms}}, duplicate: 100 %"},
    {"delay: 25 ms, duplicate: 0.5", "delay: {uniform: [25 ms, 26 ms]}, duplicate: 0.5"},
};
enum { LAWS = sizeof laws / sizeof *laws };

static const char *const carts = "ab";

// The configuration of one cart, or of both.
static void write_carts(char *text, size_t size, int seed, size_t law, bool a, bool b)
{
    int n = snprintf(text, size, head, seed);
    if (a)
        n += snprintf(text + n, size - (size_t)n, cart, "a", 5);
    if (b)
        n += snprintf(text + n, size - (size_t)n, cart, "b", -4);
    n += snprintf(text + n, size - (size_t)n, "links:\n");
    for (int i = 0; i < 2; i++) {
        const char *words = laws[law][i];
        const char from = carts[i], to = carts[1 - i];
        if (a && b)
            n += snprintf(text + n, size - (size_t)n,
                          "  - {from: %c.Beacon.tx, to: %c.Radio.rx, %s}\n", from, to, words);
        else if (i == (a ? 0 : 1))
            n += snprintf(text + n, size - (size_t)n, "  - {from: %c.Beacon.tx, to: outside, %s}\n",
                          from, words);
        else
            n +=
                snprintf(text + n, size - (size_t)n,
                         "  - {from: outside, channel: %c.Beacon.tx, to: %c.Radio.rx}\n", from, to);
    }
}

static void open_carts(rig *r, int seed, size_t law, bool a, bool b)
{
    char text[4096];
    write_carts(text, sizeof text, seed, law, a, b);
    rig_open(r, text);
}

static void check_same(const rig *a, const rig *b, const char *how)
{
    if (tac_engine_hash(a->engine, NULL, NULL) != tac_engine_hash(b->engine, NULL, NULL))
        fail_msg("%s: another hash", how);
    for (size_t i = 0; i < tac_engine_link_count(a->engine); i++) {
        const tac_link_counters x = tac_engine_link_counters(a->engine, i),
                                y = tac_engine_link_counters(b->engine, i);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

static void advance_in_pieces(rig *r, tac_time to_us)
{
    for (tac_time now_us = 0; now_us < to_us; now_us += 1 + dice(dice(2) ? 60000 : 5000))
        assert_int_equal(tac_engine_advance(r->engine, now_us, &r->err), TAC_OK);
    assert_int_equal(tac_engine_advance(r->engine, to_us, &r->err), TAC_OK);
}

static void test_going_back(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/tactus_links_%d", (int)getpid());
    for (int seed = 0; seed < 12; seed++) {
        dice_state = (uint64_t)seed;
        const size_t law = (size_t)seed % LAWS;
        rig straight, r;
        open_carts(&straight, seed, law, true, true);
        const tac_time at_us = 1 + dice(2900000);
        assert_int_equal(tac_engine_checkpoint_at(straight.engine, at_us, path, &straight.err),
                         TAC_OK);
        rig_run(&straight, TAC_TIME_NEVER);

        // In pieces, and to a snapshot, from which another future was seen first.
        open_carts(&r, seed, law, true, true);
        advance_in_pieces(&r, at_us);
        tac_snapshot *place = NULL;
        assert_int_equal(tac_engine_take_snapshot(r.engine, &place, &r.err), TAC_OK);
        const double value[3] = {1, 2, 3};
        tac_post_def post = tac_post_def_default();
        post.t_us = tac_engine_open_time(r.engine) + dice(50000);
        post.bytes = value;
        post.length = sizeof value;
        assert_int_equal(tac_engine_post(r.engine, 0, &post, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) !=
                    tac_engine_hash(straight.engine, NULL, NULL));
        assert_int_equal(tac_engine_restore_snapshot(r.engine, place, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        check_same(&straight, &r, "snapshot");
        tac_snapshot_destroy(place);
        rig_close(&r);

        open_carts(&r, seed, law, true, true);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        check_same(&straight, &r, "checkpoint");
        rig_close(&r);

        open_carts(&r, seed, law, true, true);
        assert_int_equal(tac_engine_branch(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        check_same(&straight, &r, "branch");
        rig_close(&r);

        // A model with another law is another model.
        open_carts(&r, seed, (law + 1) % LAWS, true, true);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_E_MISMATCH);
        rig_close(&r);
        rig_close(&straight);
    }
    remove(path);
}

// --- two engines --------------------------------------------------------------------------------

typedef struct post_office {
    tac_engine *to;
    const tac_link_law *law;
    tac_link_law plain;
    tac__stream key;
    int receiver;
    size_t told;
    struct letter {
        tac_post_def def;
        double bytes[3];
        char channel[32];
    } letters[64];
    size_t count;
} post_office;

// Draws what becomes of a message that leads outside.
static void draw(void *context, const tac_sent *m)
{
    post_office *o = context;
    const tac__fate fate = tac__link_fate(o->law, &o->key, m->sent_us, m->sequence);
    assert_int_equal(m->delivered_us, m->sent_us + tac__link_least_us(o->law));
    o->told++;
    for (uint32_t copy = 0; copy < fate.copies; copy++) {
        assert_true(o->count < 64 && m->size == sizeof o->letters[0].bytes);
        struct letter *l = &o->letters[o->count++];
        l->def = tac_post_def_default();
        l->def.t_us = m->sent_us + fate.delay_us[copy];
        l->def.sent_us = m->sent_us;
        l->def.sequence = m->sequence;
        l->def.copy = copy;
        l->def.length = m->size;
        memcpy(l->bytes, m->bytes, m->size);
        snprintf(l->channel, sizeof l->channel, "%s", m->channel);
    }
}

static void open_office(post_office *o, rig *from, rig *to, int seed, char from_cart, char to_cart)
{
    *o = (post_office){.to = to->engine, .plain = tac_link_law_default()};
    char sender[32], inlet[32];
    snprintf(sender, sizeof sender, "%c.Beacon.tx", from_cart);
    snprintf(inlet, sizeof inlet, "%c.Radio.rx", to_cart);
    for (size_t i = 0; i < tac_engine_link_count(from->engine); i++) {
        const tac_link_info info = tac_engine_link_info(from->engine, i);
        if (strcmp(info.from, sender))
            continue;
        o->plain.min_us = info.delay_us;
        o->law = info.law ? info.law : &o->plain;
        const tac_link_counters n = tac_engine_link_counters(from->engine, i);
        assert_int_equal(n.sent, 0);
    }
    o->key = tac__link_key((uint64_t)seed, sender, inlet);
    o->receiver = tac_engine_find_receiver(to->engine, inlet, &to->err);
    assert_true(o->law && o->receiver >= 0);
    assert_int_equal(tac_engine_add_send_watcher(from->engine, draw, o, &from->err), TAC_OK);
}

static void post_all(post_office *o)
{
    while (o->count) { // the last first: the order of posting does not matter
        struct letter *l = &o->letters[--o->count];
        l->def.bytes = l->bytes;
        l->def.channel = l->channel;
        tac_error err;
        if (tac_engine_post(o->to, o->receiver, &l->def, &err) != TAC_OK)
            fail_msg("%s", err.text);
    }
}

static void same_digests(const rig *part, const rig *whole)
{
    uint64_t x, y;
    const char *name, *other;
    for (size_t i = 0; (name = tac_engine_digest(part->engine, i, &x)); i++) {
        size_t k = 0;
        while ((other = tac_engine_digest(whole->engine, k, &y)) && strcmp(name, other))
            k++;
        if (!other || x != y)
            fail_msg("'%s' differs", name);
    }
}

static void test_two_engines(void **state)
{
    (void)state;
    for (int seed = 0; seed < 9; seed++) {
        const size_t law = (size_t)seed % LAWS;
        rig both, a, b;
        open_carts(&both, seed, law, true, true);
        rig_run(&both, TAC_TIME_NEVER);
        open_carts(&a, seed, law, true, false);
        open_carts(&b, seed, law, false, true);
        post_office from_a, from_b;
        open_office(&from_a, &a, &b, seed, 'a', 'b');
        open_office(&from_b, &b, &a, seed, 'b', 'a');
        const tac_time x_us = tac__link_least_us(from_a.law), y_us = tac__link_least_us(from_b.law);
        const tac_time step_us = x_us < y_us ? x_us : y_us;
        while (!tac_engine_finished(a.engine) || !tac_engine_finished(b.engine)) {
            const tac_time to_us = tac_engine_open_time(a.engine) + step_us;
            assert_int_equal(tac_engine_advance(a.engine, to_us, &a.err), TAC_OK);
            assert_int_equal(tac_engine_advance(b.engine, to_us, &b.err), TAC_OK);
            post_all(&from_a);
            post_all(&from_b);
        }
        assert_true(from_a.told == 120 && from_b.told == 120);
        same_digests(&a, &both);
        same_digests(&b, &both);
        rig_close(&a);
        rig_close(&b);
        rig_close(&both);
    }
}

// --- the rest -----------------------------------------------------------------------------------

#define BASE(capacity)                                                                             \
    "duration: 100 ms\n"                                                                           \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [y, a]}]}\n"                    \
    "components:\n"                                                                                \
    "  y: {type: constant}\n"                                                                      \
    "  a: {type: beacon, inputs: {u: y.y}}\n"                                                      \
    "  h: {type: hearer, params: {capacity: " capacity "}}\n"                                      \
    "links:\n"
#define ONE(capacity, law) BASE(capacity) "  - {from: a.tx, to: h.rx, " law "}\n"

// Copies need room, messages that are lost do not; a message never arrives in part.
static void test_room(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ONE("2", "delay: 1 us, duplicate: 1"));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(heard_count, 200);
    rig_close(&r);
    rig_refused(ONE("1", "delay: 1 us, duplicate: 1"), TAC_E_QUEUE, "queue of 'h.rx' is full");
    rig_refused(ONE("1", "delay: 2 ms, loss: 1 %"), TAC_E_QUEUE, "queue of 'h.rx' is full");
    rig_open(&r, ONE("1", "delay: 2 ms, loss: 1"));
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
    rig_open(&r, ONE("1", "delay: 2 ms, down: [[0 s, 1 s]]"));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_link_counters(r.engine, 0).down, 101);
    rig_close(&r);
}

// A law in which nothing is drawn is none.
static void test_plain(void **state)
{
    (void)state;
    rig plain, law;
    rig_open(&plain, ONE("9", "delay: 3 ms"));
    rig_open(&law, ONE("9", "delay: 3 ms, loss: 0, duplicate: 0 %, down: []"));
    rig_run(&plain, TAC_TIME_NEVER);
    rig_run(&law, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(plain.engine, NULL, NULL) ==
                tac_engine_hash(law.engine, NULL, NULL));
    assert_true(tac_engine_model_hash(plain.engine) == tac_engine_model_hash(law.engine));
    assert_null(tac_engine_link_info(law.engine, 0).law);
    assert_int_equal(tac_engine_link_counters(law.engine, 0).sent, 0);
    rig_close(&law);
    // The same with a constant delay of which some are lost: no other bit but theirs.
    rig_open(&law, ONE("9", "delay: 3 ms, down: [[1 h, 2 h]]"));
    rig_run(&law, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(plain.engine, NULL, NULL) ==
                tac_engine_hash(law.engine, NULL, NULL));
    assert_true(tac_engine_model_hash(plain.engine) != tac_engine_model_hash(law.engine));
    rig_close(&law);
    rig_close(&plain);
}

static void test_info(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, THREE);
    static const char *const from[] = {"a.tx", "b.tx", "c.tx"};
    static const tac_time least_us[] = {3000, 2000, 1000};
    for (size_t i = 0; i < 3; i++) {
        const tac_link_info info = tac_engine_link_info(r.engine, i);
        assert_string_equal(info.from, from[i]);
        assert_string_equal(info.to, "h.rx");
        assert_int_equal(info.delay_us, least_us[i]);
        assert_int_equal(info.number, i);
        assert_non_null(info.law);
        assert_int_equal(info.law->min_us, least_us[i]);
    }
    const tac_link_law *law = tac_engine_link_info(r.engine, 0).law;
    assert_true(law->loss == 0.1 && law->duplicate == 0.2 && law->down_count == 3);
    assert_true(law->down[2].from_us == 3000000 && law->down[2].to_us == 3000500);
    law = tac_engine_link_info(r.engine, 1).law;
    assert_true(law->mean_us == 5000 && law->sigma_us == 1000 && law->max_us == 20000);
    assert_int_equal(law->delay, TAC_DELAY_NORMAL);
    rig_close(&r);
}

// In C: the law is copied; what is wrong with it is said.
static void test_definitions(void **state)
{
    (void)state;
    tac_engine *e;
    tac_error err;
    const tac_engine_def engine = tac_engine_def_default();
    assert_int_equal(tac_engine_create(&engine, &e, &err), TAC_OK);
    tac_outage down = {5, 5};
    tac_link_law law = tac_link_law_default();
    tac_link_def def = tac_link_def_default();
    def.from = "a.tx";
    def.to = "h.rx";
    def.law = &law;
    assert_int_equal(tac_engine_add_link(e, &def, &err), TAC_OK);
    law.down = &down;
    law.down_count = 1;
    assert_int_equal(tac_engine_add_link(e, &def, &err), TAC_E_RANGE);
    assert_non_null(strstr(err.text, "down: the begin (5 us) is not before the end (5 us)"));
    law.down_count = 0;
    law.min_us = 0;
    assert_int_equal(tac_engine_add_link(e, &def, &err), TAC_E_RANGE);
    assert_non_null(strstr(err.text, "the delay must be at least 1 us"));
    law.min_us = 1;
    law.size = 0;
    assert_int_equal(tac_engine_add_link(e, &def, &err), TAC_E_ABI);
    assert_non_null(strstr(err.text, "tac_link_law_default()"));
    law.size = sizeof law;
    def.from = "outside";
    def.channel = "x";
    assert_int_equal(tac_engine_add_link(e, &def, &err), TAC_E_CONFIG);
    assert_non_null(strstr(err.text, "a link from outside has no law"));
    tac_engine_destroy(e);
}

static void refuse(const char *law, tac_status status, const char *text)
{
    char model[1024];
    snprintf(model, sizeof model, "%s  - {from: a.tx, to: h.rx, %s}\n", BASE("9"), law);
    rig_refused(model, status, text);
}

static void test_refused(void **state)
{
    (void)state;
    refuse("delay: 0 s", TAC_E_RANGE, "in a federation no process could advance");
    refuse("delay: {uniform: [0 s, 1 ms]}", TAC_E_RANGE, "the least delay must be at least 1 us");
    refuse("delay: {unifrom: [1 ms, 2 ms]}", TAC_E_NAME, "did you mean 'uniform'?");
    refuse("delay: {uniform: [1 ms]}", TAC_E_RANGE, "a list of 1 is out of range: must be 2");
    refuse("delay: {uniform: [2 ms, 1 ms]}", TAC_E_RANGE, "the greatest delay (1 ms) is less");
    refuse("delay: {normal: {mean: 5 ms, sigma: 1 ms}}", TAC_E_CONFIG, "key 'min' is missing");
    refuse("delay: {normal: {mean: 5 ms, sigma: 1 ms, min: 1 ms, max: 0 s}}", TAC_E_RANGE,
           "the greatest delay is zero");
    refuse("delay: {exponential: {mean: 5 ms, min: 6 ms}}", TAC_E_RANGE, "the mean delay (5 ms)");
    refuse("delay: {}", TAC_E_CONFIG, "has one law");
    refuse("delay: {uniform: [1 ms, 2 ms], exponential: {mean: 5 ms, min: 1 ms}}", TAC_E_CONFIG,
           "here are 2");
    refuse("delay: 1 ms, loss: 101 %", TAC_E_RANGE, "101 % is out of range: must be from 0 to 1");
    refuse("delay: 1 ms, duplicate: -0.1", TAC_E_RANGE, "must be from 0 to 1");
    refuse("delay: 1 ms, duplicate: often", TAC_E_TYPE, "such as 0.01 or '1 %'");
    refuse("delay: 1 ms, loss: 1 s", TAC_E_UNIT, "'1 s' is not in a unit of 1");
    refuse("delay: 1 ms, down: [1 s, 2 s]", TAC_E_TYPE, "expected a list");
    refuse("delay: 1 ms, down: [[1 s, 2 s], [1.5 s, 3 s]]", TAC_E_RANGE,
           "down: the begin (1.5 s) is before the end of the one before it (2 s)");
    refuse("delay: 1 ms, lost: 1 %", TAC_E_NAME, "did you mean 'loss'?");
    refuse("loss: 1 %", TAC_E_CONFIG, "key 'delay' is missing");
    static const char *const keys[] = {"delay: 1 ms", "loss: 1 %", "duplicate: 1 %",
                                       "down: [[1 s, 2 s]]"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char link[256], text[64];
        snprintf(link, sizeof link, "delay: 1 ms}\n  - {from: outside, to: h.rx, channel: x, %s",
                 keys[i]);
        snprintf(text, sizeof text, "a link from outside has no '%.*s'", (int)strcspn(keys[i], ":"),
                 keys[i]);
        refuse(link, TAC_E_CONFIG, text);
    }
}

// Copies that are posted.
static void test_posted_copies(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ONE("9", "delay: 1 ms, loss: 1"));
    const int port = tac_engine_find_receiver(r.engine, "h.rx", &r.err);
    tac_post_def p = tac_post_def_default();
    p.t_us = 500;
    p.sequence = 4;
    p.copy = 1;
    assert_int_equal(tac_engine_post(r.engine, port, &p, &r.err), TAC_OK);
    assert_int_equal(tac_engine_post(r.engine, port, &p, &r.err), TAC_E_DUPLICATE);
    p.copy = 0;
    assert_int_equal(tac_engine_post(r.engine, port, &p, &r.err), TAC_OK);
    p.copy = 2;
    assert_int_equal(tac_engine_post(r.engine, port, &p, &r.err), TAC_E_RANGE);
    assert_non_null(strstr(r.err.text, "copy 2 of a message to 'h.rx'"));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(heard_count, 2);
    assert_true(heard[0].copy == 0 && heard[1].copy == 1);
    rig_close(&r);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)
TEST_MAIN(TEST(test_every_message), TEST(test_going_back), TEST(test_two_engines), TEST(test_room),
          TEST(test_plain), TEST(test_info), TEST(test_definitions), TEST(test_refused),
          TEST(test_posted_copies))
