// The program of all tests of a room: runs the one that is named. mains.inc lists them, as
// tests/CMakeLists.txt writes it: TEST(NAME), with main() of test_NAME.c as main_NAME.
#include <stdio.h>
#include <string.h>

#define TEST(name) int main_##name(void);
#include "mains.inc"
#undef TEST

int main(int argc, char **argv)
{
#define TEST(name)                                                                                 \
    if (argc == 2 && !strcmp(argv[1], #name))                                                      \
        return main_##name();
#include "mains.inc"
#undef TEST

    fprintf(stderr, "usage: %s TEST, which is one of these:\n", argv[0]);
#define TEST(name) fputs("  " #name "\n", stderr);
#include "mains.inc"
    return 2;
}
