// What a recording says, changed byte by byte inside a container that is sound: replaying it fails
// with a sentence or comes to an end, and reads nothing that is not there (the sanitizers say so).
#include "support/test.h"
#include "support/folder.h"
#include "support/recorded.h"

static const char model[] =
    "duration: 40 ms\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: g, period: 1 ms, components: [w, b, s]}\n"
    "phases:\n"
    "  names: [A, B]\n"
    "  initial: A\n"
    "  transitions: [{from: A, to: B, condition: 't > 0.011'}]\n"
    "components:\n"
    "  w: {type: noise, params: {unit: N}}\n"
    "  o: {type: oscillator, inputs: {force: {from: w.y, delay: 2 ms}}, active: [B]}\n"
    "  s: {type: counter}\n"
    "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"
    "  l: {type: listener, params: {unit: m}}\n"
    "links: [{from: b.tx, to: l.rx, delay: 7 ms}]\n";

static recorded rig;

// Which byte of which message becomes what.
typedef struct change {
    size_t message, at;
    unsigned char value;
    size_t number, size; // messages so far; size of that one
} change;

static void change_message(void *context, bool message, unsigned char *bytes, size_t size)
{
    change *c = context;
    if (!message || c->number++ != c->message)
        return;
    c->size = size;
    if (c->at < size)
        bytes[c->at] = c->value;
}

// Did it go well?
static bool replay(const char *path, tac_time from_us)
{
    tac_error err;
    tac_recording *recording;
    bool match;
    recorded_must(tac_recording_open(path, &recording, &err), &err);
    const tac_status status = recorded_replay(&rig, recording, false, from_us, &match, &err);
    if (status != TAC_OK)
        assert_true(err.status == status && err.text[0]);
    tac_recording_close(recording);
    return match;
}

// All bytes of small messages; of large ones the first and then some.
static void changed_bytes(void **state)
{
    (void)state;
    char whole[400], changed[400];
    snprintf(whole, sizeof whole, "%s", path_of("whole.mcap"));
    snprintf(changed, sizeof changed, "%s", path_of("changed.mcap"));
    recorded_make(&rig, whole, "none", 4000);
    const size_t messages =
        recorded_rewrite(whole, changed, change_message, &(change){.message = SIZE_MAX});
    assert_true(replay(changed, 0) && replay(changed, 25000));
    size_t tried = 0, noticed = 0;
    for (size_t m = 0; m < messages; m++) {
        static const unsigned char values[] = {0xff, 0, 1, 0x80, 0x7f};
        change c = {.message = m, .at = SIZE_MAX};
        recorded_rewrite(whole, changed, change_message, &c);
        for (size_t at = 0; at < c.size; at += at < 40 ? 1 + m % 3 : 1 + c.size / 50) {
            change one = {.message = m, .at = at, .value = values[(m + at) % sizeof values]};
            recorded_rewrite(whole, changed, change_message, &one);
            const bool good = replay(changed, (m + at) % 2 ? 25000 : 0);
            tried++;
            noticed += !good;
        }
    }
    print_message("%zu messages, %zu changes, %zu noticed\n", messages, tried, noticed);
    assert_true(tried > 500 && noticed > tried / 10);
}

static int set_up(void **state)
{
    recorded_init(&rig, model);
    return folder_set_up(state);
}

static int tear_down(void **state)
{
    recorded_fini(&rig);
    return folder_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_bytes)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
