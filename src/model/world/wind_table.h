// wind_table.h - wind from a table of times and velocities, written in the configuration or read
// from a file.
#ifndef TAC_MODEL_WORLD_WIND_TABLE_H
#define TAC_MODEL_WORLD_WIND_TABLE_H

#include <tactus/component.h>

typedef struct tac__wind_row {
    tac_time t_us;
    double velocity[3]; // north, east, down [m/s]
} tac__wind_row;

// Between rows. HOLD: the earlier row.
typedef enum tac__wind_interpolation {
    TAC__WIND_LINEAR,
    TAC__WIND_HOLD,
    TAC__WIND_SPLINE
} tac__wind_interpolation;

typedef struct tac__wind_table {
    tac__wind_row *rows; // times ascend
    double *columns;     // the same as columns of numbers: TAC__WIND_COLUMN_...
    size_t count, capacity;
    tac__wind_interpolation interpolation;
} tac__wind_table;

// Each has one number more than there are rows. The NEXT ones begin with the second row. Only a
// spline has the BEND ones: a and b of math/spline.h for each axis, 0 from the last row on.
enum {
    TAC__WIND_COLUMN_TIME, // [us]
    TAC__WIND_COLUMN_NEXT_TIME,
    TAC__WIND_COLUMN_VELOCITY,
    TAC__WIND_COLUMN_NEXT_VELOCITY = TAC__WIND_COLUMN_VELOCITY + 3,
    TAC__WIND_COLUMN_BEND = TAC__WIND_COLUMN_NEXT_VELOCITY + 3,
    TAC__WIND_COLUMNS = TAC__WIND_COLUMN_BEND + 6
};

static inline const double *tac__wind_column(const tac__wind_table *t, int column)
{
    return t->columns + (size_t)column * (t->count + 1);
}

TAC_BEGIN_DECLS

// Read the parameters, and the file that they may name; with `wanted` there must be a table.
tac_status tac__wind_table_declare(tac_declare *d, bool wanted, tac__wind_table *t);
void tac__wind_table_fini(tac__wind_table *t);

// The same rows and interpolation?
bool tac__wind_table_same(const tac__wind_table *a, const tac__wind_table *b);

// The velocity at a time. Before the first row it is that of the first, after the last that of
// the last.
void tac__wind_table_at(const tac__wind_table *t, tac_time t_us, double velocity[3]);

TAC_END_DECLS

#endif
