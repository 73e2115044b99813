"""What the server of a federation publishes with LCM, as LCM's own code reads it: a program in C with
the types that `tactus info --lcm` writes."""

import os
import subprocess

import lcm_c

PEER = r"""
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t fnv_1a(const uint8_t *bytes, size_t count)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

// One line for an envelope, one for any other message.
static void show(int64_t t, const char *channel, const void *data, int size)
{
    if (!strcmp(channel, "TACTUS_ENVELOPE")) {
        tactus_envelope_t e;
        if (tactus_envelope_t_decode(data, 0, size, &e) != size) {
            printf("bad\n");
            return;
        }
        printf("envelope %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %d %016" PRIx64
               " [%s] [%s] [%s] [%s] [%s] [%s]\n", t, e.number, e.sent_utime, e.delivered_utime,
               e.sequence, e.size, e.copy, (uint64_t)e.hash, e.channel, e.name, e.type, e.sender,
               e.recipient, e.inlet);
        tactus_envelope_t_decode_cleanup(&e);
        return;
    }
    printf("message %" PRId64 " %d %016" PRIx64 " [%s]\n", t, size, fnv_1a(data, (size_t)size), channel);
}

// liblcm tries the network with messages of its own, long before there are others.
static void on_any(const lcm_recv_buf_t *b, const char *channel, void *context)
{
    int *begun = context;
    if (!strcmp(channel, "LCM_SELF_TEST"))
        return;
    *begun = 1;
    show(0, channel, b->data, (int)b->data_size);
}

int main(int argc, char **argv)
{
    if (!strcmp(argv[1], "log")) {
        lcm_eventlog_t *log = lcm_eventlog_create(argv[2], "r");
        if (!log)
            return 1;
        if (argc > 3 && lcm_eventlog_seek_to_timestamp(log, strtoll(argv[3], NULL, 10)) != 0)
            return 2;
        int64_t number = -1;
        for (lcm_eventlog_event_t *e; (e = lcm_eventlog_read_next_event(log)) != NULL;) {
            if (number >= 0 && e->eventnum != number + 1)
                printf("bad\n");
            number = e->eventnum;
            show(e->timestamp, e->channel, e->data, e->datalen);
            lcm_eventlog_free_event(e);
        }
        lcm_eventlog_destroy(log);
        return 0;
    }
    lcm_t *lcm = lcm_create(argv[2]);
    int begun = 0;
    lcm_subscription_t *all = lcm ? lcm_subscribe(lcm, ".*", on_any, &begun) : NULL;
    if (!all)
        return 1;
    lcm_subscription_set_queue_capacity(all, 0); // without limit
    lcm_get_fileno(lcm); // begins to receive
    fprintf(stderr, "ready\n");
    while (lcm_handle_timeout(lcm, begun ? 1000 : 20000) > 0)
        continue;
    lcm_destroy(lcm);
    return 0;
}
"""


def compile_peer(config):
    """The program, with the types of this configuration."""
    types = subprocess.run([os.environ["TACTUS"], "info", config, "--lcm"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    with open("types.lcm", "w") as file:
        file.write(types)
    return lcm_c.compile_types(
        "types.lcm", "#include <lcm/lcm.h>\n#include <lcm/eventlog.h>\n#include <stdlib.h>\n" + PEER,
        "peer")


class Envelope:
    def __init__(self, line):
        head, *texts = line.rstrip("]\n").split(" [")
        texts = [t.rstrip("]") for t in texts]
        numbers = head.split()[1:]
        self.t, self.number, self.sent, self.delivered, self.sequence, self.size, self.copy = map(
            int, numbers[:7])
        self.hash = numbers[7]
        self.channel, self.name, self.type, self.sender, self.recipient, self.inlet = texts

    def told(self):
        """All but its number and the time of its event."""
        return (self.sent, self.delivered, self.sequence, self.size, self.copy, self.hash,
                self.channel, self.name, self.type, self.sender, self.recipient, self.inlet)


def pairs(lines):
    """Envelopes in their order, each checked against the message behind it."""
    found, last = [], {}
    for line in lines:
        if line.startswith("envelope "):
            e = Envelope(line)
            last[e.channel] = e
        elif line.startswith("message "):
            head, channel = line.rstrip("]\n").split(" [")
            _, t, size, digest = head.split()
            e = last.pop(channel, None)
            # On a network the envelope may have been lost: then the hash differs.
            if e and (e.size, e.hash) == (int(size), digest):
                e.message_t = int(t)
                found.append(e)
        else:
            raise AssertionError("a line that cannot be read: " + line)
    return found
