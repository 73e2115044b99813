// allocate.h - distributes thrust and torque among the rotors, for every scalar kind.
//
// Each rotor is a number x between 0 and 1, a part of its full thrust. Its effect b is a column of
// four rows (thrust, roll, pitch, yaw), each row scaled to unit length. Where all rotors work and
// none reaches a limit, the pseudo-inverse gives the answer. Otherwise thrust, roll and pitch come
// first, by least squares within the limits: they are met exactly where possible, and where not,
// roll and pitch have priority over thrust. Then yaw, by changes that leave those three as they
// are. Rotors that are out take no part.
#ifndef TAC_AUTOPILOT_ALLOCATE_H
#define TAC_AUTOPILOT_ALLOCATE_H

#include "autopilot/control.h"
#include "math/real.h"

// A small multiple of the identity, which keeps the equations regular when few rotors are left.
#define ALLOCATE__DAMPING 1e-11
// The least part of yaw that must be independent of the rest; the gradient above which a rotor is
// freed.
#define ALLOCATE__INDEPENDENT 1e-6
#define ALLOCATE__PULL        1e-9

enum { ALLOCATE__YAW_ROUNDS = 3 };

// The parameters of a vehicle, or of one in each lane.
typedef struct control_law {
    int rotors;
    bool mixes;
    const tac__control *p;
} control_law;

// Symmetric positive definite 3x3 as L D L^T, with the reciprocals of D.
typedef struct allocate_factor {
    real l10, l20, l21, r0, r1, r2;
} allocate_factor;

// Factors of the sum of b b^T over the rotors that are not fixed (`fixed` is 1 or 0).
static inline allocate_factor allocate_factorise(const control_law *c, const real *fixed)
{
    real a00 = R(ALLOCATE__DAMPING), a11 = a00, a22 = a00;
    real a10 = R(0.0), a20 = R(0.0), a21 = R(0.0);
    for (int i = 0; i < c->rotors; i++) {
        const param *b = c->p->rotor[i].weighted;
        real free = 1.0 - fixed[i];
        real f0 = free * b[0], f1 = free * b[1], f2 = free * b[2];
        a00 += f0 * b[0];
        a10 += f1 * b[0];
        a20 += f2 * b[0];
        a11 += f1 * b[1];
        a21 += f2 * b[1];
        a22 += f2 * b[2];
    }
    allocate_factor f;
    f.r0 = 1.0 / a00;
    f.l10 = a10 * f.r0;
    f.l20 = a20 * f.r0;
    f.r1 = 1.0 / (a11 - f.l10 * a10);
    real c21 = a21 - f.l20 * a10;
    f.l21 = c21 * f.r1;
    f.r2 = 1.0 / (a22 - f.l20 * a20 - f.l21 * c21);
    return f;
}

static inline void allocate_solve(const allocate_factor *f, const real *b, real *x)
{
    real y1 = b[1] - f->l10 * b[0];
    real y2 = b[2] - f->l20 * b[0] - f->l21 * y1;
    x[2] = y2 * f->r2;
    x[1] = y1 * f->r1 - f->l21 * x[2];
    x[0] = b[0] * f->r0 - f->l10 * x[1] - f->l20 * x[2];
}

// How far x may go along `step` before it reaches a limit, in steps.
static inline real allocate_reach(real x, real step, real low, real high)
{
    real room = r_select(step < 0.0, low - x, high - x);
    cond still = r_abs(step) < 1e-12;
    return r_select(still, R(1.0), room / r_select(still, R(1.0), step));
}

// The error left in thrust, roll and pitch when each rotor gives its part of x.
static inline void allocate_rest(const control_law *c, const real *wanted, const real *part,
                                 const real *x, real *rest)
{
    rest[0] = TAC__THRUST_WEIGHT * wanted[0];
    rest[1] = wanted[1];
    rest[2] = wanted[2];
    for (int i = 0; i < c->rotors; i++) {
        const param *b = c->p->rotor[i].weighted;
        real given = part[i] * x[i];
        rest[0] -= b[0] * given;
        rest[1] -= b[1] * given;
        rest[2] -= b[2] * given;
    }
}

// Frees the rotor at a limit that would reduce the error most by leaving it. Holds where there was
// none.
static inline cond allocate_free(const control_law *c, const real *wanted, const real *works,
                                 const real *low, const real *x, cond ready, real *fixed)
{
    real error[3], pull[TAC__ROTORS_MAX], most = R(ALLOCATE__PULL);
    allocate_rest(c, wanted, works, x, error);
    for (int i = 0; i < c->rotors; i++) {
        const param *b = c->p->rotor[i].weighted;
        real up = b[0] * error[0] + b[1] * error[1] + b[2] * error[2];
        pull[i] = works[i] * fixed[i] * r_select(x[i] > low[i], -up, up);
        most = r_max(pull[i], most);
    }
    cond found = c_and(ready, most > ALLOCATE__PULL);
    for (int i = 0; i < c->rotors; i++)
        fixed[i] = r_select(c_and(found, pull[i] >= most), R(0.0), fixed[i]);
    return c_not(found);
}

// The best x of the rotors that are not fixed, and how much of the way there lies within limits.
static inline real allocate_wish(const control_law *c, const allocate_factor *f, const real *wanted,
                                 const real *fixed, const real *low, const real *high,
                                 const real *x, real *wish, real *reach)
{
    real rest[3], y[3], part = R(1.0);
    allocate_rest(c, wanted, fixed, x, rest);
    allocate_solve(f, rest, y);
    for (int i = 0; i < c->rotors; i++) {
        const param *b = c->p->rotor[i].weighted;
        real best = b[0] * y[0] + b[1] * y[1] + b[2] * y[2];
        wish[i] = r_select(fixed[i] > 0.5, x[i], best);
        reach[i] = allocate_reach(x[i], wish[i] - x[i], low[i], high[i]);
        part = r_min(reach[i], part);
    }
    return part;
}

// Thrust, roll and pitch by least squares with an active set: go towards the best x of the free
// rotors up to the first limit, where that rotor is fixed; if no limit is in the way, one rotor is
// freed again, or the search ends. Mostly one round is enough, and twice as many rounds as rotors
// always were. `low` and `high` bound x; both are 0 for a rotor that is out.
static inline void allocate_lift(const control_law *c, const allocate_factor *all,
                                 const real *works, const real *low, const real *high,
                                 const real *wanted, real *x)
{
    real fixed[TAC__ROTORS_MAX], wish[TAC__ROTORS_MAX], reach[TAC__ROTORS_MAX];
    for (int i = 0; i < c->rotors; i++) {
        fixed[i] = 1.0 - works[i];
        x[i] = 0.5 * (low[i] + high[i]);
    }
    allocate_factor f = *all;
    for (int round = 0;; round++) {
        real part = allocate_wish(c, &f, wanted, fixed, low, high, x, wish, reach);
        cond whole = part >= 1.0;
        cond loose = whole; // and no working rotor is fixed
        for (int i = 0; i < c->rotors; i++) {
            cond blocks = c_and(c_not(whole), reach[i] <= part);
            real limit = r_select(wish[i] < x[i], low[i], high[i]);
            real next = r_select(whole, wish[i], x[i] + part * (wish[i] - x[i]));
            x[i] = r_select(blocks, limit, r_clamp(next, low[i], high[i]));
            fixed[i] = r_select(blocks, R(1.0), fixed[i]);
            loose = c_and(loose, fixed[i] <= 1.0 - works[i]);
        }
        if (c_all(loose))
            break;
        cond done = c_and(whole, allocate_free(c, wanted, works, low, x, whole, fixed));
        if (c_all(done) || round + 1 == 2 * c->rotors)
            break;
        f = allocate_factorise(c, fixed);
    }
}

// The direction that changes nothing but yaw: the part of the yaw row that is orthogonal to the
// other three. The yaw it gives is the square of its length, which is returned.
static inline real allocate_yaw_way(const control_law *c, const allocate_factor *f,
                                    const real *fixed, real *way)
{
    real shared[3] = {R(0.0), R(0.0), R(0.0)}, y[3], length2 = R(0.0);
    for (int i = 0; i < c->rotors; i++) {
        real yaw = (1.0 - fixed[i]) * c->p->rotor[i].effect[3];
        for (int row = 0; row < 3; row++)
            shared[row] += yaw * c->p->rotor[i].weighted[row];
    }
    allocate_solve(f, shared, y);
    for (int i = 0; i < c->rotors; i++) {
        const param *b = c->p->rotor[i].weighted;
        way[i] = c->p->rotor[i].effect[3] - (b[0] * y[0] + b[1] * y[1] + b[2] * y[2]);
        way[i] = (1.0 - fixed[i]) * way[i];
        length2 += way[i] * way[i];
    }
    return length2;
}

// Yaw, as far as possible without a change of thrust, roll and pitch.
static inline void allocate_yaw(const control_law *c, const allocate_factor *all, const real *works,
                                const real *low, const real *high, real wanted, real *x)
{
    real fixed[TAC__ROTORS_MAX], way[TAC__ROTORS_MAX], reach[TAC__ROTORS_MAX];
    real rest = wanted;
    for (int i = 0; i < c->rotors; i++) {
        fixed[i] = 1.0 - works[i];
        rest -= c->p->rotor[i].effect[3] * x[i];
    }
    allocate_factor f = *all;
    for (int round = 0;; round++) {
        real length2 = allocate_yaw_way(c, &f, fixed, way);
        cond possible = length2 > ALLOCATE__INDEPENDENT;
        real size = r_select(possible, rest / r_select(possible, length2, R(1.0)), R(0.0));
        real part = R(1.0);
        for (int i = 0; i < c->rotors; i++) {
            way[i] = size * way[i];
            reach[i] = allocate_reach(x[i], way[i], low[i], high[i]);
            part = r_min(reach[i], part);
        }
        part = r_max(R(0.0), part);
        for (int i = 0; i < c->rotors; i++) {
            x[i] = r_clamp(x[i] + part * way[i], low[i], high[i]);
            fixed[i] = r_select(reach[i] > part, fixed[i], R(1.0));
        }
        rest = r_select(possible, (1.0 - part) * rest, rest);
        if (c_all(c_and(possible, part >= 1.0)) || round + 1 == ALLOCATE__YAW_ROUNDS)
            break;
        f = allocate_factorise(c, fixed);
    }
}

// By the pseudo-inverse. Holds where the result is within limits.
static inline cond allocate_mix(const control_law *c, const real *works, const real *low,
                                const real *high, const real *wanted, real *x)
{
    cond inside = works[0] > 0.5;
    for (int i = 0; i < c->rotors; i++) {
        const param *m = c->p->rotor[i].mix;
        x[i] = m[0] * wanted[0] + m[1] * wanted[1] + m[2] * wanted[2] + m[3] * wanted[3];
        cond fits = c_and(x[i] >= low[i], x[i] <= high[i]);
        inside = c_and(inside, c_and(fits, works[i] > 0.5));
    }
    return inside;
}

// Within limits, in order of priority.
static inline void allocate_limited(const control_law *c, const real *works, const real *low,
                                    const real *high, const real *wanted, real *x)
{
    real out[TAC__ROTORS_MAX];
    for (int i = 0; i < TAC__ROTORS_MAX; i++)
        out[i] = R(1.0);
    for (int i = 0; i < c->rotors; i++)
        out[i] = 1.0 - works[i];
    const allocate_factor all = allocate_factorise(c, out);
    allocate_lift(c, &all, works, low, high, wanted, x);
    allocate_yaw(c, &all, works, low, high, wanted[3], x);
}

// Rotor thrusts [N] for wanted[4], in N and N m; `reached` is what they amount to.
static inline void allocate(const control_law *c, const real *works, const real *high_n,
                            const real *wanted, real *thrust, real *reached)
{
    real low[TAC__ROTORS_MAX], high[TAC__ROTORS_MAX], x[TAC__ROTORS_MAX], scaled[4];
    real least = R(0.0), most = R(0.0);
    for (int i = 0; i < c->rotors; i++) {
        const tac__control_rotor *r = &c->p->rotor[i];
        low[i] = works[i] * r->idle;
        high[i] = r_max(low[i], works[i] * high_n[i] * r->per_full);
        least += r->effect[0] * low[i];
        most += r->effect[0] * high[i];
    }
    for (int row = 0; row < 4; row++)
        scaled[row] = wanted[row] * c->p->per_scale[row];
    // Thrust beyond what the rotors can give would only take from roll and pitch.
    scaled[0] = r_clamp(scaled[0], least, most);
    cond inside = allocate_mix(c, works, low, high, scaled, x);
    if (!(c->mixes && c_all(inside))) {
        real limited[TAC__ROTORS_MAX];
        allocate_limited(c, works, low, high, scaled, limited);
        for (int i = 0; i < c->rotors; i++)
            x[i] = c->mixes ? r_select(inside, x[i], limited[i]) : limited[i];
    }
    real up = R(0.0), roll = R(0.0), pitch = R(0.0), yaw = R(0.0);
    for (int i = 0; i < c->rotors; i++) {
        const tac__control_rotor *r = &c->p->rotor[i];
        thrust[i] = x[i] * r->full_n;
        up += r->given[0] * x[i];
        roll += r->given[1] * x[i];
        pitch += r->given[2] * x[i];
        yaw += r->given[3] * x[i];
    }
    reached[0] = up;
    reached[1] = roll;
    reached[2] = pitch;
    reached[3] = yaw;
}

#endif
