// Random conditions with kinks against brute force: an oscillator, a ramp, and a discrete sine have
// closed forms, so a condition can be evaluated at any instant without an engine.
#include "base/arena.h"
#include "expr/expr.h"
#include "verdict/rig.h"

#include <math.h>

enum { RUNS = 100, EACH = 100, FINE = 64 };

// --- random conditions --------------------------------------------------------------------------

static uint64_t random_state;

static unsigned draw(unsigned count)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % count;
}

static double draw_number(double from, double to)
{
    return from + (to - from) * draw(10001) / 10000;
}

typedef struct text {
    char chars[1500];
    size_t length;
    bool remembers;
} text;

TAC_PRINTF(2, 3) static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->chars + t->length, sizeof t->chars - t->length, format, args);
    va_end(args);
    assert_true(t->length < sizeof t->chars);
}

static void add_condition(text *t, int depth);

static void add_number(text *t, int depth)
{
    static const char *const leaves[] = {"q.x", "q.v", "q.r", "q.y", "d.y", "t/(1 s)"};
    switch (depth > 0 ? draw(10) : 0) {
    case 1:
        add(t, "abs(");
        add_number(t, depth - 1);
        add(t, " - %.3f)", draw_number(-1, 1));
        break;
    case 2:
    case 3:
        add(t, draw(2) ? "min(" : "max(");
        add_number(t, depth - 1);
        add(t, ", ");
        add_number(t, depth - 1);
        add(t, ")");
        break;
    case 4:
        add(t, "if(");
        add_condition(t, depth - 1);
        add(t, ", ");
        add_number(t, depth - 1);
        add(t, ", ");
        add_number(t, depth - 1);
        add(t, ")");
        break;
    case 5:
        add(t, "(");
        add_number(t, depth - 1);
        add(t, " + %.3f*", draw_number(-1, 1));
        add_number(t, depth - 1);
        add(t, ")");
        break;
    case 6:
        add(t, "clamp(");
        add_number(t, depth - 1);
        add(t, ", -0.5, %.3f)", draw_number(-0.4, 1));
        break;
    default:
        add(t, "%s", leaves[draw(6)]);
    }
}

static void add_condition(text *t, int depth)
{
    switch (depth > 0 ? draw(6) : 5) {
    case 0:
    case 1:
        add(t, "(");
        add_condition(t, depth - 1);
        add(t, draw(2) ? " AND " : " OR ");
        add_condition(t, depth - 1);
        add(t, ")");
        break;
    case 2:
        add(t, "NOT (");
        add_condition(t, depth - 1);
        add(t, ")");
        break;
    default:
        add_number(t, depth);
        add(t, draw(2) ? " < " : " > ");
        add(t, "%.4f", draw_number(-2, 2));
    }
}

// --- brute force --------------------------------------------------------------------------------

// What the engine has at t: q.x, q.v, q.r, q.y and d.y, which is written every 200 ms.
enum { SIGNALS = 5, PERIOD_US = 200000 };
static const char *const names[SIGNALS] = {"q.x", "q.v", "q.r", "q.y", "d.y"};

static void signals_at(double t_s, bool before_write, double *values)
{
    const double steps = floor(t_s * 1e6 / PERIOD_US + 1e-9) -
                         (before_write && fmod(t_s * 1e6 + 1e-3, PERIOD_US) < 2e-3);
    const double held_s = fmax(steps, 0) * PERIOD_US * 1e-6;
    values[0] = cos(3 * t_s);
    values[1] = -3 * sin(3 * t_s);
    values[2] = 0.7 * t_s - 1;
    values[3] = values[0] * values[0] - 0.5 * values[2];
    values[4] = sin(2 * M_PI * 0.7 * held_s + 1);
}

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    const char *const *used = context;
    for (int i = 0; used[i]; i++) {
        if (!strcmp(used[i], name)) {
            *signal = (tac__expr_signal){.index = i, .type = TAC__EXPR_NUMBER};
            return true;
        }
    }
    return false;
}

typedef struct brute {
    tac__arena arena;
    tac__program *program;
    tac__margin *margin;
    const void *values[SIGNALS];
    double all[SIGNALS];
    uint64_t memory[TAC__EXPR_TIMED], before[TAC__EXPR_TIMED], copy[TAC__EXPR_TIMED];
    size_t words;
} brute;

static void open_brute(brute *b, const char *condition)
{
    tac_error err;
    tac__expr *expr;
    *b = (brute){.words = 0};
    tac__arena_init(&b->arena, tac_allocator_default());
    assert_int_equal(tac__expr_parse(&b->arena, condition, &expr, &err), TAC_OK);
    size_t count;
    const char *const *used = tac__expr_signals(expr, &count);
    const char **list = tac__arena_array(&b->arena, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i] = used[i];
        for (int k = 0; k < SIGNALS; k++) {
            if (!strcmp(used[i], names[k]))
                b->values[i] = &b->all[k];
        }
    }
    const tac__expr_scope scope = {find, NULL, list};
    b->words = tac__expr_memory(expr);
    if (tac__expr_compile(&b->arena, expr, TAC__EXPR_BOOL, NULL, &scope, &b->program, &err) !=
        TAC_OK)
        fail_msg("%s: %s", condition, err.text);
    assert_int_equal(tac__margin_compile(&b->arena, expr, &b->margin, &err), TAC_OK);
}

// The condition and its margin at an instant, in whole microseconds; instants ascend.
static bool look(brute *b, tac_time t_us, bool before_write, double *margin)
{
    signals_at(tac_time_seconds(t_us), before_write, b->all);
    memcpy(b->before, b->memory, sizeof b->before);
    const bool truth = tac__program_run(b->program, t_us, b->values, b->memory).value != 0;
    *margin = tac__margin_run(b->margin, t_us, b->values, b->before, b->copy).margin;
    return truth;
}

// --- one expectation ----------------------------------------------------------------------------

typedef struct expected {
    tac_time from_us; // where a stretch begins that holds for an eighth of a step; NEVER: none
    double worst;     // the least margin, or for `eventually` the largest
    double scale;
} expected;

// Go over the run in fine steps, and once more in finer ones around the worst margin.
static expected search(const char *condition, bool always, bool largest, tac_time until_us,
                       tac_time h_us)
{
    brute b;
    open_brute(&b, condition);
    const tac_time fine_us = h_us / FINE > 0 ? h_us / FINE : 1;
    expected e = {.from_us = TAC_TIME_NEVER, .worst = (double)NAN};
    const double sign = largest ? -1 : 1;
    tac_time begun_us = TAC_TIME_NEVER, worst_us = 0;
    double least = (double)INFINITY;
    for (tac_time t_us = 0; t_us <= until_us; t_us += fine_us) {
        for (int twice = t_us % PERIOD_US == 0 && t_us > 0; twice >= 0; twice--) {
            double margin;
            const bool wanted = look(&b, t_us, twice, &margin) != always;
            const bool holds = wanted && fabs(margin) > 1e-5; // and not by a rounding error
            if (!holds)
                begun_us = TAC_TIME_NEVER;
            else if (begun_us == TAC_TIME_NEVER)
                begun_us = t_us;
            if (holds && e.from_us == TAC_TIME_NEVER && t_us - begun_us >= h_us / 8 + 2 * fine_us)
                e.from_us = begun_us;
            if (isfinite(margin) && fabs(margin) > e.scale)
                e.scale = fabs(margin);
            if (sign * margin < least) {
                least = sign * margin;
                worst_us = t_us;
            }
        }
    }
    const tac_time low_us = worst_us > fine_us ? worst_us - fine_us : 0;
    const tac_time step_us = fine_us > 200 ? fine_us / 200 : 1;
    for (tac_time t_us = low_us; !b.words && t_us <= worst_us + fine_us && t_us <= until_us;
         t_us += step_us) {
        for (int twice = t_us % PERIOD_US == 0 && t_us > 0; twice >= 0; twice--) {
            double margin;
            (void)look(&b, t_us, twice, &margin);
            least = fmin(least, sign * margin);
        }
    }
    e.worst = sign * least;
    tac__arena_fini(&b.arena);
    return e;
}

// Is this the margin at t_us, before a write or after it?
static bool near_margin(const char *condition, tac_time t_us, double wanted, double room)
{
    bool near = false;
    for (int before_write = 1; before_write >= 0; before_write--) {
        brute b;
        double margin;
        open_brute(&b, condition);
        (void)look(&b, t_us, before_write, &margin);
        near |= fabs(margin - wanted) <= room;
        tac__arena_fini(&b.arena);
    }
    return near;
}

// Is the condition like this at t_us, or nearly so?
static bool holds_at(const char *condition, tac_time t_us, bool wanted)
{
    bool holds = false;
    for (int before_write = 1; before_write >= 0; before_write--) {
        brute b;
        double margin;
        open_brute(&b, condition);
        holds |= look(&b, t_us, before_write, &margin) == wanted || fabs(margin) < 1e-5;
        tac__arena_fini(&b.arena);
    }
    return holds;
}

static unsigned judged, decided, complaints;

#define complain(...) (complaints++ < 5 ? print_error(__VA_ARGS__), print_error("\n") : (void)0)

static void check(const tac_expectation *x, tac_time h_us, const char *method)
{
    const bool eventually = !strcmp(x->kind, "eventually"), never = !strcmp(x->kind, "never");
    const bool remembers = strstr(x->condition, "held(");
    expected e = search(x->condition, !eventually && !never, eventually || never, x->t_us, h_us);
    if (never)
        e.worst = -e.worst;
    const bool found =
        eventually ? x->outcome == TAC_EXPECT_PASSED : x->outcome == TAC_EXPECT_FAILED;
    judged++;
    decided += found;
    const tac_time slack_us = h_us / FINE + 3;
    if (e.from_us != TAC_TIME_NEVER && (!found || x->when_us > e.from_us + slack_us))
        complain("%s %s (%s, h %llu us): from %llu us on, found %s at %lld", x->kind, x->condition,
                 method, (unsigned long long)h_us, (unsigned long long)e.from_us,
                 found ? "later" : "nothing", (long long)x->when_us);
    if (found && !remembers && !holds_at(x->condition, x->when_us, eventually || never))
        complain("%s %s (%s): found at %llu us what is not so", x->kind, x->condition, method,
                 (unsigned long long)x->when_us);
    if (remembers || !isfinite(e.worst))
        return;
    // No worse one is known, and it is that of its instant.
    const double sign = eventually ? -1 : 1;
    const bool near = near_margin(x->condition, x->worst_us, never ? -x->margin : x->margin,
                                  1e-6 * (1 + e.scale));
    if (!(sign * x->margin <= sign * e.worst + 1e-6 * (1 + e.scale)) || !near)
        complain("%s %s (%s, h %llu us): margin %.9g at %llu us, expected %.9g", x->kind,
                 x->condition, method, (unsigned long long)h_us, x->margin,
                 (unsigned long long)x->worst_us, e.worst);
}

static void test_random(void **state)
{
    (void)state;
    static const char *const kinds[] = {"always", "never", "eventually"};
    static char file[EACH * 2000];
    for (unsigned run = 0; run < RUNS; run++) {
        random_state = run + 1;
        const char *method = draw(4) ? "dop853" : "rk45";
        const unsigned h_us = 1000 * (5 + draw(400)) + draw(1000);
        size_t at = (size_t)snprintf(
            file, sizeof file,
            "duration: 3 s\nplant: {integrator: {kind: %s, h_max: %u us, rtol: 1.0e-11, "
            "atol: 1.0e-12}}\n"
            "scheduler: {rate_groups: [{name: g, period: 200 ms, components: [d]}]}\n"
            "components:\n"
            "  q: {type: equations, params: {states: {x: {initial: 1}, v: {}, r: {initial: -1}}, "
            "outputs: {y: {}}, equations: ['der(x) = v/(1 s)', 'der(v) = -9*x/(1 s)', "
            "'der(r) = 0.7/(1 s)', 'y = x*x - 0.5*r']}}\n"
            "  d: {type: sine, params: {frequency: 0.7 Hz, phase: 1 rad}}\n"
            "expect:\n",
            method, h_us);
        for (unsigned i = 0; i < EACH; i++) {
            text t = {.length = 0};
            if (draw(8) == 0) {
                add(&t, "held(");
                add_condition(&t, 2);
                add(&t, ", %u ms) AND q.r > -5", 1 + draw(300));
            } else {
                add_condition(&t, 3);
                add(&t, draw(2) ? " AND q.r > -5" : " OR q.r < -5");
            }
            at += (size_t)snprintf(file + at, sizeof file - at, "  c%u: {%s: '%s'}\n", i,
                                   kinds[draw(3)], t.chars);
        }
        watch w;
        run_text(&w, file);
        for (size_t i = 0; i < tac_verdict_count(w.verdict); i++) {
            const tac_expectation x = tac_verdict_get(w.verdict, i);
            check(&x, h_us, method);
        }
        close_watch(&w);
    }
    assert_int_equal(complaints, 0);
    assert_true(judged == RUNS * EACH && decided > judged / 10 && decided < judged * 9 / 10);
}

TEST_MAIN(cmocka_unit_test(test_random))
