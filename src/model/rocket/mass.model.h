// mass.model.h - mass properties of stages with their fuel and what its flow does, for every scalar
// kind.
#include "model/arrays.h"
#include "model/rocket/mass.h"
#include "model/rocket/tensor.h"

// Moments of mass about the datum: of order 0, 1 and 2.
typedef struct mass_sum {
    real mass;
    vec3 first;
    tensor second;
} mass_sum;

static inline mass_sum mass__zero(void)
{
    mass_sum s;
    s.mass = R(0.0);
    s.first = vec3_make(R(0.0), R(0.0), R(0.0));
    s.second = tensor_make(R(0.0), R(0.0), R(0.0), R(0.0), R(0.0), R(0.0));
    return s;
}

// Add `m` kg at `c`, with the inertia m k about its own centre.
static inline mass_sum mass__add(mass_sum s, real m, vec3 c, tensor k)
{
    s.mass = s.mass + m;
    s.first = vec3_add(s.first, vec3_scale(m, c));
    s.second = tensor_add(tensor_add(s.second, m, k), m, tensor_of_point(c));
    return s;
}

// The derivative of tensor_of_point along dp.
static inline tensor mass__point_rate(vec3 p, vec3 dp)
{
    real x = p.x * dp.x, y = p.y * dp.y, z = p.z * dp.z;
    return tensor_make(2.0 * (y + z), 2.0 * (x + z), 2.0 * (x + y), -(p.x * dp.y + dp.x * p.y),
                       -(p.x * dp.z + dp.x * p.z), -(p.y * dp.z + dp.y * p.z));
}

// Of a cylinder of unit mass along x.
static inline tensor mass__cylinder(param radius, real length)
{
    const param r2 = radius * radius;
    real across = 0.25 * r2 + length * length * (1.0 / 12.0);
    return tensor_make(P(0.5 * r2), across, across, R(0.0), R(0.0), R(0.0));
}

// Where the fuel is, and where the flow takes fuel away: everywhere, or at its surface.
typedef struct mass_fuel {
    vec3 centre, taken;
    tensor k, k_taken;
} mass_fuel;

static inline mass_fuel mass__fuel(const tac__rocket_stage *s, bool settled, real fuel)
{
    mass_fuel f;
    f.centre = f.taken = params_vec3(s->tank_m);
    f.k = f.k_taken = mass__cylinder(s->radius_m, P(s->length_m));
    if (settled) {
        real level = s->length_m / s->capacity_kg * fuel;
        const param aft = s->tank_m[0] - 0.5 * s->length_m;
        f.centre.x = aft + 0.5 * level;
        f.taken.x = aft + level;
        f.k = mass__cylinder(s->radius_m, level);
        f.k_taken = mass__cylinder(s->radius_m, R(0.0));
    }
    return f;
}

typedef struct mass_now {
    mass_sum sum, rate;                // and its rate of change
    real flow[TAC__ROCKET_STAGES_MAX]; // kg/s
    vec3 stream;                       // momentum of the flow inside
} mass_now;

static inline tensor mass__dry(const tac__rocket_stage *s)
{
    const param *i = s->inertia, per = 1.0 / s->dry_kg;
    return tensor_make(P(per * i[0]), P(per * i[1]), P(per * i[2]), P(per * i[3]), P(per * i[4]),
                       P(per * i[5]));
}

static inline mass_now mass__at(const tac_eval *e, const tac__rocket_mass_shape *shape)
{
    mass_now now;
    now.sum = now.rate = mass__zero();
    now.stream = now.sum.first;
    for (int i = 0; i < shape->stages; i++) {
        const tac__rocket_stage *s = EVAL_P(e, tac__rocket_stage) + i;
        const int at = i * TAC__MASS_INS;
        real there = r_clamp(*eval_in(e, at + TAC__MASS_IN_ATTACHED), R(0.0), R(1.0));
        real fuel = there * *eval_in(e, at + TAC__MASS_IN_FUEL);
        real flow = there * *eval_in(e, at + TAC__MASS_IN_FLOW);
        mass_fuel f = mass__fuel(s, shape->settled[i], fuel);
        now.sum = mass__add(now.sum, there * s->dry_kg, params_vec3(s->com_m), mass__dry(s));
        now.sum = mass__add(now.sum, fuel, f.centre, f.k);
        now.rate = mass__add(now.rate, -flow, f.taken, f.k_taken);
        now.flow[i] = flow;
        vec3 way = vec3_sub(params_vec3(s->exit_m), f.taken);
        now.stream = vec3_add(now.stream, vec3_scale(flow, way));
    }
    return now;
}

// dI/dt about the centre of mass, and what the jets carry away: flow (r.r 1 - r r').
static inline tensor mass__jet(const tac__rocket_stage *stages, int count, const mass_now *now,
                               vec3 com)
{
    real per = 1.0 / now->sum.mass;
    tensor jet =
        tensor_add(now->rate.second, -per, mass__point_rate(now->sum.first, now->rate.first));
    jet = tensor_add(jet, now->rate.mass, tensor_of_point(com));
    for (int i = 0; i < count; i++) {
        vec3 arm = vec3_sub(params_vec3(stages[i].exit_m), com);
        jet = tensor_add(jet, now->flow[i], tensor_of_point(arm));
    }
    return jet;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_mass_output)(const tac_eval *e, const void *self)
{
    const tac__rocket_mass_shape *shape = (const tac__rocket_mass_shape *)self;
    mass_now now = mass__at(e, shape);
    vec3 com = vec3_scale(1.0 / now.sum.mass, now.sum.first);
    *eval_out(e, TAC__MASS_OUT_MASS) = now.sum.mass;
    vec3_write(com, eval_out(e, TAC__MASS_OUT_COM));
    tensor_write(tensor_add(now.sum.second, -now.sum.mass, tensor_of_point(com)),
                 eval_out(e, TAC__MASS_OUT_INERTIA));
    tensor_write(mass__jet(EVAL_P(e, tac__rocket_stage), shape->stages, &now, com),
                 eval_out(e, TAC__MASS_OUT_JET));
    vec3_write(now.stream, eval_out(e, TAC__MASS_OUT_STREAM));
    return TAC_OK;
}
