// text.h - small tools for text: fixed buffers, growing texts, nearest names, patterns.
#ifndef TAC_BASE_TEXT_H
#define TAC_BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

TAC_BEGIN_DECLS

// --- a fixed buffer that is cut, never overrun ---------------------------------------------

typedef struct tac__out {
    char *buffer;
    size_t size, length;
} tac__out;

tac__out tac__out_begin(char *buffer, size_t size);
TAC_PRINTF(2, 3) void tac__out_add(tac__out *out, const char *format, ...);

// --- a text that grows; failure is sticky and checked once at the end -----------------------

typedef struct tac__text {
    const tac_allocator *allocator;
    char *chars; // always NUL-terminated once anything was added
    size_t length, capacity;
    bool failed;
} tac__text;

void tac__text_init(tac__text *text, const tac_allocator *allocator);
void tac__text_fini(tac__text *text);
TAC_PRINTF(2, 3) void tac__text_add(tac__text *text, const char *format, ...);
void tac__text_bytes(tac__text *text, const char *bytes, size_t n);
void tac__text_repeat(tac__text *text, char c, size_t n);

// True if `text` ends in `end` and is longer than `end`.
// Replace the opening bracket of an element by `c` and drop the closing one: "motor_2" of
// "motor[2]".
void tac__brackets_to(char *name, char c);

bool tac__ends_in(const char *text, const char *end);

// The shortest decimal text that reads back as the same double ("0.1", "1e-09", "nan"), and the way
// back, as strtod would read it in the "C" locale.
enum { TAC__NUMBER_TEXT = 32 };
void tac__number_print(double value, char text[TAC__NUMBER_TEXT]);
double tac__number_parse(const char *text, const char **end);

// Digits of a whole number to the base 10 or 16, without a sign; UINT64_MAX where it is too large.
// `*end` (may be NULL) is just after them: `text` where there are none.
uint64_t tac__digits_parse(const char *text, const char **end, unsigned base);
// The same with a sign, to the base 10. False where it does not fit.
bool tac__whole_parse(const char *text, const char **end, int64_t *value);

// --- characters ------------------------------------------------------------------------------

// ASCII only, whatever the locale of the host program is. C's own functions depend on the locale.
static inline bool tac__is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool tac__is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool tac__is_alnum(char c)
{
    return tac__is_letter(c) || tac__is_digit(c);
}

static inline char tac__to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline char tac__to_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

// Bytes of the UTF-8 character at `c`, of which there are `left`; 0 if it is not valid.
size_t tac__utf8_decode(const char *c, size_t left, uint32_t *character);

// Text from files and components must not send commands to a terminal: control characters (C0, DEL,
// C1) and bytes that are not UTF-8 are shown as \x1b. `shown` becomes how the character at `c` is
// shown, "" where it is shown unchanged. Returns the length of the character in bytes. Line ends
// and tabs are text.
enum { TAC__SHOWN = 16 };
size_t tac__shown_as(const char *c, size_t left, char shown[TAC__SHOWN]);
// Add text, escaped in this way; unless `lines`, a line end is shown as a space.
void tac__out_shown(tac__out *out, const char *text, bool lines);

// --- names ----------------------------------------------------------------------------------

// Nearest valid name by edit distance, letter case counting little; NULL while none is close.
typedef struct tac__nearest {
    const char *name, *best;
    size_t distance;
} tac__nearest;

tac__nearest tac__nearest_begin(const char *name);
void tac__nearest_offer(tac__nearest *nearest, const char *candidate);

// A name of an entity, component, input or parameter: a letter or '_', then letters, digits, '_'.
bool tac__name_valid(const char *name);
// A name of an output or state: such names with dots between them, "battery.soc". One that ends in
// .x, .y, .z or .w is none: that would read as an element.
bool tac__signal_name_valid(const char *name);

// Shell-like pattern: '*' any run of characters, '?' any one. Linear in time and memory.
bool tac__glob_match(const char *pattern, const char *text);
// The same, and adds to `*steps` how many characters it compared: up to the product of both
// lengths, which counts where others choose the texts.
bool tac__glob_match_counted(const char *pattern, const char *text, uint64_t *steps);

// A pattern for components or signals: of a whole name, or of what follows any dot in it, so that
// "battery.*" matches "uav1.vehicle.battery.soc".
bool tac__path_match(const char *pattern, const char *path);

// The path of a file `name` that is written in `file` (may be NULL) and relative to it. NULL: no
// memory.
char *tac__path_beside(tac__arena *arena, const char *file, const char *name);

TAC_END_DECLS

#endif
