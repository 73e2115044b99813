// draw_layout.c - a layered layout: one column a stage, or two where some components of a stage
// depend on others.
//
// An arrow that crosses columns gets a bend in each, which takes room between boxes like a box, so
// that the arrow never runs through one. Arrows that leave a box in the same style share their
// bends: they run as one line and separate late. Boxes keep the order in which they run. Positions
// of bends and heights are found by moving everything towards the mean of its neighbours, in
// several sweeps, keeping the distances inside a column (isotonic regression). Arrows inside a
// column run beside it, arrows to the left run below everything.
#include "explain/draw_layout.h"

#include <stdint.h>
#include <string.h>

enum { SUBS_MAX = 2, SWEEPS = 60, SWEEPS_FREE = 40, SLOT = 6, LANE = 8, ENTRY = 13, EXIT = 9 };
static const double MARGIN = 24, ISLAND_HEADER = 24, ISLAND_PADDING = 10, FAR = 1e9;

typedef struct vertex { // a box or a bend
    int box;            // -1: a bend
    size_t column;
    double y, h; // of its middle; its height
    double want, weight;
} vertex;

typedef enum course { FORWARD, ARC, BACK } course; // to the right, inside a column, to the left

typedef struct chain { // arrows that leave a box in one style on one course
    uint32_t from;
    tac__style style;
    bool delayed;
    course course;
    size_t last;   // FORWARD: column of its last bend, plus 1
    size_t bends;  // FORWARD: first vertex
    unsigned slot; // BACK: number of its vertical line in the gap
    unsigned lane; // BACK: how far below; ARC: how far to the right
    double exit;   // where it leaves the box, relative to its middle
    double key;    // for sorting exits
} chain;

typedef struct segment {
    size_t a, b; // vertices
} segment;

typedef struct work {
    const tac__picture *p;
    tac__arena *arena;
    tac__layout *l;
    vertex *vertices;
    size_t vertex_count;
    TAC__CAPACITY(vertex) vertex_capacity;
    chain *chains;
    size_t chain_count;
    TAC__CAPACITY(chain) chain_capacity;
    size_t *chain_of; // per arrow
    double *entry;    // per arrow: where it enters, relative to the middle of the box
    unsigned *arcs;   // per column: lanes for arcs beside it
    double *labels;   // per column: widest label of an arc
    unsigned *slots;  // per column: vertical lines in its gap; one more for the right end
    unsigned *slot;   // per arrow that goes back: number of its vertical line
    segment *segments;
    size_t segment_count;
    TAC__CAPACITY(segment) segment_capacity;
    size_t **order; // per column: vertices from top to bottom
    size_t *order_count;
    double *sums, *counts; // scratch of a sweep: per vertex
    double *means, *weights;
    size_t *members;
    unsigned lanes;
} work;

static course course_of(const work *w, const tac__arrow *a)
{
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    return to == from ? ARC : to > from ? FORWARD : BACK;
}

// --- columns ------------------------------------------------------------------------------------

static int box_stage(const tac__box *b)
{
    return b->kind == TAC__BOX_STATE ? -1 : (int)b->stage;
}

// Inside a stage a component stands right of those it depends on, as long as two columns are enough
// for that; otherwise all stand in one column. Boxes come in the order in which they run, so one
// pass finds the longest path.
static void find_subs(const tac__picture *p, int *subs)
{
    int deepest[TAC_STAGE_COUNT + 1] = {0};
    for (uint32_t i = 0; i < p->box_count; i++) {
        const int stage = box_stage(&p->boxes[i]);
        for (size_t k = 0; p->boxes[i].kind == TAC__BOX_STEP && k < p->arrow_count; k++) {
            const tac__arrow *a = &p->arrows[k];
            if (a->to == i && a->from < i && !a->delayed && a->style != TAC__STYLE_MESSAGE &&
                box_stage(&p->boxes[a->from]) == stage && subs[a->from] + 1 > subs[i])
                subs[i] = subs[a->from] + 1;
        }
        deepest[stage + 1] = subs[i] > deepest[stage + 1] ? subs[i] : deepest[stage + 1];
    }
    for (size_t i = 0; i < p->box_count; i++) {
        if (deepest[box_stage(&p->boxes[i]) + 1] >= SUBS_MAX)
            subs[i] = 0;
    }
}

static bool make_columns(work *w)
{
    const tac__picture *p = w->p;
    tac__layout *l = w->l;
    int *subs = tac__arena_array(w->arena, p->box_count, sizeof *subs);
    l->columns = tac__arena_array(w->arena, (TAC_STAGE_COUNT + 1) * SUBS_MAX, sizeof *l->columns);
    l->box_column = tac__arena_array(w->arena, p->box_count, sizeof *l->box_column);
    if (!subs || !l->columns || !l->box_column)
        return false;
    find_subs(p, subs);
    for (int stage = -1; stage < TAC_STAGE_COUNT; stage++) {
        for (int sub = 0; sub < SUBS_MAX; sub++) {
            bool any = false;
            for (size_t i = 0; i < p->box_count; i++) {
                if (box_stage(&p->boxes[i]) != stage || subs[i] != sub)
                    continue;
                any = true;
                l->box_column[i] = l->column_count;
            }
            if (any)
                l->columns[l->column_count++] = (tac__column){.stage = stage, .sub = sub};
        }
    }
    return true;
}

// --- vertices, chains, segments -----------------------------------------------------------------

static bool add_vertex(work *w, int box, size_t column, double h)
{
    if (!TAC__ARENA_GROW(w->arena, w->vertices, w->vertex_count, w->vertex_capacity))
        return false;
    w->vertices[w->vertex_count++] =
        (vertex){.box = box, .column = column, .h = h, .weight = box < 0 ? 2 : 1};
    return true;
}

static bool add_segment(work *w, size_t a, size_t b)
{
    if (!TAC__ARENA_GROW(w->arena, w->segments, w->segment_count, w->segment_capacity))
        return false;
    w->segments[w->segment_count++] = (segment){a, b};
    return true;
}

static bool make_vertices(work *w)
{
    for (uint32_t i = 0; i < w->p->box_count; i++) { // vertex i is box i
        if (!add_vertex(w, (int)i, w->l->box_column[i], 0))
            return false;
    }
    return true;
}

// A box is high enough for everything that enters and leaves it.
static void find_box_heights(work *w)
{
    const tac__picture *p = w->p;
    for (uint32_t box = 0; box < p->box_count; box++) {
        double left = 0, arcs = 0, exits = 0;
        for (size_t i = 0; i < p->arrow_count; i++) {
            const bool arc = w->chains[w->chain_of[i]].course == ARC;
            left += p->arrows[i].to == box && !arc;
            arcs += p->arrows[i].to == box && arc;
        }
        for (size_t i = 0; i < w->chain_count; i++)
            exits += w->chains[i].from == box;
        const double right = (arcs + exits) * (arcs > 0 ? ENTRY : EXIT);
        const double h = 10 + (left * ENTRY > right ? left * ENTRY : right);
        w->vertices[box].h = h > 38 ? h : 38;
    }
}

static bool find_chain(work *w, const tac__arrow *a, size_t *found)
{
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    const course way = course_of(w, a);
    size_t i = 0;
    while (i < w->chain_count && (w->chains[i].from != a->from || w->chains[i].style != a->style ||
                                  w->chains[i].delayed != a->delayed || w->chains[i].course != way))
        i++;
    if (i == w->chain_count) {
        if (!TAC__ARENA_GROW(w->arena, w->chains, w->chain_count, w->chain_capacity))
            return false;
        w->chains[w->chain_count++] = (chain){.from = a->from,
                                              .style = a->style,
                                              .delayed = a->delayed,
                                              .course = way,
                                              .last = from + 1};
    }
    chain *c = &w->chains[i];
    if (way == FORWARD && to > c->last)
        c->last = to;
    *found = i;
    return true;
}

// Bends of a chain, and the segments between them.
static bool add_bends(work *w, chain *c)
{
    c->bends = w->vertex_count;
    size_t before = c->from;
    for (size_t k = w->l->box_column[c->from] + 1; k < c->last; k++) {
        if (!add_vertex(w, -1, k, 4) || !add_segment(w, before, w->vertex_count - 1))
            return false;
        before = w->vertex_count - 1;
    }
    return true;
}

// The last vertex of an arrow before it enters its box: a bend, or the box it comes from.
static size_t last_vertex(const work *w, size_t arrow)
{
    const tac__arrow *a = &w->p->arrows[arrow];
    const chain *c = &w->chains[w->chain_of[arrow]];
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    return c->course == FORWARD && to > from + 1 ? c->bends + (to - from - 2) : a->from;
}

// The boxes of a column that an arc runs past: from the highest to the lowest of its ends.
static void arc_span(const work *w, size_t number, uint32_t *low, uint32_t *high)
{
    *low = *high = w->chains[number].from;
    for (size_t i = 0; i < w->p->arrow_count; i++) {
        if (w->chain_of[i] != number)
            continue;
        const uint32_t to = w->p->arrows[i].to;
        *low = to < *low ? to : *low;
        *high = to > *high ? to : *high;
    }
}

// The innermost lane that no arc beside the same boxes has taken.
static void find_arc_lane(work *w, size_t number)
{
    chain *c = &w->chains[number];
    const size_t column = w->l->box_column[c->from];
    uint32_t low, high;
    arc_span(w, number, &low, &high);
    for (size_t i = 0; i < number; i++) {
        const chain *d = &w->chains[i];
        uint32_t top, bottom;
        if (d->course != ARC || w->l->box_column[d->from] != column || d->lane != c->lane)
            continue;
        arc_span(w, i, &top, &bottom);
        if (top <= high && low <= bottom) {
            c->lane++;
            i = SIZE_MAX; // start again with the next lane
        }
    }
    if (c->lane >= w->arcs[column])
        w->arcs[column] = c->lane + 1;
}

static bool make_chains(work *w)
{
    const tac__picture *p = w->p;
    const size_t columns = w->l->column_count;
    w->chain_of = tac__arena_array(w->arena, p->arrow_count, sizeof *w->chain_of);
    w->entry = tac__arena_array(w->arena, p->arrow_count, sizeof *w->entry);
    w->slot = tac__arena_array(w->arena, p->arrow_count, sizeof *w->slot);
    w->slots = tac__arena_array(w->arena, columns + 1, sizeof *w->slots);
    w->arcs = tac__arena_array(w->arena, columns, sizeof *w->arcs);
    w->labels = tac__arena_array(w->arena, columns, sizeof *w->labels);
    if (!w->chain_of || !w->entry || !w->slot || !w->slots || !w->arcs || !w->labels)
        return false;
    for (size_t i = 0; i < p->arrow_count; i++) {
        if (!find_chain(w, &p->arrows[i], &w->chain_of[i]))
            return false;
    }
    for (size_t i = 0; i < w->chain_count; i++) {
        chain *c = &w->chains[i];
        const size_t column = w->l->box_column[c->from];
        if (c->course == FORWARD && !add_bends(w, c))
            return false;
        if (c->course == ARC)
            find_arc_lane(w, i);
        if (c->course == BACK) {
            c->slot = w->slots[column + 1]++;
            c->lane = w->lanes++;
        }
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__arrow *a = &p->arrows[i];
        const course way = w->chains[w->chain_of[i]].course;
        if (way == BACK)
            w->slot[i] = w->slots[w->l->box_column[a->to]]++;
        if (way == FORWARD && !add_segment(w, last_vertex(w, i), a->to))
            return false;
    }
    find_box_heights(w);
    return true;
}

// --- heights ------------------------------------------------------------------------------------

// Least distance between the middles of two neighbours in a column.
static double apart(const work *w, size_t a, size_t b)
{
    const vertex *u = &w->vertices[a], *v = &w->vertices[b];
    double gap = u->box < 0 || v->box < 0 ? 9 : 20;
    if (u->box >= 0 && v->box >= 0) {
        const tac__box *x = &w->p->boxes[u->box], *y = &w->p->boxes[v->box];
        if (x->island != y->island)
            gap += ISLAND_HEADER + ISLAND_PADDING;
    }
    return (u->h + v->h) / 2 + gap;
}

// Heights of n vertices in this order, as near as possible to where they should be.
static void settle(work *w, const size_t *order, size_t n)
{
    size_t blocks = 0;
    double offset = 0;
    for (size_t i = 0; i < n; i++) {
        const vertex *v = &w->vertices[order[i]];
        if (i > 0)
            offset += apart(w, order[i - 1], order[i]);
        double mean = v->want - offset, weight = v->weight;
        size_t members = 1;
        while (blocks > 0 && w->means[blocks - 1] > mean) {
            blocks--;
            mean = (mean * weight + w->means[blocks] * w->weights[blocks]) /
                   (weight + w->weights[blocks]);
            weight += w->weights[blocks];
            members += w->members[blocks];
        }
        w->means[blocks] = mean;
        w->weights[blocks] = weight;
        w->members[blocks++] = members;
    }
    offset = 0;
    for (size_t b = 0, i = 0; b < blocks; b++) {
        for (size_t k = 0; k < w->members[b]; k++, i++) {
            if (i > 0)
                offset += apart(w, order[i - 1], order[i]);
            w->vertices[order[i]].y = w->means[b] + offset;
        }
    }
}

// Put the bends of a column between its boxes, each as near as possible to where it should be.
static void reorder(work *w, size_t *order, size_t n)
{
    // Boxes first, in their order.
    size_t boxes = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t v = order[i];
        if (w->vertices[v].box < 0)
            continue;
        memmove(order + boxes + 1, order + boxes, (i - boxes) * sizeof *order);
        order[boxes++] = v;
    }
    settle(w, order, boxes);
    for (size_t i = boxes; i < n; i++) {
        const size_t v = order[i];
        const double want = w->vertices[v].want;
        size_t at = i;
        while (at > 0) {
            const vertex *u = &w->vertices[order[at - 1]];
            if ((u->box < 0 ? u->want : u->y) <= want)
                break;
            order[at] = order[at - 1];
            at--;
        }
        order[at] = v;
    }
}

static void sweep_column(work *w, size_t column, bool free_bends)
{
    size_t *order = w->order[column];
    const size_t n = w->order_count[column];
    // A box without arrows belongs next to the one above it, with little weight.
    double want = 0;
    for (size_t i = n; i-- > 0;) {
        if (w->counts[order[i]] > 0)
            want = w->sums[order[i]] / w->counts[order[i]];
    }
    for (size_t i = 0; i < n; i++) {
        vertex *v = &w->vertices[order[i]];
        const bool free_box = w->counts[order[i]] == 0;
        v->want = want = free_box ? want : w->sums[order[i]] / w->counts[order[i]];
        v->weight = free_box ? 0.01 : v->box < 0 ? 2 : 1;
    }
    if (free_bends)
        reorder(w, order, n);
    settle(w, order, n);
}

static void gather(work *w, size_t column)
{
    for (size_t i = 0; i < w->order_count[column]; i++)
        w->sums[w->order[column][i]] = w->counts[w->order[column][i]] = 0;
    for (size_t i = 0; i < w->segment_count; i++) {
        const segment *s = &w->segments[i];
        // Straight long lines matter more than straight short ones.
        const double stiff = w->vertices[s->a].box < 0 && w->vertices[s->b].box < 0 ? 4 : 1;
        if (w->vertices[s->a].column == column) {
            w->sums[s->a] += stiff * w->vertices[s->b].y;
            w->counts[s->a] += stiff;
        }
        if (w->vertices[s->b].column == column) {
            w->sums[s->b] += stiff * w->vertices[s->a].y;
            w->counts[s->b] += stiff;
        }
    }
}

static bool find_heights(work *w)
{
    const size_t n = w->vertex_count, columns = w->l->column_count;
    w->order = tac__arena_array(w->arena, columns, sizeof *w->order);
    w->order_count = tac__arena_array(w->arena, columns, sizeof *w->order_count);
    w->sums = tac__arena_array(w->arena, n, sizeof *w->sums);
    w->counts = tac__arena_array(w->arena, n, sizeof *w->counts);
    w->means = tac__arena_array(w->arena, n, sizeof *w->means);
    w->weights = tac__arena_array(w->arena, n, sizeof *w->weights);
    w->members = tac__arena_array(w->arena, n, sizeof *w->members);
    if (!w->order || !w->order_count || !w->sums || !w->counts || !w->means || !w->weights ||
        !w->members)
        return false;
    for (size_t c = 0; c < columns; c++) {
        w->order[c] = tac__arena_array(w->arena, n, sizeof **w->order);
        if (!w->order[c])
            return false;
        for (size_t i = 0; i < n; i++) {
            if (w->vertices[i].column == c)
                w->order[c][w->order_count[c]++] = i;
        }
        settle(w, w->order[c], w->order_count[c]); // all targets are 0: stacked around it
    }
    for (int s = 0; s < SWEEPS; s++) {
        for (size_t i = 0; i < columns; i++) {
            const size_t c = s % 2 ? columns - 1 - i : i;
            gather(w, c);
            sweep_column(w, c, s < SWEEPS_FREE);
        }
    }
    return true;
}

// Makes nearly straight lines straight; bends may come a little closer to each other for that.
static void straighten(work *w)
{
    for (size_t i = 0; i < w->chain_count; i++) {
        const chain *c = &w->chains[i];
        const size_t first = w->l->box_column[c->from] + 1;
        for (size_t k = first + 1; c->course == FORWARD && k < c->last; k++) {
            const double before = w->vertices[c->bends + (k - first - 1)].y;
            vertex *v = &w->vertices[c->bends + (k - first)];
            if (v->y - before < 5 && before - v->y < 5)
                v->y = before;
        }
    }
}

static void move_to_top(work *w, double top)
{
    double least = 1e9, most = -1e9;
    for (size_t i = 0; i < w->vertex_count; i++) {
        const vertex *v = &w->vertices[i];
        const bool plant = v->box >= 0 && w->p->boxes[v->box].island >= 0;
        const double above = v->y - v->h / 2 - (plant ? ISLAND_HEADER : 0);
        const double below = v->y + v->h / 2 + (plant ? ISLAND_PADDING : 0);
        least = above < least ? above : least;
        most = below > most ? below : most;
    }
    for (size_t i = 0; i < w->vertex_count; i++)
        w->vertices[i].y += top - least;
    w->l->bottom = w->vertex_count ? top + most - least : top;
}

// --- widths -------------------------------------------------------------------------------------

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double label_width(const tac__arrow *a)
{
    return clamp(tac__svg_width(a->label, TAC__LABEL_SIZE, false), 0, TAC__LABEL_MAX);
}

// Arcs run right of a column, outside of their labels.
static double arc_room(const work *w, size_t column)
{
    return w->arcs[column] ? w->labels[column] + 20 + LANE * (double)w->arcs[column] : 0;
}

static void find_widths(work *w)
{
    const tac__picture *p = w->p;
    tac__layout *l = w->l;
    for (size_t i = 0; i < p->box_count; i++) {
        const tac__box *b = &p->boxes[i];
        tac__column *c = &l->columns[l->box_column[i]];
        const double title =
            tac__svg_width(b->title, TAC__TITLE_SIZE, true) + 20 + (b->number ? 16 : 0);
        const double subtitle =
            tac__svg_width(b->subtitle, TAC__SUBTITLE_SIZE, false) + 20 + (b->count > 1 ? 26 : 0);
        const double wide = clamp(title > subtitle ? title : subtitle, 76, TAC__BOX_MAX);
        c->w = wide > c->w ? wide : c->w;
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__arrow *a = &p->arrows[i];
        const size_t column = l->box_column[a->to];
        double *room =
            w->chains[w->chain_of[i]].course == ARC ? &w->labels[column] : &l->columns[column].gap;
        const double wide = label_width(a);
        *room = wide > *room ? wide : *room;
    }
    // Gaps with many lines are made wider, so that the lines can be told apart.
    for (size_t i = 0; i < l->column_count; i++) {
        double lines = 0;
        for (size_t k = 0; k < w->segment_count; k++)
            lines += w->vertices[w->segments[k].b].column == i;
        l->columns[i].gap += clamp(3 * (lines - 8), 0, 90);
    }
    double x = MARGIN;
    for (size_t i = 0; i < l->column_count; i++) {
        tac__column *c = &l->columns[i];
        c->gap += (c->gap > 0 ? 30 : 24) + SLOT * (double)w->slots[i];
        if (i == 0 && w->slots[0] == 0)
            c->gap = 10;
        c->x = x + c->gap;
        c->beside = arc_room(w, i);
        x = c->x + c->w + c->beside;
    }
    x += SLOT * (double)w->slots[l->column_count] + 10;
    l->width = x + MARGIN;
}

// --- results ------------------------------------------------------------------------------------

static bool place_boxes(work *w)
{
    const tac__picture *p = w->p;
    tac__layout *l = w->l;
    l->boxes = tac__arena_array(w->arena, p->box_count, sizeof *l->boxes);
    l->islands = tac__arena_array(w->arena, p->engine->plan->island_count, sizeof *l->islands);
    if (!l->boxes || !l->islands)
        return false;
    for (size_t i = 0; i < p->box_count; i++) {
        const tac__column *c = &l->columns[l->box_column[i]];
        const vertex *v = &w->vertices[i];
        const tac__rect r = l->boxes[i] = (tac__rect){c->x, v->y - v->h / 2, c->w, v->h};
        const int island = p->boxes[i].island;
        if (island < 0)
            continue;
        tac__rect *is = &l->islands[island];
        char text[TAC_ERROR_NAME];
        tac__out out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "%s: %zu states", p->engine->plan->islands[island].name,
                     p->engine->plan->islands[island].x_count);
        const double header = tac__svg_width(text, TAC__SUBTITLE_SIZE, true) + 20;
        const double beside = c->beside > ISLAND_PADDING ? c->beside : ISLAND_PADDING;
        if (is->w == 0)
            *is = (tac__rect){r.x - ISLAND_PADDING, r.y - ISLAND_HEADER,
                              clamp(ISLAND_PADDING + r.w + beside, header, 1e9), 0};
        is->h = r.y + r.h + ISLAND_PADDING - is->y;
        const double right = is->x + is->w + MARGIN;
        l->width = right > l->width ? right : l->width;
    }
    return true;
}

// Spread the arrows that enter a box over its left side, in the order of where they come from.
static void spread_left(work *w, uint32_t box)
{
    const tac__picture *p = w->p;
    double n = 0;
    for (size_t i = 0; i < p->arrow_count; i++)
        n += p->arrows[i].to == box && w->chains[w->chain_of[i]].course != ARC;
    for (size_t i = 0; i < p->arrow_count; i++) {
        const chain *c = &w->chains[w->chain_of[i]];
        if (p->arrows[i].to != box || c->course == ARC)
            continue;
        const double mine = c->course == BACK ? FAR : w->vertices[last_vertex(w, i)].y;
        double rank = 0;
        for (size_t k = 0; k < p->arrow_count; k++) {
            const chain *d = &w->chains[w->chain_of[k]];
            if (p->arrows[k].to != box || d->course == ARC)
                continue;
            const double other = d->course == BACK ? FAR : w->vertices[last_vertex(w, k)].y;
            rank += other < mine || (other == mine && k < i);
        }
        w->entry[i] = (rank - (n - 1) / 2) * ENTRY;
    }
}

// Sort key of a chain's exit: the height that it goes to first.
static double exit_key(const work *w, size_t number)
{
    const chain *c = &w->chains[number];
    if (c->course == BACK)
        return FAR;
    if (c->course == FORWARD && c->last > w->l->box_column[c->from] + 1)
        return w->vertices[c->bends].y;
    double sum = 0, n = 0;
    for (size_t k = 0; k < w->p->arrow_count; k++) {
        if (w->chain_of[k] == number) {
            sum += w->vertices[w->p->arrows[k].to].y;
            n++;
        }
    }
    return sum / n;
}

// The sort key of a port on the right side, if the port belongs to this box.
static bool right_port(const work *w, uint32_t box, size_t port, double *key)
{
    if (port < w->chain_count) {
        *key = w->chains[port].key;
        return w->chains[port].from == box;
    }
    const tac__arrow *a = &w->p->arrows[port - w->chain_count];
    *key = w->vertices[a->from].y;
    return a->to == box && w->chains[w->chain_of[port - w->chain_count]].course == ARC;
}

// Spread the arcs that enter a box, and everything that leaves it, over its right side.
static void spread_right(work *w, uint32_t box)
{
    const tac__picture *p = w->p;
    double n = 0, pitch = EXIT;
    for (size_t i = 0; i < w->chain_count; i++) {
        if (w->chains[i].from == box) {
            w->chains[i].key = exit_key(w, i);
            n++;
        }
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        if (p->arrows[i].to == box && w->chains[w->chain_of[i]].course == ARC) {
            n++;
            pitch = ENTRY; // labels need more room than lines
        }
    }
    // Ports are chains that leave, then arrows that enter.
    const size_t chains = w->chain_count, total = chains + p->arrow_count;
    for (size_t i = 0; i < total; i++) {
        double mine, other, rank = 0;
        if (!right_port(w, box, i, &mine))
            continue;
        for (size_t k = 0; k < total; k++) {
            if (right_port(w, box, k, &other))
                rank += other < mine || (other == mine && k < i);
        }
        const double at = (rank - (n - 1) / 2) * pitch;
        if (i < chains)
            w->chains[i].exit = at;
        else
            w->entry[i - chains] = at;
    }
}

static void add_point(tac__path *path, double x, double y)
{
    path->points[path->count][0] = x;
    path->points[path->count++][1] = y;
}

static double slot_x(const work *w, size_t column, unsigned slot)
{
    const tac__layout *l = w->l;
    const tac__column *before = column ? &l->columns[column - 1] : NULL;
    return (before ? before->x + before->w + before->beside : MARGIN) + 8 + SLOT * (double)slot;
}

// A straight piece past the arcs of a column.
static void pass_arcs(const work *w, size_t column, double y, tac__path *path)
{
    const tac__column *c = &w->l->columns[column];
    if (c->beside > 0) {
        add_point(path, c->x + c->w + c->beside, y);
        add_point(path, c->x + c->w + c->beside, y);
    }
}

static void run_forward(const work *w, size_t arrow, double y0, tac__path *path)
{
    const tac__arrow *a = &w->p->arrows[arrow];
    const chain *c = &w->chains[w->chain_of[arrow]];
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    pass_arcs(w, from, y0, path);
    for (size_t k = from + 1; k < to; k++) {
        const vertex *v = &w->vertices[c->bends + (k - from - 1)];
        const tac__column *column = &w->l->columns[k];
        add_point(path, column->x - 4, v->y);
        add_point(path, column->x + column->w + column->beside + 4, v->y);
    }
}

static bool run_arrow(work *w, size_t arrow)
{
    const tac__arrow *a = &w->p->arrows[arrow];
    const chain *c = &w->chains[w->chain_of[arrow]];
    const size_t column = w->l->box_column[a->to];
    const tac__rect *from = &w->l->boxes[a->from], *to = &w->l->boxes[a->to];
    tac__path *path = &w->l->paths[arrow];
    path->points = tac__arena_array(w->arena, 6 + 2 * w->l->column_count, sizeof *path->points);
    if (!path->points)
        return false;
    const double y0 = from->y + from->h / 2 + c->exit, y1 = to->y + to->h / 2 + w->entry[arrow];
    const double right = to->x + to->w;
    path->square = c->course != FORWARD;
    path->label_begins = c->course == ARC;
    path->label_x = c->course == ARC ? right + 11 : to->x - 10;
    path->label_y = y1 - 3;
    add_point(path, from->x + from->w, y0);
    switch (c->course) {
    case FORWARD:
        run_forward(w, arrow, y0, path);
        break;
    case ARC: {
        const double lane = right + w->labels[column] + 16 + LANE * (double)c->lane;
        add_point(path, lane, y0);
        add_point(path, lane, y1);
        break;
    }
    case BACK: {
        const double down = slot_x(w, w->l->box_column[a->from] + 1, c->slot);
        const double up = slot_x(w, column, w->slot[arrow]);
        const double lane = w->l->bottom + 20 + LANE * (double)c->lane;
        add_point(path, down, y0);
        add_point(path, down, lane);
        add_point(path, up, lane);
        add_point(path, up, y1);
        break;
    }
    }
    add_point(path, c->course == ARC ? right : to->x, y1);
    return true;
}

static bool run_arrows(work *w)
{
    const tac__picture *p = w->p;
    w->l->paths = tac__arena_array(w->arena, p->arrow_count, sizeof *w->l->paths);
    if (!w->l->paths)
        return false;
    for (uint32_t i = 0; i < p->box_count; i++) {
        spread_left(w, i);
        spread_right(w, i);
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        if (!run_arrow(w, i))
            return false;
    }
    w->l->lanes = w->l->bottom + (w->lanes ? 18 + LANE * (double)w->lanes : 0);
    return true;
}

bool tac__layout_make(const tac__picture *p, tac__arena *arena, double top, tac__layout *l)
{
    *l = (tac__layout){.top = top};
    work w = {.p = p, .arena = arena, .l = l};
    if (!make_columns(&w) || !make_vertices(&w) || !make_chains(&w) || !find_heights(&w))
        return false;
    straighten(&w);
    move_to_top(&w, top);
    find_widths(&w);
    return place_boxes(&w) && run_arrows(&w);
}
