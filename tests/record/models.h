// models.h - random simulations for tests of recorder and replay.
//
// A model follows from its number alone: a few entities with plants and discrete components, wired
// at random over all kinds of ports, policies, delays, messages, timers, hooks, events and jumps.
// Every third has phases. Not every number gives a model that the engine accepts.
#ifndef TAC_TESTS_RECORD_MODELS_H
#define TAC_TESTS_RECORD_MODELS_H

#include "support/test.h"
#include "base/json_read.h"
#include "engine/phases/phases.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

// --- numbers ------------------------------------------------------------------------------------

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_next(dice *d) // splitmix64
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline unsigned dice_below(dice *d, unsigned n)
{
    return (unsigned)(dice_next(d) % n);
}

static inline bool dice_chance(dice *d, unsigned percent)
{
    return dice_below(d, 100) < percent;
}

static inline double dice_real(dice *d) // in [-1, 1)
{
    return (double)(int64_t)(dice_next(d) >> 11) / 4503599627370496.0 - 1;
}

// --- units: components of any kind --------------------------------------------------------------

enum {
    UNIT_STEP = 1,
    UNIT_PLANT = 2,
    UNIT_EVENT = 4, // with located events
    UNIT_TIMER = 8,
    UNIT_SENDS = 16,
    UNIT_HEARS = 32,
    UNIT_DEAF = 64, // is not triggered by what it hears
    UNIT_PRE = 128,
    UNIT_POST = 256,
    UNIT_CONSTANT = 512, // writes its outputs in init only
    UNIT_FIXED = 1024,   // its step ignores its inputs, and writes every other time
    UNIT_EXTRA = 2048,   // has one more output
    UNIT_WAITS = 4096,   // for two conditions on the first plant
    UNIT_SET = 8192,     // its input v is set by phases
    UNIT_CHANGE = 16384  // with hooks of phases
};

// Inputs: u, v (f64), b (bool), k (i32). Outputs of a step: z with its rate zr, w (vec3), q (quat),
// b, k, l (i64), e (enum); of a plant: y. Continuous states: x, p (vec3).
enum { IN_U, IN_V, IN_B, IN_K };
enum { OUT_Z, OUT_ZR, OUT_W, OUT_Q, OUT_B, OUT_K, OUT_L, OUT_E, STEP_OUTPUTS };

typedef struct unit {
    char name[16], full[32];
    const char *entity, *stage;
    const char *plant; // that it waits for
    int group;         // -1: none
    uint32_t flags;
    double a[6];
    int active[2]; // phases in which it is active, -1: none; both -1: in all
    bool hold;
    tac_component_type type;
    uint64_t steps, inits, hooks, turns;
    tac_time *boundaries; // of its island, where it is a plant
    size_t boundary_count;
} unit;

static inline unit *unit_of(const void *self)
{
    unit *u;
    memcpy(&u, self, sizeof u);
    return u;
}

static inline double bounded(double x)
{
    return x / (1 + (x < 0 ? -x : x));
}

static unit *unit_declaring;

static inline tac_status unit_declare(tac_declare *d, void *self)
{
    static const char *const labels[] = {"LOW", "MIDDLE", "HIGH", NULL};
    const unit *u = unit_declaring;
    memcpy(self, &u, sizeof u);
    // A parameter, so that a model can be changed without another structure.
    tac_param_f64(d, TAC_PARAM(.name = "gain", .fallback = "1"));
    const uint32_t open = TAC_PORT_OPTIONAL;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .flags = open));
    tac_declare_input(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .flags = open));
    tac_declare_input(d, TAC_PORT(.name = "b", .type = TAC_TYPE_BOOL, .flags = open));
    tac_declare_input(d, TAC_PORT(.name = "k", .type = TAC_TYPE_I32, .flags = open));
    if (u->flags & (UNIT_STEP | UNIT_CONSTANT)) {
        tac_declare_output(d, TAC_PORT(.name = "z", .type = TAC_TYPE_F64, .derivative = "zr"));
        tac_declare_output(d, TAC_PORT(.name = "zr", .type = TAC_TYPE_F64));
        tac_declare_output(d, TAC_PORT(.name = "w", .type = TAC_TYPE_VEC3));
        tac_declare_output(d, TAC_PORT(.name = "q", .type = TAC_TYPE_QUAT));
        tac_declare_output(d, TAC_PORT(.name = "b", .type = TAC_TYPE_BOOL));
        tac_declare_output(d, TAC_PORT(.name = "k", .type = TAC_TYPE_I32));
        tac_declare_output(d, TAC_PORT(.name = "l", .type = TAC_TYPE_ARRAY(TAC_I64, 2)));
        tac_declare_output(d, TAC_PORT(.name = "e", .type = TAC_TYPE_ENUM(labels)));
        tac_declare_stream(d, "noise");
    }
    if (u->flags & UNIT_EXTRA)
        tac_declare_output(d, TAC_PORT(.name = "extra", .type = TAC_TYPE_F64));
    tac_declare_state(d, TAC_PORT(.name = "n", .type = TAC_TYPE_F64));
    tac_declare_state(d, TAC_PORT(.name = "heard", .type = TAC_TYPE_F64));
    if (u->flags & UNIT_PLANT) {
        tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
        tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
        tac_declare_continuous(d,
                               TAC_PORT(.name = "p", .type = TAC_TYPE_VEC3,
                                        .part = u->a[0] > 0 ? TAC_PART_ACTUATOR : TAC_PART_BODY));
    }
    if (u->flags & UNIT_EVENT)
        tac_declare_event(d, "high", "");
    for (int i = 0; u->flags & UNIT_WAITS && i < 2; i++) {
        char signal[64];
        snprintf(signal, sizeof signal, "%s.%s", u->plant, i ? "y" : "x");
        const int inputs[] = {tac_declare_watch(d, signal, NULL), IN_K, IN_B};
        tac_declare_condition(d, i ? "wide" : "far", inputs, 3, NULL);
    }
    if (u->flags & UNIT_SENDS)
        tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    if (u->flags & UNIT_HEARS)
        tac_declare_receiver(d, TAC_MESSAGE(.name = "rx", .capacity = 64, .max_bytes = 16,
                                            .triggers = !(u->flags & UNIT_DEAF)));
    return TAC_OK;
}

static inline tac_status unit_wake(tac_step *s, const unit *u)
{
    if (!(u->flags & UNIT_TIMER))
        return TAC_OK;
    const uint64_t later = (s->t_us * 2654435761u + (uint64_t)(u->a[1] * 1000 + 2000)) % 4001;
    return tac_wake_at(s, later < 200 ? TAC_TIME_NEVER : s->t_us + later);
}

static inline void unit_write(tac_step *s, const unit *u, double z)
{
    const double n = *TAC_STATE(s, double, 0);
    const double old = *TAC_OUT(s, double, OUT_Z);
    *TAC_OUT(s, double, OUT_Z) = z;
    *TAC_OUT(s, double, OUT_ZR) = (z - old) * 100 + u->a[2];
    for (int i = 0; i < 3; i++)
        TAC_OUT(s, double, OUT_W)[i] = z * u->a[i] + n;
    const double angle = bounded(z) * 3;
    double q[4] = {0, 0, 0, 0};
    tac_sincos(0.5 * angle, &q[2], &q[0]);
    memcpy(s->out[OUT_Q], q, sizeof q);
    const int64_t whole = (int64_t)n + (z > 0);
    *TAC_OUT(s, bool, OUT_B) = whole % 3 == 1;
    *TAC_OUT(s, int32_t, OUT_K) = (int32_t)(whole % 7) - 3;
    TAC_OUT(s, int64_t, OUT_L)[0] = whole * INT64_C(1000000007);
    TAC_OUT(s, int64_t, OUT_L)[1] = -whole;
    *TAC_OUT(s, int32_t, OUT_E) = (int32_t)(whole % 3);
}

static inline tac_status unit_init(tac_step *s, const void *self)
{
    unit *u = unit_of(self);
    u->inits++;
    if (u->flags & UNIT_PLANT) {
        double *x = tac_jump(s);
        for (int i = 0; i < 4; i++)
            x[i] = u->a[i];
    }
    if (u->flags & (UNIT_STEP | UNIT_CONSTANT))
        unit_write(s, u, u->a[3]);
    return unit_wake(s, u);
}

static inline double unit_inputs(const void *const *in, const unit *u)
{
    const double a = *(const double *)in[IN_U], b = *(const double *)in[IN_V];
    return bounded(a) * u->a[0] + bounded(b) * u->a[1] + (*(const bool *)in[IN_B] ? 0.25 : 0) +
           0.125 * *(const int32_t *)in[IN_K];
}

// Of a state or an output of the plant, of what others write, and of what the unit remembers.
static inline bool unit_holds(const tac_step *s, const void *self, int condition)
{
    const unit *u = unit_of(self);
    const double value = *TAC_IN(s, double, IN_K + 1 + condition);
    if (*TAC_IN(s, bool, IN_B) && *TAC_IN(s, int32_t, IN_K) == 1)
        return false;
    const double stripes = 30 * (value + u->a[condition]) + bounded(*TAC_STATE(s, double, 1));
    return fmod(fabs(stripes), 2) >= 1; // of a NaN false
}

static inline tac_status unit_step(tac_step *s, const void *self)
{
    unit *u = unit_of(self);
    u->steps++;
    double *n = TAC_STATE(s, double, 0), *heard = TAC_STATE(s, double, 1);
    *n += 1;
    for (tac_message m; u->flags & UNIT_HEARS && tac_receive(s, 0, &m);) {
        double value;
        memcpy(&value, m.bytes, sizeof value);
        *heard = 0.5 * *heard + value + 0.01 * m.sender + 1e-3 * (double)(m.sequence % 16) +
                 1e-6 * (double)(m.delivered_us - m.sent_us) + 0.1 * (double)m.copy;
    }
    double z = tac_draw_normal(s, 0) + bounded(*heard) + 0.1 * s->due;
    if (s->due & TAC_DUE_CONDITION) {
        z += tac_turned_true(s, 1);
        u->turns++;
    }
    if (!(u->flags & UNIT_FIXED))
        z += unit_inputs(s->in, u);
    if (u->flags & UNIT_PLANT)
        z += bounded(s->x[0]);
    if (!(u->flags & UNIT_FIXED) || (uint64_t)*n % 2) // one that is not written holds
        unit_write(s, u, z);
    double *x = u->flags & UNIT_PLANT && (uint64_t)*n % 3 == 1 ? tac_jump(s) : NULL;
    if (x) {
        x[0] = 0.5 * x[0] + bounded(z);
        x[3] += 0.25;
    }
    if (u->flags & UNIT_SENDS && (uint64_t)*n % 3 == 0)
        TAC_TRY(tac_send(s, 0, &z, sizeof z));
    return s->due & TAC_DUE_AXIS && s->due != TAC_DUE_AXIS ? TAC_OK : unit_wake(s, u);
}

static inline tac_status unit_hook(tac_step *s, const void *self)
{
    unit *u = unit_of(self);
    u->hooks++;
    double *heard = TAC_STATE(s, double, 1);
    *heard = 0.75 * *heard + bounded(unit_inputs(s->in, u));
    return TAC_OK;
}

static inline tac_status unit_enter(tac_step *s, const void *self, int32_t from, int32_t to)
{
    TAC_TRY(unit_hook(s, self));
    *TAC_STATE(s, double, 1) += 0.5 * to - 0.25 * from;
    return TAC_OK;
}

static inline tac_status unit_exit(tac_step *s, const void *self, int32_t from, int32_t to)
{
    TAC_TRY(unit_hook(s, self));
    *TAC_STATE(s, double, 1) *= 0.5 + 0.125 * from + 0.0625 * to;
    return TAC_OK;
}

static inline tac_status unit_derive(const tac_eval *e, const void *self)
{
    const unit *u = unit_of(self);
    const double force = unit_inputs(e->in, u), *x = e->x;
    const double mode = u->flags & UNIT_EVENT ? e->mode[0] : 0;
    e->dx[0] = -3 * x[0] + 20 * x[1] + 40 * force + 5 * mode;
    e->dx[1] = -20 * x[0] - x[1] + 10 * u->a[2];
    e->dx[2] = 30 * bounded(x[0]) - 2 * x[2];
    e->dx[3] = x[2] - x[3] + 10 * force;
    return TAC_OK;
}

// Whether plants may be evaluated by other threads, and how often they were.
static bool models_shared;
static _Thread_local bool models_home; // true where the simulation runs
static atomic_int models_away;

static inline tac_status unit_output(const tac_eval *e, const void *self)
{
    const unit *u = unit_of(self);
    atomic_fetch_add(&models_away, !models_home);
    double *y = u->flags & UNIT_STEP ? e->out[STEP_OUTPUTS] : e->out[0];
    *y = e->x[0] + 0.5 * e->x[3] + u->a[4];
    return TAC_OK;
}

static inline tac_status unit_detect(const tac_eval *e, const void *self, double *g)
{
    g[0] = e->x[0] - 0.3 * unit_of(self)->a[5];
    return TAC_OK;
}

// --- models -------------------------------------------------------------------------------------

enum { MODEL_UNITS = 13, MODEL_GROUPS = 4 };

typedef struct model {
    tac_engine *engine;
    tac_error err;
    unit units[MODEL_UNITS];
    size_t count;
    tac_time periods[MODEL_GROUPS];
    tac_time times[5];
    char groups[MODEL_GROUPS + 1][16];
    tac_document *doc; // of phases
    bool laws;
} model;

// What is to be other than the number says.
typedef struct model_wish {
    const tac_allocator *allocator;
    const char *integrator;
    const tac_node *params; // of the first plant
    const tac_strategy *strategy;
    tac_time end_us;        // 0: as the number says
    bool signal, component; // one more
    uint64_t shuffle;       // components are declared in another order; 0: as they come
} model_wish;

static const char *const model_entities[] = {"", "red", "blue"};
static const char *const model_phases[] = {"P0", "P1", "P2"};

static inline void model_show(const model *m)
{
    char text[4096];
    tac_error_print(&m->err, text, sizeof text);
    print_error("%s\n", text);
}

static inline void model_unit(dice *d, unit *u, size_t i, bool plant)
{
    static const char *const stages[] = {"scenario", "environment", "estimate", "control",
                                         "actuate"};
    snprintf(u->name, sizeof u->name, "%s%u", plant ? "plant" : "code", (unsigned)(i % 100));
    u->entity = model_entities[dice_below(d, 3)];
    snprintf(u->full, sizeof u->full, "%s%s%s", u->entity, *u->entity ? "." : "", u->name);
    u->flags = plant ? UNIT_PLANT : UNIT_STEP;
    if (plant && dice_chance(d, 40))
        u->flags |= UNIT_STEP;
    if (!plant && dice_chance(d, 8))
        u->flags = UNIT_CONSTANT;
    if (plant && dice_chance(d, 40))
        u->flags |= UNIT_EVENT;
    if (dice_chance(d, 15))
        u->flags |= UNIT_PRE;
    if (dice_chance(d, 15))
        u->flags |= UNIT_POST;
    if (dice_chance(d, 30))
        u->flags |= UNIT_FIXED;
    u->active[0] = u->active[1] = -1;
    u->group = -1;
    u->stage = stages[dice_below(d, 5)];
    for (int k = 0; k < 6; k++)
        u->a[k] = dice_real(d);
    if (!(u->flags & UNIT_STEP))
        return;
    if (!plant && u->a[5] > 0)
        u->flags |= UNIT_WAITS;
    if (dice_chance(d, 40))
        u->flags |= UNIT_SENDS;
    if (dice_chance(d, 40))
        u->flags |= UNIT_HEARS;
    if (dice_chance(d, 35))
        u->flags |= UNIT_TIMER;
    if (!(u->flags & (UNIT_HEARS | UNIT_TIMER)) || dice_chance(d, 60))
        u->group = (int)dice_below(d, MODEL_GROUPS + 1);
    if (u->group >= 0 && u->group < MODEL_GROUPS && u->flags & UNIT_HEARS && dice_chance(d, 30))
        u->flags |= UNIT_DEAF;
}

static inline tac_status model_add(model *m, unit *u, const tac_node *params)
{
    u->type = (tac_component_type){
        .size = sizeof u->type,
        .name = "unit",
        .version = "1",
        .summary = "for tests",
        .flags = (u->flags & UNIT_TIMER ? TAC_COMPONENT_TIMER : 0) |
                 (models_shared ? TAC_COMPONENT_SHARED : 0),
        .stage = TAC_STAGE_CONTROL,
        .self_size = sizeof u,
        .declare = unit_declare,
        .init = unit_init,
        .kernels[TAC_NUMBERS].step = u->flags & UNIT_STEP ? unit_step : NULL,
        .kernels[TAC_NUMBERS].derive = u->flags & UNIT_PLANT ? unit_derive : NULL,
        .kernels[TAC_NUMBERS].output = u->flags & UNIT_PLANT ? unit_output : NULL,
        .kernels[TAC_NUMBERS].detect = u->flags & UNIT_EVENT ? unit_detect : NULL,
        .holds = u->flags & UNIT_WAITS ? unit_holds : NULL,
        .pre_step = u->flags & UNIT_PRE ? unit_hook : NULL,
        .post_step = u->flags & UNIT_POST ? unit_hook : NULL,
        .phase_exit = u->flags & UNIT_CHANGE ? unit_exit : NULL,
        .phase_enter = u->flags & UNIT_CHANGE ? unit_enter : NULL,
    };
    tac_component_def def = tac_component_def_default();
    def.entity = u->entity;
    def.name = u->name;
    def.type = &u->type;
    def.group = u->group < 0 ? NULL : m->groups[u->group];
    def.stage = u->flags & UNIT_STEP ? u->stage : NULL;
    def.params = params;
    const char *active[2];
    for (int i = 0; i < 2; i++) {
        if (u->active[i] >= 0)
            active[def.active_count++] = model_phases[u->active[i]];
    }
    def.active = def.active_count ? active : NULL;
    def.hold = u->hold;
    unit_declaring = u;
    return tac_engine_add_component(m->engine, &def, &m->err);
}

static inline int unit_stage(const unit *u)
{
    tac_stage stage = TAC_STAGE_CONTROL;
    (void)tac_stage_parse(u->stage, &stage);
    return (int)stage;
}

// Any of its signals that fits an input.
static inline const char *model_signal(dice *d, const unit *from, int input, bool *state)
{
    static const char *const numbers[] = {"z", "w.y", "w.z", "zr", "q.w"};
    static const char *const states[] = {"x", "p.x", "p.z"};
    *state = false;
    if (input == IN_B)
        return from->flags & (UNIT_STEP | UNIT_CONSTANT) ? "b" : NULL;
    if (input == IN_K)
        return from->flags & (UNIT_STEP | UNIT_CONSTANT) ? "k" : NULL;
    if (!(from->flags & UNIT_PLANT))
        return numbers[dice_below(d, dice_chance(d, 50) ? 1 : 5)];
    if (from->flags & UNIT_STEP && dice_chance(d, 40))
        return "z";
    if (dice_chance(d, 30))
        return "y";
    *state = true;
    return states[dice_below(d, 3)];
}

static inline tac_status model_wire(model *m, dice *d, const unit *to, int input)
{
    static const char *const names[] = {"u", "v", "b", "k"};
    const unit *from = &m->units[dice_below(d, (unsigned)m->count)];
    bool state;
    const char *signal = model_signal(d, from, input, &state);
    const bool delay = dice_chance(d, 20), policy = dice_chance(d, 50);
    const unsigned which = dice_below(d, 40);
    if (from == to || !signal)
        return TAC_OK;
    char to_name[64], from_name[64];
    snprintf(to_name, sizeof to_name, "%s.%s", to->full, names[input]);
    snprintf(from_name, sizeof from_name, "%s.%s", from->full, signal);
    tac_route_def def = tac_route_def_default();
    def.to = to_name;
    def.from = from_name;
    const bool stepped = from->flags & UNIT_STEP && !state && strcmp(signal, "y");
    const bool f64 = input <= IN_V;
    if (stepped && to->flags & (UNIT_STEP | UNIT_PRE | UNIT_POST))
        def.delayed = unit_stage(from) >= unit_stage(to);
    if (!strcmp(signal, "y") && to->flags & UNIT_STEP)
        def.delayed = unit_stage(to) < TAC_STAGE_OUTPUTS;
    if (f64)
        def.gain = which % 3 ? 1 : 0.5;
    if (f64 && which % 5 == 0)
        def.offset = 0.25;
    if (stepped && !def.delayed && f64 && from->group >= 0 && from->group < MODEL_GROUPS &&
        !(from->flags & (UNIT_TIMER | UNIT_HEARS))) {
        def.has_policy = policy;
        def.policy = which < 2 ? TAC_SYNCHRONIZED : (tac_policy)(which % 3);
        if (delay)
            def.delay_us = (1 + which % 2) * m->periods[from->group];
    }
    return tac_engine_add_route(m->engine, &def, &m->err);
}

// Every other model has laws, on about half of its links.
typedef struct model_law {
    tac_link_law law;
    tac_outage down[2];
} model_law;

static inline void model_make_law(dice *d, model_law *l)
{
    tac_link_law *law = &l->law;
    *law = tac_link_law_default();
    law->delay = (tac_delay)dice_below(d, TAC_DELAY_COUNT);
    law->min_us = dice_chance(d, 20) ? 1 : 1 + dice_below(d, 2000);
    law->mean_us = law->min_us + dice_below(d, 2000);
    law->sigma_us = dice_below(d, 1500);
    law->max_us = law->mean_us + dice_below(d, 2000);
    law->loss = dice_chance(d, 50) ? 0.3 * bounded(1 + dice_real(d)) : 0;
    law->duplicate = dice_chance(d, 50) ? bounded(1 + dice_real(d)) : 0;
    l->down[0].from_us = dice_below(d, 20000);
    l->down[0].to_us = l->down[0].from_us + 1 + dice_below(d, 4000);
    l->down[1].from_us = l->down[0].to_us + dice_below(d, 4000);
    l->down[1].to_us = l->down[1].from_us + 1 + dice_below(d, 1000);
    law->down = l->down;
    law->down_count = dice_below(d, 3);
}

static inline tac_status model_connect(model *m, dice *d, dice *laws)
{
    for (size_t i = 0; i < m->count; i++) {
        const unit *u = &m->units[i];
        for (int input = 0; input <= IN_K; input++) {
            if (!(u->flags & UNIT_CONSTANT) && dice_chance(d, input == IN_U ? 95 : 50) &&
                !(u->flags & UNIT_SET && input == IN_V))
                TAC_TRY(model_wire(m, d, u, input));
        }
    }
    for (size_t i = 0; i < m->count; i++) {
        for (size_t k = 0; k < m->count; k++) {
            const unit *a = &m->units[i], *b = &m->units[k];
            if (i == k || !(a->flags & UNIT_SENDS) || !(b->flags & UNIT_HEARS) ||
                !dice_chance(d, 50))
                continue;
            char from[64], to[64];
            snprintf(from, sizeof from, "%s.tx", a->full);
            snprintf(to, sizeof to, "%s.rx", b->full);
            tac_link_def def = tac_link_def_default();
            def.from = from;
            def.to = to;
            def.delay_us = dice_chance(d, 20) ? 1 : 1 + dice_below(d, 3000);
            model_law law;
            model_make_law(laws, &law);
            if (dice_chance(laws, 60) && m->laws)
                def.law = &law.law;
            TAC_TRY(tac_engine_add_link(m->engine, &def, &m->err));
        }
    }
    return TAC_OK;
}

// --- phases -------------------------------------------------------------------------------------

// What phases do to a unit of an entity that has them.
static inline void model_unit_phases(dice *d, unit *u)
{
    if (dice_chance(d, 60)) {
        u->active[0] = (int)dice_below(d, 3);
        if (dice_chance(d, 40))
            u->active[1] = (u->active[0] + 1) % 3;
        u->hold = dice_chance(d, 40);
    }
    if (dice_chance(d, 50))
        u->flags |= UNIT_CHANGE;
    if (dice_chance(d, 30) && !(u->flags & UNIT_CONSTANT))
        u->flags |= UNIT_SET;
}

static inline void model_value(const model *m, dice *d, char *out, size_t size)
{
    const unit *u = &m->units[dice_below(d, (unsigned)m->count)];
    const char *signal = !(u->flags & UNIT_PLANT) ? "z" : dice_chance(d, 50) ? "x" : "y";
    snprintf(out, size, "%s.%s * %.3f", u->full, signal, dice_real(d));
}

static inline void model_condition(const model *m, dice *d, char *out, size_t size)
{
    char value[64], compared[128];
    model_value(m, d, value, sizeof value);
    if (dice_chance(d, 25))
        snprintf(compared, sizeof compared, "t > %.6f", 0.02 * (1 + dice_real(d)));
    else
        snprintf(compared, sizeof compared, "%s > %.4f", value, 0.2 * dice_real(d));
    const unsigned kind = dice_below(d, 10);
    if (kind < 2)
        snprintf(out, size, "held(%s, %u us)", compared, 1 + dice_below(d, 3000));
    else
        snprintf(out, size, kind == 2 ? "rising(%s)" : kind == 3 ? "NOT (%s)" : "%s", compared);
}

static inline void model_actions(const model *m, dice *d, const char *entity, tac__text *out)
{
    static const char *const states[] = {"n", "heard", "x", "p", "p.y"};
    bool first = true;
    for (size_t i = 0; i < m->count; i++) {
        const unit *u = &m->units[i];
        char value[64];
        if (strcmp(u->entity, entity) || !dice_chance(d, 50))
            continue;
        const bool set = u->flags & UNIT_SET && dice_chance(d, 50);
        const char *state = states[dice_below(d, u->flags & UNIT_PLANT ? 5 : 2)];
        model_value(m, d, value, sizeof value);
        tac__text_add(out, "%s{\"%s\": \"%s.%s\", \"to\": ", first ? "" : ", ",
                      set ? "set" : "reset", u->name, set ? "v" : state);
        const bool three = !set && !strcmp(state, "p");
        tac__text_add(out, three ? "[\"%s\", 0.5, \"t / (1 s)\"]}" : "\"%s\"}", value);
        first = false;
    }
}

static inline tac_status model_machine(model *m, dice *d, const char *entity)
{
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__text_add(&text,
                  "{\"names\": [\"P0\", \"P1\", \"P2\"], \"initial\": \"P%u\", "
                  "\"transitions\": [",
                  dice_below(d, 3));
    for (unsigned i = 0; i < 4; i++) {
        char condition[192], from[8] = "any";
        model_condition(m, d, condition, sizeof condition);
        if (i < 3)
            snprintf(from, sizeof from, "P%u", i);
        tac__text_add(&text,
                      "%s{\"from\": \"%s\", \"to\": \"P%u\", \"condition\": \"%s\", "
                      "\"actions\": [",
                      i ? ", " : "", from, (i + 1) % 3, condition);
        if (dice_chance(d, 60))
            model_actions(m, d, entity, &text);
        tac__text_add(&text, "]}");
    }
    tac__text_add(&text, "]}");
    if (!m->doc)
        m->doc = tac_document_create(tac_allocator_default());
    tac_node *params;
    assert_int_equal(tac__json_read(m->doc, "phases", text.chars, text.length, &params, NULL),
                     TAC_OK);
    tac__text_fini(&text);
    tac_component_def def = tac_component_def_default();
    def.entity = entity;
    def.name = "flight";
    def.type = &tac__phases_type;
    def.params = params;
    return tac_engine_add_component(m->engine, &def, &m->err);
}

static inline void model_boundary(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    unit *u = context;
    u->boundaries = realloc(u->boundaries, (u->boundary_count + 1) * sizeof(tac_time));
    u->boundaries[u->boundary_count++] = t_us;
}

static inline tac_status model_watch(model *m, unit *u)
{
    tac_observer_def def = tac_observer_def_default();
    def.name = u->full;
    def.follow = TAC_FOLLOW_ISLAND;
    def.component = u->full;
    def.observe = model_boundary;
    def.context = u;
    return tac_engine_add_observer(m->engine, &def, &m->err);
}

static inline tac_engine_def model_engine(dice *d, tac_time *periods)
{
    static const char *const kinds[] = {"euler", "rk4", "rk23", "rk45", "dop853", "rodas4"};
    tac_engine_def def = tac_engine_def_default();
    def.seed = dice_next(d);
    def.end_us = 15000 + dice_below(d, 20000);
    def.integrator.kind = kinds[dice_below(d, 6)];
    def.integrator.h_max_us = dice_chance(d, 50) ? 0 : 300 + dice_below(d, 3000);
    def.integrator.rtol = 1e-5;
    def.integrator.atol = 1e-5;
    if (dice_chance(d, 30)) {
        def.physics_us = 500 + 250 * dice_below(d, 4);
        def.split = dice_chance(d, 50);
        if (def.split)
            def.integrator.kind = kinds[dice_below(d, 2)];
    }
    for (int i = 0; i < MODEL_GROUPS; i++)
        periods[i] = 500 * (1 + dice_below(d, 8));
    return def;
}

// Of these the order of declaration is part of the model: it numbers the senders of a port, and two
// that change states at once do so in this order.
static inline bool unit_is_ordered(const unit *u)
{
    return u->flags & UNIT_SENDS ||
           (u->flags & UNIT_STEP && u->flags & UNIT_PLANT && unit_stage(u) == TAC_STAGE_ACTUATE);
}

// An order of the units, in which those that are ordered follow each other as they were made.
static inline void model_order(const model *m, uint64_t shuffle, size_t *order)
{
    dice d = {shuffle};
    for (size_t i = 0; i < m->count; i++)
        order[i] = i;
    for (size_t i = m->count; shuffle && i > 1; i--) {
        const size_t other = dice_below(&d, (unsigned)i), swap = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swap;
    }
    size_t next = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!unit_is_ordered(&m->units[order[i]]))
            continue;
        while (!unit_is_ordered(&m->units[next]))
            next++;
        order[i] = next++;
    }
}

// All but `prepare`. TAC_OK, or why the engine does not want it.
static inline tac_status model_make(model *m, uint64_t number, const model_wish *wish)
{
    memset(m, 0, sizeof *m);
    dice d = {number * 7919 + 13};
    tac_engine_def def = model_engine(&d, m->periods);
    if (wish && wish->allocator)
        def.allocator = wish->allocator;
    if (wish && wish->integrator)
        def.integrator.kind = wish->integrator;
    if (wish && wish->end_us)
        def.end_us = wish->end_us;
    if (wish && wish->strategy)
        def.strategy = *wish->strategy;
    dice p = {number * 104729 + 5}; // of its own: others stay what they are
    bool phases[3];
    for (int i = 0; i < 3; i++)
        phases[i] = number % 3 == 2 && dice_chance(&p, 70);
    TAC_TRY(tac_engine_create(&def, &m->engine, &m->err));
    TAC_TRY(tac_engine_add_entity(m->engine, "red", NULL, &m->err));
    TAC_TRY(tac_engine_add_entity(m->engine, "blue", NULL, &m->err));
    for (int i = 0; i <= MODEL_GROUPS; i++) {
        tac_group_def group = tac_group_def_default();
        snprintf(m->groups[i], sizeof m->groups[i], "g%d", i);
        group.name = m->groups[i];
        if (i < MODEL_GROUPS) {
            group.period_us = m->periods[i];
            group.offset_us = dice_chance(&d, 50) ? 0 : 125 * dice_below(&d, 8);
        } else {
            for (int k = 0; k < 5; k++)
                m->times[k] = (k ? m->times[k - 1] : 0) + 1 + dice_below(&d, 5000);
            group.times_us = m->times;
            group.times_count = 5;
        }
        TAC_TRY(tac_engine_add_group(m->engine, &group, &m->err));
    }
    const size_t plants = 1 + dice_below(&d, 4), codes = 2 + dice_below(&d, 6);
    m->count = plants + codes;
    for (size_t i = 0; i < m->count; i++) {
        model_unit(&d, &m->units[i], i, i < plants);
        m->units[i].plant = m->units[0].full;
        if (wish && wish->signal && i == plants)
            m->units[i].flags |= UNIT_EXTRA;
        for (int k = 0; k < 3; k++) {
            if (phases[k] && !strcmp(m->units[i].entity, model_entities[k]))
                model_unit_phases(&p, &m->units[i]);
        }
    }
    size_t order[MODEL_UNITS + 1];
    model_order(m, wish ? wish->shuffle : 0, order);
    for (size_t i = 0; i < m->count; i++)
        TAC_TRY(model_add(m, &m->units[order[i]], wish && order[i] == 0 ? wish->params : NULL));
    for (int k = 0; k < 3; k++) {
        if (phases[k])
            TAC_TRY(model_machine(m, &p, model_entities[k]));
    }
    if (wish && wish->component) {
        dice other = {1};
        unit *u = &m->units[m->count++];
        model_unit(&other, u, MODEL_UNITS, false);
        u->flags = UNIT_STEP;
        u->group = 0;
        u->entity = "green"; // hooks run wherever their entity has something to do
        TAC_TRY(tac_engine_add_entity(m->engine, u->entity, NULL, &m->err));
        TAC_TRY(model_add(m, u, NULL));
        m->count--;
    }
    m->laws = number % 2 == 1;
    TAC_TRY(model_connect(m, &d, &(dice){number * 15485863 + 7}));
    for (size_t i = 0; i < plants; i++)
        TAC_TRY(model_watch(m, &m->units[i]));
    return TAC_OK;
}

static inline void model_end(model *m)
{
    tac_engine_destroy(m->engine);
    tac_document_destroy(m->doc);
    for (size_t i = 0; i < m->count; i++)
        free(m->units[i].boundaries);
    memset(m, 0, sizeof *m);
}

// Messages to any receiving port, at random instants from now on; several may come at one instant.
static inline void model_post(model *m, dice *d, unsigned count, tac_time range_us)
{
    const size_t ports = tac_engine_sizes(m->engine).receivers;
    for (unsigned i = 0; ports && i < count; i++) {
        const double value = dice_real(d);
        tac_post_def post = tac_post_def_default();
        post.t_us = tac_engine_open_time(m->engine) + dice_below(d, (unsigned)range_us);
        if (dice_chance(d, 40))
            post.t_us += 1000 - post.t_us % 1000;
        post.bytes = &value;
        post.length = sizeof value;
        const tac_status status =
            tac_engine_post(m->engine, (int)dice_below(d, (unsigned)ports), &post, &m->err);
        assert_true(status == TAC_OK || status == TAC_E_QUEUE);
    }
}

// The unit that stands first in an island.
static inline const unit *model_first(const model *m, const tac__island_plan *island)
{
    const char *name = m->engine->plan->components[island->components[0]]->name;
    for (size_t i = 0; i < m->count; i++) {
        if (!strcmp(m->units[i].full, name))
            return &m->units[i];
    }
    return NULL;
}

// Boundaries of all islands after `after_us`, or all of them.
static inline uint64_t model_boundaries(const model *m, bool all, tac_time after_us)
{
    uint64_t n = 0;
    for (size_t i = 0; i < m->engine->plan->island_count; i++) {
        const unit *u = model_first(m, &m->engine->plan->islands[i]);
        for (size_t k = 0; k < u->boundary_count; k++)
            n += all || u->boundaries[k] > after_us;
    }
    return n;
}

// Of a call with the model's error.
#define must(m, call)                                                                              \
    do {                                                                                           \
        if ((call) != TAC_OK) {                                                                    \
            model_show(m);                                                                         \
            fail_msg("%s", #call);                                                                 \
        }                                                                                          \
    } while (0)

#endif
