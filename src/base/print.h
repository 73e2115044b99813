// print.h - formatting that is the same in every locale: as snprintf in the "C" locale.
//
// It knows the conversions d i u x X o c s p e E f F g G and %, with flags, width and precision
// (also as *), and the lengths hh h l ll z j t. A NaN has no sign. All texts of Tactus are made
// with it: by tac__text_add, tac__fail, tac__arena_format and the like, or directly. C's own
// snprintf will do where there is no floating-point number.
#ifndef TAC_BASE_PRINT_H
#define TAC_BASE_PRINT_H

#include <stdarg.h>
#include <stddef.h>
#include <tactus/api.h>

// Both return the length of the whole text; what does not fit into `size` is cut.
TAC_PRINTF(3, 4) int tac__print(char *text, size_t size, const char *format, ...);
TAC_PRINTF(3, 0) int tac__vprint(char *text, size_t size, const char *format, va_list args);

#endif
