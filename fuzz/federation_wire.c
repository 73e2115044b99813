// federation_wire.c - fuzzes the decoder of frames: whatever comes, in whatever pieces, reading
// ends where the frame ends; and a frame that can be read is written again as the same bytes.
#include "federation/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

// The same bytes again, for frames whose body has one form only.
static void write_again(const tac__frame *f, const uint8_t *bytes, size_t length)
{
    tac__bytes out;
    tac__bytes_init(&out, NULL);
    tac__frame body = *f;
    char who[256], why[1024];
    tac_time t_us;
    switch (f->type) {
    case TAC__FRAME_SEND_MESSAGE:
    case TAC__FRAME_QUEUED_MESSAGE:
    case TAC__FRAME_DELIVERED_MESSAGE: {
        const tac__wire_mail mail = tac__frame_mail(&body);
        tac__wire_put_mail(&out, f->type, &mail);
        break;
    }
    case TAC__FRAME_NOTIFY_ADVANCE:
    case TAC__FRAME_POLL_WAIT: {
        const tac__wire_clock clock = tac__frame_clock(&body);
        tac__wire_put_clock(&out, f->type, &clock);
        break;
    }
    case TAC__FRAME_ABORT:
    case TAC__FRAME_REFUSE:
        t_us = tac__frame_u64(&body);
        (void)tac__frame_text(&body, who, sizeof who);
        (void)tac__frame_text(&body, why, sizeof why);
        tac__wire_put_end(&out, f->type, who, t_us, why);
        break;
    default:
        t_us = tac__frame_u64(&body);
        tac__wire_put_time(&out, f->type, t_us);
        break;
    }
    tac_error err;
    if (tac__frame_end(&body, &err) == TAC_OK)
        check(tac__bytes_count(&out) == length &&
              memcmp(tac__bytes_front(&out), bytes, length) == 0);
    else
        check(err.status == TAC_E_PROTOCOL && *err.text);
    tac__bytes_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const int from = 1 + data[0] % 3;
    for (size_t at = 1; at < size;) {
        tac__frame f, again;
        size_t length, shorter;
        tac_error err;
        if (tac__frame_next(data + at, size - at, from, &f, &length, &err) != TAC_OK) {
            check(*err.text);
            return 0;
        }
        if (!length)
            return 0;
        check(length >= TAC__WIRE_HEADER && length <= size - at && f.body <= f.end &&
              f.end == data + at + length && *tac__frame_name(f.type));
        // A byte less is no frame yet.
        check(tac__frame_next(data + at, length - 1, from, &again, &shorter, NULL) == TAC_OK &&
              !shorter);
        write_again(&f, data + at, length);
        at += length;
    }
    return 0;
}
