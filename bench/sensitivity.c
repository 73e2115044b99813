// What the derivatives of a whole flight by eight parameters cost, in flights. Central differences
// take sixteen.
#include "flights.h"

#include "math/machine.h"
#define TAC_KIND_F64
#include "model/vehicle/kernels.h"

#include <tactus/sensitivity.h>

static const char *const parameters[] = {
    "vehicle.mass",     "vehicle.drag",         "vehicle.inertia[0]", "vehicle.motor.resistance",
    "control.max_tilt", "control.acceleration", "control.jerk",       "control.cruise_speed",
};
static const char *const results[] = {"uav.vehicle.position.x", "uav.vehicle.battery.soc"};

enum { PARAMETERS = 8, TURNS = 5 };

// The vehicle's type with kernels of duals for AVX2 alone.
static tac_component_type narrow;

typedef struct rig {
    flight flown;
    bool narrow;
    double run_s; // of the runs on dual numbers
} rig;

static tac_status build_for(void *context, const tac_param_value *values, size_t count,
                            uint32_t lanes, tac_engine **engine, tac_error *err)
{
    const rig *r = context;
    tac_engine_def def = tac_config_engine_def(r->flown.config);
    def.values = values;
    def.value_count = count;
    def.lanes = lanes;
    TAC_TRY(tac_config_build(r->flown.config, &def, engine, err));
    for (size_t i = 0; r->narrow && i < (*engine)->plan->component_count; i++) {
        tac__component *c = (*engine)->plan->components[i];
        if (strcmp(c->type->name, "multirotor"))
            continue;
        narrow = *c->type;
        narrow.kernels[TAC_DUALS_OF_ALL].derive = tac__multirotor_derive_dualp_avx2;
        narrow.kernels[TAC_DUALS_OF_ALL].output = tac__multirotor_output_dualp_avx2;
        c->type = &narrow;
    }
    return TAC_OK;
}

static tac_status run(void *context, tac_engine *engine, size_t left, tac_error *err)
{
    rig *r = context;
    (void)left;
    const double begun_s = bench_now_s();
    const tac_status status = tac_engine_run(engine, TAC_TIME_MAX, err);
    r->run_s = bench_now_s() - begun_s;
    return status;
}

static void differentiate(rig *r)
{
    tac_error err;
    tac_sensitivity *found;
    tac_sensitivity_def def = tac_sensitivity_def_default();
    def.compare = false;
    def.build = build_for;
    def.run = run;
    def.context = r;
    def.of = results;
    def.of_count = 2;
    def.to = parameters;
    def.to_count = PARAMETERS;
    check(tac_sensitivity_find(&def, &found, &err), &err);
    tac_sensitivity_destroy(found);
}

static void fly(rig *r)
{
    tac_error err;
    build(&r->flown, NULL, NULL);
    check(tac_engine_run(r->flown.engine, TAC_TIME_MAX, &err), &err);
}

static double took_s(void (*work)(rig *r), rig *r)
{
    const double begun_s = bench_now_s();
    work(r);
    return bench_now_s() - begun_s;
}

static void report(const char *name, bool for_avx2, const char *limit)
{
    rig r = {.narrow = for_avx2};
    double flight_s = 1e300, all_s = 1e300, run_s = 1e300;
    load(&r.flown, "bench/iris_mission.yaml", NULL, 0);
    for (int i = 0; i < TURNS; i++) {
        flight_s = fmin(flight_s, took_s(fly, &r));
        all_s = fmin(all_s, took_s(differentiate, &r));
        run_s = fmin(run_s, r.run_s);
    }
    char note[128];
    snprintf(note, sizeof note, "%.0f ms, %.0f of them the run, to %.1f ms of a flight",
             1e3 * all_s, 1e3 * run_s, 1e3 * flight_s);
    bench_report(name, all_s / flight_s, "flights", limit, note);
}

int main(void)
{
    if (tac__machine_has_pack(8))
        report("sensitivity to 8 parameters, AVX-512", false, "<= 5");
    else
        bench_skip("sensitivity to 8 parameters, AVX-512", "no AVX-512 here");
    if (tac__machine_has_pack(4))
        report("sensitivity to 8 parameters, AVX2", true, "<= 8");
    else
        bench_skip("sensitivity to 8 parameters, AVX2", "no AVX2 here");
    return 0;
}
