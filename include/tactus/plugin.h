// plugin.h - components in a shared library of their own.
//
// A plugin exports one function that hands over a table; the TAC_PLUGIN line writes it:
//
//     static const tac_component_type heater = {...};
//     TAC_PLUGIN("thermal", "1.0", &heater)
//
// The loader compares the ABI version and the sizes of all structs that cross the border before it
// looks at anything else, and refuses a plugin that was built against other headers.
#ifndef TACTUS_PLUGIN_H
#define TACTUS_PLUGIN_H

#include <tactus/component.h>

typedef struct tac_plugin {
    uint32_t abi, size; // TAC_ABI_VERSION, sizeof(tac_plugin)
    uint32_t type_size, param_size, port_size, message_size, step_size, eval_size;
    const char *name, *version;
    const tac_component_type *const *types;
    size_t type_count;
} tac_plugin;

typedef const tac_plugin *tac_plugin_entry_fn(void);
#define TAC_PLUGIN_ENTRY "tac_plugin_entry"

#define TAC_PLUGIN(plugin_name, plugin_version, ...)                                               \
    TAC_API const tac_plugin *tac_plugin_entry(void);                                              \
    const tac_plugin *tac_plugin_entry(void)                                                       \
    {                                                                                              \
        static const tac_component_type *const types[] = {__VA_ARGS__};                            \
        static const tac_plugin plugin = {TAC_ABI_VERSION,                                         \
                                          sizeof(tac_plugin),                                      \
                                          sizeof(tac_component_type),                              \
                                          sizeof(tac_param_def),                                   \
                                          sizeof(tac_port_def),                                    \
                                          sizeof(tac_message_def),                                 \
                                          sizeof(tac_step),                                        \
                                          sizeof(tac_eval),                                        \
                                          plugin_name,                                             \
                                          plugin_version,                                          \
                                          types,                                                   \
                                          sizeof types / sizeof *types};                           \
        return &plugin;                                                                            \
    }

#endif
