// text.c - fixed and growing texts, nearest names, patterns.
#include "base/decimal.h"
#include "base/print.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tac__out tac__out_begin(char *buffer, size_t size)
{
    if (size)
        buffer[0] = '\0';
    return (tac__out){buffer, size, 0};
}

bool tac__ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

void tac__out_add(tac__out *out, const char *format, ...)
{
    if (out->length + 1 >= out->size)
        return;
    va_list args;
    va_start(args, format);
    const int n = tac__vprint(out->buffer + out->length, out->size - out->length, format, args);
    va_end(args);
    if (n > 0)
        out->length +=
            (size_t)n < out->size - out->length ? (size_t)n : out->size - out->length - 1;
}

void tac__text_init(tac__text *text, const tac_allocator *allocator)
{
    *text = (tac__text){.allocator = allocator ? allocator : tac_allocator_default()};
}

void tac__text_fini(tac__text *text)
{
    if (text->chars)
        text->allocator->resize(text->allocator->context, text->chars, text->capacity, 0);
    *text = (tac__text){.allocator = text->allocator};
}

// Room for `n` more characters and a NUL.
static bool reserve(tac__text *text, size_t n)
{
    if (text->failed)
        return false;
    if (text->length + n + 1 > text->capacity) {
        size_t capacity = text->capacity ? text->capacity : 256;
        while (capacity < text->length + n + 1)
            capacity *= 2;
        char *chars = text->allocator->resize(text->allocator->context, text->chars, text->capacity,
                                              capacity);
        if (!chars) {
            text->failed = true;
            return false;
        }
        text->chars = chars;
        text->capacity = capacity;
    }
    return true;
}

void tac__text_bytes(tac__text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n))
        return;
    memcpy(text->chars + text->length, bytes, n);
    text->length += n;
    text->chars[text->length] = '\0';
}

void tac__text_repeat(tac__text *text, char c, size_t n)
{
    if (!reserve(text, n))
        return;
    memset(text->chars + text->length, c, n);
    text->length += n;
    text->chars[text->length] = '\0';
}

void tac__text_add(tac__text *text, const char *format, ...)
{
    if (!reserve(text, 0))
        return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    // The first attempt usually fits; if not, its result says how much room is needed.
    const size_t room = text->capacity - text->length;
    const int n = tac__vprint(text->chars + text->length, room, format, args);
    va_end(args);
    if (n >= 0 && reserve(text, (size_t)n)) {
        if ((size_t)n >= room)
            tac__vprint(text->chars + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    text->chars[text->length] = '\0';
    va_end(again);
}

double tac__number_parse(const char *text, const char **end)
{
    const char *c = text + strspn(text, " \t\n\v\f\r");
    const double value = tac__decimal_parse(c, end);
    if (*end == c)
        *end = text;
    return value;
}

uint64_t tac__digits_parse(const char *text, const char **end, unsigned base)
{
    uint64_t value = 0;
    const char *c = text;
    for (;; c++) {
        const char small = tac__to_lower(*c);
        const unsigned digit = tac__is_digit(small)           ? (unsigned)(small - '0')
                               : small >= 'a' && small <= 'f' ? (unsigned)(small - 'a' + 10)
                                                              : base;
        if (digit >= base)
            break;
        value = value > (UINT64_MAX - digit) / base ? UINT64_MAX : value * base + digit;
    }
    if (end)
        *end = c;
    return value;
}

bool tac__whole_parse(const char *text, const char **end, int64_t *value)
{
    const bool minus = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+'), *stop;
    const uint64_t size = tac__digits_parse(digits, &stop, 10);
    *end = stop == digits ? text : stop;
    const uint64_t most = (uint64_t)INT64_MAX + minus;
    const uint64_t kept = size < most ? size : most;
    *value = minus ? (int64_t)(0 - kept) : (int64_t)kept;
    return size <= most;
}

// A quick way for numbers as people write them: up to 15 digits, few of them behind the point.
// Powers of ten up to 1e22 and whole numbers up to 2^53 are exact and a division is rounded once,
// so whole / power is the double that the decimal text reads back as; and only one text of at most
// 15 digits does. False: the number is not of this kind, nothing was written. Saves 8.5 of 33.6
// million instructions of `tactus explain examples/iris_mission.yaml --json` (callgrind).
static bool print_short(double value, char text[TAC__NUMBER_TEXT])
{
    enum { PLACES = 6 };
    static const double power[PLACES + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    static const double most = 1e15, least = 1e-5;
    const double size = fabs(value);
    if (size >= most || (size < least && size > 0))
        return false;
    int places = 0;
    double whole = floor(size);
    while (whole / power[places] != size) {
        if (++places > PLACES || size * power[places] >= most)
            return false;
        whole = floor(size * power[places] + 0.5);
    }
    char digits[TAC__NUMBER_TEXT], *at = digits + sizeof digits; // from the last
    uint64_t left = (uint64_t)whole;
    *--at = '\0';
    for (int i = 0; i <= places || left; i++, left /= 10) {
        if (places && i == places)
            *--at = '.';
        *--at = (char)('0' + left % 10);
    }
    if (signbit(value))
        *--at = '-';
    memcpy(text, at, (size_t)(digits + sizeof digits - at));
    return true;
}

void tac__number_print(double value, char text[TAC__NUMBER_TEXT])
{
    if (value - value != 0) {
        snprintf(text, TAC__NUMBER_TEXT, value != value ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    if (print_short(value, text))
        return;
    // Plain where people would write it so: 250, 0.001; 1e-09 and 1e+20 stay as they are.
    char digits[17];
    int exponent;
    const int count = tac__decimal_shortest(fabs(value), digits, &exponent);
    char *at = text;
    if (signbit(value))
        *at++ = '-';
    const bool plain = exponent >= -5 && exponent < 16;
    const int before = !plain          ? 1
                       : exponent >= 0 ? exponent + 1
                                       : 0; // digits in front of the point
    if (before == 0)
        *at++ = '0';
    for (int i = 0; i < before; i++)
        *at++ = i < count ? digits[i] : '0';
    if (count > before)
        *at++ = '.';
    for (int zeros = before == 0 ? -exponent - 1 : 0; zeros > 0; zeros--)
        *at++ = '0';
    for (int i = before; i < count; i++)
        *at++ = digits[i];
    *at = '\0';
    if (!plain)
        tac__print(at, (size_t)(text + TAC__NUMBER_TEXT - at), "e%+03d", exponent);
}

size_t tac__utf8_decode(const char *text, size_t left, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)text;
    if (left == 0)
        return 0;
    const size_t n = c[0] < 0x80 ? 1 : c[0] < 0xC0 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    if (n == 0 || n > left || c[0] >= 0xF8)
        return 0;
    uint32_t value = n == 1 ? c[0] : c[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (c[i] & 0x3F);
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    *character = value;
    return value < least[n] || surrogate || value > 0x10FFFF ? 0 : n;
}

size_t tac__shown_as(const char *c, size_t left, char shown[TAC__SHOWN])
{
    uint32_t character;
    const size_t n = tac__utf8_decode(c, left, &character);
    const unsigned char u = (unsigned char)*c;
    shown[0] = '\0';
    if (n == 0)
        snprintf(shown, TAC__SHOWN, "\\x%02x", u);
    else if ((character < 0x20 && u != '\n' && u != '\t') ||
             (character >= 0x7f && character < 0xa0))
        snprintf(shown, TAC__SHOWN, "\\x%02x", (unsigned)character);
    return n ? n : 1;
}

void tac__out_shown(tac__out *out, const char *text, bool lines)
{
    char shown[TAC__SHOWN];
    for (size_t left = strlen(text), n; left > 0; text += n, left -= n) {
        n = tac__shown_as(text, left, shown);
        if (*text == '\n' && !lines)
            tac__out_add(out, " ");
        else if (*shown)
            tac__out_add(out, "%s", shown);
        else
            tac__out_add(out, "%.*s", (int)n, text);
    }
}

// Any number of changes of case weigh less than one edit.
enum { NEAREST_MAX = 64, EDIT = NEAREST_MAX + 1 };

tac__nearest tac__nearest_begin(const char *name)
{
    // A name is close if it takes at most a third of its length in edits, or two; but fewer than
    // its length.
    const size_t length = strlen(name);
    size_t bound = length / 3 < 2 ? 2 : length / 3;
    if (bound >= length)
        bound = length ? length - 1 : 0;
    return (tac__nearest){name, NULL, EDIT * bound + NEAREST_MAX + 1};
}

// Edit distance with transpositions; a change of case costs 1, any other edit EDIT. A distance of
// `bound` or more may be returned as any number that is not below `bound`: most names are far away,
// which the first rows show.
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m, size_t bound)
{
    size_t rows[3][NEAREST_MAX + 1], least_above = 0;
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        above[j] = before[j] = EDIT * j;
    for (size_t i = 1; i <= n; i++) {
        size_t least = row[0] = EDIT * i;
        for (size_t j = 1; j <= m; j++) {
            const char x = a[i - 1], y = b[j - 1];
            const size_t swap = x == y ? 0 : tac__to_lower(x) == tac__to_lower(y) ? 1 : EDIT;
            size_t best = above[j - 1] + swap;
            if (above[j] + EDIT < best)
                best = above[j] + EDIT;
            if (row[j - 1] + EDIT < best)
                best = row[j - 1] + EDIT;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + EDIT < best)
                best = before[j - 2] + EDIT;
            row[j] = best;
            if (best < least)
                least = best;
        }
        // What follows comes from this row, or with a transposition from the one above.
        if (least >= bound && least_above + EDIT >= bound)
            return bound;
        least_above = least;
        size_t *const oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[m];
}

void tac__nearest_offer(tac__nearest *nearest, const char *candidate)
{
    const size_t n = strlen(nearest->name), m = strlen(candidate);
    if (n > NEAREST_MAX || m > NEAREST_MAX || n == 0)
        return;
    if (EDIT * (n > m ? n - m : m - n) >= nearest->distance)
        return;
    const size_t distance = edit_distance(nearest->name, n, candidate, m, nearest->distance);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Just after the name that `c` begins with; `c` itself if it begins with none.
static const char *name_end(const char *c)
{
    if (!is_letter(*c))
        return c;
    while (is_letter(*c) || (*c >= '0' && *c <= '9'))
        c++;
    return c;
}

static bool name_fits(const char *name)
{
    return strlen(name) < TAC_ERROR_NAME / 4;
}

bool tac__name_valid(const char *name)
{
    return name && is_letter(name[0]) && *name_end(name) == '\0' && name_fits(name);
}

bool tac__signal_name_valid(const char *name)
{
    if (!name)
        return false;
    const char *part = name, *end;
    while ((end = name_end(part)) != part && *end == '.')
        part = end + 1;
    const bool element = part != name && end == part + 1 && strchr("xyzw", *part);
    return end != part && *end == '\0' && !element && name_fits(name);
}

bool tac__glob_match(const char *pattern, const char *text)
{
    uint64_t steps = 0;
    return tac__glob_match_counted(pattern, text, &steps);
}

bool tac__glob_match_counted(const char *pattern, const char *text, uint64_t *steps)
{
    // Only the last star needs to be remembered: an earlier one can always take less.
    const char *star = NULL, *star_text = NULL;
    uint64_t count = 1;
    bool possible = true;
    for (; possible && *text; count++) {
        if (*pattern == '*') {
            star = pattern++;
            star_text = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++star_text;
        } else {
            possible = false;
        }
    }
    *steps += count;
    while (*pattern == '*')
        pattern++;
    return possible && *pattern == '\0';
}

void tac__brackets_to(char *name, char c)
{
    const size_t length = strlen(name);
    char *bracket = strrchr(name, '[');
    if (!bracket || name[length - 1] != ']')
        return;
    *bracket = c;
    name[length - 1] = '\0';
}

bool tac__path_match(const char *pattern, const char *path)
{
    bool matches = tac__glob_match(pattern, path);
    for (const char *dot = strchr(path, '.'); dot && !matches; dot = strchr(dot + 1, '.'))
        matches = tac__glob_match(pattern, dot + 1);
    return matches;
}

char *tac__path_beside(tac__arena *arena, const char *file, const char *name)
{
    const char *slash = file && *name != '/' ? strrchr(file, '/') : NULL;
    while (slash && strncmp(name, "./", 2) == 0)
        name += 2;
    return tac__arena_format(arena, "%.*s%s", (int)(slash ? slash + 1 - file : 0), file ? file : "",
                             name);
}
