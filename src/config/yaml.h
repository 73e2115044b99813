// yaml.h - YAML in, tac_document out: the only part of Tactus that uses libyaml.
//
// Accepted are: one document a file, UTF-8, scalars, lists and maps with text as keys, anchors and
// aliases (an alias is a copy). Refused with their place are: keys used twice, merge keys (`<<`),
// tags other than YAML's own, and what exceeds the limits below.
#ifndef TAC_CONFIG_YAML_H
#define TAC_CONFIG_YAML_H

#include <tactus/node.h>

enum {
    TAC__YAML_BYTES = 16 << 20, // of a file
    TAC__YAML_NODES = 1000000,  // of a document, all files and copies together
    TAC__YAML_DEPTH = 64,       // maps and lists inside each other
    TAC__YAML_ANCHORS = 256,    // of a file
    TAC__YAML_TEXT = 256 << 20, // bytes of files, texts and keys in a document, copies included
};

typedef struct tac__yaml_source {
    const char *name; // for places; copied
    const char *bytes;
    size_t length;
    size_t start;   // where YAML begins; what stands before it on the line is only shown in errors
    unsigned depth; // maps and lists around the place where the result will stand
} tac__yaml_source;

// Read YAML into nodes of `doc`, whose root is not changed. After a failure the nodes made so far
// stay in the document, unused. An empty text is an error.
TAC_MUST_CHECK tac_status tac__yaml_read_text(tac_document *doc, const tac__yaml_source *source,
                                              tac_node **root, tac_error *err);

// The same from a file. A file that is too large is refused before any of it is read.
TAC_MUST_CHECK tac_status tac__yaml_read_file(tac_document *doc, const char *path, unsigned depth,
                                              tac_node **root, tac_error *err);

#endif
