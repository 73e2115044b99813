// The model hash: models that differ in one thing that decides a run have another hash, and what
// decides nothing is not in it.
#include "engine/test_rig.h"

static uint64_t hash_of(const char *groups, const char *constant, const char *counter,
                        const char *lag)
{
    char text[2048];
    snprintf(text, sizeof text,
             "duration: 1 ms\n"
             "scheduler: {rate_groups: [%s]}\n"
             "components:\n"
             "  k: {type: constant, params: {value: 1%s}}\n"
             "  j: {type: constant, params: {value: 1}}\n"
             "  n: {type: counter%s}\n"
             "  lag: {type: lag, inputs: {u: %s}, params: {tau: 0.1}}\n",
             groups, constant, counter, lag);
    rig r;
    rig_open(&r, text);
    const uint64_t hash = tac_engine_model_hash(r.engine);
    rig_close(&r);
    return hash;
}

#define TWO "{name: g, period: 1 ms, components: [n]}, {name: h, period: 1 ms}"

static void test_differences(void **state)
{
    (void)state;
    const uint64_t hashes[] = {
        hash_of(TWO, "", "", "k.y"),
        hash_of("{name: g, period: 1 ms}, {name: h, period: 1 ms, components: [n]}", "", "", "k.y"),
        hash_of("{name: f, period: 1 ms, components: [n]}, {name: h, period: 1 ms}", "", "", "k.y"),
        hash_of("{name: g, period: 2 ms, components: [n]}, {name: h, period: 1 ms}", "", "", "k.y"),
        hash_of("{name: g, period: 1 ms, components: [n, lag]}, {name: h, period: 1 ms}", "", "",
                "k.y"),
        hash_of(TWO, "", ", stage: control", "k.y"),
        hash_of(TWO, "1", "", "k.y"),
        hash_of(TWO, "", "", "j.y"),
        hash_of(TWO, "", "", "{from: k.y, gain: 2}"),
        hash_of(TWO, "", "", "{from: k.y, offset: 1}"),
        hash_of(TWO, "", "", "{from: k.y, delayed: true}"),
    };
    enum { COUNT = sizeof hashes / sizeof *hashes };
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < i; k++) {
            if (hashes[i] == hashes[k])
                fail_msg("models %d and %d have the same hash", k, i);
        }
    }
    assert_true(hash_of(TWO, "", "", "k.y") == hashes[0]);
    assert_true(hash_of(TWO, ", size: 1", "", "k.y") == hashes[0]); // the default, said
}

TEST_MAIN(cmocka_unit_test(test_differences))
