// model.c - the model as text: everything that decides the bits of a run, one fact a line, and its
// hash. The length of the run is not part of it: a longer run is the same model.
#include "engine/run/state.h"
#include "base/floats.h"
#include "math/prints.h"
#include <tactus/math.h>

#include <inttypes.h>
#include <string.h>

// Raised whenever the engine itself gives other bits for the same model.
enum { ENGINE_SEMANTICS = 11 };

static void add_time(tac__text *out, const char *word, tac_time t_us)
{
    char text[TAC_TIME_TEXT];
    tac_time_print(t_us, text);
    tac__text_add(out, " %s %s", word, text);
}

static void add_number(tac__text *out, const char *word, double value)
{
    char text[TAC__NUMBER_TEXT];
    tac__number_print(value, text);
    tac__text_add(out, " %s %s", word, text);
}

static void add_world(const tac_world *w, tac__text *out)
{
    tac__text_add(out, "world");
    add_number(out, "latitude", w->latitude_rad);
    add_number(out, "longitude", w->longitude_rad);
    add_number(out, "altitude", w->altitude_m);
    add_number(out, "g", w->g_m_s2);
    add_number(out, "ground", w->ground_m);
    tac__text_add(out, " geodesy %d gravity %d\n", (int)w->geodesy, (int)w->gravity);
}

static void add_law(tac__text *out, const tac_link_law *law)
{
    if (!law)
        return;
    tac__text_add(out, " law ");
    tac__link_describe(law, out);
}

static void add_groups(const tac__plan *plan, tac__text *out)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        const tac__rate_group *g = &plan->groups[i];
        tac__text_add(out, "group %s", g->name);
        if (g->period_us) {
            add_time(out, "period", g->period_us);
            add_time(out, "offset", g->offset_us);
        }
        for (size_t k = 0; k < g->times_count; k++)
            add_time(out, "at", g->times_us[k]);
        tac__text_add(out, "\n");
    }
}

static void add_route(const tac__plan *plan, const tac__component *c, size_t input, tac__text *out)
{
    const tac__input *in = &c->in[input];
    if (in->signal < 0)
        return;
    const tac_route_def *r = in->route;
    tac__text_add(out, "route %s.%s from %s[%u] policy %s", c->name, c->inputs.items[input].name,
                  plan->schema.signals[in->signal].name, in->element, tac_policy_name(in->policy));
    if (r->gain != 1 || r->offset != 0) {
        add_number(out, "gain", r->gain);
        add_number(out, "offset", r->offset);
    }
    if (r->delay_us)
        add_time(out, "delay", r->delay_us);
    tac__text_add(out, "%s%s\n", r->delayed ? " delayed" : "", r->convert ? " convert" : "");
}

static void add_initials(const tac__plan *plan, tac__text *out)
{
    for (size_t i = 0; i < plan->initial_count; i++) {
        const tac__signal *s = &plan->schema.signals[plan->initials[i].signal];
        tac__text_add(out, "initial %s", s->name);
        for (uint32_t k = 0; k < s->kind->type.count; k++)
            add_number(out, k ? "," : "=", plan->initials[i].values[k]);
        tac__text_add(out, "\n");
    }
}

// Hashes a text piece by piece without keeping it: the text of ten thousand vehicles takes 140 MB.
typedef struct drain {
    tac__hash hash;
    uint64_t length; // of the text that is hashed already
} drain;

enum { DRAIN_BYTES = 1 << 16 };

// Hash the text so far and empty it; NULL: the text is kept.
static void drain_text(drain *d, tac__text *text)
{
    if (!d || text->failed || text->length < DRAIN_BYTES)
        return;
    const size_t n = text->length / 8 * 8;
    d->hash = tac__hash_part(d->hash, text->chars, n);
    d->length += n;
    text->length -= n;
    memmove(text->chars, text->chars + n, text->length + 1);
}

static void add_components(const tac__plan *plan, tac__text *out, drain *d)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        drain_text(d, out);
        tac__text_add(out, "component %s type %s version %s stage %s group %s\n", c->name,
                      c->type->name, c->type->version ? c->type->version : "-",
                      c->type->kernels[TAC_NUMBERS].step ? tac_stage_name(c->stage) : "-",
                      c->group < 0 ? "-" : plan->groups[c->group].name);
        for (size_t k = 0; k < c->param_count; k++)
            tac__text_add(out, "param %s.%s = %s\n", c->name, c->params[k].name, c->values[k]);
        if (c->active_names)
            tac__text_add(out, "active %s", c->name);
        for (size_t k = 0; k < c->active_count; k++)
            tac__text_add(out, " %s", c->active_names[k]);
        if (c->active_names)
            tac__text_add(out, " else %s\n", c->hold ? "hold" : "zero");
        for (size_t k = 0; k < c->inputs.count; k++)
            add_route(plan, c, k, out);
    }
}

static void add_model(const tac__plan *plan, tac__text *out, drain *d)
{
    tac__text_add(out, "tactus engine %d\n", ENGINE_SEMANTICS);
    // One function a line, so that a difference names the function.
    const char *function;
    uint64_t print;
    for (size_t i = 0; (function = tac__math_print(i, &print)); i++)
        tac__text_add(out, "math %s %016" PRIx64 "\n", function, print);
    tac__text_add(out, "seed %" PRIu64 "\n", plan->def.seed);
    tac__text_add(out, "integrator %s", plan->method->name);
    add_time(out, "h_max", plan->def.integrator.h_max_us);
    if (plan->method->adaptive) {
        add_number(out, "rtol", plan->def.integrator.rtol);
        add_number(out, "atol", plan->def.integrator.atol);
        add_time(out, "h_min", plan->def.integrator.h_min_us);
    }
    tac__text_add(out, "%s", plan->def.split ? " split" : "");
    add_time(out, "physics", plan->def.physics_us);
    tac__text_add(out, "\n");
    add_world(&plan->def.world, out);
    add_groups(plan, out);
    add_components(plan, out, d);
    add_initials(plan, out);
    for (size_t i = 0; i < plan->sender_count; i++) {
        for (size_t k = 0; k < plan->senders[i].count; k++) {
            const tac__link *l = &plan->senders[i].links[k];
            tac__text_add(out, "link %s to %s", plan->senders[i].name,
                          plan->receivers[l->receiver].name);
            add_time(out, "delay", l->delay_us);
            add_law(out, l->drawn ? l->drawn->law : NULL);
            tac__text_add(out, "\n");
        }
        for (size_t k = 0; k < plan->senders[i].outlet_count; k++) {
            tac__text_add(out, "link %s to outside, channel %s", plan->senders[i].name,
                          plan->senders[i].outlets[k].channel);
            add_time(out, "delay", plan->senders[i].outlets[k].delay_us);
            add_law(out, plan->senders[i].outlets[k].law);
            tac__text_add(out, "\n");
        }
    }
    for (size_t i = 0; i < plan->receiver_count; i++) {
        for (size_t k = 0; k < plan->receivers[i].inlet_count; k++)
            tac__text_add(out, "link from outside, channel %s, number %u, to %s\n",
                          plan->receivers[i].inlets[k].channel, plan->receivers[i].inlets[k].number,
                          plan->receivers[i].name);
    }
    for (size_t i = 0; i < plan->sequence_count; i++) {
        tac__text_add(out, "order %s\n", plan->components[plan->sequence[i]]->name);
        drain_text(d, out);
    }
}

void tac__model_text(const tac_engine *engine, tac__text *out)
{
    add_model(engine->plan, out, NULL);
}

uint64_t tac__model_hash(const tac__text *text)
{
    return text->failed ? 0
                        : tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, text->chars, text->length));
}

uint64_t tac_engine_model_hash(const tac_engine *e)
{
    TAC__FLOATS;
    tac__text text;
    tac__text_init(&text, e->allocator);
    drain d = {.hash = TAC__HASH_SEED};
    add_model(e->plan, &text, &d);
    d.hash = tac__hash_part(d.hash, text.chars, text.length);
    d.length += text.length;
    const uint64_t hash = text.failed ? 0 : tac__hash_end(tac__hash_word(d.hash, d.length));
    tac__text_fini(&text);
    return hash;
}

// --- differences --------------------------------------------------------------------------------

enum { DIFFERENCES_MAX = 40, LINE_MAX_SHOWN = 300 };

static bool has_line(const char *text, const char *line, size_t length)
{
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n");
        if (n == length && !memcmp(at, line, length))
            return true;
        at += n + (at[n] == '\n');
    }
    return false;
}

// Lines of one text that the other does not have.
static size_t list_lines(const char *where, const char *text, const char *other, size_t before,
                         tac__text *out)
{
    size_t count = before;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n");
        if (n && !has_line(other, at, n) && count++ < DIFFERENCES_MAX)
            tac__text_add(out, "%s: %.*s\n", where, (int)(n < LINE_MAX_SHOWN ? n : LINE_MAX_SHOWN),
                          at);
        at += n + (at[n] == '\n');
    }
    return count;
}

size_t tac__model_differences(const char *there, const char *here, tac__text *out)
{
    size_t count = list_lines("there", there, here, 0, out);
    count = list_lines("here", here, there, count, out);
    if (count > DIFFERENCES_MAX)
        tac__text_add(out, "and %zu more\n", count - DIFFERENCES_MAX);
    // The lines are the same, but in another order: components run in another order, for example.
    if (count == 0 && strcmp(there, here)) {
        tac__text_add(out, "the same lines stand in another order\n");
        count = 1;
    }
    return count;
}
