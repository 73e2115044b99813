// linear_print.c - a linear system as text, JSON, CSV and for MATLAB and Octave.
#include "base/floats.h"
#include "base/json.h"
#include "solve/linear.h"
#include "solve/rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct matrix {
    const char *name;
    size_t rows, columns;
    const tac__linear_name *row_names, *column_names;
    const double *values;
} matrix;

static void list_matrices(const tac_linear *l, matrix list[4])
{
    list[0] = (matrix){"A", l->n, l->n, l->x, l->x, l->a};
    list[1] = (matrix){"B", l->n, l->m, l->x, l->u, l->b};
    list[2] = (matrix){"C", l->p, l->n, l->y, l->x, l->c};
    list[3] = (matrix){"D", l->p, l->m, l->y, l->u, l->d};
}

// What is said of an eigenvalue. Infinite: it has none.
typedef struct motion {
    double frequency_rad_s, damping, time_constant_s;
} motion;

static motion motion_of(double re, double im)
{
    const double size = sqrt(re * re + im * im);
    return (motion){.frequency_rad_s = size,
                    .damping = size > 0 ? -re / size : HUGE_VAL,
                    .time_constant_s = fabs(re) > 0 ? -1 / re : HUGE_VAL};
}

// --- text ---------------------------------------------------------------------------------------

static void add_number(tac__text *out, double value)
{
    if (isfinite(value))
        tac__text_add(out, " %13.6g", value);
    else
        tac__text_add(out, " %13s", "-");
}

static void add_where(const tac_linear *l, tac__text *out)
{
    char time[TAC_TIME_TEXT];
    tac_time_print(l->t_us, time);
    tac__text_add(out, "%s, %s %s: %zu states, %zu inputs, %zu outputs\n", l->plant,
                  l->trimmed ? "trimmed at" : "at", time, l->n, l->m, l->p);
}

// How far rounding may have moved an eigenvalue: for people a smaller one is 0.
static double rounding(const tac_linear *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n * l->n; i++)
        sum += l->a[i] * l->a[i];
    return (double)l->n * DBL_EPSILON * sqrt(sum);
}

static void print_text(const tac_linear *l, tac__text *out)
{
    const double least = rounding(l);
    add_where(l, out);
    tac__text_add(out, "eigenvalues\n  %13s %13s %13s %13s %13s\n", "real 1/s", "imaginary",
                  "freq rad/s", "damping", "time const s");
    for (size_t i = 0; i < l->n; i++) {
        const bool none = motion_of(l->real[i], l->imaginary[i]).frequency_rad_s < least;
        const double re = none ? 0 : l->real[i], im = none ? 0 : l->imaginary[i];
        const motion v = motion_of(re, im);
        tac__text_add(out, " ");
        add_number(out, re);
        add_number(out, im);
        add_number(out, v.frequency_rad_s);
        add_number(out, v.damping);
        add_number(out, v.time_constant_s);
        tac__text_add(out, "\n");
    }
    tac__text_add(out, "controllable    %zu of %zu states (tolerance %g)\n", l->controllable, l->n,
                  TAC__RANK_TOLERANCE);
    tac__text_add(out, "observable      %zu of %zu states\n", l->observable, l->n);
}

// --- JSON ---------------------------------------------------------------------------------------

static void add_names(tac__json *json, const char *key, const tac__linear_name *names, size_t count,
                      const double *rates)
{
    tac__json_key(json, key);
    tac__json_array_begin(json);
    for (size_t i = 0; i < count; i++) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", names[i].name);
        tac__json_key_text(json, "unit", names[i].unit);
        tac__json_key_number(json, "value", names[i].value);
        if (rates)
            tac__json_key_number(json, "rate", rates[i]);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void add_matrix(tac__json *json, const matrix *m)
{
    tac__json_key(json, m->name);
    tac__json_array_begin(json);
    for (size_t i = 0; i < m->rows; i++) {
        tac__json_compact(json);
        tac__json_array_begin(json);
        for (size_t j = 0; j < m->columns; j++)
            tac__json_number(json, m->values[j * m->rows + i]);
        tac__json_array_end(json);
    }
    tac__json_array_end(json);
}

static void add_eigenvalues(const tac_linear *l, tac__json *json)
{
    tac__json_key(json, "eigenvalues");
    tac__json_array_begin(json);
    for (size_t i = 0; i < l->n; i++) {
        const motion v = motion_of(l->real[i], l->imaginary[i]);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_number(json, "real", l->real[i]);
        tac__json_key_number(json, "imaginary", l->imaginary[i]);
        tac__json_key_number(json, "frequency_rad_s", v.frequency_rad_s);
        tac__json_key_number(json, "damping", v.damping);
        tac__json_key_number(json, "time_constant_s", v.time_constant_s);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void print_json(const tac_linear *l, tac__text *out)
{
    matrix list[4];
    list_matrices(l, list);
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "plant", l->plant);
    tac__json_key_bool(&json, "trimmed", l->trimmed);
    tac__json_key_u64(&json, "t_us", l->t_us);
    add_names(&json, "states", l->x, l->n, l->rate);
    add_names(&json, "inputs", l->u, l->m, NULL);
    add_names(&json, "outputs", l->y, l->p, NULL);
    for (size_t i = 0; i < 4; i++)
        add_matrix(&json, &list[i]);
    add_eigenvalues(l, &json);
    tac__json_key_u64(&json, "controllable", l->controllable);
    tac__json_key_u64(&json, "observable", l->observable);
    tac__json_key_number(&json, "rank_tolerance", TAC__RANK_TOLERANCE);
    tac__json_object_end(&json);
}

// --- CSV ----------------------------------------------------------------------------------------

static void print_csv(const tac_linear *l, tac__text *out)
{
    matrix list[4];
    list_matrices(l, list);
    tac__text_add(out, "matrix,row,row_unit,column,column_unit,value\n");
    for (size_t k = 0; k < 4; k++) {
        const matrix *m = &list[k];
        for (size_t i = 0; i < m->rows; i++) {
            for (size_t j = 0; j < m->columns; j++) {
                char number[TAC__NUMBER_TEXT];
                tac__number_print(m->values[j * m->rows + i], number);
                tac__text_add(out, "%s,%s,%s,%s,%s,%s\n", m->name, m->row_names[i].name,
                              m->row_names[i].unit, m->column_names[j].name,
                              m->column_names[j].unit, number);
            }
        }
    }
}

// --- MATLAB and Octave --------------------------------------------------------------------------

static void add_cells(const char *name, const tac__linear_name *names, size_t count, bool units,
                      tac__text *out)
{
    tac__text_add(out, "%s = {", name);
    for (size_t i = 0; i < count; i++)
        tac__text_add(out, "%s'%s'", i ? ", " : "", units ? names[i].unit : names[i].name);
    tac__text_add(out, "};\n");
}

static void add_vector(const char *name, const tac__linear_name *names, size_t count,
                       tac__text *out)
{
    tac__text_add(out, "%s = [", name);
    for (size_t i = 0; i < count; i++) {
        char number[TAC__NUMBER_TEXT];
        tac__number_print(names[i].value, number);
        tac__text_add(out, "%s%s", i ? "; " : "", number);
    }
    tac__text_add(out, "];\n");
}

static void add_rows(const matrix *m, tac__text *out)
{
    if (!m->rows || !m->columns) {
        tac__text_add(out, "%s = zeros(%zu, %zu);\n", m->name, m->rows, m->columns);
        return;
    }
    tac__text_add(out, "%s = [\n", m->name);
    for (size_t i = 0; i < m->rows; i++) {
        for (size_t j = 0; j < m->columns; j++) {
            char number[TAC__NUMBER_TEXT];
            tac__number_print(m->values[j * m->rows + i], number);
            tac__text_add(out, " %s", number);
        }
        tac__text_add(out, ";\n");
    }
    tac__text_add(out, "];\n");
}

static void print_m(const tac_linear *l, tac__text *out)
{
    matrix list[4];
    list_matrices(l, list);
    tac__text_add(out, "%% ");
    add_where(l, out);
    tac__text_add(out, "%% dx/dt = A*(x - x0) + B*(u - u0) + rate, y = C*(x - x0) + D*(u - u0) + y0"
                       "\n");
    for (size_t i = 0; i < 4; i++)
        add_rows(&list[i], out);
    add_cells("states", l->x, l->n, false, out);
    add_cells("state_units", l->x, l->n, true, out);
    add_cells("inputs", l->u, l->m, false, out);
    add_cells("input_units", l->u, l->m, true, out);
    add_cells("outputs", l->y, l->p, false, out);
    add_cells("output_units", l->y, l->p, true, out);
    add_vector("x0", l->x, l->n, out);
    add_vector("u0", l->u, l->m, out);
    add_vector("y0", l->y, l->p, out);
    tac__text_add(out, "rate = [");
    for (size_t i = 0; i < l->n; i++) {
        char number[TAC__NUMBER_TEXT];
        tac__number_print(l->rate[i], number);
        tac__text_add(out, "%s%s", i ? "; " : "", number);
    }
    tac__text_add(out, "];\n");
}

char *tac_linear_print(const tac_linear *l, tac_linear_format format)
{
    TAC__FLOATS;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    switch (format) {
    case TAC_LINEAR_TEXT:
        print_text(l, &text);
        break;
    case TAC_LINEAR_JSON:
        print_json(l, &text);
        break;
    case TAC_LINEAR_CSV:
        print_csv(l, &text);
        break;
    case TAC_LINEAR_M:
        print_m(l, &text);
        break;
    }
    if (text.failed)
        tac__text_fini(&text);
    return text.chars;
}
