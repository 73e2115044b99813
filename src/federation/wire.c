// wire.c - frames: fixed layouts, written into a queue of bytes and read from one, byte by byte in
// little-endian order whatever the machine.
#include "federation/wire.h"

#include "base/text.h"

#include <string.h>

static const struct {
    const char *name;
    int from;
} table[] = {
#define ROW(name, number, from) [number] = {#name, TAC__FRAME_FROM_##from},
    TAC__FRAME_TABLE(ROW)
#undef ROW
};

enum { TYPES = sizeof table / sizeof *table };

const char *tac__frame_name(tac__frame_type type)
{
    return (size_t)type < TYPES && table[type].name ? table[type].name : "";
}

// --- numbers ------------------------------------------------------------------------------------

// In line, so that `n` is known and a load or store is one instruction.
static inline __attribute__((always_inline)) uint64_t load(const uint8_t *at, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static inline __attribute__((always_inline)) void store(uint8_t *at, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

// --- reading ------------------------------------------------------------------------------------

tac_status tac__frame_next(const uint8_t *bytes, size_t count, int from, tac__frame *frame,
                           size_t *length, tac_error *err)
{
    *length = 0;
    if (count < TAC__WIRE_HEADER) // the types are in the header: garbage is seen when it is there
        return TAC_OK;
    const uint64_t size = load(bytes, 4);
    const unsigned type = bytes[4];
    if (!*tac__frame_name((tac__frame_type)type) || load(bytes + 5, 3))
        return tac__fail(err, TAC_E_PROTOCOL, "not a frame of the federation protocol");
    if (!(table[type].from & from))
        return tac__fail(err, TAC_E_PROTOCOL, "a frame %s from the wrong side", table[type].name);
    if (size > TAC__WIRE_FRAME_MAX)
        return tac__fail(err, TAC_E_PROTOCOL, "a frame %s of %llu bytes; at most %d are allowed",
                         table[type].name, (unsigned long long)size, (int)TAC__WIRE_FRAME_MAX);
    if (count - TAC__WIRE_HEADER < size)
        return TAC_OK;
    *frame = (tac__frame){.type = (tac__frame_type)type,
                          .body = bytes + TAC__WIRE_HEADER,
                          .end = bytes + TAC__WIRE_HEADER + size};
    *length = TAC__WIRE_HEADER + (size_t)size;
    return TAC_OK;
}

static const uint8_t *take(tac__frame *f, size_t n)
{
    if (f->bad || (size_t)(f->end - f->body) < n) {
        f->bad = true;
        return NULL;
    }
    const uint8_t *at = f->body;
    f->body += n;
    return at;
}

static inline __attribute__((always_inline)) uint64_t number(tac__frame *f, size_t n)
{
    const uint8_t *at = take(f, n);
    return at ? load(at, n) : 0;
}

uint16_t tac__frame_u16(tac__frame *f)
{
    return (uint16_t)number(f, 2);
}

uint32_t tac__frame_u32(tac__frame *f)
{
    return (uint32_t)number(f, 4);
}

uint64_t tac__frame_u64(tac__frame *f)
{
    return number(f, 8);
}

const char *tac__frame_text(tac__frame *f, char *text, size_t size)
{
    const size_t n = tac__frame_u16(f);
    const uint8_t *at = take(f, n);
    text[0] = '\0';
    if (!at || n >= size) {
        f->bad = true;
        return NULL;
    }
    for (size_t i = 0; i < n;) {
        uint32_t character;
        const size_t step = tac__utf8_decode((const char *)at + i, n - i, &character);
        if (!step || !character) {
            f->bad = true;
            return NULL;
        }
        i += step;
    }
    memcpy(text, at, n);
    text[n] = '\0';
    return text;
}

void tac__wire_one_line(char *text, size_t size)
{
    char line[TAC_ERROR_TEXT], shown[TAC__SHOWN];
    tac__out out = tac__out_begin(line, size < sizeof line ? size : sizeof line);
    const char *c = text;
    for (size_t left = strlen(text), n; left > 0; c += n, left -= n) {
        n = tac__shown_as(c, left, shown);
        if (*c == '\n')
            tac__out_add(&out, "\\n");
        else if (*shown)
            tac__out_add(&out, "%s", shown);
        else
            tac__out_add(&out, "%.*s", (int)n, c);
    }
    memcpy(text, line, strlen(line) + 1);
}

const uint8_t *tac__frame_bytes(tac__frame *f, uint32_t *size)
{
    *size = tac__frame_u32(f);
    const uint8_t *at = take(f, *size);
    if (!at)
        *size = 0;
    return at;
}

tac_status tac__frame_end(const tac__frame *f, tac_error *err)
{
    if (f->bad || f->body != f->end)
        return tac__fail(err, TAC_E_PROTOCOL, "a frame %s with a body that cannot be read",
                         tac__frame_name(f->type));
    return TAC_OK;
}

// --- writing ------------------------------------------------------------------------------------

tac__wire tac__wire_begin(tac__bytes *bytes, tac__frame_type type)
{
    const tac__wire wire = {bytes, tac__bytes_count(bytes)};
    uint8_t *at = tac__bytes_add(bytes, TAC__WIRE_HEADER);
    if (at)
        store(at, (uint64_t)type << 32, TAC__WIRE_HEADER);
    return wire;
}

static inline __attribute__((always_inline)) void put(tac__wire *w, uint64_t value, size_t n)
{
    uint8_t *at = tac__bytes_add(w->bytes, n);
    if (at)
        store(at, value, n);
}

void tac__wire_u16(tac__wire *w, uint16_t value)
{
    put(w, value, 2);
}

void tac__wire_u32(tac__wire *w, uint32_t value)
{
    put(w, value, 4);
}

void tac__wire_u64(tac__wire *w, uint64_t value)
{
    put(w, value, 8);
}

void tac__wire_text(tac__wire *w, const char *text)
{
    size_t n = strlen(text);
    if (n > UINT16_MAX)
        n = UINT16_MAX;
    tac__wire_u16(w, (uint16_t)n);
    tac__bytes_copy(w->bytes, text, n);
}

void tac__wire_message(tac__wire *w, const void *bytes, uint32_t size)
{
    tac__wire_u32(w, size);
    tac__bytes_copy(w->bytes, bytes, size);
}

void tac__wire_end(tac__wire *w)
{
    tac__bytes *b = w->bytes;
    if (!b->failed)
        store(b->data + b->first + w->mark, tac__bytes_count(b) - w->mark - TAC__WIRE_HEADER, 4);
}

// --- bodies -------------------------------------------------------------------------------------

void tac__wire_put_mail(tac__bytes *bytes, tac__frame_type type, const tac__wire_mail *m)
{
    tac__wire w = tac__wire_begin(bytes, type);
    tac__wire_u64(&w, m->sent_us);
    tac__wire_u64(&w, m->sequence);
    if (type != TAC__FRAME_SEND_MESSAGE)
        tac__wire_u64(&w, m->delivered_us);
    tac__wire_u32(&w, m->channel);
    if (type == TAC__FRAME_DELIVERED_MESSAGE)
        tac__wire_u32(&w, m->copy);
    tac__wire_message(&w, m->bytes, m->size);
    tac__wire_end(&w);
}

tac__wire_mail tac__frame_mail(tac__frame *f)
{
    tac__wire_mail m = {.delivered_us = TAC_TIME_NEVER};
    m.sent_us = tac__frame_u64(f);
    m.sequence = tac__frame_u64(f);
    if (f->type != TAC__FRAME_SEND_MESSAGE)
        m.delivered_us = tac__frame_u64(f);
    m.channel = tac__frame_u32(f);
    if (f->type == TAC__FRAME_DELIVERED_MESSAGE)
        m.copy = tac__frame_u32(f);
    m.bytes = tac__frame_bytes(f, &m.size);
    return m;
}

void tac__wire_put_clock(tac__bytes *bytes, tac__frame_type type, const tac__wire_clock *c)
{
    tac__wire w = tac__wire_begin(bytes, type);
    tac__wire_u64(&w, c->t_us);
    tac__wire_u64(&w, c->promise_us);
    tac__wire_u64(&w, c->next_us);
    tac__wire_u64(&w, c->received);
    tac__wire_end(&w);
}

tac__wire_clock tac__frame_clock(tac__frame *f)
{
    tac__wire_clock c;
    c.t_us = tac__frame_u64(f);
    c.promise_us = tac__frame_u64(f);
    c.next_us = tac__frame_u64(f);
    c.received = tac__frame_u64(f);
    return c;
}

void tac__wire_put_time(tac__bytes *bytes, tac__frame_type type, tac_time t_us)
{
    tac__wire w = tac__wire_begin(bytes, type);
    tac__wire_u64(&w, t_us);
    tac__wire_end(&w);
}

void tac__wire_put_end(tac__bytes *bytes, tac__frame_type type, const char *who, tac_time t_us,
                       const char *why)
{
    tac__wire w = tac__wire_begin(bytes, type);
    tac__wire_u64(&w, t_us);
    tac__wire_text(&w, who);
    tac__wire_text(&w, why);
    tac__wire_end(&w);
}
