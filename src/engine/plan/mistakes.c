// mistakes.c - where a parameter stands in its file, and mistakes and doubts that a component finds
// in its parameters itself.
#include "base/node.h"
#include "base/print.h"
#include "engine/plan/declare.h"
#include "engine/plan/find.h"
#include "engine/plan/warn.h"

#include <stdio.h>
#include <string.h>

// "equations[3]" is an item of a list, "states.v" of a map.
const tac_node *tac__param_find(const tac_node *map, const char *path)
{
    const tac_node *node = tac_node_get(map, path);
    const size_t length = strcspn(path, ".[");
    if (node || !path[length])
        return node;
    char name[TAC_ERROR_NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    node = tac_node_get(map, name);
    if (!node || tac_node_kind_of(node) == TAC_NODE_SCALAR)
        return node; // a single text is a list of one
    if (path[length] == '[') {
        const char *end;
        const tac_node *item =
            tac_node_item(node, (size_t)tac__digits_parse(path + length + 1, &end, 10));
        const bool inside =
            end[0] == ']' && end[1] == '.' && item && tac_node_kind_of(item) == TAC_NODE_MAP;
        const tac_node *part = inside ? tac__param_find(item, end + 2) : NULL;
        return part ? part : item;
    }
    return tac_node_kind_of(node) == TAC_NODE_MAP ? tac__param_find(node, path + length + 1) : NULL;
}

static const tac_node *node_of(const tac_declare *d, const char *param)
{
    const tac_node *map = d->scopes[d->depth].map;
    return map && param ? tac__param_find(map, param) : NULL;
}

const tac_node *tac_param_node(const tac_declare *d, const char *name)
{
    const tac_node *node = node_of(d, name);
    return tac_node_is_null(node) ? NULL : node;
}

const tac_place *tac__param_place(const tac_declare *d, const char *param)
{
    const tac_node *map = d->scopes[d->depth].map;
    const tac_node *node = node_of(d, param);
    if (node && tac_node_place(node)->line)
        return tac_node_place(node);
    return map && tac_node_place(map)->line ? tac_node_place(map) : &d->instance->place;
}

tac_place tac__place_inside(const tac_declare *d, const char *param, const char *part,
                            uint32_t further, char excerpt[TAC_ERROR_NAME])
{
    const tac_node *node = node_of(d, param);
    return tac__node_has_lines(node)
               ? tac__node_place_of(node, part, further, excerpt)
               : tac__place_in_line(tac__param_place(d, param), part, further);
}

TAC_PRINTF(4, 0)
static tac_status fail_with(tac_declare *d, const char *param, const tac_place *place,
                            const char *format, va_list args)
{
    tac_error err;
    char text[512];
    tac__vprint(text, sizeof text, format, args);
    tac__fail_at(&err, TAC_E_CONFIG, place, "%s", text);
    if (param)
        tac__error_context(&err, "checking parameter '%s' of '%s'", param, d->instance->name);
    tac__declare_keep(d, &err);
    return TAC_E_CONFIG;
}

tac_status tac_declare_fail(tac_declare *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tac_status status = fail_with(d, param, tac__param_place(d, param), format, args);
    va_end(args);
    return status;
}

tac_status tac_declare_fail_at(tac_declare *d, const char *param, uint32_t column,
                               const char *format, ...)
{
    const char *text = tac_node_text(node_of(d, param));
    char excerpt[TAC_ERROR_NAME];
    const tac_place place =
        tac__place_inside(d, param, text ? text : "", column ? column - 1 : 0, excerpt);
    va_list args;
    va_start(args, format);
    const tac_status status = fail_with(d, param, &place, format, args);
    va_end(args);
    return status;
}

void tac__declare_lacks(tac_declare *d, const char *name, size_t length)
{
    const char *entity = d->plan->entities[d->entity].name;
    const char *full =
        tac__arena_format(d->arena, "%s%s%.*s", entity, *entity ? "." : "", (int)length, name);
    if (!full)
        tac__declare_no_memory(d);
    else if (!d->failed && !tac__find_component(d->plan, full))
        d->plan->lack.component = full;
}

TAC_PRINTF(4, 0)
static void warn(tac_declare *d, const char *id, const char *param, const char *format,
                 va_list args)
{
    if (!d->plan || d->symbols || d->failed) // after a mistake, values may be those of nothing
        return;
    tac__accepts *a = d->plan->accepting;
    for (size_t i = 0; id && a && i < a->count; i++) {
        if (!strcmp(a->ids[i], id)) {
            a->met[i] = true;
            return;
        }
    }
    char text[512];
    tac__vprint(text, sizeof text, format, args);
    const tac_place *place = tac__param_place(d, param);
    if (place->line)
        tac__warn(d->plan, id, place, "%s", text);
    else // made by a program: there is no file to point at
        tac__warn(d->plan, id, NULL, "component '%s': %s", d->instance->name, text);
}

void tac_declare_warn(tac_declare *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn(d, NULL, param, format, args);
    va_end(args);
}

void tac_declare_doubt(tac_declare *d, const char *id, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    warn(d, id, param, format, args);
    va_end(args);
}

// The longest step that the plant may take. Any rate group may have boundaries inside of it.
static tac_time longest_step(const tac__plan *plan)
{
    tac_time step_us = plan->def.integrator.h_max_us;
    for (size_t i = 0; i < plan->group_count; i++) {
        const tac_time period_us = plan->groups[i].period_us;
        step_us = period_us && period_us < step_us ? period_us : step_us;
    }
    return step_us;
}

void tac_declare_gravity(tac_declare *d, double mu_m3_s2, double radius_m)
{
    d->instance->gravity_mu_m3_s2 = mu_m3_s2;
    d->instance->gravity_radius_m = radius_m;
}

void tac_declare_stiffness(tac_declare *d, double rate_1_s, const char *what, const char *param)
{
    const tac__method *method = d->plan ? d->plan->method : NULL;
    if (!method || !(method->decay > 0)) // adaptive: it finds out by itself
        return;
    const tac_time step_us = longest_step(d->plan);
    if (!(rate_1_s * tac_time_seconds(step_us) > method->decay))
        return;
    char step[TAC_TIME_TEXT], most[TAC_TIME_TEXT];
    tac_time_print(step_us, step);
    tac_time_print((tac_time)(method->decay / rate_1_s * 1e6), most);
    tac_declare_doubt(
        d, "stiff", param,
        "%s decays with %.0f 1/s, too fast for %s with steps of %s: it may "
        "tremble instead of coming to rest; expected an h_max of the integrator of at most "
        "%s, or an adaptive method such as rk45",
        what, rate_1_s, method->name, step, most);
}
