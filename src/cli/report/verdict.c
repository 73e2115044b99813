// verdict.c - expectations in the report of a run.
#include "cli/report/verdict.h"

#include <string.h>

size_t cli_verdict_number(const tac_verdict *v, tac_expect_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < tac_verdict_count(v); i++)
        n += tac_verdict_get(v, i).outcome == outcome;
    return n;
}

bool cli_verdict_stopped(const tac_verdict *v)
{
    tac_time t_us;
    const char *nan;
    return tac_verdict_stopped(v, &t_us, &nan);
}

void cli_verdict_sum(const tac_verdict *v, tac__text *out)
{
    const size_t failed = cli_verdict_number(v, TAC_EXPECT_FAILED);
    const size_t undecided = cli_verdict_number(v, TAC_EXPECT_UNDECIDED);
    tac__text_add(out, "%zu of %zu passed", cli_verdict_number(v, TAC_EXPECT_PASSED),
                  tac_verdict_count(v));
    if (failed)
        tac__text_add(out, ", %zu failed", failed);
    if (undecided)
        tac__text_add(out, ", %zu undecided", undecided);
}

enum { LINES_MAX = 24 };

void cli_verdict_lines(const tac_verdict *v, tac__text *out)
{
    const size_t count = tac_verdict_count(v);
    size_t width = 0, shown = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(tac_verdict_get(v, i).name);
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < count && shown < LINES_MAX; i++) {
        const tac_expectation r = tac_verdict_get(v, i);
        if (count > LINES_MAX && r.outcome == TAC_EXPECT_PASSED)
            continue;
        shown++;
        tac__text_add(out, "    %-*s  ", (int)(width < 40 ? width : 40), r.name);
        char *text = tac_verdict_print(v, i, TAC_FORMAT_TEXT);
        tac__text_add(out, "%s\n", text ? text : "");
        out->failed |= !text;
        tac_text_free(text);
    }
    if (shown < count)
        tac__text_add(out, "    %s%zu more; --json has them all\n", shown ? "and " : "",
                      count - shown);
}

void cli_verdict_json(const tac_verdict *v, tac__json *json)
{
    if (tac_verdict_count(v)) {
        tac__json_key(json, "expect");
        tac__json_array_begin(json);
        for (size_t i = 0; i < tac_verdict_count(v); i++) {
            char *text = tac_verdict_print(v, i, TAC_FORMAT_JSON);
            tac__json_raw(json, text ? text : "null");
            json->text->failed |= !text;
            tac_text_free(text);
        }
        tac__json_array_end(json);
    }
    tac_time t_us;
    const char *nan;
    if (!tac_verdict_stopped(v, &t_us, &nan))
        return;
    tac__json_key(json, "stop");
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_u64(json, "t_us", t_us);
    tac__json_object_end(json);
}

tac_status cli_verdict_status(const tac_verdict *v, tac_error *err)
{
    tac_time t_us;
    const char *nan;
    if (tac_verdict_stopped(v, &t_us, &nan) && nan) {
        tac__fail(err, TAC_E_NUMERIC, "'%s' is not a number in the condition of 'stop'", nan);
        tac__error_run(err, t_us, NULL);
        return TAC_E_NUMERIC;
    }
    const size_t failed = cli_verdict_number(v, TAC_EXPECT_FAILED);
    if (!failed)
        return TAC_OK;
    tac__fail(err, TAC_E_EXPECT, "%zu of %zu expectations failed: ", failed, tac_verdict_count(v));
    const char *comma = "";
    enum { SHOWN = 8 };
    size_t shown = 0;
    for (size_t i = 0; i < tac_verdict_count(v); i++) {
        const tac_expectation r = tac_verdict_get(v, i);
        if (r.outcome != TAC_EXPECT_FAILED || ++shown > SHOWN)
            continue;
        tac__error_append(err, "%s'%s'", comma, r.name);
        comma = ", ";
    }
    if (shown > SHOWN)
        tac__error_append(err, " and %zu more", shown - SHOWN);
    return TAC_E_EXPECT;
}
