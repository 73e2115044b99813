// key.c - key files. The file is asked for its permissions after it was opened, so that it cannot
// be exchanged in between.
#include "base/file.h"
#include "base/text.h"
#include "federation/key.h"

#include <tactus/federation.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef TACTUS_HAVE_SODIUM
#include <sodium.h>
#endif

enum { DIGITS = 2 * TAC__KEY_BYTES, FILE_MAX = 1024 };

static tac_status fail(tac_error *err, const char *what, const char *path)
{
    return tac__fail(err, TAC_E_FILE, "cannot %s the key '%s': %s", what, path,
                     tac__errno_text(errno));
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int digit_of(char c)
{
    const char low = tac__to_lower(c);
    return tac__is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// Texts never show what is in the file: it may be a key with one digit too few.
static tac_status parse(const char *path, const char *text, size_t count,
                        uint8_t key[TAC__KEY_BYTES], tac_error *err)
{
    while (count > 0 && is_space(text[count - 1]))
        count--;
    while (count > 0 && is_space(*text))
        text++, count--;
    for (size_t i = 0; i < count; i++) {
        if (digit_of(text[i]) < 0)
            return tac__fail(
                err, TAC_E_FORMAT,
                "'%s' is no key: character %zu is no hexadecimal digit (a key is %d of "
                "them)",
                path, i + 1, DIGITS);
    }
    if (count != DIGITS)
        return tac__fail(err, TAC_E_FORMAT,
                         "'%s' is no key: it has %s%zu hexadecimal digits, and a key has %d", path,
                         count > FILE_MAX ? "more than " : "",
                         count > FILE_MAX ? (size_t)FILE_MAX : count, DIGITS);
    for (size_t i = 0; i < TAC__KEY_BYTES; i++)
        key[i] = (uint8_t)(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
    return TAC_OK;
}

static tac_status check_mode(int fd, const char *path, tac_error *err)
{
    struct stat found;
    if (fstat(fd, &found) != 0)
        return fail(err, "read", path);
    const unsigned mode = (unsigned)found.st_mode & 0777u;
    if (S_ISREG(found.st_mode) && (mode & 0027u) != 0)
        return tac__fail(err, TAC_E_FILE,
                         "the key '%s' is open to others (its mode is %04o): make it yours with "
                         "'chmod 600 %s', and make a new key if others may have read it",
                         path, mode, path);
    return TAC_OK;
}

tac_status tac__key_read(const char *path, uint8_t key[TAC__KEY_BYTES], tac_error *err)
{
    char text[FILE_MAX + 1];
    size_t count = 0;
    int fd;
    TAC_TRY(tac__file_open(path, &fd, err));
    tac_status status = check_mode(fd, path, err);
    while (status == TAC_OK && count < sizeof text) {
        const ssize_t n = read(fd, text + count, sizeof text - count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            status = fail(err, "read", path);
        if (n <= 0)
            break;
        count += (size_t)n;
    }
    close(fd);
    if (status == TAC_OK)
        status = parse(path, text, count, key, err);
#ifdef TACTUS_HAVE_SODIUM
    sodium_memzero(text, sizeof text);
#endif
    return status;
}

#ifdef TACTUS_HAVE_SODIUM

tac_status tac_key_make(const char *path, tac_error *err)
{
    TAC_REQUIRE(path);
    if (sodium_init() < 0)
        return tac__fail(err, TAC_E_FILE, "libsodium cannot be used: it finds no random numbers");
    uint8_t key[TAC__KEY_BYTES];
    char text[DIGITS + 2];
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(err, "write", path);
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(text, sizeof text, key, sizeof key);
    text[DIGITS] = '\n';
    bool written = tac__write_all(fd, text, DIGITS + 1);
    written = close(fd) == 0 && written;
    sodium_memzero(key, sizeof key);
    sodium_memzero(text, sizeof text);
    if (written)
        return TAC_OK;
    const tac_status status = fail(err, "write", path);
    (void)unlink(path);
    return status;
}

#else

tac_status tac_key_make(const char *path, tac_error *err)
{
    (void)path;
    return tac__fail(err, TAC_E_FILE,
                     "this build of Tactus cannot make a key: install libsodium and build again");
}

#endif

// Through a pointer that the compiler must read: a plain memset before free may be left out.
void tac__key_forget(uint8_t key[TAC__KEY_BYTES])
{
    volatile uint8_t *byte = key;
    for (size_t i = 0; i < TAC__KEY_BYTES; i++)
        byte[i] = 0;
}
