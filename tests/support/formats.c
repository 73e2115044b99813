// formats.c - checks of texts; see formats.h.
#include "support/formats.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is missing in:\n%s", part, text);
}

void test_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

// The line that holds `part` must hold `other` too.
void test_line_has(const char *text, const char *part, const char *other)
{
    test_has(text, part);
    const char *at = strstr(text, part);
    while (at > text && at[-1] != '\n')
        at--;
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    test_has(line, other);
}

void test_comes_before(const char *text, const char *first, const char *second)
{
    test_has(text, first);
    if (!strstr(strstr(text, first), second))
        fail_msg("'%s' does not come after '%s' in:\n%s", second, first, text);
}

size_t test_count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

// JSON by its grammar; returns what comes after the value, NULL where it is none.
static const char *json_blank(const char *c)
{
    return c + strspn(c, " \n\r\t");
}

static const char *json_string(const char *c)
{
    if (*c++ != '"')
        return NULL;
    for (; *c && *c != '"'; c++) {
        if ((unsigned char)*c < 0x20)
            return NULL;
        if (*c != '\\')
            continue;
        c++;
        if (*c == 'u' && strspn(c + 1, "0123456789abcdefABCDEF") >= 4)
            c += 4;
        else if (!*c || !strchr("\"\\/bfnrt", *c))
            return NULL;
    }
    return *c ? c + 1 : NULL;
}

static const char *json_value(const char *c)
{
    c = json_blank(c);
    if (*c == '"')
        return json_string(c);
    if (*c == '{' || *c == '[') {
        const char close = *c == '{' ? '}' : ']';
        c = json_blank(c + 1);
        if (*c == close)
            return c + 1;
        for (;;) {
            if (close == '}') {
                c = json_string(json_blank(c));
                c = c ? json_blank(c) : NULL;
                if (!c || *c++ != ':')
                    return NULL;
            }
            c = json_value(c);
            c = c ? json_blank(c) : NULL;
            if (!c || (*c != ',' && *c != close))
                return NULL;
            if (*c++ == close)
                return c;
        }
    }
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (!strncmp(c, words[i], strlen(words[i])))
            return c + strlen(words[i]);
    }
    char *end;
    strtod(c, &end);
    return end > c && *c != '+' && *c != '.' ? end : NULL;
}

void test_check_json(const char *text)
{
    const char *end = json_value(text);
    if (!end || *json_blank(end))
        fail_msg("no JSON:\n%s", text);
}

// XML as far as we write it: tags balanced, attributes quoted, entities known, bytes allowed.
void test_check_xml(const char *text)
{
    const char *open[64];
    size_t lengths[64], depth = 0;
    for (const char *c = text; *c;) {
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
        if (*c == '&') {
            assert_true(!strncmp(c, "&amp;", 5) || !strncmp(c, "&lt;", 4) ||
                        !strncmp(c, "&gt;", 4) || !strncmp(c, "&quot;", 6));
        } else if ((unsigned char)*c >= 0x80) {
            // lead bytes and how many follow
            const unsigned char u = (unsigned char)*c;
            const int n = u >= 0xf0 ? 3 : u >= 0xe0 ? 2 : 1;
            assert_true(u >= 0xc2 && u < 0xf5);
            for (int i = 0; i < n; i++)
                assert_int_equal((unsigned char)*++c & 0xc0, 0x80);
        } else if (*c == '<' && c[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_memory_equal(c + 2, open[depth], lengths[depth]);
            assert_int_equal(c[2 + lengths[depth]], '>');
            c += 2 + lengths[depth];
        } else if (*c == '<') {
            assert_true(depth < 64);
            open[depth] = c + 1;
            lengths[depth] = strcspn(c + 1, " >/");
            bool quoted = false;
            while (*++c && (quoted || *c != '>')) {
                quoted ^= *c == '"';
                assert_true(*c != '<');
            }
            assert_true(*c == '>' && !quoted);
            depth += c[-1] != '/';
        } else {
            assert_true(*c != '>' && (depth > 0 || *c == '\n'));
        }
        c++;
    }
    assert_int_equal(depth, 0);
}

// Braces and brackets balanced outside of strings.
void test_check_dot(const char *text)
{
    int braces = 0, brackets = 0;
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        if (quoted) {
            assert_true(*c != '\n');
            if (*c == '\\')
                c++;
            else
                quoted = *c != '"';
            continue;
        }
        quoted = *c == '"';
        braces += *c == '{' ? 1 : *c == '}' ? -1 : 0;
        brackets += *c == '[' ? 1 : *c == ']' ? -1 : 0;
        assert_true(braces >= 0 && brackets >= 0 && brackets <= 1);
    }
    assert_true(!quoted && braces == 0 && brackets == 0);
}

void test_check_table(const char *text)
{
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, "\n");
        assert_true(line[n] == '\n');
        assert_true(n == 0 || line[n - 1] != ' ');
        if (n > 110)
            fail_msg("too wide: %.*s", (int)n, line);
        line += n + 1;
    }
}
