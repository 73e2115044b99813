// secure.c - the handshake of two sides that share a key, and the records after it.
//
// Invariants: no plain byte leaves the filter before the other side has proved that it has the key,
// in this connection; a key of records has one direction and one counter, so no nonce repeats; a
// failed filter stays failed.
#include "base/text.h"
#include "federation/secure.h"
#include "federation/wire.h"

#include <string.h>

enum { VERSION = 1 };
// The fifth byte of a message of the handshake is the version, the sixth its kind.
enum { KIND_CLIENT_HELLO = 1, KIND_SERVER_HELLO = 2, KIND_CLIENT_FINISH = 3, KIND_REFUSAL = 4 };
// The seventh byte of a refusal.
enum { REASON_KEY = 1, REASON_VERSION = 2 };

static const uint8_t magic[4] = {'T', 'A', 'C', 'K'};

bool tac__secure_begins(const void *bytes, size_t count)
{
    return count >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

#ifndef TACTUS_HAVE_SODIUM

tac_status tac__secure_create(const tac__secure_def *def, tac__secure **secure, tac_error *err)
{
    (void)def;
    *secure = NULL;
    return tac__fail(err, TAC_E_FILE,
                     "this build of Tactus cannot use a key: install libsodium and build again");
}

void tac__secure_destroy(tac__secure *secure)
{
    (void)secure;
}

tac__secure_state tac__secure_state_of(const tac__secure *secure)
{
    (void)secure;
    return TAC__SECURE_FAILED;
}

tac__secure_fault tac__secure_fault_of(const tac__secure *secure)
{
    (void)secure;
    return TAC__SECURE_NO_FAULT;
}

tac_status tac__secure_feed(tac__secure *secure, const void *bytes, size_t count, tac_error *err)
{
    (void)secure, (void)bytes, (void)count, (void)err;
    return TAC_E_CALLER;
}

tac_status tac__secure_end(tac__secure *secure, tac_error *err)
{
    (void)secure, (void)err;
    return TAC_E_CALLER;
}

tac_status tac__secure_seal(tac__secure *secure, const void *bytes, size_t count, tac_error *err)
{
    (void)secure, (void)bytes, (void)count, (void)err;
    return TAC_E_CALLER;
}

tac__bytes *tac__secure_plain(tac__secure *secure)
{
    (void)secure;
    return NULL;
}

tac__bytes *tac__secure_wire(tac__secure *secure)
{
    (void)secure;
    return NULL;
}

#else

#include <sodium.h>

enum {
    HEADER = TAC__SECURE_HEADER,
    HEAD = HEADER + crypto_scalarmult_BYTES, // of a hello: without its proof
    PROOF = 32,
    TAG = crypto_aead_chacha20poly1305_ietf_ABYTES,
};
_Static_assert(HEAD + PROOF == TAC__SECURE_HELLO, "a hello is header, public key and proof");
_Static_assert(HEADER + PROOF == TAC__SECURE_FINISH, "a finish is header and proof");
_Static_assert(4 + TAG == TAC__SECURE_RECORD_EXTRA, "a record has a length and a tag");

typedef struct direction {
    uint8_t key[crypto_aead_chacha20poly1305_ietf_KEYBYTES];
    uint64_t counter; // of the next record
} direction;

struct tac__secure {
    const tac_allocator *allocator;
    tac__secure_role role;
    tac__secure_state state;
    tac__secure_fault fault;
    uint8_t key[TAC__KEY_BYTES];
    uint8_t secret[crypto_scalarmult_SCALARBYTES]; // of this side's public key
    uint8_t own_hello[TAC__SECURE_HELLO], their_hello[TAC__SECURE_HELLO];
    uint8_t their_proof[PROOF]; // what the finish of the client must hold
    direction out, in;
    tac__bytes from_wire; // what is not complete yet
    tac__bytes waiting;   // plain bytes to be sealed when the filter is open
    tac__bytes plain, wire;
    tac_error failure;
};

// --- keyed hashes: BLAKE2b with 32 bytes --------------------------------------------------------

static void hash_begin(crypto_generichash_state *hash, const uint8_t *key, const char *label)
{
    crypto_generichash_init(hash, key, TAC__KEY_BYTES, 32);
    crypto_generichash_update(hash, (const uint8_t *)label, strlen(label));
}

static void derive(uint8_t out[32], const uint8_t *key, const char *label)
{
    crypto_generichash_state hash;
    hash_begin(&hash, key, label);
    crypto_generichash_final(&hash, out, 32);
}

// What stands behind the public key of a client hello.
static void prove_hello(uint8_t proof[PROOF], const uint8_t *key, const uint8_t *head)
{
    crypto_generichash_state hash;
    hash_begin(&hash, key, "tactus client hello");
    crypto_generichash_update(&hash, head, HEAD);
    crypto_generichash_final(&hash, proof, PROOF);
}

static uint32_t read_u32(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// --- failures -----------------------------------------------------------------------------------

// Also overwrites all secrets: a failed filter needs none.
static tac_status fail(tac__secure *s, tac__secure_fault fault, tac_error *err)
{
    s->state = TAC__SECURE_FAILED;
    s->fault = fault;
    sodium_memzero(s->key, sizeof s->key);
    sodium_memzero(s->secret, sizeof s->secret);
    sodium_memzero(&s->out, sizeof s->out);
    sodium_memzero(&s->in, sizeof s->in);
    if (err)
        *err = s->failure;
    return s->failure.status;
}

static tac_status fail_memory(tac__secure *s, tac_error *err)
{
    (void)tac__fail_memory(&s->failure);
    return fail(s, TAC__SECURE_MEMORY, err);
}

static void put_header(uint8_t *header, uint8_t kind, uint8_t reason)
{
    memcpy(header, magic, sizeof magic);
    header[4] = VERSION;
    header[5] = kind;
    header[6] = reason;
    header[7] = 0;
}

// Tells the other side why before this side gives up.
static void refuse(tac__secure *s, uint8_t reason)
{
    uint8_t header[HEADER];
    put_header(header, KIND_REFUSAL, reason);
    tac__bytes_copy(&s->wire, header, sizeof header);
}

static const char *other(const tac__secure *s)
{
    return s->role == TAC__SECURE_CLIENT ? "server" : "client";
}

static tac_status fail_key(tac__secure *s, tac_error *err)
{
    refuse(s, REASON_KEY);
    (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                    "the other side has another key: the %s must have the same key file", other(s));
    return fail(s, TAC__SECURE_OTHER_KEY, err);
}

static tac_status fail_refused(tac__secure *s, const uint8_t *header, tac_error *err)
{
    tac__secure_fault fault = TAC__SECURE_GARBAGE;
    const char *why = "for an unknown reason";
    if (header[6] == REASON_KEY) {
        fault = TAC__SECURE_OTHER_KEY;
        why = "it has another key";
    } else if (header[6] == REASON_VERSION) {
        fault = TAC__SECURE_VERSION;
        why = "it has another version of the handshake of keys";
    }
    (void)tac__fail(&s->failure, TAC_E_PROTOCOL, "the other side refuses the key: %s", why);
    return fail(s, fault, err);
}

// The header of a frame of the protocol without a key: length, type, zeros.
static bool is_frame(const uint8_t *b)
{
    const char *type = tac__frame_name((tac__frame_type)b[4]);
    return read_u32(b) <= TAC__WIRE_FRAME_MAX && type[0] && !b[5] && !b[6] && !b[7];
}

// The first bytes are not those of a handshake.
static tac_status fail_stranger(tac__secure *s, const uint8_t *header, tac_error *err)
{
    if (is_frame(header)) {
        (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                        "the other side has no key: this %s has one, so the %s must have the same "
                        "key file",
                        s->role == TAC__SECURE_CLIENT ? "client" : "server", other(s));
        return fail(s, TAC__SECURE_PLAIN, err);
    }
    char raw[HEADER + 1] = "", shown[8 * TAC__SHOWN];
    for (size_t i = 0; i < HEADER; i++)
        raw[i] = header[i] ? (char)header[i] : '.';
    tac__out out = tac__out_begin(shown, sizeof shown);
    tac__out_shown(&out, raw, false);
    (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                    "the other side is no %s of a federation: it begins with '%s'", other(s),
                    shown);
    return fail(s, TAC__SECURE_GARBAGE, err);
}

static tac_status fail_kind(tac__secure *s, uint8_t kind, tac_error *err)
{
    const uint8_t own = s->role == TAC__SECURE_CLIENT ? KIND_CLIENT_HELLO : KIND_SERVER_HELLO;
    if (kind == own)
        (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                        "the other side is a %s, too, or sends back what it gets",
                        s->role == TAC__SECURE_CLIENT ? "client" : "server");
    else
        (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                        "the handshake of keys is out of order: message %u came too early or late",
                        kind);
    return fail(s, TAC__SECURE_GARBAGE, err);
}

// --- handshake ----------------------------------------------------------------------------------

// Public key from random bytes. Never fails: the base point has no small order.
static void make_hello(tac__secure *s, const tac__secure_def *def)
{
    if (def->random)
        def->random(def->context, s->secret, sizeof s->secret);
    else
        randombytes_buf(s->secret, sizeof s->secret);
    const bool client = s->role == TAC__SECURE_CLIENT;
    put_header(s->own_hello, client ? KIND_CLIENT_HELLO : KIND_SERVER_HELLO, 0);
    (void)crypto_scalarmult_base(s->own_hello + HEADER, s->secret);
}

// From both hellos and the secret that both sides now share: proofs and keys of records.
static tac_status agree(tac__secure *s, uint8_t server_proof[PROOF], uint8_t client_proof[PROOF])
{
    const bool client = s->role == TAC__SECURE_CLIENT;
    uint8_t shared[crypto_scalarmult_BYTES], session[32];
    if (crypto_scalarmult(shared, s->secret, s->their_hello + HEADER) != 0)
        return TAC_E_PROTOCOL; // a public key of small order: the secret would not be one
    crypto_generichash_state hash;
    hash_begin(&hash, s->key, "tactus session");
    crypto_generichash_update(&hash, shared, sizeof shared);
    crypto_generichash_update(&hash, client ? s->own_hello : s->their_hello, TAC__SECURE_HELLO);
    crypto_generichash_update(&hash, client ? s->their_hello : s->own_hello, HEAD);
    crypto_generichash_final(&hash, session, sizeof session);
    derive(server_proof, session, "tactus server proof");
    derive(client_proof, session, "tactus client proof");
    derive(client ? s->out.key : s->in.key, session, "tactus client records");
    derive(client ? s->in.key : s->out.key, session, "tactus server records");
    sodium_memzero(&hash, sizeof hash);
    sodium_memzero(shared, sizeof shared);
    sodium_memzero(session, sizeof session);
    sodium_memzero(s->key, sizeof s->key);
    sodium_memzero(s->secret, sizeof s->secret);
    return TAC_OK;
}

static void wipe(tac__bytes *bytes)
{
    if (bytes->data)
        sodium_memzero(bytes->data, bytes->capacity);
    tac__bytes_fini(bytes);
}

static tac_status open_stream(tac__secure *s, tac_error *err)
{
    s->state = TAC__SECURE_OPEN;
    const size_t count = tac__bytes_count(&s->waiting);
    if (count > 0)
        TAC_TRY(tac__secure_seal(s, tac__bytes_front(&s->waiting), count, err));
    wipe(&s->waiting);
    return TAC_OK;
}

static tac_status take_client_hello(tac__secure *s, tac_error *err)
{
    uint8_t proof[PROOF];
    prove_hello(proof, s->key, s->their_hello);
    if (sodium_memcmp(proof, s->their_hello + HEAD, PROOF) != 0 ||
        agree(s, s->own_hello + HEAD, s->their_proof) != TAC_OK)
        return fail_key(s, err);
    tac__bytes_copy(&s->wire, s->own_hello, sizeof s->own_hello);
    return TAC_OK;
}

static tac_status take_server_hello(tac__secure *s, tac_error *err)
{
    uint8_t proof[PROOF], finish[TAC__SECURE_FINISH];
    put_header(finish, KIND_CLIENT_FINISH, 0);
    if (agree(s, proof, finish + HEADER) != TAC_OK ||
        sodium_memcmp(proof, s->their_hello + HEAD, PROOF) != 0)
        return fail_key(s, err);
    tac__bytes_copy(&s->wire, finish, sizeof finish);
    return open_stream(s, err);
}

static tac_status take_client_finish(tac__secure *s, const uint8_t *finish, tac_error *err)
{
    if (sodium_memcmp(s->their_proof, finish + HEADER, PROOF) != 0)
        return fail_key(s, err);
    return open_stream(s, err);
}

// Looks at the front of `from_wire`; `*length` becomes the length of what was used, 0 while there
// are too few bytes.
static tac_status take_handshake(tac__secure *s, size_t *length, tac_error *err)
{
    const size_t count = tac__bytes_count(&s->from_wire);
    *length = 0;
    if (count < HEADER)
        return TAC_OK;
    const uint8_t *b = tac__bytes_front(&s->from_wire);
    if (!tac__secure_begins(b, count))
        return fail_stranger(s, b, err);
    if (b[5] == KIND_REFUSAL)
        return fail_refused(s, b, err);
    if (b[4] != VERSION) {
        refuse(s, REASON_VERSION);
        (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                        "the other side has version %u of the handshake of keys, this one %d", b[4],
                        VERSION);
        return fail(s, TAC__SECURE_VERSION, err);
    }
    const bool client = s->role == TAC__SECURE_CLIENT;
    const bool greeted = s->their_hello[0] != 0;
    const uint8_t expected = client    ? KIND_SERVER_HELLO
                             : greeted ? KIND_CLIENT_FINISH
                                       : KIND_CLIENT_HELLO;
    uint8_t header[HEADER];
    put_header(header, expected, 0);
    if (memcmp(b, header, HEADER) != 0)
        return fail_kind(s, b[5], err);
    const size_t whole = expected == KIND_CLIENT_FINISH ? TAC__SECURE_FINISH : TAC__SECURE_HELLO;
    if (count < whole)
        return TAC_OK;
    *length = whole;
    if (expected == KIND_CLIENT_FINISH)
        return take_client_finish(s, b, err);
    memcpy(s->their_hello, b, TAC__SECURE_HELLO);
    return client ? take_server_hello(s, err) : take_client_hello(s, err);
}

// --- records ------------------------------------------------------------------------------------

static void next_nonce(direction *d, uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES])
{
    memset(nonce, 0, crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] = (uint8_t)(d->counter >> (8 * i));
    d->counter++;
}

static tac_status fail_record(tac__secure *s, tac_error *err)
{
    (void)tac__fail(&s->failure, TAC_E_PROTOCOL,
                    "what comes from the %s is damaged: a record was changed, repeated or left out "
                    "on its way",
                    other(s));
    return fail(s, TAC__SECURE_DAMAGED, err);
}

static tac_status take_record(tac__secure *s, size_t *length, tac_error *err)
{
    const size_t count = tac__bytes_count(&s->from_wire);
    *length = 0;
    if (count < 4)
        return TAC_OK;
    const uint8_t *b = tac__bytes_front(&s->from_wire);
    const uint32_t size = read_u32(b); // of what follows
    // A client's stream is open before the server has seen its proof. No record begins like this.
    if (!s->in.counter && tac__secure_begins(b, count)) {
        if (count < HEADER)
            return TAC_OK;
        if (b[5] == KIND_REFUSAL)
            return fail_refused(s, b, err);
    }
    if (size <= TAG || size > TAC__SECURE_RECORD_MAX + TAG)
        return fail_record(s, err);
    if (count - 4 < size)
        return TAC_OK;
    uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    next_nonce(&s->in, nonce);
    uint8_t *plain = tac__bytes_add(&s->plain, size - TAG);
    if (!plain)
        return fail_memory(s, err);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, b + 4, size, b, 4, nonce,
                                                  s->in.key) != 0) {
        s->plain.end -= size - TAG;
        return fail_record(s, err);
    }
    *length = 4 + (size_t)size;
    return TAC_OK;
}

static bool seal_record(tac__secure *s, const uint8_t *bytes, size_t count)
{
    const uint32_t size = (uint32_t)count + TAG;
    uint8_t *to = tac__bytes_add(&s->wire, 4 + (size_t)size);
    if (!to)
        return false;
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(size >> (8 * i));
    uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    next_nonce(&s->out, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(to + 4, NULL, bytes, count, to, 4, NULL, nonce,
                                              s->out.key);
    return true;
}

// --- the filter ---------------------------------------------------------------------------------

tac_status tac__secure_create(const tac__secure_def *def, tac__secure **secure, tac_error *err)
{
    *secure = NULL;
    TAC_REQUIRE(def->key);
    if (sodium_init() < 0)
        return tac__fail(err, TAC_E_FILE, "libsodium cannot be used: it finds no random numbers");
    const tac_allocator *allocator = def->allocator ? def->allocator : tac_allocator_default();
    tac__secure *s = allocator->resize(allocator->context, NULL, 0, sizeof *s);
    if (!s)
        return tac__fail_memory(err);
    memset(s, 0, sizeof *s);
    s->allocator = allocator;
    s->role = def->role;
    tac_error_clear(&s->failure);
    memcpy(s->key, def->key, sizeof s->key);
    tac__bytes_init(&s->from_wire, allocator);
    tac__bytes_init(&s->waiting, allocator);
    tac__bytes_init(&s->plain, allocator);
    tac__bytes_init(&s->wire, allocator);
    make_hello(s, def);
    if (s->role == TAC__SECURE_CLIENT) {
        prove_hello(s->own_hello + HEAD, s->key, s->own_hello);
        tac__bytes_copy(&s->wire, s->own_hello, sizeof s->own_hello);
        if (s->wire.failed) {
            tac__secure_destroy(s);
            return tac__fail_memory(err);
        }
    }
    *secure = s;
    return TAC_OK;
}

void tac__secure_destroy(tac__secure *s)
{
    if (!s)
        return;
    wipe(&s->from_wire);
    wipe(&s->waiting);
    wipe(&s->plain);
    wipe(&s->wire);
    const tac_allocator *allocator = s->allocator;
    sodium_memzero(s, sizeof *s);
    allocator->resize(allocator->context, s, sizeof *s, 0);
}

tac__secure_state tac__secure_state_of(const tac__secure *s)
{
    return s->state;
}

tac__secure_fault tac__secure_fault_of(const tac__secure *s)
{
    return s->fault;
}

static tac_status again(const tac__secure *s, tac_error *err)
{
    if (err)
        *err = s->failure;
    return s->failure.status;
}

tac_status tac__secure_feed(tac__secure *s, const void *bytes, size_t count, tac_error *err)
{
    if (s->state == TAC__SECURE_FAILED)
        return again(s, err);
    tac__bytes_copy(&s->from_wire, bytes, count);
    if (s->from_wire.failed)
        return fail_memory(s, err);
    for (size_t used = 1; used > 0;) {
        if (s->state == TAC__SECURE_HANDSHAKING)
            TAC_TRY(take_handshake(s, &used, err));
        else
            TAC_TRY(take_record(s, &used, err));
        if (s->wire.failed)
            return fail_memory(s, err);
        tac__bytes_take(&s->from_wire, used);
    }
    return TAC_OK;
}

tac_status tac__secure_end(tac__secure *s, tac_error *err)
{
    if (s->state == TAC__SECURE_FAILED)
        return again(s, err);
    if (s->state == TAC__SECURE_OPEN && tac__bytes_count(&s->from_wire) == 0)
        return TAC_OK;
    if (s->state == TAC__SECURE_OPEN)
        (void)tac__fail(&s->failure, TAC_E_NETWORK, "the %s ended in the middle of a record",
                        other(s));
    else
        (void)tac__fail(&s->failure, TAC_E_NETWORK,
                        "the %s ended in the middle of the handshake of keys: it may have another "
                        "key, or none",
                        other(s));
    return fail(s, TAC__SECURE_ENDED, err);
}

tac_status tac__secure_seal(tac__secure *s, const void *bytes, size_t count, tac_error *err)
{
    if (s->state == TAC__SECURE_FAILED)
        return again(s, err);
    if (s->state == TAC__SECURE_HANDSHAKING) {
        if (count > TAC__SECURE_WAITING_MAX - tac__bytes_count(&s->waiting))
            return tac__fail(err, TAC_E_LIMIT,
                             "more than %d bytes wait for the end of the handshake of keys",
                             TAC__SECURE_WAITING_MAX);
        tac__bytes_copy(&s->waiting, bytes, count);
        return s->waiting.failed ? fail_memory(s, err) : TAC_OK;
    }
    for (const uint8_t *b = bytes; count > 0;) {
        const size_t n = count < TAC__SECURE_RECORD_MAX ? count : TAC__SECURE_RECORD_MAX;
        if (!seal_record(s, b, n))
            return fail_memory(s, err);
        b += n;
        count -= n;
    }
    return TAC_OK;
}

tac__bytes *tac__secure_plain(tac__secure *s)
{
    return &s->plain;
}

tac__bytes *tac__secure_wire(tac__secure *s)
{
    return &s->wire;
}

#endif
