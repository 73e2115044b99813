// Whole files: read as they are up to a limit, written as a whole or not at all.
#include "support/allocator.h"
#include "support/test.h"

#include "base/file.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tactus_file_XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][256]; // valid for three more calls
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); // fails if a test leaves anything, a temporary file for instance
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static void check_content(const char *path, const void *expected, size_t size)
{
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    char *bytes;
    size_t got;
    tac_error err;
    if (tac__file_read(path, 1 << 24, &hook, &bytes, &got, &err) != TAC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(got, size);
    assert_memory_equal(bytes, expected, size);
    assert_int_equal(bytes[size], '\0');
    assert_int_equal(counts.live_bytes, size + 1);
    tac__file_free(&hook, bytes, got);
    test_allocator_check_empty(&counts);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,     1,     2,      4095,   4096,   65535,
                                   65536, 65537, 131072, 131073, 1000000};
    static char bytes[1000000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 167 + i / 256);
    const char *path = in_folder("data");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(tac__file_write(path, bytes, sizes[i], NULL), TAC_OK);
        check_content(path, bytes, sizes[i]); // also over the longer or shorter one before
    }
    remove(path);
}

static void test_limit(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
    static char bytes[200000];
    const char *path = in_folder("limited");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t size = sizes[i];
        assert_int_equal(tac__file_write(path, bytes, size, NULL), TAC_OK);
        for (int delta = -1; delta <= 1; delta++) {
            if (size == 0 && delta < 0)
                continue;
            const size_t limit = size + (size_t)delta;
            test_allocator counts = test_allocator_make();
            const tac_allocator hook = test_allocator_hook(&counts);
            char *content = (char *)1;
            size_t got = 99;
            tac_error err;
            const tac_status status = tac__file_read(path, limit, &hook, &content, &got, &err);
            assert_int_equal(status, delta < 0 ? TAC_E_LIMIT : TAC_OK);
            if (status == TAC_OK) {
                assert_int_equal(got, size);
                tac__file_free(&hook, content, got);
            } else {
                assert_null(content);
                assert_int_equal(got, 0);
                char words[64];
                snprintf(words, sizeof words, "is larger than %zu bytes", limit);
                assert_non_null(strstr(err.text, words));
            }
            assert_true(counts.peak_bytes <= 3 * (limit + 2)); // never reads what it will refuse
            test_allocator_check_empty(&counts);
        }
    }
    remove(path);
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    static char content[300000];
    const char *path = in_folder("memory");
    assert_int_equal(tac__file_write(path, content, sizeof content, NULL), TAC_OK);
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        counts.fail_shrinks = true;
        const tac_allocator hook = test_allocator_hook(&counts);
        char *bytes = (char *)1;
        size_t size = 99;
        tac_error err;
        const tac_status status = tac__file_read(path, 1 << 20, &hook, &bytes, &size, &err);
        if (status == TAC_OK) {
            assert_true(n > 3);
            tac__file_free(&hook, bytes, size);
            test_allocator_check_empty(&counts);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
        assert_null(bytes);
        assert_int_equal(size, 0);
        test_allocator_check_empty(&counts);
    }
    remove(path);
}

static void check_unreadable(const char *path, const char *words)
{
    char *bytes = (char *)1;
    size_t size = 99;
    tac_error err;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    assert_int_equal(tac__file_read(path, 1000, &hook, &bytes, &size, &err), TAC_E_FILE);
    assert_null(bytes);
    assert_int_equal(size, 0);
    assert_non_null(strstr(err.text, path));
    if (!strstr(err.text, words))
        fail_msg("\"%s\" lacks \"%s\"", err.text, words);
    test_allocator_check_empty(&counts);
    assert_int_equal(tac__file_read(path, 1000, &hook, &bytes, &size, NULL), TAC_E_FILE);
    test_allocator_check_empty(&counts);
}

static void test_unreadable(void **state)
{
    (void)state;
    check_unreadable(in_folder("missing"), "No such file");
    check_unreadable(folder, "Is a directory");
    tac__file_free(tac_allocator_default(), NULL, 0);
}

// A pipe has no size to ask for.
static void test_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "through a pipe", 14), 14);
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (exists(path))
        check_content(path, "through a pipe", 14);
    close(ends[0]);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(d);
    return count;
}

static void test_whole_or_not_at_all(void **state)
{
    (void)state;
    tac_error err;
    tac__output o;
    const char *path = in_folder("kept");
    assert_int_equal(tac__file_write(path, "old", 3, NULL), TAC_OK);

    // Abandoned: the old file stays, and nothing else.
    assert_int_equal(tac__output_open(&o, path, &err), TAC_OK);
    assert_true(tac__write_all(o.fd, "new", 3));
    check_content(path, "old", 3);
    tac__output_abandon(&o);
    tac__output_abandon(&o);
    check_content(path, "old", 3);
    assert_int_equal(files_in_folder(), 1);

    // A full disk.
    struct rlimit before, small = {.rlim_cur = 4};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const tac_status status = tac__file_write(path, "newer", 5, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, TAC_E_FILE);
    assert_non_null(strstr(err.text, "kept"));
    check_content(path, "old", 3);
    assert_int_equal(files_in_folder(), 1);
    remove(path);

    // A folder is in the way.
    path = in_folder("folder");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(tac__file_write(path, "new", 3, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "folder"));
    assert_non_null(strstr(err.text, "Is a directory"));
    assert_int_equal(rmdir(path), 0);

    assert_int_equal(tac__file_write(in_folder("no/such/place"), "x", 1, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(tac__file_write("", "x", 1, &err), TAC_E_FILE);
    static char too_long[10000];
    memset(too_long, 'x', sizeof too_long - 1);
    assert_int_equal(tac__file_write(too_long, "x", 1, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "too long"));
    assert_int_equal(files_in_folder(), 0);
}

static void check_busy(tac_status status, const tac_error *err)
{
    assert_int_equal(status, TAC_E_FILE);
    assert_non_null(strstr(err->text, "another program"));
}

// Of two that write one file at the same time one succeeds, whichever way they meet.
static void test_two_writers(void **state)
{
    (void)state;
    tac_error err;
    tac__output a, b;
    int fd, other;
    const char *path = in_folder("shared");

    // There is no file yet: the first that is whole gets the name.
    assert_int_equal(tac__output_open(&a, path, &err), TAC_OK);
    assert_int_equal(tac__output_open(&b, path, &err), TAC_OK);
    assert_true(tac__write_all(a.fd, "a", 1));
    assert_true(tac__write_all(b.fd, "b", 1));
    assert_int_equal(tac__output_commit(&b, &err), TAC_OK);
    check_busy(tac__output_commit(&a, &err), &err);
    check_content(path, "b", 1);
    assert_int_equal(files_in_folder(), 1);

    // There is one: the first that opens it has it, also against a file that grows.
    assert_int_equal(tac__output_open(&a, path, &err), TAC_OK);
    check_busy(tac__output_open(&b, path, &err), &err);
    check_busy(tac__file_create(path, true, &fd, &err), &err);
    assert_true(tac__write_all(a.fd, "c", 1));
    assert_int_equal(tac__output_commit(&a, &err), TAC_OK);
    check_content(path, "c", 1);

    // It was replaced by somebody who does not lock.
    assert_int_equal(tac__output_open(&a, path, &err), TAC_OK);
    const char *strange = in_folder("strange");
    FILE *file = fopen(strange, "wb");
    assert_non_null(file);
    fputs("theirs", file);
    fclose(file);
    assert_int_equal(rename(strange, path), 0);
    check_busy(tac__output_commit(&a, &err), &err);
    check_content(path, "theirs", 6);

    // A file that grows.
    assert_int_equal(tac__file_create(path, false, &fd, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "exists already"));
    assert_int_equal(tac__file_create(path, true, &fd, &err), TAC_OK);
    assert_true(tac__write_all(fd, "mine", 4));
    check_content(path, "mine", 4);
    check_busy(tac__file_create(path, true, &other, &err), &err);
    check_busy(tac__file_write(path, "x", 1, &err), &err);
    close(fd);
    assert_int_equal(tac__file_create(path, true, &fd, &err), TAC_OK);
    close(fd);
    check_content(path, "", 0);
    remove(path);
    assert_int_equal(tac__file_create(path, false, &fd, &err), TAC_OK);
    check_busy(tac__file_create(path, true, &other, &err), &err);
    close(fd);
    remove(path);
    assert_int_equal(files_in_folder(), 0);
}

// A link to a file is neither followed nor replaced; one to a device is written to.
static void test_links(void **state)
{
    (void)state;
    tac_error err;
    int fd;
    const char *target = in_folder("target"), *path = in_folder("link");
    for (int dangling = 0; dangling < 2; dangling++) {
        if (!dangling)
            assert_int_equal(tac__file_write(target, "kept", 4, NULL), TAC_OK);
        assert_int_equal(symlink(target, path), 0);
        assert_int_equal(tac__file_write(path, "x", 1, &err), TAC_E_FILE);
        assert_non_null(strstr(err.text, "symbolic link"));
        assert_int_equal(tac__file_create(path, true, &fd, &err), TAC_E_FILE);
        assert_int_equal(tac__file_check(path, &err), TAC_E_FILE);
        if (!dangling)
            check_content(target, "kept", 4);
        remove(target);
        remove(path);
    }
    assert_int_equal(files_in_folder(), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(tac__file_write(path, "x", 1, &err), TAC_OK);
    remove(path);
    if (exists("/dev/full")) {
        assert_int_equal(tac__file_write("/dev/full", "x", 1, &err), TAC_E_FILE);
        assert_non_null(strstr(err.text, "No space left"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_every_allocation_fails_once),
                                       cmocka_unit_test(test_unreadable),
                                       cmocka_unit_test(test_pipe),
                                       cmocka_unit_test(test_whole_or_not_at_all),
                                       cmocka_unit_test(test_two_writers),
                                       cmocka_unit_test(test_links)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
