// flight.lanes.h - arming, phases, items of a mission, failed rotors, landing: decides where the
// control laws fly to. It sees estimates and telemetry only, never the truth.
//
// Compiled for doubles, packs and duals; in a graph what is decided here is an input
// (flight_control.graph.h). What every step computes is computed for all lanes at once; what
// depends on a vehicle's phase is done lane by lane: flying.lane is the lane that is decided for,
// AT(x) that lane of a real, and WORD(x) that lane of a word. With doubles and duals there is one
// lane. A value of one lane is a `number`, IS(a < b) compares two of them.
//
// Duals branch on values: a target that is computed from an estimate, a parameter or the reference
// has derivatives, and the instant of a decision has none.
#include "autopilot/flight_law.h"

#include <tactus/math.h>

typedef struct flying {
    const tac__control_shape *shape;
    const tac__flight *f;
    const tac__mission *const *missions;
    const tac__flight_in *in;
    tac__flight_numbers *n;
    tac__flight_words *w;
    double dt;
    int lane;
} flying;

#if defined(TAC_KIND_DUAL) || defined(TAC_KIND_DUALP)
typedef real number;
#define lane_sqrt  r_sqrt
#define lane_min   r_min
#define lane_max   r_max
#define lane_clamp r_clamp
#define lane_atan2 r_atan2
#define IS(c)      ((c).holds)
#else
typedef double number;
#define lane_sqrt  tac_sqrt
#define lane_min   tac_min
#define lane_max   tac_max
#define lane_clamp tac_clamp
#define lane_atan2 tac_atan2
#define IS(c)      (c)
#endif

#ifdef TAC_LANES
#define AT(x)           ((x)[y->lane])
#define WORD(x)         (y->w->x[y->lane])
#define HOLDS(c)        ((c)[y->lane] != 0)
#define EQUAL(x, value) words_equal(y->w->x, value)

typedef int32_t words_pack __attribute__((vector_size(4 * TAC_LANES), aligned(4), may_alias));

static inline cond words_equal(const int32_t *words, int32_t value)
{
    return __builtin_convertvector(*(const words_pack *)words == value, cond);
}

static inline cond only_lane(const flying *y)
{
    cond c = {0};
    c[y->lane] = -1;
    return c;
}
#else
#define AT(x)           (*((void)y, &(x)))
#define WORD(x)         (y->w->x)
#define HOLDS(c)        IS(c)
#define EQUAL(x, value) words_equal(y->w->x, value)

static inline cond words_equal(int32_t word, int32_t value)
{
    const cond equal = {word == value};
    return equal;
}

static inline cond only_lane(const flying *y)
{
    (void)y;
    return words_equal(0, 0);
}
#endif

static inline int any(cond c)
{
    return !c_all(c_not(c));
}

static void put(const flying *y, real *to, number north, number east, number down)
{
    AT(to[0]) = north;
    AT(to[1]) = east;
    AT(to[2]) = down;
}

static number distance(const flying *y, const real *a, const real *b)
{
    const number north = AT(a[0]) - AT(b[0]), east = AT(a[1]) - AT(b[1]),
                 down = AT(a[2]) - AT(b[2]);
    return lane_sqrt(north * north + east * east + down * down);
}

static number level_distance(const flying *y, const real *a, const real *b)
{
    const number north = AT(a[0]) - AT(b[0]), east = AT(a[1]) - AT(b[1]);
    return lane_sqrt(north * north + east * east);
}

// --- rotors -------------------------------------------------------------------------------------

// A rotor is out if its speed has been far below or above what its command should give for so long.
static const double low_speed = 0.6, high_speed = 1.6, idle_speeds = 1.5, amiss_s = 0.08;

static void assess(const tac__control_shape *shape, const tac__control *c, const real *voltage,
                   const real *works, cond *can_hover, cond *can_yaw)
{
    // Small torques in all directions, together with slightly more thrust than the weight.
    const double tilt = 0.03, yaw = 0.02, close = 0.1;
    real weight = P(c->mass_kg * c->g_m_s2);
    *can_hover = *can_yaw = R(0.0) <= R(0.0);
    for (int k = 0; k < 4; k++) {
        const double side = k % 2 ? -1 : 1, front = k / 2 ? -1 : 1;
        const real wanted[4] = {1.15 * weight, side * tilt * c->scale[1],
                                front * tilt * c->scale[2], side * yaw * c->scale[3]};
        real thrust[TAC__ROTORS_MAX], reached[4], off[4];
        TAC_KINDED(tac__control_allocate)(shape, c, voltage, works, wanted, thrust, reached);
        for (int row = 0; row < 4; row++)
            off[row] = r_abs(reached[row] - wanted[row]);
        *can_hover = c_and(*can_hover, off[0] < 0.02 * weight);
        *can_hover = c_and(*can_hover, off[1] < close * tilt * c->scale[1]);
        *can_hover = c_and(*can_hover, off[2] < close * tilt * c->scale[2]);
        *can_yaw = c_and(*can_yaw, off[3] < close * yaw * c->scale[3]);
    }
    *can_yaw = c_and(*can_yaw, *can_hover);
}

#ifdef TAC_KIND_F64
void tac__flight_assess(const tac__control_shape *shape, const tac__control *c,
                        const double *voltage, const double *works, bool *can_hover, bool *can_yaw)
{
    cond hover, yaw;
    assess(shape, c, voltage, works, &hover, &yaw);
    *can_hover = hover;
    *can_yaw = yaw;
}
#endif

// Rotors that have been amiss for too long are out, in the lanes in which `watched` holds.
static void take_out(flying *y, cond watched, uint32_t *lost)
{
    cond changed = R(1.0) < R(0.0), can_hover, can_yaw;
    for (int i = 0; i < y->shape->rotors; i++) {
        cond out = c_and(watched, c_and(y->n->works[i] > 0.0, y->n->amiss_s[i] >= amiss_s));
        y->n->works[i] = r_select(out, R(0.0), y->n->works[i]);
        changed = c_or(changed, out);
        for (y->lane = 0; y->lane < TAC__FLIGHT_LANES; y->lane++)
            lost[y->lane] |= HOLDS(out) ? 1u << i : 0;
    }
    if (!any(changed)) // all of these have been out before
        return;
    assess(y->shape, &y->f->control, y->in->voltage, y->n->works, &can_hover, &can_yaw);
    for (y->lane = 0; y->lane < TAC__FLIGHT_LANES; y->lane++) {
        if (!HOLDS(changed))
            continue;
        WORD(can_hover) = HOLDS(can_hover);
        WORD(yaw_held) = HOLDS(can_yaw);
    }
}

static void watch_rotors(flying *y, uint32_t *lost)
{
    cond armed = c_not(EQUAL(armed, 0));
    if (!y->in->rotor_speed || !any(armed))
        return;
    real longest = R(0.0);
    for (int i = 0; i < y->shape->rotors; i++) {
        const tac__control_rotor *r = &y->f->control.rotor[i];
        real speed = y->in->rotor_speed[i], expected = y->n->expected[i];
        cond slow = speed<low_speed * expected, fast = speed> high_speed * y->n->highest[i];
        cond amiss = c_and(expected > idle_speeds * r->idle_rad_s, c_or(slow, fast));
        real time = r_select(amiss, y->n->amiss_s[i] + y->dt, R(0.0));
        y->n->amiss_s[i] = r_select(armed, time, y->n->amiss_s[i]);
        longest = r_max(longest, y->n->amiss_s[i]);
    }
    if (any(longest >= amiss_s))
        take_out(y, armed, lost);
}

// --- commands -----------------------------------------------------------------------------------

static bool is_told_to_arm(const flying *y)
{
    return !y->in->arm || y->in->arm[y->lane];
}

static int32_t mode_of(const flying *y)
{
    return y->in->mode ? y->in->mode[y->lane] : (int32_t)TAC__MODE_MISSION;
}

// --- phases -------------------------------------------------------------------------------------

static void enter(const flying *y, tac__flight_phase phase)
{
    WORD(phase) = (int32_t)phase;
    WORD(stage) = 0;
    WORD(on_item) = 0;
    AT(y->n->run_out) = 0;
    AT(y->n->held_s) = 0;
}

// Where the reference can come to rest from its present speed.
static void hold(const flying *y)
{
    const real *here = y->n->loops.position;
    const number v[3] = {AT(y->n->loops.velocity[0]), AT(y->n->loops.velocity[1]),
                         AT(y->n->loops.velocity[2])};
    const number a = TAC__BRAKING * AT(y->f->control.tuning.acceleration);
    const number speed = lane_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const number time = 1 / TAC__APPROACH + speed / (2 * a);
    enter(y, TAC__PHASE_HOLD);
    put(y, y->n->target, AT(here[0]) + time * v[0], AT(here[1]) + time * v[1],
        AT(here[2]) + time * v[2]);
}

// Begin a landing at a place.
static void land_at(const flying *y, number north, number east, number ground)
{
    enter(y, TAC__PHASE_LAND);
    put(y, y->n->target, north, east, AT(y->n->loops.position[2]));
    AT(y->n->ground) = ground;
}

static void land_here(const flying *y, number ground)
{
    land_at(y, AT(y->n->loops.position[0]), AT(y->n->loops.position[1]), ground);
}

static void go_home(const flying *y)
{
    const real *here = y->n->loops.position;
    const number up = AT(y->n->home[2]) - AT(y->f->return_m);
    enter(y, TAC__PHASE_RETURN);
    put(y, y->n->target, AT(here[0]), AT(here[1]), lane_min(up, AT(here[2])));
}

// --- items --------------------------------------------------------------------------------------

static number altitude_of(const flying *y, const tac__mission_item *item)
{
    const number zero = item->above_home ? AT(y->n->home[2]) : AT(y->f->sea_level_m);
    return zero - item->altitude_m;
}

static number radius_of(const flying *y, const tac__mission_item *item)
{
    return item->radius_m > 0 ? item->radius_m : AT(y->f->acceptance_m);
}

static const tac__mission_item *item_at(const flying *y, int32_t i)
{
    const tac__mission *mission = y->missions[y->lane];
    return (size_t)i < mission->count ? &mission->items[i] : NULL;
}

static bool has_yaw(const tac__mission_item *item)
{
    return item->yaw_rad == item->yaw_rad;
}

static number way_between(const number a[3], const number b[3])
{
    const number x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return lane_sqrt(x * x + y * y + z * z);
}

// The speed at which the corner between two legs can be flown inside a radius: that of the arc
// which touches both legs at that distance.
static number corner_speed(const number from[3], const number at[3], const number to[3],
                           number radius_m, number acceleration)
{
    const number in = way_between(from, at), out = way_between(at, to);
    if (IS(in < radius_m) || IS(out < radius_m))
        return 0;
    number cosine = 0;
    for (int k = 0; k < 3; k++)
        cosine += (at[k] - from[k]) * (to[k] - at[k]);
    cosine = lane_clamp(cosine / (in * out), -1, 1);
    if (IS(cosine < -0.9))
        return 0;
    const number tangent = lane_sqrt((1 - cosine) / (1 + cosine));
    return lane_sqrt(acceleration * radius_m / lane_max(1e-3, tangent));
}

// How far beyond the item the vehicle would come to rest if it passes the item without a stop.
static number run_out_of(const flying *y, const tac__mission_item *item, int32_t next)
{
    const tac__mission_item *then = item_at(y, next);
    if (item->hold_s > 0 || item->kind != TAC__ITEM_WAYPOINT || !then || then->here)
        return 0;
    const number to[3] = {then->north_m, then->east_m, altitude_of(y, then)};
    const number from[3] = {AT(y->n->loops.position[0]), AT(y->n->loops.position[1]),
                            AT(y->n->loops.position[2])};
    const number at[3] = {AT(y->n->target[0]), AT(y->n->target[1]), AT(y->n->target[2])};
    const number a = TAC__BRAKING * AT(y->f->control.tuning.acceleration), r = radius_of(y, item);
    const number v = lane_min(AT(y->in->cruise_speed), corner_speed(from, at, to, r, a));
    return lane_max(0, v / TAC__APPROACH + v * v / (2 * a) - r);
}

static void begin_leg(const flying *y, const tac__mission_item *item)
{
    const real *here = y->n->loops.position, *target = y->n->target;
    put(y, y->n->target, item->north_m, item->east_m, altitude_of(y, item));
    if (has_yaw(item))
        AT(y->n->yaw) = item->yaw_rad;
    else if (IS(level_distance(y, here, target) > AT(y->f->acceptance_m)))
        AT(y->n->yaw) = lane_atan2(AT(target[1]) - AT(here[1]), AT(target[0]) - AT(here[0]));
    AT(y->n->run_out) = run_out_of(y, item, WORD(item) + 1);
}

static void begin_item(const flying *y)
{
    const tac__mission_item *item = item_at(y, WORD(item));
    if (item && item->kind == TAC__ITEM_TAKEOFF) // in the air already
        item = item_at(y, ++WORD(item));
    if (!item) {
        hold(y);
        return;
    }
    if (item->kind == TAC__ITEM_RETURN) {
        go_home(y);
    } else if (item->kind == TAC__ITEM_LAND) {
        if (has_yaw(item))
            AT(y->n->yaw) = item->yaw_rad;
        if (item->here)
            land_here(y, altitude_of(y, item));
        else
            land_at(y, item->north_m, item->east_m, altitude_of(y, item));
    } else {
        enter(y, TAC__PHASE_MISSION);
        begin_leg(y, item);
    }
    WORD(on_item) = 1;
}

static void pass_item(const flying *y)
{
    WORD(item)++;
    WORD(reached)++;
}

static void run_item(const flying *y)
{
    const tac__mission_item *item = item_at(y, WORD(item));
    if (IS(AT(y->n->held_s) > 0) ||
        IS(distance(y, y->in->position, y->n->target) < radius_of(y, item)))
        AT(y->n->held_s) += y->dt;
    if (item->kind == TAC__ITEM_LOITER || IS(AT(y->n->held_s) <= item->hold_s))
        return;
    pass_item(y);
    begin_item(y);
}

// --- take-off, return, landing ------------------------------------------------------------------

static void begin_takeoff(const flying *y)
{
    if (!item_at(y, WORD(item))) // again from the start
        WORD(item) = WORD(reached) = 0;
    const tac__mission_item *item = item_at(y, WORD(item));
    const bool own = item && item->kind == TAC__ITEM_TAKEOFF;
    enter(y, TAC__PHASE_TAKEOFF);
    flight_reset(y->in, only_lane(y), y->n);
    WORD(landed) = 0;
    WORD(on_item) = own;
    AT(y->n->lift) = 0;
    if (own && has_yaw(item))
        AT(y->n->yaw) = item->yaw_rad;
    put(y, y->n->target, AT(y->n->home[0]), AT(y->n->home[1]),
        own ? altitude_of(y, item) : AT(y->n->home[2]) - AT(y->f->takeoff_m));
}

static void run_takeoff(const flying *y)
{
    const tac__mission_item *item = WORD(on_item) ? item_at(y, WORD(item)) : NULL;
    const number radius = item ? radius_of(y, item) : AT(y->f->acceptance_m);
    // At least half of the climb must be done, however large the acceptance radius is.
    const number up = AT(y->n->home[2]) - AT(y->n->target[2]);
    const number left = AT(y->in->position[2]) - AT(y->n->target[2]);
    if (IS(AT(y->n->lift) < 1) || IS(left > lane_min(radius, 0.5 * lane_max(0, up))))
        return;
    if (item)
        pass_item(y);
    if (mode_of(y) == TAC__MODE_MISSION && item_at(y, WORD(item)))
        begin_item(y);
    else
        enter(y, TAC__PHASE_HOLD);
}

enum { CLIMB, CROSS };

static void run_return(const flying *y)
{
    const real *here = y->in->position, *home = y->n->home;
    if (IS(level_distance(y, here, home) < AT(y->f->acceptance_m))) {
        const int32_t on_item = WORD(on_item);
        land_at(y, AT(home[0]), AT(home[1]), AT(home[2]));
        WORD(on_item) = on_item;
    } else if (WORD(stage) == CLIMB &&
               IS(AT(here[2]) - AT(y->n->target[2]) < AT(y->f->acceptance_m))) {
        WORD(stage) = CROSS;
        put(y, y->n->target, AT(home[0]), AT(home[1]), AT(y->n->target[2]));
    }
}

enum { APPROACH, DESCEND };

static void run_land(const flying *y)
{
    if (WORD(stage) == APPROACH &&
        (!WORD(can_hover) ||
         IS(level_distance(y, y->in->position, y->n->target) < AT(y->f->acceptance_m))))
        WORD(stage) = DESCEND;
}

// --- landed -------------------------------------------------------------------------------------

// With so little thrust a vehicle would fall; if it does not, it stands on something.
static const double carried = 0.6, still_s = 0.4, sinking_s = 0.1;

static cond descends(const flying *y)
{
    return c_and(EQUAL(phase, TAC__PHASE_LAND), EQUAL(stage, DESCEND));
}

#ifdef TAC_KIND_F64
bool tac__flight_descends(const tac__flight_words *w)
{
    return w->phase == TAC__PHASE_LAND && w->stage == DESCEND;
}
#endif

static void come_to_rest(const flying *y)
{
    if (WORD(on_item))
        pass_item(y);
    enter(y, TAC__PHASE_LANDED);
    WORD(landed) = 1;
    WORD(armed) = 0;
}

static void watch_ground(flying *y)
{
    const tac__control *c = &y->f->control;
    tac__flight_numbers *n = y->n;
    n->sinking += y->dt / (sinking_s + y->dt) * (y->in->velocity[2] - n->sinking);
    cond still = c_and(r_abs(n->sinking) < 0.5 * y->in->land_speed,
                       n->thrust < carried * c->mass_kg * c->g_m_s2);
    cond lands = c_and(EQUAL(landed, 0), c_and(c_or(EQUAL(armed, 0), descends(y)), still));
    n->still_s = r_select(lands, n->still_s + y->dt, R(0.0));
    cond down = c_and(lands, n->still_s >= still_s);
    for (y->lane = 0; y->lane < TAC__FLIGHT_LANES && any(down); y->lane++) {
        if (HOLDS(down))
            come_to_rest(y);
    }
}

// --- decisions ----------------------------------------------------------------------------------

static void take_orders(const flying *y)
{
    const bool arm = is_told_to_arm(y);
    const int32_t mode = mode_of(y);
    const bool rises = arm && !WORD(arm_before);
    const bool changes = mode != WORD(mode_before) || (rises && !WORD(armed));
    WORD(arm_before) = arm;
    WORD(mode_before) = mode;
    if (!arm) {
        if (WORD(phase) != TAC__PHASE_LANDED)
            enter(y, TAC__PHASE_IDLE);
        WORD(armed) = 0;
        return;
    }
    if (rises && !WORD(armed)) {
        WORD(armed) = 1;
        enter(y, TAC__PHASE_IDLE);
        AT(y->n->lift) = 1; // in case it is in the air
    }
    if (!WORD(armed))
        return;
    if (WORD(landed)) {
        if (mode == TAC__MODE_MISSION)
            begin_takeoff(y);
        return;
    }
    if (!changes || (WORD(phase) == TAC__PHASE_LAND && !WORD(can_hover)))
        return;
    switch (mode) {
    case TAC__MODE_IDLE:
        hold(y);
        return;
    case TAC__MODE_MISSION:
        begin_item(y);
        return;
    case TAC__MODE_RETURN:
        go_home(y);
        return;
    case TAC__MODE_LAND:
        land_here(y, AT(y->n->home[2]));
        return;
    }
}

static void run_phase(const flying *y)
{
    if (!WORD(can_hover) && WORD(phase) != TAC__PHASE_LAND) {
        land_here(y, AT(y->n->home[2]));
        return;
    }
    switch (WORD(phase)) {
    case TAC__PHASE_TAKEOFF:
        run_takeoff(y);
        return;
    case TAC__PHASE_MISSION:
        run_item(y);
        return;
    case TAC__PHASE_RETURN:
        run_return(y);
        return;
    case TAC__PHASE_LAND:
        run_land(y);
        return;
    }
}

static cond in_flight(const flying *y)
{
    return c_and(c_not(EQUAL(armed, 0)), EQUAL(landed, 0));
}

static void start(const flying *y)
{
    flight_reset(y->in, only_lane(y), y->n);
    put(y, y->n->home, AT(y->in->position[0]), AT(y->in->position[1]), AT(y->in->position[2]));
    put(y, y->n->target, AT(y->in->position[0]), AT(y->in->position[1]), AT(y->in->position[2]));
    WORD(started) = 1;
}

// --- a step -------------------------------------------------------------------------------------

// Home is where the vehicle stands.
static void find_home(const flying *y, cond flies)
{
    const double home_s = 0.5;
    tac__flight_numbers *n = y->n;
    cond stands = c_and(c_not(flies), c_not(EQUAL(landed, 0)));
    for (int k = 0; k < 3; k++) {
        real home = n->home[k] + y->dt / (home_s + y->dt) * (y->in->position[k] - n->home[k]);
        n->home[k] = r_select(stands, home, n->home[k]);
    }
}

static void compute(const flying *y, tac__control_out *out)
{
    const flight_choice choice = {in_flight(y), c_not(EQUAL(armed, 0)), descends(y),
                                  c_not(EQUAL(yaw_held, 0))};
    if (any(choice.flies))
        flight_fly(y->shape, y->f, y->dt, y->in, &choice, y->n, out);
    else
        memset(out, 0, sizeof *out);
    if (!c_all(choice.flies)) {
        find_home(y, choice.flies);
        flight_rest(y->shape, y->f, y->in, &choice, y->n, out);
    }
    flight_expect(y->shape, y->dt, out, y->n);
}

TAC_ENTRY void TAC_KINDED(tac__flight_step)(const tac__control_shape *shape, const tac__flight *f,
                                            const tac__mission *const *missions, double dt_s,
                                            const tac__flight_in *in, tac__flight_state s,
                                            tac__control_out *out, uint32_t *lost)
{
    flying at_hand = {shape, f, missions, in, s.n, s.w, dt_s, 0}, *y = &at_hand;
    memset(lost, 0, TAC__FLIGHT_LANES * sizeof *lost);
    for (y->lane = 0; y->lane < TAC__FLIGHT_LANES; y->lane++) {
        if (!WORD(started))
            start(y);
    }
    watch_rotors(y, lost);
    for (y->lane = 0; y->lane < TAC__FLIGHT_LANES; y->lane++)
        take_orders(y);
    cond flies = in_flight(y);
    s.n->lift = r_select(flies, r_min(R(1.0), s.n->lift + dt_s / f->spool_s), s.n->lift);
    for (y->lane = 0; y->lane < TAC__FLIGHT_LANES; y->lane++) {
        if (WORD(armed) && !WORD(landed))
            run_phase(y);
    }
    watch_ground(y);
    compute(y, out);
}
