// replay.c - the plant driven from a recording; see drive.h for what that means to the engine.
//
// Each trace is read as its channel was filled: an exact one must have a sample at every step of
// its component and none elsewhere, one that holds or was sampled gives its last value. No plant
// state is read but the one at the start; digests of states are only compared.
#include "record/replay.h"
#include "base/def.h"
#include "base/floats.h"
#include "bus/type.h"
#include "record/cdr.h"
#include "record/select.h"

#include <string.h>

// --- traces -------------------------------------------------------------------------------------

static tac_status advance(tac__replay_trace *t, tac_error *err)
{
    TAC_TRY(tac__track_reader_next(&t->reader, &t->frame, &t->more, err));
    if (t->more && t->frame.size != t->reader.track->layout.message_size)
        return tac__fail(err, TAC_E_FORMAT, "a message of channel '%s' has a wrong size",
                         t->reader.track->topic);
    return TAC_OK;
}

// Whatever the recording says, nobody gets a label that does not exist.
static tac_status check_labels(const tac__replay_trace *t, const tac__put *p, tac_step *s)
{
    const int32_t *labels = s->out[p->output];
    for (size_t k = 0; k < p->bytes / sizeof *labels; k++) {
        if (labels[k] < 0 || (size_t)labels[k] >= p->labels)
            return tac_fail_as(s, TAC_E_FORMAT,
                               "a message of channel '%s' is damaged: label %d of %zu",
                               t->reader.track->topic, labels[k], p->labels);
    }
    return TAC_OK;
}

static tac_status put_values(const tac__replay_trace *t, tac_step *s)
{
    for (size_t i = 0; i < t->put_count; i++) {
        const tac__put *p = &t->puts[i];
        unsigned char *to = s->out[p->output];
        const unsigned char *from = t->frame.bytes + p->at;
        if (p->bytes == 24) // a vector: not worth a call
            memcpy(to, from, 24);
        else
            memcpy(to, from, p->bytes);
        for (size_t k = 0; p->normal && k < p->bytes; k++)
            to[k] = to[k] != 0;
        if (p->labels)
            TAC_TRY(check_labels(t, p, s));
    }
    return TAC_OK;
}

static tac_status begin_trace(tac__replay_trace *t, tac_error *err)
{
    if (t->begun)
        return TAC_OK;
    TAC_TRY(advance(t, err));
    t->begun = true;
    return TAC_OK;
}

static tac_status play_trace(tac__replay_trace *t, tac_step *s, tac_error *err)
{
    TAC_TRY(begin_trace(t, err));
    if (t->reader.track->info.trace == TAC_TRACE_EXACT) {
        if (!t->more || t->frame.t_us != s->t_us)
            return tac_fail(s, "the recording has no sample of '%s' at this time",
                            t->reader.track->topic);
        TAC_TRY(put_values(t, s));
        return advance(t, err);
    }
    while (t->more && t->frame.t_us <= s->t_us) {
        TAC_TRY(put_values(t, s));
        TAC_TRY(advance(t, err));
    }
    return TAC_OK;
}

static tac_status play(tac_step *s, const void *self)
{
    const tac__replay_player *p = self;
    for (size_t i = 0; i < p->count; i++)
        TAC_TRY(play_trace(&p->traces[i], s, tac__drive_error(p->replay->engine)));
    return TAC_OK;
}

// Traces that cannot be read are left for the next step to find.
static void skip(const void *self, tac_time t_us)
{
    const tac__replay_player *p = self;
    for (size_t i = 0; i < p->count; i++) {
        tac__replay_trace *t = &p->traces[i];
        tac_error ignored;
        tac_status status = begin_trace(t, &ignored);
        while (status == TAC_OK && t->more && t->frame.t_us <= t_us)
            status = advance(t, &ignored);
        t->begun = status == TAC_OK;
    }
}

static bool has(const void *self, tac_time t_us)
{
    const tac__replay_player *p = self;
    bool any = false;
    for (size_t i = 0; i < p->count; i++) {
        tac__replay_trace *t = &p->traces[i];
        tac_error ignored;
        any |= begin_trace(t, &ignored) != TAC_OK || (t->more && t->frame.t_us <= t_us);
    }
    return any;
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
    if (!c.failed && c.at < c.size) // older recordings have no copies
        m.copy = tac__cdr_read_u32(&c);
    if (c.failed)
        return tac__fail(tac__drive_error(r->engine), TAC_E_FORMAT,
                         "a recorded message is damaged");
    return tac__drive_message(r->engine, receiver, &m);
}

// All of the next time of delivery; `t_us` is NEVER at the start.
static tac_status send_messages(void *context, tac_engine *e, size_t receiver, tac_time t_us)
{
    tac_replay *r = context;
    tac__replay_inbox *in = &r->inboxes[receiver];
    if (!in->reader.track)
        return TAC_OK;
    if (!in->begun) {
        const tac__track *track = in->reader.track;
        in->begun = true;
        tac__track_reader_init(&in->reader, r->recording, track,
                               t_us == TAC_TIME_NEVER ? 0 : t_us + 1, TAC_TIME_NEVER);
        TAC_TRY(tac__track_reader_next(&in->reader, &in->frame, &in->more, tac__drive_error(e)));
    }
    for (const tac_time next_us = in->frame.t_us; in->more && in->frame.t_us == next_us;) {
        TAC_TRY(send_message(r, receiver, &in->frame));
        TAC_TRY(tac__track_reader_next(&in->reader, &in->frame, &in->more, tac__drive_error(e)));
    }
    return TAC_OK;
}

// --- comparing states ---------------------------------------------------------------------------

static tac_status next_digests(tac__replay_check *w)
{
    tac__frame frame;
    w->at = w->count = 0;
    bool more;
    w->more = false; // what is damaged is not asked again
    TAC_TRY(tac__track_reader_next(&w->reader, &frame, &more, &w->replay->err));
    if (!more)
        return TAC_OK;
    tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
    size_t times, digests;
    w->t_us = tac__cdr_read_u64s(&c, &times);
    w->digest = tac__cdr_read_u64s(&c, &digests);
    if (c.failed || digests != times)
        return tac__fail(&w->replay->err, TAC_E_FORMAT, "the digests in channel '%s' are damaged",
                         w->reader.track->topic);
    w->count = times;
    w->more = true;
    return TAC_OK;
}

static bool expected(tac__replay_check *w, uint64_t *t_us, uint64_t *digest)
{
    while (w->at == w->count) {
        if (!w->more || next_digests(w) != TAC_OK)
            return false;
    }
    memcpy(t_us, w->t_us + w->at * 8, 8);
    memcpy(digest, w->digest + w->at * 8, 8);
    return true;
}

static void compare_digest(void *context, tac_engine *e, tac_time t_us)
{
    tac__replay_check *w = context;
    tac_replay_result *result = &w->replay->result;
    uint64_t then_us = 0, digest = 0;
    bool found = expected(w, &then_us, &digest);
    while (found && !w->begun && then_us < t_us) { // replay begins later than the recording
        w->at++;
        found = expected(w, &then_us, &digest);
    }
    w->begun = true;
    result->boundaries++;
    if (found && then_us == t_us && digest == *tac__watch_digest(e, w->island)) {
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

static tac_status add_trace(tac_replay *r, tac__replay_player *p, size_t component,
                            const tac__track *track, tac_error *err)
{
    if (!TAC__ARENA_GROW(&r->arena, p->traces, p->count, p->capacity))
        return tac__fail_memory(err);
    tac__replay_trace *t = &p->traces[p->count++];
    *t = (tac__replay_trace){0};
    t->puts = tac__arena_array(&r->arena, track->layout.count, sizeof *t->puts);
    if (!t->puts)
        return tac__fail_memory(err);
    const tac__schema *schema = tac__watch_schema(r->engine);
    for (size_t k = 0; k < p->output_count; k++) {
        const tac__signal *s = &schema->signals[tac__watch_output(r->engine, component, k)];
        for (size_t i = 0; i < track->layout.count; i++) {
            const tac__field *f = &track->layout.fields[i];
            if (strcmp(f->signal.name, s->name) || !tac__type_same(&f->signal.type, &s->kind->type))
                continue;
            t->puts[t->put_count++] =
                (tac__put){k, f->at, f->bytes, s->kind->type.scalar == TAC_BOOL,
                           tac__type_labels(&s->kind->type)};
            p->outputs[k] = true;
        }
    }
    tac__track_reader_init(&t->reader, r->recording, track, 0, TAC_TIME_NEVER);
    tac__track_reader_read_ahead(&t->reader, r->read_ahead);
    return TAC_OK;
}

// That one is missing is said once it is known how the models differ.
static void check_driven(tac_replay *r, size_t component, const tac__replay_player *p,
                         const bool *crossing)
{
    for (size_t k = 0; !r->missing && k < p->output_count; k++) {
        const int signal = tac__watch_output(r->engine, component, k);
        if (crossing[signal] && !p->outputs[k])
            r->missing = tac__watch_schema(r->engine)->signals[signal].name;
    }
}

static tac_status plan_player(tac_replay *r, size_t component, const tac__component_facts *facts,
                              const bool *crossing, tac_error *err)
{
    tac__replay_player *p = &r->own[component];
    p->replay = r;
    while (tac__watch_output(r->engine, component, p->output_count) >= 0)
        p->output_count++;
    p->outputs = tac__arena_array(&r->arena, p->output_count, sizeof *p->outputs);
    if (!p->outputs)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->recording->channel_count; i++) {
        const tac__track *track = &r->recording->tracks[i];
        if (track->info.replay && !strcmp(track->subject, facts->name))
            TAC_TRY(add_trace(r, p, component, track, err));
    }
    if (facts->type->kernels[TAC_NUMBERS].step)
        check_driven(r, component, p, crossing);
    if (p->count)
        r->players[component] = (tac__player){play, skip, has, p, p->outputs};
    return TAC_OK;
}

static tac_status plan_checks(tac_replay *r, tac_error *err)
{
    tac_engine *e = r->engine;
    const size_t island_count = tac__watch_island_count(e);
    r->checks = tac__arena_array(&r->arena, island_count, sizeof *r->checks);
    if (!r->checks)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->recording->track_count; i++) {
        const tac__track *track = &r->recording->tracks[i];
        const int component =
            track->kind == TAC__CHANNEL_DIGEST ? tac__watch_find(e, track->subject) : -1;
        if (component < 0 || !tac__watch_run(e).digests || r->check_count == island_count)
            continue;
        const tac__component_facts c = tac__watch_component(e, (size_t)component);
        if (c.island < 0)
            continue;
        tac__replay_check *w = &r->checks[r->check_count++];
        *w = (tac__replay_check){
            .replay = r, .island = (size_t)c.island, .name = c.name, .more = true};
        tac__track_reader_init(&w->reader, r->recording, track, 0, TAC_TIME_NEVER);
        tac__track_reader_read_ahead(&w->reader, r->read_ahead);
        w->tap = (tac__tap){.show = compare_digest, .context = w};
        tac__tap_digests(e, w->island, &w->tap);
    }
    size_t islands = 0;
    for (size_t i = 0; i < island_count; i++)
        islands += tac__watch_island(e, i).states > 0;
    r->result.compared = islands > 0 && r->check_count == islands;
    return TAC_OK;
}

static tac_status plan_inboxes(tac_replay *r, tac_error *err)
{
    const tac_engine *e = r->engine;
    const size_t count = tac__watch_receiver_count(e);
    r->inboxes = tac__arena_array(&r->arena, count, sizeof *r->inboxes);
    if (!r->inboxes)
        return tac__fail_memory(err);
    r->inbox_count = count;
    for (size_t i = 0; i < r->recording->track_count; i++) {
        const tac__track *track = &r->recording->tracks[i];
        for (size_t k = 0; track->kind == TAC__CHANNEL_DELIVERY && k < count; k++) {
            bool plant;
            if (!strcmp(track->subject, tac__watch_receiver(e, k, &plant)))
                r->inboxes[k].reader.track = track;
        }
    }
    return TAC_OK;
}

static tac_status plan(void *context, tac_engine *e, tac_error *err)
{
    tac_replay *r = context;
    const bool *crossing = tac__watch_crossing(e, &r->arena);
    if (!crossing)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->component_count; i++) {
        const tac__component_facts facts = tac__watch_component(e, i);
        if (!facts.plant)
            TAC_TRY(plan_player(r, i, &facts, crossing, err));
    }
    TAC_TRY(plan_inboxes(r, err));
    return plan_checks(r, err);
}

// --- from outside -------------------------------------------------------------------------------

tac_status tac_replay_create(tac_recording *recording, tac_engine *engine,
                             const tac_replay_def *def, tac_replay **replay, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(recording && engine && def && replay && tac__engine_is_building(engine));
    *replay = NULL;
    TAC__DEF(tac_replay_def, def, err);
    const tac_allocator *a = tac__watch_run(engine).allocator;
    tac_replay *r = a->resize(a->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac_replay){.allocator = a, .recording = recording, .engine = engine, .def = *def};
    tac__arena_init(&r->arena, a);
    tac__text_init(&r->differences, a);
    r->result = (tac_replay_result){
        .hash_match = true, .mismatch_us = TAC_TIME_NEVER, .mismatch = "", .differences = ""};
    r->component_count = tac__watch_component_count(engine);
    r->players = tac__arena_array(&r->arena, r->component_count, sizeof *r->players);
    r->own = tac__arena_array(&r->arena, r->component_count, sizeof *r->own);
    if (!r->players || !r->own ||
        tac__read_ahead_create(recording->reader, a, &r->read_ahead) != TAC_OK) {
        tac_replay_destroy(r);
        return tac__fail_memory(err);
    }
    r->driver = (tac__driver){.context = r, .players = r->players, .messages = send_messages};
    tac_status status = tac__engine_drive(engine, &r->driver, err);
    if (status == TAC_OK && tac__engine_when_resolved(engine, plan, r) != TAC_OK)
        status = tac__fail_memory(err);
    if (status != TAC_OK) {
        tac_replay_destroy(r);
        return status;
    }
    *replay = r;
    return TAC_OK;
}

tac_status tac_replay_begin(tac_replay *r, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && tac__engine_is_prepared(r->engine));
    const tac_recording_info *info = &r->recording->info;
    if (!*info->model || !*info->schema)
        return tac__fail(err, TAC_E_FORMAT,
                         "'%s' does not say of which model it is: it was cut off at its very "
                         "beginning, or is no recording of this program",
                         info->path);
    TAC_TRY(tac__replay_compare_models(r, err));
    if (r->missing)
        return tac__fail(err, TAC_E_MISMATCH,
                         "'%s' drives the plant, but the recording does not have it", r->missing);
    TAC_TRY(tac__replay_load_instants(r, err));
    return tac__replay_set_state(r, err);
}

// A boundary that the recording has up to here, and the replay did not.
static void find_missing(tac_replay *r)
{
    for (size_t i = 0; i < r->check_count; i++) {
        tac__replay_check *w = &r->checks[i];
        uint64_t t_us, digest;
        if (!w->begun || !expected(w, &t_us, &digest) || t_us > tac_engine_time(r->engine) ||
            t_us >= r->result.mismatch_us)
            continue;
        r->result.hash_match = false;
        r->result.mismatch_us = t_us;
        r->result.mismatch = w->name;
    }
}

tac_status tac_replay_end(tac_replay *r, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r);
    find_missing(r);
    if (r->err.status != TAC_OK && err)
        *err = r->err;
    return r->err.status;
}

void tac_replay_about_sized(const tac_replay *r, tac_replay_result *result, size_t size)
{
    tac_replay_result own = r->result;
    own.hash_match &= own.compared && own.boundaries > 0;
    tac__def_give(result, size, &own, sizeof own);
}

void tac_replay_destroy(tac_replay *r)
{
    TAC__FLOATS;
    if (!r)
        return;
    // The engine may be gone by now.
    for (size_t i = 0; r->own && i < r->component_count; i++) {
        for (size_t k = 0; k < r->own[i].count; k++)
            tac__track_reader_fini(&r->own[i].traces[k].reader);
    }
    for (size_t i = 0; i < r->inbox_count; i++)
        tac__track_reader_fini(&r->inboxes[i].reader);
    for (size_t i = 0; i < r->check_count; i++)
        tac__track_reader_fini(&r->checks[i].reader);
    tac__read_ahead_destroy(r->read_ahead);
    tac__text_fini(&r->differences);
    tac__arena_fini(&r->arena);
    r->allocator->resize(r->allocator->context, r, sizeof *r, 0);
}
