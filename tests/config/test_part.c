// The parts of a federation, coupled by hand in one program, have the bits of the whole, however it
// is divided.
#include "config/coupled.h"

// --- random simulations, randomly divided -------------------------------------------------------

enum { TEXT = 1 << 16 };

typedef struct writer {
    char text[TEXT];
    size_t length;
    uint32_t random;
} writer;

static uint32_t draw(writer *w, uint32_t below)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 8) % below;
}

static void add(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, TEXT - w->length, format, args);
    va_end(args);
    assert_true(w->length < TEXT);
}

// Carts whose plants see every message that they hear from its arrival on.
static const char carts[] =
    "  synchronization:\n"
    "    default_policy: ZOH\n"
    "    overrides: [{pattern: \"c1.Tick.*\", policy: INTERPOLATED}]\n"
    "plant: {integrator: {kind: rk45}}\n"
    "components:\n"
    "  Clock: {type: circle, params: {radius: 3}}\n"
    "entities:\n"
    "  c:\n"
    "    count: %u\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Wind:   {type: listener, params: {size: 3, unit: m/s}}\n"
    "      Tick:   {type: counter}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "      Other:  {type: beacon, params: {size: 3, unit: m}, inputs: {u: Clock.position}}\n"
    "      Pilot:  {type: tracker, inputs: {target: Radio.y, position: Body.position,\n"
    "               velocity: Body.velocity}}\n"
    "      Body:   {type: point_mass, params: {drag: 0.2, gravity: 0,\n"
    "               position: [\"${i}\", \"${= i * 2}\", 0]},\n"
    "               inputs: {force: Pilot.force, wind: Wind.y}}\n"
    "links:\n";

static void write_simulation(writer *w, uint32_t seed, unsigned count)
{
    *w = (writer){.random = seed};
    add(w,
        "seed: 5\n"
        "duration: 700 ms\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: clock, period: 13 ms, components: [Clock]}\n"
        "    - {name: slow, period: 27 ms, offset: 3 ms, components: [\"c*.Other\", \"*.Pilot\"]}\n"
        "    - {name: fast, period: 10 ms, components: [\"c*.Beacon\"");
    for (unsigned i = 1; i <= count; i++)
        add(w, ", c%u.Tick", i);
    add(w, "]}\n");
    add(w, carts, count);
    add(w, "  - {from: \"c*.Beacon.tx\", to: \"c*.Radio.rx\", delay: %u us}\n",
        3000 + draw(w, 9000));
    for (unsigned i = 1; i <= count; i++) {
        for (unsigned k = 1; k <= count; k++) {
            if (draw(w, 3) == 0)
                add(w, "  - {from: c%u.Other.tx, to: c%u.Wind.rx, delay: %u us}\n", i, k,
                    2000 + draw(w, 20000));
        }
    }
}

static void divide(writer *w, unsigned count)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    unsigned process[16];
    const unsigned most = 1 + draw(w, 6);
    for (unsigned i = 1; i <= count; i++)
        process[i] = draw(w, most);
    add(w, "federation:\n  processes:\n");
    for (unsigned p = 0; p < most; p++) {
        bool any = false;
        for (unsigned i = 1; i <= count; i++) {
            if (process[i] != p)
                continue;
            if (!any)
                add(w, "    %s: {entities: [", names[p]);
            add(w, "%sc%u", any ? ", " : "", i);
            any = true;
        }
        if (any)
            add(w, "]}\n");
    }
}

static void test_random_partitions(void **state)
{
    (void)state;
    static writer w;
    size_t crossings = 0, most = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        const unsigned count = 2 + seed % 5;
        write_simulation(&w, seed, count);
        const size_t links = w.length;
        rig r;
        for (int again = 0; again < 3; again++) {
            w.length = links;
            divide(&w, count);
            rig_open(&r, w.text);
            rig_run(&r, TAC_TIME_NEVER);
            coupled c;
            coupled_open(&c, r.config);
            coupled_run(&c, 700000);
            if (coupled_differences(&c, r.engine))
                fail_msg("the bits are others:\n%s", w.text);
            size_t n;
            assert_int_equal(tac_config_crossing_count(r.config, &n, &r.err), TAC_OK);
            crossings += n;
            most = c.count > most ? c.count : most;
            coupled_close(&c);
            rig_close(&r);
        }
    }
    assert_true(crossings > 100 && most >= 4);
}

TEST_MAIN(cmocka_unit_test(test_random_partitions))
