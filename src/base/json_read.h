// json_read.h - reading JSON, strictly as RFC 8259 has it, into a document: objects become maps,
// arrays sequences, strings quoted scalars, and numbers, true, false and null plain scalars. Every
// node knows its place.
//
// Beyond the RFC it refuses: keys given twice, U+0000 in a string, numbers that overflow a double,
// and what exceeds the limits below.
#ifndef TAC_BASE_JSON_READ_H
#define TAC_BASE_JSON_READ_H

#include "base/node.h"

enum { TAC__JSON_READ_DEPTH = 64, TAC__JSON_READ_NODES = 1 << 20 };

// `name` is what errors call the text. The nodes live in `doc`.
tac_status tac__json_read(tac_document *doc, const char *name, const char *bytes, size_t size,
                          tac_node **root, tac_error *err);

// Whether a node is a number, and which.
bool tac__json_is_number(const tac_node *node, double *value);

#endif
