// config.h - from a YAML file to an engine that is ready to run.
//
// docs/configuration.md describes the format; tac_config_schema gives it as JSON Schema.
#ifndef TACTUS_CONFIG_H
#define TACTUS_CONFIG_H

#include <tactus/link.h>
#include <tactus/record.h>

// --- component types by name -------------------------------------------------------------------

// The types that configurations can name: the built-in ones and those of loaded plugins.
typedef struct tac_registry tac_registry;

TAC_BEGIN_DECLS

TAC_API TAC_MUST_CHECK tac_status tac_registry_create(const tac_allocator *allocator,
                                                      tac_registry **registry, tac_error *err);
// Also closes the plugins: destroy the engines that use them first.
TAC_API void tac_registry_destroy(tac_registry *registry);

TAC_API TAC_MUST_CHECK tac_status tac_registry_add(tac_registry *registry,
                                                   const tac_component_type *type, tac_error *err);
// Load a shared library and add its types; see plugin.h. A library is loaded once.
TAC_API TAC_MUST_CHECK tac_status tac_registry_load(tac_registry *registry, const char *path,
                                                    tac_error *err);

TAC_API size_t tac_registry_count(const tac_registry *registry);
TAC_API const tac_component_type *tac_registry_type(const tac_registry *registry, size_t i);
TAC_API const tac_component_type *tac_registry_find(const tac_registry *registry,
                                                    const char *name); // NULL: unknown

// What a type has: parameters, ports, states. Text or JSON; free with tac_text_free. NULL: no
// memory.
TAC_API char *tac_type_describe(const tac_component_type *type, tac_format format);

// --- configurations ----------------------------------------------------------------------------

typedef struct tac_config tac_config;

typedef struct tac_config_def {
    uint32_t size; // sizeof(tac_config_def)
    // The configuration comes from someone else, as that in a recording does: what it names is not
    // loaded. Its own `plugins` and `extends` are ignored, its variables have no value, files that
    // parameters name must lie below its folder, and tools are treated as absent. What `sets` name
    // is loaded.
    bool untrusted;
    const tac_allocator *allocator; // NULL: malloc
    tac_registry *registry;         // must outlive the configuration; gets its plugins
    const char *const *sets;        // "path=value", applied in order
    size_t set_count;
    // The value of ${NAME}, NULL if it has none. NULL: the environment of the process.
    const char *(*variable)(void *context, const char *name);
    void *variable_context;
    // No plugin is loaded from below this folder, wherever it is named; NULL: from anywhere.
    const char *closed_folder;
    // NULL: loading and building end with the first mistake. Otherwise they go on to mistakes that
    // do not follow from earlier ones, and `mistake` is called for each, the first one included, in
    // the order in which they are found, TAC_MISTAKES_MAX times at most; the function that fails
    // still returns the first.
    // tac_config_engine_def passes `mistake` on to the engine.
    tac_mistake_fn *mistake;
    void *mistake_context;
} tac_config_def;

static inline tac_config_def tac_config_def_default(void)
{
    tac_config_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// Read and check a file, with all files that it extends. Loads the plugins that it names.
TAC_API TAC_MUST_CHECK tac_status tac_config_load(const char *path, const tac_config_def *def,
                                                  tac_config **config, tac_error *err);
// The same from memory; `name` stands for the file in errors, and paths are relative to it.
TAC_API TAC_MUST_CHECK tac_status tac_config_parse(const char *name, const char *text, size_t size,
                                                   const tac_config_def *def, tac_config **config,
                                                   tac_error *err);
TAC_API void tac_config_destroy(tac_config *config);

TAC_API const char *tac_config_name(const tac_config *config); // `name:`, or the file's
// How many components there are, known before anything is built. `*entity` is the last entity that
// has any, NULL where there is none.
TAC_API size_t tac_config_component_count(const tac_config *config, const char **entity);
TAC_API void tac_config_engine_def_sized(const tac_config *config, tac_engine_def *def,
                                         size_t size);
static inline tac_engine_def tac_config_engine_def(const tac_config *config)
{
    tac_engine_def def;
    tac_config_engine_def_sized(config, &def, sizeof def);
    return def;
}

// Make an engine from the configuration and prepare it. `def` is that of tac_config_engine_def with
// additions of the caller: log sink, allocator. The configuration must outlive the engine.
TAC_API TAC_MUST_CHECK tac_status tac_config_build(const tac_config *config,
                                                   const tac_engine_def *def, tac_engine **engine,
                                                   tac_error *err);
// The same in two steps, for callers that add observers or components of their own.
TAC_API TAC_MUST_CHECK tac_status tac_config_build_unprepared(const tac_config *config,
                                                              const tac_engine_def *def,
                                                              tac_engine **engine, tac_error *err);

// What `record:` says, with the resolved configuration (without plant.lanes: recordings are the
// same for every number) and the files that it names; path is NULL where it names no file. Lives as
// long as the configuration.
TAC_API TAC_MUST_CHECK tac_status tac_config_recorder_def_sized(tac_config *config,
                                                                tac_recorder_def *def, size_t size,
                                                                tac_error *err);
static inline TAC_MUST_CHECK tac_status tac_config_recorder_def(tac_config *config,
                                                                tac_recorder_def *def,
                                                                tac_error *err)
{
    return tac_config_recorder_def_sized(config, def, sizeof *def, err);
}

// Does section `record` name a file? If it does not, a caller without a file of its own can do
// without the definition above, which holds the whole configuration as a text.
TAC_API bool tac_config_records(const tac_config *config);

// The files that the configuration was made from, and those that its components read: the file
// itself, files that it extends, plugins, files and folders that parameters name. `*paths` lives as
// long as the configuration.
TAC_API TAC_MUST_CHECK tac_status tac_config_files(tac_config *config, const char *const **paths,
                                                   size_t *count, tac_error *err);

// The configuration as it was resolved (all extends, sets and variables applied), as YAML; names of
// files are relative to the folder of the file that was loaded. Free with tac_text_free. NULL: no
// memory.
TAC_API char *tac_config_resolved(const tac_config *config);

// --- federations -------------------------------------------------------------------------------
//
// Section `federation` divides a simulation into processes; docs/federation.md describes it. What a
// process runs is a configuration, too: a part, in which links to other processes lead outside.
// Texts live as long as the configuration.

// Is there a section `federation`?
TAC_API bool tac_config_federates(const tac_config *config);

// On this network of LCM a server publishes all messages unless it is told otherwise; they do not
// leave the host.
#define TAC_FEDERATION_LCM "udpm://239.255.76.67:7667?ttl=0"

typedef struct tac_federation_info {
    const char *transport; // "unix", "tcp" or "shm"
    const char *address;   // where the server listens; NULL: not given
    const char *lookahead; // "link" or "global"
    tac_time delay_us;     // of links for which no rule gives one
    tac_time timeout_us;   // of wall time
    size_t process_count;
    const char *lcm; // network of LCM on which messages are published; NULL: none
    bool lcm_given;  // in the section
    double lcm_rate; // messages published there in a second of wall time, at most
} tac_federation_info;

// Read the section. Fails where there is none, and where an entity is in no process or in two. All
// functions below do this first, if it was not done.
TAC_API TAC_MUST_CHECK tac_status tac_config_federation_sized(tac_config *config,
                                                              tac_federation_info *info,
                                                              size_t size, tac_error *err);
static inline TAC_MUST_CHECK tac_status tac_config_federation(tac_config *config,
                                                              tac_federation_info *info,
                                                              tac_error *err)
{
    return tac_config_federation_sized(config, info, sizeof *info, err);
}

// A process: it has entities of this configuration, or a configuration of its own, or it is a
// program.
typedef struct tac_process_info {
    const char *name;
    const char *const *entities; // NULL: none
    size_t entity_count;
    const char *config;         // the file; NULL: none
    const char *const *command; // the program and its arguments; NULL: none
    size_t command_count;
    const char *folder; // in which the program is started: that of the configuration, or "."
    tac_place place;
} tac_process_info;

// A process by its number, from 0, in the order of the file. Valid after tac_config_federation;
// name "" where there is no such process.
TAC_API void tac_config_process_info_sized(const tac_config *config, size_t process,
                                           tac_process_info *info, size_t size);
static inline tac_process_info tac_config_process_info(const tac_config *config, size_t process)
{
    tac_process_info info;
    tac_config_process_info_sized(config, process, &info, sizeof info);
    return info;
}
// -1, and an error with the nearest name, where there is none.
TAC_API int tac_config_find_process(tac_config *config, const char *name, tac_error *err);

// Signals that a process publishes as a message of LCM, or inputs that take one: what
// tac_lcm_group_def of <tactus/federation.h> has.
typedef struct tac_lcm_group_info {
    const char *channel;
    bool published;             // else subscribed to
    const char *const *names;   // of signals or inputs, in full
    const char *const *members; // NULL: not given
    size_t count;
    tac_time period_us, offset_us; // published
    size_t process;                // number; 0 in a part
    tac_place place;
} tac_lcm_group_info;

// The groups of all processes (after tac_config_federation), or, of a part, those of its process.
TAC_API size_t tac_config_lcm_group_count(const tac_config *config);
// Channel "" where there is no such group.
TAC_API void tac_config_lcm_group_info_sized(const tac_config *config, size_t group,
                                             tac_lcm_group_info *info, size_t size);
static inline tac_lcm_group_info tac_config_lcm_group_info(const tac_config *config, size_t group)
{
    tac_lcm_group_info info;
    tac_config_lcm_group_info_sized(config, group, &info, sizeof info);
    return info;
}

// Make the configuration of one process, which is built, recorded and judged like any other and is
// independent of `config`. It has the entities of the process and all components of no entity;
// links from other processes come from outside, on the channel of the sending port's full name and
// with the sender's number in the whole; links to others lead outside. So its digests are those of
// the whole. Of expectations it has those about its entities; the names of its recording have the
// process's name before their ending.
// Fails where anything but messages would pass between processes, with the names of both. A process
// that is a program has no part. The caller destroys the part.
TAC_API TAC_MUST_CHECK tac_status tac_config_part(tac_config *config, size_t process,
                                                  tac_config **part, tac_error *err);

// A link from one process to another.
typedef struct tac_crossing_info {
    const char *from; // full name of the sending port, or the channel of a program
    const char *to;   // full name of the receiving port, or the name of a program
    size_t from_process, to_process;
    size_t number; // of the sender at the receiving port, from 0
    const tac_link_law *law;
} tac_crossing_info;

// The links between processes, patterns resolved. Programs say themselves what they publish and
// subscribe to: of their links the list has those that section `federation` names.
TAC_API TAC_MUST_CHECK tac_status tac_config_crossing_count(tac_config *config, size_t *count,
                                                            tac_error *err);
// Valid after tac_config_crossing_count; `from` is "" where there is no such link.
TAC_API void tac_config_crossing_info_sized(const tac_config *config, size_t link,
                                            tac_crossing_info *info, size_t size);
static inline tac_crossing_info tac_config_crossing_info(const tac_config *config, size_t link)
{
    tac_crossing_info info;
    tac_config_crossing_info_sized(config, link, &info, sizeof info);
    return info;
}
// The law by which messages travel that process `from_process` publishes on `channel` to `inlet` of
// process `to_process`: that of the link in the list above, or of the last rule of section
// `federation` that matches, or its `delay`. NULL: none, as the list says that this inlet hears
// this channel of other processes only. Valid after tac_config_crossing_count.
TAC_API const tac_link_law *tac_config_crossing_law(const tac_config *config, size_t from_process,
                                                    const char *channel, size_t to_process,
                                                    const char *inlet);
// The number of the sender that publishes on `channel` of a process, among all senders of the
// federation: ports of the file in the order of the whole, then the processes in their order.
// Messages that reach a program together come in the order of these numbers. Valid after
// tac_config_crossing_count.
TAC_API uint64_t tac_config_sender_number(const tac_config *config, size_t process,
                                          const char *channel);

// JSON Schema of configurations, with the parameters of all registered types. Free with
// tac_text_free. NULL: no memory.
TAC_API char *tac_config_schema(const tac_registry *registry);

TAC_END_DECLS
#endif
