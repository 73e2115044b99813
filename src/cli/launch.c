// launch.c - reading the environment of launchers, and choosing where ranks meet.
//
// Ranks cannot talk before they have met, so each works out the same place from what all of them
// know: the name of the job, and on many hosts the first host or an address that was given.
#include "cli/launch.h"

#include "base/hash.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RANKS_MAX = 1000000,
    PORT_FIRST = 20000, // the ports behind PORT_FIRST + PORTS are given to outgoing connections
    PORTS = 12000,
};

typedef char *(*get_fn)(const char *);

// --- the environment ----------------------------------------------------------------------------

// The first of these variables that is set and not empty; NULL: none is.
static const char *first_of(get_fn get, const char *const *names)
{
    for (; *names; names++) {
        const char *value = get(*names);
        if (value && *value)
            return value;
    }
    return NULL;
}

#define FIRST_OF(get, ...) first_of(get, (const char *const[]){__VA_ARGS__, NULL})

static tac_status read_count(const char *name, const char *value, size_t *count, tac_error *err)
{
    const char *end;
    const uint64_t number = tac__digits_parse(value, &end, 10);
    if (end == value || *end || number > RANKS_MAX)
        return tac__fail(err, TAC_E_CONFIG,
                         "'%s' of the environment is '%.64s', no number of ranks", name, value);
    *count = (size_t)number;
    return TAC_OK;
}

static tac_status lacks(const char *launcher, const char *variable, const char *start,
                        tac_error *err)
{
    return tac__fail(err, TAC_E_USAGE,
                     "'--launcher %s', but '%s' is not in the environment: start with '%s tactus "
                     "federate ...'",
                     launcher, variable, start);
}

static tac_status check_rank(const cli_launch *l, tac_error *err)
{
    if (l->rank < l->ranks)
        return TAC_OK;
    return tac__fail(err, TAC_E_CONFIG, "the launcher gave rank %zu of %zu ranks", l->rank,
                     l->ranks);
}

// Names of jobs become names of folders.
static void set_job(cli_launch *l, const char *job, const char *step)
{
    size_t n = 0;
    const char *const parts[] = {job, step};
    for (size_t k = 0; k < 2 && parts[k]; k++) {
        if (k)
            l->job[n++] = '.';
        for (const char *c = parts[k]; *c; c++) {
            if (n > CLI_JOB_TEXT - 24 || !(tac__is_alnum(*c) || *c == '-')) {
                tac__hash h = tac__hash_text(tac__hash_text(TAC__HASH_SEED, job), step ? step : "");
                snprintf(l->job, sizeof l->job, "%016llx", (unsigned long long)tac__hash_end(h));
                return;
            }
            l->job[n++] = *c;
        }
    }
    l->job[n] = '\0';
}

static tac_status read_mpi(get_fn get, cli_launch *l, tac_error *err)
{
    static const char RANK[] = "OMPI_COMM_WORLD_RANK", RANKS[] = "OMPI_COMM_WORLD_SIZE",
                      LOCAL[] = "OMPI_COMM_WORLD_LOCAL_SIZE";
    const char *const names[] = {RANK, RANKS, LOCAL};
    size_t local;
    size_t *const values[] = {&l->rank, &l->ranks, &local};
    for (size_t i = 0; i < 3; i++) {
        const char *value = FIRST_OF(get, names[i]);
        if (!value && FIRST_OF(get, "PMI_RANK"))
            return tac__fail(err, TAC_E_USAGE,
                             "this is not mpirun of Open MPI: that of MPICH and its like does not "
                             "tell ranks which job they are of; use Open MPI's, or srun with "
                             "'--launcher slurm'");
        if (!value)
            return lacks("mpi", names[i], "mpirun -np N", err);
        TAC_TRY(read_count(names[i], value, values[i], err));
    }
    const char *job = FIRST_OF(get, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid");
    if (!job)
        return lacks("mpi", "PMIX_NAMESPACE", "mpirun -np N", err);
    set_job(l, job, NULL);
    l->one_host = local == l->ranks;
    l->launcher = "mpi";
    return check_rank(l, err);
}

static tac_status read_slurm(get_fn get, cli_launch *l, tac_error *err)
{
    static const struct {
        const char *name, *other;
    } names[] = {
        {"SLURM_PROCID", NULL},
        {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
        {"SLURM_JOB_ID", "SLURM_JOBID"},
        {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"},
    };
    const char *values[4];
    for (size_t i = 0; i < 4; i++) {
        values[i] = FIRST_OF(get, names[i].name, names[i].other);
        if (!values[i])
            return lacks("slurm", names[i].name, "srun -n N", err);
    }
    TAC_TRY(read_count(names[0].name, values[0], &l->rank, err));
    TAC_TRY(read_count(names[1].name, values[1], &l->ranks, err));
    set_job(l, values[2], FIRST_OF(get, "SLURM_STEP_ID", "SLURM_STEPID"));
    TAC_TRY(cli_launch_hosts(values[3], l->first_host, &l->one_host, err));
    const char *host = FIRST_OF(get, "SLURMD_NODENAME");
    if (host)
        snprintf(l->host, sizeof l->host, "%s", host);
    l->launcher = "slurm";
    return check_rank(l, err);
}

// Open MPI asks Slurm for its hosts: then both have variables, and those of Slurm are of mpirun's
// own helpers. A script of a batch job has a rank of Slurm, too, but no SLURM_STEP_NUM_TASKS.
static const char *find_launcher(get_fn get)
{
    if (FIRST_OF(get, "OMPI_COMM_WORLD_RANK"))
        return "mpi";
    if (FIRST_OF(get, "SLURM_STEP_NUM_TASKS") && FIRST_OF(get, "SLURM_PROCID"))
        return "slurm";
    return FIRST_OF(get, "PMI_RANK") ? "mpi" : "none";
}

tac_status cli_launch_read(const char *word, get_fn get, cli_launch *launch, tac_error *err)
{
    static const char *const words[] = {"mpi", "slurm", "auto", "none"};
    *launch = (cli_launch){.ranks = 1, .one_host = true};
    if (!strcmp(word, "auto"))
        word = find_launcher(get);
    if (!strcmp(word, "mpi"))
        return read_mpi(get, launch, err);
    if (!strcmp(word, "slurm"))
        return read_slurm(get, launch, err);
    if (!strcmp(word, "none"))
        return TAC_OK;
    tac__fail(err, TAC_E_USAGE, "option '--launcher' needs mpi, slurm, auto or none, not '%.64s'",
              word);
    tac__nearest nearest = tac__nearest_begin(word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        tac__nearest_offer(&nearest, words[i]);
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
    return TAC_E_USAGE;
}

size_t cli_launch_owner(const cli_launch *l, size_t i, size_t count)
{
    return l->ranks > count ? 1 + i : i % l->ranks;
}

// --- lists of hosts -----------------------------------------------------------------------------

static bool is_host_character(char c)
{
    return tac__is_alnum(c) || c == '-' || c == '_' || c == '.';
}

// Behind '[': the first number goes to `first`; `*c` is left behind ']'. False: no such list.
static bool read_numbers(const char **c, char *first, size_t *n, bool *only)
{
    const char *digits = *c;
    for (; tac__is_digit(**c) && *n + 1 < CLI_HOST_TEXT; ++*c)
        first[(*n)++] = **c;
    const size_t length = (size_t)(*c - digits);
    if (!length || tac__is_digit(**c)) // or too long
        return false;
    if (**c == '-') { // "3-3" is one host
        const char *last = ++*c;
        while (tac__is_digit(**c))
            ++*c;
        if (*c == last)
            return false;
        if ((size_t)(*c - last) != length || memcmp(last, digits, length) != 0)
            *only = false;
    }
    while (**c == ',' || **c == '-' || tac__is_digit(**c)) {
        *only = false;
        ++*c;
    }
    return *(*c)++ == ']';
}

tac_status cli_launch_hosts(const char *list, char *first, bool *only, tac_error *err)
{
    const char *c = list;
    size_t n = 0;
    bool good = true;
    *only = true;
    while (good && *c && *c != ',') {
        if (*c == '[') {
            c++;
            good = read_numbers(&c, first, &n, only);
        } else {
            good = is_host_character(*c) && n + 1 < CLI_HOST_TEXT;
            if (good)
                first[n++] = *c++;
        }
    }
    first[n] = '\0';
    if (!good || !n || *first == '-' || *first == '.')
        return tac__fail(err, TAC_E_CONFIG,
                         "'%.128s' is no list of hosts, such as node[01-04],login", list);
    if (*c == ',')
        *only = false;
    return TAC_OK;
}

// --- where ranks meet ---------------------------------------------------------------------------

// Each job has a port of its own, as far as there are enough.
static unsigned port_of(const char *job)
{
    return PORT_FIRST + (unsigned)(tac__hash_end(tac__hash_text(TAC__HASH_SEED, job)) % PORTS);
}

static tac_status meet_at(const cli_launch *l, const char *address, const char *transport,
                          cli_meeting *m, tac_error *err)
{
    const char *colon = strrchr(address, ':');
    const bool path = strchr(address, '/') && !strstr(address, "://");
    const int n = snprintf(m->listen, sizeof m->listen, "%s%s%s", path ? transport : "",
                           path ? "://" : "", address);
    if (n < 0 || (size_t)n >= sizeof m->listen)
        return tac__fail(err, TAC_E_LIMIT, "the address '%.64s...' is too long", address);
    memcpy(m->dial, m->listen, sizeof m->dial);
    const bool local = !strncmp(m->listen, "unix://", 7) || !strncmp(m->listen, "shm://", 6);
    if (local && !l->one_host)
        return tac__fail(err, TAC_E_USAGE,
                         "the ranks are on several hosts, but '%s' is for one; expected HOST:PORT",
                         m->listen);
    if (!local && colon && !strcmp(colon, ":0"))
        return tac__fail(err, TAC_E_USAGE,
                         "'%s': with a launcher the address needs a port that every rank knows, "
                         "not 0",
                         address);
    return TAC_OK;
}

static tac_status meet_here(const cli_launch *l, const char *transport, cli_meeting *m,
                            tac_error *err)
{
    const char *at = getenv("TMPDIR");
    if (!at || strlen(at) > 24)
        at = "/tmp";
    if (!strcmp(transport, "tcp")) {
        snprintf(m->listen, sizeof m->listen, "tcp://127.0.0.1:%u", port_of(l->job));
    } else if (!strcmp(transport, "unix") || !strcmp(transport, "shm")) {
        snprintf(m->folder, sizeof m->folder, "%s/tactus-%lu-%s", at, (unsigned long)geteuid(),
                 l->job);
        snprintf(m->listen, sizeof m->listen, "%s://%.*s/s", transport, (int)sizeof m->listen - 16,
                 m->folder);
    } else {
        return tac__fail(err, TAC_E_USAGE, "option '--transport' needs tcp, unix or shm, not '%s'",
                         transport);
    }
    memcpy(m->dial, m->listen, sizeof m->dial);
    return TAC_OK;
}

// The server listens at every address of its host: the host's own name may lead to the loopback.
static tac_status meet_at_first_host(const cli_launch *l, cli_meeting *m, tac_error *err)
{
    if (!l->first_host[0])
        return tac__fail(err, TAC_E_USAGE,
                         "the ranks are on several hosts, and the launcher does not say which one "
                         "has rank 0: option '--address HOST:PORT' is missing");
    if (l->rank == 0 && l->host[0] && strcmp(l->host, l->first_host) != 0)
        return tac__fail(err, TAC_E_USAGE,
                         "rank 0 is on host '%s', but the list of hosts begins with '%s': option "
                         "'--address HOST:PORT' is missing",
                         l->host, l->first_host);
    const unsigned port = port_of(l->job);
    snprintf(m->listen, sizeof m->listen, "tcp://0.0.0.0:%u", port);
    snprintf(m->dial, sizeof m->dial, "tcp://%s:%u", l->rank ? l->first_host : "127.0.0.1", port);
    return TAC_OK;
}

tac_status cli_launch_meet(const cli_launch *l, const cli_meeting_def *def, cli_meeting *m,
                           tac_error *err)
{
    *m = (cli_meeting){0};
    const char *transport = def->transport ? def->transport : def->file_transport;
    if (!l->one_host && !def->key)
        return tac__fail(err, TAC_E_USAGE,
                         "the ranks are on several hosts: option '--key KEY' is missing, a file "
                         "with a key that all of them can read");
    if (!l->one_host && def->transport && strcmp(def->transport, "tcp") != 0)
        return tac__fail(err, TAC_E_USAGE,
                         "the ranks are on several hosts, which only transport tcp connects, not "
                         "'%s'",
                         def->transport);
    if (def->address)
        return meet_at(l, def->address, transport, m, err);
    // A transport that was asked for counts more than the address of another one in the file.
    if (def->file_address && (!def->transport || !strcmp(def->transport, def->file_transport)))
        return meet_at(l, def->file_address, transport, m, err);
    return l->one_host ? meet_here(l, transport, m, err) : meet_at_first_host(l, m, err);
}

// The name can be guessed: another user may have made the folder, or a link, to listen there.
tac_status cli_launch_make_folder(const char *path, tac_error *err)
{
    struct stat found;
    if (mkdir(path, 0700) == 0)
        return TAC_OK;
    if (errno != EEXIST || lstat(path, &found) != 0)
        return tac__fail(err, TAC_E_FILE, "cannot make folder '%s': %s", path,
                         tac__errno_text(errno));
    if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 0077) != 0)
        return tac__fail(err, TAC_E_FILE,
                         "'%s' is there and is no folder that only this user can open: remove it, "
                         "or set TMPDIR to another place",
                         path);
    return TAC_OK;
}
