// Unix sockets and shared memory meet at a file: whose it is, who may use it, when it is replaced.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "federation/peers.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

static const char *transport;

static tac__address here(const char *name)
{
    char text[300];
    snprintf(text, sizeof text, "%s://%s", transport, path_of(name));
    return address_of(text);
}

static mode_t mode_of(const char *path)
{
    struct stat file;
    return lstat(path, &file) == 0 ? file.st_mode : 0;
}

static void test_file(void **state)
{
    (void)state;
    const tac__address a = here("file");
    tac_error err;
    tac__listener *l, *other;
    // Nobody else may reach it, whatever the umask is.
    const mode_t old = umask(0);
    l = opened(&a);
    umask(old);
    assert_int_equal(mode_of(a.path), S_IFSOCK | 0600);
    assert_string_equal(tac__listener_address(l)->text, a.text);
    // One that lives is not replaced.
    assert_int_equal(tac__listener_open(&a, tac_allocator_default(), &other, &err), TAC_E_NETWORK);
    assert_non_null(strstr(err.text, a.text));
    assert_non_null(strstr(err.text, ": a server is running there"));
    assert_int_equal(mode_of(a.path), S_IFSOCK | 0600);
    // A child that closes it leaves the file to its parent.
    pid_t peer = fork();
    if (peer == 0) {
        tac__listener_close(l);
        _exit(0);
    }
    peer_ended_well(peer);
    assert_int_equal(mode_of(a.path), S_IFSOCK | 0600);
    tac__listener_close(l);
    assert_int_equal(mode_of(a.path), 0);

    // That of a server that is dead is replaced.
    peer = fork();
    if (peer == 0) {
        opened(&a);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(peer, NULL, 0), peer);
    assert_int_equal(mode_of(a.path), S_IFSOCK | 0600);
    l = opened(&a);
    tac__conn *c = dialled(&a);
    // One that was replaced by somebody's hand is not removed on closing.
    assert_int_equal(unlink(a.path), 0);
    other = opened(&a);
    tac__listener_close(l);
    assert_int_equal(mode_of(a.path), S_IFSOCK | 0600);
    tac__listener_close(other);
    tac__conn_close(c);

    // Other files are left alone, and links are not followed.
    FILE *file = fopen(a.path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(tac__listener_open(&a, tac_allocator_default(), &other, &err), TAC_E_NETWORK);
    assert_non_null(strstr(err.text, "there is a file of that name, which is no socket"));
    assert_true(S_ISREG(mode_of(a.path)));
    assert_int_equal(unlink(a.path), 0);
    assert_int_equal(symlink("nowhere", a.path), 0);
    assert_int_equal(tac__listener_open(&a, tac_allocator_default(), &other, &err), TAC_E_NETWORK);
    assert_true(S_ISLNK(mode_of(a.path)));
    assert_int_equal(unlink(a.path), 0);

    const tac__address lost = here("no/such/folder");
    assert_int_equal(tac__listener_open(&lost, tac_allocator_default(), &other, &err),
                     TAC_E_NETWORK);
    assert_non_null(strstr(err.text, "No such file or directory"));
}

// Servers that find the socket of a dead one at the same time: one has it, all others are refused.
static void test_file_race(void **state)
{
    (void)state;
    enum { ROUNDS = 12, SERVERS = 6 };
    const tac__address a = here("race");
    struct {
        _Atomic int go, opened, refused, end;
    } *s = shared(4096);
    for (int round = 0; round < ROUNDS; round++) {
        pid_t peer = fork();
        if (peer == 0) {
            opened(&a);
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(peer, NULL, 0), peer);
        s->go = s->opened = s->refused = s->end = 0;
        pid_t peers[SERVERS];
        for (int i = 0; i < SERVERS; i++) {
            peers[i] = fork();
            if (peers[i] == 0) {
                tac__listener *l;
                while (!s->go)
                    sched_yield();
                if (tac__listener_open(&a, tac_allocator_default(), &l, NULL) == TAC_OK)
                    s->opened++;
                else
                    s->refused++;
                while (!s->end)
                    nap_ms(1);
                tac__listener_close(l);
                _exit(0);
            }
        }
        s->go = 1;
        const double start_s = now_s();
        while (s->opened + s->refused < SERVERS && now_s() - start_s < 20)
            nap_ms(1);
        s->end = 1;
        for (int i = 0; i < SERVERS; i++)
            peer_ended_well(peers[i]);
        assert_int_equal(s->opened, 1);
        assert_int_equal(s->refused, SERVERS - 1);
    }
    munmap(s, 4096);
}

static void test_other_user(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    if (geteuid() != 0) {
        print_message("not root: nobody of another user can be tried\n");
        return;
    }
    const tac__address a = here("user");
    tac_error err;
    tac__conn *c;
    tac__listener *l = opened(&a);
    char *folder = strdup(path_of(""));
    assert_int_equal(chmod(folder, 0755), 0);
    for (int open_to_all = 0; open_to_all < 2; open_to_all++) {
        assert_int_equal(chmod(a.path, open_to_all ? 0666 : 0600), 0);
        const pid_t peer = fork();
        if (peer == 0) {
            EXPECT(setuid(NOBODY) == 0);
            EXPECT(tac__conn_dial(&a, 0, tac_allocator_default(), &c, &err) == TAC_E_NETWORK);
            EXPECT(strstr(err.text, open_to_all ? "is of user 0, this one of user 65534"
                                                : "Permission denied"));
            _exit(0);
        }
        if (open_to_all) {
            tac__poller *p = poller_opened();
            assert_int_equal(tac__poller_add_listener(p, l, l, NULL), TAC_OK);
            assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
            assert_int_equal(tac__listener_accept(l, &c, &err), TAC_E_NETWORK);
            assert_null(c);
            assert_non_null(strstr(err.text, "is of user 65534, this one of user 0"));
            tac__poller_remove_listener(p, l);
            tac__poller_close(p);
        }
        peer_ended_well(peer);
    }
    assert_int_equal(chmod(folder, 0700), 0);
    free(folder);
    tac__listener_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_file_race),
        cmocka_unit_test(test_other_user),
    };
    transport = "unix";
    int failed = cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
    transport = "shm";
    failed += cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
    return failed != 0;
}
