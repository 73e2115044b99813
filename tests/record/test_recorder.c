// What a recorder writes is what an observer of the test's own reads at the same instants, bit for
// bit; and recording changes nothing.
#include "models.h"
#include "base/file.h"
#include "bus/type.h"
#include "record/recording.h"
#include "support/allocator.h"
#include "support/probe.h"

#include <math.h>

#include <unistd.h>

// --- an observer of the test's own --------------------------------------------------------------

// Bytes of all signals of a unit.
enum { ROW_BYTES = 512, LOG_US = 700, OWN_US = 1100 };

typedef struct row {
    tac_time t_us;
    unsigned char bytes[ROW_BYTES];
} row;

typedef struct rows {
    row *items;
    size_t count, capacity;
} rows;

typedef struct scribe {
    const unit *of;
    rows rows;
} scribe;

// For each unit: at its steps, at boundaries of its island, on two axes.
enum { AT_STEPS, AT_ISLAND, ON_LOG, ON_OWN, ON_BOTH, SCRIBES }; // both: island and log

typedef struct audit {
    model m;
    scribe scribes[MODEL_UNITS][SCRIBES];
    size_t offsets[MODEL_UNITS * 16]; // by signal: in a row
} audit;

static audit *auditing;

static size_t bytes_of(const tac_type *type)
{
    return type->count * tac__scalar_size(type->scalar);
}

static void note(void *context, tac_engine *e, tac_time t_us)
{
    scribe *s = context;
    rows *r = &s->rows;
    if (r->count && r->items[r->count - 1].t_us == t_us) // as the other observer of both
        return;
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 64;
        r->items = realloc(r->items, r->capacity * sizeof *r->items);
    }
    row *to = &r->items[r->count++];
    memset(to, 0, sizeof *to);
    to->t_us = t_us;
    for (size_t i = 0; i < tac_engine_signal_count(e); i++) {
        const tac_signal_info info = tac_engine_signal_info(e, (int)i);
        if (strcmp(info.writer, s->of->full))
            continue;
        const void *value = tac_engine_read(e, (int)i);
        assert_non_null(value);
        memcpy(to->bytes + auditing->offsets[i], value, bytes_of(&info.type));
    }
}

static void follow(audit *a, size_t u, int kind)
{
    const unit *of = &a->m.units[u];
    scribe *s = &a->scribes[u][kind];
    s->of = of;
    if (kind == AT_STEPS && !(of->flags & UNIT_STEP))
        return;
    if (kind == AT_ISLAND && !(of->flags & UNIT_PLANT))
        return;
    if (kind == ON_BOTH && !(of->flags & UNIT_PLANT))
        return;
    tac_observer_def def = tac_observer_def_default();
    def.name = "scribe";
    def.ends = true;
    def.follow = kind == AT_STEPS    ? TAC_FOLLOW_STEPS
                 : kind == AT_ISLAND ? TAC_FOLLOW_ISLAND
                                     : TAC_FOLLOW_AXIS;
    def.component = kind <= AT_ISLAND ? of->full : NULL;
    def.outputs = kind == AT_ISLAND;
    def.period_us = kind == ON_OWN ? OWN_US : kind >= ON_LOG ? LOG_US : 0;
    def.observe = note;
    def.context = s;
    must(&a->m, tac_engine_add_observer(a->m.engine, &def, &a->m.err));
    if (kind != ON_BOTH)
        return;
    def.follow = TAC_FOLLOW_ISLAND;
    def.component = of->full;
    def.outputs = true;
    must(&a->m, tac_engine_add_observer(a->m.engine, &def, &a->m.err));
}

// Run a model with a recorder and with scribes.
static void run(audit *a, uint64_t number, const tac_recorder_def *def)
{
    tac_recorder *recorder;
    memset(a, 0, sizeof *a);
    auditing = a;
    model *m = &a->m;
    must(m, model_make(m, number, NULL));
    for (size_t u = 0; u < m->count; u++) {
        for (int kind = 0; kind < SCRIBES; kind++)
            follow(a, u, kind);
    }
    must(m, tac_recorder_create(def, m->engine, &recorder, &m->err));
    must(m, tac_engine_prepare(m->engine, &m->err));
    for (size_t u = 0; u < m->count; u++) {
        size_t at = 0;
        for (size_t i = 0; i < tac_engine_signal_count(m->engine); i++) {
            const tac_signal_info info = tac_engine_signal_info(m->engine, (int)i);
            if (strcmp(info.writer, m->units[u].full))
                continue;
            a->offsets[i] = at;
            at += (bytes_of(&info.type) + 7) / 8 * 8;
        }
        assert_true(at <= ROW_BYTES);
    }
    must(m, tac_recorder_begin(recorder, &m->err));
    must(m, tac_engine_run(m->engine, TAC_TIME_NEVER, &m->err));
    must(m, tac_recorder_end(recorder, NULL, &m->err));
    tac_recorder_destroy(recorder);
}

static void fini(audit *a)
{
    for (size_t u = 0; u < a->m.count; u++) {
        for (int kind = 0; kind < SCRIBES; kind++)
            free(a->scribes[u][kind].rows.items);
    }
    model_end(&a->m);
}

static bool acceptable(uint64_t number, uint64_t *hash)
{
    model m;
    tac_status status = model_make(&m, number, NULL);
    if (status == TAC_OK)
        status = tac_engine_prepare(m.engine, &m.err);
    if (status == TAC_OK)
        status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
    *hash = status == TAC_OK ? tac_engine_hash(m.engine, NULL, NULL) : 0;
    model_end(&m);
    return status == TAC_OK;
}

// --- what is expected ---------------------------------------------------------------------------

typedef enum ways { WAY_TIER, WAY_NEVER, WAY_OWN, WAY_EVERY, WAY_WINDOW } ways;
enum { EVERY = 3, BEFORE_US = 1000, AFTER_US = 2000 };

typedef struct expected {
    const rows *from;
    bool *taken; // one a row of it
} expected;

static const unit *unit_named(const model *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++) {
        if (!strcmp(m->units[i].full, name))
            return &m->units[i];
    }
    fail_msg("no unit '%s'", name);
    return NULL;
}

// Does any input of the plant lead to it?
static bool drives(const model *m, const char *signal)
{
    for (size_t i = 0; i < m->engine->plan->component_count; i++) {
        const tac__component *c = m->engine->plan->components[i];
        for (size_t k = 0; c->type->kernels[TAC_NUMBERS].derive && k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &m->engine->plan->schema.signals[c->in[k].signal];
            const bool rate = s->derivative >= 0 && c->in[k].policy == TAC_EXTRAPOLATED &&
                              !strcmp(m->engine->plan->schema.signals[s->derivative].name, signal);
            if (!strcmp(s->name, signal) || rate)
                return true;
        }
    }
    return false;
}

static void take_window(const audit *a, const rows *r, size_t z, bool *taken)
{
    bool held = false;
    for (size_t i = 0; i < r->count; i++) {
        double value;
        memcpy(&value, r->items[i].bytes + a->offsets[z], sizeof value);
        const bool now = value > 0.2;
        for (size_t k = 0; now && !held && k < r->count; k++) {
            const tac_time t_us = r->items[k].t_us, at_us = r->items[i].t_us;
            taken[k] |= t_us + BEFORE_US >= at_us && t_us <= at_us + AFTER_US;
        }
        held = now;
    }
}

// Which rows of which scribe are the samples of a signal. `bytes` are those that decide whether
// anything changed: of all signals that share its channel.
static expected expect(const audit *a, size_t signal, tac_tier tier, ways way)
{
    const model *m = &a->m;
    const tac_signal_info info = tac_engine_signal_info(m->engine, (int)signal);
    const unit *u = unit_named(m, info.writer);
    const scribe *scribes = a->scribes[u - m->units];
    const bool steps = u->flags & UNIT_STEP, plant = u->flags & UNIT_PLANT;
    expected x = {.from = &scribes[ON_LOG].rows};
    const rows *writes = info.continuous ? &scribes[AT_ISLAND].rows
                         : steps         ? &scribes[AT_STEPS].rows
                                         : NULL;
    const bool scenario = steps && !plant && !strcmp(u->stage, "scenario");
    const bool driving = steps && !plant && (scenario || drives(m, info.name));
    bool all = true, hold = false;
    if (driving) {
        x.from = writes;
        hold = scenario;
    } else if (way == WAY_NEVER || (way == WAY_TIER && tier == TAC_TIER_REPLAY)) {
        all = false;
    } else if (way == WAY_OWN) {
        x.from = &scribes[ON_OWN].rows;
    } else if (writes && (way != WAY_TIER || tier == TAC_TIER_ALL)) {
        x.from = info.continuous && way == WAY_TIER ? &scribes[ON_BOTH].rows : writes;
        all = way == WAY_TIER;
    }
    x.taken = calloc(x.from->count + 1, sizeof *x.taken);
    for (size_t i = 0; i < x.from->count; i++) {
        const row *r = x.from->items;
        // Only what a unit writes is in its rows.
        x.taken[i] = hold ? i == 0 || memcmp(r[i].bytes, r[i - 1].bytes, ROW_BYTES) : all;
        if (!driving && writes && way == WAY_EVERY)
            x.taken[i] = i % EVERY == 0;
        if (!driving && !writes && (way == WAY_EVERY || way == WAY_WINDOW))
            x.taken[i] = true; // it never changes: on the log axis
    }
    if (!driving && writes && way == WAY_WINDOW) {
        char z[64];
        snprintf(z, sizeof z, "%s.%s", u->full, plant ? "x" : "z");
        take_window(a, x.from, (size_t)tac_engine_find_signal(m->engine, z), x.taken);
    }
    return x;
}

// --- and what is there --------------------------------------------------------------------------

static void check_signal(const audit *a, tac_recording *r, size_t signal, tac_tier tier, ways way,
                         uint64_t *samples)
{
    const tac_signal_info info = tac_engine_signal_info(a->m.engine, (int)signal);
    expected x = expect(a, signal, tier, way);
    size_t wanted_count = 0;
    for (size_t i = 0; i < x.from->count; i++)
        wanted_count += x.taken[i];
    const int found = tac_recording_find(r, info.name);
    const tac_recorded *s = found < 0 ? NULL : tac_recording_signal(r, (size_t)found);
    if (!s) {
        if (wanted_count)
            fail_msg("'%s' is not recorded", info.name);
        free(x.taken);
        return;
    }
    assert_true(tac__type_same(&s->type, &info.type));
    assert_string_equal(s->unit, info.unit);
    assert_int_equal(s->stage, info.stage);
    assert_int_equal(s->continuous, info.continuous);
    bool wanted[64] = {0};
    wanted[s->channel] = true;
    tac_cursor *cursor;
    assert_int_equal(tac_cursor_open(r, wanted, 0, TAC_TIME_NEVER, &cursor, NULL), TAC_OK);
    size_t i = 0;
    for (;;) {
        tac_sample sample;
        bool more;
        assert_int_equal(tac_cursor_next(cursor, &sample, &more, NULL), TAC_OK);
        while (i < x.from->count && !x.taken[i])
            i++;
        if (!more)
            break;
        if (i == x.from->count || sample.t_us != x.from->items[i].t_us)
            fail_msg("model: '%s' (tier %d, way %d) has a sample at %llu us, expected %llu",
                     info.name, (int)tier, (int)way, (unsigned long long)sample.t_us,
                     i == x.from->count ? 0 : (unsigned long long)x.from->items[i].t_us);
        if (memcmp((const char *)sample.values + s->offset,
                   x.from->items[i].bytes + a->offsets[signal], bytes_of(&info.type)))
            fail_msg("'%s' (tier %d, way %d) differs at %llu us", info.name, (int)tier, (int)way,
                     (unsigned long long)sample.t_us);
        i++;
        ++*samples;
    }
    if (i != x.from->count)
        fail_msg("'%s' (tier %d, way %d) has no sample at %llu us", info.name, (int)tier, (int)way,
                 (unsigned long long)x.from->items[i].t_us);
    tac_cursor_close(cursor);
    free(x.taken);
}

static void check(uint64_t number, tac_tier tier, ways way, uint64_t hash, uint64_t *samples)
{
    static const char *const compressions[] = {"none", "lz4", "zstd"};
    const char *path = path_of("a.mcap");
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.tier = tier;
    def.log_us = LOG_US;
    def.state_us = number % 2 ? 0 : 5000;
    def.flush_us = 3000;
    def.compression = compressions[number % 3];
    // A rule for each component, as the condition is one of its own signals.
    static const char *const everything[] = {"*"};
    tac_record_rule rules[MODEL_UNITS];
    char patterns[MODEL_UNITS][40], conditions[MODEL_UNITS][80];
    const char *pattern[MODEL_UNITS];
    model shape;
    must(&shape, model_make(&shape, number, NULL));
    for (size_t i = 0; way == WAY_WINDOW && i < shape.count; i++) {
        const unit *u = &shape.units[i];
        snprintf(patterns[i], sizeof patterns[i], "%s.*", u->full);
        // The second is the same, but remembers.
        snprintf(conditions[i], sizeof conditions[i],
                 i % 2 ? "held(%s.%s > 0.2, 0 s)" : "%s.%s > 0.2", u->full,
                 u->flags & UNIT_PLANT ? "x" : "z");
        pattern[i] = patterns[i];
        rules[i] = (tac_record_rule){.size = sizeof(tac_record_rule),
                                     .patterns = &pattern[i],
                                     .pattern_count = 1,
                                     .when = conditions[i],
                                     .before_us = BEFORE_US,
                                     .after_us = AFTER_US};
    }
    const size_t units = shape.count;
    model_end(&shape);
    if (way != WAY_WINDOW && way != WAY_TIER)
        rules[0] = (tac_record_rule){.size = sizeof(tac_record_rule),
                                     .patterns = everything,
                                     .pattern_count = 1,
                                     .never = way == WAY_NEVER,
                                     .period_us = way == WAY_OWN ? OWN_US : 0,
                                     .every = way == WAY_EVERY ? EVERY : 0};
    def.rules = rules;
    def.rule_count = way == WAY_TIER ? 0 : way == WAY_WINDOW ? units : 1;
    audit a;
    run(&a, number, &def);
    assert_int_equal(tac_engine_hash(a.m.engine, NULL, NULL), hash);
    tac_recording *r;
    must(&a.m, tac_recording_open(path, &r, &a.m.err));
    assert_int_equal(r->info.hash, hash);
    assert_true(r->info.whole && r->info.finished);
    assert_int_equal(r->info.last_us, a.m.engine->plan->def.end_us);
    for (size_t i = 0; i < tac_engine_signal_count(a.m.engine); i++)
        check_signal(&a, r, i, tier, way, samples);
    tac_recording_close(r);
    fini(&a);
}

static void values(void **state)
{
    (void)state;
    uint64_t samples = 0, made = 0;
    for (uint64_t number = 5000; number < 5020; number++) {
        uint64_t hash;
        // What phases close is written by nobody's step: test_phases.c looks at those.
        if (number % 3 == 2 || !acceptable(number, &hash))
            continue;
        made++;
        for (int tier = TAC_TIER_REPLAY; tier <= TAC_TIER_ALL; tier++)
            check(number, (tac_tier)tier, WAY_TIER, hash, &samples);
        for (int way = WAY_NEVER; way <= WAY_WINDOW; way++)
            check(number, number % 2 ? TAC_TIER_ALL : TAC_TIER_LOG, (ways)way, hash, &samples);
    }
    print_message("%llu samples\n", (unsigned long long)samples);
    assert_true(made > 10 && samples > 10000);
}

// --- nothing depends on when threads run --------------------------------------------------------

static void record(uint64_t number, const tac_recorder_def *def, uint64_t *hash)
{
    model m;
    tac_recorder *recorder;
    must(&m, model_make(&m, number, NULL));
    must(&m, tac_recorder_create(def, m.engine, &recorder, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    must(&m, tac_recorder_begin(recorder, &m.err));
    for (tac_time t_us = 0; *hash && t_us < m.engine->plan->def.end_us; t_us += 1234)
        must(&m, tac_engine_run(m.engine, t_us, &m.err)); // the second time in pieces
    must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
    models_home = false; // this thread helps to pack what is left
    must(&m, tac_recorder_end(recorder, NULL, &m.err));
    models_home = true;
    assert_false(tac_recorder_failed(recorder));
    const uint64_t got = tac_engine_hash(m.engine, NULL, NULL);
    assert_true(*hash == 0 || *hash == got);
    *hash = got;
    tac_recorder_destroy(recorder);
    model_end(&m);
}

static void same_bytes(const char *a, const char *b)
{
    char *x, *y;
    size_t x_size, y_size;
    assert_int_equal(tac__file_read(a, 1 << 28, tac_allocator_default(), &x, &x_size, NULL),
                     TAC_OK);
    assert_int_equal(tac__file_read(b, 1 << 28, tac_allocator_default(), &y, &y_size, NULL),
                     TAC_OK);
    assert_int_equal(x_size, y_size);
    assert_memory_equal(x, y, x_size);
    tac__file_free(tac_allocator_default(), x, x_size);
    tac__file_free(tac_allocator_default(), y, y_size);
}

static void same_file(void **state)
{
    (void)state;
    static const char *const compressions[] = {"none", "lz4", "zstd"};
    uint64_t number = 6000, hash;
    while (!acceptable(number, &hash))
        number++;
    for (int tier = TAC_TIER_REPLAY; tier <= TAC_TIER_ALL; tier++) {
        for (size_t i = 0; i < 3; i++) {
            tac_recorder_def def = tac_recorder_def_default();
            const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
            def.tier = (tac_tier)tier;
            def.log_us = 300;
            def.flush_us = 2000;
            def.compression = compressions[i];
            uint64_t again = 0;
            def.path = a;
            record(number, &def, &again);
            assert_true(again == hash);
            def.path = b;
            record(number, &def, &again);
            same_bytes(a, b);
        }
    }
}

// Entries of the log in a recording.
static uint64_t logged(const char *path)
{
    tac_recording *r;
    uint64_t count = 0;
    assert_int_equal(tac_recording_open(path, &r, NULL), TAC_OK);
    for (size_t i = 0; i < r->track_count; i++)
        count += r->tracks[i].kind == TAC__CHANNEL_LOG ? r->tracks[i].mcap->messages : 0;
    tac_recording_close(r);
    return count;
}

static void count_entry(void *context, const tac_log_entry *entry)
{
    (void)entry;
    ++*(uint64_t *)context;
}

// Any number of recorders on one engine: each file and table is what it would be with no other
// beside it; and each has the log from its own level on, whoever else is told of it.
static void side_by_side(void **state)
{
    (void)state;
    enum { RECORDERS = 7 };
    uint64_t entries = 0;
    for (uint64_t number = 6100, made = 0; made < 12; number++) {
        uint64_t hash, again = 0;
        if (!acceptable(number, &hash))
            continue;
        made++;
        model m;
        tac_recorder *recorders[RECORDERS];
        tac_recorder_def defs[RECORDERS];
        char paths[RECORDERS][400], tables[RECORDERS][400];
        must(&m, model_make(&m, number, NULL));
        for (int i = 0; i < RECORDERS; i++) {
            char name[24];
            snprintf(name, sizeof name, "%d.mcap", i);
            snprintf(paths[i], sizeof paths[i], "%s", path_of(name));
            defs[i] = tac_recorder_def_default();
            defs[i].path = paths[i];
            defs[i].tier = (tac_tier)(i % 3);
            defs[i].log_us = (tac_time)(300 + 100 * i);
            defs[i].state_us = (tac_time)(i == 3 ? 0 : 1000 * (i + 1));
            defs[i].flush_us = (tac_time)(2000 + 500 * i);
            defs[i].log_level = i == 2 ? TAC_LOG_ERROR : TAC_LOG_INFO;
            snprintf(name, sizeof name, "%d.csv", i);
            snprintf(tables[i], sizeof tables[i], "%s", path_of(name));
            defs[i].csv = i % 2 ? tables[i] : NULL;
            must(&m, tac_recorder_create(&defs[i], m.engine, &recorders[i], &m.err));
        }
        must(&m, tac_engine_prepare(m.engine, &m.err));
        for (int i = 0; i < RECORDERS; i++)
            must(&m, tac_recorder_begin(recorders[i], &m.err));
        uint64_t infos = 0, errors = 0;
        must(&m, tac_engine_add_log(m.engine, TAC_LOG_INFO, count_entry, &infos, &m.err));
        must(&m, tac_engine_add_log(m.engine, TAC_LOG_ERROR, count_entry, &errors, &m.err));
        must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
        for (int i = 0; i < RECORDERS; i++) {
            must(&m, tac_recorder_end(recorders[i], NULL, &m.err));
            tac_recorder_destroy(recorders[i]);
        }
        assert_true(tac_engine_hash(m.engine, NULL, NULL) == hash);
        model_end(&m);
        for (int i = 0; i < RECORDERS; i++) {
            char table[400];
            snprintf(table, sizeof table, "%s", path_of("alone.csv"));
            defs[i].path = path_of("alone.mcap");
            defs[i].csv = i % 2 ? table : NULL;
            record(number, &defs[i], &again);
            same_bytes(paths[i], defs[i].path);
            if (i % 2)
                same_bytes(tables[i], table);
            assert_int_equal(logged(paths[i]), i == 2 ? errors : infos);
        }
        entries += infos;
    }
    assert_true(entries > 10); // otherwise nothing was said
}

// Outputs that are evaluated by the threads that pack them are the same as those that the
// simulation evaluates.
static void outputs_elsewhere(void **state)
{
    (void)state;
    enum { MODELS = 60 };
    int away = 0;
    models_home = true;
    for (uint64_t number = 7000, made = 0; made < MODELS; number++) {
        uint64_t hash;
        if (!acceptable(number, &hash))
            continue;
        made++;
        tac_recorder_def def = tac_recorder_def_default();
        const char *a = path_of("a.mcap"), *b = path_of("b.mcap");
        def.log_us = 300;
        def.flush_us = 2000;
        uint64_t again = 0;
        def.path = a;
        models_shared = true;
        models_away = 0;
        record(number, &def, &again);
        assert_true(again == hash);
        away += models_away;
        def.path = b;
        models_shared = false;
        models_away = 0;
        record(number, &def, &again);
        assert_int_equal(models_away, 0);
        same_bytes(a, b);
    }
    assert_true(away > 100);
}

// --- the table that grows -----------------------------------------------------------------------

static void csv_row(tac_recording *r, size_t column, tac_time t_us, double value)
{
    // Columns are signals in order of the schema, element by element, as are those of a recording
    // in which each component has one channel.
    for (size_t i = 0; i < tac_recording_signal_count(r); i++) {
        const tac_recorded *s = tac_recording_signal(r, i);
        if (column >= s->type.count) {
            column -= s->type.count;
            continue;
        }
        tac_series series;
        assert_int_equal(tac_recording_series(r, i, t_us, t_us, &series, NULL), TAC_OK);
        if (series.samples) {
            assert_int_equal(series.samples, 1);
            const double x = series.values[column];
            char text[40];
            snprintf(text, sizeof text, s->type.scalar == TAC_F64 ? "%.9g" : "%.0f", x);
            if (strtod(text, NULL) != value)
                fail_msg("'%s' at %llu us: %.17g, in the table %.17g", s->name,
                         (unsigned long long)t_us, x, value);
        }
        tac_series_fini(&series);
        return;
    }
    fail_msg("too many columns");
}

static void live_table(void **state)
{
    (void)state;
    uint64_t number = 6100, hash;
    while (!acceptable(number, &hash))
        number++;
    tac_recorder_def def = tac_recorder_def_default();
    const char *path = path_of("a.mcap"), *csv = path_of("a.csv");
    def.path = path;
    def.csv = csv;
    def.log_us = 2000;
    uint64_t again = 0;
    record(number, &def, &again);
    assert_true(again == hash);
    tac_recording *r;
    assert_int_equal(tac_recording_open(path, &r, NULL), TAC_OK);
    FILE *file = fopen(csv, "r");
    assert_non_null(file);
    static char line[1 << 16];
    assert_non_null(fgets(line, sizeof line, file));
    size_t columns = 0;
    for (const char *c = line; *c; c++)
        columns += *c == ',';
    size_t elements = 0;
    for (size_t i = 0; i < tac_recording_signal_count(r); i++)
        elements += tac_recording_signal(r, i)->type.count;
    assert_int_equal(columns, elements);
    assert_int_equal(strncmp(line, "t [s],", 6), 0);
    tac_time t_us = 0;
    for (; fgets(line, sizeof line, file); t_us += 2000) {
        char *at;
        if (t_us > r->info.end_us) // the last one, where it is off the axis
            t_us = r->info.end_us;
        assert_true(line[strlen(line) - 1] == '\n');
        assert_true((tac_time)(strtod(line, &at) * 1e6 + 0.5) == t_us);
        for (size_t column = 0; column < columns; column++) {
            assert_int_equal(*at, ',');
            csv_row(r, column, t_us, strtod(at + 1, &at));
        }
        assert_string_equal(at, "\n");
    }
    assert_int_equal(t_us, r->info.end_us + 2000);
    fclose(file);
    tac_recording_close(r);
}

// --- what goes wrong ----------------------------------------------------------------------------

static void full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK)) {
        skip();
        return;
    }
    uint64_t number = 6000, hash;
    while (!acceptable(number, &hash))
        number++;
    for (int csv = 0; csv < 2; csv++) {
        model m;
        tac_recorder *recorder;
        tac_recorder_def def = tac_recorder_def_default();
        *(csv ? &def.csv : &def.path) = "/dev/full";
        def.log_us = 1;
        def.flush_us = 1000;
        must(&m, model_make(&m, number, NULL));
        must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
        must(&m, tac_engine_prepare(m.engine, &m.err));
        tac_status status = tac_recorder_begin(recorder, &m.err);
        if (status == TAC_OK) {
            status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
            assert_true(status == TAC_E_STOPPED || status == TAC_OK);
            assert_true(status == TAC_OK || tac_recorder_failed(recorder));
            status = tac_recorder_end(recorder, NULL, &m.err);
        }
        assert_int_equal(status, TAC_E_FILE);
        assert_non_null(strstr(m.err.text, "No space left"));
        assert_non_null(strstr(m.err.text, "/dev/full"));
        tac_recorder_destroy(recorder);
        model_end(&m);
    }
}

static void wrong_rule(const tac_record_rule *rule, tac_status status, const char *part)
{
    uint64_t number = 6000, hash;
    while (!acceptable(number, &hash))
        number++;
    model m;
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path_of("a.mcap");
    def.rules = rule;
    def.rule_count = 1;
    must(&m, model_make(&m, number, NULL));
    must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
    assert_int_equal(tac_engine_prepare(m.engine, &m.err), status);
    if (!strstr(m.err.text, part))
        fail_msg("'%s' does not say '%s'", m.err.text, part);
    tac_recorder_destroy(recorder);
    model_end(&m);
}

static void wrong_rules(void **state)
{
    (void)state;
    static const char *const nothing[] = {"*.zz"}, *const all[] = {"*"};
    wrong_rule(&(tac_record_rule){.size = sizeof(tac_record_rule),
                                  .patterns = nothing,
                                  .pattern_count = 1,
                                  .never = true},
               TAC_E_NAME, "no signal matches '*.zz'");
    wrong_rule(
        &(tac_record_rule){
            .size = sizeof(tac_record_rule), .patterns = all, .pattern_count = 1, .when = "1 +"},
        TAC_E_SYNTAX, "");
    wrong_rule(&(tac_record_rule){.size = sizeof(tac_record_rule),
                                  .patterns = all,
                                  .pattern_count = 1,
                                  .when = "plant0.q > 1"},
               TAC_E_NAME, "plant0.q");
    // A recorder that does not know how to compress is not made.
    model m;
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    def.compression = "zsdt";
    must(&m, model_make(&m, 0, NULL));
    assert_int_not_equal(tac_recorder_create(&def, m.engine, &recorder, &m.err), TAC_OK);
    assert_null(recorder);
    assert_non_null(strstr(m.err.text, "zstd"));
    model_end(&m);
}

// --- no memory ----------------------------------------------------------------------------------

static tac_status record_with(uint64_t number, test_allocator *counts, uint64_t n)
{
    tac_allocator hook = test_allocator_hook(counts);
    model m;
    tac_recorder *recorder = NULL;
    static const char *const patterns[] = {"*.x", "*.z"};
    char when[64];
    const tac_record_rule rule = TAC_DEF(tac_record_rule, .patterns = patterns, .pattern_count = 2,
                                         .when = when, .before_us = 20000, .after_us = 1000);
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path_of("a.mcap");
    def.csv = path_of("a.csv");
    def.flush_us = 5000;
    def.rules = &rule;
    def.rule_count = 1;
    must(&m, model_make(&m, number, &(model_wish){.allocator = &hook}));
    snprintf(when, sizeof when, "%s.x > 0.1", m.units[0].full);
    counts->fail_at = counts->calls + n;
    tac_status status = tac_recorder_create(&def, m.engine, &recorder, &m.err);
    if (status == TAC_OK)
        status = tac_engine_prepare(m.engine, &m.err);
    if (status == TAC_OK)
        status = tac_recorder_begin(recorder, &m.err);
    if (status == TAC_OK) {
        status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
        assert_true(status == TAC_OK || (status == TAC_E_STOPPED && tac_recorder_failed(recorder)));
        const tac_status ended = tac_recorder_end(recorder, NULL, &m.err);
        assert_true(status == TAC_OK || ended != TAC_OK);
        status = ended;
    }
    tac_recorder_destroy(recorder);
    model_end(&m);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    uint64_t number = 6000, hash;
    while (!acceptable(number, &hash))
        number++;
    uint64_t n = 1;
    for (tac_status status = TAC_E_MEMORY; status != TAC_OK; n++) {
        test_allocator counts = test_allocator_make();
        status = record_with(number, &counts, n);
        test_allocator_check_empty(&counts);
        if (status != TAC_OK && status != TAC_E_MEMORY)
            fail_msg("failing allocation %llu gave %s", (unsigned long long)n,
                     tac_status_name(status));
        if (status == TAC_OK && counts.failed)
            fail_msg("failing allocation %llu went unseen", (unsigned long long)n);
    }
    assert_true(n > 30);
}

// --- a window whose condition is not a number ----------------------------------------------------

static tac_status turn_bad(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = s->t_us < 3000 ? 1 : (double)NAN;
    return TAC_OK;
}

static void not_a_number(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "code", .group = "g", .out = {"y"}, .step = turn_bad});
    static const char *const patterns[] = {"code.y"};
    const tac_record_rule rule =
        TAC_DEF(tac_record_rule, .patterns = patterns, .pattern_count = 1, .when = "code.y > 5");
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path_of("a.mcap");
    def.rules = &rule;
    def.rule_count = 1;
    tac_recorder *recorder;
    assert_int_equal(tac_recorder_create(&def, b.engine, &recorder, &b.err), TAC_OK);
    bench_prepare(&b);
    assert_int_equal(tac_recorder_begin(recorder, &b.err), TAC_OK);
    assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_STOPPED);
    assert_true(tac_recorder_failed(recorder));
    assert_int_equal(tac_engine_time(b.engine), 3000);
    assert_int_equal(tac_recorder_end(recorder, NULL, &b.err), TAC_E_NUMERIC);
    assert_non_null(strstr(b.err.text, "'code.y' is not a number"));
    tac_recorder_destroy(recorder);
    bench_end(&b);
}

// A file that the configuration names and that cannot be read any more is not left out silently.
static void file_gone(void **state)
{
    (void)state;
    uint64_t number = 6000, hash;
    while (!acceptable(number, &hash))
        number++;
    model m;
    tac_recorder *recorder;
    must(&m, model_make(&m, number, NULL));
    const tac_record_file file = {"files/1/square.waypoints", "/nowhere/square.waypoints"};
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path_of("a.mcap");
    def.replace = true;
    def.files = &file;
    def.file_count = 1;
    must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    assert_int_equal(tac_recorder_begin(recorder, &m.err), TAC_E_FILE);
    assert_non_null(strstr(m.err.text, "/nowhere/square.waypoints"));
    assert_non_null(strstr(m.err.context, "into the recording"));
    tac_recorder_destroy(recorder);
    model_end(&m);
}

TEST_MAIN(cmocka_unit_test(values), cmocka_unit_test(same_file), cmocka_unit_test(side_by_side),
          cmocka_unit_test(outputs_elsewhere), cmocka_unit_test(live_table),
          cmocka_unit_test(full_disk), cmocka_unit_test(wrong_rules), cmocka_unit_test(no_memory),
          cmocka_unit_test(not_a_number), cmocka_unit_test(file_gone))
