// bare.h - the bare loop that engine and replay are compared with: one that only integrates the
// same plant over the same intervals.
//
// A flight is cut into pieces of 0.1 s; of each the fastest of several runs counts, and their
// sum is the flight: on a shared machine the rest measures the neighbours. What is compared runs
// turn by turn, so that both have the same ones.
#ifndef TAC_BENCH_BARE_H
#define TAC_BENCH_BARE_H

#include "flights.h"

enum { REPEATS = 25, PIECES_MAX = 1000, PIECE_US = 100000 };

// --- flights in pieces --------------------------------------------------------------------------

// How long each piece of a flight took at best.
typedef struct pieces {
    double best_s[PIECES_MAX];
    size_t count;
} pieces;

static void cut(pieces *p, const flight *f)
{
    p->count = (size_t)((tac_config_engine_def(f->config).end_us + PIECE_US - 1) / PIECE_US);
    for (size_t i = 0; i < p->count; i++)
        p->best_s[i] = 1e300;
}

static void note(pieces *p, size_t piece, double took_s)
{
    p->best_s[piece] = fmin(p->best_s[piece], took_s);
}

static double sum_s(const pieces *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += p->best_s[i];
    return sum;
}

// Run its engine to the end.
static void run_once(flight *f, pieces *p)
{
    for (size_t i = 0; i < p->count; i++) {
        tac_error err;
        const double start_s = bench_now_s();
        check(tac_engine_run(f->engine, (i + 1) * PIECE_US, &err), &err);
        note(p, i, bench_now_s() - start_s);
    }
}

// --- the bare loop ------------------------------------------------------------------------------

// An interval of the flight: what the plant was held at.
typedef struct interval {
    tac_time from_us, to_us;
    size_t held; // offset of inputs and modes
} interval;

typedef struct record {
    const tac__component *body;
    interval *intervals;
    size_t count;
    double *held;
    size_t stride, offsets[16]; // of the inputs in what is held; modes come last
    double start[64];
} record;

static void describe_inputs(record *r)
{
    for (size_t k = 0; k < r->body->inputs.count; k++) {
        r->offsets[k] = r->stride;
        r->stride += tac__type_words(&r->body->inputs.items[k].type);
    }
    r->offsets[r->body->inputs.count] = r->stride;
    r->stride += r->body->event_count;
}

// Fly once, one instant after the other, and note every interval of the first island.
static record take_down(flight *f)
{
    enum { MOST = 300000 };
    tac_error err;
    build(f, NULL, NULL);
    const tac__island *island = &f->engine->islands[0];
    record r = {.body = f->engine->plan->components[island->plan->components[0]]};
    describe_inputs(&r);
    r.intervals = malloc(MOST * sizeof *r.intervals);
    r.held = malloc(MOST * r.stride * sizeof *r.held);
    memcpy(r.start, island->x, island->plan->x_count * sizeof *r.start);
    while (!tac_engine_finished(f->engine) && r.count < MOST) {
        check(tac_engine_run(f->engine, tac_engine_next_time(f->engine), &err), &err);
        const tac_time t_us = tac_engine_time(f->engine);
        if (island->state->at_us != t_us || tac_engine_finished(f->engine))
            continue;
        if (r.count)
            r.intervals[r.count - 1].to_us = t_us;
        double *held = r.held + r.count * r.stride;
        for (size_t k = 0; k < r.body->inputs.count; k++)
            memcpy(held + r.offsets[k], r.body->scratch_in[k],
                   tac__type_words(&r.body->inputs.items[k].type) * 8);
        memcpy(held + r.offsets[r.body->inputs.count], island->mode,
               island->plan->event_count * sizeof *held);
        r.intervals[r.count] =
            (interval){t_us, tac_config_engine_def(f->config).end_us, r.count * r.stride};
        r.count++;
    }
    return r;
}

typedef struct loop {
    const record *record;
    const tac__method *method;
    tac__ode_problem problem;
    tac__ode_work work;
    tac_eval eval;
    const void *in[16];
    double x[64], y[64], g[16];
    tac_time h_us;
    const tac_integrator_def *def;
} loop;

static tac_status right_hand_side(void *context, double t_s, double *dx)
{
    loop *l = context;
    l->eval.t_s = t_s;
    l->eval.dx = dx;
    return l->record->body->type->kernels[TAC_NUMBERS].derive(&l->eval, l->record->body->self);
}

static tac_time clamp_us(double us)
{
    return us < 1 ? 1 : us > 1e12 ? (tac_time)1e12 : (tac_time)us;
}

// Nothing but integration: adaptive steps of whole microseconds with the inputs held, contact
// looked for after each, the attitude brought back to unit length.
static void integrate(loop *l, const interval *it)
{
    const record *r = l->record;
    const double *held = r->held + it->held;
    for (size_t k = 0; k < r->body->inputs.count; k++)
        l->in[k] = held + r->offsets[k];
    l->eval.mode = held + r->offsets[r->body->inputs.count];
    l->work.first = false;
    for (tac_time t_us = it->from_us; t_us < it->to_us;) {
        const tac_time left_us = it->to_us - t_us, h_us = left_us < l->h_us ? left_us : l->h_us;
        const double h_s = tac_time_seconds(h_us);
        (void)tac__ode_step(l->method, &l->problem, &l->work, tac_time_seconds(t_us),
                            tac_time_seconds(t_us + h_us), h_s, l->x, l->y);
        const double error = tac__ode_error(l->method, &l->problem, &l->work, l->def->rtol,
                                            l->def->atol, h_s, l->x, l->y);
        const tac_time next_us = clamp_us((double)h_us * tac__ode_factor(l->method, error));
        if (error > 1) {
            l->h_us = next_us;
            tac__ode_retry(&l->work);
            continue;
        }
        l->h_us = h_us < l->h_us && next_us < l->h_us ? l->h_us : next_us;
        memcpy(l->x, l->y, l->problem.n * sizeof *l->x);
        memcpy(l->work.z, l->y, l->problem.n * sizeof *l->x);
        (void)r->body->type->kernels[TAC_NUMBERS].detect(&l->eval, r->body->self, l->g);
        tac__ode_carry(&l->work);
        t_us += h_us;
    }
    (void)r->body->type->kernels[TAC_NUMBERS].project(&l->eval, r->body->self, l->x);
}

// Integrate the whole flight once; returns how far its end is from that of the engine [m].
static double integrate_once(const flight *f, const record *r, pieces *p)
{
    static double memory[16384];
    const tac__island *island = &f->engine->islands[0];
    loop l = {.record = r,
              .method = f->engine->plan->method,
              .problem = island->problem,
              .h_us = 1000,
              .def = &f->engine->plan->def.integrator};
    l.problem.context = &l;
    l.problem.rhs = right_hand_side;
    tac__ode_work_init(&l.work, l.method, l.problem.n, memory);
    l.eval = f->engine->instances[r->body->index]->scratch; // outputs and numbers
    l.eval.in = l.in;
    l.eval.x = l.work.z;
    memcpy(l.x, r->start, sizeof l.x);
    size_t i = 0;
    for (size_t piece = 0; piece < p->count; piece++) {
        const double start_s = bench_now_s();
        for (; i < r->count && r->intervals[i].from_us < (piece + 1) * PIECE_US; i++)
            integrate(&l, &r->intervals[i]);
        note(p, piece, bench_now_s() - start_s);
    }
    double error_m = 0;
    for (int k = 0; k < 3; k++)
        error_m = fmax(error_m, fabs(l.x[k] - island->x[k]));
    return error_m;
}

#endif
