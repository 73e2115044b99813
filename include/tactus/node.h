// node.h - a document before it has types: scalars, sequences and maps of text, each with its
// place in a file.
//
// The YAML reader makes such trees; a C program may make them by hand to give a component its
// parameters. A tac_document owns every node in it and all their text.
#ifndef TACTUS_NODE_H
#define TACTUS_NODE_H

#include <stdbool.h>
#include <tactus/memory.h>
#include <tactus/status.h>

typedef struct tac_document tac_document;
typedef struct tac_node tac_node;

typedef enum tac_node_kind { TAC_NODE_SCALAR, TAC_NODE_SEQUENCE, TAC_NODE_MAP } tac_node_kind;

TAC_BEGIN_DECLS

TAC_API tac_document *tac_document_create(const tac_allocator *allocator); // NULL: no memory
TAC_API void tac_document_destroy(tac_document *doc);
TAC_API tac_node *tac_document_root(tac_document *doc); // NULL while empty
TAC_API void tac_document_set_root(tac_document *doc, tac_node *root);

// Make nodes. Text is copied. NULL on lack of memory; a NULL `place` means "made by a program".
TAC_API tac_node *tac_node_scalar(tac_document *doc, const char *text, const tac_place *place);
TAC_API tac_node *tac_node_sequence(tac_document *doc, const tac_place *place);
TAC_API tac_node *tac_node_map(tac_document *doc, const tac_place *place);

// Append to a sequence; set a key of a map (replacing). `key_place` is where the key stands.
TAC_API TAC_MUST_CHECK tac_status tac_node_append(tac_document *doc, tac_node *sequence,
                                                  tac_node *item);
TAC_API TAC_MUST_CHECK tac_status tac_node_set(tac_document *doc, tac_node *map, const char *key,
                                               const tac_place *key_place, tac_node *value);

// Shorthand for programs: map[key] = text.
TAC_API TAC_MUST_CHECK tac_status tac_node_set_text(tac_document *doc, tac_node *map,
                                                    const char *key, const char *text);

TAC_API tac_node_kind tac_node_kind_of(const tac_node *node);
TAC_API const char *tac_node_text(const tac_node *scalar);             // NULL if not a scalar
TAC_API bool tac_node_is_null(const tac_node *node);                   // NULL, or a plain ~ / null
TAC_API bool tac_node_quoted(const tac_node *node);                    // scalar written in quotes
TAC_API size_t tac_node_count(const tac_node *node);                   // items or keys; scalar: 0
TAC_API const tac_node *tac_node_item(const tac_node *node, size_t i); // i-th item or value
TAC_API const char *tac_node_key(const tac_node *map, size_t i);
TAC_API const tac_place *tac_node_key_place(const tac_node *map, size_t i);
TAC_API const tac_node *tac_node_get(const tac_node *map, const char *key); // NULL if absent
TAC_API const tac_place *tac_node_place(const tac_node *node);

TAC_END_DECLS
#endif
