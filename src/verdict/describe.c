// describe.c - what came of an expectation, for people and for programs.
#include "verdict/verdict.h"

#include <math.h>
#include <string.h>

static bool is_kind(const tac_expectation *r, tac__expect_kind kind)
{
    return !strcmp(r->kind, tac__expect_word(kind));
}

static void add_quantity(const tac_expectation *r, double value, tac__text *out)
{
    tac__text_add(out, "%.6g%s%s", value, r->unit ? " " : "", r->unit ? r->unit : "");
}

static void add_time(tac_time t_us, tac__text *out)
{
    char text[TAC_TIME_TEXT];
    tac_time_print(t_us, text);
    tac__text_add(out, "%s", text);
}

// "; margin 0.9 m, where vehicle.z > -30 saw -29.1 m at 13 s"
static void add_margin(const tac_expectation *r, tac__text *out)
{
    if (!isfinite(r->margin))
        return;
    const bool failed = r->outcome == TAC_EXPECT_FAILED;
    tac__text_add(out, failed ? ", by " : ", margin ");
    add_quantity(r, failed ? fabs(r->margin) : r->margin, out);
    if (!r->comparison)
        return;
    tac__text_add(out, ": %s saw ", r->comparison);
    add_quantity(r, r->worst, out);
    tac__text_add(out, " at ");
    add_time(r->worst_us, out);
}

void tac__expect_text(const tac_expectation *r, tac__text *out)
{
    const bool passed = r->outcome == TAC_EXPECT_PASSED,
               eventually = is_kind(r, TAC__EXPECT_EVENTUALLY);
    if (r->outcome == TAC_EXPECT_UNDECIDED) {
        tac__text_add(out, "undecided: %s", r->reason ? r->reason : "the run has not ended");
        return;
    }
    tac__text_add(out, passed ? "passed" : "failed");
    if (r->when_us != TAC_TIME_NEVER) {
        tac__text_add(out, " at ");
        add_time(r->when_us, out);
    } else if (eventually) {
        tac__text_add(out, ": not true by ");
        add_time(r->t_us, out);
    }
    if (r->nan)
        tac__text_add(out, ": '%s' is not a number", r->nan);
    else
        add_margin(r, out);
}

static void key_number(tac__json *json, const char *key, double value)
{
    tac__json_key(json, key);
    if (isfinite(value))
        tac__json_number(json, value);
    else
        tac__json_text(json, NULL);
}

static void key_time(tac__json *json, const char *key, tac_time t_us)
{
    tac__json_key(json, key);
    if (t_us == TAC_TIME_NEVER)
        tac__json_text(json, NULL);
    else
        tac__json_u64(json, t_us);
}

void tac__expect_json(const tac_expectation *r, tac__json *json)
{
    static const char *const outcomes[] = {[TAC_EXPECT_PASSED] = "passed",
                                           [TAC_EXPECT_FAILED] = "failed",
                                           [TAC_EXPECT_UNDECIDED] = "undecided"};
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", r->name);
    tac__json_key_text(json, "kind", r->kind);
    tac__json_key_text(json, "condition", r->condition);
    if (is_kind(r, TAC__EXPECT_AT))
        tac__json_key_u64(json, "at_us", r->t_us);
    if (is_kind(r, TAC__EXPECT_EVENTUALLY))
        tac__json_key_u64(json, "within_us", r->t_us);
    tac__json_key_text(json, "result", outcomes[r->outcome]);
    tac__json_key_bool(json, "passed", r->outcome == TAC_EXPECT_PASSED);
    key_time(json, "when_us", r->when_us);
    key_number(json, "margin", r->margin);
    key_number(json, "worst", r->worst);
    key_time(json, "worst_us", r->worst_us);
    tac__json_key_text(json, "unit", r->unit);
    tac__json_key_text(json, "comparison", r->comparison);
    tac__json_key_text(json, "nan", r->nan);
    tac__json_key_text(json, "reason", r->reason);
    tac__json_object_end(json);
}
