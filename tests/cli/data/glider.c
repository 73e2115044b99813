// glider.c - a vehicle and a control that have nothing in common with those of Tactus but the roles
// of their signals.
#include <tactus/plugin.h>

static tac_status glider_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_continuous(d, TAC_PORT(.name = "place", .type = TAC_TYPE_VEC3, .unit = "m",
                                       .role = TAC_ROLE_POSITION));
    tac_declare_output(
        d, TAC_PORT(.name = "cell", .type = TAC_TYPE_ARRAY(TAC_F64, 2), .role = TAC_ROLE_SOC));
    tac_declare_output(d,
                       TAC_PORT(.name = "turn", .type = TAC_TYPE_QUAT, .role = TAC_ROLE_ATTITUDE));
    tac_declare_output(d,
                       TAC_PORT(.name = "wheel", .type = TAC_TYPE_F64, .role = TAC_ROLE_CONTACT));
    return TAC_OK;
}

static tac_status glider_init(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[2] = -100;
    return TAC_OK;
}

// North at 20 m/s and down at 1 m/s.
static tac_status glider_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = 20;
    e->dx[1] = 0;
    e->dx[2] = 1;
    return TAC_OK;
}

static tac_status glider_output(const tac_eval *e, const void *self)
{
    (void)self;
    TAC_OUT(e, double, 0)[0] = 1 - 0.01 * e->t_s;
    TAC_OUT(e, double, 0)[1] = 1 - 0.02 * e->t_s;
    TAC_OUT(e, double, 1)[0] = 1;
    *TAC_OUT(e, double, 2) = e->x[2] > 0;
    return TAC_OK;
}

static const tac_component_type glider = {
    .size = sizeof(tac_component_type),
    .name = "glider",
    .version = "1",
    .declare = glider_declare,
    .init = glider_init,
    .kernels[TAC_NUMBERS].derive = glider_derive,
    .kernels[TAC_NUMBERS].output = glider_output,
};

static tac_status brain_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(
        d, TAC_PORT(.name = "done", .type = TAC_TYPE_I32, .role = TAC_ROLE_MISSION_REACHED));
    tac_declare_output(
        d, TAC_PORT(.name = "all", .type = TAC_TYPE_I32, .role = TAC_ROLE_MISSION_TOTAL));
    tac_declare_output(d, TAC_PORT(.name = "down", .type = TAC_TYPE_BOOL, .role = TAC_ROLE_LANDED));
    tac_declare_output(
        d, TAC_PORT(.name = "flap", .type = TAC_TYPE_ARRAY(TAC_F64, 2), .role = TAC_ROLE_MOTOR));
    return TAC_OK;
}

static tac_status brain_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, int32_t, 0) = (int32_t)(s->t_us / 4000000);
    *TAC_OUT(s, int32_t, 1) = 7;
    TAC_OUT(s, double, 3)[0] = 0.25;
    return TAC_OK;
}

static const tac_component_type brain = {
    .size = sizeof(tac_component_type),
    .name = "brain",
    .version = "1",
    .stage = TAC_STAGE_CONTROL,
    .declare = brain_declare,
    .kernels[TAC_NUMBERS].step = brain_step,
};

TAC_PLUGIN("glider", "1", &glider, &brain)
