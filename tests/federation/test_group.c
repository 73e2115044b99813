// Groups of signals and inputs of an engine: what is refused when they are declared, and why. What
// they send and take is in groups.py.
#include "engine/test_rig.h"
#include "support/formats.h"

#include <tactus/federation.h>

static const char text[] =
    "duration: 1 s\n"
    "scheduler: {rate_groups: [{name: g, period: 10 ms, components: [Pilot]}]}\n"
    "components:\n"
    "  Body: {type: point_mass, inputs: {force: Pilot.force}}\n"
    "  Pilot: {type: tracker, inputs: {target: {from: outside, rest: [0, 0, 0]},\n"
    "          position: Body.position, velocity: Body.velocity}}\n";

typedef tac_status declare_fn(tac_client *client, const tac_lcm_group_def *def, tac_error *err);

static void refused(tac_client *c, declare_fn *declare, const tac_lcm_group_def *def,
                    tac_status status, const char *part)
{
    tac_error err;
    assert_int_equal(declare(c, def, &err), status);
    test_has(err.text, part);
}

static void test_refused(void **state)
{
    (void)state;
    rig r;
    tac_client *c;
    rig_open(&r, text);
    tac_client_def client = tac_client_def_default();
    client.name = "a";
    client.address = "unix:///nowhere";
    assert_int_equal(tac_client_create(&client, &c, &r.err), TAC_OK);

    const char *signals[] = {"Body.position", "Body.velocity"}, *inputs[] = {"Pilot.target"};
    const char *members[] = {NULL, "fast"};
    tac_lcm_group_def out = tac_lcm_group_def_default(), in = out;
    out.channel = "OUT";
    out.names = signals;
    out.members = members;
    out.count = 2;
    out.period_us = 1000;
    in.channel = "IN";
    in.names = inputs;
    in.count = 1;
    refused(c, tac_client_publish_signals, &out, TAC_E_CALLER, "tac_client_add_engine");
    assert_int_equal(tac_client_add_engine(c, r.engine, &r.err), TAC_OK);

    signals[1] = "Body.velocty";
    refused(c, tac_client_publish_signals, &out, TAC_E_NAME, "did you mean 'Body.velocity'");
    signals[1] = "Body.velocity";
    members[1] = "2fast";
    refused(c, tac_client_publish_signals, &out, TAC_E_NAME, "'2fast'");
    members[1] = "fast";
    out.period_us = 0;
    refused(c, tac_client_publish_signals, &out, TAC_E_RANGE, "period");
    out.period_us = 1000;
    out.channel = "0123456789012345678901234567890123456789012345678901234567890123";
    refused(c, tac_client_publish_signals, &out, TAC_E_NAME, "63 characters");
    out.channel = "OUT";
    out.count = 0;
    refused(c, tac_client_publish_signals, &out, TAC_E_CONFIG, "at least one signal");
    out.count = 2;
    inputs[0] = "Pilot.targt";
    refused(c, tac_client_subscribe_inputs, &in, TAC_E_NAME, "did you mean 'target'");
    inputs[0] = "Pilot.position";
    refused(c, tac_client_subscribe_inputs, &in, TAC_E_CONFIG, "from: outside");
    inputs[0] = "Pilot.target";

    // What was refused leaves nothing behind.
    assert_int_equal(tac_client_publish_signals(c, &out, &r.err), TAC_OK);
    assert_int_equal(tac_client_subscribe_inputs(c, &in, &r.err), TAC_OK);
    refused(c, tac_client_publish_signals, &out, TAC_E_DUPLICATE, "'OUT' is declared twice");
    refused(c, tac_client_subscribe_inputs, &in, TAC_E_DUPLICATE, "'IN' is declared twice");
    tac_client_destroy(c);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_refused))
