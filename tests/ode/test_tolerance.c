// Adaptive methods do what their tolerance says; steps are whole microseconds.
#include "solve.h"

static const double pi = 3.14159265358979323846;

typedef struct task {
    const char *name;
    size_t n, looked_at; // states, and how many of them the error is taken over
    field_fn *field;
    void (*start)(double *y);
    void (*exact)(double t, double *y);
    tac_time end_us;
    const tac__ode_group *groups;
    size_t group_count;
} task;

static void oscillator_start(double *y)
{
    y[0] = 1;
    y[1] = 0;
}

static void oscillator_exact(double t, double *y)
{
    y[0] = cos(2 * pi * t);
    y[1] = -2 * pi * sin(2 * pi * t);
}

static void circle_start(double *y)
{
    kepler_start(0, y);
}

static void circle_exact(double t, double *y)
{
    kepler_exact(0, t, y);
}

static void ellipse_start(double *y)
{
    kepler_start(0.3, y);
}

static void ellipse_exact(double t, double *y)
{
    kepler_exact(0.3, t, y);
}

// No closed form at hand: a much finer solution by another method.
static void tumble_exact(double t, double *y)
{
    solver s;
    solver_open(&s, "dop853", 7, tumble);
    tumble_start(y);
    solve_fixed(&s, 0, t, 2000, y);
    solver_close(&s);
}

static const tac__ode_group oscillator_groups[] = {{0, 1, 1, false}, {1, 1, 1, false}};
static const tac__ode_group orbit_groups[] = {{0, 2, 1, false}, {2, 2, 1, false}};
static const tac__ode_group tumble_groups[] = {{0, 4, 1, true}, {4, 3, 1, false}};

static const task tasks[] = {
    {"oscillator", 2, 2, oscillator, oscillator_start, oscillator_exact, 1000000, oscillator_groups,
     2},
    {"circle", 4, 2, kepler, circle_start, circle_exact, 6283185, orbit_groups, 2},
    {"ellipse", 4, 2, kepler, ellipse_start, ellipse_exact, 6283185, orbit_groups, 2},
    {"tumbling", 7, 7, tumble, tumble_start, tumble_exact, 2000000, tumble_groups, 2},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static double error_at(const task *t, const char *method, double tolerance)
{
    solver s;
    double y[STATES_MAX], exact[STATES_MAX];
    solver_open(&s, method, t->n, t->field);
    s.problem.groups = t->groups;
    s.problem.group_count = t->group_count;
    t->start(y);
    t->exact(tac_time_seconds(t->end_us), exact);
    solve_adaptive(&s, t->end_us, tolerance, y);
    const double error = distance(t->looked_at, y, exact);
    print_message("%-10s %-7s %.0e: error %.1e = %5.1f x, %5d steps, %4d rejected, %6d calls\n",
                  t->name, method, tolerance, error, error / tolerance, s.steps, s.rejected,
                  s.evaluations);
    solver_close(&s);
    return error;
}

// After a turn or two: below 100 times the tolerance, which is for one step, and from the loosest
// to the tightest as many decades less as the tolerance, give or take one. (Looser than this a step
// of high order is half a radian long, and estimates mean little.)
static void test_error_follows_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < TASKS; i++) {
        for (int m = 0; m < ADAPTIVE_METHODS; m++) {
            const char *method = adaptive_methods[m];
            const double loosest = error_at(&tasks[i], method, 1e-6);
            const double middle = error_at(&tasks[i], method, 1e-8);
            const double tightest = error_at(&tasks[i], method, 1e-10);
            if (!(loosest < 1e-4 && middle < 1e-6 && tightest < 1e-8))
                fail_msg("%s by %s: more than 100 times the tolerance", tasks[i].name, method);
            const double decades = log10(loosest / tightest);
            if (!(fabs(decades - 4) < 1))
                fail_msg("%s by %s: the error falls by %.1f decades of 4", tasks[i].name, method,
                         decades);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_error_follows_tolerance))
