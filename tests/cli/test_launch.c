// What is read from the environment of launchers, and where ranks meet.
#include "cli/launch.c"
#include "support/test.h"

static const char *const *environment; // name, value, ..., NULL

static char *get(const char *name)
{
    for (const char *const *e = environment; *e; e += 2) {
        if (!strcmp(*e, name))
            return (char *)(uintptr_t)e[1];
    }
    return NULL;
}

#define ENVIRONMENT(...)                                                                           \
    environment = (const char *const[])                                                            \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void test_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *list, *first; // NULL: refused
        bool only;
    } cases[] = {
        {"node7", "node7", true},
        {"node[7]", "node7", true},
        {"node[003-003]", "node003", true},
        {"node[003-010]", "node003", false},
        {"node[3,5]", "node3", false},
        {"node[3,5-9,11]", "node3", false},
        {"a,b", "a", false},
        {"a-1.x.org,b[1-2]", "a-1.x.org", false},
        {"rack[2-3]n[01-16]", "rack2n01", false},
        {"rack[2]n[01]", "rack2n01", true},
        {"rack[2]n[01-02]s", "rack2n01s", false},
        {"n[1-2],", "n1", false},
        {"", NULL, false},
        {",a", NULL, false},
        {"n[", NULL, false},
        {"n[]", NULL, false},
        {"n[1", NULL, false},
        {"n[1-", NULL, false},
        {"n[1-]", NULL, false},
        {"n[1-2", NULL, false},
        {"n[a]", NULL, false},
        {"n]1[", NULL, false},
        {"-n", NULL, false},
        {"n o", NULL, false},
        {"n;rm", NULL, false},
        {"n/../m", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char first[CLI_HOST_TEXT];
        bool only;
        tac_error err;
        const tac_status status = cli_launch_hosts(cases[i].list, first, &only, &err);
        assert_int_equal(status, cases[i].first ? TAC_OK : TAC_E_CONFIG);
        if (!cases[i].first)
            continue;
        assert_string_equal(first, cases[i].first);
        assert_int_equal(only, cases[i].only);
    }
    // A name that is too long is refused, wherever its end is.
    char list[600], first[CLI_HOST_TEXT];
    bool only;
    for (size_t n = 1; n < 550; n++) {
        memset(list, '1', n);
        list[0] = 'n';
        list[n] = '\0';
        assert_int_equal(cli_launch_hosts(list, first, &only, NULL) == TAC_OK, n < CLI_HOST_TEXT);
        if (n < 3)
            continue;
        list[1] = '[';
        list[n] = ']';
        list[n + 1] = '\0';
        assert_int_equal(cli_launch_hosts(list, first, &only, NULL) == TAC_OK,
                         n - 1 < CLI_HOST_TEXT);
    }
}

// Each process is run by exactly one rank; no rank has two while another has none.
static void test_owners(void **state)
{
    (void)state;
    for (size_t ranks = 1; ranks < 12; ranks++) {
        for (size_t count = 1; count < 12; count++) {
            const cli_launch l = {.ranks = ranks};
            size_t of[12] = {0}, least = count, most = 0;
            for (size_t i = 0; i < count; i++) {
                const size_t owner = cli_launch_owner(&l, i, count);
                assert_true(owner < ranks);
                of[owner]++;
            }
            for (size_t r = ranks > count; r < ranks; r++) {
                least = of[r] < least ? of[r] : least;
                most = of[r] > most ? of[r] : most;
            }
            assert_true(most - least <= 1);
            assert_int_equal(of[0] == 0, ranks > count);
        }
    }
}

static void test_mpi(void **state)
{
    (void)state;
    cli_launch l;
    tac_error err;
    ENVIRONMENT("OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "4",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "1797062657", "SLURM_PROCID",
                "0", "SLURM_STEP_NUM_TASKS", "1");
    static const char *const words[] = {"mpi", "auto"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cli_launch_read(words[i], get, &l, &err), TAC_OK);
        assert_string_equal(l.launcher, "mpi");
        assert_int_equal(l.rank, 2);
        assert_int_equal(l.ranks, 4);
        assert_true(l.one_host);
        assert_string_equal(l.job, "1797062657");
    }
    assert_int_equal(cli_launch_read("none", get, &l, &err), TAC_OK);
    assert_null(l.launcher);
    assert_int_equal(l.ranks, 1);
    assert_int_equal(cli_launch_read("mpl", get, &l, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'mpi'?"));

    // Names of jobs never lead out of their folder; different ones stay different.
    ENVIRONMENT("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "4",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "2", "PMIX_NAMESPACE", "prterun-host@1/../x");
    assert_int_equal(cli_launch_read("mpi", get, &l, &err), TAC_OK);
    assert_false(l.one_host);
    assert_null(strpbrk(l.job, "/."));
    char other[CLI_JOB_TEXT];
    memcpy(other, l.job, sizeof other);
    ENVIRONMENT("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "4",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "2", "PMIX_NAMESPACE", "prterun-host@2/../x");
    assert_int_equal(cli_launch_read("mpi", get, &l, &err), TAC_OK);
    assert_string_not_equal(l.job, other);

    ENVIRONMENT("OMPI_COMM_WORLD_RANK", "4", "OMPI_COMM_WORLD_SIZE", "4",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "1");
    assert_int_equal(cli_launch_read("mpi", get, &l, &err), TAC_E_CONFIG);
    ENVIRONMENT("OMPI_COMM_WORLD_RANK", "1x", "OMPI_COMM_WORLD_SIZE", "4",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "1");
    assert_int_equal(cli_launch_read("mpi", get, &l, &err), TAC_E_CONFIG);
    assert_non_null(strstr(err.text, "OMPI_COMM_WORLD_RANK"));
    ENVIRONMENT("PMI_RANK", "1", "PMI_SIZE", "4", "MPI_LOCALNRANKS", "4");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cli_launch_read(words[i], get, &l, &err), TAC_E_USAGE);
        assert_non_null(strstr(err.text, "MPICH"));
    }
    ENVIRONMENT("OMPI_COMM_WORLD_RANK", "1");
    assert_int_equal(cli_launch_read("mpi", get, &l, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "OMPI_COMM_WORLD_SIZE"));
}

static void test_slurm(void **state)
{
    (void)state;
    cli_launch l;
    tac_error err;
    // A step of two tasks in a job of eight.
    ENVIRONMENT("SLURM_PROCID", "1", "SLURM_NTASKS", "8", "SLURM_STEP_NUM_TASKS", "2",
                "SLURM_JOB_ID", "4711", "SLURM_STEP_ID", "3", "SLURM_JOB_NODELIST", "n[1-4]",
                "SLURM_STEP_NODELIST", "n3", "SLURMD_NODENAME", "n3");
    assert_int_equal(cli_launch_read("auto", get, &l, &err), TAC_OK);
    assert_string_equal(l.launcher, "slurm");
    assert_int_equal(l.rank, 1);
    assert_int_equal(l.ranks, 2);
    assert_true(l.one_host);
    assert_string_equal(l.job, "4711.3");
    assert_string_equal(l.first_host, "n3");
    assert_string_equal(l.host, "n3");
    // Slurm serves programs of MPICH, too, and has its variables then.
    ENVIRONMENT("SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2", "SLURM_JOB_ID", "4711",
                "SLURM_STEP_NODELIST", "n3", "PMI_RANK", "1", "PMI_SIZE", "2");
    assert_int_equal(cli_launch_read("auto", get, &l, &err), TAC_OK);
    assert_string_equal(l.launcher, "slurm");
    // The script of a batch job is no rank, unless the user says so.
    ENVIRONMENT("SLURM_PROCID", "0", "SLURM_NTASKS", "8", "SLURM_JOB_ID", "4711",
                "SLURM_JOB_NODELIST", "n[1-4]");
    assert_int_equal(cli_launch_read("auto", get, &l, &err), TAC_OK);
    assert_null(l.launcher);
    assert_int_equal(cli_launch_read("slurm", get, &l, &err), TAC_OK);
    assert_int_equal(l.ranks, 8);
    assert_false(l.one_host);
    ENVIRONMENT("SLURM_PROCID", "");
    assert_int_equal(cli_launch_read("slurm", get, &l, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "'SLURM_PROCID' is not in the environment"));
    assert_non_null(strstr(err.text, "srun"));
}

static void test_meeting(void **state)
{
    (void)state;
    cli_meeting m, other;
    tac_error err;
    cli_launch l = {.launcher = "slurm", .ranks = 4, .one_host = true, .job = "7.1"};
    cli_meeting_def def = {.file_transport = "unix"};

    // One host: the same place for all ranks, another one for another job.
    static const char *const transports[] = {"unix", "shm", "tcp"};
    for (size_t i = 0; i < 3; i++) {
        def.transport = transports[i];
        l.rank = 0;
        assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_OK);
        assert_string_equal(m.listen, m.dial);
        assert_int_equal(strncmp(m.listen, transports[i], strlen(transports[i])), 0);
        l.rank = 3;
        assert_int_equal(cli_launch_meet(&l, &def, &other, &err), TAC_OK);
        assert_string_equal(m.dial, other.dial);
        l.job[2] = '2';
        assert_int_equal(cli_launch_meet(&l, &def, &other, &err), TAC_OK);
        assert_string_not_equal(m.dial, other.dial);
        l.job[2] = '1';
    }
    def.transport = "udp";
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    def.transport = NULL;
    def.file_address = "/run/x";
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_OK);
    assert_string_equal(m.dial, "unix:///run/x");
    assert_string_equal(m.folder, "");
    def.address = "127.0.0.1:0";
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "port"));
    def.address = def.file_address = NULL;

    // Several hosts need a key, and a host that all know.
    l.one_host = false;
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "--key"));
    def.key = true;
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "--address"));
    memcpy(l.first_host, "n1", 3);
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_OK);
    assert_int_equal(strncmp(m.dial, "tcp://n1:", 9), 0);
    l.rank = 0;
    assert_int_equal(cli_launch_meet(&l, &def, &other, &err), TAC_OK);
    assert_int_equal(strncmp(other.listen, "tcp://0.0.0.0:", 14), 0);
    assert_int_equal(strncmp(other.dial, "tcp://127.0.0.1:", 16), 0);
    assert_string_equal(strrchr(other.listen, ':'), strrchr(m.dial, ':'));
    memcpy(l.host, "n2", 3);
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "rank 0 is on host 'n2'"));
    def.address = "n2-ib:4000";
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_OK);
    assert_string_equal(m.listen, "n2-ib:4000");
    assert_string_equal(m.dial, "n2-ib:4000");
    def.address = "unix:///tmp/x";
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    def.address = NULL;
    def.transport = "shm";
    assert_int_equal(cli_launch_meet(&l, &def, &m, &err), TAC_E_USAGE);
    assert_non_null(strstr(err.text, "several hosts"));
}

static void test_folder(void **state)
{
    (void)state;
    char inner[300], link_path[300], nowhere[300];
    tac_error err;
    snprintf(inner, sizeof inner, "%s", path_of("a"));
    snprintf(link_path, sizeof link_path, "%s", path_of("b"));
    snprintf(nowhere, sizeof nowhere, "%s", path_of("c/d"));
    assert_int_equal(cli_launch_make_folder(inner, &err), TAC_OK);
    assert_int_equal(cli_launch_make_folder(inner, &err), TAC_OK); // of a server that was killed
    assert_int_equal(symlink(inner, link_path), 0);
    assert_int_equal(cli_launch_make_folder(link_path, &err), TAC_E_FILE);
    assert_int_equal(chmod(inner, 0750), 0);
    assert_int_equal(cli_launch_make_folder(inner, &err), TAC_E_FILE);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(cli_launch_make_folder(nowhere, &err), TAC_E_FILE);
}

TEST_MAIN(cmocka_unit_test(test_hosts), cmocka_unit_test(test_owners), cmocka_unit_test(test_mpi),
          cmocka_unit_test(test_slurm), cmocka_unit_test(test_meeting),
          cmocka_unit_test(test_folder))
