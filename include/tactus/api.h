// api.h - export macros of libtactus, definition structs, and the version.
#ifndef TACTUS_API_H
#define TACTUS_API_H

#ifdef __cplusplus
#define TAC_BEGIN_DECLS extern "C" {
#define TAC_END_DECLS   }
#else
#define TAC_BEGIN_DECLS
#define TAC_END_DECLS
#endif

#define TAC_API                 __attribute__((visibility("default")))
#define TAC_MUST_CHECK          __attribute__((warn_unused_result))
#define TAC_PRINTF(text, first) __attribute__((format(printf, text, first)))

// Definitions. A struct by which a caller says what is to be made begins with its own `size`, so
// that library and caller may come from different versions of these headers. Fields are only ever
// added at the end. A field that the caller does not know is zero, which means the behaviour of
// older versions; a field that the library does not know must be zero. Two ways set the size:
//   tac_route_def def = tac_route_def_default();        then fields one by one, in C and C++
//   tac_port_def port = TAC_DEF(tac_port_def, .name = "y");        as an initialiser, in both
// Structs that are fields of others by value (tac_type, tac_place, tac_world, tac_integrator_def)
// have no size and never change, nor do those of which a definition has an array (tac_record_file,
// tac_tolerance), tac_allocator and tac_error.
//
// Results. A struct that the library fills in for the caller has no field `size`: the exported
// function, NAME_sized, takes the size as an argument, and the inline function NAME calls it with
// the sizeof of the caller's headers. Fields are only ever added at the end; a field that the
// library does not know is set to zero. Structs that the library passes by a pointer to const (to
// callbacks, or out of a recording) belong to the library and may grow at their end, too.
#include <tactus/define.h>

#ifndef __cplusplus
#define TAC_ZERO                                                                                   \
    {                                                                                              \
        0                                                                                          \
    }
#else
#define TAC_ZERO                                                                                   \
    {                                                                                              \
    }
#endif

#define TAC_VERSION_MAJOR 0
#define TAC_VERSION_MINOR 1
#define TAC_VERSION_PATCH 0
#define TAC_VERSION       "0.1.0"

TAC_BEGIN_DECLS

// The version of the library that was loaded, as "0.1.0"; TAC_VERSION is that of the headers.
TAC_API const char *tac_version(void);

TAC_END_DECLS
#endif
