// Control laws, allocation and whole flights in lanes: every lane has a vehicle, gains, inputs and
// a mission of its own, and has the bits of the same vehicle alone. The packs are compiled for this
// machine in kind_pack*.cc.
#include "support/test.h"

#include "autopilot/moments.h"
#include "autopilot/plant.h"

#include "autopilot/flight_control.h"
#include "engine/run/state.h"
#include "math/inputs.h"

enum { WIDTH = 8, WIDTHS = 3 };

static void vary(double *x, double part)
{
    *x *= uniform(1 - part, 1 + part);
}

// --- side by side -------------------------------------------------------------------------------

// Element i of lane l at [i * lanes + l].
static void pack(void *to, const void *from, size_t size, size_t i, size_t lanes, size_t lane)
{
    memcpy((char *)to + (i * lanes + lane) * size, (const char *)from + i * size, size);
}

static void pack_doubles(double *to, const void *from, size_t count, int lanes, int lane)
{
    for (size_t i = 0; i < count; i++)
        pack(to, from, sizeof *to, i, (size_t)lanes, (size_t)lane);
}

// What the double in the lane is must be what it is alone.
static void check_doubles(const char *what, const double *got, const void *expected, size_t count,
                          int lanes, int lane)
{
    for (size_t i = 0; i < count; i++) {
        const double a = got[i * (size_t)lanes + (size_t)lane], b = ((const double *)expected)[i];
        if (!same_bits(a, b))
            fail_msg("%s %zu, lane %d of %d: %a, alone %a", what, i, lane, lanes, a, b);
    }
}

// --- vehicles -----------------------------------------------------------------------------------

typedef struct vehicle {
    plant p;
    tac__control_shape shape;
    tac__flight f;
} vehicle;

static void draw_vehicle(vehicle *g, int rotors)
{
    if (rotors == 4)
        plant_iris(&g->p);
    else
        plant_ring(&g->p, rotors);
    tac__vehicle *v = &g->p.v;
    vary(&v->mass_kg, 0.2);
    vary(&v->voltage_v, 0.05);
    vary(&v->density, 0.1);
    for (int k = 0; k < 3; k++)
        vary(&v->inertia[4 * k], 0.2);
    v->inertia[1] = v->inertia[3] = uniform(-0.001, 0.001);
    for (int i = 0; i < v->rotors; i++) {
        tac__rotor *r = &v->rotor[i];
        r->position_m[0] += uniform(-0.02, 0.02);
        r->position_m[1] += uniform(-0.02, 0.02);
        vary(&r->propeller.kt, 0.05);
        vary(&r->propeller.kq, 0.05);
        vary(&r->motor.ke, 0.02);
        vary(&r->motor.resistance_ohm, 0.2);
        r->motor.max_a = chance(0.3) ? uniform(8, 20) : 60;
    }
    tac__control_tuning tuning = plant_tuning;
    for (size_t i = 0; i < sizeof tuning / sizeof(double); i++)
        vary((double *)&tuning + i, 0.1);
    memset(&g->f, 0, sizeof g->f);
    tac__control_init(&g->f.control, &g->shape, v, &tuning);
    g->f.sea_level_m = uniform(0, 500);
    g->f.acceptance_m = uniform(0.5, 1.5);
    g->f.takeoff_m = uniform(3, 6);
    g->f.return_m = uniform(5, 8);
    g->f.slow_m = uniform(1, 2);
    g->f.spool_s = uniform(0.4, 1);
}

static vehicle fleet[WIDTH];
static _Alignas(64) double numbers[sizeof(tac__flight) / 8 * WIDTH];

// All have the same shape.
static void draw_fleet(int rotors)
{
    for (int l = 0; l < WIDTH; l++) {
        do
            draw_vehicle(&fleet[l], rotors);
        while (fleet[l].shape.mixes != fleet[0].shape.mixes);
    }
}

// --- a step of the laws -------------------------------------------------------------------------

enum {
    ROTORS = TAC__ROTORS_MAX,
    INS = sizeof(tac__control_in) / 8,
    STATES = sizeof(tac__control_state) / 8,
    OUTS = sizeof(tac__control_out) / 8,
    NUMBERS = sizeof(tac__control) / 8,
};

#define KIND(kind)                                                                                 \
    void tac__control_step_##kind(const tac__control_shape *shape, const double *p, double dt,     \
                                  const double *volts, const double *working, const double *in,    \
                                  double *state, double *out);                                     \
    void tac__control_allocate_##kind(const tac__control_shape *shape, const double *p,            \
                                      const double *volts, const double *working,                  \
                                      const double *wanted, double *thrust, double *reached);      \
    tac_status tac__flight_control_step_##kind(tac_step *s, const void *self);
KIND(pack2)
KIND(pack4)
KIND(pack8)

static const struct {
    int lanes;
    void (*step)(const tac__control_shape *, const double *, double, const double *, const double *,
                 const double *, double *, double *);
    void (*allocate)(const tac__control_shape *, const double *, const double *, const double *,
                     const double *, double *, double *);
    tac_status (*fly)(tac_step *, const void *);
} widths[WIDTHS] = {
    {2, tac__control_step_pack2, tac__control_allocate_pack2, tac__flight_control_step_pack2},
    {4, tac__control_step_pack4, tac__control_allocate_pack4, tac__flight_control_step_pack4},
    {8, tac__control_step_pack8, tac__control_allocate_pack8, tac__flight_control_step_pack8},
};

static double voltage[WIDTH][ROTORS], works[WIDTH][ROTORS];
static _Alignas(64) double v8[ROTORS * WIDTH], o8[ROTORS * WIDTH];

static void draw_moment(const vehicle *g, double far, tac__control_in *in, tac__control_state *s,
                        double *volts, double *working)
{
    moment_draw(far, in, s);
    for (int i = 0; i < g->shape.rotors; i++) {
        volts[i] = chance(0.3) ? g->f.control.voltage_v : uniform(11, 12.6);
        working[i] = far > 0 ? chance(0.85) : 1;
    }
}

static void test_laws(void **state)
{
    (void)state;
    static tac__control_in in[WIDTH];
    static tac__control_state before[WIDTH], after[WIDTH];
    static tac__control_out out[WIDTH];
    static _Alignas(64) double in_pack[INS * WIDTH], state_pack[STATES * WIDTH];
    static _Alignas(64) double out_pack[OUTS * WIDTH];
    static const int rotors[] = {4, 3, 6, 8, 16};
    for (int batch = 0; batch < 200; batch++) {
        draw_fleet(rotors[batch % 5]);
        for (int l = 0; l < WIDTH; l++) {
            // In some batches all are calm, in others some or all are not.
            draw_moment(&fleet[l], batch % 3 == 0 || (batch % 3 == 1 && l % 2) ? 1 : 0, &in[l],
                        &before[l], voltage[l], works[l]);
            after[l] = before[l];
            memset(&out[l], 0, sizeof out[l]);
            tac__control_step_f64(&fleet[l].shape, &fleet[l].f.control, 0.004, voltage[l], works[l],
                                  &in[l], &after[l], &out[l]);
        }
        for (int w = 0; w < WIDTHS; w++) {
            const int lanes = widths[w].lanes;
            for (int from = 0; from < WIDTH; from += lanes) {
                memset(out_pack, 0, sizeof out_pack);
                for (int l = 0; l < lanes; l++) {
                    pack_doubles(numbers, &fleet[from + l].f.control, NUMBERS, lanes, l);
                    pack_doubles(v8, voltage[from + l], ROTORS, lanes, l);
                    pack_doubles(o8, works[from + l], ROTORS, lanes, l);
                    pack_doubles(in_pack, &in[from + l], INS, lanes, l);
                    pack_doubles(state_pack, &before[from + l], STATES, lanes, l);
                }
                widths[w].step(&fleet[from].shape, numbers, 0.004, v8, o8, in_pack, state_pack,
                               out_pack);
                for (int l = 0; l < lanes; l++) {
                    check_doubles("state", state_pack, &after[from + l], STATES, lanes, l);
                    check_doubles("output", out_pack, &out[from + l], OUTS, lanes, l);
                }
            }
        }
    }
}

// --- allocation ---------------------------------------------------------------------------------

// From what can be had to what cannot; rotors that are out; a lane that is not a number.
static void test_allocation(void **state)
{
    (void)state;
    static double wanted[WIDTH][4];
    static double thrust[WIDTH][ROTORS], reached[WIDTH][4];
    static _Alignas(64) double w8[4 * WIDTH];
    static _Alignas(64) double t8[ROTORS * WIDTH], r8[4 * WIDTH];
    static const int rotors[] = {4, 6, 5, 8, 3, 12};
    int met = 0, missed = 0;
    for (int batch = 0; batch < 600; batch++) {
        draw_fleet(rotors[batch % 6]);
        memset(thrust, 0, sizeof thrust);
        for (int l = 0; l < WIDTH; l++) {
            const tac__control *c = &fleet[l].f.control;
            const double far = batch % 4 == 0 ? 0.1 : uniform(0, 2);
            wanted[l][0] = c->mass_kg * c->g_m_s2 * (1 + far * uniform(-1, 1));
            for (int k = 1; k < 4; k++)
                wanted[l][k] = 0.3 * far * c->scale[k] * uniform(-1, 1);
            if (batch % 50 == 7 && l == 2)
                wanted[l][1] = (double)NAN;
            for (int i = 0; i < ROTORS; i++) {
                voltage[l][i] = chance(0.5) ? c->voltage_v : uniform(9, 13);
                works[l][i] = batch % 4 == 0 || !chance(0.1);
            }
            tac__control_allocate_f64(&fleet[l].shape, c, voltage[l], works[l], wanted[l],
                                      thrust[l], reached[l]);
            const bool is_met = fabs(reached[l][0] - wanted[l][0]) < 1e-6 &&
                                fabs(reached[l][1] - wanted[l][1]) < 1e-6 &&
                                fabs(reached[l][2] - wanted[l][2]) < 1e-6 &&
                                fabs(reached[l][3] - wanted[l][3]) < 1e-6;
            met += is_met;
            missed += !is_met;
        }
        for (int w = 0; w < WIDTHS; w++) {
            const int lanes = widths[w].lanes;
            for (int from = 0; from < WIDTH; from += lanes) {
                memset(t8, 0, sizeof t8);
                for (int l = 0; l < lanes; l++) {
                    pack_doubles(numbers, &fleet[from + l].f.control, NUMBERS, lanes, l);
                    pack_doubles(w8, wanted[from + l], 4, lanes, l);
                    pack_doubles(v8, voltage[from + l], ROTORS, lanes, l);
                    pack_doubles(o8, works[from + l], ROTORS, lanes, l);
                }
                widths[w].allocate(&fleet[from].shape, numbers, v8, o8, w8, t8, r8);
                for (int l = 0; l < lanes; l++) {
                    check_doubles("thrust", t8, thrust[from + l], ROTORS, lanes, l);
                    check_doubles("reached", r8, reached[from + l], 4, lanes, l);
                }
            }
        }
    }
    assert_true(met > 800 && missed > 800);
}

// --- flights, by the component's steps ----------------------------------------------------------

enum { BUSES = 2, MOST = 16 };

// Sizes of elements, and how many there are.
typedef struct layout {
    size_t size, count;
} layout;

typedef struct layouts {
    layout in[TAC__FLIGHT_INPUTS], out[TAC__FLIGHT_OUTPUTS], state[2];
} layouts;

static layouts layouts_of(int rotors)
{
    const layout f64 = {8, 1}, vec3 = {8, 3}, quat = {8, 4}, flag = {1, 1}, word = {4, 1};
    const layout each = {8, (size_t)rotors}, bus = {8, BUSES};
    return (layouts){
        .in = {vec3, vec3, quat, vec3, flag, word, each, bus, f64, f64, f64, f64},
        .out = {each, flag, word, flag, word, word, word, vec3, vec3, quat, vec3, f64, vec3},
        .state = {{8, sizeof(tac__flight_numbers) / 8}, {4, sizeof(tac__flight_words) / 4}},
    };
}

// One component, or several side by side.
typedef struct bench {
    _Alignas(64) double in[TAC__FLIGHT_INPUTS][MOST * WIDTH];
    double out[TAC__FLIGHT_OUTPUTS][MOST * WIDTH];
    double state[2][sizeof(tac__flight_numbers) / 8 * WIDTH];
    const void *ins[TAC__FLIGHT_INPUTS];
    void *outs[TAC__FLIGHT_OUTPUTS], *states[2];
    tac_step step;
} bench;

static tac_instance instance; // it only knows which inputs are connected
static tac_lane lane[WIDTH];
static tac__flight_control controls[WIDTH];
static tac__flight_self selves[WIDTH];
static bench alone[WIDTH], together[WIDTHS][WIDTH / 2];
static double clock_s;

static void set_bench(bench *b, int lanes, int first)
{
    memset(b, 0x55, sizeof *b);
    memset(b->in, 0, sizeof b->in);
    for (int i = 0; i < TAC__FLIGHT_INPUTS; i++)
        b->ins[i] = b->in[i];
    for (int i = 0; i < TAC__FLIGHT_OUTPUTS; i++)
        b->outs[i] = b->out[i];
    for (int i = 0; i < 2; i++)
        b->states[i] = b->state[i];
    b->step = (tac_step){.period_us = 4000,
                         .due = TAC_DUE_AXIS,
                         .lanes = (uint32_t)lanes,
                         .in = b->ins,
                         .out = b->outs,
                         .state = b->states,
                         .instance = &instance,
                         .lane = lanes > 1 ? &lane[first] : NULL};
}

static void pack_all(void *to, const void *from, layout l, int lanes, int at)
{
    for (size_t i = 0; i < l.count; i++)
        pack(to, from, l.size, i, (size_t)lanes, (size_t)at);
}

// Waypoints about the start, a hold or two, and an end of its own in each lane.
static void draw_mission(tac__mission *m, int which)
{
    m->count = 0;
    if (which % 3 == 0)
        m->items[m->count++] = (tac__mission_item){.kind = TAC__ITEM_TAKEOFF,
                                                   .here = true,
                                                   .above_home = true,
                                                   .altitude_m = uniform(2, 4),
                                                   .yaw_rad = TAC__OPEN};
    for (int i = 0; i < 1 + which % 3; i++)
        m->items[m->count++] =
            (tac__mission_item){.kind = TAC__ITEM_WAYPOINT,
                                .above_home = true,
                                .north_m = uniform(-8, 8),
                                .east_m = uniform(-8, 8),
                                .altitude_m = uniform(2, 5),
                                .hold_s = chance(0.5) ? uniform(0, 2) : 0,
                                .radius_m = chance(0.3) ? uniform(0.5, 2) : 0,
                                .yaw_rad = chance(0.3) ? uniform(-3, 3) : TAC__OPEN};
    if (which % 4 != 3)
        m->items[m->count++] =
            (tac__mission_item){.kind = which % 2 ? TAC__ITEM_RETURN : TAC__ITEM_LAND,
                                .here = true,
                                .yaw_rad = TAC__OPEN};
}

static void begin_flights(int rotors, uint64_t connected)
{
    const layouts size = layouts_of(rotors);
    clock_s = 0;
    draw_fleet(rotors);
    memset(&instance, 0, sizeof instance);
    instance.shadow = true; // the log is not looked at
    instance.connected = connected;
    for (int l = 0; l < WIDTH; l++) {
        vehicle *g = &fleet[l];
        g->p.seed = (uint64_t)l + 1;
        g->p.noise = l % 2;
        g->p.sigma[0] = g->p.sigma[1] = l % 4;
        controls[l] = (tac__flight_control){.shape = g->shape, .buses = BUSES};
        for (int i = 0; i < rotors; i++)
            controls[l].bus[i] = i % BUSES;
        draw_mission(&controls[l].mission, l);
        selves[l] = &controls[l];
        lane[l] = (tac_lane){.instance = &instance, .self = &selves[l]};
        set_bench(&alone[l], 1, l);
        alone[l].step.p = (const double *)&g->f;
        tac__flight_init(&g->shape, (tac__flight_state){alone[l].states[0], alone[l].states[1]});
    }
    for (int w = 0; w < WIDTHS; w++) {
        const int lanes = widths[w].lanes;
        for (int from = 0; from < WIDTH; from += lanes) {
            bench *b = &together[w][from / lanes];
            set_bench(b, lanes, from);
            for (int l = 0; l < lanes; l++) {
                for (int i = 0; i < 2; i++)
                    pack_all(b->states[i], alone[from + l].states[i], size.state[i], lanes, l);
            }
        }
    }
}

// What each vehicle is told, and what becomes of it.
static void set_inputs(int l)
{
    vehicle *g = &fleet[l];
    bench *b = &alone[l];
    tac__flight_in in;
    plant_estimate(&g->p, &in);
    memcpy(b->in[TAC__FLIGHT_POSITION], in.position, 3 * sizeof(double));
    memcpy(b->in[TAC__FLIGHT_VELOCITY], in.velocity, 3 * sizeof(double));
    memcpy(b->in[TAC__FLIGHT_ATTITUDE], in.attitude, 4 * sizeof(double));
    memcpy(b->in[TAC__FLIGHT_RATE], in.rate, 3 * sizeof(double));
    memcpy(b->in[TAC__FLIGHT_ROTOR_SPEED], in.rotor_speed,
           (size_t)g->shape.rotors * sizeof(double));
    const double t = clock_s - 0.7 * l;
    bool arm = t > 0.5;
    int32_t mode = t > 1 ? TAC__MODE_MISSION : TAC__MODE_IDLE;
    if (l == 2 && t > 9)
        mode = TAC__MODE_LAND;
    if (l == 4)
        mode = t > 10 ? TAC__MODE_RETURN : t > 7 ? TAC__MODE_IDLE : mode;
    if (l == 5)
        arm = arm && !(t > 6 && t < 6.3); // falls and is caught, or not
    if (l == 6)
        g->p.lost[3] = t > 8;
    if (l == 7)
        arm = false;
    *(bool *)b->in[TAC__FLIGHT_ARM] = arm;
    *(int32_t *)b->in[TAC__FLIGHT_MODE] = mode;
    b->in[TAC__FLIGHT_BUS_VOLTAGE][0] = g->p.voltage = 12.4 - 0.01 * clock_s - 0.02 * l;
    b->in[TAC__FLIGHT_BUS_VOLTAGE][1] = l == 3 ? 0 : g->p.voltage;
    b->in[TAC__FLIGHT_SPEEDS][0] = l == 1 ? 1e9 : 2 + l;
    b->in[TAC__FLIGHT_SPEEDS + 1][0] = 1 + 0.2 * l;
    b->in[TAC__FLIGHT_SPEEDS + 2][0] = 1 + 0.1 * l + (t > 12);
    b->in[TAC__FLIGHT_SPEEDS + 3][0] = l == 3 ? -1 : 0.5 + 0.05 * l;
}

static void check_bench(const bench *b, layouts size, int lanes, int from)
{
    for (int l = 0; l < lanes; l++) {
        const bench *one = &alone[from + l];
        for (int k = 0; k < TAC__FLIGHT_OUTPUTS + 2; k++) {
            const bool out = k < TAC__FLIGHT_OUTPUTS;
            const int at = out ? k : k - TAC__FLIGHT_OUTPUTS;
            const layout lay = out ? size.out[at] : size.state[at];
            const char *got = out ? b->outs[at] : b->states[at];
            const char *expected = out ? one->outs[at] : one->states[at];
            for (size_t i = 0; i < lay.count; i++) {
                const size_t n = (i * (size_t)lanes + (size_t)l) * lay.size;
                if (memcmp(got + n, expected + i * lay.size, lay.size) != 0)
                    fail_msg("%s %d, element %zu, lane %d of %d differs at %g s",
                             out ? "output" : "state", at, i, l, lanes, clock_s);
            }
        }
    }
}

static void step_together(int w, layouts size)
{
    const int lanes = widths[w].lanes;
    for (int from = 0; from < WIDTH; from += lanes) {
        bench *b = &together[w][from / lanes];
        for (int l = 0; l < lanes; l++) {
            pack_doubles(numbers, &fleet[from + l].f, sizeof(tac__flight) / 8, lanes, l);
            for (int i = 0; i < TAC__FLIGHT_INPUTS; i++)
                pack_all(b->in[i], alone[from + l].in[i], size.in[i], lanes, l);
        }
        b->step.p = numbers;
        assert_int_equal(widths[w].fly(&b->step, &selves[from]), TAC_OK);
        check_bench(b, size, lanes, from);
    }
}

// Returns at how many steps there were several phases at once.
static int fly(int rotors, uint64_t connected, double seconds, uint32_t *seen)
{
    const layouts size = layouts_of(rotors);
    int mixed = 0;
    begin_flights(rotors, connected);
    for (int k = 0; k < (int)(seconds * 250); k++, clock_s += 0.004) {
        uint32_t phases = 0;
        for (int l = 0; l < WIDTH; l++) {
            bench *b = &alone[l];
            set_inputs(l);
            assert_int_equal(tac__flight_control_step_f64(&b->step, &selves[l]), TAC_OK);
            memcpy(fleet[l].p.duty, b->out[TAC__FLIGHT_OUT_MOTOR], (size_t)rotors * sizeof(double));
            phases |= 1u << *(int32_t *)b->out[TAC__FLIGHT_OUT_PHASE];
        }
        for (int w = 0; w < WIDTHS; w++)
            step_together(w, size);
        for (int l = 0; l < WIDTH; l++) {
            for (int i = 0; i < 2; i++)
                plant_advance(&fleet[l].p, 0.002);
        }
        mixed += __builtin_popcount(phases) >= 3;
        *seen |= phases;
    }
    return mixed;
}

static void test_flights(void **state)
{
    (void)state;
    uint32_t seen = 0;
    const int mixed = fly(6, UINT64_MAX, 26, &seen);
    assert_true(mixed > 2000);
    assert_int_equal(seen, (1u << (TAC__PHASE_HOLD + 1)) - 1); // every phase there is
    assert_true(((tac__flight_numbers *)alone[6].states[0])->works[3] == 0);
}

static void test_flights_without_telemetry(void **state)
{
    (void)state;
    uint32_t seen = 0;
    const uint64_t open = UINT64_C(1) << TAC__FLIGHT_ROTOR_SPEED |
                          UINT64_C(1) << TAC__FLIGHT_BUS_VOLTAGE | UINT64_C(1) << TAC__FLIGHT_ARM |
                          UINT64_C(1) << TAC__FLIGHT_MODE;
    (void)fly(4, ~open, 6, &seen);
    assert_true(seen >> TAC__PHASE_MISSION & 1);
}

// A lane that would fail: nothing is written, so that the components can step one by one.
static void test_refusal(void **state)
{
    (void)state;
    uint32_t seen = 0;
    (void)fly(4, UINT64_MAX, 3, &seen);
    set_inputs(1);
    alone[1].in[TAC__FLIGHT_SPEEDS + 1][0] = (double)NAN;
    assert_int_equal(tac__flight_control_step_f64(&alone[1].step, &selves[1]), TAC_E_NUMERIC);
    const layouts size = layouts_of(4);
    for (int w = 0; w < WIDTHS; w++) {
        bench *b = &together[w][0];
        const int lanes = widths[w].lanes;
        for (int i = 0; i < TAC__FLIGHT_INPUTS; i++)
            pack_all(b->in[i], alone[1].in[i], size.in[i], lanes, 1);
        b->step.p = numbers;
        assert_true(widths[w].fly(&b->step, &selves[0]) != TAC_OK);
        check_bench(b, size, lanes, 0);
        b->in[TAC__FLIGHT_SPEEDS + 1][1] = 1;
        b->step.period_us = 0;
        assert_true(widths[w].fly(&b->step, &selves[0]) != TAC_OK);
        check_bench(b, size, lanes, 0);
    }
}

TEST_MAIN(cmocka_unit_test(test_laws), cmocka_unit_test(test_allocation),
          cmocka_unit_test(test_flights), cmocka_unit_test(test_flights_without_telemetry),
          cmocka_unit_test(test_refusal))
