// pilot.c - an application of LCM as a client of a federation.
//
// Everything above the line is plain LCM code and knows nothing of Tactus: handlers, and a function
// that publishes. It hears the vehicle, steers it on channel ORDER, and tells other pilots on
// channel STATUS; all of them publish on these two. Below the line the application joins a
// federation, with the address and the name that `tactus federate` gives it:
//
//     tactus federate examples/federation/pilots.yaml
#define _POSIX_C_SOURCE 200809L // fdopen
#include "example_status_t.h"
#include "tactus_numbers_t.h"

#include <lcm/lcm.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pilot {
    lcm_t *lcm;
    const char *name;
    double height, others; // as heard last
    int seen;
    uint64_t digest; // over everything that was heard, and when
    lcm_subscription_t *any;
    tactus_numbers_t_subscription_t *heights;
    example_status_t_subscription_t *statuses;
} pilot;

static void digest_bytes(pilot *p, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) // FNV-1a
        p->digest = (p->digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
}

static void on_any(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    pilot *p = context;
    digest_bytes(p, channel, strlen(channel));
    digest_bytes(p, &buffer->recv_utime, sizeof buffer->recv_utime);
    digest_bytes(p, buffer->data, buffer->data_size);
}

static void on_height(const lcm_recv_buf_t *buffer, const char *channel,
                      const tactus_numbers_t *message, void *context)
{
    pilot *p = context;
    (void)buffer, (void)channel;
    p->seen++;
    if (message->count > 0)
        p->height = message->value[0];
}

static void on_status(const lcm_recv_buf_t *buffer, const char *channel,
                      const example_status_t *message, void *context)
{
    pilot *p = context;
    (void)buffer, (void)channel;
    if (strcmp(message->name, p->name) != 0) // LCM hears its own messages, too
        p->others = 0.5 * p->others + 0.5 * message->order;
}

static void steer(pilot *p, int64_t utime)
{
    double order = 10 - p->height - 0.25 * p->others;
    const tactus_numbers_t numbers = {.count = 1, .value = &order};
    const example_status_t status = {
        .utime = utime, .name = (char *)p->name, .seen = p->seen, .order = order};
    tactus_numbers_t_publish(p->lcm, "ORDER", &numbers);
    example_status_t_publish(p->lcm, "STATUS", &status);
}

static void listen(pilot *p)
{
    p->any = lcm_subscribe(p->lcm, ".*", on_any, p);
    p->heights = tactus_numbers_t_subscribe(p->lcm, ".*\\.tx", on_height, p);
    p->statuses = example_status_t_subscribe(p->lcm, "STATUS", on_status, p);
}

static void stop_listening(pilot *p)
{
    lcm_unsubscribe(p->lcm, p->any);
    tactus_numbers_t_unsubscribe(p->lcm, p->heights);
    example_status_t_unsubscribe(p->lcm, p->statuses);
}

// ------------------------------------------------------------------------------------------------

#include <tactus/lcm.h>

static tac_status fly(tac_client *client, pilot *p, tac_time step_us, tac_error *err)
{
    bool over = false;
    for (tac_time t_us = 0; !over; t_us += step_us) {
        const tac_status status = tac_client_lcm_poll(client, t_us, t_us, &over, err);
        if (status != TAC_OK)
            return status;
        if (!over)
            steer(p, (int64_t)t_us);
    }
    char result[80];
    snprintf(result, sizeof result, "%s.heard", p->name);
    const tac_status status = tac_client_result(client, result, p->digest, err);
    return status == TAC_OK ? tac_client_finish(client, err) : status;
}

static tac_status run(tac_client *client, pilot *p, tac_time step_us, tac_error *err)
{
    const char *const channels[] = {"ORDER", "STATUS"};
    tac_lcm_def def = tac_lcm_def_default();
    def.publish = channels;
    def.publish_count = 2;
    tac_status status = tac_client_add_lcm(client, &def, &p->lcm, err);
    if (status == TAC_OK) {
        listen(p);
        status = tac_client_join(client, err);
        if (status == TAC_OK)
            status = fly(client, p, step_us, err);
        stop_listening(p);
    }
    return status;
}

// Facts for 'tactus federate --json', under processes.NAME.report: JSON on a descriptor of its own.
static void report(const pilot *p)
{
    const char *descriptor = getenv("TACTUS_REPORT_FD");
    FILE *file = descriptor ? fdopen(atoi(descriptor), "w") : NULL;
    if (!file)
        return;
    fprintf(file, "{\"seen\": %d, \"height\": %.17g}\n", p->seen, p->height);
    fclose(file);
}

int main(int argc, char **argv)
{
    tac_error err;
    tac_client *client = NULL;
    tac_client_def def = tac_client_def_default();
    def.address = getenv("TACTUS_ADDRESS");
    def.name = getenv("TACTUS_NAME");
    if (!def.address || !def.name) {
        fprintf(stderr, "pilot: TACTUS_ADDRESS and TACTUS_NAME are not set\n");
        return 2;
    }
    const tac_time step_us = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    pilot p = {.name = def.name, .digest = 0xcbf29ce484222325u};
    tac_status status = tac_client_create(&def, &client, &err);
    if (status == TAC_OK)
        status = run(client, &p, step_us, &err);
    if (status != TAC_OK)
        fprintf(stderr, "%s\n", err.text);
    else
        report(&p);
    tac_client_destroy(client);
    return status == TAC_OK ? 0 : 3;
}
