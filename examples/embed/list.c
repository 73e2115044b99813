// list.c - what there is in a simulation: components with parameters, inputs with the routes that
// lead to them, signals, message ports, links.
//
//   list [FILE]
#include "embed.h"

#include <string.h>

static const char *type_text(const tac_type *type)
{
    static char text[128];
    tac_type_print(type, text, sizeof text);
    return text;
}

static void list_components(const tac_engine *engine)
{
    for (size_t i = 0; i < tac_engine_sizes(engine).components; i++) {
        const tac_component_info c = tac_engine_component_info(engine, i);
        printf("component %s: %s\n", c.name, c.type);
        for (size_t k = 0; k < tac_engine_param_count(engine, i); k++) {
            const tac_param_info p = tac_engine_param_info(engine, i, k);
            printf("  %s = %s  [%s] %s\n", p.name, p.value, p.unit, p.doc);
        }
    }
}

// Every input can be found by its full name; one that is misspelt gets a suggestion.
static void list_inputs(const tac_engine *engine)
{
    for (int i = 0; i < (int)tac_engine_input_count(engine); i++) {
        const tac_input_info in = tac_engine_input_info(engine, i);
        char name[512];
        snprintf(name, sizeof name, "%s.%s", in.component, in.name);
        printf("input %s: %s [%s] %s\n", name, type_text(&in.type), in.unit, in.doc);
        if (in.signal >= 0)
            printf("  from %s, gain %g, offset %g\n",
                   tac_engine_signal_info(engine, in.signal).name, in.gain, in.offset);

        tac_error err;
        EMBED_CHECK(tac_engine_find_input(engine, name, &err) == i);
        strcat(name, "x");
        EMBED_CHECK(tac_engine_find_input(engine, name, &err) < 0 && err.status == TAC_E_NAME);
        EMBED_CHECK(strstr(err.text, "did you mean") && strstr(err.text, in.name));
    }
}

static void list_signals(const tac_engine *engine)
{
    for (int i = 0; i < (int)tac_engine_signal_count(engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(engine, i);
        printf("signal %s: %s [%s] %s\n", s.name, type_text(&s.type), s.unit, s.doc);
        EMBED_CHECK(tac_engine_find_signal(engine, s.name) == i);
    }
}

static void list_messages(const tac_engine *engine)
{
    const tac_sizes n = tac_engine_sizes(engine);
    for (int i = 0; i < (int)n.senders; i++) {
        const tac_port_info p = tac_engine_sender_info(engine, i);
        printf("sends %s: %s\n", p.name, p.doc);
    }
    for (int i = 0; i < (int)n.receivers; i++) {
        const tac_port_info p = tac_engine_receiver_info(engine, i);
        printf("receives %s: %s, up to %u messages of %u bytes\n", p.name, p.doc, p.capacity,
               p.max_bytes);
        EMBED_CHECK(tac_engine_find_receiver(engine, p.name, NULL) == i);
    }
    for (size_t i = 0; i < tac_engine_link_count(engine); i++) {
        const tac_link_info l = tac_engine_link_info(engine, i);
        printf("link %s -> %s, %llu us\n", l.from, l.to, (unsigned long long)l.delay_us);
        EMBED_CHECK(tac_engine_find_sender(engine, l.from, NULL) >= 0);
        EMBED_CHECK(tac_engine_find_receiver(engine, l.to, NULL) >= 0);
    }
}

int main(int argc, char **argv)
{
    embed m = embed_load(argc > 1 ? argv[1] : "examples/convoy.yaml");
    list_components(m.engine);
    list_inputs(m.engine);
    list_signals(m.engine);
    list_messages(m.engine);
    EMBED_CHECK(tac_engine_input_count(m.engine) > 0);
    embed_free(&m);
    return 0;
}
