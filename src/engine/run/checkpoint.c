// checkpoint.c - writes the whole state of a run to a file, and reads it back.
//
// The file is little-endian: a header, the model as text, the layout of the block as text, the
// block, what opaque components saved, and a hash over all of it. docs/checkpoint.md describes it
// byte by byte. The model text makes a refusal explain itself: it lists the lines that differ. Both
// texts let a model that differs in what may change go on from the file: see branch.c.
#include "base/def.h"
#include "base/file.h"
#include "base/floats.h"
#include "engine/run/loop.h"
#include "engine/run/nans.h"
#include "engine/run/checkpoint.h"
#include "engine/run/branch.h"
#include "engine/run/lanes.h"
#include "engine/run/layout.h"
#include "engine/phases/phases.h"
#include "engine/run/validate.h"
#include "engine/run/written.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints are little-endian");

typedef struct header {
    char magic[8]; // "TACTUSCP"
    uint32_t format;
    char version[12]; // version of the program that wrote the file
    uint64_t t_us;
    uint64_t model_hash, schema_hash, manifest_hash;
    uint64_t model_size, layout_size, block_size, opaque_size;
} header;

static const char magic[8] = {'T', 'A', 'C', 'T', 'U', 'S', 'C', 'P'};
enum { FORMAT = 2, SIZE_LIMIT = 1 << 30 };

// --- taking -------------------------------------------------------------------------------------

const tac__component *tac__unsavable(const tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac_component_type *type = e->plan->components[i]->type;
        if ((type->flags & TAC_COMPONENT_OPAQUE) && (!type->save || !type->restore))
            return e->plan->components[i];
    }
    return NULL;
}

tac_status tac_engine_checkpoint_at(tac_engine *e, tac_time t_us, const char *path, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(e && path && e->life == TAC__PREPARED);
    const tac__component *c = tac__unsavable(e);
    if (c)
        return tac__fail_at(err, TAC_E_UNSAVABLE, &c->place,
                            "component '%s' of type '%s' cannot be saved in a checkpoint", c->name,
                            c->type->name);
    // The end is a boundary of this run only. Only a longer run could go on from there, and for a
    // longer run it is no boundary.
    if (t_us >= e->plan->def.end_us) {
        char wish[TAC_TIME_TEXT], end[TAC_TIME_TEXT];
        tac_time_print(t_us, wish);
        tac_time_print(e->plan->def.end_us, end);
        return tac__fail(err, TAC_E_RANGE,
                         "a checkpoint at %s does not lie before the end of the run at %s", wish,
                         end);
    }
    if (e->clock->started && e->clock->t_us > t_us)
        return tac__fail(err, TAC_E_RANGE, "the run has passed the time of the checkpoint already");
    unsigned char *copy = tac__arena_alloc(&e->memory, e->plan->block.run_size);
    const char *name = tac__arena_text(&e->memory, path);
    if (!copy || !name)
        return tac__fail_memory(err);
    if (e->checkpoint_opaque.allocator) // from an earlier call
        tac__text_fini(&e->checkpoint_opaque);
    tac__text_init(&e->checkpoint_opaque, e->allocator);
    e->checkpoint = copy;
    e->checkpoint_path = name;
    e->checkpoint_us = t_us;
    e->checkpoint_taken = false;
    if (!e->clock->started)
        return TAC_OK;
    // The last boundary before t_us may be the present one. Integration has begun from there, but a
    // run can go on from that state just as well.
    e->err = err;
    const tac_status status = tac__checkpoint_consider(e);
    e->err = NULL;
    return status;
}

// What opaque components save: for each its index, a size, and bytes.
tac_status tac__save_opaque(tac_engine *e, bool plant_only, tac__text *out)
{
    for (uint32_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (!(c->type->flags & TAC_COMPONENT_OPAQUE) ||
            (plant_only && !tac__is_continuous(c->type)))
            continue;
        size_t size = 0;
        tac_status status = c->type->save(c->self, NULL, &size);
        const uint64_t head[2] = {i, size};
        tac__text_bytes(out, (const char *)head, sizeof head);
        const size_t start = out->length;
        tac__text_repeat(out, 0, size);
        if (status == TAC_OK && !out->failed)
            status = c->type->save(c->self, out->chars + start, &size);
        if (status != TAC_OK) {
            tac__fail(e->err, status, "it could not be saved: %s", tac_status_text(status));
            return tac__run_failed(e, status, e->clock->t_us, c->name);
        }
    }
    return out->failed ? tac__fail_memory(e->err) : TAC_OK;
}

// After stage 9: if no boundary is planned any more at or before the time asked for, this may be
// the last one; take the checkpoint. If another boundary turns up later, the checkpoint is taken
// again there.
tac_status tac__checkpoint_consider(tac_engine *e)
{
    const tac__timeline *tl = &e->timeline;
    for (size_t i = 0; i < tl->count; i++) {
        const tac__source *s = &tl->sources[i];
        if (s->kind != TAC__SOURCE_STEP && !s->observer && tl->next[i] <= e->checkpoint_us)
            return TAC_OK;
    }
    // An instant with nothing but integration or observers is no boundary.
    if (e->checkpoint_taken && e->clock->boundaries == e->checkpoint_boundaries)
        return TAC_OK;
    tac__block_complete(e);
    memcpy(e->checkpoint, e->plan->block.bytes, e->plan->block.run_size);
    tac__stored_nans(e, e->checkpoint);
    e->checkpoint_taken = true;
    e->checkpoint_boundaries = e->clock->boundaries;
    e->checkpoint_time_us = e->clock->t_us;
    e->checkpoint_opaque.length = 0;
    return tac__save_opaque(e, false, &e->checkpoint_opaque);
}

// --- writing ------------------------------------------------------------------------------------

tac_status tac__checkpoint_finish(tac_engine *e)
{
    const char *path = e->checkpoint_path;
    e->checkpoint_path = NULL;
    e->checkpoint_us = TAC_TIME_NEVER;
    tac__text model, layout, file;
    tac__text_init(&model, e->allocator);
    tac__text_init(&layout, e->allocator);
    tac__text_init(&file, e->allocator);
    tac__model_text(e, &model);
    tac__layout_text(e, &layout);
    header h = {.format = FORMAT,
                .t_us = e->checkpoint_time_us,
                .model_hash = tac__model_hash(&model),
                .schema_hash = tac_engine_schema_hash(e),
                .manifest_hash = tac__block_manifest_hash(&e->plan->block),
                .model_size = model.length,
                .layout_size = layout.length,
                .block_size = e->plan->block.run_size,
                .opaque_size = e->checkpoint_opaque.length};
    memcpy(h.magic, magic, sizeof magic);
    snprintf(h.version, sizeof h.version, "%s", TAC_VERSION);
    tac__text_bytes(&file, (const char *)&h, sizeof h);
    if (model.length)
        tac__text_bytes(&file, model.chars, model.length);
    if (layout.length)
        tac__text_bytes(&file, layout.chars, layout.length);
    tac__text_bytes(&file, (const char *)e->checkpoint, e->plan->block.run_size);
    if (e->checkpoint_opaque.length)
        tac__text_bytes(&file, e->checkpoint_opaque.chars, e->checkpoint_opaque.length);
    const uint64_t check =
        file.failed ? 0 : tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, file.chars, file.length));
    tac__text_bytes(&file, (const char *)&check, sizeof check);
    tac_status status = model.failed || layout.failed || file.failed
                            ? tac__fail_memory(e->err)
                            : tac__file_write(path, file.chars, file.length, e->err);
    if (status != TAC_OK)
        tac__error_context(e->err, "writing a checkpoint");
    tac__text_fini(&model);
    tac__text_fini(&layout);
    tac__text_fini(&file);
    tac__text_fini(&e->checkpoint_opaque);
    return status;
}

// --- reading ------------------------------------------------------------------------------------

// The parts of a file, checked for size and damage but not for meaning.
typedef struct parts {
    header h;
    const char *model, *layout, *block, *opaque;
} parts;

static tac_status take_apart(const char *path, const char *bytes, size_t size, parts *p,
                             tac_error *err)
{
    if (size < sizeof p->h + 8 || memcmp(bytes, magic, sizeof magic))
        return tac__fail(err, TAC_E_FORMAT, "'%s' is not a checkpoint", path);
    memcpy(&p->h, bytes, sizeof p->h);
    if (p->h.format != FORMAT)
        return tac__fail(err, TAC_E_FORMAT,
                         "'%s' is a checkpoint of format %u, this program reads "
                         "%d",
                         path, p->h.format, FORMAT);
    p->h.version[sizeof p->h.version - 1] = '\0';
    size_t rest = size - sizeof p->h - 8;
    const uint64_t sizes[] = {p->h.model_size, p->h.layout_size, p->h.block_size};
    bool fits = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fits = fits && sizes[i] <= rest;
        rest -= fits ? sizes[i] : 0;
    }
    if (!fits || p->h.opaque_size != rest)
        return tac__fail(err, TAC_E_FORMAT, "'%s' is cut short or damaged", path);
    uint64_t check;
    memcpy(&check, bytes + size - 8, 8);
    if (check != tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, bytes, size - 8)))
        return tac__fail(err, TAC_E_FORMAT, "'%s' is damaged: its check sum does not agree", path);
    p->model = bytes + sizeof p->h;
    p->layout = p->model + p->h.model_size;
    p->block = p->layout + p->h.layout_size;
    p->opaque = p->block + p->h.block_size;
    return TAC_OK;
}

static tac_status fail_model(const tac_engine *e, const char *path, const parts *p, tac_error *err)
{
    tac__text there, here, lines;
    tac__text_init(&there, e->allocator);
    tac__text_init(&here, e->allocator);
    tac__text_init(&lines, e->allocator);
    tac__text_bytes(&there, p->model, p->h.model_size);
    tac__model_text(e, &here);
    tac__fail(err, TAC_E_MISMATCH, "'%s' was made by another model", path);
    if (there.failed || here.failed)
        tac__error_append(err, "; there is no memory to say in what it differs");
    else if (tac__model_differences(there.chars ? there.chars : "", here.chars, &lines))
        tac__error_append(err, ". What differs:\n%s", lines.chars ? lines.chars : "");
    else
        tac__error_append(err, ": the models are alike, but digests were switched on or off");
    tac__text_fini(&there);
    tac__text_fini(&here);
    tac__text_fini(&lines);
    return TAC_E_MISMATCH;
}

tac_status tac__restore_opaque(tac_engine *e, const char *bytes, size_t size, tac_error *err)
{
    while (size >= 16) {
        uint64_t head[2];
        memcpy(head, bytes, sizeof head);
        bytes += 16;
        size -= 16;
        if (head[0] >= e->plan->component_count || head[1] > size)
            return tac__fail(err, TAC_E_FORMAT, "the checkpoint's opaque part is damaged");
        const tac__component *c = e->plan->components[head[0]];
        if (!c->type->restore)
            return tac__fail(err, TAC_E_FORMAT, "the checkpoint's opaque part is damaged");
        const tac_status status = c->type->restore(c->self, bytes, head[1]);
        if (status != TAC_OK)
            return tac__fail(err, status, "component '%s' could not be restored: %s", c->name,
                             tac_status_text(status));
        bytes += head[1];
        size -= head[1];
    }
    return TAC_OK;
}

tac_status tac__restore_block(tac_engine *e, const void *block, bool exact, const tac_time *h_us,
                              tac_error *err)
{
    memcpy(e->plan->block.bytes, block, e->plan->block.run_size);
    for (size_t i = 0; h_us && i < e->plan->island_count; i++)
        e->islands[i].state->h_us = e->islands[i].state->h_next_us = h_us[i];
    TAC_TRY(tac__validate(e, exact, err));
    tac__scratch_restart(e);
    return TAC_OK;
}

// Take the integration steps under way again, from the saved state with the saved held inputs: the
// run may end at another time, be driven, or use another method. Counters stay, because the steps
// that are replaced have been counted.
tac_status tac__steps_again(tac_engine *e)
{
    const tac_allocator *a = e->allocator;
    const size_t size = (e->plan->island_count + 1) * sizeof(tac__island_state);
    tac__island_state *before = a->resize(a->context, NULL, 0, size);
    if (!before)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        tac__island_state *s = e->islands[i].state;
        s->h_next_us = s->h_us; // a method with fixed steps keeps its step size
        s->tries_next = s->tries;
        before[i] = *s;
    }
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (before[i].from_us != before[i].to_us)
            tac__island_integrate(e, &e->islands[i]);
    }
    for (size_t i = 0; i < e->plan->island_count; i++) { // a step may have undone others
        tac__island_state *s = e->islands[i].state;
        s->steps = before[i].steps;
        s->rejected = before[i].rejected;
        s->evals = before[i].evals;
        s->undone = before[i].undone;
    }
    a->resize(a->context, before, size, 0);
    return TAC_OK;
}

// Restore a checkpoint of the same model.
static tac_status restore_same(tac_engine *e, const char *path, const parts *p, tac_error *err)
{
    if (p->h.block_size != e->plan->block.run_size ||
        p->h.manifest_hash != tac__block_manifest_hash(&e->plan->block))
        return fail_model(e, path, p, err);
    TAC_TRY(tac__restore_block(e, p->block, true, NULL, err));
    if (p->h.t_us != e->clock->t_us || !e->clock->started)
        return tac__fail(err, TAC_E_FORMAT, "'%s' is damaged: it does not say when it was taken",
                         path);
    return TAC_OK;
}

// Restore a checkpoint of another model.
static tac_status restore_other(tac_engine *e, const char *path, const parts *p, tac_error *err)
{
    tac__text model, layout;
    tac__text_init(&model, e->allocator);
    tac__text_init(&layout, e->allocator);
    tac__text_bytes(&model, p->model, p->h.model_size);
    tac__text_bytes(&layout, p->layout, p->h.layout_size);
    const tac__trunk trunk = {.path = path,
                              .model = model.chars ? model.chars : "",
                              .layout = layout.chars ? layout.chars : "",
                              .block = p->block,
                              .block_size = p->h.block_size,
                              .t_us = p->h.t_us};
    const tac_status status =
        model.failed || layout.failed ? tac__fail_memory(err) : tac__branch(e, &trunk, err);
    tac__text_fini(&model);
    tac__text_fini(&layout);
    return status;
}

static tac_status restore(tac_engine *e, const char *path, bool branch, const char *bytes,
                          size_t size, tac_error *err)
{
    parts p;
    TAC_TRY(take_apart(path, bytes, size, &p, err));
    const uint64_t hash = tac_engine_model_hash(e);
    if (hash == 0)
        return tac__fail_memory(err);
    const bool same = p.h.model_hash == hash;
    if (!same && !branch)
        return fail_model(e, path, &p, err);
    if (p.h.t_us >= e->plan->def.end_us)
        return tac__fail(err, TAC_E_RANGE, "'%s' was taken at or after the end of this run", path);
    TAC_TRY(same ? restore_same(e, path, &p, err) : restore_other(e, path, &p, err));
    TAC_TRY(tac__restore_opaque(e, p.opaque, p.h.opaque_size, err));
    tac__timeline_set(&e->timeline, e->plan->start_end_source, e->plan->def.end_us);
    return tac__steps_again(e) == TAC_OK ? TAC_OK : tac__fail_memory(err);
}

static tac_status restore_from(tac_engine *e, const char *path, bool branch, tac_error *err)
{
    TAC_REQUIRE(e && path && e->life == TAC__PREPARED && !e->clock->started);
    const tac__component *c = tac__unsavable(e);
    if (c)
        return tac__fail_at(err, TAC_E_UNSAVABLE, &c->place,
                            "component '%s' of type '%s' cannot be restored from a checkpoint",
                            c->name, c->type->name);
    char *bytes;
    size_t size;
    TAC_TRY(tac__file_read(path, SIZE_LIMIT, e->allocator, &bytes, &size, err));
    const tac_status status = restore(e, path, branch, bytes, size, err);
    tac__file_free(e->allocator, bytes, size);
    if (status != TAC_OK)
        e->life = TAC__FAILED;
    return status;
}

tac_status tac_engine_restore(tac_engine *e, const char *path, tac_error *err)
{
    TAC__FLOATS;
    return restore_from(e, path, false, err);
}

tac_status tac_engine_branch(tac_engine *e, const char *path, tac_error *err)
{
    TAC__FLOATS;
    return restore_from(e, path, true, err);
}

tac_status tac_checkpoint_read_info_sized(const char *path, tac_checkpoint_info *info,
                                          size_t info_size, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(path && info);
    char *bytes;
    size_t size;
    const tac_allocator *allocator = tac_allocator_default();
    TAC_TRY(tac__file_read(path, SIZE_LIMIT, allocator, &bytes, &size, err));
    parts p;
    const tac_status status = take_apart(path, bytes, size, &p, err);
    if (status == TAC_OK) {
        tac_checkpoint_info own = {.t_us = p.h.t_us,
                                   .model_hash = p.h.model_hash,
                                   .schema_hash = p.h.schema_hash,
                                   .size = size};
        memcpy(own.version, p.h.version, sizeof p.h.version);
        tac__def_give(info, info_size, &own, sizeof own);
    }
    tac__file_free(allocator, bytes, size);
    return status;
}
