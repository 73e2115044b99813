// replay.c - the plant driven from a recording; see drive.h for what that means to the engine.
//
// Each trace is read as its channel was filled: an exact one must have a sample at every step of
// its component and none elsewhere, one that holds or was sampled gives its last value. No plant
// state is read but the one at the start; digests of states are only compared.
#include "base/file.h"
#include "base/json_read.h"
#include "bus/type.h"
#include "engine/drive.h"
#include "record/cdr.h"
#include "record/recording.h"
#include "record/select.h"

#include <string.h>

typedef struct put { // from a message onto the bus
    size_t output;
    size_t at, bytes;
    bool normal; // a bool, to be made 0 or 1
} put;

typedef struct trace {
    tac__reel reel;
    tac__frame frame; // the next one
    bool more, begun;
    put *puts;
    size_t put_count;
} trace;

// What plays one component.
typedef struct player {
    tac_replay *replay;
    trace *traces;
    size_t count, capacity;
    bool *outputs;
} player;

// What compares the states of one island.
typedef struct witness {
    tac_replay *replay;
    const tac__island *island;
    const char *name;
    tac__tap tap;
    tac__reel reel;
    bool begun, more;
    const unsigned char *t_us, *digest; // of the present message
    size_t count, at;
} witness;

typedef struct inbox { // messages to a receiver of the plant
    tac__reel reel;
    tac__frame frame;
    bool begun, more;
} inbox;

struct tac_replay {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_recording *recording;
    tac_engine *engine;
    tac_replay_def def;
    tac__driver driver;
    tac__player *players; // one a component
    player *own;
    inbox *inboxes; // one a receiver
    size_t component_count, inbox_count;
    witness *witnesses;
    size_t witness_count;
    tac_replay_result result;
    tac__text differences;
    tac__ahead *ahead;   // NULL: none
    const char *missing; // a signal that drives the plant and was not recorded; NULL: none
    tac_error err;       // of a witness
};

tac_replay_def tac_replay_def_default(void)
{
    return (tac_replay_def){0};
}

// --- traces -------------------------------------------------------------------------------------

static tac_status advance(trace *t, tac_error *err)
{
    TAC_TRY(tac__reel_next(&t->reel, &t->frame, &t->more, err));
    if (t->more && t->frame.size != t->reel.track->layout.message_size)
        return tac__fail(err, TAC_E_FORMAT, "a message of channel '%s' has a wrong size",
                         t->reel.track->topic);
    return TAC_OK;
}

static void put_values(const trace *t, tac_step *s)
{
    for (size_t i = 0; i < t->put_count; i++) {
        const put *p = &t->puts[i];
        unsigned char *to = s->out[p->output];
        const unsigned char *from = t->frame.bytes + p->at;
        if (p->bytes == 24) // a vector, as wind is: not worth a call
            memcpy(to, from, 24);
        else
            memcpy(to, from, p->bytes);
        for (size_t k = 0; p->normal && k < p->bytes; k++)
            to[k] = to[k] != 0;
    }
}

static tac_status play_trace(trace *t, tac_step *s, tac_error *err)
{
    if (!t->begun) {
        t->begun = true;
        TAC_TRY(advance(t, err));
    }
    if (t->reel.track->info.trace == TAC_TRACE_EXACT) {
        if (!t->more || t->frame.t_us != s->t_us)
            return tac_fail(s, "the recording has no sample of '%s' at this time",
                            t->reel.track->topic);
        put_values(t, s);
        return advance(t, err);
    }
    while (t->more && t->frame.t_us <= s->t_us) {
        put_values(t, s);
        TAC_TRY(advance(t, err));
    }
    return TAC_OK;
}

static tac_status play(tac_step *s, const void *self)
{
    const player *p = self;
    for (size_t i = 0; i < p->count; i++)
        TAC_TRY(play_trace(&p->traces[i], s, p->replay->engine->err));
    return TAC_OK;
}

// --- messages -----------------------------------------------------------------------------------

static tac_status send_message(tac_replay *r, size_t receiver, const tac__frame *frame)
{
    tac__cdr c = tac__cdr_open(frame->bytes, frame->size);
    tac_message m = {.delivered_us = frame->t_us};
    m.sent_us = tac__cdr_read_u64(&c);
    m.sequence = tac__cdr_read_u64(&c);
    m.sender = tac__cdr_read_u32(&c);
    m.bytes = tac__cdr_read_bytes(&c, &m.size);
    if (c.failed)
        return tac__fail(r->engine->err, TAC_E_FORMAT, "a recorded message is damaged");
    return tac__drive_message(r->engine, receiver, &m);
}

// All of the next time of delivery; `t_us` is NEVER at the start.
static tac_status send_messages(void *context, tac_engine *e, size_t receiver, tac_time t_us)
{
    tac_replay *r = context;
    inbox *in = &r->inboxes[receiver];
    if (!in->reel.track)
        return TAC_OK;
    if (!in->begun) {
        const tac__track *track = in->reel.track;
        in->begun = true;
        tac__reel_init(&in->reel, r->recording, track, t_us == TAC_TIME_NEVER ? 0 : t_us + 1,
                       TAC_TIME_NEVER);
        TAC_TRY(tac__reel_next(&in->reel, &in->frame, &in->more, e->err));
    }
    for (const tac_time next_us = in->frame.t_us; in->more && in->frame.t_us == next_us;) {
        TAC_TRY(send_message(r, receiver, &in->frame));
        TAC_TRY(tac__reel_next(&in->reel, &in->frame, &in->more, e->err));
    }
    return TAC_OK;
}

// --- comparing states ---------------------------------------------------------------------------

static tac_status next_digests(witness *w)
{
    tac__frame frame;
    w->at = w->count = 0;
    TAC_TRY(tac__reel_next(&w->reel, &frame, &w->more, &w->replay->err));
    if (!w->more)
        return TAC_OK;
    tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
    size_t digests;
    w->t_us = tac__cdr_read_u64s(&c, &w->count);
    w->digest = tac__cdr_read_u64s(&c, &digests);
    if (c.failed || digests != w->count)
        return tac__fail(&w->replay->err, TAC_E_FORMAT, "the digests in channel '%s' are damaged",
                         w->reel.track->topic);
    return TAC_OK;
}

static bool expected(witness *w, uint64_t *t_us, uint64_t *digest)
{
    while (w->at == w->count) {
        if (!w->more || next_digests(w) != TAC_OK)
            return false;
    }
    memcpy(t_us, w->t_us + w->at * 8, 8);
    memcpy(digest, w->digest + w->at * 8, 8);
    return true;
}

static void testify(void *context, tac_engine *e, tac_time t_us)
{
    witness *w = context;
    tac_replay_result *result = &w->replay->result;
    uint64_t then_us = 0, digest = 0;
    bool found = expected(w, &then_us, &digest);
    while (found && !w->begun && then_us < t_us) { // replay begins later than the recording
        w->at++;
        found = expected(w, &then_us, &digest);
    }
    w->begun = true;
    result->boundaries++;
    if (found && then_us == t_us && digest == w->island->state->digest) {
        w->at++;
        return;
    }
    if (w->replay->err.status != TAC_OK)
        tac_engine_stop(e);
    if (result->hash_match) {
        result->hash_match = false;
        result->mismatch_us = t_us;
        result->mismatch = w->name;
    }
    if (found && then_us <= t_us)
        w->at++;
}

// --- planning: while the engine is prepared -----------------------------------------------------

static tac_status add_trace(tac_replay *r, player *p, const tac_instance *c,
                            const tac__track *track, tac_error *err)
{
    if (!TAC__ARENA_GROW(&r->arena, p->traces, p->count, p->capacity))
        return tac__fail_memory(err);
    trace *t = &p->traces[p->count++];
    *t = (trace){0};
    t->puts = tac__arena_array(&r->arena, track->layout.count, sizeof *t->puts);
    if (!t->puts)
        return tac__fail_memory(err);
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac__signal *s = &r->engine->schema.signals[c->signals[k]];
        for (size_t i = 0; i < track->layout.count; i++) {
            const tac__field *f = &track->layout.fields[i];
            if (strcmp(f->signal.name, s->name) || !tac__type_same(&f->signal.type, &s->type))
                continue;
            t->puts[t->put_count++] = (put){k, f->at, f->bytes, f->signal.type.scalar == TAC_BOOL};
            p->outputs[k] = true;
        }
    }
    tac__reel_init(&t->reel, r->recording, track, 0, TAC_TIME_NEVER);
    tac__reel_ahead(&t->reel, r->ahead);
    return TAC_OK;
}

// That one is missing is said once it is known how the models differ.
static void check_driven(tac_replay *r, const tac_instance *c, const player *p,
                         const bool *crossing)
{
    for (size_t k = 0; c->type->step && !r->missing && k < c->outputs.count; k++) {
        const int signal = c->signals[k];
        if (crossing[signal] && !p->outputs[k])
            r->missing = r->engine->schema.signals[signal].name;
    }
}

static tac_status plan_player(tac_replay *r, const tac_instance *c, const bool *crossing,
                              tac_error *err)
{
    player *p = &r->own[c->index];
    p->replay = r;
    p->outputs = tac__arena_array(&r->arena, c->outputs.count, sizeof *p->outputs);
    if (!p->outputs)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->recording->channel_count; i++) {
        const tac__track *track = &r->recording->tracks[i];
        if (track->info.replay && !strcmp(track->subject, c->name))
            TAC_TRY(add_trace(r, p, c, track, err));
    }
    check_driven(r, c, p, crossing);
    if (p->count)
        r->players[c->index] = (tac__player){play, p, p->outputs};
    return TAC_OK;
}

static tac_status plan_witnesses(tac_replay *r, tac_error *err)
{
    const tac_engine *e = r->engine;
    r->witnesses = tac__arena_array(&r->arena, e->island_count, sizeof *r->witnesses);
    if (!r->witnesses)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->recording->track_count; i++) {
        const tac__track *track = &r->recording->tracks[i];
        const tac_instance *c =
            track->kind == TAC__CHANNEL_DIGEST ? tac__find_component(e, track->subject) : NULL;
        if (!c || c->island < 0 || !e->def.digests || r->witness_count == e->island_count)
            continue;
        witness *w = &r->witnesses[r->witness_count++];
        *w =
            (witness){.replay = r, .island = &e->islands[c->island], .name = c->name, .more = true};
        tac__reel_init(&w->reel, r->recording, track, 0, TAC_TIME_NEVER);
        tac__reel_ahead(&w->reel, r->ahead);
        w->tap = (tac__tap){.show = testify, .context = w};
        tac__engine_tap(r->engine, c->index, true, &w->tap);
    }
    size_t islands = 0;
    for (size_t i = 0; i < e->island_count; i++)
        islands += e->islands[i].x_count > 0;
    r->result.compared = islands > 0 && r->witness_count == islands;
    return TAC_OK;
}

static tac_status plan_inboxes(tac_replay *r, tac_error *err)
{
    const tac_engine *e = r->engine;
    r->inboxes = tac__arena_array(&r->arena, e->receiver_count, sizeof *r->inboxes);
    if (!r->inboxes)
        return tac__fail_memory(err);
    r->inbox_count = e->receiver_count;
    for (size_t i = 0; i < r->recording->track_count; i++) {
        const tac__track *track = &r->recording->tracks[i];
        for (size_t k = 0; track->kind == TAC__CHANNEL_DELIVERY && k < e->receiver_count; k++) {
            if (!strcmp(track->subject, e->receivers[k].name))
                r->inboxes[k].reel.track = track;
        }
    }
    return TAC_OK;
}

static tac_status plan(void *context, tac_engine *e, tac_error *err)
{
    tac_replay *r = context;
    const bool *crossing = tac__crossing(e, &r->arena);
    if (!crossing)
        return tac__fail_memory(err);
    for (size_t i = 0; i < e->component_count; i++) {
        if (!tac__is_continuous(e->components[i]->type))
            TAC_TRY(plan_player(r, e->components[i], crossing, err));
    }
    TAC_TRY(plan_inboxes(r, err));
    return plan_witnesses(r, err);
}

// --- instants -----------------------------------------------------------------------------------

static const tac__track *find_track(const tac_recording *recording, tac__channel_kind kind)
{
    for (size_t i = 0; i < recording->track_count; i++) {
        if (recording->tracks[i].kind == kind)
            return &recording->tracks[i];
    }
    return NULL;
}

// The source of a name that ends with its line; NULL: it is not there any more.
static tac__instants *named(tac__instants *instants, size_t count, const char *name)
{
    const size_t length = strcspn(name, "\n");
    for (size_t i = 0; i < count; i++) {
        if (strlen(instants[i].name) == length && !strncmp(instants[i].name, name, length))
            return &instants[i];
    }
    return NULL;
}

// What the recording's numbers stand for: a line of its names each.
typedef struct numbered {
    tac__instants **items;
    size_t count;
} numbered;

static tac_status list_numbered(tac_replay *r, const tac__track *track, numbered *list)
{
    size_t count;
    tac__instants *instants = tac__engine_instants(r->engine, &count);
    const char *names = tac__track_metadata(track, "names");
    size_t lines = 0;
    for (const char *at = names; *at; at++)
        lines += *at == '\n';
    *list = (numbered){tac__arena_array(&r->arena, lines, sizeof *list->items), lines};
    if (!list->items)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < lines; i++, names = strchr(names, '\n') + 1)
        list->items[i] = named(instants, count, names);
    return TAC_OK;
}

// Two passes: count, then keep the times.
static tac_status read_instants(const tac_replay *r, const tac__track *track, const numbered *list,
                                bool keep, tac_error *err)
{
    tac__reel reel;
    tac__reel_init(&reel, r->recording, track, 0, TAC_TIME_NEVER);
    tac_status status;
    for (;;) {
        tac__frame frame;
        bool more;
        status = tac__reel_next(&reel, &frame, &more, err);
        if (status != TAC_OK || !more)
            break;
        tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
        const uint32_t source = tac__cdr_read_u32(&c);
        if (c.failed || source >= list->count) {
            status =
                tac__fail(err, TAC_E_FORMAT, "an instant in channel '%s' is damaged", track->topic);
            break;
        }
        tac__instants *in = list->items[source];
        if (!in)
            continue;
        if (keep)
            ((tac_time *)in->times)[in->count] = frame.t_us;
        in->count++;
    }
    tac__reel_fini(&reel);
    return status;
}

static tac_status load_instants(tac_replay *r, tac_error *err)
{
    const tac__track *track = find_track(r->recording, TAC__CHANNEL_INSTANTS);
    size_t count;
    tac__instants *instants = tac__engine_instants(r->engine, &count);
    if (!track || count == 0)
        return TAC_OK;
    numbered list;
    if (list_numbered(r, track, &list) != TAC_OK)
        return tac__fail_memory(err);
    TAC_TRY(read_instants(r, track, &list, false, err));
    for (size_t i = 0; i < count; i++) {
        instants[i].times = tac__arena_array(&r->arena, instants[i].count, sizeof(tac_time));
        if (!instants[i].times)
            return tac__fail_memory(err);
        instants[i].count = 0;
    }
    return read_instants(r, track, &list, true, err);
}

// --- the model ----------------------------------------------------------------------------------

// The line about the integrator may differ by the user's wish.
static bool only_integrator(const char *differences)
{
    for (const char *at = differences; *at;) {
        const size_t n = strcspn(at, "\n");
        if (strncmp(at, "there: integrator ", 18) && strncmp(at, "here: integrator ", 17))
            return false;
        at += n + (at[n] == '\n');
    }
    return true;
}

static tac_status compare_models(tac_replay *r, tac_error *err)
{
    tac__text model, schema;
    tac__text_init(&model, r->allocator);
    tac__text_init(&schema, r->allocator);
    tac__model_text(r->engine, &model);
    tac__schema_json(&r->engine->schema, &schema);
    tac__text *out = &r->differences;
    if (!model.failed && !schema.failed) {
        tac__model_differences(r->recording->info.model, model.chars, out);
        tac__model_differences(r->recording->info.schema, schema.chars, out);
    }
    const bool failed = model.failed || schema.failed || out->failed;
    tac__text_fini(&model);
    tac__text_fini(&schema);
    if (failed)
        return tac__fail_memory(err);
    r->result.differences = out->chars ? out->chars : "";
    r->result.other_integrator = strstr(r->result.differences, ": integrator ") != NULL;
    r->result.other_model = !only_integrator(r->result.differences);
    if (r->def.force_model || !r->result.other_model)
        return TAC_OK;
    return tac__fail(err, TAC_E_MISMATCH,
                     "'%s' was made by another model; --force-model goes on nevertheless. What "
                     "differs:\n%s",
                     r->recording->info.path, r->result.differences);
}

// --- the initial state --------------------------------------------------------------------------

// The last stored state at or before the wished time: only the last chunk that begins by then is
// read. `bytes` are the caller's.
static tac_status find_state(tac_replay *r, tac__text *bytes, tac_error *err)
{
    const tac__track *track = find_track(r->recording, TAC__CHANNEL_STATE);
    if (!track)
        return TAC_OK;
    const tac_time start_us = r->recording->info.start_us;
    const tac_time wish_us = r->def.from_us > start_us ? r->def.from_us : start_us;
    const tac__mcap_chunk_info *chunks = tac__mcap_about(r->recording->reader)->chunks;
    tac_time from_us = 0;
    for (size_t i = 0; i < track->chunk_count; i++) {
        const tac_time begins_us = chunks[track->chunks[i]].first_ns / 1000;
        if (begins_us <= wish_us && begins_us > from_us)
            from_us = begins_us;
    }
    tac__reel reel;
    tac__reel_init(&reel, r->recording, track, from_us, wish_us);
    tac_status status;
    for (;;) {
        tac__frame frame;
        bool more;
        status = tac__reel_next(&reel, &frame, &more, err);
        if (status != TAC_OK || !more)
            break;
        tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
        size_t size;
        const unsigned char *data = tac__cdr_read_bytes(&c, &size);
        if (!data) {
            status = tac__fail(err, TAC_E_FORMAT, "a stored state is damaged");
            break;
        }
        bytes->length = 0;
        tac__text_bytes(bytes, (const char *)data, size);
    }
    tac__reel_fini(&reel);
    return status == TAC_OK && bytes->failed ? tac__fail_memory(err) : status;
}

static void put_number(tac_scalar scalar, void *value, size_t i, double x)
{
    const double whole = x > -9e18 && x < 9e18 ? x : 0;
    switch (scalar) {
    case TAC_F64:
        ((double *)value)[i] = x;
        break;
    case TAC_I64:
        ((int64_t *)value)[i] = (int64_t)whole;
        break;
    case TAC_BOOL:
        ((bool *)value)[i] = x != 0;
        break;
    case TAC_I32:
    case TAC_ENUM:
        ((int32_t *)value)[i] = (int32_t)(int64_t)whole;
        break;
    }
}

// Another model: values by name, as far as they are there. Whoever looks back sees them too.
static void lay_over(tac_engine *e, const tac_node *values)
{
    for (size_t i = 0; i < e->schema.count; i++) {
        const tac__signal *s = &e->schema.signals[i];
        const tac_node *list = tac_node_get(values, s->name);
        if (tac_node_count(list) != s->type.count)
            continue;
        void *to = tac__block_at(&e->block, s->offset);
        for (uint32_t k = 0; k < s->type.count; k++) {
            const char *text = tac_node_text(tac_node_item(list, k)), *end;
            if (text)
                put_number(s->type.scalar, to, k, tac__number_parse(text, &end));
        }
        if (e->histories[i].depth)
            tac__history_start(&e->histories[i], to);
    }
}

static tac_status start_by_name(tac_replay *r, tac_error *err)
{
    char *bytes;
    size_t size;
    TAC_TRY(tac__recording_attachment(r->recording, "initial.json", &bytes, &size, err));
    if (!bytes)
        return tac__fail(err, TAC_E_FORMAT, "the recording has no initial state");
    tac_document *doc = tac_document_create(r->allocator);
    tac_node *root;
    const tac_status status =
        doc ? tac__json_read(doc, "initial.json", bytes, size, &root, err) : tac__fail_memory(err);
    if (status == TAC_OK)
        lay_over(r->engine, root);
    tac_document_destroy(doc);
    tac__file_free(r->allocator, bytes, size);
    if (status == TAC_OK && r->recording->info.start_us > 0)
        return tac__fail(err, TAC_E_MISMATCH,
                         "the recording begins with a checkpoint, which another model cannot read");
    r->engine->err = err;
    const tac_status begun = status == TAC_OK ? tac__drive_begin(r->engine, false, 0) : status;
    r->engine->err = NULL;
    return begun;
}

static tac_status set_state(tac_replay *r, tac_error *err)
{
    tac__text bytes;
    tac__text_init(&bytes, r->allocator);
    tac_status status = find_state(r, &bytes, err);
    if (status == TAC_OK && bytes.length &&
        tac__snapshot_fits(r->engine, bytes.chars, bytes.length))
        status = tac__snapshot_restore(r->engine, bytes.chars, bytes.length,
                                       r->result.other_integrator, err);
    else if (status == TAC_OK)
        status = start_by_name(r, err);
    tac__text_fini(&bytes);
    const tac__clock *clock = r->engine->clock;
    r->result.start_us = clock->t_us;
    // A state that was stored at an instant has what was written there.
    for (size_t i = 0; i < r->engine->component_count; i++) {
        for (size_t k = 0; k < r->own[i].count; k++)
            r->own[i].traces[k].reel.from_us = clock->started ? clock->t_us + 1 : 0;
    }
    return status;
}

// --- from outside -------------------------------------------------------------------------------

tac_status tac_replay_create(tac_recording *recording, tac_engine *engine,
                             const tac_replay_def *def, tac_replay **replay, tac_error *err)
{
    TAC_REQUIRE(recording && engine && def && replay && engine->phase == TAC__BUILDING);
    *replay = NULL;
    const tac_allocator *a = engine->allocator;
    tac_replay *r = a->resize(a->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac_replay){.allocator = a, .recording = recording, .engine = engine, .def = *def};
    tac__arena_init(&r->arena, a);
    tac__text_init(&r->differences, a);
    r->result = (tac_replay_result){
        .hash_match = true, .mismatch_us = TAC_TIME_NEVER, .mismatch = "", .differences = ""};
    r->players = tac__arena_array(&r->arena, engine->component_count, sizeof *r->players);
    r->own = tac__arena_array(&r->arena, engine->component_count, sizeof *r->own);
    r->component_count = engine->component_count;
    if (!r->players || !r->own || tac__ahead_create(recording->reader, a, &r->ahead) != TAC_OK) {
        tac_replay_destroy(r);
        return tac__fail_memory(err);
    }
    r->driver = (tac__driver){.context = r, .players = r->players, .messages = send_messages};
    tac__engine_drive(engine, &r->driver);
    tac__engine_when_resolved(engine, plan, r);
    *replay = r;
    return TAC_OK;
}

tac_status tac_replay_begin(tac_replay *r, tac_error *err)
{
    TAC_REQUIRE(r && r->engine->phase == TAC__PREPARED);
    const tac_recording_info *info = &r->recording->info;
    if (!*info->model || !*info->schema)
        return tac__fail(err, TAC_E_FORMAT,
                         "'%s' does not say of which model it is: it was cut off at its very "
                         "beginning, or is no recording of this program",
                         info->path);
    TAC_TRY(compare_models(r, err));
    if (r->missing)
        return tac__fail(err, TAC_E_MISMATCH,
                         "'%s' drives the plant, but the recording does not have it", r->missing);
    TAC_TRY(load_instants(r, err));
    return set_state(r, err);
}

// A boundary that the recording has up to here, and the replay did not.
static void find_missing(tac_replay *r)
{
    for (size_t i = 0; i < r->witness_count; i++) {
        witness *w = &r->witnesses[i];
        uint64_t t_us, digest;
        if (!w->begun || !expected(w, &t_us, &digest) || t_us > r->engine->clock->t_us ||
            t_us >= r->result.mismatch_us)
            continue;
        r->result.hash_match = false;
        r->result.mismatch_us = t_us;
        r->result.mismatch = w->name;
    }
}

tac_status tac_replay_end(tac_replay *r, tac_error *err)
{
    TAC_REQUIRE(r);
    find_missing(r);
    if (r->err.status != TAC_OK && err)
        *err = r->err;
    return r->err.status;
}

tac_replay_result tac_replay_about(const tac_replay *r)
{
    tac_replay_result result = r->result;
    result.hash_match &= result.compared && result.boundaries > 0;
    return result;
}

void tac_replay_destroy(tac_replay *r)
{
    if (!r)
        return;
    // The engine may be gone by now.
    for (size_t i = 0; r->own && i < r->component_count; i++) {
        for (size_t k = 0; k < r->own[i].count; k++)
            tac__reel_fini(&r->own[i].traces[k].reel);
    }
    for (size_t i = 0; i < r->inbox_count; i++)
        tac__reel_fini(&r->inboxes[i].reel);
    for (size_t i = 0; i < r->witness_count; i++)
        tac__reel_fini(&r->witnesses[i].reel);
    tac__ahead_destroy(r->ahead);
    tac__text_fini(&r->differences);
    tac__arena_fini(&r->arena);
    r->allocator->resize(r->allocator->context, r, sizeof *r, 0);
}
