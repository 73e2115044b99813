// Two recordings side by side. They are made here, sample by sample, in place of files: what holds,
// what is missing, what lies in other channels is easier to say than to fly.
#include "support/test.h"

#include <math.h>
#include <string.h>

#include <tactus/record.h>

// --- recordings that are made up -----------------------------------------------------------------

enum { CHANNELS = 4, SIGNALS = 8, SAMPLES = 32 };

struct tac_recording {
    tac_recording_info info;
    tac_channel_info channels[CHANNELS];
    size_t channel_count;
    tac_recorded signals[SIGNALS];
    size_t signal_count;
    struct {
        tac_time t_us;
        size_t channel;
        double values[SIGNALS];
    } samples[SAMPLES];
    size_t sample_count;
};

struct tac_cursor {
    const tac_recording *recording;
    const bool *wanted;
    tac_time from_us, to_us;
    size_t at;
};

static int open_cursors;

const tac_recording_info *tac_recording_about(const tac_recording *r)
{
    return &r->info;
}

size_t tac_recording_channel_count(const tac_recording *r)
{
    return r->channel_count;
}

const tac_channel_info *tac_recording_channel(const tac_recording *r, size_t i)
{
    return i < r->channel_count ? &r->channels[i] : NULL;
}

size_t tac_recording_signal_count(const tac_recording *r)
{
    return r->signal_count;
}

const tac_recorded *tac_recording_signal(const tac_recording *r, size_t i)
{
    return i < r->signal_count ? &r->signals[i] : NULL;
}

int tac_recording_find(const tac_recording *r, const char *name)
{
    for (size_t i = 0; i < r->signal_count; i++) {
        if (!strcmp(r->signals[i].name, name))
            return (int)i;
    }
    return -1;
}

tac_status tac_cursor_open(tac_recording *r, const bool *wanted, tac_time from_us, tac_time to_us,
                           tac_cursor **cursor, tac_error *err)
{
    (void)err;
    *cursor = test_malloc(sizeof **cursor);
    **cursor = (tac_cursor){r, wanted, from_us, to_us, 0};
    open_cursors++;
    return TAC_OK;
}

tac_status tac_cursor_next_sized(tac_cursor *c, tac_sample *sample, size_t size, bool *more,
                                 tac_error *err)
{
    (void)err;
    assert_int_equal(size, sizeof *sample);
    *more = false;
    for (; c->at < c->recording->sample_count && !*more; c->at++) {
        const tac_time t_us = c->recording->samples[c->at].t_us;
        const size_t channel = c->recording->samples[c->at].channel;
        *more = t_us >= c->from_us && t_us <= c->to_us && c->wanted[channel];
        *sample = (tac_sample){t_us, channel, c->recording->samples[c->at].values};
    }
    return TAC_OK;
}

void tac_cursor_close(tac_cursor *c)
{
    open_cursors -= c != NULL;
    if (c)
        test_free(c);
}

static void add_channel_of(tac_recording *r, tac_trace trace)
{
    r->channels[r->channel_count++] = (tac_channel_info){.trace = trace};
}

// To the last channel: a double.
static tac_recorded *add_double(tac_recording *r, const char *name, const char *unit)
{
    const size_t channel = r->channel_count - 1;
    tac_recorded *s = &r->signals[r->signal_count++];
    *s = (tac_recorded){.name = name,
                        .unit = unit,
                        .doc = "",
                        .type = TAC_TYPE_F64,
                        .stage = TAC_STAGE_CONTROL,
                        .channel = channel,
                        .offset = r->channels[channel].size};
    r->channels[channel].size += sizeof(double);
    return s;
}

static void add_sample(tac_recording *r, tac_time t_us, size_t channel, double x, double y)
{
    const size_t i = r->sample_count++;
    r->samples[i].t_us = t_us;
    r->samples[i].channel = channel;
    r->samples[i].values[0] = x;
    r->samples[i].values[1] = y;
    r->info.last_us = t_us;
}

// Two signals in one channel.
static tac_recording pair_of(tac_trace trace)
{
    tac_recording r = {0};
    add_channel_of(&r, trace);
    add_double(&r, "u.x", "m");
    add_double(&r, "u.y", "m");
    return r;
}

// --- comparing them ------------------------------------------------------------------------------

static tac_comparison *compared_as(tac_recording *a, tac_recording *b, const tac_compare_def *def)
{
    tac_error err;
    tac_comparison *c;
    if (tac_recording_compare(a, b, def, &c, &err) != TAC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(open_cursors, 0);
    return c;
}

static tac_comparison *compared(tac_recording *a, tac_recording *b)
{
    const tac_compare_def def = tac_compare_def_default();
    return compared_as(a, b, &def);
}

static const tac_difference *signal(const tac_comparison *c, const char *name)
{
    const tac_difference *d;
    for (size_t i = 0; (d = tac_comparison_signal(c, i)); i++) {
        if (!strcmp(d->name, name))
            return d;
    }
    fail_msg("no signal '%s'", name);
    return NULL;
}

static void test_equal(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT);
    for (tac_time t = 0; t < 10; t++)
        add_sample(&a, t, 0, (double)t, 1 / (1 + (double)t));
    tac_recording b = a;
    tac_comparison *c = compared(&a, &b);
    assert_true(tac_comparison_equal(c));
    assert_int_equal(tac_comparison_first(c), -1);
    assert_int_equal(tac_comparison_count(c), 2);
    assert_int_equal(signal(c, "u.x")->samples, 10);
    tac_comparison_destroy(c);
    // With itself, too.
    c = compared(&a, &a);
    assert_true(tac_comparison_equal(c));
    tac_comparison_destroy(c);
}

static void test_first(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT);
    for (tac_time t = 0; t < 10; t++)
        add_sample(&a, t, 0, 1, 2);
    tac_recording b = a;
    b.samples[7].values[0] = 5;
    b.samples[4].values[1] = 2.5;
    b.samples[8].values[1] = 4;
    tac_comparison *c = compared(&a, &b);
    assert_false(tac_comparison_equal(c));
    assert_int_equal(tac_comparison_first(c), 1);
    const tac_difference *y = signal(c, "u.y");
    assert_true(y->first_us == 4 && y->a == 2 && y->b == 2.5 && y->beyond == 2);
    assert_true(y->max_abs == 2 && y->max_us == 8);
    tac_comparison_destroy(c);
    // At one instant the earlier stage tells, and a state of the plant before all.
    b.samples[4].values[0] = 1.5;
    a.signals[1].stage = TAC_STAGE_ESTIMATE;
    c = compared(&a, &b);
    assert_int_equal(tac_comparison_first(c), 1);
    tac_comparison_destroy(c);
    a.signals[0].stage = TAC_STAGE_INTEGRATE;
    c = compared(&a, &b);
    assert_int_equal(tac_comparison_first(c), 0);
    tac_comparison_destroy(c);
}

// B has the same signals the other way round, each in a channel of its own, behind another one.
static void test_other_channels(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT), b = {0};
    add_channel_of(&b, TAC_TRACE_EXACT);
    add_double(&b, "u.other", "m");
    add_channel_of(&b, TAC_TRACE_EXACT);
    add_double(&b, "u.y", "m");
    add_channel_of(&b, TAC_TRACE_EXACT);
    add_double(&b, "u.x", "m");
    for (tac_time t = 0; t < 5; t++) {
        add_sample(&a, t, 0, (double)t, -(double)t);
        add_sample(&b, t, 0, 7, 0);
        add_sample(&b, t, 1, -(double)t, 0);
        add_sample(&b, t, 2, (double)t, 0);
    }
    tac_compare_def def = tac_compare_def_default();
    const char *patterns[] = {"u.x", "u.y"};
    def.patterns = patterns;
    def.pattern_count = 2;
    tac_comparison *c = compared_as(&a, &b, &def);
    assert_true(tac_comparison_equal(c));
    assert_int_equal(tac_comparison_count(c), 2);
    assert_int_equal(signal(c, "u.y")->samples, 5);
    tac_comparison_destroy(c);
    // A signal that one of them has not is a difference, unless nobody asks for it.
    c = compared(&a, &b);
    assert_false(tac_comparison_equal(c));
    assert_true(signal(c, "u.other")->only_b && !signal(c, "u.other")->alike);
    assert_int_equal(tac_comparison_first(c), -1);
    tac_comparison_destroy(c);
    c = compared(&b, &a);
    assert_true(signal(c, "u.other")->only_a);
    tac_comparison_destroy(c);
}

static void test_unmatched(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT), b = pair_of(TAC_TRACE_EXACT);
    for (tac_time t = 0; t <= 12; t += 2)
        add_sample(&a, t, 0, 1, 1);
    for (tac_time t = 0; t <= 9; t += 3)
        add_sample(&b, t, 0, 1, 1);
    tac_comparison *c = compared(&a, &b);
    const tac_difference *x = signal(c, "u.x");
    assert_false(tac_comparison_equal(c));
    assert_int_equal(x->samples, 2); // at 0 and 6
    assert_int_equal(x->unmatched_a, 5);
    assert_int_equal(x->unmatched_b, 2);
    assert_true(x->unmatched_us == 2 && x->beyond == 0);
    tac_comparison_destroy(c);
}

// A change of y makes a sample of x too; what it means for the other side is that x holds.
static void test_holding(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_HOLD), b = pair_of(TAC_TRACE_HOLD);
    add_sample(&a, 0, 0, 1, 1);
    add_sample(&b, 0, 0, 1, 1);
    add_sample(&a, 3, 0, 1, 2); // y changes in A alone
    add_sample(&b, 5, 0, 1, 2); // and here in B
    add_sample(&a, 8, 0, 4, 2);
    add_sample(&b, 8, 0, 4, 2);
    tac_comparison *c = compared(&a, &b);
    const tac_difference *x = signal(c, "u.x"), *y = signal(c, "u.y");
    assert_true(x->beyond == 0 && x->unmatched_us == TAC_TIME_NEVER && x->samples == 4);
    assert_true(y->beyond == 1 && y->first_us == 3 && y->a == 2 && y->b == 1);
    assert_int_equal(tac_comparison_first(c), 1);
    tac_comparison_destroy(c);
    // Behind the end of a recording nothing is known.
    add_sample(&b, 9, 0, 4, 2);
    c = compared(&a, &b);
    assert_true(signal(c, "u.x")->unmatched_b == 1 && signal(c, "u.x")->unmatched_us == 9);
    tac_comparison_destroy(c);
}

static void test_holding_against_exact(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_HOLD), b = pair_of(TAC_TRACE_EXACT);
    add_sample(&a, 0, 0, 1, 1);
    add_sample(&a, 6, 0, 2, 1);
    add_sample(&a, 8, 0, 3, 1);
    for (tac_time t = 0; t <= 8; t += 2)
        add_sample(&b, t, 0, t < 6 ? 1 : t < 8 ? 2 : 3, 1);
    tac_comparison *c = compared(&a, &b);
    assert_true(tac_comparison_equal(c));
    assert_int_equal(signal(c, "u.x")->samples, 5);
    tac_comparison_destroy(c);
    c = compared(&b, &a);
    assert_true(tac_comparison_equal(c));
    tac_comparison_destroy(c);
}

// What a channel holds where the span begins was written before it.
static void test_span(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_HOLD), b = pair_of(TAC_TRACE_HOLD);
    add_sample(&a, 0, 0, 1, 1);
    add_sample(&b, 0, 0, 9, 1);
    add_sample(&b, 4, 0, 1, 1);
    add_sample(&a, 6, 0, 1, 2);
    add_sample(&b, 8, 0, 1, 2);
    add_sample(&a, 9, 0, 1, 2);
    add_sample(&b, 9, 0, 7, 2);
    tac_compare_def def = tac_compare_def_default();
    def.from_us = 5;
    def.to_us = 7;
    tac_comparison *c = compared_as(&a, &b, &def);
    assert_true(signal(c, "u.x")->samples == 2 && signal(c, "u.x")->beyond == 0);
    assert_true(signal(c, "u.y")->beyond == 1 && signal(c, "u.y")->first_us == 6);
    tac_comparison_destroy(c);
    // A difference that is already there when the span begins, and no sample in it.
    def.from_us = 1;
    def.to_us = 3;
    c = compared_as(&a, &b, &def);
    assert_true(signal(c, "u.x")->samples == 1 && signal(c, "u.x")->first_us == 1);
    assert_true(signal(c, "u.y")->samples == 1 && signal(c, "u.y")->beyond == 0);
    tac_comparison_destroy(c);
    // A sample where the span begins takes the place of what was held.
    def.from_us = 4;
    def.to_us = 5;
    c = compared_as(&a, &b, &def);
    assert_true(tac_comparison_equal(c) && signal(c, "u.x")->samples == 1);
    tac_comparison_destroy(c);
    // Nothing is not equal to nothing.
    def.from_us = 100;
    def.to_us = TAC_TIME_NEVER;
    c = compared_as(&a, &b, &def);
    assert_false(tac_comparison_equal(c));
    tac_comparison_destroy(c);
}

static void test_unlike(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT), b = pair_of(TAC_TRACE_EXACT);
    b.signals[0].unit = "km";
    add_sample(&a, 0, 0, 1, 1);
    add_sample(&b, 0, 0, 1, 1);
    tac_comparison *c = compared(&a, &b);
    assert_false(tac_comparison_equal(c));
    const tac_difference *x = signal(c, "u.x");
    assert_true(!x->alike && !x->only_a && !x->only_b && x->samples == 0);
    assert_true(signal(c, "u.y")->alike);
    tac_comparison_destroy(c);
    b.signals[0].unit = "m";
    b.signals[0].type.scalar = TAC_I64;
    c = compared(&a, &b);
    assert_false(signal(c, "u.x")->alike);
    tac_comparison_destroy(c);
}

static void test_tolerances(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT), b = pair_of(TAC_TRACE_EXACT);
    add_sample(&a, 0, 0, 1, 1);
    add_sample(&b, 0, 0, 1.1, 1.1);
    const tac_tolerance list[] = {{"u.*", 1, 0}, {"u.y", 0.01, 0}, {"*", 0.2, 0}};
    tac_compare_def def = tac_compare_def_default();
    def.tolerances = list;
    def.tolerance_count = 1;
    tac_comparison *c = compared_as(&a, &b, &def);
    assert_true(tac_comparison_equal(c));
    assert_true(signal(c, "u.x")->max_us == 0);
    tac_comparison_destroy(c);
    def.tolerance_count = 2; // the last that matches counts
    c = compared_as(&a, &b, &def);
    assert_true(!tac_comparison_equal(c) && signal(c, "u.x")->beyond == 0);
    assert_int_equal(tac_comparison_first(c), 1);
    tac_comparison_destroy(c);
    def.tolerance_count = 3;
    c = compared_as(&a, &b, &def);
    assert_true(tac_comparison_equal(c));
    tac_comparison_destroy(c);
}

static void test_mistakes(void **state)
{
    (void)state;
    tac_recording a = pair_of(TAC_TRACE_EXACT), b = pair_of(TAC_TRACE_EXACT);
    tac_compare_def def = tac_compare_def_default();
    tac_comparison *c;
    tac_error err;
    const char *pattern = "u.z";
    def.patterns = &pattern;
    def.pattern_count = 1;
    assert_int_equal(tac_recording_compare(&a, &b, &def, &c, &err), TAC_E_NAME);
    assert_non_null(strstr(err.text, "did you mean 'u.x'?"));
    assert_null(c);
    const tac_tolerance wrong[] = {{"u.x", -1, 0}, {"nobody", 1, 0}, {"u.x", 0, (double)NAN}};
    const tac_status statuses[] = {TAC_E_RANGE, TAC_E_NAME, TAC_E_RANGE};
    def = tac_compare_def_default();
    def.tolerance_count = 1;
    for (int i = 0; i < 3; i++) {
        def.tolerances = &wrong[i];
        assert_int_equal(tac_recording_compare(&a, &b, &def, &c, &err), statuses[i]);
    }
    def = tac_compare_def_default();
    def.from_us = 2;
    def.to_us = 1;
    assert_int_equal(tac_recording_compare(&a, &b, &def, &c, &err), TAC_E_CALLER);
    tac_comparison_destroy(NULL);
}

TEST_MAIN(cmocka_unit_test(test_equal), cmocka_unit_test(test_first),
          cmocka_unit_test(test_other_channels), cmocka_unit_test(test_unmatched),
          cmocka_unit_test(test_holding), cmocka_unit_test(test_holding_against_exact),
          cmocka_unit_test(test_span), cmocka_unit_test(test_unlike),
          cmocka_unit_test(test_tolerances), cmocka_unit_test(test_mistakes))
