// lcm_message.c - messages of ports as messages of LCM.
#include "bus/lcm_message.h"
#include "bus/lcm_type.h"

#include <inttypes.h>
#include <string.h>

static const struct kind {
    const char *name, *member, *type, *doc;
    size_t size; // bytes of an element
} kinds[] = {
    [TAC__LCM_NUMBERS] = {"numbers_t", "value", "double", "a message of numbers", 8},
    [TAC__LCM_BYTES] = {"bytes_t", "data", "byte", "any other message", 1},
};

const char *tac__lcm_message_type(tac__lcm_message kind)
{
    return kind == TAC__LCM_NUMBERS ? "tactus.numbers_t" : "tactus.bytes_t";
}

uint64_t tac__lcm_message_fingerprint(tac__lcm_message kind)
{
    uint64_t v = tac__lcm_hash_member(tac__lcm_hash_begin(), "count", "int32_t", NULL, false);
    v = tac__lcm_hash_member(v, kinds[kind].member, kinds[kind].type, "count", true);
    return tac__lcm_hash_end(v);
}

void tac__lcm_message_struct(tac__lcm_message kind, tac__text *out)
{
    const struct kind *k = &kinds[kind];
    tac__text_add(out,
                  "\n// %s, fingerprint 0x%016" PRIx64
                  "\nstruct %s {\n    int32_t count;\n    %s %s[count];\n}\n",
                  k->doc, tac__lcm_message_fingerprint(kind), k->name, k->type, k->member);
}

tac_status tac__lcm_message_encode(tac__lcm_message kind, const void *message, size_t size,
                                   uint8_t *to, tac_error *err)
{
    const struct kind *k = &kinds[kind];
    if (size % k->size != 0)
        return tac__fail(err, TAC_E_TYPE, "a message of %zu bytes is not a whole number of doubles",
                         size);
    if (size / k->size > INT32_MAX)
        return tac__fail(err, TAC_E_LIMIT, "a message of %zu bytes is too long for LCM", size);
    to = tac__lcm_put(to, tac__lcm_message_fingerprint(kind), 8);
    to = tac__lcm_put(to, size / k->size, 4);
    if (k->size == 1) {
        if (size)
            memcpy(to, message, size);
        return TAC_OK;
    }
    for (size_t i = 0; i < size; i += 8) {
        uint64_t bits;
        memcpy(&bits, (const char *)message + i, 8);
        to = tac__lcm_put(to, bits, 8);
    }
    return TAC_OK;
}

static tac_status fail_type(tac__lcm_message kind, uint64_t found, tac_error *err)
{
    for (int other = TAC__LCM_NUMBERS; other <= TAC__LCM_BYTES; other++) {
        if (found == tac__lcm_message_fingerprint((tac__lcm_message)other))
            return tac__fail(err, TAC_E_FORMAT, "the message is of type %s, expected %s",
                             tac__lcm_message_type((tac__lcm_message)other),
                             tac__lcm_message_type(kind));
    }
    return tac__fail(err, TAC_E_FORMAT,
                     "the message is of an unknown type (fingerprint 0x%016" PRIx64
                     "), expected %s "
                     "(0x%016" PRIx64 ")",
                     found, tac__lcm_message_type(kind), tac__lcm_message_fingerprint(kind));
}

tac_status tac__lcm_message_decode(tac__lcm_message kind, const void *bytes, size_t size,
                                   void *message, size_t *length, tac_error *err)
{
    const struct kind *k = &kinds[kind];
    const uint8_t *from = bytes;
    *length = 0;
    if (size < TAC__LCM_MESSAGE_EXTRA)
        return tac__fail(err, TAC_E_FORMAT,
                         "the message has %zu bytes, and one of type %s at least %d", size,
                         tac__lcm_message_type(kind), TAC__LCM_MESSAGE_EXTRA);
    const uint64_t found = tac__lcm_get(from, 8), count = tac__lcm_get(from + 8, 4);
    if (found != tac__lcm_message_fingerprint(kind))
        return fail_type(kind, found, err);
    const size_t rest = size - TAC__LCM_MESSAGE_EXTRA;
    if (count > INT32_MAX || count * k->size != rest)
        return tac__fail(err, TAC_E_FORMAT,
                         "the message has %zu bytes of content, and says that it has %" PRId32
                         " times %zu",
                         rest, (int32_t)(uint32_t)count, k->size);
    from += TAC__LCM_MESSAGE_EXTRA;
    if (k->size == 1 && rest)
        memcpy(message, from, rest);
    for (size_t i = 0; k->size == 8 && i < rest; i += 8) {
        const uint64_t bits = tac__lcm_get(from + i, 8);
        memcpy((char *)message + i, &bits, 8);
    }
    *length = rest;
    return TAC_OK;
}

// --- envelopes ----------------------------------------------------------------------------------

uint64_t tac__lcm_envelope_fingerprint(void)
{
    uint64_t v = tac__lcm_hash_begin();
#define NUMBER(name, type, doc) v = tac__lcm_hash_member(v, #name, #type, NULL, false);
#define TEXT(name, doc)         v = tac__lcm_hash_member(v, #name, "string", NULL, false);
    TAC__LCM_ENVELOPE_NUMBERS(NUMBER)
    TAC__LCM_ENVELOPE_TEXTS(TEXT)
#undef NUMBER
#undef TEXT
    return tac__lcm_hash_end(v);
}

void tac__lcm_envelope_struct(tac__text *out)
{
    tac__text_add(out,
                  "\n// what the server of a federation tells of a message, on channel "
                  "%s;\n// fingerprint 0x%016" PRIx64 "\nstruct envelope_t {\n",
                  TAC__LCM_ENVELOPE_CHANNEL, tac__lcm_envelope_fingerprint());
#define NUMBER(name, type, doc) tac__text_add(out, "    %s %s; // %s\n", #type, #name, doc);
#define TEXT(name, doc)         tac__text_add(out, "    string %s; // %s\n", #name, doc);
    TAC__LCM_ENVELOPE_NUMBERS(NUMBER)
    TAC__LCM_ENVELOPE_TEXTS(TEXT)
#undef NUMBER
#undef TEXT
    tac__text_add(out, "}\n");
}

// A text is its length with the zero at its end, in 4 bytes, and its bytes with that zero.
static size_t text_size(const char *text)
{
    return 5 + (text ? strlen(text) : 0);
}

static uint8_t *put_text(uint8_t *to, const char *text)
{
    const size_t size = text_size(text) - 4;
    to = tac__lcm_put(to, size, 4);
    memcpy(to, text ? text : "", size);
    return to + size;
}

size_t tac__lcm_envelope_size(const tac__lcm_envelope *e)
{
    size_t size = 8; // fingerprint
#define NUMBER(name, type, doc) size += sizeof e->name;
#define TEXT(name, doc)         size += text_size(e->name);
    TAC__LCM_ENVELOPE_NUMBERS(NUMBER)
    TAC__LCM_ENVELOPE_TEXTS(TEXT)
#undef NUMBER
#undef TEXT
    return size;
}

void tac__lcm_envelope_encode(const tac__lcm_envelope *e, uint8_t *to)
{
    to = tac__lcm_put(to, tac__lcm_envelope_fingerprint(), 8);
#define NUMBER(name, type, doc) to = tac__lcm_put(to, (uint64_t)e->name, sizeof e->name);
#define TEXT(name, doc)         to = put_text(to, e->name);
    TAC__LCM_ENVELOPE_NUMBERS(NUMBER)
    TAC__LCM_ENVELOPE_TEXTS(TEXT)
#undef NUMBER
#undef TEXT
}
