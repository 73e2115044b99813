// Ports that a component must not declare: what this version does not know is refused, so that a
// later one may give it a meaning.
#include "test_rig.h"

static tac_port_def wrong;

static tac_status one_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, &wrong);
    return TAC_OK;
}

static tac_status one_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static const tac_component_type one = {.size = sizeof(tac_component_type),
                                       .name = "one",
                                       .version = "1",
                                       .stage = TAC_STAGE_CONTROL,
                                       .declare = one_declare,
                                       .kernels[TAC_NUMBERS].step = one_step};

static tac_status try_port(void)
{
    rig r;
    wrong.name = "y";
    const tac_status status =
        rig_try(&r, "duration: 1 ms\n"
                    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [P]}]}\n"
                    "components: {P: {type: one}}\n");
    rig_close(&r);
    return status;
}

static void test_unknown(void **state)
{
    (void)state;
    rig_types[0] = &one;
    wrong = tac_port_def_default();
    assert_int_equal(try_port(), TAC_OK);
    wrong.role = (tac_role)(TAC_ROLE_COUNT - 1);
    assert_int_equal(try_port(), TAC_OK);
    wrong.role = TAC_ROLE_COUNT;
    assert_int_not_equal(try_port(), TAC_OK);
    wrong = tac_port_def_default();
    wrong.reserved = 1;
    assert_int_not_equal(try_port(), TAC_OK);
    wrong = tac_port_def_default();
    wrong.flags = 64;
    assert_int_not_equal(try_port(), TAC_OK);
    wrong = tac_port_def_default();
    wrong.unit = "parsecs per fortnight";
    assert_int_not_equal(try_port(), TAC_OK);
}

TEST_MAIN(cmocka_unit_test(test_unknown))
