// merge.h - from the files a user wrote to one tree: inheritance, overrides, variables.
//
// All of it works on nodes of one document; a node keeps the place where it was written, so an
// error points into the right file however the tree was put together.
#ifndef TAC_CONFIG_MERGE_H
#define TAC_CONFIG_MERGE_H

#include <tactus/node.h>

// --- variables ------------------------------------------------------------------------------

// The value of a variable, NULL if it has none.
typedef const char *tac__lookup_fn(void *context, const char *name);
const char *tac__lookup_environment(void *context, const char *name); // getenv

typedef struct tac__variable {
    const char *name, *value;
} tac__variable;

// Where variables come from: first a table, then a function (NULL: none).
typedef struct tac__variables {
    const tac__variable *table;
    size_t count;
    tac__lookup_fn *lookup;
    void *context;
    bool untrusted; // the text is data from elsewhere: the function is not used
} tac__variables;

// Replace ${NAME}, ${NAME:default} and ${= EXPRESSION} in every scalar value under `node`; $${
// stands for ${. A variable without value and default is an error. An expression is one of
// expr/expr.h; the names in it are variables, which must be numbers. Each scalar is expanded once
// in its life, also when copied: a template is expanded with variables of its own before the rest
// of the document.
// "${NAME}" in quotes and nothing else counts as unquoted: inside [] and {} YAML needs the quotes.
TAC_MUST_CHECK tac_status tac__expand(tac_document *doc, tac_node *node,
                                      const tac__variables *variables, tac_error *err);

// --- inheritance ----------------------------------------------------------------------------

// Merge `over` into `base`, both maps of `doc`: maps merge key by key, scalars and lists are
// replaced, null (`key: ~`) removes. Keys of `base` come first, in its order. Nodes of `over` move.
TAC_MUST_CHECK tac_status tac__merge(tac_document *doc, tac_node *base, tac_node *over,
                                     tac_error *err);

// Reads YAML files, as tac__yaml_read_file does; NULL means the file system.
typedef tac_status tac__read_fn(void *context, tac_document *doc, const char *path, unsigned depth,
                                tac_node **root, tac_error *err);

enum {
    TAC__EXTENDS_DEPTH = 16,   // files that extend each other in a row
    TAC__EXTENDS_FILES = 4096, // read for one document
};

typedef struct tac__extends_def {
    tac__read_fn *read;
    void *context;
    // Called for every file that is extended; the name lives as long as the document. NULL: not
    // called.
    bool (*seen)(void *context, const char *name); // false: no memory
    void *seen_context;
    tac__variables variables; // for file names; see tac__expand
} tac__extends_def;

// Resolve `extends: FILE` or `extends: [FILE, ...]` in every map under `root`: the map is merged
// over the contents of the files, later files over earlier ones. Inner maps are resolved first, so
// that what a map says itself or by its own `extends` wins over what it inherits from outside.
// Names are relative to the file in which they are written. A file that extends itself is an error
// that shows the chain.
TAC_MUST_CHECK tac_status tac__extends_resolve(tac_document *doc, tac_node *root,
                                               const tac__extends_def *def, tac_error *err);

// A file name in the document, seen from the file in which it is written. NULL: no memory.
const char *tac__node_path_beside(tac_document *doc, const tac_node *scalar);

// --- overrides ------------------------------------------------------------------------------

// Apply `--set path=value`. The path has keys and positions in lists: `a.b[0].c`, `a.b.0.c`; a key
// that holds a dot stands in double quotes: `routes."Nav.position".gain`. The value is YAML and
// replaces what is there; null removes the key. Missing maps are made.
TAC_MUST_CHECK tac_status tac__set(tac_document *doc, const char *argument, tac_error *err);

#endif
