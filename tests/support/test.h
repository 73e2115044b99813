// test.h - what every test program includes: cmocka with the headers that it needs before it.
#ifndef TAC_TESTS_SUPPORT_TEST_H
#define TAC_TESTS_SUPPORT_TEST_H

// clang-format off: cmocka.h wants these first
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "support/folder.h"

// main() of a test program: TEST_MAIN(cmocka_unit_test(a), cmocka_unit_test(b)). Files of its tests
// are in a folder of their own, see path_of.
#define TEST_MAIN(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);                     \
    }

#endif
