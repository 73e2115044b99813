// address.c - reading addresses of servers.
#include "federation/address.h"
#include "base/print.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

enum { LONGEST_NAME = 253, LONGEST_PORT = 65535 };

static const char *const WORDS[] = {
#define WORD(name, word) word,
    TAC__TRANSPORT_TABLE(WORD)
#undef WORD
};

enum { TRANSPORTS = sizeof WORDS / sizeof *WORDS };

#define FORMS "tcp://HOST:PORT, unix://PATH or shm://PATH"

static const char *word_at(const void *context, size_t i)
{
    (void)context;
    return i < TRANSPORTS ? WORDS[i] : NULL;
}

static tac_status read_path(const char *path, tac__address *a, tac_error *err)
{
    const char *word = WORDS[a->transport];
    const size_t length = strlen(path);
    if (length == 0)
        return tac__fail(err, TAC_E_SYNTAX, "'%s://' lacks a path, as in %s:///tmp/federation",
                         word, word);
    if (length >= sizeof a->path)
        return tac__fail(err, TAC_E_LIMIT,
                         "the path of '%s://%s' has %zu bytes; a socket's path has at most %zu",
                         word, path, length, sizeof a->path - 1);
    memcpy(a->path, path, length + 1);
    tac__print(a->text, sizeof a->text, "%s://%s", word, path);
    return TAC_OK;
}

// An IPv6 address, maybe with "%" and a network interface behind it. `host` becomes its usual form.
static bool read_ip6(const char *text, size_t length, char host[TAC__HOST_TEXT])
{
    const char *percent = memchr(text, '%', length);
    const size_t bare = percent ? (size_t)(percent - text) : length;
    char digits[INET6_ADDRSTRLEN] = "";
    struct in6_addr ip;
    if (bare >= sizeof digits)
        return false;
    memcpy(digits, text, bare);
    if (inet_pton(AF_INET6, digits, &ip) != 1)
        return false;
    inet_ntop(AF_INET6, &ip, host, TAC__HOST_TEXT);
    if (!percent)
        return true;
    const size_t zone = length - bare, used = strlen(host);
    if (zone < 2 || zone > 32)
        return false;
    for (size_t i = 1; i < zone; i++) {
        if (!tac__is_alnum(percent[i]) && !strchr("._-", percent[i]))
            return false;
    }
    memcpy(host + used, percent, zone);
    host[used + zone] = '\0';
    return true;
}

// Letters, digits, '-' and '_' with single dots between them.
static bool is_name(const char *text, size_t length)
{
    if (length == 0 || length > LONGEST_NAME || text[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' ? i && text[i - 1] == '.'
                           : !tac__is_alnum(text[i]) && text[i] != '-' && text[i] != '_')
            return false;
    }
    return true;
}

static bool is_all_digits_and_dots(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!tac__is_digit(text[i]) && text[i] != '.')
            return false;
    }
    return length > 0;
}

static tac_status read_host(const char *whole, const char *host, size_t length, tac__address *a,
                            tac_error *err)
{
    const int n = length > 256 ? 256 : (int)length;
    if (length == 0)
        return tac__fail(err, TAC_E_SYNTAX, "'%s' lacks a host; expected HOST:PORT", whole);
    if (host[0] == '[') {
        if (host[length - 1] != ']' || !read_ip6(host + 1, length - 2, a->host))
            return tac__fail(err, TAC_E_SYNTAX,
                             "'%s': '%.*s' is no IPv6 address in brackets, such as [::1]", whole, n,
                             host);
        return TAC_OK;
    }
    if (memchr(host, ':', length))
        return tac__fail(err, TAC_E_SYNTAX,
                         "'%s': more than one ':'; an IPv6 address stands in brackets, as in "
                         "[::1]:4000",
                         whole);
    if (!is_name(host, length))
        return tac__fail(err, TAC_E_SYNTAX,
                         "'%s': '%.*s' is no host; expected a name (letters, digits, '-', '_' and "
                         "dots, at most %d characters), an IPv4 address, or an IPv6 address in "
                         "brackets",
                         whole, n, host, LONGEST_NAME);
    memcpy(a->host, host, length);
    a->host[length] = '\0';
    // Resolvers read 127.1 and 0x7f.1 as addresses, too; here such a text is a mistake.
    struct in_addr ip;
    if (is_all_digits_and_dots(host, length) && inet_pton(AF_INET, a->host, &ip) != 1)
        return tac__fail(err, TAC_E_SYNTAX,
                         "'%s': '%s' is no IPv4 address, which is four numbers from 0 to 255 with "
                         "dots between",
                         whole, a->host);
    return TAC_OK;
}

static tac_status read_tcp(const char *whole, const char *text, tac__address *a, tac_error *err)
{
    const char *bracket = text[0] == '[' ? strchr(text, ']') : NULL;
    const char *colon = bracket ? bracket + 1 : strrchr(text, ':');
    if (!colon || *colon != ':')
        return tac__fail(err, TAC_E_SYNTAX, "'%s' lacks a port; expected HOST:PORT, as in %s:4000",
                         whole, text[0] == '[' ? "[::1]" : "127.0.0.1");
    TAC_TRY(read_host(whole, text, (size_t)(colon - text), a, err));

    const char *end;
    const uint64_t port = tac__digits_parse(colon + 1, &end, 10);
    if (end == colon + 1 || *end || port > LONGEST_PORT)
        return tac__fail(err, TAC_E_SYNTAX, "'%s': '%s' is no port; expected a number from 0 to %d",
                         whole, colon + 1, LONGEST_PORT);
    a->port = (uint16_t)port;
    const bool ip6 = strchr(a->host, ':');
    tac__print(a->text, sizeof a->text, "tcp://%s%s%s:%u", ip6 ? "[" : "", a->host, ip6 ? "]" : "",
               (unsigned)a->port);
    return TAC_OK;
}

static tac_status parse(const char *text, tac__address *a, tac_error *err)
{
    const char *mark = strstr(text, "://");
    if (!mark) {
        if (strchr(text, '/'))
            return tac__fail(err, TAC_E_SYNTAX,
                             "'%s' looks like a path: write unix://%s or shm://%s", text, text,
                             text);
        if (!text[0])
            return tac__fail(err, TAC_E_SYNTAX, "the address is empty; expected " FORMS);
        a->transport = TAC__TRANSPORT_TCP;
        return read_tcp(text, text, a, err);
    }
    const size_t length = (size_t)(mark - text);
    for (size_t i = 0; i < TRANSPORTS; i++) {
        if (strlen(WORDS[i]) != length || memcmp(WORDS[i], text, length) != 0)
            continue;
        a->transport = (tac__transport)i;
        return a->transport == TAC__TRANSPORT_TCP ? read_tcp(text, mark + 3, a, err)
                                                  : read_path(mark + 3, a, err);
    }
    char word[32];
    tac__print(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 31, text);
    const tac_status status = tac__fail(
        err, TAC_E_SYNTAX, "'%s': there is no transport '%s'; expected " FORMS, text, word);
    tac__error_suggest(err, word, word_at, NULL);
    return status;
}

tac_status tac__address_parse(const char *text, tac__address *address, tac_error *err)
{
    *address = (tac__address){.transport = TAC__TRANSPORT_TCP};
    const tac_status status = parse(text, address, err);
    if (status != TAC_OK)
        *address = (tac__address){.transport = TAC__TRANSPORT_TCP};
    return status;
}

bool tac__address_is_local(const tac__address *address)
{
    if (address->transport != TAC__TRANSPORT_TCP)
        return true;
    struct in_addr ip4;
    if (inet_pton(AF_INET, address->host, &ip4) == 1)
        return ntohl(ip4.s_addr) >> 24 == 127;
    struct in6_addr ip6;
    if (inet_pton(AF_INET6, address->host, &ip6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&ip6) || (IN6_IS_ADDR_V4MAPPED(&ip6) && ip6.s6_addr[12] == 127);
    static const char local[] = "localhost";
    const char *c = address->host;
    for (size_t i = 0; i < sizeof local; i++) {
        if (tac__to_lower(c[i]) != local[i])
            return false;
    }
    return true;
}
