// load.h - from the operand FILE and the options to a configuration and an engine.
#ifndef TAC_CLI_LOAD_H
#define TAC_CLI_LOAD_H

#include "cli/log.h"
#include "cli/options.h"

#include <tactus/config.h>

typedef struct cli_simulation {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    cli_log log;
} cli_simulation;

// The known component types: built in and from --plugin.
TAC_MUST_CHECK tac_status cli_load_registry(cli_simulation *sim, const cli_args *args,
                                            tac_error *err);
// The same, and the configuration, with --set, --seed and --duration applied in the order given;
// with --process the part of that process.
TAC_MUST_CHECK tac_status cli_load_config(cli_simulation *sim, const cli_args *args,
                                          const char *path, tac_error *err);
// The configuration of a recording, which was unpacked into `folder`, with further "path=value"
// settings. It is not trusted unless --trust is given, and no plugin is loaded out of that folder
// in any case.
TAC_MUST_CHECK tac_status cli_load_recorded(cli_simulation *sim, const cli_args *args,
                                            const char *path, const char *folder,
                                            const char *const *more, size_t more_count,
                                            tac_error *err);
// The same, and the engine: with all its components, or also prepared. Warnings go to standard
// error, and into `sim->log.kept` if that was set before.
TAC_MUST_CHECK tac_status cli_load_unprepared(cli_simulation *sim, const cli_args *args,
                                              const char *path, tac_error *err);
TAC_MUST_CHECK tac_status cli_load_engine(cli_simulation *sim, const cli_args *args,
                                          const char *path, tac_error *err);
// The same, for commands whose answer about very many vehicles takes long and helps nobody: `what`,
// such as "a graph", is refused at once for more than CLI_SMALL components. 400 vehicles of five
// components have that many; the slowest graph, of a step, takes 2 s for them (user time, Zen 4).
enum { CLI_SMALL = 2000 };
TAC_MUST_CHECK tac_status cli_load_small(cli_simulation *sim, const cli_args *args,
                                         const char *path, const char *what, tac_error *err);
TAC_MUST_CHECK tac_status cli_check_small(const cli_simulation *sim, const char *what,
                                          tac_error *err);
// The engine of a configuration that is loaded, with all its components.
TAC_MUST_CHECK tac_status cli_build_unprepared(cli_simulation *sim, tac_error *err);
void cli_unload(cli_simulation *sim); // also after loading has failed

#endif
