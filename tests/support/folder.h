// folder.h - a folder for the files of a test program: made before its tests, removed with all that
// is in it after them.
#ifndef TAC_TESTS_SUPPORT_FOLDER_H
#define TAC_TESTS_SUPPORT_FOLDER_H

// For cmocka_run_group_tests; TEST_MAIN has them.
int folder_set_up(void **state);
int folder_tear_down(void **state);

// The path of a file in it; valid until the fourth call after this one.
const char *path_of(const char *name);

#endif
