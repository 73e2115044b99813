// federation.h - section `federation` of a configuration: processes, what passes between them, and
// which parts of the document belong to which of them.
//
// federation.c reads the section. divide.c looks at the whole simulation once, as the engine
// resolves it, and finds what crosses from process to process. rules.c adds links from and to other
// configurations and programs. part.c makes the configuration of one process.
#ifndef TAC_CONFIG_FEDERATION_H
#define TAC_CONFIG_FEDERATION_H

#include "base/names.h"
#include "config/config.h"

// The process of what belongs to no entity: there is a copy in every process with entities.
#define TAC__EVERY SIZE_MAX

// Items of lists and maps that belong to some processes only. Those that are not listed belong to
// all.
typedef struct tac__mark {
    const tac_node *node;
    bool *in;     // one a process; NULL: it belongs to one
    size_t owner; // that one
} tac__mark;

typedef struct tac__inlet_name {
    const char *channel;
    uint32_t number;
} tac__inlet_name;

// A port of an engine that another process may be linked with.
typedef struct tac__end {
    const char *name;
    size_t process;
    bool sends;
    size_t number;  // sending: place among all sending ports of the whole
    size_t senders; // receiving: number of senders in its own process or in the whole
    const tac__inlet_name *inlets; // receiving: its links from outside
    size_t inlet_count;
} tac__end;

typedef struct tac__crossing {
    tac_crossing_info info;
    bool declared; // the receiving end has a link from outside of its own for it
    bool group;    // from signals to inputs, not from port to port
    bool placed;   // `number` is that of the whole and stands in the part's link
    bool first;    // the sender steps before the component of the receiving port
} tac__crossing;

typedef struct tac__fed_rule {
    const tac_node *node;
    const char *from, *to;
    const tac_link_law *law;
    bool used;
} tac__fed_rule;

struct tac__federation {
    const tac_node *node;
    tac_process_info *processes;
    size_t count;
    TAC__CAPACITY(tac_process_info) capacity;
    size_t divided; // number of processes with entities
    size_t *owner;  // the process of each entity, in the order of the document
    const tac_link_law *delay;

    bool complete; // what follows is there
    tac__mark *marks;
    size_t mark_count;
    TAC__CAPACITY(tac__mark) mark_capacity;
    tac__end *ends;
    tac__names senders;  // sending ports of the whole; number: index in `ends`
    size_t sender_count; // of the whole
    size_t end_count;
    TAC__CAPACITY(tac__end) end_capacity;
    tac__fed_rule *rules;
    size_t rule_count;
    tac__crossing *crossings;
    size_t crossing_count;
    TAC__CAPACITY(tac__crossing) crossing_capacity;
};

// --- federation.c ---
TAC_MUST_CHECK tac_status tac__federation_read(tac_config *config, tac_error *err);
// The process of an entity by its name.
size_t tac__federation_owner(const tac_config *config, const char *entity);

// --- divide.c ---
// Find what crosses; done once.
TAC_MUST_CHECK tac_status tac__federation_divide(tac_config *config, tac_error *err);
bool tac__federation_has(const tac__federation *federation, size_t process, const tac_node *node);

// --- rules.c ---
// Add a link between processes. A text or law of NULL: there was no memory for it.
TAC_MUST_CHECK tac_status tac__federation_cross(tac_config *config, const tac__crossing *crossing,
                                                tac_error *err);
// Add the links that follow from rules, once all ports are known.
TAC_MUST_CHECK tac_status tac__federation_connect(tac_config *config, tac_error *err);

// --- group.c: groups of signals and inputs ---
TAC_MUST_CHECK tac_status tac__federation_read_groups(tac_config *config, const tac_node *process,
                                                      size_t number, tac_error *err);
// Check those of one process against what an engine has; `holds` says whether the process has a
// component.
struct tac__plan;
struct tac__component;
TAC_MUST_CHECK tac_status tac__federation_check_groups(
    const tac_config *config, size_t process, const struct tac__plan *plan,
    bool (*holds)(const void *context, size_t process, const struct tac__component *component),
    const void *context, tac_error *err);
// Copy those of a process into its part.
TAC_MUST_CHECK tac_status tac__federation_copy_groups(const tac_config *config, size_t process,
                                                      tac_config *part, tac_error *err);

// --- part.c ---
// Load the configuration of a process that has one of its own, with the duration of the whole.
TAC_MUST_CHECK tac_status tac__federation_load(const tac_config *config, size_t process,
                                               tac_config **own, tac_error *err);

#endif
