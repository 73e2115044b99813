// def.h - definition structs as callers give them (tactus/api.h): each begins with its size, which
// is that of the caller's headers and may differ from ours.
#ifndef TAC_BASE_DEF_H
#define TAC_BASE_DEF_H

#include <tactus/status.h>

// Copy the caller's definition into one of this library: what the caller does not know of is zero,
// and what this library does not know of must be. `name` is that of the struct. Fails with
// TAC_E_ABI, and then `ours` has what is known of it; a size that cannot be one, because it was not
// set, is found before anything but the size is read.
TAC_MUST_CHECK tac_status tac__def_take(const char *name, void *ours, size_t size,
                                        const void *theirs, tac_error *err);

// The same where the size is not the first field.
TAC_MUST_CHECK tac_status tac__def_copy(const char *name, void *ours, size_t size,
                                        const void *theirs, uint32_t their_size, tac_error *err);

// In a function that takes a `const type *def`: go on with a copy that has all fields.
#define TAC__DEF(type, def, err)                                                                   \
    type def##_known;                                                                              \
    TAC_TRY(tac__def_take(#type, &def##_known, sizeof def##_known, def, err));                     \
    def = &def##_known

// The other way: give the caller so much of a struct as the caller knows of; the rest is zero.
void tac__def_give(void *theirs, size_t their_size, const void *ours, size_t size);
// The same for a definition, whose size then is the caller's.
void tac__def_give_sized(void *theirs, size_t their_size, const void *ours, size_t size);

// A component type of Tactus' own, among its flags: called without the checks of others. Types from
// outside that have it are refused, as are those with a flag that is not public.
#define TAC__COMPONENT_BUILTIN 0x80000000u
#define TAC__COMPONENT_PUBLIC  255u // TAC_COMPONENT_...
#define TAC__PORT_PUBLIC       63u  // TAC_PORT_...
#define TAC__PARAM_PUBLIC      1u   // TAC_PARAM_...

#endif
