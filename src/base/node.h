// node.h - documents from the inside: what reading, merging and templates need beyond
// tactus/node.h. Nodes live as long as their document; a node stands in one place of one tree,
// unless it is shared (see tac__node_instance).
#ifndef TAC_BASE_NODE_H
#define TAC_BASE_NODE_H

#include "base/arena.h"

#include <tactus/node.h>

tac__arena *tac__document_arena(tac_document *doc);

// What limits count.
typedef struct tac__document_size {
    size_t nodes;
    size_t bytes; // of texts and keys, and of files that were read into the document
} tac__document_size;

// What was made in this document so far, nodes that are no longer in its tree included.
tac__document_size tac__document_size_of(const tac_document *doc);
// For bytes of files, and for what shared nodes stand for: see tac__node_instance.
void tac__document_set_size(tac_document *doc, tac__document_size size);

// A scalar of `n` bytes, which hold no NUL. `quoted` text is never a number, a bool or null.
tac_node *tac__node_scalar_bytes(tac_document *doc, const char *bytes, size_t n, bool quoted,
                                 const tac_place *place);

// NULL if absent. tac__node_find gives the position of a key, SIZE_MAX if absent.
tac_node *tac__node_get_mutable(tac_node *map, const char *key);
tac_node *tac__node_item_mutable(tac_node *node, size_t i);
size_t tac__node_find(const tac_node *map, const char *key);

// Put `value` in the place of the i-th item of a sequence or value of a map.
void tac__node_replace(tac_node *node, size_t i, tac_node *value);

bool tac__node_remove(tac_node *map, const char *key); // whether it was there
void tac__node_remove_nulls(tac_node *map);            // all keys without a value, in one pass

// Move everything in map `from` into map `to`, whose own keys are lost; `to` keeps its place.
void tac__node_take(tac_node *to, tac_node *from);

void tac__node_set_place(tac_node *node, const tac_place *place);

// A scalar that is written in several lines remembers them: `source` begins with the whole line of
// its place and lives as long as the document. Then byte `at` of its text has a place of its own,
// whose line is written to `excerpt`. Without a source it is the place of the scalar.
void tac__node_set_source(tac_node *scalar, const char *source);
bool tac__node_has_lines(const tac_node *scalar);
tac_place tac__node_place_at(const tac_node *scalar, size_t at, char excerpt[TAC_ERROR_NAME]);

// Fail with TAC_E_TYPE: "WHAT, found a map", or what else the node is, with its place. `what` says
// what was expected: "expected a map".
tac_status tac__node_fail_kind(const tac_node *node, const char *what, tac_error *err);

// The place of `part` in the line at `place`, plus `further` characters; `place` itself where the
// line does not show the part.
tac_place tac__place_in_line(const tac_place *place, const char *part, uint32_t further);

// The same in the text of a scalar, whichever of its lines that is; `excerpt` may get the line.
tac_place tac__node_place_of(const tac_node *scalar, const char *part, uint32_t further,
                             char excerpt[TAC_ERROR_NAME]);

// Give a scalar another text, which must live as long as the document, and mark it as expanded:
// variables are expanded once in the life of a node and of its copies.
void tac__node_set_expanded(tac_node *scalar, const char *text, bool quoted);
bool tac__node_expanded(const tac_node *scalar);

// A deep copy inside `doc`, of a node that lives in `from` (may be `doc` itself). NULL: no memory.
tac_node *tac__node_copy(tac_document *doc, const tac_document *from, const tac_node *node);
// The same without the items and values that `keep` refuses.
typedef bool tac__node_keep_fn(const void *context, const tac_node *node);
tac_node *tac__node_copy_some(tac_document *doc, const tac_document *from, const tac_node *node,
                              tac__node_keep_fn *keep, const void *context);

// Instances of a template share the nodes in which they do not differ: such a node stands in
// several trees and must not be changed. Its path is that in the template.
//
// An instance of a template inside the same document: nodes on the way to a variable that is still
// to be expanded are its own, all others are shared. NULL: no memory.
tac_node *tac__node_instance(tac_document *doc, const tac_node *node);
// Is the i-th item or value shared?
bool tac__node_shared(const tac_node *node, size_t i);
// The i-th item or value, to be changed: of a node that is shared, a copy takes its place, which
// shares what the node holds. NULL: no memory.
tac_node *tac__node_own(tac_document *doc, tac_node *node, size_t i);

// Nodes in a tree, itself included, bytes of its texts and keys, and how many maps and sequences
// stand inside each other.
typedef struct tac__node_extent {
    size_t nodes, bytes;
    unsigned depth;
} tac__node_extent;
tac__node_extent tac__node_measure(const tac_node *node);

// Where a node stands in its document: "scheduler.rate_groups[0].period", "" for the root. A key
// that is not plain stands in double quotes. Returns the length written, cut to fit `size`.
size_t tac__node_path(const tac_node *node, char *buffer, size_t size);

#endif
