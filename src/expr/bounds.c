// bounds.c - see bounds.h. Rounding is monotonic, so the bounds of + - * / and sqrt, computed at
// the ends of ranges, hold for the rounded values; those of elementary functions get room for the
// rounding of both.
#include "expr/bounds.h"

#include <math.h>
#include <string.h>

typedef struct step {
    int32_t op, a, b, c; // operands by their place; a constant, or the number of an input, in a
    double value;        // of a constant
    const tac__sym_table *table;
} step;

struct tac__bounds {
    step *steps;
    size_t count;
    tac__range *ranges;    // of the steps
    size_t constant_count; // they come first, and have their ranges from the beginning
    int32_t *outputs;
    size_t output_count;
};

static const tac__range ANYTHING = {.lo = -(double)INFINITY, .hi = (double)INFINITY};

static tac__range constant(const step *s)
{
    tac__range y = tac__range_point(s->value);
    if (s->value == s->value)
        return y;
    y = ANYTHING;
    y.nan = true;
    return y;
}

// --- making -------------------------------------------------------------------------------------

typedef struct maker {
    tac__arena *arena;
    const tac__terms *pool;
    int32_t *place; // of each term that is needed, else -1
    tac__sym_table *tables;
    tac__bounds *bounds;
} maker;

static int operands_of(const tac__term *t)
{
    return t->op == TAC__SYM_pick || t->op == TAC__SYM_segment
               ? 1
               : tac__op_operands((tac__sym_op)t->op);
}

// Terms come after their operands, so one pass downwards finds all that are needed.
static size_t mark(const maker *m, const int32_t *terms, size_t count)
{
    size_t needed = 0;
    for (size_t i = 0; i < count; i++)
        m->place[terms[i]] = 0;
    for (size_t i = m->pool->count; i-- > 0;) {
        if (m->place[i] < 0)
            continue;
        needed++;
        const tac__term *t = &m->pool->terms[i];
        for (int k = 0; k < operands_of(t); k++)
            m->place[tac__term_operand(t, k)] = 0;
    }
    return needed;
}

static const tac__sym_table *copy_table(const maker *m, int32_t number)
{
    const tac__sym_table *from = &m->pool->tables[number];
    tac__sym_table *to = tac__arena_alloc(m->arena, sizeof *to);
    double *data = tac__arena_array(m->arena, (size_t)from->count, sizeof *data);
    if (!to || !data)
        return NULL;
    memcpy(data, from->data, (size_t)from->count * sizeof *data);
    *to = (tac__sym_table){data, from->count};
    return to;
}

static bool fill(const maker *m, const int32_t *inputs, size_t input_count)
{
    size_t at = 0;
    for (size_t i = 0; i < m->pool->count; i++) {
        const tac__term *t = &m->pool->terms[i];
        if (m->place[i] < 0 || t->op != TAC__SYM_constant)
            continue;
        step *s = &m->bounds->steps[at];
        *s = (step){.op = t->op, .a = 0, .b = -1, .c = -1, .value = t->value};
        m->bounds->ranges[at] = constant(s);
        m->place[i] = (int32_t)at++;
    }
    m->bounds->constant_count = at;
    for (size_t i = 0; i < m->pool->count; i++) {
        const tac__term *t = &m->pool->terms[i];
        if (m->place[i] < 0 || t->op == TAC__SYM_constant)
            continue;
        step *s = &m->bounds->steps[at];
        *s = (step){.op = t->op, .a = -1, .b = -1, .c = -1};
        m->place[i] = (int32_t)at++;
        if (t->op == TAC__SYM_input) {
            for (size_t k = 0; k < input_count && s->a < 0; k++)
                s->a = inputs[k] == (int32_t)i ? (int32_t)k : -1;
        } else {
            const int count = operands_of(t);
            s->a = count > 0 ? m->place[t->a] : -1;
            s->b = count > 1 ? m->place[t->b] : -1;
            s->c = count > 2 ? m->place[t->c] : -1;
            if (t->op == TAC__SYM_pick || t->op == TAC__SYM_segment) {
                s->table = copy_table(m, t->b);
                if (!s->table)
                    return false;
            }
        }
    }
    return true;
}

tac_status tac__bounds_make(tac__arena *arena, const tac__terms *pool, const int32_t *inputs,
                            size_t input_count, const int32_t *terms, size_t count,
                            tac__bounds **bounds)
{
    tac__bounds *b = *bounds = tac__arena_alloc(arena, sizeof *b);
    tac__arena scratch;
    tac__arena_init(&scratch, arena->allocator);
    maker m = {.arena = arena, .pool = pool, .bounds = b};
    m.place = tac__arena_array(&scratch, pool->count, sizeof *m.place);
    bool done = b && m.place;
    if (done) {
        memset(m.place, 0xff, pool->count * sizeof *m.place);
        b->count = mark(&m, terms, count);
        b->output_count = count;
        b->steps = tac__arena_array(arena, b->count, sizeof *b->steps);
        b->ranges = tac__arena_array(arena, b->count, sizeof *b->ranges);
        b->outputs = tac__arena_array(arena, count, sizeof *b->outputs);
        done = b->steps && b->ranges && b->outputs && fill(&m, inputs, input_count);
    }
    for (size_t i = 0; done && i < count; i++)
        b->outputs[i] = m.place[terms[i]];
    tac__arena_fini(&scratch);
    return done ? TAC_OK : TAC_E_MEMORY;
}

// --- ranges -------------------------------------------------------------------------------------

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static tac__range hull(tac__range a, tac__range b)
{
    return tac__range_of(least(a.lo, b.lo), most(a.hi, b.hi));
}

static bool is_point(tac__range a)
{
    return a.lo == a.hi;
}

static bool has_zero(tac__range a)
{
    return a.lo <= 0 && a.hi >= 0;
}

// 0 times infinity is 0 here: an end that is never reached.
static double product(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static tac__range times(tac__range a, tac__range b)
{
    const double p = product(a.lo, b.lo), q = product(a.lo, b.hi), r = product(a.hi, b.lo),
                 s = product(a.hi, b.hi);
    return tac__range_of(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

// Of a range without 0 in it.
static tac__range quotient(tac__range a, tac__range b)
{
    const double p = a.lo / b.lo, q = a.lo / b.hi, r = a.hi / b.lo, s = a.hi / b.hi;
    if (isnan(p) || isnan(q) || isnan(r) || isnan(s)) // infinity by infinity
        return ANYTHING;
    return tac__range_of(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

static tac__range magnitude(tac__range a)
{
    if (a.lo >= 0)
        return a;
    if (a.hi <= 0)
        return tac__range_of(-a.hi, -a.lo);
    return tac__range_of(0, most(-a.lo, a.hi));
}

// Room for the rounding of an elementary function.
static tac__range widened(double lo, double hi)
{
    return tac__range_of(lo - 1e-14 * fabs(lo), hi + 1e-14 * fabs(hi));
}

static tac__range rising(tac__sym_op op, tac__range a)
{
    return widened(tac__op_apply(op, a.lo, 0, 0), tac__op_apply(op, a.hi, 0, 0));
}

// Does a + 2 pi k lie in the range for some whole k?
static bool has_angle(tac__range x, double a)
{
    const double turn = 6.283185307179586;
    return floor((x.hi - a) / turn + 1e-9) > floor((x.lo - a) / turn - 1e-9) || x.hi - x.lo >= turn;
}

static tac__range wave(tac__sym_op op, tac__range x, double crest)
{
    if (!(fabs(x.lo) < 1e6 && fabs(x.hi) < 1e6))
        return tac__range_of(-1, 1);
    const double half = 3.141592653589793;
    const double a = tac__op_apply(op, x.lo, 0, 0), b = tac__op_apply(op, x.hi, 0, 0);
    tac__range y = widened(least(a, b), most(a, b));
    if (has_angle(x, crest))
        y.hi = 1;
    if (has_angle(x, crest + half))
        y.lo = -1;
    return y;
}

static tac__range corners(tac__sym_op op, tac__range a, tac__range b)
{
    const double p = tac__op_apply(op, a.lo, b.lo, 0), q = tac__op_apply(op, a.lo, b.hi, 0),
                 r = tac__op_apply(op, a.hi, b.lo, 0), s = tac__op_apply(op, a.hi, b.hi, 0);
    if (isnan(p) || isnan(q) || isnan(r) || isnan(s))
        return ANYTHING;
    return widened(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

static tac__range power(tac__range x, tac__range y, tac__range *facts)
{
    if (x.lo > 0)
        return corners(TAC__SYM_pow, x, y);
    if (is_point(y) && y.lo == floor(y.lo) && y.lo > 0)
        return corners(TAC__SYM_pow, fmod(y.lo, 2) == 0 ? magnitude(x) : x, y);
    facts->nan = true;
    return ANYTHING;
}

// The angle of a point: at the corners, unless the origin or the jump at pi is among the points.
static tac__range angle(tac__range y, tac__range x, tac__range *facts)
{
    if (x.lo > 0 || y.lo > 0 || y.hi < 0)
        return corners(TAC__SYM_atan2, y, x);
    facts->kink = true;
    return tac__range_of(-3.1415926535897936, 3.1415926535897936);
}

static tac__range limited(tac__sym_op op, tac__range a, double from, double to, tac__range *facts)
{
    facts->nan |= a.lo < from || a.hi > to;
    const tac__range in = tac__range_of(most(a.lo, from), least(a.hi, to));
    if (in.lo > in.hi)
        return ANYTHING;
    const double p = tac__op_apply(op, in.lo, 0, 0), q = tac__op_apply(op, in.hi, 0, 0);
    return widened(least(p, q), most(p, q));
}

static tac__range truth(bool may, bool may_not, tac__range *facts)
{
    facts->kink |= may && may_not;
    return tac__range_of(may && !may_not, may);
}

static tac__range remainder_of(tac__range a, tac__range b, tac__range *facts)
{
    const tac__range m = magnitude(b);
    facts->nan |= has_zero(b);
    if (is_point(b) && !has_zero(b) && trunc(a.lo / b.lo) == trunc(a.hi / b.lo))
        return tac__range_of(fmod(a.lo, b.lo), fmod(a.hi, b.lo));
    facts->kink = true;
    return tac__range_of(a.lo < 0 ? -m.hi : 0, a.hi > 0 ? m.hi : 0);
}

static int clipped(double value, int count)
{
    return value > 0 ? value < count - 1 ? (int)value : count - 1 : 0;
}

static tac__range pick(const tac__sym_table *table, tac__range index, tac__range *facts)
{
    const int from = clipped(index.lo, table->count), to = clipped(index.hi, table->count);
    tac__range y = tac__range_point(table->data[from]);
    for (int i = from + 1; i <= to; i++)
        y = hull(y, tac__range_point(table->data[i]));
    facts->kink |= to > from;
    return y;
}

static double segment(const tac__sym_table *table, double x)
{
    int n = 0;
    for (int i = 1; i < table->count - 1; i++)
        n += table->data[i] <= x;
    return n;
}

static tac__range elementary(tac__sym_op op, tac__range a, tac__range b, tac__range *facts)
{
    switch (op) {
    case TAC__SYM_sin:
        return wave(op, a, 1.5707963267948966);
    case TAC__SYM_cos:
        return wave(op, a, 0);
    case TAC__SYM_tan:
        if (!(fabs(a.lo) < 1e6 && fabs(a.hi) < 1e6) || has_angle(a, 1.5707963267948966) ||
            has_angle(a, -1.5707963267948966))
            return ANYTHING;
        return rising(op, a);
    case TAC__SYM_asin:
    case TAC__SYM_acos:
        return limited(op, a, -1, 1, facts);
    case TAC__SYM_log:
    case TAC__SYM_log2:
    case TAC__SYM_log10:
        return limited(op, a, 0, (double)INFINITY, facts);
    case TAC__SYM_log1p:
        return limited(op, a, -1, (double)INFINITY, facts);
    case TAC__SYM_cosh:
        return rising(op, magnitude(a));
    case TAC__SYM_atan:
    case TAC__SYM_sinh:
    case TAC__SYM_tanh:
    case TAC__SYM_exp:
    case TAC__SYM_exp2:
    case TAC__SYM_expm1:
    case TAC__SYM_cbrt:
        return rising(op, a);
    case TAC__SYM_atan2:
        return angle(a, b, facts);
    case TAC__SYM_pow:
        return power(a, b, facts);
    case TAC__SYM_hypot:
        return corners(op, magnitude(a), magnitude(b));
    default: // results of loops
        facts->nan = true;
        return ANYTHING;
    }
}

static tac__range apply(const step *s, tac__range a, tac__range b, tac__range c, tac__range *facts)
{
    switch ((tac__sym_op)s->op) {
    case TAC__SYM_neg:
        return tac__range_of(-a.hi, -a.lo);
    case TAC__SYM_add:
        return tac__range_of(a.lo + b.lo, a.hi + b.hi);
    case TAC__SYM_sub:
        return tac__range_of(a.lo - b.hi, a.hi - b.lo);
    case TAC__SYM_mul:
    case TAC__SYM_along:
        return times(a, b);
    case TAC__SYM_div:
        facts->nan |= has_zero(a) && has_zero(b);
        return has_zero(b) ? ANYTHING : quotient(a, b);
    case TAC__SYM_lt:
        return truth(a.lo < b.hi, a.hi >= b.lo, facts);
    case TAC__SYM_le:
        return truth(a.lo <= b.hi, a.hi > b.lo, facts);
    case TAC__SYM_eq:
        return truth(a.lo <= b.hi && b.lo <= a.hi, !is_point(a) || !is_point(b) || a.lo != b.lo,
                     facts);
    case TAC__SYM_logic_and:
        return tac__range_of(a.lo != 0 && b.lo != 0, a.hi != 0 && b.hi != 0);
    case TAC__SYM_logic_or:
        return tac__range_of(a.lo != 0 || b.lo != 0, a.hi != 0 || b.hi != 0);
    case TAC__SYM_logic_not:
        return tac__range_of(a.hi == 0, a.lo == 0);
    case TAC__SYM_select:
        return a.lo != 0 ? b : a.hi == 0 ? c : hull(b, c);
    case TAC__SYM_min:
        facts->kink |= a.lo < b.hi && b.lo < a.hi;
        return tac__range_of(least(a.lo, b.lo), least(a.hi, b.hi));
    case TAC__SYM_max:
        facts->kink |= a.lo < b.hi && b.lo < a.hi;
        return tac__range_of(most(a.lo, b.lo), most(a.hi, b.hi));
    case TAC__SYM_abs:
        facts->kink |= a.lo < 0 && a.hi > 0;
        return magnitude(a);
    case TAC__SYM_sqrt:
        facts->nan |= a.lo < 0;
        return a.hi < 0 ? ANYTHING : tac__range_of(sqrt(most(a.lo, 0)), sqrt(a.hi));
    case TAC__SYM_floor:
        facts->kink |= floor(a.lo) != floor(a.hi);
        return tac__range_of(floor(a.lo), floor(a.hi));
    case TAC__SYM_fmod:
        return remainder_of(a, b, facts);
    case TAC__SYM_pick:
        return pick(s->table, a, facts);
    case TAC__SYM_segment:
        return tac__range_of(segment(s->table, a.lo), segment(s->table, a.hi));
    default:
        return elementary((tac__sym_op)s->op, a, b, facts);
    }
}

// A comparison with NaN is false. One that can go one way only does not depend on its operands.
static tac__range compare(const tac__bounds *b, const step *s, tac__range y, bool nan)
{
    if (s->op == TAC__SYM_eq && s->a == s->b) // is it a number?
        y = tac__range_of(!b->ranges[s->a].nan, 1);
    else if (nan)
        y.lo = 0;
    y.kink = y.lo != y.hi;
    return y;
}

// Flags of a value are those of its operands, of a choice those of what it may give.
static void pass_flags(const tac__bounds *b, const step *s, tac__range facts, tac__range *y)
{
    static const tac__range none = {0};
    const tac__range *p = s->a < 0 ? &none : &b->ranges[s->a],
                     *q = s->b < 0 ? &none : &b->ranges[s->b],
                     *r = s->c < 0 ? &none : &b->ranges[s->c];
    y->nan = facts.nan || p->nan;
    y->kink = facts.kink || p->kink;
    const bool chooses = s->op == TAC__SYM_select;
    if (!chooses || p->hi != 0) {
        y->nan |= q->nan;
        y->kink |= q->kink;
    }
    if (!chooses || p->lo == 0) {
        y->nan |= r->nan;
        y->kink |= r->kink;
    }
}

static tac__range run_step(const tac__bounds *b, const step *s, const tac__range *inputs)
{
    if (s->op == TAC__SYM_input)
        return inputs[s->a];
    tac__range facts = {0};
    const tac__range p = s->a < 0 ? ANYTHING : b->ranges[s->a],
                     q = s->b < 0 ? ANYTHING : b->ranges[s->b],
                     r = s->c < 0 ? ANYTHING : b->ranges[s->c];
    tac__range y = apply(s, p, q, r, &facts);
    if (s->op == TAC__SYM_lt || s->op == TAC__SYM_le || s->op == TAC__SYM_eq)
        return compare(b, s, y, p.nan || q.nan);
    pass_flags(b, s, facts, &y);
    if (!(y.lo <= y.hi)) { // NaN, or infinity less infinity
        y = ANYTHING;
        y.nan = true;
    }
    return y;
}

// The most frequent operations, on numbers that are not NaN. False: another one.
static inline bool run_quick(const tac__bounds *b, const step *s, tac__range *y)
{
    const tac__range *p = &b->ranges[s->a], *q;
    switch (s->op) {
    case TAC__SYM_add:
        q = &b->ranges[s->b];
        y->lo = p->lo + q->lo;
        y->hi = p->hi + q->hi;
        break;
    case TAC__SYM_sub:
        q = &b->ranges[s->b];
        y->lo = p->lo - q->hi;
        y->hi = p->hi - q->lo;
        break;
    case TAC__SYM_mul:
        q = &b->ranges[s->b];
        if (!(p->lo - p->hi == p->lo - p->hi && q->lo - q->hi == q->lo - q->hi))
            return false; // not finite
        {
            const double a = p->lo * q->lo, c = p->lo * q->hi, d = p->hi * q->lo, e = p->hi * q->hi;
            const double least_1 = a < c ? a : c, least_2 = d < e ? d : e;
            const double most_1 = a > c ? a : c, most_2 = d > e ? d : e;
            y->lo = least_1 < least_2 ? least_1 : least_2;
            y->hi = most_1 > most_2 ? most_1 : most_2;
        }
        break;
    default:
        return false;
    }
    y->nan = p->nan | q->nan;
    y->kink = p->kink | q->kink;
    return y->lo <= y->hi;
}

void tac__bounds_run(const tac__bounds *b, const tac__range *inputs, tac__range *ranges)
{
    for (size_t i = b->constant_count; i < b->count; i++) {
        const step *s = &b->steps[i];
        if (!run_quick(b, s, &b->ranges[i]))
            b->ranges[i] = run_step(b, s, inputs);
    }
    for (size_t i = 0; i < b->output_count; i++)
        ranges[i] = b->ranges[b->outputs[i]];
}
