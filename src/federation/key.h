// key.h - files that hold the shared key of a federation: 64 hexadecimal digits, white space around
// them. Such a file belongs to its owner: others must not be able to read it.
#ifndef TAC_FEDERATION_KEY_H
#define TAC_FEDERATION_KEY_H

#include "federation/secure.h"

// Reads a key. Refused, with what to do: a file that others may read or write, or that the group
// may write (TAC_E_FILE); content that is no key (TAC_E_FORMAT). The group may read it.
TAC_MUST_CHECK tac_status tac__key_read(const char *path, uint8_t key[TAC__KEY_BYTES],
                                        tac_error *err);

// Overwrites a key that is not needed any more.
void tac__key_forget(uint8_t key[TAC__KEY_BYTES]);

#endif
