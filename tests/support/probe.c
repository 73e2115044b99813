// probe.c - benches and probes. The component types live in the probes, which the bench owns.
#include "support/probe.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bench *declaring; // whose components are being added

probe *probe_of(const void *self)
{
    probe *p;
    memcpy(&p, self, sizeof p);
    return p;
}

// --- declaring ----------------------------------------------------------------------------------

static const char *const labels[] = {"OFF", "ON", NULL};

static tac_type parse_type(const char *name)
{
    static const struct {
        const char *name;
        tac_type type;
    } types[] = {
        {"f64", TAC_TYPE_F64},
        {"i32", TAC_TYPE_I32},
        {"i64", TAC_TYPE_I64},
        {"bool", TAC_TYPE_BOOL},
        {"vec3", TAC_TYPE_VEC3},
        {"quat", TAC_TYPE_QUAT},
        {"arr4", {TAC_F64, TAC_ARRAY, 4, NULL}},
        {"enum", {TAC_ENUM, TAC_SINGLE, 1, labels}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!strcmp(types[i].name, name))
            return types[i].type;
    }
    fail_msg("no type '%s'", name);
    return types[0].type;
}

// A port, with its texts in `buffer`.
static tac_port_def parse_port(const char *spec, char buffer[96])
{
    tac_port_def def = TAC_DEF(tac_port_def, .type = TAC_TYPE_F64, .doc = "for a test");
    for (;; spec++) {
        if (*spec == '?')
            def.flags |= TAC_PORT_OPTIONAL;
        else if (*spec == '=')
            def.flags |= TAC_PORT_HELD;
        else if (*spec == '!')
            def.flags |= TAC_PORT_DERIVE_ONLY;
        else if (*spec == '~')
            def.flags |= TAC_PORT_EVAL;
        else
            break;
    }
    snprintf(buffer, 96, "%s", spec);
    char *type = strchr(buffer, '@');
    if (type) {
        *type = '\0';
        def.type = parse_type(type + 1);
    }
    char *unit = strchr(buffer, ':');
    if (unit) {
        *unit = '\0';
        // Units are kept by pointer.
        static const char *const units[] = {"m", "m/s", "s", "deg", "rad", "km", "V", "nonsense"};
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (!strcmp(units[i], unit + 1))
                def.unit = units[i];
        }
        assert_non_null(def.unit);
    }
    def.name = buffer;
    return def;
}

static tac_status declare(tac_declare *d, void *self)
{
    bench *b = declaring;
    probe *p = b->probes[b->probe_count - 1];
    assert_string_equal(tac_declare_name(d), p->full);
    memcpy(self, &p, sizeof p);
    char buffer[96];
    for (int i = 0; i < PROBE_PORTS && p->in[i]; i++) {
        const tac_port_def port = parse_port(p->in[i], buffer);
        tac_declare_input(d, &port);
        p->in_count++;
    }
    for (int i = 0; i < PROBE_PORTS && p->out[i]; i++) {
        const tac_port_def port = parse_port(p->out[i], buffer);
        tac_declare_output(d, &port);
        p->out_count++;
        int direct[PROBE_PORTS];
        size_t count = 0;
        for (const char *c = p->direct[i]; c && *c; c++)
            direct[count++] = *c - '0';
        if (p->direct[i])
            tac_declare_feedthrough(d, i, direct, count);
    }
    for (int i = 0; i < PROBE_PORTS && p->x[i]; i++) {
        const tac_port_def port = parse_port(p->x[i], buffer);
        tac_declare_continuous(d, &port);
    }
    if (p->tx)
        tac_declare_sender(d, TAC_MESSAGE(.name = p->tx));
    if (p->rx)
        tac_declare_receiver(d,
                             TAC_MESSAGE(.name = p->rx, .capacity = p->capacity ? p->capacity : 16,
                                         .max_bytes = sizeof(double), .triggers = !p->deaf));
    if (p->stream)
        tac_declare_stream(d, p->stream);
    return TAC_OK;
}

// --- the log ------------------------------------------------------------------------------------

static bench_entry *new_entry(bench *b)
{
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 256;
        b->log = realloc(b->log, b->capacity * sizeof *b->log);
        assert_non_null(b->log);
    }
    bench_entry *entry = &b->log[b->count++];
    memset(entry, 0, sizeof *entry);
    return entry;
}

static void note(tac_step *s, const void *self, char where)
{
    probe *p = probe_of(self);
    if (p->silent)
        return;
    bench_entry *entry = new_entry(p->on);
    entry->t_us = s->t_us;
    entry->who = p->full;
    entry->where = where;
    entry->due = s->due;
    for (int i = 0; i < p->in_count; i++)
        entry->in[i] = *TAC_IN(s, double, i);
    if (p->x[0])
        entry->x = s->x[0];
}

void bench_note(bench *b, const char *who, char where, const tac_step *s)
{
    bench_entry *entry = new_entry(b);
    entry->t_us = s->t_us;
    entry->who = who;
    entry->where = where;
    entry->due = s->due;
}

// --- functions for probes -----------------------------------------------------------------------

static void count_step(tac_step *s, const void *self)
{
    probe *p = probe_of(self);
    if (p->steps++ == 0)
        p->first_us = s->t_us;
    p->last_us = s->t_us;
    note(s, self, AT_STEP);
}

tac_status probe_step(tac_step *s, const void *self)
{
    probe *p = probe_of(self);
    count_step(s, self);
    for (int i = 0; i < p->out_count; i++)
        *TAC_OUT(s, double, i) = (double)p->steps;
    return TAC_OK;
}

tac_status probe_copy(tac_step *s, const void *self)
{
    probe *p = probe_of(self);
    count_step(s, self);
    for (int i = 0; i < p->out_count; i++)
        *TAC_OUT(s, double, i) = i < p->in_count ? *TAC_IN(s, double, i) : 0;
    return TAC_OK;
}

tac_status probe_time(tac_step *s, const void *self)
{
    count_step(s, self);
    *TAC_OUT(s, double, 0) = (double)s->t_us;
    return TAC_OK;
}

tac_status probe_noise(tac_step *s, const void *self)
{
    count_step(s, self);
    *TAC_OUT(s, double, 0) = tac_draw_normal(s, 0);
    return TAC_OK;
}

tac_status probe_send(tac_step *s, const void *self)
{
    count_step(s, self);
    const double value = (double)probe_of(self)->steps;
    return tac_send(s, 0, &value, sizeof value);
}

tac_status probe_listen(tac_step *s, const void *self)
{
    probe *p = probe_of(self);
    count_step(s, self);
    for (tac_message m; tac_receive(s, 0, &m);) {
        double value;
        assert_int_equal(m.size, sizeof value);
        memcpy(&value, m.bytes, sizeof value);
        const double out[4] = {value, p->out_count > 1 ? *TAC_OUT(s, double, 1) + value : 0,
                               p->out_count > 2 ? *TAC_OUT(s, double, 2) + 1 : 0, m.sender};
        for (int i = 0; i < p->out_count; i++)
            *TAC_OUT(s, double, i) = out[i];
    }
    return TAC_OK;
}

static tac_status log_pre(tac_step *s, const void *self)
{
    assert_null(s->out);
    note(s, self, AT_PRE);
    return TAC_OK;
}

static tac_status log_post(tac_step *s, const void *self)
{
    assert_null(s->out);
    note(s, self, AT_POST);
    return TAC_OK;
}

tac_status linear_init(tac_step *s, const void *self)
{
    const probe *p = probe_of(self);
    double *x = tac_jump(s);
    assert_non_null(x);
    x[0] = p->p[3];
    return TAC_OK;
}

tac_status linear_derive(const tac_eval *e, const void *self)
{
    probe *p = probe_of(self);
    p->derives++;
    const double u = p->in_count ? *TAC_IN(e, double, 0) : 0;
    e->dx[0] = p->p[0] * e->x[0] + p->p[1] * u + p->p[2];
    return TAC_OK;
}

tac_status linear_output(const tac_eval *e, const void *self)
{
    probe_of(self)->outputs++;
    *TAC_OUT(e, double, 0) = e->x[0];
    return TAC_OK;
}

// --- building -----------------------------------------------------------------------------------

static void require(const bench *b, tac_status status)
{
    if (status == TAC_OK)
        return;
    char text[4096];
    tac_error_print(&b->err, text, sizeof text);
    fail_msg("%s: %s", tac_status_name(status), text);
}

void bench_begin(bench *b, const tac_engine_def *def)
{
    memset(b, 0, sizeof *b);
    const tac_engine_def standard = tac_engine_def_default();
    require(b, tac_engine_create(def ? def : &standard, &b->engine, &b->err));
}

void bench_end(bench *b)
{
    tac_engine_destroy(b->engine);
    for (size_t i = 0; i < b->probe_count; i++)
        free(b->probes[i]);
    free(b->log);
    memset(b, 0, sizeof *b);
}

tac_status bench_try_add(bench *b, const probe *given)
{
    assert_true(b->probe_count < BENCH_PROBES);
    probe *p = malloc(sizeof *p);
    assert_non_null(p);
    *p = *given;
    p->on = b;
    b->probes[b->probe_count++] = p;
    const bool named = p->entity && *p->entity;
    snprintf(p->full, sizeof p->full, "%s%s%s", named ? p->entity : "", named ? "." : "", p->name);
    const bool continuous = p->derive || p->output || p->constant;
    p->type = (tac_component_type){
        .size = sizeof p->type,
        .name = "probe",
        .version = "1",
        .summary = "for tests",
        .flags = p->flags,
        .stage = TAC_STAGE_CONTROL,
        .self_size = sizeof p,
        .declare = declare,
        .init = p->init,
        .kernels[TAC_NUMBERS].step = p->step      ? p->step
                                     : continuous ? NULL
                                                  : probe_step,
        .kernels[TAC_NUMBERS].output = p->output,
        .kernels[TAC_NUMBERS].derive = p->derive,
        .kernels[TAC_NUMBERS].project = p->project,
        .pre_step = p->pre_step ? p->pre_step
                    : p->pre    ? log_pre
                                : NULL,
        .post_step = p->post_step ? p->post_step
                     : p->post    ? log_post
                                  : NULL,
    };
    tac_component_def def = tac_component_def_default();
    def.entity = p->entity;
    def.name = p->name;
    def.type = &p->type;
    def.group = p->group;
    def.stage = p->stage;
    def.place = p->place;
    declaring = b;
    return tac_engine_add_component(b->engine, &def, &b->err);
}

probe *bench_add(bench *b, const probe *given)
{
    require(b, bench_try_add(b, given));
    return b->probes[b->probe_count - 1];
}

void bench_entity(bench *b, const char *name)
{
    require(b, tac_engine_add_entity(b->engine, name, NULL, &b->err));
}

void bench_group(bench *b, const char *name, tac_time period_us, tac_time offset_us)
{
    tac_group_def def = tac_group_def_default();
    def.name = name;
    def.period_us = period_us;
    def.offset_us = offset_us;
    require(b, tac_engine_add_group(b->engine, &def, &b->err));
}

void bench_times(bench *b, const char *name, const tac_time *times_us, size_t count)
{
    tac_group_def def = tac_group_def_default();
    def.name = name;
    def.times_us = times_us;
    def.times_count = count;
    require(b, tac_engine_add_group(b->engine, &def, &b->err));
}

void bench_route(bench *b, const char *to, const char *from)
{
    tac_route_def def = tac_route_def_default();
    def.to = to;
    def.from = from;
    require(b, tac_engine_add_route(b->engine, &def, &b->err));
}

void bench_delayed(bench *b, const char *to, const char *from)
{
    tac_route_def def = tac_route_def_default();
    def.to = to;
    def.from = from;
    def.delayed = true;
    require(b, tac_engine_add_route(b->engine, &def, &b->err));
}

void bench_link(bench *b, const char *from, const char *to, tac_time delay_us)
{
    tac_link_def def = tac_link_def_default();
    def.from = from;
    def.to = to;
    def.delay_us = delay_us;
    require(b, tac_engine_add_link(b->engine, &def, &b->err));
}

static void observe(void *context, tac_engine *engine, tac_time t_us)
{
    probe *p = context;
    bench_entry *entry = new_entry(p->on);
    entry->t_us = t_us;
    entry->who = p->name;
    entry->where = AT_OBSERVER;
    const double *value = tac_engine_read(engine, tac_engine_find_signal(engine, p->in[0]));
    assert_non_null(value);
    entry->in[0] = *value;
}

void bench_observe(bench *b, const char *name, tac_time period_us, tac_time offset_us,
                   const char *signal)
{
    assert_true(b->probe_count < BENCH_PROBES);
    probe *p = malloc(sizeof *p);
    assert_non_null(p);
    *p = (probe){.name = name, .in = {signal}, .on = b};
    b->probes[b->probe_count++] = p;
    tac_observer_def def = tac_observer_def_default();
    def.name = name;
    def.period_us = period_us;
    def.offset_us = offset_us;
    def.observe = observe;
    def.context = p;
    require(b, tac_engine_add_observer(b->engine, &def, &b->err));
}

tac_status bench_try_prepare(bench *b)
{
    return tac_engine_prepare(b->engine, &b->err);
}

void bench_prepare(bench *b)
{
    require(b, bench_try_prepare(b));
}

tac_status bench_try_run(bench *b, tac_time until_us)
{
    return tac_engine_run(b->engine, until_us, &b->err);
}

void bench_run(bench *b, tac_time until_us)
{
    require(b, bench_try_run(b, until_us));
}

// --- looking ------------------------------------------------------------------------------------

double bench_read(bench *b, const char *signal)
{
    const int number = tac_engine_find_signal(b->engine, signal);
    if (number < 0)
        fail_msg("no signal '%s'", signal);
    const double *value = tac_engine_read(b->engine, number);
    assert_non_null(value);
    return *value;
}

uint64_t bench_hash(const bench *b, const char *pattern)
{
    return tac_engine_hash(b->engine, pattern, NULL);
}

uint64_t bench_digest(const bench *b, const char *name)
{
    uint64_t digest;
    const char *other;
    for (size_t i = 0; (other = tac_engine_digest(b->engine, i, &digest)); i++) {
        if (!strcmp(other, name))
            return digest;
    }
    fail_msg("no digest '%s'", name);
    return 0;
}

const char *bench_order(bench *b, tac_time t_us)
{
    size_t used = 0;
    b->text[0] = '\0';
    for (size_t i = 0; i < b->count; i++) {
        const bench_entry *entry = &b->log[i];
        if (entry->t_us != t_us)
            continue;
        used += (size_t)snprintf(b->text + used, sizeof b->text - used, "%s%s%c", used ? " " : "",
                                 entry->who, entry->where);
        assert_true(used < sizeof b->text);
    }
    return b->text;
}

const bench_entry *bench_find(const bench *b, const char *who, char where, size_t n)
{
    for (size_t i = 0; i < b->count; i++) {
        const bench_entry *entry = &b->log[i];
        if (!strcmp(entry->who, who) && (!where || entry->where == where) && n-- == 0)
            return entry;
    }
    return NULL;
}

const bench_entry *bench_at(const bench *b, const char *who, char where, tac_time t_us)
{
    for (size_t i = 0; i < b->count; i++) {
        const bench_entry *entry = &b->log[i];
        if (entry->t_us == t_us && !strcmp(entry->who, who) && (!where || entry->where == where))
            return entry;
    }
    fail_msg("'%s' did nothing at %llu us", who, (unsigned long long)t_us);
    return NULL;
}

size_t bench_count(const bench *b, const char *who, char where)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++)
        n += !strcmp(b->log[i].who, who) && (!where || b->log[i].where == where);
    return n;
}

void bench_same_log(const bench *a, const bench *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const bench_entry *x = &a->log[i], *y = &b->log[i];
        assert_int_equal(x->t_us, y->t_us);
        assert_string_equal(x->who, y->who);
        assert_int_equal(x->where, y->where);
        assert_int_equal(x->due, y->due);
        assert_memory_equal(x->in, y->in, sizeof x->in);
        assert_memory_equal(&x->x, &y->x, sizeof x->x);
    }
}

void bench_same_digests(const bench *a, const bench *b, const char *pattern)
{
    const size_t prefix = strcspn(pattern, "*");
    size_t matched = 0;
    uint64_t digest;
    const char *name;
    for (size_t i = 0; (name = tac_engine_digest(a->engine, i, &digest)); i++) {
        if (strncmp(name, pattern, prefix) || (!pattern[prefix] && name[prefix]))
            continue;
        matched++;
        if (bench_digest(b, name) != digest)
            fail_msg("'%s' has another digest", name);
    }
    assert_true(matched > 0);
    size_t of_a, of_b;
    const uint64_t x = tac_engine_hash(a->engine, pattern, &of_a);
    const uint64_t y = tac_engine_hash(b->engine, pattern, &of_b);
    assert_int_equal(of_a, matched);
    assert_true(of_b >= matched);
    assert_int_equal(x == y, of_b == matched);
}

void bench_error(const bench *b, tac_status status, ...)
{
    if (b->err.status != status)
        fail_msg("expected %s, got %s: %s", tac_status_name(status), tac_status_name(b->err.status),
                 b->err.text);
    va_list words;
    va_start(words, status);
    for (const char *word; (word = va_arg(words, const char *));) {
        if (!strstr(b->err.text, word))
            fail_msg("'%s' does not say '%s'", b->err.text, word);
    }
    va_end(words);
}
