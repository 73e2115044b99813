// spline.h - the cubic spline through the entries of a table: coefficients, computed once when the
// table is read. `table1_at` of math/table.h evaluates it, for every scalar kind.
//
// In the segment from x_i to x_i+1, of width h, with t = (x - x_i)/h and d = y_i+1 - y_i:
//
//     S(t) = y_i + t d - t (1 - t) (a_i + b_i t)
//     a_i = h^2 (2 m_i + m_i+1)/6,   b_i = h^2 (m_i+1 - m_i)/6
//
// where m_i is the second derivative at breakpoint i. S takes its entries, and its second
// derivative is continuous, for any m_i; the first one is continuous if
//
//     h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (d_i/h_i - d_i-1/h_i-1)
//
// at each inner breakpoint. The two equations that are missing say "not a knot": the third
// derivative is continuous at the second and the last but one breakpoint, too, so that the first
// two segments are one cubic, and the last two. Nothing is assumed about the ends: every cubic is
// reproduced, and the error is of fourth order up to the ends, where a natural spline (m = 0 there)
// has one of second order. Through three points it is the parabola.
#ifndef TAC_MATH_SPLINE_H
#define TAC_MATH_SPLINE_H

#include <stdbool.h>
#include <tactus/api.h>

TAC_BEGIN_DECLS

enum { TAC__SPLINE_POINTS_MIN = 3 };

// Puts a[n] and, behind it, b[n] into bend[2 n]; the last of each is 0. There are at least
// TAC__SPLINE_POINTS_MIN breakpoints that satisfy table_breakpoints_valid. False if a coefficient
// overflows.
bool tac__spline_bend(int n, const double *x, const double *y, double *bend);

// The least value of the spline from the first to the last breakpoint, and where it has that: a
// spline may fall below all of its entries.
double tac__spline_least(int n, const double *x, const double *y, const double *bend, double *at);

TAC_END_DECLS

#endif
