// print.c - see print.h.
#include "base/print.h"
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct out {
    char *text;
    size_t size, length; // the length goes on counting where the text is cut
} out;

static void put(out *o, const char *chars, size_t n)
{
    if (o->length < o->size) {
        const size_t room = o->size - o->length;
        memcpy(o->text + o->length, chars, n < room ? n : room);
    }
    o->length += n;
}

static void put_repeated(out *o, char c, size_t n)
{
    if (o->length < o->size) {
        const size_t room = o->size - o->length;
        memset(o->text + o->length, c, n < room ? n : room);
    }
    o->length += n;
}

typedef struct conversion {
    bool left, plus, blank, other, zeros; // flags - + ' ' # 0
    int width, precision;                 // precision -1: none
    char length;                          // h, H for hh, l, L for ll, z, j, t; 0: none
    char kind;
} conversion;

// A sign or prefix, zeros, and digits, in the width that is wanted.
static void put_padded(out *o, const conversion *c, const char *front, size_t zeros,
                       const char *digits, size_t count)
{
    const size_t before = strlen(front), width = (size_t)c->width;
    const size_t length = before + zeros + count, pad = width > length ? width - length : 0;
    if (!c->left && !c->zeros)
        put_repeated(o, ' ', pad);
    put(o, front, before);
    put_repeated(o, '0', zeros + (c->zeros && !c->left ? pad : 0));
    put(o, digits, count);
    if (c->left)
        put_repeated(o, ' ', pad);
}

static const char *sign_of(const conversion *c, bool minus)
{
    return minus ? "-" : c->plus ? "+" : c->blank ? " " : "";
}

static void put_whole(out *o, conversion *c, const char *front, uintmax_t value)
{
    const unsigned base = c->kind == 'x' || c->kind == 'X' || c->kind == 'p' ? 16
                          : c->kind == 'o'                                   ? 8
                                                                             : 10;
    const char *letters = c->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char digits[32], *at = digits + sizeof digits;
    for (; value; value /= base)
        *--at = letters[value % base];
    const size_t count = (size_t)(digits + sizeof digits - at);
    const size_t least = c->precision < 0 ? 1 : (size_t)c->precision;
    c->zeros &= c->precision < 0;
    put_padded(o, c, front, count < least ? least - count : 0, at, count);
}

static intmax_t take_signed(char length, va_list *args)
{
    switch (length) {
    case 'l':
        return va_arg(*args, long);
    case 'L':
        return va_arg(*args, long long);
    case 'z':
    case 't':
        return va_arg(*args, ptrdiff_t);
    case 'j':
        return va_arg(*args, intmax_t);
    case 'h':
        return (short)va_arg(*args, int);
    case 'H':
        return (signed char)va_arg(*args, int);
    default:
        return va_arg(*args, int);
    }
}

static uintmax_t take_unsigned(char length, va_list *args)
{
    switch (length) {
    case 'l':
        return va_arg(*args, unsigned long);
    case 'L':
        return va_arg(*args, unsigned long long);
    case 'z':
    case 't':
        return va_arg(*args, size_t);
    case 'j':
        return va_arg(*args, uintmax_t);
    case 'h':
        return (unsigned short)va_arg(*args, unsigned);
    case 'H':
        return (unsigned char)va_arg(*args, unsigned);
    default:
        return va_arg(*args, unsigned);
    }
}

static void put_number(out *o, conversion *c, double value)
{
    // The largest number has 309 digits in front of the point.
    enum { PLACES_MAX = 700 };
    char digits[PLACES_MAX + 400];
    const int places = c->precision < PLACES_MAX ? c->precision : PLACES_MAX;
    const size_t count =
        tac__decimal_print(value, c->kind, places, c->other, digits, sizeof digits);
    c->zeros &= value - value == 0;
    put_padded(o, c, sign_of(c, value == value && signbit(value)), 0, digits, count);
}

static void put_text(out *o, conversion *c, const char *text)
{
    text = text ? text : "(null)";
    size_t length = 0;
    while ((c->precision < 0 || length < (size_t)c->precision) && text[length])
        length++;
    c->zeros = false;
    put_padded(o, c, "", 0, text, length);
}

static void convert(out *o, conversion *c, va_list *args)
{
    switch (c->kind) {
    case 'd':
    case 'i': {
        const intmax_t value = take_signed(c->length, args);
        put_whole(o, c, sign_of(c, value < 0), value < 0 ? 0 - (uintmax_t)value : (uintmax_t)value);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        const uintmax_t value = take_unsigned(c->length, args);
        const bool prefix = c->other && value && c->kind != 'u';
        put_whole(o, c, !prefix ? "" : c->kind == 'x' ? "0x" : c->kind == 'X' ? "0X" : "0", value);
        break;
    }
    case 'p':
        put_whole(o, c, "0x", (uintptr_t)va_arg(*args, void *));
        break;
    case 'c': {
        const char character = (char)va_arg(*args, int);
        c->zeros = false;
        put_padded(o, c, "", 0, &character, 1);
        break;
    }
    case 's':
        put_text(o, c, va_arg(*args, const char *));
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        put_number(o, c, va_arg(*args, double));
        break;
    default: // '%', and conversions that are not known
        put(o, &c->kind, c->kind != '\0');
    }
}

static int take_count(const char **format, va_list *args)
{
    int count = 0;
    if (**format == '*') {
        ++*format;
        return va_arg(*args, int);
    }
    for (; **format >= '0' && **format <= '9'; ++*format)
        count = count < 100000 ? count * 10 + (**format - '0') : count;
    return count;
}

// What stands behind a '%'; `*format` moves behind it.
static conversion read_conversion(const char **format, va_list *args)
{
    conversion c = {.precision = -1};
    for (;; ++*format) {
        const char flag = **format;
        if (flag == '-')
            c.left = true;
        else if (flag == '+')
            c.plus = true;
        else if (flag == ' ')
            c.blank = true;
        else if (flag == '#')
            c.other = true;
        else if (flag == '0')
            c.zeros = true;
        else
            break;
    }
    c.width = take_count(format, args);
    if (c.width < 0) {
        c.left = true;
        c.width = -c.width;
    }
    if (**format == '.') {
        ++*format;
        c.precision = take_count(format, args);
    }
    const char length = **format;
    if (length == 'h' || length == 'l' || length == 'z' || length == 'j' || length == 't') {
        c.length = length;
        ++*format;
        if (**format == length && (length == 'h' || length == 'l')) {
            c.length = length == 'h' ? 'H' : 'L';
            ++*format;
        }
    }
    c.kind = **format;
    *format += c.kind != '\0';
    return c;
}

int tac__vprint(char *text, size_t size, const char *format, va_list given)
{
    out o = {text, size ? size - 1 : 0, 0};
    va_list args;
    va_copy(args, given);
    for (;;) {
        const char *literal = format;
        while (*format && *format != '%')
            format++;
        put(&o, literal, (size_t)(format - literal));
        if (!*format)
            break;
        format++;
        conversion c = read_conversion(&format, &args);
        convert(&o, &c, &args);
    }
    va_end(args);
    if (size)
        text[o.length < o.size ? o.length : o.size] = '\0';
    return (int)o.length;
}

int tac__print(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = tac__vprint(text, size, format, args);
    va_end(args);
    return length;
}
