// wind.c - component `wind`: the velocity of the air at the vehicle. The processes are in
// wind.model.h, tables in wind_table.c.
#include "model/world/wind.h"
#include "model/builtin.h"
#include "model/world/wind_table.h"
#include <tactus/math.h>

#include <string.h>

void tac__ou_step_f64(const tac__ou *p, const double *n, double *x);
void tac__wind_profile_f64(double z0_m, const double *height_m, double *factor);
void tac__dryden_step_f64(const tac__dryden *p, double dt_s, const double *u, const double *n,
                          double *x, double *velocity);
void tac__dryden_start_f64(const double *n, double *x);

#define KNOT 0.5144444444444445 // m/s

// Figure 7 of MIL-F-8785C: intensity by altitude, at exceedance probabilities of 1e-2, 1e-3, 1e-5.
const double tac__dryden_altitude[TAC__DRYDEN_ALTITUDES] = {
    500, 1750, 3750, 7500, 15000, 25000, 35000, 45000, 55000, 65000, 75000, 80000};
static const double aloft[3][TAC__DRYDEN_ALTITUDES] = {
    {6.6, 6.9, 7.4, 6.7, 4.6, 2.7, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0},
    {8.6, 9.6, 10.6, 10.1, 8.0, 6.6, 5.0, 4.2, 2.7, 0.0, 0.0, 0.0},
    {15.6, 17.6, 23.0, 23.6, 22.1, 20.0, 16.0, 15.1, 12.1, 7.9, 6.2, 5.1}};

typedef enum wind_kind { NONE, CONSTANT, OU, DRYDEN, TABLE } wind_kind;
static const char *const kinds[] = {"none", "constant", "ou", "dryden", "table", NULL};
static const char *const intensities[] = {"light", "moderate", "severe", NULL};
static const char *const starts[] = {"stationary", "zero", NULL};

typedef struct wind {
    wind_kind kind;
    double mean[3];
    double roughness_m; // 0: the mean wind is the same at every height
    bool start_at_zero;
    double sigma[3], tau_s[3];
    tac__dryden dryden;
    double height_m, airspeed_m_s, heading[4]; // where the inputs are open
    double ground_m;
    tac__wind_table table;
    int gust, position, velocity, attitude; // inputs
    int total, base;                        // outputs
    int x, ou;                              // states
    int stream;
} wind;

// --- declaring ----------------------------------------------------------------------------------

static void declare_ou(tac_declare *d, wind *c)
{
    tac_param_array(d,
                    TAC_PARAM(.name = "sigma", .unit = "m/s", .fallback = "[1.5, 1.5, 0.5]",
                              .range = "[0, inf)",
                              .doc = "ou: deviation from the mean, north, east, down"),
                    c->sigma, 3);
    tac_param_array(d,
                    TAC_PARAM(.name = "tau", .unit = "s", .fallback = "3", .range = "(0, inf)",
                              .doc = "ou: correlation time, of all axes or of each"),
                    c->tau_s, 3);
    c->start_at_zero = tac_param_choice(d,
                                        TAC_PARAM(.name = "start", .fallback = "stationary",
                                                  .doc = "ou, dryden: deviation at t = 0, "
                                                         "as at any other time or zero"),
                                        starts);
}

static void declare_dryden(tac_declare *d, wind *c)
{
    const int intensity = tac_param_choice(
        d,
        TAC_PARAM(.name = "intensity", .flags = TAC_PARAM_TUNABLE, .fallback = "light",
                  .doc = "dryden: wind at 20 ft of 15, 30 or 45 kt; above "
                         "2000 ft exceeded with 1e-2, 1e-3, 1e-5"),
        intensities);
    const double w20 =
        tac_param_f64(d, TAC_PARAM(.name = "w20", .flags = TAC_PARAM_TUNABLE, .unit = "m/s",
                                   .fallback = "0", .range = "[0, inf)",
                                   .doc = "dryden: wind at 20 ft where it "
                                          "is not that of the intensity"));
    c->dryden.w20_m_s = w20 > 0 ? w20 : 15 * KNOT * (intensity + 1);
    c->dryden.aloft = aloft[intensity];
    c->height_m = tac_param_f64(d, TAC_PARAM(.name = "height", .flags = TAC_PARAM_TUNABLE,
                                             .unit = "m", .fallback = "50",
                                             .doc = "above the ground, where `position` is "
                                                    "not connected"));
    c->airspeed_m_s =
        tac_param_f64(d, TAC_PARAM(.name = "airspeed", .flags = TAC_PARAM_TUNABLE, .unit = "m/s",
                                   .fallback = "10", .range = "[0, inf)",
                                   .doc = "dryden: where `velocity` is not "
                                          "connected"));
    c->dryden.min_airspeed =
        tac_param_f64(d, TAC_PARAM(.name = "min_airspeed", .flags = TAC_PARAM_TUNABLE,
                                   .unit = "m/s", .fallback = "1", .range = "(0, inf)",
                                   .doc = "dryden: turbulence drifts past at least so fast"));
    const double speed = tac_hypot(c->mean[0], c->mean[1]);
    c->dryden.north = speed > 0 ? c->mean[0] / speed : 1;
    c->dryden.east = speed > 0 ? c->mean[1] / speed : 0;
    tac_sincos(0.5 * tac_atan2(c->mean[1], c->mean[0]), &c->heading[3], &c->heading[0]);
}

static void declare_ports(tac_declare *d, wind *c)
{
    static const tac_type vec3 = TAC_TYPE_VEC3, quat = TAC_TYPE_QUAT;
    const tac_port_def inputs[] = {TAC_DEF(tac_port_def, .name = "gust", .type = vec3,
                                           .unit = "m/s", .doc = "added to the wind"),
                                   TAC_DEF(tac_port_def, .name = "position", .type = vec3,
                                           .unit = "m", .doc = "of the vehicle, for its height"),
                                   TAC_DEF(tac_port_def, .name = "velocity", .type = vec3,
                                           .unit = "m/s", .doc = "of the vehicle: dryden"),
                                   TAC_DEF(tac_port_def, .name = "attitude", .type = quat,
                                           .doc = "of the vehicle: dryden above 1000 ft")};
    int *const index[] = {&c->gust, &c->position, &c->velocity, &c->attitude};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        tac_port_def port = inputs[i];
        port.flags = TAC_PORT_OPTIONAL;
        *index[i] = tac_declare_input(d, &port);
    }
    c->total = tac_declare_output(d, TAC_PORT(.name = "velocity", .type = vec3, .unit = "m/s",
                                              .doc = "of the air: north, east, down"));
    c->base = tac_declare_output(d, TAC_PORT(.name = "base", .type = vec3, .unit = "m/s",
                                             .doc = "the same without the gust"));
    c->x = tac_declare_state(d, TAC_PORT(.name = "process",
                                         .type = TAC_TYPE_ARRAY(TAC_F64, TAC__DRYDEN_STATES),
                                         .doc = "state of the random process"));
    c->ou = tac_declare_state(
        d, TAC_PORT(.name = "ou", .type = TAC_TYPE_ARRAY(TAC_F64, sizeof(tac__ou) / sizeof(double)),
                    .doc = "coefficients of ou, which depend on the period"));
    c->stream = tac_declare_stream(d, "noise");
}

static tac_status wind_declare(tac_declare *d, void *self)
{
    wind *c = self;
    c->kind = (wind_kind)tac_param_choice(
        d, TAC_PARAM(.name = "kind", .fallback = "none", .doc = "what blows"), kinds);
    tac_param_array(d,
                    TAC_PARAM(.name = "mean", .flags = TAC_PARAM_TUNABLE, .unit = "m/s",
                              .fallback = "0",
                              .doc = "mean wind: where the air goes, north, east, down"),
                    c->mean, 3);
    c->roughness_m = tac_param_f64(d, TAC_PARAM(.name = "roughness", .flags = TAC_PARAM_TUNABLE,
                                                .unit = "m", .fallback = "0", .range = "[0, 6)",
                                                .doc = "roughness length of the ground: the "
                                                       "mean wind is then that at 20 ft of "
                                                       "a logarithmic profile; 0: none"));
    declare_ou(d, c);
    declare_dryden(d, c);
    c->ground_m = tac_declare_world(d)->ground_m;
    declare_ports(d, c);
    if (c->kind == NONE && (c->mean[0] != 0 || c->mean[1] != 0 || c->mean[2] != 0))
        return tac_declare_fail(d, "mean",
                                "there is a mean wind, but kind is none; expected "
                                "constant, ou, dryden or table");
    return tac__wind_table_declare(d, c->kind == TABLE, &c->table);
}

// --- running ------------------------------------------------------------------------------------

static void init_ou(tac_step *s, const wind *c, const double *n)
{
    tac__ou *ou = (tac__ou *)s->state[c->ou];
    double *x = TAC_STATE(s, double, c->x);
    for (int i = 0; i < 3; i++) {
        const double steps = -tac_time_seconds(s->period_us) / c->tau_s[i];
        ou->phi[i] = tac_exp(steps);
        ou->gain[i] = c->sigma[i] * tac_sqrt(-tac_expm1(2 * steps));
        x[i] = c->start_at_zero ? 0 : c->sigma[i] * n[i];
    }
}

static tac_status wind_init(tac_step *s, const void *self)
{
    const wind *c = self;
    if (c->kind != OU && c->kind != DRYDEN)
        return TAC_OK;
    if (!s->period_us)
        return tac_fail(s, "wind of kind %s needs a rate group with a period", kinds[c->kind]);
    double n[TAC__DRYDEN_STATES];
    tac_draw_normals(s, c->stream, n, TAC__DRYDEN_STATES);
    if (c->kind == OU)
        init_ou(s, c, n);
    else if (!c->start_at_zero)
        tac__dryden_start_f64(n, TAC_STATE(s, double, c->x));
    return TAC_OK;
}

static double height_above_ground(const tac_step *s, const wind *c)
{
    if (!tac_connected(s, c->position))
        return c->height_m;
    return -TAC_IN(s, double, c->position)[2] - c->ground_m;
}

static double airspeed(const tac_step *s, const wind *c, const double *air)
{
    if (!tac_connected(s, c->velocity))
        return c->airspeed_m_s;
    const double *v = TAC_IN(s, double, c->velocity);
    const double r[3] = {v[0] - air[0], v[1] - air[1], v[2] - air[2]};
    return tac_sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

static void add(double to[3], const double v[3])
{
    to[0] += v[0];
    to[1] += v[1];
    to[2] += v[2];
}

// Adds the deviation from the mean at this instant, and advances the processes to the next step.
static void add_ou(tac_step *s, const wind *c, double *velocity)
{
    double *x = TAC_STATE(s, double, c->x), n[TAC__OU_STATES];
    add(velocity, x);
    tac_draw_normals(s, c->stream, n, TAC__OU_STATES);
    tac__ou_step_f64((const tac__ou *)s->state[c->ou], n, x);
}

static void add_dryden(tac_step *s, const wind *c, double *velocity)
{
    double u[TAC__DRYDEN_INPUTS] = {height_above_ground(s, c), airspeed(s, c, velocity)};
    memcpy(u + TAC__DRYDEN_ATTITUDE,
           tac_connected(s, c->attitude) ? s->in[c->attitude] : c->heading, sizeof c->heading);
    double n[TAC__DRYDEN_STATES], turbulence[3];
    tac_draw_normals(s, c->stream, n, TAC__DRYDEN_STATES);
    tac__dryden_step_f64(&c->dryden, tac_time_seconds(s->period_us), u, n,
                         TAC_STATE(s, double, c->x), turbulence);
    add(velocity, turbulence);
}

static tac_status wind_step(tac_step *s, const void *self)
{
    const wind *c = self;
    double *base = TAC_OUT(s, double, c->base), *total = TAC_OUT(s, double, c->total), factor = 1;
    if (c->roughness_m > 0) {
        const double height = height_above_ground(s, c);
        tac__wind_profile_f64(c->roughness_m, &height, &factor);
    }
    for (int i = 0; i < 3; i++)
        base[i] = factor * c->mean[i];
    if (c->kind == OU)
        add_ou(s, c, base);
    else if (c->kind == DRYDEN)
        add_dryden(s, c, base);
    else if (c->kind == TABLE)
        tac__wind_table_add(&c->table, s->t_us, base);
    const double *gust = TAC_IN(s, double, c->gust);
    for (int i = 0; i < 3; i++)
        total[i] = base[i] + gust[i];
    return TAC_OK;
}

static void wind_close(void *self)
{
    wind *c = self;
    tac__wind_table_fini(&c->table);
}

const tac_component_type tac__wind_type = {
    TAC__TYPE("wind", "1", "the velocity of the air: steady, gusty, turbulent or from a table", 0),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(wind),
    .declare = wind_declare,
    .init = wind_init,
    .kernels[TAC_NUMBERS].step = wind_step,
    .close = wind_close,
};
