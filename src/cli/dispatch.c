// dispatch.c - a server made from a configuration, run to its end and reported.
#include "cli/dispatch.h"

#include "cli/output.h"
#include "cli/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- making -------------------------------------------------------------------------------------

static const tac_link_law *give_law(void *context, const tac_link_ends *e)
{
    const cli_dispatch *d = context;
    return tac_config_crossing_law(d->sim.config, e->from, e->channel, e->to, e->inlet);
}

static uint64_t give_number(void *context, size_t client, const char *channel)
{
    const cli_dispatch *d = context;
    return tac_config_sender_number(d->sim.config, client, channel);
}

static void show(void *context, const char *text)
{
    cli_dispatch *d = context;
    cli_progress_hide(&d->progress);
    fprintf(stderr, "%s: %s%s", tac_config_name(d->sim.config), text,
            *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static const char *look(void *context, tac_time t_us)
{
    cli_dispatch *d = context;
    cli_progress_update(&d->progress, t_us);
    if (cli_stop_signal())
        return "stopped by a signal";
    return d->watch ? d->watch(d->context) : NULL;
}

static tac_status read_lookahead(const cli_args *args, const char *word, tac_lookahead *lookahead,
                                 tac_error *err)
{
    static const char *const names[] = {
#define NAME(name, text) [TAC_LOOKAHEAD_##name] = text,
        TAC_LOOKAHEAD_TABLE(NAME)
#undef NAME
    };
    if (cli_value(args, "lookahead"))
        word = cli_value(args, "lookahead");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(word, names[i])) {
            *lookahead = (tac_lookahead)i;
            return TAC_OK;
        }
    }
    return tac__fail(err, TAC_E_USAGE, "option '--lookahead' needs link or global, not '%s'", word);
}

tac_status cli_dispatch_load(cli_dispatch *d, const cli_args *args, const char *file,
                             tac_error *err)
{
    size_t crossings;
    TAC_TRY(cli_load_config(&d->sim, args, file, err));
    TAC_TRY(tac_config_federation(d->sim.config, &d->info, err));
    return tac_config_crossing_count(d->sim.config, &crossings, err);
}

// What others can see of the messages. With a key only what is asked for: the key is there to keep
// messages from others.
static tac_status choose_lcm(cli_dispatch *d, const cli_args *args, tac_error *err)
{
    const char *url = cli_value(args, "lcm");
    if (url && cli_has(args, "no-lcm"))
        return tac__fail(err, TAC_E_USAGE, "options '--lcm' and '--no-lcm' exclude each other");
    d->log = cli_value(args, "log");
    d->lcm_asked = url || d->info.lcm_given;
    d->lcm = url ? url : d->info.lcm;
    if (cli_has(args, "no-lcm") || (cli_value(args, "key") && !d->lcm_asked))
        d->lcm = NULL;
    return TAC_OK;
}

tac_status cli_dispatch_open(cli_dispatch *d, const cli_args *args, const char *address,
                             tac_error *err)
{
    const tac_engine_def engine = tac_config_engine_def(d->sim.config);
    d->end_us = engine.end_us;
    d->names = calloc(d->info.process_count, sizeof *d->names);
    if (!d->names)
        return tac__fail_memory(err);
    for (size_t i = 0; i < d->info.process_count; i++)
        d->names[i] = tac_config_process_info(d->sim.config, i).name;
    tac_server_def def = tac_server_def_default();
    TAC_TRY(read_lookahead(args, d->info.lookahead, &def.lookahead, err));
    TAC_TRY(choose_lcm(d, args, err));
    def.lcm = d->lcm;
    def.lcm_rate = d->info.lcm_rate;
    def.lcm_log = d->log;
    def.lcm_log_replace = cli_has(args, "force");
    def.address = address;
    def.key_file = cli_value(args, "key");
    def.names = d->names;
    def.count = d->info.process_count;
    def.seed = engine.seed;
    def.end_us = engine.end_us;
    def.delay_us = TAC_TIME_NEVER; // the configuration has the law of every link
    def.law = give_law;
    def.number = give_number;
    def.timeout_ms =
        d->info.timeout_us / 1000 < UINT32_MAX ? (uint32_t)(d->info.timeout_us / 1000) : 0;
    def.log = show;
    def.look = look;
    def.context = d;
    TAC_TRY(tac_server_create(&def, &d->server, err));
    const char *why = tac_server_lcm_error(d->server);
    if (why && d->lcm_asked && !cli_has(args, "quiet"))
        fprintf(stderr, "%s: warning: nothing is published with LCM: %s\n",
                tac_config_name(d->sim.config), why);
    const char *actual = tac_server_address(d->server);
    d->transport = !strncmp(actual, "unix", 4)  ? "unix"
                   : !strncmp(actual, "shm", 3) ? "shm"
                                                : "tcp";
    return TAC_OK;
}

tac_status cli_dispatch_run(cli_dispatch *d, const cli_args *args, tac_error *err)
{
    const cli_progress_mode mode = cli_has(args, "quiet") ? CLI_PROGRESS_NEVER : CLI_PROGRESS_AUTO;
    cli_stop_begin(NULL, NULL);
    cli_progress_begin(&d->progress, mode, 0, d->end_us);
    const tac_status status = tac_server_finish(d->server, err);
    cli_progress_hide(&d->progress);
    cli_stop_closing();
    cli_stop_end();
    return status;
}

void cli_dispatch_close(cli_dispatch *d)
{
    tac_server_destroy(d->server);
    cli_unload(&d->sim);
    free(d->names);
}

// --- reporting ----------------------------------------------------------------------------------

// A round is one message of each client, on average.
static double round_us(const tac_dispatch_info *i)
{
    return i->received ? 1e6 * i->wall_s * (double)i->clients / (double)i->received : 0;
}

static double at_once(const tac_dispatch_info *i)
{
    return i->busy_turns ? (double)i->busy / (double)i->busy_turns : 0;
}

// Find the channel on which most was left out, and count all such channels. NULL: nothing was.
static const char *most_left_out(const cli_dispatch *d, uint64_t *most, size_t *channels)
{
    const char *channel, *first = NULL;
    uint64_t count;
    *most = 0;
    for (*channels = 0; (channel = tac_server_lcm_left_out(d->server, *channels, &count));
         ++*channels) {
        first = count > *most ? channel : first;
        *most = count > *most ? count : *most;
    }
    return first;
}

void cli_dispatch_report(const cli_dispatch *d, tac_status status, tac__text *out)
{
    const tac_dispatch_info i = tac_server_info(d->server);
    char reached[TAC_TIME_TEXT];
    const tac_time t_us = tac_server_time(d->server);
    tac_time_print(t_us < d->end_us ? t_us : d->end_us, reached);
    tac__text_add(out, "%s: %s\n", tac_config_name(d->sim.config),
                  status == TAC_OK ? "the federation has come to its end"
                                   : "the federation ended early");
    tac__text_add(out, "  clients      %zu over %s\n", i.clients, d->transport);
    tac__text_add(out, "  reached      %s in %.3g s", reached, i.wall_s);
    if (i.wall_s > 0)
        tac__text_add(out, ", %.3g x real time", tac_time_seconds(t_us) / i.wall_s);
    tac__text_add(out, "\n  messages     %llu received, %llu delivered",
                  (unsigned long long)i.received, (unsigned long long)i.delivered);
    if (i.lost || i.duplicated)
        tac__text_add(out, ", %llu lost, %llu duplicated", (unsigned long long)i.lost,
                      (unsigned long long)i.duplicated);
    if (i.late)
        tac__text_add(out, ", %llu on their way at the end", (unsigned long long)i.late);
    tac__text_add(out, "\n  at work      %.2g clients at once, at most %llu\n", at_once(&i),
                  (unsigned long long)i.most_at_once);
    if (i.received)
        tac__text_add(out, "  round        %.3g us for a message of each client\n", round_us(&i));
    const char *why = tac_server_lcm_error(d->server);
    if (d->lcm)
        tac__text_add(out, "  lcm          ");
    if (d->lcm && why)
        tac__text_add(out, "nothing published: %s\n", why);
    else if (d->lcm)
        tac__text_add(out, "%llu published at %s, %llu left out", (unsigned long long)i.published,
                      d->lcm, (unsigned long long)i.left_out);
    uint64_t most;
    size_t channels;
    const char *channel = most_left_out(d, &most, &channels);
    if (channel)
        tac__text_add(out, " on %zu channels, most on %s: %llu", channels, channel,
                      (unsigned long long)most);
    if (d->lcm && !why)
        tac__text_add(out, "\n");
    if (d->log)
        tac__text_add(out, "  log          %s\n", d->log);
    if (i.hash)
        tac__text_add(out, "  hash         %016llx\n", (unsigned long long)i.hash);
}

void cli_dispatch_json(const cli_dispatch *d, tac_status status, const tac_error *err,
                       tac__json *json)
{
    const tac_dispatch_info i = tac_server_info(d->server);
    const tac_time t_us = tac_server_time(d->server);
    tac__json_key_text(json, "name", tac_config_name(d->sim.config));
    tac__json_key_bool(json, "finished", status == TAC_OK);
    tac__json_key_text(json, "transport", d->transport);
    tac__json_key_u64(json, "t_us", t_us < d->end_us ? t_us : d->end_us);
    tac__json_key_number(json, "wall_s", i.wall_s);
    tac__json_key_u64(json, "clients", i.clients);
    tac__json_key(json, "messages");
    tac__json_object_begin(json);
    tac__json_key_u64(json, "received", i.received);
    tac__json_key_u64(json, "delivered", i.delivered);
    tac__json_key_u64(json, "lost", i.lost);
    tac__json_key_u64(json, "duplicated", i.duplicated);
    tac__json_key_u64(json, "late", i.late);
    tac__json_object_end(json);
    tac__json_key(json, "authorised");
    tac__json_object_begin(json);
    tac__json_key_u64(json, "grants", i.grants);
    tac__json_key_number(json, "at_once", at_once(&i));
    tac__json_key_u64(json, "most_at_once", i.most_at_once);
    tac__json_object_end(json);
    tac__json_key_number(json, "us_per_round", round_us(&i));
    if (d->lcm) {
        tac__json_key(json, "lcm");
        tac__json_object_begin(json);
        tac__json_key_text(json, "url", d->lcm);
        tac__json_key_u64(json, "published", i.published);
        tac__json_key_u64(json, "left_out", i.left_out);
        tac__json_key(json, "channels");
        tac__json_array_begin(json);
        const char *channel;
        uint64_t count;
        for (size_t k = 0; (channel = tac_server_lcm_left_out(d->server, k, &count)); k++) {
            tac__json_object_begin(json);
            tac__json_key_text(json, "channel", channel);
            tac__json_key_u64(json, "left_out", count);
            tac__json_object_end(json);
        }
        tac__json_array_end(json);
        if (tac_server_lcm_error(d->server))
            tac__json_key_text(json, "refused", tac_server_lcm_error(d->server));
        tac__json_object_end(json);
    }
    if (d->log)
        tac__json_key_text(json, "log", d->log);
    if (i.hash)
        tac__json_key_hex64(json, "hash", i.hash);
    if (status != TAC_OK)
        cli_json_error(json, "error", err);
}
