// federation_client.c - fuzzes a client of a federation: a server that says anything at any moment,
// and an application that calls at any moment. What the client writes are whole frames, what it
// hands out has come from a subscription, and a failure has a text and stays.
#include "federation/client.h"
#include "input.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_welcome(tac__bytes *out, input *in)
{
    tac__wire w = tac__wire_begin(out, TAC__FRAME_WELCOME);
    tac__wire_u16(&w, byte(in) == 255 ? 2 : TAC__WIRE_VERSION);
    tac__wire_u16(&w, 0);
    tac__wire_u32(&w, 0);
    tac__wire_u32(&w, 2);
    tac__wire_u32(&w, 64);
    tac__wire_u64(&w, 1);
    tac__wire_u64(&w, number(in));
    tac__wire_end(&w);
}

static void put_start(tac__bytes *out, input *in)
{
    const unsigned links = byte(in) % 4;
    tac__wire w = tac__wire_begin(out, TAC__FRAME_START);
    tac__wire_u32(&w, links);
    for (unsigned i = 0; i < links; i++) {
        tac__wire_u32(&w, byte(in) % 3);
        tac__wire_text(&w, "other");
        tac__wire_text(&w, "channel");
    }
    tac__wire_end(&w);
}

static void put_frame(tac__bytes *out, unsigned what, input *in)
{
    switch (what) {
    case 0:
        put_welcome(out, in);
        break;
    case 1:
        put_start(out, in);
        break;
    case 2:
        tac__wire_put_mail(out, TAC__FRAME_DELIVERED_MESSAGE,
                           &(tac__wire_mail){.sent_us = number(in),
                                             .sequence = byte(in),
                                             .delivered_us = number(in),
                                             .channel = byte(in) % 4,
                                             .copy = byte(in) % 3,
                                             .bytes = (const uint8_t *)"0123456789",
                                             .size = byte(in) % 10});
        break;
    case 3:
        tac__wire_put_time(out, TAC__FRAME_AUTHORIZE_ADVANCE, number(in));
        break;
    case 4:
        tac__wire_put_time(out, TAC__FRAME_FINISH, number(in));
        break;
    default:
        tac__wire_put_end(out, what == 5 ? TAC__FRAME_ABORT : TAC__FRAME_REFUSE,
                          byte(in) & 1 ? "other" : "", number(in), "fuzz");
        break;
    }
}

static tac_status hear(tac__client *c, unsigned what, input *in, tac_error *err)
{
    tac__bytes out;
    tac__bytes_init(&out, NULL);
    tac_status status;
    if (what < 7) {
        put_frame(&out, what, in);
        status = tac__client_input(c, tac__bytes_front(&out), tac__bytes_count(&out), err);
    } else {
        size_t n = byte(in);
        if (n > (size_t)(in->end - in->at))
            n = (size_t)(in->end - in->at);
        status = tac__client_input(c, in->at, n, err);
        in->at += n;
    }
    tac__bytes_fini(&out);
    return status;
}

static tac_status call(tac__client *c, unsigned what, input *in, tac_error *err)
{
    tac_time t_us;
    switch (what) {
    case 0:
        return tac__client_join(c, err);
    case 1:
        t_us = number(in);
        return tac__client_poll(c, t_us, number(in), err);
    case 2:
        t_us = number(in);
        return tac__client_notify(c, t_us, number(in), err);
    case 3:
        t_us = number(in);
        return tac__client_send(c, byte(in) % 3, t_us, byte(in) & 1 ? number(in) : TAC_TIME_NEVER,
                                tac__client_sequence(c, 0), "0123456789", byte(in) % 10, err);
    case 4:
        return tac__client_promise(c, number(in), err);
    case 5:
        return tac__client_result(c, "result", byte(in), err);
    case 6:
        return tac__client_finish(c, err);
    default:
        if (byte(in) == 255)
            tac__client_abort(c, "fuzz");
        else if (byte(in) == 255)
            return tac__client_closed(c, "gone", err);
        return TAC_OK;
    }
}

static void take_all(tac__client *c)
{
    tac_delivery d;
    while (tac__client_receive(c, tac__client_polled(c), &d))
        check(d.subscription < 2 && d.copy < 2 && d.length < 64 * 1024 && *d.sender);
}

static void drain(tac__client *c)
{
    tac__bytes *out = tac__client_output(c);
    while (tac__bytes_count(out)) {
        tac__frame f;
        size_t length;
        check(tac__frame_next(tac__bytes_front(out), tac__bytes_count(out), TAC__FRAME_FROM_CLIENT,
                              &f, &length, NULL) == TAC_OK &&
              length);
        tac__bytes_take(out, length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    tac__client *c;
    uint32_t at;
    check(tac__client_create(NULL, "client", &c, NULL) == TAC_OK);
    tac_channel_def def = tac_channel_def_default();
    def.channel = "out";
    check(tac__client_publish(c, &def, &at, NULL) == TAC_OK);
    for (int i = 0; i < 2; i++) {
        def.channel = i ? "channel" : "*";
        check(tac__client_subscribe(c, &def, &at, NULL) == TAC_OK);
    }
    while (in.at < in.end) {
        const unsigned op = byte(&in);
        tac_error err;
        const bool failed = tac__client_state_of(c) == TAC__CLIENT_FAILED;
        const tac_status status =
            op & 1 ? hear(c, op >> 1 & 7, &in, &err) : call(c, op >> 1 & 7, &in, &err);
        check(status == TAC_OK || (err.status == status && *err.text));
        check(!failed || tac__client_state_of(c) == TAC__CLIENT_FAILED);
        take_all(c);
        drain(c);
    }
    tac__client_destroy(c);
    return 0;
}
