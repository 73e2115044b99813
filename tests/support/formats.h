// formats.h - checks of texts that the library writes: what is in them, and that they are
// well-formed. Each fails the running test.
#ifndef TAC_TESTS_SUPPORT_FORMATS_H
#define TAC_TESTS_SUPPORT_FORMATS_H

#include <stddef.h>

void test_has(const char *text, const char *part);
void test_has_not(const char *text, const char *part);
// The line that holds `part` must hold `other` too.
void test_line_has(const char *text, const char *part, const char *other);
void test_comes_before(const char *text, const char *first, const char *second);
size_t test_count_of(const char *text, const char *part);

void test_check_json(const char *text);
void test_check_xml(const char *text);
void test_check_dot(const char *text);
void test_check_table(const char *text); // lines end, without blanks, and are not too wide

#endif
