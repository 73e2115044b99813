// derive.c - see derive.h.
#include "graph/derive.h"
#include "graph/sweep.h"

#include <string.h>

// Groups of inputs or outputs, and all their numbers one behind the other.
typedef struct chosen {
    const tac__group *groups;
    size_t group_count;
    int32_t *terms;
    size_t count;
} chosen;

// A derivative that is being made. What only its making needs is in `arena`.
typedef struct work {
    tac__arena arena;
    const tac_graph *f;
    chosen out, in;
    tac_graph *made;
    tac_error *err;
} work;

// --- choosing and naming ------------------------------------------------------------------------

typedef struct group_names {
    const tac__group *groups;
    size_t count;
} group_names;

static const char *group_name(const void *context, size_t i)
{
    const group_names *names = context;
    return i < names->count ? names->groups[i].name : NULL;
}

static tac_status choose(work *w, const char *what, const tac__group *groups, size_t count,
                         const char *name, chosen *c)
{
    *c = (chosen){.groups = groups, .group_count = count};
    for (size_t g = 0; name && g < count; g++) {
        if (!strcmp(groups[g].name, name))
            *c = (chosen){.groups = &groups[g], .group_count = 1};
    }
    if (name && (c->group_count != 1 || strcmp(c->groups->name, name) != 0)) {
        const tac_status st =
            tac__fail(w->err, TAC_E_NAME, "the graph '%s' has no %s '%s'", w->f->name, what, name);
        tac__error_suggest(w->err, name, group_name, &(group_names){groups, count});
        return st;
    }
    for (size_t g = 0; g < c->group_count; g++)
        c->count += c->groups[g].count;
    c->terms = tac__arena_array(&w->arena, c->count + 1, sizeof *c->terms);
    if (!c->terms)
        return tac__fail_memory(w->err);
    size_t next = 0;
    for (size_t g = 0; g < c->group_count; g++) {
        for (size_t i = 0; i < c->groups[g].count; i++)
            c->terms[next++] = c->groups[g].terms[i];
    }
    return TAC_OK;
}

static bool copy_texts(tac__arena *arena, const char *const *texts, size_t count,
                       const char *const **made)
{
    *made = NULL;
    if (!texts)
        return true;
    const char **copies = tac__arena_array(arena, count + 1, sizeof *copies);
    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = texts[i] ? tac__arena_text(arena, texts[i]) : NULL;
        if (texts[i] && !copies[i])
            return false;
    }
    *made = copies;
    return copies != NULL;
}

// A group like another, with its labels. Of inputs that have other units: `units` is false.
static tac_status complete(work *w, tac__group *group, const tac__group *like, bool units)
{
    if (!group || !copy_texts(&w->made->arena, like->labels, like->count, &group->labels) ||
        (units && !copy_texts(&w->made->arena, like->units, like->count, &group->units)))
        return tac__fail_memory(w->err);
    return TAC_OK;
}

static char *prefixed(work *w, const char *prefix, const char *name)
{
    return tac__arena_format(&w->arena, "%s%s", prefix, name);
}

static tac_status copy_inputs(work *w)
{
    for (size_t g = 0; g < w->f->in_count; g++) {
        const tac__group *like = &w->f->in[g];
        TAC_TRY(complete(w, tac__graph_add_input(w->made, like->name, like->count, like->terms),
                         like, true));
    }
    return TAC_OK;
}

// New inputs, a group for each one of `like`; their terms one behind the other.
static tac_status add_seeds(work *w, const char *prefix, const chosen *like, int32_t **seeds)
{
    *seeds = tac__arena_array(&w->arena, like->count + 1, sizeof **seeds);
    if (!*seeds)
        return tac__fail_memory(w->err);
    size_t next = 0;
    for (size_t g = 0; g < like->group_count; g++) {
        const char *name = prefixed(w, prefix, like->groups[g].name);
        tac__group *group =
            name ? tac__graph_add_input(w->made, name, like->groups[g].count, NULL) : NULL;
        TAC_TRY(complete(w, group, &like->groups[g], false));
        memcpy(*seeds + next, group->terms, group->count * sizeof *group->terms);
        next += group->count;
    }
    return TAC_OK;
}

// A number of a derivative: 0 where there is no term.
static int32_t known(const work *w, int32_t term)
{
    return term >= 0 ? term : tac__term_constant(tac__graph_pool(w->f), 0);
}

// Outputs, a group for each one of `like`.
static tac_status add_vectors(work *w, const char *prefix, const chosen *like,
                              const int32_t *derivatives)
{
    size_t next = 0;
    for (size_t g = 0; g < like->group_count; g++) {
        const char *name = prefixed(w, prefix, like->groups[g].name);
        tac__group *group =
            name ? tac__graph_add_output(w->made, name, like->groups[g].count, NULL) : NULL;
        TAC_TRY(complete(w, group, &like->groups[g], false));
        for (size_t i = 0; i < group->count; i++)
            group->terms[i] = known(w, derivatives[next++]);
    }
    return TAC_OK;
}

// --- sweeps -------------------------------------------------------------------------------------

static tac_status prepare(work *w, tac__sweep *sweep, const int32_t *outputs, size_t count)
{
    return tac__sweep_prepare(sweep, tac__graph_pool(w->f), &w->arena, outputs, count, w->err);
}

static int32_t *terms_array(work *w, size_t count)
{
    return tac__arena_array(&w->arena, count + 1, sizeof(int32_t));
}

// Places of terms, -1 where no output needs the term.
static int32_t *places(work *w, const tac__sweep *sweep, const int32_t *terms, size_t count)
{
    int32_t *place = terms_array(w, count);
    for (size_t i = 0; place && i < count; i++)
        place[i] = tac__sweep_place(sweep, terms[i]);
    return place;
}

static void clear_tangents(const tac__sweep *sweep, int32_t *tangent)
{
    for (size_t i = 0; i < sweep->count; i++)
        tangent[i] = TAC__NO_TERM;
}

static tac_status make_jvp(work *w)
{
    int32_t *seeds;
    tac__sweep sweep;
    TAC_TRY(copy_inputs(w));
    TAC_TRY(add_seeds(w, "fwd_", &w->in, &seeds));
    TAC_TRY(prepare(w, &sweep, w->out.terms, w->out.count));
    int32_t *tangent = terms_array(w, sweep.count), *made = terms_array(w, w->out.count);
    const int32_t *place = places(w, &sweep, w->in.terms, w->in.count);
    if (!tangent || !made || !place)
        return tac__fail_memory(w->err);
    clear_tangents(&sweep, tangent);
    for (size_t i = 0; i < w->in.count; i++) {
        if (place[i] >= 0)
            tangent[place[i]] = seeds[i];
    }
    tac__sweep_forward(&sweep, tangent);
    for (size_t i = 0; i < w->out.count; i++)
        made[i] = tangent[tac__sweep_place(&sweep, w->out.terms[i])];
    return add_vectors(w, "fwd_", &w->out, made);
}

// The adjoints of all inputs; TAC__NO_TERM where there is none.
static tac_status reverse(work *w, const int32_t *seeds, int32_t **adjoints)
{
    tac__sweep sweep;
    TAC_TRY(prepare(w, &sweep, w->out.terms, w->out.count));
    const int32_t *place = places(w, &sweep, w->in.terms, w->in.count);
    *adjoints = terms_array(w, w->in.count);
    if (!place || !*adjoints)
        return tac__fail_memory(w->err);
    tac__sweep_reverse(&sweep, w->out.terms, seeds, w->out.count);
    for (size_t i = 0; i < w->in.count; i++)
        (*adjoints)[i] = place[i] >= 0 ? sweep.adjoints[place[i]].term : TAC__NO_TERM;
    return TAC_OK;
}

static tac_status make_vjp(work *w)
{
    int32_t *seeds, *adjoints;
    TAC_TRY(copy_inputs(w));
    TAC_TRY(add_seeds(w, "adj_", &w->out, &seeds));
    TAC_TRY(reverse(w, seeds, &adjoints));
    return add_vectors(w, "adj_", &w->in, adjoints);
}

// --- patterns -----------------------------------------------------------------------------------

// On which inputs all places depend.
static const tac__set *find_sets(work *w, const tac__sweep *sweep)
{
    int *column = tac__arena_array(&w->arena, sweep->count + 1, sizeof *column);
    if (!column)
        return NULL;
    memset(column, -1, sweep->count * sizeof *column);
    for (size_t i = 0; i < w->in.count; i++) {
        const int32_t place = tac__sweep_place(sweep, w->in.terms[i]);
        if (place >= 0)
            column[place] = (int)i;
    }
    return tac__sweep_depend(sweep, column);
}

// The pattern of the derivatives of `outputs`, for which the sweep was prepared, by all inputs.
static bool find_pattern(work *w, const tac__sweep *sweep, const tac__set *sets,
                         const int32_t *outputs, size_t count, tac__arena *arena,
                         tac__pattern *pattern)
{
    int *starts = tac__arena_array(&w->arena, count + 1, sizeof *starts);
    for (size_t i = 0; starts && i < count; i++)
        starts[i + 1] = starts[i] + sets[tac__sweep_place(sweep, outputs[i])].count;
    int *column_of =
        starts ? tac__arena_array(&w->arena, (size_t)starts[count] + 1, sizeof *column_of) : NULL;
    if (!column_of)
        return false;
    for (size_t i = 0; i < count; i++) {
        const tac__set set = sets[tac__sweep_place(sweep, outputs[i])];
        if (set.count)
            memcpy(column_of + starts[i], set.of, (size_t)set.count * sizeof *set.of);
    }
    const tac__pattern rows = {(int)w->in.count, (int)count, starts, column_of};
    return tac__pattern_transpose(arena, &rows, pattern);
}

// Whether reverse sweeps take less work. A term has a tangent for each input on which it depends,
// and an adjoint for each output that depends on it; an adjoint takes about twice as many terms, as
// it is a sum over all that use the term, and may need guards.
static bool is_less_by_rows(const tac__sweep *sweep, const tac__set *depends,
                            const tac__set *reaches)
{
    size_t forward = 0, reverse = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        if (depends[i].count == 0 || reaches[i].count == 0)
            continue;
        forward += (size_t)depends[i].count;
        reverse += 2 * (size_t)reaches[i].count;
    }
    return reverse < forward;
}

static tac_status find_facts(work *w, const tac__sweep *sweep, tac__arena *arena,
                             tac__jacobian_facts *facts)
{
    tac__pattern rows;
    const tac__set *depends = find_sets(w, sweep);
    const tac__set *reaches = tac__sweep_reach(sweep, w->out.terms, w->out.count);
    if (!depends || !reaches ||
        !find_pattern(w, sweep, depends, w->out.terms, w->out.count, arena, &facts->pattern) ||
        !tac__pattern_transpose(&w->arena, &facts->pattern, &rows))
        return tac__fail_memory(w->err);
    facts->by_rows = is_less_by_rows(sweep, depends, reaches);
    return tac__colour_columns(arena, facts->by_rows ? &rows : &facts->pattern, &facts->colouring)
               ? TAC_OK
               : tac__fail_memory(w->err);
}

// --- Jacobians ----------------------------------------------------------------------------------

// One forward sweep: the columns of one colour, each of which has rows of its own.
static void sweep_columns(work *w, const tac__sweep *sweep, const tac__colouring *c, int colour,
                          int32_t *tangent)
{
    clear_tangents(sweep, tangent);
    for (size_t j = 0; j < w->in.count; j++) {
        const int32_t place = tac__sweep_place(sweep, w->in.terms[j]);
        if (c->colour[j] == colour && place >= 0)
            tangent[place] = tac__term_constant(sweep->pool, 1);
    }
    tac__sweep_forward(sweep, tangent);
}

static tac_status fill_by_columns(work *w, const tac__sweep *sweep,
                                  const tac__jacobian_facts *facts, int32_t *entries)
{
    const tac__pattern *p = &facts->pattern;
    int32_t *tangent = terms_array(w, sweep->count);
    const int32_t *place = places(w, sweep, w->out.terms, w->out.count);
    if (!tangent || !place)
        return tac__fail_memory(w->err);
    for (int colour = 0; colour < facts->colouring.colours; colour++) {
        sweep_columns(w, sweep, &facts->colouring, colour, tangent);
        for (int j = 0; j < p->columns; j++) {
            for (int k = p->starts[j]; facts->colouring.colour[j] == colour && k < p->starts[j + 1];
                 k++)
                entries[k] = tangent[place[p->row_of[k]]];
        }
    }
    return TAC_OK;
}

static tac_status fill_by_rows(work *w, const tac__sweep *sweep, const tac__jacobian_facts *facts,
                               int32_t *entries)
{
    const tac__pattern *p = &facts->pattern;
    const tac__colouring *c = &facts->colouring;
    int32_t *seeds = terms_array(w, w->out.count);
    if (!seeds)
        return tac__fail_memory(w->err);
    for (int colour = 0; colour < c->colours; colour++) {
        for (size_t i = 0; i < w->out.count; i++)
            seeds[i] = c->colour[i] == colour ? tac__term_constant(sweep->pool, 1) : TAC__NO_TERM;
        tac__sweep_reverse(sweep, w->out.terms, seeds, w->out.count);
        for (int j = 0; j < p->columns; j++) {
            const int32_t place = tac__sweep_place(sweep, w->in.terms[j]);
            for (int k = p->starts[j]; k < p->starts[j + 1]; k++) {
                if (c->colour[p->row_of[k]] == colour)
                    entries[k] = sweep->adjoints[place].term;
            }
        }
    }
    return TAC_OK;
}

// A matrix that has the entries of rows `row` to `row` + rows - 1, and the same of columns.
static tac_status add_block(work *w, const char *name, const tac__pattern *p,
                            const int32_t *entries, int row, size_t rows, int column,
                            size_t columns)
{
    tac__arena *arena = &w->made->arena;
    const size_t most = (size_t)(p->starts[column + (int)columns] - p->starts[column]);
    int *starts = tac__arena_array(arena, columns + 1, sizeof *starts);
    int *row_of = tac__arena_array(arena, most + 1, sizeof *row_of);
    int32_t *terms = terms_array(w, most);
    if (!name || !starts || !row_of || !terms)
        return tac__fail_memory(w->err);
    int count = 0;
    for (size_t j = 0; j < columns; j++) {
        for (int k = p->starts[column + (int)j]; k < p->starts[column + (int)j + 1]; k++) {
            if (p->row_of[k] < row || p->row_of[k] >= row + (int)rows)
                continue;
            row_of[count] = p->row_of[k] - row;
            terms[count++] = known(w, entries[k]);
        }
        starts[j + 1] = count;
    }
    tac__group *group = tac__graph_add_output(w->made, name, (size_t)count, terms);
    if (!group)
        return tac__fail_memory(w->err);
    group->rows = rows;
    group->columns = columns;
    group->starts = starts;
    group->row_of = row_of;
    return TAC_OK;
}

static tac_status add_blocks(work *w, const tac__pattern *p, const int32_t *entries)
{
    int row = 0;
    for (size_t o = 0; o < w->out.group_count; o++) {
        const tac__group *out = &w->out.groups[o];
        int column = 0;
        for (size_t i = 0; i < w->in.group_count; i++) {
            const tac__group *in = &w->in.groups[i];
            const char *name = tac__arena_format(&w->arena, "jac_%s_%s", out->name, in->name);
            TAC_TRY(add_block(w, name, p, entries, row, out->count, column, in->count));
            column += (int)in->count;
        }
        row += (int)out->count;
    }
    return TAC_OK;
}

static tac_status make_jacobian(work *w)
{
    tac__sweep sweep;
    tac__jacobian_facts facts;
    TAC_TRY(copy_inputs(w));
    TAC_TRY(prepare(w, &sweep, w->out.terms, w->out.count));
    TAC_TRY(find_facts(w, &sweep, &w->arena, &facts));
    int32_t *entries = terms_array(w, (size_t)tac__pattern_count(&facts.pattern));
    if (!entries)
        return tac__fail_memory(w->err);
    TAC_TRY((facts.by_rows ? fill_by_rows : fill_by_columns)(w, &sweep, &facts, entries));
    return add_blocks(w, &facts.pattern, entries);
}

// --- Hessians -----------------------------------------------------------------------------------

// What a Hessian needs: its symmetric pattern, also by rows, and the gradient.
typedef struct second {
    tac__sweep sweep; // of the gradient
    tac__pattern pattern, rows;
    tac__colouring colouring;
    int32_t *gradient, *place;
    int32_t *entries; // of the pattern
} second;

static tac_status prepare_second(work *w, const int32_t *seeds, second *s)
{
    tac__pattern found;
    TAC_TRY(reverse(w, seeds, &s->gradient));
    for (size_t i = 0; i < w->in.count; i++)
        s->gradient[i] = known(w, s->gradient[i]);
    TAC_TRY(prepare(w, &s->sweep, s->gradient, w->in.count));
    const tac__set *depends = find_sets(w, &s->sweep);
    s->place = places(w, &s->sweep, s->gradient, w->in.count);
    if (!s->place || !depends ||
        !find_pattern(w, &s->sweep, depends, s->gradient, w->in.count, &w->arena, &found) ||
        !tac__pattern_symmetric(&w->arena, &found, &s->pattern) ||
        !tac__pattern_transpose(&w->arena, &s->pattern, &s->rows) ||
        !tac__colour_symmetric(&w->arena, &s->pattern, &s->colouring))
        return tac__fail_memory(w->err);
    s->entries = terms_array(w, (size_t)tac__pattern_count(&s->pattern));
    return s->entries ? TAC_OK : tac__fail_memory(w->err);
}

// Of an entry and the one across the diagonal at least one is alone in its row in this sweep, and
// is the derivative there.
static void fill_symmetric(const second *s, int colour, const int32_t *tangent)
{
    const tac__pattern *p = &s->pattern;
    for (int j = 0; j < p->columns; j++) {
        for (int k = p->starts[j]; s->colouring.colour[j] == colour && k < p->starts[j + 1]; k++) {
            const int i = p->row_of[k];
            if (tac__colour_is_alone(&s->rows, &s->colouring, i, j))
                s->entries[k] = s->entries[tac__pattern_find(p, j, i)] = tangent[s->place[i]];
        }
    }
}

static tac_status make_second(work *w, const int32_t *seeds, tac__triangle triangle)
{
    second s;
    TAC_TRY(prepare_second(w, seeds, &s));
    int32_t *tangent = terms_array(w, s.sweep.count);
    if (!tangent)
        return tac__fail_memory(w->err);
    for (int colour = 0; colour < s.colouring.colours; colour++) {
        sweep_columns(w, &s.sweep, &s.colouring, colour, tangent);
        fill_symmetric(&s, colour, tangent);
    }
    const size_t n = w->in.count;
    if (triangle == TAC__TRIANGLE_BOTH)
        return add_block(w, "hess", &s.pattern, s.entries, 0, n, 0, n);
    tac__pattern lower;
    int32_t *entries = terms_array(w, (size_t)tac__pattern_count(&s.pattern));
    if (!entries || !tac__pattern_lower(&w->arena, &s.pattern, &lower))
        return tac__fail_memory(w->err);
    for (int j = 0; j < lower.columns; j++) {
        for (int k = lower.starts[j]; k < lower.starts[j + 1]; k++)
            entries[k] = s.entries[tac__pattern_find(&s.pattern, lower.row_of[k], j)];
    }
    return add_block(w, "hess", &lower, entries, 0, n, 0, n);
}

static tac_status make_hessian(work *w, tac__triangle triangle)
{
    if (w->out.count != 1)
        return tac__fail(w->err, TAC_E_TYPE,
                         "a Hessian is that of one number; the outputs of '%s' that are meant have "
                         "%zu",
                         w->f->name, w->out.count);
    const int32_t one = tac__term_constant(tac__graph_pool(w->f), 1);
    TAC_TRY(copy_inputs(w));
    return make_second(w, &one, triangle);
}

static tac_status make_lagrangian(work *w, tac__triangle triangle)
{
    int32_t *multipliers;
    TAC_TRY(copy_inputs(w));
    TAC_TRY(add_seeds(w, "lam_", &w->out, &multipliers));
    return make_second(w, multipliers, triangle);
}

// --- beginning and end --------------------------------------------------------------------------

static tac_status begin(work *w, const tac_graph *f, const char *out, const char *in,
                        tac_error *err)
{
    *w = (work){.f = f, .err = err};
    tac__arena_init(&w->arena, f->allocator);
    TAC_TRY(choose(w, "output", f->out, f->out_count, out, &w->out));
    return choose(w, "input", f->in, f->in_count, in, &w->in);
}

static tac_status begin_graph(work *w, const tac_graph *f, const char *out, const char *in,
                              const char *prefix, tac_error *err)
{
    TAC_TRY(begin(w, f, out, in, err));
    const char *name = prefixed(w, prefix, f->name);
    return name ? tac__graph_create(f->allocator, name, false, f, &w->made, err)
                : tac__fail_memory(err);
}

static tac_status end(work *w, tac_status st, tac_graph **made)
{
    if (st == TAC_OK)
        st = tac__terms_status(tac__graph_pool(w->f), w->err);
    if (st != TAC_OK) {
        tac__graph_destroy(w->made);
        w->made = NULL;
    }
    if (made)
        *made = w->made;
    tac__arena_fini(&w->arena);
    return st;
}

tac_status tac__graph_jvp(const tac_graph *f, const char *out, const char *in, tac_graph **made,
                          tac_error *err)
{
    work w;
    tac_status st = begin_graph(&w, f, out, in, "fwd_", err);
    if (st == TAC_OK)
        st = make_jvp(&w);
    return end(&w, st, made);
}

tac_status tac__graph_vjp(const tac_graph *f, const char *out, const char *in, tac_graph **made,
                          tac_error *err)
{
    work w;
    tac_status st = begin_graph(&w, f, out, in, "adj_", err);
    if (st == TAC_OK)
        st = make_vjp(&w);
    return end(&w, st, made);
}

tac_status tac__graph_jacobian(const tac_graph *f, const char *out, const char *in,
                               tac_graph **made, tac_error *err)
{
    work w;
    tac_status st = begin_graph(&w, f, out, in, "jac_", err);
    if (st == TAC_OK)
        st = make_jacobian(&w);
    return end(&w, st, made);
}

tac_status tac__graph_hessian(const tac_graph *f, const char *out, const char *in,
                              tac__triangle triangle, tac_graph **made, tac_error *err)
{
    work w;
    tac_status st = begin_graph(&w, f, out, in, "hess_", err);
    if (st == TAC_OK)
        st = make_hessian(&w, triangle);
    return end(&w, st, made);
}

tac_status tac__graph_lagrangian(const tac_graph *f, const char *out, const char *in,
                                 tac__triangle triangle, tac_graph **made, tac_error *err)
{
    work w;
    tac_status st = begin_graph(&w, f, out, in, "hess_", err);
    if (st == TAC_OK)
        st = make_lagrangian(&w, triangle);
    return end(&w, st, made);
}

tac_status tac__graph_pattern(tac__arena *arena, const tac_graph *f, const char *out,
                              const char *in, tac__jacobian_facts *facts, tac_error *err)
{
    work w;
    tac__sweep sweep;
    tac_status st = begin(&w, f, out, in, err);
    if (st == TAC_OK)
        st = prepare(&w, &sweep, w.out.terms, w.out.count);
    if (st == TAC_OK)
        st = find_facts(&w, &sweep, arena, facts);
    return end(&w, st, NULL);
}
