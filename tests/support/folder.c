// folder.c - see folder.h.
#include "support/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

const char *path_of(const char *name)
{
    static char paths[4][384];
    static unsigned next;
    if (!*folder) {
        fprintf(stderr, "path_of: there is no folder; see folder.h\n");
        abort();
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

int folder_set_up(void **state)
{
    (void)state;
    const char *outer = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/tactus_test_XXXXXX", outer ? outer : "/tmp");
    return mkdtemp(folder) ? 0 : 1;
}

int folder_tear_down(void **state)
{
    (void)state;
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files));) {
        if (strcmp(file->d_name, ".") && strcmp(file->d_name, ".."))
            unlink(path_of(file->d_name));
    }
    if (files)
        closedir(files);
    return rmdir(folder);
}
