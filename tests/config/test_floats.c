// The floating-point environment: whatever a host, a component or a plugin makes of it, results are
// the same bits, and the host finds it again as it was.
#define _GNU_SOURCE // feenableexcept
#include "base/def.h"
#include "config/everything.h"

#include <fenv.h>

// --- environments -------------------------------------------------------------------------------

// Rounding, flush to zero and traps as the machine has them; flags apart.
static uint64_t control(void)
{
#if defined __x86_64__
    uint32_t mxcsr;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | (mxcsr & ~0x3fu);
#elif defined __aarch64__
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
#else
    return (uint64_t)fegetround();
#endif
}

static void set_upward(void)
{
    fesetround(FE_UPWARD);
}

static void set_downward(void)
{
    fesetround(FE_DOWNWARD);
}

static void set_towards_zero(void)
{
    fesetround(FE_TOWARDZERO);
}

// What crtfastmath does.
static void set_flush(void)
{
#if defined __x86_64__
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
#elif defined __aarch64__
    __asm__ volatile("msr fpcr, %0" : : "r"(control() | UINT64_C(1) << 24));
#endif
}

// Not all machines can trap; there nothing changes.
static void set_traps(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
}

#if defined __x86_64__
// Of long double alone.
static void set_short_x87(void)
{
    const uint16_t word = 0x027f;
    __asm__ volatile("fldcw %0" : : "m"(word));
}
#endif

static void set_default(void)
{
    fesetenv(FE_DFL_ENV);
}

static const struct {
    const char *name;
    void (*set)(void);
} environments[] = {
    {"upward", set_upward}, {"downward", set_downward}, {"towards zero", set_towards_zero},
    {"flush", set_flush},   {"traps", set_traps},
#if defined __x86_64__
    {"x87", set_short_x87},
#endif
};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

// --- a host's environment -----------------------------------------------------------------------

static const char *current; // environment
static uint64_t expected;   // control word of the host

// The host's environment is as it was after each call.
static void after_call(const char *call)
{
    const uint64_t now = control();
    if (now != expected) {
        set_default();
        fail_msg("%s, %s: control word %#llx, was %#llx", current, call, (unsigned long long)now,
                 (unsigned long long)expected);
    }
}

static void give_up(void)
{
    set_default();
}

// cmocka and stdio do not compute; what does is Tactus.
static findings find_in(const char *name, void (*set)(void))
{
    current = name;
    if (set)
        set();
    expected = control();
    const findings f = find_all();
    set_default();
    return f;
}

static void test_a_host_s_environment(void **state)
{
    (void)state;
    const findings plain = find_in("default", NULL);
    const findings again = find_in("default", NULL);
    assert_int_equal(plain.size, again.size);
    assert_memory_equal(plain.text, again.text, plain.size);
    free(again.text);
    for (size_t i = 0; i < ENVIRONMENTS; i++) {
        const findings other = find_in(environments[i].name, environments[i].set);
        if (other.size != plain.size || memcmp(other.text, plain.text, plain.size))
            fail_msg("%s: other bytes", environments[i].name);
        free(other.text);
    }
    free(plain.text);
}

// Flags of exceptions are the host's, too.
static void test_flags(void **state)
{
    (void)state;
    tac_error err;
    tac_time t_us;
    feclearexcept(FE_ALL_EXCEPT);
    assert_int_equal(tac_period_parse("33.3 Hz", &t_us, &err), TAC_E_TIME); // divides
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
    feraiseexcept(FE_OVERFLOW);
    assert_int_equal(tac_period_parse("3 ms", &t_us, &err), TAC_OK);
    assert_true(fetestexcept(FE_OVERFLOW));
    set_default();
}

// --- code that is not ours ----------------------------------------------------------------------

typedef enum moment {
    DECLARE,
    CONNECT,
    INIT,
    STEP,
    OUTPUT,
    DERIVE,
    DETECT,
    PROJECT,
    PRE,
    POST,
    HOLDS,
    CLOSE,
    MOMENTS
} moment;
static const char *const moment_names[] = {"declare", "connect", "init", "step", "output", "derive",
                                           "detect",  "project", "pre",  "post", "holds",  "close"};
static moment chosen;
static void (*spoil)(void); // NULL: nothing

static void spoil_in(moment m)
{
    if (spoil && m == chosen)
        spoil();
}

static tac_status vandal_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_event(d, "never", "");
    spoil_in(DECLARE);
    return TAC_OK;
}

static tac_status vandal_connect(tac_declare *d, void *self)
{
    (void)d;
    (void)self;
    spoil_in(CONNECT);
    return TAC_OK;
}

#define STEP_FUNCTION(name, m)                                                                     \
    static tac_status name(tac_step *s, const void *self)                                          \
    {                                                                                              \
        (void)s;                                                                                   \
        (void)self;                                                                                \
        spoil_in(m);                                                                               \
        return TAC_OK;                                                                             \
    }
STEP_FUNCTION(vandal_init, INIT)
STEP_FUNCTION(vandal_step, STEP)
STEP_FUNCTION(vandal_pre, PRE)
STEP_FUNCTION(vandal_post, POST)

static tac_status vandal_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->x[0];
    spoil_in(OUTPUT);
    return TAC_OK;
}

static tac_status vandal_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *TAC_IN(e, double, 0) - e->x[0];
    spoil_in(DERIVE);
    return TAC_OK;
}

static tac_status vandal_detect(const tac_eval *e, const void *self, double *g)
{
    (void)e;
    (void)self;
    g[0] = -1;
    spoil_in(DETECT);
    return TAC_OK;
}

static tac_status vandal_project(const tac_eval *e, const void *self, double *x)
{
    (void)e;
    (void)x;
    (void)self;
    spoil_in(PROJECT);
    return TAC_OK;
}

static void vandal_close(void *self)
{
    (void)self;
    spoil_in(CLOSE);
}

static const tac_component_type vandal = {.size = sizeof(tac_component_type),
                                          .name = "vandal",
                                          .version = "1",
                                          .stage = TAC_STAGE_CONTROL,
                                          .declare = vandal_declare,
                                          .connect = vandal_connect,
                                          .init = vandal_init,
                                          .kernels[TAC_NUMBERS].step = vandal_step,
                                          .kernels[TAC_NUMBERS].output = vandal_output,
                                          .kernels[TAC_NUMBERS].derive = vandal_derive,
                                          .kernels[TAC_NUMBERS].detect = vandal_detect,
                                          .kernels[TAC_NUMBERS].project = vandal_project,
                                          .pre_step = vandal_pre,
                                          .post_step = vandal_post,
                                          .close = vandal_close};

// One that waits for something of the plant: only such components have `holds`.
static tac_status guard_declare(tac_declare *d, void *self)
{
    (void)self;
    const int u = tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64));
    tac_declare_condition(d, "high", &u, 1, NULL);
    return TAC_OK;
}

static bool guard_holds(const tac_step *s, const void *self, int condition)
{
    (void)self;
    (void)condition;
    spoil_in(HOLDS);
    return *TAC_IN(s, double, 0) > 0.4;
}

static tac_status guard_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static const tac_component_type guard = {.size = sizeof(tac_component_type),
                                         .name = "guard",
                                         .version = "1",
                                         .stage = TAC_STAGE_SCENARIO,
                                         .declare = guard_declare,
                                         .kernels[TAC_NUMBERS].step = guard_step,
                                         .holds = guard_holds};

static const char vandal_model[] =
    "duration: 0.3 s\n"
    "scheduler: {rate_groups: [{name: g, period: 10 ms, components: [wave, v, reader]}]}\n"
    "components:\n"
    "  wave: {type: sine, params: {amplitude: 0.7, frequency: 3.3 Hz}}\n"
    "  v: {type: vandal, inputs: {u: wave.y}}\n"
    "  reader: {type: gain, params: {gain: 0.3}, inputs: {u: v.y}}\n"
    "  lag: {type: lag, params: {tau: 33 ms, initial: 1e-300}, inputs: {u: reader.y}}\n"
    "  guard: {type: guard, inputs: {u: v.x}}\n";

static void spoil_observer(void *context, tac_engine *engine, tac_time t_us)
{
    (void)context;
    (void)engine;
    (void)t_us;
    if (spoil)
        spoil();
}

static void spoil_log(void *context, const tac_log_entry *entry)
{
    spoil_observer(context, NULL, entry->t_us);
}

typedef struct outcome {
    tac_status status;
    uint64_t hash;
    tac_error err;
} outcome;

static outcome run_vandal(bool callbacks)
{
    outcome o = {.status = TAC_OK};
    tac_registry *registry;
    tac_config *config = NULL;
    tac_engine *engine = NULL;
    assert_int_equal(tac_registry_create(NULL, &registry, &o.err), TAC_OK);
    assert_int_equal(tac_registry_add(registry, &vandal, &o.err), TAC_OK);
    assert_int_equal(tac_registry_add(registry, &guard, &o.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    o.status = tac_config_parse("vandal.yaml", vandal_model, sizeof vandal_model - 1, &def, &config,
                                &o.err);
    assert_int_equal(o.status, TAC_OK);
    tac_engine_def engine_def = tac_config_engine_def(config);
    if (callbacks)
        engine_def.log = spoil_log;
    o.status = tac_config_build_unprepared(config, &engine_def, &engine, &o.err);
    if (o.status == TAC_OK && callbacks) {
        tac_observer_def observer = tac_observer_def_default();
        observer.name = "vandal";
        observer.period_us = 7000;
        observer.observe = spoil_observer;
        o.status = tac_engine_add_observer(engine, &observer, &o.err);
    }
    if (o.status == TAC_OK)
        o.status = tac_engine_prepare(engine, &o.err);
    if (o.status == TAC_OK)
        o.status = tac_engine_run(engine, TAC_TIME_NEVER, &o.err);
    if (o.status == TAC_OK)
        o.hash = tac_engine_hash(engine, NULL, NULL);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return o;
}

// A component that changes it is named; one that only can be asked, or is over, changes nothing.
static void test_a_component_that_changes_it(void **state)
{
    (void)state;
    spoil = NULL;
    const outcome plain = run_vandal(false);
    assert_int_equal(plain.status, TAC_OK);
    const uint64_t before = control();
    for (chosen = DECLARE; chosen < MOMENTS; chosen++) {
        for (size_t i = 0; i < ENVIRONMENTS; i++) {
#if !defined __x86_64__
            if (environments[i].set == set_traps)
                continue; // the machine may have none
#endif
            spoil = environments[i].set;
            const outcome o = run_vandal(false);
            assert_int_equal(control(), before);
            if (chosen == HOLDS || chosen == CLOSE) {
                assert_int_equal(o.status, TAC_OK);
                assert_true(o.hash == plain.hash);
            } else if (o.status != TAC_E_FLOATS ||
                       (strcmp(o.err.component, "v") && !strstr(o.err.context, "'v'"))) {
                fail_msg("%s in %s: %s, '%s' of '%s', %s", environments[i].name,
                         moment_names[chosen], tac_status_name(o.status), o.err.text,
                         o.err.component, o.err.context);
            }
        }
    }
    spoil = NULL;
}

static void test_a_callback_that_changes_it(void **state)
{
    (void)state;
    chosen = MOMENTS;
    spoil = NULL;
    const outcome plain = run_vandal(true);
    assert_int_equal(plain.status, TAC_OK);
    const uint64_t before = control();
    for (size_t i = 0; i < ENVIRONMENTS; i++) {
        spoil = environments[i].set;
        const outcome o = run_vandal(true);
        assert_int_equal(control(), before);
        assert_int_equal(o.status, TAC_OK);
        assert_true(o.hash == plain.hash);
    }
    spoil = NULL;
}

// What is built in is trusted, so all of it must say so; nothing else does.
static void test_who_is_trusted(void **state)
{
    (void)state;
    tac_registry *registry;
    assert_int_equal(tac_registry_create(NULL, &registry, NULL), TAC_OK);
    for (size_t i = 0; i < tac_registry_count(registry); i++) {
        if (!(tac_registry_type(registry, i)->flags & TAC__COMPONENT_BUILTIN))
            fail_msg("'%s' is checked at every call", tac_registry_type(registry, i)->name);
    }
    tac_registry_destroy(registry);
}

// --- plugins ------------------------------------------------------------------------------------

// A shared library that sets flush to zero as it is loaded, as one that was linked with
// -ffast-math does, and changes the rounding mode as it is unloaded.
static const char plugin_code[] =
    "#include <fenv.h>\n"
    "#include <tactus/plugin.h>\n"
    "static tac_status step(tac_step *s, const void *self) { (void)s; (void)self; return 0; }\n"
    "static const tac_component_type type = {.size = sizeof type,\n"
    "    .stage = TAC_STAGE_CONTROL, .kernels[TAC_NUMBERS].step = step, .version = \"1\", .name = "
    "\"idle\"};\n"
    "__attribute__((destructor)) static void end(void) { fesetround(FE_UPWARD); }\n"
    "TAC_PLUGIN(\"idle\", \"1\", &type)\n";

static bool build_plugin(const char *path, const char *flags)
{
    FILE *code = fopen(path_of("plugin.c"), "w");
    assert_non_null(code);
    fputs(plugin_code, code);
    fclose(code);
    const char *source = getenv("TACTUS_SOURCE");
    char include[512], command[2048];
    snprintf(include, sizeof include, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(include, '/') = '\0';
    snprintf(command, sizeof command,
             "cc -std=c17 -O2 -fPIC -I%s/include -c -o %s %s 2>/dev/null && "
             "cc -shared %s -o %s %s -lm 2>/dev/null",
             include, path_of("plugin.o"), path_of("plugin.c"), flags, path, path_of("plugin.o"));
    return system(command) == 0;
}

static void test_a_plugin_that_changes_it(void **state)
{
    (void)state;
    spoil = NULL;
    const outcome plain = run_vandal(false);
    static const char *const flags[] = {"", "-ffast-math"};
    char path[512];
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s", path_of(i ? "fast.so" : "plain.so"));
        if (!build_plugin(path, flags[i]))
            skip();
        tac_error err;
        tac_registry *registry;
        const uint64_t before = control();
        assert_int_equal(tac_registry_create(NULL, &registry, &err), TAC_OK);
        if (tac_registry_load(registry, path, &err) != TAC_OK)
            fail_msg("%s", err.text);
        assert_int_equal(control(), before);
        assert_true(run_vandal(false).hash == plain.hash);
        tac_registry_destroy(registry);
        assert_int_equal(control(), before);
    }
}

TEST_MAIN(cmocka_unit_test(test_a_host_s_environment), cmocka_unit_test(test_flags),
          cmocka_unit_test(test_a_component_that_changes_it),
          cmocka_unit_test(test_a_callback_that_changes_it), cmocka_unit_test(test_who_is_trusted),
          cmocka_unit_test(test_a_plugin_that_changes_it))
