// wind.c - component `wind`: the velocity of the air at the vehicle. Its step is in wind.model.h,
// tables in wind_table.c; what becomes numbers is read in wind.given.h.
#define TAC_KIND_F64
#include "base/text.h"
#include "model/world/wind.h"

#include <tactus/math.h>

// Figure 7 of MIL-F-8785C: intensity by altitude, at exceedance probabilities of 1e-2, 1e-3, 1e-5.
const double tac__dryden_altitude[TAC__DRYDEN_ALTITUDES] = {
    500, 1750, 3750, 7500, 15000, 25000, 35000, 45000, 55000, 65000, 75000, 80000};
static const double aloft[3][TAC__DRYDEN_ALTITUDES] = {
    {6.6, 6.9, 7.4, 6.7, 4.6, 2.7, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0},
    {8.6, 9.6, 10.6, 10.1, 8.0, 6.6, 5.0, 4.2, 2.7, 0.0, 0.0, 0.0},
    {15.6, 17.6, 23.0, 23.6, 22.1, 20.0, 16.0, 15.1, 12.1, 7.9, 6.2, 5.1}};

static const char *const kinds[] = {"none", "constant", "ou", "dryden", "table", NULL};
static const char *const starts[] = {"stationary", "zero", NULL};

typedef struct wind {
    tac__wind shape; // first: kernels see it
    bool start_at_zero;
    double sigma[3], tau_s[3];
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

static void declare_ports(tac_declare *d)
{
    static const tac_type vec3_type = TAC_TYPE_VEC3, quat_type = TAC_TYPE_QUAT;
    const tac_port_def inputs[TAC__WIND_INS] = {
        [TAC__WIND_IN_GUST] = TAC_DEF(tac_port_def, .name = "gust", .type = vec3_type,
                                      .unit = "m/s", .doc = "added to the wind"),
        [TAC__WIND_IN_POSITION] = TAC_DEF(tac_port_def, .name = "position", .type = vec3_type,
                                          .unit = "m", .doc = "of the vehicle, for its height"),
        [TAC__WIND_IN_VELOCITY] = TAC_DEF(tac_port_def, .name = "velocity", .type = vec3_type,
                                          .unit = "m/s", .doc = "of the vehicle: dryden"),
        [TAC__WIND_IN_ATTITUDE] = TAC_DEF(tac_port_def, .name = "attitude", .type = quat_type,
                                          .doc = "of the vehicle: dryden above 1000 ft")};
    for (size_t i = 0; i < TAC__WIND_INS; i++) {
        tac_port_def port = inputs[i];
        port.flags = TAC_PORT_OPTIONAL;
        tac_declare_input(d, &port);
    }
    tac_declare_output(d, TAC_PORT(.name = "velocity", .type = vec3_type, .unit = "m/s",
                                   .doc = "of the air: north, east, down"));
    tac_declare_output(d, TAC_PORT(.name = "base", .type = vec3_type, .unit = "m/s",
                                   .doc = "the same without the gust"));
    tac_declare_state(d, TAC_PORT(.name = "process",
                                  .type = TAC_TYPE_ARRAY(TAC_F64, TAC__DRYDEN_STATES),
                                  .doc = "state of the random process"));
    tac_declare_state(d, TAC_PORT(.name = "ou",
                                  .type = TAC_TYPE_ARRAY(TAC_F64, sizeof(tac__ou) / sizeof(double)),
                                  .doc = "coefficients of ou, which depend on the period"));
    tac_declare_stream(d, "noise");
}

static tac_status wind_declare(tac_declare *d, void *self)
{
    wind *c = self;
    tac__wind_numbers p = {0};
    c->shape.kind = (tac__wind_kind)tac_param_choice(
        d, TAC_PARAM(.name = "kind", .fallback = "none", .doc = "what blows"), kinds);
    tac__wind_mean(d, &p);
    c->shape.profile = p.roughness_m > 0;
    declare_ou(d, c);
    c->shape.frozen = tac_param_node(d, "frozen") != NULL;
    c->shape.aloft = aloft[tac__wind_dryden(d, c->shape.kind, &p)];
    declare_ports(d);
    tac_declare_numbers(d, &p, sizeof p);
    if (c->shape.kind == TAC__WIND_NONE && (p.mean[0] != 0 || p.mean[1] != 0 || p.mean[2] != 0))
        return tac_declare_fail(d, "mean",
                                "there is a mean wind, but kind is none; expected "
                                "constant, ou, dryden or table");
    return tac__wind_table_declare(d, c->shape.kind == TAC__WIND_TABLE, &c->shape.table);
}

static bool wind_alike(const void *self, const void *other)
{
    const tac__wind *a = &((const wind *)self)->shape, *b = &((const wind *)other)->shape;
    return a->kind == b->kind && a->profile == b->profile && a->frozen == b->frozen &&
           (a->kind != TAC__WIND_DRYDEN || a->aloft == b->aloft) &&
           (a->kind != TAC__WIND_TABLE || tac__wind_table_same(&a->table, &b->table));
}

// Warn of wind that follows its vehicle: two flights that differ meet different winds.
static tac_status wind_connect(tac_declare *d, void *self)
{
    static const char *const names[] = {"position", "velocity", "attitude"};
    static const int inputs[] = {TAC__WIND_IN_POSITION, TAC__WIND_IN_VELOCITY,
                                 TAC__WIND_IN_ATTITUDE};
    const tac__wind *c = &((const wind *)self)->shape;
    char followed[64] = "";
    tac__out out = tac__out_begin(followed, sizeof followed);
    const size_t looked_at = c->kind == TAC__WIND_DRYDEN ? 3 : c->profile ? 1 : 0;
    for (size_t i = 0; i < looked_at && !c->frozen; i++) {
        if (tac_declare_connected(d, inputs[i]))
            tac__out_add(&out, "%s%s", out.length ? " and " : "", names[i]);
    }
    if (followed[0])
        tac_declare_doubt(
            d, "wind-follows", "kind",
            "this wind depends on the vehicle's %s, so two flights meet the same wind "
            "only while they are the same flight; 'frozen: {}' gives the same wind "
            "over time, 'accept: [wind-follows]' says that you know",
            followed);
    return TAC_OK;
}

// --- running ------------------------------------------------------------------------------------

static void init_ou(tac_step *s, const wind *c, const double *n)
{
    tac__ou *ou = (tac__ou *)s->state[TAC__WIND_STATE_OU];
    double *x = TAC_STATE(s, double, TAC__WIND_STATE_PROCESS);
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
    const tac__wind_kind kind = c->shape.kind;
    if (kind != TAC__WIND_OU && kind != TAC__WIND_DRYDEN)
        return TAC_OK;
    if (!s->period_us)
        return tac_fail(s, "wind of kind %s needs a rate group with a period", kinds[kind]);
    double n[TAC__DRYDEN_STATES];
    tac_draw_normals(s, TAC__WIND_STREAM, n, TAC__DRYDEN_STATES);
    if (kind == TAC__WIND_OU)
        init_ou(s, c, n);
    else if (!c->start_at_zero)
        dryden_start(n, TAC_STATE(s, double, TAC__WIND_STATE_PROCESS));
    return TAC_OK;
}

static void wind_close(void *self)
{
    wind *c = self;
    tac__wind_table_fini(&c->shape.table);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__wind_step_##kind                                                              \
    }
const tac_component_type tac__wind_type = {
    TAC__TYPE("wind", "1", "the velocity of the air: steady, gusty, turbulent or from a table", 0),
    .stage = TAC_STAGE_ENVIRONMENT,
    .self_size = sizeof(wind),
    .declare = wind_declare,
    .connect = wind_connect,
    .numbers = tac__wind_numbers_of,
    .init = wind_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = wind_alike,
    .close = wind_close,
};
#undef KERNELS
