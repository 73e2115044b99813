// draw_machine.c - lanes and ends of arrows; see draw_machine.h.
#include "explain/draw_machine.h"
#include "base/svg.h"

#include <stdlib.h>

enum { BOX_MIN = 84, BOX_MAX = 170, GAP_MIN = 34, GAP_MAX = 70, PORT = 11, EDGE = 12 };

// --- arrows -------------------------------------------------------------------------------------

static tac__way way_of(int from, int to)
{
    return from < 0         ? TAC__WAY_ANY
           : from == to     ? TAC__WAY_LOOP
           : from + 1 == to ? TAC__WAY_STRAIGHT
           : from < to      ? TAC__WAY_ABOVE
                            : TAC__WAY_BELOW;
}

static bool add_shift(tac__machine *m, tac__arena *arena, int from, size_t number)
{
    const tac__transition *t = &m->phases->transitions[number];
    tac__shift *s = NULL;
    for (size_t i = 0; i < m->shift_count && !s; i++) {
        if (m->shifts[i].from == from && m->shifts[i].to == (int)t->to)
            s = &m->shifts[i];
    }
    if (!s) {
        if (!TAC__ARENA_GROW(arena, m->shifts, m->shift_count, m->shift_capacity))
            return false;
        s = &m->shifts[m->shift_count++];
        *s = (tac__shift){.way = way_of(from, (int)t->to),
                          .from = from,
                          .to = (int)t->to,
                          .located = true,
                          .numbers = tac__arena_array(arena, m->phases->transition_count - number,
                                                      sizeof *s->numbers)};
        if (!s->numbers)
            return false;
    }
    s->numbers[s->count++] = number;
    s->located &= t->locate;
    return true;
}

static bool add_shifts(tac__machine *m, tac__arena *arena)
{
    const tac__phases *p = m->phases;
    for (size_t i = 0; i < p->transition_count; i++) {
        if (tac__from_any(p, &p->transitions[i])) {
            if (!add_shift(m, arena, -1, i))
                return false;
            continue;
        }
        for (size_t k = 0; k < p->count; k++) {
            if (p->transitions[i].from >> k & 1 && !add_shift(m, arena, (int)k, i))
                return false;
        }
    }
    return true;
}

// --- lanes --------------------------------------------------------------------------------------

static int left_of(const tac__shift *s)
{
    return s->from < s->to ? s->from : s->to;
}

static int right_of(const tac__shift *s)
{
    return s->from < s->to ? s->to : s->from;
}

static int by_length(const void *x, const void *y)
{
    const tac__shift *a = x, *b = y;
    const int m = right_of(a) - left_of(a), n = right_of(b) - left_of(b);
    return m != n ? m - n : a->from != b->from ? a->from - b->from : a->to - b->to;
}

// Each arrow gets a lane above those of all shorter arrows that it overlaps.
static void choose_lanes(tac__machine *m)
{
    if (m->shift_count)
        qsort(m->shifts, m->shift_count, sizeof *m->shifts, by_length);
    for (size_t i = 0; i < m->shift_count; i++) {
        tac__shift *s = &m->shifts[i];
        if (s->way != TAC__WAY_ABOVE && s->way != TAC__WAY_BELOW)
            continue;
        for (size_t k = 0; k < i; k++) {
            const tac__shift *other = &m->shifts[k];
            if (other->way == s->way && left_of(other) < right_of(s) &&
                left_of(s) < right_of(other) && other->lane >= s->lane)
                s->lane = other->lane + 1;
        }
        int *lanes = s->way == TAC__WAY_ABOVE ? &m->above : &m->below;
        *lanes = s->lane + 1 > *lanes ? s->lane + 1 : *lanes;
    }
}

// --- ends ---------------------------------------------------------------------------------------

// Whether an arrow has its end in the left or right half of a side of the phase. Arrows from or to
// the left end in the left half.
static bool ends_in(const tac__shift *s, tac__way way, int phase, bool left)
{
    if (s->way != way || (s->from != phase && s->to != phase))
        return false;
    return (left_of(s) == phase) != left;
}

static size_t count_ends(const tac__machine *m, tac__way way, int phase, bool left)
{
    size_t n = 0;
    for (size_t i = 0; i < m->shift_count; i++)
        n += ends_in(&m->shifts[i], way, phase, left);
    return n;
}

// Arrows in the highest lanes have the ends nearest to the middle, so that no two arrows cross.
static void place_half(tac__machine *m, tac__way way, int phase, bool left, double edge,
                       double middle)
{
    const double count = (double)count_ends(m, way, phase, left);
    double n = 0;
    for (int lane = 0; lane < (way == TAC__WAY_ABOVE ? m->above : m->below); lane++) {
        for (size_t i = 0; i < m->shift_count; i++) {
            tac__shift *s = &m->shifts[i];
            if (!ends_in(s, way, phase, left) || s->lane != lane)
                continue;
            const double x = edge + (middle - edge) * (n + 1) / (count + 1);
            *(s->from == phase ? &s->from_x : &s->to_x) = x;
            n++;
        }
    }
}

static void place_ends(tac__machine *m, double x, int phase)
{
    const double left = tac__machine_box_x(m, x, (size_t)phase), right = left + m->box;
    const double middle = left + m->box / 2;
    // The dot before the initial phase stands at its upper left corner.
    const double dot = phase == m->phases->initial ? EDGE : 0;
    place_half(m, TAC__WAY_ABOVE, phase, true, left + dot, middle - m->centre_up / 2);
    place_half(m, TAC__WAY_ABOVE, phase, false, right, middle + m->centre_up / 2);
    place_half(m, TAC__WAY_BELOW, phase, true, left, middle - m->centre_down / 2);
    place_half(m, TAC__WAY_BELOW, phase, false, right, middle + m->centre_down / 2);
    for (size_t i = 0; i < m->shift_count; i++) {
        tac__shift *s = &m->shifts[i];
        if (s->way == TAC__WAY_STRAIGHT && s->from == phase)
            s->from_x = right;
        else if (s->way == TAC__WAY_STRAIGHT && s->to == phase)
            s->to_x = left;
        else if ((s->way == TAC__WAY_LOOP || s->way == TAC__WAY_ANY) && s->to == phase)
            s->from_x = s->to_x = middle;
    }
}

// --- sizes --------------------------------------------------------------------------------------

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void measure(tac__machine *m)
{
    const tac__phases *p = m->phases;
    m->box = BOX_MIN;
    m->gap = GAP_MIN;
    for (size_t i = 0; i < m->shift_count; i++) {
        const tac__shift *s = &m->shifts[i];
        const double badges = TAC__BADGE * (double)s->count;
        if (s->way == TAC__WAY_STRAIGHT)
            m->gap = larger(m->gap, badges + 22);
        else if (s->way == TAC__WAY_LOOP)
            m->centre_up = larger(m->centre_up, badges + 26);
        else if (s->way == TAC__WAY_ANY)
            m->centre_down = larger(m->centre_down, badges + 26);
    }
    for (size_t i = 0; i < p->count; i++) {
        const double name = tac__svg_width(p->names[i], TAC__TITLE_SIZE, true) + 20;
        m->box = larger(m->box, name < BOX_MAX ? name : BOX_MAX);
        for (int left = 0; left < 2; left++) {
            const size_t up = count_ends(m, TAC__WAY_ABOVE, (int)i, left);
            const size_t down = count_ends(m, TAC__WAY_BELOW, (int)i, left);
            m->box = larger(m->box, 2 * (EDGE + PORT * (double)(up + 1)) + m->centre_up);
            m->box = larger(m->box, 2 * PORT * (double)(down + 1) + m->centre_down);
        }
    }
}

static bool list_components(tac__machine *m, const tac_engine *e, tac__arena *arena)
{
    m->gated = tac__arena_array(arena, e->plan->component_count, sizeof *m->gated);
    if (!m->gated)
        return false;
    for (uint32_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->entity != m->instance->entity || c == m->instance)
            continue;
        if (!tac__is_gated(c)) {
            m->other_count++;
            continue;
        }
        m->gated[m->gated_count++] = i;
        m->label = larger(m->label, tac__svg_width(c->name, TAC__SUBTITLE_SIZE, true) + 16);
    }
    m->label = m->label < 190 ? m->label : 190;
    return true;
}

bool tac__machine_make(const tac__picture *p, const tac__component *machine, tac__arena *arena,
                       tac__machine *m)
{
    *m = (tac__machine){.instance = machine,
                        .phases = tac__phases_of(machine),
                        .entities = tac__swarms_count(p->swarms, machine)};
    if (!add_shifts(m, arena) || !list_components(m, p->engine, arena))
        return false;
    choose_lanes(m);
    measure(m);
    return true;
}

double tac__machine_width(const tac__machine *m)
{
    const double n = (double)m->phases->count;
    return m->label + n * m->box + (n - 1) * m->gap;
}

double tac__machine_box_x(const tac__machine *m, double x, size_t phase)
{
    return x + m->label + (double)phase * (m->box + m->gap);
}

void tac__machine_place(tac__machine *m, double x, double width)
{
    if (m->phases->count > 1) {
        const double spare =
            (width - tac__machine_width(m)) / (double)(m->phases->count - 1) + m->gap;
        m->gap = spare > GAP_MAX ? larger(GAP_MAX, m->gap) : larger(spare, m->gap);
    }
    for (size_t i = 0; i < m->phases->count; i++)
        place_ends(m, x, (int)i);
}
