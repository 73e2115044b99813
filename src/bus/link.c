// link.c - laws of links; see link.h.
#include "bus/link.h"
#include "math/normal.h"

#include <inttypes.h>
#include <stddef.h>
#include <tactus/math.h>

const char *tac__delay_name(tac_delay delay)
{
    static const char *const names[] = {
#define NAME(name, text, doc) text,
        TAC_DELAY_TABLE(NAME)
#undef NAME
    };
    return (size_t)delay < TAC_DELAY_COUNT ? names[delay] : "";
}

const char *tac__fate_name(tac__fate_kind kind)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        TAC__FATE_TABLE(NAME)
#undef NAME
    };
    return (size_t)kind < TAC__FATE_COUNT ? names[kind] : "";
}

static void add_time(tac__text *out, const char *before, tac_time t_us)
{
    char text[TAC_TIME_TEXT];
    tac_time_print(t_us, text);
    tac__text_add(out, "%s%s", before, text);
}

static void add_probability(tac__text *out, const char *name, double p)
{
    char text[TAC__NUMBER_TEXT];
    tac__number_print(p, text);
    if (p > 0)
        tac__text_add(out, ", %s %s", name, text);
}

void tac__link_describe(const tac_link_law *law, tac__text *out)
{
    if (law->delay == TAC_DELAY_CONSTANT) {
        add_time(out, "", law->min_us);
    } else {
        tac__text_add(out, "%s", tac__delay_name(law->delay));
        if (law->delay != TAC_DELAY_UNIFORM)
            add_time(out, " mean ", law->mean_us);
        if (law->delay == TAC_DELAY_NORMAL)
            add_time(out, " sigma ", law->sigma_us);
        add_time(out, law->delay == TAC_DELAY_UNIFORM ? " " : " from ", law->min_us);
        if (law->max_us)
            add_time(out, " to ", law->max_us);
    }
    add_probability(out, "loss", law->loss);
    add_probability(out, "duplicate", law->duplicate);
    for (size_t i = 0; i < law->down_count; i++) {
        add_time(out, i ? " and " : ", down ", law->down[i].from_us);
        add_time(out, " to ", law->down[i].to_us);
    }
}

// --- checking -----------------------------------------------------------------------------------

static tac_status check_probability(const char *name, double p, const tac_place *place,
                                    tac_error *err)
{
    if (p >= 0 && p <= 1)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_RANGE, place,
                        "%s: %g is no probability: expected a number from 0 to 1, or from 0 %% to "
                        "100 %%",
                        name, p);
}

static tac_status check_least(const tac_link_law *law, const tac_place *place, tac_error *err)
{
    if (law->min_us >= 1)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_RANGE, place,
                        "a delay of zero is refused, because a message cannot arrive at the "
                        "boundary at which it is sent, and in a federation no process could "
                        "advance: %s must be at least 1 us",
                        law->delay == TAC_DELAY_CONSTANT ? "the delay" : "the least delay");
}

static tac_status fail_order(const char *what, tac_time a_us, const char *relation, tac_time b_us,
                             const tac_place *place, tac_error *err)
{
    char a[TAC_TIME_TEXT], b[TAC_TIME_TEXT];
    tac_time_print(a_us, a);
    tac_time_print(b_us, b);
    return tac__fail_at(err, TAC_E_RANGE, place, "%s (%s) %s (%s)", what, a, relation, b);
}

static tac_status check_delay(const tac_link_law *law, const tac_place *place, tac_error *err)
{
    TAC_TRY(check_least(law, place, err));
    const tac_time times[] = {law->min_us, law->max_us, law->mean_us, law->sigma_us};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i] > TAC_TIME_MAX)
            return fail_order("a time of the delay", times[i], "is too long: more than",
                              TAC_TIME_MAX, place, err);
    }
    const bool has_mean = law->delay == TAC_DELAY_NORMAL || law->delay == TAC_DELAY_EXPONENTIAL;
    const bool has_max = law->delay == TAC_DELAY_UNIFORM || (has_mean && law->max_us > 0);
    if (has_max && law->max_us < law->min_us)
        return fail_order("the greatest delay", law->max_us, "is less than the least one",
                          law->min_us, place, err);
    if (has_mean && law->mean_us < law->min_us)
        return fail_order("the mean delay", law->mean_us, "is less than the least one", law->min_us,
                          place, err);
    if (has_mean && has_max && law->mean_us > law->max_us)
        return fail_order("the mean delay", law->mean_us, "is more than the greatest one",
                          law->max_us, place, err);
    return TAC_OK;
}

static tac_status check_down(const tac_link_law *law, const tac_place *place, tac_error *err)
{
    for (size_t i = 0; i < law->down_count; i++) {
        const tac_outage *w = &law->down[i];
        if (w->from_us >= w->to_us)
            return fail_order("down: the begin", w->from_us, "is not before the end", w->to_us,
                              place, err);
        if (i > 0 && w->from_us < law->down[i - 1].to_us)
            return fail_order("down: the begin", w->from_us,
                              "is before the end of the one before it", law->down[i - 1].to_us,
                              place, err);
    }
    return TAC_OK;
}

tac_status tac__link_check(const tac_link_law *law, const tac_place *place, tac_error *err)
{
    if ((size_t)law->delay >= TAC_DELAY_COUNT)
        return tac__fail_at(err, TAC_E_RANGE, place, "delay: there is no law with number %u",
                            (unsigned)law->delay);
    TAC_TRY(check_delay(law, place, err));
    TAC_TRY(check_probability("loss", law->loss, place, err));
    TAC_TRY(check_probability("duplicate", law->duplicate, place, err));
    return check_down(law, place, err);
}

// --- drawing ------------------------------------------------------------------------------------

// A message has four draws of its link's stream: what becomes of it, the delay of either copy, and
// one that is not used.
enum { DRAW_FATE, DRAW_DELAY, DRAWS = 4 };

tac__stream tac__link_key(uint64_t seed, const char *from, const char *to)
{
    return tac__stream_make_path(seed, (const char *const[]){"link", from, to}, 3);
}

static bool is_down(const tac_link_law *law, tac_time sent_us)
{
    size_t low = 0, high = law->down_count; // finds the first window that ends after sent_us
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (law->down[middle].to_us <= sent_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low < law->down_count && law->down[low].from_us <= sent_us;
}

// To the nearest whole number, inside the bounds.
static tac_time whole(const tac_link_law *law, double delay_us)
{
    const tac_time most_us = law->max_us ? law->max_us : TAC_TIME_MAX;
    if (delay_us <= (double)law->min_us)
        return law->min_us;
    if (delay_us >= (double)most_us)
        return most_us;
    const tac_time rounded_us = (tac_time)(delay_us + 0.5);
    return rounded_us < most_us ? rounded_us : most_us;
}

static tac_time draw_delay(const tac_link_law *law, const tac__stream *key, uint64_t index)
{
    switch (law->delay) {
    case TAC_DELAY_UNIFORM: {
        const double count = (double)(law->max_us - law->min_us + 1);
        const tac_time more_us = (tac_time)(tac__stream_uniform(key, index) * count);
        const tac_time most_us = law->max_us - law->min_us; // `count` may have been rounded up
        return law->min_us + (more_us < most_us ? more_us : most_us);
    }
    case TAC_DELAY_NORMAL: {
        tac__normals ready = {0};
        double normal;
        tac__normals_make(&ready, key, &index, &normal, 1);
        return whole(law, (double)law->mean_us + (double)law->sigma_us * normal);
    }
    case TAC_DELAY_EXPONENTIAL: {
        const double more = -tac_log(1 - tac__stream_uniform(key, index));
        return whole(law, (double)law->min_us + (double)(law->mean_us - law->min_us) * more);
    }
    default:
        return law->min_us;
    }
}

// Uniform in [0, 1) from two words, as tac__stream_uniform.
static double uniform(const uint32_t words[2])
{
    return (double)(((uint64_t)words[0] << 32 | words[1]) >> 11) * 0x1p-53;
}

tac__fate tac__link_fate(const tac_link_law *law, const tac__stream *key, tac_time sent_us,
                         uint64_t sequence)
{
    tac__fate fate = {.kind = TAC__FATE_DELIVERED, .copies = 1};
    if (is_down(law, sent_us))
        return (tac__fate){.kind = TAC__FATE_DOWN};
    const uint64_t first = sequence * DRAWS;
    if (law->loss > 0 || law->duplicate > 0) {
        uint32_t words[4];
        tac__stream_words(key, first + DRAW_FATE, words);
        if (uniform(words) < law->loss)
            return (tac__fate){.kind = TAC__FATE_LOST};
        if (uniform(words + 2) < law->duplicate)
            fate = (tac__fate){.kind = TAC__FATE_DUPLICATED, .copies = 2};
    }
    for (uint32_t copy = 0; copy < fate.copies; copy++)
        fate.delay_us[copy] = draw_delay(law, key, first + DRAW_DELAY + copy);
    return fate;
}
