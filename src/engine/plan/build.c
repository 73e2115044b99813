// build.c - creating an engine and adding to it. Checks here look at one thing by itself; checks
// that need the whole model run when the engine is prepared.
#include "engine/plan/declare.h"
#include "engine/plan/prepare.h"
#include "engine/plan/find.h"
#include "engine/plan/warn.h"
#include "base/print.h"
#include "engine/run/teams.h"
#include "engine/run/loop.h"
#include "engine/run/checkpoint.h"
#include "engine/phases/phases.h"
#include "engine/plan/outside.h"
#include "base/def.h"
#include "base/floats.h"
#include "engine/run/written.h"
#include "math/machine.h"

#include <string.h>

// --- create and destroy -----------------------------------------------------------------------

enum { FIXED_STEP_US = 1000 };

static tac_status check_integrator(const tac_engine_def *def, const tac__method *method,
                                   tac_error *err)
{
    const tac_integrator_def *i = &def->integrator;
    const double tolerances[] = {i->rtol, i->atol};
    for (size_t k = 0; method->adaptive && k < 2; k++) {
        if (!(tolerances[k] > 0 && tolerances[k] < 1))
            return tac__fail(err, TAC_E_RANGE, "%s must lie between 0 and 1, not %g",
                             k ? "atol" : "rtol", tolerances[k]);
    }
    if (method->adaptive && (i->h_min_us == 0 || (i->h_max_us && i->h_min_us > i->h_max_us)))
        return tac__fail(err, TAC_E_RANGE, "h_min must be above zero and not above h_max");
    if (def->split && method->adaptive)
        return tac__fail(err, TAC_E_CONFIG,
                         "coupling 'split' needs a fixed-step method, and '%s' is adaptive",
                         method->name);
    if (def->split && def->physics_us == 0)
        return tac__fail(err, TAC_E_CONFIG,
                         "coupling 'split' steps on the physics axis: set timeline.physics");
    return TAC_OK;
}

// The plan struct lies in its own arena.
static tac__plan *make_plan(const tac_engine_def *def, const tac__method *method,
                            const tac_allocator *allocator)
{
    tac__arena arena;
    tac__arena_init(&arena, allocator);
    tac__plan *plan = tac__arena_alloc(&arena, sizeof *plan);
    if (!plan)
        return NULL;
    plan->arena = arena;
    tac__arena_init(&plan->shapes.scratch, allocator);
    tac__arena_init(&plan->routing, allocator);
    plan->def = *def;
    if (!plan->def.lanes)
        plan->def.lanes = tac__machine_lanes();
    if (def->integrator.h_max_us == 0)
        plan->def.integrator.h_max_us = method->adaptive  ? TAC_TIME_MAX
                                        : def->physics_us ? def->physics_us
                                                          : FIXED_STEP_US;
    plan->allocator = allocator;
    plan->method = method;
    return plan;
}

tac_status tac_engine_create(const tac_engine_def *def, tac_engine **engine, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(def && engine);
    *engine = NULL;
    TAC__DEF(tac_engine_def, def, err);
    if (def->end_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_RANGE, "the end of the run lies too far in the future");
    const char *kind = def->integrator.kind ? def->integrator.kind : "";
    const tac__method *method = tac__method_find(kind);
    if (!method) {
        tac__fail(err, TAC_E_NAME, "unknown integrator '%s'", kind);
        tac__error_suggest(err, kind, tac__method_name, NULL);
        return TAC_E_NAME;
    }
    if (def->physics_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_RANGE, "the period of the physics axis is too long");
    if ((unsigned)def->policy >= TAC_POLICY_COUNT)
        return tac__fail(err, TAC_E_RANGE, "%d is no policy", (int)def->policy);
    if ((unsigned)def->strategy >= TAC_STRATEGY_COUNT)
        return tac__fail(err, TAC_E_RANGE, "%d is no strategy", (int)def->strategy);
    if (def->lanes > 8 || (def->lanes & (def->lanes - 1)))
        return tac__fail(err, TAC_E_RANGE, "%u lanes: expected 1, 2, 4 or 8", def->lanes);
    TAC_TRY(check_integrator(def, method, err));
    const tac_allocator *allocator = def->allocator ? def->allocator : tac_allocator_default();
    tac_engine *e = allocator->resize(allocator->context, NULL, 0, sizeof *e);
    if (!e)
        return tac__fail_memory(err);
    memset(e, 0, sizeof *e);
    e->allocator = allocator;
    e->checkpoint_us = e->snapshot_us = TAC_TIME_NEVER;
    tac__arena_init(&e->memory, allocator);
    tac__arena_init(&e->opaque, allocator);
    tac__arena_init(&e->scratch, allocator);
    atomic_init(&e->stop, false);
    e->plan = e->building = make_plan(def, method, allocator);
    if (e->building) {
        e->building->logs = &e->logs;
        e->building->opaque = &e->opaque;
    }
    // The root entity holds the components that belong to no other entity.
    tac_status status = e->plan ? tac_engine_add_entity(e, "", NULL, err) : tac__fail_memory(err);
    if (status == TAC_OK && def->log)
        status = tac_engine_add_log(e, def->log_level, def->log, def->log_context, err);
    if (status == TAC_OK && def->phase_changed)
        status = tac_engine_add_phase_watcher(e, def->phase_changed, def->phase_context, err);
    if (status != TAC_OK) {
        tac_engine_destroy(e);
        return status;
    }
    *engine = e;
    return TAC_OK;
}

void tac_engine_destroy(tac_engine *e)
{
    TAC__FLOATS;
    if (!e)
        return;
    const tac__plan *plan = e->plan;
    for (size_t i = plan ? plan->component_count : 0; i-- > 0;) {
        if (plan->components[i]->type->close)
            plan->components[i]->type->close(plan->components[i]->self);
    }
    tac_snapshot_destroy(e->start);
    tac__teams_destroy(e);
    if (e->checkpoint_opaque.allocator)
        tac__text_fini(&e->checkpoint_opaque);
    tac__arena_fini(&e->memory);
    tac__arena_fini(&e->opaque);
    tac__arena_fini(&e->scratch);
    if (plan) {
        tac__arena own = plan->arena, scratch = plan->shapes.scratch, routing = plan->routing;
        tac__arena_fini(&scratch);
        tac__arena_fini(&routing);
        tac__arena_fini(&own);
    }
    e->allocator->resize(e->allocator->context, e, sizeof *e, 0);
}

// --- adding -----------------------------------------------------------------------------------

static int find_entity(const tac__plan *plan, const char *name)
{
    return tac__names_find(&plan->entity_names, name);
}

tac_status tac_engine_add_entity(tac_engine *e, const char *name, const tac_place *place,
                                 tac_error *err)
{
    TAC_REQUIRE(e && name && e->life == TAC__BUILDING);
    tac__plan *plan = e->building;
    if (*name && !tac__name_valid(name))
        return tac__fail_at(err, TAC_E_NAME, place,
                            "'%s' is not a name: a letter, then letters, digits and '_'", name);
    if (find_entity(plan, name) >= 0)
        return tac__fail_at(err, TAC_E_DUPLICATE, place, "entity '%s' exists already", name);
    char *copy = tac__arena_text(&plan->arena, name);
    if (!copy ||
        !TAC__ARENA_GROW(&plan->arena, plan->entities, plan->entity_count, plan->entity_capacity) ||
        tac__names_set(&plan->entity_names, &plan->arena, copy, (uint32_t)plan->entity_count) !=
            TAC_OK)
        return tac__fail_memory(err);
    plan->entities[plan->entity_count++] = (tac__entity){.name = copy, .machine = -1};
    return TAC_OK;
}

static int find_group(const tac__plan *plan, const char *name)
{
    return tac__names_find(&plan->group_names, name);
}

static tac_status check_times(const tac_group_def *def, tac_error *err)
{
    for (size_t i = 1; i < def->times_count; i++) {
        if (def->times_us[i] <= def->times_us[i - 1])
            return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                                "rate group '%s': explicit times must ascend", def->name);
    }
    return TAC_OK;
}

tac_status tac_engine_add_group(tac_engine *e, const tac_group_def *def, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && def && e->life == TAC__BUILDING);
    TAC__DEF(tac_group_def, def, err);
    TAC_REQUIRE(def->name && (def->times_us || def->times_count == 0));
    tac__plan *plan = e->building;
    if (!tac__name_valid(def->name))
        return tac__fail_at(err, TAC_E_NAME, &def->place, "'%s' is not a name for a rate group",
                            def->name);
    if (find_group(plan, def->name) >= 0)
        return tac__fail_at(err, TAC_E_DUPLICATE, &def->place, "rate group '%s' exists already",
                            def->name);
    if (def->period_us == 0 && def->times_count == 0)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "rate group '%s' needs a period, explicit times, or both", def->name);
    if (def->period_us > TAC_TIME_MAX || def->offset_us > TAC_TIME_MAX)
        return tac__fail_at(err, TAC_E_RANGE, &def->place, "rate group '%s': the %s is too long",
                            def->name, def->period_us > TAC_TIME_MAX ? "period" : "offset");
    TAC_TRY(check_times(def, err));
    tac_time *times = tac__arena_array(&plan->arena, def->times_count, sizeof *times);
    char *name = tac__arena_text(&plan->arena, def->name);
    if (!times || !name ||
        !TAC__ARENA_GROW(&plan->arena, plan->groups, plan->group_count, plan->group_capacity) ||
        tac__names_set(&plan->group_names, &plan->arena, name, (uint32_t)plan->group_count) !=
            TAC_OK)
        return tac__fail_memory(err);
    if (def->times_count)
        memcpy(times, def->times_us, def->times_count * sizeof *times);
    plan->groups[plan->group_count] = (tac__rate_group){.name = name,
                                                        .period_us = def->period_us,
                                                        .offset_us = def->offset_us,
                                                        .declared_period_us = def->period_us,
                                                        .declared_offset_us = def->offset_us,
                                                        .times_us = times,
                                                        .times_count = def->times_count,
                                                        .root = (int)plan->group_count,
                                                        .place = def->place};
    plan->group_count++;
    return TAC_OK;
}

static const char *group_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i < plan->group_count ? plan->groups[i].name : NULL;
}

static const char *stage_name(const void *context, size_t i)
{
    (void)context;
    return i < TAC_STAGE_COUNT ? tac_stage_name((tac_stage)i) : NULL;
}

// The stages in which a discrete component may run; the others are the engine's own.
static bool stage_takes_steps(tac_stage stage)
{
    static const bool steps[] = {
#define STEPS(name, text, may_step, doc) may_step,
        TAC_STAGE_TABLE(STEPS)
#undef STEPS
    };
    return (unsigned)stage < TAC_STAGE_COUNT && steps[stage];
}

static tac_status fail_stage(const tac__component *c, const tac_component_def *def, tac_error *err)
{
    const char *before = "";
    tac__fail_at(err, TAC_E_CONFIG, &def->place,
                 "'%s': no component steps in stage '%s'; expected one of ", c->name,
                 tac_stage_name(c->stage));
    for (int stage = 0; stage < TAC_STAGE_COUNT; stage++) {
        if (!stage_takes_steps((tac_stage)stage))
            continue;
        tac__error_append(err, "%s%s", before, tac_stage_name((tac_stage)stage));
        before = ", ";
    }
    return TAC_E_CONFIG;
}

static tac_status check_stage(tac__component *c, const tac_component_def *def, tac_error *err)
{
    if (def->stage && !tac_stage_parse(def->stage, &c->stage)) {
        tac__fail_at(err, TAC_E_NAME, &def->place, "unknown stage '%s'", def->stage);
        tac__error_suggest(err, def->stage, stage_name, NULL);
        return TAC_E_NAME;
    }
    if (def->stage && !c->type->kernels[TAC_NUMBERS].step)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'%s' has no step, so it cannot be given a stage", c->name);
    if (c->type->kernels[TAC_NUMBERS].step && !stage_takes_steps(c->stage) && !tac__is_machine(c) &&
        !tac__is_outside(c))
        return fail_stage(c, def, err);
    c->observer = c->type->kernels[TAC_NUMBERS].step && c->stage == TAC_STAGE_TELEMETRY;
    if (c->observer &&
        (c->outputs.count || tac__is_continuous(c->type) || c->sender_count || c->receiver_count))
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'%s' is in stage 'telemetry', which only reads, but it has outputs or "
                            "message ports",
                            c->name);
    return TAC_OK;
}

static tac_status check_group(tac__plan *plan, tac__component *c, const tac_component_def *def,
                              tac_error *err)
{
    if (def->group) {
        c->group = find_group(plan, def->group);
        plan->lack.group = c->group < 0;
        if (c->group < 0) {
            tac__fail_at(err, TAC_E_NAME, &def->place, "unknown rate group '%s'", def->group);
            tac__error_suggest(err, def->group, group_name, plan);
            return TAC_E_NAME;
        }
        return TAC_OK;
    }
    bool triggered = (c->type->flags & TAC_COMPONENT_TIMER) || c->condition_count;
    for (size_t i = 0; i < c->receiver_count; i++)
        triggered |= plan->receivers[c->receivers[i]].def.triggers;
    plan->lack.group = c->type->kernels[TAC_NUMBERS].step && !triggered &&
                       !(c->type->flags & TAC_COMPONENT_CONSTANT);
    if (plan->lack.group)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'%s' is in no rate group, so it would never step", c->name);
    return TAC_OK;
}

static const tac__port *signal_port(const tac__component *c, size_t i)
{
    return i < c->outputs.count ? &c->outputs.items[i] : &c->continuous.items[i - c->outputs.count];
}

static tac__signal_kind kind_of_signal(const tac__plan *plan, const tac__component *c, size_t i)
{
    const tac__port *port = signal_port(c, i);
    const bool state = i >= c->outputs.count;
    // An output that only init writes never changes, so it is not an output of the plant.
    const bool continuous =
        state || ((port->flags & TAC_PORT_EVAL) && c->type->kernels[TAC_NUMBERS].output);
    return (tac__signal_kind){.unit = port->unit,
                              .doc = port->doc,
                              .group = c->group < 0 ? "" : plan->groups[c->group].name,
                              .type = port->type,
                              .dimension = port->dimension,
                              .stage = state        ? TAC_STAGE_INTEGRATE
                                       : continuous ? TAC_STAGE_OUTPUTS
                                       : c->type->kernels[TAC_NUMBERS].step && !tac__is_machine(c)
                                           ? c->stage
                                           : TAC_STAGE_BEGIN,
                              .continuous = continuous,
                              .state = state,
                              .role = port->role,
                              .words = tac__type_words(&port->type)};
}

// A component that shares its ports with the one before it of its type, and runs in the same group
// and stage, shares the kinds of its signals, too.
static tac_status make_kinds(tac__plan *plan, tac__component *c)
{
    const tac__component *model = c->model;
    if (model && model->kinds && model->outputs.items == c->outputs.items &&
        model->continuous.items == c->continuous.items && model->group == c->group &&
        model->stage == c->stage) {
        c->kinds = model->kinds;
        return TAC_OK;
    }
    const size_t count = c->outputs.count + c->continuous.count;
    tac__signal_kind *kinds = tac__arena_array(&plan->arena, count, sizeof *kinds);
    if (!kinds)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count; i++)
        kinds[i] = kind_of_signal(plan, c, i);
    c->kinds = kinds;
    return TAC_OK;
}

// May another component have a signal of the same name? Names of entities and components have no
// dots, those of signals may: 'b.c' of component 'a' is 'c' of component 'b' of entity 'a'.
static bool names_may_clash(const tac__plan *plan, const tac__component *c)
{
    return c->entity == 0 ? find_entity(plan, c->name) >= 0
                          : tac__find_component(plan, plan->entities[c->entity].name) != NULL;
}

static tac_status fail_owner(const char *name, const char *one, const char *other, tac_error *err)
{
    return tac__fail(err, TAC_E_OWNER,
                     "two writers for signal '%s': '%s' and '%s'; a signal has exactly one", name,
                     one, other);
}

// A component declares no two outputs and no two states of one name.
static tac_status check_owner(const tac__plan *plan, const tac__component *c, size_t i,
                              const char *name, tac_error *err)
{
    const tac__port *port = signal_port(c, i);
    for (size_t k = 0; i >= c->outputs.count && k < c->outputs.count; k++) {
        if (!strcmp(c->outputs.items[k].name, port->name))
            return fail_owner(name, c->name, c->name, err);
    }
    if (!names_may_clash(plan, c))
        return TAC_OK;
    const int other = tac__find_signal(plan, name);
    return other < 0 ? TAC_OK : fail_owner(name, plan->schema.signals[other].writer, c->name, err);
}

// Make the signals of a component: its outputs and its continuous states.
static tac_status add_signals(tac__plan *plan, tac__component *c, tac_error *err)
{
    const size_t outputs = c->outputs.count, total = outputs + c->continuous.count;
    c->in = tac__arena_array(&plan->arena, c->inputs.count, sizeof *c->in);
    if (!c->in || make_kinds(plan, c) != TAC_OK)
        return tac__fail_memory(err);
    static const tac_route_def open = {0};
    for (size_t i = 0; i < c->inputs.count; i++) {
        c->in[i].signal = -1;
        c->in[i].route = &open;
    }
    c->first_signal = (uint32_t)plan->schema.count;
    for (size_t i = 0; i < total; i++) {
        const char *name =
            tac__arena_format(&plan->arena, "%s.%s", c->name, signal_port(c, i)->name);
        if (!name)
            return tac__fail_memory(err);
        TAC_TRY(check_owner(plan, c, i, name, err));
        if (tac__schema_add(&plan->schema, &plan->arena,
                            &(tac__signal){.name = name,
                                           .writer = c->name,
                                           .kind = &c->kinds[i],
                                           .component = c->index,
                                           .derivative = -1}) != TAC_OK)
            return tac__fail_memory(err);
    }
    tac__signal *signals = plan->schema.signals + c->first_signal;
    for (size_t i = 0; i < outputs; i++) {
        const char *derivative = c->outputs.items[i].derivative;
        if (!derivative)
            continue;
        for (size_t k = 0; k < outputs; k++) {
            if (!strcmp(c->outputs.items[k].name, derivative))
                signals[i].derivative = (int)(c->first_signal + k);
        }
        const tac__signal *s = &signals[i];
        const uint32_t expected = s->kind->type.shape == TAC_QUAT ? 3 : s->kind->type.count;
        // Both must be written together, so that the n-th value of one belongs to the n-th of the
        // other.
        if (s->derivative < 0 || plan->schema.signals[s->derivative].kind->type.scalar != TAC_F64 ||
            plan->schema.signals[s->derivative].kind->continuous != s->kind->continuous ||
            plan->schema.signals[s->derivative].kind->type.count != expected)
            return tac__fail(err, TAC_E_TYPE,
                             "output '%s' names '%s' as its derivative, which is no output of the "
                             "same size that is written together with it",
                             s->name, derivative);
    }
    return TAC_OK;
}

tac__component *tac__find_component(const tac__plan *plan, const char *name)
{
    const int i = tac__names_find(&plan->component_names, name);
    if (i < 0 || (size_t)i >= plan->component_count || strcmp(plan->components[i]->name, name))
        return NULL;
    return plan->components[i];
}

static int signal_of(const tac__component *c, const char *port)
{
    const size_t count = c->outputs.count + c->continuous.count;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(signal_port(c, i)->name, port))
            return (int)(c->first_signal + i);
    }
    return -1;
}

// The name of a component has at most one dot, behind that of its entity.
int tac__find_signal(const tac__plan *plan, const char *name)
{
    char writer[2 * TAC_ERROR_NAME];
    const char *dot = name;
    for (int dots = 0; dots < 2 && (dot = strchr(dot, '.')); dots++, dot++) {
        const size_t length = (size_t)(dot - name);
        if (length >= sizeof writer)
            return -1;
        memcpy(writer, name, length);
        writer[length] = '\0';
        const tac__component *c = tac__find_component(plan, writer);
        const int signal = c ? signal_of(c, dot + 1) : -1;
        if (signal >= 0 && (size_t)signal < plan->schema.count)
            return signal;
    }
    return -1;
}

const char *tac__component_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i < plan->component_count ? plan->components[i]->name : NULL;
}

static const char *entity_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i + 1 < plan->entity_count ? plan->entities[i + 1].name : NULL; // the root has no name
}

static tac_status keep_phases(tac__plan *plan, tac__component *c, const tac_component_def *def,
                              tac_error *err)
{
    c->hold = def->hold;
    if (!def->active)
        return TAC_OK;
    if (tac__is_machine(c))
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'%s' has the phases, so it is active in all of them", c->name);
    if (def->active_count == 0)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'%s' is active in no phase; expected at least one", c->name);
    const char **names = tac__arena_array(&plan->arena, def->active_count, sizeof *names);
    if (!names)
        return tac__fail_memory(err);
    for (size_t i = 0; i < def->active_count; i++) {
        names[i] = tac__arena_text(&plan->arena, def->active[i]);
        if (!names[i])
            return tac__fail_memory(err);
    }
    c->active_names = names;
    c->active_count = def->active_count;
    return TAC_OK;
}

static tac_status keep_accepts(tac__plan *plan, const tac_component_def *def, tac__accepts *accepts,
                               tac_error *err)
{
    const char **ids = tac__arena_array(&plan->arena, def->accept_count + 1, sizeof *ids);
    accepts->met = tac__arena_array(&plan->arena, def->accept_count + 1, sizeof *accepts->met);
    if (!ids || !accepts->met)
        return tac__fail_memory(err);
    for (size_t i = 0; i < def->accept_count; i++) {
        ids[i] = tac__arena_text(&plan->arena, def->accepts[i]);
        if (!ids[i])
            return tac__fail_memory(err);
    }
    accepts->ids = ids;
    accepts->count = def->accept_count;
    return TAC_OK;
}

static tac_status finish_component(tac__plan *plan, tac__component *c, const tac_component_def *def,
                                   tac_error *err)
{
    TAC_TRY(check_stage(c, def, err));
    TAC_TRY(check_group(plan, c, def, err));
    TAC_TRY(keep_phases(plan, c, def, err));
    const tac_status status = add_signals(plan, c, err);
    if (status != TAC_OK)
        tac__error_place(err, &def->place);
    return status;
}

tac_status tac_engine_add_component(tac_engine *e, const tac_component_def *def, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && def && e->life == TAC__BUILDING);
    TAC__DEF(tac_component_def, def, err);
    TAC_REQUIRE(def->name && def->type);
    tac__plan *plan = e->building;
    if (!tac__name_valid(def->name))
        return tac__fail_at(err, TAC_E_NAME, &def->place,
                            "'%s' is not a name: a letter, then letters, digits and '_'",
                            def->name);
    const int entity = find_entity(plan, def->entity ? def->entity : "");
    if (entity < 0) {
        tac__fail_at(err, TAC_E_NAME, &def->place, "unknown entity '%s'", def->entity);
        tac__error_suggest(err, def->entity, entity_name, plan);
        return TAC_E_NAME;
    }
    const char *name = entity == 0
                           ? tac__arena_text(&plan->arena, def->name)
                           : tac__arena_format(&plan->arena, "%s.%s", def->entity, def->name);
    if (!name || !TAC__ARENA_GROW(&plan->arena, plan->components, plan->component_count,
                                  plan->component_capacity))
        return tac__fail_memory(err);
    if (tac__find_component(plan, name))
        return tac__fail_at(err, TAC_E_DUPLICATE, &def->place, "component '%s' exists already",
                            name);
    if (tac__names_set(&plan->component_names, &plan->arena, name,
                       (uint32_t)plan->component_count) != TAC_OK)
        return tac__fail_memory(err);
    const size_t signals = plan->schema.count, senders = plan->sender_count,
                 receivers = plan->receiver_count;
    plan->lack = (tac__lack){0};
    tac__component *c = NULL;
    tac__accepts accepts = {0};
    if (def->accept_count)
        TAC_TRY(keep_accepts(plan, def, &accepts, err));
    plan->accepting = &accepts;
    tac_status status = tac__declare(plan, &plan->arena, def->type, name, (uint32_t)entity,
                                     def->params, &def->place, &c, err);
    plan->accepting = NULL;
    if (status == TAC_OK) {
        c->accepts = accepts;
        // From here on the engine owns the component: destroy closes it.
        plan->components[plan->component_count++] = c;
        status = finish_component(plan, c, def, err);
        if (status == TAC_OK) {
            c->first_input = (uint32_t)plan->input_count;
            plan->input_count += c->inputs.count;
            if (c->group >= 0)
                plan->groups[c->group].components++;
            return TAC_OK;
        }
        plan->component_count--;
        if (c->type->close)
            c->type->close(c->self);
    }
    // Nothing of a component that is refused stays behind.
    plan->schema.count = signals;
    plan->sender_count = senders;
    plan->receiver_count = receivers;
    return status;
}

tac_status tac_engine_add_route(tac_engine *e, const tac_route_def *def, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && def && e->life == TAC__BUILDING);
    TAC__DEF(tac_route_def, def, err);
    TAC_REQUIRE(def->to && def->from);
    tac__plan *plan = e->building;
    if (def->has_policy && (unsigned)def->policy >= TAC_POLICY_COUNT)
        return tac__fail_at(err, TAC_E_RANGE, &def->place, "%d is no policy", (int)def->policy);
    const bool outside = !strcmp(def->from, TAC__OUTSIDE);
    if (def->rest && !outside)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'rest' is for inputs that come from outside, and '%s' comes from '%s'",
                            def->to, def->from);
    if (outside && (def->pending == 0 || def->pending > 65536))
        return tac__fail_at(err, TAC_E_RANGE, &def->place,
                            "room for %u planned values; expected 1 to 65536", def->pending);
    if (!TAC__ARENA_GROW(&plan->routing, plan->routes, plan->route_count, plan->route_capacity))
        return tac__fail_memory(err);
    tac_route_def *r = &plan->routes[plan->route_count];
    *r = *def;
    r->to = tac__arena_text(&plan->routing, def->to);
    r->from = tac__names_keep(&plan->shapes.texts, &plan->arena, def->from);
    if (!r->to || !r->from)
        return tac__fail_memory(err);
    if (outside)
        TAC_TRY(tac__outside_add(e, r, err));
    r->rest = NULL;
    plan->route_count++;
    return TAC_OK;
}

// NULL: no memory.
static const tac_link_law *keep_law(tac__plan *plan, const tac_link_law *law)
{
    tac_link_law *own = tac__arena_array(&plan->arena, 1, sizeof *own);
    tac_outage *down = tac__arena_array(&plan->arena, law->down_count, sizeof *down);
    if (!own || !down)
        return NULL;
    if (law->down_count)
        memcpy(down, law->down, law->down_count * sizeof *down);
    *own = *law;
    own->down = down;
    return own;
}

tac_status tac_engine_add_link(tac_engine *e, const tac_link_def *def, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && def && e->life == TAC__BUILDING);
    TAC__DEF(tac_link_def, def, err);
    TAC_REQUIRE(def->to && def->from);
    tac__plan *plan = e->building;
    const bool from = !strcmp(def->from, TAC__OUTSIDE), to = !strcmp(def->to, TAC__OUTSIDE);
    if (from && to)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place, "a link from outside to outside");
    if (def->channel && !from && !to)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'channel' is for links of which one end is 'outside'");
    if (def->has_number && !from)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "'number' is for links from outside: the engine's own senders have "
                            "theirs by declaration");
    if (def->steps_first && !from)
        return tac__fail_at(
            err, TAC_E_CONFIG, &def->place,
            "'steps_first' is for links from outside: the engine knows when its own "
            "senders step");
    if (from && (!def->channel || !*def->channel))
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "a link from outside needs a 'channel': the name of who sends there");
    tac_link_law law = tac_link_law_default();
    law.min_us = def->delay_us;
    if (def->law)
        TAC_TRY(tac__def_take("tac_link_law", &law, sizeof law, def->law, err));
    if (from && def->law)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "a link from outside has no law: each message comes with its own time "
                            "of delivery");
    TAC_TRY(tac__link_check(&law, &def->place, err));
    if (!TAC__ARENA_GROW(&plan->arena, plan->links, plan->link_count, plan->link_capacity))
        return tac__fail_memory(err);
    tac_link_def *l = &plan->links[plan->link_count++];
    *l = *def;
    l->to = tac__arena_text(&plan->arena, def->to);
    l->from = tac__arena_text(&plan->arena, def->from);
    l->channel = def->channel ? tac__arena_text(&plan->arena, def->channel) : NULL;
    l->delay_us = tac__link_least_us(&law);
    l->law = tac__link_plain(&law) ? NULL : keep_law(plan, &law);
    if (!l->law && !tac__link_plain(&law))
        return tac__fail_memory(err);
    return l->to && l->from && (l->channel || !def->channel) ? TAC_OK : tac__fail_memory(err);
}

tac_status tac_engine_add_policy(tac_engine *e, const char *pattern, tac_policy policy,
                                 const tac_place *place, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && pattern && e->life == TAC__BUILDING);
    tac__plan *plan = e->building;
    if ((unsigned)policy >= TAC_POLICY_COUNT)
        return tac__fail_at(err, TAC_E_RANGE, place, "%d is no policy", (int)policy);
    char *copy = tac__arena_text(&plan->arena, pattern);
    if (!copy || !TAC__ARENA_GROW(&plan->arena, plan->rules, plan->rule_count, plan->rule_capacity))
        return tac__fail_memory(err);
    plan->rules[plan->rule_count++] =
        (tac__policy_rule){copy, policy, place ? *place : (tac_place){0}};
    return TAC_OK;
}

tac_status tac_engine_set_order(tac_engine *e, const char *const *components, size_t count,
                                const tac_place *place, tac_error *err)
{
    TAC_REQUIRE(e && components && e->life == TAC__BUILDING);
    tac__plan *plan = e->building;
    plan->order = tac__arena_array(&plan->arena, count, sizeof *plan->order);
    if (!plan->order)
        return tac__fail_memory(err);
    plan->order_count = count;
    if (place)
        plan->order_place = *place;
    for (size_t i = 0; i < count; i++) {
        plan->order[i] = tac__arena_text(&plan->arena, components[i]);
        if (!plan->order[i])
            return tac__fail_memory(err);
    }
    return TAC_OK;
}

tac_status tac_engine_set_initial(tac_engine *e, int signal, const double *values, size_t count,
                                  const tac_place *place, tac_error *err)
{
    TAC_REQUIRE(e && values && e->life == TAC__BUILDING);
    tac__plan *plan = e->building;
    TAC_REQUIRE(signal >= 0 && (size_t)signal < plan->schema.count);
    const tac__signal *s = &plan->schema.signals[signal];
    if (!s->kind->state)
        return tac__fail_at(err, TAC_E_TYPE, place, "'%s' is no continuous state", s->name);
    if (s->kind->type.count != count)
        return tac__fail_at(err, TAC_E_TYPE, place, "'%s' has %u element%s, but %zu are given",
                            s->name, s->kind->type.count, s->kind->type.count == 1 ? "" : "s",
                            count);
    double *copy = tac__arena_array(&plan->arena, count, sizeof *copy);
    if (!copy ||
        !TAC__ARENA_GROW(&plan->arena, plan->initials, plan->initial_count, plan->initial_capacity))
        return tac__fail_memory(err);
    memcpy(copy, values, count * sizeof *copy);
    plan->initials[plan->initial_count++] = (tac__initial){signal, copy};
    return TAC_OK;
}

static tac_status check_axis(const tac_observer_def *def, tac_error *err)
{
    if (def->period_us == 0)
        return tac__fail(err, TAC_E_RANGE, "an observer needs a period");
    if (def->period_us > TAC_TIME_MAX || def->offset_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_RANGE, "the period or offset of an observer is too long");
    return TAC_OK;
}

static tac_status find_leader(const tac__plan *plan, const tac_observer_def *def,
                              const tac__component **leads, tac_error *err)
{
    TAC_REQUIRE(def->component);
    *leads = tac__find_component(plan, def->component);
    if (!*leads) {
        tac__fail(err, TAC_E_NAME, "unknown component '%s'", def->component);
        tac__error_suggest(err, def->component, tac__component_name, plan);
        return TAC_E_NAME;
    }
    const bool steps = def->follow == TAC_FOLLOW_STEPS;
    if (steps ? !(*leads)->type->kernels[TAC_NUMBERS].step : !tac__is_continuous((*leads)->type))
        return tac__fail(err, TAC_E_TYPE, "'%s' has no %s that an observer could follow",
                         def->component, steps ? "steps" : "island");
    return TAC_OK;
}

tac_status tac_engine_add_observer(tac_engine *e, const tac_observer_def *def, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && def && e->life == TAC__BUILDING);
    TAC__DEF(tac_observer_def, def, err);
    TAC_REQUIRE(def->observe);
    tac__plan *plan = e->building;
    const tac__component *leads = NULL;
    if (def->follow == TAC_FOLLOW_AXIS)
        TAC_TRY(check_axis(def, err));
    else if (def->follow != TAC_FOLLOW_INSTANTS)
        TAC_TRY(find_leader(plan, def, &leads, err));
    if (!TAC__ARENA_GROW(&plan->arena, plan->observers, plan->observer_count,
                         plan->observer_capacity))
        return tac__fail_memory(err);
    tac__observer *o = &plan->observers[plan->observer_count++];
    *o = (tac__observer){*def, -1, leads, NULL};
    o->def.name = tac__arena_text(&plan->arena, def->name ? def->name : "observer");
    return o->def.name ? TAC_OK : tac__fail_memory(err);
}

void tac__observer_sleeps(tac_engine *e, const bool *asleep)
{
    tac__plan *plan = e->building;
    plan->observers[plan->observer_count - 1].asleep = asleep;
}

static bool may_add_watcher(const tac_engine *e)
{
    return e->life == TAC__BUILDING || e->life == TAC__PREPARED;
}

tac_status tac_engine_add_log(tac_engine *e, tac_log_level level, tac_log_fn *log, void *context,
                              tac_error *err)
{
    TAC_REQUIRE(e && log && may_add_watcher(e));
    if (!TAC__ARENA_GROW(&e->memory, e->logs.items, e->logs.count, e->logs.capacity))
        return tac__fail_memory(err);
    e->logs.items[e->logs.count++] = (tac__log_watcher){level, log, context};
    return TAC_OK;
}

tac_status tac_engine_add_phase_watcher(tac_engine *e, tac_phase_fn *changed, void *context,
                                        tac_error *err)
{
    TAC_REQUIRE(e && changed && may_add_watcher(e));
    if (!TAC__ARENA_GROW(&e->memory, e->phase_watchers, e->phase_watcher_count,
                         e->phase_watcher_capacity))
        return tac__fail_memory(err);
    e->phase_watchers[e->phase_watcher_count++] = (tac__phase_watcher){changed, context};
    return TAC_OK;
}

void tac__tap_steps(tac_engine *e, size_t component, tac__tap *tap)
{
    tac__component *c = e->building->components[component];
    tap->next = c->taps;
    c->taps = tap;
}

void tac__tap_digests(tac_engine *e, size_t island, tac__tap *tap)
{
    tac__island_plan *i = &e->building->islands[island];
    tap->next = i->taps;
    i->taps = tap;
}

static tac_status add_call(tac_engine *e, tac__resolved_fn *call, void *context, bool scheduled)
{
    tac__plan *plan = e->building;
    if (!TAC__ARENA_GROW(&plan->arena, plan->resolved, plan->resolved_count,
                         plan->resolved_capacity))
        return TAC_E_MEMORY;
    plan->resolved[plan->resolved_count++] = (tac__resolved){call, context, scheduled};
    return TAC_OK;
}

tac_status tac__engine_when_resolved(tac_engine *e, tac__resolved_fn *call, void *context)
{
    return add_call(e, call, context, false);
}

tac_status tac__engine_when_scheduled(tac_engine *e, tac__resolved_fn *call, void *context)
{
    return add_call(e, call, context, true);
}

void tac__watch_warn(tac_engine *e, const char *id, const tac_place *place, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    tac__warn(e->building, id, place, "%s", text);
}

void tac__engine_listen(tac_engine *e, tac__listener *listener)
{
    listener->next = e->listeners;
    e->listeners = listener;
}

void tac__engine_listen_fates(tac_engine *e, tac__fate_listener *listener)
{
    listener->next = e->fate_listeners;
    e->fate_listeners = listener;
}

// --- preparing --------------------------------------------------------------------------------

static tac_status call_all(tac_engine *e, bool scheduled, tac_error *err)
{
    const tac__plan *plan = e->building;
    for (size_t i = 0; i < plan->resolved_count; i++) {
        const tac__resolved *r = &plan->resolved[i];
        if (r->scheduled == scheduled)
            TAC_TRY(r->call(r->context, e, err));
    }
    return TAC_OK;
}

static tac_status prepare(tac_engine *e, tac_error *err)
{
    tac__plan *plan = e->building;
    TAC_TRY(tac__activity_resolve(plan, err));
    TAC_TRY(tac__resolve_routes(plan, err));
    TAC_TRY(tac__connect(plan, err));
    tac__resolve_observers(plan);
    TAC_TRY(tac__resolve_groups(plan, err));
    TAC_TRY(tac__resolve_leads(plan, err));
    TAC_TRY(tac__resolve_links(plan, err));
    TAC_TRY(tac__islands_form(plan, err));
    TAC_TRY(tac__islands_order(plan, err));
    TAC_TRY(tac__resolve_conditions(plan, err));
    TAC_TRY(tac__order_components(plan, err));
    TAC_TRY(tac__resolve_histories(plan, err));
    TAC_TRY(call_all(e, false, err));
    TAC_TRY(tac__schedule(plan));
    TAC_TRY(call_all(e, true, err));
    tac__phases_warn(plan);
    TAC_TRY(tac__doubts(plan));
    tac__written_ask(plan);
    return tac__wire(e);
}

tac_status tac_engine_prepare(tac_engine *e, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && e->life == TAC__BUILDING);
    tac_error_clear(err);
    tac__arena_fini(&e->building->shapes.scratch);
    tac_status status = prepare(e, err);
    if (status == TAC_E_MEMORY)
        tac__fail_memory(err);
    e->building = NULL;
    if (status == TAC_OK) {
        e->life = TAC__RUNNING;
        e->err = err;
        status = tac__start(e);
        e->err = NULL;
    }
    e->life = status == TAC_OK ? TAC__PREPARED : TAC__FAILED;
    if (status == TAC_OK) {
        status = tac__keep_start(e, err);
        e->life = status == TAC_OK ? TAC__PREPARED : TAC__FAILED;
    }
    return status;
}
