#include "base/def.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct thing {
    uint32_t size;
    uint32_t first;
    uint64_t second, third;
} thing;

// In memory of exactly the caller's size, so that a sanitizer sees one byte too many.
static void *theirs(uint32_t size, unsigned char fill)
{
    unsigned char *bytes = malloc(size < 4 ? 4 : size);
    assert_non_null(bytes);
    memset(bytes, fill, size < 4 ? 4 : size);
    memcpy(bytes, &size, sizeof size);
    return bytes;
}

static void test_older_and_newer(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 64; size++) {
        for (int fill = 0; fill <= 1; fill++) {
            thing ours;
            memset(&ours, 0xaa, sizeof ours);
            tac_error err;
            tac_error_clear(&err);
            void *given = theirs(size, (unsigned char)fill);
            const tac_status status = tac__def_take("thing", &ours, sizeof ours, given, &err);
            const bool newer = size > sizeof ours && fill;
            assert_int_equal(status, size < 16 || newer ? TAC_E_ABI : TAC_OK);
            char about[256];
            snprintf(about, sizeof about, "it has %u bytes, here 24; update Tactus", size);
            if (status != TAC_OK)
                assert_non_null(strstr(err.text, newer ? about
                                                       : "a thing has no size: begin with "
                                                         "thing_default(), or set its size to "
                                                         "sizeof(thing)"));
            assert_int_equal(ours.size, sizeof ours);
            // What the caller has is there, the rest is zero.
            unsigned char *bytes = (unsigned char *)&ours;
            for (size_t i = sizeof ours.size; i < sizeof ours; i++)
                assert_int_equal(bytes[i], size >= 16 && i < size ? fill : 0);
            free(given);
        }
    }
}

// A struct that was never set has any size: nothing behind it is read.
static void test_nonsense(void **state)
{
    (void)state;
    const uint32_t sizes[] = {0, 1, 2, 15, 4097, 1u << 16, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t *given = malloc(sizeof *given);
        assert_non_null(given);
        *given = sizes[i];
        thing ours;
        assert_int_equal(tac__def_take("thing", &ours, sizeof ours, given, NULL), TAC_E_ABI);
        free(given);
    }
}

// The largest that can be one is read to its end; the next is refused, even if all of it is zero.
static void test_largest(void **state)
{
    (void)state;
    for (int last = 0; last <= 1; last++) {
        unsigned char *given = theirs(4096, 0);
        given[4095] = (unsigned char)last;
        thing ours;
        assert_int_equal(tac__def_take("thing", &ours, sizeof ours, given, NULL),
                         last ? TAC_E_ABI : TAC_OK);
        free(given);
    }
    void *given = theirs(4097, 0);
    thing ours;
    assert_int_equal(tac__def_take("thing", &ours, sizeof ours, given, NULL), TAC_E_ABI);
    free(given);
}

static void test_giving(void **state)
{
    (void)state;
    const thing ours = {sizeof ours, 1, 2, 3};
    for (uint32_t size = 4; size < 64; size++) {
        unsigned char *given = theirs(size, 0xff);
        tac__def_give_sized(given, size, &ours, sizeof ours);
        uint32_t told;
        memcpy(&told, given, sizeof told);
        assert_int_equal(told, size);
        for (uint32_t i = 4; i < size; i++)
            assert_int_equal(given[i], i < sizeof ours ? ((const unsigned char *)&ours)[i] : 0);
        free(given);
    }
}

TEST_MAIN(cmocka_unit_test(test_older_and_newer), cmocka_unit_test(test_nonsense),
          cmocka_unit_test(test_largest), cmocka_unit_test(test_giving))
