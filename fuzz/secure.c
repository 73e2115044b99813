// secure.c - fuzzes the filter of a shared key with what comes from the wire: a side that waits for
// a handshake, and one that has had its handshake. Whatever comes in, in whatever pieces, there is
// no plain byte that the other side has not sealed, and a failure has a printable text.
#include "federation/secure.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(void *context, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(*(const uint8_t *)context + i);
}

static tac__secure *make(tac__secure_role role, uint8_t seed)
{
    static const uint8_t key[TAC__KEY_BYTES] = {1, 2, 3};
    const tac__secure_def def = {.role = role, .key = key, .random = fill, .context = &seed};
    tac__secure *secure;
    return tac__secure_create(&def, &secure, NULL) == TAC_OK ? secure : NULL;
}

static void carry(tac__secure *from, tac__secure *to)
{
    tac__bytes *wire = tac__secure_wire(from);
    if (tac__secure_feed(to, tac__bytes_front(wire), tac__bytes_count(wire), NULL) != TAC_OK)
        abort();
    tac__bytes_take(wire, tac__bytes_count(wire));
}

static void feed(tac__secure *s, const uint8_t *data, size_t size, size_t piece)
{
    tac_error err;
    tac_error_clear(&err);
    tac_status status = TAC_OK;
    for (size_t at = 0; at < size; at += piece) {
        const size_t n = size - at < piece ? size - at : piece;
        status = tac__secure_feed(s, data + at, n, &err);
        if (status != TAC_OK)
            break;
    }
    if (status == TAC_OK)
        status = tac__secure_end(s, &err);
    char text[8192];
    if (status != TAC_OK && (tac_error_print(&err, text, sizeof text) == 0 ||
                             err.status != status || tac__secure_state_of(s) != TAC__SECURE_FAILED))
        abort();
    if (tac__bytes_count(tac__secure_plain(s)) > 0 || tac__secure_fault_of(s) == TAC__SECURE_MEMORY)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const uint8_t how = data[0];
    const size_t piece = how >> 2 ? how >> 2 : SIZE_MAX / 2;
    const tac__secure_role role = how & 1 ? TAC__SECURE_SERVER : TAC__SECURE_CLIENT;
    tac__secure *a = make(role, 1);
    if (!a)
        return 0; // a build without libsodium
    if (how & 2) {
        tac__secure *b =
            make(role == TAC__SECURE_CLIENT ? TAC__SECURE_SERVER : TAC__SECURE_CLIENT, 100);
        tac__secure *client = role == TAC__SECURE_CLIENT ? a : b;
        tac__secure *server = role == TAC__SECURE_CLIENT ? b : a;
        carry(client, server);
        carry(server, client);
        carry(client, server);
        tac__secure_destroy(b);
    }
    feed(a, data + 1, size - 1, piece);
    tac__secure_destroy(a);
    return 0;
}
