// draw_layout.c - a layered layout: columns for the stages, components inside a stage further to the
// right than those they wait for.
//
// An arrow that crosses columns gets a bend in each, which takes room between the boxes as a box
// does, so that it never runs through one. Bends of arrows that leave a box in the same style are
// shared: they run as one line and part late. Boxes keep the order in which they run; bends and
// heights are found by moving everything towards the mean of its neighbours, sweep by sweep, with
// the distances inside a column kept (isotonic regression). Arrows to the left run below all.
#include "engine/draw_layout.h"

#include <string.h>

enum { SUBS_MAX = 6, SWEEPS = 60, SWEEPS_FREE = 40, SLOT = 6, LANE = 9, ENTRY = 13 };
static const double MARGIN = 24, ISLAND_HEADER = 24, ISLAND_PADDING = 10;

typedef struct vertex { // a box or a bend
    int box;            // -1: a bend
    size_t column;
    double y, h; // of its middle; its height
    double want, weight;
} vertex;

typedef struct chain { // arrows that leave a box in one style, to the right or to the left
    uint32_t from;
    tac__style style;
    bool delayed, back;
    size_t last;    // column of its last bend, plus 1
    size_t bends;   // first vertex
    double exit;    // where it leaves the box, seen from its middle
    double slot_x;  // back: where it goes down
    unsigned slot;  // back: number of that place
    unsigned lane;  // back: how far below
    double first_y; // for sorting exits
} chain;

typedef struct segment {
    size_t a, b; // vertices
} segment;

typedef struct work {
    const tac__picture *p;
    tac__arena *arena;
    tac__layout *l;
    vertex *vertices;
    size_t vertex_count, vertex_capacity;
    chain *chains;
    size_t chain_count, chain_capacity;
    size_t *chain_of; // per arrow
    double *entry;    // per arrow: where it enters, seen from the middle of the box
    unsigned *slots;  // per column: places for upright lines in its gap; one more for the right end
    unsigned *slot;   // per arrow that goes back: its place
    segment *segments;
    size_t segment_count, segment_capacity;
    size_t **order; // per column: vertices from top to bottom
    size_t *order_count;
    double *sums, *counts; // scratch of a sweep: per vertex
    double *means, *weights;
    size_t *members;
    unsigned lanes, plant_lanes;
    double plant_labels; // room for labels beside the boxes of islands
} work;

static bool is_coupled(const tac__arrow *a)
{
    return a->style == TAC__STYLE_COUPLED;
}

// --- columns ------------------------------------------------------------------------------------

static int box_stage(const tac__box *b)
{
    return b->kind == TAC__BOX_STATE ? -1 : (int)b->stage;
}

// Inside a stage a component stands right of those it waits for. Boxes come in the order in which
// they run, so one pass finds the longest way.
static bool find_subs(work *w, int *subs)
{
    const tac__picture *p = w->p;
    for (uint32_t i = 0; i < p->box_count; i++) {
        for (size_t k = 0; k < p->arrow_count; k++) {
            const tac__arrow *a = &p->arrows[k];
            const tac__box *from = &p->boxes[a->from];
            if (a->to != i || a->from >= i || a->delayed || a->style == TAC__STYLE_MESSAGE ||
                from->kind == TAC__BOX_STATE || p->boxes[i].kind == TAC__BOX_PLANT ||
                box_stage(from) != box_stage(&p->boxes[i]))
                continue;
            if (subs[a->from] + 1 > subs[i] && subs[a->from] + 1 < SUBS_MAX)
                subs[i] = subs[a->from] + 1;
        }
    }
    return true;
}

static bool make_columns(work *w)
{
    const tac__picture *p = w->p;
    tac__layout *l = w->l;
    int *subs = tac__arena_array(w->arena, p->box_count, sizeof *subs);
    l->columns = tac__arena_array(w->arena, (TAC_STAGE_COUNT + 1) * SUBS_MAX, sizeof *l->columns);
    l->box_column = tac__arena_array(w->arena, p->box_count, sizeof *l->box_column);
    if (!subs || !l->columns || !l->box_column || !find_subs(w, subs))
        return false;
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

static double box_height(const tac__picture *p, uint32_t box)
{
    unsigned left = 0, right = 0, out = 0;
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__arrow *a = &p->arrows[i];
        left += a->to == box && !is_coupled(a);
        right += a->to == box && is_coupled(a);
        out |= a->from == box && is_coupled(a);
    }
    const unsigned most = left > right + out ? left : right + out;
    const double h = 10 + ENTRY * (double)most;
    return h > 38 ? h : 38;
}

static bool make_vertices(work *w)
{
    for (uint32_t i = 0; i < w->p->box_count; i++) { // vertex i is box i
        if (!add_vertex(w, (int)i, w->l->box_column[i], box_height(w->p, i)))
            return false;
    }
    return true;
}

static bool find_chain(work *w, const tac__arrow *a, size_t *found)
{
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    const bool back = to <= from;
    size_t i = 0;
    while (i < w->chain_count && (w->chains[i].from != a->from || w->chains[i].style != a->style ||
                                  w->chains[i].delayed != a->delayed || w->chains[i].back != back))
        i++;
    if (i == w->chain_count) {
        if (!TAC__ARENA_GROW(w->arena, w->chains, w->chain_count, w->chain_capacity))
            return false;
        w->chains[w->chain_count++] = (chain){.from = a->from,
                                              .style = a->style,
                                              .delayed = a->delayed,
                                              .back = back,
                                              .last = from + 1};
    }
    chain *c = &w->chains[i];
    if (!back && to > c->last)
        c->last = to;
    *found = i;
    return true;
}

static bool make_chains(work *w)
{
    const tac__picture *p = w->p;
    w->chain_of = tac__arena_array(w->arena, p->arrow_count, sizeof *w->chain_of);
    w->entry = tac__arena_array(w->arena, p->arrow_count, sizeof *w->entry);
    w->slot = tac__arena_array(w->arena, p->arrow_count, sizeof *w->slot);
    w->slots = tac__arena_array(w->arena, w->l->column_count + 1, sizeof *w->slots);
    if (!w->chain_of || !w->entry || !w->slot || !w->slots)
        return false;
    for (size_t i = 0; i < p->arrow_count; i++) {
        if (!find_chain(w, &p->arrows[i], &w->chain_of[i]))
            return false;
    }
    for (size_t i = 0; i < w->chain_count; i++) {
        chain *c = &w->chains[i];
        const size_t column = w->l->box_column[c->from];
        if (c->style == TAC__STYLE_COUPLED) {
            c->lane = w->plant_lanes++;
            continue;
        }
        if (c->back) {
            c->slot = w->slots[column + 1]++;
            c->lane = w->lanes++;
            continue;
        }
        c->bends = w->vertex_count;
        size_t before = c->from;
        for (size_t k = column + 1; k < c->last; k++) {
            if (!add_vertex(w, -1, k, 4) || !add_segment(w, before, w->vertex_count - 1))
                return false;
            before = w->vertex_count - 1;
        }
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__arrow *a = &p->arrows[i];
        const chain *c = &w->chains[w->chain_of[i]];
        const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
        if (is_coupled(a))
            continue;
        if (c->back)
            w->slot[i] = w->slots[to]++;
        else if (!add_segment(w, to > from + 1 ? c->bends + (to - from - 2) : a->from, a->to))
            return false;
    }
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

// Heights of n vertices in this order, as near as can be to what they want.
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

// Put the bends of a column between its boxes, where they want to be.
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
    for (size_t i = 0; i < w->order_count[column]; i++) {
        vertex *v = &w->vertices[w->order[column][i]];
        const size_t k = w->order[column][i];
        v->want = w->counts[k] > 0 ? w->sums[k] / w->counts[k] : v->y;
    }
    if (free_bends)
        reorder(w, w->order[column], w->order_count[column]);
    settle(w, w->order[column], w->order_count[column]);
}

static void gather(work *w, size_t column)
{
    for (size_t i = 0; i < w->order_count[column]; i++)
        w->sums[w->order[column][i]] = w->counts[w->order[column][i]] = 0;
    for (size_t i = 0; i < w->segment_count; i++) {
        const segment *s = &w->segments[i];
        // Long lines are better straight than short ones.
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
        settle(w, w->order[c], w->order_count[c]); // all want 0: stacked around it
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

static void find_widths(work *w)
{
    const tac__picture *p = w->p;
    tac__layout *l = w->l;
    for (size_t i = 0; i < p->box_count; i++) {
        const tac__box *b = &p->boxes[i];
        tac__column *c = &l->columns[l->box_column[i]];
        const double title = tac__svg_width(b->title, TAC__TITLE_SIZE, true) +
                             (b->number ? 18 : 0) + (b->count > 1 ? 26 : 0);
        const double subtitle = tac__svg_width(b->subtitle, TAC__SUBTITLE_SIZE, false);
        const double wide = clamp((title > subtitle ? title : subtitle) + 18, 88, TAC__BOX_MAX);
        c->w = wide > c->w ? wide : c->w;
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__arrow *a = &p->arrows[i];
        const double wide = label_width(a);
        tac__column *c = &l->columns[l->box_column[a->to]];
        if (is_coupled(a))
            w->plant_labels = wide > w->plant_labels ? wide : w->plant_labels;
        else
            c->gap = wide > c->gap ? wide : c->gap;
    }
    double x = MARGIN;
    for (size_t i = 0; i < l->column_count; i++) {
        tac__column *c = &l->columns[i];
        const double lines = c->gap > 0 ? 34 : 24;
        c->gap += lines + SLOT * (double)w->slots[i];
        if (i == 0 && w->slots[0] == 0)
            c->gap = 12;
        c->x = x + c->gap;
        x = c->x + c->w;
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
    l->islands = tac__arena_array(w->arena, p->engine->island_count, sizeof *l->islands);
    if (!l->boxes || !l->islands)
        return false;
    const double beside =
        w->plant_lanes ? w->plant_labels + 22 + LANE * (double)w->plant_lanes : ISLAND_PADDING;
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
        tac__out_add(&out, "%s: %zu states", p->engine->islands[island].name,
                     p->engine->islands[island].x_count);
        const double header = tac__svg_width(text, TAC__SUBTITLE_SIZE, true) + 20;
        if (is->w == 0)
            *is = (tac__rect){r.x - ISLAND_PADDING, r.y - ISLAND_HEADER,
                              clamp(ISLAND_PADDING + r.w + beside, header, 1e9), 0};
        is->h = r.y + r.h + ISLAND_PADDING - is->y;
        const double right = is->x + is->w + MARGIN;
        l->width = right > l->width ? right : l->width;
    }
    return true;
}

// The middle of what an arrow comes from, just before it enters.
static double comes_from(const work *w, size_t arrow)
{
    const tac__arrow *a = &w->p->arrows[arrow];
    const chain *c = &w->chains[w->chain_of[arrow]];
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    if (is_coupled(a))
        return w->vertices[a->from].y;
    if (c->back)
        return 1e8 + (double)arrow;
    return w->vertices[to > from + 1 ? c->bends + (to - from - 2) : a->from].y;
}

// Spread what enters a box over its side, in the order of where it comes from.
static void spread_entries(work *w, uint32_t box, bool coupled)
{
    const tac__picture *p = w->p;
    bool out = false;
    double n = 0;
    for (size_t i = 0; i < p->arrow_count; i++) {
        n += p->arrows[i].to == box && is_coupled(&p->arrows[i]) == coupled;
        out |= coupled && is_coupled(&p->arrows[i]) && p->arrows[i].from == box;
    }
    const double total = n + (out ? 1 : 0);
    for (size_t i = 0; i < p->arrow_count; i++) {
        if (p->arrows[i].to != box || is_coupled(&p->arrows[i]) != coupled)
            continue;
        double rank = 0;
        for (size_t k = 0; k < p->arrow_count; k++) {
            if (p->arrows[k].to != box || is_coupled(&p->arrows[k]) != coupled || k == i)
                continue;
            const double mine = comes_from(w, i), other = comes_from(w, k);
            rank += other < mine || (other == mine && k < i);
        }
        w->entry[i] = (rank - (total - 1) / 2) * ENTRY;
    }
    for (size_t i = 0; out && i < w->chain_count; i++) {
        if (w->chains[i].from == box && w->chains[i].style == TAC__STYLE_COUPLED)
            w->chains[i].exit = (n - (total - 1) / 2) * ENTRY;
    }
}

static void spread_exits(work *w, uint32_t box)
{
    double n = 0;
    for (size_t i = 0; i < w->chain_count; i++) {
        chain *c = &w->chains[i];
        if (c->from != box || c->style == TAC__STYLE_COUPLED)
            continue;
        n++;
        const size_t column = w->l->box_column[box];
        c->first_y = 1e8 + (double)i;
        if (!c->back && c->last > column + 1)
            c->first_y = w->vertices[c->bends].y;
        for (size_t k = 0; !c->back && c->last == column + 1 && k < w->p->arrow_count; k++) {
            if (w->chain_of[k] == i)
                c->first_y = w->vertices[w->p->arrows[k].to].y;
        }
    }
    for (size_t i = 0; i < w->chain_count; i++) {
        chain *c = &w->chains[i];
        if (c->from != box || c->style == TAC__STYLE_COUPLED)
            continue;
        double rank = 0;
        for (size_t k = 0; k < w->chain_count; k++) {
            const chain *d = &w->chains[k];
            if (d->from == box && d->style != TAC__STYLE_COUPLED && k != i)
                rank += d->first_y < c->first_y || (d->first_y == c->first_y && k < i);
        }
        c->exit = (rank - (n - 1) / 2) * 9;
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
    const double left = column == 0 ? MARGIN : l->columns[column - 1].x + l->columns[column - 1].w;
    return left + 8 + SLOT * (double)slot;
}

static void run_forward(work *w, size_t arrow, tac__path *path)
{
    const tac__arrow *a = &w->p->arrows[arrow];
    const chain *c = &w->chains[w->chain_of[arrow]];
    const size_t from = w->l->box_column[a->from], to = w->l->box_column[a->to];
    for (size_t k = from + 1; k < to; k++) {
        const vertex *v = &w->vertices[c->bends + (k - from - 1)];
        const tac__column *column = &w->l->columns[k];
        add_point(path, column->x - 4, v->y);
        add_point(path, column->x + column->w + 4, v->y);
    }
}

static bool run_arrow(work *w, size_t arrow)
{
    const tac__arrow *a = &w->p->arrows[arrow];
    const chain *c = &w->chains[w->chain_of[arrow]];
    tac__path *path = &w->l->paths[arrow];
    const tac__rect *from = &w->l->boxes[a->from], *to = &w->l->boxes[a->to];
    path->points = tac__arena_array(w->arena, 6 + 2 * w->l->column_count, sizeof *path->points);
    if (!path->points)
        return false;
    const double y0 = from->y + from->h / 2 + c->exit, y1 = to->y + to->h / 2 + w->entry[arrow];
    add_point(path, from->x + from->w, y0);
    if (is_coupled(a)) {
        const double right = to->x + to->w;
        const double lane = right + w->plant_labels + 16 + LANE * (double)c->lane;
        path->square = path->label_begins = true;
        add_point(path, lane, y0);
        add_point(path, lane, y1);
        add_point(path, right, y1);
        path->label_x = right + 11;
    } else {
        path->label_x = to->x - 10;
        path->square = c->back;
        if (c->back) {
            const double down = slot_x(w, w->l->box_column[a->from] + 1, c->slot);
            const double up = slot_x(w, w->l->box_column[a->to], w->slot[arrow]);
            const double lane = w->l->bottom + 16 + LANE * (double)c->lane;
            add_point(path, down, y0);
            add_point(path, down, lane);
            add_point(path, up, lane);
            add_point(path, up, y1);
        } else {
            run_forward(w, arrow, path);
        }
        add_point(path, to->x, y1);
    }
    path->label_y = y1 - 3;
    return true;
}

static bool run_arrows(work *w)
{
    const tac__picture *p = w->p;
    w->l->paths = tac__arena_array(w->arena, p->arrow_count, sizeof *w->l->paths);
    if (!w->l->paths)
        return false;
    for (uint32_t i = 0; i < p->box_count; i++) {
        spread_entries(w, i, false);
        spread_entries(w, i, true);
        spread_exits(w, i);
    }
    for (size_t i = 0; i < p->arrow_count; i++) {
        if (!run_arrow(w, i))
            return false;
    }
    w->l->lanes = w->l->bottom + (w->lanes ? 12 + LANE * (double)w->lanes : 0);
    return true;
}

bool tac__layout_make(const tac__picture *p, tac__arena *arena, double top, tac__layout *l)
{
    *l = (tac__layout){.top = top};
    work w = {.p = p, .arena = arena, .l = l};
    if (!make_columns(&w) || !make_vertices(&w) || !make_chains(&w) || !find_heights(&w))
        return false;
    move_to_top(&w, top);
    find_widths(&w);
    return place_boxes(&w) && run_arrows(&w);
}
